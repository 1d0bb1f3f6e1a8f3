"""What stands in a row or beside a label, and the game does not follow: a result, a K, an edge that counts twice.

A rule of a rating system says nothing of cells that it does not read; their owner meant them all the same. A score that
never changes beside a column of won and lost games, and a labelled K beside changes that take another, are such cells.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping

from elo_sheets.detective.facts import SIDES, Facts
from elo_sheets.detective.gains import IN_A_ROW, entries, row_cone
from elo_sheets.detective.goals import MANY, are_goals
from elo_sheets.detective.sides import (
    CLOSE,
    Result,
    Side,
    odds,
    others,
    read_by,
    scale_of,
    stands_at,
    worth_of,
)
from elo_sheets.files.package import CellError, Value
from elo_sheets.recognise.model import Key
from elo_sheets.recognise.settings import EDGE, HOME

SCORES = {0.0, 0.5, 1.0}
K_LABEL = re.compile(r"(?<!\w)[kк](?!\w)|(?<!\w)[kк][-_ ]?(fa[ck]tor|wert|value|фактор)", re.I)
ROUNDED_SHARES = (0.449, 0.551, 0.13, 0.87)  # shares that rounding to tenths or to whole numbers moves most
ROUNDED_LEADS = (-170.0, -100.0, -30.0, 35.0, 105.0, 175.0)  # rating points at which rounding moves a share
LEAST_ROUNDING = 0.021  # of K: FIDE's own tables round to hundredths
MARGINS = ((4.0, 0.0), (1.0, 0.0), (0.0, 4.0), (0.0, 1.0))  # a clear and a close win of either side
LEAST_EDGE, MOST_EDGE = 5.0, 400.0  # rating points that an advantage of home is worth: 20 to 100 are usual
FAR_EDGE = 100.0  # rating points by which an advantage is moved
LEVEL_AND_APART = ((0.0, 0.0), (120.0, 0.0), (0.0, 250.0), (700.0, 0.0))  # leads; the last is beyond the usual limits
MOST_RATINGS = 6  # of a column, to see whether a K follows them
WHOLE = 0.51  # rating points by which a rounded change may be off


def telling_columns(facts: Facts, side: Side) -> Iterator[Key]:
    """The cells of a row whose columns tell of won and of lost games, and that the side's score does not follow."""
    sheet, row, _ = side.gain.cell
    if sheet in facts.many:
        return
    model, left = facts.model, {*side.gain.own, *side.gain.other, *(key for key, _, _ in side.gain.shares)}
    read = {*row_cone(facts.context, side.gain), *read_by(facts, side)}
    for column in sorted(column for at, column in model.book.sheets[sheet] if at == row):
        key = (sheet, row, column)
        if key in left or key in read or key in side.names:
            continue
        if len(_worths(facts, key)) > 1:
            yield key


def _worths(facts: Facts, key: Key) -> set[float]:
    """What the entries of a column of results count: texts such as 1-0, scores, or goals beside the other side's."""
    model = facts.model
    cells = [(key[0], row, key[2]) for row in model.columns.get((key[0], key[2]), ())]
    values = [(one, value) for one in cells if (value := model.value(one)) not in (None, "")]
    typed = [(one, value) for one, value in values if one not in model.forms]
    texts = [value for _, value in typed if isinstance(value, str) and not isinstance(value, CellError)]
    told = [worth for value in texts if (worth := worth_of(value)) is not None]
    if isinstance(model.value(key), str):
        return set(told) if 2 * len(told) > len(texts) else set()
    if key in model.forms:
        found = {model.number(one) for one, _ in values if one in model.forms}
        return {float(n) for n in found if n is not None} if found <= SCORES and _is_of_results(facts, key) else set()
    numbers = {float(value) for _, value in typed if isinstance(value, (int, float))}
    if 0.5 in numbers and numbers <= SCORES:
        return numbers
    right = (*key[:2], key[2] + 1)
    if right in model.forms or not are_goals(facts, key, right) or facts.evaluator.readers.is_read(right):
        return set()
    pairs = [(model.number(one), model.number((*one[:2], right[2]))) for one, _ in typed]
    return {0.5 + (a > b) / 2 - (a < b) / 2 for a, b in pairs if a is not None and b is not None}


