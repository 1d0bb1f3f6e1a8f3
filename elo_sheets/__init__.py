"""Rating workbooks with live formulas: generated, filled from game logs, and validated by replay.

The names below are the library; everything they need is imported when they are first used.

>>> import elo_sheets
>>> elo_sheets.system("glicko2").title
'Glicko-2'
"""

from __future__ import annotations

import importlib
import re
from typing import Any

from elo_sheets._version import __version__ as __version__
from elo_sheets.shipped import shipped_text

# The names as the stub says them, which type checkers read: the module of each, and what it is called there.
_IMPORT = re.compile(r"^from elo_sheets\.(\S+) import (?:\(([^)]*)\)|(.*))$", re.M)
_HOMES = {
    (name or attribute).strip(): (module, attribute.strip())
    for module, several, one in _IMPORT.findall(shipped_text("__init__.pyi"))
    for attribute, _, name in (said.partition(" as ") for said in (several or one).split(",") if said.strip())
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'elo_sheets' has no attribute {name!r}")
    module, attribute = _HOMES[name]
    return getattr(importlib.import_module(f"elo_sheets.{module}"), attribute)


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})


__all__ = sorted(_HOMES)
