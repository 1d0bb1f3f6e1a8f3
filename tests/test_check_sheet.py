"""Check turns red for what it cannot count, deleted settings and rows without formulas; what is printed is filled."""

from __future__ import annotations

import datetime
import html
import re
import subprocess
import zipfile
from collections import Counter
from pathlib import Path

import openpyxl
import pytest
from openpyxl.utils import get_column_letter, range_boundaries

from elo_sheets import import_logs, update_book
from elo_sheets.engines.recalculate import recalculate
from elo_sheets.files.cells import CellError
from elo_sheets.uses.updating import next_season
from elo_sheets.validate import validate
from elo_sheets.workbook import new_book
from elo_sheets.workbook.front import MORE_ROWS

CLEAR = "All checks are green"
# A setting whose deletion divides by zero, or starts everybody at nothing.
EMPTIED = {
    "journal": "Rating_scale",
    "league": "Rating_scale",
    "ratings-list": "Initial_rating",
    "season": "Rating_scale",
    "compare": "Rating_scale",
}


def book(name: str, folder: Path) -> tuple[Path, openpyxl.Workbook]:
    path = folder / f"{name}.xlsx"
    new_book(name, path, rows=24)
    return path, openpyxl.load_workbook(path)


def verdict(path: Path) -> object:
    """What the first sheet says of all checks."""
    start = recalculate(path, "ironcalc").values["Start"]
    (found,) = (value for value in start.values() if isinstance(value, str) and ("green" in value or "look" in value))
    return found


@pytest.mark.parametrize("name", EMPTIED)
def test_a_deleted_setting_is_found(name: str, tmp_path: Path) -> None:
    path, opened = book(name, tmp_path)
    assert verdict(path) == CLEAR
    sheet, cell = opened.defined_names[EMPTIED[name]].attr_text.replace("$", "").split("!")
    opened[sheet][cell.replace("E", "C")] = None  # the named cell is the one that is used
    opened.save(path)
    assert verdict(path) == "1 to look at: see the sheet Check"


def test_a_check_that_is_an_error_is_not_green(tmp_path: Path) -> None:
    path, opened = book("league", tmp_path)
    sheet = opened["Check"]
    sheet["B6"] = "=1/0"
    opened.save(path)
    values = recalculate(path, "ironcalc").values["Check"]
    assert (values[6, 2], values[6, 4]) == (CellError("#DIV/0!"), "look")
    assert verdict(path) == "1 to look at: see the sheet Check"


def test_a_row_without_formulas_is_found(tmp_path: Path) -> None:
    path, opened = book("season", tmp_path)
    fixtures = opened["Fixtures"]
    for column in range(1, fixtures.max_column + 1):
        fixtures.cell(5, column).value = None
    for row, name in enumerate(("Team 1", "Team 2"), 5):
        opened["Teams"].cell(row, 2).value = name
    fixtures["C5"], fixtures["D5"] = "Team 1", "Team 2"
    opened.save(path)
    labels = {cell.value: cell.row for cell in opened["Check"]["A"]}
    row = labels["Rows of games without their formulas, which are to be filled down"]
    assert recalculate(path, "ironcalc").values["Check"][row, 2] == 1.0


def areas(path: Path) -> dict[str, str]:
    """Return the area of each sheet that is printed."""
    with zipfile.ZipFile(path) as archive:
        names = archive.read("xl/workbook.xml").decode()
    found = (html.unescape(text) for text in re.findall(r'Print_Area"[^>]*>([^<]*)<', names))
    return {text.split("!")[0].strip("'"): text.split("!")[1] for text in found}


def played(path: Path, games: int) -> Path:
    lines = (f"2024-01-{1 + i // 4:02},Player {1 + i % 5},Player {6 + i % 7},1-0" for i in range(games))
    path.write_text("\n".join(["date,white,black,result", *lines, ""]))
    return path


