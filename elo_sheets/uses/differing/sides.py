"""One of the two books or logs, and its games as they are compared."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from elo_sheets._late import pd
from elo_sheets.games import COLUMNS, OTHER, RESULTS, GamesRead, identity, players
from elo_sheets.systems import GAME_INPUTS, JointSystem, Rules, System
from elo_sheets.team_games import TeamGamesRead

LOG, LEAGUE, JOURNAL, EVENT = "log", "league", "journal", "event"

# The key of a journal's owner: a name that nobody can have.
OWNER = "\0owner"


class Game(NamedTuple):
    """One rated game of a side; `white` and `black` are keys of players, `details` what else the rule reads of it."""

    number: int
    day: str
    white: str
    black: str
    score: float
    details: tuple[tuple[str, Hashable], ...]
    white_name: str
    black_name: str
    source: str
    source_row: int

    @property
    def meeting(self) -> tuple[str, str, str]:
        """Who met on which day, with colours."""
        return self.day, self.white, self.black

    @property
    def whole(self) -> Hashable:
        """All that is compared."""
        return self.day, self.white, self.black, self.score, self.details

    @property
    def result(self) -> str:
        """How it ended, as a person reads it; at a table of many the places, of a bye or forfeit what stands there."""
        told = dict(self.details)
        places, other = told.get("places"), told.get("result")
        return f"places {places}" if places else str(other) if other else RESULTS[self.score]

    def __str__(self) -> str:
        names = f"{self.white_name or '(no name)'} – {self.black_name or '(no name)'}"
        number = dict(self.details).get("round")
        when = self.day or (f"round {number:g}" if isinstance(number, float) else "(no date)")
        return f"{when} {names} {self.result}"


@dataclass(frozen=True)
class Side:
    """One of the two books or logs.

    `log` holds the rated games in the order in which they are rated, and the rows kept out. `start` gives the players
    whom a pool lists the states and settings of their own that they start from, as far as they are not the settings'.
    `player` is a journal's owner.
    """

    name: str
    kind: str
    system: Rules
    settings: Mapping[str, Any]
    log: GamesRead | TeamGamesRead
    start: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    player: str | None = None

    @cached_property
    def keys(self) -> dict[str, str]:
        """What each player's name is compared by: its `identity`, unless another name shares it."""
        found = {} if self.player is None else {self.player: OWNER}
        taken: dict[str, str] = {}
        for name in (*players(self.log.games), *self.start):
            key = identity(name)
            alone = taken.setdefault(key, name.lower()) == name.lower()
            found.setdefault(name, key if alone else f"{key}\0{name}")
        return found

    def start_of(self, key: str) -> float | None:
        """Return what a player starts from, None where the rule has no start."""
        states = getattr(self.system, "state", ())
        initial = next((state.initial for state in states if state.name == "rating"), None)
        return None if initial is None else (self.starts.get(key) or {}).get("rating", float(self.settings[initial]))

    @cached_property
    def starts(self) -> dict[str, Mapping[str, float]]:
        """What players start from who do not start as the settings say, by key."""
        return {self.keys[name]: state for name, state in self.start.items() if state}


def shown_names(a: Side, b: Side) -> dict[str, str]:
    """Return each player's key with the one name that he is shown by: B's spelling where B has him."""
    found: dict[str, str] = {}
    taken: set[str] = set()
    for side in (b, a):
        for name, key in side.keys.items():
            if key not in found:
                found[key] = name if name not in taken else f"{name} ({side.name})"
                taken.add(found[key])
    return found


def read_columns(side: Side) -> set[str]:
    """Return the columns of a games table, beyond date, players and score, that decide a side's ratings."""
    reads: set[str] = {"handicap", "komi"} if isinstance(side.system, JointSystem) else set()
    if isinstance(side.system, System):
        reads = side.system.shaped(side.settings).reads
    period = str(side.settings.get("period", "game"))
    columns = {"white_rating", "black_rating"} if side.player is not None else set()
    columns |= {
        {"points": "white_points", "opponent_points": "black_points"}.get(name, name)
        for name in reads & set(GAME_INPUTS) - {"score", "side", "widest"}
        if side.player is None
    }
    columns |= {"season"} if "seasons" in reads else set()
    columns |= {"event"} if period == "event" or "widest" in reads else set()
    if period.startswith(OTHER):
        name = period.removeprefix(OTHER)
        columns.add(name if name in side.log.games else period)
    return columns - {"date"}


def compared_games(side: Side, columns: Sequence[str]) -> Iterator[Game]:
    """Yield the games of a side with what stands in the columns that either side reads."""
    games = side.log.games
    details = [[_detail(name, value) for value in games[name].tolist()] for name in columns if name in games]
    present = [name for name in columns if name in games]
    missing = tuple((name, _detail(name, None)) for name in columns if name not in games)
    days = games["date"].dt.strftime("%Y-%m-%d").where(games["date"].notna(), "").tolist()
    rows = zip(
        days, *(games[name].tolist() for name in ("white", "black", "score", "source", "source_row")), strict=True
    )
    for number, (day, white, black, score, source, row) in enumerate(rows, 1):
        own = tuple((name, values[number - 1]) for name, values in zip(present, details, strict=True))
        keys = side.keys[white], side.keys[black]
        yield Game(number, day, *keys, score, tuple(sorted(own + missing)), white, black, source, row)


def _detail(column: str, value: Any) -> Hashable:
    """Return a value of a column as it is compared: one that is missing is what the rules take it for."""
    if value is None or pd.isna(value):
        return GAME_INPUTS.get(column) if column not in COLUMNS or COLUMNS[column].dtype != "str" else ""
    return value if isinstance(value, str) else float(value)


def day_of(serial: float) -> Any:
    """Return the day that a number is in a spreadsheet; None where it is none."""
    return pd.Timestamp("1899-12-30") + pd.Timedelta(days=serial) if serial > 0 else None
