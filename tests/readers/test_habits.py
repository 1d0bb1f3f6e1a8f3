"""Habits of people who keep logs: each log says what its rows tell, in the words of no other test."""

from __future__ import annotations

import pytest

from elo_sheets.errors import UnreadableInput
from elo_sheets.readers import read
from elo_sheets.readers._registry import How
from elo_sheets.readers.sided import read_sided
from elo_sheets.team_games import GamesOfSidesError

NOT_PLAYED = "Aal - Barsch 2:0\nBarsch - Dorsch 3:0 kampflos\nDorsch - Zander 1-0 kampflos\nAal - Dorsch 2:0\n"
IN_WORDS = "White,Black,Result\nAal,Barsch,Aal wins on time\nBarsch,Dorsch,no result\nBarsch,Aal,Aal won by 12 points\n"
LOGS = {
    "goals under one heading beside a game put off": "Home,Away,Goals,\nBarsch,Aal,1,3\nDorsch,Aal,postponed,\n",
    "the kickoff is no result": "Tag;Beginn;Heim;Gast;Tore\n1.3.24;18:30;Aal;Barsch;2:0\n8.3.24;20:15;Barsch;Aal;\n",
    "signs in a column of their own": "Home,,Away,Goals,,\nAal,v,Barsch,2,:,0\nBarsch,v,Dorsch,-,:,-\n",
    "one heading over both points": "Player,against,Player,Frames,\nAal,-,Barsch,2,0\nBarsch,-,Dorsch,,\n",
    "names and goals under the same headings": "Casa,Fuori,Casa,Fuori\nAal,Barsch,2,0\nBarsch,Dorsch,,\n",
    "Markdown": "| Side 1 | Pts | Side 2 |\n|:--|:-:|--:|\n| __Aal__ | 2-0 | Barsch |\n| Barsch | ~~void~~ | Aal |\n",
    "a walkover behind the names": NOT_PLAYED,
    "the winner as a letter": "A,B,Winner,Score\nAal,Barsch,A,2-0\nBarsch,Aal,B,2-1\n",
    "a status without a heading": "Home,Away,HG,AG,\nAal,Barsch,2,0,\nBarsch,Aal,3,0,walkover\n",
    "points beside a winner and a loser": "Winner,,Loser,\nAal,2,Barsch,0\nAal,2,Barsch,1\n",
    "a result in words": IN_WORDS,
    "a result that only the winner tells": "P1,P2,Winner,Result\nAal,Barsch,Aal,4&3\nBarsch,Aal,Aal,4&3\n",
    "a time for a result": "Player A;Player B;Result\nAal;Barsch;02:00:00\nBarsch;Aal;01:02:00\n",
    "points of a player and of his opponent": "Name,Opponent,Pts,Opp Pts\nAal,Barsch,21,15\nBarsch,Aal,9,21\n",
}


@pytest.mark.parametrize("log", LOGS.values(), ids=LOGS)
def test_what_is_played_is_read_and_nothing_else(log: str) -> None:
    games = read([log.encode()], keep_duplicates=True).games
    won = [
        white if score == 1 else black
        for white, black, score in games[["white", "black", "score"]].itertuples(index=False)
    ]
    assert set(won) == {"Aal"}
    assert {*games["white"], *games["black"]} <= {"Aal", "Barsch", "Dorsch"}


