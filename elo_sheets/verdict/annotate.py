"""A copy of a workbook in which the cells with findings are marked and a new sheet lists them.

The package is patched, not saved anew: a part that need not change keeps its bytes, and in a part that must change
only the tags of the marked cells are rewritten. So charts, sparklines, stored results, macros and whatever a later
version of a spreadsheet program adds survive.
"""

from __future__ import annotations

import posixpath
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from elo_sheets.errors import OutputRefused, UnreadableInput
from elo_sheets.files.archive import rewrite_parts
from elo_sheets.files.cells import Book
from elo_sheets.files.package import read_book
from elo_sheets.files.references import cell_name, parse_cell_name, parse_range, quote_sheet
from elo_sheets.files.save import refuse_unwritable, replacing
from elo_sheets.verdict.copy_styles import Styles
from elo_sheets.verdict.findings import ERROR, NOTE, RULES, WARNING, Finding, Verdict, areas_of, shown
from elo_sheets.verdict.findings_sheet import findings_sheet
from elo_sheets.verdict.notes import notes_part, shapes_part
from elo_sheets.verdict.patch import Element, Patch, attribute

KINDS = (".xlsx", ".xlsm")
MOST_MARKED = 20_000  # cells of one finding
MOST_NOTES = 900  # of one sheet: the shapes of a drawing are numbered in blocks of 1,024
MOST_TEXT = 2_000  # characters of one note
_RANK = {ERROR: 0, WARNING: 1, NOTE: 2}

_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_SPREADSHEET = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
_AFTER_LEGACY = (
    *("legacyDrawingHF", "drawingHF", "picture", "oleObjects", "controls", "webPublishItems"),
    *("tableParts", "extLst"),
)
_AFTER_NAMES = (
    *("calcPr", "oleSize", "customWorkbookViews", "pivotCaches", "smartTagPr", "smartTagTypes"),
    *("webPublishing", "fileRecoveryPr", "webPublishObjects", "extLst"),
)


Place = tuple[int, int]


@dataclass(frozen=True)
class Annotated:
    """What was written: the name of the new sheet, how many cells are marked, and what a reader should know."""

    path: Path
    sheet: str
    cells: int
    notes: tuple[str, ...] = ()


@dataclass
class _Marks:
    """What happens to the cells of one sheet: the worst severity, and the findings that begin there."""

    severity: dict[Place, str] = field(default_factory=dict)
    findings: dict[Place, list[Finding]] = field(default_factory=dict)

    def add(self, place: Place, severity: str) -> None:
        old = self.severity.get(place)
        if old is None or _RANK[severity] < _RANK[old]:
            self.severity[place] = severity


def refuse_copy(source: str | Path, target: str | Path, *, overwrite: bool = False) -> None:
    """Raise `OutputRefused` when a marked copy of `source` cannot or should not be written to `target`.

    To be asked before a long validation.
    """
    old, new = Path(source), Path(target)
    kind = old.suffix.lower()
    if kind not in KINDS:
        raise OutputRefused(
            f"cannot annotate {old.name!r}: only .xlsx and .xlsm workbooks can be marked; save it as .xlsx in a "
            "spreadsheet program first, or take the list by --format json"
        )
    if new.suffix.lower() != kind:
        raise OutputRefused(
            f"expected a copy whose name ends in {kind}, got {new.name!r}: a copy keeps the kind of its original"
        )
    if new.exists() and old.exists() and new.samefile(old):
        raise OutputRefused(f"{str(new)!r} is the workbook itself; give the copy another name")
    refuse_unwritable(new, overwrite=overwrite)


