"""`event`: official evaluations, the same digits in the command, in Python and in a sheet, and what is refused."""

from __future__ import annotations

import datetime
import io
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import faces
import pytest
from faces import NORMAL, PRECISION, in_sheets, published, run

from elo_sheets.conformance.published import answers
from elo_sheets.errors import UnreadableInput, UsageError
from elo_sheets.odds.event import event_record, parse_list, parse_result, rate_event, rate_event_log

REPORT = Path(__file__).parent / "data" / "trf" / "javafo_example.trf"
AUTUMN_2025 = datetime.date(2025, 11, 15)
TODAY = datetime.date(2026, 11, 1)
JOURNAL = """\
date,opponent,opponent_rating,colour,result
2026-01-05,Player 2,1500,white,1
2026-01-06,Player 3,1620,black,0.5
2026-01-07,Player 4,,white,1
2026-01-08,Player 5,1700,black,bye
"""


document, refused = (partial(one, "event") for one in (faces.document, faces.refused))


def scores_of(score: float, games: int) -> list[float]:
    """Some results with that score: wins first, losses last."""
    return ([1.0] * int(score) + [0.5] * (score % 1 > 0) + [0.0] * games)[:games]


# --- official evaluations ---------------------------------------------------------------------------------------------


def test_fides_published_period_comes_out() -> None:
    answer = answers()["fide-period-2053"]
    games, expected = answer["inputs"]["events"][0]["games"], answer["expected"]
    opponents, scores = [g["opponent"] for g in games], [g["score"] for g in games]
    found = rate_event(2053, opponents, scores, system="fide", as_of=AUTUMN_2025)
    assert (found.k, found.rounded_change, found.new) == (expected["K"], expected["rounded"], expected["new"])
    assert found.change == pytest.approx(expected["change"], abs=1e-9)


@pytest.mark.parametrize("answer", published("fide-official"), ids=lambda answer: answer["id"])
def test_fides_official_evaluations_of_their_day_come_out(answer: Mapping[str, Any]) -> None:
    inputs, expected = answer["inputs"], answer["expected"]
    as_of = datetime.date(2010, 1, 31)
    found = rate_event(inputs["rating"], inputs["opponents"], inputs["scores"], system="fide", as_of=as_of)
    assert found.k == inputs["K"]
    assert (found.expected, found.change) == pytest.approx((expected["We"], expected["change"]), abs=1e-9)


def test_a_full_difference_of_eleven_wins_gives_nothing() -> None:
    inputs = answers()["fide-2800-11wins"]["inputs"]
    found = rate_event(2800, [inputs["opponent"]] * inputs["n"], [1] * inputs["n"], system="fide", as_of=AUTUMN_2025)
    assert found.rounded_change == answers()["fide-2800-11wins"]["expected"]["rounded"]


@pytest.mark.parametrize("answer", published("dwz-official"), ids=lambda answer: answer["id"])
def test_official_evaluations_of_the_dwz_come_out(answer: Mapping[str, Any]) -> None:
    inputs, expected = answer["inputs"], answer["expected"]
    # The evaluations print E, not the age: only that of a player up to 20 is below 30 at 2085.
    age = 20 if inputs["E"] < 30 else None
    found = rate_event(
        inputs["rating"], inputs["opponents"], inputs["scores"], system="dwz", age=age, as_of=datetime.date(2010, 1, 1)
    )
    assert found.details["development"] == inputs["E"]
    assert found.expected == pytest.approx(expected["We"], abs=1e-9)
    assert found.new == expected["new"]


@pytest.mark.parametrize("name", ["us-standard-bonus", "us-standard-10", "us-standard-b10"])
def test_us_chess_examples_come_out(name: str) -> None:
    answer = answers()[name]
    inputs, expected = answer["inputs"], answer["expected"]
    scores = scores_of(inputs["score"], len(inputs["opponents"]))
    how: dict[str, Any] = {} if inputs["N"] is None else {"games_before": inputs["N"]}
    found = rate_event(inputs["rating"], inputs["opponents"], scores, system="uschess", as_of=TODAY, **how)
    got = {"K": found.k, "E": found.expected, "bonus": found.details["bonus"], "post": found.new}
    assert {key: got[key] for key in expected} == pytest.approx(expected, abs=answer["tolerance"])


