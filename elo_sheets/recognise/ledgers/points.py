"""Points of a list of players, summed up over a list of games: what one side of a game wins, the other must lose."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from elo_sheets.expr import Binary, Call, Expr, Number
from elo_sheets.files.package import Value
from elo_sheets.recognise.behind import cone
from elo_sheets.recognise.context import Context, Proposal
from elo_sheets.recognise.departures import spell_anchored
from elo_sheets.recognise.model import Area, Form, Key, Model, at_cell
from elo_sheets.recognise.nearmiss import places

MOST_PLAYERS = 120
MOST_GAMES = 4000
SAMPLES = 5  # games whose result is changed
WHAT = "the result of a game counts for both players alike: what the one wins, the other should lose"
Formulas = Mapping[Key, Expr]


def points_faults(context: Context, cells: Sequence[Key]) -> Iterator[Proposal]:
    """Yield what would let the points of a column of players (`cells`) be shared by the two sides of every game.

    A list that has each game twice, once from each side, moves one player at a time and is none of this.
    """
    model = context.model
    formulas = [key for key in cells if key in model.forms]
    if not 2 <= len(formulas) <= MOST_PLAYERS:
        return
    results = _results(model, formulas)
    if not results or not all(_alike(context, formulas, one, {}) for one in results):
        return
    for code, trees in _ways(model, formulas):
        if all(_shared(context, formulas, one, trees) for one in results):
            repairs = {key: spell_anchored(context.model, key, tree) for key, tree in sorted(trees.items())}
            first = next(iter(repairs))
            yield Proposal(code, tuple(repairs), WHAT, repairs, fix="=" + repairs[first], rank=1)
            return


def _results(model: Model, cells: Sequence[Key]) -> list[Key]:
    """Some typed results of games on which the points depend."""
    found: dict[Key, None] = {}
    for column in _columns(model, cells[len(cells) // 2]):
        for key in column:
            typed = [key] if key not in model.forms else list(model.precedents(key, 1))
            found |= dict.fromkeys(k for k in typed if k not in model.forms and model.number(k) in (0.0, 0.5, 1.0))
    every = list(found)
    return every[:: max(1, -(-len(every) // SAMPLES))]


def _columns(model: Model, key: Key) -> Iterator[list[Key]]:
    """The cells of each column of a list that a formula sums up."""
    for one in cone(model, key):
        for area in model.areas(one):
            if area.column == area.right and 1 < area.size <= MOST_GAMES:
                yield [(area.sheet or one[0], row, area.column) for row in range(area.row, area.bottom + 1)]


def _moved(context: Context, cells: Sequence[Key], result: Key, formulas: Formulas) -> list[float]:
    """By how much the points of players change when the result of a game does, of those whose points do."""
    now = context.model.number(result) or 0.0
    other: dict[Key, Value] = {result: 0.0 if now == 1.0 else 1.0}
    found = []
    for key in cells:
        one, two = (context.evaluator.number(key, inputs, formulas) for inputs in ({result: now}, other))
        if one is None or two is None:
            return []
        if abs(two - one) > 1e-9:
            found.append(two - one)
    return found


def _alike(context: Context, cells: Sequence[Key], result: Key, formulas: Formulas) -> bool:
    moved = _moved(context, cells, result, formulas)
    return len(moved) == 2 and abs(moved[0] - moved[1]) < 1e-9


def _shared(context: Context, cells: Sequence[Key], result: Key, formulas: Formulas) -> bool:
    moved = _moved(context, cells, result, formulas)
    return len(moved) == 2 and abs(moved[0] + moved[1]) < 1e-9


# --- repairs ------------------------------------------------------------------------------------------------


def _ways(model: Model, cells: Sequence[Key]) -> Iterator[tuple[str, dict[Key, Expr]]]:
    """What the columns may have meant: the score of the second side as the rest, or the sum over it as the rest."""
    for form in _scores(model, cells[len(cells) // 2]):
        rest = Binary("-", Number(1.0), form.tree)
        yield "ES115", {key: at_cell(rest, key) for key, one in model.forms.items() if one is form}
    form = model.forms[cells[len(cells) // 2]]
    for node, rebuilt in reversed(list(places(form.tree))):  # the second side stands last
        rest_of = _rest(node)
        if rest_of is not None:
            yield "ES115", {k: at_cell(rebuilt(rest_of), k) for k in cells if model.forms[k] is form}


def _scores(model: Model, key: Key) -> list[Form]:
    """The formulas of columns of scores that show a result as it is, the column on the right first."""
    found: dict[Form, int] = {}
    for column in _columns(model, key):
        forms = [model.forms.get(one) for one in column]
        form = forms[len(forms) // 2]
        if form is not None and isinstance(form.tree, Area) and form.tree.single:
            found[form] = column[0][2]
    return sorted(found, key=lambda form: -found[form])


def _rest(node: Expr) -> Expr | None:
    """The games less a sum of results, or a sum of what results leave; None for what is no such sum."""
    if not isinstance(node, Call):
        return None
    given = node.arguments
    if node.function == "SUMIF" and len(given) == 3:
        return Binary("-", Call("COUNTIF", given[:2]), node)
    if node.function == "SUMIFS" and len(given) >= 3:
        return Binary("-", Call("COUNTIFS", given[1:]), node)
    if node.function == "SUMPRODUCT":
        for part, rebuilt in reversed(list(places(node))):
            if isinstance(part, Area) and not part.single:
                return rebuilt(Binary("-", Number(1.0), part))
    return None


__all__ = ["points_faults"]
