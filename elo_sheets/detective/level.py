"""Games that are level whatever the ratings.

A rating is compared with itself, both ratings are looked up by one player's name, or nothing compares ratings at all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import permutations

from elo_sheets.detective.chain import misnamed
from elo_sheets.detective.facts import LEAST_GAMES, LEAST_K, SIDES, STEP, Facts
from elo_sheets.detective.forecasts import is_forecast
from elo_sheets.detective.gains import LEAST_RATING, Kind, rises
from elo_sheets.detective.names import renamed
from elo_sheets.detective.sides import others
from elo_sheets.expr import Expr
from elo_sheets.files.package import Value
from elo_sheets.recognise.context import WARNING, Proposal
from elo_sheets.recognise.departures import filled
from elo_sheets.recognise.model import Form, Key, Model, at_cell
from elo_sheets.recognise.roles import has_power

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


def looked_up_as_the_other(facts: Facts, kinds: Iterable[Kind]) -> Iterator[Proposal]:
    """Yield the ratings before of games that look up both by one player's name, beside which the other's stands."""
    model = facts.model
    games: list[tuple[list[int], list[Key]]] = []
    for kind in kinds:
        gain = next(iter(kind.seen.values()))[0]
        games.append((kind.rows, sorted({*gain.own, *gain.other})))
    unrated = {*model.book.sheets} - {pair[0][0] for _, pair in games}
    for cells in _expectations(facts, unrated):  # where nobody can be said to gain by the games
        if pair := _ratings_in(model, cells[-1]):
            games.append(([key[1] for key in cells], pair))
    of_sheet: dict[tuple[str, tuple[int, int, int]], list[int]] = {}
    for rows, pair in games:
        if (found := misnamed(model, rows, pair)) is not None:
            of_sheet[pair[0][0], found] = sorted(row for rows, one in games if one[0][0] == pair[0][0] for row in rows)
    for (sheet, (rating, column, other)), rows in of_sheet.items():
        texts = {key: renamed(model, key, column, other) for key in [(sheet, row, rating) for row in rows]}
        repairs = {key: text for key, text in texts.items() if (cell := model.cell(key)) and text != cell.formula}
        says = "both ratings of a game are looked up by the same name: the game compares a player with himself"
        wrong = tuple(repairs) or tuple((sheet, row, rating) for row in rows)
        fix = "=" + repairs[wrong[0]] if repairs else None
        yield Proposal("ES114", wrong, says, repairs, fix=fix, effect=None if repairs else 0.0, rank=2)


def never_compared(facts: Facts, kinds: Iterable[Kind]) -> Iterator[Proposal]:
    """Yield what keeps the ratings of games from counting; changes only where nobody can be said to gain by a game."""
    sheets = {*facts.model.book.sheets} - {
        kind.sheet
        for kind in kinds
        for gains in kind.seen.values()
        if not all(is_forecast(facts, one) for one in gains)
    }
    yield from _one_share(facts)
    yield from _unread(facts, sheets)


def _one_share(facts: Facts) -> Iterator[Proposal]:
    """Yield columns that show one expected score in every game, whatever the ratings that the changes are added to."""
    model = facts.model
    columns: dict[tuple[str, int, Form], list[Key]] = {}
    for key, form in model.forms.items():
        number = model.number(key)
        if number is not None and 0 < number < 1 and not any(model.number(read) for read in model.precedents(key)):
            columns.setdefault((key[0], key[2], form), []).append(key)
    for cells in columns.values():
        shown = {model.number(key) for key in cells}
        if len(cells) >= LEAST_GAMES and len(shown) == 1 and _is_taken_off(facts, cells[-1]):
            says = f"every game has an expected score of {shown.pop():.4g}, whatever the ratings"
            yield Proposal("ES101", tuple(cells), says, severity=WARNING, effect=0.0, rank=7)


def _unread(facts: Facts, sheets: Iterable[str]) -> Iterator[Proposal]:
    """Yield the changes that follow from no expectation, where one stands in their rows and later games read them."""
    model, number = facts.model, facts.evaluator.number
    for cells in _expectations(facts, sheets):
        share, part = cells[-1], facts.looker.known(cells[-1], {})
        pair = _ratings_in(model, share) if part is None else sorted((part.own, part.other))
        paid: dict[Key, Key | None] = {(*share[:2], at): None for at in _read_later(facts, cells[0], pair)}
        paid = {key: None for key in paid if not any(rises(facts.evaluator, key, own) for own in pair)}
        paid |= dict(_moved_by(facts, share, pair))  # a new rating, which rises with the old one, by its change
        changes = [key for key in sorted(paid) if key in model.forms and model.number(key) is not None]
        moves: list[dict[Key, Value]] = [{share: 0.0}, {share: 1.0}]
        moves += [{key: (model.number(key) or 0.0) + STEP} for key in pair]
        ends = {key: {number(key, moved) for moved in moves if paid[key] not in moved} for key in changes}
        if len(pair) == SIDES and ends and all(len(found) == 1 for found in ends.values()):
            for change in changes:
                form = model.forms[change]
                column = [(share[0], row, change[2]) for row in model.columns[share[0], change[2]]]
                same = tuple(key for key in column if model.forms.get(key) is form)
                says = "the change does not follow from the expected score, which stands in the row"
                yield Proposal("ES117", same, says, severity=WARNING, effect=0.0, rank=7)


def _read_later(facts: Facts, share: Key, pair: Iterable[Key]) -> Iterator[int]:
    """The columns of what a game ends in, which is read by the ratings of a later game, in whatever way."""
    ends = (
        key
        for key in facts.cells(*share[:2])
        if not any(one[:2] == key[:2] for one in facts.model.readers.get(key, ()))
    )
    yield from (end[2] for end in ends if any(facts.evaluator.depends(rating, [end]) for rating in pair))


def _moved_by(facts: Facts, share: Key, pair: list[Key]) -> Iterator[tuple[Key, Key | None]]:
    """The changes by which an entry of a row moves ratings; a new rating without one, with what it starts from."""
    model, number = facts.model, facts.evaluator.number
    for after in facts.cells(*share[:2]):
        read = [key for key in model.precedents(after) if key[:2] == share[:2]]
        base = next((key for key in read if key in pair), None)
        if base is None or after in pair or facts.evaluator.depends(share, [after]):
            continue
        typed = {one for key in (after, *read) for one in model.precedents(key) if one[:2] == share[:2]} - {*pair}
        typed -= {*model.forms}
        if rises(facts.evaluator, after, base) and any(
            number(after, {one: value}) not in (None, model.number(after))
            for one in typed for value in (0.0, 1.0, *others(facts, one))
        ):  # fmt: skip
            change = next((key for key in read if key in model.forms and key not in pair), None)
            yield (after, base) if change is None else (change, None)


def _expectations(facts: Facts, sheets: Iterable[str]) -> Iterator[list[Key]]:
    """The cells of each column of formulas that compares ratings and shows what may be expected scores."""
    columns: dict[tuple[str, int, Form], list[Key]] = {}
    for key, form in facts.model.forms.items():
        number = facts.model.number(key) if key[0] in sheets else None
        if number is not None and 0 < number < 1:
            columns.setdefault((key[0], key[2], form), []).append(key)
    for (_, _, form), cells in columns.items():
        if len(cells) >= LEAST_GAMES and (has_power(form.tree) or _is_expectation(facts, cells[-1])):
            yield cells


def _is_expectation(facts: Facts, key: Key) -> bool:
    """Whether a cell is known for an expected score without a power, as by a table."""
    part = facts.looker.known(key, {})
    return part is not None and part.kind == "E"


def _ratings_in(model: Model, share: Key) -> list[Key]:
    """The ratings in its row that an expectation compares, from the left to the right."""
    read = {key for key in model.precedents(share) if key[:2] == share[:2]}
    return sorted(key for key in read if (model.number(key) or 0.0) >= LEAST_RATING)


def _is_taken_off(facts: Facts, share: Key) -> bool:
    """Whether a change falls evenly as a cell rises, and is added to a rating that other games have changed.

    A rating that is typed is one where an expectation of the row follows from it: the other side's.
    """
    model, number = facts.model, facts.evaluator.number
    powers = [key for key in facts.cells(*share[:2]) if has_power(model.forms[key].tree)]
    for change in facts.readers(share, share[1]):
        low, middle, high = (number(change, {share: at}) for at in (0.0, 0.5, 1.0))
        if low is None or middle is None or high is None or abs(low - high) < LEAST_K:
            continue
        if abs(low + high - 2 * middle) > TINY:
            continue
        for after in facts.readers(change, share[1]):
            for base in model.precedents(after):
                is_rating = base[:2] == share[:2] and (model.number(base) or 0.0) >= LEAST_RATING
                moved = base in model.forms or any(facts.evaluator.depends(key, [base]) for key in powers)
                if is_rating and moved and rises(facts.evaluator, after, base, {change: model.value(change)}):
                    return True
    return False


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


__all__ = ["compared_with_itself", "looked_up_as_the_other", "never_compared"]
