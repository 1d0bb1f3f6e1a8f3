"""The colours of a season's tables."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from elo_sheets.files.package import column_letters
from elo_sheets.workbook.plan import (
    Highlight,
    TablePlan,
)

if TYPE_CHECKING:
    pass


def _letter(cells: str) -> str:
    return cells[1 : cells.index("$", 1)]


def ranking_highlights(table: TablePlan) -> Iterator[Highlight]:
    """Yield the formats of a table of the teams by their place."""
    first = table.first_data_row
    labels = [column.label for column in table.columns]
    body = f"$A${first}:${column_letters(len(labels))}${table.last_row}"
    for label in labels:
        if label.startswith(("Last", "5", "4", "3", "2")):
            cells = table.range(label)
            for letter, style in (("W", "win"), ("D", "draw"), ("L", "loss")):
                yield Highlight(cells, f'${_letter(cells)}{first}="{letter}"', style)
    for count, last in (("P", "Points"), ("Home P", "Points at home"), ("Away P", "Points away")):
        if count in labels:  # of a team without a game
            none = table.range(count)
            yield Highlight(
                none.split(":")[0] + ":" + table.range(last).split(":")[1], f"N(${_letter(none)}{first})=0", "nothing"
            )
    if "Points" in labels:
        yield Highlight(body, f'AND($A{first}<>"",$A{first}<=3)', "podium")
    yield Highlight(body, f'$A{first}<>""', "ruled")


def forecast_highlights(table: TablePlan) -> Iterator[Highlight]:
    """Yield the formats of the fixtures that come next: the likeliest end of each."""
    first = table.first_data_row
    odds = [table.range(label) for label in ("Home win", "Draw", "Away win")]
    cells = [f"${_letter(one)}{first}" for one in odds]
    for one, own, style in zip(odds, cells, ("win", "draw", "loss"), strict=True):
        yield Highlight(one, f'AND({own}<>"",{own}=MAX({",".join(cells)}))', style)
    yield Highlight(f"$A${first}:$M${table.last_row}", f'$A{first}<>""', "ruled")
