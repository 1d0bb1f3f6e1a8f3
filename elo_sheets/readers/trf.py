"""FIDE tournament reports (TRF): every game once, with both players' published ratings.

Source: *Format of Tournament Report File (TRF)*, Christian Krause, 2006, as FIDE published it for 2016 (Handbook C.04,
annex 2) and extended it for 2026 (handbook.fide.com/files/handbook/TRF26.pdf). Lines begin with the number of their
kind: 012 the tournament's name, 022 its town, 032 its federation, 042 and 052 its first and last day, 102 its chief
arbiter, 122 its time control, 132 the days of the rounds, XXR or 142 their number, and 001 a player with his
results, in fixed columns: the opponent's starting rank, the colour and the result of round 1 stand in columns 92-95, 97
and 99, those of each further round ten columns on. Both players' lines hold a game; where they disagree it is kept out.

Rounds without a day of their own get the tournament's first day. Byes, forfeits, games of less than one move and games
without a result are kept out with the reason. Some programs count the columns in bytes of UTF-8; their lines are read
too. Lines of other kinds (teams, national ratings, pairing options, comments) hold no games; they are kept as they
stand for a report that is written again. Points that are not those of the rounds, and rounds that are too many or still
to come, are remarked on.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from typing import Literal

from elo_sheets.games import Problem
from elo_sheets.readers._dates import order_of_column, read_date, remembered_order
from elo_sheets.readers._pairings import FIRST_DAY, LAST_DAY, POINTS_OF, Entry, Player, added, read_rounds, told_apart
from elo_sheets.readers._people import YEAR
from elo_sheets.readers._registry import How, OpenLog
from elo_sheets.readers._text import Reading, Record, clean_name, decode, read_rating

# A line of a player: 001, starting rank, sex and title, name, rating, federation, number, birth, points.
PLAYER_LINE = re.compile(rb"(?:^|\r)001 [ 0-9]{3}[0-9] [ mwfMWF][ \w]{3} [^\r\n]{65}", re.M)
FIRST_LINE = re.compile(rb"\s*(?:[0-9]{3}|XX.|BB.|#)")

# Columns of a player's line, counted from 0.
RANK, NAME, RATING, POINTS = slice(4, 8), slice(14, 47), slice(48, 52), slice(80, 84)
PLACE = slice(85, 89)
SEX, TITLE, FEDERATION, NUMBER, BIRTH = slice(9, 10), slice(10, 13), slice(53, 56), slice(57, 68), slice(69, 79)
ROUNDS, ROUND_WIDTH = 91, 10

POINTS_TEXT = re.compile(r"\s*\d{1,3}[.,]\d\s*|\s*\d{1,3}\s*")

# Lines that say what points a result is worth; those of a report without one are 1, a half and 0.
POINT_SYSTEMS = ("XXS", "162")
# Lines that say how many rounds there are.
NUMBERS_OF_ROUNDS = ("XXR", "142")
# Lines that a report written again makes anew.
WRITTEN = ("001", "012", "022", "032", "042", "052", "062", "072", "092", "102", "122", "132")
SO_MANY = 3

# Titles as reports of 2006 write them.
TITLES = {"g": "GM", "m": "IM", "f": "FM", "c": "CM", "wg": "WGM", "wm": "WIM", "wf": "WFM", "wc": "WCM"}
SEXES = {"m": "m", "w": "w", "f": "w"}
PAIRED = re.compile(r"[ 0-9]{3}[0-9] [wbWB]")


def is_trf(head: bytes) -> bool:
    """Tell whether a file that begins so, in an encoding that holds ASCII, is a tournament report."""
    return FIRST_LINE.match(head.removeprefix(b"\xef\xbb\xbf")) is not None and PLAYER_LINE.search(head) is not None


def read_trf(log: OpenLog, how: How) -> Iterator[Reading]:
    """Yield the games of a tournament report by rounds, one problem for each pairing kept out, and remarks.

    A game's `source_row` is the line of the player with the smaller starting rank. `how.dates` says which of day, month
    and year comes first where the report's dates leave it open. Raises `UnreadableInput` where they do and it is None.
    """
    text, notes = decode(log.stream.read(), how.encoding, log.name)
    yield _read_text(text, notes, log.name, how)


def open_pairings(log: OpenLog, how: How) -> Iterator[Reading]:
    """Yield the pairings of a tournament report that have no result yet, as draws."""
    text, notes = decode(log.stream.read(), how.encoding, log.name)
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    plain = _read_text(text, notes, log.name, how)
    yield added(plain, _read_text("\n".join(map(_answered_line, lines)), notes, log.name, how))


def _answered_line(line: str) -> str:
    """Return a player's line of a tournament report in which every pairing without a result is a draw."""
    if not line.startswith("001"):
        return line
    line = line.rstrip()
    parts = [line[at : at + ROUND_WIDTH] for at in range(ROUNDS, len(line), ROUND_WIDTH)]
    return line[:ROUNDS] + "".join(
        f"{part.rstrip():7}=".ljust(ROUND_WIDTH) if PAIRED.fullmatch(part.rstrip()) else part for part in parts
    )


