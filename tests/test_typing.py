"""The owner types into a book: every engine follows, and the validation understands what was done."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from office import Job, at_work, require_office
from workbook_cases import (
    FIRST_DATA_ROW,
    Edits,
    League,
    Row,
    Rule,
    Standing,
    Typed,
    journal_ratings,
    league_standings,
    made_journal,
    made_league,
    once,
    serial,
    shared_folder,
    type_into,
    without_results,
)

from elo_sheets.engines.office import convert_all
from elo_sheets.engines.recalculate import recalculate_many
from elo_sheets.files.cells import Value
from elo_sheets.files.package import read_book
from elo_sheets.files.references import column_letters
from elo_sheets.files.save import private_folder
from elo_sheets.systems import system
from elo_sheets.validate import Verdict, validate
from elo_sheets.workbook.book import Book, Inputs
from elo_sheets.workbook.build import blank_book, plan_book
from elo_sheets.workbook.journal.rows import INPUTS
from elo_sheets.workbook.write import write_book

ROWS = 30  # of Games and Log
PLAYER_ROWS = 12
LAST_ROW = FIRST_DATA_ROW + ROWS - 1
TOLERANCE = 1e-9


# --- books and what is typed into them ----------------------------------------------------------------------


@dataclass
class Journal:
    """What stands in the yellow cells of a journal."""

    games: list[Row]
    rule: Rule = field(default_factory=Rule)


Owned = League | Journal
Values = Mapping[str, Mapping[tuple[int, int], Value]]
EMPTY: Row = [None] * 4
NEW_GAME: Row = [serial("2024-02-01"), "Player 2", "Player 5", "0-1"]

LEAGUE = made_league(8, 24)
JOURNAL = Journal(made_journal(22))


def cells_of(book: Owned) -> dict[str, dict[str, Typed]]:
    """Every yellow cell of a book but the settings, with what stands in it."""

    def block(rows: list[Any], columns: str, count: int) -> dict[str, Typed]:
        filled = [list(row) for row in rows] + [[None] * len(columns)] * (count - len(rows))
        return {
            f"{letter}{at}": value
            for at, row in enumerate(filled, FIRST_DATA_ROW)
            for letter, value in zip(columns, row, strict=True)
        }

    if isinstance(book, Journal):
        return {"Log": block(book.games, "BCDEF", ROWS)}
    return {"Games": block(book.games, "BCDE", ROWS), "Players": block(list(book.players), "BC", PLAYER_ROWS)}


def edits(before: Owned, after: Owned, settings: Mapping[str, str]) -> Edits:
    """What an owner types to make one book the other; `settings` gives the cell of each setting on Start."""
    old, new = cells_of(before), cells_of(after)
    typed = {
        sheet: {cell: value for cell, value in cells.items() if old[sheet].get(cell) != value}
        for sheet, cells in new.items()
    }
    rules = ((name, getattr(before.rule, name), getattr(after.rule, name)) for name in ("initial", "k", "gap"))
    names = {"initial": "Initial_rating", "k": "K_factor", "gap": "Gap_rule"}
    start: dict[str, Typed] = {settings[names[name]]: value for name, was, value in rules if was != value}
    return {**typed, "Start": start}


def written(book: Owned, path: Path) -> Path:
    def columns(labels: tuple[str, ...], letters: str, sheet: str, count: int) -> dict[str, list[Any]]:
        cells, rows = cells_of(book)[sheet], range(FIRST_DATA_ROW, FIRST_DATA_ROW + count)
        return {label: [cells.get(f"{x}{row}") for row in rows] for label, x in zip(labels, letters, strict=True)}

    if isinstance(book, Journal):
        inputs = Inputs({"Log": columns(INPUTS, "BCDEFG", "Log", ROWS)}, sizes={"Ledger": ROWS})
    else:
        games = columns(("Date", "White", "Black", "Result", "Event"), "BCDEF", "Games", ROWS)
        players = columns(("Player", "Start rating"), "BC", "Players", PLAYER_ROWS)
        chosen = {"chosen 1": "Player 1", "chosen 2": "Player 2", "chosen 3": None, "chosen 4": None}
        inputs = Inputs({"Players": players, "Games": games}, chosen, {"Ledger": 2 * ROWS})
    template = "journal" if isinstance(book, Journal) else "league"
    write_book(plan_book(Book(template, system("elo"), system("elo").settings({}), inputs)), path)
    return path


@dataclass(frozen=True)
class Case:
    """One way of typing: `change` alters a copy of the book; `codes` are the findings of the validation."""

    book: Owned
    change: Callable[[Any], object]
    status: str = "agrees"
    codes: tuple[str, ...] = ()
    never_rated: int = 0
    red: tuple[int, ...] = ()  # rows of the sheet Check that want a look

    def after(self) -> Owned:
        book = copy.deepcopy(self.book)
        self.change(book)
        return book


def renamed(book: League) -> None:
    book.players[1] = ("Zoë *Ünal*", book.players[1][1])
    book.games = [["Zoë *Ünal*" if value == "Player 2" else value for value in row] for row in book.games]


def renamed_opponent(book: Journal) -> None:
    name = book.games[0][1]
    book.games = [["=Nobody" if value == name else value for value in row] for row in book.games]


def new_player(book: League) -> None:
    book.players.append(("Newcomer", 1725.0))
    book.games += [[serial("2024-02-01"), "Newcomer", "Player 1", "1-0"], [None, "player 3", "NEWCOMER", "1/2-1/2"]]


def to_the_last_row(book: League) -> None:
    book.games += [[*NEW_GAME[:3], ("1-0", "0-1", "1/2-1/2")[i % 3]] for i in range(ROWS - len(book.games))]
    for i, row in enumerate(book.games[24:]):
        row[0] = serial("2024-02-01") + i


def only_the_last_row(book: Journal) -> None:
    book.games += [[None] * 5 for _ in range(ROWS - 1 - len(book.games))]
    book.games.append([serial("2025-01-01"), "Late", 1600.0, "Black", "Win"])


def league(change: Callable[[League], object], *args: Any, **more: Any) -> Case:
    return Case(LEAGUE, change, *args, **more)


def journal(change: Callable[[Journal], object], *args: Any, **more: Any) -> Case:
    return Case(JOURNAL, change, *args, **more)


def with_rule(**rule: Any) -> Callable[[Owned], None]:
    def change(book: Owned) -> None:
        book.rule = replace(book.rule, **rule)

    return change


def with_cell(row: int, column: int, value: Typed) -> Callable[[Owned], None]:
    def change(book: Owned) -> None:
        book.games[row][column] = value

    return change


NOT_RATED, UNKNOWN, SELF_PLAY, NO_RESULT = 5, 6, 7, 8
DUPLICATE, ORDER, TWINS, NOT_UNDERSTOOD = 10, 11, 12, 17
CASES = {
    "league: nothing": league(lambda book: None),
    "league: a new game": league(lambda book: book.games.append(list(NEW_GAME))),
    "league: a corrected result": league(with_cell(2, 3, next(r for r in ("1-0", "0-1") if r != LEAGUE.games[2][3]))),
    "league: a late game in the middle": league(
        lambda book: book.games.insert(7, [book.games[6][0], "Player 8", "Player 4", "1/2-1/2"])
    ),
    "league: a row cleared": league(lambda book: book.games.__setitem__(5, list(EMPTY))),
    # One of the lines of the chart is still to be that of the old name.
    "league: a player renamed": league(renamed, "agrees", ("ES408",), 0, (NOT_UNDERSTOOD,)),
    "league: a new player": league(new_player),
    "league: another K": league(with_rule(k=32.0)),
    "league: another gap rule": league(with_rule(gap="cap400", initial=1000.0)),
    "league: a start rating": league(lambda book: book.players.__setitem__(0, ("Player 1", 2100.5))),
    "league: half a game": league(
        lambda book: book.games.append([*NEW_GAME[:3], None]), "agrees", ("ES404",), 1, (NOT_RATED, NO_RESULT)
    ),
    "league: an unknown name": league(with_cell(3, 1, "Stranger"), "differs", ("ES402",), 1, (NOT_RATED, UNKNOWN)),
    "league: a game against himself": league(
        lambda book: book.games.append([NEW_GAME[0], "Player 3", "player 3", "1-0"]),
        "differs",
        ("ES403",),
        1,
        (NOT_RATED, SELF_PLAY),
    ),
    "league: a day that is too early": league(
        with_cell(20, 0, serial("2023-12-31")), "agrees", ("ES405",), 0, (ORDER,)
    ),
    "league: a day that is text": league(with_cell(20, 0, "11.01.2024"), "differs", ("ES408",), 0, (NOT_UNDERSTOOD,)),
    "league: a game twice": league(
        lambda book: book.games.append(list(book.games[-1])), "agrees", ("ES406",), 0, (DUPLICATE,)
    ),
    "league: a name twice": league(
        lambda book: book.players.append(("PLAYER 1", None)), "differs", ("ES407",), 0, (TWINS,)
    ),
    "league: the last spare row": league(to_the_last_row),
    "journal: nothing": journal(lambda book: None),
    "journal: a new game": journal(
        lambda book: book.games.append([serial("2024-08-01"), "Newcomer", 1850.0, "White", "Win"])
    ),
    "journal: a corrected result": journal(
        with_cell(next(i for i, row in enumerate(JOURNAL.games) if row[4] == "Draw"), 4, "Loss")
    ),
    "journal: a late game in the middle": journal(
        lambda book: book.games.insert(7, [book.games[6][0], "Late", 1500.5, "Black", "Draw"])
    ),
    "journal: a row cleared": journal(lambda book: book.games.__setitem__(5, [None] * 5)),
    "journal: an opponent renamed": journal(renamed_opponent),
    "journal: another K": journal(with_rule(k=10.0)),
    "journal: another gap rule": journal(with_rule(gap="fide2650", initial=2100.0)),
    "journal: half a game": journal(
        lambda book: book.games.append([serial("2024-08-01"), "Newcomer", 1850.0, "White", None]),
        "agrees",
        ("ES404",),
        1,
    ),
    "journal: no opponent's rating": journal(with_cell(9, 2, None), "agrees", ("ES404",), 1),
    "journal: the last spare row": journal(only_the_last_row),
}
# LibreOffice takes a second for a book: it sees those that differ in kind.
IN_LIBREOFFICE = [
    "league: a late game in the middle",
    "league: a player renamed",
    "league: a new player",
    "league: another gap rule",
    "league: an unknown name",
    "league: a game twice",
    "league: the last spare row",
    "journal: a new game",
    "journal: a late game in the middle",
    "journal: a row cleared",
    "journal: an opponent renamed",
    "journal: another gap rule",
    "journal: no opponent's rating",
]
every_case = pytest.mark.parametrize("name", CASES)


def each_engine(kind: str) -> pytest.MarkDecorator:
    """The cases of one template with each engine."""
    names = [name for name in CASES if name.startswith(kind)]
    pairs: list[Any] = [(name, "ironcalc") for name in names]
    pairs += [pytest.param(name, "formualizer", marks=pytest.mark.formualizer) for name in names]
    office = [name for name in names if name in IN_LIBREOFFICE]
    pairs += [pytest.param(name, "libreoffice", marks=pytest.mark.libreoffice) for name in office]
    return pytest.mark.parametrize(("name", "engine"), pairs)


@dataclass
class Desk:
    """The typed books of this session, and what each engine computes for all of them in one run."""

    folder: Path
    shared: Path
    paths: dict[str, Path] = field(default_factory=dict)
    done: dict[str, dict[str, Values]] = field(default_factory=dict)
    saved: dict[str, Path] = field(default_factory=dict)

    def path(self, name: str) -> Path:
        """A book with the values typed, its formulas' results as they were before."""
        if not self.paths:
            made = {}
            for kind, book in (("league", LEAGUE), ("journal", JOURNAL)):
                path = written(book, self.folder / f"{kind}.xlsx")
                # A setting is typed two columns before the cell that its name means, which says what is used.
                names = {key: text.replace("$E$", "C").split("!")[1] for key, text in read_book(path).names.items()}
                made[kind] = (path, names)
            for number, (key, case) in enumerate(CASES.items()):
                base, names = made[key.split(":")[0]]
                target = self.folder / f"typed{number}.xlsx"
                self.paths[key] = type_into(base, target, edits(case.book, case.after(), names))
        return self.paths[name]

    def computed(self, engine: str, name: str) -> Values:
        if engine == "libreoffice":
            sheets = read_book(self.saved_by_libreoffice(name)).sheets
            return {sheet: {place: cell.value for place, cell in cells.items()} for sheet, cells in sheets.items()}
        if engine not in self.done:

            def compute() -> list[Values]:
                paths = [self.path(one) for one in CASES]
                return [done.values for done in recalculate_many(paths, engine, timeout=300)]

            self.done[engine] = dict(zip(CASES, once(self.shared, f"typed-{engine}", compute), strict=True))
        return self.done[engine][name]

    def saved_by_libreoffice(self, name: str) -> Path:
        """The book as LibreOffice recalculates and saves it; one start of the program for all of them."""

        def save() -> list[Path]:
            (self.shared / "saved").mkdir(exist_ok=True)
            with private_folder() as folder:
                paths = [self.path(one) for one in IN_LIBREOFFICE]
                return convert_all(paths, "xlsx", self.shared / "saved", folder, 300, 8 * 2**30)

        if not self.saved:
            self.saved = dict(zip(IN_LIBREOFFICE, once(self.shared, "typed-libreoffice", save), strict=True))
        return self.saved[name]


