"""A league of 16,000 games recalculated by LibreOffice: ours, and plain references to each player's row before.

Ours is the whole book: it finds the rows itself, so games may be typed, inserted and deleted; its ratings depend on
nothing that was known when it was written. Theirs is one sheet with the same games in which each rating is a reference
to the cell where that player's last one stands, which is right until somebody changes a row. Both are recalculated from
nothing in one run of LibreOffice each, in turns; the ratio is that of the medians.

    python benchmarks/recalculate_league.py [--games 16000] [--players 200] [--turns 3] [--json]
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import tempfile
import time
from pathlib import Path

import xlsxwriter

from elo_sheets.games import make_games
from elo_sheets.recalculate import recalculate
from elo_sheets.systems import system
from elo_sheets.workbook.build import filled_book, plan_book
from elo_sheets.workbook.write import write_book

Game = tuple[int, int, float]


def made_up(games: int, players: int) -> list[Game]:
    chance = random.Random(1872)
    pairs = (chance.sample(range(1, players + 1), 2) for _ in range(games))
    return [(white, black, chance.choice([1.0, 0.5, 0.0])) for white, black in pairs]


def ours(games: list[Game], path: Path) -> None:
    records = [
        {
            "date": f"{2000 + row // 1000}-{row // 90 % 11 + 1:02}-01",
            "white": f"Player {white}",
            "black": f"Player {black}",
            "score": score,
            "source": "made up",
            "source_row": row,
        }
        for row, (white, black, score) in enumerate(games, 1)
    ]
    write_book(plan_book(filled_book("league", system("elo"), {}, make_games(records))), path)


def references(games: list[Game], path: Path) -> None:
    book = xlsxwriter.Workbook(str(path))
    sheet = book.add_worksheet("Games")
    last: dict[int, int] = {}
    for row, (white, black, score) in enumerate(games, 1):
        sides = ((white, score, 2 * row - 1), (black, 1 - score, 2 * row))
        for (player, own, at), other in zip(sides, (2 * row, 2 * row - 1), strict=True):
            sheet.write_row(at, 0, [row, player, own])
            sheet.write_string(at, 3, "rated")
            before = f"H{last[player] + 1}" if player in last else "1500"
            guard = f'IF(TEXT(D{at + 1},"@")<>"rated",""'
            sheet.write_formula(at, 4, f"={guard},{before})")
            sheet.write_formula(at, 5, f"={guard},E{other + 1})")
            sheet.write_formula(at, 6, f"={guard},1/(1+10^((F{at + 1}-E{at + 1})/400)))")
            sheet.write_formula(at, 7, f"={guard},E{at + 1}+20*(C{at + 1}-G{at + 1}))")
        last[white], last[black] = 2 * row - 1, 2 * row
    book.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=int, default=16_000)
    parser.add_argument("--players", type=int, default=200)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    games = made_up(options.games, options.players)
    seconds: dict[str, list[float]] = {"ours": [], "references": []}
    with tempfile.TemporaryDirectory() as folder:
        for name, make in (("ours", ours), ("references", references)):
            make(games, Path(folder) / f"{name}.xlsx")
        for _ in range(options.turns):
            for name, taken in seconds.items():
                begin = time.perf_counter()
                recalculate(Path(folder) / f"{name}.xlsx", "libreoffice", timeout=900)
                taken.append(time.perf_counter() - begin)
    medians = {name: statistics.median(taken) for name, taken in seconds.items()}
    ratio = medians["ours"] / medians["references"]
    if options.json:
        print(json.dumps({"schema": 1, "games": options.games, "seconds": medians, "ratio": ratio}))
    else:
        print(f"{options.games} games: ours {medians['ours']:.1f} s, references {medians['references']:.1f} s")
        print(f"ratio {ratio:.2f} (at most 3)")


if __name__ == "__main__":
    main()
