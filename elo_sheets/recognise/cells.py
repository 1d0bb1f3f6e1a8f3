"""Runs of like formulas, and the cells that depart from their run.

A run is a stretch of one column or one row whose formulas have one pattern, possibly in phases: in a ledger with two
rows for each game every second row has the same pattern (period 2). A pattern is a form, or, where references move
otherwise than a fill would move them (`$B$1:$B$9` beside `$B$1:$B$11`), a skeleton whose coordinates are linear in
the row: both are found by majority.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from elo_sheets.expr import Binary, Call, Expr, Unary, walk
from elo_sheets.files.package import CellError
from elo_sheets.recognise.model import ALL_FIXED, COLUMN, ROW, Area, Form, Key, Model, at_cell

MOST_PERIOD = 6
SIDES = 2  # of a game: where each has a row, rows between games have no turn
GAP = 8  # blank cells inside a run, at most
LEAST = 4  # cells that can have a majority
SHARE = 0.55  # of the cells that a majority has
LEAST_STRETCHES = 3  # stretches between blanks: of two, the second formula may be the mistake
ALIKE = 0.9  # of the cells of stretches that have the formula of their own: the others are few, and may be mistakes

Line = tuple[Fraction, Fraction]  # slope and value at place 0


@dataclass(eq=False)
class Pattern:
    """What the cells of one phase have in common."""

    count: int
    form: Form | None = None
    skeleton: Expr | None = None
    lines: tuple[Line, ...] = ()

    def tree(self, key: Key, place: int) -> Expr:
        """The formula (absolute tree) that the pattern has in a cell."""
        if self.form is not None:
            return at_cell(self.form.tree, key)
        assert self.skeleton is not None
        numbers = iter([slope * place + start for slope, start in self.lines])
        return _filled(self.skeleton, numbers, key[0])


@dataclass(eq=False)
class Run:
    """Cells of one column (`down`) or one row from `first` to `last`; phase i has `patterns[i]`, None for none."""

    sheet: str
    line: int  # the column of a run down, the row of a run across
    down: bool
    first: int
    last: int
    patterns: tuple[Pattern | None, ...]
    passed: tuple[int, ...] = ()  # where phases alternate, the rows between games, which have no turn

    @property
    def period(self) -> int:
        """The number of phases."""
        return len(self.patterns)

    def key(self, at: int) -> Key:
        """The cell at row (column, for a run across) `at`."""
        return (self.sheet, at, self.line) if self.down else (self.sheet, self.line, at)

    def cells(self) -> list[Key]:
        """All cells of the run, blank ones too."""
        return [self.key(at) for at in range(self.first, self.last + 1)]

    keys = cells

    def place(self, key: Key) -> int:
        """The row (column, for a run across) of a cell."""
        return key[1] if self.down else key[2]

    def turn(self, at: int) -> int:
        """The phase of a row (column, for a run across)."""
        return (at - self.first - bisect_left(self.passed, at)) % self.period

    def pattern(self, key: Key) -> Pattern | None:
        """The pattern that belongs to a cell."""
        at = self.place(key)
        return None if at in self.passed else self.patterns[self.turn(at)]

    def expected(self, key: Key) -> Expr | None:
        """The formula that belongs into a cell, as an absolute tree."""
        pattern = self.pattern(key)
        return None if pattern is None else pattern.tree(key, self.place(key))

    def fits(self, model: Model, key: Key) -> bool:
        """Whether the cell has the formula that belongs there."""
        pattern, form = self.pattern(key), model.forms.get(key)
        if pattern is None or form is None:
            return False
        return form is pattern.form or model.tree(key) == pattern.tree(key, self.place(key))

    def model_cells(self, model: Model, key: Key) -> Iterable[Key]:
        """Cells of the phase of `key` that have the formula that belongs there, the nearest first."""
        here = self.place(key)
        for distance in range(1, self.last - self.first + self.period):
            for at in (here - distance, here + distance):
                same = self.first <= at <= self.last and self.turn(at) == self.turn(here)
                if same and self.fits(model, self.key(at)):
                    yield self.key(at)


@dataclass(frozen=True)
class Suspect:
    """A cell that departs from its run: `kind` is value (typed over), text, missing, form (another formula)."""

    key: Key
    run: Run
    kind: str


def find_runs(model: Model) -> list[Run]:
    """Return the runs of a book: columns first, then rows for what no column explains."""
    runs: list[Run] = []
    covered: set[Key] = set()
    by_column: dict[tuple[str, int], list[int]] = {}
    for sheet, row, column in model.forms:
        by_column.setdefault((sheet, column), []).append(row)
    for (sheet, column), rows in by_column.items():
        for run in _runs_of(model, sheet, column, sorted(rows), True):
            runs.append(run)
            covered.update(key for key in run.cells() if run.fits(model, key))
    by_row: dict[tuple[str, int], list[int]] = {}
    for key in model.forms:
        if key not in covered:
            by_row.setdefault((key[0], key[1]), []).append(key[2])
    for (sheet, row), columns in by_row.items():
        if len(columns) >= LEAST:
            runs += _runs_of(model, sheet, row, sorted(columns), False)
    return runs


def _runs_of(model: Model, sheet: str, line: int, places: list[int], down: bool) -> list[Run]:
    def key(at: int) -> Key:
        return (sheet, at, line) if down else (sheet, line, at)

    def apart(few: list[int], at: int) -> bool:
        """Whether some formulas above a header are of another kind than those below it."""
        here, there = (skeleton(model.forms[key(place)].tree) for place in (few[-1], at))
        cells = (model.cell(key(place)) for place in range(few[-1] + 1, at))
        return here != there and any(c is not None and c.formula is None and isinstance(c.value, str) for c in cells)

    found: list[Run] = []
    for stretch in _stretches(places, apart):
        found += _split(model, sheet, line, down, stretch, key)
    return found


def _stretches(places: list[int], apart: Callable[[list[int], int], bool]) -> list[list[int]]:
    stretches: list[list[int]] = []
    for at in places:
        last = stretches[-1] if stretches else []
        if last and at - last[-1] <= GAP and not (last[-1] < at - 1 and len(last) < LEAST and apart(last, at)):
            last.append(at)
        else:
            stretches.append([at])
    return stretches


def _split(model: Model, sheet: str, line: int, down: bool, places: list[int], key: Callable[[int], Key]) -> list[Run]:
    if len(places) < LEAST:
        return []
    forms = {at: model.forms[key(at)] for at in places}
    if parted := _parted(sheet, line, down, places, forms):
        return parted
    passed = _passed(model, sheet, places) if down else ()
    found = _with_phases(places, forms, passed)
    if found is not None:
        share, tops = found
        patterns = tuple(
            Pattern(count, form=form) if isinstance(form, Form) and count >= 3 else None for form, count in tops
        )
        if share >= SHARE and any(patterns):
            return [_without_strangers(model, _run(sheet, line, down, places, patterns, passed), places)]
    skeletons = {at: skeleton(form.tree) for at, form in forms.items()}
    like = _with_phases(places, skeletons, passed)
    if like is not None and like[0] >= SHARE:
        shaped = _linear(model, places, passed, skeletons, like[1], key)
        if shaped is not None:
            return [_without_strangers(model, _run(sheet, line, down, places, shaped, passed), places)]
    return _blocks(sheet, line, down, places, forms)


def _run(
    sheet: str, line: int, down: bool, places: list[int], patterns: tuple[Pattern | None, ...], passed: tuple[int, ...]
) -> Run:
    return Run(sheet, line, down, places[0], places[-1], patterns, passed if len(patterns) == SIDES else ())


def _passed(model: Model, sheet: str, places: list[int]) -> tuple[int, ...]:
    """The rows between the formulas of a column, or with one of them, that lack most of the other rows' formulas.

    They are blank, headings, titles or totals: where the two rows of a game alternate, they have no turn.
    """
    times = Counter(column for at in places for column in model.computed_rows[sheet, at])
    usual = {column for column, count in times.items() if count > SHARE * len(places)}
    rows = range(places[0], places[-1] + 1)
    return tuple(row for row in rows if 2 * len(usual & model.computed_rows.get((sheet, row), set())) < len(usual))


def _turns(places: list[int], passed: tuple[int, ...]) -> dict[int, int]:
    """The rows of games, each with how many rows of games are above it."""
    found = {at: at - places[0] - bisect_left(passed, at) for at in places}
    for at in passed:
        found.pop(at, None)
    return found


def _without_strangers(model: Model, run: Run, places: list[int]) -> Run:
    """The run without other formulas above or below it that blanks or a header part from it, such as a summary."""
    parts: list[list[int]] = []
    for at in places:
        apart = bool(parts) and at - parts[-1][-1] > 1
        if not parts or (apart and _parted_by(model, [run.key(gap) for gap in range(parts[-1][-1] + 1, at)])):
            parts.append([])
        parts[-1].append(at)
    own = [part for part in parts if any(run.fits(model, run.key(at)) for at in part)]
    first, last = own[0][0], own[-1][-1]
    turn = run.turn(first)
    passed = tuple(at for at in run.passed if first < at < last)
    return Run(run.sheet, run.line, run.down, first, last, run.patterns[turn:] + run.patterns[:turn], passed)


def _parted_by(model: Model, gap: list[Key]) -> bool:
    """Whether cells between formulas are blank or text; numbers too, where a blank is beside them and all is typed."""
    kinds = [_kind(model, key) for key in gap]
    typed = [key for key, kind in zip(gap, kinds, strict=True) if kind not in ("missing", "text")]
    return not typed or ("missing" in kinds and not any(key[:2] in model.computed_rows for key in typed))


def _parted(sheet: str, line: int, down: bool, places: list[int], forms: Mapping[int, Form]) -> list[Run]:
    """A run for each stretch between blanks, where most of them have a formula of their own, as weeks may; or []."""
    stretches: list[list[int]] = []
    for at in places:
        if not stretches or at > stretches[-1][-1] + 1:
            stretches.append([])
        stretches[-1].append(at)
    usual = [Counter(forms[at] for at in stretch).most_common(1)[0] for stretch in stretches]
    own = 2 * len({form for form, _ in usual}) > len(stretches) + 1
    if len(stretches) < LEAST_STRETCHES or not own or sum(n for _, n in usual) < ALIKE * len(places):
        return []
    return [
        Run(sheet, line, down, stretch[0], stretch[-1], (Pattern(count, form=form),))
        for stretch, (form, count) in zip(stretches, usual, strict=True)
        if count >= LEAST
    ]


def _with_phases(
    places: list[int], kinds: Mapping[int, object], passed: tuple[int, ...]
) -> tuple[float, list[tuple[object, int]]] | None:
    """The smallest period at which one kind of cell has a clear majority in each phase."""
    best: tuple[float, list[tuple[object, int]]] | None = None
    for period in range(1, min(MOST_PERIOD, len(places) // 3) + 1):
        turns = _turns(places, passed if period == SIDES else ())
        phases: list[Counter[object]] = [Counter() for _ in range(period)]
        for at, turn in turns.items():
            phases[turn % period][kinds[at]] += 1
        tops = [p.most_common(1)[0] if p else (None, 0) for p in phases]
        share = sum(count for _, count in tops) / len(places)
        if best is None or share > best[0] + 0.1:
            best = (share, tops)
    return best


def _linear(
    model: Model,
    places: list[int],
    passed: tuple[int, ...],
    skeletons: dict[int, Expr],
    tops: Sequence[tuple[object, int]],
    key: Callable[[int], Key],
) -> tuple[Pattern | None, ...] | None:
    """Patterns whose coordinates move by a constant step; the period grows until a majority fits."""
    vectors = {at: _coordinates(model.forms[key(at)], key(at)) for at in places}
    for period in range(len(tops), MOST_PERIOD + 1, len(tops)):
        patterns: list[Pattern | None] = []
        fitting = 0
        turns = _turns(places, passed if period == SIDES else ())
        for phase in range(period):
            wanted = tops[phase % len(tops)][0]
            own = [at for at in turns if turns[at] % period == phase and skeletons[at] == wanted]
            pattern = _pattern(own, vectors, wanted) if len(own) >= 3 else None
            patterns.append(pattern)
            fitting += pattern.count if pattern else 0
        if fitting >= SHARE * len(places):
            return tuple(patterns)
    return None


def _pattern(own: list[int], vectors: dict[int, list[int]], wanted: object) -> Pattern | None:
    lines: list[Line] = []
    for column in zip(*(vectors[at] for at in own), strict=True):
        slopes = Counter(Fraction(b - a, q - p) for a, b, p, q in zip(column, column[1:], own, own[1:], strict=False))
        slope = slopes.most_common(1)[0][0]
        starts = Counter(value - slope * at for value, at in zip(column, own, strict=True))
        lines.append((slope, starts.most_common(1)[0][0]))
    fit = sum(all(s * at + o == v for (s, o), v in zip(lines, vectors[at], strict=True)) for at in own)
    if fit < max(3, SHARE * len(own)):
        return None
    assert isinstance(wanted, Expr)
    return Pattern(fit, skeleton=wanted, lines=tuple(lines))


def skeleton(tree: Expr) -> Expr:
    """Return a form's tree without the coordinates of its areas."""
    if isinstance(tree, Area):
        return Area(tree.sheet, 0, 0, 0, 0, 0, tree.single)
    if isinstance(tree, Unary):
        return Unary(tree.operator, skeleton(tree.operand))
    if isinstance(tree, Binary):
        return Binary(tree.operator, skeleton(tree.left), skeleton(tree.right))
    if isinstance(tree, Call):
        return Call(tree.function, tuple(None if a is None else skeleton(a) for a in tree.arguments))
    return tree


