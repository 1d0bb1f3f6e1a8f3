"""Logs of doubles, teams and tables of many: what each layout tells, what is kept out, and what is refused."""

from __future__ import annotations

import csv
import io
import itertools
import json
import zipfile
from pathlib import Path

import openpyxl
import pytest
from click.testing import CliRunner

import elo_sheets
from elo_sheets.cli import cli, run_command
from elo_sheets.errors import UnreadableInput, UsageError
from elo_sheets.readers._layout import Row
from elo_sheets.readers._sides import is_sided
from elo_sheets.uses.exporting import replay_logs
from elo_sheets.uses.importing import import_logs
from elo_sheets.uses.updating import update

DOUBLES = {"Anna": 1520.0, "Dora": 1500.0, "Ben": 1500.0, "Cid": 1480.0}


def ratings(text: str, **asked: object) -> dict[str, float]:
    return replay_logs(io.BytesIO(text.encode()), **asked).ratings.set_index("player")["rating"].round(9).to_dict()  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "log",
    [
        "Date,Team A player 1,Team A player 2,Team B player 1,Team B player 2,Score A,Score B\n"
        "2026-01-05,Anna,Ben,Cid,Dora,10,7\n2026-01-06,Anna,Dora,Ben,Cid,10,8\n",
        "Date,A1,A2,B1,B2,Goals\n2026-01-05,Anna,Ben,Cid,Dora,10-7\n2026-01-06,Anna,Dora,Ben,Cid,10:8\n",
        "date;A1;A2;B1;B2;result\n05.01.2026;Anna;Ben;Cid;Dora;10-7\n06.01.2026;Anna;Dora;Ben;Cid;10:8\n",
        "Winner 1,Winner 2,Loser 1,Loser 2\nAnna,Ben,Cid,Dora\nAnna,Dora,Ben,Cid\n",
        "player1,player2,player3,player4,score1,score2\nAnna,Ben,Cid,Dora,10,7\nBen,Cid,Anna,Dora,8,10\n",
        "Spieler 1;Spieler 2;Spieler 3;Spieler 4;Ergebnis\nAnna;Ben;Cid;Dora;10:7\nBen;Cid;Anna;Dora;8:10\n",
        "Team A,Team B,Result\nAnna / Ben,Cid / Dora,10-7\nAnna & Dora,Ben & Cid,1-0\n",
        "Winners,Losers\nAnna and Ben,Cid and Dora\nAnna and Dora,Ben and Cid\n",
        "Home player 1,Home player 2,Away player 1,Away player 2,Winner\n"
        "Anna,Ben,Cid,Dora,Home\nBen,Cid,Anna,Dora,Anna\n",
        "Blue player 1,Blue player 2,Red player 1,Red player 2,Blue goals,Red goals\n"
        "Anna,Ben,Cid,Dora,10,2\nBen,Cid,Dora,Anna,2,10\n",
        "Red attack,Red defence,Blue striker,Blue goalie,Red goals,Blue goals\n"
        "Anna,Ben,Cid,Dora,10,7\nAnna,Dora,Ben,Cid,10,8\n",
        "Gul angrep;Gul forsvar;Grønn angrep;Grønn forsvar;Mål gul;Mål grønn\n"
        "Anna;Ben;Cid;Dora;10;2\nBen;Cid;Dora;Anna;2;10\n",
        "Gialli avanti,Gialli dietro,Neri avanti,Neri dietro,Vincitore\n"
        "Anna,Ben,Cid,Dora,gialli\nBen,Cid,Dora,Anna,Neri\n",
        'Team A,Team B,Score\n"Anna, Ben","Cid, Dora",10-7\n"Dora, Anna","Ben, Cid",10-8\n',
        "Winners,Losers,Score\nAnna & Ben,Cid & Dora,6-4 3-6 7-6(5)\nAnna & Dora,Ben & Cid,7-5 6-4\n",
        "Pareja A jugador 1,Pareja A jugador 2,Pareja B jugador 1,Pareja B jugador 2,Resultado\n"
        'Anna,Ben,Cid,Dora,6-4 3-6 10-8\nBen,Cid,Anna,Dora,"1-6, 3-6"\n',
        "game,team,player,points\n1,x,Anna,10\n1,y,Cid,7\n1,x,Ben,10\n1,y,Dora,7\n"
        "2,x,Anna,3\n2,x,Dora,3\n2,y,Ben,1\n2,y,Cid,1\n",
        "day,team,player,score\n5 Jan 2026,A,Anna,3\n5 Jan 2026,A,Ben,3\n5 Jan 2026,B,Cid,1\n5 Jan 2026,B,Dora,1\n"
        "5 Jan 2026,A,Anna,3\n5 Jan 2026,A,Dora,3\n5 Jan 2026,B,Ben,1\n5 Jan 2026,B,Cid,1\n",
        "Match,Player,Partner,Opponent 1,Opponent 2,Score\n1,Anna,Ben,Cid,Dora,10-7\n1,Ben,Anna,Cid,Dora,10-7\n"
        "1,Cid,Dora,Anna,Ben,7-10\n1,Dora,Cid,Anna,Ben,7-10\n2,Ben,Cid,Dora,Anna,8-10\n2,Anna,Dora,Ben,Cid,10-8\n"
        "2,Dora,Anna,Cid,Ben,10-8\n2,Cid,Ben,Anna,Dora,8-10\n",
        "Date,Player,Partner,Opponents,Won?\n2026-01-05,Anna,Ben,Cid / Dora,yes\n2026-01-05,Dora,Cid,Ben / Anna,no\n"
        "2026-01-06,Cid,Ben,Anna / Dora,no\n2026-01-06,Anna,Dora,Cid / Ben,yes\n",
        "game,player,team,score,won\n1,Anna,red,10,yes\n1,Ben,red,10,yes\n1,Cid,blue,8,no\n1,Dora,blue,8,no\n"
        "2,Ben,red,2,no\n2,Dora,blue,10,yes\n2,Cid,red,2,no\n2,Anna,blue,10,yes\n",
        "Night,Team,Members,Points\n1.1.2026,Red,Anna + Ben,31\n1.1.2026,Blue,Cid + Dora,28\n2.1.2026,Red,Ben + Cid,2\n"
        "2.1.2026,Blue,Anna + Dora,3\n",
        "Day,Player 1,Makker,Sets,Player 2,Makker\n1.1.2026,Anna,Ben,2-0,Cid,Dora\n2.1.2026,Ben,Cid,1-2,Anna,Dora\n",
        'Day,Bibs,Non-bibs,Goals,MVP\nThu 1 Jan 2026,"Anna, Ben","Cid, Dora",5-3,Ben\nThu 8 Jan 2026,"Ben, Cid",'
        '"Dora, Anna",4-6,Ben\nThu 15 Jan 2026,,,rained off,\n',
        "Re 1,Re 2,Kontra 1,Kontra 2,Winner,Score\nAnna,Ben,Cid,Dora,Re,2\nBen,Cid,Dora,Anna,Kontra,1\n",
        "A1,A2,B1,B2,Winner,Score\nAnna,Ben,Cid,Dora,A,2-1\nCid,Ben,Anna,Dora,B,6-4\n",
        "Match,Player,Result\n1,Anna,W\n1,Ben,W\n1,Cid,L\n1,Dora,L\n2,Ben,L\n2,Anna,W\n2,Cid,L\n2,Dora,W\n",
        "date,side,player,result\n2026-01-05,A,Anna,W\n2026-01-05,A,Ben,W\n2026-01-05,B,Cid,L\n2026-01-05,B,Dora,L\n"
        "2026-01-06,A,Ben,lost\n2026-01-06,A,Cid,lost\n2026-01-06,B,Anna,won\n2026-01-06,B,Dora,won\n",
    ],
    ids=[
        "players",
        "goals",
        "short",
        "winners",
        "numbered through",
        "numbered through, with a result",
        "cells",
        "winning cells",
        "winner",
        "colours",
        "roles",
        "contrast",
        "contrast, with a winner",
        "commas",
        "sets",
        "padel",
        "long",
        "long, without games",
        "a row for each player, with his partner",
        "a row for each player, with both opponents in a cell",
        "long, scores and who won",
        "long, the members of each team in a cell",
        "a partner beside each",
        "lists in columns of any heading",
        "a winner and what it counts",
        "a winner and a score from his side",
        "long, winners and losers",
        "long, in words",
    ],
)
def test_every_layout_of_doubles_tells_the_same(log: str) -> None:
    assert ratings(log) == DOUBLES


