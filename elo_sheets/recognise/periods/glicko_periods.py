"""Glicko's rating periods judged: lists of players with ratings and deviations, closed by the games of a period.

A line of a list is held as a function of what it should follow from: its own rating and deviation, those of the
opponents whom the rows of games name, and the scores that move it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice, product

from elo_sheets.detective.names import plain
from elo_sheets.expr import Expr, Number, walk
from elo_sheets.files.package import Value
from elo_sheets.recognise.behind import has_deviations
from elo_sheets.recognise.context import Context, Proposal, RoleCells, Sheetwork
from elo_sheets.recognise.departures import spell_anchored
from elo_sheets.recognise.model import Area, Key, Model, at_cell, range_text
from elo_sheets.recognise.nearmiss import candidates, with_references
from elo_sheets.recognise.periods.closings import mistold
from elo_sheets.recognise.periods.glicko_lists import CLOSE, Line, Lists, Seats, lists_of, read_by, seats_of
from elo_sheets.recognise.periods.of_one import all_behind, follows, glicko_of, is_deviation, squares
from elo_sheets.recognise.proposals import with_formulas
from elo_sheets.recognise.unheld import unheld

LAYOUT = "Glicko periods"
SQUARED = 1e-3  # of squares of deviations
FORMS = 3  # of a column, that are tried in the place of another one
MOST_TRIES = 400  # formulas that are tried in the place of others
LEAST_C, MOST_C = 5.0, 250.0  # by which deviations grow from period to period: from hundreds of periods to one
PAST = (40.0, 90.0)  # deviations of the period before
LEAST_WIDE, MOST_WIDE = 10.0, 350.0  # of a deviation, by the paper


def recognise(context: Context) -> Sheetwork | None:
    """Return the lists of Glicko's periods that a book holds, judged; None where it holds none."""
    model = context.model
    if not any(has_deviations(model, sheet) for sheet in model.book.sheets):
        return None
    lists = lists_of(context)
    if lists is None:
        return None
    work = Sheetwork(LAYOUT, reason=_reason(lists))
    moved = [key for line in lists.lines if line.games is not None for key in line.games.scores]
    sides = Counter(moved)
    work.listed = work.rated = len(sides) if 2 in sides.values() else len(sides) // 2
    work.ratings = {line.key for line in lists.lines}
    work.owned = work.ratings | {line.new_wide for line in lists.lines if line.new_wide is not None}
    roles = {
        "R": [line.key for line in lists.lines],
        "B": [line.own for line in lists.lines],
        "S": [*sides],
    }
    work.roles = [RoleCells(role, tuple(cells)) for role, cells in roles.items() if cells]
    work.facts = {"ratings": "Glicko, by periods", "players": len({line.name for line in lists.lines})}
    wrong = _wrong(lists)
    work.proposals = list(_mended(lists, wrong)) if wrong else []
    if work.reason is None and wrong:
        work.reason = f"{range_text([wrong[0]])} does not follow from the games of its period by Glicko's rule"
    if work.reason is None:
        work.reason, grown, proposals = _carried(lists)
        work.proposals += proposals
        work.facts |= {"deviations grow by": f"c = {grown:.6g}"} if grown else {}
    if work.reason is None:
        work.reason, proposals = _shown(lists)
        work.proposals += proposals
    ends = {key for line in lists.lines for key in (line.key, line.new_wide) if key is not None}
    inside = {key[:2] for line in lists.lines for key in (line.key, line.own)} | set(lists.rows)
    held = [key for key in model.forms if key[:2] in inside]
    work.reason = work.reason or unheld(context, ends, {*ends, *lists.held}, held, len(lists.lines))
    work.replayed = work.reason is None
    return work


# --- what is held


def _reason(lists: Lists) -> str | None:
    """Why the games could not be read."""
    model = lists.context.model
    unread = next((line for line in lists.lines if line.games is None), None)
    if unread is not None:
        return f"not every opponent of {unread.name} in {range_text([unread.key])} has a rating in a list"
    counted = Counter(score[:2] for line in lists.lines if line.games is not None for score in line.games.scores)
    usual = Counter(counted.values()).most_common(1)[0][0]
    scores = {score for line in lists.lines if line.games is not None for score in line.games.scores}
    columns = {score[2] for score in scores}
    for place in lists.rows:
        if any(sheet == place[0] for sheet, _ in counted) and counted[place] != usual:
            filled_in = [key for at in columns if model.value(key := (*place, at)) not in (None, "")]
            if filled_in:
                return f"the result in {range_text(filled_in)} is not counted for as many players as the others are"
    return mistold(lists.context, [key for key in sorted(scores) if key in model.forms])


