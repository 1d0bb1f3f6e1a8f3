"""The command as a user runs it: whole outputs and exit codes."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import openpyxl
import pytest
from warm import Ran, run

import elo_sheets
from elo_sheets.cli import cli
from elo_sheets.engines.recalculate import ENGINES
from elo_sheets.files.package import read_book
from elo_sheets.systems import SYSTEMS
from elo_sheets.uses.importing import import_logs
from elo_sheets.workbook.templates import LISTED, NAMES

SAMPLES = Path(__file__).parents[1] / "samples"

LEAGUE = """\
date,white,black,result
2026-01-05,Player 1,Player 2,1-0
2026-01-06,=2+3,Abe*,1/2-1/2
2026-01-07,Player 2,>5,0-1
2026-01-08,Player 1,Player 1,1-0
2026-01-09,Player 3,Player 2,later
"""
LEFT_OUT = """\
left out: league.csv, row 5, black 'Player 1': a game against oneself: the other side is 'Player 1' too
left out: league.csv, row 6, result 'later': expected a result such as 1-0, 0-1, 1/2-1/2 or 4-3
"""
TABLE = """\
player    rating  games  wins  draws  losses
Player 1  1510.0      1     1      0       0
>5        1509.7      1     1      0       0
=2+3      1500.0      1     0      1       0
Abe*      1500.0      1     0      1       0
Player 2  1480.3      2     0      0       2
"""
PROBLEMS = [
    {
        "source": "league.csv",
        "row": 5,
        "column": "black",
        "value": "Player 1",
        "reason": "a game against oneself: the other side is 'Player 1' too",
    },
    {
        "source": "league.csv",
        "row": 6,
        "column": "result",
        "value": "later",
        "reason": "expected a result such as 1-0, 0-1, 1/2-1/2 or 4-3",
    },
]
HISTORY = """\
game,date,player,opponent,colour,period,rating,opponent_rating,score,cap,difference,expected,k_used,change,\
period_change,period_games,rating_after,games_played
1,2026-01-05,Player 1,Player 2,white,0,1500.0,1500.0,1.0,1000000.0,0.0,0.5,20.0,10.0,10.0,1,1510.0,1
1,2026-01-05,Player 2,Player 1,black,0,1500.0,1500.0,0.0,1000000.0,0.0,0.5,20.0,-10.0,-10.0,1,1490.0,1
2,2026-01-06,'=2+3,Abe*,white,1,1500.0,1500.0,0.5,1000000.0,0.0,0.5,20.0,0.0,0.0,1,1500.0,1
2,2026-01-06,Abe*,'=2+3,black,1,1500.0,1500.0,0.5,1000000.0,0.0,0.5,20.0,0.0,0.0,1,1500.0,1
3,2026-01-07,Player 2,>5,white,2,1490.0,1500.0,0.0,1000000.0,-10.0,0.48561281583400134,20.0,-9.712256316680026,\
-9.712256316680026,1,1480.28774368332,2
3,2026-01-07,>5,Player 2,black,2,1500.0,1490.0,1.0,1000000.0,10.0,0.5143871841659986,20.0,9.712256316680028,\
9.712256316680028,1,1509.71225631668,1
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "league.csv").write_text(LEAGUE, "utf-8")
    shutil.copy(SAMPLES / "uzchesscup.pgn", tmp_path)
    return tmp_path


def files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


# --- what it makes ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("template", "table"), [("league", "Players"), ("season", "Teams"), ("event", "Players")])
def test_a_new_book_has_as_many_players_as_asked(template: str, table: str, tmp_path: Path) -> None:
    assert run(tmp_path, "new", template, "-o", "book.xlsx", "--players", "12").code == 0
    found = read_book(tmp_path / "book.xlsx").tables[table]
    assert found.last_data_row - found.first_data_row + 1 == 12


@pytest.mark.parametrize("words", [("journal", "12"), ("league", "1"), ("league", "5001")])
def test_players_that_a_book_cannot_have_are_refused(words: tuple[str, str], tmp_path: Path) -> None:
    done = run(tmp_path, "new", words[0], "-o", "book.xlsx", "--players", words[1])
    assert done.code == 2
    assert "players" in done.err
    assert not (tmp_path / "book.xlsx").exists()


@pytest.mark.parametrize("template", NAMES)
def test_new_writes_an_empty_book(folder: Path, template: str) -> None:
    assert run(folder, "new", template, "-o", "book.xlsx") == (0, "wrote book.xlsx\n", "")
    assert openpyxl.load_workbook(folder / "book.xlsx").sheetnames[0] == "Start"


