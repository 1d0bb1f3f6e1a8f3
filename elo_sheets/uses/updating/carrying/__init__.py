"""What a book's owner made beside what the template has, carried into the new file.

The old package stays as it is, part by part. The cells that the template writes come from a new file of the plan, whose
formats and texts are found among the old ones, or added to them; whatever points into a table that grew follows it. So
sheets, charts, comments and parts that nobody here knows keep their bytes, or all of them but the references.
"""

from __future__ import annotations

import posixpath
import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path

from elo_sheets.errors import OutputRefused
from elo_sheets.files.archive import damage_reported, rewrite_parts
from elo_sheets.files.cells import Cell
from elo_sheets.files.references import Place, cell_name, parse_cell_name, quote_sheet, unescape, unescape_xml
from elo_sheets.uses.updating.carrying import sheet as cells
from elo_sheets.uses.updating.carrying.layout import OWN, Cover, Owned
from elo_sheets.uses.updating.carrying.places import Grown, Stretch, area_now, follow
from elo_sheets.uses.updating.carrying.sheet import OURS, Edits, Parts
from elo_sheets.uses.updating.carrying.styles import Joined, Styles, renumbered
from elo_sheets.uses.updating.growing import Growth
from elo_sheets.uses.updating.old import Old
from elo_sheets.verdict.annotate import PackageParts
from elo_sheets.verdict.patch import Patch, as_utf8, attribute, text
from elo_sheets.workbook.plan import Plan

_RULES = re.compile(rb"<formula>(.*?)</formula>|<formula/>", re.S)
_CHART = re.compile(r"(<(?:\w+:)?f>)(.*?)(</(?:\w+:)?f>)", re.S)
_DXF = re.compile(rb'((?:dataDxfId|headerRowDxfId|totalsRowDxfId|dxfId)=")(\d+)(")')
_SI = re.compile(rb"<si\b.*?</si>|<si/>", re.S)


def carry(
    old: Old, plan: Plan, growths: Sequence[Growth], fresh: Path, made: Path, *, without_games: bool = False
) -> Mapping[str, Mapping[Place, Cell]]:
    """Write to `made` the old book with the cells of `fresh`, which is the file of the plan.

    What comes back are the owner's cells on the sheets of the plan. `without_games` leaves out what the owner noted
    beside single games: their rows are empty now.

    Raises `OutputRefused` for what cannot be kept.
    """
    with damage_reported(old.path), zipfile.ZipFile(old.path) as before, zipfile.ZipFile(fresh) as now:
        work = _Carrying(old, plan, growths, PackageParts(before), PackageParts(now))
        work.emptied = work.rows_of_games() if without_games else {}
        work.carry()
    rewrite_parts(old.path, made, work.parts.changes)
    return work.beside


