"""The columns beside closing ratings, held against the games: performances, and what was played and gained in all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from elo_sheets.recognise.behind import cone
from elo_sheets.recognise.context import Context, Proposal
from elo_sheets.recognise.model import Key, Model, range_text
from elo_sheets.recognise.periods.closed import Closed
from elo_sheets.recognise.periods.performances import Played, is_performance, performances_off

SOME_BELOW = 2  # numbers below nought: one rating may be so by a mistake
DEPTH = 24  # formulas between a closing rating and the entries


def beside(
    context: Context, tables: list[Closed], played: Mapping[Key, Played]
) -> Iterator[tuple[str, list[Proposal]]]:
    """Yield in a sentence which columns show ratings of a kind that is not known, each with what mends them."""
    model = context.model
    places = {(table.sheet, table.column) for table in tables}
    behind = {one for table in tables for row in table.rows for one in cone(model, table.key(row), DEPTH)}
    columns: dict[Key, dict[Key, Played | None]] = {}
    for table in tables:
        row = table.rows[0]
        for column in sorted({key[2] for key in model.forms if key[:2] == (table.sheet, row)}):
            shown = {model.number(key) for at in table.rows if (key := (table.sheet, at, column)) in model.forms}
            of_games = shown - {None} <= {model.number(key) for key in table.opening.values()}  # beside the list
            if (table.sheet, column) not in places and (table.sheet, row, column) not in behind and not of_games:
                columns[table.sheet, row, column] = {
                    (table.sheet, at, column): played.get(table.key(at)) for at in table.rows
                }
    off = {
        first: [
            one for one, own in rows.items()
            if (own is None or not is_performance(context, one, own)) and not _is_in_all(model, tables, played, one)
        ]
        for first, rows in columns.items()
    }  # fmt: skip
    behind = {one for first, wrong in off.items() if not wrong for one in cone(model, first, DEPTH)}
    for first, rows in columns.items():
        below = sum((model.number(one) or 0.0) < 0 for one in rows)  # in a column of differences some are
        if off[first] and first not in behind and (model.number(first) or 0.0) > len(rows) and below < SOME_BELOW:
            says = f"{range_text([first])} and the cells below it are ratings of another kind, which were not replayed"
            yield says, list(performances_off(context, {at: one for at, one in rows.items() if one is not None}))


def _is_in_all(model: Model, tables: list[Closed], played: Mapping[Key, Played], key: Key) -> bool:
    """Whether a cell of a player's line shows his games, his points or his gain over all periods."""
    sheet, row, _ = key
    own = [table for table in tables if table.sheet == sheet and row in table.rows]
    games = [one for table in own if (one := played.get(table.key(row))) is not None]
    gain = sum((model.number(table.key(row)) or 0.0) - (model.number(table.opening[row]) or 0.0) for table in own)
    told = (sum(len(one.results) for one in games), sum(one.points for one in games), gain)
    shown = model.number(key)
    return shown is not None and any(abs(shown - one) < 1e-6 for one in told)


__all__ = ["beside"]
