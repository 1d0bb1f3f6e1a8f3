"""What `systems`, `profiles` and `templates` list, kept as data: listing it imports no rule and reads no TOML."""

from __future__ import annotations

from typing import Any

from elo_sheets.shipped import shipped_data


def listed(kind: str) -> list[dict[str, Any]]:
    """Return the records of a kind, `systems`, `profiles` or `templates`; docs/make_templates.py writes them.

    >>> listed("systems")[0]["name"]
    'elo'
    """
    found: list[dict[str, Any]] = shipped_data("listed.json")[kind]
    return found
