"""Cells that depart from their run for a reason in the book: lists of their own, a remark, nothing to give."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from elo_sheets.expr import Expr
from elo_sheets.recognise.cells import Run, Suspect
from elo_sheets.recognise.context import LAST, NOTE, Context, Proposal
from elo_sheets.recognise.model import Area, Form, Key, Model
from elo_sheets.verdict.compare import differences


def of_own_lists(model: Model, suspects: Sequence[Suspect]) -> set[Key]:
    """Cells that read, as others beside them do, lists apart from the majority's: a period's games read its list."""
    read: dict[tuple[Expr, ...], list[Key]] = {}
    for suspect in suspects:
        expected, found = suspect.run.expected(suspect.key), model.tree(suspect.key)
        if expected is None or found is None:
            continue
        lists = differences(expected, found)
        if lists and all(_is_apart(a, b) for a, b in lists):
            read.setdefault(tuple(b for _, b in lists), []).append(suspect.key)
    return {key for keys in read.values() if len(keys) > 1 for key in keys}


def remarked(model: Model, suspects: Sequence[Suspect]) -> Iterator[tuple[str, tuple[Key, ...]]]:
    """Cells of one other formula in just the rows beside which a word stands that most rows lack, as "neutral" does.

    One is enough where a nought is typed: the game was not played.
    """
    run, forms = suspects[0].run, dict[Form | None, list[Key]]()
    for key in (suspect.key for suspect in suspects if run.down):
        if (form := model.forms.get(key)) is not None or model.number(key) == 0:
            forms.setdefault(form, []).append(key)
    columns = sorted({column for _, column in model.book.sheets[run.sheet]}) if forms else ()
    for keys in (keys for form, keys in forms.items() if len(keys) > 1 or form is None):
        for column in columns:
            cells = [(run.sheet, row, column) for row in range(run.first, run.last + 1)]
            words = {one[1]: word for one in cells if isinstance(word := model.value(one), str) and word.strip()}
            word = words.get(keys[0][1])
            told = {row for row, one in words.items() if one == word}
            if word is not None and 2 * len(words) < len(cells) and told == {key[1] for key in keys}:
                yield word, tuple(keys)
                break


def where_nothing(context: Context, proposals: Iterable[Proposal]) -> list[Proposal]:
    """Return proposals, of which those on formulas in just the rows in which the majority's gives nothing are notes.

    Such are the margins of draws, and the formulas of their rows that read them.
    """
    model = context.model
    own: dict[int, set[Key]] = {}
    runs: dict[int, Run] = {}
    for suspect in context.suspects:
        tree = suspect.run.expected(suspect.key) if suspect.kind == "form" else None
        run, at = suspect.run, suspect.run.place(suspect.key)
        sides = (range(run.first, at), range(at + 1, run.last + 1))  # a total stands at an end
        within = all(any(run.fits(model, run.key(one)) for one in side) for side in sides)
        if within and tree is not None and context.evaluator.tree_value(tree, suspect.key, {}) == 0:
            own.setdefault(id(suspect.run), set()).add(suspect.key)
            runs[id(suspect.run)] = suspect.run
    lawful = {
        key for at, keys in own.items() if all(model.number(one) != 0 for one in runs[at].cells()) for key in keys
    }
    following = {one for key in lawful for one in model.readers.get(key, ()) if one[:2] == key[:2]}
    says = "the formula is not that of the column, which gives nothing here"
    kept = (one for one in proposals if {*one.cells} <= lawful or not {*one.cells} <= lawful | following)
    return [
        Proposal(one.code, one.cells, says, severity=NOTE, effect=0.0, rank=LAST) if {*one.cells} <= lawful else one
        for one in kept
    ]


def _is_apart(one: Expr, other: Expr) -> bool:
    """Whether two ranges of the same columns have no row in common."""
    if not isinstance(one, Area) or not isinstance(other, Area):
        return False
    same = (one.sheet, one.column, one.right) == (other.sheet, other.column, other.right)
    return same and not one.single and not other.single and (one.bottom < other.row or other.bottom < one.row)


__all__ = ["of_own_lists", "remarked", "where_nothing"]
