"""The list of the period that is chosen on a rating list: which it is, and who stands in it at what place."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from elo_sheets.files.package import column_letters
from elo_sheets.ops import round_half_away
from elo_sheets.workbook.book import HEADER_ROW
from elo_sheets.workbook.layout import LAST_DAY, TableLayout, column_text, number_or, text_of
from elo_sheets.workbook.listed_growth import grown
from elo_sheets.workbook.listed_periods import ListedPeriods
from elo_sheets.workbook.plan import CellPlan, CellValue, Fill, SheetPlan
from elo_sheets.workbook.pool_sheets import ranks


class ListedRanking(ListedPeriods):
    """The chosen list of a pool that is rated by periods."""

    @cached_property
    def column_chosen(self) -> int:
        """Which list is shown, 1 for the latest; 0 for none."""
        typed = self.book.inputs.cells.get("chosen period")
        if not self.latest:
            return 0
        if text_of(typed) == "":
            return 1
        if isinstance(typed, (int, float)):
            wanted = self._code_of(float(typed))
            return self.codes.index(wanted) + 1 if wanted in self.codes and wanted is not None else 0
        names = [self.list_name(code) for code in self.codes]
        return names.index(text_of(typed)) + 1 if text_of(typed) in names else 0

    def _code_of(self, number: float) -> int | None:
        """Return the period that a typed number means: a year, or the month of a day."""
        from datetime import date, timedelta

        if self.word == "year":
            return int(number) if number == int(number) else None
        if not 61 <= number <= LAST_DAY:
            return None
        day = date(1899, 12, 30) + timedelta(days=int(number))
        return 12 * day.year + day.month - 1

    @property
    def period_chosen(self) -> int:
        """The number of the period whose list is shown, 0 for none."""
        return self.latest - self.column_chosen + 1 if self.column_chosen else 0

    def _switches(self) -> list[CellPlan]:
        """Return the named cells that say which list is shown."""
        cell = "List!$C$4"
        number = (
            f"SUMPRODUCT((Periods[Period]={cell})*Periods[No.])"
            if self.word == "year"
            else f"IF(AND({cell}>=61,{cell}<={LAST_DAY}),"
            f"SUMPRODUCT((Periods[Period]=12*YEAR({cell})+MONTH({cell})-1)*Periods[No.]),0)"
        )
        chosen = f'IF({cell}="",1,IF(ISNUMBER({cell}),{number},SUMPRODUCT((Periods[List]={cell}&"")*Periods[No.])))'
        switches = {
            "Latest_period": ("MAX(Ledger[Period])", self.latest),
            "First_period": ("MIN(Ledger[Period])", self.first),
            "List_column": (f"IF(Latest_period=0,0,{chosen})", self.column_chosen),
            "List_period": ("IF(List_column=0,0,Latest_period-List_column+1)", self.period_chosen),
        }
        cells = []
        for i, (name, (formula, value)) in enumerate(switches.items()):
            column = 2 * i + 1
            cells.append(CellPlan(2, column, name.replace("_", " "), style="hint"))
            cells.append(CellPlan(2, column + 1, float(value), formula, "helper", "count"))
            self.names[name] = f"Ranking!${column_letters(column + 1)}$2"
        return cells

    @cached_property
    def inactive_after(self) -> float:
        """After how many periods without a game a player is inactive, 0 for never."""
        return float(number_or(self.book.inputs.cells.get("inactive after"), 0.0) or 0)

    @cached_property
    def hides(self) -> bool:
        """Whether inactive players are left out of the list."""
        return text_of(self.book.inputs.cells.get("show inactive")).lower() == "no"

    def _is_inactive(self, row: int, code: int) -> bool:
        return self.inactive_after > 0 and self.idle(row, code) >= self.inactive_after

    @cached_property
    def ranking(self) -> dict[str, Fill]:
        """The table Ranking, by label: the chosen list in the order of the players."""
        chosen = self.column_chosen
        none = [0] * self.people
        now, before = (self.closing_rows[chosen - 1 : chosen + 1]) if chosen else (none, none)
        code = self.period_chosen
        layout = TableLayout("Ranking", [], HEADER_ROW)
        rows = f"Closings!$B${HEADER_ROW + 1}:${column_letters(2 + self.lists)}${HEADER_ROW + self.people}"
        after = f"Ledger[{self.after['rating']}]"

        def listed(formula: str, value: Any, unit: str = "count") -> Fill:
            values = [value(i) if row else "" for i, row in enumerate(now)]
            return Fill(values, layout.formula(f'IF([Row]=0,"",{formula})'), unit)

        def row(formula: str, at: Sequence[int]) -> Fill:
            formula = layout.formula(f"IF(List_column=0,0,INDEX({rows},[No.],{formula}))")
            return Fill([float(row) for row in at], formula, "count")

        def opening(i: int) -> float:
            return self.rating_at(before[i]) if before[i] else float(self.pool.starts[i] or 0)

        def remark(i: int) -> str:
            return "inactive" if self._is_inactive(now[i], code) else ("" if before[i] else "new")

        period_games = self.pool.rule["period_games"]
        changes = [self.rating_at(now[i]) - opening(i) if now[i] else 0.0 for i in range(self.people)]
        found = {
            "No.": Fill([float(i) for i in range(1, self.people + 1)], unit="count"),
            "Player": self._names(layout, self.people),
            "Row": row("List_column", now),
            "Row before": row("List_column+1", before),
            "Rating": listed(f"INDEX({after},[Row])", lambda i: self.rating_at(now[i]), "points"),
            "Opening": listed(
                f"IF([Row before]=0,INDEX(Players[Starts at],[No.]),INDEX({after},MAX(1,[Row before])))",
                opening,
                "points",
            ),
            "Change": listed("[Rating]-[Opening]", changes.__getitem__, "points"),
            "Games": listed(
                f"IF([Row]=[Row before],0,INDEX(Ledger[{column_text(self.pool.label('period_games'))}],[Row]))",
                lambda i: 0.0 if now[i] == before[i] else float(period_games[now[i] - 1] or 0),
            ),
            "Idle": listed("List_period-INDEX(Ledger[Period],[Row])", lambda i: self.idle(now[i], code)),
            "Remark": listed(
                'IF(AND(N(Inactive_after)>0,[Idle]>=N(Inactive_after)),"inactive",IF([Row before]=0,"new",""))',
                remark,
                "text",
            ),
        }
        places = self._order_of("Row", now, code, "[Rating]", "[Idle]")
        idle_before = "List_period-1-INDEX(Ledger[Period],MAX(1,[Row before]))"
        found |= places | self._order_of("Row before", before, code - 1, "[Opening]", idle_before)
        for label, sign in (("Up", ""), ("Down", "-")):
            found[label] = listed(*self._moved(sign, changes))
        return found | grown(self, layout, now, code)

    @property
    def _sign(self) -> str:
        return "-" if self.system.lower_is_better else ""

    def _order_of(self, row: str, at: Sequence[int], code: int, rating: str, idle: str) -> dict[str, Fill]:
        """Return the sort key and the rank in a list: of the rows of the Ledger that the column `row` holds."""
        key = row.replace("Row", "Key")
        factor = -1.0 if self._sign else 1.0
        layout = TableLayout("Ranking", [], HEADER_ROW)
        keys: list[CellValue] = [
            factor * float(round_half_away(self.rating_at(row), 3)) - number / 10000000
            if row and not (self.hides and self._is_inactive(row, code))
            else ""
            for number, row in enumerate(at, 1)
        ]
        hidden = f'AND(Show_inactive="no",N(Inactive_after)>0,{idle}>=N(Inactive_after))'
        keyed = f'IF([{row}]=0,"",IF({hidden},"",{self._sign}ROUND({rating},3)-[No.]/10000000))'
        rank = f'IF([{key}]="","",RANK([{key}],Ranking[{key}]))'
        return {
            key: Fill(keys, layout.formula(keyed), "count"),
            key.replace("Key", "Rank"): Fill(ranks(keys), layout.formula(rank), "count"),
        }

    def _moved(self, way: str, changes: Sequence[float]) -> tuple[str, Callable[[int], CellValue]]:
        """Return by how much a player is better than before, worse where `way` is "-": formula and value."""
        minus = "" if way == self._sign else "-"
        points = f"{minus}ROUND([Change],3)"

        def value(i: int) -> CellValue:
            moved = (-1.0 if minus else 1.0) * float(round_half_away(changes[i], 3))
            return moved - (i + 1) / 10000000 if moved > 0 else ""

        return f'IF({points}>0,{points}-[No.]/10000000,"")', value

    def _ranking(self, sheet: Mapping[str, Any]) -> SheetPlan:
        plan = self.plain_table(sheet, "Ranking", self.ranking)
        return replace(plan, cells=(*plan.cells, *self._switches()))
