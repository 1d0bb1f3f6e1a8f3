"""US Chess ratings over the board: special and standard formula, bonus, floors, and the five steps of a section.

Source: M. E. Glickman and T. Doan, *The US Chess Rating System*, version of 6 April 2026 (matches: version of
2 September 2020). A section of an event is rated as a whole:

1. collect the section's games;
2. give every newcomer a start value (`start_from_age`, `start_from_fide`);
3. give every newcomer a trial rating by the special formula, his start value counting as one game; it only stands for
   him where his opponents are rated;
4. rate everybody against the ratings before the section;
5. rate everybody again from his rating before the section, now against the results of step 4. Then floors apply.

The *special formula* rates a player of at most 8 games, and one whose games so far were all won, or all lost: it finds
the rating at which an expectancy that is linear within 400 points gives the score. The *standard formula* rates
everybody else: R' = R + K (S - E), and a bonus for what exceeds B times the square root of the games.

Reproduces, player by player, the published section 5 of event 202608300103, the published examples of K and of
effective games, and the member whose 3-0 took 554.22 to 656.85. The tests tell how to check a further section, with a
newcomer, and Quick ratings.

Deviations: see `DEVIATIONS`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from elo_sheets._late import np, pd
from elo_sheets.errors import UsageError
from elo_sheets.ops import both, clip, either, floor, maximum, minimum, round_half_away, same, sign, sqrt, where
from elo_sheets.shipped import shipped_data
from elo_sheets.systems._facts import EXPECTED, K_USED
from elo_sheets.systems._system import (
    EXCEL_EPOCH,
    JointSystem,
    Parameter,
    PeriodGames,
    State,
    Value,
    games_parameter,
    needs,
    period_parameter,
)
from elo_sheets.systems._tables import dated
from elo_sheets.systems.elo import games_after

SOURCE = "M. E. Glickman and T. Doan, The US Chess Rating System, version of 6 April 2026"
SOURCE_2020 = "M. E. Glickman and T. Doan, The US Chess Rating System, version of 2 September 2020"

DEVIATIONS = (
    "A newcomer enters with `initial`, or with the rating that is given: the log holds neither age nor FIDE "
    "rating, from which `start_from_age` and `start_from_fide` give the start value.",
    "An event without a date is rated with today's B.",
    "Of bonuses before June 2015 the last B, 10, stands for all: it was 8 before 2014, and the first day of 10 was not "
    "found.",
    "An event of two players is rated like any other unless `matches` is yes: the log does not say what is a match. "
    "Matches then follow the text of 2020, that of 2026 was not seen: they are rated in the five steps without a "
    "bonus, with the limit before the floors; one that may not be rated leaves both players as they were.",
    "A player with more than 25 games whose peak is not given has the rating as the peak.",
    "Floors that the office assigns (titles, prizes) do not follow from the games: they are a setting of the player.",
)

# The lowest rating there is, and the highest that the special formula gives.
LOWEST = 100.0
SPECIAL_CEILING = 2700.0
# The special formula rates players of at most so many games; more than 25 games make a rating established.
SPECIAL_GAMES = 8
ESTABLISHED_GAMES = 25
# An event of at least 3 games counts for the bonus and the absolute floor.
FULL_EVENT = 3

# Start values of newcomers of unknown age: adults, and others.
ADULT_START = 1300.0
YOUTH_START = 750.0

MATCH_GAP = 400.0
MATCH_LIMIT = 50.0

# A sum of expectancies this near to the score is the score.
EXACT = 1e-9
NAN = float("nan")


# --- start values


def start_from_age(age: Any) -> Any:
    """Return the start value of a newcomer by his age in years: 50 a year, from 100 to 1300.

    Where the age is not known it is `ADULT_START` or `YOUTH_START`.

    >>> [start_from_age(age) for age in (1, 10, 6.3, 30)]
    [100, 500, 315.0, 1300]
    """
    return clip(50 * age, 100, 1300)


def start_from_fide(fide: Any) -> Any:
    """Return the start value of a newcomer with a FIDE rating, by the conversion since March 2024.

    >>> round(start_from_fide(1500), 2), start_from_fide(2200)
    (1277.05, 2264.0)
    """
    return where(fide <= 2000, -1073 + 1.5667 * fide, 20 + 1.02 * fide)


# --- effective games and the standard formula


def full_games(rating: Any) -> Any:
    return where(rating <= 2355, 50 / sqrt(0.662 + 0.00000739 * (2569 - rating) ** 2), 50)


def effective_games(games: Any, full_games: Any) -> Any:
    return minimum(games, full_games)


def base_k(effective_games: Any, period_games: Any) -> Any:
    return 800 / (effective_games + period_games)


def dual_factor(rating: Any, dual_rated: Any) -> Any:
    """Return the share of K in a dual-rated time control: less above 2200, a quarter from 2500 on."""
    return where(same(dual_rated, "yes"), clip(6.5 - 0.0025 * rating, 0.25, 1), 1)


@K_USED
def k_used(base_k: Any, dual_factor: Any) -> Any:
    return base_k * dual_factor


@EXPECTED
def expected(rating: Any, opponent_rating: Any) -> Any:
    return 1 / (1 + 10 ** ((opponent_rating - rating) / 400))


def gain(k_used: Any, period_score: Any, period_expected: Any) -> Any:
    return k_used * (period_score - period_expected)


def earlier_bonus_factor(
    date: Any, bonus_earlier: Any, bonus_2015: Any, bonus_2017: Any, bonus_2015_from: Any, bonus_2017_from: Any
) -> Any:
    """Return the bonus factor of an event before 2023."""
    return where(date >= bonus_2017_from, bonus_2017, where(date >= bonus_2015_from, bonus_2015, bonus_earlier))


def bonus_factor(
    date: Any, earlier_bonus_factor: Any, bonus_2023: Any, bonus_2025: Any, bonus_2023_from: Any, bonus_2025_from: Any
) -> Any:
    later = where(date >= bonus_2023_from, bonus_2023, earlier_bonus_factor)
    return where(either(date >= bonus_2025_from, date <= 0), bonus_2025, later)


def bonus_on(date: Any, settings: Mapping[str, Value]) -> Any:
    """Return the bonus factor of events on a day, a serial number; 0 is an unknown day.

    >>> from datetime import date as day
    >>> bonus_on(dated(day(2016, 1, 1)), USCHESS.settings())
    12.0
    """
    earlier = earlier_bonus_factor(date, *(settings[name] for name in needs(earlier_bonus_factor)[1:]))
    return bonus_factor(date, earlier, *(settings[name] for name in needs(bonus_factor)[2:]))


def bonus_allowed(period_games: Any, most_often: Any) -> Any:
    """Return whether there may be a bonus: `most_often` is how often the player met the opponent he met most."""
    return both(period_games >= FULL_EVENT, most_often <= where(same(period_games, FULL_EVENT), 1, 2))


def bonus(gain: Any, bonus_factor: Any, period_games: Any, bonus_allowed: Any) -> Any:
    return where(bonus_allowed, maximum(0, gain - bonus_factor * sqrt(maximum(period_games, 4))), 0)


def standard_rating(rating: Any, gain: Any, bonus: Any) -> Any:
    return rating + gain + bonus


# --- the special formula


def linear_expected(rating: Any, opponent_rating: Any) -> Any:
    return clip(0.5 + (rating - opponent_rating) / 800, 0, 1)


def prior_opponent(rating: Any, one_sided: Any) -> Any:
    """Return the rating against which the special formula lets the earlier games have been played."""
    return rating - 400 * sign(one_sided)


def prior_score(effective_games: Any, one_sided: Any) -> Any:
    """Return the score that the earlier games count with: half, or all or none where all were won or lost."""
    return effective_games * (1 + sign(one_sided)) / 2


def special_rating(
    rating: float, effective_games: float, opponents: Sequence[float], score: float, one_sided: float = 0
) -> float:
    """Return the rating after games by the special formula, at most 2700; no floor applies yet.

    `one_sided` is 1 if all earlier games were won, -1 if all were lost, else 0. The sum of linear expectancies rises
    with the rating in straight pieces; where it equals the score over a whole stretch, as it does for a newcomer who
    won every game, the point of the stretch that is nearest to `rating` is taken.

    >>> round(special_rating(1500, 6, [1400, 1550, 1650], 1.5), 1)
    1511.1
    >>> special_rating(500, 0, [400] * 4, 4), special_rating(1000, 0, [400] * 4, 4)
    (800.0, 1000.0)
    """
    before = prior_opponent(rating, one_sided)
    target = score + prior_score(effective_games, one_sided)

    def excess(at: float) -> float:
        total = effective_games * linear_expected(at, before) + sum(linear_expected(at, other) for other in opponents)
        found = float(total - target)
        return 0.0 if abs(found) < EXACT else found

    knots = sorted({other + side for other in (before, *opponents) for side in (-400.0, 400.0)})
    heights = [excess(knot) for knot in knots]
    low = next((at for at, height in enumerate(heights) if height >= 0), len(knots))
    high = next((at for at, height in enumerate(heights) if height > 0), len(knots))
    if low == high and 0 < low < len(knots):
        rise = heights[low] - heights[low - 1]
        first = last = knots[low] - heights[low] * (knots[low] - knots[low - 1]) / rise
    else:
        first = knots[low] if low > 0 else -float("inf")
        last = knots[high - 1] if high < len(knots) else float("inf")
    return float(min(clip(rating, first, last), SPECIAL_CEILING))


# --- floors and what a player carries on


def absolute_floor_after(absolute_floor: Any, period_wins: Any, period_draws: Any, full_events: Any) -> Any:
    return minimum(150, absolute_floor + 4 * period_wins + 2 * period_draws + full_events)


def hundreds_below(peak: Any) -> Any:
    return 100 * floor((round_half_away(peak) - 200) / 100)


def established_floor(hundreds_below: Any) -> Any:
    """Return the floor that a peak leaves; 0 where it leaves none."""
    return where(hundreds_below < 1200, 0, minimum(hundreds_below, 2100))


def floor_used(absolute_floor_after: Any, established_floor: Any, assigned_floor: Any) -> Any:
    return maximum(LOWEST, maximum(absolute_floor_after, maximum(established_floor, assigned_floor)))


def floor_from_peak(peak: float) -> float | None:
    """Return the floor of the highest established rating, or None where only the absolute floor holds.

    >>> floor_from_peak(1941), floor_from_peak(1388)
    (1700.0, None)
    """
    found = established_floor(hundreds_below(peak))
    return float(found) if found else None


def all_won(one_sided: Any, games: Any, period_games: Any, period_wins: Any) -> Any:
    return both(same(period_wins, period_games), either(same(games, 0), one_sided > 0))


def all_lost(one_sided: Any, games: Any, period_games: Any, period_losses: Any) -> Any:
    return both(same(period_losses, period_games), either(same(games, 0), one_sided < 0))


def one_sided_after(all_won: Any, all_lost: Any) -> Any:
    return where(all_won, 1, where(all_lost, -1, 0))


def peak_after(peak: Any, games_after: Any, rating_after: Any) -> Any:
    return where(games_after > ESTABLISHED_GAMES, maximum(peak, rating_after), peak)


# --- a section


class Entrant(NamedTuple):
    """A player before a section.

    `games` is the number of rated games before it, 0 for a newcomer, whose `rating` is his start value. `one_sided` is
    1 if they were all won, -1 if all were lost. `absolute_floor` is what his games have earned him so far, `peak` his
    highest established rating (0: none), `assigned_floor` one that the office gave him (0: none).
    """

    rating: float
    games: float = 0
    one_sided: float = 0
    absolute_floor: float = LOWEST
    peak: float = 0
    assigned_floor: float = 0


class Rated(NamedTuple):
    """A player after a section, and how he got there.

    `trial` is the rating that his opponents met in step 4, `first_pass` the one that they met in step 5. `k_used` and
    `bonus` are NaN where the special formula rates, and all that follows `first_pass` where no game was rated.
    """

    rating: float
    games: float
    one_sided: float
    absolute_floor: float
    peak: float
    trial: float
    first_pass: float
    effective_games: float = NAN
    k_used: float = NAN
    period_score: float = NAN
    period_expected: float = NAN
    bonus: float = NAN
    floor_used: float = NAN


class Results(NamedTuple):
    """What a player scored in a section, and against whom (as numbers), game by game."""

    opponents: list[int]
    scores: list[float]

    @property
    def most_often(self) -> int:
        """How often he met the opponent whom he met most."""
        return max(map(self.opponents.count, self.opponents), default=0)


class Pass(NamedTuple):
    """One player's rating against given ratings of his opponents, before floors other than 100."""

    rating: float
    effective_games: float
    k_used: float
    period_expected: float
    bonus: float


