"""A workbook on paper: cells by place, formulas with marked parts, and its way into a file or an engine.

A formula is text that begins with "="; parts of it that an operator may change are marked by `tag`, and a mark may
carry what else could stand there: `tag("E", "F5", other="G5")`. `plain` takes the marks off.
"""

from __future__ import annotations

import copy
import re
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from elo_sheets.engines.recalculate import recalculate_many
from elo_sheets.engines.sanitised import Values
from elo_sheets.files.cells import Book, Calc, Cell, Value
from elo_sheets.files.references import (
    Place,
    Table,
    cell_name,
    column_letters,
    column_number,
    parse_cell_name,
    quote_sheet,
)

Content: TypeAlias = float | str | bool
Spot: TypeAlias = tuple[str, Place]  # a sheet and a cell of it
Change: TypeAlias = Callable[[str, str, Mapping[str, str]], str | None]

_OPEN, _CLOSE, _END, _ALSO = "⟦", "⟧", "‖", "¦"
_MARK = re.compile(r"⟦([A-Za-z]+)((?:¦[^¦‖]*)*)‖|⟧")


def tag(name: str, text: object, **also: str) -> str:
    """Mark a part of a formula; `also` names what else could stand there."""
    extra = "".join(f"{_ALSO}{key}={plain(value)}" for key, value in also.items())
    return f"{_OPEN}{name}{extra}{_END}{text}{_CLOSE}"


def plain(text: str) -> str:
    """Return the formula without its marks."""
    return _MARK.sub("", text)


def marks(text: str) -> set[str]:
    """Return the names of the marks in a formula."""
    return {match[1] for match in _MARK.finditer(text) if match[1]}


def retag(text: str, change: Change) -> str:
    """Return the formula after `change(name, inner, also)` for every mark, the inner ones first.

    None keeps the mark; a text takes its place.
    """
    stack: list[tuple[str, str, str]] = []
    done, end = "", 0
    for match in _MARK.finditer(text):
        done += text[end : match.start()]
        end = match.end()
        if match[1]:
            stack.append((match[1], match[2], done))
            done = ""
            continue
        name, extra, before = stack.pop()
        also = dict(part.split("=", 1) for part in extra.split(_ALSO) if part)
        new = change(name, done, also)
        done = before + (f"{_OPEN}{name}{extra}{_END}{done}{_CLOSE}" if new is None else new)
    return done + text[end:]


def first_mark(text: str, name: str) -> tuple[str, dict[str, str]] | None:
    """Return the inner text and the alternatives of the first mark of that name."""
    found: list[tuple[str, dict[str, str]]] = []

    def look(mark: str, inner: str, also: Mapping[str, str]) -> None:
        if mark == name:
            found.append((inner, dict(also)))

    retag(text, look)
    return found[0] if found else None


@dataclass
class Draft:
    """A workbook that is not written yet."""

    sheets: dict[str, dict[Place, Content]] = field(default_factory=dict)
    formats: dict[Spot, str] = field(default_factory=dict)
    tables: list[Table] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)
    hidden_rows: set[tuple[str, int]] = field(default_factory=set)
    hidden_sheets: set[str] = field(default_factory=set)
    stored: dict[Spot, Value] = field(default_factory=dict)  # results that are not what the formula gives
    validations: list[tuple[str, str, list[float]]] = field(default_factory=list)
    charts: list[tuple[str, str]] = field(default_factory=list)  # the sheet and the series' range
    protected: set[str] = field(default_factory=set)
    unlocked: set[Spot] = field(default_factory=set)
    manual: bool = False
    iterate: bool = False
    full_precision: bool = True
    external: str | None = None  # the other workbook's name; its sheet is Config

    def copy(self) -> Draft:
        """Return a draft that can be changed without changing this one."""
        return copy.deepcopy(self)

    def __getitem__(self, spot: Spot) -> Content | None:
        return self.sheets[spot[0]].get(spot[1])

    def __setitem__(self, spot: Spot, content: Content) -> None:
        self.sheets[spot[0]][spot[1]] = content

    def formulas(self) -> Iterator[tuple[Spot, str]]:
        """Yield the formula cells with their marked text."""
        for sheet, cells in self.sheets.items():
            for place, content in cells.items():
                if isinstance(content, str) and content.startswith("="):
                    yield (sheet, place), content

    def used(self, sheet: str) -> tuple[int, int]:
        """Return the last row and column of a sheet."""
        places = self.sheets[sheet]
        return max(row for row, _ in places), max(column for _, column in places)


