"""A cell typed into a long book in LibreOffice, beside a recalculation of the whole book from nothing.

A book of made-up games is opened and computed once. Then a name is typed into the next row, a result into the next row,
and the result of the tenth game is corrected; after each, everything that the program holds for changed is computed.
Counted are CPU seconds of LibreOffice, which a busy machine makes up to twice as many: compare those of one run.

All is done by a macro in a profile of its own: LibreOffice 25.2 ends a connection over UNO that asks for a book.

    python benchmarks/type_games.py [--template league] [--system elo] [--set NAME=VALUE] [--games 138,1000,2000,4000]
        [--turns 3] [--players 30] [--soffice PATH] [--json]
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
from xml.sax.saxutils import escape

from elo_sheets.files.package import read_book
from elo_sheets.files.references import cell_name
from elo_sheets.games import make_games
from elo_sheets.workbook.build import filled_book, plan_book
from elo_sheets.workbook.dialect import options as dialect_of
from elo_sheets.workbook.templates import systems_asked
from elo_sheets.workbook.write import write_book

# Where a game's first name and its result are typed: by template's table, and what a result becomes when corrected.
NAMES, RESULTS = ("White", "Home", "Opponent"), ("Home goals", "Home points", "Result")
OTHER = {"1-0": "0-1", "0-1": "1-0", "1/2-1/2": "1-0", "Win": "Loss", "Loss": "Win", "Draw": "Win"}

MACRO = """
Function Spent()
  Dim source, line, words
  source = FreeFile
  Open "/proc/self/stat" For Input As #source
  Line Input #source, line
  Close #source
  words = Split(Mid(line, InStr(line, ")") + 2), " ")
  Spent = CLng(words(11)) + CLng(words(12))
End Function

Sub Put(book, sheet, cell, typed)
  Dim where
  where = book.Sheets.getByName(sheet).getCellRangeByName(cell)
  If VarType(typed) = 8 Then where.String = typed Else where.Value = typed
  book.calculate()
End Sub

Sub Main
  Dim hidden(0) As New com.sun.star.beans.PropertyValue
  Dim told, book, before, after, turn
  hidden(0).Name = "Hidden"
  hidden(0).Value = True
  told = FreeFile
  Open {told} For Output As #told
  On Error Goto Failed
  before = Spent()
  book = StarDesktop.loadComponentFromURL({book}, "_blank", 0, hidden())
  after = Spent()
  Print #told, "load " & (after - before)
  book.calculateAll()
  For turn = 1 To {turns}
    before = Spent()
    book.calculateAll()
    after = Spent()
    Print #told, "all " & (after - before)
{acts}  Next
  book.close(True)
  Close #told
  StarDesktop.terminate()
  Exit Sub
Failed:
  Print #told, "failed " & Error$
  Close #told
  StarDesktop.terminate()
End Sub
"""
ACT = """    before = Spent()
    Put(book, {sheet}, {cell}, {new})
    after = Spent()
    Print #told, "{act} " & (after - before)
    Put(book, {sheet}, {cell}, {old})
"""
# The parts of a profile in which LibreOffice looks for macros.
DOCTYPE = '<!DOCTYPE {} PUBLIC "-//OpenOffice.org//DTD OfficeDocument 1.0//EN" "{}.dtd">'
XML = '<?xml version="1.0" encoding="UTF-8"?>\n' + DOCTYPE
LIBRARY = 'xmlns:library="http://openoffice.org/2000/library" library:name="Standard" library:link="false"'
PARTS = {
    "script.xlb": XML.format("library:library", "library")
    + f'<library:library {LIBRARY.replace("link", "readonly")} library:passwordprotected="false">'
    '<library:element library:name="Typing"/></library:library>',
    "Typing.xba": XML.format("script:module", "module")
    + '<script:module xmlns:script="http://openoffice.org/2000/script" script:name="Typing" '
    'script:language="StarBasic">{}</script:module>',
}


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


def quoted(value: Any) -> str:
    """Return a value as Basic has it."""
    return f"{value:g}" if isinstance(value, (int, float)) else '"' + str(value).replace('"', '""') + '"'


def macro(path: Path, acts: dict[str, tuple[str, str, Any, Any]], turns: int, told: Path) -> str:
    """Return the macro that types, and writes what it takes."""
    steps = [
        ACT.format(act=act, sheet=quoted(sheet), cell=quoted(cell), old=quoted(old), new=quoted(new))
        for act, (sheet, cell, old, new) in acts.items()
    ]
    return MACRO.format(told=quoted(told), book=quoted(path.as_uri()), turns=turns, acts="".join(steps))


def measured(options: argparse.Namespace, games: int, folder: Path) -> dict[str, float]:
    """Return the median CPU seconds of each act."""
    path, told, profile = folder / f"{games}.xlsx", folder / "told.txt", folder / "profile"
    book(options, games, path)
    command = [options.soffice, f"-env:UserInstallation={profile.as_uri()}", "--headless", "--norestore", "--nologo"]
    # A profile that LibreOffice has not made itself loses its macros at the first start.
    run([*command, "--terminate_after_init"])
    library = profile / "user" / "basic" / "Standard"
    library.mkdir(parents=True, exist_ok=True)
    code = escape(macro(path, acts_of(path, games), options.turns, told))
    for name, text in PARTS.items():
        (library / name).write_text(text.replace("{}", code), encoding="utf-8")
    run([*command, "macro:///Standard.Typing.Main"])
    lines = told.read_text(encoding="utf-8").splitlines() if told.exists() else ["failed: no macro was run"]
    times: dict[str, list[float]] = {}
    for line in lines:
        act, _, ticks = line.partition(" ")
        if not ticks.strip().isdigit():
            raise SystemExit(line)
        times.setdefault(act, []).append(int(ticks) / os.sysconf("SC_CLK_TCK"))
    return {"size": path.stat().st_size / 1e6, **{act: statistics.median(found) for act, found in times.items()}}


def run(command: list[str]) -> None:
    """Run LibreOffice to its end, and leave none of it behind."""
    quiet = subprocess.DEVNULL
    with subprocess.Popen(command, stdout=quiet, stderr=quiet, start_new_session=True) as process:
        try:
            process.wait()
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--template", default="league")
    parser.add_argument("--system", default=None)
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--games", default="138,1000,2000,4000")
    parser.add_argument("--players", type=int, default=30)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--soffice", default=shutil.which("soffice") or "soffice")
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
