"""Games of two rows that face each other, a side in each: their scores sum alike, and at equal K so do the changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import permutations

from elo_sheets.detective.broken import Broken
from elo_sheets.detective.chain import Log
from elo_sheets.detective.facts import SIDES, Facts
from elo_sheets.detective.gains import shown
from elo_sheets.detective.names import plain
from elo_sheets.detective.relations import two_sides
from elo_sheets.detective.sides import Side
from elo_sheets.expr import Expr
from elo_sheets.recognise.behind import has_deviations
from elo_sheets.recognise.context import WARNING, Proposal
from elo_sheets.recognise.departures import spell_anchored
from elo_sheets.recognise.model import Key, Model, at_cell, cell_area

NEARLY = 0.75  # of the games sum their scores alike: then another sum is a slip of the hand
LEAST = 4  # games, to say to what their scores sum
# What is held between the rows of a game, the sum of expectations where no deviation weighs it; scores are typed.
BETWEEN = ("k", "sum")


def uneven_rows(facts: Facts, log: Log) -> Iterator[Proposal]:
    """Yield what one row of a game gains otherwise than the other, for all games with the same formulas at once."""
    model, games = facts.model, _pairs(log)
    if len(log.changes) != 1 or not facing_rows(model, log):
        return
    (column,) = log.changes
    known: dict[tuple[int, ...], tuple[Broken, int] | None] = {}
    found: dict[tuple[int, ...], list[tuple[Key, Key]]] = {}
    for game in games:
        cells = [(log.sheet, row, column) for row in game]
        if not all(key in model.forms for key in cells):
            continue
        forms = tuple(model.forms[log.sheet, row, at].number for row in game for at in sorted(log.computed)
                      if (log.sheet, row, at) in model.forms)  # fmt: skip
        if forms not in known:
            known[forms] = _broken(facts, cells)
        if (fault := known[forms]) is not None:
            wrong = cells[fault[1]]
            found.setdefault(forms, []).append((wrong, cells[1 - fault[1]]))
    together: dict[str, tuple[Broken, list[tuple[Key, Key]]]] = {}
    for forms, pairs in found.items():
        if (fault := known[forms]) is not None:
            together.setdefault(fault[0].says, (fault[0], []))[1].extend(pairs)
    for broken, pairs in together.values():
        yield _as_the_other_row(facts, broken, pairs)


def _broken(facts: Facts, cells: Sequence[Key]) -> tuple[Broken, int] | None:
    """What is broken between the rows of a game, and in which of the two."""
    gains = [facts.gains(*key[:2]) for key in cells]
    if any(len(one) != 1 or one[0].cell != key for one, key in zip(gains, cells, strict=True)):
        return None
    one, two = (Side(facts, gain, {}) for (gain,) in gains)
    held = BETWEEN[:1] if has_deviations(facts.model, cells[0][0]) else BETWEEN
    for broken in two_sides(facts, one, two):
        if broken.relation in held:
            return broken, int(broken.cell[1] == cells[1][1])
    return None


def _as_the_other_row(facts: Facts, broken: Broken, pairs: list[tuple[Key, Key]]) -> Proposal:
    """A proposal that gives every wrong row the formula of the row that it faces, where that mends it."""
    model, column = facts.model, broken.cell[2]
    code = "ES120" if broken.relation == "k" else "ES128"
    trees: dict[Key, Expr] = {}
    for wrong, right in pairs:
        key, like = (*wrong[:2], column), (*right[:2], column)
        if key in model.forms and like in model.forms:
            trees[key] = at_cell(model.forms[like].tree, key)
    wrong, right = pairs[0]
    cells = tuple((*one[:2], column) for one, _ in pairs)
    with_it = [Side(facts, gain, trees) for gain in facts.gains(*wrong[:2], trees)]
    as_it_is = [Side(facts, gain, {}) for gain in facts.gains(*right[:2])]
    mended = len(with_it) == len(as_it_is) == 1 and not any(two_sides(facts, *as_it_is, *with_it))
    if len(trees) < len(pairs) or not mended:
        return Proposal(
            code, cells, broken.says, severity=WARNING, expected=broken.due,
            found=broken.number, effect=0.0, rank=7, house=broken.house,
        )  # fmt: skip
    texts = {key: spell_anchored(model, key, tree) for key, tree in trees.items()}
    return Proposal(code, cells, broken.says, texts, fix="=" + texts[cells[0]], rank=6, house=broken.house)


def _pairs(log: Log) -> list[tuple[int, int]]:
    return list(zip(log.games[::2], log.games[1::2], strict=False))


def facing_rows(model: Model, log: Log) -> bool:
    """Whether the games have two rows each: of the same two players, or that read each other's ratings."""
    games = _pairs(log)
    beside = sorted({column for row, column in model.book.sheets[log.sheet] if row == log.games[0]} - log.computed)
    return any(_face(model, log, games, *pair) for pair in permutations(beside, SIDES)) or _read_each_other(
        model, log, games
    )


