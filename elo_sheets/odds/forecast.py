"""What ratings say of one game: expected score, win, draw and loss, and back from a score to a difference of ratings.

Sources: Arpad Elo, *The Rating of Chessplayers* (1978), for the curves; François Labelle's *Elo win probability
calculator* (wismuth.com/elo/calculator.html) for the draw model, the pawn in rating points, and Go ratings on the Elo
scale. Reproduces its example: 2000 against 2400 with 0.6 pawns of draw odds gives .029872 wins and .10177 draws.

Deviations: the calculator doubles a rounded number for the draws, here nothing is rounded. Its text gives no constant
for the first move: 0.1 pawn is that of a public translation of its program. How it turns the EGF's curve into Elo is
not published, so both forms of that curve are here.

Functions take floats, arrays or traced values unless they say otherwise. Matches are in `elo_sheets.odds.match`, what
results say in `elo_sheets.odds.statistics`; both can be imported from here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite
from typing import Any, NamedTuple

from elo_sheets.errors import UsageError
from elo_sheets.expr import Expr, lift
from elo_sheets.odds.match import Format, Odds, best_of_ratio, format_odds, tennis_set
from elo_sheets.odds.statistics import score_error, score_share
from elo_sheets.ops import both, exp, log, minimum, normal_cdf, normal_quantile, where
from elo_sheets.systems import aga, egf
from elo_sheets.systems._system import LARGEST
from elo_sheets.systems.elo import CURVES, normal_expected

# z of an interval that holds 95 per cent of a normal distribution: the quantile of 0.975.
NINETY_FIVE = 1.959963984540054

# Labelle's draw model, in pawns.
DRAW_PAWNS = 0.6
FIRST_MOVE_PAWNS = 0.1

# The AGA's standard deviation of an even game without komi, in stones.
AGA_SIGMA = 1.0649


# --- curves and back


def expected_score(rating: Any, opponent: Any, curve: str = "logistic", scale: Any = 400) -> Any:
    """Return the score per game, from 0 to 1, that a rating is expected to make against an opponent's.

    `curve` is that of system `elo`: logistic (odds of ten to one at `scale` points); normal (standard deviation
    scale * 5 / 7, at 400 FIDE's 2000 / 7); or linear (certain at `scale` points). The difference is never capped.
    Raises `UsageError` for another curve.

    >>> round(expected_score(1600, 1500), 5), round(expected_score(2000, 2400, "normal"), 6)
    (0.64006, 0.080757)
    """
    return CURVES[_known(curve)](rating - opponent, scale)


def logistic_difference(expected: Any, scale: Any) -> Any:
    """Return the difference whose expected score on the logistic curve this is; `expected` within (0, 1).

    >>> round(logistic_difference(0.75, 400), 4)
    190.8485
    """
    return scale * log(expected / (1 - expected)) / log(_constant(10, expected))


def normal_difference(expected: Any, scale: Any) -> Any:
    """Return the difference whose expected score on the normal curve this is; `expected` within (0, 1)."""
    return normal_quantile(expected) * (scale * 5 / 7)


def linear_difference(expected: Any, scale: Any) -> Any:
    """Return the difference whose expected score on the line this is; `expected` within (0, 1)."""
    return (expected - 0.5) * (2 * scale)


DIFFERENCES: dict[str, Callable[[Any, Any], Any]] = {
    "logistic": logistic_difference,
    "normal": normal_difference,
    "linear": linear_difference,
}


def difference_for(expected: Any, curve: str = "logistic", scale: Any = 400) -> Any:
    """Return the difference of ratings whose expected score this is: the inverse of `expected_score`.

    At 0 and 1 and beyond there is none: None for a float, NaN in an array, an empty text in a formula. Raises
    `UsageError` for an unknown curve.

    >>> round(difference_for(0.75), 4), difference_for(1)
    (190.8485, None)
    """
    inverse = DIFFERENCES[_known(curve)]
    inside = both(expected > 0, expected < 1)
    if isinstance(expected, Expr):
        return where(inside, inverse(expected, scale), "")
    if getattr(expected, "ndim", 0):
        return where(inside, inverse(where(inside, expected, 0.5), scale), float("nan"))
    return inverse(expected, scale) if inside else None


def composed(first: Any, second: Any, curve: str = "logistic", scale: Any = 400) -> Any:
    """Return the expected score of A against C, from that of A against B and that of B against C, both within (0, 1).

    The differences of ratings add up. With two edges of 80 per cent the curves differ: 94.1 and 95.4 per cent.

    >>> round(composed(0.8, 0.8), 3), round(composed(0.8, 0.8, "normal"), 3)
    (0.941, 0.954)
    """
    inverse = DIFFERENCES[_known(curve)]
    return CURVES[curve](inverse(first, scale) + inverse(second, scale), scale)


def _known(curve: str) -> str:
    if curve not in DIFFERENCES:
        raise UsageError(f"expected a curve ({', '.join(DIFFERENCES)}), got {curve!r}")
    return curve


def _constant(number: float, like: Any) -> Any:
    """Return a number that stays itself in a formula, where Python would compute with it."""
    return lift(number) if isinstance(like, Expr) else number


# --- the error bar of a match


class ErrorBar(NamedTuple):
    """A difference of ratings and the limits of its interval; None where there is no such difference."""

    low: float | None
    value: float | None
    high: float | None


def match_error_bar(
    wins: float, draws: float, losses: float, z: float = NINETY_FIVE, curve: str = "logistic", scale: float = 400
) -> ErrorBar:
    """Return the difference of ratings that a match result means, and its interval, 95 per cent by default.

    The score per game, less and plus z standard errors, on the curve; so the interval is not symmetric in points.
    None where a score is not within (0, 1), all three without games. When all games were drawn the limits are the
    value: such a match says nothing about its error. Takes floats.

    >>> [round(limit, 2) for limit in match_error_bar(40, 30, 30)]
    [-21.85, 34.86, 93.5]
    >>> match_error_bar(3, 0, 1).high is None
    True
    """
    if wins + draws + losses == 0:
        return ErrorBar(None, None, None)
    share = score_share(wins, draws, losses)
    error = score_error(wins, draws, losses, share)
    return ErrorBar(*(difference_for(share + side * z * error, curve, scale) for side in (-1, 0, 1)))


# --- win, draw and loss


def odds_without_draws(expected: Any) -> Odds:
    """Return the odds of a game that cannot be drawn.

    >>> odds_without_draws(0.75)
    Odds(win=0.75, draw=0.0, loss=0.25)
    """
    return Odds(expected, 0.0, 1 - expected)


def odds_with_draws(expected: Any, draw: Any) -> Odds:
    """Return the odds when a fixed share of games is drawn and the expected score stays as it is.

    A draw costs either side half its probability, so no more are drawn than twice the smaller expected score.

    >>> odds_with_draws(0.75, 0.25)
    Odds(win=0.625, draw=0.25, loss=0.125)
    >>> odds_with_draws(0.75, 0.6)
    Odds(win=0.5, draw=0.5, loss=0.0)
    """
    drawn = minimum(draw, 2 * minimum(expected, 1 - expected))
    return Odds(expected - drawn / 2, drawn, 1 - expected - drawn / 2)


def draws_at(expected: Any, share: Any, evenness: Any) -> Any:
    """Return the share of draws at an expected score: most between equals, and none where one side cannot lose.

    It goes with E·(1 - E). `share` is that of all games, and `evenness` the mean of 4·E·(1 - E) over them, 1 where
    all were between equals; so the games together have the share that they had.

    >>> draws_at(0.5, 0.25, 1), round(draws_at(0.9, 0.25, 0.8), 4)
    (0.25, 0.1125)
    """
    return share * 4 * expected * (1 - expected) / evenness


# --- Labelle's draw model, step by step


def mean_rating(rating: Any, opponent_rating: Any) -> Any:
    return (rating + opponent_rating) / 2


def elo_per_pawn(mean_rating: Any) -> Any:
    """Return how many rating points a pawn is worth between players of that average rating (Labelle).

    >>> round(elo_per_pawn(2200), 3)
    229.843
    """
    return 26.59 * exp(mean_rating / 1020)


def difference(rating: Any, opponent_rating: Any) -> Any:
    return rating - opponent_rating


def draw_shift(draw_pawns: Any, elo_per_pawn: Any) -> Any:
    """Return the points that the weaker player lacks for a win and the stronger one gives for a draw."""
    return draw_pawns * elo_per_pawn


def move_shift(side: Any, first_move_pawns: Any, elo_per_pawn: Any) -> Any:
    """Return the points that the first move is worth; `side` is 1 for the player who has it, -1 for the other."""
    return side * first_move_pawns * elo_per_pawn


def even_expected(difference: Any) -> Any:
    """Return the expected score when nobody knows who moves first: the normal curve with FIDE's 2000 / 7."""
    return normal_expected(difference, _constant(400, difference))


def win_shift(move_shift: Any, draw_shift: Any) -> Any:
    return move_shift - draw_shift


def win_or_draw_shift(move_shift: Any, draw_shift: Any) -> Any:
    return move_shift + draw_shift


def win(difference: Any, win_shift: Any, even_expected: Any) -> Any:
    return _shifted(difference, win_shift, even_expected)


def win_or_draw(difference: Any, win_or_draw_shift: Any, even_expected: Any) -> Any:
    return _shifted(difference, win_or_draw_shift, even_expected)


def draw(win: Any, win_or_draw: Any) -> Any:
    return win_or_draw - win


def loss(win_or_draw: Any) -> Any:
    return 1 - win_or_draw


def _shifted(difference: Any, shift: Any, expected: Any) -> Any:
    """Return the curve at the shifted difference; a shift towards even mirrors the one away from it."""
    away, mirrored = even_expected(difference + shift), 2 * expected - even_expected(difference - shift)
    return where(difference * shift >= 0, away, mirrored)


# The columns of a game, for `side` 1 (moves first), -1 (second) or 0 where the first move is worth nothing.
LABELLE = (
    *(mean_rating, elo_per_pawn, difference, draw_shift, move_shift, even_expected),
    *(win_shift, win_or_draw_shift, win, win_or_draw, draw, loss),
)


def labelle_odds(
    rating: Any,
    opponent: Any,
    side: int | None = None,
    *,
    draw_pawns: Any = DRAW_PAWNS,
    first_move_pawns: Any = FIRST_MOVE_PAWNS,
) -> Odds:
    """Return the odds of a game of chess by Labelle's draw model.

    `side` is 1 if the player moves first, -1 if the opponent does, and None if nobody knows: the mean of both. With
    `first_move_pawns` 0 this is the model without regard to who moves first. `draw_pawns` are what a win takes: the
    weaker player wins as often as he is expected to score against an opponent who is so many pawns better.

    >>> [round(chance, 6) for chance in labelle_odds(2000, 2400, first_move_pawns=0)]
    [0.029872, 0.101768, 0.868359]
    >>> [round(chance, 4) for chance in labelle_odds(2750, 2750, 1)]
    [0.2452, 0.5877, 0.1671]
    """
    if side is None:
        sides = (
            labelle_odds(rating, opponent, side, draw_pawns=draw_pawns, first_move_pawns=first_move_pawns)
            for side in (1, -1)
        )
        return Odds(*((first + second) / 2 for first, second in zip(*sides, strict=True)))
    pawn = elo_per_pawn(mean_rating(rating, opponent))
    gap = difference(rating, opponent)
    shifts = move_shift(side, first_move_pawns, pawn), draw_shift(draw_pawns, pawn)
    even = even_expected(gap)
    wins = win(gap, win_shift(*shifts), even)
    not_lost = win_or_draw(gap, win_or_draw_shift(*shifts), even)
    return Odds(wins, draw(wins, not_lost), loss(not_lost))


def material_difference(rating: Any, opponent: Any, pawns: Any) -> Any:
    """Return the difference of ratings when the player has so many pawns more; negative when he gives them.

    The pawns count as points of the difference; no source says more of material odds.

    >>> round(material_difference(2000, 2400, 0.6), 3)
    -262.094
    """
    return difference(rating, opponent) + pawns * elo_per_pawn(mean_rating(rating, opponent))


# --- Go on the Elo scale


def egf_difference(rating: Any, opponent: Any) -> Any:
    """Return the points on the logistic curve of Elo that two ratings of the EGF are apart, by the rules since 2021.

    >>> round(egf_difference(2100, 2000), 1)
    97.3
    """
    return 400 * (egf.beta(rating) - egf.beta(opponent)) / log(_constant(10, rating))


def egf_points_before_2021(rating: Any) -> Any:
    """Return the points on the logistic curve of Elo that 100 points of the EGF were worth before 2021.

    The expected score was 1 / (1 + e^(difference / a)) with a = 205 - rating / 20: 200 at 100, 70 at 2700.

    >>> round(egf_points_before_2021(100), 1), round(egf_points_before_2021(2700), 1)
    (86.9, 248.2)
    """
    return 100 * 400 / (205 - rating / 20) / log(_constant(10, rating))


def aga_difference(stones: Any, sigma: Any = AGA_SIGMA, curve: str = "logistic") -> Any:
    """Return the points of Elo that so many stones of the AGA are worth, on the logistic or the normal curve.

    `sigma` is the AGA's standard deviation of a game in stones, by default that of an even game without komi.

    >>> round(aga_difference(1), 2), round(aga_difference(1, curve="normal"), 2)
    (270.75, 268.3)
    """
    return DIFFERENCES[_known(curve)](normal_cdf(stones / sigma), 400)


# --- a match in one call


@dataclass(frozen=True)
class MatchForecast:
    """What two ratings, or an expected score, say of a match.

    `odds` are those of the match from its score so far, `game` those of its next game (in tennis, of a set); `expected`
    is the score that is expected of one game (in tennis, of a match of best of three) and `difference` the points of
    rating on the curve that it means. `match_difference` is the difference with which one game would have the odds of
    the match; `ratio` is by how much the format multiplies a small difference, where there is a number for that. A
    number that there is not is None: pawns need two ratings of chess, ranks two of Go.
    """

    odds: Odds
    game: Odds
    curve: str
    expected: float
    difference: float | None
    game_difference: float | None
    match_difference: float | None
    ratio: float | None = None
    elo_per_pawn: float | None = None
    pawns: float | None = None
    draw_shift: float | None = None
    elo_per_rank: float | None = None
    elo_per_rank_before_2021: float | None = None


def match_forecast(
    rating: float | None = None,
    opponent: float | None = None,
    form: Format | None = None,
    *,
    expected: float | None = None,
    curve: str | None = None,
    scale: float = 400,
    draws: str | float = "none",
    first: str | None = None,
    go: str | None = None,
    tennis: bool = False,
) -> MatchForecast:
    """Return the odds of a match between two ratings, and what goes with them.

    With `expected`, the score per game, the difference follows from it, and the ratings, which may be left out, only
    say what a pawn is worth. `curve` is logistic unless the draws are Labelle's, whose model has the normal one.
    `draws` is "none", "labelle", or the share of drawn games; a share that the expected score does not leave room for
    is cut. `first` says who moves first in the next game, "a" or "b", the players taking turns from there on; it
    counts in Labelle's model alone. Without it one game leaves the first move out, and games of a longer match are the
    mean of both. `go` takes the ratings as those of the EGF (rules since 2021) or the AGA; in `tennis` they describe
    matches of best of three, and the match is of sets, best of three unless the format says more.

    Raises `UsageError` for what contradicts itself.

    >>> found = match_forecast(2000, 2400, draws="labelle")
    >>> round(found.odds.win, 6), round(found.odds.draw, 4), round(found.elo_per_pawn, 3)
    (0.029872, 0.1018, 229.843)
    >>> round(match_forecast(expected=0.75).difference, 2)
    190.85
    """
    asked = _Asked(rating, opponent, form or Format(), expected, curve, scale, draws, first, go, tennis)
    _check_match(asked)
    try:
        return _forecast(asked)
    except OverflowError:
        raise UsageError("the ratings are too far apart to be compared: is the scale too small?") from None


@dataclass(frozen=True)
class _Asked:
    """What `match_forecast` was asked for."""

    rating: Any
    opponent: Any
    form: Format
    expected: float | None
    given_curve: str | None
    scale: float
    draws: str | float
    first: str | None
    go: str | None
    tennis: bool

    @property
    def curve(self) -> str:
        return self.given_curve or ("normal" if self.draws == "labelle" else "logistic")

    @property
    def ratings(self) -> list[float]:
        return [one for one in (self.rating, self.opponent) if one is not None]


def _forecast(asked: _Asked) -> MatchForecast:
    curve, scale, form = asked.curve, asked.scale, asked.form
    gap: float | None
    if asked.expected is not None:
        share, gap = asked.expected, difference_for(asked.expected, curve, scale)
    elif asked.go is not None:
        share, gap = GO[asked.go](asked.rating, asked.opponent, curve, scale)
    else:
        share, gap = expected_score(asked.rating, asked.opponent, curve, scale), asked.rating - asked.opponent
    if asked.tennis and form == Format():
        form = Format(best_of=3)
    turns = _turns(asked, tennis_set(share) if asked.tennis else share, gap)
    odds = format_odds(form, turns)
    is_chess = asked.ratings and asked.go is None and not asked.tennis and scale == 400
    pawn = elo_per_pawn(mean_rating(asked.rating, asked.opponent)) if is_chess else None
    ranks = _per_rank(asked.go, mean_rating(asked.rating, asked.opponent), curve, scale) if asked.go else (None, None)
    return MatchForecast(
        odds=odds,
        game=turns[0],
        curve=curve,
        expected=share if asked.tennis else turns[0].score,
        difference=gap,
        game_difference=difference_for(turns[0].score, curve, scale),
        match_difference=difference_for(odds.score, curve, scale),
        ratio=_ratio(form),
        elo_per_pawn=pawn,
        pawns=None if pawn is None or gap is None else gap / pawn,
        draw_shift=draw_shift(DRAW_PAWNS, pawn) if pawn is not None and asked.draws == "labelle" else None,
        elo_per_rank=ranks[0],
        elo_per_rank_before_2021=ranks[1],
    )


def _turns(asked: _Asked, expected: float, gap: float | None) -> list[Odds]:
    """Return the odds of the next game, and of the one after it where the players take turns."""
    if asked.draws == "none":
        return [odds_without_draws(expected)]
    if asked.draws != "labelle":
        return [odds_with_draws(expected, float(asked.draws))]
    assert gap is not None
    mean = mean_rating(asked.rating, asked.opponent)
    two = (asked.rating, asked.opponent) if asked.expected is None else (mean + gap / 2, mean - gap / 2)
    if asked.first is not None:
        order = (1, -1) if asked.first == "a" else (-1, 1)
        return [labelle_odds(*two, side) for side in (order[:1] if asked.form.is_one_game else order)]
    return [labelle_odds(*two, first_move_pawns=0) if asked.form.is_one_game else labelle_odds(*two)]


def _ratio(form: Format) -> float | None:
    if form.best_of is not None:
        return float(best_of_ratio(form.best_of))
    return float(form.win_by) if form.win_by is not None and form.first_to is None else None


def _egf(rating: float, opponent: float, curve: str, scale: float) -> tuple[float, float | None]:
    share = expected_score(egf_difference(rating, opponent), 0)
    return share, difference_for(share, curve, scale)


def _aga(rating: float, opponent: float, curve: str, scale: float) -> tuple[float, float | None]:
    for one in (rating, opponent):
        if abs(one) < 1:
            raise UsageError(f"expected a rating of the AGA, 1 or more (dan) or -1 or less (kyu), got {one!r}")
    share = normal_cdf((aga.closed_rating(rating) - aga.closed_rating(opponent)) / AGA_SIGMA)
    return share, difference_for(share, curve, scale)


GO = {"egf": _egf, "aga": _aga}


def _per_rank(go: str, rating: float, curve: str, scale: float) -> tuple[float | None, float | None]:
    """Return the points that a rank is worth around a rating, and that it was before the EGF's rules of 2021."""
    if go == "aga":
        return difference_for(normal_cdf(1 / AGA_SIGMA), curve, scale), None
    before = egf_points_before_2021(rating) if rating < 4100 else None
    return _egf(rating + 50, rating - 50, curve, scale)[1], before


def _check_match(asked: _Asked) -> None:
    """Raise `UsageError` for the first thing that cannot be, or contradicts another."""
    form, draws, ratings = asked.form, asked.draws, asked.ratings
    if len(ratings) == 1:
        raise UsageError(f"expected the ratings of both players, got one, {ratings[0]!r}")
    if not ratings and asked.expected is None:
        raise UsageError("expected two ratings, or an expected score, as in --expected 0.75")
    for rating in ratings:
        if not abs(rating) <= LARGEST:
            raise UsageError(f"expected a rating from {-LARGEST:.0f} to {LARGEST:.0f}, got {rating!r}")
    if not isfinite(asked.scale) or asked.scale <= 0:
        raise UsageError(f"expected a scale above 0, got {asked.scale!r}")
    if asked.expected is not None and not 0 <= asked.expected <= 1:
        raise UsageError(f"expected a score per game from 0 to 1, got {asked.expected!r}")
    if not (draws in {"none", "labelle"} or (not isinstance(draws, str) and 0 <= draws <= 1)):
        raise UsageError(f"expected draws to be labelle, none, or their share from 0 to 1, got {draws!r}")
    if asked.first not in {None, "a", "b"}:
        raise UsageError(f"expected first to be a or b, got {asked.first!r}")
    if asked.go is not None and asked.go not in GO:
        raise UsageError(f"expected go to be {' or '.join(GO)}, got {asked.go!r}")
    _known(asked.curve)
    drawable = draws not in {"none", 0}
    for contradiction, why in (
        (drawable and form.needs_winners, "in best of, first to and win by each game has a winner: leave out --draws"),
        (drawable and asked.tennis, "no set of tennis is drawn: leave out --draws"),
        (asked.tennis and form != Format() and form.best_of is None, "a match of tennis is --best-of so many sets"),
        (asked.tennis and asked.go is not None, "--tennis and --go are two games: give one of them"),
        (asked.go is not None and asked.expected is not None, "--go reads two ratings: leave out --expected"),
        (asked.first is not None and draws != "labelle", "the first move counts with --draws labelle alone"),
    ):
        if contradiction:
            raise UsageError(why)
    if draws == "labelle":
        for contradiction, why in (
            (not ratings, "depend on how strong the players are: give both ratings"),
            (asked.curve != "normal", "follow the normal curve: leave out --curve"),
            (asked.scale != 400, "are for a scale of 400: leave out --scale"),
            (asked.go is not None, "are those of chess: give their share, as in --draws 0.1"),
            (asked.expected in {0, 1}, "need an expected score between 0 and 1"),
        ):
            if contradiction:
                raise UsageError(f"Labelle's draws {why}")


def match_record(found: MatchForecast) -> dict[str, Any]:
    """Return the forecast as the JSON output holds it."""
    return {
        "schema": 1,
        **found.odds._asdict(),
        "expected": found.expected,
        "difference": found.difference,
        "pawns": found.pawns,
        "curve": found.curve,
        "game": {**found.game._asdict(), "difference": found.game_difference},
        "match_difference": found.match_difference,
        "ratio": found.ratio,
        "elo_per_pawn": found.elo_per_pawn,
        "draw_shift": found.draw_shift,
        "elo_per_rank": found.elo_per_rank,
        "elo_per_rank_before_2021": found.elo_per_rank_before_2021,
    }
