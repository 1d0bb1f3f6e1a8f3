"""`update` and what a book's owner made: sheets, columns, comments, charts, formats; kept, each at its game."""

from __future__ import annotations

import re
import shutil
import zipfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import openpyxl
import pytest
from openpyxl.chart import LineChart, Reference
from openpyxl.comments import Comment
from openpyxl.formatting.rule import FormulaRule
from openpyxl.styles import Font, PatternFill
from openpyxl.worksheet.datavalidation import DataValidation
from test_update import games_in, made_games, written

from elo_sheets import new_book, update_book, validate_book
from elo_sheets.engines.recalculate import recalculate
from elo_sheets.errors import OutputRefused
from elo_sheets.files.package import read_book

LATE = ("2026-01-07", "Player 1", "Player 2", "0-1")
FIRST = 5  # the row of the first game
NOTE = 17  # of the row below whose game the owner has written


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("owned")
    book = folder / "club.xlsx"
    new_book("league", book, rows=40)
    update_book(book, [written(folder / "january.csv", made_games(24))], backup=False)
    return book


@pytest.fixture
def owned(plain: Path, tmp_path: Path) -> Callable[[Callable[[openpyxl.Workbook], None]], Path]:
    """A book into which its owner has put something, by a program that saves the whole of it."""

    def make(change: Callable[[openpyxl.Workbook], None]) -> Path:
        book = openpyxl.load_workbook(plain)
        change(book)
        book.save(tmp_path / "club.xlsx")
        return tmp_path / "club.xlsx"

    return make


def patched(path: Path, part: str, change: Callable[[str], str], added: Mapping[str, bytes] = {}) -> Path:
    """A book with one part changed as text and others added, all the rest as it is."""
    target = path.with_name("patched.xlsx")
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as new:
        for info in old.infolist():
            data = old.read(info)
            new.writestr(info, change(data.decode()).encode() if info.filename == part else data)
        for name, data in added.items():
            new.writestr(name, data)
    return target


def late(tmp_path: Path, more: Sequence[tuple[str, str, str, str]] = ()) -> Path:
    """A log of a game that belongs above the noted one, and perhaps of later ones."""
    return written(tmp_path / "late.csv", [LATE, *more])


def row_of(path: Path, row: int) -> tuple[str, ...]:
    return games_in(path)[row - FIRST]


def test_an_own_sheet_keeps_its_cells_and_its_formulas_follow_the_games(
    owned: Callable[..., Path], tmp_path: Path
) -> None:
    def change(book: openpyxl.Workbook) -> None:
        sheet = book.create_sheet("Prizes", 2)
        sheet["A1"], sheet["B1"] = "Cup of the year", 12.5
        sheet["A2"] = f"=Games!C{NOTE}"
        sheet["A3"] = "=COUNTA(Games!C5:C44)"
        sheet["A4"] = "=ROWS(Games[White])"
        sheet["A1"].font = Font(bold=True, color="FFC00000", size=15)
        sheet.column_dimensions["A"].width = 41

    book = owned(change)
    white = row_of(book, NOTE)[1]
    done = update_book(book, [late(tmp_path)])
    assert done.changed
    sheet = openpyxl.load_workbook(book)["Prizes"]
    assert (sheet["A1"].value, sheet["B1"].value) == ("Cup of the year", 12.5)
    assert sheet["A2"].value == f"=Games!C{NOTE + 1}"
    assert sheet["A3"].value == "=COUNTA(Games!C5:C45)"
    font = sheet["A1"].font
    assert (font.b, font.color.rgb, font.sz, sheet.column_dimensions["A"].width) == (True, "FFC00000", 15, 41)
    assert openpyxl.load_workbook(book).sheetnames[2] == "Prizes"
    computed = recalculate(read_book(book)).values["Prizes"]
    assert (computed[2, 1], computed[3, 1], computed[4, 1]) == (white, 25, 41)
    assert validate_book(book).status == "agrees"
    assert not update_book(book, [late(tmp_path)]).changed