@pytest.mark.parametrize(
    "log",
    [
        "Date,Player 1,Player 2,Player 3,Winner\n2026-01-05,Anna,Ben,Cid,Ben\n2026-01-06,Anna,Cid,-,Anna\n",
        "Day,Players,Winner(s)\n2026-01-05,Ben; Anna; Cid,Ben\n2026-01-06,Anna; Cid,Anna (tie-break)\n",
        'Day,Winner,Losers\n2026-01-05,Ben,"Anna, Cid"\n2026-01-06,Anna,Cid\n2026-01-07,Cid,"Ben, Anna"\n',
        'Date,Spieler 1,Spieler 2,Spieler 3,Spieler 4,Sieger\n05.01.2026,Anna,Ben,Cid,Dora,"Cid, Anna"\n',
    ],
)
def test_where_only_the_winner_is_told_he_takes_from_each_of_the_others(log: str) -> None:
    done = replay_logs(io.BytesIO(log.encode()))
    games = done.log.games
    assert {tuple(sorted(places)) for _, places in games.groupby("game")["place"]} <= {
        (1.0, 2.0, 2.0),
        (1.0, 2.0),
        (1.0, 1.0, 2.0, 2.0),
    }
    found = done.ratings.set_index("player")["rating"].to_dict()
    if "Dora" not in found:  # 20 points a game between equals, half of them from each
        first = (
            replay_logs(io.BytesIO(log.encode()), until="2026-01-05").ratings.set_index("player")["rating"].to_dict()
        )
        assert first == {"Ben": 1520.0, "Anna": 1490.0, "Cid": 1490.0}
        assert any("table_rule=winner" in note for note in done.notes)


