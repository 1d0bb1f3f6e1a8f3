"""Yellow rows are sorted by their owner, and what stands beside and below them follows what is typed afterwards.

LibreOffice computes anew what it knows to follow what is typed: every cell is as when all of them are computed anew.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pytest
from office import Act, Job, at_work, require_office

from elo_sheets.files.cells import Book, Value
from elo_sheets.files.package import read_book
from elo_sheets.files.references import Place, column_letters
from elo_sheets.validate import validate
from elo_sheets.workbook import new_book

pytestmark = [pytest.mark.libreoffice, pytest.mark.slow]

PEOPLE = ["Player 1", "Player 2", "Player 3", "Player 4"]
NEWCOMER, MISSPELT = "Newcomer", "Plaeyr 2"
DAY = 45000.0
LATE = 8


@dataclass(frozen=True)
class Kind:
    """A template: its table of games and the columns in which a game is typed, its table of people."""

    template: str
    log: str = "Games"
    names: tuple[str, ...] = ("White", "Black")
    told: dict[str, str | float] = field(default_factory=lambda: {"Result": "1-0"})
    people: str = "Players"
    key: str = "Player"
    start: str = "Start rating"
    system: str | None = None
    order: str = "Date"


KINDS = {
    "league": Kind("league"),
    "ratings-list": Kind("ratings-list"),
    "compare": Kind("compare", system="elo,glicko"),
    "season": Kind("season", "Fixtures", ("Home", "Away"), {"Home goals": 2.0, "Away goals": 1.0}, "Teams", "Team"),
    "journal": Kind("journal", "Log", ("Opponent",), {"Opponent rating": 1500.0, "Result": "Win"}, ""),
    "event": Kind("event", key="Name", start="Rating", system="fide", order="Round"),
    "doubles": Kind("league-2x2", names=("A1", "A2", "B1", "B2"), told={"A points": 10.0, "B points": 7.0}),
}


class Owner:
    """Types rows of a book by the headers of its tables."""

    def __init__(self, kind: Kind, book: Book) -> None:
        self.kind, self.book = kind, book

    def type(self, name: str, at: int, values: dict[str, str | float]) -> list[Act]:
        table = self.book.tables[name]
        found: list[Act] = []
        for label, value in values.items():
            column = table.column(label)
            assert column is not None, (label, table)
            found.append(["type", table.sheet, f"{column_letters(column)}{table.first_data_row + at}", value])
        return found

    def person(self, at: int, name: str) -> list[Act]:
        """Somebody with a rating to start from, which everybody needs in an event."""
        return self.type(self.kind.people, at, {self.kind.key: name, self.kind.start: 1900.0 - 100 * at})

    def game(self, at: int, day: float, first: int = 0, name: str = "") -> list[Act]:
        """A game of the people from the `first` one on, or one with somebody else among them."""
        kind = self.kind
        names = [PEOPLE[(first + seat) % len(PEOPLE)] for seat in range(len(kind.names))]
        names[-1] = name or names[-1]
        values = {kind.order: day, **dict(zip(kind.names, names, strict=True)), **kind.told}
        return self.type(kind.log, at, values)

    def sort(self, name: str, first: str, last: str, by: str, rows: int) -> Act:
        table = self.book.tables[name]
        left, right, column = (table.column(label) for label in (first, last, by))
        assert left is not None
        assert right is not None
        assert column is not None
        top = table.first_data_row
        cells = f"{column_letters(left)}{top}:{column_letters(right)}{top + rows - 1}"
        return ["sort", table.sheet, cells, column - left, True]


def acts(owner: Owner) -> list[list[Act]]:
    """What is typed, after which each time the book is saved."""
    kind = owner.kind
    people = [] if not kind.people else [act for at, name in enumerate(PEOPLE) for act in owner.person(at, name)]
    games = [act for at in range(LATE) for act in owner.game(at, day(kind, at), at)]
    last = list(kind.told)[-1]
    ordered = owner.sort(kind.log, kind.order, last, kind.order, LATE + 1)
    found = [
        [*people, *games, *owner.game(LATE, day(kind, 1), 1)],
        [ordered, *owner.game(LATE + 1, day(kind, 9), 0, NEWCOMER), *owner.game(LATE + 2, day(kind, 9), 1, MISSPELT)],
    ]
    if kind.people:
        found.append(owner.person(len(PEOPLE), NEWCOMER))
        found.append([owner.sort(kind.people, kind.key, kind.start, kind.key, len(PEOPLE) + 1)])
        found.append(owner.person(len(PEOPLE) + 1, MISSPELT))
    found.append(owner.game(3, day(kind, 3), 2))
    *unfinished, result = owner.game(LATE + 3, day(kind, 10), 3)
    return [*found, unfinished, [result]]


def day(kind: Kind, at: int) -> float:
    return DAY + at if kind.order == "Date" else at + 1.0


def values(path: Path) -> dict[tuple[str, Place], Value]:
    return {
        (sheet, place): cell.value
        for sheet, cells in read_book(path).sheets.items()
        for place, cell in cells.items()
        if cell.value not in (None, "")
    }


@pytest.mark.parametrize("rows", [60, 300])
@pytest.mark.parametrize("name", KINDS)
def test_what_stands_beside_sorted_rows_follows_what_is_typed_then(name: str, rows: int, tmp_path: Path) -> None:
    require_office()
    kind, book = KINDS[name], tmp_path / "book.xlsx"
    new_book(kind.template, book, system=kind.system, rows=rows)
    steps: list[tuple[list[Act], Path]] = []
    for at, found in enumerate(acts(Owner(kind, read_book(book)))):
        steps += [(found, tmp_path / f"{at}.xlsx")]
    anew = tmp_path / "anew.xlsx"
    at_work([Job(book, [*steps, ([["recalculate", "Start"]], anew)])], tmp_path, timeout=600)
    last = steps[-1][1]
    typed, computed = values(last), values(anew)
    assert {place: (typed.get(place), computed.get(place)) for place in typed | computed} == {
        place: (computed.get(place),) * 2 for place in typed | computed
    }
    verdict = validate(last)
    assert (verdict.status, verdict.games.rated) == ("agrees", LATE + 4), verdict.findings
