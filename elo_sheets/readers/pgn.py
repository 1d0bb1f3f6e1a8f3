"""PGN logs: the tags of every game, its result, and nothing of its moves.

The text is read in large pieces and never held whole. A game is a block of tags and the movetext that follows;
comments are skipped, so tags quoted inside them make no games. Games whose text leaves nothing open are read many at
once (`_blocks`, `_headers`), all others line by line, and both ways find the same. The source of the format is the PGN
standard (S. Edwards, 1994), sections 8.1 (tags), 8.2.3 (movetext) and 5 (comments); where files in the wild depart from
it, they are read and the departure is remarked on.
"""

from __future__ import annotations

import io
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from typing import Any, BinaryIO

from elo_sheets._late import np, pd
from elo_sheets.errors import UnreadableInput
from elo_sheets.games import Problem
from elo_sheets.readers._pairings import added
from elo_sheets.readers._registry import How, OpenLog
from elo_sheets.readers._tables import NO_MOVES, alike, coded, joined_tables, packed, table_of
from elo_sheets.readers._tags import (
    CANONICAL,
    Game,
    ended,
    is_chess_com,
    last_moves,
    ratings_before,
    record_of,
    termination,
    titles_of,
)
from elo_sheets.readers._text import Reading, Record, bom_encoding, mend

TAG = re.compile(rb'\s*\[\s*([A-Za-z0-9_]+)\s+"((?:[^"\\]|\\.)*)"\s*\]')
LOOSE_TAG = re.compile(rb'\s*\[\s*([A-Za-z0-9_]+)\s+"(.*)"\s*\]\s*')
TAG_START = re.compile(rb'\s*\[\s*[A-Za-z0-9_]+\s+["\w?*]')
FULL_HEADER = (b"[White ", b"[Black ", b"[Result ")
COMMENT = re.compile(rb"\{[^}]*\}")
BOM = b"\xef\xbb\xbf"

# How much of a log is read at once, and how much of it may hold no beginning of a game before it is read line by line.
SIZE, MOST = 1 << 22, 1 << 26
# Longest piece of a line that is held at once, and most of a comment that is kept in case it is never closed.
PIECE = 1 << 16
KEPT_COMMENT = 1 << 20
TAIL = 160
EVERY = 10_000


TAG_LINE = re.compile(rb'^[ \t]*\[[ \t]*[A-Za-z0-9_]+[ \t]+"[^\r\n]*"[ \t]*\][ \t]*\r?$', re.M)
FIRST_MOVE = re.compile(
    rb"\s*(?:\{[^{}]*\}\s*)?(?:1\s*\.+\s*)?(?:[a-h][1-8]|[NBRQK][a-h1-8]?x?[a-h][1-8]|[a-h]x[a-h][1-8]|O-O)[+#!?]*\s"
)
OPEN_TAG = re.compile(rb'^([ \t]*\[[ \t]*Result[ \t]+")(?:\*|\?|)("[ \t]*\])', re.M)


