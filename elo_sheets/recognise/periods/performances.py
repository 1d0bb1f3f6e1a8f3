"""Performances of a tournament: the average of the opponents, and more the more points were scored."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from elo_sheets.expr import Binary, Call, Expr, walk
from elo_sheets.files.package import Value
from elo_sheets.ops import round_half_away
from elo_sheets.recognise import nearmiss
from elo_sheets.recognise.behind import cone
from elo_sheets.recognise.context import WARNING, Context, Proposal
from elo_sheets.recognise.departures import spell_anchored
from elo_sheets.recognise.model import Form, Key, Model
from elo_sheets.systems._tables import PERFORMANCE_TABLE
from elo_sheets.systems.elo import CURVES

STEP, FAR = 64.0, 2000.0
SLACK = 1.01  # rating points that rounding may make
NEARLY = 0.35  # of a step: a sum divided by one more or less than there are opponents
FEWEST = 3  # opponents
MOST_PLAYERS = 400  # in a column of performances: a longer one is a ledger
NEAREST = 8  # formulas behind a performance in which sums are looked for
LEAST_SPAN = 300.0  # rating points between no point at all and all of them
SCORES = (0.0, 0.5, 1.0)


@dataclass(frozen=True)
class Played:
    """A player's opening rating, his results, his opponents' ratings with the games against each, and all ratings."""

    own: Key
    results: list[Key]
    opponents: Mapping[Key, int]
    everybody: list[Key]
    points: float


def is_performance(context: Context, key: Key, played: Played) -> bool:
    """Whether a formula is the opponents' average at half of the points, and rises along with all ratings."""
    along, level = _along(context, key, played), _level(context, key, played)
    is_mean = along is not None and level is not None and abs(along - STEP) <= SLACK and abs(level) <= SLACK
    shown = context.model.number(key)
    return is_mean and shown is not None and _is_due(context.model, played, shown)


def follows_all(context: Context, key: Key, played: Played) -> bool:
    """Whether a formula rises along with all opponents, and with every point: it is to be a performance."""
    along, scores = _along(context, key, played), played.results
    span = _span(context, key, scores, {})
    return along is not None and abs(along - STEP) <= SLACK and span is not None and abs(span) >= LEAST_SPAN


def _is_due(model: Model, played: Played, shown: float) -> bool:
    """Whether a number is the performance that a rule in use gives: FIDE's table, the linear one, or a curve."""
    opponents = [model.number(one) or 0.0 for one, times in played.opponents.items() for _ in range(times)]
    mean, share = sum(opponents) / len(opponents), played.points / len(opponents)
    given = (mean + PERFORMANCE_TABLE[round(round_half_away(100 * share))], mean + 400 * (2 * share - 1))
    if any(abs(shown - due) <= SLACK for due in given):
        return True
    expects = [
        [sum(curve(shown + by - one, 400) for one in opponents) for by in (-SLACK, SLACK)] for curve in CURVES.values()
    ]
    return any(low <= played.points <= high for low, high in expects)


def performances_off(context: Context, rows: Mapping[Key, Played]) -> Iterator[Proposal]:
    """Performances that take another average than that of the opponents: nearly so, with the number that is due."""
    model = context.model
    off: dict[tuple[str, int], list[tuple[Key, float]]] = {}
    for key, played in rows.items():
        along, level = _along(context, key, played), _level(context, key, played)
        near = along is not None and abs(along - STEP) <= NEARLY * STEP
        if near and level is not None and abs(level) > SLACK and _is_of_games(context, key, played):
            off.setdefault(key[::2], []).append((key, level))
    for cells in off.values():
        key, level = max(cells, key=lambda one: abs(one[1]))
        shown = model.number(key) or 0.0
        says = f"the average is not that of the opponents: at half of the points {abs(level):.6g} points off it"
        yield Proposal(
            "ES108", tuple(one for one, _ in cells), says, severity=WARNING, expected=shown - level, found=shown,
            effect=level, rank=3,
        )  # fmt: skip


def _is_of_games(context: Context, key: Key, played: Played) -> bool:
    """Whether a formula follows from a player's results or several opponents: one beside them is a game's own."""
    number, here = context.evaluator.number, context.evaluator.number(key, {})
    by_results = number(key, dict.fromkeys(played.results, 1.0)) != number(key, dict.fromkeys(played.results, 0.0))
    moved = ({one: (context.model.number(one) or 0.0) + STEP} for one in played.opponents)
    return by_results or sum(number(key, one) != here for one in moved) > 1


def _along(context: Context, key: Key, played: Played) -> float | None:
    """What a formula gains when everybody has more by a step; None for what goes on from the player's own rating."""
    model, number = context.model, context.evaluator.number
    ratings = {one: (model.number(one) or 0.0) + STEP for one in (played.own, *played.everybody)}
    here, alone, along = (number(key, moved) for moved in ({}, {played.own: ratings[played.own]}, ratings))
    if here is None or along is None or alone is None or abs(alone - here) > STEP / 2:
        return None
    return along - here


