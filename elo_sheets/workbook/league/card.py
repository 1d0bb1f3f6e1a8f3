"""The player card of a pool: one player chosen by drop-down, his figures, last games, opponents and rating line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from elo_sheets.workbook.book import HEADER_ROW, rows_below
from elo_sheets.workbook.dialect import Lists, spilling, stored, unless_empty
from elo_sheets.workbook.facts import best_of
from elo_sheets.workbook.layout import TableLayout, column_text
from elo_sheets.workbook.league.cross import pair, turned
from elo_sheets.workbook.peaks import mark, peaks
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
    figured,
    pick_player,
)
from elo_sheets.workbook.pools.sheets import PoolView
from elo_sheets.workbook.styles import STRONG
from elo_sheets.workbook.sums import by_part, unpacked
from elo_sheets.workbook.view import Figure, unnamed

LAST_GAMES = 20
OPPONENTS = 20
CURVE = 100

# The column in which the table of the last games begins.
GAMES_AT = 4

NAME, NUMBER = "Card_player", "Card_number"
NUMBERED = 'IF(B4="",0,SUMPRODUCT((Players[Player]=B4)*Players[Id]))'
# The bars of the ratings of all: how many, and where they stand; an edge takes in what rounding has left below it.
BINS, SPREAD_AT, HAIR = 12, 9, "0.000001"
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
        self.name = view.book.inputs.cells.get("card")

    # The sheet

    def sheet(self, form: Mapping[str, Any]) -> SheetPlan:
        """Return the card."""
        self.view.names |= {NAME: "Card!$B$4", NUMBER: "Card!$B$5"}
        pick = pick_player(self.view.players_range())
        cells = [
            *self.view.heading(form),
            *asked(4, 1, "Player", self.name, "name", pick),
            *figured(5, 1, "Number", NUMBERED, "helper", "count", label_style="hint"),
        ]
        if self.view.is_modern:
            cells.append(CellPlan(6, 1, "Games shown from", style="hint"))
            cells.append(CellPlan(6, 2, PENDING, stored(_FIRST_GAME), "helper", "count", means=_FIRST_SHOWN))
        figures = self.figures()
        for row, line in enumerate((line for line in form["figures"] if line["role"] in figures), 7):
            formula, unit = figures[line["role"]]
            style = STRONG.get(line["style"], line["style"])
            cells += figured(row, 1, line["label"], formula, style, unit, label_style="figure_label")
        games = self.games(GAMES_AT)
        opponents = self.opponents(games.first_column + len(games.columns) + 1)
        highlights = tuple(
            Highlight(games.range("Result"), f'{games.top("Result")}="{word}"', style)
            for word, style in (("Win", "win"), ("Draw", "draw"), ("Loss", "loss"))
        )
        widths = {1: 24.0, 2: 22.0, 3: 3.0}
        for table in (games, opponents):
            widths |= table.widths
        return SheetPlan(
            form["name"],
            tuple(cells),
            (games, opponents),
            charts=self.charts(opponents.first_column),
            highlights=highlights if self.view.is_modern else (*highlights, unnamed(games, "Back", "Opponent")),
            widths=widths,
            landscape=True,
        )

    def charts(self, second: int) -> tuple[ChartPlan, ...]:
        """Return the player's line with its peak and, from the column `second` on, their place among all ratings."""
        behind = partial(rows_below, "CardCurve")
        own, row = f"=CardCurve!$D${LEGEND_ROW}", HEADER_ROW + LAST_GAMES + 2
        lines = (Series(own, behind("C", CURVE), behind("D", CURVE), "line_main"), mark("CardCurve", 6, 7))
        bars = (
            Series(own, behind("I", BINS), behind("J", BINS), "bar_win"),
            Series("The others", behind("I", BINS), behind("K", BINS), "bar_draw"),
        )
        title, among = "Rating over the last 100 games", "Among the ratings of all"
        return (
            ChartPlan("line", title, "Games ago", "", lines, row, 1, 900, 320, PENDING, edge_labels=True),
            ChartPlan("bar", among, "Rating from", "", bars, row, second, 520, 320, x_format="General"),
        )

    def figures(self) -> dict[str, Figure]:
        """Return formula, value and unit of every single figure."""
        fills = self.view.player_fills
        found: dict[str, Figure] = {}
        labels = {
            "card_rating": ("Rating", "player_rating"),
            "card_rank": ("Rank", "player_rank"),
            "card_best": ("Best", "player_best"),
            "card_games": ("Games", "player_games"),
            "card_wins": ("Wins", "player_wins"),
            "card_draws": ("Draws", "player_draws"),
            "card_losses": ("Losses", "player_losses"),
        }
        for role, (label, source) in labels.items():
            found[role] = (self._if_chosen(f"INDEX(Players[{label}],$B$5)"), fills[source].unit)
        games, wins, draws = "INDEX(Players[Games],$B$5)", "INDEX(Players[Wins],$B$5)", "INDEX(Players[Draws],$B$5)"
        share = self._if_chosen(f'IF({games}=0,"",({wins}+{draws}/2)/{games})')
        found["card_share"] = (share, "share")
        last = "INDEX(Players[Last row],$B$5)"
        run = f"INDEX(Ledger[Streak],MAX(1,{last}))"
        streak = f'IF({last}=0,"",IF({run}=0,"drew",ABS({run})&IF({run}>0," won"," lost")))'
        found["card_streak"] = (self._if_chosen(streak), "text")
        results = self.games(GAMES_AT).range("Result") if self.view.is_modern else "CardGames[Result]"
        form = "&".join(f"LEFT(INDEX({results},{i}),1)" for i in range(5, 0, -1))
        found["card_form"] = (self._if_chosen(form), "text")
        return found

    @staticmethod
    def _if_chosen(formula: str) -> str:
        return f'IF($B$5=0,"",{formula})'

    # Tables

    def game_columns(self) -> list[tuple[str, str, float]]:
        """Return label, style and width of the columns of the last games."""
        columns = [
            ("Back", "integer", 0.0),
            ("Row", "helper", 0.0),
            ("Date", "date", 12.0),
            ("Side", "text", 9.0),
            ("Opponent", "name", 22.0),
            ("Result", "choice", 9.0),
            ("Expected", "share", 10.0),
            ("Change", "change", 10.0),
            ("After", "points", 10.0),
        ]
        return [column for column in columns if column[0] != "Expected" or "expected" in self.pool.step_names()]

    def games(self, first_column: int) -> TablePlan:
        """Return the table of the last games, the latest first."""
        columns = self.game_columns()
        layout = TableLayout("CardGames", [label for label, _, _ in columns], HEADER_ROW, first_column)
        pool = self.pool
        after, before = pool.label("rating_after"), pool.label(pool.before)

        def shown(column: str) -> str:
            return f'IF([Row]=0,"",INDEX(Ledger[{column_text(column)}],[Row]))'

        day, score = "INDEX(Ledger[Date],MAX(1,[Row]))", "INDEX(Ledger[Score],MAX(1,[Row]))"
        opponent = "INDEX(Players[Player],MAX(1,INDEX(Ledger[Opponent no.],MAX(1,[Row]))))"
        change = f"INDEX(Ledger[{column_text(after)}],[Row])-INDEX(Ledger[{column_text(before)}],[Row])"
        formulas: dict[str, tuple[str, str]] = {
            "Row": ("IF(N(up[Row])=0,0,INDEX(Ledger[Previous],MAX(1,N(up[Row]))))", "count"),
            "Date": (f'IF([Row]=0,"",IF({day}=0,"",{day}))', "date"),
            "Side": (shown("Side"), "text"),
            "Opponent": (f'IF([Row]=0,"",{opponent})', "text"),
            "Result": (f'IF([Row]=0,"",IF({score}=1,"Win",IF({score}=0.5,"Draw","Loss")))', "text"),
            "Change": (f'IF([Row]=0,"",{change})', "points"),
            "After": (shown(after), "points"),
        }
        if "expected" in pool.step_names():
            formulas["Expected"] = (shown(pool.label("expected")), "share")
        fills = layout.fills(formulas)
        fills["Back"] = Fill([float(i) for i in range(1, LAST_GAMES + 1)], unit="count")
        fills["Row"] = replace(fills["Row"], first=f"IF({NUMBER}=0,0,INDEX(Players[Last row],{NUMBER}))")
        planned = tuple(ColumnPlan(label, fills[label], "", style, width) for label, style, width in columns)
        table = TablePlan("CardGames", HEADER_ROW, planned, LAST_GAMES, first_column)
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
        labels = ["No.", "Met", "Games", "Wins", "Draws", "Losses", "Score"]
        layout = TableLayout("CardOpponents", labels, HEADER_ROW, first_column)
        met = len(self.pool.names)
        count = self.view.book.inputs.sizes.get("CardMet", met) if self.view.is_modern else OPPONENTS
        none, nobody = ("N([No.])=0", '""') if self.view.is_modern else ("[No.]=0", "0")
        results = unpacked("INDEX(CardMet[Tally],MAX(1,[No.]))")
        place = f"(ROW()-ROW($A${HEADER_ROW}))"
        key = f"LARGE(CardMet[Key],MAX(1,MIN({place},COUNT(CardMet[Key]))))"
        formulas: dict[str, tuple[str, str, str, float]] = {
            "No.": (f"IF({place}>COUNT(CardMet[Key]),{nobody},MATCH({key},CardMet[Key],0))", "count", "helper", 0),
            "Met": (f'IF({none},"",INDEX(Players[Player],MAX(1,[No.])))', "text", "name", 22),
        }
        for label in ("Games", "Wins", "Draws", "Losses"):
            width = 0 if label == "Draws" and not self.pool.words.draws else 8
            formulas[label] = (f'IF({none},"",{results[label.lower()]})', "count", "integer", width)
        formulas["Score"] = (f'IF({none},"",([Wins]+[Draws]/2)/[Games])', "share", "percent", 8)
        columns = tuple(
            ColumnPlan(label, layout.fill(formula, unit), "", style, width)
            for label, (formula, unit, style, width) in formulas.items()
        )
        table = TablePlan("CardOpponents", HEADER_ROW, columns, count, first_column)
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
        layout = TableLayout("CardSpread", ["From", "Own", "Others"], HEADER_ROW, SPREAD_AT)
        first = "$F$8*INT(ROUND(MIN(Players[Rating])/$F$8,6))"
        low, high = f"[From]-{HAIR}", f"[From]+$F$8-{HAIR}"
        rating = f"INDEX(Players[Rating],{NUMBER})"
        own = f"IF({NUMBER}=0,0,IF(INDEX(Players[Last row],{NUMBER})=0,0,IF({rating}<{low},0,IF({rating}<{high},1,0))))"
        within = f'COUNTIFS(Players[Rating],">="&({low}),Players[Rating],"<"&({high}),Players[Last row],">0")'
        columns = (
            ColumnPlan("From", layout.fill("up[From]+$F$8", "points", first=first), "", "points", 14),
            ColumnPlan("Own", layout.fill(own, "count"), "", "integer", 14),
            ColumnPlan("Others", layout.fill(f"{within}-[Own]", "count"), "", "integer", 14),
        )
        return cells, TablePlan("CardSpread", HEADER_ROW, columns, BINS, SPREAD_AT)

    def curve(self) -> dict[str, Fill]:
        """Return the hidden table that the card's chart draws: the last games, the latest first.

        Before his first game the line stays where it is, so that the chart shows no error and no zero.
        """
        layout = TableLayout("CardCurve", ["Back", "Row", "Ago", "Rating"], HEADER_ROW)
        after = self.pool.label("rating_after")
        begin = f"IF({NUMBER}=0,{self.view.setting_cells['initial']},INDEX(Players[Starts at],MAX(1,{NUMBER})))"
        shown = f"INDEX(Ledger[{column_text(after)}],MAX(1,[Row]))"
        return {
            "Back": Fill([float(i) for i in range(CURVE)], unit="count"),
            "Row": layout.fill(
                "IF(N(up[Row])=0,0,INDEX(Ledger[Previous],MAX(1,N(up[Row]))))",
                "count",
                first=f"IF({NUMBER}=0,0,INDEX(Players[Last row],MAX(1,{NUMBER})))",
            ),
            "Ago": layout.fill("IF([Row]=0,up[Ago],-[Back])", "count", first="0"),
            "Rating": layout.fill(f"IF([Row]=0,up[Rating],{shown})", "points", first=f"IF([Row]=0,{begin},{shown})"),
        }