class _Carrying:
    """The changes that turn the old package into the new one; sheets go by the names that they have in the book."""

    def __init__(self, old: Old, plan: Plan, growths: Sequence[Growth], parts: PackageParts, new: PackageParts) -> None:
        self.old, self.raw, self.plan, self.parts, self.new = old, old.raw, plan, parts, new
        self.ours = {sheet.name: sheet for sheet in plan.sheets}
        self.was = {sheet.name: sheet for sheet in Owned(old).plan(old.plan).sheets}
        self.covers = {name: Cover(sheet) for name, sheet in self.was.items()}
        self.workbook = parts.workbook
        self.emptied: Mapping[str, range] = {}
        self.beside: dict[str, dict[Place, Cell]] = {name: {} for name in self.ours}
        self.grown = {name: self._grown(name, growths) for name in self.raw.sheets}

    def rows_of_games(self) -> dict[str, range]:
        """Return the rows of games, by sheet."""
        tables = (table for table in self.raw.all_tables if table.name == self.old.view.games_table)
        return {table.sheet: range(table.first_data_row, table.last_data_row + 1) for table in tables}

    @cached_property
    def moving(self) -> list[Grown]:
        """The sheets in which anything moves."""
        return [one for one in self.grown.values() if not one.is_still]

    def _grown(self, name: str, growths: Sequence[Growth]) -> Grown:
        """Return how the tables of a sheet grew; the one with most columns comes first."""
        planned = {} if name not in self.ours else {table.name: table for table in self.ours[name].tables}
        known = {growth.table: growth for growth in growths}
        found = []
        for table in self.raw.all_tables:
            if table.sheet != name or table.name not in planned:
                continue
            was, now = table.last_row - table.first_row, planned[table.name].rows
            growth = known.get(table.name, Growth(table.name, (), was, now))
            found.append(Stretch(table.first_row, table.first_col, table.last_col, growth))
        found.sort(key=lambda one: one.left - one.right)
        return Grown(name, stretches=tuple(found))

    def carry(self) -> None:
        """Work out all changes."""
        self._refuse()
        for name in self.ours:
            if name not in self.raw.sheets:
                raise OutputRefused(
                    f"cannot update {self.old.path}: its sheet {name!r} was deleted, and other sheets read it"
                )
            self._our_sheet(name)
        for name in self.raw.sheets:
            if name not in self.ours:
                self._own_sheet(name)
        for name in self.raw.sheets:
            self._around(name)
        self._names()
        self._put("styles", self.joined.old.result())
        self._put("sharedStrings", self._texts_part())
        self._without_chain()

    def _refuse(self) -> None:
        """Raise `OutputRefused` for what would be lost."""
        if any(name.startswith("_xmlsignatures/") for name in self.parts.names):
            raise OutputRefused(f"cannot update {self.old.path}: it is signed, and the signature would not hold")

    def _put(self, kind: str, data: bytes) -> None:
        part = self.parts.of_workbook(kind)
        if part is None:
            part = self.parts.free(f"xl/{kind}{{}}.xml")
            self.parts.relate(self.workbook, kind, part)
            self.parts.declare(part, f"application/vnd.openxmlformats-officedocument.spreadsheetml.{kind}+xml")
        self.parts.write(part, data)

    # Formats and texts

    @cached_property
    def joined(self) -> Joined:
        """The formats of the new file among those of the old one."""
        old, new = self.parts.of_workbook("styles"), self.new.of_workbook("styles")
        if old is None or new is None:
            raise OutputRefused(f"cannot update {self.old.path}: it has no formats; save it in a spreadsheet program")
        return Joined(Styles(self.parts.read(old)), Styles(self.new.read(new)))

    @cached_property
    def texts(self) -> list[bytes]:
        """The shared texts of the new file."""
        part = self.new.of_workbook("sharedStrings")
        return [] if part is None else _SI.findall(self.new.read(part))

    @cached_property
    def _old_texts(self) -> list[bytes]:
        part = self.parts.of_workbook("sharedStrings")
        return [] if part is None else _SI.findall(as_utf8(self.parts.read(part)))

    @cached_property
    def _text_numbers(self) -> dict[bytes, int]:
        return {_plain(xml): number for number, xml in reversed(list(enumerate(self._old_texts)))}

    def _text(self, number: int) -> int:
        """Return the number of a text of the new file among those of the old one."""
        xml = self.texts[number]
        key = _plain(xml)
        if key not in self._text_numbers:
            self._text_numbers[key] = len(self._old_texts)
            self._old_texts.append(xml)
        return self._text_numbers[key]

    def _texts_part(self) -> bytes:
        head = b'<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n<sst xmlns="%s" uniqueCount="%d">'
        main = b"http://schemas.openxmlformats.org/spreadsheetml/2006/main"
        return head % (main, len(self._old_texts)) + b"".join(self._old_texts) + b"</sst>"

    # A sheet of the template

    def _our_sheet(self, name: str) -> None:
        part, grown = self.raw.parts[name], self.grown[name]
        old, new = Parts.of(self.parts.read(part), name), Parts.of(self._new_sheet(name), name)
        edits = Edits()
        emptied = self.emptied.get(name, range(0))
        for row, said in cells.row_facts(old.data).items() if not emptied else ():
            edits.rows[grown.place(row, 1)[0]] = said
        joined = {number: self.joined.number(number) for number in _formats_in(new.data)}
        reshaped = self._is_reshaped(name)
        if not reshaped:
            cells.own_formats(old.data, new.data, self.joined, grown, edits)
        data = cells.with_texts(renumbered(new.data, joined), self._text)
        self._own_cells(name, old, edits)
        made = Parts(old.opening, old.closing, cells.edited(data, edits), [])
        left = {*OURS, "dimension", *(("cols",) if reshaped else ())}
        kept = [(kind, xml) for kind, xml in old.elements if kind not in left]
        made.elements += [("cols", xml) for xml in new.named("cols")] if reshaped else []
        made.elements += [(kind, self._followed(kind, xml, grown)) for kind, xml in kept]
        made.elements += [("sheetData", b"")]
        made.elements += [("ignoredErrors", xml) for xml in new.named("ignoredErrors")]
        made.elements += self._rules(name, old, new)
        made.elements += self._merges(name, old, new)
        made.elements += self._extensions(name, old, new)
        self.parts.write(part, made.result())
        self._tables(name)

    def _is_reshaped(self, name: str) -> bool:
        """Return whether the template's tables have other columns now, such as one for each round of an event."""
        pairs = zip(self.was[name].tables, self.ours[name].tables, strict=False)
        return any([c.label for c in was.columns] != [c.label for c in now.columns] for was, now in pairs)

    def _new_sheet(self, name: str) -> bytes:
        return self.new.read(self._new_part(name))

    def _own_cells(self, name: str, old: Parts, edits: Edits) -> None:
        """Note the cells that the template has not written, and inputs in which a formula was typed."""
        cover, now, grown = self.covers[name], Cover(self.ours[name]), self.grown[name]
        known = self.raw.sheets[name]
        columns: dict[int, dict[int, str]] = {}
        standing = cells.columns_of(old.data)
        beside = None if standing is None else cover.rows_beside(standing) | cover.typed_formulas(known)
        for row, _, content in cells.rows_of(old.data) if beside is None or beside else ():
            for column, xml in cells.cells_of(row, content if beside is None or row in beside else b""):
                cell = known.get((row, column))
                formula = None if cell is None else cell.formula
                if cover.covers((row, column)) and (formula is None or not cover.is_typed((row, column))):
                    continue
                if formula is None and row in self.emptied.get(name, ()):
                    continue
                place = grown.place(row, column)
                if now.covers(place) and not now.is_typed(place):
                    if cell is None:
                        continue
                    raise OutputRefused(
                        f"cannot update {self.old.path}: what stands in {quote_sheet(name)}!{cell_name(row, column)} "
                        f"is in the way of the template's cell {cell_name(*place)}; move it first"
                    )
                if cell is None or formula is None:
                    edits.put(place, cells.moved_cell(xml, place))
                    if cell is not None:
                        self.beside[name][place] = cell
                    continue
                formula = follow(formula, name, self.moving)
                array = None if cell.array is None else follow(cell.array, name, self.moving)
                edits.put(place, cells.moved_cell(xml, place, formula, array))
                self.beside[name][place] = Cell(formula, None, array, cell.dynamic)
                columns.setdefault(place[1], {})[place[0]] = formula
        self._fill_down(name, columns, edits, grown)

    def _fill_down(self, name: str, columns: Mapping[int, Mapping[int, str]], edits: Edits, grown: Grown) -> None:
        """Give the new rows the formulas of the owner's columns."""
        for column, formulas in columns.items():
            for row, formula in cells.filled_down(formulas, column, grown).items():
                above = edits.cells[row - 1][column]
                edits.put((row, column), cells.moved_cell(above, (row, column), formula))
                self.beside[name][row, column] = Cell(formula, None)

    def _rules(self, name: str, old: Parts, new: Parts) -> Iterator[tuple[str, bytes]]:
        """Yield the conditional formats and validations: the template's, and those of the owner's own."""
        ours = {_formula_key(xml) for part in new.named("conditionalFormatting") for xml in _RULES.findall(part)}
        planned = {_formula_key(one.formula.encode()) for one in self.was[name].highlights}
        for xml in new.named("conditionalFormatting"):
            yield "conditionalFormatting", _DXF.sub(self._numbered, xml)
        for xml in old.named("conditionalFormatting"):
            formulas = {_formula_key(one) for one in _RULES.findall(xml)}
            if not formulas or not formulas <= ours | planned:
                yield "conditionalFormatting", self._own_rule("conditionalFormatting", xml, name)
        own = [
            self._own_rule("dataValidations", one, name)
            for xml in old.named("dataValidations")
            for one in _validations(xml)
            if self._is_own(name, one)
        ]
        given = [one for xml in new.named("dataValidations") for one in _validations(xml)]
        if given or own:
            found = b"".join([*given, *own])
            yield "dataValidations", b'<dataValidations count="%d">' % len(given + own) + found + b"</dataValidations>"

    def _own_rule(self, kind: str, xml: bytes, name: str) -> bytes:
        return self._texts_followed(kind, _areas(xml, self.grown[name]), name)

    def _numbered(self, match: re.Match[bytes]) -> bytes:
        return match[1] + b"%d" % self.joined.differential(int(match[2])) + match[3]

    def _is_own(self, name: str, validation: bytes) -> bool:
        found = re.search(rb'\bsqref="([^"]*)"', validation)
        first = (found[1] if found else b"").split()[0].decode().partition(":")[0]
        return bool(first) and not self.covers[name].covers(_place(first))

    def _merges(self, name: str, old: Parts, new: Parts) -> Iterator[tuple[str, bytes]]:
        grown = self.grown[name]
        ours = [one for xml in new.named("mergeCells") for one in re.findall(rb'ref="([^"]*)"', xml)]
        own = [
            area_now(one.decode(), grown).encode()
            for xml in old.named("mergeCells")
            for one in re.findall(rb'ref="([^"]*)"', xml)
            if not self.covers[name].covers(_place(one.decode().partition(":")[0]))
        ]
        found = list(dict.fromkeys([*ours, *own]))
        if found:
            merged = b"".join(b'<mergeCell ref="%s"/>' % one for one in found)
            yield "mergeCells", b'<mergeCells count="%d">' % len(found) + merged + b"</mergeCells>"

    def _extensions(self, name: str, old: Parts, new: Parts) -> Iterator[tuple[str, bytes]]:
        """Yield the small lines of the template, and the extensions of the owner's own."""
        ours = [one for xml in new.named("extLst") for one in _extensions(xml)]
        lines = {_uri(one) for one in ours}
        for xml in old.named("extLst"):
            for one in _extensions(xml):
                if _uri(one) not in lines:
                    ours.append(one)
                elif b"sparklineGroup" in one:
                    extra = [group for group in _sparklines(one) if not _ranges(group) <= _ranges(b"".join(ours))]
                    planned = {_line_key(spark.range) for spark in self.was[name].sparklines}
                    own = [group for group in extra if not _ranges(group) <= planned]
                    ours = [_with_lines(first, own) if _uri(first) == _uri(one) else first for first in ours]
        if ours:
            yield "extLst", b"<extLst>" + b"".join(ours) + b"</extLst>"

    def _followed(self, kind: str, xml: bytes, grown: Grown) -> bytes:
        """Return an element of the owner's whose areas and formulas are where the cells stand now."""
        return _areas(xml, grown) if kind in ("hyperlinks", "autoFilter", "protectedRanges") else xml

    def _tables(self, name: str) -> None:
        """Put the template's tables into the parts that hold them; columns of the owner's keep their formulas."""
        new = {}
        for _, kind, to in self.new.relations(self._new_part(name)):
            if kind == "table":
                new[_table_name(self.new.read(to))] = self.new.read(to)
        for _, kind, to in self.parts.relations(self.raw.parts[name]):
            if kind != "table":
                continue
            part = as_utf8(self.parts.read(to))
            made = new.pop(_table_name(part), None)
            if made is None:
                self.parts.write(to, self._own_table(part, name))
                continue
            number = re.search(rb'\bid="(\d+)"', part)
            assert number is not None
            made = re.sub(rb'(<table\b[^>]*?\bid=")\d+', lambda match: match[1] + number[1], made, count=1)  # noqa: B023
            self.parts.write(to, self._with_own_formulas(made, name))
        if new:
            raise OutputRefused(f"cannot update {self.old.path}: the table {next(iter(new))} was turned into a range")

    def _new_part(self, name: str) -> str:
        patch = Patch(self.new.read(self.new.workbook), lambda path, _: path[-1] in ("sheets", "sheet"))
        sheets = patch.root.child("sheets")
        assert sheets is not None
        relations = {key: to for key, _, to in self.new.relations(self.new.workbook)}
        return next(
            relations[one.attributes["r:id"]] for one in sheets.children if unescape(one.attributes["name"]) == name
        )

    def _with_own_formulas(self, part: bytes, sheet: str) -> bytes:
        table = next(one for one in self.raw.all_tables if one.name == _table_name(part))
        planned = next(one for one in self.ours[sheet].tables if one.name == table.name)
        blank = {column.label for column in planned.columns if column.role == OWN}
        for label, formula in table.column_formulas.items():
            if label in blank and formula:
                said = text(follow(formula, sheet, self.moving))
                name = attribute(label)[1:-1].encode()
                whole = b"<calculatedColumnFormula>" + said.encode() + b"</calculatedColumnFormula>"
                pattern = rb'(<tableColumn id="\d+" name="' + re.escape(name) + rb'")/>'
                part = re.sub(pattern, lambda match: match[1] + b">" + whole + b"</tableColumn>", part)  # noqa: B023
        return part

    def _own_table(self, part: bytes, sheet: str) -> bytes:
        return _areas(part, self.grown[sheet])

    # What the owner made beside

    def _own_sheet(self, name: str) -> None:
        """Let the formulas of a sheet of the owner's follow the cells, and have their results computed anew."""
        part, known = self.raw.parts[name], self.raw.sheets[name]
        formulas = {place: cell for place, cell in known.items() if cell.formula is not None}
        data = as_utf8(self.parts.read(part))
        if formulas or self.moving:
            old = Parts.of(data, name)
            edits = Edits()
            for row, _, content in cells.rows_of(old.data):
                for column, xml in cells.cells_of(row, content):
                    cell = formulas.get((row, column))
                    if cell is not None and cell.formula is not None:
                        now = follow(cell.formula, name, self.moving)
                        edits.put((row, column), cells.moved_cell(xml, (row, column), now, cell.array))
            old.data = cells.edited(old.data, edits)
            old.elements = [(kind, self._texts_followed(kind, xml, name)) for kind, xml in old.elements]
            self.parts.write(part, old.result())

    def _texts_followed(self, kind: str, xml: bytes, name: str) -> bytes:
        if kind not in ("conditionalFormatting", "dataValidations", "extLst") or not self.moving:
            return xml

        def one(match: re.Match[bytes]) -> bytes:
            said = unescape_xml(match[2].decode())
            return match[1] + text(follow(said, name, self.moving)).encode() + match[3]

        return re.sub(rb"(<(?:\w+:)?(?:formula[12]?|f)>)(.*?)(</)", one, xml, flags=re.S)

    def _around(self, name: str) -> None:
        """Let charts, comments and their boxes follow the cells of the tables that grew."""
        if name in self.emptied:
            self._without_comments(name)
        if not self.moving:
            return
        grown = self.grown[name]
        for _, kind, to in self.parts.relations(self.raw.parts[name]):
            if not self.parts.has(to):
                continue
            if kind == "drawing":
                for _, inner, chart in self.parts.relations(to):
                    if inner in ("chart", "chartEx") and self.parts.has(chart):
                        self._chart(chart, name)
            elif grown.is_still:
                continue
            elif kind in ("comments", "threadedComment"):
                self.parts.write(to, _areas(as_utf8(self.parts.read(to)), grown))
            elif kind == "vmlDrawing":
                self.parts.write(to, _boxes(self.parts.read(to), grown))

    def _without_comments(self, name: str) -> None:
        """Leave out the comments of games that the book does not hold any more."""
        rows = self.emptied[name]

        def is_left(xml: bytes) -> bool:
            said = re.search(rb'\bref="[A-Z]+(\d+)"', xml)
            boxed = re.search(rb"<x:Row>(\d+)</x:Row>", xml)
            row = int(said[1]) if said else int(boxed[1]) + 1 if boxed else 0
            return row not in rows

        for _, kind, to in self.parts.relations(self.raw.parts[name]):
            tag = {"comments": b"comment", "threadedComment": b"threadedComment", "vmlDrawing": b"v:shape"}.get(kind)
            if tag is not None and self.parts.has(to):
                whole = re.compile(rb"<" + tag + rb"\b(?![\w:]).*?</" + tag + rb">", re.S)
                data = as_utf8(self.parts.read(to))
                self.parts.write(to, whole.sub(lambda one: one[0] if is_left(one[0]) else b"", data))

    def _chart(self, part: str, sheet: str) -> None:
        data = as_utf8(self.parts.read(part)).decode()

        def one(match: re.Match[str]) -> str:
            return match[1] + text(follow(unescape_xml(match[2]), sheet, self.moving)) + match[3]

        followed = _CHART.sub(one, data)
        if followed != data:
            self.parts.write(part, followed.encode())

    # The workbook

    def _names(self) -> None:
        """Give the template's names their cells, let the owner's follow, and have the book computed when it opens."""
        ours = _defined(self.new.read(self.new.workbook))
        data = as_utf8(self.parts.read(self.workbook))
        sheets = _sheet_names(data)
        found = {key: said for key, (_, said) in ours.items()}
        hidden = set()
        known = {(key.casefold(), where) for key, where in ours}
        for (key, where), (tag, said) in _defined(data).items():
            if (key.casefold(), where) in known or (key.startswith("_xlnm.") and where in self.ours):
                continue
            found[key, where] = text(follow(unescape_xml(said), where, self.moving))
            hidden |= {(key, where)} if 'hidden="1"' in tag else set()
        ordered = sorted(found.items(), key=lambda one: (one[0][0].casefold(), one[0][1]))
        names = "".join(
            f'<definedName name="{key}"'
            + (f' localSheetId="{sheets.index(where)}"' if where else "")
            + (' hidden="1"' if (key, where) in hidden else "")
            + f">{said}</definedName>"
            for (key, where), said in ordered
        )
        patched = re.sub(rb"<definedNames>.*?</definedNames>|<definedNames/>", b"", data, flags=re.S)
        patched = re.sub(rb"<calcPr\b[^>]*/>|<calcPr\b[^>]*>.*?</calcPr>", b"", patched, flags=re.S)
        after = next(tag for tag in (b"</externalReferences>", b"</functionGroups>", b"</sheets>") if tag in patched)
        calc = re.search(rb"<calcPr\b[^>]*>", data)
        mode = re.sub(rb'\s(calcId|fullCalcOnLoad|calcCompleted)="[^"]*"', b"", calc[0]) if calc else b"<calcPr/>"
        mode = mode.replace(b"<calcPr", b'<calcPr calcId="124519" fullCalcOnLoad="1"')
        mode = mode if mode.endswith(b"/>") else mode[:-1] + b"/>"
        whole = f"<definedNames>{names}</definedNames>".encode() if names else b""
        self.parts.write(self.workbook, patched.replace(after, after + whole + mode, 1))

    def _without_chain(self) -> None:
        """Leave out the order in which the old book was computed; programs make it anew."""
        part = self.parts.of_workbook("calcChain")
        if part is None:
            return
        name = self.parts.names[part.casefold()]
        self.parts.changes[name] = None
        rels = posixpath.join(posixpath.dirname(self.workbook), "_rels", posixpath.basename(self.workbook) + ".rels")
        for where, pattern in (
            (rels, rb"<Relationship\b[^>]*calcChain[^>]*/>"),
            ("[Content_Types].xml", rb"<Override\b[^>]*calcChain[^>]*/>"),
        ):
            self.parts.write(where, re.sub(pattern, b"", self.parts.read(where)))


