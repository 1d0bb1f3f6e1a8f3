"""Books of values, without any formula: explained when one K and one scale give nearly every change of rating in them.

Then the rows that do not fit are named.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from elo_sheets.files.package import cell_name
from elo_sheets.recognise.context import Sheetwork
from elo_sheets.recognise.grid import Region, regions
from elo_sheets.recognise.model import Key, Model, range_text
from elo_sheets.recognise.shapes import logistic
from elo_sheets.verdict.findings import ERROR, Finding, Role, shown

EXPLAINED = 0.95  # of the rows: what is left may be typed wrongly, a twentieth at most
MOST_COLUMNS = 18  # of a table whose columns are tried as names, scores and ratings
Column = dict[int, float]  # row -> number


def values_only(model: Model) -> Sheetwork:
    """Return the verdict on a book without formulas: unchecked, and, where one rule explains it, what does not fit."""
    cells = sum(len(cells) for cells in model.book.sheets.values())
    best: Explained | None = None
    for region in regions(model):
        found = _explain(model, region)
        if found is not None and (best is None or found.rows > best.rows):
            best = found
    work = Sheetwork("values-only")
    if best is None:
        work.reason = f"no formulas here: {cells} cells of values, nothing to recalculate"
        return work
    k, scale = round(best.k, 4), round(best.scale, 4)
    work.facts = {"k": k, "scale": scale, "explained": best.share}
    work.reason = f"no formulas here; K {shown(k)} and scale {shown(scale)} explain {best.share} rows"
    work.named_roles = list(best.roles)
    work.findings = list(best.findings(model))
    work.listed, work.rated = best.rows, best.rows - len(best.off)
    return work


@dataclass(frozen=True)
class Misfit:
    """A number that does not follow: its cell and the number that would."""

    key: Key
    expected: float


@dataclass(frozen=True)
class Explained:
    """Games as values, and the rule that explains them."""

    k: float
    scale: float
    rows: int
    off: tuple[Misfit, ...]
    roles: tuple[Role, ...]

    @property
    def share(self) -> str:
        """How many rows the rule explains."""
        return f"{self.rows - len(self.off)} of {self.rows}"

    def findings(self, model: Model) -> Iterator[Finding]:
        """Yield the numbers that do not follow from the rule."""
        for one in self.off:
            found = model.number(one.key)
            assert found is not None
            message = f"{shown(found)} does not follow from the game by the rule that explains {self.share} rows"
            yield Finding(
                "ES901",
                ERROR,
                range_text([one.key]),
                message,
                round(one.expected, 6),
                found,
                found - one.expected,
                "proven",
            )


@dataclass(frozen=True)
class Line:
    """A game as values: score and difference of the ratings of the first player, and his change with its cell."""

    row: int
    score: float
    difference: float
    change: float
    key: Key
    base: float  # what the change is added to, for the expected number of the cell
    sign: float = 1.0


def fit(lines: Sequence[Line], slack: float) -> tuple[float, float, list[Line]] | None:
    """Return K, scale and the lines that they do not explain within `slack`; None when too many are not explained.

    Least squares over the lines that fit best, so that a few wrong numbers do not bend the rule.
    """
    if len(lines) < 5:
        return None
    kept = list(lines)
    k = scale = 0.0
    for _ in range(6):
        k, scale = _least_squares(kept)
        limit = max(slack, sorted(abs(_rest(line, k, scale)) for line in lines)[int(0.85 * (len(lines) - 1))])
        now = [line for line in lines if abs(_rest(line, k, scale)) <= limit]
        if now == kept:
            break
        kept = now
    best: tuple[int, float, float] | None = None
    for whole_scale in _neat(scale, (100.0, 50.0, 40.0, 10.0, 5.0, 1.0)):
        for whole_k in _neat(_k_for(kept, whole_scale), (10.0, 8.0, 5.0, 1.0, 0.5)):
            off = sum(abs(_rest(line, whole_k, whole_scale)) > slack for line in lines)
            if best is None or off < best[0]:
                best = off, whole_k, whole_scale
    if best is None or len(lines) - best[0] < EXPLAINED * len(lines) or best[1] <= 0:
        return None
    # One unit of the last shown digit is the rounding of another program, not a fault.
    return best[1], best[2], [line for line in lines if abs(_rest(line, best[1], best[2])) > 2.2 * slack]


def _neat(value: float, steps: Sequence[float]) -> list[float]:
    """Round numbers near a fitted one, the roundest first, and the number itself."""
    found: list[float] = []
    for step in steps:
        for count in range(math.ceil(0.9 * value / step), math.floor(1.1 * value / step) + 1):
            if count > 0 and count * step not in found and len(found) < 40:
                found.append(count * step)
    found.sort(key=lambda near: (-max(step for step in steps if near % step == 0), abs(near - value)))
    return [*found, value]


def _k_for(lines: Sequence[Line], scale: float) -> float:
    shares = [line.score - logistic(line.difference, scale) for line in lines]
    return sum(x * line.change for x, line in zip(shares, lines, strict=True)) / (sum(x * x for x in shares) or 1e-12)


def _rest(line: Line, k: float, scale: float) -> float:
    return line.change - k * (line.score - logistic(line.difference, scale))


def _least_squares(lines: Sequence[Line]) -> tuple[float, float]:
    def k_and_error(scale: float) -> tuple[float, float]:
        shares = [line.score - logistic(line.difference, scale) for line in lines]
        square = sum(x * x for x in shares) or 1e-12
        k = sum(x * line.change for x, line in zip(shares, lines, strict=True)) / square
        return k, sum((line.change - k * x) ** 2 for x, line in zip(shares, lines, strict=True))

    low, high = math.log(20.0), math.log(5000.0)
    grid = [low + (high - low) * i / 60 for i in range(61)]
    at = min(range(61), key=lambda i: k_and_error(math.exp(grid[i]))[1])
    low, high = grid[max(0, at - 1)], grid[min(60, at + 1)]
    for _ in range(60):
        a, b = low + 0.382 * (high - low), low + 0.618 * (high - low)
        if k_and_error(math.exp(a))[1] < k_and_error(math.exp(b))[1]:
            high = b
        else:
            low = a
    scale = math.exp((low + high) / 2)
    return k_and_error(scale)[0], scale


_RESULTS = {
    "1-0": 1.0, "0-1": 0.0, "½-½": 0.5, "1/2-1/2": 0.5, "0.5-0.5": 0.5, "1:0": 1.0, "0:1": 0.0, "w": 1.0, "l": 0.0,
    "d": 0.5, "win": 1.0, "loss": 0.0, "draw": 0.5, "1": 1.0, "0": 0.0, "½": 0.5, "=": 0.5,
}  # fmt: skip


def game_score(model: Model, key: Key) -> float | None:
    """Return the score that a cell shows, as a number or a word; None when it shows none."""
    value = model.value(key)
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, str):
        return _RESULTS.get(value.strip().casefold())
    return float(value) if value in (0.0, 0.5, 1.0) else None


def _explain(model: Model, region: Region) -> Explained | None:
    """Try the columns of a region as names, scores, ratings before and after; return the best explanation."""
    rows = [
        row for row in region.rows if sum(model.value((region.sheet, row, c)) is not None for c in region.columns) >= 4
    ]
    if len(rows) < 6 or len(region.columns) > MOST_COLUMNS:
        return None
    columns = {
        c: {row: n for row in rows if (n := model.number((region.sheet, row, c))) is not None} for c in region.columns
    }
    many = max(5.0, 0.8 * len(rows))
    ratings = [c for c, v in columns.items() if len(v) >= many and len(set(v.values())) > 2 and max(v.values()) > 60]
    changes = [
        c for c, v in columns.items() if len(v) >= many and min(v.values()) < 0 and max(map(abs, v.values())) <= 400
    ]
    scores = {
        c: {row: s for row in rows if (s := game_score(model, (region.sheet, row, c))) is not None}
        for c in region.columns
    }
    scores = {c: v for c, v in scores.items() if len(v) >= many and len(set(v.values())) > 1}
    best: Explained | None = None
    for score, (own, other) in itertools.product(scores, itertools.permutations(ratings, 2)):
        targets = [(after, True) for after in ratings if after not in (own, other)] + [(c, False) for c in changes]
        for target, is_rating in targets:
            found = _try(region, columns, scores[score], own, other, target, is_rating)
            if found is not None and (best is None or len(found.off) < len(best.off)):
                best = found
                own_roles = (("S", score), ("B", own), ("O", other), ("R" if is_rating else "D", target))
                roles = tuple(
                    Role(
                        role,
                        range_text([(region.sheet, rows[0], c), (region.sheet, rows[-1], c)]),
                        "the rule explains them",
                    )
                    for role, c in own_roles
                )
                best = Explained(best.k, best.scale, best.rows, best.off, roles)
    return None if best is None else _both_sides(model, region, columns, best)


def _try(
    region: Region, columns: dict[int, Column], scores: Column, own: int, other: int, target: int, is_rating: bool
) -> Explained | None:
    lines = []
    for row, score in scores.items():
        mine, their, shown_ = columns[own].get(row), columns[other].get(row), columns[target].get(row)
        if mine is None or their is None or shown_ is None:
            continue
        base = mine if is_rating else 0.0
        lines.append(Line(row, score, mine - their, shown_ - base, (region.sheet, row, target), base))
    if len(lines) < 6 or len({round(line.difference, 3) for line in lines}) < 4:
        return None
    if sum(abs(line.change) > 150 for line in lines) > 0.05 * len(lines):
        return None
    slack = max(shown_step(columns[c].values()) for c in (own, other, target)) * 1.01 + 1e-6
    found = fit(lines, slack)
    if found is None or found[0] < 20 * slack or found[1] > 4500 or found[1] < 25:
        return None
    k, scale, off = found
    misfits = tuple(Misfit(line.key, line.base + k * (line.score - logistic(line.difference, scale))) for line in off)
    return Explained(k, scale, len(lines), misfits, ())


def shown_step(values: Iterable[float]) -> float:
    """Return half the last shown digit, from the digits that the numbers have; as good as exact beyond nine."""
    digits = 0
    for value in values:
        text = f"{value:.10f}".rstrip("0")
        digits = max(digits, len(text.partition(".")[2]))
    return 0.5 * 10.0**-digits if digits < 9 else 1e-6


def _both_sides(model: Model, region: Region, columns: dict[int, Column], found: Explained) -> Explained:
    """Add the other player's number, where a column holds it, to the rows that are checked."""
    roles = {role.role: role.range.rpartition("!")[2] for role in found.roles}
    from elo_sheets.files.package import parse_range

    place = {role: parse_range(text)[1] for role, text in roles.items()}
    own, other = place["B"], place["O"]
    is_rating = "R" in place
    target = place["R" if is_rating else "D"]
    for column, values in columns.items():
        if column in (own, other, target, place["S"]):
            continue
        off = []
        counted = 0
        slack = max(shown_step(columns[c].values()) for c in (own, other, column)) * 1.01 + 1e-6
        for row, shown_ in values.items():
            mine, their = columns[own].get(row), columns[other].get(row)
            score = game_score(model, (region.sheet, row, place["S"]))
            if mine is None or their is None or score is None:
                continue
            counted += 1
            base = their if is_rating else 0.0
            right = base + found.k * ((1 - score) - logistic(their - mine, found.scale))
            if abs(shown_ - right) > 2.2 * slack:
                off.append(Misfit((region.sheet, row, column), right))
        if counted >= 6 and counted - len(off) >= EXPLAINED * counted:
            first, last = cell_name(region.rows[0], column), cell_name(region.rows[-1], column)
            role = Role("R2" if is_rating else "D2", f"{region.sheet}!{first}:{last}", "the rule explains them")
            rows = {m.key[1] for m in found.off}
            both = found.off + tuple(m for m in off if m.key[1] not in rows)
            return Explained(found.k, found.scale, found.rows, both, (*found.roles, role))
    return found
