"""The sentences that every rating rule fulfils, as functions from a game's sides to what is broken."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise, permutations

from elo_sheets.detective.broken import Broken
from elo_sheets.detective.broken import spelt as _n
from elo_sheets.detective.exchanged import exchange_faults, level_of
from elo_sheets.detective.facts import FAR, SIDES, STEP, Facts
from elo_sheets.detective.forecasts import is_forecast, of_the_other, sum_of_chances
from elo_sheets.detective.gains import IN_A_ROW, Gain, entries, row_cone
from elo_sheets.detective.houses import is_declared
from elo_sheets.detective.ignored import (
    coarse,
    coarse_share,
    edges,
    halved,
    idle_edge,
    is_at_home,
    is_called_k,
    k_of_the_other,
    one_sided_margin,
    telling_columns,
    unread_edge,
    unread_k,
)
from elo_sheets.detective.mirrored import mirrored
from elo_sheets.detective.one_sided import without_expectation
from elo_sheets.detective.paid import after, bonus, change_of, leak, limited, misbooked, stands_too
from elo_sheets.detective.scales import USUAL, is_odd
from elo_sheets.detective.scales import said as said_steep
from elo_sheets.detective.sides import (
    CLOSE,
    LEAST_CENTER,
    Result,
    Side,
    is_first,
    others,
    parts_of,
    read_by,
    scale_of,
)
from elo_sheets.expr import Binary, Expr, Number, walk
from elo_sheets.recognise.model import Area, Key, range_text

MOVES = ((0.0, 0.0), (120.0, 0.0), (0.0, 120.0), (250.0, 0.0), (0.0, 250.0))  # ratings moved apart
USUAL_SCALE = 400.0  # the number that goes with powers of ten, since Elo's own tables
HALF = 0.5  # of a point
LEAST_NUMBER = 5.0  # that is a K wherever it stands: what is less may say how much a game weighs
SETTLED = 1e-4  # of a score: where a lead counts little, the farthest leaves as much of an expectation
LEAST_SCALE, MOST_SCALE = 200.0, 1000.0  # what a labelled number may be that is meant to divide differences
LIFTED = 500.0  # rating points by which no floor reaches up
UNREAD_SCALE = 150.0  # or one that nothing reads: German table tennis divides by that
OF_SCORES = ("win", "draw", "loss", "score")  # rules of the house that say what a result counts


@dataclass(frozen=True)
class Judged:
    """What became of a game: the sentences that it does not fulfil, and how many could be evaluated.

    `level` are the expectations between equals: 0.5 without an edge.
    """

    broken: list[Broken]
    checks: int
    level: tuple[float, ...]
    told: int = 0  # results whose worth is known


def judged(facts: Facts, gains: list[Gain], formulas: Mapping[Key, Expr] | None = None) -> Judged:
    """Return which sentences a game does not fulfil, the plainest first; none for a rating rule."""
    sides = [Side(facts, gain, formulas or {}, is_first(facts, gain, gains)) for gain in gains]
    found: list[Broken] = []
    if any(gain.exchanged for gain in gains):
        found = _undeclared(facts, exchange_faults(facts, sides))
        told = sum(result.worth is not None for side in sides for result in side.results)
        return Judged(found, sum(side.checks for side in sides), (*map(level_of, sides),), told)
    forecasts = [side for side in sides if is_forecast(facts, side.gain)]
    sides = [side for side in sides if side not in forecasts]
    for side in forecasts:
        found += _chances(facts, side)
    if deaf := [broken for side in sides if (broken := _deaf(facts, side) or misbooked(facts, side.gain)) is not None]:
        return Judged(deaf, 0, ())
    typed = [key for side in sides for result in side.results for key in result.typed]
    inner = {key for side in sides for key, _, _ in side.gain.shares}
    leaks = [broken for one, two in permutations(sides, 2) for broken in leak(facts, one, two)]
    for side in sides if not leaks else ():  # what a leaking side gains by a rating is the other side's besides
        if (side.k(None) or 0.0) < 0:
            continue  # whose expected score is taken comes first: by it a win seems to be a loss
        found += _scores(facts, side, None if side.gain.cell in inner else typed)
    for side in sides if not leaks else ():
        found += list(limited(side)) or list(_expectation(side)) or list(_home(facts, side))
        found += _k(facts, side)
        found += after(facts, side)
    found = _undeclared(facts, found) + leaks
    if not found:
        for one, two in pairwise(sides):
            if set(one.gain.own) == set(two.gain.other) and set(one.gain.other) == set(two.gain.own):
                found += _undeclared(facts, two_sides(facts, one, two))
        lone = (without_expectation(facts, sides[0]), mirrored(sides[0])) if len(sides) == 1 else ()
        found += [one for one in lone if one is not None]
    whole = [side for side in sides if side.gain.cell not in inner] or sides or forecasts
    level = tuple(round(share, 6) for side in whole if (share := side.share((0.0, 0.0))) is not None)
    told = sum(result.worth is not None for side in whole for result in side.results)
    checks = sum(side.checks for side in (whole if whole is forecasts else [*whole, *forecasts]))
    return Judged(found, checks, level, told)


def _deaf(facts: Facts, side: Side) -> Broken | None:
    """A player's own column that gains by a game whatever the other players' ratings are."""
    gain = side.gain
    if gain.cell[0] not in facts.ladders:
        return None
    here = 0.0
    for lift in (0.0, LIFTED):  # beyond the floor on which a player may stand
        both = {key: (facts.model.number(key) or 0.0) + lift for key in (*gain.own, *gain.other)}
        other = {key: both[key] + STEP for key in gain.other}
        shown, moved = (facts.evaluator.number(gain.cell, at, side.formulas) for at in (both, both | other))
        if shown is None or moved is None or abs(shown - moved) > CLOSE:
            return None
        here = here or shown
    return Broken("opponent", gain.cell, "the game does not follow the other player's rating", here, here)


def _chances(facts: Facts, side: Side) -> Iterator[Broken]:
    """The chances of a game sum to one: of a forecast nothing else is asked, for it knows no result."""
    side.checks += 1
    found = sum_of_chances(facts, side.gain)
    if found is not None:
        cells, cell, total = found
        says = f"the chances of one game, {range_text(cells)}, sum to {100 * total:.4g} %"
        number = facts.model.number(cell) or 0.0
        yield Broken("chances", cell, says, number - (total - 1) * side.gain.shares[0][1], number)
    yield from list(_expectation(side)) or list(_home(facts, side))
    if of_the_other(facts, side.gain):
        number, unit = facts.model.number(side.gain.cell) or 0.0, side.gain.shares[0][1]
        says = "the heading says that this is the chance of the side whose rating lowers it"
        yield Broken("rising", side.gain.cell, says, unit - number, number)


def _undeclared(facts: Facts, found: Iterable[Broken]) -> list[Broken]:
    """What is broken and was not declared a rule of the house; what was is kept in the context."""
    left = []
    for one in found:
        if one.house and is_declared(facts.context.allowed, one.house):
            facts.context.houses.add(one.house)
        else:
            left.append(one)
    return left


def typed_results(facts: Facts, gains: list[Gain]) -> tuple[set[Key], set[Key]]:
    """The cells of a game that hold its result, and those of them that hold goals or points of both sides."""
    sides = [Side(facts, gain, {}, is_first(facts, gain, gains)) for gain in gains]
    ladder = facts.ladders.get(gains[0].cell[0])
    if ladder is not None and ladder.entries:
        return set(), set()  # who rests has none
    typed = [one.typed for side in sides for one in side.results]
    return {key for one in typed for key in one}, {key for one in typed if len(one) == SIDES for key in one}


def stated_scores(facts: Facts, gains: list[Gain]) -> Iterator[Key]:
    """The cells of a row with a result that no score follows, where they hold a number from 0 to 1."""
    for gain in gains:
        for key in telling_columns(facts, Side(facts, gain, {}, is_first(facts, gain, gains))):
            if 0 <= (facts.model.number(key) or 0.0) <= 1:
                yield key


def unread_scores(facts: Facts, gains: list[Gain]) -> Iterator[tuple[Gain, float | None]]:
    """The scores of a game's sides; None for one that a typed result decides, or that nobody can tell."""
    for gain in (gain for gain in gains if not is_forecast(facts, gain)):
        side = Side(facts, gain, {}, is_first(facts, gain, gains))
        known = not side.results and gain.cell[0] not in facts.many
        yield gain, side.score(None) if known else None


