"""What was typed, held against the games: entries that lack or are of another kind, names on no list, settings."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches
from itertools import groupby, pairwise, permutations

from elo_sheets.detective.between import moves, texts_between, without_byes
from elo_sheets.detective.chain import CLOSE, Log
from elo_sheets.detective.chances import MOST_ODD, chances_of, out_of_order
from elo_sheets.detective.contradicted import contradictions
from elo_sheets.detective.explain import Examined
from elo_sheets.detective.facing import both_won, facing_rows, read_elsewhere
from elo_sheets.detective.failing import entries_not_known, errors_in_games, names_not_found, texts_for_numbers
from elo_sheets.detective.goals import MANY
from elo_sheets.detective.labels import (
    carried_against_a_note,
    carried_otherwise,
    entries_of_another,
    first_of_all,
    mislabelled,
    on_neutral_ground,
    sums_told_otherwise,
)
from elo_sheets.detective.names import alike, has_own_rule, plain
from elo_sheets.detective.openings import mistyped_openings, typed_openings, unset
from elo_sheets.detective.sides import Side, squeezed
from elo_sheets.files.package import CellError, Value, column_letters
from elo_sheets.recognise.byes import is_nobody
from elo_sheets.recognise.context import ERROR, NOTE, WARNING, Context, Proposal
from elo_sheets.recognise.data_faults import typed as shown_from
from elo_sheets.recognise.data_faults import typed_number
from elo_sheets.recognise.entered import entered_faults
from elo_sheets.recognise.model import Area, Form, Key, Model, range_text

NEARLY = 0.75  # of a column's entries are of one kind: then another kind is a slip of the hand
HALF = 0.5  # of the players stand in a column of names: then it is a list of players
APART = 100.0  # rating points by which each rating of a row is moved
SIDES = 2  # of a game
LEAST = 4  # entries of a column, to say what kind they are of
BESIDE = 3  # columns right of a name, at most, in which a list has its numbers
ODD = 8.0  # times: federations' K for beginners is four times that for masters
VERY_ALIKE = 0.85  # of the letters, where no list says who there is
NAMES = ("ES402", "ES412", "ES413", "ES414")  # what is said of names


def typed_faults(context: Context, examined: Examined) -> Iterator[Proposal]:
    """Return what is wrong with the entries of the games, the lists of players and the settings of a book."""
    yield from unset(context.model, examined.logs.values())
    yield from _tables(context.model, examined)
    yield from _cut_short(context, examined)
    yield from (*typed_openings(context), *mistyped_openings(context))
    yield from first_of_all(context)
    yield from (*carried_otherwise(context), *carried_against_a_note(context))
    for log in examined.logs.values():
        found = list(_of_log(context, log, examined))
        yield from found
        yield from errors_in_games(context.model, log, found)
    behind = list(names_not_found(context.model, examined.logs)) or list(texts_for_numbers(context, examined.logs))
    yield from behind or entries_not_known(context.model, examined.logs)


def _of_log(context: Context, log: Log, examined: Examined) -> Iterator[Proposal]:
    rosters = _rosters(context.model, log, examined)
    yield from _incomplete(context, log)
    yield from _other_kinds(context, log, rosters)
    yield from _off_the_list(context, log, rosters)
    yield from _entered(context.model, log)
    yield from texts_between(context.model, log)
    yield from both_won(context.model, log)
    yield from contradictions(context.model, log)
    yield from on_neutral_ground(context, log)
    yield from mislabelled(context.model, log)
    yield from sums_told_otherwise(context.model, log)
    yield from read_elsewhere(context.model, log)
    if not facing_rows(context.model, log):
        yield from entries_of_another(context.model, log)
    yield from _shared_otherwise(context, log)
    yield from _odd_k(context, log, examined)


def _said(code: str, key: Key, says: str) -> Proposal:
    return Proposal(code, (key,), says, effect=0.0, rank=1)


def _incomplete(context: Context, log: Log) -> Iterator[Proposal]:
    """Games that are computed although a player or the result lacks."""
    model = context.model
    usual = {column: Counter(form for row in log.games if (form := model.forms.get((log.sheet, row, column))))
             for column in log.changes}  # fmt: skip
    last = max((row for row in log.games if all(model.value((log.sheet, row, c)) not in (None, "") for c in log.typed)),
               default=0)  # fmt: skip
    names = log.names or _named_twice(model, log)
    must = (log.results | names) & log.typed
    steps = log.computed - log.changes  # between the entries and the changes: where points are typed there are none
    bonuses = {
        row for row in log.furniture if steps and not any((log.sheet, row, at) in model.forms for at in steps)
    }  # fmt: skip
    found: dict[int, tuple[int, ...]] = {}  # of each row whether it is computed, and the columns in which it lacks
    for row in sorted({*log.games, *log.furniture} - bonuses):
        lacks = [column for column in must if model.value((log.sheet, row, column)) in (None, "")]
        forms = [model.forms.get((log.sheet, row, column)) for column in log.changes]
        fed = {column: _feeding(model, log, row, column) for column in log.changes}
        if lacks and not all(forms):  # of games side by side some are over
            lacks = [column for column in lacks if any(column in columns for columns in fed.values())]
        if len(log.changes) > SIDES and not log.lines:  # and in some a player rests
            by = {column: [change for change, columns in fed.items() if column in columns] for column in lacks}
            lacks = [column for column in lacks if not by[column] or not _waits(context, log, row, by[column])]
        as_games = [form for column, form in zip(log.changes, forms, strict=True) if form and form in usual[column]]
        values = [model.value((log.sheet, row, column)) for column in log.changes]
        numbers = any(isinstance(value, (int, float, CellError)) for value in values)
        shown = numbers and not _waits(context, log, row, log.changes)
        entered = any(model.value((log.sheet, row, column)) not in (None, "") for column in log.typed)
        played = log.results - names and set(lacks) < names
        if lacks and as_games and (shown or played) and (entered or row < last):
            found[row] = (shown, *sorted(lacks))
    for (computed, *lacks), games in groupby(without_byes(model, log, names, found), key=lambda row: found[row]):
        rows = list(games)
        cells = tuple((log.sheet, row, column) for row in rows for column in lacks)
        nothing, counted = f"nothing stands in {range_text(list(cells))}", "game is" if len(rows) == 1 else "games are"
        says = f"{nothing}, but the {counted} computed" if computed else f"{nothing}: the result does not count"
        yield Proposal("ES404", cells, says, effect=0.0, rank=1)


def _feeding(model: Model, log: Log, row: int, change: int) -> set[int]:
    """The columns of a row that a change follows from, up to the rating before it."""
    found: set[int] = set()
    todo = [change]
    while todo:
        areas = model.areas((log.sheet, row, todo.pop()))
        columns = {a.column for a in areas if a.single and a.row == row and a.sheet in (None, log.sheet)}
        todo += columns - found - set(log.before) - log.changes
        found |= columns
    return found


def _waits(context: Context, log: Log, row: int, changes: Iterable[int]) -> bool:
    """Whether a row hands the ratings through, whatever they are: it waits for its result."""
    model = context.model
    if log.lines:  # who does not play hands his rating through
        lines = {line: model.columns.get((log.sheet, line), ()) for line in log.lines}
        above = {line: max((one for one in rows if one < row), default=row) for line, rows in lines.items()}
        number = model.number
        return all(number((log.sheet, row, at)) == number((log.sheet, up, at)) for at, up in above.items())
    columns = {*log.before, *(column for pair in log.compared for column in pair)}
    ratings = {key: n for column in columns if (n := model.number(key := (log.sheet, row, column))) is not None}
    moved: dict[Key, Value] = {key: number + APART * (at + 1) for at, (key, number) in enumerate(ratings.items())}
    for column in changes:
        key = (log.sheet, row, column)
        here = model.number(key)
        after = context.evaluator.number(key, moved)
        if here is None or after is None:
            return False
        same = any(here == number and after == moved[rating] for rating, number in ratings.items())
        if not same and not here == after == 0:
            return False
    return bool(ratings)


def _named_twice(model: Model, log: Log) -> set[int]:
    """The typed columns that hold the same names as another one, on the other side of the games.

    With fewer different entries than such columns one would stand twice in a game: they are letters of the sides.
    """
    names = {
        column: {plain(model.value((log.sheet, row, column))) for row in log.games} - {None} for column in log.typed
    }
    alike = {
        a: [b for b in names if names[a] and len(names[a] & names[b]) > HALF * max(len(names[a]), len(names[b]))]
        for a in names
    }
    return {a for a, by in alike.items() if 1 < len(by) <= len({name for b in by for name in names[b]})}


def _kind(value: object) -> str:
    if isinstance(value, bool) or value is None or isinstance(value, CellError):
        return ""
    if isinstance(value, (int, float)):
        return "number"
    return "text"


def _other_kinds(context: Context, log: Log, rosters: list[list[Key]]) -> Iterator[Proposal]:
    """Entries of another kind than the others of their column: a text for a number, a day for a text."""
    model = context.model
    columns = [(False, [(log.sheet, row, column) for row in log.games]) for column in sorted(log.typed)]
    columns += [(True, cells) for cells in (*_starts(model, rosters), *_first_lines(model, log))]
    for listed, keys in columns:
        entries = [
            (key, value) for key in keys if key not in model.forms and (value := model.value(key)) not in (None, "")
        ]
        kinds = Counter(_kind(value) for _, value in entries)
        usual, many = kinds.most_common(1)[0] if entries else ("", 0)
        if len(keys if listed else entries) < LEAST or many < NEARLY * len(entries) or usual == "":
            continue
        for key in keys if listed and len(keys) - len(entries) <= (1 - NEARLY) * len(keys) else ():
            if model.value(key) in (None, ""):
                yield _said("ES205", key, "nothing stands here, where the other players have a number")
        for key, value in entries:
            if _kind(value) != usual:
                code = "ES410" if usual == "number" else "ES415"
                number = typed_number(str(value)) if usual == "number" else None
                says = f"{str(value)!r} is a text, where the others are numbers" if usual == "number" else ""
                values = {} if number is None else {key: number}
                yield Proposal(code, (key,), says, values=values, effect=None if values else 0.0, rank=1)
        yield from () if listed else _no_shares(entries)
        if keys[0][2] in log.results:
            names = {model.value((log.sheet, row, column)) for row in log.games for column in log.names}
            told = [one for one in entries if one[1] not in names]
            yield from _with_blanks(context, log, told)
            yield from _spelt_otherwise(told)
        if keys[0][2] in log.counts:
            yield from (_said("ES411", key, f"{value} goals are none that a game can have") for key, value in entries
                        if isinstance(value, (int, float)) and (value < 0 or value % 1))  # fmt: skip


def _no_shares(entries: Sequence[tuple[Key, object]]) -> Iterator[Proposal]:
    """Numbers above one among shares of what was played for, as of all points: a percentage that lost its sign."""
    numbers = [(key, value) for key, value in entries if isinstance(value, (int, float))]
    off = [(key, value) for key, value in numbers if not 0 <= value <= 1]
    if 0 < len(off) <= (1 - NEARLY) * len(numbers) and len({value for _, value in numbers if 0 < value < 1}) >= LEAST:
        for key, value in off:
            values: dict[Key, Value] = {key: value / 100} if 1 < value <= 100 else {}
            says = f"{value:g} is no share: the others are numbers from 0 to 1"
            yield Proposal("ES411", (key,), says, values=values, effect=None if values else 0.0, rank=1)


def _spelt_otherwise(entries: Sequence[tuple[Key, object]]) -> Iterator[Proposal]:
    """Results that are spelt as no other: with a blank, or in signs that no other has."""
    texts = [(key, value) for key, value in entries if isinstance(value, str)]
    signs = Counter(sign for _, value in texts for sign in set(value) if not sign.isalnum())
    plainly = Counter(value.strip() for _, value in texts)
    for key, value in texts:
        if value != value.strip():
            yield _said("ES408", key, f"{value!r} has a blank too many")
        elif any(signs[sign] == 1 for sign in set(value) if not sign.isalnum()) and len(texts) >= LEAST:
            yield _said("ES408", key, f"{value!r} is spelt as no other result")
        elif plainly[value] == 1 and len(value) == 1 and value.isalpha() and len(plainly) > 3:
            yield _said("ES408", key, f"{value!r} stands nowhere else among the results")


def _with_blanks(context: Context, log: Log, entries: Sequence[tuple[Key, object]]) -> Iterator[Proposal]:
    """Results with blanks within that others have not, where the games would be rated otherwise without them."""
    plainly = {value for _, value in entries if isinstance(value, str) and value == squeezed(value)}
    for key, value in entries:
        bare = squeezed(value) if isinstance(value, str) else value
        if isinstance(value, str) and bare != value.strip() and bare in plainly:
            changes = [(*key[:2], column) for column in log.changes]
            due = {one: context.evaluator.number(one, {key: str(bare)}) for one in changes}
            if any(due[one] != context.model.number(one) for one in changes):
                says = f"{value!r} has blanks that {bare!r} has not, and counts otherwise"
                yield Proposal("ES408", (key,), says, values={key: str(bare)}, fix=str(bare), effect=0.0, rank=1)


def _shared_otherwise(context: Context, log: Log) -> Iterator[Proposal]:
    """Scores that are a side's points by a fixed number, in games whose points are more or fewer in all."""
    model, number = context.model, context.evaluator.number
    rows = log.games
    columns = {
        c for row, c in model.book.sheets[log.sheet] if row == rows[0] and (log.sheet, row, c) not in model.forms
    }
    points = {c: {row: n for row in rows if (n := model.number((log.sheet, row, c))) is not None} for c in columns}
    for own, other in permutations((c for c in sorted(points) if len(points[c]) == len(rows)), 2):
        for column in sorted(log.computed):
            keys = [(log.sheet, row, column) for row in rows]
            share = {
                key: points[own][key[1]] / total
                for key in keys
                if (total := points[own][key[1]] + points[other][key[1]])
            }
            off = [key for key, due in share.items() if abs((model.number(key) or 0.0) - due) > CLOSE]
            if not off or len(off) > (1 - NEARLY) * len(keys):
                continue
            ends = [number(off[0], {(*off[0][:2], own): had}) for had in (0.0, 1.0, 2.0)]
            moved = number(off[0], {(*off[0][:2], other): MANY})
            by = 0.0 if ends[0] != 0 or not ends[1] or not ends[2] else ends[2] - ends[1]
            if by and math.isclose(by, ends[1] or 0.0) and moved == model.number(off[0]):
                a, b = points[own][off[0][1]], points[other][off[0][1]]
                says = f"{a:g} of {a + b:g} points count {model.number(off[0]):.4g}, as if there were {1 / by:g}"
                yield Proposal("ES127", tuple(off), says, expected=share[off[0]], found=model.number(off[0]), rank=1)
                return


