"""The *games* table: one row a game, in the order of play.

`COLUMNS` is the contract: name, dtype and meaning of every column, the required ones first. Readers produce
it, `check_games` guards it at the border, and `in_order_of_play` is the one rule of order.
"""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, NamedTuple

from elo_sheets._late import np, pd
from elo_sheets._memory import MANY, give_back
from elo_sheets.errors import EloSheetsError, UsageError


class Column(NamedTuple):
    """One column of a table contract."""

    dtype: str
    meaning: str
    required: bool = False


COLUMNS: dict[str, Column] = {
    "game": Column("int64", "1, 2, …: the order of play", True),
    "date": Column("datetime64[ns]", "day of the game, with the time of day where the log knows it; NaT unknown", True),
    "white": Column("str", "White, the home or first-named side", True),
    "black": Column("str", "Black, the visiting or second-named side", True),
    "score": Column("float64", "White's score: 1, 0.5 or 0", True),
    "white_rating": Column("float64", "White's published rating before the game; NaN unknown"),
    "black_rating": Column("float64", "Black's published rating before the game; NaN unknown"),
    "white_rating_after": Column("float64", "White's published rating after the game; NaN unknown"),
    "black_rating_after": Column("float64", "Black's published rating after the game; NaN unknown"),
    "white_points": Column("float64", "goals or points of the first-named side"),
    "black_points": Column("float64", "goals or points of the second-named side"),
    "neutral": Column("boolean", "true on neutral ground"),
    "weight": Column("float64", "the game's weight or the points at stake, as the rating system says"),
    "handicap": Column("float64", "stones that White gives to Black"),
    "komi": Column("float64", "points that White gets for playing second"),
    "knockout": Column("boolean", "true in the knockout phase of a final competition"),
    "shootout": Column("float64", "1 if White won the shoot-out after a draw, -1 if Black did, 0 without one"),
    "season": Column("str", "season as printed, such as 1920 or 2024/25"),
    "pool": Column("str", "bullet, blitz, rapid, classical, a chess variant, or a competition"),
    "event": Column("str", "event, tournament or league"),
    "round": Column("str", "round as printed, such as 3 or 3.2"),
    "time_control": Column("str", "time control as printed"),
    "eco": Column("str", "ECO code of the opening"),
    "opening": Column("str", "name of the opening"),
    "termination": Column("str", "how the game ended, as printed"),
    "url": Column("str", "page of the game, as the log tells it"),
    "origin": Column("str", "file, row and page that a book of ours, which the log is, has the game from"),
    "source": Column("str", "file that the game came from", True),
    "source_row": Column("int64", "line of that file, from 1", True),
}

# What describes a game and no rule reads.
DESCRIBING = ("time_control", "eco", "opening", "termination", "url", "origin")

# Marks of direction, soft hyphens and others that show nothing; of the format characters of Unicode only joiners, the
# letters of flags and a few Arabic signs show.
INVISIBLE = re.compile("[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]")
JOINERS = re.compile("[\u200c\u200d]")
# A joiner at an end, beside a blank, or beside a letter before the Hebrew ones joins nothing.
JOINED = re.compile(r"(?:^|(?<=[\s\u0000-\u058f]))[\u200c\u200d]+|[\u200c\u200d]+(?=[\s\u0000-\u058f]|$)")

# What begins the name of a further column that a log's owner asked for, such as `column:week`.
OTHER = "column:"

# How the results of games are written.
RESULTS = {1.0: "1-0", 0.5: "1/2-1/2", 0.0: "0-1"}


@dataclass(frozen=True)
class Problem:
    """One row of the input that was kept out of the games, and why."""

    source: str
    row: int
    column: str
    value: str
    reason: str

    def __str__(self) -> str:
        where = f"{self.source}, row {self.row}"
        if self.column:
            where += f", {self.column} {self.value!r}"
        return f"{where}: {self.reason}"


