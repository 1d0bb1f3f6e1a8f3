"""First ratings in an event's sheets: FIDE's with its two draws, DWZ's from the performance.

The performance of a newcomer to DWZ, at which the normal curve expects the points that were scored, has no closed form.
A sheet closes in on it: a rating within 4096 points, then within 2048, and so on down to a quarter of a point, one
column each on Newcomers; and then by the slope of the curve. What is expected at each of these ratings stands on
First games, which has a row for each game. US Chess rates newcomers like everybody: `uschess`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from elo_sheets.systems import dwz, fide, lines
from elo_sheets.systems._system import Line
from elo_sheets.workbook.event.games import Event, Table
from elo_sheets.workbook.layout import rule_formula
from elo_sheets.workbook.plan import CellValue, Read

# The federations whose first ratings have a sheet of their own.
FEDERATIONS = ("fide", "dwz")

# How near each column of Newcomers is to the performance, in rating points; the average opponent is the start.
NEARNESS = tuple(2.0**power for power in range(12, -3, -1))

# Decimals of a sum of expected scores that count as zero together, and of the rating that the slope gives first:
# engines know the normal curve to some ten digits.
DIGITS = 9, 3

NOBODY = "[Player no.]=0"


class Shown(NamedTuple):
    """How a column looks, and what the sheet Formulas says of it."""

    label: str
    style: str
    width: float
    about: str = ""


COMMON = {
    "newcomer_row": Shown("Row", "integer", 6),
    "newcomer_player": Shown("Player no.", "helper", 0, "The player's number on Players."),
    "newcomer_name": Shown("Name", "name", 27, "The player."),
    "newcomer_games": Shown("n", "integer", 7, "Games against rated opponents."),
    "newcomer_score": Shown("W", "number", 7, "Points against rated opponents."),
    "newcomer_total": Shown("Sum of Rc", "whole", 11, "Sum of these opponents' ratings."),
}

FIDE = {
    "newcomer_average": Shown("Ra", "points", 9, "Average opponent, two imaginary ones of 1800 included."),
    "newcomer_percent": Shown("Per cent", "whole", 9, "Score in whole per cent, two imaginary draws included."),
    "newcomer_rating": Shown("Ru", "whole", 9, "Ra and the table's difference at the per cent, rounded, 2200 at most."),
    "newcomer_before": Shown("Games before", "integer", 14, "Rated games before this event, as typed on Players."),
    "newcomer_first": Shown("First rating", "whole_strong", 11, "The first rating, where it would be published."),
    "newcomer_remark": Shown("Remark", "status", 50, "Why there is a first rating, or none."),
}


class Newcomers:
    """The sheet Newcomers."""

    def __init__(self, event: Event, games_before: str = "") -> None:
        self.event, self.before = event, games_before
        rows = event.inputs.sizes["Newcomers"]
        self.columns = {**COMMON, **self.rule}
        self.table = Table("Newcomers", {role: one.label for role, one in self.columns.items()}, rows)
        self._common()
        self._rate()

    @property
    def rule(self) -> Mapping[str, Shown]:
        """The columns of the federation's rule."""
        raise NotImplementedError

    def _common(self) -> None:
        table = self.table
        table.constants("newcomer_row", [float(i) for i in range(1, table.rows + 1)], "count")
        table.add(
            "newcomer_player", "IF([Row]>MAX(Ratings[Newcomer]),0,SUMPRODUCT((Ratings[Newcomer]=[Row])*Ratings[Id]))"
        )
        which = "Ledger[Player no.],[Player no.],Ledger[First],1"
        self.add("newcomer_name", "INDEX(Ratings[Name],[Player no.])", "text")
        self.add("newcomer_games", f"COUNTIFS({which})")
        self.add("newcomer_score", f"SUMIFS(Ledger[Points],{which})", "number")
        self.add("newcomer_total", f"SUMIFS(Ledger[Opponent rating],{which})", "points")

    def add(self, role: str, formula: str, unit: str = "count") -> None:
        """Add a column that is empty where no newcomer stands."""
        self.table.add(role, f'IF({NOBODY},"",{formula})', unit)

    def _rate(self) -> None:
        raise NotImplementedError

    @property
    def checks(self) -> dict[str, tuple[str, str]]:
        """What should be zero: formula, value and unit by role."""
        return {"beyond_newcomers": ("MAX(0,MAX(Ratings[Newcomer])-ROWS(Newcomers[Row]))", "count")}


