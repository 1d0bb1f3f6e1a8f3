"""A club's winter, typed into a book by its owner: 40 games of table tennis, one late, one corrected, one misspelt,
one new player, rows that run low, the end of the season. At each step the book says what to do next; the ratings are
those of an Elo reckoned here."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from office import Act, Job, at_work, require_office

from elo_sheets import import_logs
from elo_sheets.uses.updating import next_season, update
from elo_sheets.validate import validate
from elo_sheets.workbook import new_book

pytestmark = [pytest.mark.libreoffice, pytest.mark.slow]

FIRST, ROWS, PLAYERS = 5, 60, 12
K, INITIAL = 32, 1500.0
PEOPLE = [f"Player {i}" for i in range(1, 9)]
NEWCOMER = "Newcomer"
SCORES = ("3:0", "3:1", "3:2", "0:3", "1:3", "2:3")


@dataclass
class Game:
    """A row of Games."""

    day: date
    home: str
    away: str
    score: str


@dataclass
class Winter:
    """What stands in the yellow cells, and what Elo makes of it."""

    games: list[Game] = field(default_factory=list)

    def ratings(self) -> dict[str, float]:
        found: dict[str, float] = {}
        for game in self.games:
            one, other = found.get(game.home, INITIAL), found.get(game.away, INITIAL)
            won = float(game.score[0] > game.score[2])
            change = K * (won - 1 / (1 + 10 ** ((other - one) / 400)))
            found |= {game.home: one + change, game.away: other - change}
        return found


def typed(at: int, game: Game) -> list[Act]:
    row = FIRST + at
    serial = float((game.day - date(1899, 12, 30)).days)
    cells = zip("BCDE", (serial, game.home, game.away, game.score), strict=True)
    return [["type", "Games", f"{letter}{row}", value] for letter, value in cells]


def forty() -> list[Game]:
    chance, first = random.Random(40), date(2025, 10, 1)
    return [Game(first + timedelta(days=2 * at), *chance.sample(PEOPLE, 2), chance.choice(SCORES)) for at in range(40)]


class Front:
    """What the first page of a saved book says, and its other sheets."""

    def __init__(self, book: Path) -> None:
        self.book = openpyxl.load_workbook(book, data_only=True)
        start = self.book["Start"]
        self.said: dict[str, tuple[Any, Any]] = {
            str(row[1]): (row[2], row[3]) for row in start.iter_rows(max_col=4, values_only=True) if row[1]
        }
        self.steps = [
            str(row[1]) for row in start.iter_rows(max_col=4, values_only=True) if isinstance(row[0], int | float)
        ]

    def column(self, sheet: str, label: str) -> list[Any]:
        rows = self.book[sheet].iter_rows(min_row=FIRST - 1, values_only=True)
        at = next(rows).index(label)
        return [row[at] for row in rows]

    def ratings(self) -> dict[str, float]:
        found = zip(
            self.column("Players", "Player"),
            self.column("Players", "Rating"),
            self.column("Players", "Games"),
            strict=True,
        )
        return {name: rating for name, rating, games in found if name and games}

    def check(self) -> str:
        return str(self.said["Check"][0])


def agrees(front: Front, winter: Winter) -> bool:
    return front.ratings() == pytest.approx(winter.ratings(), abs=1e-9)


def test_a_winter_of_a_club(tmp_path: Path) -> None:
    require_office()
    book = tmp_path / "club.xlsx"
    new_book("league", str(book), profile="table-tennis", rows=ROWS, players=PLAYERS)
    games = forty()
    winter, misspelt = Winter(games[:30]), Game(games[30].day, "Plaeyr 3", games[30].away, games[30].score)
    new = Game(games[31].day, NEWCOMER, games[31].away, "3:2")
    late = Game(date(2025, 10, 2), games[5].home, games[5].away, "3:0")
    steps: list[tuple[list[Act], Path]] = []

    def step(name: str, acts: list[Act]) -> Path:
        steps.append((acts, target := tmp_path / f"{name}.xlsx"))
        return target

    people = [["type", "Players", f"B{FIRST + at}", name] for at, name in enumerate(PEOPLE)]
    thirty = step("thirty", people + [act for at, game in enumerate(games[:30]) for act in typed(at, game)])
    wrong = step("wrong", typed(30, misspelt))
    games[30] = Game(
        misspelt.day, "Player 3", misspelt.away if misspelt.away != "Player 3" else "Player 4", misspelt.score
    )
    right = step("right", typed(30, games[30]))
    half = step("half", typed(31, games[31])[:2])
    unknown = step("unknown", typed(31, new))
    games[31] = new
    known = step("known", [["type", "Players", f"B{FIRST + len(PEOPLE)}", NEWCOMER]])
    tardy = step("late", [act for at, game in enumerate([*games[32:39], late], 32) for act in typed(at, game)])
    block = f"B{FIRST}:F{FIRST + 39}"
    ordered = step("sorted", [["sort", "Games", block, 0, True]])
    full = sorted([*games[:39], late], key=lambda game: game.day)
    full[3] = replace(full[3], score="0:3" if full[3].score != "0:3" else "3:0")
    corrected = step("corrected", typed(3, full[3]))
    at_work([Job(book, steps)], tmp_path, timeout=420)

    said = Front(thirty)
    best = max(winter.ratings(), key=winter.ratings().__getitem__)
    assert agrees(said, winter)
    assert said.said["In the lead"][0] == best
    assert said.said["Games so far"][0] == 30
    assert said.said["Rows left"] == (ROWS - 30, "free rows for further games")
    assert said.check() == "All checks are green"

    said = Front(wrong)
    status = str(said.column("Games", "Status")[30])
    assert status == "not on Players: did you mean Player 3?"
    assert said.check().endswith("to look at: see the sheet Check")

    winter.games = games[:31]
    said = Front(right)
    assert agrees(said, winter)
    assert said.check() == "All checks are green"

    assert Front(half).column("Games", "Status")[31] == "a name is missing"

    said = Front(unknown)
    assert "not on Players" in str(said.column("Games", "Status")[31])
    assert "Players" in said.steps[0]  # where names are entered
    winter.games = games[:32]
    said = Front(known)
    assert agrees(said, winter)
    assert said.said["Games so far"][0] == 32

    said = Front(tardy)
    assert said.check().endswith("to look at: see the sheet Check")
    assert said.said["Rows left"][0] == 20
    assert f"elo-sheets update BOOK.xlsx --rows {2 * ROWS}" in said.said["Rows left"][1]
    assert any("sort them by date" in line for line in said.steps)
    winter.games = full
    done = Front(corrected)
    assert agrees(done, winter)
    assert done.check() == "All checks are green"
    assert Front(ordered).check() == "All checks are green"

    update(corrected, rows=150)
    assert Front(corrected).said["Rows left"] == (110, "free rows for further games")
    assert validate(corrected).status == "agrees"
    assert any("--next-season -o NEXT.xlsx" in line for line in done.steps)
    next_season(corrected, tmp_path / "next.xlsx")
    said = Front(tmp_path / "next.xlsx")
    assert said.said["In the lead"] == ("nobody yet", "the first game decides")
    starts = dict(zip(said.column("Players", "Player"), said.column("Players", "Start rating"), strict=True))
    assert {name: starts[name] for name in winter.ratings()} == pytest.approx(winter.ratings(), abs=1e-9)
    assert validate(tmp_path / "next.xlsx").status == "agrees"


MET = 1600.0  # the rating of every opponent in a journal


def season_change(one: float, other: float, goals: tuple[int, int]) -> float:
    """What a home side gains by the World Football Elo Ratings, in whole points."""
    lead = abs(goals[0] - goals[1])
    weight = 20 * (1 if lead < 2 else 1.5 if lead == 2 else (11 + lead) / 8)
    change = weight * ((goals[0] > goals[1]) + (goals[0] == goals[1]) / 2 - 1 / (1 + 10 ** ((other - one - 100) / 400)))
    return math.copysign(math.floor(abs(change) + 0.5), change)


def fixtures(games: Sequence[tuple[str, str, tuple[int, int]]]) -> dict[str, float]:
    found: dict[str, float] = {}
    for home, away, goals in games:
        one, other = found.get(home, INITIAL), found.get(away, INITIAL)
        change = season_change(one, other, goals)
        found |= {home: one + change, away: other - change}
    return found


def journal(results: Sequence[tuple[int, int]]) -> float:
    rating = INITIAL
    for own, other in results:
        rating += 20 * ((own > other) + (own == other) / 2 - 1 / (1 + 10 ** ((MET - rating) / 400)))
    return rating


def test_the_next_season_is_typed_and_the_last_row_cut_and_pasted(tmp_path: Path) -> None:
    """Thirty games come from a log, the season ends by the command, ten are typed, the last is moved down."""
    require_office()
    chance, first = random.Random(17), date(2025, 9, 1)
    goals = [(chance.randrange(6), chance.randrange(4)) for _ in range(40)]
    games = [(*chance.sample(PEOPLE, 2), scored) for scored in goals]
    days = [first + timedelta(days=at) for at in range(40)]
    log = [f"{day},{one},{other},{a},{b}" for day, (one, other, (a, b)) in zip(days, games[:30], strict=False)]
    (tmp_path / "season.csv").write_text("date,home,away,home_goals,away_goals\n" + "\n".join(log), "utf-8")
    own = [f"{day},Own,Met,{a},{b},1500,{MET}" for day, (a, b) in zip(days, goals[:30], strict=False)]
    head = "date,white,black,white_points,black_points,white_rating,black_rating\n"
    (tmp_path / "journal.csv").write_text(head + "\n".join(own), "utf-8")
    word = {1: "Win", 0: "Draw", -1: "Loss"}
    typed_cells = {
        "season": ("Fixtures", "BCDEF", [[one, other, a, b] for one, other, (a, b) in games[30:]]),
        "journal": ("Log", "BCDF", [["Met", MET, word[(a > b) - (a < b)]] for a, b in goals[30:]]),
    }
    jobs, saved = [], {}
    for name, (sheet, columns, rows) in typed_cells.items():
        player = "Own" if name == "journal" else None
        import_logs([tmp_path / f"{name}.csv"], tmp_path / f"{name}.xlsx", template=name, player=player)
        next_season(tmp_path / f"{name}.xlsx", tmp_path / f"{name}-next.xlsx")
        acts: list[Act] = []
        for row, (day, cells) in enumerate(zip(days[30:], rows, strict=True), FIRST):
            serial = float((day - date(1899, 12, 30)).days)
            acts += [["type", sheet, f"{c}{row}", v] for c, v in zip(columns, [serial, *cells], strict=True)]
        acts.append(["move", sheet, f"B{FIRST + 9}:J{FIRST + 9}", f"B{FIRST + 12}"])
        saved[name] = tmp_path / f"{name}-typed.xlsx"
        jobs.append(Job(tmp_path / f"{name}-next.xlsx", [(acts, saved[name])]))
    at_work(jobs, tmp_path)
    said = Front(saved["season"])
    rated = dict(zip(said.column("Teams", "Team"), said.column("Teams", "Rating"), strict=True))
    assert {name: rated[name] for name in PEOPLE} == pytest.approx(fixtures(games), abs=1e-9)
    assert Front(saved["journal"]).said["Rating now"][0] == pytest.approx(journal(goals), abs=1e-9)
    for book in saved.values():
        assert Front(book).check() == "All checks are green"
        assert validate(book).status == "agrees"


def rows_of_acceptance(template: str) -> tuple[str, str, list[list[Any]], list[Any], list[Any], str]:
    """The sheet and columns into which games are typed, 40 games, one not understood, a newcomer's, what is said."""
    chance = random.Random(17)
    serials = [float((date(2025, 10, 1) + timedelta(days=2 * at) - date(1899, 12, 30)).days) for at in range(40)]
    if template == "journal":
        games = [[day, chance.choice(PEOPLE), MET, chance.choice(["6-4", "3:6", "Win", "Loss"])] for day in serials]
        return (
            "Log",
            "BCDF",
            games,
            [*games[30][:3], "6-6"],
            [games[31][0], NEWCOMER, None, "6-4"],
            "there are no draws",
        )
    seats = 2 if template == "season" else 4
    scores = [chance.choice([(10.0, 6.0), (3.0, 10.0)]) for _ in serials]
    games = [[day, *chance.sample(PEOPLE, seats), *told] for day, told in zip(serials, scores, strict=True)]
    wrong, new = ([games[at][0], name, *games[at][2:]] for at, name in ((30, "Plaeyr 3"), (31, NEWCOMER)))
    sheet = "Fixtures" if template == "season" else "Games"
    return sheet, "BCDEFGH"[: seats + 3], games, wrong, new, "did you mean Player 3?"


