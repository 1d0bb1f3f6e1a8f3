"""Rules for games of sides: doubles, teams, and tables of many, made of the steps of a rule for two players.

A side has one or more players. What the steps read of it are sums over its players (`Member`), and the steps in `side`
make the side's rating of them. Steps that compare two players then compare two sides; all other steps, such as K, stay
the player's own. The forms, by system:

- **elo**, and rules that read no more of an opponent than his rating, built in (ecf-grade) or one's own: the side's
  rating is the mean of its players' (the setting `side_rule`), as foosball and padel ladders have it
  (babyfoot-arena.com/docs/elo-rating, trackmyelo.com/guides/how-team-elo-works); the sum, as in
  math.stackexchange.com/questions/1723020; the strongest player's; or the mean weighted by what each player played
  (github.com/ACBMP/elo weights too, by other weights). Each player gets the whole change of the side
  (`share_rule=alike`), or his part of it by rating or weight, where the parts of a side have the mean 1; these two
  have no published source.
- a **table of many** (`table_rule`): `pairwise`, as n - 1 games against each other side, divided by n - 1, so that the
  score and the expected score are means over the opponents (Danny Cunningham's multielo, with its linear scores, gives
  2 (n - 1) / n times as much at the same K); `mean`, one game against the mean of the others; `winner`, a whole game of
  each loser against the winner and no other, several winners sharing each game.
- **glicko** and **glicko2**: each player, with his own rating and deviation, plays one game against a composite of the
  other side, whose numbers are the means of its players' (Garrick J. Williams, *Abstracting Glicko-2 for Team Games*,
  thesis, University of Cincinnati, 2013: the composite opponent update). Their papers know two players alone: a
  deviation. In a table of many what the opponents tell is divided by n - 1.
- **trueskill**: the paper's own rule for two sides, of which c counts every player; more sides pass messages
  (`trueskill.rate_sides`). The weights are the paper's partial play.
- **weng-lin**: the paper's own rule (`weng_lin.rate_sides`), by `model`.

Games of sides are rated one by one, whatever period the rule has for two players.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property, lru_cache
from typing import Any, ClassVar, NamedTuple

from elo_sheets.errors import UsageError
from elo_sheets.ops import minimum, normal_quantile, sqrt, where
from elo_sheets.systems import trueskill, weng_lin
from elo_sheets.systems._facts import Facts, facts_of, step
from elo_sheets.systems._system import (
    PERIOD_INPUTS,
    Fit,
    Line,
    Parameter,
    Repeat,
    Rules,
    Step,
    System,
    Value,
    called,
    lines,
    needs,
    renamed,
)

SUFFIX = "/sides"
# What a game of sides offers to the steps besides what games offer.
OWN_WEIGHT = "own_weight"
SIZE = "side_size"

SIDE_WEIGHT_SAID = Facts(
    "The weight of the player in the side: the share of the game that was played.", "Weight", "small"
)

Rated = Sequence[Sequence[tuple[float, float]]]
Numbers = Sequence[Sequence[float]]


class Member(NamedTuple):
    """A sum over the players of a side: its name, whether it adds (`sum`) or takes the largest (`max`), and of what."""

    name: str
    kind: str
    of: str
    facts: Facts


@dataclass(frozen=True, kw_only=True)
class SidedSystem(System):
    """A system in its form for games of sides.

    `members` are what is added up over the players of a side, `side` the steps that are computed once for each side
    from that; both are offered to the game's steps by their names, and those of the other side as `opponent_<name>`.
    `many` says how a table of more than two sides is rated: pairwise, mean, winner, joint (`rate` does it, from the
    states and the places), or not at all (""). `composite` says that each player meets the other side as one player,
    who is the mean of its own; the odds of a game are then those of the two. `base` is the rule for two players.
    """

    base: System
    members: tuple[Member, ...] = ()
    side: tuple[Step, ...] = ()
    many: str = ""
    composite: bool = False
    rate: Callable[[Rated, Sequence[float], Numbers, Mapping[str, Any]], Rated] | None = None
    beside: ClassVar[frozenset[str]] = frozenset({"table_rule", "model"})

    @cached_property
    def lines(self) -> tuple[Line, ...]:
        """The columns of the steps, in order, the forecast left out."""
        return tuple(lines((*self.opening, *self.side, *self.game, *self.closing)))

    def _check(self, steps: Sequence[Step | Repeat], known: set[str]) -> set[str]:
        names = {SIZE, *(member.name for member in self.members), *(line.name for line in lines(self.side))}
        return super()._check(steps, known | {OWN_WEIGHT} | names | {f"opponent_{name}" for name in names})

    def facts(self, name: str) -> Facts:
        """Return what the column of a state, step, sum or input says of itself."""
        found = {OWN_WEIGHT: SIDE_WEIGHT_SAID, SIZE: Facts("How many players the side has.", "Side players", "count")}
        found |= {member.name: member.facts for member in self.members}
        found |= {line.name: facts_of(line.step) for line in lines(self.side)}
        kind, _, rest = name.partition("_")
        if kind == "opponent" and rest in found:
            of = found[rest]
            label = of.label or rest.replace("_", " ").capitalize()
            return Facts(of.says.replace("side", "other side", 1), f"Other {label[:1].lower()}{label[1:]}", of.unit)
        return found[name] if name in found else super().facts(name)


# --- the rating of a side

TOTAL = Member("side_total", "sum", "rating", Facts("The ratings of the side's players, added up.", "Side total"))
BEST = Member("side_best", "max", "rating", Facts("The rating of the side's strongest player.", "Side best"))
WEIGHTED = Member("side_weighted", "sum", "weighted_rating", Facts("The side's weighted ratings.", "Side weighted"))
WEIGHTS = Member("side_weights", "sum", OWN_WEIGHT, Facts("The side's weights, added up.", "Side weights", "small"))

SIDE_RATING = step("The rating of the side, which the game is rated by.", label="Side rating")


@step("The rating times the player's weight in the side.")
def weighted_rating(rating: Any, own_weight: Any) -> Any:
    return rating * own_weight


@SIDE_RATING
def side_rating(side_total: Any, side_size: Any) -> Any:
    return side_total / side_size


@called(side_rating)
def summed_rating(side_total: Any) -> Any:
    return side_total


@called(side_rating)
def strongest_rating(side_best: Any) -> Any:
    return side_best


@called(side_rating)
def mean_weighted_rating(side_weighted: Any, side_weights: Any) -> Any:
    return side_weighted / side_weights


class SideRating(NamedTuple):
    """How the rating of a side follows from its players: what is added up, the step, and a step for each player."""

    members: tuple[Member, ...]
    step: Step
    own: tuple[Step, ...] = ()


SIDE_RATINGS: dict[Value, SideRating] = {
    "mean": SideRating((TOTAL,), side_rating),
    "sum": SideRating((TOTAL,), summed_rating),
    "strongest": SideRating((BEST,), strongest_rating),
    "weighted": SideRating((WEIGHTED, WEIGHTS), mean_weighted_rating, (weighted_rating,)),
}

# --- who gets how much of the change

SHARED = step("The player's part of the side's change.", label="Own change")


@called("shared_change")
@SHARED
def change_by_rating(change: Any, rating: Any, side_total: Any, side_size: Any) -> Any:
    return change * rating * side_size / side_total


@called("shared_change")
@SHARED
def change_by_weight(change: Any, own_weight: Any, side_weights: Any, side_size: Any) -> Any:
    return change * own_weight * side_size / side_weights


SHARINGS: dict[Value, tuple[tuple[Member, ...], Step | None]] = {
    "alike": ((), None),
    "rating": ((TOTAL,), change_by_rating),
    "weight": ((WEIGHTS,), change_by_weight),
}

SIDE_PARAMETERS = (
    Parameter(
        "side_rule",
        "mean",
        "Side rule",
        "the rating of a side: the mean of its players' ratings, their sum, the strongest one's, or the weighted mean",
        choices=tuple(map(str, SIDE_RATINGS)),
    ),
    Parameter(
        "share_rule",
        "alike",
        "Share rule",
        "alike: each player gets the side's change; rating, weight: in proportion to these, with the mean 1 in a side",
        choices=tuple(map(str, SHARINGS)),
    ),
    Parameter(
        "table_rule",
        "pairwise",
        "Table rule",
        "pairwise: against each other side, divided by their number; mean: against the mean of the others; winner: "
        "each loser plays the winner alone",
        choices=("pairwise", "mean", "winner"),
    ),
)

# --- elo and rules like it


def _of_elo(form: System, settings: Mapping[str, Value]) -> dict[str, Any]:
    rule = SIDE_RATINGS[settings["side_rule"]]
    members, share = SHARINGS[settings["share_rule"]]
    if share is not None and form.sums != ("change",):
        raise UsageError(f"system {form.name} has no change to share: leave out --set share_rule=…")
    names = (("rating", "side_rating"), ("opponent_rating", "opponent_side_rating"))
    game = tuple(
        renamed(s, names) if not isinstance(s, Repeat) and "opponent_rating" in needs(s) else s for s in form.game
    )
    found: dict[str, Any] = {
        "opening": (*rule.own, *form.opening),
        "members": tuple(dict.fromkeys((*rule.members, *members))),
        "side": (rule.step,),
        "game": game,
        "opposite": {},
        "zero_sum": False,
        "many": settings["table_rule"],
    }
    if share is not None:
        closing = (("period_change", "period_shared_change"),)
        found |= {"game": (*game, share), "sums": ("shared_change",)}
        found["closing"] = tuple(s if isinstance(s, Repeat) else renamed(s, closing) for s in form.closing)
    return found


# --- glicko and glicko2: a composite opponent


@lru_cache
def _composite(name: str, label: str) -> tuple[Member, Step]:
    """Return the sum of a number of the players of a side, and the step that is its mean."""
    total = Member(f"side_{name}_total", "sum", name, Facts(f"{label} of the side's players, added up."))
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD

    @called(f"side_{name}")
    @step(f"{label}: the mean of the side's players.", label=f"Side {label[:1].lower()}{label[1:]}", unit="small")
    def mean(*values: Any, **named: Any) -> Any:
        total, size = signature.bind(*values, **named).args
        return total / size

    signature = inspect.Signature([inspect.Parameter(one, kind) for one in (total.name, SIZE)])
    mean.__dict__["__signature__"] = signature
    return total, mean


def _of_glicko(form: System, settings: Mapping[str, Value]) -> dict[str, Any]:
    personal = [state.name for state in form.state] + [line.name for line in lines(form.opening)]
    read = [name for name in personal if f"opponent_{name}" in form.reads]
    parts = [_composite(name, form.label(name)) for name in read]
    names = tuple((f"opponent_{name}", f"opponent_side_{name}") for name in read)
    return {
        "members": tuple(member for member, _ in parts),
        "side": tuple(mean for _, mean in parts),
        "game": tuple(s if isinstance(s, Repeat) else renamed(s, names) for s in form.game),
        "forecast": tuple(s if isinstance(s, Repeat) else renamed(s, names) for s in form.forecast),
        "opposite": {},
        "many": "pairwise",
        "composite": True,
    }


# --- trueskill: two sides in closed form

SPREAD = Member("side_variance", "sum", "own_variance", Facts("The side's variances, added up.", "Side variance"))
WEIGHTED_TOTAL = WEIGHTED._replace(facts=Facts("What the side performs: the weighted means, added up.", "Side mu"))


@step("The variance of what the player performs, by the weight.")
def own_variance(start_sigma: Any, own_weight: Any, beta: Any) -> Any:
    return own_weight**2 * (start_sigma**2 + beta**2)


@step("The draw margin of one player, in units of beta: by the share of draws.", unit="small")
def draw_quantile(draw_probability: Any) -> Any:
    return normal_quantile(minimum((draw_probability + 1) / 2, trueskill.MOST_CERTAIN))


@called(trueskill.draw_margin)
def side_draw_margin(draw_quantile: Any, beta: Any, side_size: Any, opponent_side_size: Any) -> Any:
    return draw_quantile * beta * sqrt(side_size + opponent_side_size)


@called(trueskill.c)
def side_c(side_variance: Any, opponent_side_variance: Any) -> Any:
    return sqrt(side_variance + opponent_side_variance)


@called(trueskill.t)
def side_t(side_weighted: Any, opponent_side_weighted: Any, c: Any) -> Any:
    return (side_weighted - opponent_side_weighted) / c


@called(trueskill.shift)
def own_shift(own_weight: Any, start_sigma: Any, c: Any, v: Any) -> Any:
    return own_weight * start_sigma**2 / c * v


@called(trueskill.share)
def own_share(own_weight: Any, start_sigma: Any, c: Any, w: Any) -> Any:
    return own_weight**2 * start_sigma**2 / c**2 * w


def _of_trueskill(form: System, settings: Mapping[str, Value]) -> dict[str, Any]:
    stand_ins = (side_draw_margin, side_c, side_t, own_shift, own_share)
    return {
        "opening": (*form.opening, weighted_rating, own_variance),
        "members": (WEIGHTED_TOTAL, SPREAD),
        "game": (draw_quantile, *_replaced(form.game, stand_ins)),
        "many": "joint",
        "rate": _rated_by(trueskill.rate_sides, "beta", "tau", "draw_probability"),
    }


# --- weng-lin: two sides in closed form

MODEL = Parameter(
    "model",
    weng_lin.MODELS[0],
    "Model",
    "for tables of many: plackett-luce (Algorithm 4) or bradley-terry (Algorithm 1, full pair)",
    choices=weng_lin.MODELS,
)
VARIANCES = Member("side_variance", "sum", "start_variance", Facts("The side's variances, added up.", "Side variance"))


@step("The variance of the skill at the start of the game.")
def start_variance(start_sigma: Any) -> Any:
    return start_sigma**2


@called(weng_lin.c)
def linear_c(side_variance: Any, opponent_side_variance: Any, beta: Any) -> Any:
    return sqrt(side_variance + opponent_side_variance + 2 * beta**2)


@called(trueskill.t)
def linear_t(side_total: Any, opponent_side_total: Any, c: Any) -> Any:
    return (side_total - opponent_side_total) / c


@step("The part of the change that the player takes: a gain by the weight, a loss divided by it.", unit="small")
def weight_used(own_weight: Any, score: Any, expected: Any) -> Any:
    return where(score >= expected, own_weight, 1 / own_weight)


@called(weng_lin.omega)
def own_omega(start_variance: Any, c: Any, score: Any, expected: Any, weight_used: Any) -> Any:
    return start_variance / c * (score - expected) * weight_used


@called(weng_lin.gamma)
def side_gamma(side_variance: Any, c: Any) -> Any:
    return sqrt(side_variance) / c


@called(weng_lin.delta)
def own_delta(gamma: Any, start_variance: Any, c: Any, expected: Any, weight_used: Any) -> Any:
    return gamma * start_variance / c**2 * expected * (1 - expected) * weight_used


def _of_weng_lin(form: System, settings: Mapping[str, Value]) -> dict[str, Any]:
    stand_ins = (linear_c, linear_t, own_omega, side_gamma, own_delta)
    game = _replaced(form.game, stand_ins)
    at = [s.__name__ for s in game if not isinstance(s, Repeat)].index("omega")
    return {
        "opening": (*form.opening, start_variance),
        "members": (TOTAL, VARIANCES),
        "game": (*game[:at], weight_used, *game[at:]),
        "many": "joint",
        "rate": _rated_by(weng_lin.rate_sides, "model", "beta", "tau", "kappa"),
    }


def _rated_by(rate_sides: Callable[..., Rated], *names: str) -> Callable[..., Rated]:
    """Return the rating of all sides at once, with the settings of these names."""

    def rate(sides: Rated, places: Sequence[float], weights: Numbers, values: Mapping[str, Any]) -> Rated:
        return rate_sides(sides, places, weights, **{name: values[name] for name in names})

    return rate


def _replaced(steps: Sequence[Step], stand_ins: Sequence[Step]) -> tuple[Step, ...]:
    """Return steps with those of the same names in their places."""
    named = {one.__name__: one for one in stand_ins}
    return tuple(named.get(one.__name__, one) for one in steps)


FORMS: dict[str, Callable[[System, Mapping[str, Value]], dict[str, Any]]] = {
    "elo": _of_elo,
    "glicko": _of_glicko,
    "glicko2": _of_glicko,
    "trueskill": _of_trueskill,
    "weng-lin": _of_weng_lin,
}
MORE_PARAMETERS: dict[str, tuple[Parameter, ...]] = {"elo": SIDE_PARAMETERS, "weng-lin": (MODEL,)}
DEVIATIONS = dict.fromkeys(
    ("glicko", "glicko2"),
    "games of sides: each player plays a composite of the other side's players, which the paper does not have",
)


# Forms that were made, by the identity of their rule, which they keep alive.
_MADE: dict[int, SidedSystem] = {}


def _sided(base: System) -> SidedSystem:
    if id(base) not in _MADE:
        _MADE[id(base)] = _new(base)
    return _MADE[id(base)]


def _new(base: System) -> SidedSystem:
    kind = base.name if base.name in FORMS and not base.origin else "elo"
    more = MORE_PARAMETERS.get(kind, ())
    names = {parameter.name for parameter in base.parameters}

    def variant(settings: Mapping[str, Value]) -> SidedSystem:
        form = base.shaped({name: value for name, value in settings.items() if name in names})
        return _made(base, form, kind, (*form.parameters, *more), settings)

    parameters = tuple(replace(p, default="game") if p.name == "period" else p for p in (*base.parameters, *more))
    default = variant({p.name: p.default for p in parameters})
    return replace(default, parameters=parameters, variant=variant)


def _made(
    base: System, form: System, kind: str, parameters: Sequence[Parameter], settings: Mapping[str, Value]
) -> SidedSystem:
    given = {one.name: getattr(form, one.name) for one in fields(form) if one.name not in {"variant", "origin"}}
    given |= FORMS[kind](form, settings)
    given |= {
        "name": base.name + SUFFIX,
        "origin": base.origin,
        "parameters": tuple(replace(p, default="game") if p.name == "period" else p for p in parameters),
        "deviations": (*base.deviations, *([DEVIATIONS[kind]] if kind in DEVIATIONS else [])),
        "base": base,
    }
    return SidedSystem(**given)


def has_form(rules: Rules) -> bool:
    """Return whether a rule may have a form for games of sides; `of_sides` says what is in its way."""
    return isinstance(rules, System)


def of_sides(rules: Rules) -> SidedSystem:
    """Return the form of a rule for games of sides.

    Raises `UsageError` for a rule that has none, saying why, and naming those that have.

    >>> from elo_sheets.systems import system
    >>> of_sides(system("elo")).name
    'elo/sides'
    """
    if isinstance(rules, SidedSystem):
        return rules
    if not isinstance(rules, System):
        why = "fits the whole log" if isinstance(rules, Fit) else "rates all games of a period"
        raise UsageError(
            f"system {rules.name} {why} at once, so it has no form for games of teams or of many: "
            f"take {', '.join(FORMS)}"
        )
    if rules.name not in FORMS or rules.origin:
        _check_steps(rules)
    found = _sided(rules)
    if not rules.origin:
        check_sides(found, 2)
    return found


def _check_steps(rules: System) -> None:
    """Raise `UsageError` for a rule whose steps do not allow games of sides."""
    read = {name for name in rules.reads if name.startswith("opponent_")} - {"opponent_rating", "opponent_points"}
    if read:
        raise UsageError(
            f"system {rules.full_name} reads {sorted(read)[0]} of the opponent: games of sides offer the ratings of a "
            f"side alone: take {', '.join(FORMS)}"
        )


def check_sides(system: SidedSystem, most: int) -> None:
    """Raise `UsageError` where the rule, in its form, cannot rate games of as many sides."""
    timed = system.reads & {*PERIOD_INPUTS} - {"elapsed"}
    if timed:
        raise UsageError(f"system {system.base.name} asks for the {sorted(timed)[0]} of a game: games of sides do not")
    strange = system.reads & {"neutral", "handicap", "komi", "knockout", "shootout", "widest", "weight"} - {"neutral"}
    if strange:
        raise UsageError(
            f"system {system.base.name} reads the {sorted(strange)[0]} of a game: games of sides have none"
        )
    two = [name for name in ("points", "opponent_points", "side") if name in system.reads]
    if most > 2 and two:
        why = "advantages" if two == ["side"] else "margins"
        raise UsageError(f"these settings of {system.base.name} have {why} of two sides: a game here has {most} sides")