def ignores(facts: Facts, gains: list[Gain], columns: set[int]) -> bool:
    """Whether nothing that could stand in the columns of results changes what a game gives."""
    if not columns:
        return False
    for gain in gains:
        here = facts.evaluator.number(gain.cell, {}, {}, IN_A_ROW)
        for key in ((*gain.cell[:2], column) for column in columns):
            shown = [facts.evaluator.number(gain.cell, {key: value}, {}, IN_A_ROW) for value in others(facts, key)]
            if here is None or any(number is None or abs(number - here) > CLOSE for number in shown):
                return False
    return True


def _scores(facts: Facts, side: Side, others_read: list[Key] | None) -> Iterator[Broken]:
    """Result → score: a win counts 1, a loss 0, a draw a half, and nothing else comes in.

    `others_read` are the cells of results that any side of the game follows: one side cannot do without. None where the
    side is another's expectation.
    """
    results = side.results
    cell = _score_cell(facts, side)
    here = side.score(None)
    if not results:
        if here is not None and not -SETTLED <= here <= 1 + SETTLED:
            due = float(here > 0.5)
            yield Broken("score", cell, f"the result counts {_n(here)}", due, here, f"score={_n(here)}")
        elif here is not None and (told := next(_unread(facts, side, others_read), None)) is not None:
            says = f"every game counts {_n(here)}: the result in {range_text([told])} is not read"
            yield Broken("score", cell, says, 1 - round(here), here)
        return
    known = [(result, side.score(result)) for result in results]
    side.checks += len({round(score, 6) for _, score in known if score is not None})
    worths = [(result, score) for result, score in known if result.worth is not None and score is not None]
    if not worths:
        scores = [
            score
            for result, score in known
            if score is not None and any(isinstance(value, str) for value in result.typed.values())
        ]
        if scores and not bonus(side) and (min(scores) < -CLOSE or max(scores) > 1 + CLOSE):
            worst = max(scores, key=lambda score: abs(score - 0.5))
            yield Broken("score", cell, f"a result counts {_n(worst)}", round(worst > 0.5), worst, f"score={_n(worst)}")
        return
    if (uneven := _uneven(worths)) is not None:
        result, score, other, rest = uneven
        says = f"{result.words} counts {_n(score)}, and {other.words} {_n(rest)}: they do not sum to one"
        yield Broken("score", cell, says, 1 - rest, score)
        return
    if _by_margin(worths):
        return
    for name, due in (("win", 1.0), ("draw", 0.5), ("loss", 0.0)):
        for result, score in worths:
            if result.worth == due and abs(score - due) > SETTLED:
                says = f"a {name} ({result.words}) counts {_n(score)}, not {_n(due)}"
                yield Broken("score", cell, says, due, score, f"{name}={_n(score)}")
                break


