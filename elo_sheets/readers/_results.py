"""Results as they are printed: pairs such as 1-0 and 4:3, words in several languages, letters, forfeits.

One text can often be understood alone (`outcome`). What cannot is decided for a whole column at once
(`outcomes`): whether A is "away" or "the first of A and B", whether 0-0 is a draw of goals or a game not
played.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from elo_sheets.errors import UnreadableInput
from elo_sheets.readers._said import BESIDE, said
from elo_sheets.readers._words import plain, table


class Outcome(NamedTuple):
    """A result: White's score and perhaps both sides' points, or the reason why it is none.

    `shootout` is 1 where White won the shoot-out after a draw, -1 where Black did, 0 where none is told.
    """

    score: float | None
    reason: str = ""
    points: tuple[float, float] | None = None
    shootout: float = 0.0


UNFINISHED = "unfinished or without a result"
FORFEIT = "decided by forfeit, not over the board"
BYE = "a bye: no game was played"
UNKNOWN = "expected a result such as 1-0, 0-1, 1/2-1/2 or 4-3"
SPREADSHEET_DATE = "a spreadsheet turned this result into a date; format its column as text and type it again"
LEVEL_SETS = "both sides won as many sets: write who won, as in 1-0"
CROSSES = "X-X is a draw in some countries and no game in others: write 1/2-1/2, or leave it empty"
DOUBLE_ZERO = "0-0: neither side scored, a double forfeit or a game not played"

WORDS: dict[str, Outcome] = {"": Outcome(None, UNFINISHED)}
for _kind, _outcome in {
    "win": Outcome(1.0),
    "loss": Outcome(0.0),
    "draw": Outcome(0.5),
    "open": Outcome(None, UNFINISHED),
    "forfeit": Outcome(None, FORFEIT),
    "bye": Outcome(None, BYE),
}.items():
    WORDS |= dict.fromkeys(table("cells")[_kind], _outcome)

# Letters and digits mean different things in different columns; the first vocabulary that holds all wins.
VOCABULARIES: tuple[dict[str, float], ...] = (
    {"1": 1, "1.0": 1, "1,0": 1, "0": 0, "0.0": 0, "0,0": 0, "0.5": 0.5, "0,5": 0.5, ".5": 0.5, ",5": 0.5},
    {"w": 1, "l": 0, "d": 0.5, "t": 0.5, "x": 0.5},
    {"h": 1, "a": 0, "d": 0.5, "t": 0.5, "x": 0.5},
    {"w": 1, "b": 0, "d": 0.5, "t": 0.5, "x": 0.5},
    {"a": 1, "b": 0, "d": 0.5, "t": 0.5, "x": 0.5},
    {"1": 1, "x": 0.5, "2": 0},
    {"3": 1, "3.0": 1, "3,0": 1, "1": 0.5, "1.0": 0.5, "1,0": 0.5, "0": 0, "0.0": 0, "0,0": 0},
    {"1": 1, "0": 0.5, "-1": 0},
    {"1.0": 1, "0.0": 0.5, "-1.0": 0},
    {"v": 1, "n": 0.5, "e": 0.5, "d": 0, "p": 0},
    {"g": 1, "e": 0.5, "p": 0},
    {"s": 1, "u": 0.5, "r": 0.5, "n": 0},
    {"w": 1, "r": 0.5, "p": 0},
    {"g": 1, "u": 0.5, "r": 0.5, "v": 0},
    {"в": 1, "н": 0.5, "п": 0},
    {"○": 1, "△": 0.5, "●": 0},
)
NUMBERS, WIN_DRAW_LOSS, A_AND_B, TOTO, POINTS = (VOCABULARIES[at] for at in (0, 1, 4, 5, 6))
HALVES, ONES = ({text for text, score in NUMBERS.items() if score == one} for one in (0.5, 1))
THREES = {text for text, score in POINTS.items() if score == 1}
# A smaller share of 3 may be a slip of the hand, which must not make draws of all wins.
RARE = 0.1
# Letters that are draws wherever they stand for anything.
DRAWS = dict.fromkeys("eru", 0.5)
DIGITS = frozenset(letter for vocabulary in VOCABULARIES for letter in vocabulary if letter[-1].isdigit())
LETTERS = frozenset(letter for vocabulary in VOCABULARIES for letter in vocabulary)

# The two marks of a game, where each side has one of its own: ○ ●, W L; a square is a win without a fight.
MARKS: dict[str, Outcome] = {
    f"{one} {other}": Outcome(float(own))
    for vocabulary in VOCABULARIES
    if not vocabulary.keys() & {"0", "1", "1.0", "a", "b", "h"}
    for one, own in vocabulary.items()
    for other, score in vocabulary.items()
    if own + score == 1
}
MARKS |= dict.fromkeys(("□ ■", "■ □", "不戦敗 不戦勝", "不戦勝 不戦敗"), Outcome(None, FORFEIT))

# A column of nothing else, as in a diary: won, lost, drawn.
SIGNS = {"+": 1.0, "-": 0.0, "=": 0.5, "½": 0.5}
# By how much the first side won or lost, as in croquet: +13, -7, +1T.
SIGNED = re.compile(r"(?P<sign>[+\-−–])\s?\d+(?:[.,]\d+)?\s?[a-z]{0,3}")
DASH = r"\-‐‑‒–—−:"
BETWEEN = rf"(?:[{DASH}]|[x×](?=[\s\d½]))"  # 2 x 1, as in Brazil
NUMBER = r"1/2|\d{1,6}[.,]\d{1,6}|[.,]\d{1,6}|\d{0,6}½|\d{1,6}"
TRAILING_ZEROS = re.compile(r"(-?\d*[.,]\d+?)0+")
# 3:2 that a spreadsheet took for a time of day.
TIMED = re.compile(r"(\d{1,2}):(\d{2}):00")
PAIR = re.compile(rf"({NUMBER})\s*{BETWEEN}\s*({NUMBER})")
REASONED = re.compile(rf"(?P<pair>{PAIR.pattern})[\s,;(]+(?P<why>[^\W\d_]+(?: [^\W\d_]+)*)[).]?")
# Behind a score: extra time, and ice hockey's shoot-out, which gives its winner a goal, and so the game.
EXTRA = r"aet|a\.e\.t\.?|\d?ot|so|n\.? ?v\.?|n\.? ?p\.?|et|pp|sn|gws|ja|vl"
AFTERMATH = re.compile(rf"\s*\([^()]*\)$|\s*\b(?:{EXTRA})$")
# What brackets behind a score say of it that leaves it as it is: 2-1 (1-0 HT), 3-2 (aet), 5-4 (after sets).
BEHIND = frozenset(table("cells")["behind"])
# Football's shoot-out, which decides a drawn game: 4:5 n.E., 1-1 (4-3 pens), 1:1 n.V. 4:3 i.E., 5-4 (p).
SHOT = (
    r"(?:(?:nach |[ni]\.? ?)(?:e|elf\w*)\.?|elfm\w*\.?|(?:on |after )?(?:pen(?:s|al\w+)?\.?|pso|p\.?)|"
    r"t\.?a\.?b\.?|d\.?c\.?r\.?)(?!\w)"
)
SHOOTOUT = re.compile(rf"{PAIR.pattern}(?:[\s(),;:]|{PAIR.pattern}|{SHOT}|(?:{EXTRA})(?!\w))*")
SHOT_SCORES = [re.compile(rf"{PAIR.pattern}[\s(]*{SHOT}"), re.compile(rf"{SHOT}:?\s*{PAIR.pattern}")]
# As table tennis is noted: the loser's points of each set, with a minus for one that is lost: 7 -9 5 8.
SLASHED = re.compile(r"(\d{1,2})\s*/\s*(\d{1,2})")
SHORT_SETS = re.compile(r"[+\-−–]?\d{1,2}(?:(?:\s*[,;]\s*|\s+)[+\-−–]?\d{1,2})+")
# Games of sets: 6-4 3-6 7-6(5), or 11:9, 8:11, 11:6.
SET = re.compile(rf"(\d{{1,2}})\s*[{DASH}/]\s*(\d{{1,2}})")
SETS = re.compile(rf"{SET.pattern}(?:[\s,;]+{SET.pattern})+")
TIE_BREAK = re.compile(r"\([^()]*\)|[\[\]]")
RECORD = re.compile(
    rf"(?P<word>[^\W\d_]+)[\s,:]+(?P<one>\d{{1,2}})\s*[{DASH}:]\s*(?P<other>\d{{1,2}})(?:\s*[{DASH}:]\s*\d{{1,2}})?"
)
# Go: B+R, W+3.5, B+Time; in Dutch Z+O, as opgegeven.
GO = re.compile(r"(?P<won>[bw])\+(?P<by>r(?:esign)?|o|t(?:ime)?|f(?:orfeit)?|\d{1,3}(?:[.,]\d+)?|½|\d{1,3}½)?")
FORFEIT_SIGNS = re.compile(
    rf"[+=\d{DASH}]?\s*[{DASH}/]\s*\+|\+\s*[{DASH}/]{{1,2}}\s*[{DASH}=\d]?|[\d½/]+f?\s*[{DASH}]\s*[\d½/]+\s*f\.?"
)
DISQUALIFIED = re.compile(r"-\d+\s*[-:]\s*\d+|\d+\s*[-:]\s*-\d+|-\d+\s*[-:]\s*-\d+")  # 0--1, as Challonge has it
FORFEIT_WORDS = re.compile(r"\b(?:forfeit|forfait|walkover|awarded|kampflos|no[ -]show|ff|w/o|w\.o\.?|def)(?:\b|$)")
MONTH = (
    r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mrz|mär|mai|okt|dez|ene|abr|ago|dic|fév|avr|aoû|déc)"
    r"[a-z]*\.?"
)
DATE_LIKE = re.compile(
    rf"\d{{1,2}}[-/. ]*{MONTH}(?:[-/. ]+\d{{2,4}})?|{MONTH}[-/. ]*\d{{1,4}}"
    r"|\d{4}[-/.]\d{1,2}[-/.]\d{1,2}(?:[t ].*)?|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}(?:[t ].*)?|[2-5]\d{4}"
)

# Of a game that was not played, whatever the heading of the column says in which one of these stands alone.
NOT_PLAYED = {word for word, one in WORDS.items() if one.reason in (UNFINISHED, FORFEIT) and len(word.strip("-")) > 2}
NOT_PLAYED |= {*table("results")["forfeited"], *table("results")["open"]}
NOT_PLAYED -= set("nan null none tbd tba def def. default defaulted unknown unbekannt".split())
NOT_PLAYED -= set("not niet nicht ikke inte kl - : -:-".split())

# States of a game that has no result yet, as programs' interfaces have them, without blanks.
STATES = set(
    "notstarted notyetstarted ns upcoming planned tobeplayed awaiting open live running inprogress inplay paused "
    "suspended interrupted delayed".split()
)

# Behind a game of chess: how it ended on the board.
ENDED = re.compile(r"\b(?:checkmated?|resign\w*|timeout|stalemate|repetition|agreement)\b", re.I)

# What words say, by `_said`.
SAID = {"1": Outcome(1.0), "½": Outcome(0.5), "0": Outcome(0.0)}
SAID |= {"forfeited": Outcome(None, FORFEIT), "open": Outcome(None, UNFINISHED), "free": Outcome(None, BYE)}


def tidy(text: str) -> str:
    """Return a result's text in lower case, without the blanks, quotes and zeros that spreadsheets put around it."""
    text = " ".join(text.replace("⁄", "/").split()).casefold()
    if text.startswith('="') and text.endswith('"'):
        text = text[2:-1]
    text = text.removeprefix("'")
    return zeros[1] if (zeros := TRAILING_ZEROS.fullmatch(text)) else text


