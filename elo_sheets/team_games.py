"""The table of *games of sides*: one row for each player of each game, for doubles, teams and tables of many.

A game has two or more sides, a side one or more players, and a place, points, or both. `COLUMNS` is the contract:
name, dtype and meaning of every column. Two sides of one player each are the plain case, and live in the games table of
`elo_sheets.games`, which knows nothing of this one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from elo_sheets._late import pd
from elo_sheets.errors import EloSheetsError, UnreadableInput
from elo_sheets.games import Column, Counted, Problem, identity

COLUMNS: dict[str, Column] = {
    "game": Column("int64", "1, 2, …: the order of play", True),
    "date": Column("datetime64[ns]", "day of the game; NaT unknown", True),
    "side": Column("int64", "1, 2, …: the player's side in the game", True),
    "player": Column("str", "the player", True),
    "place": Column("float64", "the side's place: 1 is first, equal places are a tie", True),
    "points": Column("float64", "the side's goals or points; NaN unknown", True),
    "weight": Column("float64", "the player's weight in the side, such as the share of the game played: up to 1", True),
    "event": Column("str", "event, tournament or league", True),
    "source": Column("str", "file that the game came from", True),
    "source_row": Column("int64", "line of that file, from 1", True),
}

LEAST_WEIGHT = 1e-4


@dataclass(frozen=True)
class TeamGamesRead(Counted):
    """What a reader found: games of sides, the rows kept out (a `Problem` each), and remarks.

    `read == kept + rejected` holds, counted in games; a row of the long form that is kept out is counted by itself.
    """

    games: pd.DataFrame
    problems: list[Problem] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def kept(self) -> int:  # type: ignore[override]
        """Number of games."""
        return int(self.games["game"].nunique())


class GamesOfSidesError(UnreadableInput):
    """A log holds games of teams or of many; `tables` are that log, for the verbs that rate them.

    An archive may have several, and `notes` on what else is in it.
    """

    def __init__(self, message: str, tables: Sequence[Any], notes: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.tables, self.notes = list(tables), list(notes)


def make_team_games(records: Iterable[Mapping[Any, Any]]) -> pd.DataFrame:
    """Return a table of games of sides from records in the log's order, put into the order of play and numbered.

    A record has `game` (whatever tells its games apart), `side`, `player`, `place` or `points`, and may have the other
    columns. Games are ordered by date, those without one behind the game before them. Places follow from the points
    where no place is told: the most points are first.

    >>> rows = [{"game": 1, "side": s, "player": p, "points": n} for s, p, n in ((1, "Ann", 7), (2, "Bob", 9))]
    >>> make_team_games(rows)[["player", "place"]].values.tolist()
    [['Ann', 2.0], ['Bob', 1.0]]
    """
    defaults = {"date": pd.NaT, "place": float("nan"), "points": float("nan"), "weight": 1.0, "event": ""}
    defaults |= {"source": "", "source_row": 0}
    rows = [{**defaults, **record} for record in records]
    table = pd.DataFrame(rows, columns=list(COLUMNS))
    table["date"] = pd.to_datetime(table["date"]).astype("datetime64[ns]")
    table["place"] = table["place"].astype("float64")
    table["points"] = table["points"].astype("float64")
    codes = pd.factorize(table["game"])[0]
    by_points = table["points"].groupby(codes).rank("dense", ascending=False)
    by_place = table["place"].groupby(codes).rank("dense")
    table["place"] = by_place.where(table["place"].notna().groupby(codes).transform("any"), by_points)
    first = table.groupby(codes, sort=False)["date"].first().ffill()
    order = first.reset_index(drop=True).sort_values(kind="stable", na_position="first").index
    number = pd.Series(range(1, len(order) + 1), index=order, dtype="int64")
    table["game"] = number.reindex(codes).to_numpy()
    table = table.sort_values(["game", "side"], kind="stable").reset_index(drop=True)
    return check_team_games(table.astype({name: column.dtype for name, column in COLUMNS.items()}))


def check_team_games(games: pd.DataFrame) -> pd.DataFrame:
    """Return `games` when it keeps the contract; raises `EloSheetsError` that names the first game that does not."""
    for name, column in COLUMNS.items():
        if name not in games:
            raise EloSheetsError(f"expected a table of games of sides with the column {name!r} ({column.meaning})")
    numbers = games["game"]
    twice = games.assign(player=[identity(name) for name in games["player"]]).duplicated(["game", "player"])
    apart = games.groupby(["game", "side"])["place"].transform("nunique") > 1
    alone = games.groupby("game")["side"].transform("nunique") < 2
    odd = twice | apart | alone | games["place"].isna() | ~games["weight"].between(LEAST_WEIGHT, 1)
    if odd.any():
        first = games[odd].iloc[0]
        reason = fault_of(games[numbers == first["game"]].to_dict("records"))
        raise EloSheetsError(f"game {first['game']}: {reason} ({first['source']}, row {first['source_row']})")
    return games


def fault_of(rows: Iterable[Mapping[Any, Any]]) -> str:
    """Return why the rows of one game are no game that can be rated, empty where they are one."""
    rows = list(rows)
    places: dict[int, float] = {}
    seen: dict[str, str] = {}
    for row in rows:
        name = str(row["player"])
        if identity(name) in seen:
            return f"{name!r} plays twice in one game"
        seen[identity(name)] = name
        if places.setdefault(row["side"], row["place"]) != row["place"]:
            return f"expected one place for each side, got {places[row['side']]:g} and {row['place']:g}"
        if not LEAST_WEIGHT <= row["weight"] <= 1:
            return f"expected the weight of a player from {LEAST_WEIGHT:g} to 1, got {row['weight']!r}"
    if any(place != place for place in places.values()):
        return "expected a place or points for every side"
    return "" if len(places) > 1 else "expected two or more sides, got one"


def team_players(games: pd.DataFrame) -> list[str]:
    """Return the players' names in the order in which they first play."""
    return [str(name) for name in pd.unique(games["player"])]


def shape_of(games: pd.DataFrame) -> tuple[int, int]:
    """Return the most sides of a game and the most players of a side."""
    if games.empty:
        return 0, 0
    sides = games.groupby("game")["side"].nunique().max()
    return int(sides), int(games.groupby(["game", "side"]).size().max())
