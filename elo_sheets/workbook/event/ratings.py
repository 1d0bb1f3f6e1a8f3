"""An event's sheets Ratings and Rounds, and what the rule adds to the Ledger.

The rule's columns are the traced steps of the federation's system.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from elo_sheets.expr import Ref
from elo_sheets.formula import to_formula
from elo_sheets.odds.performance import linear_performance, table_performance
from elo_sheets.systems import Line, lines
from elo_sheets.workbook.event import performances as performances
from elo_sheets.workbook.event.games import Event, Table
from elo_sheets.workbook.event.newcomers import FIRST_GAMES
from elo_sheets.workbook.facts import step_unit
from elo_sheets.workbook.layout import column_text, stepped
from elo_sheets.workbook.plan import Fill

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

# How the columns of a rule look, by style, where `step_style` does not know better.
STYLED = {"whole_signed": "difference", "helper": "cap", "delta": "delta surplus", "change_fine": "change"}
STYLED |= {"age": "age", "number": "k development", "whole": "published_peak"}


def styles(more: Mapping[str, str]) -> dict[str, str]:
    """Return the style of each step in `STYLED`, and in `more` like it."""
    return {name: style for told in (STYLED, more) for style, names in told.items() for name in names.split()}


def k_style(event: Event) -> str:
    """Return how a coefficient looks: FIDE's is a whole number."""
    return "number" if event.rules.name == "fide" else "decimal"


def label(event: Event, name: str) -> str:
    """Return the header of a rule's column."""
    return LABELS.get(name, event.rules.label(name))


def by_rule(name: str) -> str:
    """Return the role of what the rule gives for a step for which something else may be typed."""
    return f"by rule:{name}"


def rating_steps(event: Event) -> list[str]:
    """Return the names of the rule's columns in Ratings, the sums of the Ledger first."""
    sums = [f"period_{name}" for name in event.rules.sums if name not in {"score", "expected"}]
    return sums + [line.name for line in lines(event.rules.closing) if line.name not in CARRIED]


