"""What is drawn for every book alike: language, names, results, place on the sheet, K, start ratings, rows between."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from random import Random

from openpyxl.utils import get_column_letter as letters

from .forms import CURVES, RESULTS, Result
from .sheets import At, Draft, Slip, Table
from .truth import Game
from .wording import LANGUAGES, NAMES

BETWEEN = ("blank", "heading", "subtotal", "bye", "friendly", "bonus")


@dataclass(frozen=True)
class Row:
    """A row of a log: a game with its number, or what stands between games."""

    kind: str
    number: int = -1  # of the game, or of the row between
    player: str = ""
    points: float = 0.0
    game: Game | None = None


class Desk:
    """The choices of one book. Everything is drawn here or by the layout, from the one generator of the draft."""

    def __init__(
        self,
        rng: Random,
        slip: Slip | None = None,
        *,
        results: Sequence[str] = tuple(RESULTS),
        between: Sequence[str] = BETWEEN,
        players: tuple[int, int] = (4, 6),
        games: tuple[int, int] = (14, 26),
        draws: bool = True,
        **forced: object,
    ) -> None:
        self.rng, self.draft, self.slip = rng, Draft(rng, slip), slip
        between = () if getattr(rng, "bare", False) else between
        self.language = rng.choice(sorted(LANGUAGES))
        self.words = LANGUAGES[self.language]
        self.names = rng.sample(rng.choice(NAMES), rng.randint(*players))
        self.result: Result = RESULTS[rng.choice(list(results))]
        self.result_style = rng.randrange(self.result.styles)
        self.curve = rng.randrange(len(CURVES))
        self.change_style = rng.randrange(4)
        self.scale = rng.choice((400, 400, 400, 400, 480, 300))
        self.k = rng.choice((16, 20, 24, 30, 32, 40))
        common = rng.choice((1000, 1200, 1500, 1600))
        apart = rng.random() < 0.6
        self.start = {name: common + (rng.randrange(-200, 250) if apart else 0) for name in self.names}
        self.common = None if apart else common
        self.top = rng.choice((1, 3, 4, 6))
        self.left = rng.choice((1, 1, 2, 3))
        self.titles = rng.random() < 0.6
        self.guards = rng.choice((0, 0, 3, 6))
        self.k_cell, self.scale_cell = rng.random() < 0.7, rng.random() < 0.4
        self.settings_apart, self.list_apart = rng.random() < 0.3, rng.random() < 0.5
        self.dated, self.numbered = rng.random() < 0.75, rng.random() < 0.4
        self.draft.notes["days"] = rng.choice(("dd.mm.yyyy", "yyyy-mm-dd", "m/d/yyyy"))
        self.first_day = dt.date(rng.randint(2015, 2024), rng.randint(1, 12), rng.randint(1, 28))
        for name, value in forced.items():
            setattr(self, name, value)
        self.games = self._games(rng.randint(*games), draws)
        self.rows = list(self._rows(between))
        self.draft.notes["between"] = sorted({row.kind for row in self.rows} - {"game"})
        self.refs: dict[str, str] = {}
        self.sheet = self.words["log"]
        self.settings_sheet = self.words["settings"] if self.settings_apart else self.sheet

    # --- what is played ---

    def _games(self, count: int, draws: bool) -> list[Game]:
        games, day = [], 0
        levels = (0, 0, 1, 1, 2, 2, 3, 4)
        while len(games) < count:
            one, two = self.rng.sample(self.names, 2)
            goals = self.rng.choice(levels), self.rng.choice(levels)
            if goals[0] == goals[1] and (not draws or self.rng.random() < 0.3):
                continue
            day += self.rng.choice((0, 1, 1, 2, 5, 9))
            if any({one, two} == {game.one, game.two} and game.day == day for game in games[-9:]):
                day += 1  # who meets twice on a day is another story
            games.append(Game(one, two, goals, day))
        where = self.rng.randrange(4, count - 3)
        if self.slip and self.slip.role == "games" and self.slip.kind == "duplicate":
            games.insert(where + 1, games[where])
        if self.slip and self.slip.role == "games" and self.slip.kind == "order":
            games.insert(where, games.pop(where + 3))
        self.odd_game = where + 1 if self.slip and self.slip.kind == "duplicate" else where
        return games

    def _rows(self, between: Sequence[str]) -> Iterator[Row]:
        number = 0
        gaps = {
            self.rng.randrange(2, len(self.games) - 1): self.rng.choice(list(between))
            for _ in range(self.rng.choice((0, 1, 2, 3)) if between else 0)
        }
        for index, game in enumerate(self.games):
            if index in gaps:
                kind = gaps[index]
                one, two = self.rng.sample(self.names, 2)
                goals = self.rng.choice(((1, 0), (2, 2), (0, 3)))
                friendly = Game(one, two, goals if goals[0] != goals[1] else (2, 1), game.day)
                points = float(self.rng.choice((5, 10, -15, 25)))
                yield Row(kind, number, one, points, friendly if kind == "friendly" else None)
                number += 1
            yield Row("game", index, game=game)

    def day(self, game: Game) -> dt.date:
        return self.first_day + dt.timedelta(days=game.day)

    def flow(self) -> list[Game | tuple[str, str, float]]:
        """Return the games and bonuses in order, for `truth.one_by_one`."""
        return [
            row.game if row.kind == "game" and row.game else (row.player, "", row.points)
            for row in self.rows
            if row.kind in ("game", "bonus")
        ]

    # --- what stands on the sheet ---

    def settings(self, **values: float) -> int:
        """Write the settings that stand in cells; return the first free row of the main sheet."""
        row = self.top if not self.settings_apart else 1
        column = self.left
        if self.titles:
            self.draft.put((self.sheet, self.top, self.left), f"Elo {self.first_day.year}")
            row = row + 2 if not self.settings_apart else row
        prefix = "" if not self.settings_apart else f"{self.settings_sheet}!"
        for name, value in values.items():
            in_cell = {"k": self.k_cell, "scale": self.scale_cell}.get(name, True)
            if not in_cell:
                self.refs[name] = str(value)
                continue
            self.draft.put((self.settings_sheet, row, column), self.words.get(name, name))
            self.draft.put((self.settings_sheet, row, column + 1), value, At(f"setting {name}", 0))
            self.refs[name] = f"{prefix}${letters(column + 1)}${row}"
            row += 1
        free = self.top + (2 if self.titles else 0)
        if not self.settings_apart and any(ref.startswith("$") for ref in self.refs.values()):
            free = row + 1
        return free

    def table(self, sheet: str, top: int, left: int, roles: Sequence[str], headers: Sequence[str] = ()) -> Table:
        found = Table(self.draft, sheet, top, {role: left + number for number, role in enumerate(roles)})
        for role, header in zip(roles, headers or [self.header(role) for role in roles], strict=True):
            self.draft.put(found.place(role, top), header)
        return found

    def header(self, role: str) -> str:
        return self.words.get(role.replace(" ", "_"), role)

    def roster(self, roles: Sequence[str], beside: int, header_row: int) -> tuple[Table, dict[str, int]]:
        """Write the list of players, beside the log from column `beside` on or on a sheet of its own."""
        sheet = self.words["list"] if self.list_apart else self.sheet
        top = self.rng.choice((1, 2, 4)) if self.list_apart else header_row
        table = self.table(sheet, top, self.rng.choice((1, 2)) if self.list_apart else beside, roles)
        rows = {}
        for number, name in enumerate(self.names):
            row = top + 1 + number
            rows[name] = row
            if self.slip and self.slip.role == "list" and self.slip.kind == "lacks" and number == len(self.names) - 2:
                self.draft.extra_wrong.add(table.place("player", row))
                continue
            table.put("player", row, name, At("listed", number))
            if "start" in roles:
                table.put("start", row, self.start[name], At("start", number))
        self.offer_list()
        return table, rows

    def offer_list(self) -> None:
        self.draft.offered[("list", "lacks")] = {0}

    def offer_games(self) -> None:
        if self.dated:  # without days, two who played alike twice may have done so
            self.draft.offered[("games", "duplicate")] = {0}
            self.draft.offered[("games", "order")] = {0}

    def start_of(self, roster: Table | None, seen_from: str) -> Callable[[str], str]:
        """Return how a formula asks for the start rating of the player who is named in a cell."""
        if roster is None:
            return lambda name: self.refs.get("start", str(self.common))
        first, last = roster.top + 1, roster.top + len(self.names)
        names = roster.col("player", first, last, "both", seen_from)
        starts = roster.col("start", first, last, "both", seen_from)
        width = roster.columns["start"] - roster.columns["player"] + 1
        area = roster.area("player", "start", first, last, seen_from)
        form = self.rng.choice(
            (
                f"VLOOKUP({{n}},{area},{width},FALSE)",
                f"VLOOKUP({{n}},{area},{width},0)",
                f"INDEX({starts},MATCH({{n}},{names},0))",
                f"SUMIF({names},{{n}},{starts})",
                f"_xlfn.XLOOKUP({{n}},{names},{starts})",
            )
        )
        return lambda name: form.replace("{n}", name)

    def shown(self, text: str, filled: str, guarded: bool) -> str:
        """Return a formula, behind a guard against rows that wait for input where the book has such."""
        return f'=IF({filled}="","",{text})' if guarded else f"={text}"
