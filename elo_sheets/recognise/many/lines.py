"""Games of many in rows with a rating column for each player, which goes on from the row above.

B-E: points or places of each   F: =F5+K/3*(…-1/(1+10^((G5-F5)/400))+…)   and so on for each player
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby, product

from elo_sheets.expr import Expr
from elo_sheets.files.package import Value
from elo_sheets.recognise import nearmiss
from elo_sheets.recognise.context import Context, Proposal, RoleCells, Sheetwork
from elo_sheets.recognise.many.rule import DIVISORS, EXPECTATIONS, SCORES, Rule
from elo_sheets.recognise.model import Area, Key, Model, at_cell, range_text
from elo_sheets.recognise.nearmiss import scales_in
from elo_sheets.recognise.periods.closings import in_its_row
from elo_sheets.recognise.proposals import with_formulas
from elo_sheets.recognise.unheld import unheld

LAYOUT = "table of many"
LEAST_SEATS, MOST_SEATS, LEAST_ROWS = 3, 12, 4
LEAST_RATING = 100.0  # points
CLOSE = 1e-6  # rating points
MOSTLY = 0.6  # of the cells follow the rule, before the others are at fault
SAMPLED = 6  # rows in which the rule is looked for
SCALES = 2
Formulas = Mapping[Key, Expr]


@dataclass
class Lines:
    """The columns of ratings and of results, seat by seat, and the rows of games."""

    sheet: str
    rows: list[int]
    ratings: list[int]
    results: list[int]


class Judge:
    """Holds each new rating as a function of the ratings above and of the results of its row."""

    def __init__(self, context: Context, lines: Lines) -> None:
        self.context, self.lines, self.model = context, lines, context.model
        self.dice = random.Random(2)

    @cached_property
    def are_places(self) -> bool:
        """Whether each row has places, of which the first is the best."""
        of, number = self.lines, self.model.number
        told = [[number((of.sheet, row, of.results[at])) or 0.0 for at in self.seats(row)] for row in of.rows]
        return all(min(results) == 1 and max(results) <= len(results) for results in told)

    @cached_property
    def is_level(self) -> bool:
        """Whether two had one result in any row: else nobody knows what each would get of it."""
        of, number = self.lines, self.model.number
        told = ([number((of.sheet, row, of.results[at])) for at in self.seats(row)] for row in of.rows)
        return any(len(set(results)) < len(results) for results in told)

    def seats(self, row: int) -> list[int]:
        """Who plays: the seats with a result."""
        number, of = self.model.number, self.lines
        return [at for at, column in enumerate(of.results) if number((of.sheet, row, column)) is not None]

    def asked(self, row: int, level: bool = False) -> tuple[dict[Key, Value], list[float], list[float]]:
        """Other ratings above a row and other results in it, with those of who plays."""
        of, playing = self.lines, self.seats(row)
        ratings = [1500 + self.dice.uniform(-180, 180) for _ in of.ratings]
        results = self.dice.sample([float(n) for n in range(1, len(playing) + 1)], len(playing))
        if level:
            results[0] = results[-1]
        given: dict[Key, Value] = {(of.sheet, row - 1, c): r for c, r in zip(of.ratings, ratings, strict=True)}
        given |= {(of.sheet, row, of.results[at]): result for at, result in zip(playing, results, strict=True)}
        return given, [ratings[at] for at in playing], results

    def gained(self, row: int, seat: int, given: Mapping[Key, Value], formulas: Formulas | None = None) -> float | None:
        """What a seat gains by a row."""
        of = self.lines
        new = self.context.evaluator.number((of.sheet, row, of.ratings[seat]), given, formulas, 24)
        before = given[of.sheet, row - 1, of.ratings[seat]]
        return None if new is None or not isinstance(before, float) else new - before

    def rules(self, row: int) -> Iterator[Rule]:
        """The rules that a row's ratings follow: what a change is divided by shows in rows of other sizes alone."""
        playing = self.seats(row)
        tried = [self.asked(row) for _ in range(2)]
        gains = [[self.gained(row, at, given) for at in playing] for given, _, _ in tried]
        scales = [one.value for one in scales_in(self.model.forms.values(), SCALES)]
        ways = product(SCORES, (True,) if self.are_places else (False, True), EXPECTATIONS, scales, DIVISORS)
        for score, by_place, expected, scale, divisor in ways if len(playing) >= LEAST_SEATS else ():
            ks: Counter[float] = Counter()
            for (_, ratings, results), told in zip(tried, gains, strict=True):
                due = zip(SCORES[score](results, by_place), EXPECTATIONS[expected](ratings, scale), told, strict=True)
                ks.update(round(gain / (s - e), 6) for s, e, gain in due if gain is not None and abs(s - e) > CLOSE)
            k, count = ks.most_common(1)[0] if ks else (0.0, 0)
            if k > 1 and count >= MOSTLY * ks.total():  # a seat may be at fault
                k = round(k * DIVISORS[divisor](len(playing)), 5)
                yield Rule(score, by_place, expected, scale, None, divisor, k)

    def holds(self, rule: Rule, row: int, seat: int, formulas: Formulas | None = None) -> bool:
        """Whether a new rating follows a rule, level results among them; who does not play keeps his rating."""
        playing = self.seats(row)
        for level in (False, True) if self.is_level else (False,):
            given, ratings, results = self.asked(row, level)
            due = 0.0
            if seat in playing and len(playing) > 1:
                at, parts = playing.index(seat), DIVISORS[rule.divisor](len(playing))
                score = SCORES[rule.score](results, rule.by_place)[at]
                due = rule.k / parts * (score - EXPECTATIONS[rule.expected](ratings, rule.scale)[at])
            gain = self.gained(row, seat, given, formulas)
            if gain is None or abs(gain - due) > CLOSE * max(1.0, rule.k):
                return False
        return True

    def mended(self, rule: Rule, wrong: Sequence[tuple[int, int]]) -> Iterator[Proposal]:
        """A seat's cells with the formula of its sound rows, or with a slip undone."""
        of, model = self.lines, self.model
        for seat, cells in groupby(sorted((seat, row) for row, seat in wrong), key=lambda one: one[0]):
            keys = [(of.sheet, row, of.ratings[seat]) for _, row in cells]
            for trees in self._ways(keys):
                if all(self.holds(rule, key[1], seat, trees) for key in keys):
                    yield with_formulas(model, trees)
                    break
            else:
                says = "at other numbers the cell does not give what the rule of the other cells gives"
                yield Proposal("ES108", tuple(keys), says, effect=0.0)

    def _ways(self, keys: list[Key]) -> Iterator[dict[Key, Expr]]:
        """Yield other formulas for new ratings of a seat, or cells behind them: their column's, then slips undone."""
        model, of = self.model, self.lines
        columns = [at for *_, at in dict.fromkeys((keys[0], *in_its_row(model, keys[0])))]
        for at in (column for column in columns if column not in of.results):
            cells = [(of.sheet, row, at) for _, row, _ in keys]
            others = [key for row in of.rows if (key := (of.sheet, row, at)) in model.forms and key not in cells]
            for form, _ in Counter(model.forms[key] for key in others).most_common(1):
                wrong = [key for key in cells if model.forms.get(key) is not form]
                if wrong:
                    yield {key: at_cell(form.tree, key) for key in wrong}
        own = model.forms.get(keys[0])
        for tree in () if own is None else self._slips(own.tree, keys[0]):
            yield {key: at_cell(tree, key) for key in keys}

    def _slips(self, tree: Expr, key: Key) -> Iterator[Expr]:
        above = [Area(None, -1, at - key[2], -1, at - key[2], 0, True) for at in self.lines.ratings]
        beside = [Area(None, 0, at - key[2], 0, at - key[2], 0, True) for at in self.lines.results]
        yield from nearmiss.with_references(tree, above)
        yield from nearmiss.with_references(tree, beside)
        yield from (one for _, one in nearmiss.candidates(tree))


