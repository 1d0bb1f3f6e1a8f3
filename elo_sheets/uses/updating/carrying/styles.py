"""The formats of a new file among those of an old one: each is found there, or added at the end."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property

from elo_sheets.errors import OutputRefused
from elo_sheets.verdict.copy_styles import Formats
from elo_sheets.verdict.patch import Element, Patch, attribute, with_attributes

# Parts of a font that say nothing of how it looks, and what a colour is that is none.
_UNSEEN = {"charset", "family", "scheme"}
_BLACK = {"", "theme=1", "rgb=FF000000", "indexed=64", "indexed=8", "auto=1"}
_FIRST_OWN = 164  # number formats below are built in
_USUAL = {"horizontal": "general", "vertical": "bottom", "wrapText": "0", "indent": "0", "textRotation": "0"}
_SEEN = ("horizontal", "vertical", "wrapText", "indent", "textRotation", "shrinkToFit")
_TRUE = {"true": "1", "false": "0"}
_BUILT_IN = {"0": "General", "1": "0", "2": "0.00", "9": "0%", "10": "0.00%", "14": "mm-dd-yy", "49": "@"}

Look = tuple[object, ...]


class Styles(Formats):
    """The formats of one file, and how they look."""

    def __init__(self, data: bytes) -> None:
        super().__init__(Patch(data, lambda path, _: len(path) <= 6))

    def xml(self, element: Element) -> str:
        """Return an element as it is written."""
        return self.patch.source(element).decode()

    @cached_property
    def codes(self) -> dict[str, str]:
        """The number formats of the file's own, by their numbers."""
        return {one.attributes["numFmtId"]: one.attributes["formatCode"] for one in self.items("numFmts")}

    def code(self, number: str) -> str:
        """Return a number format as text; of one that is built in perhaps its number."""
        return self.codes.get(number) or _BUILT_IN.get(number, number)

    @cached_property
    def looks(self) -> list[Look]:
        """How a cell of each format looks, and whether it is locked and shown as text."""
        parts = [[self._part(name, one) for one in self.items(name)] for name in ("fonts", "fills", "borders")]
        return [self._look(one, parts) for one in self.items("cellXfs")]

    def _look(self, xf: Element, parts: list[list[object]]) -> Look:
        numbers = [int(xf.attributes.get(key, "0")) for key in ("fontId", "fillId", "borderId")]
        chosen = [found[at] if at < len(found) else None for at, found in zip(numbers, parts, strict=True)]
        aligned, protected = xf.child("alignment"), xf.child("protection")
        told = {} if aligned is None else aligned.attributes
        alignment = tuple(_said(told.get(key, _USUAL.get(key, "0"))) for key in _SEEN)
        locked = "1" if protected is None else protected.attributes.get("locked", "1")
        quoted = xf.attributes.get("quotePrefix", "0")
        code = self.code(xf.attributes.get("numFmtId", "0")).replace("\\", "").casefold()
        return (*chosen, code, alignment, _said(locked), _said(quoted))

    def _part(self, name: str, element: Element) -> object:
        if name == "fonts":
            return tuple(sorted(told for one in element.children if (told := _font_part(one)) is not None))
        if name == "fills":
            pattern = next(iter(element.children), None)
            kind = "" if pattern is None else pattern.attributes.get("patternType", "none")
            colour = None if pattern is None else pattern.child("fgColor")
            return kind, "" if colour is None or kind == "none" else _value(colour)
        sides = []
        for side in element.children:
            line = side.attributes.get("style", "none")
            if line != "none" and side.name != "diagonal":
                sides.append((side.name, line, *(_value(one) for one in side.children)))
        return tuple(sorted(sides))


def _said(value: str) -> str:
    return _TRUE.get(value, value)


def _font_part(element: Element) -> tuple[str, str] | None:
    """Return what a part of a font says, None where that is nothing that can be seen."""
    if element.name in _UNSEEN:
        return None
    if element.name == "color":
        colour = _value(element)
        return None if colour in _BLACK else ("color", colour)
    value = _said(element.attributes.get("val", "1"))
    return None if value in ("0", "none", "baseline") else (element.name, value)


def _value(element: Element) -> str:
    told = sorted(f"{key}={value}" for key, value in element.attributes.items() if not (key == "tint" and value == "0"))
    return ",".join(told)


class Joined:
    """The formats of a new file by their numbers among those of the old one."""

    def __init__(self, old: Styles, new: Styles) -> None:
        self.old, self.new = old, new
        if old.prefix != new.prefix:
            raise OutputRefused(
                "the book's formats are written in a way that cannot be added to: save it in Excel or LibreOffice first"
            )
        self._by_look = {look: number for number, look in reversed(list(enumerate(old.looks)))}
        self._parts: dict[tuple[str, str], int] = {
            (name, old.xml(one)): number
            for name in ("fonts", "fills", "borders", "dxfs")
            for number, one in enumerate(old.items(name))
        }
        self._codes = {code: number for number, code in old.codes.items()}
        self._numbers: dict[int, int] = {}

    def number(self, new: int) -> int:
        """Return the number of a cell format of the new file."""
        if new not in self._numbers:
            look = self.new.looks[new]
            known = self._by_look.get(look)
            self._numbers[new] = self._added(new) if known is None else known
        return self._numbers[new]

    def differential(self, new: int) -> int:
        """Return the number of a format of a condition of the new file."""
        return self._part("dxfs", new)

    def _part(self, name: str, number: int) -> int:
        items = self.new.items(name)
        if number >= len(items):
            return 0
        xml = self.new.xml(items[number])
        key = name, xml
        if key not in self._parts:
            self._parts[key] = self.old.add(name, xml)
        return self._parts[key]

    def _added(self, number: int) -> int:
        xf = self.new.items("cellXfs")[number]
        said = xf.attributes
        changes: dict[str, str | None] = {"xfId": "0", "numFmtId": self._format(said.get("numFmtId", "0"))}
        for key, name in (("fontId", "fonts"), ("fillId", "fills"), ("borderId", "borders")):
            changes[key] = str(self._part(name, int(said.get(key, "0"))))
        source, at = self.new.patch.source(xf), xf.inner - xf.start
        return self.old.add("cellXfs", (with_attributes(source[:at], changes) + source[at:]).decode())

    def _format(self, number: str) -> str:
        if int(number) < _FIRST_OWN:
            return number
        code = self.new.codes[number]
        if code not in self._codes:
            taken = [int(one) for one in (*self.old.codes, *self._codes.values())]
            own = str(max([_FIRST_OWN - 1, *taken]) + 1)
            self._codes[code] = own
            p = self.old.prefix
            self.old.add("numFmts", f'<{p}numFmt numFmtId="{own}" formatCode={attribute(code)}/>')
        return self._codes[code]


def renumbered(xml: bytes, numbers: Mapping[int, int]) -> bytes:
    """Return the cells, rows or columns of a sheet with other numbers of formats."""
    if all(old == new for old, new in numbers.items()):
        return xml
    table = {str(old).encode(): b' s="%d"' % new for old, new in numbers.items()}
    return re.sub(rb'(?<=")( s="(\d+)")', lambda match: table[match[2]], xml)
