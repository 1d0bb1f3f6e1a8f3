"""One player's rounds replayed: his new rating by Elo's rule or Glicko's, at the entries as they stand and at others.

Nothing that a heading says is believed: which numbers are deviations shows where the new rating is Glicko's by them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice, product

from elo_sheets.detective.sides import worth_of
from elo_sheets.expr import Binary, Call, Expr, Number, walk
from elo_sheets.files.package import Value
from elo_sheets.recognise.behind import cone, has_deviations
from elo_sheets.recognise.context import LAST, TOTALS, WARNING, Context, Proposal
from elo_sheets.recognise.curves import cap
from elo_sheets.recognise.departures import spell_anchored
from elo_sheets.recognise.model import Area, Key, Model, at_cell, range_text
from elo_sheets.recognise.nearmiss import LIMITS, candidates, places
from elo_sheets.recognise.parts import Part, rounds
from elo_sheets.recognise.periods.closings import in_its_row, mistold
from elo_sheets.recognise.periods.performances import Played, is_performance
from elo_sheets.recognise.shapes import logistic, table_expectation
from elo_sheets.recognise.walks import follow
from elo_sheets.systems import glicko

SCORES = (0.0, 0.5, 1.0)
CLOSE, WHOLE = 1e-6, 0.501  # rating points, and of a rating that is shown in whole ones
LEAST_DEVIATION, MOST_DEVIATION = 10.0, 500.0  # rating points
FLOOR = (0.0, 30.0)  # below which the paper lets no deviation fall: none, and its example
LEAST_CAP = 300.0  # rating points: FIDE holds differences within 400, which its table does not tell from 392
DAY = 15_000.0  # a number of days: 1941
DEEP = 12  # formulas between the new rating and the entries
MOST_TRIES = 600  # formulas that are tried in the place of others
MOVES = (0.0, 130.0, -90.0)  # rating points by which ratings are moved
Q = math.log(10) / 400
TWO = Number(2.0)
NOT_SAID = "a score is not what the result beside it is worth"


@dataclass(frozen=True)
class Games:
    """The entries of the rounds: the player's rating, his opponents' and his scores; `deviations` are Glicko's."""

    own: Key
    opponents: tuple[Key, ...]
    scores: tuple[Key, ...]
    deviations: tuple[Key, ...] = ()  # the player's own first
    turned: frozenset[Key] = frozenset()  # scores that are the opponent's

    def moved(self, model: Model) -> Iterator[dict[Key, float]]:
        """The entries as they stand and as they could."""
        ratings = {key: model.number(key) or 0.0 for key in (self.own, *self.opponents)}
        scores = {key: model.number(key) or 0.0 for key in self.scores}
        wide = {key: model.number(key) or 0.0 for key in self.deviations}
        for at, by in enumerate(MOVES):
            yield {
                **{key: number + by * (at + i % 2) for i, (key, number) in enumerate(ratings.items())},
                **{key: number if at == 0 else 1 - number if at == 1 else 1.0 for key, number in scores.items()},
                **{key: number * (1 - 0.1 * at) for key, number in wide.items()},
            }


Rows = Container[tuple[str, int]]
Rule = Callable[[Mapping[Key, float]], float]
Holds = Callable[[Context, Key, Games, Mapping[Key, Expr]], bool]


