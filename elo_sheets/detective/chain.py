"""What is no game, told by the chain of ratings: rows in which no rating is compared, and who was last rated where.

A row between games without an expectation, and without all that is typed for a game, is furniture: a blank, a heading,
a subtotal, a bye, an unrated game, a bonus. Formulas of other rows may step over it.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import permutations

from elo_sheets.detective.facts import LIFT, STEP, Facts
from elo_sheets.detective.gains import Gain, Kind, ratings_of, row_cone, shown
from elo_sheets.detective.names import HALF, NEARLY, in_order, is_filled, name_column, name_columns, plain, texts_of
from elo_sheets.expr import Expr, walk
from elo_sheets.files.package import Value
from elo_sheets.recognise.model import Area, Key, Model, with_areas

CLOSE = 1e-6  # rating points; an engine gives about 15 digits
MOST_ASKED = 5  # games of which is asked what a rating after is


@dataclass
class Log:
    """The games of one sheet: their rows, what is typed in each, and the columns of ratings before and after."""

    sheet: str
    rows: set[int] = field(default_factory=set)
    games: list[int] = field(default_factory=list)  # the rows, and those that lack what a game's row should compute
    typed: set[int] = field(default_factory=set)  # columns that hold something typed in nearly every game
    gains: set[int] = field(default_factory=set)  # columns of expectations, changes and ratings after
    changes: set[int] = field(default_factory=set)  # of those, columns of changes, or of ratings after without such
    computed: set[int] = field(default_factory=set)  # columns of all that a game's rating follows from, and of itself
    counts: set[int] = field(default_factory=set)  # columns of goals or points that both sides have
    results: set[int] = field(default_factory=set)  # columns of what is typed as a result
    moves: set[tuple[int, float, int]] = field(
        default_factory=set
    )  # column of a change, its sign, of the player's name
    before: dict[int, int] = field(default_factory=dict)  # column of a rating before -> column of the player's name
    after: dict[int, int] = field(default_factory=dict)  # column of a rating after -> column of the player's name
    teams: dict[int, tuple[int, ...]] = field(default_factory=dict)  # column of a side's mean -> columns of its names
    compared: set[tuple[int, int]] = field(default_factory=set)  # columns of the ratings of the two sides
    typed_ratings: bool = False  # the ratings that are compared are typed into each row, and follow from no other game
    carried: tuple[int, int] | None = None  # one player's log: the columns of his rating before and after
    named: set[int] = field(default_factory=set)  # columns of names, where a player's rating stands in his own column
    lines: dict[int, str] = field(default_factory=dict)  # players' own columns, with whose they are
    by_hand: bool = False  # whether the games in these have formulas of their own, and who rests has none
    exchanged: bool = False  # points go by the difference of the ratings, and no result is expected
    furniture: set[int] = field(default_factory=set)

    @property
    def names(self) -> set[int]:
        """The columns of the players' names."""
        return set(self.before.values()) | self.named


def logs_of(facts: Facts, kinds: list[Kind], clean: Container[int] = ()) -> dict[str, Log]:
    """Return the games of each sheet that has any, with the rows between them that are none.

    `clean` are the ids of the kinds in which every sentence holds: what a column means is taken from those.
    """
    found: dict[str, Log] = {}
    for kind in kinds:
        found.setdefault(kind.sheet, Log(kind.sheet)).rows.update(kind.rows)
    for sheet, log in found.items():
        mine = [kind for kind in kinds if kind.sheet == sheet]
        best = max(mine, key=lambda kind: (id(kind) in clean, max(map(len, kind.seen.values())), len(kind.rows)))
        row = next(iter(best.seen))
        _columns(facts, log, best, row)
        log.typed |= _beside(facts.model, log, row)
        log.typed = {column for column in log.typed if is_filled(facts.model, log.sheet, log.rows, column)}
        last = max((at for column in log.typed for at in facts.model.columns.get((sheet, column), ())), default=0)
        numbered, first = _numbered(facts.model, log), min(log.rows)
        while all(like(facts.model, log, row, first - 1) for like in (_is_game, _is_computed_alike)):
            first -= 1  # the first game shows an error, say
        for other in range(first, max(*log.rows, last) + 1):
            like = _is_game if log.typed else _is_computed_alike
            rated = other in numbered or not _is_unrated(facts.model, log, row, other)
            if (sheet, other) in facts.context.byes:
                shares = log.gains - log.changes or log.gains
                rated = any(facts.model.number((sheet, other, column)) for column in shares)
            listed = like(facts.model, log, row, other) and rated and not _is_heading(facts.model, log, other)
            if other in log.rows or listed:
                log.games.append(other)
        end, model = log.games[-1], facts.model
        players = {plain(model.value((sheet, row, name))) for row in log.games for name in log.names} - {None}
        while _moves_a_player(model, log, players, end + 1):
            end += 1
        log.furniture = set(range(log.games[0], end + 1)) - set(log.games)
    return found


