"""FIDE tournament reports (TRF): every game once, with both players' published ratings.

Source: *Format of Tournament Report File (TRF)*, Christian Krause, 2006, as FIDE published it for 2016 (Handbook C.04,
annex 2) and extended it for 2026 (handbook.fide.com/files/handbook/TRF26.pdf). Lines begin with the number of their
kind: 012 the tournament's name, 022 its town, 032 its federation, 042 and 052 its first and last day, 102 its chief
arbiter, 122 its time control, 132 the days of the rounds, and 001 a player with his results, in
fixed columns: the opponent's starting rank, the colour and the result of round 1 stand in columns 92-95, 97 and 99,
those of each further round ten columns on. Both players' lines hold a game; where they disagree it is kept out.

Rounds without a day of their own get the tournament's first day. Byes, forfeits, games of less than one move and games
without a result are kept out with the reason. Some programs count the columns in bytes of UTF-8; their lines are read
too. Lines of other kinds (teams, national ratings, pairing options, comments) hold no games and are passed over.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import BinaryIO, Literal, NamedTuple

from elo_sheets.games import Problem
from elo_sheets.readers._dates import order_of_column, read_date
from elo_sheets.readers._results import BYE, FORFEIT, UNFINISHED
from elo_sheets.readers._text import MISSING_PLAYER, Reading, Record, clean_name, decode, identity, read_rating

# A line of a player: 001, starting rank, sex and title, name, rating, federation, number, birth, points.
PLAYER_LINE = re.compile(rb"^001 [ 0-9]{3}[0-9] [ mwfMWF][ \w]{3} [^\r\n]{65}", re.M)
FIRST_LINE = re.compile(rb"\s*(?:[0-9]{3}|XX.|BB.|#)")

# Columns of a player's line, counted from 0.
RANK, NAME, RATING, POINTS = slice(4, 8), slice(14, 47), slice(48, 52), slice(80, 84)
TITLE, FEDERATION, BIRTH = slice(10, 13), slice(53, 56), slice(69, 79)
ROUNDS, ROUND_WIDTH = 91, 10

# Under which the tournament's days stand among those of the rounds.
FIRST_DAY, LAST_DAY = 0, -1
POINTS_TEXT = re.compile(r"\s*\d{1,3}[.,]\d\s*|\s*\d{1,3}\s*")

# Titles as reports of 2006 write them.
TITLES = {"g": "GM", "m": "IM", "f": "FM", "c": "CM", "wg": "WGM", "wm": "WIM", "wf": "WFM", "wc": "WCM"}
YEAR = re.compile(r"(?<!\d)(?:1[89]|20)\d\d(?!\d)")

# What a pairing without a game gives: the points of the one player, or of both.
BYES = {"H": 0.5, "F": 1.0, "U": 1.0, "+": 1.0}
FORFEITS = {"+": 1.0, "W": 1.0, "D": 0.5}

SCORES = {"1": 1.0, "=": 0.5, "0": 0.0}
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
    """What a player's line says of one round; `opponent` is 0 for none, -1 for what is no starting rank."""

    opponent: int
    colour: str
    result: str
    text: str


@dataclass(frozen=True)
class Player:
    """A player's line."""

    line: int
    name: str
    rating: float | None
    rounds: dict[int, Entry] = field(default_factory=dict)


def is_trf(head: bytes) -> bool:
    """Tell whether a file that begins so, in an encoding that holds ASCII, is a tournament report."""
    return FIRST_LINE.match(head.removeprefix(b"\xef\xbb\xbf")) is not None and PLAYER_LINE.search(head) is not None


def read_trf(
    stream: BinaryIO,
    source: str,
    *,
    dates: Literal["dmy", "mdy", "ymd"] | None = None,
    encoding: str | None = None,
    progress: Callable[[int], None] | None = None,
) -> Reading:
    """Return the games of a tournament report by rounds, one problem for each pairing kept out, and remarks.

    A game's `source_row` is the line of the player with the smaller starting rank. `dates` says which of day, month and
    year comes first where the report's dates leave it open. Raises `UnreadableInput` where they do and it is None.
    """
    text, notes = decode(stream.read(), encoding, source)
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    reading = Reading(notes=notes)
    players = _players(lines, reading, source)
    days = _days(lines, reading, source, dates)
    said = {"event": _said(lines, "012") or "", "time_control": _said(lines, "122")}
    for number in range(1, max((max(p.rounds, default=0) for p in players.values()), default=0) + 1):
        for rank, player in sorted(players.items()):
            if number in player.rounds:
                record = {"date": days.get(number, days.get(FIRST_DAY)), **said}
                _pairing(rank, number, players, reading, source, record)
    place = [_said(lines, "022"), _said(lines, "032")]
    reading.tournament = {
        "place": ", ".join(filter(None, place)) or None,
        "arbiter": _said(lines, "102"),
        "last_day": days.get(LAST_DAY),
    }
    reading.entrants = _entrants(lines, players)
    reading.unplayed = [pairing for rank in players for pairing in _unplayed(rank, players)]
    if progress is not None:
        progress(reading.read)
    return reading


# Lines into players and days


def _said(lines: list[str], kind: str) -> str | None:
    """Return what the first line of a kind says, None where it says nothing."""
    return next((" ".join(line[4:].split()) for line in lines if line.startswith(f"{kind} ")), "") or None


