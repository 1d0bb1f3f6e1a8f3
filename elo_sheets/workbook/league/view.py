"""The league's sheets: players and games as they are typed, standings, chart, check.

The Ledger behind them is `pool`'s. Everything here is a formula alone, whose values `complete` finds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar

from elo_sheets.files.references import column_letters
from elo_sheets.workbook.book import HEADER_ROW, rows_below
from elo_sheets.workbook.dialect import Lists, lists, places, spilling
from elo_sheets.workbook.highlights import ranked_rows
from elo_sheets.workbook.layout import LONG, TableLayout
from elo_sheets.workbook.league.card import LEGEND_ROW, NAME, Card, legend
from elo_sheets.workbook.league.colours import standing_highlights, upsets
from elo_sheets.workbook.league.cross import PAIRED, cross_sheet, paired, spark_table, sparklines
from elo_sheets.workbook.odds import odds_sheet, own_curve
from elo_sheets.workbook.peaks import mark
from elo_sheets.workbook.plan import (
    DAYS,
    PART,
    PENDING,
    CellPlan,
    CellValue,
    ChartPlan,
    Fill,
    Highlight,
    Series,
    SheetPlan,
    TablePlan,
    figure_columns,
    pick_player,
)
from elo_sheets.workbook.pools.columns import POINTS
from elo_sheets.workbook.pools.lines import CURVE_POINTS, bests, line, point, point_labels, spread_games, stops
from elo_sheets.workbook.pools.sheets import PoolView, chart_players
from elo_sheets.workbook.pools.statuses import ANY, sides_with
from elo_sheets.workbook.spellings import NOT_PLAYED
from elo_sheets.workbook.styles import LINE_ORDER
from elo_sheets.workbook.sums import in_parts, spans
from elo_sheets.workbook.typed_checks import unlike_points
from elo_sheets.workbook.view import Behind, Figure


class LeagueView(PoolView):
    """The sheets of a pool of players who rate each other."""

    modern_sheets: ClassVar[tuple[str, ...]] = ("Standings", "Card")
    # Whether the sheet Odds stands there for FIDE's tables, even where the rule has no curve to show.
    keeps_odds: ClassVar[bool] = False

    # Sheets

    def _odds(self, sheet: Mapping[str, Any]) -> SheetPlan | None:
        if own_curve(self.system) is None and not self.keeps_odds:
            return None
        return odds_sheet(sheet, self.system, self.book.settings, self.setting_cells)

    def _standings(self, sheet: Mapping[str, Any]) -> SheetPlan:
        at = "INDEX(Players[Last row],MATCH([Place],Players[Rank],0))"
        streak = f'IF([Place]="","",IF({at}=0,"",INDEX(Ledger[Streak],MAX(1,{at}))))'
        more = {"place_streak": TableLayout("Standings", [], HEADER_ROW).fill(streak, "count")}
        table = self.placed_table(sheet, self.places, {**more, "spark": Fill([None] * self.places)})
        labels = {column.role: column.label for column in table.columns}
        if self.is_modern:
            sources = self.labels("Players")
            wanted = {label: label for label in labels.values() if label in sources}
            formulas: Lists = {("Place",): places("Players[Rank]")} | lists(table, wanted, "Players", sources)
            table = spilling(table, formulas)
        # LibreOffice shows one rule a cell, of the range that comes first.
        highlights = [*standing_highlights(table), *ranked_rows(table)]
        if "player_mark" in labels:
            mark = Highlight(table.body, f'{table.top(labels["player_mark"])}="provisional"', "muted")
            highlights.insert(-2, mark)
        cells = (*self.heading(sheet), *self.asked_cells(sheet))
        sparks = tuple(sparklines(table) if "spark" in labels else ())
        return self.table_sheet(sheet, table, highlights, cells=cells, sparklines=sparks)

    def highlights(self, table: TablePlan) -> Iterator[Highlight]:
        yield from super().highlights(table)
        expected = f"{self.sides[0]} expected"
        if table.name == "Games" and {expected, "Status"} <= {column.label for column in table.columns}:
            points = [self.pool.extra[name] for name in POINTS if name in self.pool.extra]
            yield upsets(table, expected, points, outcome=self.outcome)

    def _sparks(self, sheet: Mapping[str, Any]) -> SheetPlan:
        last = "IF([Place]>COUNT(Players[Rank]),0,INDEX(Players[Last row],MATCH([Place],Players[Rank],0)))"
        return SheetPlan(sheet["name"], self.heading(sheet), (spark_table(self.pool, self.places, last),), hidden=True)

    def _cross(self, sheet: Mapping[str, Any]) -> SheetPlan:
        return cross_sheet(self, sheet, self.pairs_layout.name)

    @cached_property
    def card(self) -> Card:
        """The card of the chosen player."""
        return Card(self)

    def _card(self, sheet: Mapping[str, Any]) -> SheetPlan:
        return self.card.sheet(sheet)

    @property
    def behind(self) -> Mapping[str, Behind]:
        return {"card_met": ("CardMet", self._met)}

    def _met(self) -> dict[str, Fill]:
        games = self.pool.ledger_games
        return self.card.met(in_parts(self.pairs_layout, "Curves", games, PAIRED[::-1], spans(games, PART // 2)))

    def _card_curve(self, sheet: Mapping[str, Any]) -> SheetPlan:
        points = self.table_sheet(sheet, self.card.curve(sheet), frozen_rows=0, hidden=True)
        cells, spread = self.card.behind_charts()
        cells = (*points.cells, legend(4, f'{NAME}=""', NAME), *cells)
        return replace(points, cells=cells, tables=(*points.tables, spread))

    # Chart

    @property
    def chosen(self) -> list[CellValue]:
        """The names chosen for the chart; where there are none, it draws the first of Players."""
        return [self.book.inputs.cells.get(f"chosen {i + 1}") for i in range(chart_players(self.form))]

    def _curves(self, sheet: Mapping[str, Any]) -> SheetPlan:
        """Return the hidden sheet behind the chart: its points, and beside them the lines from game to game."""
        points = self.plain_table(sheet, "Curves", self.curves)
        games = self.pool.ledger_games
        tables = [(self.lines_layout, self.lines, len(stops(games)))]
        if self.pairs_layout is not self.lines_layout:
            tables.append((self.pairs_layout, paired(self.pool, self.pairs_layout), games))
        beside = (
            TablePlan(layout.name, HEADER_ROW, figure_columns(fills), rows, layout.first_column)
            for layout, fills, rows in tables
        )
        best = bests(self.pool, self._peaks_at, self._numbers, self.peak_name)
        cells = (*points.cells, *self._legend(), *best)
        return replace(points, cells=cells, tables=(*points.tables, *beside))

    @property
    def _numbers(self) -> list[str]:
        """The cells with the numbers of the chosen players."""
        return [f"Chart!${column_letters(2 + i)}$5" for i in range(len(self.chosen))]

    def _legend(self) -> Iterator[CellPlan]:
        """Yield what the chart calls its lines: of an empty cell programs would name the column."""
        for i, number in enumerate(self._numbers):
            yield legend(4 + i, f"{number}=0", f"INDEX(Players[Player],MAX(1,{number}))")

    @cached_property
    def lines(self) -> dict[str, Fill]:
        """The rating of each chosen player after each row of Games, and who met whom in it, by label."""
        pool, layout = self.pool, self.lines_layout
        fills = {"Game": Fill([float(stop) for stop in stops(pool.ledger_games)], unit="count")}
        for i, cell in enumerate(self._numbers, 1):
            start = f"IF({cell}=0,{self.setting_cells['initial']},INDEX(Players[Starts at],MAX(1,{cell})))"
            fills[f"Line {i}"] = line(pool, layout, f"Line {i}", cell, start)
        return fills | (paired(pool, layout) if layout is self.pairs_layout else {})

    @cached_property
    def lines_layout(self) -> TableLayout:
        """Where the columns of the table Lines stand."""
        labels = ["Game", *(f"Line {i}" for i in range(1, len(self.chosen) + 1))]
        if self.pool.ledger_games <= LONG:
            labels += PAIRED
        return TableLayout("Lines", labels, HEADER_ROW, len(self._point_labels) + 2)

    @cached_property
    def pairs_layout(self) -> TableLayout:
        """Where it stands who met whom in each game: in the table Lines, if that has a row for each."""
        lines = self.lines_layout
        if PAIRED[0] in lines.labels:
            return lines
        return TableLayout("Pairs", PAIRED, HEADER_ROW, lines.first_column + len(lines.labels) + 1)

    @cached_property
    def curves(self) -> dict[str, Fill]:
        """The table that the chart draws, by label.

        A place without a player repeats the first line, so that the chart never shows an error or a zero.
        """
        layout = TableLayout("Curves", self._point_labels, HEADER_ROW)
        fills = spread_games(layout)
        for i, cell in enumerate(self._numbers, 1):
            otherwise = self.setting_cells["initial"] if i == 1 else "[Player 1]"
            is_new, rating = point(self.pool, f"Line {i}")
            shown = f"IF({is_new},INDEX(Players[Starts at],MAX(1,{cell})),{rating})"
            shown = f"IF({cell}=0,{otherwise},{shown})"
            up, at = (f"${column_letters(self._peaks_at + column)}${HEADER_ROW + i}" for column in (2, 4))
            fills[f"Player {i}"] = layout.fill(f"IF([Point]={at},{up},{shown})", "points")
        fills["Day"] = layout.fill("INDEX(Ledger[Latest date],MAX(1,2*[Row]-1))", "date")
        return {label: fills[label] for label in layout.labels}

    @property
    def _point_labels(self) -> list[str]:
        """The columns of the table that the chart draws."""
        names = [f"Player {i}" for i in range(1, len(self.chosen) + 1)]
        return point_labels([*names, "Day"], self.pool.ledger_games)

    def _chart(self, sheet: Mapping[str, Any]) -> SheetPlan:
        cells = list(self.heading(sheet))
        pick = pick_player(self.players_range())
        cells.append(CellPlan(4, 1, "Players", style="label"))
        cells.append(CellPlan(5, 1, "Number", style="hint"))
        series = []
        nobody = "&".join(f"${column_letters(2 + i)}$4" for i in range(len(self.chosen))) + '=""'
        for i, name in enumerate(self.chosen):
            letter, column = column_letters(2 + i), column_letters(4 + i)
            first = f"IF({nobody},INDEX(Players[Id],{i + 1}),0)" if i < self.book.inputs.rows("Players") else "0"
            formula = f'IF({letter}$4="",{first},SUMPRODUCT((Players[Player]={letter}$4)*Players[Id]))'
            cells.append(CellPlan(4, 2 + i, name, style="name", is_input=True, validation=pick))
            cells.append(CellPlan(5, 2 + i, PENDING, formula, "helper", "count"))
            across, up = (rows_below("Curves", at, CURVE_POINTS) for at in ("B", column))
            series.append(Series(f"=Curves!${column}${LEGEND_ROW}", across, up, LINE_ORDER[i % 4]))
        return SheetPlan(
            sheet["name"],
            tuple(cells),
            charts=self.line_charts(series),
            widths={1: 12} | dict.fromkeys(range(2, 2 + len(series)), 24.0),
            heights={5: 0.0},
            one_page=True,
        )

    @property
    def _peaks_at(self) -> int:
        pairs = self.pairs_layout
        return pairs.first_column + len(pairs.labels) + 1

    def line_charts(self, lines: Sequence[Series]) -> tuple[ChartPlan, ...]:
        """Return the charts of the chosen players' lines: by game and by day."""
        days = rows_below("Curves", column_letters(list(self.curves).index("Day") + 1), CURVE_POINTS)
        at, on, up = (self._peaks_at + column for column in range(3))
        games = (*lines, mark("Curves", at, up, len(lines)))
        dated = (*(replace(line, categories=days) for line in lines), mark("Curves", on, up, len(lines)))
        return (
            ChartPlan("line", "Rating after each game", "Games of the league", "", games, 7, 1, 960, 400, PENDING),
            ChartPlan("line", "Rating by date", "", "", dated, 28, 1, 960, 400, PENDING, x_format=DAYS),
        )

    # Check

    @cached_property
    def checks(self) -> Mapping[str, Figure]:
        pool = self.pool
        # Where they meet again on a day and it ends otherwise, it may end alike too: as often as not is no slip.
        equal = "SUM(Ledger[Duplicate])"
        listed = f"(({'+'.join(f'(Games[{label}]<>{EMPTY})' for label in self.needed)})>0)"
        found: dict[str, Figure] = {
            **super().checks,
            "not_rated": (f"{sides_with(ANY)}/2-{sides_with(NOT_PLAYED)}/2-COUNT(Ledger[Score])/2", "count"),
            "unknown_names": self.games_with("unknown player"),
            "self_play": self.games_with("same player twice"),
            "no_result": self.games_with("no result"),
            "beyond": (f"MAX(0,SUMPRODUCT(1*{listed})-{sides_with(ANY)}/2)", "count"),
            "duplicates": (f"IF(SUM(Ledger[Met again])-{equal}>=MAX(2,{equal}),0,{equal})", "count"),
            "order_breaks": ("SUM(Ledger[Order break])/2", "count"),
            "twins": ('SUMPRODUCT(1*(Players[Player]<>""))-SUMPRODUCT(1*(Players[Id]>0))', "count"),
        }
        if "points" in self.system.reads:
            layout = TableLayout("Ledger", self.labels("Ledger"), HEADER_ROW)
            found["unlike_points"] = unlike_points(layout, 2 * pool.ledger_games, self.sides[0])
            found["no_points"] = self.games_with("no points")
        if pool.is_dated:
            found["no_date"] = self.games_with("no date")
        if pool.is_ordered:
            found["out_of_order"] = self.games_with("out of order")
        if self.form_settings["period"] == "event":
            found["events_back"] = ("SUM(Ledger[Event back])", "count")
        ratings = 'SUMIFS(Players[Rating],Players[Id],">0")-SUMIFS(Players[Starts at],Players[Id],">0")'
        if self.system.zero_sum and self.form_settings["period"] == "game" and not self.system.opening:
            found["sum_of_changes"] = (f"ROUND({ratings},6)", "points")
        if self.form_settings["period"] == "game":
            moved = f"(SUM(Ledger[{pool.label('rating_after')}])-SUM(Ledger[{pool.label('rating')}]))"
            found["control_total"] = (f"ROUND({ratings}-{moved},6)", "points")
        return found


EMPTY = '""'
