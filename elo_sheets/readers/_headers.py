"""Blocks of PGN games as columns: each distinct value of a tag goes once through the functions that read one game.

A game is odd that is kept out, that is worth a remark of its own, or whose meaning hangs on more than the values that
are looked at here; `pgn` reads it by itself, line by line.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from elo_sheets._late import NDArray, np, pd
from elo_sheets._memory import give_back
from elo_sheets.readers._blocks import TOKENS, Block
from elo_sheets.readers._dates import read_clock
from elo_sheets.readers._spans import Known, Spans
from elo_sheets.readers._tables import coded, each_coded, narrow, packed, table_of
from elo_sheets.readers._tags import (
    CANONICAL,
    LONGEST_TITLE,
    NOTHING,
    TEXTS,
    Game,
    change_of,
    day_of,
    has_utc_date,
    is_chess_com,
    is_lichess,
    mate,
    not_rated,
    pool_of,
    printed_date,
    result_of,
)
from elo_sheets.readers._text import Reading, clean_names, identities, identity, missing_players, read_rating
from elo_sheets.readers._twice import server_link

if TYPE_CHECKING:
    Codes = NDArray[np.int64]
    Mask = NDArray[np.bool_]

ELSEWHERE = ("StudyName", "ChapterName", "BroadcastName")
LICHESS_GAME = b"https://lichess.org/"
LICHESS = "https://lichess.org"
IDENTIFIER = 8
SIDES = ("White", "Black")
LAYOUTS = 32
EPOCH = datetime(1970, 1, 1)
CODED = {**TEXTS, "termination": "Termination"}
# What reads the values that are mostly written in one way and mostly differ from game to game.
PLAIN = {"Site": "_sites", "UTCTime": "_clocks"}


class _Texts:
    """The distinct values of a tag, numbered from 0 for nothing, and `odd`, those of them that are odd."""

    def __init__(self, decode: Callable[[bytes], str]) -> None:
        self._decode = decode
        self.texts = [""]
        self.odd: set[int] = set()
        self._known = Known()
        self._meanings: dict[Any, Any] = {}

    def codes(self, spans: Spans, starts: Codes, ends: Codes) -> Codes:
        """Return the numbers of values, new ones among them."""
        return self._known.of(spans, starts, ends, self._add)

    def _add(self, new: list[bytes]) -> None:
        texts, odd = _sound(new, self._decode)
        self.odd |= {len(self.texts) + at for at in odd}
        self.texts += map(str.strip, texts)

    def meanings(self, meaning: Callable[[str], Any], dtype: Any) -> Any:
        """Return what each value means, asked once for each."""
        known = self._meanings.get(meaning)
        count = 0 if known is None else len(known)
        if count < len(self.texts):
            new = np.array([meaning(text) for text in self.texts[count:]], dtype=dtype)
            known = self._meanings[meaning] = new if known is None else np.concatenate([known, new])
        return known


class _Players(_Texts):
    """The names of players: the place of each among the clean ones, `names`, and who they are."""

    def __init__(self, decode: Callable[[bytes], str], keep_names: Set[str]) -> None:
        super().__init__(decode)
        self._keep = keep_names
        self.names: dict[str, int] = {}
        self._identities: dict[str, int] = {}
        self.places, self.keys = np.zeros((2, 0), dtype=np.int64)
        self._name(0)

    def _add(self, new: list[bytes]) -> None:
        count = len(self.texts)
        super()._add(new)
        self._name(count)

    def _name(self, count: int) -> None:
        names = clean_names(self.texts[count:])
        keys = identities(names)
        self.odd |= {count + at for at in missing_players(names, self._keep, keys, frozenset(keys))}
        self.places = np.append(self.places, [self.names.setdefault(name, len(self.names)) for name in names])
        self.keys = np.append(self.keys, [self._identities.setdefault(key, len(self._identities)) for key in keys])


@dataclass
class Rows:
    """The games of a block: columns of the games table by codes, which are odd, and which have a partial date."""

    columns: dict[str, Any]
    odd: Mask
    partial: Mask


class Headers:
    """The games of a log, block by block, as columns."""

    def __init__(self, decode: Callable[[bytes], str], keep_names: Set[str]) -> None:
        self._decode = decode
        self._players = _Players(decode, keep_names)
        self._texts: dict[str, _Texts] = {}
        self._layouts: list[list[bytes]] = []
        self._pools: dict[str, int] = {}
        self._known: dict[str, dict[tuple[Any, ...], Any]] = {}
        self._kept: list[dict[str, Any]] = []
        self.count = 0
        self.titles: list[tuple[int, str, str]] = []

    def read(self, block: Block) -> Rows:
        """Return the games of a block."""
        count = len(block)
        self._odd = ~block.plain
        self._codes: dict[str, Codes] = {}
        self._elsewhere = np.zeros(count, dtype=bool)
        self._links = np.zeros(count, dtype=np.int64)
        self._clock = np.zeros(count, dtype="timedelta64[s]")
        self._of_lichess = np.zeros(count, dtype=bool)
        places: dict[str, Codes] = {}
        for names, games, begin, end in self._by_layout(block):
            self._take(block, names, games, begin, end, places)
        for name, (starts, ends) in places.items():
            column = self._codes[name] = self._tag(name).codes(block.spans, starts, ends)
            if self._tag(name).odd:
                self._odd |= np.isin(column, list(self._tag(name).odd))
        columns = self._meaning(block)
        return Rows(columns, self._odd, self._partial & ~self._odd)

    # Tags as codes

    def _by_layout(self, block: Block) -> list[tuple[list[bytes], Codes, Codes, Codes]]:
        """Return the plain games by the names of their tags, with where the line of each tag of each game begins and
        ends; those of rare layouts are odd."""
        todo = np.flatnonzero(block.plain)
        found: list[tuple[list[bytes], Codes, Codes, Codes]] = []

        def take(names: list[bytes]) -> None:
            nonlocal todo
            games = todo[block.tags[todo] == len(names)]
            begin, end = block.tag_lines(games, len(names))
            fits = block.fits(begin, end, names)
            if not fits.all():
                games, begin, end = games[fits], begin[:, fits], end[:, fits]
            if len(games):
                found.append((names, games, begin, end))
                left = np.ones(len(block), dtype=bool)
                left[games] = False
                todo = todo[left[todo]]

        for names in self._layouts:
            if len(todo):
                take(names)
        for _ in range(LAYOUTS):
            if not len(todo):
                break
            names_of_first = block.tag_names(int(todo[0]))
            if names_of_first is None or not _usable(names_of_first):
                self._odd[todo[0]] = True
                todo = todo[1:]
            else:
                if len(self._layouts) < LAYOUTS:
                    self._layouts.append(names_of_first)
                before = len(todo)
                take(names_of_first)
                if len(todo) == before:
                    self._odd[todo[0]] = True
                    todo = todo[1:]
        self._odd[todo] = True
        found.sort(key=lambda one: -len(one[1]))
        return found

    def _take(
        self, block: Block, names: list[bytes], games: Codes, begin: Codes, end: Codes, places: dict[str, Codes]
    ) -> None:
        """Note where the values of the tags of games of one layout begin and end, for all games in `places`."""
        for number, raw in enumerate(names):
            name = CANONICAL.get(raw.lower())
            some, starts, ends = games, begin[number] + len(raw) + 3, end[number] - 2
            if name is None or name in ELSEWHERE:
                # They mean nothing here, but may hide another tag, or be worth a remark.
                self._elsewhere[games] |= name is not None
                self._odd[games[_sound(block.spans.texts(starts, ends), self._decode)[1]]] = True
                continue
            if name in PLAIN:
                plain = getattr(self, PLAIN[name])(block, games, starts, ends)
                if plain.all():
                    continue
                some, starts, ends = games[~plain], starts[~plain], ends[~plain]
            if name not in places:
                places[name] = np.zeros((2, len(self._odd)), dtype=np.int64)
            places[name][:, some] = starts, ends

    def _tag(self, name: str) -> _Texts:
        # Most days stand in two tags.
        name = "Date" if name == "UTCDate" else name
        if name not in self._texts:
            self._texts[name] = self._players if name in SIDES else _Texts(self._decode)
        return self._texts[name]

    def _sites(self, block: Block, games: Codes, starts: Codes, ends: Codes) -> Mask:
        """Note the addresses of games on Lichess, which are their numbers; tell which games have one."""
        plain: Mask = ends - starts == len(LICHESS_GAME) + IDENTIFIER
        for at in range(0, len(LICHESS_GAME), 4):
            part = int.from_bytes(LICHESS_GAME[at : at + 4], "little")
            plain &= (block.words(starts, at) & np.uint64(0xFFFFFFFF)) == np.uint64(part)
        number = block.words(starts, len(LICHESS_GAME))
        plain &= _alphanumeric()[number.view(np.uint8)].reshape(-1, IDENTIFIER).all(axis=1)
        self._links[games[plain]] = number[plain].view(np.int64)
        self._of_lichess[games[plain]] = True
        return plain

    def _clocks(self, block: Block, games: Codes, starts: Codes, ends: Codes) -> Mask:
        """Note the times of day of games, and tell which have one that is written in full."""
        text = block.words(starts).view(np.uint8).reshape(-1, 8)
        digit = text - np.uint8(ord("0"))
        plain: Mask = (ends - starts == 8) & (text[:, [2, 5]] == ord(":")).all(axis=1)
        plain &= (digit[:, [0, 1, 3, 4, 6, 7]] <= 9).all(axis=1)
        hours, minutes, seconds = (digit[:, at].astype(np.int64) * 10 + digit[:, at + 1] for at in (0, 3, 6))
        plain &= (hours < 24) & (minutes < 60) & (seconds < 60)
        clock = hours * 3600 + minutes * 60 + seconds
        self._clock[games[plain]] = clock[plain].astype("timedelta64[s]")
        return plain

    # Codes as games

    def _code(self, name: str) -> Codes:
        """Return the code of each game's value of a tag, 0 where it has none."""
        found = self._codes.get(name)
        return np.zeros(len(self._odd), dtype=np.int64) if found is None else found

    def _by_text(self, name: str, meaning: Callable[[str], Any], dtype: Any) -> Any:
        if name not in self._codes:
            return np.repeat(np.array([meaning("")], dtype=dtype), len(self._odd), axis=0)
        return self._tag(name).meanings(meaning, dtype)[self._code(name)]

    def _by_texts(
        self, key: str, names: Sequence[str], more: Sequence[Codes], meaning: Callable[..., Any], dtype: Any
    ) -> Any:
        """Return what the values of several tags and other codes mean together, asked once for each combination."""
        used = [name for name in names if name in self._codes]
        columns = [*(self._codes[name] for name in used), *more]
        mixed = np.zeros(len(self._odd), dtype=np.int64)
        for column in columns:
            mixed = mixed * (int(column.max(initial=0)) + 1) + column
            if len(columns) > 2:
                mixed = pd.factorize(mixed)[0]
        codes, distinct = pd.factorize(mixed)
        first = np.zeros(len(distinct), dtype=np.int64)
        first[codes[::-1]] = np.arange(len(codes))[::-1]
        known = self._known.setdefault(key, {})
        found = []
        for row in zip(*(column[first].tolist() for column in (*(self._code(n) for n in names), *more)), strict=True):
            if row not in known:
                texts = [self._tag(name).texts[code] for name, code in zip(names, row, strict=False)]
                known[row] = meaning(*texts, *row[len(names) :])
            found.append(known[row])
        return np.array(found, dtype=dtype)[codes]

    def _meaning(self, block: Block) -> dict[str, Any]:
        """Return the columns of the games table, and find the odd games."""
        players = (self._players.places, self._players.keys)
        (white, white_key), (black, black_key) = ([of[self._code(side)] for of in players] for side in SIDES)
        self._odd |= white_key == black_key
        if not {"White", "Black"} <= self._codes.keys():
            self._odd[:] = True
        lichess = (self._of_lichess | self._by_text("Site", _on_lichess, bool)) & ~self._elsewhere
        if "Annotator" in self._codes:
            lichess |= self._by_text("Annotator", _on_lichess, bool) & ~self._elsewhere
        self._odd |= self._by_text("Site", _on_chess_com, bool) | self._by_text("Link", _linked_to_chess_com, bool)
        of_lichess = lichess.astype(np.int64)
        for tag, refused in REFUSED.items():
            for one, games in zip(refused, (lichess, ~lichess), strict=True):
                if games.any():
                    self._odd |= games & self._by_text(tag, one, bool)
        columns: dict[str, Any] = {"date": self._dates(), "white": white, "black": black}
        columns["score"] = self._scores(block)
        columns |= self._ratings()
        for role, tag in CODED.items():
            columns[role] = self._code(tag)
        columns["pool"] = self._by_texts(
            "pool", ("Variant", "TimeControl", "Event"), [of_lichess], self._pool, np.int64
        )
        columns["link"] = self._link()
        return columns

    def _scores(self, block: Block) -> Any:
        score = self._by_texts("score", ("Result",), [block.results], _score, float)
        self._odd |= np.isnan(score)
        mated = block.mates
        for at in np.flatnonzero(np.isinf(mated) & ~self._odd).tolist():
            tail = block.uncommented_tail(at)
            won = mate(tail) if tail else None
            mated[at] = mated[at] if tail is None else float("nan") if won is None else won
        self._odd |= ~np.isnan(mated) & (mated != score)
        return score

    def _dates(self) -> Any:
        """Return when games began, and find the dates of which a part is unknown."""
        found = self._by_text("UTCDate", _day_of_greenwich, float)
        of_place = found[:, 3] == 0
        if of_place.any():
            found = np.where(of_place[:, np.newaxis], self._by_text("Date", _day, float), found)
        self._odd |= found[:, 1] > 0
        self._partial = found[:, 2] > 0
        known = ~np.isnan(found[:, 0])
        days = np.full(len(found), np.datetime64("NaT", "s"))
        days[known] = found[known, 0].astype(np.int64).astype("datetime64[s]")
        clock = self._clock
        if "UTCTime" in self._codes:
            clock = clock + self._by_text("UTCTime", _seconds, "timedelta64[s]")
        return np.where(found[:, 3] > 0, days + clock, days)

    def printed_date(self, game: int) -> str:
        """Return the date of a game as it stands there."""
        return printed_date({name: self._tag(name).texts[self._code(name)[game]] for name in ("UTCDate", "Date")})

    def _ratings(self) -> dict[str, Any]:
        ratings: dict[str, Any] = {}
        for side in SIDES:
            rating = self._by_text(f"{side}Elo", _rating, float)
            self._odd |= np.isinf(rating)
            ratings[f"{side.lower()}_rating"] = rating
            ratings[f"{side.lower()}_rating_after"] = rating + self._by_text(f"{side}RatingDiff", _change, float)
        return ratings

    def _pool(self, variant: str, control: str, event: str, lichess: int) -> int:
        site = LICHESS if lichess else ""
        pool = pool_of({"Variant": variant, "TimeControl": control, "Event": event, "Site": site})
        return -1 if pool is None else self._pools.setdefault(pool, len(self._pools))

    def _link(self) -> Codes:
        """Return the numbers by which Lichess knows games, 0 for none; other servers' links are odd."""
        links = self._links + self._by_text("Site", _link_number, np.int64)
        if "Link" in self._codes:
            links = np.where(self._code("Link") > 0, self._by_text("Link", _link_number, np.int64), links)
        self._odd |= links < 0
        found: Codes = links
        return found

    # Blocks as one table

    def keep(self, columns: dict[str, Any], games: Mask, lines: Codes, moves: Codes) -> None:
        """Keep those of a block's games; `lines` are where they begin, `moves` what tells of the end of their moves."""
        kept = {name: values[games] for name, values in columns.items()}
        for name in ("white", "black", "pool"):
            kept[name] = kept[name].astype(np.int32)
        for name, tag in CODED.items():
            kept[name] = kept[name].astype(np.int16 if len(self._tag(tag).texts) < 1 << 15 else np.int32)
        for name in ("score", *(name for name in kept if name.endswith(("_rating", "_after")))):
            kept[name] = narrow(kept[name])
        kept |= {"source_row": lines[games], "moves": moves[games]}
        self._kept.append(kept)
        self.count += int(games.sum())
        titles = [self._by_text(f"{side}Title", _title, object)[games] for side in SIDES]
        for at in np.flatnonzero((titles[0] != "") | (titles[1] != "")).tolist():
            for side, title in zip(SIDES, titles, strict=True):
                if title[at]:
                    name = self._players.texts[self._code(side)[games][at]]
                    self.titles.append((int(kept["source_row"][at]), identity(name), title[at]))

    def table(self) -> pd.DataFrame:
        """Return all games that were kept; texts are categories."""
        if not self._kept:
            return table_of([])
        table: dict[str, Any] = {}
        for name in list(self._kept[0]):
            give_back(self.count)
            values = np.concatenate([some.pop(name) for some in self._kept])
            if name in CODED:
                texts = self._tag(CODED[name]).texts
                places: dict[str, int] = {}
                said = [-1 if text in NOTHING else places.setdefault(text, len(places)) for text in texts]
                table[name] = coded(np.array(said, dtype=np.int32)[values], list(places))
            elif name == "pool":
                table[name] = coded(values, list(self._pools))
            elif name == "date":
                table[name] = values.astype("datetime64[ns]")
            elif not name.endswith(("_rating", "_after")) or not np.isnan(values).all():
                table[name] = values
        self._kept.clear()
        both = each_coded([table["white"], table["black"]], list(self._players.names))
        table |= zip(("white", "black"), both, strict=True)
        return pd.DataFrame(table, copy=False)


