"""What the column of a step says of itself, beside the step: its header, its unit and a sentence."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeVar

S = TypeVar("S", bound=Callable[..., Any])

Unit = Literal["points", "share", "number", "count", "date", "small"]


@dataclass(frozen=True)
class Facts:
    """What a column says of itself; as a decorator it says it of a step.

    `label` is the header of the column, the name of the step where it is empty. The unit is one of `points` (rating
    points: one decimal), `share` (of a game), `number` (such as K), `count` (whole), `date`, and `small` (some
    thousandths up to a few units: four decimals).
    """

    says: str = ""
    label: str = ""
    unit: Unit = "points"

    def __call__(self, step: S) -> S:
        step.__dict__["facts"] = self
        return step

    def labelled(self, label: str) -> Facts:
        """Return the same under another header."""
        return replace(self, label=label)


NOTHING_SAID = Facts()


def step(says: str = "", *, label: str = "", unit: Unit = "points") -> Facts:
    """Return a decorator that says what the column of a step is: in a sentence, by its header, in which unit.

    >>> @step("The chance that the guests win.", label="Guests", unit="share")
    ... def guests_win(expected):
    ...     return 1 - expected
    >>> facts_of(guests_win).label
    'Guests'
    """
    return Facts(says, label, unit)


def facts_of(step: Callable[..., Any]) -> Facts:
    """Return what is said of a step; of one without a decorator, the first sentence of its docstring."""
    told = step.__dict__.get("facts")
    if isinstance(told, Facts):
        return told
    first = (step.__doc__ or "").strip().split("\n\n")[0]
    return Facts(" ".join(first.split()))


# What games and periods offer to the steps.
INPUTS = {
    "score": Facts("1 for a win, 0.5 for a draw, 0 for a loss."),
    "neutral": Facts("1 where nobody plays at home."),
    "points": Facts("The points or goals that this side made."),
    "weight": Facts("The weight or kind of the game, as typed."),
    "handicap": Facts("The handicap stones of the game."),
    "knockout": Facts("1 for a match of a knockout phase, where nobody loses points."),
    "shootout": Facts("1 where this side won the shoot-out, -1 where it lost one."),
    "elapsed": Facts("The rating periods since the one in which the player last played."),
    "days": Facts("The days since the player's last rated game."),
    "seasons": Facts("1 where the game is the first of a new season.", unit="count"),
    "year": Facts(unit="count"),
    "period_games": Facts("The rated games of the player in the period, up to this one.", unit="count"),
}

# Steps that mean the same in more than one rule.
DIFFERENCE = step("The own rating minus the opponent's as far as the rule counts it, with any advantage.")
EXPECTED = step("The score that the rule expects: the chance of a win plus half that of a draw.", unit="share")
FAVOURITE = step(
    "The expected score of the higher rated player, from FIDE's table.", label="Favourite expects", unit="share"
)
K_USED = step("K: the points that a result is worth.", label="K", unit="number")
CHANGE = step("What the game adds to the rating: the score minus the expected one, times what a point is worth.")
RATING_AFTER = step("The rating after the game, or after the games so far of its period.")
GAMES_AFTER = step("The number of rated games with this one.", unit="count")
PERFORMANCE = step("The performance of one game: the opponent's number, moved by the result.")
SEASON_START = step(
    "The rating with which the season begins: part of the old one, the rest from the mean.", label="Season start"
)
RESULT = step("The score, with what the rule gives for a shoot-out.")

# Glicko and what is built on it.
START_RD = step("The deviation when the period begins: it grows with the time without games.", label="RD at start")
G = step("How much the opponent's uncertainty dampens a result.", label="g", unit="small")
JOINT_G = step("How much both players' uncertainty dampens a forecast.", label="Joint g", unit="small")
FORECAST = step("The score to expect with both players' uncertainty: what the standings of a forecast use.")
RD_AFTER = step("The deviation after the game, or after the games so far of its period.", label="RD after")
PHI_AFTER = step("The deviation after the period, on the internal scale.", unit="small")
VOLATILITY_AFTER = step("The volatility after the period.", unit="small")

# What a player brings.
GAMES = Facts("The number of rated games before this one.", "Games before", "count")
RD = Facts(
    "The rating deviation before the game: the strength is within twice as many points in 95 of 100 cases.", "RD"
)
VOLATILITY = Facts("The volatility before the game: how erratic the results have been.", unit="small")
