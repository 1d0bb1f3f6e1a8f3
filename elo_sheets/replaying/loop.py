"""The replay as one loop over arrays, written for a system and its settings, run plainly or compiled by numba.

Both players of a game are rated from the same snapshot: the states at the start of the period. The loop keeps one
number a player for each state and, while a period lasts, for each opening step and sum; so memory is proportional to
the players and to the columns asked for, not to the games.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from inspect import isfunction
from typing import Any

from elo_sheets.errors import FormulaError, UsageError
from elo_sheets.ops import StepTable, table_step
from elo_sheets.replaying.kept import kept_source
from elo_sheets.replaying.source import NUMBER, fold, python, support
from elo_sheets.systems import GAME_INPUTS, PERIOD_INPUTS, Line, Repeat, Step, System, lines

# Inputs of a game that the loop turns to each side; the others are the same for both.
_SIDES = {"score", "side", "points", "opponent_points", "shootout", "widest"}
_WORD = re.compile(r"[^\W\d]\w*")
_ASSIGNED = re.compile(r"( +)([\w\[\]]+) \+?= ")
# A sum or product of numbers that are known: nothing in it raises an error.
_SUM = re.compile(r"( +)(\w+) = (?!.*(?:\w\(|\*\*|\b(?:if|and|or|not)\b))([\w.\[\] ()+*-]+)")
_COMMON = tuple(name for name in GAME_INPUTS if name not in _SIDES)


@dataclass(frozen=True)
class Loop:
    """A loop for one system in one form: its source, what it reads, and the columns it can store.

    `per_game` is the form for periods of one game, `journal` that for one player against published ratings. Of
    `columns`, history columns are stored for each game and side; none are needed for final states.
    """

    system: System
    settings: Mapping[str, Any]
    per_game: bool
    journal: bool = False
    columns: tuple[str, ...] = ()
    # Inputs that the log does not have: their defaults stand in the source and cost no memory.
    absent: frozenset[str] = frozenset()

    @property
    def letters(self) -> int:
        """How many letters the source has that runs as it is: about as many as half a nanosecond's work a game."""
        return len(_Writer(self, compiled=False).source())

    def make(self, compiled: bool) -> tuple[Callable[..., None], list[str], dict[str, float]]:
        """Return the function, its arguments' names, and the values of the steps that the settings alone decide.

        Raises `ImportError` where numba is asked for and not installed.
        """
        writer = _Writer(self, compiled)
        source = writer.source()
        tables = tuple(table for table in self.system.tables if isinstance(table, StepTable))
        return _function(source, tables, compiled), writer.arguments, writer.hoisted


@lru_cache(maxsize=1024)
def _function(source: str, tables: tuple[StepTable, ...], compiled: bool) -> Callable[..., Any]:
    """Return the function `run` of the source; made once and kept between runs, because compiling takes a second."""
    scope = _compiled_scope(tables) if compiled else support()
    if not compiled:
        scope |= {f"_table_{table.name}": _plain_table(table) for table in tables}
    kept = kept_source(source, (_compiled_scope, *support().values(), *tables)) if compiled else None
    # Where numba looks for the names of machine code that was kept.
    scope["__name__"] = __name__
    exec(compile(source, str(kept or "<replay>"), "exec"), scope)
    run: Callable[..., Any] = scope["run"]
    if compiled:
        import numba

        run = numba.njit(run, cache=kept is not None)
    return run


def _plain_table(table: StepTable) -> Callable[[float], float]:
    return lambda value: table_step(table, value)


def _compiled_scope(tables: Sequence[StepTable]) -> dict[str, Any]:
    import numba
    import numpy

    def table_of(table: StepTable) -> Any:
        starts, values = numpy.array(table.starts, "float64"), numpy.array(table.values, "float64")

        @numba.njit
        def look_up(value: float) -> Any:
            low, high = 0, len(starts)
            while low < high:
                middle = (low + high) // 2
                if value < starts[middle]:
                    high = middle
                else:
                    low = middle + 1
            return values[max(low - 1, 0)]

        return look_up

    scope = {name: numba.njit(f) if isfunction(f) else f for name, f in support().items()}
    return scope | {f"_table_{table.name}": table_of(table) for table in tables}


