"""PGN: games found in any state of repair, ratings and pools by the habits of each site."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from elo_sheets.errors import UnreadableInput
from elo_sheets.games import GamesRead, check_games
from elo_sheets.readers import read
from elo_sheets.readers._tags import pool_of

DATA = Path(__file__).parents[1] / "data"
CLUB = {"Event": "Club", "Date": "2024.01.02", "White": "Ann", "Black": "Bob", "Result": "1-0"}
LICHESS = {
    "Event": "Rated Blitz game",
    "Site": "https://lichess.org/abcdefgh",
    "Date": "????.??.??",
    "White": "ann",
    "Black": "bob",
    "Result": "1-0",
    "UTCDate": "2024.01.02",
    "UTCTime": "18:30:05",
    "WhiteElo": "1500",
    "BlackElo": "1600",
    "WhiteRatingDiff": "+7",
    "BlackRatingDiff": "-6",
    "TimeControl": "180+2",
}
OTHER = LICHESS | {"Site": "https://lichess.org/abcdefgi"}
CHESS_COM = {
    "Event": "Live Chess",
    "Site": "Chess.com",
    "White": "me",
    "Black": "bob",
    "Result": "1-0",
    "UTCDate": "2024.01.02",
    "UTCTime": "10:00:00",
    "WhiteElo": "1508",
    "BlackElo": "1400",
    "TimeControl": "600",
}


def pgn(moves: str = "1. e4 e5 1-0", base: dict[str, str] = CLUB, **tags: str) -> str:
    return "".join(f'[{tag} "{value}"]\n' for tag, value in {**base, **tags}.items()) + f"\n{moves}\n\n"


def reading(text: str | bytes, **options: Any) -> GamesRead:
    data = text if isinstance(text, bytes) else text.encode()
    found = read([io.BytesIO(data)], **options)
    check_games(found.games)
    return found


def whites(found: GamesRead) -> list[str]:
    return list(found.games["white"])


def only_problem(found: GamesRead) -> str:
    assert (found.kept, found.rejected) == (0, 1)
    return str(found.problems[0])


# Games


def test_a_broadcast_of_tags_alone_is_read_game_by_game() -> None:
    found = read([DATA / "uzchesscup.pgn"])
    assert (found.read, found.kept) == (45, 45)
    assert found.games["white_rating"].notna().all()
    assert found.games["event"].ne("").sum() == 1


def test_a_game_gives_its_tags_to_the_columns() -> None:
    found = reading(pgn(Round="3.2", ECO="B20", Opening="Sicilian", Termination="Normal", WhiteElo="2000"))
    game = found.games.iloc[0]
    expected = {"white": "Ann", "black": "Bob", "score": 1.0, "event": "Club", "round": "3.2", "eco": "B20"}
    expected |= {"opening": "Sicilian", "termination": "Normal", "white_rating": 2000.0, "source_row": 1}
    assert {name: game[name] for name in expected} == expected
    assert f"{game['date']:%Y-%m-%d}" == "2024-01-02"


def test_a_game_is_found_at_the_line_of_its_first_tag() -> None:
    assert reading(pgn() + pgn(Date="2024.01.03")).games["source_row"].tolist() == [1, 9]


@pytest.mark.parametrize(
    "text",
    [
        pgn(White="Ann").replace("\n\n", "\n") + pgn(White="Cid"),
        pgn(White="Ann").replace("\n", "\r\n") + pgn(White="Cid").replace("\n", "\r\n"),
        (pgn(White="Ann") + pgn(White="Cid")).replace("\n", "\r"),
        "\ufeff" + pgn(White="Ann") + "\ufeff" + pgn(White="Cid"),
        "\n\n% escaped\n" + pgn(White="Ann") + pgn(White="Cid"),
        "{ a remark }\n" + pgn(White="Ann") + pgn(White="Cid"),
        pgn(moves="", White="Ann") + pgn(moves="", White="Cid"),
        (pgn(moves="", White="Ann") + pgn(moves="", White="Cid")).replace("\n\n", "\n"),
        pgn(White="Ann").replace("[", "  [ ") + pgn(White="Cid"),
        pgn(White="Ann").lower().replace('"ann"', '"Ann"').replace('"bob"', '"Bob"') + pgn(White="Cid"),
        pgn(White="Ann").replace("\n[Black", "\n\n[Black") + pgn(White="Cid"),
        pgn(White="Ann").replace('"]\n[', '"] [') + pgn(White="Cid"),
    ],
    ids=[
        "no blank lines",
        "crlf",
        "cr",
        "byte order marks",
        "escaped line",
        "remark first",
        "no moves",
        "tags alone",
        "blanks in tags",
        "lower case",
        "blank line between tags",
        "tags on one line",
    ],
)
def test_two_games_are_two_games_however_they_are_laid_out(text: str) -> None:
    found = reading(text, columns=None)
    assert found.read == 2
    assert sorted(whites(found)) == ["Ann", "Cid"]


@pytest.mark.parametrize(
    "moves",
    [
        '1. e4 {\n\n[Event "phantom"]\n[White "X"]\n\n} e5 1-0',
        "1. e4 { [%clk 0:01:00] } e5 {\n[%clk 0:01:00]\n} 1-0",
        "1. e4 { nested { comment } still } e5 1-0",
        '1. e4 ; [Event "phantom"] {\ne5 1-0',
        "1. e4 {" + "x" * 300_000 + "} e5 1-0",
        "1. e4 {" + "x\n" * 5_000 + "} e5 1-0",
        "1. e4 e5\n" * 2_000 + "1-0",
        "1. e4 (1. d4 { [Event } d5) e5 $1 1-0",
        "1. e4 e5\n\n{ after a blank line }\n1-0 { and after the end }",
    ],
    ids=[
        "quoted tags",
        "clocks",
        "nested",
        "semicolon",
        "long line",
        "long comment",
        "long game",
        "variation",
        "late",
    ],
)
def test_no_comment_makes_a_game(moves: str) -> None:
    found = reading(pgn(moves) + pgn(White="Cid"))
    assert (whites(found), found.rejected) == (["Ann", "Cid"], 0)


def test_a_comment_that_is_never_closed_hides_no_game() -> None:
    found = reading(pgn("1. e4 { open 1-0") + pgn("1. e4 { closed } 1-0", White="Cid") + pgn(White="Dee"))
    assert whites(found) == ["Ann", "Cid", "Dee"]
    assert any("never closed" in note and "line 7" in note for note in found.notes)


def test_a_comment_left_open_in_the_last_game_hides_no_game() -> None:
    found = reading(pgn("1. e4 { open 1-0") + pgn(White="Cid"))
    assert whites(found) == ["Ann", "Cid"]


def test_movetext_without_tags_counts_as_a_game_kept_out() -> None:
    assert "movetext without tags" in only_problem(reading("1. e4 { x } e5 1-0\n"))


def test_movetext_without_tags_behind_a_finished_game_is_not_lost() -> None:
    found = reading(pgn() + "1. d4 d5 0-1\n\n" + pgn(Date="2024.01.03"))
    assert (found.kept, [problem.row for problem in found.problems]) == (2, [9])


def test_escaped_and_bare_quotes_are_read() -> None:
    found = reading(pgn(White='A \\"B\\" \\\\ C', Event='the "big" one'))
    assert found.games[["white", "event"]].iloc[0].tolist() == ['A "B" \\ C', 'the "big" one']


def test_the_first_of_two_equal_tags_wins_with_a_remark() -> None:
    found = reading('[White "Ann"]\n[White "Zoe"]\n[Black "Bob"]\n[Result "1-0"]\n\n1-0\n')
    assert whites(found) == ["Ann"]
    assert any("White 'Zoe' after 'Ann' (line 2)" in note for note in found.notes)


def test_a_broken_tag_is_remarked_on() -> None:
    found = reading('[White "Ann"]\n[Black "Bob]\n[Result "1-0"]\n\n1-0\n')
    assert "name is missing" in only_problem(found)
    assert any("cannot be read: line 2" in note for note in found.notes)


def test_a_value_that_is_not_utf_8_is_read_as_windows_1252_with_a_remark() -> None:
    found = reading(pgn(White="José").encode("cp1252") + pgn(White="Zoë").encode())
    assert whites(found) == ["José", "Zoë"]
    assert any("Windows-1252" in note for note in found.notes)


@pytest.mark.parametrize("encoding", ["cp1251", "utf-16", "utf-16-le"])
def test_an_encoding_can_be_given(encoding: str) -> None:
    assert whites(reading(pgn(White="Иван").encode(encoding), encoding=encoding)) == ["Иван"]


def test_an_encoding_that_does_not_fit_is_refused() -> None:
    with pytest.raises(UnreadableInput, match=r"line 3.*--encoding"):
        reading(pgn(White="José").encode("cp1252"), encoding="utf-8")


# Results


@pytest.mark.parametrize(
    ("tag", "moves", "score"),
    [
        ("1-0", "1. e4 1-0", 1),
        ("0-1", "1. e4 0-1", 0),
        ("1/2-1/2", "1. e4 1/2-1/2", 0.5),
        ("½-½", "", 0.5),
        ("", "1. e4 0-1", 0),
        ("?", "1. e4 1/2-1/2", 0.5),
        ("1-0", "1. e4", 1),
        ("1-0", "1. e4 *", 1),
        ("0-1", "1. f3 e5 2. g4 Qh4# 0-1", 0),
        ("1-0", "1. e4 e5\n2. Qh5# 1-0", 1),
        ("0-1", "2... Qh4# 0-1", 0),
    ],
)
def test_a_result_is_understood(tag: str, moves: str, score: float) -> None:
    assert reading(pgn(moves, Result=tag)).games["score"].tolist() == [score]


@pytest.mark.parametrize(
    ("tag", "moves", "reason"),
    [
        ("0-1", "1. e4 1-0", "disagree: '0-1' and '1-0'"),
        ("*", "1. e4 1-0", "disagree: '*' and '1-0'"),
        ("*", "1. e4 *", "unfinished"),
        ("", "1. e4", "unfinished"),
        ("1-0", "1. f3 e5 2. g4 Qh4# 1-0", "mate for Black"),
        ("1/2-1/2", "37. Qxg7#\n1/2-1/2", "mate for White"),
        ("+-", "", "forfeit"),
        ("2-0", "", "expected a result"),
    ],
)
def test_a_game_without_one_result_is_kept_out(tag: str, moves: str, reason: str) -> None:
    assert reason in only_problem(reading(pgn(moves, Result=tag)))


@pytest.mark.parametrize(
    ("tags", "reason"),
    [
        ({"White": "?"}, "name is missing"),
        ({"Black": ""}, "name is missing"),
        ({"Black": "NN"}, "name is missing"),
        ({"Black": "bye"}, "a bye"),
        ({"Black": "ANN"}, "against oneself"),
        ({"Date": "2024.02.31"}, "impossible date"),
        ({"Termination": "White wins by forfeit"}, "forfeit"),
        ({"Termination": "default"}, "forfeit"),
        ({"Termination": "Unplayed"}, "forfeit"),
        ({"Termination": "unterminated"}, "unfinished"),
        ({"Termination": "unrated game"}, "not a rated game"),
        ({"Event": "Unrated game"}, "not a rated game"),
        ({"Rated": "false"}, "not a rated game"),
    ],
)
def test_a_game_that_cannot_be_rated_is_kept_out(tags: dict[str, str], reason: str) -> None:
    assert reason in only_problem(reading(pgn(**tags)))


@pytest.mark.parametrize(
    "tags",
    [
        {"Termination": "Time forfeit"},
        {"Termination": "Ann won on time"},
        {"Termination": "Ann won - game abandoned"},
        {"White": "default", "Termination": "default won by resignation"},
        {"Event": "Casual evening"},
        {"Event": "Under 1600/Unrated section"},
    ],
)
def test_a_game_that_only_sounds_unrated_is_kept(tags: dict[str, str]) -> None:
    assert reading(pgn(**tags)).kept == 1


@pytest.mark.parametrize(
    "tags",
    [{"Event": "Casual Blitz game"}, {"Termination": "Abandoned"}, {"Termination": "Rules infraction"}],
)
def test_lichess_says_which_games_it_does_not_rate(tags: dict[str, str]) -> None:
    assert reading(pgn(base=LICHESS, **tags)).rejected == 1


# Dates


def test_utc_date_and_time_come_before_the_date() -> None:
    assert str(reading(pgn(base=LICHESS, Date="2024.01.03")).games["date"].iloc[0]) == "2024-01-02 18:30:05"


@pytest.mark.parametrize("date", ["1997.??.??", "1997.05.??", "1997", "1997.00.00"])
def test_partial_dates_are_left_empty_and_counted(date: str) -> None:
    found = reading(pgn(Date=date, EventDate="1997.05.03") * 2)
    assert found.games["date"].isna().all()
    assert f"2 partial dates (the first {date}) were left empty" in found.notes


def test_an_unknown_date_is_not_worth_a_remark() -> None:
    assert reading(pgn(Date="????.??.??")).notes == []


# Ratings


def test_lichess_prints_the_rating_before_the_game_and_its_change() -> None:
    game = reading(pgn(base=LICHESS)).games.iloc[0]
    assert [game[f"white_rating{when}"] for when in ("", "_after")] == [1500, 1507]
    assert [game[f"black_rating{when}"] for when in ("", "_after")] == [1600, 1594]


def test_a_provisional_rating_is_a_rating() -> None:
    assert reading(pgn(base=LICHESS, WhiteElo="1500?")).games["white_rating"].tolist() == [1500]


def test_chess_com_prints_the_rating_after_the_game() -> None:
    first = pgn(base=CHESS_COM)
    later = pgn(
        "1. e4 0-1",
        base=CHESS_COM,
        UTCTime="11:00:00",
        White="cid",
        Black="me",
        Result="0-1",
        BlackElo="1515",
    )
    other_pool = pgn(base=CHESS_COM, UTCTime="12:00:00", TimeControl="60", WhiteElo="900", Black="dee")
    found = reading(other_pool + later + first)
    assert whites(found) == ["me", "cid", "me"]
    assert found.games["white_rating_after"].tolist() == [1508, 1508, 900]
    assert found.games["black_rating"].tolist()[1] == 1508
    assert found.games["black_rating"].notna().sum() == 1
    assert "white_rating" not in found.games
    assert any("Chess.com prints ratings after the game" in note for note in found.notes)


def test_the_owner_of_a_chess_com_log_can_be_named() -> None:
    games = pgn(base=CHESS_COM) + pgn(base=CHESS_COM, UTCTime="11:00:00", WhiteElo="1516")
    assert "white_rating" not in reading(games).games
    assert reading(games, player="ME").games["white_rating"].tolist()[1] == 1508


# Pools


@pytest.mark.parametrize(
    ("tags", "pool"),
    [
        ({"Event": "Rated Bullet game"}, "bullet"),
        ({"Event": "Rated UltraBullet tournament https://lichess.org/tournament/x"}, "ultraBullet"),
        ({"Event": "Rated Classical game", "TimeControl": "600+0"}, "classical"),
        ({"Event": "Rated Correspondence game", "TimeControl": "-"}, "correspondence"),
        ({"Event": "rated rapid game"}, "rapid"),
        ({"Event": "Rated game", "TimeControl": "15+0"}, "ultraBullet"),
        ({"Event": "Rated game", "TimeControl": "29+0"}, "ultraBullet"),
        ({"Event": "Rated game", "TimeControl": "30+0"}, "bullet"),
        ({"Event": "Rated game", "TimeControl": "60+2"}, "bullet"),
        ({"Event": "Rated game", "TimeControl": "60+3"}, "blitz"),
        ({"Event": "Rated game", "TimeControl": "300+4"}, "blitz"),
        ({"Event": "Rated game", "TimeControl": "480+0"}, "rapid"),
        ({"Event": "Rated game", "TimeControl": "1499+0"}, "rapid"),
        ({"Event": "Rated game", "TimeControl": "1500+0"}, "classical"),
        ({"Event": "Rated game", "Variant": "King of the Hill"}, "kingOfTheHill"),
        ({"Event": "Rated game", "Variant": "Crazyhouse"}, "crazyhouse"),
        ({"Event": "Rated game", "Variant": "Three-check"}, "threeCheck"),
        ({"Variant": "From Position"}, "blitz"),
        ({"Variant": "Standard"}, "blitz"),
    ],
)
def test_a_lichess_pool_is_its_variant_or_speed(tags: dict[str, str], pool: str) -> None:
    assert pool_of({**LICHESS, **tags}) == pool


@pytest.mark.parametrize(
    ("control", "pool"),
    [
        ("60", "bullet"),
        ("179", "bullet"),
        ("180", "blitz"),
        ("599", "blitz"),
        ("600", "rapid"),
        ("180+2", "blitz"),
        ("3600", "rapid"),
        ("1/86400", "daily"),
    ],
)
def test_a_chess_com_pool_follows_its_own_limits(control: str, pool: str) -> None:
    assert pool_of({**CHESS_COM, "TimeControl": control}) == pool


@pytest.mark.parametrize(
    ("control", "pool"),
    [
        ("179", "bullet"),
        ("180", "blitz"),
        ("600", "blitz"),
        ("601", "rapid"),
        ("3599", "rapid"),
        ("3600", "classical"),
        ("5400+30", "classical"),
        ("900+10", "rapid"),
        ("", None),
        ("40/7200:20/3600:900+30", None),
        ("90 min", None),
    ],
)
def test_other_games_follow_fide(control: str, pool: str | None) -> None:
    assert pool_of({**CLUB, "TimeControl": control}) == pool


@pytest.mark.parametrize("variant", ["fischerandom", "Chess960", "Fischer Random", "chess 960"])
def test_fischers_chess_has_one_name(variant: str) -> None:
    assert pool_of({**CLUB, "Variant": variant}) == "chess960"


def test_a_lichess_broadcast_is_a_game_from_elsewhere() -> None:
    broadcast = {**LICHESS, "Event": "Casual round", "StudyName": "Round 1", "TimeControl": "5400+30"}
    found = reading(pgn(base=broadcast))
    assert found.games["pool"].tolist() == ["classical"]


def test_several_pools_are_remarked_on() -> None:
    found = reading(pgn(base=LICHESS) + pgn(base=OTHER, Event="Rated Bullet game"))
    assert "2 pools in this log: blitz 1, bullet 1; rated together unless --pool is given" in found.notes


def test_games_of_a_variant_are_told_counted_and_can_be_left_out() -> None:
    logs = pgn(base=CLUB) + pgn(base=OTHER, Site="club", Variant="Crazyhouse", White="Cid", Black="Dee")
    found = reading(logs)
    said = "1 of 2 games is no ordinary chess (crazyhouse 1), and rated with the others (--pool not:crazyhouse "
    assert [note for note in found.notes if note.startswith(said)]
    assert any(note.startswith("1 pool in this log: crazyhouse 1, none 1") for note in found.notes)
    left = reading(logs, pool="not:crazyhouse")
    assert (left.kept, left.rejected) == (1, 1)
    assert "not of the pool" in str(left.problems[0])
    alone = reading(pgn(base=CLUB, Variant="chess 960"))
    assert "all 1 games are no ordinary chess (chess960 1)" in alone.notes


def test_one_pool_can_be_kept() -> None:
    found = reading(pgn(base=LICHESS) + pgn(base=OTHER, Event="Rated Bullet game"), pool="BULLET")
    assert (found.kept, found.rejected) == (1, 1)
    assert "not of the pool 'BULLET'" in str(found.problems[0])


def test_a_game_that_two_exports_hold_is_rated_once() -> None:
    found = read([io.BytesIO(pgn(base=LICHESS).encode()), io.BytesIO(pgn(base=LICHESS).encode())])
    assert (found.read, found.kept) == (2, 1)
    assert "the same game as in log, row 1" in str(found.problems[0])


def test_a_pool_that_no_game_has_is_remarked_on() -> None:
    found = reading(pgn(base=LICHESS), pool="blits")
    assert found.kept == 0
    assert any("did you mean 'blitz'" in note for note in found.notes)


# Properties

VALUE = st.text(st.characters(codec="utf-8", exclude_characters='"\\\r\n', exclude_categories=["C"]), max_size=15)
RESULT = st.sampled_from(["1-0", "0-1", "1/2-1/2", "*", "", "+-", "??"])
REMARK = st.text(st.sampled_from('ab [Event "x"]\n\n{;(1-0'), max_size=40)


@settings(deadline=None)  # the first game imports pandas
@given(st.lists(st.tuples(VALUE, VALUE, RESULT, RESULT, REMARK), min_size=1, max_size=8))
def test_every_game_is_kept_or_has_one_problem(games: Sequence[tuple[str, str, str, str, str]]) -> None:
    lines, text = [], ""
    for white, black, tag, token, remark in games:
        lines.append(text.count("\n") + 1)
        text += pgn(f"1. e4 {{ {remark} }} e5 {token}", White=white, Black=black, Result=tag)
    found = read([io.BytesIO(text.encode())])
    accounted = [*found.games["source_row"], *(problem.row for problem in found.problems)]
    assert sorted(accounted) == lines
    assert found.read == found.kept + found.rejected == len(games)


@settings(deadline=None)
@given(st.binary(max_size=300) | st.text(st.sampled_from('[]{}()"\\;% \n1-0*#e4White'), max_size=300).map(str.encode))
def test_garbage_makes_no_error(data: bytes) -> None:
    found = read([io.BytesIO(pgn().encode() + data)])
    assert found.read == found.kept + found.rejected >= 1


def test_titles_are_kept_by_player() -> None:
    log = b"""[White "Ann"]\n[Black "Bob"]\n[WhiteTitle "WIM"]\n[BlackTitle "-"]\n[Result "1-0"]\n\n1-0\n
[White "Cid"]\n[Black "ANN"]\n[BlackTitle "WGM"]\n[Result "0-1"]\n\n0-1\n"""
    assert read([io.BytesIO(log)]).games.attrs["titles"] == {"ann": "WGM"}


def test_a_result_tag_that_is_none_is_told_with_what_the_moves_end_with() -> None:
    game = b'[White "Player 1"]\n[Black "Player 2"]\n[Result "2-0x"]\n\n1. e4 1-0\n'
    assert read([game]).problems[0].reason.endswith("; the moves end with 1-0: correct the tag")
    against = read([game.replace(b"2-0x", b"0-1")]).problems[0].reason
    assert against.endswith("'0-1' and '1-0'; correct the one that is wrong")
