"""What `validate` says of a book, held against what is known of it."""

from __future__ import annotations

import re
import signal
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from types import FrameType
from typing import Any

from openpyxl.utils.cell import column_index_from_string

from elo_sheets import validate_book
from elo_sheets.errors import EloSheetsError

from .layouts import SPELLINGS, draw
from .mistakes import SCOPES, Mistake, all_of, filled_down
from .sheets import Draft, Place, computed, differs, untrue, write

PATIENCE = 120  # seconds for a small book; more is a fault of its own
_AREA = re.compile(r"(?:'((?:[^']|'')+)'|([^'!,\s]+))!\$?([A-Z]{1,3})\$?(\d+)(?::\$?([A-Z]{1,3})\$?(\d+))?")


@dataclass
class Said:
    """A finding, as far as the suite asks for it."""

    code: str
    severity: str
    range: str
    message: str
    fix: str | None

    @property
    def places(self) -> set[Place]:
        found = set()
        for quoted, plain, left, top, right, bottom in _AREA.findall(self.range):
            columns = column_index_from_string(left), column_index_from_string(right or left)
            for row in range(int(top), int(bottom or top) + 1):
                found |= {
                    (quoted.replace("''", "'") or plain, row, column) for column in range(columns[0], columns[1] + 1)
                }
        return found


@dataclass
class Outcome:
    """A book and its verdict. `right_fixes` of `fixes` errors' formulas put their cell right."""

    layout: str
    seed: int
    scope: str  # or sound
    name: str
    status: str
    reason: str
    findings: list[Said]
    hit: bool = False
    covered: int = 0
    wrong: int = 0
    fixes: int = 0
    right_fixes: int = 0
    bad_fixes: list[str] = field(default_factory=list)
    errors: int = 0
    astray: int = 0  # errors in a wrong book that meet no wrong cell
    recognised: bool = True
    file: str = ""


class TooSlow(Exception):
    """The book took longer than any small book may."""


@contextmanager
def patience(seconds: int) -> Iterator[None]:
    def ring(signum: int, frame: FrameType | None) -> None:
        raise TooSlow

    before = signal.signal(signal.SIGALRM, ring)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def judged(path: Path, seconds: int = PATIENCE) -> tuple[str, str, list[Said]]:
    """Return status, reason and findings; an exception is a status of its own."""
    try:
        with patience(seconds):
            verdict = validate_book(path)
    except TooSlow:
        return "too slow", f"more than {seconds} s", []
    except EloSheetsError as error:
        return "refused", str(error), []
    except Exception as error:  # noqa: BLE001 a crash is a result here, and counted
        return "crash", f"{type(error).__name__}: {error}", []
    said = [Said(each.code, str(each.severity), str(each.range), each.message, each.fix) for each in verdict.findings]
    return verdict.status, verdict.reason or "", said


def _content(fix: str) -> Any:
    try:
        return float(fix)
    except ValueError:
        return fix


def _with_fix(draft: Draft, finding: Said) -> tuple[Draft, Place] | None:
    places = sorted(finding.places)
    if not places or not finding.fix or any(place[1:] not in draft.sheets.get(place[0], {}) for place in places):
        return None
    mended = draft.copy()
    for place in places:
        cell = mended.cell(place)
        if finding.fix.startswith("="):
            cell.content = filled_down(finding.fix, places[0], place)
        else:
            cell.content = _content(finding.fix)
    return mended, places[0]