class Counted:
    """The counts of what a reader found: `read == kept + rejected` always holds."""

    kept: int
    problems: list[Problem]

    @property
    def rejected(self) -> int:
        """Number of rows kept out."""
        return len(self.problems)

    @property
    def read(self) -> int:
        """Number of rows or games that the input holds."""
        return self.kept + self.rejected

    @property
    def counts(self) -> dict[str, int]:
        """The three counts, as JSON outputs hold them."""
        return {"read": self.read, "kept": self.kept, "rejected": self.rejected}


@dataclass(frozen=True)
class GamesRead(Counted):
    """What a reader found: the games, the rows kept out (one `Problem` each), and remarks on the whole log.

    `read == kept + rejected` always holds.
    """

    games: pd.DataFrame
    problems: list[Problem] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    # The headers of the columns of all logs that have any, as they are written.
    headers: list[str] = field(default_factory=list)

    def __repr__(self) -> str:
        return f"<{self.kept} games of {self.read} rows read>"

    def to_frame(self) -> pd.DataFrame:
        """Return the games."""
        return self.games

    def without_columns(self) -> GamesRead:
        """Return the same with a table of as many games that says nothing of them."""
        return replace(self, games=self.games.iloc[:, :0])

    @property
    def kept(self) -> int:  # type: ignore[override]
        """Number of games."""
        return len(self.games)


def clean_name(name: str) -> str:
    """Return a player's name in the one spelling that is compared and written.

    Unicode NFC, no characters that show nothing, every run of white space one blank, none at the ends. The joiner and
    the non-joiner stay where they shape what is read: between letters of scripts such as Arabic and Devanagari, and
    in emoji.

    >>> clean_name("  Bruno\\u00a0 Merola ")
    'Bruno Merola'
    """
    if name.isascii():
        return " ".join(name.split())
    return " ".join(JOINED.sub("", INVISIBLE.sub("", unicodedata.normalize("NFC", name))).split())


def identity(name: str) -> str:
    """Return what two spellings of one player share, by the rule that spreadsheets compare text with.

    Spreadsheets ignore case, so two players that differ in nothing else cannot live in one workbook; to some of them
    ß is ss, and joiners are nothing.

    >>> identity("ANN") == identity("Ann"), identity("Weiß") == identity("WEISS")
    (True, True)
    """
    name = clean_name(name)
    return name.lower() if name.isascii() else unicodedata.normalize("NFKC", JOINERS.sub("", name)).casefold()


def make_games(records: Iterable[dict[str, Any]] | pd.DataFrame) -> pd.DataFrame:
    """Return a games table from records in the log's order, put into the order of play and numbered.

    The records may be a table of them, in which texts may be categories. Columns without a single value are left out,
    unless they are required.
    """
    frame = records if isinstance(records, pd.DataFrame) else pd.DataFrame(list(records))
    # What is made of a column takes its place: where nobody else holds the records, both are held of one at a time.
    del records
    dated = _cast(_column(frame, "date"), _dtype("date"))
    # In this order while texts are still categories: they are small.
    order = _order_of_play(dated, _cast(frame["round"], "str") if _is_told(frame, "round") else None)
    table: dict[str, Any] = {"game": pd.Series(np.arange(1, len(frame) + 1, dtype="int64"))}
    others = [str(name) for name in frame.columns if str(name).startswith(OTHER)]
    wanted = [
        name
        for name in (*COLUMNS, *others)
        if name != "game" and (name in others or COLUMNS[name].required or _is_told(frame, name))
    ]
    columns = {name: _column(frame, name) for name in wanted} | {"date": dated}
    del frame, dated
    # Texts first: while they are made they take twice the memory that they have then.
    for name in sorted(wanted, key=lambda name: _dtype(name) != "str"):
        give_back(len(table["game"]))
        values: Any = columns.pop(name).array  # a series would take its index, too, 8 MB of a million
        values = pd.Series(values if order is None else values.take(order), index=table["game"].index, copy=False)
        table[name] = _cast(values, _dtype(name))
    return pd.DataFrame({name: table[name] for name in ("game", *wanted)}, copy=False)


