"""The first page of a tournament report, and one player's calculation as FIDE's page of calculations shows it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from elo_sheets.files.references import column_letters
from elo_sheets.workbook.book import Book
from elo_sheets.workbook.event.games import Event
from elo_sheets.workbook.event.ratings import DAY, YEAR, Ratings, k_style
from elo_sheets.workbook.highlights import unnamed
from elo_sheets.workbook.layout import day_read, trimmed
from elo_sheets.workbook.plan import (
    PENDING,
    CellPlan,
    ChartPlan,
    Highlight,
    Series,
    SheetPlan,
    TablePlan,
    figured,
)

COVER_ROW = 4
DAY_ROW = COVER_ROW + 6

# The figures of it that the front page and the report say, too.
FRONT = ("Games at the board", "Best performance", "Largest gain", "Largest upset")

# How many places the chart of changes shows.
CHART_PLACES = 20

CARD_FIRST_ROW = 12


def cover_cells() -> dict[str, str]:
    """Return the names of the cells that the rules read."""
    return {DAY: f"Event!$B${DAY_ROW}", YEAR: f"Event!$B${DAY_ROW + 1}"}


def cover_sheet(
    sheet: Mapping[str, Any],
    book: Book,
    event: Event,
    hint: CellPlan,
    asked: Iterable[CellPlan],
    figures: Iterable[CellPlan],
) -> SheetPlan:
    """Return the first page: what is played, which is `asked`, the `figures` of the event, two charts."""
    cells = [
        CellPlan(1, 1, f"{sheet['title']}: {book.title}" if book.title else sheet["title"], style="title"),
        hint,
        CellPlan(3, 1, "What is played", style="section", merge_to=2),
        CellPlan(3, 4, "In figures", style="section", merge_to=5),
        *asked,
    ]
    first = f"B{COVER_ROW + 2}"
    year = f"IF(B{DAY_ROW}>0,YEAR(B{DAY_ROW}),0)"
    cells += figured(DAY_ROW, 1, "Day that counts", day_read(first), "date", "date")
    cells += figured(DAY_ROW + 1, 1, "Year for ages", year, "ordinal_centred", "count")
    cells += figures
    below = COVER_ROW + len(sheet["figures"]) + 1
    return SheetPlan(
        sheet["name"],
        tuple(cells),
        charts=_charts(event, below),
        landscape=True,
        widths={1: 18, 2: 36, 3: 4, 4: 20, 5: 52},
    )


def _charts(event: Event, below: int) -> tuple[ChartPlan, ...]:
    rounds = event.inputs.sizes["Rounds"]
    bars = tuple(
        Series(f"=Rounds!${c}$4", f"=Rounds!$A$5:$A${4 + rounds}", f"=Rounds!${c}$5:${c}${4 + rounds}", style)
        for c, style in (("C", "bar_win"), ("D", "bar_draw"), ("E", "bar_loss"))
    )
    places = min(CHART_PLACES, event.entries)
    change = column_letters(6 + rounds + 5)
    rows = f"${{0}}$5:${{0}}${4 + places}"
    gains = Series("Change", "=Standings!" + rows.format("A"), "=Standings!" + rows.format(change), "bar_win")
    title = "Rating change by place"
    if places < event.entries:
        title = f"Rating change of the first {places} places"
    return (
        ChartPlan("bar", "Results by round", "Round", "", bars, below, 1, 420, 320),
        ChartPlan("bar", title, "Place", "", (gains,), below, 4, 520, 320, edge_labels=True),
    )


# One player's calculation


def card_sheet(heading: Iterable[CellPlan], plan: TablePlan, event: Event, made: Ratings) -> SheetPlan:
    """Return the calculation of a player who is chosen from a drop-down."""
    cells = list(heading)
    number = f'IF(B4="",0,SUMPRODUCT((Ratings[Name]={trimmed("B4")})*Ratings[Id]))'
    cells += figured(5, 1, "Number", number, "helper", "count", label_style="remark")
    for column, (text, taken, style, unit) in enumerate(_summary(event, made), 1):
        cells.append(CellPlan(7, column, text, style="header"))
        cells.append(CellPlan(8, column, PENDING, f'IF($B$5=0,"",INDEX(Ratings[{taken}],$B$5))', style, unit))
    score, at = plan.range("W"), plan.top("W")
    highlights = tuple(
        Highlight(score, f"AND(ISNUMBER({at}),N({at})={points})", style)
        for points, style in ((1, "win"), (0.5, "draw"), (0, "loss"))
    )
    ruled = Highlight(plan.body, f"ISNUMBER($D{plan.first_data_row})", "ruled")
    return SheetPlan(
        "Card",
        tuple(cells),
        (plan,),
        highlights=(*highlights, ruled, unnamed(plan, "Round", "Status")),
        widths=plan.widths,
        heights={5: 0.0},
        landscape=True,
    )


def _summary(event: Event, made: Ratings) -> list[tuple[str, str, str, str]]:
    """Return the figures of the player: header, column of Ratings, style, unit."""
    labels = made.ratings.labels
    change, delta = labels[made.change_role], labels.get("step:Ratings:period_delta", "")
    exact = "rating_exact" in labels
    shown = [
        ("Ro", "Rating", "whole", "points"),
        ("n", "n", "ordinal", "count"),
        ("W", "W", "number", "number"),
        ("Player", "Name", "name_strong", "text"),
        ("We", "We", "decimal", "share"),
        ("Rc", "Rc", "points", "points"),
        ("Rp", "Rp", "whole", "points"),
        ("chg", delta, "change_fine", "share") if exact else None,
        ("K", made.k_label, k_style(event), "number"),
        ("K*chg", "K × ΔR", "change_fine", "points") if exact else None,
        ("Change", change, "change_whole", "points"),
        ("Rn", "New rating", "whole_strong", "points"),
    ]
    return [one for one in shown if one is not None]
