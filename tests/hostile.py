"""Files that are built to harm their reader, each by one function of a path."""

from __future__ import annotations

import struct
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
RELATIONS = '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{}</Relationships>'
ODF = " ".join(
    f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
    for name in ("office", "table", "text", "style", "manifest", "drawing", "config")
) + (
    ' xmlns:xlink="http://www.w3.org/1999/xlink"'
    ' xmlns:calcext="urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0"'
    ' xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0"'
)
SHEETS = "application/vnd.oasis.opendocument.spreadsheet"
LAUGHS = (
    "<!DOCTYPE x ["
    + '<!ENTITY a0 "ha">'
    + "".join(f'<!ENTITY a{i} "{f"&a{i - 1};" * 10}">' for i in range(1, 10))
    + "]>"
)


def _relation(number: int, kind: str, target: str) -> str:
    return f'<Relationship Id="rId{number}" Type="{OFFICE}/{kind}" Target="{target}"/>'


def xlsx_parts(
    data: str, *, after: str = "", names: str = "", settings: str = "", strings: str = "", head: str = ""
) -> dict[str, str]:
    """The parts of a workbook with one sheet, Log, of the given XML."""
    return {
        "_rels/.rels": RELATIONS.format(_relation(1, "officeDocument", "xl/workbook.xml")),
        "xl/_rels/workbook.xml.rels": RELATIONS.format(
            _relation(1, "worksheet", "worksheets/sheet1.xml")
            + (_relation(2, "sharedStrings", "sharedStrings.xml") if strings else "")
        ),
        "xl/workbook.xml": f'<workbook {MAIN} xmlns:r="{OFFICE}">{settings}<sheets>'
        f'<sheet name="Log" sheetId="1" r:id="rId1"/></sheets>{names}</workbook>',
        "xl/worksheets/sheet1.xml": f"{head}<worksheet {MAIN}><sheetData>{data}</sheetData>{after}</worksheet>",
        **({"xl/sharedStrings.xml": f"<sst {MAIN}>{strings}</sst>"} if strings else {}),
    }


