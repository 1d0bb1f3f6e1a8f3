"""A FIDE tournament report (TRF) out of the games of an event.

Source: *Format of Tournament Report File*, FIDE Handbook C.04, annex 2 (2016), with the same columns in the version of
2026: lines 012 name, 022 city, 032 federation, 042 and 052 first and last day, 062 and 072 number of players and of
those with a rating, 092 kind, 102 chief arbiter, 122 time control, 132 days of the rounds, and 001 a player with his
rounds, in fixed columns counted from 1. Each line ends with a carriage return.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

from elo_sheets._late import pd
from elo_sheets.errors import OutputRefused, UsageError
from elo_sheets.files.save import check_output, replacing
from elo_sheets.games import GamesRead, identity, make_games, players
from elo_sheets.readers import read
from elo_sheets.uses.differing.events import ABOUT, BYE, event_side, is_event
from elo_sheets.uses.differing.reading import TypedBook
from elo_sheets.workbook.event import filled
from elo_sheets.workbook.event.games import SETTLED

LEADING = re.compile(r"\D*(\d+)")
NAME, MOST_PLAYERS, MOST_ROUNDS = 33, 9999, 99
RESULTS = {1.0: "1", 0.5: "=", 0.0: "0"}
# Where the log tells points alone: of pairings that were not played, and of byes.
FORFEITS = {1.0: "+", 0.5: "D", 0.0: "-"}
BYES = {1.0: "F", 0.5: "H", 0.0: "Z"}
# What a line of a player says, and where an event book has it.
FACTS = {"title": "Title", "federation": "Fed", "rating": "Rating", "born": "Born"}


def report_text(log: GamesRead) -> str:
    """Return a tournament report of the games, byes and forfeits of one event, as `read` returns them.

    Starting ranks, points and places are those of the log where it states them, else by published rating and by the
    games. What a tournament report said in lines and columns that hold no game is written again as it stood. Names are
    cut after 33 characters, as the format has it. Raises `UsageError` for games without a round, or with two games of
    a player in one.
    """
    games = log.games
    if games.empty:
        raise UsageError("expected the games of an event, got none")
    numbers = _rounds(games)
    people = _people(games)
    if len(people) > MOST_PLAYERS:
        raise UsageError(f"a tournament report holds {MOST_PLAYERS} players, got {len(people):,}")
    ranks = [one.get("rank") or 0 for one in people]
    are_stated = all(ranks) and len(set(ranks)) == len(ranks)
    if not are_stated:
        ranks = list(range(1, len(people) + 1))
    persons = dict(zip(ranks, people, strict=True))
    rank = {identity(one["name"]): at for at, one in persons.items()}
    told = games.attrs.get("tournament", {})
    cells: dict[tuple[int, int], str] = {}
    points: dict[int, float] = defaultdict(float)

    def enter(player: int, number: int, text: str, score: float) -> None:
        if (player, number) in cells:
            raise UsageError(f"{persons[player]['name']!r} has two games in round {number}: give each its own round")
        cells[player, number] = text
        points[player] += score

    rows = zip(games["white"], games["black"], games["score"], numbers, strict=True)
    for white, black, score, number in rows:
        one, other = rank[identity(white)], rank[identity(black)]
        enter(one, number, f"{other:>4} w {RESULTS[score]}", score)
        enter(other, number, f"{one:>4} b {RESULTS[1 - score]}", 1 - score)
    for pairing in games.attrs.get("unplayed", []):
        sides = [rank[identity(name)] for name in (pairing["white"], pairing["black"]) if name is not None]
        for at, player in enumerate(sides):
            own, code = pairing["points"][at], pairing.get("codes", (None, None))[at]
            if len(sides) == 2:
                text = f"{sides[1 - at]:>4} {'wb'[at]} {code or FORFEITS[own]}"
            else:
                text = f"0000 - {code or BYES[own]}"
            enter(player, int(pairing["round"]), text, own)
    for player, rounds in told.get("rounds", {}).items() if are_stated else ():
        for number, text in rounds.items():
            cells.setdefault((player, number), text)
    last = max(number for _, number in cells)
    stated = all(one.get("place") for one in people)
    order = sorted(persons, key=lambda player: (-points[player], player))
    place = {player: at for at, player in enumerate(order, 1)}
    before, behind = told.get("lines", ((), ())) if are_stated else ((), ())
    lines = [*_head(games, numbers, people, last), *before]
    for player, person in persons.items():
        rounds = "".join(f"  {cells.get((player, number), ''):<8}" for number in range(1, last + 1))
        scored = points[player] if person.get("points") is None else person["points"]
        placed = person["place"] if stated else place[player]
        lines.append(f"{_player(player, person, scored, placed)}{rounds}".rstrip())
    lines += behind
    return "\r\n".join(lines) + "\r\n"


def event_of_book(path: str | Path) -> GamesRead:
    """Return the games, byes and forfeits of a book of one event, with what its sheets Players and Event say.

    Players are ranked in the order of the sheet. Raises `UsageError` for a book of another template.
    """
    book = TypedBook.read(path)
    if not is_event(book):
        raise UsageError(
            f"{path} is a book of the template {book.manifest.template}, and not of one event: make one of its games "
            f"first (elo-sheets import {path} --template event -o EVENT.xlsx)"
        )
    side = event_side(book)
    about = {name: side.about[label] for name, label in ABOUT.items()}
    given: dict[Any, tuple[float, ...]] = {text: (points,) for points, text in filled.BYES.items()}
    given |= {text: points for points, text in filled.FORFEITS.items()}
    played: list[dict[str, Any]] = []
    unplayed: list[dict[str, Any]] = []
    for game in side.rows:
        told = dict(game.details)
        if told["status"] not in SETTLED:
            continue  # which is among the problems
        row: dict[str, Any] = {"white": game.white_name, "black": None if game.black_name == BYE else game.black_name}
        row |= {"round": f"{told['round'] or 0:g}", "source": game.source, "source_row": game.source_row}
        if told["result"] in given:
            unplayed.append(row | {"points": given[told["result"]]})
        else:
            played.append(row | {"score": game.score, "event": about["name"], "time_control": about["tempo"]})
    days = {name: None if about[name] is None else pd.Timestamp(about[name]) for name in ("first_day", "last_day")}
    people = [
        {"rank": rank, "name": name, **{fact: typed.get(label) for fact, label in FACTS.items()}}
        for rank, (name, typed) in enumerate(side.typed.items(), 1)
    ]
    games = make_games(played)
    tournament = {"place": about["place"], "arbiter": about["arbiter"], **days}
    games.attrs |= {"entrants": people, "unplayed": unplayed, "tournament": tournament}
    return GamesRead(games, side.log.problems, list(side.log.notes))


def write_report(log: GamesRead, target: str | Path, *, overwrite: bool = False) -> None:
    """Write `report_text` to a file, once it reads back as the same games.

    Raises `OutputRefused` when it does not, or when the target exists and `overwrite` is not given.
    """
    check_output(target, [], ".trf", ".trfx", ".txt")
    text = report_text(log)
    back = read([text.encode()])
    if _told(back.games) != _told(log.games):
        raise OutputRefused(
            f"cannot write {target}: read back, the report holds other games; give each player one name"
        )
    with replacing(Path(target), overwrite=overwrite) as beside:
        beside.write_text(text, encoding="utf-8", newline="")


def _told(games: pd.DataFrame) -> Counter[tuple[Any, ...]]:
    numbers = _rounds(games)
    names = [[str(name)[:NAME].strip() for name in games[side]] for side in ("white", "black")]
    return Counter(zip(*names, games["score"], numbers, strict=True))


def _rounds(games: pd.DataFrame) -> list[int]:
    """Return the number of each game's round."""
    found = [LEADING.match(text) for text in games["round"]] if "round" in games else [None]
    missing = next((at for at, match in enumerate(found) if match is None), None)
    if missing is not None:
        where = f"{games['source'].iloc[missing]}, row {games['source_row'].iloc[missing]}"
        raise UsageError(f"a tournament report is made of rounds, and {where} has none: add a column round to the log")
    numbers = [int(match[1]) for match in found if match is not None]
    if min(numbers) < 1 or max(numbers) > MOST_ROUNDS:
        raise UsageError(f"expected rounds from 1 to {MOST_ROUNDS}, got {min(numbers)} to {max(numbers)}")
    return numbers


