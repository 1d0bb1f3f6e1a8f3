"""The games of one player, from their side: what a journal is made of, and what it leaves out of a log."""

from __future__ import annotations

from elo_sheets._late import pd
from elo_sheets.games import OTHER, find_player

# What a journal keeps of a game as the log says it: what periods are read from, and what its results are counted by.
_KEPT = {"round", "season", "pool", "eco", "time_control", "weight", "handicap", "url", "origin"}


def journal_games(games: pd.DataFrame, player: str) -> pd.DataFrame:
    """Return a player's games from their side, one row each, in the order of play.

    Columns: `game`, `date`, `player`, `opponent`, `colour` (white or black), `score` (the player's),
    `own_rating` and `opponent_rating` (published before the game, the opponent's after it where the log has no
    other; NaN unknown), `event`, `source`, `source_row`, and as the log has them
    the pool, opening, time control, weight, handicap and page, and what a rating period may be read from.
    """
    name = find_player(games, player)
    mine = games[(games["white"] == name) | (games["black"] == name)]
    white = (mine["white"] == name).to_numpy()

    def side(own: str, other: str) -> pd.Series:
        empty = pd.Series(float("nan"), index=mine.index)
        return mine.get(own, empty).where(white, mine.get(other, empty))

    published = side("black_rating", "white_rating")
    kept = {str(column): mine[column] for column in mine if column in _KEPT or str(column).startswith(OTHER)}
    return pd.DataFrame(
        {
            "game": mine["game"],
            "date": mine["date"],
            "player": name,
            "opponent": mine["black"].where(white, mine["white"]),
            "colour": pd.Series(white, index=mine.index).map({True: "white", False: "black"}).astype(str),
            "score": mine["score"].where(white, 1 - mine["score"]),
            "own_rating": side("white_rating", "black_rating"),
            "opponent_rating": published.fillna(side("black_rating_after", "white_rating_after")),
            "event": mine["event"] if "event" in mine else "",
            "source": mine["source"],
            "source_row": mine["source_row"],
            **kept,
        }
    ).reset_index(drop=True)
