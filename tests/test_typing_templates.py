"""Every template typed into through LibreOffice's own interface: its formulas, charts, validation and Check follow."""

from __future__ import annotations

import copy
import dataclasses
import math
import re
import xml.etree.ElementTree as ET
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from office import Act, Job, at_work, require_office
from workbook_cases import (
    SCORES,
    League,
    Rule,
    Typed,
    journal_ratings,
    league_standings,
    made_journal,
    made_league,
    once,
    serial,
    shared_folder,
    sheet_parts,
)

from elo_sheets.conformance.published import answers
from elo_sheets.files.cells import Book as Found
from elo_sheets.files.cells import CellError, Value
from elo_sheets.files.package import read_book
from elo_sheets.files.references import column_letters, column_number, parse_cell_name
from elo_sheets.systems import system
from elo_sheets.validate import validate
from elo_sheets.workbook.book import MANIFEST, Book, Inputs
from elo_sheets.workbook.build import blank_book, plan_book
from elo_sheets.workbook.front import ALL_CLEAR
from elo_sheets.workbook.plan import Plan, TablePlan
from elo_sheets.workbook.write import write_book

ROWS, PEOPLE = 30, 12
Row = dict[str, Typed]
Rows = list[Row]
Columns = Mapping[str, Sequence[Typed]]


# --- the owner ----------------------------------------------------------------------------------------------


class Owner:
    """Somebody at a book: what stands in its yellow columns, and the acts that change it."""

    def __init__(self, book: Book, log: str, people: str) -> None:
        self.plan = plan_book(book)
        self.log, self.people = log, people
        self.key = next(iter(book.inputs.tables[people])) if people else ""
        self.labels = {name: list(table) for name, table in book.inputs.tables.items()}
        self.rows = {name: filled_rows(table) for name, table in book.inputs.tables.items()}

    def table(self, name: str) -> tuple[str, TablePlan]:
        return next((sheet.name, one) for sheet in self.plan.sheets for one in sheet.tables if one.name == name)

    def letters(self, name: str) -> dict[str, str]:
        _, table = self.table(name)
        return {column.label: column_letters(table.first_column + i) for i, column in enumerate(table.columns)}

    def type(self, name: str, at: int, **values: Typed) -> list[Act]:
        """Type into a row of a table, counted from 0; a word of a keyword may be spelled with an underscore."""
        sheet, table = self.table(name)
        letters = self.letters(name)
        rows = self.rows[name]
        rows += [dict.fromkeys(self.labels[name]) for _ in range(at + 1 - len(rows))]
        spelt = {label.replace("_", " "): value for label, value in values.items()}
        rows[at].update(spelt)
        first = table.first_data_row
        return [["type", sheet, f"{letters[label]}{first + at}", value] for label, value in spelt.items()]

    def name(self, name: str, value: Typed) -> list[Act]:
        """Type into a named cell."""
        sheet, _, cell = self.plan.names[name].replace("$", "").rpartition("!")
        return [["type", sheet.strip("'"), cell, value]]

    def new(self, **values: Typed) -> list[Act]:
        return self.type(self.log, len(self.rows[self.log]), **values)

    def insert(self, at: int, **values: Typed) -> list[Act]:
        sheet, table = self.table(self.log)
        self.rows[self.log].insert(at, dict.fromkeys(self.labels[self.log]))
        return [["insert", sheet, table.first_data_row + at], *self.type(self.log, at, **values)]

    def fill_down(self, at: int) -> list[Act]:
        """Copy the formulas of the row above into a row."""
        sheet, table = self.table(self.log)
        letters, row = self.letters(self.log), table.first_data_row + at
        computed = [letters[column.label] for column in table.columns if not column.is_input]
        return [["fill down", sheet, f"{letter}{row - 1}:{letter}{row}"] for letter in computed]

    def delete(self, name: str, at: int) -> list[Act]:
        sheet, table = self.table(name)
        del self.rows[name][at]
        return [["delete", sheet, table.first_data_row + at]]

    def rename(self, old: str, new: str) -> list[Act]:
        (at,) = [i for i, row in enumerate(self.rows[self.people]) if row[self.key] == old]
        acts = self.type(self.people, at, **{self.key: new})
        for row in self.rows[self.log]:
            row.update({label: new for label, value in row.items() if value == old})
        return [*acts, ["replace", self.table(self.log)[0], self.typed_cells(self.log), old, new]]

    def typed_cells(self, name: str) -> str:
        """The yellow cells of a table, which lie beside each other."""
        _, table = self.table(name)
        letters = [self.letters(name)[column.label] for column in table.columns if column.is_input]
        assert column_number(letters[-1]) - column_number(letters[0]) == len(letters) - 1
        return f"{letters[0]}{table.first_data_row}:{letters[-1]}{table.first_data_row + len(self.rows[name]) - 1}"

    def sort(self, label: str, ascending: bool = True) -> list[Act]:
        """Sort the yellow cells of the games by one of their columns."""
        sheet, table = self.table(self.log)
        typed = [column.label for column in table.columns if column.is_input]
        self.rows[self.log].sort(key=lambda row: row[label], reverse=not ascending)  # type: ignore[arg-type,return-value]
        return [["sort", sheet, self.typed_cells(self.log), typed.index(label), ascending]]


