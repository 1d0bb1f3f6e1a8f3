"""Rules of the house: what is no rating rule as others know it, and holds because its owner says so."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Iterator, Mapping

from elo_sheets.errors import UsageError
from elo_sheets.recognise.context import Proposal

# what may be declared, and the codes of the findings that say it is otherwise
HOUSES: dict[str, tuple[str, ...]] = {
    "win": ("ES127",),
    "draw": ("ES104", "ES127"),
    "loss": ("ES127",),
    "score": ("ES127",),
    "scale": ("ES102", "ES110", "ES111"),
    "k": ("ES120",),
}
CLOSE = 1e-3  # a number is declared as it is printed, with four digits


def parse_house(text: str) -> tuple[str, float]:
    """Return name and number of a rule of the house.

    >>> parse_house("draw=0")
    ('draw', 0.0)

    Raises `UsageError` for a name that is none of `HOUSES`, and for what is no number.
    """
    name, _, number = (part.strip() for part in text.partition("="))
    if name.lower() not in HOUSES:
        known = ", ".join(f"{one}=" for one in HOUSES)
        raise UsageError(f"{text!r} declares no rule of the house; write one of {known} and a number, such as draw=0")
    try:
        value = float(number.replace(",", "."))
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise UsageError(f"{text!r} declares no number; write {name}= and a number, such as {name}=0.5")
    return name.lower(), value


def is_declared(declared: Mapping[str, float], house: str) -> bool:
    """Whether a house, such as `draw=0`, is among those that were declared."""
    name, _, number = house.partition("=")
    value = declared.get(name)
    return value is not None and bool(number) and math.isclose(float(number), value, rel_tol=CLOSE, abs_tol=CLOSE / 10)


def but_declared(proposals: Iterable[Proposal], held: Iterable[str], open_: Iterable[str]) -> Iterator[Proposal]:
    """Proposals without those that say what a declared house says; the others say how theirs is declared.

    `held` are houses that were declared and that the games follow, `open_` those that nobody declared.
    """
    silent = {code for house in held for code in HOUSES[house.partition("=")[0]]}
    by_code = {code: house for house in open_ for code in HOUSES[house.partition("=")[0]]}
    for one in proposals:
        if one.code not in silent:
            yield dataclasses.replace(one, house=one.house or by_code.get(one.code, ""))


__all__ = ["HOUSES", "but_declared", "is_declared", "parse_house"]
