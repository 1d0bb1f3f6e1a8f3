"""Workbook in, verdict out: read what was typed, replay it, recalculate, compare every formula cell."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from elo_sheets.errors import NotChecked, SystemRefused, UsageError
from elo_sheets.verdict.findings import (
    AGREES,
    DIFFERS,
    ERROR,
    NOTE,
    RULES,
    UNCHECKED,
    WARNING,
    Counted,
    Finding,
    Verdict,
    Worst,
)

if TYPE_CHECKING:
    from elo_sheets.files.cells import Book
    from elo_sheets.systems import Rules, System

TIMEOUT = 600.0  # seconds for one recalculation
TOLERANCE = 1e-9
ITERATED_TOLERANCE = 1e-6  # where the last digit of a number may decide in which round an iteration stops
_ORDER = {ERROR: 0, WARNING: 1, NOTE: 2}


REPOINTED = "ES204"  # a setting that reads another cell


def validate(
    path: str | Path,
    *,
    engine: str = "ironcalc",
    tolerance: float | None = None,
    timeout: float = TIMEOUT,
    roles: Mapping[str, str] | None = None,
    system: str | Rules | None = None,
    template: str | Path | None = None,
    allow: Mapping[str, float] | None = None,
) -> Verdict:
    """Return the verdict on a workbook: ours, typed into since, or anybody's.

    Of a book that elo-sheets made, what was typed is read from the cells and replayed; the plan of the book that would
    hold it says what every formula cell should hold and show; `engine` recalculates the file. Of any other book the
    cells' roles are found by how they behave. `tolerance` is in rating points; None means 1e-9, or
    1e-6 for a rule that iterates until it is done.
    `roles` says which cells of somebody else's book play a role where the guess was wrong, `{"E": "Log!F"}`; ranges
    are separated by commas. `timeout` is in seconds: what one recalculation may take; reading the file takes what its
    size needs.

    `allow` declares rules of the house of somebody else's book, which are no faults then: `{"draw": 0}` says that a
    draw counts nothing. Names are `win`, `draw`, `loss` and `score` (what a result counts), `scale` and `k`.

    `system` is the rule of a book whose rule is not built in: the object, or `FILE.py:NAME` (several after commas).
    `template` is the TOML file of a template that is not built in.

    The status is `unchecked`, never `agrees`, when no engine could be shown to have recalculated the book, when its
    games could not be replayed to the end, or when its rule is not built in and not given, or given and changed since.
    Raises `UnreadableInput` for a file that is no workbook, `UsageError` for an
    unknown engine, a rule of the house for a book of ours, a role that its cells cannot play, or a system that the book
    does not name.
    """
    from elo_sheets.files.ingest import read_any
    from elo_sheets.systems import systems_named
    from elo_sheets.workbook.book import MANIFEST
    from elo_sheets.workbook.templates import template as find_template

    if template is not None:
        find_template(str(template))
    file = str(path)
    book = read_any(Path(path))
    given = systems_named(system)
    if MANIFEST not in book.sheets:
        if given:
            raise UsageError(
                "the workbook was not made by elo-sheets, and its rule is found from its cells: leave out --system"
            )
        return _strangers(file, book, engine, tolerance, timeout, roles, allow)
    _refuse_for_ours(allow, roles)
    return _ours(file, book, engine, tolerance, timeout, given)


def _ours(
    file: str, book: Book, engine: str, tolerance: float | None, timeout: float, given: Sequence[Rules]
) -> Verdict:
    """Return the verdict on a book of ours: what was typed, replayed, beside what every formula cell holds."""
    from elo_sheets.engines.recalculate import recalculate
    from elo_sheets.validate.games import count_games
    from elo_sheets.validate.judge import Judge
    from elo_sheets.validate.moved import read_back, text_today, today
    from elo_sheets.validate.read import read_manifest, refuse_unused, with_own_columns, with_own_names
    from elo_sheets.workbook.fits import view_of
    from elo_sheets.workbook.templates import template as find_template

    layout = name = None
    version = ""
    try:
        manifest = read_manifest(book, given)
        refuse_unused(given, [manifest])
        layout, name = manifest.template, manifest.rules.full_name
        book = with_own_columns(with_own_names(book, find_template(layout)))
        computed = recalculate(book, engine, timeout=timeout)
        version = computed.version
        read, book, values, moved = read_back(book, computed.values, manifest)
        if tolerance is None:
            tolerance = _tolerance(manifest.system)
        judge = Judge(book, read.plan, values, tolerance)
        counted, rows = count_games(judge, read.typed, view_of(layout), read.plan)
        if any(finding.code == REPOINTED for finding in read.findings):
            effect = judge.worst_effect()  # every number follows from the wrong setting: the cause is the finding
            found = [dataclasses.replace(f, effect=effect) if f.code == REPOINTED else f for f in read.findings]
        else:
            found = [*read.findings, *judge.findings(engine, timeout)]
        findings = [*found, *rows]
    except (NotChecked, SystemRefused) as reason:
        used = TOLERANCE if tolerance is None else tolerance
        return Verdict(file, UNCHECKED, engine, version, used, layout, name, reason=str(reason))
    if book.calc.mode == "manual":
        findings.append(Finding("ES501", WARNING, "", RULES["ES501"].meaning, confidence="shape"))
    findings = today(findings, moved)
    findings.sort(key=lambda finding: (_ORDER[finding.severity], -abs(finding.effect)))
    status = DIFFERS if any(finding.severity != NOTE for finding in findings) else AGREES
    worst = judge.worst()
    return Verdict(
        file,
        status,
        engine,
        version,
        tolerance,
        layout,
        name,
        judge.count,
        counted,
        None if worst is None else dataclasses.replace(worst, cell=text_today(worst.cell, moved)),
        tuple(findings),
    )


def _refuse_for_ours(allow: Mapping[str, float] | None, roles: Mapping[str, str] | None) -> None:
    """Raise `UsageError` for what is said of a book whose roles and rule are known."""
    if allow:
        raise UsageError(
            "elo-sheets made this book, and its Start sheet says its rule; --allow is for other books only"
        )
    if roles:
        raise UsageError("elo-sheets made this book and knows its roles; roles can be given for other books only")


def _tolerance(system: System) -> float:
    from elo_sheets.systems import Repeat

    stops = any(isinstance(step, Repeat) and step.done is not None for step in system.closing)
    return ITERATED_TOLERANCE if stops else TOLERANCE


def _strangers(
    file: str,
    book: Book,
    engine: str,
    tolerance: float | None,
    timeout: float,
    roles: Mapping[str, str] | None,
    allow: Mapping[str, float] | None,
) -> Verdict:
    """Return the verdict on a book that elo-sheets did not make."""
    from elo_sheets.recognise import recognise_book

    used = TOLERANCE if tolerance is None else tolerance
    found: list[Finding] = []
    try:
        work = recognise_book(book, engine=engine, tolerance=tolerance, timeout=timeout, roles=roles, allow=allow)
    except (NotChecked, SystemRefused) as reason:
        return Verdict(file, UNCHECKED, engine, tolerance=used, findings=tuple(found), reason=str(reason))
    found += work.findings
    found.sort(key=lambda finding: (_ORDER[finding.severity], -abs(finding.effect)))
    wrong = any(finding.severity != NOTE for finding in found)
    status = DIFFERS if wrong else AGREES if work.reason is None else UNCHECKED
    return Verdict(
        file,
        status,
        engine,
        work.engine_version,
        used,
        work.layout,
        None,
        work.cells_checked,
        Counted(work.listed, work.rated),
        None,
        tuple(found),
        None if status == AGREES else work.reason,
        dict(work.facts),
        work.roles,
    )


__all__ = ["RULES", "Counted", "Finding", "Verdict", "Worst", "validate"]
