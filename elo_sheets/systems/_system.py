"""What a rating system is: steps per game, sums over the period, closing steps; or its own code where it must.

A step is a plain function written with `elo_sheets.ops`. Its name is a column; its parameters are the columns
and settings that it reads, so the signatures are the data flow and nothing else declares it.

Three kinds share the class `Rules`: a `System` is made of steps, a `JointSystem` rates all games of a period together
in its own code, and a `Fit` rates a whole log at once.
"""

from __future__ import annotations

import difflib
import inspect
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, fields, replace
from datetime import date, timedelta
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeVar

from elo_sheets.errors import FormulaError, UsageError
from elo_sheets.expr import Expr, Ref, Traced, is_condition, lift
from elo_sheets.systems._facts import INPUTS, NOTHING_SAID, Facts, facts_of

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd


Step = Callable[..., Any]
Value = float | str

S = TypeVar("S", bound=Step)

# What a game offers to the steps, from the point of view of the player who is rated, and what stands where the log
# has no such column (None: a system that reads it needs the column).
GAME_INPUTS: dict[str, float | None] = {
    "score": None,  # 1, 0.5, 0
    "side": None,  # 1 for White, the home or first-named side; -1 for the other
    "neutral": 0.0,  # 1 on neutral ground
    "points": None,  # own goals or points
    "opponent_points": None,
    "weight": 0.0,  # what the log says of the game's weight; 0 where it says nothing
    "handicap": 0.0,  # stones that White gives to Black
    "komi": 7.5,
    "knockout": 0.0,  # 1 in the knockout phase of a final competition
    "shootout": 0.0,  # 1 won, -1 lost the shoot-out; 0 none
    "widest": None,  # 1 if no other game of the player in this event and period has a larger difference of ratings
}

# What a period offers: `date` and `year` of the game (before it of the player's first game in it, after it of the
# last); periods, days and seasons since the player's last rated game (`elapsed` is at least 1; `days` and `seasons`
# are 0 for a first game).
PERIOD_INPUTS = ("date", "year", "elapsed", "days", "seasons")

LARGEST = 1e6

EXCEL_EPOCH = date(1899, 12, 30)


def called(name: str | Step) -> Callable[[S], S]:
    """Return a decorator that gives a step the name of the step it stands in for: a variant of a rule.

    Given that step itself, the variant also says of its column what that one says.

    >>> @called("expected")
    ... def linear_expected(difference): ...
    >>> linear_expected.__name__
    'expected'
    """

    def rename(step: S) -> S:
        step.__name__ = name if isinstance(name, str) else name.__name__
        return step if isinstance(name, str) else facts_of(name)(step)

    return rename


@lru_cache
def renamed(step: Step, names: tuple[tuple[str, str], ...]) -> Step:
    """Return the step with other names for what it reads, as pairs of the old name and the new one."""
    said = dict(names)
    reads = tuple(said.get(name, name) for name in needs(step))
    if reads == needs(step):
        return step
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    signature = inspect.Signature([inspect.Parameter(name, kind) for name in reads])

    @called(step)
    def stand_in(*values: Any, **named: Any) -> Any:
        return step(*signature.bind(*values, **named).args)

    stand_in.__dict__["__signature__"] = signature
    return stand_in


@dataclass(frozen=True)
class Repeat:
    """An iteration: steps that are run again and again, `count` times, or fewer where `done` is given and holds.

    `start` gives the first value of every variable that a round reads before it gives the next one. In each round the
    `steps` run in order; a step reads the newest value of each variable and gives the next one of the variable of its
    name. `done` is asked before each round. The variables' last values are columns; in a sheet each round has columns
    of its own, and so have first values that are not another column's.
    """

    start: tuple[Step, ...]
    steps: tuple[Step, ...]
    count: int
    done: Step | None = None