def replayed(
    context: Context, part: Part, own: Key, opponents: tuple[Key, ...], final: Key, rows: Rows | None = None
) -> tuple[str | None, list[Proposal]]:
    """Return why the new rating of one player's rounds cannot be called right, None where it is, and what mends it.

    What else follows from the rounds is held in these rows of sheets, or everywhere.
    """
    model = context.model
    scores = _scores(context, own, opponents, final)
    if scores is None:
        return "the new rating does not follow from one score a round", []
    if (told := _mistold(context, own, opponents, final)) is not None:
        return (told, []) if isinstance(told, str) else (NOT_SAID, [told])
    part = _limited(context, part)
    if part.curve.cap is not None and part.curve.cap < LEAST_CAP:
        narrow = _narrow(context, part)
        return narrow.message, [narrow]
    plain = Games(own, opponents, scores)
    if _holds_elo(part, context, final, plain):
        k = _k(context, plain, final) or 0.0
        off = next((key for key in _ends(model, final, plain, rows) if not _is_held(context, key, plain, k)), None)
        return _not_held(off), []
    if not has_deviations(model, own[0]):
        what = "change" if _is_alone(context, plain, final) else "rating"
        mended = _mended(context, final, plain, partial(_holds_elo, part), what)
        if mended is not None:
            return mended.message, [mended]
    for games in _with_deviations(context, plain, final):
        if _holds_glicko(context, final, games, {}):
            off = next((key for key in _ends(model, final, games, rows) if not _is_shown(context, key, games)), None)
            mended = None if off is None else _mended(context, off, games, is_deviation, "deviation")
            return _not_held(off), [] if mended is None else [mended]
    for games in _with_deviations(context, plain, final):
        mended = _mended(context, final, games, _holds_glicko, "rating")
        if mended is not None:
            return mended.message, [mended]
    return "the new rating follows from the rounds by no rule that is known here", []


def is_change(context: Context, own: Key, opponents: tuple[Key, ...], end: Key) -> bool:
    """Whether a cell shows what the rounds bring: K for each point, the less the higher the player is rated."""
    scores = _scores(context, own, opponents, end)
    k = None if scores is None else _k(context, Games(own, opponents, scores), end)
    here, above = (context.evaluator.number(end, {own: (context.model.number(own) or 0.0) + by}) for by in MOVES[:2])
    return k is not None and here is not None and above is not None and above < here


def _is_alone(context: Context, games: Games, end: Key) -> bool:
    """Whether a cell shows the change alone: it stays where it is when all ratings rise."""
    ratings = {key: (context.model.number(key) or 0.0) + MOVES[1] for key in (games.own, *games.opponents)}
    here, there = (context.evaluator.number(end, moved) for moved in ({}, dict[Key, Value](ratings)))
    return here is not None and there is not None and abs(there - here) < MOVES[1] / 2


def _limited(context: Context, part: Part) -> Part:
    """The expectation of a round with the difference beyond which it stays the same."""

    def at(own: float, other: float) -> float | None:
        share = context.evaluator.number(part.key, {part.own: own, part.other: other})
        return None if share is None else share / part.unit

    center = context.model.number(part.own) or 0.0
    return replace(part, curve=replace(part.curve, cap=cap(at, center, part.curve)))


def _narrow(context: Context, part: Part) -> Proposal:
    """That differences are held within a limit which no rule has."""
    model = context.model
    behind = [key for key in cone(model, part.key, DEEP) if key[:2] == part.key[:2]]
    calls = {key: [node for node in walk(model.forms[key].tree) if isinstance(node, Call)] for key in behind}
    limits = [key for key, nodes in calls.items() if any(one.function in LIMITS for one in nodes)] or [part.key]
    form = model.forms[limits[0]]
    cells = tuple(sorted(key for key, one in model.forms.items() if one is form))
    says = f"differences of ratings beyond {part.curve.cap:g} points count as {part.curve.cap:g}"
    return Proposal("ES118", cells, says, severity=WARNING, found=part.curve.cap, effect=0.0, rank=1)


def _not_held(off: Key | None) -> str | None:
    return None if off is None else f"{range_text([off])} follows from the games, and was not held against any rule"


def _scores(context: Context, own: Key, opponents: tuple[Key, ...], final: Key) -> tuple[Key, ...] | None:
    """The score of each round that moves the new rating, typed or worked out from its result, where each has one."""
    found = []
    for other in opponents:
        typed, worked = _moving(context, own, other, final)
        if len(typed) != 1 and (typed or not worked):
            return None
        found.append((*typed, *worked[-1:])[0])
    return tuple(found)