def both_won(model: Model, log: Log) -> Iterator[Proposal]:
    """Games of two rows, a side in each, whose two scores sum to another number than those of nearly all others."""
    games = _pairs(log)
    columns = [column for column in log.results & log.typed if column not in log.names]
    if len(columns) != 1 or len(games) < LEAST or not facing_rows(model, log):
        return
    scores = [tuple((log.sheet, row, columns[0]) for row in game) for game in games]
    yield from _told_alike(model, scores)
    numbers = [[number for key in keys if (number := model.number(key)) is not None] for keys in scores]
    usual, many = Counter(sum(pair) for pair in numbers if pair).most_common(1)[0] if any(numbers) else (0.0, 0)
    for keys, pair in zip(scores, numbers, strict=True) if many >= NEARLY * len(games) else ():
        one_won = usual > 1 and min(pair, default=0) < max(number for both in numbers for number in both)
        if len(pair) == SIDES and sum(pair) != usual and not one_won:  # 2-0 among sets of 2-1
            says = (
                f"the scores of the two sides are {pair[0]:g} and {pair[1]:g}; in the other games they sum to {usual:g}"
            )
            yield Proposal("ES411", keys, says, effect=0.0, rank=1)


def _told_alike(model: Model, scores: Sequence[tuple[Key, ...]]) -> Iterator[Proposal]:
    """Games of two rows that both tell one result in a word which nearly all others set against another: W and W."""
    words = [tuple(plain(model.value(key)) for key in keys) for keys in scores]
    apart = Counter(word for pair in words if None not in pair and len({*pair}) == SIDES for word in pair)
    for keys, pair in zip(scores, words, strict=True):
        alike = pair.count(pair[0]) == len(pair) and pair[0] is not None and model.number(keys[0]) is None
        if alike and apart[pair[0]] >= LEAST and NEARLY * apart[pair[0]] > words.count(pair):
            says = f"both sides of the game have {model.value(keys[0])!r}; in the other games it faces another result"
            yield Proposal("ES411", keys, says, effect=0.0, rank=1)


def _face(model: Model, log: Log, games: Sequence[tuple[int, int]], own: int, other: int) -> bool:
    """Whether the two rows of each game have the same two names, the other way round."""
    rows = [[plain(model.value((log.sheet, row, c))) for row in game for c in (own, other)] for game in games]
    return all(None not in names and names == names[::-1] and names[0] != names[1] for names in rows)


def _read_each_other(model: Model, log: Log, games: Sequence[tuple[int, int]]) -> bool:
    """Whether each of the two rows of most games compares its rating with that of the other row."""
    return any(_linked(model, log, games))


def _linked(model: Model, log: Log, games: Sequence[tuple[int, int]]) -> Iterator[dict[Key, Key]]:
    """The opponents' ratings that read one cell, with the other row's that they should read, where most do."""
    for own, other in (*log.compared, *(pair[::-1] for pair in log.compared)):
        due = {(log.sheet, here, other): (log.sheet, there, own) for a, b in games for here, there in ((a, b), (b, a))}
        reads = [[(log.sheet, area.row, area.column) for area in model.areas(key)] == [due[key]] for key in due]
        if reads and 2 * sum(reads) > len(reads):
            yield due


def read_elsewhere(model: Model, log: Log) -> Iterator[Proposal]:
    """Yield the opponents' ratings that are another row's than the one of their game, where most are that one's."""
    for due in _linked(model, log, _pairs(log)):
        wrong = [key for key in due if (read := shown(model.tree(key), key[0])) is not None and read != due[key]]
        repairs = {key: spell_anchored(model, key, cell_area(due[key])) for key in wrong}
        if repairs:
            says = "the opponent's rating is that of another game's row"
            yield Proposal("ES106", tuple(repairs), says, repairs, fix="=" + repairs[wrong[0]], rank=1)


__all__ = ["both_won", "facing_rows", "read_elsewhere", "uneven_rows"]
