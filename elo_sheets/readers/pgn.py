"""PGN logs: the tags of every game, its result, and nothing of its moves.

The file is read line by line as bytes and never held whole. A game is a block of tags and the movetext that
follows; comments are skipped, so tags quoted inside them make no games. The source of the format is the PGN
standard (S. Edwards, 1994), sections 8.1 (tags), 8.2.3 (movetext) and 5 (comments); where files in the wild
depart from it, they are read and the departure is remarked on.
"""

from __future__ import annotations

import io
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from typing import BinaryIO

from elo_sheets.errors import UnreadableInput
from elo_sheets.games import Problem
from elo_sheets.readers._dates import is_partial, read_clock, read_date
from elo_sheets.readers._results import FORFEIT, UNFINISHED, Outcome, chess_outcome
from elo_sheets.readers._text import (
    YES_NO,
    Reading,
    Record,
    clean_name,
    identity,
    missing_player,
    read_rating,
    words,
)

TAG = re.compile(rb'\s*\[\s*([A-Za-z0-9_]+)\s+"((?:[^"\\]|\\.)*)"\s*\]')
LOOSE_TAG = re.compile(rb'\s*\[\s*([A-Za-z0-9_]+)\s+"(.*)"\s*\]\s*')
TAG_START = re.compile(rb'\s*\[\s*[A-Za-z0-9_]+\s+["\w?*]')
FULL_HEADER = (b"[White ", b"[Black ", b"[Result ")
COMMENT = re.compile(rb"\{[^}]*\}")
TERMINATION = re.compile(rb"(?:^|[\s.)])(1-0|0-1|1/2-1/2|1/2|\*)\s*$")
LAST_MOVES = re.compile(rb"\d+\.(\.\.|\s*\xe2\x80\xa6)?\s*([^\s.]+)(?:\s+(?:\d+\.\.\.\s*)?([^\s.]+))?\s*$")
MATE = re.compile(rb"#[!?]*$")

# Longest piece of a line that is held at once, and most of a comment that is kept in case it is never closed.
PIECE = 1 << 16
KEPT_COMMENT = 1 << 20
TAIL = 160
EVERY = 10_000

NO_TAGS = "movetext without tags: no players and no result"
UNRATED = "not a rated game"
CONFLICT = "the Result tag and the end of the moves disagree"

LICHESS_EVENT = re.compile(r"(?:rated|casual|unrated)\s+(\w+)", re.I)
# What a server calls one game by: lichess.org/abcd1234 or chess.com/game/live/123.
GAME_LINK = re.compile(r"lichess\.org/[A-Za-z0-9]{8}(?![A-Za-z0-9]{5})|chess\.com/(?:[a-z]+/)+\d+", re.I)
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

SPEEDS = {
    "ultrabullet": "ultraBullet",
    "bullet": "bullet",
    "blitz": "blitz",
    "rapid": "rapid",
    "classical": "classical",
    "standard": "classical",
    "correspondence": "correspondence",
}
# Upper limits in seconds. Lichess and Chess.com count 40 moves a game, FIDE (Laws of Chess, A.1 and B.1) 60.
LICHESS_SPEEDS = (
    (30, "ultraBullet"),
    (180, "bullet"),
    (480, "blitz"),
    (1500, "rapid"),
    (float("inf"), "classical"),
)
CHESS_COM_SPEEDS = ((180, "bullet"), (600, "blitz"), (float("inf"), "rapid"))
FIDE_SPEEDS = ((180, "bullet"), (600.001, "blitz"), (3600, "rapid"), (float("inf"), "classical"))
CLOCK = re.compile(r"(\d+(?:\.\d+)?)(?:\+(\d+(?:\.\d+)?))?")

