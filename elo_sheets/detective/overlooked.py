"""What formulas overlook, in whatever layout: no game has to be followed for it.

A total leaves out rows that the totals beside it take in, one thing is added to itself where another of two is meant,
one formula of a column is built otherwise than all others, and the chances of three results sum to more than all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator
from dataclasses import replace

from elo_sheets.expr import Binary, Call, Expr, walk
from elo_sheets.recognise.context import WARNING, Proposal
from elo_sheets.recognise.departures import spell_anchored
from elo_sheets.recognise.model import Area, Form, Key, Model, with_areas
from elo_sheets.recognise.roles import has_power

TOTALS = {"SUM", "AVERAGE", "COUNT", "COUNTA", "COUNTIF", "COUNTIFS", "SUMIF", "SUMIFS", "AVERAGEIF", "SUMPRODUCT"}
LEAST_ROWS = 4  # of what is summed up
LEAST_OTHERS = 2  # totals that take in what one leaves out
NEAR = 3  # rows between totals that stand below each other
LEAST_BLOCKS, OF_ITS_OWN = 5, 0.75  # formulas of a column, and the share of them that read a block of their own
MOST_LEFT_OUT = 0.25  # of the filled rows: of more it is meant, as of half a season
CLOSE, CENTS = 1e-6, 0.011  # of a chance, and by how much the sum of chances in whole per cent may be off

Span = tuple[str, int, int]  # a sheet, the first and the last row


def overlooked(model: Model, sheets: Container[str]) -> Iterator[Proposal]:
    """Yield what formulas on sheets overlook."""
    keys = [key for key in sorted(model.forms) if key[0] in sheets]
    yield from _cut_short(model, keys)
    yield from _twice(model, keys)
    yield from _built_otherwise(model, keys)
    yield from _more_than_all(model, keys)


def _cut_short(model: Model, keys: Iterable[Key]) -> Iterator[Proposal]:
    """Totals that leave out the last rows, or the first one, of what two totals beside or near them take in."""
    spans = {key: span for key in keys if (span := _span(model, key)) is not None}
    lines: dict[tuple[str, str, int], list[Key]] = {}
    for key in spans:
        lines.setdefault((key[0], "row", key[1]), []).append(key)
        lines.setdefault((key[0], "column", key[2]), []).append(key)
    found: dict[tuple[str, int, Span, Span], dict[Key, str]] = {}
    every = {*spans.values()}
    for (_, way, _), line in lines.items():
        for key in line:
            if _grows(key, spans[key], [spans[one] for one in lines[key[0], "column", key[2]]]):
                continue
            near = [one for one in line if way == "row" or 0 < abs(one[1] - key[1]) <= NEAR]
            due = _due(spans[key], Counter(spans[one] for one in near if one != key), every)
            if due is not None and _left_out(model, key, spans[key], due):
                text = _until(model, key, spans[key], due)
                found.setdefault((key[0], key[2], spans[key], due), {})[key] = text
    for (_, _, (sheet, first, last), (_, above, below)), texts in found.items():
        says = (
            f"the rows {first} to {last} of {sheet} are summed up, and the formulas beside take in "
            f"the rows {above} to {below}"
        )
        yield Proposal("ES125", tuple(texts), says, texts, fix="=" + next(iter(texts.values())), rank=5)


def _span(model: Model, key: Key) -> Span | None:
    """The rows that a formula sums up, where all of its ranges have the same."""
    tree = model.tree(key)
    nodes = [] if tree is None else walk(tree)
    calls = [node for node in nodes if isinstance(node, Call) and node.function in TOTALS]
    areas = {area for call in calls for area in walk(call) if isinstance(area, Area) and not area.single}
    spans = {(area.sheet or key[0], area.row, area.bottom) for area in areas}
    span = spans.pop() if len(spans) == 1 else None
    return span if span is not None and span[2] - span[1] + 1 >= LEAST_ROWS else None


def _due(span: Span, others: Counter[Span], every: Container[Span]) -> Span | None:
    """The rows that two totals beside take in, of which one takes in all but the last ones, or all but the first."""
    for due, count in others.items():
        ends_early = due[:2] == span[:2] and span[2] < due[2]
        begins_late = due[::2] == span[::2] and span[1] == due[1] + 1
        rest = (span[0], span[2] + 1, due[2])
        if count >= LEAST_OTHERS and count > others[span] and (ends_early or begins_late) and rest not in every:
            return due
    return None


def _grows(key: Key, span: Span, column: Iterable[Span]) -> bool:
    """Whether a formula stands beside the rows that it sums up, and others of its column sum up fewer or more."""
    ends = {one[2] for one in column if one[:2] == span[:2]}
    return span[0] == key[0] and span[1] <= key[1] <= max(ends) + 1 and len(ends) > 1


def _left_out(model: Model, key: Key, span: Span, due: Span) -> bool:
    """Whether numbers or names stand in a few of the rows that a total leaves out, as in those that it takes in."""
    columns = {at for area in model.areas(key) if not area.single and (area.sheet or key[0]) == span[0]
               for at in range(area.column, area.right + 1)}  # fmt: skip
    for column in columns:
        values = {row: model.value((span[0], row, column)) for row in range(due[1], due[2] + 1)}
        filled = {row: type(value) for row, value in values.items() if value not in (None, "")}
        out = {kind for row, kind in filled.items() if not span[1] <= row <= span[2]}
        count = sum(not span[1] <= row <= span[2] for row in filled)
        inside = {kind for row, kind in filled.items() if span[1] <= row <= span[2]}
        if not count or count > MOST_LEFT_OUT * len(filled) or not out <= inside:
            return False
    return bool(columns)


def _until(model: Model, key: Key, span: Span, due: Span) -> str:
    """The formula with the rows that are due."""

    def longer(area: Area) -> Area:
        same = not area.single and (area.sheet or key[0], area.row, area.bottom) == span
        return replace(area, row=due[1], bottom=due[2]) if same else area

    tree = model.tree(key)
    return "" if tree is None else spell_anchored(model, key, with_areas(tree, longer))


def _twice(model: Model, keys: Iterable[Key]) -> Iterator[Proposal]:
    """Sums of two equal parts that are no numbers: of two players, or of the counts of two, one is taken twice."""
    columns: dict[tuple[str, int], list[Key]] = {}
    for key in keys:
        tree = model.tree(key)
        if tree is not None and any(_is_doubled(node) for node in walk(tree)):
            columns.setdefault((key[0], key[2]), []).append(key)
    for cells in columns.values():
        says = "one thing is added to itself, where the other of two is meant"
        yield Proposal("ES106", tuple(cells), says, severity=WARNING, effect=0.0, rank=6)


def _is_doubled(node: Expr) -> bool:
    """Whether a part of a formula adds something to itself, that is read in a cell or counted."""
    match node:
        case Binary("+", left, right):
            return left == right and any(isinstance(one, Area) for one in walk(left))
        case Call("AVERAGE", (Area() as one, Area() as other)):
            return one == other
    return False


def _built_otherwise(model: Model, keys: Iterable[Key]) -> Iterator[Proposal]:
    """The one formula of a column that is built otherwise, where each reads a block of its own: a sign, a number."""
    found: dict[tuple[str, int, Form], dict[Key, str]] = {}
    columns: dict[tuple[str, int], list[Key]] = {}
    for key in keys:
        columns.setdefault((key[0], key[2]), []).append(key)
    for cells in columns.values():
        if len({model.forms[key] for key in cells}) < OF_ITS_OWN * len(cells) or len(cells) < LEAST_BLOCKS:
            continue
        built = {key: _bare(tree) for key in cells if (tree := model.tree(key)) is not None}
        usual, count = Counter(built.values()).most_common(1)[0]
        odd = [key for key in cells[1:-1] if built.get(key) != usual]  # not a beginning, nor a total
        like = next(key for key in reversed(cells) if built.get(key) == usual)
        if len(odd) == 1 and count >= len(cells) - 2 and (text := _rebuilt(model, odd[0], like)) is not None:
            found.setdefault((*odd[0][:2], model.forms[odd[0]]), {})[odd[0]] = text
    for texts in found.values():
        says = "the formula is built otherwise than all others of its column"
        yield Proposal("ES108", tuple(texts), says, texts, fix="=" + next(iter(texts.values())), rank=5)


def _bare(tree: Expr) -> Expr:
    """A formula without what it reads: what is done with it."""
    return with_areas(tree, lambda area: Area(None, 1, 1, 1, 1, 0, area.single))


def _rebuilt(model: Model, key: Key, like: Key) -> str | None:
    """A cell's formula as another one is built, of what it reads itself; None where it reads more or less."""
    own, other = model.tree(key), model.tree(like)
    if own is None or other is None:
        return None
    read, places = ([node for node in walk(tree) if isinstance(node, Area)] for tree in (own, other))
    if [area.single for area in read] != [area.single for area in places]:
        return None
    of_place = dict(zip(places, read, strict=True))
    if any(of_place[place] != area for place, area in zip(places, read, strict=True)):
        return None
    return spell_anchored(model, key, with_areas(other, of_place.__getitem__))


