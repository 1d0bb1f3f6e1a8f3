"""What a journal tells of its games: results by group, months, opponents, form, performance, curves.

All of it is about the pool that the Dashboard shows, `Pool_number`. The Ledger's columns are counted with numbers as
criteria, or with words that the sheets write themselves: no name of a person is ever a criterion.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import date, timedelta
from functools import cached_property

from elo_sheets.expr import Ref
from elo_sheets.formula import to_formula
from elo_sheets.odds.forecast import expected_score
from elo_sheets.odds.performance import linear_performance, table_performance
from elo_sheets.workbook.journal import NEAR, PART, JournalCells, Row, curve_games, month_number
from elo_sheets.workbook.layout import TableLayout, average, number_or
from elo_sheets.workbook.plan import CellValue, Fill

Fills = dict[str, Fill]
# A formula, the value that it gives, and the value's unit.
Figure = tuple[str, CellValue, str]

POOL = "Ledger[Rated pool],Pool_number"
# Named cells of the shown pool: its games, the rows of its last game and of its highest rating, the last game's key.
GAMES, LAST, PEAK, LAST_KEY = "Shown_games", "Shown_last_row", "Shown_peak_row", "Shown_last_key"

# Where the first and the last month with games stand.
MONTH_LIMITS = ("Months!$D$3", "Months!$G$3")

CURVE_POINTS = 200
LINE_POINTS = 60
BAR_MONTHS = 24
# Halvings of the interval in which an exact performance is looked for.
HALVINGS = 60
FAR = 5000.0
RECENT = 20
EPOCH = date(1899, 12, 30)


class Stats:
    """The figures and tables of the shown pool's games."""

    def __init__(self, cells: JournalCells) -> None:
        self.cells = cells
        self.rows = cells.rows
        self.shown = cells.shown

    def _value(self, name: str, i: int) -> float:
        return float(self.cells.values[name][i] or 0)

    def points(self, games: Iterable[int]) -> float:
        """Return the points made in games."""
        return sum(float(self.rows[i].score or 0) for i in games)

    def opponents(self, games: Sequence[int]) -> CellValue:
        """Return the mean rating of the opponents, empty text for none."""
        return average([self.rows[i].opponent_rating for i in games])

    def expected(self, games: Iterable[int]) -> float:
        """Return the sum of the expected scores."""
        return sum(self._value("expected", i) for i in games)

    def where(self, test: Callable[[Row], bool]) -> list[int]:
        """Return the shown games whose row passes a test."""
        return [i for i in self.shown if test(self.rows[i])]

    def switches(self) -> dict[str, tuple[str, float]]:
        """Return the formulas and values of the named cells that tell where the shown pool's games stand."""
        before = f'COUNTIFS({POOL},Ledger[Best so far],"<"&(INDEX(Ledger[Best so far],{LAST})-{NEAR:f}))'
        last = self.shown[-1] if self.shown else None
        return {
            GAMES: ("INDEX(Pools[Games],Pool_number)", float(len(self.shown))),
            LAST: ("INDEX(Pools[Last row],Pool_number)", 0.0 if last is None else last + 1.0),
            LAST_KEY: (
                f"IF({LAST}=0,0,INDEX(Ledger[Key],{LAST}))",
                0.0 if last is None else float(self.cells.keys[last] or 0),
            ),
            PEAK: (
                f"IF({LAST}=0,0,MATCH({PART}*Pool_number+1+{before},Ledger[Key],0))",
                0.0 if last is None else self.peak_game + 1.0,
            ),
        }

    @cached_property
    def peak_game(self) -> int:
        """The place of the first game after which the rating was at the highest."""
        peaks = [float(self.cells.peaks[i] or 0) for i in self.shown]
        return next(i for i, peak in zip(self.shown, peaks, strict=True) if peak >= peaks[-1] - NEAR)

    # Results by group

    def tally(self, table: str, key: str, where: str, groups: Sequence[Sequence[int] | None]) -> Fills:
        """Return the fills that count the games of groups, by label.

        `key` is a column of the table that is empty in a row without a group, `where` the criteria that pick the
        group's rows of the Ledger, in the notation of `layout`; a group of None has no row.
        """
        layout = TableLayout(table, [], 0)
        label = self.cells.rule.label("expected")
        scores = [[float(self.rows[i].score or 0) for i in group] for group in groups if group is not None]
        filled = iter(scores)
        per_group = [None if group is None else next(filled) for group in groups]

        def some(formula: str, value: Callable[[Sequence[int]], CellValue], unit: str) -> Fill:
            values = [value(group) if group else "" for group in groups]
            return Fill(values, layout.formula(f'IF(N([Games])=0,"",{formula})'), unit)

        def counted(score: float) -> Fill:
            return some(
                f"COUNTIFS({POOL},Ledger[Score],{score:g}{where})",
                lambda group: float(sum(self.rows[i].score == score for i in group)),
                "count",
            )

        linear = to_formula(linear_performance(*map(Ref, ("[Opponents]", "[Wins]", "[Losses]", "[Games]"))))
        return {
            "Games": Fill(
                ["" if scores is None else float(len(scores)) for scores in per_group],
                layout.formula(f'IF([{key}]="","",COUNTIFS({POOL}{where}))'),
                "count",
            ),
            "Wins": counted(1),
            "Draws": counted(0.5),
            "Losses": counted(0),
            "Score": some("([Wins]+[Draws]/2)/[Games]", lambda group: self.points(group) / len(group), "share"),
            "Expected": some(
                f"SUMIFS(Ledger[{label}],{POOL}{where})/[Games]",
                lambda group: self.expected(group) / len(group),
                "share",
            ),
            "Opponents": some(
                f"AVERAGEIFS(Ledger[Opponent rating],{POOL}{where})", lambda group: self.opponents(group), "points"
            ),
            "Performance": some(linear, self.linear, "points"),
        }

    def linear(self, games: Sequence[int]) -> CellValue:
        """Return the linear performance in games, empty text for none."""
        if not games:
            return ""
        wins, losses = (sum(self.rows[i].score == score for i in games) for score in (1, 0))
        return float(linear_performance(float(self.opponents(games) or 0), wins, losses, len(games)))

    def by_colour(self) -> Fills:
        """Return the fills of the results by colour."""
        colours = ("White", "Black")
        groups = [self.where(lambda row, colour=colour: row.colour == colour) for colour in colours]  # type: ignore[misc]
        return {"Colour": Fill(list(colours))} | self.tally("ByColour", "Colour", ",Ledger[Colour],[Colour]", groups)

    def by_band(self, edges: Sequence[CellValue]) -> Fills:
        """Return the fills of the results by the opponents' ratings, between the typed edges."""
        layout = TableLayout("Bands", [], 0)
        count = len(edges)
        froms = [number_or(edge, "") for edge in edges]
        tos = [
            "" if low == "" else (froms[i + 1] if i + 1 < count and froms[i + 1] != "" else float(PART))
            for i, low in enumerate(froms)
        ]
        following = "INDEX(Bands[From],[No.]+1)"
        to = f"IF([No.]=ROWS(Bands[No.]),{PART},IF(ISNUMBER({following}),{following},{PART}))"
        groups: list[list[int] | None] = []
        for low, high in zip(froms, tos, strict=True):
            groups.append(None if low == "" else self._between(float(low or 0), float(high or 0)))
        fills = {
            "No.": Fill([float(i) for i in range(1, count + 1)], unit="count"),
            "From": Fill(edges),
            "Below": Fill(tos, layout.formula(f'IF(ISNUMBER([From]),{to},"")'), "count"),
        }
        where = ',Ledger[Opponent rating],">="&[From],Ledger[Opponent rating],"<"&[Below]'
        return fills | self.tally("Bands", "Below", where, groups)

    def _between(self, low: float, high: float) -> list[int]:
        return self.where(lambda row: low <= float(row.opponent_rating or 0) < high)

    def by_letter(self) -> Fills:
        """Return the fills of the results by the letter of the opening's ECO code."""
        letters = "ABCDE"
        groups = [
            self.where(lambda row, x=letter: len(row.opening) == 3 and row.opening[0].upper() == x)  # type: ignore[misc]
            for letter in letters
        ]
        where = ',Ledger[Opening],[Letter]&"??"'
        return {"Letter": Fill(list(letters))} | self.tally("Letters", "Letter", where, groups)

    def most_played(self, table: str, label: str, column: str, names: Sequence[str], rows: int) -> Fills:
        """Return the fills of the most frequent opponents, openings or time controls.

        `label` is the column of the Ledger that holds the names, `column` the one that numbers them.
        """
        layout = TableLayout(table, [], 0)
        numbers = self.cells.numbers(names)
        rank = column.replace(" no.", " rank")
        ranked = sorted(
            (float(key or 0) for key in self.cells.ranks(numbers) if key != "" and float(key or 0) > 0), reverse=True
        )[:rows]
        ids: list[CellValue] = [PART - key % PART for key in ranked]
        ids += [""] * (rows - len(ids))
        groups = [None if n == "" else [i for i in self.shown if numbers[i] == n] for n in ids]
        found = f"MATCH(LARGE(Ledger[{rank}],[No.]),Ledger[{rank}],0)"
        fills = {
            "No.": Fill([float(i) for i in range(1, rows + 1)], unit="count"),
            "Id": Fill(ids, layout.formula(f'IF([No.]>COUNTIF(Ledger[{rank}],">0"),"",{found})'), "count"),
            label: Fill(
                ["" if n == "" else names[int(float(n or 0)) - 1] for n in ids],
                layout.formula(f'IF([Id]="","",INDEX(Ledger[{label}],[Id]))'),
            ),
        }
        fills |= self.tally(table, "Id", f",Ledger[{column}],[Id]", groups)
        latest = f"SUMPRODUCT(MAX((Ledger[Rated pool]=Pool_number)*(Ledger[{column}]=[Id])*Ledger[Date]))"
        fills["Last played"] = Fill(
            ["" if not group else max(self.rows[i].date for i in group) for group in groups],
            layout.formula(f'IF([Id]="","",{latest})'),
            "date",
        )
        return fills

    # Months

    def limits(self) -> tuple[Figure, Figure]:
        """Return the first days of the first and the last month with a game of the pool, 0 for none."""
        days = [self.rows[i].date for i in self.shown if self.rows[i].date > 0]
        first, last = min(days, default=0.0), max(days, default=0.0)
        chosen = "(Ledger[Rated pool]=Pool_number)*(Ledger[Date]>0)"
        latest = f"SUMPRODUCT(MAX({chosen}*Ledger[Date]))"
        earliest = f"({PART}-SUMPRODUCT(MAX({chosen}*({PART}-Ledger[Date]))))"

        def month(day: str, known: str) -> str:
            return f"IF({known}=0,0,DATE(YEAR({day}),MONTH({day}),1))"

        return (
            (month(earliest, MONTH_LIMITS[1]), month_start(first), "date"),
            (month(latest, latest), month_start(last), "date"),
        )

    def months(self, first: str, last: str, rows: int, *, played: bool = False) -> Fills:
        """Return the fills of the months, the newest first; `first`, `last` are the cells of `limits`.

        With `played` only the months with games have a row, for a list that spills.
        """
        layout = TableLayout("ByMonth", [], 0)
        low, high = (float(figure[1] or 0) for figure in self.limits())
        starts: list[CellValue] = []
        for k in range(1, rows + 1):
            month = shifted(high, 1 - k) if high else 0.0
            starts.append(month if high and month >= low else "")
        if played:
            found = sorted({month_start(self.rows[i].date) for i in self.shown if self.rows[i].date > 0}, reverse=True)
            starts = [*found[:rows], *[""] * max(0, rows - len(found))]
        groups = [None if start == "" else self._in_month(float(start or 0)) for start in starts]
        month_of = f"EDATE({last},1-[No.])"
        fills = {
            "No.": Fill([float(i) for i in range(1, rows + 1)], unit="count"),
            "Month": Fill(starts, layout.formula(f'IF({last}=0,"",IF({month_of}<{first},"",{month_of}))'), "date"),
        }
        fills |= self.tally("ByMonth", "Month", _month_where("[Month]"), groups)
        after = self.cells.rule.label("rating_after")
        end = (
            "SUMPRODUCT(MAX((Ledger[Rated pool]=Pool_number)*(Ledger[Date]>=[Month])"
            "*(Ledger[Date]<EDATE([Month],1))*Ledger[Game]))"
        )
        fills["Rating at end"] = Fill(
            [self._value("rating_after", group[-1]) if group else "" for group in groups],
            layout.formula(f'IF(N([Games])=0,"",INDEX(Ledger[{after}],{end}))'),
            "points",
        )
        return fills

    def _in_month(self, start: float) -> list[int]:
        return self.where(lambda row: row.date > 0 and month_number(row.date) == month_number(start))

    def bars(self, first: str, last: str) -> Fills:
        """Return the fills of the last months, the oldest first, that the chart of games per month draws.

        Behind the month of the last game nothing is drawn: the places that are left have no name and no games.
        """
        layout = TableLayout("MonthBars", [], 0)
        low, high = (float(figure[1] or 0) for figure in self.limits())
        begin = max(low, shifted(high, 1 - BAR_MONTHS)) if high else 0.0
        following = [shifted(begin, k) if high else 0.0 for k in range(BAR_MONTHS)]
        starts = [start if start <= high else 0.0 for start in following]
        groups = [self._in_month(start) if start else [] for start in starts]
        month = f"EDATE(MAX({first},EDATE({last},{1 - BAR_MONTHS})),[No.]-1)"
        month = f"IF({last}=0,0,IF({month}>{last},0,{month}))"
        fills = {
            "No.": Fill([float(i) for i in range(1, BAR_MONTHS + 1)], unit="count"),
            "Month": Fill(starts, layout.formula(month), "date"),
            "Name": Fill(
                [_month_name(start) for start in starts],
                layout.formula('IF([Month]=0,"",YEAR([Month])&"-"&RIGHT("0"&MONTH([Month]),2))'),
            ),
        }
        for label, score in (("Wins", 1), ("Draws", 0.5), ("Losses", 0)):
            count = f"COUNTIFS({POOL},Ledger[Score],{score:g}{_month_where('[Month]')})"
            fills[label] = Fill(
                [float(sum(self.rows[i].score == score for i in group)) for group in groups],
                layout.formula(f"IF([Month]=0,0,{count})"),
                "count",
            )
        return fills

    # Single figures

    @cached_property
    def recent(self) -> list[int]:
        """The shown pool's last 20 games."""
        return self.shown[-RECENT:]

    def figures(self) -> dict[str, Figure]:
        """Return formula, value and unit of every single figure of the Dashboard."""
        return self._rating_figures() | self._play_figures() | self._form_figures()

    def _some(self, formula: str, value: Callable[[], CellValue], unit: str) -> Figure:
        return f'IF({GAMES}=0,"",{formula})', value() if self.shown else "", unit

    def _rating_figures(self) -> dict[str, Figure]:
        cells, after = self.cells, self.cells.rule.label("rating_after")
        number = cells.shown_pool
        start = cells.pools.starts[number - 1]
        now = self._value("rating_after", self.shown[-1]) if self.shown else start["rating"]
        peak = float(cells.peaks[self.shown[-1]] or 0) if self.shown else 0.0
        typed = number_or(cells.pools.typed["Start rating"][number - 1], "")
        is_begun = typed != "" and float(typed or 0) >= peak - NEAR
        highest, peak_date = f"INDEX(Ledger[Best so far],{LAST})", f"INDEX(Ledger[Date],{PEAK})"
        published = "INDEX(Pools[Start rating],Pool_number)"
        begun = f"AND(ISNUMBER({published}),{published}>={highest}-{NEAR:f})"
        figures = {
            "current": ("INDEX(Pools[Rating now],Pool_number)", now, "points"),
            "total_change": self._some(
                "INDEX(Pools[Rating now],Pool_number)-INDEX(Pools[Starts at],Pool_number)",
                lambda: now - start["rating"],
                "points",
            ),
            "peak": self._some(highest, lambda: peak, "points"),
            "peak_date": self._some(
                f'IF({begun},"at the start",IF({peak_date}=0,"",{peak_date}))',
                lambda: "at the start" if is_begun else self.rows[self.peak_game].date or "",
                "date",
            ),
            "games": (GAMES, float(len(self.shown)), "count"),
            "unrated": (
                'SUMPRODUCT(1*(Ledger[Status]<>""))-COUNT(Ledger[Score])',
                float(sum(row.status not in {"", "rated"} for row in self.rows)),
                "count",
            ),
        }
        for window in (20, 100):
            mean = f'AVERAGEIFS(Ledger[{after}],Ledger[Key],">"&({LAST_KEY}-{window}),Ledger[Key],"<="&{LAST_KEY})'
            figures[f"average_{window}"] = self._some(mean, lambda window=window: self._mean(window), "points")  # type: ignore[misc]
        if cells.rule.has_rd:
            rd = self._value("rd_after", self.shown[-1]) if self.shown else start["rd"]
            figures["rd"] = ("INDEX(Pools[RD now],Pool_number)", rd, "points")
            both = "INDEX(Pools[Rating now],Pool_number){}1.96*INDEX(Pools[RD now],Pool_number)"
            figures["low"] = (both.format("-"), now - 1.96 * rd, "points")
            figures["high"] = (both.format("+"), now + 1.96 * rd, "points")
        return figures

    def _mean(self, window: int, last: int | None = None) -> CellValue:
        games = self.shown[max(0, (len(self.shown) if last is None else last) - window) : last]
        return average([self._value("rating_after", i) for i in games])

    def _play_figures(self) -> dict[str, Figure]:
        games, points = self.shown, self.points(self.shown)
        count = len(games)
        mean = f"AVERAGEIFS(Ledger[Opponent rating],{POOL})"
        total = f"SUMIFS(Ledger[Score],{POOL})"
        results = [f"COUNTIFS({POOL},Ledger[Score],{score})" for score in (1, 0)]
        expected = self.cells.rule.label("expected")
        percent = f"ROUND(100*{total}/{GAMES},0)"
        return {
            "score": self._some(f"{total}/{GAMES}", lambda: points / count, "share"),
            "expected_score": self._some(
                f"SUMIFS(Ledger[{expected}],{POOL})/{GAMES}", lambda: self.expected(games) / count, "share"
            ),
            "opponents": self._some(mean, lambda: self.opponents(games), "points"),
            "linear": self._some(
                f"{mean}+400*({results[0]}-{results[1]})/{GAMES}", lambda: self.linear(games), "points"
            ),
            "table": self._some(
                f"ROUND({mean},0)+INDEX(PerformanceTable[dp],{percent}+1)",
                lambda: float(table_performance(float(self.opponents(games) or 0), points, count)),
                "points",
            ),
            "exact": self._exact_figure("", games),
            "results": self._some(
                f'{results[0]}&" / "&({GAMES}-{results[0]}-{results[1]})&" / "&{results[1]}',
                lambda: " / ".join(str(sum(self.rows[i].score == s for i in games)) for s in (1, 0.5, 0)),
                "text",
            ),
        }

    def _form_figures(self) -> dict[str, Figure]:
        games, cells = self.recent, self.cells
        window = f'Ledger[Key],">"&({LAST_KEY}-{RECENT}),Ledger[Key],"<="&{LAST_KEY}'
        expected = cells.rule.label("expected")
        streaks = [float(cells.streaks[i] or 0) for i in self.shown]
        unbeaten = [float(cells.unbeaten[i] or 0) for i in self.shown]
        streak = f"INDEX(Ledger[Streak],{LAST})"

        def longest(column: str, function: str) -> str:
            return f"SUMPRODUCT({function}((Ledger[Rated pool]=Pool_number)*Ledger[{column}]))"

        def told() -> str:
            now = int(streaks[-1])
            return f"{now} won" if now > 0 else (f"{-now} lost" if now < 0 else "drew")

        return {
            "recent_score": self._some(
                f"AVERAGEIFS(Ledger[Score],{window})", lambda: self.points(games) / len(games), "share"
            ),
            "recent_expected": self._some(
                f"AVERAGEIFS(Ledger[{expected}],{window})", lambda: self.expected(games) / len(games), "share"
            ),
            "recent_linear": self._some(
                f"AVERAGEIFS(Ledger[Opponent rating],{window})+400*(2*AVERAGEIFS(Ledger[Score],{window})-1)",
                lambda: self.linear(games),
                "points",
            ),
            "recent_exact": self._exact_figure(" 20", games),
            "streak": self._some(
                f'IF({streak}>0,{streak}&" won",IF({streak}<0,-{streak}&" lost","drew"))', told, "text"
            ),
            "winning": self._some(longest("Streak", "MAX"), lambda: max(0.0, *streaks), "count"),
            "unbeaten": self._some(longest("Unbeaten", "MAX"), lambda: max(unbeaten), "count"),
            "losing": self._some(f"-{longest('Streak', 'MIN')}", lambda: -min(0.0, *streaks), "count"),
        }

    # Exact performance: a counted bisection

    def _exact_figure(self, suffix: str, games: Sequence[int]) -> Figure:
        last, points = f"INDEX(Exact[Middle{suffix}],{HALVINGS})", f"INDEX(Exact[Points{suffix}],1)"
        value: CellValue = ""
        if games and 0 < self.points(games) < len(games):
            value = self._bisection(games)[-1][2]
        count = f"MIN({RECENT},{GAMES})" if suffix else GAMES
        return f'IF({GAMES}=0,"",IF(OR({points}=0,{points}={count}),"",{last}))', value, "points"

    def _points_formula(self, suffix: str) -> str:
        if not suffix:
            return f"SUMIFS(Ledger[Score],{POOL})"
        return f'SUMIFS(Ledger[Score],Ledger[Key],">"&({LAST_KEY}-{RECENT}),Ledger[Key],"<="&{LAST_KEY})'

    def _bisection(self, games: Sequence[int]) -> list[tuple[float, float, float, float]]:
        ratings = [float(self.rows[i].opponent_rating or 0) for i in games]
        top = [float(self.rows[i].opponent_rating or 0) for i in self.shown]
        low, high, points = -FAR, max([0.0, *top]) + FAR, self.points(games)
        found = []
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            expects = sum(expected_score(middle, rating) for rating in ratings)
            found.append((low, high, middle, expects))
            low, high = (middle, high) if expects < points else (low, middle)
        return found

    def exact(self) -> Fills:
        """Return the fills of the bisection for the exact performances: of all games, and of the last 20."""
        fills = {"Round": Fill([float(i) for i in range(1, HALVINGS + 1)], unit="count")}
        columns = [
            f"{name}{suffix}" for suffix in ("", " 20") for name in ("Points", "Low", "High", "Middle", "Expects")
        ]
        layout = TableLayout("Exact", ["Round", *columns], self.cells.layout.first_row)
        recent = f"(Ledger[Key]>{LAST_KEY}-{RECENT})*(Ledger[Key]<={LAST_KEY})"
        for suffix, games, chosen in (
            ("", self.shown, "(Ledger[Rated pool]=Pool_number)"),
            (" 20", self.recent, recent),
        ):
            found = self._bisection(games)
            points = self.points(games)
            chance = f"1/(1+10^((Ledger[Opponent counted]-[Middle{suffix}])/400))"
            below = f"up[Expects{suffix}]<up[Points{suffix}]"
            highest = f"MAX(0,Ledger[Opponent counted])+{FAR:g}"
            total = self._points_formula(suffix)

            def some(formula: str) -> str:
                return f"IF({GAMES}=0,0,{formula})"

            values = list(zip(*found, strict=True))
            fills |= {
                f"Points{suffix}": Fill([points] * HALVINGS, layout.formula(some(total)), "number"),
                f"Low{suffix}": Fill(
                    values[0],
                    layout.formula(f"IF({below},up[Middle{suffix}],up[Low{suffix}])"),
                    "points",
                    first=f"-{FAR:g}",
                ),
                f"High{suffix}": Fill(
                    values[1],
                    layout.formula(f"IF({below},up[High{suffix}],up[Middle{suffix}])"),
                    "points",
                    first=highest,
                ),
                f"Middle{suffix}": Fill(values[2], layout.formula(f"([Low{suffix}]+[High{suffix}])/2"), "points"),
                f"Expects{suffix}": Fill(values[3], layout.formula(some(f"SUMPRODUCT({chosen}*{chance})")), "number"),
            }
        return fills

    # Best and worst

    def extremes(self, table: str, rows: int) -> Fills:
        """Return the fills of the wins over the highest (BestWins) or losses to the lowest rated (WorstLosses)."""
        layout = TableLayout(table, [], 0)
        best = table == "BestWins"
        score, sign, pick = (1, ">", "LARGE") if best else (0, "<", "SMALL")
        games = [i for i in self.shown if self.rows[i].score == score]
        games.sort(key=lambda i: float(self.cells.notable[i] or 0), reverse=best)
        games = games[:rows]
        row = f"MATCH({pick}(Ledger[Notable],[No.]),Ledger[Notable],0)"

        def column(label: str, values: Sequence[CellValue], unit: str = "text") -> Fill:
            shown = f"INDEX(Ledger[{label}],{row})"
            formula = f'IF([No.]>COUNTIF(Ledger[Notable],"{sign}0"),"",{shown})'
            return Fill([*values, *[""] * (rows - len(values))], layout.formula(formula), unit)

        return {
            "No.": Fill([float(i) for i in range(1, rows + 1)], unit="count"),
            "Opponent": column("Opponent", [self.rows[i].opponent for i in games]),
            "Rating": column("Opponent rating", [self.rows[i].opponent_rating for i in games], "points"),
            "Date": column("Date", [self.rows[i].date for i in games], "date"),
        }

    # Curves

    def curves(self) -> Fills:
        """Return the fills of the table that the chart of the shown pool draws: up to 200 games, evenly spaced."""
        cells, after = self.cells, self.cells.rule.label("rating_after")
        layout = TableLayout("Curves", [], 0)
        at = curve_games(len(self.shown), CURVE_POINTS)
        start = cells.pools.starts[cells.shown_pool - 1]
        initial, now = start["rating"], "INDEX(Pools[Starts at],Pool_number)"
        game = f"ROUND(1+([Point]-1)*({GAMES}-1)/{CURVE_POINTS - 1},0)"

        def of(values: Callable[[int], CellValue], otherwise: float) -> list[CellValue]:
            return [values(g) if g else otherwise for g in at]

        def mean(window: int) -> str:
            key = f"({PART}*Pool_number+[Game])"
            return f'AVERAGEIFS(Ledger[{after}],Ledger[Key],">"&({key}-{window}),Ledger[Key],"<="&{key})'

        fills = {
            "Point": Fill([float(i) for i in range(1, CURVE_POINTS + 1)], unit="count"),
            "Game": Fill([float(g) for g in at], layout.formula(f"IF({GAMES}=0,0,{game})"), "count"),
            "Row": Fill(
                of(lambda g: self.shown[g - 1] + 1.0, 0.0),
                layout.formula(f"IF([Game]=0,0,MATCH({PART}*Pool_number+[Game],Ledger[Key],0))"),
                "count",
            ),
            "Rating": Fill(
                of(lambda g: self._value("rating_after", self.shown[g - 1]), initial),
                layout.formula(f"IF([Game]=0,{now},INDEX(Ledger[{after}],[Row]))"),
                "points",
            ),
        }
        for window in (20, 100):
            fills[f"Average of {window}"] = Fill(
                of(lambda g, window=window: self._mean(window, g), initial),  # type: ignore[misc]
                layout.formula(f"IF([Game]=0,{now},{mean(window)})"),
                "points",
            )
        if cells.rule.has_rd:
            rd = f"INDEX(Ledger[{cells.rule.label('rd_after')}],[Row])"
            for label, sign in (("Lower", -1), ("Upper", 1)):
                values = of(
                    lambda g, sign=sign: self._band(self.shown[g - 1], sign),  # type: ignore[misc]
                    initial + sign * 1.96 * start["rd"],
                )
                first = f"{now}{'+' if sign > 0 else '-'}1.96*INDEX(Pools[RD starts at],Pool_number)"
                fills[label] = Fill(
                    values,
                    layout.formula(f"IF([Game]=0,{first},[Rating]{'+' if sign > 0 else '-'}1.96*{rd})"),
                    "points",
                )
        return fills

    def _band(self, i: int, sign: int) -> float:
        return self._value("rating_after", i) + sign * 1.96 * self._value("rd_after", i)

    def pool_lines(self) -> Fills:
        """Return the fills of the table behind the chart of all pools: each pool's line over the games of all."""
        cells, after = self.cells, self.cells.rule.label("rating_after")
        layout = TableLayout("PoolLines", [], 0)
        fills = {"Point": Fill([float(i) for i in range(1, LINE_POINTS + 1)], unit="count")}
        shown_now = self._value("rating_after", self.shown[-1]) if self.shown else None
        for number in range(1, len(cells.pools.names) + 1):
            games = cells.games_of(number)
            at = curve_games(len(games), LINE_POINTS)
            count = f"INDEX(Pools[Games],{number})"
            game = f"ROUND(1+([Point]-1)*({count}-1)/{LINE_POINTS - 1},0)"
            row = f"[Row {number}]"
            # A pool without games is a point on the line that is shown, so that it moves no axis.
            nothing = cells.pools.starts[cells.shown_pool - 1]["rating"] if shown_now is None else shown_now
            fills |= {
                f"Row {number}": Fill(
                    [games[g - 1] + 1.0 if g else 0.0 for g in at],
                    layout.formula(f"IF({count}=0,0,MATCH({number * PART}+{game},Ledger[Key],0))"),
                    "count",
                ),
                f"Game {number}": Fill(
                    [cells.so_far[games[g - 1]] if g else 0.0 for g in at],
                    layout.formula(f"IF({row}=0,0,INDEX(Ledger[Games so far],{row}))"),
                    "count",
                ),
                f"Rating {number}": Fill(
                    [self._value("rating_after", games[g - 1]) if g else nothing for g in at],
                    layout.formula(f"IF({row}=0,INDEX(Pools[Rating now],Pool_number),INDEX(Ledger[{after}],{row}))"),
                    "points",
                ),
            }
        return fills


def month_start(day: float) -> float:
    """Return the first day of a serial day's month, 0 for an unknown one."""
    if not day:
        return 0.0
    when = EPOCH + timedelta(days=int(day))
    return float((when.replace(day=1) - EPOCH).days)


def shifted(month: float, count: int) -> float:
    """Return the first day of the month so many months later; `month` is a first day."""
    when = EPOCH + timedelta(days=int(month))
    number = 12 * when.year + when.month - 1 + count
    return float((date(number // 12, number % 12 + 1, 1) - EPOCH).days)


def _month_name(start: float) -> str:
    return (EPOCH + timedelta(days=int(start))).strftime("%Y-%m") if start else ""


def _month_where(month: str) -> str:
    return f',Ledger[Date],">="&{month},Ledger[Date],"<"&EDATE({month},1)'
