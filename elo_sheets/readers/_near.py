"""Names that may be one person: near in spelling, in the order of their words, or one the initials of the other."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import combinations

from elo_sheets._late import pd
from elo_sheets.readers._names import skeleton
from elo_sheets.readers._tables import SIDES

SHORTEST = 4  # letters of names in which one may be wrong
LARGEST_GROUP = 50
MOST_NAMES = 2_000  # players of a club; among those of a server there is always one that is near
SHOWN = 5


def near_pairs(names: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the pairs of names that may be one person, in the order of the names; names with other digits are two.

    They differ in case, accents, blanks, the order of their words, one letter or two that changed places; or one has
    an initial where the other has a word, or nothing.

    >>> list(near_pairs(["Eva Braun", "Braun, Eva", "Eva Brawn", "Eva Bruan", "E. Braun", "Team 1", "Team 2"]))[:4]
    [('Eva Braun', 'Braun, Eva'), ('Eva Braun', 'Eva Brawn'), ('Eva Braun', 'Eva Bruan'), ('Eva Braun', 'E. Braun')]
    """
    groups: dict[str, list[str]] = {}
    forms: dict[str, _Forms] = {name: _Forms(name) for name in names}
    for name, form in forms.items():
        for key in form.texts_in_common():
            groups.setdefault(key, []).append(name)
    order = {name: at for at, name in enumerate(forms)}
    digits = {name: form.digits for name, form in forms.items()}
    pairs = {
        (one, other)
        for group in groups.values()
        for one, other in combinations(group[:LARGEST_GROUP], 2)
        if digits[one] == digits[other]
    }
    found = (pair for pair in pairs if forms[pair[0]].is_near(forms[pair[1]]))
    yield from sorted(found, key=lambda pair: (order[pair[0]], order[pair[1]]))


class _Forms:
    """What of a name is compared with another's: its words, and all of them as one text in two orders."""

    def __init__(self, name: str) -> None:
        self.words = [word for part in re.split(r"[\s,.]+", name) if (word := skeleton(part))]
        self.texts = {" ".join(self.words), " ".join(sorted(self.words))}
        self.digits = "".join(c for c in name if c.isdigit())

    def texts_in_common(self) -> set[str]:
        """Return texts of which two near names have one in common."""
        shorter = {
            text[:at] + text[at + 1 :] for text in self.texts if len(text) >= SHORTEST for at in range(len(text))
        }
        abbreviated = {self._initialled(at) for at in range(len(self.words))} if len(self.words) > 1 else set()
        return self.texts | shorter | abbreviated | {self._initialled(), self._whole()} - {""}

    def is_near(self, other: _Forms) -> bool:
        """Whether two names of the same digits may be one person's."""
        if self._is_beside(other):
            return False
        spelt = any(_one_slip(one, another) for one in self.texts for another in other.texts)
        return spelt or self._is_short_for(other) or other._is_short_for(self)

    def _initialled(self, at: int | None = None) -> str:
        """Return the words, sorted, of which one or none is its first letter alone; nothing without a whole word."""
        words = [word[:1] if at == place else word for place, word in enumerate(self.words)]
        return "\0" + " ".join(sorted(words)) if any(len(word) > 2 for word in words) else ""

    def _whole(self) -> str:
        """Return the words of more than a letter, nothing where there is only one."""
        words = sorted(word for word in self.words if len(word) > 1)
        return "\1" + " ".join(words) if len(words) > 1 else ""

    def _is_beside(self, other: _Forms) -> bool:
        """Whether two names differ in one short word alone, as Team A and Team B, E. Maier and F. Maier do."""
        if len(self.words) != len(other.words):
            return False
        apart = [(a, b) for a, b in zip(self.words, other.words, strict=True) if a != b]
        return len(apart) == 1 and len(self.words) > 1 and max(map(len, apart[0])) <= 2

    def _is_short_for(self, other: _Forms) -> bool:
        initials = [word for word in self.words if len(word) == 1]
        if not initials:
            return False
        if self._whole() and self._whole() == other._whole():
            return len(other.words) == len(self.words) - len(initials)
        return len(initials) == 1 and self._initialled() in {other._initialled(at) for at in range(len(other.words))}


def _one_slip(one: str, other: str) -> bool:
    """Tell whether two texts differ in nothing, in one letter (added, lost or other), or in two that changed places."""
    if abs(len(one) - len(other)) > 1:
        return False
    at = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    if one[at + (len(one) >= len(other)) :] == other[at + (len(other) >= len(one)) :]:
        return min(len(one), len(other)) >= SHORTEST - 1 or one == other
    return one[at : at + 2] == other[at : at + 2][::-1] and one[at + 2 :] == other[at + 2 :]


def doubtful(table: pd.DataFrame, names: Sequence[str]) -> list[tuple[str, str]]:
    """Return the pairs of names that may be one person and never met, nothing for more names than a club has."""
    pairs = list(near_pairs(names)) if len(names) <= MOST_NAMES else []
    if not pairs:
        return []
    some = {name for pair in pairs for name in pair}
    rows = table[table[SIDES[0]].isin(some) & table[SIDES[1]].isin(some)]
    met = {frozenset(pair) for pair in zip(rows[SIDES[0]], rows[SIDES[1]], strict=True)}
    return [pair for pair in pairs if frozenset(pair) not in met]


def doubts_said(pairs: Sequence[tuple[str, str]]) -> list[str]:
    """Return one remark on pairs of names that may be one person, or nothing."""
    if not pairs:
        return []
    shown = "; ".join(f"{one!r} and {other!r}" for one, other in pairs[:SHOWN])
    more = f"; and {len(pairs) - SHOWN} more" if len(pairs) > SHOWN else ""
    return [
        f"names that may be one player count as players of their own: {shown}{more}; --names FILE.toml asks which are "
        "one, and remembers the answers"
    ]
