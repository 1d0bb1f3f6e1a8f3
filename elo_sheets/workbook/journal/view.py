"""The journal's sheets: the Log that one player types, the Ledger behind it, and what they tell."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from elo_sheets._late import pd
from elo_sheets.errors import UsageError
from elo_sheets.files.references import column_letters
from elo_sheets.replaying.settings import Settings
from elo_sheets.replaying.starting import Start, Starts, starts
from elo_sheets.systems import Rules, System, lines
from elo_sheets.workbook.book import HEADER_ROW, Book, Filling, Inputs
from elo_sheets.workbook.dialect import Lists, leading, spilling, unless_empty
from elo_sheets.workbook.front import Line, last_game, rows_left
from elo_sheets.workbook.highlights import unnamed
from elo_sheets.workbook.journal import formulas as journal
from elo_sheets.workbook.journal.chain import EXTRA, Rule
from elo_sheets.workbook.journal.charts import LEGEND_ROW, dashboard_charts, line_colours, pools_chart
from elo_sheets.workbook.journal.checks import checks
from elo_sheets.workbook.journal.curves import bars, curves, peak, pool_lines
from elo_sheets.workbook.journal.figures import exact, figure_terms, switches
from elo_sheets.workbook.journal.goals import Goals
from elo_sheets.workbook.journal.inputs import filled_journal, least_rows, new_journal
from elo_sheets.workbook.journal.plans import Plans
from elo_sheets.workbook.journal.rows import POOL_ROWS
from elo_sheets.workbook.journal.stats import MONTH_LIMITS, Fills, Stats, month_limits, numbered
from elo_sheets.workbook.layout import TableLayout
from elo_sheets.workbook.odds import odds_sheet
from elo_sheets.workbook.own.templates import OWN as ADDED
from elo_sheets.workbook.plan import (
    PENDING,
    CellPlan,
    ColumnPlan,
    Fill,
    Highlight,
    SheetPlan,
    TablePlan,
    Validation,
    asked,
    column_as_told,
    figured,
)
from elo_sheets.workbook.spellings import Spellings
from elo_sheets.workbook.sports.profiles import words_of
from elo_sheets.workbook.view import Behind, Figure, Form, View

# Where the pool stands that the Dashboard shows, and the deviation of opponents whose own is not typed.
POOL_SHOWN = ("Dashboard", 3, 2)
OPPONENT_RD = ("Pools", 3, 8)
# Where the number of the shown pool stands.
POOL_NUMBER = ("Pools", 3, 3)
# The column in which a list says how many it leaves out.
MORE_COLUMN = 5

# What is said of performances where the rule has another scale, which no setting tells.
ELOS_SCALE = "Performances are on Elo's scale, whatever the rule's: 400 points mean odds of ten to one."


class JournalView(View):
    """The sheets of one player's journal."""

    games_table = typed_table = "Log"
    twins = ("Pools", "Pools[Pool]", "Pools[Id]")
    nothing_yet = "COUNT(Ledger[Score])=0"
    sorts_late_games = True
    rates_pools_apart = True
    modern_sheets = ("Results", "Opponents", "Months")

    def __init__(self, book: Book) -> None:
        super().__init__(book)
        words = words_of(self.form)
        self.rule = Rule(self.system, book.settings, words)
        if not self.rule.rounds:
            self._leave_out("rounds")
        if not self.rule.has_rd:
            self._leave_out("aim")
        labels = self.labels("Ledger"), self.labels("Log")
        self.cells = journal.JournalCells(self.system, book.settings, self.setting_cells, book.inputs, *labels, words)
        self.plans = Plans(self.cells)
        self.goals = Goals(self.plans)
        self.fills = self.cells.ledger() | self.cells.log()
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
        return (
            Line("Rating now", "INDEX(Pools[Rating now],Pool_number)", "points_left", "points"),
            Line("Games so far", "COUNT(Ledger[Score])", remark='"rated games; Check counts what is not rated"'),
            last_game("MAX(Ledger[Latest date])", "Log"),
            rows_left("Log", "Opponent"),
        )

    @classmethod
    def blank(cls, form: Form, system: System, settings: Settings, rows: int) -> Inputs:
        labels = cls.input_columns(form, system)["Log"]
        if rows == form["rows"]:
            rows = least_rows(form, system)
        return new_journal(form, settings, dict.fromkeys(labels, [None] * rows), rows)

    @classmethod
    def starts(
        cls, start: Start, system: Rules, games: pd.DataFrame, settings: Collection[str], player: str | None
    ) -> Starts:
        return starts(start, system, games, settings, player=player)

    @classmethod
    def filled(cls, form: Form, system: System, settings: Settings, log: Filling) -> tuple[Inputs, str]:
        return filled_journal(form, cls.input_columns(form, system)["Log"], system, settings, log)

    @classmethod
    def present(cls, columns: Sequence[dict[str, Any]], form: Form, system: System) -> list[dict[str, Any]]:
        """Return the columns that a book of this system has: `needs` names a column or input of its rule."""
        has = {line.name for line in (*system.lines, *lines(system.forecast))} | {state.name for state in system.state}
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
            count = len(self.book.inputs.tables.get("Pools", {}).get("Pool", [None] * POOL_ROWS))
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
        if sheet["name"] == "Dashboard" and not (self.rule.has_scale or self.rule.is_on_elos_scale):
            sheet = {**sheet, "hint": f"{sheet['hint']} {ELOS_SCALE}"}
        if self.rule.has_rd and "hint_rd" in sheet:
            sheet = {**sheet, "hint": sheet["hint_rd"]}
        return super().heading(sheet)

    def highlights(self, table: TablePlan) -> Iterator[Highlight]:
        yield from super().highlights(table)
        if table.name != "Log":
            return
        streak, cell = table.range("Streak"), table.top("Streak")
        yield Highlight(streak, f"N({cell})>=3", "win")
        yield Highlight(streak, f"N({cell})<=-3", "loss")
        yield Highlight(table.range("Mark"), f'ISNUMBER(SEARCH("upset",{table.top("Mark")}))', "draw")
        rating = self.system.label("rating" if self.rule.is_periodic else "rating_after")
        yield Highlight(table.range(rating), f'LEFT({table.top("Mark")},4)="peak"', "podium")

    # Sheets with tables of their own

    @property
    def scale(self) -> str:
        """What formulas take for the difference of ratings that means odds of ten to one."""
        return self.rule.scale(self.setting_cells)

    @cached_property
    def stats(self) -> Stats:
        """The tables of the shown pool's games."""
        return Stats(self.cells.layout, self.cells.ledger_rows, self.scale)

    @property
    def terms(self) -> Mapping[str, str]:
        return {**super().terms, **self.plans.terms, **self.goals.terms, **figure_terms(self.scale)}

    def _rows_of(self, spec: Mapping[str, Any]) -> Fills:
        """Return what stands in a table of the template besides its formulas: numbers, words, what is typed, sums."""
        usual = {"Bands": {"From": [*map(float, self.form["bands"]), None]}}
        given = self.book.inputs.tables.get(spec["name"], usual.get(spec["name"], {}))
        rows = max((len(values) for values in given.values()), default=spec.get("rows", 0))
        rows = spec["modern_rows"] if self._is_list(spec) else rows
        found = numbered(rows)
        for column in self.present(spec["column"], self.form, self.system):
            if column.get("input"):
                found[column["label"]] = Fill(list(given.get(column["label"], [None] * rows)))
            elif "values" in column:
                found[column["label"]] = Fill(column["values"])
        if spec["name"] == "Goals":
            return found | self.goals.scores()
        if "ranks" in spec:
            found |= self.stats.listed(spec, spills=self._is_list(spec))
        elif spec["name"] == "ByMonth":
            found |= self.stats.listed_months(spills=self.is_modern)
        return found | self.stats.sums(spec) if "group" in spec else found

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
        sums = ({"label": label, "style": "helper", "width": 0} for label in self.stats.summed())
        tally: list[dict[str, Any]] = [*self.form["tally"], *sums]
        present: list[dict[str, Any]] = []
        for column in self.present(spec["column"], self.form, self.system):
            present += tally if column.get("role") == "tally" else [column]
        at = spec.get("first_column", 1)
        layout = TableLayout(spec["name"], [column["label"] for column in present], first_row, at)
        fills, terms = self._rows_of(spec), {**self.terms, **self.stats.terms(spec)}
        columns: list[ColumnPlan] = []
        for column in present:
            fill = layout.told(column, terms) if "formula" in column else fills[column["label"]]
            columns.append(self._own_column(column, fill))
        count = len(columns[0].fill.values)
        table = TablePlan(spec["name"], first_row, tuple(columns), count, at)
        if not self._is_list(spec):
            return table
        return spilling(_numbered(table), self._lists(table))

    def _own_column(self, column: Mapping[str, Any], fill: Fill) -> ColumnPlan:
        about = column.get("modern_about" if self.is_modern else "about", column.get("about", ""))
        plan = column_as_told({**column, "about": about}, fill)
        is_text = column.get("validation", {}).get("kind") == "text"
        return replace(plan, is_input=column.get("input", False)) if is_text else self.typed_column(plan, column)

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
            landscape=not sheet.get("one_page"),
            one_page=sheet.get("one_page", False),
        )

    def _left_out(self, spec: Mapping[str, Any], table: TablePlan) -> Iterator[CellPlan]:
        """Yield the cell that says how many a list leaves out: above it, beside its title."""
        if "more" not in spec:
            return
        rank = f"Ledger[{spec['ranks']}]"
        one, several = spec["more"]
        count = f'COUNTIF({rank},">0")-{table.rows}'
        formula = f'IF({count}<1,"",IF({count}=1,"1 {one}",{count}&" {several}"))'
        yield CellPlan(table.first_row - 1, MORE_COLUMN, PENDING, formula, "hint")

    def _months(self, sheet: Mapping[str, Any]) -> SheetPlan:
        plan = self._tables(sheet)
        cells = list(plan.cells)
        for column, text, formula in zip((5, 8), ("First month", "Last month"), month_limits(), strict=True):
            cells += figured(3, column, text, formula, "month", "date", label_style="name_right")
        if not self.is_modern:  # how many months lie before those that are listed
            begin, end = MONTH_LIMITS
            listed = plan.tables[0].rows
            count = f"12*(YEAR({end})-YEAR({begin}))+MONTH({end})-MONTH({begin})-{listed - 1}"
            said = 'IF(K3=0,"",IF(K3=1,"earlier month","earlier months"))'
            cells.append(CellPlan(3, 11, PENDING, f"IF({end}=0,0,MAX(0,{count}))", "ordinal", "count"))
            cells.append(CellPlan(3, 12, PENDING, said, "hint"))
        return replace(plan, cells=tuple(cells))

    def _pools(self, sheet: Mapping[str, Any]) -> SheetPlan:
        plan = self._tables(sheet)
        cells = list(plan.cells)
        number = f'IF({_address(POOL_SHOWN)}="",1,SUMPRODUCT((Pools[Pool]={_address(POOL_SHOWN)})*Pools[Id]))'
        asks, shown = "Pool on the Dashboard, number", f"MAX(1,{number})"
        cells += figured(3, 2, asks, shown, "integer", "count", label_style="name_right")
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
        highlights, charts = tuple(line_colours(table)), (pools_chart(table),)
        return replace(plan, cells=tuple(cells), charts=charts, highlights=(*plan.highlights, *highlights))

    # Hidden tables

    @property
    def behind(self) -> Mapping[str, Behind]:
        return {
            "rounds": ("Rounds", self.cells.rounds),
            "carry": ("Carry", self.cells.carry),
            "trial": ("Trial", self.plans.trial),
            "aim": ("Aim", self.goals.aim),
            "exact": ("Exact", lambda: exact(self.scale)),
            "bars": ("MonthBars", lambda: bars(spills=self.is_modern)),
        }

    def _curves(self, sheet: Mapping[str, Any]) -> SheetPlan:
        plan = self.plain_table(sheet, "Curves", curves(self.rule))
        cells = list(plan.cells)
        for column, (name, formula) in zip(range(1, 11, 2), switches(self.plans.games_below).items(), strict=True):
            cells += figured(2, column, name.replace("_", " "), formula, "helper", "count", label_style="hint")
            self.names[name] = f"Curves!${column_letters(column + 1)}$2"
        cells += peak(self.rule, self.peak_name)
        return replace(plan, cells=tuple(cells))

    def _lines(self, sheet: Mapping[str, Any]) -> SheetPlan:
        pools = len(self.cells.pools.names)
        plan = self.plain_table(sheet, "PoolLines", pool_lines(self.rule, pools))
        names = [
            CellPlan(LEGEND_ROW, 3 * n, PENDING, f'IF({cell}="","(not named)",{cell}&"")')
            for n, cell in ((n, f"INDEX(Pools[Pool],{n})") for n in range(1, pools + 1))
        ]
        return replace(plan, cells=(*plan.cells, *names))

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
        cells += asked(row, column - 1, "Pool", chosen, "choice", rule)
        for at, block in enumerate(sheet["block"]):
            left = 1 + 3 * at
            cells.append(CellPlan(5, left, block["title"], style="section"))
            cells.append(CellPlan(5, left + 1, None, style="section"))
            cells += self.figure_cells(self.present(block["figures"], self.form, self.system), 6, left)
        tables = []
        for spec in sheet["table"]:
            cells.append(CellPlan(spec["first_row"] - 1, spec["first_column"], spec["title"], style="section"))
            tables.append(self.own_table(spec, spec["first_row"]))
        widths = {1: 22, 2: 12, 3: 2, 4: 23, 5: 14, 6: 2, 7: 22, 8: 12, 9: 2, 10: 5, 11: 20, 12: 8, 13: 11}
        return SheetPlan(
            sheet["name"],
            tuple(cells),
            tuple(tables),
            highlights=tuple(_unfilled(tables)),
            charts=dashboard_charts(self.rule),
            widths=widths,
            one_page=True,
        )

    # Check

    @property
    def spellings(self) -> Spellings:
        return self.cells.spellings

    @cached_property
    def checks(self) -> Mapping[str, Figure]:
        return {**super().checks, **checks(self.rule, self.cells.needs_date)}


def _address(place: tuple[str, int, int]) -> str:
    sheet, row, column = place
    return f"{sheet}!${column_letters(column)}${row}"


def _numbered(table: TablePlan) -> TablePlan:
    """Return a list whose first column counts its rows, as far as the second has any."""
    count, key = table.columns[:2]
    text = f'IF({table.name}[[#This Row],[{key.label}]]="","",ROW()-ROW($A${table.first_row}))'
    return replace(table, columns=(replace(count, fill=Fill(PENDING, text, "count")), *table.columns[1:]))


def _unfilled(tables: Sequence[TablePlan]) -> Iterator[Highlight]:
    """Yield the formats that show no number in the rows of a list that nothing stands in."""
    for table in tables:
        labels = [column.label for column in table.columns if column.label != "Id"]
        if labels[0] == "No." and not any(column.is_input for column in table.columns):
            yield unnamed(table, "No.", labels[1])
