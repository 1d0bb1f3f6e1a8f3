"""The Ledger of an event: two rows for each game as its owner typed it, and what became of it.

Everything is rated at once: opponents count with their ratings before the event.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from elo_sheets.systems import Line
from elo_sheets.workbook.book import HEADER_ROW, Inputs
from elo_sheets.workbook.event.rules import EventRules
from elo_sheets.workbook.facts import line_unit
from elo_sheets.workbook.layout import TableLayout, day_of, rule_formula, stepped, trimmed
from elo_sheets.workbook.plan import CellValue, Fill, Read
from elo_sheets.workbook.spellings import NOT_PLAYED, Spellings

# Results, and what a bye gives in the standings.
PLAYED = ("1-0", "1/2-1/2", "0-1")
FORFEITS = ("+/-", "-/+", "-/-")
BYES = ("1 bye", "1/2 bye", "0 bye")
SPELLED = Spellings({1.0: "1-0", 0.5: "1/2-1/2", 0.0: "0-1"}, others=(*FORFEITS, *BYES))

# Statuses that need nobody's attention.
SETTLED = ("", "rated", "unrated opponent", "forfeit", "bye")

# A player's number and a round in one key; a round has at most three digits.
KEY = 1000
LAST_ROUND = 999


class Table:
    """A table whose columns are added one after the other, by role; their values follow from the formulas."""

    def __init__(self, name: str, labels: Mapping[str, str], rows: int, first_row: int = HEADER_ROW) -> None:
        self.name, self.labels, self.rows = name, labels, rows
        self.layout = TableLayout(name, list(labels.values()), first_row)
        self.fills: dict[str, Fill] = {}

    def constants(self, role: str, values: Sequence[CellValue], unit: str = "text") -> None:
        """Add a column of constants."""
        self.fills[role] = Fill(values, unit=unit)

    def add(
        self,
        role: str,
        formula: str,
        unit: str = "count",
        pair: int = 1,
        gives: Callable[[Read], Sequence[CellValue]] | None = None,
    ) -> None:
        """Add a column by its formula in the notation of `layout`, where the table has one of that role."""
        if role in self.labels:
            self.fills[role] = self.layout.fill(formula, unit, pair=pair, gives=gives)

    def step(self, role: str, line: Line, references: Mapping[str, str], guard: str) -> None:
        """Add a rule's column, which is empty where the `guard` says so."""
        formula = f'IF({guard},"",{rule_formula(line, references)})'
        self.add(role, formula, line_unit(line), gives=stepped(line, references, guard))


