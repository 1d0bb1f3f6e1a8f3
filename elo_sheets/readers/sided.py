"""Logs of doubles, teams and tables of many: which column is which, and the games that the rows hold.

Six layouts are known, in any delimited text, sheet, record or page that makes a table of rows:

- a column for each player of each side: `Team A player 1`, `Team A player 2`, `A1`, `Winner 2`, `Red attack`; or
  `Player 1` to `Player 4` with two scores or one result, of which the first half is one side;
- two columns of sides whose cells name several players: `Anna / Ben`, `Anna & Ben`, `Anna + Ben`, and `Anna, Ben` where
  somebody stands first in one cell and second in another, as no family name does;
- a column for each place: `1st`, `2nd`, `3rd` (or `Place 1`, `Rank 1`, `Winner`, `Second`), a cell naming one player, a
  team, or players who tie, as `Anna = Ben`, or any two names with the next place left empty;
- a player, and a place or points, for each seat at a table: `Player 1, Points 1, Player 2, Points 2, Player 3, …`;
- a day or a game, and a column of points or places for each player, named in the header (`_across.py`);
- the long form, a row for each player: a game's number or name, the player, and a place or points, with a side (or
  team) and a weight where there are teams and partial play.

Points are those of a side: `Score A` and `Score B`, `Team A goals`, a result such as 10-7, or the sets won in one such
as 6-4 3-6 7-5. `is_sided` tells whether a table is one of these; the readers of plain games raise `GamesOfSidesError`
for it, so that no verb takes a team for a player unasked. With `--map a1=…`, `a2=…`, `b1=…`, `a_points=…`, `1st=…`, or
`player=`, `game=`, `side=`, `place=`, `points=` a column is named that the headers do not tell.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from elo_sheets.errors import UnreadableInput, UsageError
from elo_sheets.games import Problem, clean_name, identity
from elo_sheets.readers._across import Across, across
from elo_sheets.readers._dates import order_of_column, read_date, remembered_order
from elo_sheets.readers._headings import roles_of
from elo_sheets.readers._layout import SYNONYMS, Row, Table, asked_of, header_of, listed, plain
from elo_sheets.readers._registry import How
from elo_sheets.readers._results import UNFINISHED
from elo_sheets.readers._text import missing_player
from elo_sheets.team_games import LEAST_WEIGHT, GamesOfSidesError, TeamGamesRead, fault_of, make_team_games

# How deep a header may stand, and how many rows below it show what the columns hold.
DEPTH, SHOWN = 10, 200
MOST_SIDES = 64

_SIDES = {
    **{letter: number for number, letter in enumerate("abcdefgh", 1)},
    **{str(number): number for number in range(1, 9)},
    "home": 1,
    "away": 2,
    "white": 1,
    "black": 2,
    "blue": 1,
    "red": 2,
    "yellow": 1,
    "green": 2,
    "heim": 1,
    "gast": 2,
    "winner": 1,
    "winners": 1,
    "winning": 1,
    "loser": 2,
    "losers": 2,
    "losing": 2,
    "us": 1,
    "them": 2,
    "sieger": 1,
    "verlierer": 2,
}
_WON = {"winner", "winners", "winning", "loser", "losers", "losing", "sieger", "verlierer"}
_PLAYER = r"(?:player|spieler|jugador|joueur|giocatore|p|name|member)"
_SIDE = "|".join(sorted(_SIDES, key=len, reverse=True))
_TEAM = r"(?:team|side|pair|squad|t|paar|doppel|mannschaft|equipo|equipe|pareja|squadra|coppia)"
# Where a player of two stands, at a table or a net: the first and the second.
_ROLES = {
    **dict.fromkeys("attack attacker offense offence striker forward front sturm angriff left drive".split(), 1),
    **dict.fromkeys("defence defense defender goalie keeper back rear abwehr verteidigung right reves".split(), 2),
}
_ROLE = rf"(?:(?P<number>[1-8])|(?P<role>{'|'.join(_ROLES)}))"
_OF_SIDE = (
    re.compile(rf"{_TEAM}?(?P<side>{_SIDE})(?:team|side)?{_PLAYER}{_ROLE}"),
    re.compile(rf"{_TEAM}(?P<side>{_SIDE}){_ROLE}"),
    re.compile(rf"{_PLAYER}{_ROLE}{_TEAM}?(?P<side>{_SIDE})"),
    re.compile(rf"(?P<role>{'|'.join(_ROLES)}){_TEAM}?(?P<side>{_SIDE})(?P<number>)"),
    re.compile(rf"{_PLAYER}?(?P<side>[a-h]){_ROLE}"),
    re.compile(
        rf"(?P<side>winners?|losers?|winning|losing|sieger|verlierer|home|away|white|black|blue|red|yellow|green){_ROLE}"
    ),
)
SEAT = re.compile(rf"{_PLAYER}(?P<number>[1-8])")
_POINTS = r"(?:score|goals|points|pts|tore|punkte|sets|games)"
_POINTS_OF = (
    re.compile(rf"(?:team|side|pair)?(?P<side>{_SIDE})(?:team)?{_POINTS}"),
    re.compile(rf"{_POINTS}(?:team|side|pair)?(?P<side>{_SIDE})"),
)
_ORDINALS = {
    name: number
    for number, names in enumerate(
        "1st first winner,2nd second,3rd third,4th fourth,5th fifth,6th sixth,7th seventh,8th eighth".split(","), 1
    )
    for name in names.split()
}
_PLACE = re.compile(
    r"(?:place|rank|position|platz|pos)(?P<place>[1-8])|(?P<bare>[1-8])(?:st|nd|rd|th)place|(?P<last>[1-8])platz"
)
_BETWEEN = re.compile(r"\s*(?:/|&|\+|;|\||\band\b|\bund\b|\bet\b|\by\b)\s*", re.I)
_CUT = "/"  # stands in no name of one player; the others may: Brighton & Hove Albion
_COMMA = re.compile(rf"{_BETWEEN.pattern}|\s*,\s*", re.I)
_RESULT = re.compile(r"\s*(\d{1,3}(?:[.,]\d+)?)\s*[-–—−:]\s*(\d{1,3}(?:[.,]\d+)?)\s*")
_SET = r"\d{1,2}\s*[-–—−:]\s*\d{1,2}(?:\s*\(\s*\d{1,2}(?:\s*[-–—−:]\s*\d{1,2})?\s*\))?"
_SETS = re.compile(rf"\s*{_SET}(?:\s*[,;/|]\s*{_SET}|\s+{_SET})+\s*")

LONG = {
    "game": "game gameid match matchid gamenumber gameno spiel partie partida session gamenr round".split(),
    "player": "player name spieler joueur jugador giocatore who".split(),
    "place": "place rank position finish placing platz rang standing pos finished".split(),
    "points": "points score pts punkte vp victorypoints result".split(),
    "side": "side team pair mannschaft squad".split(),
    "weight": "weight share played partialplay".split(),
}
_MAPPED = re.compile(r"(?P<side>[a-h])(?P<number>[1-8])|(?P<points>[a-h])_points|(?P<place>[1-8])(?:st|nd|rd|th)")
_GENERAL = {"date", "event", "score"}
_GOALS = ("tore", "goals")


@dataclass
class Columns:
    """Which column holds what: players by side, points by side, places, the columns of the long form, and the rest."""

    players: dict[int, list[int]] = field(default_factory=dict)
    points: dict[int, int] = field(default_factory=dict)
    places: dict[int, int] = field(default_factory=dict)
    long: dict[str, int] = field(default_factory=dict)
    rest: dict[str, int] = field(default_factory=dict)
    won: bool = False
    # Whether the players are numbered through, those of one side before those of the other.
    halves: bool = False
    # The column of the place of each side, where every seat at a table has one of its own.
    own_places: dict[int, int] | None = None
    # What stands between the players of one cell.
    between: re.Pattern[str] = _BETWEEN
    across: Across | None = None

    @property
    def is_known(self) -> bool:
        """Whether a row tells of a game with several sides, with several players, or of one of many."""
        if self.long or self.across is not None:
            return True
        if len(self.places) > 2 or self.own_places is not None:
            return True
        several = any(len(found) > 1 for found in self.players.values()) or len(self.players) > 2
        return len(self.players) > 1 and several


def is_sided(rows: Sequence[Row], columns: Mapping[str, str]) -> bool:
    """Tell whether a table holds games of teams or of many, by its header, its cells, or what `--map` says."""
    return _found(rows, columns) is not None


def refuse(table: Table) -> GamesOfSidesError:
    """Return the error for a table of games of sides where plain games are read."""
    return GamesOfSidesError(
        f"expected games of two players, got games of teams or of many players ({table.name}): the templates "
        "league-2x2, league-3x3, league-4x4 and table hold them; to rate each team as one player, name the columns, as "
        "in --map white='Team A' --map black='Team B'",
        [table],
    )


def _found(rows: Sequence[Row], mapped: Mapping[str, str]) -> tuple[int, Columns] | None:
    """Return the place of the header among the rows and what its columns hold, None where no layout is known."""
    mapped = asked_of(rows, mapped)
    if {"white", "black"} & mapped.keys():
        return None
    for at, row in enumerate(rows[:DEPTH]):
        if row.fault:
            continue
        columns = _of_header(row.cells, mapped)
        if not columns.is_known and not columns.long:
            below = rows[at + 1 : at + 1 + SHOWN]
            columns = _of_cells(row.cells, below, columns) or columns
            if not columns.is_known:
                columns.across = across(row.cells, below)
        is_table = isinstance(columns, _Several) or columns.own_places is not None or columns.halves
        is_plain = header_of([row], {}, 1) is not None and not is_table
        if columns.is_known and (not is_plain or any(map(_MAPPED.fullmatch, mapped))):
            return at, columns
    return None


def _of_header(headers: Sequence[str], mapped: Mapping[str, str]) -> Columns:
    found = Columns()
    known = [plain(header) for header in headers]
    taken = _mapped(found, headers, mapped)
    sides: dict[int, dict[int, int]] = {}
    words: set[str] = set()
    seats: dict[int, int] = {}
    for at, header in enumerate(known):
        if at in taken:
            continue
        if (match := SEAT.fullmatch(header)) is not None:
            seats.setdefault(int(match["number"]), at)
        elif (match := _match(_OF_SIDE, header)) is not None:
            number = int(match["number"]) if match["number"] else _ROLES[match["role"]]
            sides.setdefault(_SIDES[match["side"]], {}).setdefault(number, at)
            words.add(match["side"])
        elif (match := _match(_POINTS_OF, header)) is not None:
            found.points.setdefault(_SIDES[match["side"]], at)
        elif (place := _place(header)) is not None:
            found.places.setdefault(place, at)
        elif header in {"winner", "winningteam", "won", "sieger"}:
            found.rest.setdefault("winner", at)
        elif SYNONYMS.get(header, (0, ""))[1] in _GENERAL:
            found.rest.setdefault(SYNONYMS[header][1], at)
    two_results = found.points.keys() == {1, 2} if found.points else "score" in found.rest and not found.places
    if len(seats) in (4, 6, 8) and not sides and two_results:
        numbered = [seats[seat] for seat in sorted(seats)]
        found.players = {1: numbered[: len(seats) // 2], 2: numbered[len(seats) // 2 :]}
        found.halves = True
    elif len(seats) > 2 and not sides and (found.places or found.points):
        found.players, found.own_places, found.places = {seat: [at] for seat, at in seats.items()}, found.places, {}
    for side, numbers in sides.items():
        found.players.setdefault(side, [numbers[number] for number in sorted(numbers)])
    if "winner" in known:
        found.rest["winner"] = known.index("winner")
    if not found.points and not {"score", "winner"} & found.rest.keys():  # 10-7 in one column
        found.rest.update(("score", known.index(header)) for header in _GOALS if header in known)
    found.won = bool(words) and words <= _WON
    if len(found.places) < 3 or found.players:
        found.places = {}
    if not found.players and not found.places:
        found.long = found.long or _long(known)
    return found


def _place(header: str) -> int | None:
    """Return the place that a header names, None for another header."""
    match = _PLACE.fullmatch(header)
    return _ORDINALS.get(header) if match is None else int(next(filter(None, match.groups())))


def _mapped(found: Columns, headers: Sequence[str], mapped: Mapping[str, str]) -> set[int]:
    """Take the columns that the user names; raises `UsageError` for a header that is not there."""
    names = {" ".join(header.split()).casefold(): at for at, header in reversed(list(enumerate(headers)))}
    taken: set[int] = set()
    for role, text in mapped.items():
        match = _MAPPED.fullmatch(role)
        if match is None and role not in LONG and role not in _GENERAL:
            continue
        at = names.get(" ".join(text.split()).casefold())
        if at is None and text.strip().isdecimal() and 0 < int(text) <= len(headers):
            at = int(text) - 1
        if at is None:
            continue
        taken.add(at)
        if match is None:
            (found.long if role in LONG else found.rest)[role] = at
        elif match["side"]:
            found.players.setdefault(_SIDES[match["side"]], []).append(at)
        elif match["points"]:
            found.points[_SIDES[match["points"]]] = at
        else:
            found.places[int(match["place"])] = at
    if found.long and not {"player", "game"} <= found.long.keys():
        found.long = {}
    return taken


def _match(patterns: Sequence[re.Pattern[str]], header: str) -> re.Match[str] | None:
    return next((match for pattern in patterns if (match := pattern.fullmatch(header)) is not None), None)


def _long(known: Sequence[str]) -> dict[str, int]:
    """Return the columns of the long form, empty where the headers are not its own."""
    found: dict[str, int] = {}
    for role, names in LONG.items():
        at = next((known.index(name) for name in names if name in known), None)
        if at is not None and at not in found.values():
            found[role] = at
    plain_game = {"opponent", "white", "black", "winner", "loser"}
    others = {SYNONYMS.get(header, (0, ""))[1] for header in known} & plain_game
    is_long = {"game", "player"} <= found.keys() and {"place", "points"} & found.keys() and not others
    return found if is_long else {}


def _of_cells(headers: Sequence[str], rows: Sequence[Row], found: Columns) -> Columns | None:
    """Return the columns of two sides whose cells name several players each, None where they do not."""
    roles: dict[str, int] = {}
    for at, (header, told) in enumerate(zip(map(plain, headers), roles_of(headers), strict=True)):
        role = SYNONYMS.get(header, (0, told or ""))[1]
        role = {"winners": "winner", "losers": "loser"}.get(header, role)
        if role:
            roles.setdefault(role, at)
    names = ("white", "black") if {"white", "black"} <= roles.keys() else ("winner", "loser")
    if not set(names) <= roles.keys():
        return None
    both = [roles[name] for name in names]
    cells = [row.cells[i] for row in rows for i in both if i < len(row.cells) and row.cells[i].strip()]
    if not cells or (between := _cut_by(cells)) is None:
        return None
    new = Columns(rest=dict(found.rest))
    new.between = between
    new.players = {1: [both[0]], 2: [both[1]]}
    for side, role in ((1, "white_points"), (2, "black_points")):
        if role in roles:
            new.points[side] = roles[role]
    new.points |= found.points
    for role in ("score", "date", "event"):
        if role in roles:
            new.rest.setdefault(role, roles[role])
    new.won = names[0] == "winner"
    if new.won:
        new.rest.pop("winner", None)
    new.long = {}
    return _Several(**vars(new))


def _cut_by(cells: Sequence[str]) -> re.Pattern[str] | None:
    """Return what cuts cells of two columns into players, None where they name one each.

    Four cells of five name several, or those who play alone are known as partners in others.
    """
    for between in (_BETWEEN, _COMMA):
        cut = [_players(cell, between) for cell in cells]
        pairs = [names for names in cut if len(names) > 1]
        alone = {identity(names[0]) for names in cut if len(names) == 1}
        known = {identity(name) for names in pairs for name in names}
        most = len(pairs) >= 0.8 * len(cells) or (len(pairs) >= 0.3 * len(cells) and alone <= known)
        first = {identity(names[0]) for names in pairs}
        both = first & {identity(name) for names in pairs for name in names[1:]}
        slashed = sum(_CUT in cell for cell in cells) >= 0.8 * len(cells)
        if most and ((_is_mixed(pairs) and (between is _BETWEEN or both)) or (between is _BETWEEN and slashed)):
            return between
    return None


def _is_mixed(sides: Sequence[Sequence[str]]) -> bool:
    """Whether anybody plays with different partners: Bosnia & Herzegovina is one side that never does."""
    partners: dict[str, set[str]] = {}
    for side in sides:
        for name in side:
            partners.setdefault(identity(name), set()).update(map(identity, side))
    return any(len(met) > max(map(len, sides)) for met in partners.values())


class _Several(Columns):
    """The columns of sides that name their players in one cell."""

    @property
    def is_known(self) -> bool:
        return True


def _players(cell: str, between: re.Pattern[str] = _BETWEEN) -> list[str]:
    return [name for name in map(clean_name, between.split(cell)) if name]


def names_in(side: str) -> list[str]:
    """Return the players of a side that stands in one cell, such as Anna / Ben."""
    return _players(side)


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


# --- the rows


def read_sided(tables: Sequence[Table], how: How, unplayed: bool = False) -> TeamGamesRead:
    """Return the games of tables of games of sides, with a problem for each row kept out, and remarks.

    With `unplayed` they are the games without a result, in which all sides share the first place.

    Raises `UnreadableInput` for a table that is none.
    """
    records: list[dict[str, Any]] = []
    problems: list[Problem] = []
    notes: list[str] = []
    for number, table in enumerate(tables):
        found = _found(table.rows, how.columns)
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
        if isinstance(columns, _Several):
            notes.append(
                prefix + "each name was read as several players of one side, as in Anna / Ben; "
                "--map white=HEADER --map black=HEADER takes it for one"
            )
        if columns.halves:
            one, other = (listed([table.rows[at].cells[i] for i in columns.players[side]]) for side in (1, 2))
            notes.append(
                f"{prefix}{one} were read as one side, {other} as the other; --map a1=HEADER and so on says else"
            )
        if columns.across is not None:
            what = "places" if columns.across.are_places else "points, the most first"
            notes.append(f"{prefix}each column was read as a player's {what}: {listed(list(columns.across.players))}")
        if "date" not in columns.rest:
            notes.append(prefix + "no column of dates: the games are in the order of the log")
        reading = _Rows(columns, table, days, how, unplayed)
        for key, game in reading.games(rows):
            reason = fault_of(_ranked(game)) if game else ""
            if not reason:
                records += [{**row, "game": (number, key)} for row in game]
            else:
                reading.problems.append(Problem(table.name, game[0]["source_row"], "", "", reason))
        problems += sorted(reading.problems, key=lambda problem: problem.row)
    return TeamGamesRead(make_team_games(records), problems, notes)


def _check_roles(mapped: Mapping[str, str], columns: Columns) -> None:
    """Raise `UsageError` for a column that `--map` names and games of sides do not have."""
    for role in mapped:
        if _MAPPED.fullmatch(role) is None and role not in LONG and role not in _GENERAL:
            raise UsageError(
                f"expected a column of games of teams or of many to map, got {role!r}: there are a1, a2, b1, … for the "
                f"players of a side, a_points, 1st, 2nd, …, {', '.join((*LONG, *sorted(_GENERAL)))}"
            )


def _ranked(game: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the rows with the places that their points say, where none are told."""
    missing = float("nan")
    rows = [{"place": missing, "points": missing, "weight": 1.0, **row} for row in game]
    if any(row["place"] == row["place"] for row in rows):
        return rows
    return [{**row, "place": -row["points"]} for row in rows]


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

    def games(self, rows: Sequence[Row]) -> Iterator[tuple[Any, list[dict[str, Any]]]]:
        """Yield the games, each with what tells it apart."""
        if self.columns.long:
            yield from self._long(rows)
            return
        if self.unplayed and (self.columns.places or self.columns.across is not None):
            return  # such rows are the results
        read = self._placed if self.columns.places else self._sides if self.columns.across is None else self._across
        cells = (self._cell(row, at) for row in rows for at in self.columns.places.values())
        self.alone = {identity(cell) for cell in cells if len(_players(cell, _COMMA)) == 1}
        for row in rows:
            try:
                yield row.line, self._dated(row, read(row))
            except PlayedError:
                continue
            except ValueError as error:
                column, value = (str(error.args[1]), str(error.args[2])) if len(error.args) > 2 else ("", "")
                self.problems.append(Problem(self.table.name, row.line, column, value, str(error.args[0])))

    def _cell(self, row: Row, at: int | None) -> str:
        return row.cells[at].strip() if at is not None and at < len(row.cells) else ""

    def _dated(self, row: Row, game: list[dict[str, Any]]) -> list[dict[str, Any]]:
        if row.fault:
            raise ValueError(row.fault)
        text = self._cell(row, self.columns.rest.get("date"))
        day = self.days.get(text)
        if isinstance(day, ValueError):
            raise ValueError(str(day), "date", text)
        event = self._cell(row, self.columns.rest.get("event"))
        told = {"date": day, "event": event, "source": self.table.name, "source_row": row.line}
        return [{**one, **told} for one in game]

    def _side(self, row: Row, found: Sequence[int]) -> list[str]:
        """Return the players of a side: one in each of its cells, or several in its only one."""
        cells = [self._cell(row, at) for at in found]
        return self._names(cells[0]) if len(cells) == 1 else self._checked(list(filter(None, map(clean_name, cells))))

    def _names(self, cell: str) -> list[str]:
        return self._checked(_players(cell, self.columns.between))

    def _checked(self, names: list[str]) -> list[str]:
        for name in names:
            if reason := missing_player(name, self.how.keep_names):
                raise ValueError(reason, "player", name)
        return names

    def _sides(self, row: Row) -> list[dict[str, Any]]:
        columns = self.columns
        players = {side: self._side(row, found) for side, found in columns.players.items()}
        players = {side: names for side, names in players.items() if names}
        if len(players) < 2:
            raise ValueError("expected players on two sides")
        told = self._told(row, list(players))
        return [{"side": side, "player": name, **told[side]} for side, names in players.items() for name in names]

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
        if columns.own_places and any(self._cell(row, at) for at in columns.own_places.values()):
            return {side: {"place": self._number(row, columns.own_places.get(side), "place")} for side in sides}
        if len(columns.points) >= len(sides) and any(self._cell(row, at) for at in columns.points.values()):
            told = {side: self._number(row, columns.points.get(side), "points") for side in sides}
            return {side: {"points": value} for side, value in told.items()}
        winner, score = (self._cell(row, columns.rest.get(name)) for name in ("winner", "score"))
        if columns.won and not score:
            return {side: {"place": float(side)} for side in sides}
        told_points = self._pair(score)
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
        from elo_sheets.readers._results import outcome

        found = outcome(score)
        if found.score is None:
            raise ValueError(found.reason or "expected a result such as 10-7", "score", score)
        first = {1.0: (1.0, 2.0), 0.5: (1.0, 1.0), 0.0: (2.0, 1.0)}[found.score]
        return {side: {"place": place} for side, place in zip(sides, first, strict=True)}

    def _winning(self, row: Row, winner: str, sides: Sequence[int]) -> dict[int, dict[str, float]]:
        """Return the places by a column that names the side that won: a letter, its header, or its players."""
        said = plain(winner)
        won = _SIDES.get(said.removeprefix("team").removeprefix("side"))
        if won is None:
            named = {name.casefold() for name in _players(winner, self.columns.between)}
            for side, found in self.columns.players.items():
                names = {name.casefold() for name in self._side(row, found)}
                won = side if named and named <= names else won
        if won not in sides and said in {"draw", "tie", "drawn", "remis", "unentschieden"}:
            return {side: {"place": 1.0} for side in sides}
        if won not in sides:
            raise ValueError("expected the side that won, such as A, or its players", "winner", winner)
        return {side: {"place": 1.0 if side == won else 2.0} for side in sides}

    def _placed(self, row: Row) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        side = 0
        cells = [(place, self._cell(row, at)) for place, at in sorted(self.columns.places.items())]
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
        seats = [(name, at) for name, at in self.columns.across.players.items() if self._cell(row, at)]
        if len(seats) < 2:
            raise ValueError(f"expected the {told} of two players or more")
        return [
            {"side": side, "player": name, told: self._number(row, at, told)}
            for side, (name, at) in enumerate(seats, 1)
        ]

    def _tied(self, place: int, cell: str, cells: Sequence[tuple[int, str]]) -> list[str]:
        """Return those who share a place: several names are one team, unless the places that they take stay empty."""
        if "=" in cell:
            return cell.split("=")
        names = _players(cell, _COMMA)
        next_filled = min((at for at, other in cells if at > place and other), default=place + 1)
        by_comma = "," in cell and {identity(name) for name in names} <= self.alone
        return names if len(names) > 1 and (by_comma or next_filled == place + len(names)) else [cell]

    def _number(self, row: Row, at: int | None, column: str) -> float:
        text = self._cell(row, at)
        try:
            number = float(text.replace(",", "."))
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
        for row in rows:
            key = (self._cell(row, self.columns.rest.get("date")), self._cell(row, columns["game"]))
            try:
                if not key[1]:
                    raise ValueError("expected the number or name of the game", "game", "")
                record = self._long_row(row)
            except PlayedError:
                continue
            except ValueError as error:
                column, value = (str(error.args[1]), str(error.args[2])) if len(error.args) > 2 else ("", "")
                self.problems.append(Problem(self.table.name, row.line, column, value, str(error.args[0])))
                spoilt.add(key)
                continue
            known = sides.setdefault(key, {})
            side = record.pop("team") or f"\0{len(known)}"
            record["side"] = known.setdefault(side.casefold(), len(known) + 1)
            games.setdefault(key, []).append(record)
        for key, game in games.items():
            if key in spoilt:
                first = game[0]["source_row"]
                reason = f"game {key[1]!r} has a row that cannot be used: none of it is rated"
                self.problems.append(Problem(self.table.name, first, "game", key[1], reason))
            else:
                yield key, game

    def _long_row(self, row: Row) -> dict[str, Any]:
        columns = self.columns.long
        names = self._names(self._cell(row, columns["player"]))
        if len(names) != 1:
            raise ValueError("expected one player", "player", self._cell(row, columns["player"]))
        found: dict[str, Any] = {"player": names[0], "team": self._cell(row, columns.get("side"))}
        for name in ("place", "points"):
            if self._cell(row, columns.get(name)):
                found[name] = self._number(row, columns[name], name)
        if not {"place", "points"} & found.keys():
            if not self.unplayed:
                raise ValueError(UNFINISHED, "place", "")
            found["place"] = 1.0
        elif self.unplayed:
            raise PlayedError
        if self._cell(row, columns.get("weight")):
            weight = self._number(row, columns["weight"], "weight")
            if not LEAST_WEIGHT <= weight <= 1:
                raise ValueError("expected a weight above 0 and up to 1", "weight", self._cell(row, columns["weight"]))
            found["weight"] = weight
        return self._dated(row, [found])[0]
