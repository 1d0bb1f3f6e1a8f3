"""`diff`: two books or logs compared by their games and ratings."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import click

from elo_sheets.cli import _options as options
from elo_sheets.cli._notes import say_log

DIFFERS = 1
MOST_GAMES, MOST_PLAYERS, MOST_PARTS = 50, 30, 5

# Changes of a rating that would print as 0.0.
SMALL = 0.05


@options.command("diff")
def diff(a: str, b: str, how: Any, as_json: bool, **asked: Any) -> None:
    """Compare two books or logs by their games and ratings.

    Cells are not compared. Prints what is another in B than in A: settings, games added, removed and changed, and who
    moved by how much because of which of these. A book is one that elo-sheets made; a log beside it is rated by its
    settings. The parts of a change are found by applying B's differences to A one by one, settings first, then the
    games in the order of play. Two event books are two states of one event: points are compared, too, and as an event
    is rated as a whole, no change is told apart by games.

    Exit code 1 when the two differ.
    """
    from elo_sheets.uses.differing import diff as compare
    from elo_sheets.uses.differing.records import record

    found = compare(a, b, **asked, **how)
    if as_json:
        options.echo_json(record(found))
    else:
        for side in (found.a, found.b):
            say_log(side.log.problems, [f"{side.name}: {note}" for note in side.log.notes])
        click.echo("\n".join(_in_words(found)))
    sys.exit(0 if found.same else DIFFERS)


def _in_words(found: Any) -> Iterator[str]:
    for letter, side in (("A", found.a), ("B", found.b)):
        kind = f"{side.kind} of {side.player}" if side.player else side.kind
        yield f"{letter}: {side.name} ({kind}, {_count(side.log.kept, 'rated game')}, system {side.system.full_name})"
    if found.same:
        yield "the same games and the same ratings"
        return
    for heading, settings in (("Settings", found.settings), ("Start ratings", found.start)):
        if settings:
            yield f"\n{heading} that differ:"
            rows = [[one.name, _value(one.before), _value(one.after)] for one in settings]
            yield from _indented(options.text_table(["", "A", "B"], rows))
    counts = {kind: found.of(kind) for kind in ("added", "removed", "changed")}
    yield f"\nGames: {found.unchanged} unchanged, " + ", ".join(f"{len(v)} {kind}" for kind, v in counts.items())
    for change in found.games[:MOST_GAMES]:
        yield f"  {change}   [{_places(change)}]"
    if len(found.games) > MOST_GAMES:
        yield f"  … and {len(found.games) - MOST_GAMES} more: --json lists all"
    if found.totals:
        yield "\nPoints that differ:"
        rows = [[one.name, _value(one.before), _value(one.after)] for one in found.totals]
        yield from _indented(options.text_table(["player", "A", "B"], rows))
    yield from _players(found)


def _players(found: Any) -> Iterator[str]:
    if not found.players:
        yield "\nRatings: all the same"
        return
    yield f"\nRatings: {_count(len(found.players), 'player')} moved"
    shown = [one for one in found.players if one.change is None or abs(one.change) >= SMALL][:MOST_PLAYERS]
    rows = []
    for one in shown:
        rows.append([one.name, _rating(one.before), _rating(one.after), _change(one.change), ""])
        parts = sorted(one.because, key=lambda part: -abs(part.change))
        told = [part for part in parts if abs(part.change) >= SMALL][:MOST_PARTS]
        rows += [["", "", "", _change(p.change), p.text] for p in one.because if p in told]
        rest = [part for part in one.because if part not in told]
        if rest and told:
            rows.append(["", "", "", _change(sum(p.change for p in rest)), _count(len(rest), "smaller part")])
    if rows:
        columns = 5 if any(row[4] for row in rows) else 4
        headers = ["player", "A", "B", "change", "because of"][:columns]
        yield from _indented(options.text_table(headers, [row[:columns] for row in rows], left=(0, 4)))
    if len(shown) < len(found.players):
        small = sum(one.change is not None and abs(one.change) < SMALL for one in found.players)
        rest = len(found.players) - len(shown) - small
        if rest:
            yield f"  … and {_count(rest, 'more player')}: --json lists all"
        if small:
            yield f"  … and {_count(small, 'player')} by less than {SMALL} points"


def _places(change: Any) -> str:
    places = [f"{game.source}, row {game.source_row}" for game in (change.before, change.after) if game is not None]
    return " → ".join(places)


def _indented(text: str) -> Iterator[str]:
    yield from (f"  {line}" for line in text.splitlines())


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _value(value: Any) -> str:
    return "–" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def _rating(rating: float | None) -> str:
    return "–" if rating is None else f"{rating:.1f}"


def _change(change: float | None) -> str:
    return "–" if change is None else f"{change:+.1f}"


COMMANDS = (diff,)
