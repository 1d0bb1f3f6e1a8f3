"""Names that could become formulas, in logs and books of doubles and of tables of many, and in what is said of them."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from test_injection import BEGINNINGS, CODES, NUMBER, assert_harmless, formulas, run, tamed, texts
from test_injection import NAMES as ALL

from elo_sheets.uses.importing import import_logs
from elo_sheets.validate import validate

# Where several names may stand in a cell these part them, so that no name of a player holds one.
PARTING = re.compile(r"[/&+;|]")
MORE = ["=1-1", "-1-1", "＋2", "－2-2", "=HYPERLINK(A5)", "=WEBSERVICE(A5)", "{=1-1}", "_x003D_1-1", "A5", "TRUE", "#N"]
NAMES = [name for name in [*ALL, *MORE] if not PARTING.search(name)]
PRINTED = [*NAMES, *(code for code in CODES if not PARTING.search(code))]
SEATS = ["A1", "A2", "B1", "B2"]
PLACES = ["1st", "2nd", "3rd"]


def doubles(names: list[str]) -> list[list[str]]:
    rows = [["date", *SEATS, "result"]]
    for game in range(len(names)):
        who = [names[(game + seat * (seat + 1) // 2) % len(names)] for seat in range(4)]
        rows.append([f"2026-{1 + game // 28:02}-{1 + game % 28:02}", *who, ("10-7", "3-10")[game % 2]])
    return rows


def tables(names: list[str]) -> list[list[str]]:
    rows = [["date", *PLACES]]
    for game in range(len(names)):
        who = [names[(game + seat) % len(names)] for seat in range(3)]
        rows.append([f"2026-{1 + game // 28:02}-{1 + game % 28:02}", *who])
    return rows


def teams(names: list[str]) -> list[list[str]]:
    """All in one row for each player and game."""
    rows = [["date", "game", "player", "place"]]
    for game, (day, *who) in enumerate(tables(names)[1:], 1):
        rows += [[day, str(game), name, str(place)] for place, name in enumerate(who, 1)]
    return rows


LOGS: dict[str, Callable[[list[str]], list[list[str]]]] = {"doubles": doubles, "table": tables, "long": teams}


def names_of(kind: str, names: list[str]) -> list[str]:
    """Those that a log of the kind can tell: a place that two share is written `Anna = Ben`."""
    return [name for name in names if kind != "table" or "=" not in name]


def log_of(kind: str, names: list[str], path: Path) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(LOGS[kind](names))
    return path


@pytest.mark.parametrize("kind", LOGS)
def test_no_name_becomes_a_formula_or_a_link_in_a_book_of_sides(kind: str, tmp_path: Path) -> None:
    books, hostile = {}, names_of(kind, NAMES)
    for who, names in (("hostile", hostile), ("tame", tamed(hostile))):
        books[who] = tmp_path / f"{who}.xlsx"
        assert import_logs([log_of(kind, names, tmp_path / f"{who}.csv")], books[who]).left_out == []
    assert_harmless(books["hostile"], books["tame"], hostile)
    assert set(hostile) <= {cell.value for _, _, cell in texts(books["hostile"])}
    assert validate(books["hostile"]).status == "agrees"


@pytest.mark.parametrize("kind", LOGS)
def test_a_history_of_sides_holds_the_names_as_texts(kind: str, tmp_path: Path) -> None:
    names, target = names_of(kind, NAMES), tmp_path / "history.csv"
    log = log_of(kind, names, tmp_path / "log.csv")
    assert run("replay", str(log), "-o", str(target)).code == 0
    fields = [field for row in csv.reader(io.StringIO(target.read_text("utf-8"))) for field in row]
    assert {name.removeprefix("'") for name in fields} >= {name.removeprefix("'") for name in names}
    assert [field for field in fields if field.startswith(BEGINNINGS) and not NUMBER.fullmatch(field)] == []
    assert run("replay", str(log), "-o", str(tmp_path / "history.xlsx")).code == 0
    assert formulas(tmp_path / "history.xlsx") == {}


@pytest.mark.parametrize("kind", LOGS)
@pytest.mark.parametrize("verb", ["replay LOG", "explain ONE LOG", "import LOG -o book.xlsx --dry-run"])
@pytest.mark.parametrize("form", ["text", "json"])
def test_no_verb_prints_of_sides_what_a_terminal_obeys(kind: str, verb: str, form: str, tmp_path: Path) -> None:
    names = names_of(kind, PRINTED)
    log = log_of(kind, names, tmp_path / "log.csv")
    words = {"LOG": str(log), "ONE": names[0], "book.xlsx": str(tmp_path / "book.xlsx")}
    done = run(*(words.get(word, word) for word in verb.split()), *(["--json"] if form == "json" else []))
    assert "Traceback" not in done.err
    assert done.code == 0, done.err
    if form == "json":
        json.loads(done.out)
