"""What a list says of a state that grows while a player does not play, such as his deviation.

The Ledger lets it grow in the next period that he plays. A list shows it at the end of the chosen period: the system's
own opening step runs over the time since his last game, on the sheet Ranking, and what it reads stands beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date
from typing import TYPE_CHECKING, Any

from elo_sheets.systems import Line, System, lines
from elo_sheets.workbook.facts import step_unit
from elo_sheets.workbook.layout import TableLayout, rule_formula
from elo_sheets.workbook.plan import CellValue, Fill
from elo_sheets.workbook.pool_columns import state_label

if TYPE_CHECKING:
    from elo_sheets.workbook.listed_periods import ListedPeriods

# Where the closing steps hold the growth of the period that is played, the opening step counts one period less.
PLAYED_LATER = {"phi_star"}
EPOCH = date(1899, 12, 30)


def idle_step(system: System, state: str) -> Line | None:
    """Return the opening step by which a state grows with the time without games, None where there is none."""
    known = {one.name for one in system.state} | {p.name for p in system.parameters if not p.per_player}
    for line in lines(system.opening):
        if line.name == f"start_{state}" and {"elapsed", "days"} & set(line.reads):
            return line if set(line.reads) <= known | {"elapsed", "days"} else None
    return None


def at_end(system: System, state: str) -> str:
    """Return the header of what a state is at the end of the chosen period."""
    return f"{state_label(system, state)} at end"


def grown(view: ListedPeriods, layout: TableLayout, rows: Sequence[int], code: int) -> dict[str, Fill]:
    """Return the columns of Ranking that say what the states are at the end of the chosen period.

    `rows` are the rows of the Ledger in which the players stand, `code` is the number of the period.
    """
    fills: dict[str, Fill] = {}

    def listed(formula: str, value: Callable[[int], CellValue], unit: str) -> Fill:
        values = [value(row) if row else "" for row in rows]
        return Fill(values, layout.formula(f'IF([Row]=0,"",{formula})'), unit)

    for state in view.system.state:
        line = idle_step(view.system, state.name)
        if line is None:
            continue
        own = {name: view.pool.label(f"{name}_after") for name in view.after if name in line.reads}
        for name, label in own.items():
            after = f"INDEX(Ledger[{view.after[name]}],[Row])"
            fills[label] = listed(after, lambda row, name=name: view.rating_at(row, name), step_unit(view.system, name))  # type: ignore[misc]
        if "days" in line.reads:
            since = f"MAX(0,{_period_end(view.word)}-INDEX(Ledger[Date],[Row]))"
            fills["Days idle"] = listed(since, lambda row: _days_idle(view, row, code), "count")
        references = {**view.setting_cells, **{name: f"[{label}]" for name, label in own.items()}}
        references |= {"elapsed": "([Idle]+1)" if _plays_later(view.system) else "[Idle]", "days": "[Days idle]"}
        fills[at_end(view.system, state.name)] = listed(
            rule_formula(line, references),
            lambda row, line=line: _value(view, line, row, code),  # type: ignore[misc]
            step_unit(view.system, state.name),
        )
    return fills


def _plays_later(system: System) -> bool:
    return any(line.name in PLAYED_LATER for line in lines(system.closing))


def _value(view: ListedPeriods, line: Line, row: int, code: int) -> float:
    known: dict[str, Any] = {**view.book.settings, "days": _days_idle(view, row, code)}
    known |= {name: view.rating_at(row, name) for name in view.after}
    known["elapsed"] = view.idle(row, code) + _plays_later(view.system)
    return float(line.step(*(known[name] for name in line.reads)))


def _period_end(word: str) -> str:
    """Return the formula of the last day of the chosen period."""
    if word == "year":
        return "DATE(List_period,12,31)"
    return "(EDATE(DATE(INT(List_period/12),MOD(List_period,12)+1,1),1)-1)"


def _days_idle(view: ListedPeriods, row: int, code: int) -> float:
    year, month = (code + 1, 1) if view.word == "year" else ((code + 1) // 12, (code + 1) % 12 + 1)
    end = (date(year, month, 1) - EPOCH).days - 1
    return max(0.0, end - view.pool.games[(row - 1) // 2].date)
