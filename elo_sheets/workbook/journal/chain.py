"""The rule in a journal: which columns it has, what they hold game by game, and their formulas.

The values come from the system's own steps, run one after the other as the sheet runs them: a journal may hold what
`replay` does not, such as the opponents' rating deviations, and shows each round of an iteration.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from elo_sheets.errors import UsageError
from elo_sheets.formula import to_formula
from elo_sheets.systems import GAME_INPUTS, Line, Repeat, System, lines
from elo_sheets.workbook.facts import OF_A_BOOK
from elo_sheets.workbook.layout import UNRATED, period_number, rule_formula, stepped
from elo_sheets.workbook.plan import CellValue, Read
from elo_sheets.workbook.sports.profiles import CHESS, Words

# What a column of the Log offers to the steps, and its label there; a game that says nothing has the default.
EXTRA = {"weight": "Weight", "handicap": "Handicap"}
# What the steps may read of a game or a period besides, in a journal.
KNOWN = {"score", "side", "neutral", "date", "year", "elapsed", "days", "opponent_rating", "opponent_rd"}
# An opponent's published deviation is the one with which the period begins.
PUBLISHED = {"opponent_start_rd": "opponent_rd"}


@dataclass(frozen=True)
class Played:
    """One rated game as the rule sees it; `row` is its place in the Ledger, from 1."""

    row: int
    pool: int
    date: float
    event: str
    score: float
    opponent_rating: float
    opponent_rd: float
    side: float
    extra: Mapping[str, float] = field(default_factory=dict)


# The steps of a plain change of the rating, and those that may say what they want: K and the difference.
PLAIN = {"change": "k_used*(score-expected)", "rating_after": "rating+period_change"}
ANY = {"cap", "difference", "k", "k_used"}
BUILT_IN = "elo_sheets.systems."


# The difference of Elo's ratings that means odds of ten to one, what is expected then of the weaker player, and
# how far from that another curve over the same scale is.
ELO_SCALE, ONE_TO_TEN, NEAR_ELO = 400, 1 / 11, 0.03
EXAMPLE_DAY = 45000.0


def _says(line: Line, text: str | None) -> bool:
    return to_formula(line.trace()) == text


class Rule:
    """A system's columns in a journal with its settings."""

    def __init__(self, system: System, settings: Mapping[str, Any], words: Words = CHESS) -> None:
        self.system, self.settings, self.words = system, settings, words
        self.period = str(settings["period"])

    @cached_property
    def has_rd(self) -> bool:
        """Whether a rating has a deviation."""
        return any(state.name == "rd" for state in self.system.state)

    @property
    def is_periodic(self) -> bool:
        """Whether a game moves the rating at the end of its period only: until then its change is a subtotal."""
        return self.period != "game"

    @cached_property
    def is_plain(self) -> bool:
        """Whether a game changes the rating by K times the score less the expected one, and by nothing else."""
        return all(name in self.steps and _says(self.steps[name], text) for name, text in PLAIN.items())

    @cached_property
    def stakes_k(self) -> bool:
        """Whether a point is worth K: so it is in the built-in rules, and in others as far as their steps are plain."""
        own = [line for line in self.steps.values() if not line.step.__module__.startswith(BUILT_IN)]
        return "k_used" in self.names and all(_says(line, PLAIN.get(line.name)) for line in own if line.name not in ANY)

    @cached_property
    def has_scale(self) -> bool:
        """Whether a setting is the difference of ratings that means odds of ten to one."""
        return not self.has_rd and "scale" in self.settings and self._is_elo(float(self.settings["scale"]))

    @cached_property
    def is_on_elos_scale(self) -> bool:
        """Whether 400 points mean odds of ten to one, or nearly so."""
        return self._is_elo(ELO_SCALE)

    def _is_elo(self, scale: float) -> bool:
        start = {state.name: float(self.settings[state.initial]) for state in self.system.state}
        game = Played(1, 1, EXAMPLE_DAY, "", 0.0, start["rating"] + scale, 0.0, 0.0, dict.fromkeys(self.extra, 0.0))
        (now,) = self.played([game], {1: start})
        return abs(now["expected"] - ONE_TO_TEN) <= NEAR_ELO

    def scale(self, cells: Mapping[str, str]) -> str:
        """Return what a formula takes for that difference: the cell of the setting, or Elo's 400."""
        return cells["scale"] if self.has_scale else f"{ELO_SCALE}"

    @cached_property
    def extra(self) -> dict[str, str]:
        """The labels of the further columns of the Log that the steps read."""
        return {name: label for name, label in EXTRA.items() if name in self.system.reads}

    @cached_property
    def typed(self) -> dict[str, str]:
        """The labels of the Log's columns that columns of the rule hold as they are typed."""
        return self.extra | ({"event_name": "Event"} if self.period == "event" else {})

    @cached_property
    def opponent_lines(self) -> tuple[Line, ...]:
        """The opening steps of the opponent that the game reads, over what is known of him."""
        wanted: set[str] = set()
        found: list[Line] = []
        reads = {name for line in self._own_lines for name in line.reads}
        own = {state.name for state in self.system.state} | {line.name for line in lines(self.system.opening)}
        for line in reversed(list(lines(self.system.opening))):
            name = f"opponent_{line.name}"
            if (name in reads or name in wanted) and name not in PUBLISHED:
                of_opponent = tuple(f"opponent_{read}" if read in own else read for read in line.reads)
                wanted |= set(of_opponent)
                found.append(Line(name, line.step, of_opponent))
        return tuple(reversed(found))

    @cached_property
    def _own_lines(self) -> tuple[Line, ...]:
        game = list(lines(self.system.game))
        if all(line.name != "expected" for line in game):
            game += lines(self.system.forecast)
        return (*lines(self.system.opening), *game, *lines(self.system.closing))

    @cached_property
    def closing_names(self) -> frozenset[str]:
        """The names of the steps that close a period."""
        return frozenset(line.name for line in lines(self.system.closing))

    @cached_property
    def rounds(self) -> frozenset[str]:
        """The names of the columns of an iteration, which stand on a sheet of their own."""
        repeats = [step for step in self.system.closing if isinstance(step, Repeat)]
        return frozenset(line.name for line in lines(repeats))

    @cached_property
    def steps(self) -> dict[str, Line]:
        """Every step by name, in the order in which they are computed."""
        opening = tuple(lines(self.system.opening))
        own = self._own_lines[len(opening) :]
        return {line.name: line for line in (*opening, *self.opponent_lines, *own)}

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the rule's columns in order, those of the iteration among them."""
        system, periodic = self.system, self.period != "game"
        names = list(self.extra)
        names += ["event_name"] if self.period == "event" else []
        names += ["period", "same"] if periodic else []
        names += ["elapsed"] if "elapsed" in system.reads and periodic else []
        names += ["last_date", "days"] if "days" in system.reads else []
        names += [state.name for state in system.state]
        closing = [line.name for line in lines(system.closing)]
        names += [name for name in self.steps if name not in closing]
        if periodic:
            names += [f"period_{name}" for name in system.sums] + ["period_games"]
        return (*names, *closing)

    @cached_property
    def ledger_names(self) -> tuple[str, ...]:
        """The names of the columns that stand in the Ledger."""
        return tuple(name for name in self.names if name not in self.rounds)

    @cached_property
    def round_names(self) -> tuple[str, ...]:
        """The names of the columns that stand on the sheet of the iteration."""
        return tuple(name for name in self.names if name in self.rounds)

    def label(self, name: str) -> str:
        """Return the header of a column."""
        return EXTRA.get(name) or (OF_A_BOOK[name].label if name in OF_A_BOOK else self.system.label(name))

    def missing(self) -> list[str]:
        """Return what the steps read that a journal does not know."""
        known = KNOWN | set(self.steps) | {state.name for state in self.system.state} | set(EXTRA) | {"period_games"}
        known |= {p.name for p in self.system.parameters} | {f"period_{name}" for name in self.system.sums}
        known |= set(PUBLISHED)
        return sorted({name for line in self.steps.values() for name in line.reads} - known)

    # Values

    def played(self, games: Sequence[Played], starts: Mapping[int, Mapping[str, float]]) -> list[dict[str, float]]:
        """Return what every column holds for each game; `starts` gives the state that each pool begins with."""
        last: dict[int, dict[str, float]] = {}
        found = []
        for game in games:
            now = self._row(game, last.get(game.pool), starts[game.pool])
            last[game.pool] = now
            found.append(now)
        return found

    @property
    def trial_references(self) -> dict[str, str]:
        """Where a single game's steps read what a period gives."""
        sums = {f"period_{name}": f"[{self.label(name)}]" for name in self.system.sums if name in self.steps}
        sums |= {f"period_{name}": f"[{name.capitalize()}]" for name in self.system.sums if name not in self.steps}
        extra = {name: f"{GAME_INPUTS[name] or 0:g}" for name in self.extra}
        return sums | extra | {"period_games": "1", "elapsed": "1", "days": "0"}

    def _row(self, game: Played, before: dict[str, float] | None, start: Mapping[str, float]) -> dict[str, Any]:
        now: dict[str, Any] = {**self.settings, **game.extra}
        now |= {"score": game.score, "side": game.side, "neutral": 0.0, "date": game.date}
        now["year"] = period_number("year", game.date)
        now |= {"opponent_rating": game.opponent_rating, "opponent_rd": game.opponent_rd}
        now |= {"opponent_start_rd": game.opponent_rd, "event_name": game.event}
        now["period"] = self._period(game, before)
        same = before is not None and self.period != "game" and before["period"] == now["period"]
        now["same"] = float(same)
        seen = before["last_date"] if before is not None else 0.0
        now["last_date"] = max(game.date, seen)
        now["days"] = now["last_date"] - seen if seen > 0 else 0.0
        now["elapsed"] = 1.0 if before is None or self.period == "game" else now["period"] - before["period"]
        for name in ("days", "elapsed") if same else ():
            now[name] = before[name] if before is not None else 0.0
        for state in self.system.state:
            if before is None:
                now[state.name] = start[state.name]
            else:
                now[state.name] = before[state.name if same else f"{state.name}_after"]
        closing = self.closing_names
        for name, line in self.steps.items():
            if name not in closing:
                self._step(line, now)
        for name in self.system.sums:
            now[f"period_{name}"] = (before[f"period_{name}"] if same and before else 0.0) + now[name]
        now["period_games"] = (before["period_games"] if same and before else 0.0) + 1.0
        for name, line in self.steps.items():
            if name in closing:
                self._step(line, now)
        return now

    def _step(self, line: Line, now: dict[str, Any]) -> None:
        try:
            now[line.name] = float(line.step(*(now[name] for name in line.reads)))
        except (OverflowError, ValueError, ZeroDivisionError) as error:
            raise self._halted(error) from None

    def _halted(self, error: Exception) -> UsageError:
        return UsageError(f"system {self.system.name} cannot go on with these settings and ratings: {error}")

    def _period(self, game: Played, before: dict[str, Any] | None) -> float:
        if self.period == "event":
            if before is None:
                return 1.0
            return float(before["period"] + (str(before["event_name"]).lower() != game.event.lower()))
        return period_number(self.period, game.date) if self.period in {"month", "year"} else float(game.row)

    # Formulas, in the notation of `layout`

    def references(self, cells: Mapping[str, str], labels: Mapping[str, str] | None = None) -> dict[str, str]:
        """Return where each name that a step reads stands; `labels` replaces references of a table's own columns."""
        own = {p.name: cells.get(p.name, p.cell) for p in self.system.parameters if p.name != "period"}
        own |= {"score": "[Score]", "date": "[Date]", "year": "IF([Date]=0,0,YEAR([Date]))", "neutral": "0"}
        other = f'[{self.words.side}]="{self.words.sides[1]}"'
        own |= {"side": f"(1-2*({other}))", "opponent_rating": "[Opponent rating]"}
        own |= {"opponent_rd": "[Opponent RD]", "opponent_start_rd": "[Opponent RD]"}
        own |= {name: f"[{self.label(name)}]" for name in self.names}
        if self.period == "game":
            own |= {f"period_{name}": own[name] for name in self.system.sums} | {"period_games": "1", "elapsed": "1"}
        return own | dict(labels or {})

    def formula(self, name: str, references: Mapping[str, str]) -> str:
        """Return the formula of a step."""
        return rule_formula(self.steps[name], references)

    def gives(self, name: str, references: Mapping[str, str], guard: str) -> Callable[[Read], Sequence[CellValue]]:
        """Return what computes a step's column by the step itself, where the `guard` does not leave it empty."""
        by_step = stepped(self.steps[name], references, guard)

        def gives(read: Read) -> Sequence[CellValue]:
            try:
                return by_step(read)
            except (OverflowError, ValueError, ZeroDivisionError) as error:
                raise self._halted(error) from None

        return gives

    def structural(self, name: str, starts: Mapping[str, str], own: Mapping[str, str]) -> tuple[str, str]:
        """Return the Ledger's formula of a column that is no step, and that of the first row.

        `starts` says where the state stands that a pool begins with, `own` where each name is read in this row.
        """
        label = self.label(name)

        def before(column: str) -> str:
            return f"carried[{column}]"

        if name in starts:
            after = before(self.label(f"{name}_after"))
            if self.period != "game":
                after = f"IF([Same period]=1,{before(label)},{after})"
            return f"IF([Previous]=0,{starts[name]},{after})", starts[name]
        if name == "period":
            return self._period_formula(before)
        if name == "same":
            same = f"{before('Event')}=[Event]" if self.period == "event" else f"{before('Period')}=[Period]"
            return f"IF([Previous]=0,0,IF({same},1,0))", "0"
        if name == "last_date":
            return f"IF([Previous]=0,[Date],MAX([Date],{before(label)}))", "[Date]"
        if name in {"elapsed", "days"}:
            return self._since(name, before)
        if name.startswith("period_"):
            added = "1" if name == "period_games" else own[name.removeprefix("period_")]
            return f"IF([Same period]=1,{before(label)},0)+{added}", added
        reading = '{0}&""' if name == "event_name" else f"IF(ISNUMBER({{0}}),{{0}},{GAME_INPUTS[name] or 0:g})"
        return (reading,) * 2

    def _period_formula(self, before: Any) -> tuple[str, str]:
        if self.period == "event":
            return f"IF([Previous]=0,1,{before('Period')}+1-[Same period])", "1"
        number = "YEAR([Date])" if self.period == "year" else "12*YEAR([Date])+MONTH([Date])-1"
        return number, number

    def _since(self, name: str, before: Any) -> tuple[str, str]:
        since, first = f"[Period]-{before('Period')}", "1"
        if name == "days":
            seen = before(self.label("last_date"))
            since, first = f"IF({seen}>0,MAX(0,[Date]-{seen}),0)", "0"
        if self.period != "game":
            since = f"IF([Same period]=1,{before(self.label(name))},{since})"
        return f"IF([Previous]=0,{first},{since})", first

    def guarded(self, formula: str) -> str:
        """Return a column's formula, blank where the row is not rated."""
        return f'IF({UNRATED},"",{formula})'
