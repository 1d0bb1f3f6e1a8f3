"""The journal's Log and Ledger by their formulas.

The Log is what the owner types, the Ledger what the rule makes of it, row by row. The Log shows the Ledger's
results; the Ledger reads the Log by position, so that rows of the Log can be inserted, deleted and sorted. Each pool
has a chain of its own: a row finds the last row of its pool in columns that carry it on. Names stand for numbers
behind the inputs and are compared with `=` only. What the formulas give follows from them (`complete`), save for the
rule's own columns: these have their values from the replay (`journal_rows`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from elo_sheets.systems import System
from elo_sheets.workbook.book import Inputs
from elo_sheets.workbook.facts import step_unit
from elo_sheets.workbook.journal_chain import EXTRA
from elo_sheets.workbook.journal_rows import INPUTS, OPTIONAL, JournalRows
from elo_sheets.workbook.layout import UNRATED, TableLayout, day_read, period_begins
from elo_sheets.workbook.plan import PENDING, Fill
from elo_sheets.workbook.spellings import NO_RESULT, OWN

# The deviation of opponents whose own is not typed, in a new book.
OPPONENT_RD = 60.0
# What parts the number of a group from the number within it: more than rows in a sheet.
PART = 1_000_000
# Two ratings are the same within this.
NEAR = 0.000001
# An upset: the winner was expected to score less than this.
UPSET = 0.3

# The results of the Ledger that the Log shows beside each game, where the system has them.
SHOWN = ("rating", "expected", "k_used", "change", "rating_after", "rd_after")


class JournalCells(JournalRows):
    """The fills of a journal's Log and Ledger."""

    def __init__(
        self,
        system: System,
        settings: Mapping[str, Any],
        cells: Mapping[str, str],
        inputs: Inputs,
        ledger_labels: Sequence[str],
        header_row: int,
    ) -> None:
        super().__init__(system, settings, inputs)
        self.setting_cells = cells
        self.layout = TableLayout("Ledger", ledger_labels, header_row)

    # The Ledger

    def ledger(self) -> dict[str, Fill]:
        """Return the fill of every role of the Ledger."""
        return (
            {"ledger_game": Fill([float(i) for i in range(1, self.ledger_rows + 1)], unit="count")}
            | self._read_fills()
            | self._chain_fills()
            | self._told_fills()
            | self._last_fills()
            | self._rule_fills()
        )

    def _read_fills(self) -> dict[str, Fill]:
        """What a row reads of the Log, and whether it is rated."""
        colour = 'IF({0}="White","White",IF({0}="Black","Black",""))'
        rd = self._from_log("Opponent RD", "N(Opponent_RD)", "IF(ISNUMBER({0}),{0},N(Opponent_RD))")
        return {
            "ledger_date": self._fill(self._from_log("Date", "0", day_read("{0}")), "date"),
            "latest_date": self._fill("MAX(N(up[Latest date]),[Date])", "date"),
            "order_break": self._fill("IF(AND([Date]>0,[Date]<[Latest date]),1,0)"),
            "ledger_opponent": self._fill(self._from_log("Opponent"), "text"),
            "ledger_colour": self._fill(self._from_log("Colour", '""', colour), "text"),
            "ledger_result": self._fill(self._from_log("Result", reading=OWN.formula("{0}")), "text"),
            "ledger_opponent_rating": self._fill(
                self._from_log("Opponent rating", '""', 'IF(ISNUMBER({0}),{0},"")'), "points"
            ),
            "ledger_opponent_rd": self._fill(rd, "points"),
            "ledger_opening": self._fill(self._from_log("Opening"), "text"),
            "ledger_control": self._fill(self._from_log("Time control"), "text"),
            "pool_number": self._fill(self._pool_number()),
            "previous": self._fill(self._previous(), first="0*[Pool no.]"),
            "ledger_status": self._status_fill(),
            "rated_pool": self._fill('IF([Status]="rated",[Pool no.],0)'),
            "score": self._fill('IF([Status]<>"rated","",IF([Result]="Win",1,IF([Result]="Draw",0.5,0)))', "share"),
        }

    def _chain_fills(self) -> dict[str, Fill]:
        """What goes on from the pool's row before."""
        typed = "INDEX(Pools[Start rating],[Pool no.])"
        streak = "IF([Score]=1,MAX({0},0)+1,IF([Score]=0,MIN({0},0)-1,0))"
        highest = f"IF(ISNUMBER({typed}),{typed},[Rating after])"
        return {
            "games_so_far": self._fill('N(up[Games so far])+IF([Score]="",0,1)'),
            "pool_game": self._along("Pool game", "0", "{0}+1"),
            "key": self._fill(f"IF([Rated pool]=0,0,{PART}*[Rated pool]+[Pool game])"),
            "streak": self._along("Streak", "0", streak),
            "unbeaten": self._along("Unbeaten", "0", "IF([Score]=0,0,{0}+1)"),
            "peak": self._along("Best so far", highest, "MAX({0},[Rating after])", '""', "points"),
        }

    def _told_fills(self) -> dict[str, Fill]:
        """What the other sheets look games up by."""
        return {
            "opponent_number": self._number("Opponent"),
            "opening_number": self._number("Opening"),
            "control_number": self._number("Time control"),
            "opponent_rank": self._rank("Opponent no."),
            "opening_rank": self._rank("Opening no."),
            "control_rank": self._rank("Control no."),
            "notable": self._fill(
                'IF([Rated pool]<>Pool_number,"",'
                f"IF([Score]=1,{PART}+[Opponent rating]-[Game]/{PART},"
                f'IF([Score]=0,[Opponent rating]+[Game]/{PART}-{PART},"")))',
                "number",
            ),
            "opponent_counted": self._fill("IF([Rated pool]=Pool_number,[Opponent rating],0)", "points"),
            "duplicate": self._fill(
                "IF(OR([Rated pool]=0,[Date]=0,[Opponent no.]=0),0,IF(COUNTIFS(before100[Date],[Date],"
                "before100[Opponent no.],[Opponent no.],before100[Opponent rating],[Opponent rating],"
                "before100[Score],[Score],before100[Rated pool],[Rated pool])>0,1,0))"
            ),
        }

    def _fill(self, notation: str, unit: str = "count", first: str | None = None) -> Fill:
        begin = None if first is None else self.layout.formula(first)
        return Fill(PENDING, self.layout.formula(notation), unit, first=begin)

    def _from_log(self, label: str, missing: str = '""', reading: str = '{}&""') -> str:
        cell = f"INDEX(Log[{label}],[Game])"
        # Of the row numbers, which are formulas: LibreOffice 7.4 computes nothing anew for a deleted row of constants.
        return f"IF([Game]>ROWS(Log[Game]),{missing},{reading.format(cell)})"

    def _pool_number(self) -> str:
        cell = "INDEX(Log[Pool],[Game])"
        empty = 'AND([Opponent]="",[Result]="",[Opponent rating]="")'
        return f'IF({empty},0,IF({cell}="",1,SUMPRODUCT((Pools[Pool]={cell})*Pools[Id])))'

    def _previous(self) -> str:
        last = len(self.pools.names)
        return f"IF([Pool no.]=0,0,INDEX(up[Last 1]:up[Last {last}],1,[Pool no.]))"

    def _last_fills(self) -> dict[str, Fill]:
        """The columns that carry on the last rated row of each pool."""
        return {
            f"last {number}": self._fill(f"IF([Rated pool]={number},[Game],N(up[Last {number}]))")
            for number in range(1, len(self.pools.names) + 1)
        }

    def _status_fill(self) -> Fill:
        tests = [
            ('AND([Opponent]="",[Result]="",[Opponent rating]="")', '""'),
            ('[Opponent rating]=""', '"no opponent rating"'),
            ('[Result]=""', f'"{NO_RESULT}"'),
            ('AND([Result]<>"Win",[Result]<>"Draw",[Result]<>"Loss")', "[Result]"),
            ("[Pool no.]=0", '"unknown pool"'),
        ]
        if self.needs_date:
            tests.append(("[Date]=0", '"no date"'))
        rated = '"rated"'
        first = _ladder(tests, rated)
        if self.rule.period in {"month", "year"}:
            begun = period_begins("INDEX(above[Date],[Previous]+1)", self.rule.period)
            rated = f'IF([Previous]=0,"rated",IF([Date]<{begun},"out of order","rated"))'
        return self._fill(_ladder(tests, rated), "text", first)

    def _along(self, label: str, begin: str, step: str, nothing: str = "0", unit: str = "count") -> Fill:
        """Return a column that goes on from the pool's row before; `step` says how, with that row's cell as {0}."""
        before = f"INDEX(above[{label}],[Previous]+1)"
        first = step.format(begin)
        going_on = f"IF([Previous]=0,{first},{step.format(before)})"
        formula, opening = (f"IF({UNRATED},{nothing},{text})" for text in (going_on, first))
        return self._fill(formula, unit, opening)

    def _number(self, label: str) -> Fill:
        """Return the column of the row in which a text first stands; one with a wildcard is compared cell by cell."""
        plain = f"[{label}]"
        for wildcard in "*?~":
            plain = f'SUBSTITUTE({plain},"{wildcard}","")'
        found = f"MATCH([{label}],Ledger[{label}],0)"
        compared = f"{PART}-SUMPRODUCT(MAX((Ledger[{label}]=[{label}])*({PART}-Ledger[Game])))"
        return self._fill(f'IF([{label}]="",0,IF(LEN({plain})=LEN([{label}]),{found},{compared}))')

    def _rank(self, label: str) -> Fill:
        """Return the column that ranks a group by its games in the shown pool, at the row in which it first stands."""
        games = f"COUNTIFS(Ledger[{label}],[Game],Ledger[Rated pool],Pool_number)"
        return self._fill(f'IF([{label}]<>[Game],"",{PART}*{games}-[Game])')

    @property
    def starts(self) -> dict[str, str]:
        """Where the state stands that a row's pool begins with."""
        cells = {state.name: self.setting_cells.get(state.initial, state.initial) for state in self.system.state}
        for name, label in (("rating", "Starts at"), ("rd", "RD starts at")):
            if name in cells:
                cells[name] = f"INDEX(Pools[{label}],[Pool no.])"
        return cells

    def _rule_fills(self) -> dict[str, Fill]:
        rule, rounds = self.rule, TableLayout("Rounds", self.rule_labels(self.rule.round_names), self.layout.first_row)
        elsewhere = {name: f"Rounds!{rounds.letter(rule.label(name))}{{row}}" for name in rule.round_names}
        references = rule.references(self.setting_cells, elsewhere)
        fills = {}
        for name in rule.ledger_names:
            if name in rule.steps:
                formula = first = rule.formula(name, references)
            else:
                formula, first = rule.structural(name, self.starts, references)
            fills[f"step:{name}"] = Fill(
                self.values[name],
                self.layout.formula(rule.guarded(formula)),
                step_unit(self.system, name),
                first=None if first == formula else self.layout.formula(rule.guarded(first)),
            )
        return fills

    def rule_labels(self, names: Sequence[str]) -> list[str]:
        """Return the headers of columns of the rule."""
        return [self.rule.label(name) for name in names]

    def rounds(self) -> dict[str, Fill]:
        """Return the fills of the sheet of the iteration by label: the same rows as the Ledger's."""
        rule = self.rule
        ledger = {name: f"Ledger!{self.layout.letter(rule.label(name))}{{row}}" for name in rule.ledger_names}
        layout = TableLayout("Rounds", self.rule_labels(rule.round_names), self.layout.first_row)
        references = rule.references(self.setting_cells, ledger)
        unrated = UNRATED.replace("[Status]", f"Ledger!{self.layout.letter('Status')}{{row}}")
        return {
            rule.label(name): Fill(
                self.values[name],
                layout.formula(f'IF({unrated},"",{rule.formula(name, references)})'),
                step_unit(self.system, name),
            )
            for name in rule.round_names
        }

    # The Log

    @property
    def log_labels(self) -> list[str]:
        """The headers of the Log's typed columns."""
        optional = {
            "Opponent RD": self.rule.has_rd,
            **{label: label in self.rule.extra.values() for label in EXTRA.values()},
        }
        return [*INPUTS, *(label for label in OPTIONAL if optional.get(label, True))]

    def log(self) -> dict[str, Fill]:
        """Return the fill of every role of the Log."""
        typed = self.inputs.tables["Log"]
        count = len(typed["Opponent"])
        labels = ["Game", *self.log_labels, *(self.rule.label(n) for n in SHOWN if n in self.rule.names), "Status"]
        layout = TableLayout("Log", labels, self.layout.first_row)

        def result(formula: str, unit: str) -> Fill:
            return Fill(PENDING, layout.formula(f'IF({UNRATED},"",{formula})'), unit)

        def at(label: str) -> str:
            return f"INDEX(Ledger[{label}],[Game])"

        beyond = 'IF([Game]>ROWS(Ledger[Game]),IF([Opponent]="","","beyond the Ledger"),'
        fills = {label.lower().replace(" ", "_"): Fill(typed.get(label, [None] * count)) for label in self.log_labels}
        fills |= {
            "number": Fill(PENDING, f"ROW()-ROW($A${self.layout.first_row})", "count"),
            "status": Fill(PENDING, layout.formula(f"{beyond}INDEX(Ledger[Status],[Game]))")),
            "log_streak": result(at("Streak"), "count"),
            "mark": result(self._mark(at), "text"),
        }
        for name in SHOWN:
            if name in self.rule.names:
                fills[name] = result(at(self.rule.label(name)), step_unit(self.system, name))
        return fills

    def _mark(self, at: Callable[[str], str]) -> str:
        """Return what the Log remarks of each game: a new peak, an upset."""
        after, expected = self.rule.label("rating_after"), self.rule.label("expected")
        won, lost = (f"{at('Score')}={score}" for score in (1, 0))
        surprise = f"OR(AND({won},[{expected}]<{UPSET}),AND({lost},[{expected}]>{1 - UPSET}))"
        new_peak = f"AND([{after}]>[{self.rule.label('rating')}],[{after}]>={at('Best so far')}-{NEAR:f})"
        return f'TRIM(IF({new_peak},"peak","")&IF({surprise}," upset",""))'


def _ladder(tests: Sequence[tuple[str, str]], otherwise: str) -> str:
    for test, answer in reversed(tests):
        otherwise = f"IF({test},{answer},{otherwise})"
    return otherwise
