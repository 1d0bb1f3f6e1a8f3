"""How cells look, as data. Colours keep their meaning in grey and for the colour-blind: blue and orange, not
green and red alone; a verdict is always also a word."""

from __future__ import annotations

from typing import Any

MUTED = "#6B7280"
LINE = "#D1D5DB"
HEADER = "#1F3A5F"
INPUT = "#FFF8DC"

# The tabs of the sheets: where one types, where one reads, and what works behind them.
TABS = {"type": "#E3A008", "read": HEADER, "machinery": "#9CA3AF"}

_CENTRE: dict[str, Any] = {"align": "center"}
_BOLD: dict[str, Any] = {"bold": True}

# Every style of a cell, as XlsxWriter's format properties.
CELL: dict[str, dict[str, Any]] = {
    "text": {"indent": 1},
    "text_right": {"align": "right", "num_format": "@"},
    "wrap": {"text_wrap": True, "valign": "top"},
    # A name that is longer than its column is wide is written smaller: cut, two clubs of a town look the same.
    "name": {"num_format": "@", "indent": 1, "shrink": True},
    "choice": {"num_format": "@"} | _CENTRE,
    "title": {"bold": True, "font_size": 16, "font_color": HEADER},
    "front_title": {"bold": True, "font_size": 18, "font_color": "#FFFFFF", "bg_color": HEADER, "valign": "vcenter"},
    "link": {"font_color": "#1F4E9E", "underline": 1, "indent": 1},
    "section": {"bold": True, "font_size": 12, "font_color": HEADER, "bottom": 1, "bottom_color": LINE},
    "hint": {"italic": True, "font_color": MUTED},
    "remark": {"italic": True, "font_color": MUTED, "indent": 1},
    "label": _BOLD,
    "figure_label": {"font_color": MUTED, "indent": 1},
    "step": {"bold": True, "font_color": HEADER, "align": "center", "valign": "top"},
    "header": {
        "bold": True,
        "font_color": "#FFFFFF",
        "bg_color": HEADER,
        "text_wrap": True,
        "valign": "vcenter",
        "align": "center",
    },
    "header_right": {"bold": True, "font_color": "#FFFFFF", "bg_color": HEADER, "align": "right"},
    "name_right": {"align": "right"},
    "date_left": {"num_format": "yyyy-mm-dd;;;@", "align": "left", "indent": 1},
    "date_right": {"num_format": "yyyy-mm-dd;;;@", "align": "right"},
    "integer": {"num_format": "0"},
    "age": {"num_format": '[=99]"–";0'},
    "number": {"num_format": "General"},
    "decimal": {"num_format": "0.00"},
    "rating": {"num_format": "General"},
    "setting": {"num_format": "General"},
    "points": {"num_format": "0.0"},
    "points_strong": {"num_format": "0.0"} | _BOLD,
    "figure": {"num_format": "0.0", "bold": True, "font_size": 18, "font_color": HEADER},
    "figure_fine": {"num_format": "0.000", "bold": True, "font_size": 18, "font_color": HEADER},
    "share": {"num_format": "0.000"},
    "fine": {"num_format": "0.0000"},
    "percent": {"num_format": "0%"},
    "percent_fine": {"num_format": "0.00%"},
    "percent_strong": {"num_format": "0.00%"} | _BOLD,
    "change": {"num_format": "+0.0;-0.0;0.0"},
    "change_fine": {"num_format": "+0.00;-0.00;0.00"},
    "change_whole": {"num_format": "+0;-0;0"},
    "delta": {"num_format": "+0.000;-0.000;0.000"},
    "whole": {"num_format": "0"},
    "whole_signed": {"num_format": "+0;-0;0"},
    "whole_strong": {"num_format": "0"} | _BOLD,
    "whole_figure": {"num_format": "0", "bold": True, "font_size": 18, "font_color": HEADER},
    "ordinal_centred": {"num_format": "0;-0;;@"} | _CENTRE,
    "quiet": {"font_color": MUTED, "num_format": "0.000;-0.000;;@"},
    "quiet_points": {"font_color": MUTED, "num_format": "0.00;-0.00;;@"},
    "integer_left": {"num_format": "0;-0;;@", "align": "left", "indent": 1},
    "whole_left": {"num_format": "0", "align": "left", "indent": 1},
    "points_left": {"num_format": "0.0", "align": "left", "indent": 1},
    "percent_left": {"num_format": "0.0%", "align": "left", "indent": 1},
    "number_strong": {"num_format": "General"} | _BOLD,
    "decimal_fine": {"num_format": "0.000"},
    "decimal_fine_strong": {"num_format": "0.000"} | _BOLD,
    "centred": {"num_format": "@"} | _CENTRE,
    "name_strong": {"num_format": "@", "indent": 1, "shrink": True} | _BOLD,
    "change_strong": {"num_format": "+0.0;-0.0;0.0"} | _BOLD,
    "integer_strong": {"num_format": "0"} | _BOLD,
    "decimal_strong": {"num_format": "0.00"} | _BOLD,
    "caption": {"bold": True, "align": "right", "font_color": MUTED, "bottom": 1, "bottom_color": LINE},
    "sentence": {"bold": True, "font_color": HEADER, "indent": 1},
    "centre": {"num_format": "General"} | _CENTRE,
    # A limit that is none is a million points.
    "limit": {"num_format": '[>=1000000]"none";0', "align": "right"},
    "key": {"num_format": "General", "bold": True, "font_size": 12, "font_color": HEADER},
    "key_decimal": {"num_format": "0.00", "bold": True, "font_size": 12, "font_color": HEADER},
    "key_percent": {"num_format": "0.00%", "bold": True, "font_size": 12, "font_color": HEADER},
    # A day that is not known is 0 in the Ledger, a number that means nobody too: neither is shown.
    "date": {"num_format": "yyyy-mm-dd;;;@"} | _CENTRE,
    "ordinal": {"num_format": "0;-0;;@"},
    "signed": {"num_format": "+0;-0;;@"} | _CENTRE,
    "mark": {"italic": True, "indent": 1},
    "month": {"num_format": "yyyy-mm;;;@"} | _CENTRE,
    "band": {"num_format": '[>=1000000]"and above";"below "0'} | _CENTRE,
    "status": {"font_color": MUTED, "indent": 1},
    "helper": {"font_color": MUTED, "num_format": "0;-0;;@"},
    "helper_decimal": {"font_color": MUTED, "num_format": "0.000"},
    "verdict": {"bold": True, "indent": 1},
}