SIDED = {
    "one heading over the players of a side": ("Team A,,Team B,,Score,\nA,B,C,D,9,5\nA,C,B,D,8,2\n", {"A"}),
    "seats of any name": ("Bowler 1,Bowler 2,Bowler 3,Bowler 4,Pts,Pts\nA,B,C,D,9,5\nA,C,B,D,8,2\n", {"A"}),
    "points in another language": (
        "Jogador 1;Jogador 2;Jogador 3;Jogador 4;Golos 1;Golos 2\nA;B;C;D;9;5\nA;C;B;D;8;2\n",
        {"A"},
    ),
    "a table of a day": (
        "Date,Table,Player,Place\n1/31/24,1,A,1\n1/31/24,1,B,2\n1/31/24,2,C,2\n1/31/24,2,D,1\n",
        {"A", "D"},
    ),
    "points of a team in each row": (
        "game,team,player,team_points\n1,x,A,9\n1,x,B,9\n1,y,C,5\n2,x,A,4\n2,y,C,3\n",
        {"A"},
    ),
    "signed points": ("Day,Ann,Bob,Cid\n1/31/24,+4,-2,-2\n2/1/24,+6,-3,-3\n", {"Ann"}),
    "pairs of the compass": (
        "Tag,Nord,S\u00fcd,Ost,West,Bretter,Punkte N/S,Punkte O/W\n1.3.24,A,B,C,D,24,31,12\n8.3.24,C,D,A,B,24,9,20\n",
        {"A", "B"},
    ),
    "points behind every seat": (
        "Tag,Geber,Chips,Links,Chips,Mitte,Chips\n1.3.24,A,90,B,40,C,20\n8.3.24,C,10,A,80,B,60\n",
        {"A"},
    ),
    "players joined by a dash": (
        "Date,Team A,Team B,Result\n1/31/24,A - B - D,C - E - F,9-5\n2/1/24,C - A,B - F,8-2\n",
        {"A"},
    ),
    "players joined by a word": (
        "Date,Team A,Team B,Result\n1/31/24,A mit B,C mit E,9-5\n2/1/24,C mit A,B mit E,8-2\n",
        {"A"},
    ),
    "players joined by a hyphen": (
        "Date,Team A,Team B,Result\n1/31/24,A-B,C-D,9-5\n2/1/24,C-A,B-D,8-2\n3/1/24,D-A,B-C,1-1\n",
        {"A"},
    ),
    "players with a blank between": (
        "Date,Team A,Team B,Result\n1/31/24,A B,C D,9-5\n2/1/24,C A,B D,8-2\n3/1/24,D A,B C,1-1\n",
        {"A"},
    ),
    "who did not finish": ("Race,Driver,Place\n1,A,1\n1,B,2\n1,C,DNF\n2,B,2\n2,A,1\n", {"A"}),
}


@pytest.mark.parametrize(("log", "first"), SIDED.values(), ids=SIDED)
def test_games_of_sides_are_told_apart_and_won_by_whom_the_rows_say(log: str, first: set[str]) -> None:
    with pytest.raises(GamesOfSidesError) as error:
        read([log.encode()])
    games = read_sided(error.value.tables, How()).games
    best = games[games["place"] == games.groupby("game")["place"].transform("min")]
    assert first <= set(best["player"]) <= first | {"B", "C", "D"}
    assert games["game"].nunique() == 2 + ("3/1/24" in log)


def test_numbers_beside_columns_that_name_the_players_are_nobodys_points() -> None:
    with pytest.raises(UnreadableInput, match="expected a column for the"):
        read([b"Date,Dealer,Taker,Tricks,Bid,Trumps\n1/31/24,Aal,Barsch,9,4,3\n2/1/24,Barsch,Aal,7,2,5\n"])


@pytest.mark.parametrize(
    ("encoding", "names"),
    [
        ("cp932", "\u6e05\u6c34 \u5c71\u672c"),
        ("euc_jp", "\u3055\u304f\u3089 \u5c71\u672c"),
        ("gb18030", "\u9a6c\u4e91 \u5218\u6d0b"),
        ("big5", "\u99ac\u96f2 \u5289\u6d0b"),
        ("euc_kr", "\uae40\uc601\ud76c \ubc15\ubbfc\uc218"),
    ],
)
def test_text_in_an_encoding_of_east_asia_is_read_in_it(encoding: str, names: str) -> None:
    one, other = names.split()
    found = read([f"White,Black,Result\n{one},{other},1-0\n{other},{one},1-0\n".encode(encoding)])
    assert found.games["white"].tolist() == [one, other]
    assert any(encoding.replace("_", "-").casefold() in note.casefold() for note in found.notes)