def test_a_long_table_is_printed_as_far_as_it_is_filled_and_20_rows_more(tmp_path: Path) -> None:
    path, _ = book("league", tmp_path)
    assert areas(path)["Players"] == "$A$1:$O$64"  # all of a new one
    import_logs(played(tmp_path / "log.csv", 50), filled := tmp_path / "filled.xlsx", template="league")
    assert areas(filled)["Games"].endswith("$74")
    assert areas(filled)["Players"] == "$A$1:$O$36"  # its names, and some rows more
    assert (
        "Run elo-sheets update, which sets anew what is printed"
        in openpyxl.load_workbook(filled)["Games"].oddFooter.center.text
    )
    update_book(filled, [played(tmp_path / "more.csv", 80)], output=tmp_path / "later.xlsx")
    assert areas(tmp_path / "later.xlsx")["Games"].endswith("$95")  # to the end of the page that has the last game


def test_long_names_are_not_cut_and_what_the_status_says_is_not_printed(tmp_path: Path) -> None:
    names = "Brighton and Hove Albion Football Club", "Sportvereinigung Greuther Fürth", "Ajax"
    lines = [f"2024-01-0{day},{names[day % 3]},{names[(day + 1) % 3]},1-0" for day in range(1, 9)]
    (tmp_path / "log.csv").write_text("\n".join(["date,white,black,result", *lines, ""]), "utf-8")
    import_logs(tmp_path / "log.csv", path := tmp_path / "book.xlsx", template="league")
    book = openpyxl.load_workbook(path)
    for sheet, cell in (("Players", "B5"), ("Games", "C5"), ("Games", "D5"), ("Standings", "B5"), ("Card", "B4")):
        assert book[sheet][cell].alignment.shrink_to_fit, sheet
    assert round(book["Games"].column_dimensions["C"].width) == 31  # that is 30 letters
    status = next(cell for cell in book["Games"][4] if cell.value == "Status")
    assert areas(path)["Games"].startswith(f"$A$1:${get_column_letter(status.column - 1)}$")


@pytest.mark.libreoffice
@pytest.mark.parametrize("name", ["league", "season", "journal", "ratings-list", "compare"])
def test_each_sheet_of_a_small_book_is_one_page_in_libreoffice(name: str, tmp_path: Path) -> None:
    log = played(tmp_path / "log.csv", 4)
    player = "Player 1" if name == "journal" else None
    import_logs(log, path := tmp_path / "book.xlsx", template=name, player=player)
    command = ["soffice", f"-env:UserInstallation=file://{tmp_path}/profile", "--headless", "--convert-to", "pdf"]
    subprocess.run([*command, "--outdir", tmp_path, path], capture_output=True, check=True)
    pdf = ["pdftotext", "-layout", tmp_path / "book.pdf", "-"]
    text = subprocess.run(pdf, capture_output=True, text=True, check=True).stdout
    feet = Counter(re.findall(r"^ *(\S.*?)  .*Page \d+ of \d+$", text, re.MULTILINE))
    assert set(feet.values()) == {1}
    assert len(feet) >= 9


@pytest.mark.parametrize("typed", ["columns?", "[1]", '{"a": 1}'])
def test_a_manifest_that_was_typed_into_is_named(typed: str, tmp_path: Path) -> None:
    path, opened = book("league", tmp_path)
    sheet = opened["elo-sheets"]
    row = next(cell.row for cell in sheet["A"] if cell.value == "columns Games")
    sheet.cell(row, 2).value = typed
    opened.save(path)
    found = validate(path)
    assert found.status == "unchecked"
    assert found.reason == f"the manifest says nothing readable of the table Games: restore elo-sheets!B{row}"


