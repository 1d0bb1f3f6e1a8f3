"""How long `validate` takes for strangers' books of 16,000 and 50,000 formulas, against LibreOffice recalculating them.

python benchmarks/validate_strangers.py [LAYOUT ...] [FORMULAS ...]
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import xlsxwriter
from xlsxwriter.utility import xl_col_to_name, xl_rowcol_to_cell

from elo_sheets.engines.recalculate import ENGINES, recalculate
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


def write_log(path: Path, formulas: int) -> int:
    """Write one player's log: rating before, expectation, K by the count of games, change, new rating."""
    rng = random.Random(2)
    rating, games = float(START), formulas // 5
    with xlsxwriter.Workbook(str(path)) as book:
        sheet = book.add_worksheet("Log")
        sheet.write_row("A1", ["Opponent", "Result", "Before", "Expected", "K", "Change", "After"])
        for row in range(2, games + 2):
            opponent, score = rng.randint(1200, 1900), rng.choice((1, 0.5, 0))
            expected, k = 1 / (1 + 10 ** ((opponent - rating) / 400)), 40 if row <= 31 else 20
            sheet.write_row(f"A{row}", [opponent, score])
            sheet.write_formula(f"C{row}", f"=G{row - 1}" if row > 2 else f"={START}", None, rating)
            sheet.write_formula(f"D{row}", f"=1/(1+10^((A{row}-C{row})/400))", None, expected)
            sheet.write_formula(f"E{row}", "=IF(ROW()-1<=30,40,20)", None, k)
            sheet.write_formula(f"F{row}", f"=E{row}*(B{row}-D{row})", None, k * (score - expected))
            rating += k * (score - expected)
            sheet.write_formula(f"G{row}", f"=C{row}+F{row}", None, rating)
    return 5 * games


def _write_pool(path: Path, formulas: int, before: Callable[[str, int], str]) -> int:
    rng = random.Random(3)
    names = [f"Player {i + 1}" for i in range(PLAYERS)]
    ratings = {name: float(START) for name in names}
    games = formulas // 6
    with xlsxwriter.Workbook(str(path)) as book:
        sheet = book.add_worksheet("Games")
        sheet.write_row(
            "A1", ["White", "Black", "Result", "R white", "R black", "Expected", "Change", "White", "Black"]
        )
        for row in range(2, games + 2):
            white, black = rng.sample(names, 2)
            score = rng.choice((1, 0.5, 0))
            expected = 1 / (1 + 10 ** ((ratings[black] - ratings[white]) / 400))
            change = K * (score - expected)
            sheet.write_row(f"A{row}", [white, black, score])
            for place, name, player in (("D", "A", white), ("E", "B", black)):
                formula = f"={START}" if row == 2 else before(name, row)
                sheet.write_formula(f"{place}{row}", formula, None, ratings[player])
            sheet.write_formula(f"F{row}", f"=1/(1+10^((E{row}-D{row})/400))", None, expected)
            sheet.write_formula(f"G{row}", f"={K}*(C{row}-F{row})", None, change)
            ratings[white] += change
            ratings[black] -= change
            sheet.write_formula(f"H{row}", f"=D{row}+G{row}", None, ratings[white])
            sheet.write_formula(f"I{row}", f"=E{row}-G{row}", None, ratings[black])
    return 6 * games


def write_sums(path: Path, formulas: int) -> int:
    """Write a pool whose ratings before are the start and the sums of all changes above."""

    def before(name: str, row: int) -> str:
        up, who = row - 1, f"{name}{row}"
        return f"={START}+SUMIF(A$1:A{up},{who},G$1:G{up})-SUMIF(B$1:B{up},{who},G$1:G{up})"

    return _write_pool(path, formulas, before)


def write_latest(path: Path, formulas: int) -> int:
    """Write a pool whose ratings before are looked up in the player's last game, on whichever side it was."""

    def before(name: str, row: int) -> str:
        up, who = row - 1, f"{name}{row}"
        white, black = (f"IFERROR(LOOKUP(2,1/({c}$1:{c}{up}={who}),ROW({c}$1:{c}{up})),0)" for c in "AB")
        return f"=IF({white}+{black}=0,{START},IF({white}>{black},INDEX(H:H,{white}),INDEX(I:I,{black})))"

    return _write_pool(path, formulas, before)


def write_matrix(path: Path, formulas: int) -> int:
    """Write the expectations of everybody against everybody."""
    rng = random.Random(4)
    players = round(formulas**0.5)
    ratings = [rng.randint(1200, 2200) for _ in range(players)]
    with xlsxwriter.Workbook(str(path)) as book:
        sheet = book.add_worksheet("Expected")
        for i, mine in enumerate(ratings, 2):
            sheet.write_column(0, i, [f"Player {i - 1}", mine])
            sheet.write_row(i, 0, [f"Player {i - 1}", mine])
            for j, other in enumerate(ratings, 2):
                if i != j:
                    formula = f"=1/(1+10^(({xl_col_to_name(j)}$2-{xl_rowcol_to_cell(i, 1, col_abs=True)})/400))"
                    sheet.write_formula(i, j, formula, None, 1 / (1 + 10 ** ((other - mine) / 400)))
    return players * (players - 1)


LAYOUTS = {
    "season": write_season,
    "log": write_log,
    "sums": write_sums,
    "latest": write_latest,
    "matrix": write_matrix,
}


def measure(layout: str, formulas: int) -> dict[str, object]:
    """Return the figures for one layout and size."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{layout}.xlsx"
        written = LAYOUTS[layout](path, formulas)
        began = time.perf_counter()
        verdict = validate(path)
        ours = time.perf_counter() - began
        result: dict[str, object] = {
            "layout": layout,
            "formulas": written,
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
    asked = sys.argv[1:]
    layouts = [text for text in asked if text in LAYOUTS] or LAYOUTS
    sizes = [int(text) for text in asked if text not in LAYOUTS] or [16_000, 50_000]
    for layout in layouts:
        for formulas in sizes:
            print(json.dumps(measure(layout, formulas)), flush=True)


if __name__ == "__main__":
    main()