def test_signs_that_tell_who_was_at_home_stay() -> None:
    log = b"Date,,Opponent,Result\n30/1/24,vs,Aal,W\n31/1/24,@,Barsch,W\n"
    games = read([log], player="Zander").games
    assert (games["white"].tolist(), games["score"].tolist()) == (["Zander", "Barsch"], [1, 0])


def test_a_total_below_the_opponents_of_a_diary_hides_them_not() -> None:
    log = b"Date,Opponent,W/L,Score\n30/1/24,Aal,W,6-4 6-2\n31/1/24,Barsch,L,4-6 5-7\nWins,1,,\n"
    assert read([log], player="Zander").games["score"].tolist() == [1, 0]


def test_two_columns_without_headings_are_nobodys_points() -> None:
    log = b"Home,Away,Shots,,Corners,\nAnn,Bob,21,15,8,1\nBob,Ann,21,9,1,2\n"
    with pytest.raises(UnreadableInput, match="expected a column for the result"):
        read([log])


def test_players_numbered_and_named_are_no_two_sides() -> None:
    with pytest.raises(UnreadableInput):
        read([b"Team #,Team,GF,GA\n1,Ann,9,3\n2,Bob,4,8\n"])


JSON = b"""{"cup": "Pond", "matchdays": [
 {"date": "2024-03-01", "games": [{"home": "Aal", "away": "Barsch", "result": "2-0"}]},
 {"date": "2024-03-08", "games": [{"home": "Barsch", "away": "Aal", "result": "1-3"},
                                   {"home": "Aal", "away": "Dorsch", "result": null}]}]}"""


def test_games_in_a_list_of_each_record_of_json_have_what_the_record_says() -> None:
    found = read([JSON])
    days = found.games["date"].dt.day.tolist()
    assert (days, found.games["white"].tolist(), len(found.problems)) == ([1, 8], ["Aal", "Barsch"], 1)


def test_lists_of_two_in_json_are_the_two_sides() -> None:
    first = '{"teams": [["A", "B"], ["C", "D"]], "score": [7, 5]}'
    second = '{"teams": [["A", "C"], ["B", "D"]], "score": [1, 2]}'
    with pytest.raises(GamesOfSidesError) as error:
        read([f"[{first}, {second}]".encode()])
    games = read_sided(error.value.tables, How()).games
    assert games.loc[games["place"] == 1, "player"].tolist() == ["A", "B", "B", "D"]


SETS = """[{"played": "2024-03-01", "first": {"id": 6, "nickname": "Aal"}, "second": {"id": 9, "nickname": "Barsch"},
  "legs": [{"no": 1, "first": 9, "second": 11}, {"no": 2, "first": 11, "second": 4, "extra": 1},
           {"no": 3, "first": 11, "second": 8}], "winner": "first"},
 {"played": "2024-03-02", "first": {"id": 9, "nickname": "Barsch"}, "second": {"id": 6, "nickname": "Aal"},
  "legs": [{"no": 1, "first": 11, "second": 2}, {"no": 2, "first": 11, "second": 9}], "winner": "first"}]"""


def test_numbers_of_both_sides_in_a_list_of_a_game_are_its_sets() -> None:
    games = read([SETS.encode()]).games
    told = games[["white", "black", "white_points", "black_points"]].astype(str).to_numpy().tolist()
    assert told == [["Aal", "Barsch", "2.0", "1.0"], ["Barsch", "Aal", "2.0", "0.0"]]


PAIRS = """[{"white": "Aal", "black": "Barsch", "frames": [[9, 11], [11, 4], [11, 8]]},
  {"white": "Barsch", "black": "Aal", "frames": [[11, 2], [11, 9]]}]"""
LETTERS = """[{"white": "Aal", "black": "Barsch", "frames": [{"a": 9, "b": 11}, {"a": 11, "b": 4, "top": 8},
  {"a": 11, "b": 8}]},
  {"white": "Barsch", "black": "Aal", "frames": [{"a": 11, "b": 2}, {"a": 11, "b": 9}]}]"""


@pytest.mark.parametrize("log", [PAIRS, LETTERS])
def test_sets_are_pairs_of_numbers_or_named_by_letters(log: str) -> None:
    games = read([log.encode()]).games
    assert games[["white_points", "black_points"]].to_numpy().tolist() == [[2, 1], [2, 0]]


