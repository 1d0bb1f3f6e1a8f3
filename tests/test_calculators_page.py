"""The page of calculators: its numbers are the library's, for many inputs, and it is what a page should be."""

from __future__ import annotations

import html
import itertools
import json
import random
import re
from collections.abc import Mapping, Sequence
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from elo_sheets.cli import cli
from elo_sheets.errors import UsageError
from elo_sheets.odds.calculators import calc, calc_record
from elo_sheets.odds.event import event_record, rate_event
from elo_sheets.odds.forecast import match_forecast, match_record
from elo_sheets.odds.goal import goal_odds, goal_record
from elo_sheets.odds.match import Format
from elo_sheets.page.browser import document_of
from elo_sheets.page.calculators import calculators_page
from elo_sheets.page.rules import choices_of, left_out
from elo_sheets.replaying.cases import Period, columns_of
from elo_sheets.replaying.readings import by_floats
from elo_sheets.systems import GAME_INPUTS, SYSTEMS, Fit, PeriodGames, System, aga, uschess

TOLERANCE = 1e-9
PAGE = cache(calculators_page)


def computed(calls: Sequence[tuple[str, Any]], folder: Path) -> list[Any]:
    """What functions of the page give, in a browser: `{"error": …}` where they raise."""
    script = (
        f"const asked={json.dumps(calls)};const found=asked.map(([name,given])=>{{try{{return eval(name)(...given)}}"
        "catch(e){return{error:e.message}}});const pre=document.createElement('pre');pre.id='found';"
        "pre.textContent=JSON.stringify(found);document.body.append(pre);"
    )
    # The page's own policy lets no text be run as code; the functions are looked up by name for the test alone.
    text = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", PAGE())
    page = folder / "asked.html"
    page.write_text(text.replace("</body>", f"<script>{script}</script></body>"), encoding="utf-8")
    found = re.search(r'<pre id="found">(.*?)</pre>', document_of(page), re.DOTALL)
    assert found is not None
    values: list[Any] = json.loads(html.unescape(found[1]))
    assert len(values) == len(calls)
    return values


def same(expected: Any, got: Any, where: str = "", tolerance: float = TOLERANCE) -> None:
    """Fail unless every number that the library gives is the page's; the page may say more."""
    if isinstance(expected, Mapping):
        for key, value in expected.items():
            same(value, got[key], f"{where}.{key}", tolerance)
    elif isinstance(expected, list | tuple):
        assert len(expected) == len(got), where
        for i, value in enumerate(expected):
            same(value, got[i], f"{where}[{i}]", tolerance)
    elif isinstance(expected, float | int) and not isinstance(expected, bool):
        assert got == pytest.approx(expected, rel=tolerance, abs=tolerance), where
    else:
        assert got == expected, where


def some(record: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: record[name] for name in names}


DAYS = ("2005-03-01", "2010-01-01", "2015-07-01", "2023-01-31", "2025-09-30", "2026-02-01")


@pytest.mark.browser
def test_one_game_is_that_of_the_command(tmp_path: Path) -> None:
    dice = random.Random(1)
    asked = [
        {"a": dice.uniform(600, 2900), "b": dice.uniform(600, 2900), "k": dice.choice([10, 20, 32.5]),
         "k_b": dice.choice([16, 40]), "games": dice.choice([1, 9, 20, 70]), "rule": rule, "as_of": day}
        for rule in ("none", "cap400", "fide2650", "fide-table") for day in DAYS for _ in range(12)
    ]  # fmt: skip
    for given, got in zip(asked, computed([("calc", [one]) for one in asked], tmp_path), strict=True):
        how = {**given, "as_of": date.fromisoformat(given["as_of"])}
        want = calc_record(calc(how.pop("a"), how.pop("b"), **how))
        same(some(want, "difference", "counted", "k", "expected", "outcomes"), got, str(given))


