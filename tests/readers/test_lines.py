"""Games as people write them down, a line each."""

from __future__ import annotations

import pytest

from elo_sheets.readers import read
from elo_sheets.readers._above import above
from elo_sheets.readers.lines import game_of, of_lines


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("Ruth - Olaf 0:1", ("", "Ruth", "Olaf", "0:1")),
        ("2. Weber, Ruth – Voss, Olaf ½-½", ("", "Weber, Ruth", "Voss, Olaf", "½-½")),
        ("Tisch 4: Ruth gegen Olaf remis", ("", "Ruth", "Olaf", "remis")),
        ("7.10.2023: Ruth 11-9 Olaf", ("7.10.2023", "Ruth", "Olaf", "11-9")),
        ("Oct 7, 2023 Ruth vs Olaf 3-2", ("Oct 7, 2023", "Ruth", "Olaf", "3-2")),
        ("[07.10.23, 21:40:02] Ida: Ruth 3:2 Olaf", ("07.10.23", "Ruth", "Olaf", "3:2")),
        ("19:30 SV 07 Nord 2 x 2 TuS Ost", ("", "SV 07 Nord", "TuS Ost", "2 x 2")),
        ("Ruth beat Olaf 11-4, 9-11, 11-8", ("", "Ruth", "Olaf", "11-4, 9-11, 11-8")),
        ("Ruth schlug Olaf", ("", "Ruth", "Olaf", "win")),
        ("Ruth lost to Olaf", ("", "Ruth", "Olaf", "loss")),
        ("Ruth drew with Olaf", ("", "Ruth", "Olaf", "draw")),
        ("Ruth def. Olaf ret.", ("", "Ruth", "Olaf", "win")),
        ("Ruth besiegte Olaf mit 3:1", ("", "Ruth", "Olaf", "3:1")),
        ("Ruth won 3-1 against Olaf", ("", "Ruth", "Olaf", "3-1")),
        ("Ruth lost 3-1 to Olaf", ("", "Ruth", "Olaf", "lost 3-1")),
        ("Ruth a perdu face à Olaf 1-3", ("", "Ruth", "Olaf", "1-3")),
        ("Ruth derrotou Olaf por 3 a 1", ("", "Ruth", "Olaf", "3-1")),
        ("Ruth beat de Boer 3 to 1", ("", "Ruth", "de Boer", "3-1")),
        ("Ruth v Olaf: Olaf won", ("", "Ruth", "Olaf", "loss")),
        ("Ruth - Olaf, Olaf wins 3-1", ("", "Ruth", "Olaf", "1-3")),
        ("Ruth vs Olaf (Ruth)", ("", "Ruth", "Olaf", "win")),
        ("CD Victoria vs Nadal 2-1", ("", "CD Victoria", "Nadal", "2-1")),
        ("Team A beat Team B", ("", "Team A", "Team B", "win")),
        ("Ruth beat Olaf 1-3", ("", "Ruth", "Olaf", "beat 1-3")),  # no result: they disagree
        ("Ruth - Olaf 1-0 f.", ("", "Ruth", "Olaf", "1-0 f.")),
        ("Ruth - Olaf 3:1 (what a night!)", ("", "Ruth", "Olaf", "3:1")),
        ("Ruth beat Olaf 2-1 (aet)", ("", "Ruth", "Olaf", "2-1")),
        ("Mark 21-15 Tom", ("", "Mark", "Tom", "21-15")),
        ("Jan 21-15 Augusta", ("", "Jan", "Augusta", "21-15")),
        ("Mrz 21, 2015 Mark 21-15 Tom", ("Mrz 21, 2015", "Mark", "Tom", "21-15")),
        ("12 Mar: Ruth beat Olaf", ("12 Mar", "Ruth", "Olaf", "win")),
        ("So 01.10. 14:00 1. FC Ost - Voss, D. 2:1 (1:0)", ("01.10.", "1. FC Ost", "Voss, D.", "2:1 (1:0)")),
        ("Voss, D. 1-0 Berg, R.", ("", "Voss, D.", "Berg, R.", "1-0")),
        ("Ruth beat Olaf +12TP", ("", "Ruth", "Olaf", "win")),
        ("Ruth and Olaf drew 1-1", ("", "Ruth", "Olaf", "1-1")),
        ("Ruth und Olaf remis", ("", "Ruth", "Olaf", "remis")),
        ("Ruth challenged Olaf and lost 3-1", ("", "Ruth", "Olaf", "lost 3-1")),
        ("7.10.2023 Ruth played Olaf, and won 2-0", ("7.10.2023", "Ruth", "Olaf", "won 2-0")),
        ("Ruth challenged Olaf - cancelled, Olaf has a cold", None),
        ("Voss Ruth - Berg Olaf verschoben", ("", "Voss Ruth", "Berg Olaf", "verschoben")),
        ("Voss Ruth - Berg Olaf nicht angetreten", ("", "Voss Ruth", "Berg Olaf", "nicht angetreten")),
        ("tomorrow 10:30 Uhr Kantine", None),
        ("Ruth - Olaf 3-1 Ida - Jan 3-2", None),
        ("Ruth 3-1 Olaf 3-2 Ida", None),
        ("Old ratings: 1500 - 1600", None),
        ("Heat 1 - 3 April 2024", None),
        ("Ruth 1 - 3 April", ("", "Ruth", "April", "1 - 3")),
        ("See you at 20:15 - bring your own bat", None),
    ],
)
def test_a_line_tells_of_a_game(line: str, told: tuple[str, ...] | None) -> None:
    found = game_of(line)
    assert (found if found is None else tuple(found)) == told


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("Week 7", ("", "7")),
        ("3. Runde (Samstag, 7. Oktober 2023)", ("7. Oktober 2023", "3")),
        ("Jornada 12 - 07/10/2023", ("07/10/2023", "12")),
        ("Saturday 7 October 2023", ("7 October 2023", "")),
        ("2. Runde am 7.10.2023", ("7.10.2023", "2")),
        ("as of 7.10.2023", None),
        ("Stand: 7.10.2023", None),
        ("Sommerfest 7.10.2023", None),
        ("2023", None),
    ],
)
def test_a_line_above_games_tells_their_day_and_round(line: str, told: tuple[str, str] | None) -> None:
    found = above(line)
    assert (found if found is None else tuple(found)) == told


