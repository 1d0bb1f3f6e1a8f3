"""How long `validate` takes for a journal of 10,000 games, against LibreOffice recalculating the same file in one run.

python benchmarks/validate_journal.py [GAMES]
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
import time
from pathlib import Path

from elo_sheets.engines.recalculate import ENGINES, recalculate
from elo_sheets.games import make_games
from elo_sheets.systems import system
from elo_sheets.validate import validate
from elo_sheets.workbook.build import filled_book, plan_book
from elo_sheets.workbook.write import write_book


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    rng = random.Random(1)
    games = make_games(
        {
            "date": f"{2000 + i // 1000}-{1 + i // 90 % 12:02d}-{1 + i % 28:02d}",
            "white": "Player 1",
            "black": f"Player {rng.randint(2, 300)}",
            "score": rng.choice((1, 0.5, 0)),
            "black_rating": rng.randint(1300, 2100),
            "source": "made",
            "source_row": i + 1,
        }
        for i in range(count)
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "journal.xlsx"
        write_book(plan_book(filled_book("journal", system("elo"), {}, games, "Player 1")), path)
        began = time.perf_counter()
        verdict = validate(path)
        ours = time.perf_counter() - began
        result: dict[str, object] = {
            "games": count,
            "formula_cells": verdict.cells_checked,
            "status": verdict.status,
            "validate_seconds": round(ours, 2),
        }
        if ENGINES["libreoffice"].available():
            began = time.perf_counter()
            recalculate(path, "libreoffice", timeout=600)
            office = time.perf_counter() - began
            result |= {"libreoffice_seconds": round(office, 2), "ratio": round(ours / office, 2)}
    print(json.dumps(result))


if __name__ == "__main__":
    main()