class FideNewcomers(Newcomers):
    """FIDE: two draws with 1800 are added, five games are needed, a first event without a point does not count."""

    @property
    def rule(self) -> Mapping[str, Shown]:
        return FIDE

    def _rate(self) -> None:
        references = {
            "opponents_total": "[Sum of Rc]",
            "games": "[n]",
            "score": "[W]",
            "newcomer_average": "[Ra]",
            "newcomer_percent": "[Per cent]",
        }
        for line in lines((fide.newcomer_average, fide.newcomer_percent, fide.newcomer_rating)):
            self.table.step(line.name, line, references, NOBODY)
        self.add("newcomer_before", f"INDEX(Ratings[{self.before}],[Player no.])")
        enough = f"[Games before]<=0,[n]>={fide.FIRST_GAMES},[W]>0,[Ru]>={fide.LEAST_RATING}"
        self.add("newcomer_first", f'IF(AND({enough}),[Ru],"")', "points")
        self.add(
            "newcomer_remark",
            'IF([Games before]>0,"earlier games count too: to be rated together",'
            'IF([W]=0,"no points in the first event: it does not count",'
            f'IF([n]<{fide.FIRST_GAMES},"fewer than {fide.FIRST_GAMES} games: they count with later ones",'
            f'IF([Ru]<{fide.LEAST_RATING},"below {fide.LEAST_RATING}: not published","first rating"))))',
            "text",
        )


def _dwz_columns() -> dict[str, Shown]:
    found = {
        "newcomer_average": Shown("Ra", "points", 9, "Average opponent."),
        "newcomer_performance": Shown(
            "Performance", "decimal", 14, "The rating at which the normal curve expects the points that were scored."
        ),
        "newcomer_missed": Shown(
            "Misses by", "decimal_fine", 12, "Points expected at the performance, less those scored."
        ),
        "newcomer_first": Shown("First rating", "whole_strong", 12, "The first rating that the performance gives."),
        "newcomer_remark": Shown("Remark", "status", 38, "Why there is a first rating, or none."),
        "newcomer_solved": Shown("Solved", "helper", 9, "1 where there is a performance."),
        "newcomer_added": Shown("Added draws", "helper", 13, "1 for a draw with Ra, added where every game was won."),
        "newcomer_target": Shown("Target", "quiet_points", 9, "Points that the curve should expect."),
    }
    for at, near in enumerate(NEARNESS):
        says = (
            "" if at > 1 else "the average opponent" if at == 0 else f"up from the column before, or down, by {near:g}"
        )
        about = f"Within {near:g} points of the performance: {says}." if says else ""
        found[f"within:{at}"] = Shown(f"Within {near:g}", "quiet_points", 14, about)
    found["newcomer_surplus"] = Shown(
        "Surplus", "quiet", 11, "Points expected at the nearest of these, less the target."
    )
    found["newcomer_slope"] = Shown("Slope", "quiet", 11, "Points expected more for a point of rating, there.")
    found["newcomer_closer"] = Shown(
        "Closer", "quiet_points", 11, "Where the straight line of this slope meets the target."
    )
    return found


DWZ = _dwz_columns()

# Which column of Newcomers is tried in each column of First games; the slope needs a rating on either side.
LAST = f"within:{len(NEARNESS) - 1}"
TRIED = {
    **{f"tried:{at}": (f"within:{at}", 0.0, f"At {near:g}") for at, near in enumerate(NEARNESS)},
    "tried:above": (LAST, 1.0, "At 1 above"),
    "tried:below": (LAST, -1.0, "At 1 below"),
    "tried:closer": ("newcomer_closer", 0.0, "At closer"),
    "tried:performance": ("newcomer_performance", 0.0, "Expected"),
}


