"""A book of several blocks and windows is typed into: inserted rows move them, and what leaves them is said."""

from __future__ import annotations

import copy
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from office import Act, Job, at_work, require_office
from workbook_cases import (
    FIRST_DATA_ROW,
    SCORES,
    League,
    Row,
    Rule,
    Standing,
    journal_ratings,
    league_standings,
    made_journal,
    made_league,
    serial,
)

from elo_sheets.files.package import read_book
from elo_sheets.games import make_games
from elo_sheets.replaying.replay import replay
from elo_sheets.systems import system
from elo_sheets.validate import validate
from elo_sheets.workbook.book import Book, Inputs
from elo_sheets.workbook.build import filled_book, plan_book
from elo_sheets.workbook.layout import TableLayout
from elo_sheets.workbook.plan import Plan
from elo_sheets.workbook.sums import in_parts, spans
from elo_sheets.workbook.windows import windows, windows_read
from elo_sheets.workbook.write import write_book

ROWS, PEOPLE = 520, 12
LEAGUE = made_league(8, 330)
LATE: Row = [serial("2024-01-10"), "Player 8", "Player 4", "1/2-1/2"]


def planned(league: League, most: int = ROWS) -> Plan:
    rows: list[Any] = [*league.games, *[[None] * 4] * (most - len(league.games))]
    people: list[Any] = [*league.players, *[(None, None)] * (PEOPLE - len(league.players))]
    games: dict[str, list[Any]] = dict(
        zip(("Date", "White", "Black", "Result"), map(list, zip(*rows, strict=True)), strict=True)
    )
    players = dict(zip(("Player", "Start rating"), map(list, zip(*people, strict=True)), strict=True))
    inputs = Inputs({"Players": players, "Games": games | {"Event": [None] * most}}, {}, {"Ledger": 2 * most})
    return plan_book(Book("league", system("elo"), system("elo").settings({}), inputs))


def written(league: League, path: Path) -> Path:
    write_book(planned(league), path)
    return path


def written_journal(games: list[Row], path: Path) -> Path:
    rows: list[Any] = [*games, *[[None] * 5] * (ROWS - len(games))]
    labels = ("Date", "Opponent", "Opponent rating", "Colour", "Result")
    log: dict[str, list[Any]] = dict(zip(labels, map(list, zip(*rows, strict=True)), strict=True))
    empty: dict[str, list[Any]] = dict.fromkeys(("Event", "Pool", "Opening", "Time control"), [None] * ROWS)
    inputs = Inputs({"Log": log | empty}, {}, {"Ledger": ROWS})
    write_book(plan_book(Book("journal", system("elo"), system("elo").settings({}), inputs)), path)
    return path


def rated_after(path: Path, games: int) -> list[object]:
    cells = read_book(path)
    table = next(table for table in cells.all_tables if table.name == "Ledger")
    column = table.column("Rating after")
    assert column is not None
    return [cells.sheets["Ledger"][table.first_data_row + i, column].value for i in range(games)]


def standings(path: Path) -> dict[str, Standing]:
    cells = read_book(path).sheets["Standings"]
    rows = [[cells[row, column].value for column in range(2, 8)] for row in range(FIRST_DATA_ROW, FIRST_DATA_ROW + 8)]
    return {str(row[0]): Standing(*row[1:]) for row in rows}  # type: ignore[arg-type]


def close(league: League) -> dict[str, Standing]:
    exact = league_standings(league)
    return {
        name: replace(one, rating=pytest.approx(one.rating, rel=0, abs=1e-9))  # type: ignore[arg-type]
        for name, one in exact.items()
    }


def check(path: Path, label: str) -> object:
    cells = read_book(path).sheets["Check"]
    row = next(row for (row, column), cell in cells.items() if column == 1 and cell.value == label)
    return cells[row, 2].value


def test_windows_reach_a_margin_beyond_their_games() -> None:
    assert windows(200, 200, 5) == ((5, 104), (5, 154), (55, 204), (105, 204))
    assert windows(100, 30, 5) == ((5, 34), (5, 34))  # most rows of Games were deleted


def test_the_windows_of_a_book_are_those_of_most_rows() -> None:
    planned = windows(100, 100, 5)
    formulas = ["=INDEX(Games!$A$6:$A$105,1)"] * 99 + [None] + ["=INDEX(Games!$A$7:$A$105,1)"] * 40 + ["=0"] * 60
    assert windows_read(formulas, planned, 2) == ((6, 105), (7, 105))
    assert windows_read([None] * 200, planned, 2) == planned


