"""The tournament report: what federations published comes out of its sheets, and every cell is the plan's."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import NormalDist
from typing import Any

import pytest
from workbook_cases import serial

from elo_sheets.conformance.published import answers
from elo_sheets.engines.recalculate import recalculate
from elo_sheets.errors import UsageError
from elo_sheets.files.references import column_letters
from elo_sheets.readers import read
from elo_sheets.systems import system as find_system
from elo_sheets.uses.importing import import_logs
from elo_sheets.validate import validate
from elo_sheets.workbook.book import HEADER_ROW, Book, Inputs
from elo_sheets.workbook.build import blank_book, filled_book, plan_book
from elo_sheets.workbook.event.view import EventView
from elo_sheets.workbook.fits import check_fits, view_of
from elo_sheets.workbook.plan import CellPlan, Plan, SheetPlan
from elo_sheets.workbook.templates import template
from elo_sheets.workbook.write import write_book

HERE = Path(__file__).parent
SAMPLES = HERE.parent / "samples"
TRF = HERE / "data/trf/javafo_example.trf"
SYSTEMS = ("fide", "dwz", "uschess")
TOLERANCE = 1e-9

Row = dict[str, Any]
Game = tuple[Any, Any, Any, Any]
Found = dict[str, list[Row]]

RESULT = {1: "1-0", 0.5: "1/2-1/2", 0: "0-1"}


def event(
    system: str,
    people: Sequence[Row],
    games: Sequence[Game] = (),
    *,
    day: str = "2025-12-01",
    paste: Sequence[tuple[Any, Any]] = (),
    cells: Mapping[str, Any] | None = None,
    spare: int = 3,
    **settings: Any,
) -> Book:
    """A book with these players and games typed in."""
    rules = find_system(system)
    values = rules.settings(settings)
    shaped = check_fits("event", rules, values)
    form = template("event")
    labels = EventView.input_columns(form, shaped)

    def column(rows: Sequence[Any], at: Any, count: int) -> list[Any]:
        return [row.get(at) if isinstance(row, dict) else row[at] for row in rows] + [None] * (count - len(rows))

    count, entries = len(games) + spare, len(people) + spare
    tables = {
        "Players": {label: column(people, label, entries) for label in labels["Players"]},
        "Games": {label: column(games, at, count) for at, label in enumerate(("Round", "White", "Black", "Result"))},
        "Paste": {label: column(paste, at, len(paste) + spare) for at, label in enumerate(labels["Paste"])},
    }
    typed = dict.fromkeys(EventView.input_cells(form)) | {"first_day": serial(day)} | dict(cells or {})
    rounds = max([int(game[0]) for game in games if isinstance(game[0], (int, float))], default=2)
    inputs = Inputs(tables, typed, EventView.sizes(count, entries, max(2, rounds)))
    return Book("event", find_system(system), values, inputs)


def differences(plan: Plan, values: Mapping[str, Mapping[tuple[int, int], Any]]) -> list[str]:
    """The cells that an engine computes otherwise than the plan says."""
    found = []
    for cell in plan.formulas():
        got, want = values[cell.sheet].get((cell.row, cell.column)), cell.value
        if isinstance(want, (int, float)) and isinstance(got, (int, float)):
            same = abs(got - want) <= TOLERANCE * max(1.0, abs(want) / 4000)
        else:
            same = (got in (None, "") and want in (None, "")) or got == want
        if not same:
            found.append(f"{cell.sheet}!R{cell.row}C{cell.column} {cell.label}: {want!r}, got {got!r}: {cell.formula}")
    return found


def recalculated(book: Book, tmp_path: Path, engine: str = "ironcalc") -> Found:
    """Every table of the book as an engine computes it, row by row, after comparing each cell with the plan."""
    plan = plan_book(book)
    target = tmp_path / "event.xlsx"
    write_book(plan, target, overwrite=True)
    values = recalculate(target, engine).values
    assert differences(plan, values) == []
    found: Found = {}
    for sheet in plan.sheets:
        for table in sheet.tables:
            found[table.name] = [
                {
                    column.label: column.fill.values[row - table.first_data_row]
                    if column.fill.formula is None
                    else values[sheet.name].get((row, at))
                    for at, column in enumerate(table.columns, table.first_column)
                }
                for row in range(table.first_data_row, table.last_row + 1)
            ]
    labels = {cell.row: cell.value for cell in plan.sheet("Paste").cells if cell.column == 14}
    found["_Paste"] = [{str(label): values["Paste"].get((row, 15)) for row, label in labels.items()}]
    found["_Start"] = [{"": value} for value in values["Start"].values()]
    return found


def amiss(book: Book) -> dict[str, object]:
    """The lines of the sheet Check that are not zero, by role."""
    found = {cell.row: cell.value for cell in plan_book(book).sheet("Check").cells if cell.column == 2}
    lines = enumerate(view_of("event")(book).check_lines(), HEADER_ROW + 1)
    return {line["role"]: found[row] for row, line in lines if found[row]}


def named(found: Found, table: str, name: str) -> Row:
    return next(row for row in found[table] if row.get("Name") == name)


def pasted(found: Found) -> Row:
    return found["_Paste"][0]


def one_against(opponents: Sequence[float], scores: Sequence[float], **own: Any) -> tuple[list[Row], list[Game]]:
    """A player who meets an opponent in each round, with White in the odd ones."""
    people = [{"Name": "Player 1", **own}]
    people += [{"Name": f"Player {i}", "Rating": rating} for i, rating in enumerate(opponents, 2)]
    games: list[Game] = []
    for i, score in enumerate(scores, 2):
        pair = ("Player 1", f"Player {i}") if i % 2 == 0 else (f"Player {i}", "Player 1")
        games.append((i - 1, *pair, RESULT[score if i % 2 == 0 else 1 - score]))
    return people, games


# --- what federations published


def test_fide_period_2053_comes_out_of_the_sheets(tmp_path: Path) -> None:
    people, games = one_against([1675, 2310, 1653, 1884, 2218], [1, 0, 1, 1, 0], Rating=2053, K=20)
    mine = named(recalculated(event("fide", people, games), tmp_path), "Ratings", "Player 1")
    assert mine["Sum ΔR"] == pytest.approx(-0.01, abs=1e-9)
    assert mine["K × ΔR"] == pytest.approx(-0.2, abs=1e-9)
    assert (mine["n"], mine["Change"], mine["New rating"]) == (5, 0, 2053)


@pytest.mark.parametrize("number", range(5))
def test_fide_calculations_of_2008_to_2010_come_out_of_the_sheets(number: int, tmp_path: Path) -> None:
    answer = answers()[f"fide-official-2008-2010-{number}"]
    given, expected = answer["inputs"], answer["expected"]
    people, games = one_against(given["opponents"], given["scores"], Rating=given["rating"], K=given["K"])
    paste = list(zip(given["opponents"], given["scores"], strict=True))
    cells = {"paste_rating": float(given["rating"]), "paste_step": float(given["K"])}
    found = recalculated(event("fide", people, games, day="2009-12-01", paste=paste, cells=cells), tmp_path)
    mine = named(found, "Ratings", "Player 1")
    assert mine["We"] == pytest.approx(expected["We"], abs=1e-9)
    assert mine["K × ΔR"] == pytest.approx(expected["change"], abs=1e-9)
    assert pasted(found)["We"] == pytest.approx(expected["We"], abs=1e-9)
    assert pasted(found)["K"] * pasted(found)["Sum ΔR"] == pytest.approx(expected["change"], abs=1e-9)


@pytest.mark.parametrize(
    "name", ["2000-3of5", "2000-2of5", "2000-2.5of5", "2100-5of5", "1600-1of5", "1800-4of7", "2400-3of5"]
)
def test_fide_first_ratings_come_out_of_the_sheets(name: str, tmp_path: Path) -> None:
    answer = answers()[f"fide-initial-{name}"]
    opponents, total = answer["inputs"]["opponents"], answer["inputs"]["score"]
    scores = [min(1, max(0, total - i)) for i in range(len(opponents))]
    people, games = one_against(opponents, scores)
    found = recalculated(event("fide", people, games), tmp_path)
    assert named(found, "Newcomers", "Player 1")["Ru"] == answer["expected"]["Ru"]
    assert named(found, "Players", "Player 1")["New rating"] == answer["expected"]["Ru"]
    # A game against a player without a rating changes nobody's rating.
    assert {row["n"] for row in found["Ratings"]} == {0}


def test_the_limit_of_k_times_games(tmp_path: Path) -> None:
    people, games = one_against([2000] * 36, [1] * 36, Rating=2000, K=20)
    mine = named(recalculated(event("fide", people, games), tmp_path), "Ratings", "Player 1")
    assert (mine["n"], mine["List K"], mine["K"]) == (36, 20, 19)
    assert mine["Change"] == 342  # 19 times 18


@pytest.mark.parametrize(("day", "expected"), [("2025-09-30", 0.92), ("2025-10-01", 0.96)])
def test_the_full_difference_counts_from_2650_since_october_2025(day: str, expected: float, tmp_path: Path) -> None:
    people, games = one_against([2150, 2150], [1, 1], Rating=2650)
    mine = recalculated(event("fide", people, games, day=day), tmp_path)["Games"][0]
    assert mine["White expects"] == pytest.approx(expected)
    assert mine["Black expects"] == pytest.approx(0.08)  # his own rating decides


@pytest.mark.parametrize(
    ("facts", "k"),
    [
        ({}, 20),
        ({"Games": 29}, 40),
        ({"Games": 30}, 20),
        ({"Highest": 2400}, 10),
        ({"Born": 2007}, 40),
        ({"Born": 2006}, 20),
        ({"Born": 2007, "Highest": 2300}, 20),
        ({"Born": 2007, "K": 15}, 15),
    ],
)
def test_k_follows_from_games_highest_rating_and_age(facts: Row, k: float, tmp_path: Path) -> None:
    people, games = one_against([2000, 2000], [1, 0], Rating=2100, **facts)
    mine = named(recalculated(event("fide", people, games, day="2025-12-01"), tmp_path), "Ratings", "Player 1")
    assert mine["K"] == k


@pytest.mark.parametrize("number", range(10))
def test_official_dwz_evaluations_come_out_of_the_sheets(number: int, tmp_path: Path) -> None:
    answer = answers()[f"dwz-official-{number}"]
    given, expected = answer["inputs"], answer["expected"]
    people, games = one_against(given["opponents"], given["scores"], Rating=given["rating"], E=given["E"])
    paste = list(zip(given["opponents"], given["scores"], strict=True))
    cells = {"paste_rating": float(given["rating"]), "paste_step": float(given["E"])}
    found = recalculated(event("dwz", people, games, paste=paste, cells=cells), tmp_path)
    mine = named(found, "Ratings", "Player 1")
    assert mine["We"] == pytest.approx(expected["We"], abs=1e-9)
    assert mine["New rating"] == expected["new"]
    assert pasted(found)["We"] == pytest.approx(expected["We"], abs=1e-9)
    assert pasted(found)["Rating after"] == expected["new"]


@pytest.mark.parametrize(
    ("rating", "opponent", "score", "new"),
    [(1000, 1200, 1, 1101), (1000, 1200, 0, 985), (1200, 1000, 1, 1232), (1200, 1000, 0, 1132)],
)
def test_the_dwz_of_young_players_as_a_club_published_it(
    rating: float, opponent: float, score: float, new: float, tmp_path: Path
) -> None:
    people, games = one_against([opponent], [score], Rating=rating, Index=10, Born=2008)
    mine = named(recalculated(event("dwz", people, games, day="2020-06-01"), tmp_path), "Ratings", "Player 1")
    assert mine["New rating"] == new


def test_a_published_section_of_us_chess_comes_out_of_the_sheets(tmp_path: Path) -> None:
    answer = answers()["us-section-novice-R"]
    listed = answer["inputs"]["players"]
    people = [
        {"Name": f"Player {i}", "Rating": p["pre"], "Games": p["games_before"] if p["games_before"] else 60}
        for i, p in enumerate(listed, 1)
    ]
    games: list[Game] = []
    for i, player in enumerate(listed, 1):
        for number, code in enumerate(player["rounds"].split(), 1):
            if code[0] == "W":
                games.append((number, f"Player {i}", f"Player {code[1:]}", "1-0"))
            elif code in {"BH", "BF"}:
                games.append((number, f"Player {i}", None, "1/2 bye" if code == "BH" else "1 bye"))
    found = recalculated(event("uschess", people, games, day="2026-08-30"), tmp_path)
    for i, expected in enumerate(answer["expected"], 1):
        assert named(found, "Ratings", f"Player {i}")["Rating after"] == pytest.approx(expected, abs=0.0151)


def test_a_published_bonus_of_us_chess_comes_out_of_the_pasted_list(tmp_path: Path) -> None:
    answer = answers()["us-standard-bonus"]
    paste = [(rating, "W") for rating in answer["inputs"]["opponents"]]
    cells = {"paste_rating": answer["inputs"]["rating"]}
    found = pasted(recalculated(event("uschess", [], paste=paste, cells=cells, day="2026-08-30"), tmp_path))
    assert found["K"] == pytest.approx(answer["expected"]["K"], abs=0.005)
    assert found["We"] == pytest.approx(answer["expected"]["E"], abs=0.005)
    assert found["Bonus"] == pytest.approx(answer["expected"]["bonus"], abs=0.005)
    assert found["Standard rating"] == pytest.approx(answer["expected"]["post"], abs=0.005)


# --- sections of players by every formula of US Chess


@pytest.mark.parametrize("seed", range(6))
def test_provisional_players_are_rated_in_formulas(seed: int, tmp_path: Path) -> None:
    """Newcomers, few games, all won, all lost; the engine solves the special formula as the core does."""
    chance = random.Random(seed)
    kinds: list[Row] = [
        {"Games": 0},
        {"Games": 3},
        {"Games": 8},
        {"Games": 9},
        {"Games": 12, "One-sided": 1},
        {"Games": 5, "One-sided": -1},
        {"Games": 40, "Peak": 1941},
        {"Games": 0, "Rating": None},
    ]
    people = [
        {"Name": f"Player {i + 1}", "Rating": float(chance.randrange(300, 2300))} | kinds[i % len(kinds)]
        for i in range(12)
    ]
    games: list[Game] = []
    for number in range(1, 6):
        order = chance.sample(range(12), 12)
        for a, b in zip(order[::2], order[1::2], strict=True):
            score = chance.choice(["1-0", "0-1", "1/2-1/2"] if seed % 2 else ["1-0", "1-0", "0-1", "+/-"])
            games.append((number, people[a]["Name"], people[b]["Name"], score))
    found = recalculated(event("uschess", people, games), tmp_path)
    assert any(row["Special first"] not in ("", None) for row in found["Passes"])


def test_a_player_without_rating_and_games_is_new_to_us_chess(tmp_path: Path) -> None:
    """No opponent is 400 points away, so the special formula of a newcomer is mean + 400 (wins - losses) / games."""
    people, games = one_against([1500, 1600, 1550, 1450], [1, 1, 0.5, 0])
    found = recalculated(event("uschess", people, games), tmp_path)
    mine = named(found, "Ratings", "Player 1")
    assert (mine["Rating"], mine["Games before"], mine["Special"]) == (1300, 0, 1)
    assert {named(found, "Ratings", f"Player {i}")["Games before"] for i in (2, 3, 4, 5)} == {50}
    met = [found["Passes"][i]["First pass"] for i in (1, 2, 3, 4)]
    assert mine["Rating after"] == pytest.approx(sum(met) / 4 + 400 * (2 - 1) / 4, abs=1e-9)
    settled = recalculated(event("uschess", [people[0] | {"Games": 50}, *people[1:]], games), tmp_path)
    assert named(settled, "Ratings", "Player 1")["Special"] == 0


# --- standings


def test_points_and_tie_breaks_are_those_of_an_independent_count(tmp_path: Path) -> None:
    chance = random.Random(7)
    names = [f"Player {i}" for i in range(1, 9)]
    games: list[Game] = []
    points = dict.fromkeys(names, 0.0)
    met: dict[str, list[tuple[str, float]]] = {name: [] for name in names}
    for number in range(1, 6):
        order = chance.sample(names, 8)
        for white, black in zip(order[:6:2], order[1:6:2], strict=True):
            score = chance.choice([1, 0.5, 0])
            games.append((number, white, black, RESULT[score]))
            points[white] += score
            points[black] += 1 - score
            met[white].append((black, score))
            met[black].append((white, 1 - score))
        games.append((number, order[6], None, "1 bye"))
        points[order[6]] += 1
        games.append((number, order[7], order[6], "0 bye") if number == 6 else (number, order[7], None, "1/2 bye"))
        points[order[7]] += 0.5
    people = [{"Name": name, "Rating": 2000 - 10 * i} for i, name in enumerate(names)]
    found = recalculated(event("fide", people, games), tmp_path)
    rows = [row for row in found["Standings"] if row["Name"]]
    assert len(rows) == 8
    for row in rows:
        name = row["Name"]
        assert row["Points"] == points[name]
        assert row["Buchholz"] == sum(points[other] for other, _ in met[name])
        assert row["SB"] == sum(points[other] * score for other, score in met[name])
    order = [(row["Points"], row["Buchholz"], row["SB"]) for row in rows]
    assert order == sorted(order, reverse=True)
    place = {row["Name"]: int(row["Rank"]) for row in rows}
    number, white, black, result = games[0]
    shown = next(row for row in rows if row["Name"] == white)["R1"]
    assert shown == f"{place[black]}w{ {'1-0': '1', '0-1': '0', '1/2-1/2': '½'}[result] }"


def test_the_points_of_a_real_open_are_those_of_its_report(tmp_path: Path) -> None:
    """The report prints every player's points, byes and forfeits included."""
    text = TRF.read_text(encoding="utf-8").splitlines()
    printed = {line[14:47].strip(): float(line[80:84]) for line in text if line.startswith("001")}
    found = recalculated(trf_book("fide"), tmp_path)
    points = {row["Name"]: row["Points"] for row in found["Standings"] if row["Name"]}
    assert points == printed


