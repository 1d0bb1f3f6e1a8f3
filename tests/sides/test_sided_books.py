"""Books of doubles, teams and tables: filled, typed on, recalculated, and judged against a replay written here."""

from __future__ import annotations

import random
from datetime import date, timedelta
from itertools import combinations, product
from pathlib import Path
from typing import Any

import pytest
from planting import at, plant, typed
from workbook_cases import serial, type_into

from elo_sheets.cli import run_command
from elo_sheets.engines.recalculate import recalculate_many
from elo_sheets.errors import UsageError
from elo_sheets.files.package import read_book
from elo_sheets.uses.exporting import replay_logs
from elo_sheets.uses.importing import import_logs
from elo_sheets.uses.updating import update
from elo_sheets.validate import validate
from elo_sheets.workbook import new_book
from elo_sheets.workbook.templates import template_of_sides

PLAYERS = [f"Player {i}" for i in range(1, 13)]
Doubles = tuple[list[str], int, int]


def doubles(count: int, seed: int) -> list[Doubles]:
    dice = random.Random(seed)
    found = []
    for _ in range(count):
        lost = dice.randint(0, 10)
        found.append((dice.sample(PLAYERS, 4), *dice.choice([(10, lost), (lost, 10)])))
    return found


def log_of(games: list[Doubles], path: Path) -> Path:
    size = len(games[0][0]) // 2
    seats = [f"{side}{seat}" for side in "AB" for seat in range(1, size + 1)]
    rows = [f"Date,{','.join(seats)},A points,B points"]
    for day, (who, own, other) in enumerate(games):
        rows.append(f"{date(2025, 1, 6) + timedelta(days=day)},{','.join(who)},{own},{other}")
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


def rated_here(games: list[Doubles], k: float = 20) -> dict[str, float]:
    """Elo of doubles: the mean of both players, the whole change to each."""
    rating: dict[str, float] = {}
    for who, own, other in games:
        now = [rating.get(player, 1500.0) for player in who]
        gap = (now[2] + now[3] - now[0] - now[1]) / 2
        change = k * ((own > other) + 0.5 * (own == other) - 1 / (1 + 10 ** (gap / 400)))
        for seat, player in enumerate(who):
            rating[player] = now[seat] + (change if seat < 2 else -change)
    return rating


class Sheets:
    """A recalculated book, its columns read by their headers; what is typed stands as it is typed.

    Without an engine the stored values stand, as `validate` has compared them with those of one.
    """

    def __init__(self, path: Path, engine: str | None = None) -> None:
        self.typed = read_book(path)
        done = recalculate_many([path], engine, timeout=300) if engine else []
        self.values = done[0].values if done else {}

    def column(self, table: str, label: str) -> list[Any]:
        found = self.typed.tables[table]
        place = found.column(label)
        assert place is not None, label
        rows = range(found.first_data_row, found.last_data_row + 1)
        cells, values = self.typed.sheets[found.sheet], self.values.get(found.sheet, {})
        return [
            values[row, place] if (row, place) in values else getattr(cells.get((row, place)), "value", None)
            for row in rows
        ]

    def by_name(self, table: str, name: str, label: str) -> dict[str, Any]:
        both = zip(self.column(table, name), self.column(table, label), strict=True)
        return {key: value for key, value in both if key}


