"""Players whom a log names by ids that another list of the same file explains, as exports of databases do."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from elo_sheets.readers._headings import FIRST, SECOND, WORDS, named, role_of, words_of
from elo_sheets.readers._layout import Row, listed
from elo_sheets.readers._words import plain, table

NAMES = {*table("people")["name"], "displayname", "username", "nickname", "handle", "gamertag"}
PARTS_OF_NAME = [{*table("people")[part]} for part in ("given_name", "surname")]
IDS = {"id", "playerid", "participantid", "userid", "memberid"}
OF_PLAYERS = {"who", "winner", "loser", "opponent", "own", FIRST, SECOND, "number1", "number2"}
SIDES = frozenset({"white", "black", "winner", "loser", "opponent"})
ID = re.compile(r"(.+?)[\W_]*(?:ref)?[\W_]*ids?", re.I)

Known = Mapping[str, Mapping[str, str]]  # the names of each list by their ids


def people_of(records: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """Return the names of a list of players by their ids, nothing for another list."""
    known: dict[str, str] = {}
    for one in records:
        names = [value for key, value in one.items() if named(key) == "owner" or plain(key) in NAMES]
        both = [next((one[key] for key in one if plain(key) in words), None) for words in PARTS_OF_NAME]
        names = names or [" ".join(map(str, both))] * (None not in both)
        key = next((value for name, value in one.items() if plain(name) in IDS), None)
        if key is None or not names or not isinstance(names[0], str) or "winner" in " ".join(map(plain, one)):
            return {}
        if known.setdefault(str(key), names[0]) != names[0]:
            return {}
    return known if len(known) > 1 else {}


def meant(key: str, known: Known, bare: bool = False) -> tuple[str, Mapping[str, str]]:
    """Return what a heading of ids is called without saying so, and the names by them; no names for another heading.

    It means the list that is called as it is, `games` for `gameRefId`, or else that of the players. `bare` headings of
    sides and of a winner do not say that they are ids.

    >>> meant("winnerId", {"players": {"7": "Ann"}}), meant("courtId", {"players": {"7": "Ann"}})
    (('winner', {'7': 'Ann'}), ('courtId', {}))
    """
    stem = ID.fullmatch(key)
    if stem is None and not (bare and role_of(key) in SIDES):
        return key, {}
    word = key if stem is None else stem[1]
    words = words_of(word)
    for name, names in known.items():
        if plain(name).removesuffix("s") in words:
            return word, names
    kinds = {kind for word in words for kind in WORDS.get(word, ())}
    if not kinds & OF_PLAYERS:
        return key, {}
    of_people = [some for name, some in known.items() if "who" in {k for w in words_of(name) for k in WORDS.get(w, ())}]
    return word, _together(of_people or list(known.values()))


def are_ids(sides: Mapping[str, Iterable[str]], known: Known) -> bool:
    """Tell whether the values of both sides, by their headings, are ids that `known` explains."""
    told = {role: {*texts} - {""} for key, texts in sides.items() if (role := role_of(key)) in ("white", "black")}
    names = {key for some in known.values() for key in some}
    return len(told) == 2 and all(texts and texts <= names for texts in told.values())


def _together(lists: Sequence[Mapping[str, str]]) -> Mapping[str, str]:
    return lists[0] if len(lists) == 1 else {key: name for names in lists for key, name in names.items()}


# Tables


def people_below(rows: Sequence[Row]) -> dict[str, str]:
    """Return the names of a table's players by their ids, nothing for another table."""
    if not rows:
        return {}
    headers = [cell.strip() for cell in rows[0].cells]
    return people_of(dict(zip(headers, (cell.strip() for cell in row.cells), strict=False)) for row in rows[1:])


def named_by_ids(rows: Sequence[Row], known: Known, depth: int, mapped: Iterable[str]) -> tuple[Sequence[Row], str]:
    """Return rows with names in the columns of ids that `known` explains, and a remark; as they are where none does.

    Their headings lose the word for an id, unless they are `mapped` as they stand.
    """
    kept = {plain(text) for text in mapped}
    for at, row in enumerate(rows[:depth] if known else ()):
        cells = {
            head: [one.cells[i].strip() for one in rows[at + 1 :] if i < len(one.cells)]
            for i, head in enumerate(row.cells)
        }
        bare = are_ids(cells, known)
        told = {i: found for i, cell in enumerate(row.cells) if (found := meant(cell.strip(), known, bare))[1]}
        below = [{one.cells[i].strip() for one in rows[at + 1 :] if i < len(one.cells)} - {""} for i in told]
        told = {i: told[i] for i, ids in zip(told, below, strict=True) if ids and ids <= told[i][1].keys()}
        if not told:
            continue
        header = row._replace(
            cells=[told[i][0] if i in told and plain(cell) not in kept else cell for i, cell in enumerate(row.cells)]
        )
        named_rows = (
            one._replace(
                cells=[told[i][1].get(cell.strip(), cell) if i in told else cell for i, cell in enumerate(one.cells)]
            )
            for one in rows[at + 1 :]
        )
        ids = listed([row.cells[i] for i in told])
        return [*rows[:at], header, *named_rows], f"who has which id in {ids} is told by the list of players"
    return rows, ""
