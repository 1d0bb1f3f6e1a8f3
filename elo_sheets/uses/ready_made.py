"""Ready-made books: every template, empty and with an example, for the common systems and sports, and a page of them.

The examples are played by nobody: results of a schedule, drawn by a fixed rule from made strengths, of players and
teams with numbers for names. Each example's log lies beside it, so that the book can be made again with `import`.
"""

from __future__ import annotations

import html
import random
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from elo_sheets.errors import NotChecked, OutputRefused, UsageError
from elo_sheets.files.save import filling
from elo_sheets.listed import listed

# The systems that people ask for by name; a template takes those of them that it can hold.
COMMON = ("elo", "fide", "uschess", "dwz", "ecf", "egf", "glicko2", "trueskill", "world-football")

# Templates that compare several systems are made for these together.
COMPARED = "elo,glicko2"

FIRST_DAY = date(2026, 1, 3)
PEOPLE, TEAMS = 8, 6


@dataclass(frozen=True)
class ReadyMade:
    """One book: its file in the folder, what it is, and its picture where there is one."""

    file: str
    template: str
    system: str
    about: str
    has_games: bool
    picture: str | None = None
    profile: str | None = None


def ready_made(
    folder: str | Path,
    template: str | None = None,
    *,
    overwrite: bool = False,
    pictures: bool = True,
    progress: Callable[[str], None] | None = None,
) -> list[ReadyMade]:
    """Write the books of every template, or of one, into a folder, with `index.html`; what was written.

    The files are moved into the folder when all are written; one that holds anything is refused unless `overwrite`.
    Pictures of the examples are drawn where LibreOffice and Poppler are installed. `progress` is told each book's name.
    """
    target = Path(folder)
    records = listed("templates")
    chosen = [record for record in records if template in {None, record["name"]}]
    if not chosen:
        raise UsageError(f"expected a template ({', '.join(r['name'] for r in records)}), got {template!r}")
    if target.exists() and not target.is_dir():
        raise OutputRefused(f"{str(target)!r} is a file: name a folder")
    if target.is_dir() and any(target.iterdir()) and not overwrite:
        raise OutputRefused(f"the folder {str(target)!r} is not empty; give --force to write into it, or name another")
    with filling(target) as new:
        made = [book for record in chosen for book in _of_template(record, new, progress)]
        if pictures:
            made = _with_pictures(made, new, progress)
        (new / "index.html").write_text(contact_sheet(made), encoding="utf-8", newline="\n")
    return made


def _of_template(record: dict[str, Any], target: Path, progress: Callable[[str], None] | None) -> Iterator[ReadyMade]:
    from elo_sheets.uses.importing import import_logs
    from elo_sheets.workbook import new_book

    name = record["name"]
    example = EXAMPLES.get(name)
    for system, sport in [*((system, None) for system in _systems(record)), *_sports(record)]:
        stem = f"{name}-{sport or system.replace(',', '-')}" if example is not None else name
        if progress is not None:
            progress(stem)
        empty = f"{stem}-empty.xlsx" if example is not None else f"{stem}.xlsx"
        asked: dict[str, Any] = {"system": system if sport is None or name == "compare" else None, "profile": sport}
        new_book(name, target / empty, **asked)
        yield ReadyMade(empty, name, system, record["about"], has_games=False, profile=sport)
        if example is None:
            return
        filled, log = f"{stem}-example.xlsx", _log(target, name, sport)
        player = "Player 1" if name == "journal" else None
        import_logs([str(log)], target / filled, template=name, player=player, **asked)
        yield ReadyMade(filled, name, system, record["about"], has_games=True, profile=sport)


def _log(target: Path, name: str, sport: str | None) -> Path:
    """Write the log of an example, without draws for a sport that has none, and return its path."""
    from elo_sheets.workbook.sports.profiles import profile

    drawn = sport is None or profile(sport).words.draws
    path = target / f"{name}{'' if drawn else '-without-draws'}-example.csv"
    text = EXAMPLES[name]() if drawn else LEVEL.sub(lambda goals: f",{int(goals[1]) + 1},{goals[1]}", EXAMPLES[name]())
    kept = [line for line in text.splitlines(keepends=True) if drawn or "1/2-1/2" not in line]
    path.write_text("".join(kept), encoding="utf-8", newline="\n")
    return path


