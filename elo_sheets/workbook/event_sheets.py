"""The sheets of a tournament report: what is typed, the cross table, each player's calculation, the check.

The Ledger and what is read from it are `event_games`' and `event_ratings`'; each formula here stands beside the Python
that gives its value.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from elo_sheets.errors import UsageError
from elo_sheets.replaying.settings import Settings
from elo_sheets.replaying.starting import Start, Starts, starts
from elo_sheets.systems import Rules, System
from elo_sheets.workbook.book import HEADER_ROW, Book, Inputs
from elo_sheets.workbook.event_card import card_sheet, cover_cells, cover_inputs, cover_sheet
from elo_sheets.workbook.event_filled import filled_inputs
from elo_sheets.workbook.event_games import BYES, FORFEITS, PLAYED, SETTLED, SPELLED, Event, Table, number
from elo_sheets.workbook.event_newcomers import DwzNewcomers, Shown
from elo_sheets.workbook.event_paste import Paste, paste_cells, paste_facts, paste_sheet
from elo_sheets.workbook.event_performances import DwzPerformances
from elo_sheets.workbook.event_ratings import (
    Ratings,
    by_rule,
    game_steps,
    k_style,
    label,
    rating_steps,
)
from elo_sheets.workbook.event_rules import EventRules, event_rules, typed_facts
from elo_sheets.workbook.event_standings import bars_table, standings_sheet
from elo_sheets.workbook.event_uschess import PASS_LABELS, SectionRatings
from elo_sheets.workbook.facts import step_style
from elo_sheets.workbook.journal import UPSET
from elo_sheets.workbook.layout import text_of
from elo_sheets.workbook.near_names import UNKNOWN, near_table, says, shown_status, strangers
from elo_sheets.workbook.odds import odds_sheet
from elo_sheets.workbook.plan import CellValue, ColumnPlan, Fill, Highlight, SheetPlan, TablePlan
from elo_sheets.workbook.spellings import NO_RESULT, Spellings
from elo_sheets.workbook.view import Figure, Form, View, unnamed
from elo_sheets.workbook.words import replaces

if TYPE_CHECKING:
    import pandas as pd

    from elo_sheets.replaying.settings import Settings

Columns = list[dict[str, Any]]

# The sheet of the names.
PEOPLE = "Players"
NOT_RATED = 'TEXT([Status],"@")<>"rated"'

# How the columns of a rule look where `step_style` does not know better.
STYLES = {
    "difference": "whole_signed",
    "cap": "helper",
    "delta": "delta",
    "higher_expected": "share",
    "period_delta": "change_fine",
    "rating_after": "whole",
    "age": "age",
    "k": "number",
    "published_peak": "whole",
    "development": "number",
    "base_development": "decimal",
    "acceleration": "decimal",
    "brake": "decimal",
    "surplus": "delta",
    "k_used": "number",
    "change": "change_fine",
}


# So many columns fit on a printed page.
MOST_ON_A_PAGE = 15

# Columns of a rule are as wide as their headers, and at least so wide.
LEAST_WIDTH = 9


def _upsets(table: TablePlan) -> Iterator[Highlight]:
    """Yield the marks of who won against the expectation, by the rule of the journal's upsets."""
    first = table.first_data_row

    def cell(label: str) -> str:
        cells = table.range(label)
        return f"{cells[: cells.index('$', 1)]}{first}"

    for side, won in (("White", "1-0"), ("Black", "0-1")):
        expects = cell(f"{side} expects")
        test = f'AND({cell("Result")}="{won}",ISNUMBER({expects}),N({expects})<{UPSET:g})'
        yield Highlight(table.range(side), test, "podium")


