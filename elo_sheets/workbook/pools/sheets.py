"""What the sheets of every pool share: players and games as they are typed, with what is computed beside them.

The Ledger behind them is `pool`'s. What is not typed is a formula alone, whose values `complete` finds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import Any, ClassVar

from elo_sheets.errors import UsageError
from elo_sheets.games import players
from elo_sheets.replaying.settings import Settings
from elo_sheets.systems import System
from elo_sheets.workbook.archive import archived, old_games
from elo_sheets.workbook.book import HEADER_ROW, Book, Columns, Filling, Inputs, with_spare
from elo_sheets.workbook.facts import best_of, headed, step_unit
from elo_sheets.workbook.front import Line, last_game, leader, rows_left
from elo_sheets.workbook.layout import UNRATED, TableLayout, column_text, trimmed
from elo_sheets.workbook.places import CLOSED, closed_status
from elo_sheets.workbook.plan import PENDING, CellValue, ColumnPlan, Fill, Highlight, SheetPlan, TablePlan
from elo_sheets.workbook.pools.columns import (
    extra_labels,
    game_columns,
    last_labels,
    listed,
    personal_labels,
    pool_step_names,
    reached,
    sides_of,
    start_labels,
    started,
    state_columns,
    step_label,
)
from elo_sheets.workbook.pools.ledger import LAST_ROW, TALLY, PoolLedger
from elo_sheets.workbook.pools.near_names import near_table, shown_status
from elo_sheets.workbook.pools.pool import Pool
from elo_sheets.workbook.pools.prompts import extra_column, last_column, personal_column
from elo_sheets.workbook.pools.statuses import sides_with, status_table
from elo_sheets.workbook.spellings import Spellings
from elo_sheets.workbook.sports.profiles import CANONICAL, Words, words_of
from elo_sheets.workbook.sums import unpacked
from elo_sheets.workbook.view import Figure, Form, View

# What a new book says of provisional and absent players.
STANDARDS: dict[str, CellValue] = {"provisional": 5.0, "hide_after": 0.0}
# Where the owner says below how many games a rating is provisional, and after how many days without a game (0: never)
# a player leaves the standings.
PROVISIONAL, HIDE_AFTER = "Provisional_below", "Hidden_after_days"
# A player's number: that of the first row with the name.
ID = 'IF([Known as]="",0,IF(SUMPRODUCT((Players[Known as]=[Known as])*(Players[No.]<[No.]))>0,0,[No.]))'


class PoolView(View):
    """Players, games and what is carried of them, for every template of a pool."""

    games_table = "Games"
    rows_a_game = 2
    nothing_yet = "SUM(Players[Games])=0"
    # What a new book says in single cells, by role.
    standards: ClassVar[Mapping[str, CellValue]] = STANDARDS
    sorts_late_games = True

    def __init__(self, book: Book) -> None:
        super().__init__(book)
        self.sides = sides_of(self.form)
        self.needed = (*self.sides, "Result")
        self.pool = PoolLedger(self.system, book.settings, self.setting_cells, book.inputs, words_of(self.form))
        ledger = self.pool.ledger(self.labels("Ledger"), self.labels("Games"))
        self.fills = ledger | self.further_fills() | self.player_fills
        self.fills |= self.game_fills()

    def further_fills(self) -> dict[str, Fill]:
        """Return the fills of columns that a template adds to the Ledger: only with them is known what Carry holds."""
        return {}

    # How a book begins

    @classmethod
    def check(cls, form: Form, system: System) -> None:
        refuse_widest(form, system)

    @classmethod
    def present(cls, columns: Sequence[dict[str, Any]], form: Form, system: System) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        for column in super().present(columns, form, system):
            role = column.get("role")
            if role == "extra":
                extra = cls.extra(form, system).items()
                found += [extra_column(column, name, label, form, system.weights) for name, label in extra]
            elif role == "white_expected" and "expected" not in {line.name for line in system.lines}:
                continue
            elif role == "personal":
                found += [personal_column(column, system, name) for name in personal_labels(system)]
            elif role == "start_states":
                found += [
                    headed(column, label, role=f"start:{name}") for name, label in start_labels(system).items()
                ] + [last_column(column, name, label) for name, label in last_labels(system).items()]
            elif role == "states":
                found += state_columns(column, system, "state")
            else:
                found.append(column)
        white, black = sides_of(form)
        return [column | {"label": column.get("label", "").format(white=white, black=black)} for column in found]

    @classmethod
    def extra(cls, form: Form, system: System) -> dict[str, str]:
        """Return the further columns of Games, by what the steps read."""
        return extra_labels(system, sides_of(form))

    @classmethod
    def input_cells(cls, form: Form) -> dict[str, tuple[str, int, int]]:
        chosen = {f"chosen {i + 1}": ("Chart", 4, 2 + i) for i in range(chart_players(form))}
        return chosen | super().input_cells(form)

    @classmethod
    def cells_of(cls, form: Form, chosen: Mapping[str, CellValue]) -> dict[str, CellValue]:
        """Return what stands in the single cells of a new book that begins with some `chosen` players."""
        return {role: chosen.get(role, cls.standards.get(role)) for role in cls.input_cells(form)}

    @classmethod
    def blank(cls, form: Form, system: System, settings: Settings, rows: int) -> Inputs:
        tables = cls.empty_tables(form, system, {"Players": form["player_rows"], "Games": rows})
        return Inputs(tables, cls.cells_of(form, {}), {"Ledger": 2 * rows})

    @classmethod
    def filled(cls, form: Form, system: System, settings: Settings, log: Filling) -> tuple[Inputs, str]:
        """Players stand in the order in which they first play; the chart shows the best.

        Of a long log the games of the old years are kept as values, on the sheet Archive.
        """
        names = players(log.games)
        old, games = old_games(log.games, form.get("live", len(log.games)), str(settings["period"]), system)
        people = max(form["player_rows"], len(names) + 30)
        labels = cls.input_columns(form, system)["Players"]
        columns = started(names, log.start, system, labels, people)
        tables: dict[str, Columns] = {"Players": columns}
        if len(old):
            tables["Archive"] = archived(old, system, settings, columns, words_of(form))
        rows = with_spare(len(games), form["rows"])
        tables["Games"] = game_columns(games, system, words_of(form), rows)
        inputs = Inputs(tables, {}, {"Ledger": 2 * rows})
        count = chart_players(form)
        best = Pool(system, settings, inputs, words_of(form)).best(max(1, count))
        chosen = {f"chosen {i + 1}": name for i, name in enumerate(best[:count])}
        return replace(inputs, cells=cls.cells_of(form, chosen | {"card": best[0]})), ""

    @cached_property
    def front(self) -> Sequence[Line]:
        """Who leads, how many games there are, when the last one was, and how many rows are free."""
        roles = {column["role"] for column in self.columns("Players")}
        found = [leader(3 if self.is_fine("Players") else 1)] if "player_rank" in roles else []
        found.append(
            Line(
                "Games so far",
                "SUM(Players[Games])/2",
                remark='"rated games; the sheet Check counts what is not rated"',
            )
        )
        return [*found, last_game(), rows_left("Games", self.sides[0])]

    @property
    def words(self) -> Words:
        """What the book calls the sides of a game and its results."""
        return words_of(self.form)

    @property
    def outcome(self) -> str:
        """The formula of a game's result as the Ledger says it, for the colours of Games; "" where it is typed so."""
        if self.words.results == CANONICAL:
            return ""
        letter, last = self.pool.layout.letter("Outcome"), HEADER_ROW + 2 * self.pool.ledger_games
        return f"INDEX(Ledger!${letter}${HEADER_ROW + 1}:${letter}${last},2*$A{HEADER_ROW + 1}-1)"

    def highlights(self, table: TablePlan) -> Iterator[Highlight]:
        yield from super().highlights(table)
        if table.name == "Games" and self.words.scores and self.outcome:
            for word, style in zip(CANONICAL, ("win", "draw", "loss"), strict=True):
                yield Highlight(table.range("Result"), f'{self.outcome}="{word}"', style)

    # Columns

    def step_names(self) -> list[str]:
        return pool_step_names(self.system, str(self.form_settings["period"]))

    def step_label(self, name: str) -> str:
        return step_label(self.system, name, self.extra(self.form, self.system))

    def game_fills(self) -> dict[str, Fill]:
        """Return the fill of every role of the sheet Games."""
        pool, games = self.pool, self.book.inputs.tables["Games"]
        layout = TableLayout("Games", self.labels("Games"), HEADER_ROW)
        roles = {"Date": "date", self.sides[0]: "white", self.sides[1]: "black", "Result": "result", "Event": "event"}
        roles |= {label: f"extra:{name}" for name, label in pool.extra.items()}
        fills = {roles[label]: Fill(values) for label, values in games.items() if label in roles}
        fills["number"] = Fill(PENDING, f"ROW()-ROW($A${HEADER_ROW})", "count")
        fills["status"] = self.of_ledger(self._game_status, "text")
        for at, (own, side) in enumerate(zip(self.sides, ("white", "black"), strict=True)):
            for role, name in (("rating", pool.before), ("expected", "expected"), ("rating_after", "rating_after")):
                if name in pool.step_names():
                    told = partial(self._rated, pool.label(name), at)
                    fills[f"{side}_{role}"] = self.of_ledger(told, step_unit(self.system, name))
            change = f'IF({UNRATED},"",[{own} after]-[{own} rating])'
            fills[f"{side}_change"] = layout.fill(change, "points")
        return fills

    def of_ledger(self, told: Callable[[Callable[[str, int], str]], str], unit: str) -> Fill:
        """Return a column of Games that tells of a row's game.

        `told` gives its formula by what gives the Ledger's cell of a column for a side, 0 or 1.
        """
        layout = TableLayout("Games", self.labels("Games"), HEADER_ROW)
        return layout.fill(told(self.in_window), unit, windows=self.pool.shown, whole=told(in_all))

    def in_window(self, label: str, side: int) -> str:
        """Return the Ledger's cell of a row's game, looked for in the row's window."""
        letter = self.pool.layout.letter(label)
        return f"INDEX(Ledger!${letter}${{low}}:${letter}${{high}},2*([Game]-{{skip}}){'' if side else '-1'})"

    def _rated(self, label: str, side: int, at: Callable[[str, int], str]) -> str:
        return f'IF({UNRATED},"",{at(label, side)})'

    def _game_status(self, at: Callable[[str, int], str]) -> str:
        """Return the formula of what a row of Games shows of itself."""
        typed = f"INDEX(Games[{self.sides[0]}],[Game])" if at is in_all else f"typed[{self.sides[0]}]"
        beyond = f'IF({trimmed(typed)}="","","beyond the Ledger")'
        gone, near = "[Game]>ROWS(Ledger[Game])/2", ["Near[Says]", "Near[Game]"]
        if at is not in_all:
            gone = "OR([Game]<={skip},[Game]>{end})"
            letters = (self.near.range(label).split("$")[1] for label in ("Says", "Game"))
            near = [f"Carry!${letter}${{near}}:${letter}${{near_end}}" for letter in letters]
        shown = shown_status(at("Status", 0), self.people_table[0], *near)
        if self.pool.is_ordered:
            shown = f'IF({at("Status", 0)}="{CLOSED}",{closed_status(at("Latest date", 0))},{shown})'
        return f'IF({gone},{beyond},IF({at("Status", 0)}="",{beyond},{shown}))'

    @cached_property
    def player_fills(self) -> dict[str, Fill]:
        """The fill of every role of the sheet Players."""
        pool, typed = self.pool, self.book.inputs.tables["Players"]
        labels = {"player": "Player", "start_rating": "Start rating"}
        labels |= {f"personal:{name}": label for name, label in pool.personal.items()}
        labels |= {f"start:{name}": label for name, label in (start_labels(self.system) | pool.last).items()}
        formulas = self._player_numbers() | self._player_states() | self._player_results()
        found = {role: self._players.fill(text, unit) for role, (text, unit) in formulas.items()}
        known = {
            "player_known": Fill(pool.known, self._players.formula(trimmed("[Player]"))),
            "player_id": Fill([float(i) for i in pool.ids], self._players.formula(ID), "count"),
        }
        return {role: Fill(typed[label]) for role, label in labels.items()} | found | known

    @cached_property
    def _players(self) -> TableLayout:
        return TableLayout("Players", self.labels("Players"), HEADER_ROW)

    def _player_numbers(self) -> dict[str, tuple[str, str]]:
        """Return formula and unit of what a row of Players is to the formulas: number, last row, place."""
        sign = "-" if self.system.lower_is_better else ""
        key = f'IF(OR([Id]=0,[Mark]="inactive"),"",{sign}ROUND([Rating],3)-[No.]/10000000-IF([Games]=0,100000,0))'
        return {
            "player_number": (f"ROW()-ROW($A${HEADER_ROW})", "count"),
            "last_row": (f"IF([Id]=0,0,INDEX({self.pool.carry_table}[{LAST_ROW}],[Id]))", "count"),
            "player_key": (key, "count"),
            "player_rank": ('IF([Sort key]="","",RANK([Sort key],Players[Sort key]))', "count"),
        }

    def _player_states(self) -> dict[str, tuple[str, str]]:
        """Return formula and unit of what each player has reached."""
        pool, best = self.pool, "INDEX(Ledger[Best so far],[Last row])"
        if pool.period != "game":  # the best of the periods before, and what the last one comes to
            best = f"IF(ISNUMBER({best}),{best_of(self.system)}({best},[Rating]),[Rating])"
        return reached(self.system, pool.label, pool.start_formula, self.setting_cells["initial"], best)

    def _player_results(self) -> dict[str, tuple[str, str]]:
        """Return formula and unit of games, wins, draws, losses, and of what is said beside a name."""
        tally = unpacked(f"INDEX({self.pool.carry_table}[{TALLY}],[Id])")
        found = {f"player_{kind}": listed(f"IF([Id]=0,0,{formula})", "count") for kind, formula in tally.items()}
        few = f'IF([Games]<N({PROVISIONAL}),"provisional","")'
        mark = f'IF([Id]=0,"",IF({self._absent()},"inactive",{few}))'
        return found | {"player_mark": listed(mark, "text")}

    @property
    def latest_day(self) -> str:
        """The formula of the day up to which a player's absence is counted."""
        return "INDEX(Ledger[Latest date],ROWS(Ledger[Latest date]))"

    def _absent(self) -> str:
        days = f"{self.latest_day}-N([Last played])"
        return f"AND(N({HIDE_AFTER})>0,N([Last played])>0,{days}>N({HIDE_AFTER}))"

    def _archive(self, sheet: Mapping[str, Any]) -> SheetPlan | None:
        """Return the sheet of the old games, None for a book that has all its games live."""
        kept = self.book.inputs.tables.get("Archive")
        if kept is None:
            return None
        columns = tuple(
            ColumnPlan(column["label"], Fill(kept[column["label"]]), column["role"], column["style"], column["width"])
            for column in self.present(sheet["column"], self.form, self.system)
        )
        table = TablePlan("Archive", HEADER_ROW, columns, self.book.inputs.rows("Archive"))
        return self.table_sheet(sheet, table, landscape=True)

    def _carry(self, sheet: Mapping[str, Any]) -> SheetPlan:
        planned = self.plain_table(sheet, "Carry", self.carry)
        counts = status_table(self.pool, self.near.first_column + len(self.near.columns) + 1)
        return replace(planned, tables=(*planned.tables, self.near, counts))

    @cached_property
    def near(self) -> TablePlan:
        """The table beside Carry that says who is meant by unknown names."""
        pool = self.pool
        return near_table(self.people_table[0], len(self.carry) + 2, ledger=pool.layout, games=pool.ledger_games)

    @cached_property
    def carry(self) -> dict[str, Fill]:
        """What the hidden table Carry holds of each player's number: his rows of the Ledger, and all his results."""
        return self.pool.carry() | self.pool.tally()

    @property
    def places(self) -> int:
        """How many rows the standings have."""
        return self.book.inputs.sizes.get("Standings") or self.book.inputs.rows("Players")

    @property
    def spellings(self) -> Spellings:
        return self.pool.spellings

    @staticmethod
    def games_with(status: str) -> Figure:
        """Return how many games have a status that begins so."""
        return f"{sides_with(status)}/2", "count"


def in_all(label: str, side: int) -> str:
    """Return the Ledger's cell of the game of a row of Games, looked for in the whole column."""
    return f"INDEX(Ledger[{column_text(label)}],2*[Game]{'' if side else '-1'})"


def refuse_widest(form: Form, system: System) -> None:
    """Raise `UsageError` for a rule that asks which game of an event has the widest difference."""
    if "widest" in system.reads:
        raise UsageError(
            f"template {form['name']} cannot hold system {system.name} with these settings, which need widest; "
            "use replay for the numbers"
        )


def chart_players(form: Form) -> int:
    return next((int(sheet["players"]) for sheet in form["sheet"] if sheet["kind"] == "chart"), 0)
