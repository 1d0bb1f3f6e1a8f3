"""Sides of several players: each is rated from its players as the other is, as their mean or their sum."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from elo_sheets.detective.chain import Log
from elo_sheets.detective.names import renamed
from elo_sheets.expr import Expr
from elo_sheets.files.package import Value, shift_formula
from elo_sheets.recognise.context import Context, Proposal
from elo_sheets.recognise.model import Key, at_cell

LEAST_SEATS = 4  # of a game of two sides of several
LEVEL, STEP = 1500.0, 100.0  # rating points: those of the players, and by how much one of them is moved
SAYS = {
    "mean": "as the mean of its players",
    "sum": "as the sum of its players",
    "strongest": "as its strongest player",
    "weakest": "as its weakest player",
    "fewer": "without one of its players",
}
LAWFUL = ("mean", "sum")
Kind = str | tuple[float, ...]  # a name, or by how much the side rises and falls with each of its players


def uneven_sides(context: Context, log: Log) -> Iterator[Proposal]:
    """Yield the rows in which one side is rated otherwise than the other, for each pair of columns of sides."""
    for pair in sorted(log.compared):
        found: list[tuple[str, Key, str | None]] = []
        for row in log.games:
            one, two = ((log.sheet, row, column) for column in pair)
            first, second = (_kind(context, side, _players(context, log, side)) for side in (one, two))
            if first is None or second is None or first == second:
                continue
            wrong, right, known, due = two, one, second, first
            if second in LAWFUL and first not in LAWFUL:
                wrong, right, known, due = one, two, first, second
            said = f"one side is rated {SAYS.get(str(known), 'otherwise')}, the other {SAYS.get(str(due), 'otherwise')}"
            found.append((said, wrong, _as_the_other(context, log, wrong, right, due)))
        for said, same in groupby(found, key=lambda each: each[0]):
            repairs = {key: text for _, key, text in same}
            cells, texts = tuple(repairs), {key: text for key, text in repairs.items() if text is not None}
            if len(texts) == len(cells):
                yield Proposal("ES108", cells, said, repairs=texts, fix="=" + texts[cells[0]], rank=2)
            else:
                yield Proposal("ES108", cells, said, effect=0.0)


def seats_alike(context: Context, log: Log) -> Iterator[Proposal]:
    """Yield the columns of a seat that follow from another seat's name, and those that are 0 in every game.

    Of as many columns next to each other as a game has seats each looks up the name of its own. Where one has the name
    of another seat, its own is looked up by none: a change with the K of the partner. Where one is 0 throughout and
    that of the partner is not, its player's rating never moves.
    """
    names = sorted(set(log.before.values()))
    borrowed: dict[int, dict[Key, str]] = {}
    alike: dict[int, dict[Key, str]] = {}
    for row in log.games if len(names) >= LEAST_SEATS else ():
        reads = _names_read(context, log, row, names)
        for first in reads:
            found = [reads.get(first + at, -1) for at in range(len(names))]
            odd = [at for at, (own, due) in enumerate(zip(found, names, strict=True)) if own != due]
            if len(odd) == 1 and found[odd[0]] in names:
                key = (log.sheet, row, first + odd[0])
                borrowed.setdefault(key[2], {})[key] = renamed(context.model, key, found[odd[0]], names[odd[0]])
            for at in range(0 if odd else len(names)):
                key, partner = (log.sheet, row, first + at), (log.sheet, row, first + _partner(at, len(names)))
                if context.model.number(key) == 0 != context.model.number(partner):
                    own, due = names[_partner(at, len(names))], names[at]
                    alike.setdefault(key[2], {})[key] = renamed(context.model, partner, own, due)
    idle = {column: texts for column, texts in alike.items() if len(texts) == len(log.games)}
    for code, says, faults in (
        ("ES106", "a player's column looks up the name of another player of the game", borrowed),
        ("ES126", "a player's change is 0 in every game, and the partner's is not", idle),
    ):
        for repairs in faults.values():
            yield Proposal(code, tuple(repairs), says, repairs=repairs, fix="=" + next(iter(repairs.values())), rank=2)


def _names_read(context: Context, log: Log, row: int, names: list[int]) -> dict[int, int]:
    """The columns of a row that look up one name of it, each with the column of that name."""
    reads = {}
    for column in range(1, max(log.computed) + len(names)):
        told = {one[2] for one in context.model.precedents((log.sheet, row, column)) if one[:2] == (log.sheet, row)}
        told &= set(names)
        if len(told) == 1:
            reads[column] = told.pop()
    return reads


def _partner(seat: int, seats: int) -> int:
    half = seats // 2
    return seat // half * half + (seat + 1) % half


def _players(context: Context, log: Log, side: Key) -> list[Key]:
    """The ratings of its row that a side's rating follows from, each looked up by a name."""
    return sorted({one for one in context.model.precedents(side) if one[:2] == side[:2] and one[2] in log.before})


def _kind(context: Context, side: Key, players: list[Key], tree: Expr | None = None) -> Kind | None:
    """Return how a side's rating, or a formula in its place, is made of its players'; None where they are not two."""
    if len(players) < 2 or side not in context.model.forms:
        return None
    level: dict[Key, Value] = dict.fromkeys(players, LEVEL)

    numbers = [
        context.evaluator.number(side, {**level, **moved}, {} if tree is None else {side: tree})
        for moved in ({}, *({one: LEVEL + by} for one in players for by in (STEP, -STEP)))
    ]
    here, *others = numbers
    if here is None or None in others:
        return None
    moves = [round(((number or 0.0) - here) / STEP, 6) for number in others]
    pairs = list(zip(moves[::2], moves[1::2], strict=True))
    mean = round(1 / len(players), 6)
    names = {(mean, -mean): "mean", (1.0, -1.0): "sum", (1.0, 0.0): "strongest", (0.0, -1.0): "weakest"}
    return (
        names.get(pairs[0], tuple(moves)) if len(set(pairs)) == 1 else "fewer" if (0.0, 0.0) in pairs else tuple(moves)
    )


def _as_the_other(context: Context, log: Log, wrong: Key, right: Key, due: Kind) -> str | None:
    """The formula of the other side as it reads for this one, where that rates it in the same way."""
    model, cell = context.model, context.model.cell(right)
    mine, others = _players(context, log, wrong), _players(context, log, right)
    if cell is None or cell.formula is None:
        return None
    across = mine[0][2] - others[0][2]
    text = shift_formula(cell.formula, 0, across)
    form = model.form_of(text, wrong)
    moved = [(sheet, row, column + across) for sheet, row, column in others]
    is_free = not set(moved) & set(others) and set(mine) <= set(moved)
    if form is None or not is_free or _kind(context, wrong, moved, at_cell(form.tree, wrong)) != due:
        return None
    return text


__all__ = ["seats_alike", "uneven_sides"]
