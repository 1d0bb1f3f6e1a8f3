"""The single figures of a journal's Dashboard, and the search for its exact performances."""

from __future__ import annotations

from collections.abc import Callable

from elo_sheets.workbook.book import HEADER_ROW
from elo_sheets.workbook.journal.formulas import NEAR, PART
from elo_sheets.workbook.journal.stats import LAST_BREAK, Fills, numbered
from elo_sheets.workbook.layout import TableLayout
from elo_sheets.workbook.sums import unpacked

# Named cells of the shown pool: its games, the rows of its last game and of its highest rating, the last game's key.
GAMES, LAST, PEAK = "Shown_games", "Shown_last_row", "Shown_peak_row"
# The wins and draws of its games in one number.
RESULTS = "Shown_results"

# Rounds in which an exact performance is looked for, enough for halvings alone; three to nine are worked out, and the
# others repeat the last. It is found when the points expected of it are so near to those made, as a share of the games:
# far from what sums in another order differ by, so that every program ends with the same bounds.
ROUNDS = 60
NEAR_ENOUGH = "0.000000000001"
RECENT = 20
# The columns of the search with what the last games had, and those of the Ledger with it.
LAST_20 = {"Score 20": "Score", "Expected 20": "Expected counted", "Opponent 20": "Opponent rating"}
HIGHEST = "INDEX(Pools[Highest],Pool_number)"
_PUBLISHED = "INDEX(Pools[Start rating],Pool_number)"
# Whether the shown pool's rating was never above a published one that it began with.
BEGUN = f"AND(ISNUMBER({_PUBLISHED}),{_PUBLISHED}>={HIGHEST}-{NEAR:f})"


def switches(games_below: Callable[[str, str], str]) -> dict[str, str]:
    """Return the formulas of the named cells that tell where the shown pool's games stand."""
    before = games_below("Pool_number", f"({HIGHEST}-{NEAR:f})")
    return {
        GAMES: "INDEX(Pools[Games],Pool_number)",
        LAST: "INDEX(Pools[Last row],Pool_number)",
        RESULTS: "SUM(Ledger[Tally])",
        PEAK: f"IF({LAST}=0,0,MATCH({PART}*Pool_number+1+{before},Ledger[Key],0))",
        LAST_BREAK: "SUMPRODUCT(MAX(Ledger[Order break]*Ledger[Game]))",
    }


def figure_terms(scale: str) -> dict[str, str]:
    """Return what the formulas of the Dashboard's figures may name; `scale` is the rule's."""
    counts = unpacked(RESULTS)
    won, drawn = (f"({counts[name]})" for name in ("wins", "draws"))
    found = {"won": won, "drawn": drawn, "begun": BEGUN, "scale": scale}
    return found | {"recent": f"{RECENT}", "rounds": f"{ROUNDS}"}


# --- exact performance: Newton's method between two bounds


def _count(suffix: str) -> str:
    return f"MIN({RECENT},{GAMES})" if suffix else GAMES


def exact(scale: str) -> Fills:
    """Return the fills of the search for the exact performances: of all games, and of the last 20."""
    columns = [f"{name}{suffix}" for suffix in ("", " 20") for name in ("Points", "Low", "High", "Middle", "Expects")]
    layout = TableLayout("Exact", ["Round", "Counted 20", "Row 20", *LAST_20, *columns], HEADER_ROW)
    recent, points = f"[Round]<=MIN({RECENT},{GAMES})", unpacked(RESULTS)
    row, last = (f"IF([Counted 20]=1,{found},0)" for found in ("INDEX(Ledger[Previous],up[Row 20])", LAST))
    fills = numbered(ROUNDS, "Round")
    fills["Counted 20"] = layout.fill(f"IF({recent},1,0)", "count")
    fills["Row 20"] = layout.fill(row, "count", first=last)
    for label, told in LAST_20.items():
        text = f"IF([Counted 20]=1,INDEX(Ledger[{told}],[Row 20]),0)"
        fills[label] = layout.fill(text, "points" if label == "Opponent 20" else "share")
    for suffix, total, chosen, opponents in (
        ("", f"({points['wins']}+({points['draws']})/2)", "Ledger[Counted]", "Ledger[Opponent counted]"),
        (" 20", "SUM(Exact[Score 20])", "Exact[Counted 20]", "Exact[Opponent 20]"),
    ):
        for name, (formula, unit, first) in _search(suffix, total, chosen, opponents, scale).items():
            fills[f"{name}{suffix}"] = layout.fill(formula, unit, first=first)
    return fills


def _search(suffix: str, total: str, chosen: str, opponents: str, scale: str) -> dict[str, tuple[str, str, str | None]]:
    """Return formula, unit and the formula of the first round of each column of a search.

    What points stand for in rating, against one opponent, rises nearly as the rating does that is expected to make
    them: so Newton's method takes some five rounds. It begins at the mean of the opponents and goes at most to the
    middle of the bounds: the lowest and the highest opponent at first, moved by what the points made stand for.
    """
    count = _count(suffix)
    points, low, high, middle, expects = (
        f"[{name}{suffix}]" for name in ("Points", "Low", "High", "Middle", "Expects")
    )

    def stands_for(points: str) -> str:
        return f"{scale}*LOG10({points}/({count}-{points}))"

    def expected(of: str, power: str = "") -> str:
        return f"SUMPRODUCT({chosen}/(1+10^(({opponents}-{of})/{scale})){power})"

    moved = f"IF(OR({points}<=0,{points}>={count}),0,{stands_for(points)})"
    lowest = f"{PART}-SUMPRODUCT(MAX({chosen}*({PART}-{opponents})))"
    highest = f"SUMPRODUCT(MAX({chosen}*({PART}+{opponents})))-{PART}"
    # How fast what the points stand for rises.
    left = f"(up{expects}*({count}-up{expects}))"
    slope = f"MAX(0.000001,{count}*(up{expects}-{expected(f'up{middle}', '^2')})/{left})"
    newton = f"up{middle}-({stands_for(f'up{expects}')}-{stands_for(points)})/{slope}"
    found = f"{points}<=0,{points}>={count},ABS(up{expects}-{points})<={NEAR_ENOUGH}*{count}"
    below, halfway = f"up{expects}<up{points}", f"({low}+{high})/2"

    def some(formula: str) -> str:
        return f"IF({GAMES}=0,0,{formula})"

    return {
        "Points": (f"up{points}", "number", some(total)),
        "Low": (f"IF(OR({found},{below}),up{middle},up{low})", "points", some(f"{lowest}+{moved}")),
        "High": (f"IF(OR({found},NOT({below})),up{middle},up{high})", "points", some(f"{highest}+{moved}")),
        "Middle": (
            f"IF(OR({found}),up{middle},MEDIAN(up{middle},{newton},{halfway}))",
            "points",
            some(f"SUMPRODUCT({chosen},{opponents})/{count}+{moved}"),
        ),
        "Expects": (some(f"IF({middle}=up{middle},up{expects},{expected(middle)})"), "number", some(expected(middle))),
    }