@pytest.fixture(scope="session")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    return Desk(tmp_path_factory.mktemp("typed"), shared_folder(tmp_path_factory.getbasetemp(), "engines"))


def close(number: float) -> Any:
    return pytest.approx(number, rel=0, abs=TOLERANCE)


# --- every engine follows -----------------------------------------------------------------------------------


def standings(values: Mapping[tuple[int, int], Value]) -> dict[str, Standing]:
    rows = [[values.get((row, column)) for column in range(2, 8)] for row in range(5, 5 + PLAYER_ROWS)]
    return {str(row[0]): Standing(*row[1:]) for row in rows if row[0] not in ("", None)}  # type: ignore[arg-type]


def assert_standings(found: Mapping[str, Standing], book: League) -> None:
    expected = league_standings(book)
    assert found == {name: replace(one, rating=close(one.rating)) for name, one in expected.items()}
    ratings = [(one.games == 0, -round(one.rating, 3)) for one in found.values()]
    assert ratings == sorted(ratings)


@each_engine("league")
def test_the_standings_follow_what_is_typed(name: str, engine: str, desk: Desk) -> None:
    book = CASES[name].after()
    assert isinstance(book, League)
    assert_standings(standings(desk.computed(engine, name)["Standings"]), book)


REASONS = {6, 7, 8}  # the rows of Check that say why a game is not rated, which row 5 has counted


