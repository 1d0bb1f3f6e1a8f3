"""Rankings as people lay them out, put into the layouts of games of sides.

A row for each player and a column for each evening, with the places or with points that a column sums up, is turned
round; lists of places below each other, each under a title of its own, become the long form, a pair in a cell a side;
and where each of the players of a doubles has a row, with a partner and opponents, the rows of one game become one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from elo_sheets.readers._above import day_in
from elo_sheets.readers._across import ABSENT, is_of_totals, number_in, say_places
from elo_sheets.readers._contents import is_date, is_number
from elo_sheets.readers._dates import is_partial
from elo_sheets.readers._headings import named
from elo_sheets.readers._layout import PREAMBLE, Arranged, Row, listed
from elo_sheets.readers._results import WIN_DRAW_LOSS, outcome
from elo_sheets.readers._rows import TOTALS
from elo_sheets.readers._sides import LONG, OPPONENTS, PARTNERS, players_in
from elo_sheets.readers._text import YES_NO, clean_name, identity
from elo_sheets.readers._words import plain, table
from elo_sheets.readers.sided import OUT, place_in

MOST_OF_TWO = 3  # points for a win
LEAST_LISTS, LEAST_DAYS, LEAST_PLAYERS = 2, 3, 3
SAID = {1.0: "win", 0.5: "draw", 0.0: "loss"}
NO_ROW = "no row of a ranking"
# What a ranking of one evening does not have: a table of the season has it.
OF_SEASONS = frozenset(table("rankings")["of_seasons"])


def _is_place(text: str) -> bool:
    try:
        return text.casefold().rstrip(".") in OUT or place_in(text) >= 1
    except ValueError:
        return False


# --- a column for each evening


def turned(rows: Sequence[Row], day: Callable[[str], str] = str) -> Arranged:
    """Return rows of places, a row for each player and a column for each evening, with a row for each evening."""
    for at, row in enumerate(rows[:PREAMBLE]):
        heads = [day(cell.strip()) for cell in row.cells]
        who = next((i for i, head in enumerate(heads) if plain(head) in (*LONG["player"], *LONG["side"])), -1)
        days = [
            i for i, head in enumerate(heads) if i != who and (is_date(head) or is_partial(head) or _is_numbered(head))
        ]
        if who < 0 or len(days) < LEAST_DAYS or row.fault:
            continue
        body = list(_body(rows, at, who))
        people = [one for one in body if clean_name(one.cell(who)) and not is_of_totals(one)]
        shown = [[text for one in people if (text := one.cell(i)).casefold() not in ABSENT | {""}] for i in days]
        played = [some for some in shown if some]
        sound = all(map(_is_place, (text for some in played for text in some)))
        several = sum(len(some) >= LEAST_PLAYERS for some in played)
        numbers = [[text for text in some if text.casefold().rstrip(".") not in OUT] for some in played]
        are_places = sound and say_places(numbers) is True
        if not played or 2 * several <= len(played) or not (are_places or _are_summed(people, days, heads)):
            continue
        names = [clean_name(one.cell(who)) for one in people]
        if len({*map(identity, names)}) < len(names) or len(names) < LEAST_PLAYERS:
            continue
        title = "Date" if all(is_date(heads[i]) for i in days) else "Game"
        found = [row._replace(cells=[title, *(names if are_places else ("Player", "Points"))])]
        if are_places:
            found += [row._replace(cells=[heads[i], *(one.cell(i) for one in people)]) for i in days]
        else:
            found += [
                one._replace(cells=[heads[i], name, text])
                for i in days
                for one, name in zip(people, names, strict=True)
                if (text := one.cell(i)).casefold() not in ABSENT
            ]
        left = [head for i, head in enumerate(heads) if head and i != who and i not in days]
        below = [one for one in rows[at + 1 :] if one not in people and any(map(str.strip, one.cells))]
        notes = [f"a row for each player and a column for each game: row {row.line} was read as {len(days)} games"]
        notes += [] if are_places else ["the most points were read as the first place; --lowest-wins says otherwise"]
        notes += [f"columns beside the games were left out: {listed(left)}"] if left else []
        notes += [f"rows below the players were left out: {listed([one.cells[who] for one in below])}"] if below else []
        return found, notes
    return rows, []


def _are_summed(people: Sequence[Row], days: Sequence[int], heads: Sequence[str]) -> bool:
    """Whether rows hold the points of evenings, by a column with the sum of each player's.

    Points of up to three may be those of wins and draws in games of two.
    """
    cells = [[text for i in days if (text := one.cell(i)).casefold() not in ABSENT | {""}] for one in people]
    if not all(map(is_number, (text for some in cells for text in some))):
        return False
    points = [[number_in(text) for text in some] for some in cells]
    sums = [i for i, head in enumerate(heads) if i not in days and plain(head) in TOTALS | set(LONG["points"])]
    added = [i for i in sums if all(one.cell(i) == f"{sum(some):g}" for one, some in zip(people, points, strict=True))]
    seasons = OF_SEASONS & {head.strip().casefold() for head in heads}
    return bool(added) and not seasons and max(map(max, filter(None, points)), default=0) > MOST_OF_TWO


def _is_numbered(head: str) -> bool:
    """Whether a heading numbers a game: `Game 3`, `R1`, `Abend 2`."""
    word = plain(head)
    return word[-1:].isdigit() and not word.isdigit() and word.rstrip("0123456789").isalpha()


def _body(rows: Sequence[Row], at: int, who: int) -> Iterator[Row]:
    """Yield the rows below a header up to the first empty one."""
    for before, row in pairwise(rows[at:]):
        if not row.cell(who) or row.line - before.line > 1:
            return
        yield row


# --- lists below each other


def blocks(rows: Sequence[Row], day: Callable[[str], str] = str) -> Arranged:
    """Return lists of places, each under a title of its own, as a long form: a row for each player of each game."""
    headers = (_header(rows, place) for place in range(min(PREAMBLE, len(rows))))
    header = next((found for found in headers if found is not None), None)
    if header is None:
        return rows, []
    at, who, where = header
    lists, others = _lists(rows, at, who, where, day)
    if len(lists) < LEAST_LISTS or not _are_games([one.rows for one in lists], rows[at], who, where):
        return rows, []
    heads = rows[at].cells
    kept = [i for i, head in enumerate(heads) if i in (who, where) or plain(head) in LONG["points"]]
    names = ["Player" if i == who else "Place" if i == where else heads[i] for i in kept]
    paired = _are_pairs([row.cell(who) for one in lists for row in one.rows], heads[who])
    table = [rows[at]._replace(cells=["Date", "Game", "Side", *names])]
    for number, one in enumerate(lists, 1):
        for row in one.rows:
            side = row.cell(who) if paired else ""
            for name in players_in(side) if paired else [row.cell(who)]:
                cells = [name if i == who else row.cell(i) for i in kept]
                table.append(row._replace(cells=[one.day, _called(number, one), side, *cells]))
    table += [row._replace(cells=[""] * len(table[0].cells), fault=row.fault or NO_ROW) for row in others]
    return table, [f"{len(lists)} lists stand below each other under the same headings: each was read as a game"]


class _List(NamedTuple):
    """The rows of one game, and what stands above them."""

    title: str
    day: str
    rows: list[Row]


def _called(number: int, one: _List) -> str:
    """Return what a game is called: its number and its title, without the day."""
    title = one.title.replace(one.day, "") if one.day else one.title
    return f"{number}. {title.strip(' ,;:|–—-')}".strip()


def _lists(
    rows: Sequence[Row], at: int, who: int, where: int, day: Callable[[str], str]
) -> tuple[list[_List], list[Row]]:
    """Return the lists below each other, each with its title, and the rows that are of none and above none."""
    heads = [*map(plain, rows[at].cells)]
    lists: list[_List] = []
    above: list[Row] = []
    others: list[Row] = []
    parted, line = True, 0
    for row in rows:
        filled = row.filled
        if not filled and not row.fault:
            continue
        follows = bool(lists) and not above and not parted and row.line - line == 1
        if [*map(plain, row.cells)][: len(heads)] == heads:
            parted = True
        elif not row.fault and bool(row.cell(who)) and (_is_place(row.cell(where)) or (follows and len(filled) > 1)):
            if parted or any(_day(cell, day) for one in above for cell in one.cells):
                told = [cell.strip() for one in above for cell in one.cells if cell.strip()]
                lists.append(_List(" ".join(told), next(filter(None, (_day(one, day) for one in told)), ""), []))
                above = []
            lists[-1].rows.append(row)
            parted, line = False, row.line
        elif row.fault:
            others.append(row)
        else:
            above.append(row)
    return lists, [*others, *above]


def _day(text: str, day: Callable[[str], str]) -> str:
    told = day(text.strip())
    return told if is_date(told) else day_in(told)


def _header(rows: Sequence[Row], at: int) -> tuple[int, int, int] | None:
    """Return the place of a header of rankings, its column of players and that of places, None for another row."""
    heads = [*map(plain, rows[at].cells)]
    who = next((i for i, head in enumerate(heads) if head in (*LONG["player"], *LONG["side"])), -1)
    where = next((i for i, head in enumerate(heads) if head in LONG["place"]), -1)
    if min(who, where) < 0 or OF_SEASONS & {head.strip() for head in map(str.casefold, rows[at].cells)}:
        return None
    told = {named(head) for head in rows[at].cells} & {"date", "opponent", "white", "black", "winner", "loser"}
    return None if told - {"white"} or "game" in heads else (at, who, where)


def _are_games(lists: Sequence[Sequence[Row]], header: Row, who: int, where: int) -> bool:
    """Whether lists are those of games: two or more each, their players come again, and no points add up from one
    list to the next, as in the tables of a season."""
    names = [[identity(clean_name(row.cell(who))) for row in some] for some in lists]
    people = [{identity(one) for row in some for one in players_in(row.cell(who))} for some in lists]
    again = all(
        2 * len(one & set().union(*people[:at], *people[at + 1 :])) >= len(one) for at, one in enumerate(people)
    )
    if not again or any(len(set(some)) < max(2, len(some)) for some in names):
        return False
    firsts = all(any(row.cell(where).strip("tT=. ").startswith("1") for row in some) for some in lists)
    for at, head in enumerate(header.cells):
        numbers = [
            {name: float(text) for name, row in zip(some, found, strict=True) if is_number(text := row.cell(at))}
            for some, found in zip(names, lists, strict=True)
        ]
        if at == where or plain(head) not in LONG["points"] or not all(numbers):
            continue
        if all(after.get(name, 0) >= one for before, after in pairwise(numbers) for name, one in before.items()):
            return False
    return firsts


def _are_pairs(cells: Sequence[str], heading: str) -> bool:
    several = sum(len(players_in(cell)) > 1 for cell in cells)
    return several == len(cells) and (plain(heading) in LONG["side"] or any("/" in cell for cell in cells))


# --- a row for each player of a doubles


def beside(rows: Sequence[Row], columns: Mapping[str, str]) -> Arranged:
    """Return rows in which a column of partners stands behind that of each side, with a heading for each player."""
    for at, row in enumerate(rows[:PREAMBLE]):
        bare = [plain(cell).rstrip("0123456789") for cell in row.cells]
        partners = [i for i, head in enumerate(bare) if head in PARTNERS and i and bare[i - 1] not in PARTNERS]
        sides = [i - 1 for i in partners]
        if len(partners) != 2 or row.fault or columns or OPPONENTS & {*bare}:
            continue
        cells = list(row.cells)
        for letter, i in zip("AB", sides, strict=True):
            cells[i], cells[i + 1] = f"{letter}1", f"{letter}2"
        told = " and ".join(repr(row.cells[i].strip()) for i in sides)
        return [*rows[:at], row._replace(cells=cells), *rows[at + 1 :]], [
            f"{told} were read with the partner beside each"
        ]
    return rows, []


def by_player(rows: Sequence[Row], columns: Mapping[str, str]) -> Arranged:
    """Return rows of a player, partners and opponents as rows of two sides, each game once."""
    for at, row in enumerate(rows[:PREAMBLE]):
        heads = [*map(plain, row.cells)]
        bare = [head.rstrip("0123456789") for head in heads]
        partners = [i for i, head in enumerate(bare) if head in PARTNERS]
        against = [i for i, head in enumerate(bare) if head in OPPONENTS]
        own = next((i for i, head in enumerate(heads) if head in LONG["player"] or head in ("ich", "me", "i")), -1)
        if own < 0 or not partners or not against or row.fault or columns:
            continue
        below = rows[at + 1 :]
        if len(against) == 1 and not any(len(players_in(one.cell(against[0]))) > 1 for one in below):
            continue
        said = {role: i for i, head in enumerate(row.cells) if (role := named(head)) and i not in (own, *partners)}
        result = next((said[name] for name in ("score", "winner") if name in said), -1)
        points = [said[name] for name in ("white_points", "black_points") if name in said]
        if result < 0 and len(points) < 2:
            continue
        cells = list(row.cells)
        for side, seats in (("A", [own, *partners]), ("B", against)):
            for number, i in enumerate(seats, 1):
                cells[i] = f"{side}{number}"
        for side, i in zip("AB", points, strict=False):
            cells[i] = f"{side} points"
        if result >= 0:
            cells[result] = "Score"
            below = [_with_result(one, result) for one in below]
        more = [said[name] for name in ("date", "event") if name in said]
        more += [i for i, head in enumerate(heads) if head in LONG["game"]]
        sides = [own, *partners], against
        found, count = _once(below, sides, more, points if len(points) > 1 else [result])
        notes = ["each row tells of a game from the side of one of its players"]
        again = "1 row tells" if count == 1 else f"{count} rows tell"
        notes += [f"{again} of a game that another player's row has told: each counts once"] if count else []
        return [*rows[:at], row._replace(cells=cells), *found], notes
    return rows, []


def _with_result(row: Row, at: int) -> Row:
    """Return a row with a letter, or a yes or no, as the word for how the game ended."""
    word = row.cell(at).casefold()
    score = WIN_DRAW_LOSS.get(word, float(YES_NO[word]) if word in YES_NO else None)
    if score is None:
        return row
    return row.put(at, SAID[score])


def _once(
    rows: Sequence[Row], sides: tuple[Sequence[int], Sequence[int]], beside: Sequence[int], result: Sequence[int]
) -> tuple[list[Row], int]:
    """Return the rows without those that tell a game again, from another of its players, and how many those are.

    Two that tell different results of one game are both at fault.
    """
    first: dict[object, int] = {}
    told: Counter[object] = Counter()
    kept: list[Row | None] = []
    for row in rows:
        one, other = (frozenset(identity(name) for i in side for name in players_in(row.cell(i))) for side in sides)
        if row.fault or not one or not other:
            kept.append(row)
            continue
        game = (*(row.cell(i) for i in beside), frozenset({one, other}))
        own = (game, identity(row.cell(sides[0][0])))
        told[own] += 1
        at = first.setdefault((game, told[own]), len(kept))
        before = kept[at] if at < len(kept) else None
        kept.append(row)
        if before is None:
            continue
        if _own_result(before, result, _same_side(before, row, sides)) == _own_result(row, result, True):
            kept[-1] = None
        else:
            for i, (line, again) in ((at, (before, row)), (len(kept) - 1, (row, before))):
                kept[i] = line._replace(fault=f"row {again.line} tells another result of this game")
    return [row for row in kept if row is not None], sum(row is None for row in kept)


def _same_side(one: Row, other: Row, sides: tuple[Sequence[int], Sequence[int]]) -> bool:
    names = {identity(name) for i in sides[0] for name in players_in(other.cell(i))}
    return identity(clean_name(one.cell(sides[0][0]))) in names


def _own_result(row: Row, at: Sequence[int], straight: bool) -> object:
    """Return what a row tells, from the other side where it is not `straight`."""
    if len(at) > 1:
        points = [row.cell(i) for i in at]
        return points if straight else points[::-1]
    found = outcome(row.cell(at[0]))
    if straight or found.score is None:
        return found.score, found.points
    return 1 - found.score, found.points[::-1] if found.points else None
