"""Who is meant by a name that nobody on Players has: a hidden table with a row for each of the first unknown names.

Only names that are unknown are looked up, a few rows that stand beside Carry, so that a book without such names has
nothing to compute. A look-up is a MATCH with wildcards: the name as a part of another one, the name with two or more
neighbouring letters left open, window after window, which finds a letter that was dropped, doubled, exchanged or
swapped, and its last and its first word.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from elo_sheets.workbook.book import HEADER_ROW
from elo_sheets.workbook.layout import TableLayout
from elo_sheets.workbook.plan import CellValue, ColumnPlan, Fill, TablePlan

TABLE = "Near"
UNKNOWN = "unknown player"
# Names that are looked up, and windows of letters that are left open one after the other.
ROWS, WINDOWS = 20, 16
# What a part of a name must have to be looked for, and what a misspelt name must have.
SHORTEST_PART, SHORTEST = 3, 4
# More than games in a book.
MANY = 1_000_000
KNOWN = "Players[Known as]"


def says(people: str, near: str) -> str:
    """Return what the status of a game says of a name; `near` is the one that may be meant."""
    return f"not on {people}" + (f": did you mean {near}?" if near else "")


def near_name(name: str, known: Sequence[str]) -> str:
    """Return the name that may be meant, "" for none.

    >>> [near_name(name, ["Scotland", "Northern Ireland"]) for name in ("Scotlnad", "Ireland", "Wales")]
    ['Scotland', 'Northern Ireland', '']
    """
    found = next((at for at in (_match(one, known) for one in _patterns(name)) if at), 0)
    return known[found - 1] if found else ""


def strangers(statuses: Sequence[str], names: Sequence[tuple[str, str]], white: Sequence[int]) -> list[tuple[int, str]]:
    """Return the games, from 0, of unknown names, each with the name; `white` are White's numbers, 0 for an unknown."""
    found = [i for i, status in enumerate(statuses) if status == UNKNOWN]
    return [(i, names[i][1 if white[i] else 0]) for i in found]


def near_table(
    unknown: Sequence[tuple[int, str]],
    known: Sequence[str],
    people: str,
    first_column: int,
    columns: tuple[str, str] = ("Player", KNOWN),
) -> TablePlan:
    """Return the table of the games of unknown names (see `strangers`); `known` are the names in their order.

    `people` is what the book calls the sheet of the names, `columns` the Ledger's column of names and that of `known`.
    """
    unknown = unknown[:ROWS]
    games = [float(i + 1) for i, _ in unknown] + [0.0] * (ROWS - len(unknown))
    names = [name for _, name in unknown] + [""] * (ROWS - len(unknown))
    left = [MANY - game if game else 0.0 for game in games]
    matches = [[float(_match(one, known)) for one in _patterns(name)] for name in names]
    labels = ["Part", *(f"Open {i}" for i in range(1, WINDOWS + 1)), "Last word", "First word"]
    layout = TableLayout(TABLE, ["Left", "Game", "Name", "Pattern", *labels, "Near", "Says"], HEADER_ROW, first_column)
    search = f'SUMPRODUCT(MAX((Ledger[Status]="{UNKNOWN}"){{}}*({MANY}-Ledger[Game])))'
    side = f"INDEX(Ledger[{columns[0]}],2*[Game]{{}})"
    number = "INDEX(Ledger[Player no.],2*[Game]-1)"
    shown = "".join(f"IF([{label}]>0,[{label}]," for label in labels) + "0" + ")" * len(labels)
    fills: dict[str, tuple[str, Sequence[CellValue], str]] = {
        "Left": (f"IF(up[Left]=0,0,{search.format('*(Ledger[Game]>up[Game])')})", left, "count"),
        "Game": (f"IF([Left]=0,0,{MANY}-[Left])", games, "count"),
        "Name": (f'IF([Game]=0,"",IF({number}=0,{side.format("-1")},{side.format("")}))', names, "text"),
        "Pattern": (
            'SUBSTITUTE(SUBSTITUTE([Name],"~","?"),"*","?")',
            [_pattern(name) for name in names],
            "text",
        ),
    }
    for at, (label, formula) in enumerate(zip(labels, _formulas(columns[1]), strict=True)):
        fills[label] = formula, [row[at] for row in matches], "count"
    near = [next((at for at in row if at), 0.0) for row in matches]
    texts = [
        says(people, known[int(at) - 1] if at else "") if game else "" for at, game in zip(near, games, strict=True)
    ]
    said = f'"{says(people, "")}"&IF([Near]=0,"",": did you mean "&INDEX({columns[1]},MAX(1,[Near]))&"?")'
    fills["Near"] = shown, near, "count"
    fills["Says"] = f'IF([Game]=0,"",{said})', texts, "text"
    none = layout.formula(f'IF(COUNTIF(Ledger[Status],"{UNKNOWN}")=0,0,{search.format("")})')
    planned = tuple(
        ColumnPlan(
            label,
            Fill(values, layout.formula(formula), unit, first=none if label == "Left" else None),
            style="text" if unit == "text" else "integer",
            width=14,
        )
        for label, (formula, values, unit) in fills.items()
    )
    return TablePlan(TABLE, HEADER_ROW, planned, ROWS, first_column)


def shown_status(status: str, people: str) -> str:
    """Return the formula of what a row of games shows: who is meant, where `status`, a formula, says unknown."""
    who = f'IFERROR(INDEX({TABLE}[Says],MATCH([Game],{TABLE}[Game],0)),"{says(people, "")}")'
    return f'IF({status}="{UNKNOWN}",{who},{status})'


def _pattern(name: str) -> str:
    return name.replace("~", "?").replace("*", "?")


def _window(length: int, i: int) -> tuple[int, int]:
    """Return how many letters stand before a window and up to its end; two windows share a letter."""
    return i * length // WINDOWS, min(length, (i + 1) * length // WINDOWS + 1)


def _patterns(name: str) -> list[str]:
    """Return what is matched, in order; empty text is not looked for."""
    text = _pattern(name)
    words = text.split(" ")
    found = [f"*{text}*" if len(text) >= SHORTEST_PART else ""]
    for i in range(WINDOWS):
        before, end = _window(len(text), i)
        found.append(f"{text[:before]}*{text[end:]}" if len(text) >= SHORTEST else "")
    found += [f"*{word}*" if len(words) > 1 and len(word) >= SHORTEST else "" for word in (words[-1], words[0])]
    return found


def _formulas(known: str) -> list[str]:
    """Return the formulas of the same."""
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


def _match(pattern: str, known: Sequence[str]) -> int:
    """Return the row, from 1, of the first name that a pattern with wildcards fits; 0 for none."""
    if not pattern:
        return 0
    wild = {"*": ".*", "?": "."}
    rule = re.compile("".join(wild.get(letter) or re.escape(letter) for letter in pattern.lower()), re.DOTALL)
    return next((at for at, name in enumerate(known, 1) if name and rule.fullmatch(name.lower())), 0)
