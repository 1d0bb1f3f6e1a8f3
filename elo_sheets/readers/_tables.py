"""Games as tables while they are read: every text once, in one category of its column."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from elo_sheets._late import np, pd
from elo_sheets.readers._text import Record

SIDES = ("white", "black")
LICHESS, IDENTIFIER = "lichess.org/", 8
ADDRESS = re.compile(r"https?://\S+$|[\w-]+(?:\.[\w-]+)+/\S+$")
MOST_PAGES = 20_000
# Stands in the column of moves where none are known.
NO_MOVES = -1


def table_of(records: Iterable[Record]) -> pd.DataFrame:
    """Return records as a table in which texts are categories."""
    table = pd.DataFrame(list(records))
    for name in table.columns:
        if any(isinstance(value, str) for value in table[name]):
            table[name] = categories(table[name])
    if len(table):
        table["date"] = pd.to_datetime(table["date"]).astype("datetime64[ns]")
    return table


def with_categories(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table of games with its texts as categories."""
    texts = [str(name) for name in table if pd.api.types.is_string_dtype(table[name].dtype)]
    return table.assign(**{name: categories(table[name]) for name in texts})


def categories(texts: Any) -> Any:
    """Return texts as categories in the order in which they first stand there; what is missing has none."""
    codes, distinct = pd.factorize(np.asarray(texts, dtype=object))
    return coded(codes, list(distinct))


def coded(codes: Any, texts: Sequence[str]) -> Any:
    """Return texts by their codes as categories; -1 is none."""
    return each_coded([codes], texts)[0]


def each_coded(columns: Sequence[Any], texts: Sequence[str]) -> list[Any]:
    """Return several columns of texts by their codes as the same categories; -1 is none."""
    made: Any = pd.Categorical
    index: Any = pd.Index
    kind = pd.CategoricalDtype(index(texts, dtype=object))
    return [made.from_codes(codes, dtype=kind) for codes in columns]


def same_texts(one: pd.Series[Any], other: pd.Series[Any]) -> bool:
    """Tell whether two columns of texts have the same categories in the same order."""
    first, second = one.cat.categories, other.cat.categories
    return first is second or bool(first.equals(second))


def spelled(table: pd.DataFrame) -> list[str]:
    """Return every name that the columns of players can have."""
    if table.empty:
        return []
    white, black = (table[side] for side in SIDES)
    names = white.cat.categories.tolist()
    return names if same_texts(white, black) else list(dict.fromkeys([*names, *black.cat.categories.tolist()]))


def narrow(numbers: Any) -> Any:
    """Return numbers in half the memory, unless digits would be lost."""
    half = numbers.astype(np.float32)
    return half if np.array_equal(half, numbers, equal_nan=True) else numbers


class Numbers:
    """Numbers of texts, counted from 0 in the order in which they are first asked for; equal texts have one."""

    def __init__(self) -> None:
        self._places: dict[str, int] = {}
        # The first texts that were asked for, while they are all there are and no two are equal: most often so.
        self._first: Sequence[str] | None = None

    @property
    def texts(self) -> list[str]:
        """The texts by their numbers."""
        return list(self._places if self._first is None else self._first)

    @property
    def places(self) -> dict[str, int]:
        """The number of each text."""
        if self._first is not None:
            self._places, self._first = {text: at for at, text in enumerate(self._first)}, None
        return self._places

    def of(self, texts: Sequence[str], are_distinct: bool = False) -> Any:
        """Return the number of each text; `are_distinct` where no two of them are known to be equal."""
        empty = self._first is None and not self._places
        if texts is self._first or (empty and (are_distinct or len(set(texts)) == len(texts))):
            self._first = texts
            return np.arange(len(texts))
        places = self.places
        return np.array([places.setdefault(text, len(places)) for text in texts], dtype=np.int64)


