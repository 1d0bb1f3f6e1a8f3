"""A template of one's own, from a TOML file outside the package: written, computed, validated, kept going."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from workbook_cases import type_into

from elo_sheets.cli import cli
from elo_sheets.engines.recalculate import recalculate
from elo_sheets.errors import UsageError
from elo_sheets.files.cells import Book
from elo_sheets.files.package import read_book
from elo_sheets.uses.updating import update
from elo_sheets.validate import validate
from elo_sheets.workbook.templates import NAMES, template

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "own-template.md").read_text(encoding="utf-8")
(TOY,) = re.findall(r"```toml[^\n]*\n(.*?)```", PAGE, re.DOTALL)
GAMES = """Date,White,Black,Result
2024-01-05,Player 1,Player 2,1-0
2024-01-12,Player 3,Player 1,1/2-1/2
2024-01-19,Player 2,Player 3,1-0
"""
MORE = "Date,White,Black,Result\n2024-02-02,Player 3,Player 2,1-0\n2024-01-09,Player 2,Player 1,1-0\n"


def run(*arguments: str | Path) -> str:
    done = CliRunner().invoke(cli, [str(argument) for argument in arguments])
    assert done.exit_code == 0, done.output
    return done.output


@pytest.fixture(scope="module")
def club(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the template of the page, a log, and the book that is made of both."""
    folder = tmp_path_factory.mktemp("club")
    (folder / "club.toml").write_text(TOY, encoding="utf-8")
    (folder / "games.csv").write_text(GAMES)
    (folder / "more.csv").write_text(MORE)
    run("import", folder / "games.csv", "-o", folder / "ladder.xlsx", "--template", folder / "club.toml")
    return folder


def column(book: Book, sheet: str, label: str, rows: int = 3) -> list[object]:
    """What stands below a header."""
    ((_, at),) = [place for place, cell in book.sheets[sheet].items() if cell.value == label and place[0] == 4]
    return [
        book.sheets[sheet][row, at].value if (row, at) in book.sheets[sheet] else None for row in range(5, 5 + rows)
    ]


def test_every_cell_of_the_added_columns_has_its_value_from_the_first_save(club: Path) -> None:
    book = read_book(club / "ladder.xlsx")
    ratings = [float(str(value)) for value in column(book, "Standings", "Rating")]
    assert column(book, "Standings", "To 1800") == pytest.approx([1800 - rating for rating in ratings])
    assert column(book, "Prizes", "Winner") == column(book, "Standings", "Player")
    assert column(book, "Prizes", "Place") == [1.0, 2.0, 3.0]
    assert column(book, "Players", "Owes", 4) == [20.0, 20.0, 20.0, ""]
    assert "Odds" not in book.sheets


@pytest.mark.libreoffice
def test_another_engine_computes_the_same(club: Path) -> None:
    book = read_book(club / "ladder.xlsx")
    values = recalculate(book, "libreoffice", timeout=300).values
    for sheet in ("Players", "Standings", "Prizes"):
        for place, cell in book.sheets[sheet].items():
            if cell.formula is not None and cell.value != "":
                found = values[sheet][place]
                assert found == (pytest.approx(cell.value) if isinstance(cell.value, float) else cell.value), place


def test_validate_asks_for_the_file_and_judges_the_added_formulas(club: Path, tmp_path: Path) -> None:
    path = club / "ladder.xlsx"
    file = club / "club.toml"
    assert validate(path, template=file).status == "agrees"
    typed = type_into(path, tmp_path / "typed.xlsx", {"Players": {cell_below(path, "Players", "Fee paid"): 15.0}})
    owes = cell_below(path, "Players", "Owes")
    (stale,) = validate(typed, template=file).findings
    assert (stale.code, stale.range) == ("ES301", f"Players!{owes}")
    assert "20 is stored, the formula gives 5" in stale.message
    wrong = type_into(path, tmp_path / "wrong.xlsx", {"Players": {owes: 3.0}})
    verdict = validate(wrong, template=file)
    assert verdict.status == "differs"
    assert any(owes in finding.range for finding in verdict.findings), verdict.findings


def cell_below(path: Path, sheet: str, label: str) -> str:
    """The name of the first cell below a header."""
    from elo_sheets.files.references import cell_name

    (place,) = [place for place, cell in read_book(path).sheets[sheet].items() if cell.value == label]
    return cell_name(place[0] + 1, place[1])


