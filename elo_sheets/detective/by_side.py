"""A K that goes by the side of a game on which a player stands, or that counts other games than his before.

It shows where the names of a game, or of an earlier one, change places: in players of other counts.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import permutations

from elo_sheets.detective.broken import Broken
from elo_sheets.detective.facts import SIDES, Facts
from elo_sheets.detective.gains import Gain, Kind, row_cone
from elo_sheets.detective.names import renamed
from elo_sheets.detective.sides import Result, Side, is_first, weights
from elo_sheets.files.package import Value
from elo_sheets.recognise.context import Proposal
from elo_sheets.recognise.model import Key, Model
from elo_sheets.recognise.walks import follow

MOST_EARLIER = 12  # games of a player whose sides are exchanged, the latest
MOST_OF_K = 24  # games of a kind in which the players change places


def k_by_side(facts: Facts, kind: Kind) -> Broken | None:
    """What is broken where a K of a kind of rows goes by the side; None where it does not, or where one is for all."""
    usual = next(iter(kind.seen.values()))
    if len(usual) != SIDES or len({gain.cell[2] for gain in usual}) != SIDES:
        return None
    if not any(_reads_names(facts, gain) for gain in usual):
        return None
    if next(_by_the_other(facts, kind), None) is not None:
        return None
    found: dict[int, list[Broken]] = {}
    for row in kind.rows[:: max(1, len(kind.rows) // MOST_OF_K)]:
        for cell, (k, due) in _on_either_side(facts, facts.gains(kind.sheet, row)):
            says = f"a player has a K of {k:.4g} on this side of a game, and would have {due:.4g} on the other"
            found.setdefault(cell[2], []).append(Broken("by side", cell, says, due, k))
    if found:
        odd = [column for column in found if _is_odd(facts, kind, column)]
        return max((found[column] for column in odd or found), key=len)[0]
    return _counts_later_games(facts, kind) or _counts_one_side(facts, kind)


def k_of_another(facts: Facts, kinds: Iterable[Kind]) -> Iterator[Proposal]:
    """Yield the columns of K that are looked up by the other side's name, with the own name in its place."""
    model = facts.model
    for kind in (one for one in kinds if any(_reads_names(facts, gain) for gain in next(iter(one.seen.values())))):
        for (column, other, own), (found, due) in _by_the_other(facts, kind):
            texts = {key: renamed(model, key, other, own) for key in ((kind.sheet, row, column) for row in kind.rows)}
            repairs = {key: text for key, text in texts.items() if (cell := model.cell(key)) and text != cell.formula}
            says = f"on this side of a game K is looked up by the opponent's name: {found:.4g} instead of {due:.4g}"
            cells = tuple(repairs) or tuple((kind.sheet, row, column) for row in kind.rows)
            fix = "=" + repairs[cells[0]] if repairs else None
            yield Proposal("ES120", cells, says, repairs, fix=fix, effect=None if repairs else 0.0, rank=2)


