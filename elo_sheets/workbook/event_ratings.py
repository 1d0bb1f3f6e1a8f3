"""An event's sheets Ratings and Rounds, and what the rule adds to the Ledger.

Each formula stands beside the Python that gives its value; the rule's columns are the traced steps of the federation's
system.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

from elo_sheets.expr import Ref
from elo_sheets.formula import to_formula
from elo_sheets.odds.performance import linear_performance, table_performance
from elo_sheets.ops import round_half_away
from elo_sheets.systems import Line, lines
from elo_sheets.systems._system import EXCEL_EPOCH
from elo_sheets.workbook import event_performances as performances
from elo_sheets.workbook.event_games import Event, Table, number
from elo_sheets.workbook.event_newcomers import FEDERATIONS, Newcomers, newcomers
from elo_sheets.workbook.facts import step_unit
from elo_sheets.workbook.layout import column_text, trimmed
from elo_sheets.workbook.plan import CellValue, Fill

# Closing steps that only the next event would read.
CARRIED = {"games_after", "peak_after", "index_after"}

# What the sheets call the columns of a rule, where the system's own label would not do in an event.
LABELS = {
    "change": "Change",
    "period_delta": "Sum ΔR",
    "period_rated": "Rated games",
    "games": "Games before",
    "peak": "Highest before",
    "born": "Born",
    "rating_after": "Rating after",
}

DAY, YEAR = "Event_day", "Event_year"

# Places of the sort key: Buchholz in half points, Sonneborn-Berger in quarters, the order of Players.
PLACES = 10_000


def k_style(event: Event) -> str:
    """Return how a coefficient looks: FIDE's is a whole number."""
    return "number" if event.rules.name == "fide" else "decimal"


def always(value: Any) -> Callable[[int], Any]:
    """Return what reads the same value in every row."""
    return lambda i: value


def label(event: Event, name: str) -> str:
    """Return the header of a rule's column."""
    return LABELS.get(name, event.rules.label(name))


def game_steps(event: Event) -> list[str]:
    """Return the names of the rule's columns in the Ledger."""
    return [line.name for line in lines(event.rules.game)]


def by_rule(name: str) -> str:
    """Return the role of what the rule gives for a step for which something else may be typed."""
    return f"by rule:{name}"


def closing_lines(event: Event) -> list[Line]:
    """Return the rule's columns in Ratings."""
    return [line for line in lines(event.rules.closing) if line.name not in CARRIED]


def rating_steps(event: Event) -> list[str]:
    """Return the names of the rule's columns in Ratings, the sums of the Ledger first."""
    sums = [f"period_{name}" for name in event.rules.sums if name not in {"score", "expected"}]
    return sums + [line.name for line in closing_lines(event)]