@pytest.mark.parametrize(
    "log",
    [
        "1st,2nd,3rd\nAnna,Ben,Cid\nCid,Anna=Ben,\n",
        "Datum;1º;2.º;3º\n25/01/2026;Anna;Ben;Cid\n26/01/2026;Cid;Anna = Ben;\n",
        "Day,Anna,Ben,Cid\n2026-01-05,31*,31,9\n2026-01-06,2,2,9.5\n",
        "Place 1,Place 2,Place 3\nAnna,Ben,Cid\nCid,Ben = Anna,\n",
        '1st,2nd,3rd\nAnna,Ben,Cid\nCid,"Anna, Ben",\n',
        "Date,Anna,Ben,Cid\n2026-01-05,31,30,-3\n2026-01-06,2,2,9.5\n",
        "Round,Anna,Ben,Cid\n1,1,2,3\n2,2,2,1\n",
        "Day,Order\n2026-01-05,Anna > Ben > Cid\n2026-01-06,Cid > Anna = Ben\n",
        "Game;Ranking\nUno;1. Anna 2. Ben 3. Cid\nGo;1) Cid 2) Ben = Anna\n",
        ",Anna,Ben,Cid\n05.01.2026,31,30,-3\n26.01.2026,2,2,9.5\nAverage,16.5,16,3.25\n",
        "date,player,place\n2026-01-05,Anna,1st\n2026-01-05,Ben,2nd\n2026-01-05,Cid,3rd place\n"
        "2026-01-05,Cid,first\n2026-01-05,Anna,second\n2026-01-05,Ben,second\n",
        "Uno 2026-01-05\nPos,Player,Points\n1,Anna,12\n2,Ben,9\n3,Cid,2\n\nGo, 6 January 2026\nPos,Player,Points\n"
        "1,Cid,8\nT2,Anna,5\nT2,Ben,5\n",
        "Player,5.1.2026,6.1.2026,7.1.2026,Mean\nAnna,1,2,-,1.5\nBen,2,2,DNF,2\nCid,3,1,-,2\n",
        "Spieler,Abend 1,Abend 2,Abend 3\nAnna,1,2,\nBen,2,2,\nCid,3,1,\n",
        "game,player,place\nA,Anna,1\nA,Ben,2\nA,Cid,3\nB,Cid,1\nB,Anna,2\nB,Ben,2\n",
        "match,player,points\nA,Anna,31\nA,Ben,30\nA,Cid,3\nB,Cid,9.5\nB,Anna,2\nB,Ben,2\n",
    ],
    ids=[
        "ordinals",
        "ordinals with their sign",
        "a tie that a star breaks",
        "places",
        "ties by comma",
        "across",
        "places across",
        "ranked",
        "numbered",
        "days without a heading",
        "long by days",
        "lists below each other",
        "evenings across",
        "numbered evenings across",
        "long places",
        "long points",
    ],
)
def test_every_layout_of_a_table_tells_the_same(log: str) -> None:
    # First game: +10, 0, -10 from equal ratings. Second, against 1510, 1500, 1490, each pair halved.
    def chance(gap: float) -> float:
        return 1 / (1 + 10 ** (-gap / 400))

    wanted = {
        "Anna": 1510 + 10 * (0.5 - chance(10)) + 10 * (0 - chance(20)),
        "Ben": 1500 + 10 * (0.5 - chance(-10)) + 10 * (0 - chance(10)),
        "Cid": 1490 + 10 * (1 - chance(-20)) + 10 * (1 - chance(-10)),
    }
    assert ratings(log) == pytest.approx(wanted, abs=1e-8)


def test_rows_of_one_game_that_contradict_each_other_count_for_nothing() -> None:
    log = "Match,Player,Partner,Opponent 1,Opponent 2,Result\n1,Anna,Ben,Cid,Dora,W\n1,Cid,Dora,Anna,Ben,W\n"
    log += "2,Anna,Cid,Ben,Dora,W\n2,Ben,Dora,Cid,Anna,L\n"
    read = replay_logs(io.BytesIO(log.encode())).log
    told = "tells another result of this game"
    assert [(one.row, one.reason) for one in read.problems] == [(2, f"row 3 {told}"), (3, f"row 2 {told}")]
    assert read.kept == 1
    assert any("1 row tells of a game" in note for note in read.notes)


@pytest.mark.parametrize(
    "log",
    [
        # Tables after each day of a season: the points add up, or it says how many games were played.
        "After 5 January 2026\nPos,Player,Points\n1,Ann,3\n2,Bob,1\n3,Cid,0\n\n"
        "After 12 January 2026\nPos,Player,Points\n1,Ann,6\n2,Cid,3\n3,Bob,1\n",
        "Group A\nPos,Team,P,W,D,L,Pts\n1,Ann,2,2,0,0,6\n2,Bob,2,0,0,2,0\n\n"
        "Group B\nPos,Team,P,W,D,L,Pts\n1,Ann,2,2,0,0,6\n2,Bob,2,0,0,2,0\n",
        # Points in a game of a Swiss, and ratings by month, are no places.
        "Player,R1,R2,R3,Total\nAnn,1,0,1,2\nBob,0,1,1,2\nCid,1,1,0,2\n",
        "Player,1.1.2026,1.2.2026,1.3.2026\nAnn,1500,1510,1520\nBob,1490,1480,1470\nCid,1400,1410,1420\n",
    ],
)
def test_tables_of_a_season_are_no_games(log: str) -> None:
    with pytest.raises(UnreadableInput, match="expected a column for the two sides"):
        replay_logs(io.BytesIO(log.encode()))


