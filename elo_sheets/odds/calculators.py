"""The calculators of one game: expected scores, what each result would change, and tables of odds.

Sources: the three modes of the public calculator pages (none, cap400, fide2650), which use the logistic curve; FIDE
Handbook B.02 for its table, for the days on which its limits began, and for K times the games, 700 at most. Every
number is a step of systems `elo` and `fide`, so that a sheet which lays the columns out computes the same digits.
"""

from __future__ import annotations

import datetime
import difflib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from elo_sheets.errors import UsageError
from elo_sheets.replaying.cases import Columns
from elo_sheets.replaying.readings import by_floats
from elo_sheets.systems import Line, Step, needs
from elo_sheets.systems import elo as elo_rules
from elo_sheets.systems import fide as fide_rules
from elo_sheets.systems._system import LARGEST
from elo_sheets.systems._tables import dated

RULES = ("none", "cap400", "fide2650", "fide-table")

# Nobody reads a longer table.
MOST_ROWS = 10_000

# Ratings lie within this; further apart they could not be compared on a curve.
FARTHEST = 20_000.0

# A's score by A's result, best first; B's is that of the result at the other end.
RESULTS = {"win": 1.0, "draw": 0.5, "loss": 0.0}

WHY = {
    "curve": "An official number may differ: FIDE reads its table instead of a curve (rule fide-table), takes K from "
    "age, games and highest rating, and adds a month's games before it multiplies and rounds once.",
    "fide-table": "An official number may differ: FIDE adds a month's games, multiplies by K and rounds once; it takes "
    "both ratings from the list in force when the event began, and K from age, games and highest rating. In rapid and "
    "blitz 400 points count at most for everybody.",
}


class Pair(NamedTuple):
    """A value for each of the two players."""

    a: Any
    b: Any


class Change(NamedTuple):
    """What a result does to a rating: points won or lost, and the rating after it; neither is rounded."""

    change: float
    new: float


@dataclass(frozen=True)
class Calculation:
    """One game between two ratings under a gap rule.

    `k` are the K factors in use, after the limit for so many `games` in the period. `counted` are the differences of
    ratings that count, from each player's side. `outcomes` holds the changes by A's result: win, draw, loss.
    """

    ratings: Pair
    rule: str
    as_of: datetime.date
    games: int
    k_given: Pair
    k: Pair
    difference: float
    counted: Pair
    expected: Pair
    outcomes: Mapping[str, Pair]
    columns: Columns

    @property
    def capped(self) -> Pair:
        """Whether the gap rule changed the difference that counts for each player."""
        return Pair(self.counted.a != self.difference, self.counted.b != -self.difference)

    @property
    def why(self) -> str:
        """Why an official number may differ from these."""
        return WHY.get(self.rule, WHY["curve"])


def calc(
    a: float,
    b: float,
    *,
    k: float = 20,
    k_b: float | None = None,
    games: int = 1,
    rule: str = "none",
    as_of: datetime.date | None = None,
) -> Calculation:
    """Return the expected scores of two ratings, and what each result of a game would change.

    `k` is the K of both players, `k_b` another one for B. With `games` in the rating period K times games is 700 at
    most: beyond it K is the largest whole number that does not exceed it. `rule` is none, cap400 or fide2650 on the
    logistic curve, or fide-table: FIDE's table, with the limit of the day `as_of` (today's if it is None). Changes are
    those of a single game, not rounded. Raises `UsageError` for another rule or a value out of range.

    >>> found = calc(1600, 1500)
    >>> round(found.expected.a, 4), [round(found.outcomes[result].a.change, 1) for result in found.outcomes]
    (0.6401, [7.2, -2.8, -12.8])
    >>> calc(2100, 1500, rule="cap400").capped
    Pair(a=True, b=True)
    """
    as_of = as_of or datetime.date.today()
    k_given = Pair(amount(k, "K"), amount(k if k_b is None else k_b, "K of B"))
    columns = calc_columns(a, b, k_given, games=games, rule=rule, as_of=as_of)
    found = computed(columns)

    def both(name: str) -> Pair:
        return Pair(*(float(found[f"{name} {side}"]) for side in "ab"))

    def change(result: str, side: str) -> Change:
        return Change(float(found[f"change {side} {result}"]), float(found[f"new {side} {result}"]))

    return Calculation(
        ratings=both("rating"),
        rule=rule,
        as_of=as_of,
        games=games,
        k_given=k_given,
        k=both("k_used"),
        difference=float(a) - float(b),
        counted=both("difference"),
        expected=both("expected"),
        outcomes={result: Pair(change(result, "a"), change(result, "b")) for result in RESULTS},
        columns=columns,
    )


