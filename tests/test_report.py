"""What a person reads: the book, its rule, the worst first, and no more notes than one line for each kind."""

from __future__ import annotations

import dataclasses
import json

import pytest

from elo_sheets.verdict.findings import DIFFERS, UNCHECKED, Counted, Finding, Role, Verdict, Worst
from elo_sheets.verdict.report import as_record, as_text

FAULT = Finding(
    "ES101",
    "error",
    "Log!F5:F9",
    "the two ratings are swapped",
    0.64,
    0.36,
    -8.9642,
    fix="=1/(1+10^((C5-B5)/400))",
    reaches=("Log!G5:G90", "Ranking!B2", "Ranking!B3", "Ranking!B4", "Ranking!B5", "Ranking!B6"),
)
SHAPE = Finding("ES506", "warning", "Log!H2", "TODAY stands in it", confidence="shape")
NOTES = tuple(Finding("ES509", "note", f"Log!F{row}", "shows #N/A", confidence="shape") for row in range(90, 99))
BOOK = Verdict(
    "foosball.xlsx",
    DIFFERS,
    "ironcalc",
    "0.9.1",
    1e-9,
    "log",
    None,
    cells_checked=170,
    games=Counted(85, 84),
    worst=Worst("Log!G40", 1511.52, 1502.556),
    findings=(FAULT, SHAPE, *NOTES),
    facts={"scale": 400.0, "k": 32, "curve": "logistic", "cap": None, "values": [1, 0.5, 0], "zero_sum": True},
    roles=(Role("E", "Log!F5:F90", "sums to one", "proven"), Role("RANK", "Ranking!A2:A9", "", "header")),
)


def test_the_text_of_a_book_with_findings() -> None:
    assert as_text(BOOK) == (
        "foosball.xlsx: differs\n"
        "  log; recalculated by ironcalc 0.9.1\n"
        "  170 formula cells compared, tolerance 1e-09 points\n"
        "  games: 85 listed, 84 rated, 1 never rated\n"
        "  largest difference: Log!G40, 1502.56 instead of 1511.52\n"
        "  its rule: scale 400; K 32; expected scores by a logistic curve; values 1/0.5/0; zero sum yes\n"
        "error ES101 swapped-difference Log!F5:F9: the two ratings are swapped\n"
        "    0.36 instead of 0.64\n"
        "    effect -8.964 rating points, reaches Log!G5:G90, Ranking!B2, Ranking!B3, Ranking!B4 and 2 more; "
        "proven by recalculation\n"
        "    should be =1/(1+10^((C5-B5)/400))\n"
        "warning ES506 volatile Log!H2: TODAY stands in it\n"
        "    told by what stands there, not computed\n"
        "note ES509 error-cells Log!F90, Log!F91, Log!F92, Log!F93 and 5 more: shows #N/A (and 8 more of this kind)"
    )


def test_roles_are_printed_when_asked_for() -> None:
    lines = as_text(BOOK, roles=True).splitlines()
    at = lines.index("  roles:")
    assert lines[at + 1 : at + 3] == [
        "    E     Log!F5:F90     proven: sums to one",
        "    RANK  Ranking!A2:A9  header",
    ]
    assert "  roles: none found" in as_text(dataclasses.replace(BOOK, roles=()), roles=True)


def test_numbers_that_the_message_says_are_not_said_twice() -> None:
    said = dataclasses.replace(FAULT, message="swapped; 0.36 instead of 0.64")
    assert as_text(dataclasses.replace(BOOK, findings=(said,))).count("instead of 0.64") == 1


def test_what_was_checked_in_part_says_what_is_missing() -> None:
    text = as_text(dataclasses.replace(BOOK, reason="the games could not be rebuilt", version=""))
    assert text.splitlines()[1:3] == [
        "  log; recalculated by ironcalc",
        "  not checked to the end: the games could not be rebuilt",
    ]


def test_what_was_left_out_is_counted() -> None:
    assert "  left out as asked: 1 finding\n" in as_text(dataclasses.replace(BOOK, left_out=1))
    assert "  left out as asked: 3 findings\n" in as_text(dataclasses.replace(BOOK, left_out=3))


def test_an_unchecked_book_says_why_and_what_was_seen() -> None:
    unchecked = Verdict("b.xlsx", UNCHECKED, "ironcalc", reason="no formulas here")
    assert as_text(unchecked) == "b.xlsx: not checked: no formulas here"
    seen = dataclasses.replace(unchecked, layout="values-only", findings=(NOTES[0],), facts={"sheets": 2})
    assert as_text(seen).splitlines() == [
        "b.xlsx: not checked: no formulas here",
        "  values-only",
        "  its rule: sheets 2",
        "note ES509 error-cells Log!F90: shows #N/A",
    ]


def test_only_the_first_findings_are_printed() -> None:
    many = dataclasses.replace(BOOK, findings=(FAULT,) * 60 + NOTES)
    text = as_text(many)
    assert text.count("error ES101") == 50
    assert "… and 10 more: --json lists all" in text
    assert text.count("note ES509") == 1


def test_colours_mark_the_severity_and_nothing_else() -> None:
    coloured = as_text(BOOK, colour=True)
    assert "\x1b[31;1merror ES101\x1b[0m swapped-difference" in coloured
    assert "\x1b" not in as_text(BOOK)
    for code in ("\x1b[31;1m", "\x1b[33;1m", "\x1b[36;1m", "\x1b[0m"):
        coloured = coloured.replace(code, "")
    assert coloured == as_text(BOOK)


@pytest.mark.parametrize(
    ("fact", "held"),
    [
        (1.5, 1.5),
        (float("inf"), "inf"),
        (None, None),
        ({"a": (1, 2)}, {"a": [1, 2]}),
        (Counted(), "Counted(listed=0, rated=0)"),
    ],
)
def test_facts_of_any_kind_become_json(fact: object, held: object) -> None:
    record = as_record(dataclasses.replace(BOOK, facts={"fact": fact}))
    assert record["facts"] == {"fact": held}
    json.dumps(record, allow_nan=False)


def test_the_record_has_roles_and_what_is_reached() -> None:
    record = as_record(BOOK)
    assert record["roles"][0] == {"role": "E", "range": "Log!F5:F90", "how": "sums to one", "confidence": "proven"}
    assert record["findings"][0]["reaches"][0] == "Log!G5:G90"
    assert record["left_out"] == 0
