"""What may be typed into the columns of a pool that its system asks for, and what the cells say of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from elo_sheets.systems import System
from elo_sheets.systems._system import Weights
from elo_sheets.workbook.facts import headed
from elo_sheets.workbook.pools.columns import FLAGS, sides_of

# A season is known by one number, the greater the later.
SEASON = "A season's number: for 1924/25 type 1925, the year in which it ends."

_PROMPTS = {
    "points": "What {white} scored. The result follows from the points of both sides where its cell is empty.",
    "opponent_points": "What {black} scored. The result follows from the points of both sides where its cell is empty.",
    "neutral": "yes for a game on neutral ground, where nobody is at home; else leave it empty.",
    "weight": "How much the game counts, a number above 0; empty: as the settings on Start say.",
    "handicap": "Stones that {white} gives to {black}; empty: an even game.",
    "komi": "Points that White gets for moving second; empty: 7.5.",
    "knockout": "yes for a game of the knockout phase, in which nobody loses rating; else leave it empty.",
    "shootout": "Who won the shoot-out of a drawn game: {white} or {black}; empty: there was none.",
    "seasons": SEASON + " Empty: that of the row above.",
}


def weights_prompt(weights: Weights) -> str:
    """Return what the cell of a weight says where the rule knows the kinds of match, the heaviest first."""
    kinds: dict[float, str] = {}
    for kind, weight in weights.kinds.items():
        kinds.setdefault(weight, kind)
    said = "; ".join(f"{weight:g} {kinds[weight]}" for weight in sorted(kinds, reverse=True))
    return f"{weights.symbol}: {said}. Empty: as on Start."


def extra_column(
    column: Mapping[str, Any], name: str, label: str, form: Mapping[str, Any], weights: Weights | None = None
) -> dict[str, Any]:
    """Return the column of Games for something that a game may say besides its result."""
    sides = white, black = sides_of(form)
    found = headed(column, label, role=f"extra:{name}", style="rating")
    message = _PROMPTS[name].format(white=white, black=black)
    said = {"title": label, "message": weights_prompt(weights) if weights and name == "weight" else message}
    if name in FLAGS:
        rule: dict[str, Any] = {"kind": "list", "items": ["yes"], "error": "yes, or nothing."}
        found["style"] = "choice"
    elif name == "shootout":
        rule = {"kind": "list", "items": list(sides), "error": f"{white}, {black} or nothing."}
        found["style"] = "choice"
    else:
        error = f"{SEASON} Or nothing." if name == "seasons" else "A number, or nothing."
        rule = {"kind": "number", "minimum": -1e6, "maximum": 1e6, "error": error}
    return found | {"validation": rule | said}


def personal_column(column: Mapping[str, Any], system: System, name: str) -> dict[str, Any]:
    """Return the column of Players for a setting that differs from player to player."""
    parameter = next(one for one in system.live if one.name == name)
    low, high = parameter.limits
    rule = {"kind": "number", "minimum": low, "maximum": high, "title": parameter.label[:32]}
    said = {"message": parameter.meaning[:255], "error": "A number, or nothing."}
    return headed(column, parameter.label, role=f"personal:{name}") | {"validation": rule | said}


def last_column(column: Mapping[str, Any], name: str, label: str) -> dict[str, Any]:
    """Return the column of Players for when a player was last seen before the book's games."""
    found = headed(column, label, role=f"start:{name}")
    message = "Only for who played before the first game here: it counts how long he was away."
    if name == "last_date":
        rule: dict[str, Any] = {"kind": "date", "message": message, "error": "A day such as 2026-02-28, or nothing."}
        return found | {"style": "date", "validation": rule}
    rule = {"kind": "number", "minimum": 0, "maximum": 10000, "message": message, "error": f"{SEASON} Or nothing."}
    return found | {"style": "integer", "validation": rule}