def filled_rows(table: Mapping[str, Sequence[Typed]]) -> Rows:
    """The rows of a table up to the last that holds something."""
    rows = [dict(zip(table, values, strict=True)) for values in zip(*table.values(), strict=True)]
    while rows and not any(value is not None for value in rows[-1].values()):
        rows.pop()
    return rows


# --- what a saved book shows --------------------------------------------------------------------------------


@dataclasses.dataclass
class Shown:
    """A book as LibreOffice saved it."""

    book: Found

    def column(self, name: str, label: str) -> list[Value]:
        table = self.book.tables[name]
        at = table.column(label)
        assert at is not None, (name, label)
        cells = self.book.sheets[table.sheet]
        found = [cells.get((row, at)) for row in range(table.first_data_row, table.last_data_row + 1)]
        return ["" if cell is None or cell.value is None else cell.value for cell in found]

    def rows(self, name: str, key: str, *labels: str) -> dict[Value, tuple[Value, ...]]:
        """The rows of a table by what stands in a column, without the rows in which nothing stands there."""
        values = zip(*(self.column(name, label) for label in (key, *labels)), strict=True)
        return {row[0]: row[1:] for row in values if row[0] != ""}

    def typed(self, name: str, labels: Sequence[str]) -> Rows:
        return filled_rows({label: [v if v != "" else None for v in self.column(name, label)] for label in labels})

    def named(self, plan: Plan, name: str) -> Value:
        """The cell to which the plan gives a name."""
        sheet, _, cell = plan.names[name].replace("$", "").rpartition("!")
        return self.cell(sheet.strip("'"), cell)

    def cell(self, sheet: str, name: str) -> Value:
        found = self.book.sheets[sheet].get(parse_cell_name(name))
        return "" if found is None or found.value is None else found.value


def near(number: float | None) -> Any:
    return pytest.approx(number, rel=0, abs=1e-9)


# --- the stories --------------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Step:
    """What the owner does, the findings of the validation afterwards, and how many lines of Check want a look."""

    name: str
    acts: Callable[[Owner], Sequence[list[Act]]]
    codes: frozenset[str] = frozenset()
    look: int | None = 0  # None: a row without formulas is counted by some lines of Check


@dataclasses.dataclass(frozen=True)
class Story:
    """A book, what is done to it step by step, and how its numbers are counted by hand."""

    book: Callable[[], Book]
    log: str
    people: str
    steps: tuple[Step, ...]
    judge: Callable[[Shown, Owner, str], None]


def filled(template: str, games: Columns, people: Columns) -> Book:
    """A book of a few rows in which these games and people stand."""
    book = blank_book(template, system("elo"), {}, ROWS)
    tables: dict[str, dict[str, Any]] = {name: dict(table) for name, table in book.inputs.tables.items()}
    for name, given, count in ((LOG[template], games, ROWS), (PEOPLE_TABLE[template], people, PEOPLE)):
        if name:
            columns = {label: list(given.get(label, ())) for label in tables[name]}
            tables[name] = {label: [*values, *[None] * (count - len(values))] for label, values in columns.items()}
    return dataclasses.replace(book, inputs=Inputs(tables, book.inputs.cells, book.inputs.sizes))


LOG = {"journal": "Log", "season": "Fixtures"} | dict.fromkeys(("league", "ratings-list", "compare", "event"), "Games")
PEOPLE_TABLE = {"journal": "", "season": "Teams"} | dict.fromkeys(
    ("league", "ratings-list", "compare", "event"), "Players"
)
LEAGUE = made_league(8, 24)
# Somebody who never plays stands among the players.
ENTERED = [*LEAGUE.players[:3], ("Nobody", 1400.0), *LEAGUE.players[3:]]
GOALS = {"1-0": (2.0, 1.0), "1/2-1/2": (1.0, 1.0), "0-1": (0.0, 3.0)}


