"""The sheets of a tournament report: what is typed, the cross table, each player's calculation, the check.

The Ledger and what is read from it are `games`' and `ratings`'.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from elo_sheets._late import pd
from elo_sheets.errors import UsageError
from elo_sheets.replaying.settings import Settings
from elo_sheets.replaying.starting import Start, Starts, starts
from elo_sheets.systems import Rules, System, fide
from elo_sheets.systems._system import lines
from elo_sheets.workbook.book import Book, Filling, Inputs
from elo_sheets.workbook.event import newcomers, performances
from elo_sheets.workbook.event.card import (
    CARD_FIRST_ROW,
    COVER_ROW,
    FRONT,
    card_sheet,
    cover_cells,
    cover_sheet,
)
from elo_sheets.workbook.event.filled import filled_inputs
from elo_sheets.workbook.event.games import KEY, LAST_ROUND, SETTLED, SPELLED, Event, Table
from elo_sheets.workbook.event.paste import Paste, paste_cells, paste_facts, paste_sheet
from elo_sheets.workbook.event.ratings import Ratings, by_rule, k_style, label, rating_steps, styles
from elo_sheets.workbook.event.rules import EventRules, event_rules, typed_facts
from elo_sheets.workbook.event.standings import bar_column, bars_table, round_columns, standings_sheet
from elo_sheets.workbook.event.uschess import PASS_LABELS, SectionRatings
from elo_sheets.workbook.facts import step_style
from elo_sheets.workbook.front import Line, rows_left
from elo_sheets.workbook.highlights import unnamed
from elo_sheets.workbook.invitation import inviting_hint
from elo_sheets.workbook.journal.formulas import UPSET
from elo_sheets.workbook.layout import in_two_lines, unit_of, with_terms
from elo_sheets.workbook.odds import odds_sheet
from elo_sheets.workbook.places import marked_place, status_place
from elo_sheets.workbook.plan import Fill, Highlight, SheetPlan, TablePlan
from elo_sheets.workbook.pools.near_names import near_table, shown_status
from elo_sheets.workbook.spellings import NO_RESULT, REASONS, Spellings
from elo_sheets.workbook.view import Figure, Form, View
from elo_sheets.workbook.words import replaces

Columns = list[dict[str, Any]]

# The sheet of the names.
PEOPLE = "Players"
# The statuses that lines of Check count, by role.
COUNTED_STATUSES = {
    "unknown_names": "unknown player",
    "self_play": "same player twice",
    "no_result": NO_RESULT,
    "no_round": "no round",
    "strange_byes": "bye with opponent",
}
# How the columns of a rule look where `step_style` does not know better.
STYLES = styles(
    {
        "share": "higher_expected",
        "change_fine": "period_delta",
        "whole": "rating_after",
        "decimal": "base_development acceleration brake",
        "number": "k_used",
    }
)


# The columns of an approach to performances, by the role that stands for them in the form.
NEARER = {"nearer": newcomers.near_columns, "tried": newcomers.tried_columns}
# Those of the standings that depend on how many rounds there are.
STANDING = {"rounds": round_columns, "bars": bar_column}
# Columns of a rule are as wide as their headers, and at least so wide.
LEAST_WIDTH = 8


def told_columns(column: dict[str, Any], told: Iterable[Sequence[str]]) -> Columns:
    """Return a template's column for each of these: their role, header, style and what they say."""
    return [{**column, **dict(zip(("role", "label", "style", "about"), one, strict=True))} for one in told]


def _upsets(table: TablePlan) -> Iterator[Highlight]:
    """Yield the marks of who won against the expectation, by the rule of the journal's upsets."""
    for side, won in (("White", "1-0"), ("Black", "0-1")):
        expects = table.top(f"{side} expects")
        test = f'AND({table.top("Result")}="{won}",ISNUMBER({expects}),N({expects})<{UPSET:g})'
        yield Highlight(table.range(side), test, "podium")


