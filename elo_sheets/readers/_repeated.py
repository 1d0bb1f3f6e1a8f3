"""Rows in which several columns tell one thing, or the same thing of several games.

`S1 P1 | S1 P2 | S2 P1 | S2 P2`, or `Game 1` over `H | A` and so on, become one result of sets. `Game 1 | Game 2`, or a
first and a return leg with a day of its own each, become a row a game. `W | D | L`, of which a game marks one, becomes
its result.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from elo_sheets.readers._contents import MOST, are_clocks, filled, is_days, is_number, kind_of, share
from elo_sheets.readers._headings import words_of
from elo_sheets.readers._layout import Row
from elo_sheets.readers._results import outcomes, tidy
from elo_sheets.readers._words import table

Rows = tuple[Sequence[Row], list[str]]

WORDS = {kind: frozenset(words) for kind, words in table("repeated").items()}
SETS = WORDS["sets"]
LEGS = (WORDS["first_leg"], WORDS["return_leg"])  # in the same words otherwise
TICKS = frozenset("1 x ✓ ✔ ● yes true ja oui si sí".split())
DECIDING = {"score", "winner", "white_points", "black_points"}


def in_ticks(rows: Sequence[Row], header: int, roles: Mapping[str, int]) -> Rows:
    """Return rows with one result for the columns of a win, a draw and a loss, of which each game marks one."""
    if header < 0:
        return rows, []
    headings = rows[header].cells
    taken = {at for role, at in roles.items() if role not in DECIDING | {"loser", "draw"}}
    games = [row for row in rows[header + 1 :] if not row.fault and all(at < len(row.cells) for at in taken)]
    games = [row for row in games if all(row.cells[at].strip() for at in taken - {roles.get("date")})]
    for first, last in ((at, at + count) for count in (3, 2) for at in range(len(headings) - count + 1)):
        run = range(first, last)
        heads = [" ".join(headings[at].split()) for at in run]
        if taken & {*run} or all(map(str.isdigit, heads)) or not all(heads):
            continue
        scores = {told.score for told in outcomes(heads).values()}
        marks = [[at for at in run if at < len(row.cells) and tidy(row.cells[at]) not in ("", "0")] for row in games]
        ticks = {tidy(row.cells[at]) for row, some in zip(games, marks, strict=True) for at in some}
        alone = sum(len(some) == 1 for some in marks)
        if scores not in ({1.0, 0.5, 0.0}, {1.0, 0.0}) or len(scores) < len(heads) or not ticks or ticks - TICKS:
            continue
        if alone < MOST * len(marks):
            continue
        told = {row.line: [headings[at] for at in some] for row, some in zip(games, marks, strict=True)}
        found = []
        for place, row in enumerate(rows):
            result = "Result" if place == header else " ".join(told.get(row.line, []) if place > header else [])
            cells = [*row.cells, *[""] * (last - len(row.cells))]
            found.append(row if row.fault else row._replace(cells=[*cells[:first], result, *cells[last:]]))
        return found, [f"the marks in the columns {', '.join(map(repr, heads))} were read as the results"]
    return rows, []


def in_sets(rows: Sequence[Row], header: int, roles: Mapping[str, int]) -> Rows:
    """Return rows with the points of sets, which stand in pairs of columns, as one result.

    `header` is the place of the row of headings and `roles` what it says; a second row of headings may stand below it.
    """
    if header < 0 or {"score", "winner"} & roles.keys():
        return rows, []
    width = len(rows[header].cells)
    body = [row for row in rows[header + 1 :] if not row.fault]
    sides = [row.cells[at].strip() for row in body[:1] for at in roles.values() if at < len(row.cells)]
    below = body[0] if body and not any(sides) else None  # H | A below Game 1
    games = [row for row in body if row is not below]
    named = {at for role, at in roles.items() if role not in DECIDING}
    numbers = {at for at in range(width) if at not in named and _are_numbers(_column(games, at))}
    first = next((at for at in sorted(numbers) if at + 1 in numbers and _is_of_set(rows[header].cells[at])), width)
    last = next((at for at in range(first, width + 1) if at not in numbers), width)
    pairs = [(at, at + 1) for at in range(first, last - 1, 2)]
    if len(pairs) < 2 or (last - first) % 2 or not _of_sets(rows[header], below, pairs):
        return rows, []
    told = ["-".join(filled([row.cells[one], row.cells[other]])) for row in games[:1] for one, other in pairs]
    found = []
    for place, row in enumerate(rows):
        if row is below:
            continue
        cells = [*row.cells, *[""] * (width - len(row.cells))]
        if place > header and not row.fault:
            points = [(cells[one].strip(), cells[other].strip()) for one, other in pairs]
            result = " ".join(f"{one}-{other}" for one, other in points if one or other)
        else:
            result = "Result" if place == header else ""
        kept = [*cells[:first], result, *cells[last:]]
        found.append(row if row.fault else row._replace(cells=kept))
    said = " ".join(filter(None, told))
    return found, [f"the points of {len(pairs)} sets were read from pairs of columns, as in {said}"]


def _of_sets(header: Row, below: Row | None, pairs: Sequence[tuple[int, int]]) -> bool:
    """Whether the headings of pairs of columns count sets, each for the same two sides."""
    names = [tuple(header.cells[at] for at in pair) for pair in pairs]
    if below is not None:
        sides = {tuple(below.cells[at].strip() for at in pair) for pair in pairs}
        return len(sides) == 1 and all(_is_of_set(one) and not other.strip() for one, other in names)
    differ = []
    for one, other in (map(words_of, pair) for pair in names):
        apart = [(a, b) for a, b in zip(one, other, strict=False) if a != b]
        if len(one) != len(other) or len(apart) != 1:
            return False
        differ.append(apart[0])
    return len(set(differ)) == 1 and all(_is_of_set(one) for one, _ in names)


def _is_of_set(heading: str) -> bool:
    words = words_of(heading)
    return bool(SETS & set(words)) and any(map(str.isdigit, words))


def in_games(rows: Sequence[Row], header: int, roles: Mapping[str, int]) -> Rows:
    """Return a row a game where the results of several games between two sides stand in one row."""
    if header < 0 or DECIDING & roles.keys():
        return rows, []
    headings = rows[header].cells
    games = [row for row in rows[header + 1 :] if not row.fault]
    free = [at for at in range(len(headings)) if at not in roles.values()]
    columns = {at: _column(games, at) for at in free}
    results = [at for at in free if kind_of(columns[at]) == "result" and not are_clocks(columns[at])]
    if len(results) < 2 or not _are_alike([headings[at] for at in results]):
        return rows, []
    days: dict[int, int] = {}
    for at in results if "date" not in roles else ():
        beside = [one for one in (at - 1, at + 1) if one in free and one not in results and is_days(columns[one])]
        if beside:
            days[at] = beside[0]
    taken = {*results, *days.values()}
    found: list[Row] = []
    for place, row in enumerate(rows):
        cells = [*row.cells, *[""] * (len(headings) - len(row.cells))]
        kept = [cell for at, cell in enumerate(cells[: len(headings)]) if at not in taken]
        beyond = cells[len(headings) :]  # more cells than headings, which is said of the row
        if place < header or row.fault:
            found.append(row if row.fault else row._replace(cells=[*kept, "", "", ""]))
        elif place == header:
            found.append(row._replace(cells=[*kept, "Date" if days else "", "Leg", "Result"]))
        else:
            told = [[cells[days[at]] if at in days else "", headings[at], cells[at]] for at in results]
            found += [row._replace(cells=[*kept, *one, *beyond]) for one in told]
    said = " and ".join(repr(headings[at].strip()) for at in results)
    return found, [f"each row holds several games of two sides: {said} were read one after the other"]


def _are_alike(headings: Sequence[str]) -> bool:
    """Whether headings are the same but for a number, or name the first and the return leg."""
    words = [words_of(one) for one in headings]
    stems = {tuple(word for word in one if not word.isdigit()) for one in words}
    if len(stems) == 1 and all(any(map(str.isdigit, one)) for one in words):
        return True
    return len(words) == 2 and all(legs & set(one) for legs, one in zip(LEGS, words, strict=True))


def _column(rows: Sequence[Row], at: int) -> list[str]:
    return [row.cells[at] for row in rows if at < len(row.cells)]


def _are_numbers(cells: Sequence[str]) -> bool:
    some = filled(cells)
    return bool(some) and share(some, lambda cell: is_number(cell) and re.fullmatch(r"\d{1,2}", cell) is not None) == 1
