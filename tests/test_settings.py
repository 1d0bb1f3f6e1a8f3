"""Every setting in every verb and template: a changed one changes the result as `replay` does, or is refused by name.

The settings are those that the systems list, so a new one is in these tests at once. A setting that changes nothing on
this log by itself needs others beside it, in `BESIDE`.
"""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import math
import random
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from elo_sheets.errors import UnreadableInput, UsageError
from elo_sheets.games import make_games
from elo_sheets.odds.event import rate_event
from elo_sheets.readers import read
from elo_sheets.replaying.replay import replay
from elo_sheets.replaying.settings import by_system, first_alone
from elo_sheets.systems import SYSTEMS, Fit, Parameter, Rules, System
from elo_sheets.uses.differing import diff
from elo_sheets.uses.explaining import explain
from elo_sheets.uses.pairing import predict_pairing
from elo_sheets.uses.prediction import compare, fit
from elo_sheets.uses.simulation import simulate
from elo_sheets.workbook.book import Book
from elo_sheets.workbook.build import blank_book, filled_book, plan_book
from elo_sheets.workbook.fits import check_fits, fitting_systems, view_of
from elo_sheets.workbook.templates import NAMES, template

PLAYERS = [f"Player {i}" for i in range(1, 7)]
NEWCOMER = PLAYERS[-1]

# What else must be set for a setting to matter.
LADDER = {"k_rule": "ladder", "ladder_from": 1500}
BESIDE: dict[tuple[str, str], dict[str, Any]] = {
    ("elo", "ladder_from"): {"k_rule": "ladder"},
    ("elo", "ladder_k"): LADDER,
    ("elo", "second_from"): LADDER | {"second_k": 5},
    ("elo", "second_k"): LADDER | {"second_from": 1700},
    **{("elo", name): {"k_rule": "games"} for name in ("new_games", "new_k", "initial_games")},
    **{("elo", name): {"k_rule": "tennis"} for name in ("offset", "shape")},
    ("elo", "carry_mean"): {"carry_over": 0.5},
    **{("fide", name): {"initial_games": 40} for name in ("born", "initial_peak")},
    **{
        ("fide", name): {"rules": "dated"}
        for name in ("limit_400_from", "once_per_event_from", "every_game_from", "k_40_from")
    },
    ("fide", "earlier_new_k"): {"rules": "dated", "k_40_from": "2026-01-01"},
    **{("fide", name): {"rules": "dated", "kind": "rapid"} for name in ("rapid_limit_from", "rapid_k_from")},
    ("fide", "unrated_gap_from"): {"rules": "dated", "kind": "rapid"},
    ("chessmetrics", "shift"): {"minimum_games": 1},
    ("ecf", "junior_k"): {"born": 2010},
    **{
        ("uschess", p.name): {"initial_games": 30}
        for p in SYSTEMS["uschess"].parameters
        if p.name.startswith("bonus_") or p.name in {"dual_rated", "matches"}
    },
    ("uschess", "initial_one_sided"): {"initial_games": 4},
    ("uschess", "initial_absolute_floor"): {"initial_games": 30, "initial": 101},
}
# What a player has behind him, and where a report of US Chess has its final ratings.
PAST = ("initial_games", "initial_index")
AFTER = {"uschess": "rating_new"}

# By how much the players of the log differ before it, where the scale is not that of Elo.
STEP = {"trueskill": 3.0, "aga": 2.0, "ingo": 25.0, "ecf-grade": 25.0}
MIDDLE = {"fide": 2300.0, "uschess": 1900.0}