class Line(NamedTuple):
    """One column of a rule: its name, the step that gives it, and the columns that the step's parameters read.

    A column of a system is `numeric`: sheets add it up, and would not count a TRUE.
    """

    name: str
    step: Step
    reads: tuple[str, ...]
    numeric: bool = False

    @classmethod
    def of(cls, step: Step) -> Line:
        """Return a step by itself, which may give TRUE or FALSE."""
        return cls(step.__name__, step, needs(step))

    def trace(self) -> Expr:
        """Return the expression of this column over `Ref`s named as what it reads.

        Raises `UsageError` that names the step when it is not written with arithmetic and `ops`.
        """
        try:
            made = lift(self.step(*(Traced(Ref(name)) for name in self.reads)))
        except (FormulaError, TypeError, NameError, LookupError, AttributeError, ArithmeticError, ValueError) as error:
            raise UsageError(
                f"step {self.name} is no rule: {error}; write it with arithmetic and the functions of elo_sheets.ops"
            ) from None
        if self.numeric and is_condition(made):
            raise UsageError(
                f"step {self.name} gives TRUE or FALSE, which sheets do not add up: write where(condition, 1, 0)"
            )
        return made


def lines(steps: Sequence[Step | Repeat]) -> Iterator[Line]:
    """Yield the columns of the steps, a `Repeat` unrolled: its variables are numbered by round, those of the last bare.

    A round after `done` keeps what was there, as the loop that stops does.
    """
    for step in steps:
        if isinstance(step, Repeat):
            yield from _unrolled(step)
        else:
            yield Line.of(step)._replace(numeric=True)


def leading(found: Sequence[Line], wanted: Set[str]) -> list[Line]:
    """Return the lines that lead to what is wanted, in order."""
    needed = []
    for line in reversed(found):
        if line.name in wanted:
            wanted = wanted | {*line.reads}
            needed.append(line)
    return needed[::-1]


def _unrolled(repeat: Repeat) -> Iterator[Line]:
    newest = {step.__name__: _copied(step) or f"{step.__name__}_0" for step in repeat.start}
    for step in repeat.start:
        if not _copied(step):
            yield Line(f"{step.__name__}_0", step, tuple(newest.get(name, name) for name in needs(step)))
    for number in range(1, repeat.count + 1):
        done = f"done_{number}"
        if repeat.done is not None:
            yield Line(done, repeat.done, tuple(newest.get(name, name) for name in needs(repeat.done)))
        for step in repeat.steps:
            name = step.__name__
            reads = tuple(newest.get(read, read) for read in needs(step))
            made = f"{name}_{number}" if number < repeat.count else name
            if repeat.done is None or name not in newest:
                yield Line(made, step, reads)
            else:
                yield Line(made, _kept(step), (done, newest[name], *reads))
            newest[name] = made


def _copied(step: Step) -> str:
    """Return the column that a step repeats, "" for a step that computes something."""
    made = Line.of(step).trace() if len(needs(step)) == 1 else None
    return made.name if isinstance(made, Ref) else ""


def _kept(step: Step) -> Step:
    from elo_sheets.ops import where

    def kept(done: Any, before: Any, *values: Any) -> Any:
        return where(done, before, step(*values))

    return kept


@dataclass(frozen=True)
class Parameter:
    """A setting of a system: a number, one of `choices`, or a day (as the serial number spreadsheets use).

    A `per_player` setting may differ from player to player, such as a year of birth. `unofficial` says why a value
    is nobody's published one. `open_choices` is what begins a choice that is not listed; a choice may also be a file
    whose name ends in one of `files`. `since` has the first day of each choice that took the place of those before it.
    `cell` is the name of the setting's cell in a book, that of the label unless given.
    """

    name: str
    default: Value
    label: str
    meaning: str
    cell: str = ""
    minimum: float | None = None
    choices: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    is_date: bool = False
    source: str = ""
    per_player: bool = False
    unofficial: str = ""
    open_choices: str = ""
    files: tuple[str, ...] = ()
    since: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "cell", self.cell or re.sub(r"\W+", "_", self.label))

    def on(self, day: date) -> str:
        """Return the choice that held on a day, or the default where none of `since` had begun."""
        begun = [choice for choice, first in self.since if day.isoformat() >= first]
        return begun[-1] if begun else str(self.default)

    def read(self, value: object) -> Value:
        """Return the value as this parameter holds it; raises `UsageError` with what would do."""
        if self.choices:
            if str(value).strip().lower().endswith(self.files):
                return str(value).strip()
            text = str(value).strip().lower()
            if self.open_choices and text.startswith(self.open_choices) and len(text) > len(self.open_choices):
                return text
            if text not in self.choices:
                known = ", ".join((*self.choices, *(f"FILE{ending}" for ending in self.files)))
                raise UsageError(f"expected {self.name} to be one of {known}, got {value!r}")
            return text
        if self.is_date and isinstance(value, str) and "-" in value:
            try:
                return float((date.fromisoformat(value) - EXCEL_EPOCH).days)
            except ValueError:
                raise UsageError(f"expected {self.name} to be a day such as 2025-10-01, got {value!r}") from None
        try:
            number = float(str(value))
        except ValueError:
            raise UsageError(f"expected {self.name} to be a number, got {value!r}") from None
        least, most = self.limits
        if not least <= number <= most:
            raise UsageError(f"expected {self.name} to be a number from {least:g} to {most:g}, got {value!r}")
        return number

    @property
    def limits(self) -> tuple[float, float]:
        """The least and the greatest number that it may be."""
        return -LARGEST if self.minimum is None else self.minimum, LARGEST

    def shown(self, value: Value | None = None) -> Value:
        """Return a value, or the default, as a person would give it: a day as 2025-10-01, none as 0."""
        value = self.default if value is None else value
        if self.is_date and value != 0:
            return (EXCEL_EPOCH + timedelta(days=float(value))).isoformat()
        return value


