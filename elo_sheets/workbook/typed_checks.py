"""Lines of the Check sheet about what was typed: days that are text, results that the points do not say."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from elo_sheets.workbook.plan import CellValue
from elo_sheets.workbook.pool_columns import SCORES
from elo_sheets.workbook.view import Figure

# A day before 1900 is text, since no sheet has it as a number; in a COUNTIF a question mark is any one character.
_OLD, _LATER = "1???-??-??", "19??-??-??"
_OLD_DAY = re.compile(r"1(?!9)...-..-..", re.DOTALL)


def text_dates(cells: str, values: Sequence[CellValue]) -> Figure:
    """Return how many days are text though a sheet knows them; `cells` is the column that they are typed into."""
    texts = [value for value in values if isinstance(value, str) and value]
    formula = f'COUNTA({cells})-COUNT({cells})-COUNTIF({cells},"{_OLD}")+COUNTIF({cells},"{_LATER}")'
    return formula, float(sum(not _OLD_DAY.fullmatch(text) for text in texts)), "count"


def unlike_points(points: Sequence[str], rows: Sequence[Mapping[str, CellValue]]) -> Figure:
    """Return how many rated games have a typed result that their points do not say.

    `points` are the columns of both sides on the sheet Games; `rows` hold `Status`, `Result` and those columns.
    """
    own, other = (f"Games[{label}]" for label in points)
    says = {"1-0": "<=", "1/2-1/2": "<>", "0-1": ">="}
    wrong = "+".join(f'(Games[Result]="{text}")*({own}{sign}{other})' for text, sign in says.items())
    both = f'(Games[Status]="rated")*({own}<>"")*({other}<>"")'
    found = sum(
        row["Status"] == "rated" and is_unlike(row[points[0]], row[points[1]], SCORES.get(str(row["Result"])))
        for row in rows
    )
    return f"SUMPRODUCT({both}*({wrong}))", float(found), "count"


def is_unlike(points: CellValue, others: CellValue, score: float | None) -> bool:
    """Return whether a score is not what the points of both sides say; never where either is missing."""
    if score is None or not isinstance(points, (int, float)) or not isinstance(others, (int, float)):
        return False
    return score != 0.5 + 0.5 * ((points > others) - (points < others))
