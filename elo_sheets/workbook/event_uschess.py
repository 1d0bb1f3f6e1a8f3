"""US Chess in an event's sheets: a section rated in its five steps, every step a column.

The special formula has no closed form: its sum of expectancies rises in straight pieces between knots, 400 points below
and above each opponent. A sheet finds it as `uschess.special_rating` does: the sum at every knot (columns Low and High
of the Ledger), the last knot below the score and the first above it (Passes), and the straight line between them. It is
solved three times: for the trial ratings of newcomers, against those, and against the results of the first pass.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

from elo_sheets.ops import round_half_away
from elo_sheets.systems import lines, uschess
from elo_sheets.systems._system import Line, called
from elo_sheets.workbook.event_games import Table, number
from elo_sheets.workbook.event_ratings import Ratings, always
from elo_sheets.workbook.facts import step_unit
from elo_sheets.workbook.layout import rule_formula
from elo_sheets.workbook.plan import CellValue, Fill

# Beyond every knot: "none below" is -BEYOND, "none above" is BEYOND.
BEYOND = 10_000.0

KNOT = uschess.MATCH_GAP  # the linear expectancy reaches 0 and 1 at this difference

# Decimals of a sum of expectancies that count as zero together: what `uschess.EXACT` says.
DIGITS = 9

SOLVES = ("trial", "first", "second")
TITLES = {"trial": "trial", "first": "first pass", "second": "second pass"}

Columns = list[dict[str, Any]]

RATING_COLUMNS: tuple[tuple[str, str, str, str], ...] = (
    ("full_games", "N*", "decimal", "The most games before that count, by the rating."),
    ("effective_games", "N used", "decimal", "Games before that count: at most N*."),
    ("is_special", "Special", "helper", "1 for the special formula: at most 8 games before, or all won, or all lost."),
    ("base_k", "K before dual rating", "decimal", "800 by the games that count and those of the event."),
    ("dual_factor", "Share of K", "decimal", "Less than 1 above 2200 in dual-rated time controls."),
    ("k_used", "K", "decimal", "The coefficient of the standard formula; the special formula has none."),
    ("gain", "Gain", "change_fine", "K times points minus expected points, against the first pass."),
    ("most_often", "Most often", "helper", "How often the player met the opponent whom he met most."),
    ("earlier_bonus_factor", "B before 2023", "number", "The bonus factor, were the event before 2023."),
    ("bonus_factor", "B", "number", "The bonus factor of the event's first day."),
    ("bonus_allowed", "Bonus allowed", "helper", "1 for three games or more without too many against one opponent."),
    ("bonus", "Bonus", "decimal", "What the gain exceeds B times the root of the games by; at least four games."),
    (
        "second_pass",
        "Second pass",
        "decimal",
        "The rating by the player's formula, against the results of the first pass.",
    ),
    ("absolute_floor_after", "Floor by games", "whole", "100, and 4 a win, 2 a draw, 1 an event; 150 at most."),
    ("peak_before", "Highest so far", "whole", "The peak; an established rating before the event if it is higher."),
    ("hundreds_below", "Hundred below peak", "helper", "200 below the peak, down to a hundred."),
    ("established_floor", "Floor by peak", "ordinal", "From 1200 to 2100."),
    ("floor_used", "Floor", "whole", "The highest of the floors."),
    ("rating_after", "Rating after", "decimal_strong", "The second pass, not below the floor."),
)

LEDGER_COLUMNS: tuple[tuple[str, str, str, str], ...] = (
    ("us:opponent:trial", "Start", "quiet", "The opponent's rating before the event; 0 for no rated game."),
    ("us:low:trial", "Low trial", "quiet", "Excess of expectancy 400 below this opponent, newcomers only."),
    ("us:high:trial", "High trial", "quiet", "Excess of expectancy 400 above this opponent, newcomers only."),
    ("us:opponent:first", "Opponent trial", "quiet", "The opponent's rating, a newcomer's trial rating."),
    ("us:low:first", "Low first", "quiet", "Excess of expectancy 400 below this opponent."),
    ("us:high:first", "High first", "quiet", "Excess of expectancy 400 above this opponent."),
    ("us:expected:first", "Expected first", "share", "Expected score against the ratings before the event."),
    ("us:opponent:second", "Opponent first", "quiet", "The opponent's result of the first pass."),
    ("us:low:second", "Low second", "quiet", "Excess of expectancy 400 below this opponent."),
    ("us:high:second", "High second", "quiet", "Excess of expectancy 400 above this opponent."),
    ("step:Ledger:expected", "Expected", "share", "Expected score against the results of the first pass."),
)


def _pass_labels() -> dict[str, tuple[str, str, str]]:
    found = {
        "pass:on:trial": ("Newcomer", "1 for a player without a game before this event.", "helper"),
    }
    for solve in SOLVES:
        title = TITLES[solve]
        found |= {
            f"pass:prior:{solve}": (
                f"Prior {solve}",
                f"Rating that the games before count against, {title}.",
                "quiet_points",
            ),
            f"pass:weight:{solve}": (
                f"Weight {solve}",
                f"How many games the games before count as, {title}.",
                "quiet_points",
            ),
            f"pass:target:{solve}": (
                f"Target {solve}",
                f"Score that the expectancy should give, {title}.",
                "quiet_points",
            ),
            f"pass:low:{solve}": (f"Prior low {solve}", "Excess of expectancy 400 below the prior.", "quiet"),
            f"pass:high:{solve}": (
                f"Prior high {solve}",
                "Excess of expectancy 400 above the prior.",
                "quiet",
            ),
            f"pass:below:{solve}": (f"Below {solve}", "Last knot that expects less than the score.", "quiet_points"),
            f"pass:above:{solve}": (f"Above {solve}", "First knot that expects more than the score.", "quiet_points"),
            f"pass:from:{solve}": (f"From {solve}", "First knot that expects the score exactly.", "quiet_points"),
            f"pass:to:{solve}": (f"To {solve}", "Last knot that expects the score exactly.", "quiet_points"),
            f"pass:at_below:{solve}": (f"At below {solve}", "Excess of expectancy at that knot.", "quiet"),
            f"pass:at_above:{solve}": (f"At above {solve}", "Excess of expectancy at that knot.", "quiet"),
            f"pass:special:{solve}": (
                f"Special {solve}",
                f"Rating by the special formula, {title}; 2700 at most.",
                "quiet_points",
            ),
        }
        if solve == "trial":
            found["pass:trial"] = ("Trial rating", "What stands for the player in the first pass.", "decimal_strong")
        elif solve == "first":
            found |= {
                "pass:we": ("We first", "Expected points against the ratings before the event.", "decimal_fine"),
                "pass:gain": ("Gain first", "K times points minus these expected points.", "change_fine"),
                "pass:bonus": ("Bonus first", "The bonus of the first pass.", "decimal"),
                "pass:first": ("First pass", "The rating that opponents meet in the second pass.", "decimal_strong"),
            }
    return found


PASS_LABELS: dict[str, tuple[str, str, str]] = _pass_labels()


@called("special")
def is_special(games: Any, one_sided: Any) -> Any:
    return (games <= uschess.SPECIAL_GAMES) or one_sided != 0


class SectionRatings(Ratings):
    """The computed tables of a section: passes between the results and the expected scores."""

    @staticmethod
    def game_columns(column: dict[str, Any]) -> Columns:
        """Return the Ledger's columns of the passes."""
        return [
            column | {"label": text, "role": role, "style": style, "about": about}
            for role, text, style, about in LEDGER_COLUMNS
        ]

    @staticmethod
    def rating_columns(column: dict[str, Any]) -> Columns:
        """Return the rule's columns of Ratings."""
        return [
            column | {"label": text, "role": f"step:Ratings:{name}", "style": style, "about": about}
            for name, text, style, about in RATING_COLUMNS
        ]

    def games(self) -> None:
        """Add nothing: the expected scores need the first pass."""

    def sums(self) -> None:
        self.tallies()
        self.passes = Table(
            "Passes",
            {"pass_number": "No."} | {role: text for role, (text, *_) in PASS_LABELS.items()},
            self.event.entries,
        )
        self.passes.constants("pass_number", [float(i) for i in range(1, self.event.entries + 1)], "count")
        self._coefficients()
        self._solve("trial")
        self._trial()
        self._solve("first")
        self._first()
        self._solve("second")
        self._expected("step:Ledger:expected", "second")
        self.expectations()

    # The section in Python

    @cached_property
    def rated(self) -> dict[int, uschess.Rated]:
        """Every player after the section, by his number."""
        event = self.event
        listed = [i for i in event.ids if i]
        at = {i: place for place, i in enumerate(listed)}
        entrants = [
            uschess.Entrant(
                number(event.ratings[i - 1]),
                event.fact("games", i - 1),
                event.fact("one_sided", i - 1),
                event.fact("absolute_floor", i - 1),
                event.fact("peak", i - 1),
                event.fact("assigned_floor", i - 1),
            )
            for i in listed
        ]
        games = [
            (at[game.numbers[0]], at[game.numbers[1]], number(game.points[0])) for game in event.games if game.is_rated
        ]
        found = uschess.rate_section(
            entrants,
            games,
            bonus_factor=self._bonus_factor,
            dual_rated=str(event.settings["dual_rated"]),
        )
        return dict(zip(listed, found, strict=True))

    @property
    def _bonus_factor(self) -> float:
        return float(uschess.bonus_on(self.event.day, self.event.settings))

    def opponent_rating(self, solve: str, player: int) -> float:
        """Return the rating that a player's opponents meet in a pass."""
        if solve == "trial":
            return number(self.event.rating_of(player))
        return self.rated[player].trial if solve == "first" else self.rated[player].first_pass

    # Columns

    def rule(self, name: str) -> Line:
        """Return a part of the rule that is a formula."""
        return Line.of(getattr(uschess, name))

    def rate(
        self,
        role: str,
        line: Line,
        references: dict[str, str],
        read: dict[str, Callable[[int], Any]],
        guard: str = "[n]=0",
        on: Callable[[int], bool] | None = None,
        table: Table | None = None,
    ) -> None:
        """Add a column of the rule to Ratings or another table; a truth value is kept as 1 or 0."""
        on = on or self.played
        home = table or self.ratings
        cells = {name: cell for name, (cell, _) in self.constants.items()} | references
        values: dict[str, Callable[[int], Any]] = {name: always(value) for name, (_, value) in self.constants.items()}
        values |= read
        formula = rule_formula(line, cells)
        if line.name == "bonus_allowed":
            formula = f"IF({formula},1,0)"

        def value(i: int) -> CellValue:
            return float(line.step(*(values[name](i) for name in line.reads))) if on(i) else ""

        home.add(role, f'IF({guard},"",{formula})', value, step_unit(self.event.rules, line.name))

    @cached_property
    def read(self) -> dict[str, Callable[[int], Any]]:
        """What the rule's columns of Ratings read, as values by row."""
        roles = {
            "rating": "rating_own",
            "period_games": "rating_n",
            "period_score": "rating_w",
            "period_expected": "rating_we",
            "period_wins": "rating_wins",
        }
        roles |= {name: f"fact:{name}" for name in self.event.rules.personal}
        roles |= {name: f"step:Ratings:{name}" for name, *_ in RATING_COLUMNS}
        return {name: lambda i, role=role: self.ratings[role][i] for name, role in roles.items()}  # type: ignore[misc]

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
        return found | {name: f"[{text}]" for name, text, *_ in RATING_COLUMNS}

    def _coefficients(self) -> None:
        table = self.ratings
        for name in ("full_games", "effective_games"):
            self.rate(f"step:Ratings:{name}", self.rule(name), self.cells, self.read)
        table.add(
            "step:Ratings:is_special",
            f"IF([n]=0,0,IF(OR({self.cells['games']}<={uschess.SPECIAL_GAMES},{self.cells['one_sided']}<>0),1,0))",
            lambda i: float(self.special(i)),
        )
        standard = "[Special]=1"
        for name in ("base_k", "dual_factor", "k_used"):
            self.rate(
                f"step:Ratings:{name}",
                self.rule(name),
                self.cells,
                self.read,
                f"OR([n]=0,{standard})",
                lambda i: self.played(i) and not self.special(i),
            )
        table.add(
            "step:Ratings:most_often",
            "IF([n]=0,0,SUMPRODUCT(MAX((Ledger[Player no.]=[Id])*Ledger[Met])))",
            lambda i: (
                float(
                    max(
                        (number(self.ledger["ledger_met"][r]) for r in self.event.rows_of(self.event.ids[i])), default=0
                    )
                )
                if self.played(i)
                else 0.0
            ),
        )
        for name in ("earlier_bonus_factor", "bonus_factor", "bonus_allowed"):
            self.rate(f"step:Ratings:{name}", self.rule(name), self.cells, self.read)

    def special(self, i: int) -> bool:
        """Return whether the special formula rates a row of Ratings."""
        if not self.played(i):
            return False
        return bool(is_special(self.event.fact("games", i), self.event.fact("one_sided", i)))

    def newcomer(self, i: int) -> bool:
        """Return whether a row of Ratings is a player's first event."""
        return self.played(i) and self.event.fact("games", i) == 0

    # The special formula

    def _solve(self, solve: str) -> None:
        on = self.newcomer if solve == "trial" else self.special
        flag = "[Newcomer]=1" if solve == "trial" else "INDEX(Ratings[Special],[No.])=1"
        if solve == "trial":
            games = self.cells["games"].strip("[]")
            self.passes.add(
                "pass:on:trial",
                f"IF(INDEX(Ratings[n],[No.])=0,0,IF(INDEX(Ratings[{games}],[No.])=0,1,0))",
                lambda i: float(self.newcomer(i)),
            )
        self._priors(solve, flag, on)
        self._knots(solve, flag, on)
        self._between(solve, flag, on)

    def _priors(self, solve: str, flag: str, on: Callable[[int], bool]) -> None:
        event = self.event
        rating, side = "INDEX(Ratings[Rating],[No.])", f"INDEX(Ratings[{self.cells['one_sided'].strip('[]')}],[No.])"
        side = "0" if solve == "trial" else side
        prior = next(iter(lines([uschess.prior_opponent])))
        score = next(iter(lines([uschess.prior_score])))
        weight = "1" if solve == "trial" else "INDEX(Ratings[N used],[No.])"

        def sided(i: int) -> float:
            return 0.0 if solve == "trial" else event.fact("one_sided", i)

        def put(kind: str, formula: str, value: Callable[[int], float], unit: str = "points") -> None:
            self.passes.add(
                f"pass:{kind}:{solve}", f"IF({flag},{formula},0)", lambda i: value(i) if on(i) else 0.0, unit
            )

        put(
            "prior",
            rule_formula(prior, {"rating": rating, "one_sided": side}),
            lambda i: float(uschess.prior_opponent(number(event.ratings[i]), sided(i))),
        )
        put(
            "weight",
            weight,
            lambda i: 1.0 if solve == "trial" else number(self.ratings["step:Ratings:effective_games"][i]),
            "number",
        )
        before = rule_formula(score, {"effective_games": f"[Weight {solve}]", "one_sided": side})
        put(
            "target",
            f"INDEX(Ratings[W],[No.])+{before}",
            lambda i: (
                number(self.ratings["rating_w"][i])
                + float(uschess.prior_score(self.passes[f"pass:weight:{solve}"][i], sided(i)))
            ),
            "number",
        )

    def excess(self, solve: str, i: int, at: float) -> float:
        """Return by how much a row's expectancy at a rating exceeds its score."""
        weight, prior, target = (
            number(self.passes[f"pass:{kind}:{solve}"][i]) for kind in ("weight", "prior", "target")
        )
        return float(weight * uschess.linear_expected(at, prior) + self._sum(solve, i, at) - target)

    def _sum(self, solve: str, i: int, at: float) -> float:
        mine = [r for r in self.event.rows_of(i + 1) if self.event.counts(r)]
        opponents = [number(self.ledger[f"us:opponent:{solve}"][r]) for r in mine]
        return sum(float(uschess.linear_expected(at, other)) for other in opponents)

    @staticmethod
    def excess_formula(solve: str, at: str, row: str, read: Callable[[str], str]) -> str:
        """Return the formula of `excess`: `row` is the player's number, `read` says where Passes is read."""
        names = "Prior", "Weight", "Target"
        prior, weight, target = (read(f"{name} {solve}") for name in names)
        opponents = {"trial": "Start", "first": "Opponent trial", "second": "Opponent first"}[solve]
        chance = f"(0.5+({at}-Ledger[{opponents}])/{2 * KNOT:g})"
        mine = f"(Ledger[Player no.]={row})*(Ledger[Counted]=1)"
        games = f"SUMPRODUCT({mine}*(({chance}>0)*({chance}<1)*{chance}+({chance}>=1)))"
        return f"{weight}*MAX(0,MIN(1,0.5+({at}-{prior})/{2 * KNOT:g}))+{games}-{target}"

    def _knots(self, solve: str, flag: str, on: Callable[[int], bool]) -> None:
        ledger, event = self.ledger, self.event
        source = {
            "trial": "[Opponent rating]",
            "first": "INDEX(Passes[Trial rating],[Opponent no.])",
            "second": "INDEX(Passes[First pass],[Opponent no.])",
        }[solve]
        name = ledger.labels[f"us:opponent:{solve}"]

        def opponent(r: int) -> float:
            game, side = event.side(r)
            return self.opponent_rating(solve, game.numbers[1 - side]) if event.counts(r) else 0.0

        ledger.add(f"us:opponent:{solve}", f"IF([Counted]=0,0,{source})", opponent, "points")
        own = "INDEX(Passes[Newcomer],[Player no.])" if solve == "trial" else "INDEX(Ratings[Special],[Player no.])"

        def read(column: str) -> str:
            return f"INDEX(Passes[{column}],[Player no.])"

        for kind, sign in (("low", -1), ("high", 1)):
            at = f"([{name}]{'+' if sign > 0 else '-'}{KNOT:g})"
            formula = self.excess_formula(solve, at, "[Player no.]", read)

            def height(r: int, sign: int = sign) -> float:
                i = event.side(r)[0].numbers[r % 2] - 1
                if not event.counts(r) or not on(i):
                    return 0.0
                found = self.excess(solve, i, number(ledger[f"us:opponent:{solve}"][r]) + sign * KNOT)
                return float(round_half_away(found, DIGITS))

            # An IF inside an IF: AND would look up the row of nobody.
            ledger.add(
                f"us:{kind}:{solve}",
                f"IF([Counted]=0,0,IF({own}=0,0,ROUND({formula},{DIGITS})))",
                height,
                "share",
            )
            prior = f"([Prior {solve}]{'+' if sign > 0 else '-'}{KNOT:g})"
            own_formula = self.excess_formula(solve, prior, "[No.]", lambda column: f"[{column}]")
            self.passes.add(
                f"pass:{kind}:{solve}",
                f"IF({flag},ROUND({own_formula},{DIGITS}),0)",
                lambda i, sign=sign: (
                    float(  # type: ignore[misc]
                        round_half_away(
                            self.excess(solve, i, number(self.passes[f"pass:prior:{solve}"][i]) + sign * KNOT), DIGITS
                        )
                    )
                    if on(i)
                    else 0.0
                ),
                "share",
            )

    def knots(self, solve: str, i: int) -> list[tuple[float, float]]:
        """Return every knot of a row of Passes with the excess of expectancy there."""
        prior = number(self.passes[f"pass:prior:{solve}"][i])
        found = [(prior - KNOT, number(self.passes[f"pass:low:{solve}"][i]))]
        found.append((prior + KNOT, number(self.passes[f"pass:high:{solve}"][i])))
        for r in self.event.rows_of(i + 1):
            if self.event.counts(r):
                other = number(self.ledger[f"us:opponent:{solve}"][r])
                found.append((other - KNOT, number(self.ledger[f"us:low:{solve}"][r])))
                found.append((other + KNOT, number(self.ledger[f"us:high:{solve}"][r])))
        return found

    def _between(self, solve: str, flag: str, on: Callable[[int], bool]) -> None:
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

        tests: dict[str, Callable[[float], bool]] = {
            "<0": lambda h: h < 0,
            ">0": lambda h: h > 0,
            "=0": lambda h: h == 0,
        }

        def largest(test: str) -> Callable[[int], float]:
            return lambda i: max((k for k, h in self.knots(solve, i) if tests[test](h)), default=-BEYOND)

        def smallest(test: str) -> Callable[[int], float]:
            return lambda i: min((k for k, h in self.knots(solve, i) if tests[test](h)), default=BEYOND)

        up, down = f"{{}}+{BEYOND:g}", f"{BEYOND:g}-({{}})"
        ends = {
            "below": (f"{most('<0', up)}-{BEYOND:g}", largest("<0")),
            "above": (f"{BEYOND:g}-{most('>0', down)}", smallest(">0")),
            "from": (f"{BEYOND:g}-{most('=0', down)}", smallest("=0")),
            "to": (f"{most('=0', up)}-{BEYOND:g}", largest("=0")),
        }
        for kind, (formula, value) in ends.items():
            self.passes.add(
                f"pass:{kind}:{solve}",
                f"IF({flag},{formula},0)",
                lambda i, value=value: value(i) if on(i) else 0.0,  # type: ignore[misc]
                "points",
            )
        for kind in ("below", "above"):
            at = f"[{kind.capitalize()} {solve}]"
            formula = self.excess_formula(solve, at, "[No.]", lambda column: f"[{column}]")
            self.passes.add(
                f"pass:at_{kind}:{solve}",
                f"IF({flag},IF(ABS({at})>={BEYOND:g},0,{formula}),0)",
                lambda i, kind=kind: self._height(solve, kind, i) if on(i) else 0.0,  # type: ignore[misc]
                "share",
            )
        start, end, below, above = (f"[{k.capitalize()} {solve}]" for k in ("from", "to", "below", "above"))
        rating = "INDEX(Ratings[Rating],[No.])"
        flat = (
            f"MAX(IF({below}<=-{BEYOND:g},-{BEYOND:g},{start}),MIN(IF({above}>={BEYOND:g},{BEYOND:g},{end}),{rating}))"
        )
        lows, highs = f"[At below {solve}]", f"[At above {solve}]"
        line = f"{below}-{lows}*({above}-{below})/({highs}-{lows})"
        self.passes.add(
            f"pass:special:{solve}",
            f'IF({flag},MIN({uschess.SPECIAL_CEILING:g},IF({start}<={end},{flat},{line})),"")',
            lambda i: self._special(solve, i) if on(i) else "",
            "points",
        )

    def _height(self, solve: str, kind: str, i: int) -> float:
        at = number(self.passes[f"pass:{kind}:{solve}"][i])
        return 0.0 if abs(at) >= BEYOND else self.excess(solve, i, at)

    def _special(self, solve: str, i: int) -> float:
        """Return the special formula's rating by the core, for the row of a player whom it rates."""
        event = self.event
        mine = [r for r in event.rows_of(i + 1) if event.counts(r)]
        return uschess.special_rating(
            number(event.ratings[i]),
            number(self.passes[f"pass:weight:{solve}"][i]),
            [number(self.ledger[f"us:opponent:{solve}"][r]) for r in mine],
            number(self.ratings["rating_w"][i]),
            0.0 if solve == "trial" else event.fact("one_sided", i),
        )

    # The passes

    def _trial(self) -> None:
        self.passes.add(
            "pass:trial",
            f"IF([Newcomer]=1,MAX({uschess.LOWEST:g},[Special trial]),INDEX(Ratings[Rating],[No.]))",
            lambda i: self.rated[self.event.ids[i]].trial if self.event.ids[i] else "",
            "points",
        )

    def _expected(self, role: str, solve: str) -> None:
        event, ledger = self.event, self.ledger
        line = self.rule("expected")
        formula = rule_formula(
            line, {"rating": "[Rating]", "opponent_rating": f"[{ledger.labels[f'us:opponent:{solve}']}]"}
        )
        ledger.add(
            role,
            f'IF([Counted]=0,"",{formula})',
            lambda r: (
                float(uschess.expected(number(ledger["ledger_rating"][r]), number(ledger[f"us:opponent:{solve}"][r])))
                if event.counts(r)
                else ""
            ),
            "share",
        )

    def _first(self) -> None:
        self._expected("us:expected:first", "first")
        event, ledger = self.event, self.ledger
        standard = "OR(INDEX(Ratings[n],[No.])=0,INDEX(Ratings[Special],[No.])=1)"

        def on(i: int) -> bool:
            return self.played(i) and not self.special(i)

        self.passes.add(
            "pass:we",
            f'IF({standard},"",SUMIFS(Ledger[Expected first],Ledger[Player no.],[No.]))',
            lambda i: sum(number(ledger["us:expected:first"][r]) for r in event.rows_of(i + 1)) if on(i) else "",
            "share",
        )
        cells = {name: f"INDEX(Ratings[{cell.strip('[]')}],[No.])" for name, cell in self.cells.items()} | {
            "period_expected": "[We first]",
            "gain": "[Gain first]",
            "bonus": "[Bonus first]",
        }
        read = self.read | {
            "period_expected": lambda i: self.passes["pass:we"][i],
            "gain": lambda i: self.passes["pass:gain"][i],
            "bonus": lambda i: self.passes["pass:bonus"][i],
        }
        for name in ("gain", "bonus"):
            self.rate(f"pass:{name}", self.rule(name), cells, read, standard, on, self.passes)
        by_standard = rule_formula(self.rule("standard_rating"), cells)
        self.passes.add(
            "pass:first",
            "IF(INDEX(Ratings[n],[No.])=0,INDEX(Ratings[Rating],[No.]),"
            f"MAX({uschess.LOWEST:g},IF(INDEX(Ratings[Special],[No.])=1,[Special first],{by_standard})))",
            self._first_pass,
            "points",
        )

    def _first_pass(self, i: int) -> CellValue:
        if not self.event.ids[i]:
            return ""
        return self.rated[i + 1].first_pass if self.played(i) else self.event.ratings[i]

    def closing(self) -> None:
        table = self.ratings

        def standard(i: int) -> bool:
            return self.played(i) and not self.special(i)

        for name in ("gain", "bonus"):
            self.rate(f"step:Ratings:{name}", self.rule(name), self.cells, self.read, "OR([n]=0,[Special]=1)", standard)
        by_standard = rule_formula(self.rule("standard_rating"), self.cells)
        table.add(
            "step:Ratings:second_pass",
            f'IF([n]=0,"",MAX({uschess.LOWEST:g},IF([Special]=1,INDEX(Passes[Special second],[No.]),{by_standard})))',
            self._second_pass,
            "points",
        )
        cells = self.cells | {
            "period_draws": "([n]-[Wins]-[Losses])",
            "full_events": f"IF([n]>={uschess.FULL_EVENT},1,0)",
            "peak": "[Highest so far]",
        }
        read = self.read | {
            "period_draws": lambda i: (
                number(table["rating_n"][i]) - number(table["rating_wins"][i]) - number(table["rating_losses"][i])
            ),
            "full_events": lambda i: float(number(table["rating_n"][i]) >= uschess.FULL_EVENT),
            "peak": lambda i: table["step:Ratings:peak_before"][i],
        }
        self.rate("step:Ratings:absolute_floor_after", self.rule("absolute_floor_after"), cells, read)
        before = self.rule("peak_after")
        self.rate(
            "step:Ratings:peak_before",
            before,
            self.cells | {"games_after": self.cells["games"], "rating_after": "[Rating]"},
            self.read | {"games_after": self.read["games"], "rating_after": self.read["rating"]},
        )
        for name in ("hundreds_below", "established_floor", "floor_used"):
            self.rate(f"step:Ratings:{name}", self.rule(name), cells, read)
        table.add(
            "step:Ratings:rating_after",
            'IF([n]=0,"",MAX([Second pass],[Floor]))',
            lambda i: self.rated[i + 1].rating if self.played(i) else "",
            "points",
        )

    def _second_pass(self, i: int) -> CellValue:
        if not self.played(i):
            return ""
        if self.special(i):
            return max(uschess.LOWEST, number(self.passes["pass:special:second"][i]))
        gain, bonus = (number(self.ratings[f"step:Ratings:{name}"][i]) for name in ("gain", "bonus"))
        return float(max(uschess.LOWEST, uschess.standard_rating(number(self.event.ratings[i]), gain, bonus)))

    # What the view asks for

    def further_fills(self) -> dict[str, Fill]:
        return self.passes.fills

    def control_total(self) -> dict[str, tuple[str, CellValue, str]]:
        by_player = sum(number(value) for value in self.ratings["step:Ratings:gain"])
        by_game = sum(number(value) for value in self.ledger["ledger_change"])
        formula = "ROUND(SUM(Ratings[Gain])-SUM(Ledger[K × ΔR]),6)"
        return {"change_total": (formula, round(by_player - by_game, 6) + 0.0, "points")}