@pytest.mark.parametrize("system", SYSTEMS)
def test_the_small_bars_are_what_each_round_brought_against_expectation(system: str, tmp_path: Path) -> None:
    """Of an open with byes and forfeits, which leave a gap."""
    book = trf_book(system)
    found, sheet = recalculated(book, tmp_path), plan_book(book).sheet("Standings")
    brought: dict[tuple[str, float], Any] = {}
    for game in found["Games"]:
        for side in ("White", "Black"):
            if game[f"{side} ΔR"] not in (None, ""):
                brought[game[side], game["Round"]] = game[f"{side} ΔR"]
    rounds = sum(label.startswith("Round ") for label in found["Sparks"][0])
    drawn = {
        (place["Name"], float(r)): bars[f"Round {r}"]
        for place, bars in zip(found["Standings"], found["Sparks"], strict=True)
        for r in range(1, rounds + 1)
        if bars[f"Round {r}"] not in (None, "")
    }
    assert drawn == pytest.approx(brought, abs=TOLERANCE)
    assert 0 < len(drawn) < rounds * len(found["Ratings"])
    headers = [column.label for column in plan_book(book).sheet("Sparks").tables[0].columns]
    first, last = (column_letters(headers.index(f"Round {r}") + 1) for r in (1, rounds))
    top = sheet.tables[0].first_data_row
    assert sheet.sparklines[0].range == f"Sparks!${first}${top}:${last}${top}"
    assert len(sheet.sparklines) == len(found["Standings"])


