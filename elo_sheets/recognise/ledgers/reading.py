"""What a game of a sheet reads: the ratings that it looks up, carries on or finds typed, and how any row names them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from elo_sheets.expr import Expr, walk
from elo_sheets.files.package import Value
from elo_sheets.recognise.cells import Run
from elo_sheets.recognise.context import Context
from elo_sheets.recognise.evaluate import Evaluator
from elo_sheets.recognise.ledgers.links import linked_columns
from elo_sheets.recognise.ledgers.plans import Leaf, Plan, Stopped
from elo_sheets.recognise.model import ROW, Area, Key, Model, range_text, text_of
from elo_sheets.recognise.roles import Roles, Seen, has_power

STEP = 64.0  # rating points by which a rating is moved: far above any rounding, well within every curve
MOST_TERMINALS = 80  # ratings below one formula: a sheet with a column for each player has as many players
MOST_PERIOD = 2  # rows of a game
MOST_TEAM = 12  # ratings side by side that one formula sums up
MOST_COUNT = 5  # a typed number up to here is a count, a score or a place, and no rating
DEEP, DEEP_IN_ROW = 6, 4  # formulas followed below a cell: towards ratings, and within its own row
Given = Mapping[str, tuple[Key, ...]]


class Reading:
    """A sheet of games with what its rows read; `formulas` are other formulas than the sheet's, to see what they do."""

    def __init__(
        self, context: Context, roles: Roles, sheet: str, given: Given, formulas: Mapping[Key, Expr] | None = None
    ) -> None:
        self.formulas = formulas or {}  # absolute
        self.named = {key[2] for role in ("P", "Q") for key in given.get(role, ()) if key[0] == sheet}
        self.new = {key[2] for key in given.get("R", ()) if key[0] == sheet}
        self.context, self.roles, self.sheet = context, roles, sheet
        self.model: Model = context.model
        self.evaluator: Evaluator = context.evaluator
        seen = [s for s in roles.seen if s.run.sheet == sheet and s.run.down and s.part is not None]
        self.expecting = [s for s in seen if s.part is not None and s.part.kind == "E"]
        inlined = [s for s in seen if s.part is not None and s.part.kind == "N" and has_power(s.tree)]
        changing = [s for s in seen if s.part is not None and s.part.kind == "D" and has_power(s.tree)]
        self.main: list[Seen] = self.expecting or inlined or changing
        self.columns = {s.key[2] for s in self.main}
        self.runs = [run for run in context.runs if run.sheet == sheet and run.down]
        self.by_column: dict[int, list[Run]] = {}
        for run in self.runs:
            self.by_column.setdefault(run.line, []).append(run)
        self.linked = linked_columns(self.model, sheet)

    def terminals(self, key: Key, row: int, stop: Iterable[Key] = ()) -> list[Key]:
        """The ratings below a cell: cells that look a player up, carry a rating on, or are typed in the row."""
        found: dict[Key, None] = {}
        seen: set[Key] = set(stop)

        def visit(at: Key, depth: int) -> None:
            if at in seen or len(found) > MOST_TERMINALS or depth > DEEP:
                return
            seen.add(at)
            tree = self.formulas.get(at)
            if tree is None:
                tree = self.model.tree(at)
            if tree is None or (at[0] == self.sheet and self._shows_a_list(at)):
                if self._typed_rating(at, row):
                    found[at] = None
                return
            if at != key and at[0] == self.sheet and at[1] == row and at[2] in self.linked:
                found[at] = None
                return
            along = self._looked_up_along(at, tree, row)
            if along:
                found.update(dict.fromkeys(along))
                return
            if at != key and (self._carried(at, row) or self._looks_up(at, tree)):
                found[at] = None
                return
            for area in (n for n in walk(tree) if isinstance(n, Area)):
                if area.single:
                    visit((area.sheet or at[0], area.row, area.column), depth + 1)
                elif self._is_team(area, at, row):
                    for column in range(area.column, area.right + 1):
                        visit((area.sheet or at[0], area.row, column), depth + 1)
                elif area.row == area.bottom and (area.sheet or at[0]) == self.sheet and area.row < row:
                    for column in range(area.column, min(area.right, area.column + MOST_TERMINALS) + 1):
                        cell = (self.sheet, area.row, column)
                        if self.model.number(cell) is not None:
                            found[cell] = None

        visit(key, 0)
        return list(found)

    def _is_team(self, area: Area, at: Key, row: int) -> bool:
        """Whether an area is a team's ratings: few, side by side, in the game's row or in the other one of the game."""
        if area.row != area.bottom or area.size > MOST_TEAM or abs(area.row - row) >= MOST_PERIOD:
            return False
        cells = [(area.sheet or at[0], area.row, column) for column in range(area.column, area.right + 1)]
        return area.row == row or (cells[0][0] == self.sheet and not any(map(self._carries, cells)))

    def _looked_up_along(self, at: Key, tree: Expr, row: int) -> list[Key]:
        """The ratings of the row before that a cell takes from players' columns by a look-up over many rows."""
        areas = [n for n in walk(tree) if isinstance(n, Area)]
        cells = [(self.sheet, row - 1, column) for column in sorted(self._carrying(areas, row))]
        here = self._number(at, {}) if len(cells) > 1 else None
        if here is None:
            return []
        found = []
        for cell in cells:
            number = self.model.number(cell)
            if number is not None and self._number(at, {cell: number + STEP}) not in (None, here):
                found.append(cell)
        return found

    def _carrying(self, areas: Iterable[Area], row: int) -> set[int]:
        """The columns of areas of many rows and columns whose formulas go on from the cell above."""
        wide = [a for a in areas if a.sheet == self.sheet and a.right > a.column and a.row < row - 1 <= a.bottom]
        columns = {c for a in wide for c in range(a.column, min(a.right, a.column + MOST_TERMINALS) + 1)}
        return {c for c in columns & self.by_column.keys() if self._carries((self.sheet, row, c))}

    def _carries(self, key: Key) -> bool:
        above = (key[1] - 1, key[2])
        return any(area.single and (area.row, area.column) == above for area in self.model.areas(key))

    def _typed_rating(self, at: Key, row: int) -> bool:
        number = self.model.number(at)
        near = at[0] == self.sheet and abs(at[1] - row) < MOST_PERIOD
        return number is not None and abs(number) > MOST_COUNT and near

    def _shows_a_list(self, at: Key) -> bool:
        """Whether a cell shows a number that is typed in a row of its own on another sheet."""
        form = self.model.forms.get(at)
        tree = None if form is None else form.tree
        if (
            not isinstance(tree, Area)
            or not tree.single
            or tree.sheet is None
            or tree.fixed & ROW
            or at[0] != self.sheet
        ):
            return False
        return (tree.sheet, at[1] + tree.row, tree.at(*at[1:]).column) not in self.model.forms

    def _carried(self, at: Key, row: int) -> bool:
        """Whether a cell is, or plainly shows, the result of an earlier game."""
        if at[0] == self.sheet and at[1] < row and self._of_a_game(at):
            return True
        tree = self.model.tree(at)
        if at[1] != row or not isinstance(tree, Area) or not tree.single or (tree.sheet or at[0]) != self.sheet:
            return False
        return tree.row < row and self._of_a_game((self.sheet, tree.row, tree.column))

    def _of_a_game(self, at: Key) -> bool:
        """Whether a cell follows from the expectation of its own row."""
        edge, seen = [at], {at}
        for _ in range(DEEP_IN_ROW):
            following = []
            for one in edge:
                for read in self.model.areas(one):
                    cell = (read.sheet or one[0], read.row, read.column)
                    if not read.single or cell in seen or cell[0] != self.sheet or abs(cell[1] - at[1]) > 1:
                        continue
                    if cell[2] in self.columns and cell[1] == at[1]:
                        return True
                    seen.add(cell)
                    if cell[1] == at[1]:
                        following.append(cell)
            edge = following
        return at[2] in self.columns and not self.expecting

    @staticmethod
    def _looks_up(at: Key, tree: Expr) -> bool:
        return any(isinstance(n, Area) and not n.single and n.bottom > n.row for n in walk(tree))

    def leaf(self, key: Key, row: int, plan: Plan) -> Leaf:
        """A terminal as it is seen from any row."""
        down, tree = key[1] - row, self.model.tree(key)
        if key[2] in self.linked and not down:
            return Leaf("name", down, key[2], self.linked[key[2]].name)
        if key[2] in plan.lines and key[1] < row:
            return Leaf("line", down, key[2], key[2])
        if key[1] < row and tree is not None and self._of_a_game(key):
            return Leaf("chain", down, key[2], key[2])
        if tree is None or self._shows_a_list(key):
            return Leaf("typed", down, key[2])
        if isinstance(tree, Area) and tree.single and tree.row < row:
            return Leaf("chain", down, key[2], tree.column)
        name = self._name_column(key, tree)
        if name is None:
            raise Stopped(f"{range_text([key])} does not say whose rating it looks up")
        return Leaf("name", down, key[2], name)

    def _name_column(self, key: Key, tree: Expr) -> int | None:
        counts: dict[int, int] = {}
        for node in walk(tree):
            here = isinstance(node, Area) and node.single and (node.sheet, node.row) == key[:2]
            if here and isinstance(node, Area) and text_of(self.model, (key[0], node.row, node.column)):
                counts[node.column] = counts.get(node.column, 0) + 1
        return max(counts, key=lambda c: (c in self.named, counts[c])) if counts else None

    def _row_areas(self, row: int) -> set[int]:
        """The columns of the players in a sheet with a column for each: looked up along the row before."""
        found: set[int] = set()
        for seen in self.main:
            key = (self.sheet, row, seen.run.line)
            for one in (*self.roles.looker.leaves(key, {}, 3), key):
                areas = list(self.model.areas(one))
                for area in areas:
                    self._add_row(found, area, row)
                tree = self.model.tree(one)
                if tree is not None and self._looked_up_along(one, tree, row):
                    found |= self._carrying(areas, row)
        return found

    def _add_row(self, found: set[int], area: Area, row: int) -> None:
        if not area.single and area.row == area.bottom and area.row == row - 1 and area.sheet == self.sheet:
            found.update(c for c in range(area.column, area.right + 1) if c in self.by_column)

    def _head(self, column: int) -> Key | None:
        first = min(run.first for run in self.by_column[column])
        for row in range(first - 1, 0, -1):
            if text_of(self.model, (self.sheet, row, column)):
                return (self.sheet, row, column)
        return None

    def _number(self, key: Key, overrides: Mapping[Key, Value]) -> float | None:
        return self.evaluator.number(key, overrides, self.formulas)

    @staticmethod
    def _over(value: float | None, unit: float) -> float | None:
        return None if value is None else value / unit
