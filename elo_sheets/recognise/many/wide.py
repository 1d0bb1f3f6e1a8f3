"""Games of many with a row for each game: names, ratings before and changes stand side by side, a column for each seat.

A: 1st   B: 2nd   C: 3rd   D-F: =1500+SUMIF($A$1:$C9,A10,$J$1:$L9) …   G-I: expected   J-L: =K*(2-G10)/2 …

A seat of a game takes the place of a row of a table of many, so that relations and judge are the same. Only sheets of
which every part of the rule is known are taken for such.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product

from elo_sheets.recognise.context import Context
from elo_sheets.recognise.many.rows import MOSTLY, Game, Roster, Table, roster, text
from elo_sheets.recognise.many.rule import (
    ALL_EXPECTATIONS,
    ALL_SCORES,
    CLOSE,
    DIVISORS,
    EXPECTATIONS,
    SCORES,
    Rule,
    literals,
    outside,
    settings_of,
)
from elo_sheets.recognise.model import Key, Model
from elo_sheets.recognise.roles import has_power

LEAST_RATING = 50.0
LEAST_SEATS, MOST_SEATS = 3, 8
LEAST_GAMES = 4
SEATS = 100  # a seat's number is that of its row times this, and its place in the row
HALVES = 2  # columns of goals: one for each side
PLAYER, RESULT = -1, -2
KNOWN = 0.6  # of the changes follow the rule, before a sheet is taken for games of many


@dataclass
class Wide(Table):
    """The games of a sheet, one a row, with a column for each seat and role."""

    seats: dict[str, list[int]] = field(default_factory=dict)

    def key(self, row: int, column: int | str) -> Key:
        """Return the cell of a seat in the column of a role."""
        role = {PLAYER: "player", RESULT: "result"}.get(column, "") if isinstance(column, int) else column
        return (self.sheet, row // SEATS, self.seats[role][row % SEATS])

    def beside(self, key: Key) -> set[int]:
        """Return the columns of formulas that a formula of a row might read instead."""
        return {column for role in self.columns for column in self.seats[role]}

    def holds(self, key: Key) -> bool:
        """Return whether a cell is in the row of a game."""
        return key[0] == self.sheet and any(game.rows[0] // SEATS == key[1] for game in self.games)


def find_wide(context: Context, sheet: str) -> tuple[Wide, Rule] | None:
    """Return the games of many of a sheet that has a row for each, with their rule; None where there are none."""
    model = context.model
    names = _looked_up(model, sheet)
    if not LEAST_SEATS <= len(names) <= MOST_SEATS or len(set(names.values())) < len(names):
        return None
    seats = {"before": sorted(names), "player": [names[column] for column in sorted(names)]}
    rows = list(_rows(model, sheet, seats))
    changes = _changes(model, sheet, rows[-1], seats["before"]) if len(rows) >= LEAST_GAMES else []
    if len(changes) != len(names):
        return None
    seats["change"] = changes
    inputs = _inputs(model, sheet, rows, seats)
    if inputs is None:
        return None
    seats |= inputs | _after(model, sheet, rows[-1], seats)
    games = [
        Game([row * SEATS + at for at, column in enumerate(seats["player"]) if text(model, (sheet, row, column))])
        for row in rows
    ]
    columns = {role: of[0] for role, of in seats.items() if role not in ("player", "result")}
    result = RESULT if "result" in seats else None
    named = result is not None and len({*seats["result"]}) == 1
    table = Wide(sheet, games, PLAYER, result, columns, Roster(), seats, is_named=named)
    cells = {table.key(seat, PLAYER): str(text(model, table.key(seat, PLAYER))) for seat in table.rows}
    table.roster = roster(model, sheet, cells)
    rule = _rule(context, table)
    return None if rule is None else (table, rule)


def _looked_up(model: Model, sheet: str) -> dict[int, int]:
    """Return the columns of ratings that are gathered from the rows above by a name of their row, with the names'."""
    rows: Counter[int] = Counter()
    found: Counter[tuple[int, int]] = Counter()
    for own, row, column in model.forms:
        number = model.number((own, row, column)) if own == sheet else None
        if number is None or abs(number) < LEAST_RATING:
            continue
        areas = [area for area in model.areas((sheet, row, column)) if area.sheet == sheet]
        named = {a.column for a in areas if a.single and a.row == row and text(model, (sheet, row, a.column))}
        if len(named) == 1 and any(not a.single and a.bottom < row for a in areas):
            rows[column] += 1
            found[column, named.pop()] += any(a.row < a.bottom < row for a in areas)
    usual = {column: name for (column, name), count in found.items() if count > MOSTLY * rows[column]}
    return {column: name for column, name in usual.items() if rows[column] >= LEAST_GAMES}