def write_zip(path: Path, parts: dict[str, str] | dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    return path


def write_xlsx(path: Path, data: str, **more: str) -> Path:
    return write_zip(path, xlsx_parts(data, **more))


def ods_content(tables: str, *, before: str = "", after: str = "", head: str = "") -> str:
    return (
        f"{head}<office:document-content {ODF}>{before}<office:body><office:spreadsheet>{tables}{after}"
        "</office:spreadsheet></office:body></office:document-content>"
    )


def write_ods(path: Path, rows: str, *, before: str = "", after: str = "", head: str = "", tables: str = "") -> Path:
    """An .ods package with one sheet, Log, of the given rows, or with the given tables."""
    tables = tables or f'<table:table table:name="Log">{rows}</table:table>'
    content = ods_content(tables, before=before, after=after, head=head)
    return write_zip(path, {"mimetype": SHEETS, "content.xml": content})


def _stream(path: Path, name: str, chunks: Iterator[bytes], parts: dict[str, str]) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for other, data in parts.items():
            if other != name:
                archive.writestr(other, data)
        with archive.open(name, "w", force_zip64=True) as stream:
            for chunk in chunks:
                stream.write(chunk)


def _around(parts: dict[str, str], name: str, middle: Iterator[bytes]) -> Iterator[bytes]:
    before, after = parts[name].split("MIDDLE")
    yield before.encode()
    yield from middle
    yield after.encode()


def many_cells(path: Path) -> None:
    """20 million cells, packed so well that only their number gives them away."""
    parts, name = xlsx_parts("MIDDLE"), "xl/worksheets/sheet1.xml"
    row = b"<row>" + b"<c><v>1</v></c>" * 100 + b"</row>"
    _stream(path, name, _around(parts, name, (row * 100 for _ in range(2_000))), parts)


def varied_cells(path: Path) -> None:
    """3 million cells that do not pack well enough to be told by their ratio."""
    parts, name = xlsx_parts("MIDDLE"), "xl/worksheets/sheet1.xml"
    state = 1

    def rows() -> Iterator[bytes]:
        nonlocal state
        for _ in range(3_000):
            cells = []
            for _ in range(100):
                state = state * 1103515245 + 12345 & 0x7FFFFFFF
                cells.append(b"<c><v>%d</v></c>" % (state >> 8))
            yield b"<row>" + b"".join(cells) * 10 + b"</row>"

    _stream(path, name, _around(parts, name, rows()), parts)


def huge_text(path: Path) -> None:
    parts, name = xlsx_parts('<row><c t="inlineStr"><is><t>MIDDLE</t></is></c></row>'), "xl/worksheets/sheet1.xml"
    _stream(path, name, _around(parts, name, (b"a" * 2**20 for _ in range(300))), parts)


def long_text(path: Path) -> None:
    """A text of 64 MB in a part that is padded with what does not pack, so that no ratio tells."""
    parts, name = xlsx_parts('<row><c t="inlineStr"><is><t>MIDDLE</t></is></c></row>'), "xl/worksheets/sheet1.xml"
    noise = "".join(chr(33 + (i * i * 7919 + i // 7) % 90) for i in range(2**20)).replace("<", "x").replace("&", "y")
    _stream(path, name, _around(parts, name, (noise.encode() for _ in range(64))), parts)


def overlapping(path: Path) -> None:
    """Two entries of the directory that share their data."""
    write_zip(path, {"a.xml": "<a/>" * 50, "b.xml": "<a/>" * 50})
    data = bytearray(path.read_bytes())
    first = data.index(b"PK\x01\x02")
    second = data.index(b"PK\x01\x02", first + 4)
    data[second + 42 : second + 46] = data[first + 42 : first + 46]
    path.write_bytes(bytes(data))


def encrypted_entry(path: Path) -> None:
    write_xlsx(path, "")
    data = bytearray(path.read_bytes())
    at = data.index(b"PK\x01\x02")
    (flags,) = struct.unpack_from("<H", data, at + 8)
    struct.pack_into("<H", data, at + 8, flags | 1)
    path.write_bytes(bytes(data))


def truncated(path: Path) -> None:
    write_xlsx(path, '<row r="1"><c r="A1"><v>1</v></c></row>' * 1)
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])


def shared_formula_bomb(path: Path) -> None:
    """One long formula, shared by many cells: small in the file, large when it is written out."""
    long = "+".join(f"A{i}" for i in range(1, 1_500))
    master = f'<row r="1"><c r="B1"><f t="shared" ref="B1:B40000" si="0">{long}</f></c></row>'
    rest = "".join(f'<row r="{r}"><c r="B{r}"><f t="shared" si="0"/></c></row>' for r in range(2, 40_000))
    write_xlsx(path, master + rest)


def many_names(path: Path) -> None:
    names = "".join(f'<definedName name="n{i}">Log!$A${i % 999 + 1}</definedName>' for i in range(500_000))
    write_xlsx(path, "", names=f"<definedNames>{names}</definedNames>")


def _nested(depth: int) -> str:
    return "".join(f'<a b="{i * i * i:x}">' for i in range(depth)) + "</a>" * depth


def _merge(*ranges: str) -> str:
    cells = "".join(f'<mergeCell ref="{text}"/>' for text in ranges)
    return f"<mergeCells>{cells}</mergeCells>"


def _row(cells: str, attributes: str = "") -> str:
    return f"<table:table-row{attributes}>{cells}</table:table-row>"


_ONE = '<table:table-cell office:value-type="float" office:value="1"{}><text:p>1</text:p></table:table-cell>'

Maker = Callable[[Path], object]

# What must be refused: how it is made, and a word of the reason.
REFUSED: dict[str, tuple[str, Maker, str]] = {
    "billion laughs": ("x.xlsx", lambda p: write_xlsx(p, "<row/>", head=LAUGHS), "document type"),
    "quadratic blow-up": (
        "x.xlsx",
        lambda p: write_xlsx(p, "<row/>", head=f'<!DOCTYPE x [<!ENTITY a "{"a" * 100_000}">]>'),
        "document type",
    ),
    "outside entity": (
        "x.xlsx",
        lambda p: write_xlsx(p, "<row/>", head='<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>'),
        "document type",
    ),
    "outside dtd": ("x.xlsx", lambda p: write_xlsx(p, "", head='<!DOCTYPE x SYSTEM "http://127.0.0.1/a">'), "document"),
    "20 million cells": ("x.xlsx", many_cells, "inflates more than|cells"),
    "3 million varied cells": ("x.xlsx", varied_cells, "cells|inflates"),
    "a text of 300 MiB": ("x.xlsx", huge_text, "inflates"),
    "a text of 64 MB": ("x.xlsx", long_text, "characters|inflates"),
    "overlapping entries": ("x.xlsx", overlapping, "overlaps"),
    "an encrypted entry": ("x.xlsx", encrypted_entry, "is encrypted.*without a password"),
    "truncated": ("x.xlsx", truncated, "damaged"),
    "merge of everything": (
        "x.xlsx",
        lambda p: write_xlsx(p, "", after=_merge("A1:XFD1048576")),
        "merges .* cells; unmerge",
    ),
    "many merges": ("x.xlsx", lambda p: write_xlsx(p, "", after=_merge(*["A1:Z20000"] * 1_000)), "merges"),
    "200,000 nested elements": (
        "x.xlsx",
        lambda p: write_xlsx(p, "", after=_nested(200_000)),
        "too many elements",
    ),
    "500,000 names": ("x.xlsx", many_names, "names|too many elements"),
    "a shared formula bomb": ("x.xlsx", shared_formula_bomb, "formulas .* too long|memory"),
    "a formula of 100,000 characters": (
        "x.xlsx",
        lambda p: write_xlsx(p, f"<row><c><f>{'1+' * 50_000}1</f></c></row>"),
        "too long",
    ),
    "names that climb": ("x.xlsx", lambda p: write_zip(p, {"../../evil": b"x"}), "unsafe name"),
    "many entries": ("x.xlsx", lambda p: write_zip(p, {f"p{i}": b"" for i in range(20_000)}), "parts"),
    "ods: rows repeated": (
        "x.ods",
        lambda p: write_ods(
            p,
            _row(_ONE.format(' table:number-columns-repeated="1000"'), ' table:number-rows-repeated="1048576"'),
        ),
        "too many cells",
    ),
    "ods: rows beyond the sheet": (
        "x.ods",
        lambda p: write_ods(p, _row(_ONE.format(""), ' table:number-rows-repeated="2000000"')),
        "below row",
    ),
    "ods: columns beyond the sheet": (
        "x.ods",
        lambda p: write_ods(p, _row(_ONE.format(' table:number-columns-repeated="99999"'))),
        "beyond column",
    ),
    "ods: document type": ("x.ods", lambda p: write_ods(p, "", head=LAUGHS), "document type"),
    "ods: nested": (
        "x.ods",
        lambda p: write_ods(p, "", after=_nested(100_000)),
        "too many elements",
    ),
    "ods: encrypted": (
        "x.ods",
        lambda p: write_zip(
            p,
            {
                "mimetype": SHEETS,
                "content.xml": "noise",
                "META-INF/manifest.xml": f"<manifest:manifest {ODF}><manifest:file-entry>"
                "<manifest:encryption-data/></manifest:file-entry></manifest:manifest>",
            },
        ),
        "password",
    ),
    "fods: document type": (
        "x.fods",
        lambda p: p.write_text(f'<?xml version="1.0"?>{LAUGHS}<office:document {ODF} office:mimetype="{SHEETS}"/>'),
        "document type",
    ),
}
