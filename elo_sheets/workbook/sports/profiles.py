"""The words of a sport: what its sides, results and scores are called in a book.

A profile is a TOML file; those of the package are listed by their names, and a file of one's own is given by its path.
Its keys: `title`; `sides`, the first and the other; `titles`, what the drop-downs of both say, the sides unless given;
`results`, the words for a win of the first side, a draw, and a win of the other; `draws`, whether there are any;
`scores`, how many scores a result may have: 0 for none, 1 for goals, points or legs (10-7, 3:1), more for sets;
`example`, a score as it is typed; `goals`, whether these are goals; `system` and `settings`, what a book has where
nothing else is asked; `known`, headers of which a log that has all of one list is taken for the sport.

A book keeps its words in its manifest, so that it is read back without the file.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from elo_sheets.errors import UsageError
from elo_sheets.shipped import shipped_text
from elo_sheets.workbook.layout import text_of
from elo_sheets.workbook.plan import CellValue

# The option of a book that holds its words, and what is given for a book without a profile.
PROFILE, NONE = "profile", "none"
MOST_SETS = 9
LONGEST_WORD = 20
# The results as the Ledger says them, and their scores.
CANONICAL = ("1-0", "1/2-1/2", "0-1")
_KEYS = {"title", "sides", "titles", "results", "draws", "scores", "example", "goals", "system", "settings", "known"}
# How a typed score is put into one form: blanks and signs between numbers, then sets divided by commas.
TIDIED = ((":", "-"), ("–", "-"), (" -", "-"), ("- ", "-"), (", ", ","), (" ", ","))
# More letters than a typed score has.
WIDE = 200
_SET = re.compile(r"(0|[1-9]\d{0,2})-(0|[1-9]\d{0,2})", re.ASCII)


@dataclass(frozen=True)
class Words:
    """What a book calls the sides of a game and its results; `results` are those of 1, 0.5 and 0 for the first side."""

    name: str = "chess"
    title: str = "Chess"
    sides: tuple[str, str] = ("White", "Black")
    titles: tuple[str, str] = ("White or home", "Black or visitor")
    results: tuple[str, str, str] = CANONICAL
    draws: bool = True
    scores: int = 0
    example: str = ""
    goals: bool = False

    @property
    def offered(self) -> tuple[str, ...]:
        """The words of the drop-down."""
        return self.results if self.draws else (self.results[0], self.results[2])

    @property
    def side(self) -> str:
        """What the column of one player's side is called."""
        return "Colour" if self.sides == CHESS.sides else "Side"

    @property
    def has_places(self) -> bool:
        """Whether the sides tell more than two players apart, as Home and Away do, and Player 1 and Player 2 do not."""
        return len({re.sub(r"\W+\w$", "", side) for side in self.sides}) > 1

    def side_told(self, cell: str) -> str:
        """Return the formula of the side that a cell says, "" for none."""
        first, other = self.sides
        return f'IF({cell}="{first}","{first}",IF({cell}="{other}","{other}",""))'

    @property
    def prompt(self) -> str:
        """What the cell of a result says."""
        first, draw, other = self.results
        chosen = ", ".join(self.offered)
        if self.scores:
            return f"Choose {chosen}, or type the score of {self.sides[0]} first, such as {self.example}. {ASIDE}"
        drawn = f"; {draw}: a draw" if self.draws else ""
        return f"{first}: {self.sides[0]} wins; {other}: {self.sides[1]} wins{drawn}. {ASIDE}"

    def text(self, score: float, points: tuple[float, float] | None = None) -> str:
        """Return what is written for a result: the score where there is one that says it, else the word.

        >>> Words(scores=1).text(1.0, (3.0, 1.0)), Words(scores=1).text(0.5, (3.0, 1.0))
        ('3-1', '1/2-1/2')
        """
        if self.scores and points is not None:
            told = f"{points[0]:g}-{points[1]:g}"
            if self.outcome(told) == CANONICAL[int(2 - 2 * score)]:
                return told
        return self.results[int(2 - 2 * score)]

    def outcome(self, value: CellValue) -> str:
        """Return the result that a typed score says, "" for what is no score; equal scores are a draw, or `NO_DRAWS`.

        >>> Words(scores=3).outcome("21-15, 18-21, 21-19"), Words(scores=1).outcome("0:3"), Words().outcome("3-0")
        ('1-0', '0-1', '')
        """
        if not self.scores:
            return ""
        text = tidied(value)
        sets = [won for k in range(1, self.scores + 1) if (won := set_won(piece(text, k, self.scores))) is not None]
        if len(sets) != text.count(",") + 1:
            return ""
        won = sum(sets)
        return CANONICAL[0] if won > 0 else CANONICAL[2] if won < 0 else self.drawn

    @property
    def drawn(self) -> str:
        """What equal scores say: a draw, or that there are none."""
        return CANONICAL[1] if self.draws else NO_DRAWS