def _coordinates(form: Form, key: Key) -> list[int]:
    """The absolute numbers of the areas of a formula, in the order in which the tree is written."""
    found: list[int] = []

    def visit(tree: Expr | None) -> None:
        if isinstance(tree, Area):
            placed = tree.at(key[1], key[2])
            found.extend((placed.row, placed.column, placed.bottom, placed.right))
        elif isinstance(tree, Unary):
            visit(tree.operand)
        elif isinstance(tree, Binary):
            visit(tree.left)
            visit(tree.right)
        elif isinstance(tree, Call):
            for argument in tree.arguments:
                visit(argument)

    visit(form.tree)
    return found


def _filled(tree: Expr, numbers: Iterable[Fraction], own: str) -> Expr:
    stream = iter(numbers)

    def visit(node: Expr) -> Expr:
        if isinstance(node, Area):
            row, column, bottom, right = (int(next(stream)) for _ in range(4))
            return Area(node.sheet or own, row, column, bottom, right, ALL_FIXED, node.single)
        if isinstance(node, Unary):
            return Unary(node.operator, visit(node.operand))
        if isinstance(node, Binary):
            left = visit(node.left)
            return Binary(node.operator, left, visit(node.right))
        if isinstance(node, Call):
            return Call(node.function, tuple(None if a is None else visit(a) for a in node.arguments))
        return node

    return visit(tree)