def calc_columns(a: float, b: float, k: Pair, *, games: int, rule: str, as_of: datetime.date) -> Columns:
    """Return the columns of a sheet that computes `calc`: what is given, and a formula for each number.

    Both sides have the same columns, `expected a` and `expected b`; changes and new ratings are named by A's result as
    well, such as `change b win` for what B loses when A wins.
    """
    if rule not in RULES:
        raise UsageError(f"expected a rule ({', '.join(RULES)}), got {rule!r}{close_match(rule, RULES)}")
    if amount(games, "number of games", 1) % 1:
        raise UsageError(f"expected a whole number of games, got {games!r}")
    steps, settings = _form(rule)
    given: dict[str, float | str] = {**settings, "date": dated(as_of), "widest": 1.0, "period_games": float(games)}
    given |= {"rating a": number(a, "rating of A"), "rating b": number(b, "rating of B"), "k a": k.a, "k b": k.b}
    given |= RESULTS
    lines = (*_side("a", "b", steps, list(RESULTS)), *_side("b", "a", steps, list(RESULTS)[::-1]))
    read = {name for line in lines for name in line.reads}
    return Columns("", {name: value for name, value in given.items() if name in read}, lines, {}, 0)


def _form(rule: str) -> tuple[Sequence[Step], Mapping[str, float | str]]:
    """Return the steps up to the expected score under a gap rule, and the settings that they read."""
    if rule == "fide-table":
        settings = fide_rules.FIDE.settings({"rules": "dated"})
        steps = fide_rules.FIDE.shaped(settings).game
    else:
        settings = elo_rules.ELO.settings({"gap_rule": rule})
        steps = elo_rules.ELO.shaped(settings).game
    names = [step.__name__ for step in steps]
    return steps[: names.index("expected") + 1], settings


def _side(own: str, other: str, steps: Sequence[Step], scores: Sequence[str]) -> list[Line]:
    """Return one player's columns; `scores` are his results where A wins, draws and loses."""
    names = {"rating": f"rating {own}", "opponent_rating": f"rating {other}", "k": f"k {own}"}
    made = []
    for step in (*steps, fide_rules.k_used):
        made.append(Line(f"{step.__name__} {own}", step, tuple(names.get(name, name) for name in needs(step))))
        names[step.__name__] = f"{step.__name__} {own}"
    for result, score in zip(RESULTS, scores, strict=True):
        change = f"change {own} {result}"
        made.append(Line(change, elo_rules.change, (names["k_used"], score, names["expected"])))
        made.append(Line(f"new {own} {result}", elo_rules.rating_after, (names["rating"], change)))
    return made


# --- tables of odds


class OddsRow(NamedTuple):
    """What a difference of ratings means for the higher-rated player.

    `expected` is the score per game under each curve that was asked for, `fide` that of FIDE's table, `odds` those of
    the first curve, to one; None where it expects every point.
    """

    difference: float
    expected: Mapping[str, float]
    fide: float
    odds: float | None


def odds(expected: Any) -> Any:
    """Return the odds, to one, of an expected score below 1.

    >>> round(odds(0.8), 12)
    4.0
    """
    return expected / (1 - expected)


def odds_columns(difference: float, curves: Sequence[str] = tuple(map(str, elo_rules.CURVES))) -> Columns:
    """Return the columns of one row of the table: each curve at Elo's scale of 400, FIDE's table, and the odds."""
    lines = [Line(curve, elo_rules.CURVES[curve], ("difference", "scale")) for curve in curves]
    lines.append(Line("fide", fide_rules.higher_expected, ("difference",)))
    if elo_rules.CURVES[curves[0]](difference, 400.0) < 1:
        lines.append(Line("odds", odds, (curves[0],)))
    return Columns("", {"difference": difference, "scale": 400.0}, tuple(lines), {}, 0)


