"""Inputs and a template in, the plan of the workbook out."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from elo_sheets._version import __version__
from elo_sheets.expr import Expr
from elo_sheets.ops import table_step
from elo_sheets.package import column_letters
from elo_sheets.systems import Rules, System, lines, system
from elo_sheets.systems._tables import DIFFERENCE_TABLE, FIDE_SOURCE, PERFORMANCE_TABLE
from elo_sheets.systems.elo import expected as logistic_expected
from elo_sheets.workbook import journal, league
from elo_sheets.workbook.layout import TableLayout, rule_formula, step_style
from elo_sheets.workbook.plan import (
    CellPlan,
    CellValue,
    ChartPlan,
    ColumnPlan,
    Fill,
    Highlight,
    Plan,
    Series,
    SheetPlan,
    TablePlan,
    Validation,
)
from elo_sheets.workbook.templates import check_fits, template

if TYPE_CHECKING:
    import pandas as pd

HEADER_ROW = 4
MANIFEST = "elo-sheets"
MANIFEST_SCHEMA = 1
SETTING = "setting "

Inputs = journal.JournalInputs | league.LeagueInputs


@dataclass(frozen=True)
class Book:
    """All that decides what a workbook holds."""

    template: str
    system: str
    settings: Mapping[str, Any]
    inputs: Inputs
    ledger_rows: int
    title: str = ""
    # How many players the hidden sheet Carry and the Standings have room for; 0 means as many as a new book gives.
    carry_rows: int = 0
    places: int = 0
    # The settings that the book was made with, where the owner may have typed others since: they decide the form of
    # the rule, which its sheets keep.
    form: Mapping[str, Any] | None = None


def plan_book(book: Book) -> Plan:
    """Return the plan of a book: every cell, its formula, and the value that the formula gives."""
    return _Builder(book).plan()


def forming(system: System, settings: Mapping[str, Any]) -> list[str]:
    """Return the settings that give a rule another form than their defaults would."""

    def form(values: Mapping[str, Any]) -> list[tuple[str, Expr]]:
        return [(line.name, line.trace()) for line in system.shaped(values).lines]

    changed = [p for p in system.parameters if settings[p.name] != p.default and p.name != "period"]
    return [p.name for p in changed if form({**settings, p.name: p.default}) != form(settings)]


def blank_book(name: str, rating_system: Rules, settings: Mapping[str, object], rows: int | None = None) -> Book:
    """Return a book without games, `rows` rows ready to type into (the template says how many by default)."""
    form = template(name)
    values = rating_system.settings(settings)
    rating_system = check_fits(name, rating_system, values)
    # A table of one row is a single cell a column, which engines do not take for a range.
    count = form["rows"] if rows is None else max(rows, 2)
    empty: list[CellValue] = [None] * count
    inputs: Inputs
    if form["view"] == "journal":
        inputs = journal.JournalInputs(dict.fromkeys(journal.INPUTS, empty))
    else:
        nobody: list[CellValue] = [None] * form["player_rows"]
        inputs = league.LeagueInputs(
            dict.fromkeys(league.PLAYER_INPUTS, nobody),
            dict.fromkeys(league.GAME_INPUTS, empty),
            [None] * _chart_players(form),
        )
    return Book(name, rating_system.name, values, inputs, count)


def filled_book(
    name: str,
    rating_system: Rules,
    settings: Mapping[str, object],
    games: pd.DataFrame,
    player: str | None = None,
    title: str = "",
) -> Book:
    """Return a book that holds the games of a log, with rows to grow into.

    A journal needs `player` and starts from his first published rating unless `settings` say otherwise. A pool
    lists the players in the order in which they first play.
    """
    from elo_sheets.games import players
    from elo_sheets.replay import initial_rating, journal_games, replay

    form = template(name)
    values = rating_system.settings(settings)
    rating_system = check_fits(name, rating_system, values)
    if form["view"] == "journal":
        assert player is not None
        mine = journal_games(games, player)
        given = {p.name for p in rating_system.parameters for key in settings if key.lower() in (p.name, *p.aliases)}
        first = initial_rating(games, player)
        if first is not None and "initial" not in given:
            values["initial"] = first
        rows = _with_spare(len(mine), form["rows"])
        return Book(
            name,
            rating_system.name,
            values,
            journal.inputs_from_games(mine, rows),
            rows,
            title or mine["player"].iloc[0],
        )
    names = players(games)
    rows = _with_spare(len(games), form["rows"])
    chosen = replay(games, rating_system, values).ratings["player"].tolist()[: _chart_players(form)]
    chosen += [None] * (_chart_players(form) - len(chosen))
    player_rows = max(form["player_rows"], len(names) + 30)
    inputs = league.inputs_from_games(games, names, chosen, player_rows, rows)
    return Book(name, rating_system.name, values, inputs, rows, title)


def _with_spare(count: int, least: int) -> int:
    return max(least, count + max(200, count // 10))


def _chart_players(form: Mapping[str, Any]) -> int:
    return next(int(sheet["players"]) for sheet in form["sheet"] if sheet["kind"] == "chart")


class _Builder:
    """Builds the sheets of one book, in the template's order."""

    def __init__(self, book: Book) -> None:
        self.book = book
        self.form = template(book.template)
        found = system(book.system)
        assert isinstance(found, System)
        self.form_settings = book.settings if book.form is None else book.form
        self.system = found.shaped(self.form_settings)
        self.forming = forming(found, self.form_settings)
        self.setting_cells = {p.name: p.cell for p in self.system.parameters}
        self.names: dict[str, str] = {}
        labels = [column["label"] for column in self._columns("Ledger")]
        shared = (self.system, book.settings, self.setting_cells)
        self.cells: journal.JournalCells | league.LeagueCells
        if isinstance(book.inputs, journal.JournalInputs):
            self.cells = journal.JournalCells(*shared, book.inputs, book.ledger_rows, labels, HEADER_ROW)
            self.fills = self.cells.ledger | self.cells.log()
        else:
            self.cells = league.LeagueCells(*shared, book.inputs, book.ledger_rows, labels, HEADER_ROW, book.carry_rows)
            self.fills = self.cells.ledger | self.cells.game_columns() | self.cells.player_columns

    def plan(self) -> Plan:
        sheets = tuple(getattr(self, f"_{sheet['kind']}")(sheet) for sheet in self.form["sheet"])
        return Plan(self._title(), (*sheets, self._manifest()), self.names)

    def _title(self) -> str:
        return f"{self.form['title']}: {self.book.title}" if self.book.title else str(self.form["title"])

    # Tables

    def _columns(self, sheet_name: str) -> list[dict[str, Any]]:
        sheet = next(sheet for sheet in self.form["sheet"] if sheet["name"] == sheet_name)
        found: list[dict[str, Any]] = []
        for column in sheet["column"]:
            found += self._step_columns(column) if column["role"].endswith("steps") else [column]
        return found

    def _step_columns(self, column: dict[str, Any]) -> list[dict[str, Any]]:
        steps = [line.name for line in self.system.lines]
        if column["role"] == "steps":
            names = journal.journal_rule_names(self.system)
            return [
                column | {"label": self.system.label(n), "role": f"step:{n}", "style": step_style(n)} for n in names
            ]
        side = column["role"].removesuffix("_steps")
        return [
            column
            | {
                "label": league.league_label(self.system, side.capitalize(), n),
                "role": f"{side}_step:{n}",
                "style": step_style(n),
            }
            for n in steps
        ]

    def _table(self, sheet: dict[str, Any]) -> SheetPlan:
        columns = tuple(self._column(column) for column in self._columns(sheet["name"]))
        table = TablePlan(sheet["name"], HEADER_ROW, columns, len(columns[0].fill.values))
        return SheetPlan(
            sheet["name"],
            self._heading(sheet),
            (table,),
            highlights=tuple(self._highlights(table)),
            widths={i: column.width for i, column in enumerate(columns, 1)},
            frozen_rows=HEADER_ROW,
            frozen_columns=sheet.get("frozen_columns", 0),
            landscape=True,
        )

    def _column(self, column: dict[str, Any]) -> ColumnPlan:
        validation = column.get("validation")
        # The Log calls a result as the rating system does: a month's change is the change so far.
        label = self.system.label(column["role"]) if column["role"] in journal.SHOWN else column["label"]
        return ColumnPlan(
            label,
            self.fills[column["role"]],
            column["role"],
            column["style"],
            column["width"],
            column.get("input", False),
            None if validation is None else self._validation(validation),
        )

    def _validation(self, spec: dict[str, Any]) -> Validation:
        spec = dict(spec)
        if spec["kind"] == "players":
            spec |= {"kind": "list", "range": self._players_range()}
        spec["items"] = tuple(spec.get("items", ()))
        return Validation(**spec)

    def _players_range(self) -> str:
        assert isinstance(self.book.inputs, league.LeagueInputs)
        return f"=Players!$B${HEADER_ROW + 1}:$B${HEADER_ROW + self.book.inputs.player_rows}"

    def _highlights(self, table: TablePlan) -> list[Highlight]:
        labels = {column.label for column in table.columns}
        first = table.first_data_row
        found = []
        if table.name in {"Log", "Games"}:
            status = table.range("Status")
            letter = status[1 : status.index("$", 1)]
            found.append(Highlight(status, f'AND(${letter}{first}<>"",${letter}{first}<>"rated")', "alarm"))
            result = table.range("Result")
            cell = f"${result[1 : result.index('$', 1)]}{first}"
            words = {"Log": ("Win", "Draw", "Loss"), "Games": ("1-0", "1/2-1/2", "0-1")}[table.name]
            found += [
                Highlight(result, f'{cell}="{word}"', style)
                for word, style in zip(words, ("win", "draw", "loss"), strict=True)
            ]
        if "Order break" in labels:
            for label in ("Order break", "Duplicate"):
                cells = table.range(label)
                found.append(Highlight(cells, f"${cells[1 : cells.index('$', 1)]}{first}=1", "alarm"))
        return found

    def _heading(self, sheet: Mapping[str, Any]) -> tuple[CellPlan, ...]:
        title = sheet["title"]
        if self.book.title and sheet["name"] == "Dashboard":
            title = f"{title}: {self.book.title}"
        cells = [CellPlan(1, 1, title, style="title")]
        if "hint" in sheet:
            cells.append(CellPlan(2, 1, sheet["hint"], style="hint"))
        return tuple(cells)

    # Start and manifest

    def _start(self, sheet: Mapping[str, Any]) -> SheetPlan:
        cells = [
            CellPlan(1, 1, self._title(), style="title"),
            CellPlan(2, 1, self.form["about"], style="hint"),
        ]
        row = 4
        for i, line in enumerate(self.form["guide"], 1):
            cells.append(CellPlan(row, 1, float(i), style="step"))
            cells.append(CellPlan(row, 2, line, style="wrap", merge_to=4))
            row += 1
        row += 1
        if self.form["view"] == "pool":
            cells.append(CellPlan(row, 2, "Check", style="label"))
            cells.append(CellPlan(row, 3, self._all_clear()[1], self._all_clear()[0], style="verdict", merge_to=4))
            self.verdict_row = row
            row += 2
        cells.append(
            CellPlan(row, 2, f"Settings of the rating system: {self.system.title}", style="section", merge_to=4)
        )
        for parameter in self.system.live:
            row += 1
            value = self.book.settings[parameter.name]
            fixed = parameter.name == "period"
            cells.append(CellPlan(row, 2, parameter.label, style="label"))
            cells.append(
                CellPlan(
                    row,
                    3,
                    value,
                    style="date" if parameter.is_date else ("text_right" if parameter.choices else "setting"),
                    unit="points",
                    is_input=not fixed,
                    validation=None if fixed else _setting_validation(parameter),
                )
            )
            cells.append(CellPlan(row, 4, parameter.meaning, style="remark"))
            if not fixed:
                self.names[parameter.cell] = f"{sheet['name']}!$C${row}"
        row += 2
        for line in (
            *self.system.sources,
            f"Made with elo-sheets {__version__}; elo-sheets validate checks this book.",
        ):
            cells.append(CellPlan(row, 2, line, style="hint"))
            row += 1
        highlights = []
        if self.form["view"] == "pool":
            highlights = _verdict_highlights(f"$C${self.verdict_row}", f'$C${self.verdict_row}="All checks are green"')
        return SheetPlan(
            sheet["name"],
            tuple(cells),
            highlights=tuple(highlights),
            widths={1: 4, 2: 34, 3: 18, 4: 78},
            landscape=True,
        )

    def _manifest(self) -> SheetPlan:
        rows: list[tuple[str, CellValue]] = [
            ("schema", float(MANIFEST_SCHEMA)),
            ("made with", f"elo-sheets {__version__}"),
            ("template", self.book.template),
            ("system", self.book.system),
            ("title", self.book.title),
            ("period", str(self.book.settings["period"])),
        ]
        rows += [(f"{SETTING}{name}", self.form_settings[name]) for name in self.forming]
        cells = [CellPlan(1, 1, "What this workbook is, for elo-sheets to read back", style="hint")]
        for row, (key, value) in enumerate(rows, 2):
            cells.append(CellPlan(row, 1, key, style="label"))
            cells.append(CellPlan(row, 2, value, style="text"))
        return SheetPlan(MANIFEST, tuple(cells), widths={1: 20, 2: 40}, hidden=True)

    # Journal

    def _dashboard(self, sheet: Mapping[str, Any]) -> SheetPlan:
        assert isinstance(self.cells, journal.JournalCells)
        cells = list(self._heading(sheet))
        figures = self.cells.figures()
        for row, figure in enumerate(sheet["figures"], 3):
            formula, value, unit = figures[figure["role"]]
            cells.append(CellPlan(row, 1, figure["label"], style="label"))
            cells.append(CellPlan(row, 2, value, formula, figure["style"], unit))
        head = 3 + len(sheet["figures"]) + 1
        headers = (
            "By colour",
            "Games",
            "Wins",
            "Draws",
            "Losses",
            "Score",
            "Expected",
            "Opponents",
            "Performance, linear",
            "Performance, FIDE table",
        )
        cells.append(CellPlan(head, 1, headers[0], style="header"))
        cells += [CellPlan(head, i, text, style="header_right") for i, text in enumerate(headers[1:], 2)]
        for row, colour in enumerate(("White", "Black", ""), head + 1):
            at = {name: f"{column_letters(i)}{row}" for i, name in enumerate(headers, 1)}
            cells.append(CellPlan(row, 1, colour or "All games", style="label"))
            for column, (formula, value, unit, style) in enumerate(self.cells.by_colour(colour, at), 2):
                cells.append(CellPlan(row, column, value, formula, style, unit))
        return SheetPlan(
            sheet["name"],
            tuple(cells),
            charts=self._journal_charts(head),
            widths={1: 26, 2: 20, 3: 9, 4: 9, 5: 9, 6: 9, 7: 11, 8: 12, 9: 20, 10: 24},
            landscape=True,
        )

    def _journal_charts(self, head: int) -> tuple[ChartPlan, ...]:
        def curve(column: str) -> str:
            return f"=Curves!${column}${HEADER_ROW + 1}:${column}${HEADER_ROW + journal.CURVE_POINTS}"

        def line(label: str, column: str, style: str) -> Series:
            return Series(label, curve("B"), curve(column), style)

        assert isinstance(self.cells, journal.JournalCells)
        shown = self.cells.curves()
        rating = ChartPlan(
            "line",
            "Rating",
            "Game",
            "",
            (line("Rating", "C", "line_main"), line("Average of 20", "D", "line_soft")),
            head + 6,
            1,
            700,
            340,
            _y_minimum([*shown["rating"].values, *shown["average"].values]),
        )
        bars = tuple(
            Series(
                f"=Dashboard!${letter}${head}",
                f"=Dashboard!$A${head + 1}:$A${head + 3}",
                f"=Dashboard!${letter}${head + 1}:${letter}${head + 3}",
                style,
            )
            for letter, style in zip("CDE", ("bar_win", "bar_draw", "bar_loss"), strict=True)
        )
        colours = ChartPlan("bar", "Results by colour", "", "", bars, head + 6, 9, 400, 340)
        return rating, colours

    def _odds(self, sheet: Mapping[str, Any]) -> SheetPlan:
        curve_cell = self.setting_cells.get("scale", "400")
        scale = float(self.book.settings.get("scale", 400))
        differences = [float(d) for d in range(0, 825, 25)]
        layout = TableLayout("OddsTable", ["Difference", "Stronger", "Weaker", "Odds"], HEADER_ROW)
        higher = [logistic_expected(d, scale) for d in differences]
        curve = next(lines([logistic_expected]))
        rule = rule_formula(curve, {"difference": "[Difference]", "scale": curve_cell})
        odds = TablePlan(
            "OddsTable",
            HEADER_ROW,
            (
                _plain("Difference", differences, "integer", 11),
                ColumnPlan("Stronger", Fill(higher, layout.formula(rule), "share"), "", "share", 10),
                ColumnPlan(
                    "Weaker",
                    Fill([1 - e for e in higher], layout.formula("1-[Stronger]"), "share"),
                    "",
                    "share",
                    10,
                ),
                ColumnPlan(
                    "Odds",
                    Fill([e / (1 - e) for e in higher], layout.formula("[Stronger]/[Weaker]"), "number"),
                    "",
                    "decimal",
                    9,
                ),
            ),
            len(differences),
        )
        starts = DIFFERENCE_TABLE.starts
        ends: list[CellValue] = [*(start - 1 for start in starts[1:]), None]
        fide = TablePlan(
            "FideTable",
            HEADER_ROW,
            (
                _plain("From", starts, "integer", 8),
                _plain("To", ends, "integer", 8),
                _plain("Higher", DIFFERENCE_TABLE.values, "percent", 9),
                _plain("Lower", [round(1 - table_step(DIFFERENCE_TABLE, s), 2) for s in starts], "percent", 9),
            ),
            len(starts),
            first_column=6,
        )
        performance = TablePlan(
            "PerformanceTable",
            HEADER_ROW,
            (
                _plain("Per cent", [float(i) for i in range(101)], "integer", 10),
                _plain("dp", [float(dp) for dp in PERFORMANCE_TABLE], "integer", 8),
            ),
            101,
            first_column=11,
        )
        cells = (
            CellPlan(1, 1, sheet["title"], style="title"),
            CellPlan(2, 1, "Logistic curve, live", style="hint"),
            CellPlan(2, 6, "FIDE table 8.1.2: difference to expectation", style="hint"),
            CellPlan(2, 11, "FIDE table 8.1.1: score to difference dp", style="hint"),
            CellPlan(3, 6, FIDE_SOURCE, style="hint"),
        )
        widths = {
            table.first_column + i: column.width
            for table in (odds, fide, performance)
            for i, column in enumerate(table.columns)
        }
        return SheetPlan(sheet["name"], cells, (odds, fide, performance), widths=widths, frozen_rows=HEADER_ROW)

    def _curves(self, sheet: Mapping[str, Any]) -> SheetPlan:
        if isinstance(self.cells, journal.JournalCells):
            fills = self.cells.curves()
            labels = ["Point", "Game", "Rating", "Average of 20"]
        else:
            fills = self._league_curves()
            labels = ["Point", "Game", *(f"Player {i}" for i in range(1, len(fills) - 1))]
        columns = tuple(
            ColumnPlan(label, fill, "", "points" if fill.unit == "points" else "integer", 14)
            for label, fill in zip(labels, fills.values(), strict=True)
        )
        table = TablePlan("Curves", HEADER_ROW, columns, len(columns[0].fill.values))
        widths = dict.fromkeys(range(1, len(columns) + 1), 14.0)
        return SheetPlan(sheet["name"], self._heading(sheet), (table,), widths=widths, hidden=True)

    # League

    def _league_curves(self) -> dict[str, Fill]:
        assert isinstance(self.cells, league.LeagueCells)
        count = _chart_players(self.form)
        return self.cells.curves([f"Chart!${column_letters(2 + i)}$5" for i in range(count)])

    def _carry(self, sheet: Mapping[str, Any]) -> SheetPlan:
        assert isinstance(self.cells, league.LeagueCells)
        fills = self.cells.carry()
        columns = tuple(
            ColumnPlan(label, fill, style="integer" if label == "No." else "points", width=14)
            for label, fill in fills.items()
        )
        table = TablePlan("Carry", HEADER_ROW, columns, len(columns[0].fill.values))
        widths = dict.fromkeys(range(1, len(columns) + 1), 14.0)
        return SheetPlan(sheet["name"], self._heading(sheet), (table,), widths=widths, hidden=True)

    def _standings(self, sheet: Mapping[str, Any]) -> SheetPlan:
        assert isinstance(self.cells, league.LeagueCells)
        cells = list(self._heading(sheet))
        cells += [
            CellPlan(HEADER_ROW, i, column["label"], style="header") for i, column in enumerate(sheet["columns"], 1)
        ]
        assert isinstance(self.book.inputs, league.LeagueInputs)
        places = self.book.places or self.book.inputs.player_rows
        for row, line in enumerate(self.cells.standings(places), HEADER_ROW + 1):
            for column, (formula, value, unit) in enumerate(line, 1):
                style = sheet["columns"][column - 1]["style"]
                cells.append(CellPlan(row, column, value, formula, style, unit))
        last = HEADER_ROW + places
        first = HEADER_ROW + 1
        width = len(sheet["columns"])
        body = f"$A${first}:${column_letters(width)}${last}"
        return SheetPlan(
            sheet["name"],
            tuple(cells),
            highlights=(
                Highlight(body, f'AND($A{first}<>"",$A{first}<=3)', "podium"),
                Highlight(body, f'$A{first}<>""', "ruled"),
            ),
            widths={i: column["width"] for i, column in enumerate(sheet["columns"], 1)},
            frozen_rows=HEADER_ROW,
        )

    def _chart(self, sheet: Mapping[str, Any]) -> SheetPlan:
        assert isinstance(self.cells, league.LeagueCells)
        assert isinstance(self.book.inputs, league.LeagueInputs)
        cells = list(self._heading(sheet))
        count = sheet["players"]
        pick = Validation(
            "list",
            range=self._players_range(),
            title="Player",
            message="A name from the sheet Players.",
            error="Choose a name from the sheet Players.",
        )
        cells.append(CellPlan(4, 1, "Players", style="label"))
        cells.append(CellPlan(5, 1, "Number", style="hint"))
        letters = [column_letters(2 + i) for i in range(count)]
        numbers = self.cells.chosen([f"{letter}$4" for letter in letters])
        series = []
        for i, (name, (formula, number)) in enumerate(zip(self.book.inputs.chosen, numbers, strict=True)):
            cells.append(CellPlan(4, 2 + i, name, style="name", is_input=True, validation=pick))
            cells.append(CellPlan(5, 2 + i, number, formula, "helper", "count"))
            rows = f"${HEADER_ROW + 1}:${{0}}${HEADER_ROW + league.CURVE_POINTS}"
            column = column_letters(3 + i)
            series.append(
                Series(
                    f"=Chart!${letters[i]}$4",
                    "=Curves!$B" + rows.format("B"),
                    f"=Curves!${column}" + rows.format(column),
                    ("line_main", "line_second", "line_third", "line_fourth")[i % 4],
                )
            )
        drawn = [value for fill in list(self._league_curves().values())[2:] for value in fill.values]
        chart = ChartPlan(
            "line",
            "Rating after each game",
            "Games of the league",
            "",
            tuple(series),
            7,
            1,
            960,
            440,
            _y_minimum(drawn),
        )
        return SheetPlan(
            sheet["name"],
            tuple(cells),
            charts=(chart,),
            widths={1: 12} | dict.fromkeys(range(2, 2 + count), 24.0),
            landscape=True,
        )

    def _check(self, sheet: Mapping[str, Any]) -> SheetPlan:
        assert isinstance(self.cells, league.LeagueCells)
        values = self.cells.checks
        cells = list(self._heading(sheet))
        formula, verdict = self._all_clear()
        cells.append(CellPlan(2, 1, verdict, formula, style="verdict"))
        for column, text in enumerate(("What is counted", "Found", "Should be", ""), 1):
            cells.append(CellPlan(HEADER_ROW, column, text, style="header"))
        first = HEADER_ROW + 1
        for row, line in enumerate(self._check_lines(sheet), first):
            formula, value, unit = values[line["role"]]
            cells.append(CellPlan(row, 1, line["label"], style="text"))
            cells.append(CellPlan(row, 2, value, formula, "number", unit))
            cells.append(CellPlan(row, 3, 0.0, style="number"))
            cells.append(CellPlan(row, 4, _good(value), f'IF(B{row}=C{row},"good","look")', "verdict"))
        last = first + len(self._check_lines(sheet)) - 1
        highlights = _verdict_highlights(f"$D${first}:$D${last}", f'$D{first}="good"')
        highlights += _verdict_highlights("$A$2", '$A$2="All checks are green"')
        return SheetPlan(sheet["name"], tuple(cells), highlights=tuple(highlights), widths={1: 68, 2: 12, 3: 12, 4: 12})

    def _check_lines(self, sheet: Mapping[str, Any]) -> list[dict[str, Any]]:
        lines: list[dict[str, Any]] = sheet["checks"]
        return [line for line in lines if self.system.zero_sum or line["role"] != "sum_of_changes"]

    def _all_clear(self) -> tuple[str, CellValue]:
        assert isinstance(self.cells, league.LeagueCells)
        sheet = next(sheet for sheet in self.form["sheet"] if sheet["kind"] == "check")
        lines = self._check_lines(sheet)
        values = self.cells.checks
        red = sum(_good(values[line["role"]][1]) == "look" for line in lines)
        cells = f"Check!$D${HEADER_ROW + 1}:$D${HEADER_ROW + len(lines)}"
        text = "All checks are green" if red == 0 else f"{red} to look at: see the sheet Check"
        return (
            f'IF(COUNTIF({cells},"look")=0,"All checks are green",'
            f'COUNTIF({cells},"look")&" to look at: see the sheet Check")',
            text,
        )


