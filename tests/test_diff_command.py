"""`elo-sheets diff` as a user runs it: whole outputs and exit codes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import openpyxl
import pytest
import warm
from warm import Ran

from elo_sheets.uses.importing import import_logs

OLD = """\
date,white,black,result
2026-01-05,Ann,Bob,1-0
2026-01-06,Cid,Dan,1/2-1/2
2026-01-07,Eve,Fay,1-0
2026-01-08,Gil,Hal,1-0
2026-01-09,Ida,Jon,later
"""
NEW = """\
date,white,black,result
2026-01-05,Ann,Bob,0-1
2026-01-06,Cid,Dan,1/2-1/2
2026-01-08,Gill,Hal,1-0
2026-01-12,Kim,Leo,1-0
"""
# Every game is between players at 1500, so a win is ten points at K 20.
TEXT = """\
A: old.csv (log, 4 rated games, system elo)
B: new.csv (log, 4 rated games, system elo)

Games: 1 unchanged, 1 added, 1 removed, 2 changed
  changed 2026-01-05 Ann – Bob 1-0: result 1-0 → 0-1   [old.csv, row 2 → new.csv, row 2]
  removed 2026-01-07 Eve – Fay 1-0   [old.csv, row 4]
  changed 2026-01-08 Gil – Hal 1-0: white Gil → Gill   [old.csv, row 5 → new.csv, row 4]
  added 2026-01-12 Kim – Leo 1-0   [new.csv, row 5]

Ratings: 8 players moved
  player       A       B  change  because of
  Ann     1510.0  1490.0   -20.0
                           -20.0  changed 2026-01-05 Ann – Bob 1-0: result 1-0 → 0-1
  Bob     1490.0  1510.0   +20.0
                           +20.0  changed 2026-01-05 Ann – Bob 1-0: result 1-0 → 0-1
  Eve     1510.0       –   -10.0
                           -10.0  removed 2026-01-07 Eve – Fay 1-0
  Fay     1490.0       –   +10.0
                           +10.0  removed 2026-01-07 Eve – Fay 1-0
  Gil     1510.0       –   -10.0
                           -10.0  changed 2026-01-08 Gil – Hal 1-0: white Gil → Gill
  Gill         –  1510.0   +10.0
                           +10.0  changed 2026-01-08 Gil – Hal 1-0: white Gil → Gill
  Kim          –  1510.0   +10.0
                           +10.0  added 2026-01-12 Kim – Leo 1-0
  Leo          –  1490.0   -10.0
                           -10.0  added 2026-01-12 Kim – Leo 1-0
"""
LEFT_OUT = """\
left out: old.csv, row 6, result 'later': expected a result such as 1-0, 0-1, 1/2-1/2 or 4-3
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "old.csv").write_text(OLD, encoding="utf-8")
    (tmp_path / "new.csv").write_text(NEW, encoding="utf-8")
    return tmp_path


def run(folder: Path, *arguments: str, stdin: str = "") -> Ran:
    return warm.run(folder, "diff", *arguments, stdin=stdin)


def document(folder: Path, *arguments: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run(folder, *arguments, "--json").out)
    return found


def test_two_logs_that_differ_are_told_apart_with_exit_code_1(folder: Path) -> None:
    assert run(folder, "old.csv", "new.csv") == Ran(1, TEXT, LEFT_OUT)


def test_two_logs_that_do_not_differ_have_exit_code_0(folder: Path) -> None:
    done = run(folder, "new.csv", "new.csv")
    assert (done.code, done.err) == (0, "")
    assert done.out == (
        "A: new.csv (log, 4 rated games, system elo)\n"
        "B: new.csv (log, 4 rated games, system elo)\n"
        "the same games and the same ratings\n"
    )


def test_one_log_may_come_from_the_standard_input(folder: Path) -> None:
    assert run(folder, "new.csv", "-", stdin=NEW).code == 0


def test_both_from_the_standard_input_are_refused(folder: Path) -> None:
    assert run(folder, "-", "-") == Ran(2, "", "elo-sheets: only one of the two can be the standard input\n")


def test_the_json_document_has_the_documented_keys(folder: Path) -> None:
    found = document(folder, "old.csv", "new.csv")
    assert list(found) == ["schema", "same", "a", "b", "settings", "start", "games", "players"]
    assert (found["schema"], found["same"], found["settings"], found["start"]) == (1, False, [], [])
    assert list(found["a"]) == [
        *("file", "kind", "player", "system", "settings", "read", "kept", "rejected", "problems", "notes"),
    ]
    assert (found["a"]["read"], found["a"]["kept"], found["a"]["rejected"]) == (5, 4, 1)
    assert found["games"]["unchanged"] == 1
    assert found["games"]["added"] == [
        {
            "game": 4,
            "date": "2026-01-12",
            "white": "Kim",
            "black": "Leo",
            "result": "1-0",
            "source": "new.csv",
            "row": 5,
        }
    ]
    assert [game["white"] for game in found["games"]["removed"]] == ["Eve"]
    assert [change["fields"] for change in found["games"]["changed"]] == [["result"], ["white"]]
    assert found["games"]["changed"][0]["before"]["result"] == "1-0"
    assert found["games"]["changed"][0]["after"]["result"] == "0-1"