def _holds(lists: Lists, line: Line, key: Key, formulas: Mapping[Key, Expr] | None = None) -> bool:
    games = line.games
    if games is None:
        return False
    formulas = {**lists.whole(line), **(formulas or {})}
    if key == line.new_wide:
        return is_deviation(lists.context, key, games, formulas)
    return follows(lists.context, key, games, lambda entries: glicko_of(games, entries)[0], formulas)


def _wrong(lists: Lists, formulas: Mapping[Key, Expr] | None = None) -> list[Key]:
    """The new ratings and new deviations that do not follow from their games."""
    ends = ((line, key) for line in lists.lines for key in (line.key, line.new_wide) if key is not None)
    return [key for line, key in ends if line.games is not None and not _holds(lists, line, key, formulas)]


def _mended(lists: Lists, wrong: Sequence[Key]) -> Iterator[Proposal]:
    """The formula in whose place another makes what is wrong right: that of its column, or one with a slip undone."""
    model = lists.context.model
    line = next(one for one in lists.lines if wrong[0] in (one.key, one.new_wide))
    behind = [wrong[0], *(key for key in all_behind(model, wrong[0]) if key not in lists.held)]
    for trees in islice(_ways(lists, behind), MOST_TRIES):
        if _copies(lists, trees):
            continue
        if _holds(lists, line, wrong[0], trees) and len(left := _wrong(lists, trees)) < len(wrong):
            yield with_formulas(model, trees)
            if left:
                yield from (one for one in _mended(lists, left) if not set(one.cells) & set(trees))
            return


def _copies(lists: Lists, trees: Mapping[Key, Expr]) -> bool:
    """Whether formulas give numbers of cells that they read, and those there do not: deviations have grown."""
    model, evaluator, grown = lists.context.model, lists.context.evaluator, False
    for key, tree in trees.items():
        areas = (node for node in walk(tree) if isinstance(node, Area))
        read = {model.number((area.sheet or key[0], area.row, area.column)) for area in areas}
        if evaluator.tree_value(tree, key, {}) not in read:
            return False
        grown = grown or model.number(key) not in read
    return grown


def _ways(lists: Lists, behind: Sequence[Key]) -> Iterator[dict[Key, Expr]]:
    """Yield cells with other formulas: another of their column, then for all of one formula it with a slip undone."""
    model = lists.context.model
    near = {line.key[:2] for line in lists.lines} | set(lists.rows)
    for key in (one for one in behind if one[:2] in near):
        column = [one for one in model.forms if one[:2] in near and one[2] == key[2]]
        own = model.forms[key]
        others = Counter(model.forms[one] for one in column if model.forms[one] is not own)
        for form, _ in others.most_common(FORMS):
            yield {one: at_cell(form.tree, one) for one in [key, *column] if model.forms[one] is own}
    forms = dict.fromkeys(model.forms[key] for key in behind)
    for is_undone, form in product((False, True), forms):
        cells = sorted(key for key in model.forms if model.forms[key] is form)
        for tree in _undone(form.tree) if is_undone else _other_cells(model, form.tree, cells[0]):
            yield {key: at_cell(tree, key) for key in cells}


def _undone(tree: Expr) -> Iterator[Expr]:
    """Yield a formula with one known slip undone."""
    yield from (one for _, one in (*candidates(tree), *squares(tree)))


def _other_cells(model: Model, tree: Expr, key: Key) -> Iterator[Expr]:
    """Yield a formula with another cell of its row, of the same kind, read."""
    read = {type(model.value((one.sheet or key[0], one.row, one.column))) for one in model.areas(key) if one.single}
    row = sorted(at for row, at in model.book.sheets[key[0]] if row == key[1] and at != key[2])
    alike = [at for at in row if type(model.value((key[0], key[1], at))) in read]
    yield from with_references(tree, [Area(None, 0, at - key[2], 0, at - key[2], 0, True) for at in alike])


# --- from period to period


