"""The battery that checks our rating systems, for everybody's.

`check_system` asks of a system what every rating rule must keep: one rule in all its readings, both sides treated
alike, a draw that never lifts the favourite, and no meaning in names or in the order of a period's games. It cannot
know whether the rule is the right one: only published answers can.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from typing import Any

from elo_sheets._late import pd
from elo_sheets.errors import EloSheetsError, UsageError
from elo_sheets.formula import PORTABLE, functions, parse, to_formula
from elo_sheets.replaying.history import forecast_column
from elo_sheets.systems import GAME_INPUTS, Line, Repeat, System, is_built_in, lines

# Sums may be added in another order, and engines keep 15 digits.
CLOSE = 1e-9
ENGINE_CLOSE = 1e-7
# An iteration may stop a round earlier or later where the last digit decides.
ITERATED_CLOSE = 1e-6


def check_system(
    system: System,
    settings: Mapping[str, Any] | None = None,
    *,
    seed: int = 0,
    engine: str | None = "ironcalc",
    leave_out: Sequence[str] = (),
) -> None:
    """Raise `AssertionError` that lists every property that the system breaks.

    The checks, by name: `formulas` (every step traces to portable functions and reads back), `labels`, `books` (the
    templates that fit hold a rule that is not built in without two columns of one header), `readings` (floats, arrays,
    the replay's source and, with numba, compiled code agree), `recalculated` (a spreadsheet engine gives the same
    values; None leaves it out), `group-by`, `swap`, `order`, `names`, `score` (a better result never gives a lower
    rating), `draw` (a draw never lifts the favourite), `sum` (expected scores sum to one, where the system says so),
    `idle` (uncertainty never shrinks while idle). `leave_out` names checks that a rule breaks on purpose. `seed`
    chooses the random games.

    >>> from elo_sheets.systems import system
    >>> check_system(system("elo"), {"k": 32})
    """
    unknown = [name for name in leave_out if name not in CHECKS]
    if unknown or not isinstance(system, System):
        raise UsageError(
            f"expected a System, and checks to leave out among {', '.join(CHECKS)}, got {system!r:.40} and {unknown}"
        )
    values = system.settings(settings)
    shaped, built_in = system.shaped(values), is_built_in(system)
    broken = []
    for name, check in CHECKS.items():
        if name in leave_out or (name == "recalculated" and engine is None) or (name == "books" and built_in):
            continue
        try:
            found = check(shaped, values, seed, engine) if name == "recalculated" else check(shaped, values, seed)
        except (EloSheetsError, ArithmeticError, ValueError) as error:
            found = f"{type(error).__name__}: {error}"
        if found:
            broken.append(f"{name}: {found}")
    if broken:
        raise AssertionError(f"system {system.name} breaks {len(broken)} properties:\n" + "\n".join(broken))


# Random inputs


def random_rows(system: System, settings: Mapping[str, Any], seed: int, count: int = 50) -> list[dict[str, Any]]:
    """Return what the steps of a game may read, at random but possible: states near the initial ones."""
    import random

    generator = random.Random(seed)
    rows = []
    for _ in range(count):
        row: dict[str, Any] = dict(settings)
        for prefix in ("", "opponent_"):
            row |= {f"{prefix}{name}": value for name, value in _random_states(system, settings, generator).items()}
        row |= {"elapsed": float(generator.randint(1, 6)), "days": float(generator.randint(0, 400))}
        row |= {"seasons": float(generator.randint(0, 1)), "date": float(generator.randint(43000, 46500))}
        row["year"] = float(generator.randint(2017, 2026))
        points = [float(generator.randint(0, 5)) for _ in range(2)]
        row |= {"points": points[0], "opponent_points": points[1]}
        row["score"] = 0.5 + math.copysign(0.5, points[0] - points[1]) * (points[0] != points[1])
        row |= {"side": generator.choice((1.0, -1.0)), "neutral": float(generator.randint(0, 1)), "weight": 0.0}
        row |= {"handicap": 0.0, "komi": 7.5, "knockout": 0.0, "shootout": 0.0, "widest": 1.0}
        rows.append(row)
    return rows


def _random_states(system: System, settings: Mapping[str, Any], generator: Any) -> dict[str, float]:
    found: dict[str, float] = {}
    for state in system.state:
        initial = float(settings[state.initial])
        if initial == 0:
            found[state.name] = float(generator.randint(0, 60))
        elif state.name == "rating":
            found[state.name] = initial * generator.uniform(0.8, 1.2)
            if abs(initial) >= 100:  # lists of such ratings are printed in whole points, and some rules round
                found[state.name] = float(round(found[state.name]))
        else:
            found[state.name] = initial * generator.uniform(0.4, 1.0)
    for parameter in system.parameters:
        if parameter.per_player:
            found[parameter.name] = float(settings[parameter.name])
    return found


def sample_log(seed: int, players: int = 8, games: int = 60) -> pd.DataFrame:
    """Return a games table at random, with dates over half a year, goals, events and seasons."""
    import random
    from datetime import date, timedelta

    from elo_sheets.games import make_games

    generator = random.Random(seed)
    names = [f"Player {i}" for i in range(1, players + 1)]
    records = []
    day = date(2025, 1, 5)
    for number in range(games):
        day += timedelta(days=generator.randint(0, 5))
        white, black = generator.sample(names, 2)
        goals = generator.randint(0, 4), generator.randint(0, 4)
        records.append(
            {
                "date": day.isoformat(),
                "white": white,
                "black": black,
                "score": 0.5 if goals[0] == goals[1] else float(goals[0] > goals[1]),
                "white_points": goals[0],
                "black_points": goals[1],
                "event": f"Event {number // 12 + 1}",
                "season": str(2025 + number // 30),
                "source": "sample",
                "source_row": number + 1,
            }
        )
    return make_games(records)


# The checks: each returns what is wrong, or nothing


def _every_line(system: System) -> list[Line]:
    return list(lines((*system.opening, *system.game, *system.forecast, *system.closing)))


def _formulas(system: System, settings: Mapping[str, Any], seed: int) -> str:
    for line in _every_line(system):
        text = to_formula(line.trace(), {name: f"[{name}]" for name in line.reads})
        strange = functions(parse(text)) - PORTABLE
        if strange:
            return f"step {line.name} uses {', '.join(sorted(strange))}, which not every spreadsheet program has"
        if to_formula(parse(text)) != text:
            return f"step {line.name} does not read back: {text}"
    return ""


def _labels(system: System, settings: Mapping[str, Any], seed: int) -> str:
    names = [state.name for state in system.state] + [line.name for line in lines((*system.opening, *system.game))]
    names += [f"period_{name}" for name in system.sums] + ["period_games"]
    names += [s.__name__ for s in system.closing if not isinstance(s, Repeat)]
    labels = [system.label(name).lower() for name in names]
    twice = {label for label in labels if labels.count(label) > 1}
    return f"two columns are called {', '.join(sorted(twice))}" if twice else ""


def _books(system: System, settings: Mapping[str, Any], seed: int) -> str:
    from elo_sheets.workbook.build import blank_book, plan_book
    from elo_sheets.workbook.fits import check_fits
    from elo_sheets.workbook.templates import NAMES, template_settings

    for name in NAMES:
        try:
            check_fits(name, system, template_settings(name, system, settings))
        except UsageError:
            continue
        plan_book(blank_book(name, system, settings, 2))
    return ""


def _readings(system: System, settings: Mapping[str, Any], seed: int) -> str:
    from elo_sheets.replaying.readings import READ

    rows = _as_columns(system, settings, seed)
    names = _compared(system, rows[0].lines)
    close = _closeness(system, CLOSE)
    floats = READ["floats"](rows)
    for reading in ("arrays", "source", *(["compiled"] if find_spec("numba") else [])):
        for row, other in zip(floats, READ[reading](rows), strict=True):
            for name in names:
                a, b = float(row[name]), float(other[name])
                if not _near(a, b, close):
                    return f"step {name} gives {a!r} on floats and {b!r} by {reading}"
    return ""


def _as_columns(system: System, settings: Mapping[str, Any], seed: int) -> list[Any]:
    from elo_sheets.replaying.cases import Columns

    found = []
    opening = list(lines(system.opening))
    game = list(lines((*system.game, *system.forecast)))
    closing = list(lines(system.closing))
    for row in random_rows(system, settings, seed):
        theirs = [
            Line(f"opponent_{line.name}", line.step, tuple(_opponents(read, row, opening) for read in line.reads))
            for line in opening
        ]
        sums = [Line(f"period_{name}", lambda value: value, (name,)) for name in system.sums]
        row["period_games"] = 1.0
        every = (*opening, *theirs, *game, *sums, *closing)
        given = {name: row[name] for line in every for name in line.reads if name in row}
        found.append(Columns("", given, every, {}, CLOSE))
    # The same steps for every row, so that arrays have more than one element.
    return [Columns("", row.given, found[0].lines, {}, CLOSE) for row in found]


def _opponents(name: str, row: Mapping[str, Any], opening: Sequence[Line]) -> str:
    theirs = f"opponent_{name}"
    return theirs if theirs in row or name in {line.name for line in opening} else name


def _compared(system: System, found: Sequence[Line]) -> list[str]:
    """Return the columns that readings must agree on: not the rounds of an iteration, nor its bracket."""
    inner = {line.name for step in system.closing if isinstance(step, Repeat) for line in lines([step])}
    return [line.name for line in found if line.name not in inner]


def _closeness(system: System, close: float) -> float:
    stops = any(isinstance(step, Repeat) and step.done is not None for step in system.closing)
    return ITERATED_CLOSE if stops else close


def _near(a: float, b: float, close: float) -> bool:
    return abs(a - b) <= close * max(1.0, abs(a), abs(b))


def _recalculated(system: System, settings: Mapping[str, Any], seed: int, engine: str) -> str:
    from elo_sheets.conformance import by_engine
    from elo_sheets.replaying.readings import by_floats

    rows = _as_columns(system, settings, seed)[:10]
    names = _compared(system, rows[0].lines)
    close = _closeness(system, ENGINE_CLOSE)
    for row, other in zip(by_floats(rows), by_engine(rows, engine), strict=True):
        for name in names:
            if not _near(float(row[name]), float(other[name]), close):
                return f"step {name} gives {float(row[name])!r} on floats and {other[name]!r} by {engine}"
    return ""


def _ratings(system: System, settings: Mapping[str, Any], games: pd.DataFrame, **how: Any) -> dict[str, float]:
    from elo_sheets.replaying.replay import replay

    table = replay(games, system, settings, history=False, **how).ratings
    return dict(zip(table["player"], table["rating"].tolist(), strict=True))


def _differ(a: Mapping[str, float], b: Mapping[str, float]) -> str:
    worst = max(a, key=lambda name: abs(a[name] - b[name]))
    return "" if _near(a[worst], b[worst], CLOSE) else f"{worst} has {a[worst]!r} and {b[worst]!r}"


def _group_by(system: System, settings: Mapping[str, Any], seed: int) -> str:
    import random

    from elo_sheets.replaying.grouped import rate_period
    from elo_sheets.replaying.replay import game_arrays, replay

    if "widest" in system.reads:
        return ""
    one = sample_log(seed, games=30)
    one["event"] = "Event 1"
    values = {**settings, "period": "event"}
    arrays, names = game_arrays(one, system, values)
    states = pd.DataFrame(index=pd.Index(names))
    generator = random.Random(seed)
    people = {name: _random_states(system, settings, generator) for name in names}
    for column in people[names[0]]:
        states[column] = [people[name][column] for name in names]
    for name, value in {"elapsed": 1.0, "days": 0.0, "seasons": 0.0}.items():
        states[name] = value
    # A closing step reads the day of the player's last game, an opening step that of his first: one day fits both.
    one["date"] = one["date"].iloc[0]
    arrays, names = game_arrays(one, system, values)
    for name in ("date", "year"):
        column = getattr(arrays, name)
        states[name] = 0.0 if column is None else column[0]
    games = one[["white", "black", "score"]].copy()
    for name, default in GAME_INPUTS.items():
        if name in system.reads and name not in {"score", "side"}:
            games[name] = arrays.inputs.get(name, default)
    grouped = rate_period(states, games, system, values)["rating"]
    table = replay(one, system, values, start=people).ratings
    looped = dict(zip(table["player"], table["rating"].tolist(), strict=True))
    return _differ({name: float(grouped[name]) for name in names}, looped)


def _swap(system: System, settings: Mapping[str, Any], seed: int) -> str:
    games = sample_log(seed)
    games["neutral"] = True
    swapped = games.rename(columns=_swapped).assign(score=1 - games["score"])[games.columns.tolist()]
    if "side" in system.reads and "neutral" not in system.reads:
        return ""
    return _differ(_ratings(system, settings, games), _ratings(system, settings, swapped))


def _swapped(name: str) -> str:
    if name.startswith("white"):
        return "black" + name.removeprefix("white")
    return "white" + name.removeprefix("black") if name.startswith("black") else name


def _order(system: System, settings: Mapping[str, Any], seed: int) -> str:
    games = sample_log(seed)
    games["date"] = games["date"].iloc[0]
    games["event"], games["season"] = "Event 1", "2025"
    values = {**settings, "period": "event"}
    turned = games.iloc[::-1].reset_index(drop=True).assign(game=games["game"])
    return _differ(_ratings(system, values, games), _ratings(system, values, turned))


def _names(system: System, settings: Mapping[str, Any], seed: int) -> str:
    games = sample_log(seed)
    renamed = games.assign(**{side: games[side].str.replace("Player", "Žofie =1+") for side in ("white", "black")})
    after = _ratings(system, settings, renamed)
    return _differ(_ratings(system, settings, games), {k.replace("Žofie =1+", "Player"): v for k, v in after.items()})


def _one_game(system: System, row: Mapping[str, Any], score: float) -> dict[str, Any]:
    """Return every column of a period of one game, with that score and goals to fit."""
    from elo_sheets.replaying.cases import Columns
    from elo_sheets.replaying.readings import by_floats

    goals = {1.0: (1.0, 0.0), 0.5: (1.0, 1.0), 0.0: (0.0, 1.0)}[score]
    given = {**row, "score": score, "points": goals[0], "opponent_points": goals[1], "period_games": 1.0}
    opening = list(lines(system.opening))
    theirs = [
        Line(f"opponent_{line.name}", line.step, tuple(_opponents(read, row, opening) for read in line.reads))
        for line in opening
    ]
    sums = [Line(f"period_{name}", lambda value: value, (name,)) for name in system.sums]
    every = (*opening, *theirs, *lines((*system.game, *system.forecast)), *sums, *lines(system.closing))
    return dict(by_floats([Columns("", given, every, {}, CLOSE)])[0])


def _better(system: System) -> float:
    return -1.0 if system.lower_is_better else 1.0


def _score(system: System, settings: Mapping[str, Any], seed: int) -> str:
    for row in random_rows(system, settings, seed, 20):
        after = [_better(system) * _one_game(system, row, score)["rating_after"] for score in (0.0, 0.5, 1.0)]
        if not (after[0] <= after[1] + CLOSE and after[1] <= after[2] + CLOSE):
            return f"a loss, a draw and a win give {after} from {_shown(system, row)}"
    return ""


def _draw(system: System, settings: Mapping[str, Any], seed: int) -> str:
    name = forecast_column(system)
    for row in random_rows(system, settings, seed, 40):
        drawn = _one_game(system, row, 0.5)
        before = drawn.get("start_rating", row["rating"])
        gain = _better(system) * (drawn["rating_after"] - before)
        if float(drawn[name]) > 0.5 and gain > CLOSE:
            return f"a draw lifts who expects {float(drawn[name]):.3f} by {gain:.6g}: {_shown(system, row)}"
    return ""


def _sum(system: System, settings: Mapping[str, Any], seed: int) -> str:
    if not (system.zero_sum or system.opposite):
        return ""
    name = forecast_column(system)
    for row in random_rows(system, settings, seed, 40):
        other = dict(row) | {"side": -row["side"]}
        personal = [key for key in row if f"opponent_{key}" in row and key != "points"]
        for key in personal:
            other[key], other[f"opponent_{key}"] = row[f"opponent_{key}"], row[key]
        total = float(_one_game(system, row, 0.5)[name]) + float(_one_game(system, other, 0.5)[name])
        if not _near(total, 1.0, CLOSE):
            return f"the two expected scores sum to {total!r}: {_shown(system, row)}"
    return ""


def _idle(system: System, settings: Mapping[str, Any], seed: int) -> str:
    opening = [line.name for line in lines(system.opening) if line.name not in {"start_rating"}]
    for row in random_rows(system, settings, seed, 20):
        before = dict.fromkeys(opening, -math.inf)
        for elapsed in range(1, 40, 4):
            at = dict(row) | {"elapsed": float(elapsed), "days": 30.0 * elapsed}
            drawn = _one_game(system, at, 0.5)
            for name in opening:
                if drawn[name] < before[name] - CLOSE:
                    return f"{name} shrinks from {before[name]!r} to {drawn[name]!r} after {elapsed} periods"
                before[name] = float(drawn[name])
    return ""


def _shown(system: System, row: Mapping[str, Any]) -> str:
    names = [state.name for state in system.state]
    return ", ".join(f"{name} {row[name]:.6g} v {row['opponent_' + name]:.6g}" for name in names)


CHECKS: dict[str, Callable[..., str]] = {
    "formulas": _formulas,
    "labels": _labels,
    "books": _books,
    "readings": _readings,
    "recalculated": _recalculated,
    "group-by": _group_by,
    "swap": _swap,
    "order": _order,
    "names": _names,
    "score": _score,
    "draw": _draw,
    "sum": _sum,
    "idle": _idle,
}

__all__ = ["CHECKS", "check_system", "random_rows", "sample_log"]
