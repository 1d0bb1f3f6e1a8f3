"""Ids of players that stand in columns beside their names, as FIDE's and federations' exports have them."""

from __future__ import annotations

from collections import defaultdict

from elo_sheets._late import np
from elo_sheets.readers._cells import Cells
from elo_sheets.readers._layout import Layout

PAIRS = (
    ("white", "white_id"),
    ("black", "black_id"),
    ("winner", "white_id"),
    ("loser", "black_id"),
    ("opponent", "opponent_id"),
)
NONE = frozenset({"", "0", "-", "?", "na", "n/a", "nan", "none", "null"})


def ids_of(cells: Cells, layout: Layout) -> dict[str, str]:
    """Return the id of each player who has one and only one, by `identity` of the name."""
    found: dict[str, set[str]] = defaultdict(set)
    for side, role in PAIRS:
        if side not in layout.roles or role not in layout.roles:
            continue
        names, ids = cells.columns[layout.roles[side]], cells.columns[layout.roles[role]]
        width = max(len(ids.texts), 1)
        for pair in np.unique(names.codes * width + ids.codes).tolist():
            name, number = divmod(pair, width)
            text = ids.texts[number].strip().removesuffix(".0")
            if text.casefold() not in NONE:
                found[names.texts.keys[name]].add(text.lstrip("0") or text)
    return {name: min(some) for name, some in found.items() if len(some) == 1}
