"""Logs that are no CSV: workbooks, archives, JSON, pages and crosstables; each row of them is a game or a problem."""

from __future__ import annotations

import io
import json
import zipfile
from collections import Counter
from datetime import date, datetime
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from click.testing import CliRunner

from elo_sheets.cli import cli
from elo_sheets.errors import UnreadableInput, UsageError
from elo_sheets.games import GamesRead
from elo_sheets.readers import read
from elo_sheets.readers.fixtures import read_fixtures

HERE = Path(__file__).parents[1] / "data"
SAMPLES = Path(__file__).parents[2] / "samples"
SHARED = Path(__file__).parents[3] / "shared/data/crosstables"  # extra: skipped where it is not there


def book(path: Path, **sheets: list[list[Any]]) -> Path:
    made = openpyxl.Workbook()
    made.remove(made.active)
    for name, rows in sheets.items():
        sheet = made.create_sheet(name)
        for row in rows:
            sheet.append(row)
    made.save(path)
    return path


def games_of(data: bytes | Path, **how: Any) -> GamesRead:
    found = read([data], **how)
    assert found.read == found.kept + found.rejected
    return found


def pairs(found: GamesRead) -> list[tuple[str, str, float]]:
    return list(found.games[["white", "black", "score"]].itertuples(index=False, name=None))


# --- workbooks


@pytest.mark.parametrize("ending", ["xls", "ods"])
def test_a_club_s_workbook_is_read_below_its_title(ending: str) -> None:
    found = games_of(HERE / "logs" / f"club.{ending}")
    assert pairs(found) == [
        ("Player 1", "Player 2", 1.0),
        ("Player 3", "Player 4", 0.5),
        ("Player 2", "Player 3", 0.0),
    ]
    assert found.games["date"].dt.date.tolist() == [date(2026, 1, 5)] * 2 + [date(2026, 1, 12)]
    (problem,) = found.problems
    assert (problem.source.rpartition(", ")[2], problem.row, problem.reason) == (
        "January",
        7,
        "unfinished or without a result",
    )


def test_a_workbook_is_known_by_its_content_and_read_from_bytes(tmp_path: Path) -> None:
    path = book(tmp_path / "log.xlsx", Games=[["White", "Black", "Result"], ["Ann", "Bob", "1-0"]])
    renamed = path.rename(tmp_path / "log.csv")
    assert pairs(games_of(renamed)) == pairs(games_of(renamed.read_bytes())) == [("Ann", "Bob", 1.0)]


def test_months_on_sheets_of_their_own_are_one_log_and_lists_that_differ_are_asked_for(tmp_path: Path) -> None:
    header = ["Date", "White", "Black", "Result"]
    months = book(
        tmp_path / "months.xlsx",
        January=[header, [date(2026, 1, 5), "Ann", "Bob", "1-0"]],
        Notes=[["Bring a clock"]],
        February=[header, [date(2026, 2, 5), "Bob", "Ann", "1-0"]],
    )
    assert [name.rpartition(", ")[2] for name in games_of(months).games["source"]] == ["January", "February"]
    mixed = book(
        tmp_path / "mixed.xlsx",
        League=[header, [date(2026, 1, 5), "Ann", "Bob", "1-0"]],
        Blitz=[["Winner", "Loser"], ["Ann", "Bob"]],
    )
    with pytest.raises(UnreadableInput, match=r"'League', 'Blitz'.*--sheet"):
        read([mixed])
    assert pairs(games_of(mixed, sheet="blitz")) == pairs(games_of(mixed, sheet="2")) == [("Ann", "Bob", 1.0)]
    with pytest.raises(UsageError, match="did you mean 'Blitz'"):
        read([mixed], sheet="Blits")


def test_seasons_on_sheets_of_their_own_have_the_years_of_their_names_and_differ_by_their_days_alone(
    tmp_path: Path,
) -> None:
    header = ["When", "White", "Black", "Result"]
    seasons = book(
        tmp_path / "seasons.xlsx",
        **{
            "Cup 2021": [header, ["3/2", "Ann", "Bob", "1-0"], ["14/2", "Bob", "Ann", "1-0"]],
            "Cup 2022": [["A new cup"], header, [date(2022, 1, 5), "Ann", "Bob", "1-0"]],
        },
    )
    assert [str(day)[:10] for day in games_of(seasons).games["date"]] == ["2021-02-03", "2021-02-14", "2022-01-05"]


