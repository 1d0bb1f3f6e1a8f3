"""Two seasons of the Premier League against the ratings that eloify prints in its README (GPL-3).

The data may not be copied here. To run this check set ELO_SHEETS_DATA to a folder with `football/` in it:
`eloify_premier-season-1718.csv`, `eloify_premier-season-1819.csv` (that program's test data, no header) and
`eloify_expected_k40_start1000.csv`, the 23 ratings of its README.
"""

from __future__ import annotations

import csv
import os
from pathlib import Path

import pytest

from elo_sheets.uses.exporting import replay_logs

pytestmark = pytest.mark.skipif("ELO_SHEETS_DATA" not in os.environ, reason="documented check: set ELO_SHEETS_DATA")


def test_23_of_23_ratings_are_those_of_eloify() -> None:
    folder = Path(os.environ["ELO_SHEETS_DATA"]) / "football"
    logs = [folder / f"eloify_premier-season-{season}.csv" for season in ("1718", "1819")]
    done = replay_logs(logs, settings={"k": 40, "initial": 1000})
    assert (done.log.read, done.log.kept) == (760, 760)
    got = {row["player"]: round(row["rating"]) for row in done.replayed.ratings.to_dict("records")}
    with (folder / "eloify_expected_k40_start1000.csv").open(encoding="utf-8", newline="") as file:
        expected = {row["team"]: int(row["rating_rounded"]) for row in csv.DictReader(file)}
    assert len(expected) == 23
    assert got == expected
