"""The list of the period that is chosen on a rating list: which it is, and who stands in it at what place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

from elo_sheets.files.references import column_letters
from elo_sheets.workbook.book import HEADER_ROW
from elo_sheets.workbook.layout import LAST_DAY, TableLayout, column_text
from elo_sheets.workbook.lists.growth import grown, in_list
from elo_sheets.workbook.lists.periods import ListedPeriods
from elo_sheets.workbook.plan import CellPlan, Fill, SheetPlan, figured


class ListedRanking(ListedPeriods):
    """The chosen list of a pool that is rated by periods."""

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
            "Latest_period": "MAX(Ledger[Period])",
            "First_period": "MIN(Ledger[Period])",
            "List_column": f"IF(Latest_period=0,0,{chosen})",
            "List_period": "IF(List_column=0,0,Latest_period-List_column+1)",
        }
        cells: list[CellPlan] = []
        for i, (name, formula) in enumerate(switches.items()):
            column = 2 * i + 1
            cells += figured(2, column, name.replace("_", " "), formula, "helper", "count", label_style="hint")
            self.names[name] = f"Ranking!${column_letters(column + 1)}$2"
        return cells

    @cached_property
    def ranking(self) -> dict[str, Fill]:
        """The table Ranking, by label: the chosen list in the order of the players."""
        layout = TableLayout("Ranking", [], HEADER_ROW)
        rows = f"Closings!$B${HEADER_ROW + 1}:${column_letters(2 + self.lists)}${HEADER_ROW + self.people}"
        after = f"Ledger[{self.after['rating']}]"
        games = f"INDEX(Ledger[{column_text(self.pool.label('period_games'))}],[Row])"

        def row(column: str) -> Fill:
            return layout.fill(f"IF(List_column=0,0,INDEX({rows},[No.],{column}))", "count")

        opening = f"IF([Row before]=0,INDEX(Players[Starts at],[No.]),INDEX({after},MAX(1,[Row before])))"
        remark = 'IF(AND(N(Inactive_after)>0,[Idle]>=N(Inactive_after)),"inactive",IF([Row before]=0,"new",""))'
        listed = {
            "Rating": (f"INDEX({after},[Row])", "points"),
            "Opening": (opening, "points"),
            "Change": ("[Rating]-[Opening]", "points"),
            "Games": (f"IF([Row]=[Row before],0,{games})", "count"),
            "Idle": ("List_period-INDEX(Ledger[Period],[Row])", "count"),
            "Remark": (remark, "text"),
        }
        moved = {label: (self._moved(sign), "count") for label, sign in (("Up", ""), ("Down", "-"))}
        idle_before = "List_period-1-INDEX(Ledger[Period],MAX(1,[Row before]))"
        return {
            "No.": Fill([float(i) for i in range(1, self.people + 1)], unit="count"),
            "Player": self._names(layout),
            "Row": row("List_column"),
            "Row before": row("List_column+1"),
            **in_list(layout, listed),
            **self._order_of("Row", "[Rating]", "[Idle]"),
            **self._order_of("Row before", "[Opening]", idle_before),
            **in_list(layout, moved),
            **grown(self, layout),
        }

    @property
    def _sign(self) -> str:
        return "-" if self.system.lower_is_better else ""

    def _order_of(self, row: str, rating: str, idle: str) -> dict[str, Fill]:
        """Return the sort key and the rank in a list: of the rows of the Ledger that the column `row` holds."""
        key = row.replace("Row", "Key")
        layout = TableLayout("Ranking", [], HEADER_ROW)
        hidden = f'AND(Show_inactive="no",N(Inactive_after)>0,{idle}>=N(Inactive_after))'
        keyed = f'IF([{row}]=0,"",IF({hidden},"",{self._sign}ROUND({rating},3)-[No.]/10000000))'
        rank = f'IF([{key}]="","",RANK([{key}],Ranking[{key}]))'
        return {key: layout.fill(keyed, "count"), key.replace("Key", "Rank"): layout.fill(rank, "count")}

    def _moved(self, way: str) -> str:
        """Return the formula of by how much a player is better than before, worse where `way` is "-"."""
        points = f"{'' if way == self._sign else '-'}ROUND([Change],3)"
        return f'IF({points}>0,{points}-[No.]/10000000,"")'

    def _ranking(self, sheet: Mapping[str, Any]) -> SheetPlan:
        plan = self.plain_table(sheet, "Ranking", self.ranking)
        return replace(plan, cells=(*plan.cells, *self._switches()))