def _odd_k(context: Context, log: Log, examined: Examined) -> Iterator[Proposal]:
    """A typed K that is many times that of every other game, or a small part of it: a key was struck once too often."""
    model, row = context.model, next(iter(sorted(examined.sound.get(log.sheet, ()))), None)
    gains = examined.facts.gains(log.sheet, row) if examined.facts is not None and row is not None else []
    cells = {key for gain in gains if examined.facts is not None for key in Side(examined.facts, gain, {}).k_cells}
    for column in sorted(key[2] for key in cells if key[:2] == (log.sheet, row)):
        ks = {key: n for at in log.games if (n := model.number(key := (log.sheet, at, column)))}
        for key, k in ks.items():
            others = [n for one, n in ks.items() if one != key]
            low, high = min(others, default=k), max(others, default=k)
            if len(others) >= LEAST and (k >= ODD * high or k * ODD <= low):
                says = f"the K of this game is {k:g}, and that of every other one between {low:g} and {high:g}"
                yield Proposal("ES120", (key,), says, severity=WARNING, found=k, effect=0.0, rank=1)


def _entered(model: Model, log: Log) -> Iterator[Proposal]:
    """What is wrong with the rated games by their entries, wherever those stand."""
    rated = [row for row in log.games if any(model.number((log.sheet, row, at)) is not None for at in log.changes)]
    names = sorted(log.names)
    told = sorted(log.results - set(names))
    columns = [[shown_from(model, (log.sheet, row, column)) for row in rated] for column in (*names, *told)]
    yield from entered_faults(model, columns[: len(names)], columns[len(names) :])


