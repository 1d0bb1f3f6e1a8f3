"""What a row says beside its score: whether the game was played, who won it, and from whose side the score stands."""

from __future__ import annotations

import io

import pytest

from elo_sheets import GamesRead, read
from elo_sheets.errors import UnreadableInput


def reading(text: str, **how: str) -> GamesRead:
    return read([io.BytesIO(text.encode())], **how)  # type: ignore[arg-type]


def told(found: GamesRead) -> list[tuple[str, str, float]]:
    return [tuple(row) for row in found.games[["white", "black", "score"]].to_numpy().tolist()]


@pytest.mark.parametrize(
    ("header", "fine", "wrong", "reason"),
    [
        ("Match status", "Full time", "Postponed", "without a result"),
        ("Estado", "Jugado", "Aplazado", "without a result"),
        ("state", "final", "awarded", "forfeit"),
        ("status", "finished", "not_started", "without a result"),
        ("status", "FT", "NS", "without a result"),
        ("status", "finished", "running", "without a result"),
        ("Anmerkung", "", "Nichtantritt Gast", "forfeit"),
        ("Gespielt", "ja", "nein", "without a result"),
        ("is_finished", "true", "false", "without a result"),
        ("Walkover", "", "x", "forfeit"),
        ("Kampflos", "nein", "ja", "forfeit"),
        ("Comments", "a great match", "w.o.", "forfeit"),
        ("Bemerkung", "spannend", "verlegt", "without a result"),
    ],
)
def test_a_column_that_says_whether_a_game_was_played_is_heard(header: str, fine: str, wrong: str, reason: str) -> None:
    found = reading(f"home,away,home score,away score,{header}\nA,B,3,1,{fine}\nB,C,0,0,{wrong}\nC,A,1,2,{fine}\n")
    assert told(found) == [("A", "B", 1.0), ("C", "A", 0.0)]
    (problem,) = found.problems
    assert (problem.row, problem.column, problem.value) == (3, header, wrong)
    assert reason in problem.reason


def test_a_game_that_was_abandoned_counts_where_others_end_on_the_board() -> None:
    found = reading("White,Black,Result,How\nA,B,1-0,C resigned\nB,C,0-1,abandoned\nC,A,1-0,checkmate\n")
    assert (found.kept, found.rejected) == (3, 0)


def test_a_remark_is_said_of_games_that_count_alone() -> None:
    text = "home,away,score,remarks\nA,B,-:-,put off to the 7th, tbc\nB,C,2:1,\nC,A,0:3,moved: cancelled at first\n"
    (note,) = [note for note in reading(text.replace("7th, ", "7th ")).notes if "remarked" in note]
    assert note.startswith("row 4 is remarked 'moved: cancelled at first'")


@pytest.mark.parametrize("score", ["3:2 PP", "3:2 SN", "3-2 GWS", "3:2 OT"])
def test_ice_hockey_says_when_it_went_on(score: str) -> None:
    assert told(reading(f"home,away,score\nA,B,{score}\nB,C,5:0 kont.\n")) == [("A", "B", 1.0)]


def test_a_day_under_played_is_a_day() -> None:
    assert reading("home,away,result,played\nA,B,1-0,2026-01-05\n").games["date"].notna().all()


@pytest.mark.parametrize("behind", ["unplayed", "protest", "hello world", "annulled", "X wins"])
def test_brackets_behind_a_score_that_say_something_unknown_keep_the_row_out(behind: str) -> None:
    found = reading(f"home,away,score\nA,B,2-1 (1-0 HT)\nB,C,3-2 (after extra time)\nC,A,1-0 ({behind})\n")
    assert [problem.row for problem in found.problems] == [4]


def test_a_named_winner_turns_scores_round_that_stand_from_his_side() -> None:
    found = reading("player 1,player 2,winner,score\nA,B,B,21-17\nB,C,B,21-9\n")
    assert told(found) == [("A", "B", 0.0), ("B", "C", 1.0)]
    assert found.games["white_points"].tolist() == [17, 21]


