"""A report as a page: one HTML file that needs nothing besides itself, light or dark, for a phone and for paper."""

from __future__ import annotations

from collections.abc import Iterator

from elo_sheets._version import __version__
from elo_sheets.shipped import shipped_text
from elo_sheets.uses.reports.cells import Group, Listed, Reading
from elo_sheets.uses.reports.drawing import drawn
from elo_sheets.uses.reports.texts import escape
from elo_sheets.workbook.plan import Plan

# Nothing is loaded and nothing runs, whatever names hold.
POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_PODIUM = ("1", "2", "3")


def page(plan: Plan, sheet: str) -> str:
    """Return a sheet of a completed plan as a page; names are text, and control characters are seen."""
    reading = Reading(plan, sheet)
    title = escape(reading.title)
    hints = "".join(f'<p class="note">{escape(hint)}</p>' for hint in reading.hints)
    charts = "".join(drawn(chart, reading) for chart in reading.sheet.charts)
    groups, tables = "".join(map(_group, reading.groups)), "".join(map(_table, reading.tables))
    style = shipped_text("uses/reports/report.css")
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>\n{style}</style>\n</head>\n<body>\n<h1>{title}</h1>\n{hints}\n"
        f'<div class="groups">{groups}</div>\n<div class="charts">{charts}</div>\n{tables}\n'
        f"<footer>Made with elo-sheets {__version__} from the games as they are typed in the book.</footer>\n"
        "</body>\n</html>\n"
    )


def _group(group: Group) -> str:
    title = f"<h2>{escape(group.title)}</h2>" if group.title else ""
    figures = "".join(f"<dt>{escape(label)}</dt><dd>{escape(value)}</dd>" for label, value in group.figures)
    return f"<section>{title}<dl>{figures}</dl></section>"


def _table(table: Listed) -> str:
    title = f"<h2>{escape(table.title)}</h2>" if table.title else ""
    head = "".join(_cell("th", text, number) for text, number in zip(table.headers, table.numeric, strict=True))
    return f'{title}<div class="scroll"><table><tr>{head}</tr>{"".join(_rows(table))}</table></div>'


def _rows(table: Listed) -> Iterator[str]:
    for row in table.rows:
        cells = "".join(_cell("td", text, number) for text, number in zip(row, table.numeric, strict=True))
        yield f'<tr class="first">{cells}</tr>' if row[0] in _PODIUM else f"<tr>{cells}</tr>"


def _cell(tag: str, text: str, number: bool) -> str:
    return f'<{tag} class="number">{escape(text)}</{tag}>' if number else f"<{tag}>{escape(text)}</{tag}>"