class EventView(View):
    """The sheets of one tournament."""

    games_table = "Games"
    rows_a_game = 2
    is_replayed = False
    keeps_unplayed = True
    twins = ("Players", "Ratings[Name]", "Ratings[Id]")
    nothing_yet = 'COUNTIF(Games[Status],"?*")=0'
    system: EventRules

    def __init__(self, book: Book) -> None:
        super().__init__(book)
        self.form = {
            **self.form,
            "sheet": [s for s in self.form["sheet"] if self.system.name in s.get("only", [self.system.name])],
        }
        self.event = Event(self.system, book.settings, self.setting_cells, book.inputs)
        made = SectionRatings if self.system.name == "uschess" else Ratings
        ledger = self.event.ledger(self.roles("Ledger"))
        ratings = Table("Ratings", self.roles("Ratings"), self.event.entries)
        self.made = made(self.event, ledger, ratings)
        self.made.build()
        self.fills = {**ledger.fills, **ratings.fills, **self.made.rounds(self.roles("Rounds")).fills}
        self.fills |= self.made.further_fills()
        self.fills |= self.player_fills() | self.game_fills()
        # The tables of sheets whose columns have the roles of those on other sheets.
        self.tables = newcomers.newcomers(self.event, self.roles) if self.made.has_newcomers else {}
        if self.system.name == "dwz":
            self.tables |= performances.performances(self.event, self.roles)

    @classmethod
    def sheet_rules(cls, rules: Rules) -> Rules:
        return event_rules(rules)

    @cached_property
    def front(self) -> Sequence[Line]:
        """What stands out on the sheet Event, and how many rows are free."""
        said = {one["label"]: one for one in self.sheet_form("cover")["figures"]}
        lines = ((label, with_terms(said[label]["formula"], self.terms), said[label]) for label in FRONT)
        shown = (Line(label, formula, one["style"], unit_of(one)) for label, formula, one in lines)
        return (*shown, rows_left("Games", "White"))

    # How a book begins

    @classmethod
    def input_cells(cls, form: Form) -> dict[str, tuple[str, int, int]]:
        return super().input_cells(form) | paste_cells()

    @classmethod
    def blank(cls, form: Form, system: System, settings: Settings, rows: int) -> Inputs:
        facts = typed_facts(system, settings)
        if "Rating" in facts:
            raise UsageError(
                f"setting initial of system {system.name} is not used here: a newcomer without a rating gets a first "
                "rating by his games; type a rating on the sheet Players"
            )
        return cls._empty(form, system, rows, facts)

    @classmethod
    def _empty(cls, form: Form, system: System, rows: int, facts: Mapping[str, float]) -> Inputs:
        """Return inputs without games; `facts` are what every row of Players holds already."""
        assert isinstance(system, EventRules)
        people = form["player_rows"]
        tables = cls.empty_tables(form, system, {"Players": people, "Games": rows, "Paste": form["paste_rows"]})
        tables["Players"] = {label: [facts.get(label)] * people for label in tables["Players"]}
        cells = dict.fromkeys(cls.input_cells(form)) | paste_facts(system, facts)
        return Inputs(tables, cells, cls.sizes(rows, people, form["round_rows"]))

    @classmethod
    def sizes(cls, games: int, people: int, rounds: int, unrated: int = 0) -> dict[str, int]:
        """Return the rows of the tables that nobody types into; so many players are known to have no rating."""
        newcomers = max(10, people // 4, unrated + 5)
        return {"Ledger": 2 * games, "Ratings": people, "Rounds": rounds, "Newcomers": newcomers}

    @classmethod
    def starts(
        cls, start: Start, system: Rules, games: pd.DataFrame, settings: Collection[str], player: str | None
    ) -> Starts:
        """A report takes the published ratings under any system; what is empty on Players is a settled player's."""
        found = starts(start, replace(system, publishes_ratings=True), games, [*settings, *system.settled])
        return found if start is not None else replace(found, notes=())

    @classmethod
    def filled(cls, form: Form, system: System, settings: Settings, log: Filling) -> tuple[Inputs, str]:
        """Ratings are the first ones that the log gives, or what is asked for; the Card shows the winner."""
        facts = typed_facts(system, settings)
        empty = cls._empty(form, system, 2, {label: value for label, value in facts.items() if label != "Rating"})
        return filled_inputs(cls, form, system, settings, log, empty)

    @classmethod
    def present(cls, columns: Sequence[dict[str, Any]], form: Form, system: System) -> Columns:
        edition = system.edition if isinstance(system, EventRules) else ""
        return [
            column
            for column in super().present(columns, form, system)
            if system.name in column.get("only", [system.name]) and column.get("rules", edition) == edition
        ]

    # Columns

    def roles(self, sheet: str) -> dict[str, str]:
        """Return the header of each role of a sheet."""
        return {column["role"]: self.column_label(column) for column in self.columns(sheet)}

    def columns(self, sheet_name: str) -> Columns:
        sheet = next(sheet for sheet in self.form["sheet"] if sheet["name"] == sheet_name)
        found: Columns = []
        for column in self.present(sheet["column"], self.form, self.system):
            role = column.get("role", "")
            if role in NEARER:
                found += NEARER[role](column)
            elif role in STANDING:
                found += STANDING[role](column, self.book.inputs.sizes["Rounds"])
            elif role in ("facts", "game steps", "rating steps", "pass steps"):
                made = self._rule_columns(role, column)
                found += [one | {"width": max(LEAST_WIDTH, in_two_lines(one["label"]))} for one in made]
            else:
                found.append(column)
        return found

    @cached_property
    def bare(self) -> Event:
        """The event before its columns are known."""
        return Event(self.system, {}, {}, self.book.inputs)

    def fills_of(self, sheet: str) -> Mapping[str, Fill]:
        if sheet == "Standings":
            return {"": Fill([None] * self.event.entries)}
        return self.tables[sheet].fills if sheet in self.tables else self.fills

    def _rule_columns(self, role: str, column: dict[str, Any]) -> Columns:
        """Return the columns of a rule that stand for one role of the form."""
        if role == "game steps":
            return self._steps(column, "Ledger", [line.name for line in lines(self.system.game)])
        if role == "rating steps":
            return self._steps(column, "Ratings", rating_steps(self.bare))
        if role == "pass steps":
            return told_columns(column, ((at, text, style, says) for at, (text, says, style) in PASS_LABELS.items()))
        facts = self.system.personal.items()
        return told_columns(column, ((f"fact:{n}", self._label(n), column["style"], fact.about) for n, fact in facts))

    def _label(self, name: str) -> str:
        return label(self.bare, name)

    def _steps(self, column: dict[str, Any], table: str, names: Sequence[str]) -> Columns:
        about = self.form["about_steps"]
        styles = STYLES | {"k_used": k_style(self.bare)}
        if self.system.name == "fide":
            styles["change"] = "change_whole"
        found: Columns = []
        for name in names:
            style = {"style": styles.get(name, step_style(self.bare.rules, name))}
            if table == "Ratings" and self.system.typed_step(name):
                said = f"What the rule gives; what is typed on Players for {self._label(name)} counts in its place."
                found.append(column | style | {"label": self._by_rule(name), "role": by_rule(name), "about": said})
            says = {"about": about.get(name, about.get(name.removeprefix("period_"), ""))}
            found.append(column | style | says | {"label": self._label(name), "role": f"step:{table}:{name}"})
        return found

    def _by_rule(self, name: str) -> str:
        return f"{self._label(name)} by the rule"

    @property
    def terms(self) -> Mapping[str, str]:
        return {
            **super().terms,
            "key": f"{KEY}",
            "last_round": f"{LAST_ROUND}",
            "change": self.made.ratings.labels[self.made.change_role],
            "k": self.made.k_label,
            "start": self.setting_cells["initial"] if self.system.name == "uschess" else '""',
            "first_games": f"{newcomers.FIRST_GAMES.get(self.system.name, 0)}",
            "least_rating": f"{fide.LEAST_RATING}",
            "result": SPELLED.formula("INDEX(Games[Result],[Game])"),
            "status": shown_status("INDEX(Ledger[Status],2*[Game]-1)", PEOPLE),
        }

    # Players and Games

    def player_fills(self) -> dict[str, Fill]:
        """Return the fill of every role of the sheet Players."""
        typed = self.book.inputs.tables["Players"]
        table = Table("Players", self.roles("Players"), self.book.inputs.rows("Players"))
        for name, values in typed.items():
            table.constants(f"typed:{name}", values)
        beyond = "[No.]>ROWS(Ratings[No.])"
        for name in rating_steps(self.event):
            if (label := self.system.typed_step(name)) and label in typed:
                rule = f'IF({beyond},"",INDEX(Ratings[{self._by_rule(name)}],[No.]))'
                table.add("player_instead", replaces(f"[{label}]", rule), "text")
        return table.fills

    def game_fills(self) -> dict[str, Fill]:
        """Return the fill of every role of the sheet Games."""
        table = Table("Games", self.roles("Games"), self.book.inputs.rows("Games"))
        for name, values in self.book.inputs.tables["Games"].items():
            table.constants(f"typed:{name}", values)
        return table.fills

    def highlights(self, table: TablePlan) -> Iterator[Highlight]:
        first = table.first_data_row
        if table.name in {"Games", "Players"}:
            of_games, of_players = (*SETTLED, *REASONS.values()), ("", "rated", "no rated game", "no rating")
            words = of_games if table.name == "Games" else of_players
            good = ",".join(f'{table.top("Status")}="{word}"' for word in words)
            yield Highlight(table.range("Status"), f"NOT(OR({good}))", "alarm")
        if table.name == "Games":
            yield from _upsets(table)
        labels = {column.label for column in table.columns}
        if table.name in {"Ratings", *(one.name for one in self.tables.values())} and "Name" in labels:
            yield unnamed(table, table.columns[0].label, "Name")
        if table.name == "Rounds":
            body = f"$A${first}:{table.range('Unplayed').split(':')[1]}"
            yield Highlight(body, f"AND(N($B{first})=0,N(${table.range('Unplayed')[1]}{first})=0)", "nothing")
        for change in ("Change", "Rounded change"):
            if table.name in {"Players", "Ratings"} and change in labels:
                at = table.top(change)
                for sign, style in ((">", "gain"), ("<", "loss_text")):
                    yield Highlight(table.range(change), f"AND(ISNUMBER({at}),N({at}){sign}0)", style)

    # Sheets

    def heading(self, sheet: Mapping[str, Any]) -> tuple[Any, ...]:
        if self.system.name in sheet.get("hints", {}):
            sheet = {**sheet, "hint": sheet["hints"][self.system.name]}
        if self.book.title and sheet["name"] in {"Standings", "Card"}:
            sheet = {**sheet, "title": f"{sheet['title']}: {self.book.title}"}
        return super().heading(sheet)

    def _table(self, sheet: dict[str, Any]) -> SheetPlan:
        made = super()._table(sheet)
        return made if sheet["name"] != "Rounds" else replace(made, landscape=False)

    def _cover(self, sheet: Mapping[str, Any]) -> SheetPlan:
        told = f"Rated by {self.event.rules.title}: every opponent at the rating before the event."
        hint = inviting_hint({**sheet, "hint": told}, self.nothing_yet, self.games_table)
        figures = self.figure_cells(sheet["figures"], COVER_ROW, 4, label_style="label")
        made = cover_sheet(sheet, self.book, self.event, hint, self.asked_cells(sheet), figures)
        self.names |= cover_cells()
        return made

    def _card(self, sheet: Mapping[str, Any]) -> SheetPlan:
        table = self.form_table(sheet, CARD_FIRST_ROW, self.book.inputs.sizes["Rounds"])
        return card_sheet((*self.heading(sheet), *self.asked_cells(sheet)), table, self.event, self.made)

    def _paste(self, sheet: Mapping[str, Any]) -> SheetPlan:
        paste = Paste(self.made, self.system, self.form["about_steps"])
        paste.build()
        self.names |= paste.names
        return paste_sheet(self.heading(sheet), paste, sheet, self.validation)

    def _odds(self, sheet: Mapping[str, Any]) -> SheetPlan:
        return odds_sheet(sheet, self.system, self.book.settings, self.setting_cells)

    def _standings(self, sheet: Mapping[str, Any]) -> SheetPlan:
        table = self.form_table(sheet, rows=self.event.entries)
        return standings_sheet(self.heading(sheet), table, self.book.inputs.sizes["Rounds"])

    def _sparks(self, sheet: Mapping[str, Any]) -> SheetPlan:
        bars = bars_table(self.event, self.made)
        near = near_table(PEOPLE, len(bars.columns) + 2, ("Name", "Ratings[Name]"))
        return SheetPlan(sheet["name"], self.heading(sheet), (bars, near), hidden=True)

    # Check

    @property
    def spellings(self) -> Spellings:
        return SPELLED

    @cached_property
    def checks(self) -> Mapping[str, Figure]:
        made = self.made
        expected = made.ledger.labels[made.expected_role]
        figures = dict(super().checks)
        figures |= {role: (_rows_of(f"{status}*"), "count") for role, status in COUNTED_STATUSES.items()}
        figures["both_sides"] = f"{_rows_of('rated')}-SUM(Ratings[n])/2", "count"
        figures["points_total"] = self._points_formula(), "number"
        figures["expected_total"] = f"ROUND(SUM(Ratings[We])-SUM(Ledger[{expected}]),6)", "points"
        figures |= made.control_total()
        return figures | (newcomers.checks(self.tables) if made.has_newcomers else {})

    @property
    def check_places(self) -> Mapping[str, str]:
        sheet, again = self.games_table, "the same player has another game in this round"
        return {
            **super().check_places,
            **{role: status_place(sheet, status) for role, status in COUNTED_STATUSES.items()},
            "twice": marked_place(sheet, "Ledger[Again]", again),
        }

    @staticmethod
    def _points_formula() -> str:
        """Return the points in the standings less those that the results of the games give out."""

        def rows(status: str, result: str) -> str:
            return f'SUMPRODUCT((Ledger[Status]="{status}")*(Ledger[Result]="{result}"))/2'

        whole = "+".join(f'COUNTIF(Games[Status],"{word}")' for word in ("rated", "unrated opponent", "forfeit"))
        byes = f"{rows('bye', '1 bye')}+0.5*{rows('bye', '1/2 bye')}"
        return f"ROUND(SUM(Ratings[Points])-({whole}-{rows('forfeit', '-/-')}+{byes}),6)"


def _rows_of(status: str) -> str:
    """Return the formula of how many games have a status: they have it on both of their rows."""
    return f'COUNTIF(Ledger[Status],"{status}")/2'
