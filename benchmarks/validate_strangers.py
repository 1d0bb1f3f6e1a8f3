"""How long `validate` takes for strangers' books of 16,000 and 50,000 formulas, against LibreOffice recalculating them.

python benchmarks/validate_strangers.py [FORMULAS ...]
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
import time
from pathlib import Path

import xlsxwriter

from elo_sheets.recalculate import ENGINES, recalculate
from elo_sheets.validate import validate

PLAYERS, K, START = 10, 24, 1500
PER_GAME = 4 + PLAYERS  # two look-ups, the expectation, the change, and one cell a player


def write_season(path: Path, formulas: int) -> int:
    """Write a ledger with a matrix of ratings, one column a player, each row a game; return its count of formulas."""
    rng = random.Random(1)
    games = formulas // PER_GAME
    names = [f"Player {i + 1}" for i in range(PLAYERS)]
    ratings = {name: float(START) for name in names}
    with xlsxwriter.Workbook(str(path)) as book:
        sheet = book.add_worksheet("Season")
        sheet.write_row("A1", ["K", K])
        sheet.write_row("A3", ["Game", "White", "Black", "Result", "R white", "R black", "Expected", "Change", *names])
        sheet.write_row("I4", [START] * PLAYERS)
        head, last = "$I$3:$R$3", "R"
        for i in range(games):
            row = 5 + i
            white, black = rng.sample(names, 2)
            score = rng.choice((1, 0.5, 0))
            sheet.write_row(f"A{row}", [i + 1, white, black, score])
            expected = 1 / (1 + 10 ** ((ratings[black] - ratings[white]) / 400))
            line = f"$I{row - 1}:${last}{row - 1}"
            sheet.write_formula(f"E{row}", f"=INDEX({line},MATCH(B{row},{head},0))", None, ratings[white])
            sheet.write_formula(f"F{row}", f"=INDEX({line},MATCH(C{row},{head},0))", None, ratings[black])
            sheet.write_formula(f"G{row}", f"=1/(1+10^((F{row}-E{row})/400))", None, expected)
            change = K * (score - expected)
            sheet.write_formula(f"H{row}", f"=$B$1*(D{row}-G{row})", None, change)
            ratings[white] += change
            ratings[black] -= change
            for j, name in enumerate(names):
                letter = chr(ord("I") + j)
                sheet.write_formula(
                    f"{letter}{row}",
                    f"={letter}{row - 1}+IF($B{row}={letter}$3,$H{row},0)-IF($C{row}={letter}$3,$H{row},0)",
                    None,
                    ratings[name],
                )
    return games * PER_GAME


def measure(formulas: int) -> dict[str, object]:
    """Return the figures for one size."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "season.xlsx"
        written = write_season(path, formulas)
        began = time.perf_counter()
        verdict = validate(path)
        ours = time.perf_counter() - began
        result: dict[str, object] = {
            "formulas": written,
            "layout": verdict.layout,
            "status": verdict.status,
            "games": verdict.games.listed,
            "validate_seconds": round(ours, 2),
        }
        if ENGINES["libreoffice"].available():
            began = time.perf_counter()
            recalculate(path, "libreoffice", timeout=600)
            office = time.perf_counter() - began
            result |= {"libreoffice_seconds": round(office, 2), "ratio": round(ours / office, 2)}
    return result


def main() -> None:
    for formulas in [int(text) for text in sys.argv[1:]] or [16_000, 50_000]:
        print(json.dumps(measure(formulas)))


if __name__ == "__main__":
    main()
