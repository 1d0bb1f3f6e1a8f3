"""Logs of doubles, teams and tables of many: which column is which, and the games that the rows hold.

These layouts are known, in any delimited text, sheet, record or page that makes a table of rows:

- a column for each player of each side: `Team A player 1`, `Team A player 2`, `A1`, `Winner 2`, `Red attack`; or
  `Player 1` to `Player 4` with two scores or one result, of which the first half is one side;
- two columns of sides whose cells name several players: `Anna / Ben`, `Anna & Ben`, `Anna + Ben`, and `Anna, Ben` where
  somebody stands first in one cell and second in another, as no family name does;
- a column for each place: `1st`, `2nd`, `3rd` (or `Place 1`, `Rank 1`, `Winner`, `Second`), a cell naming one player, a
  team, or players who tie, as `Anna = Ben`, or any two names with the next place left empty;
- several players, each for himself, and the winner: `Player 1, Player 2, Player 3, Winner`, or `Winner, Others`;
- a player, and a place or points, for each seat at a table: `Player 1, Points 1, Player 2, Points 2, Player 3, …`, or
  under seats of any name, of which those of the compass may be two pairs (`_seats.py`);
- a day or a game, and a column of points or places for each player, named in the header (`_across.py`); where it is
  open which of the two, `--map place=` or `points=` one of the players says it; a row for each player and a column
  for each evening with the places, or lists of places below each other (`_rankings.py`);
- a row for each player of a doubles, with a partner and opponents (`_rankings.py`);
- the long form, a row for each player: a game's number or name, the player, and a place or points, with a side (or
  team) and a weight where there are teams and partial play.

Points are those of a side: `Score A` and `Score B`, `Team A goals`, a result such as 10-7, or the sets won in one such
as 6-4 3-6 7-5. `is_sided` tells whether a table is one of these; the readers of plain games raise `GamesOfSidesError`
for it, so that no verb takes a team for a player unasked. With `--map a1=…`, `a2=…`, `b1=…`, `a_points=…`, `1st=…`, or
`player=`, `game=`, `side=`, `place=`, `points=` a column is named that the headers do not tell.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence, Set
from itertools import pairwise
from typing import Any

from elo_sheets.errors import UnreadableInput, UsageError
from elo_sheets.games import Problem, clean_name, identity
from elo_sheets.readers._across import is_absent, is_of_totals, number_in, open_places
from elo_sheets.readers._dates import order_of_column, read_date, remembered_order
from elo_sheets.readers._layout import Row, Table, asked_of, listed
from elo_sheets.readers._registry import How
from elo_sheets.readers._results import UNFINISHED, WIN_DRAW_LOSS, outcome
from elo_sheets.readers._rows import BLANK_TEXT, PLAYED, TOTAL_LINE
from elo_sheets.readers._sides import (
    BRACKETS,
    COMMA,
    GENERAL,
    LONG,
    MAPPED,
    ORDINALS,
    SIDES,
    Columns,
    Several,
    found_sides,
    names_in,
    players_in,
)
from elo_sheets.readers._text import YES_NO, Reading, missing_player
from elo_sheets.readers._words import plain
from elo_sheets.team_games import LEAST_WEIGHT, GamesOfSidesError, TeamGamesRead, fault_of, make_team_games

_RESULT = re.compile(r"\s*(\d{1,3}(?:[.,]\d+)?)\s*[-–—−:]\s*(\d{1,3}(?:[.,]\d+)?)\s*")
_SET = r"\d{1,2}\s*[-–—−:]\s*\d{1,2}(?:\s*\(\s*\d{1,2}(?:\s*[-–—−:]\s*\d{1,2})?\s*\))?"
# Who began a race and did not end it: the others' places count without him.
OUT = frozenset("dnf dns dnc dq dsq dnq ret abd nr wd".split())
NO_SIDE = "expected the side that won, such as A, or its players"
NO_PLACE = "no place in this game, which counts for the others"
IN_BRACKETS = re.compile(r"\(|[^(]*\)$")  # (teams, did not keep score), perhaps cut at a comma
_SETS = re.compile(rf"\s*{_SET}(?:\s*[,;/|]\s*{_SET}|\s+{_SET})+\s*")


def refuse(table: Table) -> GamesOfSidesError:
    """Return the error for a table of games of sides where plain games are read."""
    return GamesOfSidesError(
        f"expected games of two players, got games of teams or of many players ({table.name}): the templates "
        "league-2x2, league-3x3, league-4x4 and table hold them; to rate each team as one player, name the columns, as "
        "in --map white='Team A' --map black='Team B'",
        [table],
    )


def sets_won(score: str) -> tuple[float, float] | None:
    """Return the sets that each side won by a score such as 6-4 3-6 7-6(5), None for another text.

    >>> sets_won("6-4 3-6 10-8"), sets_won("10-7")
    ((2.0, 1.0), None)
    """
    if _SETS.fullmatch(score) is None:
        return None
    sets = [_RESULT.fullmatch(one) for one in re.findall(r"\d+\s*[-–—−:]\s*\d+", re.sub(r"\([^)]*\)", "", score))]
    gaps = [int(one[1]) - int(one[2]) for one in sets if one is not None]
    return float(sum(gap > 0 for gap in gaps)), float(sum(gap < 0 for gap in gaps))


def place_in(text: str) -> float:
    """Return the place that a text tells, such as 2, 2nd, or second place; raises `ValueError` for another one.

    >>> place_in("2nd place"), place_in("1."), place_in("T2"), place_in("3="), place_in("Third")
    (2.0, 1.0, 2.0, 3.0, 3.0)
    """
    word = plain(text).removesuffix("place")
    told = re.fullmatch(r"t?(\d{1,2})(?:st|nd|rd|th|ers?|re|e|eme|o|a|platz)?", word)
    return float(told[1] if told else ORDINALS[word] if word in ORDINALS else text.replace(",", "."))


def _score_in(text: str) -> float | None:
    """Return the score that a word or a letter tells, None for a number and what is neither."""
    if any(map(str.isdigit, text)):
        return None
    score = WIN_DRAW_LOSS.get(text.casefold(), outcome(text).score)
    return float(YES_NO[text.casefold()]) if score is None and text.casefold() in YES_NO else score


def of_pairs(reading: Reading, source: str) -> Reading:
    """Return a reading; raises `GamesOfSidesError` for one of which nearly all players are pairs, as in Ann / Bob."""
    records = reading.records
    names = [record[side] for record in records for side in ("white", "black")]
    if not names or sum(len(names_in(name)) > 1 and "/" in name for name in names) < 0.8 * len(names):
        return reading
    header = ["date", "team a", "team b", "result"]
    rows = [Row(0, header)]
    for record in records:
        points = (record.get("white_points"), record.get("black_points"))
        told = {1: "1-0", 0.5: "½-½", 0: "0-1"}[record["score"]]
        result = told if None in points else f"{points[0]:g}-{points[1]:g}"
        day = record.get("date")
        cells = [f"{day:%Y-%m-%d}" if day is not None else "", record["white"], record["black"], result]
        rows.append(Row(record["source_row"], cells))
    rows += [Row(one.row, [one.value], one.reason) for one in reading.problems]
    raise refuse(Table(source, rows, notes=reading.notes))


# --- the rows


def _refuse_other_sides(problems: Sequence[Problem], kept: int) -> None:
    """Raise `UnreadableInput` for a table most of whose winners belong to no side: its columns are paired otherwise."""
    strange = [problem for problem in problems if problem.reason == NO_SIDE]
    if len(strange) > max(1, kept):
        first = strange[0]
        raise UnreadableInput(
            f"expected winners who play on one side, got {first.value!r} ({first.source}, row {first.row}) and "
            f"{len(strange) - 1} more who do not; name the columns of each side, as in --map a1=HEADER --map a2=HEADER "
            "--map b1=HEADER --map b2=HEADER"
        )


def read_sided(tables: Sequence[Table], how: How, unplayed: bool = False) -> TeamGamesRead:
    """Return the games of tables of games of sides, with a problem for each row kept out, and remarks.

    With `unplayed` they are the games without a result, in which all sides share the first place.

    Raises `UnreadableInput` for a table that is none.
    """
    records: list[dict[str, Any]] = []
    problems: list[Problem] = []
    notes: list[str] = []
    placed = False
    for number, table in enumerate(tables):
        found = found_sides(table.rows, how.columns)
        if found is None:
            raise UnreadableInput(
                f"expected games of teams or of many, as the first log has them, got the headers "
                f"{listed(table.rows[0].cells) if table.rows else 'of an empty file'} ({table.name})"
            )
        _check_roles(asked_of(table.rows, how.columns), found[1])
        prefix = f"{table.name}: " if len(tables) > 1 else ""
        notes += [prefix + note for note in table.notes]
        at, columns = found
        rows = table.rows[at + 1 :]
        days = _days(rows, columns, how, table, notes, prefix)
        if isinstance(columns, Several):
            notes.append(
                prefix + "each name was read as several players of one side, as in Anna / Ben; "
                "--map white=HEADER --map black=HEADER takes it for one"
            )
        if columns.halves:
            one, other = (listed([table.rows[at].cells[i] for i in columns.players[side]]) for side in (1, 2))
            notes.append(
                f"{prefix}{one} were read as one side, {other} as the other; --map a1=HEADER and so on says else"
            )
        if columns.one_wins:
            notes.append(f"{prefix}only the winner of each game is told: the others share the second place")
        if columns.across is not None:
            if columns.across.are_places is None and not how.lowest_wins:
                raise UnreadableInput(open_places(columns.across).format(name=table.name))
            one = shlex.quote(next(iter(columns.across.players)))
            most = "the fewest first" if how.lowest_wins else "the most first (--lowest-wins turns it round)"
            what = f"points, {most}, where --map place={one} reads places"
            what = "places" if columns.across.are_places else what
            notes.append(f"{prefix}each column was read as a player's {what}: {listed(list(columns.across.players))}")
        if "date" not in columns.rest:
            notes.append(prefix + "no column of dates: the games are in the order of the log")
        reading = _Rows(columns, table, days, how, unplayed)
        for key, game in reading.games(rows):
            ranked = _ranked(game, how.lowest_wins)
            placed = placed or (how.lowest_wins and any("place" in row for row in game))
            reason = fault_of(ranked) if game else ""
            game = ranked if how.lowest_wins else game
            if not reason:
                records += [{**row, "game": (number, key)} for row in game]
            else:
                reading.problems.append(Problem(table.name, game[0]["source_row"], "", "", reason))
        _refuse_other_sides(reading.problems, len({row["game"] for row in records if row["game"][0] == number}))
        problems += sorted(reading.problems, key=lambda problem: problem.row)
        if reading.teamed:
            notes.append(
                f"{prefix}who won together, and who lost, was read as a side in {_games(reading.teamed)}; a column "
                "Side says otherwise"
            )
        if reading.out:
            said = ", ".join(sorted(set(reading.out)))
            notes.append(
                f"{prefix}players without a place ({said}) were left out of {_games(len(reading.out))}, "
                "which count for the others"
            )
    if placed:
        notes.append("--lowest-wins says nothing of games whose places or winners are told")
    return TeamGamesRead(make_team_games(records), problems, notes)


def _games(count: int) -> str:
    return "1 game" if count == 1 else f"{count} games"


def _check_roles(mapped: Mapping[str, str], columns: Columns) -> None:
    """Raise `UsageError` for a column that `--map` names and games of sides do not have."""
    for role in mapped:
        if MAPPED.fullmatch(role) is None and role not in LONG and role not in GENERAL:
            raise UsageError(
                f"expected a column of games of teams or of many to map, got {role!r}: there are a1, a2, b1, … for the "
                f"players of a side, a_points, 1st, 2nd, …, {', '.join((*LONG, *sorted(GENERAL)))}"
            )


def _ranked(game: Sequence[dict[str, Any]], lowest_wins: bool) -> list[dict[str, Any]]:
    """Return the rows with the places that their points say, where none are told."""
    missing = float("nan")
    rows = [{"place": missing, "points": missing, "weight": 1.0, **row} for row in game]
    if any(row["place"] == row["place"] for row in rows):
        return rows
    return [{**row, "place": row["points"] if lowest_wins else -row["points"]} for row in rows]


def _days(
    rows: Sequence[Row], columns: Columns, how: How, table: Table, notes: list[str], prefix: str
) -> dict[str, Any]:
    """Return the day of each text in the column of dates; what is none is an error in its place."""
    at = columns.rest.get("date")
    if at is None:
        return {}
    texts: dict[str, int] = {}
    for row in rows:
        if at < len(row.cells):
            texts.setdefault(row.cells[at].strip(), row.line)
    turned = {} if table.day is None else table.day(list(texts))
    spelt = {text: turned.get(text, text) for text in texts}
    asked = {spelt[text]: line for text, line in texts.items()}
    order = order_of_column("date", asked, table.name, how.dates)
    notes += [prefix + said] if (said := remembered_order(asked, how.dates)) else []
    found: dict[str, Any] = {}
    for text, day in spelt.items():
        try:
            found[text] = read_date(day, order) if day else None
        except ValueError as error:
            found[text] = error
    return found


def _untied(game: Sequence[dict[str, Any]], marked: Set[str], lowest_wins: bool) -> list[dict[str, Any]]:
    """Return a game by points with its places, of equal ones those with a star in front: it wins the tie."""
    sign = 1 if lowest_wins else -1
    keys = [(sign * row["points"], row["player"] not in marked) for row in game]
    return [{**row, "place": float(1 + sum(key < own for key in keys))} for row, own in zip(game, keys, strict=True)]


class PlayedError(Exception):
    """A row tells of a game that is over, where those to come are asked for."""


class _Rows:
    """Reads the rows of one table: the games, and the problems of rows that are none."""

    def __init__(self, columns: Columns, table: Table, days: Mapping[str, Any], how: How, unplayed: bool) -> None:
        self.columns, self.table, self.days, self.how = columns, table, days, how
        self.unplayed = unplayed
        self.problems: list[Problem] = []
        # Who is alone in a cell of some place: `Mia, Ole` is no family name with a first name then.
        self.alone: set[str] = set()
        self.teamed = 0  # games whose winners were read as a side
        self.out: list[str] = []  # what says in a column for a player that he did not come in

    def games(self, rows: Sequence[Row]) -> Iterator[tuple[Any, list[dict[str, Any]]]]:
        """Yield the games, each with what tells it apart."""
        if self.columns.long:
            yield from self._long(rows)
            return
        if self.unplayed and (self.columns.places or self.columns.across is not None):
            return  # such rows are the results
        read = self._placed if self.columns.places else self._sides if self.columns.across is None else self._across
        cells = (row.cell(at) for row in rows for at in self.columns.places.values())
        self.alone = {identity(cell) for cell in cells if len(players_in(cell, COMMA)) == 1}
        for at, row in enumerate(rows):
            try:
                self._check(row)
                yield at, self._dated(row, [] if is_of_totals(row) else read(row))
            except PlayedError:
                continue
            except ValueError as error:
                column, value = (str(error.args[1]), str(error.args[2])) if len(error.args) > 2 else ("", "")
                self.problems.append(Problem(self.table.name, row.line, column, value, str(error.args[0])))

    def _check(self, row: Row) -> None:
        """Raise `ValueError` for a row that cannot be used, or says of its game that it does not count."""
        if row.fault:
            raise ValueError(row.fault)
        for role, at in self.columns.counts.items():
            if (reason := PLAYED[role](text := row.cell(at))) and not (self.unplayed and reason == UNFINISHED):
                raise ValueError(reason, role, text)

    def _dated(self, row: Row, game: list[dict[str, Any]]) -> list[dict[str, Any]]:
        if is_of_totals(row):
            raise ValueError(TOTAL_LINE)
        text = row.cell(self.columns.rest.get("date"))
        day = self.days.get(text)
        if isinstance(day, ValueError):
            raise ValueError(str(day), "date", text)
        event = row.cell(self.columns.rest.get("event"))
        told = {"date": day, "event": event, "source": self.table.name, "source_row": row.line}
        return [{**one, **told} for one in game]

    def _side(self, row: Row, found: Sequence[int]) -> list[str]:
        """Return the players of a side: one in each of its cells, or several in its only one."""
        cells = [row.cell(at) for at in found]
        return self._names(cells[0]) if len(cells) == 1 else self._checked(list(filter(None, map(clean_name, cells))))

    def _names(self, cell: str) -> list[str]:
        return self._checked(players_in(cell, self.columns.between))

    def _checked(self, names: list[str]) -> list[str]:
        for name in names:
            reason = missing_player(name, self.how.keep_names)
            if reason or IN_BRACKETS.match(name):
                raise ValueError(reason or "a remark in brackets, no player's name", "player", name)
        return names

    def _sides(self, row: Row) -> list[dict[str, Any]]:
        columns = self.columns
        if columns.one_wins:
            return self._won(row)
        players = {side: self._side(row, found) for side, found in columns.players.items()}
        players = {side: names for side, names in players.items() if names}
        if len(players) < 2:
            raise ValueError("expected players on two sides")
        told = self._told(row, list(players))
        return [{"side": side, "player": name, **told[side]} for side, names in players.items() for name in names]

    def _won(self, row: Row) -> list[dict[str, Any]]:
        """Return the players of a game of which only the winner is known."""
        cells = [row.cell(at) for found in self.columns.players.values() for at in found]
        cells = [cell for cell in cells if cell.casefold() not in BLANK_TEXT]
        if "winner" in self.columns.rest:
            in_one = len(self.columns.players) == 1
            names = (
                self._names(cells[0])
                if in_one and cells
                else self._checked([name for name in map(clean_name, cells) if name])
            )
            told = BRACKETS.sub("", row.cell(self.columns.rest["winner"]))
            won = {identity(name) for name in self._names(told)}
        else:
            names = [name for cell in cells for name in self._names(cell)]
            won = {identity(name) for name in self._names(cells[0])} if cells else set()
        if len(names) < 2:
            raise ValueError("expected two players or more")
        if not won and self.unplayed:
            return [{"side": side, "player": name, "place": 1.0} for side, name in enumerate(names, 1)]
        if not won:
            raise ValueError(UNFINISHED, "winner", "")
        told = row.cell(self.columns.rest.get("winner"))
        if not won & {identity(name) for name in names} and outcome(told).score == 0.5 and not self.unplayed:
            return [{"side": side, "player": name, "place": 1.0} for side, name in enumerate(names, 1)]
        if not won <= {identity(name) for name in names}:
            raise ValueError("expected the winner among the players", "winner", told)
        if self.unplayed:
            raise PlayedError
        return [
            {"side": side, "player": name, "place": 1.0 if identity(name) in won else 2.0}
            for side, name in enumerate(names, 1)
        ]

    def _told(self, row: Row, sides: Sequence[int]) -> dict[int, dict[str, float]]:
        if not self.unplayed:
            return self._result(row, sides)
        try:
            self._result(row, sides)
        except ValueError as error:
            if error.args[0] == UNFINISHED:
                return {side: {"place": 1.0} for side in sides}
        raise PlayedError

    def _result(self, row: Row, sides: Sequence[int]) -> dict[int, dict[str, float]]:
        """Return the place or the points of each side."""
        columns = self.columns
        if columns.own_places and any(row.cell(at) for at in columns.own_places.values()):
            return {side: {"place": self._number(row, columns.own_places.get(side), "place")} for side in sides}
        if len(columns.points) >= len(sides) and any(row.cell(at) for at in columns.points.values()):
            told = {side: self._number(row, columns.points.get(side), "points") for side in sides}
            return {side: {"points": value} for side, value in told.items()}
        winner, score = (row.cell(columns.rest.get(name)) for name in ("winner", "score"))
        if columns.won and not score:
            return {side: {"place": float(side)} for side in sides}
        told_points = self._pair(score)
        if winner and score and len(sides) == 2:
            return self._won_by(row, winner, sides, told_points)
        if told_points is not None and len(sides) == 2:
            own, other = told_points
            found = {sides[0]: {"points": own}, sides[1]: {"points": other}}
            if columns.won:
                found = {side: {**value, "place": float(side)} for side, value in found.items()}
            return found
        if score and len(sides) == 2:
            return self._worded(score, sides)
        if winner:
            return self._winning(row, winner, sides)
        raise ValueError(UNFINISHED, "score", score)

    @staticmethod
    def _pair(score: str) -> tuple[float, float] | None:
        if (match := _RESULT.fullmatch(score)) is not None:
            return float(match[1].replace(",", ".")), float(match[2].replace(",", "."))
        return sets_won(score)

    @staticmethod
    def _worded(score: str, sides: Sequence[int]) -> dict[int, dict[str, float]]:
        found = outcome(score)
        if found.score is None:
            raise ValueError(found.reason or "expected a result such as 10-7", "score", score)
        first = {1.0: (1.0, 2.0), 0.5: (1.0, 1.0), 0.0: (2.0, 1.0)}[found.score]
        return {side: {"place": place} for side, place in zip(sides, first, strict=True)}

    def _winning(self, row: Row, winner: str, sides: Sequence[int]) -> dict[int, dict[str, float]]:
        """Return the places by a column that names the side that won: a letter, its header, or its players."""
        said = plain(winner)
        won = self.columns.names.get(said) or SIDES.get(said.removeprefix("team").removeprefix("side"))
        if won is None:
            named = {name.casefold() for name in players_in(winner, self.columns.between)}
            for side, found in self.columns.players.items():
                names = {name.casefold() for name in self._side(row, found)}
                won = side if named and named <= names else won
        if won not in sides and said in {"draw", "tie", "drawn", "remis", "unentschieden"}:
            return {side: {"place": 1.0} for side in sides}
        if won not in sides:
            raise ValueError(NO_SIDE, "winner", winner)
        return {side: {"place": 1.0 if side == won else 2.0} for side in sides}

    def _won_by(
        self, row: Row, winner: str, sides: Sequence[int], told: tuple[float, float] | None
    ) -> dict[int, dict[str, float]]:
        """Return the places by the side that won, with the points beside it: a score stands from whichever side."""
        found = self._winning(row, winner, sides)
        if told is None:
            return found
        most, fewest = max(told), min(told)
        drawn = len({value["place"] for value in found.values()}) == 1
        if drawn != (most == fewest):
            raise ValueError("the score and the winner contradict each other", "winner", winner)
        if self.how.lowest_wins:
            most, fewest = fewest, most
        return {side: {**value, "points": most if value["place"] == 1 else fewest} for side, value in found.items()}

    def _placed(self, row: Row) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        side = 0
        cells = [(place, row.cell(at)) for place, at in sorted(self.columns.places.items())]
        for place, cell in cells:
            for team in self._tied(place, cell, cells):
                names = self._names(team)
                side += bool(names)
                found += [{"side": side, "player": name, "place": float(place)} for name in names]
        if side < 2:
            raise ValueError("expected players on two or more places")
        return found

    def _across(self, row: Row) -> list[dict[str, Any]]:
        assert self.columns.across is not None
        told = "place" if self.columns.across.are_places else "points"
        seats = [(name, at) for name, at in self.columns.across.players.items() if not is_absent(row.cell(at))]
        out = [text for _, at in seats if (text := row.cell(at)).casefold().rstrip(".") in OUT]
        seats = [(name, at) for name, at in seats if row.cell(at) not in out]
        if len(seats) < 2:
            raise ValueError(f"expected the {told} of two players or more")
        self.out += out
        marked = {name for name, at in seats if told == "points" and row.cell(at).endswith("*")}
        cells = {name: row.cell(at).removesuffix("*").strip() if name in marked else row.cell(at) for name, at in seats}
        game = [
            {"side": side, "player": name, told: self._number_of(cells[name], told)}
            for side, (name, _) in enumerate(seats, 1)
        ]
        return _untied(game, marked, self.how.lowest_wins) if marked else game

    def _tied(self, place: int, cell: str, cells: Sequence[tuple[int, str]]) -> list[str]:
        """Return those who share a place: several names are one team, unless the places that they take stay empty."""
        if "=" in cell:
            return cell.split("=")
        names = players_in(cell, COMMA)
        next_filled = min((at for at, other in cells if at > place and other), default=place + 1)
        by_comma = "," in cell and {identity(name) for name in names} <= self.alone
        return names if len(names) > 1 and (by_comma or next_filled == place + len(names)) else [cell]

    def _number(self, row: Row, at: int | None, column: str) -> float:
        return self._number_of(row.cell(at), column)

    @staticmethod
    def _number_of(text: str, column: str) -> float:
        if text.casefold().rstrip(".") in OUT:
            raise ValueError(NO_PLACE, column, text)
        try:
            number = number_in(text) if column != "place" else place_in(text)
        except ValueError:
            raise ValueError(f"expected {column} as a number", column, text) from None
        if abs(number) > 1e9 or number != number:
            raise ValueError(f"expected {column} as a number", column, text)
        return number

    def _long(self, rows: Sequence[Row]) -> Iterator[tuple[Any, list[dict[str, Any]]]]:
        columns = self.columns.long
        games: dict[tuple[str, str], list[dict[str, Any]]] = {}
        spoilt: set[tuple[str, str]] = set()
        sides: dict[tuple[str, str], dict[str, int]] = {}
        turns = self._turns(rows) if self.columns.by_day else {}
        for row in rows:
            key = (row.cell(self.columns.rest.get("date")), row.cell(columns["game"]))
            key = (f"{key[0]} {turns.get(row.line, '')}", key[1])
            try:
                self._check(row)
                if not key[1]:
                    raise ValueError("expected the number or name of the game", "game", "")
                records = self._long_row(row)
            except PlayedError:
                continue
            except ValueError as error:
                column, value = (str(error.args[1]), str(error.args[2])) if len(error.args) > 2 else ("", "")
                self.problems.append(Problem(self.table.name, row.line, column, value, str(error.args[0])))
                if error.args[0] != NO_PLACE:
                    spoilt.add(key)
                continue
            known = sides.setdefault(key, {})
            side = records[0]["team"] or f"\0{len(known)}"
            number = known.setdefault(side.casefold(), len(known) + 1)
            for record in records:
                del record["team"]
                games.setdefault(key, []).append({**record, "side": number})
        for key, game in games.items():
            if key in spoilt:
                first = game[0]["source_row"]
                reason = f"game {key[1]!r} has a row that cannot be used: none of it is rated"
                self.problems.append(Problem(self.table.name, first, "game", key[1], reason))
            else:
                yield key, self._teamed(game)

    def _teamed(self, game: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Return a game of which the log says of each player alone whether he won: several who won are a side."""
        scores = [row.pop("score", None) for row in game]
        if "side" in self.columns.long or {*scores} != {0.0, 1.0} or scores.count(1.0) < 2:
            return game
        self.teamed += 1
        return [{**row, "side": 1 if score else 2} for row, score in zip(game, scores, strict=True)]

    def _turns(self, rows: Sequence[Row]) -> dict[int, int]:
        """Return for each line which game of its day it tells of.

        Another begins where a player or a side comes again, or where all places begin anew with the first.
        """
        columns = self.columns.long
        begun = self._begun(rows)
        found: dict[int, int] = {}
        seen: dict[str, tuple[set[str], list[str]]] = {}
        turn: dict[str, int] = {}
        for row in rows:
            day = row.cell(columns["game"])
            name, side = (identity(row.cell(columns.get(role))) for role in ("player", "side"))
            names, sides = seen.setdefault(day, (set(), []))
            again = bool(side) and side in sides and sides[-1] != side
            if name in names or again or row.line in begun:
                turn[day] = turn.get(day, 0) + 1
                names, sides = seen[day] = (set(), [])
            names.add(name)
            sides.append(side)
            found[row.line] = turn.get(day, 0)
        return found

    def _begun(self, rows: Sequence[Row]) -> set[int]:
        """Return the lines with a first place that begins another game of their day: 1, 2, 3, 1, 2."""
        columns = self.columns.long
        days: dict[str, list[tuple[int, str]]] = {}
        for row in rows:
            days.setdefault(row.cell(columns["game"]), []).append((row.line, row.cell(columns.get("place"))))
        found: set[int] = set()
        for told in days.values():
            firsts = [
                at for at, (_, place) in enumerate(told) if place and place[:1] == "1" and not place[1:2].isdigit()
            ]
            begins = [at for at in firsts if at == 0 or at - 1 not in firsts]
            if begins[:1] == [0] and all(after - at > 1 for at, after in pairwise([*begins, len(told)])):
                found |= {told[at][0] for at in begins[1:]}
        return found

    def _long_row(self, row: Row) -> list[dict[str, Any]]:
        """Return what a row tells of its player, or of each of several, who are a side then."""
        columns = self.columns.long
        names = self._names(row.cell(columns["player"]))
        if not names:
            raise ValueError("expected a player", "player", "")
        team = row.cell(columns.get("side"))
        team = team if len(names) == 1 else f"{team} {row.cell(columns['player'])}"
        found: dict[str, Any] = {"team": team}
        for name in ("place", "points"):
            if text := row.cell(columns.get(name)):
                score = _score_in(text) if name == "points" else None
                if score is None:
                    found[name] = self._number(row, columns[name], name)
                else:
                    found |= {"place": 1.0 if score else 2.0, "score": score}
        if not {"place", "points"} & found.keys() and outcome(row.cell(columns.get("state"))).score == 0.5:
            found["place"] = 1.0
        if not {"place", "points"} & found.keys():
            if not self.unplayed:
                raise ValueError(UNFINISHED, "place", "")
            found["place"] = 1.0
        elif self.unplayed:
            raise PlayedError
        if row.cell(columns.get("weight")):
            weight = self._number(row, columns["weight"], "weight")
            if not LEAST_WEIGHT <= weight <= 1:
                raise ValueError("expected a weight above 0 and up to 1", "weight", row.cell(columns["weight"]))
            found["weight"] = weight
        return self._dated(row, [{"player": name, **found} for name in names])