def pool_book(template: str) -> Callable[[], Book]:
    def make() -> Book:
        days, white, black, results = zip(*LEAGUE.games, strict=True)
        people: Columns = {"Player": [name for name, _ in ENTERED], "Start rating": [start for _, start in ENTERED]}
        return filled(template, {"Date": days, "White": white, "Black": black, "Result": results}, people)

    return make


def season_book() -> Book:
    """The same games with goals, the last four still to be played."""
    days, home, away, results = zip(*LEAGUE.games, strict=True)
    goals = [GOALS[str(result)] for result in results[:20]]
    games: Columns = {
        "Date": days,
        "Home": home,
        "Away": away,
        "Home goals": [own for own, _ in goals],
        "Away goals": [other for _, other in goals],
    }
    people: Columns = {"Team": [name for name, _ in ENTERED], "Start rating": [start for _, start in ENTERED]}
    return filled("season", games, people)


def journal_book() -> Book:
    days, names, ratings, colours, results = zip(*made_journal(22), strict=True)
    given = {"Date": days, "Opponent": names, "Opponent rating": ratings, "Colour": colours, "Result": results}
    return filled("journal", given, {})


def league_now(owner: Owner, results: Callable[[Row], Typed] = lambda row: row["Result"]) -> League:
    """The games and people that stand in the book, for the replay by hand."""
    white, black = ("Home", "Away") if owner.log == "Fixtures" else ("White", "Black")
    people = [(str(row[owner.key]), row["Start rating"]) for row in owner.rows[owner.people]]
    games = [[row["Date"], row[white], row[black], results(row)] for row in owner.rows[owner.log]]
    return League(people, games, Rule())  # type: ignore[arg-type]


def judge_league(shown: Shown, owner: Owner, _: str) -> None:
    by_hand = league_standings(league_now(owner))
    found = shown.rows("Standings", "Player", "Rating", "Games", "Wins", "Draws", "Losses")
    assert found == {n: (near(o.rating), o.games, o.wins, o.draws, o.losses) for n, o in by_hand.items()}
    ratings = [float(str(row[0])) for row in found.values()]
    assert ratings == sorted(ratings, reverse=True)


def judge_journal(shown: Shown, owner: Owner, _: str) -> None:
    labels = ("Date", "Opponent", "Opponent rating", "Colour", "Result")
    rows: list[list[Typed]] = [[row[label] for label in labels] for row in owner.rows["Log"]]
    after = journal_ratings(rows, Rule())
    assert shown.column("Ledger", "Rating after")[: len(after)] == ["" if r is None else near(r) for r in after]
    assert shown.cell("Dashboard", "B6") == near(after[-1])


def lists_by_month(league: League) -> dict[str, dict[str, float]]:
    """Every player's rating after each month: the sum of K times score less expectation over the list before."""
    now = {name: 1500.0 if start is None else start for name, start in league.players}
    lists: dict[str, dict[str, float]] = {}
    months = [f"{date(1899, 12, 30) + timedelta(days=float(row[0] or 0)):%Y-%m}" for row in league.games]
    for month in sorted(set(months)):
        change = dict.fromkeys(now, 0.0)
        for (_, white, black, result), one in zip(league.games, months, strict=True):
            if one == month:
                expected = 1 / (1 + 10 ** ((now[str(black)] - now[str(white)]) / 400))
                points = 20 * (SCORES[str(result)] - expected)
                change[str(white)] += points
                change[str(black)] -= points
        now = {name: rating + change[name] for name, rating in now.items()}
        lists[month] = now
    return lists


def judge_lists(shown: Shown, owner: Owner, step: str) -> None:
    if step == BACKWARDS:
        return  # most games stand behind a list that is closed, and count in none
    lists = lists_by_month(league_now(owner))
    names = [name for name in shown.column("Periods", "List") if name != ""]
    assert names == sorted(lists, reverse=True)
    for name, label in zip(names, ("Latest", "1 before", "2 before"), strict=False):
        found = {player: row[0] for player, row in shown.rows("Progress", "Player", label).items() if row[0] != ""}
        wanted = lists[str(name)]
        assert found == {player: near(wanted[str(player)]) for player in found}, name
        assert {player for player, rating in wanted.items() if rating != wanted_start(owner, player)} <= set(found)
    ranked = shown.rows("List", "Player", "Rating")
    assert {player: row[0] for player, row in ranked.items()} == {
        player: near(lists[str(names[0])][str(player)]) for player in ranked
    }


def wanted_start(owner: Owner, player: str) -> float:
    return next(1500.0 if s is None else float(s) for n, s in league_now(owner).players if n == player)