# --- what is amiss


def test_the_check_finds_what_is_amiss(tmp_path: Path) -> None:
    people: list[Row] = [{"Name": name, "Rating": 2000} for name in ("Player 1", "Player 2", "player 1", ">5", "Abe*")]
    games: list[Game] = [
        (1, "Player 1", "Player 2", "1-0"),
        (1, "Player 1", ">5", "0-1"),
        (2, "Abe*", "Abe*", "1-0"),
        (2, "Abel", "Player 2", "1-0"),
        (3, "Abe*", ">5", None),
        (None, "Abe*", "Player 2", "1-0"),
        (4, "Abe*", "Player 2", "1 bye"),
        (9, "Player 2", "Abe*", "-/-"),
    ]
    book = event("fide", people, games)
    assert amiss(book) == {
        "self_play": 1.0,
        "unknown_names": 1.0,
        "no_result": 1.0,
        "no_round": 1.0,
        "strange_byes": 1.0,
        "twice": 2.0,
        "twins": 1.0,
    }
    found = recalculated(book, tmp_path)
    statuses = [row["Status"] for row in found["Games"]][:8]
    assert statuses == [
        "rated",
        "rated",
        "same player twice",
        "not on Players: did you mean Abe*?",
        "no result",
        "no round",
        "bye with opponent",
        "forfeit",
    ]


