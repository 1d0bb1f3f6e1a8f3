"""HTML that is escaped by the way it is made: what is no `Markup` is a text, and a text is never markup."""

from __future__ import annotations

from html import escape
from typing import Any

VOID = {"input", "link", "meta", "br"}


class Markup(str):
    """A text that is HTML."""

    __slots__ = ()


def el(name: str, /, *content: object, **attributes: Any) -> Markup:
    """Return an element; `True` is an attribute without a value, `False` and None none, and `class_` is `class`.

    >>> el("a", "Tom & <b>", href='/x?"')
    '<a href="/x?&quot;">Tom &amp; &lt;b&gt;</a>'
    """
    said = "".join(
        f" {key.rstrip('_').replace('_', '-')}" + ("" if value is True else f'="{escape(str(value))}"')
        for key, value in attributes.items()
        if value is not None and value is not False
    )
    return Markup(f"<{name}{said}>" if name in VOID else f"<{name}{said}>{join(*content)}</{name}>")


def join(*content: object) -> Markup:
    """Return pieces one after the other: markup as it is, texts escaped, lists piece by piece, None as nothing."""
    return Markup("".join(map(_piece, content)))


def _piece(part: object) -> str:
    if part is None:
        return ""
    if isinstance(part, list | tuple):
        return join(*part)
    return part if isinstance(part, Markup) else escape(str(part))


def table(caption: str, headers: list[str], rows: list[list[Any]]) -> Markup:
    """Return a table that scrolls sideways where it is too wide."""
    head = el("tr", [el("th", header, scope="col") for header in headers])
    body = [el("tr", [el("td", cell) for cell in row]) for row in rows]
    return el(
        "div",
        el("table", el("caption", caption), el("thead", head), el("tbody", body)),
        class_="scroll",
        tabindex="0",
        role="region",
        aria_label=caption,
    )