def goals_result(row: Row) -> Typed:
    home, away = row["Home goals"], row["Away goals"]
    if not isinstance(home, float) or not isinstance(away, float):
        return row["Result"]
    return "1-0" if home > away else "0-1" if home < away else "1/2-1/2"


def judge_season(shown: Shown, owner: Owner, _: str) -> None:
    league = league_now(owner, goals_result)
    by_hand = league_standings(league)
    found = shown.rows("LeagueTable", "Team", "Rating", "P", "W", "D", "L", "Points")
    assert found == {
        n: (near(o.rating), o.games, o.wins, o.draws, o.losses, 3 * o.wins + o.draws) for n, o in by_hand.items()
    }
    forecast = shown.rows("Forecast", "Home", "Away", "Expected")
    ratings = {name: one.rating for name, one in by_hand.items()}
    days = sorted((row for row in league.games if row[3] is None), key=lambda row: float(row[0] or 0))
    to_play = [(row[1], row[2]) for row in days]
    assert [(home, row[0]) for home, row in forecast.items()] == to_play
    for home, (away, expected) in forecast.items():
        assert expected == near(1 / (1 + 10 ** ((ratings[str(away)] - ratings[str(home)]) / 400)))


def judge_compare(shown: Shown, owner: Owner, step: str) -> None:
    if step == BACKWARDS:
        return  # FIDE rates by months and leaves out most games, which then count for no system
    league = league_now(owner)
    by_hand = league_standings(league)
    found = shown.rows("Compare", "Player", "elo")
    assert found == {name: (near(one.rating),) for name, one in by_hand.items() if one.games}
    ratings = {name: 1500.0 if start is None else start for name, start in league.players}
    losses = []
    games: Counter[str] = Counter()
    assert shown.cell("Scores", "C4") == 5  # games that both must have played before
    for _, white, black, result in league.games:
        score = SCORES[str(result)]
        expected = 1 / (1 + 10 ** ((ratings[str(black)] - ratings[str(white)]) / 400))
        if min(games[str(white)], games[str(black)]) >= 5:
            losses.append(-(score * math.log(expected) + (1 - score) * math.log(1 - expected)))
        games.update((str(white), str(black)))
        ratings[str(white)] += 20 * (score - expected)
        ratings[str(black)] -= 20 * (score - expected)
    assert shown.cell("Scores", "A7") == "elo"
    assert shown.cell("Scores", "C7") == len(losses)
    assert shown.cell("Scores", "F7") == near(sum(losses) / len(losses))


# A row that is inserted has no formulas until its owner fills them in from the row above.
NO_FORMULAS = frozenset({"ES202"})
NEXT, LATE, FEWER, BACKWARDS = "the next row", "a late game", "rows deleted, a name changed", "sorted backwards"
LATE_ROW = 7


def stopped(o: Owner, at: int = 4) -> list[list[Act]]:
    """The formulas of the late game filled in, an old game deleted, somebody who never played deleted, one renamed."""
    idle = next(i for i, row in enumerate(o.rows[o.people]) if row[o.key] == "Nobody")
    return [o.fill_down(LATE_ROW), o.delete(o.log, at), o.delete(o.people, idle), o.rename("Player 2", "Zoë Ünal")]


def game_steps(
    new: Row, corrected: Row, late: Row, more: Callable[[Owner], list[Act]] = lambda o: [], *, look: int = 1
) -> tuple[Step, ...]:
    """What every log of games goes through."""

    def day(o: Owner) -> Typed:
        return o.rows[o.log][LATE_ROW - 1]["Date"]

    return (
        Step(NEXT, lambda o: [o.new(**new), o.type(o.log, 2, **corrected), more(o)]),
        Step(LATE, lambda o: [o.insert(LATE_ROW, Date=day(o), **late)], NO_FORMULAS, None),
        Step(FEWER, lambda o: stopped(o) if o.people else [o.fill_down(LATE_ROW), o.delete(o.log, 4)]),
        Step(BACKWARDS, lambda o: [o.sort("Date", ascending=False)], frozenset({"ES405"}), look),
        Step("sorted by day", lambda o: [o.sort("Date")]),
    )