# XML in pieces


def _plain(xml: bytes) -> bytes:
    """Return a shared text without what is said in two ways."""
    return xml.replace(b' xml:space="preserve"', b"")


def _formats_in(data: bytes) -> set[int]:
    return {int(number) for number in set(re.findall(rb' s="(\d+)"', data))}


def _formula_key(said: bytes) -> str:
    return re.sub(r"\s", "", unescape_xml(said.decode())).casefold()


def _validations(xml: bytes) -> list[bytes]:
    return re.findall(rb"<dataValidation\b(?:[^>]*/>|.*?</dataValidation>)", xml, re.S)


def _extensions(xml: bytes) -> list[bytes]:
    return re.findall(rb"<ext\b.*?</ext>", xml, re.S)


def _uri(xml: bytes) -> bytes:
    found = re.search(rb'\buri="([^"]*)"', xml)
    return found[1].upper() if found else b""


def _sparklines(xml: bytes) -> list[bytes]:
    return re.findall(rb"<x14:sparklineGroup\b.*?</x14:sparklineGroup>", xml, re.S)


def _line_key(area: str) -> str:
    return _formula_key(area.encode()).replace("$", "").replace("'", "").removeprefix("=")


def _ranges(xml: bytes) -> set[str]:
    """Return the areas that small lines draw."""
    return {_line_key(one.decode()) for one in re.findall(rb"<xm:f>(.*?)</xm:f>", xml, re.S)}


