"""Lists of players with ratings: federations' lists, starting ranks, a club's own, in any file that holds a table.

FIDE's lists since 2000 come in fixed columns, which the words of their first line begin, and as XML; national ones and
clubs' are CSV, sheets, or pages. Whoever plays in a log is found in a list by his id, where both have one; else by his
name, and federation where both tell it, regardless of case, accents, commas and the order of its words. Two rows that
fit one player are named and neither is taken.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, NamedTuple
from xml.parsers import expat

from elo_sheets.errors import UnreadableInput
from elo_sheets.readers import How, OpenLog, Table, page, sheets
from elo_sheets.readers._layout import DELIMITERS, Row, listed, rows_of
from elo_sheets.readers._names import words_of
from elo_sheets.readers._opening import open_log
from elo_sheets.readers._people import FIXED, is_list, people_columns
from elo_sheets.readers._text import Record, clean_name, decode, identity, read_rating

LARGEST = 1 << 30
DEEPEST = 50


class Listed(NamedTuple):
    """One row of a list: where it stands and what it says; None is not told."""

    row: int
    name: str
    rating: float | None
    id: str | None
    federation: str | None


@dataclass(frozen=True)
class Found:
    """The players of a log whom a list has, by their names in the log, and remarks."""

    players: Mapping[str, Listed]
    notes: Sequence[str] = field(default_factory=list)


def find_players(path: str, names: Sequence[str], known: Mapping[str, Record], how: How | None = None) -> Found:
    """Return the rows of a list that are the players named; `known` says `id` and `federation` of some by identity.

    Raises `UnreadableInput` for a file that is no list of players with ratings.
    """
    by_name: dict[str, list[str]] = {}
    for name in names:
        by_name.setdefault(words_of(name), []).append(name)
    ids = {name: known.get(identity(name), {}).get("id") for name in names}
    by_id = {str(number): name for name, number in ids.items() if number}
    said: dict[str, list[Listed]] = {}
    sure: dict[str, Listed] = {}
    others: list[str] = []  # of a list of one's own: a federation's has more of them than the log has players
    with open_log(path, how or How()) as log:
        for one in _people(log, how or How()):
            if one.id is not None and one.id in by_id:
                sure.setdefault(by_id[one.id], one)
                continue
            if words_of(one.name) not in by_name and len(others) <= len(names):
                others.append(one.name)
            for name in by_name.get(words_of(one.name), ()):
                federation = known.get(identity(name), {}).get("federation")
                if federation is None or one.federation is None or federation.casefold() == one.federation.casefold():
                    said.setdefault(name, []).append(one)
    notes = [f"{len(sure)} of {len(names)} players were found in {path} by their ids"] if sure else []
    found = dict(sure)
    for name, rows in said.items():
        if name in sure:
            continue
        exact = [one for one in rows if identity(one.name) == identity(name)]
        some = exact if len(exact) == 1 else rows
        if len({(one.id, one.rating) for one in some}) > 1:
            places = ", ".join(f"row {one.row}{'' if one.id is None else f' (id {one.id})'}" for one in some[:4])
            notes.append(f"{name!r} fits several rows of {path}, and none was taken: {places}; give NAME=RATING")
            continue
        found[name] = some[0]
        if identity(some[0].name) != identity(name):
            notes.append(f"{name!r} was taken for {some[0].name!r} of {path}, row {some[0].row}")
    if 0 < len(others) <= len(names):
        shown = f"{', '.join(map(repr, others[:5]))}{f' and {len(others) - 5} more' if len(others) > 5 else ''}"
        notes.append(
            f"{len(others)} of {path} have no game in the log and are left out ({shown}); in a book they can be typed "
            "on its sheet Players"
        )
    unrated = [name for name, one in found.items() if one.rating is None]
    return Found({name: one for name, one in found.items() if name not in unrated}, notes)


def is_named_list(log: OpenLog) -> bool:
    """Tell whether a file is a plain CSV list with the column player, as `--start` has always taken it."""
    head = log.ascii_head().split(b"\n", 1)[0].decode("latin-1").strip().casefold()
    return "player" in [cell.strip(' "') for cell in re.split("[,;\t]", head)]


# Files into people


def _people(log: OpenLog, how: How) -> Iterator[Listed]:
    if sheets.is_workbook(log):
        yield from chain.from_iterable(_of_table(table) for table in _with_people(sheets.lists(log, how), log.name))
    elif page.is_page(log):
        yield from chain.from_iterable(_of_table(table) for table in _with_people(page.page_tables(log, how), log.name))
    elif re.match(rb"\s*(?:<\?xml|<\w+>)", log.ascii_head()):
        yield from _of_xml(log)
    else:
        text, notes = decode(log.stream.read(LARGEST), how.encoding, log.name)
        lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        head = next((at for at, line in enumerate(lines[:DEEPEST]) if line.strip()), 0)
        columns = [found.start() for found in FIXED.finditer(lines[head])]
        delimiter = max(DELIMITERS, key=lambda sign: len(people_columns(lines[head].split(sign))))
        if len(people_columns(lines[head].split(delimiter))) < 2 and len(columns) > 2:
            rows = [Row(at + 1, _cut(line, columns)) for at, line in enumerate(lines) if at >= head and line.strip()]
        else:
            rows = list(rows_of(lines, head, delimiter))
        yield from chain.from_iterable(_of_table(one) for one in _with_people([Table(log.name, rows, notes)], log.name))


def _cut(line: str, columns: Sequence[int]) -> list[str]:
    """Return the cells of a line in fixed columns; a number that begins before its header's word stays whole."""
    ends = [*columns[1:], len(line)]
    return [
        line[0 if at == 0 else start : end].strip() for at, (start, end) in enumerate(zip(columns, ends, strict=True))
    ]