@pytest.mark.parametrize(
    "members",
    [
        '[{"id": "m1", "nickname": "Aal"}, {"id": "m2", "nickname": "Barsch"}]',
        '{"m1": {"nickname": "Aal"}, "m2": {"nickname": "Barsch"}}',
    ],
)
def test_sides_that_are_ids_without_saying_so_have_the_names_of_the_list(members: str) -> None:
    duels = '[{"home": "m1", "away": "m2", "winner": "m2"}, {"home": "m2", "away": "m1", "winner": "m2"}]'
    games = read([f'{{"members": {members}, "duels": {duels}}}'.encode()]).games
    assert games[["white", "score"]].astype(str).to_numpy().tolist() == [["Aal", "0.0"], ["Barsch", "1.0"]]


def test_each_id_of_json_is_looked_up_in_the_list_that_its_name_says() -> None:
    heats = [
        f'{{"when": "2024-03-0{at}", "trackRefId": 1, "cancelled": {void}, "drivers": '
        f'[{{"driverRefId": {a}, "rank": 1, "newDriver": true}}, {{"driverRefId": {b}, "rank": 2, "newDriver": false}},'
        f' {{"driverRefId": {c}, "rank": 3, "newDriver": false}}]}}'
        for at, void, a, b, c in ((1, "false", 1, 2, 3), (2, "true", 3, 2, 1), (3, "false", 2, 1, 3))
    ]
    people = '[{"id": 1, "nickname": "Aal"}, {"id": 2, "nickname": "Barsch"}, {"id": 3, "nickname": "Dorsch"}]'
    tracks = '[{"id": 1, "name": "North"}, {"id": 2, "name": "South"}]'
    log = f'{{"drivers": {people}, "tracks": {tracks}, "heats": [{", ".join(heats)}]}}'
    with pytest.raises(GamesOfSidesError) as error:
        read([log.encode()])
    found = read_sided(error.value.tables, How())
    assert found.games.loc[found.games["place"] == 1, "player"].tolist() == ["Aal", "Barsch"]
    assert {problem.value for problem in found.problems} == {"true"}


VOID = {
    "Deleted on": ("", "2024-03-09"),
    "is_void": ("no", "yes"),
    "Storniert": ("", "falsch eingetragen"),
    "annulée": ("0", "1"),
    "Cancelled": ("FALSE", "TRUE"),
    "deleted_at": ("0000-00-00 00:00", "2024-03-09 10:00"),
    "Deleted by": ("", "Barsch"),
    "valid": ("1", "0"),
    "Z\xe4hlt": ("ja", "nein"),
    "Status": ("confirmed", "deleted"),
}


@pytest.mark.parametrize("heading", VOID)
def test_a_row_that_is_marked_as_void_does_not_count(heading: str) -> None:
    counts, void = VOID[heading]
    found = read([f"Home,Away,Result,{heading}\nAal,Barsch,1-0,{counts}\nBarsch,Aal,1-0,{void}\n".encode()])
    assert found.games["white"].tolist() == ["Aal"]
    assert [(problem.row, problem.column) for problem in found.problems] == [(3, heading)]
    doubles = f"A1,A2,B1,B2,Result,{heading}\nA,B,C,D,1-0,{counts}\nA,C,B,D,0-1,{void}\n"
    with pytest.raises(GamesOfSidesError) as error:
        read([doubles.encode()])
    sided = read_sided(error.value.tables, How())
    assert (sided.games["game"].nunique(), [problem.row for problem in sided.problems]) == (1, [3])


def test_family_names_before_given_ones_are_no_pairs() -> None:
    log = "White,Black,Result\nLee Ann,Lee Bob,1-0\nRay Ann,Lee Bob,1-0\nLee Ann,Ray Bob,1-0\nRay Ann,Ray Bob,0-1\n"
    assert read([log.encode()]).games["white"].nunique() == 2


