"""All layouts by name: what draws a book from a generator, with a slip or without."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from .forms import CURVES, RESULTS
from .groups import doubles, free_for_all, matrix
from .lines import duel, two_rows
from .logs import log_by
from .periods import glicko_1, month_sheets, months
from .recipes import RECIPES, recipe
from .sheets import Dice, Draft, Slip
from .views import journal, predictions, season, tournament

Layout = Callable[[Random, Slip | None], Draft]
NO_NAMES = ("blank", "heading", "subtotal")  # between the rows of a book that counts names

LAYOUTS: dict[str, Layout] = {
    "own-row carry": duel,
    "SUMIFS of earlier changes": log_by("sums"),
    "VLOOKUP from below": two_rows("vlookup"),
    "XLOOKUP from below": two_rows("xlookup"),
    "XLOOKUP of the last": two_rows("xlookup_last"),
    "LOOKUP(2,1/…)": two_rows("lookup"),
    "INDEX/MATCH": log_by("index_match"),
    "LET": log_by("let"),
    "MAX(IF()), two names a row": log_by("maxif"),
    "two rows a game, MAX(IF())": two_rows("maxif"),
    "SUMPRODUCT(MAX())": log_by("sumproduct"),
    "winners and losers": log_by("sums", winners=True, desk_draws=False),
    "K by number of games": log_by("sums", k_rule="games", desk_between=NO_NAMES),
    "K of each player": log_by("index_match", k_rule="player"),
    "whole-point rounding": log_by("sums", rounding=True),
    "letters W D L": log_by("sums", desk_results=("letters",)),
    "texts such as 3:1": log_by("let", desk_results=("score", "chess")),
    "home edge and margin": log_by("sums", edge=True, margin=True, desk_results=("goals",)),
    "home edge": log_by("index_match", edge=True),
    "a column for each player": matrix,
    "months by SUMIFS": months("months"),
    "months of unequal length": months("blocks"),
    "FIDE months": months("fide"),
    "weekly SUMPRODUCT": months("weekly"),
    "a sheet for each month": month_sheets,
    "Glicko-1": glicko_1,
    "doubles": doubles,
    "free-for-all": free_for_all,
    "season with table": season,
    "predictions": predictions,
    "journal": journal,
    "tournament": tournament,
    **{f"recipe: {name}": recipe(name) for name in RECIPES},
}

# one book for each spelling of a result and of the curve: rewrites that change nothing
SPELLINGS: dict[str, Layout] = {
    f"spelt: {name} {style + 1}": log_by("sums", desk_results=(name,), desk_result_style=style, desk_between=NO_NAMES)
    for name, result in RESULTS.items()
    for style in range(result.styles)
} | {
    f"spelt: curve {style + 1}": log_by("sums", desk_results=("points",), desk_curve=style, desk_between=NO_NAMES)
    for style in range(len(CURVES))
}


bare = False  # True leaves out the rows that are no games, to see what they cost


def draw(name: str, seed: int, slip: Slip | None = None) -> Draft:
    """Return the book of a layout for a seed: the same one each time, but for the slip."""
    return (LAYOUTS.get(name) or SPELLINGS[name])(Dice(f"{name} {seed}", bare), slip)
