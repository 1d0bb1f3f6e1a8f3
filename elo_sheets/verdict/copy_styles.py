"""New fills and cell formats at the end of a workbook's styles; those that are there keep their numbers."""

from __future__ import annotations

from elo_sheets.errors import OutputRefused
from elo_sheets.files.archive import MAIN
from elo_sheets.verdict.findings import ERROR, NOTE, WARNING
from elo_sheets.verdict.patch import Element, Patch, attribute, with_attributes

MOST_FORMATS = 64_000
COLOURS = {ERROR: "FFFFC7CE", WARNING: "FFFFEB9C", NOTE: "FFDDEBF7"}
_HEADER, _LINK = "FFD9D9D9", "FF0563C1"
_ORDER = (
    *("numFmts", "fonts", "fills", "borders", "cellStyleXfs", "cellXfs"),
    *("cellStyles", "dxfs", "tableStyles", "colors", "extLst"),
)
_NEW = f"""<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<styleSheet xmlns="{MAIN}"><fonts count="1"><font><sz val="11"/><name val="Calibri"/><family val="2"/></font></fonts>\
<fills count="2"><fill><patternFill patternType="none"/></fill>\
<fill><patternFill patternType="gray125"/></fill></fills>\
<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>\
<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>\
<cellXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/></cellXfs>\
<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>"""
_LEAST = {
    "fonts": '<{0}font><{0}sz val="11"/><{0}name val="Calibri"/></{0}font>',
    "fills": '<{0}fill><{0}patternFill patternType="none"/></{0}fill><{0}fill><{0}patternFill patternType="gray125"/>'
    "</{0}fill>",
    "cellXfs": '<{0}xf numFmtId="0" fontId="0" fillId="0" borderId="0"/>',
}


class Formats:
    """The lists of formats of one file, to whose ends new ones are added."""

    def __init__(self, patch: Patch) -> None:
        self.patch, self.prefix = patch, patch.root.prefix
        self.added: dict[str, list[str]] = {}

    def items(self, name: str) -> list[Element]:
        """Return the elements of one list, such as the fonts."""
        found = self.patch.root.child(name)
        return [] if found is None else found.children

    def add(self, name: str, xml: str) -> int:
        """Add an element to a list; its number."""
        new = self.added.setdefault(name, [])
        new.append(xml)
        number = len(self.items(name)) + len(new) - 1
        if name == "cellXfs" and number >= MOST_FORMATS:
            raise OutputRefused(f"the workbook has {number:,} cell formats and cannot take more; nothing was written")
        return number

    def result(self) -> bytes:
        """Return the part with what was added."""
        for name, new in self.added.items():
            element = self.patch.root.child(name)
            if element is None:
                xml = f'<{self.prefix}{name} count="{len(new)}">{"".join(new)}</{self.prefix}{name}>'
                self.patch.insert(self.patch.root, xml, _ORDER[_ORDER.index(name) + 1 :])
                continue
            self.patch.set(element, count=str(len(element.children) + len(new)))
            self.patch.append(element, "".join(new))
        return self.patch.result()


class Styles(Formats):
    """The styles of a workbook with what the marks and the list of findings need; None makes plain ones."""

    def __init__(self, data: bytes | None) -> None:
        super().__init__(_with_lists(_NEW.encode() if data is None else data))
        self.formats = self.items("cellXfs")
        self._marked: dict[tuple[int, str], int] = {}
        self._fills: dict[str, int] = {}
        self._fonts: dict[str, int] = {}

    def marked(self, base: int, severity: str) -> int:
        """The number of the format `base` with the fill of a severity."""
        known = self._marked.get((base, severity))
        if known is None:
            fill = self._fill(COLOURS[severity])
            old = self.formats[base if 0 <= base < len(self.formats) else 0]
            source, at = self.patch.source(old), old.inner - old.start
            tag = with_attributes(source[:at], {"fillId": str(fill), "applyFill": "1"})
            known = self._marked[base, severity] = self.add("cellXfs", (tag + source[at:]).decode())
        return known

    def _fill(self, colour: str) -> int:
        if colour not in self._fills:
            p = self.prefix
            xml = f'<{p}fill><{p}patternFill patternType="solid"><{p}fgColor rgb="{colour}"/><{p}bgColor indexed="64"/>'
            self._fills[colour] = self.add("fills", f"{xml}</{p}patternFill></{p}fill>")
        return self._fills[colour]

    def _font(self, kind: str) -> int:
        if kind not in self._fonts:
            p = self.prefix
            first = {one.name: one.attributes.get("val", "") for one in self.items("fonts")[0].children}
            size, name = first.get("sz") or "11", first.get("name") or "Calibri"
            start = f"<{p}u/>" if kind == "link" else f"<{p}b/>"
            size = "14" if kind == "title" else size
            colour = f'<{p}color rgb="{_LINK}"/>' if kind == "link" else ""
            xml = f"<{p}font>{start}<{p}sz val={attribute(size)}/>{colour}<{p}name val={attribute(name)}/></{p}font>"
            self._fonts[kind] = self.add("fonts", xml)
        return self._fonts[kind]

    def _format(
        self, *, font: int = 0, fill: int = 0, number: int = 0, more: str = "", wraps: bool = True, right: bool = False
    ) -> int:
        p = self.prefix
        applied = "".join(
            f' apply{name}="1"' for name, on in (("Font", font), ("Fill", fill), ("NumberFormat", number)) if on
        )
        placed = ' horizontal="right" indent="1"' if right else ""
        return self.add(
            "cellXfs",
            f'<{p}xf numFmtId="{number}" fontId="{font}" fillId="{fill}" borderId="0"{applied}{more} '
            f'applyAlignment="1"><{p}alignment{placed} vertical="top" wrapText="{wraps:d}"/></{p}xf>',
        )

    def for_list(self) -> dict[str, int]:
        """The formats of the list of findings by what they are for."""
        return {
            "title": self._format(font=self._font("title"), more=' quotePrefix="1"', wraps=False),
            "line": self._format(more=' quotePrefix="1"', wraps=False),
            "header": self._format(font=self._font("header"), fill=self._fill(_HEADER)),
            "header of numbers": self._format(font=self._font("header"), fill=self._fill(_HEADER), right=True),
            # Texts that begin with = stay texts when somebody edits them.
            "text": self._format(more=' quotePrefix="1"'),
            "plain": self._format(),
            "among numbers": self._format(more=' quotePrefix="1"', right=True),
            "number": self._format(wraps=False, right=True),
            "points": self._format(number=2, wraps=False, right=True),
            "link": self._format(font=self._font("link"), more=' quotePrefix="1"'),
            **{name: self._format(fill=self._fill(colour)) for name, colour in COLOURS.items()},
        }


def _keep(path: list[str], _: dict[str, str]) -> bool:
    return len(path) <= 3 or (len(path) == 4 and path[1] == "fonts")


def _with_lists(data: bytes) -> Patch:
    """The styles, with the lists that some programs leave out."""
    patch = Patch(data, _keep)
    for name, least in _LEAST.items():
        found = patch.root.child(name)
        if found is not None and found.children:
            continue
        p = patch.root.prefix
        if found is not None:
            patch.append(found, least.format(p))
        else:
            xml = f"<{p}{name}>{least.format(p)}</{p}{name}>"
            patch.insert(patch.root, xml, _ORDER[_ORDER.index(name) + 1 :])
    return Patch(patch.result(), _keep) if patch.touched else patch
