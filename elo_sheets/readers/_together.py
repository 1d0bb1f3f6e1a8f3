"""What the games of all logs say together: which were told twice, how players are spelled, which pools there are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from elo_sheets.games import Problem
from elo_sheets.readers._tables import SIDES, categories, numbered, numbering, unpacked
from elo_sheets.readers._text import Reading, did_you_mean, identities, identity
from elo_sheets.readers._twice import Told, find_twice

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    Mask = NDArray[np.bool_]


# Stands for an unknown day among days counted from 1970.
UNKNOWN = 1 << 19


def _table(whole: Reading) -> pd.DataFrame:
    assert whole.table is not None
    return whole.table


def names_of(table: pd.DataFrame | None) -> list[str]:
    """Return the players in the order in which the log names them, White before Black."""
    if table is None or table.empty:
        return []
    import numpy as np
    import pandas as pd

    columns = [table[side].cat for side in SIDES]
    if not columns[0].categories.equals(columns[1].categories):
        both = pd.concat([table[side].astype(object) for side in SIDES], axis=1).to_numpy().ravel()
        return [str(name) for name in pd.unique(both)]
    place = np.full(len(columns[0].categories), 2 * len(table))
    for number, column in enumerate(columns):
        one = np.full(len(place), 2 * len(table))
        one[column.codes.to_numpy()[::-1]] = np.arange(len(table))[::-1] * 2 + number
        place = np.minimum(place, one)
    order = np.argsort(place, kind="stable")
    named: list[str] = columns[0].categories[order[: int((place < 2 * len(table)).sum())]].tolist()
    return named


Moves = Callable[[Sequence[int]], list[str]]


def once(whole: Reading, sizes: Sequence[int], keep: bool, moves: Sequence[Moves | None] = ()) -> None:
    """Keep out the rows that tell of a game that another row tells of; `sizes` are the numbers of each log's games.

    `moves` tell each log's last moves of games where the table has numbers for them. With `keep` the rows all stay, and
    only what contradicts itself is remarked on.
    """
    import numpy as np

    table = _table(whole)
    if table.empty:
        return
    logs = np.repeat(np.arange(len(sizes)), sizes)
    found = find_twice(_again(table, logs, moves), dict(enumerate(sizes)), keep)
    out = np.zeros(len(table), dtype=bool)
    out[list(found.reasons)] = True
    _sift(whole, out, lambda at: ("", "", found.reasons[at]))
    whole.notes += found.notes


def _again(table: pd.DataFrame, logs: NDArray[np.int64], moves: Sequence[Moves | None]) -> list[Told]:
    """Return the rows that may tell of a game twice.

    They have a number that another row has, two players who meet again that day, or without a day all that another row
    tells.
    """
    import numpy as np
    import pandas as pd

    white, black = _identities([table[side] for side in SIDES])
    count = int(max(white.max(), black.max())) + 1
    pairs = np.minimum(white, black) * count + np.maximum(white, black)
    if count >= 1 << 21:  # so that pairs and days fit into one number
        pairs = pd.factorize(pairs)[0]
    dated = table["date"].notna().to_numpy()
    days = np.where(dated, table["date"].to_numpy().astype("datetime64[D]").astype(np.int64), UNKNOWN)
    meetings = pairs * 2 * UNKNOWN + days
    found = _repeated(meetings)
    if "link" in table:
        if _told(table["link"]).all():
            # Games with links of their own are different ones; of two logs, what else differs is worth a remark.
            found &= _in_several(meetings, logs)
        found |= (table["link"].duplicated(keep=False) & _told(table["link"])).to_numpy()
    at = np.flatnonzero(found)
    some = _in_words(table.iloc[at], logs[at], meetings[at], moves)
    telling = table.columns.difference(["source", "source_row", "origin"])
    undated = ~dated[at]
    if undated.any():
        alone = undated.copy()
        alone[undated] = ~some.loc[undated, telling].duplicated(keep=False).to_numpy()
        if "link" in some:
            alone &= ~(some["link"].duplicated(keep=False) & some["link"].notna()).to_numpy()
        at, some = at[~alone], some[~alone]
    whole = np.zeros(len(at), dtype=np.int64)
    for name in telling:
        codes, distinct = pd.factorize(_caseless(some[name]), use_na_sentinel=False)
        whole = pd.factorize(whole * len(distinct) + codes)[0]
    names = list(map(str, some.columns))
    columns: list[Any] = [at, logs[at], some["source"], some["source_row"], white[at], black[at], pairs[at]]
    days_known: list[Any] = [None if day == UNKNOWN else day for day in days[at].tolist()]
    rows = zip(*(np.asarray(some[name], dtype=object).tolist() for name in some.columns), strict=True)
    fields = (dict(zip(names, row, strict=True)) for row in rows)
    told = zip(
        *(column.tolist() for column in columns),
        days_known,
        some["score"].tolist(),
        whole.tolist(),
        fields,
        strict=True,
    )
    return [Told(*one) for one in told]


def _repeated(numbers: NDArray[np.int64]) -> Mask:
    """Tell which of the numbers stand there more than once."""
    import numpy as np

    ordered = np.sort(numbers)
    more = np.unique(ordered[1:][ordered[1:] == ordered[:-1]])
    found: Mask = np.isin(numbers, more) if len(more) else np.zeros(len(numbers), dtype=bool)
    return found


def _in_several(meetings: NDArray[np.int64], logs: NDArray[np.int64]) -> Mask:
    """Tell which rows tell of a meeting that several logs tell of."""
    import numpy as np
    import pandas as pd

    if not logs.any():
        return np.zeros(len(logs), dtype=bool)
    by_meeting = pd.Series(logs).groupby(meetings)
    several: Mask = (by_meeting.transform("min") != by_meeting.transform("max")).to_numpy()
    return several


def _told(links: pd.Series[Any]) -> pd.Series[Any]:
    return links != 0 if links.dtype == "int64" else links.notna()


def _in_words(
    some: pd.DataFrame, logs: NDArray[np.int64], meetings: NDArray[np.int64], moves: Sequence[Moves | None]
) -> pd.DataFrame:
    """Return rows with links and moves as texts where they are numbers.

    The moves are looked up only where the links do not tell the games of a meeting apart, or several logs tell of it.
    """
    import numpy as np
    import pandas as pd

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


def _identities(sides: Sequence[pd.Series[Any]]) -> list[NDArray[np.int64]]:
    """Return each row's players on both sides by numbers that are the same for names of one identity."""
    import numpy as np

    keys = numbering()
    found: list[NDArray[np.int64]] = []
    known = np.zeros(0, dtype=np.int64)
    for number, names in enumerate(sides):
        if number == 0 or not names.cat.categories.equals(sides[0].cat.categories):
            known = numbered(identities(names.cat.categories.tolist()), keys)
        found.append(known[names.cat.codes.to_numpy()])
    return found