@dataclass
class Event:
    """The inputs of an event, and the settings that its rules read."""

    rules: EventRules
    settings: Mapping[str, Any]
    cells: Mapping[str, str]
    inputs: Inputs
    entries: int = field(init=False)

    def __post_init__(self) -> None:
        self.entries = self.inputs.sizes["Ratings"]
        self.day = day_of(self.inputs.cells.get("first_day"))

    def ledger(self, labels: Mapping[str, str]) -> Table:
        """Return the columns of the Ledger that no federation's rule gives."""
        rows = self.inputs.sizes["Ledger"]
        table = Table("Ledger", labels, rows)
        table.constants("ledger_game", [float(i // 2 + 1) for i in range(rows)], "count")
        table.constants("ledger_side", [("White", "Black")[i % 2] for i in range(rows)])
        beyond = "[Game]>ROWS(Games[Game])"
        picked = 'IF([Side]="White",INDEX(Games[White],[Game]),INDEX(Games[Black],[Game]))'
        result = SPELLED.formula("INDEX(Games[Result],[Game])")
        rating = 'IF([{0}]=0,"",INDEX(Ratings[Rating],[{0}]))'
        same = "(Ledger[Player no.]=[Player no.])"
        table.add("ledger_round", f"IF({beyond},0,N(INDEX(Games[Round],[Game])))")
        table.add("ledger_name", f'IF({beyond},"",{trimmed(picked)})', "text")
        table.add("ledger_player", 'IF([Name]="",0,SUMPRODUCT((Ratings[Name]=[Name])*Ratings[Id]))')
        table.add("ledger_opponent", "other[Player no.]", pair=2)
        table.add("ledger_result", f'IF({beyond},"",{result})', "text")
        table.add("ledger_rating", rating.format("Player no."), "points")
        table.add("ledger_opponent_rating", rating.format("Opponent no."), "points")
        table.add("ledger_kind", _KIND, "text")
        table.add("ledger_bye", _BYE_STATUS, "text", pair=2)
        table.add("ledger_names", _NAMES, "text", pair=2)
        table.add("ledger_status", _STATUS, "text", pair=2)
        table.add("ledger_points", _POINTS, "number")
        table.add("score", 'IF([Status]="rated",[Points],"")', "number")
        table.add("ledger_counted", 'IF([Score]="",0,1)')
        table.add(
            "ledger_met",
            "IF([Counted]=0,0,COUNTIFS(Ledger[Player no.],[Player no.],Ledger[Opponent no.],[Opponent no.],"
            "Ledger[Counted],1))",
        )
        table.add("ledger_first", 'IF(AND([Status]="unrated opponent",[Rating]="",[Opponent rating]<>""),1,0)')
        table.add("ledger_first_total", "N(up[First total])+[First]")
        table.add("ledger_gap", "IF([Counted]=0,-1,ABS([Rating]-[Opponent rating]))", "points")
        table.add(
            "ledger_widest",
            f"IF([Counted]=0,0,IF(SUMPRODUCT({same}*(Ledger[Gap]>[Gap]))+SUMPRODUCT({same}*(Ledger[Gap]=[Gap])"
            "*(Ledger[Game]<[Game]))=0,1,0))",
        )
        table.add("ledger_key", f'IF(OR([Player no.]=0,[Points]=""),0,[Player no.]*{KEY}+[Round])')
        table.add("ledger_again", "IF([Key]=0,0,IF(COUNTIF(Ledger[Key],[Key])>1,1,0))")
        return table


_BYE = "OR({})".format(",".join(f'[Result]="{text}"' for text in BYES))
_FORFEIT = "OR({})".format(",".join(f'[Result]="{text}"' for text in FORFEITS))
_PLAYED = "OR({})".format(",".join(f'[Result]="{text}"' for text in PLAYED))

_KIND = (
    f'IF({_BYE},"bye",IF({_FORFEIT},"forfeit",IF({_PLAYED},"game",'
    f'IF(LEFT([Result],{len(NOT_PLAYED)})="{NOT_PLAYED}","{NOT_PLAYED}",""))))'
)

# The status of a game stands on both of its rows; each finds out which of them is White's.
_BYE_STATUS = (
    'IF([Kind]<>"bye","",IF(IF([Side]="White",other[Name],[Name])<>"","bye with opponent",'
    'IF(IF([Side]="White",[Player no.],[Opponent no.])=0,"unknown player","bye")))'
)
_STATUS = (
    'IF(AND([Name]="",other[Name]="",[Result]=""),"",'
    f'IF([Kind]="{NOT_PLAYED}",[Result],IF(OR([Round]<1,[Round]>{LAST_ROUND}),"no round",IF([Kind]="bye",[Bye],'
    'IF([Names]<>"",[Names],IF([Kind]="forfeit","forfeit",IF([Kind]="",IF([Result]="","no result",[Result]),'
    'IF(OR([Rating]="",[Opponent rating]=""),"unrated opponent","rated"))))))))'
)
_NAMES = (
    'IF(OR([Kind]="bye",AND([Name]="",other[Name]="",[Result]="")),"",'
    'IF([Player no.]*[Opponent no.]=0,"unknown player",IF([Player no.]=[Opponent no.],"same player twice","")))'
)
_POINTS = (
    'IF([Status]="bye",IF([Side]="Black","",IF([Result]="1 bye",1,IF([Result]="0 bye",0,0.5))),'
    'IF([Status]="forfeit",IF([Result]=IF([Side]="White","+/-","-/+"),1,0),'
    'IF(OR([Status]="rated",[Status]="unrated opponent"),'
    'IF([Result]="1/2-1/2",0.5,IF([Result]=IF([Side]="White","1-0","0-1"),1,0)),"")))'
)