@lru_cache(maxsize=1 << 12)  # the same cells are asked of by each way of telling a table
def outcome(text: str) -> Outcome:
    """Return what one result means without looking at the other results of its column.

    >>> outcome("½–½").score, outcome("4:3").points
    (0.5, (4.0, 3.0))
    """
    text = tidy(text)
    if text in WORDS or text in MARKS:
        return WORDS.get(text) or MARKS[text]
    if DISQUALIFIED.fullmatch(text) or FORFEIT_SIGNS.fullmatch(text) or FORFEIT_WORDS.search(text):
        return Outcome(None, FORFEIT)
    if re.fullmatch(rf"x\s*[{DASH}]\s*x", text):
        return Outcome(None, CROSSES)
    if DATE_LIKE.fullmatch(text):
        return Outcome(None, SPREADSHEET_DATE)
    if timed := TIMED.fullmatch(text):
        return compared(number(timed[1]), number(timed[2]))
    if SHOOTOUT.fullmatch(text) and re.search(SHOT, text):
        return _of_shootout(text)
    if (told := REASONED.fullmatch(text)) and all(plain(word) in BESIDE for word in told["why"].split()):
        text = told["pair"]  # 1-0 on time
    bare = AFTERMATH.sub("", text)
    if pair := PAIR.fullmatch(bare):
        if strange := set(re.findall(r"[^\W\d_]+", text[len(bare) :])) - BEHIND:
            found = SAID.get(said(" ".join(sorted(strange))))
            return found if found is not None and found.score is None else Outcome(None, UNKNOWN)
        return compared(number(pair[1]), number(pair[2]))
    if text in NUMBERS:
        return Outcome(NUMBERS[text])
    if go := GO.fullmatch(text):
        return Outcome(None, FORFEIT) if go["by"] in ("f", "forfeit") else Outcome(float(go["won"] == "w"))
    return SAID.get(said(text)) or _of_record(text) or _of_sets(text)


