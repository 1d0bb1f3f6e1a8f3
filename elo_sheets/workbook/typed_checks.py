"""A line of the Check sheet about what was typed: results that the points do not say."""

from __future__ import annotations

from elo_sheets.workbook.layout import TableLayout
from elo_sheets.workbook.view import Figure


def unlike_points(layout: TableLayout, rows: int, side: str) -> Figure:
    """Return how many rated games have a typed result that their points do not say.

    `layout` is that of the Ledger, in which the row of the first `side` stands above the other one's.
    """

    def cells(label: str, down: int = 0) -> str:
        letter, first = layout.letter(label), layout.first_row + 1 + down
        return f"Ledger!${letter}${first}:${letter}${first + rows - 2}"

    own, other, score = cells("Points"), cells("Points", 1), cells("Score")
    wrong = "+".join(f"({score}={number})*({own}{sign}{other})" for number, sign in ((1, "<="), (0.5, "<>"), (0, ">=")))
    both = f'({cells("Side")}="{side}")*({score}<>"")*({own}<>"")*({other}<>"")'
    return f"SUMPRODUCT({both}*({wrong}))", "count"