@pytest.mark.parametrize(
    ("told", "results", "profile"),
    [
        # One score twice is a slip; another score of the same two is another game.
        ("1 to look at: see the sheet Check", ["4-1", "4-1"], "darts"),
        (CLEAR, ["4-0", "4-1"], "darts"),
        ("1 to look at: see the sheet Check", ["Player 1 won", "Player 1 won"], "darts"),
        # Where they meet again and again on a day, it may end alike too.
        (CLEAR, ["1-0", "0-1", "1/2-1/2", "1-0"], "chess"),
        ("1 to look at: see the sheet Check", ["1-0", "0-1", "1-0"], "chess"),
    ],
)
def test_a_game_that_stands_twice_is_found_and_a_rematch_is_none(
    told: str, results: list[str], profile: str, tmp_path: Path
) -> None:
    path = tmp_path / "book.xlsx"
    new_book("league", path, rows=24, profile=profile)
    opened = openpyxl.load_workbook(path)
    for row, name in enumerate(("Player A", "Player B"), 5):
        opened["Players"].cell(row, 2).value = name
    for row, result in enumerate(results, 5):
        typed = datetime.date(2026, 1, 9), "Player A", "Player B", result
        for column, value in enumerate(typed, 2):
            opened["Games"].cell(row, column).value = value
    opened.save(path)
    assert verdict(path) == told


def said_of(
    name: str, changes: dict[tuple[str, str], object], folder: Path, sheet: str = "Check", **options: object
) -> dict[str, str]:
    """What stands beside each line of Check, or of Start, once so much is typed into a new book."""
    path = folder / f"{name}.xlsx"
    new_book(name, path, rows=24, **options)  # type: ignore[arg-type]
    opened = openpyxl.load_workbook(path)
    for (typed, cell), value in changes.items():
        opened[typed][cell] = value
    opened.save(path)
    cells, labels = recalculate(path, "ironcalc").values[sheet], opened[sheet]
    label, remark = {"Check": (1, 5), "Start": (2, 4)}[sheet]
    found = ((labels.cell(row, label).value, said) for (row, column), said in cells.items() if column == remark)
    return {str(line): str(said) for line, said in found if said}


TWICE = "Games entered twice (same day, players and result; not where rematches are usual)"
MAY, JUNE = datetime.date(2026, 5, 1), datetime.date(2026, 6, 1)
PEOPLE = {"league": "Players", "season": "Teams"}
NAMED = {("Players", "B5"): "Player 1", ("Players", "B6"): "Player 2"}


def rows_of(sheet: str, columns: str, *rows: tuple[object, ...]) -> dict[tuple[str, str], object]:
    return {
        (sheet, f"{letter}{row}"): value
        for row, values in enumerate(rows, 5)
        for letter, value in zip(columns, values, strict=True)
    }


def test_check_says_where_the_first_game_stands_that_is_amiss(tmp_path: Path) -> None:
    games = [(JUNE, "Player 1", "Player 2", "1-0"), (MAY, "Player 2", "Player 1", "1-0")]
    wrong = [(JUNE, "Player 1", "Player 2", "wni"), (JUNE, "Player 1", "Player 2", "1-0")]
    found = said_of("league", NAMED | rows_of("Games", "BCDE", *games, *wrong), tmp_path)
    assert found == {
        "Games typed that are not rated": "Games, row 7: no result: write 1-0",
        TWICE: "Games, row 8: entered twice",
        "Games dated before a game above them": "Games, row 6: dated before row 5; sort the yellow rows by date",
    }


@pytest.mark.parametrize(
    ("name", "sheet", "columns", "row"),
    [
        ("league", "Games", "BCDE", ("Player 1", "Player 2", "1-0")),
        ("season", "Fixtures", "BCDEF", ("Player 1", "Player 2", 1, 0)),
        ("journal", "Log", "BCDF", ("Player 2", 1500, "Win")),
    ],
)
def test_start_asks_for_the_year_of_a_last_game_that_is_far(
    name: str, sheet: str, columns: str, row: tuple[object, ...], tmp_path: Path
) -> None:
    people = {(PEOPLE[name], cell): who for (_, cell), who in NAMED.items() if name in PEOPLE}
    far = "more than a year after the game before: is its year right?"
    for last, said in ((datetime.date(2027, 5, 2), None), (datetime.date(2036, 5, 1), far)):
        games = rows_of(sheet, columns, (MAY, *row), (MAY, *row), (last, *row))
        assert said_of(name, people | games, tmp_path, sheet="Start").get("Last game") == said
        (tmp_path / f"{name}.xlsx").unlink()
        assert "Last game" not in said_of(name, people, tmp_path, sheet="Start")
        (tmp_path / f"{name}.xlsx").unlink()


