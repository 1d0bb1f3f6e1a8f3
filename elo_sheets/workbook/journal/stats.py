"""What a journal tells of its games: results by group, months, opponents, the best and the worst.

All of it is about the pool that the Dashboard shows, `Pool_number`. The Ledger's columns are counted with numbers as
criteria, or with words that the sheets write themselves: no name of a person is ever a criterion.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from elo_sheets.expr import Ref
from elo_sheets.formula import to_formula
from elo_sheets.odds.performance import scaled_performance
from elo_sheets.workbook.book import HEADER_ROW
from elo_sheets.workbook.journal.chain import Rule
from elo_sheets.workbook.journal.formulas import PART, last_part
from elo_sheets.workbook.layout import TableLayout
from elo_sheets.workbook.plan import PENDING, CellValue, Fill
from elo_sheets.workbook.sums import by_part, in_parts, spans, unpacked

Fills = dict[str, Fill]

# Where the first and the last month with games stand.
MONTH_LIMITS = ("Months!$F$3", "Months!$I$3")
# The named cell of the last row that is dated before a row above it.
LAST_BREAK = "Last_order_break"
BEST_ROWS = 5


def pending(table: str, columns: Mapping[str, tuple[str, str]]) -> Fills:
    """Return the fills of a table's columns, each of a formula that reads its own row, and a unit."""
    layout = TableLayout(table, [], 0)
    return layout.fills(columns)


def shown(table: str, formula: str, unit: str, spills: bool) -> Fill:
    """Return a column of a list; behind one that spills the formula gives the values alone, and stays as it is."""
    return Fill(PENDING, formula if spills else TableLayout(table, [], 0).formula(formula), unit)


def numbered(rows: int, label: str = "No.") -> Fills:
    """Return a column that counts its rows."""
    return {label: Fill([float(i) for i in range(1, rows + 1)], unit="count")}


def named(label: str, texts: Sequence[CellValue]) -> Fills:
    """Return a column of constants."""
    return {label: Fill(list(texts))}


# The sums of a group, and the columns of the Ledger that they sum.
SUMS = {"Tally": "Tally", "Sum expected": "Expected counted", "Sum of opponents": "Opponent counted"}


def _equal(criterion: str) -> str:
    """Return the formula of a sum where a column meets a criterion, for `Stats.tally`."""
    return f"SUMIF({{of}},{criterion},{{what}})"


