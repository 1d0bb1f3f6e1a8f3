"""Where the errors of a ledger begin: a name that no list has, an entry that a formula cannot read."""

from __future__ import annotations

import difflib
from collections.abc import Iterator

from elo_sheets.expr import Call, walk
from elo_sheets.files.package import CellError
from elo_sheets.recognise.context import Context, Proposal
from elo_sheets.recognise.model import Area, Form, Key, Model, range_text

EXACT = {"VLOOKUP", "HLOOKUP", "XLOOKUP", "MATCH"}
LEAST = 3  # cells of one formula that show no error
MOST_LISTED = 20_000  # cells of a list that is searched


def broken_entries(context: Context, sheet: str) -> Iterator[Proposal]:
    """Yield a proposal for each entry of a sheet at which errors begin that its other rows do not have."""
    model = context.model
    good: dict[tuple[int, Form], int] = {}
    bad: list[Key] = []
    for key, form in model.forms.items():
        if key[0] != sheet:
            continue
        if isinstance(model.value(key), CellError):
            bad.append(key)
        else:
            good[key[2], form] = good.get((key[2], form), 0) + 1
    taken: set[Key] = set()
    for key in sorted(bad):
        if any(isinstance(model.value(one), CellError) for one in model.precedents(key)):
            continue
        proposal = _unlisted(model, key)
        if proposal is None and good.get((key[2], model.forms[key]), 0) >= LEAST:
            proposal = _unread(model, key)
        if proposal is not None and proposal.cells[0] not in taken:
            taken.add(proposal.cells[0])
            yield proposal


def _unlisted(model: Model, key: Key) -> Proposal | None:
    """A typed name of the row that a look-up searches for in vain."""
    tree = model.tree(key)
    for node in walk(tree) if tree is not None else ():
        if not isinstance(node, Call) or node.function not in EXACT or len(node.arguments) < 2:
            continue
        wanted, area = node.arguments[:2]
        if not isinstance(wanted, Area) or not wanted.single or not isinstance(area, Area):
            continue
        entry = (wanted.sheet or key[0], wanted.row, wanted.column)
        name, names = _typed_text(model, entry), listed(model, area, node.function, MOST_LISTED)
        if entry[1] != key[1] or name is None or not names or name.casefold() in {n.casefold() for n in names}:
            continue
        near = difflib.get_close_matches(name, names, 1)
        message = f"{name!r} is not in the list {range_text(_corners(area, key[0]))} in which {range_text([key])} looks"
        if near:
            message += f"; {near[0]!r} is"
        return Proposal("ES402", (entry,), message, values={entry: near[0]} if near else {}, rank=0)
    return None


def listed(model: Model, area: Area, function: str, most: int | None = None) -> list[str]:
    """The texts among which a look-up searches, nothing where it goes through more than `most` cells."""
    bottom = area.row if function == "HLOOKUP" else area.bottom
    right = area.column if function == "VLOOKUP" else area.right
    if most is not None and (bottom - area.row + 1) * (right - area.column + 1) > most:
        return []
    sheet, columns = area.sheet or "", range(area.column, right + 1)
    cells = [(row, at) for at in columns for row in model.columns.get((sheet, at), ()) if area.row <= row <= bottom]
    values = (model.value((sheet, *cell)) for cell in sorted(cells))
    return [value for value in values if isinstance(value, str) and not isinstance(value, CellError)]


def _corners(area: Area, own: str) -> list[Key]:
    return [(area.sheet or own, area.row, area.column), (area.sheet or own, area.bottom, area.right)]


def _unread(model: Model, key: Key) -> Proposal | None:
    """A typed text of the row that the formula cannot read, where the other rows have one that it can."""
    read = dict.fromkeys(model.precedents(key, 1))
    texts = [one for one in read if one[:2] == key[:2] and _typed_text(model, one) is not None]
    if len(texts) != 1:
        return None
    message = f"{_typed_text(model, texts[0])!r} is nothing that {range_text([key])} understands"
    return Proposal("ES408", (texts[0],), message, effect=0.0, confidence="proven", rank=0)


def _typed_text(model: Model, key: Key) -> str | None:
    cell = model.cell(key)
    if cell is None or cell.formula is not None or not isinstance(cell.value, str) or isinstance(cell.value, CellError):
        return None
    return cell.value.strip() or None
