"""Logs in, a comparison of systems or a fit of settings out: what `compare` and `fit` do."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Unpack

from elo_sheets.errors import UsageError
from elo_sheets.readers import HowRead, Logs, one_by_one, read_for
from elo_sheets.replaying.history import BURN_IN
from elo_sheets.replaying.settings import as_of_games, by_system, resolve
from elo_sheets.replaying.starting import Start, starts, starts_by_system
from elo_sheets.systems import Rules
from elo_sheets.systems import system as find_system
from elo_sheets.team_games import GamesOfSidesError
from elo_sheets.uses.listing import of_list
from elo_sheets.uses.notes import rule_notes
from elo_sheets.uses.prediction import PredictedLogs, compared_from, fit
from elo_sheets.uses.sided import says_sides
from elo_sheets.uses.sided_prediction import predict_sided


def predict_logs(
    logs: Logs,
    *,
    systems: Sequence[str | Rules],
    settings: Mapping[str, object] | None = None,
    ranges: Mapping[str, tuple[float, float]] | None = None,
    burn_in: int = BURN_IN,
    start: Start = None,
    fitting: Callable[[int, float], None] | None = None,
    **how: Unpack[HowRead],
) -> PredictedLogs:
    """Read logs and compare systems on them; with `ranges` the first system is fitted before.

    A setting goes to every system that has it, `glicko2.tau` to that system alone; raises `UsageError` for one that
    none has. `start` says what players start from (see `starts`), under one system as `starts_by_system` says, `how`
    how the logs are read (see `read`). `fitting` is called as the `progress` of `fit`.
    """
    rules = [find_system(name) for name in systems]
    if len({system.name for system in rules}) < len(rules):
        raise UsageError("a system is compared with itself: name each one once")
    logs = one_by_one(logs)
    try:
        own, said = by_system(rules, settings or {})
        begins, shared = starts_by_system(rules, start)
        log = read_for(logs, *(resolve(system, values) for system, values in zip(rules, own, strict=True)), **how)
    except (GamesOfSidesError, UsageError) as error:
        sided = error if isinstance(error, GamesOfSidesError) else says_sides(logs, how)
        if sided is None:
            raise  # a setting that none of the systems has may be one of games of sides
        return predict_sided(sided, logs, rules, settings or {}, ranges or {}, burn_in, start, fitting, how)
    named = [[*values, *(ranges or ())] if at == 0 else [*values] for at, values in enumerate(own)]
    asked = zip(begins, rules, named, strict=True)
    begun = [starts(of_list(start, log.games), system, log.games, names) for start, system, names in asked]
    dated = [as_of_games(system, resolve(system, values), log.games) for system, values in zip(rules, own, strict=True)]
    known = [values for values, _ in dated]
    fitted = None
    if ranges:
        fitted = fit(log.games, rules[0], ranges, known[0], burn_in=burn_in, start=begun[0], progress=fitting)
        known[0] = resolve(rules[0], dict(fitted.settings))
    compared = compared_from(log.games, list(zip(rules, known, strict=True)), begun, burn_in)
    notes = [*log.notes, *said, *shared]
    for system, values, (_, told) in zip(rules, known, dated, strict=True):
        notes += [*told, *rule_notes(system, values, log.games)]
    for system, found in zip(rules, begun, strict=True):
        notes += [f"{system.name}: {note}" if len(rules) > 1 else note for note in found.notes]
    if fitted is not None and fitted.at_the_edge:
        notes.append(f"{', '.join(fitted.at_the_edge)} ends at the edge of the range: widen it")
    return PredictedLogs(log, compared, fitted, notes)


def compare_logs(
    logs: Logs,
    systems: Sequence[str | Rules],
    *,
    settings: Mapping[str, object] | None = None,
    burn_in: int = BURN_IN,
    start: Start = None,
    **how: Unpack[HowRead],
) -> PredictedLogs:
    """Read logs and compare systems on them: see `predict_logs`, and `compare` for what is scored."""
    return predict_logs(logs, systems=systems, settings=settings, burn_in=burn_in, start=start, **how)


def fit_logs(
    logs: Logs,
    ranges: Mapping[str, tuple[float, float]],
    *,
    system: str | Rules = "elo",
    settings: Mapping[str, object] | None = None,
    burn_in: int = BURN_IN,
    start: Start = None,
    **how: Unpack[HowRead],
) -> PredictedLogs:
    """Read logs and find the settings within the ranges that predict best: see `fit`."""
    return predict_logs(logs, systems=[system], ranges=ranges, settings=settings, burn_in=burn_in, start=start, **how)


def comparison_record(done: PredictedLogs) -> dict[str, Any]:
    """Return a comparison as its JSON output holds it."""
    compared = done.compared
    fitted = done.fitted
    return {
        "schema": 1,
        "games": compared.games,
        "scored": compared.scored,
        "burn_in": compared.burn_in,
        "fit": None
        if fitted is None
        else {
            "system": fitted.system,
            "found": dict(fitted.found),
            "log_loss": fitted.log_loss,
            "replays": fitted.evaluations,
            "at_the_edge": list(fitted.at_the_edge),
        },
        "systems": [
            {
                "name": one.system,
                "settings": dict(one.settings),
                "log_loss": one.log_loss,
                "brier_score": one.brier_score,
                "accuracy": one.accuracy,
                "calibration": [dict(b) for b in one.calibration],
                "reason": one.reason,
            }
            for one in compared.systems
        ],
        "ratings": [
            {"player": name, **{one.system: one.ratings.get(name) for one in compared.systems}}
            for name in compared.players
        ],
        **done.log.counts,
        "notes": done.notes,
    }