def _y_minimum(values: Sequence[CellValue]) -> float | None:
    """Return where the axis of ratings begins, or None to leave it to the program.

    Programs begin at zero when the ratings spread over more than a sixth of the highest, which flattens the lines;
    half the spread is left below the lowest for the games to come.
    """
    ratings = [float(value or 0) for value in values]
    low, high = min(ratings), max(ratings)
    begin = 100.0 * math.floor((low - (high - low) / 2) / 100)
    return begin if high - low > high / 6 and begin > 0 else None


def _good(value: CellValue) -> str:
    return "good" if value == 0 else "look"


def _verdict_highlights(cells: str, good: str) -> list[Highlight]:
    return [Highlight(cells, good, "good"), Highlight(cells, f"NOT({good})", "alarm")]


def _plain(label: str, values: Sequence[CellValue], style: str, width: float) -> ColumnPlan:
    return ColumnPlan(label, Fill(values), "", style, width)


def _setting_validation(parameter: Any) -> Validation:
    if parameter.choices:
        return Validation(
            "list",
            items=parameter.choices,
            title=parameter.label[:32],
            message=parameter.meaning[:255],
            error=f"One of {', '.join(parameter.choices)}.",
        )
    if parameter.is_date:
        return Validation("date", title=parameter.label[:32], message=parameter.meaning[:255], error="A day.")
    return Validation(
        "number",
        minimum=-1e6 if parameter.minimum is None else parameter.minimum,
        maximum=1e6,
        title=parameter.label[:32],
        message=parameter.meaning[:255],
        error="A number.",
    )