def test_a_month_that_stands_between_games_is_no_header_of_a_table(tmp_path: Path) -> None:
    games = [("Eve", 1, 4, "Ann"), ("Cid", 4, 1, "Dan"), ("Fay", 4, 2, "Cid"), ("Eve", 4, 2, "Bob")]
    nights = {
        month: [
            [date(2025, month, 2), home, 51.5 + legs, legs, "-", other, 49.5 + other, away]
            for home, legs, other, away in games
        ]
        for month in (5, 6)
    }
    total = ["Total", None, None, 13]
    header = ["Night", "Home", "Mean", "Legs", None, "Legs", "Mean", "Away"]
    rows = [["The Anchor"], header, ["May"], *nights[5], total, ["June"], *nights[6], total]
    found = pairs(games_of(book(tmp_path / "nights.xlsx", Games=rows)))
    assert [score for _, _, score in found] == [0, 1, 1, 1] * 2


def test_a_list_beside_the_games_and_merged_days_do_no_harm(tmp_path: Path) -> None:
    path = book(
        tmp_path / "log.xlsx",
        Games=[
            ["Date", "White", "Black", "Result", None, "Place", "Name"],
            [date(1920, 1, 5), "Ann", "Bob", "1-0", None, 1, "Ann"],
            [None, "Bob", "Cid", 0.5, None, 2, "Bob"],
            [None, None, None, None, None, 3, "Cid"],
        ],
    )
    made = openpyxl.load_workbook(path)
    made["Games"].merge_cells("A2:A3")
    made.save(path)
    found = games_of(path)
    assert (found.kept, found.rejected) == (2, 0)
    assert found.games["date"].dt.date.tolist() == [date(1920, 1, 5)] * 2


def test_errors_of_formulas_are_no_players_and_formulas_without_values_are_named(tmp_path: Path) -> None:
    path = book(
        tmp_path / "log.xlsx",
        Games=[["White", "Black", "Result"], ["Ann", "=NA()", "1-0"], ["#REF!", "Bob", "1-0"], ["Ann", "Bob", "1-0"]],
    )
    found = games_of(path)
    assert [problem.row for problem in found.problems] == [2, 3]
    assert any("1 formulas of the sheet 'Games' have no stored value" in note for note in found.notes)


def test_a_sheet_of_a_month_may_number_its_days(tmp_path: Path) -> None:
    head = ["Day", "White", "Black", "Result"]
    rows = [
        head,
        [3, "Player 1", "Player 2", "1-0"],
        [3, "Player 2", "Player 3", "0-1"],
        [17, "Player 1", "Player 3", "1-0"],
    ]
    found = games_of(book(tmp_path / "club.xlsx", **{"Nov 2024": rows, "2024-12": [head, [8, *rows[1][1:]]]}))
    assert [f"{day:%Y-%m-%d}" for day in found.games["date"]] == ["2024-11-03"] * 2 + ["2024-11-17", "2024-12-08"]
    counted = [head, *([day, *rows[1][1:]] for day in (1, 2, 3))]  # the days of a tournament
    assert games_of(book(tmp_path / "cup.xlsx", **{"Nov 2024": counted})).games["date"].isna().all()


@pytest.mark.parametrize(
    "above", ["<h2>Rond {at} (2026-01-{day})</h2>", "<p><b>{at}. Runde, {day}. Januar 2026</b></p>"]
)
def test_what_stands_above_a_table_of_a_page_tells_its_round_and_day(above: str) -> None:
    tables = ""
    for at, game in enumerate(("<td>Ann<td>Bob<td>1-0", "<td>Cid<td>Ann<td>0-1", "<td>Bob<td>Cid<td>1-0"), 1):
        tables += above.format(at=at, day=11 + at) if at < 3 else "<h2>Friendly games</h2>"
        tables += f"<table><tr><th>White<th>Black<th>Result<tr>{game}</table>"
    found = read([f"<html><body><h1>Club cup</h1>{tables}</body></html>".encode()])
    assert found.games["date"].dt.strftime("%m-%d").fillna("").tolist() == ["01-12", "01-13", ""]
    assert found.games["round"].fillna("").tolist() == ["1", "2", ""]
    bare = "<tr><th>Home<th><th>Away<tr><td>Reds<td>3-1<td>Blues<tr><td>Owls<td>0-0<td>Rooks"
    bare = f"<html><h3>Monday 12 January 2026</h3><table>{bare}</table>"
    assert read([bare.encode()]).games["date"].dt.day.tolist() == [12, 12]


