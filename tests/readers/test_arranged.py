"""Tables that are laid out to be read: blocks, headings, games in one cell, names with something beside them."""

from __future__ import annotations

import io

import pytest

from elo_sheets import GamesRead, read
from elo_sheets.uses.exporting import replay_logs


def reading(*lines: str, **how: str) -> GamesRead:
    return read([io.BytesIO("\n".join(lines).encode())], **how)  # type: ignore[arg-type]


def told(found: GamesRead) -> list[tuple[str, str, str, float]]:
    games = found.games.assign(date=found.games["date"].dt.strftime("%m-%d").fillna(""))
    return [tuple(row) for row in games[["date", "white", "black", "score"]].to_numpy().tolist()]


def test_blocks_side_by_side_are_one_list() -> None:
    found = reading(
        "Group A,,,,Group B,,,",
        "Day,Home,Away,Score,Day,Home,Away,Score",
        "2026-01-05,Reds,Blues,3-1,2026-01-06,Owls,Rooks,0-2",
        "2026-01-12,Blues,Reds,2-2,,,,",
    )
    assert told(found) == [
        ("01-05", "Reds", "Blues", 1.0),
        ("01-06", "Owls", "Rooks", 0.0),
        ("01-12", "Blues", "Reds", 0.5),
    ]
    assert any("side by side" in note for note in found.notes)


def test_blocks_whose_headings_need_a_map_are_all_read_by_it() -> None:
    found = reading("P,Q,R,,P,Q,R", "Ann,Bob,1-0,,Cid,Dot,0-1", columns={"white": "P", "black": "Q", "score": "R"})
    assert [row[1:] for row in told(found)] == [("Ann", "Bob", 1.0), ("Cid", "Dot", 0.0)]


@pytest.mark.parametrize(
    "headings",
    [("Sunday 1 March 2026;;", "Sunday 8 March 2026;;"), ("Ronda 1;;01/03/2026", "Ronda 2;;08/03/2026")],
)
def test_days_as_headings_count_for_the_games_below(headings: tuple[str, str]) -> None:
    games = ["Ann;Bob;1-0", "Cid;Dot;0-1"], ["Bob;Cid;½-½", "Dot;Ann;1-0"]
    for header in ([], ["White;Black;Result"]):
        found = reading(*header, headings[0], *games[0], headings[1], *games[1], dates="dmy")
        assert [row[0] for row in told(found)] == ["03-01", "03-01", "03-08", "03-08"]
        assert (found.kept, found.rejected) == (4, 0)


def test_the_day_of_a_title_is_no_day_of_games() -> None:
    found = reading("League tables as of 1 March 2026,,", "White,Black,Result", "Ann,Bob,1-0", "Bob,Cid,1-0")
    assert [row[0] for row in told(found)] == ["", ""]


def test_a_day_that_stands_on_the_first_of_its_games_counts_for_those_below() -> None:
    found = reading(
        "Round,Date,Home,Away,Score",
        "1,2026-03-01,Ann,Bob,2-1",
        ",,Cid,Dot,0-1",
        "2,2026-03-08,Bob,Cid,1-1",
        ",,Dot,Ann,3-0",
    )
    assert [row[0] for row in told(found)] == ["03-01", "03-01", "03-08", "03-08"]
    assert found.games["round"].tolist() == ["1", "1", "2", "2"]


def test_a_day_counts_for_those_below_under_any_heading_and_beside_one_over_two_rows() -> None:
    rows = ["Winner,Loser,Games,Evening", "Ann,Bob,3/1,2026-03-01", "Cid,Dot,3/0,", "", "Bob,Cid,3/2,2026-03-08"]
    assert [row[0] for row in told(reading(*rows, "Dot,Ann,3/0,"))] == ["03-01", "03-01", "03-08", "03-08"]
    rows = ["Date,Home,Away,Score", "2026-03-01,Ann,Bob,2-1", "2026-03-01,Cid,Dot,2-1", "2026-03-08,Bob,Cid,1-1"]
    rows += [",Dot,Ann,0-1", "2026-03-15,Ann,Cid,1-0", ",Bob,Dot,1-0"]
    assert [row[0] for row in told(reading(*rows))] == ["03-01"] * 2 + ["03-08"] * 2 + ["03-15"] * 2


def test_a_day_that_is_missing_among_days_of_every_game_stays_unknown() -> None:
    rows = ["2026-03-01,Ann,Bob,2-1", "2026-03-01,Cid,Dot,2-1", ",Ann,Cid,0-1", "2026-03-08,Bob,Cid,1-1"]
    assert "" in [row[0] for row in told(reading("Date,Home,Away,Score", *rows))]