POOL_ROWS: tuple[Row, Row, Row] = (
    {"Date": serial("2024-02-01"), "White": "Player 2", "Black": "Player 5", "Result": "0-1"},
    {"Result": "1/2-1/2"},
    {"White": "Player 8", "Black": "Player 4", "Result": "1/2-1/2"},
)
POOL_STEPS = game_steps(*POOL_ROWS)
# Of the systems of a comparison some rate by months, where a game that comes too early is not rated.
COMPARE_STEPS = game_steps(*POOL_ROWS, look=2)
# The goals of the first fixture, and a new game.
SEASON_STEPS = game_steps(
    {"Date": serial("2024-02-01"), "Home": "Player 2", "Away": "Player 5", "Home goals": 0.0, "Away goals": 2.0},
    {"Home goals": 2.0, "Away goals": 2.0},
    {"Home": "Player 8", "Away": "Player 4", "Home goals": 1.0, "Away goals": 1.0},
    lambda o: o.type(o.log, 20, Home_goals=4.0, Away_goals=0.0),
)
JOURNAL_STEPS = game_steps(
    {
        "Date": serial("2024-08-01"),
        "Opponent": "Newcomer",
        "Opponent rating": 1850.0,
        "Colour": "White",
        "Result": "Win",
    },
    {"Result": "Draw"},
    {"Opponent": "Late", "Opponent rating": 1500.5, "Colour": "Black", "Result": "Draw"},
)

# --- tournaments: what federations published is typed into an empty report


def event_book(federation: str) -> Callable[[], Book]:
    def make() -> Book:
        book = blank_book("event", system(federation), {}, ROWS)
        people = {label: [None] * PEOPLE for label in book.inputs.tables["Players"]}
        tables = {**book.inputs.tables, "Players": people}
        sizes = {**book.inputs.sizes, "Ratings": PEOPLE}
        return dataclasses.replace(book, inputs=Inputs(tables, book.inputs.cells, sizes))

    return make


def typed_event(o: Owner, own: Row, opponents: Sequence[float], scores: Sequence[float], day: str) -> list[list[Act]]:
    """Type a player's event: the opponents as Player 2 and so on, met with White."""
    results = {1: "1-0", 0.5: "1/2-1/2", 0: "0-1"}
    acts: list[list[Act]] = [[["type", "Event", "B6", serial(day)]], o.type("Players", 0, Name="Player 1", **own)]
    for i, (rating, score) in enumerate(zip(opponents, scores, strict=True), 2):
        acts.append(o.type("Players", i - 1, Name=f"Player {i}", Rating=float(rating)))
        acts.append(o.new(Round=float(i - 1), White="Player 1", Black=f"Player {i}", Result=results[score]))
        acts.append(o.type("Paste", i - 2, Opponent=float(rating), Result=float(score)))
    acts.append([["type", "Paste", "O5", own["Rating"]]])
    return acts


def even_game(o: Owner) -> list[list[Act]]:
    """An equal opponent is typed in, and a draw inserted: the rule expects half a point, so that nothing changes."""
    even = o.type("Players", len(o.rows["Players"]), Name="Nobody", Rating=o.rows["Players"][0]["Rating"])
    return [even, o.insert(2, Round=6.0, White="Player 1", Black="Nobody", Result="1/2-1/2")]


def judge_fide(shown: Shown, owner: Owner, step: str) -> None:
    """FIDE's own example of a period: 2053, K 20, sum of changes -0.01; the second loss becomes a win: 0.99."""
    name = str(owner.rows["Players"][0]["Name"])
    total = -0.01 if step == "typed" else 0.99
    found = shown.rows("Ratings", "Name", "n", "Sum ΔR", "K × ΔR", "Change", "New rating")[name]
    games = 6 if step == LATE else 5
    change = {-0.01: 0, 0.99: 20}[total]
    assert found == (games, near(total), near(20 * total), change, 2053 + change)
    assert shown.rows("Players", "Name", "New rating", "Status")[name] == (2053 + change, "rated")
    assert shown.rows("Standings", "Name", "Points")[name] == (
        {-0.01: 3, 0.99: 4}[total] + (0.5 if step == LATE else 0),
    )


FIDE_STEPS = (
    Step(
        "typed",
        lambda o: typed_event(
            o, {"Rating": 2053.0, "K": 20.0}, [1675, 2310, 1653, 1884, 2218], [1, 0, 1, 1, 0], "2025-12-01"
        ),
    ),
    Step("a corrected result", lambda o: [o.type("Games", 1, Result="1-0")]),
    Step(LATE, even_game, NO_FORMULAS, None),
    Step(
        FEWER,
        lambda o: [
            o.delete("Games", 2),
            o.delete("Players", len(o.rows["Players"]) - 1),
            o.rename("Player 1", "Zoë Ünal"),
        ],
    ),
    Step("sorted by round", lambda o: [o.sort("Round", ascending=False)]),
)


