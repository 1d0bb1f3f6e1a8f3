"""Faults of a workbook as such, whatever it computes: how it calculates, what it reads from elsewhere, what it hides.

What can change a number is a warning or an error; all else is a note, and there is one finding per fault, not per cell.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby, takewhile

from elo_sheets.files.cells import Book, Cell, CellError
from elo_sheets.files.references import Place, cell_name, parse_range
from elo_sheets.verdict.circles import (
    BRANCH,
    REFERENCE,
    VALUE,
    Area,
    Graph,
    Node,
    find_circles,
    one_way_round,
    read_all,
)
from elo_sheets.verdict.findings import ERROR, NOTE, WARNING, Finding

_TEXT = re.compile(r'"(?:[^"]|"")*"')
_TIMED = ("TODAY", "NOW", "RAND", "RANDBETWEEN", "RANDARRAY")
_VOLATILE = ("OFFSET", "INDIRECT", "CELL", "INFO")
_FETCHING = (
    "WEBSERVICE",
    "RTD",
    "DDE",
    "IMPORTRANGE",
    "IMPORTDATA",
    "IMPORTHTML",
    "IMPORTXML",
    "IMPORTFEED",
    "GOOGLEFINANCE",
)
_ELSEWHERE = re.compile(
    r"'(?P<path>[^'\[]*)\[(?P<quoted>[^\[\]]+)\](?:[^']|'')*'!"
    r"|(?<![\w\]'.])\[(?P<bare>[^\[\]@#]+)\](?:[^\W\d][\w.]*)?!"
)
_MAX_RANGES = 5  # spelt out in a message


# --- places in words ----------------------------------------------------------------------------------------


def _plain_sheet(sheet: str) -> str:
    return sheet if re.fullmatch(r"[^\W\d]\w*", sheet) else "'" + sheet.replace("'", "''") + "'"


def _runs(places: Iterable[Place]) -> list[str]:
    """Cells as ranges down the columns, the topmost first."""
    ordered = sorted((column, row) for row, column in places)
    found = []
    for _, group in groupby(enumerate(ordered), key=lambda item: (item[1][0], item[1][1] - item[0])):
        run = [place for _, place in group]
        (column, first), (_, last) = run[0], run[-1]
        found.append(
            (first, column, cell_name(first, column) + (f":{cell_name(last, column)}" if last > first else ""))
        )
    return [text for _, _, text in sorted(found)]


def _where(nodes: Iterable[Node]) -> tuple[str, str]:
    """The first range of some cells, with its sheet, and all of them in words."""
    by_sheet: dict[str, list[Place]] = {}
    for sheet, row, column in nodes:
        by_sheet.setdefault(sheet, []).append((row, column))
    texts = [f"{_plain_sheet(sheet)}!{run}" for sheet, places in by_sheet.items() for run in _runs(places)]
    more = len(texts) - _MAX_RANGES
    shown = ", ".join(texts[:_MAX_RANGES]) + (f" and {more} more ranges" if more > 0 else "")
    return (texts[0] if texts else ""), shown


def _one(number: int, singular: str, plural: str) -> str:
    return singular if number == 1 else plural


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}" + ("" if number == 1 else "s")


# --- settings -----------------------------------------------------------------------------------------------


def _settings(book: Book, circular: bool) -> Iterator[Finding]:
    if book.calc.mode == "manual":
        yield Finding(
            "ES501",
            WARNING,
            "",
            "calculation is set to manual: what the book shows may be older than what was typed",
            confidence="shape",
        )
    if not book.calc.full_precision:
        yield Finding(
            "ES503",
            ERROR,
            "",
            "the book computes with the numbers as displayed ('Set precision as displayed'), so every rating is "
            "rounded to the decimals of its cell, and typed numbers have lost theirs for good",
            confidence="shape",
        )
    if book.calc.iterate:
        yield Finding(
            "ES504",
            WARNING if circular else NOTE,
            "",
            "the book repeats circular references a number of times instead of reporting them"
            + ("" if circular else "; it has none"),
            confidence="shape",
        )
    if book.macros:
        yield Finding(
            "ES508",
            NOTE,
            "",
            "the book has macros, which were not run: what they would write into cells is not known",
            confidence="shape",
        )


# --- other files --------------------------------------------------------------------------------------------


def _target(match: re.Match[str], book: Book) -> str:
    name = (match["quoted"] or match["bare"]).strip()
    if name.isascii() and name.isdigit():
        links = book.external_links
        return links[int(name) - 1] if 0 < int(name) <= len(links) and links[int(name) - 1] else f"link {name}"
    return (match["path"] or "").replace("''", "'") + name


def _targets(formula: str, book: Book) -> list[str]:
    if "[" not in formula or "!" not in formula:
        return []
    return [_target(match, book) for match in _ELSEWHERE.finditer(_TEXT.sub('""', formula))]


def _foreign_names(book: Book) -> dict[str, str]:
    texts = {**book.names, **{name: text for (_, name), text in book.local_names.items()}}
    found = {}
    for name, text in texts.items():
        targets = _targets(text, book)
        if targets and not name.startswith("_xl"):
            found[name.casefold()] = targets[0]
    return found


def _external(book: Book) -> Iterator[Finding]:
    readers: dict[str, list[Node]] = {}
    values: dict[str, Cell] = {}
    names = _foreign_names(book)
    named = re.compile(r"(?<![\w.\\])(?:" + "|".join(map(re.escape, names)) + r")(?![\w.\\(])", re.I) if names else None
    for sheet, cells in book.sheets.items():
        for (row, column), cell in cells.items():
            formula = cell.formula
            if formula is None:
                continue
            targets = _targets(formula, book)
            if named is not None and (match := named.search(_TEXT.sub('""', formula))):
                targets.append(names[match[0].casefold()])
            for target in dict.fromkeys(targets):
                readers.setdefault(target, []).append((sheet, row, column))
                values.setdefault(target, cell)
    for name, nodes in _calling(book, _FETCHING).items():
        readers[f"the function {name}"] = nodes
        values[f"the function {name}"] = book.sheets[nodes[0][0]][nodes[0][1:]]
    for target, nodes in readers.items():
        first, shown = _where(nodes)
        yield Finding(
            "ES505",
            WARNING,
            first,
            f"{_count(len(nodes), 'cell')} ({shown}) {_one(len(nodes), 'reads', 'read')} from outside "
            f"the book: {target!r}; what stands there cannot be checked, and changes without being seen here",
            found=values[target].value,
            confidence="shape",
        )
    unread = [link for link in book.external_links if link and link not in readers]
    if unread:
        yield Finding(
            "ES505",
            NOTE,
            "",
            f"the book keeps links to {_count(len(unread), 'other file')} that no formula reads: {unread[0]!r}"
            + (" and others" if len(unread) > 1 else ""),
            confidence="shape",
        )


# --- volatile formulas --------------------------------------------------------------------------------------


def _calling(book: Book, functions: Iterable[str]) -> dict[str, list[Node]]:
    """The cells that call one of the functions, by function."""
    # Looking for the bare words first is ten times faster.
    words = tuple({name[:4] for name in functions if len(name) > 4} | {name for name in functions if len(name) <= 4})
    pattern = re.compile(rf"(?:(?<=_xlfn\.)|(?<![\w.]))({'|'.join(functions)})\s*\(")
    found: dict[str, list[Node]] = {}
    for sheet, cells in book.sheets.items():
        for (row, column), cell in cells.items():
            formula = cell.formula
            if formula is None or not any(map(formula.__contains__, words)):
                continue
            # Google Sheets exports what Excel does not know as a text.
            told = formula if "DUMMYFUNCTION" in formula else _TEXT.sub('""', formula)
            match = pattern.search(told)
            if match:
                found.setdefault(match[1], []).append((sheet, row, column))
    return found


def _read_by_others(reads: Mapping[Node, list[Area]], wanted: set[Node]) -> set[Node]:
    """The wanted cells that another formula reads."""
    if not wanted:
        return set()
    by_column: dict[tuple[str, int], list[int]] = {}
    for sheet, row, column in wanted:
        by_column.setdefault((sheet, column), []).append(row)
    found: set[Node] = set()
    for reader, areas in reads.items():
        for area in areas:
            columns = range(area.left, area.right + 1)
            if len(columns) > len(by_column):
                inside = [c for s, c in by_column if s == area.sheet and area.left <= c <= area.right]
            else:
                inside = [c for c in columns if (area.sheet, c) in by_column]
            for column in inside:
                rows = [row for row in by_column[area.sheet, column] if area.top <= row <= area.bottom]
                found.update(node for row in rows if (node := (area.sheet, row, column)) != reader)
        if len(found) == len(wanted):
            break
    return found


def _volatile(book: Book, reads: Mapping[Node, list[Area]], watched: set[Node] | None) -> Iterator[Finding]:
    timed = _calling(book, _TIMED)
    everything = {node for nodes in timed.values() for node in nodes}
    if watched is None:
        feeding = _read_by_others(reads, everything)
    else:
        feeding = everything & Graph(reads).reached(watched) if everything else set()
    for name, nodes in timed.items():
        loud = [node for node in nodes if node in feeding]
        first, shown = _where(loud or nodes)
        often = "changes with every recalculation" if name.startswith("RAND") else "changes with the day it is opened"
        if loud:
            message = f"{name} stands in {_count(len(loud), 'cell')} ({shown}) that others depend on: the book {often}"
        else:
            message = f"{name} stands in {_count(len(nodes), 'cell')} ({shown}) that no formula reads"
        yield Finding("ES506", WARNING if loud else NOTE, first, message, confidence="shape")
    for name, nodes in _calling(book, _VOLATILE).items():
        first, shown = _where(nodes)
        yield Finding(
            "ES506",
            NOTE,
            first,
            f"{name} stands in {_count(len(nodes), 'cell')} ({shown}): it is computed anew after every change, and "
            "what it reads cannot be seen from the formula",
            confidence="shape",
        )


# --- hidden rows --------------------------------------------------------------------------------------------


def _typed_rows(cells: Mapping[Place, Cell]) -> list[int]:
    return sorted({row for (row, _), cell in cells.items() if cell.formula is None and cell.value not in (None, "")})


def _blocks(rows: list[int]) -> Iterator[list[int]]:
    block: list[int] = []
    for row in rows:
        if block and row > block[-1] + 2:
            yield block
            block = []
        block.append(row)
    if block:
        yield block


def _hidden(book: Book) -> Iterator[Finding]:
    for sheet, hidden in book.hidden_rows.items():
        if sheet in book.hidden or sheet not in book.sheets:
            continue
        for block in _blocks(_typed_rows(book.sheets[sheet])):
            inside = [row for row in block if row in hidden]
            shown = [row for row in block if row not in hidden]
            if not inside or not shown:
                continue
            between = [row for row in inside if shown[0] < row < shown[-1]]
            quiet = sheet in book.autofilters or not between or 4 * len(inside) > len(block)
            rows = ", ".join(_row_runs(between or inside))
            yield Finding(
                "ES507",
                NOTE if quiet else WARNING,
                f"{_plain_sheet(sheet)}!{_row_runs(between or inside)[0]}",
                f"hidden rows ({rows}) of sheet {sheet!r} hold entries that count but are not seen"
                + (" (a filter is set)" if sheet in book.autofilters else ""),
                confidence="shape",
            )


def _row_runs(rows: list[int]) -> list[str]:
    found = []
    for _, group in groupby(enumerate(rows), key=lambda item: item[1] - item[0]):
        run = [row for _, row in group]
        found.append(f"{run[0]}:{run[-1]}")
    return found[:_MAX_RANGES]


# --- error cells and texts ----------------------------------------------------------------------------------


def _errors(book: Book) -> Iterator[Finding]:
    found: dict[str, list[Node]] = {}
    for sheet, cells in book.sheets.items():
        last = max(_typed_rows(cells), default=0)
        for (row, column), cell in cells.items():
            if isinstance(cell.value, CellError) and (row <= last or cell.formula is None):
                found.setdefault(str(cell.value), []).append((sheet, row, column))
    nodes = [node for group in found.values() for node in group]
    if nodes:
        first, shown = _where(nodes)
        kinds = ", ".join(f"{kind} {len(group):,}" for kind, group in found.items())
        yield Finding(
            "ES509",
            NOTE,
            first,
            f"{_count(len(nodes), 'cell')} {_one(len(nodes), 'shows', 'show')} errors ({kinds}): {shown}",
            confidence="shape",
        )


def _formula_texts(book: Book) -> Iterator[Finding]:
    nodes = [(sheet, *place) for sheet, place in book.formula_texts]
    if nodes:
        first, shown = _where(nodes)
        yield Finding(
            "ES410",
            NOTE,
            first,
            f"{_count(len(nodes), 'cell')} ({shown}) {_one(len(nodes), 'holds', 'hold')} text that looks like a "
            "formula but computes nothing",
            confidence="shape",
        )


# --- what guards and shows the data -------------------------------------------------------------------------


def _column_span(text: str) -> tuple[int, int, int] | None:
    """First row, last row and column of a range down one column, of four cells or more."""
    try:
        top, left, bottom, right = parse_range(text)
    except ValueError:
        return None
    return (top, bottom, left) if left == right and bottom - top >= 3 else None


def _filled(cell: Cell | None, typed: bool) -> bool:
    if cell is None or cell.value in (None, "") or isinstance(cell.value, CellError):
        return False
    return not typed or cell.formula is None


def _left_out(cells: Mapping[Place, Cell], last: int, column: int, typed: bool) -> int:
    """How many cells below a range go on without a gap."""
    row = last + 1
    while _filled(cells.get((row, column)), typed):
        row += 1
    return row - last - 1


def _unguarded(book: Book) -> Iterator[Finding]:
    """Columns of typed entries of which the rule for entries misses the last few."""
    guarded: dict[tuple[str, int], list[tuple[int, int]]] = {}
    for rule in book.validations:
        if rule.type == "none":
            continue
        for text in rule.ranges.split():
            span = _column_span(text)
            if span is not None:
                guarded.setdefault((rule.sheet, span[2]), []).append(span[:2])
    for (sheet, column), spans in guarded.items():
        cells = book.sheets.get(sheet, {})
        first, last = min(top for top, _ in spans), max(bottom for _, bottom in spans)
        missing = _left_out(cells, last, column, typed=True)
        covered = last - first + 1
        if missing and missing <= 2 * covered and _filled(cells.get((last, column)), True):
            where = f"{_plain_sheet(sheet)}!{cell_name(last + 1, column)}:{cell_name(last + missing, column)}"
            yield Finding(
                "ES510",
                WARNING if 3 * missing <= covered else NOTE,
                where,
                f"the rule for what may be typed ends in row {last}, {_count(missing, 'row')} before the entries do",
                confidence="shape",
            )


def _open(book: Book) -> Iterator[Finding]:
    for sheet, places in book.open_formulas.items():
        cells = book.sheets.get(sheet, {})
        formulas = sum(cell.formula is not None for cell in cells.values())
        if 5 * len(places) <= formulas:
            first, shown = _where((sheet, *place) for place in places)
            yield Finding(
                "ES511",
                WARNING,
                first,
                f"{_count(len(places), 'formula')} ({shown}) can be typed over although the sheet is protected and its "
                "other formulas are locked",
                confidence="shape",
            )


def _short_charts(book: Book) -> Iterator[Finding]:
    sheets = {sheet.casefold(): sheet for sheet in book.sheets}
    told: set[tuple[str, int]] = set()
    for texts in book.charts.values():
        for text in texts:
            name, _, cells_text = text.rpartition("!")
            plain = name[1:-1].replace("''", "'") if name.startswith("'") else name
            sheet, span = sheets.get(plain.casefold()), _column_span(cells_text)
            if sheet is None or span is None or (sheet, span[1]) in told:
                continue
            top, bottom, column = span
            cells, where = book.sheets[sheet], _plain_sheet(sheet)
            missing = _left_out(cells, bottom, column, typed=False)
            entered = {row for (row, _), cell in cells.items() if _filled(cell, True)}
            if bottom in entered:  # rows that wait for games show what the last one left
                missing = sum(1 for _ in takewhile(entered.__contains__, range(bottom + 1, bottom + missing + 1)))
            if missing and 3 * missing <= bottom - top + 1 and _filled(cells.get((bottom, column)), False):
                told.add((sheet, bottom))
                yield Finding(
                    "ES512",
                    WARNING,
                    f"{where}!{cell_name(bottom + 1, column)}:{cell_name(bottom + missing, column)}",
                    f"a chart shows {where}!{cells_text.replace('$', '')} and leaves out the last "
                    f"{_count(missing, 'row')}",
                    confidence="shape",
                )


# --- circles ------------------------------------------------------------------------------------------------


def _way(reads: Mapping[Node, list[Area]], group: list[Node], level: int) -> str:
    way = one_way_round(reads, group, level)
    if len(way) < 2 or len(way) > 9:
        return ""
    home = way[0][0]
    names = [("" if s == home else _plain_sheet(s) + "!") + cell_name(row, column) for s, row, column in way]
    return " (" + " reads ".join(names) + ")"


def _circle(reads: Mapping[Node, list[Area]], group: list[Node], level: int, iterate: bool) -> Finding:
    first, shown = _where(group)
    way = _way(reads, group, level)
    number = len(group)
    who = f"{_count(number, 'formula')} ({shown})"
    need = f"{who} {_one(number, 'needs its', 'need their')} own result{way}"
    if level == VALUE:
        severity = WARNING if iterate else ERROR
        end = ": what is shown depends on how often it was repeated" if iterate else ": a circular reference"
        message = need + end
    elif level == BRANCH:
        severity = WARNING
        message = f"{need} when a condition holds"
    else:
        severity = NOTE
        look = _one(number, "looks a value up in a range with a cell", "look a value up in ranges with cells")
        back = _one(number, "that reads it again", "that read them again")
        message = f"{who} {look} {back}{way}; it works as long as the value is found in another cell"
    return Finding("ES215", severity, first, message, confidence="shape")


def _circles(book: Book, reads: Mapping[Node, list[Area]]) -> list[Finding]:
    soft = find_circles(reads, REFERENCE)
    if not soft:
        return []
    suspects = {node: reads[node] for group in soft for node in group}
    findings = []
    told: set[Node] = set()
    for level in (VALUE, BRANCH):
        alike: dict[frozenset[tuple[str, int]], list[Node]] = {}  # one finding for the circles of many rows
        for group in find_circles(suspects, level):
            if not told.issuperset(group):
                alike.setdefault(frozenset((sheet, column) for sheet, _, column in group), []).extend(group)
        for nodes in alike.values():
            findings.append(_circle(suspects, nodes, level, book.calc.iterate))
            told.update(nodes)
    rest = [node for group in soft if not told.intersection(group) for node in group]
    if rest:
        findings.append(_circle(suspects, rest, REFERENCE, book.calc.iterate))
    return findings[:_MAX_CIRCLES]


_MAX_CIRCLES = 20


def short_ranges(book: Book) -> list[Finding]:
    """The findings about what ends before the last row does, rules for entries and charts: ES510 and ES512."""
    return [*_unguarded(book), *_short_charts(book)]


def book_faults(book: Book, *, watched: Iterable[tuple[str, Place]] | None = None) -> list[Finding]:
    """The findings about the workbook as such: ES501, ES503 to ES512, ES215 (circles), texts like formulas.

    `watched` are the cells whose numbers matter, by sheet and place, such as all ratings: a volatile formula is then a
    warning only when one of them depends on it; without it, when any formula reads it.

    Stored values are looked at, none is computed. Costs about 20 µs for a formula.
    """
    reads = read_all(book)
    circles = _circles(book, reads)
    real = any(finding.severity != NOTE for finding in circles)
    cells = None if watched is None else {(sheet, *place) for sheet, place in watched}
    return [
        *_settings(book, real),
        *circles,
        *_external(book),
        *_volatile(book, reads, cells),
        *_hidden(book),
        *short_ranges(book),
        *_open(book),
        *_errors(book),
        *_formula_texts(book),
    ]


__all__ = ["book_faults", "short_ranges"]
