"""The forecast of every fixture, step by step: a row a game, with the ratings that the teams have now.

The rule's own steps, traced, lead from the current ratings to the expected score; the draw model of
`odds.forecast` splits it into the odds of a win, a draw and a loss. Nothing here is simulated: each fixture is
forecast from what is known today, so that expected points are exact sums.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from elo_sheets.expr import Ref, lift
from elo_sheets.formula import to_formula
from elo_sheets.odds import forecast
from elo_sheets.ops import round_half_away
from elo_sheets.replaying.history import forecast_column
from elo_sheets.systems import Line, lines
from elo_sheets.workbook.book import HEADER_ROW
from elo_sheets.workbook.facts import step_style, step_unit
from elo_sheets.workbook.layout import TableLayout, column_text, number_or, rule_formula, text_of
from elo_sheets.workbook.plan import CellValue, Fill
from elo_sheets.workbook.pool import Game, Pool
from elo_sheets.workbook.pool_columns import FLAGS, LATEST, state_label

if TYPE_CHECKING:
    from elo_sheets.workbook.pool_sheets import PoolView

TO_PLAY = "to play"
SIDES = ("Home", "Away")
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


class FixturePool(Pool):
    """A pool whose games have goals, and where a pairing without a result is a fixture."""

    unplayed = TO_PLAY

    def extra_columns(self) -> dict[str, str]:
        return with_goals(super().extra_columns(), self.sides)

    def is_counted(self, game: Game, since: float) -> bool:
        """Whether the league's table counts a game: an undated fixture is still to come."""
        if game.is_rated:
            return game.date >= since
        return game.status == TO_PLAY and (game.date == 0 or game.date >= since)


def with_goals(extra: Mapping[str, str], sides: Sequence[str]) -> dict[str, str]:
    """Return the further columns of the games with the goals of both sides before them."""
    goals = {"points": f"{sides[0]} points", "opponent_points": f"{sides[1]} points"}
    return goals | {name: label for name, label in extra.items() if name not in goals}


def sided(side: str, label: str) -> str:
    """Return the header of what one side has of a column: `Home rating`, `Away RD`."""
    return f"{side} {label if label[1:2].isupper() else label[:1].lower() + label[1:]}"


