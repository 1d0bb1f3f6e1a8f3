"""An event's standings and cross table, and what the small bars beside them draw."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from elo_sheets.files.references import column_letters
from elo_sheets.workbook.book import HEADER_ROW
from elo_sheets.workbook.event.games import KEY, Event, Table
from elo_sheets.workbook.event.ratings import Ratings
from elo_sheets.workbook.highlights import small_lines
from elo_sheets.workbook.plan import CellPlan, ColumnPlan, Highlight, SheetPlan, TablePlan

# The header of the small bars.
BARS = "Against expectation"


def round_columns(column: Mapping[str, Any], rounds: int) -> list[dict[str, Any]]:
    """Return a template's column for each round."""
    formula = column["formula"]
    return [
        {**column, "label": f"R{r}", "role": "", "formula": formula.replace("{round}", f"{r}")}
        for r in range(1, rounds + 1)
    ]


def bar_column(column: Mapping[str, Any], rounds: int) -> list[dict[str, Any]]:
    """Return the column of the small bars, wide enough for as many."""
    return [{**column, "role": "", "width": max(len(column["label"]) + 2, 1.5 * rounds)}]


def standings_sheet(heading: tuple[CellPlan, ...], plan: TablePlan, rounds: int) -> SheetPlan:
    """Return the sheet: a row for each place, with what the player in it did in every round."""
    at = [one.label for one in plan.columns].index(BARS)
    return SheetPlan(
        "Standings",
        heading,
        (plan,),
        highlights=tuple(_marks(plan, rounds)),
        sparklines=tuple(small_lines(plan, at, 2 + rounds, 1 + 2 * rounds, plan.rows, bars=1.0)),
        widths=plan.widths,
        frozen_rows=HEADER_ROW,
        frozen_columns=4,
        landscape=True,
    )


def _marks(plan: TablePlan, rounds: int) -> list[Highlight]:
    """Return the colours of results, the first three, and gains and losses."""
    first, last = plan.first_data_row, plan.last_row
    begin, end = column_letters(7), column_letters(6 + rounds)
    cells = f"${begin}${first}:${end}${last}"
    at = f"{begin}{first}"
    change, moved = plan.range("Change"), plan.top("Change")
    return [
        Highlight(change, f"AND(ISNUMBER({moved}),N({moved})<0)", "loss_text"),
        Highlight(change, f"AND(ISNUMBER({moved}),N({moved})>0)", "gain"),
        Highlight(cells, f'AND({at}<>"",OR(RIGHT({at},1)="1",RIGHT({at},1)="+"))', "win"),
        Highlight(cells, f'AND({at}<>"",RIGHT({at},1)="½")', "draw"),
        Highlight(cells, f'AND({at}<>"",OR(RIGHT({at},1)="0",RIGHT({at},1)="-"))', "loss"),
        Highlight(f"$A${first}:$F${last}", f'AND($A{first}<>"",$A{first}<=3)', "podium"),
        Highlight(plan.body, f'$A{first}<>""', "ruled"),
    ]


def bars_table(event: Event, made: Ratings) -> TablePlan:
    """Return the hidden table behind the small bars: score minus expectation of each place in every round."""
    rounds = range(1, event.inputs.sizes["Rounds"] + 1)
    labels = ["No.", *(f"{what} {r}" for what in ("Row", "Round") for r in rounds)]
    table = Table("Sparks", {label: label for label in labels}, event.entries)
    table.add("No.", f"INDEX(Standings[No.],ROW()-ROW($A${HEADER_ROW}))")
    for r in rounds:
        table.add(f"Row {r}", f"IF([No.]=0,0,IFERROR(MATCH([No.]*{KEY}+{r},Ledger[Key],0),0))")
    for r in rounds:
        at = f"MAX(1,[Row {r}])"
        gain = f"INDEX(Ledger[Score],{at})-INDEX(Ledger[{made.expected_label}],{at})"
        table.add(f"Round {r}", f'IF([Row {r}]=0,"",IF(INDEX(Ledger[Counted],{at})=0,"",{gain}))', "share")
    columns = tuple(
        ColumnPlan(label, fill, "", "delta" if label.startswith("Round") else "integer", 9)
        for label, fill in table.fills.items()
    )
    return TablePlan("Sparks", HEADER_ROW, columns, event.entries)
