"""First ratings in an event's sheets: FIDE's with its two draws, DWZ's from the performance.

The performance of a newcomer to DWZ, at which the normal curve expects the points that were scored, has no closed form.
A sheet closes in on it: a rating within 4096 points, then within 2048, and so on down to a quarter of a point, one
column each on Newcomers; and then by the slope of the curve. What is expected at each of these ratings stands on
First games, which has a row for each game. US Chess rates newcomers like everybody: `uschess`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from elo_sheets.systems import dwz, fide, lines
from elo_sheets.systems._system import Line
from elo_sheets.workbook.event.games import Event, Table
from elo_sheets.workbook.layout import rule_formula
from elo_sheets.workbook.plan import CellValue, Read

# The games that a first rating needs, by the federations whose first ratings have a sheet of their own.
FIRST_GAMES = {"fide": fide.FIRST_GAMES, "dwz": dwz.FIRST_GAMES}

# How near each column of Newcomers is to the performance, in rating points; the average opponent is the start.
NEARNESS = tuple(2.0**power for power in range(12, -3, -1))

# Decimals of a sum of expected scores that count as zero together, and of the rating that the slope gives first:
# engines know the normal curve to some ten digits.
DIGITS = 9, 3

NOBODY = "[Player no.]=0"

# Which column of Newcomers is tried in each column of First games; the slope needs a rating on either side.
LAST = f"within:{len(NEARNESS) - 1}"
TRIED = {
    **{f"tried:{at}": (f"within:{at}", 0.0, f"At {near:g}") for at, near in enumerate(NEARNESS)},
    "tried:above": (LAST, 1.0, "At 1 above"),
    "tried:below": (LAST, -1.0, "At 1 below"),
    "tried:closer": ("newcomer_closer", 0.0, "At closer"),
    "tried:performance": ("newcomer_performance", 0.0, "Expected"),
}

# The opponents' ratings and the points of a player to what the rule makes of them, None for nothing.
Core = Callable[[Sequence[float], float], float | None]


def near_columns(column: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return a template's column for each rating that comes nearer to the performance."""
    says = ["the average opponent", *(f"up from the column before, or down, by {near:g}" for near in NEARNESS[1:2])]
    about = [f"Within {near:g} points of the performance: {said}." for near, said in zip(NEARNESS, says, strict=False)]
    about += [""] * (len(NEARNESS) - len(about))
    return [
        {**column, "label": f"Within {near:g}", "role": f"within:{at}", "about": about[at]}
        for at, near in enumerate(NEARNESS)
    ]