def _blocks(sheet: str, line: int, down: bool, places: list[int], forms: dict[int, Form]) -> list[Run]:
    """Where a line has several forms one after another, each long block is a run of its own."""
    found: list[Run] = []
    start = 0
    for i in range(1, len(places) + 1):
        if i == len(places) or forms[places[i]] is not forms[places[start]]:
            if i - start >= LEAST:
                pattern = Pattern(i - start, form=forms[places[start]])
                found.append(Run(sheet, line, down, places[start], places[i - 1], (pattern,)))
            start = i
    return found


def find_suspects(model: Model, runs: Iterable[Run]) -> list[Suspect]:
    """Return the cells that depart from the majority of their run, one suspect a cell."""
    shapes: dict[int, Expr] = {}
    found: dict[Key, Suspect] = {}
    lawful: set[Key] = set()
    for run in runs:
        for key in run.cells():
            if run.pattern(key) is None:
                continue
            if run.fits(model, key):
                lawful.add(key)
                continue
            if _is_read_by_all(model, run, key):
                continue
            if not run.down or not (_is_heading(model, key) or _is_of_its_place(model, key, shapes)):
                found.setdefault(key, Suspect(key, run, _kind(model, key)))
    return [suspect for key, suspect in found.items() if key not in lawful]


def _is_read_by_all(model: Model, run: Run, key: Key) -> bool:
    """Whether what is typed in a line is what all formulas of the line read there: its number, and none of them."""
    tree = None if key in model.forms else run.expected(key)
    anchor = ROW if run.down else COLUMN
    return tree is not None and any(
        isinstance(n, Area) and n.single and n.fixed & anchor and (n.sheet, n.row, n.column) == key for n in walk(tree)
    )


