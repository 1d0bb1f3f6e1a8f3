"""A page in a real browser without a window: headless Chromium, which prints the document that a page has become."""

from __future__ import annotations

import html
import json
import os
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from elo_sheets.errors import NotChecked

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")


def find_browser() -> str | None:
    """Return the path of Chromium or Chrome, `ELO_SHEETS_BROWSER` where it is set, or None where there is none."""
    given = os.environ.get("ELO_SHEETS_BROWSER")
    return shutil.which(given) if given else next(filter(None, map(shutil.which, NAMES)), None)


def document_of(page: Path, fragment: str = "", timeout: float = 120) -> str:
    """Return what a page on disk has become in a browser without network, as HTML.

    Raises `NotChecked` where there is no browser, or it does not answer in time.
    """
    return _browse(page, fragment, ["--dump-dom"], timeout)


def _browse(page: Path, fragment: str, how: Sequence[str], timeout: float) -> str:
    from elo_sheets.files.save import private_folder

    browser = find_browser()
    if browser is None:
        raise NotChecked("no browser: install Chromium (apt install chromium), or name one in ELO_SHEETS_BROWSER")
    root = ["--no-sandbox"] if getattr(os, "geteuid", lambda: 1)() == 0 else []
    with private_folder() as folder:
        command = [
            *(browser, "--headless", "--disable-gpu", "--no-first-run", f"--user-data-dir={folder}", *root),
            *("--host-resolver-rules=MAP * ~NOTFOUND", "--virtual-time-budget=5000", *how),
            page.resolve().as_uri() + (f"#{fragment}" if fragment else ""),
        ]
        try:
            done = subprocess.run(command, capture_output=True, timeout=timeout, check=True)
        except (OSError, subprocess.SubprocessError) as error:
            raise NotChecked(f"the browser did not show the page: {error}") from None
    return done.stdout.decode("utf-8", "replace")


def by_page(rows: Sequence[Any], calls_of_page: Sequence[str] = ()) -> tuple[list[Mapping[str, Any]], list[Any]]:
    """Return every column of the rows (`Columns`), and what calls of the calculators give, by JavaScript in a browser.

    Each answer's steps are printed as the calculators' are, into one page. An error of the program is no value.
    """
    from elo_sheets.files.save import private_folder
    from elo_sheets.page.calculators import reckoning
    from elo_sheets.page.javascript import program

    programs = [program(row.lines) for row in rows]
    calls = (f"[{source},{json.dumps(dict(row.given))}]" for source, row in zip(programs, rows, strict=True))
    script = (
        f"{reckoning(programs)}\nconst asked=[{','.join(calls)}];\n"
        f"const called=[{','.join(f'()=>({one})' for one in calls_of_page)}];\n"
        "const tried=(f,v)=>{try{return f(v)}catch(e){return{error:String(e)}}};\n"
        "document.getElementById('found').textContent="
        "JSON.stringify([asked.map(([f,v])=>tried(f,v)),called.map(f=>tried(f))]);"
    )
    with private_folder() as folder:
        page = Path(folder) / "answers.html"
        page.write_text(
            f'<!doctype html><meta charset="utf-8"><pre id="found"></pre><script>{script}</script>', encoding="utf-8"
        )
        shown = document_of(page)
    found = re.search(r'<pre id="found">(.*?)</pre>', shown, re.DOTALL)
    if not found or not found[1]:
        raise NotChecked("the browser showed a page without results")
    values, answers = json.loads(html.unescape(found[1]))
    return values, answers
