"""Stored results that are not what the formulas give: told once, where they come from."""

from __future__ import annotations

import pytest
from books import as_book

from elo_sheets.files.package import Cell, Value
from elo_sheets.recognise.model import Model
from elo_sheets.recognise.repair import compute
from elo_sheets.recognise.stored import stale

NAMES, RATINGS = ("Cy", "Ada", "Di", "Bo"), (1610.0, 1480.0, 1535.0, 1390.0)


def told(look_up: str, names: tuple[str, ...] = NAMES) -> list[tuple[str, str, str | None]]:
    """What is told of look-ups and what follows from them, where another program stored the rating of each name."""
    cells: dict[str, Value] = {}
    for row, (name, rating) in enumerate(zip(names, RATINGS, strict=True), 1):
        cells |= {f"A{row}": name, f"B{row}": rating}
        cells |= {f"D{row}": name, f"E{row}": f"={look_up.format(r=row)}", f"F{row}": f"=E{row}+20"}
    book = as_book({"List": cells})
    _, (values,) = compute([book], "ironcalc", 60)
    sheet = book.sheets["List"]
    for row, rating in enumerate(RATINGS, 1):
        for column, stored in ((5, rating + 1 if look_up.endswith("+0") else rating), (6, rating + 20)):
            sheet[row, column] = Cell(sheet[row, column].formula, stored)
    return [(one.code, one.range, one.fix) for one in stale(Model(book, values), values, [])]


@pytest.mark.parametrize(
    ("look_up", "fix"),
    [
        ("VLOOKUP(D{r},$A$1:$B$4,2)", "=VLOOKUP(D1,$A$1:$B$4,2,FALSE)"),
        ("VLOOKUP(D{r},$A$1:$B$4,2,TRUE)", "=VLOOKUP(D1,$A$1:$B$4,2,FALSE)"),
        ("INDEX($B$1:$B$4,MATCH(D{r},$A$1:$A$4))", "=INDEX($B$1:$B$4,MATCH(D1,$A$1:$A$4,0))"),
    ],
)
def test_a_look_up_that_halves_unsorted_names_is_told_and_not_what_follows(look_up: str, fix: str) -> None:
    found = told(look_up)
    assert found
    for code, place, mended in found:
        assert (code, place[:6], mended) == ("ES123", "List!E", fix.replace("D1", f"D{place[6]}"))


def test_a_book_that_was_not_recalculated_is_told_as_one() -> None:
    found = told("VLOOKUP(D{r},$A$1:$B$4,2,FALSE)+0")
    assert found == [("ES301", "List!E1:E4", None)]
    assert told("VLOOKUP(D{r},$A$1:$B$4,2)", tuple(sorted(NAMES))) == []
