"""A line of the Check sheet about what was typed: results that the points do not say."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from elo_sheets.workbook.layout import TableLayout
from elo_sheets.workbook.plan import CellValue
from elo_sheets.workbook.view import Figure

if TYPE_CHECKING:
    from elo_sheets.workbook.pool import Game


def unlike_points(layout: TableLayout, rows: int, side: str, games: Iterable[Game]) -> Figure:
    """Return how many rated games have a typed result that their points do not say.

    `layout` is that of the Ledger, in which the row of the first `side` stands above the other one's.
    """

    def cells(label: str, down: int = 0) -> str:
        letter, first = layout.letter(label), layout.first_row + 1 + down
        return f"Ledger!${letter}${first}:${letter}${first + rows - 2}"

    own, other, score = cells("Points"), cells("Points", 1), cells("Score")
    wrong = "+".join(f"({score}={number})*({own}{sign}{other})" for number, sign in ((1, "<="), (0.5, "<>"), (0, ">=")))
    both = f'({cells("Side")}="{side}")*({score}<>"")*({own}<>"")*({other}<>"")'
    found = sum(is_unlike(game.extra["points"], game.extra["opponent_points"], game.score) for game in games)
    return f"SUMPRODUCT({both}*({wrong}))", float(found), "count"


def is_unlike(points: CellValue, others: CellValue, score: float | None) -> bool:
    """Return whether a score is not what the points of both sides say; never where either is missing."""
    if score is None or not isinstance(points, (int, float)) or not isinstance(others, (int, float)):
        return False
    return score != 0.5 + 0.5 * ((points > others) - (points < others))