def _unread(facts: Facts, side: Side, others_read: list[Key] | None) -> Iterator[Key]:
    """The cells of a result that a side's formulas do not read."""
    if others_read is not None:
        own = {*row_cone(facts.context, side.gain), *read_by(facts, side)}
        yield from (key for key in others_read if key not in own)
        yield from telling_columns(facts, side)


def _score_cell(facts: Facts, side: Side) -> Key:
    """The cell of the row that holds the score of either side, as other results show; the gain where there is none."""
    told = [(result, score) for result in side.results if (score := side.score(result)) is not None]
    told = list({round(score, 6): (result, score) for result, score in told}.values())
    cells = [key for key in row_cone(facts.context, side.gain)[1:] if key[:2] == side.gain.cell[:2]]
    for key in cells if len(told) > 1 else ():
        numbers = [facts.evaluator.number(key, result.typed, side.formulas, 4) for result, _ in told]
        pairs = [(number, score) for number, (_, score) in zip(numbers, told, strict=True) if number is not None]
        if len(pairs) == len(told) and all(abs(number - score) <= CLOSE for number, score in pairs):
            return key
    return side.gain.cell


def _by_margin(worths: list[tuple[Result, float]]) -> bool:
    """Whether scores grow with the margin, and those of exchanged results sum to one: a rule of its own."""
    wins = {round(score, 9) for result, score in worths if result.worth == 1.0}
    outside = any(not -CLOSE <= score <= 1 + CLOSE for _, score in worths)
    sides = {(score > 0.5) == (result.worth == 1.0) for result, score in worths if score != 0.5 != result.worth}
    if len(wins) < 2 or outside or len(sides) > 1:  # of goals as texts some wins count more than a half, others less
        return False
    exchanged = {tuple(result.typed.values()): score for result, score in worths}
    return all(
        abs(score + exchanged[values[::-1]] - 1) < CLOSE
        for values, score in exchanged.items()
        if len(values) > 1 and values[::-1] in exchanged
    )


