"""BayesElo: ratings of a whole log with White's advantage, draws, and a prior that keeps everybody finite.

Source: Rémi Coulom, *Bayesian Elo Rating* and its program bayeselo (2005–2010). With the difference White minus Black
and f(x) = 1 / (1 + 10^(x / 400)), White wins with probability f(-difference - advantage + drawelo), Black with
f(difference + advantage + drawelo), and the rest is drawn. The prior gives each player virtual draws against his own
opponents, in proportion to the games between them and in both colours alike. Ratings have the mean 0 and are printed
times 4x / (1 + x)², x = 10^(-drawelo / 400), so that small differences mean what they do in Elo's scale.
Reproduces a run of the program on twelve games of three players: 58, -45 and -14.

- Like the program, a prior of 2 gives each player one virtual draw of his own; as every opponent's virtual draws
  count for him too, everybody has two where all have played equally many games.
- `fit` says whether advantage and drawelo are taken as given or fitted with the ratings, as the program's command
  `mm 1 1` does.

Deviations: see `BAYESELO.deviations`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from elo_sheets._late import np, pd
from elo_sheets.errors import UnreadableInput
from elo_sheets.systems._pool import (
    POINT,
    SCALE,
    Array,
    Climbed,
    Pool,
    Trials,
    View,
    all_but_first,
    apart,
    check_comparable,
    check_linked,
    climb,
    fitted,
    judge,
    on_both,
    pool_of,
    together,
)
from elo_sheets.systems._system import Fit, Parameter, Value
from elo_sheets.systems.elo import expected


def white_minus_black(white_rating: Any, black_rating: Any) -> Any:
    return white_rating - black_rating


def win_probability(white_minus_black: Any, advantage: Any, drawelo: Any) -> Any:
    return expected(white_minus_black + advantage - drawelo, SCALE)


def loss_probability(white_minus_black: Any, advantage: Any, drawelo: Any) -> Any:
    return expected(-white_minus_black - advantage - drawelo, SCALE)


def draw_probability(win_probability: Any, loss_probability: Any) -> Any:
    return 1 - win_probability - loss_probability


def forecast(rating: float, opponent_rating: float, values: Mapping[str, Any]) -> tuple[float, float]:
    """Return White's expected score and the probability of a draw; `values` hold the scale of the ratings too."""
    between = (rating - opponent_rating) / values["scale"]
    wins = win_probability(between, values["advantage"], values["drawelo"])
    draws = draw_probability(wins, loss_probability(between, values["advantage"], values["drawelo"]))
    return wins + draws / 2, draws


def draw_odds(drawelo: Any) -> Any:
    return 10 ** (-drawelo / SCALE)


def print_scale(draw_odds: Any) -> Any:
    return 4 * draw_odds / (1 + draw_odds) ** 2


class Log(NamedTuple):
    """The log as trials: a draw is one win of each player, and `side` is 1 where the winner has White, else -1."""

    trials: Trials
    side: Array
    draws: float


def fit(games: pd.DataFrame, settings: Mapping[str, Value]) -> pd.DataFrame:
    """Return player, rating and standard_error: the most likely ratings, with the mean 0.

    The standard error takes the ratings of the opponents as exact. `attrs` also holds the `advantage` and `drawelo`
    that were used, the names of those that were `fitted`, and the `scale` by which the ratings were multiplied. Raises
    `UnreadableInput` naming players when nothing compares them or, without a prior, when a rating would be infinite;
    also when the log cannot tell what is to be fitted.
    """
    pool = pool_of(games, "bayeselo")
    many, prior = len(pool.names), float(settings["prior"])
    log = read(pool, prior)
    if prior > 0:
        check_linked(pool)
    else:
        check_comparable(pool, log.trials, "give a prior above 0")
    fits = {"advantage": settings["fit"] in ("advantage", "both"), "drawelo": settings["fit"] in ("drawelo", "both")}
    check_fits(pool, prior, **fits)
    start = np.zeros(many + 2)
    start[many:] = [
        0.0 if fits["advantage"] else float(settings["advantage"]),
        SCALE / 4 if fits["drawelo"] else float(settings["drawelo"]),
    ]
    found = most_likely(log, start, np.append(all_but_first(many), list(fits.values())))
    advantage, drawelo = found.top[many:].tolist()
    scale = float(print_scale(draw_odds(drawelo))) if settings["scale"] == "elo" else 1.0
    ratings = found.top[:many] - found.top[:many].mean()
    error = np.sqrt(found.view.divide(np.ones(many + 2))[:many])
    columns = {"player": pool.names, "rating": scale * ratings, "standard_error": scale * error}
    table = fitted(columns, found.residual, found.rounds, advantage=advantage, drawelo=drawelo, scale=scale)
    table.attrs["fitted"] = [name for name, is_fitted in fits.items() if is_fitted]
    return table


def read(pool: Pool, prior: float) -> Log:
    """Return the games and the virtual draws as trials, both colours of every game after one another."""
    white, black, score = pool.white, pool.black, pool.score
    virtual = prior / 4 * (1 / pool.played[white] + 1 / pool.played[black])
    one, other = np.concatenate([white, black] * 2), np.concatenate([black, white] * 2)
    weight = np.concatenate([(score > 0) + virtual, (score < 1) + virtual, virtual, virtual])
    side = np.repeat([1.0, -1.0, -1.0, 1.0], len(white))
    counts = weight > 0
    draws = float((score == 0.5).sum() + 2 * virtual.sum())
    return Log(Trials(one[counts], other[counts], weight[counts]), side[counts], draws)


