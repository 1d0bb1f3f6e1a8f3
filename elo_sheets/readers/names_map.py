"""One person, one name, asked once: canonical names with their spellings and ids, and the questions that are open.

The file is TOML. `[[player]]` has `name`, and `spellings` and `ids` that count as him. `[[question]]` has the `names`
that look like one person, the `evidence` in plain words, and `answer`: the one name that all of them are, or
"different". Names are never merged without an answer, and no row is left out for want of one. New questions are written
below what stands in the file, which is otherwise left as it is.

A workbook of ours remembers what was answered: `as_entries` is what stands in its manifest, `from_entries` reads it.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from pathlib import Path
from typing import Any

from elo_sheets._late import pd
from elo_sheets.errors import UnreadableInput, UsageError, refusal
from elo_sheets.readers._near import near_pairs
from elo_sheets.readers._tables import SIDES, categories
from elo_sheets.readers._text import clean_name, identity

DIFFERENT = "different"
MOST_QUESTIONS = 200
HEAD = """\
# Who is who. [[player]]: a name with the spellings and ids that count as it. [[question]]: names that may be one
# person; write the right name as the answer, or "different", and it is not asked again.
"""


@dataclass(frozen=True)
class NamesMap:
    """What is known of names: the canonical name of each spelling, by identity, ids, and the pairs already asked.

    `written` are the spellings as they are written, `different` the pairs that are two people. Questions go to `path`,
    nowhere without one, and in a `dry` run are only counted. `held` are games of a book, whose players are asked about
    too. `told_by` says in words where all this comes from.
    """

    spellings: Mapping[str, str] = field(default_factory=dict)
    ids: Mapping[str, str] = field(default_factory=dict)
    asked: frozenset[frozenset[str]] = frozenset()
    open: int = 0
    written: Mapping[str, str] = field(default_factory=dict)
    different: frozenset[frozenset[str]] = frozenset()
    path: Path | None = None
    dry: bool = False
    held: pd.DataFrame | None = None
    told_by: str = ""

    def canonical(self, name: str) -> str:
        """Return the name that a spelling counts as."""
        return self.spellings.get(identity(name), name)

    def key(self, name: str) -> str:
        """Return what all spellings of one person share."""
        return identity(self.canonical(name))

    def over(self, older: NamesMap) -> NamesMap:
        """Return both together; where they contradict each other this one counts."""
        written = {**older.written, **self.written}
        told = {k: n for k, n in older.spellings.items() if frozenset((k, identity(n))) not in self.different}
        spellings = {key: self.canonical(name) for key, name in told.items()} | dict(self.spellings)
        different = self.different | {pair for pair in older.different if len(set(map(self.key, pair))) > 1}
        ids = {**{number: self.canonical(name) for number, name in older.ids.items()}, **self.ids}
        told_by = " and ".join(filter(None, (self.told_by, older.told_by)))
        return replace(
            self,
            spellings=spellings,
            ids=ids,
            asked=self.asked | older.asked,
            written=written,
            different=different,
            told_by=told_by,
        )

    def lines(self) -> list[str]:
        """Return what is known, a line each."""
        pairs = sorted(self.different, key=sorted)
        shown = [[self.written.get(key, key) for key in sorted(pair)] for pair in pairs]
        own = {key: name for key, name in self.spellings.items() if key != identity(name)}
        return [
            *(f"{self.written.get(key, key)!r} is {name!r}" for key, name in own.items()),
            *(f"id {number} is {name!r}" for number, name in self.ids.items()),
            *(f"{pair[0]!r} and {pair[-1]!r} are two people" for pair in shown),
        ]


def read_names(path: str | Path) -> NamesMap:
    """Return what a file of names says, nothing where there is no such file yet.

    Raises `UnreadableInput` that names what cannot be used: TOML that is none, a spelling of two players, an answer
    that is neither one of the names nor a player.
    """
    path = Path(path)
    if not path.exists():
        return NamesMap(path=path, told_by=str(path))
    try:
        said = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeError) as error:
        raise UnreadableInput(f"expected names in TOML, got what is none: {error} ({path})") from None
    except OSError as error:
        reason, remedy = refusal(error)
        raise UnreadableInput(f"expected a file of names, got {str(path)!r}: {reason}; {remedy}") from None
    if strange := set(said) - {"player", "question"}:
        raise UnreadableInput(f"expected [[player]] and [[question]], got {', '.join(sorted(strange))} ({path})")
    spellings: dict[str, str] = {}
    ids: dict[str, str] = {}
    written: dict[str, str] = {}
    for one in _tables(said, "player", path):
        name = clean_name(_text(one, "name", path))
        for spelling in [name, *_texts(one, "spellings", path)]:
            known = spellings.setdefault(identity(clean_name(spelling)), name)
            written.setdefault(identity(clean_name(spelling)), clean_name(spelling))
            if known != name:
                raise UnreadableInput(f"{spelling!r} is a spelling of both {known!r} and {name!r} ({path}): remove one")
        for number in _texts(one, "ids", path):
            if ids.setdefault(number, name) != name:
                raise UnreadableInput(f"the id {number!r} is both {ids[number]!r} and {name!r} ({path}): remove one")
    asked, different, open_ = _answers(said, spellings, written, path)
    canonical = {key: spellings.get(identity(name), name) for key, name in spellings.items()}
    return NamesMap(canonical, ids, asked, open_, written, different, path, told_by=str(path))


Pairs = frozenset[frozenset[str]]


def _answers(
    said: Mapping[str, Any], spellings: dict[str, str], written: dict[str, str], path: Path
) -> tuple[Pairs, Pairs, int]:
    """Add the answered questions to the spellings; return the pairs that were asked, who differ, and how many wait."""
    asked: set[frozenset[str]] = set()
    different: set[frozenset[str]] = set()
    waiting = 0
    for one in _tables(said, "question", path):
        names = [clean_name(name) for name in _texts(one, "names", path)]
        pairs = {frozenset(map(identity, pair)) for pair in combinations(names, 2)}
        asked |= pairs
        for name in names:
            written.setdefault(identity(name), name)
        answer = clean_name(str(one.get("answer", "")))
        if not answer:
            waiting += 1
        elif answer == DIFFERENT:
            if len(set(map(identity, names))) < len(names):
                raise UnreadableInput(
                    f"{' and '.join(map(repr, names))} are one name to a spreadsheet, and cannot be {DIFFERENT!r} "
                    f"({path}): give one of them another name in the log"
                )
            different |= pairs
        else:
            if identity(answer) not in {*map(identity, names), *spellings}:
                raise UnreadableInput(
                    f"expected one of {', '.join(map(repr, names))}, a [[player]], or {DIFFERENT!r} as the answer, got "
                    f"{answer!r} ({path})"
                )
            to = spellings.get(identity(answer), answer)
            for name in names:
                known = spellings.setdefault(identity(name), to)
                if known != to and identity(known) != identity(name):
                    raise UnreadableInput(f"{name!r} is {known!r} in one place and {to!r} in another ({path})")
                spellings[identity(name)] = to
    return frozenset(asked), frozenset(different), waiting


def _tables(said: Mapping[str, Any], kind: str, path: Path) -> list[Mapping[str, Any]]:
    found = said.get(kind, [])
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        raise UnreadableInput(f"expected [[{kind}]] with double brackets ({path})")
    return found


def _text(one: Mapping[str, Any], key: str, path: Path) -> str:
    if not isinstance(value := one.get(key), str) or not value.strip():
        raise UnreadableInput(f'expected {key} = "…" in each [[player]], got {value!r} ({path})')
    return value


def _texts(one: Mapping[str, Any], key: str, path: Path) -> list[str]:
    value = one.get(key, [])
    if not isinstance(value, list) or not all(isinstance(text, str | int) for text in value):
        raise UnreadableInput(f'expected {key} = ["…", "…"], got {value!r} ({path})')
    return list(map(str, value))


# What a book remembers

PLAYER, TWO = "name ", "two people "


def as_entries(names: NamesMap) -> dict[str, str]:
    """Return what a book's manifest says of names: a line for each player, and one for each pair who are two.

    >>> as_entries(NamesMap({"eva brawn": "Eva Braun"}, written={"eva brawn": "Eva Brawn"}))
    {'name Eva Braun': '{"spellings": ["Eva Brawn"], "ids": []}'}
    """
    people: dict[str, tuple[list[str], list[str]]] = {}
    for key, name in names.spellings.items():
        spellings, _ = people.setdefault(name, ([], []))
        if key != identity(name):
            spellings.append(names.written.get(key, key))
    for number, name in names.ids.items():
        people.setdefault(name, ([], []))[1].append(number)
    pairs = [sorted(names.written.get(key, key) for key in pair) for pair in sorted(names.different, key=sorted)]
    return {
        **{PLAYER + name: _json({"spellings": one[0], "ids": one[1]}) for name, one in people.items() if any(one)},
        **{f"{TWO}{number}": _json(pair) for number, pair in enumerate(pairs, 1)},
    }


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def is_entry(key: str) -> bool:
    """Tell whether an option of a book says something of names."""
    return key.startswith((PLAYER, TWO))


def from_entries(entries: Mapping[str, str], where: str) -> NamesMap:
    """Return what the options of a book say of names; raises `UnreadableInput` for one that was changed by hand."""
    spellings: dict[str, str] = {}
    written: dict[str, str] = {}
    ids: dict[str, str] = {}
    different = set()
    for key, text in filter(lambda one: is_entry(one[0]), entries.items()):
        try:
            said = json.loads(text)
            if key.startswith(TWO):
                pair = list(map(str, said))
                written |= {identity(name): name for name in pair}
                different.add(frozenset(map(identity, pair)))
                continue
            name = key.removeprefix(PLAYER)
            some = {identity(spelling): str(spelling) for spelling in [name, *said["spellings"]]}
            ids |= dict.fromkeys(map(str, said["ids"]), name)
        except (ValueError, TypeError, KeyError, AttributeError):
            raise UnreadableInput(
                f"expected the names that {where} remembers, got {text!r} for {key!r}: restore its hidden sheet "
                "elo-sheets from a copy of the book"
            ) from None
        spellings |= dict.fromkeys(some, name)
        written |= some
    together = {frozenset((key, identity(name))) for key, name in spellings.items()}
    told_by = where if spellings or different else ""
    asked = frozenset(together | different)
    return NamesMap(spellings, ids, asked, 0, written, frozenset(different), told_by=told_by)


# Names in a table of games


def spellings_said(changed: int, names: NamesMap) -> str:
    """Return the remark on how many spellings were read as names that are known."""
    read = "1 spelling was read as a name" if changed == 1 else f"{changed} spellings were read as the names"
    return f"{read} of {names.told_by}"


def renamed(table: pd.DataFrame, names: NamesMap, ids: Mapping[str, str]) -> tuple[pd.DataFrame, int]:
    """Return games under canonical names, and how many spellings that changed; `ids` are told by identity."""
    changed: set[str] = set()

    def right(name: str) -> str:
        known = names.spellings.get(identity(name)) or names.ids.get(ids.get(identity(name), ""), name)
        if known != name:
            changed.add(name)
        return known

    if table.empty:
        return table, 0
    for side in _who(table):
        column = table[side]
        to = {name: right(name) for name in (column.cat.categories if side in SIDES else column.unique())}
        if any(name != other for name, other in to.items()):
            told = column.map(to).astype(object)
            table = table.assign(**{side: categories(told) if side in SIDES else told})
    return table, len(changed)


def _who(table: pd.DataFrame) -> list[str]:
    """Return the columns that name players: two of games of two, one of games of sides."""
    return [column for column in (*SIDES, "player") if column in table]


def asked(table: pd.DataFrame, players: Sequence[str], names: NamesMap, ids: Mapping[str, str]) -> list[str]:
    """Write what is not known of near names into their file as questions, and return the remarks on them."""
    if names.path is None:
        return []
    new, more = questions(table, players, names, ids)
    notes = [f"{more} more names look alike: they are asked once these are answered"] if more else []
    if new and not names.dry:
        add_questions(names.path, new)
    if waiting := names.open + len(new):
        told = f"{len(new)} of them new" + (", which this dry run did not write" if new and names.dry else "")
        notes.append(
            ("1 question about names waits" if waiting == 1 else f"{waiting} questions about names wait")
            + f" in {names.path}, {told}; until that is answered, names that differ in more than case are players of "
            "their own"
        )
    return notes


def _of_one_id(names: Sequence[str], ids: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the pairs of names that stand beside the same id, such as a name and its initials."""
    groups: dict[str, list[str]] = {}
    for name in names:
        if (number := ids.get(identity(name))) is not None:
            groups.setdefault(number, []).append(name)
    for group in groups.values():
        yield from combinations(group[:50], 2)


