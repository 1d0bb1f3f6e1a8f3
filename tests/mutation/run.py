"""Run the harness: plant every fault in every layout, rewrite every layout, ask `validate`, and count.

python -m tests.mutation [--layouts A,B] [--operators A,B] [--seeds N] [--jobs 2] [--out docs/mutation.md]
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from elo_sheets.engines.recalculate import ENGINES
from elo_sheets.engines.sanitised import Values
from elo_sheets.files.references import parse_range
from elo_sheets.validate import validate
from elo_sheets.verdict.findings import NOTE, Finding, Verdict

from .draft import Draft, Spot, compute, first_mark, marks, number_at, plain, spell, write
from .layouts import LAYOUTS, Layout, build
from .operators import OPERATORS, Context, Mutant, Operator, difference, perturbed
from .rewrites import REWRITES

RECALL, PER_OPERATOR, PLACE, ALARMS = 0.989, 0.90, 0.95, 0.003
EFFECT = 0.01  # rating points
PATIENCE = 40  # seconds for a verdict
ODS = ("single log", "foosball pairs")  # the layouts that are also read as LibreOffice writes them
MANY = 40  # cells: a finding that names more than twice the cells of the fault is no place


@dataclass(frozen=True)
class Outcome:
    """What `validate` said about one book."""

    kind: str  # faulty, clean or rewritten
    layout: str
    seed: int
    operator: str
    caught: bool = False
    cell: bool = False
    code: bool = False
    both: bool = False
    latent: bool = False
    effect: float | None = None
    told: float | None = None
    status: str = ""
    expected: str = ""
    said: tuple[str, ...] = ()

    @property
    def effect_right(self) -> bool | None:
        """Whether the effect was told within the tolerance; None when it cannot be judged."""
        if self.effect is None or not self.both:
            return None
        return self.told is not None and abs(abs(self.told) - abs(self.effect)) <= EFFECT


# --- one layout with one seed -------------------------------------------------------------------------------


def points_at(found: Finding, cells: frozenset[Spot]) -> bool:
    """Say whether a finding names the fault's cells: its first cell is one of them, and most of its cells are."""
    if not cells:
        return True
    sheet, _, area = found.range.rpartition("!")
    sheet = sheet.strip("'").replace("''", "'")
    if rows := re.fullmatch(r"(\d+):(\d+)", area):
        whole = {(sheet, row) for row in range(int(rows[1]), int(rows[2]) + 1)}
        return whole <= {(where, place[0]) for where, place in cells}
    try:
        row1, column1, row2, column2 = parse_range(area.replace("$", ""))
    except ValueError:
        return False
    if (sheet, (row1, column1)) not in cells:
        return False
    size = (row2 - row1 + 1) * (column2 - column1 + 1)
    if size > max(MANY, 3 * len(cells)):
        return False
    inside = sum((sheet, (r, c)) in cells for r in range(row1, row2 + 1) for c in range(column1, column2 + 1))
    return inside * 2 >= size


def _say(found: Finding) -> str:
    return f"{found.code} {found.severity} {found.range} {found.effect:+.2f}"


def _too_long(*_: object) -> None:
    raise TimeoutError(f"no verdict after {PATIENCE} seconds")


def _ask(path: Path) -> Verdict | str:
    signal.signal(signal.SIGALRM, _too_long)
    signal.alarm(PATIENCE)
    try:
        return validate(path)
    except Exception as error:  # noqa: BLE001 - whatever it raises is an outcome of the book
        place = traceback.extract_tb(error.__traceback__)[-1]
        return f"raised {type(error).__name__}: {error} ({Path(place.filename).name}, {place.name})"
    finally:
        signal.alarm(0)


def judge(layout: Layout, operator: Operator, mutant: Mutant, verdict: Verdict | str) -> Outcome:
    """Return what the verdict is worth for a faulty book."""
    where = ", ".join(spell(cell) for cell in sorted(mutant.cells)[:3])
    expected = f"{mutant.codes[0]} at {where or 'the book'}"
    common = (layout.name, layout.seed, operator.name)
    if isinstance(verdict, str):
        return Outcome("faulty", *common, expected=expected, said=(verdict,), effect=mutant.effect)
    loud = [f for f in verdict.findings if f.severity != NOTE or (operator.note and f.code in mutant.codes)]
    right = [f for f in loud if f.code in mutant.codes]
    placed = [f for f in loud if points_at(f, mutant.cells)]
    exact = [f for f in right if points_at(f, mutant.cells)]
    told = max((f.effect for f in exact), key=abs, default=None)
    if mutant.effect is not None and exact:
        told = min((f.effect for f in exact), key=lambda e: abs(abs(e) - abs(mutant.effect or 0.0)))
    return Outcome(
        "faulty",
        *common,
        bool(loud),
        bool(placed),
        bool(right),
        bool(exact),
        mutant.latent,
        mutant.effect,
        told,
        verdict.status,
        expected,
        tuple(_say(f) for f in verdict.findings[:4]) or ((verdict.reason or "")[:120],),
    )


