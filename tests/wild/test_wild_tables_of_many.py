"""Books of games of many that others made: sound ones agree, wrong ones are found and put right.

The layouts and mistakes are those of this suite, by hands that do not know how `validate` recognises anything.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from elo_sheets.validate import validate

from .measure import Bench


@pytest.mark.parametrize("seed", [105, 110])
def test_a_sound_table_of_many_agrees_and_wrong_cells_are_found(seed: int, tmp_path: Path) -> None:
    sound, *wrong = Bench("free-for-all", seed, tmp_path).run(1, ["one cell", "a block"])
    assert sound.status == "agrees", sound.findings
    assert [each.status for each in wrong] == ["differs", "differs"]
    assert all(each.hit for each in wrong)


@pytest.mark.skipif("ELO_SHEETS_DATA" not in os.environ, reason="documented check: set ELO_SHEETS_DATA")
def test_board_games_of_somebody_are_judged_as_a_careful_reader_did() -> None:
    folder = Path(os.environ["ELO_SHEETS_DATA"]) / "sheets"
    first = validate(folder / "board_game_first.xlsx")
    assert [(one.code, one.range) for one in first.findings if one.code == "ES101"] == [("ES101", "Sheet1!E2:E8")]
    assert first.findings[0].fix == "=8*(D2-1/(1+10^((C2-B2)/400)))"
    assert validate(folder / "board_game_corrected.xlsx").status == "agrees"


@pytest.mark.parametrize("seed", [3, 5])
def test_glickos_periods_agree_and_wrong_cells_are_found(seed: int, tmp_path: Path) -> None:
    sound, *wrong = Bench("Glicko-1", seed, tmp_path).run(1, ["one cell", "a whole column"])
    assert sound.status == "agrees", sound.reason
    assert "agrees" not in [each.status for each in wrong]
    assert any(each.hit for each in wrong)
