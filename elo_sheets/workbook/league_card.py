"""The player card of a pool: one player chosen by drop-down, his figures, last games, opponents and rating line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from elo_sheets.workbook.book import HEADER_ROW
from elo_sheets.workbook.dialect import Lists, spilling, stored, unless_empty
from elo_sheets.workbook.layout import TableLayout, column_text
from elo_sheets.workbook.plan import (
    PENDING,
    CellPlan,
    CellValue,
    ChartPlan,
    ColumnPlan,
    Fill,
    Highlight,
    Series,
    SheetPlan,
    TablePlan,
    Validation,
)
from elo_sheets.workbook.pool import PAIR, unpacked
from elo_sheets.workbook.view import Figure, unnamed, y_minimum

if TYPE_CHECKING:
    from elo_sheets.workbook.pool_sheets import PoolView

LAST_GAMES = 20
OPPONENTS = 20
CURVE = 100

# The column in which the table of the last games begins.
GAMES_AT = 4

NAME, NUMBER = "Card_player", "Card_number"
# Where the hidden sheets of a chart say what its lines are called, and what the line of nobody is called.
LEGEND_ROW, NOBODY = HEADER_ROW - 1, "–"
WORDS = {1.0: "Win", 0.5: "Draw", 0.0: "Loss"}

_FIRST_GAME = (
    "IF($B$5=0,0,IF(INDEX(Players[Last row],MAX(1,$B$5))=0,0,"
    "LET(games,SORT(FILTER(Ledger[Game],Ledger[Rated no.]=$B$5),1,-1),"
    f"MIN(IF(ROWS(games)=1,games,FILTER(games,SEQUENCE(ROWS(games))<={LAST_GAMES}))))))"
)
_MOST_MET = unless_empty(
    "COUNT(CardMet[Key])=0",
    'SORTBY(FILTER(CardMet[No.],CardMet[Met]>0,""),FILTER(CardMet[Key],CardMet[Met]>0,""),-1)',
)


def legend(column: int, chosen: str, name: CellValue) -> CellPlan:
    """Return the cell that names the line of the player chosen in a cell; of an empty one programs name the column."""
    return CellPlan(LEGEND_ROW, column, name or NOBODY, f'IF({chosen}="","{NOBODY}",{chosen})', "name")


class Card:
    """The cells of the card and of the hidden sheet behind it."""

    def __init__(self, view: PoolView) -> None:
        self.view, self.pool = view, view.pool
        self.name = view.book.inputs.cells.get("card")
        self.number = view.number_of(self.name)
        self.rows = self._rows(max(LAST_GAMES, CURVE))

    def _rows(self, count: int) -> list[int]:
        """Return the rows of the Ledger with the player's games, the latest first, 0 where there are no more."""
        row = self.pool.last_rows[self.number] if self.number else 0
        found = []
        for _ in range(count):
            found.append(row)
            row = self.pool.previous_rows[row - 1] if row else 0
        return found

    def of(self, name: str, row: int) -> CellValue:
        """Return a column of the rule in a row of the Ledger, empty text for no row."""
        return self.pool.rule[name][row - 1] if row else ""

    # The sheet

    def sheet(self, form: Mapping[str, Any]) -> SheetPlan:
        """Return the card."""
        self.view.names |= {NAME: "Card!$B$4", NUMBER: "Card!$B$5"}
        pick = Validation(
            "list",
            range=self.view.players_range(),
            title="Player",
            message="A name from the sheet Players.",
            error="Choose a name from the sheet Players.",
        )
        cells = [
            *self.view.heading(form),
            CellPlan(4, 1, "Player", style="label"),
            CellPlan(4, 2, self.name, style="name", is_input=True, validation=pick),
            CellPlan(5, 1, "Number", style="hint"),
            CellPlan(
                5,
                2,
                float(self.number),
                'IF(B4="",0,SUMPRODUCT((Players[Player]=B4)*Players[Id]))',
                "helper",
                "count",
            ),
        ]
        if self.view.is_modern:
            cells.append(CellPlan(6, 1, "Games shown from", style="hint"))
            cells.append(CellPlan(6, 2, self._first_game(), stored(_FIRST_GAME), "helper", "count"))
        figures = self.figures()
        for row, line in enumerate(self.figure_lines(form), 7):
            formula, value, unit = figures[line["role"]]
            cells.append(CellPlan(row, 1, line["label"], style="label"))
            cells.append(CellPlan(row, 2, value, formula, line["style"], unit))
        games = self.games(GAMES_AT)
        opponents = self.opponents(games.first_column + len(games.columns) + 1)
        drawn = self.curve()
        points = f"${HEADER_ROW + 1}:${{0}}${HEADER_ROW + CURVE}"
        chart = ChartPlan(
            "line",
            "Rating over the last 100 games",
            "Games ago",
            "",
            (
                Series(
                    f"=CardCurve!$D${LEGEND_ROW}",
                    "=CardCurve!$C" + points.format("C"),
                    "=CardCurve!$D" + points.format("D"),
                    "line_main",
                ),
            ),
            HEADER_ROW + LAST_GAMES + 2,
            1,
            900,
            320,
            y_minimum(drawn["Rating"].values),
            edge_labels=True,
        )
        result = games.range("Result")
        letter = result[1 : result.index("$", 1)]
        highlights = tuple(
            Highlight(result, f'${letter}{HEADER_ROW + 1}="{word}"', style)
            for word, style in (("Win", "win"), ("Draw", "draw"), ("Loss", "loss"))
        )
        widths = {1: 24.0, 2: 22.0, 3: 3.0}
        for table in (games, opponents):
            widths |= {table.first_column + i: column.width for i, column in enumerate(table.columns)}
        return SheetPlan(
            form["name"],
            tuple(cells),
            (games, opponents),
            charts=(chart,),
            highlights=highlights if self.view.is_modern else (*highlights, unnamed(games, "Back", "Opponent")),
            widths=widths,
            landscape=True,
        )

    def figure_lines(self, form: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return the lines of figures that this system has."""
        return [line for line in form["figures"] if line["role"] in self.figures()]

    def figures(self) -> dict[str, Figure]:
        """Return formula, value and unit of every single figure."""
        fills = self.view.player_fills
        found: dict[str, Figure] = {}
        labels = {
            "card_rating": ("Rating", "player_rating"),
            "card_rank": ("Rank", "player_rank"),
            "card_best": (self.view.best_label, "player_best"),
            "card_games": ("Games", "player_games"),
            "card_wins": ("Wins", "player_wins"),
            "card_draws": ("Draws", "player_draws"),
            "card_losses": ("Losses", "player_losses"),
        }
        for role, (label, source) in labels.items():
            fill = fills[source]
            value = fill.values[self.number - 1] if self.number else ""
            found[role] = (self._if_chosen(f"INDEX(Players[{label}],$B$5)"), value, fill.unit)
        counts = [
            float(fills[f"player_{kind}"].values[self.number - 1] or 0) if self.number else 0.0
            for kind in ("games", "wins", "draws")
        ]
        games, wins, draws = "INDEX(Players[Games],$B$5)", "INDEX(Players[Wins],$B$5)", "INDEX(Players[Draws],$B$5)"
        share = (counts[1] + counts[2] / 2) / counts[0] if counts[0] else ""
        found["card_share"] = (
            self._if_chosen(f'IF({games}=0,"",({wins}+{draws}/2)/{games})'),
            share,
            "share",
        )
        last = "INDEX(Players[Last row],$B$5)"
        row = self.rows[0]
        streak = float(self.view.fills["streak"].values[row - 1] or 0) if row else 0.0
        words = "" if not row else (f"{abs(streak):g} {'won' if streak > 0 else 'lost'}" if streak else "drew")
        run = f"INDEX(Ledger[Streak],MAX(1,{last}))"
        found["card_streak"] = (
            self._if_chosen(f'IF({last}=0,"",IF({run}=0,"drew",ABS({run})&IF({run}>0," won"," lost")))'),
            words,
            "text",
        )
        results = self.games(GAMES_AT).range("Result") if self.view.is_modern else "CardGames[Result]"
        found["card_form"] = (
            self._if_chosen("&".join(f"LEFT(INDEX({results},{i}),1)" for i in range(5, 0, -1))),
            "".join(self._word(row)[:1] for row in reversed(self.rows[:5])) if self.number else "",
            "text",
        )
        return found

    @staticmethod
    def _if_chosen(formula: str) -> str:
        return f'IF($B$5=0,"",{formula})'

    def _word(self, row: int) -> str:
        if not row:
            return ""
        score = self.pool.score(self.pool.games[(row - 1) // 2], (row - 1) % 2)
        return WORDS[float(score or 0)]

    # Tables

    def game_columns(self) -> list[tuple[str, str, float]]:
        """Return label, style and width of the columns of the last games."""
        columns = [
            ("Back", "integer", 7.0),
            ("Row", "helper", 7.0),
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
        pool, rows = self.pool, self.rows[:LAST_GAMES]
        after, before = pool.label("rating_after"), pool.label(pool.before)
        played = [pool.games[(row - 1) // 2] if row else None for row in rows]

        def shown(column: str) -> str:
            return f'IF([Row]=0,"",INDEX(Ledger[{column_text(column)}],[Row]))'

        def change(row: int) -> CellValue:
            if not row:
                return ""
            return float(self.of("rating_after", row) or 0) - float(self.of(pool.before, row) or 0)

        first = f"IF({NUMBER}=0,0,INDEX(Players[Last row],{NUMBER}))"
        formulas: dict[str, tuple[str | None, Sequence[CellValue], str]] = {
            "Back": (None, [float(i) for i in range(1, LAST_GAMES + 1)], "count"),
            "Row": (
                "IF(N(up[Row])=0,0,INDEX(Ledger[Previous],MAX(1,N(up[Row]))))",
                [float(row) for row in rows],
                "count",
            ),
            "Date": (
                'IF([Row]=0,"",IF(INDEX(Ledger[Date],MAX(1,[Row]))=0,"",INDEX(Ledger[Date],MAX(1,[Row]))))',
                ["" if game is None else (game.date or "") for game in played],
                "date",
            ),
            "Side": (shown("Side"), ["" if not row else pool.sides[(row - 1) % 2] for row in rows], "text"),
            "Opponent": (
                'IF([Row]=0,"",INDEX(Players[Player],MAX(1,INDEX(Ledger[Opponent no.],MAX(1,[Row])))))',
                [pool.names[pool.opponent_of(row) - 1] if row else "" for row in rows],
                "text",
            ),
            "Result": (
                'IF([Row]=0,"",IF(INDEX(Ledger[Score],MAX(1,[Row]))=1,"Win",'
                'IF(INDEX(Ledger[Score],MAX(1,[Row]))=0.5,"Draw","Loss")))',
                [self._word(row) for row in rows],
                "text",
            ),
            "Change": (
                f'IF([Row]=0,"",INDEX(Ledger[{column_text(after)}],[Row])-INDEX(Ledger[{column_text(before)}],[Row]))',
                [change(row) for row in rows],
                "points",
            ),
            "After": (shown(after), [self.of("rating_after", row) for row in rows], "points"),
        }
        if "expected" in pool.step_names():
            formulas["Expected"] = (shown(pool.label("expected")), [self.of("expected", r) for r in rows], "share")
        planned = []
        for label, style, width in columns:
            formula, values, unit = formulas[label]
            fill = Fill(
                values,
                None if formula is None else layout.formula(formula),
                unit,
                first=first if label == "Row" else None,
            )
            planned.append(ColumnPlan(label, fill, "", style, width))
        table = TablePlan("CardGames", HEADER_ROW, tuple(planned), LAST_GAMES, first_column)
        return self._listed(table) if self.view.is_modern else table

    def _first_game(self) -> float:
        """Return the number of the first of the last games, 0 for a player without any."""
        row = min((row for row in self.rows[:LAST_GAMES] if row), default=0)
        return float((row + 1) // 2)

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
        typed = self.view.fills["ledger_player"].values
        names: list[CellValue] = [typed[(row - 1) ^ 1] if row else "" for row in self.rows[:LAST_GAMES]]
        columns = tuple(
            replace(column, fill=replace(column.fill, values=names)) if column.label == "Opponent" else column
            for column in table.columns
            if column.label in shown
        )
        formulas: Lists = {(column.label,): self._last(shown[column.label], column.label) for column in columns}
        return spilling(replace(table, columns=columns), formulas)

    @staticmethod
    def _last(values: str, label: str) -> str:
        own = "Opponent no." if label == "Opponent" else "Rated no."
        chosen = f"(Ledger[{own}]=$B$5)*(Ledger[Game]>=$B$6)*($B$5>0)"
        found = f'LET(own,{chosen},SORTBY(FILTER({values},own,""),FILTER(Ledger[Game],own,""),-1))'
        return unless_empty("$B$6=0", found)

    def _met(self) -> list[CellValue]:
        met = [0.0] * (len(self.pool.names) + 1)
        for row, game in enumerate(self.pool.games):
            if game.is_rated and self.number in (game.white_number, game.black_number):
                own = 2 * row + (1 if game.white_number == self.number else 2)
                met[self.pool.opponent_of(own)] += 1
        return [met[i] if i else 0.0 for i in self.pool.ids]

    def met(self) -> dict[str, Fill]:
        """Return the hidden table that says how often the player met each other one, and with which results."""
        layout = TableLayout("CardMet", ["No.", "Met", "Key", "Tally"], HEADER_ROW)
        met = self._met()
        numbers = [float(i) for i in range(1, len(met) + 1)]
        return {
            "No.": Fill(numbers, unit="count"),
            "Met": Fill(met, layout.formula(unpacked("[Tally]")["games"]), "count"),
            "Key": Fill(
                [float(m or 0) - n / 100000 if m else "" for m, n in zip(met, numbers, strict=True)],
                layout.formula('IF([Met]=0,"",[Met]-[No.]/100000)'),
                "count",
            ),
            "Tally": Fill(
                PENDING,
                layout.formula(f"IF({NUMBER}=0,0,SUMIFS(Ledger[Tally],Ledger[Pair],{PAIR}*{NUMBER}+[No.]))"),
                "count",
            ),
        }

    def opponents(self, first_column: int) -> TablePlan:
        """Return the table of the opponents met most, head to head."""
        labels = ["No.", "Met", "Games", "Wins", "Draws", "Losses", "Score"]
        layout = TableLayout("CardOpponents", labels, HEADER_ROW, first_column)
        met = self._met()
        count = self.view.book.inputs.sizes.get("CardMet", len(met)) if self.view.is_modern else OPPONENTS
        order = sorted((i for i, m in enumerate(met) if m), key=lambda i: (-float(met[i] or 0), i))[:count]
        numbers = [order[k] + 1 if k < len(order) else 0 for k in range(count)]
        none = "N([No.])=0" if self.view.is_modern else "[No.]=0"
        tallies = [self._tally(number) for number in numbers]

        results = unpacked("INDEX(CardMet[Tally],MAX(1,[No.]))")
        place = f"(ROW()-ROW($A${HEADER_ROW}))"
        key = f"LARGE(CardMet[Key],MAX(1,MIN({place},COUNT(CardMet[Key]))))"
        formulas: dict[str, tuple[str, Sequence[CellValue], str, str, float]] = {
            "No.": (
                f"IF({place}>COUNT(CardMet[Key]),0,MATCH({key},CardMet[Key],0))",
                [float(number) if number or not self.view.is_modern else "" for number in numbers],
                "count",
                "helper",
                6,
            ),
            "Met": (
                f'IF({none},"",INDEX(Players[Player],MAX(1,[No.])))',
                [self.pool.names[number - 1] if number else "" for number in numbers],
                "text",
                "name",
                22,
            ),
        }
        for at, label in enumerate(("Games", "Wins", "Draws", "Losses")):
            values: list[CellValue] = [tally[at] if tally else "" for tally in tallies]
            width = 0 if label == "Draws" and not self.pool.words.draws else 8
            formulas[label] = (f'IF({none},"",{results[label.lower()]})', values, "count", "integer", width)
        formulas["Score"] = (
            f'IF({none},"",([Wins]+[Draws]/2)/[Games])',
            [(tally[1] + tally[2] / 2) / tally[0] if tally else "" for tally in tallies],
            "share",
            "percent",
            8,
        )
        columns = tuple(
            ColumnPlan(label, Fill(values, layout.formula(formula), unit), "", style, width)
            for label, (formula, values, unit, style, width) in formulas.items()
        )
        table = TablePlan("CardOpponents", HEADER_ROW, columns, count, first_column)
        return spilling(table, {("No.",): _MOST_MET}) if self.view.is_modern else table

    def _tally(self, opponent: int) -> tuple[float, float, float, float] | None:
        """Return games, wins, draws and losses against an opponent, None for nobody."""
        if not opponent:
            return None
        scores = [
            float(self.pool.score(game, side) or 0)
            for game in self.pool.games
            for side, (own, other) in enumerate(
                ((game.white_number, game.black_number), (game.black_number, game.white_number))
            )
            if game.is_rated and (own, other) == (self.number, opponent)
        ]
        return float(len(scores)), float(scores.count(1.0)), float(scores.count(0.5)), float(scores.count(0.0))

    def curve(self) -> dict[str, Fill]:
        """Return the hidden table that the card's chart draws: the last games, the latest first.

        Before his first game the line stays where it is, so that the chart shows no error and no zero.
        """
        layout = TableLayout("CardCurve", ["Back", "Row", "Ago", "Rating"], HEADER_ROW)
        rows = self.rows[:CURVE]
        after = self.pool.label("rating_after")
        initial = float(self.view.book.settings["initial"])
        start = float(self.pool.starts[self.number - 1] or 0) if self.number else initial
        ago: list[CellValue] = []
        rating: list[CellValue] = []
        for i, row in enumerate(rows):
            ago.append(-float(i) if row else (ago[-1] if ago else 0.0))
            rating.append(self.of("rating_after", row) if row else (rating[-1] if rating else start))
        begin = f"IF({NUMBER}=0,{self.view.setting_cells['initial']},INDEX(Players[Starts at],MAX(1,{NUMBER})))"
        shown = f"INDEX(Ledger[{column_text(after)}],MAX(1,[Row]))"
        return {
            "Back": Fill([float(i) for i in range(CURVE)], unit="count"),
            "Row": Fill(
                [float(row) for row in rows],
                layout.formula("IF(N(up[Row])=0,0,INDEX(Ledger[Previous],MAX(1,N(up[Row]))))"),
                "count",
                first=f"IF({NUMBER}=0,0,INDEX(Players[Last row],MAX(1,{NUMBER})))",
            ),
            "Ago": Fill(ago, layout.formula("IF([Row]=0,up[Ago],-[Back])"), "count", first="0"),
            "Rating": Fill(
                rating,
                layout.formula(f"IF([Row]=0,up[Rating],{shown})"),
                "points",
                first=layout.formula(f"IF([Row]=0,{begin},{shown})"),
            ),
        }
