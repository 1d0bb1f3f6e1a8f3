"""The columns of a log that an import was told by `--map`, kept in the book for the logs of the next months."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from elo_sheets.readers import Remembered

if TYPE_CHECKING:
    from elo_sheets.readers import HowRead

MAPPED = "map "


def as_options(how: HowRead) -> dict[str, str]:
    """Return what the options of a book say of the columns that were told.

    >>> as_options({"columns": {"white": "Bidder"}})
    {'map white': 'Bidder'}
    """
    return {MAPPED + role: header for role, header in (how.get("columns") or {}).items()}


def with_columns(how: HowRead, options: Mapping[str, str]) -> HowRead:
    """Return how logs are read with the columns that a book remembers, where none are told."""
    kept = {key.removeprefix(MAPPED): header for key, header in options.items() if key.startswith(MAPPED)}
    return how if how.get("columns") or not kept else {**how, "columns": Remembered(kept)}


def remembering(options: Mapping[str, str], how: HowRead) -> dict[str, str]:
    """Return the options of a book with the columns that are told now, or those that it has."""
    told = as_options(how)
    kept = {key: value for key, value in options.items() if not (told and key.startswith(MAPPED))}
    return {**kept, **told}
