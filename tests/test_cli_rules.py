"""`systems`, `conform`, `explain` and the comparisons of `replay`, as a user runs them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from faces import run

from elo_sheets.errors import EloSheetsError

CLUB = """\
date,white,black,result,week
2025-01-03,Player 1,Player 2,1-0,1
2025-01-03,Player 3,Player 4,1/2-1/2,1
2025-01-10,Player 1,Player 3,0-1,2
2025-01-10,Player 2,Player 4,1-0,2
2025-02-10,Player 1,Player 4,1-0,4
2025-02-10,Player 2,Player 3,0-1,4
2025-02-17,Player 2,Player 1,later,5
"""


@pytest.fixture
def club(tmp_path: Path) -> str:
    path = tmp_path / "club.csv"
    path.write_text(CLUB, encoding="utf-8")
    return str(path)


def refused(*arguments: str) -> EloSheetsError:
    """The error of a command that is refused; `main` prints it and exits with its code."""
    error = run(*arguments).exception
    assert isinstance(error, EloSheetsError), error
    return error


# --- explain --------------------------------------------------------------------------------------------------


def test_explain_prints_the_statement_of_each_game(club: str) -> None:
    done = run("explain", "Player 1", club, "--last", "1")
    assert done.exit_code == 0
    assert done.stdout == (
        "Player 1, system elo\n"
        "Settings: all are the system's defaults\n"
        "Start rating: 1500, the initial rating of the settings\n"
        "\n"
        "Before: Rating 1499.712256\n"
        "  Game 5 2025-02-10 v Player 4 (white): score 1\n"
        f"    {club}, row 6\n"
        "    Opponent rating 1489.712256\n"
        "    Gap cap: 1000000 = 1000000   "
        '[cap = IF(gap_rule="none",1000000,IF(gap_rule="cap400",400,IF(rating>=2650,1000000,400)))]\n'
        '      because gap_rule ("none")="none": yes\n'
        "    Difference: 10 = MAX(-1000000,MIN(1000000,1499.712256-1489.712256))   "
        "[difference = MAX(-cap,MIN(cap,rating-opponent_rating))]\n"
        "    Expected: 0.514387 = 1/(1+10^(-10/400))   [expected = 1/(1+10^(-difference/scale))]\n"
        "    K: 20 = 20   [k_used = k]\n"
        "    Change: 9.712256 = 20*(1-0.514387)   [change = k_used*(score-expected)]\n"
        "  Rating after: 1509.424513 = 1499.712256+9.712256   [rating_after = rating+period_change]\n"
        "After: Rating 1509.424513\n"
    )
    assert "left out: " in done.stderr


def test_explain_tells_the_same_to_a_program(club: str) -> None:
    document = json.loads(run("explain", "player 1", club, "--json").stdout)
    assert (document["schema"], document["player"], document["system"]) == (1, "Player 1", "elo")
    assert (document["read"], document["kept"], document["rejected"]) == (7, 6, 1)
    assert [game["opponent"] for period in document["periods"] for game in period["games"]] == [
        "Player 2",
        "Player 3",
        "Player 4",
    ]
    last = document["periods"][-1]
    assert last["after"]["rating"] == pytest.approx(1509.4245, abs=1e-4)
    step = last["games"][0]["steps"][2]
    assert (step["name"], step["formula"]) == ("expected", "1/(1+10^(-difference/scale))")


def test_explain_takes_a_column_of_the_log_as_the_period(club: str) -> None:
    arguments = ["explain", "Player 1", club, "--system", "glicko", "--set", "period=column:week", "--json"]
    document = json.loads(run(*arguments).stdout)
    assert len(document["periods"]) == 3


def test_explain_of_a_stranger_names_who_is_near(club: str) -> None:
    assert str(refused("explain", "Playr 1", club)).startswith("no game of 'Playr 1' in the log; did you mean Player 1")


# --- conform --------------------------------------------------------------------------------------------------


def test_conform_prints_expected_got_tolerance_and_verdict() -> None:
    done = run("conform", "nfl")
    assert done.exit_code == 0
    header, *rows, last = done.stdout.splitlines()
    assert header.split() == ["answer", "what", "expected", "got", "tolerance", "verdict"]
    assert all(row.endswith("passed") for row in rows)
    assert last == f"5 of 5 published answers ({len(rows)} numbers) by floats"


def test_conform_fails_with_code_1_when_a_number_is_not_the_published_one(monkeypatch: pytest.MonkeyPatch) -> None:
    from elo_sheets.systems import _parts, nfl

    assert run("conform", "nfl").exit_code == 0
    wrong = [step for step in nfl.NFL.game if step.__name__ == "multiplier"]
    assert wrong
    assert _parts.nfl_multiplier in wrong
    code = _parts.nfl_multiplier.__code__
    monkeypatch.setattr(_parts.nfl_multiplier, "__code__", code.replace(co_consts=_shifted(code.co_consts)))
    done = run("conform", "nfl")
    assert done.exit_code == 1
    assert "FAILED" in done.stdout


def _shifted(constants: tuple[object, ...]) -> tuple[object, ...]:
    return tuple(2.3 if constant == 2.2 else constant for constant in constants)


def test_conform_tells_the_same_to_a_program() -> None:
    document = json.loads(run("conform", "fifa", "nba", "--json").stdout)
    assert (document["schema"], document["by"], document["answers"], document["failed"]) == (1, "floats", 4, 0)
    assert {r["verdict"] for r in document["results"]} == {"passed"}
    assert all(r["source"] for r in document["results"])


def test_conform_of_everything_prints_the_count() -> None:
    assert run("conform").stdout.splitlines()[-1].startswith("224 of 224 published answers (")


def test_conform_writes_a_proof_and_does_not_replace_one_unasked(tmp_path: Path) -> None:
    path = str(tmp_path / "proof.xlsx")
    assert run("conform", "fifa", "-o", path).exit_code == 0
    assert "exists; give --force" in str(refused("conform", "fifa", "-o", path))


def test_conform_refuses_an_unknown_system() -> None:
    error = refused("conform", "chess")
    assert (error.exit_code, str(error).startswith("expected a system with published answers (")) == (2, True)


# --- systems --------------------------------------------------------------------------------------------------


def test_systems_prints_one_with_formulas_settings_and_sources() -> None:
    text = run("systems", "glicko").stdout
    for line in (
        "  start_rd = MIN(SQRT(rd^2+c^2*elapsed),rd_max)",
        "Summed over the period: information, surprise",
        "  c=63.2  growth of RD per period; 63.2 takes an RD of 50 back to 350 in 30 periods",
        "Departs from its source:",
    ):
        assert f"{line}\n" in text


def test_a_form_of_all_systems_at_once_is_refused() -> None:
    assert "name it" in str(refused("systems", "--set", "curve=normal"))


# --- comparisons ----------------------------------------------------------------------------------------------


def test_compare_prints_scores_and_ratings_side_by_side(club: str) -> None:
    done = run("replay", club, "--compare", "elo,trueskill,bayeselo", "--burn-in", "1")
    assert done.exit_code == 0
    lines = done.stdout.splitlines()
    assert lines[0] == "4 of 6 games scored, after 1 games of each player"
    assert lines[1].split() == ["system", "log-loss", "Brier", "score", "accuracy"]
    assert lines[4].split() == ["bayeselo", "–", "–", "–"]
    assert next(line for line in lines if line.startswith("player")).split() == [
        "player",
        "elo",
        "trueskill",
        "bayeselo",
    ]
    assert "cannot predict a game before it is played" in done.stderr


def test_fit_prints_what_it_found(club: str) -> None:
    done = run("replay", club, "--fit", "k=10:60", "--burn-in", "0")
    assert done.stdout.startswith("best for system elo: k=")
    assert "ends at the edge of the range" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--compare", "elo,elo"], "name each one once"),
        (["--compare", "elo", "--player", "Player 1"], "leave out --player, -o, --raw and --as-book"),
        (["--fit", "k=60:10"], "from less to more"),
        (["--fit", "k"], "expected a range such as k=10:60"),
        (["--compare", "elo,glico"], "did you mean glicko?"),
    ],
)
def test_a_comparison_that_cannot_be_is_refused(club: str, arguments: list[str], message: str) -> None:
    error = refused("replay", club, *arguments)
    assert message in str(error)
    assert error.exit_code == 2


# --- where players start from ---------------------------------------------------------------------------------


def test_a_list_says_what_players_start_from(club: str, tmp_path: Path) -> None:
    path = tmp_path / "start.csv"
    path.write_text("Player,Rating\nplayer 1,1800\nNobody,1500\nPlayer 2,\n", encoding="utf-8")
    done = run("replay", club, "--start", str(path), "--json")
    document = json.loads(done.stdout)
    assert document["ratings"][0]["player"] == "Player 1"
    assert document["ratings"][0]["rating"] > 1750
    assert f"1 player of {path} plays no game in the log: 'Nobody'" in document["notes"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("player,rating\nPlayer 1,18o0\n", "row 2, rating: expected rating to be a number, got '18o0'"),
        ("player,rating\nPlayer 1,1800\nplayer 1,1900\n", "'Player 1' stands twice in"),
        ("player,rating\nPlayer 1,nan\n", "row 2, rating: expected rating to be a number from"),
        ("player,elo\nPlayer 1,1800\n", "expected the columns player and any of rating in"),
        ("nickname,rating\nPlayer 1,1800\n", "expected a list of players with columns for name and rating"),
    ],
)
def test_a_list_of_starts_that_cannot_be_read_is_refused(club: str, tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "start.csv"
    path.write_text(text, encoding="utf-8")
    assert message in str(refused("replay", club, "--start", str(path)))


def test_a_system_of_ones_own_replays(club: str, tmp_path: Path) -> None:
    path = tmp_path / "ladder.py"
    path.write_text(
        "import dataclasses\nfrom elo_sheets.systems import SYSTEMS\n"
        "LADDER = dataclasses.replace(SYSTEMS['elo'], name='ladder', title='Ladder')\n",
        encoding="utf-8",
    )
    ours = json.loads(run("replay", club, "--json").stdout)["ratings"]
    theirs = json.loads(run("replay", club, "--system", f"{path}:LADDER", "--json").stdout)["ratings"]
    assert ours == theirs