def test_the_special_formula_has_no_k() -> None:
    answer = answers()["us-special-1511"]
    inputs = answer["inputs"]
    found = rate_event(1500, inputs["opponents"], [1, 0.5, 0], system="uschess", games_before=inputs["N"])
    assert found.new == pytest.approx(answer["expected"]["post"], abs=answer["tolerance"])
    assert (found.k, found.games[0].change) == (None, None)


def test_performances_are_the_published_ones() -> None:
    linear, exact = answers()["elo-perf-linear"], answers()["elo-perf-inverse-mixed"]
    found = rate_event(1500, linear["inputs"]["opponents"], [1, 0.5, 0]).performance
    assert found.linear == pytest.approx(linear["expected"]["Rp"], abs=linear["tolerance"])
    found = rate_event(1500, exact["inputs"]["opponents"], [1, 0.5]).performance
    assert found.exact == pytest.approx(exact["expected"]["Rp"], abs=exact["tolerance"])


@pytest.mark.parametrize("answer", published("fide-perf"), ids=lambda answer: answer["id"])
def test_fides_table_gives_the_published_performance(answer: Mapping[str, Any]) -> None:
    opponents = answer["inputs"]["opponents"]
    found = rate_event(1500, opponents, scores_of(answer["inputs"]["score"], len(opponents)))
    assert found.performance.table == answer["expected"]["Rp"]


DWZ = ("--system", "dwz")

# Official evaluations of the German federation, 2005 to 2010, as recorded in the public tests of the Perl module
# Games::Ratings: opponents, results, the performance printed, and by how much ours differs.
GERMAN = [
    ("1551 1828 2310 2211 2082 1547 2049 2210 2375", "WWDLDWWDW", 2279, 0),
    ("2024 2099 2076 2228 2188", "WDDWL", 2197, 0),
    ("2329 2328 2293 2300 2302 2190 2348 2350 2181", "WLDLWDWWD", 2373, 0),
    ("2216 2234 2245 2247 2270 2231 2278 2118 2337", "LDLDLWLDD", 2118, 0),
    ("1877 1734 1993 1923 2089 1983 1647", "WWWDWDW", 2231, 0),
    ("1679 1902 1861 2070 2505 2123 2060 2316 2122", "DWWWLDWDW", 2285, 0),
    ("1670 1705 2591 1758 1993 2029 1862 2027 2038", "WWLWDLWWW", 2161, 0),
    ("2378 2263 2409 2189 2333 2302 2251 2306 2476", "DLDLDLLLL", 2038, 0),
    ("2089 2122 2132 2097 2187 2121 2117 2169 2165", "DDWLLLWLW", 2093, 0),
    ("2044 2057 1999 2084 2244 2127 2013 2009", "DWDDLLWW", 2117, 0),
    ("1934 2052 2051 2091 1934 2052 2051 2091", "WLDDDWWD", 2125, -1),
    ("1888 2188 2013 2273 2102 1742 2169 2092 1938", "WWWLWWDDW", 2294, 1),
    ("1794 1710 2038 2122 1981 2137 2211", "WWWLWDD", 2191, 1),
]


@pytest.mark.parametrize(("opponents", "results", "printed", "off"), GERMAN)
def test_the_performance_of_dwz_is_the_federations(opponents: str, results: str, printed: int, off: int) -> None:
    found = document("2000", "--opponents", opponents.replace(" ", ","), "--results", ",".join(results), *DWZ)
    assert found["performance"]["federation"] == printed + off


