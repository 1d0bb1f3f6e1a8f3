"""The rules of the page of calculators, printed from the named steps: rating systems by their forms, and functions.

A step is printed once, however many forms of systems have it; a form is then the numbers of its steps. An iteration is
printed as a loop, which ends where its `done` says so. What is no formula (the best of many games, the exact
performance, US Chess's special formula, the climb to the AGA's most likely ratings) is written in reckoning.js and
together.js, and tests hold it equal to the library.
"""

from __future__ import annotations

import datetime
import itertools
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from elo_sheets.expr import Ref, Traced, lift
from elo_sheets.odds import calculators, event, forecast, goal, match, performance, statistics
from elo_sheets.page.javascript import javascript, own, program, tables_of
from elo_sheets.replaying.readings import step_tables
from elo_sheets.replaying.source import fold
from elo_sheets.systems import SYSTEMS, Fit, Line, Parameter, Repeat, Step, System, aga, dwz, lines, needs, uschess
from elo_sheets.systems import elo as elo_rules
from elo_sheets.systems import fide as fide_rules

# Forms of one system beyond which a setting that chooses between further ones is left at its default.
MOST_FORMS = 300

# Settings of which a page of single games makes nothing.
LEFT_OUT = {"period", "weights", "carry_over", "carry_mean", "floor", "ceiling"}

# What a person says of a game beside its result, and what is asked for it.
SAID = {
    "side": ("White or at home", "choice"),
    "neutral": ("On neutral ground", "check"),
    "points": ("Goals or points of A", "number"),
    "opponent_points": ("Goals or points of B", "number"),
    "weight": ("Weight of the match", "number"),
    "handicap": ("Handicap stones for Black", "number"),
    "knockout": ("A knockout match", "check"),
    "shootout": ("Won after a shoot-out", "check"),
    "elapsed": ("Rating periods since the last one", "number"),
    "days": ("Days since the last game", "number"),
    "seasons": ("Seasons since the last game", "number"),
}

# Steps that the calculators call by their names, as functions of what they read.
FUNCTIONS: Mapping[str, Step] = {
    **{f"expected_{curve}": step for curve, step in elo_rules.CURVES.items()},
    **{f"difference_{curve}": step for curve, step in forecast.DIFFERENCES.items()},
    "by_table": fide_rules.higher_expected,
    "gained": event.gained,
    "change_of": elo_rules.change,
    "linear_performance": performance.linear_performance,
    "table_performance": performance.table_performance,
    "score_needed": statistics.score_needed,
    "half_points_needed": statistics.half_points_needed,
    "goal_possible": statistics.goal_possible,
    "mean_rating": forecast.mean_rating,
    "elo_per_pawn": forecast.elo_per_pawn,
    "draw_shift": forecast.draw_shift,
    "egf_difference": forecast.egf_difference,
    "egf_points_before_2021": forecast.egf_points_before_2021,
    "closed_rating": aga.closed_rating,
    "win_with_draws": lambda expected, draw: forecast.odds_with_draws(expected, draw).win,
    "draw_with_draws": lambda expected, draw: forecast.odds_with_draws(expected, draw).draw,
    "loss_with_draws": lambda expected, draw: forecast.odds_with_draws(expected, draw).loss,
    "lead_chance": match.lead_chance,
    "best_of_three": lambda probability: match.best_of(probability, 3),
}

# US Chess rates an event in steps, but which of them is code: see together.js.
USCHESS: tuple[Step, ...] = (
    *(uschess.full_games, uschess.effective_games, uschess.base_k, uschess.dual_factor, uschess.k_used),
    *(uschess.expected, uschess.gain, uschess.bonus, uschess.standard_rating, uschess.linear_expected),
    *(uschess.prior_opponent, uschess.prior_score, uschess.bonus_allowed, uschess.absolute_floor_after),
    *(uschess.hundreds_below, uschess.established_floor, uschess.floor_used, uschess.peak_after),
    *(uschess.earlier_bonus_factor, uschess.bonus_factor, elo_rules.games_after, uschess.start_from_age),
    *(uschess.all_won, uschess.all_lost, uschess.one_sided_after, uschess.start_from_fide),
)

# The AGA rates all players of an event at once: what a game says, and what a player comes with, are steps.
AGA: tuple[Step, ...] = (
    *(aga.closed_rating, aga.opened_rating, aga.difference, aga.handicap_equivalent, aga.spread_of, aga.surplus),
    *(aga.expected, aga.white_wins, aga.declared_used, aga.new_sigma, aga.on_piece),
)
AGA_SEED: tuple[Step, ...] = (
    *(aga.closed_rating, aga.declared_used, aga.closed_declared, aga.promotion, aga.reseeded, aga.promoted),
    *(aga.closed_seed, aga.aged_sigma, aga.promoted_sigma, aga.seed_sigma),
)


def function(step: Step) -> str:
    """Return a step as a function of JavaScript, its parameters in their order."""
    made = lift(step(*(Traced(Ref(name)) for name in needs(step))))
    return f"({','.join(needs(step))})=>{javascript(made, str)}"


