"""Games that logs tell of twice: counted once where that is certain, kept where it is not, named in any case."""

from __future__ import annotations

import io
import os
import random
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from elo_sheets.cli import cli
from elo_sheets.games import GamesRead, check_games
from elo_sheets.readers import read
from elo_sheets.readers._again import Again
from elo_sheets.readers._twice import RESULT
from elo_sheets.readers.fixtures import read_fixtures

LOGS = int(os.environ.get("ELO_SHEETS_FUZZ", "24"))

DATA = Path(__file__).parents[1] / "data"
HEADER = "date,white,black,result\n"
ROW = "2024-01-01,Ann,Bob,1-0\n"


def reading(*texts: str, **options: Any) -> GamesRead:
    found = read([Named(text, f"{'abcd'[at]}.csv") for at, text in enumerate(texts)], **options)
    check_games(found.games)
    assert found.read == found.kept + found.rejected
    return found


class Named(io.BytesIO):
    """A log with a name."""

    def __init__(self, text: str, name: str) -> None:
        super().__init__(text.encode())
        self.name = name


def kept(found: GamesRead) -> list[tuple[str, int]]:
    return sorted(zip(found.games["source"], found.games["source_row"], strict=True))


def test_a_row_that_stands_twice_is_counted_once_and_named() -> None:
    found = reading(HEADER + ROW + "2024-01-02,Ann,Cid,0-1\n" + ROW)
    assert (found.read, found.kept) == (3, 2)
    assert [str(problem) for problem in found.problems] == [
        "a.csv, row 4: the same game as in a.csv, row 2: counted once"
    ]
    assert found.notes == [
        "1 row tells of a game that another row tells of, counted once: a.csv, row 4; --keep-duplicates counts every "
        "row"
    ]


def test_duplicates_are_kept_when_asked_for() -> None:
    found = reading(HEADER + ROW + ROW, HEADER + ROW, keep_duplicates=True)
    assert (found.kept, found.rejected, found.notes) == (3, 0, [])


@pytest.mark.parametrize(
    ("header", "first", "second"),
    [
        ("date,round,white,black,result", "2024-01-01,1,Ann,Bob,1-0", "2024-01-01,2,Ann,Bob,1-0"),
        ("date,time,white,black,result", "2024-01-01,18:00,Ann,Bob,1-0", "2024-01-01,18:20,Ann,Bob,1-0"),
        ("date,white,black,result,event", "2024-01-01,Ann,Bob,1-0,Cup", "2024-01-01,Ann,Bob,1-0,League"),
        ("id,date,white,black,result", "17,2024-01-01,Ann,Bob,1-0", "18,2024-01-01,Ann,Bob,1-0"),
        ("date,white,black,result,table", "2024-01-01,Ann,Bob,1-0,A", "2024-01-01,Ann,Bob,1-0,B"),
        ("date,white,black,homegoals,awaygoals", "2024-01-01,Ann,Bob,2,1", "2024-01-01,Ann,Bob,3,1"),
    ],
)
def test_rows_that_differ_in_anything_are_two_games(header: str, first: str, second: str) -> None:
    assert reading(f"{header}\n{first}\n{second}\n").kept == 2
    assert reading(f"{header}\n{first}\n", f"{header}\n{second}\n").kept == 2


def test_equal_rows_among_several_games_of_a_day_are_kept_and_named() -> None:
    evening = HEADER + ROW + ROW + "2024-01-01,Ann,Bob,0-1\n" + ROW
    found = reading(evening)
    assert found.kept == 4
    assert found.notes[0].startswith("2 rows are the same as rows before them, but may be another game")
    assert "(a.csv, rows 3, 5)" in found.notes[0]


def test_a_time_proves_that_equal_rows_are_one_game_even_then() -> None:
    header, row = "date,time,white,black,result\n", "2024-01-01,18:00,Ann,Bob,1-0\n"
    found = reading(header + row + "2024-01-01,18:20,Ann,Bob,0-1\n" + row)
    assert (found.kept, found.problems[0].row) == (2, 4)


def test_a_log_of_many_games_a_day_keeps_equal_rows() -> None:
    days = "".join(f"2024-01-{day:02},Ann,Bob,1-0\n2024-01-{day:02},Ann,Bob,0-1\n" for day in range(1, 6))
    found = reading(HEADER + days + "2024-02-01,Ann,Bob,1-0\n" * 2)
    assert found.kept == 12
    assert any("a.csv, row 13" in note for note in found.notes)


