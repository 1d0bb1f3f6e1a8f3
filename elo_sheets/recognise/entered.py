"""Games as they were entered, in whatever layout: against oneself, dated before the game above, or a second time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import accumulate, groupby, pairwise
from operator import itemgetter

from elo_sheets.files.package import Value
from elo_sheets.recognise.context import NOTE, WARNING, Proposal
from elo_sheets.recognise.model import Key, Model

NEARLY = 0.75  # of the games have an entry in a column that each is known by; or days that rise
SIDES = 2  # of a game
GAMES_OF_A_DAY = 50  # at most, that are compared with each other
LEAST = 4  # games or rounds, to say of one that it stands out
FIRST_DAY, LAST_DAY = 4000, 80000  # numbers of days: 1910 to 2119; ratings are less
CALENDARS = 1462  # days between the two calendars that workbooks know
RARE = 0.1  # games like another of the day: fewer by chance are no chance
SEASON = 60  # days that lie at most between two games, where some of them are of the other calendar
Column = Sequence[Key]


def entered_faults(model: Model, names: Sequence[Column], told: Sequence[Column]) -> Iterator[Proposal]:
    """Return what is wrong with games by their entries: the names, a column a side, and what is typed as a result.

    All columns are as long, in the order of the games; an entry may stand on another sheet than the games.
    """
    games = list(dict.fromkeys(zip(*names, *told, strict=True)))  # a ledger may read an entry twice
    if not games:
        return
    sides = len(names)
    yield from _against_themselves(model, [game[:sides] for game in games])
    first = [game[0] for game in games]
    used = {key[2] for key in games[0] if key[0] == first[0][0]}
    columns = sorted({column for row, column in model.book.sheets[first[0][0]] if row == first[0][1]} - used)
    beside = [[(sheet, row, column) for sheet, row, _ in first] for column in columns]
    beside = [keys for keys in beside if _is_typed(model, keys)]
    days = next((keys for keys in beside if _are_days([model.value(key) for key in keys])), None)
    if days is not None:
        yield from _out_of_order(model, days)
    yield from _twice(model, games, sides, beside, days)


def _is_typed(model: Model, keys: Column) -> bool:
    filled = sum(key not in model.forms and model.value(key) not in (None, "") for key in keys)
    return filled >= NEARLY * len(keys)


def _are_days(values: Sequence[object]) -> bool:
    """Whether nearly all are days, and rise with the games."""
    days = [one for one in values if isinstance(one, (int, float)) and FIRST_DAY < one < LAST_DAY]
    rising = sum(a <= b for a, b in pairwise(days))
    return len(days) >= max(LEAST, NEARLY * len(values)) and rising >= NEARLY * (len(days) - 1)


def _against_themselves(model: Model, games: Sequence[tuple[Key, ...]]) -> Iterator[Proposal]:
    found = []
    for game in games:
        values = [model.value(key) for key in game]
        names = [" ".join(one.split()).casefold() if isinstance(one, str) else "" for one in values]
        twice = tuple(key for key, name in zip(game, names, strict=True) if names.count(name) > 1)
        if len(twice) > SIDES:
            return  # letters of results, say: nobody plays three times in a game
        if twice and all(names):
            name = str(model.value(twice[0]))
            found.append(Proposal("ES403", twice, effect=0.0, confidence="proven", found=name, rank=0))
    if len(found) <= len(games) / 2:  # else one of the columns names who has won
        yield from found


def _out_of_order(model: Model, keys: Column) -> Iterator[Proposal]:
    """Days before the game above, each called after the one that stands out; stretches of the other calendar."""
    days = [(key, number) for key in keys if (number := model.number(key)) is not None]
    jump: list[Key] = []
    for at, ((before, a), (key, b)) in enumerate(pairwise(days), 1):
        if jump and b - a > CALENDARS - SEASON:
            yield _of_the_other_calendar(jump)
            jump = []
        elif jump:
            jump.append(key)
        elif a - b > CALENDARS - SEASON:
            jump = [key]
        elif int(b) < int(a):  # the hour of a game of the day is nobody's order
            stands_out = at + 1 >= len(days) or days[at + 1][1] >= a
            cell = key if len(days) < 3 or b < days[0][1] or stands_out else before
            yield Proposal(
                "ES405", (cell,), severity=WARNING, effect=0.0, confidence="proven", found=b, expected=a, rank=1
            )
    if jump:
        yield _of_the_other_calendar(jump)


def _of_the_other_calendar(cells: list[Key]) -> Proposal:
    return Proposal("ES418", tuple(cells), severity=WARNING, effect=0.0, rank=1)


def _twice(
    model: Model, games: Sequence[tuple[Key, ...]], sides: int, beside: Sequence[Column], days: Column | None
) -> Iterator[Proposal]:
    """Games that are entered twice: the day or round, the players and the result are those of a game further up.

    Rounds may be told by the rows between them. Without days and rounds that is said only where, but for such games,
    all players meet once.
    """
    spelt = {
        one for key in (games[0][:sides] if games else ()) for one in model.precedents(key)
    }  # what names are cut out of
    beside = [column for column in beside if not spelt & {*column}]
    whole = [[model.value(key) for key in column] for column in beside]
    labels = [column for keys, column in zip(beside, whole, strict=True)  # a number of its own tells a game from all
              if keys is days or len(set(column)) < len(column)]  # fmt: skip
    played = [[model.value(key) for key in game] for game in games]
    if len(games) < LEAST or not sides:
        return
    by_numbers_alone = sides == len(games[0])  # who won is told by the columns of names: it may do so twice a day
    rows = [game[0][1] for game in games]
    blocks: list[Value] = [0, *accumulate(int(below - above > 1) for above, below in pairwise(rows))]
    in_blocks = days is None and _are_rounds(*_without_doubles(blocks, played, sides))
    labels += [blocks] if in_blocks else []
    seen: dict[tuple[object, ...], int] = {}
    told_of: list[tuple[object, ...]] = [
        (*entry, *(column[at] for column in labels)) for at, entry in enumerate(played)
    ]
    for at, entry in enumerate(told_of):
        seen.setdefault((at,) if any(one in (None, "") for one in entry) else entry, at)
    once = sorted(seen.values())
    pairs = [played[at][:sides] for at in once]
    rounds = next((keys for keys, column in zip(beside, whole, strict=True)
                   if column in labels and _are_rounds([column[at] for at in once], pairs)), None)  # fmt: skip
    told = ((keys, column) for keys, column in zip(beside, whole, strict=True)
            if keys is not days and column in labels and not _names_a_side(model, keys, games, sides))  # fmt: skip
    numbers = next((keys for keys, column in told if _is_a_number_of_games(column, pairs, once)), None)
    by = numbers or days or rounds
    if by_numbers_alone and numbers is None:
        return
    if by is None and not in_blocks and (sides < 2 or not _meet_once(pairs)):
        return
    same = "a game with the same number, players and result stands" if numbers else (
        "the same players met on the same day with the same result" if days
        else "the same players met in the same round with the same result" if rounds or in_blocks
        else "all others meet once, and the same players met with the same result"
    )  # fmt: skip
    on = [] if days is None else [model.value(days[at]) for at in once]
    may_be_two = days is not None and numbers is None and _play_on(pairs, on, len(games) - len(once))
    results = [played[one][sides:] for one in once]
    for at in sorted(set(range(len(games))) - set(once)):
        above = games[seen[told_of[at]]][0][1]
        by_chance = may_be_two and _alike_by_chance(pairs, results, on, at - seen[told_of[at]]) >= RARE
        severity = NOTE if by_chance else WARNING
        cells = (*([by[at]] if by else []), *games[at][:sides])
        says = f"{same} in row {above}"
        yield Proposal("ES406", cells, says, severity=severity, effect=0.0, confidence="proven", rank=1)


def _names_a_side(model: Model, column: Column, games: Sequence[tuple[Key, ...]], sides: int) -> bool:
    """Whether a column names one of the two in any row, as a result that is the winner's name does."""
    return any(
        model.value(key) in [model.value(one) for one in game[:sides]] for key, game in zip(column, games, strict=False)
    )


