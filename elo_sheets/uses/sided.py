"""Logs of doubles, teams and tables of many: read, rated and explained, for the verbs that take them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from elo_sheets._late import pd
from elo_sheets.errors import EloSheetsError, UsageError
from elo_sheets.games import identity, make_games
from elo_sheets.readers import HowRead, how_of, read
from elo_sheets.readers._names import usual_case
from elo_sheets.readers._until import games_after
from elo_sheets.readers.names_map import NamesMap, asked, read_names, renamed, spellings_said
from elo_sheets.readers.sided import read_sided
from elo_sheets.replaying.settings import Settings, called, settings_notes
from elo_sheets.replaying.sided import resolve_sides
from elo_sheets.replaying.starting import Start, Starts, starts
from elo_sheets.systems import Rules, System
from elo_sheets.systems.sides import SidedSystem, has_form, of_sides
from elo_sheets.team_games import GamesOfSidesError, TeamGamesRead, make_team_games, team_players
from elo_sheets.uses.listing import of_list

# What says how a log is read and has no meaning for games of sides, and why.
NO_USE = {
    "pool": "--pool picks the games of one pool, of which games of teams or of many have none: leave it out",
    "reader": "--reader is for games of two players: a log of teams or of many is read by its columns (--map)",
}


def read_sided_logs(
    error: GamesOfSidesError, logs: Sequence[Any], how: HowRead, unplayed: bool = False
) -> TeamGamesRead:
    """Return the games of logs of which `error` says that the first holds games of sides; see `read_sided`.

    A game that two logs tell of is counted once unless `keep_duplicates`, and names that differ in case or accents of
    spelling alone are one. Raises `UsageError` for what cannot be asked of such logs, and for other logs beside them.
    """
    for name, reason in NO_USE.items():
        if how.get(name) is not None:
            raise UsageError(reason)
    tables, further = list(error.tables), list(error.notes)
    for log in logs[1:]:
        try:
            read([log], **{name: value for name, value in how.items() if name != "progress"})  # type: ignore[arg-type]
        except GamesOfSidesError as other:
            tables += other.tables
            further += other.notes
        else:
            raise UsageError("some of the logs hold games of teams or of many and some do not: read them one by one")
    found = read_sided(tables, how_of(how)[0], unplayed)
    games, notes = _one_name(found.games, how.get("names"))
    usual, cases = usual_case({name: int((games["player"] == name).sum()) for name in team_players(games)})
    games = games.assign(player=games["player"].replace(usual))
    notes = [*further, *found.notes, *notes, *cases]
    if len(tables) > 1 and not how.get("keep_duplicates"):
        games, twice = _once(games)
        stand = "1 game stands" if twice == 1 else f"{twice} games stand"
        notes += [f"{stand} in more than one log: each is counted once"] if twice else []
    log = TeamGamesRead(games, found.problems, notes)
    return log if how.get("until") is None else _until(log, how["until"])


def _one_name(games: pd.DataFrame, names: str | Path | NamesMap | None) -> tuple[pd.DataFrame, list[str]]:
    """Return the games under the names that are known, and remarks; what is open is asked in their file.

    A game in which one player would then play twice keeps the spellings of its log.
    """
    if names is None:
        return games, []
    known = names if isinstance(names, NamesMap) else read_names(names)
    found, changed = renamed(games, known, {})
    twice = found.groupby("game")["player"].transform(lambda column: column.map(identity).duplicated().any())
    notes = [spellings_said(changed, known)] if changed else []
    if twice.any():
        found["player"] = found["player"].mask(twice, games["player"])
        row = games[twice].iloc[0]
        notes.append(
            f"names that are one player by {known.told_by} play in one game ({row['source']}, row "
            f"{row['source_row']}): there they stay as they are spelt"
        )
    return found, [*notes, *asked(found, team_players(found), known, {})]


def _once(games: pd.DataFrame) -> tuple[pd.DataFrame, int]:
    """Return the games without those of a known day that another log has told of, and how many these were."""
    seen: dict[Any, str] = {}
    left_out = set()
    for number, rows in games.groupby("game", sort=False):
        day, source = rows["date"].iloc[0], rows["source"].iloc[0]
        key = (day, *sorted(zip(rows["player"], rows["place"], rows["points"].fillna(-1), strict=True)))
        if day == day and seen.setdefault(key, source) != source:
            left_out.add(number)
    kept = games[~games["game"].isin(left_out)]
    return make_team_games(kept.to_dict("records")) if left_out else games, len(left_out)


def _until(log: TeamGamesRead, until: Any) -> TeamGamesRead:
    late, problems, notes = games_after(log.games, until)
    kept = make_team_games(log.games[~late].to_dict("records"))
    return TeamGamesRead(kept, [*log.problems, *problems], [*log.notes, *notes])


def error_of_sides(logs: Sequence[Any], how: HowRead) -> GamesOfSidesError | None:
    """Return what says that logs hold games of sides, None for games of two players."""
    try:
        read(logs, **how)
    except GamesOfSidesError as error:
        return error
    return None


def says_sides(logs: Sequence[Any], how: HowRead) -> GamesOfSidesError | None:
    """Return what says that logs hold games of sides, None for other logs and those that cannot be read."""
    with suppress(EloSheetsError):
        return error_of_sides(logs, how)
    return None


def asked_of_sides(
    logs: Sequence[Any], rules: Rules, settings: Mapping[str, object] | None, how: HowRead
) -> GamesOfSidesError | None:
    """Return what says that the logs hold games of sides, where a setting is given that only these have.

    Raises `UsageError` where they do not.
    """
    if not settings or not isinstance(rules, System) or not has_form(rules):
        return None
    unknown = [name for name in settings if called(rules, name) is None]
    try:
        own = [name for name in unknown if called(of_sides(rules), name)]
    except UsageError:  # the system has no such form, which says nothing of a misspelt setting
        return None
    if not own:
        return None
    if (error := error_of_sides(logs, how)) is not None:
        return error
    raise UsageError(f"setting {own[0]} is for games of teams or of many, and the log has games of two: leave it out")


@dataclass(frozen=True)
class OfSides:
    """Logs that hold games of sides, as `error` says, and how they are to be rated; no logs where it is None."""

    error: GamesOfSidesError | None
    logs: Sequence[Any]
    rules: Rules
    settings: Mapping[str, object] | None
    start: Start
    how: HowRead

    def read(self) -> tuple[TeamGamesRead, SidedSystem, Settings]:
        """Return the log, the rule's form for games of sides, and its settings."""
        system, values = resolve_sides(self.rules, self.settings)  # what cannot be is said before a log is read
        if self.error is None:
            return TeamGamesRead(make_team_games([])), system, values
        log = read_sided_logs(self.error, self.logs, self.how)
        return log, *rule_of_log(log, self.rules, self.settings)

    def load(self) -> tuple[TeamGamesRead, SidedSystem, Settings, Starts, list[str]]:
        """Return what `read` does, what the players start from, and remarks."""
        log, system, values = self.read()
        found = sided_starts(self.start, system, team_players(log.games), values)
        return log, system, values, found, [*log.notes, *settings_notes(system, values), *found.notes]