class Codes:
    """The statements that forms are made of, each kept once and named by its number."""

    def __init__(self) -> None:
        self.found: dict[str, int] = {}

    def of(self, steps: Iterable[Step | Repeat], settled: Mapping[str, Any]) -> list[int]:
        """Return the numbers of the statements of some steps."""
        return [self.found.setdefault(text, len(self.found)) for text in (_statement(one, settled) for one in steps)]

    def printed(self) -> str:
        """Return the statements as an array of functions, each of which sets columns of an object."""
        return f"[{','.join(f'v=>{{{text}}}' for text in self.found)}]"


def _statement(step: Step | Repeat, settled: Mapping[str, Any]) -> str:
    if isinstance(step, Repeat):
        start, steps = (";".join(_statement(one, settled) for one in part) for part in (step.start, step.steps))
        done = "" if step.done is None else f"&&!({_value(step.done, settled)})"
        return f"{start};for(let i=0;i<{step.count}{done};i++){{{steps}}}"
    return f"{own(step.__name__)}={_value(step, settled)}"


def _value(step: Step, settled: Mapping[str, Any]) -> str:
    return javascript(fold(Line.of(step).trace(), settled))


def choices_of(system: System) -> dict[str, tuple[Any, ...]]:
    """Return the settings that choose a form, with their values: those of a switch are 0 and anything else (1).

    Settings are taken in their order as long as there are at most `MOST_FORMS` forms.
    """
    found: dict[str, tuple[Any, ...]] = {}
    offered = [p for p in system.parameters if p.name not in LEFT_OUT]
    for parameter in sorted(offered, key=lambda p: not p.choices):
        values: tuple[Any, ...] = parameter.choices
        if not values and _is_switch(system, parameter):
            values = (0, 1)
        count = len(values)
        for chosen in found.values():
            count *= len(chosen)
        if values and count <= MOST_FORMS:
            found[parameter.name] = values
    return found


def _is_switch(system: System, parameter: Parameter) -> bool:
    if parameter.default != 0 or parameter.per_player:
        return False
    plain, other = (system.shaped(system.settings({parameter.name: value})) for value in (0, 1))
    return (plain.opening, plain.game, plain.closing) != (other.opening, other.game, other.closing)


def system_record(system: System, codes: Codes) -> dict[str, Any]:
    """Return what the page knows of a system: its settings, states and forms."""
    choices = choices_of(system)
    forms: dict[str, Any] = {}
    states: dict[str, str] = {}
    for values in itertools.product(*choices.values()):
        settings = system.settings(dict(zip(choices, values, strict=True)))
        shaped = system.shaped(settings)
        states |= {one.name: one.initial for one in shaped.state}
        forms["|".join(map(str, values))] = form_record(shaped, settings, codes)
    read = {name for form in forms.values() for name in form["reads"]}
    return {
        "title": system.title,
        "about": system.about,
        "choices": {name: list(values) for name, values in choices.items()},
        "states": [[name, system.label(name), initial] for name, initial in states.items()],
        "settings": {
            p.name: [p.label, p.meaning, p.default, list(p.choices), p.is_date, p.per_player]
            for p in system.parameters
            if p.name not in {"period", "weights"} and (p.name in read or p.name in choices)
        },
        "starts": {one: system.settled.get(one, system.settings()[one]) for one in states.values()},
        "labels": {name: system.label(name) for form in forms.values() for name in form.pop("columns")},
        "lower": system.lower_is_better,
        "forms": forms,
    }


def form_record(shaped: System, settings: Mapping[str, Any], codes: Codes) -> dict[str, Any]:
    """Return a form as the numbers of its statements, and what it reads."""
    texts = {name: value for name, value in settings.items() if isinstance(value, str)}
    made = {line.name for line in (*shaped.lines, *lines(shaped.forecast))}
    return {
        "open": codes.of(shaped.opening, texts),
        "game": codes.of((*shaped.game, *(step for step in shaped.forecast if step not in shaped.game)), texts),
        "close": codes.of(shaped.closing, texts),
        "opened": [step.__name__ for step in shaped.opening],
        "sums": list(shaped.sums),
        "states": [one.name for one in shaped.state],
        "reads": sorted(name for name in shaped.reads - made if not name.startswith(("period_", "opponent_"))),
        "expects": shaped.forecast[-1].__name__ if shaped.forecast else "expected",
        "columns": [line.name for line in shaped.lines if not line.name.rpartition("_")[2].isdecimal()],
    }


def calc_programs() -> str:
    """Return the programs of one game, by gap rule: what is given, and the columns."""
    made = []
    for rule in calculators.RULES:
        columns = calculators.calc_columns(
            1500, 1500, calculators.Pair(20, 20), games=1, rule=rule, as_of=datetime.date(2000, 1, 1)
        )
        given = {name: value for name, value in columns.given.items() if not isinstance(value, str)}
        made.append(f"{json.dumps(rule)}:[{json.dumps(given)},{program(columns.lines, columns.given)}]")
    return "{" + ",".join(made) + "}"