def judge_dwz(shown: Shown, owner: Owner, step: str) -> None:
    """The published evaluation; with a draw against an equal, 2085 + 800 / (24 + 10) * (7 - 5.337) = 2124.1."""
    answer = answers()["dwz-official-0"]["expected"]
    we, new = (5.337, 2124) if step == LATE else (answer["We"], answer["new"])
    assert shown.rows("Ratings", "Name", "We", "New rating")["Player 1"] == (near(we), new)


def dwz_event(o: Owner) -> list[list[Act]]:
    given = answers()["dwz-official-0"]["inputs"]
    own: Row = {"Rating": float(given["rating"]), "E": float(given["E"])}
    return typed_event(o, own, given["opponents"], given["scores"], "2025-12-01")


def uschess_event(o: Owner) -> list[list[Act]]:
    acts: list[list[Act]] = [[["type", "Event", "B6", serial("2026-08-30")]]]
    listed = answers()["us-section-novice-R"]["inputs"]["players"]
    for i, player in enumerate(listed):
        games = float(player["games_before"] or 60)
        acts.append(o.type("Players", i, Name=f"Player {i + 1}", Rating=player["pre"], Games=games))
        for number, code in enumerate(player["rounds"].split(), 1):
            if code[0] == "W":
                pair = {"White": f"Player {i + 1}", "Black": f"Player {code[1:]}", "Result": "1-0"}
                acts.append(o.new(Round=float(number), **pair))
            elif code in {"BH", "BF"}:
                bye = "1/2 bye" if code == "BH" else "1 bye"
                acts.append(o.new(Round=float(number), White=f"Player {i + 1}", Result=bye))
    return acts


def judge_uschess(shown: Shown, owner: Owner, step: str) -> None:
    found = shown.rows("Ratings", "Name", "Rating after")
    names = [row["Name"] for row in owner.rows["Players"]]
    published = answers()["us-section-novice-R"]["expected"]
    assert [found[str(name)][0] for name in names] == pytest.approx(published, abs=0.0151)


def renamed_and_sorted(o: Owner) -> list[list[Act]]:
    return [o.rename("Player 2", "Zoë Ünal"), o.sort("White", ascending=False)]


# --- calculators: other numbers typed in, and something that is none


def judge_calculator(shown: Shown, owner: Owner, step: str) -> None:
    named = partial(shown.named, owner.plan)
    if step == "nonsense":
        assert named("Game_status") == "Type the rating of A"
        assert {named(f"Game_A_{result}") for result in ("win", "draw", "loss")} == {""}
        return
    answer = answers()["elo-1500-1650-k20"]["expected"]
    assert named("Game_expected_A") == pytest.approx(answer["E_a"], abs=0.0005)
    for result in ("win", "draw", "loss"):
        assert named(f"Game_A_{result}") == pytest.approx(answer[result], abs=0.05)
        assert named(f"Game_A_after_{result}") == near(1500 + float(str(named(f"Game_A_{result}"))))
    # FIDE's period of 2053 with its second loss a win, as in the report of the tournament.
    assert (named("Event_delta"), named("Event_change"), named("Event_new")) == (near(0.99), near(19.8), 2073)


def judge_match(shown: Shown, owner: Owner, step: str) -> None:
    named = partial(shown.named, owner.plan)
    if step == "nonsense":
        assert named("Duel_status") == "Type both ratings, or an expected score"
        assert {named(f"Duel_{part}") for part in ("win", "draw", "loss")} == {""}
        return
    p, expected = 0.7, 1 / (1 + 10 ** (-100 / 400))
    assert named("Best_win") == near(p**2 + 2 * p**2 * (1 - p))  # two games of three
    assert named("Duel_expected") == near(expected)
    assert [named(f"Duel_{part}") for part in ("win", "draw", "loss")] == [
        near(share) for share in (expected - 0.15, 0.3, 1 - expected - 0.15)
    ]


CALCULATOR_STEPS = (
    Step(
        "other numbers",
        lambda o: [
            o.name("Game_rating_A", 1500.0),
            o.name("Game_rating_B", 1650.0),
            o.name("Game_K_A", 20.0),
            o.type("Event", 1, Result="Win"),
        ],
    ),
    Step("nonsense", lambda o: [o.name("Game_rating_A", "a lot")], frozenset({"ES408"}), 1),
)
MATCH_STEPS = (
    Step(
        "other numbers",
        lambda o: [
            o.name("Duel_rating_A", 1600.0),
            o.name("Duel_rating_B", 1500.0),
            o.name("Duel_typed", None),
            o.name("Duel_curve", "logistic"),
            o.name("Duel_draws", "share"),
            o.name("Duel_share", 0.3),
            o.name("Match_typed", 0.7),
            o.name("Best_n", 3.0),
            o.name("Best_A", None),
            o.name("Best_B", None),
        ],
    ),
    Step("nonsense", lambda o: [o.name("Duel_rating_A", "strong")], frozenset({"ES408"}), 1),
)