def _is_of_results(facts: Facts, key: Key) -> bool:
    """Whether a formula follows from typed entries of its row alone, as a score does that nothing reads."""
    edge, seen = [key], {key}
    for _ in range(4):
        edge = [read for one in edge for read in facts.model.precedents(one) if read not in seen]
        seen.update(edge)
        edge = [read for read in edge if read in facts.model.forms]
    typed = [read for read in seen if read not in facts.model.forms]
    return bool(typed) and not edge and all(read[:2] == key[:2] for read in typed)


def unread_k(facts: Facts, side: Side) -> tuple[Key, float] | None:
    """A labelled K that nothing reads, with its number, where the changes of all games take another.

    Where they take that of a cell, as the games beside them do, it is one that stands nearer to them.
    """
    k, cell = side.k(None), side.gain.cell
    if k is None or len(side.k_cells) > 1:
        return None
    said = [(key, number) for key, number in facts.unread.items() if is_called_k(facts, key)]
    for read in side.k_cells:
        away = abs(read[2] - cell[2])
        said = [
            one for one in said if one[0][:2] == read[:2] and abs(one[0][2] - cell[2]) < away and one[0][0] == cell[0]
        ]
    if not said or any(math.isclose(number, k, rel_tol=1e-6) for _, number in said):
        return None
    return said[0] if len(said) == 1 and said[0][1] > 0 else None


def is_called_k(facts: Facts, key: Key) -> bool:
    label = facts.model.value((*key[:2], key[2] - 1))
    return isinstance(label, str) and K_LABEL.search(label) is not None


def edges(facts: Facts, side: Side) -> Iterator[tuple[Key, float, float]]:
    """The settings without which equals expect a half each: cell, number, and by how many points they are moved."""
    level, up = side.share((0.0, 0.0)), side.share((120.0, 0.0))
    if level is None or up is None or abs(level - 0.5) < CLOSE:
        return
    far = side.share((250.0, 0.0))
    scale, further = scale_of(level, up, 120.0), None if far is None else scale_of(level, far, 250.0)
    if scale is None or further is None or not math.isclose(further, scale, rel_tol=1e-6):
        return
    for key in entries(facts.context, side.gain):
        number = facts.model.number(key)
        if not number:
            continue
        without = side.share((0.0, 0.0), Result({key: 0.0}, None, ""))
        if without is not None and abs(without - 0.5) < CLOSE:
            yield key, number, odds(level) * scale + _in_ratings(facts, side, key, number)


def _in_ratings(facts: Facts, side: Side, edge: Key, number: float) -> float:
    """By how many points an edge stands in the ratings that are compared besides: the own one's less the other's."""
    moved = []
    for rating in (side.gain.own[0], side.gain.other[0]):
        here, there = (facts.evaluator.number(rating, {edge: by * number}, {}, 1) for by in (1.0, 2.0))
        moved.append(0.0 if here is None or there is None else there - here)
    return moved[0] - moved[1]


def idle_edge(facts: Facts, side: Side) -> Key | None:
    """A labelled advantage that the expectation reads and that moves it nowhere: it counts for both sides."""
    shares = [key for key, _, own in side.gain.shares if own] or [side.gain.cell]
    read = {one for key in shares for one in facts.model.precedents(key)}
    for key in entries(facts.context, side.gain):
        number = facts.model.number(key)
        if not number or key not in read or not _says(facts, (*key[:2], key[2] - 1), EDGE):
            continue
        typed = (one for one in entries(facts.context, side.gain) if one[:2] == side.gain.cell[:2])
        switched = [{}, *({one: value} for one in typed for value in others(facts, one))]  # as on neutral ground
        if all(_is_idle(side, key, number, other) for other in switched):
            return key
    return None


def unread_edge(facts: Facts, side: Side) -> Key | None:
    """A labelled advantage that no formula reads, where equals expect a half each."""
    said = [key for key, number in facts.unread.items()
            if LEAST_EDGE <= abs(number) <= MOST_EDGE and _says(facts, (*key[:2], key[2] - 1), EDGE)]  # fmt: skip
    level = side.share((0.0, 0.0)) if len(said) == 1 else None
    return said[0] if level is not None and abs(level - 0.5) < CLOSE else None