def test_ratings_in_brackets_are_no_part_of_the_names() -> None:
    found = reading("white,black,result", "Ann (1540),Bob [1612],1-0", "Bob [1604],Ann (1551),0-1")
    assert [row[1:3] for row in told(found)] == [("Ann", "Bob"), ("Bob", "Ann")]
    assert found.games["white_rating"].tolist() == [1540, 1604]
    # A year of birth beside some names tells them apart.
    few = reading("white,black,result", "Ann (1980),Bob,1-0", "Bob,Cid,0-1", "Cid,Ann (1980),1-0")
    assert told(few)[0][1] == "Ann (1980)"
    born = reading("white,black,result", "Ann (2012),Bob (1998),1-0", "Bob (1998),Ann (2012),0-1")
    assert told(born)[0][1] == "Ann (2012)"


def test_titles_are_no_part_of_names_that_stand_without_them_too() -> None:
    found = reading("white,black,result", "GM Tal,Botvinnik,1-0", "Tal,WGM Kushnir,1-0", "GM Botvinnik,Kushnir,½-½")
    assert {name for row in told(found) for name in row[1:3]} == {"Tal", "Botvinnik", "Kushnir"}
    same = reading("white,black,result", "GM Tal,Botvinnik,1-0", "Botvinnik,GM Tal,1-0")
    assert told(same)[0][1] == "GM Tal"


def test_lines_of_text_are_games() -> None:
    found = reading(
        "Winter cup",
        "Round 1 (4 January 2026)",
        "Ann Lee - Bob Ray 1-0",
        "Cid Fox – Dot Poe ½-½",
        "Eve Orr bye",
        "Round 2 (11 January 2026)",
        "Bob Ray - Cid Fox 0-1",
        "Dot Poe - Eve Orr postponed",
    )
    assert told(found) == [
        ("01-04", "Ann Lee", "Bob Ray", 1.0),
        ("01-04", "Cid Fox", "Dot Poe", 0.5),
        ("01-11", "Bob Ray", "Cid Fox", 0.0),
    ]
    assert [problem.row for problem in found.problems] == [5, 8]


@pytest.mark.parametrize(
    ("lines", "games"),
    [
        (
            "2026-03-05: Ann 3:1 Bob|2026-03-06: Cid 0:3 Ann",
            [("03-05", "Ann", "Bob", 1.0), ("03-06", "Cid", "Ann", 0.0)],
        ),
        ("Ann beat Bob 21-17|Cid defeated Ann|Bob bt Cid w/o", [("", "Ann", "Bob", 1.0), ("", "Cid", "Ann", 1.0)]),
        (
            "Day,Game|2026-03-05,Ann d. Bob 6-4 6-3|2026-03-06,Bob d. Cid 7-5 6-0",
            [("03-05", "Ann", "Bob", 1.0), ("03-06", "Bob", "Cid", 1.0)],
        ),
        ("Match,Score|Ann vs Bob,3-1|Cid vs Ann,2-2", [("", "Ann", "Bob", 1.0), ("", "Cid", "Ann", 0.5)]),
        (
            "White      Black      Result|-----      -----      ------|"
            "Ann Lee    Bob Ray    1-0|Bob Ray    Ann Lee    0-1",
            [("", "Ann Lee", "Bob Ray", 1.0), ("", "Bob Ray", "Ann Lee", 0.0)],
        ),
    ],
)
def test_games_in_one_cell_or_column_are_read(lines: str, games: list[tuple[str, str, str, float]]) -> None:
    assert told(reading(*lines.split("|"))) == games


def test_a_log_with_the_newest_games_first_is_turned_round() -> None:
    days = ["2026-03-08,Ann,Bob,1-0", "2026-03-08,Cid,Ann,1-0", "2026-03-01,Bob,Cid,1-0"]
    assert [row[1] for row in told(reading("date,white,black,result", *days))] == ["Bob", "Cid", "Ann"]
    rounds = ["2,Ann,Bob,1-0", "2,Cid,Dot,1-0", "1,Dot,Bob,1-0", "1,Bob,Cid,1-0"]
    assert [row[1] for row in told(reading("round,white,black,result", *rounds))] == ["Bob", "Dot", "Cid", "Ann"]
    assert [row[1] for row in told(reading("round,white,black,result", *rounds[::-1]))] == ["Bob", "Dot", "Cid", "Ann"]