def _moving(context: Context, own: Key, other: Key, final: Key) -> tuple[list[Key], list[Key]]:
    """The cells of a round that move the new rating as a score does: those typed, and those worked out, in order."""
    model, number = context.model, context.model.number
    keys = [(other[0], other[1], at) for row, at in sorted(model.book.sheets[other[0]]) if row == other[1]]
    typed = [key for key in keys if key not in model.forms and number(key) in SCORES]
    worked = [key for key in keys if key in model.forms and (number(key) or 0.0) <= 1
              and not context.evaluator.depends(key, (own, other), DEEP)]  # fmt: skip
    typed, worked = ([key for key in cells if abs(_slope(context, final, key)) > 1] for cells in (typed, worked))
    # What follows from nothing that is entered beside a score is no score: the weight of a deviation.
    return typed, [key for key in worked if not typed or context.evaluator.depends(key, tuple(typed), DEEP)]


def _mistold(context: Context, own: Key, opponents: tuple[Key, ...], final: Key) -> Proposal | str | None:
    """The scores that are worked out, and not what the results beside them are worth; a text where nobody can tell."""
    model, off = context.model, dict[Key, float]()
    for other in opponents:
        typed, worked = _moving(context, own, other, final)
        for key in worked[-1:]:
            entered = [model.value(one) for one in in_its_row(model, key) if one not in model.forms]
            texts = [value for value in entered if isinstance(value, str)]
            worth = model.number(typed[0]) if typed else worth_of(texts[0]) if len(texts) == 1 else None
            if worth is not None and worth != model.number(key):
                off[key] = worth
            days = [one for one in in_its_row(model, key) if one not in model.forms and (model.number(one) or 0) > DAY]
            if worth is None and days:
                found = model.number(days[0])
                return Proposal("ES415", (days[0],), severity=WARNING, found=found, effect=0.0, rank=LAST)
            if worth is None and (told := mistold(context, [key])) is not None:
                return told
    if not off:
        return None
    first = next(iter(off))
    says = f"the result beside it is worth {off[first]:g}"
    expected, shown = off[first], model.number(first)
    return Proposal("ES127", tuple(off), says, severity=WARNING, expected=expected, found=shown, effect=0.0, rank=LAST)


def _slope(context: Context, final: Key, score: Key, formulas: Mapping[Key, Expr] | None = None) -> float:
    low, high = (context.evaluator.number(final, {score: one}, formulas) for one in (0.0, 1.0))
    return 0.0 if low is None or high is None else high - low


def _k(context: Context, games: Games, final: Key, formulas: Mapping[Key, Expr] | None = None) -> float | None:
    """What one point more brings, where that is the same in every round."""
    slack = 2 * WHOLE if _is_rounded(context.model, final) else CLOSE
    far = [context.evaluator.number(final, dict.fromkeys(games.scores, one), formulas) for one in SCORES[::2]]
    if None in far:
        return None
    k = ((far[1] or 0.0) - (far[0] or 0.0)) / len(games.scores)
    k = float(round(k)) if slack > CLOSE and abs(k - round(k)) * len(games.scores) <= slack else k
    return k if all(abs(_slope(context, final, key, formulas) - k) <= slack for key in games.scores) else None


def _holds_elo(
    part: Part, context: Context, key: Key, games: Games, formulas: Mapping[Key, Expr] | None = None
) -> bool:
    """Whether a cell shows the new rating or the change by Elo's rule, with one K above 0 for all rounds."""
    k = _k(context, games, key, formulas)
    rule = partial(_elo, games, part, k or 0.0, _is_alone(context, games, key))
    return k is not None and k > 0 and follows(context, key, games, rule, formulas)


def _is_rounded(model: Model, final: Key) -> bool:
    return any(rounds(model.forms[key].tree) for key in (final, *cone(model, final, DEEP)))