def test_two_evenings_of_return_games_make_a_habit_in_a_short_log_alone() -> None:
    others = [f"2024-02-{day:02},Cid,Dot,1-0\n" for day in range(1, 29)]
    twice = [f"{day},Ann,Bob,{result}\n" for day in ("2024-03-01", "2024-03-08") for result in ("1-0", "0-1")]
    assert reading(HEADER + ROW + "".join(twice + others) + ROW).rejected == 0
    assert reading(HEADER + ROW + "".join(twice[:2] + others) + ROW).rejected == 1
    long = [row.replace("-02-", f"-{month:02}-") for row in others for month in (4, 5, 6)]
    assert reading(HEADER + ROW + "".join(twice + others + long) + ROW).rejected == 1


def test_equal_rows_without_a_day_are_games_of_their_own() -> None:
    found = reading("winner,loser\nAnn,Bob\nCid,Bob\nAnn,Bob\n")
    assert found.kept == 3
    assert any("1 row is the same as a row before it" in note and "a.csv, row 4" in note for note in found.notes)


def test_a_log_that_stands_in_itself_twice_is_counted_once() -> None:
    evening = "".join(f"Ann,Bob,{result}\n" for result in ("1-0", "1-0", "0-1", "1-0", "0-1"))
    found = reading("white,black,result\n" + evening * 2)
    assert (found.kept, [problem.row for problem in found.problems]) == (5, [7, 8, 9, 10, 11])


def test_a_copied_log_counts_once() -> None:
    log = HEADER + ROW + ROW + "2024-01-01,Ann,Bob,0-1\n"
    alone, both = reading(log), reading(log, log)
    assert both.kept == alone.kept == 3
    assert [(problem.source, problem.row) for problem in both.problems] == [("b.csv", 2), ("b.csv", 3), ("b.csv", 4)]
    assert "b.csv, rows 2-4" in both.notes[0]


def test_exports_that_overlap_count_their_common_games_once() -> None:
    rows = [f"2024-01-{day:02},Ann,Bob,{day % 2}-{1 - day % 2}\n" for day in range(1, 10)]
    found = reading(HEADER + "".join(rows[:6]), HEADER + "".join(rows[3:]))
    assert (found.read, found.kept) == (12, 9)
    assert [(problem.source, problem.row) for problem in found.problems] == [("b.csv", 2), ("b.csv", 3), ("b.csv", 4)]


def test_two_equal_games_of_one_export_are_two_beside_another_export() -> None:
    evening = ROW + "2024-01-01,Ann,Bob,0-1\n" + ROW
    found = reading(HEADER + evening, HEADER + evening + "2024-01-02,Ann,Bob,1-0\n")
    assert (found.read, found.kept) == (7, 4)


def test_exports_that_number_their_rows_overlap_all_the_same() -> None:
    first = "nr,date,white,black,result\n1,2024-01-01,Ann,Bob,1-0\n2,2024-01-02,Ann,Bob,1-0\n"
    second = "nr,date,white,black,result\n1,2024-01-02,Ann,Bob,1-0\n2,2024-01-03,Ann,Bob,1-0\n"
    assert reading(first, second).kept == 3


def test_a_pgn_file_and_a_table_of_the_same_games_overlap() -> None:
    pgn = '[Date "2024.01.01"]\n[White "Ann"]\n[Black "Bob"]\n[Round "1"]\n[Result "1-0"]\n\n1. e4 e5 1-0\n'
    found = reading(pgn, HEADER + ROW + "2024-01-01,Cid,Dan,1-0\n")
    assert (found.kept, str(found.problems[0])) == (2, "b.csv, row 2: the same game as in a.csv, row 1: counted once")


def test_games_of_two_logs_that_differ_are_named() -> None:
    header = "date,white,black,result,event\n"
    found = reading(header + "2024-01-01,Ann,Bob,1-0,Cup\n", header + "2024-01-01,Ann,Bob,1-0,The Cup\n")
    assert found.kept == 2
    assert "differ, as in event of a.csv, row 2 and b.csv, row 2" in found.notes[0]


def test_seasons_without_days_in_two_logs_are_all_counted() -> None:
    found = reading("winner,loser\nAnn,Bob\nCid,Bob\n", "winner,loser\nAnn,Bob\nBob,Cid\n")
    assert found.kept == 4
    assert any("b.csv, row 2" in note for note in found.notes)


# Contradictions


def test_two_results_of_the_same_players_on_one_day_are_named_and_kept() -> None:
    found = reading(HEADER + ROW + "2024-01-02,Ann,Bob,1-0\n2024-01-01,Ann,Bob,0-1\n")
    assert found.kept == 3
    assert found.notes == [
        "the same two players have different results on one day: a.csv, row 2 (1-0) and a.csv, row 4 (0-1); each was "
        "counted: correct the log if they are one game"
    ]


