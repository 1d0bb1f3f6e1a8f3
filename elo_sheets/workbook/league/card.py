"""The player card of a pool: one player chosen by drop-down, his figures, last games, opponents and rating line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from elo_sheets.workbook.book import HEADER_ROW, rows_below
from elo_sheets.workbook.dialect import Lists, spilling, stored, unless_empty
from elo_sheets.workbook.facts import best_of
from elo_sheets.workbook.highlights import unnamed
from elo_sheets.workbook.layout import TableLayout, column_text
from elo_sheets.workbook.league.cross import pair, turned
from elo_sheets.workbook.peaks import mark, peaks
from elo_sheets.workbook.plan import (
    PENDING,
    CellPlan,
    ChartPlan,
    Fill,
    Highlight,
    Series,
    SheetPlan,
    TablePlan,
    figured,
    pixels,
)
from elo_sheets.workbook.pools.sheets import PoolView
from elo_sheets.workbook.sums import by_part, unpacked

LAST_GAMES = 20
# How high the rows are beside a large figure, in points.
LINE = 19.0
OPPONENTS = 20
# Pixels beside a chart, whose frame a page cuts off where it ends.
FRAME = 8
CURVE = 100

# The column in which the table of the last games begins.
GAMES_AT = 4

NAME, NUMBER = "Card_player", "Card_number"
NUMBERED = 'IF(B4="",0,SUMPRODUCT((Players[Player]=B4)*Players[Id]))'
# The bars of the ratings of all: how many, and where they stand.
BINS, SPREAD_AT = 12, 9
# Where the hidden sheets of a chart say what its lines are called, and what the line of nobody is called.
LEGEND_ROW, NOBODY = HEADER_ROW - 1, "–"

_FIRST_GAME = (
    "IF($B$5=0,0,IF(INDEX(Players[Last row],MAX(1,$B$5))=0,0,"
    "LET(games,SORT(FILTER(Ledger[Game],Ledger[Rated no.]=$B$5),1,-1),"
    f"MIN(IF(ROWS(games)=1,games,FILTER(games,SEQUENCE(ROWS(games))<={LAST_GAMES}))))))"
)
_FIRST_SHOWN = "IF(MAX(CardGames[Row])=0,0,INT((SMALL(CardGames[Row],COUNTIF(CardGames[Row],0)+1)+1)/2))"
_MOST_MET = unless_empty(
    "COUNT(CardMet[Key])=0", 'SORTBY(FILTER(CardMet[No.],CardMet[Met]>0,""),FILTER(CardMet[Key],CardMet[Met]>0,""),-1)'
)


def legend(column: int, nobody: str, name: str) -> CellPlan:
    """Return the cell that names a player's line, from the formulas that tell whether it is nobody's, and his name."""
    return CellPlan(LEGEND_ROW, column, PENDING, f'IF({nobody},"{NOBODY}",{name})', "name")


class Card:
    """The cells of the card and of the hidden sheet behind it."""

    def __init__(self, view: PoolView) -> None:
        self.view, self.pool = view, view.pool
        self.form = view.sheet_form("card")
        # The rule's columns of the Ledger.
        self._held = {"rating_after", *self.pool.step_names()}

    # The sheet

    def sheet(self, form: Mapping[str, Any]) -> SheetPlan:
        """Return the card."""
        self.view.names |= {NAME: "Card!$B$4", NUMBER: "Card!$B$5"}
        cells = [
            *self.view.heading(form),
            *self.view.asked_cells(form),
            *figured(5, 1, "Number", NUMBERED, "helper", "count", label_style="hint"),
        ]
        if self.view.is_modern:
            cells.append(CellPlan(6, 1, "Games shown from", style="hint"))
            cells.append(CellPlan(6, 2, PENDING, stored(_FIRST_GAME), "helper", "count", means=_FIRST_SHOWN))
        cells += self.view.figure_cells(form["figures"], 7, 1, self.terms)
        games = self.games(GAMES_AT)
        opponents = self.opponents(games.first_column + len(games.columns) + 1)
        highlights = tuple(
            Highlight(games.range("Result"), f'{games.top("Result")}="{word}"', style)
            for word, style in (("Win", "win"), ("Draw", "draw"), ("Loss", "loss"))
        )
        widths = {1: 16.0, 2: 20.0, 3: 2.0, opponents.first_column - 1: 2.0}
        for table in (games, opponents):
            widths |= table.widths
        return SheetPlan(
            form["name"],
            tuple(cells),
            (games, opponents),
            charts=self.charts(widths, opponents.first_column),
            highlights=highlights if self.view.is_modern else (*highlights, unnamed(games, "Back", "Opponent")),
            widths=widths,
            heights=dict.fromkeys(range(HEADER_ROW + 1, HEADER_ROW + LAST_GAMES + 1), LINE),
            landscape=True,
        )

    def charts(self, widths: Mapping[int, float], second: int) -> tuple[ChartPlan, ...]:
        """Return the player's line with its peak and, from the column `second` on, their place among all ratings.

        They are as wide as what stands above them.
        """
        left, right = (
            sum(pixels(width) for at, width in widths.items() if at in columns) - FRAME
            for columns in (range(1, second - 1), range(second, max(widths) + 1))
        )
        behind = partial(rows_below, "CardCurve")
        own, row = f"=CardCurve!$D${LEGEND_ROW}", HEADER_ROW + LAST_GAMES + 2
        lines = (Series(own, behind("C", CURVE), behind("D", CURVE), "line_main"), mark("CardCurve", 6, 7))
        bars = (
            Series(own, behind("I", BINS), behind("J", BINS), "bar_win"),
            Series("The others", behind("I", BINS), behind("K", BINS), "bar_draw"),
        )
        title, among = "Rating over the last 100 games", "Among the ratings of all"
        return (
            ChartPlan("line", title, "Games ago", "", lines, row, 1, left, 320, PENDING, edge_labels=True),
            ChartPlan("bar", among, "Rating from", "", bars, row, second, right, 320, x_format="General"),
        )

    @property
    def terms(self) -> dict[str, str]:
        """What the formulas of the card may name."""
        results = self.games(GAMES_AT).range("Result") if self.view.is_modern else "CardGames[Result]"
        return self._labels | {"results": results}

    @property
    def _labels(self) -> dict[str, str]:
        names = {"after": "rating_after", "before": self.pool.before, "expected": "expected"}
        return {term: column_text(self.pool.label(name)) for term, name in names.items() if name in self._held}

    # Tables

    def games(self, first_column: int) -> TablePlan:
        """Return the table of the last games, the latest first."""
        told = [one for one in self.form["games"] if one.get("needs", "rating_after") in self._held]
        table = self.view.told_table("CardGames", told, LAST_GAMES, HEADER_ROW, first_column, terms=self._labels)
        return self._listed(table) if self.view.is_modern else table

    def _listed(self, table: TablePlan) -> TablePlan:
        """Return the last games as lists: where a row of the Ledger has the player as opponent stands his opponent."""
        after, before = (f"Ledger[{column_text(self.pool.label(name))}]" for name in ("rating_after", self.pool.before))
        score = "Ledger[Score]"
        shown = {
            "Date": 'IF(Ledger[Date]=0,"",Ledger[Date])',
            "Side": "Ledger[Side]",
            "Opponent": "Ledger[Player]",
            "Result": f'IF({score}=1,"Win",IF({score}=0.5,"Draw","Loss"))',
            "Change": f"{after}-{before}",
            "After": after,
        }
        if "expected" in self.pool.step_names():
            shown["Expected"] = f"Ledger[{column_text(self.pool.label('expected'))}]"
        typed = 'IF([Row]=0,"",INDEX(Ledger[Player],[Row]+1-2*MOD([Row]+1,2)))'
        named = TableLayout(table.name, [], HEADER_ROW).fill(typed)
        columns = tuple(replace(c, fill=named) if c.label == "Opponent" else c for c in table.columns)
        formulas: Lists = {(label,): self._last(values, label) for label, values in shown.items()}
        return spilling(replace(table, columns=columns), formulas, dropped=("Back", "Row"))

    @staticmethod
    def _last(values: str, label: str) -> str:
        own = "Opponent no." if label == "Opponent" else "Rated no."
        chosen = f"(Ledger[{own}]=$B$5)*(Ledger[Game]>=$B$6)*($B$5>0)"
        found = f'LET(own,{chosen},SORTBY(FILTER({values},own,""),FILTER(Ledger[Game],own,""),-1))'
        return unless_empty("$B$6=0", found)

    def met(self, parts: Sequence[tuple[str, ...]]) -> dict[str, Fill]:
        """Return the hidden table that says how often the player met each other one, and with which results.

        `parts` are the cells of the results and of the pairs in each part of the games.
        """
        layout = TableLayout("CardMet", [], HEADER_ROW)
        of = pair(NUMBER, "[No.]")
        texts = [f"IF({NUMBER}=0,0,SUMIFS({tally},{pairs},{of}))" for tally, pairs in parts]
        count = len(self.pool.names)
        return {
            "No.": Fill([float(i) for i in range(1, count + 1)], unit="count"),
            "Met": layout.fill(unpacked("[Tally]")["games"], "count"),
            "Key": layout.fill('IF([Met]=0,"",[Met]-[No.]/100000)', "count"),
            "Tally": layout.fill(f"IF({NUMBER}<[No.],[Sum],{turned('[Sum]')})", "count"),
            **{label: layout.fill(text, "count") for label, text in by_part("Sum", texts).items()},
        }

    def opponents(self, first_column: int) -> TablePlan:
        """Return the table of the opponents met most, head to head."""
        met = len(self.pool.names)
        count = self.view.book.inputs.sizes.get("CardMet", met) if self.view.is_modern else OPPONENTS
        none, nobody = ("N([No.])=0", '""') if self.view.is_modern else ("[No.]=0", "0")
        terms = unpacked("INDEX(CardMet[Tally],MAX(1,[No.]))") | {
            "none": none,
            "nobody": nobody,
            "place": f"(ROW()-ROW($A${HEADER_ROW}))",
        }
        unused = () if self.pool.words.draws else ("Draws",)
        told = [{**one, "width": 0 if one["label"] in unused else one["width"]} for one in self.form["opponents"]]
        table = self.view.told_table("CardOpponents", told, count, HEADER_ROW, first_column, terms=terms)
        return spilling(table, {("No.",): _MOST_MET}) if self.view.is_modern else table

    def behind_charts(self) -> tuple[tuple[CellPlan, ...], TablePlan]:
        """Return what stands beside the line's points: where it is highest, and how many players have which rating.

        The ratings are counted in steps of 1, 2 or 5 times a power of ten, so many that all find their place.
        """
        tenth = "ROUND((MAX(Players[Rating])-MIN(Players[Rating]))/10,6)"
        power = "10^INT(LOG10(G8))"
        widened = f"IF(G8<={power},1,IF(G8<=2*{power},2,IF(G8<=5*{power},5,10)))"
        line = {"CardCurve[Ago]": "count", "CardCurve[Rating]": "points"}
        cells = (
            *peaks(6, [line], self.view.peak_name, best_of(self.view.system)),
            *(CellPlan(7, 6 + at, label, style="hint") for at, label in enumerate(("Step", "A tenth"))),
            CellPlan(8, 6, PENDING, f"IF(G8<=0,1,{power}*{widened})", "points", "points"),
            CellPlan(8, 7, PENDING, tenth, "points", "points"),
        )
        spread = self.view.sheet_form("card_curve")["spread"]
        return cells, self.view.told_table("CardSpread", spread, BINS, HEADER_ROW, SPREAD_AT)

    def curve(self, form: Mapping[str, Any]) -> TablePlan:
        """Return the hidden table that the card's chart draws: the last games, the latest first.

        Before his first game the line stays where it is, so that the chart shows no error and no zero.
        """
        terms = {**self._labels, "initial": self.view.setting_cells["initial"]}
        return self.view.told_table("CardCurve", form["line"], CURVE, terms=terms)
