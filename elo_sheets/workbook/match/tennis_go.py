"""What the sheets Tennis and Go of the match odds look up: the search for a set's chance, a set's curves, ranks."""

from __future__ import annotations

from elo_sheets.odds import match
from elo_sheets.systems import Line
from elo_sheets.workbook.calculators.panel import with_steps
from elo_sheets.workbook.layout import TableLayout, rule_formula
from elo_sheets.workbook.plan import PENDING, ColumnPlan, Fill, TablePlan

TENNIS_ROUNDS = 6
RANKS = (*(f"{n}k" for n in range(30, 0, -1)), *(f"{n}d" for n in range(1, 8)), *(f"{n}p" for n in range(1, 10)))


def set_solver(row: int) -> TablePlan:
    """Return the rounds in which the underdog's chance of a set is found from that of a match."""
    layout = TableLayout("SetSolver", ["Round", "Set"], row)
    guard, reads = 'IF(ISNUMBER(Tennis_underdog),{},"")', {"match_underdog": "Tennis_underdog"}
    start = guard.format(with_steps("{match.set_underdog}", reads))
    later = with_steps("{match.closer_set_underdog}", {**reads, "set_underdog": "up[Set]"})
    fill = layout.fill(guard.format(later), "share", first=start)
    numbers = Fill([float(i) for i in range(TENNIS_ROUNDS + 1)])
    about = "The underdog's chance of a set: a start that is not below it, then Newton's method."
    columns = (
        ColumnPlan("Round", numbers, "", "integer", 8),
        ColumnPlan("Set", fill, "", "share", 10, about=about),
    )
    return TablePlan("SetSolver", row, columns, TENNIS_ROUNDS + 1)


def set_curves(row: int) -> TablePlan:
    """Return what best of three and of five make of the chance of a set, for the chart of Tennis."""
    layout = TableLayout("SetCurves", ["Set", "Best of 3", "Best of 5"], row)
    chances = [i / 20 for i in range(21)]
    columns = [ColumnPlan("Set", Fill(chances), "", "share", 8)]
    for label, games in (("Best of 3", 3), ("Best of 5", 5)):
        line = Line(label, lambda p, games=games: match.best_of(p, games), ("p",))
        formula = layout.formula(rule_formula(line, {"p": "[Set]"}))
        columns.append(ColumnPlan(label, Fill(PENDING, formula, "share"), "", "share", 8))
    return TablePlan("SetCurves", row, tuple(columns), len(chances), 10)
