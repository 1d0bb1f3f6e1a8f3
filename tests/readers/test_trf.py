"""FIDE tournament reports: every pairing is a game or a problem, and the points of the report come out."""

from __future__ import annotations

import io
import os
from collections import Counter
from datetime import date
from pathlib import Path

import pytest

from elo_sheets.errors import UnreadableInput
from elo_sheets.games import GamesRead
from elo_sheets.readers import read

EXAMPLE = Path(__file__).parents[1] / "data" / "trf" / "javafo_example.trf"
BYES = {"+": 1.0, "F": 1.0, "U": 1.0, "H": 0.5}


def player(rank: int, name: str, rating: object, *rounds: str, points: str = "0.0") -> str:
    line = f"001 {rank:>4} m    {name:<33} {rating!s:>4} {'':3} {'':>11} {'':10} {points:>4} {rank:>4}"
    return line + "".join(f"  {entry:>8}" for entry in rounds)


def report(*lines: str, head: str = "012 Club open\n042 2026/01/05\n052 2026/01/07\n") -> bytes:
    return (head + "\n".join(lines) + "\n").encode()


def read_report(data: bytes) -> GamesRead:
    found = read([io.BytesIO(data)])
    assert found.read == found.kept + found.rejected
    return found


def points_of(path: Path) -> tuple[GamesRead, dict[str, tuple[float, float]]]:
    """The games, and for each player the points that the report prints and those that its games and byes give."""
    found = read([path])
    scored: Counter[str] = Counter()
    for white, black, score in found.games[["white", "black", "score"]].itertuples(index=False):
        scored[white] += score
        scored[black] += 1 - score
    both = {}
    for line in path.read_text("utf-8").splitlines():
        if line.startswith("001"):
            name = " ".join(line[14:47].split())
            unplayed = sum(BYES.get(line[at : at + 1], 0) for at in range(98, len(line), 10))
            both[name] = (float(line[80:84]), scored[name] + unplayed)
    return found, both


# --- real reports -----------------------------------------------------------------------------------------------------


def test_the_games_of_a_real_report_give_the_points_that_it_prints() -> None:
    found, both = points_of(EXAMPLE)
    assert len(both) == 52
    assert {name: pair for name, pair in both.items() if pair[0] != pair[1]} == {}
    assert (found.read, found.kept, found.rejected) == (115, 89, 26)


def test_a_real_report_gives_names_ratings_event_round_and_first_day() -> None:
    first = read([EXAMPLE]).games.iloc[0]
    assert (first["white"], first["white_rating"], first["black_rating"]) == ("Mirzoev Azer", 2527.0, 1743.0)
    assert (first["event"], first["round"], str(first["date"].date())) == (
        "XX Open Internacional de Gros",
        "1",
        "2010-09-24",
    )


@pytest.mark.skipif("ELO_SHEETS_DATA" not in os.environ, reason="documented check: set ELO_SHEETS_DATA")
def test_the_games_of_a_report_of_2005_give_the_points_that_it_prints() -> None:
    found, both = points_of(Path(os.environ["ELO_SHEETS_DATA"]) / "trf" / "karl_mala_2005_trf06.trf")
    assert len(both) == 284
    assert {name: pair for name, pair in both.items() if pair[0] != pair[1]} == {}
    assert found.kept == 970


# --- rounds -----------------------------------------------------------------------------------------------------------


def test_a_game_is_read_once_with_colours_and_ratings() -> None:
    found = read_report(report(player(1, "Player 1", 1500, "   2 b 1"), player(2, "Player 2", 1600, "   1 w 0")))
    game = found.games.iloc[0]
    assert found.kept == 1
    assert (game["white"], game["black"], game["score"]) == ("Player 2", "Player 1", 0.0)
    assert (game["white_rating"], game["black_rating"], game["source_row"]) == (1600.0, 1500.0, 4)


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        ("0000 - U", "a bye: no game was played"),
        ("0000 - H", "a half-point bye: no game was played"),
        ("0000 - F", "a full-point bye: no game was played"),
        ("0000 - Z", "absent: no game was played"),
        ("0000 - -", "absent: no game was played"),
        ("     - U", "a bye: no game was played"),
        ("0000 - +", "decided by forfeit, not over the board"),
        ("   9 w 1", "there is no player with this starting rank"),
        ("   1 w 1", "a game against oneself"),
        ("   2 w 1", "the line of 'Player 2' tells of another opponent in this round"),
        ("   x w 1", "expected an opponent's starting rank and a result such as 12 w 1"),
    ],
)
def test_what_is_no_game_is_a_problem(entry: str, reason: str) -> None:
    found = read_report(report(player(1, "Player 1", 1500, entry), player(2, "Player 2", 1600)))
    assert [(p.row, p.column, p.reason) for p in found.problems] == [(4, "round 1", reason)]


