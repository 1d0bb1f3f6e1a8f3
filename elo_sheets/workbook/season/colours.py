"""The colours of a season's tables."""

from __future__ import annotations

from collections.abc import Iterator

from elo_sheets.workbook.plan import Highlight, TablePlan


def ranking_highlights(table: TablePlan) -> Iterator[Highlight]:
    """Yield the formats of a table of the teams by their place."""
    first = table.first_data_row
    labels = [column.label for column in table.columns]
    for label in labels:
        if label.startswith(("Last", "5", "4", "3", "2")):
            for letter, style in (("W", "win"), ("D", "draw"), ("L", "loss")):
                yield Highlight(table.range(label), f'{table.top(label)}="{letter}"', style)
    for count, last in (("P", "Points"), ("Home P", "Points at home"), ("Away P", "Points away")):
        if count in labels:  # of a team without a game
            cells = table.range(count).split(":")[0] + ":" + table.range(last).split(":")[1]
            yield Highlight(cells, f"N({table.top(count)})=0", "nothing")
    if "Points" in labels:
        yield Highlight(table.body, f'AND($A{first}<>"",$A{first}<=3)', "podium")
    yield Highlight(table.body, f'$A{first}<>""', "ruled")


def forecast_highlights(table: TablePlan) -> Iterator[Highlight]:
    """Yield the formats of the fixtures that come next: the likeliest end of each."""
    first = table.first_data_row
    styles = {"Home win": "win", "Draw": "draw", "Away win": "loss"}
    most = f"MAX({','.join(map(table.top, styles))})"
    for label, style in styles.items():
        yield Highlight(table.range(label), f'AND({table.top(label)}<>"",{table.top(label)}={most})', style)
    yield Highlight(f"$A${first}:$M${table.last_row}", f'$A{first}<>""', "ruled")
