"""The bank statement of one rating: what went in, each step's formula and value, and why this branch of a rule.

The values come from the replay; the formulas are the traced steps, as a sheet would hold them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any, Unpack

from elo_sheets._late import pd
from elo_sheets.errors import UsageError
from elo_sheets.expr import Call, Expr
from elo_sheets.formula import to_formula
from elo_sheets.games import GamesRead, find_name, find_player
from elo_sheets.ops import StepTable, table_step
from elo_sheets.readers import HowRead, Logs, one_by_one
from elo_sheets.replaying.periods import serial_days
from elo_sheets.replaying.replay import replay
from elo_sheets.replaying.settings import Settings, begun, origins_said, resolve
from elo_sheets.replaying.sided import AND, SidedRule, company, rated_games
from elo_sheets.replaying.source import fold, python, support
from elo_sheets.replaying.starting import Start, start_said, starts
from elo_sheets.systems import Line, Repeat, Rules, System, lines
from elo_sheets.systems import system as find_system
from elo_sheets.systems._system import EXCEL_EPOCH
from elo_sheets.systems.sides import SidedSystem
from elo_sheets.team_games import GamesOfSidesError, TeamGamesRead, shape_of, team_players
from elo_sheets.uses.loading import load
from elo_sheets.uses.of_book import as_it_rates, but_its_rule
from elo_sheets.uses.sided import OfSides, asked_of_sides

# How a formula looks a value up in a table of steps.
LOOK_UP = re.compile(r"INDEX\((\w+)\[([^]]+)\],SUMPRODUCT\(1\*\(\1\[[^]]+\]<=(.+?)\)\)\)(?!\))")


@dataclass(frozen=True)
class Explained:
    """One step: its column, its formula over names and over numbers, its value, and what decided between branches."""

    name: str
    label: str
    formula: str
    filled: str
    value: float
    because: str


@dataclass(frozen=True)
class GameEntry:
    """One game of the statement; `source`, `row` and `url` lead back to where the log tells of it.

    `origin` is where a book of ours, which the log is, has the game from.
    """

    game: int
    date: str
    opponent: str
    colour: str
    score: float
    inputs: Mapping[str, float]
    steps: Sequence[Explained]
    source: str = ""
    row: int = 0
    url: str = ""
    origin: str = ""


@dataclass(frozen=True)
class Entry:
    """One rating period of the statement: the states before it, its games, how it closes, the states after it."""

    before: Mapping[str, float]
    opening: Sequence[Explained]
    games: Sequence[GameEntry]
    sums: Mapping[str, float]
    closing: Sequence[Explained]
    after: Mapping[str, float]


def explain(
    games: pd.DataFrame,
    player: str,
    system: Rules,
    settings: Mapping[str, Any] | None = None,
    *,
    published: bool = False,
    start: Start = None,
) -> list[Entry]:
    """Return the statement of a player's rating, one entry a period, oldest first.

    The pool is replayed; with `published` the view is the journal against the opponents' published ratings. `start`
    says what players start from (see `starts`). Raises `UsageError` for a player who is not in the log (with close
    names), and for a system that is not made of steps.
    """
    if not isinstance(system, System):
        raise not_steps(system)
    name = find_player(games, player)
    values = resolve(system, settings)
    whose = name if published else None
    found = starts(start, system, games, values.typed, player=whose)
    if published:
        values = begun(system, values, found, name)
    shaped = system.shaped(values)
    history = replay(games, system, values, player=whose, start=found).history
    mine = history[history["player"] == name]
    periods: dict[int, list[dict[str, Any]]] = {}
    for row in mine.to_dict("records"):
        periods.setdefault(row["period"], []).append({str(column): value for column, value in row.items()})
    places = _places(games)
    entries = [_entry(shaped, values, periods[period]) for period in sorted(periods)]
    return [
        replace(entry, games=[replace(game, **places.get(game.game, {})) for game in entry.games]) for entry in entries
    ]


def _places(games: pd.DataFrame) -> dict[int, dict[str, Any]]:
    """Return where the log tells of each game, by its number."""
    urls, origins = (games[name] if name in games else [""] * len(games) for name in ("url", "origin"))
    rows = zip(games["game"], games["source"], games["source_row"], urls, origins, strict=True)
    return {
        int(game): {"source": str(source), "row": int(row), "url": str(url), "origin": str(origin)}
        for game, source, row, url, origin in rows
    }


@dataclass(frozen=True)
class ExplainedLogs:
    """A statement with what it was made from."""

    log: GamesRead | TeamGamesRead
    player: str
    system: System
    settings: Settings
    entries: list[Entry]
    notes: list[str]
    begins: Sequence[str] = ()  # where the settings and the start rating come from, a line each

    def __repr__(self) -> str:
        return f"<{self.player}, {self.system_name}: {len(self.entries)} rating periods>"

    @property
    def system_name(self) -> str:
        """The name of the rule, that of two players where its form for games of sides rates."""
        return str(getattr(self.system, "base", self.system).name)

    def to_frame(self) -> pd.DataFrame:
        """Return one row a game: its number, date, opponent, colour and score, and the value of each step."""
        rows = [
            {"game": game.game, "date": game.date, "opponent": game.opponent, "colour": game.colour}
            | {"score": game.score}
            | {step.name: step.value for step in (*entry.opening, *game.steps)}
            for entry in self.entries
            for game in entry.games
        ]
        return pd.DataFrame(rows).set_index("game")

    @property
    def labels(self) -> dict[str, str]:
        """The header of each state."""
        return {state.name: self.system.label(state.name) for state in self.system.state}


def explain_logs(
    logs: Logs,
    player: str,
    *,
    system: str | Rules = "elo",
    settings: Mapping[str, object] | None = None,
    published: bool = False,
    start: Start = None,
    as_book: bool = False,
    **how: Unpack[HowRead],
) -> ExplainedLogs:
    """Read logs and return the statement of a player's rating; see `explain`, and `read` for `how`.

    With `as_book` one of the logs is a workbook of elo-sheets, whose system, settings and starts count.
    """
    given = one_by_one(logs)
    own = as_it_rates(given, settings, start) if as_book else None
    if own is not None:
        how["keep_duplicates"] = how.get("keep_duplicates", False) or len(given) == 1  # a book rates each of its rows
        system, settings, start, published = own.system, own.settings, own.start, published or own.player is not None
    rules = find_system(system)
    if not isinstance(rules, System):
        raise not_steps(rules)
    try:
        if (sides := asked_of_sides(given, rules, settings, how)) is not None:
            raise sides
        journal_of = player if published else None
        # A log that lists opponents alone is the journal of the player who is asked for.
        found = load(given, rules, settings, start=start, journal_of=journal_of, player=player, book=own, **how)
    except GamesOfSidesError as error:
        return _explain_sided(OfSides(error, given, rules, settings, start, how), player, published)
    log, values = found.log, found.settings
    name = find_player(log.games, player)
    entries = explain(log.games, name, rules, values, published=published, start=found.start)
    begins = [origins_said(values)]
    begins += [start_said(found.start, name, entries[0].before["rating"])] if entries else []
    notes = found.notes if own is None else but_its_rule(found.notes)
    return ExplainedLogs(log, name, rules.shaped(values), values, entries, notes, begins)


def _explain_sided(asked: OfSides, player: str, published: bool) -> ExplainedLogs:
    """Return the statement of a player in logs of doubles, teams or tables of many."""
    if published:
        raise UsageError("games of teams or of many publish no ratings: leave out --published")
    log, system, values, found, notes = asked.load()
    name = find_name(team_players(log.games), player)
    entries = explain_sides(log.games, name, system, values, found.states)
    begins = [origins_said(values)]
    begins += [start_said(found, name, entries[0].before["rating"])] if entries else []
    form = system.shaped(values)
    return ExplainedLogs(log, name, form, values, entries, notes, begins)


def explain_sides(
    games: pd.DataFrame, player: str, system: SidedSystem, settings: Settings, states: Mapping[str, Mapping[str, float]]
) -> list[Entry]:
    """Return the statement of a player's rating in games of sides, one entry a game.

    An entry has a game for each side that the rule compares the player's with: one in a game of two sides.
    """
    rule = SidedRule(system, settings, shape_of(games)[0])
    now = {name: rule.start_of(states.get(name, {}), name) for name in team_players(games)}
    form, entries = rule.system, []
    for number, rows, rated in rated_games(rule, games, now):
        for row, found in zip(rows, rated, strict=True):
            if row["player"] != player:
                continue
            names: dict[Any, str] = {None: "the mean of the others"}
            for other in rows:
                side = other["side"]
                names[side] = f"{names[side]}{AND}{other['player']}" if side in names else other["player"]
            sides = len(names) - 1
            partners = company(rows, row)["partners"]
            with_him = {
                f"change of {other['player']}": made.row["rating_after"] - made.row["rating"]
                for other, made in zip(rows, rated, strict=True)
                if other["side"] == row["side"] and other["player"] != player
            }
            place = f"place {row['place']:g} of {sides}" if sides > 2 else ""
            told = "; ".join(filter(None, (partners and f"with {partners}", place))) or "alone"
            day = "" if row["date"] != row["date"] else row["date"].date().isoformat()
            source, line_of = str(row["source"]), int(row["source_row"])
            entry = [
                GameEntry(
                    number,
                    day,
                    names[side],
                    told,
                    values["score"],
                    {name: value for name, value in values.items() if name.startswith("opponent_") and value == value}
                    | ({"weight of this game": share} if share != 1 else {})
                    | with_him,
                    [_explained(form, settings, line, {**found.row, **values}) for line in rule.game],
                    source,
                    line_of,
                )
                for side, share, values in found.against
            ]
            everybody = company(rows, row)["opponents"]
            entry = entry or [
                GameEntry(number, day, everybody, told, found.row["score"], with_him, [], source, line_of)
            ]
            closing = [one for one in rule.closing if found.against and not one.name[-1].isdigit()]
            entries.append(
                Entry(
                    {name: found.row[name] for name in rule.states},
                    [_explained(form, settings, line, found.row) for line in (*rule.opening, *rule.side)],
                    entry,
                    {name: found.row[name] for name in rule.sums if found.against},
                    [_explained(form, settings, line, found.row) for line in closing],
                    {name: found.row[f"{name}_after"] for name in rule.states},
                )
            )
    return entries


def record(done: ExplainedLogs, entries: Sequence[Entry]) -> dict[str, Any]:
    """Return a statement as its JSON output holds it."""
    return {
        "schema": 1,
        "player": done.player,
        "system": done.system_name,
        "settings": dict(done.settings),
        "origins": dict(done.settings.origins),
        "periods": [
            {
                "before": dict(entry.before),
                "opening": [vars(step) for step in entry.opening],
                "games": [
                    {**vars(game), "inputs": dict(game.inputs), "steps": [vars(step) for step in game.steps]}
                    for game in entry.games
                ],
                "sums": dict(entry.sums),
                "closing": [vars(step) for step in entry.closing],
                "after": dict(entry.after),
            }
            for entry in entries
        ],
        **done.log.counts,
        "problems": [vars(problem) for problem in done.log.problems],
        "notes": done.notes,
    }


def not_steps(system: Rules) -> UsageError:
    """Return the error for a system that has no statement of single steps."""
    return UsageError(f"system {system.name} rates many games at once: no statement of single steps explains it")


def _entry(system: System, settings: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> Entry:
    first, last = rows[0], rows[-1]
    states = [state.name for state in system.state]
    opening = [_explained(system, settings, line, first) for line in lines(system.opening)]
    closing = []
    for step in system.closing:
        if isinstance(step, Repeat):
            closing += [_iterated(system, step, s.__name__, last) for s in step.start]
        else:
            closing.append(_explained(system, settings, next(lines([step])), last))
    return Entry(
        {name: float(first[name]) for name in states},
        opening,
        [_game(system, settings, row) for row in rows],
        {name: float(last[name]) for name in (*(f"period_{total}" for total in system.sums), "period_games")},
        closing,
        {name: float(last[f"{name}_after"]) for name in states},
    )


def _game(system: System, settings: Mapping[str, Any], row: Mapping[str, Any]) -> GameEntry:
    steps = [_explained(system, settings, line, row) for line in lines((*system.game, *system.forecast))]
    made = {step.name for step in steps} | {line.name for line in lines(system.opening)}
    read = {name for line in lines((*system.game, *system.forecast)) for name in line.reads} | {"opponent_rating"}
    inputs = {
        name: float(row[name])
        for name in sorted(read - made)
        if name in row and name not in {"date", "score"} and name not in {state.name for state in system.state}
    }
    day = row["date"]
    shown = "" if day is None or day != day else day.date().isoformat()
    return GameEntry(int(row["game"]), shown, row["opponent"], row["colour"], float(row["score"]), inputs, steps)


def _explained(system: System, settings: Mapping[str, Any], line: Line, row: Mapping[str, Any]) -> Explained:
    values: dict[str, Any] = {**settings, **row}
    if "date" in line.reads or "year" in line.reads:
        day = pd.Series([row["date"]], dtype="datetime64[ns]")
        values["date"] = float(serial_days(day)[0])
        values["year"] = float(day.dt.year.fillna(0).iloc[0])
    expr = line.trace()
    days = {"date", *(p.name for p in system.parameters if p.is_date)}

    def number(name: str) -> str:
        value = values.get(name)
        if value is None or isinstance(value, str):
            return name if value is None else f'"{value}"'
        text = in_days(float(value)) if name in days else plain(float(value))
        return f"({text})" if value < 0 else text

    chosen = fold(expr, {key: value for key, value in values.items() if isinstance(value, str)})
    return Explained(
        line.name,
        system.label(line.name),
        to_formula(expr),
        to_formula(chosen, number),
        float(row[line.name]),
        "; ".join(_decisions(expr, values, system, days)),
    )


def _iterated(system: System, repeat: Repeat, name: str, row: Mapping[str, Any]) -> Explained:
    formula = f"the last of {'' if repeat.done is None else 'at most '}{repeat.count} rounds"
    return Explained(name, system.label(name), formula, formula, float(row[name]), "")


def plain(value: float) -> str:
    """Return a number as a person would write it into a formula: at most six decimals, no trailing zeros."""
    text = f"{value:.6f}".rstrip("0").rstrip(".")
    return "0" if text in {"-0", ""} else text


def in_days(value: float) -> str:
    """Return the serial number of a day as the day that it is; 0, which is no day, as the number.

    >>> in_days(45931.0), in_days(0.0)
    ('2025-10-01', '0')
    """
    return (EXCEL_EPOCH + timedelta(days=int(value))).isoformat() if value >= 1 else plain(value)


def looked_up(formula: str) -> str:
    """Return a formula with what it looks up in a table said shortly.

    >>> looked_up("1-INDEX(T[Higher],SUMPRODUCT(1*(T[From]<=ROUND(ABS(18),0))))")
    '1-T[Higher] at ROUND(ABS(18),0)'
    """
    return LOOK_UP.sub(r"\1[\2] at \3", formula)


def _decisions(expr: Expr, values: Mapping[str, Any], system: System, days: Set[str]) -> list[str]:
    """Return, for each choice on the way to the value, its condition and whether it holds."""
    if not isinstance(expr, Call):
        parts = [getattr(expr, name) for name in ("operand", "left", "right") if hasattr(expr, name)]
        return [found for part in parts for found in _decisions(part, values, system, days)]
    if expr.function != "IF":
        return [
            found for part in expr.arguments if part is not None for found in _decisions(part, values, system, days)
        ]
    condition, yes, no = expr.arguments
    assert condition is not None
    holds = bool(_evaluate(condition, values, system))
    chosen = yes if holds else no
    found = [f"{to_formula(condition, lambda name: _named(name, values, days))}: {'yes' if holds else 'no'}"]
    return found + (_decisions(chosen, values, system, days) if chosen is not None else [])


def _named(name: str, values: Mapping[str, Any], days: Set[str]) -> str:
    value = values.get(name)
    if value is None or isinstance(value, str):
        return name if value is None else f'{name} ("{value}")'
    return f"{name} ({(in_days if name in days else plain)(float(value))})"


def _evaluate(expr: Expr, values: Mapping[str, Any], system: System) -> Any:
    texts = {name: value for name, value in values.items() if isinstance(value, str)}
    folded = fold(expr, texts)
    scope: dict[str, Any] = support()
    for table in system.tables:
        if isinstance(table, StepTable):
            scope[f"_table_{table.name}"] = _look_up(table)
    names = {name: f"v_{i}" for i, name in enumerate(values)}
    scope |= {names[name]: value for name, value in values.items()}
    return eval(python(folded, names.__getitem__), scope)


def _look_up(table: StepTable) -> Callable[[float], Any]:
    return lambda value: table_step(table, value)