def test_opponents_count_at_their_rating_before_the_event(tmp_path: Path) -> None:
    people = [{"Name": f"Player {i}", "Rating": 1800.0, "K": 40} for i in (1, 2, 3)]
    games: list[Game] = [(1, "Player 1", "Player 2", "1-0"), (2, "Player 2", "Player 3", "1-0")]
    found = recalculated(event("fide", people, games), tmp_path)
    assert [row["New rating"] for row in found["Ratings"][:3]] == [1820, 1800, 1780]


def test_results_may_be_pasted_in_many_spellings(tmp_path: Path) -> None:
    paste = [(1500, text) for text in (1, 0.5, 0, "W", "draw", "½", "=", "1-0", "0-1", "l", "1", "0.5")]
    found = recalculated(event("fide", [], paste=paste, cells={"paste_rating": 1500.0}), tmp_path)
    scores = [row["Score"] for row in found["Paste"]][:12]
    assert scores == [1, 0.5, 0, 1, 0.5, 0.5, 0.5, 1, 0, 0, 1, 0.5]
    assert pasted(found)["W"] == 6.5
    odd = recalculated(event("fide", [], paste=[*paste, (1500, "?")], cells={"paste_rating": 1500.0}), tmp_path)
    assert (pasted(odd)["Status"], pasted(odd)["W"]) == ("A row in red is not understood", "")


