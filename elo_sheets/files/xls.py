"""Old .xls workbooks (Excel 97 to 2003 and before), by the package xlrd of the extra `xls`: values without formulas.

xlrd is plain Python that reads this one format and nothing else, so that the limits of the reading process hold for it.
"""

from __future__ import annotations

import io
from pathlib import Path

from elo_sheets.files.archive import refuse
from elo_sheets.files.cells import Book, Calc, Cell, CellError, Value
from elo_sheets.files.references import cell_name

OLE = bytes.fromhex("d0cf11e0a1b11ae1")


def is_xls(path: Path) -> bool:
    """Tell whether a file is of the container that old workbooks live in."""
    with path.open("rb") as stream:
        return stream.read(8) == OLE


def read_xls(path: Path, cells: int) -> Book:
    """Return the values of an .xls file of at most so many cells; dates stay numbers of days.

    Raises `UnreadableInput` for a file that is damaged, protected, or too large.
    """
    import xlrd
    from xlrd.biffh import error_text_from_code

    # What it has to remark goes nowhere: the standard output of the reading process is its answer.
    found = xlrd.open_workbook(str(path), logfile=io.StringIO(), formatting_info=True, ragged_rows=True)
    book = Book(path, format="xls", calc=Calc(date1904=bool(found.datemode)))
    count = 0
    for sheet in found.sheets():
        content = book.sheets.setdefault(sheet.name, {})
        if sheet.visibility:
            book.hidden.add(sheet.name)
        for row in range(sheet.nrows):
            for column, cell in enumerate(sheet.row(row)):
                value: Value = cell.value
                if cell.ctype in (xlrd.XL_CELL_EMPTY, xlrd.XL_CELL_BLANK):
                    continue
                if cell.ctype == xlrd.XL_CELL_BOOLEAN:
                    value = bool(cell.value)
                elif cell.ctype == xlrd.XL_CELL_ERROR:
                    value = CellError(error_text_from_code.get(cell.value, "#VALUE!"))
                count += 1
                if count > cells:
                    raise refuse(path, f"it has more than {cells:,} cells", "split the workbook by years")
                content[row + 1, column + 1] = Cell(None, value)
                font = found.font_list[found.xf_list[cell.xf_index].font_index]
                if font.struck_out:
                    book.struck_out.setdefault(sheet.name, set()).add((row + 1, column + 1))
                if font.bold:
                    book.bold.setdefault(sheet.name, set()).add((row + 1, column + 1))
        book.merges[sheet.name] = [
            f"{cell_name(top + 1, left + 1)}:{cell_name(bottom, right)}"
            for top, bottom, left, right in sheet.merged_cells
        ]
    return book
