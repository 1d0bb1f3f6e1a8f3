"""The words of sports: profiles in books, from the empty one to the one that is validated, updated and compared."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import elo_sheets
from elo_sheets.cli import cli
from elo_sheets.errors import UsageError
from elo_sheets.files.package import read_book
from elo_sheets.systems import system as find_system
from elo_sheets.uses.of_book import typed_into
from elo_sheets.validate import validate
from elo_sheets.workbook.book import Book, Inputs
from elo_sheets.workbook.build import blank_book, plan_book
from elo_sheets.workbook.plan import Plan
from elo_sheets.workbook.sports.profiles import NO_DRAWS, PROFILE, Words, as_option, from_option, names, profile
from elo_sheets.workbook.templates import template
from elo_sheets.workbook.write import write_book

INTERNATIONALS = Path(__file__).resolve().parents[1] / "samples" / "internationals_1900s.csv"
TABLE_TENNIS = """player1,player2,date,result
Player 1,Player 2,2024-01-01,3-1
Player 2,Player 3,2024-01-02,0-3
Player 3,Player 1,2024-01-03,3-2
"""


def table(plan: Plan, name: str) -> dict[str, Any]:
    """The columns of a planned table, by label."""
    found = next(one for sheet in plan.sheets for one in sheet.tables if one.name == name)
    return {column.label: column for column in found.columns}


def typed_book(sport: str, results: list[str], system: str = "elo") -> Plan:
    """The plan of a league in which two players' games have results as they are typed."""
    words = profile(sport).words
    rules = find_system(system)
    book = blank_book("league", rules, {}, len(results), {PROFILE: as_option(words)})
    tables = {name: dict(columns) for name, columns in book.inputs.tables.items()}
    tables["Players"]["Player"] = ["One", "Two", *[None] * (book.inputs.rows("Players") - 2)]
    games = tables["Games"]
    games["Result"] = list(results)
    games[words.sides[0]], games[words.sides[1]] = ["One"] * len(results), ["Two"] * len(results)
    inputs = Inputs(tables, book.inputs.cells, book.inputs.sizes)
    return plan_book(Book("league", rules, book.settings, inputs, options=book.options))


TYPED = {
    "football": {"2-1": 1, "2:1": 1, " 0 – 3 ": -1, "1-1": 0, "0-0": 0, "home win": 1, "Draw": 0, "1-0": 1, "½": 0},
    "darts": {"6-4": 1, "4 : 6": -1, "Player 2 won": -1, "5-5": None, "Draw": None, "1/2-1/2": None, "½-½": None},
    "table-tennis": {"3-1": 1, "11-8, 9-11, 5-11": -1, "11-8,11-8 11-9": 1, "11-8, x": None, "11-8, 8-11": None},
    "tennis": {"6-4 3-6 7-6(5)": 1, "6-7(10), 6-7(8)": -1, "1-0,1-0,1-0,1-0,1-0,1-0": None, "RET": None},
}


@pytest.mark.parametrize("sport", sorted(TYPED))
def test_what_is_typed_counts_as_it_reads(sport: str) -> None:
    plan = typed_book(sport, list(TYPED[sport]))
    ledger = table(plan, "Ledger")
    for at, (typed, won) in enumerate(TYPED[sport].items()):
        outcome, status = ledger["Outcome"].fill.values[2 * at], ledger["Status"].fill.values[2 * at]
        if won is None:
            assert str(status).startswith("no result") or status == "forfeit", typed
        else:
            assert (outcome, status) == ({1: "1-0", 0: "1/2-1/2", -1: "0-1"}[won], "rated"), typed


def odd_scores(count: int) -> list[str]:
    """Texts of the letters of scores, most of them none: the same every time."""
    chance = random.Random(7)
    letters = ["1", "0", "12", "-", ":", " ", ",", "(", "½", "a", "007", "1000", ".", "–", "/", "e", "%"]
    made = ["".join(chance.choice(letters) for _ in range(chance.randint(1, 8))) for _ in range(count)]
    scores = [f"{chance.randint(0, 21)}-{chance.randint(0, 21)}" for _ in range(count)]
    return [*made, *(", ".join(scores[i : i + chance.randint(1, 9)]) for i in range(count))]


@pytest.mark.parametrize(
    "engine", ["ironcalc", "formualizer", pytest.param("libreoffice", marks=pytest.mark.libreoffice)]
)
@pytest.mark.parametrize("sport", ["football", "table-tennis"])
def test_engines_read_odd_texts_as_the_book_says(sport: str, engine: str, tmp_path: Path) -> None:
    texts = [*odd_scores(20), *(text for group in TYPED.values() for text in group)]
    path = tmp_path / "odd.xlsx"
    write_book(typed_book(sport, texts), path)
    verdict = validate(path, engine=engine)
    assert verdict.reason is None
    # Rows without a result are told; nothing else is.
    assert [one for one in verdict.findings if not one.message.startswith("the game in row")] == []