# --- every cell, every size


def trf_book(system: str) -> Book:
    return filled_book("event", find_system(system), {}, read([TRF]).games)


FORMS: list[tuple[str, dict[str, Any]]] = [
    ("fide", {}),
    ("fide", {"kind": "rapid"}),
    ("fide", {"rules": "dated"}),
    ("fide", {"kind": "blitz", "rules": "dated"}),
    ("dwz", {}),
    ("dwz", {"rules": "2026", "expectancy": "logistic"}),
    ("uschess", {"dual_rated": "yes"}),
]


@pytest.mark.parametrize(("system", "settings"), FORMS)
def test_an_empty_book_has_no_errors(system: str, settings: dict[str, Any], tmp_path: Path) -> None:
    found = recalculated(blank_book("event", find_system(system), settings, 20), tmp_path)
    assert any(row[""] == "All checks are green" for row in found["_Start"])


@pytest.mark.parametrize(("system", "settings"), FORMS)
def test_every_cell_of_a_real_event_is_the_plans(system: str, settings: dict[str, Any], tmp_path: Path) -> None:
    games = read([SAMPLES / "uzchesscup.pgn"]).games
    found = recalculated(filled_book("event", find_system(system), settings, games), tmp_path)
    assert sum(row["Status"] == "rated" for row in found["Games"]) == 45