def _carried(lists: Lists) -> tuple[str | None, float | None, list[Proposal]]:
    """Return why periods do not go on from the ones before, None where they do, c, and what mends it."""
    model = lists.context.model
    ends: dict[Key, Key | None] = {line.wide: None for line in lists.lines if line.wide in model.forms}
    for before, line in _in_a_row(lists):
        pairs = ((line.own, before.key), (line.wide, before.new_wide))
        ends |= {start: end for start, end in pairs if start is not None and end is not None and start != end}
    grown = {start: _grown(lists, start, end) for start, end in ends.items()}
    usual = Counter(
        round(c, 6) for start, c in grown.items() if c is not None and ends[start] and _is_wide(lists, start)
    )
    c = usual.most_common(1)[0][0] if usual else 0.0

    def right(start: Key, formulas: Mapping[Key, Expr] | None = None) -> bool:
        own = _grown(lists, start, ends[start], formulas)
        return own is not None and (not ends[start] or not _is_wide(lists, start) or not c or abs(own - c) <= CLOSE)

    wrong = [start for start in ends if not right(start)]
    if wrong:
        says = f"{range_text(wrong[:1])} does not go on from the period before as the paper says"
        return says, None, list(_linked(lists, wrong, right))
    if not c and (unread := _unread_c(lists)) is not None:
        return f"the deviations do not grow, and nothing reads c in {range_text([unread])}", None, []
    return None, c or None, []


def _is_wide(lists: Lists, start: Key) -> bool:
    return any(line.wide == start for line in lists.lines)


def _grown(lists: Lists, start: Key, end: Key | None, formulas: Mapping[Key, Expr] | None = None) -> float | None:
    """By how much a deviation grows from the end of a period to the start of the next, and 0 for a rating.

    None where it does not go on as it should: a rating as it was, a deviation by the root of the sum of its square and
    that of c, up to a limit. Where nothing came before, it is a number in its formula where c is nought.
    """
    model, evaluator = lists.context.model, lists.context.evaluator
    if start not in model.forms:
        return None
    if end is None:
        tree = (formulas or {}).get(start, model.forms[start].tree)
        numbers = [node.value for node in walk(tree) if isinstance(node, Number) and node.value >= LEAST_WIDE]
        settings = dict.fromkeys(_settings(lists, start), 0.0)
        still = evaluator.number(start, dict[Key, Value](settings), formulas)
        is_free = not numbers or len(settings) != 1
        return 0.0 if is_free or (still is not None and abs(still - min(numbers)) <= CLOSE) else None
    told = [evaluator.number(start, {end: number}, formulas) for number in PAST]
    if told[0] is None or told[1] is None:
        return None
    if not _is_wide(lists, start):
        return 0.0 if all(abs(a - b) <= CLOSE for a, b in zip((told[0], told[1]), PAST, strict=True)) else None
    added = [a**2 - b**2 for a, b in zip((told[0], told[1]), PAST, strict=True)]
    most = evaluator.number(start, {end: 10 * MOST_WIDE}, formulas) or 0.0
    is_capped = most <= MOST_WIDE + CLOSE or abs(most**2 - 100 * MOST_WIDE**2 - added[0]) < SQUARED
    c = math.sqrt(max(0.0, added[0]))
    settings = {key: number for key, number in _settings(lists, start).items() if key != end}
    is_told = not c or all(abs(number - c) <= CLOSE or number > MOST_C for number in settings.values())
    is_right = abs(added[0] - added[1]) <= SQUARED and added[0] >= -CLOSE and is_capped and is_told
    return c if is_right and (not c or LEAST_C <= c <= MOST_C) else None


def _settings(lists: Lists, key: Key) -> dict[Key, float]:
    """The typed numbers that a formula reads one by one."""
    model = lists.context.model
    cells = [(area.sheet or key[0], area.row, area.column) for area in model.areas(key) if area.single]
    return {one: number for one in cells if one not in model.forms and (number := model.number(one)) is not None}


def _unread_c(lists: Lists) -> Key | None:
    """A typed number beside the letter c that no formula reads."""
    model = lists.context.model
    for sheet, cells in model.book.sheets.items():
        for row, column in cells:
            beside = (sheet, row, column + 1)
            if plain(model.value((sheet, row, column))) == "c" and model.number(beside) is not None:
                return None if lists.context.evaluator.readers.is_read(beside) else beside
    return None


