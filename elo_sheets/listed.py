"""What `systems`, `profiles` and `templates` list, kept as data: listing it imports no rule and reads no TOML."""

from __future__ import annotations

import json
import pkgutil
from typing import Any


def listed(kind: str) -> list[dict[str, Any]]:
    """Return the records of a kind, `systems`, `profiles` or `templates`; docs/make_templates.py writes them.

    >>> listed("systems")[0]["name"]
    'elo'
    """
    data = pkgutil.get_data("elo_sheets", "listed.json")
    assert data is not None
    found: list[dict[str, Any]] = json.loads(data)[kind]
    return found
