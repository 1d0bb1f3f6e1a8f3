"""The inputs of a tournament report from a log: who plays, with which ratings, and the pairings."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from elo_sheets._late import pd
from elo_sheets.errors import UsageError
from elo_sheets.games import RESULTS, identity, players
from elo_sheets.replaying.settings import Settings
from elo_sheets.replaying.starting import Starts
from elo_sheets.systems import System
from elo_sheets.systems._tables import dated
from elo_sheets.workbook.book import Filling, Inputs
from elo_sheets.workbook.event.games import LAST_ROUND
from elo_sheets.workbook.event.rules import PERSONAL, newcomer_facts, typed_facts
from elo_sheets.workbook.plan import CellValue
from elo_sheets.workbook.sourced import SOURCE, source_told, sources_told

FORFEITS = {(1.0, 0.0): "+/-", (0.0, 1.0): "-/+", (0.0, 0.0): "-/-"}
BYES = {1.0: "1 bye", 0.5: "1/2 bye", 0.0: "0 bye"}

# Rows to grow into.
SPARE_GAMES, SPARE_PLAYERS = 20, 10
# An event of fewer players gets as many rows as an empty book.
SMALL = 20

NUMBER = re.compile(r"\D*(\d+)")


def filled_inputs(
    view: Any, form: Mapping[str, Any], system: System, settings: Settings, log: Filling, empty: Inputs
) -> tuple[Inputs, str]:
    """Return the inputs that hold the games of a log, and the event's name."""
    from elo_sheets.replaying.periods import FIRST_SHEET_DAY, serial_days

    games, start = log.games, log.start
    entrants: list[dict[str, Any]] = games.attrs.get("entrants", [])
    ratings = {e["name"]: e["rating"] for e in entrants if e["rating"]} if start.published else {}
    ratings |= {name: state["rating"] for name, state in start.states.items() if "rating" in state}
    # A report lists players by starting rank; else the best rated stand first.
    names = [entrant["name"] for entrant in entrants if entrant["name"]]
    others = [name for name in players(games) if name not in set(names)]
    names += sorted(others, key=lambda name: -ratings.get(name, 0.0))
    rows = pairings(games)
    people = max(form["player_rows"] if len(names) < SMALL else 0, len(names) + SPARE_PLAYERS)
    count = max(2, len(rows) + SPARE_GAMES)
    columns: dict[str, list[CellValue]] = {label: [None] * people for label in empty.tables["Players"]}
    columns["Name"][: len(names)] = names
    columns["Rating"][: len(names)] = [ratings.get(name) for name in names]
    typed: dict[str, list[CellValue]] = {
        label: [row[at] for row in rows] + [None] * (count - len(rows))
        for at, label in enumerate(("Round", "White", "Black", "Result", SOURCE))
    }
    enter(columns, entrants, games.attrs.get("titles", {}))
    _enter_starts(columns, system, start)
    enter_settings(columns, system, settings)
    days = [day for day in serial_days(games["date"]).tolist() if day >= FIRST_SHEET_DAY]
    tournament = games.attrs.get("tournament", {})
    last_day = tournament.get("last_day")
    ends = [*days, dated(last_day.date())] if last_day else days
    title = of_most(games, "event")
    cells = {
        **empty.cells,
        "name": title or None,
        "place": tournament.get("place"),
        "first_day": min(days, default=None),
        "last_day": max(ends, default=None),
        "tempo": of_most(games, "time_control") or None,
        "arbiter": tournament.get("arbiter"),
        "card": log.player or (names[0] if names else None),
    }
    last = int(max(row[0] for row in rows)) if rows else form["round_rows"]
    unrated = sum(rating is None for rating in columns["Rating"][: len(names)])
    sizes = view.sizes(count, people, max(2, last), unrated)
    return Inputs({**empty.tables, "Players": columns, "Games": typed}, cells, sizes), title


