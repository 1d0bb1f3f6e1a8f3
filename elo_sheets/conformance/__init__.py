"""The published answers that ship with the package, and whether it gives them.

`answers.json` holds inputs, expected numbers, tolerance and source of each; none comes from our own code. The modules
beside it say, for each family of systems, what of the package an answer is asked of. A rule is read in several ways:
its steps on floats and on arrays, as the source that the replay runs, plain or compiled, and as formulas that a
spreadsheet engine recalculates.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from elo_sheets.conformance.published import MAKERS, answers, system_of
from elo_sheets.errors import UsageError
from elo_sheets.replaying.cases import Answer, Case, Columns, Value, columns_of
from elo_sheets.replaying.readings import READ, READINGS, Computed

# The reading of the page of calculators: JavaScript in a browser.
PAGE = "page"


@dataclass(frozen=True)
class Result:
    """One number: what was published, what came out, and whether they agree."""

    answer: str
    system: str
    mode: str
    what: str
    expected: float | None
    got: float | None
    tolerance: float
    source: str

    @property
    def passed(self) -> bool:
        """Whether the number came out within its tolerance; no value must be no value."""
        if self.expected is None or self.got is None:
            return self.expected is self.got
        return abs(self.got - self.expected) <= self.tolerance


def cases_of(answer: Answer) -> Sequence[Case]:
    """Return what the package is asked for by an answer."""
    from elo_sheets.conformance import aga, elo, fide, football, glicko, labelle, national, pool, uschess  # noqa: F401

    beginning = max((start for start in MAKERS if answer["id"].startswith(start)), key=len)
    made = MAKERS[beginning](answer["inputs"], answer["expected"])
    return [replace(case, answer=answer["id"], tolerance=answer["tolerance"]) for case in made]


def chosen_answers(systems: Sequence[str] = ()) -> list[Answer]:
    """Return the answers of the systems, or all; raises `UsageError` for a system without one."""
    every = list(answers().values())
    names = list(dict.fromkeys(map(system_of, every)))
    for name in systems:
        if name not in names:
            raise UsageError(f"expected a system with published answers ({', '.join(names)}), got {name!r}")
    return [answer for answer in every if not systems or system_of(answer) in systems]


def conform(systems: Sequence[str] = (), by: str = "floats") -> list[Result]:
    """Return every published number of the systems (all by default) beside what comes out.

    `by` is the reading: floats, arrays, source, compiled (numba), page (JavaScript in headless Chromium), or an engine
    (ironcalc, formualizer, libreoffice) that recalculates the formulas. What is no step of a rule, such as a fit or a
    solver, is called as it is in every reading, but by the page where it has one of its own. Raises `UsageError` for an
    unknown system or reading, `NotChecked` when an engine or the browser is missing.
    """
    from elo_sheets.engines.recalculate import ENGINES

    if by not in (*READINGS, PAGE, *ENGINES):
        raise UsageError(f"expected a reading ({', '.join((*READINGS, PAGE, *ENGINES))}), got {by!r}")
    asked = [(answer, case) for answer in chosen_answers(systems) for case in cases_of(answer)]
    computed = [columns_of(case) for _, case in asked if not isinstance(case, Value)]
    calls = [case.page for _, case in asked if isinstance(case, Value) and case.page is not None]
    rows, called = _read(computed, by, calls)
    values, answered = iter(rows), iter(called)
    results = []
    for answer, case in asked:
        if isinstance(case, Value):
            number = _number(next(answered)) if by == PAGE and case.page is not None else case.compute()
            found = {case.what: (case.expected, number)}
        else:
            got = next(values)
            expected = columns_of(case).expected
            found = {name: (number, _number(got.get(name))) for name, number in expected.items()}
        for what, (wanted, number) in found.items():
            results.append(
                Result(
                    answer["id"],
                    system_of(answer),
                    answer["mode"],
                    what,
                    wanted,
                    number,
                    case.tolerance,
                    answer["source"],
                )
            )
    return results


def _read(rows: Sequence[Columns], by: str, calls: Sequence[str]) -> tuple[Computed, Sequence[Any]]:
    """Return the columns of the rows, and by the page what calls of its functions give."""
    if by == PAGE:
        from elo_sheets.page.browser import by_page

        return by_page(rows, calls)
    return (READ[by](rows) if by in READ else by_engine(rows, by)), ()


def _number(value: Any) -> float | None:
    """Return what came out as a number: none for an error of a spreadsheet or nothing, nan for an error of the page."""
    if isinstance(value, dict):
        return math.nan
    return None if value is None or isinstance(value, str) else float(value)


def by_engine(rows: Sequence[Columns], engine: str) -> Computed:
    from elo_sheets.conformance._sheet import plan_rows
    from elo_sheets.engines.recalculate import recalculate
    from elo_sheets.files.save import private_folder
    from elo_sheets.workbook.write import write_book

    plan, places = plan_rows([("Answers", rows)])
    with private_folder() as folder:
        path = Path(folder) / "answers.xlsx"
        write_book(plan, path)
        values = recalculate(path, engine, timeout=600).values["Answers"]
    return [{name: values[place] for name, place in row.items() if place in values} for row in places]


def write_proof(systems: Sequence[str], target: str | Path, *, overwrite: bool = False) -> int:
    """Write a workbook in which every published answer of the systems is computed by live formulas.

    A sheet for each system shows, answer by answer, what is given, each step as a formula with its value, the
    published number, the tolerance and a verdict cell. Returns how many answers it holds; those of fits and solvers
    have no formulas and are left out. Raises `OutputRefused` as every writer does.
    """
    from elo_sheets.conformance._sheet import plan_rows
    from elo_sheets.workbook.write import write_book

    sheets: dict[str, list[Columns]] = {}
    for answer in chosen_answers(systems):
        rows = [columns_of(case) for case in cases_of(answer) if not isinstance(case, Value)]
        if rows:
            sheets.setdefault(system_of(answer), []).extend(rows)
    if not sheets:
        raise UsageError(f"no published answer of {', '.join(systems)} is computed by formulas")
    plan, _ = plan_rows(list(sheets.items()))
    write_book(plan, Path(target), overwrite=overwrite)
    return len({row.answer for rows in sheets.values() for row in rows})