def test_the_performance_of_dwz_follows_the_curve_and_has_ends() -> None:
    lists = ("--opponents", "1500,2100", "--results", "1,D")
    other = document("2000", *lists, "--set", "expectancy=logistic", *DWZ)["performance"]
    assert other["federation"] == round(other["exact"])
    assert other["federation"] != document("2000", *lists, *DWZ)["performance"]["federation"]
    ends = document("2000", "--opponents", "1500,1600", "--results", "1,1", *DWZ)["performance"]
    assert ends["federation"] is None
    fide = document("2000", *lists, "--system", "fide")["performance"]
    assert fide["federation"] == fide["table"]


def test_a_score_of_all_or_nothing_has_no_exact_performance() -> None:
    assert document("1500", "--opponents", "1500,1600", "--results", "1,1")["performance"]["exact"] is None
    assert "exact no value" in run("event", "1500", "--opponents", "1500", "--results", "0").stdout


# --- what is typed ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("score", "texts"),
    [
        (1, ["1", "1.0", "W", "w", "win", "won", "1-0", "1:0", "Sieg"]),
        (0.5, ["½", "0.5", "0,5", ".5", "=", "D", "d", "draw", "1/2", "½-½", "1/2-1/2", "0.5-0.5", "remis"]),
        (0, ["0", "0.0", "L", "l", "loss", "lost", "0-1", "0–1"]),
    ],
)
def test_results_are_understood_from_the_players_side(score: float, texts: list[str]) -> None:
    assert [parse_result(text) for text in texts] == [score] * len(texts)


@pytest.mark.parametrize("text", ["X", "2", "", "white", "home win", "0-0", "bye", "+", "*"])
def test_what_is_no_result_is_refused_with_its_place(text: str) -> None:
    with pytest.raises(UsageError) as refusal:
        rate_event(1500, [1500, 1500, 1500], ["1", "D", text])
    wanted = f"expected a result such as 1, 0.5, W, draw or 1-0 for opponent 3, got {text!r}"
    assert str(refusal.value).startswith(wanted)


@pytest.mark.parametrize(
    ("result", "side", "score"),
    [
        *(("White wins", "W", 1), ("white won", "b", 0), ("Black", "B", 1), ("home win", "away", 0), ("Sieg", "B", 1)),
        *(("Schwarz", "W", 0), ("draw", "B", 0.5), ("1-0", "B", 1)),  # pairs begin with the player's own points
    ],
)
def test_a_result_that_names_a_side_needs_the_players(result: str, side: str, score: float) -> None:
    assert parse_result(result, side=side) == score
    assert document("1500", "--opponents", "1500", "--results", result, "--sides", side)["score"] == score


def test_goals_and_sets_are_results_under_elo_alone() -> None:
    for result, score in (("4:3", 1), ("1-3", 0), ("2-2", 0.5), ("6-4 3-6 7-6(5)", 1), ("9:11 11:8 7:11", 0)):
        assert document("1500", "--opponents", "1500", "--results", result)["score"] == score
        with pytest.raises(UsageError, match="for opponent 1, got"):
            rate_event(1500, [1500], [result], system="fide")
    assert document("1500", "--opponents", "1500 1600 1700", "--results", "1-0 0-1 1-0")["score"] == 2
    with pytest.raises(UsageError, match="expected W or B as the player's side against opponent 2, got 'X'"):
        rate_event(1500, [1500, 1600], ["White wins", "black wins"], sides=["W", "X"])
    with pytest.raises(UsageError, match="got 2 results and 1 sides"):
        rate_event(1500, [1500, 1600], ["White wins", "black wins"], sides=["W"])


def test_a_forfeit_is_refused_with_its_reason() -> None:
    with pytest.raises(UsageError, match=r"got '\+' \(decided by forfeit, not over the board\)"):
        parse_result("+")