class Bench:
    """Measures one layout for one seed: the sound book, then `each` wrong ones of every scope."""

    def __init__(self, layout: str, seed: int, folder: Path, keep: bool = False) -> None:
        self.layout, self.seed, self.folder, self.keep = layout, seed, folder, keep
        self.sound = draw(layout, seed)
        self.values = computed([self.sound], folder)[0]
        self.untrue = untrue(self.sound, self.values)

    def run(self, each: int, scopes: Sequence[str] = SCOPES) -> Iterator[Outcome]:
        between = ", ".join(self.sound.notes.get("between", ())) or "nothing"
        sound = self._outcome("sound", f"sound, with {between} between", self.sound, self.values)
        yield sound
        for scope in scopes:
            for mistake, values in self._mattering(scope, each):
                outcome = self._outcome(scope, mistake.name, mistake.draft, {**values, **mistake.stored})
                outcome.recognised = sound.status == "agrees"
                self._hold(outcome, mistake)
                yield outcome

    def _mattering(self, scope: str, each: int) -> Iterator[tuple[Mistake, dict[Place, Any]]]:
        source = all_of(self.layout, self.seed, self.sound, self.values, scope)
        left = each
        while left:
            some = list(islice(source, 2 * left))
            if not some:
                return
            for mistake, values in zip(some, computed([m.draft for m in some], self.folder), strict=True):
                if left and mistake.matters(self.values, values):
                    left -= 1
                    yield mistake, values

    def _outcome(self, scope: str, name: str, draft: Draft, values: dict[Place, Any]) -> Outcome:
        plain = re.sub(r"[^\w]+", "-", f"{self.layout} {self.seed} {name}").strip("-")
        path = self.folder / f"{plain}.xlsx"
        write(draft, path, values)
        status, reason, findings = judged(path)
        if not self.keep:
            path.unlink()
        errors = sum(finding.severity == "error" for finding in findings)
        return Outcome(self.layout, self.seed, scope, name, status, reason, findings, errors=errors, file=str(path))

    def _hold(self, outcome: Outcome, mistake: Mistake) -> None:
        wrong = mistake.wrong
        if mistake.scope == "the data":  # the row is the game
            wide = {(sheet, row) for sheet, row, _ in wrong}
        told = [finding for finding in outcome.findings if finding.severity in ("error", "warning")]
        seen: set[Place] = set().union(*(finding.places for finding in told)) if told else set()
        outcome.wrong, outcome.covered = len(wrong), len(wrong & seen)
        outcome.hit = bool(wrong & seen)
        if mistake.scope == "the data":
            outcome.hit = outcome.hit or any(place[:2] in wide for place in seen)
            outcome.covered = outcome.wrong if outcome.hit else 0
        if not mistake.same_rows:
            return
        fixes: list[tuple[Said, Draft, Place]] = []
        for finding in outcome.findings:
            if finding.severity == "error" and finding.fix and mistake.scope != "the data" and not mistake.stored:
                for base in (mistake.draft, self.sound):
                    mended = _with_fix(base, finding)
                    if mended:
                        fixes.append((finding, *mended))
            if finding.severity == "error" and not finding.places & wrong:
                outcome.astray += 1
        answers = computed([draft for _, draft, _ in fixes], self.folder) if fixes else []
        good: dict[int, bool] = {}
        for number, ((finding, draft, place), values) in enumerate(zip(fixes, answers, strict=True)):
            shown = values.get(place, draft.cell(place).content)
            cell_right = not differs(shown, self.values.get(place, self.sound.cell(place).content), 1e-6)
            in_place = number % 2 == 0  # in the wrong book; otherwise in the sound one
            whole = in_place or not any(differs(value, values.get(at, value)) for at, value in self.values.items())
            good[id(finding)] = good.get(id(finding), False) or (cell_right and whole)
        outcome.fixes, outcome.right_fixes = len(good), sum(good.values())
        outcome.bad_fixes = [
            f"{finding.range}: {finding.fix}" for finding, _, _ in fixes[::2] if not good.get(id(finding), False)
        ]


def measure(layouts: Sequence[str], seeds: Sequence[int], each: int, keep: Path | None = None) -> Iterator[Outcome]:
    """Yield what came of each book, layout by layout and seed by seed."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = keep or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        for seed in seeds:
            for layout in layouts:
                bench = Bench(layout, seed, folder, keep is not None)
                if bench.untrue:
                    raise AssertionError(f"{layout}, seed {seed}: the suite's own book is wrong: {bench.untrue[0]}")
                yield from bench.run(0 if layout in SPELLINGS else each)