def _rosters(model: Model, log: Log, examined: Examined) -> list[list[Key]]:
    """Columns of names apart from the games that hold most of the players: lists of players."""
    players = {name for row in log.games for column in log.names
               if (name := plain(model.value((log.sheet, row, column))))}  # fmt: skip
    games = {(one.sheet, row) for one in examined.logs.values() for row in (*one.games, *one.furniture)}
    entered = {(one.sheet, c) for one in examined.logs.values() for c in (*one.typed, *one.names)}
    found: dict[tuple[str, int], list[Key]] = {}
    for sheet, cells in model.book.sheets.items():
        for (row, column), cell in sorted(cells.items()):
            beside = (sheet, row) in games and (sheet, column) in entered
            named = plain(cell.value) in players or any((row, column + by) in cells for by in range(1, BESIDE + 1))
            if isinstance(cell.value, str) and cell.formula is None and named and not beside:  # no heading
                found.setdefault((sheet, column), []).append((sheet, row, column))
    lists = []
    for keys in found.values():
        met = [key[1] for key in keys if plain(model.value(key)) in players]
        unlike = {plain(model.value(key)) for key in keys}
        in_games = len(unlike) < HALF * len(keys) and sum(key[:2] in games for key in keys) > HALF * len(keys)
        if len(unlike & players) > HALF * len(players) and not in_games:
            heads = (key for key in keys if plain(model.value(key)) not in players)  # of lists below
            ends = [at for _, at, column in heads if isinstance(model.value((keys[0][0], at, column + 1)), str)]
            for first, last in pairwise((min(met) - 1, *(at for at in ends if min(met) < at < max(met)), max(met) + 1)):
                lists.append([key for key in keys if first < key[1] < last])
    return [*filter(None, lists)]