def test_a_hidden_sheet_of_games_is_left_out_with_a_word(tmp_path: Path) -> None:
    head = ["Date", "White", "Black", "Result"]
    path = book(
        tmp_path / "seasons.xlsx",
        Now=[head, ["2026-01-05", "Ann", "Bob", "1-0"]],
        Before=[head, ["2025-01-05", "Bob", "Ann", "1-0"], ["2025-01-06", "Bob", "Ann", "1-0"]],
        Names=[["Ann"], ["Bob"]],
    )
    made = openpyxl.load_workbook(path)
    made["Before"].sheet_state = made["Names"].sheet_state = "hidden"
    made.save(path)
    found = read([path])
    assert (found.kept, [note for note in found.notes if "hidden" in note]) == (
        1,
        ["'Before' is hidden and was left out, though games stand there: --sheet NAME reads one of them alone"],
    )
    assert read([path], sheet="Before").kept == 2


def test_rounds_in_a_column_apart_from_the_games_tell_their_days(tmp_path: Path) -> None:
    head = ["Board", "Nr", None, "Name", "Result", "Name", "Nr"]
    rows = [["Round 1 on 2024/04/20 at 10:00"], head, [1, 1, None, "Ann", "1-0", "Bob", 2]]
    rows += [["Round 2 on 2024/04/27 at 10:00"], head, [1, 3, None, "Cid", "0-1", "Ann", 1]]
    found = read([book(tmp_path / "pairings.xlsx", Pairings=rows)])
    assert found.games["date"].dt.strftime("%m-%d").tolist() == ["04-20", "04-27"]


def test_a_forms_sheet_and_headers_with_remarks_are_understood(tmp_path: Path) -> None:
    path = book(
        tmp_path / "answers.xlsx",
        Form=[
            ["Timestamp", "Player (your name)", "Opponent [full name]", "Game Result (W/L/D)"],
            [datetime(2026, 1, 5, 18, 30), "Ann", "Bob", "W"],
            [datetime(2026, 1, 6, 19, 0), "Bob", "Cid", "D"],
        ],
    )
    found = games_of(path)
    assert pairs(found) == [("Ann", "Bob", 1.0), ("Bob", "Cid", 0.5)]
    assert found.games["date"].iloc[0] == datetime(2026, 1, 5, 18, 30)


@pytest.mark.parametrize(("name", "log"), [("nfl_1920", "csv"), ("internationals_1900s", "csv")])
def test_the_games_of_a_book_of_ours_are_those_of_its_log(name: str, log: str) -> None:
    old, new = games_of(SAMPLES / f"{name}.{log}"), games_of(SAMPLES / f"{name}.xlsx")
    assert pairs(old) == pairs(new)
    assert not any("rating" in column for column in new.games)  # what its formulas say is nothing published


def test_the_journal_of_a_book_of_ours_is_its_owner_s() -> None:
    found = games_of(SAMPLES / "uzchesscup.xlsx")
    assert ((found.games["white"] == "Praggnanandhaa R") | (found.games["black"] == "Praggnanandhaa R")).all()


def test_replay_and_import_take_a_book(tmp_path: Path) -> None:
    log, old, new = SAMPLES / "nfl_1920.csv", SAMPLES / "nfl_1920.xlsx", tmp_path / "new.xlsx"
    asked = ["--set", "k=40", "--start", "none"]
    one, two = (CliRunner().invoke(cli, ["replay", str(path), *asked]) for path in (log, old))
    assert one.exit_code == two.exit_code == 0
    assert one.stdout == two.stdout
    assert CliRunner().invoke(cli, ["import", str(old), "-o", str(new)]).exit_code == 0
    assert pairs(games_of(new)) == pairs(games_of(old))


def test_sheet_is_refused_where_there_are_no_sheets() -> None:
    with pytest.raises(UsageError, match=r"--sheet.*leave it out"):
        read([b"white,black,result\nAnn,Bob,1-0\n"], sheet="Games")


# --- archives


