"""What the sheets of the calculators share: cells with a name each, laid out as the template's lines say.

A line of the template has a label and one role per cell; the role is the defined name of the cell, in formulas and for
the owner. What a computed cell shows is what its formula gives (`complete`); in a formula `{fide.k}` is a step of a
rule, traced, whose parameters are read where `reads` says, and `{fide.GROWN_UP}` is a number. Every cell is guarded by
the status of its sheet, which says what is still missing, so an empty sheet shows nothing but what to type.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from elo_sheets.errors import UsageError
from elo_sheets.files.references import column_letters, sheet_text
from elo_sheets.formula import to_formula
from elo_sheets.odds import calculators, forecast, match, performance, statistics
from elo_sheets.replaying.settings import Settings
from elo_sheets.systems import Line, System, aga, dwz, egf, elo, fide, uschess
from elo_sheets.workbook.book import HEADER_ROW, Book, Filling, Inputs
from elo_sheets.workbook.calculators import steps
from elo_sheets.workbook.highlights import verdict_highlights
from elo_sheets.workbook.layout import TableLayout, ladder, with_terms
from elo_sheets.workbook.plan import (
    PENDING,
    CellPlan,
    CellValue,
    ChartPlan,
    Fill,
    Highlight,
    Series,
    SheetPlan,
    TablePlan,
)
from elo_sheets.workbook.view import Form, View
from elo_sheets.workbook.words import EMPTY, EXPLAINED, NO_NUMBER, explained

READY = "ready"

# What formulas of a template may name of a rule: steps and numbers, by the modules that have them.
STEPS = {
    "aga": aga,
    "calculators": calculators,
    "dwz": dwz,
    "egf": egf,
    "elo": elo,
    "fide": fide,
    "forecast": forecast,
    "match": match,
    "performance": performance,
    "statistics": statistics,
    "steps": steps,
    "uschess": uschess,
}
_STEP = re.compile(r"\{(\w+)\.(\w+)\}")
Reads = Mapping[str, Any]


class Place(NamedTuple):
    """Where a line of the template stands: its row and the column of its label."""

    line: Mapping[str, Any]
    row: int
    column: int


# What must hold before a sheet computes: the formula of its failing, and what to say then.
Want = tuple[str, str]


def places(sheet: Mapping[str, Any]) -> Iterator[Place]:
    """Yield the lines of a sheet, stacked in blocks; `block` is the column in which another block begins."""
    row, column = HEADER_ROW, 1
    for line in sheet.get("line", ()):
        if "block" in line:
            row, column = line.get("row", HEADER_ROW), line["block"]
        elif "section" in line and row > HEADER_ROW:
            row += 1
        yield Place(line, row, column)
        row += 1


class PanelView(View):
    """A book of panels: named cells and a few tables; no games."""

    games_table = ""
    has_settings = False

    def __init__(self, book: Book) -> None:
        super().__init__(book)
        self.figures: dict[str, tuple[str, str]] = {}
        self.notes: dict[str, tuple[CellPlan, ...]] = {}
        for sheet in self.form["sheet"]:
            for line in sheet.get("line", ()):
                if "wants" in line:
                    self._status(line["roles"][0], list(wants(line["wants"])))
                self._put_line(line, sheet.get("reads", {}))

    def _put_line(self, line: Mapping[str, Any], reads: Reads) -> None:
        """Put what the cells of a line hold: a formula each, or one for all of them."""
        roles, formulas = line.get("roles", ()), line.get("formulas", ())
        formulas = formulas * len(roles) if len(formulas) == 1 else formulas
        units = line.get("units", [line.get("unit", "")] * len(roles))
        for role, unit, formula in zip(roles, units, formulas, strict=False):
            told = with_terms(with_steps(formula, reads_of(role, {**reads, **line.get("reads", {})})), self.terms)
            self.figures[role] = (f'IF({line["after"]}="{READY}",{told},"")' if "after" in line else told), unit
        if "overrides" in line:
            said = line["overrides"]
            filled = with_steps(said["filled"], reads_of(said["role"], reads))
            self._remark(said["role"], said.get("typed", roles), said["empty"], filled)

    # How a book begins and is read back

    @classmethod
    def blank(cls, form: Form, system: System, settings: Settings, rows: int) -> Inputs:
        """Return the inputs of a new book: the examples, which the settings of the system may change."""
        for name, value in settings.items():
            default = next(p.default for p in system.parameters if p.name == name)
            if value != default and name not in cls.starting_settings():
                known = ", ".join(cls.starting_settings()) or "none"
                raise UsageError(f"template {form['name']} has no use for the setting {name!r} (it reads {known})")
        cells: dict[str, CellValue] = dict.fromkeys(cls.input_cells(form))
        for line in (line for sheet in form["sheet"] for line in sheet.get("line", ())):
            cells |= dict(zip(line.get("roles", ()), line.get("examples", ()), strict=False))
        cells |= {role: value for role, value in cls.started(system, settings).items() if role in cells}
        tables = {}
        for table in cls.tables(form):
            typed = {c["label"]: c.get("examples", ()) for c in table["column"] if c.get("input")}
            if typed:
                rows = table["rows"]
                tables[table["name"]] = {k: [*given, *[None] * (rows - len(given))] for k, given in typed.items()}
        return Inputs(tables, cells)

    @classmethod
    def starting_settings(cls) -> tuple[str, ...]:
        """Return the settings of a system that a new book takes over into its cells."""
        return ()

    @classmethod
    def started(cls, system: System, settings: Mapping[str, Any]) -> dict[str, CellValue]:
        """Return what the cells of a new book hold because of its system and settings, by role."""
        return {}

    @classmethod
    def filled(cls, form: Form, system: System, settings: Settings, log: Filling) -> tuple[Inputs, str]:
        """A calculator holds no games."""
        from elo_sheets.workbook.build import templates_of_games

        raise UsageError(
            f"template {form['name']} is a calculator and holds no games: make it with new {form['name']}; "
            f"import fills the templates {', '.join(templates_of_games())}"
        )

    @classmethod
    def tables(cls, form: Form) -> Iterator[dict[str, Any]]:
        """Yield the tables of all sheets, as the template says them."""
        for sheet in form["sheet"]:
            yield from sheet.get("table", ())

    @classmethod
    def input_columns(cls, form: Form, system: System) -> dict[str, tuple[str, ...]]:
        found = {t["name"]: tuple(c["label"] for c in t["column"] if c.get("input")) for t in cls.tables(form)}
        return {name: labels for name, labels in found.items() if labels}

    @classmethod
    def input_cells(cls, form: Form) -> dict[str, tuple[str, int, int]]:
        return {
            role: (sheet["name"], place.row, place.column + at)
            for sheet in form["sheet"]
            for place in places(sheet)
            if place.line.get("input")
            for at, role in enumerate(place.line["roles"], 1)
        }

    # What was typed

    def typed(self, role: str) -> CellValue:
        """Return what stands in an input cell."""
        return self.book.inputs.cells.get(role)

    # Computed cells

    def _status(self, role: str, wants: Sequence[Want]) -> None:
        """Put the cell that says what is missing.

        Text in a cell for a number is said last: no such cell counts as empty.
        """
        tests = [(fails, f'"{message}"') for fails, message in (*wants, *self._no_texts(role))]
        self.figures[role] = ladder(tests, f'"{READY}"'), "text"

    def _no_texts(self, status: str) -> Iterator[Want]:
        """Yield that the cells for numbers between a status and the one before it hold no text."""
        for sheet in self.form["sheet"]:
            lines: list[Mapping[str, Any]] = []
            for line, *_ in places(sheet):
                if status in line.get("roles", ()):
                    yield from (self._no_text(one) for one in lines)
                if line.get("style") == "verdict":
                    lines = []
                elif line.get("input") and line["validation"]["kind"] in {"number", "whole"}:
                    lines.append(line)

    def _no_text(self, line: Mapping[str, Any]) -> Want:
        texts = ",".join(f'AND(NOT(ISNUMBER({role})),TRIM({role})<>"")' for role in line["roles"])
        return f"OR({texts})", f"{line['label']}: a number, no text"

    def _remark(self, role: str, typed: Sequence[str], empty: str, filled: str) -> None:
        """Put the remark beside cells that count in place of another figure.

        `empty` ends what it says of empty cells, `filled` is the formula of the text that names the figure which the
        typed numbers replace.
        """
        none, numbers = (f'TRIM({"&".join(typed)})=""', f"COUNT({','.join(typed)})>0")
        self.figures[role] = f'IF({none},"{EMPTY}{empty}",IF({numbers},{filled},"{NO_NUMBER}"))', "text"

    # Sheets

    def layout(self, table: str) -> TableLayout:
        """Return the columns of a table, to write formulas with."""
        form = next(one for one in self.tables(self.form) if one["name"] == table)
        return TableLayout(table, [column["label"] for column in form["column"]], form.get("row", HEADER_ROW))

    def cell_range(self, table: str, label: str) -> str:
        """Return the cells of a table's column with their sheet, for a chart."""
        for sheet in self.form["sheet"]:
            for form in sheet.get("table", ()):
                if form["name"] == table:
                    at = [column["label"] for column in form["column"]].index(label)
                    letter = column_letters(form.get("column_at", 1) + at)
                    first = form.get("row", HEADER_ROW) + 1
                    last = first + form["rows"] - 1
                    return f"={sheet_text(sheet['name'])}!${letter}${first}:${letter}${last}"
        raise KeyError(table)

    def chart(self, form: Mapping[str, Any]) -> ChartPlan:
        """Return a chart; its lines are columns of a table or, where they lie elsewhere, cells with their sheet."""

        def cells(one: Mapping[str, str], axis: str) -> str:
            return self.cell_range(one["table"], one[axis]) if "table" in one else one[axis]

        lines = tuple(Series(one["name"], cells(one, "x"), cells(one, "y"), one["style"]) for one in form["series"])
        return ChartPlan(**{"x_title": "", "y_title": "", **form, "series": lines})

    def mark(self, form: Mapping[str, str]) -> Highlight:
        """Return the colour of a table's rows that meet a condition, in which {} is the number of the row."""
        table = next(one for one in self.tables(self.form) if one["name"] == form["table"])
        first, last = table["row"] + 1, table["row"] + table["rows"]
        start, end = form["columns"].split(":")
        return Highlight(f"${start}${first}:${end}${last}", form["condition"].replace("{}", str(first)), form["style"])

    def _panel(self, sheet: Mapping[str, Any]) -> SheetPlan:
        cells = [*self.heading(sheet), *self.notes.get(sheet["name"], ())]
        marks: list[Highlight] = list(map(self.mark, sheet.get("mark", ())))
        for place in places(sheet):
            cells += self.line_cells(sheet["name"], place)
            if "overrides" in place.line:
                at = f"${column_letters(place.column + 1 + len(place.line['roles']))}${place.row}"
                marks.append(Highlight(at, f'LEFT({at},{len(EMPTY)})<>"{EMPTY}"', "loss_text"))
            if place.line.get("style") == "verdict":
                at = f"${column_letters(place.column + 1)}${place.row}"
                marks += verdict_highlights(at, f'{at}="{READY}"')[:1]
                marks.append(Highlight(at, f'ISNUMBER(FIND("not understood",{at}))', "alarm"))
        tables = tuple(self.panel_table(table) for table in sheet.get("table", ()))
        looks = {name: sheet[name] for name in ("hidden", "frozen_rows", "landscape") if name in sheet}
        return SheetPlan(
            sheet["name"],
            tuple(cells),
            tables,
            charts=tuple(map(self.chart, sheet.get("chart", ()))),
            highlights=tuple(marks),
            widths={int(column): width for column, width in sheet.get("widths", {}).items()},
            one_page=not sheet.get("hidden", False),
            **looks,
        )

    def line_cells(self, sheet: str, place: Place) -> Iterator[CellPlan]:
        """Yield the cells of one line: its label, a cell for each role, a remark."""
        line, row, column = place
        roles = line.get("roles", ())
        if "section" in line:
            yield CellPlan(row, column, line["section"], style="section")
            for at, caption in enumerate(line.get("captions", ()), column + 1):
                yield CellPlan(row, at, caption, style="caption")
            return
        yield CellPlan(row, column, line["label"], style=line.get("label_style", "text"))
        validation = self.validation(line["validation"]) if "validation" in line else None
        styles = line.get("styles", [line.get("style", "text")] * len(roles))
        for at, (role, style) in enumerate(zip(roles, styles, strict=True), column + 1):
            if not role:
                continue
            self.names[role] = f"{sheet_text(sheet)}!${column_letters(at)}${row}"
            merge = line.get("merge_to", 0)
            if line.get("input"):
                value = self.typed(role)
                yield CellPlan(row, at, value, None, style, "text", True, validation, role, merge)
            else:
                formula, unit = self.figures[role]
                yield CellPlan(row, at, PENDING, formula, style, unit, name=role, merge_to=merge)
        at = column + max(len(roles), 1) + 1
        if "remark" in line:
            yield CellPlan(row, at, line["remark"], style="remark")
        if "overrides" in line:
            role = line["overrides"]["role"]
            formula, unit = self.figures[role]
            self.names[role] = f"{sheet_text(sheet)}!${column_letters(at)}${row}"
            yield CellPlan(row, at, PENDING, formula, "remark", unit, name=role)

    def panel_table(self, table: Mapping[str, Any]) -> TablePlan:
        """Return the plan of one table of the template; an input holds what was typed."""
        told, fills = [], dict(self.fills)
        for column in table["column"]:
            reads = {**table.get("reads", {}), **column.get("reads", {})}
            formulas = {key: with_steps(column[key], reads) for key in ("formula", "first") if key in column}
            told.append({"width": 10, **column, **formulas})
            if column.get("input"):
                fills[column["role"]] = Fill(list(self.book.inputs.tables[table["name"]][column["label"]]))
            elif "values" in column:
                fills[column["role"]] = Fill(column["values"])
        row, at = table.get("row", HEADER_ROW), table.get("column_at", 1)
        return self.told_table(table["name"], told, table["rows"], row, at, fills)

    # Start, Formulas

    def _settings(self, cells: list[CellPlan], row: int, sheet: str) -> int:
        """List the sheets: a calculator has no settings besides what is typed there."""
        cells.append(CellPlan(row, 2, "The sheets", style="section", merge_to=4))
        for other in self.form["sheet"]:
            if other["kind"] == "start" or other.get("hidden"):
                continue
            row += 1
            cells.append(CellPlan(row, 2, other["name"], style="label"))
            cells.append(CellPlan(row, 3, other["title"], style="text", merge_to=4))
        return row + 2

    def _formulas(self, sheet: Mapping[str, Any]) -> SheetPlan:
        """Explain the named cells and the columns: a sentence, its source, and the formula."""
        rows: list[tuple[CellValue, ...]] = []
        for other in self.form["sheet"]:
            section, source = "", other.get("source", "")
            for place in places(other):
                line = place.line
                section = line.get("section", section)
                role = next((role for role in line.get("roles", ()) if role in self.figures), None)
                if role is not None and "about" in line:
                    shown = f"{section}: {line['label']}" if section else line["label"]
                    rows.append((other["name"], shown, line["about"], source, self.figures[role][0]))
            if other["name"] in self.planned:
                rows += explained(self.planned[other["name"]], all_of_it=source)
        return self.explanations(sheet, rows, (EXPLAINED[0], ("What", "wrap", 34.0), *EXPLAINED[2:]))


