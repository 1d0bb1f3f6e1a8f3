"""Rows between games, and games that nobody played: a bye moves nothing, and a bonus moves one player."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from elo_sheets.detective.chain import Log
from elo_sheets.recognise.context import Proposal
from elo_sheets.recognise.data_faults import typed_number
from elo_sheets.recognise.model import Model


def without_byes(model: Model, log: Log, names: Collection[int], found: dict[int, tuple[int, ...]]) -> list[int]:
    """The rows of games that lack an entry, but for byes: of several one player's name lacks, and nothing moves."""
    alone = [row for row, (_, *lacks) in found.items() if len(lacks) == 1 and lacks[0] in names]
    byes = {row for row in alone if not any(moves(model, log, row, column) for column in log.changes)}
    return [row for row in found if row not in byes] if len(byes) > 1 else list(found)


def moves(model: Model, log: Log, row: int, column: int) -> bool:
    """Whether a column of changes shows one, or a player's own column another rating than in the row above."""
    value = model.value((log.sheet, row, column))
    return value != model.value((log.sheet, row - 1, column)) if column in log.lines else value not in (None, "", 0)


def texts_between(model: Model, log: Log) -> Iterator[Proposal]:
    """Changes typed as texts in rows between games, as of a bonus: sums leave them out."""
    for key in ((log.sheet, row, column) for row in sorted(log.furniture) for column in sorted(log.changes)):
        value = model.value(key)
        number = typed_number(value) if isinstance(value, str) and key not in model.forms else None
        if number is not None:
            says = f"{value!r} is a text, where the others are numbers"
            yield Proposal("ES410", (key,), says, values={key: number}, rank=1)


__all__ = ["moves", "texts_between", "without_byes"]
