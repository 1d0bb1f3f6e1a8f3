"""Tables of many: a row for each player of each game, the rows of one game below each other.

The columns are told by what reads what: the expectation has the power, it compares the ratings of the rows of its game;
the score follows from the place or the points; the change from both; the rating after from the change. What a cell
should give is then `relations`' to say, and every cell is held against it as a function.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from elo_sheets.files.package import CellError, Value
from elo_sheets.recognise.model import Key, Model
from elo_sheets.recognise.roles import has_power

LEAST_ROWS = 6
MOST_AT_TABLE = 20
MOSTLY = 0.6  # of the rows have what makes a column what it is
NUMERIC = re.compile(r"[\d.,'’ \xa0]+")  # a number that was typed as a text
SOME = 0.12  # of the rows read a column that all should read: a fault may begin early


@dataclass
class Game:
    """The rows of one game, from the first to the last."""

    rows: list[int]

    @property
    def size(self) -> int:
        """How many play."""
        return len(self.rows)


@dataclass
class Roster:
    """The list of players: where each name, his start rating and his rating of now stand."""

    names: dict[str, Key] = field(default_factory=dict)
    starts: dict[str, Key] = field(default_factory=dict)
    finals: dict[str, Key] = field(default_factory=dict)
    twice: list[Key] = field(default_factory=list)


@dataclass
class Table:
    """The games of a sheet and the columns of its rows."""

    sheet: str
    games: list[Game]
    player: int
    result: int | None  # None where the places are those of the columns
    columns: dict[str, int]  # role -> column of formulas
    roster: Roster
    is_named: bool = field(default=False, kw_only=True)  # the result of a game is the name of who won

    def key(self, row: int, column: int | str) -> Key:
        """Return the cell of a row in a column or in the column of a role."""
        return (self.sheet, row, column if isinstance(column, int) else self.columns[column])

    def results(self, model: Model, game: Game) -> list[float]:
        """Return the places or points of who plays a game, one for who won it by name; fewer where some lack."""
        assert self.result is not None
        keys = [self.key(row, self.result) for row in game.rows]
        if not self.is_named:
            return [number for key in keys if (number := model.number(key)) is not None]
        names = [text(model, self.key(row, self.player)) for row in game.rows]
        won = text(model, keys[0])
        return [float(name == won) for name in names] if won in names else []

    def given(self, model: Model, game: Game, results: list[float], by_place: bool) -> dict[Key, Value]:
        """Return the cells in which other results of a game stand, and how they do."""
        assert self.result is not None
        if not self.is_named:
            return {self.key(row, self.result): one for row, one in zip(game.rows, results, strict=True)}
        first = game.rows[results.index((min if by_place else max)(results))]
        return {self.key(first, self.result): text(model, self.key(first, self.player))}

    @property
    def gain(self) -> str:
        """The role that works out what a player gains: his change, or his new rating where that does it at once."""
        return "change" if "change" in self.columns else "after"

    @property
    def rows(self) -> list[int]:
        """The rows of all games."""
        return [row for game in self.games for row in game.rows]

    def beside(self, key: Key) -> set[int]:
        """Return the columns of formulas that a formula of a row might read instead."""
        return set(self.columns.values())

    def holds(self, key: Key) -> bool:
        """Return whether a cell is in the row of a game."""
        return key[0] == self.sheet and key[1] in set(self.rows)

    def owned(self) -> set[Key]:
        """The cells whose formulas are judged here."""
        own = {self.key(row, role) for row in self.rows for role in self.columns}
        return own | set(self.roster.finals.values())


def find(model: Model, sheet: str) -> Table | None:
    """Return the table of many of a sheet, None where there is none."""
    powers = Counter(key[2] for key, form in model.forms.items() if key[0] == sheet and has_power(form.tree))
    for expected, count in powers.most_common(3):
        if count < LEAST_ROWS:
            break
        rows = sorted(key[1] for key in model.forms if key[0] == sheet and key[2] == expected)
        for player, games in _games(model, sheet, rows):
            for columns in _columns(model, sheet, games, expected):
                result = _result(model, sheet, games, columns["score"])
                if result is None:
                    continue
                cells = {(sheet, row, player): text(model, (sheet, row, player)) for row in rows}
                names = {key: name for key, name in cells.items() if name is not None}
                return Table(sheet, games, player, result, columns, roster(model, sheet, names))
    return None


def text(model: Model, key: Key) -> str | None:
    """Return the text that is typed in a cell, without outer blanks; None for anything else."""
    value = model.value(key)
    is_text = isinstance(value, str) and not isinstance(value, CellError) and not model.is_formula(key)
    return str(value).strip() or None if is_text else None


def _games(model: Model, sheet: str, rows: list[int]) -> Iterator[tuple[int, list[Game]]]:
    """Yield the columns of names with the games, told by a column whose entries are equal in the rows of one."""
    columns = sorted({column for row, column in model.book.sheets[sheet] if row in set(rows)})
    typed = [c for c in columns if sum(not model.is_formula((sheet, r, c)) for r in rows) > MOSTLY * len(rows)]
    named = [c for c in typed if sum(text(model, (sheet, r, c)) is not None for r in rows) > MOSTLY * len(rows)]
    found = []
    for player in named:
        for column in typed:
            games = _runs(model, sheet, rows, column) if column != player else []
            names = [[text(model, (sheet, row, player)) for row in game.rows] for game in games]
            apart = sum(len(set(told)) == len(told) for told in names)
            many = sum(3 <= game.size <= MOST_AT_TABLE for game in games)
            repeat = len({name for told in names for name in told}) < len(rows)
            if games and apart > 0.8 * len(games) and many > MOSTLY * len(games) and repeat and len(games) > 1:
                found.append((len(games), player, games))
    for _, player, games in sorted(found, key=lambda one: -one[0]):
        yield player, games


def _runs(model: Model, sheet: str, rows: list[int], column: int) -> list[Game]:
    """Return the runs of rows in which a column has the same entry."""
    games: list[Game] = []
    before: object = None
    for row in rows:
        value = model.value((sheet, row, column))
        if value in (None, "") or value != before:
            games.append(Game([]))
        games[-1].rows.append(row)
        before = value
    return games


def _columns(model: Model, sheet: str, games: list[Game], expected: int) -> Iterator[dict[str, int]]:
    """Yield the columns by what they read: those of the ratings before, scores, changes and ratings after."""
    rows = [row for game in games for row in game.rows]
    reads: dict[int, Counter[int]] = {}  # column -> columns of its own row that it reads
    across: dict[int, Counter[int]] = {}  # column -> columns of which it reads several rows of its game
    filled: Counter[int] = Counter()
    for row in rows:
        for column in {c for r, c in model.book.sheets[sheet] if r == row}:
            key = (sheet, row, column)
            if key not in model.forms:
                continue
            filled[column] += 1
            own = [a for a in model.areas(key) if a.sheet == sheet and a.row <= row <= a.bottom]
            reads.setdefault(column, Counter()).update({a.column for a in own if a.single})
            across.setdefault(column, Counter()).update({a.column for a in own if not a.single})
    most = MOSTLY * len(rows)
    formulas = {column for column, count in filled.items() if count > most}

    def read(column: int | None, table: Mapping[int, Counter[int]]) -> set[int]:
        return {other for other, count in table.get(column or 0, Counter()).items() if count > SOME * len(rows)}

    compared = read(expected, across) & formulas
    others = None
    if not compared:  # the mean of the others stands in a column of its own
        means = [c for c in read(expected, reads) & formulas if read(c, across) & formulas]
        others = means[0] if means else None
        compared = read(others, across) & formulas
    if len(compared) != 1:
        return
    before = compared.pop()
    later = [c for c in formulas - {expected, before, others} if expected in read(c, reads)]
    for change in sorted(later, key=lambda column: -reads[column][expected]):
        inputs = (read(change, reads) - {expected, before}) & set(formulas)
        scores = [c for c in inputs if expected not in read(c, reads)] or [
            c for c in formulas - {expected, before, others, change} if before not in read(c, reads) | read(c, across)
            and change not in read(c, reads) and not read(c, reads) & set(later) and read(c, across) - formulas
        ]  # fmt: skip
        for score in scores:
            found = {"before": before, "expected": expected, "score": score, "change": change}
            if before in read(change, reads):  # the new rating, with its change worked out in it
                found["after"] = found.pop("change")
                yield found | ({} if others is None else {"others": others})
                continue
            after = [c for c in formulas - set(found.values()) if {before, change} <= read(c, reads)]
            left = formulas - {*found.values(), *later, others}
            beside = {change + 1} if before in read(change + 1, reads) else set()
            after = after or [c for c in left if change in read(c, reads) or c in beside]
            yield found | ({} if others is None else {"others": others}) | ({"after": after[0]} if after else {})


def _result(model: Model, sheet: str, games: list[Game], score: int) -> int | None:
    """Return the typed column that most scores follow from."""
    found: Counter[int] = Counter()
    for game in games:
        for row in game.rows:
            areas = [a for a in model.areas((sheet, row, score)) if a.sheet == sheet and a.column == a.right]
            found.update(
                {a.column for a in areas if a.row <= row <= a.bottom and not model.is_formula((sheet, row, a.column))}
            )
    told = {column: _says_the_game(model, sheet, games, column) for column in found}
    return next((column for column, _ in found.most_common() if not told[column]), None)


def _says_the_game(model: Model, sheet: str, games: list[Game], column: int) -> bool:
    """Whether a column has one entry in all rows of a game, as its number or day, and no result of its own for each."""
    entries = [{model.value((sheet, row, column)) for row in game.rows} for game in games if game.size > 1]
    return sum(len(one) == 1 for one in entries) > MOSTLY * len(entries)


def roster(model: Model, sheet: str, cells: Mapping[Key, str]) -> Roster:
    """Return the list of players with their start ratings, wherever it stands; `cells` are the names in games."""
    playing = set(cells.values())
    best = Roster()
    for (own, column), rows in model.columns.items():
        found = Roster()
        for row in rows:
            name = None if (own, row, column) in cells else text(model, (own, row, column))
            if name is None or (name not in playing | set(found.names) and not _start(model, (own, row, column))):
                continue
            if name in found.names:
                found.twice.append((own, row, column))
                continue
            start = _start(model, (own, row, column))
            if start is None:
                continue
            found.names[name] = (own, row, column)
            found.starts[name] = start
            final = next(
                (k for at in range(1, 6) if (k := (own, row, column + at)) in model.forms and _reads(model, k, sheet)),
                None,
            )
            if final is not None:
                found.finals[name] = final
        known = playing & set(found.names)
        if len(known) > len(playing & set(best.names)) and len(known) >= MOSTLY * len(playing):
            best = found
    return best


def _start(model: Model, key: Key) -> Key | None:
    """Return the first typed number right of a name."""
    for at in range(1, 4):
        beside = (key[0], key[1], key[2] + at)
        if beside not in model.forms and model.value(beside) not in (None, ""):
            number = model.number(beside)
            as_text = text(model, beside)
            return beside if number is not None or (as_text and NUMERIC.fullmatch(as_text)) else None
    return None


def _reads(model: Model, key: Key, sheet: str) -> bool:
    return any(area.sheet == sheet and not area.single for area in model.areas(key))
