"""What the columns that many templates share say, in a sentence, where a template does not say it itself.

The keys are roles, or for the tables that no template lists `table:label`. The sheet Formulas says all of it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from elo_sheets.workbook import dialect
from elo_sheets.workbook.plan import CellValue, ColumnPlan, Fill, SheetPlan, TablePlan

ONE_LINE, TALLEST_ROW = 15.0, 409.0  # points
FILLED = 0.8  # of a line of wrapped text, which breaks where words and operators end
# How a remark begins that says what an empty cell means, and what it says of text in a cell for a number.
EMPTY, NO_NUMBER = "empty: ", "no number: not used"


def replaces(typed: str, rule: str) -> str:
    """Return the formula of what stands beside a cell whose number counts in place of the rule's.

    `typed` and `rule` are the two cells; a number from 0 down is none.
    """
    return (
        f'IF(TRIM({typed})="","",IF(NOT(ISNUMBER({typed})),"{NO_NUMBER}",IF({typed}<=0,"{NO_NUMBER}",'
        f'IF(ISNUMBER({rule}),"replaces "&ROUND({rule},1),"replaces the rule\'s"))))'
    )


ABOUT = {
    # Players, and the lists that rank them
    "player_number": "Players are numbered in the order of the sheet; the Ledger finds them by it.",
    "starts_at": "The rating before the first game: the one typed, else the initial rating of the settings.",
    "player_rating": "The rating after the player's last rated game, before the first the one that he starts from.",
    "player_games": "How many of the games are rated.",
    "player_wins": "How many of them were won.",
    "player_draws": "How many of them were drawn.",
    "player_losses": "How many of them were lost.",
    "player_rank": "The place in the order of the sort key; empty for names that are not ranked.",
    "player_best": "The best rating after any game; the start rating before the first.",
    "last_day": "The day of the player's last rated game.",
    "player_mark": "Why a rating should be read with care, or the player is left out of the list.",
    "last_row": "The row of the Ledger that holds the player's last rated game, 0 before the first.",
    "player_id": "The number under which the games of this name are found: the first row of names that stand twice.",
    "player_key": "What the places are sorted by: the rating, then the order of the sheet.",
    "place": "The places in order, as far as there are ranked players.",
    "player": "Who holds the place.",
    "state:games": "The rated games that the rule counts for the player.",
    "state:peak": "The highest published rating so far.",
    "state:index": "How many events are evaluated so far.",
    "state:rd": "The rating deviation after the last game: how unsure the rating is.",
    "state:volatility": "The volatility after the last game: how erratic the results have been.",
    "state:sigma": "The standard deviation of the skill after the last game.",
    # Games
    "number": "Games are numbered in the order in which they are rated.",
    "white_rating": "The rating of this side before the game.",
    "black_rating": "The rating of the other side before the game.",
    "white_expected": "The score that the rule expects of this side.",
    "white_change": "What the game adds to this side's rating.",
    "black_change": "What the game adds to the other side's rating.",
    "white_rating_after": "The rating of this side after the game.",
    "black_rating_after": "The rating of the other side after the game.",
    "status": "Whether the game is rated, and if not, why.",
    # The ledger of an event
    "ledger_round": "The round of the game.",
    "ledger_name": "The player whom this row is about.",
    "ledger_player": "The player's number on the sheet Players; 0 for a name that is not there.",
    "ledger_opponent": "The opponent's number on the sheet Players; 0 for a name that is not there.",
    "ledger_result": "The result as this side sees it.",
    "ledger_rating": "The player's rating on the list of the event.",
    "ledger_opponent_rating": "The opponent's rating on the list of the event.",
    # What is computed besides
    "CardGames:Row": "The row of the Ledger: the last game first, then the one before it.",
    "CardGames:Date": "The day of the game.",
    "CardGames:Side": "Which side the player of the card had.",
    "CardGames:Opponent": "Whom he met.",
    "CardGames:Result": "The result as he saw it.",
    "CardGames:Expected": "The score that the rule expected of him.",
    "CardGames:Change": "What the game added to his rating.",
    "CardGames:After": "His rating after the game.",
    "CardOpponents:No.": "The opponent's number; those met most often come first.",
    "CardOpponents:Met": "The opponent.",
    "CardOpponents:Games": "Rated games against this opponent.",
    "CardOpponents:Wins": "How many of them the player of the card won.",
    "CardOpponents:Draws": "How many of them were drawn.",
    "CardOpponents:Losses": "How many of them he lost.",
    "CardOpponents:Score": "His points against this opponent, by games.",
    "OddsTable:Stronger": "The score that the curve expects of the stronger side.",
    "OddsTable:Weaker": "What is left for the weaker side.",
    "OddsTable:Odds": "How many points the stronger side makes for one of the weaker.",
    "Periods:Period": "The periods in order.",
    "list_at": "The number of the player on the list: where his figures are found.",
}
# The columns of the sheet Formulas: header, style and width.
EXPLAINED = (
    ("Sheet", "wrap", 14.0),
    ("Column", "wrap", 22.0),
    ("What it says", "wrap", 56.0),
    ("Source", "wrap", 36.0),
    ("Formula of a row", "wrap", 80.0),
)


def said(table: TablePlan, column: ColumnPlan) -> str:
    """Return the sentence that explains a column, "" where none does."""
    return column.about or ABOUT.get(column.role, "") or ABOUT.get(f"{table.name}:{column.label}", "")


def explained(planned: SheetPlan, rule: str = "", all_of_it: str = "") -> Iterator[tuple[CellValue, ...]]:
    """Yield a row for each computed column of a sheet, and one for those that it computes for charts and lists
    alone, by the sheet's title. `rule` is the source of the rating rule's steps, `all_of_it` that of all columns.
    """
    for table in planned.tables:
        unsaid: list[tuple[str, str]] = []
        for column in table.columns:
            text, about = column.fill.typical_formula(table.first_data_row, table.rows), said(table, column)
            if text is None:
                continue
            if about:
                source = column.source or (rule if column.role.startswith("step:") else all_of_it)
                yield planned.name, column.label, about, source, dialect.typed(text)
            else:
                unsaid.append((column.label, text))
        if unsaid:
            labels = unsaid[0][0] if len(unsaid) == 1 else f"{unsaid[0][0]} … {unsaid[-1][0]}"
            title = planned.cells[0].value if planned.cells else planned.name
            yield planned.name, labels, title, all_of_it, dialect.typed(unsaid[0][1])


def constants(label: str, values: Sequence[CellValue], style: str, width: float) -> ColumnPlan:
    """Return a column of constants."""
    return ColumnPlan(label, Fill(values), "", style, width)


def row_height(values: Sequence[CellValue], columns: Sequence[ColumnPlan]) -> float:
    """Return the height of a row whose texts are wrapped; not every program finds it by itself."""
    pairs = zip(values, columns, strict=True)
    lines = [math.ceil(len(str(value)) / (FILLED * column.width)) for value, column in pairs]
    return min(ONE_LINE * max(1, *lines), TALLEST_ROW)