def rate_section(
    players: Sequence[Entrant],
    games: Sequence[tuple[int, int, float]],
    *,
    bonus_factor: float = 10,
    dual_rated: str = "no",
    match: bool = False,
) -> list[Rated]:
    """Return every player after a section of an event.

    A game is (number of one player, number of the other, score of the first); byes and forfeits are no games.
    `bonus_factor` is the B of the event's date. `dual_rated` is "yes" for the Regular rating of time controls of 30 to
    65 minutes. A `match` of two players has no bonus and moves a rating by at most 50; it is rated only if both are
    established and at most 400 points apart. A player without a game stays as he was. Raises `UsageError` for a match
    that is not of two players.

    >>> before = (554.22, 445.28, 124, 572.53, 174.54, 202.66)
    >>> players = [Entrant(rating, games=30) for rating in before]
    >>> games = [(0, 3), (0, 1), (0, 5), (1, 4), (1, 3), (2, 5), (4, 2), (3, 4)]
    >>> after = rate_section(players, [(winner, loser, 1) for winner, loser in games])
    >>> [round(player.rating, 2) for player in after]
    [656.85, 500.21, 133.82, 514.33, 188.04, 148.72]
    """
    results = [Results([], []) for _ in players]
    for one, other, score in games:
        results[one].opponents.append(other)
        results[one].scores.append(score)
        results[other].opponents.append(one)
        results[other].scores.append(1 - score)
    if match and not match_counts(players):
        results = [Results([], []) for _ in players]

    def against(values: Sequence[float]) -> list[Pass]:
        return [
            one_pass(player, found, [values[other] for other in found.opponents], bonus_factor, dual_rated, match)
            for player, found in zip(players, results, strict=True)
        ]

    starts = [player.rating for player in players]
    trials = [
        trial_rating(player, [starts[other] for other in found.opponents], found.scores)
        for player, found in zip(players, results, strict=True)
    ]
    firsts = [first.rating for first in against(trials)]
    return [
        closed(player, found, trial, first, second)
        for player, found, trial, first, second in zip(players, results, trials, firsts, against(firsts), strict=True)
    ]


