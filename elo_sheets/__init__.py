"""Rating workbooks with live formulas: generated, filled from game logs, and validated by replay.

The names below are the library; everything they need is imported when they are first used.

>>> import elo_sheets
>>> sorted(elo_sheets.SYSTEMS)
['elo', 'fide']
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from elo_sheets._version import __version__

if TYPE_CHECKING:
    from elo_sheets.errors import EloSheetsError
    from elo_sheets.games import GamesRead, Problem
    from elo_sheets.importing import import_logs
    from elo_sheets.performance import linear_performance, table_performance
    from elo_sheets.readers import read
    from elo_sheets.replay import replay as replay_games
    from elo_sheets.systems import SYSTEMS, System, system
    from elo_sheets.validate import validate as validate_book
    from elo_sheets.workbook import new_book

# Where each name lives; a function that shares its module's name is offered under another.
_HOMES = {
    "EloSheetsError": ("errors", "EloSheetsError"),
    "GamesRead": ("games", "GamesRead"),
    "Problem": ("games", "Problem"),
    "SYSTEMS": ("systems", "SYSTEMS"),
    "System": ("systems", "System"),
    "import_logs": ("importing", "import_logs"),
    "linear_performance": ("performance", "linear_performance"),
    "new_book": ("workbook", "new_book"),
    "read": ("readers", "read"),
    "replay_games": ("replay", "replay"),
    "system": ("systems", "system"),
    "table_performance": ("performance", "table_performance"),
    "validate_book": ("validate", "validate"),
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'elo_sheets' has no attribute {name!r}")
    module, attribute = _HOMES[name]
    return getattr(importlib.import_module(f"elo_sheets.{module}"), attribute)


__all__ = [
    "SYSTEMS",
    "EloSheetsError",
    "GamesRead",
    "Problem",
    "System",
    "__version__",
    "import_logs",
    "linear_performance",
    "new_book",
    "read",
    "replay_games",
    "system",
    "table_performance",
    "validate_book",
]
