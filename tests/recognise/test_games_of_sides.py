"""Doubles and games of many that clubs rate in a sheet: sound ones agree, a wrong formula comes with the right one."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest
import sided_books
from books import Sheets, loud, write
from openpyxl import Workbook

from elo_sheets.files.package import column_letters
from elo_sheets.recognise.many.rule import ALL_EXPECTATIONS
from elo_sheets.validate import validate

BOOKS: list[tuple[Callable[[], Sheets], int]] = [
    (sided_books.padel, 14),
    (sided_books.straight, 14),
    (sided_books.own_k, 14),
    (sided_books.two_rows, 10),
    (sided_books.in_sets, 24),
    (sided_books.strengths, 6),
    (sided_books.foosball, 12),
    (sided_books.in_a_row, 10),
    (sided_books.winner_takes, 10),
]


@pytest.mark.parametrize(("book", "games"), BOOKS)
def test_a_sound_book_agrees(book: Callable[[], Sheets], games: int, tmp_path: Path) -> None:
    verdict = validate(write(book(), tmp_path / "sound.xlsx"))
    assert loud(verdict) == []
    assert (verdict.status, verdict.games.rated) == ("agrees", games)


@pytest.mark.parametrize(
    ("book", "cells", "old", "new", "code"),
    [
        (sided_books.padel, [f"O{row}" for row in range(4, 18)], ',1,0)', ',0,1)', "ES127"),
        (sided_books.own_k, [f"M{row}" for row in range(4, 18)], "MATCH(B", "MATCH(A", "ES106"),
        (sided_books.own_k, [f"O{row}" for row in range(4, 18)], "*(1-", "*0*(1-", "ES126"),
        (sided_books.two_rows, ["I11"], "D11>D10", "D11>D12", "ES106"),
        (sided_books.two_rows, [f"G{row}" for row in range(12, 24)], "AVERAGE", "MAX", "ES129"),
        (sided_books.foosball, ["T13"], "=H13+P13", "=H13-P13", "ES103"),
        (sided_books.in_a_row, [f"O{row}" for row in range(8, 14)], "*(1-", "*(2-", "ES108"),
        (sided_books.winner_takes, ["E9"], "$G$3:$I8", "$G$3:$I7", "ES125"),
    ],
)  # fmt: skip
def test_a_wrong_formula_is_named_with_the_right_one(
    book: Callable[[], Sheets], cells: list[str], old: str, new: str, code: str, tmp_path: Path
) -> None:
    sheets = book()
    ((name, own),) = sheets.items()
    right = str(own[cells[0]])
    assert old in right
    own |= {cell: str(own[cell]).replace(old, new) for cell in cells}
    found = {f.range: (f.code, f.fix) for f in validate(write(sheets, tmp_path / "wrong.xlsx")).findings}
    where = cells[0] if len(cells) == 1 else f"{cells[0]}:{cells[-1]}"
    assert found[f"{name}!{where}"] == (code, right)


def test_a_side_that_is_rated_otherwise_than_the_other_is_told(tmp_path: Path) -> None:
    verdict = validate(write(sided_books.strongest(), tmp_path / "wrong.xlsx"))
    found = [(f.code, f.range, f.fix) for f in verdict.findings if f.severity == "error"]
    assert found == [("ES108", "Foosball!L4:L15", "=AVERAGE(I4:J4)")]
    assert "rated as its strongest player, the other as the mean" in verdict.findings[0].message


@pytest.mark.parametrize("name", ALL_EXPECTATIONS)
def test_an_expectation_is_a_number_however_far_wrong_ratings_lie(name: str) -> None:
    ratings = [1e9, 1500.0, -1e9, 1400.0]
    assert all(0 <= share <= 3 for share in ALL_EXPECTATIONS[name](ratings, 0.4))


def test_where_the_chances_follow_no_known_rule_the_scores_are_not_judged_by_one(tmp_path: Path) -> None:
    """Scores and chances are shares of the others here, where K is not divided: another rule than the known ones."""
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    sheet["A1"], sheet["B1"], sheet["C1"], sheet["D1"] = "K", 40, "start", 1000
    seats = 6
    labels = ["Day", "Players", *(f"Place {at}" for at in range(1, seats + 1))]
    for head in ("R", "S", "E", "D"):
        labels += [f"{head}{at}" for at in range(1, seats + 1)]
    for at, label in enumerate(labels, 1):
        sheet.cell(3, at, label)
    names, dice = [f"Player {at}" for at in range(1, 9)], random.Random(3)
    for row in range(4, 16):
        sheet.cell(row, 1, row)
        for at, name in enumerate(dice.sample(names, dice.choice((4, 5, 6)))):
            sheet.cell(row, 3 + at, name)
        sheet.cell(row, 2, f"=COUNTA(C{row}:H{row})")
        for at in range(seats):
            name, own, score, chance = (f"{column_letters(3 + at + by * seats)}{row}" for by in range(4))
            above = f"SUMPRODUCT(($C$4:$H{row - 1}={name})*$AA$4:$AF{row - 1})"
            sheet[own] = f'=IF({name}="","",$D$1+{above})' if row > 4 else f'=IF({name}="","",$D$1)'
            sheet[score] = f'=IF({name}="","",($B{row}-{at + 1})/($B{row}-1))'
            others = (f"{column_letters(3 + seats + one)}{row}" for one in range(seats))
            met = "+".join(f'IF({one}="",0,1/(1+10^((N({one})-{own})/400)))' for one in others)
            sheet[chance] = f'=IF({name}="","",({met}-0.5)/($B{row}-1))'
            sheet[f"{column_letters(3 + at + 4 * seats)}{row}"] = f'=IF({name}="",0,$B$1*({score}-{chance}))'
    book.save(path := tmp_path / "shares.xlsx")
    verdict = validate(path)
    assert verdict.status != "differs", verdict.findings
