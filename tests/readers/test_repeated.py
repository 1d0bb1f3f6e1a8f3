"""Logs that tell several sets or games in one row, and columns without a heading, as people keep them."""

from __future__ import annotations

import io
from datetime import datetime
from pathlib import Path

import openpyxl
import pytest
from hostile import write_ods
from openpyxl.styles import Font

from elo_sheets.errors import UnreadableInput
from elo_sheets.games import GamesRead
from elo_sheets.readers import read
from elo_sheets.readers._arranged import STRUCK_OUT
from elo_sheets.uses.exporting import replay_logs


def told(log: str) -> list[tuple[str, str, float]]:
    games = read([io.BytesIO(log.encode())]).games
    return list(zip(games["white"], games["black"], games["score"], strict=True))


SETS = [("Ann", "Bea", 0.0), ("Cid", "Ann", 1.0)]


@pytest.mark.parametrize(
    "log",
    [
        "Player A;Player B;Set 1 A;Set 1 B;Set 2 A;Set 2 B;Set 3 A;Set 3 B\n"
        "Ann;Bea;21;2;19;21;20;22\nCid;Ann;21;9;21;8;;\n",
        "Home,Away,Game 1,,Game 2,,Game 3,\n,,H,A,H,A,H,A\nAnn,Bea,21,2,19,21,20,22\nCid,Ann,21,9,21,8,,\n",
        "Home,Away,,Satz 1 H,Satz 1 A,Satz 2 H,Satz 2 A,Satz 3 H,Satz 3 A\n"
        "Ann,Bea,,21,2,19,21,20,22\nCid,Ann,,21,9,21,8,,\n",
    ],
)
def test_the_points_of_sets_in_columns_are_one_result(log: str) -> None:
    assert told(log) == SETS  # Ann has more points in the first one, and lost it


def test_scores_of_sets_in_columns_are_one_result() -> None:
    for names in (("Set 1", "Set 2", "Set 3"), ("1. Satz", "2. Satz", "3. Satz"), ("Game 1", "Game 2", "Game 3")):
        log = f"Home,Away,{','.join(names)}\nAnn,Bea,21-2,19-21,20-22\nCid,Ann,21-9,21-8,\n"
        assert told(log) == SETS
    games = "White,Black,Game 1,Game 2,Game 3\nAnn,Bea,1-0,1-0,0-1\nCid,Ann,1-0,0-1,\n"
    assert len(told(games)) == 5


def test_quarters_are_no_sets() -> None:
    log = "Home,Away,Q1 H,Q1 A,Q2 H,Q2 A\nAnn,Bea,21,2,19,21\nCid,Ann,10,9,12,15\n"
    with pytest.raises(UnreadableInput, match="expected a column for the result"):
        told(log)


def test_two_games_in_a_row_are_two() -> None:
    log = "Date,White,Black,Game 1,Game 2\n2025-03-01,Ann,Bea,1-0,1-0\n2025-03-08,Bea,Cid,½-½,\n"
    found = read([io.BytesIO(log.encode())])
    assert list(found.games["score"]) == [1.0, 1.0, 0.5]
    assert [(one.row, one.reason) for one in found.problems] == [(3, "unfinished or without a result")]


def test_what_stands_behind_two_games_stays_in_its_column() -> None:
    log = "White,Black,Game 1,Game 2,Round\nAnn,Bea,1-0,0-1,1\nBea,Cid,½-½,1-0\n"
    games = read([io.BytesIO(log.encode())]).games
    assert list(zip(games["white"], games["score"], strict=True)) == [
        ("Ann", 1.0),
        ("Ann", 0.0),
        ("Bea", 0.5),
        ("Bea", 1.0),
    ]


@pytest.mark.parametrize("name", ["Heidi", "Lisa", "Helen"])
def test_a_name_that_begins_as_a_month_is_no_day(name: str) -> None:
    assert set(told(f"{name} 11-10 Bob\nBob 21-15 {name}\n")) == {(name, "Bob", 1.0), ("Bob", name, 1.0)}


def test_first_and_return_legs_have_their_own_days() -> None:
    log = "A;B;Hinspiel am;Hinspiel;Rückspiel am;Rückspiel\nAnn;Bea;03.09.2025;3:1;04.02.2026;2:2\n"
    log += "Ann;Cid;10.09.2025;0:4;11.02.2026;3:1\n"
    games = read([io.BytesIO(log.encode())]).games
    assert [day.strftime("%d.%m.%y") for day in games["date"]] == ["03.09.25", "10.09.25", "04.02.26", "11.02.26"]
    assert list(games["score"]) == [1.0, 0.0, 0.5, 1.0]