def match_counts(players: Sequence[Entrant]) -> bool:
    """Return whether a match between the two players may be rated."""
    if len(players) != 2:
        raise UsageError(f"expected two players in a match, got {len(players)}")
    one, other = players
    return min(one.games, other.games) > ESTABLISHED_GAMES and abs(one.rating - other.rating) <= MATCH_GAP


def trial_rating(player: Entrant, opponents: Sequence[float], scores: Sequence[float]) -> float:
    """Return what stands for a player in step 4: his rating, or a newcomer's trial rating."""
    if player.games > 0 or not scores:
        return player.rating
    return max(LOWEST, special_rating(player.rating, 1, opponents, sum(scores)))


def one_pass(
    player: Entrant,
    results: Results,
    opponents: Sequence[float],
    bonus_factor: float,
    dual_rated: str,
    match: bool,
) -> Pass:
    """Return a player's rating by the formula that is his, never below 100."""
    rating, count, score = player.rating, len(results.scores), sum(results.scores)
    effective = effective_games(player.games, full_games(rating))
    total = sum(expected(rating, other) for other in opponents)
    if player.games <= SPECIAL_GAMES or player.one_sided:
        new = special_rating(rating, effective, opponents, score, player.one_sided)
        k = extra = NAN
    else:
        k = k_used(base_k(effective, count), dual_factor(rating, dual_rated))
        won = gain(k, score, total)
        allowed = not match and bonus_allowed(count, results.most_often)
        extra = bonus(won, bonus_factor, count, allowed)
        new = standard_rating(rating, won, extra)
    if match:
        new = clip(new, rating - MATCH_LIMIT, rating + MATCH_LIMIT)
    return Pass(max(LOWEST, new), effective, k, total, extra)