@dataclass(frozen=True)
class State:
    """What a player carries from period to period; `initial` names the parameter it starts from.

    `facts` are those of the state before the game.
    """

    name: str
    initial: str
    facts: Facts = NOTHING_SAID


_YEAR = re.compile(r"\b(?:1[89]|20)\d\d\b")


def plain_name(competition: str) -> str:
    """Return what two spellings of a competition's name share: letters without accents, no case, no year.

    >>> plain_name("Copa América 2024") == plain_name("copa america")
    True
    """
    letters = unicodedata.normalize("NFKD", competition).casefold()
    kept = "".join(c if c.isalnum() else " " for c in letters if not unicodedata.combining(c))
    return " ".join(_YEAR.sub(" ", kept).split())


@dataclass(frozen=True)
class Weights:
    """A system's weights: of each kind of match, and the kind of each competition, by name as it is printed.

    `symbol` is what the rule calls a weight; a match without one counts as the setting `otherwise` says.
    """

    symbol: str
    otherwise: str
    source: str
    kinds: Mapping[str, float]
    competitions: Mapping[str, str]

    @cached_property
    def by_name(self) -> dict[str, float]:
        """The weight of each competition by its plain name."""
        return {plain_name(name): self.kinds[kind] for name, kind in self.competitions.items()}


@dataclass(frozen=True, kw_only=True)
class Rules:
    """What every rating system says of itself.

    `deviations` are the places where it does not do what its source says, each with the reason. Where `lower_is_better`
    the smallest rating leads. `origin` is the file and name, `my.py:MY`, of a rule that is not built in.
    `remarks(games, settings)` returns what the owner of a log should know of how the rule takes these games: which of
    its dated numbers held, say. `weights` is what its matches weigh by their competitions. `publishes_ratings` says
    that a federation publishes the ratings: a player of a log starts from his first one. `settled` are the settings of
    a player who has a rating already, where nobody tells them.
    """

    name: str
    title: str
    about: str
    sources: tuple[str, ...]
    parameters: tuple[Parameter, ...]
    deviations: tuple[str, ...] = ()
    labels: Mapping[str, str] = field(default_factory=dict)
    lower_is_better: bool = False
    origin: str = ""
    remarks: Callable[[pd.DataFrame, Mapping[str, Value]], list[str]] | None = None
    weights: Weights | None = None
    publishes_ratings: bool = False
    settled: Mapping[str, float] = field(default_factory=dict)

    @property
    def full_name(self) -> str:
        """The name, with the file of a rule that is not built in: `elo (my.py:MY)`."""
        return f"{self.name} ({self.origin})" if self.origin else self.name

    def settings(self, given: Mapping[str, object] | None = None) -> dict[str, Value]:
        """Return every parameter's value, those given replacing the defaults.

        Names and aliases are matched without regard to case. Raises `UsageError` for an unknown name, listing
        those that come close, or for a value that the parameter cannot hold.
        """
        spelt = {name: p for p in self.parameters for name in (p.name, *p.aliases)}
        values = {p.name: p.default for p in self.parameters}
        seen: dict[str, str] = {}
        for name, value in (given or {}).items():
            parameter = spelt.get(name.strip().lower().replace("-", "_"))
            if parameter is None:
                near = difflib.get_close_matches(name.lower(), spelt, 1)
                hint = f"; did you mean {near[0]}?" if near else ""
                known = ", ".join(p.name for p in self.parameters)
                raise UsageError(f"system {self.name} has no setting {name!r}{hint} (it has {known})")
            if parameter.name in seen:
                raise UsageError(f"{seen[parameter.name]!r} and {name!r} are the same setting: give one of them")
            seen[parameter.name] = name
            values[parameter.name] = parameter.read(value)
        return values

    def unofficial(self, settings: Mapping[str, Value]) -> list[str]:
        """Return the settings whose value no source gives, as far as they matter in the form that is chosen."""
        return [parameter.name for parameter in self.parameters if parameter.unofficial]

    def label(self, name: str) -> str:
        """Return the column header of a state, step or sum."""
        return self.labels.get(name, name.replace("_", " ").capitalize())

    def facts(self, name: str) -> Facts:
        """Return what the column of a state, step, sum or input says of itself; nothing for a name that is none."""
        return INPUTS.get(name, NOTHING_SAID)


