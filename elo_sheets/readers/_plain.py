"""Rows of delimited text in which nothing is odd, all at once: each distinct text goes through one row's functions.

A row is odd that is kept out, that is worth a remark, or whose meaning hangs on more than its own texts; `record_of`
reads it by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from elo_sheets._late import NDArray, np, pd
from elo_sheets.games import OTHER
from elo_sheets.readers._cells import Cells, Column, Texts
from elo_sheets.readers._dates import is_partial, read_clock
from elo_sheets.readers._layout import SCORE_TEXT
from elo_sheets.readers._results import number
from elo_sheets.readers._rows import (
    BLANK_TEXT,
    FLAGS,
    JOURNAL_RATINGS,
    NUMBERS,
    PLAIN_NUMBER,
    PLAYED,
    RATING_ROLES,
    TEXTS,
    Columns,
    RefusedError,
    scored,
    sides,
    told_text,
)
from elo_sheets.readers._tables import Numbers, coded, each_coded
from elo_sheets.readers._text import YES_NO, clean_name, identity, missing_players, read_rating

if TYPE_CHECKING:
    Mask = NDArray[np.bool_]

DECIDING = (SCORE_TEXT, "score", "winner", "draw", "white_points", "black_points", "colour")


def plain_rows(cells: Cells, columns: Columns) -> tuple[pd.DataFrame, Mask]:
    """Return the games of the rows in which nothing is odd, and which rows are odd."""
    plain = _Plain(cells, columns)
    table = plain.table()
    return table[~plain.odd].reset_index(drop=True) if plain.odd.any() else table, plain.odd


class _Plain:
    """The columns of the games table, and the rows that turn out to be odd."""

    def __init__(self, cells: Cells, columns: Columns) -> None:
        self.cells, self.columns, self.roles = cells, columns, columns.layout.roles
        self.odd: Mask = np.zeros(len(cells), dtype=bool)

    def table(self) -> pd.DataFrame:
        """Return the games of all rows; what stands in odd ones means nothing."""
        first, second = sides(self.columns.layout)
        keys, names = Numbers(), Numbers()
        white, white_key = self._players(first, names, keys)
        black, black_key = self._players(second, names, keys)
        self.odd |= white_key == black_key
        for role in PLAYED.keys() & self.roles.keys():
            self.odd |= self._by_text(role, PLAYED[role], bool)
        score, points, shootout, turned = self._scores(white_key, black_key, keys)
        if first != "winner" and {"score", "winner"} <= self.roles.keys():
            own = np.where(turned, 1 - score, score)
            won = self._by_text("winner", lambda text: keys.places.get(identity(text), -1), np.int64)
            said = self._by_text("winner", self._winners_score, float)
            white_won, black_won = (won == white_key) | (said == 1), (won == black_key) | (said == 0)
            self.odd |= (white_won & (own == 0)) | (black_won & (own == 1))
        known = names.texts
        table: dict[str, Any] = {"date": self._dates()}
        both = [np.where(turned, black, white), np.where(turned, white, black)] if turned.any() else [white, black]
        table["white"], table["black"] = each_coded(both, known)
        table["score"] = score
        if not np.isnan(points).all():
            table["white_points"], table["black_points"] = points
        if shootout.any():
            table["shootout"] = shootout
        table |= self._ratings(turned) | self._texts() | self._flags() | self._numbers()
        if "shootout" in self.roles:
            self.odd |= self._by_text("shootout", lambda text: text.casefold() not in BLANK_TEXT, bool)
        for name, at in self.columns.telling.items():
            table[name] = _categories(self.cells.columns[at], partial(_told, name))
        table["source_row"] = self.cells.lines
        return pd.DataFrame(table)

    def _winners_score(self, text: str) -> float:
        """Return White's score by a winner who is named by his side, `nan` for another text."""
        score = self.columns.results[f"winner\0{text}"].score
        return float("nan") if score is None else score

    def _column(self, role: str) -> Column:
        column = self.cells.columns[self.roles[role]]
        return column if role in sides(self.columns.layout) else column.alone()

    def _by_text(self, role: str, meaning: Callable[[str], Any], dtype: Any) -> Any:
        """Return what each row's text of a role means."""
        column = self._column(role)
        return np.array([meaning(text) for text in column.texts], dtype=dtype)[column.codes]

    def _players(self, role: str, names: Numbers, keys: Numbers) -> tuple[Any, Any]:
        """Return which name and which identity each row has on one side, by their places in `names` and `keys`."""
        if role == "owner" and role not in self.roles:
            column = Column(np.zeros(len(self.cells), dtype=np.int64), Texts([self.columns.player or ""]))
        else:
            column = self._column(role)
        texts = column.texts
        if missing := missing_players(texts.names, self.columns.keep_names, texts.keys, texts.known):
            self.odd |= np.isin(column.codes, missing)
        name = names.of(texts.names, texts.names is texts)
        return name[column.codes], keys.of(texts.keys, len(texts.known) == len(texts))[column.codes]

    def _scores(self, white: Any, black: Any, keys: Numbers) -> tuple[Any, Any, Any, Any]:
        """Return White's scores, both sides' points, shoot-outs, and where a journal's owner had Black."""
        idle = {"winner"} if "score" in self.roles else set()
        idle |= {*sides(self.columns.layout)}
        deciding = [role for role in DECIDING if role in self.roles and role not in idle]
        codes = np.zeros(len(self.cells), dtype=np.int64)
        for place, role in enumerate(deciding):
            column = self._column(role)
            own, count = column.codes, len(column.texts)
            if role == ("score" if "score" in self.roles else "winner"):
                own, count = self._results(role, column, white, black, keys)
            codes = pd.factorize(codes * count + own)[0] if place else own
        first = np.zeros(codes.max(initial=-1) + 1, dtype=np.int64)
        first[codes[::-1]] = np.arange(len(codes))[::-1]
        found = np.array([self._score(at) for at in first.tolist()], dtype=float).reshape(-1, 6).T
        self.odd |= found[5].take(codes) > 0
        score, shootout, turned = (found[at].take(codes) for at in (0, 3, 4))
        return score, found[1:3].take(codes, axis=1), shootout, turned > 0

    def _results(self, role: str, column: Column, white: Any, black: Any, keys: Numbers) -> tuple[Any, int]:
        """Return a column of results as codes in which a winner's name is one of two: White's or Black's."""
        count = len(column.texts)
        if self.columns.names:
            winner = np.array(
                [keys.places.get(identity(text), -1) if text else -1 for text in column.texts], dtype=np.int64
            )
            winner = winner[column.codes]
            codes = np.where(winner == white, count, np.where(winner == black, count + 1, column.codes))
            return codes, count + 2
        results = self.columns.results
        if "winner" not in sides(self.columns.layout):
            open_ = [bool(text) and results[f"{role}\0{text}"].score is None for text in column.texts]
            self.odd |= np.array(open_, dtype=bool)[column.codes]
        return column.codes, count

    def _score(self, at: int) -> tuple[float, ...]:
        """Return score, points, shoot-out, whether the owner had Black and whether it is odd, for all rows like one."""
        row = self.cells.row(at)

        def cell(role: str) -> str:
            return row.cells[self.roles[role]] if role in self.roles else ""

        nothing = float("nan")
        first, second = sides(self.columns.layout)
        owner = self.columns.player or ""
        white = clean_name(owner if first == "owner" and first not in self.roles else cell(first))
        try:
            result, turned = scored(self.columns, cell, white, clean_name(cell(second)))
        except RefusedError:
            return nothing, nothing, nothing, 0.0, 0.0, 1.0
        score = nothing if result.score is None else result.score
        return score, *(result.points or (nothing, nothing)), result.shootout, float(turned), 0.0

    def _dates(self) -> Any:
        """Return the days, with the time of day where the log has it."""
        nothing = np.datetime64("NaT", "s")
        if "date" not in self.roles:
            return np.full(len(self.cells), nothing).astype("datetime64[ns]")
        column = self._column("date")
        days = [self.columns.days[text] for text in column.texts]
        odd = [
            isinstance(day, str) or (day is None and is_partial(text) and any(c.isdecimal() for c in text))
            for text, day in zip(column.texts, days, strict=True)
        ]
        self.odd |= np.array(odd, dtype=bool)[column.codes]
        known: Any = [day if isinstance(day, datetime) else None for day in days]
        told = pd.to_datetime(known).to_numpy().astype("datetime64[s]")
        if "time" not in self.roles:
            return told.astype("datetime64[ns]")[column.codes]
        found = told[column.codes]
        bare = [isinstance(day, datetime) and day.hour == day.minute == 0 for day in days]
        clocks = self._by_text("time", lambda text: read_clock(text) or np.timedelta64(0, "s"), "timedelta64[s]")
        return np.where(np.array(bare, dtype=bool)[column.codes], found + clocks, found).astype("datetime64[ns]")

    def _ratings(self, turned: Mask) -> dict[str, Any]:
        def rating(text: str) -> float:
            try:
                found = read_rating(text)
            except ValueError:
                return float("inf")
            return float("nan") if found is None else found

        ratings: dict[str, Any] = {}
        targets = {role: (role, role) for role in RATING_ROLES} | JOURNAL_RATINGS
        for role, (target, when_turned) in targets.items():
            if role not in self.roles:
                continue
            values = self._by_text(role, rating, float)
            self.odd |= np.isinf(values)
            for name, rows in ((target, ~turned), (when_turned, turned)):
                told = rows & ~np.isnan(values)
                if told.any():
                    column = ratings.setdefault(name, np.full(len(values), np.nan))
                    column[told] = values[told]
        return ratings

    def _texts(self) -> dict[str, Any]:
        def text_of(text: str) -> str | None:
            text = " ".join(text.split())
            return None if text.casefold() in BLANK_TEXT else text

        found = {role: _categories(self._column(role), text_of) for role in TEXTS if role in self.roles}
        others = (role for role in self.roles if role.startswith(OTHER))
        return found | {role: _categories(self._column(role), lambda text: " ".join(text.split())) for role in others}

    def _flags(self) -> dict[str, Any]:
        found = {}
        for role in FLAGS:
            if role in self.roles:
                flags = self._by_text(role, lambda text: YES_NO.get(text.casefold()), object)
                strange = self._by_text(
                    role, lambda text: text.casefold() not in YES_NO and text.casefold() not in BLANK_TEXT, bool
                )
                self.odd |= strange
                found[role] = flags
        return found

    def _numbers(self) -> dict[str, Any]:
        def value(text: str) -> float:
            if text.casefold() in BLANK_TEXT:
                return float("nan")
            return number(text) if PLAIN_NUMBER.fullmatch(text) else float("inf")

        found = {}
        for role in NUMBERS:
            if role in self.roles:
                found[role] = self._by_text(role, value, float)
                self.odd |= np.isinf(found[role])
        return found


def _told(name: str, text: str) -> str | None:
    return told_text(name, text) or None


def _categories(column: Column, meaning: Callable[[str], str | None]) -> Any:
    """Return a column of texts by what they say, None for nothing."""
    places: dict[str, int] = {}
    said: Sequence[str | None] = [meaning(text) for text in column.texts]
    codes = np.array([-1 if text is None else places.setdefault(text, len(places)) for text in said], dtype=np.int64)
    return coded(codes[column.codes], list(places))
