"""The differences as JSON."""

from __future__ import annotations

from typing import Any

from elo_sheets.uses.differing.changes import ADDED, CHANGED, REMOVED, Differences
from elo_sheets.uses.differing.sides import EVENT, Game, Side


def record(found: Differences) -> dict[str, Any]:
    """Return the differences as their JSON output holds them (schema 1)."""
    places = {change: i for kind in (ADDED, REMOVED, CHANGED) for i, change in enumerate(found.of(kind))}
    return {
        "schema": 1,
        "same": found.same,
        "a": _side_record(found.a),
        "b": _side_record(found.b),
        "settings": [vars(setting) for setting in found.settings],
        "start": [vars(setting) for setting in found.start],
        "games": {
            "unchanged": found.unchanged,
            "added": [_game_record(change.game) for change in found.of(ADDED)],
            "removed": [_game_record(change.game) for change in found.of(REMOVED)],
            "changed": [
                {"fields": list(c.fields), "before": _game_record(c.before), "after": _game_record(c.after)}
                for c in found.of(CHANGED)
                if c.before is not None and c.after is not None
            ],
        },
        "players": [
            {
                "name": one.name,
                "before": one.before,
                "after": one.after,
                "change": one.change,
                "because": [
                    {
                        "cause": part.cause,
                        "text": part.text,
                        "change": part.change,
                        "games": [{"list": found.games[i].kind, "index": places[found.games[i]]} for i in part.changes],
                    }
                    for part in one.because
                ],
            }
            for one in found.players
        ],
        **({"totals": [vars(total) for total in found.totals]} if found.a.kind == EVENT else {}),
    }


def _side_record(side: Side) -> dict[str, Any]:
    return {
        "file": side.name,
        "kind": side.kind,
        "player": side.player,
        "system": side.system.full_name,
        "settings": dict(side.settings),
        **side.log.counts,
        "problems": [vars(problem) for problem in side.log.problems],
        "notes": side.log.notes,
    }


def _game_record(game: Game) -> dict[str, Any]:
    return {
        "game": game.number,
        "date": game.day or None,
        "white": game.white_name,
        "black": game.black_name,
        **dict(game.details),
        "result": game.result,
        "source": game.source,
        "row": game.source_row,
    }