def _read_text(text: str, notes: list[str], source: str, how: How) -> Reading:
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    reading = Reading(notes=list(notes))
    players = _players(lines, reading, source)
    days = _days(lines, reading, source, how.dates)
    said = {"event": _said(lines, "012") or "", "time_control": _said(lines, "122")}
    read_rounds(players, days, said, reading, source, how.keep_names)
    place = [_said(lines, "022"), _said(lines, "032")]
    stated = _stated_points(lines, players)
    _check_points(stated, players, lines, reading)
    _check_rounds(lines, players, reading)
    first = next((at for at, line in enumerate(lines) if line.startswith("001")), 0)
    others = [[line for line in part if line.strip() and not line.startswith(WRITTEN)] for part in _parts(lines, first)]
    reading.tournament = {
        "place": ", ".join(filter(None, place)) or None,
        "city": _said(lines, "022"),
        "federation": _said(lines, "032"),
        "kind": _said(lines, "092"),
        "arbiter": _said(lines, "102"),
        "first_day": days.get(FIRST_DAY),
        "last_day": days.get(LAST_DAY),
        "round_days": {number: day for number, day in days.items() if number > 0},
        "lines": others,
        "rounds": {rank: _spelled(player) for rank, player in players.items()},
    }
    reading.entrants = _entrants(lines, players, stated)
    if how.progress is not None:
        how.progress(reading.read)
    return reading


def _parts(lines: list[str], first: int) -> tuple[list[str], list[str]]:
    """Return the lines before the first player, and those behind."""
    return lines[:first], lines[first:]


def _spelled(player: Player) -> dict[int, str]:
    """Return what stands in the columns of a player's rounds, by round."""
    return {number: entry.cell for number, entry in player.rounds.items()}


# What a report says twice


def _check_points(stated: dict[int, float], players: dict[int, Player], lines: list[str], reading: Reading) -> None:
    """Remark on players whose points are not the sum of their rounds, at a point, a half and none."""
    if any(line.startswith(POINT_SYSTEMS) for line in lines):
        return
    wrong = []
    for rank, player in players.items():
        made = sum(POINTS_OF.get(entry.result, 0.0) for entry in player.rounds.values())
        if player.rounds and stated.get(rank, made) != made:
            wrong.append(f"{player.name} {stated[rank]:g} for {made:g} (row {player.line})")
    if wrong:
        shown = ", ".join(wrong[:SO_MANY]) + (f" and {len(wrong) - SO_MANY} more" if len(wrong) > SO_MANY else "")
        reading.notes.append(f"the points that the report states are not those of its rounds: {shown}; the games count")


def _stated_points(lines: list[str], players: dict[int, Player]) -> dict[int, float]:
    """Return the points that the players' lines state; none at all where nobody has any: nobody wrote them in."""
    texts = {rank: _aligned(lines[player.line - 1])[POINTS].strip() for rank, player in players.items()}
    found = {rank: float(text.replace(",", ".")) for rank, text in texts.items() if POINTS_TEXT.fullmatch(text)}
    return found if any(found.values()) else {}


def _check_rounds(lines: list[str], players: dict[int, Player], reading: Reading) -> None:
    """Remark on a report whose rounds are more than it says, not all paired yet, or none."""
    last = max((max(player.rounds, default=0) for player in players.values()), default=0)
    if players and not last:
        reading.notes.append(f"the report lists {len(players)} players and no pairing of any round: it has no game yet")
    said = next(filter(None, (_said(lines, kind) for kind in NUMBERS_OF_ROUNDS)), None)
    if said is None or not said.isdecimal() or not last or int(said) == last:
        return
    more = f"which is more than the {said} rounds that it says it has" if last > int(said) else f"of {said}"
    end = "; the others are still to come" if last < int(said) else ""
    reading.notes.append(f"the report goes to round {last}, {more}{end}")


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
    return told_apart(players, reading)


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
            yield number, Entry(opponent, part[5].lower(), part[7].upper().strip(), shown, part[:8].rstrip())


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
    order = order_of_column("042", asked, source, dates)
    reading.notes += [said] if (said := remembered_order(asked, dates)) else []
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


def _entrants(lines: list[str], players: dict[int, Player], stated: dict[int, float]) -> list[Record]:
    """Return who takes part, by starting rank: name, rating, title, federation, birth and sex, and the rank, points
    and place that the report states (None: not told)."""
    found = []
    for rank, player in sorted(players.items()):
        line = _aligned(lines[player.line - 1])
        title, born = line[TITLE].strip(), YEAR.search(line[BIRTH])
        place = line[PLACE].strip()
        found.append(
            {
                "name": player.name,
                "rating": player.rating,
                "title": TITLES.get(title.lower(), title.upper()) or None,
                "federation": line[FEDERATION].strip() or None,
                "id": line[NUMBER].strip().lstrip("0") or None,
                "born": float(born.group()) if born else None,
                "birth": line[BIRTH].strip() or None,
                "sex": SEXES.get(line[SEX].lower()),
                "rank": rank,
                "points": stated.get(rank),
                "place": int(place) if place.isdecimal() else None,
            }
        )
    return found