@each_engine("league")
def test_the_check_turns_red_for_what_wants_a_look(name: str, engine: str, desk: Desk) -> None:
    values = desk.computed(engine, name)
    check = values["Check"]
    red = CASES[name].red
    assert tuple(row for row in range(5, 18) if check[row, 4] != "good") == red
    count = len(set(red) - REASONS)
    verdict = f"{count} to look at: see the sheet Check" if red else "All checks are green"
    assert check[2, 1] == verdict
    assert verdict in values["Start"].values()


@each_engine("journal")
def test_the_journal_follows_what_is_typed(name: str, engine: str, desk: Desk) -> None:
    book = CASES[name].after()
    values = desk.computed(engine, name)
    after = journal_ratings(book.games, book.rule)
    found = [values["Log"].get((row, 15)) or None for row in range(FIRST_DATA_ROW, FIRST_DATA_ROW + len(after))]
    assert found == [None if rating is None else close(rating) for rating in after]
    rated = [rating for rating in after if rating is not None]
    assert [values["Dashboard"][place] for place in ((6, 2), (8, 2), (6, 5))] == [
        close(rated[-1]),
        close(max(rated)),
        len(rated),
    ]


# --- the validation understands -----------------------------------------------------------------------------


def codes(verdict: Verdict) -> tuple[str, ...]:
    return tuple(finding.code for finding in verdict.findings)