# What one value means


def _refused(tag: str, site: str) -> Callable[[str], bool]:
    def refused(text: str) -> bool:
        # A name before the word may be taken away, and what is left be another ending.
        return not_rated({tag: text, "Site": site}, "", "") is not None or (tag == "Termination" and " won" in text)

    return refused


# Whether a text keeps a game out that was played on Lichess, and one that was not.
REFUSED = {tag: (_refused(tag, LICHESS), _refused(tag, "")) for tag in ("Event", "Termination", "Rated")}


def _score(printed: str, token: int) -> float:
    found = Reading()
    result = result_of(Game(0, {"Result": printed}, b" " + TOKENS[token]), found)
    return float("nan") if result.score is None or found.all_notes() else result.score


def _day(text: str, tag: str = "Date") -> tuple[float, float, float, float]:
    """Return the day in seconds, whether it is odd, whether it is partial, and whether it is that of Greenwich."""
    tags = {tag: text}
    try:
        day, partial = day_of(tags)
    except ValueError:
        return float("nan"), 1.0, 0.0, has_utc_date(tags)
    seconds = float("nan") if day is None else (day - EPOCH).total_seconds()
    return seconds, 0.0, partial, has_utc_date(tags)


def _day_of_greenwich(text: str) -> tuple[float, float, float, float]:
    return _day(text, "UTCDate")


