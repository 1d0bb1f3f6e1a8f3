"""First ratings in an event's sheets: FIDE's with its two draws, DWZ's from the performance.

The performance of a newcomer to DWZ, at which the normal curve expects the points that were scored, has no closed form.
A sheet closes in on it: a rating within 4096 points, then within 2048, and so on down to a quarter of a point, one
column each on Newcomers; and then by the slope of the curve. What is expected at each of these ratings stands on
First games, which has a row for each game. US Chess rates newcomers like everybody: `event_uschess`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from elo_sheets.ops import normal_cdf_float, round_half_away
from elo_sheets.systems import dwz, fide, lines
from elo_sheets.systems._system import Line, Step
from elo_sheets.workbook.event_games import Event, Table, number
from elo_sheets.workbook.layout import rule_formula
from elo_sheets.workbook.plan import CellValue

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
    "newcomer_player": Shown("Player no.", "helper", 9, "The player's number on Players."),
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
    """The sheet Newcomers; `order` says in which row a player stands."""

    def __init__(self, event: Event, ledger: Table, ratings: Table, order: Mapping[int, float]) -> None:
        self.event, self.ledger, self.ratings = event, ledger, ratings
        rows = event.inputs.sizes["Newcomers"]
        who = {int(row): player for player, row in order.items()}
        self.found = len(order)
        self.players = [who.get(i, 0) for i in range(1, rows + 1)]
        self.columns = {**COMMON, **self.rule}
        self.table = Table("Newcomers", {role: one.label for role, one in self.columns.items()}, rows)
        self._common()
        self._rate()

    @property
    def rule(self) -> Mapping[str, Shown]:
        """The columns of the federation's rule."""
        raise NotImplementedError

    def games_of(self, i: int) -> list[int]:
        """Return the rows of the Ledger that count for the newcomer in a row."""
        return [r for r in self.event.rows_of(self.players[i]) if self.event.first(r)]

    def opponents(self, i: int) -> list[float]:
        """Return the ratings of the rated opponents of the newcomer in a row."""
        return [number(self.ledger["ledger_opponent_rating"][r]) for r in self.games_of(i)]

    def is_player(self, i: int) -> bool:
        """Return whether a newcomer stands in a row."""
        return self.players[i] > 0

    def value(self, role: str, i: int) -> float:
        """Return the number in a column and row."""
        return number(self.table[role][i])

    def _common(self) -> None:
        table, ledger = self.table, self.ledger
        table.constants("newcomer_row", [float(i) for i in range(1, table.rows + 1)], "count")
        table.add(
            "newcomer_player",
            "IF([Row]>MAX(Ratings[Newcomer]),0,SUMPRODUCT((Ratings[Newcomer]=[Row])*Ratings[Id]))",
            lambda i: float(self.players[i]),
        )
        self.add("newcomer_name", "INDEX(Ratings[Name],[Player no.])", self._name, "text")
        which = "Ledger[Player no.],[Player no.],Ledger[First],1"
        self.add("newcomer_games", f"COUNTIFS({which})", lambda i: float(len(self.games_of(i))))
        self.add(
            "newcomer_score",
            f"SUMIFS(Ledger[Points],{which})",
            lambda i: sum(number(ledger["ledger_points"][r]) for r in self.games_of(i)),
            "number",
        )
        self.add(
            "newcomer_total", f"SUMIFS(Ledger[Opponent rating],{which})", lambda i: sum(self.opponents(i)), "points"
        )

    def _name(self, i: int) -> str:
        return self.event.names[self.players[i] - 1]

    def add(self, role: str, formula: str, value: Callable[[int], CellValue], unit: str = "count") -> None:
        """Add a column that is empty where no newcomer stands."""
        self.table.add(role, f'IF({NOBODY},"",{formula})', lambda i: value(i) if self.is_player(i) else "", unit)

    def _rate(self) -> None:
        raise NotImplementedError

    @property
    def checks(self) -> dict[str, tuple[str, CellValue, str]]:
        """What should be zero: formula, value and unit by role."""
        left = float(max(0, self.found - self.table.rows))
        return {"beyond_newcomers": ("MAX(0,MAX(Ratings[Newcomer])-ROWS(Newcomers[Row]))", left, "count")}


