"""What a journal says of its pools, and what a planned game would change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from elo_sheets.systems import GAME_INPUTS
from elo_sheets.workbook.book import HEADER_ROW
from elo_sheets.workbook.facts import step_unit
from elo_sheets.workbook.journal import COLOURS, JournalCells
from elo_sheets.workbook.journal_chain import Played
from elo_sheets.workbook.journal_stats import Fills
from elo_sheets.workbook.layout import TableLayout, number_or, text_of
from elo_sheets.workbook.plan import CellValue, Fill
from elo_sheets.workbook.styles import LINE_ORDER, LINES, STROKES

Typed = Mapping[str, Sequence[CellValue]]

PLANNED_ROWS = 8
OUTCOMES = (1.0, 0.5, 0.0)
UNKNOWN_POOL = "unknown pool"
# No rating lies further from zero: the yellow cells say so, and what is typed beyond it counts as nothing.
FURTHEST = 10000


def line_of(pool: int) -> str:
    """Return the style of a pool's line; the colours come again after the last."""
    return LINE_ORDER[(pool - 1) % len(LINE_ORDER)]


def is_rating(cell: str) -> str:
    """Return the formula that says whether a cell holds a number that can be a rating."""
    return f"AND(ISNUMBER({cell}),ABS(N({cell}))<={FURTHEST})"


def as_rating(value: CellValue) -> CellValue:
    """Return what was typed if it can be a rating, else empty text."""
    number = number_or(value, "")
    return number if number != "" and abs(float(number or 0)) <= FURTHEST else ""


def stroke(pool: int) -> str:
    """Return the text that looks like a pool's line."""
    return STROKES[LINES[line_of(pool)].get("dash_type", "")]


