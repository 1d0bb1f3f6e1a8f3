"""The weight of each match by the name of its competition, for systems that have a table of them."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from elo_sheets._late import pd
from elo_sheets.errors import UnreadableInput, UsageError
from elo_sheets.systems import Rules
from elo_sheets.systems._system import Weights, plain_name
from elo_sheets.systems._weights import NONE, TABLE

# The columns of a log that name a competition; the first that has a name counts.
NAMED = ("event", "pool")
# In a file of weights, every competition that it does not name.
ANY = "*"
# How many unknown competitions a remark names.
SHOWN = 8


def weighted(games: pd.DataFrame, system: Rules, settings: Mapping[str, Any]) -> pd.DataFrame:
    """Return the games with a weight for every match whose competition has one; a weight that the log gives stays.

    Where the system has no table, the setting `weights` is `none`, or no match lacks a weight, they come back as they
    are. Raises `UnreadableInput` for a file of weights that cannot be used.
    """
    table = _table(system, settings)
    if table is None or games.empty or not _unweighted(games).any():
        return games
    names = competitions(games)
    found = {name: table.get(plain_name(name), table.get(ANY)) if name else None for name in set(names)}
    by_name = names.map(found).astype("float64")
    given = games["weight"] if "weight" in games else by_name
    made: pd.DataFrame = games.assign(weight=given.where(~_unweighted(games), by_name))
    return made


def weight_notes(system: Rules, settings: Mapping[str, Any], games: pd.DataFrame) -> list[str]:
    """Return the remarks on what the matches weigh: by kind of match, and which competitions have no weight."""
    weights = system.weights
    if weights is None or games.empty or not (open_ := _unweighted(games)).any():
        return []
    otherwise = f"{weights.symbol} {settings[weights.otherwise]:g} (--set {weights.otherwise}=…)"
    if settings["weights"] == NONE:
        return [f"matches without a weight: {int(open_.sum())} of {len(games)}, counted with {otherwise}"]
    after = weighted(games, system, settings)
    by_table = after.loc[open_ & after["weight"].notna(), "weight"].value_counts().sort_index(ascending=False)
    notes = []
    if len(by_table):
        counted = ", ".join(f"{weight:g} in {count}" for weight, count in by_table.items())
        notes.append(
            f"{weights.symbol} by the competition's name: {counted} matches (elo-sheets systems {system.name} prints "
            "the table, --set weights=FILE.csv replaces names of it, weights=none turns it off)"
        )
    left = Counter(competitions(after)[after["weight"].isna()])
    if left:
        named = [f"{name!r} ({count})" if name else f"no name ({count})" for name, count in left.most_common(SHOWN)]
        more = f" and {len(left) - SHOWN} more" if len(left) > SHOWN else ""
        notes.append(f"competitions without a known weight: {', '.join(named)}{more}; they count with {otherwise}")
    return notes


def competitions(games: pd.DataFrame) -> pd.Series[str]:
    """Return the name of each match's competition as the log gives it, "" for none."""
    names = pd.Series("", index=games.index)
    for column in NAMED:
        if column in games:
            names = names.where(names != "", games[column].astype(str).str.strip())
    return names


def _unweighted(games: pd.DataFrame) -> pd.Series[bool]:
    if "weight" not in games:
        return pd.Series(True, index=games.index)
    return ~(games["weight"] > 0)


def _table(system: Rules, settings: Mapping[str, Any]) -> Mapping[str, float] | None:
    """Return the weights by plain names, or None where the settings or the system want none."""
    weights = system.weights
    if weights is None or settings.get("weights", NONE) == NONE:
        return None
    chosen = str(settings["weights"])
    return weights.by_name if chosen == TABLE else {**_behind(weights, own := read_weights(chosen)), **own}


def _behind(weights: Weights, own: Mapping[str, float]) -> Mapping[str, float]:
    """Return what a file of weights leaves of the table: nothing where it says what any other competition weighs."""
    return {} if ANY in own else weights.by_name


def read_weights(path: str) -> dict[str, float]:
    """Return the weights of a CSV file with the columns competition and weight, by plain names.

    Raises `UnreadableInput` that names file, row and value for what is no weight above 0 or stands twice.
    """
    try:
        with Path(path).open(encoding="utf-8-sig", newline="") as stream:
            rows = list(csv.DictReader(stream))
    except (OSError, UnicodeError) as error:
        raise UnreadableInput(f"expected a table of weights in CSV, UTF-8: {error}") from error
    found: dict[str, float] = {}
    for line, row in enumerate(rows, 2):
        cells = {str(key).strip().lower(): str(value or "").strip() for key, value in row.items()}
        if not {"competition", "weight"} <= cells.keys():
            raise UsageError(f"expected the columns competition and weight in {path}, got {', '.join(cells)}")
        if not any(cells.values()):
            continue
        name = ANY if cells["competition"] == ANY else plain_name(cells["competition"])
        if not name or name in found:
            reason = "stands twice" if name else "names no competition"
            raise UnreadableInput(f"{path}, row {line}: {cells['competition']!r} {reason}")
        found[name] = _weight(cells["weight"], f"{path}, row {line}")
    return found


def _weight(text: str, where: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < float("inf"):
        raise UnreadableInput(f"{where}: expected a weight above 0, got {text!r}")
    return number