class FideNewcomers(Newcomers):
    """FIDE: two draws with 1800 are added, five games are needed, a first event without a point does not count."""

    @property
    def rule(self) -> Mapping[str, Shown]:
        return FIDE

    def _rate(self) -> None:
        table = self.table
        references = {
            "opponents_total": "[Sum of Rc]",
            "games": "[n]",
            "score": "[W]",
            "newcomer_average": "[Ra]",
            "newcomer_percent": "[Per cent]",
        }
        roles = {"opponents_total": "newcomer_total", "games": "newcomer_games", "score": "newcomer_score"}
        roles |= {"newcomer_average": "newcomer_average", "newcomer_percent": "newcomer_percent"}
        read: dict[str, Callable[[int], float]] = {
            name: lambda i, role=role: self.value(role, i)  # type: ignore[misc]
            for name, role in roles.items()
        }
        steps: Sequence[Step] = (fide.newcomer_average, fide.newcomer_percent, fide.newcomer_rating)
        for line in lines(steps):
            table.step(line.name, line, references, read, NOBODY, self.is_player)
        self.add(
            "newcomer_before",
            f"INDEX(Ratings[{self.ratings.labels['fact:games']}],[Player no.])",
            lambda i: self.event.fact("games", self.players[i] - 1),
        )
        enough = f"[Games before]<=0,[n]>={fide.FIRST_GAMES},[W]>0,[Ru]>={fide.LEAST_RATING}"
        self.add("newcomer_first", f'IF(AND({enough}),[Ru],"")', self._first, "points")
        self.add(
            "newcomer_remark",
            'IF([Games before]>0,"earlier games count too: to be rated together",'
            'IF([W]=0,"no points in the first event: it does not count",'
            f'IF([n]<{fide.FIRST_GAMES},"fewer than {fide.FIRST_GAMES} games: they count with later ones",'
            f'IF([Ru]<{fide.LEAST_RATING},"below {fide.LEAST_RATING}: not published","first rating"))))',
            self._remark,
            "text",
        )

    def _first(self, i: int) -> CellValue:
        if self.value("newcomer_before", i) > 0:
            return ""
        found = fide.fide_initial_rating(self.opponents(i), self.value("newcomer_score", i))
        return "" if found is None else found

    def _remark(self, i: int) -> str:
        if self.value("newcomer_before", i) > 0:
            return "earlier games count too: to be rated together"
        if self.value("newcomer_score", i) == 0:
            return "no points in the first event: it does not count"
        if self.value("newcomer_games", i) < fide.FIRST_GAMES:
            return f"fewer than {fide.FIRST_GAMES} games: they count with later ones"
        low = self.value("newcomer_rating", i) < fide.LEAST_RATING
        return f"below {fide.LEAST_RATING}: not published" if low else "first rating"


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
        "first_row": Shown("Ledger row", "helper", 12, "The game's row in the Ledger; 0 for none."),
        "first_player": Shown("Player no.", "helper", 11, "The newcomer's number on Players."),
        "first_newcomer": Shown("Newcomer", "helper", 11, "The newcomer's row on Newcomers; 0 without a performance."),
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

    @cached_property
    def rated(self) -> list[dwz.FirstRating | None]:
        """The first rating in each row, by the core."""
        return [
            dwz.first_rating(self.opponents(i), self.value("newcomer_score", i), self.event.rules.edition, self.spread)
            for i in range(self.table.rows)
        ]

    def is_solved(self, i: int) -> bool:
        """Return whether the newcomer in a row has a performance."""
        return self.is_player(i) and self.rated[i] is not None

    def solved(self, role: str, formula: str, value: Callable[[int], CellValue], unit: str = "points") -> None:
        """Add a column of Newcomers that is empty where there is no performance."""
        self.table.add(role, f'IF([Solved]=0,"",{formula})', lambda i: value(i) if self.is_solved(i) else "", unit)

    def _solvable(self) -> None:
        self.add(
            "newcomer_average",
            "[Sum of Rc]/[n]",
            lambda i: self.value("newcomer_total", i) / self.value("newcomer_games", i),
            "points",
        )
        most = "" if self.is_new else ",[W]<[n]"
        self.table.add(
            "newcomer_solved",
            f"IF({NOBODY},0,IF(AND([n]>={dwz.FIRST_GAMES},[W]>0{most}),1,0))",
            lambda i: float(self.is_solved(i)),
        )
        self.solved("newcomer_added", "IF([W]=[n],1,0)", lambda i: float(self._added(i)), "count")
        self.solved("newcomer_target", "[W]+0.5*[Added draws]", self._target, "number")

    def _added(self, i: int) -> bool:
        return self.is_new and self.value("newcomer_score", i) == self.value("newcomer_games", i)

    def _target(self, i: int) -> float:
        return self.value("newcomer_score", i) + 0.5 * self._added(i)

    # The games

    def _listed(self) -> None:
        games, event = self.games, self.event
        rows = [r for r in range(self.ledger.rows) if event.first(r)]
        place = {player: i for i, player in enumerate(self.players) if player}

        def row(j: int) -> int | None:
            return rows[j] if j < len(rows) else None

        def player(j: int) -> int:
            r = row(j)
            return 0 if r is None else event.side(r)[0].numbers[r % 2]

        def newcomer(j: int) -> int | None:
            i = place.get(player(j))
            return i if i is not None and self.is_solved(i) else None

        self.newcomer = newcomer
        games.constants("first_number", [float(j + 1) for j in range(games.rows)], "count")
        games.add(
            "first_row",
            "IF([No.]>MAX(Ledger[First total]),0,MATCH([No.],Ledger[First total],0))",
            lambda j: float((row(j) or 0) + 1) if row(j) is not None else 0.0,
        )
        games.add(
            "first_player",
            "IF([Ledger row]=0,0,INDEX(Ledger[Player no.],[Ledger row]))",
            lambda j: float(player(j)),
        )
        at = "INDEX(Ratings[Newcomer],[Player no.])"
        games.add(
            "first_newcomer",
            f"IF([Player no.]=0,0,IF({at}>ROWS(Newcomers[Row]),0,{at}*INDEX(Newcomers[Solved],{at})))",
            lambda j: 0.0 if newcomer(j) is None else float((newcomer(j) or 0) + 1),
        )
        games.add(
            "first_name",
            'IF([Player no.]=0,"",INDEX(Ratings[Name],[Player no.]))',
            lambda j: event.names[player(j) - 1] if player(j) else "",
            "text",
        )
        games.add(
            "first_opponent",
            'IF([Ledger row]=0,"",INDEX(Ledger[Opponent rating],[Ledger row]))',
            lambda j: self.ledger["ledger_opponent_rating"][row(j) or 0] if row(j) is not None else "",
            "points",
        )

    def _chance(self, rating: float, opponent: float) -> float:
        return normal_cdf_float((rating - opponent) / (self.spread * 2**0.5))

    def _chance_of(self, difference: str) -> str:
        """Return the formula of the same."""
        return f"NORMSDIST(({difference})/{self.deviation})"

    def _try(self, tried: str) -> None:
        """Add the expected scores of every game at the ratings of a column of Newcomers."""
        role, aside, _ = TRIED[tried]
        rating = f"INDEX({self.people}[{self.columns[role].label}],[Newcomer])" + (f"{aside:+g}" if aside else "")

        def chance(j: int) -> CellValue:
            i = self.newcomer(j)
            if i is None:
                return ""
            return self._chance(self.value(role, i) + aside, number(self.games["first_opponent"][j]))

        self.games.add(tried, f'IF([Newcomer]=0,"",{self._chance_of(f"{rating}-[Rc]")})', chance, "share")

    # The performance

    def _sum(self, tried: str) -> tuple[str, Callable[[int], float]]:
        """Return the points that the curve expects at the ratings that First games has tried: formula and value."""
        role, aside, text = TRIED[tried]
        offset = f"{aside:+g}" if aside else ""
        formula = f"SUMIFS({self.met}[{text}],{self.met}[Newcomer],[Row])"
        if self.is_new:
            formula += f"+[Added draws]*{self._chance_of(f'[{self.columns[role].label}]{offset}-[Ra]')}"

        def value(i: int) -> float:
            at = self.value(role, i) + aside
            total = sum(self._chance(at, opponent) for opponent in self.opponents(i))
            return total + self._added(i) * self._chance(at, self.value("newcomer_average", i))

        return formula, value

    @property
    def digits(self) -> tuple[int, int]:
        """Decimals of a sum of expected scores on which all engines agree, and of the rating that follows first."""
        return DIGITS

    def _excess(self, tried: str) -> tuple[str, Callable[[int], float]]:
        formula, value = self._sum(tried)
        return (
            f"ROUND({formula}-{'[Target]' if self.is_new else '[W]'},{self.digits[0]})",
            lambda i: float(round_half_away(value(i) - self._target(i), self.digits[0])),
        )

    def _close_in(self) -> None:
        self.solved("within:0", "[Ra]", lambda i: self.value("newcomer_average", i))
        self._try("tried:0")
        for at, near in enumerate(NEARNESS[1:], 1):
            formula, excess = self._excess(f"tried:{at - 1}")
            before = f"within:{at - 1}"

            def step(
                i: int, before: str = before, near: float = near, excess: Callable[[int], float] = excess
            ) -> float:
                return self.value(before, i) + (near if excess(i) < 0 else -near)

            self.solved(f"within:{at}", f"[{self.columns[before].label}]+{near:g}*IF({formula}<0,1,-1)", step)
            self._try(f"tried:{at}")
        for tried in ("tried:above", "tried:below"):
            self._try(tried)
        formula, excess = self._excess(f"tried:{len(NEARNESS) - 1}")
        self.solved("newcomer_surplus", formula, excess, "share")
        (above, upper), (below, lower) = self._sum("tried:above"), self._sum("tried:below")
        self.solved("newcomer_slope", f"({above}-({below}))/2", lambda i: (upper(i) - lower(i)) / 2, "share")
        last = self.columns[LAST].label
        self.solved(
            "newcomer_closer",
            f"ROUND([{last}]-[Surplus]/[Slope],{self.digits[1]})",
            lambda i: float(
                round_half_away(
                    self.value(LAST, i) - self.value("newcomer_surplus", i) / self.value("newcomer_slope", i),
                    self.digits[1],
                )
            ),
        )
        self._try("tried:closer")

    def _performance(self, value: Callable[[int], CellValue]) -> None:
        formula, _ = self._excess("tried:closer")
        self.solved("newcomer_performance", f"ROUND([Closer]-{formula}/[Slope],{dwz.PERFORMANCE_DIGITS})", value)

    def _result(self) -> None:
        self._performance(lambda i: self._rated(i).performance)
        self._try("tried:performance")
        formula, missed = self._excess("tried:performance")
        self.solved("newcomer_missed", formula, missed, "share")
        step = dwz.rating_of_performance_2026 if self.is_new else dwz.rating_of_performance
        line: Line = next(iter(lines([step])))
        self.solved(
            "newcomer_first", rule_formula(line, {"performance": "[Performance]"}), lambda i: self._rated(i).rating
        )
        every = "" if self.is_new else 'IF([W]=[n],"every game won: no first rating",'
        self.add(
            "newcomer_remark",
            f'IF([n]<{dwz.FIRST_GAMES},"fewer than {dwz.FIRST_GAMES} games: no first rating",'
            f'IF([W]=0,"no points: no first rating",{every}"first rating"{")" if every else ""}))',
            self._remark,
            "text",
        )

    def _rated(self, i: int) -> dwz.FirstRating:
        found = self.rated[i]
        assert found is not None
        return found

    def _remark(self, i: int) -> str:
        if self.value("newcomer_games", i) < dwz.FIRST_GAMES:
            return f"fewer than {dwz.FIRST_GAMES} games: no first rating"
        if self.value("newcomer_score", i) == 0:
            return "no points: no first rating"
        return "first rating" if self.is_solved(i) else "every game won: no first rating"

    @property
    def checks(self) -> dict[str, tuple[str, CellValue, str]]:
        left = float(max(0, sum(map(self.event.first, range(self.ledger.rows))) - self.games.rows))
        beyond = ("MAX(0,MAX(Ledger[First total])-ROWS(FirstGames[No.]))", left, "count")
        return super().checks | {"beyond_first_games": beyond}


def newcomers(event: Event, ledger: Table, ratings: Table, order: Mapping[int, float]) -> Newcomers:
    """Return the first ratings by the federation's rule."""
    kind = {"fide": FideNewcomers, "dwz": DwzNewcomers}[event.rules.name]
    return kind(event, ledger, ratings, order)
