"""Templates that are not built in: a TOML file that borrows sheets and adds columns of plain formulas.

`from = "league"` takes everything from that template. A `[[sheet]]` of one of its names changes that sheet: `more`
adds columns, `without` names the roles of those that it does not have. A sheet of another name has `kind = "own"`, its
`rows` and its columns. A column of one's own is typed (`input = true`) or has a `formula`, in which `[Rating]` is the
cell of that column in the same row and `Players[Rating]` a column of another table.

A book keeps the name of the file and a digest of what it says, so that `validate` asks for it and knows it again.
"""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NoReturn

from elo_sheets.errors import NotChecked, UsageError
from elo_sheets.workbook.styles import CELL

SUFFIX = ".toml"
OWN = "own"
ROLE = "own:"
DIGEST = "template digest"
LENT, LEFT_OUT, MORE = "from", "without", "more"

Form = dict[str, Any]

# What a column of one's own may say.
_COLUMN = {"label", "formula", "input", "style", "width", "about", "unit"}
_UNITS = ("points", "share", "number", "count", "date", "text")
_MOST_ROWS = 100_000
_read: dict[str, Form] = {}


def own_template(name: str, built_in: Callable[[str], Form], near: str) -> Form:
    """Return a template of one's own by the path of its file, or by its name once it was read.

    Raises `UsageError` that names the file, the line and what is expected there.
    """
    path = Path(name)
    if path.is_file():
        form = _Reading(path, built_in).form()
        _read[form["name"]] = form
    elif name not in _read:
        raise UsageError(f"expected a template ({near}) or the TOML file of one, found no file {name}")
    return _read[path.name]


def check_digest(name: str, digest: object) -> None:
    """Raise `NotChecked` where a book's template of somebody's own is not given, or is not the one it was made with."""
    if not name.endswith(SUFFIX):
        return
    if name not in _read:
        raise NotChecked(f"the template {name}, with which it was made, is not built in: give its file by --template")
    if _read[name][DIGEST] != digest:
        raise NotChecked(
            f"the template {name} has changed since the workbook was made: give the file as it was, or make the book "
            "anew with import"
        )


