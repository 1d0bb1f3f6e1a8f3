"""Web pages: the tables of a page that hold games, or a crosstable, with what its headings say of the event.

Nothing of a page is fetched, run or followed. A table's row is counted from its first one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from html.parser import HTMLParser

from elo_sheets.errors import UnreadableInput
from elo_sheets.readers._above import Above, above, day_in
from elo_sheets.readers._arranged import as_rows
from elo_sheets.readers._dates import read_date
from elo_sheets.readers._layout import Row, Table, header_of, listed
from elo_sheets.readers._people import LIST_GIVEN, is_list
from elo_sheets.readers._registry import How, OpenLog
from elo_sheets.readers._sides import is_sided
from elo_sheets.readers._text import decode
from elo_sheets.readers.crosstable import is_crosstable

LARGEST = 16 << 20
SMALLER = "save its table as CSV, of which any size is read"
MOST_CELLS = 2_000_000
WIDEST, LONGEST_SPAN = 500, 2_000
DEEPEST = 50
BEGINS = re.compile(rb"\s*<(?:!--|!doctype\s+html|\?xml|[a-z])", re.I)
IS_PAGE = re.compile(rb"<(?:html|table|tr)\b", re.I)
HEADINGS = frozenset({"h1", "h2", "h3", "h4", "caption"})
BLOCKS = frozenset("p div br hr center li ul table section article td tr".split())
SILENT = frozenset({"script", "style", "template"})
DATES = re.compile(r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}\.\d{1,2}\.\d{4}")
DATE_WORDS = frozenset("date datum dates fecha data dato".split())
ROUND = re.compile(
    r"(?:round|runde|ronda|ronde|rodada|rd)\W{0,2}(\d{1,2})\b|\b(\d{1,2})\W{0,2}(?:round|runde|ronda|ronde)", re.I
)
# Headings that say what a table is, not of which event.
KINDS = re.compile(r"crosstable|kreuztabelle|rank|start|pairing|paarung|result|ergebnis|table|tabelle|liste?\b", re.I)


@dataclass
class Found:
    """A table of a page, the headings above it, and the line of text just above it."""

    headings: tuple[str, ...]
    above: str = ""
    rows: list[list[str]] = field(default_factory=list)
    spans: dict[tuple[int, int], str] = field(default_factory=dict)


class _Page(HTMLParser):
    def __init__(self, source: str) -> None:
        super().__init__(convert_charrefs=True)
        self.source = source
        self.found: list[Found] = []
        self.open: list[Found] = []
        self.cells: list[tuple[list[str], int, int] | None] = []
        self.headings: list[str] = []
        self.heading: list[str] | None = None
        self.line: list[str] = []
        self.last = ""
        self.silent = 0
        self.count = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._end_line(tag)
        if tag in SILENT:
            self.silent += 1
        elif tag == "table":
            self.open.append(Found(tuple(self.headings[-3:]), self.last))
            self.cells.append(None)
        elif tag in HEADINGS:
            self.heading = []
        elif not self.open:
            return
        elif tag == "tr":
            self._close_cell()
            self.open[-1].rows.append([])
        elif tag in ("td", "th"):
            self._close_cell()
            said = dict(attrs)
            self.cells[-1] = [], _span(said.get("colspan"), WIDEST), _span(said.get("rowspan"), LONGEST_SPAN)
        elif tag in ("br", "p", "div"):
            self.handle_data(" ")

    def _end_line(self, tag: str) -> None:
        if tag in BLOCKS or tag in HEADINGS:
            self.last = " ".join("".join(self.line).split()) or self.last
            self.line = []

    def handle_endtag(self, tag: str) -> None:
        self._end_line(tag)
        if tag in SILENT:
            self.silent = max(0, self.silent - 1)
        elif tag in HEADINGS and self.heading is not None:
            text = " ".join("".join(self.heading).split())
            if text:
                self.headings.append(text)
            self.heading = None
        elif tag in ("td", "th", "tr") and self.open:
            self._close_cell()
        elif tag == "table" and self.open:
            self.last = ""
            self._close_cell()
            self.cells.pop()
            self.found.append(self.open.pop())

    def handle_data(self, data: str) -> None:
        if self.silent:
            return
        self.line.append(data)
        if self.heading is not None:
            self.heading.append(data)
        if self.cells and (cell := self.cells[-1]) is not None:
            cell[0].append(data)

    def _close_cell(self) -> None:
        cell = self.cells[-1]
        if cell is None:
            return
        self.cells[-1] = None
        table = self.open[-1]
        if not table.rows:
            table.rows.append([])
        text = " ".join("".join(cell[0]).split())
        row, at = table.rows[-1], len(table.rows) - 1
        while len(row) < WIDEST and (at, len(row)) in table.spans:
            row.append(table.spans.pop((at, len(row))))
        for down in range(1, cell[2]):
            self._counted()
            table.spans[at + down, len(row)] = text
        for across in range(cell[1]):
            self._counted()
            if len(row) < WIDEST:
                row.append("" if across else text)

    def _counted(self) -> None:
        self.count += 1
        if self.count > MOST_CELLS:
            raise UnreadableInput(f"expected a page of at most {MOST_CELLS:,} cells ({self.source}): {SMALLER}")


def _span(text: str | None, most: int) -> int:
    return min(int(text), most) if text and text.isdecimal() and len(text) < 6 and int(text) else 1


def is_page(log: OpenLog) -> bool:
    """Tell by its first bytes whether a log is a web page."""
    head = log.ascii_head()
    return BEGINS.match(head) is not None and IS_PAGE.search(head) is not None


def tables(log: OpenLog, how: How) -> Iterator[Table]:
    """Yield the tables of a page that hold games; raises `UnreadableInput` for a page without any."""
    found = page_tables(log, how)
    event, days = _event(found)
    games = [one for one in found if is_crosstable(one.rows[:DEEPEST]) or header_of(one.rows, how.columns, DEEPEST)]
    games = games or [one for one in found if is_sided(as_rows(one, how.columns).rows, how.columns)]
    if not games:
        if any(is_list(row.cells) for one in found for row in one.rows[:5]):
            raise UnreadableInput(LIST_GIVEN.format(name=log.name))
        tops = "; ".join(listed(one.rows[0].cells) for one in found[-3:] if one.rows)
        raise UnreadableInput(
            f"expected a table with two sides and the result, or a crosstable, got none ({log.name} has "
            f"{tops or 'no table'})"
        )
    crossed = [one for one in games if is_crosstable(one.rows[:DEEPEST])]
    for one in crossed or games:
        said = {"event": one.said.get("event") or event, **days}
        yield Table(one.name, one.rows, one.notes, None, said, DEEPEST)


def page_tables(log: OpenLog, how: How) -> list[Table]:
    """Return all tables of a page that have rows, those inside of others before them; `said` has the event."""
    data = log.stream.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise UnreadableInput(f"expected a page of at most {LARGEST >> 20} MiB ({log.name}): {SMALLER}")
    text, notes = decode(data, how.encoding, log.name)
    page = _Page(log.name)
    page.feed(text)
    page.close()
    found = [*page.found, *reversed(page.open)]
    tables_ = []
    for one in found:
        width = max(map(len, one.rows), default=0)
        rows = [Row(at, row + [""] * (width - len(row))) for at, row in enumerate(one.rows, 1) if any(row)]
        if rows:
            event = next((text for text in reversed(one.headings) if not KINDS.search(text)), None)
            tables_.append(Table(log.name, _with_round(rows, one), notes, None, {"event": event}, DEEPEST))
    return tables_


def _with_round(rows: Sequence[Row], table: Found) -> Sequence[Row]:
    """Return rows with the round and the day that what stands above them tells, where they have no such columns."""
    heading = table.headings[-1] if table.headings else ""
    told, line = above(heading), above(table.above)
    if told is None and (found := ROUND.search(heading)):
        told = Above(day_in(heading), found[1] or found[2])
    if line is not None and line.day:  # which a line such as `Rounds: 7` does not tell
        told = Above(line.day, line.round or (told.round if told else ""))
    headers = ((at, header_of(rows[at:], {}, 1)) for at in range(min(len(rows), DEEPEST)) if told is not None)
    header, layout = next(((at, found) for at, found in headers if found is not None), (-1, None))
    if told is None or layout is None:
        return rows
    added = [("Round", told.round)] if told.round and "round" not in layout.roles else []
    added += [("Date", told.day)] if told.day and "date" not in layout.roles else []
    names, values = [name for name, _ in added], [value for _, value in added]
    return [row._replace(cells=[*row.cells, *(names if at == header else values)]) for at, row in enumerate(rows)]


def _event(found: Sequence[Table]) -> tuple[str | None, dict[str, datetime]]:
    """Return what the event is called, and its first and last day where the page tells them."""
    named = [str(one.said["event"]) for one in found if one.said.get("event")]
    days: list[datetime] = []
    for one in found:
        for row in one.rows:
            if len(row.cells) > 1 and row.cells[0].strip(" :").casefold() in DATE_WORDS:
                for text in DATES.findall(row.cells[1]):
                    try:
                        day = read_date(text, "dmy")
                    except ValueError:
                        continue
                    days += [day] if day else []
    return (named[-1] if named else None), ({"date": min(days), "last_day": max(days)} if days else {})
