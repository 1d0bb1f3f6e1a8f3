"""What the charts of a journal draw: the shown pool's curve, all pools' lines, games per month."""

from __future__ import annotations

from collections.abc import Iterator

from elo_sheets.files.references import column_letters
from elo_sheets.workbook.book import HEADER_ROW
from elo_sheets.workbook.journal.chain import Rule
from elo_sheets.workbook.journal.figures import BEGUN, GAMES, HIGHEST, PEAK
from elo_sheets.workbook.journal.formulas import PART
from elo_sheets.workbook.journal.stats import MONTH_LIMITS, Fills, numbered, pending
from elo_sheets.workbook.layout import TableLayout
from elo_sheets.workbook.peaks import marked
from elo_sheets.workbook.plan import CellPlan
from elo_sheets.workbook.sums import unpacked

CURVE_POINTS = 200
LINE_POINTS = 60
BAR_MONTHS = 24


def curve_labels(rule: Rule) -> list[str]:
    """Return the columns of the table that the chart of the shown pool draws."""
    band = ["Lower", "Upper"] if rule.has_rd else []
    return ["Point", "Game", "Row", "Rating", "Average of 20", "Average of 100", *band, "Day"]


def curves(rule: Rule) -> Fills:
    """Return the fills of the table that the chart of the shown pool draws: up to 200 games, evenly spaced.

    The point nearest to the game of the highest rating shows that one. A rating that was never above a published one
    begins with it.
    """
    after, now = rule.label("rating_after"), "INDEX(Pools[Starts at],Pool_number)"
    game = f"ROUND(1+([Point]-1)*({GAMES}-1)/{CURVE_POINTS - 1},0)"
    peak, near = (f"${column_letters(peaks_at(rule) + at)}${HEADER_ROW + 1}" for at in (0, 3))
    is_start = f"AND([Point]=1,{BEGUN})"
    found = {
        "Game": (f"IF({GAMES}=0,0,IF([Point]={near},{peak},{game}))", "count"),
        "Row": ("", "count"),
        "Rating": (f"IF([Game]=0,{now},IF({is_start},{HIGHEST},INDEX(Ledger[{after}],[Row])))", "points"),
    }
    for window in (20, 100):
        before = f"INDEX(Ledger[Sum of ratings],{_row_of(f'[Game]-{window}', f'[Row]-{window}')})"
        mean = f"(INDEX(Ledger[Sum of ratings],[Row])-IF([Game]>{window},{before},0))/MIN({window},[Game])"
        found[f"Average of {window}"] = f"IF([Game]=0,{now},{mean})", "points"
    if rule.has_rd:
        start = "INDEX(Pools[RD starts at],Pool_number)"
        rd = f"IF({is_start},{start},INDEX(Ledger[{rule.label('rd_after')}],[Row]))"
        for label, sign in (("Lower", "-"), ("Upper", "+")):
            first = f"{now}{sign}1.96*{start}"
            found[label] = f"IF([Game]=0,{first},[Rating]{sign}1.96*{rd})", "points"
    layout = TableLayout("Curves", curve_labels(rule), HEADER_ROW)
    row = f"IF([Game]=0,0,{_row_of('[Game]', '[Game]+N(up[Row])-N(up[Game])')})"
    day = "INDEX(Ledger[Date],[Row])"
    dated = layout.fill(f"IF([Game]=0,0,IF({day}=0,N(up[Day]),{day}))", "date")
    fills = numbered(CURVE_POINTS, "Point") | pending("Curves", found)
    return fills | {"Row": layout.fill(row, "count"), "Day": dated}


def peaks_at(rule: Rule) -> int:
    """Return the first column of the cells that say where the rating was highest, beside the points."""
    return len(curve_labels(rule)) + 2


def peak(rule: Rule, name: str) -> Iterator[CellPlan]:
    """Yield the cells of the highest rating of the Dashboard: its game, its day, itself, and the point that shows it.

    The first and the last point keep their games: the last one is today's.
    """
    point = f"ROUND(1+({column_letters(peaks_at(rule))}{HEADER_ROW + 1}-1)*{CURVE_POINTS - 1}/MAX(1,{GAMES}-1),0)"
    said = {
        "count": f"IF({GAMES}=0,0,INDEX(Ledger[Pool game],{PEAK}))",
        "date": f"INDEX(Curves[Day],{column_letters(peaks_at(rule) + 3)}{HEADER_ROW + 1})",
        "points": f"IF({GAMES}=0,INDEX(Curves[Rating],1),{HIGHEST})",
        "point": f"MEDIAN(2,{CURVE_POINTS - 1},{point})",
    }
    return marked(peaks_at(rule), [said], name)


def _row_of(game: str, near: str) -> str:
    """Return the formula of the row of a game of the shown pool.

    It is `near` where no game of another pool, and none that is not rated, lies between; else all rows are looked at.
    """
    key = f"{PART}*Pool_number+{game}"
    return f"IF(INDEX(Ledger[Key],MAX(1,{near}))={key},{near},MATCH({key},Ledger[Key],0))"


def pool_lines(rule: Rule, pools: int) -> Fills:
    """Return the fills of the table behind the chart of all pools: each pool's line over the games of all.

    A pool without games is a point on the line that is shown, so that it moves no axis.
    """
    found: dict[str, tuple[str, str]] = {}
    for number in range(1, pools + 1):
        count, row = f"INDEX(Pools[Games],{number})", f"[Row {number}]"
        game = f"ROUND(1+([Point]-1)*({count}-1)/{LINE_POINTS - 1},0)"
        rating = f"INDEX(Ledger[{rule.label('rating_after')}],{row})"
        found |= {
            f"Row {number}": (f"IF({count}=0,0,MATCH({number * PART}+{game},Ledger[Key],0))", "count"),
            f"Game {number}": (f"IF({row}=0,0,INDEX(Ledger[Games so far],{row}))", "count"),
            f"Rating {number}": (f"IF({row}=0,INDEX(Pools[Rating now],Pool_number),{rating})", "points"),
        }
    return numbered(LINE_POINTS, "Point") | pending("PoolLines", found)


def bars(*, spills: bool) -> Fills:
    """Return the fills of the last months, the oldest first, that the chart of games per month draws.

    They stand in the list of months; where it spills, it is no table, and they are counted. Behind the month of the
    last game nothing is drawn: the places that are left have no name and no games.
    """
    first, last = MONTH_LIMITS
    month = f"EDATE(MAX({first},EDATE({last},{1 - BAR_MONTHS})),[No.]-1)"
    found = {
        "Month": (f"IF({last}=0,0,IF({month}>{last},0,{month}))", "date"),
        "Name": ('IF([Month]=0,"",YEAR([Month])&"-"&RIGHT("0"&MONTH([Month]),2))', "text"),
    }
    counts = unpacked("SUMIF(Ledger[Month],[Month],Ledger[Tally])")
    for label in ("Wins", "Draws", "Losses"):
        listed = f"IFERROR(N(INDEX(ByMonth[{label}],MATCH([Month],ByMonth[Month],0))),0)"
        found[label] = f"IF([Month]=0,0,{counts[label.lower()] if spills else listed})", "count"
    return numbered(BAR_MONTHS) | pending("MonthBars", found)
