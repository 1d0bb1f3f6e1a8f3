"""Layouts that clubs build: they agree when sound, and what is wrong in them is told in its own cell."""

from __future__ import annotations

from pathlib import Path

import pytest
from built import SOUND, by_hand, capped_sheet, change_sheet, ladder, log, rounds_beside

from elo_sheets.engines.recalculate import recalculate_many
from elo_sheets.validate import validate
from elo_sheets.verdict.findings import NOTE, areas_of

FLIPPED = ("F{r}-E{r}", "E{r}-F{r}")
LADDER, CHANGES, ROUNDS, LINKED = ladder(), ladder(change=True), rounds_beside(), by_hand()
FRIENDLY, FIRST, ONE, TWO = log((3, 8, 9)), log((0, 15), seed=9), log(step="one"), log(step="two")
SHEET, NO_NEW, CAPPED = change_sheet(), change_sheet(new=False), capped_sheet()
LINES = "H,I,J,K,L"
WRONG = {
    "a change the other way": (SHEET, {"Event!F7": "=$B$2*(D7+E7)"}),
    "a K of one round": (SHEET, {"Event!F8": "=10*(D8-E8)"}),
    "a sum that ends early": (SHEET, {"Event!F12": "=SUM(F5:F10)"}),
    "an expectation typed": (SHEET, {"Event!E9": 0.9}),
    "the change taken off": (SHEET, {"Event!F13": "=ROUND(B1-F12,0)"}),
    "a change typed": (NO_NEW, {"Event!F7": 3}),
    "all changes the other way": (NO_NEW, NO_NEW.changed("Event", "F", "(D{r}-E{r})", "(E{r}-D{r})")),
    "the opponent of another round": (NO_NEW, NO_NEW.changed("Event", "E", "C8", "C9", range(8, 9))),
    "all differences the other way": (CAPPED, CAPPED.changed("Event", "C", "$B$2-B{r}", "B{r}-$B$2")),
    "differences within 40": (CAPPED, CAPPED.changed("Event", "C", "400", "40")),
    "a round the other way": (ROUNDS, ROUNDS.changed("Rounds", "J", "(H{r}-I{r})", "(I{r}-H{r})")),
    "the ratings of the round before": (ROUNDS, ROUNDS.changed("Rounds", "M", "J$4:J$9", "F$4:F$9")),
    "a round that goes on from another": (ROUNDS, ROUNDS.changed("Rounds", "N", "=J{r}", "=F{r}")),
    "another K for a round": (ROUNDS, ROUNDS.changed("Rounds", "J", "$B$1", "200")),
    "the row of another player": (ROUNDS, {"Rounds!J6": "=F7+$B$1*(H6-I6)"}),
    "the expectations of the other side": (LADDER, LADDER.changed("Log", "F", "E{r}-D{r}", "D{r}-E{r}")),
    "a rating of the row above": (LADDER, {"Log!F9": "=1/(1+10^((E9-D8)/400))"}),
    "one player's column": (LADDER, LADDER.changed("Log", "J", "$B$1*", "2*$B$1*")),
    "a rating typed over": (LADDER, {"Log!J12": 1500}),
    "the points of both are the first one's": (LADDER, LADDER.changed("Log", LINES, "(1-$C{r})", "$C{r}")),
    "a K that nothing reads": (CHANGES, CHANGES.changed("Log", "G", "$B$1", "32")),
    "both gain": (CHANGES, CHANGES.changed("Log", LINES, "-$G", "$G")),
    "a friendly that counts": (FRIENDLY, {"Games!I6": "=32*(C6-G6)"}),
    "a K with a nought too many": (FRIENDLY, {"Games!D9": 320}),
    "away teams that gain by losing": (FRIENDLY, FRIENDLY.changed("Games", "K", "-I", "+I")),
    "expectations beside friendlies": (FIRST, FIRST.changed("Games", "G", *FLIPPED)),
    "K times the other side's expectation": (ONE, ONE.changed("Games", "H", *FLIPPED)),
    "K times one expectation": (ONE, {"Games!H9": "=20/(1+10^((F9-E9)/400))"}),
    "another K of the points": (ONE, ONE.changed("Games", "I", "$B$1", "20")),
    "the expectation added": (ONE, ONE.changed("Games", "I", "-H", "+H")),
    "points without a K": (TWO, TWO.changed("Games", "I", "$B$1*", "")),
    "half of K for the expectation": (TWO, TWO.changed("Games", "H", "$B$1", "16")),
    "the expectation of the row above": (TWO, {"Games!H9": "=$B$1*G8"}),
    "the cell above the right one": (LINKED, {"Log!D11": "=G6"}),
    "the start once more": (LINKED, {"Log!E12": "=$N$3"}),
    "a list that shows an old rating": (LINKED, {"Log!O4": "=G3"}),
}


@pytest.mark.parametrize("name", SOUND)
def test_a_sound_book_shows_its_own_numbers_and_agrees(tmp_path: Path, name: str) -> None:
    book = SOUND[name]()
    path = book.save(tmp_path / "sound.xlsx")
    values = recalculate_many([path])[0].values
    for (sheet, cell), number in book.truth.items():
        row, column = place(cell)
        assert values[sheet][row, column] == pytest.approx(number, abs=1e-6), (sheet, cell)
    verdict = validate(path)
    assert (verdict.status, [one for one in verdict.findings if one.severity != NOTE]) == ("agrees", [])


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_told_in_its_own_cell(tmp_path: Path, name: str) -> None:
    book, changes = WRONG[name]
    verdict = validate(book.save(tmp_path / "wrong.xlsx", dict(changes)))
    told = {
        (sheet, row, column)
        for one in verdict.findings
        if one.severity != NOTE
        for sheet, top, left, bottom, right in areas_of(one.range, {sheet for sheet, _ in book.cells})
        for row in range(top, bottom + 1)
        for column in range(left, right + 1)
    }
    wrong = {(sheet, *place(cell)) for sheet, _, cell in (one.partition("!") for one in changes)}
    assert verdict.status == "differs"
    assert len(wrong & told) >= 0.8 * len(wrong), verdict.findings


def place(cell: str) -> tuple[int, int]:
    """Row and column of a cell such as B3."""
    return int(cell.lstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ")), "ABCDEFGHIJKLMNOPQRSTUVWXYZ".index(cell[0]) + 1