def _players(lines: list[str], reading: Reading, source: str) -> dict[int, Player]:
    players: dict[int, Player] = {}
    for at, raw in enumerate(lines, 1):
        if not raw.startswith("001"):
            continue
        line = _aligned(raw)
        rank = line[RANK].strip()
        if not rank.isdecimal() or int(rank) == 0 or int(rank) in players:
            reason = "this starting rank was given before" if rank.isdecimal() else "expected a number from 1 to 9999"
            reading.problems.append(Problem(source, at, "starting rank", rank, reason))
            continue
        try:
            rating = read_rating(line[RATING])
        except ValueError:
            reading.remark("rating", f"{line[RATING].strip()!r} in row {at}, columns 49-52")
            rating = None
        players[int(rank)] = Player(at, clean_name(_unbyted(line[NAME], line is not raw)), rating, dict(_entries(line)))
    return _told_apart(players, reading)


def _aligned(line: str) -> str:
    """Return a line whose columns are characters; where they are bytes of UTF-8, each byte as a character."""
    by_bytes = line.encode("utf-8").decode("latin-1")
    if POINTS_TEXT.fullmatch(line[POINTS]) or not POINTS_TEXT.fullmatch(by_bytes[POINTS]):
        return line
    return by_bytes


def _unbyted(name: str, by_bytes: bool) -> str:
    return name.encode("latin-1").decode("utf-8", "ignore") if by_bytes else name


def _entries(line: str) -> Iterator[tuple[int, Entry]]:
    """Yield what each round's columns hold; blank ones say nothing."""
    for number, start in enumerate(range(ROUNDS, len(line), ROUND_WIDTH), 1):
        part = line[start : start + ROUND_WIDTH].ljust(ROUND_WIDTH)
        shown = " ".join(part.split())
        rank = part[:4].strip()
        if shown and set(shown) != {"0"}:
            opponent = int(rank or 0) if rank.isdecimal() or not rank else -1
            yield number, Entry(opponent, part[5].lower(), part[7].upper().strip(), shown)


def _told_apart(players: dict[int, Player], reading: Reading) -> dict[int, Player]:
    """Return the players, those of one name told apart by their starting ranks."""
    often = Counter(identity(player.name) for player in players.values() if player.name)
    for key in (key for key, count in often.items() if count > 1):
        ranks = [rank for rank, player in players.items() if identity(player.name) == key]
        reading.notes.append(f"{len(ranks)} players are called {players[ranks[0]].name!r}: told apart by starting rank")
        for rank in ranks:
            old = players[rank]
            players[rank] = Player(old.line, f"{old.name} ({rank})", old.rating, old.rounds)
    return players


def _days(
    lines: list[str], reading: Reading, source: str, dates: Literal["dmy", "mdy", "ymd"] | None
) -> dict[int, datetime]:
    """Return the day of each round that has one, and the tournament's first and last day."""
    texts: dict[int, tuple[str, int]] = {}
    for at, line in enumerate(lines, 1):
        if line.startswith("042 "):
            texts[FIRST_DAY] = (" ".join(line[4:].split()), at)
        elif line.startswith("052 "):
            texts[LAST_DAY] = (" ".join(line[4:].split()), at)
        elif line.startswith("132"):
            for number, start in enumerate(range(ROUNDS, len(line), ROUND_WIDTH), 1):
                texts[number] = (line[start : start + ROUND_WIDTH].strip(), at)
    year_first = re.compile(r"\d\d/\d\d/\d\d")  # how the format writes the days of rounds
    asked = {text: at for text, at in texts.values() if not year_first.fullmatch(text)}
    order = dates or order_of_column("042", asked, source)
    days: dict[int, datetime] = {}
    for number, (text, at) in texts.items():
        try:
            day = read_date(text, "ymd" if year_first.fullmatch(text) else order)
        except ValueError as error:
            reading.notes.append(f"a date was left empty: {text!r} in row {at}: {error}")
            continue
        if day is not None:
            days[number] = day
    return days


def _entrants(lines: list[str], players: dict[int, Player]) -> list[Record]:
    """Return who takes part, by starting rank: name, rating, title, federation, year of birth (None: not told)."""
    found = []
    for _, player in sorted(players.items()):
        line = _aligned(lines[player.line - 1])
        title, born = line[TITLE].strip(), YEAR.search(line[BIRTH])
        found.append(
            {
                "name": player.name,
                "rating": player.rating,
                "title": TITLES.get(title.lower(), title.upper()) or None,
                "federation": line[FEDERATION].strip() or None,
                "born": float(born.group()) if born else None,
            }
        )
    return found


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
            yield pairing | {"points": (BYES[entry.result], None)}
        elif other is not None and back is not None and back.opponent == rank and _is_unplayed(entry, back):
            is_white = entry.colour == "w" or (entry.colour != "b" and rank < entry.opponent)
            if is_white:
                points = tuple(FORFEITS.get(result, 0.0) for result in (entry.result, back.result))
                yield pairing | {"black": other.name, "points": points}


def _is_unplayed(entry: Entry, back: Entry) -> bool:
    return bool({entry.result, back.result} & {"+", "-", "W", "D", "L"})


# Rounds into games


def _pairing(rank: int, number: int, players: dict[int, Player], reading: Reading, source: str, record: Record) -> None:
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
    if not reason and not (own.name and opponent.name):
        reason = MISSING_PLAYER
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
