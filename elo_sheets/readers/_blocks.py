"""PGN text as blocks of games: where the tags, moves and result of each game stand, found for all of them at once.

A game is plain here when its text leaves nothing open: lines of one tag each, lines of moves or none, and between and
behind them blank lines only; comments that open and close in turn; no escape, no semicolon, and a result at the end of
moves. All other games are left to `pgn`, which reads them line by line.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

from elo_sheets._late import NDArray, np
from elo_sheets.readers._spans import Spans

if TYPE_CHECKING:
    Places = NDArray[np.int64]
    Mask = NDArray[np.bool_]

# Longest line and longest value that is read here.
LONGEST_LINE, LONGEST_VALUE = 1 << 16, 255
LONGEST_TAIL = 160
# What no plain line begins with: blanks, an escape, a byte order mark, the NUL of a long line's rest.
UNUSUAL = b" \t\r\x0b\x0c%\xef\x00"
TOKENS = (b"", b"1-0", b"0-1", b"1/2-1/2", b"*")
# A line that is surely read as a tag.
TAG = re.compile(rb'\[[ \t]*[A-Za-z0-9_]+[ \t]+".*"[ \t]*\]\n')
EVENT = b'[Event "'
SPACE, NEWLINE, BRACKET, DOT = b" \n[."
TAG_END = int.from_bytes(b'"]', "little")


class Block:
    """Games of a piece of a log that begins with a game or with what stands before the first one.

    `starts` and `lines` are where each game begins, as places in `data` and as line numbers within it from 0;
    `end` and `end_line` are where the last one ends. Where `plain` is false, the text is for others to read.
    """

    def __init__(self, data: bytes, last: bool) -> None:
        self.data = data
        self.spans = Spans(data)
        self._bytes, self._words = self.spans.bytes, self.spans.words
        self._ends = np.flatnonzero(self._bytes[: len(data)] == NEWLINE)
        self._begins = np.concatenate([[0], self._ends[:-1] + 1]) if len(self._ends) else self._ends
        first = self._bytes[self._begins]
        is_tag, is_blank = first == BRACKET, first == NEWLINE
        self._find(is_tag, is_blank, last)
        self.plain: Mask = self._well_formed(is_tag, is_blank, first)
        # Which of the tokens each game ends with.
        self.results = np.zeros(len(self), dtype=np.int64)
        if self.plain.any():
            self._check_moves()

    def __len__(self) -> int:
        return len(self.starts)

    def _find(self, is_tag: Mask, is_blank: Mask, last: bool) -> None:
        """Find where games begin: with a tag behind moves or a blank line.

        One behind a blank line goes on with the tags before it where these do not name both players; it is odd then.
        """
        lines = np.flatnonzero(is_tag[1:] & ~is_tag[:-1]) + 1
        if len(lines) == 0 or lines[0] != 0:
            lines = np.concatenate([[0], lines])
        closing = len(self._begins) if last else lines[-1]
        self.end_line = int(closing)
        self.end = len(self.data) if last else int(self._begins[closing]) if len(self._begins) else 0
        self.lines = lines if last else lines[:-1]
        if not len(self._begins):
            self.lines = lines[:0]
        self.starts = self._begins[self.lines]
        self._closing = np.append(self.lines[1:], closing)[: len(self.lines)]

    def _well_formed(self, is_tag: Mask, is_blank: Mask, first: Any) -> Mask:
        """Return the games that have lines of tags, then lines of moves or none, and remember where these are."""
        if not len(self.lines):
            return np.zeros(0, dtype=bool)
        kinds = is_tag.view(np.int8) + np.int8(2) * is_blank.view(np.int8)
        changes = np.concatenate([[0], np.flatnonzero(kinds[1:] != kinds[:-1]) + 1])
        run = np.searchsorted(changes, self.lines)
        runs_end = np.append(changes[1:], len(kinds))
        kind_of = np.append(kinds[changes], [9, 9])
        behind = run + 1 + (kind_of[np.minimum(run + 1, len(changes))] == 2)
        count = np.searchsorted(changes, self._closing) - run
        has_blank = behind - run - 1
        moves = np.minimum(behind, len(changes) - 1)
        plain = (behind < len(changes)) & (kind_of[moves] == 0)
        plain &= (count == 2 + has_blank) | (
            (count == 3 + has_blank) & (kind_of[np.minimum(behind + 1, len(changes))] == 2)
        )
        # Without moves: they would stand behind the last tag.
        self._alone = count == 1 + has_blank
        plain = (plain | self._alone) & (kind_of[run] == 1)
        self.tags = runs_end[run] - self.lines
        behind_tags = self._ends[runs_end[run] - 1] + 1
        self._moves = np.where(self._alone, behind_tags, self._begins[changes[moves]])
        self._moves_end = np.where(self._alone, behind_tags, self._ends[runs_end[moves] - 1])
        unusual = np.zeros(256, dtype=bool)
        unusual[list(UNUSUAL)] = True
        odd = unusual[first]
        odd |= self._ends - self._begins >= LONGEST_LINE
        if odd.any():
            at = np.flatnonzero(odd)
            plain &= np.searchsorted(at, self.lines) == np.searchsorted(at, self._closing)
        if b"\r" in self.data:
            plain[:] = False
        found: Mask = plain
        return found & ~self._goes_on()

    def _goes_on(self) -> Mask:
        """Tell which games may go on, because the line that ends them begins like a tag, but may be none."""
        behind = np.append(self.starts[1:], self.end)
        line = np.minimum(self._closing, len(self._ends) - 1)
        size = self._ends[line] - behind
        known = self._words[behind] == np.uint64(int.from_bytes(EVENT, "little"))
        known &= (size >= len(EVENT) + 2) & ((self._words[self._ends[line] - 2] & np.uint64(0xFFFF)) == TAG_END)
        known |= behind == len(self.data)
        for game in np.flatnonzero(~known).tolist():
            known[game] = TAG.match(self.data, int(behind[game])) is not None
        unknown: Mask = ~known
        return unknown

    def _check_moves(self) -> None:
        """Take away the games whose moves end in no result or hold comments that do not open and close in turn."""
        if b";" in self.data:
            at = np.flatnonzero(self._bytes == ord(";"))
            self.plain &= np.searchsorted(at, self._moves) == np.searchsorted(at, self._moves_end)
        self._comment = np.zeros(len(self), dtype=np.int64)
        if b"{" in self.data or b"}" in self.data:
            braces = np.flatnonzero((self._bytes == ord("{")) | (self._bytes == ord("}")))
            opens = self._bytes[braces] == ord("{")
            begin, end = np.searchsorted(braces, self._moves), np.searchsorted(braces, self._moves_end)
            some = np.flatnonzero(end > begin)
            begin, end = begin[some], end[some]
            alike = np.flatnonzero(opens[1:] == opens[:-1])
            self.plain[some] &= opens[begin] & ((end - begin) % 2 == 0)
            self.plain[some] &= np.searchsorted(alike, begin) == np.searchsorted(alike, end - 1)
            self._comment[some] = braces[end - 2]
        self._find_results()

    def _find_results(self) -> None:
        end = self._moves_end
        word = self._words[np.maximum(end - 8, 0)]
        before = np.zeros(len(self), dtype=np.int64)
        for number, token in enumerate(TOKENS[1:], 1):
            size = len(token)
            value = int.from_bytes(token, "little")
            same = (word >> np.uint64(8 * (8 - size))) == np.uint64(value)
            place = end - size - 1
            previous = self._bytes[np.maximum(place, 0)]
            same &= (previous == SPACE) | (previous == NEWLINE)
            self.results[same] = number
            before[same] = place[same]
        self.plain &= ((self.results > 0) & (end >= 8)) | self._alone
        self._before = before

    @cached_property
    def mates(self) -> NDArray[np.float64]:
        """White's score where the last move is marked as mate, NaN where none is, infinite where it is unclear."""
        found = np.full(len(self), np.nan)
        last = self._before - 1
        char = self._bytes[np.maximum(last, 0)]
        commented = (char == ord("}")) & (self._comment > 0)
        last = np.where(commented, self._comment - 2, last)
        char = np.where(commented, self._bytes[np.maximum(last, 0)], char)
        gap = np.where(commented, self._bytes[np.maximum(last + 1, 0)], SPACE)
        empty = (self._before < self._moves) | (last < self._moves)
        unclear = np.isin(char, list(b"!?} \n\t")) | ((gap != SPACE) & (gap != NEWLINE))
        found[unclear & ~empty] = np.inf
        mate = np.flatnonzero((char == ord("#")) & ~unclear & ~empty & self.plain)
        if len(mate):
            found[mate] = self._mated(last[mate], self._moves[mate])
        return found

    def moves(self, game: int) -> bytes:
        """Return the moves of a game as they stand there."""
        return self.data[self._moves[game] : self._moves_end[game]]

    def uncommented_tail(self, game: int) -> bytes | None:
        """Return the end of a game's moves, None where they hold comments."""
        begin, end = int(self._moves[game]), int(self._moves_end[game])
        return None if self._comment[game] else self.data[max(begin, end - LONGEST_TAIL) : end]

    def _mated(self, last: Places, moves: Places) -> NDArray[np.float64]:
        """Return White's score for games whose move that ends at `last` is mate: who made it, its number tells."""
        found = np.full(len(last), np.inf)
        width = 48
        begin = last - width + 1
        reach = begin >= moves
        places = np.maximum(begin, 0)[:, None] + 8 * np.arange(width // 8)
        text = self._words[places].view(np.uint8).reshape(len(last), width)[:, ::-1]
        blank = (text == SPACE) | (text == NEWLINE)
        rows = np.arange(len(last))
        one = blank.argmax(axis=1)
        blank[rows, one] = False
        two = blank.argmax(axis=1)
        dots = text == DOT
        sound = reach & (one > 0) & (two > one) & (two < width - 4)
        sound &= np.where(dots.any(axis=1), dots.argmax(axis=1), 0) > one

        def digit(at: Any) -> Mask:
            byte = text[rows, np.minimum(at, width - 1)]
            found: Mask = (byte >= ord("0")) & (byte <= ord("9"))
            return found

        numbered = dots[rows, np.minimum(one + 1, width - 1)]
        found[sound & numbered & digit(one + 2)] = 1.0
        dotted = dots[rows, np.minimum(one + 2, width - 1)] & dots[rows, np.minimum(one + 3, width - 1)]
        found[sound & numbered & dotted & digit(one + 4)] = 0.0
        # White's move stands between: its own number follows the next blank.
        at = np.arange(width)
        free = ~((dots | np.isin(text, list(b"{}()$"))) & (at > one[:, None]) & (at < two[:, None])).any(axis=1)
        before = dots[rows, np.minimum(two + 1, width - 1)] & digit(two + 2)
        found[sound & free & ~numbered & before & (two > one + 1)] = 0.0
        return found

    # Tags

    def tag_names(self, game: int) -> list[bytes] | None:
        """Return the names of a game's tags, None where a line of them is not one tag."""
        line = int(self.lines[game])
        names = []
        for at in range(line, line + int(self.tags[game])):
            text = self.data[self._begins[at] : self._ends[at]]
            name, quote, _ = text[1:].partition(b' "')
            if not quote or not name.replace(b"_", b"").isalnum() or not name.isascii():
                return None
            names.append(name)
        return names

    def tag_lines(self, games: Places, count: int) -> tuple[Places, Places]:
        """Return where the first lines of games begin and end, so many of each: a row for all first ones, and so on."""
        line = self.lines[games] + np.arange(count)[:, np.newaxis]
        return self._begins[line], self._ends[line]

    def fits(self, begins: Places, ends: Places, names: list[bytes]) -> Mask:
        """Tell which games have in these lines tags of these names, each on a line of its own."""
        good = np.ones(begins.shape[1], dtype=bool)
        for begin, end, name in zip(begins, ends, names, strict=True):
            for offset, mask, word in _expected(name):
                good &= (self._words[begin + offset] & mask) == word
            # A value that would end before it begins has a very large size.
            good &= (end - begin - (len(name) + 5)).view(np.uint64) <= LONGEST_VALUE
            good &= (self._words[end - 2] & np.uint64(0xFFFF)) == TAG_END
        return good

    def words(self, starts: Places, offset: int = 0) -> NDArray[np.uint64]:
        """Return the eight bytes at places, as numbers."""
        return self._words[starts + offset]


@lru_cache(maxsize=256)
def _expected(name: bytes) -> Sequence[tuple[int, Any, Any]]:
    """Return what the line of a tag begins with, eight bytes at a time: where, the bits that count, what they are."""
    prefix = b"[" + name + b' "'
    parts = [(at, prefix[at : at + 8]) for at in range(0, len(prefix), 8)]
    return [
        (at, np.uint64((1 << (8 * len(part))) - 1), np.uint64(int.from_bytes(part, "little"))) for at, part in parts
    ]
