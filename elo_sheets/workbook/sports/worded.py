"""A template in the words of a sport: its columns, drop-downs and hints as the owner of such a book reads them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from elo_sheets.workbook.scores import score_columns
from elo_sheets.workbook.sports.profiles import ASIDE, CHESS, Words, from_option, words_of

# The texts of a template that people read, and how those about goals speak of the scores of any sport.
_READ = {"about", "guide", "hint", "message", "title"}
# In what lists of a template something may be left out, and by what it is known there.
_DROPPED = {"table": "name", "figures": "label"}
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
        form = _reworded(form, _SCORES)
    if form["view"] == "journal":
        form = _of_one(form, words)
    sheets = [_worded_sheet(sheet, words) for sheet in form["sheet"]]
    about = f"{words.title}: {str(form['about']).partition(': ')[2] or form['about']}"
    return {**form, "words": words, "about": about, "sheet": sheets}


def _reworded(said: Any, words: Sequence[tuple[str, str]], key: str = "") -> Any:
    """Return what a template says with other words in place of some, in all that people read but headers of columns."""
    if isinstance(said, Mapping):
        is_line = {"label", "role"} <= {*said} <= _LINE
        own = {**said, "label": _reworded(said["label"], words, "about")} if is_line else said
        return {name: _reworded(value, words, name) for name, value in own.items()}
    if isinstance(said, list):
        return [_reworded(one, words, key) for one in said]
    if isinstance(said, str) and key in _READ:
        for old, new in words:
            said = said.replace(old, new)
    return said


def _of_one(form: Mapping[str, Any], words: Words) -> dict[str, Any]:
    """Return a journal in the words of a sport: its openings are those of chess, its sides are told where they differ.

    Columns that say nothing of the sport have no width: so a log, which may tell of them, is kept whole.
    """
    is_chess, side = words.sides == CHESS.sides, words.side
    pairs = [("White or Black", " or ".join(words.sides)), ("By colour", f"By {side.lower()}")]
    pairs += [("Result and Colour have", f"Result and {side} have" if words.has_places else "Result has")]
    unused: set[str] = set() if words.has_places else {"Colour", "ByColour"}
    if not is_chess:
        unused |= {"Opening", "Time control", "Controls", "Letters", "Openings", "Performance, FIDE table"}
        pairs += [("Pool, Opening and Time control", "Pool")]
    if not words.draws:
        unused |= {"Draws", "Draw", "After a draw"}
        pairs += [("none of Win, Draw, Loss", "neither Win nor Loss"), ("a win, a draw and a", "a win and a")]

    def told(said: Any, key: str = "") -> Any:
        if isinstance(said, list):
            return [told(one, key) for one in said if key not in _DROPPED or one[_DROPPED[key]] not in unused]
        if not isinstance(said, Mapping):
            return side if said == "Colour" else said
        found = {name: told(value, name) for name, value in said.items()}
        if "width" in said and said.get("label") in unused:
            found["width"] = 0
        if said.get("label") == "Colour":
            sides = list(words.sides)
            found |= {"values": sides} if "values" in said else {}
            found |= {"validation": said["validation"] | _choice(sides)} if "validation" in said else {}
        elif said.get("label") == "Won / drawn / lost" and not words.draws:
            found |= {"label": "Won / lost", "formula": said["formula"].replace('&" / "&{drawn}', "", 1)}
        return found

    form = _reworded(told(form), pairs)
    return {**form, "pools": form["pools"] if is_chess else ["All games"]}


def _choice(offered: Sequence[str]) -> dict[str, Any]:
    return {"items": list(offered), "error": f"{' or '.join(offered)}."}


def _worded_sheet(sheet: Mapping[str, Any], words: Words) -> dict[str, Any]:
    found = dict(sheet)
    if "hint" in found:
        found["hint"] = found["hint"].replace("White's", f"{words.sides[0]}'s")
        found["hint"] = found["hint"] if words.draws else found["hint"].replace(" how draws are reckoned and", "")
    if "figures" in found and not words.draws:
        found["figures"] = [one for one in found["figures"] if one.get("role") != "card_draws"]
    if "games" in found and not words.has_places:
        found["games"] = [one | {"width": 0} if one["label"] == "Side" else one for one in found["games"]]
    if "column" in found:
        columns: list[dict[str, Any]] = []
        for column in found["column"]:
            columns += score_columns(words) if column.get("role") == "ledger_result" else []
            columns.append(_worded_column(column, words))
        found["column"] = columns
    return found


def _worded_column(column: Mapping[str, Any], words: Words) -> dict[str, Any]:
    found = dict(column)
    role = found.get("role", "")
    if "validation" in found and role in {"white", "black"}:
        found["validation"] = found["validation"] | {"title": words.titles[role == "black"]}
    elif "validation" in found and role == "result" and "Win" in found["validation"]["items"]:
        offered = ["Win", "Draw", "Loss"] if words.draws else ["Win", "Loss"]
        score = f", or type the score, your own first, such as {words.example}" if words.scores else ""
        found["validation"] = found["validation"] | {
            "items": offered,
            "message": f"{', '.join(offered[:-1])} or {offered[-1]}{score}. {ASIDE}",
        }
        found["width"] = max(found["width"], len(words.example) + 2)
    elif "validation" in found and role == "result":
        own = str(found["validation"].get("message", ""))
        where = f"{own.partition(': ')[0]}; {own.partition('; ')[2]}"
        message = where if own.startswith("Only where") else words.prompt
        found["validation"] = found["validation"] | {"items": list(words.offered), "message": message}
        longest = max(len(words.example), *map(len, words.offered)) if words.scores else max(map(len, words.offered))
        found["width"] = max(found["width"], longest + 2)
    elif (role in {"player_draws", "drawn"} or "of_draws" in found) and not words.draws:
        found["width"] = 0
    return found
