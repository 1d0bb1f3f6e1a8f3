"""What is held of a log with a column for each player, beside the formula of its games."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, field

from elo_sheets.detective.facts import Facts
from elo_sheets.detective.ladders import LEAST_GAMES, STEP, TINY, Ladder
from elo_sheets.detective.sides import Side
from elo_sheets.expr import Call, Expr, walk
from elo_sheets.files.package import Value, shift_formula
from elo_sheets.recognise.context import Proposal
from elo_sheets.recognise.departures import spell_anchored
from elo_sheets.recognise.evaluate import Evaluator
from elo_sheets.recognise.model import Area, Form, Key, Model, cell_area, with_areas
from elo_sheets.recognise.nearmiss import places

RANKS = ("RANK", "RANK.EQ")  # what gives the highest of numbers the first place, and equal ones the same
HALF = 0.5  # of the cells of a row show what is due, or of all have one fault: then that is what all are for


@dataclass
class Said:
    """What was held: each player's latest rating, the cells that they start from, what is open, stands and is wrong.

    Of what is wrong: the cell, the number due, the formula where it is known, and the relation of a `Residual`.
    """

    latest: dict[str, float]
    starts: list[Key]
    open: list[Key] = field(default_factory=list)
    stands: set[Key] = field(default_factory=set)
    wrong: list[tuple[Key, float, str | None, str]] = field(default_factory=list)


def on_ladder(facts: Facts, ladder: Ladder, games: Sequence[int], below: int, broken: Container[int]) -> Said:
    """Hold who gains by each game against who is named in its row, and the rows below against the latest ratings."""
    evaluator, model = facts.evaluator, facts.model
    last = {line: key for line in ladder.lines if (key := ladder.before(model, below, line)) is not None}
    starts = [key for line in ladder.lines if (key := ladder.before(model, games[0], line)) is not None]
    said = Said({ladder.lines[line]: model.number(key) or 0.0 for line, key in last.items()}, starts)
    for row in games:
        playing, named = ladder.playing(evaluator, row, {}), ladder.named(model, row)
        if playing is not None and {*named} != {key[2] for key in playing}:
            said.open.append((ladder.sheet, row, min(ladder.lines)))
    for row in sorted({key[1] for key in model.forms if key[0] == ladder.sheet and key[2] in last and key[1] >= below}):
        _repeated(evaluator, ladder, row, said)
    said.wrong += () if ladder.sparse else _taken_over(evaluator, ladder, games, below)
    if ladder.sparse:
        _by_hand(facts, ladder, games, broken, said)
    return said


def _taken_over(
    evaluator: Evaluator, ladder: Ladder, games: Sequence[int], below: int
) -> list[tuple[Key, float, str | None, str]]:
    """Hold the rows between games that take the ratings over, as a new page or season does, against the last game."""
    model, found, right = evaluator.model, list[tuple[Key, float, str | None, str]](), 0
    for row in sorted({*range(games[0], below)} - {*games}):
        last = max(game for game in games if game < row)
        for line in ladder.lines:
            key, due, latest = (ladder.sheet, row, line), ladder.before(model, row, line), (ladder.sheet, last, line)
            tree = model.tree(key)
            read = {one for one in model.precedents(key, 1) if one[0] == key[0] and one[2] == line and one[1] < row}
            if tree is None or due is None or len(read) != 1 or due[1] < last:
                continue
            (one,) = read
            if one[1] >= last or model.number(one) == model.number(latest):
                right += 1
                continue
            cell = cell_area((key[0], *due[1:]))
            edited = with_areas(tree, lambda area: cell if (area.row, area.column) == one[1:] else area)  # noqa: B023
            number = evaluator.number(key, {}, {key: edited})
            if number is not None:
                found.append((key, number, spell_anchored(model, key, edited), "begins"))
    return found if right > len(found) else []


def _by_hand(facts: Facts, ladder: Ladder, games: Sequence[int], broken: Container[int], said: Said) -> None:
    """Let cells of games that were written one by one stand, where all have one K and every sentence holds."""
    wrong = {key[1] for key in said.open}
    ks = {gain.cell: Side(facts, gain, {}).k(None) for row in games for gain in facts.gains(ladder.sheet, row)}
    usual = Counter(round(k, 6) for k in ks.values() if k is not None).most_common(1)
    for key, k in ks.items():
        if key[1] in wrong or key[1] in broken or k is None or round(k, 6) != usual[0][0]:
            said.open.append(key)
        else:
            said.stands.add(key)


def _repeated(evaluator: Evaluator, ladder: Ladder, row: int, said: Said) -> None:
    """Hold a row below the games that shows the players' latest ratings, or their places by these."""
    model = evaluator.model
    keys = [(ladder.sheet, row, line) for line in ladder.lines]
    shown = {key: number for key in keys if (number := model.number(key)) is not None}
    due = {key: said.latest.get(ladder.lines[key[2]], math.nan) for key in shown}
    trees = {key: tree for key in shown if (tree := model.tree(key)) is not None}
    ranked = any(isinstance(node, Call) and node.function in RANKS for tree in trees.values() for node in walk(tree))
    if ranked and all(1 <= number <= len(keys) and number % 1 == 0 for number in shown.values()):
        due = {key: 1.0 + sum(n > own for n in said.latest.values()) for key, own in due.items()}
    elif sum(abs(number - due[key]) < TINY for key, number in shown.items()) <= HALF * len(shown):
        return
    wrong = [key for key, number in shown.items() if abs(number - due[key]) >= TINY]
    whole = {key: wide for key in trees if (wide := ladder.widened(trees[key])) != trees[key]}
    wrong = [*whole] if wrong and {*wrong} <= {*whole} else wrong  # a range that is too short shows in some of them
    for key in wrong:
        text = spell_anchored(model, key, whole[key]) if key in whole else None
        said.wrong.append((key, due[key], text, "rank" if ranked else "list"))