class Outlook:
    """The table Outlook: labels, formulas and values, in the order of the columns."""

    def __init__(self, view: PoolView, pool: FixturePool) -> None:
        self.view, self.pool, self.system = view, pool, view.system
        self.cells = view.book.inputs.cells
        self.goal = forecast_column(self.system)
        self.leading = _leading(list(lines((*self.system.game, *self.system.forecast))), {self.goal})
        read = {name.removeprefix("opponent_") for line in self.leading for name in line.reads}
        self.opening = _leading(list(lines(self.system.opening)), read)
        self.reads = read | {name for line in self.opening for name in line.reads}
        self.fills: dict[str, Fill] = {}
        self.columns: list[dict[str, Any]] = []
        self.shown: dict[str, list[CellValue]] = {}
        self._plan()

    # What the owner typed

    @property
    def since(self) -> float:
        """The day from which games count for the table, 0 for all."""
        return float(number_or(self.cells.get("since"), 0.0) or 0)

    @property
    def win_points(self) -> float:
        """Points of the table for a win."""
        return float(number_or(self.cells.get("win_points"), 0.0) or 0)

    @property
    def draw_points(self) -> float:
        """Points of the table for a draw."""
        return float(number_or(self.cells.get("draw_points"), 0.0) or 0)

    @property
    def model(self) -> str:
        """How the share of draws is found, in lower case."""
        return text_of(self.cells.get("draw_model")).lower()

    @cached_property
    def share(self) -> float:
        """The share of games that are expected to be drawn, where the model does not look at the ratings."""
        typed = float(number_or(self.cells.get("draw_share"), 0.0) or 0)
        if self.model == "none":
            return 0.0
        scores = [game.score for game in self.pool.games if game.is_rated]
        return typed if self.model == "share" or not scores else scores.count(0.5) / len(scores)

    def share_formula(self) -> str:
        """Return the formula of that share."""
        played = "COUNT(Ledger[Score])"
        as_played = f"IF({played}=0,N({TYPED_SHARE}),COUNTIF(Ledger[Score],0.5)/{played})"
        return f'IF({MODEL}="none",0,IF({MODEL}="share",N({TYPED_SHARE}),{as_played}))'

    def share_said(self) -> tuple[str, str]:
        """Return what stands before that share, formula and text: whether the typed one counts, and instead of what."""
        scores = [game.score for game in self.pool.games if game.is_rated]
        typed = number_or(self.cells.get("draw_share"), None) is not None
        played = "COUNT(Ledger[Score])"
        far = f'"Typed, replaces "&ROUND(100*COUNTIF(Ledger[Score],0.5)/{played},1)&" %"'
        formula = (
            f'IF(NOT(ISNUMBER({TYPED_SHARE})),"{EXPECTED}",IF({MODEL}="share",IF({played}=0,"{AS_TYPED}",{far}),'
            f'IF({MODEL}<>"as played","{NOT_USED}",IF({played}=0,"{UNTIL}","{NOT_USED}"))))'
        )
        if not typed:
            return formula, EXPECTED
        if self.model == "share":
            percent = float(round_half_away(100 * scores.count(0.5) / len(scores), 1)) if scores else 0.0
            return formula, f"Typed, replaces {text_of(percent)} %" if scores else AS_TYPED
        return formula, NOT_USED if scores or self.model != "as played" else UNTIL

    @cached_property
    def evenness(self) -> float:
        """The mean of 4E(1 - E) over the rated games, 1 before the first: what the share of draws belongs to."""
        expected = [float(e) for e in self.pool.rule["expected"] if isinstance(e, float)]
        return 4 * (sum(expected) - sum(e * e for e in expected)) / len(expected) if expected else 1.0

    def evenness_formula(self) -> str:
        """Return the formula of that mean."""
        cells = f"Ledger[{self.pool.label('expected')}]"
        return f"IF(COUNT({cells})=0,1,4*(SUM({cells})-SUMSQ({cells}))/COUNT({cells}))"

    # The columns

    def _plan(self) -> None:
        pool = self.pool
        games = pool.games
        self.open = [game.status == TO_PLAY for game in games]
        self.counts = [is_open and pool.is_counted(g, self.since) for g, is_open in zip(games, self.open, strict=True)]
        self._begin()
        for name in ("days", "seasons"):
            if name in self.reads:
                self._since_last(name)
        for state in self.system.state:
            if state.name in self.reads or state.name == "rating":
                self._of_both(state.name, self._state_values(state.name))
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
        self._labelle()
        self._odds()

    def _begin(self) -> None:
        games = self.pool.games
        numbers = [float(i) for i in range(1, len(games) + 1)]
        self._add("Game", "ordinal", None, numbers, "count", "The row of the fixture list that this row forecasts.")
        first = "2*[Game]-1"
        self._add(
            "Open",
            "ordinal",
            f'IF(INDEX(Ledger[Status],{first})="{TO_PLAY}",1,0)',
            [float(one) for one in self.open],
            "count",
            "1 for a fixture that is still to be played.",
        )
        dates = [game.date if is_open else "" for game, is_open in zip(games, self.open, strict=True)]
        self._add("Date", "date", self._if_open(f"INDEX(Ledger[Date],{first})"), dates, "date", "The fixture's day.")
        self._add(
            "Counts",
            "ordinal",
            f"IF([Open]=0,0,IF(OR([Date]=0,[Date]>=N({SINCE})),1,0))",
            [float(one) for one in self.counts],
            "count",
            "1 where the league's table will count the game: all from the day on that the sheet Table says.",
        )
        keys = [
            (game.date or 100000.0) + (i + 1) / 100000 if is_open else ""
            for i, (game, is_open) in enumerate(zip(games, self.open, strict=True))
        ]
        self._add(
            "Key",
            "helper_decimal",
            self._if_open("IF([Date]=0,100000,[Date])+[Game]/100000"),
            keys,
            "count",
            "What fixtures are ordered by: the day, then the row; those without a day come last.",
        )
        ordered = sorted(float(key) for key in keys if key != "")
        place = {key: float(i) for i, key in enumerate(ordered, 1)}
        self.order: list[CellValue] = [place[float(key)] if key != "" else "" for key in keys]
        self._add(
            "Order",
            "ordinal",
            'IF([Key]="","",RANK([Key],Outlook[Key],1))',
            self.order,
            "count",
            "The place of the fixture among those that are to be played.",
        )
        for side, name in enumerate(SIDES):
            row = first if side == 0 else "2*[Game]"
            numbers = [float(n) if is_open else 0.0 for n, is_open in zip(self._teams(side), self.open, strict=True)]
            formula = f"IF([Open]=0,0,INDEX(Ledger[Player no.],{row}))"
            self._add(f"{name} no.", "ordinal", formula, numbers, "count", f"The number of the {name.lower()} team.")

    def _teams(self, side: int) -> list[int]:
        return [game.black_number if side else game.white_number for game in self.pool.games]

    def _state_values(self, state: str) -> Callable[[int], CellValue]:
        return lambda number: self.pool.final(state, number)

    def _of_both(self, name: str, value: Callable[[int], CellValue]) -> None:
        label = "Rating" if name == "rating" else state_label(self.system, name)
        for side, own in enumerate(SIDES):
            values = [value(n) if is_open else "" for n, is_open in zip(self._teams(side), self.open, strict=True)]
            header = self._header(name, side)
            self.shown[_key(name, side)] = values
            self._add(
                header,
                step_style(self.system, name),
                self._if_open(f"INDEX(Players[{column_text(label)}],[{own} no.])"),
                values,
                step_unit(self.system, name),
                f"What the {own.lower()} team has now, after all its games.",
            )

    def _personal(self, name: str, label: str) -> None:
        for side, own in enumerate(SIDES):
            typed = self.view.book.inputs.tables["Players"][label]
            general = float(self.view.book.settings[name])
            values: list[CellValue] = [
                number_or(typed[n - 1], general) if is_open else ""
                for n, is_open in zip(self._teams(side), self.open, strict=True)
            ]
            cell = f"INDEX(Players[{column_text(label)}],[{own} no.])"
            self.shown[_key(name, side)] = values
            formula = self._if_open(f"IF(ISNUMBER({cell}),{cell},{self.view.setting_cells[name]})")
            self._add(
                self._header(name, side), step_style(self.system, name), formula, values, step_unit(self.system, name)
            )

    def _since_last(self, name: str) -> None:
        """Add how many days or seasons lie between a team's last game and the fixture."""
        pool = self.pool
        column = {"days": "Date", "seasons": "Season"}[name]
        latest = pool.rule[LATEST[name]]

        def when(game: Game) -> float:
            return game.date if name == "days" else float(game.extra["seasons"] or 0)

        for side, own in enumerate(SIDES):
            values: list[CellValue] = []
            for game, number, is_open in zip(pool.games, self._teams(side), self.open, strict=True):
                last = pool.last_rows[number] if is_open else 0
                before = float(latest[last - 1] or 0) if last else 0.0
                values.append((max(0.0, when(game) - before) if before > 0 else 0.0) if is_open else "")
            last_row = f"INDEX(Players[Last row],[{own} no.])"
            before_cell = f"INDEX(Ledger[{pool.label(LATEST[name])}],MAX(1,{last_row}))"
            now = f"INDEX(Ledger[{column}],2*[Game]-1)"
            self.shown[_key(name, side)] = values
            self._add(
                self._header(name, side),
                "ordinal",
                self._if_open(f"IF({last_row}=0,0,IF({before_cell}>0,MAX(0,{now}-{before_cell}),0))"),
                values,
                "count",
                f"{name.capitalize()} since the {own.lower()} team's last game.",
            )

    def _game_input(self, name: str) -> None:
        label = self.pool.extra[name]
        values = [game.extra[name] if is_open else "" for game, is_open in zip(self.pool.games, self.open, strict=True)]
        formula = self.pool.extra_formula(name, lambda column: f"INDEX(Games[{column}],[Game])")
        formula = formula.replace("[Side]", f'"{self.pool.sides[0]}"')
        self.shown[name] = values
        self._add(label, "ordinal" if name in FLAGS else "number", self._if_open(formula), values, "count")

    def _step(self, line: Line, side: int | None) -> None:
        """Add a step of the rule: an opening one for a side, one of the game as the home team sees it."""
        references = {name: self._reference(name, side) for name in line.reads}
        values: list[CellValue] = []
        for i, is_open in enumerate(self.open):
            values.append(float(line.step(*(self._value(name, side, i) for name in line.reads))) if is_open else "")
        key = line.name if side is None else _key(line.name, side)
        self.shown[key] = values
        label = self.system.label(line.name) if side is None else self._header(line.name, side)
        if line.name == self.goal:
            label = "Expected"
        formula = self._if_open(rule_formula(line, references))
        about = "The score that the rule expects of the home team." if line.name == self.goal else ""
        unit = "share" if line.name == self.goal else step_unit(self.system, line.name)
        self._add(
            label,
            "share" if line.name == self.goal else step_style(self.system, line.name),
            formula,
            values,
            unit,
            about,
        )

    def _place(self, name: str, side: int | None) -> str:
        """Return the key of a name: which side's value it is, or the game's."""
        if side is None:
            if name in {line.name for line in self.leading}:
                return name
            own, other = _key(name, 0), _key(name.removeprefix("opponent_"), 1)
            return other if name.startswith("opponent_") and other in self.shown else own if own in self.shown else name
        own = _key(name, side)
        return own if own in self.shown else name

    def _reference(self, name: str, side: int | None) -> str:
        place = self._place(name, side)
        if place in self.shown:
            return f"[{self._label_of(place)}]"
        fixed = {"side": "1", "date": "[Date]", "year": "IF([Date]=0,0,YEAR([Date]))", "elapsed": "1"}
        return fixed.get(name) or self.view.setting_cells[name]

    def _value(self, name: str, side: int | None, i: int) -> Any:
        place = self._place(name, side)
        if place in self.shown:
            return self.shown[place][i]
        day = self.pool.games[i].date
        if name == "year":
            return float(_year(day)) if day else 0.0
        return {"side": 1.0, "date": day, "elapsed": 1.0}.get(name, self.view.book.settings.get(name))

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
        asked = self.model == "labelle"
        values: dict[str, list[CellValue]] = {name: [] for name in _LABELLE}
        for i, is_open in enumerate(self.open):
            now = self._labelle_values(i) if is_open and asked else dict.fromkeys(_LABELLE, "")
            for name, column in values.items():
                column.append(now[name])
        references = {name: f"[{label}]" for name, label in _LABELLE.items()}
        references |= {"rating": f"[{self._header('rating', 0)}]", "opponent_rating": f"[{self._header('rating', 1)}]"}
        references |= {"draw_pawns": f"{forecast.DRAW_PAWNS}", "move_shift": "0"}
        found = {line.name: line for line in lines(forecast.LABELLE)}
        for name, label in _LABELLE.items():
            rule = rule_formula(found[name], references)
            formula = f'IF([Open]=0,"",IF({MODEL}<>"labelle","",{rule}))'
            style, unit = ("share", "share") if name in _SHARES else ("points", "points")
            self._add(label, style, formula, values[name], unit, "A step of Labelle's draw model, where it is chosen.")
        self.drawn = values["draw"]

    def _share_at(self, expected: float, labelle: CellValue) -> CellValue:
        if self.model == "labelle":
            return labelle
        return self.share if self.model == "share" else forecast.draws_at(expected, self.share, self.evenness)

    def _labelle_values(self, i: int) -> dict[str, Any]:
        now: dict[str, Any] = {"rating": self.shown[_key("rating", 0)][i], "move_shift": 0.0}
        now |= {"opponent_rating": self.shown[_key("rating", 1)][i], "draw_pawns": forecast.DRAW_PAWNS}
        for line in lines(forecast.LABELLE):
            if line.name in _LABELLE:
                now[line.name] = float(line.step(*(now[read] for read in line.reads)))
        return now

    def _odds(self) -> None:
        expected = self.shown[self.goal]
        share: list[CellValue] = [
            self._share_at(float(expected[i] or 0), self.drawn[i]) if is_open else ""
            for i, is_open in enumerate(self.open)
        ]
        cells = {"expected": "[Expected]", "share": SHARE, "evenness": EVENNESS}
        by_strength = to_formula(lift(forecast.draws_at(Ref("expected"), Ref("share"), Ref("evenness"))), cells)
        self._add(
            "Draw share",
            "share",
            self._if_open(f'IF({MODEL}="labelle",[Level draw],IF({MODEL}="share",{SHARE},{by_strength}))'),
            share,
            "share",
            "The share of such games that is drawn, by the draw model chosen on the sheet Forecast.",
        )
        odds = [
            forecast.odds_with_draws(float(e or 0), float(d or 0)) if is_open else None
            for e, d, is_open in zip(expected, share, self.open, strict=True)
        ]
        drawn = lift(forecast.odds_with_draws(Ref("expected"), Ref("draw")).draw)
        formulas = {
            "Draw": (
                to_formula(drawn, {"expected": "[Expected]", "draw": "[Draw share]"}),
                "The odds of a draw: its share, cut where the expected score leaves no room for it.",
            ),
            "Home win": ("[Expected]-[Draw]/2", "The odds of a home win: a draw is half of a win."),
            "Away win": ("1-[Expected]-[Draw]/2", "The odds of an away win."),
        }
        for at, label in ((1, "Draw"), (0, "Home win"), (2, "Away win")):
            formula, about = formulas[label]
            values: list[CellValue] = [one[at] if one is not None else "" for one in odds]
            self.shown[label] = values
            self._add(label, "share", self._if_open(formula), values, "share", about)
        for side, name in enumerate(SIDES):
            points: list[CellValue] = [
                "" if one is None else self.win_points * one[2 * side] + self.draw_points * one[1] for one in odds
            ]
            self.shown[f"{name} expects"] = points
            self._add(
                f"{name} expects",
                "decimal",
                self._if_open(f"N({WIN})*[{name} win]+N({DRAW})*[Draw]"),
                points,
                "number",
                f"The points that the {name.lower()} team may expect: win and draw, weighed by their odds.",
            )
            counted = [float(n) if c else 0.0 for n, c in zip(self._teams(side), self.counts, strict=True)]
            self._add(
                f"{name} counted",
                "ordinal",
                f"IF([Counts]=0,0,[{name} no.])",
                counted,
                "count",
                f"The number of the {name.lower()} team where the table counts the game.",
            )

    # Output

    def _if_open(self, formula: str) -> str:
        return f'IF([Open]=0,"",{formula})'

    def _add(
        self, label: str, style: str, formula: str | None, values: Sequence[CellValue], unit: str, about: str = ""
    ) -> None:
        role = f"outlook:{label}"
        self.columns.append({"label": label, "role": role, "style": style, "width": 12, "about": about})
        layout = TableLayout("Outlook", [], HEADER_ROW)
        self.fills[role] = Fill(values, None if formula is None else layout.formula(formula), unit)


def _leading(found: Sequence[Line], wanted: set[str]) -> list[Line]:
    """Return the steps that lead to what is wanted, in order."""
    needed: list[Line] = []
    for line in reversed(found):
        if line.name in wanted:
            wanted = wanted | set(line.reads)
            needed.insert(0, line)
    return needed


def _key(name: str, side: int) -> str:
    return f"{SIDES[side]}:{name}"


def _year(day: float) -> int:
    from datetime import date, timedelta

    return (date(1899, 12, 30) + timedelta(days=int(day))).year