def test_the_parts_of_a_table_are_all_of_it() -> None:
    layout = TableLayout("Lines", ["Game", "Pair"], 4, 10)
    assert in_parts(layout, "Curves", 500, ["Pair"], spans(500, 500)) == [("Lines[Pair]",)]
    cells = [("Curves!$K$5:$K$504",), ("Curves!$K$505:$K$704",)]
    assert in_parts(layout, "Curves", 700, ["Pair"], spans(700, 500)) == cells
    assert spans(2200, last=420) == [(1, 1000), (1001, 1780), (1781, 2200)]


def test_a_game_that_is_not_rated_moves_the_points_of_the_chart() -> None:
    """And what is slow to look through, texts and results by player, stands in parts that a typed game leaves alone."""
    league = copy.deepcopy(LEAGUE)
    for game in (0, 100, 101):
        league.games[game][3] = None
    plan = planned(league)
    tables = {table.name: {c.label: c.fill for c in table.columns} for sheet in plan.sheets for table in sheet.tables}
    rated = [row for row, game in enumerate(league.games, 1) if game[3] is not None]
    points = tables["Curves"]
    assert points["Row"].values == [rated[int(game) - 1] for game in points["Game"].values]  # type: ignore[arg-type]
    assert list(tables["Statuses"]) == ["Status", "Part 1", "Part 2", "Sides"]
    counted = dict(zip(tables["Statuses"]["Status"].values, tables["Statuses"]["Sides"].values, strict=True))
    assert {status for status, sides in counted.items() if sides} == {"any", "no result"}
    assert (counted["any"], counted["no result"]) == (660, 6)
    whole = [cell.formula for cell in plan.sheet("Check").cells if "Ledger[Status]" in (cell.formula or "")]
    assert whole == []
    assert tables["Carry"]["Tally"].formula == "Carry[[#This Row],[Tally 1]]+Carry[[#This Row],[Tally 2]]"


def test_the_lines_of_a_long_book_are_the_ratings_after_games_no_further_apart_than_the_points_of_the_chart() -> None:
    """Nine in ten of its rows are empty still: the points are spread over the games that there are."""
    league = copy.deepcopy(LEAGUE)
    for game in (0, 100, 101):
        league.games[game][3] = None
    plan = planned(league, 3000)
    tables = {
        table.name: {c.label: list(c.fill.values) for c in table.columns} for s in plan.sheets for table in s.tables
    }
    ledger, points, players = tables["Ledger"], tables["Curves"], tables["Players"]
    rated = [row for row, game in enumerate(league.games, 1) if game[3] is not None]
    wanted = [round(1 + at * (len(rated) - 1) / 149) for at in range(150)]
    assert max(abs(float(one) - two) for one, two in zip(points["Game"], wanted, strict=True)) <= 1  # type: ignore[arg-type]
    assert len(tables["Lines"]["Game"]) < 1300
    for chosen in range(1, 5):
        number = players["Id"][chosen - 1]
        drawn = list(zip(points["Game"], points["Row"], points[f"Player {chosen}"], strict=True))
        _, _, best, _, peak = marks(plan)[chosen - 1]
        assert drawn.pop(int(peak) - 1)[2] == best == players["Best"][chosen - 1]
        for game, row, shown in drawn:
            above = slice(0, 2 * int(row))  # type: ignore[arg-type]
            assert game == len([one for one in rated if one <= float(row)])  # type: ignore[arg-type]
            own = zip(ledger["Rated no."][above], ledger["Rating after"][above], strict=True)
            start = players["Starts at"][chosen - 1]
            assert shown == [start, *(rating for player, rating in own if player == number)][-1]
        assert points[f"Player {chosen}"][-1] == players["Rating"][chosen - 1]


def marks(book: Plan | Path) -> list[list[float]]:
    """What stands of each mark of the chart: its game, its day, its rating, and where these were found."""
    if isinstance(book, Path):
        cells = {place: cell.value for place, cell in read_book(book).sheets["Curves"].items()}
    else:
        cells = {(cell.row, cell.column): cell.value for cell in book.sheet("Curves").cells}
    (row, first) = next(place for place, value in cells.items() if value == "Peak at")
    return [[float(cells[row + at, first + one]) for one in range(5)] for at in range(1, 5)]  # type: ignore[arg-type]