def _is_told(frame: pd.DataFrame, name: str) -> bool:
    return name in frame and bool(frame[name].notna().any())


def _column(frame: pd.DataFrame, name: str) -> pd.Series[Any]:
    """Return a column as it stands there; one that is missing says nothing."""
    return frame[name] if name in frame else pd.Series([None] * len(frame), index=frame.index, dtype=object)


def _dtype(name: str) -> str:
    return COLUMNS[name].dtype if name in COLUMNS else "str"


def _cast(values: pd.Series[Any], dtype: Any) -> pd.Series[Any]:
    if dtype.startswith("datetime"):
        return (values if values.dtype.kind == "M" else pd.to_datetime(values)).astype(dtype)
    if dtype == "str" and isinstance(values.dtype, pd.CategoricalDtype):
        texts: Any = np.append(values.cat.categories.to_numpy(dtype=object), "")
        # Before pandas 3 texts are objects, each held once. Later pyarrow, where pandas finds it, writes it anew in
        # every row: not of many games.
        if pd.__version__ >= "3":
            many = len(values) >= MANY
            texts = pd.array(texts, dtype=pd.StringDtype("python", na_value=float("nan")) if many else "str")
        return pd.Series(texts.take(values.cat.codes.to_numpy()), index=values.index)
    if dtype == "str":
        return values.astype(object).where(values.notna(), "").astype(str)
    cast: pd.Series[Any] = values.astype(dtype)
    return cast


def in_order_of_play(games: pd.DataFrame) -> pd.DataFrame:
    """Return the games in the order of play, numbered from 1 in `game`.

    The rule: by date, then by round, then as the log has them. A game without a date keeps its place behind the
    game before it; of a round such as "3.2" the leading number counts, and a round without one keeps its place.
    Rounds order the games of one known day only: without dates, rounds of several events would mix.
    """
    order = _order_of_play(games["date"], games["round"] if "round" in games else None)
    return _numbered((games if order is None else games.iloc[order]).reset_index(drop=True))


def _order_of_play(dates: pd.Series[Any], rounds: pd.Series[Any] | None) -> Any:
    """Return the places of games in the order of play, None where they stand in it."""
    order = pd.DataFrame({"date": dates.ffill()}, index=dates.index)
    if rounds is None and order["date"].is_monotonic_increasing:
        return None
    if rounds is not None:
        codes, distinct = pd.factorize(rounds.astype(object).to_numpy(), use_na_sentinel=False)
        numbers = pd.Series(distinct).astype(str).str.extract(r"^\D*(\d+)")[0].astype(float)
        number = pd.Series(numbers.to_numpy()[codes], index=dates.index).where(dates.notna())
        order["round"] = number.groupby(order["date"], dropna=False).ffill().fillna(0)
    return _stable_order(order)


def _numbered(ordered: pd.DataFrame) -> pd.DataFrame:
    """Return games with their numbers."""
    ordered = ordered.drop(columns="game", errors="ignore")
    ordered.insert(0, "game", range(1, len(ordered) + 1))
    numbered: pd.DataFrame = ordered.astype({"game": "int64"})
    return numbered


def _stable_order(keys: pd.DataFrame) -> Any:
    positions = keys.reset_index(drop=True).sort_values(list(keys.columns), kind="stable", na_position="first")
    return positions.index.to_numpy()


def check_games(games: pd.DataFrame) -> pd.DataFrame:
    """Return `games` when it keeps the contract.

    Raises `EloSheetsError` that names the first missing or unknown column, the wrong dtype, or the first score
    that is not 1, 0.5 or 0.
    """
    for name, column in COLUMNS.items():
        if column.required and name not in games:
            raise EloSheetsError(f"expected a games table with the column {name!r} ({column.meaning})")
    for name in games.columns:
        if name not in COLUMNS and not name.startswith(OTHER):
            raise EloSheetsError(f"expected the columns of the games table, got {name!r}; drop or rename it")
    _check_rows(games)
    return games


