"""Roles that a person gives: `E=Log!F` says that column F of the sheet Log holds expected scores."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from elo_sheets.errors import UsageError
from elo_sheets.files.package import Book
from elo_sheets.recognise.context import ROLES, Context, RoleCells, Sheetwork
from elo_sheets.recognise.model import Area, Key, Model, area_of, range_text
from elo_sheets.recognise.roles import Looker, Roles, Seen, update_of
from elo_sheets.recognise.transposed import Turn

CALCULATED = {"E": "E", "D": "D", "R": "N"}  # roles that only a formula can play, and the kind of the part
_PART = re.compile(r"((?:'(?:[^']|'')*'|[^,'])+)(?:,|$)")
_COLUMN = re.compile(r"\$?([A-Za-z]{1,3})$")


def parse_role(text: str) -> tuple[str, str]:
    """Return role and cells of `E=Log!F`; raises `UsageError` for a text that is none."""
    role, equals, cells = text.partition("=")
    role = role.strip().upper()
    if not equals or not cells.strip():
        raise UsageError(f"expected a role such as E=Log!F, got {text!r}")
    if role not in ROLES:
        known = ", ".join(f"{letter} ({meaning})" for letter, meaning in ROLES.items())
        raise UsageError(f"{role!r} is no role; the roles are {known}")
    for one in _parts(cells):
        if "!" not in one or _area(one) is None:
            raise UsageError(f"expected a column, cell or range such as Log!F, Log!F5 or Log!F5:F90, got {one!r}")
    return role, cells.strip()


def _parts(cells: str) -> list[str]:
    return [match[1].strip() for match in _PART.finditer(cells) if match[1].strip()]


def _area(text: str) -> Area | None:
    area = area_of(_in_full(text), 0, 0)
    return None if area is None else area.at(0, 0)


def from_side(given: Mapping[str, str], turn: Turn) -> dict[str, str]:
    """The given roles by the names that their cells have when a sheet is seen from another side."""
    return {role: ", ".join(turn.formula(_in_full(one), "") for one in _parts(cells)) for role, cells in given.items()}


def _in_full(text: str) -> str:
    sheet, _, rest = text.rpartition("!")
    column = _COLUMN.match(rest.strip())
    return f"{sheet}!{column[1]}:{column[1]}" if column else f"{sheet}!{rest.strip()}"


def resolve(book: Book, given: Mapping[str, str]) -> dict[str, tuple[Key, ...]]:
    """Return the cells of each given role; raises `UsageError`, which says why a role cannot be played there."""
    return {role: _cells(book, role, cells) for role, cells in (parse_role(f"{r}={c}") for r, c in given.items())}


def _cells(book: Book, role: str, cells: str) -> tuple[Key, ...]:
    found: dict[Key, None] = {}
    names = {name.casefold(): name for name in book.sheets}
    for one in _parts(cells):
        area = _area(one)
        assert area is not None
        assert area.sheet is not None
        sheet = names.get(area.sheet.casefold())
        if sheet is None:
            raise UsageError(
                f"--role {role}={one}: there is no sheet {area.sheet!r}; there are {', '.join(book.sheets)}"
            )
        inside = [
            (sheet, row, column)
            for (row, column), cell in sorted(book.sheets[sheet].items())
            if area.row <= row <= area.bottom and area.column <= column <= area.right
            and (cell.formula is not None or cell.value is not None)
        ]  # fmt: skip
        if not inside:
            raise UsageError(f"--role {role}={one}: the cells are blank")
        formulas = [key for key in inside if book.sheets[sheet][key[1:]].formula is not None]
        if role in CALCULATED and not formulas:
            what = f"{ROLES[role]} is calculated, and the cell" if len(inside) == 1 else "no cell there"
            raise UsageError(f"--role {role}={one}: {what} holds {'no' if len(inside) == 1 else 'a'} formula")
        found.update(dict.fromkeys(formulas if role in CALCULATED else inside))
    return tuple(found)


def apply_given(roles: Roles, cells: Mapping[str, tuple[Key, ...]]) -> list[str]:
    """Let runs be what a person says they are; returns the reasons why some cannot be."""
    refused = []
    for role, kind in CALCULATED.items():
        if role not in cells:
            continue
        sheets = {key[0] for key in cells[role]}
        mine = set(cells[role])
        for seen in roles.seen:
            if seen.part is not None and seen.part.kind == kind and seen.run.sheet in sheets and not _plays(seen, mine):
                seen.part = None
        for seen in roles.seen:
            if _plays(seen, mine) and not _becomes(roles, seen, kind):
                where = range_text([k for k in seen.run.cells() if k in mine])
                refused.append(f"{where} was given as {ROLES[role]}, but {_WHY[kind]}")
    return refused


_WHY = {
    "E": "it does not rise from 0 to 1 with the difference of two ratings",
    "D": "it is not K times a result less an expectation",
    "N": "it is not a rating before plus K times a result less an expectation",
}


def _plays(seen: Seen, cells: set[Key]) -> bool:
    return any(key in cells for key in seen.run.cells())


def _becomes(roles: Roles, seen: Seen, kind: str) -> bool:
    looker: Looker = roles.looker
    if seen.part is not None and seen.part.kind == kind:
        return True
    part = looker.expectation(seen.key) if kind == "E" else update_of(roles, seen.key, None)
    if part is None or part.kind != kind:
        return False
    seen.part = part
    return True


def with_given(works: Iterable[Sheetwork], cells: Mapping[str, tuple[Key, ...]], model: Model) -> list[RoleCells]:
    """Take the given cells out of the guessed roles, and return them as roles of their own, column by column."""
    taken = {key for keys in cells.values() for key in keys}
    for work in works:
        kept = []
        for one in work.roles:
            left = tuple(key for key in one.cells if key not in taken)
            if left:
                kept.append(RoleCells(one.role, left, one.by))
        work.roles = kept
    found = []
    for role, keys in cells.items():
        lines: dict[tuple[str, int], list[Key]] = {}
        for key in keys:
            if role in CALCULATED or key in model.forms or not isinstance(model.value(key), str) or role in _TEXTS:
                lines.setdefault((key[0], key[2]), []).append(key)
        found += [RoleCells(role, tuple(line), "given") for line in lines.values()]
    return found


_TEXTS = {"P", "Q", "RESULT", "S", "DATE", "GAME"}


def given_cells(context: Context) -> dict[str, tuple[Key, ...]]:
    """The cells of the roles that a person gave."""
    return resolve(context.model.book, context.given)
