"""The calculator of an event: what games against rated opponents do to one rating, and the performance in them.

The opponents' ratings are inputs, as in a journal. An event is rated as one rating period by the steps of system `elo`,
`fide` or `dwz`, or by the functions of `uschess`; nothing is computed here that is not theirs.

Sources: those of the systems and of the performance ratings.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path
from typing import Any, BinaryIO

from elo_sheets._late import pd
from elo_sheets.errors import UnreadableInput, UsageError
from elo_sheets.games import GamesRead, owner
from elo_sheets.odds.calculators import amount, close_match, computed, number
from elo_sheets.odds.performance import average_opponent, exact_performance, linear_performance, table_performance
from elo_sheets.ops import round_half_away
from elo_sheets.readers import HowRead, read
from elo_sheets.readers._results import NUMBERS, SIDES, UNKNOWN, WORDS, chess_outcome, outcome, tidy
from elo_sheets.replaying.cases import Columns, Period, columns_of
from elo_sheets.replaying.settings import TYPED, Settings, as_of_day, resolve, settled, settled_notes
from elo_sheets.systems import SYSTEMS, Line, Parameter, System, called, uschess
from elo_sheets.systems import dwz as dwz_rules
from elo_sheets.systems import elo as elo_rules
from elo_sheets.systems import system as find_system
from elo_sheets.systems._tables import dated

EVENT_SYSTEMS = ("elo", "fide", "uschess", "dwz")

# The facts about the player that a system asks for beside his rating.
ASKED = {
    "elo": (),
    "fide": ("born", "games_before"),
    "uschess": ("games_before",),
    "dwz": ("born", "events_before"),
}

COMPUTES_K = {"uschess": "rating and games before", "dwz": "rating, age and events before"}

# Settings that a list of opponents and results has no use for.
UNUSED = {
    "initial": "the rating before the event is given",
    "advantage": "a list of opponents does not say who had it; replay rates a log with it",
    "margin_rule": "a list of results does not say goals or points; replay rates a log with them",
    "carry_over": "an event lies in one season",
}

# What FIDE's K follows from besides the rating.
OVERRULED = {"initial_games", "initial_peak", "born"}

# Columns of a period's close that a player would want to see beside K in use.
DETAILS = ("k", "development", "acceleration", "brake", "success_bonus", "brake_factor", "period_rated")


@dataclass(frozen=True)
class EventGame:
    """One game of an event: `change` is its share of the points, None where the rule knows no such share."""

    opponent: float
    score: float
    expected: float
    change: float | None
    name: str = ""


@dataclass(frozen=True)
class Performances:
    """The performance ratings of an event by three methods; `exact` is None at 0 and at 100 per cent.

    `federation` is the one that the system's federation prints: FIDE's of its table, and DWZ's *Turnierleistung*, at
    which the curve of its rules expects the points scored, a whole number, None at 0 and at 100 per cent. It is None
    where the system has none of its own.
    """

    linear: float
    table: float
    exact: float | None
    federation: float | None = None


@dataclass(frozen=True)
class EventRating:
    """What an event does to one rating.

    `change` is not rounded, `rounded_change` is, halves away from zero; `new` is the rating as the system keeps it:
    FIDE and DWZ keep whole numbers. `k` is None where US Chess rates by its special formula. `details` are further
    columns of the rule. `columns` lays the rule out for a sheet; US Chess has none.
    """

    system: str
    rating: float
    games: tuple[EventGame, ...]
    score: float
    expected: float
    k: float | None
    change: float
    rounded_change: float
    new: float
    performance: Performances
    average_opponent: float
    details: Mapping[str, float]
    columns: Columns | None
    notes: tuple[str, ...] = ()
    log: GamesRead | None = None


# --- what is typed


# The sides that a player may have had, for results that name one.
_SIDES = {"w": 1.0, "white": 1.0, "home": 1.0, "b": 0.0, "black": 0.0, "away": 0.0}


def parse_result(text: str | float, place: int = 1, *, side: str | None = None, any_score: bool = False) -> float:
    """Return the points that a result means for the player himself: 1, 0.5 or 0.

    Numbers, words and letters (W, D, L; ½, =), and pairs such as 1-0 with the player's own points first. Words that
    name a side (`White wins`, `home win`) need the `side` that the player had, such as W or B. With `any_score` goals
    and sets (`4:3`, `6-4 3-6 7-6`) count too, the player's own first. Raises `UsageError` that names the opponent by
    his `place` in the list.

    >>> [parse_result(text) for text in ("1", "½", "=", "D", "W", "0-1", "draw")]
    [1.0, 0.5, 0.5, 0.5, 1.0, 0.0, 0.5]
    >>> parse_result("White wins", side="B"), parse_result("6-4 3-6 7-6(5)", any_score=True)
    (0.0, 1.0)
    """
    plain = tidy(str(text))
    letters = {"w": 1.0, "d": 0.5, "l": 0.0}
    if plain in letters or plain in NUMBERS:
        return float(letters.get(plain, NUMBERS.get(plain, 0)))
    found = outcome(plain) if any_score and plain != "0-0" else chess_outcome(plain)
    names_side = found.score is not None and plain in WORDS and SIDES.search(plain) is not None
    if found.score is not None and names_side and side is not None:
        return 1 - abs(found.score - _side(side, place))
    if found.score is None or names_side:
        reason = f" ({found.reason})" if found.score is None and found.reason != UNKNOWN else ""
        if names_side:
            reason = " (a list gives the player's own results: write win or loss, or give his sides, --sides W,B)"
        raise UsageError(
            f"expected a result such as 1, 0.5, W, draw or 1-0 for opponent {place}, got {str(text)!r}{reason}"
        )
    return found.score


def _side(side: str, place: int) -> float:
    try:
        return _SIDES[side.strip().casefold()]
    except KeyError:
        raise UsageError(f"expected W or B as the player's side against opponent {place}, got {side!r}") from None


def parse_list(text: str, *, is_one: bool = False) -> list[str]:
    """Return the items of a list: between semicolons where it has any, else between commas, else between blanks.

    A list that `is_one` result may be the scores of its sets. Blanks beside the mark of a score (`1 - 0`) do not part
    it, nor those of a single result in words (`white wins`).

    >>> parse_list("1, 0.5, D"), parse_list("1;0,5"), parse_list("1 0.5 1 - 0")
    (['1', '0.5', 'D'], ['1', '0,5'], ['1', '0.5', '1 - 0'])
    """
    for mark in (";", ","):
        if mark in text:
            return [item.strip() for item in text.split(mark)]
    if " ".join(text.lower().split()) in WORDS or (is_one and outcome(text).points is not None):
        return [text.strip()]
    return re.split(r"(?<![-–−:/])\s+(?![-–−:/])", text.strip())


def parse_opponents(opponents: Sequence[Any]) -> list[float]:
    """Return opponents' ratings as numbers; raises `UsageError` that names the place of what is none."""
    found = []
    for place, text in enumerate(opponents, 1):
        try:
            found.append(number(text, "rating"))
        except UsageError:
            raise UsageError(f"expected a rating such as 1500 for opponent {place}, got {text!r}") from None
    return found


