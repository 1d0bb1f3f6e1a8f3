"""Pairings with the chances of both sides, in books that rate no game: each row is held against the curve and the list.

The ratings must be those that one list has for the names of the row, the chance what the curve gives for them; the
chances of all results must sum to one and leave each side what it expects; odds are one by a chance.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import groupby, pairwise, permutations
from operator import itemgetter

from elo_sheets.detective.chances import is_odds, is_value, shows_odds
from elo_sheets.detective.gains import is_ranged
from elo_sheets.detective.names import name_column
from elo_sheets.files.package import CellError, Value
from elo_sheets.recognise.context import ERROR, LAST, WARNING, Context, Proposal, RoleCells, Sheetwork
from elo_sheets.recognise.departures import filled
from elo_sheets.recognise.model import Key, Model, at_cell, range_text
from elo_sheets.recognise.parts import Part
from elo_sheets.recognise.periods.closings import in_its_row
from elo_sheets.recognise.predictions.entries import expectation_columns
from elo_sheets.recognise.roles import has_power
from elo_sheets.recognise.settings import HOME
from elo_sheets.recognise.shapes import logistic
from elo_sheets.recognise.walks import follow

CLOSE = 1e-6
CENTS = 0.011  # by which the sum of chances that are shown in whole per cent may be off
REACH = 8  # columns from a name to its rating in a list
EVENTS = 3  # home, draw, away

Lists = set[tuple[str, int, int]]  # a sheet, the column of its names, and how many columns further their ratings are


@dataclass
class Pairings:
    """The pairings of one sheet: each chance with what its column does, and the rows."""

    sheet: str
    parts: dict[Key, Part] = field(default_factory=dict)
    rows: set[int] = field(default_factory=set)

    def of(self, row: int) -> list[tuple[Key, Part]]:
        """The chances of a row, from the left."""
        return sorted(((key, part) for key, part in self.parts.items() if key[1] == row), key=lambda one: one[0])


def pairings(context: Context) -> Sheetwork | None:
    """Return what a book of pairings is, `replayed` where every row was held; None where anything is rated by them."""
    model = context.model
    sheets: dict[str, Pairings] = {}
    for part, keys in expectation_columns(context):
        if part.curve.scale is not None and part.own[:2] == part.other[:2] == part.key[:2]:
            found = sheets.setdefault(part.key[0], Pairings(part.key[0]))
            found.parts.update(dict.fromkeys(keys, part))
            found.rows.update(key[1] for key in keys)
    if not sheets or any(_is_rated(model, one) for one in sheets.values()):
        return None
    known = {key for one in sheets.values() for key in one.parts}
    work = Sheetwork("all-pairs", ratings=set(known))
    for one in sheets.values():
        for column in sorted({key[2] for key in one.parts}):
            work.roles.append(RoleCells("E", tuple(sorted(key for key in one.parts if key[2] == column))))
    curve = next(iter(next(iter(sheets.values())).parts.values())).curve
    work.facts = {"curve": curve.name, "scale": curve.scale, "advantage": curve.advantage or None}
    work.facts["pairings"] = sum(len(one.rows) for one in sheets.values())
    held = {key for one in sheets.values() for row in one.rows
            for key in (*_followers(model, one, row), *_held(model, one, row))}  # fmt: skip
    others = (key for key, form in model.forms.items() if key not in known | held and has_power(form.tree))
    stray = next(others, None)
    off = [] if stray is None else [f"{range_text([stray])} compares ratings too, and is no chance of a pairing"]
    told = [one for found in sheets.values() for one in _off(model, found)]
    odd = {key for one in told if isinstance(one, Proposal) and one.code == "ES108" for key in one.cells}
    if 2 * len(odd & known) > len(known):
        return None  # more than two ratings are compared, or by another rule
    work.proposals = list(_by_column(one for one in told if isinstance(one, Proposal)))
    work.owned = {key for one in work.proposals for key in one.repairs}
    off += [one.message if isinstance(one, Proposal) else one for one in told]
    work.replayed, work.reason = not off, next(iter(off), None)
    return work


def _by_column(proposals: Iterable[Proposal]) -> Iterator[Proposal]:
    """Proposals, of which those for the chances of one column, row by row, are one that speaks of the first row."""
    sums: dict[int, list[Proposal]] = {}
    for one in proposals:
        if one.code == "ES128" and len(one.cells) == 1:
            sums.setdefault(one.cells[0][2], []).append(one)
        else:
            yield one
    for same in sums.values():
        yield replace(same[0], cells=tuple(key for one in same for key in one.cells))


def _wrong(
    code: str, cells: Iterable[Key], says: str, due: float | None = None, shown: float | None = None
) -> Proposal:
    return Proposal(code, tuple(cells), says, severity=WARNING, expected=due, found=shown, effect=0.0, rank=LAST)


def _followers(model: Model, found: Pairings, row: int) -> list[Key]:
    """The cells that follow from the chances of a row, and are none of them."""
    return follow(
        (key for key, _ in found.of(row)),
        lambda key: (one for one in model.readers.get(key, ()) if one not in found.parts),
    )


def _is_rated(model: Model, found: Pairings) -> bool:
    """Whether anything follows from the chances that is neither a chance nor odds: a change, a sum."""
    if any(is_ranged(model, key) for key in (*list(found.parts)[:1], *list(found.parts)[-1:])):
        return True
    for row in found.rows:
        chances = [key for key, _ in found.of(row)]
        unit = found.parts[chances[0]].unit
        for key in _followers(model, found, row):
            number = model.number(key)
            chances += [key] if number is not None and -CLOSE <= number <= unit + CLOSE else []
        for key in _followers(model, found, row):
            number = model.number(key)
            odd = number is None or key in chances or is_odds(model, key, chances) or shows_odds(model, key)
            if key[:2] != (found.sheet, row) or not (odd or is_value(model, key)):
                return True
    return False


def _off(model: Model, found: Pairings) -> Iterator[Proposal | str]:
    """What of the pairings of a sheet is wrong, and in words alone what cannot be called right."""
    looked: dict[int, dict[Key, Lists]] = {}  # by column of ratings
    marks: dict[bool, set[tuple[Value, ...]]] = {}  # of rows with the advantage, and of those without: neutral ground
    for row in sorted(found.rows):
        for key, part in found.of(row):
            ratings = [(found.sheet, row, one[2]) for one in (part.own, part.other)]
            numbers = [model.number(one) for one in ratings]
            own, other = numbers
            shown = model.number(key)
            if own is None or other is None or shown is None:
                yield f"{range_text([key])} has no chance, or a rating is missing beside it"
                continue
            due, level = (part.unit * logistic(own - other + edge, part.curve.scale or 1.0)
                          for edge in (part.curve.advantage, 0.0))  # fmt: skip
            near = (CENTS / 2 if part.rounded else CLOSE) * part.unit
            mark = _mark(model, key)
            marks.setdefault(abs(shown - due) <= near, set()).add(mark)
            if abs(shown - due) > near and (abs(shown - level) > near or mark in marks.get(True, ())):
                says = f"{range_text([key])} shows another chance than the other rows' rule gives for its two ratings"
                yield _wrong("ES108", [key], says, due, shown)
            names = [name_column(model, one, row) if one in model.forms else None for one in ratings]
            if names[0] is not None and names[0] == names[1]:
                yield f"{range_text(ratings)} are looked up for the same name"
            for one, column in zip(ratings, names, strict=True):
                if one not in model.forms:
                    continue
                lists = (
                    set[tuple[str, int, int]]()
                    if column is None
                    else _lists(model, found, one, column, {name for name in names if name})
                )
                looked.setdefault(one[2], {})[one] = lists
        yield from _of_results(model, found, row)
    if marks.get(True, set()) & marks.get(False, set()):
        yield f"games on {found.sheet} with the same entries have the advantage of home, and have it not"
    yield from _of_lists(model, looked)
    yield from _of_tips(model, found)
    yield from _of_edge(model, found)


def _of_lists(model: Model, looked: Mapping[int, Mapping[Key, Lists]]) -> Iterator[Proposal | str]:
    """The ratings that are not those that the list of the other rows has for their names."""
    counts = Counter(one for ratings in looked.values() for lists in ratings.values() for one in lists)
    for ratings in looked.values():
        best = max(counts, key=lambda one: (counts[one], one), default=None)
        off = [key for key, lists in ratings.items() if best not in lists]
        says = "the rating is not the one that the list of the other rows has for the name beside it"
        held = [key for column in looked.values() for key, lists in column.items() if best in lists]
        like = min(held, key=lambda key: abs(key[1] - off[0][1]) + abs(key[2] - off[0][2])) if off and held else None
        if like is not None and len(off) <= len(held):
            form = model.forms[like]
            keys = [
                key for key in ratings if model.forms[key] is model.forms[off[0]] and form is not model.forms[off[0]]
            ]
            repairs = {key: filled(model, key, at_cell(form.tree, key), like) for key in keys}
            told = _wrong("ES123", keys or off, says)
            yield (
                replace(told, repairs=repairs, fix="=" + repairs[keys[0]], severity=ERROR, effect=None)
                if keys
                else told
            )
        elif off:
            yield f"{range_text(off)} are not the ratings that one list has for the names beside them"


def _mark(model: Model, key: Key) -> tuple[Value, ...]:
    """What is typed in the row of a chance that it follows from, without the names by which ratings are looked up."""
    found, edge = list[Key](), [key]
    while edge:
        near = {read for one in edge for read in model.precedents(one) if read[:2] == key[:2]}
        found += [one for one in near if one not in model.forms and model.number(one) is None]
        edge = [one for one in near if one in model.forms and (one == key or not _is_looked_up(model, one))]
    return tuple(None if model.value(one) == "" else model.value(one) for one in sorted(set(found)))


def _is_looked_up(model: Model, key: Key) -> bool:
    """Whether a cell is read from a range, as a rating is by a name."""
    return any(not area.single for area in model.areas(key))


def _lists(model: Model, found: Pairings, rating: Key, column: int, names: set[int]) -> Lists:
    """The lists that have a rating for the name of its row: no other pairing is one, in which it stands in `names`."""
    name, number = _plain(model.value((found.sheet, rating[1], column))), model.number(rating)
    lists: Lists = set()
    for sheet, cells in model.book.sheets.items():
        for (row, at), cell in cells.items():
            if isinstance(cell.value, str) and _plain(cell.value) == name and (sheet, row, at) not in model.forms:
                beside = [step for step in range(1, REACH + 1) if model.number((sheet, row, at + step)) == number]
                lists.update(
                    (sheet, at, step)
                    for step in beside
                    if sheet != found.sheet or row not in found.rows or at not in names
                )
    return lists


def _plain(value: object) -> str:
    return str(value).strip().casefold()


def _of_results(model: Model, found: Pairings, row: int) -> Iterator[Proposal | str]:
    """What is wrong with the chances and odds of a row that follow from what its sides expect."""
    expected, unit, shares, numbers = _numbers(model, found, row)
    if any(one.own == two.other for _, one in expected for _, two in expected if one is not two):
        sides = {(part.own, part.other): shares[key] for key, part in expected if key in shares}
        for pair, share in sides.items():
            other = sides.get(pair[::-1])
            if other is not None and abs(share + other - unit) > CENTS * unit:
                says = f"{range_text(list(shares))} do not sum to one, as the chances of the two sides of a pairing do"
                yield _wrong("ES128", shares, says)
    odds = [key for key, number in numbers.items() if number > unit + CLOSE]
    followers = [key for key in numbers if key not in odds]
    held = _held(model, found, row)
    left = next((key for key in followers if key not in held and not _is_hit(model, key, numbers[key])), None)
    three = None if left is None else _three(model, shares, followers, unit)
    if three is not None and abs(sum(numbers[key] for key in three) - unit) > CENTS * unit:
        total = sum(numbers[key] for key in three) / unit
        due = numbers[three[2]] - (total - 1) * unit
        says = f"the chances of one game, {range_text(list(three))}, sum to {100 * total:.4g} %"
        yield _wrong("ES128", [three[2]], says, due, numbers[three[2]])
    elif left is not None:
        says = f"{range_text([left])} follows from a chance, and is neither odds nor one of the chances of all results"
        yield says
    of = [one for key in sorted(odds) if (one := _chance_of(model, key, {*shares, *held})) is not None]
    if any(one[2] >= two[2] for one, two in pairwise(of)):
        yield f"the odds {range_text(sorted(odds))} stand in another order than the chances, or are twice the same"


def _chance_of(model: Model, odds: Key, chances: set[Key]) -> Key | None:
    """The chance that odds are one by, none where they are other odds less a margin."""
    read = chances & {*model.precedents(odds)} if shows_odds(model, odds) else chances
    found = (one for one in sorted(read) if is_odds(model, odds, [one]))
    return next(found, None if shows_odds(model, odds) else odds)


def _is_hit(model: Model, key: Key, number: float) -> bool:
    """Whether a cell counts one where the tip of its row is the result that was typed, and nothing where it is not."""
    told = {one for one in model.precedents(key) if one[:2] == key[:2]}
    texts = {str(model.value(one)): one for one in told if model.value(one) not in (None, "")}
    return len(told) == 2 and any(one in model.forms for one in told) and number == (len(texts) == 1)


def _of_tips(model: Model, found: Pairings) -> Iterator[Proposal]:
    """The tips of which one stands for chances below and above those of another one: each has its range of chances."""
    columns: dict[int, list[tuple[float, str, Key]]] = {}
    chances = {row: [key for key, *_ in found.of(row)] for row in found.rows}
    behind = {row: {one for key in keys for one in (key, *in_its_row(model, key))} for row, keys in chances.items()}
    for row in sorted(found.rows):
        share = model.number(found.of(row)[0][0])
        for key in _followers(model, found, row) if share is not None else ():
            text = model.value(key)
            entered = {
                one for one in in_its_row(model, key) if model.number(one) is not None and one not in model.forms
            }
            is_judged = bool(entered - behind[row])  # by the result: no tip, but whether it was right
            if isinstance(text, str) and not isinstance(text, CellError) and text and not is_judged:
                sides = {_plain(model.value(one)): one[2] for one in model.precedents(key) if one[:2] == key[:2]}
                tip = sides.get(_plain(text), text)  # whoever is named, it is the side that his column has
                columns.setdefault(key[2], []).append((share or 0.0, str(tip), key))
    for cells in columns.values():
        runs = [list(same) for _, same in groupby(sorted(cells), key=itemgetter(1))]
        if len(runs) > len({text for _, text, _ in cells}):
            odd = min(runs, key=len)[0][2]
            yield _wrong("ES108", [odd], "the tip is another one than such a chance has in the other rows")


def _numbers(
    model: Model, found: Pairings, row: int
) -> tuple[list[tuple[Key, Part]], float, dict[Key, float], dict[Key, float]]:
    """The chances of a row, what they count in, their numbers, and those that follow from them but for bets."""
    expected = found.of(row)
    shares = {key: number for key, _ in expected if (number := model.number(key)) is not None}
    followers = (key for key in _followers(model, found, row) if not is_value(model, key))
    numbers = {key: number for key in followers if (number := model.number(key)) is not None}
    return expected, expected[0][1].unit, shares, numbers


def _held(model: Model, found: Pairings, row: int) -> set[Key]:
    """The cells of a row that are the chances of both sides, or of home, draw and away, and leave a side its share."""
    _, unit, shares, numbers = _numbers(model, found, row)
    followers = [key for key, number in numbers.items() if number <= unit + CLOSE]
    numbers = {key: numbers[key] for key in followers}
    held = set[Key]()
    other = [key for key, n in numbers.items() if any(abs(n + share - unit) < CLOSE for share in shares.values())]
    if other:  # a copy of a chance is none without the other side's beside it
        same = [key for key, n in numbers.items() if any(abs(n - share) < CLOSE for share in shares.values())]
        held.update(other, same if len(same) <= len(other) or len(shares) > 1 else ())
    typed = (read for key in followers for read in model.precedents(key) if read[:2] == (found.sheet, row))
    also = {read: n for read in typed if read not in shares and (n := model.number(read)) is not None}
    numbers |= {key: number for key, number in also.items() if -CLOSE <= number <= unit + CLOSE}
    for cells in permutations(numbers, EVENTS):
        mine, drawn, theirs = (numbers[key] for key in cells)
        rounded = all(abs(numbers[key] - round(numbers[key], 4)) < CLOSE * CLOSE for key in cells)
        slack = unit * (CENTS if rounded else CLOSE)
        leaves = any(abs(mine + drawn / 2 - share) <= slack for share in shares.values())
        if abs(mine + drawn + theirs - unit) <= slack and leaves:
            held.update(cells)
    return held


def _three(model: Model, shares: Mapping[Key, float], followers: list[Key], unit: float) -> tuple[Key, Key, Key] | None:
    """Three cells beside each other of which two leave a side what it expects, as its win and the draw do."""
    numbers = {key: number for key in followers if (number := model.number(key)) is not None and number <= unit}
    for one, drawn in permutations(numbers, 2):
        theirs = (one[0], one[1], 2 * drawn[2] - one[2])
        leaves = any(abs(numbers[one] + numbers[drawn] / 2 - share) <= CLOSE * unit for share in shares.values())
        if leaves and abs(one[2] - drawn[2]) == 1 and theirs in numbers:
            return one, drawn, theirs
    return None


def _of_edge(model: Model, found: Pairings) -> Iterator[Proposal | str]:
    """An advantage that the side named second has, where no heading says that it is at home."""
    for part in dict.fromkeys(found.parts.values()):
        first = part.curve.advantage if part.own[2] < part.other[2] else -part.curve.advantage
        one, two = sorted((part.own, part.other), key=lambda key: key[2])
        hosts = [HOME.search(" ".join(_headings(model, found, key))) is not None for key in (one, two)]
        if first < -CLOSE and not hosts[1]:
            keys = sorted(key for key, other in found.parts.items() if other is part)
            says = (
                f"{abs(first):g} points of advantage count for the side named second, which no heading calls the host"
            )
            yield _wrong("ES121", keys, says) if hosts[0] else f"{range_text(keys)}: {says}"


def _headings(model: Model, found: Pairings, rating: Key) -> list[str]:
    """What stands above a rating, and above the name that it is looked up by."""
    column = name_column(model, rating, rating[1]) if rating in model.forms else None
    above = [rating] if column is None else [rating, (found.sheet, rating[1], column)]
    return [model.header(key) or "" for key in above]


__all__ = ["pairings"]
