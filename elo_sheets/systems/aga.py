"""AGA: the ratings of the American Go Association, as its program BayRate computes them.

Source: P. Waldron, BayRate (2010), in the state of github.com/usgo/AGA-Ratings-Program, commit 9324562 (2021).
A rating is a number of ranks: 1.0 and more are dan, -1.0 and less are kyu, and nothing lies between; all arithmetic is
done with that gap closed. A player's rating is uncertain by his sigma. All ratings of an event are the most likely ones
together: the maximum of the probabilities of all its games times the normal distribution of every player about the
rating that he came with (his seed). White wins with the probability Phi((difference - handicap) / spread), where the
handicap in ranks and the spread depend on stones and komi.

A player's sigma grows with the days since his last event. He may declare a higher rank than his rating: if he wins a
game of the event, his seed moves towards the declared rank, or from 3 ranks on to it. A new player's sigma depends on
his declared rank.

Reproduces the win probabilities and the sigmas of new players that follow from the program's constants, and the output
of a public copy of it (hauensteina/aga-ratings, commit 29148e8): four players' ratings within 0.00002 and, with two
days since their last event, their sigmas to the last printed digit.

Deviations: see `DEVIATIONS`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from elo_sheets._late import np
from elo_sheets.errors import UsageError
from elo_sheets.ops import both, either, maximum, normal_cdf, normal_pdf, same, sqrt, where
from elo_sheets.shipped import shipped_data
from elo_sheets.systems._pool import Array, Trials, View, apart, climb, on_both, tally, together
from elo_sheets.systems._system import JointSystem, Parameter, PeriodGames, State, Value, period_parameter

_AGA = shipped_data("systems/aga.toml")

SOURCE: str = _AGA["source"]
SPREADS: tuple[float, ...] = tuple(_AGA["spread"]["values"])
KNOTS: tuple[float, ...] = tuple(_AGA["new_player"]["ratings"])
KNOT_SIGMAS: tuple[float, ...] = tuple(_AGA["new_player"]["sigmas"])

DEVIATIONS = (
    "A drawn game counts as half a win of each player: the program knows no draw.",
    "The log does not say the rank with which a player enters an event: `declared` holds for all events of the player.",
    "Above nine stones the spread is that of nine: the program refuses such games.",
    "Komi counts with its half point: the copy of the program whose output was compared drops it (7.5 counts as 7).",
    "The maximum is found by Newton's method to the last digits: the program stops at a gradient below 0.001.",
)

# Above 7.5 dan and below 50.5 kyu a new player's sigma is these.
STRONGEST, STRONGEST_SIGMA = 7.5, 1.0
WEAKEST, WEAKEST_SIGMA = -50.5, 6.0

# The program integrates over 100 points, a tenth of sigma apart, from 5.05 sigmas below the rating on.
POINTS, SPACING, FIRST_POINT = 100, 0.1, -5.05

# Further out than this on the left a continued fraction of so many levels gives the normal distribution.
TAIL, TAIL_LEVELS = 5.0, 50


# --- scale


def closed_rating(rating: Any) -> Any:
    """Return a rating with the gap between 1 kyu (-1) and 1 dan (1) closed: one rank is 1 everywhere.

    >>> closed_rating(1.5), closed_rating(-1.5)
    (0.5, -0.5)
    """
    return where(rating > 0, rating - 1, rating + 1)


def opponent_closed_rating(opponent_rating: Any) -> Any:
    return closed_rating(opponent_rating)


def opened_rating(closed_rating: Any) -> Any:
    """Return the rating on the AGA's scale, where no number between -1 and 1 is a rating; 0 is weak 1 kyu.

    >>> opened_rating(0.5), opened_rating(-0.5)
    (1.5, -1.5)
    """
    return where(closed_rating > 0, closed_rating + 1, closed_rating - 1)


# --- one game


def difference(closed_rating: Any, opponent_closed_rating: Any) -> Any:
    return closed_rating - opponent_closed_rating


def handicap_equivalent(handicap: Any, komi: Any) -> Any:
    """Return the ranks that White must be stronger by for an even game."""
    return where(handicap <= 1, 0.58, handicap) - 0.0757 * komi


def even_spread(komi: Any) -> Any:
    return 1.0649 - 0.0021976 * komi + 0.00014984 * komi * komi


def up_to_five_stones(handicap: Any) -> Any:
    two, three, four, five = SPREADS[:4]
    return where(handicap <= 2, two, where(handicap <= 3, three, where(handicap <= 4, four, five)))


def from_six_stones(handicap: Any) -> Any:
    six, seven, eight, nine = SPREADS[4:]
    return where(handicap <= 6, six, where(handicap <= 7, seven, where(handicap <= 8, eight, nine)))


def stones_spread(handicap: Any, komi: Any, up_to_five_stones: Any, from_six_stones: Any) -> Any:
    return where(handicap <= 5, up_to_five_stones, from_six_stones) - 0.0035169 * komi


def spread(handicap: Any, even_spread: Any, stones_spread: Any) -> Any:
    return where(handicap <= 1, even_spread, stones_spread)


def surplus(difference: Any, handicap_equivalent: Any, spread: Any) -> Any:
    """Return by how many spreads White is stronger than an even game needs."""
    return (difference - handicap_equivalent) / spread


def expected(surplus: Any) -> Any:
    """Return the probability that White wins."""
    return normal_cdf(surplus)


def spread_of(handicap: Any, komi: Any) -> Any:
    """Return the standard deviation of the outcome of a game, in ranks.

    >>> round(spread_of(0, 7.5), 6), round(spread_of(2, 0.5), 6)
    (1.056846, 1.134962)
    """
    stones = stones_spread(handicap, komi, up_to_five_stones(handicap), from_six_stones(handicap))
    return spread(handicap, even_spread(komi), stones)


def white_wins(difference: Any, handicap: Any, komi: Any) -> Any:
    """Return the probability that White wins, `difference` ranks stronger than Black with the gap closed.

    >>> round(white_wins(1, 0, 7.5), 6), round(white_wins(2, 2, 0.5), 6)
    (0.825008, 0.513302)
    """
    return expected(surplus(difference, handicap_equivalent(handicap, komi), spread_of(handicap, komi)))


# --- before an event: seeds


def declared_used(rating: Any, declared: Any) -> Any:
    return where(same(declared, 0), rating, declared)


def closed_declared(declared_used: Any) -> Any:
    return closed_rating(declared_used)


def promotion(closed_declared: Any, closed_rating: Any) -> Any:
    """Return by how many ranks a player declares himself stronger than his rating says."""
    return closed_declared - closed_rating


def reseeded(sigma: Any, promotion: Any, wins: Any) -> Any:
    """Return whether a player is taken at his declared rank: a new one, who has no sigma, or one who rises by 3."""
    return either(same(sigma, 0), both(promotion >= 3, wins > 0))


def promoted(promotion: Any, wins: Any) -> Any:
    return both(promotion >= 1, wins > 0)


def closed_seed(reseeded: Any, promoted: Any, closed_rating: Any, closed_declared: Any, promotion: Any) -> Any:
    smaller = closed_rating + where(promoted, 0.024746 + 0.32127 * promotion, 0)
    return where(reseeded, closed_declared, smaller)


def aged_sigma(sigma: Any, days: Any, daily_sigma: Any) -> Any:
    return sqrt(sigma**2 + (daily_sigma * days) ** 2)


def promoted_sigma(sigma: Any, promotion: Any) -> Any:
    return sqrt(sigma**2 + 0.256 * maximum(promotion, 0) ** 1.9475)


def seed_sigma(reseeded: Any, promoted: Any, new_sigma: Any, promoted_sigma: Any, aged_sigma: Any) -> Any:
    return where(reseeded, new_sigma, where(promoted, promoted_sigma, aged_sigma))


def new_player_sigma(rating: Any) -> Any:
    """Return the sigma of a new player of this rating: a number for a number, an array for an array.

    It is read off the natural cubic spline through the program's knots.

    >>> new_player_sigma(-1.5), new_player_sigma(8), new_player_sigma(-51)
    (1.25, 1.0, 6.0)
    """
    rating = np.asarray(rating, "float64")
    found = np.asarray(new_sigma(rating, natural_spline(closed_rating(np.clip(rating, WEAKEST, STRONGEST)))))
    return found if found.ndim else float(found)


def new_sigma(declared_used: Any, spline: Any) -> Any:
    """Return a new player's sigma: what the spline says, within the ranks for which it does."""
    weak = where(declared_used < WEAKEST, WEAKEST_SIGMA, spline)
    return where(declared_used > STRONGEST, STRONGEST_SIGMA, weak)


