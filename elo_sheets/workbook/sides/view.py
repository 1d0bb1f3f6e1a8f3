"""The sheets of a book of doubles, teams or tables: players, games, standings, pairs, the card, checks.

The Ledger behind them is `ledger`'s. Everything here is a formula alone, whose values `complete` finds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import combinations
from math import comb
from typing import Any, ClassVar

from elo_sheets._late import pd
from elo_sheets.errors import UsageError
from elo_sheets.replaying.periods import sheet_days
from elo_sheets.replaying.settings import Settings
from elo_sheets.systems import System
from elo_sheets.systems.sides import SidedSystem
from elo_sheets.team_games import team_players
from elo_sheets.workbook.book import HEADER_ROW, Book, Columns, Filling, Inputs, with_spare
from elo_sheets.workbook.facts import headed
from elo_sheets.workbook.front import COUNTED, Line, last_game, leader, rows_left
from elo_sheets.workbook.highlights import ranked_rows, unnamed
from elo_sheets.workbook.layout import UNRATED, TableLayout, column_text, text_of, trimmed
from elo_sheets.workbook.places import BREAKS
from elo_sheets.workbook.plan import (
    PENDING,
    CellPlan,
    CellValue,
    ColumnPlan,
    Fill,
    Highlight,
    SheetPlan,
    TablePlan,
    figured,
)
from elo_sheets.workbook.pools.columns import listed, reached, start_labels, started, state_columns
from elo_sheets.workbook.pools.near_names import near_table, shown_status
from elo_sheets.workbook.pools.pool import Pool
from elo_sheets.workbook.pools.sheets import ID
from elo_sheets.workbook.sides.chart import SHEET, chart, curves, names
from elo_sheets.workbook.sides.ledger import PAIR, SidesLedger, pair_labels
from elo_sheets.workbook.sides.pool import (
    LETTERS,
    NO_RESULT,
    RATED,
    SEAT_EXPECTED,
    TOO_FEW,
    TWICE,
    UNKNOWN,
    Shape,
    SidedPool,
    by_winner,
    check_book,
    step_label,
    step_names,
)
from elo_sheets.workbook.sports.profiles import words_of
from elo_sheets.workbook.view import Figure, Form, View

MATES_ROW = 8
ME = "Card!$B$5"
SCORE_OF_WINNERS = (
    "The games won of those that count: a winner's against every other player, another player's against the winner "
    "alone. Where several are first, each of the games is divided by their number."
)


SPARE_PAIRS = 60  # rows for pairs that play for the first time


def shape_of_form(form: Form) -> Shape:
    """Return how many sides and players the games of a template have, and whether they are drawn in its sport."""
    found = Shape(*form["shape"])
    return found if found.is_table else found._replace(draws=words_of(form).draws)


class SidesView(View):
    """Books in which a game has two teams, or many players each for himself."""

    rows_a_game: ClassVar[int] = 2
    nothing_yet = "SUM(Players[Games])=0"
    sorts_late_games = True
    system: SidedSystem

    def __init__(self, book: Book) -> None:
        super().__init__(book)
        self.shape = shape_of_form(self.form)
        self.pool = SidedPool(self.system, book.settings, book.inputs, self.shape)
        self.ledger = SidesLedger(self.pool, self.setting_cells, self.labels("Ledger"))
        self.fills = self.ledger.fills() | self._game_fills() | self._player_fills()

    @cached_property
    def front(self) -> Sequence[Line]:
        """Who leads, how many games there are, when the last one was, and how many rows are free."""
        rated = f'SUMPRODUCT((Ledger[Seat]=1)*(Ledger[Game status]="{RATED}"))'
        return (
            leader(3 if self.is_fine("Players") else 1),
            Line("Games so far", rated, remark=COUNTED),
            last_game(),
            rows_left("Games", self.shape.seat_labels[0]),
        )

    @property
    def guide(self) -> Sequence[str]:
        """The guide of a table says how its rule counts a game, and names Pairs where that sheet is there."""
        counts = self.form.get("counts", {}).get(self.pool.system.many, "")
        pairs = ", Pairs who plays best with whom" if self.shape.size > 1 else ""
        return [line.replace("{counts}", counts).replace("{pairs}", pairs) for line in super().guide]

    # How a book begins

    @classmethod
    def check(cls, form: Form, system: System) -> None:
        if not isinstance(system, SidedSystem):
            raise UsageError(f"template {form['name']} needs the form of {system.name} for games of sides")
        check_book(system, shape_of_form(form))

    @classmethod
    def read_pool(cls, form: Form, system: System, settings: Mapping[str, Any], inputs: Inputs) -> Pool:
        raise UsageError(
            f"a book of the template {form['name']} holds games of teams or of many, not games of two players: take a "
            "book of the template league or season"
        )

    @classmethod
    def present(cls, columns: Sequence[dict[str, Any]], form: Form, system: System) -> list[dict[str, Any]]:
        shape = shape_of_form(form)
        found: list[dict[str, Any]] = []
        repeated = {
            "seats": [(f"seat:{i}", label) for i, label in enumerate(shape.seat_labels, 1)],
            "partners": [(f"partner:{i}", f"Partner {i} no.") for i in range(1, shape.size)],
            "opponents": [
                (f"opponent:{i}", f"Opponent {i} no.")
                for i in range(1, (shape.seats if shape.is_table else shape.size) + 1)
            ],
            "points": [(f"points:{i}", label) for i, label in enumerate(shape.points_labels, 1)],
            "pair": [(f"pair:{i}", label) for i, label in enumerate(pair_labels(shape)[0], 1)],
            "pair_number": [(f"pair_number:{i}", label) for i, label in enumerate(pair_labels(shape)[1], 1)],
            "side_figures": cls.side_figures(shape, system),
        }
        left_out = {"player_draws", "player_losses"} if shape.is_table else {"placed"}
        assert isinstance(system, SidedSystem)
        left_out |= set() if by_winner(system, shape) else {"first", "games_shared"}
        for column in super().present(columns, form, system):
            role = column["role"]
            if role == "seats" and shape.is_table:
                found += cls._seats_of_a_table(column, columns, shape)
            elif role == "points" and shape.is_table:
                continue
            elif role in repeated:
                styles = {own: "share" if own.endswith(":expected") else column["style"] for own, _ in repeated[role]}
                found += [headed(column, label, role=own, style=styles[own]) for own, label in repeated[role]]
            elif role == "start_states":
                found += [headed(column, label, role=f"start:{name}") for name, label in start_labels(system).items()]
            elif role == "states":
                found += state_columns(column, system, "state")
            elif role == "score" and by_winner(system, shape):
                found.append(column | {"about": SCORE_OF_WINNERS})
            elif role not in left_out:
                found.append(column)
        return found

    @staticmethod
    def _seats_of_a_table(
        column: dict[str, Any], columns: Sequence[dict[str, Any]], shape: Shape
    ) -> list[dict[str, Any]]:
        """Return three columns for each player of a table: a name, a place and points, narrow ones."""
        points = next(one for one in columns if one["role"] == "points")
        place = points | {
            "validation": points["validation"]
            | {"minimum": 1, "title": "Place", "message": "1 is first; equal places are a tie.", "error": "Such as 2."}
        }
        found = []
        for seat in range(1, shape.seats + 1):
            found.append(headed(column, shape.seat_label(seat), role=f"seat:{seat}", width=15))
            found.append(headed(place, shape.place_labels[seat - 1], role=f"place:{seat}", width=7))
            found.append(headed(points, shape.points_labels[seat - 1], role=f"points:{seat}", width=7))
        return found

    @staticmethod
    def side_figures(shape: Shape, system: System) -> list[tuple[str, str]]:
        """Return the figures beside a typed game: what was expected of each side, and its change."""
        if shape.is_table:
            return []
        expected = "expected" in {line.name for line in system.lines}
        names = (*(("expected",) if expected else ()), "change")
        return [(f"{letter}:{name}", f"{letter} {name}") for letter in LETTERS for name in names]

    @classmethod
    def blank(cls, form: Form, system: System, settings: Settings, rows: int) -> Inputs:
        tables = cls.empty_tables(form, system, {"Players": form["player_rows"], "Games": rows})
        return Inputs(tables, {"card": None}, {"Ledger": shape_of_form(form).seats * rows})

    @classmethod
    def filled(cls, form: Form, system: System, settings: Settings, log: Filling) -> tuple[Inputs, str]:
        """Players stand in the order in which they first play."""
        games, shape, names = log.games, shape_of_form(form), team_players(log.games)
        count = int(games["game"].nunique())
        rows = with_spare(count, form["rows"])
        labels = cls.input_columns(form, system)
        people = max(form["player_rows"], len(names) + 15)
        tables: dict[str, Columns] = {
            "Players": started(names, log.start, system, labels["Players"], people),
            "Games": typed_games(games, shape, labels["Games"], rows),
        }
        return Inputs(tables, {"card": names[0]}, {"Ledger": shape.seats * rows}), ""

    @classmethod
    def further_sizes(cls, form: Form, inputs: Inputs) -> dict[str, int]:
        """Pairs has rows for all pairs that played, and for some more until the book is updated."""
        shape, games = shape_of_form(form), inputs.tables["Games"]
        if shape.size == 1:
            return {}
        names = [games[label] for label in shape.seat_labels]
        sides = [names[at : at + shape.size] for at in range(0, shape.seats, shape.size)]
        pairs = (pair for side in sides for two in combinations(side, 2) for pair in zip(*two, strict=True))
        met = {frozenset(map(text_of, pair)) for pair in pairs if all(pair)}
        most = comb(inputs.rows("Players"), 2)
        held = inputs.sizes.get("Pairs", 0)
        rows = held if held - len(met) >= SPARE_PAIRS // 2 else max(form["pair_rows"], len(met) + SPARE_PAIRS)
        return dict.fromkeys(("Pairs", "PairList"), min(rows, most))

    # Columns

    def step_names(self) -> list[str]:
        return step_names(self.system, shape_of_form(self.form))

    def step_columns(self, column: dict[str, Any]) -> list[dict[str, Any]]:
        expected = f"step:{SEAT_EXPECTED}"
        return [
            c | ({"style": "share"} if c["role"].startswith(expected) else {}) for c in super().step_columns(column)
        ]

    def step_label(self, name: str) -> str:
        return step_label(self.system, shape_of_form(self.form), name)

    def _game_fills(self) -> dict[str, Fill]:
        typed = self.book.inputs.tables["Games"]
        layout, seats = TableLayout("Games", self.labels("Games"), HEADER_ROW), self.shape.seats
        roles = {self.column_label(column): column["role"] for column in self.columns("Games")}
        fills = {roles[label]: Fill(values) for label, values in typed.items()}
        row = f"{seats}*([Game]-1)+1"
        anyone = "&".join(f"INDEX(Games[{label}],[Game])" for label in self.shape.seat_labels)
        beyond = f'IF({anyone}="","","beyond the Ledger")'
        held = f"INDEX(Ledger[Game status],{row})"
        missing = f"{NO_RESULT}: {'places or ' * self.shape.is_table}points are missing"
        told = f'IF({held}="{NO_RESULT}","{missing}",{shown_status(held, "Players")})'
        status = f"IF([Game]>ROWS(Ledger[Game])/{seats},{beyond},{told})"
        fills["number"] = self._numbers("Games")
        fills["status"] = layout.fill(status)
        for role, _ in self.side_figures(self.shape, self.system):
            letter, name = role.split(":")
            side = LETTERS.index(letter) + 1
            label = self.system.label("expected") if name == "expected" else "Rating change"
            told = f"AVERAGEIFS(Ledger[{column_text(label)}],Ledger[Game],[Game],Ledger[Side],{side})"
            unit = "share" if name == "expected" else "points"
            fills[role] = layout.fill(f'IF({UNRATED},"",{told})', unit)
        return fills

    def _numbers(self, table: str) -> Fill:
        rows = self.book.inputs.rows(table)
        return Fill([float(i) for i in range(1, rows + 1)], f"ROW()-ROW($A${HEADER_ROW})", "count")

    def _player_fills(self) -> dict[str, Fill]:
        typed = self.book.inputs.tables["Players"]
        layout = TableLayout("Players", self.labels("Players"), HEADER_ROW)
        sign = "-" if self.system.lower_is_better else ""

        def counted(formula: str) -> tuple[str, str]:
            return listed(f"IF([Id]=0,0,{formula})", "count")

        def start(name: str, cell: str) -> str:
            return f"IF(ISNUMBER({cell}),{cell},{self.setting_cells[self.ledger.initial[name]]})"

        results = "COUNTIFS(Ledger[Rated no.],[Id],Ledger[Score],{})"
        won = results.format(1)
        if by_winner(self.pool.system, self.shape):
            won = "SUMPRODUCT((Ledger[Rated no.]=[Id])*(Ledger[First]=1)*(Ledger[Score]=Ledger[Rivals]))"
        best = "INDEX(Ledger[Best so far],[Last row])"
        key = f'IF([Id]=0,"",{sign}ROUND([Rating],3)-[No.]/10000000-IF([Games]=0,100000,0))'
        told = reached(self.system, self.step_label, start, self.setting_cells["initial"], best) | {
            "last_row": ("IF([Id]=0,0,SUMPRODUCT(MAX((Ledger[Rated no.]=[Id])*Ledger[No.])))", "count"),
            "player_games": counted("COUNTIF(Ledger[Rated no.],[Id])"),
            "player_wins": counted(won),
            "player_draws": counted(results.format("0.5")),
            "player_losses": counted(results.format("0")),
            "player_known": (trimmed("[Player]"), "text"),
            "player_id": (ID, "count"),
            "player_key": (key, "count"),
            "player_rank": ('IF([Sort key]="","",RANK([Sort key],Players[Sort key]))', "count"),
        }
        labels = {"player": "Player", "start_rating": "Start rating"}
        labels |= {f"start:{name}": label for name, label in start_labels(self.system).items()}
        fills = {role: Fill(typed[label]) for role, label in labels.items()} | layout.fills(told)
        return fills | {"player_number": self._numbers("Players")}

    # Sheets

    def _standings(self, sheet: Mapping[str, Any]) -> SheetPlan:
        table = self.placed_table(sheet, self.book.inputs.rows("Players"))
        return self.table_sheet(sheet, table, ranked_rows(table))

    def _curves(self, sheet: Mapping[str, Any]) -> SheetPlan:
        after = column_text(self.ledger.label("rating_after"))
        points = self.plain_table(sheet, SHEET, curves(after, self.setting_cells[self.ledger.initial["rating"]]))
        near = near_table("Players", len(points.tables[0].columns) + 2, seats=self.shape.seats)
        tables = (*points.tables, near)
        named = names(self.nothing_yet, self.games_table)
        return replace(points, tables=tables, cells=(*points.cells, *named), charts=(chart(),))

    @property
    def _pair_figures(self) -> list[tuple[str, str, str, str]]:
        """The figures of a pair: label, formula over `[Code]`, style, unit."""
        pairs, _ = pair_labels(self.shape)

        def total(figure: str) -> str:
            return "+".join(figure.format(f"Ledger[{pair}],[Code]") for pair in pairs)

        found = [("Games", total("COUNTIF({})"), "integer", "count")]
        for name, score in (("Wins", 1), ("Draws", 0.5), ("Losses", 0)):
            found.append((name, total(f"COUNTIFS({{}},Ledger[Score],{score})"), "integer", "count"))
        found.append(("Points", total("SUMIFS(Ledger[Rating change],{})"), "change", "points"))
        if "expected" in self.step_names():
            expected = total(f"SUMIFS(Ledger[{column_text(self.system.label('expected'))}],{{}})")
            expected = f"({expected})" if len(pairs) > 1 else expected
            found.append(("Beyond", f"{total('SUMIFS(Ledger[Score],{})')}-{expected}", "change_fine", "share"))
        return found

    @property
    def _pair_rows(self) -> int:
        return self.book.inputs.sizes.get("Pairs") or self.further_sizes(self.form, self.book.inputs)["Pairs"]

    def _pair_list(self, sheet: Mapping[str, Any]) -> SheetPlan | None:
        if self.shape.size == 1:
            return None
        layout = TableLayout("PairList", [], HEADER_ROW)
        pairs, numbers = pair_labels(self.shape)
        last = f"Ledger[{numbers[-1]}]"
        code = f"INDEX(Ledger[{pairs[-1]}],[Row])"
        for pair, number in zip(pairs[-2::-1], numbers[-2::-1], strict=True):  # the first that is as many
            code = f"IF(INDEX(Ledger[{number}],[Row])=[No.],INDEX(Ledger[{pair}],[Row]),{code})"
        by = "[Beyond]" if "expected" in self.step_names() else "[Points]"
        formulas = {
            "No.": (f"ROW()-ROW($A${HEADER_ROW})", "count"),
            "Row": (f'IF(INDEX({last},ROWS({last}))<[No.],0,COUNTIF({last},"<"&[No.])+1)', "count"),
            "Code": (f"IF([Row]=0,0,{code})", "count"),
            "Player": (f"INT([Code]/{PAIR})", "count"),
            "Partner": (f"[Code]-{PAIR}*[Player]", "count"),
            **{label: (f"IF([Row]=0,0,{text})", unit) for label, text, _, unit in self._pair_figures},
            "Key": (f'IF([Row]=0,"",ROUND({by},6)-[No.]/10000000)', "number"),
            "Rank": ('IF([Key]="","",RANK([Key],PairList[Key]))', "count"),
        }
        fills = layout.fills(formulas)
        columns = tuple(ColumnPlan(label, fill, "", "integer", 12) for label, fill in fills.items())
        table = TablePlan("PairList", HEADER_ROW, columns, self._pair_rows)
        widths = dict.fromkeys(range(1, len(columns) + 1), 12.0)
        return SheetPlan(sheet["name"], self.heading(sheet), (table,), widths=widths, hidden=True)

    def _pairs(self, sheet: Mapping[str, Any]) -> SheetPlan | None:
        if self.shape.size == 1:
            return None
        layout = TableLayout("Pairs", [], HEADER_ROW)
        place = f"ROW()-ROW($A${HEADER_ROW})"
        at = "MATCH([Place],PairList[Rank],0)"

        def column(label: str, formula: str, style: str, unit: str, width: float, about: str = "") -> ColumnPlan:
            fill = layout.fill(f'IF([Place]="","",{formula})', unit)
            return ColumnPlan(label, fill, "", style, width, about=about)

        first = layout.fill(f'IF({place}>COUNT(PairList[Rank]),"",{place})', "count")
        names = [
            column(label, f"INDEX(Players[Player],INDEX(PairList[{label}],{at}))", "name", "text", 24)
            for label in ("Player", "Partner")
        ]
        said = {
            "Points": "What the rating of the player with the smaller number has won in the games of the pair.",
            "Beyond": "The score of the pair beyond the expected one, in games: what it is better than its ratings.",
        }
        unused = () if words_of(self.form).draws else ("Draws",)
        figures = [
            column(
                label, f"INDEX(PairList[{label}],{at})", style, unit, 0 if label in unused else 10, said.get(label, "")
            )
            for label, _, style, unit in self._pair_figures
        ]
        columns = (ColumnPlan("Place", first, "", "integer", 8), *names, *figures)
        table = TablePlan("Pairs", HEADER_ROW, columns, self._pair_rows)
        return self.table_sheet(sheet, table, ranked_rows(table)[1:])

    def _sides_card(self, sheet: Mapping[str, Any]) -> SheetPlan:
        known = trimmed("$B$4")
        leader = "IFERROR(MATCH(1,Players[Rank],0),0)"
        number = f'IF({known}="",{leader},SUMPRODUCT((Players[Known as]={known})*Players[Id]))'
        place = f'IF({ME}=0,"",INDEX(Players[{{}}],{ME}))'
        rank, games = (f"INDEX(Players[{label}],{ME})" for label in ("Rank", "Games"))
        leads = f'IF({known}="",INDEX(Players[Player],{ME})&", ","")'
        placed = f'{leads}&"place "&{rank}&" after "&{games}&IF({games}=1," game"," games")'
        told = f'IF({ME}=0,"",IF({rank}="","no game yet",{placed}))'
        cells = [
            *self.heading(sheet),
            *self.asked_cells(sheet),
            *figured(5, 1, "No.", number, "integer", "count"),
            *figured(6, 1, "Rating", place.format("Rating"), "figure", "points"),
            CellPlan(6, 3, PENDING, told, "remark", "text"),
        ]
        table = self._mates()
        ruled = Highlight(table.body, f'$B{table.first_data_row}<>""', "ruled")
        highlights = (ruled, unnamed(table, "No.", "Name"))
        return self.table_sheet(sheet, table, highlights, cells=tuple(cells), frozen_rows=0)

    def _mates(self) -> TablePlan:
        """Return the table of the card: what its player has done with and against each other one."""
        layout = TableLayout("Mates", [], MATES_ROW)
        shape = self.shape
        partners = [f"Partner {i} no." for i in range(1, shape.size)]
        opponents = [f"Opponent {i} no." for i in range(1, (shape.seats if shape.is_table else shape.size) + 1)]

        def total(labels: Sequence[str], of: str) -> str:
            if of:
                return "+".join(f"SUMIFS(Ledger[{of}],Ledger[Rated no.],{ME},Ledger[{one}],[No.])" for one in labels)
            return "+".join(f"COUNTIFS(Ledger[Rated no.],{ME},Ledger[{one}],[No.])" for one in labels)

        figures = []
        for word, labels in (("with", partners), ("against", opponents)):
            if labels:
                figures.append((f"Games {word}", total(labels, ""), "integer", "count"))
                if not shape.is_table:
                    figures.append((f"Score {word}", total(labels, "Score"), "number", "share"))
                figures.append((f"Points {word}", total(labels, "Rating change"), "change", "points"))
        number = Fill(PENDING, f"ROW()-ROW($A${MATES_ROW})", "count")
        name = layout.fill(f'IF(OR({ME}=0,[No.]={ME},INDEX(Players[Id],[No.])=0),"",INDEX(Players[Player],[No.]))')
        columns = [ColumnPlan("No.", number, "", "helper", 10), ColumnPlan("Name", name, "", "name", 24)]
        for label, formula, style, unit in figures:
            fill = layout.fill(f'IF([Name]="","",{formula})', unit)
            columns.append(ColumnPlan(label, fill, "", style, max(12, len(label) + 2)))
        return TablePlan("Mates", MATES_ROW, tuple(columns), self.book.inputs.rows("Players"))

    # Check

    @property
    def checks(self) -> Mapping[str, Figure]:
        def games(status: str) -> Figure:
            return f'COUNTIFS(Ledger[Game status],"{status}",Ledger[Seat],1)', "count"

        pairs = {}
        if self.shape.size > 1:
            last = f"Ledger[{pair_labels(self.shape)[1][-1]}]"
            pairs = {"pairs_held": (f"MAX(0,INDEX({last},ROWS({last}))-ROWS(Pairs[Place]))", "count")}
        strange = f'(Ledger[Game status]<>"")*(Ledger[Game status]<>"{RATED}")'
        total = "SUM(Players[Rating])-SUM(Players[Starts at])-SUM(Ledger[Rating change])"
        return {
            "not_rated": (f"SUMPRODUCT((Ledger[Seat]=1)*{strange})", "count"),
            "unknown_names": games(UNKNOWN),
            "self_play": games(TWICE),
            "too_few": games(TOO_FEW),
            "no_result": games(NO_RESULT if self.shape.draws else f"{NO_RESULT}*"),
            "beyond": ('COUNTIF(Games[Status],"beyond the Ledger")', "count"),
            "order_breaks": (f"SUMPRODUCT((Ledger[Seat]=1)*{BREAKS})", "count"),
            "twins": ('SUMPRODUCT((Players[Known as]<>"")*(Players[Id]=0))', "count"),
            "control_total": (f"ROUND({total},6)", "points"),
            **pairs,
        }


def typed_games(games: pd.DataFrame, shape: Shape, labels: Sequence[str], rows: int) -> Columns:
    """Return what the owner of games of sides would have typed; raises `UsageError` for games that do not fit."""
    columns: dict[str, list[CellValue]] = {label: [None] * rows for label in labels}
    days = list(sheet_days(games["date"]))
    rows_of: dict[int, list[dict[Any, Any]]] = {}
    for record, day in zip(games.to_dict("records"), days, strict=True):
        rows_of.setdefault(record["game"], []).append({**record, "day": day})
    for at, told in enumerate(rows_of.values()):
        sides = list(dict.fromkeys(row["side"] for row in told))
        sizes = [sum(row["side"] == side for row in told) for side in sides]
        where = f"({told[0]['source']}, row {told[0]['source_row']})"
        if len(sides) > shape.sides or max(sizes) > shape.size:
            size = "x".join(map(str, sizes))
            raise UsageError(
                f"expected games of at most {shape.sides} sides of {shape.size}, got one of {size} {where}"
            )
        if any(row["weight"] != 1 for row in told):
            raise UsageError(f"a book of sides has no weights of players {where}: take replay")
        columns["Date"][at] = told[0]["day"]
        columns["Event"][at] = told[0]["event"] or None
        taken = dict.fromkeys(sides, 0)
        best = max(row["place"] for row in told)
        for row in told:
            side = sides.index(row["side"])
            seat = side * shape.size + taken[row["side"]]
            taken[row["side"]] += 1
            columns[shape.seat_labels[seat]][at] = row["player"]
            points = row["points"] if row["points"] == row["points"] else None
            if shape.is_table:
                columns[shape.place_labels[seat]][at] = row["place"]
                columns[shape.points_labels[seat]][at] = points
            else:
                columns[shape.points_labels[side]][at] = float(best - row["place"]) if points is None else points
    return columns