@pytest.mark.parametrize(
    ("title", "days", "dates"),
    [
        ("Liga, Saison 2021/22", ("30.9.", "16.12.", "3.3."), ["2021-09-30", "2021-12-16", "2022-03-03"]),
        ("Winter 2021-2022", ("30 Sep", "16 Dec", "3 Mar"), ["2021-09-30", "2021-12-16", "2022-03-03"]),
        ("Cup 2021/22", ("30.9.", "2.6.", "9.7."), ["2021-09-30", "2022-06-02", "2022-07-09"]),
        ("Cup 2021/22", ("9.7.", "2.6.", "30.9."), ["2021-09-30", "2022-06-02", "2022-07-09"]),
        ("Club nights of 2021", ("13/4", "20/4", "25/5"), ["2021-04-13", "2021-04-20", "2021-05-25"]),
    ],
)
def test_days_without_a_year_are_of_the_season_in_the_title(title: str, days: list[str], dates: list[str]) -> None:
    rows = [f"{day};Ann;Bob;{at}-1" for at, day in enumerate(days, 2)]
    found = reading(f"{title};;;", "Date;Home;Away;Score", *rows)
    assert [f"{day:%Y-%m-%d}" for day in found.games["date"]] == dates
    assert any(title in note for note in found.notes)


def test_games_that_are_numbered_down_are_played_from_the_last_row_up() -> None:
    found = reading("No,Home,Away,Score", "12,Ann,Bob,1-0", "11,Bob,Cid,1-0", "10,Cid,Ann,1-0")
    assert [row[1] for row in told(found)] == ["Cid", "Bob", "Ann"]
    assert any("from the last row up" in note for note in found.notes)
    up = reading("No,Home,Away,Score", "12,Ann,Bob,1-0", "9,Bob,Cid,1-0", "10,Cid,Ann,1-0")
    assert [row[1] for row in told(up)] == ["Ann", "Bob", "Cid"]


@pytest.mark.parametrize("title", ["Results", "Club nights of 2021"])
def test_days_whose_year_nothing_tells_are_named_with_a_remedy_that_works(title: str) -> None:
    rows = [f"{title};;;", "Date;Home;Away;Score", "16.12.;Ann;Bob;2-1", "3.3.;Bob;Ann;2-1", "7.4.;Bob;Ann;2-1"]
    found = reading(*rows)
    assert found.kept == 0
    assert "Season 2024/25 into a line above the header" in found.problems[0].reason
    assert reading("Season 2024/25", *rows[1:]).kept == 3


@pytest.mark.parametrize(("won", "lost", "level"), [("○", "●", "△"), ("W", "L", "D"), ("S", "N", "U")])
def test_a_mark_for_each_side_is_one_result(won: str, lost: str, level: str) -> None:
    rows = [("Ann", won, "Q", lost, "Bob"), ("Cid", lost, "R", won, "Ann"), ("Bob", level, "Q", level, "Cid")]
    rows += [("Bob", won, "Q", won, "Ann"), ("Ann", "", "Q", lost, "Cid")]
    text = "Spring meeting;;;;\nWhite;;Table;;Black\n" + "\n".join(map(";".join, rows))
    found = read([text.encode()])
    assert found.games["score"].tolist() == [1, 0, 0.5]
    assert [problem.row for problem in found.problems] == [6, 7]  # both won, and one of them said nothing
    assert any("marks of the two sides" in note for note in found.notes)
    turned = read([text.replace("White", "Black", 1).replace("Black\nAnn", "White\nAnn").encode()])
    assert turned.games[["white", "score"]].to_numpy().tolist() == [["Bob", 0], ["Ann", 1], ["Cid", 0.5]]


def test_a_square_is_a_win_without_a_fight() -> None:
    text = "East,,,West\nAnn,○,●,Bob\nBob,●,○,Cid\nCid,□,■,Ann\nAnn,○,●,Cid\n"
    found = read([text.encode()])
    assert found.games["score"].tolist() == [1, 0, 1]
    assert "forfeit" in found.problems[0].reason


