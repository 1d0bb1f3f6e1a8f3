"""The league's sheets: players and games as they are typed, standings, chart, check.

The Ledger behind them is `pool`'s; each formula here stands beside the Python that gives its value.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

from elo_sheets.errors import UsageError
from elo_sheets.package import column_letters
from elo_sheets.systems import System
from elo_sheets.workbook.archive import archived, old_games
from elo_sheets.workbook.book import HEADER_ROW, Book, Columns, Inputs, with_spare
from elo_sheets.workbook.dialect import Lists, lists, places, spilling
from elo_sheets.workbook.journal import curve_games
from elo_sheets.workbook.layout import TableLayout, column_text, number_or, step_style, step_unit, text_of
from elo_sheets.workbook.league_card import LEGEND_ROW, NAME, Card, legend
from elo_sheets.workbook.league_colours import standing_highlights, upsets
from elo_sheets.workbook.league_cross import cross_sheet, spark_table, sparklines
from elo_sheets.workbook.odds import odds_sheet, own_curve
from elo_sheets.workbook.plan import (
    CellPlan,
    CellValue,
    ChartPlan,
    ColumnPlan,
    Fill,
    Highlight,
    Series,
    SheetPlan,
    TablePlan,
    Validation,
)
from elo_sheets.workbook.pool import Pool
from elo_sheets.workbook.pool_columns import (
    extra_labels,
    game_columns,
    headed,
    last_labels,
    personal_labels,
    pool_step_names,
    sides_of,
    start_labels,
    state_label,
    step_label,
)
from elo_sheets.workbook.pool_prompts import extra_column, last_column
from elo_sheets.workbook.typed_checks import text_dates, unlike_points
from elo_sheets.workbook.view import Figure, Form, View, y_minimum

if TYPE_CHECKING:
    import pandas as pd

CURVE_POINTS = 150
# What a new book says of provisional and absent players.
STANDARDS: dict[str, CellValue] = {"provisional": 5.0, "hide_after": 0.0}
# Where the owner says below how many games a rating is provisional, and after how many days without a game (0: never)
# a player leaves the standings.
PROVISIONAL, HIDE_AFTER = "Provisional_below", "Hidden_after_days"
NOT_RATED = 'TEXT([Status],"@")<>"rated"'


class LeagueView(View):
    """The sheets of a pool of players who rate each other."""

    games_table = "Games"
    rows_a_game = 2
    modern_sheets: ClassVar[tuple[str, ...]] = ("Standings", "Card")
    # Whether the sheet Odds stands there for FIDE's tables, even where the rule has no curve to show.
    keeps_odds: ClassVar[bool] = False

    def __init__(self, book: Book) -> None:
        super().__init__(book)
        self.sides = sides_of(self.form)
        self.needed = (*self.sides, "Result")
        self.pool = Pool(self.system, book.settings, self.setting_cells, book.inputs, self.sides)
        self.fills = self.pool.ledger(self.labels("Ledger")) | self.game_fills() | self.player_fills

    # How a book begins

    @classmethod
    def check(cls, form: Form, system: System) -> None:
        refuse_widest(form, system)

    @classmethod
    def present(cls, columns: Sequence[dict[str, Any]], form: Form, system: System) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        for column in super().present(columns, form, system):
            if column["role"] == "extra":
                found += [extra_column(column, name, label, form) for name, label in cls.extra(form, system).items()]
            elif column["role"] == "white_expected" and "expected" not in {line.name for line in system.lines}:
                continue
            elif column["role"] == "personal":
                found += [
                    headed(column, label, role=f"personal:{name}") for name, label in personal_labels(system).items()
                ]
            elif column["role"] == "start_states":
                found += [
                    headed(column, label, role=f"start:{name}") for name, label in start_labels(system).items()
                ] + [last_column(column, name, label) for name, label in last_labels(system).items()]
            elif column["role"] == "states":
                found += [
                    headed(column, state_label(system, s.name), role=f"state:{s.name}", style=step_style(s.name))
                    for s in system.state
                    if s.name != "rating"
                ]
            else:
                found.append(column)
        white, black = sides_of(form)
        return [column | {"label": column.get("label", "").format(white=white, black=black)} for column in found]

    @classmethod
    def extra(cls, form: Form, system: System) -> dict[str, str]:
        """Return the further columns of Games, by what the steps read."""
        return extra_labels(system, sides_of(form))

    @classmethod
    def input_cells(cls, form: Form) -> dict[str, tuple[str, int, int]]:
        kinds = {sheet["kind"] for sheet in form["sheet"]}
        found = {f"chosen {i + 1}": ("Chart", 4, 2 + i) for i in range(_chart_players(form))}
        if "standings" in kinds:
            found |= {"provisional": ("Standings", 2, 3), "hide_after": ("Standings", 3, 3)}
        if "card" in kinds:
            found["card"] = ("Card", 4, 2)
        return found

    @classmethod
    def blank(cls, form: Form, system: System, settings: Mapping[str, Any], rows: int) -> Inputs:
        labels = cls.input_columns(form, system)
        people = form["player_rows"]
        return Inputs(
            {
                "Players": dict.fromkeys(labels["Players"], [None] * people),
                "Games": dict.fromkeys(labels["Games"], [None] * rows),
            },
            dict.fromkeys(cls.input_cells(form)) | STANDARDS,
            {"Ledger": 2 * rows},
        )

    @classmethod
    def filled(
        cls,
        form: Form,
        system: System,
        settings: dict[str, Any],
        given: frozenset[str],
        games: pd.DataFrame,
        player: str | None,
    ) -> tuple[Inputs, str]:
        """Players stand in the order in which they first play; the chart shows the best.

        Of a long log the games of the old years are kept as values, on the sheet Archive.
        """
        from elo_sheets.games import players

        names = players(games)
        old, games = old_games(games, form.get("live", len(games)), str(settings["period"]), system)
        people = max(form["player_rows"], len(names) + 30)
        labels = cls.input_columns(form, system)["Players"]
        columns: dict[str, list[CellValue]] = {label: [None] * people for label in labels}
        columns["Player"] = [*names, *[None] * (people - len(names))]
        tables: dict[str, Columns] = {"Players": columns}
        if len(old):
            tables["Archive"] = archived(old, system, settings, columns, sides_of(form))
        rows = with_spare(len(games), form["rows"])
        tables["Games"] = game_columns(games, system, sides_of(form), rows)
        inputs = Inputs(tables, {}, {"Ledger": 2 * rows})
        count = _chart_players(form)
        best = Pool(system, settings, {}, inputs, sides_of(form)).best(max(1, count))
        chosen = {f"chosen {i + 1}": name for i, name in enumerate(best[:count])}
        return replace(inputs, cells=chosen | {"card": best[0]} | STANDARDS), ""

    # Columns

    def step_names(self) -> list[str]:
        return pool_step_names(self.system, str(self.form_settings["period"]))

    def step_columns(self, column: dict[str, Any]) -> list[dict[str, Any]]:
        labels = self.extra(self.form, self.system)
        return [
            headed(
                column,
                step_label(self.system, n, labels),
                role=f"step:{n}",
                style=step_style(n),
                about=self.system.meaning(n),
            )
            for n in self.step_names()
        ]

    def game_fills(self) -> dict[str, Fill]:
        """Return the fill of every role of the sheet Games."""
        pool, games = self.pool, self.book.inputs.tables["Games"]
        count = self.book.inputs.rows("Games")
        typed = [text_of(name) for name in games[self.sides[0]]]
        status: list[CellValue] = [
            pool.games[i].status if i < pool.ledger_games else ("beyond the Ledger" if typed[i] else "")
            for i in range(count)
        ]
        layout = TableLayout("Games", self.labels("Games"), HEADER_ROW)
        beyond = f'IF([{self.sides[0]}]="","","beyond the Ledger")'
        fills = {
            "number": Fill([float(i) for i in range(1, count + 1)], f"ROW()-ROW($A${HEADER_ROW})", "count"),
            "status": Fill(
                status,
                layout.formula(f"IF([Game]>ROWS(Ledger[Game])/2,{beyond},INDEX(Ledger[Status],2*[Game]-1))"),
            ),
        }
        roles = {"Date": "date", self.sides[0]: "white", self.sides[1]: "black", "Result": "result", "Event": "event"}
        roles |= {label: f"extra:{name}" for name, label in pool.extra.items()}
        fills |= {roles[label]: Fill(values) for label, values in games.items()}
        for offset, side in enumerate(("white", "black")):
            row = "2*[Game]-1" if offset == 0 else "2*[Game]"
            for role, name in (("rating", pool.before), ("expected", "expected"), ("rating_after", "rating_after")):
                if name in pool.step_names():
                    values = [pool.rule[name][2 * i + offset] if s == "rated" else "" for i, s in enumerate(status)]
                    formula = layout.formula(f'IF({NOT_RATED},"",INDEX(Ledger[{column_text(pool.label(name))}],{row}))')
                    fills[f"{side}_{role}"] = Fill(values, formula, step_unit(name))
            before, after = (fills[f"{side}_{name}"].values for name in ("rating", "rating_after"))
            own = self.sides[offset]
            fills[f"{side}_change"] = Fill(
                [
                    float(b or 0) - float(a or 0) if s == "rated" else ""
                    for a, b, s in zip(before, after, status, strict=True)
                ],
                layout.formula(f'IF({NOT_RATED},"",[{own} after]-[{own} rating])'),
                "points",
            )
        return fills

    @cached_property
    def player_fills(self) -> dict[str, Fill]:
        """The fill of every role of the sheet Players."""
        pool, typed = self.pool, self.book.inputs.tables["Players"]
        layout = TableLayout("Players", self.labels("Players"), HEADER_ROW)
        counts = {score: self._results(score) for score in (1.0, 0.5, 0.0)}
        played = [sum(parts) for parts in zip(*counts.values(), strict=True)]
        named = [bool(name) for name in pool.names]
        initial = self.setting_cells["initial"]

        def shown(formula: str, values: Sequence[CellValue], unit: str = "count") -> Fill:
            cells: list[CellValue] = [value if ok else "" for value, ok in zip(values, named, strict=True)]
            return Fill(cells, layout.formula(f'IF([Player]="","",{formula})'), unit)

        def state(name: str, start: str) -> Fill:
            values = [
                pool.final(name, i) if i else (pool.starts[row] if name == "rating" else pool.start_of(name, row + 1))
                for row, i in enumerate(pool.ids)
            ]
            after = pool.label(f"{name}_after")
            return shown(
                f"IF([Last row]=0,{start},INDEX(Ledger[{column_text(after)}],[Last row]))", values, step_unit(name)
            )

        def results(score: str) -> str:
            return f"COUNTIFS(Ledger[Rated no.],[Id],Ledger[Score],{score})"

        fills = {
            "player_number": Fill([float(i) for i in range(1, len(named) + 1)], f"ROW()-ROW($A${HEADER_ROW})", "count"),
            "player": Fill(typed["Player"]),
            "start_rating": Fill(typed["Start rating"]),
            "starts_at": Fill(
                pool.starts,
                layout.formula(f'IF([Player]="","",IF(ISNUMBER([Start rating]),[Start rating],{initial}))'),
                "points",
            ),
            "player_rating": state("rating", "[Starts at]"),
            "last_row": Fill(
                [float(pool.last_rows[i]) for i in pool.ids],
                layout.formula("IF([Id]=0,0,SUMPRODUCT(MAX((Ledger[Rated no.]=[Id])*Ledger[No.])))"),
                "count",
            ),
            "player_games": shown("IF([Id]=0,0,COUNTIFS(Ledger[Rated no.],[Id]))", played),
            "player_wins": shown(results("1"), counts[1.0]),
            "player_draws": shown(results("0.5"), counts[0.5]),
            "player_losses": shown(results("0"), counts[0.0]),
            "player_best": shown(
                "IF([Last row]=0,[Starts at],INDEX(Ledger[Best so far],[Last row]))",
                [
                    pool.best_so_far[pool.last_rows[i] - 1] if i and pool.last_rows[i] else pool.starts[row]
                    for row, i in enumerate(pool.ids)
                ],
                "points",
            ),
            "last_day": shown(
                'IF([Last row]=0,"",IF(INDEX(Ledger[Date],[Last row])=0,"",INDEX(Ledger[Date],[Last row])))',
                [self._last_day(i) for i in pool.ids],
                "date",
            ),
            "player_mark": shown(
                f'IF([Id]=0,"",IF({self._absent("[Last played]")},"inactive",'
                f'IF([Games]<N({PROVISIONAL}),"provisional","")))',
                [self._mark(i, games) for i, games in zip(pool.ids, played, strict=True)],
                "text",
            ),
            "player_id": Fill(
                [float(i) for i in pool.ids],
                layout.formula(
                    'IF([Player]="",0,IF(SUMPRODUCT((Players[Player]=[Player])*(Players[No.]<[No.]))>0,0,[No.]))'
                ),
                "count",
            ),
        }
        for name, label in pool.personal.items():
            fills[f"personal:{name}"] = Fill(typed[label])
        for name, label in start_labels(self.system).items():
            fills[f"start:{name}"] = Fill(typed[label])
            fills[f"state:{name}"] = state(name, pool.start_formula(name, f"[{label}]"))
        for name, label in pool.last.items():
            fills[f"start:{name}"] = Fill(typed[label])
        keys = self._sort_keys(fills["player_rating"].values, played, fills["player_mark"].values)
        sign = "-" if self.system.lower_is_better else ""
        fills["player_key"] = Fill(
            keys,
            layout.formula(
                f'IF(OR([Id]=0,[Mark]="inactive"),"",{sign}ROUND([Rating],3)-[No.]/10000000-IF([Games]=0,100000,0))'
            ),
            "count",
        )
        fills["player_rank"] = Fill(
            ranks(keys), layout.formula('IF([Sort key]="","",RANK([Sort key],Players[Sort key]))'), "count"
        )
        return fills

    @property
    def best_label(self) -> str:
        """What the sheets call a player's best rating."""
        return "Best"

    def _last_day(self, i: int) -> CellValue:
        row = self.pool.last_rows[i] if i else 0
        return (self.pool.games[(row - 1) // 2].date or "") if row else ""

    @property
    def latest_day(self) -> tuple[str, float]:
        """The day up to which a player's absence is counted: its formula and its value."""
        return "MAX(Ledger[Latest date])", max((game.date for game in self.pool.games), default=0.0)

    def _absent(self, cell: str) -> str:
        days = f"{self.latest_day[0]}-N({cell})"
        return f"AND(N({HIDE_AFTER})>0,N({cell})>0,{days}>N({HIDE_AFTER}))"

    def _mark(self, i: int, games: float) -> CellValue:
        """Return what is said of a player beside his name; the inactive ones have no place in the standings."""
        if not i:
            return ""
        provisional, after = (
            float(number_or(self.book.inputs.cells.get(role), 0.0) or 0) for role in ("provisional", "hide_after")
        )
        day = float(self._last_day(i) or 0)
        if after > 0 and day > 0 and self.latest_day[1] - day > after:
            return "inactive"
        return "provisional" if games < provisional else ""

    def _results(self, score: float) -> list[float]:
        tally = dict.fromkeys(range(len(self.pool.names) + 1), 0.0)
        for game in self.pool.games:
            if game.score is not None:
                tally[game.white_number] += game.score == score
                tally[game.black_number] += 1 - game.score == score
        return [tally[i] if i else 0.0 for i in self.pool.ids]

    def _sort_keys(
        self, rating: Sequence[CellValue], played: Sequence[float], marks: Sequence[CellValue]
    ) -> list[CellValue]:
        from elo_sheets.ops import round_half_away

        sign = -1.0 if self.system.lower_is_better else 1.0
        return [
            sign * round_half_away(float(r or 0), 3) - row / 10000000 - (0 if games else 100000)
            if i and mark != "inactive"
            else ""
            for row, (i, r, games, mark) in enumerate(zip(self.pool.ids, rating, played, marks, strict=True), 1)
        ]

    # Sheets

    def _archive(self, sheet: Mapping[str, Any]) -> SheetPlan | None:
        """Return the sheet of the old games, None for a book that has all its games live."""
        kept = self.book.inputs.tables.get("Archive")
        if kept is None:
            return None
        columns = tuple(
            ColumnPlan(column["label"], Fill(kept[column["label"]]), column["role"], column["style"], column["width"])
            for column in self.present(sheet["column"], self.form, self.system)
        )
        table = TablePlan("Archive", HEADER_ROW, columns, self.book.inputs.rows("Archive"))
        return SheetPlan(
            sheet["name"],
            self.heading(sheet),
            (table,),
            widths={i: column.width for i, column in enumerate(columns, 1)},
            frozen_rows=HEADER_ROW,
            landscape=True,
        )

    def _odds(self, sheet: Mapping[str, Any]) -> SheetPlan | None:
        if own_curve(self.system) is None and not self.keeps_odds:
            return None
        return odds_sheet(sheet, self.system, self.book.settings, self.setting_cells)

    def _carry(self, sheet: Mapping[str, Any]) -> SheetPlan:
        return self.plain_table(sheet, "Carry", self.pool.carry())

    @cached_property
    def order(self) -> list[int | None]:
        """The row of Players (from 0) of each place, None where there are fewer players."""
        count = self.book.inputs.sizes.get("Standings") or self.book.inputs.rows("Players")
        ranked = {rank: row for row, rank in enumerate(self.player_fills["player_rank"].values) if rank != ""}
        return [ranked.get(float(place)) for place in range(1, count + 1)]

    def _standings(self, sheet: Mapping[str, Any]) -> SheetPlan:
        columns = self.present(sheet["column"], self.form, self.system)
        layout = TableLayout("Standings", [column["label"] for column in columns], HEADER_ROW)
        place = f"ROW()-ROW($A${HEADER_ROW})"
        planned = []
        for column in columns:
            role = column["role"]
            if role == "place":
                values: list[CellValue] = ["" if at is None else float(i) for i, at in enumerate(self.order, 1)]
                fill = Fill(values, f'IF({place}>COUNT(Players[Rank]),"",{place})', "count")
            elif role == "spark":
                fill = Fill([None] * len(self.order))
            elif role == "place_streak":
                fill = self._place_streak(layout)
            else:
                source = self.player_fills[role]
                values = ["" if at is None else source.values[at] for at in self.order]
                found = f"INDEX(Players[{column_text(column['label'])}],MATCH([Place],Players[Rank],0))"
                fill = Fill(values, layout.formula(f'IF([Place]="","",{found})'), source.unit)
            planned.append(
                ColumnPlan(column["label"], fill, role, column["style"], column["width"], about=column.get("about", ""))
            )
        table = TablePlan("Standings", HEADER_ROW, tuple(planned), len(self.order))
        if self.is_modern:
            sources = self.labels("Players")
            wanted = {column.label: column.label for column in planned if column.label in sources}
            formulas: Lists = {("Place",): places("Players[Rank]")} | lists(table, wanted, "Players", sources)
            table = spilling(table, formulas)
        first, last = table.first_data_row, table.last_row
        body = f"$A${first}:${column_letters(len(columns))}${last}"
        roles = [column["role"] for column in columns]
        highlights = [
            Highlight(body, f'AND($A{first}<>"",$A{first}<=3)', "podium"),
            Highlight(body, f'$A{first}<>""', "ruled"),
        ]
        if "player_mark" in roles:
            mark = column_letters(roles.index("player_mark") + 1)
            highlights.insert(0, Highlight(body, f'${mark}{first}="provisional"', "muted"))
        return SheetPlan(
            sheet["name"],
            (CellPlan(1, 1, sheet["title"], style="title"), *self._standing_choices()),
            (table,),
            # LibreOffice shows one rule a cell, of the range that comes first.
            highlights=(*standing_highlights(table), *highlights),
            sparklines=tuple(sparklines(table) if "spark" in roles else ()),
            widths={i: column["width"] for i, column in enumerate(columns, 1)},
            frozen_rows=HEADER_ROW,
        )

    def _place_streak(self, layout: TableLayout) -> Fill:
        """Return how many games in a row each listed player has won, or lost as a negative number, up to his last."""
        streaks, ids = self.fills["streak"].values, self.pool.ids
        rows = [0 if at is None else self.pool.last_rows[ids[at]] for at in self.order]
        last = "INDEX(Players[Last row],MATCH([Place],Players[Rank],0))"
        formula = f'IF([Place]="","",IF({last}=0,"",INDEX(Ledger[Streak],MAX(1,{last}))))'
        return Fill([streaks[row - 1] if row else "" for row in rows], layout.formula(formula), "count")

    def highlights(self, table: TablePlan) -> Iterator[Highlight]:
        yield from super().highlights(table)
        expected = f"{self.sides[0]} expected"
        if table.name == "Games" and {expected, "Status"} <= {column.label for column in table.columns}:
            points = [self.pool.extra[name] for name in ("points", "opponent_points") if name in self.pool.extra]
            yield upsets(table, expected, points)

    def _standing_choices(self) -> Iterator[CellPlan]:
        lines = (
            ("provisional", "Provisional below", "Games: a player with fewer is marked provisional."),
            ("hide_after", "Hidden after days", "Days without a game after which a player is not listed; 0: never."),
        )
        for row, (role, label, message) in enumerate(lines, 2):
            rule = Validation("number", minimum=0, maximum=1e5, title=label, message=message, error="0 or more.")
            value = self.book.inputs.cells.get(role)
            yield CellPlan(row, 1, label, style="hint")
            yield CellPlan(row, 3, value, style="integer", is_input=True, validation=rule)
            self.names[label.replace(" ", "_")] = f"Standings!$C${row}"

    def _sparks(self, sheet: Mapping[str, Any]) -> SheetPlan:
        starts = [0 if at is None else self.pool.last_rows[self.pool.ids[at]] for at in self.order]
        last = "IF([Place]>COUNT(Players[Rank]),0,INDEX(Players[Last row],MATCH([Place],Players[Rank],0)))"
        return SheetPlan(sheet["name"], self.heading(sheet), (spark_table(self.pool, starts, last),), hidden=True)

    def _cross(self, sheet: Mapping[str, Any]) -> SheetPlan:
        return cross_sheet(self, sheet)

    @cached_property
    def card(self) -> Card:
        """The card of the chosen player."""
        return Card(self)

    def _card(self, sheet: Mapping[str, Any]) -> SheetPlan:
        return self.card.sheet(sheet)

    def _card_met(self, sheet: Mapping[str, Any]) -> SheetPlan:
        return self.plain_table(sheet, "CardMet", self.card.met())

    def _card_curve(self, sheet: Mapping[str, Any]) -> SheetPlan:
        points = self.plain_table(sheet, "CardCurve", self.card.curve())
        return replace(points, cells=(*points.cells, legend(4, NAME, self.card.name)))

    # Chart

    @property
    def chosen(self) -> list[CellValue]:
        """The names chosen for the chart."""
        return [self.book.inputs.cells.get(f"chosen {i + 1}") for i in range(_chart_players(self.form))]

    def number_of(self, name: CellValue) -> int:
        """Return the number of a player by name, 0 for nobody."""
        key = text_of(name).lower()
        known = zip(self.pool.names, self.pool.ids, strict=True)
        return next((i for name, i in known if i and name.lower() == key), 0)

    def _curves(self, sheet: Mapping[str, Any]) -> SheetPlan:
        """Return the hidden sheet behind the chart: its points, and beside them the lines from game to game."""
        points = self.plain_table(sheet, "Curves", self.curves)
        beside = len(self.curves) + 2
        columns = tuple(
            ColumnPlan(label, fill, "", "points" if fill.unit == "points" else "integer", 14)
            for label, fill in self.lines.items()
        )
        lines = TablePlan("Lines", HEADER_ROW, columns, self.pool.ledger_games, beside)
        return replace(points, cells=(*points.cells, *self._legend()), tables=(*points.tables, lines))

    def _legend(self) -> Iterator[CellPlan]:
        """Yield what the chart calls its lines: of an empty cell programs would name the column."""
        for i, name in enumerate(self.chosen):
            yield legend(4 + i, f"Chart!${column_letters(2 + i)}$4", name)

    @cached_property
    def lines(self) -> dict[str, Fill]:
        """The rating of each chosen player after each row of Games, by label."""
        pool = self.pool
        labels = ["Game", *(f"Line {i}" for i in range(1, len(self.chosen) + 1))]
        layout = TableLayout("Lines", labels, HEADER_ROW, len(self.curves) + 2)
        after = column_text(pool.label("rating_after"))
        fills = {"Game": Fill([float(i) for i in range(1, pool.ledger_games + 1)], unit="count")}
        for i, name in enumerate(self.chosen, 1):
            cell = f"Chart!${column_letters(1 + i)}$5"
            initial = self.setting_cells["initial"]

            def line(before: str, cell: str = cell) -> str:
                row = "2*[Game]"
                black = f"IF(INDEX(Ledger[Rated no.],{row})={cell},INDEX(Ledger[{after}],{row}),{before})"
                white = f"IF(INDEX(Ledger[Rated no.],{row}-1)={cell},INDEX(Ledger[{after}],{row}-1),{black})"
                return layout.formula(f"IF({cell}=0,0,{white})")

            fills[labels[i]] = Fill(
                self.rating_line(self.number_of(name)),
                line(f"up[Line {i}]"),
                "points",
                first=line(f"IF({cell}=0,{initial},INDEX(Players[Starts at],MAX(1,{cell})))"),
            )
        return fills

    def rating_line(self, number: int) -> list[CellValue]:
        """Return a player's rating after each row of Games, zeros for nobody."""
        if not number:
            return [0.0] * self.pool.ledger_games
        rating = self.pool.starts[number - 1]
        found = []
        for row, game in enumerate(self.pool.games):
            for side, own in enumerate((game.white_number, game.black_number)):
                if game.is_rated and own == number:
                    rating = self.pool.rule["rating_after"][2 * row + side]
            found.append(rating)
        return found

    @cached_property
    def curves(self) -> dict[str, Fill]:
        """The table that the chart draws, by label.

        A place without a player repeats the first line, so that the chart never shows an error or a zero.
        """
        rated = [row for row, game in enumerate(self.pool.games, 1) if game.is_rated]
        at = curve_games(len(rated), CURVE_POINTS)
        rows = [rated[g - 1] if g else 0 for g in at]
        labels = ["Point", "Game", "Row", *(f"Player {i}" for i in range(1, len(self.chosen) + 1))]
        layout = TableLayout("Curves", labels, HEADER_ROW)
        total = "MAX(Ledger[Games so far])"
        spread = f"ROUND(1+([Point]-1)*({total}-1)/{CURVE_POINTS - 1},0)"
        fills = {
            "Point": Fill([float(i) for i in range(1, CURVE_POINTS + 1)], unit="count"),
            "Game": Fill([float(g) for g in at], layout.formula(f"IF({total}=0,0,{spread})"), "count"),
            "Row": Fill(
                [float(row) for row in rows],
                layout.formula("IF([Game]=0,0,(MATCH([Game],Ledger[Games so far],0)+1)/2)"),
                "count",
            ),
        }
        initial = float(self.book.settings["initial"])
        first: list[CellValue] = [initial] * len(at)
        for i, name in enumerate(self.chosen, 1):
            number, cell = self.number_of(name), f"Chart!${column_letters(1 + i)}$5"
            if number:
                line, start = self.rating_line(number), self.pool.starts[number - 1]
                values = [line[row - 1] if row else start for row in rows]
            else:
                values = first
            first = values if i == 1 else first
            otherwise = self.setting_cells["initial"] if i == 1 else "[Player 1]"
            shown = f"IF([Row]=0,INDEX(Players[Starts at],MAX(1,{cell})),INDEX(Lines[Line {i}],MAX(1,[Row])))"
            fills[labels[2 + i]] = Fill(values, layout.formula(f"IF({cell}=0,{otherwise},{shown})"), "points")
        return fills

    def _chart(self, sheet: Mapping[str, Any]) -> SheetPlan:
        cells = list(self.heading(sheet))
        pick = Validation(
            "list",
            range=self.players_range(),
            title="Player",
            message="A name from the sheet Players.",
            error="Choose a name from the sheet Players.",
        )
        cells.append(CellPlan(4, 1, "Players", style="label"))
        cells.append(CellPlan(5, 1, "Number", style="hint"))
        series = []
        for i, name in enumerate(self.chosen):
            letter, column = column_letters(2 + i), column_letters(4 + i)
            formula = f'IF({letter}$4="",0,SUMPRODUCT((Players[Player]={letter}$4)*Players[Id]))'
            cells.append(CellPlan(4, 2 + i, name, style="name", is_input=True, validation=pick))
            cells.append(CellPlan(5, 2 + i, float(self.number_of(name)), formula, "helper", "count"))
            rows = f"${HEADER_ROW + 1}:${{0}}${HEADER_ROW + CURVE_POINTS}"
            series.append(
                Series(
                    f"=Curves!${column}${LEGEND_ROW}",
                    "=Curves!$B" + rows.format("B"),
                    f"=Curves!${column}" + rows.format(column),
                    ("line_main", "line_second", "line_third", "line_fourth")[i % 4],
                )
            )
        drawn = [value for fill in list(self.curves.values())[3:] for value in fill.values]
        chart = ChartPlan(
            "line",
            "Rating after each game",
            "Games of the league",
            "",
            tuple(series),
            7,
            1,
            960,
            440,
            y_minimum(drawn),
        )
        return SheetPlan(
            sheet["name"],
            tuple(cells),
            charts=(chart,),
            widths={1: 12} | dict.fromkeys(range(2, 2 + len(series)), 24.0),
            landscape=True,
        )

    # Check

    def games_with(self, status: str) -> Figure:
        """Return how many games have a status."""
        found = sum(game.status == status for game in self.pool.games)
        return f'COUNTIF(Ledger[Status],"{status}")/2', float(found), "count"

    @cached_property
    def checks(self) -> Mapping[str, Figure]:
        pool = self.pool
        statuses = [game.status for game in pool.games]
        columns = self.book.inputs.tables["Games"]
        beyond = sum(
            any(text_of(columns[label][i]) for label in self.needed)
            for i in range(pool.ledger_games, self.book.inputs.rows("Games"))
        )
        ids = [i for i in pool.ids if i]
        total = sum(float(pool.final("rating", i)) for i in ids)
        starts = sum(float(pool.starts[i - 1] or 0) for i in ids)
        before, after = pool.rule["rating"], pool.rule["rating_after"]
        change = sum(float(b or 0) - float(a or 0) for a, b in zip(before, after, strict=True))

        listed = f"(({'+'.join(f'(Games[{label}]<>{EMPTY})' for label in self.needed)})>0)"
        ledger = self.fills
        found: dict[str, Figure] = {
            "not_rated": (
                'SUMPRODUCT(1*(Ledger[Status]<>""))/2-COUNT(Ledger[Score])/2',
                float(sum(status not in {"", "rated"} for status in statuses)),
                "count",
            ),
            "unknown_names": self.games_with("unknown player"),
            "self_play": self.games_with("same player twice"),
            "no_result": self.games_with("no result"),
            "beyond": (f"SUMPRODUCT(1*{listed}*(Games[Game]>ROWS(Ledger[Game])/2))", float(beyond), "count"),
            "duplicates": ("SUM(Ledger[Duplicate])", _sum(ledger["duplicate"].values), "count"),
            "order_breaks": ("SUM(Ledger[Order break])/2", _sum(ledger["order_break"].values) / 2, "count"),
            "twins": (
                'SUMPRODUCT(1*(Players[Player]<>""))-SUMPRODUCT(1*(Players[Id]>0))',
                float(sum(map(bool, pool.names)) - len(ids)),
                "count",
            ),
        }
        found["text_dates"] = text_dates("Games[Date]", columns["Date"])
        if "points" in pool.extra:
            labels = [pool.extra["points"], pool.extra["opponent_points"]]
            status = self.fills["status"].values
            rows = [
                {"Status": status[i], "Result": columns["Result"][i]} | {name: columns[name][i] for name in labels}
                for i in range(self.book.inputs.rows("Games"))
            ]
            found["unlike_points"] = unlike_points(labels, rows)
        if "points" in self.system.reads:
            found["no_points"] = self.games_with("no points")
        if pool.is_dated:
            found["no_date"] = self.games_with("no date")
        if pool.is_ordered:
            found["out_of_order"] = self.games_with("out of order")
        if self.form_settings["period"] == "event":
            found["events_back"] = ("SUM(Ledger[Event back])", _sum(ledger["step:event_back"].values), "count")
        ratings = 'SUMIFS(Players[Rating],Players[Id],">0")-SUMIFS(Players[Starts at],Players[Id],">0")'
        if self.system.zero_sum and self.form_settings["period"] == "game" and not self.system.opening:
            found["sum_of_changes"] = (f"ROUND({ratings},6)", round(total - starts, 6) + 0.0, "points")
        if self.form_settings["period"] == "game":
            names = pool.label("rating_after"), pool.label("rating")
            moved = f"(SUM(Ledger[{names[0]}])-SUM(Ledger[{names[1]}]))"
            value = round(total - starts - change, 6) + 0.0
            found["control_total"] = (f"ROUND({ratings}-{moved},6)", value, "points")
        return found


EMPTY = '""'


def refuse_widest(form: Form, system: System) -> None:
    """Raise `UsageError` for a rule that asks which game of an event has the widest difference."""
    if "widest" in system.reads:
        raise UsageError(
            f"template {form['name']} cannot hold system {system.name} with these settings, which need widest; "
            "use replay for the numbers"
        )


def _chart_players(form: Form) -> int:
    return next((int(sheet["players"]) for sheet in form["sheet"] if sheet["kind"] == "chart"), 0)


def ranks(keys: Sequence[CellValue]) -> list[CellValue]:
    """Return the place of each sort key, the highest first, as RANK gives it; empty text for an empty one."""
    ordered = sorted((float(key or 0) for key in keys if key != ""), reverse=True)
    place = {key: float(i) for i, key in reversed(list(enumerate(ordered, 1)))}
    return ["" if key == "" else place[float(key or 0)] for key in keys]


def _sum(values: Sequence[CellValue]) -> float:
    return float(sum(float(value or 0) for value in values))