def test_lines_below_days_are_games_and_what_is_none_is_named() -> None:
    text = "Autumn evenings\n\nMonday 2 October 2023\nRuth - Olaf 3:1\nIda - Jan 2:3\nrain stopped play\n"
    text += "Monday 9 October 2023\nJan - Ruth 3:0\nOlaf bye\n"
    found = read([text.encode()])
    assert (found.read, found.kept) == (5, 3)
    assert [f"{day:%d}" for day in found.games["date"]] == ["02", "02", "09"]
    assert found.games["score"].tolist() == [1, 0, 1]
    assert [problem.row for problem in found.problems] == [6, 9]
    assert "bye" in found.problems[1].reason
    assert any("'Ruth - Olaf 3:1' were read as games" in note for note in found.notes)
    assert "1 line before the games was skipped" in found.notes


def test_a_line_may_tell_of_several_games_of_a_day_whose_year_a_title_tells() -> None:
    text = "Lunch 2023\n2 Oct: Ruth beat Olaf; Ruth beat Olaf; Ida drew with Jan.\n(nobody there)\n"
    found = read([(text + "*Round 2* - 9/10\nJan 3 x 1 Ida 🏓\n*Round 3* - 16/10\nIda 0 x 2 Olaf\n").encode()])
    told = found.games[["white", "black", "score"]].to_numpy().tolist()
    assert told[:3] == [["Ruth", "Olaf", 1], ["Ruth", "Olaf", 1], ["Ida", "Jan", 0.5]]  # as often as the line says
    assert told[3:] == [["Jan", "Ida", 1], ["Ida", "Olaf", 0]]
    assert [f"{day:%Y-%m-%d}" for day in found.games["date"]] == ["2023-10-02"] * 3 + ["2023-10-09", "2023-10-16"]
    assert [problem.row for problem in found.problems] == [3]
    assert any("without them were left out: 'Ida 🏓'" in note for note in found.notes)
    open_ = read([b"Round 1 - 2/10\nRuth 2-1 Olaf\nRound 2 - 9/10\nIda 0-2 Olaf\n"])
    assert (open_.kept, open_.games["date"].notna().sum(), open_.games["round"].tolist()) == (2, 0, ["1", "2"])
    assert any("as '2/10': write the year" in note for note in open_.notes)


def test_lines_may_number_the_boards_of_a_match_and_say_what_they_come_to() -> None:
    text = "Cup\nTown 1½ - ½ Bridge\nS1 Ruth 1-0 Olaf\nS2 Ida ½-½ Jan\n"
    text += "\nBridge 2 - 0 Town\nS1 Jan 1-0 Ruth\nS2 Olaf 1-0 Ida\n"
    found = read([text.encode()])
    told = found.games[["white", "black"]].to_numpy().tolist()
    assert told == [["Ruth", "Olaf"], ["Ida", "Jan"], ["Jan", "Ruth"], ["Olaf", "Ida"]]
    assert {problem.row: problem.reason for problem in found.problems} == dict.fromkeys(
        (2, 6), "the sum of the games below it"
    )
    assert read([text.replace("2 - 0", "1 - 1").encode()]).kept == 6  # sums of nothing
    clubs = "FC 1 Ost 2-0 Nord\nFC 2 Ost 1-0 Nord\nNord 1-3 FC 1 Ost\n"
    assert "FC 2 Ost" in read([clubs.encode()]).games["white"].tolist()


