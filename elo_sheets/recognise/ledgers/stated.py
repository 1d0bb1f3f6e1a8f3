"""Numbers that were typed beside the formulas of a rule, held against what the rule gives for their row.

A column of typed changes or new ratings is judged when the expectation of its row is a formula that behaves. Where most
rows follow K × (score − expectation), the others are wrong. Where few do, only the header says what the column is, and
it must rise and fall with the right numbers; one that is in proportion to them follows another K, and is left alone.
"""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from elo_sheets.expr import Binary
from elo_sheets.recognise.context import ERROR, WARNING, Context, Proposal
from elo_sheets.recognise.departures import spell
from elo_sheets.recognise.grid import says
from elo_sheets.recognise.model import Model, cell_area
from elo_sheets.recognise.predictions.entries import expectation_columns
from elo_sheets.recognise.values_only import game_score, shown_step

LEAST_ROWS, MOST_COLUMNS = 4, 40
FOLLOWED = 0.6  # the share of rows from which a column counts as following the rule
TABLE = 0.006  # how far an expectation from a printed table may be off
HIGHEST_K = 200.0

Column = dict[int, float]  # row -> number


@dataclass(frozen=True)
class Expectations:
    """A column of expectations of two typed ratings of the same row: row -> expectation, and the columns."""

    sheet: str
    column: int
    own: int
    other: int
    expected: Column


@dataclass(frozen=True)
class Stated:
    """A typed column as changes: what stands there and what is right, by row; `k` is its column, None for one K."""

    column: int
    score: int
    k: int | None
    base: Column
    found: Column
    right: Column
    slack: Column
    is_rating: bool

    def follows(self, row: int) -> bool:
        """Whether a row states the right number, as far as its digits go."""
        return abs(self.found[row] - self.right[row]) <= self.slack[row]

    @property
    def off(self) -> list[int]:
        """The rows that do not."""
        return [row for row in self.found if not self.follows(row)]

    @property
    def share(self) -> float:
        """The share of rows that are right."""
        return 1 - len(self.off) / len(self.found)

    @property
    def followed(self) -> bool:
        """Whether so many rows are right that the others are wrong."""
        return len(self.found) - len(self.off) >= LEAST_ROWS and self.share >= FOLLOWED


def stated(context: Context) -> Iterator[Proposal]:
    """Yield what is wrong in the columns that were typed beside expectations."""
    taken: set[tuple[str, int, int]] = set()
    for expectations in _expectations(context):
        options = list(_columns(context, expectations))
        for column in dict.fromkeys(one.column for one in options):
            same = [one for one in options if one.column == column]
            best = max(same, key=lambda one: (one.followed, one.k is not None, one.share))
            place = (expectations.sheet, column, min(best.found))
            if place not in taken:
                taken.add(place)
                yield from _judged(context.model, expectations, best)


def _expectations(context: Context) -> Iterator[Expectations]:
    model = context.model
    for part, keys in expectation_columns(context):
        sheet, _, column = keys[0]
        ratings = (part.own, part.other)
        if part.curve.scale is None or any(model.is_formula(r) or r[:2] != part.key[:2] for r in ratings):
            continue
        expected = {
            row: number / part.unit
            for _, row, _ in keys
            if (number := model.number((sheet, row, column))) is not None
            and all(model.number((sheet, row, rating[2])) is not None for rating in ratings)
        }
        if len(expected) >= LEAST_ROWS:
            yield Expectations(sheet, column, part.own[2], part.other[2], expected)


