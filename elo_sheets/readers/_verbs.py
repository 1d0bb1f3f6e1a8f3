"""What a line says of a game by its words: `Ben lost to Anna 1-3`, `Ana venció a Luis por 3-1`, `A v B: B won`."""

from __future__ import annotations

import re
from functools import lru_cache

from elo_sheets.readers._results import BETWEEN, DASH, NUMBER, NUMBERS, PAIR, UNKNOWN, WORDS, outcome, tidy
from elo_sheets.readers._said import DRAWN, KNOWN, LOST, WON, knows
from elo_sheets.readers._text import identity
from elo_sheets.readers._words import plain, table

Sides = tuple[str, str, str]  # two names, and what is said of the game

SCORE = rf"(?:(?:{NUMBER})\s*{BETWEEN}\s*(?:{NUMBER})|½)"
# 3 to 1, 3 a 1
_TO = re.compile(r"(?<![\w:.,])(\d{1,3})\s+(?:to|a|à|zu|tot|til|till|na)\s+(\d{1,3})(?![\w:.,])")
_SCORE = re.compile(SCORE)
_RETIRED = re.compile(r"[,\s]+(?:ret\.?|retd\.?|retired|aufg\.?)$", re.I)  # who won is told
_MARGIN = re.compile(r"\s+[+\-−–]\d{1,3}[A-Za-z]{0,3}$")  # by which he won, as in croquet: Ann beat Bob +17
_BY = re.compile(r"\s+(?:by|with|por|mit|par|per|con|met|med)$")  # before a score
_AND = r"(?:and|und|et|y|e|en|og|och|i|&)"
# Ann and Ben drew 2-2; Ann challenged Ben and won 3-1, and lost 0-3 as she tells it or 3-0 as he would.
_BOTH = re.compile(rf"(.+?)\s+{_AND}\s+(.+?)\s+(?P<verb>[^\W\d_]+)(?P<score>\s+{SCORE})?", re.I)
_CHALLENGED = re.compile(
    r"(.+?)\s+(?:challenged|played|met|faced|forderte|spielte gegen|a défié|défia|desafió a|daagde)\s+(.+?),?\s+"
    rf"{_AND}\s+(?P<verb>[^\W\d_]+)(?P<score>\s+{SCORE})?",
    re.I,
)
PARTED = re.compile(rf"(.+?)\s+(?:[{DASH}]|vs?\.?|versus|gegen|contre|contra|against|tegen)\s+(.+)", re.I)
_WINNER = re.compile(rf"(?P<who>.+?)(?:\s+(?P<verb>[^\W\d_]+))?(?:\s+(?P<score>{SCORE}))?", re.I)
_APART = re.compile(rf"\s*[:,;(]\s*|\s+[{DASH}]+\s+")
_WORD = {WON: "win", LOST: "loss", DRAWN: "draw"}
_VERBS = table("verbs")
_BEATS, _PARTICIPLES, _HELPS, _PREPOSITIONS = map(frozenset, _VERBS.values())
_TO_WHOM = "a"  # venció a Luis


def told(text: str) -> Sides | None:
    """Return the game that a line tells of by a verb, None for another line.

    >>> told("Ana venció a Luis por 3-1"), told("Ben v Anna: Anna won")
    (('Ana', 'Luis', '3-1'), ('Ben', 'Anna', 'loss'))
    """
    if (match := _CHALLENGED.fullmatch(text)) and KNOWN.get(plain(match["verb"])) in _WORD:
        return match[1], match[2], text[match.start("verb") :]
    if (match := _BOTH.fullmatch(text)) and KNOWN.get(plain(match["verb"])) == DRAWN:
        return match[1], match[2], (match["score"] or match["verb"]).strip()
    return _of_winner(text) or _of_verb(text)


def with_scores(text: str) -> str:
    """Return a line with scores that a word parts, `3 to 1`, as they are written otherwise."""
    return _TO.sub(r"\1-\2", text)