def test_a_score_that_contradicts_the_winner_is_left_out() -> None:
    log = b"A1,A2,B1,B2,Winner,Score\nAnn,Bob,Cid,Dot,A,2-2\nAnn,Bob,Cid,Dot,draw,2-1\nAnn,Cid,Bob,Dot,A,2-1\n"
    read = replay_logs(io.BytesIO(log)).log
    assert [one.reason for one in read.problems] == ["the score and the winner contradict each other"] * 2
    assert read.kept == 1


def test_who_does_not_come_in_counts_for_nobody_and_is_said() -> None:
    done = replay_logs(io.BytesIO(b"Date,Ann,Bob,Cid\n2026-01-05,1,2,DNF\n2026-01-06,DNS,1,2\n2026-01-07,2,1,3\n"))
    assert done.log.kept == 3
    assert done.log.games["player"].tolist() == "Ann Bob Bob Cid Ann Bob Cid".split()
    assert any("players without a place (DNF) were left out of 1 game," in note for note in done.notes)


def test_a_score_sheet_tells_places_points_and_who_was_away() -> None:
    places = "Velada;Juego;Anna;Ben;Cid\n05/01/2026;Uno;1.º;3.º;2.º\n;Go;abs;2.º;1.º\n;Tabu (nicht gewertet);;;\n"
    places += "26/01/2026;Uno;2.º;1.º;3.º\nPromedio;;1;2;2\n"
    done = replay_logs(io.BytesIO(places.encode()))
    assert (done.log.read, done.log.kept) == (5, 3)
    told = done.log.games.pivot_table(index="game", columns="player", values="place")
    assert told.fillna(0).to_numpy().tolist() == [[1, 3, 2], [0, 2, 1], [2, 1, 3]]
    assert [f"{day:%d}" for day in done.log.games.groupby("game")["date"].first()] == ["05", "05", "26"]
    signed = "Datum;Runde;Anna;Ben;Cid;Dora\n05.01.2026;1;+3;−3;+3;-3\n05.01.2026;2;;+4;-2;-2\n05.01.2026;3;0;0;0;0\n"
    games = replay_logs(io.BytesIO(signed.encode())).log.games
    assert games.groupby("game")["place"].apply(list).tolist() == [[1, 2, 1, 2], [1, 2, 2], [1, 1, 1, 1]]


def test_json_with_the_seats_at_each_table_is_read_and_no_deck_is_a_partner() -> None:
    decks = {"Ann": "Krenko", "Bea": "Atraxa", "Cid": "Yuriko"}
    pods = [("2024-04-05", "Ann Bea Cid"), ("2024-04-12", "Cid Ann"), ("2024-04-19", "Bea Cid Ann")]
    seats = [
        [{"player": name, "deck": decks[name], "placement": at} for at, name in enumerate(names.split(), 1)]
        for _, names in pods
    ]
    log = [{"id": 7, "day": day, "seats": some} for (day, _), some in zip(pods, seats, strict=True)]
    level = [{"player": name, "deck": decks[name], "placement": None} for name in ("Ann", "Bea", "Cid")]
    drawn = {"id": 8, "day": "2024-04-20", "state": "draw", "seats": level}
    plain = "".join(
        f"{at},{name},{place}\n" for at, (_, names) in enumerate(pods) for place, name in enumerate(names.split())
    )
    assert ratings(json.dumps({"pods": log})) == ratings("game,player,place\n" + plain)
    level_too = plain + "".join(f"9,{one['player']},1\n" for one in level)
    assert ratings(json.dumps({"pods": [*log, drawn]})) == ratings("game,player,place\n" + level_too)
    two = "date,Red player,Red deck,Blue player,Blue deck,Score\n2024-04-05,Ann,Krenko,Bea,Atraxa,2-1\n"
    two += "2024-04-06,Bea,Krenko,Cid,Yuriko,2-0\n2024-04-07,Cid,Yuriko,Ann,Krenko,0-2\n"
    assert ratings(two).keys() == {"Ann", "Bea", "Cid"}


def test_a_remark_in_brackets_is_no_player() -> None:
    log = "Date,1st,2nd,3rd\n12 Jan 2024,Ann,Bea,Cid\n13 Jan 2024,(teams, no score),\n14 Jan 2024,Bea,Cid,Ann\n"
    assert ratings(log).keys() == {"Ann", "Bea", "Cid"}