def test_a_draw_in_the_column_of_winners_is_one_of_all_players() -> None:
    log = 'Match,Players,Winner\n1,"Aal,Barsch",Barsch\n2,"Dorsch,Aal",remis\n3,"Barsch,Dorsch",Dorsch\n'
    with pytest.raises(GamesOfSidesError) as error:
        read([log.encode()])
    games = read_sided(error.value.tables, How()).games
    assert games["place"].tolist() == [2, 1, 1, 1, 2, 1]


def test_a_row_that_sums_up_the_games_below_it_is_no_game() -> None:
    log = "Board;Home;Away;Result\n;Reds;Owls;1½:½\n1;Aal;Barsch;1-0\n2;Dorsch;Zander;½-½\n"
    found = read([log.encode()])
    assert found.games["white"].tolist() == ["Aal", "Dorsch"]
    assert [problem.reason for problem in found.problems] == ["the sum of the games below it"]
    assert len(read([log.replace("1½:½", "2:0").encode()]).games) == 3


def test_doubles_among_singles_of_the_same_players_make_games_of_sides() -> None:
    log = "Heim;Gast;S\xe4tze\nA / B;C / D;3:1\nB / C;A / D;0:3\nA;C;3:0\nB;D;3:2\nA;D;3:0\nB;C;3:2\nC;D;1:3\n"
    with pytest.raises(GamesOfSidesError):
        read([log.encode()])


def test_places_of_a_game_are_read_by_player_with_the_day_on_its_first_game_alone() -> None:
    log = "Evening,Game,Ann,Bob,Cid\n1/31/24,Go,1st,3rd,2nd\n,Chess,abs,2nd,1st\n2/7/24,Go,2nd,1st,-\n"
    with pytest.raises(GamesOfSidesError) as error:
        read([log.encode()])
    found = read_sided(error.value.tables, How())
    assert found.games.groupby("game")["date"].first().dt.day.tolist() == [31, 31, 7]
    assert found.games.loc[found.games["place"] == 1, "player"].tolist() == ["Ann", "Cid", "Bob"]
    assert any("(row 3)" in note for note in found.notes)


def test_numbers_that_may_be_places_of_a_larger_field_are_not_taken_for_points() -> None:
    with pytest.raises(UnreadableInput):
        read([b"Race,Ann,Bob,Cid\n1,1,4,9\n2,7,1,3\n3,1,2,10\n"])


def test_the_day_of_a_match_may_stand_among_what_else_its_title_says() -> None:
    log = b"Cup,Pond,Day: 7.11.2025\nHome,Away,Result\nAal,Barsch,1-0\nBarsch,Dorsch,0-1\n"
    assert read([log]).games["date"].dt.month.tolist() == [11, 11]


def test_a_diary_with_the_points_of_both_is_its_owners() -> None:
    games = read([b"Tag;Gegner;Ich;Gegner Punkte\n30.1.24;Aal;21;15\n31.1.24;Barsch;9;21\n"], player="Zander").games
    assert games[["white", "score", "black_points"]].to_numpy().tolist() == [["Zander", 1, 15], ["Zander", 0, 21]]


FRIENDS = {
    "halves and ones": "#;Dag;Ann;Bob;Notiz\n1;2024-01-02;1;0;\n2;2024-01-09;0,5;0,5;lang\n3;2024-01-16;0;1;\n",
    "who had Black": "Tag,Schwarz,Ann,Bob\n2024-01-02,Bob,3,2\n2024-01-09,Bob,2,2\n2024-01-16,Bob,1,4\n",
}


@pytest.mark.parametrize("log", FRIENDS.values(), ids=FRIENDS)
def test_points_under_the_names_of_two_friends_make_their_games(log: str) -> None:
    separator = ";" if ";" in log else ","
    total = separator.join(["", "", "1,5", "1,5", ""] if separator == ";" else ["", "", "6", "8"])
    found = read([f"{log}{total}\n".encode()])
    told = found.games[["white", "black", "score"]].astype(str).to_numpy().tolist()
    assert told == [["Ann", "Bob", "1.0"], ["Ann", "Bob", "0.5"], ["Ann", "Bob", "0.0"]]
    assert [problem.row for problem in found.problems] == [5]


