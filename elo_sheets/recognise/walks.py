"""Cells that follow from one another, each met once."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from elo_sheets.recognise.model import Key


def follow(start: Iterable[Key], step: Callable[[Key], Iterable[Key]], depth: int | None = None) -> list[Key]:
    """Return the cells that `step` leads to, the nearest first, without the start; of so many steps at most."""
    met = dict.fromkeys(start)
    edge, begun = [*met], len(met)
    while edge and depth != 0:
        edge = [one for one in dict.fromkeys(one for key in edge for one in step(key)) if one not in met]
        met.update(dict.fromkeys(edge))
        depth = None if depth is None else depth - 1
    return [*met][begun:]
