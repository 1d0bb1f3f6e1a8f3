"""What a team league calls the league's sheets, tables and columns, and the renaming of inputs and plans."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from elo_sheets.systems import System
from elo_sheets.workbook.book import Inputs
from elo_sheets.workbook.layout import retold
from elo_sheets.workbook.plan import CellPlan, SheetPlan, TablePlan, Validation
from elo_sheets.workbook.view import Form

# What a team league calls the league's tables and sheets, and their columns.
TABLES = {"Players": "Teams", "Games": "Fixtures", "Standings": "Power"}
COLUMNS = {"Player": "Team", "Player no.": "Team no."}
PROSE = {"Standings": "Power", "Players": "Teams", "players": "teams", "Player": "Team", "player": "team"}
# Systems of sports that count points where football counts goals, and win and draw in their tables: 1 and a half.
BY_POINTS = {"nfl", "nba"}

_RENAMED = re.compile(r'"[^"]*"|\b(' + "|".join(TABLES) + r")(?=[\[!])|\[([^\[\]#@]+)\]")
_PROSE = re.compile(r"\b(" + "|".join(PROSE) + r")\b")


def counted(form: Form, system: System) -> str:
    """Return what a side scores in the words of a book: goals, points, or a score."""
    words = form.get("words")
    if words is not None and words.goals:
        return "goals"
    return "points" if system.name in BY_POINTS else "goals" if words is None else "score"


def column_words(what: str) -> dict[str, str]:
    """Return what a book calls the columns that the league calls otherwise; `what` is what a side scores."""
    own = {f"{side} points": f"{side} {what}" for side in ("Home", "Away") if what != "points"}
    behind = {f"Goals {way}": f"Points {way}" for way in ("for", "against") if what == "score"}
    return COLUMNS | own | behind


def public_inputs(inputs: Inputs, what: str) -> Inputs:
    """Return what was typed under the names that the book shows."""
    return _renamed_inputs(inputs, TABLES, column_words(what))


def own_inputs(inputs: Inputs, what: str) -> Inputs:
    """Return what was typed under the league's names."""
    return _renamed_inputs(inputs, _turned(TABLES), _turned(column_words(what)))


def _renamed_inputs(inputs: Inputs, tables: Mapping[str, str], columns: Mapping[str, str]) -> Inputs:
    typed = {
        tables.get(name, name): {columns.get(label, label): values for label, values in table.items()}
        for name, table in inputs.tables.items()
    }
    return replace(inputs, tables=typed, sizes={tables.get(name, name): n for name, n in inputs.sizes.items()})


def _turned(words: Mapping[str, str]) -> dict[str, str]:
    return {new: old for old, new in words.items()}


def own_form(form: Form) -> dict[str, Any]:
    """Return the template with its sheets under the league's names."""
    names = _turned(TABLES)
    sheets = [sheet | {"name": names.get(sheet["name"], sheet["name"])} for sheet in form["sheet"]]
    return {**form, "sheet": sheets}


def public_sheet(sheet: SheetPlan, what: str) -> SheetPlan:
    """Return a sheet under the names that a team league has for tables and columns."""
    words = column_words(what)

    def formula(text: str) -> str:
        return _RENAMED.sub(lambda found: _word(found, words), text)

    said = str if sheet.name in {"Start", "elo-sheets"} else _said
    return replace(
        sheet,
        name=TABLES.get(sheet.name, sheet.name),
        cells=tuple(_public_cell(cell, formula, said) for cell in sheet.cells),
        tables=tuple(_public_table(table, formula, words) for table in sheet.tables),
        highlights=tuple(replace(one, formula=formula(one.formula)) for one in sheet.highlights),
    )


def _word(found: re.Match[str], columns: Mapping[str, str]) -> str:
    table, column = found.groups()
    if table is not None:
        return TABLES[table]
    return found.group() if column is None else f"[{columns.get(column, column)}]"


def _said(text: str) -> str:
    return _PROSE.sub(lambda found: PROSE[found.group()], text)


def _public_rule(rule: Validation | None, formula: Callable[[str], str]) -> Validation | None:
    if rule is None:
        return None
    title, message, error = map(_said, (rule.title, rule.message, rule.error))
    return replace(rule, range=formula(rule.range), title=title, message=message, error=error)


def _public_cell(cell: CellPlan, formula: Callable[[str], str], said: Callable[[str], str]) -> CellPlan:
    text, means = (None if one is None else formula(one) for one in (cell.formula, cell.means))
    is_label = isinstance(cell.value, str) and cell.formula is None and not cell.is_input
    value = said(str(cell.value)) if is_label else cell.value
    return replace(cell, value=value, formula=text, means=means, validation=_public_rule(cell.validation, formula))


def _public_table(table: TablePlan, formula: Callable[[str], str], words: Mapping[str, str]) -> TablePlan:
    columns = (
        replace(
            column,
            label=words.get(column.label, column.label),
            fill=retold(column.fill, formula),
            validation=_public_rule(column.validation, formula),
            about=_said(column.about),
        )
        for column in table.columns
    )
    like = None if table.like is None else _public_table(table.like, formula, words)
    return replace(table, name=TABLES.get(table.name, table.name), columns=tuple(columns), like=like)