@every_case
def test_a_typed_book_without_stored_results_is_understood(name: str, desk: Desk, tmp_path: Path) -> None:
    case = CASES[name]
    verdict = validate(without_results(desk.path(name), tmp_path / "typed.xlsx"))
    assert sorted(codes(verdict)) == sorted((*case.codes, "ES302"))
    assert (verdict.status, verdict.games.never_rated) == (case.status, case.never_rated)


@pytest.mark.libreoffice
@pytest.mark.parametrize("name", IN_LIBREOFFICE)
def test_a_typed_book_that_libreoffice_saved_is_understood(name: str, desk: Desk) -> None:
    case = CASES[name]
    verdict = validate(desk.saved_by_libreoffice(name))
    assert (codes(verdict), verdict.status) == (case.codes, case.status)
    assert verdict.games.never_rated == case.never_rated
    assert verdict.games.listed == sum(any(row[1:]) for row in case.after().games)


@pytest.mark.parametrize("name", ["league: a corrected result", "journal: a corrected result"])
def test_results_from_before_the_typing_are_stale_and_nothing_else(name: str, desk: Desk) -> None:
    verdict = validate(desk.path(name))
    assert (verdict.status, set(codes(verdict))) == ("differs", {"ES301"})


@pytest.mark.parametrize(
    ("kind", "sheet", "game"),
    [
        ("league", "Games", dict(zip("BCDE", NEW_GAME, strict=True))),
        ("journal", "Log", {"B": serial("2024-08-01"), "C": "Late", "D": 1500.0, "E": "White", "F": "Win"}),
    ],
)
def test_a_game_below_the_table_is_an_error(kind: str, sheet: str, game: dict[str, Typed], tmp_path: Path) -> None:
    book = written(LEAGUE if kind == "league" else JOURNAL, tmp_path / "book.xlsx")
    typed = {f"{column}{LAST_ROW + 1}": value for column, value in game.items()}
    verdict = validate(type_into(book, tmp_path / "typed.xlsx", {sheet: typed}))
    assert (verdict.status, codes(verdict)) == ("differs", ("ES401",))
    assert verdict.findings[0].range == f"{sheet}!A{LAST_ROW + 1}"
    assert verdict.games.never_rated == 1