def _with_people(tables: Iterable[Table], source: str) -> Iterator[Table]:
    """Yield the tables from their headers on; raises `UnreadableInput` where none has names and ratings."""
    tops, count = [], 0
    for table in tables:
        at = next((at for at, row in enumerate(table.rows[:DEEPEST]) if is_list(row.cells)), None)
        if at is None:
            tops.append(listed(table.rows[0].cells) if table.rows else "nothing")
            continue
        count += 1
        yield Table(table.name, table.rows[at:], table.notes)
    if not count:
        raise UnreadableInput(
            f"expected a list of players with columns for name and rating, got {'; '.join(tops[:3]) or 'nothing'} "
            f"({source})"
        )


def _of_table(table: Table) -> Iterator[Listed]:
    columns = people_columns(table.rows[0].cells)

    def cell(row: Row, role: str) -> str:
        return row.cell(columns.get(role))

    for row in table.rows[1:]:
        name = cell(row, "name") or ", ".join(filter(None, (cell(row, "surname"), cell(row, "given_name"))))
        if name:
            rating = cell(row, "new_rating") or cell(row, "rating")  # of an event: what it led to
            yield _listed(row.line, name, rating, cell(row, "id"), cell(row, "federation"))


def _listed(row: int, name: str, rating: str, number: str, federation: str) -> Listed:
    try:
        value = read_rating(rating)
    except ValueError:
        value = None
    bare = number.strip().lstrip("0")
    return Listed(row, clean_name(name), value, bare or None, federation.strip() or None)


def _of_xml(log: OpenLog) -> Iterator[Listed]:
    """Yield the players of a list in XML, whose elements hold an element for each of their values."""
    found: list[Listed] = []
    path: list[str] = []
    values: dict[str, str] = {}
    text: list[str] = []
    count = 0

    def start(tag: str, attributes: Mapping[str, str]) -> None:
        path.append(tag)
        text.clear()
        if len(path) > 20:
            raise UnreadableInput(f"expected a list of players, got XML of too many levels ({log.name})")

    def end(tag: str) -> None:
        nonlocal count
        path.pop()
        if len(path) == 2 and len(values) < 100:
            values[tag] = "".join(text).strip()[:200]
        elif len(path) == 1:
            count += 1
            columns = people_columns(list(values))
            cells = list(values.values())
            said = {role: cells[at] for role, at in columns.items()}
            if said.get("name"):
                parts = (said.get(role, "") for role in ("name", "rating", "id", "federation"))
                found.append(_listed(count, *parts))
            values.clear()
        text.clear()

    def refuse(*_: object) -> None:
        raise UnreadableInput(f"expected a list of players, got XML with a document type ({log.name})")

    parser = expat.ParserCreate()
    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler = text.append
    parser.StartDoctypeDeclHandler = refuse
    try:
        while piece := log.stream.read(1 << 20):
            parser.Parse(piece, False)
            yield from found
            found.clear()
        parser.Parse(b"", True)
    except expat.ExpatError as error:
        raise UnreadableInput(f"expected sound XML, got damaged: {error} ({log.name})") from error
    yield from found
    if not count:
        raise UnreadableInput(f"expected a list of players, got XML without any ({log.name})")


def known_people(games_attrs: Mapping[Any, Any]) -> dict[str, Record]:
    """Return what a log tells of its players, by identity: id and federation."""
    entrants = games_attrs.get("entrants")
    people = entrants if isinstance(entrants, list) else []
    found = {identity(one["name"]): dict(one) for one in people if one.get("name")}
    ids = games_attrs.get("ids")
    for name, number in (ids if isinstance(ids, dict) else {}).items():
        found.setdefault(name, {})["id"] = number
    return found


__all__ = ["Found", "Listed", "find_players", "is_named_list", "known_people"]
