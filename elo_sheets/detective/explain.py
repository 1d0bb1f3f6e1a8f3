"""From broken sentences to the smallest edit under which all of them hold, as a proposal for every row it concerns.

Edits are tried in the order of how plain they are: the form that the same column has in games where all holds, the
known slips undone, another cell of the row in a reference's place. The budget is counted in rows that are evaluated.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice, product

from elo_sheets.detective.broken import Broken
from elo_sheets.detective.by_side import k_by_side, k_of_another
from elo_sheets.detective.chain import Log, logs_of
from elo_sheets.detective.facing import uneven_rows
from elo_sheets.detective.facts import SIDES, Facts
from elo_sheets.detective.gains import Gain, Kind, ratings_of, row_cone
from elo_sheets.detective.houses import is_declared
from elo_sheets.detective.ignored import is_called_k
from elo_sheets.detective.level import compared_with_itself, looked_up_as_the_other, never_compared
from elo_sheets.detective.one_sided import one_sided
from elo_sheets.detective.paid import change_of
from elo_sheets.detective.relations import (
    Judged,
    ignores,
    judged,
    stated_scores,
    typed_results,
    unread_scores,
)
from elo_sheets.detective.sides import Side
from elo_sheets.detective.slips import against_the_other, crossed, plain_slips, unlimited
from elo_sheets.expr import Binary, Expr, Number, walk
from elo_sheets.files.package import shift_formula
from elo_sheets.recognise import nearmiss
from elo_sheets.recognise.compare import PARENTHESES
from elo_sheets.recognise.context import WARNING, Context, Proposal
from elo_sheets.recognise.departures import spell_anchored
from elo_sheets.recognise.model import Area, Key, at_cell, cell_area
from elo_sheets.recognise.parts import unrounded
from elo_sheets.recognise.proposals import pinned, transfer

MOST_TRIES = 240  # rows that are evaluated for one kind of row
MOST_IN_ALL = 900
MOST_ROWS = 12  # rows in which a result is asked for that seems to count wrong
CODES = {
    "score": "ES127",
    "half": "ES127",
    "share": "ES128",
    "rising": "ES101",
    "sum": "ES128",
    "chances": "ES128",
    "k": "ES120",
    "own k": "ES120",
    "own share": "ES113",
    "rounded": "ES107",
    "edge": "ES108",
    "home": "ES121",
    "leak": "ES116",
    "limit": "ES118",
    "by side": "ES120",
    "margin": "ES120",
    "after": "ES115",
    "carried": "ES126",
    "opponent": "ES106",
    "unexpected": "ES117",
}
OF_K = ("k", "own k")
NO_EDITS = ("by side", "chances", "half", "margin")  # relations of which no edit says what was meant
OF_SCALES = ("", "ES105", "ES110", "ES111")  # edits that may put a scale right: a number, the cell of it, the base
NO_K = ("ES102", "ES110", "ES111")  # edits of a scale, which put no K right
RANGE = "ES125"  # what an edit undoes that makes a range longer
OWN_NAMES = ("score", "edge", "home", "chances", "own k")  # relations that are plainer than the edit that mends them
_CELL = re.compile(r"\b[A-Z]{1,3}\d+\b")
MOST_HALVES = 3  # edits of one side of a game that are gone on from: what both sides gain stands in two columns
PLAIN = ("ES108", "ES120")  # codes of edits that say less than the sentence that was broken


@dataclass(frozen=True)
class Edit:
    """Another formula for one cell of a row; `code` is the mistake that it undoes, empty for another row's form."""

    cell: Key
    tree: Expr
    code: str = ""


@dataclass
class Examined:
    """What became of the games: proposals, and the rows in which every sentence holds, by sheet."""

    proposals: list[Proposal] = field(default_factory=list)
    logs: dict[str, Log] = field(default_factory=dict)
    sound: dict[str, set[int]] = field(default_factory=dict)
    broken: dict[str, set[int]] = field(default_factory=dict)
    facts: Facts | None = None
    houses: set[str] = field(default_factory=set)  # how what is broken would be declared a rule of the house