@dataclass(frozen=True, kw_only=True)
class System(Rules):
    """A rating system as data: its steps in the order of reading, its state, parameters, tables and sources.

    `opening` steps run once per player at the start of a period in which he plays; `game` steps once per game and
    player, the opponent's states and opening steps offered as `opponent_<name>`. Each name in `sums` is added up over
    the player's period and offered to the `closing` steps as `period_<name>`, with the number of games as
    `period_games`. A closing step `<state>_after` gives the state that the next period starts from. The last of the
    `forecast` steps, or else the step `expected`, is the score that the rule expects of the game.

    `opposite` gives a step's value on Black's side from its values on White's, where the rule makes the one follow from
    the other: expected scores that sum to one. `variant` returns, for settings that choose another form of the rule,
    the system with those steps. What a system has replaced of the form that the default settings choose, it keeps in
    every form that leaves it alone.
    """

    state: tuple[State, ...]
    game: tuple[Step, ...]
    sums: tuple[str, ...]
    closing: tuple[Step | Repeat, ...]
    opening: tuple[Step, ...] = ()
    forecast: tuple[Step, ...] = ()
    tables: tuple[Any, ...] = ()
    zero_sum: bool = False
    opposite: Mapping[str, Step] = field(default_factory=dict)
    variant: Callable[[Mapping[str, Value]], System] | None = None
    # Settings that no step reads and that choose no form: how games of more than two sides are rated.
    beside: ClassVar[frozenset[str]] = frozenset()

    def __post_init__(self) -> None:
        settings = {parameter.name for parameter in self.parameters}
        if "period" not in settings:
            raise UsageError(f"system {self.name} has no parameter period: add period_parameter()")
        personal = {state.name for state in self.state} | {p.name for p in self.parameters if p.per_player}
        periodic = {state.name for state in self.state} | settings | set(PERIOD_INPUTS)
        periodic = self._check(self.opening, periodic)
        personal |= {step.__name__ for step in self.opening}
        known = periodic | {f"opponent_{name}" for name in personal} | set(GAME_INPUTS)
        known = self._check(self.game, known)
        self._check(self.forecast, known)
        for name in self.sums:
            if name not in known:
                raise UsageError(f"system {self.name} sums {name!r}, which no step of the game gives")
        closed = self._check(self.closing, periodic | {f"period_{name}" for name in self.sums} | {"period_games"})
        for state in self.state:
            if f"{state.name}_after" not in closed:
                raise UsageError(f"system {self.name} has no closing step {state.name}_after")
            if state.initial not in settings:
                raise UsageError(
                    f"state {state.name} of {self.name} starts from {state.initial!r}, which is no setting"
                )

    def _check(self, steps: Sequence[Step | Repeat], known: set[str]) -> set[str]:
        for line in lines(steps):
            if not line.name.isidentifier():
                raise UsageError(f"a step of {self.name} is called {line.name!r}: a step is a function with a name")
            missing = set(line.reads) - known
            if missing:
                raise UsageError(f"step {line.name} of {self.name} reads {sorted(missing)}, which nothing gives")
            known = known | {line.name}
        return known

    @cached_property
    def reads(self) -> set[str]:
        """Names that some step reads."""
        return {
            name for line in lines((*self.opening, *self.game, *self.forecast, *self.closing)) for name in line.reads
        }

    @cached_property
    def lines(self) -> tuple[Line, ...]:
        """The columns of the steps, in order, the forecast left out."""
        return tuple(lines((*self.opening, *self.game, *self.closing)))

    @cached_property
    def _facts(self) -> dict[str, Facts]:
        """What the columns say of themselves that do not get it from another's."""
        found = INPUTS | {p.name: Facts(f"{p.meaning[:1].upper()}{p.meaning[1:]}.") for p in self.parameters}
        for state in self.state:
            found[state.name] = replace(state.facts, says=state.facts.says or f"The {state.name} before the game.")
        for step in (*self.opening, *self.game, *self.forecast, *self.closing):
            parts = (
                (*step.start, *step.steps, *([step.done] if step.done else [])) if isinstance(step, Repeat) else (step,)
            )
            found |= {part.__name__: facts_of(part) for part in parts}
        return found

    def facts(self, name: str) -> Facts:
        """Return what the column of a state, step, sum or input says of itself; nothing for a name that is none.

        >>> from elo_sheets.systems import system
        >>> system("fide").facts("period_delta").says
        "Summed over the period, up to this game. The score minus the expected one: FIDE's ΔR."
        """
        own = self._facts.get(name)
        if own is not None:
            return own
        kind, _, rest = name.partition("_")
        if kind == "period" and rest in self._facts:
            of = self._facts[rest]
            return Facts(of.says and f"Summed over the period, up to this game. {of.says}", unit=of.unit)
        if kind == "opponent" and rest in self._facts:
            of, label = self._facts[rest], self.label(rest)
            label = label if label[:2].isupper() else label[:1].lower() + label[1:]
            return Facts(of.says.replace("The ", "The opponent's ", 1), f"Opponent {label}", of.unit)
        rest, _, number = name.rpartition("_")
        if number.isdecimal() and rest in self._facts:
            of = self._facts[rest]
            return Facts(of.says and f"{of.says} Round {number}.", f"{self.label(rest)} {number}", of.unit)
        return NOTHING_SAID

    def label(self, name: str) -> str:
        """Return the column header of a state, step, sum or input."""
        return self.labels.get(name) or self.facts(name).label or super().label(name)

    @cached_property
    def live(self) -> tuple[Parameter, ...]:
        """The parameters that matter in this form: a step reads them, a state starts from them, or it is the period."""
        read = self.reads | {state.initial for state in self.state} | {"period"}
        return tuple(parameter for parameter in self.parameters if parameter.name in read)

    def unofficial(self, settings: Mapping[str, Value]) -> list[str]:
        """Return the settings whose value no source gives, as far as they matter in the form that is chosen."""
        return [parameter.name for parameter in self.shaped(settings).live if parameter.unofficial]

    def shaped(self, settings: Mapping[str, Value]) -> System:
        """Return the system in the form that the settings choose.

        Raises `UsageError` where they choose another form of what this system has replaced.
        """
        if self.variant is None:
            return self
        form = self.variant(settings)
        if not self._replaced:
            return form
        both = [
            name
            for name in self._replaced.keys() - {"opposite"}
            if getattr(form, name) != getattr(self._default_form, name)
        ]
        if both:
            raise UsageError(
                f"system {self.name} replaces {both[0]} of the default form, and these settings choose another form of "
                "it: leave out the settings that choose the form, or give the system a variant of its own"
            )
        return replace(form, **self._replaced, origin=self.origin)

    @cached_property
    def _default_form(self) -> System:
        assert self.variant is not None
        return self.variant({parameter.name: parameter.default for parameter in self.parameters})

    @cached_property
    def _replaced(self) -> dict[str, Any]:
        """What stands here otherwise than in the form that the default settings choose."""
        mine = {one.name: getattr(self, one.name) for one in fields(System) if one.name not in {"variant", "origin"}}
        found = {name: value for name, value in mine.items() if value != getattr(self._default_form, name)}
        if not found.keys() & {"opening", "game", "forecast", "closing"}:
            found.pop("opposite", None)  # it speaks of the steps
        return found