def events() -> list[dict[str, Any]]:
    dice = random.Random(2)
    forms: list[dict[str, Any]] = [
        *({"system": "elo", "settings": {"gap_rule": gap, "curve": curve}, "k": 24}
          for gap, curve in itertools.product(("none", "cap400", "fide2650"), ("logistic", "normal", "linear"))),
        *({"system": "fide", "settings": {"kind": kind}} for kind in ("standard", "rapid", "blitz")),
        *({"system": "fide", "settings": {"kind": kind}, "k": 15} for kind in ("standard", "rapid")),
        {"system": "fide", "settings": {}, "born": 2009, "games_before": 12},
        *({"system": "uschess", "settings": {}, "games_before": n} for n in (0, 4, 8, 9, 26, 300)),
        {"system": "uschess", "settings": {}},
        *({"system": "dwz", "settings": {"rules": rules, "expectancy": curve}, "born": born, "events_before": index}
          for rules in ("2014", "2026") for curve in ("normal", "logistic") for born, index in ((1980, 20), (2010, 3))),
    ]  # fmt: skip
    made = []
    for form in forms:
        for day in DAYS:
            count = dice.choice([1, 3, 5, 9])
            opponents = [float(dice.randint(900, 2700)) for _ in range(count)]
            scores = [dice.choice([0.0, 0.5, 1.0]) for _ in range(count)]
            made.append({**form, "rating": float(dice.randint(900, 2700)), "opponents": opponents, "scores": scores,
                         "as_of": day})  # fmt: skip
    return made


@pytest.mark.browser
def test_an_event_is_that_of_the_command(tmp_path: Path) -> None:
    asked = events()
    for given, got in zip(asked, computed([("event", [one]) for one in asked], tmp_path), strict=True):
        how = {**given, "as_of": date.fromisoformat(given["as_of"])}
        rating, opponents, scores = how.pop("rating"), how.pop("opponents"), how.pop("scores")
        want = event_record(rate_event(rating, opponents, scores, **how))
        names = ("games", "score", "expected", "k", "change", "rounded_change", "new", "average_opponent", "details")
        same(some(want, *names), got, str(given))
        performance = {name: value for name, value in want["performance"].items() if name != "federation" or value}
        same(performance, got["performance"], str(given))


def matches() -> list[dict[str, Any]]:
    dice = random.Random(3)
    formats: list[dict[str, Any]] = [
        {}, {"games": 6}, {"games": 12, "score": [3.5, 2.5]}, {"draws": "labelle"}, {"draws": "labelle", "games": 4},
        {"draws": "labelle", "first": "a", "games": 7, "score": [1, 0.5]}, {"draws": "labelle", "first": "b"},
        {"draws": 0.3, "games": 5}, {"draws": 0.9}, {"curve": "normal"}, {"scale": 250},
        {"best_of": 5}, {"best_of": 5, "score": [2, 1]}, {"best_of": 101}, {"best_of": 4}, {"first_to": 4},
        {"first_to": 25, "win_by": 2, "score": [24, 24]}, {"first_to": 11, "win_by": 2}, {"first_to": 3, "win_by": 3},
        {"first_to": 5, "win_by": 4, "score": [1, 2]}, {"first_to": 3, "score": [3, 3]},
        {"win_by": 2}, {"win_by": 3, "score": [4, 5]}, {"win_by": 2, "score": [1, 4]},
        {"tennis": True}, {"tennis": True, "best_of": 5}, {"tennis": True, "best_of": 5, "score": [1, 0]},
        {"go": "egf"}, {"go": "egf", "games": 3}, {"draws": 0.2, "best_of": 3}, {"games": 3, "score": [2, 2]},
    ]  # fmt: skip
    made = [{"a": dice.uniform(1200, 2700), "b": dice.uniform(1200, 2700), **one} for one in formats for _ in range(6)]
    made += [{"expected": share, **one} for share in (0, 0.2, 0.75, 1) for one in ({}, {"best_of": 7}, {"games": 4})]
    return made + [{"a": a, "b": b, "go": "aga"} for a, b in ((1.5, -2.3), (-7, -6.2), (4, 5.9), (0.5, 2))]


