"""Pieces of a text by what they are: equal pieces get equal numbers, found for all of them at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from elo_sheets._late import NDArray, np, pd

if TYPE_CHECKING:
    Places = NDArray[np.int64]
    Words = NDArray[np.uint64]

WORD, PAD = 8, 64
PRIME = 0x9E3779B97F4A7C15
# What is looked at of a piece; longer ones are told apart one by one.
LONGEST = 1 << 12
SLICE = 1 << 14
# How many different pieces room is made for: few are most often many times there, and a small table is a quick one.
FEW = 1 << 16
# How many places there are for known pieces in the beginning and in the end, as powers of two, and for each of them;
# and how many tables of places, the second for pieces that find others at theirs.
LEAST, LARGEST, ROOM, TABLES = 12, 20, 4, 2


class Spans:
    """A text whose pieces are looked at; `bytes` are its bytes, with `PAD` more behind them."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.bytes = np.frombuffer(data + bytes(PAD), dtype=np.uint8)
        # The eight bytes from each place on, as a number.
        self.words: Words = np.ndarray((len(data) + PAD - 7,), "<u8", self.bytes.data, strides=(1,))

    def numbered(self, starts: Places, ends: Places) -> tuple[Places, Places]:
        """Return the number of each piece, and which piece is the first of each number."""
        size = ends - starts
        longest = int(size.max(initial=0))
        if longest < 2 * WORD:
            return self._short(starts, size, longest)
        mixed = np.empty(len(size), dtype=np.uint64)
        for some in _slices(len(size)):
            mixed[some] = _mixed_of(size[some], self.pieces(starts[some], size[some]))
        codes = _factorized(mixed)
        first = _first(codes)
        if longest > LONGEST or not all(
            self._same(starts[some], starts[first[codes[some]]], size[some], size[first[codes[some]]])
            for some in _slices(len(size))
        ):
            return self._one_by_one(starts, ends)
        return codes, first

    def _short(self, starts: Places, size: Places, longest: int) -> tuple[Places, Places]:
        """Return the same of pieces that fit into one word or two, the last of which ends with the size."""
        words = np.empty((1 if longest < WORD else 2, len(size)), dtype=np.uint64)
        mixed = words[0] if longest < WORD else np.empty(len(size), dtype=np.uint64)
        for some in _slices(len(size)):
            for number, word in enumerate(words[:, some]):
                mask = _masks().take(size[some] - number * WORD, mode="clip")
                np.bitwise_and(self.words[starts[some] + number * WORD], mask, out=word)
            word |= size[some].astype(np.uint64) << np.uint64(56)
            if longest >= WORD:
                mixed[some] = _mixed(_mixed(np.uint64(0), words[0, some]), word)
        codes = _factorized(mixed)
        first = _first(codes)
        if longest >= WORD and not all(np.array_equal(word[first][codes], word) for word in words):
            return self._one_by_one(starts, starts + size)
        return codes, first

    def _one_by_one(self, starts: Places, ends: Places) -> tuple[Places, Places]:
        places: dict[bytes, int] = {}
        codes = np.array([places.setdefault(text, len(places)) for text in self.texts(starts, ends)], dtype=np.int64)
        return codes, _first(codes)

    def distinct(self, starts: Places, ends: Places) -> tuple[Places, bytes]:
        """Return the number of each piece, and the pieces without a line feed as lines, by their numbers."""
        codes, first = self.numbered(starts, ends)
        return codes, b"".join(self._lines(starts[first[some]], ends[first[some]]) for some in _slices(len(first)))

    def _lines(self, starts: Places, ends: Places) -> bytes:
        """Return pieces as lines."""
        size = ends - starts + 1
        behind = np.cumsum(size)
        places = np.arange(behind[-1])
        places += np.repeat(starts - (behind - size), size)
        lines = self.bytes[places]
        lines[behind - 1] = ord("\n")
        return lines.tobytes()

    def _same(self, starts: Places, others: Places, size: Places, size_of_others: Places) -> bool:
        """Tell whether each piece is equal to the other one."""
        return np.array_equal(size, size_of_others) and all(
            np.array_equal(one, other)
            for (_, one), (_, other) in zip(self.pieces(starts, size), self.pieces(others, size), strict=True)
        )

    def pieces(self, starts: Places, size: Places) -> Iterator[tuple[Any, Words]]:
        """Yield, eight bytes at a time, which pieces go on and what stands there."""
        yield slice(None), self.words[starts] & _masks().take(size, mode="clip")
        for offset in range(WORD, min(int(size.max(initial=0)), LONGEST), WORD):
            more: Any = np.flatnonzero(size > offset)
            if len(more) == len(size):
                more = slice(None)
            yield more, self.words[starts[more] + offset] & _masks().take(size[more] - offset, mode="clip")

    def texts(self, starts: Places, ends: Places) -> list[bytes]:
        """Return pieces as they stand there."""
        data = self.data
        return [data[one:two] for one, two in zip(starts.tolist(), ends.tolist(), strict=True)]