def test_new_takes_settings_and_rows(folder: Path) -> None:
    arguments = ["journal", "-o", "book.xlsx", "--set", "initial=1650", "--set", "K_factor=32", "--rows", "7"]
    assert run(folder, "new", *arguments).code == 0
    book = openpyxl.load_workbook(folder / "book.xlsx")
    named = {
        name: book["Start"][cell.attr_text.split("!")[1].replace("$E$", "C")].value
        for name, cell in book.defined_names.items()
    }
    assert (named["Initial_rating"], named["K_factor"]) == (1650, 32)
    assert book["Log"].tables["Log"].ref == "A4:R11"


def test_import_of_a_csv_makes_a_league(folder: Path) -> None:
    expected = Ran(0, "read 5, kept 3, rejected 2, players 5: book.xlsx\n", LEFT_OUT)
    assert run(folder, "import", "league.csv", "-o", "book.xlsx") == expected
    rows = list(openpyxl.load_workbook(folder / "book.xlsx")["Games"].iter_rows(5, 7, 3, 5, values_only=True))
    assert rows == [("Player 1", "Player 2", "1-0"), ("=2+3", "Abe*", "1/2-1/2"), ("Player 2", ">5", "0-1")]


def test_names_that_look_like_formulas_are_text_in_the_book(folder: Path) -> None:
    run(folder, "import", "league.csv", "-o", "book.xlsx")
    cell = openpyxl.load_workbook(folder / "book.xlsx")["Games"]["C6"]
    assert (cell.value, cell.data_type, cell.quotePrefix) == ("=2+3", "s", True)


def test_import_of_a_pgn_makes_the_journal_of_a_player(folder: Path) -> None:
    arguments = ["uzchesscup.pgn", "-o", "book.xlsx", "--player", "Praggnanandhaa R"]
    assert run(folder, "import", *arguments) == (
        0,
        "read 45, kept 45, rejected 0, players 10: book.xlsx\n",
        "note: 36 games of other players are not in the journal\n"
        "note: initial rating 2767, as published before the first game (--start Praggnanandhaa R=RATING for another)\n",
    )
    assert "Dashboard" in openpyxl.load_workbook(folder / "book.xlsx").sheetnames


def test_import_of_a_report_counts_byes_and_forfeits_apart(folder: Path) -> None:
    report = Path(__file__).parent / "data/trf/javafo_example.trf"
    done = run(folder, "import", str(report), "-o", "book.xlsx", "--template", "event")
    assert done.out == "read 115, kept 89, rejected 26 (22 of them as points), players 52: book.xlsx\n"
    assert done.err.count("left out:") == done.err.count("absent: no game was played") == 4
    assert done.err.endswith("note: byes and forfeits (22) stand in the book as points, not rated\n")


def test_import_as_json(folder: Path) -> None:
    code, out, err = run(folder, "import", "league.csv", "-o", "book.xlsx", "--json")
    assert (code, err) == (0, "")
    assert json.loads(out) == {
        "schema": 1,
        "read": 5,
        "kept": 3,
        "unrated": 0,
        "rejected": 2,
        "problems": PROBLEMS,
        "players": 5,
        "output": "book.xlsx",
        "settings": SYSTEMS["elo"].settings(),
        "origins": dict.fromkeys(SYSTEMS["elo"].settings(), "default"),
        "notes": [],
    }


def test_a_dry_run_writes_nothing(folder: Path) -> None:
    before = files(folder)
    expected = Ran(0, "read 5, kept 3, rejected 2, players 5: nothing written\n", LEFT_OUT)
    assert run(folder, "import", "league.csv", "-o", "book.xlsx", "--dry-run") == expected
    assert files(folder) == before
    assert json.loads(run(folder, "import", "league.csv", "-o", "b.xlsx", "--dry-run", "--json").out)["output"] is None


def test_import_reads_standard_input_and_patterns(folder: Path) -> None:
    assert run(folder, "import", "-", "-o", "a.xlsx", stdin=LEAGUE).out.startswith("read 5, kept 3,")
    (folder / "more.csv").write_text("date,white,black,result\n2026-02-01,Player 2,Player 1,1-0\n", "utf-8")
    assert run(folder, "import", "*.csv", "-o", "b.xlsx").out == "read 6, kept 4, rejected 2, players 5: b.xlsx\n"