class _Reading:
    """One file: what it says, and where."""

    def __init__(self, path: Path, built_in: Callable[[str], Form]) -> None:
        self.path, self.built_in = path, built_in
        try:
            self.text = path.read_text(encoding="utf-8")
            self.said = tomllib.loads(self.text)
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise UsageError(f"{path}: expected a template as TOML: {error}") from None

    def form(self) -> Form:
        """Return the whole template."""
        lender = self._lender()
        if lender is None:
            self._refuse(f'expected {LENT} = "league" or another template from which it takes its sheets', "")
        unknown = sorted(self.said.keys() - lender.keys() - {LENT, LEFT_OUT, "sheet"})
        if unknown:
            expected = ", ".join(sorted(lender.keys() - {"name", "view", "sheet"}))
            self._refuse(f"expected {LENT}, {LEFT_OUT}, sheet, {expected}, got {unknown[0]}", unknown[0])
        names = [sheet["name"] for sheet in lender["sheet"]]
        left_out = self._left_out(names)
        own = {sheet["name"]: sheet for sheet in self._sheets(names)}
        sheets = [self._changed(sheet, own) for sheet in lender["sheet"] if sheet["name"] not in left_out]
        at = next(i for i, sheet in enumerate(sheets) if sheet["kind"] in {"check", "formulas"})
        sheets[at:at] = [self._own_sheet(sheet) for name, sheet in own.items() if name not in names]
        digest = hashlib.sha256(json.dumps(self.said, sort_keys=True, default=str).encode()).hexdigest()[:16]
        told = {key: value for key, value in self.said.items() if key not in {LENT, LEFT_OUT}}
        return {**lender, **told, "sheet": sheets, "name": self.path.name, DIGEST: digest}

    def _lender(self) -> Form | None:
        if LENT not in self.said:
            return None
        try:
            return self.built_in(str(self.said[LENT]))
        except UsageError as error:
            self._refuse(str(error), LENT)

    def _left_out(self, names: list[str]) -> list[str]:
        left_out: list[str] = self.said.get(LEFT_OUT, [])
        unknown = [name for name in left_out if name not in names]
        if unknown:
            self._refuse(f"expected sheets to leave out among {', '.join(names)}, got {unknown[0]}", LEFT_OUT)
        return left_out

    def _sheets(self, names: list[str]) -> Iterator[Form]:
        for sheet in self.said.get("sheet", ()):
            if "name" not in sheet:
                self._refuse("expected a name for each sheet", "[[sheet]]")
            if sheet["name"] not in names and sheet.get("kind") != OWN:
                self._refuse(
                    f'expected a sheet to change ({", ".join(names)}) or kind = "{OWN}", got the sheet {sheet["name"]}',
                    "name",
                    sheet["name"],
                )
            yield sheet

    def _changed(self, lent: Form, own: Mapping[str, Form]) -> Form:
        said = own.get(lent["name"])
        if said is None:
            return lent
        unknown = sorted(said.keys() - {"name", "title", "hint", MORE, LEFT_OUT})
        if unknown:
            self._refuse(f"expected name, title, hint, {MORE}, {LEFT_OUT}, got {unknown[0]}", unknown[0], lent["name"])
        if "column" not in lent and (MORE in said or LEFT_OUT in said):
            self._refuse(f"the sheet {lent['name']} has no columns to add to or to leave out", MORE, lent["name"])
        told = {key: value for key, value in said.items() if key not in {MORE, LEFT_OUT}}
        columns = [column for column in lent.get("column", ()) if column.get("role") not in said.get(LEFT_OUT, ())]
        more = [self._column(column, lent["name"]) for column in said.get(MORE, ())]
        return {**lent, **told} | ({"column": columns, OWN: more} if columns else {})

    def _own_sheet(self, said: Form) -> Form:
        rows = said.get("rows")
        if not isinstance(rows, int) or not 2 <= rows <= _MOST_ROWS:
            self._refuse(f"expected rows = 2 to {_MOST_ROWS}, got {rows!r}", "rows", said["name"])
        if not said.get("column"):
            self._refuse(f"expected columns of the sheet {said['name']}, got none", "name", said["name"])
        columns = [self._column(column, said["name"]) for column in said["column"]]
        told = {key: value for key, value in said.items() if key != "column"}
        return {"title": said["name"], "hint": "", **told, OWN: columns}

    def _column(self, said: Form, sheet: str) -> Form:
        label = said.get("label")
        if not isinstance(label, str) or not label.strip():
            self._refuse("expected a label for each column", "label", sheet)
        unknown = sorted(said.keys() - _COLUMN)
        if unknown:
            expected = ", ".join(sorted(_COLUMN))
            self._refuse(f"column {label}: expected {expected}, got {unknown[0]}", unknown[0], sheet)
        if ("formula" in said) == bool(said.get("input")):
            self._refuse(f"column {label}: expected a formula, or input = true", "label", sheet)
        if said.get("style", "text") not in CELL:
            near = ", ".join(sorted(CELL))
            self._refuse(f"column {label}: expected a style ({near}), got {said['style']!r}", "style", sheet)
        if said.get("unit", "text") not in _UNITS:
            self._refuse(f"column {label}: expected a unit ({', '.join(_UNITS)}), got {said['unit']!r}", "unit", sheet)
        width = said.get("width", 12)
        if not isinstance(width, int | float) or not 0 < width <= 255:
            self._refuse(f"column {label}: expected a width up to 255, got {width!r}", "width", sheet)
        return {"style": "text", "width": 12, **said}

    def _refuse(self, what: str, key: str, after: str = "") -> NoReturn:
        """Raise `UsageError` with the line of a key, the first one behind the sheet of a name."""
        lines = self.text.splitlines()
        begin = next((i for i, line in enumerate(lines) if after and f'"{after}"' in line), 0)
        wanted = re.compile(rf"\s*{re.escape(key)}(?:\s*=|$)") if key else None
        found = next((i for i in range(begin, len(lines)) if wanted and wanted.match(lines[i])), begin)
        raise UsageError(f"{self.path}, line {found + 1}: {what}")