def _of_record(text: str) -> Outcome | None:
    """Return the outcome of a word with the games or sets behind it, as `won 2-0-0`, where they agree."""
    match = RECORD.fullmatch(text)
    word = (WORDS.get(match["word"]) or SAID.get(said(match["word"]))) if match else None
    if match is None or word is None or word.score is None:
        return None
    one, other = int(match["one"]), int(match["other"])
    agree = {1.0: one > other, 0.5: one == other, 0.0: one != other}  # lost 0-2, or 2-0 as the winner has it
    return Outcome(word.score) if agree[word.score] else None


def _of_shootout(text: str) -> Outcome:
    """Return the outcome of a game with a shoot-out: a draw, but where it follows another score, as of a second leg."""
    pairs, shot = (
        [(number(a), number(b)) for a, b in found]
        for found in (PAIR.findall(text), [pair for scores in SHOT_SCORES for pair in scores.findall(text)])
    )
    if pairs[0] not in shot and pairs[0][0] != pairs[0][1]:
        return compared(*pairs[0])
    white, black = next((pair for pair in shot if pair[0] != pair[1]), (0, 0))
    return Outcome(
        0.5, "", next((pair for pair in pairs if pair[0] == pair[1]), None), (white > black) - (white < black)
    )


def _of_sets(text: str) -> Outcome:
    """Return the outcome of the scores of sets, whose points are the sets that each side won."""
    text = TIE_BREAK.sub("", text).strip()
    if not SETS.fullmatch(text):
        return Outcome(None, UNKNOWN)
    won = [int(one) > int(other) for one, other in SET.findall(text) if one != other]
    return compared(sum(won), len(won) - sum(won)) if 2 * sum(won) != len(won) else Outcome(None, LEVEL_SETS)