@pytest.mark.browser
def test_a_match_is_that_of_the_command(tmp_path: Path) -> None:
    asked = matches()
    refused = 0
    for given, got in zip(asked, computed([("match", [one]) for one in asked], tmp_path), strict=True):
        how = dict(given)
        form = Format(*(how.pop(name, None) for name in ("best_of", "first_to", "win_by", "games")),
                      score=tuple(how.pop("score")) if "score" in how else None)  # fmt: skip
        try:
            want = match_record(match_forecast(how.pop("a", None), how.pop("b", None), form, **how))
        except UsageError:
            refused += 1
            assert list(got) == ["error"], given
            continue
        want.pop("schema")
        game = want.pop("game")
        same([game["win"], game["draw"], game["loss"]], got["game"], str(given))
        same(game["difference"], got["game_difference"], str(given))
        same(want, got, str(given))
    assert refused > 10


@pytest.mark.browser
def test_a_goal_and_a_k_are_those_of_the_library(tmp_path: Path) -> None:
    dice = random.Random(4)
    asked = []
    for curve, draws, norm in itertools.product(("logistic", "normal", "linear"), (0, 0.3), (None, "gm", "wim")):
        for target in (-40, 5, 200):
            rating = dice.randint(1500, 2500)
            opponents = [float(rating + dice.randint(-300, 300)) for _ in range(dice.choice([3, 9]))]
            asked.append({"rating": rating, "target": rating + target, "opponents": opponents, "k": 20, "curve": curve,
                          "draws": draws, "norm": norm})  # fmt: skip
    for given, got in zip(asked, computed([("goal", [one]) for one in asked], tmp_path), strict=True):
        how = dict(given)
        want = goal_record(goal_odds(how.pop("rating"), how.pop("target"), how.pop("opponents"), **how))
        if want["norm"] is None:
            want.pop("norm")
        for name in ("schema", "rating", "target", "k"):
            want.pop(name)
        same(want, got, str(given))
    people = [(1500, 10, 0, 0), (1900, 45, 0, 2012), (2350, 500, 2410, 1980), (2280, 60, 0, 2011), (2400, 40, 0, 0)]
    rows = [{"rating": r, "games": g, "peak": p, "born": b, "period_games": n, "as_of": "2026-03-01"}
            for r, g, p, b in people for n in (1, 9, 30)]  # fmt: skip
    for row, got in zip(rows, computed([("kFactors", [row]) for row in rows], tmp_path), strict=True):
        settings = {"initial_games": row["games"], "initial_peak": row["peak"], "born": row["born"]}
        count = row["period_games"]
        done = rate_event(row["rating"], [row["rating"]] * count, [0.5] * count, system="fide", settings=settings,
                          as_of=date(2026, 3, 1))  # fmt: skip
        same([done.details["k"], done.k], [got["fide"], got["fide_used"]], str(row))
        us = rate_event(row["rating"], [row["rating"]] * count, [0.5] * count, system="uschess",
                        games_before=row["games"])  # fmt: skip
        same([us.k, us.details["effective_games"]], [got["uschess"], got["effective_games"]], str(row))


