"""Names that look alike: reported, never merged, because only people know whether they are one player."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

SHOWN = 5

# Letters of other scripts and letters without a decomposition, by the Latin letter that they are taken for.
LOOK_ALIKES = str.maketrans(
    "авекмнорстухіјѕԁӏαβεηικνορτυχøłđı",
    "abekmhopctyxijsdlabeniknoptuxoldi",
)

SMALL_SIGNS = frozenset("'’‘`´ʼ-‐‑–—.,")


def skeleton(name: str) -> str:
    """Return what a name looks like from afar: without case, accents, blanks, apostrophes, hyphens and stops.

    >>> skeleton("O’Neil") == skeleton("O'Neíl")
    True
    """
    letters = unicodedata.normalize("NFKD", name).casefold().translate(LOOK_ALIKES)
    return "".join(c for c in letters if not (c.isspace() or c in SMALL_SIGNS or unicodedata.combining(c)))


def look_alikes(names: Iterable[str]) -> list[str]:
    """Return one remark that lists the names that look alike, or nothing."""
    groups: dict[str, list[str]] = {}
    for name in names:
        groups.setdefault(skeleton(name) or name, []).append(name)
    alike = [" and ".join(repr(name) for name in group) for group in groups.values() if len(group) > 1]
    if not alike:
        return []
    more = f"; and {len(alike) - SHOWN} more" if len(alike) > SHOWN else ""
    return [f"names that look alike are kept apart as different players: {'; '.join(alike[:SHOWN])}{more}"]
