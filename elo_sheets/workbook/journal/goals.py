"""Goals and milestones of a journal: the score that brings a rating, and when one was there.

With a K each point more than expected brings K rating points. Where a rating has a deviation, what a point brings
depends on how sure the rating is and on how many games are rated together. The sheet Aim therefore runs the system's
own steps for all games of a goal as one rating period that begins now: equal opponents, the deviation of today grown by
one period, the volatility held. With both held, the new rating is a straight line in the score, and is turned round.
"""

from __future__ import annotations

from functools import cached_property

from elo_sheets.expr import Ref
from elo_sheets.formula import to_formula
from elo_sheets.odds.statistics import half_points_needed, score_needed
from elo_sheets.workbook.facts import step_unit
from elo_sheets.workbook.journal.plans import Plans, is_rating
from elo_sheets.workbook.journal.stats import Fills, numbered, pending
from elo_sheets.workbook.plan import CellValue, Fill

GOAL_ROWS = 6
MILESTONE_ROWS = 10

POSSIBLE, TOO_MUCH = "can be done", "not in so few games"

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

    @property
    def stake(self) -> str:
        """The header of what a point more brings: the player's K, or what the steps give; empty for neither."""
        return "Rating per point" if self.rule.has_rd else ("K" if self.rule.stakes_k else "")

    @cached_property
    def _typed(self) -> dict[str, list[CellValue]]:
        return self.plans.typed("Goals", GOAL_LABELS, GOAL_ROWS)

    # Goals

    @property
    def terms(self) -> dict[str, str]:
        """What the formulas of goals and milestones may name."""
        verdict = '""'
        if self.stake:
            verdict = f'IF([Points needed]="","",IF([Points needed]>[Games],"{TOO_MUCH}","{POSSIBLE}"))'
        return {
            "verdict": verdict,
            "goal_below": self.plans.games_below("[Pool no.]", "[Target]"),
            "milestone_below": self.plans.games_below("Pool_number", "[Milestone]"),
        }

    def scores(self) -> Fills:
        """Return the fills of what is expected in a goal's games, and of the points that it needs, by label."""
        return pending("Goals", self._score_formulas())

    def _score_formulas(self) -> dict[str, tuple[str, str]]:
        scale = self.rule.scale(self.cells.setting_cells)
        chance = f"1/(1+10^(([Opposition]-{{}})/{scale}))"
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
            }
        return found

    @property
    def _stake_formula(self) -> str:
        if self.rule.has_rd:
            return f"INDEX(Aim[{self._aim_label(self._change)}],[No.])"
        last, first = "INDEX(Pools[Last row],[Pool no.])", self.cells.setting_cells.get("k", '""')
        return f"IF({last}=0,{first},INDEX(Ledger[{self.rule.label('k_used')}],{last}))"

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

    def aim(self) -> Fills:
        """Return the fills of the hidden table in which the rule runs for each goal."""
        rule = self.rule
        goal = {label: f"INDEX(Goals[{label}],[No.])" for label in ("Pool no.", *GOAL_LABELS)}
        ready = f"AND(ISNUMBER({goal['Games']}),{is_rating(goal['Opposition'])})"
        found = {"Pool no.": (f"IF({ready},{goal['Pool no.']},0)", "count")}
        known = {name: goal[label] for name, label in AIM_INPUTS.items()} | {"opponent_rd": "N(Opponent_RD)"}
        for name, text in known.items():
            label = AIM_LABELS.get(name) or rule.label(name)
            found[label] = f'IF([Pool no.]=0,"",{text})', step_unit(rule.system, name)
        fills = numbered(len(self._typed["Target"]))
        fills |= pending("Aim", found)
        fills |= self.plans.rule_fills("Aim", [state.name for state in rule.system.state], {})
        return fills | {self._aim_label(name): self._aim_fill(name) for name in self._aim_steps}

    def _aim_fill(self, name: str) -> Fill:
        step = name.removeprefix(AT_TARGET)
        own = dict(self.rule.trial_references) | {"side": "0"}
        own |= {"period_information": f"([Games]*[{self.rule.label('information')}])"}
        own |= {"period_surprise": f"[{self.rule.label('g')}]"}
        own |= {after: f"[{self.rule.label(before)}]" for after, before in HELD.items()}
        if step != name:
            own |= {one: f"[{self._aim_label(f'{AT_TARGET}{one}')}]" for one in self._of_rating} | {
                "rating": "[Target]"
            }
        references = self.rule.references(self.cells.setting_cells, own)
        return self.plans.step_fill("Aim", step, references)
