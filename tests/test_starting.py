"""What players start from: given, published in the log, or by the settings; the same in every verb and book."""

from __future__ import annotations

import json
import random
import re
from collections import defaultdict
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from faces import run

from elo_sheets import import_logs, validate_book
from elo_sheets.errors import EloSheetsError, UnreadableInput, UsageError
from elo_sheets.files.package import read_book
from elo_sheets.games import make_games
from elo_sheets.readers import read
from elo_sheets.replaying.replay import replay
from elo_sheets.replaying.starting import GIVEN, PUBLISHED, first_published, starts
from elo_sheets.systems import SYSTEMS, system
from elo_sheets.uses.exporting import replay_logs
from elo_sheets.workbook.templates import template

UZCHESS = Path(__file__).parents[1] / "samples" / "uzchesscup.pgn"
ELO, FIDE = system("elo"), system("fide")


def log(*games: tuple[Any, ...]) -> pd.DataFrame:
    """Games as White, Black, White's score, White's published rating, Black's, and further columns."""
    records = []
    for row, (white, black, score, white_rating, black_rating, *more) in enumerate(games, 2):
        record = {"white": white, "black": black, "score": score, "source": "club.csv", "source_row": row}
        record |= {"white_rating": white_rating, "black_rating": black_rating, "date": f"2026-01-{row:02}"}
        records.append(record | (more[0] if more else {}))
    return make_games(records)


RATED = (("Ann", "Bob", 1, 2100, 1900), ("Bob", "Cid", 0.5, 1905, None), ("Cid", "Ann", 0, 1700, 2110))


def ratings(table: pd.DataFrame) -> dict[str, float]:
    return dict(zip(table["player"], table["rating"], strict=True))


def refused(*arguments: str) -> EloSheetsError:
    error = run(*arguments).exception
    assert isinstance(error, EloSheetsError), error
    return error


# --- by hand ------------------------------------------------------------------------------------------------

# FIDE Handbook B.02, 8.1.2: the last difference for which the higher rated player expects .50, .51, .52 and so on.
LAST_DIFFERENCES = (3, 10, 17, 25, 32, 39, 46, 53, 61, 68, 76, 83, 91, 98, 106, 113, 121, 129, 137, 145, 153, 162)


