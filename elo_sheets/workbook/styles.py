"""How cells look: `styles.toml`, with the styles that follow from others."""

from __future__ import annotations

from typing import Any

from elo_sheets.shipped import shipped_data

_SAID = shipped_data("workbook/styles.toml")


def _coloured(said: Any) -> Any:
    """Return what is said of styles with each colour that has a name as it is."""
    if isinstance(said, dict):
        return {name: _coloured(value) for name, value in said.items()}
    return _SAID["colours"].get(said, said)


_KINDS = ("tabs", "cells", "highlights", "typed", "lines", "marks", "fills")
TABS, CELL, HIGHLIGHT, TYPED, LINES, MARKS, FILLS = (_coloured(_SAID[kind]) for kind in _KINDS)

# The style of a figure by that of its number: the number is bold, and the label beside it light.
_FIGURES = ("date_right", "delta", "name_right", "ordinal", "percent")
CELL |= {f"figure_{name}": CELL[name] | {"bold": True} for name in _FIGURES}
STRONG = {name: f"figure_{name}" for name in _FIGURES}
STRONG |= {
    "points": "points_strong",
    "change": "change_strong",
    "integer": "integer_strong",
    "percent_fine": "percent_strong",
}

UNITS = {style: unit for unit, styles in _SAID["held"].items() for style in styles.split()}

# Lines that are told apart in one chart, in this order.
LINE_ORDER = ("line_main", "line_second", "line_third", "line_fourth", "line_fifth", "line_sixth")
# How a line is drawn, as text: what stands for it where a table is the chart's legend.
STROKES = {"": "———", "dash": "– – –", "round_dot": "· · · ·"}

HIGHLIGHT |= {f"text_{name}": {"font_color": LINES[name]["color"], "bold": True} for name in LINE_ORDER}