def _elo(games: Games, part: Part, k: float, alone: bool, entries: Mapping[Key, float]) -> float:
    """The new rating, or the change alone."""
    own, curve = entries[games.own], part.curve
    expected = 0.0
    for other in games.opponents:
        lead = own - entries[other] + (curve.advantage if part.own == games.own else -curve.advantage)
        lead = lead if curve.cap is None else max(-curve.cap, min(curve.cap, lead))
        expected += table_expectation(lead) if curve.scale is None else logistic(lead, curve.scale)
    return (0.0 if alone else own) + k * (sum(entries[key] for key in games.scores) - expected)


def follows(context: Context, cell: Key, games: Games, rule: Rule, formulas: Mapping[Key, Expr] | None = None) -> bool:
    """Whether a cell shows what a rule gives, whatever was entered."""
    slack = WHOLE if _is_rounded(context.model, cell) else CLOSE
    for entries in games.moved(context.model):
        found = context.evaluator.number(cell, dict[Key, Value](entries), formulas)
        if found is None or abs(found - rule(entries)) > slack:
            return False
    return True


# --- Glicko


def _with_deviations(context: Context, games: Games, final: Key) -> Iterator[Games]:
    """The rounds with each column of numbers that may be the opponents' deviations, and each that may be his own."""
    model = context.model
    sheet, rows = games.own[0], {key[1] for key in games.opponents}
    columns = sorted({column for row, column in model.book.sheets[sheet] if row in rows})
    read = {one for key in (final, *all_behind(model, final)) for one in model.precedents(key)}
    mine = [key for key in sorted(read) if key != games.own and key[1] not in rows and is_wide(model, key)]
    for column, own in product(columns, mine):
        keys = tuple((key[0], key[1], column) for key in games.opponents)
        if not set(keys) & {*games.opponents, *games.scores} and all(is_wide(model, key) for key in keys):
            yield Games(games.own, games.opponents, games.scores, (own, *keys))


def all_behind(model: Model, key: Key) -> list[Key]:
    """All formulas that a cell follows from."""
    return follow([key], lambda at: (one for one in model.precedents(at) if one in model.forms))


def is_wide(model: Model, key: Key) -> bool:
    number = model.number(key)
    return number is not None and LEAST_DEVIATION <= number <= MOST_DEVIATION


def glicko_of(games: Games, entries: Mapping[Key, float]) -> tuple[float, float]:
    """The new rating and the new deviation, which stay what they were where nothing was played."""
    own, wide = entries[games.own], entries[games.deviations[0]]
    told, surprise = 0.0, 0.0
    for other, deviation, score in zip(games.opponents, games.deviations[1:], games.scores, strict=True):
        g = glicko.g(entries[deviation], Q)
        expected = glicko.expected(own, entries[other], g, Q)
        told += glicko.information(g, expected)
        points = 1 - entries[score] if score in games.turned else entries[score]
        surprise += glicko.surprise(g, points, expected)
    if not games.scores:
        return own, wide
    variance = glicko.new_variance(wide, glicko.d2(told, Q))
    return own + glicko.change(variance, surprise, Q), math.sqrt(variance)


def _holds_glicko(context: Context, key: Key, games: Games, formulas: Mapping[Key, Expr] | None = None) -> bool:
    return follows(context, key, games, lambda entries: glicko_of(games, entries)[0], formulas)


def is_deviation(context: Context, key: Key, games: Games, formulas: Mapping[Key, Expr] | None = None) -> bool:
    """Whether a cell shows the new deviation, above a floor or without."""

    def above(floor: float, entries: Mapping[Key, float]) -> float:
        return max(glicko_of(games, entries)[1], floor)

    return any(follows(context, key, games, partial(above, floor), formulas) for floor in FLOOR)