def _is_of_its_place(model: Model, key: Key, shapes: dict[int, Expr]) -> bool:
    """Whether the same row of another block of the column, and no row beside it, has such a formula as a cell.

    In cross tables below each other each row has a formula of its own, and so have the sums below the games of a month,
    of which one has more games than another: the row is counted from the first of the block or from the last. `shapes`
    keeps the skeletons of formulas by their numbers.
    """
    form, (sheet, row, column) = model.forms.get(key), key
    if form is None:
        return False
    forms = {
        at: one for at in model.columns[sheet, column] if (one := model.forms.get((sheet, at, column))) is not None
    }
    for one in forms.values():
        if one.number not in shapes:
            shapes[one.number] = skeleton(one.tree)
    same = {at for at, one in forms.items() if one is form}
    alike = {at for at, one in forms.items() if shapes[one.number] == shapes[form.number]}
    return any(
        abs(at - row) > place
        and not {at - 1, at + 1} & rows
        and _formulas_beside(model, (sheet, at, column), way) == place
        for way in (-1, 1)
        for place in (_formulas_beside(model, key, way),)
        for rows in (same, alike)
        for at in rows - {row}
    )


def _formulas_beside(model: Model, key: Key, way: int) -> int:
    """How many formulas stand without a gap above a cell (-1) or below it (1)."""
    found = 0
    while (key[0], key[1] + way * (found + 1), key[2]) in model.forms:
        found += 1
    return found