def _uneven(worths: list[tuple[Result, float]]) -> tuple[Result, float, Result, float] | None:
    """A result and the same the other way round that do not sum to one, where others do and count parts of a win."""
    told = {parts_of(str(value)): (result, score) for result, score in worths for value in result.typed.values()}
    pairs = [(*told[one], *told[one[::-1]]) for one in told if len({*one}) > 1 and one[::-1] in told]
    off = [pair for pair in pairs if abs(pair[1] + pair[3] - 1) > CLOSE]
    by_parts = any(CLOSE < score < 1 - CLOSE for pair in pairs if pair not in off for score in (pair[1], pair[3]))
    return off[0] if off and by_parts else None


def _expectation(side: Side) -> Iterator[Broken]:
    """Ratings → expectation: within 0…1, rising with the own rating, and each K the same at every result."""
    shares = [side.share(move) for move in MOVES]
    known = [share for share in shares if share is not None]
    if len(known) < len(MOVES):
        return
    level, up, down, far_up, far_down = known
    side.checks += 1
    cell = next((key for key, _, own in side.gain.shares if own), side.gain.cell)
    unit = next((unit for _, unit, own in side.gain.shares if unit not in (1.0, 100.0)), None)
    if unit is not None:
        yield Broken("share", cell, f"the expected score goes up to {_n(unit)}", 1.0, unit)
        return
    if side.gain.shares:
        known += [share for move in ((FAR, 0.0), (0.0, FAR)) if (share := side.share(move)) is not None]
    scale, far = scale_of(level, up, MOVES[1][0]), scale_of(level, far_up, MOVES[3][0])
    if side.center >= LEAST_CENTER and level == 0.5 and up >= 0.5 and is_odd(up):
        yield Broken("share", cell, said_steep(up, scale), USUAL, up, "" if scale is None else f"scale={_n(scale)}")
        return
    if scale is not None and far is not None and math.isclose(scale, far, rel_tol=CLOSE):
        said_scale = _divides_otherwise(side, scale)
        if said_scale is not None:
            says = f"the expected score divides by {_n(said_scale)}, but has not the base ten that goes with it"
            yield Broken("share", cell, says, said_scale, scale, f"scale={_n(scale)}")
            return
    said = [key for key, n in side.facts.unread.items() if LEAST_SCALE <= n <= MOST_SCALE or n == UNREAD_SCALE]
    if scale is not None and (level == 0.5 or (far and math.isclose(scale, far, rel_tol=CLOSE))) and len(said) == 1:
        due = side.facts.unread[said[0]]
        if abs(due - scale) > CLOSE * scale:
            says = (
                f"the expected score divides by {_n(scale)}, and nothing reads the {_n(due)} in {range_text(said[:1])}"
            )
            yield Broken("share", cell, says, due, scale)
            return
    for key, number, moved in edges(side.facts, side):
        times = abs(moved / number)
        if times > 1 + CLOSE:
            says = f"the {_n(number)} points of {range_text([key])} count {_n(times)} times in the expected score"
            yield Broken("edge", cell, says, number, moved)
            return
    worst = max(known, key=lambda share: abs(share - 0.5))
    if not -CLOSE <= worst <= 1 + CLOSE:
        yield Broken("share", cell, f"the expected score is {_n(worst)}", round(worst > 0.5), worst)
    elif not (far_up >= up >= level >= down >= far_down) or far_up - far_down < CLOSE:
        says = "the expected score does not rise with the player's own rating"
        yield Broken("rising", cell, says, far_down, far_up)


def _home(facts: Facts, side: Side) -> Iterator[Broken]:
    """The advantage of home is the host's alone: it raises what the side at home expects."""
    if (idle := idle_edge(facts, side)) is not None:
        cell = next((share for share, _, own in side.gain.shares if own), side.gain.cell)
        number = facts.model.number(idle) or 0.0
        says = f"the {_n(number)} points of {range_text([idle])} count for both sides, and so for neither"
        yield Broken("edge", cell, says, number, 0.0)
        return
    if (unread := unread_edge(facts, side)) is not None:
        cell = next((share for share, _, own in side.gain.shares if own), unread)
        number = facts.model.number(unread) or 0.0
        says = f"equals expect a half each, and nothing reads the advantage of {_n(number)} in {range_text([unread])}"
        yield Broken("home", cell, says, number, 0.0)
        return
    for key, number, moved in edges(facts, side):
        if (number * moved > 0) is not (at_home := is_at_home(facts, side, key)) and at_home is not None:
            cell = next((share for share, _, own in side.gain.shares if own), side.gain.cell)
            level, due = side.share((0.0, 0.0)) or 0.0, facts.evaluator.number(cell, {key: -number})
            says = (
                f"the {_n(number)} points of {range_text([key])} count for the visitors: at equal ratings the side at "
                f"home expects {_n(level if at_home else 1 - level)}"
            )
            yield Broken("home", cell, says, due or 0.0, facts.model.number(cell) or 0.0)
            return