def _mended(context: Context, cell: Key, games: Games, holds: Holds, what: str) -> Proposal | None:
    """The formula in whose place another makes the new rating or the new deviation Glicko's."""
    model = context.model
    forms = dict.fromkeys(model.forms[key] for key in (cell, *all_behind(model, cell)))
    ways = ((form, tree) for form in forms for _, tree in (*candidates(form.tree), *squares(form.tree)))
    for form, tree in islice(ways, MOST_TRIES):
        cells = [key for key in model.forms if model.forms[key] is form]
        trees = {key: at_cell(tree, key) for key in cells}
        if holds(context, cell, games, trees):
            texts = {key: spell_anchored(model, key, one) for key, one in trees.items()}
            says = f"the new {what} is not the one that the rule gives"
            return Proposal("ES108", tuple(cells), says, texts, fix="=" + texts[cells[0]], rank=1)
    return None


def squares(tree: Expr) -> Iterator[tuple[str, Expr]]:
    """Squares and roots that were forgotten, or are too many."""
    for node, rebuilt in places(tree):
        if isinstance(node, Area) and node.single:
            yield "ES108", rebuilt(Binary("^", node, TWO))
        if isinstance(node, Binary) and node.operator == "^" and node.right == TWO:
            yield "ES108", rebuilt(node.left)
        if isinstance(node, Call) and node.function == "SQRT" and node.arguments and node.arguments[0] is not None:
            yield "ES108", rebuilt(node.arguments[0])
        if isinstance(node, (Binary, Call)):
            yield "ES108", rebuilt(Call("SQRT", (node,)))


# --- what stands beside


def _ends(model: Model, final: Key, games: Games, rows: Rows | None) -> Iterator[Key]:
    """The formulas that show a number, follow from the rounds, and that nothing reads, without the new rating."""
    entries = {games.own, *games.opponents, *games.scores, *games.deviations}
    for key in model.forms:
        shown = key != final and not model.readers.get(key) and model.number(key) is not None
        if (
            shown
            and (rows is None or key[:2] in rows)
            and entries & {one for at in (key, *all_behind(model, key)) for one in model.precedents(at)}
        ):
            yield key


def _is_total(model: Model, key: Key) -> bool:
    """Whether a formula is made of sums, averages and counts of columns alone."""
    calls = [node for node in walk(model.forms[key].tree) if isinstance(node, Call)]
    areas = model.areas(key)
    return bool(calls) and {one.function for one in calls} <= {*TOTALS, "ROUND"} and not any(a.single for a in areas)


def _is_held(context: Context, key: Key, games: Games, k: float) -> bool:
    """Whether a cell is a round's surplus or change, a total, the change of all rounds, or the performance."""
    model, number = context.model, context.evaluator.number
    here = model.number(key) or 0.0
    rises = [round(_slope(context, key, score) / k, 6) for score in games.scores]
    points = sum(model.number(score) or 0.0 for score in games.scores)
    once = dict.fromkeys(games.opponents, 1)
    played = Played(games.own, list(games.scores), once, list(games.opponents), points)
    if _is_total(model, key) or is_performance(context, key, played):
        return True
    own = [score[1] == key[1] for score in games.scores]
    worth = {rise for rise, mine in zip(rises, own, strict=True) if mine}
    if worth and not any(rise for rise, mine in zip(rises, own, strict=True) if not mine):
        return worth <= {1.0, round(1 / k, 6), 0.0}
    level = {other: model.number(games.own) for other in games.opponents}
    even = number(key, {**dict[Key, Value](level), **dict.fromkeys(games.scores, 0.5)})
    return set(rises) == {1.0} and even is not None and abs(even) <= WHOLE and abs(here) <= k * len(games.scores)


def _is_shown(context: Context, key: Key, games: Games) -> bool:
    rows = {one[1] for one in games.scores}
    return _is_total(context.model, key) or key[1] in rows or is_deviation(context, key, games)


__all__ = ["Games", "all_behind", "follows", "glicko_of", "is_change", "is_deviation", "is_wide", "replayed", "squares"]
