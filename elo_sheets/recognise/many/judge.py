"""What is wrong in a table of many, and what puts it right.

A cell that breaks its relation is at fault. The formula of a sound row of its column, moved to its game, or a known
slip undone, must keep the relation before it is proposed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from elo_sheets.expr import Binary, Expr, Number
from elo_sheets.files.package import cell_name, shift_formula
from elo_sheets.recognise import nearmiss
from elo_sheets.recognise.compare import code_of
from elo_sheets.recognise.context import Context, Proposal, RoleCells, Sheetwork
from elo_sheets.recognise.many.moves import counted_slips, moved, told
from elo_sheets.recognise.many.relations import Asked, Relations
from elo_sheets.recognise.many.rows import Game, Table, find, text
from elo_sheets.recognise.many.rule import rule_of, settings_of
from elo_sheets.recognise.many.wide import Wide, find_wide
from elo_sheets.recognise.model import Key, at_cell, cell_area

LAYOUT = "table of many"
LETTER = {"before": "B", "others": "O", "score": "S", "expected": "E", "change": "D", "after": "R"}
DONORS = 8
MOST_TRIED = 3  # cells of a column without a sound one: where no slip undone mends these, none mends the others
ROLES = ("before", "others", "score", "expected", "change", "after")
# The kinds of mistake that a column of a role can hold; any other is told by the role.
CODES = {
    "score": ({"ES104", "ES105"}, "ES127"),
    "expected": ({"ES101", "ES103", "ES105", "ES106", "ES110", "ES111", "ES125"}, "ES108"),
    "change": ({"ES101", "ES103", "ES105", "ES106", "ES117", "ES120"}, "ES108"),
}
OF_SUMS = ({"ES103", "ES105", "ES106", "ES125", "ES126"}, "ES108")
Repair = tuple[Expr, str]  # a formula as an absolute tree, and as text


def recognise(context: Context) -> Sheetwork | None:
    """Return what tables of many a book has, judged; None where it has none."""
    works = []
    for sheet in context.model.book.sheets:
        table = find(context.model, sheet)
        judge = None if table is None else Judge.of(context, table)
        if judge is None and (wide := find_wide(context, sheet)) is not None:
            judge = Judge(context, wide[0], Relations(context, *wide))
        if judge is not None:
            works.append((judge.table, judge))
    if not works:
        return None
    found = Sheetwork(LAYOUT)
    reasons = []
    for table, judge in works:
        found.owned |= table.owned()
        found.proposals += judge.proposals()
        found.listed += len(table.games)
        found.rated += len(table.games) - len(judge.held.unrated)
        found.ratings |= {
            table.key(row, role) for row in table.rows for role in ("before", "after") & table.columns.keys()
        }
        found.ratings |= set(table.roster.finals.values())
        found.roles += [
            RoleCells(LETTER[role], tuple(table.key(row, role) for row in table.rows)) for role in table.columns
        ]
        found.roles.append(RoleCells("P", tuple(table.key(row, table.player) for row in table.rows), "shape"))
        found.facts |= judge.rule.facts()
        reasons += judge.open()
    found.replayed = not reasons
    found.reason = reasons[0] if reasons else None
    return found


class Judge:
    """Holds the cells of a table against its rule."""

    def __init__(self, context: Context, table: Table, held: Relations) -> None:
        self.context, self.table, self.held, self.rule = context, table, held, held.rule
        self.model = context.model
        self.unasked: list[Key] = []
        self.unknown: list[Key] = []  # of columns in which no cell follows the rule, nor would with a slip undone
        self.settings = [one for one in (self.rule.k_cell, self.rule.scale_cell) if one is not None]

    @classmethod
    def of(cls, context: Context, table: Table) -> Judge | None:
        """Return the judge of a table, None where no rule explains most of its games in any part."""
        rule = rule_of(context, table)
        return None if rule is None else cls(context, table, Relations(context, table, rule))

    def open(self) -> list[str]:
        """Return why not every cell was held, in sentences."""
        if not self.table.roster.starts and self.held.first_typed is None:
            return [f"no list of start ratings was found for the games of {self.table.sheet}"]
        if self.unknown:
            key = self.unknown[0]
            return [
                f"{key[0]}!{cell_name(key[1], key[2])} and its column follow no rule of games of many that is known"
            ]
        if self.unasked:
            key = self.unasked[0]
            return [f"what {key[0]}!{cell_name(key[1], key[2])} reads could not be followed"]
        return []

    def proposals(self) -> list[Proposal]:
        """Return what is wrong in the table, with what puts it right."""
        found = list(self._data())
        judged = [list(self._of_column(role)) for role in ROLES if role in self.table.columns]
        for parts in judged:
            # Where a column follows no rule that is known, no rule is held against most cells of another one.
            told = sum(len(one.cells) for one in parts)
            found += [] if self.unknown and 2 * told > len(self.table.rows) else parts
        last = self.table.rows[-1] + 1
        finals = self.table.roster.finals.items()
        found += self._of_list([(key, [one]) for name, key in finals if (one := self.held.carried(name, last, key))])
        return [*found, *self._unread_k(found)]

    def _of_column(self, role: str) -> Iterator[Proposal]:
        sound: list[tuple[Game, Key]] = []
        wrong: list[tuple[Game, Key, Asked]] = []
        for game in self.table.games:
            for row in game.rows:
                key = self.table.key(row, role)
                asked = self.held.asked(role, game, row)
                holds = self.held.holds(key, asked) if self.model.is_formula(key) else False
                if not asked or (holds is None and self._is_for_want(game)) or self._is_opening(role, key, row):
                    continue  # a name or a result is at fault, which is said there
                if holds is None:
                    self.unasked.append(key)
                elif holds:
                    sound.append((game, key))
                else:
                    wrong.append((game, key, asked))
        parts: list[Proposal] = []
        for game, key, asked in wrong:
            hopeless = not sound and len(parts) >= MOST_TRIED and not any(one.repairs for one in parts)
            repair = self._repair(game, key, asked, sound) if sound else None if hopeless else self._undone(key, asked)
            parts.append(self._proposal(role, key, repair, asked))
        if parts and not sound and not any(one.repairs for one in parts):
            self.unknown.append(parts[0].cells[0])
            return
        yield from _joined(parts)

    def _is_opening(self, role: str, key: Key, row: int) -> bool:
        """Whether a number typed above all formulas of its column is what newcomers start from."""
        above = (at for at in self.model.columns.get((key[0], key[2]), ()) if at <= key[1])
        typed = role == "before" and not any((key[0], at, key[2]) in self.model.forms for at in above)
        return typed and self.held.opening(self.held.player(row) or "") == self.model.number(key)

    def _is_for_want(self, game: Game) -> bool:
        known = self.table.roster.starts
        return bool(known) and any(self.held.player(row) not in known for row in game.rows)

    def _of_list(self, cells: Sequence[tuple[Key, Asked]]) -> Iterator[Proposal]:
        held = [(key, asked, bool(self.held.holds(key, asked))) for key, asked in cells]
        sound = [key for key, _, holds in held if holds]
        parts = []
        for key, asked, holds in held:
            if not holds:
                filled = (shift_formula(self._text(one), key[1] - one[1], key[2] - one[2]) for one in sound[:DONORS])
                repair = next((one for text in filled if (one := self._holding(text, key, asked))), None)
                repair = repair or (None if sound else self._undone(key, asked))
                parts.append(self._proposal("final", key, repair, asked))
        yield from _joined(parts)

    def _text(self, key: Key) -> str:
        cell = self.model.cell(key)
        return "" if cell is None or cell.formula is None else cell.formula

    def _holding(self, text: str | None, key: Key, asked: Asked) -> Repair | None:
        """Return a formula's text with its tree where it keeps the relation of a cell."""
        form = None if text is None else self.model.form_of(text, key)
        tree = None if form is None else at_cell(form.tree, key)
        return (tree, text) if text is not None and tree is not None and self.held.holds(key, asked, tree) else None

    def _repair(self, game: Game, key: Key, asked: Asked, sound: Sequence[tuple[Game, Key]]) -> Repair | None:
        near = sorted(sound, key=lambda one: (one[0] is not game, one[0].size != game.size, abs(one[1][1] - key[1])))
        if isinstance(self.table, Wide):  # of the same seat first
            near.sort(key=lambda one: abs(one[1][2] - key[2]))
            filled = (shift_formula(self._text(one), key[1] - one[1], key[2] - one[2]) for _, one in near[:DONORS])
            return next((one for text in filled if (one := self._holding(text, key, asked))), None)
        texts = (moved(self.model, self.table, like, other, game, key[1]) for other, like in near[:DONORS])
        return next((one for text in texts if (one := self._holding(text, key, asked))), None)

    def _undone(self, key: Key, asked: Asked) -> Repair | None:
        """Return the formula of a cell with a slip undone."""
        tree = self.model.tree(key)
        if tree is None:
            return None
        found = next((one for one in self._slips(tree, key) if self.held.holds(key, asked, one)), None)
        return None if found is None else (found, told(self.model, key, found, self.settings))

    def _slips(self, tree: Expr, key: Key) -> Iterator[Expr]:
        """Yield the formula with one known slip undone, then with one reference or number another."""
        scale: list[Expr] = [Number(self.rule.scale)]
        scale += [cell_area(self.rule.scale_cell)] if self.rule.scale_cell is not None else []
        yield from counted_slips(tree)
        yield from (other for _, other in nearmiss.candidates(tree, scale))
        own = [cell_area((key[0], key[1], column)) for column in self.table.beside(key) if column != key[2]]
        settings = [cell_area(one) for one in self.settings]
        yield from nearmiss.with_references(tree, [*own, *settings])
        yield from nearmiss.with_literals_as(tree, [(one, None) for one in settings])

    def _proposal(self, role: str, key: Key, repair: Repair | None, asked: Asked) -> Proposal:
        own = self.model.tree(key)
        if not self.model.is_formula(key):
            code = "ES202" if self.model.value(key) in (None, "") else "ES201"
        else:
            code = "ES108" if repair is None or own is None else self._code(role, repair[0], own, key)
        if repair is not None:
            return Proposal(code, (key,), repairs={key: repair[1]}, fix="=" + repair[1], rank=1)
        number = self.held.evaluator.number(key, asked[0][0]) if own is not None else self.model.number(key)
        said = "at other numbers the cell does not give what the rule of the other cells gives"
        return Proposal(code, (key,), said, expected=asked[0][1], found=number, effect=0.0)

    def _code(self, role: str, expected: Expr, found: Expr, key: Key) -> str:
        both = isinstance(expected, Binary) and isinstance(found, Binary)
        if both and Binary("", expected.left, expected.right) == Binary("", found.left, found.right):  # type: ignore[attr-defined]
            return "ES103"
        known, usual = CODES.get(role, OF_SUMS)
        code = code_of(expected, found, {}, key)
        return code if code in known else usual

    def _unread_k(self, found: Sequence[Proposal]) -> Iterator[Proposal]:
        """Yield where every change has a number for K, and a cell that is called K is read by nobody."""
        rows = {self.table.key(row, self.table.gain): row for row in self.table.rows}
        if (
            self.table.gain == "after"
            or self.rule.k_cell is not None
            or any(key in rows for one in found for key in one.cells)
        ):
            return
        for cell in settings_of(self.context):
            label = (text(self.model, (cell[0], cell[1], cell[2] - 1)) or "").casefold()
            if label.replace("-", " ").split()[0] != "k" or self.held.evaluator.readers.is_read(cell):
                continue
            mended: dict[Key, str] = {}
            for key, row in rows.items():
                tree = self.model.tree(key)
                others = [] if tree is None else nearmiss.with_literals_as(tree, [(cell_area(cell), None)])
                right = next((one for one in others if self._reads_k(one, row, cell)), None)
                if right is not None:
                    mended[key] = told(self.model, key, right, [cell])
            if len(mended) == len(rows):
                first, *_ = mended
                yield Proposal("ES105", tuple(mended), repairs=mended, fix="=" + mended[first], rank=1)

    def _reads_k(self, tree: Expr, row: int, cell: Key) -> bool:
        game = next(one for one in self.table.games if row in one.rows)
        asked = [({**given, cell: 2 * self.rule.k}, 2 * due) for given, due in self.held.changes(game, row)]
        return bool(self.held.holds(self.table.key(row, "change"), asked, tree))

    def _data(self) -> Iterator[Proposal]:
        table, model = self.table, self.model
        roster = table.roster
        yield from (
            Proposal("ES407", (key,), f"{text(model, key)!r} stands twice on the list", effect=0.0)
            for key in roster.twice
        )
        for key in roster.starts.values():
            if model.number(key) is None:
                yield Proposal(
                    "ES410", (key,), f"{model.value(key)!r} is a text, where a start rating is meant", effect=0.0
                )
        for game in table.games:
            yield from self._game_data(game)

    def _game_data(self, game: Game) -> Iterator[Proposal]:
        table, model, roster = self.table, self.model, self.table.roster
        seen: set[str] = set()
        for row in game.rows:
            key = table.key(row, table.player)
            name, typed = text(model, key), model.value(key)
            if name is None:
                yield Proposal("ES404", (key,), "the row of a game names nobody", effect=0.0)
            elif name in seen:
                yield Proposal("ES403", (key,), f"{name!r} plays twice in one game", effect=0.0)
            elif roster.names and not roster.twice and (name not in roster.names or typed != name):
                yield _unknown(key, str(typed), roster.names)
            seen.add(name or "")
            if table.result is None or table.is_named:
                continue
            result = table.key(row, table.result)
            if model.number(result) is None and result not in model.forms:
                value = model.value(result)
                code, said = "ES404", "the row of a game has no result"
                if value not in (None, ""):
                    code, said = "ES410", f"{value!r} is a text, where a place or points are meant"
                yield Proposal(code, (result,), said, effect=0.0)
        if table.is_named and not self.held.is_complete(game):
            key = table.key(game.rows[0], table.result or 0)
            says = (
                "the game has no winner" if model.value(key) is None else f"{model.value(key)!r} has won, and plays not"
            )
            yield Proposal("ES404" if model.value(key) is None else "ES408", (key,), says, effect=0.0)
        elif table.result is not None and self.rule.by_place and self.held.is_complete(game):
            numbers = [model.number(table.key(row, table.result)) or 0.0 for row in game.rows]
            odd = [row for row, number in zip(game.rows, numbers, strict=True) if not 1 <= number <= game.size]
            for row in odd:
                key = table.key(row, table.result)
                yield Proposal(
                    "ES411",
                    (key,),
                    f"place {model.value(key)!r} of {game.size} players",
                    severity="warning",
                    effect=0.0,
                )


def _unknown(key: Key, name: str, known: Mapping[str, Key]) -> Proposal:
    near = next((one for one in known if one.casefold() == name.strip().casefold() and one != name), None)
    if name.strip() in known:
        return Proposal("ES412", (key,), values={key: name.strip()}, rank=1)
    if near is not None:
        return Proposal("ES414", (key,), f"{name!r} stands on the list as {near!r}", values={key: near}, rank=1)
    return Proposal("ES402", (key,), f"{name!r} stands on no list of players", effect=0.0)


def _joined(parts: Sequence[Proposal]) -> list[Proposal]:
    """Return proposals with those of one code in rows that follow each other as one."""
    found: list[Proposal] = []
    for one in parts:
        last = found[-1] if found else None
        if last is not None and last.code == one.code and bool(last.repairs) == bool(one.repairs) and len(parts) > 1:
            found[-1] = Proposal(
                last.code,
                (*last.cells, *one.cells),
                last.message,
                {**last.repairs, **one.repairs},
                fix=last.fix,
                expected=last.expected,
                found=last.found,
                effect=last.effect,
                rank=last.rank,
                confidence=last.confidence,
            )
        else:
            found.append(one)
    return found
