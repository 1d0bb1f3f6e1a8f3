"""Ready-made books: every template, empty and with an example, for the common systems and sports, and a page of them.

The examples are played by nobody: results of a schedule, drawn from made strengths, of players and teams with numbers
for names, in the folder examples. Each example's log lies beside it, so that the book can be made again with `import`.
"""

from __future__ import annotations

import html
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from elo_sheets.errors import NotChecked, OutputRefused, UsageError
from elo_sheets.files.save import filling
from elo_sheets.listed import listed
from elo_sheets.shipped import shipped_text

# The systems that people ask for by name; a template takes those of them that it can hold.
COMMON = ("elo", "fide", "uschess", "dwz", "ecf", "egf", "glicko2", "trueskill", "world-football")

# Templates that compare several systems are made for these together.
COMPARED = "elo,glicko2"


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
    text = shipped_text(f"uses/examples/{EXAMPLES[name]}.csv")
    text = text if drawn else LEVEL.sub(lambda goals: f",{int(goals[1]) + 1},{goals[1]}", text)
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


LEVEL = re.compile(r",(\d+),\1$", re.M)  # as many goals as the other side

# The sheet of which a picture is shown, where it is not the first.
SHOWN = dict.fromkeys(("league", "event", "ratings-list", "season", "compare", "league-2x2", "table"), "Report") | {
    "journal": "Dashboard",
    "calculator": "One game",
    "match": "Match",
}

# Templates that are not here hold no log of games: they come with an example typed in.
EXAMPLES = dict.fromkeys(("journal", "league", "event", "ratings-list", "compare"), "pool")
EXAMPLES |= {"season": "season", "league-2x2": "doubles", "table": "table"}


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
    return shipped_text("uses/examples/index.html").replace("{{books}}", "\n".join(parts))