ASIDE = "Not played: postponed, walkover or bye."
NO_DRAWS = "no result: there are no draws"
CHESS = Words()


@dataclass(frozen=True)
class Profile:
    """The words of a sport, and what its books begin with where nothing else is asked."""

    words: Words
    system: str
    settings: Mapping[str, Any]
    known: Sequence[Sequence[str]]


def tidied(value: CellValue) -> str:
    """Return a typed score in one form, its sets divided by commas.

    >>> tidied(" 6 - 4  3:6, 7-6(5) ")
    '6-4,3-6,7-6(5)'
    """
    text = " ".join(part for part in text_of(value).split(" ") if part)
    for old, new in TIDIED:
        text = text.replace(old, new)
    return text


def piece(text: str, k: int, most: int) -> str:
    """Return the set of a number from 1 of a tidied score, without its tie-break; `most` is how many there may be.

    >>> piece("6-4,3-6,7-6(5)", 3, 5)
    '7-6'
    """
    if most > 1:
        wide = text.replace(",", " " * WIDE)[WIDE * (k - 1) : WIDE * k]
        text = " ".join(part for part in wide.split(" ") if part)
    return text.partition("(")[0]


def set_won(text: str) -> int | None:
    """Return 1, 0 or -1 by who has more in a tidied score such as 21-15, None for what is none."""
    found = _SET.fullmatch(text)
    if found is None:
        return None
    own, other = int(found[1]), int(found[2])
    return (own > other) - (own < other)


def names() -> tuple[str, ...]:
    """Return the names of the profiles of the package."""
    folder = files("elo_sheets.profiles")
    return tuple(sorted(file.name.removesuffix(".toml") for file in folder.iterdir() if file.name.endswith(".toml")))


def profile(name: str) -> Profile:
    """Return a profile by its name, or by the path of its file.

    Raises `UsageError` for an unknown name, and for a file that says what no profile may say.
    """
    if name.endswith(".toml"):
        try:
            text = Path(name).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"{name}: expected a profile as a TOML file: {error}") from None
        return _profile(Path(name).stem, text, name)
    return _built_in(name)


@lru_cache
def _built_in(name: str) -> Profile:
    if name not in names():
        raise UsageError(f"expected a profile ({', '.join(names())}, {NONE}, or a TOML file), got {name!r}")
    return _profile(name, shipped_text(f"profiles/{name}.toml"), name)


def record(found: Profile) -> dict[str, Any]:
    """Return a profile as plain data: its words, the results that it offers, and what its books begin with."""
    return {
        **asdict(found.words),
        "sides": list(found.words.sides),
        "titles": list(found.words.titles),
        "results": list(found.words.offered),
        "system": found.system,
        "settings": dict(found.settings),
        "known": [list(headers) for headers in found.known],
    }