def annotate(source: str | Path, target: str | Path, verdict: Verdict, *, overwrite: bool = False) -> Annotated:
    """Write a copy of the workbook `source` to `target` with the verdict's findings marked and listed.

    Each cell of a finding gets a fill by severity, the first one of each range a note with the text where the sheet has
    no notes of its own; the last sheet lists all findings with links. The original is only read. The copy is made
    beside the target, compared with the original cell by cell, and moved over the target.

    Raises `OutputRefused` when the target may not be written or the kind of file cannot be marked, `UnreadableInput`
    when the workbook cannot be read.
    """
    refuse_copy(source, target, overwrite=overwrite)
    book = read_book(source)
    try:
        with zipfile.ZipFile(source) as archive:
            work = _Work(book, PackageParts(archive), verdict)
            work.mark()
        with replacing(target, overwrite=overwrite, verify=lambda copy: _verify(book, copy, work)) as beside:
            rewrite_parts(source, beside, work.parts.changes)
    except (zipfile.BadZipFile, zlib.error, EOFError) as error:
        raise UnreadableInput(
            f"cannot annotate {Path(source).name!r}: it is damaged ({error}); try again, or open and save it in a "
            "spreadsheet program"
        ) from error
    cells = sum(len(marks.severity) for marks in work.marks.values())
    return Annotated(Path(target), work.sheet, cells, tuple(work.notes))