def _starts(model: Model, rosters: list[list[Key]]) -> Iterator[list[Key]]:
    """The typed columns beside the names of a list."""
    for keys in rosters:
        for column in range(keys[0][2] + 1, keys[0][2] + BESIDE + 1):
            cells = [(sheet, row, column) for sheet, row, _ in keys]
            numbers = sum(isinstance(model.value(key), (int, float)) for key in cells)
            if numbers > HALF * len(cells):
                yield cells


def _first_lines(model: Model, log: Log) -> Iterator[list[Key]]:
    """The typed cells above the first game in columns of one formula, each of which goes on from the cell above it."""
    columns: dict[Form, list[Key]] = {}
    for column in sorted(log.computed):
        form = model.forms.get((log.sheet, log.games[0], column))
        if form is not None and form.goes_on:
            columns.setdefault(form, []).append((log.sheet, log.games[0] - 1, column))
    yield from (cells for cells in columns.values() if not any(key in model.forms for key in cells))


def _off_the_list(context: Context, log: Log, rosters: list[list[Key]]) -> Iterator[Proposal]:
    """Names in games that no list of players has, where nearly all others stand there; names that stand there twice."""
    model = context.model
    if not rosters:
        yield from _nearly_alike(model, log)
        return
    keys = max(rosters, key=len)
    listed = Counter(str(model.value(key)).casefold() for key in keys)
    entries = [[(key, value) for row in log.games if (key := (log.sheet, row, column)) not in keys
                and isinstance(value := model.value(key), str) and value] for column in sorted(log.names)]  # fmt: skip
    names = [one for told in entries if any(value.casefold() in listed for _, value in told) for one in told]
    players = {value.casefold() for _, value in names}
    unmet = [key for key in keys if str(model.value(key)).casefold() not in players]
    off = [(key, value) for key, value in names if value.casefold() not in listed]
    for key in unmet:  # a name of the list that nobody has, nearly that of a player who is not on it
        like = alike(str(model.value(key)).casefold(), {value.casefold() for _, value in off})
        if like:
            yield _said("ES412", key, f"{str(model.value(key))!r} on the list is no player; {like[0]!r} is nearly that")
            off = [one for one in off if one[1].casefold() != like[0]]
    twice = [name for name, count in listed.items() if count > 1 and name in players]
    beside = [one for cells in _starts(model, [keys]) for one in cells]
    starts = beside and not any(one in model.forms for one in beside)
    for value in dict.fromkeys(value for _, value in off) if len(off) < HALF * len(names) and not twice else ():
        near = alike(value.casefold(), listed)
        spelt = {str(model.value(one)).casefold(): str(model.value(one)) for one in keys}
        says = f"{value!r} stands on no list of players" + (f"; {spelt[near[0]]!r} does" if near else "")
        cells = tuple(key for key, other in off if other == value)
        is_bye = is_nobody(value) and not any(moves(model, log, key[1], at) for key in cells for at in log.changes)
        if is_bye or all(any(has_own_rule(context.evaluator, (*key[:2], at)) for at in log.before) for key in cells):
            continue  # a bye moves nothing, and a guest is known to the formulas
        lawful = not near and starts and _is_rated_all_the_same(model, log, cells)
        yield Proposal("ES402", cells, says, severity=NOTE if lawful else ERROR, effect=0.0, rank=1)
    for keys in rosters:
        yield from _listed_twice(model, keys, players)