# --- an event


def rate_event(
    rating: float,
    opponents: Sequence[Any],
    results: Sequence[Any],
    *,
    system: str = "elo",
    k: float | None = None,
    settings: Mapping[str, object] | None = None,
    as_of: datetime.date | None = None,
    born: float | None = None,
    age: float | None = None,
    games_before: float | None = None,
    events_before: float | None = None,
    names: Sequence[str] = (),
    sides: Sequence[str] = (),
) -> EventRating:
    """Return what an event against rated opponents does to a rating.

    `results` are the player's own (see `parse_result`), one for each of the `opponents`' ratings; `sides` are those
    that he had (W or B), for results that name one. Goals and sets are results under elo alone. `system` is elo,
    fide, uschess or dwz, `settings` replace its defaults. `k` is that of elo, 20 by default, or overrules the K that
    FIDE's rule gives. `as_of` is the day whose rules hold, today if it is None. `born` (a year) or `age` (that year)
    matter to fide and dwz, `games_before` to fide and uschess, `events_before` to dwz; without them the player counts
    as settled and grown up. Raises `UsageError` for lists of unequal length, for what cannot be read, or what a system
    does not ask for.

    >>> found = rate_event(1500, [1500, 1600, 1700], ["W", "½", "0-1"])
    >>> round(found.change, 4), found.average_opponent, round(found.performance.exact, 1)
    (7.9962, 1600.0, 1600.0)
    >>> rate_event(2053, [1675, 2310, 1653, 1884, 2218], [1, 0, 1, 1, 0], system="fide").rounded_change
    0.0
    """
    if system not in EVENT_SYSTEMS:
        near = close_match(system, EVENT_SYSTEMS)
        raise UsageError(f"expected the system of an event ({', '.join(EVENT_SYSTEMS)}), got {system!r}{near}")
    if len(opponents) != len(results):
        raise UsageError(
            f"expected one result for each opponent, got {len(opponents)} opponents and {len(results)} results"
        )
    if not opponents:
        raise UsageError("expected at least one opponent, got none")
    ratings = parse_opponents(opponents)
    if sides and len(sides) != len(results):
        raise UsageError(f"expected one side for each result, got {len(results)} results and {len(sides)} sides")
    scores = [
        parse_result(text, place, side=side, any_score=system == "elo")
        for place, (text, side) in enumerate(zip_longest(results, sides), 1)
    ]
    as_of = as_of or datetime.date.today()
    facts = _facts(system, as_of, born, age, games_before, events_before)
    values = _settings(system, settings or {}, facts, as_of)
    if k is not None and {"k", "k_factor"} & {name.strip().lower() for name in settings or {}}:
        raise UsageError("expected K once, got it as a setting too")
    own = number(rating, "rating")
    if k is not None and system in COMPUTES_K:
        raise UsageError(f"system {system} computes K from {COMPUTES_K[system]}: leave out k")
    if system == "uschess":
        made = _rate_uschess(own, ratings, scores, values, as_of)
    else:
        made = _rate_by_steps(system, own, ratings, scores, values, k, as_of)
    if not names:
        return made
    return replace(made, games=tuple(replace(g, name=n) for g, n in zip(made.games, names, strict=True)))