class EventView(View):
    """The sheets of one tournament."""

    games_table = "Games"
    rows_a_game = 2
    is_replayed = False
    keeps_unplayed = True
    # The opponents and points of the pasted player's games, None for a row that is none.
    pasted: Sequence[tuple[float, float] | None] = ()

    def __init__(self, book: Book) -> None:
        super().__init__(book)
        assert isinstance(self.system, EventRules)
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

    @classmethod
    def sheet_rules(cls, rules: Rules) -> Rules:
        return event_rules(rules)

    # How a book begins

    @classmethod
    def input_cells(cls, form: Form) -> dict[str, tuple[str, int, int]]:
        return {**cover_inputs(), "card": ("Card", 4, 2), **paste_cells()}

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
        labels = cls.input_columns(form, system)
        people = form["player_rows"]
        return Inputs(
            {
                "Players": {label: [facts.get(label)] * people for label in labels["Players"]},
                "Games": dict.fromkeys(labels["Games"], [None] * rows),
                "Paste": dict.fromkeys(labels["Paste"], [None] * form["paste_rows"]),
            },
            dict.fromkeys(cls.input_cells(form)) | paste_facts(system, facts),
            cls.sizes(rows, people, form["round_rows"]),
        )

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
    def filled(
        cls,
        form: Form,
        system: System,
        settings: Settings,
        games: pd.DataFrame,
        player: str | None,
        start: Starts,
    ) -> tuple[Inputs, str]:
        """Ratings are the first ones that the log gives, or what is asked for; the Card shows the winner."""
        facts = typed_facts(system, settings)
        empty = cls._empty(form, system, 2, {label: value for label, value in facts.items() if label != "Rating"})
        return filled_inputs(cls, form, system, settings, games, player, start, empty)

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
            makers = {
                "facts": self._fact_columns,
                "game steps": self._game_columns,
                "rating steps": self._rating_columns,
                "pass steps": self._pass_columns,
            }
            if column["role"] in makers:
                made = makers[column["role"]](column)
                found += [one | {"width": max(LEAST_WIDTH, len(one["label"]) + 3)} for one in made]
            else:
                found.append(column)
        return found

    @property
    def rules_(self) -> EventRules:
        """The federation's rules."""
        assert isinstance(self.system, EventRules)
        return self.system

    @cached_property
    def bare(self) -> Event:
        """The event before its columns are known."""
        return Event(self.rules_, {}, {}, self.book.inputs)

    def _fact_columns(self, column: dict[str, Any]) -> Columns:
        return [
            column | {"label": self._label(name), "role": f"fact:{name}", "about": fact.about}
            for name, fact in self.rules_.personal.items()
        ]

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
            if table == "Ratings" and self.rules_.typed_step(name):
                said = f"What the rule gives; what is typed on Players for {self._label(name)} counts in its place."
                found.append(column | style | {"label": self._by_rule(name), "role": by_rule(name), "about": said})
            says = {"about": about.get(name, about.get(name.removeprefix("period_"), ""))}
            found.append(column | style | says | {"label": self._label(name), "role": f"step:{table}:{name}"})
        return found

    def _by_rule(self, name: str) -> str:
        return f"{self._label(name)} by the rule"

    def _game_columns(self, column: dict[str, Any]) -> Columns:
        if self.system.name == "uschess":
            return SectionRatings.game_columns(column)
        return self._steps(column, "Ledger", game_steps(self.bare))

    def _rating_columns(self, column: dict[str, Any]) -> Columns:
        if self.system.name == "uschess":
            return SectionRatings.rating_columns(column)
        return self._steps(column, "Ratings", rating_steps(self.bare))

    def _pass_columns(self, column: dict[str, Any]) -> Columns:
        return [
            column | {"label": text, "role": role, "about": about, "style": style}
            for role, (text, about, style) in PASS_LABELS.items()
        ]

    # Players and Games

    def player_fills(self) -> dict[str, Fill]:
        """Return the fill of every role of the sheet Players."""
        typed = self.book.inputs.tables["Players"]
        count = self.book.inputs.rows("Players")
        table = Table("Players", self.roles("Players"), count)
        table.add("player_number", f"ROW()-ROW($A${HEADER_ROW})", lambda i: float(i + 1))
        for name, values in typed.items():
            table.constants(f"typed:{name}", values)
        change = self.made.ratings.labels[self.made.change_role]
        shown = {
            "player_points": ("Points", "rating_points", "number"),
            "player_rank": ("Rank", "rating_rank", "count"),
            "player_change": (change, self.made.change_role, "points"),
            "player_new": ("New rating", "rating_new", "points"),
        }
        for role, (column, source, unit) in shown.items():
            values = self.made.ratings[source]
            table.add(
                role,
                f'IF(OR([Name]="",[No.]>ROWS(Ratings[No.])),"",INDEX(Ratings[{column}],[No.]))',
                lambda i, values=values: values[i] if i < len(values) and text_of(typed["Name"][i]) else "",  # type: ignore[misc]
                unit,
            )
        for name in rating_steps(self.event):
            if (label := self.rules_.typed_step(name)) and label in typed:
                self._replaced(table, label, name)
        table.add(
            "player_status",
            'IF([Name]="","",IF([No.]>ROWS(Ratings[No.]),"beyond Ratings",IF(INDEX(Ratings[Id],[No.])=0,"name twice",'
            'IF(INDEX(Ratings[n],[No.])>0,"rated",IF(INDEX(Ratings[Rating],[No.])="","no rating","no rated game")))))',
            lambda i: self._player_status(i),
            "text",
        )
        return table.fills

    def _replaced(self, table: Table, typed: str, name: str) -> None:
        """Add what a typed figure of a player counts in place of."""
        values, ruled = self.book.inputs.tables["Players"][typed], self.made.ratings[by_rule(name)]
        rule = f'IF([No.]>ROWS(Ratings[No.]),"",INDEX(Ratings[{self._by_rule(name)}],[No.]))'
        formula, _ = replaces(f"[{typed}]", rule, None, None)

        def said(i: int) -> str:
            return replaces("", "", values[i], ruled[i] if i < len(ruled) else "")[1]

        table.add("player_instead", formula, said, "text")

    def _player_status(self, i: int) -> str:
        if not text_of(self.book.inputs.tables["Players"]["Name"][i]):
            return ""
        if i >= self.event.entries:
            return "beyond Ratings"
        if not self.event.ids[i]:
            return "name twice"
        if self.made.played(i):
            return "rated"
        return "no rating" if self.event.ratings[i] == "" else "no rated game"

    def game_fills(self) -> dict[str, Fill]:
        """Return the fill of every role of the sheet Games."""
        games, event = self.book.inputs.tables["Games"], self.event
        count = self.book.inputs.rows("Games")
        table = Table("Games", self.roles("Games"), count)
        table.add("number", f"ROW()-ROW($A${HEADER_ROW})", lambda i: float(i + 1))
        for name, values in games.items():
            table.constants(f"typed:{name}", values)
        listed = len(event.games)
        beyond = 'IF(AND([White]="",[Black]="",[Result]=""),"","beyond the Ledger")'

        said = dict(zip([i for i, _ in self.strangers], self.near(1).columns[-1].fill.values, strict=False))

        def status(i: int) -> str:
            if i < listed:
                found = event.games[i].status
                return str(said.get(i, says(PEOPLE, ""))) if found == UNKNOWN else found
            return "beyond the Ledger" if any(text_of(games[c][i]) for c in ("White", "Black", "Result")) else ""

        table.add(
            "status",
            f"IF([Game]>ROWS(Ledger[Game])/2,{beyond},{shown_status('INDEX(Ledger[Status],2*[Game]-1)', PEOPLE)})",
            status,
            "text",
        )
        rows = {"white": "2*[Game]-1", "black": "2*[Game]"}
        ledger = self.made.ledger
        expected = ledger.labels[self.made.expected_role]
        for offset, (side, row) in enumerate(rows.items()):
            own = {
                "own": ("Rating", "ledger_rating", "points"),
                "difference": ("Difference", "step:Ledger:difference", "points"),
                "expected": (expected, self.made.expected_role, "share"),
                "points": ("K × ΔR", "ledger_change", "points"),
            }
            for name, (column, source, unit) in own.items():
                if source not in ledger.fills:
                    continue
                values = ledger[source]
                table.add(
                    f"{side}:{name}",
                    f'IF({NOT_RATED},"",INDEX(Ledger[{column}],{row}))',
                    lambda i, values=values, o=offset: values[2 * i + o] if status(i) == "rated" else "",  # type: ignore[misc]
                    unit,
                )
            name = side.capitalize()
            expects = table[f"{side}:expected"]
            score = f"INDEX(Ledger[{ledger.labels['ledger_points']}],{row})"
            table.add(
                f"{side}:gain",
                f'IF({NOT_RATED},"",{score}-[{name} expects])',
                lambda i, o=offset, e=expects: (
                    number(event.games[i].points[o]) - number(e[i])  # type: ignore[misc]
                    if status(i) == "rated"
                    else ""
                ),
                "share",
            )
        return table.fills

    def highlights(self, table: TablePlan) -> Iterator[Highlight]:
        first = table.first_data_row
        if table.name in {"Games", "Players"}:
            status = table.range("Status")
            cell = f"{status[:2] if status[2] == '$' else status[: status.index('$', 1)]}{first}"
            words = SETTLED if table.name == "Games" else ("", "rated", "no rated game", "no rating")
            good = ",".join(f'{cell}="{word}"' for word in words)
            yield Highlight(status, f"NOT(OR({good}))", "alarm")
        if table.name == "Games":
            yield from _upsets(table)
        labels = {column.label for column in table.columns}
        if table.name == "Ratings":
            yield unnamed(table, "No.", "Name")
        if table.name == "Rounds":
            body = f"$A${first}:{table.range('Unplayed').split(':')[1]}"
            yield Highlight(body, f"AND(N($B{first})=0,N(${table.range('Unplayed')[1]}{first})=0)", "nothing")
        for change in ("Change", "Rounded change"):
            if table.name in {"Players", "Ratings"} and change in labels:
                cells = table.range(change)
                at = f"{cells[: cells.index('$', 1)]}{first}"
                yield Highlight(cells, f"AND(ISNUMBER({at}),N({at})>0)", "gain")
                yield Highlight(cells, f"AND(ISNUMBER({at}),N({at})<0)", "loss_text")

    # Sheets

    def heading(self, sheet: Mapping[str, Any]) -> tuple[Any, ...]:
        if self.system.name in sheet.get("hints", {}):
            sheet = {**sheet, "hint": sheet["hints"][self.system.name]}
        if self.book.title and sheet["name"] in {"Standings", "Card"}:
            sheet = {**sheet, "title": f"{sheet['title']}: {self.book.title}"}
        return super().heading(sheet)

    def _table(self, sheet: dict[str, Any]) -> SheetPlan:
        from dataclasses import replace

        made = super()._table(sheet)
        return made if sheet["name"] != "Rounds" else replace(made, landscape=False)

    def _cover(self, sheet: Mapping[str, Any]) -> SheetPlan:
        made = cover_sheet(sheet, self.book, self.event, self.made)
        self.names |= cover_cells()
        return made

    def _card(self, sheet: Mapping[str, Any]) -> SheetPlan:
        return card_sheet(self.heading(sheet), self.event, self.made, self.players_range())

    def _paste(self, sheet: Mapping[str, Any]) -> SheetPlan:
        paste = Paste(self.made, self.rules_, self.form["about_steps"])
        paste.build()
        self.names |= paste.names
        self.pasted = paste.pasted
        return paste_sheet(self.heading(sheet), paste, sheet, self.validation)

    def _odds(self, sheet: Mapping[str, Any]) -> SheetPlan:
        return odds_sheet(sheet, self.system, self.book.settings, self.setting_cells)

    def _newcomers(self, sheet: Mapping[str, Any]) -> SheetPlan:
        firsts = self.made.first_ratings
        return self._shown(sheet, firsts.table, firsts.columns, 3)

    def _first_games(self, sheet: Mapping[str, Any]) -> SheetPlan:
        firsts = self.made.first_ratings
        assert isinstance(firsts, DwzNewcomers)
        return self._shown(sheet, firsts.games, firsts.game_columns, 5)

    def _shown(
        self, sheet: Mapping[str, Any], table: Table, columns: Mapping[str, Shown], frozen_columns: int
    ) -> SheetPlan:
        planned = tuple(
            ColumnPlan(one.label, table.fills[role], role, one.style, one.width, about=one.about)
            for role, one in columns.items()
        )
        plan = TablePlan(table.name, HEADER_ROW, planned, table.rows)
        return SheetPlan(
            sheet["name"],
            self.heading(sheet),
            (plan,),
            highlights=tuple(unnamed(plan, planned[0].label, one.label) for one in planned if one.label == "Name"),
            widths={i: column.width for i, column in enumerate(planned, 1)},
            frozen_rows=HEADER_ROW,
            frozen_columns=frozen_columns,
            landscape=True,
            pages_wide=1 if len(planned) <= MOST_ON_A_PAGE else 2,
        )

    def _performances(self, sheet: Mapping[str, Any]) -> SheetPlan:
        found = self.performances
        return replace(self._shown(sheet, found.table, found.columns, 2), hidden=True)

    def _met_games(self, sheet: Mapping[str, Any]) -> SheetPlan:
        found = self.performances
        return replace(self._shown(sheet, found.games, found.games_shown, 3), hidden=True)

    @cached_property
    def performances(self) -> DwzPerformances:
        """The federation's own performances; the sheet Paste is planned before."""
        return DwzPerformances(self.event, self.made.ledger, self.made.ratings, self.pasted)

    def _standings(self, sheet: Mapping[str, Any]) -> SheetPlan:
        return standings_sheet(self.heading(sheet), self.event, self.made)

    def _sparks(self, sheet: Mapping[str, Any]) -> SheetPlan:
        bars = bars_table(self.event, self.made)
        return SheetPlan(sheet["name"], self.heading(sheet), (bars, self.near(len(bars.columns) + 2)), hidden=True)

    @cached_property
    def strangers(self) -> list[tuple[int, str]]:
        """The games of names that are not on Players, and the names."""
        games = self.event.games
        numbers = [game.numbers[0] for game in games]
        return strangers([game.status for game in games], [game.names for game in games], numbers)

    def near(self, first_column: int) -> TablePlan:
        """Return the table of who may be meant by these names."""
        columns = "Name", "Ratings[Name]"
        return near_table(self.strangers, self.event.names, PEOPLE, first_column, columns)

    # Check

    @property
    def spellings(self) -> Spellings:
        return SPELLED

    @cached_property
    def checks(self) -> Mapping[str, Figure]:
        event, made = self.event, self.made
        statuses = [game.status for game in event.games]
        games, players = self.book.inputs.tables["Games"], self.book.inputs.tables["Players"]
        rated = float(statuses.count("rated"))
        n = sum(number(v) for v in made.ratings["rating_n"])

        def count(*words: str) -> Figure:
            formula = "+".join(f'COUNTIF(Ledger[Status],"{word}")' for word in words)
            found = sum(statuses.count(word) for word in words)
            return f"({formula})/2" if len(words) > 1 else f"{formula}/2", float(found), "count"

        keys = Counter(event.key(r) for r in range(made.ledger.rows))
        beyond = sum(
            any(text_of(games[c][i]) for c in ("White", "Black", "Result"))
            for i in range(len(event.games), self.book.inputs.rows("Games"))
        )
        names = [text_of(name) for name in players["Name"]]
        rounds = event.inputs.sizes["Rounds"]
        found: dict[str, Figure] = {
            "unknown_names": count("unknown player"),
            "self_play": count("same player twice"),
            "no_result": (
                f'COUNTIF(Ledger[Status],"{NO_RESULT}*")/2',
                float(sum(status.startswith(NO_RESULT) for status in statuses)),
                "count",
            ),
            "no_round": count("no round"),
            "strange_byes": count("bye with opponent"),
            "twice": (
                "SUM(Ledger[Again])",
                float(sum(many for key, many in keys.items() if key and many > 1)),
                "count",
            ),
            "twins": (
                'SUMPRODUCT(1*(Ratings[Name]<>""))-SUMPRODUCT(1*(Ratings[Id]>0))',
                float(sum(map(bool, event.names)) - sum(i > 0 for i in event.ids)),
                "count",
            ),
            "beyond_ratings": (
                'SUMPRODUCT((Players[Name]<>"")*(Players[No.]>ROWS(Ratings[No.])))',
                float(sum(map(bool, names[event.entries :]))),
                "count",
            ),
            "beyond_ledger": (
                '(SUMPRODUCT(1*(((Games[White]<>"")+(Games[Black]<>"")+(Games[Result]<>""))>0)'
                "*(Games[Game]>ROWS(Ledger[Game])/2)))",
                float(beyond),
                "count",
            ),
            "beyond_rounds": (
                "SUMPRODUCT((Ledger[Key]>0)*(Ledger[Round]>ROWS(Rounds[Round])))",
                float(sum(event.key(r) > 0 and event.side(r)[0].round > rounds for r in range(made.ledger.rows))),
                "count",
            ),
            "both_sides": (
                'COUNTIF(Ledger[Status],"rated")/2-SUM(Ratings[n])/2',
                rated - n / 2,
                "count",
            ),
            "points_total": (self._points_formula(), self._points_left(), "number"),
            "expected_total": self._difference(
                "SUM(Ratings[We])",
                f"SUM(Ledger[{made.ledger.labels[made.expected_role]}])",
                made.ratings["rating_we"],
                made.ledger[made.expected_role],
            ),
        }
        found |= made.control_total()
        if made.has_newcomers:
            found |= made.first_ratings.checks
        return found

    @staticmethod
    def _points_formula() -> str:
        """Return the points in the standings less those that the results of the games give out."""

        def rows(status: str, result: str) -> str:
            return f'SUMPRODUCT((Ledger[Status]="{status}")*(Ledger[Result]="{result}"))/2'

        whole = "+".join(f'COUNTIF(Games[Status],"{word}")' for word in ("rated", "unrated opponent", "forfeit"))
        byes = f"{rows('bye', '1 bye')}+0.5*{rows('bye', '1/2 bye')}"
        return f"ROUND(SUM(Ratings[Points])-({whole}-{rows('forfeit', '-/-')}+{byes}),6)"

    def _points_left(self) -> float:
        given = {text: sum(points) for text, points in {**PLAYED, **FORFEITS}.items()} | dict(BYES)
        paired = [g for g in self.event.games if g.status in {"rated", "unrated opponent", "forfeit", "bye"}]
        total = sum(number(p) for p in self.made.ratings["rating_points"])
        return round(total - sum(given[g.result] for g in paired), 6) + 0.0

    @staticmethod
    def _difference(one: str, other: str, a: Sequence[CellValue], b: Sequence[CellValue]) -> Figure:
        value = round(sum(number(v) for v in a) - sum(number(v) for v in b), 6) + 0.0
        return f"ROUND({one}-{other},6)", value, "points"