def test_a_column_of_notes_beside_the_games_goes_with_them(owned: Callable[..., Path], tmp_path: Path) -> None:
    def change(book: openpyxl.Workbook) -> None:
        sheet = book["Games"]
        sheet["P4"] = "My notes"
        sheet[f"P{NOTE}"] = "a fine endgame"
        sheet[f"Q{NOTE}"] = f"=LEN(P{NOTE})"
        sheet["P50"] = "below the table"

    book = owned(change)
    game = row_of(book, NOTE)
    update_book(book, [late(tmp_path)])
    sheet = openpyxl.load_workbook(book)["Games"]
    assert sheet["P4"].value == "My notes"
    assert sheet[f"P{NOTE + 1}"].value == "a fine endgame"
    assert sheet[f"P{NOTE}"].value is None
    assert sheet[f"Q{NOTE + 1}"].value == f"=LEN(P{NOTE + 1})"
    assert sheet["P51"].value == "below the table"
    assert row_of(book, NOTE + 1) == game
    assert validate_book(book).status == "agrees"


@pytest.mark.parametrize("at", ["behind", "between"])
def test_an_own_column_in_the_table_stays_there_and_new_games_get_its_formula(
    at: str, plain: Path, tmp_path: Path
) -> None:
    book = with_column(plain, tmp_path, at)
    table = read_book(book).tables["Games"]
    place = table.columns.index("Surprise")
    assert place == (len(table.columns) - 1 if at == "behind" else 2)
    update_book(book, [late(tmp_path, [("2026-03-01", "Player 2", "Player 1", "1-0")])])
    after = read_book(book)
    assert after.tables["Games"].columns == table.columns
    formulas = {
        row: cell.formula
        for (row, column), cell in after.sheets["Games"].items()
        if column == place + 1 and row >= FIRST
    }
    result = "F" if at == "between" else "E"
    assert formulas == {row: f"LEN({result}{row})" for row in range(FIRST, FIRST + 41)}
    computed = recalculate(after).values["Games"]
    assert [computed[FIRST + n, place + 1] for n in range(26)] == [len(game[3]) for game in games_in(book)]
    assert validate_book(book).status == "agrees"
    assert not update_book(book, [late(tmp_path)]).changed


def with_column(plain: Path, tmp_path: Path, at: str) -> Path:
    """The book as it is after a column of formulas was typed behind its games, or put in before the third one."""
    workbook = openpyxl.load_workbook(plain)
    sheet = workbook["Games"]
    table = sheet.tables["Games"]
    width = len(table.tableColumns)
    place = width + 1 if at == "behind" else 3
    result = "E" if at == "behind" else "F"
    target = tmp_path / "club.xlsx"
    if at == "behind":
        from openpyxl.utils import get_column_letter
        from openpyxl.worksheet.table import TableColumn

        table.tableColumns.append(TableColumn(id=99, name="Surprise"))
        table.ref = f"A4:{get_column_letter(place)}44"
        sheet.cell(4, place).value = "Surprise"
        for row in range(FIRST, 45):
            sheet.cell(row, place).value = f"=LEN({result}{row})"
        workbook.save(target)
        return target
    return shifted_column(plain, target)


def shifted_column(plain: Path, target: Path) -> Path:
    """Put a column in before C of Games, as a program does: every reference to the columns behind it moves."""
    import dataclasses

    from elo_sheets.uses.updating.carrying.layout import Owned
    from elo_sheets.uses.updating.old import Old
    from elo_sheets.validate.moved import Moved
    from elo_sheets.workbook.write import write_plan

    old = Old.read(plain)
    raw = dataclasses.replace(old.raw, all_tables=list(old.raw.all_tables))
    games = raw.tables["Games"]
    columns = [*games.columns[:2], "Surprise", *games.columns[2:]]
    wider = dataclasses.replace(games, columns=columns, last_col=games.last_col + 1)
    raw.all_tables[raw.all_tables.index(games)] = wider
    raw = dataclasses.replace(raw, tables={**raw.tables, "Games": wider})
    moved = dataclasses.replace(old, raw=raw, named=raw, moved=[Moved("Games", (3,), ())])
    write_plan(Owned(moved).plan(old.plan), target, target.parent)
    workbook = openpyxl.load_workbook(target)
    for row in range(FIRST, 45):
        workbook["Games"].cell(row, 3).value = f"=LEN(F{row})"
    workbook.save(target)
    return target


