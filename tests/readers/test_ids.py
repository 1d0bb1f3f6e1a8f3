"""Ids in columns beside the names: who is who, whatever the spelling."""

from __future__ import annotations

import json
from pathlib import Path

import openpyxl
import pytest
from click.testing import CliRunner

from elo_sheets import read
from elo_sheets.cli import cli

GAMES = (("Player, One", "0400", "Player, Two", "500"), ("Player, Three", "", "Player, O", "400"))
HEADERS = [
    ("White", "White FIDE ID", "Black", "Black FIDE ID"),
    ("white", "whitefideid", "black", "blackfideid"),
    ("Home", "Home ID", "Away", "Away ID"),
    ("Player 1", "Player1 ID", "Player 2", "Player2 ID"),
    ("Winner", "winner_id", "Loser", "loser_id"),
]


def log(headers: tuple[str, ...], path: Path) -> Path:
    lines = [";".join((*headers, "Result")), *(";".join((*game, "1-0")) for game in GAMES)]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


@pytest.mark.parametrize("headers", HEADERS, ids=lambda one: one[1])
def test_ids_stand_with_the_names(headers: tuple[str, ...], tmp_path: Path) -> None:
    found = read([log(headers, tmp_path / "games.csv")])
    assert (found.kept, found.rejected) == (2, 0)
    assert found.games.attrs["ids"] == {"player, one": "400", "player, two": "500", "player, o": "400"}


def test_a_name_with_two_ids_has_none(tmp_path: Path) -> None:
    path = tmp_path / "games.csv"
    path.write_text("white,white id,black,black id,result\nAnn,1,Bob,2,1-0\nAnn,3,Bob,2,0-1\n", encoding="utf-8")
    assert read([path]).games.attrs["ids"] == {"bob": "2"}


def test_start_ratings_are_found_by_id_and_two_names_of_one_id_are_asked(tmp_path: Path) -> None:
    games, starts, names = log(HEADERS[0], tmp_path / "games.csv"), tmp_path / "list.csv", tmp_path / "names.toml"
    starts.write_text("Name,FIDE ID,Rating\nOther Spelling,400,2100\nPlayer Two,500,1900\n", encoding="utf-8")
    asked = ["replay", str(games), "--start", str(starts), "--names", str(names)]
    done = CliRunner().invoke(cli, asked)
    assert done.exit_code == 0, done.output
    assert "the same id" in names.read_text(encoding="utf-8")
    assert '"Player, One", "Player, O"' in names.read_text(encoding="utf-8")
    names.write_text(names.read_text("utf-8").replace('answer = ""', 'answer = "Player, One"'), encoding="utf-8")
    done = CliRunner().invoke(cli, [*asked, "--json"])
    assert done.exit_code == 0, done.output
    assert '"Player, O"' not in done.output


# --- scores of sets ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "won"),
    [
        ("6-4 6-3", (2, 0)),
        ("3:6, 7:6(5), 6:4", (2, 1)),
        ("6/4 4/6 [8/10]", (1, 2)),
        ("7-6 (7-5); 6-7 (3-7); 6-4", (2, 1)),
        ("11:9 7:11 11:8 11:6", (3, 1)),
        ("25-20, 25-23, 18–25, 21–25, 13–15", (2, 3)),
    ],
)
def test_scores_of_sets_are_results(text: str, won: tuple[int, int], tmp_path: Path) -> None:
    path = tmp_path / "sets.csv"
    path.write_text(f'Player 1,Player 2,Sets\nAnn,Bob,"{text}"\n', encoding="utf-8")
    game = read([path]).games.iloc[0]
    assert (game["white_points"], game["black_points"], game["score"]) == (*won, float(won[0] > won[1]))


@pytest.mark.parametrize(
    ("text", "reason"), [("6-4 4-6", "as many sets"), ("6-4 2-1 ret", "expected a result"), ("6-4 x", "expected")]
)
def test_sets_that_decide_nothing_are_named(text: str, reason: str, tmp_path: Path) -> None:
    path = tmp_path / "sets.csv"
    path.write_text(f"Player 1,Player 2,Score\nAnn,Bob,{text}\nAnn,Cid,6-1 6-2\n", encoding="utf-8")
    found = read([path])
    assert (found.kept, [problem.row for problem in found.problems]) == (1, [2])
    assert reason in found.problems[0].reason


def test_a_sheet_of_players_says_who_has_which_id(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    people = (
        ["member_id", "last_name", "first_name"],
        [3, "One", "Player"],
        [1, "Two", "Player"],
        [4, "Three", "Player"],
    )
    for row in people:
        book.active.append(row)
    games = book.create_sheet("Duels")
    for row in (["duel", "home_player_id", "away_player_id", "winner_id"], [1, 3, 1, 3], [2, 4, 3, 3], [3, 1, 4, 4]):
        games.append(row)
    book.save(tmp_path / "club.xlsx")
    found = read([tmp_path / "club.xlsx"])
    told = found.games[["white", "black", "score"]].astype(str).to_numpy().tolist()
    assert told == [
        ["Player One", "Player Two", "1.0"],
        ["Player Three", "Player One", "0.0"],
        ["Player Two", "Player Three", "0.0"],
    ]
    assert any("'home_player_id'" in note for note in found.notes)
    columns = {"white": "away_player_id", "black": "home_player_id", "score": "winner_id"}
    mapped = read([tmp_path / "club.xlsx"], columns=columns)
    assert mapped.games["white"].tolist() == ["Player Two", "Player One", "Player Three"]


def test_ids_that_no_list_explains_are_said_to_be_the_names() -> None:
    found = read([b"player1_id,player2_id,result\n3,1,1-0\n4,3,0-1\n"])
    assert any("only ids name the players" in note for note in found.notes)


def test_points_that_are_an_id_too_stay_points() -> None:
    games = [((4, "Player One"), (2, "Player Two"), (3, 2)), ((2, "Player Two"), (3, "Player Three"), (1, 3))]
    records = [
        {
            "p1": {"id": a, "name": one},
            "p2": {"id": b, "name": two},
            "score1": x,
            "score2": y,
            "winner": max((x, a), (y, b))[1],
        }
        for (a, one), (b, two), (x, y) in games
    ]
    found = read([json.dumps(records).encode()])
    assert found.games[["white_points", "black_points", "score"]].to_numpy().tolist() == [[3, 2, 1], [1, 3, 0]]
