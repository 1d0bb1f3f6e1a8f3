"""A pool's Ledger: the formulas of what the rule makes of every game, two rows a game.

The rule's columns hold the history of a replay, what is typed is what `pool` reads of it, and all else is a formula
alone, whose values `complete` finds. A row finds the same player's row before it by a search of its block and by the
sheet Carry, which knows the last row of every player at the end of each block, and what he carries from there: what a
row reads stands in its own block, on Carry, or in its window of Games, so that what is typed concerns few rows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

from elo_sheets.replaying.periods import EVENT_GAP_DAYS
from elo_sheets.systems import GAME_INPUTS, System, lines
from elo_sheets.workbook.book import HEADER_ROW, Inputs
from elo_sheets.workbook.facts import ABOVE, best_of, step_unit
from elo_sheets.workbook.layout import (
    UNRATED,
    TableLayout,
    carried,
    column_text,
    day_read,
    kept,
    ladder,
    period_begins,
    rule_formula,
    trimmed,
)
from elo_sheets.workbook.plan import BLOCK, NONE_ABOVE, PENDING, CellValue, Fill
from elo_sheets.workbook.pools.columns import FLAGS, LATEST, POINTS, start_labels
from elo_sheets.workbook.pools.pool import NOT_NUMBERS, WITH_POINTS, Pool
from elo_sheets.workbook.scores import WRITTEN, part_formulas, scored, tidied_cell
from elo_sheets.workbook.spellings import NO_RESULT, NOT_PLAYED, REASONS
from elo_sheets.workbook.sports.profiles import CHESS, Words, tidied
from elo_sheets.workbook.sums import by_part, in_parts, packed, spans

# Rows of Carry beyond the sheet Players, for rows that are inserted there.
SPARE_PLAYERS = 40
# The column of Carry with every player's last row in the whole Ledger.
LAST_ROW = "Last row"
# The column of Carry with every player's results in one sum.
TALLY = "Tally"
# What two games have in common whose players meet again on a day.
MET = ("Date", "Rated no.", "Opponent no.")


class PoolLedger(Pool):
    """The players and games of a pool, and the formulas of its Ledger."""

    # The tables, and their sheets, that hold the Ledger and what it carries from block to block.
    table = "Ledger"
    carry_table = "Carry"

    def __init__(
        self,
        system: System,
        settings: Mapping[str, Any],
        cells: Mapping[str, str],
        inputs: Inputs,
        words: Words = CHESS,
    ) -> None:
        super().__init__(system, settings, inputs, words)
        self.setting_cells = cells
        # What rows of later blocks read of a player's row in an earlier one.
        self.carrying: list[str] = []

    def ledger(self, labels: Sequence[str], games_labels: Sequence[str]) -> dict[str, Fill]:
        """Return the fill of every role of the Ledger, whose table has these headers; so has the table Games."""
        self.layout = TableLayout(self.table, labels, HEADER_ROW)
        self.games_layout = TableLayout("Games", games_labels, HEADER_ROW)
        return self._numbers() | self._typed() | self._counted() | self._rule_fills() | self._so_far()

    def _numbers(self) -> dict[str, Fill]:
        """Return what is the same in each Ledger: the number of each row, its game and its side."""
        rows = 2 * self.ledger_games
        return {
            "row": Fill([float(i) for i in range(1, rows + 1)], unit="count"),
            "ledger_game": Fill([float(i // 2 + 1) for i in range(rows)], unit="count"),
            "side": Fill([*self.sides] * self.ledger_games),
        }

    def _typed(self) -> dict[str, Fill]:
        """Return what each side reads of Games, beside what the replay reads."""
        games = [game for game in self.games for _ in (0, 1)]
        players = [player for game in self.games for player in (game.white, game.black)]
        known = [float(number) for game in self.games for number in (game.white_number, game.black_number)]
        places = [float(self.place_in_window(i)) for i in range(self.ledger_games) for _ in (0, 1)]
        numbers, first = self._window("A"), f'[Side]="{self.sides[0]}"'
        down = f"[Game]-INDEX({numbers},1)"
        name = f"IF({first},{self.typed_cell(self.sides[0])},{self.typed_cell(self.sides[1])})"
        number = 'IF([Player]="",0,SUMPRODUCT((Players[Known as]=[Player])*Players[Id]))'
        day = self._within("0", day_read(self.typed_cell("Date")))
        told: dict[str, tuple[str, Sequence[CellValue], str]] = {
            "at": (f"IF(OR({down}<0,{down}>=ROWS({numbers})),0,{down}+1)", places, "count"),
            "ledger_date": (day, [game.date for game in games], "date"),
            "ledger_player": (self._within('""', trimmed(name)), players, "text"),
            "ledger_result": (self._within('""', self._result()), [game.result for game in games], "text"),
            "ledger_player_number": (number, known, "count"),
            "ledger_status": (ladder(self._not_rated(), '"rated"'), [game.status for game in games], "text"),
        }
        return {role: self._fill(text, values, unit) for role, (text, values, unit) in told.items()} | self._scores()

    def _counted(self) -> dict[str, Fill]:
        """Return what follows from the inputs of a game, whatever the rule."""
        won = f'IF([Side]="{self.sides[0]}","1-0","0-1")'
        met = ",".join(f"before100[{label}],[{label}]" for label in MET)
        told = {
            "rated_number": ('IF([Status]="rated",[Player no.],0)', "count"),
            "score": (f'IF([Status]<>"rated","",IF([Outcome]="1/2-1/2",0.5,IF([Outcome]={won},1,0)))', "share"),
            "opponent_number": ("IF([Rated no.]=0,0,other[Rated no.])", "count"),
            "tally": (packed("[Rated no.]=0"), "count"),
            "games_so_far": ("N(prior[Games so far])+IF([Rated no.]=0,0,1)", "count"),
            "latest_date": ("MAX(N(prior[Latest date]),[Date])", "date"),
            "order_break": (self._order_break(), "count"),
            "met_again": (
                f'IF(OR([Side]<>"{self.sides[0]}",[Rated no.]=0,[Date]=0),0,IF(COUNTIFS({met})>0,1,0))',
                "count",
            ),
            "duplicate": (f"IF([Met again]=0,0,IF({self._repeats()}>0,1,0))", "count"),
        }
        return {role: self._fill(text, PENDING, unit) for role, (text, unit) in told.items()} | {
            "previous": self._previous()
        }

    def _repeats(self) -> str:
        """Return the formula of how many games above are the same: with a score, those of the same score.

        No criterion of `COUNTIFS` is a score: `4-1` would be taken for a day.
        """
        told = WRITTEN if self.words.scores else "Score"
        return f"SUMPRODUCT({'*'.join(f'(before100[{label}]=[{label}])' for label in ('Side', *MET, told))})"

    def _order_break(self) -> str:
        late = "AND([Date]>0,[Date]<[Latest date])"
        if self.is_ordered:
            late = f"IF([Date]=0,FALSE,[Date]<{period_begins('[Latest date]', self.period)})"
        return f"IF({late},1,0)"

    def _so_far(self) -> dict[str, Fill]:
        """Return the fills of what a player has reached: his best rating, his streak."""
        after = f"[{self.label('rating_after')}]"
        best = best_of(self.system)
        run = "carried[Streak]"
        alone = "IF([Score]=1,1,IF([Score]=0,-1,0))"
        longer = f"IF([Score]=1,MAX({run},0)+1,IF([Score]=0,MIN({run},0)-1,0))"

        first, reached = after, f"{best}({after},carried[Best so far])"
        if self.period != "game":  # inside a period there are subtotals: only what a period before it ended with counts
            held, ended = "carried[Best so far]", f"carried[{self.label('rating_after')}]"
            first = '""'
            reached = f"IF([Same period]=1,{held},IF(ISNUMBER({held}),{best}({held},{ended}),{ended}))"
        self.carrying += ["Best so far", "Streak"]
        return {
            "best_so_far": self.carried_fill(f"IF([Previous]=0,{first},{reached})", first, "points"),
            "streak": self.carried_fill(f"IF([Previous]=0,{alone},{longer})", alone, "count"),
        }

    def carried_fill(
        self, notation: str, first: str, unit: str, otherwise: str = '""', values: Sequence[CellValue] = PENDING
    ) -> Fill:
        """Return a column that goes on from the player's row before, with `carried[…]`; `first` is for the first game.

        It means the same without blocks, as the formula of the first one has it. The columns that are carried are those
        of the rule, and what `carrying` names besides.
        """
        formula, opening, labels = carried(notation, self.carry_table, above=self._above)
        self.carrying += [label for label in labels if label not in self.carrying]

        text, begun, first = (f"IF({UNRATED},{otherwise},{text})" for text in (formula, opening, first))
        return self.layout.fill(text, unit, values=values, opening=begun, first=first, pair=2, means=begun)

    def _fill(self, notation: str, values: Sequence[CellValue], unit: str = "text") -> Fill:
        read = self.windows if "{lo}" in notation else ()
        first = NONE_ABOVE if "before100[" in notation else None
        return self.layout.fill(notation, unit, values=values, pair=2, windows=read, first=first)

    def _within(self, otherwise: str, formula: str) -> str:
        return f"IF([At]=0,{otherwise},{formula})"

    @staticmethod
    def _window(last: str) -> str:
        return f"Games!$A${{lo}}:${last}${{hi}}"

    def typed_cell(self, label: str) -> str:
        """Return what is typed of a row's game, where it stands in its window.

        The window begins with the column of numbers, which nobody can cut and paste elsewhere: a program moves a corner
        of a range with a cell that is.
        """
        cells = self._window(self.games_layout.letter(label))
        return f"INDEX({cells},[At],COLUMNS({cells}))"

    def _result(self) -> str:
        cell = self.typed_cell("Result")
        typed = self.spellings.formula(cell, scored(self.words))
        if "points" not in self.extra:
            return typed
        own, other = (self.typed_cell(self.extra[name]) for name in POINTS)
        decided = f'IF({own}>{other},"1-0",IF({own}<{other},"0-1","{self.words.drawn}"))'
        texts = ",".join(f'AND({one}<>"",NOT(ISNUMBER({one})))' for one in (own, other))
        numbers = f'IF(AND(ISNUMBER({own}),ISNUMBER({other})),{decided},"")'
        return f'IF(OR({texts}),"{NOT_NUMBERS}",IF(TRIM({cell})<>"",{typed},{numbers}))'

    def _scores(self) -> dict[str, Fill]:
        """Return the columns in which a typed score is taken apart, none for a sport without scores."""
        if not self.words.scores:
            return {}
        written = self._within('""', tidied_cell(self.typed_cell("Result")))
        found = {"written": self._fill(written, [tidied(game.typed) for game in self.games for _ in (0, 1)])}
        return found | {role: self._fill(text, PENDING) for role, text in part_formulas(self.words).items()}

    @property
    def statuses(self) -> list[str]:
        """What the status of a game that is not rated begins with."""
        said = [answer.strip('"') for _, answer in self._not_rated() if answer.startswith('"') and answer != '""']
        return [*said, NOT_PLAYED]

    def _not_rated(self) -> list[tuple[str, str]]:
        """Return why a game is not rated, in order: tests, and what its status says."""
        tests = [
            ('AND([Player]="",other[Player]="",[Outcome]="")', '""'),
            *self._with_points(),
            (f"OR({','.join(self._set_aside())})", "[Outcome]"),
            ("OR([Player no.]=0,other[Player no.]=0)", '"unknown player"'),
            ("[Player no.]=other[Player no.]", '"same player twice"'),
            *self._unplayed(),
            ('[Outcome]=""', f'"{NO_RESULT}"'),
            ('AND([Outcome]<>"1-0",[Outcome]<>"1/2-1/2",[Outcome]<>"0-1")', "[Outcome]"),
        ]
        if "points" in self.system.reads:
            tests.append((f"NOT(AND({','.join(self._points_typed())}))", '"no points"'))
        if self.is_dated:
            tests.append(("[Date]=0", '"no date"'))
        if self.is_ordered:
            tests.append(("[Order break]=1", '"out of order"'))
        return tests

    def _points_typed(self) -> list[str]:
        names = [name for name in POINTS if name in self.extra]
        return [f"ISNUMBER({self.typed_cell(self.extra[name])})" for name in names]

    def _with_points(self) -> list[tuple[str, str]]:
        typed = self._points_typed()
        return [(f'AND([Outcome]="{NOT_PLAYED}",OR({",".join(typed)}))', f'"{WITH_POINTS}"')] if typed else []

    def _set_aside(self) -> list[str]:
        """Return the tests of whether a game is typed as not played; a fixture may be played yet."""
        said = [reason for reason in REASONS.values() if not self.unplayed or reason != NOT_PLAYED]
        return [f'[Outcome]="{reason}"' for reason in said]

    def _unplayed(self) -> list[tuple[str, str]]:
        if not self.unplayed:
            return []
        nothing = [f'OR([Outcome]="",[Outcome]="{NOT_PLAYED}")', *(f"NOT({typed})" for typed in self._points_typed())]
        return [(f"AND({','.join(nothing)})", f'"{self.unplayed}"')]

    def _previous(self) -> Fill:
        def search(part: str) -> str:
            return f"SUMPRODUCT(MAX(({part}[Rated no.]=[Rated no.])*{part}[No.]))"

        carried = f"INDEX({self.carry_table}[Through {{through}}],[Rated no.])"
        opening = f"IF([Rated no.]=0,0,{search('first')})"
        formula = f"IF([Rated no.]=0,0,MAX({carried},{search('recent')}))"
        return self.layout.fill(formula, "count", opening=opening, first="0*[Rated no.]", pair=2, means=opening)

    def carry(self) -> dict[str, Fill]:
        """Return the fills of the table Carry by label: every player's last row up to the end of each block.

        Beside it stands what rows of the next block read of it. A block's own rows begin one game before it does, so
        that no row of the Ledger searches an empty range. The last column goes on to the end of the Ledger.
        """
        rows = self.inputs.sizes.get(self.carry_table) or len(self.names) + SPARE_PLAYERS
        fills = {"No.": Fill([float(i) for i in range(1, rows + 1)], unit="count")}
        for state in self.system.state:
            start = self.starting(state.name, self._own("No."))
            if "Players[" in start:
                text = f'IF({self._own("No.")}>ROWS(Players[Id]),"",{start})'
                fills[self._start_label(state.name)] = Fill(PENDING, text, step_unit(self.system, state.name))
        first, before = 1, ""
        for through in (*range(BLOCK // 2 - 1, self.ledger_games - 1, BLOCK // 2), self.ledger_games):
            is_end = through == self.ledger_games
            label = LAST_ROW if is_end else f"Through {through}"
            numbers, index = (self._part(name, first, 2 * through) for name in ("Rated no.", "No."))
            search = f"SUMPRODUCT(MAX(({numbers}={self._own('No.')})*{index}))"
            formula = f"MAX({self._own(before)},{search})" if before else f"MAX({search})"
            fills[label] = Fill(PENDING, formula, "count")
            for column in self.carrying if not is_end else ():
                text = kept(column, self._part(column, first, 2 * through), first, label, before, self._own)
                fills[f"{column} through {through}"] = Fill(PENDING, text, "count")
            first, before = 2 * through + 1, label
        return fills

    def parts(self, *labels: str) -> list[tuple[str, ...]]:
        """Return the cells of columns in each part of the Ledger."""
        rows = 2 * self.ledger_games
        return in_parts(self.layout, self.table, rows, labels, spans(rows))

    def _part(self, label: str, first: int, last: int) -> str:
        letter = self.layout.letter(label)
        return f"{self.table}!${letter}${HEADER_ROW + first}:${letter}${HEADER_ROW + last}"

    def tally(self) -> dict[str, Fill]:
        """Return the columns of Carry with every player's results in one sum, and before it those of each part."""
        texts = [f"SUMIFS({one},{of},{self._own('No.')})" for one, of in self.parts(TALLY, "Rated no.")]
        return {label: Fill(PENDING, text, "count") for label, text in by_part(TALLY, texts, self._own).items()}

    def _own(self, label: str) -> str:
        return f"{self.carry_table}[[#This Row],[{column_text(label)}]]"

    def of_game(self, label: str, side: int) -> str:
        """Return the cell of one side (0 or 1) of a game, for a table with a row for each game that nobody moves.

        A look-up by number would be told of each change in the whole column.
        """
        return f"{self.table}!${self.layout.letter(label)}{{{('white', 'black')[side]}}}"

    def line(self, number: str, before: str) -> str:
        """Return the formula of a player's rating after a game: that of the game before where he did not play it.

        `number` is the cell with his number, 0 for nobody.
        """
        found = before
        for side in (1, 0):
            own, after = (self.of_game(label, side) for label in ("Rated no.", self.label("rating_after")))
            found = f"IF({own}={number},{after},{found})"
        return f"IF({number}=0,0,{found})"

    # The rule's formulas

    def starting(self, state: str, number: str) -> str:
        """Return the formula of what the player with a number starts from."""
        if state == "rating":
            return f"INDEX(Players[Starts at],{number})"
        typed = f"INDEX(Players[{column_text(start_labels(self.system)[state])}],{number})"
        return self.start_formula(state, typed)

    def _started(self, state: str) -> str:
        """Return how the Ledger reads it: on Carry, as LibreOffice reads formulas with names of tables in each row."""
        start, label = self.starting(state, "[Player no.]"), column_text(self._start_label(state))
        return f"INDEX({self.carry_table}[{label}],[Player no.])" if "Players[" in start else start

    def _start_label(self, state: str) -> str:
        return {"rating": "Starts at"}.get(state) or start_labels(self.system)[state]

    def start_formula(self, state: str, cell: str) -> str:
        """Return the same as a formula; `cell` is where it may be typed."""
        return f"IF(ISNUMBER({cell}),{cell},{self.setting_cells[self._initial[state]]})"

    def references(self) -> dict[str, str]:
        """Return where each name that a step reads stands, in the notation of `layout`."""
        system = self.system
        own = {name: f"[{self.label(name)}]" for name in self.step_names()}
        own |= {
            p.name: self.setting_cells[p.name]
            for p in system.parameters
            if p.name != "period" and p.name not in self.personal
        }
        personal = [state.name for state in system.state] + [line.name for line in lines(system.opening)]
        own |= {f"opponent_{name}": f"other[{self.label(name)}]" for name in (*personal, *self.personal)}
        own |= {"score": "[Score]", "date": "[Date]", "year": "IF([Date]=0,0,YEAR([Date]))"}
        own |= {"side": f'IF([Side]="{self.sides[0]}",1,-1)', "opponent_points": f"other[{self.label('points')}]"}
        if self.period == "game":
            own |= {f"period_{name}": own[name] if name in own else f"[{name}]" for name in system.sums}
            own |= {"period_games": "1", "elapsed": "1"}
        return own

    def _rule_fills(self) -> dict[str, Fill]:
        references = self.references()
        steps = {line.name: line for line in (*self.system.lines, *lines(self.system.forecast))}
        fills = {}
        for name in self.step_names():
            unit = step_unit(self.system, name)
            if name.endswith(ABOVE):
                left = f"prior[{self.label(name.replace(ABOVE, '_after'))}]"
                fills[f"step:{name}"] = self.layout.fill(left, unit, first='""', pair=2)
                continue
            if name in self._carried:
                values = PENDING if name == "event_back" else self.rule[name]
                fills[f"step:{name}"] = self._fill(self._carried[name], values, unit)
                continue
            formula, first = (rule_formula(steps[name], references), None) if name in steps else self._structural(name)
            if first is None:
                fills[f"step:{name}"] = self._fill(f'IF({UNRATED},"",{formula})', self.rule[name], unit)
            else:
                fills[f"step:{name}"] = self.carried_fill(formula, first, unit, values=self.rule[name])
        return fills

    @cached_property
    def _above(self) -> dict[str, str]:
        """The columns that say what the game above left behind, by the columns whose cells they hold."""
        names = (s.name for s in self.system.state)
        return {self.label(f"{name}_after"): self.label(f"{name}{ABOVE}") for name in names}

    @cached_property
    def _carried(self) -> dict[str, str]:
        """The formulas of columns that hold something in every row, whether it is rated or not."""
        found = {}
        if "seasons" in self.extra:
            cell = self.typed_cell(self.extra["seasons"])
            found["season"] = self._within("N(up[Season])", f"IF(ISNUMBER({cell}),{cell},N(up[Season]))")
        if self.period == "event":
            found["event_name"] = f'IF({UNRATED},IF([No.]=1,"",up[Event]&""),{self.typed_cell("Event")}&"")'
            same = "AND(up[Event]=[Event],N(up[Period])>0)"
            new = f'IF(AND([Side]="{self.sides[0]}",NOT({same})),1,0)'
            found["period"] = f"N(up[Period])+IF({UNRATED},0,{new})"
            near = f"((before100[Date]=0)+(before100[Date]>=[Date]-{EVENT_GAP_DAYS}))"
            counted = "(before100[Period]>0)*(before100[Period]<=[Period])"
            above = f"SUMPRODUCT((before100[Event]=[Event])*{counted}*{near})"
            again = f'OR([Side]<>"{self.sides[0]}",{UNRATED},[Period]=N(prior[Period]))'
            found["event_back"] = f"IF({again},0,IF({above}>0,1,0))"
        return found

    def _structural(self, name: str) -> tuple[str, str | None]:
        """Return the formula of a column that is no step of the rule, and that of the first game if it differs."""
        label, initial = self.label(name), self._initial

        def before(column: str) -> str:
            return f"carried[{column}]"

        if name in initial:
            start = self._started(name)
            after = before(self.label(f"{name}_after"))
            if self.period != "game":
                after = f"IF([Same period]=1,{before(label)},{after})"
            return f"IF([Previous]=0,{start},{after})", start
        if name in self.personal:
            cell = f"INDEX(Players[{self.personal[name]}],[Player no.])"
            return f"IF(ISNUMBER({cell}),{cell},{self.setting_cells[name]})", None
        if name == "period":
            return "YEAR([Date])" if self.period == "year" else "12*YEAR([Date])+MONTH([Date])-1", None
        if name == "same":
            return f"IF([Previous]=0,0,IF({before('Period')}=[Period],1,0))", "0*[Period]"
        if name in LATEST.values():
            day, away = "[Date]" if name == "last_date" else "[Season]", self._away(name)
            return f"MAX({day},IF([Previous]=0,{away},{before(label)}))", f"MAX({day},{away})"
        if name in {"elapsed", *LATEST}:
            column = {"elapsed": "Period", "days": "Date", "seasons": "Season"}[name]
            since = f"[{column}]-{before(column)}"
            if name in LATEST:
                seen = before(self.label(LATEST[name]))
                since = f"IF({seen}>0,MAX(0,[{column}]-{seen}),0)"
            first = self._since_last(name, column)
            opening = first
            if first in {"0", "1"}:
                opening = f"{first}+0*[Period]" if name == "elapsed" else f"0*[{column}]"
            if self.period != "game":
                since = f"IF([Same period]=1,{before(label)},{since})"
            return f"IF([Previous]=0,{first},{since})", opening
        if name.startswith("period_"):
            own = "1" if name == "period_games" else self.references()[name.removeprefix("period_")]
            return f"IF([Same period]=1,{before(label)},0)+{own}", own if own != "1" else "1+0*[Period]"
        return self.extra_formula(name, self.typed_cell), None

    def _since_last(self, name: str, column: str) -> str:
        """Return the formula of the time since a player was last seen, in his first game here."""
        cell = self._away(LATEST.get(name, "last_date"))
        if cell == "0" or (name == "elapsed" and self.period not in {"month", "year"}):
            return "1" if name == "elapsed" else "0"
        if name != "elapsed":
            return f"IF({cell}>0,MAX(0,[{column}]-{cell}),0)"
        key = f"YEAR({cell})" if self.period == "year" else f"(12*YEAR({cell})+MONTH({cell})-1)"
        return f"IF({cell}>0,MAX(1,[Period]-{key}),1)"

    def _away(self, name: str) -> str:
        """Return the formula of when a player was last seen before the book, 0 for never."""
        return f"N(INDEX(Players[{self.last[name]}],[Player no.]))" if name in self.last else "0"

    def extra_formula(self, name: str, typed_cell: Callable[[str], str]) -> str:
        """Return the formula of what a game says besides its result; `typed_cell` says where a column is read."""
        cell = typed_cell(self.extra[name])
        if name in FLAGS:
            return f'IF({cell}="yes",1,0)'
        if name == "shootout":
            own, other = self.sides
            sign = f'IF([Side]="{own}",1,-1)'
            return f'IF({cell}="{own}",1,IF({cell}="{other}",-1,0))*{sign}'
        if name == "points":
            other = typed_cell(self.extra["opponent_points"])
            return f'IF([Side]="{self.sides[0]}",{cell},{other})'
        default = GAME_INPUTS.get(name)
        return f"IF(ISNUMBER({cell}),{cell},{default or 0:g})"