def _rows(model: Model, sheet: str, seats: dict[str, list[int]]) -> Iterator[int]:
    """Yield the rows in which three and more are named and rated."""
    for row in sorted({key[1] for key in model.forms if key[0] == sheet}):
        pairs = zip(seats["before"], seats["player"], strict=True)
        rated = sum(model.number((sheet, row, a)) is not None and bool(text(model, (sheet, row, b))) for a, b in pairs)
        if rated >= LEAST_SEATS:
            yield row


def _changes(model: Model, sheet: str, row: int, before: list[int]) -> list[int]:
    """Return the columns of small numbers that the ratings of a row gather from the rows above."""
    found: set[int] = set()
    for column in before:
        for area in model.areas((sheet, row, column)):
            if not area.single and area.sheet == sheet and area.bottom < row:
                found |= {c for c in range(area.column, area.right + 1) if (sheet, row, c) in model.forms}
    numbers = {column: model.number((sheet, row, column)) for column in found - set(before)}
    return sorted(column for column, number in numbers.items() if number is not None and abs(number) < 2 * LEAST_RATING)


def _winners(model: Model, sheet: str, rows: list[int], seats: dict[str, list[int]]) -> int | None:
    """Return the column that names, row by row, one of those who play; None where there is none."""
    found: Counter[int] = Counter()
    for row in rows:
        played = {text(model, (sheet, row, column)) for column in seats["player"]}
        read = {area.column for at in seats["change"] for area in model.areas((sheet, row, at)) if area.single}
        found.update(column for column in read - {*seats["player"]} if text(model, (sheet, row, column)) in played)
    column, count = found.most_common(1)[0] if found else (0, 0)
    return column if count > MOSTLY * len(rows) else None


def _after(model: Model, sheet: str, row: int, seats: dict[str, list[int]]) -> dict[str, list[int]]:
    """Return the columns of new ratings, which read the rating before and the change of a seat; {} where none are."""
    reads = {
        key[2]: {area.column for area in model.areas(key) if area.single and (area.sheet, area.row) == (sheet, row)}
        for key in model.forms
        if key[:2] == (sheet, row) and key[2] not in seats["before"]
    }
    pairs = zip(seats["before"], seats["change"], strict=True)
    found = [[column for column, read in reads.items() if {*pair} <= read] for pair in pairs]
    return {"after": [one[0] for one in found]} if all(len(one) == 1 for one in found) else {}