def _is_heading(model: Model, key: Key) -> bool:
    """Whether a cell stands between two blocks of a column, in the lines with the heading of the second.

    A line with all that is typed in the rows of the blocks is one of them.
    """
    (sheet, row, column), computed = key, model.computed_rows
    if key[:2] in computed:
        return False
    top, bottom = row, row
    while (sheet, top - 1) not in computed and row - top < GAP:
        top -= 1
    while (sheet, bottom + 1) not in computed and bottom - row < GAP:
        bottom += 1
    if not any(_kind(model, (sheet, at, column)) == "text" for at in range(top, bottom + 1)):
        return False
    filled = {at for line, at in model.book.sheets[sheet] if line == row and model.value((sheet, row, at)) is not None}
    typed = {at for line, at in model.book.sheets[sheet] if line == bottom + 1 and (sheet, line, at) not in model.forms}
    return not typed or not typed <= filled


def _kind(model: Model, key: Key) -> str:
    cell = model.cell(key)
    if cell is None or (cell.formula is None and cell.value is None):
        return "missing"
    if cell.formula is not None:
        return "form"
    text = isinstance(cell.value, str) and not isinstance(cell.value, CellError)
    return "text" if text and not _number_like(str(cell.value)) else "value"


def _number_like(text: str) -> bool:
    return text.strip().lstrip("+-").replace(".", "", 1).replace(",", "", 1).isdigit()
