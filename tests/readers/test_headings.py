"""Headings of many languages, matched by their parts: the sides, the result and the day of each are found."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pandas as pd
import pytest

from elo_sheets.errors import UnreadableInput, UsageError
from elo_sheets.readers import Remembered, read
from elo_sheets.readers._headings import role_of, roles_of

LINES = [
    line
    for line in Path(__file__).with_name("headings.txt").read_text(encoding="utf-8").splitlines()
    if line and not line.startswith("#")
]
SIDES = ("Arsenal", "Chelsea", "Everton", "Fulham", "Burnley", "Watford", "Liverpool", "Swansea")
GROUNDS = ("Highbury", "Stamford Bridge", "Goodison Park", "Craven Cottage", "Turf Moor", "Vicarage Road", "Anfield")
GOALS = ((2, 1), (0, 0), (1, 3), (4, 0), (0, 2), (2, 2), (5, 1))


def log_of(line: str) -> tuple[bytes, list[tuple[str, str, float, date | None]]]:
    """Return a log under these headings, and of each of its games the sides, White's score and the day."""
    delimiter, columns = line[2], [cell.rsplit(":", 1) for cell in line[4:].split(line[2])]
    kinds = [kind for _, kind in columns]
    rows, games = [], []
    for at, goals in enumerate(GOALS):
        if "V" in kinds or "N" in kinds:
            goals = tuple(sorted(goals, reverse=at % 2 == 0 or "V" in kinds)) if goals[0] != goals[1] else (3, 2)
        one, other = SIDES[at], SIDES[(at * 3 + 1) % len(SIDES)]
        day = date(2023, 9, 3 + 3 * at)
        score = (goals[0] > goals[1]) + (goals[0] == goals[1]) / 2
        said = {"d": f"{day}", "t": f"{13 + at}:30", "W": one, "V": one, "O": one, "B": other, "L": other, "P": other}
        said |= {"r": f"{goals[0]}-{goals[1]}", "w": f"{goals[0]}", "b": f"{goals[1]}", "u": f"{1 + at // 2}"}
        said |= {"N": one if score == 1 else other, "c": "HA"[at % 2], "s": "2023", "e": "Premier League"}
        said |= {"z": f"{1500 + 7 * at}", "Z": f"{1600 - 9 * at}", "n": f"{40 - 3 * at}", "x": "AB"[at % 2]}
        said |= {"m": f"Referee {at}", "y": GROUNDS[at], "h": "0-0", "i": f"{9000 + 17 * at}"}
        if "O" in kinds:
            said["r"] = {1.0: "Yes", 0.0: "No", 0.5: "No"}[score] if "?" in line else "WDL"[round(2 - 2 * score)]
            score = float(said["r"] == "Yes") if "?" in line else score
        if "P" in kinds and "O" not in kinds:
            one = "Millwall"
        if "P" in kinds and "c" in kinds and said["c"] == "A":
            one, other, score = other, one, 1 - score
        rows.append(delimiter.join(said[kind] for kind in kinds))
        games.append((one, other, score, day if "d" in kinds else None))
    header = delimiter.join(name for name, _ in columns)
    return "\n".join([header, *rows]).encode(), games


def found_in(line: str) -> list[tuple[str, str, float, date | None]]:
    """Return the games that are read in such a log."""
    log, _ = log_of(line)
    alone = ":P" in line and ":O" not in line
    games = read([log], player="Millwall" if alone else None).games
    return [
        (white, black, score, None if pd.isna(day) else day.date())
        for white, black, score, day in zip(games["white"], games["black"], games["score"], games["date"], strict=True)
    ]


@pytest.mark.parametrize("line", LINES)
def test_the_sides_the_result_and_the_day_are_found_under_headings_of_many_languages(line: str) -> None:
    assert sorted(found_in(line), key=repr) == sorted(log_of(line)[1], key=repr)


def test_headings_that_look_like_sides_and_tell_something_else_are_left_alone() -> None:
    others = "Home corners,Last name,Home odds,White title,Halbzeit Heim,Round result,Date of birth,Elo change,Game 1"
    assert [role_of(heading) for heading in others.split(",")] == [None] * 9
    assert roles_of(["Set 1", "Set 2", "Set 3"]) == [None, None, None]


def test_of_a_team_and_a_player_of_each_side_the_players_play() -> None:
    log = b"Day,Away Club,Away Player,Home Club,Home Player,Legs Home,Legs Away\n1/30/24,Star,Ann,Moon,Bob,3,1\n"
    game = read([log]).games.iloc[0]
    assert (game["white"], game["black"], game["white_points"]) == ("Bob", "Ann", 3)


def test_a_heading_that_words_make_plain_is_kept_where_its_cells_are_odd() -> None:
    found = read([b"Spieldatum;Heimtore;Heim;Gast;Gasttore\n31.4.2024;2;A;B;0\n1.5.2024;n/a;A;B;1\n2.5.2024;1;B;A;0\n"])
    assert [problem.column for problem in found.problems] == ["Spieldatum", "Heimtore"]
    assert len(found.games) == 1