STORIES = {
    "journal": Story(journal_book, "Log", "", JOURNAL_STEPS, judge_journal),
    "league": Story(pool_book("league"), "Games", "Players", POOL_STEPS, judge_league),
    "ratings-list": Story(pool_book("ratings-list"), "Games", "Players", POOL_STEPS, judge_lists),
    "compare": Story(pool_book("compare"), "Games", "Players", COMPARE_STEPS, judge_compare),
    "season": Story(season_book, "Fixtures", "Teams", SEASON_STEPS, judge_season),
    "event fide": Story(event_book("fide"), "Games", "Players", FIDE_STEPS, judge_fide),
    "event dwz": Story(
        event_book("dwz"),
        "Games",
        "Players",
        (Step("typed", dwz_event), Step(LATE, even_game, NO_FORMULAS, None)),
        judge_dwz,
    ),
    "event uschess": Story(
        event_book("uschess"),
        "Games",
        "Players",
        (Step("typed", uschess_event), Step("renamed and sorted", renamed_and_sorted)),
        judge_uschess,
    ),
    "calculator": Story(
        lambda: blank_book("calculator", system("elo"), {}), "Event", "", CALCULATOR_STEPS, judge_calculator
    ),
    "match": Story(lambda: blank_book("match", system("elo"), {}), "", "", MATCH_STEPS, judge_match),
}


# --- at work ------------------------------------------------------------------------------------------------

Done = tuple[Path, Owner]


class AtStep(NamedTuple):
    """A book as LibreOffice saved it after a step, and what should stand in it."""

    story: str
    step: Step
    path: Path
    owner: Owner
    book: Found


def work(folder: Path, names: Sequence[str] = tuple(STORIES)) -> dict[tuple[str, str], Done]:
    """Do what the stories say; return each book after each step, and what should stand in it."""
    jobs, found = [], {}
    for name in names:
        story = STORIES[name]
        owner = Owner(story.book(), story.log, story.people)
        source = folder / f"{name}.xlsx"
        write_book(owner.plan, source)
        job = Job(source)
        for number, step in enumerate(story.steps):
            target = folder / f"{name}-{number}.xlsx"
            job.steps.append(([act for acts in step.acts(owner) for act in acts], target))
            found[name, step.name] = (target, copy.deepcopy(owner))
        jobs.append(job)
    at_work(jobs, folder)
    return found


@pytest.fixture(scope="session")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Mapping[tuple[str, str], Done]:
    """Every book after every step, as LibreOffice saved it; one start of the program for all."""
    require_office()
    shared = shared_folder(tmp_path_factory.getbasetemp(), "office")
    (shared / "books").mkdir(exist_ok=True)
    return once(shared, "saved", lambda: work(shared / "books"))  # type: ignore[no-any-return]


@pytest.fixture(
    scope="module",
    params=[(name, step) for name, story in STORIES.items() for step in story.steps],
    ids=lambda param: f"{param[0]}-{param[1].name}",
)
def done(request: pytest.FixtureRequest, saved: Mapping[tuple[str, str], Done]) -> AtStep:
    """A book after a step, read once for all tests of it."""
    story, step = request.param
    path, owner = saved[story, step.name]
    return AtStep(story, step, path, owner, read_book(path))


pytestmark = pytest.mark.libreoffice


def test_the_numbers_follow(done: AtStep) -> None:
    owner, shown = done.owner, Shown(done.book)
    for name in {owner.log, owner.people} - {""}:
        assert shown.typed(name, owner.labels[name]) == owner.rows[name]
    errors = [
        (sheet, place)
        for sheet, cells in shown.book.sheets.items()
        for place, cell in cells.items()
        if isinstance(cell.value, CellError)
    ]
    assert errors == []
    STORIES[done.story].judge(shown, owner, done.step.name)


def test_the_check_follows(done: AtStep) -> None:
    look = done.step.look
    if look is None:
        return
    verdict = f"{look} to look at: see the sheet Check" if look else ALL_CLEAR
    assert done.book.sheets["Check"][2, 1].value == verdict
    assert verdict in {cell.value for cell in done.book.sheets["Start"].values()}