def test_what_stands_beside_names_on_lines_is_no_part_of_them() -> None:
    elo = "Round 1, 7.10.2023, umpire: Eva Roth\nTown B - Bridge 1 : 1\n"
    elo += "1. Ruth 1500 1 - 0 Olaf 1620\n2. Ida 1490 0 - 1 Jan 1580\n\n"
    found = read([(elo + "Bridge - Town B 2 : 0\n1. Olaf 1640 1 - 0 Ruth 1480\n2. Jan 1590 1 - 0 Ida 1470\n").encode()])
    assert found.games["white"].tolist() == ["Ruth", "Ida", "Olaf", "Jan"]
    assert found.games["black_rating"].tolist() == [1620, 1580, 1480, 1470]
    assert found.games["date"].notna().all()
    assert [problem.row for problem in found.problems] == [2, 6]
    hall = read([b"Hall A: Ruth - Olaf 3-1\nHall B: Ida - Jan 0-3\nHall A: Olaf - Ida 3-0\n"])
    assert hall.games["white"].tolist() == ["Ruth", "Ida", "Olaf"]
    two = read([b"Hall A: Ruth - Olaf 3-1; Ida - Jan 0-3\nHall A: Olaf - Ida 3-0; Hall B: Jan - Ruth 3-2\n"])
    assert two.games["white"].tolist() == ["Ruth", "Ida", "Olaf", "Jan"]
    score = read([b"Ruth - Olaf 3-1\nIda - Jan 0-3\nFinal score: Town - Bridge 1-1\n"])
    assert (score.kept, [problem.row for problem in score.problems]) == (2, [3])
    grades = read([b"Black\tWhite\tResult\nRuth 9k\tOlaf 1d\tW+R\nOlaf 1d\tRuth 8k\tB+2.5\n"])
    assert {*grades.games["white"], *grades.games["black"]} == {"Ruth", "Olaf"}


def test_columns_may_be_parted_by_blanks() -> None:
    text = "Day          Home       Away           Score\n2023-10-02   Red Lion   Swan and Bell  5-4\n"
    text += "2023-10-09   Crown      Red Lion       2-7\n"
    found = read([text.encode()])
    assert found.games["black"].tolist() == ["Swan and Bell", "Red Lion"]
    assert found.games["score"].tolist() == [1, 0]


def test_columns_parted_by_blanks_may_have_headings_between_them() -> None:
    head, games = (
        "Bd   White        Elo   Result   Black        Elo\n",
        (
            "1    Berg, Ruth   1900  1 - 0    Voss, Olaf   1850\n2    Roth, Ida    1100  ½ - ½    Hahn, Jan     990\n",
            "1    Voss, Olaf   1850  0 - 1    Roth, Ida    1100\n2    Hahn, Jan     990  0 - 1    Berg, Ruth   1900\n",
        ),
    )
    text = "".join(f"\nRound {at} on 2023/10/0{at}\n{head}{some}" for at, some in enumerate(games, 1))
    found = read([f"Club cup\n{text}".encode()])
    assert found.games[["white", "black", "score"]].to_numpy().tolist() == [
        ["Berg, Ruth", "Voss, Olaf", 1],
        ["Roth, Ida", "Hahn, Jan", 0.5],
        ["Voss, Olaf", "Roth, Ida", 0],
        ["Hahn, Jan", "Berg, Ruth", 0],
    ]
    assert found.games["white_rating"].tolist() == [1900, 1100, 1850, 990]
    assert [f"{day:%d}" for day in found.games["date"]] == ["01", "01", "02", "02"]


def test_a_table_parted_by_blanks_may_have_commas_in_its_names() -> None:
    text = "Spring cup        3 rounds      Hall 2\n\nPl  Name          Rtg   Rd1   Rd2   Rd3   Tot\n"
    text += "1   Berg, Ruth    1900  W2    D3    W4    2.5\n2   Voss, Olaf    1850  L1    W4    B---  2.0\n"
    text += "3   Roth, Ida     1100  W4    D1    U---  1.5\n4   Hahn, Jan      990  L3    L2    L1    0.0\n"
    found = read([text.encode()])
    assert sorted(map(tuple, found.games[["white", "black", "score"]].to_numpy().tolist())) == [
        ("Berg, Ruth", "Hahn, Jan", 1),
        ("Berg, Ruth", "Roth, Ida", 0.5),
        ("Berg, Ruth", "Voss, Olaf", 1),
        ("Roth, Ida", "Hahn, Jan", 1),
        ("Voss, Olaf", "Hahn, Jan", 1),
    ]


