"""Games of sides played many times over, all runs at once: the rule's steps over arrays with an element a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from elo_sheets._late import Array, np
from elo_sheets.errors import UsageError
from elo_sheets.odds.forecast import odds_with_draws
from elo_sheets.replaying.sided import RatedRow, SidedRule
from elo_sheets.systems import Line
from elo_sheets.uses.chances import BAND
from elo_sheets.uses.season_runs import Drawn, close, compute
from elo_sheets.uses.sided_forecast import strength

# An expected score this near to 0 or 1 has no logarithm of its odds.
_LEAST = 1e-12


class RuleOfRuns(SidedRule):
    """A rule whose states, places and columns are arrays with an element a run."""

    def _run(self, columns: Sequence[Line], given: Mapping[str, Any]) -> dict[str, Any]:
        known: dict[str, Any] = {**self.texts, **self.numbers, **given}
        compute(columns, known)
        return {line.name: known[line.name] for line in columns}

    def _close(self, row: Mapping[str, Any]) -> dict[str, Any]:
        known: dict[str, Any] = {**self.texts, **self.numbers, **row}
        close(self.system.closing, known)
        return {f"{name}_after": known[f"{name}_after"] for name in self.states}

    def _most(self, values: Sequence[Any]) -> Any:
        return np.maximum.reduce(values)

    def _opponents(self, side: Any, places: Mapping[Any, Any]) -> list[tuple[Any, Any, Any]]:
        """Return whom a side plays, as `replaying.sided.opponents` does; with `winner` a game may weigh 0 in a run."""
        others = [one for one in places if one != side]
        best = np.minimum.reduce(list(places.values()))
        winners = sum(place == best for place in places.values())
        found = []
        for other in others:
            share: Any = 1 / len(others)
            if self.system.many == "winner" and len(others) > 1:
                share = ((places[side] == best) | (places[other] == best)) / winners
            found.append((other, share, (places[side] < places[other]) + 0.5 * (places[side] == places[other])))
        return found

    def _closed(self, row: dict[str, Any]) -> dict[str, Any]:
        row |= self.settled | {f"period_{name}": row[name] for name in self.system.sums} | {"period_games": 1.0}
        return row | self._close(row)

    def _jointly(
        self,
        rows: Sequence[Mapping[str, Any]],
        players: Sequence[dict[str, Any]],
        told: Mapping[Any, dict[str, Any]],
        places: Mapping[Any, Any],
    ) -> list[RatedRow]:
        """Rate a game of more than two sides by the rule's own code, run by run."""
        states = [f"{name}_after" for name in self.states]
        after: list[dict[str, Any]] = [
            {name: np.empty_like(places[row["side"]], "float64") for name in states} for row in rows
        ]
        for run in range(len(next(iter(places.values())))):
            own = [{name: _of_run(value, run) for name, value in player.items()} for player in players]
            here = {side: float(place[run]) for side, place in places.items()}
            for found, rated in zip(after, super()._jointly(rows, own, told, here), strict=True):
                for name in states:
                    found[name][run] = rated.row[name]
        return [RatedRow(found) for found in after]


def _of_run(value: Any, run: int) -> float:
    return float(value[run]) if getattr(value, "ndim", 0) else float(value)


class Runs:
    """The games to come, one after the other; `states` are what each run has come to, and `rule` gives the odds of now.

    With `update` the odds follow from what the run has come to. Without `rates` no game is rated.
    """

    def __init__(
        self,
        rule: SidedRule,
        now: Mapping[str, Mapping[str, float]],
        runs: int,
        random: np.random.Generator,
        drawn: Drawn,
        points: tuple[float, float, float],
        update: bool,
        rates: bool,
    ) -> None:
        self.rule, self.now, self.runs, self.random = rule, now, runs, random
        self.drawn, self.points, self.update, self.rates = drawn, points, update, rates
        self.of_runs = RuleOfRuns(rule.system, rule.values, 2)
        self.states: dict[str, dict[str, Any]] = {}

    def play(self, sides: Sequence[Sequence[str]]) -> Array:
        """Return the points of each side of one game in each run, and rate it."""
        for name in (name for members in sides for name in members):
            self.states.setdefault(name, {state: np.full(self.runs, value) for state, value in self.now[name].items()})
        with np.errstate(all="ignore"):  # what has gone too far is found at the end
            known: Mapping[str, Mapping[str, Any]] = self.states if self.update else self.now
            rule = self.of_runs if self.update else self.rule
            told = [[known[name] for name in members] for members in sides]
            made, places = self._two(rule, told) if len(sides) == 2 else self._many(rule, told)
            if self.rates:
                self._rate(sides, places)
        return made

    def _two(self, rule: SidedRule, told: Sequence[Any]) -> tuple[Array, Sequence[Array]]:
        expected = strength(rule, *told)
        odds = odds_with_draws(expected.expected, self.drawn(*expected))
        chance = self.random.random(self.runs)
        halves = (chance < odds.win).astype("int64") + (chance < odds.win + odds.draw)
        table = np.array(self.points[::-1])
        return np.stack([table[halves], table[2 - halves]]), [2.0 - halves, 0.0 + halves]

    def _many(self, rule: SidedRule, told: Sequence[Any]) -> tuple[Array, Sequence[Array]]:
        count = len(told)
        logits = [
            sum(_logit(strength(rule, own, other).expected) for other in told if other is not own) / count
            for own in told
        ]
        performed = np.stack([logit + np.zeros(self.runs) for logit in logits])
        performed = performed + self.random.gumbel(size=performed.shape)
        beaten = performed.argsort(axis=0).argsort(axis=0)
        made: Array = (beaten * self.points[0] + (count - 1 - beaten) * self.points[2]) / (count - 1)
        return made, list(0.0 - beaten)

    def _rate(self, sides: Sequence[Sequence[str]], places: Sequence[Array]) -> None:
        seats = [(side, name) for side, members in enumerate(sides, 1) for name in members]
        rows = [
            {"side": side, "place": places[side - 1], "points": 0.0, "weight": 1.0, "states": self.states[name]}
            for side, name in seats
        ]
        for (_, name), rated in zip(seats, self.of_runs.rate(rows), strict=True):
            self.states[name] = {state: rated.row[f"{state}_after"] for state in self.of_runs.states}

    def bands(self) -> dict[str, tuple[float, float, float]]:
        """Return quantiles of each player's rating after the games; raises `UsageError` for ratings that ran away."""
        found = {}
        for name, state in self.now.items() if self.rates else ():
            rating = self.states[name]["rating"] if name in self.states else np.array([state["rating"]])
            if not np.isfinite(rating).all():
                raise UsageError(f"ratings of system {self.rule.system.base.name} grow too far apart to be compared")
            low, median, high = np.quantile(rating, BAND).tolist()
            found[name] = (low, median, high)
        return found


def _logit(chance: Any) -> Any:
    kept = np.clip(chance, _LEAST, 1 - _LEAST)
    return np.log(kept / (1 - kept))