def _divides_otherwise(side: Side, scale: float) -> float | None:
    """The scale by which a game's formulas divide, where it is not the one that the curve has; a base may be given."""
    model = side.facts.model
    divisors: list[tuple[bool, float]] = []
    for key in row_cone(side.facts.context, side.gain):
        tree = side.formulas[key] if key in side.formulas else model.tree(key)
        for node in () if tree is None else walk(tree):
            if isinstance(node, Binary) and node.operator == "^" and isinstance(node.left, Area):
                return None
            if isinstance(node, Binary) and node.operator == "/":
                number = side.facts.evaluator.tree_value(node.right, key, {})
                if isinstance(number, (int, float)):
                    divisors.append((isinstance(node.right, Area), float(number)))
                    once = node.left.right if isinstance(node.left, Binary) and node.left.operator == "/" else Number(1)
                    before = side.facts.evaluator.tree_value(once, key, {})  # a sum of two is halved first: a/2/400
                    if isinstance(before, (int, float)):
                        divisors.append((False, before * number))
    if any(math.isclose(number, scale, rel_tol=CLOSE) for _, number in divisors):
        return None
    odd = abs(scale - round(scale)) > CLOSE * scale  # nobody divides by such a number: the base is another than ten
    said = (
        n for is_cell, n in divisors
        if n == USUAL_SCALE or ((is_cell or odd) and LEAST_SCALE <= n <= MOST_SCALE)
    )  # fmt: skip
    return next(said, None)


def _k(facts: Facts, side: Side) -> Iterator[Broken]:
    """The change: K is above 0, and it is the K in the cell that the change reads, or a whole part of it.

    Nothing but the end of it is rounded, the other side's change is as large, and no K beside it is left unread.
    """
    k, cell = side.k(None), change_of(facts, side.gain)
    if k is None or abs(k) < CLOSE or side.gain.cell in {key for key, _, _ in side.gain.shares}:
        return
    if k < 0:
        worths = {one.worth: gained for one in side.results if (gained := side.at(one, 0.0)) is not None}
        if worths.get(1.0, 0.0) > worths.get(0.0, math.inf):  # who wins gains: it is the expected score that is not his
            yield Broken("own share", cell, "the expected score of the opponent is taken, not the player's own", -k, k)
        else:
            yield Broken("k", cell, f"K is {_n(k)}: who wins loses points", abs(k), k)
        return
    cells = side.k_cells
    product = math.prod(facts.model.number(key) or 1.0 for key in cells)
    constant = all((other := side.k(result)) is None or abs(other - k) < CLOSE * k for result in side.results)
    constant = constant and not _moves_k(facts, side)
    parts = product / k  # a change may be shared out among partners
    shared = not _is_single(facts, side) and abs(parts - round(parts)) <= CLOSE
    weighs = product < LEAST_NUMBER and not any(is_called_k(facts, key) for key in cells)  # beside a K in the formula
    if cells and constant and not weighs and (parts < 1 - CLOSE or (parts > 1 + CLOSE and not shared)):
        says = f"the change uses a K of {_n(k)}, but {range_text(cells[:1])} holds {_n(product)}"
        yield Broken("k", cell, says, product, k, f"k={_n(k)}")
    spare = unread_k(facts, side) if constant else None
    if spare is not None:
        says = f"the change uses a K of {_n(k)}, and nothing reads the K of {_n(spare[1])} in {range_text([spare[0]])}"
        yield Broken("k", cell, says, spare[1], k, f"k={_n(k)}")
    if (of_other := k_of_the_other(facts, side)) is not None:
        where = next(
            (key for key in row_cone(facts.context, side.gain)[1:] if facts.model.number(key) == of_other[0]), cell
        )
        says = "K follows the opponent's rating and not the player's own"
        yield Broken("own k", where, says, of_other[1], of_other[0])
    if (margin := one_sided_margin(facts, side)) is not None:
        yield Broken("margin", margin[0], "a margin counts where one side wins, not where the other does", *margin[1:])
    if (part := halved(facts, side)) is not None:
        says = f"the change of this side is {_n(part[1])} times that of the other"
        yield Broken("k", part[0], says, k, k * part[1])
    off = coarse(side)
    if off is not None:
        says = f"the result less the expected score is rounded: a change is up to {_n(off * k)} points off by that"
        yield Broken("rounded", cell, says, 0.0, off * k)
    early = coarse_share(side)
    if early is not None:
        points = early[1] * k
        says = f"the expected score is rounded before it is used: a change is up to {_n(points)} points off by that"
        yield Broken("rounded", early[0], says, 0.0, points)


