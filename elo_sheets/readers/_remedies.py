"""How to name the columns of a log of which the headers do not say enough, in the words of that very log."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from itertools import combinations

from elo_sheets.readers._contents import are_clocks, are_sides, kind_of
from elo_sheets.readers._layout import Layout, Row

ROW_A_GAME = (
    "write a row for each game, under headings such as Date, White, Black and Result, or a row for each player, under "
    "Game, Player and Points; --map names columns that are called otherwise"
)
NO_RESULT = "write into a column of its own how each game ended, under the heading Result"


def how_to_name(layout: Layout, rows: Sequence[Row]) -> str:
    """Return what a user may try where the two sides or the result of games are not found.

    >>> rows = [Row(2, ["Ann", "Bob", "won 3", "x"]), Row(3, ["Cid", "Ann", "lost 2", "y"])]
    >>> how_to_name(Layout({}, ["Who", "Whom", "Then"]), rows)
    'name the columns, as in --map white=Who --map black=Whom --map score=Then'
    """
    if len(layout.headers) == 1:
        return (
            "each row is one text: write the sides and the result into columns of their own, as in White,Black,Result"
        )
    rows = [row for row in rows if list(row.cells) != list(layout.headers)]
    columns = {at: [row.cell(at) for row in rows] for at in range(len(layout.headers))}
    kinds = {
        at: kind_of([cell.strip().removeprefix("+") for cell in cells])
        for at, cells in columns.items()
        if at != layout.roles.get("date")
    }

    def named(*pairs: tuple[str, int]) -> str:
        return " ".join(f"--map {role}={_header(layout, at)}" for role, at in pairs)

    sides = [layout.roles[side] for side in ("white", "black") if side in layout.roles]
    names = [at for at, kind in kinds.items() if kind == "name" and at not in sides]
    numbers = [at for at, kind in kinds.items() if kind == "number" and at not in sides]
    results = [at for at, kind in kinds.items() if kind == "result" and not are_clocks(columns[at])]
    results.sort(key=lambda at: any(map(str.isdigit, layout.headers[at])))  # Set 1 before the last
    if "opponent" in layout.roles:
        result = [*results, *(at for at in numbers if at not in layout.roles.values())][:1]
        return f"name the column, as in {named(('score', result[0]))}" if result else NO_RESULT
    day = layout.roles.get("date", -1)
    if not sides and len(names) == 1 and numbers and day >= 0:
        days, people = (list(filter(str.strip, columns[at])) for at in (day, names[0]))
        if len(set(days)) < len(days) and len(set(people)) < len(people):  # a row for each player of an evening
            return f"name the columns, as in {named(('game', day), ('player', names[0]), ('points', numbers[-1]))}"
    if len(sides) < 2 and len(names) > 2 and len(numbers) >= len(names):
        return "for tables of many head the columns Player 1, Points 1, Player 2, Points 2, …"
    if len(sides) < 2 and len(names) in (4, 5):
        told = named(*zip(("a1", "a2", "b1", "b2"), names[:4], strict=True))
        points = named(("a_points", numbers[-2]), ("b_points", numbers[-1])) if len(numbers) == 2 else ""
        points = points or (named(("score", results[0])) if results else "")
        return f"name the columns, for doubles as in {told} {points}" if points else NO_RESULT
    if len(sides) < 2:
        pairs = [pair for pair in combinations(names, 2) if are_sides(*(columns[at] for at in pair))]
        sides = list(pairs[0]) if pairs else names if len(names) == 2 else []
        names = [at for at in names if at not in sides]
    if len(sides) < 2:
        return ROW_A_GAME
    told = named(("white", sides[0]), ("black", sides[1]))
    if results or (not numbers and names):
        return f"name the columns, as in {told} {named(('score', (results or names)[0]))}"
    if len(numbers) == 2:
        return f"name the columns, as in {told} {named(('white_points', numbers[-2]), ('black_points', numbers[-1]))}"
    return f"name the columns, as in {told} {named(('score', numbers[0]))}" if len(numbers) == 1 else NO_RESULT


def _header(layout: Layout, at: int) -> str:
    """Return a column as --map names it: by its header where it can and no other has it, else by its number."""
    header = " ".join(layout.headers[at].split())
    same = [one for one in layout.headers if " ".join(one.split()).casefold() == header.casefold()]
    may_be = header and "," not in header and len(same) == 1 and layout.has_header
    return shlex.quote(header) if may_be else str(at + 1)