@pytest.mark.libreoffice
@pytest.mark.parametrize(("system", "settings"), [("fide", {}), ("dwz", {}), ("uschess", {})])
def test_libreoffice_computes_every_cell_of_an_open(system: str, settings: dict[str, Any], tmp_path: Path) -> None:
    recalculated(trf_book(system), tmp_path, "libreoffice")


@pytest.mark.parametrize("system", SYSTEMS)
def test_validate_agrees_with_a_real_open(system: str, tmp_path: Path) -> None:
    target = tmp_path / "open.xlsx"
    write_book(plan_book(trf_book(system)), target)
    verdict = validate(target)
    assert verdict.exit_code == 0
    assert not [finding for finding in verdict.findings if finding.code != "ES404"]


def test_a_report_fills_the_facts_about_its_players() -> None:
    typed = trf_book("fide").inputs.tables["Players"]
    first = {label: values[0] for label, values in typed.items()}
    assert first["Name"] == "Mirzoev Azer"
    assert (first["Rating"], first["Fed"], first["Born"]) == (2527.0, "AZE", 1978.0)


def test_a_report_fills_what_is_played() -> None:
    """Lines 012, 022 and 032, 042, 052, 102 and 122 of the report."""
    cells = trf_book("fide").inputs.cells
    assert (cells["name"], cells["place"]) == ("XX Open Internacional de Gros", "Donostia, ESP")
    assert (cells["first_day"], cells["last_day"]) == (serial("2010-09-24"), serial("2010-10-02"))
    assert cells["arbiter"] == "IA Mikel Larreategi Arana (22232540)"
    assert cells["tempo"] == "moves/time, increment"


def test_titles_of_a_log_stand_on_players() -> None:
    games = read([SAMPLES / "uzchesscup.pgn"]).games
    typed = filled_book("event", find_system("fide"), {}, games).inputs.tables["Players"]
    assert [title for name, title in zip(typed["Name"], typed["Title"], strict=True) if name] == ["GM"] * 10


def test_matches_of_us_chess_are_refused() -> None:
    with pytest.raises(UsageError, match="rates sections"):
        blank_book("event", find_system("uschess"), {"matches": "yes"})


def test_what_one_game_of_many_says_is_no_tournaments_name() -> None:
    games = read([SAMPLES / "uzchesscup.pgn"]).games
    assert games["event"].value_counts().to_dict()[""] == len(games) - 1
    assert filled_book("event", find_system("fide"), {}, games).title == ""
    named = filled_book("event", find_system("fide"), {}, games.assign(event="Cup"))
    assert (named.title, named.inputs.cells["name"]) == ("Cup", "Cup")


# --- first ratings


@pytest.mark.parametrize(
    ("games", "facts", "remark"),
    [
        (5, {}, "no points in the first event: it does not count"),
        (3, {}, "no points in the first event: it does not count"),
        (5, {"Games": 6}, "earlier games count too: to be rated together"),
    ],
)
def test_a_first_event_without_a_point_gives_no_fide_rating(
    games: int, facts: Row, remark: str, tmp_path: Path
) -> None:
    people, played = one_against([2400] * games, [0] * games, **facts)
    found = recalculated(event("fide", people, played), tmp_path)
    mine = named(found, "Newcomers", "Player 1")
    assert mine["First rating"] in ("", None)
    assert mine["Remark"] == remark
    assert named(found, "Players", "Player 1")["New rating"] in ("", None)


def test_a_point_in_the_first_event_counts(tmp_path: Path) -> None:
    """Ra = (5 x 2400 + 3600) / 7 = 2228.57, 1.5 of 7 is 21 %, for which the table has -230: 1999."""
    people, played = one_against([2400] * 5, [0.5, 0, 0, 0, 0])
    mine = named(recalculated(event("fide", people, played), tmp_path), "Newcomers", "Player 1")
    assert (mine["First rating"], mine["Remark"]) == (1999, "first rating")