def test_lists_may_be_separated_by_semicolons_where_commas_are_decimal() -> None:
    assert parse_list("1;0,5; D") == ["1", "0,5", "D"]
    assert parse_list(" 1  0.5 D ") == ["1", "0.5", "D"]
    assert parse_list("White wins") == ["White wins"]
    assert parse_list("1 - 0 ½ 0 : 1") == ["1 - 0", "½", "0 : 1"]
    assert document("1500", "--opponents", "1500 1600", "--results", "1 ½")["score"] == 1.5
    assert document("1500", "--opponents", "1500;1600", "--results", "1;0,5")["score"] == 1.5


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("--opponents", "1500,1600,1700", "--results", "1,0"),
            "expected one result for each opponent, got 3 opponents and 2 results",
        ),
        (("--opponents", "1500,abc", "--results", "1,0"), "expected a rating such as 1500 for opponent 2, got 'abc'"),
        (("--opponents", "1500,", "--results", "1,0"), "expected a rating such as 1500 for opponent 2, got ''"),
        (("--opponents", "1500"), "expected --opponents with --results, or a file"),
        (
            ("--opponents", "1500", "--results", "1", "--system", "fidde"),
            "expected the system of an event (elo, fide, uschess, dwz), got 'fidde'; did you mean fide?",
        ),
        (
            ("--opponents", "1500", "--results", "1", "--age", "12"),
            "system elo does not ask for age: it asks for nothing of the kind",
        ),
        (
            ("--opponents", "1500", "--results", "1", "--system", "dwz", "--games-before", "12"),
            "system dwz does not ask for games before: it asks for born, events before",
        ),
        (
            ("--opponents", "1500", "--results", "1", "--system", "dwz", "--k", "20"),
            "system dwz computes K from rating, age and events before: leave out k",
        ),
        (
            ("--opponents", "1500", "--results", "1", "--system", "fide", "--age", "12", "--born", "2010"),
            "expected a year of birth or an age, got both",
        ),
        (
            ("--opponents", "1500", "--results", "1", "--set", "k=10", "--k", "20"),
            "expected K once, got it as a setting too",
        ),
        (
            ("--opponents", "1500", "--results", "1", "--set", "advantage=50"),
            "setting advantage of system elo is not used here: a list of opponents does not say who had it; "
            "replay rates a log with it",
        ),
        (
            ("--opponents", "15000", "--results", "1", "--set", "scale=1"),
            "the ratings are too far apart to be compared: is the scale too small?",
        ),
        (("games.csv", "--opponents", "1500"), "expected a file or --opponents and --results, got both"),
    ],
)
def test_event_refuses(arguments: tuple[str, ...], message: str) -> None:
    assert refused("1500", *arguments) == message


# --- the player -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("how", "k"),
    [
        ({}, 20),
        ({"games_before": 29}, 40),
        ({"games_before": 30}, 20),
        ({"age": 18}, 40),
        ({"age": 19}, 20),
        ({"born": 2008}, 40),
        ({"settings": {"initial_peak": 2400}}, 10),
        ({"k": 15}, 15),
    ],
)
def test_fides_k_follows_from_the_player_unless_it_is_given(how: dict[str, Any], k: float) -> None:
    assert rate_event(1800, [1800], [1], system="fide", as_of=TODAY, **how).k == k


def test_so_many_games_cut_fides_k() -> None:
    assert rate_event(1800, [1800] * 36, [1] * 36, system="fide", as_of=TODAY).k == 19


def test_an_elo_event_takes_settings_of_the_system() -> None:
    found = rate_event(1500, [2500], [0], settings={"gap_rule": "cap400"})
    assert found.expected == pytest.approx(1 / 11, abs=1e-12)


def test_no_rated_game_of_blitz_gives_no_points() -> None:
    inputs = answers()["fide-rb-2601-1800"]["inputs"]
    found = rate_event(inputs["own"], [inputs["opponent"]], [1], system="fide", settings={"kind": "blitz"})
    assert (found.change, found.rounded_change) == (0, 0)


# --- three faces ------------------------------------------------------------------------------------------------------