def _is_rated_all_the_same(model: Model, log: Log, cells: Iterable[Key]) -> bool:
    """Whether the games of a player whom a list of typed numbers lacks show a rating or a change, as of all others.

    The formulas have a rule for who is not on such a list: it is one of the players who have a rating already.
    """
    return all(model.number((*key[:2], column)) for key in cells for column in log.changes)


def _listed_twice(model: Model, keys: list[Key], players: set[str]) -> Iterator[Proposal]:
    """A player whom a list has twice, where it has the others once, or lacks one of them."""
    listed = Counter(str(model.value(key)).casefold() for key in keys)
    twice = [name for name, count in listed.items() if count > 1 and name in players]
    others = sum(listed[name] == 1 for name in players)
    if len(twice) == 1 and len(players - set(listed)) <= 1 and listed[twice[0]] == 2 and others > 1:
        cells = tuple(key for key in keys if str(model.value(key)).casefold() == twice[0])
        yield Proposal("ES407", cells, f"{str(model.value(cells[0]))!r} stands twice on the list", effect=0.0, rank=1)


def _nearly_alike(model: Model, log: Log) -> Iterator[Proposal]:
    """A name of a single entry that is nearly one of several, where no list of players stands."""
    keys = [(log.sheet, row, column) for row in log.games for column in sorted(log.names)]
    names = [(key, value) for key in keys if isinstance(value := model.value(key), str) and value]
    times = Counter(value.casefold() for _, value in names)
    often = [name for name, count in times.items() if count > 2]
    for key, value in names:
        near = get_close_matches(value.casefold(), often, 1, VERY_ALIKE) if times[value.casefold()] == 1 else []
        digits = near and sorted(filter(str.isdigit, value)) != sorted(filter(str.isdigit, near[0]))
        if near and not digits:
            like = next(other for _, other in names if other.casefold() == near[0])
            says = f"{value!r} played once, and is nearly the name {like!r}"
            yield Proposal("ES402", (key,), says, values={key: like}, fix=like, rank=1)


