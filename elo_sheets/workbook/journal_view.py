"""The journal's sheets: the Log that one player types, the Ledger behind it, and what they tell."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from elo_sheets.errors import UsageError
from elo_sheets.files.package import column_letters
from elo_sheets.replaying.starting import Start, Starts, starts
from elo_sheets.systems import Repeat, Rules, System
from elo_sheets.workbook import journal
from elo_sheets.workbook.book import HEADER_ROW, Book, Inputs, with_spare
from elo_sheets.workbook.dialect import Lists, leading, spilling, unless_empty
from elo_sheets.workbook.front import Line, rows_left
from elo_sheets.workbook.journal_chain import EXTRA, Rule
from elo_sheets.workbook.journal_goals import MILESTONE_ROWS, Goals
from elo_sheets.workbook.journal_plans import Plans, line_of
from elo_sheets.workbook.journal_stats import BAR_MONTHS, CURVE_POINTS, LINE_POINTS, MONTH_LIMITS, Fills, Stats
from elo_sheets.workbook.odds import odds_sheet
from elo_sheets.workbook.own_templates import OWN as ADDED
from elo_sheets.workbook.plan import (
    CellPlan,
    CellValue,
    ChartPlan,
    ColumnPlan,
    Fill,
    Highlight,
    Series,
    SheetPlan,
    TablePlan,
    Validation,
)
from elo_sheets.workbook.spellings import OWN, Spellings
from elo_sheets.workbook.view import Figure, Form, View, unnamed, y_minimum

if TYPE_CHECKING:
    import pandas as pd

    from elo_sheets.replaying.settings import Settings

# Where the pool stands that the Dashboard shows, and the deviation of opponents whose own is not typed.
POOL_SHOWN = ("Dashboard", 3, 2)
OPPONENT_RD = ("Pools", 3, 8)
# Where the number of the shown pool stands.
POOL_NUMBER = ("Pools", 3, 3)
BEST_ROWS = 5
# The column in which a list says how many it leaves out.
MORE_COLUMN = 5
# Where the names stand that the chart of the pools shows, on the sheet PoolLines.
LEGEND_ROW = 3


class JournalView(View):
    """The sheets of one player's journal."""

    games_table = typed_table = "Log"
    sorts_late_games = True
    rates_pools_apart = True
    modern_sheets = ("Results", "Opponents", "Months")

    def __init__(self, book: Book) -> None:
        super().__init__(book)
        self.rule = Rule(self.system, book.settings)
        if not self.rule.rounds:
            self._leave_out("rounds")
        if not self.rule.has_rd:
            self._leave_out("aim")
        self.cells = journal.JournalCells(
            self.system,
            book.settings,
            self.setting_cells,
            book.inputs,
            self.labels("Ledger"),
            HEADER_ROW,
        )
        self.stats, self.plans = Stats(self.cells), Plans(self.cells)
        self.goals = Goals(self.plans)
        self.fills = self.cells.ledger | self.cells.log()
        self.names["Pool_number"] = _address(POOL_NUMBER)
        if self.rule.has_rd:
            self.names["Opponent_RD"] = _address(OPPONENT_RD)

    def _leave_out(self, kind: str) -> None:
        self.form = {**self.form, "sheet": [sheet for sheet in self.form["sheet"] if sheet["kind"] != kind]}

    # How a book begins and is read back

    @classmethod
    def check(cls, form: Form, system: System) -> None:
        missing = Rule(system, {p.name: p.default for p in system.parameters}).missing()
        if missing:
            raise UsageError(
                f"template {form['name']} cannot hold system {system.name} with these settings, which need "
                f"{', '.join(missing)}: a journal knows one player, his opponents' ratings and the results; "
                "use replay for the numbers"
            )

    @cached_property
    def front(self) -> Sequence[Line]:
        """The rating of the pool that the Dashboard shows, the games, and the free rows."""
        latest = "MAX(Ledger[Latest date])"
        return (
            Line("Rating now", "INDEX(Pools[Rating now],Pool_number)", "points_left", "points"),
            Line(
                "Games so far", 'COUNTIF(Log[Status],"rated*")', remark='"rated games; Check counts what is not rated"'
            ),
            Line("Last game", f'IF({latest}=0,"",{latest})', "date_left", "date"),
            rows_left("Log", "Opponent", "Game"),
        )

    @classmethod
    def blank(cls, form: Form, system: System, settings: Settings, rows: int) -> Inputs:
        labels = cls.input_columns(form, system)["Log"]
        if rows == form["rows"]:
            rows = cls._least_rows(form, system)
        return cls._inputs(form, settings, dict.fromkeys(labels, [None] * rows), rows)

    @classmethod
    def _least_rows(cls, form: Form, system: System) -> int:
        """Return the rows of an empty journal: fewer where each has an iteration of two hundred cells."""
        return int(form["rows_with_rounds" if any(isinstance(step, Repeat) for step in system.closing) else "rows"])

    @classmethod
    def _inputs(
        cls,
        form: Form,
        settings: Mapping[str, Any],
        log: Mapping[str, Sequence[CellValue]],
        rows: int,
        pools: Sequence[tuple[str, float | None]] = (),
    ) -> Inputs:
        named = list(pools) or [(name, None) for name in form["pools"]]
        spare = max(journal.POOL_ROWS, len(named) + 2) - len(named)
        initial = float(settings["initial"])
        marks: list[CellValue] = [100.0 * (initial // 100 + k) for k in range(1, MILESTONE_ROWS + 1)]
        nothing: list[CellValue] = [None] * (len(named) + spare)
        bands: list[CellValue] = [*map(float, form["bands"]), None]
        tables: dict[str, Mapping[str, Sequence[CellValue]]] = {
            "Log": log,
            "Pools": {
                "Pool": [name for name, _ in named] + [None] * spare,
                "Start rating": [start for _, start in named] + [None] * spare,
                "Start RD": nothing,
            },
            "Bands": {"From": bands},
            "Milestones": {"Milestone": marks},
        }
        first = named[0][0]
        return Inputs(tables, {"pool_shown": first, "opponent_rd": journal.OPPONENT_RD}, {"Ledger": rows})

    @classmethod
    def starts(
        cls, start: Start, system: Rules, games: pd.DataFrame, settings: Collection[str], player: str | None
    ) -> Starts:
        return starts(start, system, games, settings, player=player)

    @classmethod
    def filled(
        cls,
        form: Form,
        system: System,
        settings: Settings,
        games: pd.DataFrame,
        player: str | None,
        start: Starts,
    ) -> tuple[Inputs, str]:
        """What the player starts from stands among the settings.

        A log of more than one pool gives each its first published rating. It stands on the sheet Pools too: a rating
        that the player has already counts for the highest one, an initial rating that a newcomer is given does not.
        """
        from elo_sheets.replaying.replay import journal_games

        assert player is not None
        mine = journal_games(games, player)
        own = start.states.get(mine["player"].iloc[0], {})
        first = own.get("rating")
        rows = with_spare(len(mine), cls._least_rows(form, system))
        labels = cls.input_columns(form, system)["Log"]
        names = [str(name) for name in mine["pool"].unique() if name] if "pool" in mine else []
        several = len(names) > 1
        log = journal.inputs_from_games(mine, rows, several)
        pools: list[tuple[str, float | None]] = []
        for name in names if several else []:
            published = mine.loc[(mine["pool"] == name) & (mine["own_rating"] > 0), "own_rating"]
            pools.append((name, float(published.iloc[0]) if start.published and len(published) else None))
        if not several and first is not None:
            pools = [(name, None if at else first) for at, name in enumerate(form["pools"])]
        inputs = cls._inputs(form, settings, {label: log[label] for label in labels}, rows, pools)
        return inputs, mine["player"].iloc[0]

    @classmethod
    def present(cls, columns: Sequence[dict[str, Any]], form: Form, system: System) -> list[dict[str, Any]]:
        """Return the columns that a book of this system has: `needs` names a column or input of its rule."""
        has = {line.name for line in (*system.lines, *_forecast(system))} | {state.name for state in system.state}
        has |= {name for name in EXTRA if name in system.reads}
        rule = Rule(system, {p.name: p.default for p in system.parameters})
        has |= {"stake", "staked k"} if rule.stakes_k else {"stake"} if rule.has_rd else set()
        has |= set() if "rd" in has else {"no rd"}
        return [column for column in columns if column.get("needs", "") in {"", *has}]

    @classmethod
    def input_columns(cls, form: Form, system: System) -> dict[str, tuple[str, ...]]:
        found: dict[str, tuple[str, ...]] = {}
        for sheet in form["sheet"]:
            tables = [{"name": sheet["name"], **sheet}, *sheet.get("table", ())]
            for table in tables:
                columns = [*cls.present(table.get("column", ()), form, system), *table.get(ADDED, ())]
                labels = tuple(column["label"] for column in columns if column.get("input"))
                if labels:
                    found[table["name"]] = labels
        return found

    @classmethod
    def input_cells(cls, form: Form) -> dict[str, tuple[str, int, int]]:
        return {"pool_shown": POOL_SHOWN, "opponent_rd": OPPONENT_RD}

    # Columns

    def step_columns(self, column: dict[str, Any]) -> list[dict[str, Any]]:
        if column["role"] == "last_steps":
            count = len(self.book.inputs.tables.get("Pools", {}).get("Pool", [None] * journal.POOL_ROWS))
            return [column | {"label": f"Last {i}", "role": f"last {i}"} for i in range(1, count + 1)]
        return super().step_columns(column)

    def step_names(self) -> list[str]:
        return list(Rule(self.system, self.book.settings).ledger_names)

    def column_label(self, column: Mapping[str, Any]) -> str:
        # The Log calls a result as the rating system does: a month's change is the change so far.
        role = column.get("role", "")
        if role.startswith("step:"):
            return self.rule.label(role.removeprefix("step:")) if hasattr(self, "rule") else str(column["label"])
        return self.system.label(role) if role in journal.SHOWN else str(column["label"])

    def validation(self, spec: Mapping[str, Any]) -> Validation:
        if spec["kind"] == "pools":
            spec = {**spec, "kind": "list", "range": self.pools_range}
        return super().validation(spec)

    @property
    def pools_range(self) -> str:
        """The names that a drop-down of pools offers."""
        return f"Pools!$B${HEADER_ROW + 1}:$B${HEADER_ROW + len(self.cells.pools.names)}"

    def heading(self, sheet: Mapping[str, Any]) -> tuple[CellPlan, ...]:
        if self.book.title and sheet["name"] == "Dashboard":
            sheet = {**sheet, "title": f"{sheet['title']}: {self.book.title}"}
        if self.rule.has_rd and "hint_rd" in sheet:
            sheet = {**sheet, "hint": sheet["hint_rd"]}
        return super().heading(sheet)

    def highlights(self, table: TablePlan) -> Iterator[Highlight]:
        yield from super().highlights(table)
        if table.name != "Log":
            return
        first = table.first_data_row

        def at(label: str) -> tuple[str, str]:
            cells = table.range(label)
            return cells, f"${cells[1 : cells.index('$', 1)]}{first}"

        cells, cell = at("Streak")
        yield Highlight(cells, f"N({cell})>=3", "win")
        yield Highlight(cells, f"N({cell})<=-3", "loss")
        cells, cell = at("Mark")
        yield Highlight(cells, f'ISNUMBER(SEARCH("upset",{cell}))', "draw")
        cells, _ = at(self.system.label("rating_after"))
        yield Highlight(cells, f'LEFT({cell},4)="peak"', "podium")

    # Sheets with tables of their own

    @cached_property
    def table_fills(self) -> Mapping[str, Fills]:
        """What stands in the tables of the sheets behind the Log, by table and label."""
        stats, plans, rows = self.stats, self.plans, self.cells.rows
        bands = self.book.inputs.tables.get("Bands", {}).get("From", [*map(float, self.form["bands"]), None])
        names = {
            "Opponents": ("Opponent", "Opponent no.", [row.opponent for row in rows]),
            "Openings": ("Opening", "Opening no.", [row.opening for row in rows]),
            "Controls": ("Time control", "Control no.", [row.control for row in rows]),
        }
        sizes = {
            table["name"]: table["modern_rows"] if self._is_list(table) else table.get("rows", 0)
            for sheet in self.form["sheet"]
            for table in sheet.get("table", ())
        }
        found: dict[str, Fills] = {
            "ByColour": stats.by_colour(),
            "Bands": stats.by_band(bands),
            "Letters": stats.by_letter(),
            "ByMonth": stats.months(*MONTH_LIMITS, sizes["ByMonth"], played=self.is_modern),
            "BestWins": stats.extremes("BestWins", BEST_ROWS),
            "WorstLosses": stats.extremes("WorstLosses", BEST_ROWS),
            "Pools": plans.pools(),
            "Goals": self.goals.goals(),
            "Milestones": self.goals.milestones(),
            "Planned": plans.planned(),
        }
        for table, (label, column, texts) in names.items():
            found[table] = stats.most_played(table, label, column, texts, sizes[table])
        return found

    def _is_list(self, spec: Mapping[str, Any]) -> bool:
        """Return whether a table of the template is a list that spills."""
        return self.is_modern and "modern_rows" in spec

    def _lists(self, table: TablePlan) -> Lists:
        """Return the formulas that fill a list."""
        if table.name == "ByMonth":
            played = "LET(played,FILTER(Ledger[Date],(Ledger[Rated pool]=Pool_number)*(Ledger[Date]>0))"
            months = "SORT(UNIQUE(DATE(YEAR(played),MONTH(played),1)),1,-1)"
            return {("Month",): f'IF({MONTH_LIMITS[1]}=0,"",{played},{leading(months, table.rows)}))'}
        label = table.columns[2].label
        rank = f"Ledger[{label} rank]"

        def most_played(column: str) -> str:
            found = f'SORTBY(FILTER(Ledger[{column}],key>0,""),FILTER(key,key>0,""),-1)'
            listed = f'LET(key,IF({rank}="",0,{rank}),{leading(found, table.rows)})'
            return unless_empty(f'COUNTIF({rank},">0")=0', listed)

        return {("Id",): most_played(f"{label} no."), (label,): most_played(label)}

    def own_table(self, spec: Mapping[str, Any], first_row: int) -> TablePlan:
        """Return the plan of a table that the template lists under a sheet."""
        fills = self.table_fills[spec["name"]]
        columns: list[ColumnPlan] = []
        for column in self.present(spec["column"], self.form, self.system):
            if column.get("role") == "tally":
                columns += [self._own_column(one, fills) for one in self.form["tally"]]
            else:
                columns.append(self._own_column(column, fills))
        count = len(columns[0].fill.values)
        table = TablePlan(spec["name"], first_row, tuple(columns), count, spec.get("first_column", 1))
        if not self._is_list(spec):
            return table
        return spilling(_numbered(table), self._lists(table))

    def _own_column(self, column: Mapping[str, Any], fills: Mapping[str, Fill]) -> ColumnPlan:
        validation = column.get("validation")
        return ColumnPlan(
            column["label"],
            fills[column["label"]],
            "",
            column["style"],
            column["width"],
            column.get("input", False),
            None if validation is None or validation["kind"] == "text" else self.validation(validation),
            column.get("modern_about" if self.is_modern else "about", column.get("about", "")),
            column.get("source", ""),
        )

    def _tables(self, sheet: Mapping[str, Any]) -> SheetPlan:
        cells, tables = list(self.heading(sheet)), []
        row = HEADER_ROW
        for spec in sheet["table"]:
            if spec["title"]:
                row += 0 if spec.get("first_row") else 1
                at = spec.get("first_column", 1)
                cells.append(CellPlan(spec.get("first_row", row + 0) - 1, at, spec["title"], style="section"))
            table = self.own_table(spec, spec.get("first_row", row))
            tables.append(table)
            cells += self._left_out(spec, table)
            row = table.last_row + 2
        widths: dict[int, float] = {}
        for table in tables:
            for at, column in enumerate(table.columns, table.first_column):
                widths[at] = max(widths.get(at, 0), column.width)
        return SheetPlan(
            sheet["name"],
            tuple(cells),
            tuple(tables),
            highlights=tuple(_unfilled(tables)),
            widths=widths,
            frozen_rows=sheet.get("frozen_rows", 0),
            landscape=True,
        )

    def _left_out(self, spec: Mapping[str, Any], table: TablePlan) -> Iterator[CellPlan]:
        """Yield the cell that says how many a list leaves out: above it, beside its title."""
        if "more" not in spec:
            return
        rank = f"Ledger[{spec['ranks']}]"
        fill = self.fills[f"{spec['ranks'].lower().replace(' ', '_')}"]
        more = max(0, sum(isinstance(key, float) and key > 0 for key in fill.values) - table.rows)
        one, several = spec["more"]
        count = f'COUNTIF({rank},">0")-{table.rows}'
        formula = f'IF({count}<1,"",IF({count}=1,"1 {one}",{count}&" {several}"))'
        text = "" if more < 1 else (f"1 {one}" if more == 1 else f"{more} {several}")
        yield CellPlan(table.first_row - 1, MORE_COLUMN, text, formula, "hint")

    def _months(self, sheet: Mapping[str, Any]) -> SheetPlan:
        plan = self._tables(sheet)
        cells = list(plan.cells)
        for column, text, figure in zip((3, 6), ("First month", "Last month"), self.stats.limits(), strict=True):
            cells.append(CellPlan(3, column, text, style="name_right"))
            cells.append(CellPlan(3, column + 1, figure[1], figure[0], "month", figure[2]))
        if not self.is_modern:
            cells += self._earlier_months(plan.tables[0].rows)
        return _with(plan, cells=tuple(cells))

    def _earlier_months(self, listed: int) -> Iterator[CellPlan]:
        """Yield the cells that say how many months lie before those that are listed."""
        first, last = (float(figure[1] or 0) for figure in self.stats.limits())
        more = int(journal.month_number(last) - journal.month_number(first)) + 1 - listed if last else 0
        begin, end = MONTH_LIMITS
        count = f"12*(YEAR({end})-YEAR({begin}))+MONTH({end})-MONTH({begin})-{listed - 1}"
        yield CellPlan(3, 9, float(max(0, more)), f"IF({end}=0,0,MAX(0,{count}))", "ordinal", "count")
        text = "" if more < 1 else ("earlier month" if more == 1 else "earlier months")
        yield CellPlan(3, 10, text, 'IF(I3=0,"",IF(I3=1,"earlier month","earlier months"))', "hint")

    def _pools(self, sheet: Mapping[str, Any]) -> SheetPlan:
        plan = self._tables(sheet)
        cells = list(plan.cells)
        number = f'IF({_address(POOL_SHOWN)}="",1,SUMPRODUCT((Pools[Pool]={_address(POOL_SHOWN)})*Pools[Id]))'
        cells.append(CellPlan(3, 2, "Pool on the Dashboard, number", style="name_right"))
        cells.append(CellPlan(3, 3, float(self.cells.shown_pool), f"MAX(1,{number})", "integer", "count"))
        if self.rule.has_rd:
            _, row, column = OPPONENT_RD
            given = self.book.inputs.cells.get("opponent_rd")
            cells.append(CellPlan(row, column - 1, "RD of opponents without one", style="name_right"))
            rule = Validation(
                "number",
                minimum=0,
                maximum=1000,
                title="RD of opponents",
                error="A number from 0 to 1000.",
                message="How uncertain opponents' ratings are where the Log does not say; empty is 0: certain.",
            )
            cells.append(CellPlan(row, column, given, style="setting", unit="points", is_input=True, validation=rule))
        (table,) = plan.tables
        highlights, charts = tuple(self._line_colours(table)), (self._pools_chart(table),)
        return _with(plan, cells=tuple(cells), charts=charts, highlights=(*plan.highlights, *highlights))

    def _pools_chart(self, table: TablePlan) -> ChartPlan:
        """Return the chart of every pool that the table has a row for: the table's column Line is its legend.

        A legend of the chart would show the lines of rows without a name too.
        """
        series = []
        for number in range(1, table.rows + 1):
            x, y = (column_letters(3 * number + at) for at in (0, 1))
            series.append(
                Series(
                    f"=PoolLines!${x}${LEGEND_ROW}",
                    _column("PoolLines", x, LINE_POINTS),
                    _column("PoolLines", y, LINE_POINTS),
                    line_of(number),
                )
            )
        fills = self.stats.pool_lines()
        values = [value for label, fill in fills.items() if label.startswith("Rating") for value in fill.values]
        return ChartPlan(
            "line",
            "Rating by pool, in the colours of the column Line",
            "Game",
            "",
            tuple(series),
            table.last_row + 2,
            2,
            900,
            360,
            y_minimum(values),
            legend=False,
        )

    @staticmethod
    def _line_colours(table: TablePlan) -> Iterator[Highlight]:
        """Yield the colour of each row's line, which the cell beside the pool's name shows."""
        letter = table.range("Line").split("$")[1]
        for number in range(1, table.rows + 1):
            cell = f"${letter}${table.first_row + number}"
            yield Highlight(cell, f'{cell}<>""', f"text_{line_of(number)}")

    # Hidden tables

    def _rounds(self, sheet: Mapping[str, Any]) -> SheetPlan:
        return self.plain_table(sheet, "Rounds", self.cells.rounds())

    def _trial(self, sheet: Mapping[str, Any]) -> SheetPlan:
        return self.plain_table(sheet, "Trial", self.plans.trial())

    def _aim(self, sheet: Mapping[str, Any]) -> SheetPlan:
        return self.plain_table(sheet, "Aim", self.goals.aim())

    def _exact(self, sheet: Mapping[str, Any]) -> SheetPlan:
        return self.plain_table(sheet, "Exact", self.stats.exact())

    def _curves(self, sheet: Mapping[str, Any]) -> SheetPlan:
        plan = self.plain_table(sheet, "Curves", self.stats.curves())
        cells = list(plan.cells)
        for at, (name, (formula, value)) in enumerate(self.stats.switches().items()):
            column = 2 * at + 1
            cells.append(CellPlan(2, column, name.replace("_", " "), style="hint"))
            cells.append(CellPlan(2, column + 1, value, formula, "helper", "count"))
            self.names[name] = f"Curves!${column_letters(column + 1)}$2"
        return _with(plan, cells=tuple(cells))

    def _bars(self, sheet: Mapping[str, Any]) -> SheetPlan:
        return self.plain_table(sheet, "MonthBars", self.stats.bars(*MONTH_LIMITS))

    def _lines(self, sheet: Mapping[str, Any]) -> SheetPlan:
        plan = self.plain_table(sheet, "PoolLines", self.stats.pool_lines())
        names = []
        for number, name in enumerate(self.cells.pools.names, 1):
            cell = f"INDEX(Pools[Pool],{number})"
            formula = f'IF({cell}="","(not named)",{cell}&"")'
            names.append(CellPlan(LEGEND_ROW, 3 * number, name or "(not named)", formula))
        return _with(plan, cells=(*plan.cells, *names))

    def _odds(self, sheet: Mapping[str, Any]) -> SheetPlan:
        if self.rule.has_rd:  # their scale is another
            return odds_sheet(sheet, self.system, {}, {})
        return odds_sheet(sheet, self.system, self.book.settings, self.setting_cells)

    # The Dashboard

    def _dashboard(self, sheet: Mapping[str, Any]) -> SheetPlan:
        cells = list(self.heading(sheet))
        row, column = POOL_SHOWN[1:]
        chosen = self.book.inputs.cells.get("pool_shown")
        rule = Validation(
            "list",
            range=self.pools_range,
            title="Pool",
            error="A name from the sheet Pools.",
            message="The pool that this sheet, Results, Opponents and Months show; empty means the first.",
        )
        cells.append(CellPlan(row, column - 1, "Pool", style="label"))
        cells.append(CellPlan(row, column, chosen, style="choice", is_input=True, validation=rule))
        figures = self.stats.figures()
        for at, block in enumerate(sheet["block"]):
            left = 1 + 3 * at
            cells.append(CellPlan(5, left, block["title"], style="section"))
            cells.append(CellPlan(5, left + 1, None, style="section"))
            shown = [figure for figure in block["figures"] if figure["role"] in figures]
            for line, figure in enumerate(shown, 6):
                formula, value, unit = figures[figure["role"]]
                cells.append(CellPlan(line, left, figure["label"], style="label"))
                cells.append(CellPlan(line, left + 1, value, formula, figure["style"], unit))
        tables = []
        for spec in sheet["table"]:
            cells.append(CellPlan(spec["first_row"] - 1, spec["first_column"], spec["title"], style="section"))
            tables.append(self.own_table(spec, spec["first_row"]))
        widths = {1: 24, 2: 13, 3: 3, 4: 26, 5: 13, 6: 3, 7: 24, 8: 13, 9: 3, 10: 5, 11: 24, 12: 9, 13: 12}
        return SheetPlan(
            sheet["name"],
            tuple(cells),
            tuple(tables),
            highlights=tuple(_unfilled(tables)),
            charts=self._dashboard_charts(),
            widths=widths,
            landscape=True,
        )

    def _dashboard_charts(self) -> tuple[ChartPlan, ...]:
        shown = self.stats.curves()
        labels = list(shown)

        def line(label: str, style: str) -> Series:
            letter = column_letters(labels.index(label) + 1)
            return Series(label, _column("Curves", "B", CURVE_POINTS), _column("Curves", letter, CURVE_POINTS), style)

        lines = [("Rating", "line_main"), ("Average of 20", "line_soft"), ("Average of 100", "line_third")]
        if self.rule.has_rd:
            lines += [("Lower", "line_band"), ("Upper", "line_band")]
        rating = ChartPlan(
            "line",
            "Rating",
            "Game",
            "",
            tuple(line(*one) for one in lines),
            15,
            1,
            890,
            320,
            y_minimum([value for label, _ in lines for value in shown[label].values]),
        )
        months = tuple(
            Series(word, _column("MonthBars", "C", BAR_MONTHS), _column("MonthBars", letter, BAR_MONTHS), style)
            for word, letter, style in (
                ("Wins", "D", "bar_win"),
                ("Draws", "E", "bar_draw"),
                ("Losses", "F", "bar_loss"),
            )
        )
        volume = ChartPlan("bar", "Games per month", "", "", months, 32, 1, 890, 240)
        first = HEADER_ROW + 2
        colours = tuple(
            Series(
                word, f"=Results!$C${first}:$C${first + 1}", f"=Results!${letter}${first}:${letter}${first + 1}", style
            )
            for word, letter, style in (
                ("Wins", "E", "bar_win"),
                ("Draws", "F", "bar_draw"),
                ("Losses", "G", "bar_loss"),
            )
        )
        return rating, volume, ChartPlan("bar", "Results by colour", "", "", colours, 22, 10, 370, 440)

    # Check

    @property
    def spellings(self) -> Spellings:
        return OWN

    @cached_property
    def _checks(self) -> dict[str, Figure]:
        rows, cells = self.cells.rows, self.cells
        log = self.fills["status"].values
        rated = len(cells.rated)

        def status(text: str) -> Figure:
            found = sum(row.status.startswith(text) for row in rows)
            return f'COUNTIF(Ledger[Status],"{text}*")', float(found), "count"

        twins = sum(bool(name) and not i for name, i in zip(cells.pools.names, cells.pools.ids, strict=True))
        found: dict[str, Figure] = {
            "not_rated": (
                'SUMPRODUCT(1*(Log[Status]<>""))-COUNT(Ledger[Score])',
                float(sum(text not in {"", "rated"} for text in log)),
                "count",
            ),
            "no_rating": status("no opponent rating"),
            "no_result": status("no result"),
            "unknown_pool": status("unknown pool"),
            "beyond": (
                'COUNTIF(Log[Status],"beyond the Ledger")',
                float(sum(text == "beyond the Ledger" for text in log)),
                "count",
            ),
            "order": ("SUM(Ledger[Order break])", float(sum(cells.order_breaks)), "count"),
            "duplicates": ("SUM(Ledger[Duplicate])", sum(float(v or 0) for v in cells.repeated), "count"),
            "twins": ('SUMPRODUCT((Pools[Pool]<>"")*(Pools[Id]=0))', float(twins), "count"),
            "pool_games": ("COUNT(Ledger[Score])-SUM(Pools[Games])", 0.0, "count"),
            "results": (
                "COUNT(Ledger[Score])-COUNTIF(Ledger[Score],1)-COUNTIF(Ledger[Score],0.5)-COUNTIF(Ledger[Score],0)",
                float(rated - rated),
                "count",
            ),
            "exact": (
                "IF(OR(INDEX(Exact[Points],1)=0,INDEX(Exact[Points],1)=INDEX(Pools[Games],Pool_number)),0,"
                "ROUND(INDEX(Exact[Points],1)-INDEX(Exact[Expects],ROWS(Exact[Expects])),6))",
                0.0,
                "number",
            ),
        }
        if self.rule.period == "game":
            found["total"] = (self._total_change(), 0.0, "points")
        if cells.needs_date:
            found["no_date"] = status("no date")
        if self.rule.period in {"month", "year"}:
            found["out_of_order"] = status("out of order")
        return found

    @property
    def checks(self) -> Mapping[str, Figure]:
        return self._checks

    def _total_change(self) -> str:
        """Return the formula of the difference between two ways to the change of all pools, game by game."""
        label = self.rule.label
        other = f"SUM(Ledger[{label('rating_after')}])-SUM(Ledger[{label('rating')}])"
        if self.rule.is_plain:
            k, expected = label("k_used"), label("expected")
            other = f"(SUMPRODUCT(Ledger[{k}],Ledger[Score])-SUMPRODUCT(Ledger[{k}],Ledger[{expected}]))"
            return f"ROUND(SUM(Pools[Change])-{other},6)"
        return f"ROUND(SUM(Pools[Change])-({other}),6)"


def _forecast(system: System) -> Iterator[Any]:
    from elo_sheets.systems import lines

    yield from lines(system.forecast)


def _address(place: tuple[str, int, int]) -> str:
    sheet, row, column = place
    return f"{sheet}!${column_letters(column)}${row}"


def _column(sheet: str, letter: str, rows: int) -> str:
    return f"={sheet}!${letter}${HEADER_ROW + 1}:${letter}${HEADER_ROW + rows}"


def _numbered(table: TablePlan) -> TablePlan:
    """Return a list whose first column counts its rows, as far as the second has any."""
    count, key = table.columns[:2]
    values: list[CellValue] = [
        "" if value == "" else number for number, value in zip(count.fill.values, key.fill.values, strict=True)
    ]
    text = f'IF({table.name}[[#This Row],[{key.label}]]="","",ROW()-ROW($A${table.first_row}))'
    return replace(table, columns=(replace(count, fill=Fill(values, text, "count")), *table.columns[1:]))


def _unfilled(tables: Sequence[TablePlan]) -> Iterator[Highlight]:
    """Yield the formats that show no number in the rows of a list that nothing stands in."""
    for table in tables:
        labels = [column.label for column in table.columns if column.label != "Id"]
        if labels[0] == "No." and not any(column.is_input for column in table.columns):
            yield unnamed(table, "No.", labels[1])


def _with(plan: SheetPlan, **changes: Any) -> SheetPlan:
    return replace(plan, **changes)