PLAIN_CHESS = frozenset(
    {"", "?", "-", "standard", "chess", "normal", "regular", "classical", "fromposition", "orthodox"}
)
VARIANTS = {
    "fischerandom": "chess960",
    "fischerrandom": "chess960",
    "fischerrandomchess": "chess960",
    "960": "chess960",
    "3check": "threeCheck",
    "threecheck": "threeCheck",
    "kingofthehill": "kingOfTheHill",
    "koth": "kingOfTheHill",
    "racingkings": "racingKings",
    "giveaway": "antichess",
}
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
TEXTS = {
    "round": "Round",
    "event": "Event",
    "time_control": "TimeControl",
    "eco": "ECO",
    "opening": "Opening",
}


@dataclass
class Game:
    """The tags of one game, the end of its movetext, and the line where it starts."""

    line: int
    tags: dict[str, str] = field(default_factory=dict)
    moves: bytes = b""


def read_pgn(
    stream: BinaryIO,
    source: str,
    *,
    encoding: str | None = None,
    player: str | None = None,
    progress: Callable[[int], None] | None = None,
) -> Reading:
    """Return the games of a PGN stream, one problem for each game kept out, and remarks.

    Tag values are decoded as UTF-8, a value that is none as Windows-1252, unless `encoding` is given.
    `player` names the owner of a Chess.com log, who is otherwise the player that is in all of its games.
    `progress` is called with the number of games read so far. Memory grows with the games kept, not with the
    file.
    """
    reading = Reading()
    chess_com: list[Record] = []
    for game in _games(stream, source, encoding, reading):
        kept = _record(game, source, reading)
        if isinstance(kept, Problem):
            reading.problems.append(kept)
        else:
            if _is_chess_com(game.tags):
                kept["_ended"] = _ended(game.tags, kept["date"])
                chess_com.append(kept)
            reading.records.append(kept)
            reading.titles |= _titles(game.tags, kept)
        if progress is not None and reading.read % EVERY == 0:
            progress(reading.read)
    if chess_com:
        remark = _ratings_before(chess_com, player)
        if any({"white_rating_after", "black_rating_after"} & record.keys() for record in chess_com):
            reading.notes.append(remark)
    return reading


# Lines into games


class _Lines(Iterator[tuple[int, bytes]]):
    """The lines of a stream with their numbers, some of which can be put back."""

    def __init__(self, stream: BinaryIO, encoding: str | None) -> None:
        self._stream = stream
        self._ahead: deque[tuple[int, bytes]] = deque()
        self._number = 0
        self._inside = False
        self.transcoded = encoding is not None and not "a\n".encode(encoding).endswith(b"a\n")
        self._pieces = self._in_utf8(encoding) if encoding and self.transcoded else self._as_they_are()

    def _as_they_are(self) -> Iterator[bytes]:
        # Old Macintosh files end lines with a lone CR, so that one piece holds many lines.
        rest = b""
        while piece := self._stream.readline(PIECE):
            if rest or b"\r" in piece[:-2]:
                *whole, rest = (rest + piece).splitlines(keepends=True)
                yield from whole
                if rest.endswith(b"\n") or len(rest) > PIECE:
                    yield rest
                    rest = b""
            else:
                yield piece
        if rest:
            yield rest

    def _in_utf8(self, encoding: str) -> Iterator[bytes]:
        wrapper = io.TextIOWrapper(self._stream, encoding=encoding)
        while line := wrapper.readline(PIECE):
            yield line.encode("utf-8", "replace")
        wrapper.detach()

    def __iter__(self) -> Iterator[tuple[int, bytes]]:
        return self

    def __next__(self) -> tuple[int, bytes]:
        """Return a line with its number; of a very long line its pieces, the later ones marked by NUL."""
        if self._ahead:
            return self._ahead.popleft()
        piece = next(self._pieces)
        continues, self._inside = self._inside, not piece.endswith((b"\n", b"\r"))
        self._number += not continues
        return self._number, b"\x00" + piece if continues else piece

    def put_back(self, lines: Iterable[tuple[int, bytes]]) -> None:
        """Let `lines` come again, before the others."""
        self._ahead.extendleft(reversed(list(lines)))


