"""Tables of all against all, as organisers and leagues publish them: a side a row, an opponent a column.

The columns are headed by the opponents' numbers or names, and where a side meets itself the cell is empty or marked. A
cell says what its row's side scored: `1`, `½`, `+`, or several games as `1½`, `1 0` and, as their sum, `1,5`; the other
side's cell says the same from there, and where the two disagree the games are kept out. So it is with the `V5` and `D3`
of fencers, a bout won with five touches and one lost with three. Cells of goals (`3:1`) of which the other one is no
mirror image are games of their own, with the row's side at home. Headings may be short for the names of the rows, in
their order: `AVL` for Aston Villa.

Such a table tells neither days nor rounds, and of single cells no colours: the side whose row stands first counts as
White.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import takewhile

from elo_sheets.games import Problem
from elo_sheets.readers._layout import Row, Table
from elo_sheets.readers._pairings import Player as Side
from elo_sheets.readers._pairings import told_apart
from elo_sheets.readers._people import people_columns, person, with_title
from elo_sheets.readers._registry import How
from elo_sheets.readers._results import FORFEIT, PAIR, UNFINISHED, Outcome, compared, number, outcome, tidy
from elo_sheets.readers._text import Reading, Record, clean_name, identity, missing_player
from elo_sheets.readers._twice import MORE
from elo_sheets.readers._words import plain

FEWEST = 3  # sides of a table that nothing else proves to be one
DEEPEST = 50  # rows that are looked at for the header
ENOUGH = 0.8  # of the cells, and of the pairs of cells, must read as results
NAMED_IN = 4  # first columns that may hold the names where no header says so
MOST_SIDES = 500

OWN = re.compile(r"[\W_]*|[xх]+|n/?a", re.I)
PART = re.compile(r"\s*(1/2|½|=|[01](?:[.,]0)?(?![.,]\d)|0?[.,]5|\+|[-−–])\s*[;,/|]?")
SUM = re.compile(r"\d{1,2}(?:[.,][05])?|\d{0,2}½")
POINTS = {"1/2": 0.5, "½": 0.5, "=": 0.5, "0.5": 0.5, "0,5": 0.5, ".5": 0.5, ",5": 0.5, "1": 1.0, "0": 0.0}
POINTS |= {"1.0": 1.0, "1,0": 1.0, "0.0": 0.0, "0,0": 0.0}
SIGNS = {"+": 1.0, "-": 0.0, "−": 0.0, "–": 0.0}  # of a game won and lost, or of a forfeit
POINTS |= SIGNS
COUNTED = re.compile(r"(\d{1,3})(?:[.)]\s*|\s+)(\D.*)")
# A bout with the points of the row's side: victoire, win, Sieg, gewonnen; défaite, loss, Niederlage, perdu.
BOUT = re.compile(r"(?:(?P<won>[vwsg])|[dlnp])\s?(\d{1,2})", re.I)
NO_ORDER = (
    "the two cells disagree, or are sums that leave open which games were won and which drawn; write each game, as in "
    "1½ or 1 0"
)


@dataclass(frozen=True)
class Matrix:
    """Where the header stands, the columns of what is said of a side, and of each side its row and its column."""

    header: int
    columns: dict[str, int]
    rows: Sequence[Row]
    places: Sequence[int]
    remark: str = ""

    def cell(self, side: int, other: int) -> str:
        """Return what one side's row says of another, both counted from 0."""
        cells = self.rows[side].cells
        return _in_sets(cells[self.places[other]].strip()) if self.places[other] < len(cells) else ""


def _in_sets(text: str) -> str:
    """Return the sets won of a cell such as `6-3 4-6 7-5`, another cell as it is; `1-0 1-0` are games of their own."""
    if len(pairs := PAIR.findall(text)) < 2 or all(max(map(number, pair)) <= 1 for pair in pairs):
        return text
    points = outcome(text).points
    return text if points is None else f"{points[0]:g}-{points[1]:g}"


