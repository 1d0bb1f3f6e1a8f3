"""An event's standings and cross table, and what the small bars beside them draw."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from elo_sheets.files.references import column_letters
from elo_sheets.workbook.book import HEADER_ROW
from elo_sheets.workbook.event.games import KEY, Event, Table
from elo_sheets.workbook.event.ratings import Ratings
from elo_sheets.workbook.plan import CellPlan, ColumnPlan, Highlight, SheetPlan, Sparkline, TablePlan

RP = {
    "fide": "Performance by FIDE's table, against rated opponents.",
    "dwz": "Turnierleistung: the rating at which the curve expects the points scored against rated opponents.",
}
BARS = "Against expectation"


def _columns(event: Event, rounds: int) -> list[tuple[str, str, float, str]]:
    """Return the label, style, width and explanation of each column."""
    return [
        ("Rank", "integer", 6.5, ""),
        ("No.", "helper", 0, "The player's number on Players."),
        ("Title", "centred", 6.5, "Title, as typed on Players."),
        ("Name", "name_strong", 31, "The player in this place."),
        ("Fed", "centred", 6.5, "Federation, as typed on Players."),
        ("Rating", "whole", 8, "Rating before the event."),
        *((f"R{i}", "centred", 7.5, "") for i in range(1, rounds + 1)),
        ("Points", "number_strong", 8, "Points, byes and forfeits included."),
        ("Buchholz", "number", 10, "Sum of the points of the opponents met at the board."),
        ("SB", "number", 8, "Sonneborn-Berger: the opponents' points times the score against them."),
        ("Rp", "whole", 8, RP.get(event.rules.name, RP["fide"])),
        ("Change", "change_whole", 9, "What the event does to the rating."),
        ("New", "whole_strong", 8, "The rating after the event."),
        (BARS, "text", max(len(BARS) + 2, 1.5 * rounds), ""),
    ]


def standings_sheet(heading: tuple[CellPlan, ...], event: Event, made: Ratings) -> SheetPlan:
    """Return the sheet: a row for each place, with what the player in it did in every round."""
    rounds = event.inputs.sizes["Rounds"]
    columns = _columns(event, rounds)
    table = _filled(event, made, [name for name, *_ in columns], rounds)
    planned = tuple(
        ColumnPlan(name, table.fills[name], "", style, width, about=about) for name, style, width, about in columns
    )
    plan = TablePlan("Standings", HEADER_ROW, planned, event.entries)
    return SheetPlan(
        "Standings",
        heading,
        (plan,),
        highlights=tuple(_marks(plan, rounds)),
        sparklines=tuple(_bars(plan, rounds)),
        widths=plan.widths,
        frozen_rows=HEADER_ROW,
        frozen_columns=4,
        landscape=True,
    )


def _filled(event: Event, made: Ratings, labels: Sequence[str], rounds: int) -> Table:
    """Return the table: who has which place, what Ratings says of them, and their rounds as the Ledger shows them."""
    table = Table("Standings", {name: name for name in labels}, event.entries)
    place = f"ROW()-ROW($A${HEADER_ROW})"
    table.add("Rank", f'IF({place}>COUNT(Ratings[Rank]),"",{place})')
    table.add("No.", 'IF([Rank]="",0,MATCH([Rank],Ratings[Rank],0))')
    for name in ("Title", "Fed"):
        table.add(name, f'IF([No.]=0,"",INDEX(Players[{name}],[No.])&"")', "text")
    sources = {
        "Name": ("Name", "text"),
        "Rating": ("Rating", "points"),
        "Points": ("Points", "number"),
        "Buchholz": ("Buchholz", "number"),
        "SB": ("Sonneborn", "number"),
        "Rp": ("Rp", "points"),
        "Change": (made.ratings.labels[made.change_role], "points"),
        "New": ("New rating", "points"),
    }
    for name, (column, unit) in sources.items():
        table.add(name, f'IF([No.]=0,"",INDEX(Ratings[{column}],[No.]))', unit)
    for r in range(1, rounds + 1):
        shown = f'IFERROR(INDEX(Ledger[Shown],MATCH([No.]*{KEY}+{r},Ledger[Key],0)),"")'
        table.add(f"R{r}", f'IF([No.]=0,"",{shown})', "text")
    table.constants(BARS, [None] * event.entries)
    return table


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


def _bars(table: TablePlan, rounds: int) -> Iterator[Sparkline]:
    column = [one.label for one in table.columns].index(BARS) + table.first_column
    first, last = column_letters(2 + rounds), column_letters(1 + 2 * rounds)
    for row in range(table.first_data_row, table.last_row + 1):
        yield Sparkline(row, column, f"Sparks!${first}${row}:${last}${row}", bars=1.0)
