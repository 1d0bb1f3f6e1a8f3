"""US Chess in an event's sheets: a section rated in its five steps, every step a column.

The special formula has no closed form: its sum of expectancies rises in straight pieces between knots, 400 points below
and above each opponent. A sheet finds it as `uschess.special_rating` does: the sum at every knot (columns Low and High
of the Ledger), the last knot below the score and the first above it (Passes), and the straight line between them. It is
solved three times: for the trial ratings of newcomers, against those, and against the results of the first pass.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

from elo_sheets.systems import lines, uschess
from elo_sheets.systems._system import Line
from elo_sheets.workbook.event.games import Table
from elo_sheets.workbook.event.ratings import Ratings
from elo_sheets.workbook.facts import step_unit
from elo_sheets.workbook.layout import rule_formula, stepped
from elo_sheets.workbook.plan import CellValue, Fill, Read

# Beyond every knot: "none below" is -BEYOND, "none above" is BEYOND.
BEYOND = 10_000.0

KNOT = uschess.MATCH_GAP  # the linear expectancy reaches 0 and 1 at this difference

# Decimals of a sum of expectancies that count as zero together: what `uschess.EXACT` says.
DIGITS = 9

TITLES = {"trial": "trial", "first": "first pass", "second": "second pass"}

Columns = list[dict[str, Any]]

# The columns of Passes that each solve has: their roles, headers, sentences and styles.
SOLVED_COLUMNS = (
    ("prior", "Prior", "Rating that the games before count against, {title}.", "quiet_points"),
    ("weight", "Weight", "How many games the games before count as, {title}.", "quiet_points"),
    ("target", "Target", "Score that the expectancy should give, {title}.", "quiet_points"),
    ("low", "Prior low", "Excess of expectancy 400 below the prior.", "quiet"),
    ("high", "Prior high", "Excess of expectancy 400 above the prior.", "quiet"),
    ("below", "Below", "Last knot that expects less than the score.", "quiet_points"),
    ("above", "Above", "First knot that expects more than the score.", "quiet_points"),
    ("from", "From", "First knot that expects the score exactly.", "quiet_points"),
    ("to", "To", "Last knot that expects the score exactly.", "quiet_points"),
    ("at_below", "At below", "Excess of expectancy at that knot.", "quiet"),
    ("at_above", "At above", "Excess of expectancy at that knot.", "quiet"),
    ("special", "Special", "Rating by the special formula, {title}; 2700 at most.", "quiet_points"),
)
# And those that follow from a solve.
AFTER = {
    "trial": {"pass:trial": ("Trial rating", "What stands for the player in the first pass.", "decimal_strong")},
    "first": {
        "pass:we": ("We first", "Expected points against the ratings before the event.", "decimal_fine"),
        "pass:gain": ("Gain first", "K times points minus these expected points.", "change_fine"),
        "pass:bonus": ("Bonus first", "The bonus of the first pass.", "decimal"),
        "pass:first": ("First pass", "The rating that opponents meet in the second pass.", "decimal_strong"),
    },
}
# Header, sentence and style of each column of Passes by role.
PASS_LABELS = {"pass:on:trial": ("Newcomer", "1 for a player without a game before this event.", "helper")}
for _solve, _title in TITLES.items():
    PASS_LABELS |= {
        f"pass:{kind}:{_solve}": (f"{text} {_solve}", about.format(title=_title), style)
        for kind, text, about, style in SOLVED_COLUMNS
    }
    PASS_LABELS |= AFTER.get(_solve, {})


# A row that the standard formula does not rate, as Ratings and Passes ask for it.
NOT_STANDARD = "OR([n]=0,[Special]=1)"
NOT_STANDARD_THERE = "OR(INDEX(Ratings[n],[No.])=0,INDEX(Ratings[Special],[No.])=1)"


def _float(value: CellValue) -> float:
    """Return the number in a cell that the rule needs one in."""
    return float(value or 0)


class SectionRatings(Ratings):
    """The computed tables of a section: passes between the results and the expected scores."""

    def games(self) -> None:
        """Add nothing: the expected scores need the first pass."""

    def sums(self) -> None:
        self.passes = Table(
            "Passes",
            {"pass_number": "No."} | {role: text for role, (text, *_) in PASS_LABELS.items()},
            self.event.entries,
        )
        self.passes.numbers("pass_number")
        self._coefficients()
        self._solve("trial")
        self._trial()
        self._solve("first")
        self._first()
        self._solve("second")
        self._expected("step:Ledger:expected", "second")
        super().sums()

    def _by_section(self, read: Read) -> Sequence[CellValue]:
        """Return everybody's rating after the section by the core, which knows no passes of a sheet."""
        facts = ("games", "one_sided", "absolute_floor", "peak", "assigned_floor")
        columns = ["Ratings[Id]", "Ratings[Rating]", *(f"Ratings{self.cells[name]}" for name in facts)]
        listed = [row for row in zip(*map(read, columns), strict=True) if row[0]]
        at = {row[0]: place for place, row in enumerate(listed)}
        names = "Player no.", "Opponent no.", "Score", "Counted", "Side"
        sides = zip(*(read(f"Ledger[{name}]") for name in names), strict=True)
        rated = uschess.rate_section(
            [uschess.Entrant(*map(_float, row[1:])) for row in listed],
            [
                (at[own], at[other], _float(score))
                for own, other, score, counts, side in sides
                if counts and side == "White"
            ],
            bonus_factor=float(uschess.bonus_on(self.event.day, self.event.settings)),
            dual_rated=str(self.event.settings["dual_rated"]),
        )
        return [rated[at[own]].rating if own else "" for own in read('IF([n]=0,"",[Id])')]

    # Columns

    def rule(self, name: str) -> Line:
        """Return a part of the rule that is a formula."""
        return Line.of(getattr(uschess, name))

    def rate(
        self, role: str, line: Line, references: Mapping[str, str], guard: str = "[n]=0", table: Table | None = None
    ) -> None:
        """Add a column of the rule to Ratings or another table; a truth value is kept as 1 or 0."""
        cells = {**self.constants, **references}
        formula = rule_formula(line, cells)
        if line.name == "bonus_allowed":
            formula = f"IF({formula},1,0)"
        unit = step_unit(self.event.rules, line.name)
        (table or self.ratings).add(role, f'IF({guard},"",{formula})', unit, gives=stepped(line, cells, guard))

    @cached_property
    def cells(self) -> dict[str, str]:
        """What the rule's columns of Ratings read, as cells of the row."""
        found = {
            "rating": "[Rating]",
            "period_games": "[n]",
            "period_score": "[W]",
            "period_expected": "[We]",
            "period_wins": "[Wins]",
        }
        found |= {name: f"[{self.ratings.labels[f'fact:{name}']}]" for name in self.event.rules.personal}
        steps = ((role.removeprefix("step:Ratings:"), text) for role, text in self.ratings.labels.items())
        return found | {name: f"[{text}]" for name, text in steps if ":" not in name}

    @cached_property
    def there(self) -> dict[str, str]:
        """The same, as Passes reads them."""
        return {name: f"INDEX(Ratings{cell},[No.])" for name, cell in self.cells.items()}

    def _coefficients(self) -> None:
        table = self.ratings
        for name in ("full_games", "effective_games"):
            self.rate(f"step:Ratings:{name}", self.rule(name), self.cells)
        few = f"{self.cells['games']}<={uschess.SPECIAL_GAMES},{self.cells['one_sided']}<>0"
        table.add("step:Ratings:is_special", f"IF([n]=0,0,IF(OR({few}),1,0))")
        for name in ("base_k", "dual_factor", "k_used"):
            self.rate(f"step:Ratings:{name}", self.rule(name), self.cells, NOT_STANDARD)
        most = "SUMPRODUCT(MAX((Ledger[Player no.]=[Id])*Ledger[Met]))"
        table.add("step:Ratings:most_often", f"IF([n]=0,0,{most})")
        for name in ("earlier_bonus_factor", "bonus_factor", "bonus_allowed"):
            self.rate(f"step:Ratings:{name}", self.rule(name), self.cells)

    # The special formula

    def _solve(self, solve: str) -> None:
        flag = "[Newcomer]=1" if solve == "trial" else f"{self.there['is_special']}=1"
        if solve == "trial":
            new = f"IF({self.there['games']}=0,1,0)"
            self.passes.add("pass:on:trial", f"IF({self.there['period_games']}=0,0,{new})")
        self._priors(solve, flag)
        self._knots(solve, flag)
        self._between(solve, flag)

    def _priors(self, solve: str, flag: str) -> None:
        rating, side = self.there["rating"], "0" if solve == "trial" else self.there["one_sided"]
        prior, score = lines([uschess.prior_opponent, uschess.prior_score])
        weight = "1" if solve == "trial" else self.there["effective_games"]

        def put(kind: str, formula: str, unit: str = "points") -> None:
            self.passes.add(f"pass:{kind}:{solve}", f"IF({flag},{formula},0)", unit)

        put("prior", rule_formula(prior, {"rating": rating, "one_sided": side}))
        put("weight", weight, "number")
        before = rule_formula(score, {"effective_games": f"[Weight {solve}]", "one_sided": side})
        put("target", f"{self.there['period_score']}+{before}", "number")

    @staticmethod
    def excess_formula(solve: str, at: str, row: str, read: Callable[[str], str]) -> str:
        """Return the formula of by how much a row's expectancy at a rating exceeds its score.

        `row` is the player's number, `read` says where Passes is read.
        """
        names = "Prior", "Weight", "Target"
        prior, weight, target = (read(f"{name} {solve}") for name in names)
        opponents = {"trial": "Start", "first": "Opponent trial", "second": "Opponent first"}[solve]
        chance = f"(0.5+({at}-Ledger[{opponents}])/{2 * KNOT:g})"
        mine = f"(Ledger[Player no.]={row})*(Ledger[Counted]=1)"
        games = f"SUMPRODUCT({mine}*(({chance}>0)*({chance}<1)*{chance}+({chance}>=1)))"
        return f"{weight}*MAX(0,MIN(1,0.5+({at}-{prior})/{2 * KNOT:g}))+{games}-{target}"

    def _knots(self, solve: str, flag: str) -> None:
        ledger = self.ledger
        source = {
            "trial": "[Opponent rating]",
            "first": "INDEX(Passes[Trial rating],[Opponent no.])",
            "second": "INDEX(Passes[First pass],[Opponent no.])",
        }[solve]
        name = ledger.labels[f"us:opponent:{solve}"]
        ledger.add(f"us:opponent:{solve}", f"IF([Counted]=0,0,{source})", "points")
        own = "INDEX(Passes[Newcomer],[Player no.])" if solve == "trial" else "INDEX(Ratings[Special],[Player no.])"

        def read(column: str) -> str:
            return f"INDEX(Passes[{column}],[Player no.])"

        for kind, sign in (("low", "-"), ("high", "+")):
            formula = self.excess_formula(solve, f"([{name}]{sign}{KNOT:g})", "[Player no.]", read)
            # An IF inside an IF: AND would look up the row of nobody.
            ledger.add(f"us:{kind}:{solve}", f"IF([Counted]=0,0,IF({own}=0,0,ROUND({formula},{DIGITS})))", "share")
            prior = f"([Prior {solve}]{sign}{KNOT:g})"
            own_formula = self.excess_formula(solve, prior, "[No.]", lambda column: f"[{column}]")
            self.passes.add(f"pass:{kind}:{solve}", f"IF({flag},ROUND({own_formula},{DIGITS}),0)", "share")

    def _between(self, solve: str, flag: str) -> None:
        opponents = self.ledger.labels[f"us:opponent:{solve}"]
        mine = "(Ledger[Player no.]=[No.])*(Ledger[Counted]=1)"
        low, high = self.ledger.labels[f"us:low:{solve}"], self.ledger.labels[f"us:high:{solve}"]

        def most(test: str, knot: str) -> str:
            """Return the largest of a figure of the knots that pass a test; `{}` is the knot."""
            parts = []
            for column, own, sign in ((low, f"Prior low {solve}", "-"), (high, f"Prior high {solve}", "+")):
                place = f"Ledger[{opponents}]{sign}{KNOT:g}"
                parts.append(f"SUMPRODUCT(MAX({mine}*(Ledger[{column}]{test})*({knot.format(place)})))")
                parts.append(f"IF([{own}]{test},{knot.format(f'[Prior {solve}]{sign}{KNOT:g}')},0)")
            return f"MAX({','.join(parts)})"

        up, down = f"{{}}+{BEYOND:g}", f"{BEYOND:g}-({{}})"
        ends = {
            "below": f"{most('<0', up)}-{BEYOND:g}",
            "above": f"{BEYOND:g}-{most('>0', down)}",
            "from": f"{BEYOND:g}-{most('=0', down)}",
            "to": f"{most('=0', up)}-{BEYOND:g}",
        }
        for kind, formula in ends.items():
            self.passes.add(f"pass:{kind}:{solve}", f"IF({flag},{formula},0)", "points")
        for kind in ("below", "above"):
            at = f"[{kind.capitalize()} {solve}]"
            formula = self.excess_formula(solve, at, "[No.]", lambda column: f"[{column}]")
            self.passes.add(f"pass:at_{kind}:{solve}", f"IF({flag},IF(ABS({at})>={BEYOND:g},0,{formula}),0)", "share")
        start, end, below, above = (f"[{k.capitalize()} {solve}]" for k in ("from", "to", "below", "above"))
        rating = self.there["rating"]
        flat = (
            f"MAX(IF({below}<=-{BEYOND:g},-{BEYOND:g},{start}),MIN(IF({above}>={BEYOND:g},{BEYOND:g},{end}),{rating}))"
        )
        lows, highs = f"[At below {solve}]", f"[At above {solve}]"
        line = f"{below}-{lows}*({above}-{below})/({highs}-{lows})"
        self.passes.add(
            f"pass:special:{solve}",
            f'IF({flag},MIN({uschess.SPECIAL_CEILING:g},IF({start}<={end},{flat},{line})),"")',
            "points",
            gives=self._special(solve, flag, opponents),
        )

    def _special(self, solve: str, flag: str, opponents: str) -> Callable[[Read], Sequence[CellValue]]:
        """Return what computes the special formula's ratings by the core, which looks at no knot of the sheet."""
        side = "0" if solve == "trial" else self.there["one_sided"]
        cells = ("[No.]", self.there["rating"], f"[Weight {solve}]", self.there["period_score"], side)

        def gives(read: Read) -> Sequence[CellValue]:
            met: dict[CellValue, list[float]] = {}
            columns = (read(f"Ledger[{name}]") for name in ("Player no.", "Counted", opponents))
            for player, counted, rating in zip(*columns, strict=True):
                if counted:
                    met.setdefault(player, []).append(_float(rating))
            found: list[CellValue] = []
            for row in zip(*(read(f'IF({flag},{cell},"")') for cell in cells), strict=True):
                number, rating, weight, score, one_sided = row
                rated = number != "" and uschess.special_rating(rating, weight, met[number], score, one_sided)
                found.append("" if number == "" else rated)
            return found

        return gives

    # The passes

    def _trial(self) -> None:
        rating = self.there["rating"]
        self.passes.add("pass:trial", f"IF([Newcomer]=1,MAX({uschess.LOWEST:g},[Special trial]),{rating})", "points")

    def _expected(self, role: str, solve: str) -> None:
        cells = {"rating": "[Rating]", "opponent_rating": f"[{self.ledger.labels[f'us:opponent:{solve}']}]"}
        self.ledger.step(role, self.rule("expected"), cells, "[Counted]=0")

    def _first(self) -> None:
        self._expected("us:expected:first", "first")
        games, rating, special = (self.there[name] for name in ("period_games", "rating", "is_special"))
        summed = "SUMIFS(Ledger[Expected first],Ledger[Player no.],[No.])"
        self.passes.add("pass:we", f'IF({NOT_STANDARD_THERE},"",{summed})', "share")
        cells = self.there | {"period_expected": "[We first]", "gain": "[Gain first]", "bonus": "[Bonus first]"}
        for name in ("gain", "bonus"):
            self.rate(f"pass:{name}", self.rule(name), cells, NOT_STANDARD_THERE, self.passes)
        by_standard = rule_formula(self.rule("standard_rating"), cells)
        self.passes.add(
            "pass:first",
            f"IF({games}=0,{rating},MAX({uschess.LOWEST:g},IF({special}=1,[Special first],{by_standard})))",
            "points",
        )

    def closing(self) -> None:
        table = self.ratings
        for name in ("gain", "bonus"):
            self.rate(f"step:Ratings:{name}", self.rule(name), self.cells, NOT_STANDARD)
        by_standard = rule_formula(self.rule("standard_rating"), self.cells)
        special = "INDEX(Passes[Special second],[No.])"
        table.add(
            "step:Ratings:second_pass",
            f'IF([n]=0,"",MAX({uschess.LOWEST:g},IF([Special]=1,{special},{by_standard})))',
            "points",
        )
        cells = self.cells | {
            "period_draws": "([n]-[Wins]-[Losses])",
            "full_events": f"IF([n]>={uschess.FULL_EVENT},1,0)",
            "peak": "[Highest so far]",
        }
        self.rate("step:Ratings:absolute_floor_after", self.rule("absolute_floor_after"), cells)
        so_far = self.cells | {"games_after": self.cells["games"], "rating_after": "[Rating]"}
        self.rate("step:Ratings:peak_before", self.rule("peak_after"), so_far)
        for name in ("hundreds_below", "established_floor", "floor_used"):
            self.rate(f"step:Ratings:{name}", self.rule(name), cells)
        table.add(
            "step:Ratings:rating_after", 'IF([n]=0,"",MAX([Second pass],[Floor]))', "points", gives=self._by_section
        )

    # What the view asks for

    def further_fills(self) -> dict[str, Fill]:
        return self.passes.fills

    def control_total(self) -> dict[str, tuple[str, str]]:
        formula = "ROUND(SUM(Ratings[Gain])-SUM(Ledger[K × ΔR]),6)"
        return {"change_total": (formula, "points")}
