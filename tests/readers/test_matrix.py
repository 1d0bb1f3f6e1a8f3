"""Tables of all against all: whoever writes games into one reads the same games from it, in every kind of file."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from elo_sheets import read
from elo_sheets.readers._layout import Row
from elo_sheets.readers.crosstable import is_crosstable

NAMES = ["Player 1", "Player 2", "Žák Jiří", "Player 4", "Player 5"]
RATINGS = [2105, 1988, 1870, 1750, 1602]
SCORES = [1.0, 0.5, 0.0, 1.0, 0.5, 0.0, 0.0, 1.0, 0.5, 1.0]
GAMES = {(i, j): s for (i, j), s in zip(itertools.combinations(range(5), 2), SCORES, strict=True)}
SIGNS = {1.0: "1", 0.5: "½", 0.0: "0"}

Table = list[list[Any]]


def cross(say: Callable[[int, int], Any], own: Any = "", heads: list[Any] | None = None) -> Table:
    """A table with a cell for each two sides, as `say` has it."""
    header = ["No.", "Name", "Rtg", *(heads or range(1, 6)), "Pts"]
    points = [sum(GAMES[i, j] if i < j else 1 - GAMES[j, i] for j in range(5) if j != i) for i in range(5)]
    rows = [
        [i + 1, NAMES[i], RATINGS[i], *(own if i == j else say(i, j) for j in range(5)), points[i]] for i in range(5)
    ]
    return [header, *rows]


def single(i: int, j: int) -> str:
    return SIGNS[GAMES[i, j] if i < j else 1 - GAMES[j, i]]


def as_page(table: Table, path: Path) -> Path:
    rows = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in table)
    path.write_text(f"<html><meta charset=utf-8><h2>Club cup 2026</h2><h3>Crosstable</h3><table>{rows}</table></html>")
    return path


def as_text(table: Table, path: Path) -> Path:
    lines = ["Club cup", "", *(";".join(str(cell) for cell in row) for row in table)]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def as_workbook(table: Table, path: Path) -> Path:
    workbook = openpyxl.Workbook()
    sheet = workbook.active
    assert sheet is not None
    numbers = {"1": 1, "½": 0.5, "0": 0, "": None}
    for row in [["Club cup"], [], *table]:
        sheet.append([numbers.get(cell, cell) if isinstance(cell, str) else cell for cell in row])
    workbook.save(path)
    return path


KINDS = {"page.html": as_page, "table.csv": as_text, "book.xlsx": as_workbook}


def played(path: Path) -> list[tuple[str, str, float]]:
    games = read(path).games
    return list(zip(games["white"], games["black"], games["score"], strict=True))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("own", ["", "*", "X", "■"])
@pytest.mark.parametrize("heads", [None, NAMES])
def test_every_game_is_read_once(kind: str, own: str, heads: list[Any] | None, tmp_path: Path) -> None:
    path = KINDS[kind](cross(single, own, heads), tmp_path / kind)
    found = read(path)
    assert played(path) == [(NAMES[i], NAMES[j], score) for (i, j), score in GAMES.items()]
    assert (found.read, found.rejected) == (10, 0)
    if heads is None or kind != "book.xlsx":
        assert found.games["white_rating"].tolist() == [RATINGS[i] for i, _ in GAMES]
    assert any("tells no colours" in note for note in found.notes)


@pytest.mark.parametrize("kind", KINDS)
def test_rows_in_the_order_of_the_ranking_keep_their_numbers(kind: str, tmp_path: Path) -> None:
    header, *rows = cross(single)
    path = KINDS[kind]([header, *reversed(rows)], tmp_path / kind)
    assert played(path) == [(NAMES[i], NAMES[j], score) for (i, j), score in GAMES.items()]


def test_two_rounds_are_two_games_of_each_cell(tmp_path: Path) -> None:
    second = {pair: 1 - score for pair, score in GAMES.items()}

    def both(i: int, j: int) -> str:
        return single(i, j) + SIGNS[second[i, j] if i < j else 1 - second[j, i]]

    path = as_page(cross(both), tmp_path / "page.html")
    assert played(path) == [
        (NAMES[i], NAMES[j], score) for (i, j), first in GAMES.items() for score in (first, second[i, j])
    ]
    assert not any("may be another game" in note for note in read(path).notes)


def test_sums_are_games_where_they_leave_nothing_open(tmp_path: Path) -> None:
    sums = {**dict.fromkeys(GAMES, "2"), (0, 1): "1,5", (0, 2): "1"}
    mirrored = {"2": "0", "1,5": "0,5", "1": "1"}
    table = cross(lambda i, j: sums[i, j] if i < j else mirrored[sums[j, i]])
    found = read(as_text(table, tmp_path / "sums.csv"))
    first = found.games[found.games["white"] == NAMES[0]]
    assert list(zip(first["black"], first["score"], strict=True)) == [
        (NAMES[1], 1.0),
        (NAMES[1], 0.5),
        *((NAMES[j], 1.0) for j in (3, 3, 4, 4)),
    ]
    assert [(p.row, p.column) for p in found.problems] == [(4, NAMES[2])]
    assert "which games were won and which drawn" in found.problems[0].reason


def test_forfeits_and_cells_that_disagree_are_kept_out_with_their_row(tmp_path: Path) -> None:
    said = {(0, 1): "+", (1, 0): "-", (0, 2): "1", (2, 0): "1"}
    found = read(as_text(cross(lambda i, j: said.get((i, j), single(i, j))), tmp_path / "some.csv"))
    assert [str(problem).split(", ", 1)[1] for problem in found.problems] == [
        "row 4, Player 2 '+': decided by forfeit, not over the board",
        "row 4, Žák Jiří '1': the two cells disagree, or are sums that leave open which games were won and which drawn"
        "; write each game, as in 1½ or 1 0",
    ]
    assert found.kept == 8


def test_plus_and_minus_are_games_where_nothing_else_is(tmp_path: Path) -> None:
    signs = {"1": "+", "0": "-", "½": "="}
    path = as_page(cross(lambda i, j: signs[single(i, j)]), tmp_path / "signs.html")
    assert played(path) == [(NAMES[i], NAMES[j], score) for (i, j), score in GAMES.items()]


def test_goals_of_home_and_away_are_games_of_their_own(tmp_path: Path) -> None:
    goals = {(i, j): f"{(3 * i + j) % 4}:{(i + 2 * j) % 3}" for i in range(5) for j in range(5) if i != j}
    path = as_text(cross(lambda i, j: goals[i, j], "x", NAMES), tmp_path / "league.csv")
    found = read(path).games
    assert [(a, b, f"{x:g}:{y:g}") for a, b, x, y in zip(*(found[name] for name in GOALS), strict=True)] == [
        (NAMES[i], NAMES[j], text) for (i, j), text in sorted(goals.items())
    ]


GOALS = ("white", "black", "white_points", "black_points")


def test_tables_of_results_by_rounds_and_lists_are_none() -> None:
    by_rounds = [["No", "Name", "1", "2", "3", "Pts"], ["1", "A", "1", "0", "1", "2"], ["2", "B", "0", "½", "1", "1.5"]]
    by_rounds.append(["3", "C", "0", "1", "½", "1.5"])
    places = [["No", "Name", "1", "2", "3"], *([str(i), f"P{i}", *("" for _ in range(3))] for i in range(1, 4))]
    for table in (by_rounds, places):
        assert not is_crosstable([Row(line, cells) for line, cells in enumerate(table, 1)])


BOUTS = [["", "V4", "D2", "V4"], ["D1", "", "V4", "D3"], ["V4", "D0", "", "V4"], ["D2", "V4", "D3", ""]]


@pytest.mark.parametrize(("won", "lost"), ["VD", "WL", "SN"])
def test_a_pool_of_bouts_is_read_by_who_won_with_how_many_touches(won: str, lost: str) -> None:
    said = str.maketrans({"V": won, "D": lost})
    rows = [["Pool 2", *[""] * 6], ["Fencer", "#", "1", "2", "3", "4", "TS"]]
    rows += [[f"Player {at}", str(at), *(cell.translate(said) for cell in row), "9"] for at, row in enumerate(BOUTS, 1)]
    text = "\n".join(map(",".join, rows))
    found = read([text.encode()])
    assert (found.read, found.kept) == (6, 6)
    told = found.games[["score", "white_points", "black_points"]].to_numpy().tolist()
    assert told[:3] == [[1, 4, 1], [0, 2, 4], [1, 4, 2]]
    spoilt = read([text.replace(f"{won}4", f"{lost}4", 1).encode()])  # both lost
    assert spoilt.kept == 5
    assert "the two cells disagree" in spoilt.problems[0].reason


def test_headings_may_be_short_for_the_names_of_the_rows() -> None:
    names, heads = ["Aston Villa", "Crystal Palace", "Leeds United"], ["AVL", "CRY", "LEE"]
    cells = [["—", "2–0", "1–1"], ["0–3", "—", ""], ["4–2", "1–0", "—"]]
    rows = [["Home \\ Away", *heads], *([name, *row] for name, row in zip(names, cells, strict=True))]
    found = read([("\n".join(map(";".join, rows)) + "\nas of 4 May 2024\n").encode()])
    assert found.games[["white", "black", "score"]].to_numpy().tolist() == [
        ["Aston Villa", "Crystal Palace", 1],
        ["Aston Villa", "Leeds United", 0.5],
        ["Crystal Palace", "Aston Villa", 0],
        ["Leeds United", "Aston Villa", 1],
        ["Leeds United", "Crystal Palace", 1],
    ]
    assert found.read == 6
    assert any("'AVL' for 'Aston Villa'" in note for note in found.notes)
    for wrong in (["AVL", "LEE", "CRY"], ["AVL", "CRY", "WHU"]):  # in another order, or of another side
        table = [Row(at, row) for at, row in enumerate([["", *wrong], *rows[1:]], 1)]
        assert not is_crosstable(table)


@pytest.mark.parametrize("sign", [" ", ". ", ") "])
def test_numbers_before_the_names_that_are_those_of_the_columns_are_no_part_of_them(sign: str) -> None:
    rows = ["Box 1,1,2,3,Pts", "1|Ann,###,3-2,3-1,8", "2|Bob,2-3,###,2-3,5", "3|Cid,1-3,3-2,###,7"]
    found = read(["\n".join(rows).replace("|", sign).encode()])
    assert found.games[["white", "black"]].to_numpy().tolist() == [["Ann", "Bob"], ["Ann", "Cid"], ["Bob", "Cid"]]
    assert any(f"as in '1{sign}Ann'" in note for note in found.notes)
    others = "\n".join(rows).replace("1|Ann", "1. FC Ann").replace("2|", "").replace("3|", "")
    assert read([others.encode()]).games["white"][0] == "1. FC Ann"
