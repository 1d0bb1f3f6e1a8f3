"""What a list says of a state that grows while a player does not play, such as his deviation.

The Ledger lets it grow in the next period that he plays. A list shows it at the end of the chosen period: the system's
own opening step runs over the time since his last game, on the sheet Ranking, and what it reads stands beside it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from elo_sheets.systems import Line, System, lines
from elo_sheets.workbook.facts import step_unit
from elo_sheets.workbook.layout import TableLayout, rule_formula, stepped
from elo_sheets.workbook.plan import Fill
from elo_sheets.workbook.pools.columns import state_label

if TYPE_CHECKING:
    from elo_sheets.workbook.lists.periods import ListedPeriods

# Where the closing steps hold the growth of the period that is played, the opening step counts one period less.
PLAYED_LATER = {"phi_star"}


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


def grown(view: ListedPeriods, layout: TableLayout) -> dict[str, Fill]:
    """Return the columns of Ranking that say what the states are at the end of the chosen period."""
    fills: dict[str, Fill] = {}
    for state in view.system.state:
        line = idle_step(view.system, state.name)
        if line is None:
            continue
        own = {name: view.pool.label(f"{name}_after") for name in view.after if name in line.reads}
        told = {
            label: (f"INDEX(Ledger[{view.after[name]}],[Row])", step_unit(view.system, name))
            for name, label in own.items()
        }
        if "days" in line.reads:
            since = f"MAX(0,{_period_end(view.word)}-INDEX(Ledger[Date],[Row]))"
            told["Days idle"] = since, "count"
        references = {**view.setting_cells, **{name: f"[{label}]" for name, label in own.items()}}
        plays_later = any(line.name in PLAYED_LATER for line in lines(view.system.closing))
        references |= {"elapsed": "([Idle]+1)" if plays_later else "[Idle]", "days": "[Days idle]"}
        ended = at_end(view.system, state.name)
        told[ended] = rule_formula(line, references), step_unit(view.system, state.name)
        fills |= in_list(layout, told)
        fills[ended] = replace(fills[ended], gives=stepped(line, references, "[Row]=0"))
    return fills


def in_list(layout: TableLayout, columns: Mapping[str, tuple[str, str]]) -> dict[str, Fill]:
    """Return columns of Ranking, given by formula and unit, that are empty for who does not stand in the list."""
    return {label: layout.fill(f'IF([Row]=0,"",{formula})', unit) for label, (formula, unit) in columns.items()}


def _period_end(word: str) -> str:
    """Return the formula of the last day of the chosen period."""
    if word == "year":
        return "DATE(List_period,12,31)"
    return "(EDATE(DATE(INT(List_period/12),MOD(List_period,12)+1,1),1)-1)"
