"""What the sheets of every template share: tables from the TOML, Start, Check, Formulas, the manifest.

A template's own module subclasses `View`; `build` finds it by the template's `view`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

from elo_sheets._late import pd
from elo_sheets._version import __version__
from elo_sheets.files.references import column_letters
from elo_sheets.replaying.settings import Settings, forming
from elo_sheets.replaying.starting import Start, Starts, starts
from elo_sheets.systems import Rules, System, is_built_in
from elo_sheets.workbook import dialect
from elo_sheets.workbook.book import (
    COLUMNS,
    HEADER_ROW,
    MANIFEST,
    MANIFEST_SCHEMA,
    OPTION,
    SETTING,
    SETTINGS_SAID,
    STARTS_SAID,
    Book,
    Columns,
    Filling,
    Inputs,
    rows_below,
)
from elo_sheets.workbook.facts import rule_column
from elo_sheets.workbook.fine_scale import finer_sheet, is_fine
from elo_sheets.workbook.fixed_forms import fixed_forms, fixed_period
from elo_sheets.workbook.front import (
    ALL_CLEAR,
    FIRST_ROW,
    LATE,
    LINKS_COLUMN,
    NEXT,
    Line,
    all_clear,
    front_cells,
    front_highlights,
    with_links,
)
from elo_sheets.workbook.highlights import verdict_highlights
from elo_sheets.workbook.invitation import SHOWING, inviting_hint, peak_name
from elo_sheets.workbook.layout import (
    HARD_BLANK,
    MACHINERY,
    NO_COLUMNS,
    UNRATED,
    TableLayout,
    column_text,
    unit_of,
    with_terms,
)
from elo_sheets.workbook.own.columns import own_sheet, with_own_columns
from elo_sheets.workbook.own.rules import OwnRule, refuse_clashes
from elo_sheets.workbook.own.templates import DIGEST, OWN
from elo_sheets.workbook.places import first_places, is_amiss, is_far
from elo_sheets.workbook.plan import (
    PENDING,
    CellPlan,
    CellValue,
    ColumnPlan,
    Fill,
    Highlight,
    Plan,
    SheetPlan,
    TablePlan,
    Validation,
    asked,
    column_as_told,
    figure_columns,
    figured,
)
from elo_sheets.workbook.report_sheet import report_sheet
from elo_sheets.workbook.settings_in_use import (
    ABOUT,
    READ,
    TYPED,
    USED,
    misread,
    misread_highlight,
    setting_cells,
    setting_validation,
)
from elo_sheets.workbook.sourced import form_of
from elo_sheets.workbook.spellings import Spellings
from elo_sheets.workbook.sports.profiles import words_of
from elo_sheets.workbook.styles import STRONG
from elo_sheets.workbook.typed_cells import COUNTED, marked, typed_places, typed_sheet
from elo_sheets.workbook.words import EXPLAINED, ONE_LINE, constants, explained, row_height

if TYPE_CHECKING:
    from elo_sheets.workbook.pools.pool import Pool

# A formula, and the unit of the value that it gives.
Figure = tuple[str, str]
# A hidden table: its name, and what gives its columns by label.
Behind = tuple[str, Callable[[], Mapping[str, Fill]]]
Form = Mapping[str, Any]

COMMON_CHECKS = (
    {"label": "Rows of games without their formulas, which are to be filled down", "role": "unfilled"},
    {"label": "Settings on Start that are not understood: the book uses its first ones", "role": "settings"},
    {"label": "Numbers, days and choices that are not understood: the formulas pass over them", "role": "typed"},
)
# The sheets that read what the others say: planned behind them.
LATER = {"report": 1, "formulas": 2}
# The columns of Start, and how many letters of a step go into its merged cells: as they are wide, and a little more,
# since prose is narrower than figures.
START_WIDTHS = {1: 4, 2: 34, 3: 24, 4: 74}
STEP_WIDTH = 145


# What a column of the template says of what stands in it.
TOLD = {"formula", "numbers"}
NO_FILLS: Mapping[str, Fill] = MappingProxyType({})


class View:
    """Builds the sheets of one book, in the template's order: a method `_<kind>` for each kind of sheet.

    A subclass fills `fills` (what stands in each role's column), and gives the class methods that begin a book.
    """

    # The table that games are typed into, "" for a book without games.
    games_table: ClassVar[str] = "Games"
    # The formula that is true until a game is rated, in a book whose pages of figures then invite to type one.
    nothing_yet: ClassVar[str] = ""
    # The same by the name that the formulas are written with.
    typed_table: ClassVar[str] = "Games"
    # The table of the players and its column of names.
    people_table: ClassVar[tuple[str, str]] = ("Players", "Player")
    # The sheet on which a name may stand twice, and the columns that say so.
    twins: ClassVar[tuple[str, str, str]] = ("Players", "Players[Player]", "Players[Id]")
    # Whether a log's games without a result are taken as fixtures.
    keeps_fixtures: ClassVar[bool] = False
    # Whether the book holds what a tournament report gives points for without a game.
    keeps_unplayed: ClassVar[bool] = False
    # Whether each pool of a log has a rating of its own.
    rates_pools_apart: ClassVar[bool] = False
    # Rows of the Ledger that a game takes: one in a journal, one for each side in a pool.
    rows_a_game: ClassVar[int] = 1
    # Whether the games can be replayed in order; an event is rated as a whole.
    is_replayed: ClassVar[bool] = True
    # The sheets that the modern dialect writes otherwise.
    modern_sheets: ClassVar[tuple[str, ...]] = ()
    # Whether a game that comes in late goes to its place by sorting.
    sorts_late_games: ClassVar[bool] = False
    # Whether the settings of the rating system stand on Start.
    has_settings: ClassVar[bool] = True

    def __init__(self, book: Book) -> None:
        self.book = book
        self.form = form_of(book.template, book.options)
        found = self.sheet_rules(book.system)
        assert isinstance(found, System)
        self.form_settings = book.settings if book.form is None else book.form
        self.system = found.shaped(self.form_settings)
        self.forming = forming(found, self.form_settings)
        self.setting_cells = {p.name: p.cell for p in self.system.parameters}
        self.is_modern = bool(self.modern_sheets) and book.options.get(dialect.OPTION) == dialect.MODERN
        self.names: dict[str, str] = {}
        self.fills: dict[str, Fill] = {}

    # How a book begins and is read back

    @classmethod
    def sheet_rules(cls, rules: Rules) -> Rules:
        """Return the rules as the sheets show them: a template may lay out what is no system of steps."""
        return rules

    @classmethod
    def check(cls, form: Form, system: System) -> None:
        """Raise `UsageError` when the template cannot hold the system, which is in the form that settings chose."""

    @classmethod
    def blank(cls, form: Form, system: System, settings: Settings, rows: int) -> Inputs:
        """Return the inputs of a book without games, `rows` rows ready to type into."""
        raise NotImplementedError

    @classmethod
    def empty_tables(cls, form: Form, system: System, rows: Mapping[str, int]) -> dict[str, Columns]:
        """Return tables of so many rows into which nothing is typed yet."""
        labels = cls.input_columns(form, system)
        return {table: dict.fromkeys(labels[table], [None] * count) for table, count in rows.items()}

    @classmethod
    def further_sizes(cls, form: Form, inputs: Inputs) -> Mapping[str, int]:
        """Return the rows of further tables that nobody types into, where they follow from what is typed."""
        return {}

    @classmethod
    def starts(
        cls, start: Start, system: Rules, games: pd.DataFrame, settings: Collection[str], player: str | None
    ) -> Starts:
        """Return what the players of a log start from; `settings` are the names of those that the user gave."""
        return starts(start, system, games, settings)

    @classmethod
    def filled(cls, form: Form, system: System, settings: Settings, log: Filling) -> tuple[Inputs, str]:
        """Return the inputs that hold the games of a log, and the book's title."""
        raise NotImplementedError

    @classmethod
    def read_pool(cls, form: Form, system: System, settings: Mapping[str, Any], inputs: Inputs) -> Pool:
        """Return the games of a pool as its book holds them."""
        from elo_sheets.workbook.pools.pool import Pool

        return Pool(system, settings, inputs, words_of(form))

    @classmethod
    def input_columns(cls, form: Form, system: System) -> dict[str, tuple[str, ...]]:
        """Return the columns that are typed into or hold what cannot be computed anew, by table."""
        found = {}
        for sheet in form["sheet"]:
            columns = [*cls.present(sheet.get("column", ()), form, system), *sheet.get(OWN, ())]
            typed = tuple(column["label"] for column in columns if column.get("input") or column.get("kept"))
            if typed:
                found[sheet["name"]] = typed
        return found

    @classmethod
    def input_cells(cls, form: Form) -> dict[str, tuple[str, int, int]]:
        """Return the single cells that are typed into: sheet, row and column by role."""
        asked = ((sheet["name"], one) for sheet in form["sheet"] for one in sheet.get("asks", ()))
        return {one["role"]: (sheet, one["row"], one["column"]) for sheet, one in asked}

    @classmethod
    def present(cls, columns: Sequence[dict[str, Any]], form: Form, system: System) -> list[dict[str, Any]]:
        """Return the columns that a book of this system has: `reads` names an input without which a column goes."""
        return [column for column in columns if "reads" not in column or column["reads"] in system.reads]

    # The plan

    @property
    def behind(self) -> Mapping[str, Behind]:
        """The hidden sheets of one table of figures, by their kind."""
        return {}

    @property
    def spellings(self) -> Spellings | None:
        """How a result may be written into the book, None where none is."""
        return None

    def plan(self) -> Plan:
        """Return the plan of the whole book."""
        self.planned: dict[str, SheetPlan] = {}
        for sheet in sorted(self.form["sheet"], key=lambda sheet: LATER.get(sheet["kind"], 0)):
            hidden, kind = self.behind.get(sheet["kind"]), f"_{sheet['kind']}"
            planned = self.plain_table(sheet, hidden[0], hidden[1]()) if hidden else getattr(self, kind)(sheet)
            if planned is not None:
                planned = with_own_columns(planned, sheet, self.book.inputs)
                self.planned[sheet["name"]] = finer_sheet(planned) if self.is_fine(sheet["name"]) else planned
        planned = self._with_tabs([sheet for sheet in self.form["sheet"] if sheet["name"] in self.planned])
        if self.spellings is not None:
            planned.append(self.spellings.sheet())
        sheets = with_links([self.coloured(self.shown(sheet)) for sheet in planned])
        if self.has_check:
            typed = tuple(typed_places(sheets))
            sheets = [*(marked(sheet, typed) for sheet in sheets), typed_sheet(typed)]
        refuse_clashes(sheets, self.book, self.system)
        name = dialect.MODERN if self.is_modern else dialect.PORTABLE
        return Plan(self.title(), (*sheets, self._manifest(sheets)), self.names, name)

    def _with_tabs(self, sheets: Sequence[Mapping[str, Any]]) -> list[SheetPlan]:
        """Return the sheets with the colours of their tabs; what stands behind Check is machinery."""
        tab, found = "", []
        for sheet in sheets:
            planned = self.planned[sheet["name"]]
            if tab != MACHINERY:
                is_panel = sheet["kind"] == "panel" and any(cell.is_input for cell in planned.cells)
                tab = "type" if planned.is_typed_into or is_panel else "read"
            found.append(replace(planned, tab=tab, printed=tab != MACHINERY and sheet["kind"] != "odds"))
            if sheet["kind"] == "check":
                tab = MACHINERY
        return found

    def shown(self, sheet: SheetPlan) -> SheetPlan:
        """Return a sheet in the words that its owner reads."""
        return sheet

    def coloured(self, sheet: SheetPlan) -> SheetPlan:
        """Return a sheet with the colours of the results that are typed into it, however they are written."""
        spelled = self.spellings
        colours = [mark for table in sheet.tables for mark in spelled.colours(table)] if spelled else []
        return replace(sheet, highlights=(*sheet.highlights, *colours))

    def is_fine(self, sheet: str) -> bool:
        """Return whether the points on a sheet are small numbers, which need more decimals."""
        return is_fine(self.system, self.form_settings)

    def title(self) -> str:
        """Return the title of the book."""
        return f"{self.form['title']}: {self.book.title}" if self.book.title else str(self.form["title"])

    def sheet_form(self, kind: str) -> dict[str, Any]:
        """Return what the template says of the sheet of a kind."""
        return next(sheet for sheet in self.form["sheet"] if sheet["kind"] == kind)

    # Tables

    def columns(self, sheet_name: str) -> list[dict[str, Any]]:
        """Return the columns of a sheet, the rule's steps in the place of their role."""
        sheet = next(sheet for sheet in self.form["sheet"] if sheet["name"] == sheet_name)
        found: list[dict[str, Any]] = []
        for column in self.present(sheet["column"], self.form, self.system):
            found += self.step_columns(column) if column.get("role", "").endswith("steps") else [column]
        return found

    def labels(self, sheet_name: str) -> list[str]:
        """Return the headers of a sheet's table."""
        return [self.column_label(column) for column in self.columns(sheet_name)]

    def step_names(self) -> list[str]:
        """Return the names of the rule's columns, in order."""
        raise NotImplementedError

    def step_columns(self, column: dict[str, Any]) -> list[dict[str, Any]]:
        """Return a column for each of the rule's names."""
        return [rule_column(column, self.system, name, self.step_label(name)) for name in self.step_names()]

    def step_label(self, name: str) -> str:
        """Return the header of a column of the rule."""
        return self.system.label(name)

    def column_label(self, column: Mapping[str, Any]) -> str:
        """Return the header of a column."""
        return str(column["label"])

    def _report(self, sheet: Mapping[str, Any]) -> SheetPlan:
        rated = "Rated by " + " and ".join(rules.title for rules in self.rules)
        hint = inviting_hint({**sheet, "hint": rated}, self.nothing_yet, self.games_table)
        return report_sheet(sheet, self.planned, self.front, self.title(), hint)

    def _own(self, sheet: dict[str, Any]) -> SheetPlan:
        return own_sheet(sheet, self.heading(sheet))

    def _table(self, sheet: dict[str, Any]) -> SheetPlan:
        table = self.form_table(sheet)
        looks = {name: sheet[name] for name in ("frozen_columns", "hidden", "one_page", "pages_wide") if name in sheet}
        return self.table_sheet(sheet, table, self.highlights(table), landscape=True, **looks)

    def form_table(self, sheet: Mapping[str, Any], first_row: int = HEADER_ROW, rows: int | None = None) -> TablePlan:
        """Return the table that a sheet's form says, of so many rows or of as many as what it holds has."""
        name, fills = sheet["name"], self.fills_of(sheet["name"])
        return self.told_table(sheet.get("table", name), self.columns(name), rows, first_row, fills=fills)

    def told_table(
        self,
        name: str,
        told: Sequence[Mapping[str, Any]],
        rows: int | None,
        first_row: int = HEADER_ROW,
        first_column: int = 1,
        fills: Mapping[str, Fill] = NO_FILLS,
        terms: Mapping[str, str] = NO_COLUMNS,
    ) -> TablePlan:
        """Return a table by its columns as a form says them; what has no formula there is among `fills`, by role."""
        layout = TableLayout(name, list(map(self.column_label, told)), first_row, first_column)
        terms = {**self.terms, **terms}
        columns = [self.column(column, layout, fills, terms, rows) for column in told]
        return TablePlan(name, first_row, tuple(columns), rows or _rows([one.fill for one in columns]), first_column)

    def table_sheet(
        self, sheet: Mapping[str, Any], table: TablePlan, highlights: Iterable[Highlight] = (), **more: Any
    ) -> SheetPlan:
        """Return a sheet with one table below its heading, the rows above the data frozen; `more` is of `SheetPlan`."""
        more = {"cells": self.heading(sheet), "frozen_rows": table.first_row, **more}
        typed, last = any(column.is_input for column in table.columns), table.columns[-1]
        if typed and last.style == "status":  # it speaks to whoever types, and is as wide as a sentence
            filled = [at for at, one in enumerate(table.columns, 1) if not one.is_input or any(one.fill.values)]
            is_new = not any(column.is_input and any(column.fill.values) for column in table.columns)
            more["printed_columns"] = len(table.columns) - 1 if is_new else filled[-2]
        if "printed_to" in sheet:
            more["printed_columns"] = 1 + [column.role for column in table.columns].index(sheet["printed_to"])
        return SheetPlan(sheet["name"], tables=(table,), highlights=tuple(highlights), widths=table.widths, **more)

    @property
    def terms(self) -> Mapping[str, str]:
        """What stands for the names in braces of the formulas that the template says."""
        return {"blank": HARD_BLANK, "unrated": UNRATED, "place": f"ROW()-ROW($A${HEADER_ROW})"}

    def fills_of(self, sheet: str) -> Mapping[str, Fill]:
        """Return what stands in the columns of a sheet, by role, as far as the template does not say it."""
        return self.fills

    def column(
        self,
        column: Mapping[str, Any],
        layout: TableLayout,
        fills: Mapping[str, Fill],
        terms: Mapping[str, str],
        rows: int | None = None,
    ) -> ColumnPlan:
        """Return the plan of one column of the template: its formula stands there, or is among the fills."""
        role = column.get("role", "")
        fill = layout.told(column, terms, rows or 0) if TOLD & column.keys() else fills[role]
        told = {**column, "label": self.column_label(column)}
        return self.typed_column(column_as_told(told, fill, role), column)

    def typed_column(self, plan: ColumnPlan, column: Mapping[str, Any]) -> ColumnPlan:
        """Return a column with what may be typed into it, where the template says so."""
        rule = self.validation(column["validation"]) if "validation" in column else None
        return replace(plan, is_input=column.get("input", False), validation=rule)

    def placed_table(self, sheet: Mapping[str, Any], rows: int, more: Mapping[str, Fill] = NO_FILLS) -> TablePlan:
        """Return a table of the players by their places: what the sheet Players says of each, and `more`, by role."""
        layout, place = TableLayout("Standings", [], HEADER_ROW), self.terms["place"]
        found = 'IF([Place]="","",INDEX(Players[{}],MATCH([Place],Players[Rank],0)))'
        fills = {
            column["role"]: layout.fill(found.format(column_text(column["label"])), self.fills[column["role"]].unit)
            for column in self.columns("Players")
        }
        fills |= {"place": layout.fill(f'IF({place}>COUNT(Players[Rank]),"",{place})', "count"), **more}
        columns = self.present(sheet["column"], self.form, self.system)
        return self.told_table("Standings", columns, rows, fills=fills)

    def plain_table(self, sheet: Mapping[str, Any], name: str, fills: Mapping[str, Fill]) -> SheetPlan:
        """Return a sheet with one table of figures that nobody reads: what charts draw, what is carried."""
        table = TablePlan(name, HEADER_ROW, figure_columns(fills), _rows(fills.values()))
        return self.table_sheet(sheet, table, frozen_rows=0, hidden=True)

    def asked_cells(self, sheet: Mapping[str, Any]) -> Iterator[CellPlan]:
        """Yield the single cells of a sheet that are typed into, each with its label in the column before or `beside`.

        `name` is what formulas call the cell.
        """
        for one in sheet.get("asks", ()):
            row, at = one["row"], one["column"]
            looks = {key: one[key] for key in ("label_style", "merge_to") if key in one}
            typed, rule = self.book.inputs.cells.get(one["role"]), self.validation(one["validation"])
            yield from asked(row, one.get("beside", at - 1), one["label"], typed, one["style"], rule, at=at, **looks)
            if "name" in one:
                self.names[one["name"]] = f"{sheet['name']}!${column_letters(at)}${row}"

    def figure_cells(
        self,
        figures: Iterable[Mapping[str, Any]],
        row: int,
        column: int,
        terms: Mapping[str, str] = NO_COLUMNS,
        label_style: str = "figure_label",
    ) -> Iterator[CellPlan]:
        """Yield the figures of a form, from a row on: each number beside its label, bold where that is quiet."""
        terms = {**self.terms, **terms}
        for at, one in enumerate(figures, row):
            style = STRONG.get(one["style"], one["style"]) if label_style == "figure_label" else one["style"]
            formula = with_terms(one["formula"], terms)
            yield from figured(at, column, one["label"], formula, style, unit_of(one), label_style=label_style)

    def validation(self, spec: Mapping[str, Any]) -> Validation:
        """Return what may be typed, as the template says it."""
        spec = dict(spec)
        if spec["kind"] == "players":
            spec |= {"kind": "list", "range": self.players_range()}
        spec["items"] = tuple(spec.get("items", ()))
        return Validation(**spec)

    def players_range(self) -> str:
        """Return the names that a drop-down of players offers."""
        return rows_below("Players", "B", self.book.inputs.rows("Players"))

    def highlights(self, table: TablePlan) -> Iterator[Highlight]:
        """Yield the conditional formats of a table: what its columns are called says what they hold."""
        labels = {column.label for column in table.columns}
        if any(column.is_input for column in table.columns) and "Status" in labels:
            yield Highlight(table.range("Status"), is_amiss(table.top("Status")), "alarm")
            if "Date" in labels:
                yield Highlight(table.range("Date"), is_far(table.letter("Date"), table.first_data_row), "warn")
        for label in ("Order break", "Duplicate", "Event back"):
            if label in labels:
                yield Highlight(table.range(label), f"{table.top(label)}=1", "alarm")

    @property
    def peak_name(self) -> str:
        """The formula of what a chart calls its marks."""
        return peak_name(self.nothing_yet, self.games_table)

    def heading(self, sheet: Mapping[str, Any]) -> tuple[CellPlan, ...]:
        """Return the title and the hint that stand above a sheet."""
        cells = [CellPlan(1, 1, sheet["title"], style="title")]
        if self.nothing_yet and SHOWING & {sheet["kind"], sheet["name"]}:
            cells.append(inviting_hint(sheet, self.nothing_yet, self.games_table))
        elif "hint" in sheet:
            cells.append(CellPlan(2, 1, sheet["hint"], style="hint"))
        return tuple(cells)

    # Start and manifest

    @property
    def rules(self) -> Sequence[Rules]:
        """The rating systems whose settings stand on Start."""
        return (self.system,)

    @cached_property
    def own_rules(self) -> tuple[OwnRule, ...]:
        """Those of the book's rules that are not built in."""
        return () if is_built_in(self.book.system) else (OwnRule.of(self.book.system, self.system),)

    def _start(self, sheet: Mapping[str, Any]) -> SheetPlan:
        about = self.form["about"]
        cells = [
            CellPlan(1, 1, self.title(), style="front_title", merge_to=LINKS_COLUMN),
            CellPlan(2, 1, f"{about[:1].upper()}{about[1:]}", style="hint"),
            *front_cells(self.front),
        ]
        highlights = list(misread_highlight(*self.setting_rows)) if self.has_settings else []
        highlights += front_highlights(self.front)
        row = FIRST_ROW + len(self.front)
        if self.has_check:
            cells.append(CellPlan(row, 2, "Check", style="label"))
            cells.append(CellPlan(row, 3, PENDING, all_clear(self.check_lines()), style="verdict", merge_to=4))
            highlights += verdict_highlights(f"$C${row}", f'$C${row}="{ALL_CLEAR}"')
        heights = {1: 30.0}
        for row, line in enumerate(self.guide, self.guide_row):
            cells.append(CellPlan(row, 1, float(row - self.guide_row + 1), style="step"))
            cells.append(CellPlan(row, 2, line, style="wrap", merge_to=4))
            heights[row] = ONE_LINE * math.ceil(len(line) / STEP_WIDTH)
        row = self._settings(cells, self.setting_rows[0] - 1, sheet["name"])
        told = self.book.options
        further = (
            *((dialect.NEEDS,) if self.is_modern else ()),
            *(f"When this book was made – {line}." for line in map(told.get, (SETTINGS_SAID, STARTS_SAID)) if line),
            *(rule.said for rule in self.own_rules),
            *self.system.sources,
            f"Made with elo-sheets {__version__}; elo-sheets validate checks this book.",
        )
        cells += [CellPlan(at, 2, text, style="hint") for at, text in enumerate(further, row)]
        return SheetPlan(
            sheet["name"],
            tuple(cells),
            highlights=tuple(highlights),
            heights=heights,
            widths=START_WIDTHS | (dict.fromkeys((USED, READ), 0) if self.has_settings else {}),
            landscape=True,
        )

    @property
    def has_check(self) -> bool:
        """Whether the book has a sheet Check."""
        return any(line["kind"] == "check" for line in self.form["sheet"])

    @cached_property
    def front(self) -> Sequence[Line]:
        """The lines on top of Start that say how things stand."""
        return ()

    @property
    def guide(self) -> Sequence[str]:
        """What Start says to whoever types, step by step."""
        ends = [NEXT] if self.games_table and self.is_replayed else []
        return [*self.form["guide"], *([LATE] if self.sorts_late_games else []), *ends]

    @property
    def guide_row(self) -> int:
        """The row of Start in which its steps begin."""
        above = len(self.front) + self.has_check
        return FIRST_ROW + above + (above > 0)

    @property
    def setting_rows(self) -> tuple[int, int]:
        """The first and the last row of Start in which a setting stands."""
        title = self.guide_row + len(self.guide) + 1
        return title + 1, title + max(1, len(self.system.live))

    def _settings(self, cells: list[CellPlan], row: int, sheet: str) -> int:
        """Add the settings from a row on, and return the row after them."""
        cells.append(
            CellPlan(row, 2, f"Settings of the rating system: {self.system.title}", style="section", merge_to=4)
        )
        for parameter in self.system.live:
            row += 1
            made = self.form_settings[parameter.name]
            typed = self.book.inputs.settings.get(parameter.name, self.book.settings[parameter.name])
            fixed = parameter.name == "period"
            style = "date" if parameter.is_date else ("text_right" if parameter.choices else "setting")
            rule = None if fixed else setting_validation(parameter)
            cells.append(CellPlan(row, 2, parameter.label, style="label"))
            cells.append(CellPlan(row, TYPED, typed, None, style, "points", not fixed, rule))
            if fixed:
                cells.append(CellPlan(row, ABOUT, fixed_period(str(typed)), style="remark"))
                continue
            cells += setting_cells(parameter, row, typed, made, style)
            self.names[parameter.cell] = f"{sheet}!${column_letters(USED)}${row}"
        forms = tuple(fixed_forms(self.system, self.forming, self.form_settings, row + 1))
        cells += forms
        return max((cell.row for cell in forms), default=row) + 2

    def _manifest(self, sheets: Sequence[SheetPlan]) -> SheetPlan:
        """Return what the book says of itself: what it was made from, and each table's columns with their roles."""
        rows: list[tuple[str, CellValue]] = [
            ("schema", float(MANIFEST_SCHEMA)),
            ("made with", f"elo-sheets {__version__}"),
            ("template", self.form["name"]),
            ("system", self.book.system.name),
            ("title", self.book.title),
            ("period", str(self.book.settings["period"])),
        ]
        rows += [
            (f"{SETTING}{one.name}", made)
            for one in self.system.parameters
            if one.name != "period" and (made := self.form_settings[one.name]) != one.default
        ]
        rows += [(f"{OPTION}{name}", value) for name, value in self.book.options.items()]
        rows += [rule.entry for rule in self.own_rules]
        rows += [(DIGEST, self.form[DIGEST])] if DIGEST in self.form else []
        for table in (table for sheet in sheets for table in sheet.tables):
            roles = [[column.label, column.role] for column in table.columns]
            rows.append((f"{COLUMNS}{table.name}", json.dumps(roles, ensure_ascii=False)))
        cells = [CellPlan(1, 1, "What this workbook is, for elo-sheets to read back", style="hint")]
        for row, (key, value) in enumerate(rows, 2):
            cells.append(CellPlan(row, 1, key, style="label"))
            cells.append(CellPlan(row, 2, value, style="text"))
        return SheetPlan(MANIFEST, tuple(cells), widths={1: 20, 2: 40}, hidden=True)

    # Check

    @property
    def checks(self) -> Mapping[str, Figure]:
        """Formula and unit of each line of Check by role, as far as the template says them; each should be zero."""
        lines = self.sheet_form("check")["checks"]
        return {one["role"]: (one["formula"], one.get("unit", "count")) for one in lines if "formula" in one}

    @cached_property
    def all_checks(self) -> Mapping[str, Figure]:
        """Return the template's checks, and those of all books in which games are typed."""
        found: dict[str, Figure] = {**self.checks, "typed": (COUNTED, "count")}
        if not self.has_settings:
            return found
        found["settings"] = misread(*self.setting_rows), "count"
        columns = self.columns(self.typed_table)
        typed = next(column for column in columns if column.get("input") and column["style"] == "name")
        computed = next(column for column in columns if not column.get("input"))
        name, number = (f"{self.typed_table}[{column_text(self.column_label(one))}]" for one in (typed, computed))
        found["unfilled"] = (f'SUMPRODUCT(({name}<>"")*({number}=""))', "count")
        return found

    @property
    def check_places(self) -> Mapping[str, str]:
        """The formulas that say where the first of what a line of Check counts stands, by role."""
        return first_places(self.games_table, self.typed_table, self.twins, in_order="out_of_order" in self.checks)

    def check_lines(self) -> list[dict[str, Any]]:
        """Return the lines of the Check sheet that this book has."""
        checks = self.all_checks
        lines: list[dict[str, Any]] = [*self.sheet_form("check")["checks"], *COMMON_CHECKS]
        return [line for line in lines if line["role"] in checks]

    def _check(self, sheet: Mapping[str, Any]) -> SheetPlan:
        cells = [*self.heading(sheet), CellPlan(2, 1, PENDING, all_clear(self.check_lines()), style="verdict")]
        for column, text in enumerate(("What is counted", "Found", "Should be", ""), 1):
            cells.append(CellPlan(HEADER_ROW, column, text, style="header"))
        first = HEADER_ROW + 1
        lines = self.check_lines()
        for row, line in enumerate(lines, first):
            formula, unit = self.all_checks[line["role"]]
            cells += figured(row, 1, line["label"], formula, "number", unit, label_style="text")
            cells.append(CellPlan(row, 3, 0.0, style="number"))
            judged = f'IF(ISERROR(B{row}),"look",IF(B{row}=C{row},"good","look"))'
            cells.append(CellPlan(row, 4, PENDING, judged, "verdict"))
            if place := self.check_places.get(line["role"]):
                cells.append(CellPlan(row, 5, PENDING, f'IF(B{row}=0,"",IFERROR({place},""))', "remark"))
        last = first + len(lines) - 1
        highlights = verdict_highlights(f"$D${first}:$D${last}", f'$D{first}="good"')
        highlights += verdict_highlights("$A$2", f'$A$2="{ALL_CLEAR}"')
        widths = {1: 68.0, 2: 9.0, 3: 11.0, 4: 8.0, 5: 70.0}
        return SheetPlan(sheet["name"], tuple(cells), highlights=tuple(highlights), widths=widths, landscape=True)

    # Formulas

    def _formulas(self, sheet: Mapping[str, Any]) -> SheetPlan:
        """Explain the columns of all other sheets: a sentence, its source, and the formula of a row."""
        rule = "; ".join(self.system.sources)
        rows = [row for planned in self.planned.values() for row in explained(planned, rule)]
        return self.explanations(sheet, rows, EXPLAINED)

    def explanations(
        self, sheet: Mapping[str, Any], rows: Sequence[Sequence[CellValue]], headers: Sequence[tuple[str, str, float]]
    ) -> SheetPlan:
        """Return the sheet that explains formulas, a row each; `headers` are label, style and width."""
        columns = tuple(constants(one[0], [row[at] for row in rows], *one[1:]) for at, one in enumerate(headers))
        table = TablePlan("Formulas", HEADER_ROW, columns, len(rows))
        heights = {i: row_height(row, columns) for i, row in enumerate(rows, HEADER_ROW + 1)}
        return self.table_sheet(sheet, table, heights=heights, landscape=True)


def _rows(fills: Iterable[Fill]) -> int:
    """Return how many rows columns have: not all of them are pending."""
    return next(len(fill.values) for fill in fills if fill.values is not PENDING)