def matrix_of(rows: Sequence[Row]) -> Matrix | None:
    """Return the table of all against all that these rows are, None where they are none.

    >>> table = [["No.", "Name", "1", "2", "3"], ["1", "Ann", "", "1", "½"], ["2", "Bob", "0", "", "1"]]
    >>> table += [["3", "Cid", "½", "0", ""]]
    >>> matrix_of([Row(line, cells) for line, cells in enumerate(table, 1)]).places
    [2, 3, 4]
    """
    for at, row in enumerate(rows[:DEEPEST]):
        below = rows[at + 1 :]
        if len(row.cells) < FEWEST + 1 or len(below) < FEWEST:
            continue
        for found in (way(at, row, below) for way in (_by_numbers, _by_names, _by_short_names)):
            if found is not None and _is_sound(found):
                return found
    return None


def _by_numbers(at: int, header: Row, below: Sequence[Row]) -> Matrix | None:
    heads = {int(text): i for i, cell in enumerate(header.cells) if (text := cell.strip().rstrip(".")).isdecimal()}
    count = len(heads)
    if not FEWEST <= count <= MOST_SIDES or sorted(heads) != list(range(1, count + 1)):
        return None
    columns = people_columns(header.cells)
    places = [heads[one] for one in range(1, count + 1)]
    if (name := columns.get("name", _named(below[:count], min(places)))) is None:
        return None
    columns["name"] = name
    sides = [row for row in below if row.cell(name) and _says(row, places)][:count]
    if len(sides) != count:
        return None
    for order in _orders(sides, min(places)):
        found = Matrix(at, columns, [row for _, row in sorted(zip(order, sides, strict=True))], places)
        if _meets_itself(found):
            return found
    return None


def _named(rows: Sequence[Row], before: int) -> int | None:
    """Return the first column in front of the results with another name in each row, None without one."""
    for at in range(min(before, NAMED_IN)):
        names = [clean_name(row.cell(at)) for row in rows]
        if all(any(map(str.isalpha, name)) for name in names) and len(set(map(identity, names))) == len(names):
            return at
    return None


def _orders(sides: Sequence[Row], before: int) -> Iterator[list[int]]:
    """Yield the numbers that the sides may have: those of each column before the results, and their order."""
    wanted = list(range(1, len(sides) + 1))
    for at in range(before):
        texts = [row.cell(at).rstrip(".") for row in sides]
        if all(text.isdecimal() and len(text) < 4 for text in texts) and sorted(map(int, texts)) == wanted:
            yield list(map(int, texts))
    yield wanted


def _by_names(at: int, header: Row, below: Sequence[Row]) -> Matrix | None:
    heads: dict[str, int] = {}
    for i, cell in enumerate(header.cells):
        if cell.strip():
            heads.setdefault(identity(clean_name(cell)), i)
    if len(below) > 2 * len(heads) + FEWEST:
        return None
    for column in range(min(NAMED_IN, len(header.cells))):
        sides: dict[str, Row] = {}
        for row in below:
            name = identity(clean_name(row.cell(column)))
            if heads.get(name, column) > column:
                sides.setdefault(name, row)
        if len(sides) >= FEWEST:
            columns = {role: i for role, i in people_columns(header.cells).items() if role != "name"} | {"name": column}
            found = Matrix(at, columns, list(sides.values()), [heads[name] for name in sides])
            if _meets_itself(found):
                return found
    return None


def _by_short_names(at: int, header: Row, below: Sequence[Row]) -> Matrix | None:
    """Return a table whose headings are short for the names of the rows, in the order of these: a grid of a league."""
    for column in range(min(NAMED_IN, len(header.cells) - FEWEST)):
        heads = [cell.strip() for cell in header.cells[column + 1 :]]
        names = (clean_name(row.cell(column)) for row in below)
        count = sum(1 for _ in takewhile(lambda pair: _is_short(*pair), zip(heads, names, strict=False)))
        if not FEWEST <= count <= MOST_SIDES or len(set(heads[:count])) < count:
            continue
        places = range(column + 1, column + 1 + count)
        first = clean_name(below[0].cells[column])
        told = f"the headings of a table of all against all are short for its rows, as {heads[0]!r} for {first!r}"
        found = Matrix(at, {"name": column}, below[:count], places, told)
        rest = [row.cells[place] for row in below[count:] for place in places if place < len(row.cells)]
        alike = all(found.cell(i, i) == found.cell(0, 0) for i in range(count))
        if alike and _meets_itself(found) and not any(map(PAIR.fullmatch, rest)):
            return found
    return None


