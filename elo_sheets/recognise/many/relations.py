"""What each cell of a table of many should give: relations, asked of the cells as functions.

A relation says what a cell gives for what it should read. The cells that it should read are given other numbers, and
the interpreter says what it shows.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from functools import cached_property

from elo_sheets.expr import Expr
from elo_sheets.files.package import Value
from elo_sheets.recognise.context import Context
from elo_sheets.recognise.many.rows import Game, Table, text
from elo_sheets.recognise.many.rule import ALL_EXPECTATIONS, ALL_SCORES, CLOSE, DIVISORS, MOSTLY, Rule, mean_of_others
from elo_sheets.recognise.model import Key

Given = dict[Key, Value]
Asked = list[tuple[Given, float]]  # numbers for cells, and what the cell must then give


class Relations:
    """What the cells of a table give under its rule."""

    def __init__(self, context: Context, table: Table, rule: Rule) -> None:
        self.context, self.table, self.rule = context, table, rule
        self.model, self.evaluator = context.model, context.evaluator
        self.unrated = [game for game in table.games if not self.is_complete(game)]
        self.dice = random.Random(1)

    @cached_property
    def first_typed(self) -> float | None:
        """The rating that everybody starts from where no list says so."""
        first: dict[str, float] = {}
        for row in self.table.rows:
            name, number = self.player(row), self.model.number(self.table.key(row, "before"))
            if name and number is not None:
                first.setdefault(name, number)
        usual = Counter(first.values()).most_common(1)
        return usual[0][0] if usual and usual[0][1] > MOSTLY * len(first) else None

    @cached_property
    def has_level_winners(self) -> bool:
        """Whether two were first in any game: else nobody knows what each would get of it."""
        for game in self.table.games:
            result = self.table.result
            told = [self.model.number(self.table.key(row, result)) for row in game.rows if result is not None]
            numbers = [number for number in told if number is not None]
            best = (min if self.rule.by_place else max)(numbers, default=None)
            if numbers.count(best or 0.0) > 1:
                return True
        return False

    @cached_property
    def has_level(self) -> bool:
        """Whether two had one result in any game."""
        result = self.table.result
        keys = ([self.table.key(row, result) for row in game.rows] for game in self.table.games if result is not None)
        told = ([number for key in cells if (number := self.model.number(key)) is not None] for cells in keys)
        return any(len(set(numbers)) < len(numbers) for numbers in told)

    def _reads_others(self, game: Game, at: int) -> bool:
        """Whether a score follows from other results than its own, and not only from how many they are."""
        result = self.table.result
        if result is None or "score" not in self.table.columns:
            return True
        own, *others = (self.table.key(row, result) for row in (game.rows[at], *game.rows[:at], *game.rows[at + 1 :]))
        key = self.table.key(game.rows[at], "score")
        ends = ({own: 2.0, **dict.fromkeys(others, place)} for place in (1.0, 3.0))
        return len({self.evaluator.number(key, given) for given in ends}) > 1

    def player(self, row: int) -> str | None:
        """Return the name in a row as it is typed, blanks and all: a look-up takes it so."""
        value = self.model.value(self.table.key(row, self.table.player))
        return None if text(self.model, self.table.key(row, self.table.player)) is None else str(value)

    def is_complete(self, game: Game) -> bool:
        if self.table.result is not None:
            return game.size == len(self.table.results(self.model, game)) > 1
        numbers = [self.model.number(self.table.key(row, "before")) for row in game.rows]
        return None not in numbers and game.size > 1

    def asked(self, role: str, game: Game, row: int) -> Asked:
        """Return what a cell is asked: numbers for the cells that it should read, and its answer to each."""
        at = game.rows.index(row)
        if role == "score":
            return [self._scored(game, at, values) for values in self._results(game, at)]
        if role in ("expected", "others"):
            return [self._expected(role, game, at) for _ in range(2)]
        if role == self.table.gain:
            return list(self.changes(game, row))
        if role == "after":
            return [self._added(row) for _ in range(2)]
        return [one for _ in range(2) if (one := self.carried(self.player(row), row, self.table.key(row, role)))]

    def _results(self, game: Game, at: int) -> Iterator[list[float]]:
        """Yield results in which a player is first, last (a middle place scores alike either way round), or level."""
        rising = [float(n) for n in range(1, game.size + 1)]
        if self.rule.score == "sides":
            half = game.size // 2
            yield [3.0] * half + [1.0] * (game.size - half)
            yield [1.0] * half + [3.0] * (game.size - half)
            return
        for own in (rising[0], rising[-1]):
            others = self.dice.sample([one for one in rising if one != own], game.size - 1)
            yield [*others[:at], own, *others[at:]]
        if self.rule.score == "winner" and not self.has_level_winners:
            return
        if not self.has_level and not self._reads_others(game, at):
            return  # (n - place)/(n - 1) says nothing of level places, and there are none
        tied = self.dice.sample(rising, game.size)
        best = min(tied) if self.rule.by_place else max(tied)
        tied[(tied.index(best) + 1) % game.size] = best
        yield tied

    def _scored(self, game: Game, at: int, values: list[float]) -> tuple[Given, float]:
        score = ALL_SCORES[self.rule.score]
        if self.table.result is None:  # the places are those of the columns
            return {}, score([float(place) for place in range(game.size)], True)[at]
        given = self.table.given(self.model, game, values, self.rule.by_place)
        return given, score(values, self.rule.by_place)[at]

    def _ratings(self, game: Game) -> list[float]:
        usual = self.first_typed or 1500.0
        return [usual + self.dice.uniform(-0.4, 0.4) * self.rule.scale for _ in game.rows]

    def _expected(self, role: str, game: Game, at: int) -> tuple[Given, float]:
        ratings = self._ratings(game)
        given: Given = {self.table.key(row, "before"): r for row, r in zip(game.rows, ratings, strict=True)}
        others = mean_of_others(ratings)
        if role == "others":
            return given, others[at]
        if "others" in self.table.columns:
            given[self.table.key(game.rows[at], "others")] = others[at]
        scale = self.rule.scale
        if self.rule.scale_cell is not None:
            scale *= self.dice.uniform(0.8, 1.2)
            given[self.rule.scale_cell] = scale
        return given, ALL_EXPECTATIONS[self.rule.expected](ratings, scale)[at]

    def changes(self, game: Game, row: int) -> Iterator[tuple[Given, float]]:
        """Yield numbers for what a change should read, and the change that is due."""
        at, table = game.rows.index(row), self.table
        for results in list(self._results(game, at))[:2]:
            score, expected, k = self.dice.uniform(0, 3), self.dice.uniform(0, 3), self.rule.k
            ratings = [1500.0] * game.size if "expected" in table.columns else self._ratings(game)
            given: Given = {table.key(one, "before"): rating for one, rating in zip(game.rows, ratings, strict=True)}
            if "score" in table.columns:
                given[table.key(row, "score")] = score
            else:
                more, score = self._scored(game, at, results)
                given |= more
            if "expected" in table.columns:
                given[table.key(row, "expected")] = expected
            else:
                expected = ALL_EXPECTATIONS[self.rule.expected](ratings, self.rule.scale)[at]
            if self.rule.k_cell is not None:
                k *= self.dice.uniform(0.5, 2)
                given[self.rule.k_cell] = k
            base = ratings[at] if table.gain == "after" else 0.0
            yield given, base + k * (score - expected) / DIVISORS[self.rule.divisor](game.size)

    def _added(self, row: int) -> tuple[Given, float]:
        before, change = 1500 + self.dice.uniform(-200, 200), self.dice.uniform(-30, 30)
        return {self.table.key(row, "before"): before, self.table.key(row, "change"): change}, before + change

    def carried(self, name: str | None, row: int, own: Key) -> tuple[Given, float] | None:
        """Return changes for all games, and what a player has reached by them before a row."""
        if name is None:
            return None
        table, start = self.table, self.table.roster.starts.get(name)
        reached: dict[str, float] = {}
        given: Given = {}
        begin = self.first_typed if start is None else self.model.number(start)
        twice = {text(self.model, key) for key in table.roster.twice}
        if begin is None or (table.roster.starts and start is None) or name in twice:
            return None
        if start is not None:
            begin = round(begin + self.dice.uniform(5, 50), 3)
            given[start] = begin
        for game in table.games:
            changes = {at: self.dice.uniform(-30, 30) for at in game.rows}
            for at in game.rows:
                player = self.player(at) or ""
                known = begin if player == name else self.opening(player)
                was = reached.get(player, known)
                given |= {table.key(at, "change"): changes[at]} if "change" in table.columns else {}
                if at < row:
                    reached[player] = was + changes[at]
                if "after" in table.columns:
                    given[table.key(at, "after")] = was + changes[at]
        given.pop(own, None)
        return given, reached.get(name, begin)

    def opening(self, name: str) -> float:
        """Return the rating that a player starts from."""
        key = self.table.roster.starts.get(name)
        number = None if key is None else self.model.number(key)
        return (self.first_typed or 1500.0) if number is None else number

    def holds(self, key: Key, asked: Asked, tree: Expr | None = None) -> bool | None:
        """Return whether a cell, or a formula in its place, answers right; None where it cannot be computed."""
        formulas = {} if tree is None else {key: tree}
        for given, due in asked:
            number = self.evaluator.number(key, given, formulas)
            if number is None:
                return None if tree is None else False
            if abs(number - due) > CLOSE * max(1.0, abs(due)):
                return False
        return True