class Ratings:
    """The computed tables of an event whose rule is made of steps."""

    def __init__(self, event: Event, ledger: Table, ratings: Table) -> None:
        self.event, self.ledger, self.ratings = event, ledger, ratings
        self.constants: dict[str, tuple[str, Any]] = {
            "date": (DAY, event.day),
            "year": (YEAR, float(year_of(event.day))),
        }
        for parameter in event.rules.parameters:
            self.constants.setdefault(parameter.name, (parameter.cell, event.settings[parameter.name]))

    def build(self) -> None:
        """Add every column, in the order in which they are read."""
        self.entries()
        self.games()
        self.sums()
        self.closing()
        self.shares()
        self.outcome()
        self.standings()

    # Who plays

    def entries(self) -> None:
        """Add what the sheet Players says."""
        event, table = self.event, self.ratings
        table.constants("rating_number", [float(i) for i in range(1, table.rows + 1)], "count")
        beyond = "[No.]>ROWS(Players[No.])"
        table.add(
            "rating_name", f'IF({beyond},"",{trimmed("INDEX(Players[Name],[No.])")})', lambda i: event.names[i], "text"
        )
        table.add(
            "rating_id",
            'IF([Name]="",0,IF(SUMPRODUCT((Ratings[Name]=[Name])*(Ratings[No.]<[No.]))>0,0,[No.]))',
            lambda i: float(event.ids[i]),
        )
        start = event.cells["initial"] if event.rules.name == "uschess" else '""'
        typed = "INDEX(Players[Rating],[No.])"
        table.add("rating_own", f'IF([Id]=0,"",IF(N({typed})>0,{typed},{start}))', lambda i: event.ratings[i], "points")
        for name, fact in event.rules.personal.items():
            cell = f"INDEX(Players[{fact.label}],[No.])"
            empty = f"{fact.empty:g}" if fact.unrated is None else f"IF(N({typed})>0,{fact.empty:g},{fact.unrated:g})"
            table.add(
                f"fact:{name}",
                f'IF([Id]=0,"",IF(ISNUMBER({cell}),{cell},{empty}))',
                lambda i, name=name: event.fact(name, i) if event.ids[i] else "",  # type: ignore[misc]
                step_unit(self.event.rules, name),
            )

    # Games

    def games(self) -> None:
        """Add the rule's columns of each game."""
        event, table = self.event, self.ledger
        personal = {
            "rating": ("[Rating]", lambda i: table["ledger_rating"][i]),
            "opponent_rating": ("[Opponent rating]", lambda i: table["ledger_opponent_rating"][i]),
            "score": ("[Score]", lambda i: table["score"][i]),
            "widest": ("[Widest]", lambda i: table["ledger_widest"][i]),
        }
        self.add_steps(table, lines(event.rules.game), personal, "[Counted]=0", event.counts)

    def add_steps(
        self,
        table: Table,
        steps: Any,
        own: Mapping[str, tuple[str, Callable[[int], Any]]],
        guard: str,
        on: Callable[[int], bool],
    ) -> None:
        """Add the columns of steps to a table; `own` says what they read besides settings and each other."""
        references = {name: cell for name, (cell, _) in self.constants.items()}
        read: dict[str, Callable[[int], Any]] = {name: always(value) for name, (_, value) in self.constants.items()}
        references |= {name: text for name, (text, _) in own.items()}
        read |= {name: value for name, (_, value) in own.items()}
        for line in steps:
            if line.name in CARRIED:
                continue
            role = f"step:{table.name}:{line.name}"
            self._step(table, role, line, references, read, guard, on)
            references[line.name] = f"[{table.labels[role]}]"
            read[line.name] = lambda i, role=role: table[role][i]  # type: ignore[misc]

    def _step(
        self,
        table: Table,
        role: str,
        line: Line,
        references: Mapping[str, str],
        read: Mapping[str, Callable[[int], Any]],
        guard: str,
        on: Callable[[int], bool],
    ) -> None:
        """Add one step; what is typed on Players for it goes before the rule."""
        typed = self.event.rules.typed_step(line.name) if table is self.ratings else None
        if typed is None:
            table.step(role, line, references, read, guard, on)
            return
        cell, ruled = f"INDEX(Players[{typed}],[No.])", by_rule(line.name)
        table.step(ruled, line, references, read, guard, on)

        def value(i: int) -> CellValue:
            if not on(i):
                return ""
            given = number(self.event.typed(typed, i))
            return given if given > 0 else table[ruled][i]

        formula = f"IF(N({cell})>0,{cell},[{table.labels[ruled]}])"
        table.add(role, f'IF({guard},"",{formula})', value, step_unit(self.event.rules, line.name))

    # Players

    def summed(self, role: str, column: str, values: Callable[[int], CellValue], unit: str, only: str = "") -> None:
        """Add a sum over a player's rows of the Ledger, empty where no game is rated."""
        event = self.event
        where_ = f",Ledger[{only}],1" if only else ""

        def total(i: int) -> CellValue:
            return sum(number(values(row)) for row in event.rows_of(event.ids[i])) if self.played(i) else ""

        self.ratings.add(
            role, f'IF([n]=0,"",SUMIFS(Ledger[{column_text(column)}],Ledger[Player no.],[Id]{where_}))', total, unit
        )

    def played(self, i: int) -> bool:
        """Return whether a row of Ratings has a rated game."""
        return number(self.ratings["rating_n"][i]) > 0

    def sums(self) -> None:
        """Add the sums over a player's rated games."""
        self.tallies()
        self.expectations()

    def tallies(self) -> None:
        """Add what the results alone give."""
        event, ledger, table = self.event, self.ledger, self.ratings
        table.add(
            "rating_n",
            "IF([Id]=0,0,SUMIFS(Ledger[Counted],Ledger[Player no.],[Id]))",
            lambda i: float(sum(event.counts(r) for r in event.rows_of(event.ids[i]))),
        )
        self.summed("rating_w", "Score", lambda r: ledger["score"][r], "number")
        for role, score in (("rating_wins", 1), ("rating_losses", 0)):
            table.add(
                role,
                f'IF([n]=0,"",COUNTIFS(Ledger[Player no.],[Id],Ledger[Score],{score}))',
                lambda i, score=score: (
                    float(  # type: ignore[misc]
                        sum(ledger["score"][r] == score for r in event.rows_of(event.ids[i]))
                    )
                    if self.played(i)
                    else ""
                ),
            )
        table.add(
            "rating_rc",
            'IF([n]=0,"",SUMIFS(Ledger[Opponent rating],Ledger[Player no.],[Id],Ledger[Counted],1)/[n])',
            self._average_opponent,
            "points",
        )

    def expectations(self) -> None:
        """Add what the rule's columns of the games sum to."""
        event, ledger = self.event, self.ledger
        self.summed("rating_we", self.expected_label, lambda r: ledger[self.expected_role][r], "share")
        for name in event.rules.sums:
            if name not in {"score", "expected"}:
                role = f"step:Ledger:{name}"
                self.summed(
                    f"step:Ratings:period_{name}",
                    ledger.labels[role],
                    lambda r, role=role: ledger[role][r],  # type: ignore[misc]
                    step_unit(self.event.rules, name),
                )

    @property
    def expected_role(self) -> str:
        """The Ledger's column of expected scores."""
        return "step:Ledger:expected"

    @property
    def expected_label(self) -> str:
        """The header of the Ledger's column of expected scores."""
        return self.ledger.labels[self.expected_role]

    def _average_opponent(self, i: int) -> CellValue:
        if not self.played(i):
            return ""
        mine = [r for r in self.event.rows_of(self.event.ids[i]) if self.event.counts(r)]
        return sum(number(self.ledger["ledger_opponent_rating"][r]) for r in mine) / len(mine)

    def closing(self) -> None:
        """Add the rule's columns of the period's close."""
        table, event = self.ratings, self.event
        own: dict[str, tuple[str, Callable[[int], Any]]] = {
            "rating": ("[Rating]", lambda i: table["rating_own"][i]),
            "period_games": ("[n]", lambda i: table["rating_n"][i]),
            "period_score": ("[W]", lambda i: table["rating_w"][i]),
            "period_expected": ("[We]", lambda i: table["rating_we"][i]),
        }
        for name in event.rules.personal:
            role = f"fact:{name}"
            own[name] = (f"[{table.labels[role]}]", lambda i, role=role: table[role][i])  # type: ignore[misc]
        for name in event.rules.sums:
            role = f"step:Ratings:period_{name}"
            if role in table.labels:
                own[f"period_{name}"] = (
                    f"[{table.labels[role]}]",
                    lambda i, role=role: table[role][i],  # type: ignore[misc]
                )
        self.add_steps(table, lines(event.rules.closing), own, "[n]=0", self.played)

    @property
    def k_label(self) -> str:
        """The header of the coefficient that is applied."""
        return self.ratings.labels["step:Ratings:k_used"]

    def shares(self) -> None:
        """Add each game's share of the change."""
        event, ledger = self.event, self.ledger
        gain = self.gain_formula
        ledger.add(
            "ledger_change",
            f'IF([Counted]=0,"",N(INDEX(Ratings[{column_text(self.k_label)}],[Player no.]))*{gain[0]})',
            lambda i: (
                number(self.k_of(int(number(ledger["ledger_player"][i])))) * gain[1](i) if event.counts(i) else ""
            ),
            "points",
        )

    @property
    def gain_formula(self) -> tuple[str, Callable[[int], float]]:
        """A game's score minus its expected score: formula and value."""
        ledger = self.ledger
        if "step:Ledger:delta" in ledger.labels:
            name = ledger.labels["step:Ledger:delta"]
            return f"[{name}]", lambda i: number(ledger["step:Ledger:delta"][i])
        return (
            f"([Score]-[{self.expected_label}])",
            lambda i: number(ledger["score"][i]) - number(ledger[self.expected_role][i]),
        )

    def k_of(self, number_: int) -> CellValue:
        """Return the coefficient of a player."""
        return self.ratings["step:Ratings:k_used"][number_ - 1] if number_ else ""

    # What comes out

    def outcome(self) -> None:
        """Add exact and rounded change, new rating and performance."""
        table = self.ratings
        if "rating_exact" in table.labels:
            table.add(
                "rating_exact",
                f'IF([n]=0,"",[{self.k_label}]*[{table.labels["step:Ratings:period_delta"]}])',
                lambda i: (
                    number(table["step:Ratings:k_used"][i]) * number(table["step:Ratings:period_delta"][i])
                    if self.played(i)
                    else ""
                ),
                "points",
            )
        self.newcomers_order()
        after = table.labels["step:Ratings:rating_after"]
        rounded = "rating_rounded" in table.labels
        table.add(
            "rating_rounded",
            f'IF([n]=0,"",ROUND([{after}]-[Rating],0))',
            lambda i: (
                round_half_away(number(table["step:Ratings:rating_after"][i]) - number(table["rating_own"][i]))
                if self.played(i)
                else ""
            ),
            "points",
        )
        self.change_role = "rating_rounded" if rounded else "step:Ratings:change"
        first = "INDEX(Newcomers[First rating],[Newcomer])" if self.has_newcomers else '""'
        table.add(
            "rating_new",
            f'IF([Id]=0,"",IF([n]>0,[{after}],IF(N([Newcomer])>0,IF([Newcomer]>ROWS(Newcomers[Row]),"",{first}),'
            "[Rating])))"
            if self.has_newcomers
            else f'IF([Id]=0,"",IF([n]>0,[{after}],[Rating]))',
            self._new,
            "points",
        )
        self.performance()

    def performance(self) -> None:
        """Add the performance ratings: in games against rated opponents, whether or not the player has a rating."""
        names = self._against_rated() if self.has_newcomers else ("rating_rc", "rating_w", "rating_n")
        table = self.ratings
        rc, points, n = (Ref(f"[{table.labels[role]}]") for role in names)

        def figures(i: int) -> tuple[float, ...]:
            return tuple(number(table[role][i]) for role in names)

        def put(role: str, traced: Any, value: Callable[[float, float, float], float]) -> None:
            table.add(
                role,
                f'IF({to_formula(n)}=0,"",{to_formula(traced)})',
                lambda i: value(*figures(i)) if figures(i)[2] else "",
                "points",
            )

        if self.event.rules.name == "dwz":
            own = performances.shown(self.event, self.ledger, table)
            table.add("rating_rp", performances.shown_of("[No.]"), lambda i: own[i], "points")
        else:
            put("rating_rp", table_performance(rc, points, n), table_performance)
        # Points less points lost are wins less losses.
        put(
            "rating_linear",
            linear_performance(rc, points, n - points, n),
            lambda rc, points, n: linear_performance(rc, points, n - points, n),
        )

    def _against_rated(self) -> tuple[str, str, str]:
        """Add average opponent, points and number of a player's games against rated opponents; return their roles."""
        event, ledger, table = self.event, self.ledger, self.ratings

        def mine(i: int) -> list[int]:
            return [r for r in event.rows_of(event.ids[i]) if event.first(r)]

        def total(i: int, role: str) -> float:
            return sum(number(ledger[role][r]) for r in mine(i))

        def either(own: str, i: int, of_first: Callable[[], float]) -> CellValue:
            return table[own][i] if self.played(i) else of_first() if mine(i) else ""

        first = "Ledger[Player no.],[Id],Ledger[First],1"
        table.add("rating_rp_games", "[n]+[First games]", lambda i: number(table["rating_n"][i]) + len(mine(i)))
        table.add(
            "rating_rp_points",
            f'IF([n]>0,[W],IF([First games]=0,"",SUMIFS(Ledger[Points],{first})))',
            lambda i: either("rating_w", i, lambda: total(i, "ledger_points")),
            "number",
        )
        table.add(
            "rating_rp_average",
            f'IF([n]>0,[Rc],IF([First games]=0,"",SUMIFS(Ledger[Opponent rating],{first})/[First games]))',
            lambda i: either("rating_rc", i, lambda: total(i, "ledger_opponent_rating") / len(mine(i))),
            "points",
        )
        return "rating_rp_average", "rating_rp_points", "rating_rp_games"

    @property
    def has_newcomers(self) -> bool:
        """Whether the book has a sheet of first ratings."""
        return self.event.rules.name in FEDERATIONS

    def newcomers_order(self) -> None:
        """Add which players get a row on Newcomers."""
        event = self.event
        order: dict[int, float] = {}
        for i in event.ids:
            if i and any(event.first(r) for r in event.rows_of(i)):
                order[i] = len(order) + 1.0
        self.newcomers = order
        self.ratings.add(
            "rating_first_games",
            "IF([Id]=0,0,SUMIFS(Ledger[First],Ledger[Player no.],[Id]))",
            lambda i: float(sum(event.first(r) for r in event.rows_of(event.ids[i]))),
        )
        # Players without a rating who met rated ones, counted from the first row of Players on.
        self.ratings.add(
            "rating_newcomer",
            'IF(TEXT([First games],"0")="0",0,SUMPRODUCT((Ratings[First games]>0)*(Ratings[No.]<[No.]))+1)',
            lambda i: order.get(event.ids[i], 0.0),
        )

    def _new(self, i: int) -> CellValue:
        table = self.ratings
        if not self.event.ids[i]:
            return ""
        if self.played(i):
            return table["step:Ratings:rating_after"][i]
        row = int(number(table["rating_newcomer"][i])) if self.has_newcomers else 0
        if row:
            firsts = self.first_ratings.table["newcomer_first"]
            return firsts[row - 1] if row <= len(firsts) else ""
        return table["rating_own"][i]

    # Standings

    def points_of(self, number_: int) -> float:
        """Return a player's points in the standings."""
        return sum(number(self.ledger["ledger_points"][r]) for r in self.event.rows_of(number_))

    def standings(self) -> None:
        """Add points, tie-breaks and ranks, and what the cross table shows."""
        event, ledger, table = self.event, self.ledger, self.ratings
        table.add(
            "rating_points",
            'IF([Id]=0,"",SUMIFS(Ledger[Points],Ledger[Player no.],[Id]))',
            lambda i: self.points_of(event.ids[i]) if event.ids[i] else "",
            "number",
        )

        def played(i: int) -> bool:
            return event.side(i)[0].status in {"rated", "unrated opponent"}

        ledger.add(
            "ledger_played",
            'IF(OR([Status]="rated",[Status]="unrated opponent"),1,0)',
            lambda i: float(played(i)),
        )
        opponent = [
            self.points_of(event.side(i)[0].numbers[1 - i % 2]) if played(i) else 0.0 for i in range(ledger.rows)
        ]
        ledger.add(
            "ledger_opponent_points",
            "IF([Played]=0,0,INDEX(Ratings[Points],[Opponent no.]))",
            lambda i: opponent[i],
            "number",
        )
        ledger.add(
            "ledger_weighted",
            "IF([Played]=0,0,[Points]*[Opponent points])",
            lambda i: number(ledger["ledger_points"][i]) * opponent[i] if played(i) else 0.0,
            "number",
        )
        ledger.add(
            "ledger_upset",
            "IF(N([Score])=1,MAX(0,[Opponent rating]-[Rating]),0)",
            lambda i: (
                max(0.0, number(ledger["ledger_opponent_rating"][i]) - number(ledger["ledger_rating"][i]))
                if ledger["score"][i] == 1
                else 0.0
            ),
            "points",
        )
        for role, column in (("rating_buchholz", "Opponent points"), ("rating_sonneborn", "Weighted points")):
            source = {"Opponent points": "ledger_opponent_points", "Weighted points": "ledger_weighted"}[column]
            table.add(
                role,
                f'IF([Id]=0,"",SUMIFS(Ledger[{column}],Ledger[Player no.],[Id]))',
                lambda i, source=source: (
                    sum(number(ledger[source][r]) for r in event.rows_of(event.ids[i]))  # type: ignore[misc]
                    if event.ids[i]
                    else ""
                ),
                "number",
            )
        keys = [self._key(i) for i in range(table.rows)]
        table.add(
            "rating_key",
            f'IF([Id]=0,"",((2*[Points]*{PLACES}+2*[Buchholz])*{PLACES}+4*[Sonneborn])*{PLACES}+{PLACES - 1}-[No.])',
            lambda i: keys[i],
        )
        ordered = sorted((number(key) for key in keys if key != ""), reverse=True)
        place = {key: float(at) for at, key in enumerate(ordered, 1)}
        self.ranks: list[CellValue] = ["" if key == "" else place[number(key)] for key in keys]
        table.add("rating_rank", 'IF([Sort key]="","",RANK([Sort key],Ratings[Sort key]))', lambda i: self.ranks[i])
        ledger.add("ledger_shown", _SHOWN, self._shown, "text")

    def _key(self, i: int) -> CellValue:
        if not self.event.ids[i]:
            return ""
        points, buchholz, sonneborn = (
            number(self.ratings[role][i]) for role in ("rating_points", "rating_buchholz", "rating_sonneborn")
        )
        return ((2 * points * PLACES + 2 * buchholz) * PLACES + 4 * sonneborn) * PLACES + PLACES - 1 - (i + 1)

    def _shown(self, i: int) -> str:
        game, side = self.event.side(i)
        points = self.ledger["ledger_points"][i]
        if points == "":
            return ""
        text = {1.0: "1", 0.5: "½", 0.0: "0"}[number(points)]
        if game.status == "bye":
            return f"{text} bye"
        opponent = game.numbers[1 - side]
        place = f"{number(self.ranks[opponent - 1]):.0f}{'wb'[side]}"
        return place + (("+" if points == 1 else "-") if game.status == "forfeit" else text)

    def further_fills(self) -> dict[str, Fill]:
        """Return the fills of the roles of further sheets."""
        return {}

    def control_total(self) -> dict[str, tuple[str, CellValue, str]]:
        """Return the check that adds the changes by player and by game."""
        role = "rating_exact" if "rating_exact" in self.ratings.labels else "step:Ratings:change"
        by_player = sum(number(value) for value in self.ratings[role])
        by_game = sum(number(value) for value in self.ledger["ledger_change"])
        formula = f"ROUND(SUM(Ratings[{self.ratings.labels[role]}])-SUM(Ledger[K × ΔR]),6)"
        return {"change_total": (formula, round(by_player - by_game, 6) + 0.0, "points")}

    # Newcomers

    @cached_property
    def first_ratings(self) -> Newcomers:
        """The first ratings of players without one."""
        return newcomers(self.event, self.ledger, self.ratings, self.newcomers)

    # Rounds

    def rounds(self, labels: Mapping[str, str]) -> Table:
        """Return what happened at the board, round by round."""
        event, ledger = self.event, self.ledger
        rows = event.inputs.sizes["Rounds"]
        table = Table("Rounds", labels, rows)
        whites = range(0, ledger.rows, 2)

        def count(i: int, test: Callable[[int], bool]) -> float:
            return float(sum(event.side(r)[0].round == i + 1 and test(r) for r in whites))

        def at_board(r: int) -> bool:
            return ledger["ledger_played"][r] == 1

        here = 'Ledger[Round],[Round],Ledger[Side],"White"'
        table.constants("round_number", [float(i) for i in range(1, rows + 1)], "count")
        table.add("round_games", f"COUNTIFS({here},Ledger[Played],1)", lambda i: count(i, at_board))
        for role, points in (("round_white", 1.0), ("round_draws", 0.5), ("round_black", 0.0)):
            table.add(
                role,
                f"COUNTIFS({here},Ledger[Played],1,Ledger[Points],{points:g})",
                lambda i, points=points: count(  # type: ignore[misc]
                    i, lambda r: at_board(r) and ledger["ledger_points"][r] == points
                ),
            )
        table.add(
            "round_share",
            'IF([Games]=0,"",([White wins]+0.5*[Draws])/[Games])',
            lambda i: (
                (number(table["round_white"][i]) + 0.5 * number(table["round_draws"][i]))
                / number(table["round_games"][i])
                if table["round_games"][i]
                else ""
            ),
            "share",
        )
        table.add(
            "round_upsets",
            'COUNTIFS(Ledger[Round],[Round],Ledger[Upset],">0")',
            lambda i: float(
                sum(
                    event.side(r)[0].round == i + 1 and number(ledger["ledger_upset"][r]) > 0
                    for r in range(ledger.rows)
                )
            ),
        )
        table.add(
            "round_unplayed",
            f'COUNTIFS({here},Ledger[Status],"forfeit")+COUNTIFS({here},Ledger[Status],"bye")',
            lambda i: count(i, lambda r: event.side(r)[0].status in {"forfeit", "bye"}),
        )
        return table


# A game as the cross table shows it: the opponent's place, the colour, the points; + and - for a forfeit.
_SCORE = 'IF([Points]=0.5,"½",IF([Points]=1,"1","0"))'
_SHOWN = (
    f'IF([Points]="","",IF([Status]="bye",{_SCORE}&" bye",INDEX(Ratings[Rank],[Opponent no.])'
    '&IF([Side]="White","w","b")&IF([Status]="forfeit",IF([Points]=1,"+","-"),'
    f"{_SCORE})))"
)


def year_of(day: float) -> int:
    """Return the year of a serial day, 0 for none."""
    return (EXCEL_EPOCH + datetime.timedelta(days=int(day))).year if day > 0 else 0
