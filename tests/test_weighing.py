"""What a match weighs by the name of its competition: the table, a file in its place, and what is said of it."""

from __future__ import annotations

import io
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner

from elo_sheets.cli import cli
from elo_sheets.errors import UnreadableInput, UsageError
from elo_sheets.readers import read
from elo_sheets.replaying.weighing import weighted
from elo_sheets.systems import SYSTEMS, system
from elo_sheets.uses.exporting import ReplayedLogs, replay_logs
from elo_sheets.uses.importing import import_logs
from elo_sheets.validate import validate
from elo_sheets.workbook import new_book
from elo_sheets.workbook.build import filled_book, plan_book
from elo_sheets.workbook.pools.prompts import weights_prompt

NATIONS = Path(__file__).parents[1] / "samples/internationals_1900s.csv"
LONGEST_PROMPT = 255

HEADER = "date,home_team,away_team,home_score,away_score,{},neutral"
MATCHES = """
2018-06-01,A,B,1,0,FIFA World Cup,TRUE
2018-06-02,C,D,1,0,Friendly,TRUE
2018-06-03,E,F,1,0,Copa America 2018,TRUE
2018-06-04,G,H,1,0,Village Cup,TRUE
2018-06-05,I,J,1,0,Village Cup,TRUE
2018-06-06,K,L,1,0,,TRUE
"""


def log_of(rows: str = MATCHES, column: str = "tournament") -> io.BytesIO:
    return io.BytesIO((HEADER.format(column) + rows).encode())


def rate(
    rows: str = MATCHES, column: str = "tournament", name: str = "world-football", **given: object
) -> ReplayedLogs:
    return replay_logs([log_of(rows, column)], system=name, settings=given)


def winners(done: ReplayedLogs) -> list[float]:
    """What the winners of the matches won, in the order of play; everybody began at 1500 and played once."""
    table = done.replayed.ratings.set_index("player")["rating"]
    return [float(table[name]) - 1500 for name in "ACEGIK"]


@pytest.mark.parametrize(
    ("name", "won"),
    [("world-football", [30, 10, 25, 10, 10, 10]), ("fifa", [25, 5, 17.5, 5, 5, 5])],
)
@pytest.mark.parametrize("column", ["tournament", "competition", "type"])
def test_a_match_between_equals_wins_half_the_weight_of_its_competition(
    name: str, won: list[float], column: str
) -> None:
    assert winners(rate(column=column, name=name)) == won


def test_what_the_matches_weigh_and_which_competitions_are_unknown_is_said_in_a_line_each() -> None:
    notes = [note for note in rate().notes if "unofficial" not in note]
    assert any(note.startswith("K by the competition's name: 60 in 1, 50 in 1, 20 in 1 matches (") for note in notes)
    assert (
        "competitions without a known weight: 'Village Cup' (2), no name (1); they count with K 20 (--set k=…)" in notes
    )
    assert "matches without a weight: 6 of 6, counted with K 30 (--set k=…)" in rate(weights="none", k=30).notes
    assert not any("competition" in note for note in rate(name="elo").notes)


def test_the_setting_k_counts_where_the_table_knows_no_weight() -> None:
    assert winners(rate(k=40)) == [30, 10, 25, 20, 20, 20]
    assert winners(rate(k=40, weights="none")) == [20] * 6


def test_a_weight_in_the_log_goes_before_the_table() -> None:
    header = HEADER.format("tournament") + ",weight"
    weights = ("44", "", "0", "", "", "12")
    rows = [f"{line},{weight}" for line, weight in zip(MATCHES.strip().splitlines(), weights, strict=True)]
    done = replay_logs([io.BytesIO("\n".join([header, *rows]).encode())], system="world-football")
    assert winners(done) == [22, 10, 25, 10, 10, 6]


