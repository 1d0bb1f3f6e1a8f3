"""Cross-tables of results: everybody against everybody as typed scores; the two cells of a game must fit together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from elo_sheets.files.package import cell_name
from elo_sheets.recognise.context import Context, Proposal
from elo_sheets.recognise.grid import Region, regions
from elo_sheets.recognise.model import Key, Model
from elo_sheets.verdict.findings import WARNING, shown

LEAST, MOST = 4, 60  # players
HEAD = 6  # rows at the top of a region that may be titles and headers
PLAYED = 0.6  # of the games of a table that must have been played
FIT = 0.8  # of the games whose two cells must fit together before the others are at fault
SUMMED = 0.7  # of the rows whose points must be the sum of their results

_WORDS = {"½": 0.5, "1/2": 0.5, "=": 0.5, "1": 1.0, "0": 0.0, "+": 1.0, "-": 0.0}


@dataclass(frozen=True)
class CrossTable:
    """A square of typed scores; `total` is what the two sides of a pairing share, 2 where everybody meets twice."""

    sheet: str
    top: int
    left: int
    size: int
    total: float
    scores: dict[tuple[int, int], float]

    def key(self, i: int, j: int) -> Key:
        """The cell of player i's score against player j."""
        return (self.sheet, self.top + i, self.left + j)

    def points(self, i: int) -> float:
        """The sum of a player's scores."""
        return sum(score for (one, _), score in self.scores.items() if one == i)


def result_faults(context: Context) -> list[Proposal]:
    """Return the games of cross-tables whose two scores do not fit together, and typed points that are no sum."""
    found: list[Proposal] = []
    for region in regions(context.model):
        table = cross_table(context.model, region)
        if table is not None:
            found += _judge(context.model, region, table)
    return found


def cross_table(model: Model, region: Region) -> CrossTable | None:
    """Return the square of typed scores that a region holds, None where it holds none."""
    for top in range(region.top, min(region.top + HEAD, region.bottom)):
        for left in region.columns:
            most = min(region.bottom - top + 1, region.right - left + 1, MOST)
            if most < LEAST or _score(model, (region.sheet, top, left + 1)) is None:
                continue
            for size in range(most, LEAST - 1, -1):
                table = _square(model, region.sheet, top, left, size)
                if table is not None:
                    return table
    return None


def _score(model: Model, key: Key) -> float | None:
    value = None if key in model.forms else model.value(key)
    if isinstance(value, str):
        return _WORDS.get(value.strip())
    number = model.number(key) if value is not None else None
    return number if number is not None and 0 <= number <= 4 and (2 * number).is_integer() else None


def _square(model: Model, sheet: str, top: int, left: int, size: int) -> CrossTable | None:
    places = [(i, j) for i in range(size) for j in range(size)]
    if any(model.number((sheet, top + i, left + i)) is not None for i in range(size)):
        return None  # nobody plays himself
    scores = {(i, j): s for i, j in places if i != j and (s := _score(model, (sheet, top + i, left + j))) is not None}
    games = {(i, j): s + scores[j, i] for (i, j), s in scores.items() if i < j and (j, i) in scores}
    if len(games) < PLAYED * size * (size - 1) / 2 or {i for game in games for i in game} < set(range(size)):
        return None
    total, count = Counter(games.values()).most_common(1)[0]
    if total not in (1.0, 2.0, 4.0) or count < FIT * len(games) or max(scores.values()) > total:
        return None
    return CrossTable(sheet, top, left, size, total, scores)


def _judge(model: Model, region: Region, table: CrossTable) -> Iterator[Proposal]:
    points = _points(model, region, table)
    off = {i for i in range(table.size) if i in points and abs(points[i][1] - table.points(i)) > 1e-9}
    accused: set[int] = set()
    for (i, j), score in table.scores.items():
        other = table.scores.get((j, i))
        if i < j and other is not None and score + other != table.total:
            one, two = (j, i) if j in off and i not in off else (i, j)
            accused.add(one)
            yield _contradiction(model, table, one, two)
    for i in sorted(off - accused):
        key, found = points[i]
        expected = table.points(i)
        what = f"{shown(found)} points stand where the results of the row give {shown(expected)}"
        yield Proposal("ES214", (key,), what, severity=WARNING, confidence="proven", expected=expected, found=found,
                       effect=0.0, rank=2)  # fmt: skip


def _contradiction(model: Model, table: CrossTable, i: int, j: int) -> Proposal:
    key, mirror = table.key(i, j), table.key(j, i)
    found, other = table.scores[i, j], table.scores[j, i]
    expected = table.total - other
    what = f"{shown(found)} here and {shown(other)} in {cell_name(*mirror[1:])} are no result of one game"
    if model.formula_count:
        return Proposal("ES411", (key,), what, values={key: expected}, confidence="proven", rank=2)
    return Proposal("ES411", (key,), what, confidence="proven", expected=expected, found=found, effect=0.0, rank=2)


def _points(model: Model, region: Region, table: CrossTable) -> dict[int, tuple[Key, float]]:
    """The typed column of points beside a cross-table, player by player; empty when there is none."""
    inside = range(table.left, table.left + table.size)
    for column in region.columns:
        keys = {i: (table.sheet, table.top + i, column) for i in range(table.size)}
        found = {i: (k, n) for i, k in keys.items() if k not in model.forms and (n := model.number(k)) is not None}
        right = sum(abs(n - table.points(i)) < 1e-9 for i, (_, n) in found.items())
        if column not in inside and right >= SUMMED * table.size:
            return found
    return {}


__all__ = ["CrossTable", "cross_table", "result_faults"]