def test_a_fixture_to_play_is_not_amiss(tmp_path: Path) -> None:
    teams = {("Teams", "B5"): "Player 1", ("Teams", "B6"): "Player 2"}
    games = [(MAY, "Player 1", "Player 2", None), (JUNE, "Player 1", "Zoe", 2)]
    found = said_of("season", teams | rows_of("Fixtures", "BCDE", *games), tmp_path)
    place = "Fixtures, row 6: not on Teams: enter the name there"
    assert found == {"Fixtures typed that are neither rated nor to be played": place}


def test_check_of_a_journal_and_of_doubles_says_where(tmp_path: Path) -> None:
    log = [(JUNE, "Player 2", 1500, "Win"), (MAY, "Player 3", None, "Win")]
    found = said_of("journal", rows_of("Log", "BCDF", *log), tmp_path)
    assert found == {
        "Rows of the Log that are not rated": "Log, row 6: no opponent rating: type the published one",
        "Rows dated before a row above them": "Log, row 6: dated before row 5; sort the yellow rows by date",
    }
    games = [(MAY, "Player 1", "Player 1", 1, 0)]
    found = said_of("league-2x2", NAMED | rows_of("Games", "BCEGH", *games), tmp_path)
    assert found == {"Games typed that are not rated": "Games, row 5: same player twice"}


# A game of 2062 among those of June, and who plays: the sheet of the games, its columns from the day on, a row's names.
SLIPPED = [datetime.date(2062 if day == 4 else 2026, 6, day) for day in range(1, 12)]
BY_DAY = {
    "league": ("Games", "BCDE", ("Player 1", "Player 2", "1-0")),
    "season": ("Fixtures", "BCDEF", ("Player 1", "Player 2", 1, 0)),
    "compare": ("Games", "BCDE", ("Player 1", "Player 2", "1-0")),
    "ratings-list": ("Games", "BCDE", ("Player 1", "Player 2", "1-0")),
    "journal": ("Log", "BCDF", ("Player 2", 1500, "Win")),
    "league-2x2": ("Games", "BCEGH", ("Player 1", "Player 2", 1, 0)),
    "table": ("Games", "BCDKL", ("Player 1", "Player 2", 1, 2)),
}


@pytest.mark.parametrize("template", BY_DAY)
def test_a_day_that_is_far_too_late_is_named_and_not_the_games_behind_it(template: str, tmp_path: Path) -> None:
    sheet, columns, told = BY_DAY[template]
    people = {("Teams", cell): name for (_, cell), name in NAMED.items()} if template == "season" else NAMED
    typed = rows_of(sheet, columns, *((day, *told) for day in SLIPPED))
    found = said_of(template, typed if template == "journal" else people | typed, tmp_path)
    late = [said for label, said in found.items() if "dated before" in label]
    assert late
    assert set(late) == {f"{sheet}, row 8: dated after games below it; is its day right?"}
    if template == "ratings-list":
        assert found["Games typed that are not rated"] == late[0]
    said = [finding for finding in validate(tmp_path / f"{template}.xlsx").findings if "dated" in finding.message]
    assert [(one.range, one.message) for one in said] == [
        (f"{sheet}!A8", "the game in row 8 is dated after 7 games below it")
    ]