def questions(
    table: pd.DataFrame, players: Sequence[str], names: NamesMap, ids: Mapping[str, str]
) -> tuple[list[str], int]:
    """Return as TOML the first questions about near names that nobody was asked yet, and how many more there are."""
    mine = set(players)
    if names.held is not None:
        who = _who(table)
        there = {name for column in who for name in names.held[column]} - {""}
        players = [*players, *sorted(there - mine)]
        kept = [column for column in (*who, "date", "game") if column in names.held]
        table = pd.concat([table[kept].astype(dict.fromkeys(who, object)), names.held[kept]], ignore_index=True)
    pairs = dict.fromkeys([*near_pairs(players), *_of_one_id(players, ids)])
    new = [
        pair
        for pair in pairs
        if frozenset(map(identity, pair)) not in names.asked
        and mine & set(pair)
        and (names.key(pair[0]) != names.key(pair[1]) or identity(pair[0]) == identity(pair[1]))
    ]
    found = []
    for one, other in new[:MOST_QUESTIONS]:
        shown = ", ".join(json.dumps(name, ensure_ascii=False) for name in (one, other))
        evidence = json.dumps(_evidence(table, one, other, ids), ensure_ascii=False)
        found.append(f'[[question]]\nnames = [{shown}]\nevidence = {evidence}\nanswer = ""\n')
    return found, len(new) - len(found)