def _profile(name: str, text: str, place: str) -> Profile:
    try:
        said = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{place}: expected a profile as TOML: {error}") from None

    def refuse(what: str) -> None:
        raise UsageError(f"{place}: expected {what}")

    if unknown := sorted(said.keys() - _KEYS):
        refuse(f"one of {', '.join(sorted(_KEYS))}, got {unknown[0]}")
    sides, results = said.get("sides", ()), said.get("results", ())
    if not _are_words(sides, 2) or sides[0].lower() == sides[1].lower():
        refuse(f"sides = [first, other], two different words of at most {LONGEST_WORD} letters")
    if not _are_words(results, 3) or len({word.lower() for word in results}) < 3:
        refuse(
            f"results = [win, draw, loss] of the first side, three different words of at most {LONGEST_WORD} letters"
        )
    scores = said.get("scores", 0)
    if not isinstance(scores, int) or isinstance(scores, bool) or not 0 <= scores <= MOST_SETS:
        refuse(f"scores from 0 to {MOST_SETS}, how many scores a result may have")
    for name_of, otherwise in (("draws", True), ("goals", False)):
        if not isinstance(said.get(name_of, otherwise), bool):
            refuse(f"{name_of} = true or false")
    titles = said.get("titles", sides)
    if not _are_words(titles, 2):
        refuse("titles = [first, other], what the drop-downs of the sides are called")
    words = Words(
        name,
        str(said.get("title", name)),
        (sides[0], sides[1]),
        (titles[0], titles[1]),
        (results[0], results[1], results[2]),
        said.get("draws", True),
        scores,
        str(said.get("example", "3-1")),
        said.get("goals", False),
    )
    if scores and not words.outcome(words.example):
        refuse(f"an example of at most {scores} scores, such as 3-1, got {words.example}")
    _refuse_other_meanings(words, place)
    return Profile(words, str(said.get("system", "elo")), said.get("settings", {}), said.get("known", ()))


def _are_words(found: object, count: int) -> bool:
    return (
        isinstance(found, list)
        and len(found) == count
        and all(
            isinstance(w, str) and re.fullmatch(rf"[^\[\]#'@\",{{}}]{{1,{LONGEST_WORD}}}", w.strip()) for w in found
        )
    )


def _refuse_other_meanings(words: Words, place: str) -> None:
    """Raise `UsageError` for a word of a result that means another result everywhere else."""
    from elo_sheets.readers._results import spellings

    known = spellings()
    for word, score in zip(words.results, (1.0, 0.5, 0.0), strict=True):
        meant = known.get(word.lower())
        if meant is not None and meant.score != score:
            raise UsageError(f"{place}: {word!r} means another result in the logs that are read; take another word")


def as_option(words: Words) -> str:
    """Return words as the manifest of a book keeps them."""
    return json.dumps(asdict(words), ensure_ascii=False)


@lru_cache
def from_option(text: str) -> Words:
    """Return the words that the manifest of a book keeps."""
    said = json.loads(text)
    pairs: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in said.items()}
    return Words(**pairs)


def words_of(form: Mapping[str, Any]) -> Words:
    """Return the words of a book's form.

    A template that names its sides itself has cells for what both score, and takes no score as a result.
    """
    found: Words = form.get("words", CHESS)
    if "sides" not in form:
        return found
    first, other = form["sides"]
    if "words" not in form or found.sides == (first, other):
        return replace(found, sides=(first, other), scores=0)
    titles, results = (f"{first} team", f"{other} team"), (f"{first} win", "Draw", f"{other} win")
    return replace(found, sides=(first, other), titles=titles, results=results, scores=0)


def guessed(headers: Iterable[str]) -> tuple[Profile, Sequence[str]] | None:
    """Return the profile whose headers a log has, and which these are; None where they are those of no profile."""
    held = {re.sub(r"[^0-9a-z]", "", header.lower()): header for header in headers}
    found = [
        (len(known), name, known) for name in names() for known in profile(name).known if set(known) <= held.keys()
    ]
    if not found:
        return None
    _, name, known = min(found, key=lambda one: (-one[0], one[1]))
    return profile(name), [held[header] for header in known]