def test_numbers_may_stand_before_the_beginning_of_their_heading() -> None:
    text = "Club cup\nAfter round 2\n\n  # NAME           Elo  1    2\n----------------------------\n"
    text += "  1 Berg Ruth    1900  +W2  =B3\n  2 Voss Olaf    1850  -B1  +W4\n"
    text += "  3 Roth Ida     1100  +W4  =W1\n  4 Hahn Jan      990  -B3  -B2\n"
    found = read([text.encode()])
    told = sorted(map(tuple, found.games[["white", "black", "score"]].to_numpy().tolist()))
    assert told[:2] == [("Berg Ruth", "Voss Olaf", 1), ("Roth Ida", "Berg Ruth", 0.5)]
    assert told[2:] == [("Roth Ida", "Hahn Jan", 1), ("Voss Olaf", "Hahn Jan", 1)]


def test_delimited_text_is_not_taken_for_lines() -> None:
    found = read([b"date,white,black,result\n2023-10-02,Ruth - Ida,Olaf,1-0\n2023-10-03,Olaf,Ruth - Ida,1-0\n"])
    assert found.games["white"].tolist() == ["Ruth - Ida", "Olaf"]


CHAT = """\u200e[02.10.23, 20:00:00] Squash: \u200eRuth created this group
[02.10.23, 20:01:10] Ruth: tomorrow 18:30 Hall 2?
[03.10.23, 19:40:02] Ruth Berg: Ruth - Olaf 3:1
[03.10.23, 19:41:00] Olaf: next week 18:30 Hall 2
[03.10.23, 19:44:30] Olaf: Ida 0:3 Olaf
well played
[10.10.23, 19:45:00] Ida: Guest beat Ida 3:2 (first time)
"""
ANDROID = CHAT.replace("\u200e", "").replace("[", "").replace("] ", " - ")


@pytest.mark.parametrize("text", [CHAT, ANDROID])
def test_games_stand_in_the_talk_of_a_chat(text: str) -> None:
    found = read([text.encode()])
    told = found.games[["white", "black", "score"]].to_numpy().tolist()
    assert told == [["Ruth", "Olaf", 1], ["Ida", "Olaf", 0], ["Guest", "Ida", 1]]
    assert [f"{day:%d}" for day in found.games["date"]] == ["03", "03", "10"]
    assert {problem.row for problem in found.problems} == {2, 4, 6}
    assert all("as in Player 1 beat Player 2" in found.problems[at].reason for at in (0, 1))
    assert any("'first time'" in note for note in found.notes)


def test_the_stamps_of_a_chat_may_have_lines_of_their_own() -> None:
    lines = ("Ruth — 13/10/2023 12:41", "Ruth def. Olaf 11-7 11-9", "Olaf — 13/10/2023 12:58", "gg", "well played")
    lines += ("Ida — 14/10/2023, 1:05 PM", "Ida def. Ruth 11-3 11-4")
    found = read(["\n".join(("#squash", *lines)).encode()])
    assert found.games[["white", "black"]].to_numpy().tolist() == [["Ruth", "Olaf"], ["Ida", "Ruth"]]
    assert [f"{day:%d}" for day in found.games["date"]] == ["13", "14"]
    assert [problem.row for problem in found.problems] == [5, 6]


def test_games_stand_in_an_e_mail_which_tells_their_day() -> None:
    head = "Von: Ruth <ruth@example.org>\nAn: liga@example.org\nDatum: Mo, 2 Oct 2023 21:10:00 +0200\nBetreff: Liga\n"
    text = "\nHallo,\n\nRuth schlug Olaf 3:1\nIda verlor gegen Ruth 1:3\nHalle 3-4 ist zu\nOlaf - Ida 3:0\n\nRuth\n"
    found = read([(head + text).encode()])
    assert found.games[["white", "black", "score"]].to_numpy().tolist() == [
        ["Ruth", "Olaf", 1],
        ["Ida", "Ruth", 0],
        ["Olaf", "Ida", 1],
    ]
    assert {f"{day:%Y-%m-%d}" for day in found.games["date"]} == {"2023-10-02"}
    assert [problem.row for problem in found.problems] == [10, 13]
    assert any("on which the message was sent" in note for note in found.notes)


def test_words_beside_a_name_that_stands_without_them_make_no_player() -> None:
    """A verb that is unknown makes no name of its own."""
    lines = ["Ruth beat Olaf 3-1", "Olaf beat Ruth 3-2", "Ruth sauvagement 3-0 Olaf", "Ida beat Jan de Wit 3-1"]
    _, *rows = of_lines([(at, line) for at, line in enumerate(lines, 1)])[0]
    assert [bool(row.fault) for row in rows] == [False, False, True, False]
    assert "'Ruth sauvagement' is 'Ruth' with words that are not understood" in rows[2].fault
