"""Who is meant by a name that nobody on Players has: a hidden table with a row for each of the first unknown names.

Only names that are unknown are looked up, a few rows that stand beside Carry, so that a book without such names has
nothing to compute. A look-up is a MATCH with wildcards: the name as a part of another one, the name with two or more
neighbouring letters left open, window after window, which finds a letter that was dropped, doubled, exchanged or
swapped, and its last and its first word.
"""

from __future__ import annotations

from elo_sheets.workbook.book import HEADER_ROW
from elo_sheets.workbook.layout import TableLayout
from elo_sheets.workbook.plan import PENDING, ColumnPlan, Fill, TablePlan

TABLE = "Near"
UNKNOWN = "unknown player"
# Names that are looked up, and windows of letters that are left open one after the other.
ROWS, WINDOWS = 20, 16
# What a part of a name must have to be looked for, and what a misspelt name must have.
SHORTEST_PART, SHORTEST = 3, 4
# More than games in a book.
MANY = 1_000_000
KNOWN = "Players[Known as]"


def says(people: str) -> str:
    """Return what the status of a game says of a name that nobody on Players has."""
    return f"not on {people}"


def near_table(
    people: str,
    first_column: int,
    columns: tuple[str, str] = ("Player", KNOWN),
    unknown: str = f'COUNTIF(Ledger[Status],"{UNKNOWN}")',
) -> TablePlan:
    """Return the table of the games of unknown names: the first `ROWS` of them.

    `people` is what the book calls the sheet of the names, `columns` the Ledger's column of names and that of the
    names that are known, `unknown` a formula that is 0 where there is no such game.
    """
    labels = ["Part", *(f"Open {i}" for i in range(1, WINDOWS + 1)), "Last word", "First word"]
    layout = TableLayout(TABLE, ["Left", "Game", "Name", "Pattern", *labels, "Near", "Says"], HEADER_ROW, first_column)
    search = f'SUMPRODUCT(MAX((Ledger[Status]="{UNKNOWN}"){{}}*({MANY}-Ledger[Game])))'
    side = f"INDEX(Ledger[{columns[0]}],2*[Game]{{}})"
    number = "INDEX(Ledger[Player no.],2*[Game]-1)"
    shown = "".join(f"IF([{label}]>0,[{label}]," for label in labels) + "0" + ")" * len(labels)
    said = f'"{says(people)}"&IF([Near]=0,"",": did you mean "&INDEX({columns[1]},MAX(1,[Near]))&"?")'
    formulas = {
        "Left": f"IF(up[Left]=0,0,{search.format('*(Ledger[Game]>up[Game])')})",
        "Game": f"IF([Left]=0,0,{MANY}-[Left])",
        "Name": f'IF([Game]=0,"",IF({number}=0,{side.format("-1")},{side.format("")}))',
        "Pattern": 'SUBSTITUTE(SUBSTITUTE([Name],"~","?"),"*","?")',
        **dict(zip(labels, _matches(columns[1]), strict=True)),
        "Near": shown,
        "Says": f'IF([Game]=0,"",{said})',
    }
    none = layout.formula(f"IF({unknown}=0,0,{search.format('')})")
    units = dict.fromkeys(("Name", "Pattern", "Says"), "text")
    planned = tuple(
        ColumnPlan(
            label,
            Fill(PENDING, layout.formula(formula), units.get(label, "count"), first=none if label == "Left" else None),
            style=units.get(label, "integer"),
            width=14,
        )
        for label, formula in formulas.items()
    )
    return TablePlan(TABLE, HEADER_ROW, planned, ROWS, first_column)


def shown_status(status: str, people: str) -> str:
    """Return the formula of what a row of games shows: who is meant, where `status`, a formula, says unknown."""
    who = f'IFERROR(INDEX({TABLE}[Says],MATCH([Game],{TABLE}[Game],0)),"{says(people)}")'
    return f'IF({status}="{UNKNOWN}",{who},{status})'


def _matches(known: str) -> list[str]:
    """Return the formulas of the row of the first name that fits, 0 for none: what is looked for, in order.

    Two windows share a letter.
    """
    text, length = "[Pattern]", "LEN([Pattern])"
    several = f'ISNUMBER(FIND(" ",{text}))'
    first = f'LEFT({text},FIND(" ",{text}&" ")-1)'
    last = f'TRIM(RIGHT(SUBSTITUTE({text}," ",REPT(" ",99)),99))'
    asked = [(f"{length}>={SHORTEST_PART}", f'"*"&{text}&"*"')]
    for i in range(WINDOWS):
        before, end = (f"INT({at}*{length}/{WINDOWS})" for at in (i, i + 1))
        asked.append((f"{length}>={SHORTEST}", f'LEFT({text},{before})&"*"&MID({text},{end}+2,99)'))
    asked += [(f"AND({several},LEN({word})>={SHORTEST})", f'"*"&{word}&"*"') for word in (last, first)]
    return [f"IF({test},IFERROR(MATCH({what},{known},0),0),0)" for test, what in asked]