def test_each_player_in_the_json_document_has_the_games_that_moved_him(folder: Path) -> None:
    players = {one["name"]: one for one in document(folder, "old.csv", "new.csv")["players"]}
    assert players["Gill"] == {
        "name": "Gill",
        "before": None,
        "after": 1510.0,
        "change": 10.0,
        "because": [
            {
                "cause": "changed",
                "text": "changed 2026-01-08 Gil – Hal 1-0: white Gil → Gill",
                "change": 10.0,
                "games": [{"list": "changed", "index": 1}],
            }
        ],
    }
    assert "Cid" not in players
    assert "Hal" not in players


def test_settings_of_two_logs_are_used_for_both(folder: Path) -> None:
    players = document(folder, "old.csv", "new.csv", "--set", "k=32", "--set", "initial=1000")["players"]
    assert {one["name"]: (one["before"], one["after"]) for one in players}["Ann"] == (1016.0, 984.0)


def test_settings_that_differ_are_printed_before_the_games(folder: Path) -> None:
    import_logs([folder / "new.csv"], folder / "a.xlsx")
    import_logs([folder / "new.csv"], folder / "b.xlsx", settings={"k": 40})
    done = run(folder, "a.xlsx", "b.xlsx")
    assert done.code == 1
    assert done.out.startswith(
        "A: a.xlsx (league, 4 rated games, system elo)\n"
        "B: b.xlsx (league, 4 rated games, system elo)\n"
        "\n"
        "Settings that differ:\n"
        "      A   B\n"
        "  k  20  40\n"
        "\n"
        "Games: 4 unchanged, 0 added, 0 removed, 0 changed\n"
        "\n"
        "Ratings: 6 players moved\n"
        "  player       A       B  change  because of\n"
        "  Ann     1490.0  1480.0   -10.0\n"
        "                           -10.0  settings: k 20 → 40\n"
    )


def test_a_book_and_the_log_that_it_was_made_from_are_the_same(folder: Path) -> None:
    import_logs([folder / "new.csv"], folder / "new.xlsx", settings={"k": 40})
    assert run(folder, "new.xlsx", "new.csv").code == 0


def test_how_a_log_is_read_can_be_said(folder: Path) -> None:
    (folder / "other.csv").write_text(
        "When;First;Second;What\n05/01/2026;Ann;Bob;0-1\n06/01/2026;Cid;Dan;1/2-1/2\n"
        "08/01/2026;Gill;Hal;1-0\n12/01/2026;Kim;Leo;1-0\n",
        encoding="utf-8",
    )
    import_logs([folder / "new.csv"], folder / "new.xlsx")
    how = ["--map", "date=When,white=First,black=Second,score=What", "--dates", "dmy"]
    assert run(folder, "new.xlsx", "other.csv", *how) == Ran(
        0,
        "A: new.xlsx (league, 4 rated games, system elo)\n"
        "B: other.csv (log, 4 rated games, system elo)\n"
        "the same games and the same ratings\n",
        "",
    )


def test_a_setting_beside_a_book_is_wrong_usage(folder: Path) -> None:
    import_logs([folder / "new.csv"], folder / "new.xlsx")
    done = run(folder, "new.xlsx", "new.csv", "--set", "k=40")
    assert (done.code, done.out) == (2, "")
    assert "the system and settings are the book's" in done.err


def test_a_missing_file_cannot_be_read(folder: Path) -> None:
    done = run(folder, "old.csv", "nev.csv")
    assert (done.code, done.out) == (3, "")
    assert "did you mean 'new.csv'" in done.err


def test_a_damaged_workbook_cannot_be_read(folder: Path) -> None:
    (folder / "book.xlsx").write_bytes(b"PK\x03\x04 and no more")
    assert run(folder, "book.xlsx", "new.csv").code == 3


def test_a_workbook_of_a_stranger_is_a_log(folder: Path) -> None:
    openpyxl.Workbook().save(folder / "book.xlsx")
    done = run(folder, "book.xlsx", "new.csv")
    assert (done.code, done.out) == (3, "")
    assert "expected a sheet with columns for two sides and the result, got none (book.xlsx" in done.err


def test_an_unknown_player_is_named_with_those_that_come_close(folder: Path) -> None:
    done = run(folder, "old.csv", "new.csv", "--player", "Anne")
    assert done.code == 2
    assert "did you mean Ann or Dan?" in done.err


def test_the_help_shows_examples(folder: Path) -> None:
    done = run(folder, "--help")
    assert done.code == 0
    assert "elo-sheets diff club-2025.xlsx club-2026.xlsx" in done.out
