"""The league's cells: each structural formula beside the Python that gives its value.

Players and Games are what the owner types, the Ledger what the rule makes of it, one row a game. A name stands
for a number everywhere behind the inputs, and is compared with `=` only: a name such as `Abe*` or `>5` in the
criterion of a COUNTIF would count the wrong rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from elo_sheets.replay import replay
from elo_sheets.systems import System
from elo_sheets.workbook.journal import curve_games
from elo_sheets.workbook.layout import UNRATED, TableLayout, number_or, rule_formula, step_unit, text_of
from elo_sheets.workbook.plan import BLOCK, CellValue, Fill

if TYPE_CHECKING:
    import pandas as pd

GAME_INPUTS = ("Date", "White", "Black", "Result", "Event")
PLAYER_INPUTS = ("Player", "Start rating")
SCORES = {"1-0": 1.0, "1/2-1/2": 0.5, "0-1": 0.0}
RESULTS = {score: text for text, score in SCORES.items()}
SIDES = ("White", "Black")
CURVE_POINTS = 150

# Rows of Carry beyond the sheet Players, for rows that are inserted there.
SPARE_PLAYERS = 40
DUPLICATE_WINDOW = 50


@dataclass(frozen=True)
class LeagueInputs:
    """What the owner typed: the columns of Players and Games, and the names chosen for the chart."""

    players: Mapping[str, Sequence[CellValue]]
    games: Mapping[str, Sequence[CellValue]]
    chosen: Sequence[CellValue]

    @property
    def player_rows(self) -> int:
        """Number of rows of Players."""
        return len(self.players["Player"])

    @property
    def game_rows(self) -> int:
        """Number of rows of Games."""
        return len(self.games["White"])


def inputs_from_games(
    games: pd.DataFrame, names: Sequence[str], chosen: Sequence[str], player_rows: int, rows: int
) -> LeagueInputs:
    """Return what the owner of a games table would have typed, with empty rows up to the row counts."""
    from elo_sheets.periods import serial_days

    event = games.get("event", games.get("pool"))
    dates: list[CellValue] = [day or None for day in serial_days(games["date"]).tolist()]
    columns: dict[str, list[CellValue]] = {
        "Date": dates,
        "White": list(games["white"]),
        "Black": list(games["black"]),
        "Result": list(games["score"].map(RESULTS)),
        "Event": [None] * len(games) if event is None else [text or None for text in event.tolist()],
    }
    spare: list[CellValue] = [None] * (rows - len(games))
    empty: list[CellValue] = [None] * (player_rows - len(names))
    return LeagueInputs(
        {"Player": [*names, *empty], "Start rating": [None] * player_rows},
        {label: values + spare for label, values in columns.items()},
        list(chosen),
    )


@dataclass(frozen=True)
class _Game:
    """One row of the Ledger as the sheet reads it from Games."""

    date: float
    white: str
    black: str
    result: str
    white_number: int
    black_number: int
    status: str
    score: CellValue


class LeagueCells:
    """Every fill and figure of a league, from its inputs."""

    def __init__(
        self,
        system: System,
        settings: Mapping[str, Any],
        cells: Mapping[str, str],
        inputs: LeagueInputs,
        ledger_rows: int,
        ledger_labels: Sequence[str],
        header_row: int,
        carry_rows: int = 0,
    ) -> None:
        self.system, self.settings, self.setting_cells = system, settings, cells
        self.inputs = inputs
        self.ledger_rows = ledger_rows
        self.carry_rows = carry_rows
        self.header_row = header_row
        self.layout = TableLayout("Ledger", ledger_labels, header_row)
        self.names = [text_of(name) for name in inputs.players["Player"]]
        self.ids = self._ids()
        self.games = self._read_games()
        self.starts = self._starts()
        self.rule, self.final = self._rule_values()

    # What the rows say

    def _ids(self) -> list[int]:
        """Return each row's number, 0 for an empty row and for a name that stands further up already."""
        seen: set[str] = set()
        ids = []
        for number, name in enumerate(self.names, 1):
            key = name.lower()
            ids.append(number if name and key not in seen else 0)
            seen.add(key)
        return ids

    def _read_games(self) -> list[_Game]:
        numbers = {name.lower(): i for name, i in zip(self.names, self.ids, strict=True) if i}
        games = []
        for i in range(self.ledger_rows):
            cell = {
                label: values[i] if i < self.inputs.game_rows else None for label, values in self.inputs.games.items()
            }
            white, black, result = (text_of(cell[label]) for label in ("White", "Black", "Result"))
            white_number = numbers.get(white.lower(), 0)
            black_number = numbers.get(black.lower(), 0)
            score = SCORES.get(result)
            if white == "" and black == "" and result == "":
                status = ""
            elif not white_number or not black_number:
                status = "unknown player"
            elif white_number == black_number:
                status = "same player twice"
            else:
                status = "no result" if score is None else "rated"
            shown: CellValue = score if status == "rated" else ""
            date = float(number_or(cell["Date"], 0.0) or 0)
            games.append(_Game(date, white, black, result, white_number, black_number, status, shown))
        return games

    def _starts(self) -> list[CellValue]:
        initial = float(self.settings["initial"])
        typed = [number_or(value, initial) for value in self.inputs.players["Start rating"]]
        return [start if name else "" for start, name in zip(typed, self.names, strict=True)]

    def rated_games(self) -> pd.DataFrame:
        """Return the games table of the rated rows; players are named by their number."""
        import pandas as pd

        rated = [(i, game) for i, game in enumerate(self.games, 1) if game.score != ""]
        days = pd.Series([game.date for _, game in rated], dtype="float64")
        return pd.DataFrame(
            {
                "game": [i for i, _ in rated],
                "date": pd.to_datetime(days.where(days > 0), unit="D", origin="1899-12-30"),
                "white": [str(game.white_number) for _, game in rated],
                "black": [str(game.black_number) for _, game in rated],
                "score": [game.score for _, game in rated],
                "source": "Games",
                "source_row": [i for i, _ in rated],
            }
        ).astype({"game": "int64", "source_row": "int64", "score": "float64"})

    def _rule_values(self) -> tuple[dict[str, list[CellValue]], dict[int, float]]:
        """Return a list for each side's rule column ("White expected"), and every player's final rating."""
        games = self.rated_games()
        playing = {
            number for game in self.games if game.score != "" for number in (game.white_number, game.black_number)
        }
        start = {
            str(i): {"rating": float(value)}
            for i, value in zip(self.ids, self.starts, strict=True)
            if i in playing and value is not None and value != ""
        }
        done = replay(games, self.system, self.settings, start=start)
        final = {i: float(self.starts[i - 1] or 0) for i in self.ids if i}
        final |= {
            int(name): rating for name, rating in zip(done.ratings["player"], done.ratings["rating"], strict=True)
        }
        columns: dict[str, list[CellValue]] = {}
        names = ["rating", *(line.name for line in self.system.lines)]
        for offset, side in enumerate(SIDES):
            mine = done.history.iloc[offset::2]
            for name in names:
                values: list[CellValue] = [""] * self.ledger_rows
                for game, value in zip(mine["game"].tolist(), mine[name].tolist(), strict=True):
                    values[game - 1] = value
                columns[self._side_label(side, name)] = values
        return columns, final

    def _side_label(self, side: str, name: str) -> str:
        return league_label(self.system, side, name)

    # The Ledger

    @cached_property
    def ledger(self) -> dict[str, Fill]:
        """Return the fill of every role of the Ledger."""
        games = self.games
        latest: list[CellValue] = []
        breaks: list[CellValue] = []
        duplicates: list[CellValue] = []
        so_far = _running_count(games)
        for i, game in enumerate(games):
            before = float(latest[-1] or 0) if latest else 0.0
            latest.append(max(before, game.date))
            breaks.append(1.0 if 0 < game.date < before else 0.0)
            duplicates.append(float(self._is_duplicate(i)))
        fills = {
            "ledger_game": Fill([float(i) for i in range(1, self.ledger_rows + 1)], unit="count"),
            "ledger_date": self._fill(self._from_games("Date", "0", "N({})"), [g.date for g in games], "date"),
            "ledger_white": self._fill(self._from_games("White"), [g.white for g in games]),
            "ledger_black": self._fill(self._from_games("Black"), [g.black for g in games]),
            "ledger_result": self._fill(self._from_games("Result"), [g.result for g in games]),
            "white_number": self._fill(self._number("White"), [float(g.white_number) for g in games], "count"),
            "black_number": self._fill(self._number("Black"), [float(g.black_number) for g in games], "count"),
            "ledger_status": self._fill(self._status(), [g.status for g in games]),
            "score": self._fill(
                'IF([Status]<>"rated","",IF([Result]="1-0",1,IF([Result]="1/2-1/2",0.5,0)))',
                [g.score for g in games],
                "share",
            ),
            "games_so_far": self._fill('N(up[Games so far])+IF([Score]="",0,1)', so_far, "count"),
            "latest_date": self._fill("MAX(N(up[Latest date]),[Date])", latest, "date"),
            "order_break": self._fill("IF(AND([Date]>0,[Date]<N(up[Latest date])),1,0)", breaks, "count"),
            "duplicate": self._fill(
                'IF(OR([Score]="",[Date]=0),0,IF(COUNTIFS(before50[Date],[Date],before50[White no.],[White no.],'
                "before50[Black no.],[Black no.],before50[Score],[Score])>0,1,0))",
                duplicates,
                "count",
            ),
        }
        for side in SIDES:
            references = self._references(side)
            number, lower = f"[{side} no.]", side.lower()
            start = f"INDEX(Players[Starts at],{number})"
            above, block = (
                "+".join(f"SUMIFS({part}[{s} change],{part}[{s} no.],{number})" for s in SIDES)
                for part in ("above", "block")
            )
            carried = f"INDEX(Carry[Through {{through}}],{number})"
            fills[f"ledger_{lower}_rating"] = Fill(
                self.rule[f"{side} rating"],
                self.layout.formula(f'IF({UNRATED},"",{start}+{carried}+{block})'),
                "points",
                self.layout.formula(f'IF({UNRATED},"",{start}+{above})'),
            )
            for line in self.system.lines:
                label = self._side_label(side, line.name)
                formula = f'IF({UNRATED},"",{rule_formula(line, references)})'
                fills[f"{lower}_step:{line.name}"] = self._fill(formula, self.rule[label], step_unit(line.name))
        return fills

    def carry(self) -> dict[str, Fill]:
        """Return the fills of the table Carry by label: every player's changes up to the end of each block.

        A block's own rows begin one game before it does, so that no row of the Ledger sums up an empty range.
        """
        rows = self.carry_rows or self.inputs.player_rows + SPARE_PLAYERS
        totals = [0.0] * rows
        fills = {"No.": Fill([float(i) for i in range(1, rows + 1)], unit="count")}
        first, before = 1, ""
        for last in range(BLOCK - 1, self.ledger_rows - 1, BLOCK):
            for game in range(first - 1, last):
                played = self.games[game]
                if played.score != "":
                    for side, number in zip(SIDES, (played.white_number, played.black_number), strict=True):
                        if number > rows:
                            continue
                        totals[number - 1] += float(self.rule[self._side_label(side, "change")][game] or 0)
            sums = "+".join(
                f"SUMIFS({self._ledger_part(f'{s} change', first, last)},"
                f"{self._ledger_part(f'{s} no.', first, last)},Carry[[#This Row],[No.]])"
                for s in SIDES
            )
            label = f"Through {last}"
            fills[label] = Fill(list(totals), before + sums, "points")
            first, before = last + 1, f"Carry[[#This Row],[{label}]]+"
        return fills

    def _ledger_part(self, label: str, first: int, last: int) -> str:
        letter = self.layout.letter(label)
        return f"Ledger!${letter}${self.header_row + first}:${letter}${self.header_row + last}"

    def _is_duplicate(self, i: int) -> bool:
        game = self.games[i]
        if game.score == "" or game.date == 0:
            return False
        key = (game.date, game.white_number, game.black_number, game.score)
        return any(
            (other.date, other.white_number, other.black_number, other.score) == key
            for other in self.games[max(0, i - DUPLICATE_WINDOW) : i]
        )

    def _fill(self, notation: str, values: Sequence[CellValue], unit: str = "text") -> Fill:
        return Fill(values, self.layout.formula(notation), unit)

    def _from_games(self, label: str, missing: str = '""', reading: str = '{}&""') -> str:
        cell = f"INDEX(Games[{label}],[Game])"
        return f"IF([Game]>ROWS(Games[{label}]),{missing},{reading.format(cell)})"

    def _number(self, side: str) -> str:
        return f'IF([{side}]="",0,SUMPRODUCT((Players[Player]=[{side}])*Players[Id]))'

    def _status(self) -> str:
        results = 'OR([Result]="1-0",[Result]="1/2-1/2",[Result]="0-1")'
        return (
            'IF(AND([White]="",[Black]="",[Result]=""),"",IF(OR([White no.]=0,[Black no.]=0),"unknown player",'
            f'IF([White no.]=[Black no.],"same player twice",IF({results},"rated","no result"))))'
        )

    def _references(self, side: str) -> dict[str, str]:
        other = SIDES[1 - SIDES.index(side)]
        steps = [line.name for line in self.system.lines]
        own = {name: f"[{self._side_label(side, name)}]" for name in ("rating", *steps)}
        own |= {p.name: self.setting_cells[p.name] for p in self.system.parameters if p.name != "period"}
        own |= {"opponent_rating": f"[{other} rating]", "date": "[Date]"}
        own |= {"side": "1" if side == "White" else "(-1)", "neutral": "0"}
        own["score"] = "[Score]" if side == "White" else "(1-[Score])"
        return own | {f"period_{name}": own[name] for name in self.system.sums} | {"period_games": "1"}

    # Games and Players

    def game_columns(self) -> dict[str, Fill]:
        """Return the fill of every role of the sheet Games."""
        count = self.inputs.game_rows
        typed = [text_of(name) for name in self.inputs.games["White"]]
        status: list[CellValue] = [
            self.games[i].status if i < self.ledger_rows else ("beyond the Ledger" if typed[i] else "")
            for i in range(count)
        ]
        layout = TableLayout("Games", ["Game", *GAME_INPUTS, "Status"], self.header_row)
        fills = {
            "number": Fill([float(i) for i in range(1, count + 1)], f"ROW()-ROW($A${self.header_row})", "count"),
            "status": Fill(
                status,
                layout.formula(
                    'IF([Game]>ROWS(Ledger[Game]),IF([White]="","","beyond the Ledger"),INDEX(Ledger[Status],[Game]))'
                ),
            ),
        }
        for label in GAME_INPUTS:
            fills[label.lower()] = Fill(self.inputs.games[label])
        for side in SIDES:
            for name in ("rating", "expected", "change", "rating_after"):
                label = self._side_label(side, name)
                values = [self.rule[label][i] if s == "rated" else "" for i, s in enumerate(status)]
                formula = layout.formula(f'IF({UNRATED},"",INDEX(Ledger[{label}],[Game]))')
                fills[f"{side.lower()}_{name}"] = Fill(values, formula, step_unit(name))
        return fills

    @cached_property
    def player_columns(self) -> dict[str, Fill]:
        """Return the fill of every role of the sheet Players."""
        layout = TableLayout("Players", ["No.", *PLAYER_INPUTS, "Starts at", "Rating", "Games", "Id", "Sort key"], 1)
        counts = {score: self._results(score) for score in (1.0, 0.5, 0.0)}
        played = [sum(parts) for parts in zip(*counts.values(), strict=True)]
        rating: list[CellValue] = [
            self.final[i] if i else ("" if not name else self.starts[row])
            for row, (i, name) in enumerate(zip(self.ids, self.names, strict=True))
        ]
        keys = self._sort_keys(rating, played)
        named = [bool(name) for name in self.names]

        def shown(formula: str, values: Sequence[float], unit: str = "count") -> Fill:
            cells: list[CellValue] = [value if ok else "" for value, ok in zip(values, named, strict=True)]
            return Fill(cells, layout.formula(f'IF([Player]="","",{formula})'), unit)

        changes = "+".join(f"SUMIFS(Ledger[{s} change],Ledger[{s} no.],[Id])" for s in SIDES)
        initial = self.setting_cells["initial"]

        def results(white: str, black: str) -> str:
            return (
                f"COUNTIFS(Ledger[White no.],[Id],Ledger[Score],{white})"
                f"+COUNTIFS(Ledger[Black no.],[Id],Ledger[Score],{black})"
            )

        return {
            "player_number": Fill(
                [float(i) for i in range(1, len(self.names) + 1)], f"ROW()-ROW($A${self.header_row})", "count"
            ),
            "player": Fill(self.inputs.players["Player"]),
            "start_rating": Fill(self.inputs.players["Start rating"]),
            "starts_at": Fill(
                self.starts,
                layout.formula(f'IF([Player]="","",IF(ISNUMBER([Start rating]),[Start rating],{initial}))'),
                "points",
            ),
            "player_rating": Fill(rating, layout.formula(f'IF([Player]="","",[Starts at]+{changes})'), "points"),
            "player_games": shown(
                'COUNTIFS(Ledger[White no.],[Id],Ledger[Status],"rated")'
                '+COUNTIFS(Ledger[Black no.],[Id],Ledger[Status],"rated")',
                played,
            ),
            "player_wins": shown(results("1", "0"), counts[1.0]),
            "player_draws": shown(results("0.5", "0.5"), counts[0.5]),
            "player_losses": shown(results("0", "1"), counts[0.0]),
            "player_rank": Fill(
                _ranks(keys),
                layout.formula('IF([Sort key]="","",RANK([Sort key],Players[Sort key]))'),
                "count",
            ),
            "player_id": Fill(
                [float(i) for i in self.ids],
                layout.formula(
                    'IF([Player]="",0,IF(SUMPRODUCT((Players[Player]=[Player])*(Players[No.]<[No.]))>0,0,[No.]))'
                ),
                "count",
            ),
            "player_key": Fill(
                keys,
                layout.formula('IF([Id]=0,"",ROUND([Rating],3)-[No.]/10000000-IF([Games]=0,100000,0))'),
                "count",
            ),
        }

    def _results(self, score: float) -> list[float]:
        tally = dict.fromkeys(range(len(self.names) + 1), 0.0)
        for game in self.games:
            if game.score != "":
                tally[game.white_number] += float(game.score or 0) == score
                tally[game.black_number] += 1 - float(game.score or 0) == score
        return [tally[i] if i else 0.0 for i in self.ids]

    def _sort_keys(self, rating: Sequence[CellValue], played: Sequence[float]) -> list[CellValue]:
        from elo_sheets.ops import round_half_away

        return [
            round_half_away(float(r or 0), 3) - row / 10000000 - (0 if games else 100000) if i else ""
            for row, (i, r, games) in enumerate(zip(self.ids, rating, played, strict=True), 1)
        ]

    # Standings, Chart, Check

    def standings(self, places: int) -> list[list[tuple[str, CellValue, str]]]:
        """Return formula, value and unit of each cell of the Standings, a list a row: place, then the columns."""
        fills = self.player_columns
        columns = ("player", "player_rating", "player_games", "player_wins", "player_draws", "player_losses")
        labels = ("Player", "Rating", "Games", "Wins", "Draws", "Losses")
        ranked = {rank: row for row, rank in enumerate(fills["player_rank"].values) if rank != ""}
        rows = []
        for place in range(1, places + 1):
            at = ranked.get(float(place))
            found = f"MATCH({place},Players[Rank],0)"
            cells: list[tuple[str, CellValue, str]] = [
                (f'IF({place}>COUNT(Players[Rank]),"",{place})', "" if at is None else float(place), "count")
            ]
            for role, label in zip(columns, labels, strict=True):
                fill = fills[role]
                formula = f'IF({place}>COUNT(Players[Rank]),"",INDEX(Players[{label}],{found}))'
                cells.append((formula, "" if at is None else fill.values[at], fill.unit))
            rows.append(cells)
        return rows

    def chosen(self, name_cells: Sequence[str]) -> list[tuple[str, CellValue]]:
        """Return formula and value of the number of each chosen player, 0 for none."""
        return [
            (
                f'IF({cell}="",0,SUMPRODUCT((Players[Player]={cell})*Players[Id]))',
                float(self._chosen_id(name)),
            )
            for cell, name in zip(name_cells, self.inputs.chosen, strict=True)
        ]

    def curves(self, id_cells: Sequence[str]) -> dict[str, Fill]:
        """Return the fills of the table that the chart draws; `id_cells` hold the chosen players' numbers.

        A place without a player repeats the first line, so that the chart never shows an error or a zero.
        """
        count = sum(game.score != "" for game in self.games)
        at = curve_games(count, CURVE_POINTS)
        labels = ["Point", "Game", *(f"Player {i}" for i in range(1, len(id_cells) + 1))]
        layout = TableLayout("Curves", labels, self.header_row)
        spread = f"ROUND(1+([Point]-1)*(COUNT(Ledger[Score])-1)/{CURVE_POINTS - 1},0)"
        fills = {
            "point": Fill([float(i) for i in range(1, CURVE_POINTS + 1)], unit="count"),
            "game": Fill([float(g) for g in at], layout.formula(f"IF(COUNT(Ledger[Score])=0,0,{spread})"), "count"),
        }
        first: list[CellValue] = [float(self.settings["initial"])] * len(at)
        for i, (name, cell) in enumerate(zip(self.inputs.chosen, id_cells, strict=True), 1):
            number = self._chosen_id(name)
            values = self._curve(number, at) if number else first
            first = values if i == 1 else first
            changes = "+".join(
                f'SUMIFS(Ledger[{s} change],Ledger[{s} no.],{cell},Ledger[Games so far],"<="&[Game])' for s in SIDES
            )
            otherwise = self.setting_cells["initial"] if i == 1 else "[Player 1]"
            formula = f"IF({cell}=0,{otherwise},INDEX(Players[Starts at],{cell})+{changes})"
            fills[f"player_{i}"] = Fill(values, layout.formula(formula), "points")
        return fills

    def _chosen_id(self, name: CellValue) -> int:
        key = text_of(name).lower()
        return next((i for known, i in zip(self.names, self.ids, strict=True) if i and known.lower() == key), 0)

    def _curve(self, number: int, at: Sequence[int]) -> list[CellValue]:
        rating = float(self.starts[number - 1] or 0)
        after: list[CellValue] = [rating]
        for row, game in enumerate(self.games):
            if game.score == "":
                continue
            for side, own in zip(SIDES, (game.white_number, game.black_number), strict=True):
                if own == number:
                    rating = float(self.rule[self._side_label(side, "rating_after")][row] or 0)
            after.append(rating)
        return [after[g] for g in at]

    @cached_property
    def checks(self) -> dict[str, tuple[str, CellValue, str]]:
        """Return formula, value and unit of each line of the Check sheet; every one should be zero."""
        statuses = [game.status for game in self.games]
        beyond = [
            i
            for i in range(self.ledger_rows, self.inputs.game_rows)
            if any(text_of(self.inputs.games[label][i]) for label in ("White", "Black", "Result"))
        ]
        ledger = self.ledger
        change = sum(float(v or 0) for side in SIDES for v in self.rule[self._side_label(side, "change")] if v != "")
        control = sum(self.final[i] - float(self.starts[i - 1] or 0) for i in self.ids if i) - change
        changes = "+".join(f"SUM(Ledger[{s} change])" for s in SIDES)

        def count(status: str) -> tuple[str, CellValue, str]:
            return f'COUNTIF(Ledger[Status],"{status}")', float(statuses.count(status)), "count"

        typed = sum(status != "" for status in statuses)
        listed = '((Games[White]<>"")+(Games[Black]<>"")+(Games[Result]<>"")>0)'
        twins = sum(bool(name) for name in self.names) - sum(i > 0 for i in self.ids)
        return {
            "not_rated": (
                'SUMPRODUCT(1*(Ledger[Status]<>""))-COUNT(Ledger[Score])',
                float(typed - statuses.count("rated")),
                "count",
            ),
            "unknown_names": count("unknown player"),
            "self_play": count("same player twice"),
            "no_result": count("no result"),
            "beyond": (
                f"SUMPRODUCT(1*{listed}*(Games[Game]>ROWS(Ledger[Game])))",
                float(len(beyond)),
                "count",
            ),
            "duplicates": ("SUM(Ledger[Duplicate])", _sum(ledger["duplicate"].values), "count"),
            "order_breaks": ("SUM(Ledger[Order break])", _sum(ledger["order_break"].values), "count"),
            "twins": (
                'SUMPRODUCT(1*(Players[Player]<>""))-SUMPRODUCT(1*(Players[Id]>0))',
                float(twins),
                "count",
            ),
            "sum_of_changes": (f"ROUND({changes},6)", round(change, 6) + 0.0, "points"),
            "control_total": (
                f'ROUND(SUMIFS(Players[Rating],Players[Id],">0")-SUMIFS(Players[Starts at],Players[Id],">0")'
                f"-({changes}),6)",
                round(control, 6) + 0.0,
                "points",
            ),
        }


def league_label(system: System, side: str, name: str) -> str:
    """Return the header of one side's state or step: `White expected`, `Black after`."""
    label = "after" if name == "rating_after" else system.label(name)
    return f"{side} {label if label[:2].isupper() or len(label) == 1 else label[0].lower() + label[1:]}"


def _ranks(keys: Sequence[CellValue]) -> list[CellValue]:
    ordered = sorted((float(key or 0) for key in keys if key != ""), reverse=True)
    place = {key: float(i) for i, key in reversed(list(enumerate(ordered, 1)))}
    return ["" if key == "" else place[float(key or 0)] for key in keys]


def _running_count(games: Sequence[_Game]) -> list[CellValue]:
    return [float(count) for count in accumulate(game.score != "" for game in games)]


def _sum(values: Sequence[CellValue]) -> float:
    return float(sum(float(value or 0) for value in values))
