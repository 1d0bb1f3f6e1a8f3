"""What the tags of one PGN game and the end of its moves mean: a record of the games table, or why it is none."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache

from elo_sheets.games import Problem
from elo_sheets.readers._dates import is_partial, read_clock, read_date
from elo_sheets.readers._results import FORFEIT, UNFINISHED, UNKNOWN, Outcome, chess_outcome
from elo_sheets.readers._text import YES_NO, Reading, Record, clean_name, identity, missing_player, read_rating, words
from elo_sheets.readers._twice import server_link
from elo_sheets.readers._words import table

TERMINATION = re.compile(rb"(?:^|[\s.)])(1-0|0-1|1/2-1/2|1/2|\*)\s*$")
LAST_MOVES = re.compile(rb"\d+\.(\.\.|\s*\xe2\x80\xa6)?\s*([^\s.]+)(?:\s+(?:\d+\.\.\.\s*)?([^\s.]+))?\s*$")
MATE = re.compile(rb"#[!?]*$")
MOVE = re.compile(r"[KQRBNO]?[a-hO][-a-hO1-8x]*[1-8O](?:=[QRBN])?")
LAST = 12

NO_TAGS = "movetext without tags: no players and no result"
UNRATED = "not a rated game"
CONFLICT = "the Result tag and the end of the moves disagree"

LICHESS_EVENT = re.compile(r"(?:rated|casual|unrated)\s+(\w+)", re.I)
LICHESS_UNRATED = re.compile(r"(?:casual|unrated)\b", re.I)
EVENT_UNRATED = re.compile(r"unrated\s+(?:game|match|friendly|bullet|blitz|rapid|classical|standard)\b", re.I)
TERMINATION_UNRATED = re.compile(r"\bunrated\b", re.I)
TERMINATION_FORFEIT = re.compile(
    r"(?<!time )\b(?:forfeit\w*|default|walk-?over|w\.o\.|unplayed|no[- ]show)(?!\w)", re.I
)
LICHESS_TERMINATIONS = {
    "abandoned": "abandoned, which Lichess does not rate",
    "rules infraction": "ended by a rules infraction",
}
UNTERMINATED = frozenset({"unterminated", "unfinished"})

SPEEDS = {said: speed for speed, words in table("speeds").items() for said in words}
# Upper limits in seconds. Lichess and Chess.com count 40 moves a game, FIDE (Laws of Chess, A.1 and B.1) 60.
LICHESS_SPEEDS = ((30, "ultraBullet"), (180, "bullet"), (480, "blitz"), (1500, "rapid"), (float("inf"), "classical"))
CHESS_COM_SPEEDS = ((180, "bullet"), (600, "blitz"), (float("inf"), "rapid"))
FIDE_SPEEDS = ((180, "bullet"), (600.001, "blitz"), (3600, "rapid"), (float("inf"), "classical"))
CLOCK = re.compile(r"(\d+(?:\.\d+)?)(?:\+(\d+(?:\.\d+)?))?")

PLAIN_CHESS = frozenset(
    {"", "?", "-", "standard", "chess", "normal", "regular", "classical", "fromposition", "orthodox"}
)
VARIANTS = {said: variant for variant, words in table("variants").items() for said in words}
# The pools that are another chess than the ordinary one, as sites name them.
VARIANT_NAMES = frozenset(VARIANTS.values()) | frozenset(
    words("atomic bughouse crazyhouse horde losers placement shatranj suicide gothic capablanca")
)
NOTHING = frozenset({"", "?", "-"})
LONGEST_TITLE = 10
CANONICAL = {
    name.casefold().encode(): name
    for name in words(
        "Event Site Date Round White Black Result WhiteElo BlackElo WhiteTitle BlackTitle WhiteRatingDiff "
        "BlackRatingDiff "
        "UTCDate UTCTime "
        "EndDate EndTime TimeControl ECO Opening Termination Variant Annotator Link Rated StudyName "
        "ChapterName BroadcastName"
    )
}
TEXTS = {"round": "Round", "event": "Event", "time_control": "TimeControl", "eco": "ECO", "opening": "Opening"}


@dataclass
class Game:
    """The tags of one game, the end of its movetext, and the line where it starts."""

    line: int
    tags: dict[str, str] = field(default_factory=dict)
    moves: bytes = b""


# Games into records


def titles_of(tags: dict[str, str], record: Record) -> dict[str, str]:
    """Return the titles that a game prints beside its players' names."""
    found = {identity(record[side]): tags.get(f"{side.capitalize()}Title", "") for side in ("white", "black")}
    return {name: title for name, title in found.items() if title not in NOTHING and len(title) <= LONGEST_TITLE}


