"""What the readers share: a reading, remarks that are counted, decoding, names, ratings, yes and no."""

from __future__ import annotations

import codecs
import difflib
import re
import shlex
from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass, field
from encodings.aliases import aliases
from functools import lru_cache
from typing import Any

from elo_sheets._late import np, pd
from elo_sheets.errors import UnreadableInput, UsageError
from elo_sheets.games import Problem
from elo_sheets.games import clean_name as _clean_name
from elo_sheets.games import identity as _identity
from elo_sheets.readers._encodings import WINDOWS, guessed
from elo_sheets.readers._said import BYES
from elo_sheets.readers._spans import Spans
from elo_sheets.readers._words import table
from elo_sheets.shipped import shipped_data

Record = dict[str, Any]

# A log names few players many times.
clean_name = lru_cache(maxsize=1 << 18)(_clean_name)
identity = lru_cache(maxsize=1 << 18)(_identity)

MISSING_PLAYER = "a player's name is missing"
# What a formula of a spreadsheet says when it fails.
ERRORS = frozenset("#n/a #ref! #value! #name? #div/0! #null! #num! #spill! #calc! err:502 err:504 err:508".split())
NOBODY = frozenset({"", "?", "nn", "n.n.", "n.n", "n n", "n. n.", "n, n", "n., n.", "n/a", "n.a."} | ERRORS)
# What programs write for nothing, by case: Nan, Null and Na are people's names.
PLACEHOLDERS = frozenset("- -- – — nan NaN NAN na NA <NA> null NULL none None NONE NaT".split())
# What people put around a bye: (bye), * BYE *.
AROUND = {"(": ")", "[": "]", "<": ">"} | {
    sign: sign[::-1] for sign in ("*", "-", "**", "--", "* ", "- ", "** ", "-- ")
}
BYE_NAMES = BYES | {"wolny los"} | {f"{before}{bye}{behind}" for before, behind in AROUND.items() for bye in BYES}
# What any of them is without regard to case.
NAMELESS = NOBODY | BYE_NAMES | {name.casefold() for name in PLACEHOLDERS}
# A blank at an end of an ASCII name, two blanks, or another one than the plain blank.
UNCLEAN = re.compile("^ | $|  |[\t-\r\x1c-\x1f]")
# What a line of an ASCII name and the end of it may hold.
PLAIN = bytes([*range(ord(" "), 127), ord("\n")])

YES_NO = dict.fromkeys(table("cells")["yes"], True) | dict.fromkeys(table("cells")["no"], False)

NO_RATING = frozenset({"", *table("cells")["no_rating"]})
RATING = re.compile(r"(\d{1,5}(?:[.,]\d+)?)\s*(?:\?|\*|p\d*|/\d+)?", re.I)
THOUSANDS = re.compile(r"\d,\d{3}")

BOMS: tuple[tuple[bytes, str], ...] = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
CONTROL = re.compile("[\x00-\x08\x0b\x0e-\x19\x1b-\x1f\x7f]")
READ_AS = "read as"
WRONG_BYTE = re.compile("[\udc80-\udcff]")
SHOWN = 10

REMARKS: dict[str, list[str]] = shipped_data("readers/remarks.toml")


@dataclass
class Reading:
    """What one log holds: games, as records or as a `table` of `_tables`, the rows kept out, and remarks."""

    records: list[Record] = field(default_factory=list)
    table: pd.DataFrame | None = None
    # What tells the last moves of games of the `table`, by the numbers that stand in its column `moves`.
    moves: Callable[[Sequence[int]], list[str]] | None = None
    problems: list[Problem] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    # Who takes part, and the pairings that gave points without a game, as a tournament report tells them.
    entrants: list[Record] = field(default_factory=list)
    unplayed: list[Record] = field(default_factory=list)
    # What a report says of the tournament: place, arbiter and last day, as far as it does.
    tournament: Record = field(default_factory=dict)
    # Players' titles, and their ids as columns of the games tell them, by `identity` of the name.
    titles: dict[str, str] = field(default_factory=dict)
    ids: dict[str, str] = field(default_factory=dict)
    # The headers of the log's columns, as far as it has any.
    headers: list[str] = field(default_factory=list)
    # The logs whose rows have a player and an opponent, by their names.
    by_player: set[str] = field(default_factory=set)
    # The logs that name winners and no scores, each with that column and whether it speaks of shoot-outs.
    winners: dict[str, tuple[str, bool]] = field(default_factory=dict)
    _counted: dict[str, tuple[int, str]] = field(default_factory=dict)

    @property
    def kept(self) -> int:
        """Number of games so far."""
        return len(self.records) if self.table is None else len(self.table)

    @property
    def read(self) -> int:
        """Number of rows or games seen so far."""
        return self.kept + len(self.problems)

    def taken(self) -> pd.DataFrame:
        """Return the table, which is held here no longer."""
        table, self.table = self.table, None
        assert table is not None
        return table

    def add(self, other: Reading, prefix: str = "") -> None:
        """Take over all that another log tells but its games; `prefix` says in the remarks whose they are."""
        self.problems += other.problems
        self.titles |= other.titles
        self.by_player |= other.by_player
        self.winners |= other.winners
        self.headers += [header for header in other.headers if header not in self.headers]
        self.entrants += other.entrants
        self.unplayed += other.unplayed
        self.tournament |= other.tournament
        self.ids |= other.ids
        self.notes += [said for note in other.all_notes() if (said := prefix + note) not in self.notes]

    def remark(self, kind: str, example: str) -> None:
        """Count one more remark of a kind that `REMARKS` words; the first example is shown."""
        count, first = self._counted.get(kind, (0, example))
        self._counted[kind] = (count + 1, first)

    def all_notes(self) -> list[str]:
        """Return the remarks as sentences, each kind once."""
        counted = [
            REMARKS[kind][count > 1].format(count=count, first=first) for kind, (count, first) in self._counted.items()
        ]
        return self.notes + counted


