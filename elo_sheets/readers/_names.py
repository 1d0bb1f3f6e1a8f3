"""Names that look alike: reported, never merged, because only people know whether they are one player."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from elo_sheets.readers._text import each

SHOWN = 5

# Letters of other scripts and letters without a decomposition, by the Latin letter that they are taken for.
LOOK_ALIKES = str.maketrans(
    "авекмнорстухіјѕԁӏαβεηικνορτυχøłđı",
    "abekmhopctyxijsdlabeniknoptuxoldi",
)

SMALL_SIGNS = frozenset("'’‘`´ʼ-‐‑–—.,")

ASCII_SIGNS = {code: None for code in range(128) if chr(code).isspace() or chr(code) in SMALL_SIGNS}
SIGNS_OF_A_LINE = bytes(code for code in ASCII_SIGNS if code != ord("\n"))


def skeleton(name: str) -> str:
    """Return what a name looks like from afar: without case, accents, blanks, apostrophes, hyphens and stops.

    >>> skeleton("O’Neil") == skeleton("O'Neíl")
    True
    """
    if name.isascii():
        return name.lower().translate(ASCII_SIGNS)
    letters = unicodedata.normalize("NFKD", name).casefold().translate(LOOK_ALIKES)
    return "".join(c for c in letters if not (c.isspace() or c in SMALL_SIGNS or unicodedata.combining(c)))


def words_of(name: str) -> str:
    """Return what a name is regardless of case, accents, commas and the order of its words.

    >>> words_of("Braun, Eva") == words_of("Eva BRAUN")
    True
    """
    return " ".join(sorted(filter(None, map(skeleton, re.split(r"[\s,]+", name)))))


def look_alikes(names: Sequence[str]) -> list[str]:
    """Return one remark that lists the names that look alike, or nothing."""
    seen = each(names, lambda lines: lines.encode().lower().translate(None, SIGNS_OF_A_LINE).decode(), skeleton)
    if "" in seen:
        seen = [look or name for name, look in zip(names, seen, strict=True)]
    if len(set(seen)) == len(seen):
        return []
    groups: dict[str, list[str]] = {}
    for name, look in zip(names, seen, strict=True):
        groups.setdefault(look, []).append(name)
    alike = [" and ".join(repr(name) for name in group) for group in groups.values() if len(group) > 1]
    if not alike:
        return []
    more = f"; and {len(alike) - SHOWN} more" if len(alike) > SHOWN else ""
    return [f"names that look alike are kept apart as different players: {'; '.join(alike[:SHOWN])}{more}"]