def test_a_winner_whom_the_score_contradicts_keeps_the_row_out() -> None:
    found = reading("player 1,player 2,winner,score\nA,B,B,21-17\nB,C,C,9-21\nC,A,C,21-3\n")
    assert told(found) == [("B", "C", 0.0), ("C", "A", 1.0)]
    assert "the winner and the score disagree" in found.problems[0].reason


@pytest.mark.parametrize(("own", "other"), [("GF", "GA"), ("points for", "points against"), ("My score", "Opp score")])
def test_goals_for_and_against_are_the_points_of_player_and_opponent(own: str, other: str) -> None:
    found = reading(f"date,team,opponent,{own},{other}\n2026-01-05,A,B,1,3\n2026-01-12,C,A,2,2\n")
    assert told(found) == [("A", "B", 0.0), ("C", "A", 0.5)]


def test_a_rating_behind_the_opponent_of_a_journal_is_his() -> None:
    found = reading("Dato;Modstander;Rating;Farve;Resultat\n2026-01-05;A;1650;sort;vandt\n", player="Me")
    (game,) = found.games.to_dict("records")
    assert (game["white"], game["white_rating"], game["score"]) == ("A", 1650, 0.0)


@pytest.mark.parametrize("nobody", ["libre", "выходной", "Wolny los", "folga", "frirond"])
def test_a_bye_in_another_language_is_nobody(nobody: str) -> None:
    found = reading(f"white,black,result\nA,{nobody},1-0\nA,B,1-0\n")
    assert told(found) == [("A", "B", 1.0)]
    assert "a bye" in found.problems[0].reason


def test_a_column_of_sums_is_no_player() -> None:
    from elo_sheets.readers._across import across
    from elo_sheets.readers._layout import Row

    rows = [Row(2, ["1", "12", "30", "8", "50"]), Row(3, ["2", "5", "", "9", "14"])]
    for name in ("Gesamt", "All of us"):
        found = across(["Game", "Player 1", "Player 2", "Player 3", name], rows)
        assert found is not None
        assert list(found.players) == ["Player 1", "Player 2", "Player 3"]


def test_pairs_are_told_by_any_heading_of_sides() -> None:
    rows = ["A / B;C / D;6-4", "A / C;B / D;2-6", "A / D;B / C;6-1"]
    with pytest.raises(UnreadableInput, match="games of teams"):
        reading("\n".join(["Coppia 1;Coppia 2;Risultato", *rows]))


@pytest.mark.parametrize(("winner", "score"), [("green", 1.0), ("Gold", 0.0), ("draw", 0.5), ("B", 0.0)])
def test_a_winner_may_be_told_by_the_heading_of_his_side(winner: str, score: float) -> None:
    names = f"B,A,{winner}" if winner != "B" else "A,B,B"
    rows = "A,C,gold" if winner != "B" else "C,A,C"
    (first, _) = told(reading(f"green,gold,winner\n{names}\n{rows}\n"))
    assert first[2] == score


def test_points_of_winner_and_loser_may_stand_either_way() -> None:
    for headers in ("Loser,Winner,L pts,W pts", "Verlierer,Gewinner,Punkte V,Punkte G"):
        found = reading(f"{headers}\nB,A,7,11\nC,B,9,11\n")
        assert told(found) == [("A", "B", 1.0), ("B", "C", 1.0)]
        assert found.games["white_points"].tolist() == [11, 11]


@pytest.mark.parametrize(("result", "score"), [("B+R", 0), ("W+12.5", 1), ("b+Time", 0), ("Jigo", 0.5), ("W+½", 1)])
def test_results_of_go_are_read(result: str, score: float) -> None:
    assert told(reading(f"black,white,result\nA,B,{result}\n")) == [("B", "A", score)]
    assert "forfeit" in reading("black,white,result\nA,B,W+F\n").problems[0].reason


def test_remarks_that_a_game_was_not_played_are_named() -> None:
    found = reading("home,away,score,notes\nA,B,3-1,\nB,C,3-0,C did not turn up (walkover)\nC,A,1-3,in the rain\n")
    assert found.kept == 3
    assert any("row 3" in note and "did not turn up" in note for note in found.notes)


def test_a_diary_in_signs_is_read() -> None:
    found = reading("when;vs;+/-/=\n2026-01-05;A;+\n2026-01-12;B;-\n2026-01-19;C;=\n", player="Me")
    assert told(found) == [("Me", "A", 1.0), ("Me", "B", 0.0), ("Me", "C", 0.5)]


