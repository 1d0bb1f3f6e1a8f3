"""Two states of one event compared. The changes of FIDE's rule are those of its public calculator for 1600 against 1500
at K 20: +7.2 for a win, -2.8 for a draw."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner
from workbook_cases import type_into

from elo_sheets.cli import cli
from elo_sheets.errors import UsageError
from elo_sheets.uses.differing import diff
from elo_sheets.uses.differing.records import record
from elo_sheets.uses.importing import import_logs

LOG = """round,white,black,result,white_elo,black_elo
1,Player 1,Player 2,1-0,1600,1500
1,Player 3,Player 4,1-0,1700,1700
2,Player 1,Player 3,1/2-1/2,1600,1700
2,Player 4,Player 2,0-1,1700,1500
"""


@pytest.fixture
def event(tmp_path: Path) -> Path:
    log = tmp_path / "event.csv"
    log.write_text(LOG, encoding="utf-8")
    import_logs([log], tmp_path / "a.xlsx", template="event", system="fide")
    return tmp_path / "a.xlsx"


def result_cell(path: Path, white: str, round_number: int) -> str:
    """The cell of a result on the sheet Games."""
    import openpyxl

    sheet = openpyxl.load_workbook(path)["Games"]
    header = next(row for row in sheet.iter_rows() if "White" in [cell.value for cell in row])
    columns = {cell.value: cell.column for cell in header}
    row = next(
        r
        for r in range(header[0].row + 1, sheet.max_row)
        if (sheet.cell(r, columns["White"]).value, sheet.cell(r, columns["Round"]).value) == (white, round_number)
    )
    return str(sheet.cell(row, columns["Result"]).coordinate)


def test_an_event_is_the_same_as_itself(event: Path) -> None:
    assert diff(event, event).same


def test_a_corrected_result_moves_points_and_ratings(event: Path, tmp_path: Path) -> None:
    cell = result_cell(event, "Player 1", 1)
    other = tmp_path / "b.xlsx"
    type_into(event, other, {"Games": {cell: "1/2-1/2"}})
    found = diff(event, other)
    assert [str(change) for change in found.games] == ["changed round 1 Player 1 – Player 2 1-0: result 1-0 → 1/2-1/2"]
    assert found.unchanged == 3
    assert {(one.name, one.before, one.after) for one in found.totals} == {
        ("Player 1", 1.5, 1.0),
        ("Player 2", 1.0, 1.5),
    }
    # 1600 against 1500 and 1700: +7.2 and +2.8 at K 20, or -2.8 and +2.8.
    assert {one.name: (one.before, one.after) for one in found.players}["Player 1"] == (1610.0, 1600.0)
    assert sorted(one.name for one in found.players) == ["Player 1", "Player 2"]
    told = record(found)
    assert told["games"]["changed"][0]["before"]["round"] == 1
    assert told["totals"] == [vars(one) for one in found.totals]
    done = CliRunner().invoke(cli, ["diff", str(event), str(other)])
    assert done.exit_code == 1
    assert "Points that differ:" in done.stdout
    assert "because of" not in done.stdout


def test_a_forfeit_in_the_place_of_a_game_is_told(event: Path, tmp_path: Path) -> None:
    cell = result_cell(event, "Player 3", 1)
    other = tmp_path / "b.xlsx"
    type_into(event, other, {"Games": {cell: "+/-"}})
    found = diff(event, other)
    assert [str(one) for one in found.games] == [
        "changed round 1 Player 3 – Player 4 1-0: result 1-0 → +/-, status rated → forfeit"
    ]
    assert found.totals == ()
    assert [one.name for one in found.players] == ["Player 3", "Player 4"]


def test_beside_a_log_it_says_what_to_make(event: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="make an event book of it first") as refused:
        diff(event, tmp_path / "event.csv")
    line = str(refused.value).split("(elo-sheets ")[1].split(")")[0].replace("EVENT.xlsx", str(tmp_path / "b.xlsx"))
    done = CliRunner().invoke(cli, line.split())
    assert done.exit_code == 0, done.output
    assert diff(event, tmp_path / "b.xlsx").same
    league = tmp_path / "league.xlsx"
    import_logs([tmp_path / "event.csv"], league, template="league")
    with pytest.raises(UsageError, match="another book of the template event"):
        diff(event, league)