def best_of_log(games: pd.DataFrame, rule: str, name: str) -> tuple[int, float]:
    """Return after which game a player was best, and how good: at the end of a rating period, if there are any."""
    rules = system(rule)
    own = replay(games, rules).history.query("player == @name")
    ends = own.groupby("period")["rating_after"].last()
    best = ends.min() if rules.lower_is_better else ends.max()
    return int(own.loc[own["rating_after"] == best, "game"].iloc[0]), best


@pytest.mark.parametrize(
    ("rule", "people", "played"),
    [("elo", 12, 1000), ("glicko", 12, 1000), ("ingo", 12, 1000), ("elo", 5, 300), ("ingo", 5, 300)],
)
def test_the_marked_peaks_of_a_league_are_the_best_ratings_of_the_players(rule: str, people: int, played: int) -> None:
    """Most are reached between two points of the chart: the point before one shows it, and the last one shows today."""
    rows = made_league(people, played).games
    games = make_games(
        {
            "date": f"{date(1899, 12, 30) + timedelta(days=float(day)):%Y-%m-%d}",  # type: ignore[arg-type]
            "white": white,
            "black": black,
            "score": SCORES[str(result)],
            "event": f"Event {at // 100}",
            "source": "made up",
            "source_row": at,
        }
        for at, (day, white, black, result) in enumerate(rows, 1)
    )
    plan = plan_book(filled_book("league", system(rule), {}, games))
    shown = [str(cell.value) for cell in plan.sheet("Chart").cells if cell.row == 4 and cell.is_input]
    (points,) = (table for table in plan.sheet("Curves").tables if table.name == "Curves")
    lines = {column.label: list(column.fill.values) for column in points.columns}
    between = 0
    for at, (name, mark) in enumerate(zip(shown, marks(plan), strict=True), 1):
        game, best = best_of_log(games, rule, name)
        assert mark[:3] == pytest.approx([game, rows[game - 1][0], best], rel=0, abs=1e-9)
        line, point = lines[f"Player {at}"], int(mark[4])
        assert line[point - 1] == mark[2]
        drawn = [float(one) for one in lines["Game"]]  # type: ignore[arg-type]
        assert drawn[point - 1] <= game <= [*drawn, drawn[-1]][point]
        between += game not in lines["Game"]
        today = replay(games, system(rule)).ratings.set_index("player")["rating"][name]
        assert line[-1] == pytest.approx(today, rel=0, abs=1e-9)
    assert between


@pytest.mark.libreoffice
def test_the_marked_peaks_of_a_long_book_follow_what_is_typed(tmp_path: Path) -> None:
    """An early result is corrected, games are typed below the last one, one player is chosen anew and one taken out."""
    require_office()
    source, target = tmp_path / "league.xlsx", tmp_path / "saved.xlsx"
    write_book(planned(LEAGUE, 1010), source)
    league = copy.deepcopy(LEAGUE)
    league.games[9][3] = "0-1" if league.games[9][3] == "1-0" else "1-0"
    acts: list[Act] = [["type", "Games", f"E{FIRST_DATA_ROW + 9}", league.games[9][3]]]
    for at in range(330, 345):
        league.games.append([LATE[0], "Player 2", "Player 5", "1-0"])
        acts += [
            ["type", "Games", f"{x}{FIRST_DATA_ROW + at}", v] for x, v in zip("BCDE", league.games[-1], strict=True)
        ]
    chosen = ["Player 2", "Player 6", "Player 1", None]
    acts += [["type", "Chart", f"{x}4", name] for x, name in zip("BCDE", chosen, strict=True)]
    at_work([Job(source, [(acts, target)])], tmp_path)
    found = marks(target)
    starts, reached = dict(league.players), dict.fromkeys(dict(league.players), (0, 0.0))
    for game in range(1, len(league.games) + 1):
        for name, one in league_standings(replace(league, games=league.games[:game])).items():
            if name in league.games[game - 1] and one.rating > reached[name][1] + 1e-9:
                reached[name] = game, one.rating
    for name, mark in zip(chosen, found, strict=True):
        game, best = reached[name or "Player 2"]
        best = max(best, starts[name or "Player 2"] or 0.0)
        assert mark[2] == pytest.approx(best, rel=0, abs=1e-9)
        assert mark[0] == (game if best == reached[name or "Player 2"][1] else 1)
    assert validate(target).status == "agrees"