def _check_rows(games: pd.DataFrame) -> None:
    alone = games.loc[games["white"] == games["black"]]
    if len(alone):
        row = alone.iloc[0]
        raise EloSheetsError(f"{row['white']!r} plays against himself ({row['source']}, row {row['source_row']})")
    strange = games.loc[~games["score"].isin([0.0, 0.5, 1.0])]
    if len(strange):
        row = strange.iloc[0]
        raise EloSheetsError(
            f"expected White's score 1, 0.5 or 0, got {row['score']!r} ({row['source']}, row {row['source_row']})"
        )


def players(games: pd.DataFrame) -> list[str]:
    """Return the players' names in the order in which they first play, White before Black."""
    return numbered_players(games)[1]


def numbered_players(games: pd.DataFrame) -> tuple[Any, list[str]]:
    """Return the players of each game by number, White's and Black's, and their names in the order of `players`.

    So many games at a time: of all at once pandas would make tables of their names, of 50 MB for a million.
    """
    numbers = np.empty((2, len(games)), "int32")
    known: dict[Any, int] = {}
    for begin in range(0, len(games), AT_ONCE):
        sides = [games[name].iloc[begin : begin + AT_ONCE].tolist() for name in ("white", "black")]
        for name in dict.fromkeys(chain.from_iterable(zip(*sides, strict=True))):
            known.setdefault(name, len(known))
        for row, names in zip(numbers, sides, strict=True):
            row[begin : begin + AT_ONCE] = [*map(known.__getitem__, names)]
    return numbers.T, [str(name) for name in known]


def find_player(games: pd.DataFrame, player: str) -> str:
    """Return the player's name as the games spell it; raises `UsageError` with the closest names."""
    return find_name(players(games), player)


# How many games are looked through at a time.
AT_ONCE = 10_000

# From which likeness on, from 0 to 1, a name is offered for another.
ALIKE = 0.5


def near_names(wanted: str, names: Iterable[str]) -> list[str]:
    """Return the names that come near one, nearest first: those that have all its words, else those alike in letters.

    Names as near as each other stand in the order in which people count.

    >>> near_names("ireland", ["iceland", "england", "northern ireland"])
    ['northern ireland']
    >>> near_names("team 1", ["team 149", "team 13", "team 3", "team 12"])
    ['team 12', 'team 13', 'team 149', 'team 3']
    """
    words = set(re.findall(r"\w+", wanted))
    compared = difflib.SequenceMatcher(b=wanted)
    found = []
    for name in names:
        compared.set_seq1(name)
        whole = bool(words) and words <= set(re.findall(r"\w+", name))
        if whole or (compared.quick_ratio() >= ALIKE and compared.ratio() >= ALIKE):
            counted = [(int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"(\d+)", name)]
            found.append((not whole, -compared.ratio(), counted, name))
    found.sort()
    if found and not found[0][0]:
        found = [one for one in found if not one[0]]
    return [name for *_, name in found]


def find_name(everyone: Sequence[str], player: str) -> str:
    """Return a name as a list of players spells it; raises `UsageError` with the closest names."""
    names = {identity(name): name for name in everyone}
    found = player if player in everyone else names.get(identity(player))
    if found is None:
        near = [names[key] for key in near_names(identity(player), names)[:3]]
        hint = f"; did you mean {' or '.join(near)}?" if near else ""
        raise UsageError(f"no game of {player!r} in the log{hint}")
    return found


def owner(games: pd.DataFrame) -> str:
    """Return the one player who plays in every game; raises `UsageError` when there is no such player."""
    first = games.iloc[0]
    everywhere = [
        name for name in (first["white"], first["black"]) if ((games["white"] == name) | (games["black"] == name)).all()
    ]
    if len(everywhere) != 1:
        raise UsageError("a journal is one player's: give --player NAME")
    return str(everywhere[0])
