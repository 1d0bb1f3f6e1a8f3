"""The verbs that compare, fit and predict, and the library's same verbs over everything that logs may come as."""

from __future__ import annotations

import io
import json
import math
from pathlib import Path
from typing import Any

import click
import openpyxl
import pandas as pd
import pytest
from click.testing import CliRunner

import elo_sheets
from elo_sheets.cli import cli
from elo_sheets.cli.logs import MOST_PLAYERS
from elo_sheets.errors import EloSheetsError, UnreadableInput, UsageError
from elo_sheets.replaying.history import BURN_IN
from elo_sheets.replaying.replay import replay as replay_table
from elo_sheets.systems import SYSTEMS, Fit, System
from elo_sheets.uses.pairing import predict_pairing

SAMPLES = Path(__file__).parent.parent / "samples"
NATIONS = SAMPLES / "internationals_1900s.csv"
ROWS = [
    ("2026-01-05", "Player 1", "Player 2", "1-0"),
    ("2026-01-12", "Player 2", "Player 3", "1/2-1/2"),
    ("2026-01-19", "Player 3", "Player 1", "0-1"),
    ("2026-01-26", "Player 1", "Player 3", "0-1"),
]
FRAME = pd.DataFrame(ROWS, columns=["Date", "White", "Black", "Result"])
TEXT = FRAME.to_csv(index=False)