def test_two_results_in_two_logs_are_named_too() -> None:
    found = reading(HEADER + ROW, HEADER + "2024-01-01,Ann,Bob,1/2-1/2\n", keep_duplicates=True)
    assert "a.csv, row 2 (1-0) and b.csv, row 2 (1/2-1/2)" in found.notes[0]


def test_other_colours_or_rounds_are_no_contradiction() -> None:
    assert reading(HEADER + ROW + "2024-01-01,Bob,Ann,1-0\n").notes == []
    header = "date,round,white,black,result\n"
    assert reading(header + "2024-01-01,1,Ann,Bob,1-0\n2024-01-01,2,Ann,Bob,0-1\n").notes == []


def test_two_results_of_one_numbered_game_keep_both_rows_out() -> None:
    header = "game_id,date,white,black,result\n"
    found = reading(header + "g7,2024-01-01,Ann,Bob,1-0\n", header + "g7,2024-01-01,Ann,Bob,0-1\n")
    assert (found.kept, found.rejected) == (0, 2)
    assert str(found.problems[0]) == (
        "a.csv, row 2: the same game as in b.csv, row 2, which says 0-1 where this row says 1-0: correct one of them"
    )
    assert "b.csv, row 2" in found.notes[0]


def test_the_maps_of_one_match_share_its_number_and_are_games() -> None:
    found = reading("id,date,white,black,result,map\n" + "".join(f"7,2024-01-01,A,B,{r}\n" for r in ("1-0,x", "0-1,y")))
    assert found.kept == 2


def test_a_link_of_a_server_is_one_game_in_a_table_and_a_pgn_file() -> None:
    pgn = (
        '[Site "https://lichess.org/abcdefgh"]\n[UTCDate "2024.01.01"]\n[White "Ann"]\n[Black "Bob"]\n'
        '[Result "1-0"]\n\n1. e4 e5 1-0\n'
    )
    found = reading(pgn, "date,white,black,result,url\n2024-01-02,ann,bob,1-0,https://lichess.org/abcdefgh/black\n")
    assert (found.kept, found.problems[0].reason) == (1, "the same game as in a.csv, row 1: counted once")


# PGN, TRF, fixtures, commands


def test_two_equal_pgn_games_with_other_moves_are_two() -> None:
    tags = '[Date "2024.01.01"]\n[White "Ann"]\n[Black "Bob"]\n[Result "1-0"]\n\n'
    assert reading(f"{tags}1. e4 e5 1-0\n\n{tags}1. d4 d5 1-0\n").kept == 2
    assert reading(f"{tags}1. e4 e5 1-0\n\n{tags}1. e4 {{ best }} e5 1-0\n").kept == 1


def test_a_report_read_twice_counts_once() -> None:
    report = next((DATA / "trf").glob("*.trf*"))
    alone = read([report])
    both = read([report, Named(report.read_text(encoding="utf-8"), "copy.trf")])
    assert both.kept == alone.kept > 0


def test_a_fixture_in_two_lists_is_played_once() -> None:
    lists = [Named("date,home,away,result\n2026-05-08,Bob,Ann,\n", name) for name in ("a.csv", "b.csv")]
    assert read_fixtures(lists).kept == 1


