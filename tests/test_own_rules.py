"""A rule of one's own, in a file outside the package: the same numbers everywhere, and known again when it changes."""

from __future__ import annotations

import csv
import os
import re
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from elo_sheets.cli import cli
from elo_sheets.engines.recalculate import recalculate
from elo_sheets.errors import NotChecked, UsageError
from elo_sheets.files.package import read_book
from elo_sheets.games import make_games
from elo_sheets.replaying.replay import replay
from elo_sheets.systems import SYSTEMS, Rules, is_built_in, system
from elo_sheets.testing import check_system
from elo_sheets.uses.differing import diff
from elo_sheets.uses.exporting import replay_logs
from elo_sheets.uses.importing import import_logs
from elo_sheets.validate import validate
from elo_sheets.workbook import new_book
from elo_sheets.workbook.fits import fitting_systems
from elo_sheets.workbook.needs import check_words
from elo_sheets.workbook.templates import NAMES, template

LOG = Path(__file__).parents[1] / "samples" / "internationals_1900s.csv"
ENGINES = ["ironcalc", pytest.param("libreoffice", marks=pytest.mark.libreoffice)]
HOLDS_IT = ("league", "compare", "season", "ratings-list")

DOUBLED = """
from dataclasses import replace
from elo_sheets.systems import called
from elo_sheets.systems.elo import ELO

@called("change")
def doubled(k_used, score, expected):
    return 2 * k_used * (score - expected)

GAME = (*(step for step in ELO.game if step.__name__ != "change"), doubled)
MY = replace(ELO, game=GAME)
MINE = replace(ELO, name="mine", game=GAME)
COPY = replace(ELO)
"""

GAME_OF_TWO = {"white": "Player 1", "black": "Player 2", "score": 1.0, "source": "log", "source_row": 1}


@pytest.fixture
def rule(tmp_path: Path) -> str:
    path = tmp_path / "my.py"
    path.write_text(DOUBLED)
    return f"{path}:MY"


def judged(k: float = 40.0, period: int = 0) -> dict[str, float]:
    """The ratings after the log by a few lines that share nothing with the package.

    `period` is how much of a day's text names the period: 7 the month, 0 a period for each game.
    """
    ratings: dict[str, float] = defaultdict(lambda: 1500.0)
    before, current = dict(ratings), ""
    with LOG.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for at, row in enumerate(sorted(rows, key=lambda row: row["date"])):
        named = row["date"][:period] or str(at)
        if named != current:
            before, current = dict(ratings), named
        home, away = (before.get(row[f"{side}_team"], 1500.0) for side in ("home", "away"))
        goals = int(row["home_score"]) - int(row["away_score"])
        score = 0.5 if goals == 0 else float(goals > 0)
        gain = k * (score - 1 / (1 + 10 ** ((away - home) / 400)))
        ratings[row["home_team"]] += gain
        ratings[row["away_team"]] -= gain
    return ratings


def column(path: Path, table: str, label: str, values: Any = None) -> list[Any]:
    """The values of a table's column as the file holds them, or as an engine computed them."""
    book = read_book(path)
    found = book.tables[table]
    at = found.column(label)
    assert at is not None
    rows = range(found.first_data_row, found.last_data_row + 1)
    if values is None:
        cells = book.sheets[found.sheet]
        return [cells[row, at].value if (row, at) in cells else None for row in rows]
    return [values[found.sheet].get((row, at)) for row in rows]


def test_the_doubled_rule_is_replayed_though_it_is_called_elo(rule: str) -> None:
    found = replay_logs([LOG], system=rule).replayed.ratings
    ratings = dict(zip(found["player"], found["rating"], strict=True))
    assert ratings == pytest.approx(dict(judged()), abs=1e-9)
    assert round(ratings["England"], 1) == 1726.3
    assert round(judged(20)["England"], 1) == 1648.6


@pytest.mark.parametrize("name", HOLDS_IT)
@pytest.mark.parametrize("engine", ENGINES)
def test_every_template_that_fits_holds_the_doubled_ratings(name: str, engine: str, rule: str, tmp_path: Path) -> None:
    if engine == "libreoffice" and name != "league":
        pytest.skip("one book is enough for the slow engine")
    book = tmp_path / "book.xlsx"
    import_logs([LOG], book, template=name, system=rule)
    players, label = ("Teams", "Team") if name == "season" else ("Players", "Player")
    values = recalculate(read_book(book), engine).values
    names = column(book, players, label)
    for ratings in (column(book, players, "Rating"), column(book, players, "Rating", values)):
        shown = {one: rating for one, rating in zip(names, ratings, strict=True) if one}
        assert shown == pytest.approx(dict(judged(period=7 if name == "ratings-list" else 0)), abs=1e-7)
    verdict = validate(book, system=rule)
    assert (verdict.status, verdict.system) == ("agrees", "elo (my.py:MY)")