class Ratings:
    """The computed tables of an event whose rule is made of steps."""

    # The Ledger's column of expected scores.
    expected_role = "step:Ledger:expected"

    def __init__(self, event: Event, ledger: Table, ratings: Table) -> None:
        self.event, self.ledger, self.ratings = event, ledger, ratings
        self.constants = {"date": DAY, "year": YEAR}
        for parameter in event.rules.parameters:
            self.constants.setdefault(parameter.name, parameter.cell)

    def build(self) -> None:
        """Add every column."""
        self.entries()
        self.games()
        self.sums()
        self.closing()
        self.shares()
        self.outcome()

    # Who plays

    def entries(self) -> None:
        """Add what the sheet Players says."""
        event, table = self.event, self.ratings
        table.numbers("rating_number")
        rated = "N(INDEX(Players[Rating],[No.]))>0"
        for name, fact in event.rules.personal.items():
            cell = f"INDEX(Players[{fact.label}],[No.])"
            empty = f"{fact.empty:g}" if fact.unrated is None else f"IF({rated},{fact.empty:g},{fact.unrated:g})"
            formula = f'IF([Id]=0,"",IF(ISNUMBER({cell}),{cell},{empty}))'
            table.add(f"fact:{name}", formula, step_unit(event.rules, name))

    # Games

    def games(self) -> None:
        """Add the rule's columns of each game."""
        personal = {
            "rating": "[Rating]",
            "opponent_rating": "[Opponent rating]",
            "score": "[Score]",
            "widest": "[Widest]",
        }
        self.add_steps(self.ledger, lines(self.event.rules.game), personal, "[Counted]=0")

    def add_steps(self, table: Table, steps: Iterable[Line], own: Mapping[str, str], guard: str) -> None:
        """Add the columns of steps to a table; `own` says what they read besides settings and each other."""
        references = {**self.constants, **own}
        for line in steps:
            if line.name in CARRIED:
                continue
            role = f"step:{table.name}:{line.name}"
            typed = self.event.rules.typed_step(line.name) if table is self.ratings else None
            if typed is None:
                table.step(role, line, references, guard)
            else:  # what is typed on Players goes before the rule
                table.step(by_rule(line.name), line, references, guard)
                cell, ruled = f"INDEX(Players[{typed}],[No.])", table.labels[by_rule(line.name)]
                formula = f'IF({guard},"",IF(N({cell})>0,{cell},[{ruled}]))'
                table.add(role, formula, step_unit(self.event.rules, line.name))
            references[line.name] = f"[{table.labels[role]}]"

    # Players

    def sums(self) -> None:
        """Add what the rule's columns of the games sum to."""
        rules = self.event.rules
        for name in rules.sums:
            if name not in {"score", "expected"}:
                column = self.ledger.labels[f"step:Ledger:{name}"]
                formula = f'IF([n]=0,"",SUMIFS(Ledger[{column_text(column)}],Ledger[Player no.],[Id]))'
                self.ratings.add(f"step:Ratings:period_{name}", formula, step_unit(rules, name))

    @property
    def expected_label(self) -> str:
        """The header of the Ledger's column of expected scores."""
        return self.ledger.labels[self.expected_role]

    def closing(self) -> None:
        """Add the rule's columns of the period's close."""
        labels, rules = self.ratings.labels, self.event.rules
        own = {"rating": "[Rating]", "period_games": "[n]", "period_score": "[W]", "period_expected": "[We]"}
        roles = {name: f"fact:{name}" for name in rules.personal}
        roles |= {f"period_{name}": f"step:Ratings:period_{name}" for name in rules.sums}
        own |= {name: f"[{labels[role]}]" for name, role in roles.items() if role in labels}
        self.add_steps(self.ratings, lines(rules.closing), own, "[n]=0")

    @property
    def k_label(self) -> str:
        """The header of the coefficient that is applied."""
        return self.ratings.labels["step:Ratings:k_used"]

    def shares(self) -> None:
        """Add each game's share of the change."""
        k = f"N(INDEX(Ratings[{column_text(self.k_label)}],[Player no.]))"
        self.ledger.add("ledger_change", f'IF([Counted]=0,"",{k}*{gain_of(self.ledger)})', "points")

    # What comes out

    def outcome(self) -> None:
        """Add exact and rounded change, new rating and performance."""
        table = self.ratings
        rounded = "rating_rounded" in table.labels
        self.change_role = "rating_rounded" if rounded else "step:Ratings:change"
        after = table.labels["step:Ratings:rating_after"]
        new = "[Rating]"
        if self.has_newcomers:
            first = 'IF([Newcomer]>ROWS(Newcomers[Row]),"",INDEX(Newcomers[First rating],[Newcomer]))'
            new = f"IF(N([Newcomer])>0,{first},[Rating])"
        table.add("rating_new", f'IF([Id]=0,"",IF([n]>0,[{after}],{new}))', "points")
        self.performance()

    def performance(self) -> None:
        """Add the performance ratings: in games against rated opponents, whether or not the player has a rating."""
        table = self.ratings
        names = ("rating_rc", "rating_w", "rating_n")
        if self.has_newcomers:
            names = ("rating_rp_average", "rating_rp_points", "rating_rp_games")
        rc, points, n = (Ref(f"[{table.labels[role]}]") for role in names)
        by_table = rated(table_performance, (rc, points, n), n)
        if self.event.rules.name == "dwz":
            by_table = {"formula": performances.shown_of("[No.]")}
        table.add("rating_rp", **by_table, unit="points")
        # Points less points lost are wins less losses.
        table.add("rating_linear", **rated(linear_performance, (rc, points, n - points, n), n), unit="points")

    @property
    def has_newcomers(self) -> bool:
        """Whether the book has a sheet of first ratings."""
        return self.event.rules.name in FIRST_GAMES

    def further_fills(self) -> dict[str, Fill]:
        """Return the fills of the roles of further sheets."""
        return {}

    def control_total(self) -> dict[str, tuple[str, str]]:
        """Return the check that adds the changes by player and by game."""
        role = "rating_exact" if "rating_exact" in self.ratings.labels else "step:Ratings:change"
        formula = f"ROUND(SUM(Ratings[{self.ratings.labels[role]}])-SUM(Ledger[K × ΔR]),6)"
        return {"change_total": (formula, "points")}

    # Rounds

    def rounds(self, labels: Mapping[str, str]) -> Table:
        """Return what happened at the board, round by round."""
        rows = self.event.inputs.sizes["Rounds"]
        table = Table("Rounds", labels, rows)
        table.constants("round_number", [float(i) for i in range(1, rows + 1)], "count")
        return table


def rated(function: Callable[..., Any], read: Sequence[Any], games: Ref) -> dict[str, Any]:
    """Return formula and values of a performance, empty without games; `read` are traced, in the function's order."""
    guard = f"{to_formula(games)}=0"
    line = Line.of(function)
    cells = {name: to_formula(one) for name, one in zip(line.reads, read, strict=True)}
    return {"formula": f'IF({guard},"",{to_formula(function(*read))})', "gives": stepped(line, cells, guard)}


def gain_of(table: Table) -> str:
    """Return the formula of a game's score minus its expected score, by the rule's own column where it has one."""
    steps = {name: table.labels.get(f"step:{table.name}:{name}") for name in ("delta", "expected")}
    return f"[{steps['delta']}]" if steps["delta"] else f"([Score]-[{steps['expected']}])"
