"""A ledger replayed under its own rule: every rating computed again from the inputs, in order, and compared.

What is proven is that the expectation is one (`planning`), that it compares the ratings of the players named in the
row, as they stand after their last game, and that every gain goes to the right player.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Mapping

from elo_sheets.expr import Expr, Number, walk
from elo_sheets.files.package import CellError, Value
from elo_sheets.recognise.byes import is_nobody
from elo_sheets.recognise.cells import Run
from elo_sheets.recognise.context import Context
from elo_sheets.recognise.evaluate import Evaluator
from elo_sheets.recognise.ledgers.planning import Planner
from elo_sheets.recognise.ledgers.plans import After, Leaf, NoGames, Owner, Phase, Plan, Replayed, Stopped
from elo_sheets.recognise.ledgers.reading import STEP, Given
from elo_sheets.recognise.model import Area, Key, Model, range_text, text_of
from elo_sheets.recognise.roles import Roles
from elo_sheets.recognise.walks import follow
from elo_sheets.verdict.compare import differences

CLOSE = 1e-6  # rating points; the engine gives about 15 digits


def replay(context: Context, roles: Roles, given: Given | None = None) -> list[Replayed]:
    """Return what came of each sheet that compares ratings, game after game."""
    found = []
    sheets = dict.fromkeys(
        seen.run.sheet for seen in roles.seen if seen.run.down and seen.part is not None and seen.part.kind in "END"
    )
    for sheet in sheets:
        try:
            plan = Planner(context, roles, sheet, given or {}).plan()
            found.append(play(context.model, context.evaluator, plan))
        except Stopped as stopped:
            found.append(Replayed(sheet, reason=str(stopped), games_there=not isinstance(stopped, NoGames)))
    return found if not any(one.plan for one in found) else [one for one in found if one.games_there]


# --- the replay ---------------------------------------------------------------------------------------------


class _Player:
    """The games of a plan, from the first row on."""

    def __init__(self, model: Model, evaluator: Evaluator, plan: Plan, lenient: bool = False) -> None:
        self.model, self.evaluator, self.plan, self.lenient = model, evaluator, plan, lenient
        self.result = Replayed(plan.sheet, plan)
        self.heads = {line: self._head(line, run) for line, run in plan.lines.items()}
        self.line_of = {name: line for line, name in self.heads.items() if name}

    def _head(self, line: int, run: Run) -> str:
        for row in range(run.first - 1, 0, -1):
            text = text_of(self.model, (self.plan.sheet, row, line))
            if text:
                return text.strip().casefold()
        return ""

    def games(self) -> None:
        plan = self.plan
        period = len(plan.phases)
        games = plan.rows
        for top in range(0, len(games), period):
            rows = list(zip(games[top : top + period], plan.phases, strict=False))
            after: dict[Owner, tuple[float, Key]] = {}
            played = False
            for row, phase in rows:
                played |= self._line(row, phase, after) if plan.lines else self._row(row, phase, after)
            for owner, (value, key) in after.items():
                self.result.state[owner] = value
                self.result.last[owner] = key
            self.result.games += played
            ends = rows[-1][0], games[top + period] if top + period < len(games) else plan.last
            for row in plan.passed[slice(*(bisect_left(plan.passed, at) for at in ends))]:
                self._adjusted(row, plan.phases[0])

    # one row

    def _row(self, row: int, phase: Phase, after: dict[Owner, tuple[float, Key]]) -> bool:
        if phase.expectation is not None:
            key = (self.plan.sheet, row, phase.expectation.line)
            if self.model.number(key) is None:
                return self._blank(row, phase, key)
        if self._spare(row, phase):
            return False
        values: dict[Leaf, float] = {}
        for leaf in phase.leaves:
            values[leaf] = self._before(leaf, row, phase)
        overrides: dict[Key, Value] = {leaf.key(self.plan.sheet, row): v for leaf, v in values.items()}
        self._expectation(row, phase, values, overrides)
        owners = [self._owner(leaf, row) for leaf in phase.leaves if leaf.kind != "typed"]
        if len(set(owners)) < len(owners):
            raise self._stop(next(iter(overrides)), "somebody plays against himself")
        moved = False
        for one in phase.after:
            assert one.base is not None
            cell = (self.plan.sheet, row, one.run.line)
            value = self._summed(one, row, values, overrides) if one.gains else self._compare(cell, one.run, overrides)
            owner = self._owner(one.base, row)
            if owner is None:
                raise self._stop(cell, "the player is not named")
            after[owner] = (value, one.base.key(self.plan.sheet, row) if one.gains else cell)
            moved = moved or value != values[one.base]
        return moved or not self._lacks_an_entry(row, phase)

    def _lacks_an_entry(self, row: int, phase: Phase) -> bool:
        """Whether what most games have typed, and their changes follow from, is missing: a fixture to come."""
        gains = [(self.plan.sheet, row, run.line) for run in _gaining(phase)]
        read = follow(gains, lambda key: (one for one in self.model.precedents(key) if one[:2] == key[:2]))
        return any(
            self.model.value(key) in (None, "") and self._is_filled(key[2])
            for key in {*gains, *read} - self.model.forms.keys()
        )

    def _is_remarked(self, row: int) -> bool:
        """Whether a text stands in a row where most rows have nothing: that a game was not played, say."""
        return any(
            at == row and isinstance(cell.value, str) and cell.formula is None and not self._is_filled(column)
            for (at, column), cell in self.model.book.sheets[self.plan.sheet].items()
        )

    def _is_filled(self, column: int) -> bool:
        rows = range(self.plan.first, self.plan.last + 1)
        filled = sum(self.model.value((self.plan.sheet, row, column)) not in (None, "") for row in rows)
        return 2 * filled > len(rows)

    def _summed(self, one: After, row: int, values: Mapping[Leaf, float], overrides: Mapping[Key, Value]) -> float:
        """The rating before with the changes of the row: the new rating where no cell holds it."""
        assert one.base is not None
        value = values[one.base]
        for run, sign in one.gains:
            cell = (self.plan.sheet, row, run.line)
            if cell not in self.model.forms and self.model.number(cell) == 0 and self._is_remarked(row):
                continue
            value += sign * self._compare(cell, run, overrides)
            self.result.rated.discard(cell)
        self.result.rated.add(one.base.key(self.plan.sheet, row))
        return value

    def _blank(self, row: int, phase: Phase, key: Key) -> bool:
        names = [text_of(self.model, (self.plan.sheet, row + leaf.down, leaf.owner)) for leaf in phase.leaves
                 if leaf.kind == "name"]  # fmt: skip
        scores = [(self.plan.sheet, row, column) for column in self.plan.scores]
        broken = isinstance(self.model.value(key), CellError) and any(
            self.model.value(s) not in (None, "") for s in scores
        )
        alone = not all(names) or any(is_nobody(name) for name in names if name)
        if names and alone and not broken:  # a bye, or a bonus
            self._adjusted(row, phase)
            return False
        if broken or (names and all(names) and not self._is_to_come(row, phase, key)):
            raise self._stop(key, "a game is listed and not rated")
        return False

    def _adjusted(self, row: int, phase: Phase) -> None:
        """Take over the rating of a player whom a row without a game moves, as a bonus does."""
        for one in phase.after:
            owner = None if one.base is None or one.base.kind != "name" else self._owner(one.base, row)
            gains = [sign * (self.model.number((self.plan.sheet, row, run.line)) or 0.0) for run, sign in one.gains]
            value = self.model.number((self.plan.sheet, row, one.run.line)) if not gains else None
            if owner is None or owner not in self.result.state or (value is None and not any(gains)):
                continue
            assert one.base is not None
            before = one.base.key(self.plan.sheet, row)
            shown = self.model.number(before)
            if shown is not None and abs(shown - self.result.state[owner]) > CLOSE:
                raise self._stop(before, "not the player's latest rating", self.result.state[owner], shown)
            self.result.state[owner] = self.result.state[owner] + sum(gains) if value is None else value
            self.result.last[owner] = before if value is None else (self.plan.sheet, row, one.run.line)

    def _is_to_come(self, row: int, phase: Phase, key: Key) -> bool:
        """Whether a game waits for its result: its formulas read an entry that lacks, and show no new rating."""
        lacks = (one for one in self.model.precedents(key) if one[:2] == key[:2] and one not in self.model.forms)
        return any(self.model.value(one) in (None, "") for one in lacks) and all(
            self.model.value((*key[:2], run.line)) in (None, "") for run in _gaining(phase)
        )

    def _owner(self, leaf: Leaf, row: int) -> Owner | None:
        if leaf.kind == "chain":
            return leaf.owner
        text = text_of(self.model, (self.plan.sheet, row + leaf.down, leaf.owner))
        return None if text is None else text.strip().casefold()

    def _before(self, leaf: Leaf, row: int, phase: Phase) -> float:
        """The rating that a leaf must show: what its player's last game gave, or what it shows in the first."""
        key = leaf.key(self.plan.sheet, row)
        found = self.model.number(key)
        if leaf.kind == "chain" and found is None:  # the first game, or the first below a blank row
            found = self._start(key, row, phase)
        if leaf.kind == "typed":
            if found is None:
                raise self._stop(key, "no rating stands there")
            return found
        owner = self._owner(leaf, row)
        if owner is None or found is None:
            raise self._stop(key, "no rating stands there")
        if owner not in self.result.state:
            self.result.openings.setdefault(owner, found)
            return self.result.openings[owner] if abs(self.result.openings[owner] - found) <= CLOSE else found
        expected = self.result.state[owner]
        if self.lenient and leaf.kind == "name":
            follows = abs(found - expected) <= CLOSE
            (self.result.right if follows else self.result.wrong)[key] = self.result.last[owner]
            return found
        if abs(found - expected) > CLOSE:
            raise self._stop(key, "not the player's latest rating", expected, found)
        return expected

    def _start(self, key: Key, row: int, phase: Phase) -> float | None:
        """What the first row of a column that is carried on reads where later ones read the row above."""
        for run in [*(a.run for a in phase.after), *([phase.expectation] if phase.expectation else [])]:
            cell = (self.plan.sheet, row, run.line)
            tree, usual = self.model.tree(cell), run.expected(cell)
            for a, b in differences(usual, tree) if tree is not None and usual is not None else []:
                same = isinstance(a, Area) and a.single and (a.row, a.column) == key[1:]
                if same and isinstance(b, Area) and b.single:
                    return self.model.number((b.sheet or key[0], b.row, b.column))
                if same and isinstance(b, Number):
                    return b.value
        return self._start_in_a_column(key)

    def _start_in_a_column(self, key: Key) -> float | None:
        """What stands where the next row's formula of a column reads the cell below `key`, in the first row."""
        sheet, above, column = key
        for reader in self.model.readers.get((sheet, above + 1, column), ()):
            first = (sheet, above + 1, reader[2])
            usual, tree = self.model.tree(reader), self.model.tree(first)
            if reader[:2] != (sheet, above + 2) or usual is None:
                continue
            if tree is None:
                if self._goes_along(reader, (sheet, above + 1, column)):
                    return self.model.number(first)
                continue
            for a, b in differences(usual, tree):
                if isinstance(a, Area) and a.single and (a.row, a.column) == (above + 1, column):
                    if isinstance(b, Number):
                        return b.value
                    if isinstance(b, Area) and b.single:
                        return self.model.number((b.sheet or sheet, b.row, b.column))
        return None

    def _goes_along(self, reader: Key, rating: Key) -> bool:
        """Whether a cell shows a rating, as it is or behind a guard."""
        number, shown = self.model.number(rating), self.model.number(reader)
        if number is None or shown is None:
            return False
        moved = self.evaluator.number(reader, {rating: number + STEP})
        return moved is not None and abs(moved - shown - STEP) < CLOSE

    def _spare(self, row: int, phase: Phase) -> bool:
        """Whether a row waits for a game: no opponent's rating is typed there, and no new rating is a number."""
        typed = [leaf.key(self.plan.sheet, row) for leaf in phase.leaves if leaf.kind == "typed"]
        after = [(self.plan.sheet, row, one.run.line) for one in phase.after]
        return (
            bool(typed and after)
            and all(self.model.value(key) in (None, "") for key in typed)
            and all(self.model.number(key) is None for key in after)
        )

    def _expectation(
        self, row: int, phase: Phase, values: Mapping[Leaf, float], overrides: Mapping[Key, Value]
    ) -> None:
        """The share by arithmetic of its own, where the curve is logistic and each side has one rating."""
        if phase.expectation is None or phase.curve.scale is None or len(values) != 2 or phase.curve.cap is not None:
            return
        key = (self.plan.sheet, row, phase.expectation.line)
        found = self.model.number(key)
        assert found is not None
        own, gap, scale = phase.own[0], values[phase.own[0]] - values[phase.other[0]], phase.curve.scale
        share = _share(gap + phase.curve.advantage, scale)
        if any(abs(found / unit - share) <= 1e-9 for unit in (1.0, 100.0)):
            return
        # Another advantage than in other rows, such as none on neutral ground: then the curve is moved, and no other.
        unit = 100.0 if found > 1 else 1.0
        moved = {**overrides, own.key(self.plan.sheet, row): values[own] + 2 * STEP}
        there = self.evaluator.number(key, moved)
        here = found / unit
        if there is not None and 1e-9 < here < 1 - 1e-9:
            advantage = -scale * math.log10(1 / here - 1) - gap
            if abs(advantage) < scale and abs(there / unit - _share(gap + 2 * STEP + advantage, scale)) <= 1e-9:
                return
        if not phase.rounded:
            raise self._stop(key, "not the expectation of the two ratings", share, found)

    def _formula(self, key: Key, run: Run) -> dict[Key, Expr]:
        if run.fits(self.model, key):
            return {}
        tree = run.expected(key)
        return {} if tree is None or _outside(tree) else {key: tree}

    def _compare(self, cell: Key, run: Run, overrides: Mapping[Key, Value]) -> float:
        found = self.model.number(cell)
        expected = self.evaluator.number(cell, overrides, self._formula(cell, run))
        if expected is None:
            raise self._stop(cell, "the formula could not be computed at other inputs")
        if found is None or abs(found - expected) > CLOSE:
            raise self._stop(cell, "not what the game gives", expected, found)
        self.result.cells += 1
        self.result.rated.add(cell)
        return expected

    # a sheet with a column for each player

    def _line(self, row: int, phase: Phase, after: dict[Owner, tuple[float, Key]]) -> bool:
        plan = self.plan
        texts = [text_of(self.model, (plan.sheet, row, column)) for column in plan.names]
        playing = {self.line_of[n] for t in texts if t is not None and (n := t.strip().casefold()) in self.line_of}
        key = (plan.sheet, row, phase.expectation.line) if phase.expectation is not None else None
        if any(is_nobody(text) for text in texts if text):  # a bye: no rating may move
            playing = set()
        elif key is not None and all(texts) and self.model.number(key) is None:
            raise self._stop(key, "a game is listed and not rated")
        elif all(texts) and len(playing) < len(texts):
            raise self._stop((plan.sheet, row, plan.names[0]), "a player has no column, or plays twice")
        before = {line: self._line_before(line, run, row) for line, run in plan.lines.items()}
        overrides: dict[Key, Value] = {(plan.sheet, row - 1, line): v for line, v in before.items() if v is not None}
        for line, run in plan.lines.items():
            cell = (plan.sheet, row, line)
            now, was = self.model.number(cell), before[line]
            if not (run.first <= row <= run.last) or was is None or (now is None and line not in playing):
                continue
            if line in playing:
                value = self._compare(cell, run, overrides)
                if key is not None and self.model.number(key) is not None:
                    self._bound(cell, value - was)
            elif now is None or abs(now - was) > CLOSE:
                raise self._stop(cell, "a rating changes without a game", was, now)
            else:
                value = was
                self.result.rated.add(cell)
            after[line] = (value, cell)
        return bool(playing)

    def _line_before(self, line: int, run: Run, row: int) -> float | None:
        if line in self.result.state:
            return self.result.state[line]
        for above in range(row - 1, 0, -1):
            found = self.model.number((self.plan.sheet, above, line))
            if found is not None:
                self.result.openings.setdefault(line, found)
                return found
        return None

    def _bound(self, cell: Key, gain: float) -> None:
        if not math.isfinite(gain):
            raise self._stop(cell, "no number")

    def _stop(self, key: Key, what: str, expected: float | None = None, found: float | None = None) -> Stopped:
        self.result.at, self.result.expected, self.result.found = key, expected, found
        numbers = f": {found:.2f} instead of {expected:.2f}" if expected is not None and found is not None else ""
        return Stopped(f"the replay stops at {range_text([key])}, {what}{numbers}")