def test_a_journal_of_the_rule_follows_it(rule: str, tmp_path: Path) -> None:
    log, book = tmp_path / "log.csv", tmp_path / "journal.xlsx"
    log.write_text("date,white,black,score,black_rating\n2025-01-01,A,B,1-0,1600\n2025-01-02,A,C,1/2-1/2,1500\n")
    import_logs([log], book, player="A", system=rule)
    first = 1500 + 40 * (1 - 1 / (1 + 10 ** (100 / 400)))
    second = first + 40 * (0.5 - 1 / (1 + 10 ** ((1500 - first) / 400)))
    assert column(book, "Ledger", "Rating after")[:2] == pytest.approx([first, second], abs=1e-9)
    assert validate(book, system=rule).status == "agrees"


def test_a_rule_by_which_lower_is_better_has_a_league_and_no_journal(tmp_path: Path) -> None:
    """A journal's peaks, best wins, goals and performances look upwards."""
    path = tmp_path / "handicaps.py"
    path.write_text(
        "from dataclasses import replace\nfrom elo_sheets.systems.elo import ELO\n"
        "GOLF = replace(ELO, name='golf', lower_is_better=True, variant=None)\n"
    )
    with pytest.raises(UsageError, match="takes the higher rating for the better one, which golf does not"):
        new_book("journal", tmp_path / "journal.xlsx", system=f"{path}:GOLF")
    new_book("league", tmp_path / "league.xlsx", system=f"{path}:GOLF")


@pytest.mark.parametrize(("width", "said"), [(200, True), (400, False)])
def test_a_journal_says_where_its_performances_are_on_another_scale_than_the_rule(
    width: int, said: bool, tmp_path: Path
) -> None:
    path = tmp_path / "office.py"
    path.write_text(
        "from dataclasses import replace\nfrom elo_sheets.systems.elo import ELO\n"
        f"def expected(rating, opponent_rating):\n    return 1 / (1 + 10 ** ((opponent_rating - rating) / {width}))\n"
        "def change(k, score, expected):\n    return k * (score - expected)\n"
        "PLAIN = replace(ELO, name='office', variant=None, game=(expected, change),\n"
        "    parameters=tuple(p for p in ELO.parameters if p.name in ('initial', 'k', 'period')))\n"
    )
    new_book("journal", tmp_path / "journal.xlsx", system=f"{path}:PLAIN")
    texts = [str(cell.formula) for cell in read_book(tmp_path / "journal.xlsx").sheets["Dashboard"].values()]
    assert any("on Elo's scale" in text for text in texts) is said


def test_an_empty_book_of_the_rule_is_typed_into_and_follows_it(rule: str, tmp_path: Path) -> None:
    book = tmp_path / "club.xlsx"
    new_book("league", book, system=rule, rows=4)
    found = read_book(book)
    values: dict[tuple[str, str], Any] = {("Players", "B5"): "A", ("Players", "B6"): "B"}
    games = found.tables["Games"]
    for label, value in {"White": "A", "Black": "B", "Result": "1-0"}.items():
        at = games.column(label)
        assert at is not None
        values[games.sheet, f"{'ABCDEFGH'[at - 1]}{games.first_data_row}"] = value
    typed = typed_into(book, tmp_path / "typed.xlsx", values)
    computed = recalculate(read_book(typed)).values
    assert column(typed, "Players", "Rating", computed)[:2] == pytest.approx([1520.0, 1480.0], abs=1e-9)
    verdict = validate(typed, system=rule)
    assert {finding.code for finding in verdict.findings} == {"ES302"}  # a program that stores no results wrote it


def typed_into(source: Path, target: Path, values: dict[tuple[str, str], Any]) -> Path:
    import openpyxl

    book = openpyxl.load_workbook(source)
    for (sheet, cell), value in values.items():
        book[sheet][cell] = value
    book.save(target)
    return target


def test_start_says_whose_rule_it_is_and_the_manifest_keeps_its_parts(rule: str, tmp_path: Path) -> None:
    book = tmp_path / "book.xlsx"
    new_book("league", book, system=rule, rows=4)
    texts = [str(cell.value) for cell in read_book(book).sheets["Start"].values()]
    assert any(text.startswith("Rated by a rule of its own: elo (my.py:MY), fingerprint ") for text in texts)
    assert "rule elo" in {str(cell.value) for cell in read_book(book).sheets["elo-sheets"].values()}
    new_book("league", tmp_path / "elo.xlsx", system="elo", rows=4)
    assert not any("rule of its own" in str(c.value) for c in read_book(tmp_path / "elo.xlsx").sheets["Start"].values())