class Known:
    """Pieces by their numbers, counted in the order in which they came; the empty one is 0."""

    def __init__(self) -> None:
        self._numbers: dict[bytes, int] = {b"": 0}
        # Of each number what its piece is mixed to, how long it is, and where its words begin among those of all.
        self._mixed = np.zeros(1, dtype=np.uint64)
        self._size, self._first = np.zeros((2, 1), dtype=np.int64)
        self._words = np.zeros(1, dtype=np.uint64)
        self._used = 1
        self._make_room(LEAST)

    def _make_room(self, bits: int) -> None:
        """Have so many places for numbers, as a power of two: what a piece is mixed to gives its place."""
        self._bits = bits
        self._at = np.zeros((TABLES, 1 << bits), dtype=np.int64)
        numbers = np.arange(len(self._numbers))
        self._put(self._mixed[numbers], numbers)

    def _put(self, mixed: Words, numbers: Places) -> None:
        """Put numbers at their places of the first table, those that find others there at those of the next one."""
        for table, at in enumerate(self._at):
            place = self._places(mixed, table)
            free = (at[place] == 0) | (table == TABLES - 1)
            # The first of several are those that come most often.
            at[place[free][::-1]] = numbers[free][::-1]
            at[0] = 0
            left = at[place] != numbers
            mixed, numbers = mixed[left], numbers[left]

    def _places(self, mixed: Words, table: int) -> Places:
        if table:
            mixed = mixed * np.uint64(PRIME)
        return (mixed >> np.uint64(64 - self._bits)).view(np.int64)

    def of(self, spans: Spans, starts: Places, ends: Places, add: Callable[[list[bytes]], None]) -> Places:
        """Return the number of each piece of a text; `add` takes those that are new."""

        found, unknown, mixed = self._find(spans, starts, ends)
        if len(unknown):
            codes, first = spans.numbered(starts[unknown], ends[unknown])
            at = unknown[first]
            found[unknown] = self._looked_up(spans, starts[at], ends[at], mixed[first], add)[codes]
        return found

    def _find(self, spans: Spans, starts: Places, ends: Places, table: int = 0) -> tuple[Places, Places, Words]:
        """Return the number of each piece, which of them are not known by their place, and what these are mixed to."""
        size = ends - starts
        pieces = list(spans.pieces(starts, size))
        mixed = _mixed_of(size, pieces)
        found: Places = self._at[table][self._places(mixed, table)]
        same = (self._size[found] == size) & (size <= LONGEST)
        first = self._first[found]
        for number, (where, words) in enumerate(pieces):
            # Of pieces whose sizes differ it does not matter what stands there, nor whether anything does.
            same[where] &= self._words.take(first[where] + number, mode="clip") == words
        unknown = np.flatnonzero(~same)
        if not len(unknown) or table == TABLES - 1:
            return found, unknown, mixed[unknown]
        found[unknown], left, mixed = self._find(spans, starts[unknown], ends[unknown], table + 1)
        return found, unknown[left], mixed

    def _looked_up(
        self, spans: Spans, starts: Places, ends: Places, mixed: Words, add: Callable[[list[bytes]], None]
    ) -> Places:
        """Return the numbers of pieces that are new or have lost their place to others."""
        known = self._numbers
        count = len(known)
        texts = spans.texts(starts, ends)
        numbers = np.array([known.setdefault(text, len(known)) for text in texts], dtype=np.int64)
        if len(known) > count:
            at = np.zeros(len(known), dtype=np.int64)
            at[numbers[::-1]] = np.arange(len(texts))[::-1]
            at = at[count:]
            add([texts[one] for one in at.tolist()])
            self._keep(spans, starts[at], ends[at] - starts[at], mixed[at], count)
        if len(known) * ROOM > 1 << self._bits and self._bits < LARGEST:
            self._make_room(self._bits + 2)
        else:
            self._put(mixed, numbers)
        return numbers

    def _keep(self, spans: Spans, starts: Places, size: Places, mixed: Words, count: int) -> None:
        """Remember of new pieces what tells whether others are equal."""
        begun = np.minimum(size, LONGEST)
        many = (begun + WORD - 1) // WORD
        first = np.cumsum(many) - many
        offset = (np.arange(int(many.sum())) - np.repeat(first, many)) * WORD
        words = spans.words[np.repeat(starts, many) + offset]
        words &= _masks().take(np.repeat(begun, many) - offset, mode="clip")
        self._mixed = _with(self._mixed, count, mixed)
        self._size = _with(self._size, count, size)
        self._first = _with(self._first, count, self._used + first)
        self._words = _with(self._words, self._used, words)
        self._used += len(words)


def _mixed_of(size: Places, pieces: Iterable[tuple[Any, Words]]) -> Words:
    """Return a number of each piece that is the same for equal ones, and seldom for others."""
    mixed: Words = size.astype(np.uint64) * np.uint64(PRIME)
    for where, words in pieces:
        mixed[where] = _mixed(mixed[where], words)
    return mixed


def _mixed(so_far: Any, words: Words) -> Words:
    some = (so_far ^ words) * np.uint64(PRIME)
    found: Words = some ^ (some >> np.uint64(29))
    return found


def _factorized(numbers: Words) -> Places:
    """Return which of the different numbers each is, in the order in which they come."""
    codes: Places = pd.factorize(numbers, size_hint=min(len(numbers), FEW))[0]
    return codes


def _first(codes: Places) -> Places:
    """Return where each number stands first; the numbers go from 0 on without a gap."""
    first = np.zeros(int(codes.max(initial=-1)) + 1, dtype=np.int64)
    first[codes[::-1]] = np.arange(len(codes))[::-1]
    return first


def _slices(count: int) -> Iterator[slice]:
    """Yield slices of so many pieces that what is made of them stays in the processor's own memory."""
    return (slice(at, at + SLICE) for at in range(0, count, SLICE))


def _with(values: Any, count: int, more: Any) -> Any:
    """Return an array with others behind its first ones, larger where there is no room for them."""
    if count + len(more) > len(values):
        values = np.concatenate([values[:count], np.zeros(max(count, len(more), 64), dtype=values.dtype)])
    values[count : count + len(more)] = more
    return values


@lru_cache(maxsize=1)
def _masks() -> Words:
    """Return which bits of eight bytes hold the first 0, 1, … 8 of them."""
    return np.array([(1 << (8 * size)) - 1 for size in range(WORD + 1)], dtype=np.uint64)
