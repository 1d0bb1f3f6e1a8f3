"""One person, one name, asked once: canonical names with their spellings and ids, and the questions that are open.

The file is TOML. `[[player]]` has `name`, and `spellings` and `ids` that count as him. `[[question]]` has the `names`
that look like one person, the `evidence` in plain words, and `answer`: the one name that all of them are, or
"different". Names are never merged without an answer, and no row is left out for want of one. New questions are written
below what stands in the file, which is otherwise left as it is.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

from elo_sheets.errors import UnreadableInput, UsageError, refusal
from elo_sheets.readers._names import words_of
from elo_sheets.readers._tables import SIDES
from elo_sheets.readers._text import clean_name, identity

if TYPE_CHECKING:
    import pandas as pd

DIFFERENT = "different"
SHORTEST = 4  # letters of names in which one may be wrong
MOST_QUESTIONS = 200
HEAD = """\
# Who is who. [[player]]: a name with the spellings and ids that count as it. [[question]]: names that may be one
# person; write the right name as the answer, or "different", and it is not asked again.
"""


@dataclass(frozen=True)
class NamesMap:
    """What a file of names says: the canonical name of each spelling, by identity, ids, and the pairs already asked."""

    spellings: Mapping[str, str] = field(default_factory=dict)
    ids: Mapping[str, str] = field(default_factory=dict)
    asked: frozenset[frozenset[str]] = frozenset()
    open: int = 0


def read_names(path: str | Path) -> NamesMap:
    """Return what a file of names says, nothing where there is no such file yet.

    Raises `UnreadableInput` that names what cannot be used: TOML that is none, a spelling of two players, an answer
    that is neither one of the names nor a player.
    """
    path = Path(path)
    if not path.exists():
        return NamesMap()
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
    for one in _tables(said, "player", path):
        name = clean_name(_text(one, "name", path))
        for spelling in [name, *_texts(one, "spellings", path)]:
            known = spellings.setdefault(identity(clean_name(spelling)), name)
            if known != name:
                raise UnreadableInput(f"{spelling!r} is a spelling of both {known!r} and {name!r} ({path}): remove one")
        for number in _texts(one, "ids", path):
            if ids.setdefault(number, name) != name:
                raise UnreadableInput(f"the id {number!r} is both {ids[number]!r} and {name!r} ({path}): remove one")
    asked, open_ = _answers(said, spellings, path)
    return NamesMap({key: spellings.get(identity(name), name) for key, name in spellings.items()}, ids, asked, open_)


def _answers(said: Mapping[str, Any], spellings: dict[str, str], path: Path) -> tuple[frozenset[frozenset[str]], int]:
    """Add the answered questions to the spellings; return the pairs that were asked, and how many wait."""
    asked: set[frozenset[str]] = set()
    waiting = 0
    for one in _tables(said, "question", path):
        names = [clean_name(name) for name in _texts(one, "names", path)]
        asked |= {frozenset(map(identity, pair)) for pair in combinations(names, 2)}
        answer = clean_name(str(one.get("answer", "")))
        if not answer:
            waiting += 1
        elif answer != DIFFERENT:
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
    return frozenset(asked), waiting


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


# Names in a table of games


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
    from elo_sheets.readers._tables import categories

    for side in SIDES:
        to = {name: right(name) for name in table[side].cat.categories}
        if any(name != other for name, other in to.items()):
            table = table.assign(**{side: categories(table[side].map(to).astype(object))})
    return table, len(changed)


def near_pairs(names: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the pairs of names that differ in case, accents, blanks, the order of words, or one letter; not in digits.

    >>> list(near_pairs(["Eva Braun", "Braun, Eva", "Eva Brawn", "Team 1", "Team 2"]))
    [('Eva Braun', 'Braun, Eva'), ('Eva Braun', 'Eva Brawn'), ('Braun, Eva', 'Eva Brawn')]
    """
    keys = {name: words_of(name) for name in names}
    groups: dict[str, list[str]] = {}
    for name, key in keys.items():
        shorter = [key[:at] + key[at + 1 :] for at in range(len(key))] if len(key) >= SHORTEST else []
        for one in {key, *shorter}:
            groups.setdefault(one, []).append(name)
    seen: set[frozenset[str]] = set()
    order = {name: at for at, name in enumerate(keys)}
    found = []
    for group in groups.values():
        for one, other in combinations(group[:50], 2):
            pair = frozenset((one, other))
            if pair in seen:
                continue
            seen.add(pair)
            if _digits(one) == _digits(other) and _one_letter(keys[one], keys[other]):
                found.append((one, other) if order[one] < order[other] else (other, one))
    yield from sorted(found, key=lambda pair: (order[pair[0]], order[pair[1]]))


def _digits(name: str) -> str:
    return "".join(c for c in name if c.isdigit())


def _one_letter(one: str, other: str) -> bool:
    """Tell whether two keys are equal, or differ in one letter, added, lost or other."""
    if abs(len(one) - len(other)) > 1:
        return False
    at = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    return one[at + (len(one) >= len(other)) :] == other[at + (len(other) >= len(one)) :]


def questions(
    table: pd.DataFrame, players: Sequence[str], names: NamesMap, ids: Mapping[str, str]
) -> tuple[list[str], int]:
    """Return as TOML the first questions about near names that nobody was asked yet, and how many more there are."""
    new = [pair for pair in near_pairs(players) if frozenset(map(identity, pair)) not in names.asked]
    found = []
    for one, other in new[:MOST_QUESTIONS]:
        shown = ", ".join(json.dumps(name, ensure_ascii=False) for name in (one, other))
        evidence = json.dumps(_evidence(table, one, other, ids), ensure_ascii=False)
        found.append(f'[[question]]\nnames = [{shown}]\nevidence = {evidence}\nanswer = ""\n')
    return found, len(new) - len(found)


def _evidence(table: pd.DataFrame, one: str, other: str, ids: Mapping[str, str]) -> str:
    """Say what speaks for two names being one person, and what against it."""
    days, opponents, counts = [], [], []
    for name in (one, other):
        white, black = (table[side] == name for side in SIDES)
        mine = table[white | black]
        counts.append(len(mine))
        days.append(set(mine["date"].dropna().dt.date))
        opponents.append({*table.loc[white, "black"], *table.loc[black, "white"]})
    parts = [f"{counts[0]} and {counts[1]} games"]
    if other in opponents[0]:
        parts.append("they played each other, so they are two")
    same = sorted(days[0] & days[1])
    parts.append(f"both played on {len(same)} days, the first {same[0]}" if same else "never on the same day")
    both = len(opponents[0] & opponents[1])
    parts.append(f"{both} opponents in common")
    numbers = [ids.get(identity(name)) for name in (one, other)]
    if all(numbers):
        parts.append("the same id" if numbers[0] == numbers[1] else f"ids {numbers[0]} and {numbers[1]}")
    return "; ".join(parts)


def add_questions(path: str | Path, asked: Sequence[str]) -> None:
    """Write questions below what stands in a file; it is replaced whole or not at all."""
    from elo_sheets.files.save import replacing

    path = Path(path)
    before = path.read_text(encoding="utf-8") if path.exists() else HEAD
    if path.suffix.lower() != ".toml":
        raise UsageError(f"expected a file of names that ends in .toml, got {str(path)!r}")
    with replacing(path, overwrite=True) as beside:
        beside.write_text("\n".join([before.rstrip("\n"), "", *asked]), encoding="utf-8", newline="")
