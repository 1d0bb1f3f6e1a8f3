"""How a result may be written into a cell: the readers' spellings as a hidden table, and the formula that looks one up.

A drop-down offers a few words. Whatever else the readers understand counts the same, by the table that is printed
from theirs; anything else is no result, and the status of the row says what to write.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from elo_sheets.readers._results import BYE, DIGITS, FORFEIT, LETTERS, SIDES, UNFINISHED, WIN_DRAW_LOSS, spellings
from elo_sheets.workbook.book import HEADER_ROW
from elo_sheets.workbook.layout import text_of
from elo_sheets.workbook.plan import CellPlan, CellValue, ColumnPlan, Fill, Highlight, SheetPlan, TablePlan
from elo_sheets.workbook.sports.profiles import CANONICAL, CHESS, NO_DRAWS, Words

# Every status of a row without a usable result begins like the first one.
NO_RESULT = "no result"
# What the status says of a game that was not played, by why; nothing is amiss with its row.
NOT_PLAYED = "not played"
REASONS = {FORFEIT: f"{NOT_PLAYED}: forfeit", UNFINISHED: NOT_PLAYED, BYE: f"{NOT_PLAYED}: bye"}
TABLE = "Spellings"
# What no cell is looked up by: the row of whatever stands nowhere else.
ANYTHING = "anything else"


@dataclass(frozen=True)
class Spellings:
    """The spellings of one kind of cell.

    `words` are what the drop-down offers for 1, 0.5 and 0, `others` its further words. With `own` a result is the
    player's own, so that words for a side mean nothing; without `digits` a bare number means nothing either. `sport`
    has what the drop-down offers in place of 1-0, 1/2-1/2 and 0-1, whether there are draws, and which scores count.
    """

    words: Mapping[float, str]
    others: tuple[str, ...] = ()
    own: bool = False
    digits: bool = True
    sport: Words = CHESS

    def of(self, sport: Words) -> Spellings:
        """Return these spellings with the draws and scores of a sport, but none of its words for a side that wins."""
        return replace(self, sport=replace(sport, results=CANONICAL))

    @cached_property
    def means(self) -> dict[str, str]:
        """What each spelling means, in small letters: a word of the drop-down, or why it is no result.

        One that looks like a formula (=-=) is left out: programs that copy the book make a formula of it.
        """
        found = {}
        for text, outcome in spellings().items():
            of_a_side = SIDES.search(text) or (text in LETTERS - DIGITS and text not in WIN_DRAW_LOSS)
            if text and text != "=-=" and not (self.own and of_a_side) and (self.digits or text not in DIGITS):
                word = None if outcome.score is None else self.words[outcome.score]
                found[text] = word or REASONS.get(outcome.reason) or f"{NO_RESULT}: 0-0"
        found |= {word.lower(): word for word in (*self.words.values(), *self.others)}
        found |= {shown.lower(): word for shown, word in self.shown.items()}
        if not self.sport.draws:
            found = {text: NO_DRAWS if word == self.words[0.5] else word for text, word in found.items()}
        return found

    @property
    def shown(self) -> dict[str, str]:
        """The words of the sport that are others than ours, each with ours."""
        if self.sport.results == CANONICAL:
            return {}
        return dict(zip(self.sport.results, self.words.values(), strict=True))

    @property
    def remedy(self) -> str:
        """What the status says of a text that is nothing known: a score as it is typed, and a word."""
        score = f"{self.sport.example.split(',')[0]} or " if self.sport.scores and self.sport.example else ""
        return f"{NO_RESULT}: write {score}{next(iter(self.shown), self.words[1.0])}"

    @property
    def plain(self) -> tuple[str, ...]:
        """The texts that mean what they say."""
        return (
            *(word for word in self.words.values() if word != self.words[0.5] or self.sport.draws),
            *self.others,
            "",
        )

    def read(self, value: CellValue) -> str:
        """Return what a typed result means, "" for an empty cell."""
        text = text_of(value)
        if text in self.plain:
            return text
        if self.sport.scores and text.lower() not in {word.lower() for word in self.shown}:
            told = self.sport.outcome(text)
            if told:
                return dict(zip(CANONICAL, self.words.values(), strict=True)).get(told, told)
        trimmed = " ".join(part for part in text.split(" ") if part).lower()
        return self.means.get(trimmed, self.remedy) if trimmed else ""

    def score(self, value: CellValue) -> float | None:
        """Return the score that a typed result means, None for what is none."""
        scores = {word: score for score, word in self.words.items()}
        return scores.get(self.read(value))

    def formula(self, cell: str, scored: str = "{}") -> str:
        """Return the formula of what `read` gives for a cell; the words of the drop-down need no look-up.

        `scored` says what a score means and what else is done, for which it has `{}`.
        """
        plain = "|" + "|".join(self.plain) + "|"
        looked_up = f"INDEX({TABLE}[Means],{self.row(cell)})"
        looked_up = scored.replace("{}", looked_up)
        found = f'IF(ISNUMBER(FIND("|"&{cell}&"|","{plain}")),{cell}&"",IF(TRIM({cell})="","",{looked_up}))'
        for shown, word in reversed(self.shown.items()):
            meant = NO_DRAWS if word == self.words[0.5] and not self.sport.draws else word
            found = f'IF({cell}="{shown}","{meant}",{found})'
        return found

    @staticmethod
    def row(cell: str) -> str:
        """Return the formula of the row of the table that a cell's spelling stands in: the first for none."""
        return f"1+SUMPRODUCT(MAX(({TABLE}[Written]=TRIM({cell}))*{TABLE}[No.]))"

    def colours(self, table: TablePlan) -> Iterator[Highlight]:
        """Yield the colours of wins, draws and losses in the columns of a table into which results are typed.

        A conditional format names no column of a table, so it asks the cells of the hidden sheet.
        """
        last = HEADER_ROW + 1 + len(self.means)
        written, means = (f"{TABLE}!${letter}${HEADER_ROW + 1}:${letter}${last}" for letter in "BC")
        for column in table.columns:
            if column.is_input and column.validation is not None and column.validation.open:
                for word, style in zip(self.words.values(), ("win", "draw", "loss"), strict=True):
                    test = f'SUMPRODUCT(({written}=TRIM({table.top(column.label)}))*({means}="{word}"))>0'
                    yield Highlight(table.range(column.label), test, style)

    def sheet(self) -> SheetPlan:
        """Return the hidden sheet; its column Score is the player's own."""
        written = {ANYTHING: self.remedy} | self.means
        own = {text: OWN.score(text) for text in self.means}
        scores: list[CellValue] = ["none" if own.get(text) is None else own[text] for text in written]
        columns = (
            ColumnPlan("No.", Fill([float(i) for i in range(len(written))]), "", "ordinal", 8),
            ColumnPlan("Written", Fill(list(written)), "", "text", 24),
            ColumnPlan("Means", Fill(list(written.values())), "", "text", 24),
            ColumnPlan("Score", Fill(scores), "", "centre", 8),
        )
        title = CellPlan(1, 1, "How a result may be written", style="title")
        hint = CellPlan(2, 1, "Capital letters and small ones are the same.", style="hint")
        table = TablePlan(TABLE, HEADER_ROW, columns, len(written))
        return SheetPlan(TABLE, (title, hint), (table,), hidden=True, frozen_rows=HEADER_ROW)


# The results of a player, as he says them himself.
OWN = Spellings({1.0: "Win", 0.5: "Draw", 0.0: "Loss"}, own=True)
