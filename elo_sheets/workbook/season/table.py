"""The league table behind the sheets that rank the teams: a hidden row a team, counted from the Ledger."""

from __future__ import annotations

from elo_sheets.workbook.book import HEADER_ROW
from elo_sheets.workbook.layout import TableLayout
from elo_sheets.workbook.plan import Fill
from elo_sheets.workbook.pools.ledger import SPARE_PLAYERS, TALLY
from elo_sheets.workbook.pools.sheets import PoolView
from elo_sheets.workbook.season.outlook import DRAW, SIDES, WIN
from elo_sheets.workbook.sums import by_part, unpacked

# How many games the form looks back on.
FORM = 5


class Tally:
    """The table Tally by label: formulas, from which the values follow."""

    def __init__(self, view: PoolView) -> None:
        self.pool = view.pool
        self.count = view.book.inputs.sizes.get("Tally") or len(self.pool.names) + SPARE_PLAYERS

    def fills(self) -> dict[str, Fill]:
        """Return the columns of the table by label."""
        layout = TableLayout("Tally", [], HEADER_ROW)
        found = {"No.": Fill([float(number) for number in range(1, self.count + 1)], unit="count")}
        for label, formula in self.formulas().items():
            unit = {"Form change": "points", "To come": "number", "Final": "number"}.get(label, "count")
            unit = "text" if label == "Form" or label.startswith("Last ") else unit
            found[label] = layout.fill(formula, unit)
        return found

    def formulas(self) -> dict[str, str]:
        """Return the formula of every column, in order."""
        found = {"Id": "IF([No.]>ROWS(Players[Id]),0,INDEX(Players[Id],[No.]))"}
        for side in SIDES:
            found |= self._summed(f"{side} tally", TALLY, side)
            counts = unpacked(f"[{side} tally]")
            for letter, what in (("W", "wins"), ("D", "draws"), ("L", "losses")):
                found[f"{side} {letter}"] = counts[what]
            for what in ("for", "against"):
                found |= self._summed(f"{side} {what}", f"Goals {what}", side)
        for label, of in (("W", "W"), ("D", "D"), ("L", "L"), ("For", "for"), ("Against", "against")):
            found[label] = f"[Home {of}]+[Away {of}]"
        found["P"] = "[W]+[D]+[L]"
        found["Difference"] = "[For]-[Against]"
        found["Points"] = _points_formula("[W]", "[D]")
        for side in SIDES:
            found[f"{side} P"] = f"[{side} W]+[{side} D]+[{side} L]"
            found[f"{side} Pts"] = _points_formula(f"[{side} W]", f"[{side} D]")
        counted = [f"Outlook[{side} counted],[Id]" for side in SIDES]
        found["Left"] = f"IF([Id]=0,0,COUNTIFS({counted[0]})+COUNTIFS({counted[1]}))"
        expected = "+".join(f"SUMIFS(Outlook[{side} expects],{of})" for side, of in zip(SIDES, counted, strict=True))
        found["To come"] = f"IF([Id]=0,0,{expected})"
        found["Final"] = "ROUND([Points]+[To come],6)"
        for k in range(1, FORM + 1):
            found[f"Row {k}"] = (
                "IF([Id]=0,0,INDEX(Players[Last row],[Id]))"
                if k == 1
                else f"IF([Row {k - 1}]=0,0,INDEX(Ledger[Previous],MAX(1,[Row {k - 1}])))"
            )
        for k in range(1, FORM + 1):
            score = f"INDEX(Ledger[Score],MAX(1,[Row {k}]))"
            found[f"Last {k}"] = f'IF([Row {k}]=0,"",IF({score}=1,"W",IF({score}=0.5,"D","L")))'
        found["Form"] = "&".join(f"[Last {k}]" for k in range(FORM, 0, -1))
        won, drawn = ("+".join(f'IF([Last {k}]="{letter}",1,0)' for k in range(1, FORM + 1)) for letter in "WD")
        found["Form points"] = f'IF([Row 1]=0,"",{_points_formula(f"({won})", f"({drawn})")})'
        found["Oldest"] = _nested_last()
        before = f"INDEX(Ledger[{self.pool.label(self.pool.before)}],MAX(1,[Oldest]))"
        found["Form change"] = f'IF([Oldest]=0,"",INDEX(Players[Rating],MAX(1,[Id]))-{before})'
        above = "[Points]", "[Difference]", "[For]"
        rule = "(Tally[No.]<[No.])"
        for label in reversed(above):
            rule = f"((Tally{label}>{label})+(Tally{label}={label})*{rule})"
        found["Rank"] = f'IF([Id]=0,"",1+SUMPRODUCT((Tally[Id]>0)*{rule}))'
        final = "((Tally[Final]>[Final])+(Tally[Final]=[Final])*(Tally[Rank]<[Rank]))"
        found["Final rank"] = f'IF([Id]=0,"",1+SUMPRODUCT((Tally[Id]>0)*{final}))'
        return found

    def _summed(self, label: str, of: str, side: str) -> dict[str, str]:
        """Return the formulas of what a team has of a column of the Ledger in its games at home or away."""
        parts, key = self.pool.parts(of, "Table key"), table_key("[Id]", side)
        return by_part(label, [f"IF([Id]=0,0,SUMIFS({cells},{keys},{key}))" for cells, keys in parts])


def table_key(number: str, side: str) -> str:
    """Return the formula of a team at home or away as one number: twice the team's own, and 1 more away.

    One criterion is looked through in a quarter of the time of the four that it holds.
    """
    return f"2*{number}" if side == SIDES[0] else f"2*{number}+1"


def _points_formula(won: str, drawn: str) -> str:
    return f"ROUND(N({WIN})*{won}+N({DRAW})*{drawn},6)"


def _nested_last() -> str:
    """Return the formula of the oldest row of the chain that is not 0."""
    formula = "[Row 1]"
    for k in range(2, FORM + 1):
        formula = f"IF([Row {k}]>0,[Row {k}],{formula})"
    return formula