# --- LibreOffice as its owner uses it -----------------------------------------------------------------------


@pytest.mark.libreoffice
def test_a_row_inserted_in_libreoffice_moves_every_later_rating(tmp_path: Path) -> None:
    require_office()
    source, target, row = written(LEAGUE, tmp_path / "league.xlsx"), tmp_path / "saved.xlsx", FIRST_DATA_ROW + 7
    book = copy.deepcopy(LEAGUE)
    late: Row = [book.games[6][0], "Player 8", "Player 4", "1/2-1/2"]
    book.games.insert(7, late)
    typed = [["type", "Games", f"{letter}{row}", value] for letter, value in zip("BCDE", late, strict=True)]
    at_work([Job(source, [([["insert", "Games", row], *typed], target)])], tmp_path)
    stored = {place: cell.value for place, cell in read_book(target).sheets["Standings"].items()}
    assert_standings(standings(stored), book)
    # LibreOffice leaves the new row of Games without its formulas; nothing else is to be said.
    verdict = validate(target)
    assert set(codes(verdict)) == {"ES202"}
    assert {finding.range.split("!")[0] for finding in verdict.findings} == {"Games"}
    assert verdict.games.rated == 25


# What an owner puts between the book's own columns and rows, and the cells that it moves.
SHEET = [["insert column", "Standings", 3], ["type", "Standings", "D2", 7]]
TABLE = [["insert cells", "Standings", f"C{FIRST_DATA_ROW - 1}:C{FIRST_DATA_ROW + 40}"], ["type", "Standings", "C2", 7]]
NOTES = [
    ["insert column", "Games", 5],
    ["insert column", "Games", 4],
    ["type", "Games", f"D{FIRST_DATA_ROW - 1}", "Where"],
    ["type", "Games", f"D{FIRST_DATA_ROW}", "at home"],
    ["insert", "Games", 3],
    ["insert", "Games", 1],
    ["type", "Games", "B1", "Our club"],
    ["insert column", "Players", 1],
    ["insert", "Players", 2],
]


@pytest.mark.libreoffice
def test_columns_and_rows_of_the_owners_own_are_understood(tmp_path: Path) -> None:
    """A book with notes between its columns agrees, and what is wrong in it is named by its place of today."""
    require_office()
    source = written(LEAGUE, tmp_path / "league.xlsx")
    table = next(
        t for s in plan_book(blank_book("league", system("elo"), {})).sheets for t in s.tables if t.name == "Games"
    )
    after = column_letters([column.label for column in table.columns].index("White after") + 1 + 2)
    wrong = ["type", "Games", f"{after}{FIRST_DATA_ROW + 2 + 3}", 1234.5]
    books = {name: tmp_path / f"{name}.xlsx" for name in ("sheet", "table", "notes", "wrong")}
    jobs = [Job(source, [(SHEET, books["sheet"])]), Job(source, [(TABLE, books["table"])])]
    jobs += [Job(source, [(NOTES, books["notes"]), ([wrong], books["wrong"])])]
    at_work(jobs, tmp_path)
    for name in ("sheet", "table", "notes"):
        verdict = validate(books[name])
        assert (verdict.status, codes(verdict), verdict.games.rated) == ("agrees", (), 24), name
    verdict = validate(books["wrong"])
    (finding,) = verdict.findings
    assert (finding.code, finding.range) == ("ES201", f"Games!{after}{FIRST_DATA_ROW + 5}")
    assert finding.found == 1234.5
    assert verdict.worst is not None
    assert verdict.worst.cell == finding.range