class Stats:
    """The tables of the shown pool's games."""

    def __init__(self, rule: Rule, ledger: TableLayout, rows: int, scale: str) -> None:
        self.scale = scale
        self.after = rule.label("rating_after")
        self.ledger, self.rows = ledger, rows
        self.spans = spans(rows, last=last_part(rows))

    # Results by group

    def tally(self, table: str, key: str, group: str, total: str) -> Fills:
        """Return the fills that count the games of groups, by label.

        `key` is a column of the table that is empty in a row without a group, `group` the Ledger's column that tells a
        game's, and `total` the formula of the sum of a column, `{what}`, where that one, `{of}`, is the row's, in a
        part of the Ledger, its rows `{first}` to `{last}`. What is summed is 0 in rows of other pools: one criterion is
        looked through in a third of the time of two.
        """
        linear = to_formula(scaled_performance(*map(Ref, ("[Opponents]", "[Wins]", "[Losses]", "[Games]", self.scale))))
        counts = unpacked("[Tally]")
        found: dict[str, tuple[str, str]] = {}
        for label, column in SUMS.items():
            parts = zip(self._parts(group, column), self.spans, strict=True)
            sums = (total.format(of=of, what=what, first=first, last=last) for (of, what), (first, last) in parts)
            texts = [f'IF([{key}]="",0,{one})' for one in sums]
            found |= {name: (text, "number") for name, text in by_part(label, texts).items()}
        found["Games"] = f'IF([{key}]="","",{counts["games"]})', "count"
        some = {
            "Wins": (counts["wins"], "count"),
            "Draws": (counts["draws"], "count"),
            "Losses": ("[Games]-[Wins]-[Draws]", "count"),
            "Score": ("([Wins]+[Draws]/2)/[Games]", "share"),
            "Expected": ("[Sum expected]/[Games]", "share"),
            "Opponents": ("[Sum of opponents]/[Games]", "points"),
            "Performance": (linear, "points"),
        }
        found |= {label: (f'IF(N([Games])=0,"",{formula})', unit) for label, (formula, unit) in some.items()}
        return pending(table, found)

    def _last_row(self, key: str, group: str, *chosen: str) -> str:
        """Return the formula of the row of a group's last game, which is looked for in the last part that has any."""
        parts = self._parts(group, *chosen, "Game")
        found = "0"
        for name, (of, *rows) in zip(by_part("Tally", [""] * len(parts)), parts, strict=False):
            found = f"IF([{name}]>0,SUMPRODUCT(MAX(({of}=[{key}])*{'*'.join(rows)})),{found})"
        return found

    def summed(self) -> list[str]:
        """Return the labels of the columns that nobody reads: the sums and their parts."""
        return [label for name in SUMS for label in by_part(name, [""] * len(self.spans))]

    def _parts(self, *labels: str) -> list[tuple[str, ...]]:
        return in_parts(self.ledger, "Ledger", self.rows, labels, self.spans)

    def by_colour(self) -> Fills:
        """Return the fills of the results by colour."""
        return named("Colour", ("White", "Black")) | self.tally("ByColour", "Colour", "Colour", _equal("[Colour]"))

    def by_band(self, edges: Sequence[CellValue]) -> Fills:
        """Return the fills of the results by the opponents' ratings, between the typed edges.

        What lies above the lower edge, less what lies above the upper one: two criteria take more time than two sums.
        """
        following = "INDEX(Bands[From],[No.]+1)"
        to = f"IF([No.]=ROWS(Bands[No.]),{PART},IF(ISNUMBER({following}),{following},{PART}))"
        total = "-".join(_equal(f'">="&[{edge}]') for edge in ("From", "Below"))
        fills = numbered(len(edges)) | {"From": Fill(edges)}
        fills |= pending("Bands", {"Below": (f'IF(ISNUMBER([From]),MAX([From],{to}),"")', "count")})
        return fills | self.tally("Bands", "Below", "Opponent rating", total)

    def by_letter(self) -> Fills:
        """Return the fills of the results by the letter of the opening's ECO code."""
        return named("Letter", "ABCDE") | self.tally("Letters", "Letter", "Opening", _equal('[Letter]&"??"'))

    def most_played(self, table: str, label: str, column: str, rows: int, *, spills: bool = False) -> Fills:
        """Return the fills of the most frequent opponents, openings or time controls.

        `label` is the column of the Ledger that holds the names, `column` the one that numbers them. A list that
        spills counts its rows behind it, so that a row's place is what stands above it.
        """
        rank = f"Ledger[{column.replace(' no.', ' rank')}]"
        place = "ROWS(above[Id])" if spills else "[No.]"
        latest = f"INDEX(Ledger[Date],{self._last_row('Id', column, 'Counted')})"
        ranked = f"LARGE({rank},{place})"
        number = f'IFERROR(IF({ranked}>0,MOD(-{ranked},{PART}),""),"")'
        fills = numbered(rows) | {"Id": shown(table, number, "count", spills)}
        fills |= pending(table, {label: (f'IF([Id]="","",INDEX(Ledger[{label}],[Id]))', "text")})
        fills |= self.tally(table, "Id", column, _equal("[Id]"))
        return fills | pending(table, {"Last played": (f'IF(N([Games])=0,"",{latest})', "date")})

    # Months

    def months(self, rows: int, *, spills: bool = False) -> Fills:
        """Return the fills of the months, the newest first; a list that spills has those with games alone."""
        first, last = MONTH_LIMITS
        month_of = f"EDATE({last},1-[No.])"
        month = f'IF({last}=0,"",IF({month_of}<{first},"",{month_of}))'
        if spills:
            before = "SUMPRODUCT(MAX((Ledger[Month]<N(up[Month]))*Ledger[Month]))"
            month_before = f'IF({before}=0,"",{before})'
            month = f'IF(ROWS(above[Month])=1,IF({last}=0,"",{last}),{month_before})'
        fills = numbered(rows) | {"Month": shown("ByMonth", month, "date", spills)}
        # In the order of days the rows of a month stand together: behind those up to which all is older, and before
        # those of the month listed above, or up to the last row that is dated before one above it.
        begin = '1+IF([Month]="",0,COUNTIF(Ledger[Latest date],"<"&[Month]))'
        end = TableLayout("ByMonth", ["No.", "Month", "First row"], HEADER_ROW).formula(
            f"MAX({LAST_BREAK},up[First row]-1)"
        )
        fills |= pending("ByMonth", {"First row": (begin, "count")})
        fills["Last row"] = Fill(PENDING, end, "count", first="ROWS(Ledger[Game])")
        of_rows = f"IF(OR([First row]>{{last}},[Last row]<{{first}}),0,{_equal('[Month]')})"
        fills |= self.tally("ByMonth", "Month", "Month", of_rows)
        rating = f'IF(N([Games])=0,"",INDEX(Ledger[{self.after}],{self._last_row("Month", "Month")}))'
        return fills | pending("ByMonth", {"Rating at end": (rating, "points")})

    # Best and worst

    def extremes(self, table: str) -> Fills:
        """Return the fills of the wins over the highest (BestWins) or losses to the lowest rated (WorstLosses)."""
        sign, pick = (">", "LARGE") if table == "BestWins" else ("<", "SMALL")
        row = f"MATCH({pick}(Ledger[Notable],[No.]),Ledger[Notable],0)"

        def column(label: str, none: str) -> str:
            return f'IF({none},"",INDEX(Ledger[{label}],{row}))'

        return numbered(BEST_ROWS) | pending(
            table,
            {
                "Opponent": (column("Opponent", '[Rating]=""'), "text"),
                "Rating": (column("Opponent rating", f'[No.]>COUNTIF(Ledger[Notable],"{sign}0")'), "points"),
                "Date": (column("Date", '[Rating]=""'), "date"),
            },
        )


def month_limits() -> tuple[str, str]:
    """Return the formulas of the first days of the first and the last month with a game of the pool, 0 for none."""
    earliest = "SMALL(Ledger[Month],1+COUNTIF(Ledger[Month],0))"
    return f"IF({MONTH_LIMITS[1]}=0,0,{earliest})", "MAX(Ledger[Month])"