def mutants(layout: Layout, operators: Sequence[Operator]) -> list[tuple[Operator, Mutant]]:
    """Return the faults that a layout can have, with their true effects; what is no fault is left out.

    A fault that turned out to be none is tried at another place, three times.
    """
    values = compute([layout.draft])[0]
    moved = perturbed(layout, layout.draft)
    clean = compute([moved])[0]
    kept: list[tuple[Operator, Mutant]] = []
    left = list(operators)
    for attempt in range(3):
        planted: list[tuple[Operator, Mutant]] = []
        for operator in left:
            rng = random.Random(f"{layout.name} {layout.seed} {operator.name} {attempt}")
            mutant = operator.plant(Context(layout, values, rng))
            if mutant is not None and mutant.draft.external is not None:
                kept.append((operator, mutant))
            elif mutant is not None:
                planted.append((operator, mutant))
        quiet: list[tuple[Operator, Mutant]] = []
        for (operator, mutant), changed in zip(planted, _computed(planted), strict=True):
            effect = difference(layout.ratings, (layout.draft, values), (mutant.draft, changed))
            mutant.values, mutant.latent = changed, effect == 0.0
            told = operator.measured and "odds" not in layout.traits and _tells_k(layout, mutant.draft)
            mutant.effect = effect if told else None
            (quiet if effect == 0.0 and not operator.form else kept).append((operator, mutant))
        left = []
        if quiet:
            other = [perturbed(layout, mutant.draft) for _, mutant in quiet]
            for pair, draft, changed in zip(quiet, other, compute(other), strict=True):
                if _differs(layout, (moved, clean), (draft, changed)):
                    kept.append(pair)
                else:
                    left.append(pair[0])
    order = {operator.name: i for i, operator in enumerate(operators)}
    return sorted(kept, key=lambda pair: order[pair[0].name])


def _tells_k(layout: Layout, draft: Draft) -> bool:
    """Say whether K still stands somewhere in a book, so that what a fault costs can be known at all."""
    factors = [found[0] for _, text in layout.draft.formulas() if (found := first_mark(text, "K")) is not None]
    typed = bool(factors) and all(plain(factor).isdigit() for factor in factors)
    return not typed or any("K" in marks(text) for _, text in draft.formulas())


def _computed(pairs: Sequence[tuple[Operator, Mutant]]) -> list[Values]:
    return compute([mutant.draft for _, mutant in pairs])


def _differs(layout: Layout, clean: tuple[Draft, Values], faulty: tuple[Draft, Values]) -> bool:
    """Say whether any formula cell shows another number once the inputs are changed."""
    for where, _ in layout.draft.formulas():
        before, after = number_at(*clean, where), number_at(*faulty, where)
        if (before is None) != (after is None):
            return True
        if before is not None and after is not None and abs(before - after) > 1e-9:
            return True
    return False


def rewritten(layout: Layout, names: Iterable[str]) -> list[tuple[str, Draft]]:
    """Return the rewrites that apply to a layout."""
    values = compute([layout.draft])[0]
    found = []
    for name in names:
        rng = random.Random(f"{layout.name} {layout.seed} {name}")
        draft = REWRITES[name].rewrite(Context(layout, values, rng))
        if draft is not None:
            found.append((name, draft))
    return found


@dataclass(frozen=True)
class Task:
    """The work of one process at a time. `ods`: the books go through LibreOffice first, a third of them."""

    layout: str
    seed: int
    operators: tuple[str, ...]
    rewrites: tuple[str, ...]
    faults: bool = True
    controls: bool = True
    ods: bool = False


