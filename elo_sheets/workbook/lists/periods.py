"""The lists of a pool that is rated by periods: which there are, and every player's last row at the end of each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from itertools import pairwise
from typing import Any

from elo_sheets.files.references import column_letters
from elo_sheets.workbook.book import HEADER_ROW, Book
from elo_sheets.workbook.borrowing import BorrowingView
from elo_sheets.workbook.facts import best_of
from elo_sheets.workbook.highlights import unnamed
from elo_sheets.workbook.layout import TableLayout, column_text
from elo_sheets.workbook.plan import PENDING, CellPlan, ColumnPlan, Fill, Highlight, SheetPlan, TablePlan
from elo_sheets.workbook.pools.ledger import SPARE_PLAYERS
from elo_sheets.workbook.view import Form

# How many of the latest lists of Progress are printed.
PRINTED_LISTS = 16
# Where Closings says above each list how many players it has, how many of them played since the one before, and how
# many games there were up to it.
LISTED_ROW, PLAYED_ROW, GAMES_ROW = HEADER_ROW - 1, HEADER_ROW - 2, HEADER_ROW - 3
BEFORE = "[No.]+1"


class ListedPeriods(BorrowingView):
    """The periods of a pool, the newest first, and what everybody had at the end of each."""

    def __init__(self, book: Book) -> None:
        super().__init__(book)
        self.word = str(self.form_settings["period"])
        self.form = worded(self.form, self.word)
        self.lists = int(self.sheet_form("progress")["lists"])
        self.after = {s.name: column_text(self.pool.label(f"{s.name}_after")) for s in self.system.state}
        self.fills |= self.period_fills

    def further_fills(self) -> dict[str, Fill]:
        pool = self.pool
        back = "IF([Same period]=1,carried[Before period],[Previous])"
        pool.carrying.append("Before period")
        return {"before_period": pool.carried_fill(f"IF([Previous]=0,0,{back})", "0*[Rated no.]", "count", "0")}

    # The lists

    @staticmethod
    def name_formula(code: str, word: str) -> str:
        """Return the formula of the name of a period."""
        return f'{code}&""' if word == "year" else f'INT({code}/12)&"-"&RIGHT("0"&(MOD({code},12)+1),2)'

    @cached_property
    def period_fills(self) -> dict[str, Fill]:
        """The fill of every role of the sheet Periods."""
        layout = TableLayout("Periods", self.labels("Periods"), HEADER_ROW)
        code = "Latest_period-[No.]+1"
        formulas = {
            "period_code": (f'IF(Latest_period=0,"",IF({code}<First_period,"",{code}))', "count"),
            "period_label": (_dated(self.name_formula("[Period]", self.word)), "text"),
            "period_games": (_dated(f"{self._on_closings(GAMES_ROW)}-{self._on_closings(GAMES_ROW, BEFORE)}"), "count"),
            "period_played": (_dated(self._on_closings(PLAYED_ROW)), "count"),
            "period_new": (_dated(f"[Listed]-{self._on_closings(LISTED_ROW, BEFORE)}"), "count"),
            "period_listed": (_dated(self._on_closings(LISTED_ROW)), "count"),
        }
        found = layout.fills(formulas)
        return {"period_number": Fill([float(i) for i in range(1, self.lists + 1)], unit="count")} | found

    # Every player's last row at the end of each period

    @cached_property
    def people(self) -> int:
        """How many numbers the sheets Closings and Ranking know: the players, and room for rows that are inserted."""
        return self.book.inputs.sizes.get("Closings") or len(self.pool.names) + SPARE_PLAYERS

    @cached_property
    def closing_labels(self) -> list[str]:
        """The headers of the lists, the latest first, and of the one before them all."""
        return ["Latest", *(f"{back} before" for back in range(1, self.lists + 1))]

    @cached_property
    def closings(self) -> dict[str, Fill]:
        """The table Closings, by label."""
        labels = self.closing_labels
        layout = TableLayout("Closings", ["No.", *labels], HEADER_ROW)
        fills = {"No.": Fill([float(i) for i in range(1, self.people + 1)], unit="count")}
        formula = "IF([No.]>ROWS(Players[Last row]),0,INDEX(Players[Last row],[No.]))"
        for back, label in enumerate(labels):
            fills[label] = layout.fill(formula, "count")
            end = f"Latest_period-{back}" if back else "Latest_period"
            earlier = f"IF(INDEX(Ledger[Period],[{label}])<{end},[{label}],INDEX(Ledger[Before period],[{label}]))"
            formula = f"IF([{label}]=0,0,{earlier})"
        return fills

    def _closings(self, sheet: Mapping[str, Any]) -> SheetPlan:
        plan = self.plain_table(sheet, "Closings", self.closings)
        listed = [f'COUNTIF(Closings[{label}],">0")' for label in self.closing_labels]
        pairs = pairwise(self.closing_labels)
        played = [f"SUMPRODUCT(1*(Closings[{label}]<>Closings[{before}]))" for label, before in pairs]
        ends = [f"MAX(Closings[{label}])" for label in self.closing_labels]
        games = [f"IF({end}=0,0,INDEX(Ledger[Games so far],{end}))" for end in ends]
        counted = (
            CellPlan(row, column, PENDING, formula, "helper", "count")
            for row, formulas in ((LISTED_ROW, listed), (PLAYED_ROW, played), (GAMES_ROW, games))
            for column, formula in enumerate(formulas, 2)
        )
        return replace(plan, cells=(*plan.cells, *counted))

    def _on_closings(self, row: int, at: str = "[No.]") -> str:
        """Return the formula of what stands above a list of Closings, the latest of which is the first."""
        last = column_letters(1 + len(self.closing_labels))
        return f"INDEX(Closings!$B${row}:${last}${row},{at})"

    def _progress(self, sheet: Mapping[str, Any]) -> SheetPlan:
        count = self.book.inputs.sizes.get("Progress") or self.book.inputs.rows("Players")
        labels = self.closing_labels[: self.lists]
        layout = TableLayout("Progress", ["No.", "Player", *labels], HEADER_ROW)
        columns = [
            ColumnPlan("No.", Fill(PENDING, f"ROW()-ROW($A${HEADER_ROW})", "count"), "", "integer", 6),
            ColumnPlan("Player", self._names(layout), "", "name", 24),
        ]
        for label in labels:
            row = f"INDEX(Closings[{label}],[No.])"
            rating = f'IF({row}=0,"",INDEX(Ledger[{self.after["rating"]}],{row}))'
            fill = layout.fill(f'IF([No.]>ROWS(Closings[No.]),"",{rating})', "points")
            about = "The rating after the player's last game up to the end of that period, empty before his first game."
            columns.append(ColumnPlan(label, fill, "", "points", 8, about=about if label == "Latest" else ""))
        table = TablePlan("Progress", HEADER_ROW, tuple(columns), count)
        months = tuple(
            CellPlan(HEADER_ROW - 1, 2 + at, PENDING, f"INDEX(Periods[List],{at})", "centred")
            for at in range(1, self.lists + 1)
        )
        last = column_letters(len(columns))
        body = f"$C${table.first_data_row}:${last}${table.last_row}"
        first = f"C{table.first_data_row}"
        start = table.first_data_row
        peak = f'AND({first}<>"",{first}={best_of(self.system)}($C{start}:${last}{start}))'
        return self.table_sheet(
            sheet,
            table,
            (Highlight(body, peak, "podium"), unnamed(table, "No.", "Player")),
            cells=(*self.heading(sheet), *months),
            frozen_columns=2,
            landscape=True,
            printed_columns=2 + PRINTED_LISTS,
        )

    @staticmethod
    def _names(layout: TableLayout) -> Fill:
        formula = 'IF([No.]>ROWS(Players[No.]),"",INDEX(Players[Player],[No.])&"")'
        return layout.fill(formula, "text")


def _dated(formula: str) -> str:
    """Return the formula of a column that is empty where no period stands."""
    return f'IF([Period]="","",{formula})'


def worded(form: Form, word: str) -> dict[str, Any]:
    """Return the template with its texts about the period that the book is made with."""

    def said(told: Any) -> Any:
        if isinstance(told, Mapping):
            return {key: said(one) for key, one in told.items()}
        if isinstance(told, list):
            return list(map(said, told))
        return told.replace("{period}", word) if isinstance(told, str) else told

    sheets = [sheet | {key: said(sheet[key]) for key in ("hint", "asks") if key in sheet} for sheet in form["sheet"]]
    return {**form, "guide": said(form["guide"]), "sheet": sheets}
