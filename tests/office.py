"""LibreOffice at work as its owner uses it: books are opened, typed into and saved through the program's own API.

One start of the program does all jobs. Unless the act `recalculate` asks for it, what is saved is what the program
computed anew while things were typed.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

SYSTEM_PYTHON = "/usr/bin/python3"
Act = list[Any]  # the name of the act, and what it needs

SCRIPT = r"""
import json, sys, time, uno
from com.sun.star.beans import PropertyValue
from com.sun.star.sheet.CellInsertMode import RIGHT
from com.sun.star.table import TableSortField

pipe, jobs = sys.argv[1], json.load(open(sys.argv[2], encoding="utf-8"))
resolver = uno.getComponentContext().ServiceManager.createInstance("com.sun.star.bridge.UnoUrlResolver")
for attempt in range(200):
    try:
        context = resolver.resolve(f"uno:pipe,name={pipe};urp;StarOffice.ComponentContext")
        break
    except Exception:
        time.sleep(0.2)
desktop = context.ServiceManager.createInstanceWithContext("com.sun.star.frame.Desktop", context)


def said(name, value):
    found = PropertyValue()
    found.Name, found.Value = name, value
    return found


def type_(sheet, name, value):
    cell = sheet.getCellRangeByName(name)
    if value is None:
        cell.clearContents(1 | 2 | 4 | 16)  # numbers, days, texts, formulas
    elif isinstance(value, str):
        cell.String = value
    else:
        cell.Value = value


def insert(sheet, row):
    sheet.Rows.insertByIndex(row - 1, 1)


def insert_column(sheet, column):
    sheet.Columns.insertByIndex(column - 1, 1)


def insert_cells(sheet, name):
    sheet.insertCells(sheet.getCellRangeByName(name).RangeAddress, RIGHT)


def delete(sheet, row):
    sheet.Rows.removeByIndex(row - 1, 1)


def move(sheet, name, to):
    sheet.moveRange(sheet.getCellRangeByName(to).CellAddress, sheet.getCellRangeByName(name).RangeAddress)


def fill_down(sheet, name):
    sheet.getCellRangeByName(name).fillAuto(0, 1)


def replace(sheet, name, old, new):
    search = sheet.createReplaceDescriptor()
    search.SearchString, search.ReplaceString = old, new
    search.SearchWords = search.SearchCaseSensitive = True  # whole cells
    sheet.getCellRangeByName(name).replaceAll(search)


def sort(sheet, name, column, ascending):
    field = TableSortField()
    field.Field, field.IsAscending = column, ascending
    fields = uno.Any("[]com.sun.star.table.TableSortField", (field,))
    sheet.getCellRangeByName(name).sort((said("SortFields", fields), said("ContainsHeader", False)))


OPEN = {"insert": insert, "insert column": insert_column, "insert cells": insert_cells, "delete": delete}
OPEN["replace"] = replace
ACTS = {**OPEN, "type": type_, "move": move, "fill down": fill_down, "sort": sort}
ACTS["recalculate"] = lambda sheet: document.calculateAll()
for job in jobs:
    document = desktop.loadComponentFromURL(job["source"], "_blank", 0, (said("Hidden", True),))
    for step in job["steps"]:
        for act, name, *what in step["acts"]:
            sheet = document.Sheets.getByName(name)
            if act in OPEN:
                sheet.unprotect("")
            ACTS[act](sheet, *what)
        document.storeToURL(step["target"], (said("FilterName", "Calc MS Excel 2007 XML"),))
    document.close(True)
print('done', flush=True)
desktop.terminate()
"""


@dataclass
class Job:
    """A book, and what is done to it: acts, after which it is saved under a name, and more acts."""

    source: Path
    steps: list[tuple[list[Act], Path]] = field(default_factory=list)


@contextmanager
def listening(folder: Path) -> Iterator[str]:
    """Give the name of a pipe on which LibreOffice listens, with a profile of its own in the folder."""
    pipe = f"elo-sheets-{os.getpid()}-{folder.name[-12:].replace('_', '-')}"
    profile = (folder / "profile").as_uri()
    command = ["soffice", f"-env:UserInstallation={profile}", "--headless", "--norestore", "--nologo"]
    with subprocess.Popen(
        [*command, f"--accept=pipe,name={pipe};urp;"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as process:
        try:
            yield pipe
        finally:
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)


def require_office() -> None:
    """Skip the test, or fail it where engines are required, without a Python that LibreOffice can be reached from."""
    try:
        done = subprocess.run([SYSTEM_PYTHON, "-c", "import uno"], capture_output=True, check=False)
        reachable = done.returncode == 0
    except FileNotFoundError:
        reachable = False
    if not reachable:
        reason = f"{SYSTEM_PYTHON} cannot import uno: install python3-uno"
        if os.environ.get("ELO_SHEETS_REQUIRE_ENGINES") == "1":
            pytest.fail(reason)
        pytest.skip(reason)


def at_work(jobs: Sequence[Job], folder: Path, timeout: float = 180) -> None:
    """Do all jobs in one start of LibreOffice."""
    script, orders = folder / "at_work.py", folder / "jobs.json"
    script.write_text(SCRIPT, "utf-8")
    written = [
        {
            "source": job.source.as_uri(),
            "steps": [{"acts": acts, "target": target.as_uri()} for acts, target in job.steps],
        }
        for job in jobs
    ]
    orders.write_text(json.dumps(written), "utf-8")
    with listening(folder) as pipe:
        done = subprocess.run(
            [SYSTEM_PYTHON, str(script), pipe, str(orders)],
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )
    # The end of the program may take the connection with it: what counts is that all was done.
    assert done.stdout.strip() == "done", (done.returncode, done.stderr)