def _is_idle(side: Side, edge: Key, number: float, entered: Mapping[Key, Value]) -> bool:
    """Whether an advantage moves no expectation, with other entries in the row of the game."""
    here, more = (Result({**entered, edge: number + by}, None, "") for by in (0.0, FAR_EDGE))
    pairs = [(side.share(move, here), side.share(move, more)) for move in LEVEL_AND_APART]
    return all(one is not None and other is not None and abs(one - other) < CLOSE for one, other in pairs)


def is_at_home(facts: Facts, side: Side, edge: Key) -> bool | None:
    """Whether a side is the host; None when nobody says.

    Headings say it, or else the label of an advantage does: then the side that is named first is at home.
    """
    sheet, row, _ = side.gain.cell
    sides = side.names or (side.gain.own[0], side.gain.other[0])
    if len(sides) != 2 or any(key[:2] != (sheet, row) for key in sides):
        return None
    heading = _heading(facts, side.gain.cell)
    titled = [heading is not None and _says(facts, (sheet, heading, key[2]), HOME) for key in sides]
    if any(titled):
        return titled[0] if titled[0] != titled[1] else None
    return (
        stands_at(facts, sides[0]) < stands_at(facts, sides[1])
        if _says(facts, (*edge[:2], edge[2] - 1), EDGE)
        else None
    )


def _heading(facts: Facts, key: Key) -> int | None:
    """The row of the nearest typed text above a formula."""
    model, (sheet, row, column) = facts.model, key
    above = (one for one in reversed(model.columns.get((sheet, column), ())) if one < row)
    typed = (one for one in above if (sheet, one, column) not in model.forms)
    return next((one for one in typed if isinstance(model.value((sheet, one, column)), str)), None)


def _says(facts: Facts, key: Key, words: re.Pattern[str]) -> bool:
    text = facts.model.value(key)
    return isinstance(text, str) and words.search(text) is not None


def coarse(side: Side) -> float | None:
    """By what part of K a change is off because the score less the expected score is rounded; None where it is not."""
    k, gain, evaluator = side.k(None), side.gain, side.facts.evaluator
    if not k or not gain.shares or gain.base is not None or not side.rounded:
        return None
    found = []
    for share in ROUNDED_SHARES:
        held: dict[Key, Value] = {key: (share if own else 1 - share) * unit for key, unit, own in gain.shares}
        shown, due = evaluator.number(gain.cell, held), evaluator.number(gain.cell, held, side.formulas)
        if shown is None or due is None:
            return None
        found.append((shown, abs(shown - due)))
    whole = all(abs(shown - round(shown)) < CLOSE for shown, _ in found)
    worst = max(off for _, off in found)
    return worst / abs(k) if worst > LEAST_ROUNDING * abs(k) + (WHOLE if whole else 0.0) else None


def coarse_share(side: Side) -> tuple[Key, float] | None:
    """The cell of an expected score that is rounded before it is used, and by how much it is off at most.

    None where it is exact, or to the hundredth, as in FIDE's tables.
    """
    center, found = side.center, 0.0
    cell, unit = next(((share, unit) for share, unit, own in side.gain.shares if own), (None, 1.0))
    if cell is None or cell not in side.formulas or not side.rounded:
        return None
    for lead in ROUNDED_LEADS:
        moved: dict[Key, Value] = dict.fromkeys(side.gain.own, center + lead)
        moved |= dict.fromkeys(side.gain.other, center)
        shown, due = (side.facts.evaluator.number(cell, moved, formulas) for formulas in (side.given, side.formulas))
        if shown is None or due is None:
            return None
        found = max(found, abs(shown - due) / unit)
    return (cell, found) if found > LEAST_ROUNDING else None


