"""Delimited text: what is kept, what is kept out and why, and what only its owner can decide."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, reject
from hypothesis import strategies as st

from elo_sheets.errors import UnreadableInput, UsageError
from elo_sheets.games import GamesRead, check_games
from elo_sheets.readers import expand, read

DATA = Path(__file__).parents[1] / "data"
HEADER = "date,white,black,result\n"


def reading(text: str | bytes, **options: Any) -> GamesRead:
    data = text if isinstance(text, bytes) else text.encode()
    found = read([io.BytesIO(data)], **options)
    check_games(found.games)
    return found


def one_result(result: str, *others: str) -> GamesRead:
    return reading(
        HEADER + "".join(f'{2000 + at}-01-01,Ann,Bob,"{text}"\n' for at, text in enumerate((result, *others)))
    )


def scores(found: GamesRead) -> list[float]:
    return [float(score) for score in found.games["score"]]


def reasons(found: GamesRead) -> str:
    return "\n".join(map(str, found.problems))


def days(found: GamesRead) -> list[str]:
    return [f"{day:%Y-%m-%d}" for day in found.games["date"]]


# Real logs


def test_a_season_of_the_nfl_is_read_with_points_ratings_and_neutral_ground() -> None:
    found = read([DATA / "nfl_1920.csv"])
    assert (found.read, found.kept) == (120, 120)
    first = found.games.iloc[0]
    assert (first["white"], first["black"], first["score"]) == ("RII", "STP", 1.0)
    assert (first["white_points"], first["black_points"], first["white_rating"]) == (48, 0, 1503.947)
    assert not first["neutral"]


def test_internationals_are_read_with_their_competition_as_event() -> None:
    found = read([DATA / "internationals_1872.csv"])
    assert (found.read, found.kept) == (100, 100)
    assert found.games["score"].iloc[0] == 0.5
    assert found.games["event"].iloc[0] == "Friendly"


# Results


@pytest.mark.parametrize(
    ("result", "score"),
    [
        ("1-0", 1),
        ("0-1", 0),
        ("1/2-1/2", 0.5),
        ("½-½", 0.5),
        ("½–½", 0.5),
        ("0.5-0.5", 0.5),
        ("0,5-0,5", 0.5),
        ("1:0", 1),
        ("0 − 1", 0),
        ("=", 0.5),
        ("draw", 0.5),
        ("remis", 0.5),
        ("D", 0.5),
        ("X", 0.5),
        ("T", 0.5),
        ("½", 0.5),
        ("1/2", 0.5),
        ("0.5", 0.5),
        ("0,5", 0.5),
        ("1", 1),
        ("0", 0),
        ("H", 1),
        ("A", 0),
        ("W", 1),
        ("L", 0),
        ("win", 1),
        ("Loss", 0),
        ("won", 1),
        ("lost", 0),
        ("home", 1),
        ("away", 0),
        ("White", 1),
        ("black", 0),
        ("4-3", 1),
        ("3:4", 0),
        ("2–2", 0.5),
        ("3-2 (aet)", 1),
        ("2-1 OT", 1),
        ("4 x 2", 1),
        ("blanc gagne", 1),
        ("vitória das pretas", 0),
        ("wygrana czarnych", 0),
        ("Siyah kazandı", 0),
        ("wygrana", 1),
        ("tapte", 0),
        ("döntetlen", 0.5),
        ("Black resigns", 1),
        ("white won on time", 1),
        ("Draw by repetition", 0.5),
        ("vincono i neri", 0),
        ("Ann", 1),
        ("BOB", 0),
        ("'1-0", 1),
        ('=""1-0""', 1),
    ],
)
def test_a_result_is_understood(result: str, score: float) -> None:
    assert scores(one_result(result)) == [score]


@pytest.mark.parametrize(
    ("result", "reason"),
    [
        ("*", "unfinished"),
        ("", "unfinished"),
        ("ongoing", "unfinished"),
        ("postponed", "unfinished"),
        ("+-", "forfeit"),
        ("-+", "forfeit"),
        ("+ - -", "forfeit"),
        ("+:-", "forfeit"),
        ("1-0F", "forfeit"),
        ("1F-0F", "forfeit"),
        ("FF", "forfeit"),
        ("w.o.", "forfeit"),
        ("W/O", "forfeit"),
        ("bye", "a bye"),
        ("3-0 (forfeit)", "forfeit"),
        ("0:1 kl", "forfeit"),
        ("kl. 1:0", "forfeit"),
        ("3-0 wo", "forfeit"),
        ("kontumačně 5:0", "forfeit"),
        ("non comparso", "forfeit"),
        ("odwołany", "unfinished"),
        ("A - A", "unfinished"),
        ("volno", "a bye"),
        ("02-Jan", "into a date"),
        ("1-Feb", "into a date"),
        ("Jan-02", "into a date"),
        ("2026-02-01", "into a date"),
        ("01/02/2026", "into a date"),
        ("46054", "into a date"),
        ("frog", "expected a result"),
        ("3", "expected a result"),
        ("Zoe", "expected a result"),
    ],
)
def test_a_row_without_a_rated_result_is_kept_out_with_its_reason(result: str, reason: str) -> None:
    found = one_result(result)
    assert (found.read, found.kept) == (1, 0)
    assert reason in found.problems[0].reason
    assert (found.problems[0].row, found.problems[0].column, found.problems[0].value) == (2, "result", result)


def test_zero_to_zero_is_a_draw_among_goals() -> None:
    found = reading("home,away,score\nA,B,0-0\nA,B,4-3\nA,B,1-1 (4-2 p)\n")
    assert scores(found) == [0.5, 1, 0.5]
    assert found.games["white_points"].tolist() == [0, 4, 1]


def test_zero_to_zero_is_no_game_of_chess() -> None:
    found = one_result("0-0", "1/2-1/2", "1-0")
    assert scores(found) == [0.5, 1]
    assert "double forfeit" in reasons(found)


def test_chess_results_are_not_points() -> None:
    assert "white_points" not in one_result("1-0", "½-½", "0-1").games


@pytest.mark.parametrize(
    ("results", "expected"),
    [
        ("1 X 2", [1, 0.5, 0]),
        ("1 2", [1, 0]),
        ("1 0 -1", [1, 0.5, 0]),
        ("A B D", [1, 0, 0.5]),
        ("H A D", [1, 0, 0.5]),
        ("V N D", [1, 0.5, 0]),
        ("S U N", [1, 0.5, 0]),
        ("G E P", [1, 0.5, 0]),
        ("1.00 0.50 0,00", [1, 0.5, 0]),
        ("Win W 1-0 D L 0", [1, 1, 1, 0.5, 0, 0]),
        ("1 0 X", [1, 0, 0.5]),
        ("1 X 2 1.00", [1, 0.5, 0, 1]),
        ("V N D 1", [1, 0.5, 0, 1]),
        ("H D A 0", [1, 0.5, 0, 0]),
        ("S U N 1", [1, 0.5, 0, 1]),
        ("W B 0.5", [1, 0, 0.5]),
        ("+ - =", [1, 0, 0.5]),
    ],
)
def test_letters_mean_what_the_whole_column_says(results: str, expected: list[float]) -> None:
    assert scores(one_result(*results.split())) == expected


def test_what_may_mean_something_else_beside_other_results_is_kept_out() -> None:
    assert scores(one_result("1-0", "2", "1/2")) == [1, 0.5]
    assert scores(one_result("W", "L", "2", "-1")) == [1, 0]
    # A postponed game, or a loss in Spanish.
    assert scores(one_result("1", "0", "P")) == [1, 0]
    # A fixture to come, or a win in Spanish.
    assert reasons(one_result("2-1", "0-0", "V")).endswith("unfinished or without a result")
    assert scores(one_result("2-1", "0-0", "W", "r")) == [1, 0.5, 1, 0.5]


def test_zero_one_and_two_in_one_column_need_a_decision() -> None:
    with pytest.raises(UnreadableInput, match="0 may be a draw or a loss"):
        one_result("0", "1", "2")


def test_a_winner_named_a_is_the_player_of_that_name() -> None:
    assert scores(reading("player1,player2,result\nB,A,A\nA,B,A\nA,B,draw\n")) == [0, 1, 0.5]


def test_points_decide_where_no_result_is_printed() -> None:
    found = reading("HomeTeam,AwayTeam,FTHG,FTAG\nA,B,2,1\nA,B,1,1\nA,B,0,3\n")
    assert scores(found) == [1, 0.5, 0]


def test_a_result_that_disagrees_with_the_points_is_kept_out() -> None:
    found = reading("HomeTeam,AwayTeam,FTHG,FTAG,FTR\nA,B,2,1,H\nA,B,2,1,D\n")
    assert scores(found) == [1]
    assert str(found.problems[0]) == (
        "log, row 3, FTR 'D': the result disagrees with the points 2 and 1; correct one of them"
    )


@pytest.mark.parametrize(
    ("points", "reason"),
    [("-1", "none of them negative"), ("x", "expected points"), ("NA", "unfinished"), ("", "unfinished")],
)
def test_points_that_are_none_keep_the_row_out(points: str, reason: str) -> None:
    found = reading(f"home,away,score1,score2\nA,B,{points},1\n")
    assert reason in found.problems[0].reason


def test_winners_and_losers_make_games_with_the_winner_first() -> None:
    found = reading("winner,loser,draw,score\nAnn,Bob,,6-4 6-3\nAnn,Bob,yes,\nAnn,Bob,,W/O\n")
    assert scores(found) == [1, 0.5]
    assert "forfeit" in reasons(found)


# Rows


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("2024-01-01,Ann,Bob", "fewer fields than the header: 3 instead of 4"),
        ("2024-01-01,Ann,Bob,1-0,more", "more fields than the header: 5 instead of 4"),
        ("date,white,black,result", "header repeated"),
        ("Total,,,3", "a line of totals"),
        ("2024-01-01,A\0nn,Bob,1-0", "NUL"),
        ("2024-01-01,Ann,ann,1-0", "against oneself"),
        ("2024-01-01,?,Bob,1-0", "name is missing"),
        ("2024-01-01,,Bob,1-0", "name is missing"),
        ("2024-01-01,Ann,N.N.,1-0", "name is missing"),
        ("2024-01-01,Ann,BYE,1-0", "a bye"),
        ("2024-02-31,Ann,Bob,1-0", "impossible date"),
        ("soon,Ann,Bob,1-0", "not a date"),
        ('2024-01-01,"Ann,Bob,1-0', "never closed"),
        ("2024-01-01," + "A" * 10_001 + ",Bob,1-0", "more than 10,000 characters"),
    ],
)
def test_a_bad_row_is_kept_out_alone(row: str, reason: str) -> None:
    found = reading(f"{HEADER}{row}\n2024-01-02,Cid,Dee,0-1\n")
    assert (found.read, found.kept, found.rejected) == (2, 1, 1)
    assert reason in found.problems[0].reason
    assert found.problems[0].row == 2
    assert found.games["source_row"].tolist() == [3]


def test_empty_fields_at_the_end_of_a_row_may_be_left_away() -> None:
    found = reading(
        "date,white,black,result,remark,mood\n2024-01-01,Ann,Bob,1-0\n2024-01-02,Ann,Bob\n2024-01-03,Bob,Ann,1-0,x\n"
    )
    assert days(found) == ["2024-01-01", "2024-01-03"]
    assert "fewer fields than the header: 3 instead of 6" in reasons(found)


def test_an_open_quote_that_a_later_quote_seems_to_close_swallows_no_row() -> None:
    found = reading(HEADER + '2024-01-01,"Ann,Bob,1-0\n2024-01-02,"Cid","Dee",0-1\n2024-01-03,Eve,Fay,1-0\n')
    assert found.games["white"].tolist() == ["Cid", "Eve"]


def test_a_quoted_field_may_go_over_lines() -> None:
    found = reading('white,black,event,result\nAnn,Bob,"Club\nOpen",1-0\nEve,Fay,,0-1\n')
    assert found.games["source_row"].tolist() == [2, 4]
    assert found.games["event"].iloc[0] == "Club Open"


def test_blank_lines_and_empty_rows_are_not_counted() -> None:
    assert reading(HEADER + "\n2024-01-01,Ann,Bob,1-0\n,,,\n \n").read == 1


def test_trailing_delimiters_are_no_extra_fields() -> None:
    assert reading("white,black,result,,\nAnn,Bob,1-0,,\nAnn,Bob,1-0\nAnn,Bob,1-0,,,\n").kept == 3


def test_unrated_rows_are_kept_out() -> None:
    found = reading("white,black,result,rated\nAnn,Bob,1-0,true\nAnn,Bob,1-0,false\nAnn,Bob,1-0,casual\n")
    assert (found.kept, found.rejected) == (1, 2)
    assert "not a rated game" in reasons(found)


def test_comments_and_a_title_before_the_header_are_skipped() -> None:
    found = reading("# made by hand\nClub league 2024\n" + HEADER + "2024-01-01,Ann,Bob,1-0\n")
    assert found.games["source_row"].tolist() == [4]
    assert any("before the header" in note for note in found.notes)


def test_names_are_cleaned() -> None:
    assert reading("white,black,result\n  Ann\u00a0  Lee\u200b,Bob,1-0\n").games["white"].tolist() == ["Ann Lee"]


# Names


def test_spellings_that_differ_in_case_are_one_player_and_told() -> None:
    found = reading("white,black,result\nANN,Bob,1-0\nBob,Ann,1-0\nAnn,Bob,1-0\n")
    assert (found.games["white"].tolist(), found.games["black"].tolist()) == (
        ["Ann", "Bob", "Ann"],
        ["Bob", "Ann", "Bob"],
    )
    assert [note for note in found.notes if "'ANN' (1) as 'Ann' (2); --names" in note]
    assert not [note for note in found.notes if "look alike" in note]


def test_sharp_s_is_double_s_to_a_spreadsheet() -> None:
    found = reading("white,black,result\nWeiß,Ann,1-0\nWEISS,Ann,0-1\n")
    assert (found.kept, found.rejected) == (2, 0)
    assert found.games["white"].tolist() == ["Weiß", "Weiß"]


@pytest.mark.parametrize("other", ["O'Neil", "Oneil", "O’Neíl", "O’Nеil"])
def test_names_that_look_alike_are_reported_and_kept_apart(other: str) -> None:
    found = reading(f'white,black,result\nO’Neil,Bob,1-0\n"{other}",Bob,1-0\n')
    assert found.games["white"].tolist() == ["O’Neil", other]
    assert any("look alike" in note and repr(other) in note for note in found.notes)


# Ratings


@pytest.mark.parametrize(
    ("printed", "rating"),
    [
        ("1500", 1500.0),
        ("1500?", 1500.0),
        ("1500.5", 1500.5),
        ("1500P12", 1500.0),
        ('"1500,5"', 1500.5),
        ('"1,500"', 1500.0),
    ],
)
def test_a_rating_is_understood(printed: str, rating: float) -> None:
    found = reading(f"white,black,result,white elo\nAnn,Bob,1-0,{printed}\n")
    assert found.games["white_rating"].tolist() == [rating]


@pytest.mark.parametrize("printed", ["?", "", "-", "0", "NA", "unrated"])
def test_a_missing_rating_is_left_empty_without_a_word(printed: str) -> None:
    found = reading(f"date,white,black,result,elo1\n2024-01-01,Ann,Bob,1-0,{printed}\n")
    assert "white_rating" not in found.games
    assert found.notes == []


def test_nonsense_ratings_are_left_empty_and_counted() -> None:
    found = reading("white,black,result,elo1\nAnn,Bob,1-0,abc\nAnn,Bob,1-0,-5\nAnn,Bob,1-0,1500\n")
    assert found.kept == 3
    assert any(note.startswith("2 ratings are no numbers above 0") and "'abc' in row 2" in note for note in found.notes)


# Dates


@pytest.mark.parametrize(
    ("printed", "day"),
    [
        ("2024-01-02", "2024-01-02"),
        ("2024/1/2", "2024-01-02"),
        ("20240102", "2024-01-02"),
        ("2.1.2024", "2024-01-02"),
        ("02.01.24", "2024-01-02"),
        ("2 Jan 2024", "2024-01-02"),
        ("Jan 2, 2024", "2024-01-02"),
        ("January 2nd 2024", "2024-01-02"),
        ("2-Jan-24", "2024-01-02"),
        ("2. Januar 2024", "2024-01-02"),
        ("2 de enero de 2024", "2024-01-02"),
        ("2 août 2024", "2024-08-02"),
        ("Tue, 2 Jan 2024", "2024-01-02"),
        ("45293", "2024-01-02"),
        ("13/01/2024", "2024-01-13"),
        ("01/13/2024", "2024-01-13"),
        ("2/2/2024", "2024-02-02"),
        ("13/01/51", "1951-01-13"),
        ("13/01/50", "2050-01-13"),
        ("2024-01-02T18:30:00Z", "2024-01-02"),
        ("2024-01-02 23:30:00-05:00", "2024-01-03"),
    ],
)
def test_a_date_is_understood(printed: str, day: str) -> None:
    assert days(reading(f'{HEADER}"{printed}",Ann,Bob,1-0\n')) == [day]


def test_one_provable_date_decides_for_its_column() -> None:
    assert days(reading(HEADER + "01/02/2024,Ann,Bob,1-0\n13/02/2024,Ann,Bob,1-0\n")) == [
        "2024-02-01",
        "2024-02-13",
    ]


def test_ambiguous_dates_need_a_decision() -> None:
    with pytest.raises(UnreadableInput, match=r"'01/02/2024' \(log, row 2, column 'date'\).*--dates dmy"):
        reading(HEADER + "01/02/2024,Ann,Bob,1-0\n")


def test_dates_that_prove_both_orders_are_refused_with_a_row_for_each() -> None:
    with pytest.raises(UnreadableInput, match=r"'13/02/2024' \(row 3\).*'02/13/2024' \(row 2\)"):
        reading(HEADER + "02/13/2024,Ann,Bob,1-0\n13/02/2024,Ann,Bob,1-0\n")


@pytest.mark.parametrize(("order", "day"), [("dmy", "2024-02-01"), ("mdy", "2024-01-02")])
def test_the_order_of_day_and_month_can_be_given(order: str, day: str) -> None:
    assert days(reading(HEADER + "01/02/2024,Ann,Bob,1-0\n", dates=order)) == [day]


def test_a_date_that_does_not_fit_the_order_given_is_kept_out() -> None:
    found = reading(HEADER + "01/13/2024,Ann,Bob,1-0\n", dates="dmy")
    assert "impossible date" in reasons(found)


def test_partial_dates_are_left_empty_and_counted() -> None:
    found = reading(HEADER + "1997.??.??,Ann,Bob,1-0\n1998,Ann,Bob,1-0\n,Ann,Bob,1-0\n")
    assert found.games["date"].isna().all()
    assert "2 partial dates (the first 1997.??.??) were left empty" in found.notes


def test_a_column_of_times_completes_the_dates() -> None:
    found = reading("date,time,white,black,result\n2024-01-02,18:30,Ann,Bob,1-0\n")
    assert f"{found.games['date'].iloc[0]}" == "2024-01-02 18:30:00"


# Layouts


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_found(delimiter: str) -> None:
    text = "Datum;Weiß;Schwarz;Ergebnis\n2024-01-01;Ann;Bob;1-0\n".replace(";", delimiter)
    assert reading(text).games["white"].tolist() == ["Ann"]


def test_decimal_commas_do_not_split_fields() -> None:
    found = reading("date;white;black;result;elo1;elo2\n2024-01-01;Ann;Bob;0,5;1500,5;1600,5\n")
    assert found.games["white_rating"].tolist() == [1500.5]
    assert scores(found) == [0.5]


@pytest.mark.parametrize(
    "headers",
    [
        "Date,White,Black,Result",
        "Datum,Heim,Gast,Ergebnis",
        "fecha,local,visitante,resultado",
        "DATE,Player 1,Player 2,Score",
        "date,home_team,away_team,res",
        "day,team.Home,team.Visitor,FTR",
        "дата,белые,чёрные,результат",
    ],
)
def test_headers_are_known_in_several_languages(headers: str) -> None:
    assert reading(f"{headers}\n2024-01-01,Ann,Bob,1-0\n").kept == 1


def test_a_log_without_headers_is_known_by_its_content() -> None:
    found = reading("2017-08-11,Arsenal,Leicester,4-3\r\n2017-08-12,Brighton,Man City,0-2\r\n")
    assert found.games["source_row"].tolist() == [1, 2]
    assert found.games["white_points"].tolist() == [4, 0]


def test_a_log_without_headers_may_have_points_in_two_columns() -> None:
    assert scores(reading("2024-01-01;Ajax;PSV;2;1\n2024-01-02;PSV;Ajax;1;1\n")) == [1, 0.5]


def test_columns_can_be_named() -> None:
    found = reading("x,y,z\nAnn,Bob,1-0\n", columns={"white": "X", "black": "y", "score": "z"})
    assert found.games["white"].tolist() == ["Ann"]


def test_columns_can_be_numbered() -> None:
    found = reading("7,Ann,Bob,1-0\n8,Ann,Bob,0-1\n", columns={"white": "2", "black": "3", "score": "4"})
    assert scores(found) == [1, 0]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"whit": "White"}, "got 'whit'.*did you mean 'white'"),
        ({"white": "Wite"}, "got 'Wite'.*did you mean 'white'"),
        ({"white": "9"}, "got '9'"),
    ],
)
def test_a_mapping_to_what_there_is_not_is_refused(columns: Mapping[str, str], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        reading(HEADER + "2024-01-01,Ann,Bob,1-0\n", columns=columns)


def test_columns_that_cannot_be_guessed_are_listed_with_an_example() -> None:
    with pytest.raises(UnreadableInput, match=r"'foo', 'bar'.*write a row for each game.*--map"):
        reading("foo,bar\n1,2\n")


JOURNAL = "Date;Opponent;Opponent rating;Colour;Result;My rating\n"


def test_a_journal_becomes_games_of_its_owner() -> None:
    found = reading(JOURNAL + "2024-01-01;Bob;1500;W;W;1400\n2024-01-02;Cid;1600;black;W;1410\n", player="Me")
    games = found.games
    assert games["white"].tolist() == ["Me", "Cid"]
    assert games["black"].tolist() == ["Bob", "Me"]
    assert scores(found) == [1, 0]
    assert games["white_rating"].tolist() == [1400, 1600]
    assert games["black_rating"].tolist() == [1500, 1410]


def test_a_chess_result_in_a_journal_is_read_from_whites_side() -> None:
    assert scores(reading(JOURNAL + "2024-01-01;Bob;1500;B;0-1;1400\n", player="Me")) == [0]


def test_a_journal_without_an_owner_asks_for_one() -> None:
    with pytest.raises(UnreadableInput, match="--player NAME"):
        reading(JOURNAL + "2024-01-01;Bob;1500;W;W;1400\n")


def test_a_column_of_players_beside_opponents_names_the_owners() -> None:
    found = reading("player,opponent,colour,result\nAnn,Bob,black,win\n")
    assert (found.games["white"].tolist(), scores(found)) == (["Bob"], [0])


# Files


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_unicode_is_read_without_a_word(encoding: str) -> None:
    found = reading((HEADER + "2024-01-01,José,Bob,1-0\n").encode(encoding))
    assert found.games["white"].tolist() == ["José"]
    assert found.notes == []


def test_a_wrong_byte_among_utf_8_is_named_and_leaves_the_other_names_alone() -> None:
    log = (HEADER + "2024-01-01,José,Zoë,1-0\n2024-01-02,Bob,Zoë,1-0\n").encode().replace(b"Bob", b"M\xfcller")
    found = reading(log)
    assert sorted({*found.games["white"], *found.games["black"]}) == ["José", "Müller", "Zoë"]
    assert found.notes == [
        "1 row has bytes that are not UTF-8, read as Windows-1252: row 3; give --encoding if names look wrong"
    ]


def test_windows_1252_is_read_with_a_remark() -> None:
    found = reading((HEADER + "2024-01-01,José,Bob,1-0\n").encode("cp1252"))
    assert found.games["white"].tolist() == ["José"]
    assert found.notes == ["read as Windows-1252: give --encoding if names look wrong"]


@pytest.mark.parametrize(
    ("encoding", "names"),
    [
        ("cp1251", ["Сергеев", "Алёхин"]),
        ("koi8-r", ["Сергеев", "Алёхин"]),
        ("cp1250", ["Łęcki", "Wójcik-Śliwa"]),
        ("cp1250", ["Šťastný", "Růžička"]),
        ("cp1250", ["Győri", "Fűzfa"]),
        ("cp1254", ["Yılmaz", "Güneş"]),
        ("cp1257", ["Kęstutis", "Žygimantė"]),
        ("cp1252", ["Søren", "Ærø"]),
        ("cp1252", ["Þórður", "Ágúst"]),
        ("cp1252", ["François", "Hélène"]),
    ],
)
def test_an_old_encoding_is_told_by_its_letters_and_said(encoding: str, names: list[str]) -> None:
    found = reading((HEADER + f"2024-01-01,{names[0]},{names[1]},1-0\n").encode(encoding))
    assert [found.games["white"][0], found.games["black"][0]] == names
    assert found.notes[0].startswith("read as ")
    assert "give --encoding" in found.notes[0]


def test_the_times_of_a_form_count_as_its_spreadsheet_shows_them() -> None:
    rows = ('"2025/11/02 11:30:05 PM GMT+2"', '"2025/11/03 12:05:09 AM CST"')
    found = reading("Timestamp,Winner,Loser\n" + "".join(f"{row},Ann,Bob\n" for row in rows))
    assert [str(day) for day in found.games["date"]] == ["2025-11-02 23:30:05", "2025-11-03 00:05:09"]


@pytest.mark.parametrize(
    "text", ["7.10.2023 r.", "07.10.2023г.", "7 октября 2023 г.", "2023. 10. 07.", "2023/10/07 9:00 GMT-3"]
)
def test_a_year_is_read_with_what_languages_put_beside_it(text: str) -> None:
    found = reading(f'Date;White;Black;Result\n"{text}";Ann;Bob;1-0\n')
    assert [f"{day:%Y-%m-%d}" for day in found.games["date"]] == ["2023-10-07"]


def test_a_header_may_begin_with_a_number_sign() -> None:
    found = reading("#;Winner;Loser\n1;Ann;Bob\n2;Cid;Ann\n")
    assert (found.read, found.games["white"].tolist()) == (2, ["Ann", "Cid"])
    assert reading("# exported, by hand\nWinner,Loser\nAnn,Bob\n").kept == 1


def test_bytes_that_are_no_windows_1252_need_an_encoding() -> None:
    data = (HEADER + "2024-01-01,Müller,Bob,1-0\n").encode("cp850")
    with pytest.raises(UnreadableInput, match=r"line 2.*--encoding"):
        reading(data)
    assert reading(data, encoding="cp850").games["white"].tolist() == ["Müller"]


def test_an_unknown_encoding_is_refused() -> None:
    with pytest.raises(UsageError, match="'utf-88'"):
        reading(HEADER, encoding="utf-88")


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, lzma.compress])
def test_compressed_logs_are_unpacked(compress: Any) -> None:
    assert reading(compress((HEADER + "2024-01-01,Ann,Bob,1-0\n").encode())).kept == 1


def zstd(data: bytes) -> bytes:
    """Compress by what unpacks it."""
    try:
        from compression import zstd  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        zstandard = pytest.importorskip("zstandard")
        return bytes(zstandard.ZstdCompressor().compress(data))
    return bytes(zstd.compress(data))


def test_zstd_is_unpacked_frame_by_frame() -> None:
    rows = [f"2024-01-{day:02},Ann,Bob,1-0\n" for day in range(1, 29)]
    found = reading(b"".join(map(zstd, [HEADER.encode(), "".join(rows).encode()])))
    assert found.kept == 28


def test_damaged_zstd_is_refused() -> None:
    whole = zstd((HEADER + "2024-01-01,Ann,Bob,1-0\n").encode() * 50)
    for data in (whole[:-9], whole[:4] + b"\xff" * 40):
        with pytest.raises(UnreadableInput, match="expected a sound compressed file, got a damaged one"):
            reading(data)


def test_zstd_without_what_unpacks_it_is_refused_with_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    data = zstd(HEADER.encode())
    for name in ("compression.zstd", "zstandard"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(UnreadableInput, match=r"zstd.*pip install 'elo-sheets\[zstd\]'.*zstd -dc"):
        reading(data)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "empty file"),
        (b" \n\n", "empty file"),
        (b"PK\x03\x04rest", "damaged"),
        (b"\x89PNG\r\n\x1a\n\x00\x01\x02\x03\x00\x00", "binary file"),
        (b"<html><body>", "no table"),
        (b"<games><game/></games>", "XML"),
        (b'[{"white": 1}]', "headers 'white'"),
        (HEADER.encode("utf-16-le"), "--encoding utf-16-le"),
        (gzip.compress(b"a" * 10_000, mtime=0)[:40], "damaged"),
        (b"# only a remark\n", "empty file"),
    ],
)
def test_a_file_of_another_kind_is_refused_with_a_remedy(data: bytes, message: str) -> None:
    with pytest.raises(UnreadableInput, match=message):
        reading(data)


def test_a_missing_file_is_refused_with_close_names(tmp_path: Path) -> None:
    (tmp_path / "games.csv").write_text(HEADER)
    with pytest.raises(UnreadableInput, match=r"there is no file .*game\.csv.*did you mean .*games\.csv"):
        read([tmp_path / "game.csv"])


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnreadableInput, match="the folder"):
        read([tmp_path])


def test_logs_are_joined_in_their_order_and_notes_name_the_log(tmp_path: Path) -> None:
    for name, white in (("b.csv", "Ann"), ("a.csv", "Cid")):
        (tmp_path / name).write_text(f"white,black,result,elo1\n{white},Bob,1-0,abc\n")
    found = read([tmp_path / "b.csv", tmp_path / "a.csv"])
    assert found.games["white"].tolist() == ["Ann", "Cid"]
    assert found.notes[0].startswith(str(tmp_path / "b.csv"))


def test_progress_ends_with_the_number_of_rows() -> None:
    seen: list[int] = []
    reading(HEADER + "2024-01-01,Ann,Bob,1-0\n" * 25_000, progress=seen.append)
    assert seen == [10_000, 20_000, 25_000]


def test_a_header_without_rows_is_remarked_on() -> None:
    assert reading(HEADER).notes == ["no rows below the header"]


def test_patterns_are_expanded_once_each(tmp_path: Path) -> None:
    for name in ("b.csv", "a.csv"):
        (tmp_path / name).write_text("x")
    first = str(tmp_path / "b.csv")
    assert expand([first, str(tmp_path / "*.csv"), "-"]) == [first, str(tmp_path / "a.csv"), "-"]


def test_a_pattern_that_matches_nothing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnreadableInput, match=r"no file matches .*\*\.pgn"):
        expand([str(tmp_path / "*.pgn")])


# Properties

CELL = st.text(st.characters(codec="utf-8", exclude_characters='",', exclude_categories=["C"]), max_size=12)
WORD = st.sampled_from(["Ann", "Bob", "ann", "", "?", "1-0", "*", "4-3", "2024-01-02", "31/12/2024", "W", "½", "NA"])


@example([["", "", "", ""]])
@example([["", "", "", "0", ""]])  # a cell too many
@given(st.lists(st.lists(CELL | WORD, min_size=1, max_size=6), max_size=12))
def test_every_row_is_kept_or_has_one_problem(rows: list[list[str]]) -> None:
    log = HEADER + "".join(",".join(row) + "\n" for row in rows)
    try:
        found = read([io.BytesIO(log.encode())], dates="dmy")
    except UnreadableInput:
        reject()
    lines = [number for number, row in enumerate(rows, start=2) if any(cell.strip() for cell in row)]
    accounted = [*found.games["source_row"], *(problem.row for problem in found.problems)]
    assert sorted(accounted) == lines
    assert found.read == found.kept + found.rejected


@given(st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_garbage_is_read_or_refused(data: bytes) -> None:
    try:
        found = read([io.BytesIO(HEADER.encode() + data)])
    except UnreadableInput:
        return
    assert found.read == found.kept + found.rejected


# Names


@pytest.mark.parametrize("name", ["-", "nan", "NaN", "NULL", "null", "n/a", "N/A", "None", "NA", "<NA>"])
def test_what_programs_write_for_nothing_is_no_player_unless_asked_for(name: str) -> None:
    log = HEADER + f"2024-01-01,Ann,{name},1-0\n2024-01-02,Ann,Bob,1-0\n"
    found = reading(log)
    assert found.kept == 1
    assert f"if {name!r} is a player, give --keep-name " in str(found.problems[0])
    assert reading(log, keep_names=[name]).kept == 2


@pytest.mark.parametrize("name", ["Nan", "Null", "Na", "Naná"])
def test_people_of_such_names_are_players(name: str) -> None:
    assert reading(HEADER + f"2024-01-01,Ann,{name},1-0\n").kept == 1


def test_a_person_called_bye_plays_when_asked_for() -> None:
    log = HEADER + "2024-01-01,Ann,Bye,1-0\n"
    assert (reading(log).kept, reading(log, keep_names=["Bye"]).kept) == (0, 1)


@pytest.mark.parametrize("name", ["علی\u200cرضا", "क्\u200dष", "👩\u200d🚀", "\U0001f3f4\U000e0067\U000e0062\U000e007f"])
def test_names_keep_the_joiners_that_belong_to_them(name: str) -> None:
    assert reading(HEADER + f"2024-01-01,{name},Bob,1-0\n").games["white"].tolist() == [name]


@pytest.mark.parametrize("name", ["A\u200dnn", "Ann\u200c", "\u200dAnn", "\u200eAnn\ufeff", "A\u00adnn"])
def test_signs_that_show_nothing_in_a_latin_name_are_dropped(name: str) -> None:
    assert reading(HEADER + f"2024-01-01,{name},Bob,1-0\n").games["white"].tolist() == ["Ann"]


def test_a_name_with_and_without_its_joiner_is_no_second_player() -> None:
    rows = "".join(
        f"2024-01-0{day},{name},Bob,1-0\n" for day, name in enumerate(("علی\u200cرضا",) * 2 + ("علیرضا",), 1)
    )
    found = reading(HEADER + rows)
    assert (found.kept, found.games["white"].nunique()) == (3, 1)
    assert [note for note in found.notes if "unseen signs" in note]


# Points as results


@pytest.mark.parametrize("points", ["3 1 0", "3.0 1.0 0.0", "3,0 1,0 0,0"])
def test_three_one_and_nought_are_points_of_which_one_is_a_draw(points: str) -> None:
    win, draw, loss = points.split()
    found = one_result(win, draw, loss)
    assert scores(found) == [1, 0.5, 0]
    assert "column 'result' was read as points: 3 a win, 1 a draw, 0 a loss" in found.notes


def test_a_rare_three_among_ones_is_not_guessed_at() -> None:
    with pytest.raises(UnreadableInput, match="got 3 and 1: 1 may be a win, or the point for a draw"):
        one_result("3", *["1", "0"] * 10)


def test_a_three_among_halves_is_kept_out_alone() -> None:
    found = one_result("1", "0", "0.5", "3")
    assert (scores(found), found.problems[0].row) == ([1, 0, 0.5], 5)


def test_lines_between_the_games_and_totals_are_named_as_such(tmp_path: Path) -> None:
    log = tmp_path / "club.csv"
    rows = ["Date;White;Black;Result", "2024-01-01;Ann;Bob;1-0", "February;;;", "2024-02-01;Ann;Bob;0-1"]
    log.write_text(
        "\n".join([*rows, "Summe: 2 Partien;;;", ";;;2", "Total games: 2;;;", "2024-02-29;Total;;2", ";Ann;;1-0"]),
        encoding="utf-8",
    )
    found = read([log])
    between, total = "a heading, a remark or a number between the games", "a line of totals"
    assert [problem.reason for problem in found.problems[:5]] == [between, total, between, total, total]
    assert "missing" in found.problems[5].reason
    assert found.read == found.kept + found.rejected == 8


# Shoot-outs

SHOOTOUTS = (
    b"date,home_team,away_team,winner\n1967-08-22,India,Taiwan,Taiwan\n1971-11-14,South Korea,Vietnam,South Korea\n"
)
DRAWN = b"date,home_team,away_team,home_score,away_score\n1967-08-22,Taiwan,India,1,1\n1967-08-23,India,Burma,2,1\n"


@pytest.mark.parametrize(
    ("text", "points", "shootout"),
    [
        ("4:5 n.E.", None, -1),
        ("5-4 (p)", None, 1),
        ("4-3 on penalties", None, 1),
        ("1-1 (4-3 pen.)", (1, 1), 1),
        ("1–1 (p 3–4)", (1, 1), -1),
        ("1:1 n.V. 4:3 i.E.", (1, 1), 1),
        ("5:4 i.E. (2:2 n.V., 1:1, 0:1)", (2, 2), 1),
        ("1-1 4-2 t.a.b.", (1, 1), 1),
        ("0-0 (4-5 d.c.r.)", (0, 0), -1),
    ],
)
def test_a_score_after_penalties_is_a_draw_with_its_shoot_out(
    text: str, points: tuple[float, float] | None, shootout: float
) -> None:
    found = one_result(text, "3-1").games.iloc[0]
    assert (found["score"], found["shootout"]) == (0.5, shootout)
    assert [found["white_points"] == found["white_points"] and found["white_points"]] == [
        points is not None and points[0]
    ]
    journal = reading(f'date,player,opponent,venue,result\n2020-01-01,Reds,Blues,away,"{text}"\n'.encode()).games.iloc[
        0
    ]
    assert (journal["black"], journal["shootout"]) == ("Reds", -shootout)


def test_the_second_leg_of_a_tie_and_ice_hockey_keep_their_winner() -> None:
    found = one_result("2-1 (4-3 pen)", "3:2 n.P.", "2-3 SO", "1-2 n.V.").games
    assert (list(found["score"]), "shootout" in found) == ([1, 1, 0, 0], False)


@pytest.mark.parametrize("name", ["list.csv", "shootouts.csv"])
def test_a_list_of_shoot_outs_beside_the_results_counts_no_game_again(tmp_path: Path, name: str) -> None:
    (tmp_path / "results.csv").write_bytes(DRAWN)
    (tmp_path / name).write_bytes(SHOOTOUTS)
    found = read([tmp_path / "results.csv", tmp_path / name])
    assert (found.read, found.kept) == (4, 2)
    assert found.games["shootout"].tolist()[0] == 1
    assert "told to" in reasons(found)
    assert "its game is not in these logs" in reasons(found)
    assert [note for note in found.notes if "1 of 2 told to a drawn game" in note]
    (tmp_path / "results.csv").write_bytes(DRAWN.replace(b"India,1,1", b"India,2,1"))
    found = read([tmp_path / "results.csv", tmp_path / name])
    assert (found.kept, "its game is not drawn" in reasons(found)) == ((4, False) if name == "list.csv" else (2, True))


def test_a_list_of_shoot_outs_alone_is_no_log(tmp_path: Path) -> None:
    (tmp_path / "shootouts.csv").write_bytes(SHOOTOUTS)
    with pytest.raises(UnreadableInput, match="give it beside the results; if its rows are games"):
        read([tmp_path / "shootouts.csv"])
    assert read([tmp_path / "shootouts.csv"], columns={"winner": "winner"}).kept == 2


def test_sets_may_stand_on_both_sides_of_a_slash_where_no_half_point_does() -> None:
    rows = ["12/09/2025;Ann;Bob;1/3", "13/09/2025;Cid;Dot;3/0", "14/09/2025;Bob;Cid;abs.", "15/09/2025;Dot;Ann;2/3"]
    found = read(["\n".join(["Date;Joueur 1;Joueur 2;Score", *rows]).encode()])
    assert found.games[["score", "white_points", "black_points"]].to_numpy().tolist() == [
        [0, 1, 3],
        [1, 3, 0],
        [0, 2, 3],
    ]
    text = "White;Black;Result\nAnn;Bob;1/2\nBob;Cid;1-0\nCid;Ann;3/1\n"
    spoilt = read([text.encode()])
    assert (spoilt.games["score"].tolist(), spoilt.problems[0].value) == ([0.5, 1], "3/1")
    assert read([text.replace("1-0", "2/0").replace("3/1", "2/1").encode()]).games["white_points"].tolist() == [1, 2, 2]
