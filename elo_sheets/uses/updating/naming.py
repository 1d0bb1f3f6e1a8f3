"""Who is who in a book: what it remembers of names, what a file of names adds, and the rows of both under one name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from elo_sheets._late import pd
from elo_sheets.games import identity
from elo_sheets.readers import HowRead
from elo_sheets.readers.names_map import NamesMap, as_entries, from_entries, is_entry, read_names
from elo_sheets.uses import mapped
from elo_sheets.uses.updating.old import Old
from elo_sheets.uses.updating.rows import Row
from elo_sheets.workbook.book import Book

MOST_TOLD = 20


def names_of_book(old: Old, how: HowRead, dry: bool) -> NamesMap:
    """Return what a book remembers of names, and over it what the file says that is given."""
    kept = from_entries(old.manifest.options, "the book")
    given = how.get("names")
    if given is None:
        return kept
    new = given if isinstance(given, NamesMap) else read_names(given)
    return replace(new, dry=dry or new.dry).over(kept)


def held_games(old: Old, rows: Sequence[Row]) -> pd.DataFrame:
    """Return who met when in a book, as the evidence of a question names it."""
    days = pd.Series([row.when if old.view.is_replayed else 0.0 for row in rows], dtype="float64")
    owner = old.manifest.title
    return pd.DataFrame(
        {
            "white": [row.names[0] or owner for row in rows],
            "black": [row.names[-1] for row in rows],
            "date": pd.to_datetime(days.where(days > 0), unit="D", origin="1899-12-30"),
        }
    )


def as_one(rows: Sequence[Row], names: NamesMap) -> list[Row]:
    """Return rows whose players are told by who they are, however they are spelled."""
    if not names.spellings:
        return list(rows)
    return [replace(row, who=tuple(map(names.key, row.who))) for row in rows]


def book_spellings(held: Sequence[str], names: NamesMap) -> dict[str, str]:
    """Return how a book spells each of its players, by who they are; the canonical name where it has several."""
    spelt = {names.key(one): one for one in reversed(held) if one}
    return spelt | {names.key(one): one for one in held if one and names.key(one) == identity(one)}


def remembering(book: Book, names: NamesMap, how: HowRead) -> Book:
    """Return a book that remembers these names, and the columns that are told."""
    options = {key: value for key, value in book.options.items() if not is_entry(key)}
    return replace(book, options={**mapped.remembering(options, how), **as_entries(names)})


def remarks(old: Old, names: NamesMap, held: Sequence[str], dry: bool) -> Iterator[str]:
    """Yield what the book remembers anew, and who stands in it under two names."""
    known = set(from_entries(old.manifest.options, "the book").lines())
    fresh = [line for line in names.lines() if line not in known]
    for line in fresh[:MOST_TOLD]:
        yield f"the book {'would remember' if dry else 'remembers'} from now on: {line}"
    if len(fresh) > MOST_TOLD:
        yield f"and {len(fresh) - MOST_TOLD} more names"
    spelt = book_spellings(held, names)
    for one in dict.fromkeys(held):
        if one and identity(spelt[names.key(one)]) != identity(one):
            yield (
                f"the book lists {one!r} and {spelt[names.key(one)]!r}, who are one player by {names.told_by}: put the "
                "one name into its games, and clear the row of the other"
            )