def test_a_book_of_an_unknown_or_changed_template_is_not_judged(club: Path, tmp_path: Path) -> None:
    changed = tmp_path / "club.toml"
    changed.write_text(TOY.replace("1800-", "1900-"), encoding="utf-8")
    verdict = validate(club / "ladder.xlsx", template=changed)
    assert verdict.status == "unchecked"
    assert "club.toml has changed since the workbook was made" in verdict.reason
    other = tmp_path / "other.toml"
    other.write_text(TOY, encoding="utf-8")
    run("new", other, "-o", tmp_path / "empty.xlsx", "--rows", "3")
    code = f"from elo_sheets import validate_book as check; print(check({str(tmp_path / 'empty.xlsx')!r}).reason)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "the template other.toml, with which it was made, is not built in" in done.stdout


def test_update_keeps_what_was_typed_beside_each_player(club: Path, tmp_path: Path) -> None:
    fee = cell_below(club / "ladder.xlsx", "Players", "Fee paid")
    book = type_into(club / "ladder.xlsx", tmp_path / "book.xlsx", {"Players": {fee: 15.0}})
    done = update(book, [club / "more.csv"], template=club / "club.toml")
    assert len(done.merged.added) == 2
    assert validate(book, template=club / "club.toml").status == "agrees"
    assert column(read_book(book), "Players", "Owes") == [5.0, 20.0, 20.0]
    before = book.read_bytes()
    update(book, [club / "more.csv"], template=club / "club.toml")
    assert book.read_bytes() == before


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('from = "league"', 'from = "leage"', "line 1: expected a template ("),
        ('from = "league"\n', "", 'line 1: expected from = "league"'),
        ("title =", "titel =", "line 2: expected from, without, sheet, "),
        ('without = ["Odds"]', 'without = ["Odd"]', "line 4: expected sheets to leave out among Start, "),
        ('name = "Standings"', 'name = "Standing"', "line 20: expected a sheet to change (Start, "),
        ("input = true", "inputs = true", "line 11: column Fee paid: expected about, "),
        ("input = true\n", "", "line 10: column Fee paid: expected a formula, or input = true"),
        ('unit = "points"', 'unit = "point"', "line 26: column To 1800: expected a unit (points, "),
        ('style = "points"', 'style = "point"', "line 25: column To 1800: expected a style ("),
        ("rows = 3", "rows = 0", "line 32: expected rows = 2 to 100000, got 0"),
        ("width = 30", 'width = "wide"', "line 42: column Winner: expected a width up to 255, got 'wide'"),
        ("[[sheet]]", "[[sheet", "expected a template as TOML: "),
    ],
)
def test_what_is_wrong_in_the_file_is_said_with_its_line(old: str, new: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "club.toml"
    path.write_text(TOY.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(UsageError, match=re.escape(f"{path}")) as raised:
        template(str(path))
    assert said in str(raised.value)


def test_a_formula_that_gives_an_error_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    path = tmp_path / "club.toml"
    path.write_text(TOY.replace('=IF([Place]="","",1800-[Rating])', "=1/0"), encoding="utf-8")
    done = CliRunner().invoke(cli, ["new", str(path), "-o", str(tmp_path / "book.xlsx"), "--rows", "3"])
    assert done.exit_code != 0
    assert "sheet Standings, column To 1800, row 5: the formula of the template gives #DIV/0!" in str(done.exception)
    assert not (tmp_path / "book.xlsx").exists()


@pytest.mark.parametrize("name", NAMES)
def test_every_template_can_lend_its_sheets(name: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(f'from = "{name}"\ntitle = "Mine"\n')
    form = template(str(path))
    assert form["title"] == "Mine"
    assert form["sheet"] == template(name)["sheet"]


def test_a_column_that_reads_a_list_which_spills_is_refused_by_name(club: Path) -> None:
    result = CliRunner().invoke(
        cli,
        ["new", str(club / "club.toml"), "--dialect", "modern", "-o", str(club / "new.xlsx")],
        standalone_mode=False,
    )
    assert isinstance(result.exception, UsageError)
    said = "sheet Standings, column To 1800: with modern formulas Standings is a list that spills"
    assert said in str(result.exception)
    assert "--dialect portable" in str(result.exception)
