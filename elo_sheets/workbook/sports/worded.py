"""A template in the words of a sport: its columns, drop-downs and hints as the owner of such a book reads them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from elo_sheets.workbook.scores import score_columns
from elo_sheets.workbook.sports.profiles import Words, from_option, words_of

# The texts of a template that people read, and how those about goals speak of the scores of any sport.
_READ = {"about", "guide", "hint", "message", "title"}
_LINE = {"label", "role", "formula", "unit"}  # what a line of Check says
_SCORES = (
    ("Goals scored less goals let in", "Points scored less points let in"),
    ("Goals scored", "Points scored"),
    ("Goals let in", "Points let in"),
    ("goal difference and goals", "difference and points scored"),
    ("goal difference, then goals", "difference, then points scored"),
    ("Goal difference", "Points scored less points let in"),
    ("Goals that", "Points that"),
    ("goals or points missing", "scores missing"),
    ("goals", "scores"),
)


def worded(form: Mapping[str, Any], text: str) -> dict[str, Any]:
    """Return a template in the words that an option of its book holds."""
    words = words_of({**form, "words": from_option(text)})
    if "sides" in form and not words.goals:
        form = _of_scores(form)
    sheets = [_worded_sheet(sheet, words) for sheet in form["sheet"]]
    about = f"{words.title}: {str(form['about']).partition(': ')[2] or form['about']}"
    return {**form, "words": words, "about": about, "sheet": sheets}


def _of_scores(said: Any, key: str = "") -> Any:
    """Return what a template says with scores in place of goals, in all that people read but headers of columns."""
    if isinstance(said, Mapping):
        is_line = {"label", "role"} <= {*said} <= _LINE
        own = {**said, "label": _of_scores(said["label"], "about")} if is_line else said
        return {name: _of_scores(value, name) for name, value in own.items()}
    if isinstance(said, list):
        return [_of_scores(one, key) for one in said]
    if isinstance(said, str) and key in _READ:
        for goals, scores in _SCORES:
            said = said.replace(goals, scores)
    return said


def _worded_sheet(sheet: Mapping[str, Any], words: Words) -> dict[str, Any]:
    found = dict(sheet)
    if "hint" in found:
        found["hint"] = found["hint"].replace("White's", f"{words.sides[0]}'s")
        found["hint"] = found["hint"] if words.draws else found["hint"].replace(" how draws are reckoned and", "")
    if "figures" in found and not words.draws:
        found["figures"] = [one for one in found["figures"] if one.get("role") != "card_draws"]
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
        own = str(found["validation"].get("message", ""))
        where = f"{own.partition(': ')[0]}; {own.partition('; ')[2]}"
        message = where if own.startswith("Only where") else words.prompt
        found["validation"] = found["validation"] | {"items": list(words.offered), "message": message}
        longest = max(len(words.example), *map(len, words.offered)) if words.scores else max(map(len, words.offered))
        found["width"] = max(found["width"], longest + 2)
    elif (role in {"player_draws", "drawn"} or (role, found.get("label")) == ("coming", "Draw")) and not words.draws:
        found["width"] = 0
    return found