def closed(player: Entrant, results: Results, trial: float, first: float, second: Pass) -> Rated:
    """Return a player after step 5, with his floors applied."""
    scores = results.scores
    if not scores:
        return unrated(player)
    count, wins, draws, losses = len(scores), scores.count(1), scores.count(0.5), scores.count(0)
    earned = absolute_floor_after(player.absolute_floor, wins, draws, count >= FULL_EVENT)
    peak = peak_after(player.peak, player.games, player.rating)
    lowest = floor_used(earned, established_floor(hundreds_below(peak)), player.assigned_floor)
    new = max(second.rating, lowest)
    games = games_after(player.games, count)
    return Rated(
        rating=new,
        games=games,
        one_sided=one_sided_after(
            all_won(player.one_sided, player.games, count, wins),
            all_lost(player.one_sided, player.games, count, losses),
        ),
        absolute_floor=earned,
        peak=peak_after(peak, games, new),
        trial=trial,
        first_pass=first,
        effective_games=second.effective_games,
        k_used=second.k_used,
        period_score=sum(scores),
        period_expected=second.period_expected,
        bonus=second.bonus,
        floor_used=lowest,
    )


def unrated(player: Entrant) -> Rated:
    """Return a player as he was before the section: no game of his is rated."""
    return Rated(*player[:5], trial=player.rating, first_pass=player.rating)