def _with_lines(xml: bytes, groups: Sequence[bytes]) -> bytes:
    return xml.replace(b"</x14:sparklineGroups>", b"".join(groups) + b"</x14:sparklineGroups>")


def _areas(xml: bytes, grown: Grown) -> bytes:
    """Return an element whose areas are where the cells stand now."""

    def one(match: re.Match[bytes]) -> bytes:
        return match[1] + area_now(match[2].decode(), grown).encode() + match[3]

    return re.sub(rb'(\b(?:ref|sqref)=")([^"]*)(")', one, xml)


def _boxes(data: bytes, grown: Grown) -> bytes:
    """Return the boxes of comments beside the cells where these stand now."""

    def one(shape: re.Match[bytes]) -> bytes:
        row, column = re.search(rb"<x:Row>(\d+)</x:Row>", shape[0]), re.search(rb"<x:Column>(\d+)</x:Column>", shape[0])
        if row is None or column is None:
            return shape[0]
        was = int(row[1])
        now = grown.place(was + 1, int(column[1]) + 1)[0] - 1
        moved = shape[0].replace(row[0], b"<x:Row>%d</x:Row>" % now)
        return re.sub(rb"(<x:Anchor>)([^<]*)(</x:Anchor>)", lambda box: _box(box, now - was), moved)

    return re.sub(rb"<x:ClientData\b.*?</x:ClientData>", one, data, flags=re.S)


