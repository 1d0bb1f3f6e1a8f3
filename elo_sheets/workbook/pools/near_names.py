"""Who is meant by a name that nobody on Players has: a hidden table with a row for each of the first unknown names.

Only names that are unknown are looked up, a few rows for each part of the Ledger, which stand beside Carry, so that a
book without such names has nothing to compute, and a row of games is told of those of its own part alone. A look-up is
a MATCH with wildcards: the name as a part of another one, the name with one or more neighbouring letters left open,
window after window, which finds a letter that was dropped, doubled, exchanged or swapped, and its last and first word.
Of a short name a quarter of the letters is one, as it is for the readers: two are not left open there but swapped.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from elo_sheets.workbook.book import HEADER_ROW
from elo_sheets.workbook.layout import TableLayout
from elo_sheets.workbook.plan import PART, UNKNOWN_NAMES, CellValue, ColumnPlan, Fill, Read, TablePlan

TABLE = "Near"
UNKNOWN = "unknown player"
# What is said of a game that is half typed.
NAMELESS = "a name is missing"
# Names of a part of the Ledger that are looked up, and windows of letters that are left open one after the other.
ROWS, WINDOWS = UNKNOWN_NAMES, 16
# What a part of a name must have to be looked for, and what a misspelt name must have; one of so many may be wrong.
SHORTEST_PART, SHORTEST = 3, 4
# More than games in a book.
MANY = 1_000_000
KNOWN = "Players[Known as]"


def says(people: str, what: str = '"enter the name there"') -> str:
    """Return the formula of what the status of a game says of a name that nobody on Players has."""
    return f'"not on {people}: "&{what}'


def near_table(
    people: str,
    first_column: int,
    columns: tuple[str, str] = ("Player", KNOWN),
    ledger: TableLayout | None = None,
    games: int = 0,
    seats: int = 2,
) -> TablePlan:
    """Return the table of the games of unknown names: the first ones of each part of the Ledger, in order.

    `people` is what the book calls the sheet of the names, `columns` the Ledger's column of names and that of the
    names that are known. The parts are those of a `ledger` of so many `games`; without one it is looked through whole.
    A game has a row of the Ledger for each of its `seats`.
    """
    labels = ["Part", *(f"Open {i}" for i in range(1, WINDOWS + 1)), "Last word", "First word"]
    layout = TableLayout(TABLE, ["Left", "Game", "Name", "Pattern", *labels, "Near", "Says"], HEADER_ROW, first_column)
    parts = [(at, min(at + PART // 2, games)) for at in range(0, games, PART // 2)] if ledger else [(0, MANY)]
    parts = parts if len(parts) > 1 else [(0, MANY)]
    windows = [(HEADER_ROW + 1 + first, HEADER_ROW + last) for first, last in parts for _ in range(ROWS)]

    def column(formula: str, unit: str = "count", **more: Any) -> Fill:
        whole = re.sub(r"\{(.+?)\}", r"Ledger[\1]", formula).replace("<skip>", "")
        if ledger is None or len(parts) == 1 or "{" not in formula:
            return layout.fill(whole, unit, **more)
        rows = "Ledger!${0}${{low}}:${0}${{high}}"
        own = re.sub(r"\{(.+?)\}", lambda match: rows.format(ledger.letter(match[1])), formula)
        return layout.fill(own.replace("<skip>", "-2*{skip}"), unit, windows=windows, whole=whole, **more)

    # `MANY` less the number of the game, smaller from row to row; at the top of a part all games are left.
    left = f"N(up[Left])+{MANY}*(MOD(ROW()-{HEADER_ROW},{ROWS})=1)"
    search = f'SUMPRODUCT(MAX(({{Status}}="{UNKNOWN}")*({MANY}-{{Game}}<{left})*({MANY}-{{Game}})))'
    side = f"INDEX({{{columns[0]}}},2*[Game]<skip>%s)"
    shown = "".join(f"IF([{label}]>0,[{label}]," for label in labels) + "0" + ")" * len(labels)
    meant = f'"did you mean "&INDEX({columns[1]},MAX(1,[Near]))&"?"'
    said = says(people, f'IF([Near]=0,"enter the name there",{meant})')
    name = f'IF([Game]=0,"",IF(INDEX({{Player no.}},2*[Game]<skip>-1)=0,{side % "-1"},{side % ""}))'
    if seats != 2:  # the last of the game's seats whose name is unknown
        row = f'SUMPRODUCT(MAX(({{Game}}=[Game])*({{{columns[0]}}}<>"")*({{Player no.}}=0)*{{No.}}))'
        name = f'IF([Game]=0,"",INDEX({{{columns[0]}}},MAX(1,{row})))'
    fills = {
        "Left": column(f"IF({left}=0,0,{search})", gives=_left(parts)),
        "Game": column(f"IF([Left]=0,0,{MANY}-[Left])"),
        "Name": column(name, "text"),
        "Pattern": column('SUBSTITUTE(SUBSTITUTE([Name],"~","?"),"*","?")', "text"),
        **{label: column(found) for label, found in zip(labels, _matches(columns[1]), strict=True)},
        "Near": column(shown),
        "Says": column(f'IF([Game]=0,"",IF([Name]="","{NAMELESS}",{said}))', "text"),
    }
    planned = tuple(
        ColumnPlan(label, fill, style="text" if fill.unit == "text" else "integer", width=14)
        for label, fill in fills.items()
    )
    return TablePlan(TABLE, HEADER_ROW, planned, len(windows), first_column)


def _left(parts: Sequence[tuple[int, int]]) -> Callable[[Read], Sequence[CellValue]]:
    """Return what finds the first games of unknown names in each part of the Ledger."""

    def gives(read: Read) -> Sequence[CellValue]:
        sides = zip(read("Ledger[Status]"), read("Ledger[Game]"), strict=True)
        games = sorted({float(game or 0) for status, game in sides if status == UNKNOWN})
        found: list[CellValue] = []
        for first, last in parts:
            here = [game for game in games if first < game <= last][:ROWS]
            found += [*(MANY - game for game in here), *[0.0] * (ROWS - len(here))]
        return found

    return gives


def shown_status(status: str, people: str, told: str = f"{TABLE}[Says]", games: str = f"{TABLE}[Game]") -> str:
    """Return the formula of what a row of games shows: who is meant, where `status`, a formula, says unknown.

    `told` are the cells of the table of unknown names that say it, `games` those with their games.
    """
    who = f"IFERROR(INDEX({told},MATCH([Game],{games},0)),{says(people)})"
    return f'IF({status}="{UNKNOWN}",{who},{status})'


def _matches(known: str) -> list[str]:
    """Return the formulas of the row of the first name that fits, 0 for none: what is looked for, in order.

    Two windows share a letter.
    """
    text, length = "[Pattern]", "LEN([Pattern])"
    several = f'ISNUMBER(FIND(" ",{text}))'
    first = f'LEFT({text},FIND(" ",{text}&" ")-1)'
    last = f'TRIM(RIGHT(SUBSTITUTE({text}," ",REPT(" ",99)),99))'

    def row(what: str) -> str:
        return f"MATCH({what},{known},0)"

    asked = [(f"{length}>={SHORTEST_PART}", row(f'"*"&{text}&"*"'))]
    for i in range(WINDOWS):
        before, end = (f"INT({at}*{length}/{WINDOWS})" for at in (i, i + 1))
        swapped = f"MID({text},{end}+1,1)&MID({text},{end},1)"
        open_ = f'IF(AND({end}>{before},{length}<{2 * SHORTEST}),{swapped},"*")'
        found = row(f"LEFT({text},{before})&{open_}&MID({text},{end}+2,99)")
        near = f"ABS(LEN(INDEX({known},{found}))-{length})<={length}/{SHORTEST}"
        asked.append((f"{length}>={SHORTEST}", f"IF({near},{found},0)"))
    asked += [(f"AND({several},LEN({word})>={SHORTEST})", row(f'"*"&{word}&"*"')) for word in (last, first)]
    return [f"IF({test},IFERROR({found},0),0)" for test, found in asked]