def _game_columns() -> dict[str, Shown]:
    found = {
        "first_number": Shown("No.", "integer", 6),
        "first_row": Shown("Ledger row", "helper", 0, "The game's row in the Ledger; 0 for none."),
        "first_player": Shown("Player no.", "helper", 0, "The newcomer's number on Players."),
        "first_newcomer": Shown("Newcomer", "helper", 0, "The newcomer's row on Newcomers; 0 without a performance."),
        "first_name": Shown("Name", "name", 27, "The newcomer."),
        "first_opponent": Shown("Rc", "whole", 9, "The opponent's rating before the event."),
        "tried:performance": Shown("Expected", "share", 11, "Expected score at the performance, not rounded."),
    }
    about = {"tried:0": "Expected score at the rating that Newcomers has in the column Within 4096; and so on."}
    for role, (_, _, text) in TRIED.items():
        found.setdefault(role, Shown(text, "quiet", 11, about.get(role, "")))
    return found


class DwzNewcomers(Newcomers):
    """DWZ: the performance against rated opponents, its curve not rounded; five games are needed."""

    game_columns = _game_columns()
    # The tables of the players and of their games, as formulas name them.
    people, met = "Newcomers", "FirstGames"

    @property
    def rule(self) -> Mapping[str, Shown]:
        added = {"newcomer_added", "newcomer_target"}
        return {role: one for role, one in DWZ.items() if self.is_new or role not in added}

    @property
    def is_new(self) -> bool:
        """Whether the rules are those of 2026, by which a draw is added where every game was won."""
        return self.event.rules.edition == "2026"

    def _curve(self) -> None:
        event = self.event
        live = {parameter.name: parameter.cell for parameter in event.rules.live}
        self.spread = float(event.settings["spread"]) if "spread" in live else dwz.SPREAD
        self.deviation = f"({live.get('spread', f'{dwz.SPREAD:g}')}*SQRT(2))"

    def _rate(self) -> None:
        event = self.event
        self._curve()
        rows = event.inputs.sizes["Newcomers"] * event.inputs.sizes["Rounds"]
        self.games = Table("FirstGames", {role: one.label for role, one in self.game_columns.items()}, rows)
        self._solvable()
        self._listed()
        self._close_in()
        self._result()

    def solved(
        self,
        role: str,
        formula: str,
        unit: str = "points",
        core: Callable[[Sequence[float], float], float | None] | None = None,
    ) -> None:
        """Add a column of the players that is empty where there is no performance.

        `core` gives the value of the opponents' ratings and the points, without the approach of the sheet.
        """
        self.table.add(role, f'IF({self.unsolved},"",{formula})', unit, gives=core and self._by_core(core))

    unsolved = "[Solved]=0"

    def _by_core(self, core: Callable[[Sequence[float], float], float | None]) -> Callable[[Read], list[CellValue]]:
        def gives(read: Read) -> list[CellValue]:
            met: dict[CellValue, list[float]] = {}
            games = zip(read(f"{self.met}[Newcomer]"), read(f"{self.met}[Rc]"), strict=True)
            for row, rating in games:
                if row:
                    met.setdefault(row, []).append(float(rating or 0))
            rows = zip(read("[Row]"), read(f'IF({self.unsolved},"",[W])'), strict=True)
            found = (None if score == "" else core(met.get(row, []), float(score or 0)) for row, score in rows)
            return ["" if value is None else value for value in found]

        return gives

    def _solvable(self) -> None:
        self.add("newcomer_average", "[Sum of Rc]/[n]", "points")
        most = "" if self.is_new else ",[W]<[n]"
        self.table.add("newcomer_solved", f"IF({NOBODY},0,IF(AND([n]>={dwz.FIRST_GAMES},[W]>0{most}),1,0))")
        self.solved("newcomer_added", "IF([W]=[n],1,0)", "count")
        self.solved("newcomer_target", "[W]+0.5*[Added draws]", "number")

    # The games

    def _listed(self) -> None:
        games = self.games
        at = "INDEX(Ratings[Newcomer],[Player no.])"
        games.constants("first_number", [float(j + 1) for j in range(games.rows)], "count")
        games.add("first_row", "IF([No.]>MAX(Ledger[First total]),0,MATCH([No.],Ledger[First total],0))")
        games.add("first_player", "IF([Ledger row]=0,0,INDEX(Ledger[Player no.],[Ledger row]))")
        games.add(
            "first_newcomer", f"IF([Player no.]=0,0,IF({at}>ROWS(Newcomers[Row]),0,{at}*INDEX(Newcomers[Solved],{at})))"
        )
        games.add("first_name", 'IF([Player no.]=0,"",INDEX(Ratings[Name],[Player no.]))', "text")
        games.add("first_opponent", 'IF([Ledger row]=0,"",INDEX(Ledger[Opponent rating],[Ledger row]))', "points")

    def _chance_of(self, difference: str) -> str:
        """Return the formula of the expected score at a difference."""
        return f"NORMSDIST(({difference})/{self.deviation})"

    def _try(self, tried: str) -> None:
        """Add the expected scores of every game at the ratings of a column of Newcomers."""
        role, aside, _ = TRIED[tried]
        rating = f"INDEX({self.people}[{self.columns[role].label}],[Newcomer])" + (f"{aside:+g}" if aside else "")
        self.games.add(tried, f'IF([Newcomer]=0,"",{self._chance_of(f"{rating}-[Rc]")})', "share")

    # The performance

    def _sum(self, tried: str) -> str:
        """Return the formula of the points that the curve expects at the ratings that First games has tried."""
        role, aside, text = TRIED[tried]
        offset = f"{aside:+g}" if aside else ""
        formula = f"SUMIFS({self.met}[{text}],{self.met}[Newcomer],[Row])"
        if self.is_new:
            formula += f"+[Added draws]*{self._chance_of(f'[{self.columns[role].label}]{offset}-[Ra]')}"
        return formula

    @property
    def digits(self) -> tuple[int, int]:
        """Decimals of a sum of expected scores on which all engines agree, and of the rating that follows first."""
        return DIGITS

    def _excess(self, tried: str) -> str:
        return f"ROUND({self._sum(tried)}-{'[Target]' if self.is_new else '[W]'},{self.digits[0]})"

    def _close_in(self) -> None:
        self.solved("within:0", "[Ra]")
        self._try("tried:0")
        for at, near in enumerate(NEARNESS[1:], 1):
            before = self.columns[f"within:{at - 1}"].label
            self.solved(f"within:{at}", f"[{before}]+{near:g}*IF({self._excess(f'tried:{at - 1}')}<0,1,-1)")
            self._try(f"tried:{at}")
        for tried in ("tried:above", "tried:below"):
            self._try(tried)
        self.solved("newcomer_surplus", self._excess(f"tried:{len(NEARNESS) - 1}"), "share")
        self.solved("newcomer_slope", f"({self._sum('tried:above')}-({self._sum('tried:below')}))/2", "share")
        last = self.columns[LAST].label
        self.solved("newcomer_closer", f"ROUND([{last}]-[Surplus]/[Slope],{self.digits[1]})")
        self._try("tried:closer")

    def _performance(self, core: Callable[[Sequence[float], float], float | None]) -> None:
        formula = f"ROUND([Closer]-{self._excess('tried:closer')}/[Slope],{dwz.PERFORMANCE_DIGITS})"
        self.solved("newcomer_performance", formula, core=core)

    def _result(self) -> None:
        def first(opponents: Sequence[float], score: float) -> dwz.FirstRating | None:
            return dwz.first_rating(opponents, score, self.event.rules.edition, self.spread)

        self._performance(lambda *played: found.performance if (found := first(*played)) else None)
        self._try("tried:performance")
        self.solved("newcomer_missed", self._excess("tried:performance"), "share")
        step = dwz.rating_of_performance_2026 if self.is_new else dwz.rating_of_performance
        self.solved(
            "newcomer_first",
            rule_formula(Line.of(step), {"performance": "[Performance]"}),
            core=lambda *played: found.rating if (found := first(*played)) else None,
        )
        every = "" if self.is_new else 'IF([W]=[n],"every game won: no first rating",'
        self.add(
            "newcomer_remark",
            f'IF([n]<{dwz.FIRST_GAMES},"fewer than {dwz.FIRST_GAMES} games: no first rating",'
            f'IF([W]=0,"no points: no first rating",{every}"first rating"{")" if every else ""}))',
            "text",
        )

    @property
    def checks(self) -> dict[str, tuple[str, str]]:
        beyond = ("MAX(0,MAX(Ledger[First total])-ROWS(FirstGames[No.]))", "count")
        return super().checks | {"beyond_first_games": beyond}


def newcomers(event: Event, games_before: str) -> Newcomers:
    """Return the first ratings by the federation's rule; `games_before` is the column of Ratings that has them."""
    kind = {"fide": FideNewcomers, "dwz": DwzNewcomers}[event.rules.name]
    return kind(event, games_before)