class Examiner:
    """Evaluates the sentences for every kind of row of a book, and looks for what puts the broken ones right."""

    def __init__(self, context: Context, known: Iterable[Proposal] = ()) -> None:
        self.context, self.facts = context, Facts(context)
        self.known = [one for one in known if one.repairs]
        self.left = MOST_IN_ALL
        self.in_vain: set[tuple[object, ...]] = set()  # formulas and what is broken, for which no edit was found

    def examine(self) -> Examined:
        """Return what is broken, each with its repair where one was found."""
        kinds = self.facts.kinds()
        faults = {id(kind): self._of(kind) for kind in kinds}
        self._without_result(kinds, faults)
        logs = logs_of(self.facts, kinds, [id(kind) for kind in kinds if not faults[id(kind)]])
        result = Examined(logs=logs, facts=self.facts)
        for log in result.logs.values():
            for kind in (
                kind for kind in kinds if kind.sheet == log.sheet and (not faults[id(kind)] or len(kinds) == 1)
            ):
                results, counts = typed_results(self.facts, next(iter(kind.seen.values())))
                log.results |= {key[2] for key in results if key[0] == log.sheet}
                log.counts |= {key[2] for key in counts if key[0] == log.sheet}
        sound = [kind for kind in kinds if not faults[id(kind)]]
        for kind in kinds:
            found = faults[id(kind)]
            place = result.broken if found else result.sound
            place.setdefault(kind.sheet, set()).update(kind.rows)
            result.houses |= {one.house for one in found if one.house}
            if found and not self._is_told(kind):
                result.proposals.append(self._proposal(kind, found, sound))
        result.proposals = [
            *_merged(result.proposals), *compared_with_itself(self.facts, kinds),
            *looked_up_as_the_other(self.facts, kinds), *k_of_another(self.facts, kinds),
            *never_compared(self.facts, kinds),
        ]  # fmt: skip
        held = {kind.sheet: next(iter(kind.seen.items())) for kind in kinds if not faults[id(kind)]}
        result.proposals += [] if result.proposals else one_sided(self.facts, result.logs, held)
        for log in result.logs.values() if not result.proposals else ():
            uneven = list(uneven_rows(self.facts, log))
            result.proposals += uneven
            result.broken.setdefault(log.sheet, set()).update(key[1] for one in uneven for key in one.cells)
        return result

    def _without_result(self, kinds: list[Kind], faults: dict[int, list[Broken]]) -> None:
        """Add what is broken where the result counts in some games of a sheet, and in others it does not."""
        for kind in kinds:
            usual = {g.cell[2] for one in kinds if one.sheet == kind.sheet for g in next(iter(one.seen.values()))}
            row, gains = next(iter(kind.seen.items()))
            lacks = sorted(usual - {gain.cell[2] for gain in gains})
            held = [key for column in lacks if (key := (kind.sheet, row, column)) in self.context.model.forms]
            if held and len(usual) == SIDES and not faults[id(kind)]:
                faults[id(kind)] = [
                    Broken("rising", held[0], "the change does not follow from the expected score", 1.0, 0.0)
                ]
        self._always_level(kinds, faults)
        for kind in kinds:
            if not faults[id(kind)] and (one := k_by_side(self.facts, kind)) is not None:
                faults[id(kind)] = [one]
        results: dict[str, set[int]] = {}
        for kind in kinds:
            for gains in kind.seen.values():
                cells, _ = typed_results(self.facts, gains)
                results.setdefault(kind.sheet, set()).update(key[2] for key in cells if key[:2] == gains[0].cell[:2])
        for kind in kinds:
            gains = next(iter(kind.seen.values()))
            if not faults[id(kind)] and ignores(self.facts, gains, results[kind.sheet]):
                faults[id(kind)] = [Broken("score", gains[0].cell, "the result does not count", 1.0, 0.0)]

    def _always_level(self, kinds: list[Kind], faults: dict[int, list[Broken]]) -> None:
        """Add that no result counts, where a sheet has none and all of its games are worth the same, won or lost."""
        scores: dict[str, list[tuple[Kind, Gain, float | None]]] = {}
        for kind in kinds if not any(faults[id(kind)] for kind in kinds) else ():
            for gains in kind.seen.values():
                scores.setdefault(kind.sheet, []).extend((kind, *one) for one in unread_scores(self.facts, gains))
        for found in scores.values():
            worth = {None if score is None else round(score, 6) for _, _, score in found}
            if len(worth) == 1 and (only := worth.pop()) is not None and 0 < only < 1:
                for kind, gain, _ in found:
                    says = f"every game counts {only:.4g}, whoever wins"
                    house = f"score={only:.4g}"
                    if is_declared(self.context.allowed, house):
                        self.context.houses.add(house)
                    else:
                        faults[id(kind)] = faults[id(kind)] or [Broken("score", gain.cell, says, 1.0, only, house)]

    def _of(self, kind: Kind) -> list[Broken]:
        """What is broken in every row of a kind that was looked at: once is the row's own entry, not the rule."""
        seen = [judged(self.facts, gains) for gains in kind.seen.values()]
        found = next((one.broken for one in seen if one.broken), [])
        neutral = found and found[0].relation == "home"  # of an edge a game on neutral ground says nothing
        found = [] if any(not one.broken and not (neutral and {*one.level} == {0.5}) for one in seen) else found
        if found and found[0].relation == "score":  # an entry beside may say what a win counts, as overtime does
            rows = kind.rows[:: max(1, len(kind.rows) // MOST_ROWS)]
            games = (gains for row in rows if (gains := self.facts.gains(kind.sheet, row)))
            return [] if any(not judged(self.facts, gains).broken for gains in games) else found
        return found

    def _is_told(self, kind: Kind) -> bool:
        """Whether another finding has the repair already: with it, all holds in the rows of the kind."""
        row, model = next(iter(kind.seen)), self.context.model
        for one in self.known:
            formulas = {
                key: at_cell(form.tree, key)
                for key, text in one.repairs.items()
                if key[:2] == (kind.sheet, row) and (form := model.form_of(text, key)) is not None
            }
            gains = self.facts.gains(kind.sheet, row, formulas) if formulas else []
            if len(gains) >= len(kind.seen[row]) and not judged(self.facts, gains, formulas).broken:
                return True
        return False

    def _proposal(self, kind: Kind, faults: list[Broken], sound: list[Kind]) -> Proposal:
        row = next((at for at, gains in kind.seen.items() if judged(self.facts, gains).broken), next(iter(kind.seen)))
        worst = faults[0]
        says = "; ".join(dict.fromkeys(one.says for one in faults[:2] if one.cell == worst.cell))
        edits = self._edit(kind, row, faults, sound) if worst.relation not in NO_EDITS else ()
        code = "ES104" if worst.house.startswith("draw=") else CODES[worst.relation]
        repairs = {key: text for edit in edits for key, text in self._repairs(kind, edit)}
        if not repairs:
            cells = tuple((kind.sheet, one, worst.cell[2]) for one in kind.rows)
            if worst.cell[0] != kind.sheet or worst.cell[1] not in kind.rows:
                cells = (worst.cell,)
            return Proposal(
                code, cells, says, severity=WARNING, expected=worst.due, found=worst.number, effect=0.0, rank=7,
                house=worst.house,
            )  # fmt: skip
        house, slip = worst.house, edits[0].code
        if slip == "ES103":
            code, says, house = "ES103", f"{PARENTHESES}: {says}", ""
        elif slip and slip not in PLAIN and (worst.relation not in OWN_NAMES or slip == "ES104"):
            code = slip
        first = next(iter(repairs.values()))
        parts = [one.rank for one in self.known if set(one.cells) < set(repairs)]  # of one side only, say
        return Proposal(code, tuple(repairs), says, repairs, fix="=" + first, rank=min([7, *parts]) - 1, house=house)

    def _repairs(self, kind: Kind, edit: Edit) -> Iterator[tuple[Key, str]]:
        model = self.context.model
        old = model.tree(edit.cell)
        ladder = self.facts.ladders.get(kind.sheet)
        if ladder is not None and old is not None and edit.cell[2] in ladder.lines:
            text = spell_anchored(model, edit.cell, edit.tree)
            if edit.code != RANGE and not ladder.sparse:
                text = pinned(text, old, edit.tree, edit.cell[1])
            for key in ladder.alike_cells(model, edit.cell):  # all players' columns have one formula
                yield key, shift_formula(text, key[1] - edit.cell[1], key[2] - edit.cell[2])
            return
        by = kind.rows if edit.cell[0] == kind.sheet else [edit.cell[1]]
        for row in by:
            key = (edit.cell[0], row, edit.cell[2])
            tree = model.tree(key)
            moved = edit.tree if key == edit.cell else None
            if moved is None and old is not None and tree is not None:
                moved = transfer(old, edit.tree, tree, edit.cell, key)
            if moved is not None and moved != tree:
                text = spell_anchored(model, key, moved)
                yield key, text if old is None else pinned(text, old, edit.tree, edit.cell[1])

    # the search

    def _edit(self, kind: Kind, row: int, faults: list[Broken], sound: list[Kind]) -> tuple[Edit, ...]:
        """The edit under which all holds, or one for each side of a game; () where none was found."""
        gains = kind.seen[row]
        before = judged(self.facts, gains)
        forms = (*sorted((key[2], self.context.model.forms[key].number) for key in self._cells(gains, faults)),)
        search = (kind.sheet, forms, *((fault.relation, fault.cell[2], fault.says) for fault in faults))
        if search in self.in_vain:
            return ()
        if faults[0].relation == "own share":
            both = tuple(Edit(*one, "ES113") for one in crossed(self.context.model, gains).items())
            if both and not self._after(kind, row, both).broken:
                return both
        halves: list[tuple[int, int, int, Edit, Judged]] = []
        for edit, after in self._tries(kind, row, faults, sound):
            if not self._holds(before, after, faults[0]):
                continue
            if not after.broken and self._is_due(kind, row, (edit,), faults[0]):
                return (edit,)
            if 0 < len(after.broken) < len(before.broken):
                halves.append((len(after.broken), -after.checks, len(halves), edit, after))
        for *_, first, half in sorted(halves, key=lambda one: one[:3])[:MOST_HALVES]:
            for edit, after in self._tries(kind, row, half.broken, sound, first):
                due = not after.broken and self._is_due(kind, row, (first, edit), half.broken[0])
                if due and self._holds(before, after, half.broken[0]):
                    return (first, edit)
        self.in_vain.add(search)
        return ()

    def _tries(
        self, kind: Kind, row: int, faults: list[Broken], sound: list[Kind], first: Edit | None = None
    ) -> Iterator[tuple[Edit, Judged]]:
        """Edits and what becomes of the game with each; after `first`, those that undo the same mistake come first."""
        edits = list(islice(self._edits(kind, row, kind.seen[row], faults, sound), MOST_TRIES))
        if first is not None:
            edits.sort(key=lambda edit: edit.code != first.code)
        for edit in edits:
            if self.left <= 0 or (first is not None and edit.cell == first.cell):
                continue
            if faults[0].relation in OF_K and edit.code in NO_K:
                continue
            if faults[0].house.startswith("scale=") and edit.code not in OF_SCALES:
                continue
            self.left -= 1
            yield edit, self._after(kind, row, (edit,) if first is None else (first, edit))

    def _after(self, kind: Kind, row: int, edits: tuple[Edit, ...]) -> Judged:
        formulas = {edit.cell: edit.tree for edit in edits}
        return judged(self.facts, self.facts.gains(kind.sheet, row, formulas), formulas)

    def _holds(self, before: Judged, after: Judged, worst: Broken) -> bool:
        """Whether with an edit as many sentences can be evaluated, and no edge is new; a double one is left."""
        level = all(
            share != 0.5 if worst.relation == "edge" else share in (0.5, *before.level) for share in after.level
        )
        if worst.relation == "home":  # as large as before, to six places, and the other side's
            level = all(abs(one + two - 1) < 1e-5 for one, two in zip(before.level, after.level, strict=False))
        as_much = after.checks >= before.checks and after.told >= max(before.told, worst.relation == "score")
        return as_much and bool(after.level) and level

    def _is_due(self, kind: Kind, row: int, edits: tuple[Edit, ...], worst: Broken) -> bool:
        """Whether edits that are to put a K right, an advantage or one side's change lead to the number that is due."""
        formulas = {edit.cell: edit.tree for edit in edits}
        if worst.relation in ("carried", "home", "unexpected") and not any(gain.exchanged for gain in kind.seen[row]):
            cell = (*worst.cell[:1], row, worst.cell[2])
            return math.isclose(self.facts.evaluator.number(cell, {}, formulas) or 0.0, worst.due, rel_tol=1e-9)
        gains = self.facts.gains(kind.sheet, row, formulas) if worst.relation in OF_K else []
        at_fault = [gain for gain in gains if worst.cell[2] in (gain.cell[2], change_of(self.facts, gain)[2])] or gains
        sides = (Side(self.facts, gain, formulas) for gain in at_fault)
        return worst.relation not in OF_K or any(math.isclose(side.k(None) or 0.0, worst.due) for side in sides)

    def _edits(
        self, kind: Kind, row: int, gains: list[Gain], faults: list[Broken], sound: list[Kind]
    ) -> Iterator[Edit]:
        model = self.context.model
        worst = faults[0]
        if worst.relation == "rounded" and any(worst.cell == key for gain in gains for key, _, _ in gain.shares):
            if (tree := model.tree(worst.cell)) is not None:
                yield Edit(worst.cell, unrounded(tree), "ES107")
            return
        cells = self._cells(gains, faults)
        players = [key for gain in gains for key in (*gain.own, *gain.other)]
        ratings = [cell_area(one) for key in players for one in dict.fromkeys((key, *ratings_of(model, key)))]
        for key in (fault.cell for fault in faults if fault.relation == "after"):
            tree = model.tree(key)
            for edited in () if tree is None else (*unlimited(tree), *nearmiss.with_references(tree, ratings)):
                yield Edit(key, edited, "ES114")
        for fault, gain in product((one for one in faults if one.relation == "carried"), gains):
            tree = model.tree(fault.cell)
            for node, rebuilt in () if tree is None else nearmiss.places(tree):
                if isinstance(node, Area) and (at := _key(node, fault.cell)) in (*gain.own, *gain.other):
                    yield Edit(fault.cell, rebuilt(Binary("+" if at in gain.own else "-", node, cell_area(gain.cell))))
        for other in sound:
            for key in cells if other.sheet == kind.sheet else ():
                form = model.forms.get((kind.sheet, other.rows[-1], key[2]))
                if form is not None and key[0] == kind.sheet and form is not model.forms[key]:
                    yield Edit(key, at_cell(form.tree, key))
        trees = {key: tree for key in cells if (tree := model.tree(key)) is not None}
        ladder = self.facts.ladders.get(kind.sheet)
        for key, tree in trees.items() if ladder is not None else ():
            if ladder is not None and (edited := ladder.widened(tree)) != tree:
                yield Edit(key, edited, RANGE)
        scales = _scales(trees.values())
        if worst.relation == "own k":
            yield from (
                Edit(key, edited) for key, tree in trees.items() for edited in nearmiss.with_references(tree, ratings)
            )
            return
        results = [cell_area(one) for one in sorted(typed_results(self.facts, gains)[1])]
        for key, tree in trees.items():
            for edited in (*plain_slips(tree), *against_the_other(tree, results)):
                yield Edit(key, edited)
            for code, edited in nearmiss.candidates(tree, scales):
                yield Edit(key, edited, code)
        settings = [
            (node, number) for node in dict.fromkeys(node for tree in trees.values() for node in walk(tree))
            if isinstance(node, Area) and node.single and (number := self._typed(node)) is not None
        ]  # fmt: skip
        settings += [
            (cell_area(key), number) for key, number in self.facts.unread.items() if is_called_k(self.facts, key)
        ]
        if worst.relation == "k" and (tree := model.tree(worst.cell)) is not None:  # a K that nothing reads
            yield from (Edit(worst.cell, Binary("*", area, tree)) for area, _ in settings)
        settings.sort(key=lambda one: one[0].row == row)  # what all games share before what is typed for one
        stated = sorted(set(stated_scores(self.facts, gains)), key=lambda key: (key not in model.forms, key))
        scores = [(cell_area(key), None) for key in stated]
        for key, tree in trees.items():
            for edited in nearmiss.with_literals_as(tree, scores):
                yield Edit(key, edited)
        for key, tree in trees.items():
            for edited in nearmiss.with_literals_as(tree, settings):
                yield Edit(key, edited, "ES105")
        shares = [cell_area(key) for gain in gains for key, _, _ in gain.shares]
        for tree in (model.tree(worst.cell),) if worst.relation == "unexpected" else ():
            for edited in () if tree is None else nearmiss.with_literals_as(tree, [(area, None) for area in shares]):
                yield Edit(worst.cell, edited, "ES117")
        for key, tree in trees.items():
            for edited in nearmiss.with_references(tree, [*shares, *ratings]):
                yield Edit(key, edited, "ES106")

    def _cells(self, gains: list[Gain], faults: list[Broken]) -> dict[Key, None]:
        """The formulas that what is broken follows from, those of the side at fault first."""
        blamed = {fault.cell for fault in faults}
        return {
            key: None
            for gain in sorted(gains, key=lambda g: g.cell not in blamed)
            for key in (
                *(fault.cell for fault in faults),
                *row_cone(self.context, gain),
                *(share for share, _, _ in gain.shares),
            )
            if key in self.context.model.forms
        }

    def _typed(self, area: Area) -> float | None:
        key = (area.sheet or "", area.row, area.column)
        return None if key in self.context.model.forms else self.context.model.number(key)


def _scales(trees: Iterable[Expr]) -> list[Expr]:
    found: dict[Expr, None] = {Number(400.0): None}
    for tree in trees:
        for node in walk(tree):
            if isinstance(node, Binary) and node.operator == "/" and isinstance(node.right, (Area, Number)):
                found[node.right] = None
    return list(found)


def _key(area: Area, cell: Key) -> Key:
    return (area.sheet or cell[0], area.row, area.column)


def _merged(proposals: list[Proposal]) -> Iterator[Proposal]:
    """Put together what is said of one column in the same words, whatever the kinds of its rows."""
    together: dict[tuple[str, str, str, int], list[Proposal]] = {}
    for one in proposals:
        key = one.cells[0]
        together.setdefault((one.code, _CELL.sub("", one.message), key[0], key[2]), []).append(one)
    for same in together.values():
        cells = tuple(sorted({key for one in same for key in one.cells}))
        repairs = {key: text for one in same for key, text in one.repairs.items()}
        first = same[0]
        fix = "=" + repairs[cells[0]] if cells[0] in repairs else first.fix
        yield Proposal(
            first.code, cells, first.message, repairs, severity=first.severity, fix=fix, expected=first.expected,
            found=first.found, effect=first.effect, rank=first.rank, house=first.house,
        )  # fmt: skip


__all__ = ["Edit", "Examined", "Examiner"]
