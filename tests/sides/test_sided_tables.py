"""Tables of many by every table rule: each book against a replay written here, by the engines, and typed on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from test_sided_books import Sheets
from test_sided_rules import Game, random_games, replayed_here
from workbook_cases import type_into

from elo_sheets.cli import cli
from elo_sheets.errors import UsageError
from elo_sheets.uses.exporting import replay_logs
from elo_sheets.uses.importing import import_logs
from elo_sheets.validate import validate
from elo_sheets.workbook import new_book

RULES = ("mean", "winner")


def table_games(count: int = 25) -> list[Game]:
    return random_games(count, 9, (2, 3, 5, 8), (1,))


def log_of(games: list[Game], path: Path) -> Path:
    rows = ["game,player,place"]
    rows += [f"{at},{names[0]},{place}" for at, game in enumerate(games) for place, names in game]
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


def wanted(games: list[Game], rule: str) -> dict[str, float]:
    ratings = replayed_here(games, {}, 24, "mean", "alike", rule)
    return {name: ratings[name] for name in {player for game in games for _, who in game for player in who}}


@pytest.mark.parametrize("engine", ["ironcalc", pytest.param("libreoffice", marks=pytest.mark.libreoffice)])
@pytest.mark.parametrize("rule", RULES)
def test_a_table_by_every_rule_is_the_replays_in_every_cell(rule: str, engine: str, tmp_path: Path) -> None:
    games, book = table_games(), tmp_path / "table.xlsx"
    import_logs(log_of(games, tmp_path / "log.csv"), book, settings={"table_rule": rule, "k": 24})
    verdict = validate(book, engine=engine, tolerance=1e-9)
    assert (verdict.status, verdict.games.rated) == ("agrees", 25), verdict.findings
    sheets = Sheets(book)
    assert sheets.by_name("Standings", "Player", "Rating") == pytest.approx(wanted(games, rule), abs=1e-9)
    assert sheets.by_name("Standings", "Player", "Wins") == {
        name: sum(_alone_first(game, name) for game in games) for name in wanted(games, rule)
    }


def _alone_first(game: Game, name: str) -> bool:
    best = min(place for place, _ in game)
    return [who[0] for place, who in game if place == best] == [name]


@pytest.mark.parametrize("rule", RULES)
def test_an_empty_table_is_typed_into(rule: str, tmp_path: Path) -> None:
    book = tmp_path / "table.xlsx"
    new_book("table", book, rows=4, settings={"table_rule": rule})
    people = {f"B{row}": name for row, name in enumerate(("Ann", "Bob", "Cid"), 5)} | {"C6": 1600.0}
    games = {"C5": "Ann", "E5": 40.0, "F5": "Bob", "H5": 55.0, "I5": "Cid", "K5": 55.0}
    games |= {"C6": "Ann", "D6": 1.0, "F6": "Bob", "G6": 2.0}
    filled = type_into(book, tmp_path / "typed.xlsx", {"Players": people, "Games": games})
    rating = Sheets(filled, "ironcalc").by_name("Players", "Player", "Rating")
    ann, bob, cid = 1500.0, 1600.0, 1500.0
    if rule == "mean":  # Bob and Cid have each 1.5 of 2, as 0.75 against the mean of the others; Ann has none
        ann, bob, cid = ann - 20 * chance(-50), bob + 20 * (0.75 - chance(100)), cid + 20 * (0.75 - chance(-50))
    else:  # Bob and Cid share the first place: each game between a first and another counts half
        bob, cid = bob + 10 * (1.5 - 2 * chance(100)), cid + 10 * (1.5 - chance(0) - chance(-100))
        ann -= 10 * (chance(0) + chance(-100))
    moved = 20 * chance(bob - ann)
    assert (rating["Ann"], rating["Bob"], rating["Cid"]) == pytest.approx((ann + moved, bob - moved, cid), abs=1e-9)


def chance(gap: float) -> float:
    return 1 / (1 + 10 ** (-gap / 400))


def test_every_verb_takes_a_table_of_each_rule(tmp_path: Path) -> None:
    def run(*words: str) -> str:
        done = CliRunner().invoke(cli, [*words])
        assert done.exit_code == 0, (words, done.output)
        return done.stdout

    games = random_games(8, 3, (3, 5), (1,))
    first, every = log_of(games[:6], tmp_path / "first.csv"), log_of(games, tmp_path / "every.csv")
    for rule in RULES:
        book = str(tmp_path / f"{rule}.xlsx")
        setting = ["--set", f"table_rule={rule}", "--set", "k=24"]
        run("import", str(first), "-o", book, *setting)
        run("update", book, str(every), "--no-backup")
        run("validate", book)
        ratings = replay_logs(book, as_book=True).ratings.set_index("player")["rating"].to_dict()
        assert ratings == pytest.approx(wanted(games, rule), abs=1e-9)
        name = games[0][0][1][0]
        told = json.loads(run("explain", name, book, "--as-book", "--json"))
        assert told["periods"][-1]["after"]["rating"] == pytest.approx(ratings[name], abs=1e-9)
        page = tmp_path / f"{rule}.html"
        run("report", book, "-o", str(page))
        assert name in (text := page.read_text(encoding="utf-8"))
        assert text.count("<polyline") == 4  # the first four of the Standings


def test_a_rule_of_tables_is_refused_where_games_have_two_sides(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="two sides, for which table_rule=mean changes nothing"):
        new_book("league-2x2", tmp_path / "no.xlsx", settings={"table_rule": "mean"})


def test_k_of_a_winner_who_takes_from_all_is_k(tmp_path: Path) -> None:
    log = tmp_path / "table.csv"
    log.write_text("1st,2nd,3rd,4th\nAnn,Bob,Cid,Dot\n", encoding="utf-8")
    settings = {"table_rule": "winner", "k_rule": "games", "new_k": 40}
    ann = replay_logs(log, settings=settings).history.set_index("player").loc["Ann"]
    assert (ann["score"], ann["expected"], ann["rating_after"]) == (3, 1.5, 1560)
    assert (ann["k_used"], ann["opponent_side_rating"]) == (40, 1500)
