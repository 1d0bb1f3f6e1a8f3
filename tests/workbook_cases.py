"""Leagues and journals as plain lists, an independent replay of them, and typing into a workbook's cells.

Imports nothing of elo_sheets: what is computed here is the second opinion that the tests of the workbooks compare
with, from the published formulas alone.
"""

from __future__ import annotations

import os
import pickle
import posixpath
import re
import time
import xml.etree.ElementTree as ET
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from functools import lru_cache
from pathlib import Path
from typing import Any

Typed = str | float | None
Edits = Mapping[str, Mapping[str, Typed]]  # sheet, cell, what is typed

SCORES = {"1-0": 1.0, "1/2-1/2": 0.5, "0-1": 0.0}
WORDS = {"win": 1.0, "won": 1.0, "draw": 0.5, "loss": 0.0}
FIRST_DATA_ROW = 5


def serial(day: str) -> float:
    """The number by which a sheet stores a day."""
    return float((date.fromisoformat(day) - date(1899, 12, 30)).days)


# --- an independent replay ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Rule:
    """Elo: the initial rating, K, and which differences are cut at 400 points."""

    initial: float = 1500.0
    k: float = 20.0
    gap: str = "none"

    def expected(self, rating: float, opponent: float) -> float:
        difference = rating - opponent
        if self.gap == "cap400" or (self.gap == "fide2650" and rating < 2650):
            difference = max(-400.0, min(400.0, difference))
        return 1 / (1 + 10 ** (-difference / 400))


Row = list[Typed]  # of a league: date, white, black, result; of a journal: date, opponent, rating, colour, result


@dataclass
class League:
    """What stands in the yellow cells of a league; names and games without the spare rows."""

    players: list[tuple[str, float | None]]
    games: list[Row]
    rule: Rule = field(default_factory=Rule)


@dataclass
class Standing:
    """What a league's sheet Players shows of one player."""

    rating: float
    games: int = 0
    wins: int = 0
    draws: int = 0
    losses: int = 0


def league_standings(league: League) -> dict[str, Standing]:
    """Every player's rating and results, game after game, unrated rows left out; spelled as on Players."""
    spelled: dict[str, str] = {}
    for name, _ in league.players:
        spelled.setdefault(name.lower(), name)
    table: dict[str, Standing] = {}
    for name, start in league.players:
        table.setdefault(spelled[name.lower()], Standing(league.rule.initial if start is None else start))
    for _, white, black, result in league.games:
        names = [spelled.get(str(name or "").lower()) for name in (white, black)]
        if names[0] is None or names[1] is None or names[0] == names[1] or result not in SCORES:
            continue
        sides = (table[names[0]], table[names[1]])
        before = [side.rating for side in sides]
        scores = (SCORES[str(result)], 1 - SCORES[str(result)])
        for side, own, other, score in zip(sides, before, before[::-1], scores, strict=True):
            side.rating += league.rule.k * (score - league.rule.expected(own, other))
            side.games += 1
            side.wins += score == 1
            side.draws += score == 0.5
            side.losses += score == 0
    return table


def journal_ratings(rows: Sequence[Row], rule: Rule, monthly: bool = False) -> list[float | None]:
    """The rating after each row of a journal, None for a row that is not rated."""
    rating = start = rule.initial
    month: object = None
    after: list[float | None] = []
    for day, _, opponent, _, result in rows:
        score = WORDS.get(str(result or "").lower())
        if not isinstance(opponent, float) or score is None or (monthly and not day):
            after.append(None)
            continue
        this = (date(1899, 12, 30) + timedelta(days=float(day or 0))).strftime("%Y-%m") if monthly else len(after)
        if this != month:
            start, month = rating, this
        rating += rule.k * (score - rule.expected(start, opponent))
        after.append(rating)
    return after


def chance(seed: int) -> Iterator[int]:
    """The same numbers below 2^16 on every machine."""
    state = seed
    while True:
        state = (1103515245 * state + 12345) % 2**31
        yield state >> 15


