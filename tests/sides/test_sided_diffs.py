"""Two books or logs of games of sides compared: which games differ, and what each difference moved."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner
from workbook_cases import type_into

from elo_sheets.cli import cli
from elo_sheets.errors import UsageError
from elo_sheets.uses.differing import diff
from elo_sheets.uses.differing.changes import Differences
from elo_sheets.uses.exporting import replay_logs
from elo_sheets.uses.importing import import_logs

DOUBLES = [
    "2026-01-05,Player 1,Player 2,Player 3,Player 4,10,7",
    "2026-01-06,Player 1,Player 3,Player 2,Player 4,10,3",
    "2026-01-20,Player 1,Player 4,Player 2,Player 3,8,10",
    "2026-01-21,Player 5,Player 4,Player 2,Player 1,8,10",
]
TURNED = "2026-01-06,Player 4,Player 2,Player 3,Player 1,3,10"


def log(rows: Sequence[str], path: Path, header: str = "Date,A1,A2,B1,B2,A points,B points") -> Path:
    path.write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    return path


def ratings(path: Path, **asked: object) -> dict[str, float]:
    found = replay_logs(path, **asked).ratings  # type: ignore[arg-type]
    return dict(zip(found["player"], found["rating"], strict=True))


def sums(found: Differences) -> None:
    """The parts of every player add up to what he moved by."""
    for one in found.players:
        if one.change is not None:
            assert math.fsum(part.change for part in one.because) == pytest.approx(one.change, abs=1e-9)


def test_the_order_of_sides_and_partners_is_no_difference(tmp_path: Path) -> None:
    a = log(DOUBLES, tmp_path / "a.csv")
    b = log([DOUBLES[0], TURNED, *DOUBLES[2:]], tmp_path / "b.csv")
    found = diff(a, b)
    assert (found.same, found.unchanged) == (True, 4)


def test_a_corrected_a_new_and_a_lost_game_are_told_with_what_they_moved(tmp_path: Path) -> None:
    corrected = "2026-01-05,Player 4,Player 3,Player 1,Player 2,10,7"
    new = "2026-01-07,Player 5,Player 6,Player 1,Player 2,10,2"
    a = log(DOUBLES, tmp_path / "a.csv")
    b = log([corrected, DOUBLES[1], new, DOUBLES[2]], tmp_path / "b.csv")
    found = diff(a, b)
    assert [(change.kind, change.fields) for change in found.games] == [
        ("changed", ("result",)),
        ("added", ()),
        ("removed", ()),
    ]
    assert str(found.games[0]) == "changed 2026-01-05 Player 1 / Player 2 – Player 3 / Player 4 1-0: result 1-0 → 0-1"
    before, after = ratings(a), ratings(b)
    moved = {one.name: one.change for one in found.players}
    for name in before.keys() & after.keys():
        assert moved.get(name, 0.0) == pytest.approx(after[name] - before[name], abs=1e-9)
    assert moved["Player 6"] == pytest.approx(after["Player 6"] - 1500)
    sums(found)


def test_two_games_of_one_day_with_other_partners_are_two(tmp_path: Path) -> None:
    other = "2026-01-05,Player 1,Player 3,Player 2,Player 4,10,7"
    found = diff(log(DOUBLES, tmp_path / "a.csv"), log([*DOUBLES, other], tmp_path / "b.csv"))
    assert [change.kind for change in found.games] == ["added"]


def test_a_book_is_compared_by_what_is_typed_into_it(tmp_path: Path) -> None:
    a = log(DOUBLES, tmp_path / "a.csv")
    book, typed = tmp_path / "book.xlsx", tmp_path / "typed.xlsx"
    import_logs(a, book, settings={"k": 32, "side_rule": "strongest"}, start={"Player 4": {"rating": 1700.0}})
    assert diff(a, book).same
    type_into(book, typed, {"Games": {"G5": 7.0, "H5": 10.0}, "Settings": {}})
    found = diff(book, typed)
    assert [change.fields for change in found.games] == [("result",)]
    asked = {"settings": {"k": 32, "side_rule": "strongest"}, "start": {"Player 4": {"rating": 1700.0}}}
    first = "2026-01-05,Player 1,Player 2,Player 3,Player 4,7,10"
    before, after = ratings(a, **asked), ratings(log([first, *DOUBLES[1:]], tmp_path / "c.csv"), **asked)
    assert {one.name: one.after for one in found.players} == pytest.approx(
        {name: after[name] for name in after if abs(after[name] - before[name]) > 1e-9}
    )
    assert ratings(book, as_book=True) == pytest.approx(before, abs=1e-9)
    sums(found)


def test_tables_are_compared_by_places(tmp_path: Path) -> None:
    a = log(["2026-01-05,Player 1,Player 2,Player 3"], tmp_path / "a.csv", "Date,1st,2nd,3rd")
    b = log(["2026-01-05,Player 1,Player 3,Player 2"], tmp_path / "b.csv", "Date,1st,2nd,3rd")
    found = diff(a, b)
    assert str(found.games[0]).endswith("places 1, 2, 3: places 1, 2, 3 → 1, 3, 2")
    assert {one.name for one in found.players} == {"Player 2", "Player 3"}


def test_settings_of_sides_are_compared_too(tmp_path: Path) -> None:
    a = log(DOUBLES, tmp_path / "a.csv")
    for name, rule in (("mean.xlsx", "mean"), ("sum.xlsx", "sum")):
        import_logs(a, tmp_path / name, settings={"side_rule": rule})
    found = diff(tmp_path / "mean.xlsx", tmp_path / "sum.xlsx")
    assert [(one.name, one.before, one.after) for one in found.settings] == [("side_rule", "mean", "sum")]
    assert diff(a, a, settings={"side_rule": "sum"}).same
    sums(found)


def test_games_of_two_and_games_of_sides_are_not_compared(tmp_path: Path) -> None:
    a = log(DOUBLES, tmp_path / "a.csv")
    plain = log(["Player 1,Player 2,1-0"], tmp_path / "plain.csv", "White,Black,Result")
    for pair in ((a, plain), (plain, a)):
        with pytest.raises(UsageError, match=r"plain\.csv games of two players each"):
            diff(*pair)


def test_the_command_tells_it_in_words_and_in_json(tmp_path: Path) -> None:
    a, b = log(DOUBLES, tmp_path / "a.csv"), log(DOUBLES[:3], tmp_path / "b.csv")
    done = CliRunner().invoke(cli, ["diff", str(a), str(b)])
    assert done.exit_code == 1
    assert "removed 2026-01-21 Player 1 / Player 2 – Player 4 / Player 5 1-0" in done.output
    told = json.loads(CliRunner().invoke(cli, ["diff", str(a), str(b), "--json"]).stdout)
    assert (told["same"], told["games"]["unchanged"]) == (False, 3)
    assert told["games"]["removed"][0]["white"] == "Player 1 / Player 2"