def words(text: str) -> frozenset[str]:
    """Return the words of a text, for the tables of synonyms."""
    return frozenset(text.split())


def bom_encoding(head: bytes) -> str | None:
    """Return the encoding that a byte order mark declares, None without one."""
    return next((name for bom, name in BOMS if head.startswith(bom)), None)


def check_encoding(encoding: str | None) -> None:
    """Raise `UsageError` when Python knows no text encoding of that name."""
    if encoding is None:
        return
    try:
        "".encode(encoding)
    except LookupError:
        known = sorted(set(aliases.values()))
        raise UsageError(
            f"expected the name of an encoding, got {encoding!r}; common ones are utf-8, cp1252, "
            f"cp1251 and utf-16{did_you_mean(encoding, known)}"
        ) from None


def decode(data: bytes, encoding: str | None, source: str) -> tuple[str, list[str]]:
    """Return the text of a whole file and remarks on how it was decoded.

    A byte order mark comes first, then strict UTF-8, then UTF-8 in which fewer bytes are wrong than letters are right,
    then what the letters say (`_encodings`), with a remark. A wrong byte among UTF-8 is read as Windows-1252 and its
    line named. Raises `UnreadableInput` when the bytes fit none of them, or do not fit the `encoding` asked for.
    """
    chosen = encoding or bom_encoding(data) or "utf-8"
    try:
        return data.decode(chosen).removeprefix("\ufeff"), []
    except UnicodeError as error:
        where = getattr(error, "start", 0)
        line = data.count(b"\n", 0, where) + 1
        if encoding or bom_encoding(data):
            raise UnreadableInput(
                f"expected text in {chosen}, got bytes that are none ({source}, line {line}); give another --encoding"
            ) from None
    mended, lines = mend(data)
    if lines:
        one = len(lines) == 1
        rows = ", ".join(map(str, lines[:SHOWN])) + (f" and {len(lines) - SHOWN} more" if len(lines) > SHOWN else "")
        return mended, [
            f"{'1 row has' if one else f'{len(lines)} rows have'} bytes that are not UTF-8, read as {WINDOWS}: "
            f"row{'' if one else 's'} {rows}; give --encoding if names look wrong"
        ]
    found = guessed(data)
    try:
        text = data.decode(found)
    except UnicodeError:
        text = "\x00"
    if CONTROL.search(text):
        raise UnreadableInput(
            f"expected UTF-8 text, got other bytes ({source}, line {line}); save it as UTF-8, or name its "
            f"encoding, "
            "such as --encoding cp1251"
        )
    return text, [f"{READ_AS} {found}: give --encoding if names look wrong"]


def mend(data: bytes) -> tuple[str, list[int]]:
    """Return UTF-8 text with its wrong bytes read as Windows-1252, and their lines, counted from 1.

    There are no lines where more bytes are wrong than letters are right: that is no UTF-8, in which letters beyond
    ASCII do not come about by chance.
    """
    text = data.decode("utf-8", "surrogateescape")
    wrong = WRONG_BYTE.findall(text)
    if 2 * len(wrong) > sum(not letter.isascii() for letter in text):
        return text, []
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return WRONG_BYTE.sub(_in_windows, text), [at for at, line in enumerate(lines, 1) if WRONG_BYTE.search(line)]