def rated_by_hand(path: Path) -> dict[str, int]:
    """Ratings after the games of one month, from the tags of a PGN file: the rating before, and K 10 times the sum."""
    tags = [dict(re.findall(r'\[(\w+) "([^"]*)"\]', game)) for game in path.read_text("utf-8").split("\n\n")]
    games = [tag for tag in tags if "WhiteElo" in tag]
    own = {game[side]: int(game[f"{side}Elo"]) for game in reversed(games) for side in ("White", "Black")}
    hundredths: dict[str, int] = defaultdict(int)
    for game in games:
        points = {"1-0": 100, "1/2-1/2": 50, "0-1": 0}[game["Result"]]
        gap = own[game["White"]] - own[game["Black"]]
        higher = 50 + sum(abs(gap) > last for last in LAST_DIFFERENCES)
        expected = higher if gap >= 0 else 100 - higher
        hundredths[game["White"]] += points - expected
        hundredths[game["Black"]] -= points - expected
    # K 10; half a point is rounded away from zero.
    change = {name: (abs(total) + 5) // 10 * (1 if total > 0 else -1) for name, total in hundredths.items()}
    return {name: own[name] + change[name] for name in own}


def test_the_players_of_uzchess_cup_are_rated_from_their_published_ratings() -> None:
    found = replay_logs([UZCHESS], system="fide")
    expected = rated_by_hand(UZCHESS)
    assert len(expected) == 10
    assert ratings(found.replayed.ratings) == expected
    assert expected["Praggnanandhaa R"] == 2771
    assert found.notes == [
        "10 of 10 players start from the first published rating in the log; who has a published rating is no newcomer: "
        "initial_games 30; initial_peak as the settings say (--start none turns it off)"
    ]


def test_a_league_of_uzchess_cup_says_what_its_players_start_from(tmp_path: Path) -> None:
    path = tmp_path / "cup.xlsx"
    import_logs([UZCHESS], path, system="fide")
    players = columns(path, "Players", "Player", "Start rating", "Start games")
    assert ("Praggnanandhaa R", 2767, 30) in players
    first = first_published(read([UZCHESS]).games)["rating"]
    assert {name: start for name, start, _ in players if name} == first.to_dict()
    for engine in ("ironcalc", "libreoffice"):
        assert validate_book(path, engine=engine).exit_code == 0


def columns(path: Path, table: str, *labels: str) -> list[tuple[Any, ...]]:
    """The cached values of some columns of a table of a book."""
    book = read_book(path)
    found = book.tables[table]
    cells = book.sheets[found.sheet]
    rows = range(found.first_data_row, found.last_row + 1)
    return [tuple(getattr(cells.get((row, found.column(label))), "value", None) for label in labels) for row in rows]


def test_a_log_and_the_book_made_from_it_have_the_same_starts(tmp_path: Path) -> None:
    path = str(tmp_path / "cup.xlsx")
    run("import", str(UZCHESS), "-o", path, "--system", "fide")
    found = json.loads(run("diff", str(UZCHESS), path, "--json").stdout)
    assert (found["start"], found["players"]) == ([], [])


# --- the rule -----------------------------------------------------------------------------------------------


def test_systems_of_federations_publish_ratings() -> None:
    found = {name for name, rules in SYSTEMS.items() if rules.publishes_ratings}
    assert found == {"fide", "uschess", "ecf", "ecf-grade", "dwz", "ingo", "egf", "aga"}


def test_the_first_rating_counts_with_either_colour_and_from_any_game() -> None:
    found = first_published(log(*RATED))
    assert found["rating"].to_dict() == {"Ann": 2100, "Bob": 1900, "Cid": 1700}
    assert found["late"].to_dict() == {"Ann": False, "Bob": False, "Cid": True}


def test_a_zero_is_no_rating() -> None:
    assert first_published(log(("Ann", "Bob", 1, 0, float("nan")), ("Ann", "Bob", 1, 1500, 0)))["rating"].to_dict() == {
        "Ann": 1500
    }


@pytest.mark.parametrize("seed", range(40))
def test_first_ratings_are_those_that_a_walk_through_the_games_finds(seed: int) -> None:
    chance = random.Random(seed)
    ratings = [0, float("nan"), 1500, 1600, 1700]
    games = log(*((*chance.sample("ABCDEFG", 2), 1, chance.choice(ratings), chance.choice(ratings)) for _ in range(12)))
    seen: set[str] = set()
    first: dict[str, tuple[float, int, bool]] = {}
    for at, game in enumerate(games.to_dict("records")):
        for side in ("white", "black"):
            name, rating = game[side], game[f"{side}_rating"]
            if rating > 0 and name not in first:
                first[name] = (rating, at, name in seen)
        seen |= {game["white"], game["black"]}
    found = first_published(games)
    rows = zip(found["rating"], found["at"], found["late"], strict=True)
    assert list(zip(found.index, rows, strict=True)) == list(first.items())


def test_a_federation_starts_from_the_log_and_others_say_that_they_do_not() -> None:
    games = log(*RATED)
    assert starts(None, system("ecf"), games).states == {
        "Ann": {"rating": 2100},
        "Bob": {"rating": 1900},
        "Cid": {"rating": 1700},
    }
    found = starts(None, ELO, games)
    assert (found.states, found.notes) == (
        {},
        ["the log holds published ratings of 3 players: --start log starts from them"],
    )
    assert ratings(replay(games, ELO).ratings) == ratings(replay(games, ELO, start="none").ratings)
    assert starts("log", ELO, games).states["Ann"] == {"rating": 2100}


def test_none_turns_the_log_off() -> None:
    assert starts("none", FIDE, log(*RATED)) == starts("None ", ELO, log(*RATED))
    assert replay(log(*RATED), FIDE, start="none").history["rating"].iloc[0] == 1400


def test_a_log_without_ratings_cannot_be_started_from() -> None:
    with pytest.raises(UsageError, match="publishes no rating before a game; name its columns"):
        starts("log", FIDE, log(("Ann", "Bob", 1, None, None)))


def test_what_is_given_comes_before_the_log_and_the_log_before_the_settings() -> None:
    games = log(*RATED, ("Dan", "Ann", 0, None, 2120))
    found = starts("Bob=1850", FIDE, games, {"initial": 1600})
    assert {name: state["rating"] for name, state in found.states.items()} == {"Ann": 2100, "Bob": 1850, "Cid": 1700}
    assert found.origins == {"Ann": PUBLISHED, "Bob": GIVEN, "Cid": PUBLISHED}
    assert found.notes == [
        "2 of 4 players start from the first published rating in the log; who has a published rating is no newcomer: "
        "initial_games 30; 'Cid' had games without one before it; 'Dan', who has none, as the settings say; "
        "initial_peak as the settings say (--start none turns it off)"
    ]
    history = replay(games, FIDE, {"initial": 1600}, start="Bob=1850").history
    assert history.groupby("player")["rating"].first()["Dan"] == 1600


def test_an_initial_rating_that_nobody_starts_from_is_named() -> None:
    games = log(("Ann", "Bob", 1, 2100, 1900))
    assert "; nobody starts from initial;" in starts(None, FIDE, games, {"Initial": 1500}).notes[0]


def test_ratings_of_several_pools_are_named() -> None:
    games = log(("Ann", "Bob", 1, 2100, 1900, {"pool": "classical"}), ("Cid", "Ann", 1, 1500, 1800, {"pool": "rapid"}))
    assert "ratings of several pools (classical, rapid): --pool rates one of them" in starts(None, FIDE, games).notes[0]


# --- newcomers ----------------------------------------------------------------------------------------------


def test_a_player_with_a_published_rating_is_no_newcomer() -> None:
    # Equal ratings: half a point more than expected is K / 2.
    games = log(("Ann", "Bob", 1, 1900, 1900), ("Cid", "Dan", 1, None, None))
    assert ratings(replay(games, FIDE).ratings) == {"Ann": 1910, "Bob": 1890, "Cid": 1420, "Dan": 1380}
    new = replay(games, FIDE, {"games": 0}).ratings
    assert ratings(new) == {"Ann": 1920, "Bob": 1880, "Cid": 1420, "Dan": 1380}
    assert ratings(replay(games, FIDE, start="Ann=1900,Bob=1900").ratings) == ratings(replay(games, FIDE).ratings)


def test_the_index_and_the_games_of_settled_players_are_those_of_the_event_calculator() -> None:
    assert [system(name).settled for name in ("fide", "uschess", "dwz")] == [
        {"initial_games": 30},
        {"initial_games": 50},
        {"initial_index": 6},
    ]


def test_a_deviation_stays_the_initial_one() -> None:
    history = replay(log(*RATED), system("glicko"), {"initial_rd": 200}, start="log").history
    assert (history["rating"].iloc[0], history["rd"].iloc[0]) == (2100, 200)
    assert "initial_rd as the settings say" in starts("log", system("glicko"), log(*RATED)).notes[0]


# --- what is given ------------------------------------------------------------------------------------------

NAMES = log(("Lee, Ann", "a=b", 1, None, None), ("Bob", "Lee, Ann", 1, None, None))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Lee, Ann=1500,a=b=1600", {"Lee, Ann": 1500, "a=b": 1600}),
        (" lee,  ann = 1500.5 , BOB=1700", {"Lee, Ann": 1500.5, "Bob": 1700}),
        ("a=b=-20", {"a=b": -20}),
    ],
)
def test_names_may_hold_commas_and_equals_signs(text: str, expected: dict[str, float]) -> None:
    found = starts(text, ELO, NAMES).states
    assert {name: state["rating"] for name, state in found.items()} == expected


