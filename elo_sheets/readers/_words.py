"""The words that logs are read by, in all their languages: `words.toml`."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

from elo_sheets.shipped import shipped_data

LETTERS = str.maketrans({"ł": "l", "ı": "i", "ø": "o", "æ": "ae"})


@lru_cache(maxsize=1 << 13)
def plain(text: str) -> str:
    """Return a text without case, accents, blanks and punctuation, `ł` and `ø` as the letters that they look like."""
    letters = unicodedata.normalize("NFKD", text.casefold().translate(LETTERS))
    return "".join(c for c in letters if c.isalnum())


@lru_cache(maxsize=1)
def _tables() -> dict[str, dict[str, tuple[str, ...]]]:
    return {
        name: {kind: tuple(word.replace("_", " ") for word in words.split()) for kind, words in kinds.items()}
        for name, kinds in shipped_data("readers/words.toml").items()
    }


def table(name: str) -> dict[str, tuple[str, ...]]:
    """Return the words of one table of `words.toml` by what they say."""
    return _tables()[name]
