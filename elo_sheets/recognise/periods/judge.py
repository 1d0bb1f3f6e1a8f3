"""Rating periods, cross-tables and tournaments: ratings that are closed by sums of points and of expectations.

A closing rating is its opening rating plus K times (points − expected points). What it does is found by moving the
opponents' opening ratings one by one: the closing rating must rise with each of them along a curve of expectation, and
move along when everybody moves. The sums may be written out, be SUMIFs over a list of games, or a column's total.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from statistics import NormalDist
from typing import Any

from elo_sheets.expr import Binary, Call, Expr, Number, walk
from elo_sheets.files.package import Value
from elo_sheets.recognise.abreast import is_as_beside
from elo_sheets.recognise.behind import cone, has_deviations
from elo_sheets.recognise.blocks import powers
from elo_sheets.recognise.calculators.repairs import edit_cost
from elo_sheets.recognise.compare import code_of, equivalent
from elo_sheets.recognise.context import Context, Proposal, RoleCells, Sheetwork
from elo_sheets.recognise.departures import spell
from elo_sheets.recognise.ledgers.points import points_faults
from elo_sheets.recognise.model import ALL_FIXED, Area, Form, Key, at_cell, cell_area
from elo_sheets.recognise.nearmiss import LIMITS, anchored, candidates, places, scales_in
from elo_sheets.recognise.periods.changes import as_changes, with_new_ratings
from elo_sheets.recognise.periods.closed import Closed, closed_tables, columns_of_formulas, majority
from elo_sheets.recognise.periods.closings import replayed
from elo_sheets.recognise.periods.one_by_periods import by_periods
from elo_sheets.recognise.periods.performance_lists import performance_list
from elo_sheets.recognise.periods.sums import Closing, Formulas, Sums
from elo_sheets.recognise.periods.tournaments import tournament
from elo_sheets.recognise.periods.written_out import departed
from elo_sheets.recognise.predictions.entries import entry_faults
from elo_sheets.recognise.roles import has_power
from elo_sheets.recognise.shapes import Shape, logistic

MOST_WORK = 400_000  # cells that are computed for all searches, so that any machine gives the same verdict
FEW_ROWS, FEW_OTHERS = 3, 4
MOST_DEEP = 400
MOST_SCALES = 2
CAP = 400.0  # rating points, as by FIDE's rule
DEVIATIONS = (
    200 * 2**0.5,
    2000 / 7,
)  # of a difference of ratings: by Elo's book, and by FIDE's table


# --- tables of players ------------------------------------------------------------------------------------------


def recognise(context: Context) -> Sheetwork | None:
    """Return what a book of rating periods or of a tournament is, or None when it is neither."""
    work = tournament(context, Sums(context.wide), context.prober)
    if work is not None:
        work.proposals += entry_faults(context)
        return work
    work = by_periods(context)
    if work is not None and (work.replayed or work.proposals):
        return work
    model, tables = context.model, closed_tables(context)
    longer = None if tables else with_new_ratings(context)
    if longer is not None and (work := recognise(longer[0])) is not None:
        return as_changes(work, longer[1])
    if not tables:
        return performance_list(context)
    judge = _Judge(context)
    for table in tables:
        judge.table(table)
    typed = entry_faults(context)
    if not judge.followed and not typed:
        return performance_list(context)
    work = judge.work(tables)
    work.proposals = [*work.proposals, *typed] if judge.followed else typed
    if not work.proposals:
        scales = [Number(judge.scale)] if judge.scale else scales_in(model.forms.values(), MOST_SCALES)
        curves: list[tuple[dict[str, Any], Callable[[float], float]]] = [
            ({"curve": "logistic", "scale": one.value}, partial(logistic, scale=one.value)) for one in scales
        ]
        for scale in scales:  # differences that count no more, as FIDE's, where the book takes its curve for the table
            held_at = Shape("logistic", scale.value, 0.0, CAP).expectation
            curves.append(({"curve": "logistic", "scale": scale.value, "cap": CAP}, held_at))
        for one in DEVIATIONS if not judge.scale else ():  # whole points show none
            curves.append(({"curve": "normal", "deviation": one}, partial(_normal, deviation=one)))
        for cap in (None, CAP) if not judge.scale else ():
            curves.append(({"curve": "FIDE table"}, Shape("FIDE table", 400.0, 0.0, cap).expectation))
        tries = ((facts, replayed(context, tables, curve)) for facts, curve in curves)
        facts, held = min(tries, key=lambda one: len(one[1].reasons))
        if not held.reasons:
            work.facts |= facts
        work.listed = work.rated = held.games
        work.proposals = held.proposals
        work.replayed, work.reason = not held.reasons, next(iter(held.reasons), None)
        if len(held.k) == 1:
            work.facts["k"] = next(iter(held.k))
    return work


def _normal(difference: float, deviation: float) -> float:
    return NormalDist(0, deviation).cdf(difference)


class _Judge:
    """Judges closing columns, and what their sums are made of."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.model = context.model
        self.sums = Sums(context.wide)
        self.deviating = {sheet for sheet in self.model.book.sheets if has_deviations(self.model, sheet)}
        self.proposals: list[Proposal] = []
        self.followed = False
        self.scale: float | None = None
        self.most = context.wide.work + MOST_WORK

    def table(self, table: Closed) -> None:
        """Judge one closing column."""
        if table.points is not None:
            self.proposals += points_faults(self.context, [(table.sheet, row, table.points) for row in table.rows])
        self.proposals += self._departed(table)
        read = {table.sheet, *(key[0] for key in cone(self.model, table.key(table.rows[0]), MOST_DEEP))}
        if read & self.deviating:
            self.followed = True
            return
        if table.expected is not None and self._written_out(table):
            self.proposals += departed(self.context, table.sheet, table.expected, table.rows)
        repaired: dict[Key, Expr] = {}
        for proposal in self.proposals:
            for key, text in proposal.repairs.items():
                form = self.model.form_of(text, key)
                if form is not None:
                    repaired[key] = at_cell(form.tree, key)
        for suspect in self.context.suspects:
            tree = suspect.run.expected(suspect.key)
            if tree is not None and suspect.kind != "text":
                repaired.setdefault(suspect.key, tree)
        written_out = table.expected is not None and self._written_out(table)
        if not written_out and self._all_right(table, repaired):
            self.followed = True
            self._limits(table)
            return
        if table.expected is not None:
            self._expected(table, repaired)
        self._closing(table, repaired)

    def _all_right(self, table: Closed, repaired: dict[Key, Expr]) -> bool:
        """Whether the first and the last closing rating behave, by one scale."""
        scales: set[float] = set()
        for row in {table.rows[0], table.rows[-1]}:
            others = [cell for r, cell in table.opening.items() if r != row][:3]
            check = self.sums.closing(table.key(row), table.everybody, others, repaired)
            if check is not None and not check.terms:
                everyone = [cell for r, cell in table.opening.items() if r != row]
                check = self.sums.closing(table.key(row), table.everybody, everyone, repaired)
                number = None if table.expected is None else self.model.number((table.sheet, row, table.expected))
                if check is not None and not check.terms and number is not None and number > 0.01:
                    return False
            if check is None or check.wrong or not check.moves_along:
                return False
            scales |= set(check.scales)
        if not scales or max(scales) - min(scales) > 0.01 or 0 < min(scales) < 3:
            return False
        scale = min(scales)
        if abs(scale / 230.2585092994 - round(scale / 230.2585092994)) < 1e-4 and scale > 200:
            return False
        self.scale = scale or None
        return True

    # The sums of expectations

    def _sum_of(self, table: Closed, row: int, formulas: Formulas, few: bool = True) -> Closing | None:
        assert table.expected is not None
        others = [cell for r, cell in table.opening.items() if r != row]
        others = others[:FEW_OTHERS] if few else others[:40]
        return self.sums.closing((table.sheet, row, table.expected), table.everybody, others, formulas, rises=False)

    def _expected(self, table: Closed, repaired: dict[Key, Expr]) -> None:
        written_out = self._written_out(table)
        rows = table.rows if written_out else table.rows[:FEW_ROWS]
        checks = {row: self._sum_of(table, row, repaired, few=not written_out) for row in rows}
        scales = Counter(s for check in checks.values() if check is not None for s in check.scales if s > 3)
        if scales:
            self.scale = max(scales, key=lambda s: (scales[s], s == 400))
            self.followed = True
        bad = [row for row, check in checks.items() if check is not None and check.terms and not self._fine(check)]
        bad += [row for row, check in checks.items() if check is None and written_out]
        if not bad:
            return
        if written_out:
            for row in bad:
                check = checks[row]
                odd = [] if check is None else list(check.wrong[:1])
                self._mend_sum(table, row, odd, repaired)
        else:
            self._mend_games(table, bad, repaired)

    def _fine(self, check: Closing) -> bool:
        return (
            not check.wrong
            and all(self.scale is None or s == 0 or abs(s - self.scale) < 0.01 for s in check.scales)
            and (not check.scales or max(check.scales) > 3 or max(check.scales) == 0)
        )

    def _written_out(self, table: Closed) -> bool:
        trees = [self.model.tree((table.sheet, row, table.expected or 0)) for row in table.rows]
        return 2 * sum(powers(tree) for tree in trees) > len(trees)

    def _mend_sum(self, table: Closed, row: int, wrong: list[Key], repaired: dict[Key, Expr]) -> None:
        key = (table.sheet, row, table.expected or 0)
        present = self.model.tree(key)
        if present is None:
            return
        now = self._sum_of(table, row, repaired, few=False)
        for code, tree in self._cheapest(present):
            if code == "ES113":
                continue
            if wrong:
                first = self.sums.closing(key, table.everybody, wrong, {**repaired, key: tree}, rises=False)
                if first is None or first.wrong or not self._fine(first):
                    continue
            check = self._sum_of(table, row, {**repaired, key: tree}, few=False)
            if check is None or not check.right or not self._fine(check) or (now and check.terms < now.terms):
                continue
            repaired[key] = tree
            self._propose([key], {key: tree}, code)
            self.followed = True
            return

    def _cheapest(self, tree: Expr) -> Iterator[tuple[str, Expr]]:
        """What a formula may have been meant to be, the nearest first, until the time for a search is over."""
        ways = sorted(
            candidates(tree, scales_in(self.model.forms.values(), 1)),
            key=lambda way: edit_cost(way[1], tree) + (way[0] == "ES115"),
        )
        for way in ways:
            if self.context.wide.work > self.most:
                return
            yield way

    def _mend_games(self, table: Closed, rows: list[int], repaired: dict[Key, Expr]) -> None:
        """The expectations of the games behind the sums do not behave: try what a whole column may have meant."""
        key = (table.sheet, rows[0], table.expected or 0)
        deep = cone(self.model, key, MOST_DEEP)[1:]
        forms = Counter(self.model.forms[one] for one in deep if one not in repaired and powers(self.model.tree(one)))
        for form, _ in forms.most_common(3):
            cells = [one for one in self.model.forms if self.model.forms[one] is form]
            for code, tree in self._cheapest(form.tree):
                if code == "ES115" or (code == "ES113" and powers(form.tree)):
                    continue
                trees = {one: at_cell(tree, one) for one in cells}
                check = self._sum_of(table, rows[0], {**repaired, **trees})
                if check is not None and check.right and check.scales and max(check.scales) >= 3:
                    repaired.update(trees)
                    self._propose(cells, trees, code)
                    self.followed = True
                    return

    # Changes and closing ratings

    def _closing(self, table: Closed, repaired: dict[Key, Expr]) -> None:
        rows = table.rows[:FEW_ROWS] if len(table.rows) > 8 else table.rows[:6]
        others = {row: [cell for r, cell in table.opening.items() if r != row][:FEW_OTHERS] for row in rows}
        checks = {row: self.sums.closing(table.key(row), table.everybody, others[row], repaired) for row in rows}
        usable = {row: check for row, check in checks.items() if check is not None}
        if any(check.right for check in usable.values()):
            self.followed = True
        bad = [row for row, check in checks.items() if check is None or check.wrong or not check.terms]
        if not bad or not self.followed or len(bad) < 0.6 * len(rows):
            self._limits(table)
            return
        self._mend_update(table, rows, others, repaired)
        self._limits(table)

    def _mend_update(
        self, table: Closed, rows: list[int], others: dict[int, list[Key]], repaired: dict[Key, Expr]
    ) -> None:
        best: tuple[float, str, list[Key], dict[Key, Expr]] | None = None
        for column, code, trees in self._update_ways(table):
            if self.context.wide.work > self.most:
                break
            trial = {**repaired, **trees}
            if not self._balanced(table, rows[0], trial):
                continue
            good = True
            for row in rows:
                check = self.sums.closing(table.key(row), table.everybody, others[row], trial)
                if check is None or not check.right:
                    good = check is not None and not check.terms and not others[row]
                    if not good:
                        break
            if not good:
                continue
            first = next(iter(trees))
            cost = edit_cost(trees[first], self.model.tree(first)) + (code == "ES115") + 0.1 * (column == table.column)
            if best is None or cost < best[0]:
                best = cost, code, sorted(trees), trees
        if best is not None:
            repaired.update(best[3])
            self._propose(best[2], best[3], best[1])

    def _balanced(self, table: Closed, row: int, formulas: Formulas) -> bool:
        """Whether as many points as expected leave the rating as it was."""
        if table.points is None or table.expected is None:
            return True
        level: dict[Key, Value] = {(table.sheet, row, table.points): 3.0, (table.sheet, row, table.expected): 3.0}
        opening, found = (
            self.model.number(table.opening[row]),
            self.sums.evaluator.number(table.key(row), level, formulas),
        )
        return opening is None or found is None or abs(found - opening) < 0.51

    def _update_ways(self, table: Closed) -> Iterator[tuple[int, str, dict[Key, Expr]]]:
        model = self.model
        for column in (table.change, table.column):
            if column is None:
                continue
            form = majority(model, table.sheet, column, table.rows)
            cells = [k for r in table.rows if model.forms.get(k := (table.sheet, r, column)) is form]
            if form is None or not cells:
                continue
            for code, tree in candidates(form.tree):
                if code != "ES113" or len(walk(tree)) < len(walk(form.tree)):
                    yield column, code, {k: at_cell(tree, k) for k in cells}
            if table.expected is not None and not isinstance(form.tree, Area):
                for code, rebuilt in self._with_expected(form.tree, table, column):
                    yield column, code, {k: at_cell(rebuilt, k) for k in cells}
            if column == table.column and table.change is not None:
                change = Area(None, 0, table.change - column, 0, table.change - column, 0, True)
                yield column, "ES126", {k: at_cell(Binary("+", form.tree, change), k) for k in cells}
            for area in form.areas:
                if area.single and not area.fixed & 1 and (area.row != 0 or area.sheet is not None):
                    placed = area.at(cells[0][1], cells[0][2])
                    fixed = Area(area.sheet, placed.row, placed.column, placed.row, placed.column, ALL_FIXED, True)
                    for node, rebuild in places(form.tree):
                        if node == area:
                            yield column, "ES124", {k: at_cell(rebuild(fixed), k) for k in cells}

    def _with_expected(self, tree: Expr, table: Closed, column: int) -> Iterator[tuple[str, Expr]]:
        """K × S where K × (S − E) is meant."""
        assert table.expected is not None
        expected = Area(None, 0, table.expected - column, 0, table.expected - column, 0, True)
        for node, rebuild in places(tree):
            if isinstance(node, Area) and node.single and node.row == 0 and not node.fixed & 1 and node != expected:
                yield "ES117", rebuild(Binary("-", node, expected))

    def _limits(self, table: Closed) -> None:
        """A floor or ceiling in the closing formula that nothing declares, and that bites."""
        form = majority(self.model, table.sheet, table.column, table.rows)
        if form is None:
            return
        for node, rebuild in places(form.tree):
            if not (isinstance(node, Call) and node.function in LIMITS):
                continue
            numbers = [a for a in node.arguments if isinstance(a, Number)]
            rest = [a for a in node.arguments if a is not None and not isinstance(a, Number)]
            if len(numbers) != 1 or len(rest) != 1 or numbers[0].value % 50 == 0:
                continue
            cells = [k for r in table.rows if self.model.forms.get(k := table.key(r)) is form]
            if any(self.model.number(k) == numbers[0].value for k in cells):
                self._propose(cells, {k: at_cell(rebuild(rest[0]), k) for k in cells}, "ES118")

    # Cells that differ from the few others of their column

    def _departed(self, table: Closed) -> list[Proposal]:
        """In tables too small for a run: the one cell of a column that differs from all others."""
        if len(table.rows) > 6:
            return []
        found = []
        columns = columns_of_formulas(self.model)
        for (sheet, column), rows in columns.items():
            if sheet != table.sheet or not set(rows) & set(table.rows) or not set(rows) <= set(table.rows):
                continue
            form = majority(self.model, sheet, column, rows)
            odd = [r for r in table.rows if self.model.forms.get((sheet, r, column)) is not form]
            if form is None or len(odd) != 1 or len(table.rows) < 4:
                continue
            key = (sheet, odd[0], column)
            if is_as_beside(self.model, key, table.rows) or any(key in p.cells for p in self.proposals):
                continue
            found += self._odd(key, form, (sheet, next(r for r in rows if r != odd[0]), column), self._roles(table))
        return found

    def _roles(self, table: Closed) -> dict[Key, str]:
        columns = ((table.column, "R"), (table.change, "D"), (table.points, "S"), (table.expected, "E"))
        found = {
            (table.sheet, row, column): role for column, role in columns if column is not None for row in table.rows
        }
        return {**found, **dict.fromkeys(table.everybody, "B")}

    def _odd(self, key: Key, form: Form, like: Key, roles: Mapping[Key, str]) -> list[Proposal]:
        expected, present = at_cell(form.tree, key), self.model.tree(key)
        cell = self.model.cell(like)
        text = spell(expected, key[0])
        text = anchored(text, cell.formula) if cell is not None and cell.formula is not None else text
        if present is None:
            own = self.model.cell(key)
            code = "ES202" if own is None or own.value is None else "ES201"
        else:
            code = code_of(expected, present, roles, key)
            code = _self_reference(present, key) or code
            loud = ("ES107", "ES118", "ES122", "ES125", "ES505", "ES506", "ES215")
            if equivalent(self.context.evaluator, key, expected, present) and code not in loud:
                return []
        return [Proposal(code, (key,), repairs={key: text}, fix="=" + text, rank=1)]

    # What is said

    def _propose(self, cells: list[Key], trees: Mapping[Key, Expr], code: str) -> None:
        repairs = {}
        for key in sorted(cells):
            stored = self.model.cell(key)
            text = spell(trees[key], key[0])
            repairs[key] = text if stored is None or stored.formula is None else anchored(text, stored.formula)
        present = self.model.tree(sorted(cells)[0])
        first = sorted(cells)[0]
        if present is not None and code in ("ES108", "ES106", "ES105"):
            code = code_of(trees[first], present, {}, first)
        last = self.proposals[-1] if self.proposals else None
        if (
            last is not None
            and last.code == code
            and len(cells) == 1
            and last.cells[-1] == (first[0], first[1] - 1, first[2])
        ):
            self.proposals[-1] = Proposal(
                code, (*last.cells, first), repairs={**last.repairs, **repairs}, fix=last.fix, rank=1
            )
            return
        self.proposals.append(Proposal(code, tuple(sorted(cells)), repairs=repairs, fix="=" + repairs[first], rank=1))

    def work(self, tables: list[Closed]) -> Sheetwork:
        """Return what was found."""
        matrix = any(self._written_out(t) for t in tables if t.expected is not None)
        work = Sheetwork("winner-loser matrix" if matrix else "periods")
        for table in tables:
            closing = [table.key(row) for row in table.rows]
            work.ratings |= set(closing)
            work.roles.append(RoleCells("R", tuple(closing)))
            work.roles.append(RoleCells("B", tuple(table.opening.values())))
            for role, column in (("D", table.change), ("S", table.points), ("E", table.expected)):
                if column is not None:
                    work.roles.append(RoleCells(role, tuple((table.sheet, row, column) for row in table.rows)))
        if self.scale:
            work.facts = {"curve": "logistic", "scale": self.scale}
        elif not any(has_power(form.tree) for form in set(self.model.forms.values())):
            work.facts["curve"] = "other"
        work.facts["players"] = max(len(table.rows) for table in tables)
        work.proposals = self.proposals
        work.reason = (
            "ratings closed by sums: every closing rating was probed against its opponents, no game was replayed"
        )
        return work


def _self_reference(tree: Expr, key: Key) -> str | None:
    own = cell_area(key)
    return "ES215" if any(node == own for node in walk(tree)) else None