def test_comments_widths_hidden_rows_and_formats_stay_with_their_rows(
    owned: Callable[..., Path], tmp_path: Path
) -> None:
    def change(book: openpyxl.Workbook) -> None:
        sheet = book["Games"]
        sheet[f"C{NOTE}"].comment = Comment("was a blitz game", "Somebody")
        sheet[f"C{NOTE}"].fill = PatternFill("solid", fgColor="FF00B0F0")
        sheet[f"E{NOTE}"].style = "Normal"  # as cutting the cell leaves it, which is locked
        for row in range(FIRST, 45):
            sheet[f"F{row}"].font = Font(italic=True, color="FF7030A0")
        sheet.column_dimensions["C"].width = 33.5
        sheet.row_dimensions[NOTE + 2].hidden = True
        sheet.row_dimensions[NOTE + 1].height = 40
        book["Players"].column_dimensions["D"].hidden = True

    book = owned(change)
    update_book(book, [late(tmp_path)])
    sheet = openpyxl.load_workbook(book)["Games"]
    assert sheet[f"C{NOTE + 1}"].comment.text == "was a blitz game"
    assert sheet[f"C{NOTE}"].comment is None
    fills = {row for row in range(FIRST, 46) if sheet[f"C{row}"].fill.fgColor.rgb == "FF00B0F0"}
    assert fills == {NOTE + 1}
    assert not any(sheet[f"E{row}"].protection.locked for row in range(FIRST, 46))
    assert all(sheet[f"F{row}"].font.i and sheet[f"F{row}"].font.color.rgb == "FF7030A0" for row in range(FIRST, 46))
    assert sheet.column_dimensions["C"].width == 33.5
    assert [row for row in range(1, 50) if sheet.row_dimensions[row].hidden] == [NOTE + 3]
    assert sheet.row_dimensions[NOTE + 2].height == 40
    assert openpyxl.load_workbook(book)["Players"].column_dimensions["D"].hidden
    assert validate_book(book).status == "agrees"


def test_an_own_chart_follows_the_rows_that_it_draws_and_ours_stay(owned: Callable[..., Path], tmp_path: Path) -> None:
    def change(book: openpyxl.Workbook) -> None:
        sheet = book["Games"]
        chart = LineChart()
        chart.title = "Ratings of White"
        chart.add_data(Reference(sheet, min_col=7, min_row=FIRST, max_row=44))
        sheet.add_chart(chart, "R4")

    book = owned(change)
    before = read_book(book).charts
    update_book(book, [late(tmp_path)])
    after = read_book(book).charts
    assert before["Chart"] == after["Chart"]
    assert [one.replace("$", "").replace("'", "") for one in after["Games"]] == ["Games!G5:G45"]


def test_names_validations_and_conditions_of_the_owner_follow(owned: Callable[..., Path], tmp_path: Path) -> None:
    from openpyxl.workbook.defined_name import DefinedName

    def change(book: openpyxl.Workbook) -> None:
        book.defined_names["Best_game"] = DefinedName("Best_game", attr_text=f"Games!$C${NOTE}")
        sheet = book["Games"]
        rule = DataValidation(type="list", formula1='"good,bad"', allow_blank=True)
        rule.add("P5:P44")
        sheet.add_data_validation(rule)
        sheet.conditional_formatting.add(
            "P5:P44", FormulaRule(formula=['$P5="bad"'], fill=PatternFill("solid", bgColor="FFFFC7CE"))
        )

    book = owned(change)
    rules = len(openpyxl.load_workbook(book)["Games"].conditional_formatting)
    update_book(book, [late(tmp_path)])
    after = openpyxl.load_workbook(book)
    assert after.defined_names["Best_game"].attr_text == f"Games!$C${NOTE + 1}"
    assert "P5:P45" in {str(one.sqref) for one in after["Games"].data_validations.dataValidation}
    formats = after["Games"].conditional_formatting
    assert len(formats) == rules
    assert [str(one.sqref) for one in formats for rule in one.rules if rule.formula == ['$P5="bad"']] == ["P5:P45"]


