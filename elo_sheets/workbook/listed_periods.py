"""The lists of a pool that is rated by periods: which there are, and every player's last row at the end of each."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from functools import cached_property
from typing import Any

from elo_sheets.files.package import column_letters
from elo_sheets.workbook.book import HEADER_ROW, Book
from elo_sheets.workbook.borrowing import BorrowingView
from elo_sheets.workbook.layout import TableLayout, column_text
from elo_sheets.workbook.plan import CellPlan, CellValue, ColumnPlan, Fill, Highlight, SheetPlan, TablePlan
from elo_sheets.workbook.pool import SPARE_PLAYERS
from elo_sheets.workbook.view import Form, unnamed

# Over how many pages the lists of Progress are printed.
PROGRESS_PAGES = 5


class ListedPeriods(BorrowingView):
    """The periods of a pool, the newest first, and what everybody had at the end of each."""

    def __init__(self, book: Book) -> None:
        super().__init__(book)
        self.word = str(self.form_settings["period"])
        self.form = worded(self.form, self.word)
        self.lists = int(self.sheet_form("progress")["lists"])
        self.after = {s.name: column_text(self.pool.label(f"{s.name}_after")) for s in self.system.state}
        self.fills |= {"before_period": self._before_period()} | self.period_fills

    def _before_period(self) -> Fill:
        pool = self.pool
        found: list[CellValue] = [0.0] * (2 * pool.ledger_games)
        for at, previous in enumerate(pool.previous_rows):
            if previous:
                same = pool.games[(previous - 1) // 2].period == pool.games[at // 2].period
                found[at] = found[previous - 1] if same else float(previous)
        pool.carrying["Before period"] = found
        back = "IF([Same period]=1,carried[Before period],[Previous])"
        return pool.carried_fill(found, f"IF([Previous]=0,0,{back})", "0*[Rated no.]", "count", "0")

    # The lists

    @cached_property
    def latest(self) -> int:
        """The number of the last period with a rated game, 0 for none."""
        return max((int(game.period) for game in self.pool.games if game.is_rated), default=0)

    @cached_property
    def first(self) -> int:
        """The number of the first period with a rated game, 0 for none; it may lie before all lists."""
        return min((int(game.period) for game in self.pool.games if game.is_rated), default=0)

    @cached_property
    def codes(self) -> list[int | None]:
        """The numbers of the periods that have a list, the latest first; None where there are fewer."""
        return [
            self.latest - back if self.latest and self.latest - back >= self.first else None
            for back in range(self.lists)
        ]

    def list_name(self, code: int | None) -> str:
        """Return the name of a period's list."""
        if code is None:
            return ""
        return str(code) if self.word == "year" else f"{code // 12}-{code % 12 + 1:02d}"

    @staticmethod
    def name_formula(code: str, word: str) -> str:
        """Return the formula of the name of a period."""
        return f'{code}&""' if word == "year" else f'INT({code}/12)&"-"&RIGHT("0"&(MOD({code},12)+1),2)'

    @cached_property
    def period_fills(self) -> dict[str, Fill]:
        """The fill of every role of the sheet Periods."""
        layout = TableLayout("Periods", self.labels("Periods"), HEADER_ROW)
        games: list[tuple[int, int]] = []  # period and player, two a game
        for game in self.pool.games:
            if game.is_rated:
                games += [(int(game.period), game.white_number), (int(game.period), game.black_number)]
        firsts: dict[int, int] = {}
        for period, number in games:
            firsts.setdefault(number, period)

        def shown(formula: str, value: Any, unit: str = "count") -> Fill:
            values = ["" if code is None else value(code) for code in self.codes]
            return Fill(values, layout.formula(f'IF([Period]="","",{formula})'), unit)

        code = "Latest_period-[No.]+1"
        return {
            "period_number": Fill([float(i) for i in range(1, self.lists + 1)], unit="count"),
            "period_code": Fill(
                ["" if code is None else float(code) for code in self.codes],
                layout.formula(f'IF(Latest_period=0,"",IF({code}<First_period,"",{code}))'),
                "count",
            ),
            "period_label": shown(self.name_formula("[Period]", self.word), self.list_name, "text"),
            "period_games": shown(
                "COUNTIFS(Ledger[Period],[Period])/2", lambda code: sum(p == code for p, _ in games) / 2
            ),
            "period_played": shown(
                "COUNTIFS(Ledger[Period],[Period],Ledger[Same period],0)",
                lambda code: float(len({number for p, number in games if p == code})),
            ),
            "period_new": shown(
                "COUNTIFS(Ledger[Period],[Period],Ledger[Previous],0)",
                lambda code: float(sum(p == code for p in firsts.values())),
            ),
            "period_listed": shown(
                'COUNTIFS(Ledger[Period],"<="&[Period],Ledger[Previous],0)',
                lambda code: float(sum(p <= code for p in firsts.values())),
            ),
        }

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
    def closing_rows(self) -> list[list[int]]:
        """By list, the latest first, the row of the Ledger that each number stands at; 0 before the first game."""
        periods: dict[int, list[float]] = {}
        rows: dict[int, list[int]] = {}
        for at, game in enumerate(self.pool.games):
            if game.is_rated:
                for side, number in enumerate((game.white_number, game.black_number)):
                    periods.setdefault(number, []).append(game.period)
                    rows.setdefault(number, []).append(2 * at + side + 1)

        def row(number: int, code: int) -> int:
            count = bisect_right(periods.get(number, []), code)
            return rows[number][count - 1] if count else 0

        return [
            [row(number, self.latest - back) for number in range(1, self.people + 1)] for back in range(self.lists + 1)
        ]

    @cached_property
    def closings(self) -> dict[str, Fill]:
        """The table Closings, by label."""
        labels = self.closing_labels
        layout = TableLayout("Closings", ["No.", *labels], HEADER_ROW)
        fills = {"No.": Fill([float(i) for i in range(1, self.people + 1)], unit="count")}
        formula = "IF([No.]>ROWS(Players[Last row]),0,INDEX(Players[Last row],[No.]))"
        for back, (label, rows) in enumerate(zip(labels, self.closing_rows, strict=True)):
            fills[label] = Fill([float(row) for row in rows], layout.formula(formula), "count")
            end = f"Latest_period-{back}" if back else "Latest_period"
            earlier = f"IF(INDEX(Ledger[Period],[{label}])<{end},[{label}],INDEX(Ledger[Before period],[{label}]))"
            formula = f"IF([{label}]=0,0,{earlier})"
        return fills

    def _closings(self, sheet: Mapping[str, Any]) -> SheetPlan:
        return self.plain_table(sheet, "Closings", self.closings)

    def idle(self, row: int, code: int) -> float:
        """Return how many periods a list lies behind the period of a row of the Ledger."""
        return code - self.pool.games[(row - 1) // 2].period

    def rating_at(self, row: int, state: str = "rating") -> float:
        """Return what a row of the Ledger leaves its player with."""
        return float(self.pool.rule[f"{state}_after"][row - 1] or 0)

    def _progress(self, sheet: Mapping[str, Any]) -> SheetPlan:
        count = self.book.inputs.sizes.get("Progress") or self.book.inputs.rows("Players")
        labels = self.closing_labels[: self.lists]
        layout = TableLayout("Progress", ["No.", "Player", *labels], HEADER_ROW)
        numbers = [float(i) for i in range(1, count + 1)]
        columns = [
            ColumnPlan("No.", Fill(numbers, f"ROW()-ROW($A${HEADER_ROW})", "count"), "", "integer", 6),
            ColumnPlan("Player", self._names(layout, count), "", "name", 28),
        ]
        for label, rows in zip(labels, self.closing_rows, strict=False):
            row = f"INDEX(Closings[{label}],[No.])"
            rating = f'IF({row}=0,"",INDEX(Ledger[{self.after["rating"]}],{row}))'
            values = [self.rating_at(row) if row else "" for row in (*rows, *[0] * count)][:count]
            fill = Fill(values, layout.formula(f'IF([No.]>ROWS(Closings[No.]),"",{rating})'), "points")
            about = "The rating after the player's last game up to the end of that period, empty before his first game."
            columns.append(ColumnPlan(label, fill, "", "points", 10, about=about if label == "Latest" else ""))
        table = TablePlan("Progress", HEADER_ROW, tuple(columns), count)
        months = tuple(
            CellPlan(HEADER_ROW - 1, 2 + at, self.list_name(code), f"INDEX(Periods[List],{at})", "centred")
            for at, code in enumerate(self.codes, 1)
        )
        last = column_letters(len(columns))
        body = f"$C${table.first_data_row}:${last}${table.last_row}"
        first = f"C{table.first_data_row}"
        start = table.first_data_row
        peak = f'AND({first}<>"",{first}={self._best}($C{start}:${last}{start}))'
        return SheetPlan(
            sheet["name"],
            (*self.heading(sheet), *months),
            (table,),
            highlights=(Highlight(body, peak, "podium"), unnamed(table, "No.", "Player")),
            widths={i: column.width for i, column in enumerate(columns, 1)},
            frozen_rows=HEADER_ROW,
            frozen_columns=2,
            landscape=True,
            pages_wide=PROGRESS_PAGES,
        )

    @property
    def _best(self) -> str:
        return "MIN" if self.system.lower_is_better else "MAX"

    def _names(self, layout: TableLayout, count: int) -> Fill:
        names = [*self.pool.names, *[""] * count][:count]
        return Fill(names, layout.formula('IF([No.]>ROWS(Players[No.]),"",INDEX(Players[Player],[No.])&"")'), "text")


def worded(form: Form, word: str) -> dict[str, Any]:
    """Return the template with its texts about the period that the book is made with."""

    def said(text: str) -> str:
        return text.replace("{period}", word)

    sheets = [sheet | {"hint": said(sheet["hint"])} if "hint" in sheet else sheet for sheet in form["sheet"]]
    return {**form, "guide": [said(line) for line in form["guide"]], "sheet": sheets}
