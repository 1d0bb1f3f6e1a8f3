"""The league table behind the sheets that rank the teams: a hidden row a team, counted from the Ledger."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from elo_sheets.ops import round_half_away
from elo_sheets.workbook.book import HEADER_ROW
from elo_sheets.workbook.layout import TableLayout
from elo_sheets.workbook.plan import CellValue, Fill
from elo_sheets.workbook.pool import SPARE_PLAYERS
from elo_sheets.workbook.season_outlook import DRAW, SIDES, SINCE, WIN

if TYPE_CHECKING:
    from elo_sheets.workbook.season import SeasonView

# How many games the form looks back on.
FORM = 5
LETTERS = {1.0: "W", 0.5: "D", 0.0: "L"}

Row = dict[str, CellValue]


class Tally:
    """The table Tally by label: formulas, and the values that they give."""

    def __init__(self, view: SeasonView) -> None:
        self.view, self.pool, self.outlook = view, view.pool, view.outlook
        count = view.book.inputs.sizes.get("Tally") or len(self.pool.names) + SPARE_PLAYERS
        self.rows = [self._row(number) for number in range(1, count + 1)]
        self._count_games()
        self._add_points()
        self._add_form()
        self._rank()

    @property
    def order(self) -> list[int]:
        """The rows of the teams (from 0) by their place in the table."""
        ranked = [i for i, row in enumerate(self.rows) if row["Rank"] != ""]
        return sorted(ranked, key=lambda i: float(self.rows[i]["Rank"] or 0))

    # The values

    def _row(self, number: int) -> Row:
        known = number <= len(self.pool.names)
        row: Row = {"No.": float(number), "Id": float(self.pool.ids[number - 1]) if known else 0.0}
        for side in SIDES:
            row |= {f"{side} {what}": 0.0 for what in ("W", "D", "L", "for", "against")}
        return row

    def _count_games(self) -> None:
        for game in self.pool.games:
            if game.score is None or not self.pool.is_counted(game, self.outlook.since):
                continue
            goals = [game.extra["points"], game.extra["opponent_points"]]
            for side, number in enumerate((game.white_number, game.black_number)):
                if number > len(self.rows):
                    continue
                row, own = self.rows[number - 1], SIDES[side]
                _add(row, f"{own} {LETTERS[float(self.pool.score(game, side) or 0)]}", 1.0)
                _add(row, f"{own} for", goals[side])
                _add(row, f"{own} against", goals[1 - side])

    def _add_points(self) -> None:
        outlook = self.outlook
        for row in self.rows:
            for label, of in (("W", "W"), ("D", "D"), ("L", "L"), ("For", "for"), ("Against", "against")):
                row[label] = sum(_number(row[f"{side} {of}"]) for side in SIDES)
            row["P"] = sum(_number(row[label]) for label in "WDL")
            row["Difference"] = _number(row["For"]) - _number(row["Against"])
            row["Points"] = self._points(_number(row["W"]), _number(row["D"]))
            for side in SIDES:
                won, drawn = (_number(row[f"{side} {what}"]) for what in "WD")
                row[f"{side} P"] = won + drawn + _number(row[f"{side} L"])
                row[f"{side} Pts"] = self._points(won, drawn)
            row |= {"Left": 0.0, "To come": 0.0}
        for i, counted in enumerate(outlook.counts):
            game = self.pool.games[i]
            for own, number in zip(SIDES, (game.white_number, game.black_number), strict=True):
                if counted and number <= len(self.rows):
                    _add(self.rows[number - 1], "Left", 1.0)
                    _add(self.rows[number - 1], "To come", outlook.shown[f"{own} expects"][i])
        for row in self.rows:
            row["Final"] = round_half_away(_number(row["Points"]) + _number(row["To come"]), 6)

    def _points(self, won: float, drawn: float) -> float:
        return float(round_half_away(self.outlook.win_points * won + self.outlook.draw_points * drawn, 6))

    def _add_form(self) -> None:
        pool = self.pool
        for row in self.rows:
            number = int(_number(row["Id"]))
            at = pool.last_rows[number] if number else 0
            chain = [at]
            while len(chain) < FORM:
                chain.append(pool.previous_rows[chain[-1] - 1] if chain[-1] else 0)
            letters = [
                LETTERS[float(pool.score(pool.games[(at - 1) // 2], (at - 1) % 2) or 0)] if at else "" for at in chain
            ]
            for k in range(FORM):
                row[f"Row {k + 1}"], row[f"Last {k + 1}"] = float(chain[k]), letters[k]
            row["Form"] = "".join(reversed(letters))
            row["Form points"] = self._points(float(letters.count("W")), float(letters.count("D"))) if chain[0] else ""
            oldest = float(next((at for at in reversed(chain) if at), 0))
            row["Oldest"] = oldest
            now = pool.final("rating", number) if number else 0.0
            row["Form change"] = now - float(pool.rule[pool.before][int(oldest) - 1] or 0) if oldest else ""

    def _rank(self) -> None:
        listed = [row for row in self.rows if row["Id"]]

        def table_key(row: Row) -> tuple[float, ...]:
            return (*(-_number(row[label]) for label in ("Points", "Difference", "For")), _number(row["No."]))

        for row in self.rows:
            row["Rank"] = row["Final rank"] = ""
        for rank, row in enumerate(sorted(listed, key=table_key), 1):
            row["Rank"] = float(rank)
        for rank, row in enumerate(sorted(listed, key=lambda r: (-_number(r["Final"]), _number(r["Rank"]))), 1):
            row["Final rank"] = float(rank)

    # The formulas

    def fills(self) -> dict[str, Fill]:
        """Return the columns of the table by label."""
        layout = TableLayout("Tally", [], HEADER_ROW)
        found = {}
        for label, formula in self.formulas().items():
            unit = {"Form change": "points", "To come": "number", "Final": "number"}.get(label, "count")
            unit = "text" if label == "Form" or label.startswith("Last ") else unit
            values = [row[label] for row in self.rows]
            found[label] = Fill(values, None if formula is None else layout.formula(formula), unit)
        return found

    def formulas(self) -> Mapping[str, str | None]:
        """Return the formula of every column, in order."""
        found: dict[str, str | None] = {
            "No.": None,
            "Id": "IF([No.]>ROWS(Players[Id]),0,INDEX(Players[Id],[No.]))",
        }
        for side in SIDES:
            of = f'Ledger[Rated no.],[Id],Ledger[Side],"{side}",Ledger[Date],">="&N({SINCE})'
            for letter, score in (("W", "1"), ("D", "0.5"), ("L", "0")):
                found[f"{side} {letter}"] = f"IF([Id]=0,0,COUNTIFS({of},Ledger[Score],{score}))"
            for what in ("for", "against"):
                found[f"{side} {what}"] = f"IF([Id]=0,0,SUMIFS(Ledger[Goals {what}],{of}))"
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
        found["Oldest"] = _nested_last(FORM)
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


def _points_formula(won: str, drawn: str) -> str:
    return f"ROUND(N({WIN})*{won}+N({DRAW})*{drawn},6)"


def _nested_last(count: int) -> str:
    """Return the formula of the oldest row of the chain that is not 0."""
    formula = "[Row 1]"
    for k in range(2, count + 1):
        formula = f"IF([Row {k}]>0,[Row {k}],{formula})"
    return formula


def _number(value: CellValue) -> float:
    return float(value) if isinstance(value, (int, float)) else 0.0


def _add(row: Row, label: str, value: CellValue) -> None:
    row[label] = _number(row[label]) + _number(value)