# The style of a figure by that of its number: the number is bold, and the label beside it light.
_FIGURES = ("date_right", "delta", "name_right", "ordinal", "percent")
CELL |= {f"figure_{name}": CELL[name] | _BOLD for name in _FIGURES}
STRONG = {name: f"figure_{name}" for name in _FIGURES}
STRONG |= {
    "points": "points_strong",
    "change": "change_strong",
    "integer": "integer_strong",
    "percent_fine": "percent_strong",
}

# What a column of a style holds, as fills say it, where its form says nothing else; of the others it is text.
_HELD = {
    "count": "age band helper helper_decimal integer ordinal signed",
    "date": "date month",
    "number": "centre decimal number number_strong",
    "points": "change change_fine change_whole decimal_fine decimal_strong fine points points_strong quiet_points "
    "rating whole whole_signed whole_strong",
    "share": "delta percent percent_fine quiet share",
}
UNITS = {style: unit for unit, styles in _HELD.items() for style in styles.split()}

# What marks a cell that the owner types into.
TYPED: dict[str, Any] = {"locked": False, "bg_color": INPUT, "border": 1, "border_color": LINE}

HIGHLIGHT: dict[str, dict[str, Any]] = {
    "good": {"bg_color": "#D9F0E3", "font_color": "#0B5D34"},
    "alarm": {"bg_color": "#F9D0C4", "font_color": "#8A1C0C", "bold": True},
    "warn": {"bg_color": "#FCE8B2", "font_color": "#7A4B00", "bold": True},
    "win": {"bg_color": "#CFE2F7", "font_color": "#0B3C74"},
    "draw": {"bg_color": "#E7E7E7"},
    "loss": {"bg_color": "#FBE0C8", "font_color": "#7A3B00"},
    "gain": {"font_color": "#0B3C74", "bold": True},
    "loss_text": {"font_color": "#7A3B00", "bold": True},
    "podium": {"bg_color": "#EAF1F9", "bold": True},
    "same": {"bg_color": "#C9CDD3"},
    "muted": {"font_color": MUTED, "italic": True},
    "ruled": {"bottom": 1, "border_color": LINE},
    # A number that means nothing yet; programs that cannot hide it show it white on white.
    "nothing": {"num_format": ";;;", "font_color": "#FFFFFF"},
}

LINES: dict[str, dict[str, Any]] = {
    "line_band": {"color": "#9CA3AF", "width": 1.0},
    "line_main": {"color": "#1F4E9E", "width": 2.25},
    "line_soft": {"color": "#E08214", "width": 1.75, "dash_type": "dash"},
    "line_second": {"color": "#E08214", "width": 2.25},
    "line_third": {"color": "#4D4D4D", "width": 2.25, "dash_type": "dash"},
    "line_fourth": {"color": "#5AAE61", "width": 2.25, "dash_type": "round_dot"},
    "line_fifth": {"color": "#7B3294", "width": 2.25},
    "line_sixth": {"color": "#56A3D9", "width": 2.25, "dash_type": "dash"},
}

# A mark without a line: the highest point that a line draws.
MARKS = {"mark_peak": {"type": "diamond", "size": 9, "fill": {"color": "#B2182B"}, "border": {"color": "#FFFFFF"}}}

# Lines that are told apart in one chart, in this order.
LINE_ORDER = ("line_main", "line_second", "line_third", "line_fourth", "line_fifth", "line_sixth")
# How a line is drawn, as text: what stands for it where a table is the chart's legend.
STROKES = {"": "———", "dash": "– – –", "round_dot": "· · · ·"}

HIGHLIGHT |= {f"text_{name}": {"font_color": LINES[name]["color"], "bold": True} for name in LINE_ORDER}

FILLS = {"bar_win": "#1F4E9E", "bar_draw": "#BDBDBD", "bar_loss": "#E08214"}