def run(*arguments: str) -> dict[str, Any]:
    done = CliRunner().invoke(cli, [*arguments, "--json"], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "log.csv"
    path.write_text(TEXT)
    return path


# --- compare and fit ------------------------------------------------------------------------------------------------


def test_compare_is_what_the_option_of_replay_was() -> None:
    old = run("replay", str(NATIONS), "--compare", "elo,glicko2", "--set", "k=30")
    assert run("compare", str(NATIONS), "--system", "elo", "--system", "glicko2", "--set", "k=30") == old
    assert run("compare", str(NATIONS), "--system", "elo,glicko2", "--set", "k=30") == old


def test_fit_is_what_the_option_of_replay_was() -> None:
    old = run("replay", str(NATIONS), "--fit", "k=10:60,advantage=0:100")
    assert run("fit", str(NATIONS), "k=10:60", "advantage=0:100") == old
    assert run("fit", "k=10:60", "advantage=0:100", str(NATIONS)) == old


def test_the_options_of_replay_name_the_verb() -> None:
    done = CliRunner().invoke(cli, ["replay", str(NATIONS), "--fit", "k=10:60"])
    assert "note: elo-sheets fit is the verb for this" in done.stderr


@pytest.mark.parametrize("words", [[], ["k=10:60"], ["log.csv"]])
def test_fit_without_logs_or_ranges_says_what_it_wants(words: list[str]) -> None:
    with pytest.raises(Exception, match=r"expected logs and the ranges|Missing parameter"):
        CliRunner().invoke(cli, ["fit", *words], catch_exceptions=False, standalone_mode=False)


def test_a_comparison_names_its_systems() -> None:
    done = CliRunner().invoke(cli, ["compare", str(NATIONS)])
    assert done.exit_code == 2
    assert "--system" in done.stderr


def both(*arguments: str) -> dict[str, Any]:
    return run("compare", str(NATIONS), "--system", "elo,glicko2", "--burn-in", "0", *arguments)


def of_player(found: dict[str, Any], name: str) -> dict[str, float]:
    return next(row for row in found["ratings"] if row["player"] == name)


def alone(system: str, *arguments: str) -> float:
    rows = run("replay", str(NATIONS), "--system", system, *arguments)["ratings"]
    return float(next(row["rating"] for row in rows if row["player"] == "England"))


def test_a_setting_of_one_system_goes_to_that_one_alone() -> None:
    given = "--set", "GLICKO2.tau=1.2", "--set", "initial=1600", "--set", "glicko2.initial=1700"
    found = of_player(both(*given), "England")
    assert found["elo"] == pytest.approx(alone("elo", "--set", "initial=1600"), abs=1e-9)
    wanted = alone("glicko2", "--set", "initial=1700", "--set", "tau=1.2")
    assert found["glicko2"] == pytest.approx(wanted, abs=1e-9)
    assert abs(wanted - alone("glicko2", "--set", "initial=1700")) > 1e-6


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("glicko2.tua=1", "system glicko2 has no setting 'tua'; did you mean tau"),
        ("glicko2.k=30", "system glicko2 has no setting 'k'"),
        ("trueskill.beta=4", "setting trueskill.beta is of 'trueskill', which is none of the systems elo, glicko2"),
        ("beta=4", "system elo has no setting 'beta'"),
    ],
)
def test_a_setting_that_its_system_does_not_have_is_refused_by_name(given: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        both("--set", given)


def test_a_setting_that_means_several_things_is_said() -> None:
    notes = elo_sheets.compare(NATIONS, ["elo", "trueskill"], settings={"initial": 1600}).notes
    assert any(note.startswith("initial goes to every system that has it (elo 1500, trueskill 25") for note in notes)
    notes = elo_sheets.compare(NATIONS, ["elo", "glicko2"], settings={"initial": 1600}).notes
    assert not any("initial goes to" in note for note in notes)


@pytest.mark.parametrize("options", [("glicko2:England=1900", "England=1600"), ("England=1600,glicko2:England=1900",)])
def test_a_start_of_one_system_is_that_ones_alone(options: tuple[str, ...]) -> None:
    found = of_player(both(*(word for text in options for word in ("--start", text))), "England")
    assert found["elo"] == pytest.approx(alone("elo", "--start", "England=1600"), abs=1e-9)
    assert found["glicko2"] == pytest.approx(alone("glicko2", "--start", "England=1900"), abs=1e-9)
    given = {"elo": {"England": 1600}, "glicko2": {"England": 1900}}
    library = elo_sheets.compare(NATIONS, ["elo", "glicko2"], start=given, burn_in=0)
    assert library.compared.systems[1].ratings["England"] == found["glicko2"]


def test_one_start_for_systems_of_several_scales_is_said() -> None:
    said = "one start for all systems (elo 1500, trueskill 25 by default): --start trueskill:… is for that one alone"
    assert said in elo_sheets.compare(NATIONS, ["elo", "trueskill"], start="England=1600").notes
    given = "England=1600,trueskill:England=28"
    assert not any("one start" in note for note in elo_sheets.compare(NATIONS, ["elo", "trueskill"], start=given).notes)
    with pytest.raises(UsageError, match="no game of 'glicko:England'"):
        elo_sheets.compare(NATIONS, ["elo", "trueskill"], start="glicko:England=1600")


def test_a_column_of_periods_of_one_system_is_read(tmp_path: Path) -> None:
    weeks = FRAME.assign(Week=["a", "a", "b", "b"])
    found = elo_sheets.compare(weeks, ["elo", "glicko2"], settings={"glicko2.period": "column:week"}, burn_in=0)
    wanted = elo_sheets.replay(weeks, system="glicko2", settings={"period": "column:week"}).to_frame()
    by_name = dict(zip(wanted["player"], wanted["rating"], strict=True))
    assert found.compared.systems[1].ratings == pytest.approx(by_name, abs=1e-12)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--burn-in", "3"], "--burn-in is for the score of predictions"),
        (["--raw"], "--raw says how names are written"),
        (["--compare", "elo,glicko2", "--raw"], "leave out --player, -o, --raw and --as-book"),
    ],
)
def test_an_option_of_replay_that_would_mean_nothing_is_refused(words: list[str], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        run("replay", str(NATIONS), *words)


# --- predict --------------------------------------------------------------------------------------------------------


def expected_of(ratings: dict[str, float], white: str, black: str) -> float:
    return 1 / (1 + 10 ** ((ratings[black] - ratings[white]) / 400))


def test_the_odds_of_a_pairing_follow_from_the_ratings_after_the_log(log: Path) -> None:
    ratings = dict(elo_sheets.replay(log).to_frame()[["player", "rating"]].itertuples(index=False))
    found = run("predict", "player 1", "Player 2", "--log", str(log), "--draws", "0.2")
    assert found["players"] == ["Player 1", "Player 2"]
    assert found["ratings"] == pytest.approx([ratings["Player 1"], ratings["Player 2"]], abs=1e-12)
    assert found["expected"] == pytest.approx(expected_of(ratings, "Player 1", "Player 2"), abs=1e-12)
    assert found["win"] + found["draw"] + found["loss"] == pytest.approx(1, abs=1e-12)
    assert found["draw"] == pytest.approx(0.2, abs=1e-12)


def test_ratings_may_stand_in_the_place_of_players() -> None:
    assert run("predict", "1700", "1500")["expected"] == pytest.approx(1 / (1 + 10**-0.5), abs=1e-12)


def test_start_ratings_stand_for_a_log() -> None:
    found = run("predict", "Ann", "Bob", "--start", "Ann=1700,Bob=1500")
    assert (found["ratings"], found["games"]) == ([1700.0, 1500.0], 0)


def test_the_home_side_has_its_edge_and_nobody_on_neutral_ground() -> None:
    base = ("predict", "England", "Scotland", "--log", str(NATIONS), "--system", "world-football")
    home, away = run(*base), run("predict", "Scotland", "England", *base[3:])
    neutral = run(*base, "--neutral")
    assert home["expected"] > neutral["expected"] > 1 - away["expected"]
    own, other = neutral["ratings"]
    assert neutral["expected"] == pytest.approx(1 / (1 + 10 ** ((other - own) / 400)), abs=1e-9)


def test_a_rating_is_less_sure_after_a_year_away() -> None:
    base = ("predict", "England", "Ireland", "--start", "England=1900,Ireland=1500", "--system", "glicko2")
    now, later = run(*base, "--on", "1910-01-01"), run(*base, "--on", "1911-01-01")
    assert 0.5 < later["expected"] <= now["expected"]


@pytest.mark.parametrize("name", [name for name in SYSTEMS if name not in {"aga", "egf"}])
def test_every_system_gives_the_odds_of_a_pairing(name: str) -> None:
    table = elo_sheets.read(NATIONS, encoding="utf-8").games
    known = table[table["white"].isin(["England", "Scotland", "Wales"])]
    known = known[known["black"].isin(["England", "Scotland", "Wales"])].reset_index(drop=True)
    given = {"minimum_games": 1} if name == "chessmetrics" else {}
    found = predict_pairing("England", "Wales", known, system=name, settings=given)
    assert sum(found.odds) == pytest.approx(1, abs=1e-9)
    stronger = (found.ratings[0] > found.ratings[1]) ^ SYSTEMS[name].lower_is_better
    assert stronger
    assert found.odds.score > 0.5


def test_bayeselo_has_draws_of_its_own() -> None:
    table = elo_sheets.read([io.BytesIO(TEXT.encode())]).games
    found = predict_pairing(
        "Player 1", "Player 2", table, system="bayeselo", settings={"drawelo": 97.3, "advantage": 0}
    )
    scale = replay_table(table, SYSTEMS["bayeselo"], {"drawelo": 97.3, "advantage": 0}).ratings.attrs["scale"]
    between = (found.ratings[0] - found.ratings[1]) / scale
    wins = 1 / (1 + 10 ** ((97.3 - between) / 400))
    losses = 1 / (1 + 10 ** ((97.3 + between) / 400))
    assert list(found.odds) == pytest.approx([wins, 1 - wins - losses, losses], abs=1e-12)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("x", "y"), "nothing is known of 'x' and 'y'"),
        (("Ann", "Bob", "--start", "Ann=1700"), "nothing is known of 'Bob'"),
        (("Playr 1", "Player 2", "--log", "log.csv"), "did you mean Player 1"),
        (("Player 1", "player 1", "--log", "log.csv"), "two players"),
        (("Player 1", "Player 2", "--log", "log.csv", "--on", "soon"), "2026-05-01"),
        (("Player 1", "Player 2", "--log", "log.csv", "--neutral"), "no neutral ground"),
        (("Player 1", "Player 2", "--log", "log.csv", "--system", "whr", "--draws", "labelle"), "labelle"),
    ],
)
def test_what_cannot_be_predicted_is_refused_with_the_reason(
    arguments: tuple[str, ...], said: str, log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(log.parent)
    with pytest.raises(EloSheetsError, match=said):
        CliRunner().invoke(cli, ["predict", *arguments], catch_exceptions=False, standalone_mode=False)


FITS = [name for name, system in SYSTEMS.items() if isinstance(system, Fit)]
HOME = ["England", "Scotland", "Wales"]


@pytest.fixture(scope="module")
def home_nations() -> pd.DataFrame:
    table = elo_sheets.read(NATIONS, encoding="utf-8").games
    return table[table["white"].isin(HOME) & table["black"].isin(HOME)].reset_index(drop=True)


def of_fit(games: Any, name: str, **how: Any) -> Any:
    given = {"minimum_games": 1} if name == "chessmetrics" else {}
    return predict_pairing("England", "Wales", games, system=name, settings=given, **how)


@pytest.mark.parametrize("name", [name for name in FITS if name != "bayeselo"])
def test_draws_of_a_whole_pool_fit_are_those_of_any_system_with_the_same_expectation(
    name: str, home_nations: pd.DataFrame
) -> None:
    for draws in (0.3, 0.1):
        found = of_fit(home_nations, name, draws=draws)
        gap = 400 * math.log10(found.odds.score / (1 - found.odds.score))
        same = predict_pairing("A", "B", start={"A": 1500 + gap, "B": 1500}, draws=draws)
        assert list(found.odds) == pytest.approx(list(same.odds), abs=1e-9)
    assert of_fit(home_nations, name, draws="none").odds.draw == 0
    assert 0 < of_fit(home_nations, name).odds.draw < 1  # as often as in the log


@pytest.mark.parametrize("name", FITS)
@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"neutral": True}, "rates the whole log at once: leave out --neutral and --on"),
        ({"on": "1910-01-01"}, "rates the whole log at once: leave out --neutral and --on"),
        ({"start": {"England": 1500}}, "players start from nothing, leave out --start"),
        ({"draws": "labelle"}, "draws by labelle are for systems that forecast"),
    ],
)
def test_a_whole_pool_fit_refuses_what_it_has_no_use_for(
    name: str, how: dict[str, Any], said: str, home_nations: pd.DataFrame
) -> None:
    with pytest.raises(UsageError, match=said):
        of_fit(home_nations, name, **how)