EVENTS: list[tuple[str, dict[str, Any]]] = [
    ("elo", {}),
    ("elo", {"k": 32.0, "settings": {"curve": "normal"}}),
    ("elo", {"settings": {"gap_rule": "fide2650", "k_rule": "ladder"}}),
    ("fide", {}),
    ("fide", {"k": 15.0}),
    ("fide", {"settings": {"kind": "rapid"}}),
    ("dwz", {"age": 17.0}),
    ("dwz", {"settings": {"rules": "2026"}}),
    ("uschess", {"games_before": 26.0}),
]
PLAYED: list[tuple[float, list[float], list[float]]] = [
    (1513.0, [1500, 1620, 1702, 2100, 990], [1, 0.5, 0, 0.5, 1]),
    (2655.0, [2500, 2100, 2702], [1, 1, 0]),
    (1100.0, [1210, 1305, 1080], [0, 0, 0.5]),
]


def test_the_command_prints_the_numbers_of_the_function() -> None:
    for (system, how), (rating, opponents, scores) in ((e, p) for e in EVENTS for p in PLAYED):
        options = [f"--set={name}={value}" for name, value in how.get("settings", {}).items()]
        options += [f"--{name.replace('_', '-')}={value}" for name, value in how.items() if name != "settings"]
        lists = ["--opponents", ",".join(map(str, opponents)), "--results", ",".join(map(str, scores))]
        found = document(str(rating), *lists, "--system", system, "--as-of", str(TODAY), *options)
        assert found == event_record(rate_event(rating, opponents, scores, system=system, as_of=TODAY, **how))


def agreed(wanted: Mapping[str, Any], engine: str, normal: bool) -> Any:
    return pytest.approx(wanted, rel=PRECISION[engine], abs=100 * NORMAL if normal else 0)


@pytest.mark.parametrize("engine", ["ironcalc", pytest.param("libreoffice", marks=pytest.mark.libreoffice)])
def test_a_sheet_computes_the_digits_of_the_function(engine: str) -> None:
    events = [(event, played) for event in EVENTS if event[0] != "uschess" for played in PLAYED]
    found = [rate_event(*played, system=system, as_of=TODAY, **how) for (system, how), played in events]
    columns = [one.columns for one in found if one.columns is not None]
    assert len(columns) == len(found)
    sheets = in_sheets(columns, engine)
    for ((_, how), _), one, cells in zip(events, found, sheets, strict=True):
        total = {"elo": "period_change", "fide": "exact_change", "dwz": "change"}[one.system]
        wanted = {"period_score": one.score, "period_expected": one.expected, total: one.change}
        wanted |= {"rating_after": one.new, "k_used" if "k_used" in cells else "k_used 1": one.k or 0.0}
        for i, game in enumerate(one.games, 1):
            wanted |= {f"expected {i}": game.expected, f"change {i}": game.change or 0.0}
        normal = how.get("settings", {}).get("curve") == "normal"
        assert {name: cells[name] for name in wanted} == agreed(wanted, engine, normal)


# --- files ------------------------------------------------------------------------------------------------------------


def test_a_tournament_report_is_rated_for_one_of_its_players() -> None:
    found = rate_event_log(2087, REPORT, player="ladron de guevara galar fco j", system="fide", as_of=TODAY)
    assert [(game.opponent, game.score) for game in found.games] == [(1619.0, 1.0), (1790.0, 1.0), (2527.0, 0.0)]
    assert found.log is not None
    assert found.log.read == found.log.kept + found.log.rejected