def test_parts_that_nobody_knows_keep_their_bytes(plain: Path, tmp_path: Path) -> None:
    content = b"<own xmlns='urn:club'>data of another program</own>"
    kind = '<Override PartName="/customXml/item1.xml" ContentType="application/xml"/></Types>'
    book = patched(
        Path(shutil.copy(plain, tmp_path / "club.xlsx")),
        "[Content_Types].xml",
        lambda text: text.replace("</Types>", kind),
        {"customXml/item1.xml": content},
    )
    update_book(book, [late(tmp_path)])
    with zipfile.ZipFile(book) as archive:
        assert archive.read("customXml/item1.xml") == content


def test_a_renamed_sheet_and_a_renamed_header_keep_their_names(plain: Path, tmp_path: Path) -> None:
    book = Path(shutil.copy(plain, tmp_path / "club.xlsx"))
    with zipfile.ZipFile(plain) as archive:
        parts = [
            name for name in archive.namelist() if re.search(r"sheet\d+\.xml$|workbook\.xml$|chart\d+\.xml$", name)
        ]
    for part in parts:
        renamed = patched(
            book,
            part,
            lambda text: re.sub(r"(?<![\w])'?Players'?!", "Members!", text).replace('name="Players"', 'name="Members"'),
        )
        renamed.replace(book)
    assert validate_book(book).status == "agrees"
    update_book(book, [late(tmp_path, [("2026-03-01", "Player 9", "Player 1", "1-0")])])
    after = read_book(book)
    assert "Members" in after.sheets
    assert "Players" not in after.sheets
    assert validate_book(book).status == "agrees"
    assert not update_book(book, [late(tmp_path)]).changed


def test_a_sheet_whose_protection_was_taken_off_stays_open(owned: Callable[..., Path], tmp_path: Path) -> None:
    book = owned(lambda workbook: setattr(workbook["Games"].protection, "sheet", False))
    update_book(book, [late(tmp_path)])
    assert not openpyxl.load_workbook(book)["Games"].protection.sheet
    assert openpyxl.load_workbook(book)["Ledger"].protection.sheet


def test_a_formula_that_was_typed_into_an_input_stays_a_formula(owned: Callable[..., Path], tmp_path: Path) -> None:
    def change(book: openpyxl.Workbook) -> None:
        book["Players"]["C5"] = "=1400+25*4"

    book = owned(change)
    update_book(book, [late(tmp_path)])
    assert openpyxl.load_workbook(book)["Players"]["C5"].value == "=1400+25*4"
    assert validate_book(book).status == "agrees"


def test_what_is_in_the_way_is_refused_by_name_before_a_byte_is_written(plain: Path, tmp_path: Path) -> None:
    book = patched(
        Path(shutil.copy(plain, tmp_path / "club.xlsx")),
        "[Content_Types].xml",
        lambda text: text,
        {"_xmlsignatures/sig1.xml": b"<Signature/>"},
    )
    before, files = book.read_bytes(), sorted(tmp_path.iterdir())
    with pytest.raises(OutputRefused, match="it is signed"):
        update_book(book, [written(tmp_path.parent / f"{tmp_path.name}.csv", [LATE])])
    assert (book.read_bytes(), sorted(tmp_path.iterdir())) == (before, files)


@pytest.mark.ooxml
def test_the_file_is_sound_for_microsofts_validator(
    owned: Callable[..., Path], tmp_path: Path, ooxml_errors: Callable[[Path], list[str]]
) -> None:
    def change(book: openpyxl.Workbook) -> None:
        book.create_sheet("Prizes")["A1"] = f"=Games!C{NOTE}"
        book["Games"][f"P{NOTE}"] = "a note"
        book["Games"][f"C{NOTE}"].comment = Comment("was a blitz game", "Somebody")

    book = owned(change)
    before = set(ooxml_errors(book))
    update_book(book, [late(tmp_path)])
    assert set(ooxml_errors(book)) <= before
