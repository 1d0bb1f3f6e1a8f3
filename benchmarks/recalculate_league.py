"""A league of 16,000 games recalculated by LibreOffice: ours, and plain references to each player's row before.

Ours finds the rows itself, so games may be typed, inserted and deleted; its ratings depend on nothing that was known
when it was written. The other is the same book with every search replaced by a reference to the cell where that
player's last rating stands, which is right until somebody changes a row. Both are recalculated from nothing in one run
of LibreOffice each, in turns; the ratio is that of the medians.

    python benchmarks/recalculate_league.py [--games 16000] [--players 200] [--turns 3] [--json]
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import random
import re
import statistics
import tempfile
import time
from pathlib import Path

from elo_sheets.engines.recalculate import recalculate
from elo_sheets.files.cells import Book, Cell
from elo_sheets.files.package import read_book
from elo_sheets.games import make_games
from elo_sheets.systems import system
from elo_sheets.workbook.book import HEADER_ROW
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


def references(book: Book) -> Book:
    """The same book with the row before every row known: no search, no block, a plain reference to its cells."""
    table = next(table for table in book.all_tables if table.name == "Ledger")
    previous = table.columns.index("Previous") + 1
    row = r"Ledger\[\[#This Row\],\[Previous\]\]"
    own = rf"INDEX\(\$(?P<column>[A-Z]+)\$\d+:[A-Z]+\d+,{row}[+-]\d+\)"
    elsewhere = rf"IF\({row}<=\d+,INDEX\(Carry\[[^\]]+\],Ledger\[\[#This Row\],\[Rated no\.\]\]\),"
    # In the first block a row reads its own block only.
    carried = [re.compile(rf"{elsewhere}{own}\)"), re.compile(own)]
    sheets = {name: dict(cells) for name, cells in book.sheets.items()}
    ledger = sheets["Ledger"]
    for (row, column), cell in book.sheets["Ledger"].items():
        if cell.formula is None:
            continue
        if column == previous:
            ledger[row, column] = Cell(None, cell.value)
            continue
        before = ledger[row, previous].value
        at = HEADER_ROW + int(before) if isinstance(before, float) else HEADER_ROW
        text = cell.formula
        for pattern in carried:
            text = pattern.sub(rf"\g<column>{at}", text)
        ledger[row, column] = Cell(text, cell.value)
    sheets["Carry"] = {place: Cell(None, cell.value) for place, cell in sheets["Carry"].items()}
    return dataclasses.replace(book, sheets=sheets)


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
        path = Path(folder) / "ours.xlsx"
        ours(games, path)
        book = read_book(path)
        books = {"ours": book, "references": references(book)}
        for _ in range(options.turns):
            for name, taken in seconds.items():
                begin = time.perf_counter()
                recalculate(books[name], "libreoffice", timeout=900)
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