def _moves_a_player(model: Model, log: Log, players: Container[str | None], row: int) -> bool:
    """Whether a row below the games names a player of theirs and gives him another rating, as a bonus does."""
    named = {name for name in log.names if plain(model.value((log.sheet, row, name))) in players}
    columns = {column for column, _, name in log.moves if name in named}
    moved = any(model.number((log.sheet, row, column)) for column in columns)
    lines = log.lines if named else ()
    return moved or any(
        model.number((log.sheet, row, at)) not in (None, model.number((log.sheet, row - 1, at))) for at in lines
    )


def _numbered(model: Model, log: Log) -> set[int]:
    """The rows between the games that fill a gap in their running numbers: who numbers a game means it to count."""
    found: set[int] = set()
    for column in log.typed:
        numbers = {row: model.number((log.sheet, row, column)) for row in range(min(log.rows), max(log.rows) + 1)}
        given = {row: number for row, number in numbers.items() if number is not None}
        first = min(given.values(), default=0.0)
        if [*given.values()] == [first + at for at in range(len(given))] and log.rows <= given.keys():
            found |= given.keys()
    return found


def _beside(model: Model, log: Log, row: int) -> set[int]:
    """The typed columns that stand between others that games are computed from: days, numbers."""
    columns = {column for at, column in model.book.sheets[log.sheet] if at == row}
    used = log.typed | log.gains | set(log.before) | set(log.after)
    found, edge = set[int](), min(used, default=0)
    while edge - 1 in columns and (log.sheet, row, edge - 1) not in model.forms:
        edge -= 1
        found.add(edge)
    return found


def _is_heading(model: Model, log: Log, row: int) -> bool:
    """Whether words stand in a row where the games' rows are worked out: the head of a table below them."""
    cells = [(log.sheet, row, column) for column in log.computed]
    filled = {key: value for key in cells if (value := model.value(key)) not in (None, "")}
    words = (isinstance(value, str) and not any(char.isdigit() for char in value) for value in filled.values())
    return bool(filled) and not filled.keys() & model.forms.keys() and all(words)


def _is_unrated(model: Model, log: Log, like: int, row: int) -> bool:
    """Whether a row has all that is typed for a game, and hands the ratings through or says nothing of them."""
    idle = log.changes if log.gains > log.changes else set()  # without an expectation a change of nothing is none
    for column in log.gains | set(log.after):
        key, usual = (log.sheet, row, column), model.forms.get((log.sheet, like, column))
        if column in log.after and model.forms.get(key) is not usual:
            own = model.number(key)
            if own is not None and not any(model.number((log.sheet, row, before)) == own for before in log.before):
                return False
        elif model.value(key) not in (None, "") and not (column in idle and model.number(key) == 0):
            return False
    return True