def _is_a_number_of_games(column: Sequence[Value], pairs: Sequence[Sequence[object]], once: Sequence[int]) -> bool:
    """Whether each entry of a column stands for one game, of one row or of two, and for no other pair's."""
    of_number: dict[Value, set[frozenset[object]]] = {}
    for at, pair in zip(once, pairs, strict=True):
        of_number.setdefault(column[at], set()).add(frozenset(pair))
    facing = sum(tuple(one) == tuple(other[::-1]) for one, other in zip(pairs[::2], pairs[1::2], strict=False))
    rows = 2 if facing > NEARLY * len(pairs) / 2 else 1
    return len(of_number) * rows == len(once) and all(len(games) == 1 for games in of_number.values())


def _play_on(pairs: Sequence[Sequence[object]], days: Sequence[object], again: int) -> bool:
    """Whether players have several games on a day, so that two of a pair may be two games with one result.

    Once, two of a pair may be a slip of the hand.
    """
    opponents: dict[tuple[object, object], set[object]] = {}
    for pair, day in zip(pairs, days, strict=True):
        for name in pair:
            opponents.setdefault((day, name), set()).update(one for one in pair if one != name)
    rematches = len(pairs) - len({(day, frozenset(pair)) for pair, day in zip(pairs, days, strict=True)})
    return rematches >= max(2, again) or any(len(met) > 1 for met in opponents.values())


