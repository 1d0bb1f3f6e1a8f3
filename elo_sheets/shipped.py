"""The data files that ship with the package, each beside the module that reads it."""

from __future__ import annotations

import json
import pkgutil
import tomllib
from typing import Any


def shipped_text(name: str) -> str:
    """Return a file of the package by its path in it, such as `readers/words.toml`."""
    data = pkgutil.get_data("elo_sheets", name)  # importlib.resources takes longer to import than all rules
    assert data is not None
    return data.decode()


def shipped_data(name: str) -> Any:
    """Return what a TOML or JSON file of the package holds.

    >>> shipped_data("systems/fide.toml")["difference"]["starts"][:3]
    [0, 4, 11]
    """
    text = shipped_text(name)
    return json.loads(text) if name.endswith(".json") else tomllib.loads(text)
