"""The sheet of the copy that lists the findings."""

from __future__ import annotations

import math
import re
from collections.abc import Collection
from typing import NamedTuple

from elo_sheets.files.package import MAIN, CellError, Value, cell_name, column_letters, quote_sheet
from elo_sheets.verdict.copy_styles import Styles
from elo_sheets.verdict.findings import RULES, Finding, Verdict, areas_of
from elo_sheets.verdict.patch import attribute, text

MOST_ROWS = 50_000
_MOST_CHARACTERS = 32_000
_LINE, _MOST_HEIGHT = 15.0, 405.0
_TAGS = re.compile(r"<[^>]*>")


class Column(NamedTuple):
    """A column of the list."""

    label: str
    width: float


COLUMNS = (
    Column("No.", 6),
    Column("Severity", 10),
    Column("Code", 8),
    Column("Kind", 22),
    Column("Where", 24),
    Column("What is wrong", 60),
    Column("Found", 16),
    Column("Expected", 16),
    Column("Effect, points", 13),
    Column("Confidence", 12),
    Column("Should be", 44),
    Column("Reaches", 28),
)


def findings_sheet(verdict: Verdict, sheets: Collection[str], styles: Styles) -> tuple[bytes, int]:
    """The part of the sheet, and its last row."""
    formats = styles.for_list()
    rows = [[_text(c.label, formats["header"]) for c in COLUMNS]]
    links = []
    for number, finding in enumerate(verdict.findings[:MOST_ROWS], 1):
        rows.append(_row(number, finding, formats))
        location = _location(finding, sheets)
        if location is not None:
            at = cell_name(number + 1, 5)
            links.append(f'<hyperlink ref="{at}" location={attribute(location)} display={attribute(finding.range)}/>')
    if not verdict.findings:
        said = f"no findings: {verdict.reason or verdict.status}"
        rows.append(["", "", "", "", "", _text(said, formats["text"])])
    last = column_letters(len(COLUMNS))
    widths = "".join(
        f'<col min="{at}" max="{at}" width="{c.width}" customWidth="1"/>' for at, c in enumerate(COLUMNS, 1)
    )
    data = "".join(_sheet_row(row, cells) for row, cells in enumerate(rows, 1))
    xml = (
        f'<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n<worksheet xmlns="{MAIN}">'
        '<sheetPr><tabColor rgb="FFC00000"/><pageSetUpPr fitToPage="1"/></sheetPr>'
        f'<dimension ref="A1:{last}{len(rows)}"/><sheetViews><sheetView workbookViewId="0">'
        '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>'
        '<selection pane="bottomLeft" activeCell="A2" sqref="A2"/></sheetView></sheetViews>'
        f'<sheetFormatPr defaultRowHeight="15"/><cols>{widths}</cols><sheetData>{data}</sheetData>'
        f'<autoFilter ref="A1:{last}{len(rows)}"/>'
        + (f"<hyperlinks>{''.join(links)}</hyperlinks>" if links else "")
        + '<pageMargins left="0.5" right="0.5" top="0.5" bottom="0.5" header="0.3" footer="0.3"/>'
        '<pageSetup orientation="landscape" fitToHeight="0"/></worksheet>'
    )
    return xml.encode(), len(rows)


def _row(number: int, finding: Finding, formats: dict[str, int]) -> list[str]:
    plain, said, points = formats["plain"], formats["text"], formats["points"]
    return [
        _value(float(number), plain, said),
        _text(finding.severity, formats[finding.severity]),
        _text(finding.code, plain),
        _text(RULES[finding.code].name, plain),
        _text(finding.range, formats["link"]) if finding.range else "",
        _text(finding.message, said),
        _value(finding.found, plain, said),
        _value(finding.expected, plain, said),
        _value(finding.effect or None, points, said),
        _text(finding.confidence, plain),
        _text(finding.fix or "", said),
        _text(", ".join(finding.reaches), said),
    ]


def _location(finding: Finding, sheets: Collection[str]) -> str | None:
    """Where the link of a finding leads; the cells are spelled anew, so that no text of a book becomes a link."""
    areas = areas_of(finding.range, sheets)
    if not areas:
        return None
    sheet, row, column, last_row, last_column = areas[0]
    first, last = cell_name(row, column), cell_name(last_row, last_column)
    return f"{quote_sheet(sheet)}!{first}" + ("" if first == last else f":{last}")


def _sheet_row(row: int, cells: list[str]) -> str:
    placed = "".join(_placed(cell, row, at) for at, cell in enumerate(cells, 1))
    return f'<row r="{row}" ht="{_height(cells):g}">{placed}</row>'


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
    if isinstance(value, int | float):
        return f'<c s="{number}"><v>{value!r}</v></c>' if abs(value) < float("inf") else _text(str(value), said)
    if isinstance(value, CellError):
        return _text(str.__str__(value), said)
    return _text(value, said)
