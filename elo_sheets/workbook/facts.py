"""What a book says of the columns of a rule: a sentence, a header, and how their numbers look and are compared."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from elo_sheets.systems import Facts, Line, Rules, System, facts_of

# Columns that a book adds to a rule, since a row needs them to know its game.
OF_A_BOOK = {
    "points": Facts("The points or goals that this side made.", "Points"),
    "event_name": Facts("The event of the game, as typed.", "Event"),
    "season": Facts("The number of the season; the rating is carried over when it grows.", "Season", "count"),
    "period": Facts("The number of the rating period that the game falls into.", "Period", "count"),
    "same": Facts("1 where the player's game before this one is of the same period.", "Same period", "count"),
    "event_back": Facts(
        "1 where the event comes back after another one: the book rates it as one more.", "Event back", "count"
    ),
    "last_date": Facts(
        "The latest day on which the player has played so far, this game included; 0 where none is known.",
        "Last seen",
        "date",
    ),
    "last_season": Facts(
        "The latest season in which the player has played so far, this game's included.", "Last season", "count"
    ),
}
# How the columns are named that say what the game above left behind, by the state: `rating_above`.
ABOVE = "_above"
_STYLES = {
    "points": "points",
    "share": "share",
    "number": "number",
    "count": "integer",
    "date": "date",
    "small": "fine",
}
_ROUND = re.compile(r"_\d{1,2}$")


def step_facts(rules: Rules, name: str) -> Facts:
    """Return what the column of a rule's state, step, sum or input, or one that the book adds, says of itself."""
    if name.endswith(ABOVE):
        after = f"{name.removesuffix(ABOVE)}_after"
        label = rules.label(after)
        says = f"The column {label} in the last row of the game above, for a player who has just played that game."
        return Facts(says, f"{label} above", rules.facts(after).unit)
    return OF_A_BOOK.get(name) or rules.facts(name)


def headed(column: Mapping[str, Any], label: str, **more: Any) -> dict[str, Any]:
    """Return a template's column under a header of its own, wide enough for it."""
    return {**column, "label": label, "width": max(column["width"], len(label) + 2), **more}


def rule_column(column: Mapping[str, Any], system: System, name: str, label: str) -> dict[str, Any]:
    """Return a template's column for a state, step or sum of a rule."""
    about, style = step_facts(system, name).says, step_style(system, name)
    return headed(column, label, role=f"step:{name}", style=style, about=about)


def best_of(system: System) -> str:
    """Return the function of a spreadsheet that takes the best of some ratings."""
    return "MIN" if system.lower_is_better else "MAX"


def best_with_start(system: System, best: str) -> str:
    """Return the formula of a player's best rating: `best` is that after his games; a typed start counts too."""
    start = f"IF(ISNUMBER([Start rating]),{best_of(system)}([Start rating],{best}),{best})"
    return f"IF([Last row]=0,[Starts at],{start})"


def step_unit(rules: Rules, name: str) -> str:
    """Return the unit of a rule's state, step, sum or input, as fills have it.

    What a round of an iteration computes is a "round": only where the iteration ends is determined, and two right
    engines may come there by other points, as the sign of a remainder of 1e-12 falls.
    """
    return "round" if _ROUND.search(name) else _unit(step_facts(rules, name))


def line_unit(line: Line) -> str:
    """Return the unit of a step by itself, as fills have it."""
    return _unit(facts_of(line.step))


def _unit(facts: Facts) -> str:
    return "points" if facts.unit == "small" else facts.unit


def step_style(rules: Rules, name: str) -> str:
    """Return the cell style of a rule's state, step, sum or input."""
    return "change" if name in {"change", "period_change"} else _STYLES[step_facts(rules, name).unit]
