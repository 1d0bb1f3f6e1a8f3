"""Errors that run through a log: where the first of them stands, and the name or the entry that is behind it."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from itertools import islice

from elo_sheets.detective.chain import Log
from elo_sheets.detective.names import plain
from elo_sheets.files.package import CellError
from elo_sheets.recognise.context import Context, Proposal
from elo_sheets.recognise.data_faults import typed_number
from elo_sheets.recognise.model import Area, Key, Model, cells_of, range_text
from elo_sheets.recognise.roles import has_power

NEARLY = 0.75  # of a column's cells are text: where one is empty, a name lacks
MOST = 3000  # cells of a list that is searched for a name
LEAST = 3  # rows with a column's formula, or with a number
MOST_ERRORS = 12  # formulas that are asked what they fail by: the first of each stand near the top
DEPTH = 3  # formulas between what is typed and the error


def errors_in_games(model: Model, log: Log, told: Iterable[Proposal]) -> Iterator[Proposal]:
    """Games with all entries that show an error which no finding in their row explains."""
    rows = {key[:2] for one in told for key in one.cells}
    for row in log.games:
        entered = log.typed and all(model.value((log.sheet, row, column)) not in (None, "") for column in log.typed)
        if entered and (log.sheet, row) not in rows and (first := _first_error(model, log, row)) is not None:
            says = f"the game shows {model.value(first)}, and so do the ratings that follow from it"
            yield Proposal("ES404", (first,), says, effect=0.0, rank=8)


def _first_error(model: Model, log: Log, row: int) -> Key | None:
    """The cell of a game that shows an error which comes from no other cell."""
    errors = [
        key for column in sorted(log.computed) if isinstance(model.value(key := (log.sheet, row, column)), CellError)
    ]
    return next((key for key in errors if row in log.games and not _passed_on(model, key)), None)


def _passed_on(model: Model, key: Key) -> bool:
    return any(isinstance(model.value(read), CellError) for read in model.precedents(key))


def names_not_found(model: Model, logs: Container[str]) -> Iterator[Proposal]:
    """What is behind the errors of sheets in which no game could be followed because of them: a look-up by name fails.

    The name stands on no list that the look-up reads, or nothing stands where a name should.
    """
    errors = {key for key in model.forms if model.value(key) == "#N/A"}
    rated = {key[0] for key in errors if has_power(model.forms[key].tree)}
    missing: dict[str | None, list[Key]] = {}
    blanks: dict[str | None, dict[Key, None]] = {}  # cells that have a name but for blanks around it
    read: dict[str | None, dict[Area, None]] = {}  # lists in which a name is looked up
    for key in sorted(errors):
        if (
            key[0] in logs
            or key[0] not in rated
            or any(_holds(model, area, key[0], errors) for area in model.areas(key))
        ):
            continue
        lists = [area for area in model.areas(key) if not area.single and area.size <= MOST]
        for one in model.precedents(key, 1):
            if one[:2] != key[:2] or one in model.forms:
                continue
            name, text = plain(model.value(one)), str(model.value(one)).casefold()
            alike = [key for area in lists for key in cells_of(area, "") if name and plain(model.value(key)) == name]
            if (name is not None and lists and all(str(model.value(key)).casefold() != text for key in alike)) or (
                name is None and model.value(one) in (None, "") and _is_of_texts(model, one)
            ):
                missing.setdefault(name, []).append(one)
                read.setdefault(name, {}).update(dict.fromkeys(lists))
                blanks.setdefault(name, {}).update(dict.fromkeys(key for key in (one, *alike) if alike))
    for name, cells in missing.items():
        if name is None:
            for cell in dict.fromkeys(cells):
                yield Proposal("ES404", (cell,), "a name lacks here, and the game is computed", effect=0.0, rank=1)
        elif stray := [key for key in blanks[name] if str(model.value(key)) != str(model.value(key)).strip()]:
            for key in stray:
                bare = str(model.value(key)).strip()
                says = f"{str(model.value(key))!r} has a blank too many, so that no look-up takes it for {bare!r}"
                yield Proposal("ES412", (key,), says, values={key: bare}, fix=bare, effect=0.0, rank=1)
        elif twice := next((found for area in read[name] if (found := _twice(model, area))), ()):
            other, lacking = (str(model.value(key)).strip() for key in (twice[0], cells[0]))
            says = f"{other!r} stands twice on the list, and {lacking!r} not at all"
            yield Proposal("ES407", twice, says, effect=0.0, rank=1)
        else:
            says = f"{str(model.value(cells[0])).strip()!r} stands on no list of players"
            columns = sorted({(key[0], key[2]) for key in cells})
            same = ((sheet, row, column) for sheet, column in columns for row in model.columns[sheet, column])
            named = tuple(key for key in same if plain(model.value(key)) == name)
            yield Proposal("ES402", named, says, effect=0.0, rank=1)


def _twice(model: Model, area: Area) -> tuple[Key, ...]:
    """The cells of the one text that stands twice in the first column of a list."""
    named: dict[str, list[Key]] = {}
    for key in cells_of(area, ""):
        if key[2] == area.column and (name := plain(model.value(key))) is not None:
            named.setdefault(name, []).append(key)
    twice = [tuple(keys) for keys in named.values() if len(keys) > 1]
    return twice[0] if len(twice) == 1 and len(twice[0]) == 2 else ()


def entries_not_known(model: Model, logs: Container[str]) -> Iterator[Proposal]:
    """The entries behind such errors that a formula does not know, though it knows those of other rows."""
    errors = {key for key in model.forms if isinstance(model.value(key), CellError)}
    rated = {key[0] for key in errors if has_power(model.forms[key].tree)}
    rated = {sheet for sheet in rated if sheet not in logs}
    for key in sorted(key for key in errors if key[0] in rated and not _passed_on(model, key)):
        same = [(key[0], row, key[2]) for row in model.columns.get((key[0], key[2]), ()) if row != key[1]]
        known = [one for one in same if one not in errors and model.forms.get(one) is model.forms[key]]
        for read in model.precedents(key, 1) if len(known) >= LEAST else ():
            text = model.value(read)
            others = {model.value((key[0], one[1], read[2])) for one in known}
            odd = isinstance(text, str) or all(isinstance(one, str) for one in others)  # a date, among 3:1 and 2:0
            if read[:2] == key[:2] and read not in model.forms and text is not None and odd and text not in others:
                entry = repr(text) if isinstance(text, str) else f"the number {text:g}, which may be a date,"
                says = f"{entry} is an entry that the formula of {range_text([key])} does not know"
                yield Proposal("ES408", (read,), says, effect=0.0, rank=2)


def texts_for_numbers(context: Context, logs: Container[str]) -> Iterator[Proposal]:
    """The texts behind such errors that stand in a column of numbers: with a number there, the formula shows no error.

    A look-up may carry the text to where the error first shows, so that the cells between are followed as well.
    """
    model, told, usual = context.model, set[Key](), dict[tuple[str, int], float | None]()
    errors = {key for key in model.forms if isinstance(model.value(key), CellError)}
    rated = {key[0] for key in errors if has_power(model.forms[key].tree)}
    first = (key for key in sorted(errors) if key[0] in rated and key[0] not in logs and not _passed_on(model, key))
    for key in islice(first, MOST_ERRORS):
        for cell in _read_from(model, key):
            text = model.value(cell)
            if cell in told or cell in model.forms or not isinstance(text, str) or isinstance(text, CellError):
                continue
            if (column := cell[::2]) not in usual:
                usual[column] = _number_of(model, *column)
            if usual[column] is None or context.evaluator.number(key, {cell: usual[column]}) is None:
                continue
            told.add(cell)
            number = typed_number(text)
            says = f"{text!r} is a text, where the others are numbers, and {range_text([key])} fails by it"
            values = {} if number is None else {cell: number}
            yield Proposal("ES410", (cell,), says, values=values, effect=None if values else 0.0, rank=1)


def _number_of(model: Model, sheet: str, column: int) -> float | None:
    """A number of a column that holds hardly anything else, None of another column."""
    values = [model.value((sheet, row, column)) for row in model.columns[sheet, column]]
    numbers = [one for one in values if isinstance(one, float)]
    return numbers[0] if len(numbers) >= max(LEAST, NEARLY * (len(values) - 1)) else None


def _read_from(model: Model, key: Key) -> dict[Key, None]:
    """The cells that a formula reads, and that those read one by one read in their turn, the nearest first."""
    found: dict[Key, None] = {}
    edge = [key]
    for _ in range(DEPTH):
        areas = [area for one in edge for area in model.areas(one) if area.size <= MOST]
        single = [cell for area in areas if area.single for cell in cells_of(area, "")]
        edge = [cell for cell in dict.fromkeys(single) if cell in model.forms and cell not in found]
        found.update(dict.fromkeys(cell for area in areas for cell in cells_of(area, "")))
    return found


def _holds(model: Model, area: Area, sheet: str, errors: Container[Key]) -> bool:
    """Whether an area has a cell with an error."""
    return area.size > MOST or any((key[0] or sheet, *key[1:]) in errors for key in cells_of(area, ""))


def _is_of_texts(model: Model, key: Key) -> bool:
    """Whether a column holds a text in nearly every other row, and the row of an empty cell has other entries."""
    rows = [row for row in model.columns.get((key[0], key[2]), ()) if row != key[1]]
    texts = sum(plain(model.value((key[0], row, key[2]))) is not None for row in rows)
    cells = model.book.sheets[key[0]]
    typed = ((key[0], row, at) for row, at in cells if row == key[1] and (key[0], row, at) not in model.forms)
    entered = any(model.value(one) not in (None, "") for one in typed)
    return len(rows) >= LEAST and texts >= NEARLY * len(rows) and entered


__all__ = ["entries_not_known", "errors_in_games", "names_not_found", "texts_for_numbers"]