def run(*arguments: str) -> Any:
    result = CliRunner().invoke(cli, list(arguments))
    assert result.exit_code == 0, result.output
    return result


def test_no_football_team_is_white(tmp_path: Path) -> None:
    path = tmp_path / "book.xlsx"
    said = run("import", str(INTERNATIONALS), "-o", str(path))
    assert "Home and Away" in said.stderr
    assert "--profile none" in said.stderr
    texts = [str(cell.value) for sheet in read_book(path).sheets.values() for cell in sheet.values() if cell.value]
    sides = [text for text in texts if text.startswith(("White", "Black"))]
    # The spellings that are understood stay: a log of another kind may be pasted in.
    assert [text for text in sides if "won" not in text.lower() and "win" not in text.lower()] == []
    games = table(plan_of(path), "Games")
    assert [games[label].fill.values[0] for label in ("Home", "Away", "Result")] == ["Scotland", "Wales", "5-2"]


def plan_of(path: Path) -> Plan:
    from elo_sheets.uses.updating.old import Old

    return Old.read(path).plan


def test_the_words_change_no_number(tmp_path: Path) -> None:
    plain, worded = tmp_path / "plain.xlsx", tmp_path / "worded.xlsx"
    elo_sheets.import_logs([INTERNATIONALS], plain, profile="none")
    elo_sheets.import_logs([INTERNATIONALS], worded)
    one, other = (table(plan_of(path), "Players")["Rating"].fill.values for path in (plain, worded))
    assert one[:23] == other[:23]
    assert elo_sheets.replay([worded]).ratings.equals(elo_sheets.replay([plain]).ratings)
    told = CliRunner().invoke(cli, ["diff", str(plain), str(worded)])
    assert told.exit_code == 0, told.output


def test_a_book_with_a_profile_takes_further_games_and_seasons(tmp_path: Path) -> None:
    log, more, book = tmp_path / "log.csv", tmp_path / "more.csv", tmp_path / "book.xlsx"
    log.write_text(TABLE_TENNIS)
    more.write_text(TABLE_TENNIS + "Player 2,Player 1,2024-02-01,3-0\n")
    run("import", str(log), "-o", str(book), "--profile", "table-tennis")
    run("update", str(book), str(more))
    games = table(plan_of(book), "Games")
    assert games["Result"].fill.values[:5] == ["3-1", "0-3", "3-2", "3-0", None]
    assert validate(book).status == "agrees"
    whole = tmp_path / "whole.xlsx"
    run("import", str(more), "-o", str(whole), "--profile", "table-tennis")
    assert CliRunner().invoke(cli, ["diff", str(book), str(whole)]).exit_code == 0


def test_the_system_and_the_settings_of_a_profile_count_where_none_is_given(tmp_path: Path) -> None:
    run("new", "league", "-o", str(tmp_path / "a.xlsx"), "--profile", "table-tennis", "--rows", "5")
    run("new", "league", "-o", str(tmp_path / "b.xlsx"), "--profile", "table-tennis", "--rows", "5", "--set", "k=12")
    run("new", "league", "-o", str(tmp_path / "c.xlsx"), "--profile", "table-tennis", "--rows", "5", "--system", "fide")
    settings = [typed_into(tmp_path / f"{name}.xlsx")[2] for name in "ab"]
    assert [one["k"] for one in settings] == [32.0, 12.0]
    assert typed_into(tmp_path / "c.xlsx")[0].system.name == "fide"


def test_draws_of_a_log_count_whatever_the_profile_says(tmp_path: Path) -> None:
    log, book = tmp_path / "log.csv", tmp_path / "book.xlsx"
    log.write_text("player1,player2,result\nA,B,draw\nA,B,win\n")
    said = run("import", str(log), "-o", str(book), "--profile", "darts").stderr
    assert "1 game of the log is a draw, which the profile darts does not have: the book has them" in said
    assert table(plan_of(book), "Games")["Status"].fill.values[:2] == ["rated", "rated"]