def _log() -> pd.DataFrame:
    """Events won at random by a fixed seed, under rules of many years; one is a match of two players.

    The newcomer, who is Black in his pairs, loses every game of the first event.
    """
    chance, records = random.Random(5), []
    everybody = list(itertools.combinations(PLAYERS, 2))
    starts = ("2014-06-01", "2016-03-01", "2022-12-05", "2023-03-29", "2024-03-01", "2024-10-01", "2025-02-10")
    for number, first in enumerate(starts):
        pairs, day = [(PLAYERS[0], PLAYERS[4])] * 4 if number == 4 else everybody, pd.Timestamp(first)
        for at, (white, black) in enumerate(pairs):
            if number != 4 and chance.random() < 0.4:
                continue
            score = chance.choice([1.0, 1.0, 0.5, 0.0])
            if number == 0 and black == NEWCOMER:
                score = 0.0 if at % 2 else 1.0
            goals = {1.0: (3.0, 1.0), 0.5: (2.0, 2.0), 0.0: (0.0, 2.0)}[score]
            records.append(
                {
                    "date": day,
                    "white": black if at % 2 else white,
                    "black": white if at % 2 else black,
                    "score": score,
                    "white_points": goals[0],
                    "black_points": goals[1],
                    "event": "Copa América" if number == 1 else f"Event {number}",
                    "season": str(2022 + number // 2),
                    "shootout": float(score == 0.5),
                    "weight": 30.0 if at % 3 == 1 else float("nan"),
                    "source": "log",
                    "source_row": len(records) + 2,
                }
            )
            day += pd.Timedelta(days=at % 2)
    return make_games(records)


GAMES = _log()


def _start(system: Rules) -> dict[str, dict[str, float]] | None:
    """What all but the newcomer start from: far enough apart that limits of differences matter."""
    if isinstance(system, Fit):
        return None
    default = next(float(p.default) for p in system.parameters if p.name == "initial")
    middle, step = MIDDLE.get(system.name, default), STEP.get(system.name, 250.0)
    return {name: {"rating": middle + (i - 2) * step} for i, name in enumerate(PLAYERS[:-1])}


def other_values(parameter: Parameter) -> Iterator[Any]:
    """Values besides the default: those of its choices, or days and numbers that its limits allow."""
    if parameter.name == "period":
        yield from ("event", "year", "month")
    elif parameter.choices:
        yield from (choice for choice in parameter.choices if choice != parameter.default)
    elif parameter.is_date:
        yield from ("2025-02-01", "2025-03-01", "2023-03-15", "2015-01-01")
    else:
        default, least = float(parameter.default), -math.inf if parameter.minimum is None else parameter.minimum
        for value in (default * 1.25 + 1, default * 0.7, 3.0, 40.0, 1600.0, 2010.0, 2450.0):
            if value != default and value >= least and abs(value) <= 1e6:
                yield value


def ratings(system: Rules, settings: Mapping[str, Any], start: Any = None) -> list[float]:
    return _rated(system.name, tuple(settings.items()), start is not None)


@cache
def _rated(name: str, settings: tuple[tuple[str, Any], ...], is_started: bool) -> list[float]:
    system = SYSTEMS[name]
    start = _start(system) if is_started else None
    found = replay(GAMES, system, dict(settings), start=start).ratings.set_index("player")["rating"]
    return [float(found[name]) for name in PLAYERS]


def apart(one: Sequence[float], other: Sequence[float]) -> float:
    return max(abs(a - b) for a, b in zip(one, other, strict=True))


@cache
def changed(name: str, setting: str) -> dict[str, Any]:
    """The settings that change one of them, and those beside it, so that `replay` gives other ratings."""
    system = SYSTEMS[name]
    parameter = next(p for p in system.parameters if p.name == setting)
    beside = BESIDE.get((name, setting), {})
    before = ratings(system, beside, _start(system))
    for value in other_values(parameter):
        now = {**beside, setting: value}
        with contextlib.suppress(UnreadableInput):  # a day before any game
            if apart(before, ratings(system, now, _start(system))) > 1e-9:
                return now
    raise AssertionError(f"{setting} of {name} changes no rating of this log: what must be set beside it?")


@cache
def replayed(name: str, setting: str) -> list[float]:
    """The ratings under the settings that change one of them, as every verb has to have them."""
    return ratings(SYSTEMS[name], changed(name, setting))


SETTINGS = [(s.name, p.name) for s in SYSTEMS.values() for p in s.parameters]


@pytest.mark.parametrize(("name", "setting"), SETTINGS)
def test_replay_follows_every_setting(name: str, setting: str) -> None:
    assert setting in changed(name, setting)


# --- the verbs that replay a log ------------------------------------------------------------------------------------

RATED = [s.name for s in SYSTEMS.values() if isinstance(s, System)]


def each_setting(name: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each setting of a system with the settings that change it."""
    for parameter in SYSTEMS[name].parameters:
        yield parameter.name, changed(name, parameter.name)


@pytest.mark.parametrize("name", RATED)
def test_explain_follows_every_setting(name: str) -> None:
    for setting, now in each_setting(name):
        last = explain(GAMES, NEWCOMER, SYSTEMS[name], now)[-1].after["rating"]
        assert last == pytest.approx(replayed(name, setting)[-1], abs=1e-9), setting


@pytest.mark.parametrize("name", [s.name for s in SYSTEMS.values() if not isinstance(s, Fit)])
def test_simulate_begins_with_the_ratings_of_replay_under_every_setting(name: str) -> None:
    fixture = [{"white": PLAYERS[0], "black": NEWCOMER, "score": 0.5, "source": "left", "source_row": 1}]
    if SYSTEMS[name].parameters[-1].name != "period":
        fixture[0] |= {"white_points": 1.0, "black_points": 1.0}
    left = make_games([{**fixture[0], "date": pd.Timestamp("2025-03-01"), "event": "Left", "season": "2025"}])
    for setting, now in each_setting(name):
        try:
            found = {one.name: one.rating for one in simulate(GAMES, left, SYSTEMS[name], now, runs=1).players}
        except UsageError as error:
            refusal(error, setting, now)
            continue
        assert [found[one] for one in PLAYERS] == pytest.approx(replayed(name, setting), abs=1e-9), setting


@pytest.mark.parametrize("name", [s.name for s in SYSTEMS.values()])
def test_a_comparison_rates_by_every_setting(name: str) -> None:
    for setting, now in each_setting(name):
        found = compare(GAMES, [(SYSTEMS[name], now)], burn_in=0).systems[0]
        got = [found.ratings[one] for one in PLAYERS]
        assert got == pytest.approx(replayed(name, setting), abs=1e-9, nan_ok=True), setting


@pytest.mark.parametrize("name", [s.name for s in SYSTEMS.values()])
def test_a_setting_that_names_its_system_is_that_ones_alone_in_a_comparison(name: str) -> None:
    other = "elo" if name != "elo" else "fide"
    plain = ratings(SYSTEMS[other], {})
    own: dict[str, Any] = {}
    for setting, now in each_setting(name):
        named = {f"{name}.{key}": value for key, value in now.items()}
        (first, own), _ = by_system([SYSTEMS[other], SYSTEMS[name]], named)
        assert (first, own) == ({}, now), setting
    found = compare(GAMES, [(SYSTEMS[other], {}), (SYSTEMS[name], own)], burn_in=0).systems
    assert [found[0].ratings[one] for one in PLAYERS] == pytest.approx(plain, abs=1e-9)
    got = [found[1].ratings[one] for one in PLAYERS]
    assert got == pytest.approx(ratings(SYSTEMS[name], own), abs=1e-9, nan_ok=True)


@pytest.mark.parametrize("name", [s.name for s in SYSTEMS.values()])
def test_the_odds_of_a_pairing_begin_with_the_ratings_of_replay_under_every_setting(name: str) -> None:
    for setting, now in each_setting(name):
        try:
            found = predict_pairing(PLAYERS[0], PLAYERS[1], GAMES, system=name, settings=now)
        except UsageError as error:
            refusal(error, setting, now)
            continue
        assert list(found.ratings) == pytest.approx(replayed(name, setting)[:2], abs=1e-9), setting


@pytest.mark.parametrize("name", ["elo", "fide", "glicko2"])
def test_a_fit_searches_beside_every_setting_that_is_given(name: str) -> None:
    rules, low = SYSTEMS[name], next(float(p.default) for p in SYSTEMS[name].parameters if p.name == "initial")
    for setting, now in each_setting(name):
        if setting == "initial":
            continue
        found = fit(GAMES, rules, {"initial": (low, low + 1)}, now, burn_in=0)
        alone = compare(GAMES, [(rules, now | found.found)], burn_in=0).systems[0]
        assert found.log_loss == pytest.approx(alone.log_loss, abs=1e-9), setting


@pytest.mark.parametrize("name", ["elo", "fide", "glicko2"])
def test_a_difference_of_two_logs_is_that_of_two_replays_under_every_setting(name: str, tmp_path: Path) -> None:
    columns = ["date", "white", "black", "score", "white_points", "black_points", "event", "season"]
    table = GAMES[columns].assign(number=range(len(GAMES)))
    logs = tmp_path / "a.csv", tmp_path / "b.csv"
    table.to_csv(logs[0], index=False)
    table.iloc[:-1].to_csv(logs[1], index=False)
    whole, less = (read([log]).games for log in logs)
    for setting, now in each_setting(name):
        found = diff(*logs, system=name, settings=now)
        after = [replay(games, SYSTEMS[name], now).ratings.set_index("player")["rating"] for games in (whole, less)]
        moved = {one.name: (one.before, one.after) for one in found.players}
        assert moved, setting
        for player, both in moved.items():
            assert both == pytest.approx([float(ratings[player]) for ratings in after], abs=1e-9), setting


# --- templates ------------------------------------------------------------------------------------------------------


def in_template(view: str) -> list[tuple[str, str]]:
    return [(name, system) for name in NAMES if template(name)["view"] in view for system in fitting_systems(name)]


def refusal(error: UsageError, setting: str, now: Mapping[str, Any]) -> None:
    """A refusal names the setting, or one that it needs beside it."""
    assert any(name in str(error) or str(value) in str(error) for name, value in now.items()), (setting, str(error))


def started(book: Book, system: Rules) -> Book:
    """The book with the start ratings typed where its players are listed."""
    name, players = next((name, table) for name, table in book.inputs.tables.items() if "Start rating" in table)
    start, listed = _start(system) or {}, next(iter(players.values()))
    typed = [start.get(str(player), {}).get("rating") for player in listed]
    tables = {**book.inputs.tables, name: {**players, "Start rating": typed}}
    return dataclasses.replace(book, inputs=dataclasses.replace(book.inputs, tables=tables))


@pytest.mark.parametrize(("name", "system"), in_template("pool ratings-list season compare"))
def test_a_book_of_a_pool_follows_every_setting_or_refuses_it(name: str, system: str) -> None:
    rules, view = SYSTEMS[system], view_of(name)
    for setting, now in each_setting(system):
        try:
            book = started(filled_book(name, rules, now, GAMES), rules)
        except UsageError as error:
            refusal(error, setting, now)
            continue
        shaped = check_fits(name, rules, book.settings)
        pool = view.read_pool(template(name), shaped, book.settings, book.inputs)
        got = {player: pool.final("rating", i) for i, player in enumerate(pool.names, 1) if player}
        wanted = ratings(rules, {**now, "period": book.settings["period"]}, _start(rules))
        assert [got[player] for player in PLAYERS] == pytest.approx(wanted, abs=1e-9), (setting, now)


# A log tells no deviation of the opponents.
@pytest.mark.parametrize("system", [n for n in fitting_systems("journal") if n not in {"glicko", "glicko2", "lichess"}])
def test_a_journal_follows_every_setting_or_refuses_it(system: str) -> None:
    rules, step = SYSTEMS[system], STEP.get(system, 60.0)
    middle = MIDDLE.get(system, next(float(p.default) for p in rules.parameters if p.name == "initial"))
    published = {name: middle + (i - 2) * step for i, name in enumerate(PLAYERS)}
    shown = {f"{side}_rating": GAMES[side].map(published).astype(float) for side in ("white", "black")}
    games = GAMES.assign(**shown)
    for setting, now in each_setting(system):
        try:
            book = filled_book("journal", rules, now, games, NEWCOMER)
        except UsageError as error:
            refusal(error, setting, now)
            continue
        log = next(t for s in plan_book(book).sheets for t in s.tables if t.name == "Log")
        after = next(column.fill.values for column in log.columns if column.label == "Rating after")
        wanted = replay(games, rules, book.settings, player=NEWCOMER).history["rating_after"].tolist()
        got = [value for value in after if isinstance(value, float)]
        assert got == pytest.approx(wanted, abs=1e-9), (setting, now)
        assert all(book.settings[name] == rules.settings({name: value})[name] for name, value in now.items()), now


@pytest.mark.parametrize(("name", "system"), in_template("pool ratings-list season compare journal event"))
def test_every_live_setting_is_read_by_a_formula_of_the_book(name: str, system: str) -> None:
    book = blank_book(name, SYSTEMS[system], {}, 4)
    rules = view_of(name).sheet_rules(SYSTEMS[system])
    assert isinstance(rules, System)
    plan = view_of(name)(book).plan()  # before its values are worked out
    texts = [cell.formula or "" for sheet in plan.sheets for cell in sheet.cells]
    for column in (column for sheet in plan.sheets for table in sheet.tables for column in table.columns):
        texts += [column.fill.formula or "", column.fill.first or ""]
    whole = "\n".join(map(str, texts))
    for parameter in rules.shaped(book.settings).live:
        assert parameter.name == "period" or parameter.cell in whole, parameter.name


# --- events ---------------------------------------------------------------------------------------------------------

DAY = pd.Timestamp("2025-03-03")


def _tournament(start: Mapping[str, Mapping[str, float]]) -> pd.DataFrame:
    """One event of everybody against everybody; what players start from is published."""
    chance = random.Random(11)
    return make_games(
        {
            "date": DAY,
            "white": white,
            "black": black,
            "score": chance.choice([1.0, 1.0, 0.5, 0.0]),
            "white_rating": start.get(white, {}).get("rating"),
            "black_rating": start.get(black, {}).get("rating"),
            "event": "Open",
            "round": str(number),
            "source": "log",
            "source_row": number,
        }
        for number, (white, black) in enumerate(itertools.combinations(PLAYERS, 2), 1)
    )


@pytest.mark.parametrize("system", fitting_systems("event"))
def test_a_tournament_report_follows_every_setting_or_refuses_it(system: str) -> None:
    rules = SYSTEMS[system]
    rated = {name: {"rating": 1400.0 + 40 * i} for i, name in enumerate(PLAYERS[:-1])}
    games = _tournament(rated)
    past = {p.name: {s.initial: s.name for s in rules.state}[p.name] for p in rules.parameters if p.name in PAST}
    for setting, now in each_setting(system):
        everything = now if "initial" in now or system == "uschess" else {**now, "initial": 1450}
        try:
            book = filled_book("event", rules, everything, games)
        except UsageError as error:
            refusal(error, setting, now)
            continue
        shown = {column.role: column.fill.values for column in plan_book(book).sheet("Ratings").tables[0].columns}
        after = shown[AFTER.get(system, "step:Ratings:rating_after")]
        got = dict(zip(shown["rating_name"], after, strict=True))
        settled = {past[name]: value for name, value in rules.settled.items() if name not in now}
        start = {name: {**state, **settled} for name, state in rated.items()}
        table = replay(games, rules, {**everything, "period": "event"}, start=start).ratings
        wanted = dict(zip(table["player"], table["rating"], strict=True))
        assert {name: got[name] for name in PLAYERS} == pytest.approx(wanted, abs=1e-9), (setting, everything)


def test_an_empty_tournament_report_takes_what_is_said_of_every_player() -> None:
    book = blank_book("event", SYSTEMS["fide"], {"initial_games": 12, "born": 2010})
    players = book.inputs.tables["Players"]
    assert set(players["Games"]) == {12.0}
    assert set(players["Born"]) == {2010.0}
    with pytest.raises(UsageError, match=r"setting initial of system fide is not used here.*type a rating on"):
        blank_book("event", SYSTEMS["fide"], {"initial": 1600})


@pytest.mark.parametrize("system", ["elo", "fide", "dwz"])
def test_an_event_gives_what_the_journal_gives_under_every_setting(system: str) -> None:
    rules, mine = SYSTEMS[system], _tournament({name: {"rating": 1400.0 + 40 * i} for i, name in enumerate(PLAYERS)})
    mine = mine[mine["white"] == PLAYERS[0]]
    against = mine["black_rating"].tolist(), mine["score"].tolist()
    for setting, now in each_setting(system):
        beside = {"rules": "dated"} if system == "fide" and "rules" not in now else {}
        behind = {name: value for name, value in rules.settled.items() if name not in now}
        try:
            found = rate_event(1450, *against, system=system, settings=now, as_of=DAY.date())
        except UsageError as error:
            refusal(error, setting, now)
            continue
        own = {**beside, **behind, **now, "initial": 1450, "period": "event"}
        journal = replay(mine, rules, own, player=PLAYERS[0]).ratings["rating"][0]
        assert found.new == pytest.approx(journal, abs=1e-9), now


def test_a_comparison_says_which_systems_keep_their_own_settings() -> None:
    elo, glicko, fide = (SYSTEMS[name] for name in ("elo", "glicko2", "fide"))
    own = " (--set glicko2.initial=… for its own)"
    said = [f"--set is for elo, the first system; glicko2 keeps initial 1500{own}"]
    assert first_alone(elo, [glicko], {"INITIAL": 1000, "k": 40}) == said
    assert first_alone(elo, [glicko], {"initial": 1000, "glicko2.initial": 1100}) == []
    assert first_alone(elo, [fide], {"scale": 500}) == []
    assert first_alone(elo, [], {"initial": 1000}) == []