def read_pgn(
    stream: BinaryIO,
    source: str,
    *,
    encoding: str | None = None,
    player: str | None = None,
    keep_names: Set[str] = frozenset(),
    progress: Callable[[int], None] | None = None,
    again: Callable[[Sequence[int]], list[str]] | None = None,
) -> Reading:
    """Return the games of a PGN stream as a table, one problem for each game kept out, and remarks.

    Tag values are decoded as UTF-8, a value that is none as Windows-1252, unless `encoding` is given.
    `player` names the owner of a Chess.com log, who is otherwise the player that is in all of its games, `keep_names`
    are names that otherwise stand for nobody. `progress` is called with the number of games read so far. Memory grows
    with the games kept, not with the file. `again` tells the last moves of games by their places (`last_moves_of`);
    without it they are kept.
    """
    from elo_sheets.readers._headers import Headers

    text = _Text(stream, encoding)
    single = _Single(source, text, keep_names)
    headers = Headers(text.decode, keep_names)
    moves = _Moves(again)
    shown = 0
    while text.more() or text.data:
        _read_block(text, single, headers, moves)
        now = headers.count + single.reading.read
        if progress is not None:
            for number in range(shown // EVERY + 1, now // EVERY + 1):
                progress(number * EVERY)
        shown = now
    reading = single.finished(player)
    reading.titles = _last_titles(headers.titles + single.titles)
    reading.table = _table(headers.table(), reading.records, moves, source)
    reading.records = []
    reading.moves = moves
    return reading


def is_pgn(log: OpenLog, how: How) -> bool:
    """Tell by its first lines whether a log is PGN; one without any is when its name says so."""
    head = log.ascii_head(how.encoding).replace(b"\r", b"\n")
    lines = [line for line in head.splitlines() if line.strip() and line[:1] not in (b"%", b";")]
    if not lines:
        return log.name.casefold().endswith(".pgn")
    return TAG_LINE.search(head) is not None or FIRST_MOVE.match(b"\n".join([*lines, b""])) is not None


def _encoding(log: OpenLog, how: How) -> str | None:
    declared = bom_encoding(log.head)
    return how.encoding or (declared if declared != "utf-8-sig" else None)


def read_pgn_log(log: OpenLog, how: How) -> Iterator[Reading]:
    """Yield the games of a PGN log (`read_pgn`)."""
    encoding = _encoding(log, how)
    yield read_pgn(
        log.stream,
        log.name,
        encoding=encoding,
        player=how.player,
        keep_names=how.keep_names,
        progress=how.progress,
        again=log.again(encoding),
    )


def open_games(log: OpenLog, how: How) -> Iterator[Reading]:
    """Yield the games of a PGN log that have no result yet, as draws."""
    data = log.stream.read()
    answered = OPEN_TAG.sub(rb"\g<1>1/2-1/2\2", data)
    encoding = _encoding(log, how)
    plain, drawn = (
        read_records(io.BytesIO(some), log.name, encoding=encoding, keep_names=how.keep_names)
        for some in (data, answered)
    )
    yield added(plain, drawn)


def read_records(
    stream: BinaryIO,
    source: str,
    *,
    encoding: str | None = None,
    player: str | None = None,
    keep_names: Set[str] = frozenset(),
) -> Reading:
    """Return what `read_pgn` returns, with every game read line by line and as a record."""
    text = _Text(stream, encoding)
    single = _Single(source, text, keep_names)
    single.run(0, 1, lambda place: False)
    reading = single.finished(player)
    reading.titles = _last_titles(single.titles)
    return reading


def last_moves_of(stream: BinaryIO, encoding: str | None, places: Sequence[int]) -> list[str]:
    """Return the last moves of the games that begin at places of a log, in no order."""
    found: dict[int, str] = {}
    text = _Text(stream, encoding)
    for place in sorted(set(places)):
        text.skip_to(place)
        lines = _Lines(text, place, 1)
        game = next(_games(lines, lambda value, number: "", Reading(), lambda _: False))
        found[place] = last_moves(game.moves)
    return [found[place] for place in places]


def _read_block(text: _Text, single: _Single, headers: Any, moves: _Moves) -> None:
    """Read the whole games of the text that is there."""
    from elo_sheets.readers._blocks import Block

    block = Block(text.data, text.at_end)
    place, line = text.place, text.line
    end = place + block.end
    if not len(block):
        if len(text.data) >= MOST:
            text.go_to(*single.run(place, line, lambda _: True))
        return
    if not block.plain.any():
        text.go_to(*single.run(place, line, lambda where: where >= end))
        return
    rows = headers.read(block)
    odd = rows.odd
    good = set((block.starts[~odd] + place).tolist()) if odd.any() else set()
    taken = odd.copy()
    reached, reached_line = end, line + block.end_line
    at = 0
    for game in np.flatnonzero(odd | rows.partial).tolist():
        start = int(block.starts[game])
        if start < at:
            continue
        if not odd[game]:
            single.reading.remark("partial date", headers.printed_date(game))
            continue
        stopped, stopped_line = single.run(
            place + start, line + int(block.lines[game]), lambda where: where in good or where >= end
        )
        at = stopped - place
        taken[game : np.searchsorted(block.starts, at)] = True
        if stopped > reached:
            reached, reached_line = stopped, stopped_line
    kept = ~taken
    headers.keep(rows.columns, kept, block.lines + line, moves.places(place, block, kept))
    text.go_to(reached, reached_line)


def _table(together: pd.DataFrame, records: list[Record], moves: _Moves, source: str) -> pd.DataFrame:
    """Return the games that were read together and the others in one table, in the order of their lines."""
    table = together
    if records:
        links = [packed(record.get("link", "")) for record in records]
        for record, link in zip(records, links, strict=True):
            record["moves"] = moves.kept(record.get("moves", ""))
            if min(links) >= 0:
                record["link"] = link
        table = joined_tables(alike([together, table_of(records)])) if len(together) else table_of(records)
        table = table.sort_values("source_row", kind="stable", ignore_index=True)
    return table.assign(source=coded(np.zeros(len(table), dtype=np.int8), [source])) if len(table) else table


def _last_titles(titles: list[tuple[int, str, str]]) -> dict[str, str]:
    return {name: title for _, name, title in sorted(titles, key=lambda one: one[0])}


class _Moves:
    """The last moves of games by numbers: the places of games in the log, or those of texts, counted down from -2."""

    def __init__(self, again: Callable[[Sequence[int]], list[str]] | None) -> None:
        self._again = again
        self._texts: list[str] = []

    def kept(self, text: str) -> int:
        """Return the number of a text that is kept."""
        if not text:
            return NO_MOVES
        self._texts.append(text)
        return NO_MOVES - len(self._texts)

    def places(self, place: int, block: Any, games: Any) -> Any:
        """Return the numbers of those games of a block that begins at a place."""
        if self._again is not None:
            return block.starts + place
        numbers = np.full(len(block), NO_MOVES)
        some = np.flatnonzero(games)
        numbers[some] = [self.kept(last_moves(_moves_of(block.moves(game)))) for game in some.tolist()]
        return numbers

    def __call__(self, numbers: Sequence[int]) -> list[str]:
        """Return the moves that numbers stand for."""
        places = [number for number in numbers if number >= 0]
        found = dict(zip(places, self._again(places) if self._again and places else (), strict=True))
        texts = self._texts
        return [
            found[number] if number >= 0 else "" if number == NO_MOVES else texts[NO_MOVES - 1 - number]
            for number in numbers
        ]


def _moves_of(movetext: bytes) -> bytes:
    """Return the end of movetext in which comments open and close in turn, as a game keeps it."""
    if b"{" in movetext:
        movetext = COMMENT.sub(lambda comment: b"\n" if b"\n" in comment[0] else b" ", movetext)
    return b"".join(b" " + line.strip() for line in movetext.split(b"\n") if line.strip(b" \t\r\n}"))[-TAIL:]


# Text into lines


class _Text:
    """What of a log is held at once: `data`, which begins at a place of the log and with one of its lines."""

    def __init__(self, stream: BinaryIO, encoding: str | None) -> None:
        self.data = b""
        self.place, self.line = 0, 1
        self.at_end = False
        self._begun = False
        self._held = b""
        self.transcoded = encoding is not None and not "a\n".encode(encoding).endswith(b"a\n")
        self.encoding = "utf-8" if encoding is None or self.transcoded else encoding
        self.strict = encoding is not None and not self.transcoded
        self._stream = stream
        self._wide = io.TextIOWrapper(stream, encoding=encoding) if self.transcoded else None

    def _read(self) -> bytes:
        if self._wide is not None:
            return self._wide.read(SIZE).encode("utf-8", "replace")
        piece = self._held + self._stream.read(SIZE)
        self._held = b""
        if b"\r" in piece:
            # Line ends of Windows are made plain, unless a lone CR, the line end of old Macintoshs, stands there too.
            if piece.endswith(b"\r") and (rest := self._stream.read(1)):
                piece += rest
            if piece.count(b"\r") == piece.count(b"\r\n"):
                piece = piece.replace(b"\r\n", b"\n")
        return piece

    def more(self) -> bool:
        """Read on; tell whether there was more."""
        piece = b"" if self.at_end else self._read()
        if not self._begun and piece:
            piece = piece.removeprefix(BOM)
            self._begun = True
        self.at_end = not piece
        self.data += piece
        if self.at_end and self.data and not self.data.endswith(b"\n"):
            self.data += b"\n"
        return bool(piece)

    def go_to(self, place: int, line: int) -> None:
        """Forget what stands before a place, at which a line begins."""
        self.data = self.data[place - self.place :]
        self.place, self.line = place, line

    def skip_to(self, place: int) -> None:
        """Read on until a place is there, and forget the pieces before it."""
        while place >= self.place + len(self.data) and not self.at_end:
            self.go_to(self.place + len(self.data), 0)
            self.more()

    def decode(self, value: bytes) -> str:
        """Return the text of a value; raises `UnicodeDecodeError`."""
        return value.decode(self.encoding)


Line = tuple[int, int, bytes]


class _Lines(Iterator[Line]):
    """The lines of a text from a place on, with their places and numbers, some of which can be put back."""

    def __init__(self, text: _Text, place: int, number: int) -> None:
        self._text = text
        self._at = place
        self._ahead: deque[Line] = deque()
        self._number = number - 1
        self._inside = False
        # Whether a piece may have held many lines, so that reading cannot stop between them.
        self.mixed = False
        self._pieces = self._split()

    def _piece(self) -> bytes:
        text = self._text
        while True:
            at = self._at - text.place
            end = text.data.find(b"\n", at, at + PIECE) + 1 or at + PIECE
            if end <= len(text.data) or text.at_end:
                piece = text.data[at:end]
                self._at += len(piece)
                return piece
            text.go_to(self._at, 0)
            text.more()

    def _split(self) -> Iterator[tuple[int, bytes]]:
        # Old Macintosh files end lines with a lone CR, so that one piece holds many lines.
        rest = b""
        while piece := self._piece():
            place = self._at - len(piece)
            if rest or b"\r" in piece[:-2]:
                self.mixed = True
                *whole, rest = (rest + piece).splitlines(keepends=True)
                yield from ((place, line) for line in whole)
                if rest.endswith(b"\n") or len(rest) > PIECE:
                    yield place, rest
                    rest = b""
            else:
                yield place, piece
        if rest:
            yield self._at, rest

    @property
    def end(self) -> int:
        """The place behind the last line that was read."""
        return self._at

    def __iter__(self) -> Iterator[Line]:
        return self

    def __next__(self) -> Line:
        """Return a line with its place and number; of a very long line its pieces, the later ones marked by NUL."""
        if self._ahead:
            return self._ahead.popleft()
        place, piece = next(self._pieces)
        continues, self._inside = self._inside, not piece.endswith((b"\n", b"\r"))
        self._number += not continues
        return place, self._number, b"\x00" + piece if continues else piece

    def put_back(self, lines: Iterable[Line]) -> None:
        """Let `lines` come again, before the others."""
        self._ahead.extendleft(reversed(list(lines)))

    def stop(self, place: int, number: int) -> None:
        """Remember that reading stopped before a line."""
        self._at, self._number = place, number

    @property
    def number(self) -> int:
        """The number of the line that comes next, once reading has stopped."""
        return self._number


class _Single:
    """Reads games one by one, line by line, and keeps what was found."""

    def __init__(self, source: str, text: _Text, keep_names: Set[str]) -> None:
        self.reading = Reading()
        self.titles: list[tuple[int, str, str]] = []
        self._source, self._text, self._keep_names = source, text, keep_names
        self._chess_com: list[Record] = []
        self._value = _decoder(text.encoding if text.strict else None, source, self.reading)

    def run(self, place: int, number: int, stop: Callable[[int], bool]) -> tuple[int, int]:
        """Read the games from a line on, up to a game whose place is to stop at; return its place and line."""
        lines = _Lines(self._text, place, number)
        for game in _games(lines, self._value, self.reading, stop):
            kept = record_of(game, self._source, self.reading, self._keep_names)
            if isinstance(kept, Problem):
                self.reading.problems.append(kept)
                continue
            if is_chess_com(game.tags):
                kept["_ended"] = ended(game.tags, kept["date"])
                self._chess_com.append(kept)
            self.reading.records.append(kept)
            self.titles += [(game.line, name, title) for name, title in titles_of(game.tags, kept).items()]
        return lines.end, lines.number

    def finished(self, player: str | None) -> Reading:
        """Return what was found; Chess.com's ratings are put where they belong once all are known."""
        records = self._chess_com
        if records:
            remark = ratings_before(records, player)
            if any({"white_rating_after", "black_rating_after"} & record.keys() for record in records):
                self.reading.notes.append(remark)
        return self.reading


# Lines into games


def _games(
    lines: _Lines, text: Callable[[bytes, int], str], reading: Reading, stop: Callable[[int], bool]
) -> Iterator[Game]:
    """Yield the games of lines, up to the tags of one at whose place to stop."""
    game: Game | None = None
    in_moves = after_blank = ended = False
    first_tag = ""
    no_comments_until = 0
    for place, number, line in lines:
        if line.startswith(b"\xef\xbb\xbf"):
            line = line[3:]
        if line[:1] == b"%":
            continue
        if not line.strip():
            after_blank = True
            ended = in_moves and termination(game.moves if game else b"") is not None
            continue
        tags = _tags_of(line)
        if tags is not None:
            if not tags and game is not None and not in_moves:
                reading.remark("broken tag", f"line {number}")
                after_blank = False
                continue
            name = _canonical(tags[0][0]) if tags else ""
            if game is None or in_moves or _starts_game(game, name, first_tag, after_blank):
                if game is not None:
                    yield game
                    if number > no_comments_until and not lines.mixed and stop(place):
                        lines.stop(place, number)
                        return
                game, in_moves, ended, first_tag = Game(number), False, False, name
            if not tags:
                reading.remark("broken tag", f"line {number}")
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
                    no_comments_until = reached[-1][1] if reached else number
                    lines.put_back(reached)
                else:
                    lines.put_back([(*reached[-1][:2], b"\x00" + rest)])
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
        decoded, lines = mend(value)
        if not lines:
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


def _skip_comment(lines: Iterator[Line]) -> tuple[bytes | None, list[Line]]:
    """Read on to the brace that closes a comment.

    Return what follows it on its line and the lines read. A comment that never ends, or that holds the whole
    header of a game and then another opening brace, was left open by mistake: what follows it is None then.
    """
    reached: list[Line] = []
    size = 0
    seen: set[bytes] = set()
    for place, number, line in lines:
        reached.append((place, number, line))
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