@pytest.mark.parametrize(
    ("text", "rules", "message"),
    [
        ("Bop=1500", "elo", "no game of 'Bop' in the log; did you mean Bob?"),
        ("Bob=1500,bob=1600", "elo", "the start of 'Bob' is given twice"),
        ("Bob=1500,Bob=1600", "elo", "the start of 'Bob' is given twice"),
        ("Bob=18o0", "elo", "the start of 'Bob': expected rating to be a number, got '18o0'"),
        ("Bob=nan", "elo", "expected rating to be a number from"),
        ("Bob=50", "uschess", "the start of 'Bob': expected rating to be a number from 100 to 1e+06, got '50'"),
        ("Bob=1500,Lee", "elo", "expected starts such as NAME=1500,NAME=1600, or a CSV file, got 'Lee'"),
        ("1500", "elo", "--start 1500 is for a journal: give NAME=RATING, or --set initial=1500 for everybody"),
        ("Bob=1500", "whr", "system whr fits the whole log: players start from nothing, leave out --start"),
        ("log", "bradley-terry", "system bradley-terry fits the whole log"),
    ],
)
def test_a_start_that_cannot_be_used_is_refused_by_name(text: str, rules: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        starts(text, system(rules), NAMES)
    assert message in str(caught.value)


def test_a_fit_of_the_whole_log_needs_no_start() -> None:
    assert starts("none", system("whr"), NAMES).states == {}
    assert starts(None, system("whr"), log(*RATED)).notes == ()


def test_a_published_rating_beyond_the_limits_is_refused_with_its_row() -> None:
    with pytest.raises(UsageError, match=r"club.csv, row 2: no player of system uschess .* got 50.*--start none"):
        starts(None, system("uschess"), log(("Ann", "Bob", 1, 50, 1500)))


def test_a_missing_list_is_named_with_what_would_do() -> None:
    assert str(refused("replay", str(UZCHESS), "--start", "nofile.csv")) == (
        "there is no file 'nofile.csv': expected --start log, none, NAME=RATING,… or a CSV list with the columns "
        "player and rating"
    )


@pytest.mark.parametrize("sign", [",", ";", "\t"])
def test_a_list_gives_states_and_settings_of_the_players(tmp_path: Path, sign: str) -> None:
    path = tmp_path / "start.csv"
    rows = ("Player,Rating,Games,Born", "ann,2000,,1970", "Bob,,4,", "Zed,1,,")
    path.write_text("\n".join(rows).replace(",", sign), "utf-8")
    found = starts(path, FIDE, log(*RATED))
    assert found.states["Ann"] == {"rating": 2000, "games": 30, "born": 1970}
    assert found.states["Bob"] == {"rating": 1900, "games": 4}
    assert found.notes[0] == f"1 player of {path} plays no game in the log: 'Zed'"


def test_a_misspelt_player_of_a_list_is_told_with_the_one_who_is_near(tmp_path: Path) -> None:
    path = tmp_path / "start.csv"
    path.write_text("player,rating\nPlayr 1,1800\n", "utf-8")
    found = starts(path, ELO, log(("Player 1", "Bob", 1, None, None)))
    assert found.notes == [f"1 player of {path} plays no game in the log: 'Playr 1' (did you mean 'Player 1'?)"]


def test_a_program_gives_ratings_whole_states_or_a_table() -> None:
    games = log(*RATED)
    frame = pd.DataFrame({"player": ["Ann", "Bob"], "rating": [2000.0, None], "rd": [40.0, 50.0]})
    glicko = system("glicko")
    assert starts(frame, glicko, games).states == {"Ann": {"rating": 2000, "rd": 40}, "Bob": {"rd": 50}}
    assert starts({"ann": 2000}, glicko, games).states == {"Ann": {"rating": 2000}}
    # A whole state is taken as it stands: its games are those of the settings.
    assert starts({"Ann": {"rating": 2000}}, FIDE, games).states["Ann"] == {"rating": 2000}


def test_a_list_that_is_no_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "start.csv"
    path.write_bytes("player,rating\nJosé,1800\n".encode("latin-1"))
    with pytest.raises(UnreadableInput, match="save the list as CSV"):
        starts(path, ELO, NAMES)


# --- journals -----------------------------------------------------------------------------------------------


def of_ann(start: Any = None, settings: dict[str, Any] | None = None) -> float:
    table = replay(log(*RATED), ELO, settings, player="Ann", start=start).history
    return float(table["rating"].iloc[0])


def test_a_journal_starts_from_what_is_given_or_published() -> None:
    assert of_ann() == of_ann("log") == 2100
    assert of_ann("1500") == of_ann(1500) == of_ann("Ann=1500") == of_ann({"Ann": {"rating": 1500}}) == 1500
    assert of_ann("none") == 1500
    assert of_ann("none", {"initial": 1234}) == of_ann(None, {"initial": 1234}) == 1234


@pytest.mark.parametrize(
    ("start", "settings", "message"),
    [
        ("Bob=1500", {}, "this is the journal of 'Ann': leave out the start of 'Bob'"),
        ("1500", {"initial": 1600}, "--start and --set initial=… both say what the journal starts from"),
    ],
)
def test_a_start_that_a_journal_cannot_use_is_refused(start: str, settings: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=re.escape(message)):
        of_ann(start, settings)


def test_a_journal_tells_what_it_starts_from() -> None:
    found = starts(None, FIDE, log(*RATED), player="Cid")
    assert found.states == {"Cid": {"rating": 1700, "games": 30}}
    assert found.notes == [
        "initial rating 1700, as published in club.csv, row 4, after games without one (--start Cid=RATING for "
        "another)",
        "who has a published rating is no newcomer: initial_games 30 (--set NAME=VALUE for what was before this log)",
    ]


def test_the_book_of_a_journal_starts_where_its_replay_does(tmp_path: Path) -> None:
    path = tmp_path / "mine.xlsx"
    name = "Praggnanandhaa R"
    import_logs([UZCHESS], path, system="fide", player=name, start="2500")
    again = replay_logs([UZCHESS], system="fide", player=name, start=f"{name}=2500").replayed
    last = [row for row in columns(path, "Log", "Rating after", "Opponent") if row[1]][-1]
    assert last[0] == again.ratings["rating"].iloc[0] != 2771
    assert validate_book(path).exit_code == 0


# --- every verb ---------------------------------------------------------------------------------------------

CLUB = """\
date,white,black,result,white_rating,black_rating
2026-01-05,Player 1,Player 2,1-0,2100,1900
2026-01-12,Player 2,Player 3,1/2-1/2,1905,
2026-01-19,Player 3,Player 1,0-1,1700,2110
2026-02-02,Player 1,Player 2,0-1,2110,1895
2026-02-09,Player 3,Player 2,,,
"""
STARTS = {"Player 1": 2100.0, "Player 2": 1900.0, "Player 3": 1700.0}


@pytest.fixture
def club(tmp_path: Path) -> str:
    path = tmp_path / "club.csv"
    path.write_text(CLUB, encoding="utf-8")
    return str(path)


def document(*arguments: str) -> Any:
    return json.loads(run(*arguments, "--json").stdout)


def test_explain_begins_where_replay_does(club: str) -> None:
    first = document("explain", "Player 3", club, "--system", "fide")["periods"][0]
    assert first["before"] == {"rating": 1700, "games": 30, "peak": 0}
    first = document("explain", "Player 3", club, "--start", "Player 3=1650")["periods"][0]
    assert first["before"] == {"rating": 1650}
    first = document("explain", "Player 3", club, "--published", "--start", "1650")["periods"][0]
    assert first["before"] == {"rating": 1650}


def test_a_comparison_begins_where_the_replay_of_each_system_does(club: str) -> None:
    found = document("replay", club, "--compare", "ecf,elo", "--burn-in", "0")
    for name in ("ecf", "elo"):
        expected = document("replay", club, "--system", name)["ratings"]
        assert {row["player"]: row[name] for row in found["ratings"]} == ratings(pd.DataFrame(expected))
    assert found["notes"][-2].startswith("ecf: 3 of 3 players start from the first published rating")
    assert found["notes"][-1] == "elo: the log holds published ratings of 3 players: --start log starts from them"
    given = document("replay", club, "--compare", "elo", "--burn-in", "0", "--start", "log")
    # By hand: the first four games from 2100, 1900 and 1700, of which the third is expected at 1/(1 + 10^(d/400)).
    own = dict(STARTS)
    losses = []
    for white, black, score in (("1", "2", 1.0), ("2", "3", 0.5), ("3", "1", 0.0), ("1", "2", 0.0)):
        white, black = f"Player {white}", f"Player {black}"
        expected_score = 1 / (1 + 10 ** ((own[black] - own[white]) / 400))
        losses.append((score - expected_score) ** 2)
        own[white] += 20 * (score - expected_score)
        own[black] -= 20 * (score - expected_score)
    assert {row["player"]: row["elo"] for row in given["ratings"]} == pytest.approx(own)
    assert given["systems"][0]["brier_score"] == pytest.approx(sum(losses) / 4)


def test_settings_are_fitted_to_games_from_the_same_starts(club: str) -> None:
    games = ["replay", club, "--fit", "k=10:60", "--burn-in", "0"]
    far, near = (document(*games, "--start", start)["systems"][0] for start in ("log", "none"))
    assert far["log_loss"] != near["log_loss"]
    # With the games before as the setting that is fitted, no player counts as settled.
    fitted = document("replay", club, "--system", "fide", "--fit", "initial_games=0:20", "--burn-in", "0")
    assert fitted["fit"]["found"]["initial_games"] < 30
    assert "no newcomer" not in fitted["notes"][-1]


def test_a_fit_of_the_whole_log_is_refused_a_start_in_every_verb(club: str) -> None:
    for verb in (["replay", club, "--system", "whr"], ["replay", club, "--compare", "elo,whr"]):
        assert "system whr fits the whole log: players start from nothing" in str(refused(*verb, "--start", "log"))


def test_a_season_is_played_out_from_the_same_starts(club: str) -> None:
    for arguments in (["--system", "ecf"], ["--start", "log"], ["--start", "Player 2=1850"], ["--start", "none"]):
        runs = document("simulate", club, "--runs", "10", *arguments)
        expected = {row["player"]: row["rating"] for row in document("replay", club, *arguments)["ratings"]}
        assert {one["name"]: one["rating"] for one in runs["players"]} == pytest.approx(expected)


def test_published_and_a_start_contradict_each_other(club: str) -> None:
    assert "--published and --start both say" in str(refused("simulate", club, "--published", "--start", "log"))


def test_two_logs_with_other_first_ratings_differ_in_them(club: str, tmp_path: Path) -> None:
    other = tmp_path / "corrected.csv"
    other.write_text(CLUB.replace("2-0,2100,1900", "").replace("1-0,2100,1900", "1-0,2150,1900"), "utf-8")
    found = document("diff", club, str(other), "--system", "fide")
    assert found["start"] == [{"name": "Player 1", "before": 2100, "after": 2150}]
    moved = next(one for one in found["players"] if one["name"] == "Player 1")
    assert moved["because"][0]["cause"] == "start"
    assert document("diff", club, str(other), "--system", "fide", "--start", "none")["start"] == []


def test_what_is_typed_of_a_start_counts_in_a_comparison_of_books(club: str, tmp_path: Path) -> None:
    paths = [str(tmp_path / f"{name}.xlsx") for name in "ab"]
    listed = tmp_path / "start.csv"
    listed.write_text("player,games\nPlayer 1,5\n", "utf-8")
    run("import", club, "-o", paths[0], "--system", "fide")
    run("import", club, "-o", paths[1], "--system", "fide", "--start", str(listed))
    found = document("diff", *paths)
    assert found["start"] == [{"name": "Player 1, games", "before": 30, "after": 5}]
    assert [one["name"] for one in found["players"]] == ["Player 1"]


# --- books --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("template", ["league", "ratings-list", "compare"])
def test_every_book_of_a_pool_starts_where_its_replay_does(template: str, club: str, tmp_path: Path) -> None:
    path = tmp_path / "book.xlsx"
    import_logs([club], path, template=template, system="glicko", settings={"period": "month"}, start="log")
    typed = columns(path, "Players", "Player", "Start rating")
    assert {name: start for name, start in typed if name} == STARTS
    assert validate_book(path).exit_code == 0
    expected = replay_logs([club], system="glicko", settings={"period": "month"}, start="log").replayed.ratings
    shown = {name: rating for name, rating in columns(path, "Players", "Player", "Rating") if name}
    assert shown == pytest.approx(ratings(expected))


def test_a_further_system_of_a_comparison_starts_from_the_same_ratings(club: str, tmp_path: Path) -> None:
    path = tmp_path / "both.xlsx"
    done = import_logs(
        [club],
        path,
        template="compare",
        system="elo,dwz",
        start="log",
    )
    assert done.notes[-1] == "every system of the comparison starts from the ratings on the sheet Players"
    found = columns(path, "Ledger_dwz", "Index", "Rating")
    assert (found[0][0], found[0][1]) == (6, 2100)
    for engine in ("ironcalc", "libreoffice"):
        assert validate_book(path, engine=engine).exit_code == 0


def test_a_season_starts_where_its_replay_does(club: str, tmp_path: Path) -> None:
    path = tmp_path / "season.xlsx"
    import_logs([club], path, template="season", system="elo", start="Player 2=1850")
    assert {n: s for n, s in columns(path, "Teams", "Team", "Start rating") if n}["Player 2"] == 1850
    assert validate_book(path).exit_code == 0


def test_an_event_takes_what_is_given_before_what_the_log_publishes(club: str, tmp_path: Path) -> None:
    path = tmp_path / "event.xlsx"
    for start, expected in (
        (None, STARTS),
        ("Player 2=1850", STARTS | {"Player 2": 1850.0}),
        ("none", dict.fromkeys(STARTS)),
    ):
        import_logs([club], path, template="event", system="fide", start=start, overwrite=True)
        assert {name: rating for name, rating in columns(path, "Players", "Name", "Rating") if name} == expected


def test_a_book_with_an_archive_ends_where_its_replay_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(template("league"), "live", 10)
    path, source = tmp_path / "long.xlsx", tmp_path / "long.csv"
    rows = [f"2024-{1 + i // 20:02},Player {1 + i % 3},Player {1 + (i + 1) % 3},{i % 2},1900,2000" for i in range(40)]
    source.write_text("date,white,black,score,white_rating,black_rating\n" + "\n".join(rows), "utf-8")
    import_logs([source], path, system="elo", start="log", settings={"period": "game"})
    assert len(columns(path, "Archive", "Game")) >= 30
    expected = replay_logs([source], system="elo", start="log").replayed.ratings
    shown = {name: rating for name, rating in columns(path, "Players", "Player", "Rating") if name}
    assert shown == pytest.approx(ratings(expected))
    assert validate_book(path).exit_code == 0
