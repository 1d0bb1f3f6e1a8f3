"""The forecast of every fixture, step by step: a row a game, with the ratings that the teams have now.

The rule's own steps, traced, lead from the current ratings to the expected score; the draw model of
`odds.forecast` splits it into the odds of a win, a draw and a loss. Nothing here is simulated: each fixture is
forecast from what is known today, so that expected points are exact sums. All rows are computed anew with each result
that is typed, so the games of old seasons, which are played, have none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from elo_sheets.expr import Ref, lift
from elo_sheets.files.references import column_letters
from elo_sheets.formula import to_formula
from elo_sheets.odds import forecast
from elo_sheets.replaying.history import forecast_column
from elo_sheets.systems import Line, lines
from elo_sheets.systems._system import leading
from elo_sheets.workbook.book import HEADER_ROW, Columns
from elo_sheets.workbook.facts import step_style, step_unit
from elo_sheets.workbook.layout import TableLayout, column_text, rule_formula, stepped, text_of, unit_of, with_terms
from elo_sheets.workbook.plan import MARGIN, CellValue, Fill, Read
from elo_sheets.workbook.pools.columns import FLAGS, LATEST, state_label
from elo_sheets.workbook.pools.ledger import PoolLedger
from elo_sheets.workbook.pools.sheets import PoolView

TO_PLAY = "to play"
SIDES = ("Home", "Away")
# Where a result is typed, whatever a side scores.
RESULTS = {"Result", *(f"{side} {what}" for side in SIDES for what in ("points", "goals", "score"))}
# How many of the last fixtures have a row, played or not: a result may be taken back.
RECENT = 500
# How the share of drawn games is found; the first is what a new book says.
MODELS = ("as played", "share", "labelle", "none")
# The cells that the forecasts read, by the names that the book gives them.
WIN, DRAW, SINCE = "Points_for_win", "Points_for_draw", "Counted_since"
# What stands before the share of draws.
EXPECTED, AS_TYPED = "Share that is expected", "Share as typed"
UNTIL, NOT_USED = "As typed, until a result", "The typed share is not used"
MODEL, TYPED_SHARE, SHARE = "Draw_model", "Draw_share", "Draws_expected"
EVENNESS = "Evenness_so_far"

# Labelle's model for a game of which nobody knows who moves first: the columns that lead to its share of draws.
_LABELLE = {
    "mean_rating": "Mean rating",
    "elo_per_pawn": "Points per pawn",
    "difference": "Rating gap",
    "draw_shift": "Draw shift",
    "even_expected": "Level expected",
    "win_shift": "Win shift",
    "win_or_draw_shift": "Draw or win shift",
    "win": "Level win",
    "win_or_draw": "Level win or draw",
    "draw": "Level draw",
}
_SHARES = {"even_expected", "win", "win_or_draw", "draw"}


# A cell of the Ledger in the row of a game's side. Neither table's rows ever move, and a row of Outlook that read whole
# columns would be computed anew with each game that is typed.
_SIDE = re.compile(r"\b(home|away)\[([^\[\]]+)\]")


class FixturePool(PoolLedger):
    """A pool whose games have goals, and where a pairing without a result is a fixture."""

    unplayed = TO_PLAY

    def extra_columns(self) -> dict[str, str]:
        return with_goals(super().extra_columns(), self.sides)


def with_goals(extra: Mapping[str, str], sides: Sequence[str]) -> dict[str, str]:
    """Return the further columns of the games with the goals of both sides before them."""
    goals = {"points": f"{sides[0]} points", "opponent_points": f"{sides[1]} points"}
    return goals | {name: label for name, label in extra.items() if name not in goals}


def rows_ahead(fixtures: Columns) -> int:
    """Return how many rows Outlook gets: from a margin before the first fixture without a result on, at least `RECENT`.

    A row that is deleted among the played games moves all behind it up.
    """
    results = [values for label, values in fixtures.items() if label in RESULTS]
    rows, teams = len(results[0]), zip(*(fixtures[side] for side in SIDES), strict=True)
    open_from = (
        at
        for at, (names, typed) in enumerate(zip(teams, zip(*results, strict=True), strict=True))
        if any(text_of(name).strip() for name in names) and not any(text_of(one).strip() for one in typed)
    )
    return min(rows, max(RECENT, rows - next(open_from, rows) + MARGIN))


def sided(side: str, label: str) -> str:
    """Return the header of what one side has of a column: `Home rating`, `Away RD`."""
    return f"{side} {label if label[1:2].isupper() else label[:1].lower() + label[1:]}"


class Outlook:
    """The table Outlook: labels and formulas, in the order of the columns; the rule's have its steps for values."""

    def __init__(self, view: PoolView, pool: FixturePool) -> None:
        self.view, self.pool, self.system = view, pool, view.system
        self.ledger = TableLayout("Ledger", view.labels("Ledger"), HEADER_ROW)
        self.left_out = max(0, pool.ledger_games - (pool.inputs.sizes.get("Outlook") or rows_ahead(pool.typed_games)))
        self.goal = forecast_column(self.system)
        self.leading = leading(list(lines((*self.system.game, *self.system.forecast))), {self.goal})
        read = {name.removeprefix("opponent_") for line in self.leading for name in line.reads}
        self.opening = leading(list(lines(self.system.opening)), read)
        self.reads = read | {name for line in self.opening for name in line.reads}
        self.fills: dict[str, Fill] = {}
        self.columns: list[dict[str, Any]] = []
        self.shown: set[str] = set()
        self._plan()

    # The share of draws

    def share_formula(self) -> str:
        """Return the formula of that share."""
        played = "COUNT(Ledger[Score])"
        as_played = f"IF({played}=0,N({TYPED_SHARE}),COUNTIF(Ledger[Score],0.5)/{played})"
        return f'IF({MODEL}="none",0,IF({MODEL}="share",N({TYPED_SHARE}),{as_played}))'

    def share_said(self) -> str:
        """Return the formula of what stands before that share: whether the typed one counts, and instead of what."""
        played = "COUNT(Ledger[Score])"
        far = f'"Typed, replaces "&ROUND(100*COUNTIF(Ledger[Score],0.5)/{played},1)&" %"'
        return (
            f'IF(NOT(ISNUMBER({TYPED_SHARE})),"{EXPECTED}",IF({MODEL}="share",IF({played}=0,"{AS_TYPED}",{far}),'
            f'IF({MODEL}<>"as played","{NOT_USED}",IF({played}=0,"{UNTIL}","{NOT_USED}"))))'
        )

    def evenness_formula(self) -> str:
        """Return the formula of the mean of 4E(1 - E) over the rated games: what the share of draws belongs to."""
        cells = f"Ledger[{self.pool.label('expected')}]"
        return f"IF(COUNT({cells})=0,1,4*(SUM({cells})-SUMSQ({cells}))/COUNT({cells}))"

    # The columns

    def _plan(self) -> None:
        for column in next(sheet["column"] for sheet in self.view.form["sheet"] if sheet["name"] == "Outlook"):
            if column["role"] == "outlook_steps":
                self._steps()
                self._labelle()
            elif "ahead" in column:
                self.fills[column["role"]] = self._fill(with_terms(column["ahead"], self._terms()), unit_of(column))
            else:
                numbers = [float(i) for i in range(self.left_out + 1, self.pool.ledger_games + 1)]
                self.fills[column["role"]] = Fill(numbers, unit=unit_of(column))

    def _steps(self) -> None:
        """Add what each side brings, and the steps of the rule."""
        pool = self.pool
        for name in ("days", "seasons"):
            if name in self.reads:
                self._since_last(name)
        for state in self.system.state:
            if state.name in self.reads or state.name == "rating":
                self._of_both(state.name)
        for name, label in pool.personal.items():
            if name in self.reads:
                self._personal(name, label)
        for line in self.opening:
            for side in (0, 1):
                self._step(line, side)
        for name in ("neutral", "weight", "handicap", "komi", "knockout", "shootout"):
            if name in self.reads:
                self._game_input(name)
        for line in self.leading:
            self._step(line, None)

    @staticmethod
    def _terms() -> dict[str, str]:
        """Return the formulas of the share of draws by how even the sides are, and of the odds of a draw."""
        cells = {"expected": "[Expected]", "share": SHARE, "evenness": EVENNESS, "draw": "[Draw share]"}
        by_strength = forecast.draws_at(Ref("expected"), Ref("share"), Ref("evenness"))
        drawn = forecast.odds_with_draws(Ref("expected"), Ref("draw")).draw
        return {"by_strength": to_formula(lift(by_strength), cells), "draw": to_formula(lift(drawn), cells)}

    def _of_both(self, name: str) -> None:
        label = "Rating" if name == "rating" else state_label(self.system, name)
        for side, own in enumerate(SIDES):
            formula = self._if_open(f"INDEX(Players[{column_text(label)}],[{own} no.])")
            self._add_named(name, side, formula, f"What the {own.lower()} team has now, after all its games.")

    def _personal(self, name: str, label: str) -> None:
        for side, own in enumerate(SIDES):
            cell = f"INDEX(Players[{column_text(label)}],[{own} no.])"
            self._add_named(name, side, self._if_open(f"IF(ISNUMBER({cell}),{cell},{self.view.setting_cells[name]})"))

    def _add_named(self, name: str, side: int, formula: str, about: str = "") -> None:
        self.shown.add(_key(name, side))
        style, unit = step_style(self.system, name), step_unit(self.system, name)
        self._add(self._header(name, side), style, formula, unit, about)

    def _since_last(self, name: str) -> None:
        """Add how many days or seasons lie between a team's last game and the fixture."""
        column = {"days": "Date", "seasons": "Season"}[name]
        for side, own in enumerate(SIDES):
            last_row = f"INDEX(Players[Last row],[{own} no.])"
            before = f"INDEX(Ledger[{self.pool.label(LATEST[name])}],MAX(1,{last_row}))"
            now = f"home[{column}]"
            formula = self._if_open(f"IF({last_row}=0,0,IF({before}>0,MAX(0,{now}-{before}),0))")
            self.shown.add(_key(name, side))
            about = f"{name.capitalize()} since the {own.lower()} team's last game."
            self._add(self._header(name, side), "ordinal", formula, "count", about)

    def _game_input(self, name: str) -> None:
        formula = self.pool.extra_formula(name, lambda column: f"INDEX(Games[{column}],[Game])")
        formula = formula.replace("[Side]", f'"{self.pool.sides[0]}"')
        self.shown.add(name)
        self._add(self.pool.extra[name], "ordinal" if name in FLAGS else "number", self._if_open(formula), "count")

    def _step(self, line: Line, side: int | None) -> None:
        """Add a step of the rule: an opening one for a side, one of the game as the home team sees it."""
        references = {name: self._reference(name, side) for name in line.reads}
        self.shown.add(line.name if side is None else _key(line.name, side))
        label = self.system.label(line.name) if side is None else self._header(line.name, side)
        style, unit, about = step_style(self.system, line.name), step_unit(self.system, line.name), ""
        if line.name == self.goal:
            label, style, unit = "Expected", "share", "share"
            about = "The score that the rule expects of the home team."
        formula = self._if_open(rule_formula(line, references))
        self._add(label, style, formula, unit, about, gives=stepped(line, references, "[Open]=0"))

    def _place(self, name: str, side: int | None) -> str:
        """Return the key of a name: which side's value it is, or the game's."""
        if side is None:
            if name in {line.name for line in self.leading}:
                return name
            own, other = _key(name, 0), _key(name.removeprefix("opponent_"), 1)
            return other if name.startswith("opponent_") and other in self.shown else own if own in self.shown else name
        own = _key(name, side)
        return own if own in self.shown else name

    def ahead(self, label: str) -> tuple[str, str]:
        """Return the formulas of what a row of Fixtures shows of its game, looked for in its window and in all rows."""
        letter = column_letters(1 + self.view.labels("Outlook").index(label))
        near = f"INDEX(Outlook!${letter}${{ahead}}:${letter}${{ahead_end}},[Game]-{{behind}})"
        far = f"INDEX(Outlook[{column_text(label)}],[Game]-{self.left_out})"
        early = f'IF([Game]<={self.left_out},"",{{}})' if self.left_out else "{}"
        return early.replace("{}", near), early.replace("{}", far)

    def _reference(self, name: str, side: int | None) -> str:
        place = self._place(name, side)
        if place in self.shown:
            return f"[{self._label_of(place)}]"
        fixed = {"side": "1", "date": "[Date]", "year": "IF([Date]=0,0,YEAR([Date]))", "elapsed": "1"}
        return fixed.get(name) or self.view.setting_cells[name]

    def _label_of(self, place: str) -> str:
        side, _, name = place.partition(":")
        if name:
            return self._header(name, SIDES.index(side))
        if place == self.goal:
            return "Expected"
        return self.pool.extra.get(place) or self.system.label(place)

    def rated_from(self, side: int) -> str:
        """Return the header of the rating that a side's fixture begins from, as in the Ledger."""
        name = self.pool.before if _key(self.pool.before, side) in self.shown else "rating"
        return self._header(name, side)

    def _header(self, name: str, side: int) -> str:
        label = "Rating" if name == "rating" else self.pool.personal.get(name) or self.system.label(name)
        return sided(SIDES[side], label)

    # Draws

    def _labelle(self) -> None:
        """Add the steps of Labelle's draw model, which are only worked out where it is chosen."""
        references = {name: f"[{label}]" for name, label in _LABELLE.items()}
        references |= {"rating": f"[{self._header('rating', 0)}]", "opponent_rating": f"[{self._header('rating', 1)}]"}
        references |= {"draw_pawns": f"{forecast.DRAW_PAWNS}", "move_shift": "0"}
        found = {line.name: line for line in lines(forecast.LABELLE)}
        about = "A step of Labelle's draw model, where it is chosen."
        for name, label in _LABELLE.items():
            formula = f'IF([Open]=0,"",IF({MODEL}<>"labelle","",{rule_formula(found[name], references)}))'
            unit = "share" if name in _SHARES else "points"
            gives = stepped(found[name], references, f'OR([Open]=0,{MODEL}<>"labelle")')
            self._add(label, unit, formula, unit, about, gives=gives)

    # Output

    def _if_open(self, formula: str) -> str:
        return f'IF([Open]=0,"",{formula})'

    def _add(
        self,
        label: str,
        style: str,
        formula: str,
        unit: str,
        about: str = "",
        *,
        gives: Callable[[Read], Sequence[CellValue]] | None = None,
    ) -> None:
        role = f"outlook:{label}"
        self.columns.append({"label": label, "role": role, "style": style, "width": 12, "about": about})
        self.fills[role] = self._fill(formula, unit, gives)

    def _fill(self, formula: str, unit: str, gives: Callable[[Read], Sequence[CellValue]] | None = None) -> Fill:
        """Return what stands in a column; its formula has the cells of both sides' rows of the Ledger."""
        text, means = (_SIDE.sub(cell, formula) for cell in (self._cell, self._looked_up))
        layout = TableLayout("Outlook", [], HEADER_ROW)
        return layout.fill(text, unit, means=means, gives=gives, left_out=self.left_out)

    def _cell(self, match: re.Match[str]) -> str:
        return f"Ledger!${self.ledger.letter(match[2])}{'{white}' if match[1] == 'home' else '{black}'}"

    @staticmethod
    def _looked_up(match: re.Match[str]) -> str:
        return f"INDEX(Ledger[{match[2]}],2*[Game]{'-1' if match[1] == 'home' else ''})"


def _key(name: str, side: int) -> str:
    return f"{SIDES[side]}:{name}"
