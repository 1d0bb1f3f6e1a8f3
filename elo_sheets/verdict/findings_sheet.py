"""The sheet of the copy that lists the findings: what was looked at, what the colours say, and a row for each finding.

It prints on A4, lying, with its header on every page. Numbers have four decimals at most, or more where two would look
the same; the JSON document has all of them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple

from elo_sheets.files.archive import MAIN
from elo_sheets.files.cells import CellError, Value
from elo_sheets.files.references import cell_name, column_letters, quote_sheet
from elo_sheets.verdict.copy_styles import Styles
from elo_sheets.verdict.findings import ERROR, NOTE, RULES, WARNING, Finding, Verdict, areas_of
from elo_sheets.verdict.patch import attribute, text
from elo_sheets.verdict.report import headlines

MOST_ROWS = 50_000
_MOST_CHARACTERS = 32_000
_LINE, _MOST_HEIGHT = 15.0, 405.0
_TAGS = re.compile(r"<[^>]*>")
_DECIMALS = 4
LEGEND = {
    ERROR: "a number of the book is wrong",
    WARNING: "right today, or a row that asks for a look",
    NOTE: "nothing is wrong: what a reader should know",
}
SURE = "Confidence: proven, numbers differ; shape, the formula says so; header, only a header does."


class Column(NamedTuple):
    """A column of the list; the last ones, from `PRINTED` on, are for the screen."""

    label: str
    width: float
    of_numbers: bool = False


COLUMNS = (
    Column("No.", 6, of_numbers=True),
    Column("Severity", 10),
    Column("Code", 8),
    Column("Where", 20),
    Column("What is wrong", 54),
    Column("Found", 13, of_numbers=True),
    Column("Expected", 13, of_numbers=True),
    Column("Effect, points", 10, of_numbers=True),
    Column("Should be", 38),
    Column("Kind", 22),
    Column("Confidence", 12),
    Column("Reaches", 28),
)
PRINTED = 9


class Listed(NamedTuple):
    """The part of the sheet, and the areas of it that have names: its filter, what is printed, what on each page."""

    part: bytes
    names: dict[str, str]


def findings_sheet(verdict: Verdict, sheets: Collection[str], styles: Styles) -> Listed:
    """Return the sheet of a verdict; `sheets` are those that a link may lead to."""
    formats = styles.for_list()
    rows = _head(verdict, formats)
    header = len(rows) + 1
    rows.append([_text(c.label, formats["header of numbers" if c.of_numbers else "header"]) for c in COLUMNS])
    heights = {header: 2 * _LINE}
    links = []
    for number, finding in enumerate(verdict.findings[:MOST_ROWS], 1):
        rows.append(_row(number, finding, formats))
        heights[len(rows)] = _height(rows[-1])
        location = _location(finding, sheets)
        if location is not None:
            at = cell_name(len(rows), 4)
            links.append(f'<hyperlink ref="{at}" location={attribute(location)} display={attribute(finding.range)}/>')
    if not verdict.findings:
        said = f"no findings: {verdict.reason or verdict.status}"
        rows.append(["", "", "", "", _text(said, formats["text"])])
        heights[len(rows)] = _height(rows[-1])
    last, end = column_letters(len(COLUMNS)), len(rows)
    listed = f"A{header}:{last}{end}"
    widths = "".join(
        f'<col min="{at}" max="{at}" width="{c.width}" customWidth="1"/>' for at, c in enumerate(COLUMNS, 1)
    )
    data = "".join(_sheet_row(row, cells, heights.get(row)) for row, cells in enumerate(rows, 1))
    below = cell_name(header + 1, 1)
    xml = (
        f'<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n<worksheet xmlns="{MAIN}">'
        '<sheetPr><tabColor rgb="FFC00000"/><pageSetUpPr fitToPage="1"/></sheetPr>'
        f'<dimension ref="A1:{last}{end}"/><sheetViews><sheetView workbookViewId="0">'
        f'<pane ySplit="{header}" topLeftCell="{below}" activePane="bottomLeft" state="frozen"/>'
        f'<selection pane="bottomLeft" activeCell="{below}" sqref="{below}"/></sheetView></sheetViews>'
        f'<sheetFormatPr defaultRowHeight="15"/><cols>{widths}</cols><sheetData>{data}</sheetData>'
        f'<autoFilter ref="{listed}"/>'
        + (f"<hyperlinks>{''.join(links)}</hyperlinks>" if links else "")
        + '<pageMargins left="0.4" right="0.4" top="0.5" bottom="0.6" header="0.3" footer="0.3"/>'
        '<pageSetup paperSize="9" orientation="landscape" fitToHeight="0"/>'
        "<headerFooter><oddFooter>&amp;RPage &amp;P of &amp;N</oddFooter></headerFooter></worksheet>"
    )
    names = {
        "_FilterDatabase": f"$A${header}:${last}${end}",
        "Print_Area": f"$A$1:${column_letters(PRINTED)}${end}",
        "Print_Titles": f"${header}:${header}",
    }
    return Listed(xml.encode(), names)


def _head(verdict: Verdict, formats: dict[str, int]) -> list[list[str]]:
    """The rows above the list: the book, what was looked at, and what the colours and words say."""
    _, *said = headlines(verdict)
    name = Path(verdict.file).name or "the book"
    rows = [[_text(f"Findings in {name}: {verdict.status}", formats["title"])]]
    rows += [[_text(line.strip(), formats["line"])] for line in said]
    rows.append([])
    rows += [
        ["", _text(severity, formats[severity]), _text(means, formats["line"])] for severity, means in LEGEND.items()
    ]
    return [*rows, ["", _text(SURE, formats["line"])], []]


def _row(at: int, finding: Finding, formats: dict[str, int]) -> list[str]:
    plain, said, number, points = (formats[name] for name in ("plain", "text", "number", "points"))
    text_there = formats["among numbers"]
    found, expected = _rounded(finding.found, finding.expected)
    return [
        _value(float(at), number, text_there),
        _text(finding.severity, formats[finding.severity]),
        _text(finding.code, plain),
        _text(finding.range, formats["link"]) if finding.range else "",
        _text(finding.message, said),
        _value(found, number, text_there),
        _value(expected, number, text_there),
        _value(finding.effect or None, points, text_there),
        _text(finding.fix or "", said),
        _text(RULES[finding.code].name, plain),
        _text(finding.confidence, plain),
        _text(", ".join(finding.reaches), said),
    ]


def _rounded(found: Value, expected: Value) -> tuple[Value, Value]:
    """Two values with the decimals that a reader wants; as they are where they would look the same."""
    short = [round(one, _DECIMALS) if type(one) is float else one for one in (found, expected)]
    return (found, expected) if short[0] == short[1] else (short[0], short[1])


def _location(finding: Finding, sheets: Collection[str]) -> str | None:
    """Where the link of a finding leads; the cells are spelled anew, so that no text of a book becomes a link."""
    areas = areas_of(finding.range, sheets)
    if not areas:
        return None
    sheet, row, column, last_row, last_column = areas[0]
    first, last = cell_name(row, column), cell_name(last_row, last_column)
    return f"{quote_sheet(sheet)}!{first}" + ("" if first == last else f":{last}")


def _sheet_row(row: int, cells: list[str], height: float | None) -> str:
    placed = "".join(_placed(cell, row, at) for at, cell in enumerate(cells, 1))
    return f'<row r="{row}">{placed}</row>' if height is None else f'<row r="{row}" ht="{height:g}">{placed}</row>'


def _height(cells: list[str]) -> float:
    """The height in points that the longest of the wrapped texts needs: not every program fits rows by itself."""
    lengths = (len(_TAGS.sub("", cell)) for cell in cells)
    lines = max(math.ceil(length * 1.1 / column.width) for length, column in zip(lengths, COLUMNS, strict=False))
    return min(_LINE * max(lines, 1), _MOST_HEIGHT)


def _placed(cell: str, row: int, column: int) -> str:
    return cell.replace("<c ", f'<c r="{cell_name(row, column)}" ', 1) if cell else ""


def _text(said: str, style: int) -> str:
    if not said:
        return ""
    content = text(said[:_MOST_CHARACTERS])
    return f'<c s="{style}" t="inlineStr"><is><t xml:space="preserve">{content}</t></is></c>'


def _value(value: Value, number: int, said: int) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return f'<c s="{number}" t="b"><v>{int(value)}</v></c>'
    if isinstance(value, int | float) and abs(value) < float("inf"):
        return f'<c s="{number}"><v>{value!r}</v></c>'
    return _text(str.__str__(value) if isinstance(value, CellError) else str(value), said)