@pytest.mark.browser
def test_a_section_is_that_of_the_library(tmp_path: Path) -> None:
    """Newcomers, provisional and one-sided players, players without a game, dual rating, every B, and matches."""
    dice = random.Random(6)
    wanted, calls = [], []
    for factor, dual in itertools.product((10, 12, 14), ("no", "yes")):
        for _ in range(6):
            players = [
                uschess.Entrant(
                    float(dice.randint(100, 2700)),
                    games=dice.choice([0, 0, 3, 8, 9, 26, 300]),
                    one_sided=dice.choice([0, 0, 0, 1, -1]),
                    absolute_floor=dice.choice([100.0, 118.0]),
                    peak=dice.choice([0.0, 1650.0, 2500.0]),
                    assigned_floor=dice.choice([0.0, 0.0, 1400.0]),
                )
                for _ in range(dice.choice([2, 5, 9]))
            ]
            games = [
                (*dice.sample(range(len(players)), 2), dice.choice([0.0, 0.5, 1.0])) for _ in range(dice.randint(1, 14))
            ]
            found = uschess.rate_section(players, games, bonus_factor=factor, dual_rated=dual)
            names = ("rating", "games", "one_sided", "absolute_floor", "peak", "trial", "first_pass")
            wanted.append([{name: float(getattr(one, name)) for name in names} for one in found])
            calls.append(("rateSection", [[one._asdict() for one in players], games, factor, dual]))
        for gap, before in itertools.product((0, 399, 400, 401), (25, 26, 90)):
            players = [uschess.Entrant(1500.0, games=before), uschess.Entrant(1500.0 + gap, games=40)]
            games = [(0, 1, 1.0)] * dice.randint(1, 12)
            found = uschess.rate_section(players, games, bonus_factor=factor, dual_rated=dual, match=True)
            wanted.append([{name: float(getattr(one, name)) for name in names} for one in found])
            calls.append(("rateSection", [[one._asdict() for one in players], games, factor, dual, True]))
    for want, call, got in zip(wanted, calls, computed(calls, tmp_path), strict=True):
        same(want, got, str(call))


@pytest.mark.browser
def test_an_event_of_go_is_that_of_the_library(tmp_path: Path) -> None:
    """New players, promotions by one rank and by three, draws, stones, and differences far out on the curve."""
    dice = random.Random(7)
    wanted, calls = [], []
    for _ in range(40):
        many = dice.choice([2, 3, 7, 12])
        states = {
            "rating": [dice.choice([1, -1]) * dice.uniform(1, 12) for _ in range(many)],
            "sigma": [dice.choice([0.0, dice.uniform(0.1, 3)]) for _ in range(many)],
            "days": [float(dice.choice([0, 2, 400])) for _ in range(many)],
            "declared": [dice.choice([0.0, 0.0, dice.choice([1, -1]) * dice.uniform(1, 9)]) for _ in range(many)],
        }
        games = [
            (
                *dice.sample(range(many), 2),
                dice.choice([0.0, 0.5, 1.0]),
                float(dice.randint(0, 9)),
                dice.choice([0.5, 7.5]),
            )
            for _ in range(dice.randint(1, 20))
        ]
        white, black, score, handicap, komi = map(np.array, zip(*games, strict=True))
        played = PeriodGames(white, black, score, np.zeros(len(games)), handicap, komi)
        found = aga.rate({name: np.array(v) for name, v in states.items()}, played, aga.AGA.settings())
        wanted.append([
            {name.removesuffix("_after"): float(column[i]) for name, column in found.items()} for i in range(many)
        ])  # fmt: skip
        calls.append(
            ("rateAga", [[dict(zip(states, row, strict=True)) for row in zip(*states.values(), strict=True)], games])
        )
    for want, call, got in zip(wanted, calls, computed(calls, tmp_path), strict=True):
        same(want, got, str(call), 1e-7)
    (refused,) = computed([("rateAga", [[{"rating": 0.5}, {"rating": 2}], [[0, 1, 1]]])], tmp_path)
    assert "1 or more (dan)" in refused["error"]


def test_every_system_is_on_the_page_or_named_as_left_out() -> None:
    fits = [one.title for one in SYSTEMS.values() if isinstance(one, Fit)]
    assert len(fits) == 4
    assert re.split(", | and ", left_out().split(" fit ")[0]) == fits
    together = {name for name, one in SYSTEMS.items() if not isinstance(one, System | Fit)}
    offered = set(
        re.findall(
            r"(\w+): \"", PAGE().split('name: "Whole event"')[1].split('choice("system", "System", {')[1].split("}")[0]
        )
    )
    assert together == offered