def _is_short(head: str, name: str) -> bool:
    """Tell whether the letters of a heading stand in a name, in their order and the first at a word's beginning.

    >>> _is_short("AVL", "Aston Villa"), _is_short("MUN", "Manchester City"), _is_short("Pts", "Aston Villa")
    (True, False, False)
    """
    letters, rest = plain(head), iter(plain(name))
    begins = bool(letters) and any(plain(word).startswith(letters[0]) for word in re.findall(r"\w+", name))
    return begins and all(letter in rest for letter in letters)


def _says(row: Row, places: Sequence[int]) -> bool:
    return any(map(row.cell, places))


def _meets_itself(found: Matrix) -> bool:
    """Tell whether every cell in which a side would meet itself is empty or marked."""
    return all(OWN.fullmatch(found.cell(at, at)) for at in range(len(found.rows)))


def _is_sound(found: Matrix) -> bool:
    """Tell whether most cells read as results, and most pairs of cells tell of the same games."""
    some = [(one, other) for one, other in _pairs(found) if not _is_open(one) or not _is_open(other)]
    read = [(one, other) for one, other in some if _reads(one) and _reads(other)]
    if not read or len(read) < ENOUGH * len(some):
        return False
    if _at_home(found):
        return True
    signs = _has_signs(found)
    told = [_games(one, other, signs) for one, other in read]
    return sum(any(game.reason in ("", FORFEIT, NO_ORDER) for game in games) for games in told) >= ENOUGH * len(read)


def _pairs(found: Matrix) -> list[tuple[str, str]]:
    count = len(found.rows)
    return [(found.cell(i, j), found.cell(j, i)) for i in range(count) for j in range(i + 1, count)]


def _is_open(text: str) -> bool:
    return text.casefold() in ("", "?", "*", "bye") or (len(text) > 1 and set(text) <= set("-–—: ."))


def _reads(text: str) -> bool:
    return bool(_is_open(text) or BOUT.fullmatch(text) or PAIR.fullmatch(text) or _parts(text) or SUM.fullmatch(text))


def _at_home(found: Matrix) -> bool:
    """Tell whether the cells are goals of which each is a game of its own."""
    pairs = [(PAIR.fullmatch(one), PAIR.fullmatch(other)) for one, other in _pairs(found)]
    cells = [cell for pair in pairs for cell in pair if cell]
    texts = [cell for pair in _pairs(found) for cell in pair if not _is_open(cell)]
    if not cells or len(cells) < ENOUGH * len(texts):
        return False
    return not all(one[1] == other[2] and one[2] == other[1] for one, other in pairs if one and other)


def _has_signs(found: Matrix) -> bool:
    """Tell whether games won and lost are written as 1 and 0, so that + and - say something else."""
    return any({"1", "0"} & set(_parts(cell)) for pair in _pairs(found) for cell in pair)


def _has_goals(found: Matrix) -> bool:
    """Tell whether the cells' pairs of numbers are goals or points, not the 1-0 of chess."""
    texts = [cell for pair in _pairs(found) for cell in pair]
    if any(map(BOUT.fullmatch, texts)):
        return True
    cells = map(PAIR.fullmatch, texts)
    return any(number(cell[1]) + number(cell[2]) != 1 for cell in cells if cell)


def _parts(text: str) -> list[str]:
    """Return the single results of a cell, none where it is no row of them.

    >>> _parts("1½"), _parts("1 0"), _parts("0,5"), _parts("2")
    (['1', '½'], ['1', '0'], ['0,5'], [])
    """
    found, at = [], 0
    while at < len(text) and (part := PART.match(text, at)):
        found.append(part[1])
        at = part.end()
    return found if at == len(text) else []


def _games(one: str, other: str, signs: bool) -> list[Outcome]:
    """Return the games of two sides, as outcomes for the first; one without a score says why it is none."""
    if _is_open(one) and _is_open(other):
        return [Outcome(None, UNFINISHED)]
    bout, back = BOUT.fullmatch(one), BOUT.fullmatch(other)
    if bout and back:
        won, points = bool(bout["won"]), (number(bout[2]), number(back[2]))
        agree = won != bool(back["won"]) and (points[0] >= points[1] if won else points[0] <= points[1])
        return [Outcome(float(won), points=points)] if agree else [_disagreement(one, other)]
    here, there = PAIR.fullmatch(tidy(one)), PAIR.fullmatch(tidy(other))
    if here or there:
        first = compared(number(here[1]), number(here[2])) if here else None
        second = compared(number(there[2]), number(there[1])) if there else None
        if first and second and first != second:
            return [_disagreement(one, other)]
        return [told for told in (first, second) if told is not None][:1]
    mine, yours = _parts(one), _parts(other)
    if mine and len(mine) == len(yours) and all(POINTS[a] + POINTS[b] == 1 for a, b in zip(mine, yours, strict=True)):
        return [Outcome(None, FORFEIT) if signs and part in SIGNS else Outcome(POINTS[part]) for part in mine]
    return _of_sums(one, other)