def record_of(game: Game, source: str, reading: Reading, keep_names: Set[str]) -> Record | Problem:
    """Return a game as a record of the games table, or the reason why it is none."""
    tags = game.tags

    def problem(column: str, reason: str) -> Problem:
        return Problem(source, game.line, column, tags.get(column, ""), reason)

    if not tags:
        return problem("", NO_TAGS)
    white, black = clean_name(tags.get("White", "")), clean_name(tags.get("Black", ""))
    for column, name in (("White", white), ("Black", black)):
        if reason := missing_player(name, keep_names):
            return problem(column, reason)
    if identity(white) == identity(black):
        return problem("Black", f"a game against oneself: White is {white!r} too")
    if refusal := not_rated(tags, white, black):
        return problem(*refusal)
    result = result_of(game, reading)
    if result.score is None:
        return problem("Result", result.reason)
    try:
        date = date_of(tags, game.line, reading)
    except ValueError as error:
        return problem("UTCDate" if has_utc_date(tags) else "Date", str(error))
    record: Record = {
        "date": date,
        "white": white,
        "black": black,
        "score": result.score,
        "source": source,
        "source_row": game.line,
    }
    record |= {column: tags[tag] for column, tag in TEXTS.items() if tags.get(tag, "") not in NOTHING}
    if tags.get("Termination", "") not in NOTHING:
        record["termination"] = tags["Termination"]
    if pool := pool_of(tags):
        record["pool"] = pool
    if link := server_link(tags.get("Link", "") or tags.get("Site", "")):
        record["link"] = link
    if moves := last_moves(game.moves):
        record["moves"] = moves
    return record | _ratings(tags, game.line, reading)


def not_rated(tags: dict[str, str], white: str, black: str) -> tuple[str, str] | None:
    """Return the tag and the reason that keep a game out of a rating, None when none does."""
    event, termination = tags.get("Event", ""), tags.get("Termination", "")
    if YES_NO.get(tags.get("Rated", "").casefold()) is False:
        return "Rated", UNRATED
    if (LICHESS_UNRATED if is_lichess(tags) else EVENT_UNRATED).match(event):
        return "Event", UNRATED
    # Chess.com writes the winner's name into the sentence, and a name may be "default99".
    for name in (white, black):
        termination = termination.removeprefix(f"{name} won")
    ending = termination.strip().casefold()
    if is_lichess(tags) and ending in LICHESS_TERMINATIONS:
        return "Termination", LICHESS_TERMINATIONS[ending]
    if TERMINATION_UNRATED.search(ending):
        return "Termination", UNRATED
    if TERMINATION_FORFEIT.search(ending):
        return "Termination", FORFEIT
    if ending in UNTERMINATED:
        return "Termination", UNFINISHED
    return None


