"""DWZ's own performances (*Turnierleistung*) in an event's sheets: of every player, and of the one who is pasted.

No formula gives them at once: a sheet closes in on them, as that of newcomers does. Its last row is the pasted player.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from elo_sheets.odds.performance import exact_performance
from elo_sheets.ops import exp, log, round_half_away
from elo_sheets.systems import dwz
from elo_sheets.workbook.event_games import Event, Table, number
from elo_sheets.workbook.event_newcomers import DWZ, TRIED, DwzNewcomers, Shown
from elo_sheets.workbook.plan import CellValue

_KEPT = ("newcomer_average", "newcomer_solved", "newcomer_surplus", "newcomer_slope", "newcomer_closer")
_ENDS = {"tried:performance"}


def performance_of(event: Event, opponents: Sequence[float], score: float) -> float | None:
    """Return the performance in four decimals, None at 0 and 100 per cent; the curve is that of the settings."""
    if event.settings["expectancy"] != "normal":
        exact = exact_performance(opponents, score)
        return None if exact is None else float(round_half_away(exact, dwz.PERFORMANCE_DIGITS))
    solved = dwz.performance(opponents, score, float(event.settings["spread"]))
    return None if solved is None else float(round_half_away(solved[0], dwz.PERFORMANCE_DIGITS))


class DwzPerformances(DwzNewcomers):
    """The tables; `pasted` are the opponents and the points of the pasted player's rows, None for one that is none."""

    people, met = "Performances", "MetGames"

    def __init__(
        self, event: Event, ledger: Table, ratings: Table, pasted: Sequence[tuple[float, float] | None]
    ) -> None:
        self.event, self.ledger, self.ratings, self.pasted = event, ledger, ratings, pasted
        count = ratings.rows + 1
        mine = [self._rows_of(i) for i in range(ratings.rows)]
        found = [[number(ledger["ledger_opponent_rating"][r]) for r in rows] for rows in mine]
        points = [sum(number(ledger["ledger_points"][r]) for r in rows) for rows in mine]
        counted = [row for row in pasted if row is not None]
        self.against = [*found, [opponent for opponent, _ in counted]]
        self.scored = [*points, sum(score for _, score in counted)]
        self.solutions = [performance_of(event, *one) for one in zip(self.against, self.scored, strict=True)]
        self.columns = {
            **_people(),
            **{role: one for role, one in DWZ.items() if role.startswith("within") or role in _KEPT},
        }
        self.columns["newcomer_performance"] = DWZ["newcomer_performance"]
        self.table = Table(self.people, {role: one.label for role, one in self.columns.items()}, count)
        self.games_shown = _games()
        labels = {role: one.label for role, one in self.games_shown.items()}
        self.games = Table(self.met, labels, ledger.rows + len(pasted))
        self._curve()
        self._numbers()
        self._met()
        self._close_in()
        self._performance(lambda i: self.solutions[i])

    def _rows_of(self, i: int) -> list[int]:
        event = self.event
        return [r for r in event.rows_of(event.ids[i]) if event.counts(r) or event.first(r)]

    @property
    def is_new(self) -> bool:
        """No draw is added to a performance, whichever the rules."""
        return False

    def opponents(self, i: int) -> list[float]:
        return self.against[i]

    def is_player(self, i: int) -> bool:
        return True

    def is_solved(self, i: int) -> bool:
        return self.solutions[i] is not None

    def solved(self, role: str, formula: str, value: Callable[[int], CellValue], unit: str = "points") -> None:
        """Add a column that is empty without a performance; for TEXT see `layout.UNRATED`."""
        guarded = f'IF(TEXT([Solved],"0")="0","",{formula})'
        self.table.add(role, guarded, lambda i: value(i) if self.is_solved(i) else "", unit)

    @property
    def digits(self) -> tuple[int, int]:
        return super().digits if self.event.settings["expectancy"] == "normal" else (12, 6)

    def _target(self, i: int) -> float:
        return self.scored[i]

    def _chance(self, rating: float, opponent: float) -> float:
        if self.event.settings["expectancy"] == "normal":
            return super()._chance(rating, opponent)
        return float(1 / (1 + exp((opponent - rating) * log(10.0) / 400)))

    def _chance_of(self, difference: str) -> str:
        if self.event.settings["expectancy"] == "normal":
            return super()._chance_of(difference)
        return f"1/(1+EXP(-({difference})*LN(10)/400))"

    def _numbers(self) -> None:
        table, last = self.table, self.table.rows - 1
        table.constants("newcomer_row", [float(i + 1) for i in range(table.rows)], "count")

        def either(column: str, pasted: str) -> str:
            return f"IF([Row]>ROWS(Ratings[No.]),N({pasted}),N(INDEX(Ratings[{column}],MIN([Row],ROWS(Ratings[No.])))))"

        ratings = "INDEX(Ratings[Name],MIN([Row],ROWS(Ratings[No.])))"
        table.add(
            "newcomer_name",
            f'IF([Row]>ROWS(Ratings[No.]),"(pasted)",{ratings})',
            lambda i: "(pasted)" if i == last else self.event.names[i],
            "text",
        )
        games = [float(len(one)) for one in self.against]
        table.add("newcomer_games", either("Met", "Paste_period_games"), lambda i: games[i])
        table.add("newcomer_score", either("Points met", "Paste_period_score"), lambda i: self.scored[i], "number")
        means = [sum(one) / len(one) if one else 0.0 for one in self.against]
        table.add("newcomer_average", either("Average met", "Paste_rc"), lambda i: means[i], "points")
        table.add("newcomer_solved", "IF(AND([W]>0,[W]<[n]),1,0)", lambda i: float(self.is_solved(i)))

    def _met(self) -> None:
        games, ledger = self.games, self.ledger
        games.constants("first_number", [float(j + 1) for j in range(games.rows)], "count")
        met: dict[int, int] = {r: i for i in range(self.ratings.rows) for r in self._rows_of(i)}

        def player(j: int) -> int | None:
            i = met.get(j) if j < ledger.rows else (self.table.rows - 1 if self.pasted[j - ledger.rows] else None)
            return i if i is not None and self.is_solved(i) else None

        self.newcomer = player
        row, pasted = "MIN([No.],ROWS(Ledger[Game]))", "MAX(1,[No.]-ROWS(Ledger[Game]))"
        counts = f"INDEX(Ledger[Counted],{row})+INDEX(Ledger[First],{row})"
        games.add(
            "first_player",
            f'IF([No.]>ROWS(Ledger[Game]),IF(AND(Paste_status="ready",ISNUMBER(INDEX(Paste[Score],{pasted}))),'
            "ROWS(Performances[Row]),0),"
            f"IF({counts}>0,INDEX(Ledger[Player no.],{row}),0))",
            lambda j: (
                float(met[j] + 1 if j in met else 0)
                if j < ledger.rows
                else float(self.table.rows if self.pasted[j - ledger.rows] else 0)
            ),
        )
        games.add(
            "first_newcomer",
            "IF([Player no.]=0,0,[Player no.]*INDEX(Performances[Solved],[Player no.]))",
            lambda j: 0.0 if player(j) is None else float((player(j) or 0) + 1),
        )

        def rating(j: int) -> CellValue:
            if player(j) is None:
                return ""
            one = self.pasted[j - ledger.rows] if j >= ledger.rows else None
            return one[0] if one else ledger["ledger_opponent_rating"][j]

        games.add(
            "first_opponent",
            f'IF([Newcomer]=0,"",IF([No.]>ROWS(Ledger[Game]),INDEX(Paste[Opponent],{pasted}),'
            f"INDEX(Ledger[Opponent rating],{row})))",
            rating,
            "points",
        )

    @property
    def checks(self) -> dict[str, tuple[str, CellValue, str]]:
        return {}