def _disagreement(one: str, other: str) -> Outcome:
    return Outcome(None, f"the two cells disagree: {one or 'empty'} and {other or 'empty'}")


def _of_sums(one: str, other: str) -> list[Outcome]:
    """Return the games of two sums of points, which must be won or lost but for one."""
    if not (SUM.fullmatch(one) and SUM.fullmatch(other)):
        return [_disagreement(one, other)]
    mine, yours = number(one), number(other)
    count = mine + yours
    if count < 2 or count != int(count):
        return [_disagreement(one, other)]
    if min(mine, yours) > 0.5:
        return [Outcome(None, NO_ORDER)]
    return [*[Outcome(1.0)] * int(mine), *[Outcome(0.5)] * (mine != int(mine)), *[Outcome(0.0)] * int(yours)]


def read_matrix(found: Matrix, table: Table, how: How) -> Reading:
    """Return the games of a table of all against all, the problems and who takes part."""
    reading = Reading(notes=[*table.notes, *filter(None, [found.remark])])
    people = _people(found, reading)
    players = told_apart({at: Side(row.line, one["name"], one["rating"]) for at, (row, one) in people.items()}, reading)
    day = table.said.get("date")
    said: Record = {"date": day if isinstance(day, datetime) else None, "event": table.said.get("event") or ""}
    sides = list(players.values())
    home, signs, goals = _at_home(found), _has_signs(found), _has_goals(found)
    for i, own in enumerate(sides):
        for j, opponent in enumerate(sides):
            one, other = found.cell(i, j), found.cell(j, i)
            if i == j or (j < i and not home) or not (one or other):
                continue
            missing = missing_player(own.name, how.keep_names) or missing_player(opponent.name, how.keep_names)
            record = said | {"white": own.name, "black": opponent.name, "source": table.name, "source_row": own.line}
            record |= {"white_rating": own.rating, "black_rating": opponent.rating}
            games = _games(one, "" if home else other, signs)
            for at, game in enumerate(games, 1):
                if missing or game.score is None:
                    reading.problems.append(Problem(table.name, own.line, opponent.name, one, missing or game.reason))
                    continue
                told: Record = {} if len(games) == 1 else {f"{MORE}game": str(at)}
                if game.points is not None and goals:
                    told |= dict(zip(("white_points", "black_points"), game.points, strict=True))
                reading.records.append(record | {"score": game.score} | told)
    if not home and reading.records:
        reading.notes.append("a table of all against all tells no colours: the side that stands first counts as White")
    if reading.records and said["date"] is None:
        reading.notes.append("a table of all against all without a date: the games are in the order of its rows")
    reading.entrants = [one | {"name": players[at].name} for at, (_, one) in people.items()]
    reading.tournament = {"place": table.said.get("place"), "arbiter": None, "last_day": table.said.get("last_day")}
    return reading


def _people(found: Matrix, reading: Reading) -> dict[int, tuple[Row, Record]]:
    """Return the row of each side, and its name, rating, federation, id, year of birth and title.

    Numbers that count the names through, as those of the columns do (`1 Ann`, `2. Bob`), are no part of them.
    """
    columns = with_title(found.columns, found.rows)
    people = {at: (row, person(row, columns, reading)) for at, row in enumerate(found.rows)}
    numbered = [COUNTED.fullmatch(one["name"]) for _, one in people.values()]
    bare = [match[2] for at, match in enumerate(numbered, 1) if match and int(match[1]) == at]
    if len(bare) == len(people):
        reading.notes.append(f"the numbers before the names were left out, as in {people[0][1]['name']!r}")
        people = {at: (row, one | {"name": name}) for (at, (row, one)), name in zip(people.items(), bare, strict=True)}
    return people
