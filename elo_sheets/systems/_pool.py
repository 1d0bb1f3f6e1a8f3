"""What the whole-pool fits share: players as numbers, trials, who can be compared at all, and the climb to a maximum.

A trial is a comparison with a winner. Its likelihood is the logistic curve of the difference in Elo points, so the
logarithm of the likelihood of any log is concave: it has one maximum, and Newton's method finds it. The equations of
a Newton step are solved by conjugate gradients, which need no matrix.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from elo_sheets._late import np, pd
from elo_sheets.errors import UnreadableInput
from elo_sheets.ops import log
from elo_sheets.systems.elo import expected

Array = Any  # a NumPy array

# Points of the curve whose difference means odds of ten to one.
SCALE = 400.0
# A point in units of the natural logarithm.
POINT = log(10.0) / SCALE

# A climb ends when no rating moves by more than this, or after so many rounds.
STILL = 1e-8
ROUNDS = 100
# What still moves by more than this after all rounds has no maximum.
UNSETTLED = 1e-3
# No rating moves by more than this in one round: far from the maximum a Newton step may be far too long.
LONGEST = 800.0
# Conjugate gradients need not solve better than this: the next round corrects the rest.
EXACTNESS = 1e-2


class Pool(NamedTuple):
    """The players' names in the order in which they first play, and the games with the players as numbers."""

    names: list[str]
    white: Array
    black: Array
    score: Array  # White's

    @property
    def played(self) -> Array:
        """Number of games of each player."""
        return tally(self.white, len(self.names)) + tally(self.black, len(self.names))


class Trials(NamedTuple):
    """Comparisons with a winner: who won, who lost, and how often, one element each."""

    winner: Array
    loser: Array
    weight: Array


class View(NamedTuple):
    """What a concave function looks like from one point.

    `multiply` applies its curvature (minus the second derivatives) to a direction; `divide` roughly undoes that.
    """

    height: float
    gradient: Array
    multiply: Callable[[Array], Array]
    divide: Callable[[Array], Array]


class Climbed(NamedTuple):
    """The maximum: where it is, the view from there, the largest move of the last round, and the number of rounds."""

    top: Array
    view: View
    residual: float
    rounds: int


def pool_of(games: pd.DataFrame, system: str) -> Pool:
    """Return the games as arrays; raises `UnreadableInput` when there are none."""
    if games.empty:
        raise UnreadableInput(f"system {system} needs at least one game")
    sides, names = pd.factorize(games[["white", "black"]].to_numpy(dtype=object).ravel())
    white, black = sides.reshape(-1, 2).T
    return Pool([str(name) for name in names], white, black, np.asarray(games["score"], dtype="float64"))


def days_of(games: pd.DataFrame, system: str) -> pd.Series[Any]:
    """Return the day of each game; raises `UnreadableInput` with the first game that has none."""
    undated = games[games["date"].isna()]
    if len(undated):
        row = undated.iloc[0]
        raise UnreadableInput(
            f"system {system} needs the date of every game: {row['white']!r} against {row['black']!r} has none "
            f"({row['source']}, row {row['source_row']})"
        )
    days: pd.Series[Any] = games["date"].dt.normalize()
    return days


def fitted(columns: Mapping[str, Any], residual: float, rounds: int, **facts: float) -> pd.DataFrame:
    """Return the table that a fit answers with."""
    table = pd.DataFrame(dict(columns)).astype({"player": "str"})
    table.attrs.update(residual=residual, rounds=rounds, **facts)
    return table


def all_but_first(many: int) -> Array:
    """Return what `climb` takes as `free` where only differences of ratings matter: the first one stays at 0."""
    return (np.arange(many) > 0).astype("float64")


def tally(who: Array, many: int, weight: Array | None = None) -> Array:
    """Return how often, or with what weight in all, each of `many` numbers stands in `who`."""
    return np.bincount(who, weight, many)


# Likelihood


def judge(difference: Array, weight: Array) -> tuple[float, Array, Array]:
    """Return the log-likelihood of trials won by this difference, and each one's slope and curvature per point."""
    won, lost = expected(difference, SCALE), expected(-difference, SCALE)
    return float(weight @ log(won)), POINT * weight * lost, POINT**2 * weight * won * lost


def apart(values: Array, trials: Trials) -> Array:
    """Return the winner's value minus the loser's, for each trial."""
    return values[trials.winner] - values[trials.loser]