class PackageParts:
    """The parts of a package, and those that the copy has instead or in addition."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self.archive = archive
        self.names = {name.lstrip("/").casefold(): name for name in archive.namelist()}
        self.changes: dict[str, bytes | None] = {}

    def has(self, part: str) -> bool:
        return part.casefold() in self.names

    def read(self, part: str) -> bytes:
        name = self.names.get(part.casefold())
        if name is None:
            raise UnreadableInput(f"cannot annotate it: the part {part!r} is missing; open and save it first")
        change = self.changes.get(name)
        return self.archive.read(name) if change is None else change

    def write(self, part: str, data: bytes) -> None:
        name = self.names.setdefault(part.casefold(), part)
        self.changes[name] = data

    def free(self, pattern: str) -> str:
        """The first name of a pattern such as `xl/comments{}.xml` that no part has."""
        return next(name for n in range(1, 100_000) if not self.has(name := pattern.format(n)))

    def relations(self, part: str) -> list[tuple[str, str, str]]:
        """Id, last word of the type, and target part of what a part points to within the package."""
        rels = _relations_of(part)
        if not self.has(rels):
            return []
        folder = posixpath.dirname(part)
        found = []
        for one in Patch(self.read(rels), lambda path, _: path[-1] == "Relationship").root.children:
            to = one.attributes.get("Target", "").replace("\\", "/")
            full = posixpath.normpath(posixpath.join("/", folder, to)).lstrip("/")
            kind = "" if one.attributes.get("TargetMode") == "External" else one.attributes.get("Type", "")
            found.append((one.attributes.get("Id", ""), kind.rpartition("/")[2], full))
        return found

    @cached_property
    def workbook(self) -> str:
        """The part that names the sheets."""
        return next(to for _, kind, to in self.relations("") if kind == "officeDocument")

    def of_workbook(self, kind: str) -> str | None:
        """Return the part of a kind that the workbook points to, None where there is none."""
        return next((to for _, found, to in self.relations(self.workbook) if found == kind and self.has(to)), None)

    def relate(self, part: str, kind: str, target: str) -> str:
        """Let a part point to another one; the id of the new relation."""
        rels = _relations_of(part)
        if not self.has(rels):
            self.write(rels, f'<?xml version="1.0" encoding="UTF-8"?>\n<Relationships xmlns="{_RELATIONS}"/>'.encode())
        taken = {found[0] for found in self.relations(part)}
        new = next(name for n in range(1, 100_000) if (name := f"rId{n}") not in taken)
        patch = Patch(self.read(rels), lambda _path, _: False)
        to = posixpath.relpath(target, posixpath.dirname(part) or ".")
        tag = f'<{patch.root.prefix}Relationship Id="{new}" Type="{_OFFICE}/{kind}" Target={attribute(to)}/>'
        patch.append(patch.root, tag)
        self.write(rels, patch.result())
        return new

    def declare(self, part: str, kind: str) -> None:
        """Say what a new part is; for the extension `vml` all parts are alike."""
        patch = Patch(self.read("[Content_Types].xml"), lambda path, _: len(path) == 2)
        prefix = patch.root.prefix
        if part.endswith(".vml"):
            known = {one.attributes.get("Extension", "").casefold() for one in patch.root.children}
            if "vml" not in known:
                tag = f'<{prefix}Default Extension="vml" ContentType={attribute(kind)}/>'
                first = next(iter(patch.root.children), None)
                patch.append(patch.root, tag) if first is None else patch.insert_before(first, tag)
        else:
            patch.append(patch.root, f'<{prefix}Override PartName={attribute("/" + part)} ContentType="{kind}"/>')
        self.write("[Content_Types].xml", patch.result())


def _relations_of(part: str) -> str:
    folder, name = posixpath.split(part)
    return posixpath.join(folder, "_rels", name + ".rels")


class _Work:
    """The changes that turn a workbook into its marked copy."""

    def __init__(self, book: Book, parts: PackageParts, verdict: Verdict) -> None:
        self.book, self.parts, self.verdict = book, parts, verdict
        self.workbook = parts.workbook
        self.folder = posixpath.dirname(self.workbook)
        self.sheet = self.styles_part = ""
        self.notes: list[str] = []
        self.marks: dict[str, _Marks] = {}

    def mark(self) -> None:
        """Work out all changes."""
        self._collect()
        styles = self._styles()
        # The boxes of notes that are there already are numbered by sheet.
        for number, (sheet, marks) in enumerate(self.marks.items(), len(self.book.sheets) + 1):
            self._mark_sheet(sheet, marks, styles, number)
        self._list(styles)
        self.parts.write(self.styles_part, styles.result())
        if any(name.startswith("_xmlsignatures/") for name in self.parts.names):
            self.notes.append("the workbook is signed; the signature does not hold for the copy")

    def _collect(self) -> None:
        for finding in self.verdict.findings:
            for sheet, row, column, last_row, last_column in areas_of(finding.range, self.book.sheets):
                marks = self.marks.setdefault(sheet, _Marks())
                marks.findings.setdefault((row, column), []).append(finding)
                if (last_row - row + 1) * (last_column - column + 1) > MOST_MARKED:
                    marks.add((row, column), finding.severity)
                    self.notes.append(f"of {finding.range} only the first cell is marked: the range is too large")
                    continue
                for place in ((r, c) for r in range(row, last_row + 1) for c in range(column, last_column + 1)):
                    marks.add(place, finding.severity)

    def _styles(self) -> Styles:
        part = self.parts.of_workbook("styles")
        if part is not None:
            self.styles_part = part
            return Styles(self.parts.read(part))
        usual = posixpath.join(self.folder, "styles.xml")  # some readers look for no other name
        self.styles_part = self.parts.free(usual.replace(".", "{}.")) if self.parts.has(usual) else usual
        self.parts.relate(self.workbook, "styles", self.styles_part)
        self.parts.declare(self.styles_part, f"{_SPREADSHEET}.styles+xml")
        return Styles(None)

    def _mark_sheet(self, sheet: str, marks: _Marks, styles: Styles, number: int) -> None:
        part = self.book.parts[sheet]
        patch = Patch(self.parts.read(part), _Wanted(marks.severity).keep)
        _mark_cells(patch, marks.severity, styles)
        own = {kind for _, kind, _ in self.parts.relations(part)}
        blocked = own & {"comments", "threadedComment"} or patch.root.child("legacyDrawing")
        if not blocked and patch.root.child("AlternateContent") is None:
            self._add_notes(part, patch, marks, number)
        elif marks.findings:
            self.notes.append(f"{sheet!r} has notes or controls of its own and gets no more: see the list")
        self.parts.write(part, patch.result())

    def _add_notes(self, part: str, patch: Patch, marks: _Marks, number: int) -> None:
        texts = {
            place: "\n\n".join(map(note_text, findings))[:MOST_TEXT]
            for place, findings in sorted(marks.findings.items())[:MOST_NOTES]
        }
        notes = self.parts.free(posixpath.join(self.folder, "comments{}.xml"))
        self.parts.write(notes, notes_part(texts))
        self.parts.declare(notes, f"{_SPREADSHEET}.comments+xml")
        shapes = self.parts.free(posixpath.join(self.folder, "drawings/vmlDrawing{}.vml"))
        self.parts.write(shapes, shapes_part(texts, number))
        self.parts.declare(shapes, "application/vnd.openxmlformats-officedocument.vmlDrawing")
        self.parts.relate(part, "comments", notes)
        relation = self.parts.relate(part, "vmlDrawing", shapes)
        tag = f'<{patch.root.prefix}legacyDrawing xmlns:r="{_OFFICE}" r:id="{relation}"/>'
        patch.insert(patch.root, tag, _AFTER_LEGACY)

    def _list(self, styles: Styles) -> None:
        patch = Patch(self.parts.read(self.workbook), lambda path, _: len(path) == 2 or path[-1] == "sheet")
        sheets = patch.root.child("sheets")
        assert sheets is not None  # the reader has found sheets in it
        taken = {one.attributes.get("name", "").casefold() for one in sheets.children}
        names = ["Findings", *(f"Findings {n}" for n in range(2, 10_000))]
        self.sheet = next(name for name in names if name.casefold() not in taken)
        part = self.parts.free(posixpath.join(self.folder, "worksheets/sheet{}.xml"))
        listed = findings_sheet(self.verdict, self.book.sheets, styles)
        self.parts.write(part, listed.part)
        self.parts.declare(part, f"{_SPREADSHEET}.worksheet+xml")
        relation = self.parts.relate(self.workbook, "worksheet", part)
        used = [_number(one.attributes.get("sheetId")) for one in sheets.children]
        tag = f'<{patch.root.prefix}sheet name="{self.sheet}" sheetId="{max(used, default=0) + 1}"'
        patch.append(sheets, f'{tag} xmlns:r="{_OFFICE}" r:id="{relation}"/>')
        self._name(patch, len(sheets.children), listed.names)
        self.parts.write(self.workbook, patch.result())

    def _name(self, patch: Patch, index: int, areas: Mapping[str, str]) -> None:
        """Name areas of the list, the sheet of that index, as spreadsheet programs expect them to be named."""
        prefix, tags = patch.root.prefix, ""
        for name, area in areas.items():
            hidden = ' hidden="1"' if name == "_FilterDatabase" else ""
            tags += f'<{prefix}definedName name="_xlnm.{name}" localSheetId="{index}"{hidden}>'
            tags += f"{quote_sheet(self.sheet)}!{area}</{prefix}definedName>"
        names = patch.root.child("definedNames")
        if names is not None:
            patch.append(names, tags)
        else:
            patch.insert(patch.root, f"<{prefix}definedNames>{tags}</{prefix}definedNames>", _AFTER_NAMES)


def note_text(finding: Finding) -> str:
    """What the note at a cell says of a finding."""
    lines = [f"{finding.code} {RULES[finding.code].name}", finding.message]
    if finding.found is not None or finding.expected is not None:
        lines.append(f"found {shown(finding.found)}, expected {shown(finding.expected)}")
    if finding.effect:
        lines.append(f"effect {finding.effect:+.4g} rating points")
    if finding.fix is not None:
        lines.append(f"should be {finding.fix}")
    return "\n".join(lines)


def _number(text: str | None, default: int = 0) -> int:
    """A whole number of an attribute; the default when it is missing or none."""
    return int(text) if text is not None and text.isascii() and text.isdigit() else default


# --- cells --------------------------------------------------------------------------------------------------


class _Wanted:
    """Which elements of a sheet are kept: those of the wanted rows, and the row after each row that is missing.

    Rows and cells without a name follow the one before them; the name that they mean is put among their attributes.
    """

    def __init__(self, places: Mapping[Place, str]) -> None:
        self.rows = {row for row, _ in places}
        self.left = sorted(self.rows, reverse=True)
        self.row = self.column = 0

    def keep(self, path: list[str], attributes: dict[str, str]) -> bool:
        """Tell whether an element matters."""
        if len(path) == 2:
            return True
        if len(path) == 3 and path[2] == "row":
            return self._row(attributes)
        if len(path) == 4 and path[3] == "c":
            return self._cell(attributes)
        return len(path) == 3 and path[2] == "col"

    def _row(self, attributes: dict[str, str]) -> bool:
        self.row = _number(attributes.get("r"), self.row + 1)
        self.column = 0
        attributes["r"] = str(self.row)
        kept = self.row in self.rows
        while self.left and self.left[-1] <= self.row:
            self.left.pop()
            kept = True
        return kept

    def _cell(self, attributes: dict[str, str]) -> bool:
        name = attributes.get("r")
        try:
            self.column = parse_cell_name(name)[1] if name else self.column + 1
        except ValueError:
            return False
        attributes["r"] = cell_name(self.row, self.column)
        return self.row in self.rows


def _mark_cells(patch: Patch, severity: Mapping[Place, str], styles: Styles) -> None:
    root = patch.root
    data = root.child("sheetData")
    if data is None:
        return
    columns = _column_styles(root.child("cols"))
    wanted: dict[int, dict[int, str]] = {}
    for (row, column), worst in sorted(severity.items()):
        wanted.setdefault(row, {})[column] = worst
    rows = {int(one.attributes["r"]): one for one in data.children}
    numbers = sorted(rows)
    added: list[Place] = []
    for number, cells in wanted.items():
        element = rows.get(number)
        if element is not None:
            added += [(number, column) for column in _mark_row(patch, element, cells, columns, styles)]
            continue
        prefix = root.prefix
        tags = "".join(_new_cell(prefix, number, c, columns.get(c, 0), worst, styles) for c, worst in cells.items())
        xml = f'<{prefix}row r="{number}">{tags}</{prefix}row>'
        below = next((one for one in numbers if one > number), None)
        patch.append(data, xml) if below is None else patch.insert_before(rows[below], xml)
        added += [(number, column) for column in cells]
    _widen(patch, root.child("dimension"), added)


def _mark_row(
    patch: Patch, row: Element, cells: Mapping[int, str], columns: Mapping[int, int], styles: Styles
) -> list[int]:
    """Mark the cells of a row; the columns of those that had to be added."""
    present = {parse_cell_name(one.attributes["r"])[1]: one for one in row.children}
    number = int(row.attributes["r"])
    own = _number(row.attributes.get("s")) if row.attributes.get("customFormat") in ("1", "true") else None
    added = []
    for column, worst in cells.items():
        cell = present.get(column)
        if cell is not None:
            patch.set(cell, s=str(styles.marked(_number(cell.attributes.get("s")), worst)))
            continue
        base = columns.get(column, 0) if own is None else own
        tag = _new_cell(patch.root.prefix, number, column, base, worst, styles)
        later = min((one for one in present if one > column), default=None)
        patch.append(row, tag) if later is None else patch.insert_before(present[later], tag)
        added.append(column)
    if added and "spans" in row.attributes:
        patch.set(row, spans=None)
    return added


def _new_cell(prefix: str, row: int, column: int, base: int, severity: str, styles: Styles) -> str:
    return f'<{prefix}c r="{cell_name(row, column)}" s="{styles.marked(base, severity)}"/>'


def _column_styles(columns: Element | None) -> dict[int, int]:
    found: dict[int, int] = {}
    for one in columns.children if columns is not None else ():
        style = _number(one.attributes.get("style"))
        if style:
            first, last = _number(one.attributes.get("min"), 1), _number(one.attributes.get("max"), 1)
            found.update(dict.fromkeys(range(first, min(last, 16_384) + 1), style))
    return found


def _widen(patch: Patch, dimension: Element | None, added: list[Place]) -> None:
    if dimension is None or not added:
        return
    try:
        row, column, last_row, last_column = parse_range(dimension.attributes.get("ref", ""))
    except ValueError:
        return
    rows, columns = [row, last_row, *(r for r, _ in added)], [column, last_column, *(c for _, c in added)]
    area = f"{cell_name(min(rows), min(columns))}:{cell_name(max(rows), max(columns))}"
    patch.set(dimension, ref=area)


# --- the copy is compared -----------------------------------------------------------------------------------


def _verify(book: Book, copy: Path, work: _Work) -> None:
    """Raise `OutputRefused` unless the copy holds what the original holds."""
    from elo_sheets.files.lint import lint

    made = read_book(copy)
    if (
        list(made.sheets) != [*book.sheets, work.sheet]
        or made.names != book.names
        or made.all_tables != book.all_tables
    ):
        raise OutputRefused("the copy does not hold the sheets, names and tables of the workbook; nothing was written")
    for sheet, cells in book.sheets.items():
        if made.sheets[sheet] != cells:
            raise OutputRefused(f"the copy of the sheet {sheet!r} differs in more than its marks; nothing was written")
    before = {(one.rule, one.sheet) for one in lint(book)}
    new = [one for one in lint(made) if one.repair and (one.rule, one.sheet) not in before]
    if new:
        raise OutputRefused(f"the copy would not be sound: {'; '.join(map(str, new[:3]))}; nothing was written")