def _people() -> dict[str, Shown]:
    return {
        "newcomer_row": Shown("Row", "integer", 6),
        "newcomer_name": Shown("Name", "name", 27, "The player; the last row is the one of the sheet Paste."),
        "newcomer_games": Shown("n", "integer", 7, "Games against rated opponents."),
        "newcomer_score": Shown("W", "number", 7, "Points in them."),
    }


def _games() -> dict[str, Shown]:
    found = {
        "first_number": Shown("No.", "integer", 6),
        "first_player": Shown("Player no.", "helper", 11, "The row on Performances of who played; 0 for no game."),
        "first_newcomer": Shown("Newcomer", "helper", 11, "The same; 0 where there is no performance."),
        "first_opponent": Shown("Rc", "whole", 9, "The opponent's rating before the event."),
    }
    return found | {role: Shown(one[2], "quiet", 11) for role, one in TRIED.items() if role not in _ENDS}


def shown(event: Event, ledger: Table, ratings: Table) -> list[CellValue]:
    """Return the performance of each row of Ratings, as evaluations print it, "" where there is none."""
    found: list[CellValue] = []
    for i in range(ratings.rows):
        rows = [r for r in event.rows_of(event.ids[i]) if event.counts(r) or event.first(r)]
        opponents = [number(ledger["ledger_opponent_rating"][r]) for r in rows]
        solved = performance_of(event, opponents, sum(number(ledger["ledger_points"][r]) for r in rows))
        found.append("" if solved is None else float(round_half_away(solved)))
    return found


def shown_of(row: str) -> str:
    """Return the formula of the same for a row of the table."""
    return f'IF(INDEX(Performances[Solved],{row})=0,"",ROUND(INDEX(Performances[Performance],{row}),0))'