def test_validate_asks_for_the_file_and_names_the_step_that_has_changed(rule: str, tmp_path: Path) -> None:
    book = tmp_path / "book.xlsx"
    import_logs([LOG], book, system=rule)
    without = validate(book)
    assert (without.status, without.exit_code) == ("unchecked", 4)
    assert without.reason == (
        "the book is rated by a rule of its own, elo from my.py:MY: give its file with --system my.py:MY"
    )
    (tmp_path / "my.py").write_text(DOUBLED.replace("2 * k_used", "3 * k_used"))
    changed = validate(book, system=rule)
    assert changed.status == "unchecked"
    assert "the rule elo (my.py:MY) has changed since the book was made: step change (" in str(changed.reason)
    done = CliRunner().invoke(cli, ["validate", str(book), "--system", rule])
    assert done.exit_code == 4
    (tmp_path / "my.py").write_text(DOUBLED)
    assert CliRunner().invoke(cli, ["validate", str(book), "--system", rule]).exit_code == 0


def test_a_rule_is_taken_as_its_file_stands_now_and_nothing_is_left_beside_it(rule: str, tmp_path: Path) -> None:
    path = tmp_path / "my.py"
    before = path.stat().st_mtime_ns
    assert replay(make_games([GAME_OF_TWO]), system(rule)).ratings["rating"].max() == 1520
    path.write_text(DOUBLED.replace("2 * k_used", "3 * k_used"))
    os.utime(path, ns=(before, before))
    assert replay(make_games([GAME_OF_TWO]), system(rule)).ratings["rating"].max() == 1530
    assert [one.name for one in tmp_path.iterdir()] == ["my.py"]


def test_a_rule_that_the_book_is_not_rated_by_is_refused(rule: str, tmp_path: Path) -> None:
    book = tmp_path / "elo.xlsx"
    new_book("league", book, system="elo", rows=4)
    with pytest.raises(UsageError, match=r"nothing here is rated by elo \(my.py:MY\), but by elo: leave out --system"):
        validate(book, system=rule)


def test_diff_takes_the_rule_of_its_books(rule: str, tmp_path: Path) -> None:
    book = tmp_path / "book.xlsx"
    import_logs([LOG], book, system=rule)
    assert diff(LOG, book, system=rule).same
    with pytest.raises(NotChecked, match=r"give its file with --system my\.py:MY"):
        diff(LOG, book)
    plain = tmp_path / "elo.xlsx"
    import_logs([LOG], plain, system="elo")
    found = diff(plain, book, system=rule)
    assert [(one.name, one.before, one.after) for one in found.settings] == [("system", "elo", "elo (my.py:MY)")]


def test_a_comparison_holds_the_rule_beside_the_one_it_comes_from(rule: str, tmp_path: Path) -> None:
    book = tmp_path / "book.xlsx"
    mine = rule.replace(":MY", ":MINE")
    import_logs([LOG], book, template="compare", system=f"elo,{mine}")
    names = column(book, "Players", "Player")
    assert validate(book).status == "unchecked"
    assert validate(book, system=mine).status == "agrees"
    listed = column(book, "Compare", "mine")
    shown = dict(zip(column(book, "Compare", "Player"), listed, strict=True))
    assert {one: shown[one] for one in names if one} == pytest.approx(dict(judged()), abs=1e-7)
    with pytest.raises(UsageError, match=r"two systems are called elo: give the one of my\.py:MY"):
        import_logs([LOG], tmp_path / "two.xlsx", template="compare", system=f"elo,{rule}")


def test_a_copy_that_changes_nothing_is_the_built_in_rule(rule: str) -> None:
    assert system(rule.replace(":MY", ":COPY")) is SYSTEMS["elo"]
    assert not is_built_in(system(rule))


def test_a_setting_that_chooses_another_form_of_what_was_replaced_is_refused(rule: str) -> None:
    mine = system(rule)
    with pytest.raises(UsageError, match="system elo replaces game of the default form"):
        replay_logs([LOG], system=rule, settings={"margin_rule": "nfl"})
    game = {"date": "2025-01-01", "white": "A", "black": "B", "score": 1.0, "source": "", "source_row": 1}
    assert replay(make_games([game]), mine, {"k": 30}).ratings["rating"].tolist() == [1530.0, 1470.0]


# --- what fits ------------------------------------------------------------------------------------------------

STEPS = (
    "elo fide ecf ecf-grade dwz ingo egf world-football fifa nba nfl tennis glicko glicko2 lichess trueskill weng-lin"
)
FITS = {
    "journal": "elo fide ecf dwz tennis glicko glicko2 lichess",
    "league": STEPS,
    "compare": STEPS,
    "ratings-list": STEPS,
    "event": "fide dwz uschess",
    "season": "world-football elo fifa nba nfl",
    "calculator": "elo fide",
    "match": "elo fide",
}


