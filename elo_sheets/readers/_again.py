"""The rows that may tell of a game that another row tells of, as columns.

Only those that may be one game become objects, by which `_twice` judges; most players who meet again on a day play
another game, and that is seen for all of them at once. So are two results of one day.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

from elo_sheets._late import NDArray, np, pd
from elo_sheets.readers._names import alike_from_afar
from elo_sheets.readers._tables import SIDES, categories, spelled, unpacked
from elo_sheets.readers._text import identity, numbered
from elo_sheets.readers._twice import DESCRIBED, MORE, NUMBERED, RESULT, SCORES, Habits, Told

if TYPE_CHECKING:
    Mask = NDArray[np.bool_]
    Codes = NDArray[np.int64]

Moves = Callable[[Sequence[int]], list[str]]

# Stands for an unknown day among days counted from 1970.
UNKNOWN = 1 << 19
CORE = RESULT | {"date", "white", "black", "round", "event"}
A_DAY = 86_400 * 10**9


class Again:
    """Rows that have a number that another row has, two players who meet again that day, or, without a day, all that
    another row tells."""

    def __init__(self, table: pd.DataFrame, players: Identities, logs: Codes, moves: Sequence[Moves | None]) -> None:
        """Find them among the rows of all logs; `moves` tell the last moves where the table has numbers for them."""
        white, black = (players.of(table[side]) for side in SIDES)
        count = players.count
        pairs = np.minimum(white, black).astype(np.int64)
        pairs *= count
        pairs += np.maximum(white, black)
        if count >= 1 << 21:  # so that pairs and days fit into one number
            pairs = pd.factorize(pairs)[0]
        dated = table["date"].notna().to_numpy()
        days = np.where(dated, _moments(table) // A_DAY, UNKNOWN).astype(np.int32)
        meetings = pairs * (2 * UNKNOWN)
        meetings += days
        found = _repeated(meetings)
        if "link" in table:
            if _told(table["link"]).all():
                # Games with links of their own are different ones; of two logs, what else differs is worth a remark.
                found &= _in_several(meetings, logs)
            found |= _repeated_links(table["link"])
        at = np.flatnonzero(found)
        some = _in_words(table.iloc[at], logs[at], meetings[at], moves)
        telling = table.columns.difference(["source", "source_row", "origin"])
        undated = ~dated[at]
        if undated.any():
            alone = undated.copy()
            core = _of_a_game(some) if "round" in some else telling
            alone[undated] = ~some.loc[undated, core].duplicated(keep=False).to_numpy()
            if "link" in some:
                alone &= ~(some["link"].duplicated(keep=False) & some["link"].notna()).to_numpy()
            at, some = at[~alone], some[~alone]
        self._at, self._some, self._logs, self._dated = at, some, logs[at], dated[at]
        self._white, self._black, self._days = white[at], black[at], days[at]
        self._pairs, self._meetings = pairs[at], pd.factorize(meetings[at])[0]
        self._whole = np.zeros(len(at), dtype=np.int64)
        for name in telling:
            codes, distinct = pd.factorize(_caseless(some[name]), use_na_sentinel=False)
            self._whole = pd.factorize(self._whole * len(distinct) + codes)[0]
        self._meeting = pd.factorize(self._meetings * (self._logs.max(initial=0) + 1) + self._logs)[0]
        for name in ("round", "event"):
            if name in some:
                codes = _told_codes(some[name])
                self._meeting = pd.factorize(self._meeting * (codes.max(initial=-1) + 2) + codes)[0]
        self._open = self._may_be_one_game()

    def _may_be_one_game(self) -> Mask:
        """Return the rows of those meetings of which two rows may tell of one game."""
        found = ~self._dated | _in_several(self._meetings, self._logs)
        found |= pd.DataFrame({"log": self._logs, "whole": self._whole}).duplicated(keep=False).to_numpy()
        known = self._dated if "round" not in self._some else self._dated | _told(self._some["round"]).to_numpy()
        ended = [name for name in ("score", "white_points", "black_points", "date") if name in self._some]
        core = self._some[ended].assign(meeting=self._meeting, white=self._white)
        core["date"] = core["date"].dt.normalize()  # an answer that is sent twice has two times of day
        found |= known & core.duplicated(keep=False).to_numpy()
        if "link" in self._some:
            links = self._some["link"]
            found |= (links.duplicated(keep=False) & links.notna()).to_numpy()
        meetings = np.zeros(self._meetings.max(initial=-1) + 1, dtype=bool)
        meetings[self._meetings[found]] = True
        of_them: Mask = meetings[self._meetings]
        return of_them

    def told(self) -> list[Told]:
        """Return the rows two of which may tell of one game."""
        some = self._some[self._open]
        known = (self._white, self._black, self._pairs, self._meeting, self._whole)
        numbers = [one[self._open].tolist() for one in (self._at, self._logs, *known)]
        columns = {str(name): np.asarray(some[name], dtype=object).tolist() for name in some.columns}
        days = [None if day == UNKNOWN else day for day in self._days[self._open].tolist()]
        return [Told(columns, *one) for one in zip(range(len(some)), days, *numbers, strict=True)]

    def others(self) -> Habits:
        """Return how the two players of the other rows meet; each of these rows tells of a game of its own."""
        others = ~self._open
        logs = self._logs[others]
        meeting = pd.factorize(self._meeting[others])[0]
        first = np.unique(meeting, return_index=True)[1]
        often = np.bincount(meeting, minlength=len(first))[meeting[first]] > 1
        counted = (Counter(some.tolist()) for some in (logs[first[often]], logs[first], logs))
        return Habits(*counted)

    def contradictions(self, out: Iterable[int]) -> str:
        """Say where the same players and colours have two results on one day and nothing else differs.

        `out` are the rows that are kept out. There is nothing to say where there are none.
        """
        pairs = self._opposed(out)
        if not pairs:
            return ""
        some = self._some
        sources, lines, scores = some["source"], some["source_row"].to_numpy(), some["score"].to_numpy()

        def shown(row: int) -> str:
            return f"{sources.iloc[row]}, row {lines[row]} ({SCORES[scores[row]]})"

        named = "; ".join(f"{shown(first)} and {shown(row)}" for first, row in pairs[:3])
        more = f"; and {len(pairs) - 3} more times" if len(pairs) > 3 else ""
        return (
            f"the same two players have different results on one day: {named}{more}; each was "
            "counted: correct the log if they are one game"
        )

    def _opposed(self, out: Iterable[int]) -> list[tuple[int, int]]:
        """Return the first two rows, of each day and the same players and colours, that oppose each other."""
        left = np.flatnonzero(self._dated & ~np.isin(self._at, list(out)))
        game = pd.factorize(self._meetings[left] * 2 + (self._white[left] < self._black[left]))[0]
        score = self._some["score"].to_numpy()[left]
        alike, partly = game, []
        for codes in self._tells():
            codes = codes[left]
            if (codes >= 0).all():
                alike = pd.factorize(alike * (codes.max(initial=0) + 1) + codes)[0]
            elif (codes >= 0).any():
                partly.append(codes)
        first = np.unique(alike, return_index=True)[1]
        against = score != score[first[alike]]
        pairs = np.column_stack([first[alike[against]], np.flatnonzero(against)])
        if partly:
            pairs = _agreeing(np.flatnonzero(np.isin(alike, alike[against])), alike, score, np.array(partly).T)
        # Of each game the pair that begins first, and of those the one that ends first; games as they stand in the log.
        pairs = pairs[np.lexsort((pairs[:, 1], pairs[:, 0], game[pairs[:, 0]]))]
        of_game = np.unique(game[pairs[:, 0]], return_index=True)[1]
        return [(one, two) for one, two in left[pairs[of_game]].tolist()]

    def _tells(self) -> Iterable[Codes]:
        """Yield codes of what rows say of a game, players, day and result aside; -1 where they say nothing."""
        names = list(map(str, self._some.columns))
        besides = RESULT.union(name.removeprefix(MORE) for name in names if name.startswith(MORE))
        for name in names:
            if name not in DESCRIBED and not name.startswith((MORE, NUMBERED)) and name not in besides:
                yield _told_codes(self._some[name])
        clock = _moments(self._some) % A_DAY
        yield np.where(clock != 0, clock, -1)


def _agreeing(rows: Codes, alike: Codes, score: Any, partly: Codes) -> Codes:
    """Return pairs of rows with other scores that differ in nothing that both tell: of each kind the first one."""
    groups: dict[int, list[int]] = {}
    for row, kind in zip(rows.tolist(), alike[rows].tolist(), strict=True):
        groups.setdefault(kind, []).append(row)
    told = dict(zip(rows.tolist(), partly[rows].tolist(), strict=True))
    found = []
    for some in groups.values():
        for one, two in combinations(some, 2):
            if score[one] != score[two] and all(
                a == b or a < 0 or b < 0 for a, b in zip(told[one], told[two], strict=True)
            ):
                found.append((one, two))
                break
    return np.array(found, dtype=np.int64).reshape(-1, 2)


def _moments(table: pd.DataFrame) -> Codes:
    """Return the dates with their times of day in nanoseconds."""
    return table["date"].to_numpy().astype("datetime64[ns]", copy=False).view(np.int64)


def _told_codes(values: pd.Series[Any]) -> Codes:
    """Return codes of what a column says regardless of case, -1 where it says nothing."""
    codes, distinct = pd.factorize(_caseless(values))
    said: Codes = np.append(np.array([value != "" for value in distinct], dtype=bool), False)
    return np.where(said[codes], codes, -1)


def _repeated(numbers: Codes) -> Mask:
    """Tell which of the numbers stand there more than once."""
    order = np.argsort(numbers)
    ordered = numbers[order]
    same = ordered[1:] == ordered[:-1]
    found: Mask = np.zeros(len(numbers), dtype=bool)
    found[order[1:][same]] = found[order[:-1][same]] = True
    return found


def _repeated_links(links: pd.Series[Any]) -> Mask:
    """Tell which rows have a link that another row has."""
    numbers = links.dtype == "int64"
    repeated = _repeated(links.to_numpy()) if numbers else links.duplicated(keep=False).to_numpy()
    found: Mask = repeated & _told(links).to_numpy()
    return found


def _in_several(meetings: Codes, logs: Codes) -> Mask:
    """Tell which rows tell of a meeting that several logs tell of."""
    if not len(logs) or (logs == logs[0]).all():
        return np.zeros(len(logs), dtype=bool)
    by_meeting = pd.Series(logs).groupby(meetings)
    several: Mask = (by_meeting.transform("min") != by_meeting.transform("max")).to_numpy()
    return several


def _of_a_game(some: pd.DataFrame) -> list[str]:
    """Return the columns by which people know a game: who met when, and how it ended."""
    return [str(name) for name in some.columns if name in CORE]


def _told(links: pd.Series[Any]) -> pd.Series[Any]:
    return links != 0 if links.dtype == "int64" else links.notna()


def _in_words(
    some: pd.DataFrame, logs: NDArray[np.int64], meetings: NDArray[np.int64], moves: Sequence[Moves | None]
) -> pd.DataFrame:
    """Return rows with links and moves as texts where they are numbers.

    The moves are looked up only where the links do not tell the games of a meeting apart, or several logs tell of it.
    """
    some = some.copy()
    linked = np.zeros(len(some), dtype=bool)
    if "link" in some and some["link"].dtype == "int64":
        linked = (_told(some["link"]) & ~some["link"].duplicated(keep=False)).to_numpy()
        some["link"] = categories([unpacked(number) for number in some["link"].tolist()])
    if "moves" in some and some["moves"].dtype == "int64":
        by_meeting = pd.DataFrame({"linked": linked, "log": logs}).groupby(meetings)
        told = by_meeting["linked"].transform("all") & (by_meeting["log"].transform("nunique") == 1)
        words = np.full(len(some), None, dtype=object)
        for log in np.unique(logs).tolist():
            here = np.flatnonzero((logs == log) & ~told.to_numpy())
            tell = moves[log] if len(here) else None
            if tell is not None:
                words[here] = [text or None for text in tell(some["moves"].iloc[here].tolist())]
        some["moves"] = categories(words)
    return some


class Identities:
    """Who the players of a table are, by numbers that are the same for names of one identity.

    They count for the table as long as its columns have no other `names`. Those are `alike` that look like another one,
    and where identities `are_apart` no two names have the same.
    """

    def __init__(self, table: pd.DataFrame) -> None:
        names = self.names = spelled(table)
        # Most often both columns have all names, in one index.
        self._known = None if table.empty else table[SIDES[0]].cat.categories
        self.alike = alike_from_afar(names)
        if self.alike or not "".join(names).isascii():
            self._numbers = numbered(names, bytes.lower, identity).astype(np.int32)
        else:  # from afar a name of ASCII looks as its identity without some signs
            self._numbers = np.arange(len(names), dtype=np.int32)
        self.count = int(self._numbers.max(initial=-1)) + 1
        self.are_apart = self.count == len(names)

    def of(self, names: pd.Series[Any]) -> NDArray[np.int32]:
        """Return each row's player on one side."""
        numbers = self._numbers
        if names.cat.categories is not self._known:
            numbers = numbers[pd.Index(self.names, dtype=object).get_indexer(names.cat.categories)]
        found: NDArray[np.int32] = numbers[names.cat.codes.to_numpy()]
        return found


def _caseless(values: pd.Series[Any]) -> Any:
    if not isinstance(values.dtype, pd.CategoricalDtype):
        return values.to_numpy()
    codes = values.cat.codes.to_numpy()
    texts = np.full(len(values), None, dtype=object)
    told = codes >= 0
    texts[told] = [str(text).casefold() for text in values.cat.categories.to_numpy()[codes[told]].tolist()]
    return texts
