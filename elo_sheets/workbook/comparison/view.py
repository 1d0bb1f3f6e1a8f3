"""Comparison: one log of games under several systems, their ratings side by side, and how well each foretold the games.

The first system is the book's own: its Ledger is that of a league, and its settings stand on Start. Each further system
has a Ledger of its own over the same sheets Players and Games, and is rated by the settings of the book's making, which
stand on the sheet Systems as named cells that nobody types into.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from functools import cached_property
from itertools import groupby
from typing import Any

from elo_sheets._late import pd
from elo_sheets.files.references import column_letters
from elo_sheets.replaying.history import BURN_IN, forecast_column
from elo_sheets.replaying.settings import Settings
from elo_sheets.replaying.starting import Start, Starts
from elo_sheets.systems import Rules, System, is_built_in
from elo_sheets.workbook.book import HEADER_ROW, Book, Filling, Inputs, rows_below
from elo_sheets.workbook.borrowing import BorrowingView, is_round
from elo_sheets.workbook.comparison.pools import ComparedPool, FurtherPool, Rated, further_settings, further_systems
from elo_sheets.workbook.facts import rule_column
from elo_sheets.workbook.fine_scale import FINER, is_fine
from elo_sheets.workbook.highlights import ranked_rows
from elo_sheets.workbook.layout import TableLayout, with_terms
from elo_sheets.workbook.league.cross import SPARK_POINTS, spark_table, sparklines
from elo_sheets.workbook.own.rules import OwnRule
from elo_sheets.workbook.plan import (
    PENDING,
    CellPlan,
    ChartPlan,
    ColumnPlan,
    Fill,
    Highlight,
    Series,
    SheetPlan,
    TablePlan,
    asked,
    column_as_told,
    figure_columns,
    figured,
    pick_player,
)
from elo_sheets.workbook.pools.columns import sides_of
from elo_sheets.workbook.pools.ledger import LAST_ROW, SPARE_PLAYERS, PoolLedger
from elo_sheets.workbook.pools.lines import CURVE_POINTS, line, point, point_labels, spread_games, stops
from elo_sheets.workbook.sports.profiles import words_of
from elo_sheets.workbook.styles import LINE_ORDER
from elo_sheets.workbook.view import NO_FILLS, Figure, Form, View

# What a further Ledger does without.
LEFT_OUT = ("pair", "tally", "games_so_far", "met_again", "duplicate", "best_so_far", "streak", "played_before")
SCORED = ("System", "Rated by", "Games", "Mean score", "Mean expected", "Log loss", "Brier score", "Accuracy")
# One minus what is held below one, where LibreOffice takes so small a difference for none.
LEAST = "0.000000000000000999200722162641"
# What the sheet Scores says beside the number of games that both must have played before.
NONE_COUNTS = "no game counts yet: lower this number, or play on"


class CompareView(BorrowingView):
    """The sheets of a comparison."""

    keeps_odds = True

    def __init__(self, book: Book) -> None:
        View.__init__(self, book)
        self.sides = sides_of(self.form)
        self.needed = (*self.sides, "Result")
        further = further_systems(self.form, self.system, book.options, book.further)
        self.pool = ComparedPool(self.system, book.settings, self.setting_cells, book.inputs, words_of(self.form))
        first = Rated(self.system.name, self.pool)
        told = {one.name: further_settings(book.options, one.name) for one in further}
        self.further = [Rated(one.name, FurtherPool(one, self.pool, told[one.name])) for one in further]
        self.rated = [first, *self.further]
        self.form = self._with_ledgers()
        ledger = self.pool.ledger(self.labels("Ledger"), self.labels("Games"))
        self.fills = ledger | self.further_fills() | self.player_fills
        self.fills |= self.game_fills()
        self.ledgers = [self._ledger_columns(one.pool) for one in self.further]

    @cached_property
    def own_rules(self) -> tuple[OwnRule, ...]:
        further = {one.name: one for one in self.book.further}
        pools = [(further[one.name], one.pool.system) for one in self.further if one.name in further]
        return (*super().own_rules, *(OwnRule.of(rules, shaped) for rules, shaped in pools if not is_built_in(rules)))

    # How a book begins

    @classmethod
    def check(cls, form: Form, system: System) -> None:
        super().check(form, system)
        forecast_column(system)

    @classmethod
    def starts(
        cls, start: Start, system: Rules, games: pd.DataFrame, settings: Collection[str], player: str | None
    ) -> Starts:
        found = super().starts(start, system, games, settings, player)
        shared = ["every system of the comparison starts from the ratings on the sheet Players"] * bool(found.states)
        return replace(found, notes=[*found.notes, *shared])

    @classmethod
    def blank(cls, form: Form, system: System, settings: Settings, rows: int) -> Inputs:
        inputs = super().blank(form, system, settings, rows)
        return replace(inputs, cells={**inputs.cells, "burn in": float(BURN_IN)})

    @classmethod
    def filled(cls, form: Form, system: System, settings: Settings, log: Filling) -> tuple[Inputs, str]:
        """The games stand in the order of dates where all have one; the chart shows the first system's best."""
        if log.games["date"].notna().all():
            log = replace(log, games=log.games.sort_values("date", kind="stable", ignore_index=True))
        inputs, title = super().filled(form, system, settings, log)
        return replace(inputs, cells={**inputs.cells, "burn in": float(BURN_IN)}), title

    def _with_ledgers(self) -> dict[str, Any]:
        """Return the template with the sheets of the further systems."""
        ledgers = [{"name": one.pool.table, "kind": "further_ledger", "at": i} for i, one in enumerate(self.further)]
        carries = [
            {"name": one.pool.carry_table, "kind": "further_carry", "at": i} for i, one in enumerate(self.further)
        ]
        sheets: list[dict[str, Any]] = []
        for sheet in self.form["sheet"]:
            sheets += [sheet, *{"Ledger": ledgers, "Carry": carries}.get(sheet["name"], [])]
        return {**self.form, "sheet": sheets}

    # Ledgers

    def step_names(self) -> list[str]:
        return self.pool.step_names()

    def further_fills(self) -> dict[str, Fill]:
        self.pool.carrying.append("Played before")
        return {"played_before": self.pool.carried_fill("IF([Previous]=0,0,carried[Played before]+1)", "0", "count")}

    def _ledger_columns(self, pool: PoolLedger) -> tuple[ColumnPlan, ...]:
        """Return the columns of a further Ledger."""
        form = next(one for one in self.form["sheet"] if one["name"] == "Ledger")
        columns: list[dict[str, Any]] = []
        for column in form["column"]:
            if column["role"] == "steps":
                told = {**column, "source": "; ".join(pool.system.sources)}
                columns += [rule_column(told, pool.system, name, pool.label(name)) for name in pool.step_names()]
            elif column["role"] not in LEFT_OUT:
                columns.append(column)
        columns.sort(key=lambda column: is_round(column["role"]))
        lent = [column["label"] for column in form["column"] if column["role"] in LEFT_OUT]
        labels = [*(column["label"] for column in columns), *lent]
        fills = pool.ledger(labels, self.labels("Games"))
        pool.carrying = [label for label in pool.carrying if label not in lent]
        return tuple(column_as_told(column, fills[column["role"]]) for column in columns)

    def _further_ledger(self, sheet: Mapping[str, Any]) -> SheetPlan:
        pool = self.further[sheet["at"]].pool
        hint = next(one["hint"] for one in self.form["sheet"] if one["name"] == "Ledger")
        table = TablePlan(pool.table, HEADER_ROW, self.ledgers[sheet["at"]], 2 * pool.ledger_games)
        told = {**sheet, "title": f"Ledger: {pool.system.title}, step by step", "hint": hint}
        return self.table_sheet(told, table, self.highlights(table), frozen_columns=2, landscape=True)

    def _further_carry(self, sheet: Mapping[str, Any]) -> SheetPlan:
        one = self.further[sheet["at"]]
        title = {"title": f"Carry: every player's last row up to each block, {one.pool.system.title}"}
        return self.plain_table({**sheet, **title}, one.pool.carry_table, one.pool.carry())

    def _systems(self, sheet: Mapping[str, Any]) -> SheetPlan:
        cells = list(self.heading(sheet))
        row = 4
        for one in self.further:
            pool = one.pool
            cells.append(CellPlan(row, 1, f"{pool.system.title} ({one.name})", style="section", merge_to=3))
            for parameter in pool.system.live:
                row += 1
                cells.append(CellPlan(row, 1, parameter.label, style="label"))
                style = "date" if parameter.is_date else ("text_right" if parameter.choices else "setting")
                cells.append(CellPlan(row, 2, pool.settings[parameter.name], style=style))
                cells.append(CellPlan(row, 3, parameter.meaning, style="remark"))
                if parameter.name != "period":
                    self.names[pool.setting_cells[parameter.name]] = f"{sheet['name']}!$B${row}"
            for source in pool.system.sources:
                row += 1
                cells.append(CellPlan(row, 1, source, style="hint"))
            row += 2
        return SheetPlan(sheet["name"], tuple(cells), widths={1: 34, 2: 18, 3: 78}, landscape=True)

    # Ratings side by side

    @property
    def terms(self) -> Mapping[str, str]:
        of_game = self.pool.of_game
        return {
            **super().terms,
            "first": self.rated[0].name,
            "spark_games": str(SPARK_POINTS),
            "rated": f'{of_game("Status", 1)}="rated"',
            "all_rate": ",".join(f'{one.pool.of_game("Status", 1)}="rated"' for one in self.rated),
            "white_player": of_game("Player", 0),
            "black_player": of_game("Player", 1),
            "score": of_game("Score", 0),
            "played_before": f"MIN({of_game('Played before', 0)},{of_game('Played before', 1)})",
            "least": LEAST,
        }

    def _of_system(self, one: Rated) -> dict[str, str]:
        """Return what stands in the columns of a system for the names in braces."""
        expected = f"[{one.name} expected]"
        return {
            "system": one.name,
            "last_row": f"{one.pool.carry_table}[{LAST_ROW}]",
            "after": one.after,
            "sign": "-" if one.pool.system.lower_is_better else "",
            "expected": one.pool.of_game(one.pool.label(one.forecast), 0),
            "held": f"MAX(0.000000000000001,MIN(1-0.000000000000001,{expected}))",
        }

    def system_table(self, name: str, rows: int, fills: Mapping[str, Fill] = NO_FILLS) -> TablePlan:
        """Return a table as its form says it; columns of `each` system stand there once for every one.

        What such a column says of itself the first system's says alone.
        """
        columns: list[dict[str, Any]] = []
        for group, some in groupby(self.columns(name), lambda column: column.get("each")):
            several = list(some)
            for one in self.rated if group else ():
                for column in several:
                    terms = self._of_system(one)
                    told: dict[str, Any] = {
                        key: with_terms(column[key], terms) for key in ("label", "formula", "about") if key in column
                    }
                    if name == "Compare":  # the only sheet with the points of all systems
                        told["style"] = self._style(column["style"], one.name)
                    columns.append({**column, **told, **({"about": ""} if one is not self.rated[0] else {})})
            columns += () if group else several
        named = [{**column, "label": with_terms(column["label"], self.terms)} for column in columns]
        wide = [{**one, "width": len(one["label"]) + 2} if one.get("role") == "spark" else one for one in named]
        return self.told_table(name, wide, rows, fills=fills)

    def _standing(self, sheet: Mapping[str, Any]) -> SheetPlan:
        count = self.book.inputs.sizes.get("Standing") or len(self.pool.names) + SPARE_PLAYERS
        return self.table_sheet(sheet, self.system_table("Standing", count), frozen_rows=0, hidden=True)

    @cached_property
    def compared_table(self) -> TablePlan:
        """The table Compare: the players in the order of the first system."""
        count = self.book.inputs.sizes.get("Compare") or self.book.inputs.rows("Players")
        return self.system_table("Compare", count, {"spark": Fill([None] * count)})

    def _compared(self, sheet: Mapping[str, Any]) -> SheetPlan:
        table = self.compared_table
        sparks = tuple(sparklines(table))
        return self.table_sheet(sheet, table, ranked_rows(table), sparklines=sparks, frozen_columns=2, landscape=True)

    def _sparks(self, sheet: Mapping[str, Any]) -> SheetPlan:
        first = self.rated[0].name
        last = f'IF(INDEX(Compare[At],[Place])="",0,INDEX(Standing[Row {first}],INDEX(Compare[At],[Place])))'
        return SheetPlan(
            sheet["name"], self.heading(sheet), (spark_table(self.pool, self.compared_table.rows, last),), hidden=True
        )

    def _style(self, style: str, name: str) -> str:
        """Return the style of a number that belongs to a system."""
        return FINER.get(style, style) if self._has_small(name) else style

    def _has_small(self, name: str) -> bool:
        pool = next(one.pool for one in self.rated if one.name == name)
        return is_fine(pool.system, pool.settings)

    def is_fine(self, sheet: str) -> bool:
        """Return whether all points on a sheet are small numbers: the first system's, but for the others' Ledgers."""
        own = next((one.name for one in self.further if one.pool.table == sheet), self.rated[0].name)
        return sheet not in {"Compare", "Chart"} and self._has_small(own)

    # Predictions

    def _predictions(self, sheet: Mapping[str, Any]) -> SheetPlan:
        table = self.system_table("Predictions", self.pool.ledger_games)
        return self.table_sheet(sheet, table, frozen_columns=3, landscape=True)

    def _scores(self, sheet: Mapping[str, Any]) -> SheetPlan:
        cells = list(self.heading(sheet))
        cells += self.asked_cells(sheet)
        none = f'IF(SUM(Predictions[Counted])>0,"",IF(COUNT(Ledger[Score])=0,"","{NONE_COUNTS}"))'
        cells.append(CellPlan(4, 4, PENDING, none, "hint"))
        header = SCORES_ROW
        cells += [CellPlan(header, i, label, style="header") for i, label in enumerate(SCORED, 1)]
        styles = ("points_strong", "share", "share", "decimal_fine", "decimal_fine", "percent")
        for row, one in enumerate(self.rated, header + 1):
            cells.append(CellPlan(row, 1, one.name, style="name_strong"))
            cells.append(CellPlan(row, 2, str(one.pool.settings["period"]), style="text"))
            cells.append(CellPlan(row, 3, PENDING, "SUM(Predictions[Counted])", "integer", "count"))
            columns = ("Score", *(f"{one.name} {what}" for what in ("expected", "log loss", "squared", "hit")))
            for column, (label, style) in enumerate(zip(columns, styles[1:], strict=True), 4):
                formula = f"SUMIFS(Predictions[{label}],Predictions[Counted],1)/$C{row}"
                cells.append(CellPlan(row, column, PENDING, f'IF($C{row}=0,"",{formula})', style, "share"))
        first, last = header + 1, header + len(self.rated)
        notes = (
            "Log loss: the smaller the better; 0.693 is what one half for every game gets.",
            "Brier score: the mean squared error, the smaller the better; 0 is perfect.",
            "Accuracy: the share of the points that the favourites scored.",
            f"Scores are {self.sides[0]}'s. Differences of few games are chance.",
        )
        cells += [CellPlan(last + 2 + i, 1, note, style="hint") for i, note in enumerate(notes)]
        best = [
            Highlight(
                f"${letter}${first}:${letter}${last}",
                f'AND({letter}{first}<>"",{letter}{first}={function}(${letter}${first}:${letter}${last}))',
                "good",
            )
            for letter, function in (("F", "MIN"), ("G", "MIN"), ("H", "MAX"))
        ]
        return SheetPlan(
            sheet["name"],
            tuple(cells),
            highlights=(*best, Highlight(f"$C${first}:$C${last}", f"$C{first}=0", "nothing")),
            widths={1: 24, 2: 14, **dict.fromkeys(range(3, 9), 14.0)},
            landscape=True,
        )

    # Chart

    @cached_property
    def lines(self) -> dict[str, Fill]:
        """The chosen player's rating under each system after each row of Games, by system."""
        names = [one.name for one in self.rated]
        layout = TableLayout("Lines", ["Game", *names], HEADER_ROW, len(self.curves) + 2)
        fills = {"Game": Fill([float(stop) for stop in stops(self.pool.ledger_games)], unit="count")}
        cell = "Chart!$B$5"
        for one in self.rated:
            fills[one.name] = line(one.pool, layout, one.name, cell, self._start_formula(one.pool, cell))
        return fills

    @staticmethod
    def _start_formula(pool: PoolLedger, cell: str) -> str:
        initial = pool.setting_cells["initial"]
        typed = f"INDEX(Players[Start rating],MAX(1,{cell}))"
        return f"IF({cell}=0,{initial},IF(ISNUMBER({typed}),{typed},{initial}))"

    @cached_property
    def curves(self) -> dict[str, Fill]:
        """The table that the chart draws, by label: points between the first game and the last."""
        names = [one.name for one in self.rated]
        labels = point_labels(names, self.pool.ledger_games)
        layout = TableLayout("Curves", labels, HEADER_ROW)
        fills = spread_games(layout)
        cell = "Chart!$B$5"
        for one in self.rated:
            is_new, rating = point(one.pool, one.name)
            shown = f"IF(OR({cell}=0,{is_new}),{self._start_formula(one.pool, cell)},{rating})"
            fills[one.name] = layout.fill(shown, "points")
        return {label: fills[label] for label in labels}

    def _curves(self, sheet: Mapping[str, Any]) -> SheetPlan:
        plan = self.plain_table(sheet, "Curves", self.curves)
        rows, beside = len(stops(self.pool.ledger_games)), len(self.curves) + 2
        table = TablePlan("Lines", HEADER_ROW, figure_columns(self.lines), rows, beside)
        return replace(plan, tables=(*plan.tables, table))

    def _chart(self, sheet: Mapping[str, Any]) -> SheetPlan:
        cells = list(self.heading(sheet))
        pick = pick_player(self.players_range())
        cells += asked(4, 1, "Player", self.chosen[0], "name", pick)
        found = 'IF($B$4="",INDEX(Players[Id],1),SUMPRODUCT((Players[Player]=$B$4)*Players[Id]))'
        cells += figured(5, 1, "Number", found, "helper", "count", label_style="hint")
        cells += [CellPlan(row, 1, label, style="label") for row, label in enumerate(("System", "Rating", "Rank"), 6)]
        series = []
        for i, one in enumerate(self.rated):
            column, drawn = 2 + i, column_letters(CURVE_COLUMNS + 1 + i)
            across, up = (rows_below("Curves", letter, CURVE_POINTS) for letter in ("B", drawn))
            cells.append(CellPlan(6, column, one.name, style="header"))
            for row, what, style, unit in ((7, "Rating", "points_strong", "points"), (8, "Rank", "integer", "count")):
                formula = f'IF($B$5=0,"",INDEX(Standing[{what} {one.name}],MAX(1,$B$5)))'
                cells.append(CellPlan(row, column, PENDING, formula, self._style(style, one.name), unit))
            series.append(Series(f"=Chart!${column_letters(column)}$6", across, up, LINE_ORDER[i]))
        chart = ChartPlan(
            "line", "Rating under each system", "Games of the log", "", tuple(series), 10, 1, 960, 440, PENDING
        )
        return SheetPlan(
            sheet["name"],
            tuple(cells),
            charts=(chart,),
            widths={1: 12, 2: 28} | dict.fromkeys(range(3, 2 + len(series)), 18.0),
            heights={5: 0.0},
            landscape=True,
        )

    # Check

    @cached_property
    def checks(self) -> Mapping[str, Figure]:
        others = "+".join(f"COUNT({one.pool.table}[Score])" for one in self.further)
        first = self.rated[0].name
        foretold = "+".join(f"COUNT(Predictions[{one.name} expected])" for one in self.rated)
        return {
            **super().checks,
            "left_out": (f"({len(self.further)}*COUNT(Ledger[Score])-({others}))/2", "count"),
            "predictions": (f"{foretold}-{len(self.rated)}*SUM(Predictions[Counted])", "count"),
            "compared": (f'ROUND(SUM(Compare[{first}])-SUMIFS(Players[Rating],Players[Last row],">0"),6)', "points"),
        }


# The first columns of Curves, before the systems, and the row of the headers of Scores.
CURVE_COLUMNS = 3
SCORES_ROW = 6