def test_two_columns_of_numbers_alone_are_no_two_friends() -> None:
    with pytest.raises(UnreadableInput):
        read([b"Day,Apples,Pears\n2024-01-02,7,3\n2024-01-09,2,2\n2024-01-16,1,4\n"])


def test_who_won_is_told_by_the_letters_and_the_number_of_a_heading() -> None:
    log = b"Side 1,Side 2,Outcome\nAal,Barsch,S1 wins\nBarsch,Dorsch,S2 wins\nDorsch,Aal,Draw\nAal,Dorsch,s2\n"
    assert read([log]).games["score"].tolist() == [1, 0, 0.5, 0]


def test_an_address_behind_a_name_is_no_part_of_it() -> None:
    log = b"Winner,Loser\nAal (https://notes.example/Aal-1f?v=2),Barsch (https://notes.example/B-2)\n[Aal](https://notes.example),Barsch\n"
    found = read([log], keep_duplicates=True)
    assert found.games[["white", "black"]].astype(str).to_numpy().tolist() == [["Aal", "Barsch"]] * 2
    assert any("addresses" in note for note in found.notes)


def days_and_sides(log: bytes, **how: str) -> list[tuple[str, ...]]:
    games = read([log], **how).games  # type: ignore[arg-type]
    games = games.assign(date=games["date"].dt.strftime("%m-%d").fillna(""))
    return [tuple(map(str, row)) for row in games[["date", "white", "black", "score"]].to_numpy().tolist()]


def test_the_days_of_headings_count_beside_the_columns_of_sets() -> None:
    log = """Reds - Blues;;;;3 March 2026
White;Black;Set 1;Set 2;Set 3;Sets
Aal;Barsch;6-3;6-4;;2-0
Dorsch;Hecht;4-6;6-4;2-6;1-2
Owls - Reds;;;;17 March 2026
White;Black;Set 1;Set 2;Set 3;Sets
Zander;Aal;7-5;6-4;;2-0
Wels;Dorsch;6-2;2-6;7-6;2-1
"""
    assert days_and_sides(log.encode()) == [
        ("03-03", "Aal", "Barsch", "1.0"),
        ("03-03", "Dorsch", "Hecht", "0.0"),
        ("03-17", "Zander", "Aal", "1.0"),
        ("03-17", "Wels", "Dorsch", "1.0"),
    ]


@pytest.mark.parametrize(
    "heading", ["{}. Spieltag - Sonntag, {} Februar 2026", "{}ème journée – dimanche {} février 2026"]
)
def test_a_game_in_words_is_no_header_and_a_numbered_round_with_its_weekday_tells_the_day(heading: str) -> None:
    rows = [("Aal", "3 - 0", "Barsch"), ("Dorsch", "1 - 2", "Hecht"), ("Barsch", "verlegt", "Dorsch")]
    rows += [("Hecht", "0 - 0", "Aal"), ("Aal", "2 - 1", "Dorsch"), ("Barsch", "0 - 4", "Hecht")]
    table = ""
    for at in range(0, len(rows), 2):
        table += f"<tr><th colspan=3>{heading.format(at // 2 + 1, at + 1)}</th></tr>"
        table += "".join(f"<tr><td>{'</td><td>'.join(row)}</td></tr>" for row in rows[at : at + 2])
    found = days_and_sides(f"<html><body><table>{table}</table></body></html>".encode())
    assert [row[0] for row in found] == ["02-01", "02-01", "02-03", "02-05", "02-05"]
    assert found[0][1:] == ("Aal", "Barsch", "1.0")


def test_a_day_may_have_a_blank_before_its_year() -> None:
    found = days_and_sides(b"Dato,Hjemme,Borte,Resultat\n3/2 2026,Aal,Barsch,1-0\n28/2 2026,Barsch,Aal,1-0\n")
    assert [row[0] for row in found] == ["02-03", "02-28"]