class Plans:
    """The tables of pools, goals, milestones and planned games."""

    def __init__(self, cells: JournalCells) -> None:
        self.cells = cells
        self.rule = cells.rule
        self.inputs = cells.inputs

    def typed(self, table: str, labels: Sequence[str], rows: int) -> dict[str, list[CellValue]]:
        """Return what stands in a table's yellow columns, nothing where the book says nothing."""
        given = self.inputs.tables.get(table, {})
        return {label: list(given.get(label, [None] * rows)) for label in labels}

    def pool_number(self, typed: str, label: str = "Pool") -> str:
        """Return the formula of the number of the pool that a row names, 0 for an unknown one or an empty row."""
        known = f"SUMPRODUCT((Pools[Pool]=[{label}])*Pools[Id])"
        return f'IF({is_rating(f"[{typed}]")},IF([{label}]="",1,{known}),0)'

    def pool_state(self, pool: int) -> dict[str, float]:
        """Return the state of a pool after its last game."""
        games = self.cells.games_of(pool)
        start = self.cells.pools.starts[pool - 1]
        if not games:
            return start
        return {name: float(self.cells.values[f"{name}_after"][games[-1]] or 0) for name in start}

    # Pools

    def pools(self) -> Fills:
        """Return the fills of the table Pools by label."""
        cells, rule = self.cells, self.rule
        layout = TableLayout("Pools", [], 0)
        known = [bool(number) for number in cells.pools.ids]
        games = [cells.games_of(i) if use else [] for i, use in enumerate(known, 1)]
        now = [self.pool_state(i) if use else {} for i, use in enumerate(known, 1)]
        starts = cells.pools.starts

        def some(formula: str, values: Sequence[CellValue], unit: str, nothing: str = '""') -> Fill:
            blank = "" if nothing == '""' else 0.0
            shown = [value if use else blank for value, use in zip(values, known, strict=True)]
            return Fill(shown, layout.formula(f"IF([Id]=0,{nothing},{formula})"), unit)

        def played(formula: str, values: Sequence[CellValue], unit: str) -> Fill:
            return Fill(values, layout.formula(f'IF([Games]=0,"",{formula})'), unit)

        strokes = ",".join(f'"{stroke(number)}"' for number in range(1, len(LINE_ORDER) + 1))
        twin = "SUMPRODUCT((Pools[Pool]=[Pool])*(Pools[No.]<[No.]))"
        fills = {
            "No.": Fill([float(i) for i in range(1, len(known) + 1)], unit="count"),
            "Pool": Fill(cells.pools.typed["Pool"]),
            "Start rating": Fill(cells.pools.typed["Start rating"]),
            "Start RD": Fill(cells.pools.typed["Start RD"]),
            "Id": Fill(
                [float(number) for number in cells.pools.ids],
                layout.formula(f'IF([No.]=1,1,IF([Pool]="",0,IF({twin}>0,0,[No.])))'),
                "count",
            ),
            "Line": Fill(
                [stroke(number) if part else "" for number, part in enumerate(games, 1)],
                layout.formula(f'IF([Games]=0,"",CHOOSE(MOD([No.]-1,{len(LINE_ORDER)})+1,{strokes}))'),
            ),
            "Starts at": some(
                f"IF(ISNUMBER([Start rating]),[Start rating],{self._setting('rating')})",
                [start["rating"] for start in starts],
                "points",
            ),
            "Games": some("COUNTIFS(Ledger[Rated pool],[Id])", [float(len(part)) for part in games], "count", "0"),
            "Last row": some(
                "SUMPRODUCT(MAX((Ledger[Rated pool]=[Id])*Ledger[Game]))",
                [float(part[-1] + 1) if part else 0.0 for part in games],
                "count",
                "0",
            ),
            "Rating now": some(
                f"IF([Last row]=0,[Starts at],INDEX(Ledger[{rule.label('rating_after')}],[Last row]))",
                [state.get("rating", "") for state in now],
                "points",
            ),
            "Change": played(
                "[Rating now]-[Starts at]",
                [
                    state["rating"] - start["rating"] if part else ""
                    for state, start, part in zip(now, starts, games, strict=True)
                ],
                "points",
            ),
            "Highest": played(
                "INDEX(Ledger[Best so far],[Last row])",
                [cells.peaks[part[-1]] if part else "" for part in games],
                "points",
            ),
            "Score": played(
                "SUMIFS(Ledger[Score],Ledger[Rated pool],[Id])/[Games]",
                [sum(float(cells.rows[i].score or 0) for i in part) / len(part) if part else "" for part in games],
                "share",
            ),
            "Last played": played(
                "INDEX(Ledger[Date],[Last row])", [cells.rows[part[-1]].date if part else "" for part in games], "date"
            ),
        }
        if rule.has_rd:
            fills["RD starts at"] = some(
                f"IF(ISNUMBER([Start RD]),[Start RD],{self._setting('rd')})", [s["rd"] for s in starts], "points"
            )
            fills["RD now"] = some(
                f"IF([Last row]=0,[RD starts at],INDEX(Ledger[{rule.label('rd_after')}],[Last row]))",
                [state.get("rd", "") for state in now],
                "points",
            )
        return fills

    def _setting(self, state: str) -> str:
        initial = next(one.initial for one in self.rule.system.state if one.name == state)
        return self.cells.setting_cells.get(initial, initial)

    # What if

    @property
    def planned_labels(self) -> tuple[str, ...]:
        """The typed columns of the planned games."""
        return ("Opponent", "Opponent rating", *(("Opponent RD",) if self.rule.has_rd else ()), "Colour", "Pool")

    @cached_property
    def trials(self) -> list[list[dict[str, float]] | None]:
        """What every column of the rule holds after a win, a draw and a loss in each planned game."""
        typed = self.typed("Planned", self.planned_labels, PLANNED_ROWS)
        default_rd = float(number_or(self.inputs.cells.get("opponent_rd"), 0.0) or 0)
        found: list[list[dict[str, float]] | None] = []
        for i, rating in enumerate(typed["Opponent rating"]):
            pool = self.cells.pools.number(text_of(typed["Pool"][i]))
            if as_rating(rating) == "" or pool == 0:
                found.append(None)
                continue
            games = self.cells.games_of(pool)
            rd = float(number_or(typed["Opponent RD"][i], default_rd) or 0) if "Opponent RD" in typed else 0.0
            colour = COLOURS.get(text_of(typed["Colour"][i]).lower(), "")
            day = self.cells.rows[games[-1]].date if games else 0.0
            side = -1.0 if colour == "Black" else 1.0
            extra = {name: GAME_INPUTS[name] or 0.0 for name in self.rule.extra}
            state = self.pool_state(pool)
            outcomes = [
                Played(1, pool, day, "", score, float(number_or(rating, 0.0) or 0), rd, side, extra)
                for score in OUTCOMES
            ]
            found.append([self.rule.trial(game, state) for game in outcomes])
        return found

    def planned(self) -> Fills:
        """Return the fills of the table of planned games by label."""
        typed = self.typed("Planned", self.planned_labels, PLANNED_ROWS)
        layout, count, rule = TableLayout("Planned", [], 0), len(typed["Opponent"]), self.rule
        numbers = [
            float(self.cells.pools.number(text_of(pool)) if as_rating(rating) != "" else 0)
            for rating, pool in zip(typed["Opponent rating"], typed["Pool"], strict=True)
        ]

        def trial(label: str, at: int) -> str:
            return f"INDEX(Trial[{label}],3*([No.]-1)+{at})"

        def some(formula: str, name: str, at: int, less: str = "") -> Fill:
            values: list[CellValue] = [
                "" if t is None else t[at][name] - (t[at][less] if less else 0.0) for t in self.trials
            ]
            return Fill(values, layout.formula(f'IF([Pool no.]=0,"",{formula})'), step_unit(self.rule.system, name))

        after, rating = rule.label("rating_after"), rule.label("rating")
        fills = {"No.": Fill([float(i) for i in range(1, count + 1)], unit="count")}
        fills |= {label: Fill(values) for label, values in typed.items()}
        fills["Pool no."] = Fill(numbers, layout.formula(self.pool_number("Opponent rating")), "count")
        fills["Expected"] = some(trial(rule.label("expected"), 1), "expected", 0)
        for at, word in enumerate(("Win", "Draw", "Loss"), 1):
            change = f"{trial(after, at)}-{trial(rating, at)}"
            fills[word] = some(change, "rating_after", at - 1, "rating")
            fills[f"After a {word.lower()}"] = some(trial(after, at), "rating_after", at - 1)
        lost = [
            as_rating(rating) != "" and number == 0
            for rating, number in zip(typed["Opponent rating"], numbers, strict=True)
        ]
        unknown = f'IF(AND({is_rating("[Opponent rating]")},[Pool no.]=0),"{UNKNOWN_POOL}","")'
        fills["Remark"] = Fill([UNKNOWN_POOL if one else "" for one in lost], layout.formula(unknown))
        return fills

    def trial(self) -> Fills:
        """Return the fills of the hidden table in which the rule runs for each outcome of each planned game."""
        rule, count = self.rule, len(self.trials)
        names = rule.trial_names
        labels = [rule.label(name) for name in names]
        layout = TableLayout("Trial", [], HEADER_ROW)
        typed = self.typed("Planned", self.planned_labels, PLANNED_ROWS)
        lines = [(i, at) for i in range(count) for at in range(len(OUTCOMES))]
        pool, last = "INDEX(Planned[Pool no.],[Line])", "INDEX(Pools[Last row],[Pool no.])"
        pools = [self.cells.pools.number(text_of(typed["Pool"][i])) if self.trials[i] else 0 for i in range(count)]
        days = [
            self.cells.rows[self.cells.games_of(number)[-1]].date if number and self.cells.games_of(number) else 0.0
            for number in pools
        ]

        def each(values: Sequence[CellValue]) -> list[CellValue]:
            return [values[i] for i, _ in lines]

        fills = {
            "Line": Fill([float(i + 1) for i, _ in lines], unit="count"),
            "Score": Fill([OUTCOMES[at] for _, at in lines]),
            "Pool no.": Fill(each([float(p) for p in pools]), layout.formula(pool), "count"),
            "Opponent rating": Fill(
                each([number_or(typed["Opponent rating"][i], "") if p else "" for i, p in enumerate(pools)]),
                layout.formula('IF([Pool no.]=0,"",INDEX(Planned[Opponent rating],[Line]))'),
                "points",
            ),
            "Colour": Fill(
                each([COLOURS.get(text_of(colour).lower(), "") for colour in typed["Colour"]]),
                layout.formula(
                    'IF(INDEX(Planned[Colour],[Line])="White","White",IF(INDEX(Planned[Colour],[Line])="Black","Black",""))'
                ),
            ),
            "Date": Fill(
                each([float(day) for day in days]),
                layout.formula(f"IF([Pool no.]=0,0,IF({last}=0,0,INDEX(Ledger[Date],{last})))"),
                "date",
            ),
        }
        if rule.has_rd:
            default = float(number_or(self.inputs.cells.get("opponent_rd"), 0.0) or 0)
            cell = "INDEX(Planned[Opponent RD],[Line])"
            fills["Opponent RD"] = Fill(
                each([number_or(value, default) for value in typed["Opponent RD"]]),
                layout.formula(f"IF(ISNUMBER({cell}),{cell},N(Opponent_RD))"),
                "points",
            )
        references = rule.references(self.cells.setting_cells, rule.trial_references)
        starts = self.cells.starts
        for name, label in zip(names, labels, strict=True):
            if name in rule.steps:
                formula = rule.formula(name, references)
            else:
                after = f"INDEX(Ledger[{rule.label(f'{name}_after')}],{last})"
                formula = f"IF({last}=0,{starts[name]},{after})"
            values: list[CellValue] = []
            for i, at in lines:
                outcome = self.trials[i]
                values.append("" if outcome is None else outcome[at][name])
            fills[label] = Fill(
                values, layout.formula(f'IF([Pool no.]=0,"",{formula})'), step_unit(self.rule.system, name)
            )
        return fills
