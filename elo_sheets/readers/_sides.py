"""Which column of a log of doubles, teams or tables of many is which: see `sided.py` for the layouts."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import combinations

from elo_sheets.games import clean_name, identity
from elo_sheets.readers._across import Across, across, asked_places, is_days_at
from elo_sheets.readers._contents import is_date, kind_of
from elo_sheets.readers._headings import PARTS, is_of_points, named, role_of, roles_of, words_of
from elo_sheets.readers._layout import Row, asked_of, column_of, guess, header_of
from elo_sheets.readers._results import WIN_DRAW_LOSS
from elo_sheets.readers._seats import seats
from elo_sheets.readers._text import YES_NO
from elo_sheets.readers._words import plain, table

# How deep a header may stand, and how many rows below it show what the columns hold.
DEPTH, SHOWN = 10, 200
MOST_SIDES = 64

_TWO = table("sides")
_WON = {*_TWO["winner"], *_TWO["loser"]}
SIDES = {
    **{letter: number for number, letter in enumerate("abcdefgh", 1)},
    **{str(number): number for number in range(1, 9)},
    **dict.fromkeys((*_TWO["first"], *_TWO["winner"]), 1),
    **dict.fromkeys((*_TWO["second"], *_TWO["loser"]), 2),
}
_PLAYER = r"(?:player|spieler|jugador|joueur|giocatore|p|name|member)"
_SIDE = "|".join(sorted(SIDES, key=len, reverse=True))
_TEAM = r"(?:team|side|pair|squad|t|paar|doppel|mannschaft|equipo|equipe|pareja|squadra|coppia)"
# Where a player of two stands, at a table or a net: the first and the second.
_ROLES = dict.fromkeys(_TWO["first_seat"], 1) | dict.fromkeys(_TWO["second_seat"], 2)
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
_POINTS = rf"(?:{'|'.join(sorted(map(plain, {*PARTS['points']} - {'set', 'leg', 'mal'}), key=len, reverse=True))})"
_POINTS_OF = (
    re.compile(rf"(?:team|side|pair)?(?P<side>{_SIDE})(?:team)?{_POINTS}"),
    re.compile(rf"{_POINTS}(?:team|side|pair)?(?P<side>{_SIDE})"),
)
ORDINALS = {
    name: number
    for number, names in enumerate(
        "1st first winner,2nd second,3rd third,4th fourth,5th fifth,6th sixth,7th seventh,8th eighth".split(","), 1
    )
    for name in names.split()
}
_PLACE = re.compile(
    r"(?:place|rank|position|platz|pos)(?P<place>[1-8])|(?P<bare>[1-8])(?:st|nd|rd|th)place|(?P<last>[1-8])platz"
)
BRACKETS = re.compile(r"\s*\([^()]*\)\s*$")  # Bob (tie)
_SIGNED = re.compile(r"([1-8])\s?\.?[ºª°]")
BETWEEN = re.compile(r"\s*(?:/|&|\+|;|\||\band\b|\bund\b|\bet\b|\by\b)\s*", re.I)
_CUT = "/"  # stands in no name of one player; the others may: Brighton & Hove Albion
COMMA = re.compile(rf"{BETWEEN.pattern}|\s*,\s*", re.I)
# Signs and words that stand in names, or between two sides, as often as between the players of one.
APART = re.compile(r"\s+[-–—]\s+|\s*[·•~\\]\s*|\s+(?:with|mit|avec|con|med|och|og|en|e|i|a)\s+|\n+", re.I)

# Those that stand in the names of most people.
JOINTS = (re.compile(r"\s*[-‐]\s*"), re.compile(r"\s+"))

OTHERS = frozenset(map(plain, table("many")["others"]))
LONG = table("rows")
PARTNERS, OPPONENTS = (frozenset(table("many")[who]) for who in ("partners", "opponents"))
MAPPED = re.compile(r"(?P<side>[a-h])(?P<number>[1-8])|(?P<points>[a-h])_points|(?P<place>[1-8])(?:st|nd|rd|th)")
GENERAL = {"date", "event", "score"}
COUNTS = ("rated", "played", "void", "forfeit", "status")
_GOALS = ("tore", "goals")
_YES = {word for word, yes in YES_NO.items() if yes} | {word for word, score in WIN_DRAW_LOSS.items() if score == 1}


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
    between: re.Pattern[str] = BETWEEN
    across: Across | None = None
    # Whether only the winner of several who play each for himself is known, and the others tie.
    one_wins: bool = False
    # Whether the long form has no number of the game, so that a day's rows are one game, or several in turn.
    by_day: bool = False
    # What says of a game whether it was played and counts, by the roles of `_rows.PLAYED`.
    counts: dict[str, int] = field(default_factory=dict)
    # What the sides are called, as plain words.
    names: dict[str, int] = field(default_factory=dict)

    @property
    def is_known(self) -> bool:
        """Whether a row tells of a game with several sides, with several players, or of one of many."""
        if self.long or self.across is not None:
            return True
        if len(self.places) > 2 or self.own_places is not None or self.one_wins:
            return True
        several = any(len(found) > 1 for found in self.players.values()) or len(self.players) > 2
        return len(self.players) > 1 and several


def is_sided(rows: Sequence[Row], columns: Mapping[str, str]) -> bool:
    """Tell whether a table holds games of teams or of many, by its header, its cells, or what `--map` says."""
    return found_sides(rows, columns) is not None


def found_sides(rows: Sequence[Row], mapped: Mapping[str, str]) -> tuple[int, Columns] | None:
    """Return the place of the header among the rows and what its columns hold, None where no layout is known."""
    mapped = asked_of(rows, mapped)
    if {"white", "black"} & mapped.keys():
        return None
    has_header = False
    for at, row in enumerate(rows[:DEPTH]):
        if row.fault or (has_header and any(map(is_date, row.cells))):
            continue  # below a header of two players what holds a day is a game
        below = rows[at + 1 : at + 1 + SHOWN]
        columns = _of_header(row.cells, below, mapped)
        columns = _of_winners(row.cells, below, columns) or columns
        if not columns.is_known and not columns.long:
            ways = (_of_cells, _by_contrast, _by_seats, _by_days)
            columns = next((found for way in ways if (found := way(row.cells, below, columns)) is not None), columns)
            if not columns.is_known:
                asked = bool({"place", "points"} & mapped.keys()) and not {"game", "player"} & mapped.keys()
                columns.across = across(row.cells, below, asked)
                if columns.across is not None and (told := asked_places(columns.across, mapped)) is not None:
                    columns.across = columns.across._replace(are_places=told)
        if columns.players and not columns.won:
            _told_by_cells(columns, row.cells, below)
        if columns.is_known and "date" not in columns.rest:
            days = [i for i, cell in enumerate(row.cells) if is_days_at(i, below) and named(cell) != "void"]
            columns.rest.update([("date", days[0])] if len(days) == 1 else [])
        is_table = isinstance(columns, Several) or columns.own_places is not None or columns.halves or columns.one_wins
        is_header = header_of([row], {}, 1) is not None
        is_plain, has_header = is_header and not is_table, has_header or is_header
        if columns.is_known and (not is_plain or any(map(MAPPED.fullmatch, mapped))):
            roles = guess(row.cells, [one.cells for one in below])
            used = {*columns.long.values(), *columns.rest.values()}
            columns.counts = {role: roles[role] for role in COUNTS if role in roles and roles[role] not in used}
            return at, columns
    return None


def _told_by_cells(found: Columns, headers: Sequence[str], rows: Sequence[Row]) -> None:
    """Take the one column of results for the score, where no heading says which it is."""
    if found.points or {"score", "winner"} & found.rest.keys() or found.own_places:
        return
    used = {at for some in found.players.values() for at in some} | {*found.rest.values()}
    columns = {at: column_of(rows, at) for at in range(len(headers)) if at not in used}
    results = [at for at, cells in columns.items() if kind_of(cells) == "result"]
    if len(results) == 1:
        found.rest["score"] = results[0]


def _of_header(headers: Sequence[str], rows: Sequence[Row], mapped: Mapping[str, str]) -> Columns:
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
            sides.setdefault(SIDES[match["side"]], {}).setdefault(number, at)
            words.add(match["side"])
        elif (match := _match(_POINTS_OF, header)) is not None:
            found.points.setdefault(SIDES[match["side"]], at)
        elif (place := _place(header, headers[at])) is not None:
            found.places.setdefault(place, at)
        elif header in {"winner", "winningteam", "won", "sieger"}:
            found.rest.setdefault("winner", at)
        elif (role := named(header)) in GENERAL | {"winner"}:
            found.rest.setdefault(role, at)
    if "date" not in found.rest and "date" in (told := roles_of(headers)) and told.index("date") not in taken:
        found.rest["date"] = told.index("date")
    if not (seats or sides or found.places or {"white", "black"} <= set(roles_of(headers))):
        seats = _numbered(headers, rows)
    if not found.points and len(points := _two_of_points(headers)) == 2:
        found.points = dict(enumerate(points, 1))
        if found.rest.get("score") in points:
            del found.rest["score"]
    two_results = found.points.keys() == {1, 2} if found.points else "score" in found.rest and not found.places
    if len(seats) in (4, 6, 8) and not sides and two_results:
        numbered = [seats[seat] for seat in sorted(seats)]
        found.players = {1: numbered[: len(seats) // 2], 2: numbered[len(seats) // 2 :]}
        found.halves = True
    elif len(seats) > 2 and not sides and (len(found.places) > 1 or found.points):
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
        found.long = found.long or _long(headers, rows)
    return found


def _two_of_points(headers: Sequence[str]) -> list[int]:
    """Return two columns of points whose headings are the same but for a number: `Pts` twice, `Puntos 1` and `2`."""
    stems: dict[tuple[str, ...], list[int]] = {}
    for at, header in enumerate(headers):
        words = tuple(word for word in words_of(header) if not word.isdigit())
        if words and role_of(" ".join(words)) == "score" and is_of_points(header):
            stems.setdefault(words, []).append(at)
    return next((found for found in stems.values() if len(found) == 2), [])


def _numbered(headers: Sequence[str], rows: Sequence[Row]) -> dict[int, int]:
    """Return the columns of names whose headings are one word numbered through: `Thrower 1` to `Thrower 4`."""
    stems: dict[tuple[str, ...], dict[int, int]] = {}
    for at, words in enumerate(map(words_of, headers)):
        cells = column_of(rows, at)
        if len(words) > 1 and words[-1] in tuple("12345678") and kind_of(cells) == "name":
            stems.setdefault(words[:-1], {})[int(words[-1])] = at
    whole = [found for found in stems.values() if sorted(found) in [[*range(1, size + 1)] for size in (4, 6, 8)]]
    return whole[0] if len(whole) == 1 else {}


def _place(header: str, written: str) -> int | None:
    """Return the place that a header names, None for another header; `1º` and `1.º` say so by their sign."""
    if (match := _SIGNED.fullmatch(written.strip())) is not None:
        return int(match[1])
    match = _PLACE.fullmatch(header)
    return ORDINALS.get(header) if match is None else int(next(filter(None, match.groups())))


def _mapped(found: Columns, headers: Sequence[str], mapped: Mapping[str, str]) -> set[int]:
    """Take the columns that the user names; raises `UsageError` for a header that is not there."""
    names = {" ".join(header.split()).casefold(): at for at, header in reversed(list(enumerate(headers)))}
    taken: set[int] = set()
    for role, text in mapped.items():
        match = MAPPED.fullmatch(role)
        if match is None and role not in LONG and role not in GENERAL:
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
            found.players.setdefault(SIDES[match["side"]], []).append(at)
        elif match["points"]:
            found.points[SIDES[match["points"]]] = at
        else:
            found.places[int(match["place"])] = at
    if found.long and not {"player", "game"} <= found.long.keys():
        found.long = {}
    return taken


def _match(patterns: Sequence[re.Pattern[str]], header: str) -> re.Match[str] | None:
    return next((match for pattern in patterns if (match := pattern.fullmatch(header)) is not None), None)


def _long(headers: Sequence[str], rows: Sequence[Row]) -> dict[str, int]:
    """Return the columns of the long form, empty where the headers are not its own."""
    found: dict[str, int] = {}
    known = list(map(plain, headers))
    won = next((at for at, one in enumerate(headers) if named(one) == "winner" and _says_yes(at, rows)), -1)
    for role, names in LONG.items():
        at = next((known.index(name) for name in names if name in known), None)
        if at is None and role == "points":
            at = next((at for at, one in enumerate(headers) if named(one) == "score"), None)
        if at is not None and at not in found.values() and not (role == "place" and _names_none(at, rows)):
            found[role] = at
    if won >= 0 and "place" not in found and ("points" not in found or _fewest_win(found, won, rows)):
        found["points"] = won  # yes and no
    is_long = {"game", "player"} <= found.keys() and {"place", "points"} & found.keys()
    of_two = _is_of_two([header for at, header in enumerate(known) if at != won])
    return found if is_long and not of_two and known.count(known[found["player"]]) == 1 else {}


def _names_none(at: int, rows: Sequence[Row]) -> bool:
    """Whether a column of places has nothing but noughts, as a program writes them that keeps none."""
    return {row.cell(at) for row in rows} - {""} == {"0"}


def _fewest_win(found: Mapping[str, int], won: int, rows: Sequence[Row]) -> bool:
    """Whether those who won, by a column that says so, have the fewest points of their games and not the most."""
    games: dict[str, list[tuple[float, bool]]] = {}
    for row in rows:
        game, points, said = (row.cell(at) for at in (found.get("game", won), found["points"], won))
        if re.fullmatch(r"-?\d+(?:[.,]\d+)?", points):
            games.setdefault(game, []).append((float(points.replace(",", ".")), said.casefold() in _YES))
    told = [game for game in games.values() if len({points for points, _ in game}) > 1 and any(yes for _, yes in game)]
    fewest = sum(min(game)[0] == min(points for points, yes in game if yes) for game in told)
    most = sum(max(game)[0] == max(points for points, yes in game if yes) for game in told)
    return fewest > most


def _is_of_two(known: Sequence[str]) -> bool:
    sides = {"opponent", "white", "black", "winner", "loser"}
    return any(named(header) in sides for header in known)


def _by_days(headers: Sequence[str], rows: Sequence[Row], found: Columns) -> Columns | None:
    """Return the columns of a long form whose games are told by their days alone: most have two players or more."""
    known = list(map(plain, headers))
    days = [at for at, head in enumerate(headers) if head.strip() and not is_date(head) and is_days_at(at, rows)]
    day = found.rest.get("date", days[0] if len(days) == 1 else None)
    if day is None or found.points:
        return None
    long = _long([*headers, "game"], rows)
    if not long or long["game"] < len(known):
        return None
    cells = [
        (row.cells[day].strip(), row.cells[long["player"]].strip()) for row in rows if len(row.cells) >= len(known)
    ]
    players: dict[str, set[str]] = {}
    for when, name in cells:
        players.setdefault(when, set()).add(identity(clean_name(name)))
    if not cells or sum(len(names) > 1 for names in players.values()) < 0.8 * len(players) or "" in players:
        return None
    rest = {name: at for name, at in found.rest.items() if at not in long.values()}
    return Columns(long=long | {"game": day}, rest=rest, by_day=True)


def _of_cells(headers: Sequence[str], rows: Sequence[Row], found: Columns) -> Columns | None:
    """Return the columns of two sides whose cells name several players each, None where they do not."""
    roles: dict[str, int] = {}
    for at, (header, told) in enumerate(zip(headers, roles_of(headers), strict=True)):
        if role := named(header) or told:
            roles.setdefault(role, at)
    names = ("white", "black") if {"white", "black"} <= roles.keys() else ("winner", "loser")
    both = [roles[name] for name in names] if set(names) <= roles.keys() else _of_several(rows, roles)
    if len(both) != 2:
        return None
    cells = [text for row in rows for i in both if (text := row.cell(i))]
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
    new.won = both == [roles.get("winner"), roles.get("loser")]
    if new.won:
        new.rest.pop("winner", None)
    new.long = {}
    return Several(**vars(new))


def _of_several(rows: Sequence[Row], roles: Mapping[str, int]) -> list[int]:
    """Return the two columns, whatever their headings, whose cells name several players each, mostly the same ones."""
    if "score" not in roles and not {"white_points", "black_points"} <= roles.keys():
        return []
    found: dict[int, set[str]] = {}
    for at in range(max((len(row.cells) for row in rows), default=0)):
        cells = [players_in(text, COMMA) for row in rows if (text := row.cell(at))]
        several = sum(len(names) > 1 for names in cells)
        if at not in roles.values() and several >= 0.8 * len(cells) and 2 * len(cells) > len(rows):
            found[at] = {identity(name) for names in cells for name in names}
    if len(found) != 2:
        return []
    one, other = found.values()
    return list(found) if 2 * len(one & other) >= min(len(one), len(other)) else []


def _of_winners(headers: Sequence[str], rows: Sequence[Row], found: Columns) -> Columns | None:
    """Return the columns of seats at a table and of the winner among them, None for another table.

    A winner may also stand beside one cell of all who lost to him, or of all who played.
    """
    known = list(map(plain, headers))
    seats = {int(match["number"]): at for at, one in enumerate(known) if (match := SEAT.fullmatch(one))}
    won = next((at for at, one in enumerate(known) if named(one) == "winner"), None)
    if won is None or found.points or found.long or _says_yes(won, rows):
        return None
    new = Columns(rest={name: at for name, at in found.rest.items() if name in GENERAL - {"score"}}, one_wins=True)
    new.between = COMMA
    if len(seats) > 2:
        told = [(row, players_in(row.cells[won], COMMA)) for row in rows if won < len(row.cells)]
        told = [(row, names) for row, names in told if names]
        among = sum(
            {*map(identity, names)}
            <= {identity(clean_name(row.cells[at])) for at in seats.values() if at < len(row.cells)}
            for row, names in told
        )
        to_come = bool(rows) and not told and "score" not in found.rest  # games of which nobody has won one yet
        if not to_come and (not told or among < 0.8 * len(told)):
            return None
        new.players = {seat: [at] for seat, at in sorted(seats.items())}
        new.rest["winner"] = won
        return new
    lost = next((at for at, one in enumerate(known) if one in OTHERS), _all_who_played(won, headers, rows))
    if lost is None:
        return None
    cells = _beside(won, lost, rows)
    if cells and 2 * sum(map(_is_within, cells)) > len(cells):  # all who played, and who of them won
        new.players = {1: [lost]}
        new.rest["winner"] = won
        return new
    alone = all(len(players_in(one, COMMA)) == 1 for one, _ in cells)
    several = sum(len(players_in(many, COMMA)) > 1 for _, many in cells)
    if not cells or not alone or several < len(cells) / 2 or not _are_of_one_name(cells):
        return None
    new.players = {1: [won], 2: [lost]}
    return new


def _all_who_played(won: int, headers: Sequence[str], rows: Sequence[Row]) -> int | None:
    """Return the column, whatever its heading, that names the winner among others in most rows; None for no such."""
    several: dict[int, bool] = {}
    for at in {*range(len(headers))} - {won}:
        if is_days_at(at, rows):
            continue
        cells = _beside(won, at, rows)
        lists = [pair for pair in cells if len(players_in(pair[1], COMMA)) > 1]
        if cells and 2 * len(lists) > len(cells):
            among = [pair for pair in lists if _is_within(pair) and not _is_within(pair[::-1])]
            several[at] = 2 * len(among) > len(cells)
    return next(iter(several)) if len(several) == 1 and all(several.values()) else None


def _beside(won: int, other: int, rows: Sequence[Row]) -> list[tuple[str, str]]:
    """Return the winner and the cell beside him of each row that has both."""
    return [(one, many) for row in rows if (one := row.cell(won)) and (many := row.cell(other))]


def _is_within(pair: tuple[str, str]) -> bool:
    """Whether the second text names all those of the first, such as the winner and all who played."""
    one, many = pair
    return {*map(identity, players_in(BRACKETS.sub("", one), COMMA))} <= {*map(identity, players_in(many, COMMA))}


def _says_yes(at: int, rows: Sequence[Row]) -> bool:
    """Whether a column says yes and no, or W and L, and names nobody."""
    cells = {row.cell(at).casefold() for row in rows} - {""}
    return bool(cells) and cells <= YES_NO.keys() | WIN_DRAW_LOSS.keys()


def _are_of_one_name(cells: Sequence[tuple[str, str]]) -> bool:
    """Whether those who lost are names of their own: some of them win, or lose beside others, elsewhere."""
    losers = [{*map(identity, players_in(many, COMMA))} for _, many in cells]
    winners = {identity(clean_name(one)) for one, _ in cells}
    return bool(winners & set().union(*losers)) or len(set(map(frozenset, losers))) < len(losers)


def _by_contrast(headers: Sequence[str], rows: Sequence[Row], found: Columns) -> Columns | None:
    """Return the columns of two sides that are told apart by one word each: `Blau Sturm`, `Rot Sturm`, `Tore Rot`.

    What else the headings say is the same for both, and names two players or more of each.
    """
    words = [words_of(header) for header in headers]
    rest: dict[str, dict[tuple[str, ...], int]] = {}
    for at, said in enumerate(words):
        for place, word in enumerate(said if len(said) > 1 else ()):
            rest.setdefault(word, {})[said[:place] + said[place + 1 :]] = at
    kind = cache(lambda at: kind_of(column_of(rows, at)))
    for one, there in rest.items():
        for other in list(rest)[list(rest).index(one) + 1 :]:
            if rest[other].keys() != there.keys():
                continue
            new = Columns(rest=dict(found.rest))
            new.players = {
                side: sorted(at for at in part.values() if kind(at) == "name")
                for side, part in ((1, there), (2, rest[other]))
            }
            new.points = {
                side: at
                for side, part in ((1, there), (2, rest[other]))
                for at in part.values()
                if kind(at) == "number"
            }
            first, second = new.players[1], new.players[2]
            apart = first and second and (first[-1] < second[0] or second[-1] < first[0])
            result = len(new.points) == 2 or {"score", "winner"} & new.rest.keys()
            several = len(first) > 1 and len(first) == len(second) and apart and result
            if several and _change_places(headers, rows, new.players):
                new.names = {one: 1, other: 2}
                return new
    return None


def _by_seats(headers: Sequence[str], rows: Sequence[Row], found: Columns) -> Columns | None:
    """Return the columns of a table whose headings name seats."""
    table = seats(headers, rows)
    if table is None:
        return None
    new = Columns(
        players=table.players, rest={role: at for role, at in found.rest.items() if role in GENERAL - {"score"}}
    )
    if len(table.players) > 2:
        new.own_places = table.points if table.are_places else {}
    new.points = {} if table.are_places else table.points
    return new


def _change_places(headers: Sequence[str], rows: Sequence[Row], players: Mapping[int, Sequence[int]]) -> bool:
    """Whether the columns of a side name players each: by their headings, or since somebody stands in two of them.

    A deck or a car beside each player is none.
    """
    named = [
        {identity(row.cells[at]) for row in rows for at in columns if at < len(row.cells)}
        for columns in zip(*players.values(), strict=False)
    ]
    known = [all(_ROLES.keys() & set(words_of(headers[at])) for at in columns) for columns in players.values()]
    return all(known) or bool(set.union(*(one & other for one, other in combinations(named, 2)), set()) - {""})


def _cut_by(cells: Sequence[str]) -> re.Pattern[str] | None:
    """Return what cuts cells of two columns into players, None where they name one each.

    Four cells of five name several, or those who play alone are known as partners in others.
    """
    for between in (BETWEEN, COMMA, APART):
        if not any(map(between.search, cells)):
            continue
        cut = [players_in(cell, between) for cell in cells]
        pairs = [names for names in cut if len(names) > 1]
        alone = {identity(names[0]) for names in cut if len(names) == 1}
        known = {identity(name) for names in pairs for name in names}
        most = len(pairs) >= 0.8 * len(cells) or (len(pairs) >= 0.3 * len(cells) and alone <= known)
        if (
            between is BETWEEN
            and len(pairs) > 1
            and known <= alone
            and all(_CUT in cell for cell in cells if players_in(cell)[1:])
        ):
            return between  # doubles among the singles of the same players
        slashed = sum(_CUT in cell for cell in cells) >= 0.8 * len(cells)
        are_players = (slashed or _is_mixed(pairs)) if between is BETWEEN else _is_mixed(pairs) and _take_turns(pairs)
        if most and are_players:
            return between
    joints = (sign for sign in JOINTS if all(map(sign.search, cells)))
    return next((sign for sign in joints if _are_pairs([players_in(cell, sign) for cell in {*cells}])), None)


def _are_pairs(sides: Sequence[Sequence[str]]) -> bool:
    """Whether parts of names are players: fewer than the sides that they make, each now first and now behind."""
    names = {identity(name) for side in sides for name in side}
    same = len(set(map(len, sides))) == 1 and len(sides[0]) > 1
    return same and len(names) < len(set(map(tuple, sides))) and _is_mixed(sides) and _take_turns(sides)


def _take_turns(sides: Sequence[Sequence[str]]) -> bool:
    """Whether who has different partners is named now first, now behind one: not so the parts of `Family, Given`.

    Half of them is enough, since sides are written in some order as well, such as by the alphabet. Of the 33 names
    that several of the 284 players of an open had, four were a given name and a family name both.
    """
    places: dict[str, set[bool]] = {}
    partners: dict[str, set[str]] = {}
    for side in sides:
        for at, name in enumerate(map(identity, side)):
            places.setdefault(name, set()).add(at > 0)
            partners.setdefault(name, set()).update(map(identity, side))
    free = [name for name, met in partners.items() if len(met) > max(map(len, sides))]
    return sum(len(places[name]) > 1 for name in free) >= len(free) / 2


def _is_mixed(sides: Sequence[Sequence[str]]) -> bool:
    """Whether anybody plays with different partners: Bosnia & Herzegovina is one side that never does."""
    partners: dict[str, set[str]] = {}
    for side in sides:
        for name in side:
            partners.setdefault(identity(name), set()).update(map(identity, side))
    return any(len(met) > max(map(len, sides)) for met in partners.values())


class Several(Columns):
    """The columns of sides that name their players in one cell."""

    @property
    def is_known(self) -> bool:
        return True


def players_in(cell: str, between: re.Pattern[str] = BETWEEN) -> list[str]:
    return [name for name in map(clean_name, between.split(cell)) if name]


def names_in(side: str) -> list[str]:
    """Return the players of a side that stands in one cell, such as Anna / Ben."""
    return players_in(side)