def test_a_fit_with_draws_of_its_own_refuses_others(home_nations: pd.DataFrame) -> None:
    for draws in (0.3, "none"):
        with pytest.raises(UsageError, match="bayeselo has a probability of draws of its own"):
            of_fit(home_nations, "bayeselo", draws=draws)


def test_a_player_whom_a_fit_does_not_rate_has_no_odds() -> None:
    with pytest.raises(UnreadableInput, match="chessmetrics has no rating for 'Sweden': too few games"):
        predict_pairing("England", "Sweden", NATIONS, system="chessmetrics")


@pytest.mark.parametrize("system", ["elo", "whr"])
def test_a_word_for_draws_that_is_none_is_refused(system: str, home_nations: pd.DataFrame) -> None:
    with pytest.raises(UsageError, match=r"expected draws as log, none, labelle, or a share such as 0\.3, got 'often'"):
        predict_pairing("England", "Wales", home_nations, system=system, draws="often")
    with pytest.raises(UsageError, match="got 'often'"):
        predict_pairing("1700", "1500", draws="often")


@pytest.mark.parametrize(
    "how",
    [{"dates": "dmy"}, {"encoding": "utf-8"}, {"pool": "x"}, {"keep_names": ["nan"]}, {"columns": {"white": "a"}}],
)
def test_how_to_read_a_log_without_a_log_is_refused(how: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="what says how to read a log needs one"):
        predict_pairing("1700", "1500", **how)