def _more_than_all(model: Model, keys: Iterable[Key]) -> Iterator[Proposal]:
    """The chances of one side in games whose others are a win and a draw, of which half leaves the other its share."""
    shown: dict[tuple[str, int], dict[int, float]] = {}
    for key in keys:
        if (number := model.number(key)) is not None and 0 <= number <= 1:
            shown.setdefault((key[0], key[2]), {})[key[1]] = number
    powers = {key[::2] for key in keys if has_power(model.forms[key].tree)}
    for sheet, at in sorted(powers & shown.keys()):
        share = shown[sheet, at]
        for won, drawn in ((won, won + by) for _, won in sorted(shown) for by in (-1, 1)):
            columns = (won, drawn, 2 * drawn - won)
            mine, level, theirs = (shown.get((sheet, column), {}) for column in columns)
            rows = sorted(share.keys() & mine.keys() & level.keys() & theirs.keys()) if at not in columns else []
            due = {row: 1 - mine[row] - level[row] for row in rows}
            halves = all(abs(mine[row] + level[row] / 2 - share[row]) < CLOSE for row in rows)
            off = [row for row in rows if abs(theirs[row] - due[row]) > CENTS] if halves else []
            held = (one for place, one in shown.items() if place[0] == sheet and one.keys() >= due.keys())
            if any(all(abs(one[row] - due[row]) <= CENTS for row in rows) for one in held):
                continue  # the chance of the third result stands elsewhere
            if len(rows) >= LEAST_BLOCKS and 2 * len(off) > len(rows):
                cells, first = tuple((sheet, row, columns[2]) for row in off), off[0]
                says = f"the chances of one game sum to {100 * (1 - due[first] + theirs[first]):.4g} %"
                expected, found = due[first], theirs[first]
                yield Proposal(
                    "ES128", cells, says, severity=WARNING, expected=expected, found=found, effect=0.0, rank=5
                )
                break


__all__ = ["overlooked"]
