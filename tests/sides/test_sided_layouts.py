"""Placings and points of many as people lay them out: a column for each evening, numbered lines below a day."""

from __future__ import annotations

import io

import pandas as pd
import pytest

from elo_sheets.errors import UnreadableInput
from elo_sheets.uses.exporting import replay_logs


def games_of(log: str) -> tuple[pd.DataFrame, list[tuple[int, str]]]:
    found = replay_logs(io.BytesIO(log.encode())).log
    return found.games, [(problem.row, problem.value) for problem in found.problems]


def order(games: pd.DataFrame) -> list[list[str]]:
    return [list(game.sort_values("place")["player"]) for _, game in games.groupby("game")]


QUIZ = [
    ["Mannschaft", "Abend 1", "Abend 2", "Abend 3", "Summe"],
    ["Club A", "31", "44", "–", "75"],
    ["Club B", "40", "28", "37", "105"],
    ["Tisch 3", "27", "39", "41", "107"],
    ["Club D", "35", "30", "22", "87"],
]


def page_of(rows: list[list[str]]) -> str:
    cells = ["".join(f"<td>{cell}</td>" for cell in row) for row in rows]
    return f"<html><body><table>{''.join(f'<tr>{row}</tr>' for row in cells)}</table></body></html>"


@pytest.mark.parametrize("as_page", [True, False])
def test_points_of_evenings_in_columns_that_add_up_are_games(as_page: bool) -> None:
    log = page_of(QUIZ) if as_page else "\n".join(map(";".join, QUIZ))
    games, problems = games_of(log)
    assert order(games) == [
        ["Club B", "Club D", "Club A", "Tisch 3"],
        ["Club A", "Tisch 3", "Club D", "Club B"],
        ["Tisch 3", "Club B", "Club D"],
    ]
    assert games["points"].max() == 44
    assert not problems


def test_the_fewest_points_of_evenings_win_where_that_is_said() -> None:
    log = io.BytesIO("\n".join(map(";".join, QUIZ)).encode())
    assert order(replay_logs(log, lowest_wins=True).log.games)[0] == ["Tisch 3", "Club A", "Club D", "Club B"]


@pytest.mark.parametrize("change", [("Summe", "Trophies"), ("107", "108")])
def test_numbers_of_evenings_that_nothing_adds_up_are_no_games(change: tuple[str, str]) -> None:
    with pytest.raises(UnreadableInput):
        games_of("\n".join(map(";".join, QUIZ)).replace(*change))


def test_points_of_wins_and_draws_by_round_are_no_games_of_many() -> None:
    rows = [
        "Team;Round 1;Round 2;Round 3;Total",
        "Club A;3;1;0;4",
        "Club B;0;1;3;4",
        "Club C;3;0;1;4",
        "Club D;0;3;1;4",
    ]
    with pytest.raises(UnreadableInput):
        games_of("\n".join(rows))


@pytest.mark.parametrize("behind", [" 12:0{}", ", 4{} pts", " - (0:4{})", ""])
def test_numbered_lines_below_a_day_are_placings(behind: str) -> None:
    lists = {"Corsa 1, 7 marzo 2026": ["Aal", "Barsch", "Dorsch"], "Corsa 2, 14 marzo 2026": ["Dorsch", "Aal", "Hecht"]}
    lines = ["Coppa di primavera", ""]
    for title, names in lists.items():
        lines += [title, *(f"{at}) {name}{behind.format(9 - at)}" for at, name in enumerate(names, 1)), "rit. Wels", ""]
    games, problems = games_of("\n".join(lines).replace(", ", " "))
    assert order(games) == list(lists.values())
    assert games["date"].dt.day.unique().tolist() == [7, 14]
    assert [row for row, _ in problems] == [7, 13]


def test_a_table_that_is_copied_each_week_is_no_list_of_games() -> None:
    lines = [
        "Week 1",
        "1. Aal 9",
        "2. Barsch 7",
        "3. Dorsch 2",
        "",
        "Week 2",
        "1. Barsch 15",
        "2. Aal 12",
        "3. Dorsch 6",
    ]
    with pytest.raises(UnreadableInput):
        games_of("\n".join(lines))
