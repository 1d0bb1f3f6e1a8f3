"""What a heading says by its parts: `Joueur blanc`, `ToreHeim` and `Home pts` name a side and what is told of it.

A heading is cut into words where letters change to digits, small ones to capitals, or into words that are known, as
`Heimmannschaft` and `hjemmemaal` are. Each word says which side it is of, what is told (a name, points, a rating), or
nothing of its own (`of`, `Spiel`). A heading with a word that is none of them says nothing: `Home corners` tells no
result. Words of sides that no language here has are found by contrast, as `Red player` and `Blue player` are.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache

from elo_sheets.readers._words import plain, table

LONGEST = 60  # characters of a heading that is looked at
FIRST, SECOND = "first", "second"

# What stands behind a header in brackets, as in "Result (W/L/D)", says how it is written.
REMARK = re.compile(r"\s*[(\[][^()\[\]]*[)\]]\s*$")
# The columns of the games table, each with the headings that its parts do not tell.
ROLES = table("headings")
HEADINGS = {
    plain(word): (rank, role)
    for role, words in reversed(ROLES.items())
    for rank, word in reversed(list(enumerate((role, *words))))
}
PARTS = table("parts")
COLOURS = {"white": FIRST, "black": SECOND}
PLACES: dict[str, int] = {}  # how well known a word is for what it says, 0 the best
WORDS: dict[str, tuple[str, ...]] = {}
for _kind, _some in PARTS.items():
    for _place, _word in enumerate(map(plain, _some)):
        PLACES.setdefault(_word, _place)
        WORDS[_word] = tuple(dict.fromkeys((*WORDS.get(_word, ()), COLOURS.get(_kind, _kind))))
WHITE, BLACK = (frozenset(map(plain, PARTS[colour])) for colour in COLOURS)
# A column headed so may hold something else, and one of points without a side.
LOOSE = frozenset({"day", "won", "lost", "own"})
SHORTEST = 3  # letters of a word that stands in another one
JOINTS = ("", "s", "n", "e", "en", "es", "a")  # letters between the words of one, as in Mannschaftsname

# What the words of a heading say together: the role, by what must be told and what may be.
SIDED = {"who": "", "points": "_points", "rating": "_rating", "after rating": "_rating_after", "id": "_id"}


@lru_cache(maxsize=1 << 12)
def words_of(heading: str) -> tuple[str, ...]:
    """Return the words of a heading as they are cut, folded.

    >>> words_of("ToreHeim"), words_of("Home_Score 1"), words_of("hjemmemaal")
    (('tore', 'heim'), ('home', 'score', '1'), ('hjemme', 'maal'))
    """
    if len(heading) > LONGEST:
        return ()
    heading = unicodedata.normalize("NFC", heading).replace("’", "'").replace("'s ", " ")
    parted = re.sub(r"(?<=[^\W\d_A-ZÀ-Þ])(?=[A-ZÀ-Þ])|(?<=[^\W\d_])(?=\d)|(?<=\d)(?=[^\W\d_])", " ", heading)
    found: list[str] = []
    for token in re.findall(r"[^\W_]+", parted):
        word = plain(token)
        found += [word] if word in WORDS else _cut(word) or [word]
    return tuple(found)


def _cut(word: str) -> list[str]:
    """Return the known words that a word is made of, nothing where it is not."""
    ways: dict[int, list[str]] = {0: []}
    for end in range(SHORTEST, len(word) + 1):
        for start in range(end - SHORTEST + 1):
            if end in ways or start not in ways or (piece := word[start:end]) not in WORDS:
                continue
            for joint in JOINTS:
                at = start - len(joint)
                if at in ways and word[at:start] == joint and (at or not joint):
                    ways[end] = [*ways[at], piece]
                    break
        if end not in ways:
            continue
        for joint in JOINTS[1:]:
            if word.startswith(joint, end):
                ways.setdefault(end + len(joint), ways[end])
    # A joint stands between words, not behind the last one.
    whole = ways.get(len(word), [])
    return whole if whole and word.endswith(whole[-1]) else []


def role_of(heading: str, sides: Mapping[str, str] | None = None) -> str | None:
    """Return the role that a heading names by its words, None for a heading that names none.

    `sides` says of further words whether they are the first or the second side's.

    >>> role_of("Joueur blanc"), role_of("Tore Gast"), role_of("Date of the match"), role_of("Home corners")
    ('white', 'black_points', 'date', None)
    """
    words = words_of(heading)
    kinds = [(sides[word],) if sides and word in sides else WORDS.get(word, ()) for word in words]
    if not words or not all(kinds):
        return None
    told: set[str] = set()
    for at, some in enumerate(kinds):
        told |= {_meant(some, kinds[:at] + kinds[at + 1 :])}
    numbered = {"number1": FIRST, "number2": SECOND}
    told = {numbered.get(kind, kind) for kind in told} - {"nothing"}
    if numbers := [words[at] for at, some in enumerate(kinds) if some[0] in numbered]:
        of_a_part = bool({"set", "leg"} & set(words))  # Set 1 is the first, of both sides
        return None if len(words) == 1 or len(numbers) > 1 or of_a_part else _role(told, "who" in told)
    return _role(told, "nothing" not in {some[0] for some in kinds} or bool(told & {"who", "points"}))


def _meant(some: Sequence[str], others: Sequence[Sequence[str]]) -> str:
    """Return what a word of several meanings says among the others: `time` is a team in `time_mandante`."""
    if len(some) == 1:
        return some[0]
    beside = {kind for kinds in others for kind in kinds}
    if beside & {FIRST, SECOND} and "who" in some:
        return "who"
    return next((kind for kind in some if kind != "nothing"), "nothing")


def _role(told: set[str], may_be_side: bool) -> str | None:
    """Return the role of what is told together."""
    side = told & {FIRST, SECOND}
    rest = told - side - {"before"}
    if "time" in rest and side and rest <= {"time", "points", "result"}:
        rest -= {"time"}  # a team, in Portuguese
    if len(side) > 1 or (rest & {"winner", "loser", "opponent", "own"} and side):
        return None
    if side:
        return _of_side("white" if FIRST in side else "black", rest, may_be_side)
    if "own" in rest and rest <= {"own", "won", "result", "points"} and len(rest) > 1:
        return "score"
    if rest == {"number", "round"} or rest == {"id", "round"}:
        return "round"
    return ALONE.get(frozenset(rest - {"who"} if len(rest) > 1 and not rest & {"own"} else rest))


def _of_side(colour: str, rest: set[str], may_be_side: bool) -> str | None:
    if rest & {"points", "result"}:
        rest = rest - {"points", "result", "who", "won"} | {"points"}
    if len(rest) > 1:
        rest = rest - {"who"}
    if not rest:
        return colour if may_be_side else None
    kind = " ".join(sorted(rest))
    return colour + SIDED[kind] if kind in SIDED else None


ALONE = {frozenset(kinds.split("+")): role for role, ways in table("together").items() for kinds in ways}


def asks_who_won(heading: str) -> bool:
    """Tell whether a heading asks its reader about a win, as `Did you win?` does: yes and no are results under it."""
    kinds = {kind for word in words_of(heading) for kind in WORDS.get(word, ())}
    return kinds <= {"own", "won", "nothing"} and {"own", "won"} <= kinds


def contrasted(headings: Sequence[str]) -> dict[str, str]:
    """Return the words that tell two sides apart in headings which are otherwise the same, by the side they are of.

    >>> contrasted(["Red player", "Blue player", "Red score", "Blue score"])
    {'red': 'first', 'blue': 'second'}
    """
    places: dict[tuple[int, tuple[str, ...]], list[str]] = {}
    for heading in dict.fromkeys(headings):
        words = words_of(heading)
        for at in range(len(words)):
            same = words[:at] + words[at + 1 :]
            if {kind for word in same for kind in WORDS.get(word, ())} & {"who", "points", "rating"}:
                places.setdefault((at, same), []).append(words[at])
    pairs = {tuple(found) for found in places.values() if len(found) == 2 and not any(word in WORDS for word in found)}
    stems = {tuple(word.rstrip("es") for word in pair) for pair in pairs}  # bleu and bleus
    if len(stems) != 1 or any(len(found) > 2 for found in places.values()):
        return {}
    return {word: side for pair in pairs for word, side in zip(pair, (FIRST, SECOND), strict=True)}


def roles_of(headings: Sequence[str]) -> list[str | None]:
    """Return the role of each heading by its words, None for none; what there is a third of tells no side.

    Nor do the numbered players of one side, `Home player 1` and `Home player 2`: a game of sides is read elsewhere.
    """
    sides = contrasted(headings)
    headings = [REMARK.sub("", one) if role_of(one, sides) is None else one for one in headings]
    stems = [tuple(word for word in words_of(one) if not word.isdigit()) for one in headings]
    numbers = [tuple(word for word in words_of(one) if word.isdigit()) for one in headings]
    third = {stem for stem, number in zip(stems, numbers, strict=True) if number and number[0] not in ("1", "2")}
    found = [
        None if number and stem in third else role_of(one, sides)
        for one, stem, number in zip(headings, stems, numbers, strict=True)
    ]
    letters = [plain(one) for one in headings]
    if {"w", "b"} <= set(letters) and "a" not in letters:
        found[letters.index("w")] = "white"
    found = [
        None if role and _is_alone(words_of(one), headings) else role for role, one in zip(found, headings, strict=True)
    ]
    numbered = Counter(stem for stem, number in zip(stems, numbers, strict=True) if number)
    teams = {
        stem for stem, many in numbered.items() if many > 1 and role_of(" ".join(stem), sides) in ("white", "black")
    }
    return [
        None if stem in teams or (role == "score" and found.count(role) > 1 and is_of_points(one)) else role
        for stem, role, one in zip(stems, found, headings, strict=True)
    ]


def _is_alone(words: Sequence[str], headings: Sequence[str]) -> bool:
    """Whether the letter of a side in a heading has no other one beside it: the B of Bianco, without an A."""
    pairs = {"a": ("b", "2"), "b": ("a", "1", "w"), "w": ("b",)}
    at = next((at for at, word in enumerate(words) if word in pairs and len(words) > 1), -1)
    return at >= 0 and not {(*words[:at], one, *words[at + 1 :]) for one in pairs[words[at]]} & set(
        map(words_of, headings)
    )


def ranked_roles(headings: Sequence[str]) -> list[tuple[int, str, bool]]:
    """Return of each heading how well known it is for its role (0 the best), the role, and whether it is sure of it."""
    return [
        (*HEADINGS[whole], True) if (whole := _whole(one)) else _by_words(REMARK.sub("", one), told)
        for one, told in zip(headings, roles_of(headings), strict=True)
    ]


def _whole(heading: str) -> str:
    """Return a heading as `HEADINGS` has it, with or without what stands behind it in brackets; nothing where not."""
    return next((one for text in (heading, REMARK.sub("", heading)) if (one := plain(text)) in HEADINGS), "")


def _by_words(heading: str, role: str | None) -> tuple[int, str, bool]:
    words = words_of(heading)
    told = {kind for word in words for kind in WORDS.get(word, ("own",))}
    loose = bool(told & LOOSE) or ("points" in told and not told & {FIRST, SECOND, "number1", "number2", "result"})
    return 1 + sum(PLACES.get(word, 0) for word in words) + (100 if loose else 0), role or "", not loose


def named(heading: str) -> str:
    """Return the role that a heading names as it stands or by its words, nothing where it names none."""
    return HEADINGS[whole][1] if (whole := _whole(heading)) else role_of(heading) or ""


def is_of_points(heading: str) -> bool:
    """Tell whether a heading names points and no result, `Tore` or `points`: several are those of several players."""
    return not any("result" in WORDS.get(word, ()) for word in words_of(heading))


def is_of_rating(heading: str) -> bool:
    """Tell whether a heading is a word for a rating alone, whosever it is."""
    words = words_of(heading)
    return len(words) == 1 and "rating" in WORDS.get(words[0], ())


def is_of_white(heading: str) -> bool:
    """Tell whether a heading names White, as those of chess do."""
    return plain(heading) == "w" or (role_of(heading) == "white" and any(map(WHITE.__contains__, words_of(heading))))
