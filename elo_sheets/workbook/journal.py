"""The journal's cells: each structural formula beside the Python that gives its value.

The Log is what the owner types, the Ledger what the rule makes of it, row by row. The Log shows the Ledger's
results; the Ledger reads the Log by position, so that rows of the Log can be inserted, deleted and sorted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from elo_sheets.expr import Ref
from elo_sheets.formula import to_formula
from elo_sheets.performance import linear_performance, table_performance
from elo_sheets.replay import replay_journal
from elo_sheets.systems import System, lines
from elo_sheets.workbook.layout import UNRATED, TableLayout, average, number_or, rule_formula, step_unit, text_of
from elo_sheets.workbook.plan import CellValue, Fill

if TYPE_CHECKING:
    import pandas as pd

INPUTS = ("Date", "Opponent", "Opponent rating", "Colour", "Result", "Event")
SCORES = {"win": 1.0, "draw": 0.5, "loss": 0.0}
RESULTS = {1.0: "Win", 0.5: "Draw", 0.0: "Loss"}
CURVE_POINTS = 200

# The results of the Ledger that the Log shows beside each game.
SHOWN = ("rating", "expected", "k_used", "change", "rating_after")


@dataclass(frozen=True)
class JournalInputs:
    """What the owner typed: a list for each input column of the Log, all of one length."""

    log: Mapping[str, Sequence[CellValue]]

    @property
    def rows(self) -> int:
        """Number of rows of the Log."""
        return len(self.log["Date"])


def inputs_from_games(games: pd.DataFrame, rows: int) -> JournalInputs:
    """Return the Log of a player's games (the table of `replay.journal_games`), with empty rows up to `rows`."""
    from elo_sheets.periods import serial_days

    dates: list[CellValue] = [day or None for day in serial_days(games["date"]).tolist()]
    ratings: list[CellValue] = [None if r != r else r for r in games["opponent_rating"].tolist()]
    log: dict[str, list[CellValue]] = {
        "Date": dates,
        "Opponent": list(games["opponent"]),
        "Opponent rating": ratings,
        "Colour": list(games["colour"].str.capitalize()),
        "Result": list(games["score"].map(RESULTS)),
        "Event": [event or None for event in games["event"].tolist()],
    }
    spare: list[CellValue] = [None] * (rows - len(games))
    return JournalInputs({label: values + spare for label, values in log.items()})


@dataclass(frozen=True)
class _Row:
    """One row of the Ledger as the sheet reads it from the Log."""

    date: float
    opponent: str
    colour: str
    result: str
    opponent_rating: CellValue
    status: str
    score: CellValue


def _read_rows(inputs: JournalInputs, count: int, dated: bool) -> list[_Row]:
    rows = []
    for i in range(count):
        cell = {label: values[i] if i < inputs.rows else None for label, values in inputs.log.items()}
        date = number_or(cell["Date"], 0.0)
        opponent, result = text_of(cell["Opponent"]), text_of(cell["Result"])
        rating = number_or(cell["Opponent rating"], "")
        score = SCORES.get(result.lower())
        if opponent == "" and result == "" and rating == "":
            status = ""
        elif rating == "":
            status = "no opponent rating"
        elif score is None:
            status = "no result"
        else:
            status = "no date" if dated and date == 0 else "rated"
        rated = status == "rated" and score is not None
        rows.append(
            _Row(
                float(date or 0),
                opponent,
                text_of(cell["Colour"]),
                result,
                rating,
                status,
                score if rated else "",
            )
        )
    return rows


def _games(rows: Sequence[_Row]) -> pd.DataFrame:
    import pandas as pd

    rated = [(i, row) for i, row in enumerate(rows, 1) if row.score != ""]
    days = pd.Series([row.date for _, row in rated], dtype="float64")
    return pd.DataFrame(
        {
            "game": [i for i, _ in rated],
            "date": pd.to_datetime(days.where(days > 0), unit="D", origin="1899-12-30"),
            "player": "owner",
            "opponent": [row.opponent for _, row in rated],
            "colour": [row.colour.lower() for _, row in rated],
            "score": [row.score for _, row in rated],
            "opponent_rating": [row.opponent_rating for _, row in rated],
            "source": "Log",
            "source_row": [i for i, _ in rated],
        }
    ).astype({"game": "int64", "source_row": "int64", "score": "float64", "opponent_rating": "float64"})