def says_who(text: str) -> bool:
    """Tell whether a verb stands in a line that says who beat whom."""
    words = [match[0] for match in re.finditer(r"\S+", text)]
    return any(_verb(word)[0] for word in words[1:-1])


def tail(text: str) -> tuple[str, str]:
    """Return a name and the result that stands behind it, nothing where none does."""
    for blank in re.finditer(r"[\s,;:]+", text):
        end = text[blank.end() :].strip(" .;,")
        bare = end.strip("()") if end.startswith("(") else end  # but not of 3:0 (1:0)
        if end and end not in NUMBERS | {"-": 0} and outcome(bare).reason != UNKNOWN and _is_all(bare):
            return _BY.sub("", text[: blank.start()]) if any(map(str.isdigit, bare)) else text[: blank.start()], bare
    return text, ""


def _is_all(result: str) -> bool:
    """Tell whether no word of a result may be the end of a name that stands before it."""
    return not any(map(str.isalpha, result)) or any(map(str.isdigit, result)) or tidy(result) in WORDS or knows(result)


@lru_cache(maxsize=1 << 12)
def _verb(word: str) -> tuple[str, bool]:
    """Return what a verb says of the first side, nothing for another word, and whether its object stands bare."""
    name = plain(word)
    if word in (">", "d.") or name in _BEATS:
        return WON, True
    kind = KNOWN.get(name, "")
    return (kind if kind in _WORD and word[:1].islower() else ""), False  # Victoria may be a name


def _of_verb(text: str) -> Sides | None:
    """Return the game of a line with a verb between the sides, and maybe a score: `Ben won 3-1 against Ann`."""
    words = [*re.finditer(r"\S+", text)]
    for at in range(1, len(words) - 1):
        kind, bare = _verb(words[at][0])
        if not kind:
            continue
        rest = text[words[at].end() :].lstrip()
        score = _SCORE.match(rest)
        rest = rest[score.end() :].lstrip() if score else rest
        whom = _whom(rest, bare)
        if not whom:
            continue
        second, printed = tail(_RETIRED.sub("", _MARGIN.sub("", whom)))
        printed = printed or (score[0] if score else "")
        verb = _WORD[kind]
        found = outcome(printed) if printed else None
        agrees = found is None or found.score is None or found.score == outcome(verb).score
        helped = at > 1 and words[at - 1][0] in _HELPS and plain(words[at][0]) in _PARTICIPLES
        first = text[: words[at - helped].start()].strip()
        return first, second, (printed or verb) if agrees else f"{words[at][0]} {printed}"
    return None


def _whom(text: str, bare: bool) -> str:
    """Return what stands behind a preposition of one word or two, nothing where none does that the verb needs."""
    words = text.split()
    for size in (2, 1):
        preposition = "".join(map(plain, words[:size]))
        known = preposition == _TO_WHOM if bare else preposition in _PREPOSITIONS
        if len(words) > size and known and words[0].islower():
            return text.split(maxsplit=size)[size]
    return text if bare else ""


def _of_winner(text: str) -> Sides | None:
    """Return the game of two sides behind which the winner, or the loser, is named: `Ben v Anna - Anna wins 2-1`."""
    for apart in _APART.finditer(text):
        both = PARTED.fullmatch(text[: apart.start()])
        named = _WINNER.fullmatch(text[apart.end() :].rstrip(" .)"))
        if both is None or named is None:
            continue
        sides = [identity(both[1]), identity(both[2])]
        who, kind = identity(named["who"]), KNOWN.get(plain(named["verb"] or ""), "")
        if kind not in (WON, LOST):
            who, kind = identity(f"{named['who']} {named['verb'] or ''}"), WON
        if who not in sides:
            continue
        is_first = (who == sides[0]) == (kind == WON)
        pair = PAIR.fullmatch(named["score"] or "")
        if pair is None:
            return both[1], both[2], "win" if is_first else "loss"
        points = sorted(
            pair.groups(), key=lambda one: float(one.replace(",", ".").replace("½", ".5")), reverse=is_first
        )
        return both[1], both[2], "-".join(points)
    return None