def pairings(games: pd.DataFrame) -> list[tuple[float, str, CellValue, str, CellValue]]:
    """Return round, White, Black, result and source of every game, and of what a report gives points for otherwise."""
    rounds = round_numbers(games)
    told = sources_told(games)
    file = str(games["source"].iloc[0]) if len(games) else ""
    sides = zip(rounds, games["white"], games["black"], games["score"].map(RESULTS), told, strict=True)
    found: list[tuple[float, str, CellValue, str, CellValue]] = [
        (float(r), white, black, result, source) for r, white, black, result, source in sides
    ]
    for pairing in games.attrs.get("unplayed", []):
        number, white, black = float(pairing["round"]), pairing["white"], pairing["black"]
        points, source = pairing["points"], source_told(file, pairing["source_row"])
        if black is None:
            found.append((number, white, None, BYES[points[0]], source))
        elif points in FORFEITS:
            found.append((number, white, black, FORFEITS[points], source))
        else:
            # A draw of less than one move is half a point for each, and no game.
            named = zip((white, black), points, strict=True)
            found += [(number, name, None, BYES[given], source) for name, given in named]
    return sorted(found, key=lambda row: row[0])


def round_numbers(games: pd.DataFrame) -> list[int]:
    """Return the round of each game: the log's number, or else how many games its players have had, and one."""
    told = told_rounds(games)
    if told is not None:
        return told
    sides = zip(games["white"], games["black"], strict=True)
    had: dict[str, int] = {}
    found_rounds = []
    for white, black in sides:
        number = 1 + max(had.get(white, 0), had.get(black, 0))
        had[white] = had[black] = number
        found_rounds.append(number)
    return found_rounds


def told_rounds(games: pd.DataFrame) -> list[int] | None:
    """Return the round of each game as the log numbers it, in which nobody plays twice; None where it does not."""
    printed = [NUMBER.match(text) for text in games["round"].tolist()] if "round" in games else []
    if not printed or not all(printed):
        return None
    numbers = [int(found.group(1)) for found in printed if found is not None]
    seats = [(n, name) for n, *pair in zip(numbers, games["white"], games["black"], strict=True) for name in pair]
    is_plain = len(set(seats)) == len(seats) and all(1 <= number <= LAST_ROUND for number in numbers)
    return numbers if is_plain else None


def of_most(games: pd.DataFrame, column: str) -> str:
    """Return what most games say in a column: what one game of many says does not hold for the tournament."""
    said = Counter(games[column].tolist() if column in games else [])
    return str(max(said, key=said.__getitem__, default=""))


def enter_settings(columns: Mapping[str, list[CellValue]], system: System, settings: Settings) -> None:
    """Put what the user said of every player where the log says nothing.

    The initial rating is that of the players who are listed without one, and they are newcomers.
    """
    typed = typed_facts(system, settings)
    listed = [name is not None for name in columns["Name"]]
    given = typed.pop("Rating", None)
    if given is not None:
        new = [known and rating is None for known, rating in zip(listed, columns["Rating"], strict=True)]
        _put(columns, {"Rating": given, **newcomer_facts(system), **typed}, new)
    _put(columns, typed, [True] * len(listed))


def _put(columns: Mapping[str, list[CellValue]], values: Mapping[str, float], where: Sequence[bool]) -> None:
    """Put values into the empty cells of the rows that are marked."""
    for label, value in values.items():
        cells = columns[label]
        cells[:] = [value if marked and cell is None else cell for cell, marked in zip(cells, where, strict=True)]


def enter(
    columns: Mapping[str, list[CellValue]], entrants: Sequence[Mapping[str, Any]], titles: Mapping[str, str]
) -> None:
    """Add what a log says of its players besides their games; `titles` are by `identity` of the name."""
    by_name = {entrant["name"]: entrant for entrant in entrants}
    for i, name in enumerate(columns["Name"]):
        entrant = by_name.get(name, {})
        for key, label in (("title", "Title"), ("federation", "Fed"), ("born", "Born")):
            if label in columns and entrant.get(key):
                columns[label][i] = entrant[key]
        if name is not None and columns["Title"][i] is None:
            columns["Title"][i] = titles.get(identity(str(name)))


def _enter_starts(columns: Mapping[str, list[CellValue]], system: System, start: Starts) -> None:
    """Add what is given of players besides their ratings; raises `UsageError` for what the report does not read."""
    facts = PERSONAL.get(system.name, {})
    for name, state in start.states.items():
        for key in state.keys() - {"rating"}:
            if key not in facts or facts[key].label not in columns:
                raise UsageError(
                    f"--start gives {key} of {name!r}, which a report of system {system.name} does not read"
                )
            columns[facts[key].label][columns["Name"].index(name)] = state[key]
