"""The rule of a table of many: how places score, what is expected, and what a change is divided by."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from elo_sheets.expr import Number, walk
from elo_sheets.recognise.context import Context
from elo_sheets.recognise.many.rows import Game, Table, text
from elo_sheets.recognise.model import Key

CLOSE = 1e-6
MOSTLY = 0.5
FARTHEST = 300.0  # powers of ten that a number can hold: wrong ratings may lie anywhere
SCALES = (400.0, 200.0, 300.0, 500.0, 600.0, 800.0, 1000.0, 480.0, 2000.0)


def beaten(values: Sequence[float], by_place: bool) -> list[float]:
    """Return how many each beats, a tie counting half."""
    own = [-value for value in values] if by_place else list(values)
    return [sum((a > b) + 0.5 * (a == b) for b in own) - 0.5 for a in own]


def _linear(values: Sequence[float], by_place: bool) -> list[float]:
    n = len(values)
    return [2 * number / (n * (n - 1)) for number in beaten(values, by_place)]


def _winner(values: Sequence[float], by_place: bool) -> list[float]:
    best = min(values) if by_place else max(values)
    first = sum(value == best for value in values)
    return [(value == best) / first for value in values]


SCORES: dict[str, Callable[[Sequence[float], bool], list[float]]] = {
    "beaten": beaten,
    "share": lambda values, by_place: [number / (len(values) - 1) for number in beaten(values, by_place)],
    "linear": _linear,
    "winner": _winner,
}


def _chance(gap: float, scale: float) -> float:
    return 1 / (1 + 10 ** max(-FARTHEST, min(FARTHEST, -gap / scale)))


def _against_each(ratings: Sequence[float], scale: float) -> list[float]:
    return [sum(_chance(a - b, scale) for b in ratings) - 0.5 for a in ratings]


def mean_of_others(ratings: Sequence[float]) -> list[float]:
    return [(sum(ratings) - own) / (len(ratings) - 1) for own in ratings]


def _strengths(ratings: Sequence[float], scale: float) -> list[float]:
    powers = [10 ** max(-FARTHEST, (rating - max(ratings)) / scale) for rating in ratings]
    return [power / sum(powers) for power in powers]


EXPECTATIONS: dict[str, Callable[[Sequence[float], float], list[float]]] = {
    "beaten": _against_each,
    "share": lambda ratings, scale: [value / (len(ratings) - 1) for value in _against_each(ratings, scale)],
    "linear": lambda r, scale: [2 * value / (len(r) * (len(r) - 1)) for value in _against_each(r, scale)],
    "winner": _strengths,
    "mean": lambda ratings, scale: [
        _chance(a - b, scale) for a, b in zip(ratings, mean_of_others(ratings), strict=True)
    ],
}


def _sides(values: Sequence[float], by_place: bool) -> list[float]:
    half = len(values) // 2
    one, two = values[0], values[half]
    first = 0.5 + (one > two) / 2 - (one < two) / 2
    return [first] * half + [1 - first] * (len(values) - half)


def _against_opponents(ratings: Sequence[float], scale: float) -> list[float]:
    half = len(ratings) // 2
    one, two = sum(ratings[:half]) / half, sum(ratings[half:]) / (len(ratings) - half)
    return [_chance(own - (two if at < half else one), scale) for at, own in enumerate(ratings)]


def _duels(ratings: Sequence[float], scale: float) -> list[float]:
    first, *others = ratings
    return [
        sum(_chance(first - other, scale) for other in others),
        *(_chance(other - first, scale) for other in others),
    ]


# Of games with a row each: two sides of the seats left and right, and duels of the first named with each of the others.
ALL_SCORES: dict[str, Callable[[Sequence[float], bool], list[float]]] = {
    **SCORES,
    "sides": _sides,
    "duels": lambda values, by_place: [(len(values) - 1) * won for won in _winner(values, by_place)],
}
ALL_EXPECTATIONS: dict[str, Callable[[Sequence[float], float], list[float]]] = {
    **EXPECTATIONS,
    "opponents": _against_opponents,
    "duels": _duels,
}
DIVISORS: dict[str, Callable[[int], float]] = {"opponents": lambda n: n - 1, "": lambda n: 1.0}
SAYS = {
    "beaten": "each game is one against each of the others",
    "share": "each game is one against each of the others, as a share",
    "linear": "places count in even steps",
    "winner": "the winner takes all, who is expected by the share of his strength, 10^(rating/scale)",
    "mean": "each plays the mean of the others",
    "opponents": "each plays the mean of the opponents",
    "duels": "each of the others plays the winner alone",
}


@dataclass(frozen=True)
class Rule:
    """The rule of a table: how places score, what is expected, and what the change is divided by."""

    score: str
    by_place: bool
    expected: str
    scale: float
    scale_cell: Key | None
    divisor: str
    k: float
    k_cell: Key | None = None

    def facts(self) -> dict[str, object]:
        """Return the rule in words."""
        divided = ", divided by the number of opponents" if self.divisor else ""
        return {"game": SAYS[self.expected], "k": f"{self.k:g}{divided}", "scale": f"{self.scale:g}"}


def rule_of(context: Context, table: Table) -> Rule | None:
    """Return the rule that most games follow, part by part; the usual one for a part that none follows."""
    model, result = context.model, table.result
    if result is None:
        return None
    complete = [
        game for game in table.games
        if game.size > 1 and all(model.number(table.key(row, result)) is not None for row in game.rows)
    ]  # fmt: skip
    if not complete:
        return None

    def numbers(role: str, game: Game) -> list[float | None]:
        return [model.number(table.key(row, role)) for row in game.rows]

    def hits(role: str, due: Callable[[Game], list[float] | None]) -> float:
        told = [(numbers(role, game), due(game)) for game in complete]
        pairs = [
            (a, b)
            for own, wanted in told
            if wanted is not None
            for a, b in zip(own, wanted, strict=True)
            if a is not None
        ]
        return sum(abs(a - b) <= CLOSE * max(1.0, abs(b)) for a, b in pairs) / max(1, len(pairs))

    def results(game: Game) -> list[float]:
        return [model.number(table.key(row, result)) or 0.0 for row in game.rows]

    def ratings(game: Game) -> list[float] | None:
        found = [one for one in numbers("before", game) if one is not None]
        return found if len(found) == game.size else None

    places_typed = all(min(results(game)) == 1 and max(results(game)) <= game.size for game in complete)
    scored = {
        (name, by_place): hits("score", lambda game, s=score, p=by_place: s(results(game), p))  # type: ignore[misc]
        for name, score in SCORES.items()
        for by_place in ((True,) if places_typed else (False, True))
    }
    settings = {cell: number for cell in settings_of(context) if (number := model.number(cell)) is not None}
    read = outside(context, table, "expected")
    told = [cell for cell in read if 50 <= settings.get(cell, 0) <= 5000]
    scales: list[tuple[float, Key | None]] = [(settings[cell], cell) for cell in told]
    scales += [(value, None) for value in dict.fromkeys([*literals(context, table, "expected"), *SCALES])]

    def expectation(name: str, scale: float) -> Callable[[Game], list[float] | None]:
        def due(game: Game) -> list[float] | None:
            own = ratings(game)
            return None if own is None else EXPECTATIONS[name](own, scale)

        return due

    kinds = ["mean"] if "others" in table.columns else list(EXPECTATIONS)
    expected = {(name, *scale): hits("expected", expectation(name, scale[0])) for name in kinds for scale in scales}
    score, by_place = max(scored, key=lambda one: scored[one])
    kind, scale, scale_cell = max(expected, key=lambda one: expected[one])
    score_known, known = scored[score, by_place] > MOSTLY, expected[kind, scale, scale_cell] > MOSTLY
    if not score_known and not known:
        return None
    if not known:
        kind = score if score in kinds else kinds[0]
        scale, scale_cell = scales[0]
    if not score_known:
        score, by_place = ("beaten" if kind == "beaten" else "share"), places_typed
    k, k_cell, divisor = _k(context, table, complete, settings)
    return None if k is None else Rule(score, by_place, kind, scale, scale_cell, divisor, k, k_cell)


def _k(
    context: Context, table: Table, games: Sequence[Game], settings: Mapping[Key, float]
) -> tuple[float | None, Key | None, str]:
    """Return K, its cell, and what changes are divided by."""
    model = context.model
    read = [cell for cell in outside(context, table, table.gain) if 1 <= settings.get(cell, 0) <= 500]
    cell = read[0] if read else None
    found: dict[str, Counter[float]] = {name: Counter() for name in DIVISORS}
    for game in games:
        for row in game.rows:
            told = [model.number(table.key(row, role)) for role in ("score", "expected", table.gain)]
            if table.gain == "after" and told[2] is not None:
                told[2] -= model.number(table.key(row, "before")) or 0.0
            if None in told or abs((told[0] or 0) - (told[1] or 0)) < 1e-3:
                continue
            ratio = (told[2] or 0) / ((told[0] or 0) - (told[1] or 0))
            for name, divisor in DIVISORS.items():
                found[name][round(ratio * divisor(game.size), 6)] += 1
    if cell is not None:
        k = settings[cell]
        best = max(DIVISORS, key=lambda name: found[name][round(k, 6)])
        return k, cell, best if found[best][round(k, 6)] else "opponents"
    common = {name: counts.most_common(1)[0] for name, counts in found.items() if counts}
    best = max(common, key=lambda name: common[name][1], default="opponents")
    k, count = common.get(best, (0.0, 0))
    if k > 0 and count > MOSTLY * sum(found[best].values()):
        return k, None, best
    numbers = literals(context, table, table.gain, 2, 500)
    hits = {(value, name): found[name][round(value, 6)] for value in numbers for name in DIVISORS}
    value, name = max(hits, key=lambda one: hits[one], default=(None, ""))
    return value, None, name


def settings_of(context: Context) -> list[Key]:
    """Return the cells of a typed number beside a text, outside any table."""
    model = context.model
    return [
        (sheet, row, column)
        for sheet, cells in model.book.sheets.items()
        for (row, column), cell in cells.items()
        if column > 1 and cell.formula is None and model.number((sheet, row, column)) is not None
        and text(model, (sheet, row, column - 1)) is not None
    ]  # fmt: skip


def outside(context: Context, table: Table, role: str) -> list[Key]:
    """Return the single typed cells outside the games that most formulas of a column read, the most read first."""
    counts: Counter[Key] = Counter()
    for row in table.rows:
        for area in context.model.areas(table.key(row, role)):
            key = (area.sheet or table.sheet, area.row, area.column)
            if area.single and key not in context.model.forms and not table.holds(key):
                counts[key] += 1
    return [key for key, count in counts.most_common() if count > MOSTLY * len(table.rows)]


def literals(context: Context, table: Table, role: str, least: float = 50, most: float = 5000) -> list[float]:
    """Return the numbers of a size in the formulas of a column, the most frequent first."""
    counts: Counter[float] = Counter()
    for row in table.rows:
        form = context.model.forms.get(table.key(row, role))
        numbers = {n.value for n in walk(form.tree) if isinstance(n, Number)} if form else set()
        counts.update(value for value in numbers if least <= value <= most)
    return [value for value, _ in counts.most_common(4)]
