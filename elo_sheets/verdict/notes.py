"""The two parts that the notes of a sheet are made of: their texts, and the boxes that show them."""

from __future__ import annotations

from collections.abc import Mapping

from elo_sheets.files.archive import MAIN
from elo_sheets.files.references import MAX_COLUMN, MAX_ROW, cell_name
from elo_sheets.verdict.patch import text

AUTHOR = "elo-sheets"
_WIDTH, _HEIGHT = 4, 9  # of a box, in columns and rows

_SHAPES = """<xml xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office" \
xmlns:x="urn:schemas-microsoft-com:office:excel"><o:shapelayout v:ext="edit"><o:idmap v:ext="edit" data="{block}"/>\
</o:shapelayout><v:shapetype id="_x0000_t202" coordsize="21600,21600" o:spt="202" path="m,l,21600r21600,l21600,xe">\
<v:stroke joinstyle="miter"/><v:path gradientshapeok="t" o:connecttype="rect"/></v:shapetype>{shapes}</xml>"""
_SHAPE = """<v:shape id="_x0000_s{number}" type="#_x0000_t202" style="position:absolute;visibility:hidden" \
fillcolor="#ffffe1" o:insetmode="auto"><v:fill color2="#ffffe1"/><v:shadow color="black" obscured="t"/>\
<v:path o:connecttype="none"/><v:textbox style="mso-direction-alt:auto"><div style="text-align:left"></div></v:textbox>\
<x:ClientData ObjectType="Note"><x:MoveWithCells/><x:SizeWithCells/><x:Anchor>{anchor}</x:Anchor>\
<x:AutoFill>False</x:AutoFill><x:Row>{row}</x:Row><x:Column>{column}</x:Column></x:ClientData></v:shape>"""


def notes_part(texts: Mapping[tuple[int, int], str]) -> bytes:
    """The part with the texts, by row and column."""
    notes = "".join(
        f'<comment ref="{cell_name(*place)}" authorId="0"><text><r><rPr><sz val="9"/><rFont val="Tahoma"/></rPr>'
        f'<t xml:space="preserve">{text(said)}</t></r></text></comment>'
        for place, said in texts.items()
    )
    return (
        f'<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n<comments xmlns="{MAIN}">'
        f"<authors><author>{AUTHOR}</author></authors><commentList>{notes}</commentList></comments>"
    ).encode()


def shapes_part(texts: Mapping[tuple[int, int], str], block: int) -> bytes:
    """The part with the boxes; `block` numbers the sheet, whose boxes have numbers from 1,024 times that on."""
    shapes = "".join(
        _SHAPE.format(number=block * 1024 + at, anchor=_anchor(row, column), row=row - 1, column=column - 1)
        for at, (row, column) in enumerate(texts, 1)
    )
    return _SHAPES.format(block=block, shapes=shapes).encode()


def _anchor(row: int, column: int) -> str:
    """Where a box begins and ends: column, pixels into it, row, pixels into it, twice."""
    left, top = min(column, MAX_COLUMN - 1 - _WIDTH), min(max(row - 2, 0), MAX_ROW - 1 - _HEIGHT)
    return f"{left}, 15, {top}, 10, {left + _WIDTH}, 31, {top + _HEIGHT}, 4"