# --- the library ----------------------------------------------------------------------------------------------------


def as_given(kind: str, log: Path) -> Any:
    table = elo_sheets.read(log).games
    return {
        "text": str(log),
        "path": log,
        "pattern": str(log.parent / "*.csv"),
        "stream": io.BytesIO(TEXT.encode()),
        "bytes": TEXT.encode(),
        "frame": FRAME,
        "days": FRAME.assign(Date=pd.to_datetime(FRAME["Date"])),
        "games": table,
        "paths": [log],
        "two": [FRAME.head(2), FRAME.tail(2).to_csv(index=False).encode()],
        "mixed": [table.head(2), FRAME.tail(2)],
        "generator": (one for one in [FRAME.head(3), FRAME.tail(1)]),
    }[kind]


KINDS = ["text", "path", "pattern", "stream", "bytes", "frame", "days", "games", "paths", "two", "mixed", "generator"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_replay_takes_logs_in_every_form(kind: str, log: Path) -> None:
    wanted = elo_sheets.replay(str(log)).to_frame()
    pd.testing.assert_frame_equal(elo_sheets.replay(as_given(kind, log)).to_frame(), wanted)


@pytest.mark.parametrize("kind", KINDS)
def test_a_book_is_made_of_logs_in_every_form(kind: str, log: Path, tmp_path: Path) -> None:
    done = elo_sheets.import_logs(as_given(kind, log), tmp_path / "book.xlsx", overwrite=True)
    assert (done.log.kept, done.players) == (4, 3)


def test_systems_are_taken_by_name_and_as_objects(log: Path) -> None:
    elo = elo_sheets.system("elo")
    assert isinstance(elo, System)
    assert elo_sheets.system(elo) is elo
    assert elo_sheets.replay(log, system=elo).to_frame().equals(elo_sheets.replay(log, system="elo").to_frame())
    assert elo_sheets.compare(log, [elo, "glicko2"], burn_in=0).to_frame().index.tolist() == ["elo", "glicko2"]
    assert elo_sheets.explain(log, "Player 1", system=elo).to_frame()["score"].tolist() == [1.0, 1.0, 0.0]
    assert elo_sheets.predict("Player 1", "Player 2", log, system=elo).odds.score > 0.5


def test_results_print_short_and_give_tables(log: Path, tmp_path: Path) -> None:
    book = tmp_path / "club.xlsx"
    fixtures = FRAME.assign(Result=["1-0", "1/2-1/2", "0-1", ""])
    results = [
        elo_sheets.read(log),
        elo_sheets.replay(log),
        elo_sheets.compare(log, ["elo"], burn_in=0),
        elo_sheets.fit(log, {"k": (10, 40)}, burn_in=0),
        elo_sheets.explain(log, "Player 1"),
        elo_sheets.simulate(fixtures, runs=10),
        elo_sheets.predict("Player 1", "Player 2", log),
        elo_sheets.import_logs(log, book),
        elo_sheets.update_book(book, FRAME.assign(Date="2030-01-01"), backup=False),
        elo_sheets.diff(log, book),
        elo_sheets.validate_book(book),
    ]
    assert "k " in repr(results[3])
    for found in results:
        assert len(repr(found)) < 100, repr(found)
        assert isinstance(found.to_frame(), pd.DataFrame)


def test_rows_of_a_frame_that_cannot_be_used_are_named() -> None:
    found = elo_sheets.read(FRAME.assign(Result=["1-0", "later", "0-1", "0-1"]))
    assert (found.read, found.kept, found.rejected) == (4, 3, 1)
    assert (found.problems[0].source, found.problems[0].row, found.problems[0].value) == ("data frame", 3, "later")


def test_a_table_of_games_is_not_read_again(log: Path) -> None:
    twice = pd.concat([FRAME, FRAME.head(1)])
    games = elo_sheets.read(twice, keep_duplicates=True).games
    assert elo_sheets.replay(games).log.kept == 5
    with pytest.raises(UsageError, match="taken as it is"):
        elo_sheets.read(games, encoding="utf-8")


@pytest.mark.parametrize("given", [3, [3], None])
def test_what_is_no_log_is_refused(given: Any) -> None:
    with pytest.raises(UsageError, match="expected"):
        elo_sheets.read(given)


def test_a_frame_without_players_is_refused_as_a_file_is() -> None:
    with pytest.raises(UnreadableInput):
        elo_sheets.read(FRAME[["Date", "Result"]])


def test_a_misspelt_setting_is_answered_with_the_near_one_where_a_system_has_no_form_for_sides() -> None:
    done = CliRunner().invoke(cli, ["replay", "samples/uzchesscup.pgn", "--system", "fide", "--set", "inital=9"])
    assert "system fide has no setting 'inital'; did you mean initial?" in str(done.exception)


def test_a_history_in_csv_names_months() -> None:
    log = b"date,white,black,result\n2025-12-05,Ann,Bob,1-0\n2026-01-06,Ann,Bob,1-0\n"
    done = CliRunner().invoke(cli, ["replay", "-", "--set", "period=month", "-o", "-"], input=log)
    rows = [line.split(",") for line in done.stdout.splitlines()]
    assert [row[rows[0].index("period")] for row in rows[1:]] == ["2025-12", "2025-12", "2026-01", "2026-01"]


def test_a_name_that_is_nobodys_is_answered_with_those_that_have_it_or_come_near(tmp_path: Path) -> None:
    rows = "".join(f"2026-01-01,Team {i},Northern Ireland,1-0\n" for i in (149, 3, 12, 13))
    log = tmp_path / "log.csv"
    log.write_text("date,white,black,result\n" + rows)
    for name, near in (("Ireland", "Northern Ireland?"), ("Team 1", "Team 12 or Team 13 or Team 149?")):
        done = CliRunner().invoke(cli, ["explain", name, str(log)])
        assert str(done.exception).endswith(f"did you mean {near}")


def test_players_to_come_who_are_not_in_the_log_are_told(tmp_path: Path) -> None:
    log, left = tmp_path / "log.csv", tmp_path / "left.csv"
    log.write_text("date,white,black,result\n2026-01-01,Northern Ireland,Wales,1-0\n")
    left.write_text("date,white,black,result\n2026-02-01,Ireland,Wales,\n2026-02-01,Zzz,Wales,\n")
    done = CliRunner().invoke(cli, ["simulate", str(log), "--remaining", str(left), "--runs", "10"])
    assert "play with their start ratings: Ireland (did you mean Northern Ireland?), Zzz" in done.stderr


def test_the_package_lists_what_it_offers_and_names_a_wrong_argument() -> None:
    assert {"replay", "predict", "explain"} <= {*dir(elo_sheets)}
    with pytest.raises(UsageError, match="predict has no argument log: the logs are called logs"):
        elo_sheets.predict("England", "Wales", log="games.csv")


def test_comparisons_print_the_best_and_say_how_many_more_there_are() -> None:
    asked = ["compare", "samples/internationals_1900s.csv", "--system", "elo"]
    few, all_of_them = (CliRunner().invoke(cli, [*asked, *more]).stdout for more in ([], ["--all"]))
    assert few.endswith("and 3 more players (--all prints them)\n")
    assert len(all_of_them.splitlines()) == len(few.splitlines()) + 2
    fitted = CliRunner().invoke(cli, ["fit", "samples/internationals_1900s.csv", "k=20:30"])
    assert "of the games that the settings were fitted to, and flatter them" in fitted.stderr


def test_a_report_with_ratings_becomes_an_event_and_one_without_a_league(tmp_path: Path) -> None:
    report = Path(__file__).parent / "data/trf/javafo_example.trf"
    made = elo_sheets.import_logs(report, tmp_path / "a.xlsx", dry_run=True)
    assert made.made["template"] == "event"
    assert any("--template league" in note for note in made.notes)
    assert elo_sheets.import_logs(report, tmp_path / "b.xlsx", system="elo", dry_run=True).made["template"] == "league"
    bare = tmp_path / "bare.trf"
    lines = report.read_text("utf-8").splitlines()
    bare.write_text("\n".join(one[:48] + "    " + one[52:] if one.startswith("001") else one for one in lines), "utf-8")
    assert elo_sheets.import_logs(bare, tmp_path / "c.xlsx", dry_run=True).made["template"] == "league"


def test_a_name_on_no_list_is_pointed_at(tmp_path: Path) -> None:
    book = tmp_path / "club.xlsx"
    elo_sheets.import_logs(io.BytesIO(b"date,white,black,result\n2026-01-01,Ann,Bob,1-0\n"), book)
    typed = openpyxl.load_workbook(book)
    for column, value in enumerate((46025, "Ann", "Stranger", "1-0"), 1):
        typed["Games"].cell(6, column).value = value
    typed.save(book)
    found = [one for one in elo_sheets.validate_book(book).findings if one.code == "ES402"]
    assert [one.range for one in found] == ["Games!C6"]


OPEN = """event,date,white,black,result,white_rating,black_rating
Open,{year}-09-05,Player 1,Player 2,1-0,1850,1800
Open,{year}-09-06,Player 2,Player 3,1-0,1800,1900
Open,{year}-09-07,Player 3,Player 1,0-1,1900,1850
Open,{year}-09-08,Player 1,Player 2,,1850,1800
"""


@pytest.mark.parametrize(("year", "rating"), [(2025, 1878.0), (2026, 1888.0)])
def test_every_verb_rates_by_the_rules_of_the_last_day(year: int, rating: float, tmp_path: Path) -> None:
    # Two points against 1800 and 1900 are 1.0 more than expected of 1850: 800 / (1.85^4 + 15 + 2) = 27.9 by the rules
    # of 2014, K 38 by those of 2026.
    log = tmp_path / "open.csv"
    log.write_text(OPEN.format(year=year))
    how = ("--system", "dwz", "--start", "log")
    compared = run("compare", str(log), *how, "--burn-in", "0")
    predicted = run("predict", "Player 1", "Player 2", "--log", str(log), *how)
    simulated = run("simulate", str(log), *how, "--runs", "10", "--seed", "1")
    found = [
        elo_sheets.replay(log, system="dwz", start="log").ratings.set_index("player")["rating"]["Player 1"],
        next(one["dwz"] for one in compared["ratings"] if one["player"] == "Player 1"),
        predicted["ratings"][0],
        next(one["rating"] for one in simulated["players"] if one["name"] == "Player 1"),
    ]
    assert found == [rating] * 4
    for done in (compared, predicted, simulated):
        assert any(note.startswith("dwz: rules of 20") for note in done["notes"])


def test_the_options_say_what_the_commands_do() -> None:
    told = {option.name: option.get_help_record(click.Context(cli)) for option in cli.commands["compare"].params[1:]}
    assert f"[default: {BURN_IN};" in (told["burn_in"] or "")[1]
    assert f"of the best {MOST_PLAYERS} without it" in (told["everyone"] or "")[1]
    assert f"[default: {BURN_IN}]" in next(one.help for one in cli.commands["replay"].params if one.name == "burn_in")
