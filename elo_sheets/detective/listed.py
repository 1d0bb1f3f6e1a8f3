"""Logs that are rated by months, weeks or events: the rating before is what a list gives for the period of the game.

Which typed column tells the periods, and which column of a list belongs to each, is told by the numbers: the column
that most of the period's games show. What a list adds from one period to the next must be the sum of the changes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import groupby

from elo_sheets.detective.chain import CLOSE, Log
from elo_sheets.detective.names import NEARLY, plain
from elo_sheets.files.package import CellError
from elo_sheets.recognise.model import Key, Model

HALF = 0.5  # of the games of a period: a list that more of them show is the one that they are rated from
LEAST = 2  # periods; and games, on average, in each
FAR = 20000.0  # numbers from here on are days, which are no periods
LEAST_K = 4.0  # rating points: a smaller number by which changes are taken is no K
REACH = 60  # columns from a name to a number in its list

Column = tuple[str, int, int]  # sheet, column, and which of several lists below each other


@dataclass
class Listed:
    """A log's ratings before by its lists: `asked` are the cells, with what is due and what is shown."""

    asked: list[tuple[Key, float, float | None]] = field(default_factory=list)
    sums: list[tuple[Key, float, float]] = field(default_factory=list)  # cells of lists, what is due, what is shown
    periods: list[list[int]] = field(default_factory=list)  # the rows of each period's games
    lists: list[dict[str, Key]] = field(default_factory=list)  # the list of each period, and the last one
    agree: int = 0
    additive: bool = False


def listed(model: Model, log: Log, alone: bool = True) -> Listed | None:
    """Return what the lists say of a log's ratings before; None where no list begins a period that its games tell.

    All games may be one period: that of a sheet, and in a log that stands alone where a list adds up their changes.
    """
    best: Listed | None = None
    many = [
        [list(rows) for _, rows in groupby(log.games, key=lambda row: model.value((log.sheet, row, column)))]
        for column in _period_columns(model, log)
    ]
    for periods in [[log.games], *many]:  # fewer periods, where more of them explain no more
        found = _by(model, log, periods)
        if found is not None and alone and len(periods) == 1 and not found.additive:
            continue
        if found is not None and (best is None or found.agree > best.agree):
            best = found
    return best


def _period_columns(model: Model, log: Log) -> Iterator[int]:
    names = set(log.before.values())
    for column in sorted({c for r, c in model.book.sheets[log.sheet] if r == log.games[0]} - names - log.computed):
        cells = [(log.sheet, row, column) for row in log.games]
        values = [model.value(key) for key in cells]
        if any(key in model.forms for key in cells) or any(isinstance(one, CellError) for one in values):
            continue
        runs = [value for value, _ in groupby(values)]
        told = [value for value in runs if value not in (None, "")]
        small = all(not isinstance(value, (int, float)) or value < FAR for value in told)
        if LEAST <= len(told) == len(set(told)) <= len(values) / LEAST and small:
            yield column


def evenings_of(model: Model, log: Log) -> Iterator[dict[int, int]]:
    """Yield the games by evenings, rounds or weeks, as each typed column tells them whose equal entries stand together.

    An entry that comes back, as after a day that is mistyped, is of the evening that it was first of.
    """
    names = set(log.before.values())
    for column in sorted(log.typed - names):
        values = [model.value((log.sheet, row, column)) for row in log.games]
        told = {value: at for at, value in enumerate(dict.fromkeys(values))}
        runs = sum(1 for _ in groupby(values))
        if LEAST <= len(told) <= len(values) / LEAST and runs <= 2 * len(told) and not {None, ""} & told.keys():
            yield {row: told[value] for row, value in zip(log.games, values, strict=True)}


