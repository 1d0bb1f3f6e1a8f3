"""A sentence that a game does not fulfil."""

from __future__ import annotations

from dataclasses import dataclass

from elo_sheets.recognise.model import Key


@dataclass(frozen=True)
class Broken:
    """A sentence that a game does not fulfil: `number` is what was found where `due` should be.

    `house` is how `--allow` declares it, empty where nothing can.
    """

    relation: str
    cell: Key
    says: str
    due: float
    number: float
    house: str = ""


def spelt(number: float) -> str:
    """A number as sentences have it."""
    return f"{round(number, 9) + 0.0:.4g}"  # 0, where ratings far apart leave 1e-50


__all__ = ["Broken", "spelt"]