def together(amounts: Array, trials: Trials, many: int) -> Array:
    """Return each player's sum of what his trials give: added for the winner, taken from the loser."""
    return tally(trials.winner, many, amounts) - tally(trials.loser, many, amounts)


def on_both(amounts: Array, trials: Trials, many: int) -> Array:
    """Return each player's sum of what his trials give to both sides alike."""
    return tally(trials.winner, many, amounts) + tally(trials.loser, many, amounts)


def climb(look: Callable[[Array], View], start: Array, free: Array) -> Climbed:
    """Return the maximum of a concave function, by Newton's method with steps that never lead down.

    Only values whose `free` is 1 move, not those where it is 0. Raises `UnreadableInput` when they never come to rest.
    """
    at, view, residual, rounds = start, look(start), float("inf"), 0
    while residual > STILL and rounds < ROUNDS:
        rounds += 1
        step = newton_step(view, free)
        step = step * min(1.0, LONGEST / max(np.abs(step).max(), STILL))
        lowest = view.height - 1e-12 * abs(view.height)
        for _ in range(ROUNDS):
            ahead = look(at + step)
            if ahead.height >= lowest:
                break
            step = step / 2
        at, view, residual = at + step, ahead, float(np.abs(step).max())
    if residual > UNSETTLED:
        raise UnreadableInput(
            f"no finite ratings: after {rounds} rounds a value still moves by {residual:.3g} points; "
            "is the log one-sided?"
        )
    return Climbed(at, view, residual, rounds)


def newton_step(view: View, free: Array) -> Array:
    """Return the step to the maximum of the parabola that has the view's gradient and curvature.

    The equations are solved by preconditioned conjugate gradients.
    """
    rest = free * view.gradient
    step = np.zeros(len(rest))
    direction = rough = free * view.divide(rest)
    size = first = rest @ rough
    for _ in range(2 * len(rest)):
        if size <= EXACTNESS**2 * first:
            break
        product = free * view.multiply(direction)
        along = size / (direction @ product)
        step, rest = step + along * direction, rest - along * product
        rough = free * view.divide(rest)
        size, before = rest @ rough, size
        direction = rough + size / before * direction
    return step


# Who can be compared


def check_comparable(pool: Pool, trials: Trials, remedy: str) -> None:
    """Raise `UnreadableInput` naming players unless every player has lost to every other, if only through others.

    Otherwise the likelihood of the ratings has no maximum: somebody's rating would be infinite.
    """
    many = len(pool.names)
    check_linked(pool)
    below = reached(0, trials.winner, trials.loser, many)
    above = reached(0, trials.loser, trials.winner, many)
    if (below & above).all():
        return
    won, lost = tally(trials.winner, many) > 0, tally(trials.loser, many) > 0
    for chosen, said in (
        (~lost, "won every game"),
        (~won, "lost every game"),
        (~below, "won every game against the others"),
        (~above, "lost every game against the others"),
    ):
        if chosen.any():
            raise UnreadableInput(f"no finite ratings: {listed(pool.names, chosen)} {said}; {remedy}")


def check_linked(pool: Pool) -> None:
    """Raise `UnreadableInput` naming players unless games link every player with every other."""
    many = len(pool.names)
    one, other = np.append(pool.white, pool.black), np.append(pool.black, pool.white)
    linked = reached(0, one, other, many)
    if not linked.all():
        outside = ~linked if 2 * linked.sum() >= many else linked
        raise UnreadableInput(
            f"no common scale: no game links {listed(pool.names, outside)} with the other players; "
            "rate the groups separately"
        )


def reached(start: int, source: Array, target: Array, many: int) -> Array:
    """Return, for each of `many` players, whether arrows from `source` to `target` lead to him from `start`."""
    seen = np.zeros(many, dtype=bool)
    seen[start] = True
    while True:
        fresh = target[seen[source] & ~seen[target]]
        if not len(fresh):
            return seen
        seen[fresh] = True


def listed(names: Sequence[str], chosen: Array, most: int = 3) -> str:
    """Return the chosen names as a list to read, the first few of them.

    >>> import numpy
    >>> listed(["Ann", "Ben", "Cy", "Di", "Ed"], numpy.array([1, 0, 1, 1, 1], dtype=bool))
    "'Ann', 'Cy', 'Di' and 1 more"
    """
    found = [repr(name) for name, wanted in zip(names, chosen, strict=True) if wanted]
    more = f" and {len(found) - most} more" if len(found) > most else ""
    return ", ".join(found[:most]) + more
