"""Games by which one player is rated and the other is not: never moved, or moved whatever was expected."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from elo_sheets.detective.broken import Broken
from elo_sheets.detective.chain import Log
from elo_sheets.detective.facts import SIDES, Facts
from elo_sheets.detective.gains import Gain
from elo_sheets.detective.sides import Side
from elo_sheets.files.package import Value
from elo_sheets.recognise.context import WARNING, Proposal
from elo_sheets.recognise.model import Key

FAR = 1500.0  # rating points that move every expectation
CLOSE = 1e-9  # rating points
LEAST_GAMES = 3  # in fewer a game may be level by chance


def one_sided(facts: Facts, logs: Mapping[str, Log], gains: Mapping[str, tuple[int, list[Gain]]]) -> Iterator[Proposal]:
    """Yield the columns that later games read of one side and that no game moves, where the other side's are moved."""
    for sheet, log in logs.items():
        row, of_row = gains.get(sheet, (0, []))
        apart = len(log.before) == SIDES and len({*log.before.values()}) == SIDES
        if len(of_row) != 1 or sheet in facts.two_sided or not apart or len(log.rows) < LEAST_GAMES:
            continue
        gain = of_row[0]
        moved: list[Key] = []
        still: list[Key] = []
        for at in sorted(_read_later(facts, log) - {*log.before} - {key[2] for key, _, _ in gain.shares}):
            if (key := (sheet, row, at)) in facts.model.forms and facts.model.number(key) is not None:
                (moved if _follows(facts, gain, key) else still).append(key)
        passed = [key for key in still if _is_idle(facts, log, key[2])]
        if moved and passed:
            worst = next((key for key in _behind(facts, passed[0]) if _is_nought(facts, log, key[2])), passed[0])
            cells = tuple(
                (sheet, at, worst[2]) for at in sorted(log.rows) if (sheet, at, worst[2]) in facts.model.forms
            )
            says = "no game moves the rating of this side, and every game that of the other"
            yield Proposal("ES126", cells, says, severity=WARNING, effect=0.0, rank=7, found=facts.model.value(worst))


def without_expectation(facts: Facts, side: Side) -> Broken | None:
    """The other player's change, where a win is worth as much to him as to the first and the ratings do not count."""
    gain = side.gain
    typed = {result.worth: result.typed for result in side.results}
    ends = [side.at(result, 0.0) for result in side.results if result.typed in (typed.get(0.0), typed.get(1.0))]
    if len(ends) != SIDES or None in ends:
        return None
    swing = abs((ends[0] or 0.0) - (ends[1] or 0.0))
    apart: dict[Key, Value] = {gain.own[0]: (facts.model.number(gain.own[0]) or 0.0) + FAR}

    def follows(cell: Key) -> bool:
        """Whether a cell gains by the other player's win what the first does by his, wherever the first is rated."""
        won, far, lost = (
            facts.evaluator.number(cell, {**typed[worth], **moved}, side.formulas)
            for worth, moved in ((0.0, {}), (0.0, apart), (1.0, {}))
        )
        return won is not None and lost is not None and won == far and abs(won - lost - swing) <= CLOSE < swing

    for cell in facts.cells(*gain.cell[:2]):
        if follows(cell) and facts.base(cell, (gain.other[0], gain.own[0]), typed[1.0], side.formulas) == gain.other[0]:
            changes = (key for key in facts.model.precedents(cell) if key in facts.model.forms and follows(key))
            at, (change, before, rating) = (
                next(changes, cell),
                (
                    0.0 if key is None else facts.model.number(key) or 0.0
                    for key in (gain.cell, gain.base, gain.other[0])
                ),
            )
            due = before - change + (rating if at == cell else 0.0)
            says = "the change does not follow from the expected score"
            return Broken("unexpected", at, says, due, facts.model.number(at) or 0.0)
    return None


def _read_later(facts: Facts, log: Log) -> set[int]:
    """The columns that the ratings before of the last game read in the rows above it."""
    last, found = max(log.rows), set[int]()
    for column in log.before:
        for area in facts.model.areas((log.sheet, last, column)):
            if not area.single and area.sheet == log.sheet and area.row < last and area.row < area.bottom:
                found |= {*range(area.column, area.right + 1)}
    return found


def _follows(facts: Facts, gain: Gain, key: Key) -> bool:
    """Whether a cell moves when both players' ratings are moved apart, other than with its own side's rating."""
    here = facts.evaluator.number(key, {})
    ends = []
    for share in (0.0, 1.0):
        moved: dict[Key, Value] = {one: (share if own else 1 - share) * unit for one, unit, own in gain.shares}
        if not gain.shares:
            moved = {one: (facts.model.number(one) or 0.0) + FAR * (2 * share - 1) for one in gain.other}
        ends.append(facts.evaluator.number(key, moved))
    return here is None or None in ends or any(abs((end or 0.0) - here) > CLOSE for end in ends)


def _is_idle(facts: Facts, log: Log, column: int) -> bool:
    """Whether a column shows a rating before once more in every game, or nought."""
    numbers = {row: facts.model.number((log.sheet, row, column)) for row in log.rows}
    for before in log.before:
        if all(n is not None and n == facts.model.number((log.sheet, row, before)) for row, n in numbers.items()):
            return True
    return _is_nought(facts, log, column)


def _is_nought(facts: Facts, log: Log, column: int) -> bool:
    return all(facts.model.number((log.sheet, row, column)) == 0 for row in log.rows)


def _behind(facts: Facts, key: Key) -> Iterator[Key]:
    """The formulas of its row that a cell reads, the cell itself first."""
    yield key
    yield from (one for one in facts.model.precedents(key) if one[:2] == key[:2] and one in facts.model.forms)


__all__ = ["one_sided", "without_expectation"]