def _evidence(table: pd.DataFrame, one: str, other: str, ids: Mapping[str, str]) -> str:
    """Say what speaks for two names being one person, and what against it."""
    counts, days, met = zip(*(_played(table, name) for name in (one, other)), strict=True)
    of_sides = "player" in table
    parts = [f"{counts[0]} and {counts[1]} games"]
    if other in met[0]:
        parts.append(f"they {'were in one game' if of_sides else 'played each other'}, so they are two")
    same = sorted(days[0] & days[1])
    parts.append(f"both played on {len(same)} days, the first {same[0]}" if same else "never on the same day")
    parts.append(f"{len(met[0] & met[1])} {'partners or ' if of_sides else ''}opponents in common")
    numbers = [ids.get(identity(name)) for name in (one, other)]
    if all(numbers):
        parts.append("the same id" if numbers[0] == numbers[1] else f"ids {numbers[0]} and {numbers[1]}")
    return "; ".join(parts)


def _played(table: pd.DataFrame, name: str) -> tuple[int, set[Any], set[str]]:
    """Return how many games a player has, their days, and whom he met in them."""
    if "player" in table:
        mine = table[table["game"].isin(table.loc[table["player"] == name, "game"])]
        return int(mine["game"].nunique()), set(mine["date"].dropna().dt.date), {*mine["player"]} - {name}
    white, black = (table[side] == name for side in SIDES)
    mine = table[white | black]
    met = {*table.loc[white, "black"], *table.loc[black, "white"]}
    return len(mine), set(mine["date"].dropna().dt.date), met


def add_questions(path: str | Path, asked: Sequence[str]) -> None:
    """Write questions below what stands in a file; it is replaced whole or not at all."""
    from elo_sheets.files.save import replacing

    path = Path(path)
    before = path.read_text(encoding="utf-8") if path.exists() else HEAD
    if path.suffix.lower() != ".toml":
        raise UsageError(f"expected a file of names that ends in .toml, got {str(path)!r}")
    with replacing(path, overwrite=True) as beside:
        beside.write_text("\n".join([before.rstrip("\n"), "", *asked]), encoding="utf-8", newline="")
