"""The idiom of the last match, as the embedded engine computes it: in every row of a long book, in each spelling."""

from __future__ import annotations

import pytest
from books import as_book

from elo_sheets.package import CellError, Value
from elo_sheets.recognise.repair import compute
from elo_sheets.recognise.spelling import last_match

ROWS, NAMES = 260, 7  # rows in which 1/(1/row), rounded down, is not the row are among them: 93, 99, 105
SPELLINGS = {
    "one condition": "LOOKUP(2,1/(A$1:A{above}=A{row}),B$1:B{above})",
    "in parentheses": "LOOKUP(2,1/((A$1:A{above}=A{row})),B$1:B{above})",
    "the other way round": "LOOKUP(2,1/(A{row}=A$1:A{above}),B$1:B{above})",
    "two conditions": 'LOOKUP(2,1/((A$1:A{above}=A{row})*(B$1:B{above}<>"")),B$1:B{above})',
    "the row": "LOOKUP(2,1/(A$1:A{above}=A{row}),ROW(A$1:A{above}))-1",
    "a match": "INDEX(B$1:B{above},MATCH(2,1/(A$1:A{above}=A{row})))",
}


@pytest.mark.parametrize("spelling", SPELLINGS.values(), ids=list(SPELLINGS))
def test_the_last_match_is_the_one_nearest_above(spelling: str) -> None:
    cells: dict[str, Value] = {"A1": "Name", "B1": "Game", "C1": "Last game"}
    for game in range(1, ROWS):
        row = game + 1
        cells |= {f"A{row}": f"Player {game % NAMES}", f"B{row}": game}
        cells[f"C{row}"] = "=" + spelling.format(above=row - 1, row=row)
    _, (values,) = compute([as_book({"Log": cells})], "ironcalc", 60)
    for game in range(1, ROWS):
        found = values["Log"][game + 1, 3]
        if game <= NAMES:
            assert isinstance(found, CellError)
        else:
            assert found == game - NAMES


@pytest.mark.parametrize(
    "formula",
    ["LOOKUP(2,A1:A9,B1:B9)", "VLOOKUP(2,A1:B9,2)", 'MATCH(2,A1:A9,0)&"LOOKUP(2,1/("', "XLOOKUP(2,1/A1:A9,B1)"],
)
def test_other_look_ups_stay_as_they_are(formula: str) -> None:
    assert last_match(formula) == formula