@pytest.mark.libreoffice
def test_a_long_book_follows_what_is_typed_inserted_and_deleted(tmp_path: Path) -> None:
    """A result of the first block corrected, one row inserted and two deleted in the middle, as an owner would."""
    require_office()
    source, target = written(LEAGUE, tmp_path / "league.xlsx"), tmp_path / "saved.xlsx"
    book = copy.deepcopy(LEAGUE)
    book.games[9][3] = "0-1" if book.games[9][3] == "1-0" else "1-0"
    book.games.append([None, "Player 1", "Player 2", "1-0"])
    acts: list[Act] = [["type", "Games", f"E{FIRST_DATA_ROW + 9}", book.games[9][3]]]
    acts += [["type", "Games", f"{x}{FIRST_DATA_ROW + 330}", v] for x, v in zip("CDE", book.games[-1][1:], strict=True)]
    book.games.insert(120, LATE)
    acts += [["insert", "Games", FIRST_DATA_ROW + 120]]
    acts += [["type", "Games", f"{x}{FIRST_DATA_ROW + 120}", v] for x, v in zip("BCDE", LATE, strict=True)]
    for row in (60, 200):
        del book.games[row]
        acts.append(["delete", "Games", FIRST_DATA_ROW + row])
    at_work([Job(source, [(acts, target)])], tmp_path)
    assert standings(target) == close(book)
    assert check(target, "Games that the Ledger does not hold") == 0
    verdict = validate(target)
    assert {finding.code for finding in verdict.findings} <= {"ES202", "ES405"}  # the new row's own formulas
    assert verdict.games.rated == len(book.games)


@pytest.mark.libreoffice
def test_games_that_left_their_window_are_counted_and_named(tmp_path: Path) -> None:
    """Sixty rows inserted at once move games out of reach: Check counts them, and validate names each."""
    require_office()
    source, target = written(LEAGUE, tmp_path / "league.xlsx"), tmp_path / "saved.xlsx"
    at_work([Job(source, [([["insert", "Games", FIRST_DATA_ROW + 120]] * 60, target)])], tmp_path)
    unread = check(target, "Games that the Ledger does not hold")
    assert isinstance(unread, float)
    assert unread > 0
    verdict = validate(target)
    assert verdict.status == "differs"
    assert sum(finding.code == "ES401" for finding in verdict.findings) == unread
    assert verdict.games.rated == 330 - unread


@pytest.mark.libreoffice
def test_a_long_journal_follows_what_is_typed_inserted_and_deleted(tmp_path: Path) -> None:
    """As the league above: a result of the first block corrected, rows inserted and deleted in the middle."""
    require_office()
    games = made_journal(330)
    source, target = written_journal(games, tmp_path / "journal.xlsx"), tmp_path / "saved.xlsx"
    games[9][4] = "Win" if games[9][4] != "Win" else "Loss"
    acts: list[Act] = [["type", "Log", f"F{FIRST_DATA_ROW + 9}", games[9][4]]]
    late: Row = [games[120][0], "Opponent 3", 1500.0, "White", "Draw"]
    games.insert(120, late)
    acts += [["insert", "Log", FIRST_DATA_ROW + 120]]
    acts += [["type", "Log", f"{x}{FIRST_DATA_ROW + 120}", v] for x, v in zip("BCDEF", late, strict=True)]
    for row in (60, 250):
        del games[row]
        acts.append(["delete", "Log", FIRST_DATA_ROW + row])
    at_work([Job(source, [(acts, target)])], tmp_path)
    assert rated_after(target, len(games)) == pytest.approx(journal_ratings(games, Rule()), rel=0, abs=1e-9)
    verdict = validate(target)
    assert {finding.code for finding in verdict.findings} <= {"ES202", "ES405", "ES406"}  # the new row's own formulas
    assert verdict.games.rated == len(games)


@pytest.mark.libreoffice
def test_games_of_a_journal_that_left_their_window_are_counted_and_named(tmp_path: Path) -> None:
    """Sixty rows inserted at once: the rows beyond reach say so, Check counts them, and validate names each."""
    require_office()
    source, target = written_journal(made_journal(330), tmp_path / "journal.xlsx"), tmp_path / "saved.xlsx"
    at_work([Job(source, [([["insert", "Log", FIRST_DATA_ROW + 120]] * 60, target)])], tmp_path)
    unread = check(target, "  because they stand below what the Ledger holds, or were moved too far")
    assert isinstance(unread, float)
    assert unread > 0
    verdict = validate(target)
    assert verdict.status == "differs"
    assert sum(finding.code == "ES401" for finding in verdict.findings) >= 1
    assert verdict.games.rated == 330 - unread