def _people(games: pd.DataFrame) -> list[dict[str, Any]]:
    """Return who takes part, by starting rank: as the log has it, else by rating and name."""
    known = list(games.attrs.get("entrants", []))
    listed = {identity(one["name"]) for one in known}
    ratings: dict[str, float] = {}
    for side in ("white", "black"):
        if f"{side}_rating" in games:
            for name, rating in zip(games[side], games[f"{side}_rating"], strict=True):
                if rating == rating:
                    ratings.setdefault(identity(name), rating)
    others = [name for name in players(games) if identity(name) not in listed]
    others.sort(key=lambda name: (-ratings.get(identity(name), 0.0), name))
    return known + [{"name": name, "rating": ratings.get(identity(name))} for name in others]


def _head(games: pd.DataFrame, numbers: list[int], people: list[dict[str, Any]], last: int) -> list[str]:
    told = games.attrs.get("tournament", {})
    event = next((str(text) for text in games["event"] if text), "") if "event" in games else ""
    clock = next((str(text) for text in games["time_control"] if text), "") if "time_control" in games else ""
    days = games["date"].dropna()
    known = [day for day in (told.get("first_day"), told.get("last_day"), *days) if day is not None]
    first, end = (f"{day:%Y/%m/%d}" for day in (min(known), max(known))) if known else ("", "")
    said = {
        "012": event,
        "022": told.get("city") or told.get("place"),
        "032": told.get("federation"),
        "042": first,
        "052": end,
        "062": str(len(people)),
        "072": str(sum(bool(one.get("rating")) for one in people)),
        "092": told.get("kind"),
        "102": told.get("arbiter"),
        "122": clock,
    }
    lines = [f"{kind} {text}" for kind, text in said.items() if text]
    by_round: dict[int, str] = {}
    if "round_days" in told:  # where a round has none of its own, its games have the first day of all
        by_round = {number: f"{day:%y/%m/%d}" for number, day in told["round_days"].items()}
    for day, number in zip(games["date"], numbers, strict=True):
        if day == day and day is not None and "round_days" not in told:
            by_round.setdefault(number, f"{day:%y/%m/%d}")
    if by_round:
        shown = "".join(f"  {by_round.get(number, ''):<8}" for number in range(1, last + 1))
        lines.append(f"{'132':<89}{shown}".rstrip())
    return lines


def _player(rank: int, one: dict[str, Any], points: float, place: int) -> str:
    """Return the columns 1 to 89 of a player's line."""
    rating, born = one.get("rating"), one.get("born")
    shown = "" if rating is None else f"{rating:.0f}"
    year = one.get("birth") or ("" if born is None else f"{born:.0f}/00/00")
    title, federation, number = (str(one.get(key) or "") for key in ("title", "federation", "id"))
    name = str(one["name"])[:NAME]
    return (
        f"001 {rank:>4} {one.get('sex') or '':1}{title[:3]:>3} {name:<33} {shown:>4} {federation[:3]:<3} "
        f"{number[:11]:>11} {year[:10]:<10} {points:>4.1f} {place:>4}"
    )