LINES = {
    "1675 1": (1675, 1), "0,5 1500": (1500, 0.5), "1500;0,5": (1500, 0.5), "1500,0,5": (1500, 0.5), "1500,1": (1500, 1),
    "Smith D 1610 =": (1610, 0.5), "W\t1800\tPlayer 12": (1800, 1), "Player 12, 1450, 0 - 1": (1450, 0),
    "3 Player 1500 ½": (1500, 0.5), "1,500 1": None, "1500 1600 1": None, "Player 1 1": None, "1500 maybe": None,
    "1 1500 0": None,
}  # fmt: skip


@pytest.mark.browser
def test_what_is_pasted_is_a_game_or_is_refused(tmp_path: Path) -> None:
    found = computed([("parseGames", [line]) for line in LINES], tmp_path)
    for (line, wanted), got in zip(LINES.items(), found, strict=True):
        assert len(got["rejected"]) == (wanted is None), (line, got)
        if wanted is not None:
            assert (got["opponents"], got["scores"]) == ([wanted[0]], [wanted[1]]), line
    (comma,) = computed([("number", ["1,850", "rating"])], tmp_path)
    assert "without a comma" in comma["error"]


SAID: dict[str, tuple[float, ...]] = {
    "side": (1, -1), "neutral": (0, 1), "points": (0, 1, 3), "opponent_points": (0, 2), "weight": (0, 20, 60),
    "handicap": (0, 3), "komi": (7.5,), "knockout": (0, 1), "shootout": (0,), "widest": (1,),
}  # fmt: skip


def single_games(system: System, dice: random.Random) -> list[tuple[dict[str, Any], ...]]:
    """Settings, both players' states and a game, for every form of a system that the page knows."""
    made = []
    choices = choices_of(system)
    for values in itertools.product(*choices.values()):
        settings: dict[str, Any] = dict(zip(choices, values, strict=True))
        if settings.get("advantage"):
            settings["advantage"] = 65.0
        shaped = system.shaped(system.settings(settings))
        for score in (1.0, 0.5, 0.0):
            own, other = (
                {s.name: float(system.settings()[s.initial]) * dice.uniform(0.8, 1.25) + dice.choice([0, 7]) *
                 (s.name in {"rating", "games"}) for s in shaped.state}
                for _ in range(2)
            )  # fmt: skip
            game = {name: float(dice.choice(SAID[name])) for name in GAME_INPUTS if name in SAID} | {"score": score}
            if score != 0.5:
                game["points"], game["opponent_points"] = (3.0, 1.0) if score else (1.0, 2.0)
            else:
                game["points"] = game["opponent_points"] = 1.0
            before = {"elapsed": 3.0, "days": 20.0, "seasons": 1.0, "date": 46000.0, "year": 2025.0}
            made.append((settings, own, other, game, before))
    return made


@pytest.mark.browser
def test_every_system_rates_a_game_as_its_steps_do(tmp_path: Path) -> None:
    dice = random.Random(5)
    wanted, calls = [], []
    systems = {name: one for name, one in SYSTEMS.items() if isinstance(one, System)}
    assert len(systems) >= 16
    for name, system in systems.items():
        for settings, own, other, game, before in single_games(system, dice):
            against = {f"opponent_{state}": value for state, value in other.items()}
            period = Period(system, {**own, **before}, [{**game, **against}], {}, settings)
            found = by_floats([columns_of(period)])[0]
            wanted.append(
                (
                    name,
                    settings,
                    {
                        name.removesuffix("_after"): value
                        for name, value in found.items()
                        if name.removesuffix("_after") in own
                    },
                )
            )
            calls.append(("rateGame", [name, settings, own, other, {**game, **before}]))
    for (name, settings, after), got in zip(wanted, computed(calls, tmp_path), strict=True):
        assert "error" not in got, (name, settings, got)
        same(after, got["a"]["after"], f"{name} {settings}")


# --- the page itself