def test_a_journal_needs_no_name_and_leaves_out_what_has_no_rating(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_text(JOURNAL, encoding="utf-8")
    found = document("1500", str(path))
    assert [(game["opponent"], game["score"], game["name"]) for game in found["games"]] == [
        (1500.0, 1.0, "Player 2"),
        (1620.0, 0.5, "Player 3"),
    ]
    assert (found["read"], found["kept"], found["rejected"]) == (4, 3, 1)
    assert found["problems"][0]["reason"] == "a bye: no game was played"
    assert "the game with Player 4 is left out: no rating" in found["notes"]


def test_a_file_of_many_players_needs_a_name() -> None:
    assert refused("1850", str(REPORT)).startswith("the games are of several players: say whose they are with --player")
    assert refused("1850", str(REPORT), "--player", "Mirzoef").endswith("; did you mean Mirzoev Azer?")


def test_a_file_without_a_game_is_no_event(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_text("opponent,opponent_rating,result\nPlayer 2,1500,bye\n", encoding="utf-8")
    with pytest.raises(UnreadableInput, match="no game could be used"):
        rate_event_log(1500, path)


# --- the command ------------------------------------------------------------------------------------------------------


def test_event_prints_a_table_and_the_totals() -> None:
    done = run("event", "1500", "--opponents", "1500,1620,1700", "--results", "1,0.5,D")
    assert done.stdout == (
        "game  opponent  score  expected  change\n"
        "1         1500      1    0.5000  +10.00\n"
        "2         1620    0.5    0.3339   +3.32\n"
        "3         1700    0.5    0.2403   +5.19\n"
        "all     1606.7      2    1.0741  +18.52\n"
        "\n"
        "system elo, K 20\n"
        "rating 1500 -> 1518.52   (change +18.52, rounded +19)\n"
        "performance: linear 1740.0, FIDE table 1732, exact 1733.8\n"
    )


def test_events_json_has_its_keys() -> None:
    found = document("1500", "--opponents", "1500", "--results", "½")
    assert found["schema"] == 1
    assert set(found["games"][0]) == {"opponent", "score", "expected", "change"}
    assert {"score", "expected", "k", "change", "rounded_change", "new", "average_opponent"} <= set(found)
    assert set(found["performance"]) == {"linear", "table", "exact", "federation"}


@pytest.mark.parametrize(("day", "edition"), [("2026-07-31", "2014"), ("2026-08-01", "2026")])
def test_the_rules_of_the_dwz_are_those_of_the_day(day: str, edition: str) -> None:
    games = ([1800, 1900], [1, 1])
    dated = rate_event(1850, *games, system="dwz", as_of=datetime.date.fromisoformat(day))
    given = rate_event(1850, *games, system="dwz", settings={"rules": edition})
    assert (dated.k, dated.new) == (given.k, given.new)
    assert dated.notes[0].startswith(f"the rules of {edition} that hold on {day}")


def test_a_log_brings_the_day_of_the_rules_and_says_when_it_is_no_one_event() -> None:
    log = b"date,opponent,opponent rating,result,event\n2026-01-05,Ann,1800,1,A\n2026-03-20,Ben,1900,1,B\n"
    found = rate_event_log(1850, io.BytesIO(log), system="dwz")
    assert "the rules of 2014 that hold on 2026-03-20" in found.notes[0]
    said = "the 2 games go from 2026-01-05 to 2026-03-20 and are of 2 events (A, B), and are rated as one event"
    assert any(note.startswith(said) for note in found.notes)


def test_replay_and_books_take_the_rules_of_the_games_days(tmp_path: Path) -> None:
    from elo_sheets import import_logs, replay

    rows = "date,event,white,black,result\n{0}-05,A,Ann,Bob,1-0\n{0}-06,A,Bob,Ann,1-0\n"
    for month, edition in (("2026-07", "2014"), ("2026-08", "2026")):
        log = tmp_path / f"{month}.csv"
        log.write_text(rows.format(month))
        done = replay(log, system="dwz")
        assert done.settings["rules"] == edition
        assert any(f"dwz: rules of {edition}, those of {month}-06" in note for note in done.notes)
        book = import_logs(log, tmp_path / f"{month}.xlsx", template="event", system="dwz")
        assert book.settings["rules"] == edition
    both = replay([tmp_path / "2026-07.csv", tmp_path / "2026-08.csv"], system="dwz")
    assert any("when the rules of 2014 held" in note for note in both.notes)