class JournalCells:
    """Every fill and figure of a journal, from its inputs."""

    def __init__(
        self,
        system: System,
        settings: Mapping[str, Any],
        cells: Mapping[str, str],
        inputs: JournalInputs,
        ledger_rows: int,
        ledger_labels: Sequence[str],
        header_row: int,
    ) -> None:
        self.system, self.settings, self.setting_cells = system, settings, cells
        self.monthly = settings["period"] == "month"
        self.inputs = inputs
        self.ledger_rows = ledger_rows
        self.rows = _read_rows(inputs, ledger_rows, dated=self._needs_date())
        self.history = replay_journal(_games(self.rows), system, settings).history
        self.layout = TableLayout("Ledger", ledger_labels, header_row)
        self.rule = self._rule_values()

    def _needs_date(self) -> bool:
        return self.monthly or "date" in self.system.reads

    # The Ledger

    def _rule_names(self) -> list[str]:
        return journal_rule_names(self.system)

    def _rule_values(self) -> dict[str, list[CellValue]]:
        """Return a list for each rule column, unrated rows filled as the formulas leave them."""
        names = self._rule_names()
        states = {state.name: float(self.settings[state.initial]) for state in self.system.state}
        carried = {name: 0.0 for name in names if name.startswith("period")}
        afters = {f"{name}_after": value for name, value in states.items()}
        columns: dict[str, list[CellValue]] = {name: [] for name in names}
        played = iter(self.history.to_dict("records"))
        previous: dict[str, CellValue] = {**states, **carried, **afters}
        for game, row in enumerate(self.rows, 1):
            if row.score == "":
                now: dict[str, CellValue] = dict.fromkeys(names, "")
                now |= {name: previous[name] for name in (*carried, *afters, *states)}
            else:
                record = next(played)
                now = {name: record.get(name, 0.0) for name in names}
                if "year" in now:
                    now["year"] = record["date"].year if row.date else 0
                day = record["date"]
                now["period"] = day.year * 100 + day.month if self.monthly else game
            for name, value in now.items():
                columns[name].append(value)
            previous = {**previous, **now}
        return columns

    @cached_property
    def ledger(self) -> dict[str, Fill]:
        """Return the fill of every role of the Ledger."""
        rows = self.rows
        score = [row.score for row in rows]
        so_far: list[CellValue] = [float(count) for count in accumulate(value != "" for value in score)]
        after = self.rule["rating_after"]
        rated = [r if s != "" else "" for r, s in zip(after, score, strict=True)]
        averages = [
            average([r for r in rated[max(0, i - 19) : i + 1] if r != ""]) if score[i] != "" else ""
            for i in range(len(rows))
        ]
        fills = {
            "ledger_game": Fill([float(i) for i in range(1, self.ledger_rows + 1)], unit="count"),
            "ledger_date": self._fill(self._from_log("Date", "0", "N({})"), [r.date for r in rows], "date"),
            "ledger_opponent": self._fill(self._from_log("Opponent"), [r.opponent for r in rows]),
            "ledger_colour": self._fill(self._from_log("Colour"), [r.colour for r in rows]),
            "ledger_result": self._fill(self._from_log("Result"), [r.result for r in rows]),
            "ledger_opponent_rating": self._fill(
                self._from_log("Opponent rating", '""', 'IF(ISNUMBER({0}),{0},"")'),
                [r.opponent_rating for r in rows],
                "points",
            ),
            "ledger_status": self._fill(self._status(), [r.status for r in rows]),
            "score": self._fill(
                'IF([Status]<>"rated","",IF([Result]="Win",1,IF([Result]="Draw",0.5,0)))', score, "share"
            ),
            "games_so_far": self._fill('N(up[Games so far])+IF([Score]="",0,1)', so_far, "count"),
            "rated_rating": self._fill('IF([Score]="","",[Rating after])', rated, "points"),
            "ledger_average": self._fill('IF([Score]="","",AVERAGE(last20[Rating of game]))', averages, "points"),
            "win_over": self._fill(
                'IF([Score]=1,[Opponent rating],"")',
                [r.opponent_rating if r.score == 1 else "" for r in rows],
                "points",
            ),
        }
        formulas = self._rule_formulas()
        for name, values in self.rule.items():
            fills[f"step:{name}"] = self._fill(formulas[name], values, step_unit(name))
        return fills

    def _fill(self, notation: str, values: Sequence[CellValue], unit: str = "text") -> Fill:
        return Fill(values, self.layout.formula(notation), unit)

    def _from_log(self, label: str, missing: str = '""', reading: str = '{}&""') -> str:
        cell = f"INDEX(Log[{label}],[Game])"
        return f"IF([Game]>ROWS(Log[{label}]),{missing},{reading.format(cell)})"

    def _status(self) -> str:
        results = 'OR([Result]="Win",[Result]="Draw",[Result]="Loss")'
        rated = '"rated"'
        if self._needs_date():
            rated = 'IF([Date]=0,"no date","rated")'
        empty = 'AND([Opponent]="",[Result]="",[Opponent rating]="")'
        return f'IF({empty},"",IF([Opponent rating]="","no opponent rating",IF({results},{rated},"no result")))'

    def _references(self) -> dict[str, str]:
        own = {name: f"[{self.system.label(name)}]" for name in self._rule_names()}
        own |= {p.name: self.setting_cells[p.name] for p in self.system.parameters if p.name != "period"}
        own |= {"opponent_rating": "[Opponent rating]", "score": "[Score]", "date": "[Date]"}
        own |= {"side": 'IF([Colour]="black",-1,1)', "neutral": "0"}
        return own

    def _rule_formulas(self) -> dict[str, str]:
        system, label, references = self.system, self.system.label, self._references()
        steps = {line.name: line for line in system.lines}
        initial = {state.name: self.setting_cells[state.initial] for state in system.state}
        found: dict[str, str] = {}
        for name in self._rule_names():
            if name in initial:
                before, after = f"up[{label(name)}]", f"up[{label(name + '_after')}]"
                found[name] = f"IF([Game]=1,{initial[name]},IF([Period]=N(up[Period]),{before},{after}))"
            elif name == "period":
                period = "100*YEAR([Date])+MONTH([Date])" if self.monthly else "[Game]"
                found[name] = f"IF({UNRATED},N(up[Period]),{period})"
            elif name == "year":
                found[name] = f'IF({UNRATED},"",IF([Date]=0,0,YEAR([Date])))'
            elif name.startswith("period_"):
                own = "1" if name == "period_games" else f"[{label(name.removeprefix('period_'))}]"
                sofar = f"N(up[{label(name)}])"
                found[name] = f"IF({UNRATED},{sofar},IF([Period]=N(up[Period]),{sofar},0)+{own})"
            else:
                rule = rule_formula(steps[name], references)
                blank = '""'
                if name.endswith("_after") and name.removesuffix("_after") in initial:
                    blank = f"IF([Game]=1,{initial[name.removesuffix('_after')]},up[{label(name)}])"
                found[name] = f"IF({UNRATED},{blank},{rule})"
        return found

    # The Log

    def log(self) -> dict[str, Fill]:
        """Return the fill of every role of the Log."""
        count = self.inputs.rows
        shown = [self.rows[i] if i < self.ledger_rows else None for i in range(count)]
        status: list[CellValue] = []
        for i, row in enumerate(shown):
            typed = text_of(self.inputs.log["Opponent"][i])
            status.append(row.status if row else ("beyond the Ledger" if typed else ""))
        averages = self.ledger["ledger_average"].values
        layout = TableLayout("Log", ["Game", *INPUTS, "Status"], self.layout.first_row)

        def result(label: str, values: Sequence[CellValue], unit: str) -> Fill:
            formula = layout.formula(f'IF({UNRATED},"",INDEX(Ledger[{label}],[Game]))')
            return Fill([values[i] if s == "rated" else "" for i, s in enumerate(status)], formula, unit)

        fills = {
            "number": Fill([float(i) for i in range(1, count + 1)], f"ROW()-ROW($A${self.layout.first_row})", "count"),
            "status": Fill(
                status,
                layout.formula(
                    'IF([Game]>ROWS(Ledger[Game]),IF([Opponent]="","","beyond the Ledger"),'
                    "INDEX(Ledger[Status],[Game]))"
                ),
            ),
            "average": result("Average of 20", averages, "points"),
        }
        for label in INPUTS:
            fills[label.lower().replace(" ", "_")] = Fill(self.inputs.log[label])
        for name in SHOWN:
            fills[name] = result(self.system.label(name), self.rule[name], step_unit(name))
        return fills

    # The Dashboard

    def figures(self) -> dict[str, tuple[str, CellValue, str]]:
        """Return formula, value and unit of every single figure."""
        rated = [row for row in self.rows if row.score != ""]
        after = self.rule["rating_after"]
        now, first = after[-1], float(self.settings["initial"])
        wins = [(float(r.opponent_rating or 0), r) for r in rated if r.score == 1]
        best = max(wins, key=lambda pair: pair[0])[1] if wins else None
        initial = self.setting_cells["initial"]
        average_values = [a for a in self.ledger["ledger_average"].values if a != ""]
        last_row = "MATCH(COUNT(Ledger[Score]),Ledger[Games so far],0)"
        best_row = "MATCH(MAX(Ledger[Win over]),Ledger[Win over],0)"

        def if_any(column: str, formula: str) -> str:
            return f'IF(COUNT(Ledger[{column}])=0,"",{formula})'

        reached = [float(r or 0) for r, row in zip(after, self.rows, strict=True) if row.score != ""]
        highest: CellValue = max(reached, default="")
        return {
            "current": ("INDEX(Ledger[Rating after],ROWS(Ledger[Rating after]))", now, "points"),
            "total_change": (
                f"INDEX(Ledger[Rating after],ROWS(Ledger[Rating after]))-{initial}",
                float(now or 0) - first,
                "points",
            ),
            "peak": (if_any("Score", "MAX(Ledger[Rating of game])"), highest, "points"),
            "last_average": (
                if_any("Score", f"INDEX(Ledger[Average of 20],{last_row})"),
                average_values[-1] if average_values else "",
                "points",
            ),
            "games": ("COUNT(Ledger[Score])", float(len(rated)), "count"),
            "unrated": (
                'SUMPRODUCT(1*(Ledger[Status]<>""))-COUNT(Ledger[Score])',
                float(sum(row.status.startswith("no") for row in self.rows)),
                "count",
            ),
            "best_rating": (
                if_any("Win over", "MAX(Ledger[Win over])"),
                best.opponent_rating if best else "",
                "points",
            ),
            "best_opponent": (
                if_any("Win over", f"INDEX(Ledger[Opponent],{best_row})"),
                best.opponent if best else "",
                "text",
            ),
            "best_date": (
                if_any("Win over", f'IF(INDEX(Ledger[Date],{best_row})=0,"",INDEX(Ledger[Date],{best_row}))'),
                (best.date or "") if best else "",
                "date",
            ),
        }

    def by_colour(self, colour: str, cell: Mapping[str, str]) -> list[tuple[str, CellValue, str, str]]:
        """Return formula, value, unit and style of one row of the table by colour; empty `colour` means all.

        `cell` gives the addresses of the row's own cells by column name.
        """
        rows = [
            (row, expected)
            for row, expected in zip(self.rows, self.rule["expected"], strict=True)
            if row.score != "" and (not colour or row.colour.lower() == colour.lower())
        ]
        scores = [float(row.score or 0) for row, _ in rows]
        games, points = len(rows), sum(scores)
        mean = average([float(row.opponent_rating or 0) for row, _ in rows])
        wins, losses = scores.count(1.0), scores.count(0.0)
        where = f',Ledger[Colour],"{colour}"' if colour else ""

        def total(column: str) -> str:
            return f"SUMIFS(Ledger[{column}]{where})" if colour else f"SUM(Ledger[{column}])"

        def some(formula: str) -> str:
            return f'IF({cell["Games"]}=0,"",{formula})'

        counts = [(f"COUNTIFS(Ledger[Score],{score:g}{where})", scores.count(score)) for score in (1, 0.5, 0)]
        mean_formula = f'AVERAGEIFS(Ledger[Opponent rating],Ledger[Status],"rated"{where})'
        linear = [cell[name] for name in ("Opponents", "Wins", "Losses", "Games")]
        percent = f"ROUND(100*({cell['Wins']}+{cell['Draws']}/2)/{cell['Games']},0)"
        return [
            (f'COUNTIFS(Ledger[Status],"rated"{where})', float(games), "count", "integer"),
            *((formula, float(n), "count", "integer") for formula, n in counts),
            (some(f"{total('Score')}/{cell['Games']}"), points / games if games else "", "share", "percent"),
            (
                some(f"{total('Expected')}/{cell['Games']}"),
                sum(float(e or 0) for _, e in rows) / games if games else "",
                "share",
                "percent",
            ),
            (some(mean_formula), mean, "points", "points"),
            (
                some(to_formula(linear_performance(*map(Ref, linear)))),
                linear_performance(float(mean or 0), wins, losses, games) if games else "",
                "points",
                "points",
            ),
            (
                some(f"ROUND({cell['Opponents']},0)+INDEX(PerformanceTable[dp],{percent}+1)"),
                table_performance(float(mean or 0), points, games) if games else "",
                "points",
                "points",
            ),
        ]

    def curves(self) -> dict[str, Fill]:
        """Return the fills of the table that the charts draw: up to 200 games, evenly spaced."""
        rated = [i for i, row in enumerate(self.rows) if row.score != ""]
        averages = self.ledger["ledger_average"].values
        count = len(rated)
        at = curve_games(count, CURVE_POINTS)
        layout = TableLayout("Curves", ["Point", "Game", "Rating", "Average of 20"], self.layout.first_row)
        row = "MATCH([Game],Ledger[Games so far],0)"
        initial = float(self.settings["initial"])
        start = self.setting_cells["initial"]
        after = self.rule["rating_after"]
        return {
            "point": Fill([float(i) for i in range(1, CURVE_POINTS + 1)], unit="count"),
            "game": Fill(
                [float(g) for g in at],
                layout.formula(
                    f"IF(COUNT(Ledger[Score])=0,0,ROUND(1+([Point]-1)*(COUNT(Ledger[Score])-1)/{CURVE_POINTS - 1},0))"
                ),
                "count",
            ),
            "rating": Fill(
                [after[rated[g - 1]] if g else initial for g in at],
                layout.formula(f"IF([Game]=0,{start},INDEX(Ledger[Rating after],{row}))"),
                "points",
            ),
            "average": Fill(
                [averages[rated[g - 1]] if g else initial for g in at],
                layout.formula(f"IF([Game]=0,{start},INDEX(Ledger[Average of 20],{row}))"),
                "points",
            ),
        }


def journal_rule_names(system: System) -> list[str]:
    """Return the names of the rule's columns of a journal's Ledger, in order.

    A game that closes its own period has the columns of one all the same: one layout for every period, and one
    that LibreOffice 7.4 computes from any cell on, where the shorter chain of rating and change alone made it
    report a circular reference.
    """
    names = ["year"] if "year" in system.reads else []
    names += ["period", *(state.name for state in system.state)]
    names += [step.__name__ for step in system.game]
    names += [f"period_{name}" for name in system.sums] + ["period_games"]
    return names + [line.name for line in lines(system.closing)]


def curve_games(count: int, points: int) -> list[int]:
    """Return which games the points of a curve show: from the first to the last, evenly spaced, rounded half up."""
    if count == 0:
        return [0] * points
    return [int(1 + i * (count - 1) / (points - 1) + 0.5) for i in range(points)]