def _facts(
    system: str,
    as_of: datetime.date,
    born: float | None,
    age: float | None,
    games_before: float | None,
    events_before: float | None,
) -> dict[str, float]:
    """Return what was said of the player as settings of the system."""
    if born is not None and age is not None:
        raise UsageError("expected a year of birth or an age, got both")
    if age is not None:
        born = as_of.year - amount(age, "age")
    given = {"born": born, "games_before": games_before, "events_before": events_before}
    for name, value in given.items():
        if value is not None and name not in ASKED[system]:
            shown = "age" if name == "born" and age is not None else name.replace("_", " ")
            known = ", ".join(ASKED[system]).replace("_", " ") or "nothing of the kind"
            raise UsageError(f"system {system} does not ask for {shown}: it asks for {known}")
    settings = {"born": "born", "games_before": "initial_games", "events_before": "initial_index"}
    return {settings[name]: amount(value, name.replace("_", " ")) for name, value in given.items() if value is not None}


def _settings(system: str, given: Mapping[str, object], facts: Mapping[str, float], as_of: datetime.date) -> Settings:
    """Return every setting of the system: those given, what was said of the player and the day, a settled player's."""
    rules = SYSTEMS[system]
    found = resolve(rules, given, unused=UNUSED, base={"rules": "dated"} if system == "fide" else {})
    doubled = sorted(found.typed & facts.keys())
    if doubled:
        raise UsageError(f"the setting {doubled[0]} and an option say the same: give one of them")
    if "period" in found.typed and found["period"] != "event":
        raise UsageError(f"an event is rated as a whole, not by {found['period']}: leave out --set period=…")
    return settled(rules, as_of_day(rules, found.but(TYPED, facts), as_of))