def result_of(game: Game, reading: Reading) -> Outcome:
    """Return the result that the tag, the end of the moves and a mate on the board agree on."""
    printed = game.tags.get("Result", "")
    token = termination(game.moves)
    tag = _one_result(printed)
    at_end = _one_result(token or "")
    if printed in ("", "?"):
        tag, printed = at_end, token or ""
    elif token is None or at_end.score == tag.score:
        pass
    elif at_end.score is None:
        reading.remark("star", f"{printed!r} (line {game.line})")
    elif tag.score is not None or tag.reason == UNFINISHED:
        return Outcome(None, f"{CONFLICT}: {printed!r} and {token!r}; correct the one that is wrong")
    if tag.score is None:
        if tag.reason != UNKNOWN:
            return tag
        known = f"; the moves end with {token}: correct the tag" if at_end.score is not None else "; correct the tag"
        return Outcome(None, f"{tag.reason}{known}")
    mated = mate(game.moves) if _variant(game.tags.get("Variant", "")) in (None, "chess960") else None
    if mated is not None and mated != tag.score:
        return Outcome(
            None, f"the last move gives mate for {'White' if mated else 'Black'}, but the result is {printed!r}"
        )
    return tag


@lru_cache(maxsize=1000)
def _one_result(text: str) -> Outcome:
    return chess_outcome(text)


def termination(moves: bytes) -> str | None:
    found = TERMINATION.search(moves)
    return found[1].decode() if found else None


def mate(moves: bytes) -> float | None:
    """Return White's score when the last move of the game is marked as mate, None when it is not."""
    if b"#" not in moves:
        return None
    last = LAST_MOVES.search(TERMINATION.sub(b"", moves))
    if last is None or last[2] is None:
        return None
    by_black = last[1] is not None or last[3] is not None
    if not MATE.search(last[3] if last[3] is not None else last[2]):
        return None
    return 0.0 if by_black else 1.0


def last_moves(moves: bytes) -> str:
    """Return the end of a game's moves, by which two games are told apart, without numbers and signs."""
    return " ".join(MOVE.findall(moves.decode("ascii", "ignore"))[-LAST:])


def has_utc_date(tags: dict[str, str]) -> bool:
    date = tags.get("UTCDate", "")
    return bool(date) and not is_partial(date)


def printed_date(tags: dict[str, str]) -> str:
    """Return a game's date as it stands there, that of Greenwich before that of the place."""
    return tags["UTCDate"] if has_utc_date(tags) else tags.get("Date", "")


def day_of(tags: dict[str, str]) -> tuple[datetime | None, bool]:
    """Return the day of a game, and whether only a part of it is known; raises `ValueError` for what is no date."""
    printed = printed_date(tags)
    day = read_date(printed, "dmy")
    return day, day is None and any(c.isdigit() for c in printed)


def date_of(tags: dict[str, str], line: int, reading: Reading) -> datetime | None:
    """Return when a game began: UTC day and time where the log gives them, else its day."""
    day, partial = day_of(tags)
    if partial:
        reading.remark("partial date", printed_date(tags))
    if day is None:
        return None
    clock = read_clock(tags.get("UTCTime", "")) if has_utc_date(tags) else None
    return day if clock is None else day + clock


def ended(tags: dict[str, str], began: datetime | None) -> datetime | None:
    """Return when a game ended: of two daily games at once, the rating follows the one that ends first."""
    try:
        day = read_date(tags.get("EndDate", ""), "dmy")
    except ValueError:
        return began
    clock = read_clock(tags.get("EndTime", "").split(" ")[0])
    return began if day is None else day if clock is None else day + clock


def _ratings(tags: dict[str, str], line: int, reading: Reading) -> Record:
    """Return the published ratings of both players in the columns that the site's habit puts them into.

    Lichess prints the rating before the game and its change; Chess.com prints the rating after the game.
    """
    ratings: Record = {}
    for side in ("White", "Black"):
        printed = tags.get(f"{side}Elo", "")
        try:
            rating = read_rating(printed)
        except ValueError:
            reading.remark("rating", f"{printed!r} (line {line}, {side}Elo)")
            continue
        if rating is None:
            continue
        if is_chess_com(tags):
            ratings[f"{side.lower()}_rating_after"] = rating
            continue
        ratings[f"{side.lower()}_rating"] = rating
        change = change_of(tags.get(f"{side}RatingDiff", ""))
        if change is not None:
            ratings[f"{side.lower()}_rating_after"] = rating + change
    return ratings