def test_small_numbers_of_players_may_be_places_or_points_and_what_says_so_works() -> None:
    log = "Rennen,Strecke,Anna,Ben,Cid\n1,Nordkurve,4,1,7\n2,Hafen,2,5,11\n3,Summe,6,6,18\n"
    with pytest.raises(UnreadableInput, match=r"--map place=Anna .* --map points=Anna"):
        replay_logs(io.BytesIO(log.encode()))
    with pytest.raises(UsageError, match="place=Dora"):
        replay_logs(io.BytesIO(log.encode()), columns={"place": "Dora"})
    for role, wanted in (("place", [[2, 1, 3], [1, 2, 3]]), ("points", [[2, 3, 1], [3, 2, 1]])):
        games = replay_logs(io.BytesIO(log.encode()), columns={role: "Anna"}).log.games
        assert games.groupby("game")["place"].apply(list).tolist() == wanted


def test_a_side_that_never_mixes_has_one_name() -> None:
    log = "home,away,result\nBosnia & Herzegovina,Trinidad & Tobago,1-0\nTrinidad & Tobago,Bosnia & Herzegovina,1-0\n"
    assert set(ratings(log)) == {"Bosnia & Herzegovina", "Trinidad & Tobago"}


def test_a_family_name_before_a_comma_is_no_partner() -> None:
    log = 'white,black,result\n"Miller, Anna","Miller, Ben",1-0\n"Miller, Ben","Smith, Anna",1-0\n'
    assert set(ratings(log)) == {"Miller, Anna", "Miller, Ben", "Smith, Anna"}


def test_nor_is_one_that_is_a_given_name_elsewhere() -> None:
    names = ["Paul,Ida", "Berg,Paul", "Carl,Ida", "Dahl,Eva", "Falk,Eva", "Li,Tom", "Nord,Carl", "Berg,Tom"]
    log = ["white,black,result", *(f'"{a}","{b}",1-0' for a, b in itertools.pairwise(names))]
    assert set(ratings("\n".join(log))) == set(names)


def test_an_evening_of_doubles_may_have_a_single() -> None:
    log = "home,away,result\nAnna & Dora,Ben & Cid,1-0\nAnna & Ben,Dora & Cid,1-0\nAnna,Ben,0-1\n"
    assert set(ratings(log)) == {"Anna", "Ben", "Cid", "Dora"}


def test_the_places_that_a_tie_takes_stay_empty() -> None:
    log = "1st,2nd,3rd,4th\nAnna / Ben,,Cid,Dora\n"
    assert ratings(log)["Anna"] == pytest.approx(1500 + 20 * (2.5 / 3 - 0.5))
    team = replay_logs(io.BytesIO(b"1st,2nd,3rd\nAnna / Ben,Cid / Dora,Eve / Fay\n"))
    assert set(team.history["partners"]) == {"Anna", "Ben", "Cid", "Dora", "Eve", "Fay"}


def test_a_table_of_numbers_with_names_of_their_own_is_no_score_sheet() -> None:
    for header, row in (("Date,Rating,K,Games", "2026-01-05,1500,20,3"), ("x1,x2,x3,Date", "1,2,3,2026-01-05")):
        assert not is_sided([Row(1, header.split(",")), Row(2, row.split(","))], {})


def test_the_log_says_that_cells_were_cut_into_players() -> None:
    log = "home,away,result\nAnna & Dora,Ben & Cid,1-0\nAnna & Ben,Dora & Cid,1-0\n"
    done = replay_logs(io.BytesIO(log.encode()))
    assert any("several players of one side" in note for note in done.notes)


def test_columns_may_be_named() -> None:
    log = "one,two,three,four,us,them\nAnna,Ben,Cid,Dora,10,7\nAnna,Dora,Ben,Cid,10,8\n"
    named = {"a1": "one", "a2": "two", "b1": "three", "b2": "four", "a_points": "us", "b_points": "them"}
    assert ratings(log, columns=named) == DOUBLES
    with pytest.raises(UsageError, match="expected a column of games of teams or of many to map, got 'eco'"):
        ratings(log, columns=named | {"eco": "one"})


def test_a_third_player_of_a_game_is_not_left_out() -> None:
    log = "Player 1,Player 2,Player 3,Result\nAnna,Ben,Cid,1-0\nAnna,Cid,Ben,0-1\n"
    with pytest.raises(UnreadableInput, match="got the column 'Player 3' of another one"):
        ratings(log)
    assert set(ratings(log, columns={"white": "Player 1", "black": "Player 2"})) == {"Anna", "Ben", "Cid"}


def test_sides_that_the_winners_contradict_are_asked_for() -> None:
    rows = ["A White,A Black,B White,B Black,Winners", "Ann,Bob,Cid,Dot,Ann & Dot", "Bob,Cid,Dot,Ann,Cid & Dot"]
    log = "\n".join([*rows, "Ann,Cid,Bob,Dot,Ann & Dot"]).encode()
    with pytest.raises(UnreadableInput, match=r"'Ann & Dot' \(.*, row 2\) and 2 more who do not; .* --map a1=HEADER"):
        replay_logs(io.BytesIO(log))
    sides = {"a1": "A White", "a2": "B Black", "b1": "A Black", "b2": "B White"}
    assert replay_logs(io.BytesIO(log), columns=sides).log.kept == 3


