"""A template in the words of a sport: its columns, drop-downs and hints as the owner of such a book reads them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from elo_sheets.workbook.profiles import Words, from_option
from elo_sheets.workbook.scores import score_columns


def worded(form: Mapping[str, Any], text: str) -> dict[str, Any]:
    """Return a template in the words that an option of its book holds."""
    words = from_option(text)
    sheets = [_worded_sheet(sheet, words) for sheet in form["sheet"]]
    about = f"{words.title}: {str(form['about']).partition(': ')[2] or form['about']}"
    return {**form, "words": words, "about": about, "sheet": sheets}


def _worded_sheet(sheet: Mapping[str, Any], words: Words) -> dict[str, Any]:
    found = dict(sheet)
    if "hint" in found:
        found["hint"] = found["hint"].replace("White's", f"{words.sides[0]}'s")
    if "figures" in found and not words.draws:
        found["figures"] = [one for one in found["figures"] if one["role"] != "card_draws"]
    if "column" in found:
        columns: list[dict[str, Any]] = []
        for column in found["column"]:
            columns += score_columns(words) if column["role"] == "ledger_result" else []
            columns.append(_worded_column(column, words))
        found["column"] = columns
    return found


def _worded_column(column: Mapping[str, Any], words: Words) -> dict[str, Any]:
    found = dict(column)
    role = found["role"]
    if "validation" in found and role in {"white", "black"}:
        found["validation"] = found["validation"] | {"title": words.titles[role == "black"]}
    elif "validation" in found and role == "result":
        found["validation"] = found["validation"] | {"items": list(words.offered), "message": words.prompt}
        longest = max(len(words.example), *map(len, words.offered)) if words.scores else max(map(len, words.offered))
        found["width"] = max(found["width"], longest + 2)
    elif role == "player_draws" and not words.draws:
        found["width"] = 0
    return found