def _level(context: Context, key: Key, played: Played) -> float | None:
    """How far a formula is from the opponents' average at half of the points."""
    games = sum(played.opponents.values())
    total = sum((context.model.number(one) or 0.0) * n for one, n in played.opponents.items())
    found = context.evaluator.number(key, dict.fromkeys(played.results, 0.5))
    return None if found is None or not games else found - total / games


def performance_faults(context: Context) -> Iterator[Proposal]:
    """Yield the performances that fall with the points, with what would let them rise."""
    model = context.model
    columns: dict[tuple[str, int, Form], list[Key]] = {}
    for key, form in model.forms.items():
        columns.setdefault((key[0], key[2], form), []).append(key)
    for cells in columns.values():
        repairs: dict[Key, str] = {}
        if len(cells) > MOST_PLAYERS or not _sums_up(model, cells[0]):
            continue
        for key in sorted(cells):
            repair = _repair(context, key)
            if repair is not None:
                repairs[key] = repair
        if repairs:
            first = next(iter(repairs))
            what = "the performance falls with the points"
            yield Proposal("ES103", tuple(repairs), what, repairs, fix="=" + repairs[first], rank=3)


def _repair(context: Context, key: Key) -> str | None:
    """The formula with one sign or difference the other way, where that makes a performance of a falling one."""
    tree = context.model.tree(key)
    if not isinstance(tree, (Binary, Call)):
        return None
    opponents, scores = _inputs(context.model, key)
    if len(opponents) < FEWEST or not scores or not _averages(context, key, opponents):
        return None
    span = _span(context, key, scores, {})
    if span is None or span > -LEAST_SPAN:
        return None
    for edited in _other_signs(tree):
        turned = _span(context, key, scores, {key: edited})
        if turned is not None and abs(turned + span) <= SLACK and _averages(context, key, opponents, {key: edited}):
            return spell_anchored(context.model, key, edited)
    return None


def _inputs(model: Model, key: Key) -> tuple[list[Key], list[Key]]:
    """The typed ratings that a formula follows from, and the scores: those of its row, else what is typed."""
    read = dict.fromkeys(read for one in cone(model, key) for read in model.precedents(one))
    numbers = {one: number for one in read if (number := model.number(one)) is not None}
    scores = [one for one, number in numbers.items() if number in SCORES]
    own = [one for one in scores if one[:2] == key[:2]]
    typed = [one for one in numbers if one not in model.forms]
    return [r for r in typed if numbers[r] > 400], own or [one for one in scores if one in {*typed}]


def _sums_up(model: Model, key: Key) -> bool:
    """Whether a formula, or one that it reads, is of the form that a performance has: it sums several numbers up."""
    if not isinstance(model.forms[key].tree, (Binary, Call)):
        return False
    nodes = (node for one in cone(model, key, NEAREST) for node in walk(model.forms[one].tree))
    return any(isinstance(n, Call) and n.function in ("AVERAGE", "SUM", "SUBTOTAL") for n in nodes)


def _averages(context: Context, key: Key, opponents: list[Key], formulas: Mapping[Key, Expr] | None = None) -> bool:
    """Whether a formula rises along with all ratings, and evenly with each: no new rating does."""
    numbers = {one: context.model.number(one) or 0.0 for one in opponents}

    def at(change: Mapping[Key, Value]) -> float:
        found = context.evaluator.number(key, change, formulas)
        return float("nan") if found is None else found

    here = at({})
    rises = [[at({one: numbers[one] + by * FAR}) - here for by in (1, 2)] for one in opponents[:FEWEST]]
    even = all(abs(2 * far - farther) <= 3 * SLACK for far, farther in rises)
    along = at({one: number + STEP for one, number in numbers.items()})
    return even and any(far > SLACK for far, _ in rises) and abs(along - here - STEP) <= SLACK


def _span(context: Context, key: Key, scores: list[Key], formulas: Mapping[Key, Expr]) -> float | None:
    """What all points bring above none."""
    low, high = (context.evaluator.number(key, dict.fromkeys(scores, value), formulas) for value in (0.0, 1.0))
    return None if low is None or high is None else high - low


def _other_signs(tree: Expr) -> Iterator[Expr]:
    for node, rebuilt in nearmiss.places(tree):
        if isinstance(node, Binary) and node.operator in nearmiss.TURNED:
            yield rebuilt(Binary(nearmiss.TURNED[node.operator], node.left, node.right))
            if node.operator == "-":
                yield rebuilt(Binary("-", node.right, node.left))


__all__ = ["SCORES", "Played", "follows_all", "is_performance", "performance_faults", "performances_off"]
