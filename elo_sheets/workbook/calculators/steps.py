"""The steps of the calculators and of match odds that are no system's own: they choose between rules and curves."""

from __future__ import annotations

from typing import Any

from elo_sheets.odds import forecast, match
from elo_sheets.odds.forecast import AGA_SIGMA, DIFFERENCES
from elo_sheets.odds.performance import linear_performance
from elo_sheets.ops import both, normal_cdf, round_half_away, same, table_step, where
from elo_sheets.systems import elo, fide
from elo_sheets.systems._tables import PERFORMANCE_STEPS

SCALE = 400.0

# --- the rules of a game and of an event


def expected_by_rule(rule: Any, difference: Any, higher_expected: Any) -> Any:
    """Return the expected score on the logistic curve, or by FIDE's table where that is the rule."""
    by_table = fide.expected(difference, higher_expected)
    return where(same(rule, "fide-table"), by_table, elo.expected(difference, SCALE))


def limited_k(limit: Any, k: Any, games: Any) -> Any:
    """Return K, held so that K times the games is 700 at most unless the limit is off."""
    return where(same(limit, "no"), k, fide.k_used(k, games))


def gained(k_used: Any, period_delta: Any) -> Any:
    """Return the change of an event before it is rounded."""
    return k_used * period_delta


def rounded_change(rule: Any, k_used: Any, period_delta: Any, change: Any) -> Any:
    """Return the change, rounded once; by FIDE's table the sum is one of hundredths."""
    by_table = fide.change(k_used, period_delta)
    return where(same(rule, "fide-table"), by_table, round_half_away(change))


def junior(age: Any, published_peak: Any) -> Any:
    """Return whether the K of juniors holds, as `fide.k` asks."""
    return both(age <= 18, published_peak < 2300)


def expected_score(rating: Any, opponent: Any) -> Any:
    """Return the expected score against an opponent on the logistic curve."""
    return elo.expected(rating - opponent, SCALE)


def fide_expected(difference: Any) -> Any:
    """Return the expected score by FIDE's table."""
    return fide.expected(difference, fide.higher_expected(difference))


# --- performances


def linear_of_score(average_opponent: Any, score: Any, games: Any) -> Any:
    """Return the linear performance: wins less losses are what the score is above and below one half, twice."""
    return linear_performance(average_opponent, 2 * score, games, games)


def performance_on_logistic(average: Any, share: Any) -> Any:
    """Return the rating that is expected to make a share of the points against opponents of one rating."""
    return average + DIFFERENCES["logistic"](share, SCALE)


def performance_on_normal(average: Any, share: Any) -> Any:
    """Return the same on the normal curve."""
    return average + DIFFERENCES["normal"](share, SCALE)


def table_difference(share: Any) -> Any:
    """Return FIDE's dp of a share of the points, rounded to a whole per cent."""
    return table_step(PERFORMANCE_STEPS, round_half_away(100 * share))


# --- the model of a game


def expected_on(curve: Any, difference: Any) -> Any:
    """Return the expected score on the normal curve, or on the logistic one."""
    return where(same(curve, "normal"), elo.normal_expected(difference, SCALE), elo.expected(difference, SCALE))


def difference_on(curve: Any, expected: Any) -> Any:
    """Return the difference whose expected score this is on the normal curve, or on the logistic one."""
    normal, logistic = DIFFERENCES["normal"], DIFFERENCES["logistic"]
    return where(same(curve, "normal"), normal(expected, SCALE), logistic(expected, SCALE))


def win_with_share(expected: Any, draw: Any) -> Any:
    """Return the chance to win where a share of the games is drawn, as far as the expected score allows it."""
    return forecast.odds_with_draws(expected, draw).win


def draw_with_share(expected: Any, draw: Any) -> Any:
    """Return the share of games that is drawn, as far as the expected score allows it."""
    return forecast.odds_with_draws(expected, draw).draw


def loss_with_share(expected: Any, draw: Any) -> Any:
    """Return the chance to lose where a share of the games is drawn."""
    return forecast.odds_with_draws(expected, draw).loss


def score_of(win: Any, draw: Any) -> Any:
    """Return the expected score of odds."""
    return win + draw / 2


def material(base: Any, pawns: Any, elo_per_pawn: Any) -> Any:
    """Return the difference with the points that the pawns are worth."""
    return base + pawns * elo_per_pawn


# --- matches


def two_ahead(probability: Any) -> Any:
    """Return the chance to be two ahead first."""
    return match.win_by(probability, 2)


def best_of_games(probability: Any, games: Any) -> Any:
    """Return the chance to win best of so many games, no score yet."""
    return match.best_of(probability, games)


def agas_chance(stones: Any) -> Any:
    """Return the chance to win of a player who is so many stones stronger."""
    return normal_cdf(stones / AGA_SIGMA)