@pytest.mark.parametrize(
    ("one", "other", "reason"),
    [
        ("   2 w +", "   1 b -", "decided by forfeit, not over the board"),
        ("   2 - +", "   1 - -", "decided by forfeit, not over the board"),
        ("   2 w W", "   1 b L", "the game lasted less than one move, which is not rated"),
        ("   2 w  ", "   1 b  ", "unfinished or without a result"),
        ("   2 w 1", "   1 b 1", "the two players' lines disagree: 1 and 1"),
        ("   2 w 1", "   1 w 0", "both players' lines say white"),
        ("   2 w ?", "   1 b ?", "expected a result such as 1, = or 0"),
    ],
)
def test_a_pairing_that_is_not_rated_is_one_problem(one: str, other: str, reason: str) -> None:
    found = read_report(report(player(1, "Player 1", 1500, one), player(2, "Player 2", 1600, other)))
    assert [p.reason for p in found.problems] == [reason]


def test_a_blank_round_is_no_pairing() -> None:
    found = read_report(
        report(player(1, "Player 1", 1500, " ", "   2 w ="), player(2, "Player 2", 1600, "", "   1 b ="))
    )
    assert (found.kept, found.rejected, found.games["round"].tolist()) == (1, 0, ["2"])


def test_rounds_have_the_days_of_the_report() -> None:
    days = "132" + " " * 88 + "26/01/05  26/01/06"
    lines = (player(1, "Player 1", "", "   2 b 1", "   2 w ="), player(2, "Player 2", "", "   1 w 0", "   1 b ="), days)
    found = read_report(report(*lines))
    assert [str(day.date()) for day in found.games["date"]] == ["2026-01-05", "2026-01-06"]


def test_days_that_can_be_read_in_two_ways_are_for_the_owner_to_decide() -> None:
    data = report(player(1, "Player 1", "", "   2 b 1"), player(2, "Player 2", "", "   1 w 0"), head="042 02/03/2026\n")
    with pytest.raises(UnreadableInput, match="--dates"):
        read([io.BytesIO(data)])
    assert str(read([io.BytesIO(data)], dates="dmy").games["date"].iloc[0].date()) == "2026-03-02"


# --- lines ------------------------------------------------------------------------------------------------------------


def test_players_of_one_name_are_told_apart() -> None:
    found = read_report(report(player(1, "Player", 1500, "   2 b 1"), player(2, "Player", 1600, "   1 w 0")))
    assert found.games.iloc[0][["white", "black"]].tolist() == ["Player (2)", "Player (1)"]
    assert found.notes == ["2 players are called 'Player': told apart by starting rank"]


def test_a_starting_rank_that_was_given_before_is_a_problem() -> None:
    found = read_report(report(player(1, "Player 1", 1500), player(1, "Player 2", 1600)))
    assert [(p.row, p.value, p.reason) for p in found.problems] == [(5, "1", "this starting rank was given before")]


def test_columns_counted_in_bytes_are_read() -> None:
    name = "Müller,Jörg"
    line = player(1, name + " " * (33 - len(name.encode())), 1500, "   2 w 1", points="1.0").replace(
        name + " " * (33 - len(name)), name + " " * (33 - len(name.encode()))
    )
    found = read_report(report(line, player(2, "Player 2", 1600, "   1 b 0")))
    assert found.games.iloc[0][["white", "white_rating", "score"]].tolist() == [name, 1500.0, 1.0]


