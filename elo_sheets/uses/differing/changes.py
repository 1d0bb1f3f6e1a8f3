"""What differs between two sides: games, settings, start ratings, and what that did to the ratings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from elo_sheets._late import pd
from elo_sheets.uses.differing.sides import Game, Side

ADDED, REMOVED, CHANGED = "added", "removed", "changed"
SETTINGS, START, SEVERAL, REMAINDER = "settings", "start", "several", "remainder"


@dataclass(frozen=True)
class Change:
    """One game that is added (no `before`), removed (no `after`), or changed in `fields`.

    The fields are date, white, black, colours, result, order, and columns of the games table that the rule reads.
    """

    before: Game | None
    after: Game | None
    fields: tuple[str, ...] = ()

    @property
    def kind(self) -> str:
        """Which it is."""
        return ADDED if self.before is None else REMOVED if self.after is None else CHANGED

    @property
    def game(self) -> Game:
        """The game as it is now, or as it was when it is gone."""
        game = self.after or self.before
        assert game is not None
        return game

    def __str__(self) -> str:
        if self.before is None or self.after is None:
            return f"{self.kind} {self.game}"
        what = ", ".join(f"{name} {before} → {after}" if before else name for name, before, after in self.told())
        return f"changed {self.before}: {what}"

    def told(self) -> Iterator[tuple[str, str, str]]:
        """Yield each field with what it was and what it is, both empty where the field's name says all."""
        if self.before is None or self.after is None:
            return
        was, now = _shown(self.before), _shown(self.after)
        for name in self.fields:
            yield (name, was[name], now[name]) if name in was else (name, "", "")


@dataclass(frozen=True)
class Setting:
    """A setting, or a start rating of the player `name`, that differs."""

    name: str
    before: Any
    after: Any

    def __str__(self) -> str:
        was, now = ("none" if value is None else _number(value) for value in (self.before, self.after))
        return f"{self.name} {was} → {now}"


@dataclass(frozen=True)
class Part:
    """What one cause moved a rating by; `changes` are the changed games that it is, if it is games."""

    cause: str
    text: str
    change: float
    changes: tuple[int, ...] = ()


@dataclass(frozen=True)
class Moved:
    """A player whose rating differs; a rating is None on the side on which he has no rated game.

    The change of such a player is counted from (or back to) his start rating. It is None where the rule has no start.
    """

    name: str
    before: float | None
    after: float | None
    change: float | None
    because: tuple[Part, ...]


@dataclass(frozen=True)
class Differences:
    """How B differs from A; the games are in the order of play, the players most moved first."""

    a: Side
    b: Side
    settings: tuple[Setting, ...]
    start: tuple[Setting, ...]
    unchanged: int
    games: tuple[Change, ...]
    players: tuple[Moved, ...]
    # The points of players of an event, where they differ.
    totals: tuple[Setting, ...] = ()

    def __repr__(self) -> str:
        names = " and ".join(Path(side.name).name for side in (self.a, self.b))
        return f"<{names}: {len(self.games)} games and {len(self.players)} ratings differ>"

    def to_frame(self) -> pd.DataFrame:
        """Return one row a player whose rating differs, the most moved first: before, after, change."""
        names = pd.Index([one.name for one in self.players], name="player")
        columns = ("before", "after", "change")
        rows = [[getattr(one, name) for name in columns] for one in self.players]
        return pd.DataFrame(rows, index=names, columns=list(columns), dtype="float64")

    @property
    def same(self) -> bool:
        """Whether nothing differs."""
        return not (self.settings or self.start or self.games or self.players or self.totals)

    def of(self, kind: str) -> list[Change]:
        """Return the games that were added, removed or changed."""
        return [change for change in self.games if change.kind == kind]


def _shown(game: Game) -> dict[str, str]:
    """Return the compared fields of a game as a person reads them."""
    fields = {
        "date": game.day or "none",
        "white": game.white_name or "none",
        "black": game.black_name or "none",
        "result": game.result,
    }
    details = [(name, value) for name, value in game.details if name not in fields]
    return fields | {name: "none" if value in (None, "") else _number(value) for name, value in details}


def _number(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