def made_league(players: int, games: int, seed: int = 1, **rule: object) -> League:
    """A league of made-up games, two a day from 2024 on; the first third of the players starts elsewhere."""
    numbers = chance(seed)
    names = [(f"Player {i}", 1300.0 + 100 * i if i % 3 == 0 else None) for i in range(1, players + 1)]
    rows: list[Row] = []
    for i in range(games):
        white = next(numbers) % players
        black = (white + 1 + next(numbers) % (players - 1)) % players
        result = list(SCORES)[next(numbers) % 3]
        rows.append([serial("2024-01-01") + i // 2, names[white][0], names[black][0], result])
    return League(names, rows, Rule(**rule))  # type: ignore[arg-type]


def made_journal(games: int, seed: int = 1) -> list[Row]:
    """The rows of a journal of made-up games, one every five days from 2024 on."""
    numbers = chance(seed)
    return [
        [
            serial("2024-01-01") + 5 * i,
            f"Opponent {next(numbers) % 9}",
            1000.0 + next(numbers) % 1200,
            ("White", "Black")[i % 2],
            ("Win", "Draw", "Loss")[next(numbers) % 3],
        ]
        for i in range(games)
    ]


# --- typing -------------------------------------------------------------------------------------------------

_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_RELATION = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_CELL = re.compile(r"([A-Z]+)([0-9]+)")


def sheet_parts(path: Path) -> dict[str, str]:
    """The part of each sheet by its name."""
    with zipfile.ZipFile(path) as archive:
        relations = ET.fromstring(archive.read("xl/_rels/workbook.xml.rels"))
        workbook = ET.fromstring(archive.read("xl/workbook.xml"))
    targets = {relation.get("Id"): relation.get("Target", "") for relation in relations}
    return {
        sheet.get("name", ""): posixpath.join("xl", targets[sheet.get(f"{{{_RELATION}}}id")])
        for sheet in workbook.iter(f"{{{_MAIN}}}sheet")
    }


def type_into(source: Path, target: Path, edits: Edits) -> Path:
    """Copy a workbook with values typed into cells, all formulas and their stored results as they were."""
    parts = {part: edits[sheet] for sheet, part in sheet_parts(source).items() if sheet in edits}
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            data = old.read(name)
            new.writestr(name, _typed_sheet(data, parts[name]) if name in parts else data)
    return target


def _typed_sheet(xml: bytes, cells: Mapping[str, Typed]) -> bytes:
    root = ET.fromstring(xml)
    data = root.find(f"{{{_MAIN}}}sheetData")
    assert data is not None
    rows = {int(row.get("r", "")): row for row in data}
    for name, value in cells.items():
        match = _CELL.fullmatch(name)
        assert match is not None
        number = int(match[2])
        if number not in rows:
            rows[number] = ET.SubElement(data, f"{{{_MAIN}}}row", {"r": match[2]})
        _type(_cell(rows[number], name), value)
    data[:] = [rows[number] for number in sorted(rows)]
    ET.register_namespace("", _MAIN)  # openpyxl registers another prefix
    ET.register_namespace("r", _RELATION)
    return bytes(ET.tostring(root, "utf-8", xml_declaration=True))


def _cell(row: ET.Element, name: str) -> ET.Element:
    found = next((cell for cell in row if cell.get("r") == name), None)
    if found is None:
        found = ET.SubElement(row, f"{{{_MAIN}}}c", {"r": name})
        row[:] = sorted(row, key=lambda cell: (len(cell.get("r", "")), cell.get("r", "")))
    return found


def _type(cell: ET.Element, value: Typed) -> None:
    cell[:] = []
    cell.attrib.pop("t", None)
    if isinstance(value, str):
        cell.set("t", "inlineStr")
        text = ET.SubElement(ET.SubElement(cell, f"{{{_MAIN}}}is"), f"{{{_MAIN}}}t")
        text.set("{http://www.w3.org/XML/1998/namespace}space", "preserve")
        text.text = value
    elif value is not None:
        ET.SubElement(cell, f"{{{_MAIN}}}v").text = repr(value)


def without_results(source: Path, target: Path) -> Path:
    """Copy a workbook with no formula's result stored, as a program leaves it that does not calculate."""
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            data = old.read(name)
            if name.startswith("xl/worksheets/sheet"):
                data = re.sub(rb"</f><v>[^<]*</v>|</f><v ?/>", b"</f>", data)
            new.writestr(name, data)
    return target


# --- one run of an engine for all tests ---------------------------------------------------------------------


def shared_folder(base: Path, name: str) -> Path:
    """A folder that all workers of this test run see; `base` is pytest's own."""
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / name
    folder.mkdir(exist_ok=True)
    return folder


def once(folder: Path, name: str, make: Callable[[], Any], patience: float = 300) -> Any:
    """What `make` returns, made by the first worker that asks; the others wait for it."""
    answer, lock, new = (folder / f"{name}.{kind}" for kind in ("answer", "lock", f"new{os.getpid()}"))
    until = time.monotonic() + patience
    while not answer.exists():
        try:
            os.close(os.open(lock, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            assert time.monotonic() < until, f"no worker made {name}"
            time.sleep(0.1)
            continue
        try:
            new.write_bytes(pickle.dumps(make()))
            new.replace(answer)
        except BaseException:
            lock.unlink()
            raise
    return _read(answer)


@lru_cache(maxsize=32)
def _read(answer: Path) -> Any:
    """What a worker made; the tests of a file ask for it one after the other, and leave it as it is."""
    return pickle.loads(answer.read_bytes())