def recognise(context: Context) -> Sheetwork | None:
    """Return the rows of games of many that a sheet rates in columns of players, judged; None where there are none."""
    for sheet in context.model.book.sheets:
        lines = _lines(context, sheet)
        if lines is None:
            continue
        judge = Judge(context, lines)
        step = max(1, len(lines.rows) // SAMPLED)
        found = Counter(rule for row in lines.rows[::step] for rule in judge.rules(row))
        rule = found.most_common(1)[0][0] if found else None
        if rule is None:
            continue
        cells = [(row, seat) for row in lines.rows for seat in range(len(lines.ratings))]
        wrong = [one for one in cells if not judge.holds(rule, *one)]
        if len(wrong) < (1 - MOSTLY) * len(cells):
            return _work(context, judge, rule, wrong)
    return None


def _lines(context: Context, sheet: str) -> Lines | None:
    """The columns side by side whose ratings go on from the row above and follow as many columns of typed numbers."""
    model = context.model
    columns = Counter(key[2] for key in model.forms if key[0] == sheet and _goes_on(model, key))
    ratings = sorted(column for column, count in columns.items() if count >= LEAST_ROWS)
    if not LEAST_SEATS <= len(ratings) <= MOST_SEATS or ratings != list(range(ratings[0], ratings[0] + len(ratings))):
        return None
    rows = sorted({key[1] for key in model.forms if key[0] == sheet and key[2] in ratings and _goes_on(model, key)})
    typed: Counter[int] = Counter()
    for row in rows[:SAMPLED]:
        keys = [(sheet, row, column) for column in ratings if (sheet, row, column) in model.forms]
        behind = {one for key in keys for at in (key, *_in_row(model, key)) for one in model.precedents(at)}
        typed.update({one[2] for one in behind if one[:2] == (sheet, row) and one not in model.forms})
    results = sorted(column for column in typed if column not in ratings)
    results = [c for c in results if sum(model.number((sheet, row, c)) is not None for row in rows) >= LEAST_ROWS]
    rows = [row for row in rows if sum(model.number((sheet, row, c)) is not None for c in results) > 1]
    return Lines(sheet, rows, ratings, results) if len(results) == len(ratings) and len(rows) >= LEAST_ROWS else None


def _goes_on(model: Model, key: Key) -> bool:
    number = model.number(key)
    above = (key[0], key[1] - 1, key[2])
    return number is not None and number >= LEAST_RATING and above in set(model.precedents(key))


def _in_row(model: Model, key: Key) -> list[Key]:
    """The formulas of its row that a new rating follows from."""
    return [one for one in in_its_row(model, key) if one in model.forms]


def _work(context: Context, judge: Judge, rule: Rule, wrong: list[tuple[int, int]]) -> Sheetwork:
    lines, model = judge.lines, context.model
    cells = [(lines.sheet, row, column) for row in lines.rows for column in lines.ratings]
    work = Sheetwork(LAYOUT, listed=len(lines.rows), rated=len(lines.rows))
    work.ratings = set(cells)
    work.owned = {*cells, *(one for key in cells for one in _in_row(model, key))}
    work.roles = [RoleCells("R", tuple(cells))]
    work.facts = rule.facts()
    work.proposals = list(judge.mended(rule, wrong))
    if wrong:
        row, seat = wrong[0]
        work.reason = f"{range_text([(lines.sheet, row, lines.ratings[seat])])} does not follow the rule of the others"
    else:
        columns = [[(lines.sheet, row, column) for row in lines.rows] for column in lines.ratings]
        ends = (pick(keys, key=lambda key: model.number(key) or 0.0) for keys in columns for pick in (max, min))
        held = {key for key in model.forms if key[0] == lines.sheet and key[1] in set(lines.rows)}
        latest = {keys[-1] for keys in columns}
        work.reason = unheld(context, cells, {*latest, *ends}, held, len(lines.rows))
    work.replayed = work.reason is None
    return work


__all__ = ["recognise"]