def _games(stream: BinaryIO, source: str, encoding: str | None, reading: Reading) -> Iterator[Game]:
    lines = _Lines(stream, encoding)
    text = _decoder("utf-8" if lines.transcoded else encoding, source, reading)
    game: Game | None = None
    in_moves = after_blank = ended = False
    first_tag = ""
    no_comments_until = 0
    for number, line in lines:
        if line.startswith(b"\xef\xbb\xbf"):
            line = line[3:]
        if line[:1] == b"%":
            continue
        if not line.strip():
            after_blank = True
            ended = in_moves and _termination(game.moves if game else b"") is not None
            continue
        tags = _tags_of(line)
        if tags is not None:
            if not tags:
                reading.remark("broken tag", f"line {number}")
                if game is not None and not in_moves:
                    after_blank = False
                    continue
            name = _canonical(tags[0][0]) if tags else ""
            if game is None or in_moves or _starts_game(game, name, first_tag, after_blank):
                if game is not None:
                    yield game
                game, in_moves, ended, first_tag = Game(number), False, False, name
            for raw_name, raw_value in tags:
                _add_tag(game, _canonical(raw_name), text(_unescape(raw_value), number).strip(), number, reading)
            after_blank = False
            continue
        moves = line.lstrip(b"\x00")
        if b"{" in moves or b";" in moves:
            moves, unclosed = _without_comments(moves)
            if unclosed and number > no_comments_until:
                rest, reached = _skip_comment(lines)
                if rest is None:
                    reading.remark("open comment", f"the one on line {number}")
                    no_comments_until = reached[-1][0] if reached else number
                    lines.put_back(reached)
                else:
                    lines.put_back([(reached[-1][0], b"\x00" + rest)])
        if not moves.strip(b" \t\r\n}"):
            if game is not None and not in_moves:
                in_moves = True
            after_blank = False
            continue
        if game is None or ended:
            if game is not None:
                yield game
            game, ended = Game(number), False
        game.moves = (game.moves + b" " + moves.strip())[-TAIL:]
        in_moves, after_blank = True, False
    if game is not None:
        yield game


def _starts_game(game: Game, name: str, first_tag: str, after_blank: bool) -> bool:
    """Tell whether a tag that follows tags without movetext between them belongs to the next game."""
    if name not in game.tags:
        return after_blank and {"White", "Black"} <= game.tags.keys()
    return after_blank or (name == first_tag and {"White", "Black"} <= game.tags.keys())


def _tags_of(line: bytes) -> list[tuple[bytes, bytes]] | None:
    """Return the tags of a line, an empty list for a broken tag, None when the line is no tag line."""
    if not line.startswith(b"[") and not line.lstrip().startswith(b"["):
        return None
    tags, end = [], 0
    while found := TAG.match(line, end):
        tags.append((found[1], found[2]))
        end = found.end()
    if tags and not line[end:].strip():
        return tags
    if loose := LOOSE_TAG.fullmatch(line.rstrip()):
        return [(loose[1], loose[2])]
    if tags:
        return tags
    return [] if TAG_START.match(line) else None


def _unescape(value: bytes) -> bytes:
    return re.sub(rb"\\(.)", rb"\1", value, flags=re.S) if b"\\" in value else value


def _canonical(name: bytes) -> str:
    return CANONICAL.get(name.lower()) or name.decode("ascii")


def _add_tag(game: Game, name: str, value: str, number: int, reading: Reading) -> None:
    if name not in game.tags:
        game.tags[name] = value
    else:
        reading.remark("duplicate tag", f"{name} {value!r} after {game.tags[name]!r} (line {number})")


