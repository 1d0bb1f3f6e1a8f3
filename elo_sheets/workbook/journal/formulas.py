"""The journal's Log and Ledger by their formulas.

The Log is what the owner types, the Ledger what the rule makes of it, row by row. The Log shows the Ledger's
results; the Ledger reads the Log by position, so that rows of the Log can be inserted, deleted and sorted. Each pool
has a chain of its own: a row finds the last row of its pool in columns that carry it on, and reads it in its own block
of rows or on the sheet Carry, which keeps what each pool had reached at the end of each block. Names stand for numbers
behind the inputs and are compared with `=` only. What the formulas give follows from them (`complete`), save for the
rule's own columns: these have their values from the replay (`rows`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import Any

from elo_sheets.systems import System
from elo_sheets.workbook.book import HEADER_ROW, Inputs
from elo_sheets.workbook.facts import step_unit
from elo_sheets.workbook.journal.chain import EXTRA
from elo_sheets.workbook.journal.rows import INPUTS, OPTIONAL, JournalRows
from elo_sheets.workbook.layout import UNRATED, TableLayout, carried, column_text, day_read, kept, ladder, period_begins
from elo_sheets.workbook.places import CLOSED, closed_status
from elo_sheets.workbook.plan import BLOCK, NONE_ABOVE, PENDING, STEP, CellValue, Fill
from elo_sheets.workbook.scores import part_formulas, scored, tidied_cell
from elo_sheets.workbook.spellings import NO_RESULT
from elo_sheets.workbook.sports.profiles import CHESS, Words
from elo_sheets.workbook.sums import in_parts, packed

# The deviation of opponents whose own is not typed, in a new book.
OPPONENT_RD = 60.0
# What parts the number of a group from the number within it: more than rows in a sheet.
PART = 1_000_000
# Two ratings are the same within this.
NEAR = 0.000001
# An upset: the winner was expected to score less than this.
UPSET = 0.3

# What the Log says to do about a row that is not rated.
TO_DO = {
    "no opponent rating": "type the published one",
    "unknown pool": "name it on the sheet Pools",
    "no date": "type the day",
}

# The results of the Ledger that the Log shows beside each game, where the system has them.
SHOWN = ("rating", "expected", "k_used", "change", "rating_after", "rd_after")


def last_part(rows: int) -> int:
    """Return the rows of the last part of a Ledger: the spare ones, and those that are computed anew with the first."""
    return rows // 20 + BLOCK


class JournalCells(JournalRows):
    """The fills of a journal's Log and Ledger."""

    def __init__(
        self,
        system: System,
        settings: Mapping[str, Any],
        cells: Mapping[str, str],
        inputs: Inputs,
        ledger_labels: Sequence[str],
        log_labels: Sequence[str],
        words: Words = CHESS,
    ) -> None:
        super().__init__(system, settings, inputs, words)
        self.setting_cells = cells
        self.layout = TableLayout("Ledger", ledger_labels, HEADER_ROW)
        self.log_layout = TableLayout("Log", log_labels, HEADER_ROW)
        # What rows of later blocks read of a pool's row in an earlier one.
        self.carrying: list[str] = []

    # The Ledger

    def ledger(self) -> dict[str, Fill]:
        """Return the fill of every role of the Ledger."""
        return (
            {"ledger_game": Fill([float(i) for i in range(1, self.ledger_rows + 1)], unit="count")}
            | {"at": self._place_fill()}
            | self._read_fills()
            | self._chain_fills()
            | self._told_fills()
            | self._last_fills()
            | self._rule_fills()
        )

    def _read_fills(self) -> dict[str, Fill]:
        """What a row reads of the Log, and whether it is rated."""
        found = {
            "ledger_date": self._from_log("Date", "0", day_read("{0}"), "date"),
            "latest_date": self._fill("MAX(N(up[Latest date]),[Date])", "date"),
            "order_break": self._fill("IF(AND([Date]>0,[Date]<[Latest date]),1,0)"),
            "ledger_opponent": self._from_log("Opponent"),
            "ledger_colour": self._from_log(self.words.side, '""', self.words.side_told("{0}")),
            "ledger_result": self._from_log(
                "Result",
                reading=self.spellings.formula("{0}", scored(self.words, tuple(self.spellings.words.values()))),
            ),
            "ledger_opponent_rating": self._from_log("Opponent rating", '""', 'IF(ISNUMBER({0}),{0},"")', "points"),
            "ledger_opening": self._from_log("Opening"),
            "ledger_control": self._from_log("Time control"),
            "pool_number": self._reading("Pool", self._pool_number(), "count"),
            "previous": self._fill(self._previous(), first="0*[Pool no.]"),
            "ledger_status": self._status_fill(),
            "rated_pool": self._fill('IF([Status]="rated",[Pool no.],0)'),
            "score": self._fill('IF([Status]<>"rated","",IF([Result]="Win",1,IF([Result]="Draw",0.5,0)))', "share"),
        }
        if self.rule.has_rd:
            typed = "IF(ISNUMBER({0}),{0},N(Opponent_RD))"
            found["ledger_opponent_rd"] = self._from_log("Opponent RD", "N(Opponent_RD)", typed, "points")
        if self.words.scores:
            found["written"] = self._from_log("Result", reading=tidied_cell("{0}"))
        return found | {role: self._fill(text) for role, text in part_formulas(self.words).items()}

    def _chain_fills(self) -> dict[str, Fill]:
        """What goes on from the pool's row before."""
        streak = "IF([Score]=1,MAX({0},0)+1,IF([Score]=0,MIN({0},0)-1,0))"
        return {
            "games_so_far": self._fill('N(up[Games so far])+IF([Score]="",0,1)'),
            "pool_game": self._along("Pool game", "0", "{0}+1"),
            "key": self._fill(f"IF([Rated pool]=0,0,{PART}*[Rated pool]+[Pool game])"),
            "streak": self._along("Streak", "0", streak),
            "unbeaten": self._along("Unbeaten", "0", "IF([Score]=0,0,{0}+1)"),
            "sum": self._along("Sum of ratings", "0", f"{{0}}+[{self.rule.label('rating_after')}]", unit="number"),
            "peak": self._best_so_far(),
        }

    def _best_so_far(self) -> Fill:
        """Return the column of the pool's highest rating: after a game, or, with periods, at the end of one before."""
        typed = "INDEX(Pools[Start rating],[Pool no.])"
        nothing, now, step = "[Rating after]", "[Rating after]", "MAX(carried[Best so far],[Rating after])"
        if self.rule.is_periodic:
            nothing, now, best = '""', f"[{self.rule.label('rating')}]", "carried[Best so far]"
            step = f"IF([Same period]=1,{best},IF(ISNUMBER({best}),MAX({best},{now}),{now}))"
        first = f"IF(ISNUMBER({typed}),{typed},{nothing})"
        begin = first if self.rule.is_periodic else f"MAX({first},{now})"
        return self.carried_fill(f"IF([Previous]=0,{begin},{step})", begin, "points", f'IF({UNRATED},"",{{}})')

    def _told_fills(self) -> dict[str, Fill]:
        """What the other sheets look games up by."""
        return {
            "opponent_number": self._number("Opponent"),
            "opening_number": self._number("Opening"),
            "control_number": self._number("Time control"),
            "opponent_before": self._games_before(),
            "opponent_rank": self._opponent_rank(),
            "opening_rank": self._rank("Opening no."),
            "control_rank": self._rank("Control no."),
            "notable": self._fill(
                'IF([Rated pool]<>Pool_number,"",'
                f"IF([Score]=1,{PART}+[Opponent rating]-[Game]/{PART},"
                f'IF([Score]=0,[Opponent rating]+[Game]/{PART}-{PART},"")))',
                "number",
            ),
            "counted": self._fill("IF([Rated pool]=Pool_number,1,0)"),
            "tally": self._fill(packed("[Counted]=0")),
            "opponent_counted": self._fill("IF([Counted]=1,[Opponent rating],0)", "points"),
            "expected_counted": self._fill(f"IF([Counted]=1,[{self.rule.label('expected')}],0)", "share"),
            "month": self._fill("IF([Counted]*[Date]=0,0,DATE(YEAR([Date]),MONTH([Date]),1))", "date"),
            "duplicate": self._fill(
                "IF(OR([Rated pool]=0,[Date]=0,[Opponent no.]=0),0,IF(COUNTIFS(before100[Date],[Date],"
                "before100[Opponent no.],[Opponent no.],before100[Opponent rating],[Opponent rating],"
                "before100[Score],[Score],before100[Rated pool],[Rated pool])>0,1,0))",
                first=NONE_ABOVE,
            ),
        }

    def _fill(self, notation: str, unit: str = "count", first: str | None = None) -> Fill:
        return self.layout.fill(notation, unit, first=first)

    def _place_fill(self) -> Fill:
        """Return the column that finds a row in its window of the Log."""
        # By the row numbers, which are formulas: LibreOffice 7.4 computes nothing anew for a deleted row of constants.
        numbers = self._window("Game")
        down = f"[Game]-INDEX({numbers},1)"
        text = f"IF(OR({down}<0,{down}>=ROWS({numbers})),0,{down}+1)"
        return self.layout.fill(text, "count", values=list(map(float, self.places)), windows=self.windows)

    def _window(self, label: str) -> str:
        return f"Log!$A${{lo}}:${self.log_layout.letter(label)}${{hi}}"

    def _from_log(self, label: str, missing: str = '""', reading: str = '{0}&""', unit: str = "text") -> Fill:
        return self._reading(label, f"IF([At]=0,{missing},{reading})", unit)

    def _reading(self, label: str, reading: str, unit: str) -> Fill:
        """Return a column that reads a cell of the Log, `{0}`, in the row's window, where it stands in one.

        The window begins with the column of numbers, which nobody can cut and paste elsewhere: a program moves a corner
        of a range with a cell that is.
        """
        cells = self._window(label)
        near, far = f"INDEX({cells},[At],COLUMNS({cells}))", f"INDEX(Log[{label}],[Game])"
        return self.layout.fill(reading.format(near), unit, windows=self.windows, means=reading.format(far))

    def _pool_number(self) -> str:
        empty = 'AND([Opponent]="",[Result]="",[Opponent rating]="")'
        return f'IF({empty},0,IF({{0}}="",1,SUMPRODUCT((Pools[Pool]={{0}})*Pools[Id])))'

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
        first = ladder(tests, '"rated"')
        if self.rule.period not in {"month", "year"}:
            return self._fill(first, "text")
        late = f'IF([Date]<{period_begins("carried[Date]", self.rule.period)},"{CLOSED}","rated")'
        return self.carried_fill(ladder(tests, f'IF([Previous]=0,"rated",{late})'), first, "text", "{}")

    def _along(self, label: str, begin: str, step: str, unit: str = "count") -> Fill:
        """Return a column that goes on from the pool's row before; `step` says how, with that row's cell as {0}."""
        first = step.format(begin)
        going_on = f"IF([Previous]=0,{first},{step.format(f'carried[{label}]')})"
        return self.carried_fill(going_on, first, unit, f"IF({UNRATED},0,{{}})")

    def carried_fill(
        self,
        notation: str,
        first: str,
        unit: str,
        guard: str = f'IF({UNRATED},"",{{}})',
        values: Sequence[CellValue] = PENDING,
    ) -> Fill:
        """Return a column that goes on from the pool's row before, with `carried[…]`; `first` is for the first row.

        It means the same without blocks, as the formula of the first one has it.
        """
        formula, opening, labels = carried(notation, "Carry", "Pool no.")
        self.carrying += [label for label in labels if label not in self.carrying]
        begun, first = guard.format(opening), guard.format(first)
        return self.layout.fill(guard.format(formula), unit, values=values, opening=begun, first=first, means=begun)

    def _number(self, label: str) -> Fill:
        """Return the column of the row in which a text first stands; one with a wildcard is compared cell by cell.

        A row looks for it from the top down to the end of its own step: it is told of no row further below.
        """
        plain = f"[{label}]"
        for wildcard in "*?~":
            plain = f'SUBSTITUTE({plain},"{wildcard}","")'

        def found(texts: str, games: str) -> str:
            first = f"MATCH([{label}],{texts},0)"
            compared = f"{PART}-SUMPRODUCT(MAX(({texts}=[{label}])*({PART}-{games})))"
            return f'IF([{label}]="",0,IF(LEN({plain})=LEN([{label}]),{first},{compared}))'

        so_far = (f"${self.layout.letter(one)}${{lo}}:${self.layout.letter(one)}${{hi}}" for one in (label, "Game"))
        means = found(f"Ledger[{label}]", "Ledger[Game]")
        return self.layout.fill(found(*so_far), "count", windows=self._down_to_steps, means=means)

    @cached_property
    def _down_to_steps(self) -> tuple[tuple[int, int], ...]:
        """The rows of the sheet from the first one to the end of each step of games."""
        header, rows = self.layout.first_row, self.ledger_rows
        return tuple((header + 1, header + min(rows, at + STEP)) for at in range(0, rows, STEP))

    def _rank(self, label: str) -> Fill:
        """Return the column that ranks a group by its games in the shown pool, at the row in which it first stands."""
        games = f"SUMIF(Ledger[{label}],[Game],Ledger[Counted])"
        return self._fill(f'IF([{label}]<>[Game],"",{PART}*{games}-[Game])')

    def _games_before(self) -> Fill:
        """Return the column of an opponent's games in all but the last part of the Ledger.

        There may be as many opponents as games, and each has a sum: a game typed behind leaves these as they are.
        """
        return self._fill(f"IF([Opponent no.]<>[Game],0,{self._met(0)})")

    def _opponent_rank(self) -> Fill:
        games = f"([Earlier meetings]+{self._met(1)})"
        means = self._rank("Opponent no.").formula
        return replace(self._fill(f'IF([Opponent no.]<>[Game],"",{PART}*{games}-[Game])'), means=means)

    def _met(self, part: int) -> str:
        """Return the formula of an opponent's games in the shown pool before the last part of the Ledger, or in it."""
        rows = self.ledger_rows
        cut = max(rows - last_part(rows), rows // 2)
        ((of, counted),) = in_parts(
            self.layout, "Ledger", rows, ("Opponent no.", "Counted"), [((1, cut), (cut + 1, rows))[part]]
        )
        return f"SUMIF({of},[Game],{counted})"

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
            fills[f"step:{name}"] = self._rule_fill(name, formula, first)
        return fills

    def _rule_fill(self, name: str, formula: str, first: str) -> Fill:
        values, unit = self.values[name], step_unit(self.system, name)
        if name in self.rule.typed:
            read = self._reading(self.rule.typed[name], self.rule.guarded(formula), unit)
            return replace(read, values=values)
        if "carried[" in formula:
            return self.carried_fill(formula, first, unit, values=values)
        begin = None if first == formula else self.rule.guarded(first)
        return self.layout.fill(self.rule.guarded(formula), unit, values=values, first=begin)

    def carry(self) -> dict[str, Fill]:
        """Return the fills of the sheet Carry by label: each pool's last row at the end of each block, and more."""
        pools = len(self.pools.names)
        ends = ("$" + self.layout.letter(f"Last {n}") for n in (1, pools))
        row = "Ledger!" + ":".join(f"{letter}${{row}}" for letter in ends)
        fills = {"No.": Fill([float(n) for n in range(1, pools + 1)], unit="count")}
        begun, before = 1, ""
        for through in range(BLOCK - 1, self.ledger_rows, BLOCK):
            last, label = self._last_rows(through), f"Through {through}"
            formula = f"INDEX({row.format(row=self.layout.first_row + through)},1,{_on_carry('No.')})"
            fills[label] = Fill(last, formula, "count")
            for column in self.carrying:
                unit = "text" if column == self.rule.label("event_name") else "number"
                letter, top = self.layout.letter(column), self.layout.first_row
                part = f"Ledger!${letter}${top + begun}:${letter}${top + through}"
                text = kept(column, part, begun, label, before, _on_carry)
                fills[f"{column} {label.lower()}"] = Fill(PENDING, text, unit)
            begun, before = through + 1, label
        return fills

    def _last_rows(self, through: int) -> list[CellValue]:
        """Return the last rated row of each pool up to a row, 0 for none."""
        found = dict.fromkeys(range(1, len(self.pools.names) + 1), 0.0)
        for i in self.rated:
            if i < through:
                found[self.rows[i].pool] = i + 1.0
        return list(found.values())

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

        def result(told: Callable[[Callable[[str], str]], str], unit: str) -> Fill:
            return self._of_ledger(lambda at: f'IF({UNRATED},"",{told(at)})', unit)

        def status(at: Callable[[str], str]) -> str:
            labels, gone = ("Opponent", "Result", "Opponent rating"), "OR([Game]<={skip},[Game]>{end})"
            empty = "&".join(f"typed[{label}]" for label in labels)
            if at is _in_all:
                empty = "&".join(f"INDEX(Log[{label}],[Game])" for label in labels)
                gone = "[Game]>ROWS(Ledger[Game])"
            said = at("Status")
            to_do = ladder([(f'{said}="{status}"', f'": {what}"') for status, what in TO_DO.items()], '""')
            said = f'IF({said}="rated",{said},{said}&{to_do})'
            if self.rule.period in {"month", "year"}:
                before = f"INDEX(Ledger[Date],MAX(1,{at('Previous')}))"
                said = f'IF({at("Status")}="{CLOSED}",{closed_status(before)},{said})'
            return f'IF(IF({gone},0,{at("At")})=0,IF({empty}="","","beyond the Ledger"),{said})'

        fills = {label.lower().replace(" ", "_"): Fill(typed.get(label, [None] * count)) for label in self.log_labels}
        fills["colour"] = Fill(typed.get(self.words.side, [None] * count))
        fills |= {
            "number": Fill(PENDING, f"ROW()-ROW($A${self.layout.first_row})", "count"),
            "status": self._of_ledger(status, "text"),
            "log_streak": result(partial(_cell, "Streak"), "count"),
            "mark": result(self._mark, "text"),
        }
        for name in SHOWN:
            if name in self.rule.names:
                label = self.rule.label(name)
                fills[name] = result(partial(_cell, label), step_unit(self.system, name))
        return fills

    def _of_ledger(self, told: Callable[[Callable[[str], str]], str], unit: str) -> Fill:
        """Return a column of what is told of a row's game, by what gives the Ledger's cell of a column."""
        return self.log_layout.fill(told(self._in_window), unit, windows=self.shown, whole=told(_in_all))

    def _in_window(self, label: str) -> str:
        letter = self.layout.letter(label)
        return f"INDEX(Ledger!${letter}${{lo}}:${letter}${{hi}},[Game]-{{skip}})"

    def _mark(self, at: Callable[[str], str]) -> str:
        """Return what the Log remarks of each game: a new peak, an upset."""
        expected = self.rule.label("expected")
        won, lost = (f"{at('Score')}={score}" for score in (1, 0))
        surprise = f"OR(AND({won},[{expected}]<{UPSET}),AND({lost},[{expected}]>{1 - UPSET}))"
        return f'TRIM(IF({self._new_peak(at)},"peak","")&IF({surprise}," upset",""))'

    def _new_peak(self, at: Callable[[str], str]) -> str:
        """Return whether a game makes a new peak; with periods, whether the rating published before it is one."""
        best = at("Best so far")
        if self.rule.is_periodic:
            before = f"INDEX(Ledger[Best so far],MAX(1,{at('Previous')}))"
            return f"IF({at('Previous')}=0,FALSE,IF(ISNUMBER({before}),{best}>{before}+{NEAR:f},FALSE))"
        after = self.rule.label("rating_after")
        return f"AND([{after}]>[{self.rule.label('rating')}],[{after}]>={best}-{NEAR:f})"


def _cell(label: str, at: Callable[[str], str]) -> str:
    return at(label)


def _in_all(label: str) -> str:
    return f"INDEX(Ledger[{label}],[Game])"


def _on_carry(label: str) -> str:
    return f"Carry[[#This Row],[{column_text(label)}]]"