def test_a_file_of_weights_goes_before_the_table_and_a_star_stands_for_any_other(tmp_path: Path) -> None:
    path = tmp_path / "My Weights.CSV"
    path.write_text("competition,weight\nvillage cup,36\nFriendly,4\n", encoding="utf-8")
    assert winners(rate(weights=str(path))) == [30, 2, 25, 18, 18, 10]
    path.write_text("competition,weight\nVillage Cup,36\n*,8\n", encoding="utf-8")
    assert winners(rate(weights=str(path))) == [4, 4, 4, 18, 18, 10]


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ("competition,weight\nCup,much\n", "row 2: expected a weight above 0, got 'much'"),
        ("competition,weight\nCup,-1\n", "row 2: expected a weight above 0, got '-1'"),
        ("competition,weight\nCup,30\nCUP 2020,20\n", "row 3: 'CUP 2020' stands twice"),
        ("competition,weight\n,30\n", "row 2: '' names no competition"),
        ("name,k\nCup,30\n", "expected the columns competition and weight"),
    ],
)
def test_a_file_of_weights_that_cannot_be_used_is_refused_with_its_row(rows: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "weights.csv"
    path.write_text(rows, encoding="utf-8")
    with pytest.raises((UnreadableInput, UsageError), match=said):
        rate(weights=str(path))


def test_a_file_that_is_missing_and_a_word_that_is_none_are_refused() -> None:
    with pytest.raises(UnreadableInput, match="expected a table of weights in CSV"):
        rate(weights="nowhere.csv")
    with pytest.raises(UsageError, match=r"expected weights to be one of table, none, FILE\.csv, got 'heavy'"):
        rate(weights="heavy")


def test_games_without_a_lack_and_other_systems_come_back_as_they_are() -> None:
    games = read([log_of()]).games
    assert weighted(games, system("elo"), system("elo").settings()) is games
    rules = system("world-football")
    once = weighted(games, rules, rules.settings())
    pd.testing.assert_frame_equal(weighted(once, rules, rules.settings()), once)


def test_the_table_names_every_competition_of_the_sample() -> None:
    said = replay_logs([NATIONS], system="world-football").notes
    assert any(note.startswith("K by the competition's name: 50 in 2, 30 in 80, 20 in 56 matches") for note in said)
    assert not any(note.startswith("competitions without") for note in said)


@pytest.mark.parametrize("template", ["league", "season", "ratings-list"])
def test_a_book_rates_each_match_by_its_weight_as_replay_does(template: str, tmp_path: Path) -> None:
    settings = {"period": "month"} if template == "ratings-list" else {}
    rules = system("world-football")
    plan = plan_book(filled_book(template, rules, settings, read([log_of()]).games))
    columns = [column for sheet in plan.sheets for table in sheet.tables for column in table.columns]
    k = next(column.fill.values for column in columns if column.role == "step:k_used")
    assert [value for value in k if value != ""] == [60, 60, 20, 20, 50, 50, *[20] * 6]
    done = import_logs([log_of()], tmp_path / "book.xlsx", template=template, system=rules.name, settings=settings)
    assert any(note.startswith("K by the competition's name") for note in done.notes)
    verdict = validate(tmp_path / "book.xlsx")
    assert verdict.status == "agrees", verdict


def test_a_book_without_games_refuses_weights_by_name(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="leave out --set weights="):
        new_book("league", tmp_path / "b.xlsx", system="world-football", settings={"weights": "none"})


@pytest.mark.parametrize("name", ["world-football", "fifa"])
def test_the_cell_of_a_weight_lists_the_kinds_of_match(name: str) -> None:
    weights = SYSTEMS[name].weights
    assert weights is not None
    prompt = weights_prompt(weights)
    assert prompt.startswith(f"{weights.symbol}: 60 World Cup finals")
    assert len(prompt) <= LONGEST_PROMPT


def test_systems_prints_the_table() -> None:
    shown = CliRunner().invoke(cli, ["systems", "world-football"]).stdout
    assert "   60  World Cup finals: FIFA World Cup; World Cup;" in shown
    assert "   30  other tournament: " in shown
    assert "source: eloratings.net" in shown
