"""The season of an office: 300 doubles with changing partners in a book, typed on, by every engine and the core."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_sided_books import Sheets, doubles, log_of, rated_here
from workbook_cases import serial, type_into

from elo_sheets.uses.importing import import_logs
from elo_sheets.validate import validate

pytestmark = [pytest.mark.slow]


@pytest.fixture(scope="module")
def season(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A book of 300 doubles that are worth a season, with room to type on."""
    folder = tmp_path_factory.mktemp("office")
    import_logs(log_of(doubles(300, 20), folder / "log.csv"), folder / "office.xlsx")
    return folder / "office.xlsx"


@pytest.mark.parametrize("engine", ["ironcalc", pytest.param("libreoffice", marks=pytest.mark.libreoffice)])
def test_every_cell_of_300_doubles_is_the_cores(season: Path, engine: str) -> None:
    verdict = validate(season, engine=engine, tolerance=1e-9, timeout=600)
    assert (verdict.status, verdict.games.rated) == ("agrees", 300), verdict.findings
    assert verdict.cells_checked > 40_000


@pytest.mark.libreoffice  # which gives up long chains of cells; what is typed on reaches test_sided_books.py by both
def test_what_is_typed_on_after_300_doubles_is_rated(season: Path, tmp_path: Path) -> None:
    more = doubles(3, 21)
    cells: dict[str, object] = {}
    for row, (who, own, other) in enumerate(more, 305):
        told = [serial("2025-12-01"), *who, float(own), float(other)]
        cells |= {f"{letter}{row}": value for letter, value in zip("BCDEFGH", told, strict=True)}
    book = type_into(season, tmp_path / "typed.xlsx", {"Games": cells})
    found = Sheets(book, "libreoffice").by_name("Standings", "Player", "Rating")
    assert found == pytest.approx(rated_here([*doubles(300, 20), *more]), abs=1e-9)