@pytest.fixture(scope="module")
def season(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The season of an office: 60 doubles with changing partners, and room to type on."""
    folder = tmp_path_factory.mktemp("season")
    book = folder / "office.xlsx"
    import_logs(log_of(doubles(60, 4), folder / "log.csv"), book)
    return book


def typed_on(season: Path, target: Path) -> tuple[Path, list[Doubles]]:
    """The book with twelve more games typed in, and one result of the past corrected."""
    games = doubles(60, 4)
    games[10] = (games[10][0], games[10][2], games[10][1])
    more = doubles(12, 5)
    cells: dict[str, Any] = {"G15": float(games[10][1]), "H15": float(games[10][2])}
    for row, (who, own, other) in enumerate(more, 65):
        told = [serial("2025-06-01"), *who, float(own), float(other)]
        cells |= {f"{letter}{row}": value for letter, value in zip("BCDEFGH", told, strict=True)}
    return type_into(season, target, {"Games": cells}), [*games, *more]


def test_a_season_agrees_with_the_core_and_with_a_replay_written_here(season: Path) -> None:
    verdict = validate(season)
    assert (verdict.status, verdict.games.listed, verdict.games.rated) == ("agrees", 60, 60)
    ratings = replay_logs(season).ratings.set_index("player")["rating"].to_dict()
    assert ratings == pytest.approx(rated_here(doubles(60, 4)), abs=1e-9)


@pytest.mark.parametrize("engine", ["ironcalc", pytest.param("libreoffice", marks=pytest.mark.libreoffice)])
def test_every_engine_follows_what_is_typed(season: Path, tmp_path: Path, engine: str) -> None:
    book, games = typed_on(season, tmp_path / "typed.xlsx")
    sheets = Sheets(book, engine)
    assert sheets.by_name("Standings", "Player", "Rating") == pytest.approx(rated_here(games), abs=1e-9)
    played, wins = (sheets.by_name("Standings", "Player", label) for label in ("Games", "Wins"))
    for name in PLAYERS:
        assert played[name] == sum(name in who for who, _, _ in games)
        won = sum(name in (who[:2] if own > other else who[2:]) for who, own, other in games if own != other)
        assert wins[name] == won
    assert_pairs(sheets, games)
    assert_card(sheets, games)
    leader = sheets.column("Standings", "Player")[0]
    drawn = zip(*(sheets.column("Curves", label) for label in ("Game", "Line 1")), strict=True)
    for count, rating in drawn:
        assert rating == pytest.approx(rated_here(games[: round(count)]).get(leader, 1500.0), abs=1e-9)


def assert_pairs(sheets: Sheets, games: list[Doubles]) -> None:
    wanted: dict[frozenset[str], list[float]] = {}
    for who, own, other in games:
        half = len(who) // 2
        for side, won in ((who[:half], own > other), (who[half:], other > own)):
            for pair in combinations(side, 2):
                told = wanted.setdefault(frozenset(pair), [0, 0])
                told[0] += 1
                told[1] += won
    names = zip(*(sheets.column("Pairs", label) for label in ("Player", "Partner")), strict=True)
    figures = zip(*(sheets.column("Pairs", label) for label in ("Games", "Wins")), strict=True)
    found = {frozenset(pair): list(told) for pair, told in zip(names, figures, strict=True) if pair[0]}
    assert found == wanted
    beyond = [value for value in sheets.column("Pairs", "Beyond") if value != ""]
    assert beyond == pytest.approx(sorted(beyond, reverse=True), abs=1e-5)


@pytest.mark.parametrize("engine", [None, pytest.param("libreoffice", marks=pytest.mark.libreoffice)])
@pytest.mark.parametrize(("size", "people", "count"), [(2, 24, 120), (3, 9, 20), (4, 10, 12)])
def test_all_pairs_of_a_side_are_ranked(size: int, people: int, count: int, engine: str | None, tmp_path: Path) -> None:
    """However many they are, and each two of a team of three or four."""
    dice, everybody = random.Random(size), [f"Player {i}" for i in range(1, people + 1)]
    games = [(dice.sample(everybody, 2 * size), *dice.sample(range(11), 2)) for _ in range(count)]
    book = tmp_path / "book.xlsx"
    import_logs(log_of(games, tmp_path / "log.csv"), book)
    if engine is None:
        assert validate(book).status == "agrees"
    assert_pairs(Sheets(book, engine), games)


def test_pairs_of_more_than_a_thousand_players_are_told_apart(tmp_path: Path) -> None:
    """Players 1 and 1300 are others than 2 and 300, also where both numbers are written as one."""
    everybody = [f"Player {i}" for i in range(1, 1401)]
    games = [(everybody[at : at + 4], 10, 5) for at in range(0, 1400, 4)]
    games += [([everybody[i] for i in four], 10, 5) for four in ((0, 1299, 5, 6), (1, 299, 7, 8))]
    book = tmp_path / "book.xlsx"
    import_logs(log_of(games, tmp_path / "log.csv"), book)
    assert_pairs(Sheets(book), games)


def assert_card(sheets: Sheets, games: list[Doubles]) -> None:
    me = games[0][0][0]
    with_, against = (dict.fromkeys(PLAYERS, 0) for _ in "12")
    for who, _, _ in games:
        if me in who:
            own = who[:2] if me in who[:2] else who[2:]
            for other in who:
                if other != me:
                    (with_ if other in own else against)[other] += 1
    partners, rivals = (sheets.by_name("Mates", "Name", label) for label in ("Games with", "Games against"))
    assert partners == {name: with_[name] for name in PLAYERS if name != me}
    assert rivals == {name: against[name] for name in PLAYERS if name != me}


def test_the_card_shows_who_leads_where_nobody_is_chosen(season: Path, tmp_path: Path) -> None:
    (sheets,) = recalculate_many([type_into(season, tmp_path / "card.xlsx", {"Card": {"B4": " "}})])
    leader = sheets.values["Standings"][5, 2]
    assert sheets.values["Card"][6, 3].startswith(f"{leader}, place 1 after ")
    assert sheets.values["Card"][6, 2] == sheets.values["Standings"][5, 3]


def test_what_was_typed_makes_the_stored_results_stale_and_nothing_else(season: Path, tmp_path: Path) -> None:
    book, _ = typed_on(season, tmp_path / "typed.xlsx")
    verdict = validate(book)
    assert {finding.code for finding in verdict.findings} == {"ES301"}
    assert verdict.games.rated == 72


def test_what_cannot_be_rated_is_said_beside_the_game(season: Path, tmp_path: Path) -> None:
    cells = {
        "C65": "Player 1", "D65": "Player 2", "E65": "Player 3", "F65": "Plaier 4", "G65": 1.0, "H65": 0.0,
        "C66": "Player 1", "D66": "Player 2", "E66": "Player 1", "G66": 1.0, "H66": 0.0,
        "C67": "Player 1", "D67": "Player 2", "G67": 1.0, "H67": 0.0,
        "C68": "Player 1", "E68": "Player 2", "G68": 1.0, "H68": "ten",
        "C69": " player  1", "E69": "Player 2", "G69": 1.0, "H69": 0.0,
    }  # fmt: skip
    book = type_into(season, tmp_path / "typed.xlsx", {"Games": cells})
    sheets = Sheets(book, "ironcalc")
    assert sheets.column("Games", "Status")[60:65] == [
        "not on Players: did you mean Player 4?",
        "same player twice",
        "players missing",
        "no result: points are missing",
        "rated",
    ]
    cells_of, values = sheets.typed.sheets["Check"], sheets.values["Check"]
    found = {str(cells_of[row, 1].value).strip(): values[row, 2] for row in range(5, 15)}
    assert found["Games typed that are not rated"] == 4
    assert found["names that are not on the sheet Players"] == 1
    assert found["Ratings against start ratings and changes"] == 0
    counted = validate(book).games
    assert (counted.listed, counted.rated) == (65, 61)


def test_pairs_beyond_the_rows_of_pairs_are_counted_until_the_book_is_updated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("elo_sheets.workbook.book.SPARE_GAMES", 100)  # all of them are typed into here
    everybody = [f"Player {i}" for i in range(1, 29)]
    games = [(everybody[at : at + 4], 10, at % 9) for at in range(0, 28, 4)]
    book = tmp_path / "book.xlsx"
    import_logs(log_of(games, tmp_path / "log.csv"), book)
    more = [([everybody[a], everybody[b], everybody[a + 1], everybody[b + 1]], 3, 10)
            for a, b in product(range(0, 14, 2), range(15, 27))]  # fmt: skip
    cells: dict[str, Any] = {}
    for row, (who, own, other) in enumerate(more, 12):
        told = [*who, float(own), float(other)]
        cells |= {f"{letter}{row}": value for letter, value in zip("CDEFGH", told, strict=True)}
    book = type_into(book, tmp_path / "typed.xlsx", {"Games": cells})
    pairs = {frozenset(pair) for who, *_ in [*games, *more] for pair in (who[:2], who[2:])}

    def beyond(book: Path) -> float:
        sheets = Sheets(book, "ironcalc")
        labels = [getattr(sheets.typed.sheets["Check"].get((row, 1)), "value", None) for row in range(5, 14)]
        at = labels.index("Pairs that have played and that Pairs does not hold: update the book")
        return float(sheets.values["Check"][5 + at, 2])

    assert beyond(book) == len(pairs) - 120 > 0
    update(book)
    assert validate(book).status == "agrees"
    assert beyond(book) == 0
    assert_pairs(Sheets(book), [*games, *more])


def test_a_planted_fault_is_found(season: Path, tmp_path: Path) -> None:
    place = at(read_book(season), "Ledger", "Change", 9)
    verdict = validate(plant(season, tmp_path / "faulty.xlsx", {place: typed(99)}))
    assert verdict.status == "differs"
    assert any(finding.range.startswith("Ledger!") for finding in verdict.findings)


@pytest.mark.parametrize("system", ["trueskill", "weng-lin"])
def test_other_systems_hold_doubles(tmp_path: Path, system: str) -> None:
    book = tmp_path / "book.xlsx"
    log = tmp_path / "log.csv"
    text = "A1,A2,B1,B2,A points,B points\nAnn,Bob,Cid,Dot,10,7\nAnn,,Cid,Dot,3,3\nBob,Cid,Ann,Dot,1,2\n"
    log.write_text(text, encoding="utf-8")
    import_logs(log, book, system=system)
    assert validate(book).status == "agrees"


def test_points_decide_a_table_where_no_place_is_typed(tmp_path: Path) -> None:
    book = tmp_path / "table.xlsx"
    new_book("table", book, rows=4)
    people = {f"B{row}": name for row, name in enumerate(("Ann", "Bob", "Cid"), 5)}
    games = {"C5": "Ann", "E5": 40.0, "F5": "Bob", "H5": 55.0, "I5": "Cid", "K5": 55.0}
    games |= {"C6": "Ann", "D6": 1.0, "E6": 2.0, "F6": "Bob", "G6": 2.0, "H6": 9.0}
    filled = type_into(book, tmp_path / "typed.xlsx", {"Players": people, "Games": games})
    rating = Sheets(filled, "ironcalc").by_name("Players", "Player", "Rating")
    # Bob and Cid each have 1.5 of 2 expected as 1, so 20 * (0.75 - 0.5) = +5; then Ann beats Bob from 1490 v 1505.
    moved = 20 / (1 + 10 ** (-15 / 400))
    assert (rating["Ann"], rating["Bob"], rating["Cid"]) == pytest.approx((1490 + moved, 1505 - moved, 1505))


def test_the_command_makes_books_of_doubles(tmp_path: Path) -> None:
    book = tmp_path / "office.xlsx"
    assert run_command(["new", "league", "--sides", "2x2", "-o", str(book), "--rows", "10"]) == 0
    assert {"A1", "A2", "B1", "B2", "A points"} <= set(read_book(book).tables["Games"].columns)
    assert validate(book).status == "agrees"


def test_what_no_book_holds_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="expected the sides as 2x2, 3x3 or 4x4, got '2x3'"):
        template_of_sides("league", "2x3")
    with pytest.raises(UsageError, match="--sides is for the template league, not for season"):
        template_of_sides("season", "2x2")
    for name, settings, said in (
        ("league-2x2", {"margin_rule": "eloratings"}, "does not hold margins"),
        ("league-2x2", {"side_rule": "weighted"}, "no weights of players"),
    ):
        with pytest.raises(UsageError, match=said):
            new_book(name, tmp_path / "no.xlsx", settings=settings)
    with pytest.raises(UsageError, match="rates by elo, or a rule of one's own like it, and not by trueskill"):
        new_book("table", tmp_path / "no.xlsx", system="trueskill")
    assert not list(tmp_path.iterdir())


def test_a_profile_gives_a_book_of_doubles_its_system_settings_and_words(tmp_path: Path) -> None:
    log, games = tmp_path / "log.csv", doubles(30, 5)
    games = [game for game in games if game[1] != game[2]]
    log_of(games, log)
    book, same = tmp_path / "book.xlsx", tmp_path / "same.xlsx"
    done = import_logs(log, book, template=template_of_sides("league", "2x2"), profile="foosball")
    assert done.made == {"template": "league-2x2", "system": "elo/sides", "profile": "foosball"}
    assert (done.settings["k"], done.settings.origins["k"]) == (32, "profile")
    assert import_logs(log, same, profile="foosball").made == done.made
    verdict = validate(book)
    assert (verdict.status, verdict.games.rated) == ("agrees", len(games))
    assert replay_logs(book, as_book=True).ratings.set_index("player")["rating"].to_dict() == pytest.approx(
        rated_here(games, 32), abs=1e-9
    )
    drawn = import_logs(log_of([*games, (PLAYERS[:4], 5, 5)], log), same, profile="foosball", overwrite=True)
    assert any("1 game of the log is a draw" in note for note in drawn.notes)
    new_book("league-2x2", tmp_path / "empty.xlsx", profile="foosball")
    assert validate(tmp_path / "empty.xlsx").status == "agrees"
    with pytest.raises(UsageError, match="expected a profile"):
        import_logs(log, same, profile="padel", overwrite=True)


def test_a_sport_without_draws_takes_no_equal_points(tmp_path: Path) -> None:
    book, target = tmp_path / "office.xlsx", tmp_path / "typed.xlsx"
    new_book(template_of_sides("league", "2x2"), str(book), profile="foosball", rows=30)
    games = [(1.0, *PLAYERS[:4], 10.0, 7.0), (2.0, *PLAYERS[:4], 10.0, 10.0), (3.0, *PLAYERS[:4], 4.0, 10.0)]
    cells = {
        f"{letter}{row}": value
        for row, (day, *told) in enumerate(games, 5)
        for letter, value in zip("BCDEFGH", [serial("2025-06-01") + day, *told], strict=True)
    }
    people = {f"B{row}": name for row, name in enumerate(PLAYERS[:4], 5)}
    sheets = Sheets(type_into(book, target, {"Games": cells, "Players": people}), "ironcalc")
    assert sheets.column("Games", "Status")[:3] == ["rated", "no result: there are no draws", "rated"]
    assert sheets.values["Check"][9, 2] == 1
    played: list[Doubles] = [(PLAYERS[:4], 10, 7), (PLAYERS[:4], 4, 10)]
    rated = sheets.by_name("Players", "Player", "Rating")
    assert {name: rated[name] for name in PLAYERS[:4]} == pytest.approx(rated_here(played, 32), abs=1e-9)
    verdict = validate(target)
    assert [finding.code for finding in verdict.findings if finding.code != "ES301"] == ["ES404"]


def test_the_chart_of_an_empty_book_invites(tmp_path: Path) -> None:
    new_book(template_of_sides("league", "2x2"), str(tmp_path / "office.xlsx"))
    shown = read_book(tmp_path / "office.xlsx").sheets
    for cell in (shown["Curves"][2, 3], shown["Report"][2, 1]):
        assert cell.value == "No game is rated yet: type the first one on the sheet Games, and it shows here."
