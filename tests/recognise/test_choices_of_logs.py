"""Ordinary logs as a product of choices that have nothing to do with each other: each agrees, and one slip is told.

Where a rating before comes from, where the expectation stands, how the result is written, what is booked, whose K.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from judged import first_sheet, told
from openpyxl import Workbook
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.worksheet import Worksheet

PLAYERS = [f"Player {number}" for number in range(1, 9)]
GAMES, START, LISTED = 40, 1200, "$W$2:$X$9"
HEADINGS = ("White", "Black", "R W", "R B", "E W", "E B", "+/- W", "+/- B", "New W", "New B", "K W", "K B")
WHITE, BLACK = "ACEGIK", "BDFHJL"  # columns: name, rating before, expectation, change, rating after, K


@dataclass(frozen=True)
class Choices:
    """What the owner of a log has chosen."""

    before: str = "sums"  # sums, columns, links, list
    expected: str = "both"  # both, one, inline
    result: str = "score"  # score, two, text, goals, winner
    booked: str = "changes"  # changes, both, after (the change is the rating after less the one before)
    k: str = "24"  # 24, row, player, games
    digits: int | None = None


def _games() -> Iterator[tuple[str, str, float]]:
    chance = random.Random(11)
    for _ in range(GAMES):
        one, two = chance.sample(PLAYERS, 2)
        yield one, two, chance.choice((1, 0, 0.5, 1))


def _scores(sheet: Worksheet, row: int, choices: Choices, game: tuple[str, str, float]) -> tuple[str, str]:
    """Write the result of a game to M and N; what each side scores, as formulas."""
    one, two, score = game
    m, n = f"M{row}", f"N{row}"
    if choices.result == "two":
        sheet[m], sheet[n] = score, 1 - score
        return m, n
    if choices.result == "goals":
        sheet[m], sheet[n] = {1: (3, 1), 0.5: (2, 2), 0: (0, 2)}[score]
        return f"IF({m}>{n},1,IF({m}={n},0.5,0))", f"IF({n}>{m},1,IF({m}={n},0.5,0))"
    words = {"score": score, "text": {1: "1-0", 0.5: "½-½", 0: "0-1"}[score],
             "winner": {1: one, 0.5: "draw", 0: two}[score]}  # fmt: skip
    sheet[m] = words[choices.result]
    if choices.result == "score":
        return m, f"(1-{m})"
    won = (f"A{row}", f"B{row}") if choices.result == "winner" else ('"1-0"', '"0-1"')
    return f"IF({m}={won[0]},1,IF({m}={won[1]},0,0.5))", f"IF({m}={won[1]},1,IF({m}={won[0]},0,0.5))"


def _before(choices: Choices, row: int, side: str, last: dict[str, str], who: str) -> str | int:
    """A rating before: of the start list, with the changes since, in a column for each player, or by a link."""
    name, above = f"{side[0]}{row}", row - 1
    if choices.before == "list":
        return f"=VLOOKUP({name},{LISTED},2,FALSE)"
    if choices.before == "sums":
        return f"={START}+SUMIF(A$1:A{above},{name},G$1:G{above})+SUMIF(B$1:B{above},{name},H$1:H{above})"
    if choices.before == "columns":
        return f"=INDEX($W{above}:$AD{above},MATCH({name},$W$1:$AD$1,0))"
    return f"={last[who]}" if who in last else START


def log(choices: Choices) -> Workbook:
    """Return the log of some choices."""
    book = Workbook()
    sheet = first_sheet(book)
    for column, heading in enumerate(HEADINGS, 1):
        sheet.cell(1, column, heading)
    columns = [get_column_letter(at) for at in range(23, 23 + len(PLAYERS))]
    first = 3 if choices.before == "columns" else 2
    for at, player in enumerate(PLAYERS) if choices.before == "columns" else ():
        sheet[f"{columns[at]}1"], sheet[f"{columns[at]}2"] = player, START
    last: dict[str, str] = {}
    for row, game in enumerate(_games(), first):
        sheet[f"A{row}"], sheet[f"B{row}"] = game[:2]
        scores = _scores(sheet, row, choices, game)
        for side, other, score, who in ((WHITE, BLACK, scores[0], game[0]), (BLACK, WHITE, scores[1], game[1])):
            name, rating, share, change, after, k = (f"{column}{row}" for column in side)
            sheet[rating] = _before(choices, row, side, last, who)
            works = f"1/(1+10^(({other[1]}{row}-{rating})/400))"
            if choices.expected == "both" or (choices.expected == "one" and side is WHITE):
                sheet[share], works = f"={works}", share
            elif choices.expected == "one":
                works = f"(1-E{row})"
            due = {"24": "24", "row": f"K{row}", "player": k, "games": k}[choices.k]
            if choices.k == "player":
                sheet[k] = f"=VLOOKUP({name},$W$2:$Y$9,3,FALSE)"
            elif choices.k == "games":
                sheet[k] = f"=IF(COUNTIF(A$1:A{row - 1},{name})+COUNTIF(B$1:B{row - 1},{name})<6,40,20)"
            elif choices.k == "row" and side is WHITE:
                sheet[k] = 24 if row % 5 else 16
            gains = f"{due}*({score}-{works})"
            gains = gains if choices.digits is None else f"ROUND({gains},{choices.digits})"
            sheet[change] = f"={after}-{rating}" if choices.booked == "after" else f"={gains}"
            if choices.booked != "changes":
                sheet[after] = f"={rating}+{gains if choices.booked == 'after' else change}"
            last[who] = after
        for column in columns if choices.before == "columns" else ():
            sheet[f"{column}{row}"] = (
                f"=IF($A{row}={column}$1,$I{row},IF($B{row}={column}$1,$J{row},{column}{row - 1}))"
            )
    end = first + GAMES - 1
    for at, player in enumerate(PLAYERS, 2) if choices.before == "list" else ():
        sheet[f"W{at}"], sheet[f"X{at}"], sheet[f"Y{at}"] = player, START + 25 * at, 20 if at % 3 else 40
        sums = "+".join(f"SUMIF(${n}${first}:${n}${end},W{at},${c}${first}:${c}${end})" for n, c in ("AG", "BH"))
        sheet[f"AA{at}"] = f"=X{at}+{sums}"
    return book


CHOSEN = [
    Choices("sums", "inline", "score", "after"),
    Choices("sums", "one", "goals", "changes", "row"),
    Choices("columns", "both", "winner", "both", digits=1),
    Choices("columns", "inline", "score", "after"),
    Choices("links", "both", "text", "both"),
    Choices("links", "inline", "two", "after", "row"),
    Choices("links", "both", "two", "after", "games"),
    Choices("list", "inline", "score", "changes", digits=1),
    Choices("list", "both", "goals", "both", "player"),
    Choices("list", "one", "text", "changes"),
]


@pytest.mark.parametrize("choices", CHOSEN, ids=str)
def test_an_ordinary_log_agrees(choices: Choices, tmp_path: Path) -> None:
    assert told(log(choices), tmp_path / "log.xlsx") == []


SLIPS = [
    (CHOSEN[0], "J20", "=D20+24*((1-M20)-1/(1+10^((C20-D20)/400)))", "=D20+24*((1-M20)+1/(1+10^((C20-D20)/400)))"),
    (CHOSEN[2], "C20", "=INDEX($W19:$AD19,MATCH(A20,$W$1:$AD$1,0))", "=INDEX($W19:$AD19,MATCH(B20,$W$1:$AD$1,0))"),
    (CHOSEN[7], "AA5", None, "=X5+SUMIF($A$2:$A$30,W5,$G$2:$G$30)+SUMIF($B$2:$B$41,W5,$H$2:$H$41)"),
    (CHOSEN[8], "K9", "=VLOOKUP(A9,$W$2:$Y$9,3,FALSE)", "=VLOOKUP(B9,$W$2:$Y$9,3,FALSE)"),
]


@pytest.mark.parametrize(
    ("choices", "cell", "right", "wrong"), SLIPS, ids=lambda one: one if isinstance(one, str) else ""
)
def test_one_slip_is_told_in_its_cell(
    choices: Choices, cell: str, right: str | None, wrong: str, tmp_path: Path
) -> None:
    book = log(choices)
    sheet = first_sheet(book)
    assert right is None or sheet[cell].value == right
    sheet[cell] = wrong
    assert any(place.endswith(f"!{cell}") for _, place in told(book, tmp_path / "log.xlsx"))


COLUMNS = [
    (CHOSEN[6], "K", "COUNTIF(A$1:A{above},A{row})", "COUNTIF(A$1:A{above},B{row})"),  # whose games K counts
    (CHOSEN[6], "G", "=I{row}-C{row}", "=I{above}-C{row}"),  # a change that is shown, and that no game reads
]


@pytest.mark.parametrize(("choices", "column", "right", "wrong"), COLUMNS, ids=["k", "shown"])
def test_a_slip_of_a_whole_column_is_told(
    choices: Choices, column: str, right: str, wrong: str, tmp_path: Path
) -> None:
    book = log(choices)
    sheet = first_sheet(book)
    for row in range(2, GAMES + 2):
        old, new = (text.format(row=row, above=row - 1) for text in (right, wrong))
        assert old in str(sheet[f"{column}{row}"].value)
        sheet[f"{column}{row}"] = str(sheet[f"{column}{row}"].value).replace(old, new)
    places = [place.rpartition("!")[2] for _, place in told(book, tmp_path / "log.xlsx")]
    assert any(place.startswith(column) for place in places)
