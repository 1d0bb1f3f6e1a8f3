"""What an .xlsx package holds beside its cells: comments, the ranges of its charts, links to other files."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote

from elo_sheets.files.references import Place, parse_cell_name, unescape

if TYPE_CHECKING:
    from elo_sheets.files.archive import Package
    from elo_sheets.files.cells import Book

_MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_ID = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_MAX_CHARTS = 1_000
_NO = ("0", "false")

Relations = Mapping[str, tuple[str, str]]


def external_links(package: Package, part: str, workbook: ET.Element, relations: Relations) -> list[str]:
    """The files that formulas call [1], [2] …, in this order; "" for one whose target is not given."""
    found = []
    for reference in workbook.iter(f"{_MAIN}externalReference"):
        _, link = relations.get(reference.get(_ID, ""), ("", ""))
        targets = package.outside(link) if link else {}
        found.append(unquote(next(iter(targets.values()), "")))
    return found


class Formats(NamedTuple):
    """The numbers of the cell formats that open a cell on a protected sheet, strike it out or are bold."""

    unlocked: frozenset[str] = frozenset()
    struck: frozenset[str] = frozenset()
    bold: frozenset[str] = frozenset()


def formats_in(styles: ET.Element) -> Formats:
    """What the cell formats of a book tell."""
    fonts = list(styles.iterfind(f"{_MAIN}fonts/{_MAIN}font"))
    formats = [(str(at), one) for at, one in enumerate(styles.iterfind(f"{_MAIN}cellXfs/{_MAIN}xf"))]
    told = _having(fonts, "strike"), _having(fonts, "b")
    protections = [(number, one.find(f"{_MAIN}protection")) for number, one in formats]
    return Formats(
        frozenset(number for number, one in protections if one is not None and one.get("locked") in _NO),
        *(frozenset(number for number, one in formats if one.get("fontId") in some) for some in told),
    )


def _having(fonts: Sequence[ET.Element], what: str) -> set[str]:
    """Return the numbers of the fonts that are struck out or bold."""
    told = [font.find(f"{_MAIN}{what}") for font in fonts]
    return {str(at) for at, one in enumerate(told) if one is not None and one.get("val") not in _NO}


def attach(package: Package, relations: Relations, sheet: str, book: Book) -> None:
    """Add the comments and the chart ranges of a sheet, given its relations, to the book."""
    comments: dict[Place, str] = {}
    charts: list[str] = []
    # A threaded comment has an ordinary one as its stand-in, which it replaces.
    for kind, part in sorted(relations.values(), key=lambda relation: "threaded" in relation[0]):
        if kind.endswith(("/comments", "/threadedComment")) and package.has(part):
            _comments(package.tree(part), "/threadedComment" in kind, comments)
        elif kind.endswith("/drawing") and package.has(part):
            for chart_kind, chart in package.relations(part).values():
                if chart_kind.endswith("/chart") and package.has(chart) and len(charts) < _MAX_CHARTS:
                    charts += _series(package.tree(chart))
    if comments:
        book.comments[sheet] = comments
    if charts:
        book.charts[sheet] = charts


def _comments(root: ET.Element, threaded: bool, comments: dict[Place, str]) -> None:
    fresh: dict[Place, list[str]] = {}
    for element in root.iter():
        if element.tag.rpartition("}")[2] not in ("comment", "threadedComment"):
            continue
        try:
            place = parse_cell_name(element.get("ref", ""))
        except ValueError:
            continue
        texts = [part.text or "" for part in element.iter() if part.tag.rpartition("}")[2] in ("t", "text")]
        fresh.setdefault(place, []).append(unescape("".join(texts)).strip("\n"))
    comments.update({place: "\n".join(texts) for place, texts in fresh.items()})


def _series(chart: ET.Element) -> list[str]:
    return [element.text for element in chart.iter() if element.tag.endswith("}f") and element.text]
