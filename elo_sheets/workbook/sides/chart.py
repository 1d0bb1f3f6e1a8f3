"""The chart on the Report of a book of doubles, teams or tables: the ratings of the first players, game by game."""

from __future__ import annotations

from collections.abc import Iterator

from elo_sheets.files.references import column_letters
from elo_sheets.workbook.book import HEADER_ROW, rows_below
from elo_sheets.workbook.invitation import invitation
from elo_sheets.workbook.layout import TableLayout
from elo_sheets.workbook.plan import PENDING, CellPlan, ChartPlan, Fill, Series
from elo_sheets.workbook.styles import LINE_ORDER

SHEET = "Curves"
LINES, POINTS = 4, 40
NAMES_ROW, NUMBERS_ROW = 2, 3
FIRST_LINE = 3  # the column of the first line


def curves(after: str, initial: str) -> dict[str, Fill]:
    """Return the table that the chart draws, by label: `after` is the Ledger's column of new ratings.

    A place without a player repeats the first line, so that the chart never shows an error or a zero; before any game
    it is the initial rating, whose cell is `initial`.
    """
    names = [f"Line {place}" for place in range(1, LINES + 1)]
    layout = TableLayout(SHEET, ["Point", "Game", *names], HEADER_ROW)
    last = "SUMPRODUCT(MAX((Ledger[Rated no.]>0)*Ledger[Game]))"
    fills = {
        "Point": Fill([float(point) for point in range(1, POINTS + 1)], unit="count"),
        "Game": layout.fill(f"ROUND(([Point]-1)*{last}/{POINTS - 1},0)", "count"),
    }
    for place, name in enumerate(names, 1):
        number = f"${column_letters(FIRST_LINE + place - 1)}${NUMBERS_ROW}"
        row = f"SUMPRODUCT(MAX((Ledger[Rated no.]={number})*(Ledger[Game]<=[Game])*Ledger[No.]))"
        start = f"INDEX(Players[Starts at],{number})"
        shown = f"IF({row}=0,{start},INDEX(Ledger[{after}],MAX(1,{row})))"
        otherwise = initial if place == 1 else f"[{names[0]}]"
        fills[name] = layout.fill(f"IF({number}=0,{otherwise},{shown})", "points")
    return fills


def names(nothing_yet: str, games: str) -> Iterator[CellPlan]:
    """Yield above each line who it is, by his number and by his name; of an empty name programs name the column.

    While `nothing_yet` is true the first one says where `games` are typed.
    """
    for place in range(1, LINES + 1):
        column = FIRST_LINE + place - 1
        number = f"{column_letters(column)}{NUMBERS_ROW}"
        yield CellPlan(NUMBERS_ROW, column, PENDING, f"IFERROR(MATCH({place},Players[Rank],0),0)", "integer", "count")
        name = f'IF({number}=0,"–",INDEX(Players[Player],MAX(1,{number})))'
        if place == 1:
            name = f'IF({nothing_yet},"{invitation(games)}",{name})'
        yield CellPlan(NAMES_ROW, column, PENDING, name, "name", "text")


def chart() -> ChartPlan:
    """Return the chart of those lines."""

    def column(at: int) -> str:
        return rows_below(SHEET, column_letters(at), POINTS)

    series = tuple(
        Series(f"={SHEET}!${column_letters(at)}${NAMES_ROW}", column(2), column(at), style)
        for at, style in enumerate(LINE_ORDER[:LINES], FIRST_LINE)
    )
    title = "Rating after each game: the first of the Standings"
    return ChartPlan("line", title, "Games", "", series, 6, 8, 960, 440, PENDING)
