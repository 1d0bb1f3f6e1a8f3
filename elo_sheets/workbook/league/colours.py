"""The colours of a league: upsets among the games, streaks and best ratings in the standings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from elo_sheets.workbook.journal.formulas import UPSET
from elo_sheets.workbook.plan import Highlight, TablePlan

# Won or lost games in a row that stand out, as in a journal.
LONG_STREAK = 3


def standing_highlights(table: TablePlan) -> Iterator[Highlight]:
    """Yield the colours of streaks, and of ratings that are their player's best so far."""
    labels = {column.role: column.label for column in table.columns}
    if "place_streak" in labels:
        cells, first = table.range(labels["place_streak"]), table.top(labels["place_streak"])
        yield Highlight(cells, f"N({first})>={LONG_STREAK}", "win")
        yield Highlight(cells, f"N({first})<=-{LONG_STREAK}", "loss")
    if {"player_best", "player_rating", "player_games", "player_mark"} <= set(labels):
        best, rating, games, mark = (table.top(labels[f"player_{n}"]) for n in ("best", "rating", "games", "mark"))
        settled = f'N({games})>1,{mark}=""'
        yield Highlight(table.range(labels["player_best"]), f"AND({settled},{best}={rating})", "gain")


def upsets(
    table: TablePlan, expected: str, points: Sequence[str], below: float = UPSET, outcome: str = ""
) -> Highlight:
    """Return the colour of an expected score of which the other thing came: the journal's rule, unless `below` says.

    `expected` is the first side's column, `points` are those of both sides where a result may be left to them,
    `outcome` is the formula of the result as the Ledger says it where it may be written otherwise.
    """
    share, status, result = (table.top(label) for label in (expected, "Status", "Result"))
    result = outcome or result
    won, lost = f'{result}="1-0"', f'{result}="0-1"'
    if points and not outcome:
        own, other = (f"N({table.top(label)})" for label in points)
        won = f'OR({won},AND({result}="",{own}>{other}))'
        lost = f'OR({lost},AND({result}="",{own}<{other}))'
    upset = f"OR(AND({won},{share}<{below}),AND({lost},{share}>1-{below}))"
    return Highlight(table.range(expected), f'AND({status}="rated",{upset})', "loss")
