"""Pairings that both players' lines tell of, as tournament reports and crosstables have them, into games by rounds.

A pairing is one game or one problem, and its row is the line of the player with the smaller starting rank; where the
two lines disagree it is kept out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from elo_sheets.games import Problem
from elo_sheets.readers._results import BYE, FORFEIT, UNFINISHED
from elo_sheets.readers._text import Reading, Record, identity, missing_player

# Under which the tournament's days stand among those of the rounds.
FIRST_DAY, LAST_DAY = 0, -1

# What a pairing without a game gives: the points of the one player, or of both.
BYES = {"H": 0.5, "F": 1.0, "U": 1.0, "+": 1.0}
FORFEITS = {"+": 1.0, "W": 1.0, "D": 0.5}

SCORES = {"1": 1.0, "=": 0.5, "0": 0.0}
# What every letter gives who has it.
POINTS_OF = SCORES | BYES | FORFEITS
COLOURS = {"w": "white", "b": "black"}
SHORT = "the game lasted less than one move, which is not rated"
UNPAIRED: dict[str, str] = {
    "H": "a half-point bye: no game was played",
    "F": "a full-point bye: no game was played",
    "U": BYE,
    "Z": "absent: no game was played",
    "": "absent: no game was played",
    "-": "absent: no game was played",
    "+": FORFEIT,
}


class Entry(NamedTuple):
    """What a player's line says of one round; `opponent` is 0 for none, -1 for what is no starting rank.

    `cell` is what stands in the columns of a tournament report.
    """

    opponent: int
    colour: str
    result: str
    text: str
    cell: str = ""


@dataclass(frozen=True)
class Player:
    """A player's line."""

    line: int
    name: str
    rating: float | None
    rounds: dict[int, Entry] = field(default_factory=dict)


def read_rounds(
    players: dict[int, Player],
    days: Mapping[int, datetime],
    said: Record,
    reading: Reading,
    source: str,
    keep_names: Set[str],
) -> None:
    """Add the games of all rounds, the problems, and the points without a game.

    A round without a day of its own gets that of `FIRST_DAY`; `said` is what all games have in common.
    """
    for number in range(1, max((max(p.rounds, default=0) for p in players.values()), default=0) + 1):
        for rank, player in sorted(players.items()):
            if number in player.rounds:
                record = {"date": days.get(number, days.get(FIRST_DAY)), **said}
                _pairing(rank, number, players, reading, source, record, keep_names)
    reading.unplayed = [pairing for rank in players for pairing in _unplayed(rank, players)]


def added(plain: Reading, answered: Reading) -> Reading:
    """Return the games that only the second reading has, in which the open ones were given a result."""

    def key(record: Record) -> tuple[object, ...]:
        return record["source_row"], record.get("round")

    known = set(map(key, plain.records))
    return Reading([record for record in answered.records if key(record) not in known])


def told_apart(players: dict[int, Player], reading: Reading) -> dict[int, Player]:
    """Return the players, those of one name told apart by their starting ranks."""
    often = Counter(identity(player.name) for player in players.values() if player.name)
    for key in (key for key, count in often.items() if count > 1):
        ranks = [rank for rank, player in players.items() if identity(player.name) == key]
        reading.notes.append(f"{len(ranks)} players are called {players[ranks[0]].name!r}: told apart by starting rank")
        for rank in ranks:
            old = players[rank]
            players[rank] = Player(old.line, f"{old.name} ({rank})", old.rating, old.rounds)
    return players


def _unplayed(rank: int, players: dict[int, Player]) -> Iterator[Record]:
    """Yield a player's byes and the forfeits of his rounds with White, or against a higher starting rank."""
    own = players[rank]
    for number, entry in own.rounds.items():
        other = players.get(entry.opponent)
        # The line whose problem tells of the pairing: that of the smaller starting rank.
        line = own.line if other is None else players[min(rank, entry.opponent)].line
        pairing = {"round": number, "white": own.name, "black": None, "source_row": line}
        back = None if other is None or other is own else other.rounds.get(number)
        if entry.opponent == 0 and entry.result in BYES:
            yield pairing | {"points": (BYES[entry.result], None), "codes": (entry.result, None)}
        elif other is not None and back is not None and back.opponent == rank and _is_unplayed(entry, back):
            is_white = entry.colour == "w" or (entry.colour != "b" and rank < entry.opponent)
            if is_white:
                points = tuple(FORFEITS.get(result, 0.0) for result in (entry.result, back.result))
                codes = (entry.result, back.result)
                yield pairing | {"black": other.name, "points": points, "codes": codes}


def _is_unplayed(entry: Entry, back: Entry) -> bool:
    return bool({entry.result, back.result} & {"+", "-", "W", "D", "L"})


def _pairing(
    rank: int,
    number: int,
    players: dict[int, Player],
    reading: Reading,
    source: str,
    record: Record,
    keep_names: Set[str],
) -> None:
    """Add one pairing of a round to the games or to the problems, from the line of one of its players."""
    own = players[rank]
    entry = own.rounds[number]

    def problem(reason: str) -> None:
        reading.problems.append(Problem(source, own.line, f"round {number}", entry.text, reason))

    if entry.opponent <= 0:
        reasons = UNPAIRED if entry.opponent == 0 else {}
        problem(reasons.get(entry.result, "expected an opponent's starting rank and a result such as 12 w 1"))
        return
    opponent = players.get(entry.opponent)
    if opponent is None or opponent is own:
        problem("there is no player with this starting rank" if opponent is None else "a game against oneself")
        return
    back = opponent.rounds.get(number)
    if back is not None and back.opponent == rank and entry.opponent < rank:
        return  # told from the other line
    if back is None or back.opponent != rank:
        problem(f"the line of {opponent.name!r} tells of another opponent in this round")
        return
    reason = _unrated(entry, back) or _disagreement(entry, back)
    for player in (own, opponent):
        reason = reason or missing_player(player.name, keep_names)
    if reason:
        problem(reason)
        return
    score = SCORES[entry.result]
    is_white = entry.colour == "w" or (entry.colour != "b" and back.colour != "w")
    white, black = (own, opponent) if is_white else (opponent, own)
    record["score"] = score if is_white else 1 - score
    record |= {"white": white.name, "black": black.name, "round": str(number), "source": source, "source_row": own.line}
    record |= {"white_rating": white.rating, "black_rating": black.rating}
    reading.records.append(record)


def _unrated(entry: Entry, back: Entry) -> str:
    """Return why a pairing is no rated game, or nothing."""
    results = {entry.result, back.result}
    if results & {"+", "-"}:
        return FORFEIT
    if results & {"W", "D", "L"}:
        return SHORT
    if "" in results:
        return UNFINISHED
    return "" if results <= SCORES.keys() else "expected a result such as 1, = or 0"


def _disagreement(entry: Entry, back: Entry) -> str:
    if SCORES[entry.result] + SCORES[back.result] != 1:
        return f"the two players' lines disagree: {entry.result} and {back.result}"
    if entry.colour == back.colour and entry.colour in COLOURS:
        return f"both players' lines say {COLOURS[entry.colour]}"
    return ""