def test_shorthand_of_sets_is_read_where_a_column_holds_nothing_else() -> None:
    rows = ["Ann;Bob;8 -6 9 11", "Cid;Ann;-7 -0 -12", "Bob;Cid;4 3 9"]
    text = "\n".join(["White;Black;Sets", *rows])
    found = read([text.encode()])
    assert found.games[["white_points", "black_points"]].to_numpy().tolist() == [[3, 1], [0, 3], [3, 0]]
    assert any("a minus for a set that the first side lost" in note for note in found.notes)
    for sound, odd in (("8 -6 9 11", "11-8 11-6"), ("8 -6 9 11", "8 -6 9 -11")):  # other scores, no decided last set
        spoilt = read([text.replace(sound, odd).encode()])
        assert spoilt.kept < 2
        assert not any("a minus for a set" in note for note in spoilt.notes)


def test_a_table_of_markdown_stands_between_its_text() -> None:
    table = ["| # | Date | Left | Right | Score (L-R) |", "|---|:--:|---|---|---|"]
    table += ["| 1 | 2026-03-01 | Ann / Bob | Cid / Dot | 10-7 |", "| 2 | 2026-03-01 | Cid / Ann | Bob / Dot | 3-10 |"]
    text = "# Kicker\n\nTo ten: no spinning, no shouting.\n\n" + "\n".join(table) + "\n\nSo far: Ann 1, Dot 1\n"
    told = replay_logs(io.BytesIO(text.encode())).log
    assert told.games["player"].tolist() == ["Ann", "Bob", "Cid", "Dot", "Cid", "Ann", "Bob", "Dot"]


def test_a_heading_may_stand_over_the_players_of_a_side() -> None:
    rows = ["Team;;Gegner;;Sätze;", "Ann;Bob;Cid;Dot;3;1", "Cid;Ann;Bob;Dot;0;3", "Dot;Ann;Bob;Cid;Regen;"]
    told = replay_logs(io.BytesIO(("Sommer;;;;;\n" + "\n".join(rows)).encode())).log
    assert told.games.groupby("game")["player"].apply(list).tolist() == [
        ["Ann", "Bob", "Cid", "Dot"],
        ["Cid", "Ann", "Bob", "Dot"],
    ]
    assert told.games.groupby("game")["place"].apply(list).tolist() == [[1, 1, 2, 2], [2, 2, 1, 1]]
    assert (told.read, told.problems[0].row) == (3, 5)
    assert any("'Team' and 'Gegner' each stand over 2 columns" in note for note in told.notes)
    codes = "White;;Black;;Result\nAnn;NED;Bob;GER;1-0\nCid;GER;Ann;NED;0-1\n"  # no players beside the names
    assert read([codes.encode()]).games["white"].tolist() == ["Ann", "Cid"]


def test_headings_above_each_round_cost_no_game_and_no_rating() -> None:
    head = "Data;Gospodarz;Gole;-;Gole;Gość"
    rounds = ["10.01.2026;Lew;2;-;1;Wilk", "17.01.2026;Wilk;0;-;3;Orzeł", "24.01.2026;Orzeł;1;-;1;Lew"]
    games = [line for at, game in enumerate(rounds, 1) for line in (f"{at}. kolejka;;;;;", head, game)]
    found = reading("Liga;;;;;", *games)
    assert found.games["white_points"].tolist() == [2, 0, 1]
    assert [problem.row for problem in found.problems] == [5, 6, 8, 9]
    head = "Board;White;Black;Result"
    rated = ["1;Ann (1834);Bob (1588);1:0", "1;Cid (1702);Ann (1834);0:1", "1;Bob (1588);Cid (1702);½:½"]
    games = [line for at, game in enumerate(rated, 3) for line in (f"Round {at - 2} on {at}.10.2025;;;", head, game)]
    found = reading(*games)
    assert told(found)[1] == ("10-04", "Cid", "Ann", 0.0)
    assert found.games["white_rating"].tolist() == [1834, 1702, 1588]
    assert [problem.reason for problem in found.problems] == ["header repeated"] * 2


def test_games_above_the_headings_are_left_out_by_name() -> None:
    rows = ["9.1.2026;Cid;Ann;0-1", "15.1.2026;Bob;Cid;1-0"]
    found = reading("Club", "3.1.2026;Ann;Bob;1-0", "Date;Home;Away;Result", *rows)
    assert (found.read, found.kept, found.problems[0].row) == (3, 2, 2)
    assert "above the headings in row 3" in found.problems[0].reason
    assert "line 1 stands before the header" in found.notes[0]
    titled = reading("League;East;Season;2025/26", "As of;31.1.2026;Page;1", "Date;Home;Away;Result", *rows)
    assert (titled.read, titled.notes[0]) == (2, "lines 1 to 2 stand before the header and were skipped")