def test_no_row_vanishes() -> None:
    log = (
        "Date,A1,A2,B1,B2,Score A,Score B\n2026-01-05,Anna,Ben,Cid,Dora,10,7\n2026-01-05,Anna,Ben,Cid,Anna,10,7\n"
        "2026-01-05,Anna,Ben,,,10,7\n2026-01-05,Anna,Ben,Cid,Dora,ten,7\n2026-01-05,Anna,Ben,Cid,Dora,,\n"
        "32.01.2026,Anna,Ben,Cid,Dora,1,0\n"
    )
    done = replay_logs(io.BytesIO(log.encode()))
    assert (done.log.read, done.log.kept, done.log.rejected) == (6, 1, 5)
    assert [(problem.row, problem.column, problem.value) for problem in done.log.problems] == [
        (3, "", ""),
        (4, "", ""),
        (5, "points", "ten"),
        (6, "score", ""),
        (7, "date", "32.01.2026"),
    ]
    assert "'Anna' plays twice in one game" in [problem.reason for problem in done.log.problems]


def test_a_game_of_the_long_form_with_a_bad_row_is_kept_out_whole() -> None:
    log = "game,player,place\n1,Anna,1\n1,Ben,two\n2,Anna,1\n2,Cid,2\n"
    done = replay_logs(io.BytesIO(log.encode()))
    assert [(problem.row, problem.value) for problem in done.log.problems] == [(2, "1"), (3, "two")]
    assert sorted(done.ratings["player"]) == ["Anna", "Cid"]


def test_a_table_of_all_against_all_of_pairs_is_one_of_doubles() -> None:
    log = ",Anna / Ben,Cid / Dora,Eva / Fay\nAnna / Ben,,6-4,0-6\nCid / Dora,4-6,,6-2\nEva / Fay,6-0,2-6,\n"
    done = replay_logs(io.BytesIO(log.encode()))
    assert done.log.kept == 3
    assert done.log.games["player"].value_counts().to_dict() == dict.fromkeys("Anna Ben Cid Dora Eva Fay".split(), 2)
    assert done.log.games["points"].tolist()[:6] == [6, 6, 4, 4, 0, 0]


def test_games_that_two_logs_tell_of_count_once() -> None:
    log = b"Date,1st,2nd,3rd\n2026-01-05,Anna,Ben,Cid\n"
    other = b"Date,1st,2nd,3rd\n2026-01-05,Anna,Ben,Cid\n2026-01-06,Anna,Ben,Cid\n"
    first, second = io.BytesIO(log), io.BytesIO(other)
    first.name, second.name = "one.csv", "two.csv"
    done = replay_logs([first, second])
    assert done.log.kept == 2
    assert "1 game stands in more than one log: each is counted once" in done.notes


def test_verbs_that_do_not_know_teams_refuse_them_in_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "doubles.csv"
    log.write_text("A1,A2,B1,B2,result\nAnna,Ben,Cid,Dora,10-7\n", encoding="utf-8")
    with pytest.raises(UnreadableInput, match=r"got games of teams or of many|expected columns for the two sides"):
        run_command(["import", str(log), "-o", str(tmp_path / "j.xlsx"), "--template", "journal"])
    assert not list(tmp_path.glob("*.xlsx"))
    with pytest.raises(UnreadableInput, match="expected games of two players, got games of teams or of many players"):
        elo_sheets.read(log)


def test_a_pair_is_one_player_where_the_columns_are_named() -> None:
    log = "Team A,Team B,Result\nAnna / Ben,Cid / Dora,1-0\nAnna / Ben,Cid / Dora,1-0\n"
    named = {"white": "Team A", "black": "Team B"}
    assert set(ratings(log, columns=named)) == {"Anna / Ben", "Cid / Dora"}


def test_plain_logs_are_plain() -> None:
    for header in (
        "Date,White,Black,Result",
        "player1,player2,score1,score2",
        "Winner,Loser",
        "date,player,opponent,result",
    ):
        assert not is_sided([Row(1, header.split(",")), Row(2, ["Ann", "Bob", "1", "0"])], {})


def test_settings_of_sides_are_refused_where_the_games_are_plain() -> None:
    log = b"white,black,result\nAnn,Bob,1-0\n"
    with pytest.raises(UsageError, match="setting side_rule is for games of teams or of many"):
        replay_logs(io.BytesIO(log), settings={"side_rule": "sum"})


def test_explain_says_what_both_partners_got(tmp_path: Path) -> None:
    log = tmp_path / "doubles.csv"
    log.write_text("Date,A1,A2,B1,B2,result\n2026-01-05,Anna,Ben,Cid,Dora,10-7\n", encoding="utf-8")
    done = CliRunner().invoke(cli, ["explain", "Ben", str(log), "--start", "Anna=1700"])
    assert done.exit_code == 0, done.output
    assert "Game 1 2026-01-05 v Cid / Dora (with Anna): score 1" in done.output
    assert "Side rating: 1600 = 3200/2" in done.output
    moved = 20 * (1 - 1 / (1 + 10 ** (-100 / 400)))
    own = json.loads(CliRunner().invoke(cli, ["explain", "Ben", str(log), "--start", "Anna=1700", "--json"]).stdout)
    assert own["periods"][0]["games"][0]["inputs"]["change of Anna"] == pytest.approx(moved)
    record = json.loads(CliRunner().invoke(cli, ["explain", "Anna", str(log), "--json"]).stdout)
    assert record["system"] == "elo"
    assert record["periods"][0]["after"]["rating"] == 1510