def test_points_without_headings_between_the_sides_are_theirs() -> None:
    log = b"Heim;;;Gast;Zuschauer\nAal;2;5;Barsch;40\nBarsch;verlegt;verlegt;Dorsch;\nDorsch;3;3;Aal;12\n"
    assert days_and_sides(log) == [("", "Aal", "Barsch", "0.0"), ("", "Dorsch", "Aal", "0.5")]


def test_remarks_between_games_say_nothing_of_the_columns() -> None:
    log = """Day,Name,Legs,,Legs,Name,Best finish
2026-01-05,Aal,3,:,1,Barsch,80
,Dorsch,3,:,2,Aal,
,Board fees,,,,12.50,
2026-01-12,Barsch,0,:,3,Dorsch,
,Aal,3,:,0,Dorsch,101
,Board fees,,,,12.50,
"""
    assert days_and_sides(log.encode())[1:3] == [
        ("01-05", "Dorsch", "Aal", "1.0"),
        ("01-12", "Barsch", "Dorsch", "0.0"),
    ]


def test_racks_of_each_side_are_its_points() -> None:
    log = b"Date,P1,P2,Racks 1,Racks 2\n2026-01-05,Aal,Barsch,5,3\n2026-01-12,Barsch,Dorsch,2,5\n"
    assert days_and_sides(log) == [("01-05", "Aal", "Barsch", "1.0"), ("01-12", "Barsch", "Dorsch", "0.0")]


def test_titles_of_months_between_games_tell_the_months_of_their_days() -> None:
    months = "\n".join(
        f"{title},,,\nDag,Wit,Zwart,Uitslag\n4,Aal,Barsch,1-0\n{last},Barsch,Dorsch,0-1\nTotaal,2,,"
        for title, last in (("december 2025", 30), ("januari 2026", 31))
    )
    found = read([f"Ladder,,,\n{months}\n".encode()])
    assert found.games["date"].dt.strftime("%Y-%m-%d").tolist() == [
        "2025-12-04",
        "2025-12-30",
        "2026-01-04",
        "2026-01-31",
    ]
    assert found.rejected == 3  # the headings again, and two sums


def test_titles_that_may_be_days_are_no_months() -> None:
    log = "May 12,,,\nDay,White,Black,Result\n1,Aal,Barsch,1-0\nMay 19,,,\n2,Barsch,Aal,1-0\n"
    assert [row[0] for row in days_and_sides(log.encode())] == ["", ""]


def test_who_stands_in_bold_has_won() -> None:
    rows = ["| Tag | Rot | Blau | |", "|---|---|---|---|", "| 2026-01-05 | __Aal__ | Barsch | |"]
    rows += ["| 2026-01-12 | Barsch | __Dorsch__ | |", "| 2026-01-19 | Dorsch | Aal | remis |"]
    rows += ["| 2026-01-26 | Aal | __Barsch__ | |", "| 2026-02-02 | Dorsch | Barsch | |"]
    found = read(["\n".join(rows).encode()], columns=None)
    assert found.games["score"].tolist() == [1, 0, 0.5, 0]
    assert [problem.row for problem in found.problems] == [7]
    assert "the name in bold was read as the winner's in 3 of 5 games" in found.notes


@pytest.mark.parametrize("bold", ["Aal", "first"])
def test_one_name_or_one_column_in_bold_marks_no_winner(bold: str) -> None:
    rows = [["White", "Black"], ["Aal", "Barsch"], ["Dorsch", "Aal"], ["Aal", "Dorsch"], ["Barsch", "Aal"]]
    marked = [
        [
            f"**{name}**" if at and (name == bold or (bold == "first" and not side)) else name
            for side, name in enumerate(row)
        ]
        for at, row in enumerate(rows)
    ]
    with pytest.raises(UnreadableInput):
        read(["\n".join(f"| {' | '.join(row)} |" for row in marked).encode()])


def test_ratings_without_headings_between_the_sides_are_no_points_beside_a_result() -> None:
    log = b"Home,,,Away,Result\nAal,1500,1480,Barsch,0-1\nBarsch,1480,1600,Dorsch,1-0\n"
    assert [row[3] for row in days_and_sides(log)] == ["0.0", "1.0"]