def perform(task: Task) -> list[Outcome]:
    """Return the outcomes of every book of one layout with one seed."""
    layout = build(task.layout, task.seed)
    if task.ods:
        layout.name += ", .ods"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        paths: list[Path] = []
        judges: list[Callable[[Verdict | str], Outcome]] = []
        if task.controls:
            books = [("clean", layout.draft), *rewritten(layout, task.rewrites[:: 3 if task.ods else 1])]
            for (what, draft), values in zip(books, compute([draft for _, draft in books]), strict=True):
                if layout.facing is None or layout.facing.fits(draft):
                    paths.append(write(*_laid_out(layout, draft, values), folder / f"book{len(paths)}.xlsx"))
                    judges.append(partial(_control, layout, what))
        if task.faults and layout.rated:
            operators = [OPERATORS[operator] for operator in task.operators[:: 3 if task.ods else 1]]
            for operator, mutant in mutants(layout, operators):
                fits = layout.facing is None or layout.facing.fits(mutant.draft)
                if fits and not (task.ods and _only_xlsx(mutant.draft)):
                    book = _laid_out(layout, mutant.draft, _values(mutant))
                    paths.append(write(*book, folder / f"book{len(paths)}.xlsx"))
                    if layout.facing is not None:
                        mutant.cells = layout.facing.spots(mutant.draft, mutant.cells)
                    judges.append(partial(judge, layout, operator, mutant))
        if task.ods:
            paths = _as_ods(paths, folder)
        return [judged(_ask(path)) for path, judged in zip(paths, judges, strict=True)]


def _laid_out(layout: Layout, draft: Draft, values: Values) -> tuple[Draft, Values]:
    if layout.facing is None:
        return draft, values
    return layout.facing.draft(draft), layout.facing.values(draft, values)


def _only_xlsx(draft: Draft) -> bool:
    """Say whether LibreOffice would change what the fault is on the way to its own format."""
    return bool(draft.external or draft.manual or draft.stored or draft.iterate or draft.charts or draft.validations)


def _as_ods(paths: list[Path], folder: Path) -> list[Path]:
    """Return the books as LibreOffice saves them in its own format, all by one start of the program."""
    made = folder / "ods"
    office = shutil.which("soffice") or shutil.which("libreoffice") or "soffice"
    profile = f"-env:UserInstallation={(folder / 'profile').as_uri()}"
    command = [office, profile, "--headless", "--convert-to", "ods", "--outdir", str(made), *map(str, paths)]
    subprocess.run(command, check=True, capture_output=True, timeout=600)
    return [made / f"{path.stem}.ods" for path in paths]


def _values(mutant: Mutant) -> Values:
    if mutant.values is not None:
        return mutant.values
    copy = mutant.draft.copy()  # the engine follows no link: the other workbook says 24
    for where, text in mutant.draft.formulas():
        if "[1]" in text:
            copy[where] = plain(text).replace("[1]Config!$B$1", "24")
    return compute([copy])[0]


def _control(layout: Layout, name: str, verdict: Verdict | str) -> Outcome:
    kind = "clean" if name == "clean" else "rewritten"
    if isinstance(verdict, str):
        return Outcome(kind, layout.name, layout.seed, name, True, said=(verdict,))
    loud = [f for f in verdict.findings if f.severity != NOTE]
    said = tuple(_say(f) for f in loud[:4])
    return Outcome(kind, layout.name, layout.seed, name, bool(loud), status=verdict.status, said=said)


# --- counting -----------------------------------------------------------------------------------------------


@dataclass
class Count:
    """How often something was found."""

    books: int = 0
    caught: int = 0
    cell: int = 0
    code: int = 0
    both: int = 0
    effects: int = 0
    effects_right: int = 0

    def add(self, outcome: Outcome) -> None:
        self.books += 1
        self.caught += outcome.caught
        self.cell += outcome.cell
        self.code += outcome.code
        self.both += outcome.both
        if outcome.effect_right is not None:
            self.effects += 1
            self.effects_right += outcome.effect_right


@dataclass
class Tally:
    """All outcomes, counted."""

    outcomes: list[Outcome]
    total: Count = field(default_factory=Count)
    by_operator: dict[str, Count] = field(default_factory=dict)
    by_layout: dict[str, Count] = field(default_factory=dict)
    controls: int = 0
    alarms: list[Outcome] = field(default_factory=list)

    def __post_init__(self) -> None:
        for outcome in self.outcomes:
            if outcome.kind == "faulty":
                self.total.add(outcome)
                self.by_operator.setdefault(outcome.operator, Count()).add(outcome)
                self.by_layout.setdefault(outcome.layout, Count()).add(outcome)
            else:
                self.controls += 1
                if outcome.caught:
                    self.alarms.append(outcome)

    def failures(self) -> list[str]:
        """Return what is below its bar."""
        found = []
        total = self.total
        if total.books:
            if total.caught < RECALL * total.books:
                found.append(f"recall {total.caught / total.books:.4f} is below {RECALL}")
            if total.both < PLACE * total.books:
                found.append(f"right cell and code {total.both / total.books:.4f} is below {PLACE}")
            found += [
                f"operator {name!r}: recall {count.caught / count.books:.2f} is below {PER_OPERATOR}"
                for name, count in self.by_operator.items()
                if count.caught < PER_OPERATOR * count.books
            ]
            if total.effects_right < total.effects:
                found.append(f"{total.effects - total.effects_right} effects are off by more than {EFFECT}")
        if self.controls and len(self.alarms) > ALARMS * self.controls:
            found.append(f"{len(self.alarms)} false alarms in {self.controls} books are more than {ALARMS:.1%}")
        return found


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "–"


