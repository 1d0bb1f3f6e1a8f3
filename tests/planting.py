"""Plants faults in the XML of a workbook's cells, leaving everything else as it is."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from xml.sax.saxutils import escape

from elo_sheets.files.archive import rewrite_parts
from elo_sheets.files.cells import Book
from elo_sheets.files.package import read_book
from elo_sheets.files.references import cell_name, parse_cell_name
from elo_sheets.workbook.layout import column_text

# A cell's formula and stored result in, its new content out: the XML between <c …> and </c>.
Edit = Callable[[str, str], str]
Place = tuple[str, str]


def plant(source: Path, target: Path, edits: Mapping[Place, Edit]) -> Path:
    """Write a copy of a workbook in which each edited cell (sheet, name) holds something else."""
    import zipfile

    book = read_book(source)
    changes: dict[str, bytes] = {}
    with zipfile.ZipFile(source) as archive:
        for sheet, part in book.parts.items():
            mine = {name: edit for (where, name), edit in edits.items() if where == sheet}
            if mine:
                text = archive.read(part).decode()
                for name, edit in mine.items():
                    text = _edited(text, name, edit, by_names(book, sheet, name))
                changes[part] = text.encode()
    rewrite_parts(source, target, changes)
    return target


def by_names(book: Book, sheet: str, name: str) -> str:
    """Return the formula of a cell as one would type it, with the names of its table for the cells of its own row."""
    place = parse_cell_name(name)
    cell = book.sheets[sheet].get(place)
    text = "" if cell is None else cell.formula or ""
    for table in book.all_tables:
        if table.sheet != sheet or not table.first_row < place[0] <= table.last_row:
            continue
        for at, label in enumerate(table.columns, table.first_col):
            named = f"{table.name}[[#This Row],[{column_text(label)}]]"
            text = re.sub(rf"(?<![\w$!:.'])\${cell_name(place[0], at)}(?![\w:(])", named.replace("\\", "\\\\"), text)
    return escape(text)


def _edited(text: str, name: str, edit: Edit, formula: str) -> str:
    match = re.search(rf'<c r="{name}"( s="\d+")?[^>]*?(?:/>|>(.*?)</c>)', text)
    assert match is not None, f"no cell {name}"
    content = match[2] or ""
    value = re.search(r"<v>(.*?)</v>", content)
    new = edit(formula, value[1] if value else "")
    cell = f'<c r="{name}"{match[1] or ""}{" t=" + chr(34) + "str" + chr(34) if "<v></v>" in new else ""}>{new}</c>'
    return text[: match.start()] + (cell if new else "") + text[match.end() :]


def formula(old: str, new: str) -> Edit:
    """Replace a part of the formula; the stored result stays as it was."""

    def edit(text: str, value: str) -> str:
        assert old in text, f"{old!r} is not in {text!r}"
        return f"<f>{text.replace(old, new)}</f><v>{value}</v>"

    return edit


def rounded(digits: int) -> Edit:
    """Round what the rule gives behind its guard."""

    def edit(text: str, value: str) -> str:
        guard, rule = re.fullmatch(r'(IF\(.*?,"",)(.*)\)', text).groups()  # type: ignore[union-attr]
        return f"<f>{guard}ROUND({rule},{digits}))</f><v>{value}</v>"

    return edit


def typed(number: float) -> Edit:
    """Type a number over whatever stands there."""
    return lambda _text, _value: f"<v>{number!r}</v>"


def cleared() -> Edit:
    """Clear the cell."""
    return lambda _text, _value: ""


def stale(number: float) -> Edit:
    """Store another result behind the formula."""
    return lambda text, _value: f"<f>{text}</f><v>{number!r}</v>"


def at(book: Book, table: str, label: str, row: int) -> Place:
    """Return the sheet and name of a table's cell: the row counts from 1 below the headers."""
    found = book.tables[table]
    column = found.column(label)
    assert column is not None, label
    return found.sheet, cell_name(found.first_row + row, column)