def one_sided_margin(facts: Facts, side: Side) -> tuple[Key, float, float] | None:
    """The cell by which a margin counts where the one side wins and not where the other does, the K due and its K."""
    pair = next((sorted(one.typed) for one in side.results if len(one.typed) == SIDES), None)
    if pair is None:
        return None
    places: list[dict[Key, Value]] = [dict(zip(pair, goals, strict=True)) for goals in MARGINS]
    ks = [k for place in places if (k := side.k(Result(place, None, ""))) is not None]
    if len(ks) < len(places):
        return None
    high, low, away, near = ks
    if math.isclose(high, low) == math.isclose(away, near):
        return None
    counts, not_counted = (places[:2], places[2:]) if math.isclose(away, near) else (places[2:], places[:2])
    for key in row_cone(facts.context, side.gain):
        a, b, c, d = (facts.evaluator.number(key, place, side.formulas, IN_A_ROW) for place in (*counts, *not_counted))
        if key != side.gain.cell and None not in (a, b, c, d) and a != b and c == d and key[:2] == side.gain.cell[:2]:
            return key, max(high, away), min(ks)
    return side.gain.cell, max(high, away), min(ks)


def halved(facts: Facts, side: Side) -> tuple[Key, float] | None:
    """The other side's change where it is only a part, or a multiple, of this side's, and the part of it.

    A formula that reads nothing else than this side's change has no K of its own that could be the reason.
    """
    gain, model = side.gain, facts.model
    change = model.number(gain.cell)
    if gain.base is not None or change is None or gain.cell[0] in facts.many:
        return None
    for cell in model.readers.get(gain.cell, ()):
        numbers = {read for read in model.precedents(cell) if model.number(read) is not None}
        if cell[:2] != gain.cell[:2] or numbers != {gain.cell} or not _is_the_others(facts, side, cell):
            continue
        smooth, _ = facts.looker.smooth(cell, [], dict(side.formulas))
        here, there = (facts.evaluator.number(cell, {gain.cell: n}, smooth) for n in (MANY, 0.0))
        if here is None or there is None or there != 0:
            continue
        part = here / MANY
        if part < -CLOSE and abs(part + 1) > CLOSE:
            return cell, -part
    return None


def _is_the_others(facts: Facts, side: Side, cell: Key) -> bool:
    """Whether a change is added to the rating of the other side: in its row, or where sums read both changes."""
    model, (sheet, _, column) = facts.model, side.gain.cell
    held: dict[Key, Value] = {cell: model.value(cell)}
    pair = (side.gain.own[0], side.gain.other[0])
    if any(facts.base(one, pair, held, {}) in side.gain.other for one in model.readers.get(cell, ())):
        return True
    both = ((sheet, column), (sheet, cell[2]))
    for key in (*side.gain.own, *side.gain.other):
        read = {(area.sheet or key[0], area.column) for area in model.areas(key) if not area.single}
        if all(one in read for one in both):
            return True
    return False


def k_of_the_other(facts: Facts, side: Side) -> tuple[float, float] | None:
    """The K of a side where it follows the opponent's rating and never the player's own, and the K that this gives."""
    gain, model = side.gain, facts.model
    if not gain.shares or len(gain.own) > 1 or len(gain.other) > 1 or gain.own[0][:2] != gain.other[0][:2]:
        return None
    columns = [(key[0], row, key[2]) for key in (*gain.own, *gain.other) for row in model.columns[key[0], key[2]]]
    known = sorted({number for key in columns if (number := model.number(key)) is not None})
    ratings = known[:: max(1, len(known) // MOST_RATINGS)] + known[-1:]

    def k(own: Value, other: Value) -> float | None:
        moved: dict[Key, Value] = {gain.own[0]: own, gain.other[0]: other}
        low, high = (
            facts.evaluator.number(
                gain.cell,
                moved | {key: (share if mine else 1 - share) * unit for key, unit, mine in gain.shares},
                side.formulas,
            )
            for share in (0.0, 1.0)
        )
        return None if low is None or high is None else round(low - high, 6)

    here = [model.value(key) for key in (*gain.own, *gain.other)]
    of_own, of_other = ([k(*((one, here[1]) if own else (here[0], one))) for one in ratings] for own in (True, False))
    if None in of_own or None in of_other or len({*of_own}) > 1 or len({*of_other}) == 1:
        return None
    found, due = k(*here), k(*here[::-1])
    return None if found is None or due is None else (found, due)


__all__ = [
    "coarse",
    "coarse_share",
    "edges",
    "halved",
    "idle_edge",
    "is_at_home",
    "is_called_k",
    "k_of_the_other",
    "one_sided_margin",
    "telling_columns",
    "unread_edge",
    "unread_k",
]