def natural_spline(at: Array) -> Array:
    """Return the values of the natural cubic spline through the knots, at points between the first and the last."""
    knots, heights, bends = (np.array(values) for values in (KNOTS, KNOT_SIGMAS, spline_bends()))
    piece = np.clip(np.searchsorted(knots, at, side="right") - 1, 0, len(knots) - 2)
    last = piece + 1
    width = knots[last] - knots[piece]
    return on_piece(at - knots[piece], width, heights[piece], heights[last], bends[piece], bends[last])


def on_piece(along: Any, width: Any, height: Any, next_height: Any, bend: Any, next_bend: Any) -> Any:
    """Return the height of a cubic piece, `along` from its left knot; `bend` is the second derivative there."""
    slope = (next_height - height) / width - width * (2 * bend + next_bend) / 6
    return height + along * (slope + along * (bend / 2 + along * (next_bend - bend) / (6 * width)))


@lru_cache(maxsize=1)
def spline_bends() -> tuple[float, ...]:
    """Return the second derivatives of the spline at the knots: 0 at both ends."""
    knots, heights = np.array(KNOTS), np.array(KNOT_SIGMAS)
    width = np.diff(knots)
    equations = np.diag(2 * (width[:-1] + width[1:])) + np.diag(width[1:-1], 1) + np.diag(width[1:-1], -1)
    inner = np.linalg.solve(equations, 6 * np.diff(np.diff(heights) / width))
    return (0.0, *inner.tolist(), 0.0)