class _Writer:
    """Writes one loop. Every name has a prefix by where it lives, so that no step can hide another.

    s_ state, o_ opening step, g_ game input or step, t_ sum, c_ closing step, p_ setting; w and b before these are the
    two sides of a game.
    """

    def __init__(self, loop: Loop, compiled: bool) -> None:
        self.compiled = compiled
        self.system = loop.system
        self.loop = loop
        self.settings = loop.settings
        system = self.system
        self.states = [state.name for state in system.state]
        self.personal = [p.name for p in system.parameters if p.per_player]
        self.texts = {name: value for name, value in loop.settings.items() if isinstance(value, str)}
        self.numbers = [
            p.name for p in system.parameters if p.name not in self.texts and not p.per_player and p.name != "period"
        ]
        self.hoisted = self._hoist()
        closing = list(lines(system.closing))
        wanted = set(loop.columns) | set(system.sums)
        self.game = self._needed(lines((*system.game, *system.forecast)), wanted)
        self.opposite = {} if loop.journal else {name: next(lines([s])) for name, s in system.opposite.items()}
        self.black = self._needed(lines((*system.game, *system.forecast)), wanted, set(self.opposite))
        self.close_each = any(line.name in loop.columns for line in closing)
        reads = {read for line in (*self.game, *closing) for read in line.reads} | set(loop.columns)
        opened = reads | {name.removeprefix("opponent_") for name in reads}
        self.opening = self._needed(lines(system.opening), opened)
        self.reads = reads | {read for line in self.opening for read in line.reads}
        # The steps of a game that are numbers, as they are written.
        self.constants: dict[str, str] = {}
        self.arguments: list[str] = []
        self.text: list[str] = []
        self.level = 1

    # What is computed where

    def _needed(self, found: Iterable[Line], wanted: set[str], given: Collection[str] = ()) -> list[Line]:
        """Return the lines that lead to what is wanted, in order, without what leads to the given ones alone."""
        every = [line for line in found if line.name not in self.hoisted]
        wanted = set(wanted)
        for line in reversed(every):
            if line.name in wanted and line.name not in given:
                wanted |= set(line.reads)
        return [line for line in every if line.name in wanted]

    def _hoist(self) -> dict[str, float]:
        """Return the steps that read nothing but settings, with their values."""
        values = {name: v for name, v in self.settings.items() if name not in self.personal and name != "period"}
        hoisted: dict[str, float] = {}
        system = self.system
        for line in lines((*system.opening, *system.game, *system.forecast)):
            if all(read in values for read in line.reads):
                try:
                    values[line.name] = line.step(*(values[read] for read in line.reads))
                except (ArithmeticError, ValueError) as error:
                    raise UsageError(
                        f"step {line.name} of system {system.name} fails with these settings: {error}"
                    ) from None
                hoisted[line.name] = float(values[line.name])
        return hoisted

    # Writing

    def say(self, line: str) -> None:
        self.text.append("    " * self.level + line)

    def argument(self, name: str) -> str:
        if name not in self.arguments:
            self.arguments.append(name)
        return name

    def expression(self, line: Line, name: Callable[[str], str]) -> str:
        try:
            return python(fold(line.trace(), self.texts), name, compiled=self.compiled)
        except FormulaError as error:
            raise UsageError(f"step {line.name} of system {self.system.name}: {error}") from None

    def name(self, own: str, other: str, where: str) -> Callable[[str], str]:
        """Return how a name is written for the side `own` against `other`, inside `where`: open, game or close."""

        def written(name: str) -> str:
            if name in self.hoisted:
                return self.argument(f"h_{name}")
            if name in self.states or name in self.personal:
                return f"{own}s_{name}"
            if name in {line.name for line in self.opening}:
                return f"{own}o_{name}"
            if name in self.numbers:
                return self.argument(f"p_{name}")
            if name in PERIOD_INPUTS:
                return f"{own}i_{name}"
            if where == "close" and self._is_sum(name):
                return self._sum(name, own, other)
            if where == "close":
                return f"{own}c_{name}"
            if name in _COMMON:
                return f"i_{name}"
            if name in _SIDES:
                return f"{own}i_{name}"
            if name.startswith("opponent_"):
                return written_other(name.removeprefix("opponent_"))
            return self.constants.get(f"{own}g_{name}", f"{own}g_{name}")

        def written_other(name: str) -> str:
            if self.loop.journal:
                return "g_rating" if name in {"rating", "start_rating"} else written(name)
            if name in {line.name for line in self.opening}:
                return f"{other}o_{name}"
            return f"{other}s_{name}"

        return written

    def _sum(self, name: str, own: str, other: str) -> str:
        """Return how the sum over a period is written; where each game is one, it is what is summed up."""
        if not self.loop.per_game:
            return f"{own}t_{name}"
        return "1.0" if name == "period_games" else self.name(own, other, "game")(name.removeprefix("period_"))

    def _is_sum(self, name: str) -> bool:
        return name == "period_games" or name in {f"period_{total}" for total in self.system.sums}

    # The parts of the loop

    def source(self) -> str:
        """Return the source of the function `run`."""
        body = self._per_game if self.loop.per_game else self._batched
        for name in ("start", "stop", "white", "black"):
            self.argument(name)
        body()
        text = self.text if self.compiled else _with_fewer_names(self.text)
        return "\n".join([f"def run({', '.join(self.arguments)}):", *text]) + "\n"

    def _load(self, side: str, at: str) -> None:
        """Load a player's states and settings."""
        for name in self.states:
            if name in self._used():
                self.say(f"{side}s_{name} = {self.argument('s_' + name)}[{at}]")
        for name in self.personal:
            if name in self._used():
                self.say(f"{side}s_{name} = {self.argument('s_' + name)}[{at}]")

    def _used(self) -> set[str]:
        return self.reads | {name.removeprefix("opponent_") for name in self.reads}

    def _since(self, side: str, at: str, game: str) -> None:
        """Set what has passed since a player's last rated game."""
        if "elapsed" in self.reads:
            if self.loop.per_game:
                self.say(f"{side}i_elapsed = 1.0")
            else:
                last = f"{self.argument('last_period')}[{at}]"
                self.say(f"{side}i_elapsed = float(period[{game}] - {last}) if {last} >= 0 else 1.0")
        if "days" in self.reads:
            last = f"{self.argument('last_date')}[{at}]"
            date = f"{self.argument('date')}[{game}]"
            self.say(f"{side}i_days = {date} - {last} if {last} > 0.0 and {date} > {last} else 0.0")
        if "seasons" in self.reads:
            last = f"{self.argument('last_season')}[{at}]"
            season = f"{self.argument('season')}[{game}]"
            self.say(f"{side}i_seasons = {season} - {last} if {last} > 0.0 and {season} > {last} else 0.0")

    def _day(self, side: str, game: str) -> None:
        for name in ("date", "year"):
            if name in self.reads:
                self.say(f"{side}i_{name} = {self.argument(name)}[{game}]")

    def _open(self, side: str) -> None:
        for line in self.opening:
            self.say(f"{side}o_{line.name} = {self.expression(line, self.name(side, '', 'open'))}")

    def _remember(self, at: str, game: str) -> None:
        for name, value in (("elapsed", "period"), ("days", "date"), ("seasons", "season")):
            if name in self.reads and not (name == "elapsed" and self.loop.per_game):
                last, now = self.argument(f"last_{value}"), f"{self.argument(value)}[{game}]"
                if value == "period":
                    self.say(f"{last}[{at}] = {now}")
                else:  # what is not known is 0, and erases nothing
                    self.say(f"{last}[{at}] = max({last}[{at}], {now})")

    def _inputs(self, game: str) -> None:
        """Load what the game gives, for both sides."""
        for name in _COMMON:
            if name in self.reads:
                default = name in self.loop.absent and GAME_INPUTS[name] is not None
                self.say(f"i_{name} = {GAME_INPUTS[name]!r}" if default else f"i_{name} = {self._given(name)}[{game}]")
        score = self.argument("score")
        if self.compiled or not self.loop.per_game:
            self.say(f"wi_score = {score}[{game}]")
        self.say("bi_score = 1.0 - wi_score")
        if "side" in self.reads:
            if self.loop.journal:
                self.say(f"wi_side = {self.argument('side')}[{game}]")
            else:
                self.say("wi_side = 1.0")
                self.say("bi_side = -1.0")
        if "points" in self.reads or "opponent_points" in self.reads:
            white, black = self.argument("g_points"), self.argument("g_opponent_points")
            self.say(f"wi_points = bi_opponent_points = {white}[{game}]")
            self.say(f"bi_points = wi_opponent_points = {black}[{game}]")
        if "shootout" in self.reads:
            given = "0.0" if "shootout" in self.loop.absent else f"{self._given('shootout')}[{game}]"
            self.say(f"wi_shootout = {given}")
            self.say("bi_shootout = -wi_shootout")
        if self.loop.journal:
            self.say(f"g_rating = {self.argument('opponent_rating')}[{game}]")

    def _given(self, name: str) -> str:
        return self.argument(f"g_{name}")

    def _game_steps(self, own: str, other: str) -> None:
        for line in self.game if own == "w" else self.black:
            if own == "b" and line.name in self.opposite:
                value = self.expression(self.opposite[line.name], self.name("w", "b", "game"))
                self.say(f"bg_{line.name} = {value}")
                continue
            value = self.expression(line, self.name(own, other, "game"))
            if NUMBER.fullmatch(value):
                self.constants[f"{own}g_{line.name}"] = value
            else:
                self.say(f"{own}g_{line.name} = {value}")

    def _close(self, side: str, other: str = "") -> None:
        name = self.name(side, other, "close")
        for step in self.system.closing:
            if isinstance(step, Repeat):
                self._repeat(step, name)
            else:
                line = next(lines([step]))
                self.say(f"{name(line.name)} = {self.expression(line, name)}")

    def _repeat(self, repeat: Repeat, name: Callable[[str], str]) -> None:
        def assign(step: Step) -> None:
            line = next(lines([step]))
            self.say(f"{name(line.name)} = {self.expression(line, name)}")

        for step in repeat.start:
            assign(step)
        self.say(f"for _ in range({repeat.count}):")
        self.level += 1
        if repeat.done is not None:
            self.say(f"if {self.expression(Line.of(repeat.done), name)}:")
            self.text.append("    " * (self.level + 1) + "break")
        for step in repeat.steps:
            assign(step)
        self.level -= 1

    def _store(self, own: str, other: str, row: str) -> None:
        """Store the history columns of one side of a game."""
        opening = {line.name for line in self.opening}
        closing = {line.name for line in lines(self.system.closing)}
        game, close = self.name(own, other, "game"), self.name(own, other, "close")
        for column in self.loop.columns:
            value = close(column) if column in closing or self._is_sum(column) else game(column)
            if column in opening or column in self.states:
                value = game(column)
            self.say(f"{self.argument('H_' + column)}[{row}] = {value}")

    def _sides(self) -> list[tuple[str, str, str]]:
        return [("w", "b", "i")] if self.loop.journal else [("w", "b", "i"), ("b", "w", "j")]

    def _rows(self, game: str) -> list[str]:
        if self.loop.journal:
            return [game]
        return [f"2 * {game}", f"2 * {game} + 1"]

    def _after(self, side: str, at: str) -> None:
        name = self.name(side, "", "close")
        for state in self.states:
            self.say(f"s_{state}[{at}] = {name(state + '_after')}")

    def _per_game(self) -> None:
        header = len(self.text)
        self.say("for g in range(start, stop):")
        self.level += 1
        players = ["i"] if self.loop.journal else ["i", "j"]
        given = dict(zip([*players, "wi_score"], [*("white", "black")[: len(players)], "score"], strict=True))
        for at, array in given.items() if self.compiled else ():
            if at in players:
                self.say(f"{at} = {array}[g]")
        for side, _, at in self._sides():
            self._load(side, at)
            self._day(side, "g")
            self._since(side, at, "g")
            self._open(side)
        self._inputs("g")
        if "widest" in self.reads:
            self.say("wi_widest = bi_widest = 1.0")
        for (own, other, _), row in zip(
            self._sides(), self._rows("g") if self.loop.columns else ["", ""], strict=False
        ):
            self._game_steps(own, other)
            self._close(own, other)
            if self.loop.columns:
                self._store(own, other, row)
        for side, _, at in self._sides():
            self._after(side, at)
            self._remember(at, "g")
        if not self.compiled:  # what is given holds the games of one call, which a loop hands out quicker
            arrays = list(given.values())
            if any(re.search(r"\bg\b", line) for line in self.text[header + 1 :]):
                given, arrays = {**given, "g": ""}, [*arrays, "range(start, stop)"]
            self.text[header] = f"    for {', '.join(given)} in zip({', '.join(arrays)}):"

    def _batched(self) -> None:
        opening = [line.name for line in self.opening]
        sums = [f"period_{name}" for name in self.system.sums] + ["period_games"]
        widest = "widest" in self.reads
        if "period_games" not in self.reads:
            sums.remove("period_games")
        for name in ("period", "seen", "touched", "last_game"):
            self.argument(name)
        say = self.say
        say("g = start")
        say("while g < stop:")
        self.level += 1
        say("h = g")
        say("count = 0")
        say("while h < stop and period[h] == period[g]:")
        self.level += 1
        for at in ["white[h]"] if self.loop.journal else ["white[h]", "black[h]"]:
            self._enter(at, opening, sums)
        if widest:
            self._widen()
        say("h += 1")
        self.level -= 1
        say("for q in range(g, h):")
        self.level += 1
        say("i = white[q]")
        if not self.loop.journal:
            say("j = black[q]")
        for side, _, at in self._sides():
            self._load(side, at)
            self._day(side, "q")
            self._reload(side, at, opening)
        self._inputs("q")
        if widest:
            for side in ["w"] if self.loop.journal else ["w", "b"]:
                say(f"{side}i_widest = 1.0 if widest_game[{side}_pair[q]] == q else 0.0")
        rows = self._rows("q") if self.loop.columns else ["", ""]
        for (own, other, at), row in zip(self._sides(), rows, strict=False):
            self._game_steps(own, other)
            game = self.name(own, other, "game")
            for name in self.system.sums:
                say(f"T_period_{name}[{at}] += {game(name)}")
            if "period_games" in sums:
                say(f"T_period_games[{at}] += 1.0")
            if self.loop.columns:
                for name in sums:
                    say(f"{own}t_{name} = T_{name}[{at}]")
                if self.close_each:
                    self._close(own)
                self._store(own, other, row)
        self.level -= 1
        say("for k in range(count):")
        self.level += 1
        say("i = touched[k]")
        self._load("w", "i")
        self._day("w", "last_game[i]")
        self._reload("w", "i", opening)
        for name in sums:
            say(f"wt_{name} = T_{name}[i]")
        self._close("w")
        self._after("w", "i")
        self.level -= 1
        say("g = h")

    def _enter(self, at: str, opening: Sequence[str], sums: Sequence[str]) -> None:
        """Open the period of a player whose first game of it this is."""
        say = self.say
        say(f"i = {at}")
        say("if seen[i] != period[g]:")
        self.level += 1
        say("seen[i] = period[g]")
        say("touched[count] = i")
        say("count += 1")
        self._load("w", "i")
        self._day("w", "h")
        self._since("w", "i", "h")
        self._open("w")
        for name in opening:
            say(f"{self.argument('O_' + name)}[i] = wo_{name}")
        for name in ("elapsed", "days", "seasons"):
            if name in self.reads:
                say(f"{self.argument('I_' + name)}[i] = wi_{name}")
        for name in sums:
            say(f"{self.argument('T_' + name)}[i] = 0.0")
        self.level -= 1
        self._remember("i", "h")
        say("last_game[i] = h")

    def _reload(self, side: str, at: str, opening: Sequence[str]) -> None:
        for name in opening:
            self.say(f"{side}o_{name} = O_{name}[{at}]")
        for name in ("elapsed", "days", "seasons"):
            if name in self.reads:
                self.say(f"{side}i_{name} = I_{name}[{at}]")

    def _widen(self) -> None:
        """Note the game with the largest difference of each player in each event."""
        opponent = f"{self.argument('opponent_rating')}[h]" if self.loop.journal else "s_rating[black[h]]"
        self.say(f"gap = abs(s_rating[white[h]] - {opponent})")
        for side in ["w"] if self.loop.journal else ["w", "b"]:
            pair = f"{self.argument(side + '_pair')}[h]"
            self.say(f"if gap > {self.argument('widest_gap')}[{pair}]:")
            self.level += 1
            self.say(f"widest_gap[{pair}] = gap")
            self.say(f"{self.argument('widest_game')}[{pair}] = h")
            self.level -= 1