def _decoder(encoding: str | None, source: str, reading: Reading) -> Callable[[bytes, int], str]:
    def text(value: bytes, number: int) -> str:
        try:
            return value.decode(encoding or "utf-8")
        except UnicodeDecodeError:
            if encoding:
                raise UnreadableInput(
                    f"expected text in {encoding}, got {value!r} ({source}, line {number}); give another --encoding"
                ) from None
        try:
            decoded = value.decode("cp1252")
        except UnicodeDecodeError:
            decoded = value.decode("latin-1")
        reading.remark("windows", f"{decoded!r} on line {number}")
        return decoded

    return text


def _without_comments(moves: bytes) -> tuple[bytes, bool]:
    """Return movetext without its comments, and whether a brace stays open at its end."""
    moves = COMMENT.sub(b" ", moves)
    brace, semicolon = moves.find(b"{"), moves.find(b";")
    if semicolon >= 0 and (brace < 0 or semicolon < brace):
        return moves[:semicolon], False
    return (moves, False) if brace < 0 else (moves[:brace], True)


def _skip_comment(
    numbered: Iterator[tuple[int, bytes]],
) -> tuple[bytes | None, list[tuple[int, bytes]]]:
    """Read on to the brace that closes a comment.

    Return what follows it on its line and the lines read. A comment that never ends, or that holds the whole
    header of a game and then another opening brace, was left open by mistake: what follows it is None then.
    """
    reached: list[tuple[int, bytes]] = []
    size = 0
    seen: set[bytes] = set()
    for number, line in numbered:
        reached.append((number, line))
        size += len(line)
        before, closing, rest = line.partition(b"}")
        if len(seen) == len(FULL_HEADER) and b"{" in before:
            return None, reached
        if closing:
            return rest, reached
        if line.startswith(b"["):
            seen |= {tag for tag in FULL_HEADER if line.startswith(tag)}
        if size > KEPT_COMMENT and not line.startswith(b"\x00"):
            return None, reached
    return None, reached


# Games into records


def _titles(tags: dict[str, str], record: Record) -> dict[str, str]:
    """Return the titles that a game prints beside its players' names."""
    found = {identity(record[side]): tags.get(f"{side.capitalize()}Title", "") for side in ("white", "black")}
    return {name: title for name, title in found.items() if title not in NOTHING and len(title) <= LONGEST_TITLE}


def _record(game: Game, source: str, reading: Reading) -> Record | Problem:
    """Return a game as a record of the games table, or the reason why it is none."""
    tags = game.tags

    def problem(column: str, reason: str) -> Problem:
        return Problem(source, game.line, column, tags.get(column, ""), reason)

    if not tags:
        return problem("", NO_TAGS)
    white, black = clean_name(tags.get("White", "")), clean_name(tags.get("Black", ""))
    for column, name in (("White", white), ("Black", black)):
        if reason := missing_player(name):
            return problem(column, reason)
    if identity(white) == identity(black):
        return problem("Black", f"a game against oneself: White is {white!r} too")
    if refusal := _not_rated(tags, white, black):
        return problem(*refusal)
    result = _result(game, reading)
    if result.score is None:
        return problem("Result", result.reason)
    try:
        date = _date(tags, game.line, reading)
    except ValueError as error:
        return problem("UTCDate" if _has_utc_date(tags) else "Date", str(error))
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
    if link := GAME_LINK.search(tags.get("Link", "") or tags.get("Site", "")):
        record["link"] = link[0].lower() if "chess.com" in link[0].lower() else link[0]
    return record | _ratings(tags, game.line, reading)