# --- an event


class Event(NamedTuple):
    """Ratings and sigmas after an event, the largest move of a rating in the last round, and the number of rounds."""

    rating: Array
    sigma: Array
    residual: float
    rounds: int


class Outcomes(NamedTuple):
    """The results of an event: trials, and for each the ranks that its winner needs for an even game, and its spread.

    A win is one trial; a draw is a half one for each player.
    """

    trials: Trials
    needed: Array
    spread: Array


def rate_event(seed: Array, sigma: Array, games: PeriodGames) -> Event:
    """Return the most likely ratings after an event, all players together, and their sigmas.

    `seed` and `sigma` are the ratings that the players come with and their standard deviations, one each. The
    logarithm of the likelihood is concave, so that there is one maximum.
    """
    start, outcomes = closed_rating(seed), outcomes_of(games)
    found = climb(lambda ratings: likelihood(ratings, start, sigma, outcomes), start, np.ones(len(start)))
    after = sigma_after(found.top, start, sigma, outcomes)
    return Event(opened_rating(found.top), after, found.residual, found.rounds)


def outcomes_of(games: PeriodGames) -> Outcomes:
    """Return the games as trials."""
    weight = np.append(games.score, 1 - games.score)
    needed = handicap_equivalent(games.handicap, games.komi)
    spreads = spread_of(games.handicap, games.komi)
    counts = weight > 0
    winner, loser = np.append(games.white, games.black), np.append(games.black, games.white)
    trials = Trials(winner[counts], loser[counts], weight[counts])
    return Outcomes(trials, np.append(needed, -needed)[counts], np.append(spreads, spreads)[counts])


def likelihood(ratings: Array, seed: Array, sigma: Array, outcomes: Outcomes) -> View:
    """Return the logarithm of the likelihood of ratings (gap closed), its gradient and its curvature."""
    trials, many = outcomes.trials, len(ratings)
    ahead = surplus(apart(ratings, trials), outcomes.needed, outcomes.spread)
    log_share, hazard = log_normal_cdf(ahead)
    slope = trials.weight * hazard / outcomes.spread
    curve = trials.weight * hazard * (hazard + ahead) / outcomes.spread**2
    precision = 1 / sigma**2
    pull = (seed - ratings) * precision
    return View(
        float(trials.weight @ log_share + pull @ (ratings - seed) / 2),
        together(slope, trials, many) + pull,
        lambda step: together(curve * apart(step, trials), trials, many) + precision * step,
        lambda rest: rest / (on_both(curve, trials, many) + precision),
    )


def sigma_after(ratings: Array, seed: Array, sigma: Array, outcomes: Outcomes) -> Array:
    """Return each player's sigma after an event, the ratings of his opponents taken as exact.

    It is the root of the mean square distance from the new rating, by the program's sum over 100 points.
    """
    trials, needed, spread = outcomes.trials, outcomes.needed[:, None], outcomes.spread[:, None]
    steps = FIRST_POINT + SPACING * np.arange(POINTS)
    away = sigma[:, None] * steps
    points = ratings[:, None] + away
    log_weight = -(((points - seed[:, None]) / sigma[:, None]) ** 2) / 2
    won, lost = (ratings[side][:, None] for side in (trials.winner, trials.loser))
    for side, ahead in ((trials.winner, points[trials.winner] - lost), (trials.loser, won - points[trials.loser])):
        log_share, _ = log_normal_cdf(surplus(ahead, needed, spread))
        np.add.at(log_weight, side, trials.weight[:, None] * log_share)
    weight = np.exp(log_weight - log_weight.max(axis=1, keepdims=True))
    return np.sqrt((away**2 * weight).sum(axis=1) / weight.sum(axis=1))


def log_normal_cdf(value: Array) -> tuple[Array, Array]:
    """Return the logarithm of the normal distribution function and its derivative, exact far out on the left too."""
    tail = np.maximum(-value, TAIL)
    far = tail  # Laplace's continued fraction
    for level in range(TAIL_LEVELS, 0, -1):
        far = tail + level / far
    near = np.maximum(value, -TAIL)
    share = normal_cdf(near.ravel()).reshape(near.shape)
    is_far = value < -TAIL
    derivative = np.where(is_far, far, normal_pdf(near) / share)
    logarithm = np.where(is_far, -(tail**2) / 2 - np.log(far * np.sqrt(2 * np.pi)), np.log(share))
    return logarithm, derivative