def test_import_follows_map_and_dates(folder: Path) -> None:
    (folder / "club.csv").write_text("Day;A;B;R\n03/04/2026;Player 1;Player 2;H\n", "utf-8")
    done = run(
        folder,
        *["import", "club.csv", "-o", "book.xlsx", "--dates", "dmy"],
        *["--map", "date=Day,white=A,black=B", "--map", "score=R"],
    )
    assert done == (
        0,
        "read 1, kept 1, rejected 0, players 2: book.xlsx\n",
        "note: the columns A and B go with the profile players: the book says Player 1 and Player 2; --profile NAME "
        "takes another sport's words (elo-sheets profiles), --profile none White and Black\n",
    )
    assert str(openpyxl.load_workbook(folder / "book.xlsx")["Games"]["B5"].value)[:10] == "2026-04-03"


@pytest.mark.parametrize(
    "arguments",
    [
        ("import", "league.csv", "-o", "book.xlsx"),
        ("replay", "league.csv", "-o", "h.csv"),
        ("new", "league", "-o", "n.xlsx"),
    ],
    ids=lambda arguments: arguments[0],
)
def test_an_existing_output_is_refused_without_force(folder: Path, arguments: tuple[str, ...]) -> None:
    target = folder / arguments[-1]
    target.write_bytes(b"mine")
    done = run(folder, *arguments)
    assert (done.code, done.out) == (2, "")
    assert done.err.endswith(f"elo-sheets: '{target.name}' exists; give --force to replace it\n")
    assert target.read_bytes() == b"mine"
    assert run(folder, *arguments, "--force").code == 0
    assert target.read_bytes() != b"mine"


# --- replay -------------------------------------------------------------------------------------------------


def test_replay_prints_the_final_table(folder: Path) -> None:
    assert run(folder, "replay", "league.csv") == (0, TABLE, LEFT_OUT)


def test_replay_reads_standard_input(folder: Path) -> None:
    assert run(folder, "replay", "-", stdin=LEAGUE) == (0, TABLE, LEFT_OUT.replace("league.csv", "stdin"))


def test_replay_of_one_player_uses_the_published_ratings(folder: Path) -> None:
    arguments = ["uzchesscup.pgn", "--player", "Praggnanandhaa R", "--system", "fide", "--set", "games=1000"]
    done = run(folder, "replay", *arguments)
    assert done.out == (
        "player            rating  games  wins  draws  losses  games_after  peak\n"
        "Praggnanandhaa R  2771.0      9     4      3       2         1009  2771\n"
    )


def test_replay_prints_the_history_for_a_dash(folder: Path) -> None:
    assert run(folder, "replay", "league.csv", "-o", "-") == (0, HISTORY, LEFT_OUT)


def test_replay_writes_the_history_as_csv(folder: Path) -> None:
    assert run(folder, "replay", "league.csv", "-o", "h.csv") == (0, TABLE, LEFT_OUT)
    assert (folder / "h.csv").read_text("utf-8") == HISTORY


def test_raw_leaves_names_as_they_are(folder: Path) -> None:
    run(folder, "replay", "league.csv", "-o", "h.csv", "--raw")
    assert (folder / "h.csv").read_text("utf-8") == HISTORY.replace("'=2+3", "=2+3")


def test_replay_writes_the_history_as_json(folder: Path) -> None:
    run(folder, "replay", "league.csv", "-o", "h.json")
    document = json.loads((folder / "h.json").read_text("utf-8"))
    assert list(document) == ["schema", "system", "settings", "history"]
    assert list(document["history"][0]) == HISTORY.split("\n", 1)[0].split(",")
    assert document["history"][-1]["rating_after"] == 1509.71225631668
    assert document["history"][2]["player"] == "=2+3"


def test_replay_writes_the_history_as_a_workbook(folder: Path) -> None:
    run(folder, "replay", "league.csv", "-o", "h.xlsx")
    rows = list(openpyxl.load_workbook(folder / "h.xlsx")["Replay"].iter_rows(values_only=True))
    assert list(rows[0]) == HISTORY.split("\n", 1)[0].split(",")
    assert rows[3][2] == "=2+3"
    assert rows[6][-2] == 1509.71225631668