def _inputs(model: Model, sheet: str, rows: list[int], seats: dict[str, list[int]]) -> dict[str, list[int]] | None:
    """Return the columns of expectations, scores and results, as far as there are such; None where they are others'."""
    row, held = rows[-1], {*seats["before"], *seats["change"], *seats["player"]}
    read: list[set[int]] = []
    for column in seats["change"]:
        areas = [a for a in model.areas((sheet, row, column)) if a.single and (a.sheet, a.row) == (sheet, row)]
        read.append({a.column for a in areas if (sheet, row, a.column) in model.forms} - held)
    found: dict[str, list[int]] = {}
    for role, wanted in (("expected", True), ("score", False)):
        each: list[set[int]] = [
            {c for c in one if has_power(model.forms[sheet, row, c].tree) is wanted} for one in read
        ]
        shared = each[0].intersection(*each)
        own = [one - shared for one in each]
        if all(len(one) == 1 for one in own) and len(own[0].union(*own)) == len(own):
            found[role] = [next(iter(one)) for one in own]
    typed = sorted(_typed(model, sheet, row, seats["change"], held))
    if not typed:
        won = _winners(model, sheet, rows, seats)
        return found if won is None else {**found, "result": [won] * len(read)}
    if len(typed) == HALVES and len(read) % HALVES == 0:
        typed = [column for column in typed for _ in range(len(read) // HALVES)]
    return {**found, "result": typed} if len(typed) == len(read) else None


def _typed(model: Model, sheet: str, row: int, columns: list[int], held: set[int]) -> set[int]:
    """Return the columns of typed numbers of a row that changes follow from."""
    edge, seen = {(sheet, row, column) for column in columns}, set[Key]()
    while edge:
        seen |= edge
        read = {one for key in edge for one in model.precedents(key) if one[:2] == (sheet, row)}
        edge = {one for one in read - seen if one[2] not in held}
    return {key[2] for key in seen if key not in model.forms and model.number(key) is not None}


def _rule(context: Context, table: Wide) -> Rule | None:
    """Return the rule that most changes follow, None where they follow none."""
    model, best, most = context.model, None, (KNOWN, 0, False)
    games = [game for game in table.games if game.size > 1]
    halves = len(set(table.seats.get("result", ()))) == HALVES
    places = table.result is None
    settings = settings_of(context)
    scores = ["sides"] if halves else ["winner"] if table.is_named else [*SCORES, *(["duels"] if places else [])]
    kinds = ["opponents"] if halves else [*EXPECTATIONS, *(["duels"] if places else [])]
    for score, kind, by_place in product(scores, kinds, (True,) if places else (False,) if halves else (False, True)):
        if (score == "duels") is not (kind == "duels"):
            continue
        for scale, divisor in product(_scales(context, table, settings), DIVISORS):
            rule = Rule(score, by_place, kind, *scale, divisor, 0.0, None)
            ratios = [ratio for game in games for ratio in _ratios(model, table, rule, game)]
            k, count = (
                Counter(round(one, 6) for one in ratios if one is not None).most_common(1)[0]
                if any(ratios)
                else (0.0, 0)
            )
            cells = [cell for cell in settings if model.number(cell) == k and context.evaluator.readers.is_read(cell)]
            shown = sum(_as_shown(model, table, rule, game) for game in games)
            shares = (count / max(1, len(ratios)), shown, bool(cells))
            if k > 0 and shares[0] > KNOWN and shares > most:
                most = shares
                best = Rule(score, by_place, kind, *scale, divisor, k, cells[0] if cells else None)
    return best


def _scales(context: Context, table: Wide, settings: list[Key]) -> list[tuple[float, Key | None]]:
    role = "expected" if "expected" in table.columns else "change"
    cells = [cell for cell in outside(context, table, role) if cell in settings]
    told = [(number, cell) for cell in cells if 50 <= (number := context.model.number(cell) or 0.0) <= 5000]
    return [*told, *((number, None) for number in literals(context, table, role))] or [(400.0, None)]


def _ratios(model: Model, table: Wide, rule: Rule, game: Game) -> Iterator[float | None]:
    """Yield what K each change of a game shows; None for none, nothing where a change of nought is due."""
    for row, score, share in _due(model, table, rule, game):
        change = model.number(table.key(row, "change"))
        if change is not None and abs(score - share) > 1e-3:
            yield change * DIVISORS[rule.divisor](game.size) / (score - share)


def _due(model: Model, table: Wide, rule: Rule, game: Game) -> Iterator[tuple[int, float, float]]:
    """Yield what each seat of a game scores and expects by a rule; nothing where entries lack."""
    ratings = [model.number(table.key(row, "before")) for row in game.rows]
    by_seat = [float(row % SEATS) for row in game.rows]
    results = by_seat if table.result is None else table.results(model, game)
    known = [number for number in ratings if number is not None]
    if len(known) == game.size == len(results):
        scores = ALL_SCORES[rule.score](results, rule.by_place)
        shares = ALL_EXPECTATIONS[rule.expected](known, rule.scale)
        yield from zip(game.rows, scores, shares, strict=True)


def _as_shown(model: Model, table: Wide, rule: Rule, game: Game) -> int:
    """Of how many seats the columns of scores and of expectations, where there are such, show what a rule gives."""
    return sum(
        role in table.columns and abs((model.number(table.key(row, role)) or 0.0) - number) <= CLOSE
        for row, score, share in _due(model, table, rule, game)
        for role, number in (("score", score), ("expected", share))
    )
