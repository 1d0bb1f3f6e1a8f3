"""How well systems predict games of sides before they are played, and the settings that predict best.

A game of two sides is one prediction. A table of many is one for each two of its sides: that the first comes in before
the second, a tie counting half.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from typing import Any

from elo_sheets._late import Array, np, pd
from elo_sheets.errors import UnreadableInput
from elo_sheets.readers import HowRead
from elo_sheets.replaying.settings import by_system, settings_notes
from elo_sheets.replaying.sided import SidedRule, rated_games, replay_sides, resolve_sides
from elo_sheets.replaying.starting import Start, starts_by_system
from elo_sheets.systems import Rules
from elo_sheets.systems.sides import SidedSystem, of_sides
from elo_sheets.team_games import GamesOfSidesError, shape_of, team_players
from elo_sheets.uses.prediction import Compared, PredictedLogs, check_ranges, scored, search
from elo_sheets.uses.sided import of_winners, read_sided_logs, sided_starts
from elo_sheets.uses.sided_forecast import forecasts

States = Mapping[str, Mapping[str, float]]


def predict_sided(
    error: GamesOfSidesError,
    logs: Sequence[Any],
    rules: Sequence[Rules],
    settings: Mapping[str, object],
    ranges: Mapping[str, tuple[float, float]],
    burn_in: int,
    start: Start,
    fitting: Callable[[int, float], None] | None,
    how: HowRead,
) -> PredictedLogs:
    """Compare systems on logs of games of sides; with `ranges` the first is fitted before: see `predict_logs`.

    Raises `UsageError` for a system that has no form for such games.
    """
    systems = [of_sides(one) for one in rules]
    own, said = by_system(systems, settings)
    begins, shared = starts_by_system(rules, start)
    log = read_sided_logs(error, logs, how)
    scores, counted = _meetings(log.games, burn_in)
    notes = [*log.notes, *said, *shared]
    if shape_of(log.games)[0] > 2:
        notes.append("a table of many is scored as each two of its players: who comes in before whom")
    fitted, found = None, []
    for at, (system, given, asked) in enumerate(zip(systems, own, begins, strict=True)):
        winners, told = of_winners(log, system, given)
        notes += [told] if told and told not in notes else []
        _, values = resolve_sides(system, winners)
        begun = sided_starts(asked, system, team_players(log.games), values)
        if ranges and at == 0:
            check_ranges(system, ranges)
            expected = _predictor(log.games, system, begun.states, counted)
            fitted = search(system.base, values, ranges, scores, expected, fitting)
            _, values = resolve_sides(system, {**(winners or {}), **fitted.found})
        table = replay_sides(log.games, system, values, start=begun.states, history=False).ratings
        ratings = dict(zip(table["player"], table["rating"].tolist(), strict=True))
        expected = _predictor(log.games, system, begun.states, counted)
        found.append(scored(system.base.name, values, ratings, scores, expected(values)))
        more = [*settings_notes(system, values), *begun.notes]
        notes += [f"{system.base.name}: {note}" if len(rules) > 1 else note for note in more]
    if fitted is not None and fitted.at_the_edge:
        notes.append(f"{', '.join(fitted.at_the_edge)} ends at the edge of the range: widen it")
    return PredictedLogs(log, Compared(found, log.kept, len(scores), burn_in), fitted, notes)


def _meetings(games: pd.DataFrame, burn_in: int) -> tuple[Array, Array]:
    """Return the score of each two sides that met whose players have all played often enough, and which these are."""
    if games.empty:
        raise UnreadableInput("no game could be used")
    before = games.groupby("player", sort=False).cumcount()
    seasoned = (before >= burn_in).groupby([games["game"], games["side"]]).all().to_dict()
    places = games.groupby(["game", "side"])["place"].first()
    scores, counted = [], []
    for _, own in places.groupby(level="game"):
        for (a, first), (b, second) in combinations(own.items(), 2):
            scores.append((first < second) + (first == second) / 2)
            counted.append(seasoned[a] and seasoned[b])
    mask: Array = np.array(counted, bool)
    if not mask.any():
        raise UnreadableInput(f"no game is left after a burn-in of {burn_in} games a player: say --burn-in with less")
    return np.array(scores, "float64")[mask], mask


def _predictor(
    games: pd.DataFrame, system: SidedSystem, begun: States, counted: Array
) -> Callable[[Mapping[str, Any]], Array]:
    """Return what gives the expected score of each meeting that counts, for settings."""
    names = team_players(games)
    most = max(2, shape_of(games)[0])

    def run(now: Mapping[str, Any]) -> Array:
        rule = SidedRule(system, now, most)
        states = {name: rule.start_of(begun.get(name, {}), name) for name in names}
        expected = [
            chance for _, rows, rated in rated_games(rule, games, states) for chance in forecasts(rule, rows, rated)
        ]
        return np.array(expected, "float64")[counted]

    return run