def _with_fewer_names(text: Sequence[str]) -> list[str]:
    """Return a loop with each sum or product that one later line reads written into it: over lists a name costs.

    What may raise an error stays where it is, and so does what a line in between changes.
    """
    text = list(text)
    words = [_WORD.findall(line) for line in text]
    count = Counter(word for line in words for word in line)
    for at, line in enumerate(text):
        found = _SUM.fullmatch(line)
        if found is None or count[found[2]] != 2:
            continue
        indent, name, value = found.groups()
        use = next(later for later in range(at + 1, len(text)) if name in words[later])
        between = [_ASSIGNED.match(one) for one in text[at + 1 : use + 1]]
        changed = {word for one in between[:-1] if one for word in _WORD.findall(one[2])}
        if all(one and one[1] == indent for one in between) and not changed.intersection(words[at]):
            text[at], text[use] = "", re.sub(rf"\b{name}\b", f"({value})", text[use])
            words[use] += words[at]
    return [line for line in text if line]


def row_function(
    columns: Sequence[Line],
    given: Sequence[str],
    texts: Mapping[str, str],
    tables: Sequence[StepTable],
    compiled: bool,
) -> Callable[..., tuple[float, ...]]:
    """Return a function of the numbers given that computes the columns in order: one row, as the loops compute it."""
    names = {name: f"x{i}" for i, name in enumerate((*given, *(line.name for line in columns)))}

    def written(line: Line) -> str:
        return python(fold(line.trace(), texts), names.__getitem__, compiled=compiled)

    text = [f"    {names[line.name]} = {written(line)}" for line in columns]
    results = "".join(f"{names[line.name]} + 0.0, " for line in columns)
    parameters = ", ".join(names[name] for name in given)
    source = "\n".join([f"def run({parameters}):", *text, f"    return ({results})"]) + "\n"
    used = tuple(table for table in tables if f"_table_{table.name}(" in source)
    return _function(source, used, compiled)