def spot(text: str) -> Spot:
    """Return the sheet and place of a text such as "Log!B5"."""
    sheet, _, cell = text.rpartition("!")
    return sheet, parse_cell_name(cell)


def spell(where: Spot) -> str:
    """Return a spot as a finding names it."""
    return f"{where[0]}!{cell_name(*where[1])}"


# --- moving references --------------------------------------------------------------------------------------

_REFERENCE = re.compile(
    r"(?P<text>\"(?:[^\"]|\"\")*\")"
    r"|(?P<sheet>(?:'(?:[^']|'')*'|[^\W\d][\w.]*)!)?"
    r"(?P<ca>\$?)(?P<c>[A-Z]{1,3})(?P<ra>\$?)(?P<r>[1-9]\d{0,6})"
    r"(?::(?P<ca2>\$?)(?P<c2>[A-Z]{1,3})(?P<ra2>\$?)(?P<r2>[1-9]\d{0,6}))?(?![\w.(\[!])"
)
Move: TypeAlias = Callable[[str, int, int], Place]


def move_references(formula: str, home: str, move: Move) -> str:
    """Return the formula with every reference sent through `move(sheet, row, column)`; anchors stay."""

    def moved(match: re.Match[str]) -> str:
        before = formula[match.start() - 1] if match.start() else ""
        if match["text"] is not None or (before and (before.isalnum() or before in "_.[")):
            return match[0]
        sheet = match["sheet"] or ""
        name = sheet[:-1].strip("'").replace("''", "'") if sheet else home
        row, column = move(name, int(match["r"]), column_number(match["c"]))
        text = f"{sheet}{match['ca']}{column_letters(column)}{match['ra']}{row}"
        if match["c2"]:
            row, column = move(name, int(match["r2"]), column_number(match["c2"]))
            text += f":{match['ca2']}{column_letters(column)}{match['ra2']}{row}"
        return text

    return _REFERENCE.sub(moved, formula)


def insert_columns(draft: Draft, sheet: str, at: int, count: int = 1) -> Draft:
    """Return the draft with empty columns inserted before column `at`, as a spreadsheet does it."""

    def place(row: int, column: int) -> Place:
        return row, column + count if column >= at else column

    return _moved(draft, lambda name, row, column: place(row, column) if name == sheet else (row, column))


def insert_rows(draft: Draft, sheet: str, at: int, count: int = 1) -> Draft:
    """Return the draft with empty rows inserted before row `at`, as a spreadsheet does it."""

    def place(row: int, column: int) -> Place:
        return row + count if row >= at else row, column

    return _moved(draft, lambda name, row, column: place(row, column) if name == sheet else (row, column))


def _moved(draft: Draft, move: Move) -> Draft:
    new = draft.copy()
    for sheet, cells in draft.sheets.items():
        new.sheets[sheet] = {
            move(sheet, *place): move_references(content, sheet, move)
            if isinstance(content, str) and content.startswith("=")
            else content
            for place, content in cells.items()
        }
    new.formats = {(s, move(s, *place)): text for (s, place), text in draft.formats.items()}
    new.stored = {(s, move(s, *place)): value for (s, place), value in draft.stored.items()}
    new.names = {name: move_references(text, "", move) for name, text in draft.names.items()}
    new.hidden_rows = {(s, move(s, row, 1)[0]) for s, row in draft.hidden_rows}
    new.validations = [(s, move_references(area, s, move), values) for s, area, values in draft.validations]
    new.charts = [(s, move_references(area, s, move)) for s, area in draft.charts]
    new.tables = []
    for table in draft.tables:
        first = move(table.sheet, table.first_row, table.first_col)
        last = move(table.sheet, table.last_row, table.last_col)
        new.tables.append(Table(table.name, table.sheet, *first, *last, table.columns))
    return new