def test_replay_as_json_has_full_precision(folder: Path) -> None:
    code, out, err = run(folder, "replay", "league.csv", "--json")
    document = json.loads(out)
    assert (code, err) == (0, "")
    assert list(document) == [
        *("schema", "system", "settings", "origins", "fitted", "ratings"),
        *("read", "kept", "rejected", "problems", "notes"),
    ]
    assert document["ratings"][1] == {
        "player": ">5",
        "rating": 1509.71225631668,
        "games": 1,
        "wins": 1,
        "draws": 0,
        "losses": 0,
    }
    assert document["settings"] == SYSTEMS["elo"].settings()
    assert document["settings"].items() >= {"initial": 1500, "k": 20, "scale": 400, "gap_rule": "none"}.items()
    assert (document["read"], document["kept"], document["rejected"]) == (5, 3, 2)
    assert document["problems"] == PROBLEMS


# --- validate -----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def league_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The league that import makes, with few spare rows."""
    folder = tmp_path_factory.mktemp("league")
    (folder / "league.csv").write_text(LEAGUE, encoding="utf-8")
    import_logs(folder / "league.csv", folder / "league.xlsx")
    return folder / "league.xlsx"


@pytest.fixture
def book(league_once: Path, folder: Path) -> Path:
    """A copy of it."""
    return Path(shutil.copy(league_once, folder / "book.xlsx"))


def version_of(engine: str) -> str:
    return ENGINES[engine].version()


def test_validate_agrees_with_a_new_book(book: Path) -> None:
    done = run(book.parent, "validate", "book.xlsx")
    head, recalculated, cells, games = done.out.splitlines()
    assert (done.code, done.err) == (0, "")
    assert head == "book.xlsx: agrees"
    assert recalculated == f"  league, elo; recalculated by ironcalc {version_of('ironcalc')}"
    assert re.fullmatch(r"  \d{4,5} formula cells compared, tolerance 1e-09 points", cells)
    assert games == "  games: 3 listed, 3 rated, 0 never rated"


@pytest.mark.parametrize(
    "engine",
    [
        "ironcalc",
        pytest.param("formualizer", marks=pytest.mark.formualizer),
        pytest.param("libreoffice", marks=pytest.mark.libreoffice),
    ],
)
def test_validate_as_json_with_every_engine(book: Path, engine: str) -> None:
    code, out, err = run(book.parent, "validate", "book.xlsx", "--engine", engine, "--json")
    document = json.loads(out)
    assert (code, err) == (0, "")
    assert document.pop("cells_checked") > 5_000
    assert document.pop("engine").items() >= {"name": engine, "recalculated": True}.items()
    assert document == {
        "schema": 1,
        "file": "book.xlsx",
        "status": "agrees",
        "reason": None,
        "layout": "league",
        "system": "elo",
        "tolerance": 1e-9,
        "games": {"listed": 3, "rated": 3, "never_rated": 0},
        "worst": None,
        "facts": {},
        "roles": [],
        "findings": [],
        "left_out": 0,
    }


def test_validate_finds_what_differs(book: Path) -> None:
    content = openpyxl.load_workbook(book)
    column = next(cell.column_letter for cell in content["Ledger"][4] if cell.value == "Change")
    content["Ledger"][f"{column}5"] = 99
    content.save(book)
    done = run(book.parent, "validate", "book.xlsx", "--json")
    document = json.loads(done.out)
    finding = document["findings"][0]
    assert (done.code, document["status"]) == (1, "differs")
    assert (finding["code"], finding["range"], finding["effect"]) == ("ES201", f"Ledger!{column}5", 89.0)
    assert (finding["expected"], finding["found"]) == (10.0, 99)
    assert run(book.parent, "validate", "book.xlsx").out.startswith("book.xlsx: differs\n")


@pytest.fixture(scope="module")
def faulty_once(league_once: Path) -> Path:
    """A league with a number typed over a formula, and a literal K."""
    content = openpyxl.load_workbook(league_once)
    columns = {cell.value: cell.column_letter for cell in content["Ledger"][4]}
    content["Ledger"][f"{columns['Change']}5"] = 99
    cell = content["Ledger"][f"{columns['K']}7"]
    cell.value = cell.value.replace("K_factor", "20")
    content.save(league_once.with_name("faulty.xlsx"))
    return league_once.with_name("faulty.xlsx")


@pytest.fixture
def faulty(faulty_once: Path, tmp_path: Path) -> Path:
    """A copy of it in a folder of its own."""
    return Path(shutil.copy(faulty_once, tmp_path))