@pytest.mark.parametrize(
    ("template", "sport", "people", "newcomer"),
    [
        ("journal", "darts", None, "type the published one"),
        ("season", "basketball", "Teams", "not on Teams: enter the name there"),
        ("league-2x2", "foosball", "Players", "not on Players: enter the name there"),
    ],
)
def test_each_step_of_a_winter_says_what_to_do_next(
    template: str, sport: str, people: str | None, newcomer: str, tmp_path: Path
) -> None:
    require_office()
    sheet, columns, games, wrong, new, told = rows_of_acceptance(template)
    book, steps = tmp_path / "book.xlsx", []
    new_book(template, str(book), profile=sport, rows=ROWS, players=PLAYERS if people else None)

    def step(name: str, rows: dict[int, list[Any]], *more: Act) -> Path:
        acts = [
            ["type", sheet, f"{letter}{FIRST + at}", value]
            for at, row in rows.items()
            for letter, value in zip(columns, row, strict=True)
        ]
        steps.append(([*more, *acts], target := tmp_path / f"{name}.xlsx"))
        return target

    named: list[Act] = [["type", people, f"B{FIRST + at}", name] for at, name in enumerate(PEOPLE) if people]
    late = {39: [games[0][0] + 1, *games[5][1:]]}
    thirty = step("thirty", dict(enumerate(games[:30])), *named)
    slip = step("slip", {30: wrong})
    unknown = step("unknown", {30: games[30], 31: new})
    enter: Act = (
        ["type", people, f"B{FIRST + len(PEOPLE)}", NEWCOMER] if people else ["type", sheet, f"D{FIRST + 31}", MET]
    )
    low = step("low", dict(enumerate(games[32:39], 32)) | late, enter)
    ordered: Act = ["sort", sheet, f"B{FIRST}:{columns[-1]}{FIRST + 39}", 0, True]
    corrected: Act = ["type", sheet, f"{columns[-1]}{FIRST + 3}", "Loss" if template == "journal" else 4.0]
    done = step("done", {}, ordered, corrected)
    at_work([Job(book, steps)], tmp_path, timeout=420)
    assert Front(thirty).check() == Front(done).check() == "All checks are green"
    for path, row, said in ((slip, 30, told), (unknown, 31, newcomer)):
        assert said in str(Front(path).column(sheet, "Status")[row])
        assert Front(path).check() == "1 to look at: see the sheet Check"
    assert Front(low).said["Rows left"][1].endswith(f"elo-sheets update BOOK.xlsx --rows {2 * ROWS}")
    assert Front(low).check() == "1 to look at: see the sheet Check"
    assert {"sort them by date", "--next-season -o NEXT.xlsx"} <= {
        part
        for part in ("sort them by date", "--next-season -o NEXT.xlsx")
        for line in Front(low).steps
        if part in line
    }
    update(done, rows=150)
    assert Front(done).said["Games so far"][0] == 40
    assert validate(done).status == "agrees"
    next_season(done, tmp_path / "next.xlsx")
    assert Front(tmp_path / "next.xlsx").said["Games so far"][0] == 0
    assert validate(tmp_path / "next.xlsx").status == "agrees"