def _box(match: re.Match[bytes], rows: int) -> bytes:
    numbers = [number.strip() for number in match[2].split(b",")]
    for at in (2, 6):
        numbers[at] = b"%d" % (int(numbers[at]) + rows)
    return match[1] + b", ".join(numbers) + match[3]


def _table_name(part: bytes) -> str:
    found = re.search(rb'\bdisplayName="([^"]*)"', part)
    return unescape(unescape_xml(found[1].decode())) if found else ""


def _defined(workbook: bytes) -> dict[tuple[str, str], tuple[str, str]]:
    """Return the tag and the text of each defined name, by the name and the sheet it belongs to."""
    found = {}
    for tag, said in re.findall(rb"(<definedName\b[^>]*>)(.*?)</definedName>", workbook, re.S):
        name, home = re.search(rb'\bname="([^"]*)"', tag), re.search(rb'\blocalSheetId="(\d+)"', tag)
        where = _sheet_names(workbook)[int(home[1])] if home else ""
        found[name[1].decode() if name else "", where] = tag.decode(), said.decode()
    return found


def _sheet_names(workbook: bytes) -> list[str]:
    found = re.findall(rb'<sheet\b[^>]*?\sname="([^"]*)"', workbook)
    return [unescape(unescape_xml(name.decode())) for name in found]


def _place(name: str) -> Place:
    return parse_cell_name(name.replace("$", ""))