def compared(white: float, black: float) -> Outcome:
    """Return the outcome of two sides' points: more points win, equal points draw."""
    return Outcome((white > black) + (white == black) / 2, points=(white, black))


def none_played(pairs: Iterable[tuple[float, float]], chess: bool = False) -> bool:
    """Whether 0 to 0 is no draw among these points: those of chess, or of a game in which all make ten and more.

    >>> none_played([(1, 0), (0.5, 0.5)]), none_played([(412, 388), (390, 390)]), none_played([(2, 0), (1, 1)])
    (True, True, False)
    """
    some = [pair for pair in pairs if pair != (0, 0)]
    both = [pair for pair in some if 0 not in pair]  # the points of a bye stand beside nothing
    of_one = all(sum(pair) == 1 for pair in some) and (chess or (0.5, 0.5) in some)
    return bool(some) and (of_one or (2 * len(both) > len(some) and min(map(min, both)) >= 10))


def fewest(found: Outcome) -> Outcome:
    """Return the outcome as it is where the fewest points win."""
    return found if found.points is None or found.score is None else found._replace(score=1 - found.score)


def number(text: str) -> float:
    """Return the value of a number with a decimal point, a decimal comma or a half sign."""
    if text == "1/2":
        return 0.5
    if text.endswith("½"):
        return float(text[:-1] or 0) + 0.5
    return float(text.replace(",", "."))


# Words for a result that say a side, not whether the player himself won.
SIDES = re.compile("home|away|white|black|heim|auswärts|wei|schwarz")
_HALVES = ("1/2", "½", "0.5", "0,5", ".5", ",5")
_SIGNS = ("+/-", "-/+", "+:-", "-:+", "+ - -", "- - +", "1-0f", "0-1f", "0-0f")


