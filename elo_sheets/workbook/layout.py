"""Structural formulas: the text that is no rating rule, written by hand in a short notation.

In a formula of table `T`:

- `[Score]` is this row's cell of that column, stored as `T[[#This Row],[Score]]`;
- `up[Score]` is the cell above, `above[Score]` all cells above from the header down, `last20[Score]` this cell and
  the 19 above it, `before100[Score]` the 100 above;
- in a table with two rows a game `other[Score]` is the cell of the other side, `prior[Score]` the one above the game,
  `earlier[Score]` all cells above the game from the header down, `first[Score]` the same without the header,
  `recent[Score]` those of the game's block;
- `Other[Column]` is a whole column of another table and stands as it is.

Rows of the Ledger are never inserted or moved by a person, so the relative references of the second group are
sound there and nowhere else: sheets that are typed into use the first and third form only.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from elo_sheets.formula import to_formula
from elo_sheets.package import column_letters
from elo_sheets.systems import Line
from elo_sheets.workbook.plan import CellValue

_NOTATION = re.compile(
    r'"[^"]*"|(?<![\w\]])(up|above|last20|before100|other|prior|earlier|first|recent|)\[([^\[\]#@]+)\](?!\])'
)

# Whether a row is not rated. TEXT changes nothing here: it keeps LibreOffice from computing the column in threads, in
# which 7.4 takes the chain from rating to change to rating for a circular reference, or not, depending on the cell
# that it begins with, and looks through a whole column for each INDEX into it.
UNRATED = 'TEXT([Status],"@")<>"rated"'


class TableLayout:
    """The columns of a table and where they stand, so that formulas can be written by label."""

    def __init__(self, name: str, labels: Sequence[str], first_row: int, first_column: int = 1) -> None:
        self.name = name
        self.first_column = first_column
        self.labels = list(labels)
        self.first_row = first_row

    def letter(self, label: str) -> str:
        """Return the letters of a column; raises `ValueError` for an unknown label."""
        return column_letters(self.labels.index(label) + self.first_column)

    def formula(self, notation: str) -> str:
        """Return the stored text of a formula in the notation of this module, with `{row}` placeholders."""
        return _NOTATION.sub(self._reference, notation)

    def _reference(self, match: re.Match[str]) -> str:
        kind, label = match.groups()
        if label is None:
            return match.group()
        if kind == "" and not self.labels:  # a table whose formulas read their own row only
            return f"{self.name}[[#This Row],[{column_text(label)}]]"
        letter = self.letter(label)
        if kind == "":
            return f"{self.name}[[#This Row],[{column_text(label)}]]"
        return {
            "up": f"{letter}{{up}}",
            "above": f"${letter}${self.first_row}:{letter}{{up}}",
            "other": f"{letter}{{other}}",
            "prior": f"{letter}{{before}}",
            "earlier": f"${letter}${self.first_row}:{letter}{{before}}",
            "first": f"${letter}${self.first_row + 1}:{letter}{{before}}",
            "recent": f"${letter}${{block}}:{letter}{{before}}",
            "last20": f"{letter}{{back20}}:{letter}{{row}}",
            "before100": f"{letter}{{back100}}:{letter}{{up}}",
        }[kind]


def column_text(label: str) -> str:
    """Return a header as a structured reference spells it."""
    return label.replace("'", "''")


def rule_formula(line: Line, references: Mapping[str, str]) -> str:
    """Return a rule's column as formula text; `references` says in the notation where each name is read."""
    missing = [name for name in line.reads if name not in references]
    if missing:
        raise KeyError(f"step {line.name} reads {missing}, which the sheet does not hold")
    return to_formula(line.trace(), references)


_UNITS = {
    "expected": "share",
    "higher_expected": "share",
    "delta": "share",
    "period_delta": "share",
    "age": "count",
    "cap": "number",
    "k": "number",
    "k_used": "number",
    "games": "count",
    "games_after": "count",
    "period_games": "count",
    "period": "count",
    "event_back": "count",
    "last_date": "date",
    "last_season": "count",
    "year": "count",
}
_STYLES = {
    "points": "points",
    "share": "share",
    "number": "number",
    "count": "integer",
    "date": "date",
    "round": "points",
}
# Steps of some thousandths up to a few units, and steps that count or say yes or no.
_FINE = frozenset(
    "volatility mu phi phi_star g joint_g information surprise log_variance a b c f_a f_b f_c residual gain_factor "
    "draw_margin t e win_lead win_v win_w distance draw_chance near_density far_density draw_v draw_edges draw_w v w "
    "share evidence multiplier".split()
)
_WHOLE = frozenset({"same", "done", "season", "seasons"})
_ROUND = re.compile(r"_\d{1,2}$")


def step_unit(name: str) -> str:
    """Return the unit of a rule's state, step or sum: rating points unless said otherwise.

    What a round of an iteration computes is a "round": only where the iteration ends is determined, and two right
    engines may come there by other points, as the sign of a remainder of 1e-12 falls.
    """
    return "round" if _ROUND.search(name) else _UNITS.get(name, "points")


def step_style(name: str) -> str:
    """Return the cell style of a rule's state, step or sum."""
    if name in {"change", "period_change"}:
        return "change"
    stem = _ROUND.sub("", name.removeprefix("period_")).removesuffix("_after")
    if stem in _FINE:
        return "fine"
    return "integer" if stem in _WHOLE else _STYLES[step_unit(name)]


def text_of(value: CellValue) -> str:
    """Return what `cell&""` gives for a cell that holds the value."""
    if value is None:
        return ""
    if isinstance(value, float) and value == int(value):
        return str(int(value))
    return str(value)


def number_or(value: CellValue, otherwise: CellValue) -> CellValue:
    """Return the value when a cell that holds it is a number, else `otherwise`."""
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else otherwise


def average(values: Sequence[CellValue]) -> CellValue:
    """Return the mean of numbers, or empty text for none."""
    numbers = [float(value) for value in values if value is not None and value != ""]
    return sum(numbers) / len(numbers) if numbers else ""