def expects(rating: float, opponents: Sequence[float]) -> float:
    curve = NormalDist(0, 200 * 2**0.5)
    return sum(curve.cdf(rating - opponent) for opponent in opponents)


FIELDS: dict[str, tuple[list[float], list[float]]] = {
    "level": ([1500] * 6, [1, 0, 0.5, 1, 0, 0.5]),
    "halfway": ([1400, 1601, 1400, 1601, 1500, 1501], [1, 0.5, 0, 1, 0, 0.5]),
    "mixed": ([1210, 1744, 1903, 1388, 1520, 1695, 2011], [1, 0, 0.5, 1, 0.5, 0, 0]),
    "far apart": ([700, 2700, 750, 2650, 800], [1, 0, 1, 0, 0.5]),
    "one half point": ([1100, 1180, 950, 1240, 1015, 990, 1300, 1120, 1060], [0.5] + [0] * 8),
    "below 800": ([800, 750, 820, 790, 760], [0.5, 0, 0, 0, 0]),
    "all but a half": ([2100, 2000, 1900, 2050, 1950], [1, 1, 1, 1, 0.5]),
}


@pytest.mark.parametrize("field", FIELDS)
def test_a_first_dwz_is_where_the_curve_expects_the_points(field: str, tmp_path: Path) -> None:
    opponents, scores = FIELDS[field]
    people, games = one_against(opponents, scores)
    found = recalculated(event("dwz", people, games), tmp_path)
    mine = named(found, "Newcomers", "Player 1")
    performance = mine["Performance"]
    assert expects(performance - 0.0001, opponents) < sum(scores) < expects(performance + 0.0001, opponents)
    low = 700 + performance / 8
    assert mine["First rating"] == int((low if performance < 800 else performance) + 0.5)
    assert mine["Remark"] == "first rating"
    assert named(found, "Players", "Player 1")["New rating"] == mine["First rating"]


def test_a_first_dwz_needs_five_games_and_a_score_between_none_and_all(tmp_path: Path) -> None:
    rated = [{"Name": f"Player {i}", "Rating": 1500 + 10 * i} for i in range(1, 6)]
    new = {"All": [1, 1, 1, 1, 1], "None": [0, 0, 0, 0, 0], "Four": [1, 0.5, 0, 0], "Some": [1, 0, 0, 1, 0]}
    games: list[Game] = [
        (number, name, f"Player {number}", RESULT[score])
        for name, scores in new.items()
        for number, score in enumerate(scores, 1)
    ]
    for rules, every in (("2014", "every game won: no first rating"), ("2026", "first rating")):
        book = event("dwz", [*rated, *({"Name": name} for name in new)], games, rules=rules)
        found = recalculated(book, tmp_path)
        remarks = {name: named(found, "Newcomers", name)["Remark"] for name in new}
        few = "fewer than 5 games: no first rating"
        assert remarks == {"All": every, "None": "no points: no first rating", "Four": few, "Some": "first rating"}
        (tmp_path / "event.xlsx").unlink()
        # A draw with the average opponent is added where every game was won.
        if rules == "2026":
            mine = named(found, "Newcomers", "All")
            met = [1510, 1520, 1530, 1540, 1550, 1530]
            assert expects(mine["Performance"], met) == pytest.approx(5.5, abs=1e-6)
            raised = mine["Performance"] + 0.08 * (2000 - mine["Performance"])
            assert mine["First rating"] == int(raised + 0.5)


def test_newcomers_beyond_the_sheet_are_counted(tmp_path: Path) -> None:
    people = [{"Name": "Player 0", "Rating": 1500}] + [{"Name": f"Player {i}"} for i in range(1, 13)]
    games: list[Game] = [(i, f"Player {i}", "Player 0", "1/2-1/2") for i in range(1, 13)]
    for system in ("fide", "dwz"):
        book = event(system, people, games)
        assert amiss(book)["beyond_newcomers"] == 2
        recalculated(book, tmp_path)
        (tmp_path / "event.xlsx").unlink()


# --- performances, the chart