def wants(lines: Sequence[Mapping[str, Any]]) -> Iterator[Want]:
    """Yield what a status asks for: conditions as they stand, and those of cells for numbers.

    A `number` within limits must be there; it is not `negative`, or `whole` from 1 on, where it is there; `counts` are
    cells of whole numbers from 0, of which an empty one is none.
    """
    for line in lines:
        says = line["says"]
        if "number" in line:
            cell, low, high = line["number"], line.get("low", -20_000), line.get("high", 20_000)
            limits = f"ABS({cell})>{high}" if low == -high else f"OR({cell}<{low},{cell}>{high})"
            yield f"NOT(ISNUMBER({cell}))", says
            yield f"IF(ISNUMBER({cell}),{limits},FALSE)", f"{says}, {low} to {high}"
        elif "counts" in line:
            each = [f'IF({c}="",FALSE,IF(ISNUMBER({c}),OR({c}<0,{c}<>INT({c})),TRUE))' for c in line["counts"]]
            yield f"OR({','.join(each)})", says
        elif cell := line.get("negative"):
            yield f"IF(ISNUMBER({cell}),{cell}<0,FALSE)", says
        elif cell := line.get("whole"):
            yield f"IF(ISNUMBER({cell}),OR({cell}<1,{cell}<>INT({cell})),FALSE)", says
        else:
            yield line["when"], says


def reads_of(role: str, reads: Reads) -> Reads:
    """Return what the steps of a cell read: what stands under a word of its role, such as `A`, goes for it alone."""
    found = dict(reads)
    for word in role.split("_"):
        found |= found[word] if isinstance(found.get(word), Mapping) else {}
    return found


def with_steps(formula: str, reads: Reads) -> str:
    """Return a formula with its steps traced; `reads` says for each of their parameters the cell, or a constant."""

    def step(match: re.Match[str]) -> str:
        found = getattr(STEPS[match[1]], match[2])
        if not callable(found):
            return f"{found:g}"
        line = Line.of(found)
        return str(to_formula(line.trace(), {name: reference(reads[name], reads) for name in line.reads}))

    return _STEP.sub(step, formula)


def reference(source: str | float, reads: Reads) -> str:
    """Return how a formula reads a cell, a step or a constant."""
    return with_steps(source, reads) if isinstance(source, str) else f"{source:.17g}"