def _by_the_other(facts: Facts, kind: Kind) -> Iterator[tuple[tuple[int, int, int], tuple[float, float]]]:
    """Columns of K that follow the opponent's name and in no row the player's own, and a K with the one that is due.

    Of each column comes where the name that it follows stands, and where the player's own does.
    """
    follows: dict[tuple[int, int, int], list[tuple[bool, bool, float, float]]] = {}
    for row in kind.rows[:: max(1, len(kind.rows) // MOST_OF_K)]:
        for gain in facts.gains(kind.sheet, row):
            side = Side(facts, gain, {})
            by_weight = bool(gain.shares) and any(_moves_k(side, one, n) for one, n in weights(facts, side).items())
            here = side.k(None) if len(side.names) == SIDES and not by_weight else None
            own, other = side.names if here is not None else (gain.cell, gain.cell)
            a, b = facts.model.value(own), facts.model.value(other)
            by_own, by_other = (side.k(Result({one: name}, None, "")) for one, name in ((own, b), (other, a)))
            if here is None or by_own is None or by_other is None:
                continue
            cone = [key for key in row_cone(facts.context, gain)[1:] if other in facts.model.precedents(key)]
            for key in (key for key in cone if _same(facts.model.number(key) or 0.0, here)):
                moved = (not _same(here, by_own), not _same(here, by_other), here, by_other)
                follows.setdefault((key[2], other[2], own[2]), []).append(moved)
    for place, told in follows.items():
        odd = [(here, due) for _, by_other, here, due in told if by_other]
        if odd and not any(by_own for by_own, *_ in told):
            yield place, odd[0]


def _reads_names(facts: Facts, gain: Gain) -> bool:
    """Whether a gain follows from the players' names otherwise than by the ratings that are compared."""
    names = Side(facts, gain, {}).names
    return any(_reaches(facts.model, key, name) for key in row_cone(facts.context, gain) for name in names)


def _on_either_side(facts: Facts, gains: list[Gain]) -> Iterator[tuple[Key, tuple[float, float]]]:
    """Where a player would have another K on the other side of a game: its cell, the K, and the one that is due."""
    sides = [Side(facts, gain, {}, is_first(facts, gain, gains)) for gain in gains]
    for one, two in permutations(sides, 2):
        if (found := _exchanged(facts, one, two)) is not None:
            turned = {name: facts.model.value(other) for name, other in zip(one.names, two.names, strict=True)}
            own, others = (_by_name(facts, side, _k_cell(facts, side)) for side in (one, two))
            at = (key for key, like in zip(own, others, strict=False)
                  if facts.evaluator.number(key, turned) != facts.model.number(like))  # fmt: skip
            yield next(at, _k_cell(facts, one)), found


def _k_cell(facts: Facts, side: Side) -> Key:
    """The cell of the row that holds a side's K; its gain's own where there is none."""
    cells = (key for key in row_cone(facts.context, side.gain)[1:] if key[:2] == side.gain.cell[:2])
    return next((key for key in cells if _same(facts.model.number(key) or 0.0, side.k(None) or 0.0)), side.gain.cell)


def _by_name(facts: Facts, side: Side, k: Key) -> Iterator[Key]:
    """The formulas behind a K that read the name of its player, such as how many games he has."""
    model, behind = facts.model, follow([k], lambda at: (one for one in facts.model.precedents(at) if one[:2] == k[:2]))
    ratings = {*side.gain.own, *side.gain.other}
    yield from (key for key in (k, *behind) if key in model.forms and key not in ratings
                and side.names[0] in model.precedents(key))  # fmt: skip


def _exchanged(facts: Facts, one: Side, two: Side) -> tuple[float, float] | None:
    """Where a player's K is another on the other side of the same game: the names change places.

    The K of the first side and what it is due, None where that holds, or where K does not follow from the names.
    """
    if not one.names or one.names != two.names[::-1]:
        return None
    a, b = (facts.model.value(name) for name in one.names)
    if one.gain.shares and any(_moves_k(one, key, number) for key, number in weights(facts, one).items()):
        return None  # by Glicko's rule a game weighs by the opponent's deviation, as its expectation does
    turned = Result({one.names[0]: b, one.names[1]: a}, None, "")
    numbers = [k for k in (one.k(None), two.k(None), one.k(turned), two.k(turned)) if k is not None]
    if len(numbers) < 4:
        return None
    here, opposite, own_after, other_after = numbers
    follows = not (_same(here, own_after) and _same(opposite, other_after))
    if follows and _same(here, other_after):  # unless both have the other's
        own, others = (one.k(Result(dict.fromkeys(one.names, name), None, "")) for name in (a, b))
        return (here, own) if own and others and _same(here, others) and not _same(here, own) else None
    return (here, other_after) if follows else None


def _moves_k(side: Side, key: Key, number: float) -> bool:
    here, doubled = side.k(None), side.k(Result({key: 2 * number}, None, ""))
    return here is not None and doubled is not None and not _same(here, doubled)


def _same(a: float, b: float) -> bool:
    return math.isclose(a, b, rel_tol=1e-9)


def _counts_later_games(facts: Facts, kind: Kind) -> Broken | None:
    """A K that follows from a player's games after this one, where ratings run on from game to game."""
    model, rows = facts.model, sorted(kind.rows)
    names: dict[Value, list[Key]] = {}
    for row in reversed(rows):
        sides = [Side(facts, gain, {}) for gain in facts.gains(kind.sheet, row)]
        for side in sides:
            later = names.get(model.value(side.names[0]), []) if side.names and _runs_on(facts, side.gain) else []
            here = side.k(None) if later else None
            before = side.k(Result(dict.fromkeys(later, ""), None, "")) if here else None
            if here and before and not _same(here, before):
                cone = row_cone(facts.context, side.gain)
                cell = next((key for key in cone if _reaches(model, key, later[0])), side.gain.cell)
                says = f"K is {here:.4g}, and would be {before:.4g} if the games below were not played: it counts them"
                return Broken("by side", cell, says, before, here)
        for name in sides[0].names if sides else ():
            names.setdefault(model.value(name), []).append(name)
    return None


def _reaches(model: Model, key: Key, cell: Key) -> bool:
    """Whether a formula reads a range or a cell that holds another one."""
    return any(
        (area.sheet or key[0]) == cell[0]
        and area.row <= cell[1] <= area.bottom
        and area.column <= cell[2] <= area.right
        for area in model.areas(key)
    )


def _runs_on(facts: Facts, gain: Gain) -> bool:
    """Whether the rating of a side follows from what was gained in rows above."""
    gained = {(key[0], key[2]) for key in (gain.cell, *facts.readers(gain.cell, gain.cell[1]))}
    return any(
        (area.sheet or gain.cell[0], column) in gained and area.row < gain.cell[1]
        for area in facts.model.areas(gain.own[0])
        for column in range(area.column, area.right + 1)
    )


def _counts_one_side(facts: Facts, kind: Kind) -> Broken | None:
    """A K that follows from a player's games on one side only: it changes with the side of an earlier game."""
    model, played = facts.model, dict[Value, list[tuple[Key, ...]]]()
    for at, row in enumerate(sorted(kind.rows)):
        sides = [Side(facts, gain, {}) for gain in facts.gains(kind.sheet, row)]
        for side in sides if at % max(1, len(kind.rows) // MOST_OF_K) == 0 else ():
            here = side.k(None)
            for cells in played.get(model.value(side.names[0]), ())[-MOST_EARLIER:] if side.names and here else ():
                a, b = cells
                turned = side.k(Result({a: model.value(b), b: model.value(a)}, None, ""))
                if here and turned and not math.isclose(here, turned):
                    cell, due, found = _first_that_turns(facts, side, {a: model.value(b), b: model.value(a)})
                    says = f"a K of {here:.4g} would be {turned:.4g} with the players of row {a[1]} exchanged: it "
                    return Broken("by side", cell, says + "counts their games on one side only", due, found)
        for side in sides[:1]:
            for name in side.names if len(side.names) == SIDES else ():
                played.setdefault(model.value(name), []).append(side.names)
    return None


def _first_that_turns(facts: Facts, side: Side, moved: dict[Key, Value]) -> tuple[Key, float, float]:
    """The cell of a game furthest behind its change that follows some entries, with its number at those and today's."""
    found = side.gain.cell, 0.0, 0.0
    for key in row_cone(facts.context, side.gain):
        here, turned = facts.model.number(key), facts.evaluator.number(key, moved, side.formulas)
        if key[:2] == side.gain.cell[:2] and None not in (here, turned) and here != turned:
            found = key, turned or 0.0, here or 0.0
    return found


def _is_odd(facts: Facts, kind: Kind, column: int) -> bool:
    """Whether a column of K has two numbers for players who have played as many games."""
    played: Counter[Value] = Counter()
    of_count: dict[int, set[float | None]] = {}
    for row in kind.rows:
        sides = [Side(facts, gain, {}) for gain in facts.gains(kind.sheet, row)]
        for side in sides:
            if side.names and column in {key[2] for key in row_cone(facts.context, side.gain)}:
                n = played[facts.model.value(side.names[0])]
                of_count.setdefault(n, set()).add(facts.model.number((kind.sheet, row, column)))
        played.update(facts.model.value(side.names[0]) for side in sides if side.names)
    return any(len(numbers) > 1 for numbers in of_count.values())
