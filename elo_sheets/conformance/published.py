"""The published answers as they ship with the package."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TypeVar

from elo_sheets.replaying.cases import Answer, Maker
from elo_sheets.shipped import shipped_data

M = TypeVar("M", bound=Maker)

# Where an answer of one system is asked of another one's module.
SYSTEM_NAMES = {
    "world-football-elo": "world-football",
    "nfl-538": "nfl",
    "nba-538": "nba",
    "tennis-538": "tennis",
    "labelle": "match",
}


@lru_cache(maxsize=1)
def answers() -> dict[str, Answer]:
    """Return every published answer by its id."""
    return {answer["id"]: answer for answer in shipped_data("conformance/answers.json")}


def system_of(answer: Answer) -> str:
    """Return the name of the rating system that an answer is about; `match` for odds of a match."""
    name = str(answer["system"])
    return SYSTEM_NAMES.get(name, name)


# What turns answers into cases, by the beginning of their ids.
MAKERS: dict[str, Maker] = {}


def asks(*beginnings: str) -> Callable[[M], M]:
    """Return a decorator: the function turns the answers whose ids begin so into cases."""

    def known(maker: M) -> M:
        MAKERS.update(dict.fromkeys(beginnings, maker))
        return maker

    return known
