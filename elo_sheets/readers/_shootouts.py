"""Lists of shoot-outs beside the results: day, sides and winner, without a score.

A shoot-out decides a drawn game and is no game of its own, so that its row is told to that game and counts no more.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from elo_sheets._late import pd
from elo_sheets.errors import UnreadableInput
from elo_sheets.readers._tables import SIDES
from elo_sheets.readers._text import Reading, identity

NAMED = re.compile(r"shoot[ _-]?(?:out|er)|penalt|elfmeter|tirs[ _-]?au[ _-]?but|rigori", re.I)
ALONE = (
    "expected games, got a list of shoot-outs ({name}), each of which decides a drawn game and is none of its own: "
    "give it beside the results; if its rows are games, say so with --map winner={winner}"
)


def is_named(texts: Sequence[str]) -> bool:
    """Whether headings, or the name of a file, speak of shoot-outs."""
    return any(map(NAMED.search, texts))


def told_to_games(whole: Reading) -> dict[int, str]:
    """Tell the drawn games who won their shoot-outs; return the rows of lists of shoot-outs, and why each is no game.

    A log of winners without scores is such a list where its headings or its name say so, or where its games are drawn
    in the other logs. Raises `UnreadableInput` where there is nothing else.
    """
    table = whole.table
    assert table is not None
    out: dict[int, str] = {}
    for source, (winner, named) in whole.winners.items():
        of_it = (table["source"] == source).to_numpy()
        rows = table.index[of_it].tolist()
        if named and rows and of_it.all():
            raise UnreadableInput(ALONE.format(name=source, winner=winner))
        games = {} if of_it.all() else _beside(table[~of_it], table[of_it])
        if not named and not any(score == 0.5 for some in games.values() for _, score in some):
            continue
        met = [games.get(key, []) for key in _keys(table[of_it])]
        drawn = [next((game for game, score in some if score == 0.5), None) for some in met]
        of_games = sum(map(bool, met))
        alike = all(game is not None for game, some in zip(drawn, met, strict=True) if some)
        if not rows or not (named or (alike and 2 * of_games >= len(rows))):
            continue
        for at, game, some in zip(rows, drawn, met, strict=True):
            out[at] = _told(table, at, game, bool(some))
        added = sum(game is not None for game in drawn)
        whole.notes.append(
            f"{source} is a list of shoot-outs, each of which decides a drawn game and is none of its own: {added} of "
            f"{len(rows)} told to a drawn game of these logs"
        )
    return out


def _beside(games: pd.DataFrame, rows: pd.DataFrame) -> dict[Any, list[tuple[int, float]]]:
    """Return the places and scores of the games of the days of these rows, by day and players."""
    games = games[games["date"].dt.normalize().isin(rows["date"].dt.normalize().dropna())]
    found: dict[Any, list[tuple[int, float]]] = defaultdict(list)
    for key, at, score in zip(_keys(games), games.index.tolist(), games["score"].tolist(), strict=True):
        found[key].append((at, score))
    return found


def _keys(games: pd.DataFrame) -> list[tuple[Any, frozenset[str]]]:
    days = games["date"].dt.normalize().tolist()
    whites, blacks = (map(identity, games[side].tolist()) for side in SIDES)
    return [(day, frozenset(two)) for day, *two in zip(days, whites, blacks, strict=True)]


def _told(table: pd.DataFrame, at: int, game: int | None, met: bool) -> str:
    """Tell a drawn game who won its shoot-out; return why the row that says so is no game."""
    if game is None:
        return f"a shoot-out, which is no game: its game is {'not drawn' if met else 'not'} in these logs"
    white, winner = (identity(str(table.at[row, side])) for row, side in ((game, "white"), (at, _winner(table, at))))
    if "shootout" not in table:
        table["shootout"] = float("nan")
    table.at[game, "shootout"] = 1.0 if white == winner else -1.0
    source, row = table.loc[game, ["source", "source_row"]]
    return f"a shoot-out, which is no game: told to {source}, row {row}"


def _winner(table: pd.DataFrame, at: int) -> str:
    return "white" if table.at[at, "score"] == 1 else "black"