def _is_single(facts: Facts, side: Side) -> bool:
    """Whether a side is one player: his rating is looked up by his name, and by nobody else's."""
    model, own = facts.model, side.gain.own[0]
    names = {area.column for area in model.areas(own) if area.single and (area.sheet, area.row) == own[:2]
             and isinstance(model.value((*own[:2], area.column)), str)}  # fmt: skip
    return bool(side.names) and len(names) == 1


def two_sides(facts: Facts, one: Side, two: Side) -> Iterator[Broken]:
    """Both sides of one game: the scores sum to one, and so do the expectations, whatever the ratings."""
    k, other = one.k(None), two.k(None)
    if k and other and abs(k - other) > CLOSE * abs(k):
        has, lacks = (one, two) if one.k_cells else (two, one)
        if has.k_cells and not lacks.k_cells and not _moves_k(facts, lacks):
            due, found = has.k(None) or 0.0, lacks.k(None) or 0.0
            says = f"K is {_n(found)} for this side, and {_n(due)} for the other"
            yield Broken("k", lacks.gain.cell, says, due, found)
            return
        fixed = not (one.k_cells or two.k_cells or _moves_k(facts, one) or _moves_k(facts, two))
        if fixed or (one.k_cells and one.k_cells == two.k_cells):
            said = math.prod(facts.model.number(key) or 1.0 for key in two.k_cells)
            right, wrong = (two, one) if two.k_cells and abs(other - said) < CLOSE * other else (one, two)
            due, found = right.k(None) or 0.0, wrong.k(None) or 0.0
            says = f"K is {_n(found)} for this side, and {_n(due)} for the other"
            yield Broken("k", wrong.gain.cell, says, due, found, f"k={_n(found)}")
            return
    first, second = (None if (score := side.score(None)) is None else score - bonus(side) for side in (one, two))
    own_scores = any(name in facts.context.allowed for name in OF_SCORES)
    both = (result for result in one.results if any(result.typed == other.typed for other in two.results))
    for result in both if not own_scores else ():
        mine, theirs = one.score(result), two.score(result)
        if mine is None or theirs is None or mine + theirs > 1 - CLOSE:
            continue
        if any(abs(score - HALF) < CLOSE for score in (mine, theirs)):
            lacks, found = (one, mine) if abs(theirs - HALF) < CLOSE else (two, theirs)
            says = f"{result.words} counts a half for the one side, and {_n(found)} for the other"
            yield Broken("half", _score_cell(facts, lacks), says, HALF, found)
            return
    off = first is not None and second is not None and abs(first + second - 1) > CLOSE and not own_scores
    if off and first is not None and second is not None and not stands_too(facts, two, 1 - first):
        says = f"the scores of the two sides sum to {_n(first + second)}"
        yield Broken("score", two.gain.cell, says, 1 - first, second)
        return
    one.checks += 1
    for x, y in one.against(two, MOVES):
        if abs(x + y - 1) > CLOSE:
            where = next((key for key, _, own in two.gain.shares if own), two.gain.cell)
            yield Broken("sum", where, f"the expected scores of the two sides sum to {_n(x + y)}", 1 - x, y)
            return


def _moves_k(facts: Facts, side: Side) -> bool:
    """Whether K follows from anything else that is typed than its own cells, or from the ratings."""
    here = side.k(None)
    players = side.names if side.gain.cell[0] in facts.ladders else ()  # under another name nobody plays there
    for key in (one for one in entries(facts.context, side.gain) if one not in players and one not in side.k_cells):
        for value in others(facts, key):
            k = side.k(Result({key: value}, None, ""))
            if k is not None and here is not None and abs(k - here) > CLOSE * abs(here):
                return True
    numbers = {facts.model.number(key) for key in row_cone(facts.context, side.gain)[1:]}
    return here is not None and any(
        number is not None and number > 1 and abs(number - here) < CLOSE for number in numbers
    )