def _not_rated(tags: dict[str, str], white: str, black: str) -> tuple[str, str] | None:
    """Return the tag and the reason that keep a game out of a rating, None when none does."""
    event, termination = tags.get("Event", ""), tags.get("Termination", "")
    if YES_NO.get(tags.get("Rated", "").casefold()) is False:
        return "Rated", UNRATED
    if (LICHESS_UNRATED if _is_lichess(tags) else EVENT_UNRATED).match(event):
        return "Event", UNRATED
    # Chess.com writes the winner's name into the sentence, and a name may be "default99".
    for name in (white, black):
        termination = termination.removeprefix(f"{name} won")
    ending = termination.strip().casefold()
    if _is_lichess(tags) and ending in LICHESS_TERMINATIONS:
        return "Termination", LICHESS_TERMINATIONS[ending]
    if TERMINATION_UNRATED.search(ending):
        return "Termination", UNRATED
    if TERMINATION_FORFEIT.search(ending):
        return "Termination", FORFEIT
    if ending in UNTERMINATED:
        return "Termination", UNFINISHED
    return None


def _result(game: Game, reading: Reading) -> Outcome:
    """Return the result that the tag, the end of the moves and a mate on the board agree on."""
    printed = game.tags.get("Result", "")
    token = _termination(game.moves)
    tag = _one_result(printed)
    at_end = _one_result(token or "")
    if printed in ("", "?"):
        tag, printed = at_end, token or ""
    elif token is None or at_end.score == tag.score:
        pass
    elif at_end.score is None:
        reading.remark("star", f"{printed!r} (line {game.line})")
    elif tag.score is not None or tag.reason == UNFINISHED:
        return Outcome(None, f"{CONFLICT}: {printed!r} and {token!r}")
    if tag.score is None:
        return tag
    mated = _mate(game.moves) if _variant(game.tags.get("Variant", "")) in (None, "chess960") else None
    if mated is not None and mated != tag.score:
        return Outcome(
            None,
            f"the last move gives mate for {'White' if mated else 'Black'}, but the result is {printed!r}",
        )
    return tag


@lru_cache(maxsize=1000)
def _one_result(text: str) -> Outcome:
    return chess_outcome(text)


def _termination(moves: bytes) -> str | None:
    found = TERMINATION.search(moves)
    return found[1].decode() if found else None


def _mate(moves: bytes) -> float | None:
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


def _has_utc_date(tags: dict[str, str]) -> bool:
    date = tags.get("UTCDate", "")
    return bool(date) and not is_partial(date)


def _date(tags: dict[str, str], line: int, reading: Reading) -> datetime | None:
    """Return when a game began: UTC day and time where the log gives them, else its day."""
    printed = tags["UTCDate"] if _has_utc_date(tags) else tags.get("Date", "")
    day = read_date(printed, "dmy")
    if day is None:
        if any(c.isdigit() for c in printed):
            reading.remark("partial date", printed)
        return None
    clock = read_clock(tags.get("UTCTime", "")) if _has_utc_date(tags) else None
    return day if clock is None else day + clock


def _ended(tags: dict[str, str], began: datetime | None) -> datetime | None:
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
        if _is_chess_com(tags):
            ratings[f"{side.lower()}_rating_after"] = rating
            continue
        ratings[f"{side.lower()}_rating"] = rating
        if re.fullmatch(r"[+-]?\d{1,4}", change := tags.get(f"{side}RatingDiff", "")):
            ratings[f"{side.lower()}_rating_after"] = rating + int(change)
    return ratings


def _ratings_before(records: Sequence[Record], player: str | None) -> str:
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


def _is_lichess(tags: dict[str, str]) -> bool:
    """Tell whether a game was played on Lichess; its studies and broadcasts hold games from elsewhere."""
    if {"StudyName", "ChapterName", "BroadcastName"} & tags.keys():
        return False
    return "lichess.org" in tags.get("Site", "").casefold() or "lichess.org" in tags.get("Annotator", "").casefold()


def _is_chess_com(tags: dict[str, str]) -> bool:
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
    if _is_lichess(tags):
        named = LICHESS_EVENT.match(tags.get("Event", ""))
        speed = SPEEDS.get(named[1].casefold()) if named else None
        return speed or ("correspondence" if control == "-" else _speed(control, 40, LICHESS_SPEEDS))
    if _is_chess_com(tags):
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