COMMANDS = {
    "replay": ("replay", "log.csv", "--json"),
    "explain": ("explain", "Ann", "log.csv", "--json"),
    "simulate": ("simulate", "log.csv", "--round-robin", "--runs", "10", "--json"),
    "compare": ("replay", "log.csv", "--compare", "elo,glicko2", "--burn-in", "0", "--json"),
    "import": ("import", "log.csv", "-o", "book.xlsx", "--dry-run", "--json"),
    "diff": ("diff", "log.csv", "once.csv"),
    "event": ("event", "1500", "rated.csv", "--player", "Ann", "--json"),
}


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_that_reads_logs_keeps_duplicates_when_asked(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("log.csv").write_text(HEADER + ROW + ROW, encoding="utf-8")
    Path("once.csv").write_text(HEADER + ROW, encoding="utf-8")
    rated = "date,white,black,result,blackelo\n2024-01-01,Ann,Bob,1-0,1600\n2024-01-01,Ann,Bob,1-0,1600\n"
    Path("rated.csv").write_text(rated, encoding="utf-8")
    once, twice = (CliRunner().invoke(cli, [*COMMANDS[command], *more]) for more in ((), ("--keep-duplicates",)))
    assert once.exit_code == twice.exit_code - (command == "diff") == 0
    assert "counted once" in once.output
    assert twice.output != once.output
    assert "counted once" not in twice.output


COLUMNS: dict[str, list[str]] = {
    "date": ["2024-01-01", "2024-01-02", "2024-01-03", ""],
    "white": ["Ann", "Bob", "ann", "Zoë"],
    "black": ["Bob", "Ann", "Cid", "zoë"],
    "result": ["1-0", "0-1", "1/2-1/2"],
    "time": ["18:30", "19:00", ""],
    "round": ["1", "2", ""],
    "event": ["Cup", "cup", "League"],
    "link": ["https://lichess.org/abcd1234", "77", "", ""],
    "notes": ["x", "y", ""],
    "nr": ["1", "2", "3"],
    "whiteelo": ["1500", "", "1600"],
    "neutral": ["y", "n", ""],
}


def some_logs(chance: random.Random) -> list[str]:
    often = chance.random()
    columns = [name for at, name in enumerate(COLUMNS) if at < 4 or chance.random() < 0.25]
    texts: list[str] = []
    for _ in range(chance.choice([1, 1, 2, 3])):
        pick = {name: values if chance.random() < often else values[:2] for name, values in COLUMNS.items()}
        rows = [",".join(chance.choice(pick[name]) for name in columns) for _ in range(chance.randrange(2, 40))]
        rows *= 1 + (chance.random() < 0.1)
        copied = texts and chance.random() < 0.3
        texts.append(texts[-1] if copied else "\n".join([",".join(columns), *rows, ""]))
    return texts


def opposed(again: Again) -> list[tuple[int, int]]:
    """Find the contradictions row by row."""
    again._open[:] = True
    rows = [row for row in again.told() if row.day is not None]
    found = {}
    for one, two in combinations(rows, 2):
        tells = [
            {name: value for name, value in row.tells.items() if name not in {*RESULT, "notes", "nr"}}
            for row in (one, two)
        ]
        game = [(row.day, row.white, row.black) for row in (one, two)]
        differ = any(tells[0][name] != tells[1][name] for name in tells[0].keys() & tells[1].keys())
        if game[0] == game[1] and one.score != two.score and not differ:
            found.setdefault(game[0], (one.row, two.row))
    order = {game: at for at, game in reversed([*enumerate((row.day, row.white, row.black) for row in rows)])}
    return [found[game] for game in sorted(found, key=order.__getitem__)]


@pytest.mark.parametrize("seed", range(LOGS))
def test_rows_are_judged_together_as_one_by_one(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = some_logs(random.Random(seed))
    found = reading(*texts)
    with monkeypatch.context() as patched:
        patched.setattr(Again, "_may_be_one_game", lambda rows: np.ones(len(rows._at), dtype=bool))
        other = reading(*texts)
    assert found.problems == other.problems
    assert found.notes == other.notes
    with monkeypatch.context() as patched:
        asked: list[bool] = []

        def compared(rows: Again, out: Any, quick: Any = Again._opposed) -> list[tuple[int, int]]:
            pairs: list[tuple[int, int]] = quick(rows, out)
            asked.append(not out)
            assert out or pairs == opposed(rows)
            return pairs

        patched.setattr(Again, "_opposed", compared)
        kept_all = reading(*texts, keep_duplicates=True)
    assert asked == [True] or not kept_all.kept


TWO_ROWS = "Partida;Jugador;Rival;Resultado\n1;Ana;Luis;1\n1;Luis;Ana;0\n2;Ana;Eva;0,5\n2;Eva;Ana;0,5\n"


def test_two_rows_a_game_are_one_game() -> None:
    found = read([TWO_ROWS.encode()])
    assert found.games[["white", "black", "score"]].to_numpy().tolist() == [["Ana", "Luis", 1.0], ["Ana", "Eva", 0.5]]
    assert [problem.reason for problem in found.problems] == [
        f"the game of row {row}, told from the other side: counted once" for row in (2, 4)
    ]
    assert any("from the other player's side" in note and "--keep-duplicates" in note for note in found.notes)
    assert found.read == 4
    assert read([TWO_ROWS.encode()], keep_duplicates=True).kept == 4


def test_a_return_game_that_the_other_side_won_is_a_game_of_its_own() -> None:
    log = "date,player,opponent,result\n2026-01-05,Ann,Bob,1\n2026-01-06,Bob,Ann,1\n2026-01-07,Bob,Ann,0\n"
    assert read([log.encode()]).kept == 3
    sides = "date,white,black,result\n2026-01-05,Ann,Bob,1-0\n2026-01-05,Bob,Ann,0-1\n"
    assert read([sides.encode()]).kept == 2


def test_a_row_that_differs_in_what_is_no_part_of_a_game_is_named_and_counted() -> None:
    log = "Round,Home,Away,HG,AG,HomeElo,AwayElo\n1,A,B,2,1,1500,1500\n1,A,B,2,1,1510,1490\n1,C,D,0,0,1500,1500\n"
    found = read([log.encode()])
    assert found.kept == 3
    assert any("1 row has the day or round" in note and "black rating, white rating" in note for note in found.notes)