def rename_sheet(draft: Draft, old: str, name: str) -> Draft:
    """Return the draft with a sheet under another name."""
    new = draft.copy()
    pattern = re.compile(rf"(?<![\w'])(?:'{re.escape(old)}'|{re.escape(old)})!")
    quoted = quote_sheet(name) + "!"

    def renamed(text: str) -> str:
        return pattern.sub(lambda _: quoted, text)

    def sheet(given: str) -> str:
        return name if given == old else given

    new.sheets = {
        sheet(s): {p: renamed(c) if isinstance(c, str) and c.startswith("=") else c for p, c in cells.items()}
        for s, cells in draft.sheets.items()
    }
    new.formats = {(sheet(s), p): text for (s, p), text in draft.formats.items()}
    new.stored = {(sheet(s), p): value for (s, p), value in draft.stored.items()}
    new.names = {key: renamed(text) for key, text in draft.names.items()}
    new.hidden_rows = {(sheet(s), row) for s, row in draft.hidden_rows}
    new.hidden_sheets = {sheet(s) for s in draft.hidden_sheets}
    new.validations = [(sheet(s), *rest) for s, *rest in draft.validations]  # type: ignore[misc]
    new.charts = [(sheet(s), renamed(area)) for s, area in draft.charts]
    new.protected = {sheet(s) for s in draft.protected}
    new.tables = [
        Table(t.name, sheet(t.sheet), t.first_row, t.first_col, t.last_row, t.last_col, t.columns) for t in draft.tables
    ]
    return new


# --- an engine's values -------------------------------------------------------------------------------------

_LAST_MATCH = re.compile(r"(?<!X)LOOKUP\(2,1\s*/\s*\(")


def _closing(text: str, start: int) -> int:
    depth = 0
    for i in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[i], 0)
        if depth == 0:
            return i
    raise ValueError(text)


def for_engine(formula: str) -> str:
    """Return the formula with the idiom for the last match, LOOKUP(2,1/(…),r), spelt so that the embedded engine
    computes it as Excel does: INDEX at the largest row that fits.
    """
    while match := _LAST_MATCH.search(formula):
        opened = match.end() - 1
        inner_end = _closing(formula, opened)
        outer_end = _closing(formula, match.start() + len("LOOKUP"))
        condition, area = formula[opened + 1 : inner_end], formula[inner_end + 2 : outer_end]
        rows = re.fullmatch(r"ROW\((.*)\)", area)
        if rows:
            found = f"ROUND(1/(1/SUMPRODUCT(MAX(({condition})*ROW({rows[1]})))),0)"
        else:
            first = area.split(":")[0]
            found = f"INDEX({area},ROUND(1/(1/SUMPRODUCT(MAX(({condition})*(ROW({area})-ROW({first})+1)))),0))"
        formula = formula[: match.start()] + found + formula[outer_end + 1 :]
    return formula


def to_book(draft: Draft) -> Book:
    """Return the draft as the reader would give it, with formulas that the embedded engine computes rightly."""
    book = Book(Path("draft.xlsx"))
    book.calc = Calc("auto", draft.iterate, True, False)
    book.names = dict(draft.names)
    for table in draft.tables:
        book.tables[table.name] = table
        book.all_tables.append(table)
    for sheet, cells in draft.sheets.items():
        own: dict[Place, Cell] = {}
        for place, content in cells.items():
            if isinstance(content, str) and content.startswith("="):
                own[place] = Cell(for_engine(plain(content)[1:]), None)
            else:
                own[place] = Cell(None, float(content) if isinstance(content, int | float) else content)
        book.sheets[sheet] = own
    return book


def compute(drafts: Sequence[Draft], engine: str = "ironcalc") -> list[Values]:
    """Return what an engine computes for each draft: per sheet, the value of every formula cell."""
    values: list[Values] = []
    for start in range(0, len(drafts), 40):
        books = [to_book(draft) for draft in drafts[start : start + 40]]
        values += [answer.values for answer in recalculate_many(books, engine, timeout=600)]
    return values


def number_at(draft: Draft, values: Values, where: Spot) -> float | None:
    """Return the number that a cell shows, or None."""
    sheet, place = where
    value: object = values.get(sheet, {}).get(place, draft.sheets.get(sheet, {}).get(place))
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value)


# --- the file -----------------------------------------------------------------------------------------------


