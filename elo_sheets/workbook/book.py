"""What decides what a workbook holds: its template, its settings, and what its owner typed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from elo_sheets._late import pd
from elo_sheets.replaying.starting import Starts
from elo_sheets.systems import Rules
from elo_sheets.workbook.plan import CellValue

HEADER_ROW = 4
MANIFEST = "elo-sheets"
MANIFEST_SCHEMA = 2
SETTING = "setting "
# Options that hold a line of the front sheet.
SETTINGS_SAID, STARTS_SAID = "settings said", "starts said"
OPTION = "option "
COLUMNS = "columns "

Columns = Mapping[str, Sequence[CellValue]]


class MissingTable(LookupError):
    """A book has no table of this name, and its plan needs to know its rows."""


class Sizes(dict[str, int]):
    """How many rows the tables of a book have."""

    def __missing__(self, name: str) -> int:
        raise MissingTable(name)


@dataclass(frozen=True)
class Filling:
    """What fills a book: games, what their players start from, and the player whose journal or event it is."""

    games: pd.DataFrame
    start: Starts
    player: str | None = None


@dataclass(frozen=True)
class Inputs:
    """What the owner typed: per table the input columns by label, per role the single input cells.

    `sizes` says how many rows the other tables have, such as the Ledger; a view knows what a new book has. `settings`
    holds what stands in the cells of settings where that is not the setting itself. `windows` are the rows in which the
    games of each step are read, where rows that were inserted or deleted have moved them, `shown` the games of the
    Ledger among which each row of games looks for its own, as rows of a table of games; None where it looks in all.
    """

    tables: Mapping[str, Columns]
    cells: Mapping[str, CellValue] = field(default_factory=dict)
    sizes: Mapping[str, int] = field(default_factory=dict)
    settings: Mapping[str, CellValue] = field(default_factory=dict)
    windows: Sequence[tuple[int, int]] = ()
    shown: Sequence[tuple[int, int] | None] = ()

    def __post_init__(self) -> None:
        """Let a table that is not there be missed by its name."""
        object.__setattr__(self, "sizes", Sizes(self.sizes))

    def rows(self, table: str) -> int:
        """Number of rows of a table that is typed into."""
        return len(next(iter(self.tables[table].values())))


@dataclass(frozen=True)
class Book:
    """All that decides what a workbook holds."""

    template: str
    system: Rules
    settings: Mapping[str, Any]
    inputs: Inputs
    title: str = ""
    # The settings that the book was made with, where the owner may have typed others since: they decide the form of
    # the rule, which its sheets keep.
    form: Mapping[str, Any] | None = None
    # What the book was made with besides, such as the further systems of a comparison.
    options: Mapping[str, str] = field(default_factory=dict)
    # The further systems of a comparison, as far as its options name them.
    further: Sequence[Rules] = ()


SPARE_GAMES = 100


def rows_below(sheet: str, letter: str, rows: int) -> str:
    """Return the first rows of a column below the headers of a sheet, as a chart or a list of choices names them."""
    return f"={sheet}!${letter}${HEADER_ROW + 1}:${letter}${HEADER_ROW + rows}"


def with_spare(count: int, least: int) -> int:
    """Return how many rows a table of `count` games gets: room to grow into, or `least` where there are none yet.

    Each spare row costs what a filled one does, and `update` gives more before they run out.
    """
    return count + max(SPARE_GAMES, count // 20) if count else least
