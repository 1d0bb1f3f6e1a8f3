"""A cell typed into a long book in LibreOffice, beside a recalculation of the whole book from nothing.

A book of made-up games is opened over UNO and computed once. Then a name is typed into the next row, a result into the
next row, and the result of the tenth game is corrected; after each, everything that the program holds for changed is
computed. Counted are CPU seconds of LibreOffice, which a busy machine does not change much.

    python benchmarks/type_games.py [--template league] [--system elo] [--set NAME=VALUE] [--games 138,1000,2000,4000]
        [--turns 3] [--players 30] [--soffice PATH] [--python /usr/bin/python3] [--json]

Needs a Python that can import `uno` (Debian: python3-uno), that of the LibreOffice where this is another one.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from elo_sheets.files.package import cell_name, read_book
from elo_sheets.games import make_games
from elo_sheets.workbook.build import filled_book, plan_book
from elo_sheets.workbook.dialect import options as dialect_of
from elo_sheets.workbook.templates import systems_asked
from elo_sheets.workbook.write import write_book

# Where a game's first name and its result are typed: by template's table, and what a result becomes when corrected.
NAMES, RESULTS = ("White", "Home", "Opponent"), ("Home goals", "Home points", "Result")
OTHER = {"1-0": "0-1", "0-1": "1-0", "1/2-1/2": "1-0", "Win": "Loss", "Loss": "Win", "Draw": "Win"}

SCRIPT = r"""
import json, os, sys, time, uno
from com.sun.star.beans import PropertyValue

pipe, group, source, table, acts, turns = sys.argv[1:7]
acts, turns = json.loads(acts), int(turns)
resolver = uno.getComponentContext().ServiceManager.createInstance("com.sun.star.bridge.UnoUrlResolver")
for attempt in range(200):
    try:
        context = resolver.resolve(f"uno:pipe,name={pipe};urp;StarOffice.ComponentContext")
        break
    except Exception:
        time.sleep(0.2)
desktop = context.ServiceManager.createInstanceWithContext("com.sun.star.frame.Desktop", context)


def spent():
    total = 0
    for number in filter(str.isdigit, os.listdir("/proc")):
        try:
            words = open(f"/proc/{number}/stat").read().rpartition(")")[2].split()
        except OSError:
            continue
        if words[3] == group:
            total += int(words[11]) + int(words[12])
    return total / os.sysconf("SC_CLK_TCK")


def timed(act):
    before = spent()
    act()
    return spent() - before


def load():
    global document
    document = desktop.loadComponentFromURL(source, "_blank", 0, (hidden,))


def put(sheet, name, value):
    cell = document.Sheets.getByName(sheet).getCellRangeByName(name)
    if isinstance(value, str):
        cell.String = value
    else:
        cell.Value = value
    document.calculate()


hidden = PropertyValue()
hidden.Name, hidden.Value = "Hidden", True
found = {"load": [timed(load)], "all": [], **{act: [] for act in acts}}
document.calculateAll()
for _ in range(turns):
    found["all"].append(timed(document.calculateAll))
    for act, (sheet, name, old, new) in acts.items():
        found[act].append(timed(lambda: put(sheet, name, new)))
        put(sheet, name, old)
print(json.dumps(found), flush=True)
document.close(True)
desktop.terminate()
"""


def made_up(games: int, players: int) -> list[dict[str, object]]:
    chance = random.Random(1872)
    found: list[dict[str, object]] = []
    for row in range(games):
        white, black = chance.sample(range(1, players + 1), 2)
        goals = chance.randrange(4), chance.randrange(4)
        score = (1 + (goals[0] > goals[1]) - (goals[0] < goals[1])) / 2
        found.append(
            {
                "date": (date(2000, 1, 1) + timedelta(days=row // 2)).isoformat(),
                "white": f"Player {white}",
                "black": f"Player {black}",
                "score": score,
                "white_points": goals[0],
                "black_points": goals[1],
                "white_rating": 1400.0 + 10 * white,
                "black_rating": 1400.0 + 10 * black,
                "season": str(2000 + row // 200),
                "source": "made up",
                "source_row": row + 1,
            }
        )
    return found


def book(options: argparse.Namespace, games: int, path: Path) -> None:
    """Write the book of a template."""
    (rules, *further), asked = systems_asked(options.template, options.system)
    settings = dict(one.split("=", 1) for one in options.set)
    log = make_games(made_up(games, options.players))
    player = "Player 1" if options.template == "journal" else None
    if player is not None:
        log.loc[log["black"].eq(player), "black"] = "Player 2"
        log["white"] = player
        log = log[log["black"].ne(player)]
    given = asked | dialect_of("portable")
    made = filled_book(options.template, rules, settings, log, player, options=given, further=further)
    write_book(plan_book(made), path)


def acts_of(path: Path, games: int) -> dict[str, tuple[str, str, Any, Any]]:
    """Return what is typed: sheet, cell, what stands there now, and what is typed."""
    opened = read_book(path)
    table = next(table for table in opened.all_tables if table.name in ("Games", "Fixtures", "Log"))
    cells = opened.sheets[table.sheet]

    def place(row: int, names: tuple[str, ...]) -> tuple[str, str, Any]:
        label = next(name for name in names if name in table.columns)
        column = table.first_col + table.columns.index(label)
        cell = cells.get((table.first_row + row, column))
        return table.sheet, cell_name(table.first_row + row, column), None if cell is None else cell.value

    name, early = place(games, NAMES), place(10, RESULTS)
    return {
        "name": (*place(games + 1, NAMES)[:2], "", name[2]),
        "result": (*place(games + 1, RESULTS)[:2], "", early[2]),
        "early": (*early, OTHER.get(str(early[2]), 5.0)),
    }


def measured(options: argparse.Namespace, games: int, folder: Path) -> dict[str, float]:
    """Return the median CPU seconds of each act."""
    path = folder / f"{games}.xlsx"
    book(options, games, path)
    acts = acts_of(path, games)
    pipe = f"elo-sheets-typing-{os.getpid()}-{games}"
    command = [options.soffice, f"-env:UserInstallation={(folder / 'profile').as_uri()}", "--headless", "--norestore"]
    with subprocess.Popen(
        [*command, "--nologo", f"--accept=pipe,name={pipe};urp;"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as process:
        try:
            given = [pipe, str(process.pid), path.as_uri(), "", json.dumps(acts), str(options.turns)]
            done = subprocess.run([options.python, "-c", SCRIPT, *given], capture_output=True, text=True, check=False)
            lines = done.stdout.splitlines()
            if not lines:
                raise SystemExit(done.stderr)
            process.wait(20)
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
    times = json.loads(lines[0])
    return {"size": path.stat().st_size / 1e6, **{act: statistics.median(found) for act, found in times.items()}}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--template", default="league")
    parser.add_argument("--system", default=None)
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--games", default="138,1000,2000,4000")
    parser.add_argument("--players", type=int, default=30)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--soffice", default=shutil.which("soffice") or "soffice")
    parser.add_argument("--python", default="/usr/bin/python3")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that no LibreOffice is left behind
    found = {}
    for games in map(int, options.games.split(",")):
        with tempfile.TemporaryDirectory() as folder:
            found[games] = measured(options, games, Path(folder))
        if not options.json:
            shown = ", ".join(f"{act} {value:.2f}" for act, value in found[games].items())
            print(f"{games} games: {shown}; name/all {found[games]['name'] / found[games]['all']:.2f}", flush=True)
    if options.json:
        given = {"template": options.template, "system": options.system}
        print(json.dumps({"schema": 1, **given, "seconds": found}))


if __name__ == "__main__":
    main()