def change_of(printed: str) -> int | None:
    """Return the change of a rating, None where none is printed."""
    return int(printed) if re.fullmatch(r"[+-]?\d{1,4}", printed) else None


def ratings_before(records: Sequence[Record], player: str | None) -> str:
    """Fill in the ratings that a Chess.com log's owner had before his games; return the remark about it.

    They are what the log prints after his previous game of the same pool. Of his opponents nothing is known.
    """
    owner = identity(player) if player is not None else _owner(records)
    order = sorted((record for record in records if record["_ended"] is not None), key=lambda record: record["_ended"])
    last: dict[str, float] = {}
    for record in order:
        pool = record.get("pool", "")
        for side in ("white", "black"):
            if owner is not None and identity(record[side]) == owner:
                if pool in last:
                    record[f"{side}_rating"] = last[pool]
                if f"{side}_rating_after" in record:
                    last[pool] = record[f"{side}_rating_after"]
                else:
                    last.pop(pool, None)
    for record in records:
        del record["_ended"]
    remark = (
        "Chess.com prints ratings after the game, so ratings before the game are unknown and those after it stand "
        "for the opponents'"
    )
    if owner is None:
        return remark + "; give --player NAME for the owner of the log, whose ratings can be followed"
    return remark + ", except those that the log's owner had after his previous game"


def _owner(records: Sequence[Record]) -> str | None:
    everywhere = {identity(records[0]["white"]), identity(records[0]["black"])}
    for record in records:
        everywhere &= {identity(record["white"]), identity(record["black"])}
    return everywhere.pop() if len(everywhere) == 1 else None


# Sites and pools


def is_lichess(tags: dict[str, str]) -> bool:
    """Tell whether a game was played on Lichess; its studies and broadcasts hold games from elsewhere."""
    if {"StudyName", "ChapterName", "BroadcastName"} & tags.keys():
        return False
    return "lichess.org" in tags.get("Site", "").casefold() or "lichess.org" in tags.get("Annotator", "").casefold()


def is_chess_com(tags: dict[str, str]) -> bool:
    return (
        tags.get("Site", "").casefold() in ("chess.com", "www.chess.com")
        or "chess.com/" in tags.get("Link", "").casefold()
    )


def pool_of(tags: dict[str, str]) -> str | None:
    """Return the rating pool of a game: its variant, else its speed as the site counts it.

    >>> pool_of({"Site": "https://lichess.org/x", "TimeControl": "180+2"})
    'blitz'
    """
    if variant := _variant(tags.get("Variant", "")):
        return variant
    control = tags.get("TimeControl", "").replace(" ", "")
    if is_lichess(tags):
        named = LICHESS_EVENT.match(tags.get("Event", ""))
        speed = SPEEDS.get(named[1].casefold()) if named else None
        return speed or ("correspondence" if control == "-" else _speed(control, 40, LICHESS_SPEEDS))
    if is_chess_com(tags):
        return "daily" if re.fullmatch(r"1/\d+", control) else _speed(control, 40, CHESS_COM_SPEEDS)
    return _speed(control, 60, FIDE_SPEEDS)


def _variant(printed: str) -> str | None:
    words = re.findall(r"[^\W_]+", printed)
    key = "".join(words).casefold()
    if key in PLAIN_CHESS or not words:
        return None
    return VARIANTS.get(key) or words[0].lower() + "".join(word.capitalize() for word in words[1:])


def _speed(control: str, moves: int, limits: Sequence[tuple[float, str]]) -> str | None:
    found = CLOCK.fullmatch(control)
    if found is None:
        return None
    seconds = float(found[1]) + moves * float(found[2] or 0)
    return next(speed for limit, speed in limits if seconds < limit)
