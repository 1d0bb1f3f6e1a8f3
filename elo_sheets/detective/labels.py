"""What labels say of a rule that no formula follows: neutral ground, where a K changes, what a new season keeps."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby

from elo_sheets.detective.chain import Log
from elo_sheets.detective.facts import STEP
from elo_sheets.detective.gains import LEAST_RATING
from elo_sheets.expr import Binary, Call, Expr, Number, Text, replaced, walk
from elo_sheets.files.package import column_letters
from elo_sheets.recognise.context import WARNING, Context, Proposal
from elo_sheets.recognise.departures import spell_anchored
from elo_sheets.recognise.model import ALL_FIXED, Area, Key, Model, cell_area, range_text
from elo_sheets.recognise.proposals import with_parts
from elo_sheets.recognise.settings import EDGE, K_LABEL

NEUTRAL = re.compile(r"\bneutr", re.I)  # as most languages of Europe begin it
# What of a rating is left in a new season, and what is not; "carried back" says neither.
KEPT = re.compile(r"\b(ke(pt|ep)|carr[yi]|retain|behalt|übern|conserv|gard|mant[ei])", re.I)
BACK = re.compile(r"\b(regress|rever[st]|shrink|back|mean|rück|retour|vuel|terug|ritorn|volt|zpět|powr)", re.I)
SHARE = re.compile(r"(\d+)\s*/\s*([1-9]\d*)|(\d+(?:[.,]\d+)?)\s*%")
NEAR = 40  # letters between a share and the word that says what becomes of it
SPAN = re.compile(r"\D*?(\d+)\s*(?:[-–—]|to|bis|a|à|tot|do)\s*(\d+)\D*", re.I)
LEAST, MOST = 3, 40  # rows of a table of ratings; sums that are as typed below them, for each that is not
TINY = 1e-9  # of a sum of results
HALF, CLOSE = 0.5, 1e-6  # of a rating, and how near a share is that is the same


def on_neutral_ground(context: Context, log: Log) -> Iterator[Proposal]:
    """Yield the formulas that give an edge to the side at home, also where a column that nobody reads says neutral."""
    model, sheet, first = context.model, log.sheet, log.games[0]
    for column in sorted({at for row, at in model.book.sheets[sheet] if first <= row <= log.games[-1]}):
        called = model.header((sheet, first, column))
        marks = {row: value for row in log.games if (value := model.value((sheet, row, column))) not in (None, "")}
        keys = [(sheet, row, column) for row in marks]
        if not NEUTRAL.search(called) or not 0 < len(marks) < len(log.games):
            continue
        if any(key in model.forms or context.evaluator.readers.is_read(key) for key in keys):
            continue
        told = {*marks.values()}
        repairs = dict(_unless(model, log, (sheet, first, column), str(next(iter(told)))))
        if not repairs:
            continue  # no edge that anybody calls one
        repairs = repairs if len(told) == 1 else {}
        fix = next(("=" + text for key, text in repairs.items() if key[1] in marks), None)
        says = f"nobody reads the column {called!r}: in its games, too, the home side has its edge"
        effect = None if repairs else 0.0
        cells = tuple(repairs or keys)
        yield Proposal("ES121", cells, says, repairs, severity=WARNING, fix=fix, effect=effect, rank=2)


def _unless(model: Model, log: Log, marked: Key, mark: str) -> Iterator[tuple[Key, str]]:
    """The formulas of the games that read a labelled edge, with none where a mark stands in the column of `marked`."""
    for row in log.games:
        for key in ((log.sheet, row, at) for at in sorted(log.computed)):
            tree = model.tree(key)
            edge = None if tree is None else next((node for node in walk(tree) if _is_edge(model, node, key)), None)
            if tree is not None and edge is not None:
                test = Binary("=", cell_area((log.sheet, row, marked[2])), Text(mark))
                yield key, spell_anchored(model, key, replaced(tree, edge, Call("IF", (test, Number(0.0), edge))))
                break


def _is_edge(model: Model, node: Expr, key: Key) -> bool:
    """Whether a part of a formula is a typed number that is called an edge."""
    if not isinstance(node, Area) or not node.single:
        return False
    cell = (node.sheet or key[0], node.row, node.column)
    beside = ((cell[0], cell[1], cell[2] - 1), (cell[0], cell[1] - 1, cell[2]))
    labels = (value for one in beside if isinstance(value := model.value(one), str))
    return cell not in model.forms and bool(model.number(cell)) and any(EDGE.search(label) for label in labels)


def mislabelled(model: Model, log: Log) -> Iterator[Proposal]:
    """Yield the number at which a span begins in a table that games look into, where its label says another one."""
    areas = {area for column in log.computed for area in model.areas((log.sheet, log.games[-1], column))}
    columns = {
        (area.sheet or log.sheet, area.column) for area in areas
        if area.column < area.right and LEAST <= area.bottom - area.row + 1 <= MOST
    }  # fmt: skip
    for sheet, column in sorted(columns):
        rows = [row for row in model.columns.get((sheet, column), ()) if model.number((sheet, row, column)) is not None]
        told = {row: begins for row in rows if (begins := _begins(model, (sheet, row, column))) is not None}
        off = [row for row, begins in told.items() if model.number((sheet, row, column)) != begins]
        if len(off) == 1 and len(told) > 1:
            key, due = (sheet, off[0], column), told[off[0]]
            says = f"{range_text([key])} is {model.number(key):g}, and the label beside it begins at {due:g}"
            yield Proposal("ES408", (key,), says, values={key: due}, severity=WARNING, rank=1)


def _begins(model: Model, key: Key) -> float | None:
    """Where a span begins by the label beside its first number, such as 1800-1999."""
    texts = (model.value((key[0], key[1], key[2] + by)) for by in (-1, 1, 2, 3))
    spans = (SPAN.fullmatch(text) for text in texts if isinstance(text, str))
    return next((float(span[1]) for span in spans if span is not None), None)


def sums_told_otherwise(model: Model, log: Log) -> Iterator[Proposal]:
    """Yield the results whose sum is not what is typed below it, where it is so in the other blocks of a log."""
    told: dict[int, list[tuple[Area, float, float]]] = {}
    for row, column in sorted((row, column) for row in log.furniture for column in log.results):
        key, below = (log.sheet, row, column), (log.sheet, row + 1, column)
        number, typed = model.number(key), None if below in model.forms else model.number(below)
        match model.tree(key):
            case Call("SUM", (Area() as area,)) if area.column == area.right == column and area.bottom == row - 1:
                if number and typed is not None:
                    told.setdefault(column, []).append((area, number, typed))
    for column, sums in told.items():
        off = [one for one in sums if abs(one[1] - one[2]) > TINY]
        for area, number, typed in off if LEAST * len(off) <= len(sums) - len(off) else ():
            cells = tuple((log.sheet, row, column) for row in range(area.row, area.bottom + 1))
            says = f"these results sum to {number:g}, and {typed:g} is typed below"
            yield Proposal("ES408", cells, says, severity=WARNING, effect=0.0, rank=1)


def first_of_all(context: Context) -> Iterator[Proposal]:
    """Yield the formulas that all read the K of one row, where each row has a K of its own that nobody reads."""
    model = context.model
    for (sheet, column), rows in sorted(model.columns.items()):
        typed = [row for row in rows if model.number((sheet, row, column)) and (sheet, row, column) not in model.forms]
        if len(typed) < LEAST or not K_LABEL.fullmatch(model.header((sheet, typed[0], column))):
            continue
        read = [row for row in typed if context.evaluator.readers.is_read((sheet, row, column))]
        if len(read) != 1 or len({model.number((sheet, row, column)) for row in typed}) < 2:
            continue
        repairs: dict[Key, str] = {}
        for key in sorted(key for key in model.forms if key[0] == sheet and key[1] in typed):
            if (text := _reading(model, key, (sheet, read[0], column), (sheet, key[1], column))) is not None:
                row_is_fixed = rf"(\$?{column_letters(column)})\$({key[1]})(?!\d)"
                repairs[key] = re.sub(row_is_fixed, r"\1\2", text)
        if len(repairs) == len(typed):
            says = f"everybody has the K of row {read[0]}, and nobody reads those of the others"
            fix = "=" + repairs[next(key for key in repairs if key[1] != read[0])]
            yield Proposal("ES120", tuple(repairs), says, repairs, fix=fix, rank=1)


def _reading(model: Model, key: Key, cell: Key, due: Key) -> str | None:
    """The text of a formula that reads another cell in place of one; None where it does not read that one by itself."""
    tree = model.tree(key)
    if tree is None:
        return None
    for node in walk(tree):
        if _is_cell(node, key, cell):
            return spell_anchored(model, key, replaced(tree, node, cell_area(due)))
    return None


def carried_otherwise(context: Context) -> Iterator[Proposal]:
    """Yield the ratings of a new season of which as much falls back to a mean as the label says that is kept.

    If all is kept, players differ as they did; if nothing is, all start from the mean.
    """
    model, number = context.model, context.evaluator.number
    for share in sorted({(area.sheet or key[0], area.row, area.column) for key, form in model.forms.items()
                         for area in form.areas if area.single and area.fixed == ALL_FIXED}):  # fmt: skip
        label = str(model.value((*share[:2], share[2] - 1)))
        kept, back = KEPT.search(label) is not None, BACK.search(label) is not None
        if share in model.forms or kept == back or not 0 < (model.number(share) or 0.0) < 1:
            continue
        for _, cells in groupby(sorted(model.readers.get(share, ())), key=lambda key: key[::2]):
            keys = [key for key in cells if model.number(key) is not None]
            ends = [{round(number(key, {share: at}) or 0.0, 6) for key in keys} for at in (0.0, 1.0)]
            nothing, everything = ends if kept else ends[::-1]
            if len(keys) < LEAST or len(everything) != 1 or len(nothing) == 1:
                continue
            trees = {key: tree for key in keys if (tree := model.tree(key)) is not None}
            repairs = {key: spell_anchored(model, key, _the_rest(tree, node)) for key, tree in trees.items()
                       for node in walk(tree) if _is_cell(node, key, share)}  # fmt: skip
            says = f"{model.number(share):g} is called {label!r}, and {'falls back to the mean' if kept else 'is kept'}"
            yield Proposal("ES108", tuple(repairs), says, repairs, fix="=" + repairs[keys[0]], rank=1)


def carried_against_a_note(context: Context) -> Iterator[Proposal]:
    """Yield the ratings of a new season that keep as much of the old ones as a note says falls back to a mean."""
    model = context.model
    for sheet, cells in model.book.sheets.items():
        told = {share for cell in cells.values() if cell.formula is None and isinstance(cell.value, str)
                for share in _said_to_fall_back(cell.value)}  # fmt: skip
        if len(told) != 1 or (back := told.pop()) == HALF:
            continue
        kept: dict[Key, float] = {}
        for key in sorted(key for key in model.forms if key[0] == sheet and (model.number(key) or 0.0) >= LEAST_RATING):
            before = [one for one in model.precedents(key, 1) if one[0] != sheet and model.number(one) is not None]
            if len(before) == 1:
                moved = context.evaluator.number(key, {before[0]: (model.number(before[0]) or 0.0) + STEP})
                kept[key] = ((moved or 0.0) - (model.number(key) or 0.0)) / STEP
        wrong = tuple(key for key, share in kept.items() if abs(share - back) < CLOSE)
        if len(wrong) >= LEAST and len(wrong) == len(kept):
            says = f"{back:.4g} of a rating is kept, and a note says that so much falls back to the mean"
            yield Proposal("ES108", wrong, says, severity=WARNING, effect=0.0, rank=1)


def _said_to_fall_back(text: str) -> Iterator[float]:
    """The shares of a rating that a text says fall back to a mean, or what is left of those that it says are kept."""
    for match in SHARE.finditer(text):
        over, under, percent = match.groups()
        share = float(percent.replace(",", ".")) / 100 if percent else float(over) / float(under)
        beside = re.split(r"\d", text[: match.start()])[-1][-NEAR:], re.split(r"\d", text[match.end() :])[0][:NEAR]
        back, kept = (any(word.search(part) for part in beside) for word in (BACK, KEPT))
        yield from [share if back else 1 - share] if back != kept else ()


def _the_rest(tree: Expr, share: Expr) -> Expr:
    """A formula with what a share leaves of one in place of the share, and the other way round."""
    rest = Binary("-", Number(1.0), share)
    if tree in (rest, share):
        return share if tree == rest else rest
    return with_parts(tree, lambda part: _the_rest(part, share))


def _is_cell(node: Expr, key: Key, cell: Key) -> bool:
    """Whether a part of a formula is one cell."""
    return isinstance(node, Area) and node.single and (node.sheet or key[0], node.row, node.column) == cell


def entries_of_another(model: Model, log: Log) -> Iterator[Proposal]:
    """Yield the formulas that read what is typed in the row above, where others of their row read their own row's."""
    games = {*log.games}
    for column in sorted(log.computed - log.before.keys()):
        keys = [key for row in log.games if (key := (log.sheet, row, column)) in model.forms]
        for typed in sorted(log.typed - log.names):
            above = [key for key in keys if (log.sheet, key[1] - 1, typed) in {*model.precedents(key, 1)}]
            own = any((log.sheet, key[1], typed) in {*model.precedents(key, 1)} for key in keys)
            others = (key for key in model.forms if key[0] == log.sheet and key[1] in games and key[2] in log.computed)
            if own or len(above) < len(keys) or not keys or not any(
                (log.sheet, key[1], typed) in {*model.precedents(key, 1)} for key in others if key[2] != column
            ):  # fmt: skip
                continue
            texts = {key: _reading(model, key, (key[0], key[1] - 1, typed), (key[0], key[1], typed)) for key in above}
            repairs = {key: text for key, text in texts.items() if text is not None}
            says = "the formula reads what is typed in the row above, and others of its row what is typed there"
            yield Proposal("ES106", tuple(repairs), says, repairs, fix="=" + repairs[above[-1]], rank=1)


__all__ = [
    "carried_against_a_note",
    "carried_otherwise",
    "entries_of_another",
    "first_of_all",
    "mislabelled",
    "on_neutral_ground",
    "sums_told_otherwise",
]