def gained(k_used: Any, surplus: Any) -> Any:
    """Return the points that so much more than the expected score gives."""
    return k_used * surplus


@called("k")
def given_k(k_given: Any) -> Any:
    return k_given


def _with_k_given(system: System) -> System:
    """Return a system whose K is the setting `k_given`."""
    parameter = Parameter("k_given", 20.0, "K given", "K instead of the rule's", minimum=0.0)
    closing = tuple(given_k if getattr(step, "__name__", "") == "k" else step for step in system.closing)
    return replace(system, parameters=(*system.parameters, parameter), closing=closing)


def event_columns(
    system: System,
    settings: Mapping[str, Any],
    rating: float,
    opponents: Sequence[float],
    scores: Sequence[float],
    as_of: datetime.date,
) -> Columns:
    """Return the columns of a sheet that rates the event as one rating period.

    They are those of each game, numbered, and those of the period's close. `system` is in the form that the settings
    choose. Beside the rule's own columns there is `change 1` and so on for each game, and the sums `period_score` and
    `period_expected`.
    """
    shaped = replace(system, sums=tuple(dict.fromkeys((*system.sums, "score", "expected"))))
    own = {state.name: float(settings[state.initial]) for state in shaped.state} | {"rating": rating}
    own |= {"date": dated(as_of), "year": float(as_of.year)}
    own |= {p.name: float(settings[p.name]) for p in shaped.parameters if p.per_player}
    gaps = [abs(rating - opponent) for opponent in opponents]
    games = [
        {"opponent_rating": opponent, "score": score, "widest": float(gaps.index(max(gaps)) == i), "neutral": 1.0}
        for i, (opponent, score) in enumerate(zip(opponents, scores, strict=True))
    ]
    made = columns_of(Period(shaped, own, games, {}, settings))
    missing = {name for line in made.lines for name in line.reads} - {*made.given, *(line.name for line in made.lines)}
    if missing:
        name = sorted(missing)[0].removesuffix(" 1")
        raise UsageError(f"this form of system {system.name} reads {name!r} of every game, which a list does not give")
    added = []
    known = {line.name for line in made.lines}
    for i in range(1, len(games) + 1):
        if f"delta {i}" in known:
            added.append(Line(f"change {i}", gained, ("k_used", f"delta {i}")))
        elif f"change {i}" not in known:
            added.append(Line(f"change {i}", elo_rules.change, ("k_used", f"score {i}", f"expected {i}")))
    if "period_delta" in known:
        added.append(Line("exact_change", gained, ("k_used", "period_delta")))
    return replace(made, lines=(*made.lines, *added))


def _rate_by_steps(
    name: str,
    rating: float,
    opponents: Sequence[float],
    scores: Sequence[float],
    settings: Settings,
    k: float | None,
    as_of: datetime.date,
) -> EventRating:
    system = find_system(name)
    assert isinstance(system, System)
    shaped = system.shaped(settings)
    values = dict(settings) if k is None else {**settings, "k" if name == "elo" else "k_given": amount(k, "K")}
    if k is not None and name == "fide":
        for fact in sorted(OVERRULED & settings.typed):
            raise UsageError(f"K is given, and {fact} is read for K alone: leave one of them out")
        shaped = _with_k_given(shaped)
    columns = event_columns(shaped, values, rating, opponents, scores, as_of)
    found = computed(columns)
    change = float(found[{"elo": "period_change", "fide": "exact_change", "dwz": "change"}[name]])
    new = float(found["rating_after"])
    games = tuple(
        EventGame(opponent, score, float(found[f"expected {i}"]), float(found[f"change {i}"]))
        for i, (opponent, score) in enumerate(zip(opponents, scores, strict=True), 1)
    )
    return EventRating(
        system=name,
        rating=rating,
        games=games,
        score=float(found["period_score"]),
        expected=float(found["period_expected"]),
        k=float(found["k_used"] if "k_used" in found else found["k_used 1"]),
        change=change,
        rounded_change=float(found["change"]) if name == "fide" else float(round_half_away(change)),
        new=new,
        performance=_performances(name, opponents, scores, settings),
        average_opponent=average_opponent(opponents),
        details={name: float(found[name]) for name in DETAILS if name in found},
        columns=columns,
        notes=(*_remarks(name, settings, as_of), *(settled_notes(settings) if k is None else ())),
    )