def _sports(record: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the profiles whose words for sides a template takes, each with its system; chess is said anyway.

    A season is for teams at home and away.
    """
    from elo_sheets.workbook.sports.profiles import CHESS, names, profile
    from elo_sheets.workbook.templates import template

    form = template(record["name"])
    if record["name"] not in EXAMPLES or not form.get("worded") or form["view"] == "sides":
        return []
    sports = [profile(one) for one in names() if one != CHESS.name]
    if form["worded"] == "asked":
        sports = [one for one in sports if one.words.sides == ("Home", "Away")]
    return [(COMPARED if record["name"] == "compare" else one.system, one.words.name) for one in sports]


def _systems(record: dict[str, Any]) -> list[str]:
    if record["name"] == "compare":
        return [COMPARED]
    return [system for system in COMMON if system in record["systems"]]


# --- examples

LEVEL = re.compile(r",(\d+),\1$", re.M)  # as many goals as the other side


def _results(seed: int) -> Iterator[float]:
    """Yield numbers between 0 and 1, the same on every machine."""
    dice = random.Random(seed)
    while True:
        yield dice.random()


def _rounds(count: int) -> Iterator[list[tuple[int, int]]]:
    """Yield the rounds of a round robin of an even number of players, by the circle."""
    circle = list(range(count))
    for turn in range(count - 1):
        pairs = [(circle[i], circle[-1 - i]) for i in range(count // 2)]
        yield [(b, a) if (turn + i) % 2 else (a, b) for i, (a, b) in enumerate(pairs)]
        circle = [circle[0], circle[-1], *circle[1:-1]]


def _strength(player: int) -> int:
    return 1900 - 60 * player


def _pool() -> str:
    """Return a double round robin with published ratings, an event a half, as delimited text."""
    drawn = _results(1)
    rows = ["Date,Event,Round,White,Black,Result,White rating,Black rating"]
    for half in range(2):
        for number, pairs in enumerate(_rounds(PEOPLE), 1):
            day = FIRST_DAY + timedelta(days=7 * (number - 1) + 63 * half)
            for a, b in (pair[::-1] if half else pair for pair in pairs):
                expected = 1 / (1 + 10 ** ((_strength(b) - _strength(a)) / 400))
                chance = next(drawn)
                result = "1-0" if chance < expected - 0.15 else "0-1" if chance > expected + 0.15 else "1/2-1/2"
                rows.append(
                    f"{day},Club {'evenings' if half else 'championship'},{number},Player {a + 1},Player {b + 1},"
                    f"{result},{_strength(a)},{_strength(b)}"
                )
    return "\n".join(rows) + "\n"


def _season() -> str:
    """Return a season of teams with goals, its last rounds still to be played."""
    drawn = _results(2)
    rows = ["Date,Home,Away,Home goals,Away goals"]
    for half in range(2):
        for number, pairs in enumerate(_rounds(TEAMS)):
            day = FIRST_DAY + timedelta(days=7 * (number + (TEAMS - 1) * half))
            for a, b in (pair[::-1] if half else pair for pair in pairs):
                goals = [int(next(drawn) * (4 - 0.4 * team)) for team in (a, b)]
                played = not half or number < 3
                rows.append(
                    f"{day},Team {a + 1},Team {b + 1},{goals[0] if played else ''},{goals[1] if played else ''}"
                )
    return "\n".join(rows) + "\n"


def _doubles() -> str:
    """Return games of two against two, partners changing."""
    drawn = _results(3)
    rows = ["Date,Team A player 1,Team A player 2,Team B player 1,Team B player 2,Points A,Points B"]
    for number, pairs in enumerate(_rounds(PEOPLE)):
        for (a, b), (c, d) in ((pairs[0], pairs[1]), (pairs[2], pairs[3])):
            points = [21, int(next(drawn) * 20)]
            if next(drawn) < 0.5 + (a + b - c - d) / 20:
                points.reverse()
            names = ",".join(f"Player {one + 1}" for one in (a, b, c, d))
            rows.append(f"{FIRST_DAY + timedelta(days=7 * number)},{names},{points[0]},{points[1]}")
    return "\n".join(rows) + "\n"


def _table() -> str:
    """Return games of four, each for himself, by place."""
    drawn = _results(4)
    rows = ["Date,1st,2nd,3rd,4th"]
    for number in range(14):
        order = sorted(range(6), key=lambda player: player * 0.25 + next(drawn) * 2)[:4]
        names = ",".join(f"Player {player + 1}" for player in order)
        rows.append(f"{FIRST_DAY + timedelta(days=7 * number)},{names}")
    return "\n".join(rows) + "\n"


# The sheet of which a picture is shown, where it is not the first.
SHOWN = dict.fromkeys(("league", "event", "ratings-list", "season", "compare", "league-2x2", "table"), "Report") | {
    "journal": "Dashboard",
    "calculator": "One game",
    "match": "Match",
}

# Templates that are not here hold no log of games: they come with an example typed in.
EXAMPLES: dict[str, Callable[[], str]] = {
    "journal": _pool,
    "league": _pool,
    "event": _pool,
    "ratings-list": _pool,
    "compare": _pool,
    "season": _season,
    "league-2x2": _doubles,
    "table": _table,
}


# --- the contact sheet


def _with_pictures(
    made: list[ReadyMade], target: Path, progress: Callable[[str], None] | None = None
) -> list[ReadyMade]:
    """Return the books with a picture of each example, and of each book without one.

    LibreOffice prints the book and Poppler draws a page; without either there is no picture.
    """
    from elo_sheets.engines.office import convert, soffice
    from elo_sheets.files.save import private_folder

    drawer = shutil.which("pdftoppm")
    if soffice() is None or drawer is None:
        return made
    (target / "pictures").mkdir(exist_ok=True)
    shown = []
    for book in made:
        if book.has_games or book.template not in EXAMPLES:
            stem = f"pictures/{Path(book.file).stem}"
            if progress is not None:
                progress(f"{stem}.png")
            with suppress(NotChecked, OSError, subprocess.SubprocessError), private_folder() as folder:
                pdf = convert(target / book.file, "pdf", folder)
                page = _page_of(pdf, SHOWN.get(book.template, ""))
                options = ["-r", "80", "-f", str(page), "-singlefile", "-png", *PART]
                subprocess.run([drawer, *options, str(pdf), str(target / stem)], check=True, timeout=60)
                book = replace(book, picture=f"{stem}.png")
        shown.append(book)
    return shown


# The part of a page that a picture shows, in pixels at 80 to the inch: its upper left, in letters that can be read.
PART = ("-x", "20", "-y", "20", "-W", "620", "-H", "460")


def _page_of(pdf: Path, sheet: str) -> int:
    """Return the first page whose footer names the sheet, or the first of all."""
    done = subprocess.run(["pdftotext", "-layout", str(pdf), "-"], capture_output=True, timeout=60, check=True)
    pages = [page.strip().splitlines() for page in done.stdout.decode("utf-8", "replace").split("\f")]
    return next((i for i, text in enumerate(pages, 1) if text and text[-1].split("  ")[0].strip() == sheet), 1)


STYLE = """body{margin:0 auto;max-width:70rem;padding:1rem;font:1rem/1.5 system-ui,sans-serif;
color:#1b1f24;background:#fcfcfa}
ul{list-style:none;padding:0;display:grid;gap:1rem;align-items:start;grid-template-columns:repeat(auto-fill,minmax(min(24rem,100%),1fr))}
li{border:1px solid #767f8a;border-radius:.4rem;padding:.8rem;background:#fff}
img{width:100%;height:auto;border:1px solid #dfe3e8}
a{color:#0b57a4}p{margin:.3rem 0}"""


def contact_sheet(made: list[ReadyMade]) -> str:
    """Return the page that shows the books: a picture where there is one, one line each, and what they are for."""
    parts = []
    for template in dict.fromkeys(book.template for book in made):
        books = [book for book in made if book.template == template]
        parts.append(f"<h2>{html.escape(template)}</h2>\n<p>{html.escape(books[0].about)}</p>\n<ul>")
        for book in books:
            name, what = html.escape(book.file), "an example" if book.has_games else "empty"
            if template not in EXAMPLES:
                what = "type over the yellow cells"
            drawn = f'<a href="{name}"><img src="{book.picture}" alt="A sheet of {name}"></a>' if book.picture else ""
            kind = html.escape(f"{book.profile}, {book.system}" if book.profile else book.system)
            parts.append(f'<li>{drawn}<p><a href="{name}">{name}</a></p><p>{kind}, {what}</p></li>')
        parts.append("</ul>")
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>Rating workbooks</title><style>{STYLE}</style></head>\n<body>\n<h1>Rating workbooks</h1>\n"
        "<p>Open one, and type your games. The games of the examples are made up; the log of each lies beside it.</p>\n"
        + "\n".join(parts)
        + "\n</body></html>\n"
    )
