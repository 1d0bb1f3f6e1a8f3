"""The trial of what is to be called an error: its repair goes into a copy, and the copy is examined anew.

A repair holds where the copy no longer says what it was for, says nothing new, and shows no error where there was none.
Of several that hold, the one after which least is left is the cause; what is no longer said with it followed from it,
and is not said again. An error whose repair does not hold is a warning, and its formula is not proposed; one whose
repair breaks a sentence of games in which all of them hold is none.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from elo_sheets.files.package import Book, CellError
from elo_sheets.recognise.context import ERROR, NOTE, WARNING, Proposal
from elo_sheets.recognise.model import Key, Model
from elo_sheets.recognise.repair import Repair, with_changes
from elo_sheets.verdict.findings import Finding, areas_of

MOST = 12  # repairs of one book that are tried: a book with more faults is a ruin, and each has its measured numbers
MOST_FORMULAS = 30_000  # formula cells of all copies together: as many as one examination of a large book
MOST_WORK = 1_500_000  # cells that the examinations of all copies compute: some 20 seconds
DRAGGED = "ES129"  # of two ends of a column that could follow each other, the lower one: mistakes are dragged down


@dataclass(frozen=True, eq=False)
class Case:
    """A finding, the cells that it names, and the proposal that it comes from (None: a layout measured it itself)."""

    finding: Finding
    cells: frozenset[Key]
    proposal: Proposal | None = None

    @property
    def repair(self) -> Repair | None:
        """What would put the cells right; None where nothing is known."""
        one = self.proposal
        return None if one is None or not (one.repairs or one.values) else Repair(one.repairs, one.values, one.names)


@dataclass
class Outcome:
    """What an examination of a book, or of a copy, came to."""

    model: Model
    cases: list[Case] = field(default_factory=list)
    reason: str | None = None  # why the book could not be checked to the end
    work: int = 0  # cells that the examination computed
    sound: set[tuple[str, int]] = field(default_factory=set)  # sheets and rows of games in which every sentence holds
    broken: set[tuple[str, int]] = field(default_factory=set)  # and of those in which one does not
    shares: set[Key] = field(default_factory=set)  # cells that were taken for expected scores

    @property
    def said(self) -> list[Case]:
        """The cases that are more than a note."""
        return [case for case in self.cases if case.finding.severity != NOTE]

    @property
    def wrong(self) -> set[Key]:
        """The cells of which an error is said."""
        return {key for case in self.cases if case.finding.severity == ERROR for key in case.cells}


def case_of(finding: Finding, book: Book) -> Case:
    """A finding of a layout's own as a case."""
    cells = (
        (sheet, row, column)
        for sheet, top, left, bottom, right in areas_of(finding.range, book.sheets)
        for row, column in book.sheets[sheet]
        if top <= row <= bottom and left <= column <= right
    )
    return Case(finding, frozenset(cells))


def tried(first: Outcome, again: Callable[[Sequence[Book]], Sequence[Outcome | None]]) -> list[Case]:
    """Return the cases of a book without those that follow from others; errors whose repair fails are warnings."""
    charged = [case for case in first.said if case.finding.severity == ERROR and case.repair is not None]
    most = min(MOST, MOST_FORMULAS // max(1, first.model.formula_count), max(1, MOST_WORK // max(1, first.work)))
    charged = charged[:most]
    if not charged:
        return first.cases
    copies = [with_changes(first.model.book, case.repair) for case in charged if case.repair is not None]
    holding: list[tuple[Case, Outcome]] = []
    failed: list[Case] = []
    refuted: list[Case] = []
    for case, outcome in zip(charged, again(copies), strict=True):
        if outcome is not None and _holds(case, first, outcome):
            holding.append((case, outcome))
        elif outcome is not None:
            (refuted if _is_refuted(case, first, outcome) else failed).append(case)
    holding.sort(key=lambda one: (_left(one[1]), one[0].finding.code != DRAGGED))
    causes, explained = _causes(first, holding)
    failed = [case for case in failed if case not in explained]
    if causes and failed:
        failed = _on_top(first, causes, failed, again)
    kept = [case for case in first.cases if case not in explained and case not in refuted]
    return [_as_a_shape(case) if case in failed else case for case in kept]


def _left(after: Outcome) -> int:
    """How much is still said of a copy."""
    return len(after.said) + (after.reason is not None)


def _holds(case: Case, before: Outcome, after: Outcome) -> bool:
    """Whether a repair does what it is for: its cells are no error any more, and nothing else is or shows one."""
    if case.cells & after.wrong or (before.reason is None and after.reason is not None):
        return False
    known = {key for one in before.said for key in one.cells}
    if any(not one.cells & known for one in after.said):
        return False
    return not any(
        isinstance(after.model.value(key), CellError) and not isinstance(before.model.value(key), CellError)
        for key in after.model.forms
    )


def _is_refuted(case: Case, before: Outcome, after: Outcome) -> bool:
    """Whether a case is of games in which every sentence holds, and its repair makes one of them break."""
    games = {key[:2] for key in case.cells}
    return bool(games & before.sound) and not games & before.broken and bool(games & before.sound & after.broken)


def _causes(first: Outcome, holding: Iterable[tuple[Case, Outcome]]) -> tuple[list[Case], list[Case]]:
    """The repairs that hold and follow from no other, and what follows from them."""
    causes: list[Case] = []
    explained: list[Case] = []
    for case, after in holding:
        if case not in explained:
            causes.append(case)
            left = {key for one in after.said for key in one.cells}
            explained += [one for one in first.said if one is not case and not one.cells & left]
    return [case for case in causes if case not in explained], explained


def _on_top(
    first: Outcome, causes: list[Case], failed: list[Case], again: Callable[[Sequence[Book]], Sequence[Outcome | None]]
) -> list[Case]:
    """Of repairs that do not hold alone, those that do not hold with the causes put right either."""
    base = first.model.book
    for cause in causes:
        base = with_changes(base, cause.repair or Repair({}))
    before, *outcomes = again([base, *(with_changes(base, case.repair or Repair({})) for case in failed)])
    if before is None:
        return failed
    pairs = zip(failed, outcomes, strict=True)
    return [case for case, after in pairs if after is None or not _holds(case, before, after)]


def _as_a_shape(case: Case) -> Case:
    finding = dataclasses.replace(case.finding, severity=WARNING, confidence="shape", fix=None)
    return dataclasses.replace(case, finding=finding)


__all__ = ["Case", "Outcome", "case_of", "tried"]