def _rate_uschess(
    rating: float,
    opponents: Sequence[float],
    scores: Sequence[float],
    settings: Settings,
    as_of: datetime.date,
) -> EventRating:
    player = uschess.Entrant(
        rating,
        settings["initial_games"],
        settings["initial_one_sided"],
        settings["initial_absolute_floor"],
        settings["initial_peak"],
        settings["assigned_floor"],
    )
    results = uschess.Results(list(range(len(scores))), list(scores))
    factor = uschess.bonus_on(dated(as_of), settings)
    second = uschess.one_pass(player, results, opponents, factor, str(settings["dual_rated"]), False)
    after = uschess.closed(player, results, rating, rating, second)
    special = second.k_used != second.k_used
    games = []
    for opponent, score in zip(opponents, scores, strict=True):
        expected = float(uschess.expected(rating, opponent))
        share = None if special else float(elo_rules.change(second.k_used, score, expected))
        games.append(EventGame(opponent, score, expected, share))
    change = after.rating - rating
    details = {"effective_games": float(second.effective_games), "floor": float(after.floor_used)}
    return EventRating(
        system="uschess",
        rating=rating,
        games=tuple(games),
        score=sum(scores),
        expected=float(second.period_expected),
        k=None if special else float(second.k_used),
        change=change,
        rounded_change=float(round_half_away(change)),
        new=float(after.rating),
        performance=performances(opponents, scores),
        average_opponent=average_opponent(opponents),
        details=details if special else {**details, "bonus": float(second.bonus)},
        columns=None,
        notes=(
            *_remarks("uschess", settings, as_of),
            f"bonus factor B {factor:g}, that of events on {as_of}",
            *settled_notes(settings),
        ),
    )


def _remarks(system: str, settings: Settings, as_of: datetime.date) -> tuple[str, ...]:
    """Return what the result takes for granted."""
    if system == "uschess":
        return (
            f"{settings['initial_games']:g} rated games before; every opponent counts as another player, at the rating "
            "given, where US Chess takes the ratings of its first pass",
        )
    if "rules" not in settings:
        return ()
    of_edition = f" of {settings['rules']}" if system == "dwz" else ""
    if "rules" in settings.typed:
        return (f"the rules{of_edition or ' ' + settings['rules']} as given",)
    return (f"the rules{of_edition} that hold on {as_of} (--as-of DATE for another day)",)


def performances(opponents: Sequence[float], scores: Sequence[float], curve: str = "logistic") -> Performances:
    """Return the performance ratings of an event; `curve` is that of the exact one.

    >>> performances([2700, 2700], [1, 1]).exact is None
    True
    """
    average, games = average_opponent(opponents), len(scores)
    return Performances(
        float(linear_performance(average, scores.count(1), scores.count(0), games)),
        float(table_performance(average, sum(scores), games)),
        exact_performance(opponents, sum(scores), curve),
    )