def test_an_archive_of_logs_is_read_whole_and_what_is_no_log_is_named(tmp_path: Path) -> None:
    path = tmp_path / "season.zip"
    inner = book(tmp_path / "b.xlsx", Games=[["White", "Black", "Result"], ["Cid", "Dan", "0-1"]])
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.csv", "white,black,result\nAnn,Bob,1-0\n")
        archive.write(inner, "sub/b.xlsx")
        archive.writestr("photo.png", b"\x89PNG\r\n\x1a\n" + bytes(100))
        archive.writestr("__MACOSX/a.csv", b"\0\1")
    found = games_of(path)
    assert pairs(found) == [("Ann", "Bob", 1.0), ("Cid", "Dan", 0.0)]
    assert found.games["source"].tolist() == [f"{path}/a.csv", f"{path}/sub/b.xlsx, Games"]
    (note,) = [note for note in found.notes if "left out" in note]
    assert "photo.png" in note


def test_an_archive_that_exhausts_its_reader_or_holds_nothing_is_refused(tmp_path: Path) -> None:
    bomb, empty = tmp_path / "bomb.zip", tmp_path / "empty.zip"
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.csv", b"0" * (300 << 20))
    with zipfile.ZipFile(empty, "w") as archive:
        archive.writestr("photo.png", b"\x89PNG" + bytes(100))
    with pytest.raises(UnreadableInput, match=r"a.csv"):
        read([bomb])
    with pytest.raises(UnreadableInput, match=r"without|got none.*photo.png"):
        read([empty])


# --- JSON

LICHESS = {
    "id": "q7ZvsdUF",
    "rated": True,
    "variant": "standard",
    "speed": "blitz",
    "perf": "blitz",
    "createdAt": 1514505150384,
    "status": "draw",
    "players": {
        "white": {"user": {"name": "Player 1", "id": "player1"}, "rating": 2390},
        "black": {"user": {"name": "Player 2", "id": "player2"}, "rating": 2544},
    },
    "opening": {"eco": "D31", "name": "Semi-Slav Defense: Marshall Gambit", "ply": 7},
    "clock": {"initial": 300, "increment": 3, "totalTime": 420},
}


def test_the_game_export_of_lichess_is_read_line_by_line() -> None:
    won = LICHESS | {"id": "aaaaaaaa", "status": "mate", "winner": "black"}
    casual, open_ = LICHESS | {"id": "bbbbbbbb", "rated": False}, LICHESS | {"id": "cccccccc", "status": "started"}
    data = "\n".join([json.dumps(LICHESS), json.dumps(won), "{oops", json.dumps(casual), json.dumps(open_), ""])
    found = games_of(data.encode())
    assert pairs(found) == [("Player 1", "Player 2", 0.5), ("Player 1", "Player 2", 0.0)]
    first = found.games.iloc[0]
    assert (first["date"], first["white_rating"], first["pool"]) == (datetime(2017, 12, 28, 23, 52, 30), 2390, "blitz")
    assert (first["time_control"], first["eco"]) == ("300+3", "D31")
    assert [problem.row for problem in found.problems] == [3, 4, 5]


def test_a_monthly_archive_of_chess_com_follows_its_owner_s_rating() -> None:
    def game(number: int, white: str, result: str, rating: int) -> dict[str, Any]:
        other = {"win": "resigned"}.get(result, "agreed" if result == "agreed" else "win")
        return {
            "url": f"https://www.chess.com/game/live/{number}",
            "time_control": "180",
            "end_time": 1700000000 + number,
            "rated": True,
            "time_class": "blitz",
            "rules": "chess",
            "white": {"rating": rating, "result": result, "username": white},
            "black": {"rating": 1500, "result": other, "username": f"Player {number + 5}"},
        }

    games = [
        game(1, "Player 1", "win", 1510),
        game(2, "Player 1", "agreed", 1508),
        game(3, "Player 1", "timeout", 1500),
    ]
    found = games_of(json.dumps({"games": games}).encode())
    assert [score for *_, score in pairs(found)] == [1.0, 0.5, 0.0]
    assert found.games["white_rating"].tolist()[1:] == [1510, 1508]  # after the game before
    assert found.games["white_rating_after"].tolist() == [1510, 1508, 1500]