def _tables(model: Model, examined: Examined) -> Iterator[Proposal]:
    """Entries of a table of chances, by which games are rated, that are out of its order."""
    games = [(log.sheet, row, column) for log in examined.logs.values() for row in log.games for column in log.computed]
    for area in dict.fromkeys(area for key in games for area in model.areas(key) if not area.single):
        keys = [key for key, _ in chances_of(model, area)]
        for at in range(area.column, area.right + 1) if keys else ():
            column = [key for _, row, _ in keys if model.number(key := (area.sheet or "", row, at)) is not None]
            numbers = [model.number(key) or 0.0 for key in column]
            odd = out_of_order(numbers)
            for at in odd if len(odd) <= MOST_ODD * len(numbers) else ():
                if column[at] in model.forms:
                    continue
                beside = [f"{numbers[one]:g}" for one in (at - 1, at + 1) if 0 <= one < len(numbers)]
                yield _said(
                    "ES203", column[at], f"{numbers[at]:g} is out of the table's order, beside {' and '.join(beside)}"
                )


def _cut_short(context: Context, examined: Examined) -> Iterator[Proposal]:
    """Formulas of games that read a table of rising numbers without its last lines, which nothing else reads."""
    model = context.model
    games = [(log.sheet, row, column) for log in examined.logs.values() for row in log.games for column in log.computed]
    read: dict[Area, list[Key]] = {}
    for key in games:
        for area in dict.fromkeys(model.areas(key)):
            if not area.single and area.row < area.bottom and area.column < area.right:
                read.setdefault(area, []).append(key)
    for area, keys in read.items():
        bottom = area.bottom
        while _goes_on(context, area, bottom):
            bottom += 1
        if bottom == area.bottom or len(keys) < LEAST:
            continue
        left = [(area.sheet or "", row, area.column) for row in range(area.bottom + 1, bottom + 1)]
        says = f"the table is read without its last {'line' if len(left) == 1 else 'lines'}, {range_text(left)}"
        repairs = {}
        for key in keys:
            cell = model.cell(key)
            if cell is not None and cell.formula is not None:
                end = rf"(:\$?{column_letters(area.right)}\$?){area.bottom}(?!\d)"
                repairs[key] = re.sub(end, rf"\g<1>{bottom}", cell.formula)
        yield Proposal("ES125", tuple(keys), says, repairs, fix="=" + repairs[keys[0]], rank=1)


def _goes_on(context: Context, area: Area, bottom: int) -> bool:
    """Whether a line of numbers that no formula reads stands below a table of numbers and goes on from it."""
    model, sheet = context.model, area.sheet or ""
    lines = [[model.number((sheet, row, column)) for column in range(area.column, area.right + 1)]
             for row in (*range(area.row, bottom + 1), bottom + 1)]  # fmt: skip
    if any(number is None for line in lines for number in line):
        return False
    first = [line[0] or 0.0 for line in lines]
    below = [(sheet, bottom + 1, column) for column in range(area.column, area.right + 1)]
    typed = not any((sheet, row, column) in model.forms for row in range(area.row, bottom + 2)
                    for column in range(area.column, area.right + 1))  # fmt: skip
    return typed and first == sorted(set(first)) and not any(context.evaluator.readers.is_read(key) for key in below)


__all__ = ["NAMES", "typed_faults"]
