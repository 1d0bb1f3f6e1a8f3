"""Results typed in every spelling that the readers understand: each counts the same in every book, or is named."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from elo_sheets.engines.recalculate import recalculate
from elo_sheets.readers._results import LETTERS, WORDS, chess_outcome, spellings
from elo_sheets.systems import system
from elo_sheets.validate import validate
from elo_sheets.validate.judge import same
from elo_sheets.workbook.book import Book
from elo_sheets.workbook.build import blank_book, plan_book
from elo_sheets.workbook.plan import Plan
from elo_sheets.workbook.write import write_book

UNRATED = ("no result: ", "not played", "to play")
ENGINES = ["ironcalc", pytest.param("libreoffice", marks=pytest.mark.libreoffice)]
# What is typed, and White's or the player's own points; None for what is no result.
TYPED: tuple[tuple[Any, float | None], ...] = (
    *((text, 1.0) for text in ("1-0", "1:0", "1–0", "1 - 0", "W", "w", "win", "Win")),
    *((text, 0.5) for text in ("½", "½-½", "1/2-1/2", "0,5-0,5", "=", "d", "draw", "Remis", "x", "tie")),
    *((text, 0.0) for text in ("0-1", "0:1", "0−1", " 0-1 ", "L", "LOSS", "lost")),
    *((text, None) for text in ("+/-", "*", "3-1", "bye", "a", "wni", 45292.0, "0-0", "1-?", "*-*", "~")),
    *((text, None) for text in ("postponed", "W.O.", "Walkover", "cancelled", "verschoben", "spielfrei")),
)
NUMBERS: tuple[tuple[Any, float | None], ...] = (
    (1.0, 1.0),
    ("1", 1.0),
    (0.5, 0.5),
    ("0,5", 0.5),
    (0.0, 0.0),
    ("0", 0.0),
)
# Templates, with the tables of their people and games.
BOOKS = {
    "league": ("elo", "Players", "Player", "Games"),
    "season": ("elo", "Teams", "Team", "Fixtures"),
    "compare": ("elo", "Players", "Player", "Games"),
    "ratings-list": ("elo", "Players", "Player", "Games"),
    "journal": ("elo", "", "", "Log"),
}


def book_of(template: str, results: Sequence[Any]) -> Book:
    """A new book with a game for each result, all of the same two."""
    name, people, label, games = BOOKS[template]
    book = blank_book(template, system(name), {}, len(results) + 2)
    tables: dict[str, Any] = {key: {c: list(v) for c, v in table.items()} for key, table in book.inputs.tables.items()}
    if people:
        tables[people][label][:2] = ["Player 1", "Player 2"]
    said = {"White": "Player 1", "Black": "Player 2", "Home": "Player 1", "Away": "Player 2"}
    said |= {"Opponent": "Player 2"}
    for row, result in enumerate(results):
        cells = {**said, "Opponent rating": 1500.0, "Result": result, "Date": 45000.0 + row}
        for column in cells.keys() & tables[games].keys():
            tables[games][column][row] = cells[column]
    return dataclasses.replace(book, inputs=dataclasses.replace(book.inputs, tables=tables))


def column(plan: Plan, table: str, label: str) -> list[Any]:
    columns = (c for sheet in plan.sheets for t in sheet.tables if t.name == table for c in t.columns)
    return list(next(c.fill.values for c in columns if c.label == label))


def differing(plan: Plan, path: Path, engine: str) -> list[tuple[Any, ...]]:
    """The cells of the written book that the engine computes otherwise than planned."""
    write_book(plan, path)
    values = recalculate(path, engine, timeout=600).values
    found = ((cell, values[cell.sheet].get((cell.row, cell.column))) for cell in plan.formulas())
    return [(c.sheet, c.row, c.label, c.value, got) for c, got in found if not same(c.value, got, 1e-9)]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("template", BOOKS)
def test_a_typed_result_counts_as_the_readers_read_it_or_is_named(template: str, engine: str, tmp_path: Path) -> None:
    typed = TYPED + (NUMBERS if template != "season" else tuple((text, None) for text, _ in NUMBERS))
    plan = plan_book(book_of(template, [text for text, _ in typed]))
    assert differing(plan, tmp_path / "typed.xlsx", engine) == []
    status = column(plan, BOOKS[template][3], "Status")[: len(typed)]
    scores = column(plan, "Ledger", "Score")[:: 1 if template == "journal" else 2][: len(typed)]
    assert [None if score == "" else score for score in scores] == [score for _, score in typed]
    for (text, score), said in zip(typed, status, strict=True):
        assert said == "rated" if score is not None else said.startswith(UNRATED), (text, said)
    words = {"write": "write Win" if template == "journal" else "write 1-0"}
    assert {
        text: said for (text, _), said in zip(typed, status, strict=True) if text in ("+/-", "*", "bye", "wni")
    } == {
        "+/-": "not played: forfeit",
        "*": "to play" if template == "season" else "not played",
        "bye": "not played: bye",
        "wni": f"no result: {words['write']}",
    }


# An event knows games that were won without being played, and byes.
OF_EVENTS = (
    ("+/-", "forfeit"),
    ("-/+", "forfeit"),
    ("1 bye", "bye with opponent"),
    ("½", "rated"),
    ("wni", "no result: write 1-0"),
)


@pytest.mark.parametrize("engine", ENGINES)
def test_an_event_reads_its_games_and_what_is_pasted_alike(engine: str, tmp_path: Path) -> None:
    results = [text for text, _ in (*TYPED, *NUMBERS) if text not in {"+/-", "a"}]
    scores = [score for text, score in (*TYPED, *NUMBERS) if text not in {"+/-", "a"}]
    book = blank_book("event", system("fide"), {}, len(results) + len(OF_EVENTS))
    tables: dict[str, Any] = {key: {c: list(v) for c, v in table.items()} for key, table in book.inputs.tables.items()}
    tables["Players"]["Name"][:2], tables["Players"]["Rating"][:2] = ["Player 1", "Player 2"], [1900.0, 2000.0]
    for row, text in enumerate([*results, *(text for text, _ in OF_EVENTS)]):
        game = {"Round": row + 1.0, "White": "Player 1", "Black": "Player 2", "Result": text}
        for label, value in game.items():
            tables["Games"][label][row] = value
    pasted = min(len(results), len(tables["Paste"]["Result"]))
    tables["Paste"]["Opponent"][:pasted], tables["Paste"]["Result"][:pasted] = [1800.0] * pasted, results[:pasted]
    cells = {**book.inputs.cells, "paste_rating": 1900.0}
    plan = plan_book(dataclasses.replace(book, inputs=dataclasses.replace(book.inputs, tables=tables, cells=cells)))
    assert differing(plan, tmp_path / "typed.xlsx", engine) == []
    status = column(plan, "Games", "Status")
    assert [said == "rated" for said in status[: len(results)]] == [score is not None for score in scores]
    assert status[len(results) : len(results) + len(OF_EVENTS)] == [said for _, said in OF_EVENTS]
    white = column(plan, "Ledger", "Score")[::2][: len(results)]
    assert [None if score == "" else score for score in white] == scores
    assert [None if s == "" else s for s in column(plan, "Paste", "Score")[:pasted]] == scores[:pasted]


def test_the_validation_names_what_is_not_understood_and_nothing_else(tmp_path: Path) -> None:
    write_book(plan_book(book_of("league", ["1:0", "W", "½", "wni", "+/-"])), tmp_path / "typed.xlsx")
    verdict = validate(tmp_path / "typed.xlsx")
    assert [(finding.code, finding.range) for finding in verdict.findings] == [
        ("ES408", "Games!E8"),
    ]
    assert (verdict.games.listed, verdict.games.rated) == (4, 3)


def test_an_empty_result_is_no_result_and_blanks_are_nothing(tmp_path: Path) -> None:
    plan = plan_book(book_of("league", [None, "", "  "]))
    assert column(plan, "Games", "Status")[:3] == ["no result"] * 3
    assert differing(plan, tmp_path / "typed.xlsx", "ironcalc") == []


def test_the_table_of_spellings_is_the_readers() -> None:
    table = spellings()
    assert {text: table[text] for text in WORDS} == {text: chess_outcome(text) for text in WORDS}
    assert set(table) & LETTERS >= {"w", "d", "l", "x", "1", "0", "0.5"}
    # One letter with two meanings has none of its own: A is "away", or the first of A and B.
    assert not {"a", "n"} & set(table)


@pytest.mark.parametrize("template", BOOKS)
def test_the_drop_down_refuses_no_spelling(template: str) -> None:
    plan = plan_book(book_of(template, []))
    rules = [
        c.validation for s in plan.sheets for t in s.tables for c in t.columns if c.label == "Result" and c.is_input
    ]
    assert len(rules) == 1
    assert rules[0] is not None
    assert (len(rules[0].items), rules[0].open) == (3, True)