# --- the replay's view

_BONUS = shipped_data("systems/uschess.toml")


def _bonus_parameters() -> Iterator[Parameter]:
    """Yield the bonus factors, the earliest first, then the first days of all but that."""
    earlier, changes = _BONUS["earlier"], _BONUS["change"]
    ends = [change["first_day"] for change in changes]
    said = f"bonus factor before {ends[0]}"
    yield Parameter("bonus_earlier", float(earlier["b"]), "B before", said, minimum=0.0, source=earlier["source"])
    for change, end in zip(changes, [*ends[1:], None], strict=True):
        year, held = change["first_day"].year, f"until {end}" if end else "since then"
        said = f"bonus factor from {change['first_day']}, {held}"
        yield Parameter(
            f"bonus_{year}", float(change["b"]), f"B of {year}", said, f"B_{year}", minimum=0.0, source=change["source"]
        )
    for change in changes:
        year = change["first_day"].year
        yield Parameter(
            f"bonus_{year}_from",
            dated(change["first_day"]),
            f"B of {year} from",
            f"first day of events with the B of {year}",
            f"B_{year}_from",
            is_date=True,
            source=change["source"],
        )


def rate(players: Mapping[str, Any], games: PeriodGames, settings: Mapping[str, Value]) -> dict[str, np.ndarray]:
    """Return every player's states after a section, and the columns that tell how he got there."""
    entrants = [Entrant(*row) for row in zip(*(players[name].tolist() for name in Entrant._fields), strict=True)]
    rated = rate_section(
        entrants,
        list(zip(games.white.tolist(), games.black.tolist(), games.score.tolist(), strict=True)),
        bonus_factor=bonus_on(float(games.date.max()), settings),
        dual_rated=str(settings["dual_rated"]),
        match=settings["matches"] == "yes" and len(entrants) == 2,
    )
    found = {
        name: np.array(column, "float64") for name, column in zip(Rated._fields, zip(*rated, strict=True), strict=True)
    }
    return {f"{name}_after" if name in players else name: column for name, column in found.items()}


def bonus_remarks(games: pd.DataFrame, settings: Mapping[str, Value]) -> list[str]:
    """Return the remark that says which B held for how many games, by their days."""
    days = ((games["date"] - pd.Timestamp(EXCEL_EPOCH)) / pd.Timedelta(days=1)).fillna(0.0).to_numpy()
    values, counts = np.unique(bonus_on(days, settings), return_counts=True)
    if not len(values):
        return []
    held = ", ".join(f"{value:g} in {count}" for value, count in zip(values, counts, strict=True))
    return [f"uschess: bonus factor B by the day of the game: {held} of {len(games)} games"]