def test_the_validation_agrees(done: AtStep) -> None:
    verdict = validate(done.path)
    assert {finding.code for finding in verdict.findings} == done.step.codes, verdict.findings


def test_charts_draw_what_the_cells_show(done: AtStep) -> None:
    """Every series still reads the cells that the template gives it, and what is stored of them is what they hold."""
    path, owner, book = done.path, done.owner, done.book
    planned = {
        plain(series.values.removeprefix("="))
        for sheet in owner.plan.sheets
        for chart in sheet.charts
        for series in chart.series
    }
    drawn = list(drawn_series(path))
    assert {values for values, _ in drawn} == planned
    for reference, numbers in drawn:
        sheet, _, cells = reference.replace("$", "").rpartition("!")
        first, _, last = cells.partition(":")
        (top, column), (bottom, _) = parse_cell_name(first), parse_cell_name(last or first)
        held = [book.sheets[sheet.strip("'")].get((row, column)) for row in range(top, bottom + 1)]
        shown = [cell.value if cell is not None and isinstance(cell.value, (int, float)) else None for cell in held]
        assert [numbers.get(i) for i in range(len(shown))] == [None if v is None else pytest.approx(v) for v in shown]


def plain(reference: str) -> str:
    return reference.replace("'", "")


CHART = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"


def drawn_series(path: Path) -> Iterator[tuple[str, dict[int, float]]]:
    """The values of every series of a book: where they stand, and the numbers that are stored with the chart."""
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            if re.fullmatch(r"xl/charts/chart\d+\.xml", name):
                for series in ET.fromstring(archive.read(name)).iter(f"{CHART}ser"):
                    values = series.find(f"{CHART}yVal")
                    values = series.find(f"{CHART}val") if values is None else values
                    assert values is not None
                    reference = values.findtext(f".//{CHART}f") or ""
                    points = {int(p.get("idx", "")): p.findtext(f"{CHART}v") for p in values.iter(f"{CHART}pt")}
                    yield plain(reference), {i: float(str(v)) for i, v in points.items() if number_like(v)}


def number_like(text: str | None) -> bool:
    try:
        return math.isfinite(float(text or "nan"))
    except ValueError:
        return False


def test_every_yellow_row_is_still_validated(done: AtStep) -> None:
    path, owner, book, parts = done.path, done.owner, done.book, sheet_parts(done.path)
    for sheet in owner.plan.sheets:
        for table in sheet.tables:
            found = book.tables[table.name]
            for at, column in enumerate(table.columns, table.first_column):
                if column.is_input and column.validation is not None:
                    rows = validated_rows(path, parts[sheet.name], at)
                    assert set(range(found.first_data_row, found.last_data_row + 1)) <= rows, (table.name, column.label)


def validated_rows(path: Path, part: str, column: int) -> set[int]:
    """The rows in which a column of a sheet says what may be typed."""
    rows: set[int] = set()
    with zipfile.ZipFile(path) as archive:
        for rule in ET.fromstring(archive.read(part)).iter(f"{{{SHEET}}}dataValidation"):
            for area in rule.get("sqref", "").split():
                first, _, last = area.partition(":")
                (top, left), (bottom, right) = parse_cell_name(first), parse_cell_name(last or first)
                if left <= column <= right:
                    rows |= set(range(top, bottom + 1))
    return rows


SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"


@pytest.mark.libreoffice
def test_columns_and_rows_put_into_every_sheet_are_understood(tmp_path: Path) -> None:
    """The owner makes room for notes of his own on every sheet of every template, hidden ones too."""
    require_office()
    jobs: dict[Path, Job] = {}
    for name in ("journal", "league", "ratings-list", "compare", "season", "event fide", "calculator", "match"):
        plan = plan_book(STORIES[name].book())
        source, target = tmp_path / f"{name}.xlsx", tmp_path / f"{name} with notes.xlsx"
        write_book(plan, source)
        places = [("insert", 1), ("insert", 4), ("insert column", 1), ("insert column", 3)]
        sheets = [sheet.name for sheet in plan.sheets if sheet.name != MANIFEST]
        acts = [[act, sheet, at] for sheet in sheets for act, at in places]
        # One more stands between the labels of the settings and the yellow cells, of which nothing but formulas knows.
        acts.append(["insert column", "Start", 5])
        jobs[target] = Job(source, [(acts, target)])
    at_work(list(jobs.values()), tmp_path, timeout=600)
    for target, job in jobs.items():
        found, before = validate(target), validate(job.source)
        assert (found.status, found.reason, found.games) == ("agrees", None, before.games), target.name
        assert [finding.code for finding in found.findings] == [finding.code for finding in before.findings]
