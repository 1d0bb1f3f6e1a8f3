"""`serve` as a person uses it: a real browser, real files, no network, and no script."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from devtools import Tab, browser

from elo_sheets.files.package import read_book
from elo_sheets.validate import validate

ROOT = Path(__file__).parents[1]
pytestmark = [pytest.mark.browser, pytest.mark.skipif(os.name != "posix", reason="the browser is driven over a pipe")]


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    environment = {**os.environ, "TMPDIR": str(tmp_path_factory.mktemp("served"))}
    command = [sys.executable, "-m", "elo_sheets", "serve", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout is not None
        found = re.search(r"http://\S+", process.stdout.readline())
        assert found is not None
        yield found[0]
        process.terminate()
        process.wait(20)


@pytest.fixture
def tab(address: str, tmp_path: Path) -> Iterator[Tab]:
    with browser(tmp_path) as found:
        found.call("Emulation.setScriptExecutionDisabled", value=True)  # the page's own, of which it has none
        found.open(address)
        yield found


def said(tab: Tab, title: str) -> str:
    """Wait for a page with a title, and return what it says."""
    tab.until(f"document.readyState==='complete' && document.querySelector('h1')?.textContent==={title!r}")
    text: str = tab.run("document.body.innerText")
    return text


def downloaded(folder: Path, name: str) -> Path:
    end = time.monotonic() + 30
    while not (folder / name).exists():
        assert time.monotonic() < end, list(folder.iterdir())
        time.sleep(0.1)
    return folder / name


LABELLED = """
[...document.querySelectorAll('input:not([type=hidden]),select,textarea,button')].filter(
  e => !(e.labels?.length || e.getAttribute('aria-label') || (e.tagName==='BUTTON' && e.textContent.trim()))).length"""
OVERFLOWS = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
SMALL = """
[...document.querySelectorAll('button,.button,select,input:not([type=hidden])')].filter(
  e => e.offsetParent && e.getBoundingClientRect().height < 24).length"""


def sound(tab: Tab, address: str) -> None:
    """What holds of every page: labels, one first heading, a phone's width, and no request but to the server."""
    assert tab.run("document.documentElement.lang") == "en"
    assert tab.run("document.querySelectorAll('h1').length") == 1
    assert tab.run(LABELLED) == 0
    assert tab.run("document.scripts.length") == 0
    for dark in (False, True):
        tab.look(360, dark=dark)
        assert tab.run(OVERFLOWS) <= 0
        assert tab.run(SMALL) == 0
    assert [url for url in tab.requests if not url.startswith((address, "data:"))] == []


def test_a_log_is_dropped_looked_at_and_taken_home_as_a_book(tab: Tab, address: str, tmp_path: Path) -> None:
    sound(tab, address)
    tab.drop("#logs", ROOT / "samples/internationals_1900s.csv")
    tab.press("Read the games")
    assert "138 read, 138 kept, 0 left out. 23 players." in said(tab, "What was read")
    sound(tab, address)
    tab.run("document.querySelector('#profile').value='football'")
    tab.press("Make the book")
    assert "football" in said(tab, "The book is ready")
    sound(tab, address)
    tab.press("Download internationals_1900s.xlsx")
    book = downloaded(tmp_path, "internationals_1900s.xlsx")
    assert validate(book).status == "agrees"


def test_a_book_is_dropped_and_its_marked_copy_taken_home(tab: Tab, address: str, tmp_path: Path) -> None:
    tab.drop("#book", ROOT / "samples/wrong_guide.xlsx")
    tab.press("Check the book")
    assert "ES215 circular" in said(tab, "The book differs")
    sound(tab, address)
    tab.press("Download the marked copy")
    assert "Findings" in read_book(downloaded(tmp_path, "wrong_guide marked.xlsx")).sheets


def test_it_is_used_by_the_keyboard_alone(tab: Tab, address: str) -> None:
    def key(name: str, code: int, text: str = "") -> None:
        for kind in ("keyDown", "keyUp"):
            more = {"text": text} if text and kind == "keyDown" else {}
            tab.call("Input.dispatchKeyEvent", type=kind, key=name, windowsVirtualKeyCode=code, **more)

    seen = []
    for _ in range(8):
        key("Tab", 9)
        seen.append(tab.run("document.activeElement.id || document.activeElement.textContent"))
    assert seen[:7] == [
        "To the content",
        "Drop a file",
        "Calculators",
        "logs",
        "Read the games",
        "book",
        "Check the book",
    ]
    assert tab.run("getComputedStyle(document.querySelector('#logs')).outlineStyle") is not None
    tab.drop("#logs", ROOT / "tests/data/trf/javafo_example.trf")
    tab.run("document.querySelector('#logs').focus()")
    key("Tab", 9)
    key("Enter", 13, "\r")
    assert "kept" in said(tab, "What was read")