def spellings() -> dict[str, Outcome]:
    """Return what every result means that is understood alone, one game at a time, as White's points or the player's.

    Numbers are points, W, D and L win, draw and loss; another letter is left out where it means several things, and so
    are signs that nobody types. Pairs of goals are too many to list.

    >>> table = spellings()
    >>> table["1:0"].score, table["½ – ½"].score, table["+/-"].reason == FORFEIT, "a" in table
    (1.0, 0.5, True, False)
    """
    pairs = [("1", "0"), ("0", "1"), ("0", "0"), *((half, half) for half in _HALVES)]
    dashes = [f"{blank}{dash}{blank}" for dash in DASH.replace("\\", "") for blank in ("", " ")]
    texts = [f"{one}{dash}{other}" for one, other in pairs for dash in dashes]
    found = {text: chess_outcome(text) for text in (*texts, *_SIGNS, *WORDS, *NUMBERS)}
    found |= {text: outcome(text) for text in sorted({*NOT_PLAYED, *table("results")["free"]} - found.keys())}
    for letter in sorted(filter(str.isalpha, LETTERS)):
        means = {vocabulary[letter] for vocabulary in VOCABULARIES if letter in vocabulary}
        if letter in WIN_DRAW_LOSS or len(means) == 1:
            found[letter] = Outcome(float(WIN_DRAW_LOSS.get(letter, min(means))))
    return found


def outcomes(
    texts: Iterable[str], *, chess: bool = False, a_and_b: bool = False, column: str = ""
) -> dict[str, Outcome]:
    """Return what every distinct result of one column means.

    `chess` says that the sides are White and Black, so that 0-0 is no draw, `a_and_b` that they are called A
    and B. A column of 3, 1 and 0 holds points, in which 1 is a draw. Raises `UnreadableInput` for a column of 0, 1 and
    2, in which 0 may be a draw or a loss, and for one in which 3 is rare, so that it may be a slip of the hand.
    """
    often = Counter(texts)
    texts = list(often)
    if {"+", "-"} <= {tidy(text) for text in texts} - {""} <= SIGNS.keys():
        return {text: Outcome(SIGNS[tidy(text)]) if text.strip() else outcome(text) for text in texts}
    signed = {text: match["sign"] == "+" for text in texts if (match := SIGNED.fullmatch(tidy(text)))}
    if len(set(signed.values())) == 2 and all(outcome(text).score is None or tidy(text) == "0" for text in texts):
        level = {text: Outcome(0.5) for text in texts if tidy(text) == "0"}
        won = {text: Outcome(float(wins)) for text, wins in signed.items()}
        return {text: outcome(text) for text in texts} | level | won
    if sets := of_short_sets(texts):
        return {text: sets.get(text) or outcome(text) for text in texts}
    if sets := of_slashes(texts):
        return {text: sets.get(text) or outcome(text) for text in texts}
    letters = {text: tidy(text) for text in texts if tidy(text) in LETTERS}
    others = set(texts) - letters.keys()
    if set(letters.values()) in ({"2"}, {"3"}) and any(outcome(text).score is not None for text in others):
        # Among results of another kind nothing says that 2 is the 2 of 1, X and 2, or that 3 is points.
        letters = {}
    beside = any(outcome(text).score is not None for text in others)
    threes = sum(count for text, count in often.items() if letters.get(text) in THREES) / max(often.total(), 1)
    vocabulary = _vocabulary(set(letters.values()), a_and_b, column, threes, beside)
    read = {text: outcome(text) for text in texts if text not in letters}
    read |= {
        text: Outcome(float(vocabulary[letter])) if letter in vocabulary else outcome(text)
        for text, letter in letters.items()
    }
    if any(map(GO.fullmatch, map(tidy, others))):
        read |= {text: Outcome(0.5) for text in texts if tidy(text) == "0"}  # as SGF writes a draw
    if _is_chess(read, chess):
        return {text: _of_chess(result) for text, result in read.items()}
    if none_played(result.points for result in read.values() if result.points):
        return {text: Outcome(None, DOUBLE_ZERO) if one.points == (0, 0) else one for text, one in read.items()}
    return read