def not_carried(facts: Facts) -> Iterator[Proposal]:
    """Yield the formulas of players' columns whose ratings do not go on from the row above, with the repair.

    Such a formula reads another row of its own column, as it does where the reference to the start is a fixed one.
    """
    evaluator, model = facts.evaluator, facts.model
    for ladder in facts.ladders.values():
        found: dict[Form, dict[Key, Expr]] = {}
        keys = [key for key in model.forms if key[0] == ladder.sheet and key[2] in ladder.lines]
        for key, form in ((key, model.forms[key]) for key in keys if not ladder.sparse and _reads_the_top(model, key)):
            above = ladder.before(model, key[1], key[2])
            here, tree, start = evaluator.number(key, {}), model.tree(key), model.number(above) if above else None
            if above is None or here is None or tree is None or start is None:
                continue
            moved: dict[Key, Value] = {above: start + STEP}
            follows = (evaluator.number(key, moved) or 0.0) - here  # by what the player is expected, where he plays
            due = cell_area((ladder.sheet, *above[1:]))
            for node, rebuilt in places(tree):
                own = isinstance(node, Area) and node.single and (node.column, node.row) != (above[2], above[1])
                if not (own and isinstance(node, Area) and node.column == key[2] and node.row < above[1]):
                    continue
                edited = rebuilt(due)
                there, after = (evaluator.number(key, one, {key: edited}) for one in ({}, moved))
                if there is not None and after is not None and abs(after - there - follows - STEP) < TINY:
                    found.setdefault(form, {})[key] = edited
                    break
        for form, edits in found.items():
            if len(edits) < max(LEAST_GAMES, HALF * len(keys)):
                continue  # a few rows depart from the others, which say what they should be
            repairs = {key: spell_anchored(model, key, tree) for key, tree in edits.items()}
            at, text = next(iter(repairs.items()))
            for key in keys:  # the first row of games, where the start is the row above
                if key not in repairs and model.forms[key] is form:
                    repairs[key] = shift_formula(text, key[1] - at[1], key[2] - at[2])
            says = "the rating goes on from another row than the one above it"
            yield Proposal("ES126", tuple(edits), says, repairs, fix="=" + next(iter(repairs.values())), rank=1)


def _reads_the_top(model: Model, key: Key) -> bool:
    """Whether a formula reads a cell of its own column further up than the row above."""
    areas = (area for area in model.areas(key) if area.single and (area.sheet or key[0]) == key[0])
    return any(area.column == key[2] and area.row < key[1] - 1 for area in areas)


__all__ = ["Said", "not_carried", "on_ladder"]