def test_a_column_whose_cells_are_not_what_its_heading_says_plays_no_role() -> None:
    log = b"Joue,Joueur blanc,Joueur noir,Resultat\nA,Ann,Bob,1-0\nB,Bob,Cid,0-1\n"
    games = read([log]).games
    assert games["date"].isna().all()
    assert games["white"].tolist() == ["Ann", "Bob"]


UNKNOWN = "Reg.,Kodu,Voorsil,Tulemus\n2024-01-02,Ann,Bob,1-0\n2024-01-03,Bob,Cid,0-1\n2024-01-04,Cid,Ann,1-0\n"


def test_unknown_headings_are_told_by_what_their_columns_hold_and_this_is_said() -> None:
    found = read([UNKNOWN.encode()])
    assert found.games[["white", "black", "score"]].to_numpy().tolist()[1] == ["Bob", "Cid", 0.0]
    assert found.games["date"].dt.day.tolist() == [2, 3, 4]
    assert "'Kodu' and 'Voorsil' were read as the two sides" in found.notes[0]
    assert "--map" in found.notes[0]
    assert [note.split(" was read")[0] for note in found.notes[1:]] == ["the column 'Tulemus'", "the column 'Reg.'"]


def test_a_winner_under_an_unknown_heading_is_told_by_the_sides_of_its_row() -> None:
    log = "x,y,z\nAnn,Bob,Ann\nBob,Cid,Cid\nCid,Ann,draw\nAnn,Cid,Ann\n"
    assert read([log.encode()]).games["score"].tolist() == [1.0, 0.0, 0.5, 1.0]


def test_two_columns_that_may_both_hold_the_day_are_left_open_by_name() -> None:
    log = "typed in,sent,home,away,result\n2024-01-02,2024-02-01,Ann,Bob,1-0\n2024-01-03,2024-02-02,Bob,Ann,0-1\n"
    found = read([log.encode()])
    assert found.games["date"].isna().all()
    assert "the columns 'typed in' and 'sent' may each hold the days of the games" in found.notes[0]


def test_a_refusal_shows_the_headings_and_not_the_title_above_them() -> None:
    log = "Spring league,,\nof the club,,\nKodu,Voorsil,Info\nAnn,Dan,x\nBob,Eve,y\n"
    with pytest.raises(UnreadableInput, match=r"got the headers 'Kodu', 'Voorsil', 'Info'"):
        read([log.encode()])


def test_result_home_and_away_may_be_mapped_by_these_names() -> None:
    log = b"a1,b1,c1\nAnn,Bob,1-0\nBob,Cid,0-1\n"
    found = read([log], columns={"home": "a1", "away": "b1", "result": "c1"})
    assert found.games["score"].tolist() == [1.0, 0.0]
    with pytest.raises(UsageError, match="expected one column for the score, got 'b1' and 'c1'"):
        read([log], columns={"score": "b1", "result": "c1"})


def test_a_mapping_that_a_book_remembers_counts_for_logs_with_its_headers_alone() -> None:
    kept = Remembered({"white": "x", "black": "y", "score": "z"})
    known = read([b"x,y,z\nAnn,Bob,1-0\n"], columns=kept)
    assert known.games["white"].tolist() == ["Ann"]
    assert "the book remembers: white=x" in known.notes[0]
    other = read([b"home,away,result\nAnn,Bob,1-0\n"], columns=kept)
    assert other.games["white"].tolist() == ["Ann"]
    assert not any("remembers" in note for note in other.notes)


def test_short_headings_of_points_are_told_by_the_letters_of_the_sides() -> None:
    log = "Rodada,Mandante,Visitante,GM,GV,W\n1,A,B,2,1,1\n1,C,D,0,0,0.5\n2,A,C,0,3,0\n"
    found = read([log.encode()])
    assert found.games[["white_points", "black_points"]].to_numpy().tolist() == [[2, 1], [0, 0], [0, 3]]
    assert "'GM' and 'GV' were read as the points" in found.notes[0]


def test_standings_are_no_games() -> None:
    log = "Pos,Player,P,Won,Lost,Draw\n1,Ann,3,2,1,0\n2,Bob,3,1,2,0\n"
    with pytest.raises(UnreadableInput, match="expected"):
        read([log.encode()])


def test_the_points_of_one_side_are_no_results() -> None:
    several = b"home,away,hs,as,hst,ast\nReds,Blues,3,1,5,2\nBlues,Greens,2,0,3,1\nGreens,Reds,4,1,6,2\n"
    with pytest.raises(UnreadableInput, match="expected a column for the result"):
        read([several])
    halves = read(["White,Pts,Black,Pts\nReds,½,Blues,½\nBlues,1,Reds,0\n".encode()]).games
    assert halves["score"].tolist() == [0.5, 1.0]


def test_a_game_between_teams_that_are_called_like_headings_is_no_header() -> None:
    with pytest.raises(UnreadableInput, match="got the headers 'day', 'home', 'away', 'f', 'g'"):
        read([b"day,home,away,f,g\n2024-01-01,A Team,B Team,2,0\n2024-01-02,B Team,C Team,1,1\n"])