@pytest.mark.parametrize("system", ["fide", "dwz"])
def test_a_player_without_rating_has_a_performance(system: str, tmp_path: Path) -> None:
    """4.5 of 6 against 1900 on average is 75 %, for which FIDE's table has 193; linear it is 400 x (4 - 1) / 6.

    DWZ's is the rating at which the normal curve of 200 times the root of 2 expects 4.5.
    """
    opponents = [1800, 1850, 1900, 1950, 2000, 1900]
    people, games = one_against(opponents, [1, 1, 1, 1, 0.5, 0])
    curve = NormalDist(0, 200 * 2**0.5)
    own = min(range(1000, 3000), key=lambda rating: abs(sum(curve.cdf(rating - one) for one in opponents) - 4.5))
    printed = {"fide": 2093, "dwz": own}[system]
    games.append((7, "Player 1", "Unrated", "1-0"))
    book = event(system, [*people, {"Name": "Unrated"}], games)
    found = recalculated(book, tmp_path)
    mine = named(found, "Ratings", "Player 1")
    assert (mine["n"], mine["Met"], mine["Points met"], mine["Average met"]) == (0, 6, 4.5, 1900)
    assert (mine["Rp"], mine["Rp linear"]) == (printed, 2100)
    assert next(row for row in found["Standings"] if row["Name"] == "Player 1")["Rp"] == printed
    assert named(found, "Ratings", "Unrated")["Rp"] in ("", None)


def test_the_chart_of_changes_says_how_many_places_it_draws() -> None:
    people, games = one_against([1800, 1850], [1, 0], Rating=1800)
    charts = [chart.title for chart in plan_book(event("fide", people, games)).sheet("Event").charts]
    assert charts == ["Results by round", "Rating change by place"]
    plan = plan_book(trf_book("fide"))
    assert plan.sheet("Event").charts[1].title == "Rating change of the first 20 places"
    assert plan.sheet("Event").charts[1].series[0].values.endswith("$24")


@pytest.mark.parametrize("system", SYSTEMS)
def test_who_won_against_the_expectation_is_marked(system: str, tmp_path: Path) -> None:
    """With 150 points more 0.70 is expected by every curve, so 0.3 at most of the other; draws are no upsets."""
    people = [{"Name": "Low", "Rating": 1500}, {"Name": "Near", "Rating": 1700}, {"Name": "High", "Rating": 1800}]
    games: list[Game] = [
        (1, "Low", "High", "1-0"),
        (2, "High", "Low", "0-1"),
        (3, "High", "Low", "1-0"),
        (4, "Low", "High", "1/2-1/2"),
        (5, "Near", "High", "1-0"),
        (6, "Low", "High", "+/-"),
    ]
    plan = plan_book(event(system, people, games))
    sheet = plan.sheet("Games")
    marks = {mark.range: mark.formula for mark in sheet.highlights if mark.style == "podium"}
    cells = []
    for column, side in enumerate(("White", "Black"), 1):
        for row in range(1, len(games) + 1):
            text = re.sub(r"(\$[A-Z]+)5\b", rf"Games!\g<1>{row + 4}", marks[sheet.tables[0].range(side)])
            cells.append(CellPlan(row, column, 0.0, f"IF({text},1,0)"))
    write_book(replace(plan, sheets=(*plan.sheets, SheetPlan("Marks", tuple(cells)))), tmp_path / "event.xlsx")
    found = recalculate(tmp_path / "event.xlsx", "ironcalc").values["Marks"]
    marked = {cell for cell, value in found.items() if value == 1}
    assert marked == {(1, 1), (2, 2)}


@pytest.mark.parametrize(("system", "settings"), FORMS)
def test_formulas_can_be_read(system: str, settings: dict[str, Any]) -> None:
    """Ledger and Paste ask their questions one column at a time, and name the cells beside the list."""
    plan = plan_book(blank_book("event", find_system(system), settings, 20))
    mine = [cell for cell in plan.formulas() if cell.sheet in {"Ledger", "Paste"}]
    assert [cell.label for cell in mine if cell.label in {"Status", "Score"} and len(cell.formula) > 650] == []
    assert [cell.formula for cell in mine if cell.sheet == "Paste" and re.search(r"\$[A-Z]+\$\d", cell.formula)] == []
    assert plan.names["Paste_rating"] == "Paste!$O$5"


# --- what an import tells


def test_byes_and_forfeits_of_a_report_are_not_called_left_out(tmp_path: Path) -> None:
    """Of 26 pairings without a game in the report, those that give points, or are forfeited, are rows of Games."""
    target = tmp_path / "open.xlsx"
    done = import_logs([TRF], target, template="event")
    found = recalculate(target, "ironcalc").values["Games"]
    statuses = Counter(found.get((row, 16)) for row in range(5, 5 + 140))
    assert done.log.rejected == 26
    assert len(done.unrated) == statuses["bye"] + statuses["forfeit"]
    assert statuses["rated"] + statuses["unrated opponent"] == done.log.kept
    assert {problem.reason for problem in done.left_out} == {"absent: no game was played"}
    assert done.players == 52
    assert f"byes and forfeits ({len(done.unrated)}) stand in the book as points, not rated" in done.notes
    league = import_logs([TRF], tmp_path / "league.xlsx", template="league", dry_run=True)
    assert (league.unrated, len(league.left_out), league.players) == ([], 26, 51)
