"""Results that are said in words: `gana blancas`, `победа чёрных`, `1:0 kampflos`, `przełożona`.

A side and what became of it make a result; a word for a draw makes one alone. A word for a walkover or for a game that
was put off counts beside anything else, and a word that is none of these leaves the text open.
"""

from __future__ import annotations

import re
from functools import lru_cache

from elo_sheets.readers._headings import WORDS
from elo_sheets.readers._words import plain, table

WON, LOST, DRAWN, FORFEITED, OPEN, FREE = "won", "lost", "drawn", "forfeited", "open", "free"

RESULTS = table("results")
BESIDE = frozenset(RESULTS["beside"])
# As they are declined behind a word for a win: победа чёрных, wygrana białych.
DECLINED = dict.fromkeys("белых bialych bilych".split(), "first")
DECLINED |= dict.fromkeys("черных czarnych cernych".split(), "second")
# Behind a number alone: 1:0K, 1F.
MARKS = frozenset({"k", "f", "ff", "kl"})
SHORT = {"pp": OPEN, "aa": OPEN}  # P-P and A-A of British lists: postponed, abandoned


KNOWN = {plain(word): kind for kind, words in reversed(RESULTS.items()) if kind != "beside" for word in words}
BYES = frozenset(RESULTS["free"])


@lru_cache(maxsize=1 << 12)
def said(text: str) -> str:
    """Return what a text says: `1`, `0` or `½` for the first side, why there is no result, or nothing.

    >>> said("gana blancas"), said("победа чёрных"), said("black moved"), said("1:0 kl")
    ('1', '0', '', 'forfeited')
    """
    words = [plain(word) for word in re.findall(r"[^\W\d_]+", text)]
    kinds = [KNOWN.get(word, "") for word in words]
    if "".join(words) in SHORT and not any(map(str.isdigit, text)):
        return SHORT["".join(words)]
    if words and any(map(str.isdigit, text)) and words[-1] in MARKS and len(words) == 1:
        return FORFEITED
    for kind in (FORFEITED, OPEN, FREE):
        if kind in kinds:
            return kind
    if any(map(str.isdigit, text)) or not words:
        return ""
    sides = [_side(word) for word in words]
    if not all(kind or side or _is_beside(word) for word, kind, side in zip(words, kinds, sides, strict=True)):
        return ""
    named = {side for side in sides if side}
    told = {kind for kind in kinds if kind}
    if told == {DRAWN}:
        return "½"
    if len(named) > 1 or told not in ({WON}, {LOST}):
        return ""
    named = named or {"first"}  # a player's own win
    return "1" if (named == {"first"}) == (told == {WON}) else "0"


def knows(text: str) -> bool:
    """Tell whether every word of a text may be one of a result.

    >>> knows("nicht angetreten"), knows("Ugo rinviata")
    (True, False)
    """
    words = map(plain, re.findall(r"[^\W\d_]+", text))
    return all(word in KNOWN or _side(word) or _is_beside(word) for word in words)


def _side(word: str) -> str:
    """Return the side that a word names, `first` or `second`; nothing for another one."""
    first = WORDS.get(word, ("",))[0]
    return first if first in ("first", "second") else DECLINED.get(word, "")


def _is_beside(word: str) -> bool:
    return word in BESIDE or bool({"who", "nothing"} & set(WORDS.get(word, ())))