def _caseless(values: pd.Series[Any]) -> Any:
    import numpy as np
    import pandas as pd

    if not isinstance(values.dtype, pd.CategoricalDtype):
        return values.to_numpy()
    codes = values.cat.codes.to_numpy()
    texts = np.full(len(values), None, dtype=object)
    told = codes >= 0
    texts[told] = [str(text).casefold() for text in values.cat.categories.to_numpy()[codes[told]].tolist()]
    return texts


def one_spelling(whole: Reading) -> None:
    """Keep out the rows that spell a player's name in another case than most rows do.

    Spreadsheets hold two such spellings for one text, so they cannot be two players of a workbook, and nobody
    but the log's owner knows that they are one.
    """

    table = _table(whole)
    if table.empty:
        return
    spelled = {name for side in SIDES for name in table[side].cat.categories.tolist()}
    if len(set(identities(list(spelled)))) == len(spelled):
        return
    names = names_of(table)
    counts: Counter[str] = Counter()
    for side in SIDES:
        counts.update(_counted(table[side]))
    spellings: dict[str, Counter[str]] = {}
    for name in names:
        spellings.setdefault(identity(name), Counter())[name] = counts[name]
    usual = {key: some.most_common(1)[0][0] for key, some in spellings.items() if len(some) > 1}
    wrong = {name: usual[key] for key, some in spellings.items() if key in usual for name in some}
    wrong = {name: expected for name, expected in wrong.items() if name != expected}
    first: dict[str, str] = {}
    named = table["white"].isin(usual.values()) | table["black"].isin(usual.values())
    for row in table.loc[named, [*SIDES, "source", "source_row"]].itertuples(index=False):
        for name in row[:2]:
            first.setdefault(name, f"{row.source}, row {row.source_row}")

    def reason(at: int) -> tuple[str, str, str]:
        side = next(side for side in SIDES if table[side].iloc[at] in wrong)
        name = table[side].iloc[at]
        expected = wrong[name]
        return (
            side,
            name,
            f"spelled {name!r} here but {expected!r} elsewhere (first in {first[expected]}), which a "
            "spreadsheet takes for one player; use one spelling",
        )

    _sift(whole, (table["white"].isin(wrong) | table["black"].isin(wrong)).to_numpy(), reason)


def one_pool(whole: Reading, pool: str | None, apart: bool = False) -> None:
    """Keep the games of one pool, or remark on the pools and how they will be rated."""
    import pandas as pd

    table = _table(whole)
    if pool is None and "pool" not in table:
        return
    found = table["pool"].astype(object) if "pool" in table else pd.Series([None] * len(table), dtype=object)
    found = found.where(found.notna(), "")
    pools = _counted(found)
    named = sorted((name for name in pools if name), key=str.casefold)
    counted = ", ".join(f"{name} {pools[name]}" for name in named)
    if pools[""] and named:
        counted += f", none {pools['']}"
    if pool is None:
        if len(named) > 1:
            rated = "each has a rating of its own" if apart else "rated together unless --pool is given"
            whole.notes.append(f"{len(named)} pools in this log: {counted}; {rated}")
        return
    wanted = pool.strip().casefold()
    if wanted not in map(str.casefold, named):
        whole.notes.append(
            f"no game of the pool {pool!r}; there are {counted or 'no pools'}{did_you_mean(pool, named)}"
        )
    others = [name for name in pools if name.casefold() != wanted]
    _sift(whole, found.isin(others).to_numpy(), lambda at: ("pool", found[at], f"not of the pool {pool!r}"))


def _counted(texts: pd.Series[Any]) -> Counter[str]:
    return Counter({str(text): count for text, count in texts.value_counts().items()})


def _sift(whole: Reading, out: Mask, reason: Callable[[int], tuple[str, str, str]]) -> None:
    """Keep rows out: `reason` gives column, value and reason of each."""
    import numpy as np

    if not out.any():
        return
    table = _table(whole)
    places = table.loc[out, ["source", "source_row"]].itertuples(index=False, name=None)
    for at, (source, row) in zip(np.flatnonzero(out).tolist(), places, strict=True):
        whole.problems.append(Problem(source, row, *reason(at)))
    whole.table = table[~out].reset_index(drop=True)