class PeriodGames(NamedTuple):
    """The games of one period as arrays, one element a game; players are numbered within the period from 0."""

    white: np.ndarray[Any, Any]
    black: np.ndarray[Any, Any]
    score: np.ndarray[Any, Any]  # White's
    date: np.ndarray[Any, Any]  # serial days; 0 unknown
    handicap: np.ndarray[Any, Any]
    komi: np.ndarray[Any, Any]


Arrays = Mapping[str, "np.ndarray[Any, Any]"]


@dataclass(frozen=True, kw_only=True)
class JointSystem(Rules):
    """A system that rates all games of a period together, in code of its own.

    `rate(players, games, settings)` gets an array per state and per-player setting, with `elapsed` and `days` since
    each player's last rated game (0 days: his first) and `year`; it returns an array for each `<state>_after` and for
    each of `columns`, one element a player. `steps` are the parts of the rule that are formulas. `forecast(players,
    games, settings)` returns White's expected scores, from the states before the period.
    """

    state: tuple[State, ...]
    columns: tuple[str, ...]
    rate: Callable[[Arrays, PeriodGames, Mapping[str, Value]], Arrays]
    forecast: Callable[[Arrays, PeriodGames, Mapping[str, Value]], np.ndarray[Any, Any]]
    steps: tuple[Step, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Fit(Rules):
    """A system that rates a whole log at once.

    `fit(games, settings)` gets a games table and returns one row a player with at least the columns `player` and
    `rating`, and with the table's `attrs` "residual" (the largest change of a rating in the last round) and "rounds".
    Where it fits settings too, `attrs` holds what it found by their names, and these names as "fitted". Raises
    `UnreadableInput` with the reason when the log has no finite ratings. `steps` are the parts of the rule that are
    formulas. `forecast(rating, opponent_rating, values)` returns White's expected score of a game between players whom
    it has rated, and the probability of a draw where the rule has one; `values` are the settings and the `attrs`.
    """

    fit: Callable[[pd.DataFrame, Mapping[str, Value]], pd.DataFrame]
    steps: tuple[Step, ...] = ()
    forecast: Callable[[float, float, Mapping[str, Any]], tuple[float, float | None]] | None = None


@lru_cache(maxsize=4096)
def needs(step: Step) -> tuple[str, ...]:
    """Return the names that a step reads."""
    return tuple(inspect.signature(step).parameters)


def trace(step: Step) -> Expr:
    """Return the expression that a step computes, over `Ref`s named as its parameters."""
    return Line.of(step).trace()


PERIODS = ("game", "event", "month", "year")


def scale_parameter(default: float = 400.0, source: str = "") -> Parameter:
    """Return the parameter that says how many points mean odds of ten to one."""
    meaning = "difference that means odds of ten to one"
    return Parameter("scale", default, "Scale", meaning, "Rating_scale", minimum=1e-6, source=source)


def games_parameter(
    meaning: str = "rated games before the first one here", label: str = "Games before", aliases: tuple[str, ...] = ()
) -> Parameter:
    """Return the parameter that holds how many games a player had played before the log."""
    return Parameter("initial_games", 0.0, label, meaning, "Initial_games", minimum=0.0, aliases=aliases)


def born_parameter(meaning: str) -> Parameter:
    """Return the parameter that holds each player's year of birth; `meaning` says what for."""
    return Parameter("born", 0.0, "Year of birth", meaning, "Year_born", minimum=0.0, per_player=True)


def period_parameter(default: str) -> Parameter:
    """Return the parameter that says when ratings are updated."""
    return Parameter(
        "period",
        default,
        "Rating period",
        "when ratings are updated: after each game, at the end of each event, month or year, or with each new value of "
        "a column of the log, named like column:week",
        choices=PERIODS,
        open_choices="column:",
    )