def look_ups(model: Model, evaluator: Evaluator, plan: Plan) -> Replayed:
    """Follow the games by what the sheet shows, and note which look-ups show another than the latest rating."""
    player = _Player(model, evaluator, plan, lenient=True)
    try:
        player.games()
    except Stopped as stopped:
        player.result.reason = str(stopped)
    return player.result


def _gaining(phase: Phase) -> list[Run]:
    """The columns of a phase's changes, or of its new ratings where it shows no changes."""
    return [run for one in phase.after for run in ([run for run, _ in one.gains] or [one.run])]


def _share(gap: float, scale: float) -> float:
    return 1 / (1 + math.pow(10.0, max(-300.0, min(300.0, -gap / scale))))


def _outside(tree: Expr) -> bool:
    return any(isinstance(n, Area) and (n.row < 1 or n.column < 1) for n in walk(tree))


def play(model: Model, evaluator: Evaluator, plan: Plan) -> Replayed:
    """Replay the games of a plan with the values of a model."""
    player = _Player(model, evaluator, plan)
    try:
        player.games()
    except Stopped as stopped:
        player.result.reason = str(stopped)
    if player.result.reason is None and not player.result.games:
        player.result.reason = f"no game was found on {plan.sheet}"
    return player.result


def lines_of(model: Model, plan: Plan) -> dict[str, int]:
    """Return the columns of a sheet with a column for each player, by the player's name."""
    return _Player(model, Evaluator(model), plan).line_of
