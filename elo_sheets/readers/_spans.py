"""Pieces of a text by what they are: equal pieces get equal numbers, found for all of them at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Places = NDArray[np.int64]
    Words = NDArray[np.uint64]

WORD, PAD = 8, 64
PRIME = 0x9E3779B97F4A7C15
# Longer pieces are told apart one by one.
LONGEST = 1 << 12
SLICE = 1 << 14
# How many different pieces room is made for: few are most often many times there, and a small table is a quick one.
FEW = 1 << 14
# How many places there are for known pieces in the beginning and in the end, as powers of two: the largest take 12 MB.
LEAST, LARGEST = 12, 19


class Spans:
    """A text whose pieces are looked at; `bytes` are its bytes, with `PAD` more behind them."""

    def __init__(self, data: bytes) -> None:
        import numpy as np

        self.data = data
        self.bytes = np.frombuffer(data + bytes(PAD), dtype=np.uint8)
        # The eight bytes from each place on, as a number.
        self.words: Words = np.ndarray((len(data) + PAD - 7,), "<u8", self.bytes.data, strides=(1,))

    def numbered(self, starts: Places, ends: Places) -> tuple[Places, Places]:
        """Return the number of each piece, and which piece is the first of each number."""
        import numpy as np
        import pandas as pd

        size = ends - starts
        longest = int(size.max(initial=0))
        if longest > LONGEST:
            return self._one_by_one(starts, ends)
        if longest < 2 * WORD:
            return self._short(starts, size, longest)
        mixed = np.empty(len(size), dtype=np.uint64)
        for some in _slices(len(size)):
            mixed[some] = self._mixed(starts[some], size[some])
        codes = pd.factorize(mixed, size_hint=FEW)[0]
        first = _first(codes)
        if not all(
            self._same(starts[some], starts[first[codes[some]]], size[some], size[first[codes[some]]])
            for some in _slices(len(size))
        ):
            return self._one_by_one(starts, ends)
        return codes, first

    def _short(self, starts: Places, size: Places, longest: int) -> tuple[Places, Places]:
        """Return the same of pieces that fit into two words."""
        import numpy as np
        import pandas as pd

        words = np.empty((2, len(size)), dtype=np.uint64)
        mixed = words[0] if longest < WORD else np.empty(len(size), dtype=np.uint64)
        for some in _slices(len(size)):
            words[:, some] = one, two = self.short(starts[some], size[some])
            mixed[some] = one | two if longest < WORD else _mixed(one, two)
        codes = pd.factorize(mixed, size_hint=FEW)[0]
        first = _first(codes)
        if longest >= WORD and not all(np.array_equal(word[first][codes], word) for word in words):
            return self._one_by_one(starts, starts + size)
        return codes, first

    def short(self, starts: Places, size: Places) -> tuple[Words, Words]:
        """Return the first two words of pieces, with the size, of at most 255, as the last byte of the second."""
        import numpy as np

        one = self.words[starts] & _masks()[np.minimum(size, WORD)]
        two = size.astype(np.uint64) << np.uint64(56)
        if size.max(initial=0) > WORD:
            two |= self.words[starts + WORD] & _masks()[np.clip(size - WORD, 0, WORD - 1)]
        return one, two

    def distinct(self, starts: Places, ends: Places) -> tuple[Places, list[str]]:
        """Return the number of each piece, and the pieces without a line feed, decoded, by their numbers."""
        codes, first = self.numbered(starts, ends)
        if not len(first):
            return codes, []
        return codes, b"\n".join(self.texts(starts[first], ends[first])).decode("utf-8", "surrogatepass").split("\n")

    def _pieces(self, starts: Places, size: Places) -> Iterator[tuple[Any, Words]]:
        """Yield, eight bytes at a time, which pieces go on and what stands there."""
        import numpy as np

        yield slice(None), self.words[starts] & _masks()[np.minimum(size, WORD)]
        for offset in range(WORD, int(size.max(initial=0)), WORD):
            more: Any = np.flatnonzero(size > offset)
            if len(more) == len(size):
                more = slice(None)
            yield more, self.words[starts[more] + offset] & _masks()[np.minimum(size[more] - offset, WORD)]

    def _mixed(self, starts: Places, size: Places) -> Words:
        """Return a number of each piece that is the same for equal ones, and seldom for others."""
        import numpy as np

        mixed: Words = size.astype(np.uint64) * np.uint64(PRIME)
        for where, words in self._pieces(starts, size):
            some = (mixed[where] ^ words) * np.uint64(PRIME)
            mixed[where] = some ^ (some >> np.uint64(29))
        return mixed

    def _same(self, starts: Places, others: Places, size: Places, size_of_others: Places) -> bool:
        """Tell whether each piece is equal to the other one."""
        import numpy as np

        return np.array_equal(size, size_of_others) and all(
            np.array_equal(one, other)
            for (_, one), (_, other) in zip(self._pieces(starts, size), self._pieces(others, size), strict=True)
        )

    def texts(self, starts: Places, ends: Places) -> list[bytes]:
        """Return pieces as they stand there."""
        data = self.data
        return [data[one:two] for one, two in zip(starts.tolist(), ends.tolist(), strict=True)]

    def _one_by_one(self, starts: Places, ends: Places) -> tuple[Places, Places]:
        import numpy as np

        places: dict[bytes, int] = {}
        codes = np.array([places.setdefault(text, len(places)) for text in self.texts(starts, ends)], dtype=np.int64)
        return codes, _first(codes)


class Known:
    """Pieces by their numbers, counted in the order in which they came; the empty one is 0."""

    def __init__(self) -> None:
        self._numbers: dict[bytes, int] = {b"": 0}
        self._make_room(LEAST)

    def _make_room(self, bits: int) -> None:
        """Have room for short pieces: the words and the number of each at a place that the words give."""
        import numpy as np

        self._bits = bits
        self._words = np.zeros((2, 1 << bits), dtype=np.uint64)
        self._at = np.zeros(1 << bits, dtype=np.int64)

    def of(self, spans: Spans, starts: Places, ends: Places, add: Callable[[list[bytes]], None]) -> Places:
        """Return the number of each piece of a text; `add` takes those that are new."""
        import numpy as np

        size = ends - starts
        words = spans.short(starts, size)
        place = (_mixed(*words) >> np.uint64(64 - self._bits)).view(np.int64)
        found = self._at[place]
        unknown = np.flatnonzero((self._words[0][place] != words[0]) | (self._words[1][place] != words[1]))
        if len(unknown):
            codes, first = spans.numbered(starts[unknown], ends[unknown])
            first = unknown[first]
            numbers = self._looked_up(spans.texts(starts[first], ends[first]), add)
            found[unknown] = numbers[codes]
            if len(self._numbers) > 1 << self._bits - 1 and self._bits < LARGEST:
                self._make_room(min(self._bits + 2, LARGEST))
            else:
                short = size[first] < 2 * WORD
                place = place[first[short]]
                self._at[place] = numbers[short]
                for known, word in zip(self._words, words, strict=True):
                    known[place] = word[first[short]]
        return found

    def _looked_up(self, texts: list[bytes], add: Callable[[list[bytes]], None]) -> Places:
        import numpy as np

        numbers = list(map(self._numbers.get, texts))
        if None in numbers:
            new = [text for text, number in zip(texts, numbers, strict=True) if number is None]
            new = list(dict.fromkeys(new))
            self._numbers.update(zip(new, range(len(self._numbers), len(self._numbers) + len(new)), strict=True))
            add(new)
            numbers = list(map(self._numbers.get, texts))
        return np.array(numbers, dtype=np.int64)


def _mixed(one: Words, two: Words) -> Words:
    """Return a number of each pair of words that is the same for equal ones, and seldom for others."""
    import numpy as np

    mixed = one * np.uint64(PRIME)
    mixed = ((mixed ^ (mixed >> np.uint64(29))) ^ two) * np.uint64(PRIME)
    found: Words = mixed ^ (mixed >> np.uint64(29))
    return found


def _first(codes: Places) -> Places:
    """Return where each number stands first; the numbers go from 0 on without a gap."""
    import numpy as np

    first = np.zeros(int(codes.max(initial=-1)) + 1, dtype=np.int64)
    first[codes[::-1]] = np.arange(len(codes))[::-1]
    return first


def _slices(count: int) -> Iterator[slice]:
    """Yield slices of so many pieces that what is made of them stays in the processor's own memory."""
    return (slice(at, at + SLICE) for at in range(0, count, SLICE))


@lru_cache(maxsize=1)
def _masks() -> Words:
    """Return which bits of eight bytes hold the first 0, 1, … 8 of them."""
    import numpy as np

    return np.array([(1 << (8 * size)) - 1 for size in range(WORD + 1)], dtype=np.uint64)