def _columns(context: Context, e: Expectations) -> Iterator[Stated]:
    """The ways in which a typed column may state changes or new ratings."""
    model = context.model
    width = context.evaluator.extent[e.sheet][1]
    typed = {c: _typed(model, e, c) for c in range(1, min(width, MOST_COLUMNS) + 1) if c not in (e.own, e.other)}
    scores = {c: s for c in typed if (s := _scores(model, e, c)) is not None}
    ks = [c for c, v in typed.items() if len(v) == len(e.expected) and all(1 <= k <= HIGHEST_K for k in v.values())]
    own = {row: model.number((e.sheet, row, e.own)) or 0.0 for row in e.expected}
    for column, values in typed.items():
        if len(values) < max(LEAST_ROWS, 0.8 * len(e.expected)) or column in scores:
            continue
        if any(context.evaluator.readers.is_read((e.sheet, row, column)) for row in values):
            continue
        step = shown_step(values.values())
        for score, is_rating in itertools.product(scores, (False, True)):
            base = own if is_rating else dict.fromkeys(own, 0.0)
            found = {row: value - base[row] for row, value in values.items()}
            surplus = {row: scores[score][row] - e.expected[row] for row in values}
            for k in (*(c for c in ks if c != column), None):
                factors = {row: typed[k][row] for row in values} if k is not None else _one_k(found, surplus)
                if factors:
                    right = {row: factors[row] * surplus[row] for row in values}
                    slack = {row: 1.01 * step + TABLE * factors[row] for row in values}
                    yield Stated(column, score, k, base, found, right, slack, is_rating)


def _typed(model: Model, e: Expectations, column: int) -> Column:
    keys = ((e.sheet, row, column) for row in e.expected)
    return {k[1]: n for k in keys if not model.is_formula(k) and (n := model.number(k)) is not None}


def _scores(model: Model, e: Expectations, column: int) -> Column | None:
    found = {row: s for row in e.expected if (s := game_score(model, (e.sheet, row, column))) is not None}
    return found if len(found) == len(e.expected) and len(set(found.values())) > 1 else None


def _one_k(found: Column, surplus: Column) -> Column:
    """The K that most rows share, for every row; empty when there is none."""
    ratios = [found[row] / surplus[row] for row in found if abs(surplus[row]) > 0.05]
    if len(ratios) < LEAST_ROWS:
        return {}
    k = round(statistics.median(ratios))
    return dict.fromkeys(found, float(k)) if 1 <= k <= HIGHEST_K else {}


def _judged(model: Model, e: Expectations, one: Stated) -> Iterator[Proposal]:
    if not one.followed and not (one.k is not None and _is_meant(model, e, one)):
        return
    for row in one.off:
        key = (e.sheet, row, one.column)
        expected, found = one.base[row] + one.right[row], one.base[row] + one.found[row]
        what = "new rating" if one.is_rating else "change"
        message = f"the {what} typed here is {found:g}; the numbers of its row give {round(expected, 2):g}"
        yield Proposal(
            "ES201", (key,), message, severity=ERROR if one.followed else WARNING,
            confidence="proven" if one.followed else "header", fix=_fix(model, e, one, row),
            expected=expected, found=found, effect=found - expected, latent=False, rank=2,
        )  # fmt: skip


def _is_meant(model: Model, e: Expectations, one: Stated) -> bool:
    """Whether a column is called a change and goes with the right numbers, but is not in proportion to them."""
    first = (e.sheet, min(one.found), one.column)
    if not says(model.header(first), "after" if one.is_rating else "change"):
        return False
    rows = [row for row in one.found if abs(one.right[row]) > one.slack[row]]
    if len(rows) < LEAST_ROWS or any(one.found[row] * one.right[row] < 0 for row in rows):
        return False
    ratios = [one.found[row] / one.right[row] for row in rows]
    return max(ratios) > 1.2 * min(ratios) and _goes_with(list(one.found.values()), list(one.right.values()))


def _goes_with(found: Sequence[float], right: Sequence[float]) -> bool:
    pairs = [(i, j) for i in range(len(right)) for j in range(len(right)) if right[i] > right[j] + 1e-6]
    return sum(found[i] >= found[j] for i, j in pairs) >= 0.8 * len(pairs)


def _fix(model: Model, e: Expectations, one: Stated, row: int) -> str | None:
    score = (e.sheet, row, one.score)
    if one.k is None or model.number(score) is None:
        return None
    surplus = Binary("-", cell_area(score), cell_area((e.sheet, row, e.column)))
    change = Binary("*", cell_area((e.sheet, row, one.k)), surplus)
    return "=" + spell(Binary("+", cell_area((e.sheet, row, e.own)), change) if one.is_rating else change, e.sheet)


__all__ = ["stated"]