def check_fits(pool: Pool, prior: float, advantage: bool, drawelo: bool) -> None:
    """Raise `UnreadableInput` when the log cannot tell the advantage or drawelo that is to be fitted."""
    drawn = pool.score == 0.5
    if drawelo and drawn.all():
        raise UnreadableInput("no finite drawelo: every game was drawn; give drawelo instead of fitting it")
    if prior > 0:
        return
    if drawelo and not drawn.any():
        raise UnreadableInput("no drawelo above 0: no game was drawn; give drawelo instead of fitting it")
    if advantage and same_step(pool):
        raise UnreadableInput(
            "White's advantage cannot be told from the ratings: with the same step from each player who had White to "
            "the opponent no game says more; give a prior above 0 or the advantage"
        )


def same_step(pool: Pool) -> bool:
    """Return whether levels exist of which White's is one above Black's in every game; games link all players."""
    level = np.full(len(pool.names), np.nan)
    level[0] = 0
    while np.isnan(level).any():
        for one, other, step in ((pool.white, pool.black, -1), (pool.black, pool.white, 1)):
            fresh = np.isnan(level[other]) & ~np.isnan(level[one])
            level[other[fresh]] = level[one[fresh]] + step
    return bool((level[pool.white] == level[pool.black] + 1).all())


def most_likely(log: Log, start: Array, free: Array) -> Climbed:
    """Return the maximum over the values: the ratings, then advantage and drawelo; only those that are free move."""
    trials, side = log.trials, log.side
    many = len(start) - 2

    def spread(values: Array) -> Array:
        return apart(values, trials) + values[many] * side - values[many + 1]

    def gather(amounts: Array) -> Array:
        return np.append(together(amounts, trials, many), [amounts @ side, -amounts.sum()])

    def look(values: Array) -> View:
        if values[many + 1] < 0:
            return View(-np.inf, values, gather, gather)
        height, slope, curve = judge(spread(values), trials.weight)
        gradient = gather(slope)
        information = np.append(on_both(curve, trials, many), [curve.sum(), curve.sum()])
        drawn = np.zeros(many + 2)
        if free[many + 1]:
            height_of_draws, gradient_of_draws, drawn[many + 1] = judge_draws(values[many + 1], log.draws)
            height += height_of_draws
            gradient[many + 1] += gradient_of_draws
        return View(
            height,
            gradient,
            lambda step: gather(curve * spread(step)) + drawn * step,
            lambda rest: rest / (information + drawn),
        )

    return climb(look, start, free)


def judge_draws(drawelo: float, draws: float) -> tuple[float, float, float]:
    """Return what draws add to the log-likelihood beyond a win of each player, its slope and curvature per point.

    The probability of a draw is that of a win times that of a loss times 10^(2 drawelo / 400) - 1.
    """
    double = 2 * POINT * drawelo
    if double <= 0:
        return -np.inf, 0.0, 0.0
    share = -np.expm1(-double)
    slope = 2 * POINT / share
    return draws * float(double + np.log(share)), draws * slope, draws * slope**2 * float(np.exp(-double))


BAYESELO = Fit(
    name="bayeselo",
    title="BayesElo",
    about="most likely ratings of a whole log with White's advantage, draws and a prior",
    sources=("Rémi Coulom, Bayesian Elo Rating and the program bayeselo, 2005-2010",),
    deviations=(
        "the maximum is found by Newton's method instead of minorization-maximization: the same ratings",
        "no rounding: the program prints whole points",
        "groups of players that no game links are refused: nothing compares them",
    ),
    parameters=(
        Parameter(
            "advantage",
            32.8,
            "White's advantage",
            "points that White's colour is worth",
            "White_advantage",
            source="default of the program",
        ),
        Parameter(
            "drawelo",
            97.3,
            "Draw Elo",
            "points that a player must do better than the opponent to win; 0 means no draws",
            "Draw_elo",
            minimum=0.0,
            source="default of the program",
        ),
        Parameter(
            "fit",
            "none",
            "Fitted parameters",
            "which of White's advantage and draw Elo are fitted together with the ratings instead of taken as given",
            choices=("none", "advantage", "drawelo", "both"),
        ),
        Parameter(
            "prior",
            2.0,
            "Virtual draws",
            "strength of the prior: virtual draws per player, spread over the opponents by number of games",
            minimum=0.0,
            source="default of the program",
        ),
        Parameter(
            "scale",
            "elo",
            "Scale of the list",
            "elo: ratings are shrunk so that small differences mean what they do in Elo's scale; none: not shrunk",
            "List_scale",
            choices=("elo", "none"),
        ),
    ),
    fit=fit,
    forecast=forecast,
    steps=(white_minus_black, win_probability, loss_probability, draw_probability, draw_odds, print_scale),
    labels={
        "white_minus_black": "White minus Black",
        "win_probability": "White wins",
        "loss_probability": "Black wins",
        "draw_probability": "Draw",
        "print_scale": "Scale",
    },
)
