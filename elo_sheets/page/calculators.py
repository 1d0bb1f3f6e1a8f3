"""The page of calculators: one HTML file that holds everything it needs, and opens from disk."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from elo_sheets._version import __version__
from elo_sheets.page.javascript import support
from elo_sheets.page.rules import printed
from elo_sheets.shipped import shipped_text


def calculators_page() -> str:
    """Return the page of calculators as HTML: no request, no framework, the rules printed from the named steps."""
    parts = {
        "style": _part("calculators.css"),
        "version": __version__,
        "script": f"{reckoning()}\n{_part('calculators.js')}",
    }
    page = _part("calculators.html")
    for name, text in parts.items():
        page = page.replace("{{" + name + "}}", text)
    return page


def reckoning(programs: Sequence[str] = ()) -> str:
    """Return the script of the page without what is seen: the printed rules, and the functions that call them.

    The tables are those that the rules read, and further programs.
    """
    return "\n".join((support(), printed(programs), _part("reckoning.js"), _part("together.js")))


def _part(name: str) -> str:
    return shipped_text(f"page/{name}")


def write_page(target: str | Path, *, overwrite: bool = False) -> None:
    """Write the page of calculators; raises `OutputRefused` where the target exists and `overwrite` is not given."""
    from elo_sheets.files.save import check_output, replacing

    check_output(target, [], ".html", ".htm")
    with replacing(Path(target), overwrite=overwrite) as beside:
        beside.write_text(calculators_page(), encoding="utf-8", newline="")