def test_records_of_any_other_kind_are_named_by_their_paths() -> None:
    data = {"meta": {"n": 2}, "rows": [{"when": 1700000000, "p": [{"n": "Ann"}, {"n": "Bob"}], "end": "1-0"}, 7]}
    asked = {"date": "when", "white": "p.1.n", "black": "p.2.n", "score": "end"}
    found = games_of(json.dumps(data).encode(), columns=asked)
    assert pairs(found) == [("Ann", "Bob", 1.0)]
    assert found.games["date"].iloc[0] == datetime(2023, 11, 14, 22, 13, 20)
    assert [(problem.row, problem.value) for problem in found.problems] == [(2, "7")]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b'{"a": ' * 100_000, "levels|none"),
        (b"[" * 100_000 + b'{"a":1}', "levels|none|headers"),
        (json.dumps([{f"k{i}-{j}": 1 for j in range(50)} for i in range(50)]).encode(), "one kind"),
        (b'{"games": []}', "without any|headers"),
        (b'{"a": 1', "none"),
    ],
)
def test_json_that_is_none_or_built_to_exhaust_its_reader_is_refused(data: bytes, message: str) -> None:
    with pytest.raises(UnreadableInput, match=message):
        read([data])


# --- pages and crosstables

CROSS = [
    ["No.", "", "Name", "Rtg", "FED", "1.Rd", "2.Rd", "3.Rd", "Rk.", "Pts"],
    ["1", "GM", "Player 1", "2400", "ENG", "3w1", "2b½", "-½", "1", "2"],
    ["2", "", "Player 2", "2300", "ENG", "4b1", "1w½", "3b", "2", "1,5"],
    ["3", "FM", "Player 3", "", "NGR", "1b0", "4w+", "2w", "3", "1"],
    ["4", "", "Player 4", "2100", "", "2w0", "3b-", "bye", "4", "1"],
]


def page_of(rows: list[list[str]], head: str = "<h2>Club open</h2><h2>Starting rank crosstable</h2>") -> bytes:
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    days = "<table><tr><td>Date</td><td>2026/01/05 to 2026/01/07</td></tr></table>"
    return f"<!DOCTYPE html><html><body><script>1<2</script>{head}{days}<table>{body}</table></body></html>".encode()


def csv_of(rows: list[list[str]]) -> bytes:
    return "\n".join(";".join(row) for row in rows).encode()


EXPECTED = [("Player 1", "Player 3", 1.0), ("Player 4", "Player 2", 0.0), ("Player 2", "Player 1", 0.5)]


@pytest.mark.parametrize("kind", ["page", "csv", "xlsx"])
def test_a_crosstable_is_its_games_by_rounds_with_ratings(kind: str, tmp_path: Path) -> None:
    path = book(tmp_path / "cross.xlsx", Cross=[["Club open"], [], *CROSS])
    found = games_of({"page": page_of(CROSS), "csv": csv_of(CROSS), "xlsx": path.read_bytes()}[kind])
    assert pairs(found) == EXPECTED
    assert found.games["round"].tolist() == ["1", "1", "2"]
    assert found.games["white_rating"].tolist()[:2] == [2400, 2100]
    reasons = Counter(problem.reason.partition(":")[0].partition(",")[0] for problem in found.problems)
    assert reasons == {"decided by forfeit": 1, "a half-point bye": 1, "a bye": 1, "unfinished or without a result": 1}
    assert [one["title"] for one in found.games.attrs["entrants"]] == ["GM", None, "FM", None]
    if kind == "page":
        assert set(found.games["event"]) == {"Club open"}
        assert set(found.games["date"].dt.date) == {date(2026, 1, 5)}


def test_a_ranking_crosstable_counts_by_places_and_its_open_pairings_are_fixtures() -> None:
    places = {"1": "2", "2": "4", "3": "1", "4": "3"}
    rows = [
        [
            cell.replace(cell[0], places[cell[0]], 1) if cell[:1] in places and at in (5, 6, 7) else cell
            for at, cell in enumerate(row)
        ]
        for row in CROSS[1:]
    ]
    turned = [["No.", *CROSS[0][1:]], *([*row[:8], places[row[0]], row[9]] for row in rows)]
    assert sorted(pairs(games_of(csv_of(turned)))) == sorted(EXPECTED)
    left = read_fixtures([csv_of(CROSS)])
    assert [tuple(row) for row in left.games[["white", "black"]].values] == [("Player 3", "Player 2")]


def test_rows_of_a_crosstable_that_contradict_each_other_are_kept_out() -> None:
    rows = [list(row) for row in CROSS]
    rows[1][5] = "3w½"
    found = games_of(csv_of(rows))
    assert any("disagree" in problem.reason for problem in found.problems)
    assert ("Player 1", "Player 3", 0.5) not in pairs(found)