def numbered_anew(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table whose rows are numbered from 0, which it is itself then."""
    table.index = pd.RangeIndex(len(table))
    return table


def joined_tables(tables: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Return tables below each other; a column that one has not is empty there."""
    tables = [table for table in tables if len(table)] or list(tables[:1])
    if len(tables) == 1:
        return numbered_anew(tables[0])
    names = list(dict.fromkeys(name for table in tables for name in table.columns))
    columns = {name: [table.get(name) for table in tables] for name in names}
    sizes = list(map(len, tables))
    sides = _joined_texts([column for side in SIDES for column in columns[side]], sizes * len(SIDES))
    both = each_coded(np.split(sides[0], len(SIDES)), sides[1])
    found = {name: _joined(columns[name], sizes) for name in names if name not in SIDES}
    return pd.DataFrame(found | dict(zip(SIDES, both, strict=True)))[names]


def _joined(columns: Sequence[pd.Series[Any] | None], sizes: Sequence[int]) -> Any:
    some = [column for column in columns if column is not None]
    if any(isinstance(column.dtype, pd.CategoricalDtype) for column in some):
        return coded(*_joined_texts(columns, sizes))
    kinds = {column.dtype.kind for column in some}
    same = kinds == {"f"} or (len(some) == len(columns) and len({column.dtype for column in some}) == 1)
    nothing = np.float32("nan") if kinds == {"f"} else None
    parts = [
        pd.Series(np.full(size, nothing)) if column is None else column if same else column.astype(object)
        for column, size in zip(columns, sizes, strict=True)
    ]
    return pd.concat(parts, ignore_index=True)


def _joined_texts(columns: Sequence[pd.Series[Any] | None], sizes: Sequence[int]) -> tuple[Any, list[str]]:
    """Return columns of texts below each other as codes, -1 where nothing is said, and the texts."""
    places: dict[str, int] = {}
    parts = []
    for column, size in zip(columns, sizes, strict=True):
        if column is None:
            parts.append(np.full(size, -1))
            continue
        texts = column.array if isinstance(column.dtype, pd.CategoricalDtype) else categories(column)
        number = [places.setdefault(text, len(places)) for text in texts.categories]
        parts.append(np.array([*number, -1])[texts.codes])
    return np.concatenate(parts), list(places)


def packed(link: str) -> int:
    """Return the link of a game on Lichess as a number, 0 for no link, -1 for another server's.

    >>> unpacked(packed("lichess.org/abcd1234"))
    'lichess.org/abcd1234'
    """
    number = link.removeprefix(LICHESS)
    if len(number) != len(link) - len(LICHESS) or len(number) != IDENTIFIER:
        return -1 if link else 0
    return int.from_bytes(number.encode("ascii"), "little")


def unpacked(number: int) -> str | None:
    """Return the link that a number stands for, None for none."""
    return LICHESS + number.to_bytes(IDENTIFIER, "little").decode("ascii") if number else None


def alike(tables: Sequence[pd.DataFrame]) -> Sequence[pd.DataFrame]:
    """Return tables whose columns of links and moves can stand below each other.

    They are numbers where all tables have numbers of them: links as `packed`, moves as their reading tells them.
    """
    if any("moves" in table and table["moves"].dtype == "int64" for table in tables):
        tables = [table if "moves" in table else table.assign(moves=NO_MOVES) for table in tables]
    with_links = [table for table in tables if "link" in table]
    numbers = [table["link"].dtype == "int64" for table in with_links]
    if any(numbers) and all(numbers):
        return [table if "link" in table else table.assign(link=0) for table in tables]
    return [
        table.assign(link=categories([unpacked(number) for number in table["link"].tolist()]))
        if "link" in table and table["link"].dtype == "int64"
        else table
        for table in tables
    ]


def with_pages(table: pd.DataFrame) -> pd.DataFrame:
    """Return games with the page of each whose link is an address.

    A log of more games than a workbook holds goes without: nobody asks it for the page of one.
    """
    if "link" not in table or len(table) > MOST_PAGES:
        return table
    links = table["link"]
    packed_ = links.dtype == "int64"
    distinct = links.unique().tolist() if packed_ else list(links.cat.categories)
    pages = {link: _page(unpacked(link) if packed_ else str(link)) for link in distinct}
    found = links.astype(object).map(pages)
    return table.assign(url=found) if any(pages.values()) else table


def _page(link: str | None) -> str | None:
    if link is None or not ADDRESS.match(link):
        return None
    return link if "://" in link else f"https://{link}"