def codes_of(folder: Path, *arguments: str) -> tuple[int, str, list[str], int]:
    """Exit code, status, codes of the findings above note, and how many were left out."""
    done = run(folder, "validate", "faulty.xlsx", "--json", *arguments)
    document = json.loads(done.out)
    codes = [one["code"] for one in document["findings"] if one["severity"] != "note"]
    return done.code, document["status"], codes, document["left_out"]


def test_findings_are_chosen_and_the_exit_code_follows(faulty: Path) -> None:
    assert codes_of(faulty.parent) == (1, "differs", ["ES201", "ES105"], 0)
    code, status, codes, left_out = codes_of(faulty.parent, "--select", "es1,VALUE-over-formula", "--ignore", "ES201")
    assert (code, status, codes) == (1, "differs", ["ES105"])
    assert left_out > 0
    assert codes_of(faulty.parent, "--ignore", "ES201", "--ignore", "ES1")[:3] == (0, "agrees", [])


def test_the_text_says_how_many_were_left_out(faulty: Path) -> None:
    done = run(faulty.parent, "validate", "faulty.xlsx", "--ignore", "ES105")
    assert done.code == 1
    assert "\n  left out as asked: 1 finding\n" in done.out
    assert "ES105" not in done.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--select", "ES7"), "expected a code or a name of a finding, got 'ES7'"),
        (("--ignore", "draw-not-hal"), "got 'draw-not-hal'; did you mean draw-not-half?"),
        (("--ignore", "ES1,"), "expected a code or a name of a finding, got ''"),
        (("--json", "--format", "sarif"), "--json and --format sarif contradict each other; give one of them"),
        (("--format", "xml"), "'xml' is not one of 'text', 'json', 'sarif'"),
        (("--annotate", "book.xlsx"), "'book.xlsx' is the workbook itself; give the copy another name"),
        (("--annotate", "copy.xls"), "expected a copy whose name ends in .xlsx, got 'copy.xls'"),
        (("--annotate", "taken.xlsx"), "'taken.xlsx' exists; give --force to replace it"),
    ],
    ids=lambda value: "_".join(value) if isinstance(value, tuple) else "",
)
def test_validate_refuses_options_that_make_no_sense(folder: Path, arguments: tuple[str, ...], message: str) -> None:
    openpyxl.Workbook().save(folder / "book.xlsx")
    (folder / "taken.xlsx").write_bytes(b"mine")
    done = run(folder, "validate", "book.xlsx", *arguments)
    assert (done.code, done.out) == (2, "")
    assert message in done.err
    assert (folder / "taken.xlsx").read_bytes() == b"mine"


def test_the_formats_say_the_same(faulty: Path) -> None:
    folder = faulty.parent
    plain, short, long, sarif = (
        run(folder, "validate", "faulty.xlsx", *arguments)
        for arguments in ((), ("--json",), ("--format", "json"), ("--format", "sarif"))
    )
    assert {plain.code, short.code, long.code, sarif.code} == {1}
    assert short.out == long.out
    assert run(folder, "validate", "faulty.xlsx", "--format", "text").out == plain.out
    log = json.loads(sarif.out)
    results = log["runs"][0]["results"]
    assert [one["ruleId"] for one in results] == [one["code"] for one in json.loads(short.out)["findings"]]
    assert log["runs"][0]["artifacts"] == [{"location": {"uri": "faulty.xlsx"}}]
    assert "\x1b" not in plain.out


def test_validate_writes_a_marked_copy(faulty: Path) -> None:
    folder, before = faulty.parent, faulty.read_bytes()
    done = run(folder, "validate", "faulty.xlsx", "--annotate", "copy.xlsx", "--ignore", "ES105")
    assert (done.code, done.err) == (1, "wrote copy.xlsx: 1 cell marked, the sheet 'Findings' lists the findings\n")
    assert faulty.read_bytes() == before
    sheet = openpyxl.load_workbook(folder / "copy.xlsx")["Findings"]
    assert "ES105" not in [cell.value for cell in sheet["C"]]
    assert "ES201" in [cell.value for cell in sheet["C"]]
    done = run(folder, "validate", "faulty.xlsx", "--annotate", "copy.xlsx", "--force", "--json")
    assert json.loads(done.out)["status"] == "differs"
    assert "ES105" in [cell.value for cell in openpyxl.load_workbook(folder / "copy.xlsx")["Findings"]["C"]]


def test_validate_prints_roles_when_asked(book: Path) -> None:
    assert "roles" not in run(book.parent, "validate", "book.xlsx").out
    assert "\n  roles: none found" in run(book.parent, "validate", "book.xlsx", "--show-roles").out