@pytest.mark.parametrize("name", NAMES)
def test_a_template_holds_the_systems_that_do_what_it_needs(name: str) -> None:
    assert fitting_systems(name) == tuple(FITS[name].split())


@pytest.mark.parametrize(
    ("name", "asked", "reason"),
    [
        (
            "league",
            "whr",
            "needs a system that rates game by game or by periods, in steps that are formulas; whr rates",
        ),
        ("journal", "ingo", "needs a system that has a step expected"),
        ("journal", "egf", "needs a system that asks for no handicap of a game, which egf does not"),
        ("season", "fide", "needs a system that rates after each game unless told otherwise, which fide does not"),
        ("season", "glicko2", "needs a system that rates after each game"),
        ("season", "lichess", "needs a system that carries nothing but the rating from game to game"),
        ("event", "elo", "holds the rules of fide, dwz, uschess as their sources print them, not elo"),
    ],
)
def test_a_refusal_gives_the_reason(name: str, asked: str, reason: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError) as refusal:
        new_book(name, tmp_path / "book.xlsx", system=asked)
    assert f"template {name} {reason}" in str(refusal.value)
    assert "replay gives the numbers alone" in str(refusal.value)


def test_a_template_that_needs_what_nobody_knows_is_refused() -> None:
    with pytest.raises(UsageError, match=r"template club: expected needs among steps, .* got \['luck'\]"):
        check_words({**template("league"), "needs": ["luck"]}, "club")


# --- headers --------------------------------------------------------------------------------------------------

COUNTED = """
from dataclasses import replace
from elo_sheets.systems import State
from elo_sheets.systems.elo import ELO

def games_after(games, period_games):
    return games + period_games

MY = replace(
    ELO, name="counted", state=(*ELO.state, State("games", "initial_games")), closing=(*ELO.closing, games_after),
    labels={LABELS},
)
"""


def counted(folder: Path, labels: str) -> Rules:
    (folder / "counted.py").write_text(COUNTED.replace("{LABELS}", labels))
    return system(f"{folder / 'counted.py'}:MY")


def test_a_label_that_is_a_columns_of_the_template_is_refused_with_the_remedy(tmp_path: Path) -> None:
    mine = counted(tmp_path, "{}")
    told = r"two columns called Games in the table \w+: give games of system counted.* labels=\{'games': 'Own games'\}"
    with pytest.raises(UsageError, match=told):
        new_book("league", tmp_path / "book.xlsx", system=mine)
    with pytest.raises(AssertionError, match=r"books: UsageError: .*two columns called Games"):
        check_system(mine, engine=None)  # type: ignore[arg-type]


def test_the_remedy_helps(tmp_path: Path) -> None:
    mine = counted(tmp_path, "{'games': 'Own games'}")
    new_book("league", tmp_path / "book.xlsx", system=mine, rows=4)
    assert validate(tmp_path / "book.xlsx", system=mine).status == "agrees"


# --- the page that says how ---------------------------------------------------------------------------------------


(LADDER,) = re.findall(
    r"```python[^\n]*\n(.*?)```",
    (Path(__file__).parents[1] / "docs" / "own-system.md").read_text(encoding="utf-8"),
    re.DOTALL,
)
OFFICE = "Date,White,Black,Result\n2024-01-05,P,Q,1-0\n2024-01-12,R,P,1/2-1/2\n2024-01-19,Q,R,1-0\n"


@pytest.mark.parametrize("engine", ENGINES)
def test_the_ladder_of_the_page_goes_through_replay_books_engines_and_validate(engine: str, tmp_path: Path) -> None:
    (tmp_path / "office.py").write_text(LADDER)
    (tmp_path / "games.csv").write_text(OFFICE)
    rule, log, book = f"{tmp_path / 'office.py'}:LADDER", tmp_path / "games.csv", tmp_path / "ladder.xlsx"
    # Twice the step of 4 while they are new: 8 x 0.5, then 8 x (0.5 - 0.54), then 8 x (1 - (0.5 - 4.32 / 100)).
    first = 8 * 0.5
    second = 8 * (0.5 - (0.5 - first / 100))
    third = 8 * (1 - (0.5 + (-first - second) / 100))
    wanted = {"P": 100 + first - second, "Q": 100 - first + third, "R": 100 + second - third}
    found = replay_logs([log], system=rule).replayed.ratings
    assert dict(zip(found["player"], found["rating"], strict=True)) == pytest.approx(wanted, abs=1e-12)
    import_logs([log], book, system=rule)
    values = recalculate(read_book(book), engine).values
    shown = dict(zip(column(book, "Players", "Player"), column(book, "Players", "Rating", values), strict=True))
    assert {name: shown[name] for name in wanted} == pytest.approx(wanted, abs=1e-9)
    assert validate(book, system=rule).status == "agrees"
    check_system(system(rule))