def test_explain_of_a_table_has_a_line_for_each_opponent(tmp_path: Path) -> None:
    log = tmp_path / "table.csv"
    log.write_text("1st,2nd,3rd\nAnna,Ben,Cid\n", encoding="utf-8")
    record = json.loads(CliRunner().invoke(cli, ["explain", "Ben", str(log), "--json"]).stdout)
    games = record["periods"][0]["games"]
    assert [(game["opponent"], game["score"]) for game in games] == [("Anna", 0), ("Cid", 1)]
    changes = [next(step["value"] for step in game["steps"] if step["name"] == "change") for game in games]
    assert record["periods"][0]["sums"]["period_change"] == pytest.approx(sum(changes) / 2)


def test_the_history_of_sides_is_written_as_every_history(tmp_path: Path) -> None:
    log = tmp_path / "doubles.csv"
    log.write_text("A1,A2,B1,B2,result\nAnna,Ben,Cid,Dora,10-7\n", encoding="utf-8")
    for ending in ("csv", "json", "xlsx"):
        target = tmp_path / f"h.{ending}"
        done = CliRunner().invoke(cli, ["replay", str(log), "-o", str(target)])
        assert done.exit_code == 0, done.output
        assert target.stat().st_size > 100
    rows = list(csv.DictReader((tmp_path / "h.csv").read_text(encoding="utf-8").splitlines()))
    assert [(row["player"], row["partners"], row["rating_after"]) for row in rows][:2] == [
        ("Anna", "Ben", "1510.0"),
        ("Ben", "Anna", "1510.0"),
    ]


def test_a_column_for_one_player_holds_one_name_whatever_its_signs() -> None:
    found = ratings("date,A1,A2,B1,B2,result\n2026-01-05,Player 1,a/b,Player 3,+cmd,10-7\n")
    assert sorted(found) == ["+cmd", "Player 1", "Player 3", "a/b"]


def test_an_archive_of_games_of_sides_is_read_with_all_that_is_in_it(tmp_path: Path) -> None:
    header = "Date,A1,A2,B1,B2,Goals\n"
    months = {
        "january.csv": "2026-01-05,Anna,Ben,Cid,Dora,10-7\n",
        "february.csv": "2026-02-05,Anna,Dora,Ben,Cid,10-8\n2026-01-05,Ben,Anna,Dora,Cid,10-7\n",
    }
    archive = tmp_path / "season.zip"
    with zipfile.ZipFile(archive, "w") as target:
        for name, rows in months.items():
            target.writestr(name, header + rows)
        target.writestr("readme.md", "# The season\n")
    found = replay_logs(archive)
    assert found.ratings.set_index("player")["rating"].round(9).to_dict() == DOUBLES
    assert found.log.kept == 2
    assert [note.partition(":")[0] for note in found.log.notes] == ["left out", "1 game stands in more than one log"]


def test_all_sheets_of_a_workbook_that_hold_games_of_sides_are_read(tmp_path: Path) -> None:
    header = ["Date", "A1", "A2", "B1", "B2", "Goals"]
    book = openpyxl.Workbook()
    book.active.title = "January"
    book.active.append(header)
    book.active.append(["2026-01-05", "Anna", "Ben", "Cid", "Dora", "10-7"])
    other = book.create_sheet("February")
    other.append(["Goals", *header[:-1]])
    other.append(["10:8", "2026-02-06", "Anna", "Dora", "Ben", "Cid"])
    book.create_sheet("Notes").append(["bring the balls"])
    book.save(tmp_path / "season.xlsx")
    found = replay_logs(tmp_path / "season.xlsx").ratings.set_index("player")["rating"].round(9).to_dict()
    assert found == DOUBLES
    alone = replay_logs(tmp_path / "season.xlsx", sheet="February").log
    assert (alone.read, alone.kept) == (1, 1)


