"""Names that look alike: reported, never merged, because only people know whether they are one player."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence

from elo_sheets._late import np
from elo_sheets.readers._text import identities, numbered

SHOWN = 5

# Letters of other scripts and letters without a decomposition, by the Latin letter that they are taken for.
LOOK_ALIKES = str.maketrans("авекмнорстухіјѕԁӏαβεηικνορτυχøłđı", "abekmhopctyxijsdlabeniknoptuxoldi")

SMALL_SIGNS = frozenset("'’‘`´ʼ-‐‑–—.,")


class _Seen(dict[int, int | None]):
    """What a letter looks like from afar, by its number: None where it is not seen."""

    def __missing__(self, code: int) -> int | None:
        letter = chr(LOOK_ALIKES.get(code, code))
        unseen = letter.isspace() or letter in SMALL_SIGNS or unicodedata.combining(letter)
        self[code] = None if unseen else ord(letter)
        return self[code]


SEEN = _Seen()

ASCII_SIGNS = {code: None for code in range(128) if chr(code).isspace() or chr(code) in SMALL_SIGNS}
SIGNS_OF_A_LINE = bytes(code for code in ASCII_SIGNS if code != ord("\n"))


def skeleton(name: str) -> str:
    """Return what a name looks like from afar: without case, accents, blanks, apostrophes, hyphens and stops.

    >>> skeleton("O’Neil") == skeleton("O'Neíl")
    True
    """
    if name.isascii():
        return name.lower().translate(ASCII_SIGNS)
    return unicodedata.normalize("NFKD", name).casefold().translate(SEEN)


def words_of(name: str) -> str:
    """Return what a name is regardless of case, accents, commas and the order of its words.

    >>> words_of("Braun, Eva") == words_of("Eva BRAUN")
    True
    """
    return " ".join(sorted(filter(None, map(skeleton, re.split(r"[\s,]+", name)))))


def usual_case(counts: Mapping[str, int]) -> tuple[dict[str, str], list[str]]:
    """Return the usual spelling of names that differ in case alone, by each other spelling, and the remark on them.

    Spreadsheets hold such names for one text, so that they cannot be two players of a workbook. `counts` are the games
    under each name, in the order of the log.

    >>> usual_case({"ANN": 1, "Bob": 2, "Ann": 3})[0]
    {'ANN': 'Ann'}
    """
    groups: dict[str, list[str]] = {}
    for name, key in zip(counts, identities(list(counts)), strict=True):
        groups.setdefault(key, []).append(name)
    chosen = [(max(group, key=lambda name: counts[name]), group) for group in groups.values() if len(group) > 1]
    usual = {name: best for best, group in chosen for name in group if name != best}
    told = [f"{name!r} ({counts[name]}) as {best!r} ({counts[best]})" for name, best in usual.items()]
    more = f"; and {len(told) - SHOWN} more" if len(told) > SHOWN else ""
    note = (
        "names that differ in case or unseen signs alone count as one player, as spreadsheets take them: "
        f"{'; '.join(told[:SHOWN])}{more}; --names FILE.toml settles the spelling, and who are two "
        "need two names in the log"
    )
    return usual, [note] if told else []


def alike_from_afar(names: Sequence[str]) -> list[str]:
    """Return those names that have one `skeleton` with another."""
    seen = numbered(names, lambda lines: lines.lower().translate(None, SIGNS_OF_A_LINE), skeleton)
    return [names[at] for at in np.flatnonzero(np.bincount(seen)[seen] > 1).tolist()]


def look_alikes(names: Sequence[str]) -> list[str]:
    """Return one remark that lists the names that look alike, or nothing."""
    groups: dict[str, list[str]] = {}
    for name in alike_from_afar(names):
        groups.setdefault(skeleton(name) or name, []).append(name)
    alike = [" and ".join(repr(name) for name in group) for group in groups.values() if len(group) > 1]
    if not alike:
        return []
    more = f"; and {len(alike) - SHOWN} more" if len(alike) > SHOWN else ""
    return [f"names that look alike are kept apart as different players: {'; '.join(alike[:SHOWN])}{more}"]
