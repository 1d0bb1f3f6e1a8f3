"""What the lines of a chart are looked up in: the chosen players' ratings from game to game, in the table Lines.

A row for each game says what a player's rating was after it. A long book has rows for so many of them only that no
point of a chart moves by more than half its share of the axis, however many games are played by then, and each says
where in the Ledger the player's last game up to there stands: LibreOffice takes a second to open the lines of each game
of 10,000. What a player reached between two points is looked for in the Ledger, and the point before it shows it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from elo_sheets.files.references import column_letters
from elo_sheets.workbook.book import HEADER_ROW
from elo_sheets.workbook.layout import LONG, TableLayout, column_text
from elo_sheets.workbook.peaks import marked
from elo_sheets.workbook.plan import PENDING, CellPlan, CellValue, Fill, Read
from elo_sheets.workbook.pools.ledger import PoolLedger

CURVE_POINTS = 150
# What a long book's table of points has besides: the game that a point would show, its row, and the row of Lines.
AIMED = ("Aim", "Aim row", "Stop")


def stops(games: int) -> list[int]:
    """Return the games after which the lines say something.

    >>> stops(1000) == list(range(1, 1001)), len(stops(10_000)), stops(10_000)[-3:]
    (True, 1522, [9959, 9992, 10000])
    """
    if games <= LONG:
        return list(range(1, games + 1))
    found = [1]
    while found[-1] < games:
        found.append(min(games, found[-1] + max(1, found[-1] // (2 * CURVE_POINTS))))
    return found


def line(pool: PoolLedger, layout: TableLayout, label: str, number: str, start: str) -> Fill:
    """Return the column of Lines of the player whose number stands in a cell; `start` is where he starts."""
    games = pool.ledger_games
    if games <= LONG:
        return layout.fill(pool.line(number, f"up[{label}]"), "points", first=pool.line(number, start))
    ends = [0, *stops(games)]
    rows = [(HEADER_ROW + 2 * before + 1, HEADER_ROW + 2 * end) for before, end in pairwise(ends)]
    numbers, index = (
        f"{pool.table}!${pool.layout.letter(name)}${{lo}}:${pool.layout.letter(name)}${{hi}}"
        for name in ("Rated no.", "No.")
    )

    def formula(found: str) -> str:
        return layout.formula(f"IF({number}=0,0,{found})")

    whole = f"({pool.table}[Rated no.]={number})*({pool.table}[Game]<=[Game])*{pool.table}[No.]"
    return Fill(
        PENDING,
        formula(f"MAX(N(up[{label}]),SUMPRODUCT(MAX(({numbers}={number})*{index})))"),
        "count",
        windows=rows,
        whole=formula(f"SUMPRODUCT(MAX({whole}))"),
        gives=_last_rows(pool.table, number, ends),
    )


def _last_rows(table: str, number: str, ends: Sequence[int]) -> Callable[[Read], Sequence[CellValue]]:
    """Return what computes a player's last row of the Ledger up to each of these games."""

    def gives(read: Read) -> Sequence[CellValue]:
        player, numbers = read(number)[0], read(f"{table}[Rated no.]")
        found, last = [], 0.0
        for before, end in pairwise(ends):
            own = (row for row in range(2 * end, 2 * before, -1) if player and numbers[row - 1] == player)
            last = float(next(own, last))
            found.append(last)
        return found

    return gives


def point(pool: PoolLedger, label: str) -> tuple[str, str]:
    """Return the formulas of whether a player has not played yet at a point of the chart, and of his rating there."""
    if pool.ledger_games <= LONG:
        return "[Row]=0", f"INDEX(Lines[{label}],MAX(1,[Row]))"
    row = f"INDEX(Lines[{label}],[Stop])"
    return f"{row}=0", f"INDEX({pool.table}[{column_text(pool.label('rating_after'))}],MAX(1,{row}))"


def bests(pool: PoolLedger, column: int, numbers: Sequence[str], name: str) -> Iterator[CellPlan]:
    """Return the cells, from `column` on, of when players were best, how good, and of the point that shows it.

    `numbers` are the cells with their numbers; a place without a player is marked where the first one is. `name` is the
    formula of what the legend calls the marks. Who was best at his start has no row of the Ledger for it.
    """
    letters = dict(zip(("points", "row", "point"), map(column_letters, range(column + 2, column + 5)), strict=True))
    first = HEADER_ROW + 1
    own, after, index = (
        f"{pool.table}[{label}]" for label in ("Rated no.", column_text(pool.label("rating_after")), "No.")
    )
    behind = f"ROWS({index})+1"
    rows = []
    for at, number in enumerate(numbers, first):
        up, row = (f"{letters[said]}{at}" for said in ("points", "row"))
        start, nothing = (f"{letters['points']}{first}", f"{letters['row']}{first}")
        if at == first:
            start, nothing = pool.setting_cells["initial"], "0"
        found = f"SUMPRODUCT(MAX(({own}={number})*({after}={up})*({behind}-{index})))"
        there = f"MAX(1,{row})"
        rows.append(
            {
                "count": f"IF({row}=0,INDEX(Curves[Game],1),INDEX({pool.table}[Games so far],{there}))",
                "date": f"IF({row}=0,INDEX(Curves[Day],1),INDEX({pool.table}[Latest date],{there}))",
                "points": f"IF({number}=0,{start},INDEX(Players[Best],MAX(1,{number})))",
                "row": f"IF({number}=0,{nothing},MOD({behind}-{found},{behind}))",
                "point": f'MAX(1,COUNTIF(Curves[Row],"<="&INT(({row}+1)/2)))',
            }
        )
    return marked(column, rows, name)


def point_labels(names: Sequence[str], games: int) -> list[str]:
    """Return the columns of a table of points for these lines, in a book of so many games."""
    return ["Point", "Game", "Row", *names, *(AIMED if games > LONG else ())]


def spread_games(layout: TableLayout) -> dict[str, Fill]:
    """Return the columns of a table that spreads its points over the rated games: each point, its game and the row.

    A game stands as many rows behind its number as the game of the point before, if none between them is unrated: the
    whole column is looked through for the others alone. A long book shows the next game after which Lines has a row.
    """
    game, row = AIMED[:2] if AIMED[0] in layout.labels else ("Game", "Row")
    total = "INDEX(Ledger[Games so far],ROWS(Ledger[Games so far]))"
    spread = f"ROUND(1+([Point]-1)*({total}-1)/{CURVE_POINTS - 1},0)"
    near = f"[{game}]+N(up[{row}])-N(up[{game}])"
    searched = f"(MATCH([{game}],Ledger[Games so far],0)+1)/2"
    texts = {
        game: f"IF({total}=0,0,{spread})",
        row: f"IF([{game}]=0,0,IF(INDEX(Ledger[Games so far],2*({near})-1)=[{game}],{near},{searched}))",
    }
    if game != "Game":
        texts |= {
            "Stop": f'COUNTIF(Lines[Game],"<"&[{row}])+1',
            "Row": "INDEX(Lines[Game],[Stop])",
            "Game": "INDEX(Ledger[Games so far],2*[Row])",
        }
    points = {"Point": Fill([float(i) for i in range(1, CURVE_POINTS + 1)], unit="count")}
    return points | {label: layout.fill(text, "count") for label, text in texts.items()}