def test_games_of_sides_beside_games_of_two_are_asked_for_by_sheet(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    book.active.append(["A1", "A2", "B1", "B2", "Goals"])
    book.active.append(["Anna", "Ben", "Cid", "Dora", "10-7"])
    plain = book.create_sheet("Singles")
    plain.append(["White", "Black", "Result"])
    plain.append(["Anna", "Ben", "1-0"])
    book.save(tmp_path / "both.xlsx")
    with pytest.raises(UnreadableInput, match=r"different headers: 'Sheet', 'Singles'; say which with --sheet"):
        replay_logs(tmp_path / "both.xlsx")


def test_the_refusal_of_games_of_sides_says_what_holds_them(tmp_path: Path) -> None:
    log = tmp_path / "log.csv"
    log.write_text("White,Black,Result\nAnna,Ben,1-0\n", encoding="utf-8")
    import_logs(log, tmp_path / "book.xlsx")
    log.write_text("A1,A2,B1,B2,Goals\nAnna,Ben,Cid,Dora,10-7\n", encoding="utf-8")
    with pytest.raises(UnreadableInput, match="the templates league-2x2, league-3x3, league-4x4 and table hold them"):
        update(tmp_path / "book.xlsx", [log])


@pytest.mark.parametrize(
    ("header", "closing"),
    [
        ("Evening;Day;Ann;Bob;Cid;Notes", "Average points;;2;2;2;"),
        ("Soirée;Day;Ann;Bob;Cid;Remarques", ";Ø Platz;2;2;2;"),
        ("#;Day;Ann;Bob;Cid;Bemerkung", ";Summe;10;10;10;"),
    ],
)
def test_numbers_of_evenings_empty_remarks_and_means_are_no_players_and_no_game(header: str, closing: str) -> None:
    places = ["1;2;3", "3;1;2", "2;3;1", "1;3;2", "3;2;1"]
    rows = [f"{at};{at}.1.2026;{some};" for at, some in enumerate(places, 1)]
    told = replay_logs(io.BytesIO("\n".join([header, *rows, closing]).encode())).log
    assert told.games["player"].unique().tolist() == ["Ann", "Bob", "Cid"]
    assert told.games["place"].tolist() == [1, 2, 3, 3, 1, 2, 2, 3, 1, 1, 3, 2, 3, 2, 1]
    assert [(problem.row, problem.reason) for problem in told.problems] == [(7, "a line of totals")]


def test_the_holes_of_a_round_of_golf_are_no_games() -> None:
    holes = "\n".join(f"{at},{at % 3 + 3},{at % 2 + 3},4" for at in range(1, 10))
    with pytest.raises(UnreadableInput, match="expected a column for the two sides"):
        replay_logs(io.BytesIO(f"Hole,Ann,Bob,Cid\n{holes}\n".encode()))


def test_who_says_that_numbers_are_places_may_have_any_columns_beside_them() -> None:
    text = "Turn,Home,Ann,Bob,Cid\nx,7,2,1,3\ny,9,1,3,2\n"
    told = replay_logs(io.BytesIO(text.encode()), columns={"place": "Ann"}).log
    assert told.games["place"].tolist() == [2, 1, 3, 1, 3, 2]
    assert told.games["player"].unique().tolist() == ["Ann", "Bob", "Cid"]


@pytest.mark.parametrize(
    "header", ["Date;Joueurs;Gagnant", "Wanneer?;Wie deden mee?;Winnaar", "Data;Chi c'era;Chi ha vinto?"]
)
def test_the_winner_among_all_who_played_is_known_in_any_language(header: str) -> None:
    rows = ["13/01/2026;Ada, Bep, Cas;Cas", "20/01/2026;Bep, Cas;Bep", "27/01/2026;Ada, Cas, Bep, Dot;niemand"]
    told = replay_logs(io.BytesIO("\n".join([header, *rows]).encode())).log
    assert told.games["place"].tolist() == [2, 2, 1, 1, 2]
    assert [problem.row for problem in told.problems] == [4]
    family = "Day;White;Black;Winner\n13/01/2026;Bos, Ada;Vos, Bep;Bos, Ada\n20/01/2026;Vos, Bep;Bos, Ada;Bos, Ada\n"
    assert elo_sheets.read([family.encode()]).games["score"].tolist() == [1, 0]


def of_app(told: list[dict[str, object]]) -> str:
    people = ["Player 1", "Player 2", "Player 3"]
    games = [dict(one, game=at // 3, player=people[at % 3]) for at, one in enumerate(told)]
    return json.dumps(games)


def test_places_that_are_all_nought_are_none_and_a_winner_with_the_fewest_points_tells_who_wins() -> None:
    """Some programs write rank 0 where they keep none; and who won says which way points count."""
    most = [{"score": score, "rank": 0, "winner": score == 9} for score in (9, 5, 7)]
    assert ratings(of_app(most)) == ratings(of_app([{"score": score} for score in (9, 5, 7)]))
    fewest = [{"score": score, "winner": score == 5} for score in (9, 5, 7)] * 2
    found = ratings(of_app(fewest))
    assert max(found, key=found.__getitem__) == "Player 2"


def test_sets_in_columns_of_their_own_are_one_result_of_a_double() -> None:
    rows = ["22-05-2024;Ann;Bo;Cy;Di;1-6;6-3;7-6", "23-05-2024;Ann;Cy;Bo;Di;6-1;6-0;"]
    apart = "Date;One - left;One - right;Two - left;Two - right;Satz 1;Satz 2;Satz 3\n" + "\n".join(rows) + "\n"
    whole = "Date;A1;A2;B1;B2;Result\n22-05-2024;Ann;Bo;Cy;Di;1-0\n23-05-2024;Ann;Cy;Bo;Di;1-0\n"
    assert ratings(apart) == ratings(whole)