def of_short_sets(texts: Sequence[str]) -> dict[str, Outcome]:
    """Return what the shorthand of sets means in a column of it, by the sets won; nothing for another column.

    >>> [one.points for one in of_short_sets(["7 -9 5 8", "-4 -6 -9", "walkover"]).values()]
    [(3, 1), (0, 3)]
    """
    lost = {
        text: [part[0] not in "+0123456789" for part in re.split(r"[\s,;]+", tidy(text))]
        for text in texts
        if SHORT_SETS.fullmatch(tidy(text))
    }
    if not any(map(any, lost.values())) or any(outcome(text).score is not None for text in texts if text not in lost):
        return {}
    if not all(2 * sum(sets) != len(sets) and sets[-1] == (2 * sum(sets) > len(sets)) for sets in lost.values()):
        return {}  # he who wins the last set has won
    return {text: compared(len(sets) - sum(sets), sum(sets)) for text, sets in lost.items()}


def of_slashes(texts: Sequence[str]) -> dict[str, Outcome]:
    """Return what 3/1 and 2/3 mean in a column of them, as the French write sets; nothing where 1/2 may be a draw.

    >>> [one.points for one in of_slashes(["2/0", "1/2", "w.o."]).values()], of_slashes(["1/2", "3/1"])
    ([(2.0, 0.0), (1.0, 2.0)], {})
    """
    pairs = {text: match for text in texts if (match := SLASHED.fullmatch(tidy(text)))}
    told = {text: compared(number(match[1]), number(match[2])) for text, match in pairs.items()}
    won = {max(result.points or (0, 0)) for result in told.values()}
    drawn = {outcome(text).score for text in pairs} - {None}
    if drawn and (len(told) < 2 or len(won) > 1):
        return {}
    return {} if any(outcome(text).score is not None for text in texts if text not in pairs) else told


def _vocabulary(letters: set[str], a_and_b: bool, column: str, threes: float, beside: bool) -> dict[str, float]:
    if "2" in letters and letters & {"0", "0.0", "0,0"}:
        raise UnreadableInput(
            f"expected results whose meaning is plain in column {column!r}, got 0, 1 and 2: 0 may be a "
            f"draw or a "
            "loss; write 1-0, 0-1 and 1/2-1/2, or 1, X and 2"
        )
    if letters & THREES and letters - THREES and "2" not in letters:
        if letters <= POINTS.keys() and (threes >= RARE or not letters & ONES):
            return POINTS
        if letters & ONES and not letters & HALVES:
            raise UnreadableInput(
                f"expected results whose meaning is plain in column {column!r}, got 3 and 1: 1 may be a win, or the "
                "point for a draw; write 1-0, 0-1 and 1/2-1/2"
            )
    if a_and_b and letters <= A_AND_B.keys():
        return A_AND_B
    digits, words = letters & DIGITS, letters - DIGITS
    numeric = [one for one in VOCABULARIES if one.keys() & DIGITS and one is not POINTS]
    in_digits = TOTO if "2" in digits else max(numeric, key=lambda one: len(digits & one.keys()))
    if digits and words <= in_digits.keys():
        return {**NUMBERS, **in_digits}
    verbal = [one for one in VOCABULARIES if not one.keys() & DIGITS]
    in_words = max(verbal, key=lambda one: len(words & one.keys()))
    if (digits or beside) and len({in_words[word] for word in words & in_words.keys()}) < 2:
        # One letter beside other results proves no language: a lone P may be a loss in Spanish, or a postponed game.
        in_words = WIN_DRAW_LOSS | (DRAWS if beside else {})
    return {**in_words, **NUMBERS}


def _is_chess(read: dict[str, Outcome], chess: bool) -> bool:
    pairs = [result.points for result in read.values() if result.points]
    if any(result.shootout for result in read.values()):
        return False
    if not all(max(pair) <= 1 for pair in pairs):
        return False
    return chess or (0.5, 0.5) in pairs or all(sum(pair) == 1 for pair in pairs)


def chess_outcome(text: str) -> Outcome:
    """Return what one result of a game of chess means: no points, and 0-0 is no draw.

    >>> chess_outcome("1-0")[:3]
    (1.0, '', None)
    """
    return _of_chess(outcome(text))


def _of_chess(result: Outcome) -> Outcome:
    if result.points == (0, 0):
        return Outcome(None, DOUBLE_ZERO)
    if result.points is not None and (sum(result.points) != 1 or max(result.points) > 1):
        return Outcome(None, UNKNOWN)
    return Outcome(result.score, result.reason)
