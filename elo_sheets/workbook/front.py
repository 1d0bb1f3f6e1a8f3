"""The front page: what stands on top of Start, live, and the links to the other sheets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from operator import itemgetter

from elo_sheets.workbook.book import HEADER_ROW
from elo_sheets.workbook.layout import column_text
from elo_sheets.workbook.plan import PENDING, CellPlan, Highlight, SheetPlan

FIRST_ROW = 4
LINKS_COLUMN = 7
# Free rows of games from which on Start asks for more, once half of all are used.
FEW_ROWS = 20
ROWS_LEFT, FREE_ROWS = "Rows left", "free rows for further games"
# Days after which a last game is asked for its year: a slip shows by itself only once another game stands below it.
LAST_GAME, LONG_GAP = "Last game", 366
FAR = "more than a year after the game before: is its year right?"
ALL_CLEAR = "All checks are green"
COUNTED = '"rated games; the sheet Check counts what is not rated"'
# What fits beside the number: how long a line is that the links do not cut off.
MORE_ROWS = "close the book and run elo-sheets update BOOK.xlsx --rows "
LATE = (
    "A game comes in late: type it in the next free row, select the yellow cells of all games and sort them by date "
    "(Data > Sort). To move a row, copy it and clear the old cells: cells that are cut leave locked ones."
)

NEXT = (
    "The season is over: close the book and run elo-sheets update BOOK.xlsx --next-season -o NEXT.xlsx; all begin it "
    "with what they have now."
)


@dataclass(frozen=True)
class Line:
    """A line of the front page: what it says, the formula of its value, and that of the remark beside it."""

    label: str
    formula: str
    style: str = "integer_left"
    unit: str = "count"
    remark: str = ""


def last_game(latest: str = "MAX(Players[Last played])", table: str = "Games") -> Line:
    """Return when the last game was, and whether that is long after the day before it in a table of games."""
    before = f'LARGE({table}[Date],COUNTIF({table}[Date],">="&$C${{row}})+1)'
    far = f'IF($C${{row}}-IFERROR({before},$C${{row}})>{LONG_GAP},"{FAR}","")'
    remark = f'IF($C${{row}}="","",{far})'
    return Line(LAST_GAME, f'IF({latest}=0,"",{latest})', "date_left", "date", remark)


def leader(decimals: int, table: str = "Players") -> Line:
    """Return who leads a table of players, and by how much."""

    def at(column: str, rank: int) -> str:
        return f"INDEX({table}[{column}],MATCH({rank},{table}[Rank],0))"

    ahead = f"ROUND(ABS({at('Rating', 1)}-{at('Rating', 2)}),{decimals})"
    second = f'" points ahead of "&{at("Player", 2)}'
    played = "SUM(Players[Games])=0"
    return Line(
        "In the lead",
        f'IF(OR({played},COUNT({table}[Rank])=0),"nobody yet",{at("Player", 1)})',
        "name_strong",
        "text",
        f'IF(OR({played},COUNT({table}[Rank])=0),"the first game decides",'
        f'"with "&ROUND({at("Rating", 1)},{decimals})&IF(COUNT({table}[Rank])<2,"",", "&{ahead}&{second}))',
    )


def rows_left(table: str, typed: str) -> Line:
    """Return how many rows of games are free below the last typed one; `typed` is the column that says so."""
    used = f'SUMPRODUCT(MAX(({table}[{column_text(typed)}]<>"")*{table}[Game]))'
    held = f"ROWS({table}[Game])"
    more = f'IF($C${{row}}>0,"few are left: ","none is left: ")&"{MORE_ROWS}"&2*{held}'
    remark = f'IF($C${{row}}<=MIN({FEW_ROWS},{held}/2),{more},"{FREE_ROWS}")'
    return Line(ROWS_LEFT, f"{held}-{used}", "whole_left", remark=remark)


def all_clear(checks: Sequence[Mapping[str, str]]) -> str:
    """Return the formula of the one cell that says whether all lines of the sheet Check are good.

    What a line is made of stands indented below it, and is not counted once more.
    """
    lines = [(at, check["label"].startswith(" ")) for at, check in enumerate(checks, HEADER_ROW + 1)]
    runs = [[at for at, _ in run] for indented, run in groupby(lines, key=itemgetter(1)) if not indented]
    good = "".join(f"-{_good(run[0], run[-1])}" for run in runs)
    return (
        f'IF({_good(lines[0][0], lines[-1][0])}={len(lines)},"{ALL_CLEAR}",'
        f'MAX(1,{sum(map(len, runs))}{good})&" to look at: see the sheet Check")'
    )


def _good(first: int, last: int) -> str:
    """Return the formula of how many of these rows of Check are good."""
    if first == last:
        return f'(Check!$D${first}="good")'
    return f'COUNTIF(Check!$D${first}:$D${last},"good")'


def front_cells(lines: Sequence[Line]) -> Iterator[CellPlan]:
    """Yield the cells of the lines, below one another from `FIRST_ROW` on."""
    for row, line in enumerate(lines, FIRST_ROW):
        yield CellPlan(row, 2, line.label, style="label")
        yield CellPlan(row, 3, PENDING, line.formula, line.style, line.unit)
        if line.remark:
            yield CellPlan(row, 4, PENDING, line.remark.replace("{row}", str(row)), "remark")


def front_highlights(lines: Sequence[Line]) -> Iterator[Highlight]:
    """Yield the colours of a book whose rows run out, and of a last game that is far from the others."""
    for row, line in enumerate(lines, FIRST_ROW):
        if line.label == ROWS_LEFT:
            yield Highlight(f"$C${row}", f'$D${row}<>"{FREE_ROWS}"', "warn")
        elif line.label == LAST_GAME and line.remark:
            yield Highlight(f"$C${row}", f'$D${row}<>""', "warn")


def with_links(sheets: Sequence[SheetPlan]) -> list[SheetPlan]:
    """Return the sheets, the first one, Start, with a link to each of the others that a person sees."""
    start, *others = sheets
    shown = [sheet.name for sheet in others if not sheet.hidden]
    links = [CellPlan(FIRST_ROW - 1, LINKS_COLUMN, "Go to", style="section")]
    for row, name in enumerate(shown, FIRST_ROW):
        links.append(CellPlan(row, LINKS_COLUMN, name, style="link", link=name))
    widths = {**start.widths, LINKS_COLUMN: 18}
    return [replace(start, cells=(*start.cells, *links), widths=widths), *others]