def rating_odds(curve: str | None = None, step: float = 25, most: float = 800) -> list[OddsRow]:
    """Return a table of differences from 0 to `most` and the expected scores that they mean.

    `curve` is logistic, normal or linear, at Elo's scale of 400; None puts all beside each other. FIDE's table is read
    without its limit of 400 points. Raises `UsageError` for another curve, or a table without end.

    >>> rating_odds(step=200, most=400)[1].fide
    0.76
    """
    names = tuple(map(str, elo_rules.CURVES))
    if curve is not None and curve not in names:
        raise UsageError(f"expected a curve ({', '.join(names)}), got {curve!r}{close_match(curve, names)}")
    most = amount(most, "largest difference")
    if amount(step, "step") == 0 or most / step > MOST_ROWS:
        raise UsageError(f"expected a step above 0 that makes at most {MOST_ROWS} rows, got {step!r} up to {most:g}")
    curves = names if curve is None else (curve,)
    rows = []
    for i in range(math.floor(most / step + 1e-9) + 1):
        found = computed(odds_columns(i * float(step), curves))
        expected = {name: float(found[name]) for name in curves}
        rows.append(OddsRow(float(found["difference"]), expected, float(found["fide"]), found.get("odds")))
    return rows


# --- what the calculators share


def number(value: Any, what: str, least: float = -FARTHEST, most: float = FARTHEST) -> float:
    """Return a number within reason, by default a rating; raises `UsageError` that says what it should be."""
    try:
        found = float(value)
    except (TypeError, ValueError):
        found = math.nan
    if math.isnan(found):
        raise UsageError(f"expected the {what} to be a number, got {value!r}")
    if not least <= found <= most:
        raise UsageError(f"expected the {what} to be from {least:g} to {most:g}, got {value!r}")
    return found


def amount(value: Any, what: str, least: float = 0) -> float:
    """Return a number that is not negative, such as K; raises `UsageError` that says what it should be."""
    return number(value, what, least, LARGEST)


def computed(columns: Columns) -> Mapping[str, Any]:
    """Return what columns come to; raises `UsageError` where a scale is too small for the ratings."""
    try:
        return by_floats([columns])[0]
    except OverflowError:
        raise UsageError("the ratings are too far apart to be compared: is the scale too small?") from None


def close_match(word: str, known: Sequence[str]) -> str:
    """Return a suggestion of the closest known word, or nothing."""
    near = difflib.get_close_matches(word.lower(), known, 1)
    return f"; did you mean {near[0]}?" if near else ""


def known(what: str, word: str, words: Sequence[str]) -> str:
    """Return a word in lower case if it is one of the known words; raises `UsageError` with the closest if not."""
    if word.lower() not in words:
        raise UsageError(f"expected the {what} to be {', '.join(words)}, got {word!r}{close_match(word, words)}")
    return word.lower()


# --- as JSON


def calc_record(found: Calculation, result: str | None = None) -> dict[str, Any]:
    """Return a calculation as its JSON output holds it; `result` is the one of A that was asked for."""
    outcomes = {
        name: {side: change._asdict() for side, change in zip("ab", pair, strict=True)}
        for name, pair in found.outcomes.items()
    }
    return {
        "schema": 1,
        **found.ratings._asdict(),
        "rule": found.rule,
        "as_of": found.as_of.isoformat(),
        "games": found.games,
        "k_given": found.k_given._asdict(),
        "k": found.k._asdict(),
        "difference": found.difference,
        "counted": found.counted._asdict(),
        "capped": found.capped._asdict(),
        "expected": found.expected._asdict(),
        "outcomes": outcomes,
        "result": result,
        "selected": None if result is None else outcomes[result],
        "why": found.why,
    }


def odds_record(rows: Sequence[OddsRow], step: float, most: float) -> dict[str, Any]:
    """Return a table of odds as its JSON output holds it."""
    shown = [{"difference": r.difference, **r.expected, "fide": r.fide, "odds": r.odds} for r in rows]
    return {"schema": 1, "step": float(step), "max": float(most), "rows": shown}