def tried_columns(column: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return a template's column for each rating that is tried; the first one alone says what it is."""
    tried = [(role, text) for role, (_, _, text) in TRIED.items() if role != "tried:performance"]
    about = [column.get("about", ""), *[""] * len(tried)]
    return [
        {**column, "label": text, "role": role, "about": said} for (role, text), said in zip(tried, about, strict=False)
    ]


def newcomers(event: Event, roles: Callable[[str], Mapping[str, str]]) -> dict[str, Table]:
    """Return the tables of first ratings by sheet; `roles` gives the headers of a sheet by role."""
    table = Table("Newcomers", roles("Newcomers"), event.inputs.sizes["Newcomers"])
    if event.rules.name == "dwz":
        games = Table("FirstGames", roles("First games"), table.rows * event.inputs.sizes["Rounds"])
        DwzNewcomers(event, table, games)
        return {"Newcomers": table, "First games": games}
    table.numbers("newcomer_row")
    references = {
        "opponents_total": "[Sum of Rc]",
        "games": "[n]",
        "score": "[W]",
        "newcomer_average": "[Ra]",
        "newcomer_percent": "[Per cent]",
    }
    for line in lines((fide.newcomer_average, fide.newcomer_percent, fide.newcomer_rating)):
        table.step(line.name, line, references, NOBODY)
    return {"Newcomers": table}


class Approach:
    """The approach to performances: a table of players, and one of their games against rated opponents."""

    # What says of a row that it has no performance.
    unsolved = "[Solved]=0"

    def __init__(self, event: Event, people: Table, games: Table) -> None:
        self.event, self.people, self.games = event, people, games
        live = {parameter.name: parameter.cell for parameter in event.rules.live}
        self.spread = float(event.settings["spread"]) if "spread" in live else dwz.SPREAD
        self.deviation = f"({live.get('spread', f'{dwz.SPREAD:g}')}*SQRT(2))"
        people.numbers("newcomer_row")
        games.numbers("first_number")
        self._close_in()

    def solved(self, role: str, formula: str, unit: str = "points", core: Core | None = None) -> None:
        """Add a column of the players that is empty where there is no performance.

        `core` gives the value of the opponents' ratings and the points, without the approach of the sheet.
        """
        self.people.add(role, f'IF({self.unsolved},"",{formula})', unit, gives=core and self._by_core(core))

    def _by_core(self, core: Core) -> Callable[[Read], list[CellValue]]:
        def gives(read: Read) -> list[CellValue]:
            met: dict[CellValue, list[float]] = {}
            games = zip(read(f"{self.games.name}[Newcomer]"), read(f"{self.games.name}[Rc]"), strict=True)
            for row, rating in games:
                if row:
                    met.setdefault(row, []).append(float(rating or 0))
            rows = zip(read("[Row]"), read(f'IF({self.unsolved},"",[W])'), strict=True)
            found = (None if score == "" else core(met.get(row, []), float(score or 0)) for row, score in rows)
            return ["" if value is None else value for value in found]

        return gives

    def chance_of(self, difference: str) -> str:
        """Return the formula of the expected score at a difference."""
        return f"NORMSDIST(({difference})/{self.deviation})"

    def expected(self, tried: str) -> None:
        """Add the expected scores of every game at the ratings of a column of the players."""
        role, aside, _ = TRIED[tried]
        rating = f"INDEX({self.people.name}[{self.people.labels[role]}],[Newcomer])" + (f"{aside:+g}" if aside else "")
        self.games.add(tried, f'IF([Newcomer]=0,"",{self.chance_of(f"{rating}-[Rc]")})', "share")

    @property
    def adds_draws(self) -> bool:
        """Whether a draw is added where every game was won: so the rules of 2026 have it."""
        return "newcomer_added" in self.people.labels

    def _sum(self, tried: str) -> str:
        """Return the formula of the points that the curve expects at the ratings that the games have tried."""
        role, aside, text = TRIED[tried]
        offset = f"{aside:+g}" if aside else ""
        formula = f"SUMIFS({self.games.name}[{text}],{self.games.name}[Newcomer],[Row])"
        if self.adds_draws:
            formula += f"+[Added draws]*{self.chance_of(f'[{self.people.labels[role]}]{offset}-[Ra]')}"
        return formula

    @property
    def digits(self) -> tuple[int, int]:
        """Decimals of a sum of expected scores on which all engines agree, and of the rating that follows first."""
        return DIGITS

    def excess(self, tried: str) -> str:
        """Return the formula of how many points more than those made the curve expects at the ratings tried."""
        return f"ROUND({self._sum(tried)}-{'[Target]' if self.adds_draws else '[W]'},{self.digits[0]})"

    def _close_in(self) -> None:
        self.solved("within:0", "[Ra]")
        for at, near in enumerate(NEARNESS[1:], 1):
            before = self.people.labels[f"within:{at - 1}"]
            self.solved(f"within:{at}", f"[{before}]+{near:g}*IF({self.excess(f'tried:{at - 1}')}<0,1,-1)")
        for tried in TRIED:
            self.expected(tried)
        self.solved("newcomer_surplus", self.excess(f"tried:{len(NEARNESS) - 1}"), "share")
        self.solved("newcomer_slope", f"({self._sum('tried:above')}-({self._sum('tried:below')}))/2", "share")
        last = self.people.labels[LAST]
        self.solved("newcomer_closer", f"ROUND([{last}]-[Surplus]/[Slope],{self.digits[1]})")
        formula = f"ROUND([Closer]-{self.excess('tried:closer')}/[Slope],{dwz.PERFORMANCE_DIGITS})"
        self.solved("newcomer_performance", formula, core=self.core)

    def core(self, opponents: Sequence[float], score: float) -> float | None:
        """Return the performance as the rating core knows it."""
        raise NotImplementedError


class DwzNewcomers(Approach):
    """DWZ: the performance against rated opponents, its curve not rounded; five games are needed."""

    def __init__(self, event: Event, people: Table, games: Table) -> None:
        super().__init__(event, people, games)
        self.solved("newcomer_missed", self.excess("tried:performance"), "share")
        step = dwz.rating_of_performance_2026 if self.adds_draws else dwz.rating_of_performance
        self.solved(
            "newcomer_first",
            rule_formula(Line.of(step), {"performance": "[Performance]"}),
            core=lambda *played: found.rating if (found := self._first(*played)) else None,
        )

    def _first(self, opponents: Sequence[float], score: float) -> dwz.FirstRating | None:
        return dwz.first_rating(opponents, score, self.event.rules.edition, self.spread)

    def core(self, opponents: Sequence[float], score: float) -> float | None:
        found = self._first(opponents, score)
        return found and found.performance


def checks(tables: Mapping[str, Table]) -> dict[str, tuple[str, str]]:
    """Return what should be zero: formula and unit by role."""
    found = {"beyond_newcomers": ("MAX(0,MAX(Ratings[Newcomer])-ROWS(Newcomers[Row]))", "count")}
    if "First games" in tables:
        found["beyond_first_games"] = ("MAX(0,MAX(Ledger[First total])-ROWS(FirstGames[No.]))", "count")
    return found
