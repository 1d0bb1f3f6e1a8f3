"""Pieces of a text by what they are: equal pieces get equal numbers, found for all of them at once."""

from __future__ import annotations

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
        words = self.words[starts] & _masks()[np.minimum(size, WORD)]
        if longest < WORD:  # the size fits in beside the text
            codes = pd.factorize(words | (size.astype(np.uint64) << np.uint64(56)))[0]
            return codes, _first(codes)
        parts: list[tuple[Any, Words]] = [(slice(None), words)]
        mixed = _mixed(size.astype(np.uint64) * np.uint64(PRIME), words)
        where: Any = slice(None)
        for offset in range(WORD, longest, WORD):
            more = np.flatnonzero(size[where] > offset)
            where = more if isinstance(where, slice) else where[more]
            if len(where) == len(size):
                where = slice(None)
            words = self.words[starts[where] + offset] & _masks()[np.minimum(size[where] - offset, WORD)]
            parts.append((where, words))
            mixed[where] = _mixed(mixed[where], words)
        codes = pd.factorize(mixed)[0]
        first = _first(codes)
        same = first[codes]
        if (size != size[same]).any() or not all(_same(where, words, same) for where, words in parts):
            return self._one_by_one(starts, ends)
        return codes, first

    def texts(self, starts: Places, ends: Places) -> list[bytes]:
        """Return pieces as they stand there."""
        data = self.data
        return [data[one:two] for one, two in zip(starts.tolist(), ends.tolist(), strict=True)]

    def _one_by_one(self, starts: Places, ends: Places) -> tuple[Places, Places]:
        import numpy as np

        places: dict[bytes, int] = {}
        codes = np.array([places.setdefault(text, len(places)) for text in self.texts(starts, ends)], dtype=np.int64)
        return codes, _first(codes)


def _first(codes: Places) -> Places:
    """Return where each number stands first; the numbers go from 0 on without a gap."""
    import numpy as np

    first = np.zeros(int(codes.max(initial=-1)) + 1, dtype=np.int64)
    first[codes[::-1]] = np.arange(len(codes))[::-1]
    return first


def _mixed(before: Words, words: Words) -> Words:
    import numpy as np

    some = (before ^ words) * np.uint64(PRIME)
    return some ^ (some >> np.uint64(29))


def _same(where: Any, words: Words, same: Places) -> bool:
    """Tell whether the words of pieces, those at `where`, are those of the first pieces of their numbers."""
    import numpy as np

    if isinstance(where, slice):
        return bool((words == words[same]).all())
    place = np.zeros(len(same), dtype=np.int64)
    place[where] = np.arange(len(where))
    return bool((words == words[place[same[where]]]).all())


@lru_cache(maxsize=1)
def _masks() -> Words:
    """Return which bits of eight bytes hold the first 0, 1, … 8 of them."""
    import numpy as np

    return np.array([(1 << (8 * size)) - 1 for size in range(WORD + 1)], dtype=np.uint64)
