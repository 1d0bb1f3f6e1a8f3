"""The cross table of a pool, and the sparklines' data: what stands beside the standings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from elo_sheets.files.references import column_letters
from elo_sheets.workbook.book import HEADER_ROW
from elo_sheets.workbook.highlights import small_lines
from elo_sheets.workbook.layout import TableLayout, column_text
from elo_sheets.workbook.plan import PENDING, CellPlan, ColumnPlan, Fill, Highlight, SheetPlan, Sparkline, TablePlan
from elo_sheets.workbook.pools.ledger import TALLY, PoolLedger
from elo_sheets.workbook.pools.sheets import PoolView
from elo_sheets.workbook.sums import WIN, unpacked

PLACES = 20
# Parts the numbers of two players that are one number.
PAIR = 100_000
# The column before those, hidden, in which the results of each pair are summed; and how a formula below names a sum.
SUMS_AT, SUM = 4 + PLACES, "{sum}"
# The columns that say who met whom in a game, and how it ended for the one with the lower number.
PAIRED = ("Pair", "Tally")
SPARK_POINTS = 15
SPARK_PLACES = 100


def pair(one: str, other: str) -> str:
    """Return the formula of two players as one number, whichever of them stands first."""
    return f"{PAIR}*MIN({one},{other})+MAX({one},{other})"


def turned(tally: str) -> str:
    """Return the formula of the same results from the other side."""
    found = unpacked(tally)
    return f"{tally}+{WIN}*({found['losses']}-({found['wins']}))"


def paired(pool: PoolLedger, layout: TableLayout) -> dict[str, Fill]:
    """Return the columns that sum up what two players have between them: a row for each game."""
    numbers, tallies = ([pool.of_game(label, side) for side in (0, 1)] for label in ("Rated no.", TALLY))
    formulas = pair(*numbers), f"IF({numbers[0]}<{numbers[1]},{tallies[0]},{tallies[1]})"
    return {label: layout.fill(text, "count") for label, text in zip(PAIRED, formulas, strict=True)}


def cross_sheet(view: PoolView, form: Mapping[str, Any], pairs: str) -> SheetPlan:
    """Return the cross table of the leading players: points and games of each against each.

    The table `pairs` says who met whom in each game.
    The numbers of the players stand in a hidden row above and a hidden column beside, so that a cell counts by number.
    """
    cells = list(view.heading(form))
    last = column_letters(3 + PLACES)
    found = unpacked(SUM)
    for label, column in (("Place", 1), ("No.", 2), ("Player", 3)):
        cells.append(CellPlan(HEADER_ROW, column, label, style="header"))
    for i in range(1, PLACES + 1):
        row, column = HEADER_ROW + i, 3 + i
        letter = column_letters(column)
        place = f"IF({i}>COUNT(Players[Rank]),0,MATCH({i},Players[Rank],0))"
        cells.append(CellPlan(row, 1, PENDING, f'IF($B{row}=0,"",{i})', "integer", "count"))
        cells.append(CellPlan(row, 2, PENDING, place, "helper", "count"))
        cells.append(CellPlan(row, 3, PENDING, f'IF($B{row}=0,"",INDEX(Players[Player],MAX(1,$B{row})))', "name"))
        cells.append(CellPlan(HEADER_ROW - 1, column, PENDING, f"$B${row}", "helper", "count"))
        cells.append(CellPlan(HEADER_ROW, column, PENDING, f'IF({letter}${HEADER_ROW - 1}=0,"",{i})', "choice"))
        for j in range(1, PLACES + 1):
            if i == j:
                continue
            # What the two have between them stands beside the table, once, as the one with the lower number has it.
            up, down = min(i, j), max(i, j)
            kept = f"${column_letters(SUMS_AT + down)}${HEADER_ROW + up}"
            at = f"{column_letters(3 + j)}${HEADER_ROW - 1}"
            points, met = f"{found['wins']}+({found['draws']})/2", found["games"]
            formula = f'IF({kept}=0,"",IF($B{row}<{at},{points},{met}-({points}))&"/"&{met})'.replace(SUM, kept)
            cells.append(CellPlan(row, 3 + j, PENDING, formula, "choice"))
            if i < j:
                summed = f"SUMIFS({pairs}[Tally],{pairs}[Pair],{pair(f'$B{row}', at)})"
                cells.append(
                    CellPlan(row, SUMS_AT + j, PENDING, f"IF(OR($B{row}=0,{at}=0),0,{summed})", "helper", "count")
                )
    first, end = HEADER_ROW + 1, HEADER_ROW + PLACES
    diagonal = Highlight(f"$D${first}:${last}${end}", f"AND($B{first}>0,$B{first}=D${HEADER_ROW - 1})", "same")
    return SheetPlan(
        form["name"],
        tuple(cells),
        highlights=(
            Highlight(f"$D${HEADER_ROW}:${last}${HEADER_ROW}", f"D${HEADER_ROW - 1}>0", "headed"),
            diagonal,
            *_outcomes(f"$D${first}:${last}${end}", f"D{first}"),
            Highlight(f"$A${first}:${last}${end}", f"$B{first}>0", "ruled"),
        ),
        widths={1: 7, 2: 0, 3: 22}
        | dict.fromkeys(range(4, 4 + PLACES), 6.5)
        | dict.fromkeys(range(SUMS_AT, SUMS_AT + PLACES + 1), 0.0),
        heights={HEADER_ROW - 1: 0},
        frozen_rows=HEADER_ROW,
        frozen_columns=3,
        landscape=True,
    )


def _outcomes(cells: str, at: str) -> Iterator[Highlight]:
    """Yield the colours of who has more points of a pair: `at` is the first of the cells, which say points/games."""
    lead = f'2*LEFT({at},FIND("/",{at})-1)-MID({at},FIND("/",{at})+1,9)'
    for sign, style in ((">", "win"), ("=", "draw"), ("<", "loss")):
        yield Highlight(cells, f'IF({at}="",FALSE,{lead}{sign}0)', style)


def spark_table(pool: PoolLedger, places: int, last: str) -> TablePlan:
    """Return the hidden table behind the sparklines: the last ratings of the player in each place, oldest first.

    A row goes back from the player's last row of the Ledger, which the formula `last` finds, 0 for nobody, by the
    column Previous; before his first game it repeats the oldest rating.
    """
    rows = [f"Row {k}" for k in range(SPARK_POINTS, 0, -1)]
    shown = [f"Rating {k}" for k in range(1, SPARK_POINTS + 1)]
    layout = TableLayout("Sparks", ["Place", *rows, *shown], HEADER_ROW)
    count = min(places, SPARK_PLACES)
    after = column_text(pool.label("rating_after"))
    columns = [ColumnPlan("Place", Fill([float(i) for i in range(1, count + 1)], unit="count"), "", "integer", 7)]
    for back, label in enumerate(rows):
        formula = last if back == 0 else f"IF([{rows[back - 1]}]=0,0,INDEX(Ledger[Previous],MAX(1,[{rows[back - 1]}])))"
        columns.append(ColumnPlan(label, layout.fill(formula, "count"), "", "integer", 7))
    for label, source, later in zip(shown, reversed(rows), [*shown[1:], ""], strict=True):
        otherwise = f"[{later}]" if later else '""'
        formula = f"IF([{source}]=0,{otherwise},INDEX(Ledger[{after}],MAX(1,[{source}])))"
        columns.append(ColumnPlan(label, layout.fill(formula, "points"), "", "points", 9))
    return TablePlan("Sparks", HEADER_ROW, tuple(columns), count)


def sparklines(table: TablePlan) -> Iterator[Sparkline]:
    """Return the small line of each place, in the column `spark` of a table."""
    at = [one.role for one in table.columns].index("spark")
    return small_lines(table, at, 2 + SPARK_POINTS, 1 + 2 * SPARK_POINTS, SPARK_PLACES)