# --- the replay's view


def rate(players: Mapping[str, Any], games: PeriodGames, settings: Mapping[str, Value]) -> dict[str, Array]:
    """Return every player's rating and sigma after an event, and the seed and sigma that he came with."""
    seeds, sigmas = seeds_of(players, games, settings)
    event = rate_event(seeds, sigmas, games)
    return {"seed": seeds, "seed_sigma": sigmas, "rating_after": event.rating, "sigma_after": event.sigma}


def seeds_of(players: Mapping[str, Any], games: PeriodGames, settings: Mapping[str, Value]) -> tuple[Array, Array]:
    """Return the rating that every player comes with, and its sigma; raises `UsageError` for one in the gap."""
    rating, sigma = players["rating"], players["sigma"]
    rank = declared_used(rating, players["declared"])
    check_scale(rating)
    check_scale(rank)
    many = len(rating)
    wins = tally(games.white[games.score == 1], many) + tally(games.black[games.score == 0], many)
    closed, declared = closed_rating(rating), closed_declared(rank)
    rise = promotion(declared, closed)
    anew, up = reseeded(sigma, rise, wins), promoted(rise, wins)
    seed = closed_seed(anew, up, closed, declared, rise)
    aged = aged_sigma(sigma, players["days"], settings["daily_sigma"])
    return opened_rating(seed), seed_sigma(anew, up, new_player_sigma(rank), promoted_sigma(sigma, rise), aged)


def check_scale(ratings: Array) -> None:
    """Raise `UsageError` for a number between -1 and 1, which is no rating."""
    outside = ratings[abs(ratings) < 1]
    if len(outside):
        raise UsageError(f"expected a rating of 1 or more (dan) or of -1 or less (kyu), got {float(outside[0])!r}")


def forecast(players: Mapping[str, Any], games: PeriodGames, settings: Mapping[str, Value]) -> Array:
    """Return the probabilities that White wins, from the ratings before the event."""
    closed = closed_rating(players["rating"])
    return white_wins(difference(closed[games.white], closed[games.black]), games.handicap, games.komi)


AGA = JointSystem(
    name="aga",
    title="AGA",
    about="Go in America: the most likely ratings of an event's players together, with handicap and komi",
    sources=(SOURCE,),
    deviations=DEVIATIONS,
    parameters=(
        Parameter(
            "initial",
            -20.5,
            "Initial rating",
            "rating of a new player: the declared rank, 1.0 and more dan, -1.0 and less kyu",
            unofficial="a new player has the rank that was declared; no source gives one where none was",
        ),
        Parameter(
            "initial_sigma",
            0.0,
            "Initial sigma",
            "standard deviation of the initial rating; 0: a new player, whose rating gives it",
            minimum=0.0,
        ),
        Parameter(
            "declared",
            0.0,
            "Declared rank",
            "rank with which the player enters, as a rating; 0: the own rating. It counts if the player wins a game "
            "and it is at least 1 above the own rating",
            per_player=True,
        ),
        Parameter(
            "daily_sigma",
            0.0005,
            "Sigma per day",
            "how much a rating grows uncertain in a day without an event",
            "Daily_sigma",
            minimum=0.0,
            source=SOURCE,
        ),
        period_parameter("event"),
    ),
    publishes_ratings=True,
    state=(State("rating", "initial"), State("sigma", "initial_sigma")),
    columns=("seed", "seed_sigma"),
    rate=rate,
    forecast=forecast,
    steps=(
        closed_rating,
        opponent_closed_rating,
        difference,
        handicap_equivalent,
        even_spread,
        up_to_five_stones,
        from_six_stones,
        stones_spread,
        spread,
        surplus,
        expected,
        declared_used,
        closed_declared,
        promotion,
        reseeded,
        promoted,
        closed_seed,
        aged_sigma,
        promoted_sigma,
        seed_sigma,
        opened_rating,
    ),
    labels={
        "closed_rating": "Rating, gap closed",
        "opponent_closed_rating": "Opponent's, gap closed",
        "closed_declared": "Declared, gap closed",
        "closed_seed": "Seed, gap closed",
        "declared_used": "Declared",
        "handicap_equivalent": "Handicap in ranks",
        "even_spread": "Spread without stones",
        "up_to_five_stones": "Spread to 5 stones",
        "from_six_stones": "Spread from 6 stones",
        "stones_spread": "Spread with stones",
        "expected": "White wins",
        "promotion": "Ranks above rating",
        "seed_sigma": "Seed's sigma",
    },
)