def _in_windows(wrong: re.Match[str]) -> str:
    byte = wrong[0].encode("utf-8", "surrogateescape")
    try:
        return byte.decode("cp1252")
    except UnicodeError:
        return byte.decode("latin-1")


def missing_player(name: str, keep: Set[str] = frozenset()) -> str:
    """Return why `name` stands for no player, or nothing when it is a name, or one of those to `keep`."""
    plain = name.casefold()
    if name in keep and name:
        return ""
    if not name or plain in BYE_NAMES:
        return "a bye: no game was played" if name else MISSING_PLAYER
    if plain in NOBODY or name in PLACEHOLDERS:
        return f"{MISSING_PLAYER}; if {name!r} is a player, give --keep-name {shlex.quote(name)}"
    return ""


def clean_names(names: Sequence[str]) -> Sequence[str]:
    """Return names as `clean_name` gives each, many at once: these themselves where all are clean."""
    joined = "\n".join(names)
    if not joined.isascii():
        return [name if name.isascii() and not UNCLEAN.search(name) else clean_name(name) for name in names]
    if joined.count("\n") == len(names) - 1 and are_clean(joined.encode()):
        return names
    return list(map(clean_name, names))


def are_clean(lines: bytes) -> bool:
    """Tell whether each of the lines is a clean name of ASCII."""
    if not lines.isascii() or lines.translate(None, PLAIN):
        return False
    signs = np.frombuffer(b"\n%b\n" % lines, dtype=np.uint8)
    blank = signs == ord(" ")
    beside = blank | (signs == ord("\n"))
    return not ((blank[1:] & beside[:-1]) | (blank[:-1] & beside[1:])).any()


def identities(names: Sequence[str]) -> list[str]:
    """Return what `identity` gives of each clean name, many at once."""
    return each(names, str.lower, identity)


def numbered(names: Sequence[str], of_lines: Callable[[bytes], bytes], of_one: Callable[[str], str]) -> Any:
    """Return numbers from 0 on that are the same for names of which `of_one` makes the same.

    `of_lines` makes the same of ASCII names, a line each, at once.
    """
    lines = "\n".join(names)
    if lines.isascii():
        spans = Spans(of_lines(lines.encode()) + b"\n")
        ends = np.flatnonzero(spans.bytes == ord("\n"))
        if len(ends) == len(names):
            return spans.numbered(np.append(0, ends[:-1] + 1), ends)[0]
    made = each(names, lambda some: of_lines(some.encode()).decode(), of_one)
    return pd.factorize(np.array(made, dtype=object))[0]


def each(names: Sequence[str], of_lines: Callable[[str], str], of_one: Callable[[str], str]) -> list[str]:
    """Return what `of_one` makes of each name; `of_lines` makes the same of ASCII names, a line each, at once."""
    plain = "\n".join(names)
    if plain.isascii():
        found = of_lines(plain).split("\n")
        return found if len(found) == len(names) else list(map(of_one, names))
    places = [at for at, name in enumerate(names) if name.isascii()]
    made = each([names[at] for at in places], of_lines, of_one) if places else []
    known = dict(zip(places, made, strict=True))
    return [known[at] if at in known else of_one(name) for at, name in enumerate(names)]


def missing_players(names: Sequence[str], keep: Set[str], keys: Sequence[str], known: Set[str]) -> list[int]:
    """Return the places of clean names that stand for no player; `keys` are their `identities`, `known` all of them."""
    is_ascii = "".join(names).isascii()
    plain = keys if is_ascii else each(names, str.lower, str.casefold)
    if NAMELESS.isdisjoint(known if is_ascii else plain):
        return []
    return [at for at, name in enumerate(names) if plain[at] in NAMELESS and missing_player(name, keep)]


def read_rating(text: str) -> float | None:
    """Return a published rating, None when there is none; a mark for provisional ratings is dropped.

    Raises `ValueError` when the text is neither.

    >>> read_rating("1500?")
    1500.0
    """
    text = text.strip()
    if text.casefold() in NO_RATING:
        return None
    found = RATING.fullmatch(text.replace(",", "") if THOUSANDS.fullmatch(text) else text)
    if found is None:
        raise ValueError(f"expected a rating such as 1500, got {text!r}")
    return float(found[1].replace(",", ".")) or None


def did_you_mean(word: str, known: list[str]) -> str:
    """Return a suggestion of the closest known words, or nothing.

    >>> did_you_mean("scor", ["score", "white"])
    "; did you mean 'score'?"
    """
    plain = {name.casefold(): name for name in known}
    close = difflib.get_close_matches(word.casefold(), list(plain), n=3, cutoff=0.6)
    return f"; did you mean {' or '.join(repr(plain[name]) for name in close)}?" if close else ""