def rule_of_log(
    log: TeamGamesRead, rules: Rules, settings: Mapping[str, object] | None
) -> tuple[SidedSystem, Settings]:
    """Return a rule's form for games of sides, and its settings for a log, which gets the remark of `of_winners`."""
    settings, said = of_winners(log, rules, settings)
    if said:
        log.notes.append(said)
    return resolve_sides(rules, settings)


def of_winners(
    log: TeamGamesRead, rules: Rules, settings: Mapping[str, object] | None
) -> tuple[Mapping[str, object] | None, str]:
    """Return settings by which the winner takes from all where a log tells no more than who won, and the remark on it.

    A setting that is given, and a system without that rule, stay as they are.
    """
    own = {parameter.name for parameter in of_sides(rules).parameters} if isinstance(rules, System) else set()
    asked = {called(rules, name) or name for name in settings or {}}
    if "table_rule" not in own or "table_rule" in asked or not _only_winners(log.games):
        return settings, ""
    return (
        {**(settings or {}), "table_rule": "winner"},
        "each of the others is rated against the winner alone (table_rule=winner), as the log tells no more",
    )


def _only_winners(games: pd.DataFrame) -> bool:
    """Whether all games of three sides or more have one winner, and all others in the second place."""
    sides = games.groupby("game")["side"].nunique()
    many = games[games["game"].isin(sides[sides > 2].index)]
    if many.empty or not many["points"].isna().all() or not many["place"].isin((1.0, 2.0)).all():
        return False
    return bool((many[many["place"] == 1].groupby("game")["side"].nunique() == 1).all())


def sided_starts(start: Start, system: SidedSystem, names: Sequence[str], values: Settings) -> Starts:
    """Return what the players of games of sides start from; such logs publish no ratings."""
    if start == "log":
        raise UsageError("logs of games of teams or of many publish no ratings: leave out --start log")
    pairs = zip(names, [*names[1:], *names[:1]], strict=True)
    rows = ({"white": a, "black": b, "score": 1, "source": "log", "source_row": 1} for a, b in pairs if a != b)
    games = make_games(rows)
    return starts(of_list(start, games), system, games, values.typed)