def forecast(players: Mapping[str, Any], games: PeriodGames, settings: Mapping[str, Value]) -> np.ndarray:
    """Return White's expected scores from the ratings before the section; a newcomer's is his start value."""
    ratings = players["rating"]
    found: np.ndarray = expected(ratings[games.white], ratings[games.black])
    return found


USCHESS = JointSystem(
    name="uschess",
    title="US Chess",
    about="a section of an event as a whole, in two passes; special and standard formula, bonus, floors",
    sources=(SOURCE, SOURCE_2020),
    deviations=DEVIATIONS,
    parameters=(
        Parameter(
            "initial",
            ADULT_START,
            "Start value",
            "rating of a newcomer before the first event: by age or FIDE rating; 1300 for an adult of unknown age, 750 "
            "for others",
            minimum=LOWEST,
            source=SOURCE,
        ),
        games_parameter("rated games before the first one here; 0: a newcomer"),
        Parameter(
            "initial_one_sided",
            0.0,
            "One-sided before",
            "1 if all rated games before the first one here were won, -1 if all were lost, else 0",
            "Initial_one_sided",
            minimum=-1.0,
        ),
        Parameter(
            "initial_absolute_floor",
            LOWEST,
            "Absolute floor before",
            "100, and 4 for each win, 2 for each draw and 1 for each event of three games so far; at most 150",
            "Initial_absolute_floor",
            minimum=LOWEST,
            source=SOURCE,
        ),
        Parameter(
            "initial_peak",
            0.0,
            "Peak before",
            "highest established rating before the first event here; 0: none",
            "Initial_peak",
            minimum=0.0,
        ),
        Parameter(
            "assigned_floor",
            0.0,
            "Assigned floor",
            "floor that the office gave the player, for a title or a prize; 0: none",
            minimum=0.0,
            per_player=True,
        ),
        Parameter(
            "dual_rated",
            "no",
            "Dual-rated",
            "yes: the Regular rating of time controls of 30 to 65 minutes, with a smaller K above 2200",
            choices=("no", "yes"),
            source=SOURCE,
        ),
        Parameter(
            "matches",
            "no",
            "Matches",
            "yes: an event of two players is a match: both established and within 400 points, no bonus, 50 points at "
            "most",
            choices=("no", "yes"),
            source=SOURCE_2020,
        ),
        *_bonus_parameters(),
        period_parameter("event"),
    ),
    publishes_ratings=True,
    # As many as the effective games of the standard formula can be.
    settled={"initial_games": 50.0},
    state=(
        State("rating", "initial"),
        State("games", "initial_games"),
        State("one_sided", "initial_one_sided"),
        State("absolute_floor", "initial_absolute_floor"),
        State("peak", "initial_peak"),
    ),
    columns=(
        "trial",
        "first_pass",
        "effective_games",
        "k_used",
        "period_score",
        "period_expected",
        "bonus",
        "floor_used",
    ),
    rate=rate,
    forecast=forecast,
    remarks=bonus_remarks,
    steps=(
        full_games,
        effective_games,
        base_k,
        dual_factor,
        k_used,
        expected,
        gain,
        earlier_bonus_factor,
        bonus_factor,
        bonus_allowed,
        bonus,
        standard_rating,
        linear_expected,
        prior_opponent,
        prior_score,
        absolute_floor_after,
        hundreds_below,
        established_floor,
        floor_used,
        games_after,
        all_won,
        all_lost,
        one_sided_after,
        peak_after,
    ),
    labels={
        "full_games": "N*",
        "effective_games": "N'",
        "base_k": "K before dual rating",
        "dual_factor": "Share of K",
        "k_used": "K",
        "games": "Games before",
        "earlier_bonus_factor": "B before 2023",
        "bonus_factor": "B",
        "bonus_allowed": "Bonus allowed",
        "linear_expected": "Linear expectancy",
        "prior_opponent": "Earlier games against",
        "prior_score": "Earlier games' score",
        "trial": "Trial rating",
        "first_pass": "First pass",
        "period_score": "Section score",
        "period_expected": "Section expectancy",
        "floor_used": "Floor",
        "established_floor": "Floor by peak",
        "hundreds_below": "Hundred below peak",
        "one_sided": "One-sided",
        "one_sided_after": "One-sided after",
    },
)
