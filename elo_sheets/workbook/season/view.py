"""The season's sheets: a team league with fixtures, a table with expected points, and forecasts of what is left.

A pool as the league has it, whose games may be fixtures still to be played. The sheets and columns that a team league
calls otherwise are renamed when the plan is done (`names`); until then they are the league's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar

from elo_sheets.files.references import column_letters
from elo_sheets.games import players
from elo_sheets.replaying.history import forecast_column
from elo_sheets.replaying.settings import Settings
from elo_sheets.systems import System
from elo_sheets.workbook.book import HEADER_ROW, Book, Filling, Inputs, with_spare
from elo_sheets.workbook.dialect import Lists, lists, places, spilling
from elo_sheets.workbook.front import Line
from elo_sheets.workbook.layout import TableLayout, column_text
from elo_sheets.workbook.league.colours import upsets
from elo_sheets.workbook.league.view import LeagueView
from elo_sheets.workbook.places import BREAKS, is_amiss, late_place
from elo_sheets.workbook.plan import (
    PENDING,
    CellPlan,
    ChartPlan,
    Fill,
    Highlight,
    Plan,
    Series,
    SheetPlan,
    TablePlan,
    column_as_told,
    figured,
)
from elo_sheets.workbook.pools.columns import POINTS, extra_labels, sides_of, started
from elo_sheets.workbook.pools.sheets import refuse_widest
from elo_sheets.workbook.pools.statuses import sides_with
from elo_sheets.workbook.season.colours import forecast_highlights, ranking_highlights
from elo_sheets.workbook.season.inputs import (
    FORECAST_ROWS,
    goals_rule,
    last_season,
    standards,
    typed_games,
)
from elo_sheets.workbook.season.names import (
    COLUMNS,
    TABLES,
    column_words,
    counted,
    own_form,
    own_inputs,
    public_inputs,
    public_sheet,
)
from elo_sheets.workbook.season.outlook import (
    EVENNESS,
    SHARE,
    SINCE,
    TO_PLAY,
    FixturePool,
    Outlook,
    rows_ahead,
    with_goals,
)
from elo_sheets.workbook.season.table import Tally, table_key
from elo_sheets.workbook.sourced import form_of
from elo_sheets.workbook.sports.profiles import words_of
from elo_sheets.workbook.view import Behind, Figure, Form, View

TOP_ROWS = 7
LAST_RESULT = "Last_result"
RATED_BREAKS = f"(Ledger[Rated no.]>0)*{BREAKS}"
# Rows of teams that a page takes.
ONE_PAGE_ROWS = 60
CHARTED_TEAMS, CHARTED_GAMES = 20, 10
# Who wins with an expected score below it has upset the other.
UNLIKELY = 0.35


def _leader(labels: Sequence[str]) -> Line:
    """Return who stands first in the table with these headers, and by how many points."""
    layout = TableLayout("LeagueTable", labels, TOP_ROWS)
    first, second, points, others = (
        f"Table!${layout.letter(of)}${TOP_ROWS + place}" for of in ("Team", "Points") for place in (1, 2)
    )
    played, nobody = f"Table!${layout.letter('P')}${TOP_ROWS + 1}", "SUM(Players[Games])=0"
    ahead = f'IF({points}={others},", level with ",", "&ROUND({points}-{others},6)&" ahead of ")&{second}'
    return Line(
        "In the lead",
        f'IF({nobody},"nobody yet",{first})',
        "name_strong",
        "text",
        f'IF({nobody},"the first game decides","with "&{points}&IF({points}=1," point"," points")'
        f'&" from "&{played}&" played"&IF({second}="","",{ahead}))',
    )


class SeasonView(LeagueView):
    """The sheets of a team league."""

    games_table = "Fixtures"
    people_table = ("Teams", "Team")
    twins = ("Teams", "Players[Player]", "Players[Id]")
    keeps_fixtures = True
    modern_sheets: ClassVar[tuple[str, ...]] = ("Table", "Power", "Form", "Split", "Card")
    pool: FixturePool

    def __init__(self, book: Book) -> None:
        View.__init__(self, book)
        self.form = own_form(form_of(book.template, book.options))
        self.book = replace(book, inputs=own_inputs(book.inputs, self.what))
        self.sides = sides_of(self.form)
        self.needed = (*self.sides, "Result")
        self.pool = FixturePool(self.system, book.settings, self.setting_cells, self.book.inputs, words_of(self.form))
        ledger = self.pool.ledger(self.labels("Ledger"), self.labels("Games"))
        self.fills = ledger | self.goal_fills() | self.player_fills
        self.outlook = Outlook(self, self.pool)
        self.fills |= self.outlook.fills | self.game_fills()
        self.tally = Tally(self)

    @property
    def what(self) -> str:
        """What a side scores, in the words of the book."""
        return counted(self.form, self.system)

    @cached_property
    def front(self) -> Sequence[Line]:
        """What a league says, where the table decides who leads."""
        return [_leader(self.labels("Table")), *super().front[1:]]

    # How a book begins

    @classmethod
    def check(cls, form: Form, system: System) -> None:
        refuse_widest(form, system)
        forecast_column(system)

    @classmethod
    def extra(cls, form: Form, system: System) -> dict[str, str]:
        sides = sides_of(form)
        return with_goals(extra_labels(system, sides), sides)

    @classmethod
    def present(cls, columns: Sequence[dict[str, Any]], form: Form, system: System) -> list[dict[str, Any]]:
        found = []
        for column in super().present(columns, form, system):
            if column.get("role") in {"extra:points", "extra:opponent_points"}:
                column |= {"style": "integer", "width": 8, "validation": goals_rule(counted(form, system))}
            found.append(column)
        return found

    @classmethod
    def input_columns(cls, form: Form, system: System) -> dict[str, tuple[str, ...]]:
        words = column_words(counted(form, system))
        found = super().input_columns(own_form(form), system)
        return {
            TABLES.get(name, name): tuple(words.get(label, label) for label in labels) for name, labels in found.items()
        }

    @classmethod
    def blank(cls, form: Form, system: System, settings: Settings, rows: int) -> Inputs:
        tables = cls.empty_tables(form, system, {"Teams": form["player_rows"], "Fixtures": rows})
        cells = dict.fromkeys(cls.input_cells(form)) | standards(counted(form, system), words_of(form))
        return Inputs(tables, cells, {"Ledger": 2 * rows})

    @classmethod
    def further_sizes(cls, form: Form, inputs: Inputs) -> dict[str, int]:
        """Outlook keeps its rows while they are enough, and not twice as many as it needs."""
        wanted = rows_ahead(inputs.tables["Fixtures"])
        held = inputs.sizes.get("Outlook", wanted)
        return {"Outlook": held if wanted <= held <= 2 * wanted else wanted}

    @classmethod
    def filled(cls, form: Form, system: System, settings: Settings, log: Filling) -> tuple[Inputs, str]:
        """Teams stand in the order in which they first play; games marked `to_play` have no result yet.

        The table counts the last of the log's seasons.
        """
        games, names = log.games, players(log.games)
        rows = with_spare(len(games), form["rows"])
        people = max(form["player_rows"], len(names) + 30)
        typed = typed_games(games, system, words_of(form), rows)
        labels = super().input_columns(own_form(form), system)["Players"]
        teams = started(names, log.start, system, labels, people)
        inputs = Inputs({"Players": teams, "Games": typed}, {}, {"Ledger": 2 * rows})
        count = len(cls.chosen_cells(form))
        best = FixturePool(system, settings, {}, inputs, words_of(form)).best(max(1, count))
        what = counted(form, system)
        cells = dict.fromkeys(cls.input_cells(form)) | standards(what, words_of(form)) | {"since": last_season(games)}
        cells |= dict(zip(cls.chosen_cells(form), best, strict=False))
        if "card" in cells:
            cells["card"] = best[0]
        return public_inputs(replace(inputs, cells=cells), what), ""

    @classmethod
    def chosen_cells(cls, form: Form) -> list[str]:
        """Return the roles of the cells in which teams are chosen for the chart."""
        return [role for role in cls.input_cells(form) if role.startswith("chosen ")]

    @classmethod
    def read_pool(cls, form: Form, system: System, settings: Mapping[str, Any], inputs: Inputs) -> FixturePool:
        return FixturePool(system, settings, {}, own_inputs(inputs, counted(form, system)), words_of(form))

    # Columns

    def step_columns(self, column: dict[str, Any]) -> list[dict[str, Any]]:
        return self.outlook.columns if column["role"] == "outlook_steps" else super().step_columns(column)

    def goal_fills(self) -> dict[str, Fill]:
        """Return the fills of the goals that each side of the Ledger scored and let in."""
        pool = self.pool
        layout = TableLayout("Ledger", self.labels("Ledger"), HEADER_ROW)
        cells = [pool.typed_cell(pool.extra[name]) for name in POINTS]
        found = {}
        for role, (own, other) in {"goals_for": (0, 1), "goals_against": (1, 0)}.items():
            picked = [f'IF(ISNUMBER({cells[at]}),{cells[at]},"")' for at in (own, other)]
            formula = f'IF([Rated no.]=0,"",IF([Side]="{self.sides[0]}",{picked[0]},{picked[1]}))'
            values = [
                game.extra[POINTS[own if side == 0 else other]] if game.is_rated else ""
                for game in pool.games
                for side in (0, 1)
            ]
            found[role] = layout.fill(formula, "count", values=values, pair=2, windows=pool.windows)
        counts = f"AND([Rated no.]>0,[Date]>=N({SINCE}))"
        key = f'IF({counts},IF([Side]="{self.sides[0]}",{table_key("[Rated no.]", "Home")},'
        key += f"{table_key('[Rated no.]', 'Away')}),0)"
        found["table_key"] = layout.fill(key, "count", pair=2)
        return found

    def game_fills(self) -> dict[str, Fill]:
        fills = super().game_fills()
        layout = TableLayout("Games", self.labels("Games"), HEADER_ROW)
        shown = {
            "white_rating": self.outlook.rated_from(0),
            "black_rating": self.outlook.rated_from(1),
            "white_expected": "Expected",
            "home_win": "Home win",
            "drawn": "Draw",
            "away_win": "Away win",
        }
        nothing = Fill(PENDING, '""', "share", windows=self.pool.shown, whole='""')
        for role, label in shown.items():
            rated, to_play = fills.get(role, nothing), layout.formula(f'IF([Status]="{TO_PLAY}",')
            near, far = (f"{to_play}{layout.formula(text)}," for text in self.outlook.ahead(label))
            own, whole = f"{near}{rated.formula})", f"{far}{rated.whole})"
            fills[role] = replace(rated, formula=own, whole=whole, left_out=self.outlook.left_out)
        return fills

    def highlights(self, table: TablePlan) -> Iterator[Highlight]:
        if table.name != "Games":
            yield from super().highlights(table)
            return
        yield Highlight(table.range("Status"), is_amiss(table.top("Status")), "alarm")
        points = [f"{side} points" for side in self.sides]
        home, away = map(table.top, points)
        typed = f"ISNUMBER({home}),ISNUMBER({away})"
        for label, own, other in ((points[0], home, away), (points[1], away, home)):
            for sign, style in ((">", "win"), ("=", "draw"), ("<", "loss")):
                yield Highlight(table.range(label), f"AND({typed},{own}{sign}{other})", style)
        yield upsets(table, f"{self.sides[0]} expected", points, UNLIKELY, self.outcome)

    # A team that rests

    @property
    def latest_day(self) -> str:
        return LAST_RESULT

    # Sheets that rank the teams

    @property
    def behind(self) -> Mapping[str, Behind]:
        return {**super().behind, "tally": ("Tally", self.tally.fills)}

    def _table_sheet(self, sheet: Mapping[str, Any]) -> SheetPlan:
        counted = "SUM(Tally[P])/2", "SUM(Outlook[Counts])"
        formula = f'IF({counted[0]}+{counted[1]}=0,"",{counted[0]}&" played, "&{counted[1]}&" to play")'
        cells = [*figured(3, 7, "Fixtures", formula, "label", "text", at=9)]
        last_day = "SUMPRODUCT(MAX((Ledger[Rated no.]>0)*Ledger[Date]))"
        cells.append(CellPlan(4, 7, "Last result", style="label"))
        cells.append(CellPlan(4, 9, PENDING, last_day, "date", "date", merge_to=11))
        self.names[LAST_RESULT] = "Table!$I$4"
        cells += self.asked_cells(sheet)
        return self._ranking(sheet, TOP_ROWS, cells)

    def _ranking(self, sheet: Mapping[str, Any], header: int = HEADER_ROW, more: Sequence[CellPlan] = ()) -> SheetPlan:
        """Return a sheet with a table of the teams by their place: what Tally and Players say of each."""
        columns, name = sheet["column"], sheet.get("table", sheet["name"])
        layout = TableLayout(name, [], header)
        count = self.book.inputs.sizes.get(name) or self.book.inputs.rows("Players")
        count = self.tally.count if self.is_modern else count
        none = "N([Row])=0" if self.is_modern else "[Row]=0"
        place = f"ROW()-ROW($A${header})"
        tally = self.tally.fills()
        planned = []
        for column in columns:
            unit = "count"
            if column["label"] == "Row":
                nobody = '""' if self.is_modern else "0"
                formula = f"IF({place}>COUNT(Tally[Rank]),{nobody},MATCH({place},Tally[Rank],0))"
            elif "tally" in column:
                unit = tally[column["tally"]].unit
                formula = f'IF({none},"",INDEX(Tally[{column["tally"]}],MAX(1,[Row])))'
            elif "player" in column:
                unit = self._of_players(column["player"]).unit
                formula = f'IF({none},"",INDEX(Players[{column["player"]}],MAX(1,[Row])))'
            else:
                formula = f'IF({none},"",{place})'
            fill = layout.fill(formula, unit)
            planned.append(column_as_told(column, fill))
        table = TablePlan(name, header, tuple(planned), count)
        if self.is_modern:
            wanted = {column["label"]: column["tally"] for column in columns if "tally" in column} | {"Row": "No."}
            formulas: Lists = {("Place",): places("Tally[Rank]")} | lists(table, wanted, "Tally", list(tally))
            table = spilling(table, formulas)
        cells, one_page = (*self.heading(sheet), *more), count <= ONE_PAGE_ROWS
        return self.table_sheet(
            sheet, table, ranking_highlights(table), cells=cells, frozen_columns=2, landscape=True, one_page=one_page
        )

    def _of_players(self, label: str) -> Fill:
        columns = self.columns("Players")
        return self.fills[next(column["role"] for column in columns if self.column_label(column) == label)]

    # Forecast

    def _forecast(self, sheet: Mapping[str, Any]) -> SheetPlan:
        outlook = self.outlook
        cells = [
            *self.heading(sheet),
            CellPlan(5, 3, PENDING, outlook.share_said(), "label", "text"),
            CellPlan(5, 4, PENDING, outlook.share_formula(), "share", "share"),
            *figured(4, 6, "Fixtures to play", "SUM(Outlook[Open])", "integer", "count", at=8),
            *figured(5, 6, "Evenness so far", outlook.evenness_formula(), "decimal", "number", at=8),
        ]
        self.names |= {SHARE: "Forecast!$D$5", EVENNESS: "Forecast!$H$5"}
        cells += self.asked_cells(sheet)
        table = self.told_table("Forecast", self._coming(sheet), FORECAST_ROWS, TOP_ROWS)
        return self.table_sheet(sheet, table, forecast_highlights(table), cells=tuple(cells), landscape=True)

    def _coming(self, sheet: Mapping[str, Any]) -> list[Mapping[str, Any]]:
        """Return the columns of the fixtures that come next; the edge of who plays at home is not in every rule."""
        return [c for c in sheet["column"] if c["label"] != "Home edge" or "advantage_used" in self.outlook.shown]

    @property
    def terms(self) -> Mapping[str, str]:
        edge = {"home_edge": column_text(self.system.label("advantage_used"))}
        sides = enumerate(("home_rating", "away_rating"))
        return {**super().terms, **edge, **{name: column_text(self.outlook.rated_from(at)) for at, name in sides}}

    # Charts

    def _chart(self, sheet: Mapping[str, Any]) -> SheetPlan:
        planned = super()._chart(sheet)
        by_game, by_date = planned.charts
        table, ahead = self.sheet_form("table_sheet"), self.sheet_form("forecast")
        points = self._bars(table, CHARTED_TEAMS, "Team", (("Points", "bar_win"), ("To come", "bar_draw")))
        odds = (("Home win", "bar_win"), ("Draw", "bar_draw"), ("Away win", "bar_loss"))
        coming = self._bars(ahead, CHARTED_GAMES, "Fixture", odds)
        charts = (
            replace(by_game, x_title="Games of the season"),
            by_date,
            ChartPlan("rows", "Points, and those to come", "", "", points, 0, 1, 780, 380),
            ChartPlan("rows", "Odds of the next fixtures", "", "", coming, 0, 1, 780, 380, 0.0, 1.0, y_format="0%"),
        )
        below = []
        row = 7
        for chart, height in zip(charts, (260, 260, 380, 380), strict=True):
            below.append(replace(chart, row=row, width=780, height=height))
            row += height // 20 + 1
        return replace(planned, charts=tuple(below), one_page=True, landscape=False)

    def _bars(
        self, form: Mapping[str, Any], count: int, across: str, bars: Sequence[tuple[str, str]]
    ) -> tuple[Series, ...]:
        """Return the bars of a table's columns over its first rows."""
        labels = [COLUMNS.get(c["label"], c["label"]) for c in self._coming(form)]

        def cells(label: str) -> str:
            letter = column_letters(labels.index(label) + 1)
            return f"={form['name']}!${letter}${TOP_ROWS + 1}:${letter}${TOP_ROWS + count}"

        def header(label: str) -> str:
            return f"={form['name']}!${column_letters(labels.index(label) + 1)}${TOP_ROWS}"

        return tuple(Series(header(label), cells(across), cells(label), style) for label, style in bars)

    # Check

    @property
    def check_places(self) -> Mapping[str, str]:
        return {**super().check_places, "order_breaks": late_place(self.games_table, RATED_BREAKS)}

    @cached_property
    def checks(self) -> Mapping[str, Figure]:
        to_play = f"{sides_with(TO_PLAY)}/2"
        base = dict(super().checks)
        formula, unit = base["not_rated"]
        base["not_rated"] = (f"{formula}-{to_play}", unit)
        base["order_breaks"] = (f"SUMPRODUCT({RATED_BREAKS})/2", "count")

        home, won, lost = "(Ledger[Goals for]{}Ledger[Goals against])", "(Ledger[Score]=1)", "(Ledger[Score]=0)"
        unlike = f"{won}*{home.format('<=')}+(Ledger[Score]=0.5)*{home.format('<>')}+{lost}*{home.format('>=')}"
        both = '(Ledger[Rated no.]>0)*(Ledger[Goals for]<>"")*(Ledger[Goals against]<>"")'
        base["unlike_goals"] = (f'SUMPRODUCT((Ledger[Side]="{self.sides[0]}")*{both}*({unlike}))', "count")
        return base

    def _check(self, sheet: Mapping[str, Any]) -> SheetPlan:
        planned = super()._check(sheet)
        last = max(cell.row for cell in planned.cells)
        lines: tuple[tuple[str, str], ...] = (
            ("Fixtures played and rated", "COUNT(Ledger[Score])/2"),
            ("Fixtures to play", "SUM(Outlook[Open])"),
            (
                "  of these dated before the last result: postponed, or a result is missing",
                f'COUNTIFS(Outlook[Open],1,Outlook[Date],">0",Outlook[Date],"<"&{LAST_RESULT})',
            ),
        )
        more = [CellPlan(last + 2, 1, "For information", style="section")]
        for row, (label, formula) in enumerate(lines, last + 3):
            more += figured(row, 1, label, formula, "number", "count", label_style="text")
        return replace(planned, cells=(*planned.cells, *more))

    # Names

    def _formulas(self, sheet: Mapping[str, Any]) -> SheetPlan:
        self.planned = {name: public_sheet(planned, self.what) for name, planned in self.planned.items()}
        return super()._formulas(sheet)

    def plan(self) -> Plan:
        plan = super().plan()
        places = {name: cell.rpartition("!") for name, cell in plan.names.items()}
        names = {name: f"{TABLES.get(sheet, sheet)}!{cell}" for name, (sheet, _, cell) in places.items()}
        return replace(plan, names=names)

    def shown(self, sheet: SheetPlan) -> SheetPlan:
        return public_sheet(sheet, self.what)