def test_a_second_row_of_headings_and_a_sum_take_part_in_no_evening() -> None:
    rows = ["Date,Winner,Loser,Games,", ",,,W,L", "6.1.2026,Ann,Bob,7,4", ",Cid,Ann,7,2", "13.1.2026,Bob,Cid,7,6"]
    found = reading(*rows, ",Ann,Cid,7,1", ",,TOTAL,28,13")
    assert [day for day, *_ in told(found)] == ["01-06", "01-06", "01-13", "01-13"]
    assert [problem.row for problem in found.problems] == [2, 7]
    assert "heading" in found.problems[0].reason
    for heads in (
        ["Day;Home;;Away;", ";Name;Pts;Name;Pts"],
        ["Day;A;Sets A;B;Sets B", "(DD.MM.YYYY);Name;Count;Name;Count"],
    ):
        rows = ["5.1.2026;Ann;21;Bob;17", ";Cid;12;Ann;21", "13.1.2026;Bob;21;Cid;19"]
        assert [day for day, *_ in told(reading(*heads, *rows))] == ["01-05", "01-05", "01-13"]
    owned = read([b"Date,Opponent,Result,Notes\n6.1.2026,Ann,Won,\n7.1.2026,Bob,Lost,\n,,1/2,so far\n"], player="Me")
    assert (owned.kept, owned.notes) == (2, [])


def test_a_clock_behind_the_day_of_a_heading_says_nothing_else() -> None:
    rows = ["1. Runda dnia 2024/04/20 godz. 10:00;;", "White;Black;Result", "Ann;Bob;1-0", "Cid;pauzuje;1"]
    found = reading(*rows, "Round 2 on 2024/04/21 at 9:30;;", "White;Black;Result", "Bob;Cid;0-1")
    assert told(found) == [("04-20", "Ann", "Bob", 1.0), ("04-21", "Bob", "Cid", 0.0)]
    assert "bye" in found.problems[0].reason


def test_the_teams_above_their_boards_play_no_game() -> None:
    boards = ["1;Ann;1988;Xena;1920;1:0", "2;Bob;1855;Yves;1870;½:½", "3;Cid;1790;n.n.;;+:-"]
    found = reading("District league, round 4, 18.01.2026;;;;;", "Br.;Reds II;DWZ;Blues;DWZ;2½:½", *boards)
    assert told(found) == [("01-18", "Ann", "Xena", 1.0), ("01-18", "Bob", "Yves", 0.5)]
    assert found.games["black_rating"].tolist() == [1920, 1870]
    assert any("'Reds II' – 'Blues'" in note for note in found.notes)
    second = ["Board;Blues;Elo;Reds II;Elo;1,5:1,5", "1;Xena;1920;Ann;1988;1:0", "2;Yves;1870;Bob;1855;0,5:0,5"]
    both = reading("Board;Reds II;Elo;Blues;Elo;2,5:0,5", *boards[:2], *second)
    assert both.games["white"].tolist() == ["Ann", "Bob", "Xena", "Yves"]
    assert [(problem.row, problem.reason) for problem in both.problems] == [(4, "the heading of a match of two teams")]
    sets = ["1;Ann;Xena;3:1", "2;Bob;Yves;0:3", "3;Bob;Xena;2:3"]
    assert reading("No;Reds;Blues;1:2", *sets).kept == 3
    assert reading("n/a;Reds;Blues;2:2", *sets).kept == 4  # none of whose games add up to it
    days = reading("Day;Reds;Blues;1:1", "5.1.2026;Ann;Xena;1:0", "5.1.2026;Bob;Yves;0:1")
    assert told(days) == [("01-05", "Ann", "Xena", 1.0), ("01-05", "Bob", "Yves", 0.0)]
    unrated = ["Ann;unr.;Bob;unr.;1-0", "Cid;1400;Dot;1300;0-1", "Eve;1500;Ann;1300;0-1"]
    assert reading(*unrated).kept == 3


def test_games_without_a_day_among_others_are_said() -> None:
    rows = [
        "5.1.2026;Ann;Bob;1-0",
        "13.1.2026;Bob;Ann;1-0",
        ";Cid;Ann;0-1",
        "19.1.2026;Bob;Cid;1-0",
        "19.1.2026;Ann;Cid;1-0",
    ]
    notes = reading("Day;White;Black;Result", *rows).notes
    assert notes == ["the game in row 4 has no day and counts by its place in the log"]
    assert reading("White;Black;Result", "Ann;Bob;1-0").notes[0].startswith("no column of dates")
