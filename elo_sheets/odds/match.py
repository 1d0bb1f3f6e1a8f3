"""Odds of a match from the odds of a game: best of n, first to n, win by a margin, games with draws, tennis.

Source: François Labelle, *Elo win probability calculator* (wismuth.com/elo/calculator.html), for the formats. Each game
or point is won with the same probability, independent of the others, unless a function takes more than one.

The formulas take floats, arrays or traced values as probabilities. Numbers of games may be traced too, in `best_of` and
`best_of_ratio`, and in `first_to` with the target: then the formula reads them from cells, through BINOMDIST.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add, mul
from typing import Any, NamedTuple

from elo_sheets.errors import UsageError
from elo_sheets.expr import Expr, call
from elo_sheets.ops import absolute, maximum, minimum, sqrt, where
from elo_sheets.systems import Repeat, called, lines

# Of more games the ways to play them are too many for a float.
MOST_GAMES = 1000

# A set of tennis is found by Newton's method to this share of the match, or in so many rounds.
_SETTLED = 1e-15
_ROUNDS = 6


class Odds(NamedTuple):
    """Probabilities to win, draw and lose, which sum to 1."""

    win: Any
    draw: Any
    loss: Any

    @property
    def score(self) -> Any:
        """The expected score."""
        return self.win + self.draw / 2

    @property
    def swapped(self) -> Odds:
        """The odds of the opponent."""
        return Odds(self.loss, self.draw, self.win)


# --- without draws


def best_of(probability: Any, games: Any, score: tuple[int, int] = (0, 0)) -> Any:
    """Return the probability to win a match of best of `games`, an odd number, from that to win a game.

    `score` is the games that both have won so far. Raises `UsageError` for one that such a match cannot have.

    >>> round(best_of(0.6, 3), 6), round(best_of(0.6, 5), 6), round(best_of(0.6, 5, (2, 1)), 6)
    (0.648, 0.68256, 0.84)
    """
    games = _odd(games)
    if tuple(score) == (0, 0):
        return _at_least(_half(games + 1), games, probability)
    return first_to(probability, _half(games + 1), 1, score)


def best_of_ratio(games: Any) -> Any:
    """Return by how much best of `games`, an odd number, multiplies a small difference of ratings.

    >>> [best_of_ratio(games) for games in (1, 3, 5, 7)]
    [1.0, 1.5, 1.875, 2.1875]
    """
    games = _odd(games)
    return games * _exactly(_half(games - 1), games - 1, 0.5)


def win_by(probability: Any, margin: int) -> Any:
    """Return the probability to be `margin` games ahead before the opponent is: p^m / (p^m + q^m).

    With a logistic probability the difference of ratings is multiplied by exactly the margin.

    >>> round(win_by(0.6, 2), 6)
    0.692308
    """
    margin = _games(margin)
    return probability**margin / (probability**margin + (1 - probability) ** margin)


def gamblers_ruin(probability: Any, lead: int, margin: int) -> Any:
    """Return the probability to be `margin` games ahead before the opponent is, from a lead now (negative: behind).

    >>> round(gamblers_ruin(0.6, 1, 2), 6), gamblers_ruin(0.6, -2, 2)
    (0.876923, 0.0)
    """
    margin = _games(margin)
    if lead == 0:
        return win_by(probability, margin)
    if abs(lead) >= margin:
        return 0 * probability + float(lead > 0)
    last = 2 * margin - 1
    terms = [_product(1, probability, last - lost, lost) for lost in range(last + 1)]
    return reduce(add, terms[: margin + lead]) / reduce(add, terms)


def first_to(probability: Any, target: Any, margin: int = 2, score: tuple[int, int] = (0, 0)) -> Any:
    """Return the probability to win by being the first with `target` points and `margin` points ahead.

    A game of tennis is first to 4, a volleyball set first to 25, or 21 on the beach, each by two. After
    2 target - margin points the winner is known or neither has the target; from there on only the lead counts. `score`
    is the points so far. A traced target must not be below the margin, and takes no score. Raises `UsageError` for a
    score that such a match cannot have.

    >>> round(first_to(0.6, 4), 6), round(first_to(0.55, 25), 6), round(first_to(0.55, 21), 6)
    (0.735729, 0.764116, 0.745838)
    >>> round(first_to(0.6, 2, margin=1), 6)  # best of three
    0.648
    >>> round(first_to(0.6, 4, score=(3, 3)), 6) == round(win_by(0.6, 2), 6)
    True
    """
    margin = _games(margin)
    if isinstance(target, Expr):
        needed, left, lead = target, 2 * target - margin, 0
    else:
        target = max(_games(target), margin)
        own, other = _race_score(score, target, margin)
        needed, left, lead = target - own, _games(2 * target - margin) - own - other, own - other
        if left < 0 or (needed <= 0 and lead >= margin) or (other >= target and -lead >= margin):
            return gamblers_ruin(probability, lead, margin)
    traced = isinstance(target, Expr)
    terms = [_at_least(needed, left, probability)] if traced or needed <= left else []
    terms += [
        _exactly(needed - behind, left, probability) * gamblers_ruin(probability, margin - 2 * behind, margin)
        for behind in range(1, margin)
        if traced or 0 <= needed - behind <= left
    ]
    return reduce(add, terms)


def _race_score(score: tuple[int, int], target: int, margin: int) -> tuple[int, int]:
    own, other = (int(points) for points in score)
    over = max(own, other) > target and abs(own - other) > margin
    over = over or (margin == 1 and own + other >= 2 * target)
    if (own, other) != tuple(score) or min(own, other) < 0 or over:
        rule = f"first to {target}" + (f", {margin} ahead" if margin > 1 else "")
        raise UsageError(f"expected a score of whole points that a match of {rule} can have, got {_shown(score)}")
    return own, other


def _shown(score: tuple[float, float]) -> str:
    return f"{score[0]:g}-{score[1]:g}"


def _at_least(wins: Any, games: Any, probability: Any) -> Any:
    if isinstance(wins, Expr) or isinstance(games, Expr):
        return 1 - call("BINOMDIST", wins - 1, games, probability, True)
    return reduce(add, [_exactly(won, games, probability) for won in range(wins, games + 1)])


def _exactly(wins: Any, games: Any, probability: Any) -> Any:
    if isinstance(wins, Expr) or isinstance(games, Expr):
        return call("BINOMDIST", wins, games, probability, False)
    return _product(math.comb(games, wins), probability, wins, games - wins)


def _product(ways: int, probability: Any, won: int, lost: int) -> Any:
    """Return ways p^won q^lost, powers of 0 left out: 0^0 is an error in a sheet."""
    factors: list[Any] = [float(ways)] if ways > 1 else []
    for base, power in ((probability, won), (1 - probability, lost)):
        if power > 0:
            factors.append(base if power == 1 else base**power)
    return reduce(mul, factors or [1.0])


def _half(number: Any) -> Any:
    return number / 2 if isinstance(number, Expr) else number // 2


def _odd(games: Any) -> Any:
    games = _games(games)
    if not isinstance(games, Expr) and games % 2 == 0:
        raise UsageError(f"expected an odd number of games, got {games}: an even one can end level")
    return games


def _games(number: Any) -> Any:
    if isinstance(number, Expr):
        return number
    if number != int(number) or not 1 <= number <= MOST_GAMES:
        raise UsageError(f"expected a whole number of games or points from 1 to {MOST_GAMES}, got {number!r}")
    return int(number)


# --- a number of games, with draws


def lead_chance(one_less: Any, as_many: Any, one_more: Any, win: Any, draw: Any, loss: Any) -> Any:
    """Return the probability of a lead after a game, from those of one less, as many and one more before it."""
    return one_less * win + as_many * draw + one_more * loss


def series_odds(games: Sequence[Odds], lead: int = 0) -> Odds:
    """Return the odds to have more points after some games, each with odds of its own, from a lead in points now.

    The games are independent. Takes floats or arrays; a sheet lays out `lead_chance` for every game and lead.

    >>> white, black = Odds(0.3, 0.5, 0.2), Odds(0.2, 0.5, 0.3)
    >>> [round(chance, 4) for chance in series_odds([white, black])]
    [0.31, 0.38, 0.31]
    """
    chances: list[Any] = [1.0]  # of leads from -n to n after n games
    for game in games:
        padded = [0.0, 0.0, *chances, 0.0, 0.0]
        chances = [lead_chance(padded[i], padded[i + 1], padded[i + 2], *game) for i in range(len(chances) + 2)]
    level = len(games) - lead  # where in the list the match ends level
    at = [chances[level]] if 0 <= level < len(chances) else []
    ahead, behind = chances[max(level + 1, 0) :], chances[: max(level, 0)]
    return Odds(*(reduce(add, [0.0, *some]) for some in (ahead, at, behind)))


def match_odds(odds: Odds, games: int, score: tuple[float, float] = (0, 0)) -> Odds:
    """Return the odds to win, draw or lose a match of `games`, all with the same odds, from the score so far.

    >>> match_odds(Odds(0.25, 0.5, 0.25), 6, (2.5, 1.5))
    Odds(win=0.6875, draw=0.25, loss=0.0625)

    Raises `UsageError` for a score that cannot be: not in half points, or of more than `games`.
    """
    left, lead = _still_to_play(games, score)
    return series_odds([Odds(*odds)] * left, lead)


def _still_to_play(games: int, score: tuple[float, float]) -> tuple[int, int]:
    """Return how many games of a match are left, and the lead in points."""
    own, other = score
    left = _games(games) - (own + other)
    if min(own, other) < 0 or 2 * own != int(2 * own) or left != int(left) or left < 0:
        raise UsageError(f"expected a score of at most {games} games, in half points, got {_shown(score)}")
    return int(left), int(own - other)


# --- tennis


def match_underdog(match_win: Any) -> Any:
    return minimum(match_win, 1 - match_win)


def set_underdog(match_underdog: Any) -> Any:
    """Return where Newton's method starts: not below the underdog's chance of a set, nor a quarter above it."""
    return sqrt(match_underdog / 2)


def underdog_settled(set_underdog: Any, match_underdog: Any) -> Any:
    return absolute(best_of(set_underdog, 3) - match_underdog) <= _SETTLED * match_underdog


@called("set_underdog")
def closer_set_underdog(set_underdog: Any, match_underdog: Any) -> Any:
    slope = 6 * set_underdog * (1 - set_underdog)
    return set_underdog - (best_of(set_underdog, 3) - match_underdog) / maximum(slope, 1e-300)


def set_win(match_win: Any, set_underdog: Any) -> Any:
    return where(match_win < 0.5, set_underdog, 1 - set_underdog)


# The columns that lead from a match of best of three to a set.
TENNIS = (
    match_underdog,
    Repeat((set_underdog,), (closer_set_underdog,), _ROUNDS, underdog_settled),
    set_win,
)


def tennis_set(match_win: Any) -> Any:
    """Return the probability to win a set of tennis, from that to win a match of best of three: 3 p^2 - 2 p^3 solved.

    Ratings of tennis describe matches of best of three; `best_of(tennis_set(p), 5)` is that of a longer one. Takes
    floats or arrays from 0 to 1; a sheet has the columns `TENNIS`.

    >>> round(tennis_set(0.648), 6), round(best_of(tennis_set(0.648), 5), 6)
    (0.6, 0.68256)
    """
    values = {"match_win": match_win}
    for line in lines(TENNIS):
        values[line.name] = line.step(*(values[name] for name in line.reads))
    return values["set_win"]


# --- any format


@dataclass(frozen=True)
class Format:
    """How a match is decided, and how it stands; without anything it is one game.

    One of: the most wins of `best_of` games, an odd number; `first_to` so many wins, `win_by` ahead (1 unless given);
    `win_by` wins ahead alone; or the most points of a fixed number of `games`, the only one that may have drawn games.
    `score` is the points of both so far.
    """

    best_of: int | None = None
    first_to: int | None = None
    win_by: int | None = None
    games: int | None = None
    score: tuple[float, float] | None = None

    @property
    def is_one_game(self) -> bool:
        """Whether one game decides."""
        return not self.needs_winners and self.games in {None, 1}

    @property
    def needs_winners(self) -> bool:
        """Whether every game must have a winner."""
        return any(number is not None for number in (self.best_of, self.first_to, self.win_by))


def format_odds(form: Format, turns: Sequence[Odds]) -> Odds:
    """Return the odds of a match from those of its games, which take turns: the next game has the first ones.

    >>> format_odds(Format(best_of=5, score=(2, 1)), [Odds(0.5, 0, 0.5)])
    Odds(win=0.75, draw=0.0, loss=0.25)

    Raises `UsageError` for a format that contradicts itself, or drawn games where each must have a winner.
    """
    _check_format(form)
    if not form.needs_winners:
        games = 1 if form.games is None else form.games
        left, lead = _still_to_play(games, form.score or (0, 0))
        return series_odds([turns[i % len(turns)] for i in range(left)], lead)
    if len(turns) > 1 or turns[0].draw:
        raise UsageError("every game of such a match has a winner: leave out the draws, or give a number of games")
    score: Any = form.score or (0, 0)
    chances = [
        _won(form, probability, given) for probability, given in ((turns[0].win, score), (turns[0].loss, score[::-1]))
    ]
    return Odds(chances[0], 0.0, chances[1])


def _won(form: Format, probability: Any, score: tuple[int, int]) -> Any:
    if form.best_of is not None:
        return best_of(probability, form.best_of, score)
    if form.first_to is not None:
        return first_to(probability, form.first_to, 1 if form.win_by is None else form.win_by, score)
    assert form.win_by is not None
    lead = score[0] - score[1]
    if min(score) < 0 or any(points != int(points) for points in score) or abs(lead) > form.win_by:
        raise UsageError(f"expected a score of whole points, at most {form.win_by} apart, got {_shown(score)}")
    return gamblers_ruin(probability, int(lead), form.win_by)


def _check_format(form: Format) -> None:
    race = form.win_by if form.first_to is None else form.first_to
    asked = {"best of": form.best_of, "first to or win by": race, "a number of games": form.games}
    given = [name for name, number in asked.items() if number is not None]
    if len(given) > 1:
        raise UsageError(f"a match is either {' or '.join(given)}: give one of them")
    if form.score is not None and not given:
        raise UsageError("a score is that of a match: say best of, first to, win by or how many games")