@pytest.mark.parametrize(
    ("log", "rows"),
    [
        (
            'A,B,score,sets\nA,B,3-1,"11-8, 9-11"\nB,C,3-0,walkower\nC,A,0-3,"1-11, 2-11"\n',
            [3],
        ),  # under another heading
        ("winner_name,loser_name,score\nA,B,6-4 6-3\nB,C,not played\nC,A,\n", [3]),
        ("wit,zwart,uitslag,opmerking\nA,B,2-0,n.o. (A ziek)\nB,C,2-0,mooi\n", [2]),
        ("先手,後手,先手結果,後手結果\nA,B,○,●\nB,C,不戦敗,不戦勝\nC,A,●,○\n", [3]),
    ],
)
def test_a_game_that_was_not_played_is_none_wherever_it_says_so(log: str, rows: list[int]) -> None:
    assert [problem.row for problem in reading(log).problems] == rows


def test_a_nought_among_results_of_go_is_a_draw() -> None:
    assert told(reading("Black,White,Result\nA,B,B+R\nB,C,0\nC,A,W+3.5\n")) == [
        ("B", "A", 0.0),
        ("C", "B", 0.5),
        ("A", "C", 1.0),
    ]


def test_a_word_with_what_was_won_behind_it_is_a_result() -> None:
    log = "Player,Opponent,Match result\nA,B,Won 2-0-0\nB,C,Lost 1-2-0\nA,C,Draw 1-1-1\n"
    log += "C,* BYE *,Won 2-0-0\nC,A,Won 1-2\n"
    found = reading(log)
    assert told(found) == [("A", "B", 1), ("B", "C", 0), ("A", "C", 0.5)]
    assert [problem.row for problem in found.problems] == [5, 6]
    assert "a bye" in found.problems[0].reason
    form = 'Your name,Who did you play?,Did you win?\nA,B,"No, lost 2-1"\nB,C,"Yes, 2 legs to 1"\n'
    assert told(reading(form)) == [("A", "B", 0), ("B", "C", 1)]
    ladder = "Challenger,Holder,Outcome\nA (7),B (5),Challenger by ippon\nC (4),A (5),Holder by waza-ari\n"
    assert told(reading(ladder)) == [("A", "B", 1), ("C", "A", 0)]  # the place of A changed


def test_the_letter_before_a_plus_sign_is_that_of_a_heading() -> None:
    dutch = "Zwart,Wit,Uitslag\nA,B,Z+7.5\nB,C,W+O\nC,A,Z+T\n"
    assert [row[-1] for row in told(reading(dutch))] == [0, 1, 0]
    french = "Blanc,Noir,Score\nA,B,B+7.5\nB,C,N+1.5\n"
    assert [row[-1] for row in told(reading(french))] == [1, 0]


def test_a_form_asks_when_a_game_was_played() -> None:
    log = "Timestamp,Who won?,Who lost?,When was it?\n3/9/2026 21:10:44,A,B,3/9/2026\n3/15/2026 8:01:12,B,A,3/14/2026\n"
    found = reading(log)
    assert [f"{day:%d}" for day in found.games["date"]] == ["09", "14"]
    assert any("played on the days in 'When was it?'" in note for note in found.notes)
    later = reading(log.replace("3/14/2026", "3/24/2026"))  # until when it counts, perhaps
    assert [f"{day:%d}" for day in later.games["date"]] == ["09", "15"]


def test_who_won_decides_in_the_answers_of_a_form_and_an_answer_sent_twice_is_told() -> None:
    log = "Timestamp,Your name,Opponent,Who won?,Score (winner's points first)\n"
    log += "3/24/2024 12:31:07,A,B,A,11-7\n3/24/2024 17:02:11,C,A,A,11-9\n3/24/2024 17:02:44,C,A,A,11-9\n"
    found = reading(log + "3/25/2024 8:00:00,A,B,B,11-4\n")
    assert [row[2] for row in told(found)] == [1.0, 0.0, 0.0, 0.0]
    assert any("another time (log, row 4)" in note for note in found.notes)