def write(draft: Draft, values: Values, path: Path) -> Path:
    """Write the draft as .xlsx, every formula with the result that `values` gives for it."""
    import xlsxwriter

    book = xlsxwriter.Workbook(str(path), {"strings_to_numbers": False, "strings_to_formulas": False})
    styles: dict[tuple[str, bool], Any] = {}

    def style(where: Spot) -> Any:
        key = draft.formats.get(where, ""), where in draft.unlocked
        if key == ("", False):
            return None
        if key not in styles:
            rules: dict[str, object] = {"num_format": key[0]} if key[0] else {}
            styles[key] = book.add_format({**rules, "locked": False} if key[1] else rules)
        return styles[key]

    for name, cells in draft.sheets.items():
        sheet = book.add_worksheet(name)
        for place in sorted(cells):
            content = cells[place]
            row, column = place[0] - 1, place[1] - 1
            look = style((name, place))
            if isinstance(content, bool):
                sheet.write_boolean(row, column, content, look)
            elif isinstance(content, int | float):
                sheet.write_number(row, column, content, look)
            elif content.startswith("="):
                result: object = draft.stored.get((name, place), values.get(name, {}).get(place, 0.0))
                sheet.write_formula(row, column, plain(content), look, "" if result is None else result)
            else:
                sheet.write_string(row, column, content, look)
        for hidden in sorted(row for where, row in draft.hidden_rows if where == name):
            sheet.set_row(hidden - 1, None, None, {"hidden": True})
        if name in draft.hidden_sheets:
            sheet.hide()
        if name in draft.protected:
            sheet.protect()
        for where, area, allowed in draft.validations:
            if where == name:
                sheet.data_validation(area.replace("$", ""), {"validate": "list", "source": [str(v) for v in allowed]})
        for where, area in draft.charts:
            if where == name:
                chart = book.add_chart({"type": "line"})
                chart.add_series({"values": "=" + area})
                sheet.insert_chart("Z2", chart)
        for table in draft.tables:
            if table.sheet == name:
                _add_table(sheet, table, cells, values.get(name, {}))
    for name, text in draft.names.items():
        book.define_name(name, "=" + text)
    if draft.manual:
        book.set_calc_mode("manual")
    book.close()
    _patch(draft, path)
    return path


def _add_table(sheet: Any, table: Table, cells: Mapping[Place, Content], values: Mapping[Place, Value]) -> None:
    """Declare the table; its cells are written already, and are written the same once more."""
    sheet.add_table(
        table.first_row - 1,
        table.first_col - 1,
        table.last_row - 1,
        table.last_col - 1,
        {"name": table.name, "columns": [{"header": header} for header in table.columns], "autofilter": False},
    )


_LINK = (
    '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
    '<externalLink xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">'
    '<externalBook xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" r:id="rId1">'
    '<sheetNames><sheetName val="Config"/></sheetNames><sheetDataSet><sheetData sheetId="0"><row r="1">'
    '<cell r="B1"><v>24</v></cell></row></sheetData></sheetDataSet></externalBook></externalLink>'
)
_PART = "xl/externalLinks/externalLink1.xml"


def _patch(draft: Draft, path: Path) -> None:
    """Put in what XlsxWriter has no call for: iteration, precision as displayed, a link to another workbook, and
    formulas without a result.
    """
    unsaved = any(value is None for value in draft.stored.values())
    if not (draft.iterate or draft.external or not draft.full_precision or unsaved):
        return
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    if unsaved:
        for name in parts:
            if name.startswith("xl/worksheets/sheet"):
                parts[name] = re.sub(rb' t="str"(><f[^>]*>[^<]*</f>)<v></v>', rb"\1", parts[name])
    main = parts["xl/workbook.xml"].decode()
    flags = (' iterate="1"' if draft.iterate else "") + ("" if draft.full_precision else ' fullPrecision="0"')
    main = main.replace("<calcPr", f"<calcPr{flags}")
    if draft.external:
        kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
        link = '<externalReferences><externalReference r:id="rId99"/></externalReferences>'
        at = min(i for i in (main.find("<definedNames"), main.find("<calcPr")) if i >= 0)
        main = main[:at] + link + main[at:]
        parts["xl/_rels/workbook.xml.rels"] = parts["xl/_rels/workbook.xml.rels"].replace(
            b"</Relationships>",
            f'<Relationship Id="rId99" Type="{kind}/externalLink" Target="externalLinks/externalLink1.xml"/>'
            "</Relationships>".encode(),
        )
        parts["[Content_Types].xml"] = parts["[Content_Types].xml"].replace(
            b"</Types>",
            b'<Override PartName="/' + _PART.encode() + b'" ContentType="application/vnd.openxmlformats-officedocument.'
            b'spreadsheetml.externalLink+xml"/></Types>',
        )
        parts[_PART] = _LINK.encode()
        parts["xl/externalLinks/_rels/externalLink1.xml.rels"] = (
            '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
            '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
            f'<Relationship Id="rId1" Type="{kind}/externalLinkPath" Target="{draft.external}" TargetMode="External"/>'
            "</Relationships>"
        ).encode()
    parts["xl/workbook.xml"] = main.encode()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