def _in_a_row(lists: Lists) -> Iterator[tuple[Line, Line]]:
    """Each line of a player with the one before it."""
    latest: dict[str, Line] = {}
    for line in lists.lines:
        if line.name in latest:
            yield latest[line.name], line
        latest[line.name] = line


def _linked(lists: Lists, wrong: Sequence[Key], right: Callable[..., bool]) -> Iterator[Proposal]:
    """What a period starts from with another formula of its column, or with a slip undone, where that goes on."""
    model = lists.context.model
    start = wrong[0]
    own = model.forms.get(start)
    column = [one for one in model.forms if (one[0], one[2]) == (start[0], start[2]) and one != start]
    alike = [one for one in wrong if model.forms.get(one) is own and one[2] == start[2]]
    forms = Counter(model.forms[one] for one in column if model.forms[one] is not own)
    ways = [form.tree for form, _ in forms.most_common(FORMS)]
    ways += [] if own is None else [*_undone(own.tree)]
    for tree in ways:
        trees = {one: at_cell(tree, one) for one in alike}
        if all(right(one, trees) for one in alike):
            yield with_formulas(model, trees)
            break
    left = [one for one in wrong if one not in alike]
    if left:
        yield from _linked(lists, left, right)


def _shown(lists: Lists) -> tuple[str | None, list[Proposal]]:
    """Return which formulas in rows of games, that no new rating reads, show nothing that is known, and what mends it.

    Such a column shows the rating or the deviation of the player who is named first, or of the other one.
    """
    model, evaluator = lists.context.model, lists.context.evaluator
    read = {one for line in lists.lines for one in read_by(lists, line)}
    ends = {key for line in lists.lines for key in (line.key, line.new_wide)}
    seats = seats_of(lists)
    columns: dict[tuple[str, int], list[Key]] = {}
    for key in model.forms:
        if key[:2] in seats and key not in read and key not in ends and model.number(key) is not None:
            columns.setdefault((key[0], key[2]), []).append(key)
    taken = Counter(kind for place in {(one[0], one[2]) for one in read if one[:2] in seats}
                    if (kind := _kind(lists, seats, [one for one in read if (one[0], one[2]) == place])))  # fmt: skip
    for keys in columns.values():
        if not evaluator.depends(keys[0], lists.held, 12):
            continue
        kind = _kind(lists, seats, keys)
        other = None if kind is None else (kind[0], 1 - kind[1])
        if kind is None or other is None:
            return f"{range_text(keys)} follow from the ratings, and were not held against any rule", []
        if taken[kind] and not taken[other]:
            says = f"{range_text(keys)} show the same as another column, and none shows the other player's"
            return says, list(_swapped(lists, seats, keys, other))
        taken[kind] += 1
    return None, []


def _kind(lists: Lists, seats: Seats, keys: Sequence[Key]) -> tuple[str, int] | None:
    """Whether cells show a rating or a deviation, and of which seat; None for anything else."""
    number = lists.context.model.number
    for what in ("own", "wide"):
        for seat in (0, 1):
            dues = {key: getattr(seats[key[:2]][seat], what) for key in keys if key[:2] in seats}
            if dues and all(abs((number(key) or 0.0) - (number(due) or 0.0)) <= CLOSE for key, due in dues.items()):
                return what, seat
    return None


def _swapped(lists: Lists, seats: Seats, keys: Sequence[Key], due: tuple[str, int]) -> Iterator[Proposal]:
    """A column with another cell of its row read, by which it shows what is due."""
    model, evaluator = lists.context.model, lists.context.evaluator
    wanted = {key: model.number(getattr(seats[key[:2]][due[1]], due[0])) for key in keys}
    texts: dict[Key, str] = {}
    for form in dict.fromkeys(model.forms[key] for key in keys):
        alike = [key for key in keys if model.forms[key] is form]
        for tree in _other_cells(model, form.tree, alike[0]):
            trees = {key: at_cell(tree, key) for key in alike}
            if all(evaluator.number(key, {}, trees) == wanted[key] for key in alike):
                texts |= {key: spell_anchored(model, key, one) for key, one in trees.items()}
                break
    if len(texts) == len(keys):
        first = next((key for key in keys if model.number(key) != wanted[key]), keys[0])
        expected, found = wanted[first], model.number(first)
        yield Proposal(
            "ES106", tuple(keys), repairs=texts, fix="=" + texts[keys[0]], rank=1, expected=expected, found=found
        )


__all__ = ["recognise"]
