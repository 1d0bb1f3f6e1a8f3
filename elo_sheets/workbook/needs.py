"""What a template may need of a rating system: the words that its TOML uses, and the reasons that a refusal gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from elo_sheets.errors import UsageError
from elo_sheets.systems import SYSTEMS, Rules, System, is_built_in


class Need(NamedTuple):
    """What a system has to do, as a sentence about it goes on; and whether one with its default settings does."""

    says: str
    holds: Callable[[System], bool]


def _defaults(system: System) -> Mapping[str, Any]:
    return {parameter.name: parameter.default for parameter in system.parameters}


# The closed vocabulary. Every need but the first is asked of a system of steps in its default form.
NEEDS = {
    "steps": Need("rates game by game or by periods, in steps that are formulas", lambda system: True),
    "expected score": Need(
        "has a step expected, the score that it expects of a game",
        lambda system: "expected" in {line.name for line in system.lines},
    ),
    "higher is better": Need("takes the higher rating for the better one", lambda system: not system.lower_is_better),
    "rates each game": Need(
        "rates after each game unless told otherwise", lambda system: _defaults(system)["period"] == "game"
    ),
    "rating alone": Need(
        "carries nothing but the rating from game to game",
        lambda system: [state.name for state in system.state] == ["rating"],
    ),
    "even games": Need("asks for no handicap of a game", lambda system: "handicap" not in system.reads),
}


def check_words(form: Mapping[str, Any], name: str) -> None:
    """Raise `UsageError` for a template that needs what nobody knows."""
    unknown = [word for word in form.get("needs", ()) if word not in NEEDS]
    if unknown or not ("needs" in form) ^ ("rules" in form):
        raise UsageError(
            f"template {name}: expected needs among {', '.join(NEEDS)}, or rules that are built in, got {unknown}"
        )


def lacking(form: Mapping[str, Any], rules: Rules) -> str:
    """Return why a template cannot hold a system, as a sentence goes on; "" where it can."""
    if "rules" in form:
        names: Sequence[str] = form["rules"]
        other = rules.name if rules.name not in names else f"a rule of one's own of the name {rules.name}"
        if rules.name in names and is_built_in(rules):
            return ""
        return f"holds the rules of {', '.join(names)} as their sources print them, not {other}"
    if not isinstance(rules, System):
        return f"needs a system that {NEEDS['steps'].says}; {rules.name} rates many games at once"
    shaped = rules.shaped(_defaults(rules))
    failed = next((NEEDS[word] for word in form["needs"] if not NEEDS[word].holds(shaped)), None)
    return "" if failed is None else f"needs a system that {failed.says}, which {rules.name} does not"


def fitting(form: Mapping[str, Any], fits: Callable[[Rules], bool]) -> tuple[str, ...]:
    """Return the names of the built-in systems that a template holds, its first one in front."""
    names = [name for name, rules in SYSTEMS.items() if fits(rules)]
    names.sort(key=[form["first"], *form.get("rules", ()), *names].index)
    return tuple(names)