def test_a_page_of_pairings_tells_round_and_day_by_its_heading() -> None:
    rows = [["Bo.", "White", "Result", "Black"], ["1", "Ann", "1 - 0", "Bob"], ["2", "Cid", "½ - ½", "Dan"]]
    found = games_of(page_of(rows, "<h2>Club open</h2><h3>Round 4 on 2026/02/03</h3>").replace(b"Date", b"Place"))
    assert found.games["round"].tolist() == ["4", "4"]
    assert set(found.games["date"].dt.date) == {date(2026, 2, 3)}


def test_hostile_pages_are_refused_or_read_within_limits() -> None:
    wide = b"<html><table>" + b"<tr><td colspan=99999 rowspan=99999>x</td></tr>" * 100
    for data in (wide, b"<html>" + b"<table>" * 20_000, b"<html><!--" * 2_000):
        with pytest.raises(UnreadableInput):
            read([data])


@pytest.mark.skipif(not SHARED.is_dir(), reason="real pages are not part of the project")
@pytest.mark.parametrize(
    ("name", "points"), [("british2026_champ_crosstable_final", 16), ("frome2026_open_crosstable", 11)]
)
def test_the_points_of_a_real_page_are_those_of_its_games_and_byes(name: str, points: int) -> None:
    from elo_sheets.readers._registry import How, OpenLog
    from elo_sheets.readers.page import page_tables

    path = SHARED / f"{name}.html"
    found = games_of(path)
    scored: Counter[str] = Counter()
    for white, black, score in pairs(found):
        scored[white] += score
        scored[black] += 1 - score
    for pairing in found.games.attrs["unplayed"]:
        for side, own in zip(("white", "black"), pairing["points"], strict=True):
            if pairing[side] is not None:
                scored[pairing[side]] += own
    data = path.read_bytes()
    tables = page_tables(OpenLog(name, data[:9], io.BytesIO(data)), How())
    rows = next(one.rows for one in tables if any("1.Rd" in row.cells for row in one.rows[:1]))
    told = {row.cells[3 if points == 16 else 2]: float(row.cells[points].replace(",", ".")) for row in rows[1:]}
    assert {name: scored[name] for name in told} == told


# --- a reader of one's own


OWN = """
from elo_sheets.readers import Problem, Reader, Reading, Row, Table, read_table

def fits(log, how):
    return log.head.startswith(b"CLUB")

def read(log, how):
    rows = [Row(0, ["white", "black", "result"])]
    for number, line in enumerate(log.stream.read().decode().splitlines(), 1):
        if number > 1:
            rows.append(Row(number, line.split("/")))
    yield read_table(Table(log.name, rows), how)

READER = Reader("club", fits, read)
WRONG = 7
"""


def test_a_reader_of_one_s_own_is_asked_first(tmp_path: Path) -> None:
    code, log = tmp_path / "club.py", tmp_path / "log.txt"
    code.write_text(OWN, encoding="utf-8")
    log.write_text("CLUB 1\nAnn/Bob/1-0\nAnn/Cid/?\n", encoding="utf-8")
    other = b"white,black,result\nDan,Eve,0-1\n"
    found = read([log, other], reader=f"{code}:READER")
    assert pairs(found) == [("Ann", "Bob", 1.0), ("Dan", "Eve", 0.0)]
    assert [problem.row for problem in found.problems] == [3]
    done = CliRunner().invoke(cli, ["replay", str(log), "--reader", f"{code}:READER", "--json"])
    assert json.loads(done.stdout)["kept"] == 1
    for wrong, message in ((f"{code}:WRONG", "got int"), (f"{code}:NONE", "has no 'NONE'"), ("nobody", "FILE.py:NAME")):
        with pytest.raises(UsageError, match=message):
            read([log], reader=wrong)


@pytest.mark.parametrize(
    ("module", "name", "text"), [("records", "x.json", "[{}]"), ("page", "x.html", "<table></table>")]
)
def test_a_log_that_is_too_large_for_its_kind_says_what_helps(
    module: str, name: str, text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"elo_sheets.readers.{module}.LARGEST", 2)
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(UnreadableInput, match=r"at most 0 MiB .*CSV.*, of which any size is read"):
        read(tmp_path / name)