def _performances(
    system: str, opponents: Sequence[float], scores: Sequence[float], settings: Mapping[str, Any]
) -> Performances:
    """Return the performance ratings of an event, the federation's own among them."""
    found = performances(opponents, scores, str(settings["curve"]) if system == "elo" else "logistic")
    if system != "dwz":
        return replace(found, federation=found.table if system == "fide" else None)
    if settings["expectancy"] == "normal":
        own = dwz_rules.tournament_performance(opponents, sum(scores), float(settings["spread"]))
    else:
        own = None if found.exact is None else float(round_half_away(found.exact))
    return replace(found, federation=own)


def rate_event_log(
    rating: float,
    log: str | Path | BinaryIO,
    *,
    player: str | None = None,
    reading: HowRead | None = None,
    **how: Any,
) -> EventRating:
    """Return what the games of a file do to a rating, as one event: a TRF, PGN or delimited text.

    `player` names whose games they are; it can be left out where a file lists opponents only, or one player plays in
    every game. The opponents' ratings are those of the file; a game without one is left out with a note. `reading` are
    further arguments of `read`, `how` those of `rate_event`; `as_of` is the last day of the games unless it is given,
    and today where they have none. Raises `UnreadableInput` when no game is left.
    """
    from elo_sheets.replaying.journal import journal_games

    found = read([log], player=player or "the player", **(reading or {}))
    if found.kept == 0:
        raise UnreadableInput(": ".join(["no game could be used", *found.notes[-1:]]))
    try:
        name = player or owner(found.games)
    except UsageError:
        raise UsageError(
            "the games are of several players: say whose they are with --player NAME, or leave out the rating to write "
            "the whole event with -o"
        ) from None
    mine = journal_games(found.games, name)
    rated = mine[mine["opponent_rating"].notna()]
    if rated.empty:
        raise UnreadableInput(f"no opponent of {mine['player'].iloc[0]!r} has a rating in this log")
    notes = list(found.notes)
    for opponent in mine.loc[mine["opponent_rating"].isna(), "opponent"]:
        notes.append(f"the game with {opponent} is left out: no rating")
    days = rated["date"].dropna()
    if len(days) and how.get("as_of") is None:
        how["as_of"] = days.max().date()
    notes += _long_notes(rated)
    made = rate_event(
        rating, rated["opponent_rating"].tolist(), rated["score"].tolist(), names=rated["opponent"].tolist(), **how
    )
    return replace(made, notes=(*made.notes, *notes), log=found)


# An event that goes over more days than a month has is likely to be several, or rated in parts.
LONGEST_DAYS = 31


def _long_notes(games: pd.DataFrame) -> list[str]:
    """Return the remark on games that are rated as one event and may not be one: of many weeks, or of several names."""
    days = games["date"].dropna()
    events = sorted({str(name) for name in games["event"] if name}) if "event" in games else []
    told = []
    if len(days) and (days.max() - days.min()).days > LONGEST_DAYS:
        told.append(f"go from {days.min():%Y-%m-%d} to {days.max():%Y-%m-%d}")
    if len(events) > 1:
        told.append(f"are of {len(events)} events ({', '.join(events[:3])}{', …' if len(events) > 3 else ''})")
    if not told:
        return []
    return [
        f"the {len(games)} games {' and '.join(told)}, and are rated as one event, all at the rating before the first: "
        "elo-sheets replay FILE --player NAME --system SYSTEM rates them period by period"
    ]


def event_record(found: EventRating) -> dict[str, Any]:
    """Return an event as its JSON output holds it."""
    return {
        "schema": 1,
        "system": found.system,
        "rating": found.rating,
        "games": [
            {"opponent": g.opponent, "score": g.score, "expected": g.expected, "change": g.change}
            | ({"name": g.name} if g.name else {})
            for g in found.games
        ],
        "score": found.score,
        "expected": found.expected,
        "k": found.k,
        "change": found.change,
        "rounded_change": found.rounded_change,
        "new": found.new,
        "performance": vars(found.performance),
        "average_opponent": found.average_opponent,
        "details": dict(found.details),
        "notes": list(found.notes),
    }
