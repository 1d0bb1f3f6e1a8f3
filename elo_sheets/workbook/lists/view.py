"""Rating lists: the sheets of a pool that is rated by the month or the year.

The Ledger is `pool`'s: every game of a period is rated by the states that the period opened with, and the state after
a player's last game of the period is the one that the next list shows. Here the lists are read off it. Each row of
the Ledger knows the player's last row before its period, so the sheet Closings goes back from list to list without a
search; Progress, the list of the chosen period and the movers look the ratings up there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar

from elo_sheets.files.references import column_letters
from elo_sheets.replaying.settings import Settings
from elo_sheets.systems import System
from elo_sheets.workbook.book import HEADER_ROW, Book, Filling, Inputs, rows_below
from elo_sheets.workbook.dialect import Lists, places, ranked, spilling
from elo_sheets.workbook.facts import best_of, step_unit
from elo_sheets.workbook.front import Line, leader
from elo_sheets.workbook.highlights import ranked_rows, unnamed
from elo_sheets.workbook.invitation import invitation
from elo_sheets.workbook.layout import TableLayout, with_terms
from elo_sheets.workbook.lists.growth import at_end, idle_step
from elo_sheets.workbook.lists.ranking import ListedRanking
from elo_sheets.workbook.lists.sparks import SPARK_LISTS, spark_table, sparklines
from elo_sheets.workbook.peaks import mark, peaks
from elo_sheets.workbook.plan import (
    PENDING,
    CellPlan,
    CellValue,
    ChartPlan,
    Fill,
    Highlight,
    Series,
    SheetPlan,
    TablePlan,
    Validation,
)
from elo_sheets.workbook.pools.columns import state_columns
from elo_sheets.workbook.view import Figure, Form

LIST_HEADER = 8
# The single cells of the sheet List: their rows, in column C.

# A sheet knows no day before 1900: an earlier month is drawn there.
FIRST_MONTH = 12 * 1900
# What the list takes from the table Ranking as it is.
TAKEN = ("Player", "Rating", "Games", "Rank before", "Remark")


class RatingsListView(ListedRanking):
    """The sheets of a pool that is rated by periods: lists, movers, progress."""

    modern_sheets = ("List", "Movers")
    standards: ClassVar[Mapping[str, CellValue]] = {"inactive after": 12.0, "show inactive": "yes"}

    def __init__(self, book: Book) -> None:
        super().__init__(book)
        self.fills |= self.list_fills

    @cached_property
    def front(self) -> Sequence[Line]:
        """Who leads the list that is shown, and what a pool says besides."""
        return [leader(3 if self.is_fine("Players") else 1, "Ranking"), *super().front]

    # How a book begins

    @classmethod
    def present(cls, columns: Sequence[dict[str, Any]], form: Form, system: System) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        for column in super().present(columns, form, system):
            if column.get("role") != "list_states":
                found.append(column)
                continue
            for one in state_columns(column, system, "list_state"):
                grows = idle_step(system, one["role"].partition(":")[2])
                found.append(one | {"about": column["grown"]} if grows else one)
        return found

    @classmethod
    def filled(cls, form: Form, system: System, settings: Settings, log: Filling) -> tuple[Inputs, str]:
        """The games stand in the order of dates, the last list is shown, and the chart draws its best."""
        ordered = log.games.sort_values("date", kind="stable", ignore_index=True)
        return super().filled(form, system, settings, replace(log, games=ordered))

    def highlights(self, table: TablePlan) -> Iterator[Highlight]:
        yield from super().highlights(table)
        if table.name == "Periods":
            yield unnamed(table, "No.", "List")

    @property
    def listed_rows(self) -> int:
        """How many rows the list has."""
        return self.people if self.is_modern else self.book.inputs.sizes.get("List") or self.book.inputs.rows("Players")

    @cached_property
    def list_fills(self) -> dict[str, Fill]:
        """The fill of every role of the sheet List."""
        layout = TableLayout("List", self.labels("List"), LIST_HEADER)
        place = f"ROW()-ROW($A${LIST_HEADER})"
        period = "INDEX(Ledger[Period],INDEX(Ranking[Row],[At]))"
        mark = 'IF(INDEX(Ranking[Up],[At])<>"","▲",IF(INDEX(Ranking[Down],[At])<>"","▼",""))'
        shown = {
            "list_at": ("SUMPRODUCT((Ranking[Rank]=[Rank])*Ranking[No.])", "count"),
            "list_mark": (mark, "text"),
            "list_last_played": (self.name_formula(period, self.word), "text"),
            "list_change": ('IF(INDEX(Ranking[Games],[At])=0,"",INDEX(Ranking[Change],[At]))', "points"),
        }
        taken = {f"list_{label.lower().replace(' ', '_')}": label for label in TAKEN}
        for name, after in self.after.items():
            if idle_step(self.system, name):
                taken[f"list_state:{name}"] = at_end(self.system, name)
            elif name != "rating":
                state = f"INDEX(Ledger[{after}],INDEX(Ranking[Row],[At]))"
                shown[f"list_state:{name}"] = state, step_unit(self.system, name)
        for role, label in taken.items():
            shown[role] = f"INDEX(Ranking[{label}],[At])", self.ranking[label].unit
        rank = Fill(PENDING, f'IF({place}>COUNT(Ranking[Rank]),"",{place})', "count")
        return {"list_rank": rank} | {
            role: layout.fill(f'IF([Rank]="","",{formula})', unit) for role, (formula, unit) in shown.items()
        }

    def _sparks(self, sheet: Mapping[str, Any]) -> SheetPlan:
        return SheetPlan(sheet["name"], self.heading(sheet), (spark_table(self),), hidden=True)

    def _list(self, sheet: dict[str, Any]) -> SheetPlan:
        table = self.form_table(sheet, LIST_HEADER, self.listed_rows)
        if self.is_modern:
            table = spilling(table, self._spilled)
        marks = table.range("Change").partition(":")[0] + ":" + table.range("Mark").partition(":")[2]
        mark, remark = table.top("Mark"), table.top("Remark")
        highlights = (
            Highlight(marks, f'{mark}="▲"', "gain"),
            Highlight(marks, f'{mark}="▼"', "loss_text"),
            Highlight(table.range("Remark"), f'{remark}="new"', "win"),
            Highlight(table.range("Remark"), f'{remark}="inactive"', "draw"),
            *ranked_rows(table),
        )
        summary = CellPlan(4, 4, PENDING, self._summary, "remark")
        beside = table.first_column + len(table.columns)  # a program that draws no small lines prints no empty column
        lines = CellPlan(table.first_row, beside, f"Last {SPARK_LISTS} lists", style="header")
        made = self.table_sheet(
            sheet,
            table,
            highlights,
            cells=(*self.heading(sheet), *self.asked_cells(sheet), summary, lines),
            sparklines=tuple(sparklines(self, table)),
            frozen_columns=2,
            printed_columns=beside - 1,
        )
        return replace(made, widths={**made.widths, beside: 18})

    @property
    def _spilled(self) -> Lists:
        """The formulas that fill the list; what stands in the Ledger alone is looked up row by row."""
        taken = {label: f"Ranking[{label}]" for label in TAKEN}
        computed = {
            "At": "Ranking[No.]",
            "Change": 'IF(Ranking[Games]=0,"",Ranking[Change])',
            "Mark": 'IF(Ranking[Up]<>"","▲",IF(Ranking[Down]<>"","▼",""))',
        }
        found: Lists = {("Rank",): places("Ranking[Rank]")}
        return found | {(label,): ranked(values, "Ranking[Rank]") for label, values in (taken | computed).items()}

    def validation(self, spec: Mapping[str, Any]) -> Validation:
        if spec["kind"] == "periods":
            spec = {**spec, "kind": "list", "range": rows_below("Periods", "B", self.lists)}
        return super().validation(spec)

    @property
    def _summary(self) -> str:
        games, players = "INDEX(Periods[Games],List_column)", "COUNT(Ranking[Rank])"
        text = (
            f'INDEX(Periods[List],List_column)&": "&{players}&IF({players}=1," player, "," players, ")'
            f'&{games}&IF({games}=1," game"," games")'
        )
        nothing = f'IF(Latest_period=0,"{invitation(self.games_table)}","no such list: choose one from the drop-down")'
        return f"IF(List_column=0,{nothing},{text})"

    # Movers

    def _movers(self, sheet: Mapping[str, Any]) -> SheetPlan:
        tables = []
        cells = [*self.heading(sheet), CellPlan(2, 1, PENDING, self._summary, "hint")]
        widths: dict[int, float] = {}
        for first, name, moved, way in ((1, "Risers", "Up", "won"), (8, "Fallers", "Down", "lost")):
            count = self.people if self.is_modern else int(sheet["places"])
            columns = [{**one, "about": with_terms(one.get("about", ""), {"way": way})} for one in sheet["column"]]
            table = self.told_table(name, columns, count, first_column=first, terms={"moved": moved})
            tables.append(self._mover_list(table, f"Ranking[{moved}]") if self.is_modern else table)
            cells.append(CellPlan(3, first, moved, style="label"))
            widths |= table.widths
        return SheetPlan(
            sheet["name"], tuple(cells), tuple(tables), widths=widths | {7: 3.0}, frozen_rows=HEADER_ROW, landscape=True
        )

    def _mover_list(self, table: TablePlan, moved: str) -> TablePlan:
        """Return all movers of one way as a list that spills."""
        formulas: Lists = {("Place",): f'IF(COUNT({moved})=0,"",SEQUENCE(COUNT({moved})))'}
        for column in table.columns[1:-1]:
            formulas[column.label,] = ranked(f"Ranking[{column.label}]", moved, -1)
        return spilling(table, formulas, dropped=("At",))

    # Chart

    @cached_property
    def curves(self) -> dict[str, Fill]:
        """The table that the chart draws, by label: for each line its days and its ratings, the latest first.

        A line ends with the start rating in the period before the first game; the points that are left repeat that one,
        and a place without a player repeats the first line, so that the chart never shows an error or a zero.
        """
        points = self.lists + 1
        places = range(1, len(self.chosen) + 1)
        labels = ["Point", "Day", *(f"{word} {i}" for i in places for word in ("Day", "Player"))]
        layout = TableLayout("Curves", labels, HEADER_ROW)
        code = "(Latest_period-[Point]+1)"
        month = f"MAX({FIRST_MONTH},{code})"
        day = code if self.word == "year" else f"DATE(INT({month}/12),MOD({month},12)+1,1)"
        fills = {
            "Point": Fill([float(i) for i in range(1, points + 1)], unit="count"),
            "Day": layout.fill(f"IF(Latest_period=0,0,{day})", "date"),
        }
        rows = f"Closings!$B${HEADER_ROW + 1}:${column_letters(2 + self.lists)}${HEADER_ROW + self.people}"
        after = f"Ledger[{self.after['rating']}]"
        for i in places:
            cell = f"Chart!${column_letters(1 + i)}$5"
            at = f"INDEX({rows},{cell},[Point])"
            rating = f"IF({at}=0,INDEX(Players[Starts at],{cell}),INDEX({after},MAX(1,{at})))"
            otherwise = (self.setting_cells["initial"], "N($B$5)") if i == 1 else ("[Player 1]", "[Day 1]")
            ended = f"IF(AND({at}=0,INDEX({rows},{cell},MAX(1,[Point]-1))=0),up[Day {i}],[Day])"
            fills[f"Day {i}"] = layout.fill(
                f"IF({cell}=0,{otherwise[1]},{ended})", "date", first=f"IF({cell}=0,{otherwise[1]},[Day])"
            )
            fills[f"Player {i}"] = layout.fill(f"IF({cell}=0,{otherwise[0]},{rating})", "points")
        return fills

    def _curves(self, sheet: Mapping[str, Any]) -> SheetPlan:
        plan = self.plain_table(sheet, "Curves", self.curves)
        (table,) = plan.tables
        columns = tuple(
            replace(column, style="date") if column.fill.unit == "date" else column for column in table.columns
        )
        places = range(1, len(self.chosen) + 1)
        drawn = [{f"Curves[Day {i}]": "date", f"Curves[Player {i}]": "points"} for i in places]
        best = peaks(self._peaks_at, drawn, self.peak_name, best_of(self.system))
        cells = (*plan.cells, *self._legend(), *best)
        return replace(plan, cells=cells, tables=(replace(table, columns=columns),))

    def line_charts(self, lines: Sequence[Series]) -> tuple[ChartPlan, ...]:
        def part(at: int) -> str:
            return rows_below("Curves", column_letters(at), self.lists + 1)

        series = [Series(one.name, part(3 + 2 * i), part(4 + 2 * i), one.style) for i, one in enumerate(lines)]
        shape = "[>=1]0;" if self.word == "year" else "[>=2]yyyy-mm;"
        drawn = (*series, mark("Curves", self._peaks_at, self._peaks_at + 1, len(series)))
        title = f"Rating at the end of each {self.word}"
        return (ChartPlan("line", title, "", "", drawn, 7, 1, 960, 440, PENDING, x_format=shape),)

    @property
    def _peaks_at(self) -> int:
        return len(self.curves) + 2

    # Check

    @cached_property
    def checks(self) -> Mapping[str, Figure]:
        older = f'COUNTIFS(Ledger[Period],"<"&Latest_period-{self.lists - 1})/2'
        return {
            **super().checks,
            "no_date": self.games_with("no date"),
            "out_of_order": self.games_with("out of order"),
            "period_games": (f"SUM(Periods[Games])+{older}-COUNT(Ledger[Score])/2", "count"),
        }