def _table(title: str, counts: dict[str, Count]) -> list[str]:
    lines = [
        f"| {title} | books | caught | right cell | right code | cell and code | effect |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    for name, c in counts.items():
        effect = f"{c.effects_right} of {c.effects}" if c.effects else "–"
        shares = " | ".join(_share(n, c.books) for n in (c.caught, c.cell, c.code, c.both))
        lines.append(f"| {name} | {c.books} | {shares} | {effect} |")
    return lines


def _line(outcome: Outcome) -> str:
    said = "; ".join(outcome.said) or "nothing"
    return f"- {outcome.layout}, seed {outcome.seed}, {outcome.operator}: {outcome.expected}. Said: {said}"


def report(tally: Tally) -> str:
    """Return the figures and the misses as a page."""
    total = tally.total
    faulty = [o for o in tally.outcomes if o.kind == "faulty"]
    latent = [o for o in faulty if o.latent]
    controls = [o for o in tally.outcomes if o.kind != "faulty"]
    clean = Counter((o.status or "raised") for o in controls)
    lines = [
        "# The mutation harness",
        "",
        "Sound rating workbooks as strangers make them, one fault planted at a time, and rewrites that change nothing.",
        "`python -m tests.mutation --out docs/mutation.md` runs it and writes this page.",
        "",
        f"- {total.books} faulty books: {len(tally.by_operator)} kinds of fault in {len(tally.by_layout)} layouts;",
        f"  {len(latent)} of the faults change no rating today.",
        f"- Caught: {total.caught} of {total.books}, {_share(total.caught, total.books)} (bar 98.9 %).",
        f"- Right cell: {_share(total.cell, total.books)}; right code: {_share(total.code, total.books)};"
        f" both: {_share(total.both, total.books)} (bar 95 %).",
        f"- Effect within {EFFECT} points: {total.effects_right} of {total.effects} that can be judged,"
        f" {_share(total.effects_right, total.effects)}.",
        f"- {tally.controls} sound books ({sum(o.kind == 'clean' for o in controls)} as built, the others rewritten):"
        f" {len(tally.alarms)} false alarms, {_share(len(tally.alarms), tally.controls)} (bar 0.3 %).",
        "- Verdicts on the sound books: " + ", ".join(f"{status} {n}" for status, n in sorted(clean.items())) + ".",
        "",
        "A fault is caught when there is a finding above a note. The cell is right when the finding's range begins in",
        "the changed cells and at least half of it lies there. The true effect is what an engine computes for the",
        "sound and the faulty book. A fault that changes no number, whatever the inputs, is not planted.",
        "",
        "## By kind of fault",
        "",
        *_table("fault", tally.by_operator),
        "",
        "## By layout",
        "",
        *_table("layout", tally.by_layout),
        "",
        "## Misses",
        "",
        *([_line(o) for o in faulty if not o.caught] or ["None."]),
        "",
        "## Caught, but with another cell or code",
        "",
        *([_line(o) for o in faulty if o.caught and not o.both] or ["None."]),
        "",
        "## Effects that are off",
        "",
        *(
            [
                f"- {o.layout}, seed {o.seed}, {o.operator}: {o.effect:+.3f}, told {o.told:+.3f}"
                for o in faulty
                if o.effect_right is False and o.effect is not None and o.told is not None
            ]
            or ["None."]
        ),
        "",
        "## False alarms",
        "",
        *([_line(o) for o in tally.alarms] or ["None."]),
        "",
    ]
    return "\n".join(lines)


def tasks(
    layouts: Sequence[str], operators: Sequence[str], rewrites: Sequence[str], seeds: int, sound_seeds: int, ods: bool
) -> list[Task]:
    """Return the work: one task a layout and seed, and two layouts once more as .ods."""
    work = [
        Task(layout, seed, tuple(operators), tuple(rewrites), seed <= seeds, seed <= sound_seeds)
        for seed in range(1, max(seeds, sound_seeds) + 1)
        for layout in layouts
    ]
    again = [layout for layout in ODS if layout in layouts and ods and ENGINES["libreoffice"].available()]
    both = (tuple(operators), tuple(rewrites), seeds > 0, sound_seeds > 0)
    return work + [Task(layout, 1, *both, ods=True) for layout in again]


def run(work: Sequence[Task], jobs: int, out: Path | None = None) -> Tally:
    """Return all outcomes of the tasks, in the order of the tasks; the page in `out` grows with them."""
    outcomes: list[Outcome] = []
    with multiprocessing.get_context("fork").Pool(jobs, maxtasksperchild=8) as pool:
        for task, part in zip(work, pool.imap(perform, work), strict=True):
            outcomes += part
            faulty = [outcome for outcome in part if outcome.kind == "faulty"]
            missed = [outcome for outcome in faulty if not outcome.both]
            alarms = [outcome for outcome in part if outcome.kind != "faulty" and outcome.caught]
            sys.stderr.write(
                f"{task.layout} {task.seed}: {len(faulty)} faulty, {len(missed)} missed or misplaced,"
                f" {len(part) - len(faulty)} sound, {len(alarms)} alarms\n"
            )
            sys.stderr.flush()
            if out:
                out.write_text(report(Tally(list(outcomes))), "utf-8")
    return Tally(outcomes)


def _chosen(given: str | None, known: Iterable[str], what: str) -> list[str]:
    names = list(known)
    if given is None:
        return names
    asked = [name for part in given.split(";") for name in names if part.strip().casefold() in name.casefold()]
    if not asked:
        raise SystemExit(f"expected {what} among {', '.join(names)}, got {given!r}")
    return list(dict.fromkeys(asked))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run from the command line; 1 when a bar is missed."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description="plant faults, ask validate, count")
    parser.add_argument("--layouts", help="parts of names, separated by ';'")
    parser.add_argument("--operators", help="parts of names, separated by ';'")
    parser.add_argument("--rewrites", help="parts of names, separated by ';'")
    parser.add_argument("--seeds", type=int, default=1, help="how many of each faulty book; 0 for none")
    parser.add_argument("--sound-seeds", type=int, default=3, help="how many of each sound book; 0 for none")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--no-ods", action="store_true", help="no books by way of LibreOffice")
    parser.add_argument("--keep", type=Path, help="write the books into this folder and ask nothing")
    parser.add_argument("--out", type=Path, help="write the figures and the misses to this file")
    chosen = parser.parse_args(arguments)
    work = tasks(
        _chosen(chosen.layouts, LAYOUTS, "layouts"),
        _chosen(chosen.operators, OPERATORS, "operators"),
        _chosen(chosen.rewrites, REWRITES, "rewrites"),
        chosen.seeds,
        chosen.sound_seeds,
        not chosen.no_ods,
    )
    if chosen.keep:
        for task in work:
            if not task.ods:
                keep(task, chosen.keep)
        return 0
    tally = run(work, chosen.jobs, chosen.out)
    page = report(tally)
    sys.stdout.write(page)
    failures = tally.failures()
    for failure in failures:
        sys.stderr.write(f"below the bar: {failure}\n")
    return 1 if failures else 0


def keep(task: Task, folder: Path) -> None:
    """Write the books of a task, and a list of what is true of them, into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    layout = build(task.layout, task.seed)
    stem = f"{layout.name}-{layout.seed}".replace(" ", "_").replace(",", "")
    lines = []
    if task.controls:
        books = [("clean", layout.draft), *rewritten(layout, task.rewrites)]
        for (name, draft), values in zip(books, compute([d for _, d in books]), strict=True):
            write(draft, values, folder / f"{stem}--sound--{_file(name)}.xlsx")
    if task.faults and layout.rated:
        for operator, mutant in mutants(layout, [OPERATORS[name] for name in task.operators]):
            path = folder / f"{stem}--fault--{_file(operator.name)}.xlsx"
            write(mutant.draft, _values(mutant), path)
            cells = ", ".join(spell(cell) for cell in sorted(mutant.cells)[:12])
            effect = "not told" if mutant.effect is None else f"{mutant.effect:+.4f}"
            lines.append(f"{path.name}\t{' '.join(mutant.codes)}\t{effect}\t{cells}\n")
    with (folder / "faults.tsv").open("a", encoding="utf-8") as file:
        file.writelines(lines)


def _file(name: str) -> str:
    return "".join(c if c.isalnum() else "_" for c in name)
