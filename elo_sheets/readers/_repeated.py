"""Rows in which several columns tell one thing, or the same thing of several games.

`S1 P1 | S1 P2 | S2 P1 | S2 P2`, or `Game 1` over `H | A` and so on, become one result of sets. `Game 1 | Game 2`, or a
first and a return leg with a day of its own each, become a row a game. `W | D | L`, of which a game marks one, becomes
its result.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import combinations

from elo_sheets.readers._contents import SETS, are_clocks, filled, in_words, is_days, is_number, kind_of, share
from elo_sheets.readers._headings import WORDS, ranked_roles, words_of
from elo_sheets.readers._layout import PREAMBLE, Arranged, Row, column_of, complete, guess
from elo_sheets.readers._results import Outcome, outcome, outcomes, tidy
from elo_sheets.readers._words import table

LEGS = [frozenset(table("repeated")[leg]) for leg in ("first_leg", "return_leg")]  # in the same words otherwise
SETS_ALONE = frozenset(table("repeated")["sets_alone"])  # which tell of no game
SIDED = ("white", "black", "owner", "opponent")
COUNT = re.compile(r"\d{1,2}")
TICKS = frozenset("1 x ✓ ✔ ● yes true ja oui si sí".split())
DECIDING = {"score", "winner", "white_points", "black_points"}


def in_ticks(rows: Sequence[Row], header: int, roles: Mapping[str, int]) -> Arranged:
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
        said = {head: _told(head, headings, roles) or one for head, one in outcomes(heads).items()}
        scores = {told.score for told in said.values()}
        marks = [[at for at in run if at < len(row.cells) and tidy(row.cells[at]) not in ("", "0")] for row in games]
        ticks = {tidy(row.cells[at]) for row, some in zip(games, marks, strict=True) for at in some}
        alone = sum(len(some) == 1 for some in marks)
        if scores not in ({1.0, 0.5, 0.0}, {1.0, 0.0}) or len(scores) < len(heads) or not ticks:
            continue
        named = ", ".join(map(repr, heads))
        counted = bool(ticks - TICKS)
        if not counted and 2 * alone > len(marks):
            counts = dict.fromkeys(ticks, 1)
            note = f"the marks in the columns {named} were read as the results"
        elif counted and len(heads) == 3 and all(map(COUNT.fullmatch, ticks)) and not _from_both(games, roles):
            counts = {tick: int(tick) for tick in ticks}
            note = f"each row tells how many games ended so ({named}): their order is not told"
        else:
            continue
        results = {head: {1.0: "1-0", 0.5: "1/2-1/2"}.get(said[head].score or 0.0, "0-1") for head in heads}
        told = {
            row.line: [results[heads[at - first]] for at in some for _ in range(counts[tidy(row.cells[at])])]
            for row, some in zip(games, marks, strict=True)
        }
        found = []
        for place, row in enumerate(rows):
            cells = row.padded(last)
            some = ["Result"] if place == header else told.get(row.line, [""]) if place > header else [""]
            some = some if counted and some else [" ".join(some)]  # two marks are no result
            found += [row.holding([*cells[:first], one, *cells[last:]]) for one in some]
        return found, [note]
    return rows, []


def _told(head: str, headings: Sequence[str], roles: Mapping[str, int]) -> Outcome | None:
    """Return what the heading of a column says of who won, where it names a side by its heading: `A won`."""
    sides = [headings[roles[side]] for side in ("white", "black") if side in roles]
    ways = ([words_of(side) for side in sides], [words_of(side)[-1:] for side in sides]) if len(sides) == 2 else ()
    told = (in_words(" ".join(words_of(head)), *map(" ".join, way)) for way in ways if all(way))
    return next((one for one in told if one is not None), None)


def _from_both(games: Sequence[Row], roles: Mapping[str, int]) -> bool:
    """Whether two players meet in two rows, one from the view of each."""
    pairs = [tuple(row.cells[roles[side]] for side in roles if side in SIDED) for row in games]
    return any(pair[::-1] in pairs for pair in pairs)


def by_targets(rows: Sequence[Row], header: int, roles: Mapping[str, int]) -> Arranged:
    """Return rows in which the first to reach a number of his own won, as in `Race A | Race B`, with who did.

    In every game that has points one side has just its number and the other one fewer.
    """
    if header < 0 or not {"white_points", "black_points"} <= roles.keys() or {"score", "winner"} & roles.keys():
        return rows, []
    points = [roles["white_points"], roles["black_points"]]
    headings, games = rows[header].cells, [row for row in rows[header + 1 :] if not row.fault]
    free = [at for at in range(len(headings)) if at not in roles.values() and _are_numbers(column_of(games, at))]
    for one, other in combinations(free, 2):
        stems = [tuple(words_of(headings[at])[:-1]) or words_of(headings[at]) for at in (one, other)]
        at = [one, *points[:1], other, *points[1:]]
        told = {
            row.line: [float(row.cells[i]) for i in at]
            for row in games
            if all(i < len(row.cells) and is_number(row.cells[i].strip()) for i in at)
        }
        reached = [(b == a, d == c, b <= a and d <= c) for a, b, c, d in told.values()]
        if stems[0] != stems[1] or not told or not all(a != b and fits for a, b, fits in reached):
            continue
        if all((b == a) == (b > d) for a, b, _, d in told.values()):
            continue  # he who has more has won
        found = []
        for place, row in enumerate(rows):
            won = row.line in told and ("1-0" if told[row.line][0] == told[row.line][1] else "0-1")
            cells = [("" if i in points else cell) for i, cell in enumerate(row.cells)]
            found.append(row.holding([*cells, "Result" if place == header else won or ""]))
        named = " and ".join(repr(headings[i].strip()) for i in (one, other))
        return found, [f"he won who reached his number in {named}, whoever has more points"]
    return rows, []


def in_sets(rows: Sequence[Row], header: int, roles: Mapping[str, int]) -> Arranged:
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
    numbers = {at for at in range(width) if at not in named and _are_numbers(column_of(games, at))}
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
        cells = row.padded(width)
        if place > header and not row.fault:
            points = [(cells[one].strip(), cells[other].strip()) for one, other in pairs]
            result = " ".join(f"{one}-{other}" for one, other in points if one or other)
        else:
            result = "Result" if place == header else ""
        kept = [*cells[:first], result, *cells[last:]]
        found.append(row.holding(kept))
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


def in_groups(rows: Sequence[Row]) -> Arranged:
    """Return a row a game where each row has several, the columns of each numbered: `Board 1 White`, `Result 1`."""
    for header, row in enumerate(rows[:PREAMBLE]):
        groups: dict[str, dict[str, int]] = {}
        for at, heading in enumerate(row.cells):
            words = words_of(heading)
            numbers = [word for word in words if word.isdigit()]
            if len(numbers) == 1 and len(words) > 1:
                bare = [word for word in words if not word.isdigit()]
                stem = " ".join([word for word in bare if "nothing" not in WORDS.get(word, ())] or bare)
                groups.setdefault(numbers[0], {}).setdefault(stem, at)
        stems = {tuple(sorted(group)) for group in groups.values()}
        if len(groups) < 2 or len(stems) != 1:
            continue
        heads = list(next(iter(groups.values())))
        if not any(role for _, role, _ in ranked_roles(heads)):
            continue
        below = [[one.cell(at) for at in group.values()] for one in rows[header + 1 :] for group in groups.values()]
        if not complete(guess(heads, below)):
            continue
        taken = {at for group in groups.values() for at in group.values()}
        found: list[Row] = []
        for place, one in enumerate(rows):
            kept = [cell for at, cell in enumerate(one.cells) if at not in taken]
            if place <= header or one.fault:
                found.append(
                    one
                    if one.fault
                    else one._replace(cells=[*kept, *(heads if place == header else [""] * len(heads))])
                )
                continue
            games = [[one.cell(group[head]) for head in heads] for group in groups.values()]
            found += [one._replace(cells=[*kept, *game]) for game in games if any(map(str.strip, game))]
        return found, [
            f"each row holds {len(groups)} games, whose columns are numbered: they were read one after the other"
        ]
    return rows, []


def in_games(rows: Sequence[Row], header: int, roles: Mapping[str, int]) -> Arranged:
    """Return a row a game where the results of several games between two sides stand in one row."""
    if header < 0:
        return _sets_of_teams(rows)
    if DECIDING & roles.keys():
        return rows, []
    headings = rows[header].cells
    games = [row for row in rows[header + 1 :] if not row.fault]
    free = [at for at in range(len(headings)) if at not in roles.values()]
    columns = {at: column_of(games, at) for at in free}
    results = [at for at in free if kind_of(columns[at]) == "result" and not are_clocks(columns[at])]
    if len(results) < 2 or not _are_alike([headings[at] for at in results]):
        return rows, []
    if _are_sets([headings[at] for at in results], [[row.cell(at) for at in results] for row in games]):
        return _joined(rows, header, results)
    days: dict[int, int] = {}
    for at in results if "date" not in roles else ():
        beside = [one for one in (at - 1, at + 1) if one in free and one not in results and is_days(columns[one])]
        if beside:
            days[at] = beside[0]
    taken = {*results, *days.values()}
    found: list[Row] = []
    for place, row in enumerate(rows):
        cells = row.padded(len(headings))
        kept = [cell for at, cell in enumerate(cells[: len(headings)]) if at not in taken]
        beyond = cells[len(headings) :]  # more cells than headings, which is said of the row
        if place < header or row.fault:
            found.append(row.holding([*kept, "", "", ""]))
        elif place == header:
            found.append(row._replace(cells=[*kept, "Date" if days else "", "Leg", "Result"]))
        else:
            told = [[cells[days[at]] if at in days else "", headings[at], cells[at]] for at in results]
            found += [row._replace(cells=[*kept, *one, *beyond]) for one in told]
    said = " and ".join(repr(headings[at].strip()) for at in results)
    return found, [f"each row holds several games of two sides: {said} were read one after the other"]


def _sets_of_teams(rows: Sequence[Row]) -> Arranged:
    """Return rows with one result for the columns of sets where several headings name the players of each side."""
    for header, row in enumerate(rows[:PREAMBLE]):
        sets = [at for at, heading in enumerate(row.cells) if SETS_ALONE & set(words_of(heading))]
        games = [one for one in rows[header + 1 :] if not one.fault]
        if len(sets) > 1 and _are_alike([row.cells[at] for at in sets]):
            return (
                _joined(rows, header, sets)
                if all(kind_of(column_of(games, at)) == "result" for at in sets)
                else (rows, [])
            )
    return rows, []


def _are_sets(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Whether columns hold the sets of one game: by their headings, or since none was played once a side had enough."""
    if all(SETS_ALONE & set(words_of(heading)) for heading in headings):
        return True
    told = [[outcome(cell).score for cell in filled(row)] for row in rows]
    if not all(told) or not all(score in (0.0, 1.0) for scores in told for score in scores):
        return False
    won = [(sum(score == scores[-1] for score in scores), len(scores)) for scores in told]
    enough, several = won[0][0], {count for _, count in won}
    return enough > 1 and len(several) > 1 and all(most == enough and count < 2 * enough for most, count in won)


