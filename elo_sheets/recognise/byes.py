"""Games that nobody played, as people write them: a bye, a walkover, a dash for the opponent."""

from __future__ import annotations

import re

from elo_sheets.files.package import CellError
from elo_sheets.recognise.model import Model

UNPLAYED = (
    r"forfeit\w*|walk-?over|w/o|kampflos|forfait|no[- ]show|incomparecencia|walkower|abgesagt"
    r"|bye|freilos|spielfrei|exempt|repos|descansa|riposo|vrij"
)


def is_nobody(text: str) -> bool:
    """Whether what stands for a player is a dash or a word for a bye."""
    return re.fullmatch(rf"[\W_]*({UNPLAYED})?[\W_]*", text, re.I) is not None


def rows_of_byes(model: Model) -> set[tuple[str, int]]:
    """The rows, by sheet and number, in which nobody stands where most rows have a name."""
    found: set[tuple[str, int]] = set()
    for (sheet, column), rows in model.columns.items():
        cells = ((row, (sheet, row, column)) for row in rows)
        texts = {row: value for row, key in cells if key not in model.forms
                 and isinstance(value := model.value(key), str) and not isinstance(value, CellError)}  # fmt: skip
        nobody = {(sheet, row) for row, text in texts.items() if is_nobody(text)}
        if 2 * len(nobody) < len(texts):
            found |= nobody
    return found
