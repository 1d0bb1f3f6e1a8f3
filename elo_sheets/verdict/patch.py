"""Editing the XML of a part in place: only the bytes that change are written anew.

A parser tells where elements begin and end; the edits are then made in the bytes themselves, so that prefixes,
quotes, unknown extensions and the order of everything else stay as their program wrote them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from xml.parsers import expat

from elo_sheets.errors import UnreadableInput
from elo_sheets.files.references import escape, escape_xml

_BOM = b"\xef\xbb\xbf"
_TAG = re.compile(rb"<(?:[^>\"']|\"[^\"]*\"|'[^']*')*>")
_ATTRIBUTE = re.compile(rb"\s+([^\s=/>]+)\s*=\s*(\"[^\"]*\"|'[^']*')")
_DECLARATION = re.compile(r"<\?xml[^>]*\?>\s*")

# The names from the root down to the element, without prefixes, and its attributes as written.
Keep = Callable[[list[str], dict[str, str]], bool]


@dataclass(slots=True)
class Element:
    """An element by its places in the bytes: its start tag, its end tag, and those of its children that were kept."""

    name: str
    prefix: str
    attributes: dict[str, str]
    start: int
    inner: int
    close: int = 0
    end: int = 0
    children: list[Element] = field(default_factory=list)

    def child(self, name: str) -> Element | None:
        """The first child of this name that was kept."""
        return next((one for one in self.children if one.name == name), None)


def local(name: str) -> str:
    """A qualified name without its prefix."""
    return name.rpartition(":")[2]


def text(value: str) -> str:
    """A text as the content of an element."""
    return escape_xml(escape(value))


def attribute(value: str) -> str:
    """A text as the value of an attribute, in quotes."""
    return '"' + text(value).replace('"', "&quot;").replace("\n", "&#10;").replace("\t", "&#9;") + '"'


def as_utf8(data: bytes) -> bytes:
    """A part in UTF-8 without a byte order mark, whatever it was in."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        content = _DECLARATION.sub("", data.decode("utf-16"), count=1)
        return b'<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n' + content.encode("utf-8", "strict")
    return data.removeprefix(_BOM)


def with_attributes(tag: bytes, changes: Mapping[str, str | None]) -> bytes:
    """A start tag with attributes set or, given None, left out; the others keep their bytes."""
    left = dict(changes)

    def changed(match: re.Match[bytes]) -> bytes:
        name = match[1].decode()
        if name not in left:
            return match[0]
        value = left.pop(name)
        return b"" if value is None else f" {name}={attribute(value)}".encode()

    head = _ATTRIBUTE.sub(changed, tag)
    added = "".join(f" {name}={attribute(value)}" for name, value in left.items() if value is not None).encode()
    end = b"/>" if head.endswith(b"/>") else b">"
    return head[: -len(end)].rstrip() + added + end


class Patch:
    """The elements of a part that `keep` asks for, and the edits to it; the root is always kept."""

    def __init__(self, data: bytes, keep: Keep) -> None:
        self.data = as_utf8(data)
        self.root = _scan(self.data, keep)
        self._tags: dict[int, tuple[Element, dict[str, str | None], list[bytes]]] = {}
        self._inserted: list[tuple[int, bytes]] = []

    @property
    def touched(self) -> bool:
        """Whether there are edits."""
        return bool(self._tags or self._inserted)

    def source(self, element: Element) -> bytes:
        """The bytes of an element with all that it holds."""
        return self.data[element.start : element.end]

    def set(self, element: Element, **changes: str | None) -> None:
        """Set attributes of an element, or leave those out that are None."""
        self._edits(element)[1].update(changes)

    def append(self, element: Element, xml: str) -> None:
        """Put XML at the end of an element."""
        self._edits(element)[2].append(xml.encode())

    def insert(self, parent: Element, xml: str, before: Collection[str]) -> None:
        """Put XML before the first child that has one of these names, or at the end of the parent."""
        later = next((one for one in parent.children if one.name in before), None)
        if later is None:
            self.append(parent, xml)
        else:
            self._inserted.append((later.start, xml.encode()))

    def insert_before(self, element: Element, xml: str) -> None:
        """Put XML before an element."""
        self._inserted.append((element.start, xml.encode()))

    def _edits(self, element: Element) -> tuple[Element, dict[str, str | None], list[bytes]]:
        return self._tags.setdefault(element.start, (element, {}, []))

    def result(self) -> bytes:
        """The part with the edits made."""
        edits: list[tuple[int, int, bytes]] = [(at, at, xml) for at, xml in self._inserted]
        for element, changes, added in self._tags.values():
            tag = self.data[element.start : element.inner]
            new = with_attributes(tag, changes) if changes else tag
            content = b"".join(added)
            if content and tag.endswith(b"/>"):
                new = new[:-2].rstrip() + b">" + content + b"</" + _qualified(tag) + b">"
            elif content:
                edits.append((element.close, element.close, content))
            if new != tag:
                edits.append((element.start, element.inner, new))
        pieces, at = [], 0
        # An insertion before an element comes before the element's own new tag.
        for start, end, new in sorted(edits, key=lambda edit: (edit[0], edit[1])):
            pieces += [self.data[at:start], new]
            at = end
        return b"".join([*pieces, self.data[at:]])


def _qualified(tag: bytes) -> bytes:
    found = re.match(rb"<([^\s/>]+)", tag)
    return found[1] if found else b""


def _scan(data: bytes, keep: Keep) -> Element:
    path: list[str] = []
    stack: list[Element | None] = []
    roots: list[Element] = []
    parser = expat.ParserCreate("utf-8")

    def start(name: str, attributes: dict[str, str]) -> None:
        path.append(local(name))
        element = None
        if not stack or keep(path, attributes):
            at = parser.CurrentByteIndex
            match = _TAG.match(data, at)
            inner = match.end() if match else at
            prefix = name[: name.rfind(":") + 1]
            element = Element(path[-1], prefix, attributes, at, inner)
            parent = next((one for one in reversed(stack) if one is not None), None)
            (roots if parent is None else parent.children).append(element)
        stack.append(element)

    def end(_name: str) -> None:
        path.pop()
        element = stack.pop()
        if element is not None:
            empty = data[element.inner - 2 : element.inner] == b"/>"
            element.close = element.inner if empty else parser.CurrentByteIndex
            element.end = element.inner if empty else data.index(b">", element.close) + 1

    def doctype(*_: object) -> None:
        raise UnreadableInput("cannot annotate it: a part has a document type declaration")

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.StartDoctypeDeclHandler = doctype
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        raise UnreadableInput(f"cannot annotate it: its XML is damaged ({error})") from error
    return roots[0]