def _by(model: Model, log: Log, periods: list[list[int]]) -> Listed | None:
    lists = _lists(model, log)
    used: list[Column] = []
    found = Listed(periods=periods)
    for rows in periods:
        games = [
            (key, who, model.number(key))
            for row in rows
            for before, name in log.before.items()
            if (who := plain(model.value((log.sheet, row, name)))) is not None
            and model.value(key := (log.sheet, row, before)) not in (None, "")
        ]
        score = {
            at: sum(_same(shown, model.number(cells[who])) for _, who, shown in games if who in cells)
            for at, cells in lists.items()
            if at not in used
        }
        best = max(score, key=lambda at: (score[at], at[0] == log.sheet), default=None)
        if best is None or score[best] <= HALF * len(games):
            return None
        used.append(best)
        found.agree += score[best]
        for key, who, shown in games:
            due = model.number(lists[best][who]) if who in lists[best] else None
            if due is not None:
                found.asked.append((key, due, shown))
    found.lists = [lists[at] for at in used]
    _sum(model, log, periods, lists, found)
    return found


def _sum(model: Model, log: Log, periods: list[list[int]], lists: dict[Column, dict[str, Key]], found: Listed) -> None:
    """Hold each list against the one before and the changes of the period between."""
    used = list(found.lists)
    known = {tuple(cells.values()) for cells in used}
    after = [cells for cells in lists.values() if tuple(cells.values()) not in known]
    for rows, cells, later in zip(periods, used, [*used[1:], None], strict=True):
        gained: dict[str, float] = {}
        for row in rows:
            for column, sign, name in log.moves:
                change, who = model.number((log.sheet, row, column)), plain(model.value((log.sheet, row, name)))
                if change is not None and who is not None:
                    gained[who] = gained.get(who, 0.0) + sign * change
        due = {who: number + gained.get(who, 0.0) for who, key in cells.items() if (number := model.number(key))}
        if later is None:
            earlier = [{who: model.number(key) or 0.0 for who, key in one.items()} for one in used]
            dues = [due, *({who: n + gained.get(who, 0.0) for who, n in one.items()} for one in earlier if any(gained))]
            follow = [
                one for one in after
                if _reads(model, cells, one) or any(_right(model, sums, one) > HALF * len(sums) for sums in dues)
            ]  # fmt: skip
            here = {key[:1] for key in cells.values()}
            later = max(
                follow, key=lambda one: (_right(model, due, one), {key[:1] for key in one.values()} == here), default={}
            )
            found.lists.append(later)
        computed = {who: key for who, key in later.items() if who in due and _is_computed(model, key, later)}
        if later and 2 * _right(model, due, computed) <= len(computed):
            due = _times_k(model, cells, computed, gained) or due
        found.sums += [
            (key, due[who], shown) for who, key in computed.items() if (shown := model.number(key)) is not None
        ]
    right = sum(close(shown, due) for _, due, shown in found.sums)
    found.additive = right > HALF * len(found.sums)


def _times_k(model: Model, cells: dict[str, Key], later: dict[str, Key], gained: dict[str, float]) -> dict[str, float]:
    """What a list shows that adds K times what the games say, as W − We is: K by a column of the list, or one for all.

    {} where most of the list shows something else.
    """
    starts = {who: number for who in later if (number := model.number(cells[who])) is not None}
    ks: list[dict[str, float | None]] = []
    for column in range(min((key[2] for key in later.values()), default=1) - 1, 0, -1):
        ks.append({who: model.number((key[0], key[1], column)) for who, key in later.items()})
    most = max(starts, key=lambda who: abs(gained.get(who, 0.0)), default="")
    if gained.get(most):
        usual = round(((model.number(later[most]) or 0.0) - starts[most]) / gained[most], 1)
        ks.append(dict.fromkeys(later, usual))
    for of_player in ks:
        if min((k for k in of_player.values() if k is not None), default=0.0) < LEAST_K:
            continue
        due = {who: start + (of_player[who] or 0.0) * gained.get(who, 0.0) for who, start in starts.items()}
        if _right(model, due, later) > HALF * len(later):
            return due
    return {}


def _reads(model: Model, cells: dict[str, Key], later: dict[str, Key]) -> bool:
    """Whether most numbers of a list go on from those of the same names in another."""
    both = [(cells[who], key) for who, key in later.items() if who in cells]
    return sum(one in model.precedents(key) for one, key in both) > HALF * len(later)


