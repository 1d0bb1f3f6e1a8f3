"""How a sheet rates its games, found by probing a late row: which cells compare which ratings, and what gains.

The rule is taken from the sheet as a function: what an expectation cell gives for two sides of ratings, and what a new
rating gains when the expectation is another. K, margins, rounding and bonuses are whatever the sheet's own formulas
make of the row's inputs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from elo_sheets.expr import walk
from elo_sheets.files.package import Value
from elo_sheets.recognise.cells import Run
from elo_sheets.recognise.curves import Curve, cap, curve
from elo_sheets.recognise.ledgers.changes_only import gains_of
from elo_sheets.recognise.ledgers.plans import After, Gains, Leaf, NoGames, Phase, Plan, Stopped, WrongWay
from elo_sheets.recognise.ledgers.reading import MOST_PERIOD, STEP, Reading
from elo_sheets.recognise.model import Area, Key, range_text, text_of
from elo_sheets.recognise.parts import rounds
from elo_sheets.recognise.roles import Seen

LARGE = 20000.0  # rating points at which every expectation is 0 or 1
LEAST_K = 0.5  # rating points that a whole game moves: less is the rounding of a sheet
SAMPLES = 24  # rows in which K is looked at
Share = Callable[[Mapping[Key, Value]], float | None]


class Planner(Reading):
    """Finds out, by probing a late row of each phase, how the games of a sheet are rated."""

    def plan(self) -> Plan:
        """Return the plan; raises `Stopped` when the sheet rates in a way that cannot be replayed."""
        if not self.main:
            raise Stopped(f"no expectation was found on {self.sheet}")
        run = max((s.run for s in self.main), key=lambda r: r.last - r.first)
        first, last = min(s.run.first for s in self.main), max(s.run.last for s in self.main)
        middle = max(s.key[1] for s in self.main if s.run is run)
        period = max((s.run.period for s in self.main), default=1)
        period = max([period, *(r.period for r in self.runs if self._overlaps(r, first, last) and r.period == 2)])
        if period > MOST_PERIOD:
            raise Stopped(f"the rows of {self.sheet} repeat in blocks of {period}")
        plan = Plan(self.sheet, first, last, [], scores=self._scores())
        if period > 1:
            plan.passed = max((r.passed for r in self.runs if self._overlaps(r, first, last)), key=len, default=())
        for phase in range(period):
            plan.phases.append(self._phase(plan, self._row(plan, middle, period, phase)))
        if not any(p.after for p in plan.phases) and not plan.lines:
            raise NoGames(f"no new rating was found beside the expectations of {self.sheet}")
        if plan.lines:
            self._every_line(plan)
        self._rule(plan)
        return plan

    def _scores(self) -> tuple[int, ...]:
        found = (seen.part.score for seen in self.roles.seen if seen.part is not None and seen.run.sheet == self.sheet)
        typed = (score for score in found if score is not None and score[0] == self.sheet)
        return tuple({score[2] for score in typed if score not in self.model.forms})

    def late_row(self) -> int:
        """The row of a late game that is as the others; raises `Stopped` when there is none."""
        if not self.main:
            raise Stopped(f"no expectation was found on {self.sheet}")
        run = max((s.run for s in self.main), key=lambda r: r.last - r.first)
        return self._row(Plan(self.sheet, 1, 1, []), max(s.key[1] for s in self.main if s.run is run), 1, 0)

    def lines_of(self, row: int) -> set[int]:
        """The columns that are a player's own, as far as the ratings of a game are looked up along a row."""
        return self._row_areas(row)

    def _every_line(self, plan: Plan) -> None:
        """Try every player's own column once on each side of a game."""
        phase = plan.phases[0]
        if phase.expectation is None:
            return
        key = phase.expectation.line
        heads = {str(text_of(self.model, self._head(line))).strip().casefold(): line for line in plan.lines}
        own = {leaf.owner for leaf in phase.own}
        tried: set[tuple[int, int]] = set()
        signs = {c: heads.get(self._name(phase.row, c)) in own for c in plan.names}
        for row in range(plan.first, plan.last + 1):
            for column in plan.names:
                line = heads.get(self._name(row, column))
                cell = (self.sheet, row, line or 0)
                usual = line is not None and self._usual(plan.lines[line], row) and self._usual(phase.expectation, row)
                if line is None or not usual or (line, column) in tried:
                    continue
                tried.add((line, column))
                if (self._slope(cell, row, key, self._unit(key), (self.sheet, row - 1, line))[0] > 0) != signs[column]:
                    raise WrongWay([cell], None, False)

    def _name(self, row: int, column: int) -> str:
        return str(text_of(self.model, (self.sheet, row, column))).strip().casefold()

    def _rule(self, plan: Plan) -> None:
        """Sample K in rows along the sheet, and find what it is proportional to."""
        rows = plan.rows
        for row in rows[:: max(1, len(rows) // SAMPLES)]:
            phase = plan.phases[plan.turn(row)]
            k = self._k_in(plan, phase, row, {})
            if k is not None:
                plan.ks[row] = k
                plan.k_from = plan.k_from or self._k_cell(plan, phase, row, k)

    def _k_in(self, plan: Plan, phase: Phase, row: int, more: Mapping[Key, Value]) -> float | None:
        for cell, base, carried in self._gaining(plan, phase, row):
            start = self.model.number(base)
            if start is None:
                continue
            k: float | None
            if phase.expectation is not None:
                line = phase.expectation.line
                unit = self._unit(line)
                ends = [
                    self._number(cell, {**more, (self.sheet, row, line): e * unit, **self._mates(row, line, e)})
                    for e in (0.0, 1.0)
                ]
                k = None if ends[0] is None or ends[1] is None else ends[0] - ends[1]
            else:
                ends = [self._number(cell, {**more, base: start + far}) for far in (-LARGE, LARGE)]
                k = None if ends[0] is None or ends[1] is None else ends[0] - ends[1] + 2 * LARGE * carried
            if k is not None and abs(k) > LEAST_K:
                return round(abs(k), 9)
        return None

    def _gaining(self, plan: Plan, phase: Phase, row: int) -> list[tuple[Key, Key, bool]]:
        """The new ratings (or changes) of a row, the cells that they start from, and whether these are in them."""
        if plan.lines:
            return [((self.sheet, row, line), (self.sheet, row - 1, line), True) for line in plan.lines]
        return [
            ((self.sheet, row, one.run.line), one.base.key(self.sheet, row), not one.gains)
            for one in phase.after
            if one.base is not None
        ]

    def _mates(self, row: int, line: int, e: float) -> dict[Key, Value]:
        """The other expectations of a row when the one in column `line` is `e`."""
        moved: dict[Key, Value] = {}
        main = next((s.part for s in self.main if s.key[2] == line), None)
        for mate in self.columns - {line}:
            part = next((s.part for s in self.main if s.key[2] == mate), None)
            if part is not None and main is not None and self.model.number((self.sheet, row, mate)) is not None:
                moved[self.sheet, row, mate] = (e if part.own == main.own else 1 - e) * part.unit
        return moved

    def _k_cell(self, plan: Plan, phase: Phase, row: int, k: float) -> Key | None:
        leaves = {leaf.key(self.sheet, row) for leaf in phase.leaves}
        for cell, _, _ in self._gaining(plan, phase, row):
            for read in self.roles.looker.leaves(cell, {}, 3):
                number = self.model.number(read)
                if number is None or read in leaves or abs(number) < 1 or (read[2] in self.columns and read[1] == row):
                    continue
                doubled = self._k_in(plan, phase, row, {read: 2 * number})
                if doubled is not None and abs(doubled - 2 * k) < 1e-6:
                    return read
        return None

    def _overlaps(self, run: Run, first: int, last: int) -> bool:
        return run.first <= first + 1 and run.last >= last - 1

    def _row(self, plan: Plan, middle: int, period: int, phase: int) -> int:
        """A late row of the phase in which the expectation is a number and its formula the usual one."""
        rows = [middle + d for d in (0, 1, -1, 2, -2, 3, -3, 4, -4, 5, -5, 6, -6, 8, -8)]
        for row in rows:
            if (
                plan.turn(row, period) == phase
                and row not in plan.passed
                and any(self._usual(s.run, row) for s in self.main)
            ):
                return row
        raise Stopped(f"no row of {self.sheet} near row {middle} has all its numbers")

    def _usual(self, run: Run, row: int) -> bool:
        key = (self.sheet, row, run.line)
        return run.first <= row <= run.last and run.fits(self.model, key) and self.model.number(key) is not None

    def wrong_way(self, row: int) -> WrongWay | None:
        """What moves the wrong way in a row, None for nothing; raises `Stopped` when that cannot be said."""
        plan = Plan(self.sheet, row, row, [])
        try:
            plan.phases.append(self._phase(plan, row))
            if plan.lines:
                self._every_line(plan)
        except WrongWay as wrong:
            return wrong
        return None

    def _phase(self, plan: Plan, row: int) -> Phase:
        last: Stopped | None = None
        for seen in self.main:
            if not self._usual(seen.run, row):
                continue
            try:
                return self._by(plan, seen, row)
            except Stopped as stopped:
                last = last or stopped
        raise last or Stopped(f"no expectation in row {row} of {self.sheet}")

    def _by(self, plan: Plan, seen: Seen, row: int) -> Phase:
        key = (self.sheet, row, seen.run.line)
        own_cell = bool(self.expecting)
        unit = seen.part.unit if seen.part is not None else 1.0
        terminals = self.terminals(key, row)
        if own_cell:
            own, other, shape = self._sides(key, terminals, lambda o: self._over(self._number(key, o), unit))
            after = self._after(plan, row, [*own, *other], {seen.run.line})
            k, score = self._gain(plan, row, key, unit, after, own, other)
        else:
            change = seen.part is not None and seen.part.kind == "D"
            base = self._risen(key, terminals) if change else self._base(key, terminals, {})
            if base is None:
                raise Stopped(f"no rating that {range_text([key])} starts from")
            k, score, share = self._inlined(key, terminals, base, change)
            own, other, shape = self._sides(key, terminals, share)
            if base not in own:
                raise Stopped(f"{range_text([key])} does not gain by its own player's result")
            after = self._after(plan, row, [*own, *other], set())
        leaves = [self.leaf(k, row, plan) for k in own], [self.leaf(k, row, plan) for k in other]
        rounded = any(rounds(t) for a in after if (t := self.model.tree((self.sheet, row, a.run.line))) is not None)
        return Phase(seen.run if own_cell else None, *leaves, after, shape, k, score, rounded, row)

    def _sides(self, key: Key, terminals: list[Key], share: Share) -> tuple[list[Key], list[Key], Curve]:
        numbers = [n for t in terminals if (n := self.model.number(t)) is not None]
        center = round(sum(numbers) / len(numbers)) + 0.0 if numbers else 1500.0
        level: dict[Key, Value] = dict.fromkeys(terminals, center)
        here = share(level)
        if here is None:
            raise Stopped(f"{range_text([key])} could not be computed at other ratings")
        own: list[Key] = []
        other: list[Key] = []
        for one in terminals:
            moved = share({**level, one: center + STEP})
            if moved is None:
                raise Stopped(f"{range_text([key])} could not be computed at other ratings")
            if abs(moved - here) > 1e-12:
                (own if moved > here else other).append(one)
        if not own or not other:
            raise Stopped(f"{range_text([key])} does not compare two sides")

        def at(a: float, b: float) -> float | None:
            return share({**dict.fromkeys(own, a), **dict.fromkeys(other, b)})

        found = curve(at, center)
        if found is None or not found[1]:
            raise Stopped(f"{range_text([key])} is no expectation of the two sides' ratings")
        shape = found[0]
        return own, other, Curve(shape.scale, shape.advantage, cap(at, center, shape))

    def _after(self, plan: Plan, row: int, sides: list[Key], marks: set[int]) -> list[After]:
        """The new ratings of the row; players' own columns go into the plan."""
        found: list[After] = []
        lines = {t[2] for t in sides if t[1] < row and self.model.number((self.sheet, row, t[2])) is not None}
        wide = self._row_areas(row)
        for run in self.runs:
            key = (self.sheet, row, run.line)
            if not (run.first <= row <= run.last) or key in sides or run.line in (marks or set()):
                continue
            if run.line in wide:
                plan.lines[run.line] = run
                continue
            if not self._usual(run, row) or not self._moves_with(key, row, marks):
                continue
            if self.new and run.line not in self.new:
                continue
            stops = [(self.sheet, row, c) for c in self.columns if c != run.line]
            base = self._base(key, self.terminals(key, row, stops), self._held(row, run.line))
            if (
                base is not None
                and (base in sides)
                and (run.line in lines or run.line in self.new or self._read_later(run, base))
            ):
                found.append(After(run, self.leaf(base, row, plan)))
        if plan.lines:
            plan.names = plan.names or self._participants(plan, row, sides)
            return []
        self._all_move(found, row, sides, plan)
        found = self._one_each(found, row) or self._summed(row, sides, plan, marks)
        if not found:
            raise NoGames(f"no new rating was found in row {row} of {self.sheet}")
        return found

    def _all_move(self, found: list[After], row: int, sides: list[Key], plan: Plan) -> None:
        """Stop where a column that later games read takes a rating over as it was, or starts from the other side's."""
        moved = {one.run.line for one in found}
        for side in sides:
            leaf = self.leaf(side, row, plan)
            wrong = next((a for a in found if a.run.line == leaf.owner and a.base != leaf), None)
            if leaf.kind == "chain" and wrong is not None:
                cell = (self.sheet, row, wrong.run.line)
                raise Stopped(f"{range_text([cell])} does not start from its own player's rating")
            if leaf.kind != "name" or not found or any(one.base == leaf for one in found):
                continue
            for run in self.runs:
                cell = (self.sheet, row, run.line)
                tree = self.model.tree(cell) if run.line not in moved and self._usual(run, row) else None
                same = isinstance(tree, Area) and tree.single and (tree.sheet, tree.row, tree.column) == side
                if same and self._looked_up(run.line, side):
                    raise Stopped(f"{range_text([cell])} takes a rating over as it was, although a game was played")

    def _summed(self, row: int, sides: list[Key], plan: Plan, marks: set[int]) -> list[After]:
        """The changes of a row that later games add to the opening of the player, where no new rating is shown."""
        changes = [
            run for run in self.runs
            if self._usual(run, row) and (self.sheet, row, run.line) not in sides and run.line not in marks
            and self._moves_with((self.sheet, row, run.line), row, marks)
        ]  # fmt: skip
        later = range(row + 1, max(s.run.last for s in self.main) + 1)
        found: list[After] = []
        for side in sides:
            leaf = self.leaf(side, row, plan)
            shown = leaf.key(self.sheet, row)
            gains = gains_of(self.model, self._number, leaf, shown, later, changes) if leaf.kind == "name" else ()
            if gains:
                found.append(After(gains[0][0], leaf, gains))
        return found

    def _looked_up(self, column: int, side: Key) -> bool:
        """Whether a rating before is looked up in a column of the games above."""
        areas = [a for a in self.model.areas(side) if not a.single and (a.sheet or side[0]) == self.sheet]
        return any(a.column <= column <= a.right for a in areas)

    def _one_each(self, found: list[After], row: int) -> list[After]:
        """Of several columns that start from one rating, such as one for show, the one that later games read."""
        best: dict[Leaf | None, tuple[tuple[bool, bool], After]] = {}
        for one in found:
            tree = self.model.tree((self.sheet, row, one.run.line))
            base = one.base.key(self.sheet, row) if one.base is not None else None
            source = None if base is None else self.model.tree(base)
            read = source is not None and any(
                n.column <= one.run.line <= n.right for n in walk(source) if isinstance(n, Area)
            )
            rank = (bool(read), tree is not None and not rounds(tree))
            if one.base not in best or rank > best[one.base][0]:
                best[one.base] = (rank, one)
        return [one for _, one in best.values()]

    def _participants(self, plan: Plan, row: int, sides: list[Key]) -> tuple[int, ...]:
        heads = {line: text_of(self.model, k) for line in plan.lines if (k := self._head(line)) is not None}
        named = {name.casefold() for line, name in heads.items() if name and any(t[2] == line for t in sides)}
        everybody = {name.casefold() for name in heads.values() if name}
        found = []
        for column in sorted({c for r, c in self.model.book.sheets[self.sheet] if r == row} - set(plan.lines)):
            text = text_of(self.model, (self.sheet, row, column))
            if text is not None and text.casefold() in everybody:
                found.append(column)
        shown = {str(text_of(self.model, (self.sheet, row, c))).casefold() for c in found}
        if not found or shown != named:
            raise Stopped(f"row {row} of {self.sheet} compares other players than it names")
        return tuple(column for column in found if not self._repeats(column, found, everybody)) or tuple(found)

    def _repeats(self, column: int, found: list[int], everybody: set[str]) -> bool:
        """Whether a column only names who is named beside it, as a result that is the winner's name does."""
        rows = [row for row, at in self.model.book.sheets[self.sheet] if at == column]
        named = [(row, name) for row in rows if (name := self._name(row, column)) in everybody]
        return all(any(self._name(row, other) == name for other in found if other != column) for row, name in named)

    def _held(self, row: int, line: int) -> dict[Key, Value]:
        """The expectations of a row, as they are."""
        return {
            k: self.model.value(k)
            for c in self.columns
            if c != line and self.model.number(k := (self.sheet, row, c)) is not None
        }

    def _moves_with(self, key: Key, row: int, marks: set[int]) -> bool:
        if not marks:
            return key[2] in self.columns
        low, high = (
            self._number(key, {(self.sheet, row, c): e * self._unit(c) for c in self.columns}) for e in (0.0, 1.0)
        )
        low2, high2 = (self._number(key, {(self.sheet, row, c): e * self._unit(c) for c in marks}) for e in (0.0, 1.0))
        return any(
            a is not None and b is not None and abs(a - b) > LEAST_K for a, b in ((low, high), (low2, high2))
        ) or self._alone(key, row)

    def _alone(self, key: Key, row: int) -> bool:
        for column in self.columns:
            low, high = (self._number(key, {(self.sheet, row, column): e * self._unit(column)}) for e in (0.0, 1.0))
            if low is not None and high is not None and abs(low - high) > LEAST_K:
                return True
        return False

    def _unit(self, column: int) -> float:
        return next((s.part.unit for s in self.main if s.key[2] == column and s.part is not None), 1.0)

    def _base(self, key: Key, terminals: list[Key], held: Mapping[Key, Value]) -> Key | None:
        here = self._number(key, held)
        if here is None:
            return None
        for step, slack in ((STEP, 1e-6), (1.0, 1e-6), (0.5, 1e-9), (LARGE, 0.02 * LARGE)):
            for one in terminals:
                number = self.model.number(one)
                moved = None if number is None else self._number(key, {**held, one: number + step})
                if moved is not None and abs(moved - here - step) <= slack and not (held and step == LARGE):
                    return one
        return None

    def _read_later(self, run: Run, base: Key) -> bool:
        """Whether later games look a rating up in the column."""
        if base[0] == self.sheet and base[2] in self.linked:
            return any(run.line in one.targets for one in self.linked.values())
        tree = self.model.tree(base)
        if tree is None:
            return False
        areas = [n for n in walk(tree) if isinstance(n, Area)]
        if isinstance(tree, Area) and tree.single:
            return tree.column == run.line
        if any(n.column <= run.line <= n.right and (n.sheet or base[0]) == self.sheet for n in areas):
            return True
        row = base[1]
        read = {
            c
            for n in areas
            if not n.single and (n.sheet or base[0]) == self.sheet
            for c in range(n.column, n.right + 1)
        }
        if any(c in self.by_column and self._of_a_game((self.sheet, row, c)) for c in read):
            return True  # the rating is the start and all gains
        return any(n.sheet not in (None, self.sheet) for n in areas)

    def _gain(
        self, plan: Plan, row: int, key: Key, unit: float, after: list[After], own: list[Key], other: list[Key]
    ) -> tuple[float, float]:
        """K and the score of the own side; raises `Stopped` when a new rating does not gain K·(S − E)."""
        columns: list[tuple[int, Leaf | None, Gains]] = [(a.run.line, a.base, a.gains) for a in after]
        if plan.lines:
            columns = [(t[2], None, ()) for t in (*own, *other) if t[2] in plan.lines]
        shares: list[tuple[bool, float, float]] = []
        wrong: list[Key] = []
        for column, base, gains in columns:
            cell = (self.sheet, row, column)
            start = (self.sheet, row - 1, column) if base is None else base.key(self.sheet, row)
            k, score = self._slope(cell, row, key[2], unit, start if base is None or gains else None, gains)
            if (k > 0) != (start in own):
                wrong.append(cell)
            shares.append((start in own, abs(k), score))
        if wrong:
            raise WrongWay(wrong, key, len(wrong) == len(columns))
        scores = [s for _, _, s in shares]
        if not shares or max(scores) - min(scores) > 1e-6 or not -0.5 <= scores[0] <= 1.5:
            raise Stopped(f"the two sides of row {row} of {self.sheet} do not share one result")
        return shares[0][1], shares[0][2]

    def _slope(
        self, cell: Key, row: int, column: int, unit: float, base: Key | None = None, gains: Gains = ()
    ) -> tuple[float, float]:
        """K (negative for the other side) and S of base + K·(S − E), as the expectation of a column is changed."""

        def at(e: float) -> float | None:
            moved: dict[Key, Value] = {(self.sheet, row, column): e * unit, **self._mates(row, column, e)}
            if not gains or base is None:
                return self._number(cell, moved)
            found = [self._number((self.sheet, row, run.line), moved) for run, _ in gains]
            changes = [sign * n for (_, sign), n in zip(gains, found, strict=True) if n is not None]
            return (self.model.number(base) or 0.0) + sum(changes) if len(changes) == len(gains) else None

        low, mid, high = at(0.0), at(0.5), at(1.0)
        if low is None or mid is None or high is None or abs(low + high - 2 * mid) > 1.01:
            raise Stopped(f"{range_text([cell])} is not proportional to the expectation")
        terminals = self.terminals(cell, row, [(self.sheet, row, c) for c in self.columns])
        base = base or self._base(cell, terminals, self._held(row, cell[2]))
        start = self.model.number(base) if base is not None else None
        if start is None or abs(low - high) < LEAST_K:
            raise Stopped(f"no rating that {range_text([cell])} starts from")
        k = low - high
        return k, (low - start) / k

    def _risen(self, key: Key, terminals: list[Key]) -> Key | None:
        """The rating that a change falls with, which is that of the player whose result it takes."""
        for one in terminals:
            number = self.model.number(one) or 0.0
            low, high = (self._number(key, {one: number + far}) for far in (-LARGE, LARGE))
            if low is not None and high is not None and low - high > LEAST_K:
                return one
        return None

    def _inlined(self, key: Key, terminals: list[Key], base: Key, change: bool = False) -> tuple[float, float, Share]:
        """K, the score and the share of a new rating, or of a change, whose expectation stands in its own formula."""
        numbers = {t: self.model.number(t) or 0.0 for t in terminals}

        def gain(overrides: Mapping[Key, Value]) -> float | None:
            found = self._number(key, overrides)
            own = 0.0 if change else overrides.get(base, numbers[base])
            return None if found is None or not isinstance(own, (int, float)) else found - own

        top, bottom = (gain({**numbers, base: numbers[base] + far}) for far in (-LARGE, LARGE))
        if top is not None and bottom is not None and bottom - top > LEAST_K:
            raise WrongWay([key], None, True)
        if top is None or bottom is None or top - bottom < LEAST_K:
            raise Stopped(f"{range_text([key])} does not gain by a result")
        k = top - bottom
        score = top / k

        def share(overrides: Mapping[Key, Value]) -> float | None:
            found = gain({**numbers, **overrides})
            return None if found is None else score - found / k

        return k, score, share