def _columns(facts: Facts, log: Log, kind: Kind, row: int) -> None:
    model = facts.model
    if (ladder := facts.ladders.get(log.sheet)) is not None:
        log.lines, log.named = dict(ladder.lines), set(ladder.names)
        log.changes, log.gains, log.computed = ({*ladder.lines} for _ in range(3))
        log.by_hand = ladder.sparse
    log.exchanged = any(gain.exchanged for gain in kind.seen[row])
    asked = {row, *kind.rows[:: max(1, len(kind.rows) // MOST_ASKED)]}  # who plays in one has a column of his own, say
    for gain in kind.seen[row]:
        shares = [key for key, _, _ in gain.shares]
        log.changes |= {gain.cell[2]} if gain.cell[:2] == (log.sheet, row) else set()
        log.gains |= {key[2] for key in (gain.cell, *shares) if key[:2] == (log.sheet, row)}
        cone = (*row_cone(facts.context, gain), *shares)
        log.computed |= {key[2] for key in cone if key[:2] == (log.sheet, row) and key in model.forms}
        sides = (gain.own[0], gain.other[0])
        if all(side[:2] == (log.sheet, row) for side in sides):
            log.compared.add((min(sides)[2], max(sides)[2]))
        players = members(model, gain, row) or _named_in_order(model, log, gain)
        for one in players:
            log.before[one[0][2]] = one[1]
        if (found := misnamed(model, kind.rows, sorted({*gain.own, *gain.other}))) is not None:
            log.before[found[0]] = found[2]
        for own, team in ((True, gain.own), (False, gain.other)):
            if sum(one[2] is own for one in players) > len(team):  # its rating follows from those of its players
                log.computed |= {key[2] for key in team if key[:2] == (log.sheet, row) and key in model.forms}
        log.computed |= {key[2] for key in facts.readers(gain.cell, row) if key[:2] == (log.sheet, row)}
        bases = (*gain.own, *gain.other, *(key for key, _, _ in members(model, gain, row)))
        pairs = [(c, b) for c in (gain.cell, *facts.readers(gain.cell, row)) for b in dict.fromkeys(bases) if b != c]
        for cell, base in pairs:
            here = cell[:2] == base[:2] == (log.sheet, row) and base[2] in log.before
            columns = [key[2] for key in (cell, base, gain.cell)]
            if here and all(_adds(facts, *((log.sheet, at, one) for one in columns)) for at in asked):
                log.after[cell[2]] = log.before[base[2]]
                log.moves |= set(_moves(facts, cell, base, log))
                log.computed |= {cell[2], *(column for column, _, _ in log.moves)}
    log.typed_ratings = all(
        key[:2] == (log.sheet, row) and not model.is_formula(one)
        for gain in kind.seen[row]
        for key in (*gain.own, *gain.other)
        for one in ratings_of(model, key)
    )
    log.carried = _carried(model, log, kind.seen[row], row)
    if not log.moves:
        log.moves |= set(_gained(model, log, kind.seen[row], row))
        log.computed |= {column for column, _, _ in log.moves}
    _as_teams(model, log, kind, row)
    going = set(log.after.values()) or {name for _, _, name in log.moves}
    if any(len(side) > 1 for side in _teams(model, kind.seen[row], row)) and not set(log.before.values()) <= going:
        log.before, log.after, log.moves = {}, {}, set()  # it is not known of every member where his rating goes on
    log.computed |= set(log.before)
    for area in (area for column in log.computed for area in model.areas((log.sheet, row, column)) if area.single):
        key = (area.sheet or log.sheet, area.row, area.column)
        if key[:2] == (log.sheet, row) and key not in model.forms and model.value(key) not in (None, ""):
            log.typed.add(key[2])
    log.typed -= set() if ladder is None else set(ladder.entries.values())  # who rests has none


def _as_teams(model: Model, log: Log, kind: Kind, row: int) -> None:
    """Let a side whose rating is looked up by several names in one cell be these players', who gain what it gains."""
    for column in log.before if not log.after else ():
        names = name_columns(model, (log.sheet, row, column), row)
        texts = [texts_of(model, log.sheet, kind.rows, name) for name in names]
        if len(names) > 1 and all(len(one & two) > HALF * len(one) for one, two in permutations(texts, 2)):
            log.teams[column] = names
    partners = {name: team for team in log.teams.values() for name in team}
    log.moves |= {(column, sign, one) for column, sign, name in log.moves for one in partners.get(name, ())}


def _teams(model: Model, gains: list[Gain], row: int) -> Iterator[list[Key]]:
    """The ratings of each side's members."""
    for gain in gains:
        for own in (True, False):
            yield [key for key, _, of_own in members(model, gain, row) if of_own == own]


def _carried(model: Model, log: Log, gains: list[Gain], row: int) -> tuple[int, int] | None:
    """The columns of the rating before and after, where one player's rating before is the one after of a row above."""
    own, other = gains[0].own[0], gains[0].other[0]
    read = shown(model.tree(own), own[0])
    if len(gains) > 1 or own[:2] != (log.sheet, row) or other[:2] != own[:2] or model.is_formula(other):
        return None
    if read is None or read[0] != own[0] or read[1] >= row:
        return None
    return (own[2], read[2]) if read[2] in log.computed else None


def members(model: Model, gain: Gain, row: int) -> list[tuple[Key, int, bool]]:
    """The ratings that a game compares which are looked up by name: each, the name's column, and if it is the own side.

    Where a side is a team they are those of its members.
    """
    found = []
    for side in (gain.own, gain.other):
        for key in side:
            name = name_column(model, key, row)
            of_team = [] if name is not None else [one for one in model.precedents(key) if one[:2] == key[:2]]
            named = [(one, name_column(model, one, row)) for one in of_team] or [(key, name)]
            found += [(one, name, side is gain.own) for one, name in named if name is not None and one[1] == row]
    return [one for one in found if one[0][0] == gain.cell[0]]


def misnamed(model: Model, rows: Sequence[int], pair: Sequence[Key]) -> tuple[int, int, int] | None:
    """The column of a rating that a game looks up by the other side's name, that name's column and the column due.

    Both sides show the same player's rating, game by game, and the other player's name stands unread in the row.
    `pair` are the ratings that one of the games compares, from the left to the right.
    """
    sheet, row = pair[0][:2] if pair else ("", 0)
    names = {name_column(model, key, row) if key[:2] == (sheet, row) else None for key in pair}
    column = names.pop() if len(pair) == 2 and len(names) == 1 else None
    shown = [tuple(model.number((sheet, at, key[2])) for key in pair) for at in rows]
    if column is None or any(one != two or one is None for one, two in shown) or len(set(shown)) == 1:
        return None

    columns = {at for row, at in model.book.sheets[sheet] if row in rows} - {column}
    texts = {at: texts_of(model, sheet, rows, at) for at in (column, *columns)}
    others = [at for at in columns if len(texts[column] & texts[at]) > HALF * max(len(texts[column]), len(texts[at]))]
    return (pair[column < others[0]][2], column, others[0]) if len(others) == 1 else None


def _named_in_order(model: Model, log: Log, gain: Gain) -> list[tuple[Key, int, bool]]:
    """The ratings of a game that are read cell by cell, with the names that stand in the same order."""
    pair = sorted((gain.own[0], gain.other[0]))
    names = [] if log.lines else in_order(model, log.sheet, log.rows, pair)
    return [(key, name, key == gain.own[0]) for key, name in zip(pair, names, strict=False)]


def _gained(model: Model, log: Log, gains: list[Gain], row: int) -> Iterator[tuple[int, float, int]]:
    """The changes of a log that shows no ratings after; where only one side has one, the other side loses it."""
    changes = [g for g in gains if g.base is None and g.cell[0] == log.sheet and members(model, g, row)]
    for gain in changes:
        for _, name, own in members(model, gain, row):
            if own or len(changes) == 1:
                yield gain.cell[2], 1.0 if own else -1.0, name


def _adds(facts: Facts, cell: Key, base: Key, gain: Key) -> bool:
    """Whether a cell goes up one by one with the rating before, the change being held."""
    number = facts.model.number(base)
    held: dict[Key, Value] = {gain: facts.model.value(gain)} if cell != gain else {}
    for lift in (0.0, LIFT, -LIFT) if number is not None and facts.model.number(cell) is not None else ():
        at = (number or 0.0) + lift
        here, moved = (facts.evaluator.number(cell, {**held, base: at + more}, {}, 4) for more in (0.0, 1.0))
        if here is not None and moved is not None and 0.5 <= moved - here <= 1.5:
            return True
    return False


def _moves(facts: Facts, after: Key, base: Key, log: Log) -> Iterator[tuple[int, float, int]]:
    """The changes that a rating after adds to the rating before, each with its sign."""
    model = facts.model
    here = model.number(after)
    for key in dict.fromkeys(model.precedents(after)):
        number = model.number(key)
        if key[:2] != after[:2] or key == base or number is None or here is None:
            continue
        moved = facts.evaluator.number(after, {key: number + STEP}, {}, 1)
        if moved is not None and abs(abs(moved - here) - STEP) <= 0.5:
            yield key[2], 1.0 if moved > here else -1.0, log.before[base[2]]


def _is_game(model: Model, log: Log, like: int, row: int) -> bool:
    """Whether all that is typed for a game stands in a row, each of the kind that stands there in a game."""
    for column in log.typed:
        here, there = model.value((log.sheet, row, column)), model.value((log.sheet, like, column))
        computed = [(log.sheet, at, column) in model.forms for at in (row, like)]
        if here in (None, "") or isinstance(here, str) != isinstance(there, str) or computed[0] != computed[1]:
            return False
    return True


def _is_computed_alike(model: Model, log: Log, like: int, row: int) -> bool:
    """Whether a row has nearly all formulas of a game whose entries stand on another sheet, and shows what it gains."""
    forms = [(model.forms.get((log.sheet, at, column)) for at in (row, like)) for column in log.computed]
    same = sum(here is there and here is not None for here, there in forms)
    shown = all(model.value((log.sheet, row, column)) not in (None, "") for column in log.gains)
    return shown and same >= NEARLY * len(log.computed)


def is_fed(model: Model, tree: Expr, key: Key) -> bool:
    """Whether anything stands in the cells of its own row that a formula would read; of no row is none asked."""
    beside = [at for at in walk(tree) if isinstance(at, Area) and at.single and at.row == key[1]]
    beside = [at for at in beside if at.sheet in (None, key[0])]
    return not beside or any(model.value((key[0], at.row, at.column)) not in (None, "") for at in beside)


def over(tree: Expr, logs: Mapping[str, Log]) -> Expr:
    """Return a formula in which every reference to a row that is no game is to the game above it."""

    def moved(area: Area) -> Expr:
        log = logs.get(area.sheet or "")
        if log is None or not log.furniture:
            return area
        row, bottom = (_above(log, at) for at in (area.row, area.bottom))
        in_one_row = area.row == area.bottom
        return Area(
            area.sheet, row if in_one_row else area.row, area.column, bottom, area.right, area.fixed, area.single
        )

    return with_areas(tree, moved)


def _above(log: Log, row: int) -> int:
    while row in log.furniture:
        row -= 1
    return row