def event_forms(codes: Codes) -> dict[str, Any]:
    """Return the forms in which a given K stands in for FIDE's rule."""
    fide = SYSTEMS["fide"]
    assert isinstance(fide, System)
    found = {}
    for kind in ("standard", "rapid", "blitz"):
        settings = fide.settings({"kind": kind, "rules": "dated"})
        shaped = fide.shaped(settings)
        closing = tuple(event.given_k if getattr(step, "__name__", "") == "k" else step for step in shaped.closing)
        record = form_record(_unchecked(shaped, closing), settings, codes)
        record.pop("columns")
        found[kind] = record
    return found


def _unchecked(shaped: System, closing: Sequence[Step | Repeat]) -> System:
    parameter = Parameter("k_given", 20.0, "K given", "K instead of the rule's", minimum=0.0)
    return replace(shaped, parameters=(*shaped.parameters, parameter), closing=tuple(closing))


def repeated(steps: Sequence[Step | Repeat], settled: Callable[[], Mapping[str, Any]] = dict) -> str:
    """Return a program of steps and iterations."""
    return "v=>{" + ";".join(_statement(step, settled()) for step in steps) + ";return v}"


def printed(programs: Sequence[str] = ()) -> str:
    """Return every rule of the page as JavaScript: constants that reckoning.js reads.

    The tables are those that they and further programs read.
    """
    codes = Codes()
    systems = {name: system_record(one, codes) for name, one in SYSTEMS.items() if isinstance(one, System)}
    given_k = event_forms(codes)
    named = [f"{json.dumps(name)}:{function(step)}" for name, step in FUNCTIONS.items()]
    us, go = ([f"{step.__name__}:{function(step)}" for step in steps] for steps in (USCHESS, AGA))
    uschess_settings = uschess.USCHESS.settings()
    parts = {
        "CODES": codes.printed(),
        "SYSTEMS": _json(systems),
        "FIDE_GIVEN_K": _json(given_k),
        "F": "{" + ",".join(named) + "}",
        "US": "{" + ",".join(us) + "}",
        "US_SETTINGS": _json({k: v for k, v in uschess_settings.items() if not isinstance(v, str)}),
        "US_BONUS": _json([needs(uschess.earlier_bonus_factor), needs(uschess.bonus_factor)]),
        "AGA": "{" + ",".join([*go, f"seed:{repeated(AGA_SEED)}"]) + "}",
        "CALC": calc_programs(),
        "LABELLE": repeated(forecast.LABELLE),
        "TENNIS": repeated(match.TENNIS),
        "CONSTANTS": _json(constants()),
    }
    tables = tables_of([*parts.values(), *programs], step_tables())
    texts = "\n".join(f"const {name}={text};" for name, text in parts.items())
    return f"const TABLES={tables};\n{texts}"


def constants() -> dict[str, Any]:
    """Return the numbers that the calculators' code reads."""
    return {
        "draw_pawns": forecast.DRAW_PAWNS,
        "first_move_pawns": forecast.FIRST_MOVE_PAWNS,
        "aga_sigma": forecast.AGA_SIGMA,
        "norms": {title: list(norm) for title, norm in goal.NORMS.items()},
        "norm_games": goal.NORM_GAMES,
        "shares": goal.SHARES,
        "far": performance.FAR,
        "halvings": performance.HALVINGS,
        "most_games": match.MOST_GAMES,
        "details": event.DETAILS,
        "said": SAID,
        "why": calculators.WHY,
        "us_settled": dict(uschess.USCHESS.settled),
        "special_games": uschess.SPECIAL_GAMES,
        "special_ceiling": uschess.SPECIAL_CEILING,
        "lowest": uschess.LOWEST,
        "full_event": uschess.FULL_EVENT,
        "exact": uschess.EXACT,
        "match": {"games": uschess.ESTABLISHED_GAMES, "gap": uschess.MATCH_GAP, "limit": uschess.MATCH_LIMIT},
        "aga": {
            **{p.name: p.default for p in aga.AGA.parameters if isinstance(p.default, float)},
            "knots": [aga.KNOTS, aga.KNOT_SIGMAS, aga.spline_bends()],
            "scale": [aga.WEAKEST, aga.STRONGEST],
            "points": [aga.POINTS, aga.FIRST_POINT, aga.SPACING],
            "tail": [aga.TAIL, aga.TAIL_LEVELS],
        },
        "dwz_digits": dwz.PERFORMANCE_DIGITS,
        "fits": left_out(),
    }


def left_out() -> str:
    """Return the sentence that says which systems the page does not have, and why."""
    *names, last = [one.title for one in SYSTEMS.values() if isinstance(one, Fit)]
    return (
        f"{', '.join(names)} and {last} fit a whole log of many games and are not on this page: the command has them."
    )


def _json(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).replace("</", "<\\/")