def test_check_of_an_event_says_where(tmp_path: Path) -> None:
    games = [(1, "Player 1", "Zoe", "1-0"), (1, "Player 2", "Player 1", "1-0"), (1, "Player 2", "Player 1", "wni")]
    games += [(2, "Player 2", "Player 1", "1-0"), (2, "Player 1", "Player 2", "1-0"), (None, *games[1][1:])]
    twice = {("Players", "B7"): "player 1"}
    found = said_of("event", NAMED | twice | rows_of("Games", "BCDE", *games), tmp_path, system="fide")
    assert sorted(found.values()) == [
        "Games, row 10: no round",
        "Games, row 5: not on Players: enter the name there",
        "Games, row 7: no result: write 1-0",
        "Games, row 8: the same player has another game in this round",
        "Players, row 7: player 1 stands further up already",
    ]


@pytest.mark.parametrize("template", ["league", "season", "league-2x2", "table"])
def test_a_name_that_stands_twice_is_named(template: str, tmp_path: Path) -> None:
    people = "Teams" if template == "season" else "Players"
    typed = {(people, f"B{row}"): name for row, name in enumerate(("Player 1", "Player 2", "player 1"), 5)}
    found = said_of(template, typed, tmp_path)
    assert found == {
        f"Names entered twice on the sheet {people}": f"{people}, row 7: player 1 stands further up already"
    }


def test_a_game_that_was_not_played_is_not_amiss(tmp_path: Path) -> None:
    words = ["1-0", "postponed", "w.o.", "Bye", "CANCELLED", "verschoben"]
    games = [(datetime.date(2026, 5, day), "Player 1", "Player 2", word) for day, word in enumerate(words, 1)]
    games[3] = (*games[3][:2], None, "Bye")
    for template in ("league", "ratings-list", "compare"):
        assert said_of(template, NAMED | rows_of("Games", "BCDE", *games), tmp_path) == {}, template
    log = [(day, who, 1500, {"1-0": "Win"}.get(word, word)) for day, who, _, word in games]
    assert said_of("journal", rows_of("Log", "BCDF", *log), tmp_path) == {}
    teams = {("Teams", cell): name for (_, cell), name in NAMED.items()}
    assert said_of("season", teams | rows_of("Fixtures", "BCDJ", *games[1:]), tmp_path) == {}
    played = [(MAY, "Player 1", "Player 2", 2, 1, "postponed"), (JUNE, "Player 1", "Player 2", 3, 0, "w.o.")]
    found = said_of("season", teams | rows_of("Fixtures", "BCDEFJ", *played), tmp_path, overwrite=True)
    (said,) = found.values()
    assert said == "Fixtures, row 5: no result: not played, with points"
    rounds = [(number, *game[1:]) for number, game in enumerate(games, 1)]
    assert said_of("event", NAMED | rows_of("Games", "BCDE", *rounds), tmp_path, system="fide") == {}


@pytest.mark.parametrize(
    ("typed", "said"),
    [(11, "free rows for further games"), (12, f"few are left: {MORE_ROWS}48"), (24, f"none is left: {MORE_ROWS}48")],
)
def test_start_says_how_to_get_more_rows_where_few_or_none_are_left(typed: int, said: str, tmp_path: Path) -> None:
    path, opened = book("league", tmp_path)
    for row in range(5, 5 + typed):
        opened["Games"][f"C{row}"] = "Player 1"
    opened.save(path)
    start = recalculate(path, "ironcalc").values["Start"]
    (row,) = (cell.row for cell in opened["Start"]["B"] if cell.value == "Rows left")
    assert [start[row, 3], start[row, 4]] == [24 - typed, said]
    assert len(said) <= 84  # it stands left of the links, which cut off what is longer