def _is_computed(model: Model, key: Key, cells: dict[str, Key]) -> bool:
    """Whether a number of a list is computed, or stands typed where most of the others are."""
    return key in model.forms or sum(one in model.forms for one in cells.values()) > HALF * len(cells)


def _right(model: Model, due: dict[str, float], cells: dict[str, Key]) -> int:
    return sum(who in due and close(model.number(key), due[who]) for who, key in cells.items() if key in model.forms)


def _lists(model: Model, log: Log) -> dict[Column, dict[str, Key]]:
    """Every column of numbers beside names of the log's players, one for each time that the names begin anew."""
    games = set(log.games) | log.furniture
    names = {plain(model.value((log.sheet, row, column))) for row in log.games for column in log.before.values()} - {
        None
    }
    played = set(log.games)
    named = Counter(column for row, column in model.book.sheets[log.sheet] if row in played
                    and plain(model.value((log.sheet, row, column))) in names)  # fmt: skip
    of_games = log.computed | {column for column, count in named.items() if count > NEARLY * len(log.games)}
    found: dict[Column, dict[str, Key]] = {}
    times: dict[tuple[str, int, str], int] = {}
    for sheet, cells in model.book.sheets.items():
        for row, column in sorted(cells):
            if sheet == log.sheet and row in games and column in of_games:
                continue
            who = plain(model.value((sheet, row, column)))
            if who is None or who not in names:
                continue
            time = times[sheet, column, who] = times.get((sheet, column, who), -1) + 1
            for right in range(column + 1, column + REACH):
                key = (sheet, row, right)
                blank = [model.value((sheet, row, at)) in (None, "") for at in (right, right + 1)]
                if all(blank) or plain(model.value(key)) in names:
                    break
                if model.number(key) is not None:
                    found.setdefault((sheet, right, time), {}).setdefault(who, key)
    return found


def close(number: float | None, due: float) -> bool:
    """Whether a rating is what is due, or that as a whole number."""
    return number is not None and (abs(number - due) <= CLOSE or (number % 1 == 0 and abs(number - due) <= 0.5 + CLOSE))


def _same(a: float | None, b: float | None) -> bool:
    return a is not None and b is not None and abs(a - b) <= CLOSE


def started(model: Model, log: Log) -> dict[str, float]:
    """What a list of players gives each to start from: the number beside the name, as most first games show it."""
    first: dict[str, float] = {}
    sides: list[tuple[list[str], float]] = []  # of players who are all new
    for row in log.games:
        for column, name in log.before.items():
            names = (plain(model.value((log.sheet, row, one))) for one in log.teams.get(column, (name,)))
            side, number = [one for one in names if one is not None], model.number((log.sheet, row, column))
            if number is not None:
                sides += [(side, number)] if side and first.keys().isdisjoint(side) else []
                first = {**dict.fromkeys(side, number), **first}
    columns: dict[tuple[str, int], dict[str, float]] = {}
    for sheet, cells in model.book.sheets.items():
        for (row, column), cell in cells.items():
            who = plain(cell.value) if cell.formula is None else None
            if who not in first or (sheet == log.sheet and row in log.games and column in log.before.values()):
                continue
            for right in range(column + 1, column + 6):
                beside = cells.get((row, right))
                if beside is not None and beside.formula is None and isinstance(beside.value, (int, float)):
                    columns.setdefault((sheet, right), {}).setdefault(str(who), float(beside.value))
    means = {
        at: [(sum(told[one] for one in side) / len(side), number) for side, number in sides if told.keys() >= {*side}]
        for at, told in columns.items()
    }
    agree = {at: sum(abs(mean - number) <= CLOSE for mean, number in pairs) for at, pairs in means.items()}
    best = max(agree, key=lambda at: agree[at], default=None)
    if best is not None and agree[best] > HALF * len(means[best]):
        return columns[best]
    numbers = [round(number, 6) for _, number in sides]
    common = max(set(numbers), key=numbers.count, default=None)
    return dict.fromkeys(first, common) if common is not None and numbers.count(common) > HALF * len(sides) else {}


__all__ = [
    "Listed",
    "close",
    "evenings_of",
    "listed",
]