def test_the_page_is_one_small_file_without_requests() -> None:
    text = PAGE()
    assert len(text.encode()) < 300_000
    assert "{{" not in text.split("<script>")[0]
    outside = re.findall(r"https?:[^\"'\s)]*", text)
    assert set(outside) <= {"http://www.w3.org/2000/svg"}
    assert not re.search(r"\b(?:fetch|XMLHttpRequest|import|WebSocket|sendBeacon)\s*\(", text)
    assert not re.search(r"<(?:link|script|img)[^>]*(?:src|href)=\"(?!data:)", text)
    assert "innerHTML" not in text


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "calculators.html"
    done = CliRunner().invoke(cli, ["page", "-o", str(path)])
    assert done.exit_code == 0, done.output
    assert path.read_text(encoding="utf-8") == PAGE()
    return path


FRAGMENTS = {
    "game?a=2100&b=1500&rule=cap400": "A is expected to score 0.9091",
    "event?system=dwz": "Game by game",
    "event?system=uschess&games_before=4": "Special formula",
    "event?games=1500%20maybe": "Line 1 (“1500 maybe”) is no game: no result such",
    "performance": "FIDE's table",
    "k": "FIDE: K 20",
    "goal?target=1860&norm=im": "IM norm",
    "match": "A wins 3.0\u00a0%, draw 10.2\u00a0%, B wins 86.8\u00a0%",
    "best?format=win_by": "A wins 76.0\u00a0%",
    "tennis": "match of best of three",
    "go?a=1d&b=3k": "Points for a rank before 2021",
    "systems?system=glicko2": "Volatility",
    "systems?system=trueskill": "fit a whole log of many games and are not on this page",
    "together": "656.85",
    "together?system=aga": "2.21463",
    "together?system=aga&players=Player%201%3B%203.5%0APlayer%202%3B%20-1.5&games=1%202%201%204": "Player 1 – Player 2",
    "together?kind=match&players=1500%3B%2040%0A1450%3B%2030&games=1%202%201": "moves a rating by at most 50",
    "together?kind=match&players=1500%3B%2040%0A1050%3B%2030&games=1%202%201": "This match is not rated",
    "together?games=1%209%201": "the players have the numbers 1 to 6",
    "systems?system=world-football": "A is expected to score",
}


@pytest.mark.browser
@pytest.mark.parametrize(("fragment", "said"), FRAGMENTS.items())
def test_a_fragment_opens_its_calculator(written: Path, fragment: str, said: str) -> None:
    shown = html.unescape(document_of(written, fragment))
    assert said in shown
    if "maybe" not in fragment and "1%209%201" not in fragment:
        assert '<p id="error" role="alert"></p>' in shown
    body = shown.split("<script>")[0]
    labelled = set(re.findall(r'<label for="([^"]+)"', body))
    controls = re.findall(r'<(?:input|select|textarea)[^>]* id="([^"]+)"|<(?:input|select|textarea) id="([^"]+)"', body)
    assert controls
    assert {a or b for a, b in controls} <= labelled


def luminance(colour: str) -> float:
    colour = colour if len(colour) == 7 else "#" + "".join(2 * c for c in colour[1:])
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_text_stands_out_in_light_and_in_dark() -> None:
    style = PAGE().split("<style>")[1].split("</style>")[0]
    light, dark = (
        dict(re.findall(r"--([a-z-]+): (#[0-9a-f]+)", part)) for part in re.findall(r":root \{([^}]*)\}", style)
    )
    for name, colours in (("light", light), ("dark", light | dark)):
        pairs = [(ink, ground, 4.5) for ink in ("text", "soft", "accent", "bad") for ground in ("back", "card")]
        pairs += [("on-accent", "accent", 4.5), *((mark, "back", 3.0) for mark in ("line", "win", "draw", "loss"))]
        for ink, ground, least in pairs:
            one, other = sorted((luminance(colours[ink]), luminance(colours[ground])))
            assert (other + 0.05) / (one + 0.05) >= least, (name, ink, ground)


def test_an_existing_page_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "mine.html"
    path.write_text("mine", encoding="utf-8")
    done = CliRunner().invoke(cli, ["page", "-o", str(path)])
    assert done.exit_code == 1 or done.exception is not None
    assert path.read_text(encoding="utf-8") == "mine"