def test_comments_teams_and_national_ratings_hold_no_games() -> None:
    lines = (player(1, "Player 1", 1500, "   2 w 1"), player(2, "Player 2", 1600, "   1 b 0"))
    extra = ("### a comment", "GER    1 m     Player 1", "310   1 Team", "013 Team", "XXR 5")
    assert read_report(report(*extra, *lines)).kept == 1


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_byte_order_mark_is_understood(encoding: str) -> None:
    data = report(player(1, "Player 1", 1500, "   2 w 1"), player(2, "Player 2", 1600, "   1 b 0"))
    assert read_report(data.decode().encode(encoding)).kept == 1


def test_a_report_without_a_round_has_no_games() -> None:
    assert read_report(report(player(1, "Player 1", 1500), player(2, "Player 2", 1600))).read == 0


def test_what_a_report_says_of_the_tournament() -> None:
    head = "012 Club open\n022 Springfield\n032 NOR\n042 2026/01/05\n052 2026/01/11\n102 IA Ann\n122 90 min + 30 s\n"
    lines = (player(1, "Ann", 2000, "   2 w 1"), player(2, "Bob", 1900, "   1 b 0"))
    found = read_report(report(*lines, head=head))
    said = found.games.attrs["tournament"]
    assert (said["place"], said["arbiter"]) == ("Springfield, NOR", "IA Ann")
    assert said["last_day"].date() == date(2026, 1, 11)
    assert found.games["time_control"].tolist() == ["90 min + 30 s"]


def test_what_a_report_leaves_out_of_the_tournament_is_empty() -> None:
    lines = (player(1, "Ann", 2000, "   2 w 1"), player(2, "Bob", 1900, "   1 b 0"))
    found = read_report(report(*lines, head="012 Club open\n022\n102 \n122\n042 2026/01/05\n"))
    told = ("place", "city", "federation", "kind", "arbiter", "last_day")
    tournament = found.games.attrs["tournament"]
    assert {name: tournament[name] for name in told} == dict.fromkeys(told)
    assert (tournament["round_days"], tournament["lines"]) == ({}, [[], []])
    assert "time_control" not in found.games


# --- the format of 2026 -----------------------------------------------------------------------------------------------


def of_2026(*lines: str) -> bytes:
    """A report of a team tournament with the records that the format has since 2026, its lines ended as it asks."""
    days = f"132{'':88}26/01/05  26/01/06"
    head = ["### made by hand", "012 Club open", "042 2026/01/05", "052 2026/01/06", days, "142 2", "152 W"]
    head += [
        "162  W 3.0     D 1.0     L 0.0",
        "172 GER NIDOF",
        "192 FIDE_TEAM_BAKU",
        "202 BH/C1,BH",
        "222 5400+30",
        "352 WB",
    ]
    tail = ["GER    1 m    Player 1                          2190 GER       10222", "240 H 002    3"]
    tail += ["250 00.0 01.0 001 002 0001 0002", "260 001 002    1    2", "299 W     1.0 001    1"]
    tail += [f"310   1 {'North':<32} NORTH   2300    2.0    1.5   1     1    2", "320 02.0 01.0 000"]
    tail += ["330 +- 002 001 002", "300 001   1   2 0001 0002", "802   1 NORTH    2.0    1.5    2 w  1.5"]
    return ("\r".join([*head, *lines, *tail]) + "\r").encode()


def test_a_report_of_2026_is_read_past_its_new_records() -> None:
    lines = [
        player(1, "Player 1", 2200, "   2 w 1", "   3 b ="),
        player(2, "Player 2", 2100, "   1 b 0", "          "),
        player(3, "Player 3", 2000, "0000 - h", "   1 w ="),
    ]
    found = read_report(of_2026(*lines))
    games = found.games
    assert list(zip(games["white"], games["black"], games["score"], strict=True)) == [
        ("Player 1", "Player 2", 1.0),
        ("Player 3", "Player 1", 0.5),
    ]
    assert [f"{day:%Y-%m-%d}" for day in games["date"]] == ["2026-01-05", "2026-01-06"]
    assert games["white_rating"].tolist() == [2200, 2000]
    assert [problem.reason for problem in found.problems] == ["a half-point bye: no game was played"]
