"""Games that are level whatever the ratings: they have the formulas of others, and compare a rating with itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import permutations

from elo_sheets.detective.facts import STEP, Facts, Kind
from elo_sheets.expr import Expr
from elo_sheets.recognise.context import Proposal
from elo_sheets.recognise.departures import filled
from elo_sheets.recognise.model import Form, Key, at_cell

TINY = 1e-9  # of a share


def compared_with_itself(facts: Facts, kinds: Iterable[Kind]) -> Iterator[Proposal]:
    """Yield the cells that make games level, with the formula that they have in the games that are not."""
    model = facts.model
    rated: dict[str, list[Kind]] = {}
    shares: set[tuple[str, int, Form]] = set()  # what compares two ratings: expectations, or what works them out
    for kind in kinds:
        rated.setdefault(kind.sheet, []).append(kind)
        cells = {
            key for gains in kind.seen.values() for one in gains for key in (one.cell, *(c for c, _, _ in one.shares))
        }
        shares |= {(key[0], key[2], model.forms[key]) for key in cells if key[0] == kind.sheet and key in model.forms}
    found: dict[tuple[str, int], set[Key]] = {}
    for sheet, column, form in shares:
        for row in model.columns.get((sheet, column), ()):
            key = (sheet, row, column)
            if model.forms.get(key) is form:
                read = [one for one in model.precedents(key) if one[:2] == key[:2]]
                wrong = {other for own, other in permutations(read, 2) if _follows(facts, key, own, other)}
                for other in wrong:
                    found.setdefault((sheet, other[2]), set()).add(other)
    for (sheet, column), cells in found.items():
        right = [kind for kind in rated[sheet] if not cells & {(sheet, row, column) for row in kind.rows}]
        texts = {key: text for key in sorted(cells) if (text := _as_others(facts, right, key)) is not None}
        repairs = texts if len(texts) == len(cells) else {}
        fix = "=" + next(iter(repairs.values())) if repairs else None
        says = "the game compares a player's rating with itself: it is expected to be level, whoever plays"
        yield Proposal("ES114", tuple(sorted(cells)), says, repairs, fix=fix, effect=None if repairs else 0.0, rank=2)


def _follows(facts: Facts, share: Key, own: Key, other: Key) -> bool:
    """Whether the other side's rating is made of a player's own, so that the expectation never moves."""
    model, number, here = facts.model, facts.model.number(own), facts.model.number(share)
    if number is None or here is None or own not in model.precedents(other):
        return False
    alone, both = (
        facts.evaluator.number(share, {own: number + STEP, **held}) for held in ({other: model.value(other)}, {})
    )
    return alone is not None and both is not None and abs(alone - here) > TINY and abs(both - here) < TINY


def _as_others(facts: Facts, kinds: list[Kind], key: Key) -> str | None:
    """The formula that the column has in the rows that take turns with this one."""
    model = facts.model
    for kind in kinds:
        like = next((row for row in kind.rows[::-1] if (key[1] - row) % len(kinds) == 0), None)
        form = None if like is None else model.forms.get((key[0], like, key[2]))
        if form is not None and like is not None:
            tree: Expr = at_cell(form.tree, key)
            return filled(model, key, tree, (key[0], like, key[2]))
    return None


__all__ = ["compared_with_itself"]
