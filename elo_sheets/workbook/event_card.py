"""The first page of a tournament report, and one player's calculation as FIDE's page of calculations shows it."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from typing import Any

from elo_sheets.files.package import column_letters
from elo_sheets.ops import round_half_away
from elo_sheets.workbook.book import Book
from elo_sheets.workbook.event_games import KEY, Event, Table, number
from elo_sheets.workbook.event_ratings import DAY, YEAR, Ratings, k_style, year_of
from elo_sheets.workbook.layout import day_read, name_of, text_of, trimmed
from elo_sheets.workbook.plan import (
    CellPlan,
    CellValue,
    ChartPlan,
    ColumnPlan,
    Highlight,
    Series,
    SheetPlan,
    TablePlan,
    Validation,
)
from elo_sheets.workbook.view import unnamed

# What is typed on the first page: role, label, style, what may be typed.
COVER = (
    ("name", "Event", "name", "The name of the tournament."),
    ("place", "Place", "name", "Town and federation."),
    ("first_day", "First day", "date", "Year-month-day: it decides which rules hold and how old the players are."),
    ("last_day", "Last day", "date", "Year-month-day."),
    ("tempo", "Time control", "name", "Such as 90 minutes and 30 seconds a move."),
    ("arbiter", "Chief arbiter", "name", "As the report names him or her."),
)
COVER_ROW = 4
DAY_ROW = COVER_ROW + len(COVER)

# How many places the chart of changes shows.
CHART_PLACES = 20

CARD_FIRST_ROW = 12


def cover_inputs() -> dict[str, tuple[str, int, int]]:
    """Return the cells of the first page that are typed into."""
    return {role: ("Event", COVER_ROW + i, 2) for i, (role, *_) in enumerate(COVER)}


def cover_cells() -> dict[str, str]:
    """Return the names of the cells that the rules read."""
    return {DAY: f"Event!$B${DAY_ROW}", YEAR: f"Event!$B${DAY_ROW + 1}"}


def cover_sheet(sheet: Mapping[str, Any], book: Book, event: Event, made: Ratings) -> SheetPlan:
    """Return the first page: what is played, the figures of the event, two charts."""
    typed = event.inputs.cells
    cells = [
        CellPlan(1, 1, f"{sheet['title']}: {book.title}" if book.title else sheet["title"], style="title"),
        CellPlan(2, 1, f"Rated by {event.rules.title}: every opponent at the rating before the event.", style="hint"),
        CellPlan(3, 1, "What is played", style="section", merge_to=2),
        CellPlan(3, 4, "In figures", style="section", merge_to=5),
    ]
    for i, (role, text, style, message) in enumerate(COVER):
        check = Validation(
            "date" if style == "date" else "text",
            maximum=None if style == "date" else 200,
            title=text,
            message=message,
            error="A day such as 2026-02-28." if style == "date" else "At most 200 characters.",
        )
        cells.append(CellPlan(COVER_ROW + i, 1, text, style="label"))
        cells.append(
            CellPlan(COVER_ROW + i, 2, typed.get(role), style=style, is_input=True, validation=check, unit="text")
        )
    first = f"B{COVER_ROW + [role for role, *_ in COVER].index('first_day')}"
    year = float(year_of(event.day))
    cells.append(CellPlan(DAY_ROW, 1, "Day that counts", style="label"))
    cells.append(CellPlan(DAY_ROW, 2, event.day, day_read(first), "date", "date"))
    cells.append(CellPlan(DAY_ROW + 1, 1, "Year for ages", style="label"))
    cells.append(CellPlan(DAY_ROW + 1, 2, year, f"IF(B{DAY_ROW}>0,YEAR(B{DAY_ROW}),0)", "ordinal_centred", "count"))
    for i, (text, formula, value, style, unit) in enumerate(figures(event, made)):
        cells.append(CellPlan(COVER_ROW + i, 4, text, style="label"))
        cells.append(CellPlan(COVER_ROW + i, 5, value, formula, style, unit))
    below = COVER_ROW + len(figures(event, made)) + 1
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


def figures(event: Event, made: Ratings) -> list[tuple[str, str, CellValue, str, str]]:
    """Return the figures of the first page: label, formula, value, style, unit."""
    ledger, table = made.ledger, made.ratings
    players = float(sum(i > 0 for i in event.ids))
    ratings = [number(v) for v in event.ratings if v != ""]
    boards = [i for i in range(0, ledger.rows, 2) if ledger["ledger_played"][i] == 1]
    whites = [number(ledger["ledger_points"][i]) for i in boards]
    played = float(len(boards))
    draws = float(whites.count(0.5))
    played_count = 'COUNTIFS(Ledger[Side],"White",Ledger[Played],1)'
    winner = next((event.names[i] for i, rank in enumerate(made.ranks) if rank == 1.0), "")
    best = [number(v) for v in table["rating_rp"] if v != ""]
    gains = [number(v) for v in table[made.change_role] if v != ""]
    upset = max((number(v) for v in ledger["ledger_upset"]), default=0.0)
    change = table.labels[made.change_role]

    def named(column: str, role: str, values: list[float]) -> tuple[str, CellValue]:
        top = f"MAX(Ratings[{column}])"
        formula = (
            f'IF(COUNT(Ratings[{column}])=0,"",INDEX(Ratings[Name],MATCH({top},Ratings[{column}],0))'
            f'&"  "&TEXT(ROUND({top},0),"{"0" if role == "rating_rp" else "+0;-0;0"}"))'
        )
        if not values:
            return formula, ""
        most = max(values)
        who = next(event.names[i] for i, v in enumerate(table[role]) if v != "" and number(v) == most)
        whole = round_half_away(most)
        return formula, f"{who}  {whole:.0f}" if role == "rating_rp" else f"{who}  {_signed(whole)}"

    rp, gain = named("Rp", "rating_rp", best), named(change, made.change_role, gains)
    at = "MATCH(MAX(Ledger[Upset]),Ledger[Upset],0)"
    upset_formula = (
        f'IF(MAX(Ledger[Upset])=0,"",INDEX(Ledger[Name],{at})&" over "'
        f"&INDEX(Ratings[Name],INDEX(Ledger[Opponent no.],{at}))"
        '&"  "&TEXT(ROUND(MAX(Ledger[Upset]),0),"0")&" points")'
    )
    return [
        ("Players", "SUMPRODUCT(1*(Ratings[Id]>0))", players, "integer_left", "count"),
        ("  with a rating", "COUNT(Ratings[Rating])", float(len(ratings)), "integer_left", "count"),
        (
            "Average rating",
            'IF(COUNT(Ratings[Rating])=0,"",AVERAGE(Ratings[Rating]))',
            sum(ratings) / len(ratings) if ratings else "",
            "points_left",
            "points",
        ),
        ("Games at the board", played_count, played, "integer_left", "count"),
        (
            "  rated",
            'COUNTIFS(Ledger[Side],"White",Ledger[Counted],1)',
            float(sum(game.is_rated for game in event.games)),
            "integer_left",
            "count",
        ),
        (
            "White's score",
            f'IF({played_count}=0,"",SUMIFS(Ledger[Points],Ledger[Side],"White",Ledger[Played],1)/{played_count})',
            sum(whites) / played if played else "",
            "percent_left",
            "share",
        ),
        (
            "Draws",
            f'IF({played_count}=0,"",COUNTIFS(Ledger[Side],"White",Ledger[Played],1,Ledger[Points],0.5)/{played_count})',
            draws / played if played else "",
            "percent_left",
            "share",
        ),
        (
            "First place",
            f'IF(OR({played_count}=0,COUNT(Ratings[Rank])=0),"",INDEX(Ratings[Name],MATCH(1,Ratings[Rank],0)))',
            winner if played else "",
            "name_strong",
            "text",
        ),
        ("Best performance", rp[0], rp[1], "name", "text"),
        ("Largest gain", gain[0], gain[1], "name", "text"),
        ("Largest upset", upset_formula, _upset(event, made, upset), "name", "text"),
    ]


def _signed(whole: float) -> str:
    return f"{whole:+.0f}" if whole else "0"


def _upset(event: Event, made: Ratings, upset: float) -> str:
    if upset == 0:
        return ""
    at = next(i for i, v in enumerate(made.ledger["ledger_upset"]) if number(v) == upset)
    game, side = event.side(at)
    loser = event.names[game.numbers[1 - side] - 1]
    return f"{game.names[side]} over {loser}  {round_half_away(upset):.0f} points"


# One player's calculation


def card_sheet(heading: tuple[CellPlan, ...], event: Event, made: Ratings, players: str) -> SheetPlan:
    """Return the calculation of a player who is chosen from a drop-down."""
    chosen = event.inputs.cells.get("card")
    name = name_of(chosen)
    who = next((i for i in event.ids if i and event.names[i - 1].lower() == name.lower()), 0) if name else 0
    pick = Validation(
        "list",
        range=players,
        title="Player",
        message="A name from the sheet Players.",
        error="Choose a name from the sheet Players.",
    )
    cells = list(heading)
    cells.append(CellPlan(4, 1, "Player", style="label"))
    cells.append(CellPlan(4, 2, chosen, style="name", is_input=True, validation=pick, merge_to=4))
    cells.append(CellPlan(5, 1, "Number", style="remark"))
    cells.append(
        CellPlan(
            5, 2, float(who), f'IF(B4="",0,SUMPRODUCT((Ratings[Name]={trimmed("B4")})*Ratings[Id]))', "helper", "count"
        )
    )
    for column, (text, formula, value, style, unit) in enumerate(_summary(event, made, who), 1):
        cells.append(CellPlan(7, column, text, style="header"))
        cells.append(CellPlan(8, column, value, formula, style, unit))
    plan = _card_table(event, made, who)
    first, last = plan.first_data_row, plan.last_row
    score = plan.range("W")
    at = f"{score[: score.index('$', 1)]}{first}"
    highlights = tuple(
        Highlight(score, f"AND(ISNUMBER({at}),N({at})={points})", style)
        for points, style in ((1, "win"), (0.5, "draw"), (0, "loss"))
    )
    ruled = Highlight(f"$A${first}:${column_letters(len(plan.columns))}${last}", f"ISNUMBER($D{first})", "ruled")
    return SheetPlan(
        "Card",
        tuple(cells),
        (plan,),
        highlights=(*highlights, ruled, unnamed(plan, "Round", "Status")),
        widths={i: column.width for i, column in enumerate(plan.columns, 1)},
        landscape=True,
    )


def _summary(event: Event, made: Ratings, who: int) -> list[tuple[str, str, CellValue, str, str]]:
    table = made.ratings
    change = table.labels[made.change_role]
    shown = [
        ("Rating", "rating_own", "Ro", "whole", "points"),
        ("n", "rating_n", "n", "ordinal", "count"),
        ("W", "rating_w", "W", "number", "number"),
        ("We", "rating_we", "We", "decimal", "share"),
        ("Rc", "rating_rc", "Rc", "points", "points"),
        ("Rp", "rating_rp", "Rp", "whole", "points"),
    ]
    if "rating_exact" in table.labels:
        shown.append(
            (table.labels["step:Ratings:period_delta"], "step:Ratings:period_delta", "chg", "change_fine", "share")
        )
    shown.append((made.k_label, "step:Ratings:k_used", "K", k_style(event), "number"))
    if "rating_exact" in table.labels:
        shown.append(("K × ΔR", "rating_exact", "K*chg", "change_fine", "points"))
    shown.insert(3, ("Name", "rating_name", "Player", "name_strong", "text"))
    shown += [
        (change, made.change_role, "Change", "change_whole", "points"),
        ("New rating", "rating_new", "Rn", "whole_strong", "points"),
    ]
    return [
        (
            text,
            f'IF($B$5=0,"",INDEX(Ratings[{column}],$B$5))',
            table[role][who - 1] if who else "",
            style,
            unit,
        )
        for column, role, text, style, unit in shown
    ]


def _card_columns(event: Event, labels: Container[str]) -> list[tuple[str, str, float, str]]:
    """Return the label, style, width and explanation of each column, by the roles that the Ledger has."""
    columns = [
        ("Round", "integer", 9, "The round."),
        ("Colour", "text", 10, "The colour that the player had."),
        ("Title", "centred", 9, "The opponent's title."),
        ("Opponent", "name", 27, "The opponent; empty for a bye."),
        ("Fed", "centred", 9, "The opponent's federation."),
        ("Rc", "whole", 9, "The opponent's rating before the event."),
        ("W", "number", 9, "Points."),
        ("D", "whole_signed", 9, "Difference of the ratings that counts."),
        ("We?", "share", 9, "The score that the rule expects."),
        ("chg", "delta", 9, "Points minus expected score, ΔR."),
        ("K", k_style(event), 9, "The coefficient that is applied."),
        ("K*chg", "change_fine", 10, "The game's share of the change."),
        ("Status", "status", 18, "Rated, forfeit, bye, or what is amiss."),
        ("Row", "helper", 7, "The game's row in the Ledger."),
    ]
    return [column for column in columns if column[0] != "D" or "step:Ledger:difference" in labels]


def _card_table(event: Event, made: Ratings, who: int) -> TablePlan:
    ledger = made.ledger
    rows = event.inputs.sizes["Rounds"]
    delta = "step:Ledger:delta" in ledger.labels
    columns = _card_columns(event, ledger.labels)
    table = Table("Card", {name: name for name, *_ in columns}, rows, CARD_FIRST_ROW)
    mine: dict[float, int] = {}
    for r in event.rows_of(who):
        mine.setdefault(event.key(r), r)
    at = [mine.get(who * KEY + float(i + 1)) if who else None for i in range(rows)]
    place = f"ROW()-ROW($A${CARD_FIRST_ROW})"
    table.add("Round", place, lambda i: float(i + 1))
    table.add(
        "Row",
        f"IF($B$5=0,0,IFERROR(MATCH($B$5*{KEY}+[Round],Ledger[Key],0),0))",
        lambda i: float((at[i] or 0) + 1) if at[i] is not None else 0.0,
    )

    def shown(name: str, formula: str, value: Callable[[int], CellValue], unit: str = "text") -> None:
        def of(i: int) -> CellValue:
            row = at[i]
            return "" if row is None else value(row)

        table.add(name, f'IF([Row]=0,"",{formula})', of, unit)

    def opponent(r: int) -> int:
        game, side = event.side(r)
        return game.numbers[1 - side]

    def fact(name: str) -> Callable[[int], CellValue]:
        return lambda r: text_of(event.typed(name, opponent(r) - 1)) if opponent(r) else ""

    other = "INDEX(Ledger[Opponent no.],[Row])"
    shown("Colour", "INDEX(Ledger[Side],[Row])", lambda r: ledger["ledger_side"][r])
    shown(
        "Opponent",
        f'IF({other}=0,"",INDEX(Ratings[Name],{other}))',
        lambda r: event.names[opponent(r) - 1] if opponent(r) else "",
    )
    for name in ("Title", "Fed"):
        shown(name, f'IF({other}=0,"",INDEX(Players[{name}],{other})&"")', fact(name))
    taken = {
        "Rc": ("Opponent rating", "ledger_opponent_rating", "points"),
        "W": ("Points", "ledger_points", "number"),
        "We?": (ledger.labels[made.expected_role], made.expected_role, "share"),
        "K*chg": ("K × ΔR", "ledger_change", "points"),
        "Status": ("Status", "ledger_status", "text"),
    }
    if "step:Ledger:difference" in ledger.labels:
        taken["D"] = (ledger.labels["step:Ledger:difference"], "step:Ledger:difference", "points")
    if delta:
        taken["chg"] = (ledger.labels["step:Ledger:delta"], "step:Ledger:delta", "share")
    for name, (column, role, unit) in taken.items():
        values = ledger[role]
        shown(name, f"INDEX(Ledger[{column}],[Row])", lambda r, values=values: values[r], unit)  # type: ignore[misc]

    def counted(i: int) -> bool:
        row = at[i]
        return row is not None and event.counts(row)

    if not delta:
        table.add(
            "chg",
            'IF([Row]=0,"",IF(INDEX(Ledger[Counted],[Row])=0,"",[W]-[We?]))',
            lambda i: number(table["W"][i]) - number(table["We?"][i]) if counted(i) else "",
            "share",
        )
    shown(
        "K",
        f'IF(INDEX(Ledger[Counted],[Row])=0,"",INDEX(Ratings[{made.k_label}],$B$5))',
        lambda r: made.k_of(who) if event.counts(r) else "",
        "number",
    )
    planned = tuple(
        ColumnPlan(name, table.fills[name], "", style, width, about=about) for name, style, width, about in columns
    )
    return TablePlan("Card", CARD_FIRST_ROW, planned, rows)