def test_a_book_of_somebody_else_is_not_checked(folder: Path) -> None:
    openpyxl.Workbook().save(folder / "other.xlsx")
    reason = "the book holds values and no formulas: there is nothing to recalculate"
    assert run(folder, "validate", "other.xlsx") == (4, f"other.xlsx: not checked: {reason}\n", "")
    document = json.loads(run(folder, "validate", "other.xlsx", "--json").out)
    assert (document["status"], document["reason"]) == ("unchecked", reason)
    assert document["engine"]["recalculated"] is False


def test_a_missing_engine_means_not_checked(book: Path) -> None:
    if sys.platform != "linux":
        pytest.skip("elsewhere LibreOffice is found in its usual folder")
    done = run(book.parent, "validate", "book.xlsx", "--engine", "libreoffice", PATH="")
    assert (done.code, done.err) == (4, "")
    assert done.out.startswith("book.xlsx: not checked: the engine libreoffice is not installed; install LibreOffice")


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("league.csv",), 3, "elo-sheets: cannot read 'league.csv': it is a text file of values, without formulas"),
        (("nowhere.xlsx",), 3, "elo-sheets: cannot read 'nowhere.xlsx': no such file or directory"),
        (("book.xlsx", "--engine", "abacus"), 2, "elo-sheets: expected an engine among ironcalc, formualizer, libre"),
        (("book.xlsx", "--tolerance", "-1"), 2, "Usage: elo-sheets validate [OPTIONS] BOOK\n"),
    ],
    ids=lambda value: "_".join(value) if isinstance(value, tuple) else "",
)
def test_validate_refuses(book: Path, arguments: tuple[str, ...], code: int, message: str) -> None:
    done = run(book.parent, "validate", *arguments)
    assert (done.code, done.out) == (code, "")
    assert done.err.startswith(message)


# --- what it refuses ----------------------------------------------------------------------------------------

BAD = {
    "none.csv": b"date,white,black,result\n",
    "self.csv": b"date,white,black,result\n2026-01-02,Player 1,Player 1,1-0\n",
    "binary.csv": b"\x00\x01\x02\xff",
    "days.csv": b"date,white,black,result\n03/04/2026,Player 1,Player 2,1-0\n",
}


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("none.csv",), 3, "note: no rows below the header\n{nothing}"),
        (("self.csv", "--json"), 3, "{nothing}"),
        (("nowhere.txt",), 3, "elo-sheets: there is no file 'nowhere.txt'\n"),
        (
            ("binary.csv",),
            3,
            "elo-sheets: expected a log of games, got a binary file (binary.csv); save it as CSV or PGN\n",
        ),
        (
            ("days.csv",),
            3,
            "elo-sheets: expected dates that can be read in one way only, got '03/04/2026' (days.csv, row 2, "
            "column 'date'); say which comes first with --dates dmy|mdy|ymd\n",
        ),
        (
            ("league.csv", "--template", "ladder"),
            2,
            f"elo-sheets: expected a template ({', '.join(NAMES)}, table, or a TOML file), got 'ladder'\n",
        ),
        (
            ("league.csv", "--system", "eloo"),
            2,
            f"elo-sheets: expected a rating system ({', '.join(SYSTEMS)}, or FILE.py:NAME), got 'eloo'; "
            "did you mean elo?\n",
        ),
        (
            ("league.csv", "--set", "kk=3"),
            2,
            "elo-sheets: system elo has no setting 'kk'; did you mean k? "
            f"(it has {', '.join(p.name for p in SYSTEMS['elo'].parameters)})\n",
        ),
        (("league.csv", "--set", "k=-1"), 2, "elo-sheets: expected k to be a number from 0 to 1e+06, got '-1'\n"),
        (
            ("league.csv", "--set", "gap_rule=cap500"),
            2,
            "elo-sheets: expected gap_rule to be one of none, cap400, fide2650, got 'cap500'\n",
        ),
        (
            ("league.csv", "--set", "k"),
            2,
            "Usage: elo-sheets import [OPTIONS] LOG…\nTry 'elo-sheets import --help' for help.\n\n"
            "Error: Invalid value for '--set': expected name=value, got 'k'\n",
        ),
        (
            ("league.csv", "--system", "uschess"),
            2,
            "elo-sheets: template league needs a system that rates game by game or by periods, in steps that are "
            "formulas; uschess rates many games at once; league holds elo, fide, ecf, ecf-grade, dwz, ingo, egf, "
            "world-football, fifa, nba, nfl, tennis, glicko, glicko2, lichess, trueskill, weng-lin; the template event "
            "holds uschess, and replay gives the numbers alone\n",
        ),
        (("league.csv", "--template", "journal"), 2, "elo-sheets: a journal is one player's: give --player NAME\n"),
        (
            ("league.csv", "--player", "Player 9"),
            2,
            "elo-sheets: no game of 'Player 9' in the log; did you mean Player 1 or Player 2?\n",
        ),
    ],
    ids=lambda value: "_".join(value) if isinstance(value, tuple) else "",
)
def test_import_refuses(folder: Path, arguments: tuple[str, ...], code: int, message: str) -> None:
    for name, content in BAD.items():
        (folder / name).write_bytes(content)
    before = files(folder)
    done = run(folder, "import", *arguments, "-o", "book.xlsx")
    nothing = "elo-sheets: no game could be used, so no workbook was written\n"
    expected = message.replace("{nothing}", nothing)
    told = done.err.replace("import -h'", "import --help'")  # click 8.1 names the shorter one
    assert (done.code, told) == (code, expected)
    assert files(folder) == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("new", "ladder", "-o", "b.xlsx"),
            f"elo-sheets: expected a template ({', '.join(NAMES)}, table, or a TOML file), got 'ladder'\n",
        ),
        (("new", "league", "-o", "b.xlsx", "--rows", "0"), "elo-sheets: expected from 1 to 100000 rows, got 0\n"),
        (
            ("new", "league", "-o", "none/b.xlsx"),
            "elo-sheets: the folder 'none' does not exist; create it or choose another output\n",
        ),
        (
            ("replay", "league.csv", "-o", "h.txt"),
            "elo-sheets: expected an output ending in .csv, .json, .parquet or .xlsx, got 'h.txt'\n",
        ),
        (("ladder",), "Error: No such command 'ladder'.\n"),
        (("import", "league.csv"), "Error: Missing option '-o' / '--output'.\n"),
    ],
    ids=lambda value: "_".join(value) if isinstance(value, tuple) else "",
)
def test_wrong_usage_is_code_2(folder: Path, arguments: tuple[str, ...], message: str) -> None:
    done = run(folder, *arguments)
    assert (done.code, done.out) == (2, "")
    assert done.err.endswith(message)
    assert not (folder / "h.txt").exists()


