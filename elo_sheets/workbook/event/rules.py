"""What an event's sheets take from each federation: which settings stand on Start, what is typed of a player.

A federation's rule is the one of `systems`; US Chess, which rates a section jointly, is laid out by `uschess`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from elo_sheets.errors import UsageError
from elo_sheets.replaying.settings import Settings
from elo_sheets.systems import JointSystem, Rules, State, System, uschess
from elo_sheets.systems._system import Parameter, called

# Settings that are facts about a player: an event's book has them in the columns of Players.
FACTS = {
    "fide": {"initial", "initial_games", "initial_peak", "born"},
    "dwz": {"initial", "initial_index", "born"},
    "uschess": {
        "initial_games",
        "initial_one_sided",
        "initial_absolute_floor",
        "initial_peak",
        "assigned_floor",
        "matches",
    },
}


@dataclass(frozen=True)
class Fact:
    """A fact that a rule reads of a player: its column in Players, and what stands for an empty cell.

    `unrated` stands for it where no rating is typed either; None: the same.
    """

    label: str
    empty: float
    unrated: float | None = None

    @property
    def about(self) -> str:
        """What the column on Ratings says, in a sentence."""
        new = "" if self.unrated is None else f", {self.unrated:g} for a player without a rating"
        return f"As typed on Players; left empty it is {self.empty:g}{new}."


# What the closing steps read of a player. An empty cell means a settled, grown-up player, or one without any game yet.
PERSONAL: dict[str, dict[str, Fact]] = {
    "fide": {"games": Fact("Games", 30.0, unrated=0.0), "peak": Fact("Highest", 0.0), "born": Fact("Born", 0.0)},
    "dwz": {"index": Fact("Index", 6.0), "born": Fact("Born", 0.0)},
    "uschess": {
        "games": Fact("Games", 50.0, unrated=0.0),
        "one_sided": Fact("One-sided", 0.0),
        "absolute_floor": Fact("Absolute floor", uschess.LOWEST),
        "peak": Fact("Peak", 0.0),
        "assigned_floor": Fact("Assigned floor", 0.0),
    },
}


def typed_facts(rules: Rules, settings: Settings) -> dict[str, float]:
    """Return what the user said of every player as settings, by the columns of Players that hold it.

    The initial rating is there for the federations that rate a newcomer by his first games; US Chess gives him one.
    """
    personal = PERSONAL[rules.name]
    columns = {name: personal[fact].label for name in FACTS[rules.name] if (fact := _fact_of(name)) in personal}
    columns |= {"initial": "Rating"} if "initial" in FACTS[rules.name] else {}
    return {columns[name]: float(settings[name]) for name in sorted(settings.typed & columns.keys())}


def newcomer_facts(rules: Rules) -> dict[str, float]:
    """Return what stands in the columns of Players for a newcomer who is given a rating."""
    names = rules.settled
    return {PERSONAL[rules.name][_fact_of(p.name)].label: float(p.default) for p in rules.parameters if p.name in names}


def _fact_of(setting: str) -> str:
    return setting.removeprefix("initial_")


# The step whose value may be typed for a player instead, and its column in Players, by the system's own steps.
TYPED_STEP = {("fide", "k"): "K", ("dwz", "development"): "E", ("dwz", "base_k"): "K"}


class EventRules(System):
    """A system as an event's book shows it: without the settings that are facts about a player."""

    @property
    def live(self) -> tuple[Parameter, ...]:
        return tuple(p for p in super().live if p.name not in FACTS.get(self.name, set()))

    @property
    def personal(self) -> Mapping[str, Fact]:
        """What the rule reads of a player, by the name that its steps read."""
        return PERSONAL[self.name]

    @property
    def edition(self) -> str:
        """Which of a federation's rules this is, as the template tells them apart."""
        names = {line.name for line in self.lines}
        if "widest" in self.reads:
            return "dated"
        return "2014" if "development" in names else "2026" if "base_k" in names else ""

    def typed_step(self, name: str) -> str | None:
        """Return the column of Players that stands for a step where something is typed into it."""
        return TYPED_STEP.get((self.name, name))


def event_rules(rules: Rules) -> Rules:
    """Return a federation's rules as an event's book shows them; other systems come back as they are."""
    if rules.name not in FACTS:
        return rules
    plain = _uschess(rules) if isinstance(rules, JointSystem) else rules
    assert isinstance(plain, System)
    return _as_event(plain, plain.variant)


def _as_event(system: System, variant: Any) -> EventRules:
    made = EventRules(**{f.name: getattr(system, f.name) for f in fields(System)})
    if variant is None:
        return made
    return replace(made, variant=lambda settings: _as_event(replace(variant(settings), variant=None), None))


@called("rating_after")
def section_rating(rating: Any, bonus_factor: Any, dual_factor: Any, period_score: Any, period_expected: Any) -> Any:
    """Stand for the passes over a section, so that the settings that they read stand on Start."""
    return rating + bonus_factor + dual_factor * (period_score - period_expected)


def _uschess(rules: JointSystem) -> System:
    """Return the settings, sources and curve of US Chess; the passes over a section are laid out elsewhere."""

    def section(settings: Mapping[str, Any]) -> System:
        if settings["matches"] == "yes":
            raise UsageError("template event rates sections, no matches: leave out --set matches=yes, or use replay")
        return made

    same = ("name", "title", "about", "sources", "parameters", "deviations", "labels")
    made = System(
        **{name: getattr(rules, name) for name in same},
        state=(State("rating", "initial"),),
        game=(uschess.expected,),
        sums=("score", "expected"),
        closing=(uschess.earlier_bonus_factor, uschess.bonus_factor, uschess.dual_factor, section_rating),
        variant=section,
    )
    return made