@pytest.mark.parametrize(("name", "sheet"), [("journal", "Log"), ("league", "Games")])
def test_all_rows_are_printed_of_a_book_into_which_no_game_is_typed_yet(name: str, sheet: str, tmp_path: Path) -> None:
    new_book(name, path := tmp_path / "book.xlsx", rows=90)
    assert areas(path)[sheet].endswith("$94")
    player = "Player 1" if name == "journal" else None
    import_logs(played(tmp_path / "log.csv", 20), path, template=name, player=player, overwrite=True)
    next_season(path, following := tmp_path / "next.xlsx")
    (*_, last) = re.findall(r"\d+", openpyxl.load_workbook(following)[sheet].tables[sheet].ref)
    assert areas(following)[sheet].endswith(f"${last}")


@pytest.mark.parametrize(
    ("name", "least"),
    [
        *(("league", 6.8), ("season", 6.5), ("journal", 6.7), ("ratings-list", 7.0), ("compare", 6.8), ("event", 6.4)),
        *(("table", 7.0), ("league-2x2", 7.0), ("match", 6.0), ("calculator", 6.0)),
    ],
)
def test_what_is_printed_can_be_read(name: str, least: float, tmp_path: Path) -> None:
    """Type of 11 points on a page, in LibreOffice without Calibri, whose letters are widest."""
    new_book(name, path := tmp_path / "book.xlsx")
    sizes = {}
    for sheet in openpyxl.load_workbook(path):
        setup, area = sheet.page_setup, sheet.print_area
        if sheet.sheet_state != "visible" or not area or sheet.title in {"Odds", "Formulas", "Ledger", "Archive"}:
            continue
        last = range_boundaries(area.split("!")[-1].replace("$", ""))
        widths = {i: d for d in sheet.column_dimensions.values() for i in range(d.min, d.max + 1)}
        shown = [
            widths[i].width if i in widths else 9.1
            for i in range(1, last[2] + 1)
            if not (i in widths and widths[i].hidden)
        ]
        wide, high = (799, 516) if setup.orientation == "landscape" else (552, 763)
        across = sum(7 * (width - 0.7) + 6 for width in shown) / (setup.fitToWidth or 1)
        scales = [1.0, wide / across]
        if setup.fitToHeight:
            scales.append(high * setup.fitToHeight / (14.6 * last[3]))
        sizes[sheet.title] = round(11 * min(scales), 2)
    assert {sheet: size for sheet, size in sizes.items() if size < least} == {}


def test_the_cross_table_has_headers_and_colours_as_far_as_there_are_players(tmp_path: Path) -> None:
    import_logs(played(tmp_path / "log.csv", 30), path := tmp_path / "book.xlsx", template="league")
    sheet = openpyxl.load_workbook(path)["Cross"]
    assert (sheet["A4"].fill.fgColor.rgb, sheet["D4"].fill.fill_type) == ("FF1F3A5F", None)
    formulas = {str(found.sqref): [rule.formula[0] for rule in found.rules] for found in sheet.conditional_formatting}
    assert formulas["D4:W4"] == ["D$3>0"]
    assert len(formulas["D5:W24"]) == 4
    assert sheet.column_dimensions["B"].hidden
    assert sheet.row_dimensions[3].hidden


def test_small_lines_and_empty_seats_at_the_right_are_not_printed(tmp_path: Path) -> None:
    import_logs(played(tmp_path / "log.csv", 4), path := tmp_path / "book.xlsx", template="league")
    assert areas(path)["Standings"].startswith("$A$1:$K$")
    assert openpyxl.load_workbook(path)["Standings"]["L4"].value == "Last 15 games"
    rows = (f"{game},2024-01-01,Player {place},{place}" for game in (1, 2) for place in (1, 2, 3))
    (tmp_path / "table.csv").write_text("\n".join(["game,date,player,place", *rows, ""]))
    import_logs(tmp_path / "table.csv", path := tmp_path / "table.xlsx")
    book = openpyxl.load_workbook(path)["Games"]
    last = next(cell for cell in book[4] if cell.value == "Place 3")
    assert areas(path)["Games"].startswith(f"$A$1:${last.column_letter}$")
    new_book("table", path, overwrite=True)
    assert openpyxl.load_workbook(path)["Games"].page_setup.fitToWidth == 2