def _seconds(text: str) -> int:
    clock = read_clock(text)
    return 0 if clock is None else round(clock.total_seconds())


def _rating(text: str) -> float:
    try:
        found = read_rating(text)
    except ValueError:
        return float("inf")
    return float("nan") if found is None else found


def _change(text: str) -> float:
    found = change_of(text)
    return float("nan") if found is None else found


def _title(text: str) -> str:
    return "" if text in NOTHING or len(text) > LONGEST_TITLE else text


def _on_lichess(text: str) -> bool:
    return is_lichess({"Site": text})


def _on_chess_com(text: str) -> bool:
    return is_chess_com({"Site": text})


def _linked_to_chess_com(text: str) -> bool:
    return is_chess_com({"Link": text})


def _link_number(text: str) -> int:
    return packed(server_link(text))


def _sound(values: Sequence[bytes], decode: Callable[[bytes], str]) -> tuple[list[str], list[int]]:
    """Return values as texts, and the places of those that are odd: empty ones stand there."""
    joined = b"\n".join(values)
    try:
        texts = decode(joined).split("\n") if b'"' not in joined and b"\\" not in joined else []
    except UnicodeDecodeError:
        texts = []
    if len(texts) == len(values):
        return texts, []
    if len(values) < 2:
        return ["" for _ in values], list(range(len(values)))
    found = [_sound([value], decode) for value in values]
    return [text for texts, _ in found for text in texts], [at for at, (_, odd) in enumerate(found) if odd]


def _usable(names: Sequence[bytes]) -> bool:
    """Tell whether games of these tags have none of them twice."""
    known = [CANONICAL.get(name.lower()) or name.decode() for name in names]
    return len(set(known)) == len(known)


@lru_cache(maxsize=1)
def _alphanumeric() -> Any:
    return np.array([chr(byte).isalnum() and byte < 128 for byte in range(256)])