def test_replay_of_a_log_without_a_game_is_code_3(folder: Path) -> None:
    (folder / "none.csv").write_bytes(BAD["none.csv"])
    done = run(folder, "replay", "none.csv")
    assert done.code == 3
    assert done.err == "note: no rows below the header\nelo-sheets: no game could be used\n"


# --- what there is ------------------------------------------------------------------------------------------


def test_systems_are_printed_from_the_code(folder: Path) -> None:
    listed = json.loads(run(folder, "systems", "--json").out)["systems"]
    assert [record["name"] for record in listed] == list(SYSTEMS)
    for record, system in zip(listed, SYSTEMS.values(), strict=True):
        assert [p["name"] for p in record["parameters"]] == [p.name for p in system.parameters]
        assert record["about"] == system.about
    text = run(folder, "systems").out
    assert all(f"\n{name} " in text for name in SYSTEMS)
    assert "  expected = 1/(1+10^(-difference/scale))\n" in run(folder, "systems", "elo").out
    normal = run(folder, "systems", "elo", "--set", "curve=normal").out
    assert "  expected = NORMSDIST(difference/(scale*5/7))\n" in normal


def test_templates_are_printed_from_the_code(folder: Path) -> None:
    listed = json.loads(run(folder, "templates", "--json").out)["templates"]
    assert [record["name"] for record in listed] == list(LISTED)
    text = run(folder, "templates").out
    for record in listed:
        assert f"{record['name']}: {record['about']}\n  sheets: {', '.join(record['sheets'])}\n" in text


@pytest.mark.parametrize("name", NAMES)
def test_a_template_is_described_by_its_columns_and_formulas(name: str, folder: Path) -> None:
    columns = json.loads(run(folder, "templates", name, "--json").out)["columns"]
    text = run(folder, "templates", name).out
    assert {column["sheet"] for column in columns} <= set(text.splitlines())
    assert any(column["is_input"] for column in columns)
    assert all(column["formula"] is None or column["formula"].startswith("=") for column in columns)