def _alike_by_chance(
    pairs: Sequence[Sequence[object]], results: Sequence[Sequence[object]], days: Sequence[object], apart: int
) -> float:
    """How many games of a day, so few rows apart, had the players and the result of another if all were drawn by lot.

    Two of a pair both won 1-0 are no wonder; with 21-6 twice they are. Who meets again on a day as a rule, may.
    """
    near = sum(
        day == days[at + by] for by in range(1, min(apart, GAMES_OF_A_DAY) + 1) for at, day in enumerate(days[:-by])
    )
    again = len(pairs) - len({(day, frozenset(pair)) for pair, day in zip(pairs, days, strict=True)})
    return max(near * _alike(pairs), again) * _alike(results)


def _alike(entries: Sequence[Sequence[object]]) -> float:
    """The share of all twos of some entries that are the same."""
    counts = Counter(map(tuple, entries)).values()
    return sum(count * (count - 1) for count in counts) / max(1, len(entries) * (len(entries) - 1))


def _without_doubles(
    rounds: Sequence[object], played: Sequence[Sequence[object]], sides: int
) -> tuple[list[object], list[Sequence[object]]]:
    """The rounds of the games and who played, without games of a round that are entered once more."""
    once = list(dict.fromkeys((number, *game) for number, game in zip(rounds, played, strict=True)))
    return [number for number, *_ in once], [game[:sides] for _, *game in once]


def _are_rounds(values: Sequence[object], pairs: Sequence[Sequence[object]]) -> bool:
    """Whether entries are those of rounds: each stands at games below each other, of which nobody has two."""
    rounds = [[pair for _, pair in games] for _, games in groupby(zip(values, pairs, strict=True), key=itemgetter(0))]
    return LEAST <= len(rounds) == len(set(values)) <= len(values) / 2 and all(
        len({name for pair in games for name in pair}) == sum(map(len, games)) for games in rounds
    )


def _meet_once(pairs: Sequence[Sequence[object]]) -> bool:
    """Whether everybody has met everybody else once, or once on either side."""
    players = len({name for pair in pairs for name in pair})
    on_a_side, at_all = {tuple(pair) for pair in pairs}, {frozenset(pair) for pair in pairs}
    once, twice = players * (players - 1) / 2, players * (players - 1)
    return len(pairs) == len(at_all) == once or len(pairs) == len(on_a_side) == twice


__all__ = ["entered_faults"]