@pytest.mark.parametrize("template", ["league", "journal"])
def test_a_draw_that_an_update_adds_to_a_sport_without_draws_counts_as_in_import(template: str, tmp_path: Path) -> None:
    log, book = tmp_path / "log.csv", tmp_path / "book.xlsx"
    log.write_text(TABLE_TENNIS)
    named = ["--player", "Player 1"] if template == "journal" else []
    run("import", str(log), "-o", str(book), "--template", template, "--profile", "darts", *named)
    log.write_text(TABLE_TENNIS + "Player 1,Player 2,2024-01-04,2-2\n")
    said = run("update", str(book), str(log)).stderr
    assert "1 game of the log is a draw, which the profile darts does not have: the book has them" in said
    afresh = tmp_path / "afresh.xlsx"
    run("import", str(log), "-o", str(afresh), "--template", template, "--profile", "darts", *named)
    games = [table(plan_of(one), "Log" if named else "Games")["Status"].fill.values[:5] for one in (book, afresh)]
    assert games[0] == games[1]
    assert NO_DRAWS not in games[0]
    assert validate(book).status == "agrees"
    assert "is as it should be" in run("update", str(book), str(log)).stdout


def test_a_profile_of_ones_own(tmp_path: Path) -> None:
    own = tmp_path / "curling.toml"
    own.write_text(
        'title = "Curling"\nsides = ["Red", "Yellow"]\nresults = ["Red won", "Peel", "Yellow won"]\nscores = 1\n'
        'example = "7-4"\nsystem = "elo"\nsettings = { k = 24 }\n'
    )
    book = tmp_path / "book.xlsx"
    run("new", "league", "-o", str(book), "--profile", str(own), "--rows", "5")
    own.unlink()
    assert {"Red", "Yellow"} <= set(table(plan_of(book), "Games"))
    assert validate(book).status == "agrees"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('sides = ["A", "a"]\nresults = ["x", "y", "z"]', "sides ="),
        ('sides = ["A", "B"]\nresults = ["x", "y"]', "results ="),
        ('sides = ["A", "B"]\nresults = ["loss", "y", "z"]', "another result"),
        ('sides = ["A", "B"]\nresults = ["x", "y", "z"]\nscores = 10', "scores from 0"),
        ('sides = ["A", "B"]\nresults = ["x", "y", "z"]\nscores = 1\nexample = "3"', "example"),
        ('sides = ["A", "B"]\nresults = ["x", "y", "z"]\ncolour = 1', "colour"),
        ("sides = [", "TOML"),
    ],
)
def test_a_profile_that_cannot_be_is_refused_with_its_file(text: str, said: str, tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    own.write_text(text)
    result = CliRunner().invoke(cli, ["new", "league", "-o", str(tmp_path / "book.xlsx"), "--profile", str(own)])
    assert isinstance(result.exception, UsageError)
    assert said in str(result.exception)
    assert "own.toml" in str(result.exception)


@pytest.mark.parametrize("name", ["event", "calculator", "match"])
def test_templates_with_words_of_their_own_refuse_a_profile(name: str, tmp_path: Path) -> None:
    result = CliRunner().invoke(cli, ["new", name, "-o", str(tmp_path / "book.xlsx"), "--profile", "football"])
    assert isinstance(result.exception, UsageError)
    assert "--profile" in str(result.exception)
    assert not template(name).get("worded", False)


def test_the_profiles_of_the_package_are_sound() -> None:
    assert {"chess", "football", "table-tennis", "foosball", "tennis", "darts"} <= set(names())
    said = run("profiles").output
    for name in names():
        words = profile(name).words
        assert from_option(as_option(words)) == words
        assert name in said
        assert not words.scores or words.outcome(words.example) in {"1-0", "0-1"}
    assert Words() == Words(results=("1-0", "1/2-1/2", "0-1"))


@pytest.mark.parametrize("name", ["compare", "ratings-list"])
def test_other_pools_speak_the_words_too(name: str, tmp_path: Path) -> None:
    log, book = tmp_path / "log.csv", tmp_path / "book.xlsx"
    log.write_text(TABLE_TENNIS)
    run("import", str(log), "-o", str(book), "--profile", "table-tennis", "--template", name)
    assert {"Player 1", "Player 2"} <= set(table(plan_of(book), "Games"))
    assert validate(book).status == "agrees"


@pytest.mark.parametrize(
    ("sport", "typed", "column", "rated"),
    [
        ("table-tennis", ["3:1", "11-8, 9-11, 5-11", "Win", "2-2", "Draw"], "", 3),
        ("football", ["2:1", "0-3", "w", "1-1", "Draw"], "Side", 5),
        ("go", ["3-1", "Win", "L", "1-0", "½"], "Colour", 4),
    ],
)
def test_a_journal_speaks_the_words_of_its_sport(
    sport: str, typed: list[str], column: str, rated: int, tmp_path: Path
) -> None:
    words = profile(sport).words
    options, rules, book = {PROFILE: as_option(words)}, find_system("elo"), tmp_path / "book.xlsx"
    blank = blank_book("journal", rules, {}, len(typed), options)
    log = dict(blank.inputs.tables["Log"]) | {"Result": list(typed), "Opponent": ["One"] * 5}
    log |= {"Opponent rating": [1500.0] * 5, words.side: [words.sides[1]] * 5}
    inputs = Inputs({**blank.inputs.tables, "Log": log}, blank.inputs.cells, blank.inputs.sizes)
    settings = {**blank.settings, "advantage": 100.0}
    plan = plan_book(elo_sheets.workbook.book.Book("journal", rules, settings, inputs, options=options))
    columns = table(plan, "Log")
    assert [label for label in ("Colour", "Side", "Opening") if label in columns and columns[label].width] == (
        [column, "Opening"] if column == "Colour" else [column] if column else []
    )
    assert columns["Status"].fill.values.count("rated") == rated
    assert table(plan, "Ledger")["Result"].fill.values[0] == ("Win" if sport != "go" else "no result: write Win")
    assert not column or columns["Expected"].fill.values[1] < 0.4  # the second side has no advantage
    assert columns["Result"].validation.items == (("Win", "Draw", "Loss") if words.draws else ("Win", "Loss"))
    assert words.sides == ("White", "Black") or not {"White", "Black"} & set(shown(plan).split())
    write_book(plan, book)
    for engine in ("ironcalc", "formualizer"):
        assert {one.code for one in validate(book, engine=engine).findings} <= {"ES404", "ES406", "ES408"}


# Fixtures of two teams at home and away: with scores, with a result alone, and to play.
FIXTURES = """date,home,away,score1,score2,result
2024-01-01,Team 1,Team 2,98,91,
2024-01-02,Team 2,Team 3,80,85,
2024-01-03,Team 3,Team 1,,,1-0
2024-02-03,Team 1,Team 3,,,
"""


@pytest.mark.parametrize(
    ("sport", "scored", "win"), [("basketball", "score", 1), ("table-tennis", "score", 1), ("football", "goals", 3)]
)
def test_a_season_speaks_the_words_of_its_sport(sport: str, scored: str, win: float, tmp_path: Path) -> None:
    log, more, book = tmp_path / "log.csv", tmp_path / "more.csv", tmp_path / "book.xlsx"
    log.write_text(FIXTURES)
    run("import", str(log), "-o", str(book), "--template", "season", "--profile", sport)
    plan = plan_of(book)
    fixtures = table(plan, "Fixtures")
    typed = [fixtures[label].fill.values[:4] for label in (f"Home {scored}", f"Away {scored}", "Result")]
    assert typed == [[98, 80, None, None], [91, 85, None, None], [None, None, "Home win", None]]
    assert fixtures["Status"].fill.values[:4] == ["rated", "rated", "rated", "to play"]
    assert (fixtures["Draw"].width == table(plan, "Forecast")["Draw"].width == 0) == (sport != "football")
    assert ("how draws are reckoned" in shown(plan)) == (sport == "football")
    assert tuple(fixtures["Result"].validation.items) == (
        ("Home win", "Draw", "Away win") if sport == "football" else ("Home win", "Away win")
    )
    assert win in [cell.value for cell in plan.sheet("Table").cells if cell.is_input]
    assert ("goals" in shown(plan)) == (scored == "goals")
    assert not {"White", "Black"} & set(shown(plan).split())
    assert validate(book).status == "agrees"
    more.write_text(FIXTURES.replace("03,Team 1,Team 3,,,", "03,Team 1,Team 3,70,66,"))
    run("update", str(book), str(more))
    assert table(plan_of(book), "Fixtures")["Status"].fill.values[3] == "rated"
    assert validate(book).status == "agrees"


def test_a_season_takes_no_words_that_are_not_asked_for(tmp_path: Path) -> None:
    log, book = tmp_path / "log.csv", tmp_path / "book.xlsx"
    log.write_text(FIXTURES)
    run("import", str(log), "-o", str(book), "--template", "season")
    fixtures = table(plan_of(book), "Fixtures")
    assert (fixtures["Home goals"].fill.values[0], fixtures["Result"].fill.values[2]) == (98, "1-0")


def shown(plan: Plan) -> str:
    """What people read in a book: the texts of its sheets, the headers of their tables and what is said of them."""
    sheets = [sheet for sheet in plan.sheets if sheet.name not in {"Spellings", "elo-sheets"}]
    texts = [str(cell.value) for sheet in sheets for cell in sheet.cells if cell.formula is None]
    columns = [column for sheet in sheets for one in sheet.tables for column in one.columns]
    told = [one.validation for one in columns if one.validation is not None]
    texts += [f"{one.label} {one.about}" for one in columns]
    return " ".join((*texts, *(f"{one.title} {one.message}" for one in told)))