def test_version(folder: Path) -> None:
    assert run(folder, "--version") == (0, f"elo-sheets, version {elo_sheets.__version__}\n", "")


@pytest.mark.parametrize("name", ["", *cli.commands])
def test_help_ends_with_an_example(folder: Path, name: str) -> None:
    short = run(folder, *filter(None, [name]), "-h")
    assert short == run(folder, *filter(None, [name]), "--help")
    assert (short.code, short.err) == (0, "")
    examples = short.out.partition("Example")[2]
    assert f"  elo-sheets {name}" in examples


def test_the_module_runs_as_the_command(folder: Path) -> None:
    done = subprocess.run([sys.executable, "-m", "elo_sheets", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"elo-sheets, version {elo_sheets.__version__}\n"


# --- the same input, the same bytes -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "arguments",
    [
        ("new", "journal"),
        ("new", "league"),
        ("import", "league.csv"),
        ("import", "uzchesscup.pgn", "--player", "Sindarov, Javokhir", "--system", "fide"),
        ("replay", "league.csv"),
    ],
    ids=" ".join,
)
def test_two_runs_give_the_same_bytes(folder: Path, arguments: tuple[str, ...]) -> None:
    made = []
    for number, environment in enumerate(
        [
            {"PYTHONHASHSEED": "1", "TZ": "UTC", "LC_ALL": "C.UTF-8"},
            {"PYTHONHASHSEED": "2", "TZ": "Pacific/Auckland", "LC_ALL": "de_DE.UTF-8"},
        ]
    ):
        done = run(folder, *arguments, "-o", f"book{number}.xlsx", **environment)
        assert done.code == 0, done.err
        made.append((folder / f"book{number}.xlsx").read_bytes())
    assert made[0] == made[1]


@pytest.mark.parametrize(
    "arguments", [("import", "-o", "copy.csv"), ("import", "-o", "out.csv"), ("new", "-o", "out.csv")]
)
def test_an_output_of_the_wrong_kind_or_on_top_of_a_log_is_refused(folder: Path, arguments: tuple[str, ...]) -> None:
    (folder / "copy.csv").write_text(LEAGUE)
    first = "copy.csv" if arguments[0] == "import" else "league"
    done = run(folder, arguments[0], first, *arguments[1:], "--force")
    assert (done.code, done.out) == (2, "")
    assert (folder / "copy.csv").read_text() == LEAGUE


def test_a_history_never_replaces_the_log_it_is_made_from(folder: Path) -> None:
    (folder / "copy.csv").write_text(LEAGUE)
    done = run(folder, "replay", "copy.csv", "-o", "copy.csv", "--force")
    assert done.code == 2
    assert "is a log that is being read" in done.err
    assert (folder / "copy.csv").read_text() == LEAGUE


def test_the_smallest_book_agrees(folder: Path) -> None:
    for name in NAMES:
        assert run(folder, "new", name, "-o", f"{name}.xlsx", "--rows", "1").code == 0
        assert run(folder, "validate", f"{name}.xlsx").code == 0


def test_rows_are_for_books_of_games(folder: Path) -> None:
    done = run(folder, "new", "calculator", "-o", "c.xlsx", "--rows", "9")
    assert (done.code, done.err) == (0, "note: template calculator has no rows of games: --rows says nothing there\n")
    assert run(folder, "new", "event", "-o", "e.xlsx", "--rows", "9").err == ""


def test_a_number_below_0_is_no_option(tmp_path: Path) -> None:
    done = run(tmp_path, "match", "1.5", "-2.3", "--go", "aga")
    assert done == run(tmp_path, "match", "--go", "aga", "--", "1.5", "-2.3")
    assert done.code == 0
    misspelt = run(tmp_path, "match", "1.5", "-2.3", "--bset", "3").err
    assert all(part in misspelt for part in ("No such option", "--bset"))  # click 8.1 has a colon between them
    assert "extra argument (-4)" in run(tmp_path, "match", "1.5", "-2.3", "-4").err


def test_new_takes_its_template_as_import_does_too(tmp_path: Path) -> None:
    assert run(tmp_path, "new", "--template", "calculator", "-o", "a.xlsx").code == 0
    done = run(tmp_path, "new", "league", "--template", "event", "-o", "b.xlsx")
    assert (done.code, "got 'event' and 'league'" in done.err) == (2, True)
    assert "elo-sheets new league -o b.xlsx, got none" in run(tmp_path, "new", "-o", "b.xlsx").err
