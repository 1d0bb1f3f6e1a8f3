"""Games, wins and draws in one number, so that one sum counts all three."""

from __future__ import annotations

# What a game and a win are worth in it, a draw being 1.
GAME, WIN = 10**10, 10**5


def packed(uncounted: str) -> str:
    """Return the formula of a row's number, 0 where it is `uncounted`; the column Score holds its result."""
    return f"IF({uncounted},0,{GAME}+IF([Score]=1,{WIN},IF([Score]=0.5,1,0)))"


def unpacked(tally: str) -> dict[str, str]:
    """Return the formulas of games, wins, draws and losses from a sum of such numbers.

    >>> unpacked("A1")["wins"]
    'INT(A1/100000)-100000*INT(A1/10000000000)'
    """
    games, wins = f"INT({tally}/{GAME})", f"INT({tally}/{WIN})-{GAME // WIN}*INT({tally}/{GAME})"
    draws = f"{tally}-{WIN}*INT({tally}/{WIN})"
    return {"games": games, "wins": wins, "draws": draws, "losses": f"{games}-({wins})-({draws})"}
