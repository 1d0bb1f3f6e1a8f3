"""Lists of players with the opponents' ratings and the results of a tournament in each row, and the performance."""

from __future__ import annotations

from collections.abc import Iterator

from elo_sheets.recognise.behind import cone
from elo_sheets.recognise.context import Context, RoleCells, Sheetwork
from elo_sheets.recognise.ledgers.rankings import is_place
from elo_sheets.recognise.model import Key, Model, range_text
from elo_sheets.recognise.periods.closed import LEAST_RATING, columns_of_formulas
from elo_sheets.recognise.periods.performances import SCORES, Played, follows_all, is_performance, performances_off
from elo_sheets.recognise.periods.tournaments import table_faults

LEAST, MOST = 3, 400  # players
LEAST_GAMES = 3
DEPTH = 12  # formulas between a performance and the entries
CLOSE = 1e-6  # rating points


def performance_list(context: Context) -> Sheetwork | None:
    """Return what a book of performances is, each held against its row's results; None where there are none."""
    for (sheet, column), rows in columns_of_formulas(context.model).items():
        if not LEAST <= len(rows) <= MOST:
            continue
        played = {key: one for row in rows if (one := _played(context.model, key := (sheet, row, column))) is not None}
        if len(played) == len(rows) and all(follows_all(context, key, one) for key, one in played.items()):
            return _work(context, played)
    return None


def _played(model: Model, key: Key) -> Played | None:
    """The ratings and results that are typed in the row of a formula and that it follows from, as many of both."""
    read = dict.fromkeys(one for at in (key, *cone(model, key, DEPTH)) for one in model.precedents(at))
    typed = {one: number for one in read if one[:2] == key[:2] and one not in model.forms
             and (number := model.number(one)) is not None}  # fmt: skip
    opponents = [one for one, number in typed.items() if number >= LEAST_RATING]
    results = [one for one, number in typed.items() if number in SCORES]
    if len(opponents) != len(results) or len(results) < LEAST_GAMES:
        return None
    own = next((one for one in _row(model, key) if one not in typed and (model.number(one) or 0) >= LEAST_RATING), key)
    return Played(own, results, dict.fromkeys(opponents, 1), opponents, sum(typed[one] for one in results))


def _row(model: Model, key: Key) -> Iterator[Key]:
    """The typed cells of a row, from the left."""
    cells = ((*key[:2], column) for row, column in sorted(model.book.sheets[key[0]]) if row == key[1])
    return (cell for cell in cells if cell not in model.forms)


def _work(context: Context, played: dict[Key, Played]) -> Sheetwork:
    model = context.model
    work = Sheetwork("tournament", [RoleCells("R", tuple(played))])
    off = {key: one for key, one in played.items() if not is_performance(context, key, one)}
    work.ratings = set(played)
    work.proposals = [*performances_off(context, off), *table_faults(context)]
    reasons = [f"{range_text([key])} is not the performance of the results in its row" for key in off]
    reasons += [one.message for one in work.proposals]
    reasons += [f"{range_text([key])} was not held against any rule" for key in _others(model, played)]
    work.facts = {"players": len(played)}
    work.listed = work.rated = sum(len(one.results) for one in played.values())
    work.replayed, work.reason = not reasons, next(iter(reasons), None)
    return work


def _others(model: Model, played: dict[Key, Played]) -> Iterator[Key]:
    """The formulas that show a number, and neither stand behind a performance nor show its lead or its place."""
    behind = {one for key in played for one in (key, *cone(model, key, DEPTH))}
    leads = {key[:2]: (model.number(key) or 0.0) - (model.number(one.own) or 0.0) for key, one in played.items()}
    for key in sorted(set(model.forms) - behind):
        number = model.number(key)
        is_lead = number is not None and key[:2] in leads and abs(number - leads[key[:2]]) <= CLOSE
        if number is not None and not is_place(model, key) and not is_lead:
            yield key


__all__ = ["performance_list"]