def problems(found: GamesRead) -> list[tuple[int, str]]:
    return sorted((one.row, one.reason) for one in found.problems)


def test_a_column_without_a_heading_says_what_became_of_a_game() -> None:
    log = "Date,Home,Goals,Away,Goals,\n2025-09-01,Ann,3,Bea,1,\n2025-09-02,Cid,0,Ann,3,walkover\n"
    log += "2025-09-03,Bea,1,Cid,0,\n"
    found = read([io.BytesIO(log.encode())])
    assert (found.kept, problems(found)) == (2, [(3, "decided by forfeit, not over the board")])


def test_points_without_a_heading_stand_beside_winner_and_loser() -> None:
    found = read(
        [io.BytesIO(b"Winner,,Loser,,Date\nAnn,5,Bea,3,2025-09-01\nCid,W/O,Ann,,2025-09-02\nBea,5,Cid,4,2025-09-03\n")]
    )
    assert list(found.games["white_points"]) == [5.0, 5.0]
    assert problems(found) == [(3, "decided by forfeit, not over the board")]


def test_kick_off_times_are_no_results(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.append(["Tag", "Begin", "Heim", None, "Gast", "Tore"])
    for day, clock, home, away, goals in ((1, "15:00", "Ann", "Bea", (4, 2)), (2, "17:30", "Bea", "Cid", (0, 0))):
        sheet.append([datetime(2026, 3, day), clock, home, "-", away, goals[0], ":", goals[1]])
    sheet.append([datetime(2026, 3, 9), "15:00", "Cid", "-", "Ann", None, ":", None])
    book.save(path := tmp_path / "plan.xlsx")
    found = read([path])
    assert list(found.games["score"]) == [1.0, 0.5]
    assert problems(found) == [(4, "unfinished or without a result")]


def test_the_marks_of_markdown_are_no_part_of_a_name() -> None:
    log = "# Evening\n\n| A | Score | B |\n|:-:|---|--:|\n| **Ann** | 2-1 | Bea |\n| Bea | 0-2 | __Cid__ |\n"
    log += "| ~~Ann~~ | 1-0 | ~~Cid~~ |\n"
    found = read([io.BytesIO(log.encode())])
    assert list(zip(found.games["white"], found.games["black"], strict=True)) == [("Ann", "Bea"), ("Bea", "Cid")]
    assert problems(found) == [(7, STRUCK_OUT)]


def test_rows_of_a_sheet_that_are_struck_out_are_no_games(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    for row in (["White", "Black", "Result"], ["Ann", "Bea", "1-0"], ["Bea", "Cid", "0-1"], ["Cid", "Ann", "1-0"]):
        sheet.append(row)
    for cell in (*sheet[3], sheet["B4"]):  # a name that is struck out is a correction
        cell.font = Font(strike=True)
    book.save(path := tmp_path / "log.xlsx")
    cells = ["Cid", "Ann", "1-0"]
    line = '<style:text-properties style:text-line-through-style="solid"/>'
    cell = '<table:table-cell office:value-type="string"{}><text:p>{}</text:p></table:table-cell>'
    rows = [
        [cell.format(mark, text) for text in some]
        for mark, some in (
            ("", ["White", "Black", "Result"]),
            ("", ["Ann", "Bea", "1-0"]),
            (' table:style-name="ce1"', cells),
        )
    ]
    before = f'<style:style style:name="ce1" style:family="table-cell">{line}</style:style>'
    written = "".join(f"<table:table-row>{''.join(row)}</table:table-row>" for row in rows)
    other = write_ods(tmp_path / "log.ods", written, before=before)
    for log, kept in ((path, 2), (other, 1)):
        found = read([log])
        assert (found.kept, problems(found)) == (kept, [(3, STRUCK_OUT)])


def test_points_of_oneself_and_the_opponent_are_two_columns() -> None:
    assert told("Date,Player,Opponent,Pts,Opp Pts\n2026-01-01,Ann,Bea,11,9\n2026-01-02,Cid,Ann,7,11\n") == [
        ("Ann", "Bea", 1.0),
        ("Cid", "Ann", 0.0),
    ]


@pytest.mark.parametrize(
    ("days", "wanted"),
    [
        (("19/9", "27/12", "3/10"), ["2025-09-19", "2025-12-27", "2025-10-03"]),
        (("3.10.", "5.9."), ["2025-10-03", "2025-09-05"]),
        (("12 września", "9 stycznia"), ["2025-09-12", "2026-01-09"]),
        (("9/30", "1/12"), ["2025-09-30", "2026-01-12"]),
        (("ke 3.9.", "Sa 10.1."), ["2025-09-03", "2026-01-10"]),
    ],
)
def test_days_without_a_year_are_of_their_season(days: tuple[str, ...], wanted: list[str]) -> None:
    rows = [f"{day},Player {at},Player {at + 1},1-0" for at, day in enumerate(days)]
    games = read([io.BytesIO("\n".join(["Season 2025/26", "Date,White,Black,Result", *rows]).encode())]).games
    found = dict(zip(games["white"], games["date"].dt.strftime("%Y-%m-%d"), strict=True))
    assert [found[f"Player {at}"] for at in range(len(days))] == wanted


@pytest.mark.parametrize(
    ("text", "score"), [("03:02:00", 1.0), ("00:03:00", 0.0), ("2-2 (t.s.)", 0.5), ("1-3 (prórroga)", 0.0)]
)
def test_results_that_a_spreadsheet_or_a_remark_changed(text: str, score: float) -> None:
    assert told(f"Home,Away,Result\nAnn,Bea,{text}\nBea,Cid,2-1\n")[0] == ("Ann", "Bea", score)


def test_a_walkover_behind_names_that_a_dash_parts() -> None:
    found = read([io.BytesIO(b"Ann-Lee Voss - Bob 1:0\nBob - Cid 0:1\nAnn-Lee Voss - Cid 1:0 walkover\n")])
    assert (found.kept, problems(found)) == (2, [(3, "decided by forfeit, not over the board")])


def test_four_numbered_columns_are_two_pairs_whatever_they_are_called() -> None:
    log = b"Week,Thrower 1,Thrower 2,,Thrower 3,Thrower 4,Pts,Pts\n1,Ann,Bea,vs,Cid,Dan,21,15\n"
    log += b"1,Ann,Cid,vs,Bea,Dan,18,21\n"
    ratings = replay_logs(io.BytesIO(log)).ratings.set_index("player")["rating"].round(9)
    assert ratings.to_dict() == {"Ann": 1500.0, "Bea": 1520.0, "Cid": 1480.0, "Dan": 1500.0}


WON_AND_DRAWN = [("Ann", "Bea", 1.0), ("Bea", "Cid", 0.5), ("Cid", "Ann", 0.0)]


@pytest.mark.parametrize(
    "log",
    [
        "Date,Player,Opponent,W,D,L\n2024-03-04,Ann,Bea,1,,\n2024-03-04,Bea,Cid,,1,\n2024-03-05,Cid,Ann,,,1\n"
        "Totals,,,1,1,1\n",
        "Heim;Gast;S;U;N\nAnn;Bea;x;;\nBea;Cid;;x;\nCid;Ann;;;x\n",
        "White,Black,White won,Drawn,Black won\nAnn,Bea,1,0,0\nBea,Cid,0,1,0\nCid,Ann,0,0,1\n",
    ],
)
def test_a_mark_in_the_column_of_a_win_a_draw_or_a_loss_is_the_result(log: str) -> None:
    assert told(log) == WON_AND_DRAWN


@pytest.mark.parametrize(
    "log",
    [
        "Player,Score,Score,Opponent\nAnn,412,388,Bea\nBea,377,377,Cid\nCid,200,401,Ann\nAnn,BYE,,\n",
        "Speler A,te maken,gemaakt,Pnt A,Speler B,te maken,gemaakt,Pnt B\nAnn,80,80,2,Bea,45,41,0\n"
        "Bea,45,45,1,Cid,32,32,1\nCid,32,20,0,Ann,80,80,2\n",
        "Player,Frames,Player\nAnn,4–2,Bea\nBea,3–3,Cid\nCid,0–4,Ann\n",
        "When,White,Black,What happened\n3 Feb 2024,Ann,Bea,Ann won on time\n3 Feb 2024,Bea,Cid,stalemate\n"
        "4 Feb 2024,Cid,Ann,Cid resigned\n5 Feb 2024,Cid,Ann,abandoned\n",
    ],
)
def test_points_and_words_beside_the_sides_are_the_result(log: str) -> None:
    assert told(log) == WON_AND_DRAWN


def test_tables_below_each_other_are_read_by_their_own_headings() -> None:
    log = (
        "League,,,\nWhite,Black,Result,\nAnn,Bea,1-0,\nBea,Cid,½-½,\n,,,\n"
        "Blitz,,,\nTime,White,Black,Result\n5+0,Cid,Ann,0-1\n"
    )
    found = read([io.BytesIO(log.encode())])
    assert list(zip(found.games["white"], found.games["score"], strict=True)) == [
        ("Ann", 1.0),
        ("Bea", 0.5),
        ("Cid", 0.0),
    ]
    assert any(note.startswith("2 tables stand below each other") for note in found.notes)
    assert list(found.games["source_row"]) == [3, 4, 8]
    boxes = "BOX 1,,,\n,A,B,C\nAnn,X,3-1,3-0\nBea,1-3,X,2-3\nCid,0-3,3-2,X\n\n"
    assert len(told(boxes + boxes.replace("Ann", "Eve").replace("Bea", "Fay").replace("Cid", "Gus"))) == 6


def test_games_in_several_cells_of_a_row_are_all_read() -> None:
    log = "Date,Board 1,Board 2\n2024-02-01,Ann - Bea 1-0,Cid - Dot 0-1\n2024-02-08,Bea - Cid ½-½,Dot - Ann 1-0\n"
    assert told(log) == [("Ann", "Bea", 1.0), ("Cid", "Dot", 0.0), ("Bea", "Cid", 0.5), ("Dot", "Ann", 1.0)]


@pytest.mark.parametrize(
    ("log", "scores", "reasons"),
    [
        (  # B is Bianco's letter, without an A beside it
            "Bianco;Elo B;Nero;Elo N;Punti B;Punti N\n"
            "Ann;2100;Bea;2050;1;0\nBea;2050;Cid;2000;0,5;0,5\nCid;2000;Ann;2100;0;0\n",
            [1.0, 0.5],
            ["0-0: neither side scored, a double forfeit or a game not played"],
        ),
        (
            "Player,Score,Opponent,Opp Score\nAnn,412,Bea,388\nBea,390,Cid,390\nCid,0,Ann,0\n",
            [1.0, 0.5],
            ["0-0: neither side scored, a double forfeit or a game not played"],
        ),
        ("Home,Away,Goals,Goals\nAnn,Bea,2,0\nBea,Cid,0,0\nCid,Ann,1,1\n", [1.0, 0.5, 0.5], []),
        (
            "Winner,Loser,By\nAnn,Bea,mate\nBea,Cid,draw agreed\nCid,Ann,no show\n",
            [1.0, 0.5],
            ["decided by forfeit, not over the board"],
        ),
        (  # the first to reach his own number won
            "Player A,Race A,Player B,Race B,Score A,Score B\nAnn,9,Bea,6,8,6\nBea,6,Cid,7,5,7\nCid,7,Ann,9,7,8\n",
            [0.0, 0.0, 1.0],
            [],
        ),
        ("Leg;Home;Away;HG;AG\n1;Ann;Bea;2;0\n2;Bea;Ann;1;1\n", [1.0, 0.5], []),
        (
            "player1_name,player2_name,scores_csv,winner_name\nAnn,Bea,2-1,Ann\nBea,Cid,0--1,Bea\n",
            [1.0],
            ["decided by forfeit, not over the board"],
        ),
        ("Dato;Hvid;Sort;Hvids point\n1/3-2024;Ann;Bea;½\n15/3-2024;Bea;Cid;1\n", [0.5, 1.0], []),
        ("White,Black,Result\nAnn,Bea,1-0 on time\nBea,Cid,0:1 ZÜ\n", [1.0, 0.0], []),
        ("Pemenang;Lawan;Skor\nAnn;Bea;2-0\nCid;Ann;2-1\nBea;Cid;2-0\n", [1.0, 1.0, 1.0], []),
    ],
)
def test_columns_count_for_what_the_others_show_them_to_be(log: str, scores: list[float], reasons: list[str]) -> None:
    found = read([io.BytesIO(log.encode())])
    assert list(found.games["score"]) == scores
    assert [one.reason for one in found.problems] == reasons


@pytest.mark.parametrize(
    ("log", "games"),
    [
        (
            "Ronde,Bord 1 wit,Bord 1 zwart,Uitslag 1,Bord 2 wit,Bord 2 zwart,Uitslag 2\n"
            "1,Ann,Bea,1-0,Cid,Dot,½-½\n2,Bea,Cid,0-1,,,\n",
            [("Ann", "Bea", 1.0), ("Cid", "Dot", 0.5), ("Bea", "Cid", 0.0)],
        ),
        (
            "Year,Player A,Player B,A won,B won,Drawn\n1834,Ann,Bea,2,1,0\n1843,Bea,Cid,0,0,1\nTotal,,,2,1,1\n",
            [("Ann", "Bea", 1.0), ("Ann", "Bea", 1.0), ("Ann", "Bea", 0.0), ("Bea", "Cid", 0.5)],
        ),
        (
            "Evening,North,South,North won,South won\n"
            "1,Ann,Bea,x,\n2,Bea,Cid,,x\n3,Cid,Ann,x,x\n4,Cid,Ann,,\n5,Ann,Cid,x,\n",
            [("Ann", "Bea", 1.0), ("Bea", "Cid", 0.0), ("Ann", "Cid", 1.0)],
        ),
        (
            "  # Name           Rtng   Rd 1   Rd 2   Tot\n"
            "  1 ANN ARBOR      2690   W2     D3     1.5\n"
            "  2 BEA BEE        2550   L1     B---   1.0\n"
            "  3 CID CAD        2420   H---   D1     1.0\n",
            [("ANN ARBOR", "BEA BEE", 1.0), ("ANN ARBOR", "CID CAD", 0.5)],
        ),
        (
            " Pair | Player Name          |Total|Round|Round|\n"
            " Num  | USCF ID / Rtg        |Pts  |  1  |  2  |\n"
            "    1 | ANN ARBOR            |1.5  |W   2|D   3|\n"
            "   MI | 123 / R: 1687 ->1690 |     |B    |W    |\n"
            "    2 | BEA BEE              |0.0  |L   1|F   3|\n"
            "   MI | 124 / R: 1622 ->1620 |     |W    |     |\n"
            "    3 | CID CAD              |2.0  |H    |D   1|\n"
            "   MI | 125 / R: 1540 ->1541 |     |     |B    |\n",
            [("BEA BEE", "ANN ARBOR", 0.0), ("ANN ARBOR", "CID CAD", 0.5)],
        ),
        (
            "Nr.,Name,Rd1,Rd2\n1,Ann,12w,½3b\n2,Bea,01b,bye\n3,Cid,bye,½1w\n",
            [("Ann", "Bea", 1.0), ("Cid", "Ann", 0.5)],
        ),
        (
            '{"players": [{"id": "u1", "displayName": "Ann"}, {"id": "u2", "displayName": "Bea"}], "matches": ['
            '{"homePlayerId": "u1", "awayPlayerId": "u2", '
            '"sets": [{"home": 11, "away": 8}, {"home": 11, "away": 9}]}]}',
            [("Ann", "Bea", 1.0)],
        ),
        (
            "1. Runde;;;;;\nSK Elm;;;SV Bar;;\nBrett;Name;DWZ;Name;DWZ;Ergebnis\n1;Ann;2351;Bea;2498;0:1\n"
            "2;Cid;2202;Dot;2366;½:½\n3;Eve;2188;;;+:-\n4;Fay;2188;Gus;2115;1:0\n;;;;Endstand;2½:1½\n",
            [("Ann", "Bea", 0.0), ("Cid", "Dot", 0.5), ("Fay", "Gus", 1.0)],
        ),
        (
            "Éch.;Lasker & Cie;Elo;Couleur;Les Rois;Elo;Résultat\n1;Ann;2480;B;Bea;2510;0 - 1\n"
            "2;Cid;2600;N;Dot;2450;1 - 0\n3;Eve;2200;B;Fay;2310;X - X\n",
            [("Ann", "Bea", 0.0), ("Cid", "Dot", 1.0)],
        ),
        (
            "Nr,Speler,wk 1,wk 2,wk 3,Punten\n1,Ann,2w1,3z½,vrij,2.5\n2,Bea,1z0,afw,3w0,0\n3,Cid,vrij,1w½,2z1,2.5\n",
            [("Ann", "Bea", 1.0), ("Cid", "Ann", 0.5), ("Bea", "Cid", 0.0)],
        ),
    ],
)
def test_layouts_with_several_games_in_a_row_or_a_game_in_two(log: str, games: list[tuple[str, str, float]]) -> None:
    assert told(log) == games


def test_names_in_bold_cells_of_a_sheet_are_winners(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    for row in (["Day", "White", "Black"], ["2026-01-05", "Ann", "Bea"], ["2026-01-12", "Ann", "Cid"]):
        sheet.append(row)
    sheet.append(["2026-01-19", "Bea", "Ann"])
    for place in ("B2", "C3", "B4", "A1", "B1", "C1"):
        sheet[place].font = Font(bold=True)
    book.save(path := tmp_path / "log.xlsx")
    found = read([path])
    assert found.games["score"].tolist() == [1, 0, 1]
    assert "the name in bold was read as the winner's in 3 of 3 games" in found.notes