def _joined(rows: Sequence[Row], header: int, sets: Sequence[int]) -> Arranged:
    """Return rows with one result for the columns of the sets of a game."""
    found = []
    for place, row in enumerate(rows):
        told = "Result" if place == header else " ".join(filled([row.cell(at) for at in sets]))
        kept = row.padded(max(sets) + 1)
        cells = [told if at == sets[0] else cell for at, cell in enumerate(kept) if at not in sets[1:]]
        found.append(row.holding(cells))
    said = " and ".join(repr(rows[header].cells[at].strip()) for at in sets)
    return found, [f"the sets of each game were read from {said}"]


def _are_alike(headings: Sequence[str]) -> bool:
    """Whether headings are the same but for a number, or name the first and the return leg."""
    words = [words_of(one) for one in headings]
    stems = {tuple(word for word in one if not word.isdigit()) for one in words}
    if len(stems) == 1 and all(any(map(str.isdigit, one)) for one in words):
        return True
    return len(words) == 2 and all(legs & set(one) for legs, one in zip(LEGS, words, strict=True))


def _are_numbers(cells: Sequence[str]) -> bool:
    some = filled(cells)
    return bool(some) and share(some, lambda cell: is_number(cell) and re.fullmatch(r"\d{1,2}", cell) is not None) == 1
