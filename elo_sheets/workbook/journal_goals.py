"""Goals and milestones of a journal: the score that brings a rating, and when one was there.

With a K each point more than expected brings K rating points. Where a rating has a deviation, what a point brings
depends on how sure the rating is and on how many games are rated together. The sheet Aim therefore runs the system's
own steps for all games of a goal as one rating period that begins now: equal opponents, the deviation of today grown by
one period, the volatility held. With both held, the new rating is a straight line in the score, and is turned round.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from elo_sheets.expr import Ref
from elo_sheets.formula import to_formula
from elo_sheets.odds.statistics import half_points_needed, score_needed
from elo_sheets.systems import GAME_INPUTS
from elo_sheets.systems.elo import expected as logistic_expected
from elo_sheets.workbook.facts import step_unit
from elo_sheets.workbook.journal import PART
from elo_sheets.workbook.journal_chain import PUBLISHED
from elo_sheets.workbook.journal_plans import UNKNOWN_POOL, Plans, as_rating, is_rating
from elo_sheets.workbook.journal_stats import GAMES, POOL, Fills
from elo_sheets.workbook.layout import TableLayout, number_or, text_of
from elo_sheets.workbook.plan import CellValue, Fill

GOAL_ROWS = 6
MILESTONE_ROWS = 10

REACHED, POSSIBLE, TOO_MUCH = "reached", "can be done", "not in so few games"

# What a goal's games leave as it is, so that the rating is a straight line in the score.
HELD = {"volatility_after": "volatility"}
# The change before limits that a single result meets, the first that a system has.
CHANGES = ("regulated_change", "change")
AT_TARGET = "target_"

# What the sheet Aim takes from a goal, and how it is called there where no step reads it.
AIM_LABELS = {"target": "Target", "count": "Games"}
AIM_INPUTS = {"target": "Target", "count": "Games", "opponent_rating": "Opposition"}

GOAL_LABELS = ("Target", "Pool", "Games", "Opposition")


class Goals:
    """The tables of goals and milestones, and the steps behind the goals of systems with deviations."""

    def __init__(self, plans: Plans) -> None:
        self.plans, self.cells, self.rule = plans, plans.cells, plans.rule

    @cached_property
    def scale(self) -> tuple[str, float]:
        """The cell of the curve's scale and its value: 400 for systems that have no such setting."""
        if "scale" in self.cells.setting_cells and not self.rule.has_rd:
            return self.cells.setting_cells["scale"], float(self.cells.settings["scale"])
        return "400", 400.0

    @property
    def stake(self) -> str:
        """The header of what a point more brings: the player's K, or what the steps give; empty for neither."""
        return "Rating per point" if self.rule.has_rd else ("K" if self.rule.stakes_k else "")

    @cached_property
    def _typed(self) -> dict[str, list[CellValue]]:
        return self.plans.typed("Goals", GOAL_LABELS, GOAL_ROWS)

    @cached_property
    def _rows(self) -> list[dict[str, CellValue]]:
        return [dict(zip(GOAL_LABELS, values, strict=True)) for values in zip(*self._typed.values(), strict=True)]

    def _pool(self, row: Mapping[str, CellValue]) -> int:
        return 0 if as_rating(row["Target"]) == "" else self.cells.pools.number(text_of(row["Pool"]))

    # Goals

    def goals(self) -> Fills:
        """Return the fills of the table Goals by label."""
        layout = TableLayout("Goals", [], 0)
        lines = [self._goal(row, aim) for row, aim in zip(self._rows, self._aims, strict=True)]
        formulas = self._state_formulas() | self._score_formulas() | self._reached_formulas()
        fills = {"No.": Fill([float(i) for i in range(1, len(lines) + 1)], unit="count")}
        fills |= {name: Fill(values) for name, values in self._typed.items()}
        for name, (formula, unit) in formulas.items():
            fills[name] = Fill([line[name] for line in lines], layout.formula(formula), unit)
        return fills

    def _state_formulas(self) -> dict[str, tuple[str, str]]:
        def known(formula: str) -> str:
            return f'IF([Pool no.]=0,"",{formula})'

        found = {
            "Pool no.": (self.plans.pool_number("Target"), "count"),
            "Rating now": (known("INDEX(Pools[Rating now],[Pool no.])"), "points"),
            "RD now": (known("INDEX(Pools[RD now],[Pool no.])"), "points"),
            "To go": (known("MAX(0,[Target]-[Rating now])"), "points"),
        }
        return found if self.rule.has_rd else {name: found[name] for name in found if name != "RD now"}

    def _score_formulas(self) -> dict[str, tuple[str, str]]:
        cell, _ = self.scale
        chance = f"1/(1+10^(([Opposition]-{{}})/{cell}))"
        expected = {"Expected": chance.format("[Rating now]"), "At that strength": chance.format("[Target]")}
        if self.rule.has_rd:
            expected = {name: f"INDEX(Aim[{self._aim_label(step)}],[No.])" for name, step in self._expects.items()}
        found = {
            name: (
                f'IF(AND([Pool no.]>0,ISNUMBER([Games]),{is_rating("[Opposition]")}),[Games]*{formula},"")',
                "number",
            )
            for name, formula in expected.items()
        }
        if self.stake:
            exactly = score_needed(*map(Ref, ("[Rating now]", "[Target]", "[Expected]", f"[{self.stake}]")))
            needed = to_formula(half_points_needed(exactly))
            found |= {
                self.stake: (f'IF([Pool no.]=0,"",{self._stake_formula})', "number"),
                "Points needed": (f'IF(OR([Expected]="",N([{self.stake}])=0),"",{needed})', "number"),
                "Score needed": ('IF(OR([Points needed]="",N([Games])=0),"",[Points needed]/[Games])', "share"),
            }
        return found

    @property
    def _stake_formula(self) -> str:
        if self.rule.has_rd:
            return f"INDEX(Aim[{self._aim_label(self._change)}],[No.])"
        last, first = "INDEX(Pools[Last row],[Pool no.])", self.cells.setting_cells.get("k", '""')
        return f"IF({last}=0,{first},INDEX(Ledger[{self.rule.label('k_used')}],{last}))"

    def _reached_formulas(self) -> dict[str, tuple[str, str]]:
        games = "INDEX(Pools[Games],[Pool no.])"
        row = f"MATCH({PART}*[Pool no.]+1+[Games below],Ledger[Key],0)"
        date = "INDEX(Ledger[Date],[Row])"
        verdict = '""'
        if self.stake:
            verdict = f'IF([Points needed]="","",IF([Points needed]>[Games],"{TOO_MUCH}","{POSSIBLE}"))'
        unknown = f'IF({is_rating("[Target]")},"{UNKNOWN_POOL}","")'
        below = 'COUNTIFS(Ledger[Rated pool],[Pool no.],Ledger[Best so far],"<"&[Target])'
        return {
            "Games below": (f"IF([Pool no.]=0,0,{below})", "count"),
            "Row": (f"IF([Pool no.]=0,0,IF([Games below]>={games},0,{row}))", "count"),
            "Reached on": (
                'IF([Pool no.]=0,"",IF(INDEX(Pools[Starts at],[Pool no.])>=[Target],"from the start",'
                f'IF([Row]=0,"",IF({date}=0,"reached",{date}))))',
                "date",
            ),
            "Verdict": (f'IF([Pool no.]=0,{unknown},IF([To go]=0,"{REACHED}",{verdict}))', "text"),
        }

    def _goal(self, row: Mapping[str, CellValue], aim: Mapping[str, float] | None) -> dict[str, CellValue]:
        pool = self._pool(row)
        names = ("Rating now", "RD now", "To go", "Expected", "At that strength", "Points needed", "Score needed")
        line: dict[str, CellValue] = dict.fromkeys((*names, self.stake, "Reached on", "Verdict"), "")
        line |= {"Pool no.": float(pool), "Games below": 0.0, "Row": 0.0}
        target = as_rating(row["Target"])
        if pool == 0:
            return line | {"Verdict": "" if target == "" else UNKNOWN_POOL}
        state, wanted = self.plans.pool_state(pool), float(target or 0)
        line |= {"Rating now": state["rating"], "RD now": state.get("rd", "")}
        line["To go"] = max(0.0, wanted - state["rating"])
        line |= self._reached(pool, wanted) | self._scores(row, state["rating"], pool, aim)
        if line["To go"] == 0:
            line["Verdict"] = REACHED
        elif line["Points needed"] != "":
            count = float(number_or(row["Games"], 0.0) or 0)
            line["Verdict"] = TOO_MUCH if float(line["Points needed"] or 0) > count else POSSIBLE
        return line

    def _scores(
        self, row: Mapping[str, CellValue], now: float, pool: int, aim: Mapping[str, float] | None
    ) -> dict[str, CellValue]:
        """Return what is expected of a goal's games and what is needed, as far as it is typed."""
        games, opposition = number_or(row["Games"], ""), as_rating(row["Opposition"])
        line: dict[str, CellValue] = {}
        if self.stake:
            line[self.stake] = self._stake_value(pool, aim)
        if games == "" or opposition == "":
            return line
        wanted, count = float(row["Target"] or 0), float(games or 0)
        for name, rating in (("Expected", now), ("At that strength", wanted)):
            if aim is None:
                line[name] = count * float(logistic_expected(rating - float(opposition or 0), self.scale[1]))
            else:
                line[name] = count * aim[self._expects[name]]
        if line.get(self.stake, "") not in ("", 0.0):
            exact = score_needed(now, wanted, float(line["Expected"] or 0), float(line[self.stake] or 0))
            line["Points needed"] = float(half_points_needed(exact))
            line["Score needed"] = float(line["Points needed"] or 0) / count if count else ""
        return line

    def _stake_value(self, pool: int, aim: Mapping[str, float] | None) -> CellValue:
        if self.rule.has_rd:
            return "" if aim is None else aim[self._change]
        played = self.cells.games_of(pool)
        if played:
            return self.cells.values["k_used"][played[-1]]
        return float(self.cells.settings["k"]) if "k" in self.cells.setting_cells else ""

    def _reached(self, pool: int, rating: float) -> dict[str, CellValue]:
        games = self.cells.games_of(pool)
        below = sum(float(self.cells.peaks[i] or 0) < rating for i in games)
        row = games[below] if below < len(games) else None
        return {
            "Games below": float(below),
            "Row": 0.0 if row is None else row + 1.0,
            "Reached on": self._reached_on(pool, rating, row),
        }

    def _reached_on(self, pool: int, rating: float, row: int | None) -> CellValue:
        if self.cells.pools.starts[pool - 1]["rating"] >= rating:
            return "from the start"
        return "" if row is None else self.cells.rows[row].date or "reached"

    # The steps behind a goal

    @cached_property
    def _change(self) -> str:
        return next(name for name in CHANGES if name in self.rule.steps)

    @cached_property
    def _expects(self) -> dict[str, str]:
        at_target = f"{AT_TARGET}expected" if "rating" in self._of_rating else "expected"
        return {"Expected": "expected", "At that strength": at_target}

    @cached_property
    def _of_rating(self) -> set[str]:
        """What the expected score comes from, as far as it follows from the player's rating, and the rating."""
        found = {"rating"}
        for name in self._needed({"expected"}):
            if found & set(self.rule.steps[name].reads):
                found.add(name)
        return found

    def _needed(self, wanted: set[str]) -> list[str]:
        """Return the steps behind others, in order."""
        found = []
        for name, line in reversed(self.rule.steps.items()):
            if name in wanted and name not in HELD:
                found.append(name)
                wanted = wanted | {read.removeprefix("period_") for read in line.reads} - {"surprise"}
        return found[::-1]

    @cached_property
    def _aim_steps(self) -> list[str]:
        """The columns of the sheet Aim that are steps; those at the target's strength have a prefix."""
        now = self._needed({self._change, "expected"})
        return now + [f"{AT_TARGET}{name}" for name in now if name in self._of_rating]

    def _aim_label(self, name: str) -> str:
        if name.startswith(AT_TARGET):
            return f"{self.rule.label(name.removeprefix(AT_TARGET))} at target"
        return self.rule.label(name)

    @cached_property
    def _aims(self) -> list[dict[str, float] | None]:
        """What the steps give for each goal, None where something is not typed or the system needs none."""
        return [self._aim(row) if self.rule.has_rd else None for row in self._rows]

    def _is_ready(self, row: Mapping[str, CellValue]) -> bool:
        return self._pool(row) > 0 and "" not in (number_or(row["Games"], ""), as_rating(row["Opposition"]))

    def _aim(self, row: Mapping[str, CellValue]) -> dict[str, float] | None:
        if not self._is_ready(row):
            return None
        opponent = {"rating": float(row["Opposition"] or 0), "rd": self._opponent_rd}
        now: dict[str, float] = {**self.cells.settings, **self.plans.pool_state(self._pool(row))}
        now |= {f"opponent_{name}": value for name, value in opponent.items()}
        now |= {name: GAME_INPUTS[name] or 0.0 for name in self.rule.extra}
        now |= {published: now[name] for published, name in PUBLISHED.items()}
        now |= {after: now[before] for after, before in HELD.items() if before in now}
        now |= {"side": 0.0, "neutral": 0.0, "elapsed": 1.0, "days": 0.0, "date": 0.0, "year": 0.0}
        at_target = dict(now, rating=float(row["Target"] or 0))
        for name in self._needed({self._change, "expected"}):
            self.rule.compute(name, now)
            at_target[name] = now[name]
            if name in self._of_rating:
                self.rule.compute(name, at_target)
                now[f"{AT_TARGET}{name}"] = at_target[name]
            if name == "information":
                now["period_information"] = float(row["Games"] or 0) * now["information"]
                now["period_surprise"] = now["g"]
        return now

    @property
    def _opponent_rd(self) -> float:
        return float(number_or(self.cells.inputs.cells.get("opponent_rd"), 0.0) or 0)

    def aim(self) -> Fills:
        """Return the fills of the hidden table in which the rule runs for each goal."""
        rule, layout = self.rule, TableLayout("Aim", [], 0)
        pools = [float(self._pool(row)) if self._is_ready(row) else 0.0 for row in self._rows]

        def goal(label: str) -> str:
            return f"INDEX(Goals[{label}],[No.])"

        ready = f"AND(ISNUMBER({goal('Games')}),{is_rating(goal('Opposition'))})"
        last = "INDEX(Pools[Last row],[Pool no.])"
        formulas = {name: goal(label) for name, label in AIM_INPUTS.items()} | {"opponent_rd": "N(Opponent_RD)"}
        for state in rule.system.state:
            after = f"INDEX(Ledger[{rule.label(f'{state.name}_after')}],{last})"
            formulas[state.name] = f"IF({last}=0,{self.cells.starts[state.name]},{after})"
        formulas |= {name: self._aim_formula(name) for name in self._aim_steps}
        fills = {
            "No.": Fill([float(i) for i in range(1, len(pools) + 1)], unit="count"),
            "Pool no.": Fill(pools, layout.formula(f"IF({ready},{goal('Pool no.')},0)"), "count"),
        }
        for name, formula in formulas.items():
            values: list[CellValue] = [
                "" if aim is None else (number_or(row[AIM_INPUTS[name]], 0.0) if name in AIM_INPUTS else aim[name])
                for row, aim in zip(self._rows, self._aims, strict=True)
            ]
            label = AIM_LABELS.get(name) or self._aim_label(name)
            unit = step_unit(self.rule.system, name.removeprefix(AT_TARGET))
            fills[label] = Fill(values, layout.formula(f'IF([Pool no.]=0,"",{formula})'), unit)
        return fills

    def _aim_formula(self, name: str) -> str:
        step = name.removeprefix(AT_TARGET)
        own = dict(self.rule.trial_references) | {"side": "0"}
        own |= {"period_information": f"([Games]*[{self.rule.label('information')}])"}
        own |= {"period_surprise": f"[{self.rule.label('g')}]"}
        own |= {after: f"[{self.rule.label(before)}]" for after, before in HELD.items()}
        if step != name:
            own |= {one: f"[{self._aim_label(f'{AT_TARGET}{one}')}]" for one in self._of_rating} | {
                "rating": "[Target]"
            }
        return self.rule.formula(step, self.rule.references(self.cells.setting_cells, own))

    # Milestones

    def milestones(self) -> Fills:
        """Return the fills of the table Milestones by label."""
        layout, cells = TableLayout("Milestones", [], 0), self.cells
        typed = self.plans.typed("Milestones", ("Milestone",), MILESTONE_ROWS)["Milestone"]
        marks = [number_or(value, "") for value in typed]
        start = cells.pools.starts[cells.shown_pool - 1]["rating"]
        begun = [mark != "" and start >= float(mark or 0) for mark in marks]
        found = [
            None if mark == "" or first else self._first_at(cells.shown_pool, float(mark or 0))
            for mark, first in zip(marks, begun, strict=True)
        ]
        before = f'COUNTIFS({POOL},Ledger[Best so far],"<"&[Milestone])'
        row = f"IF([Games below]>={GAMES},0,MATCH({PART}*Pool_number+1+[Games below],Ledger[Key],0))"
        peaks = [float(cells.peaks[i] or 0) for i in cells.shown]
        below = [0.0 if mark == "" else float(sum(peak < float(mark or 0) for peak in peaks)) for mark in marks]
        is_begun, date = "INDEX(Pools[Starts at],Pool_number)>=[Milestone]", "INDEX(Ledger[Date],[Row])"

        def at(label: str) -> str:
            return f'IF([Row]=0,"",INDEX(Ledger[{label}],[Row]))'

        def pick(values: Sequence[CellValue]) -> list[CellValue]:
            return ["" if i is None else values[i] for i in found]

        on: list[CellValue] = [
            "from the start" if first else ("" if i is None else cells.rows[i].date or "reached")
            for first, i in zip(begun, found, strict=True)
        ]
        return {
            "Milestone": Fill(typed),
            "Row": Fill(
                [0.0 if i is None else i + 1.0 for i in found],
                layout.formula(f"IF(ISNUMBER([Milestone]),IF({is_begun},0,{row}),0)"),
                "count",
            ),
            "Games below": Fill(below, layout.formula(f"IF(ISNUMBER([Milestone]),{before},0)"), "count"),
            "Reached": Fill(
                on,
                layout.formula(
                    f'IF(ISNUMBER([Milestone]),IF({is_begun},"from the start",'
                    f'IF([Row]=0,"",IF({date}=0,"reached",{date}))),"")'
                ),
                "date",
            ),
            "In game": Fill(pick(cells.pool_games), layout.formula(at("Pool game")), "count"),
            "Against": Fill(pick([row.opponent for row in cells.rows]), layout.formula(at("Opponent"))),
            "Rating then": Fill(
                pick(cells.values["rating_after"]), layout.formula(at(self.rule.label("rating_after"))), "points"
            ),
        }

    def _first_at(self, pool: int, rating: float) -> int | None:
        games = self.cells.games_of(pool)
        return next((i for i in games if float(self.cells.peaks[i] or 0) >= rating), None)
