"""What an independent witness says of every computed cell of a log: the number that belongs there, and if it stands.

A cell is asked by itself, with the numbers beside it as they stand, so that a fault shows where it is and nowhere else.
A rating before is the player's latest, by name and not by row. Any other cell gives what the formula gives that its
column has in the games in which every sentence of a rating rule holds: the first of two that follow one another, for a
mistake is dragged down, else the more frequent one. A list shows the latest rating of each name.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise, product

from elo_sheets.detective.blocks import by_block, by_phase, events
from elo_sheets.detective.chain import CLOSE, Log, is_fed, over
from elo_sheets.detective.decays import decayed
from elo_sheets.detective.explain import Examined
from elo_sheets.detective.facts import Facts
from elo_sheets.detective.gains import shown
from elo_sheets.detective.ladders import Ladder
from elo_sheets.detective.listed import Listed, close, evenings_of, listed, started
from elo_sheets.detective.months import begins, text_of
from elo_sheets.detective.names import has_own_rule, plain
from elo_sheets.detective.on_ladders import on_ladder
from elo_sheets.files.package import Value, shift_formula
from elo_sheets.recognise.context import Context
from elo_sheets.recognise.departures import filled, spell
from elo_sheets.recognise.model import ROW, Form, Key, at_cell, cell_area, with_areas
from elo_sheets.recognise.seasons import carried_over

LEAST = 3  # rows of one formula: the first game or two may read what players start from
HALF = 0.5  # of the broken rows of a formula: more, and the formula is at fault and not an entry of a row
LEAST_RATING = 50.0  # what a list of ratings holds: counts of games, ranks and points are less


@dataclass(frozen=True)
class Residual:
    """A cell that shows another number than the witness; `text` is the formula that belongs there, where known."""

    key: Key
    due: Value
    found: Value
    # before, form, typed, missing, list (the latest rating), sum (of a period's changes), begins (a period's list)
    relation: str
    text: str | None = None


@dataclass
class Testimony:
    """What was held against what: the cells that stand, those that do not, and the sheets of which all is known."""

    residuals: dict[Key, Residual] = field(default_factory=dict)
    stands: set[Key] = field(default_factory=set)
    right: dict[tuple[str, int], set[Key]] = field(default_factory=dict)  # by column: cells of its right formula
    listed: set[Key] = field(default_factory=set)  # of those, ratings that are what the list of their period says
    latest: set[Key] = field(default_factory=set)  # of those, ratings that are what the player's latest game gave
    open: dict[str, list[Key]] = field(default_factory=dict)  # by sheet, computed cells of games that nobody can judge
    games: dict[str, int] = field(default_factory=dict)  # games of each sheet
    events: set[str] = field(default_factory=set)  # sheets with one player's events below each other
    evenings: set[str] = field(default_factory=set)  # sheets whose ratings stand still for an evening
    by_lists: dict[str, Listed] = field(default_factory=dict)  # what lists say of the sheets that are rated by them

    def knows(self, sheet: str) -> bool:
        """Whether every computed cell of every game of a sheet was held against a number."""
        return bool(self.games.get(sheet)) and not self.open.get(sheet)


def testimony(context: Context, examined: Examined) -> Testimony:
    """Return what the witness says of all logs of a book."""
    found = Testimony()
    for log in examined.logs.values():
        _Witness(context, examined, log, found).all()
    for key, due, where in begins(context, found.by_lists):
        if close(context.model.number(key), due):
            found.stands.add(key)
        elif key not in found.residuals:
            text = text_of(context, (key, due, where), found.by_lists)
            found.residuals[key] = Residual(key, due, context.model.value(key), "begins", text)
    return found


class _Witness:
    def __init__(self, context: Context, examined: Examined, log: Log, found: Testimony) -> None:
        self.context, self.model, self.evaluator = context, context.model, context.evaluator
        self.logs, self.log, self.found, self.facts = examined.logs, log, found, examined.facts
        self.broken = examined.broken.get(log.sheet, set())
        self.latest: dict[str, float] = {}
        self.starts: dict[str, float] = {}
        self.ends: list[dict[str, float]] = []  # each player's highest and lowest rating, with his first and without
        self.periods: list[list[int]] = []  # the rows of each period, where the log is rated by periods
        self.evenings: dict[int, int] = {}  # of each game, where nobody's rating moves before the last of its evening
        self.first = self._first_rows()

    def all(self) -> None:
        log, found = self.log, self.found
        found.games[log.sheet] = len(log.games)
        found.open.setdefault(log.sheet, [])
        named = self._by_name() or self._by_carry()
        asked = list(events(self.facts, log)) if self.facts is not None and not named else []
        found.events |= {log.sheet} if asked else set()
        wrong = {key: due for key, due in asked if not close(self.model.number(key), due)}
        found.stands |= {key for key, _ in asked if key not in wrong}
        found.residuals |= {key: Residual(key, due, self.model.value(key), "sum") for key, due in wrong.items()}
        if self.facts is not None and (ladder := self.facts.ladders.get(log.sheet)) is not None:
            self._by_line(self.facts, ladder)
        for column in sorted((log.computed | named) - {*(log.lines if log.by_hand else ())}):
            right = self._right_forms(column)
            for row in log.games:
                key = (log.sheet, row, column)
                if column in named and (key in found.stands or key in found.residuals):
                    continue
                if right.get(row) is None:
                    self._unknown(key)
                else:
                    self._by_form(key, right[row])
        self._in_their_rows()
        above = ((log.sheet, log.games[0] - 1, column) for column in sorted(log.changes - {*log.lines}))
        for key in above:  # computed as a game, and none: a text may pass for its rating
            if (form := self.model.forms.get(key)) and form is self.model.forms.get((key[0], key[1] + 1, key[2])):
                self._unknown(key)
        if log.before and not named:
            found.open[log.sheet] += [(log.sheet, log.games[0], min(log.before))]
        if (named or log.lines) and self.latest:
            self._lists()

    def _unknown(self, key: Key) -> None:
        if self.model.value(key) not in (None, ""):
            self.found.open[self.log.sheet].append(key)

    # a rating before, by the player's name

    def _by_name(self) -> set[int]:
        """Judge the ratings before; the columns that are so judged, none where most of them are something else."""
        asked = list(self._chain())
        told = [(key, due, number) for key, due, number in asked if due]
        agree = sum(_near(number, due) for _, due, number in told)
        by_lists = listed(self.model, self.log, alone=len(self.logs) < 2)
        moved = self.log.after or self._reads_changes()
        if by_lists is not None and (by_lists.agree > agree or not moved):
            return self._by_lists(by_lists)
        for evenings in evenings_of(self.model, self.log) if agree < len(told) else ():
            self.evenings = evenings
            there = list(self._chain())
            right = sum(_near(number, due) for _, due, number in there)
            if right > agree:
                asked, told, agree = there, [one for one in there if one[1]], right
                self.found.evenings.add(self.log.sheet)
                break
            self.evenings = {}
        going = {*self.log.after.values(), *(name for *_, name in self.log.moves)}
        lost = not {*self.log.before.values()} <= going and not self.first  # whose rating goes on nobody knows where
        if not moved or lost or len(told) < LEAST or agree <= HALF * len(told):
            self.latest = {}
            return set()
        off = [(key, due[0], number) for key, due, number in told if not _near(number, due)]
        carried = carried_over(off) or decayed(self.evaluator, self.log, off, self._who)
        for key, due, number in asked:
            if due and (_near(number, due) or key in carried or has_own_rule(self.evaluator, key)):
                self.found.stands.add(key)
                self.found.latest.add(key)
            elif due:
                self.found.residuals[key] = Residual(key, due[0], self.model.value(key), "before", self._text(key, due))
        return {key[2] for key, _, _ in asked}

    def _by_carry(self) -> set[int]:
        """Judge one player's ratings before: what the row above shows, be it a game's or an adjustment's."""
        model, log = self.model, self.log
        if log.carried is None:
            return set()
        own, after = log.carried
        asked: list[tuple[Key, float, float | None]] = []
        held: float | None = None
        for row in sorted({*log.games, *log.furniture}):
            if row in log.games and held is not None:
                asked.append(((log.sheet, row, own), held, model.number((log.sheet, row, own))))
            value = model.number((log.sheet, row, after))
            held = held if value is None else value
        if sum(_near(number, [due]) for _, due, number in asked) <= HALF * len(asked):
            return set()
        for key, due, number in asked:
            if _near(number, [due]):
                self.found.stands.add(key)
            else:
                self.found.residuals[key] = Residual(key, due, model.value(key), "before", self._text(key, [due]))
        return {own}

    def _by_line(self, facts: Facts, ladder: Ladder) -> None:
        """Hold the games of players' own columns, the row that they start from, and what repeats the latest ratings."""
        said = on_ladder(facts, ladder, self.log.games, max(*self.log.games, *self.log.furniture) + 1, self.broken)
        self.latest = said.latest
        self.found.open[self.log.sheet] += said.open
        self._one_form(said.starts, "form")
        self.found.stands |= said.stands
        for key, due, text, relation in said.wrong:
            self.found.residuals[key] = Residual(key, due, self.model.value(key), relation, text)

    def _in_their_rows(self) -> None:
        """Let a formula that is wrong in one player's column be so in all of the row: of who rests it shows not."""
        for one in [*self.found.residuals.values()] if self.log.lines else ():
            form = self.model.forms.get(one.key)
            for line in self.log.lines if form is not None and one.text is not None else ():
                key = (*one.key[:2], line)
                if self.model.forms.get(key) is form and key not in self.found.residuals:
                    text = shift_formula(one.text or "", 0, line - one.key[2])
                    self.found.residuals[key] = Residual(
                        key, self.model.value(key), self.model.value(key), "form", text
                    )
                    self.found.stands.discard(key)

    def _by_lists(self, said: Listed) -> set[int]:
        """Judge the ratings before by the lists of their periods, and the lists by the changes."""
        self.latest, self.periods = {}, said.periods
        self.found.by_lists[self.log.sheet] = said
        for cells in said.lists:
            self._one_form(list(cells.values()))
        for key, due, number in said.asked:
            if _near(number, [due]):
                self.found.stands.add(key)
                self.found.listed.add(key)
            else:
                text = self._text(key, [due])
                self.found.residuals[key] = Residual(key, due, self.model.value(key), "before", text)
        if not said.additive:
            self.found.open[self.log.sheet] += [key for key, _, _ in said.sums[:1]] or [said.asked[0][0]]
        for key, due, number in said.sums if said.additive else ():
            if close(number, due):
                self.found.stands.add(key)
            elif key not in self.found.residuals:
                self.found.residuals[key] = Residual(key, due, number, "sum")
        return {key[2] for key, _, _ in said.asked}

    def _chain(self) -> Iterator[tuple[Key, list[float], float | None]]:
        """Every rating before of a game, with what it may be: the player's rating, above the row or above its game."""
        model, log = self.model, self.log
        state: dict[str, list[tuple[int, float]]] = {}
        starts = self.starts = started(model, log)
        by_sums = self._reads_changes()
        every = sorted({*log.games, *log.furniture})
        games = set(log.games)
        for row in every:
            for column, name in log.before.items() if row in games else ():
                side = [self._who(row, one) for one in log.teams.get(column, (name,))]
                key = (log.sheet, row, column)
                if None in side or model.value(key) in (None, ""):
                    continue
                due = (self._before(row, one, state.get(one, [])) for one in side if one is not None)
                known = [number for number in due if number is not None]
                yield key, [sum(known) / len(known)] if len(known) == len(side) else [], model.number(key)
            for who, value in self._after(row, state, starts, by_sums):
                state.setdefault(who, []).append((row, value))
        self.latest = {**starts, **{who: past[-1][1] for who, past in state.items()}}
        every_one = {who: [value for _, value in past] for who, past in state.items()}
        begun = {who: [*values, *([starts[who]] if who in starts else ())] for who, values in every_one.items()}
        self.ends = [
            {who: end(values) for who, values in told.items()} for told in (begun, every_one) for end in (max, min)
        ]

    def _before(self, row: int, who: str, past: list[tuple[int, float]]) -> float | None:
        """The rating with which a player comes to a game: that of the last one, or what newcomers start from."""
        still = self.evenings.get(row)
        earlier = (
            number for at, number in reversed(past)
            if at != self.first.get(row) and (still is None or self.evenings.get(at) != still)
        )  # fmt: skip
        return next(earlier, self.starts.get(who))

    def _first_rows(self) -> dict[int, int]:
        """Of each game of two rows, a side in each, the second row and with it the first."""
        found: dict[int, int] = {}
        gaining = set(self.log.after.values()) or {name for _, _, name in self.log.moves}
        for above, row in pairwise(self.log.games) if len(gaining) == 1 else ():
            one, two = ([self._who(at, name) for name in self.log.before.values()] for at in (above, row))
            if len(one) > 1 and one == two[::-1] and above not in found:
                found[row] = above
        return found

    def _after(
        self, row: int, state: dict[str, list[tuple[int, float]]], starts: dict[str, float], by_sums: bool
    ) -> Iterator[tuple[str, float]]:
        """The ratings that a row leaves to its players."""
        model, log = self.model, self.log
        if not by_sums:
            for column, name in log.after.items():
                value, who = model.number((log.sheet, row, column)), self._who(row, name)
                if value is not None and who is not None:
                    yield who, value
            return
        gained: dict[str, float] = {}
        for column, sign, name in log.moves:
            value, who = model.number((log.sheet, row, column)), self._who(row, name)
            if value is not None and who is not None:
                gained[who] = gained.get(who, 0.0) + sign * value
        for who, change in gained.items():
            shown = [n for c, name in log.before.items() if self._who(row, name) == who
                     and (n := model.number((log.sheet, row, c))) is not None]  # fmt: skip
            past = state.get(who)
            base = past[-1][1] if past else starts.get(who, shown[0] if shown else None)
            if base is not None:
                yield who, base + change

    def _reads_changes(self) -> bool:
        """Whether ratings before are sums of earlier changes, not look-ups of the rating after."""
        log, changes = self.log, {column for column, _, _ in self.log.moves}
        for column in log.before:
            for area in self.model.areas((log.sheet, log.games[-1], column)):
                if not area.single and area.sheet == log.sheet:
                    read = set(range(area.column, area.right + 1))
                    if read & changes and not read & set(log.after):
                        return True
        return False

    def _who(self, row: int, column: int) -> str | None:
        return plain(self.model.value((self.log.sheet, row, column)))

    def _text(self, key: Key, due: list[float]) -> str | None:
        """The column's formula, where it gives what is due."""
        right = self._right_forms(key[2]).get(key[1])
        forms = [*([] if right is None else [right]), *self._forms(key[2])]
        for number, form in product(due, forms):
            tree = at_cell(form.tree, key)
            shown = self.evaluator.tree_value(tree, key, {})
            if isinstance(shown, (int, float)) and _near(float(shown), [number]):
                return filled(self.model, key, tree, self._like(key[2], form))
        name = self.log.before.get(key[2])
        return None if name is None else self._linked(key, self._who(key[1], name), due)

    def _linked(self, key: Key, who: str | None, due: list[float]) -> str | None:
        """The cell of a player's latest rating, where one that reads another cell should read what is due."""
        log, tree = self.log, self.model.tree(key)
        above = (row for row in reversed(log.games) if row < key[1] or key[2] not in log.before)
        cells = ((log.sheet, row, at) for row in above for at, name in log.after.items() if self._who(row, name) == who)
        read, cell = shown(tree, key[0]), next(cells, None)
        if tree is None or read is None or cell is None or not _near(self.model.number(cell), due):
            return None
        latest = cell_area(cell)
        return spell(with_areas(tree, lambda one: latest if (one.row, one.column) == read[1:] else one), key[0])

    # any other cell, by its column's formula

    def _forms(self, column: int) -> list[Form]:
        """The formulas of a column, the one that is right first."""
        rows: dict[Form, list[int]] = {}
        for key in self._column(column):
            form = self.model.forms.get(key)
            if form is not None:
                rows.setdefault(form, []).append(key[1])
        clean = [form for form, at in rows.items() if sum(row in self.broken for row in at) <= HALF * len(at)]
        clean.sort(key=lambda form: -len(rows[form]))
        long = [form for form in clean if len(rows[form]) >= LEAST]
        if len(long) == 2 and min(rows[long[1]]) > max(rows[long[0]]):
            return clean
        if len(long) == 2 and min(rows[long[0]]) > max(rows[long[1]]):
            return [long[1], *(form for form in clean if form is not long[1])]
        return clean

    def _right_forms(self, column: int) -> dict[int, Form]:
        """The right formula for each row: one, or one for each period where each has its own."""
        forms = self._forms(column)
        used = [
            Counter(form for row in rows if (form := self.model.forms.get((self.log.sheet, row, column))) in forms)
            for rows in self.periods
        ]
        most = [count.most_common(1)[0][0] for count in used if count]
        if len(most) > 1 and len(set(most)) == len(self.periods):
            return {
                row: form for rows, form in zip(self.periods, most, strict=True) for row in rows if form is not None
            }
        apart = by_phase(self.context, self.log, column, forms) or by_block(self.model, self.log, column, forms)
        counts = Counter(form for key in self._column(column) if (form := self.model.forms.get(key)) in forms)
        several = sum(count >= LEAST for count in counts.values()) > 2
        if forms and several and counts[forms[0]] <= HALF * counts.total():
            return apart  # each round reads a list of its own, say: none of them is the formula of all
        return apart or (dict.fromkeys(self.log.games, forms[0]) if forms else {})

    def _one_form(self, keys: list[Key], otherwise: str = "list") -> None:
        """Hold cells of a list that have another formula than most of them, or none, against that formula."""
        usual = Counter(form for key in keys if (form := self.model.forms.get(key)) is not None).most_common(1)
        if not usual or usual[0][1] <= HALF * len(keys):
            return
        like = next(key for key in keys if self.model.forms.get(key) is usual[0][0])
        for key in keys:
            own, found = self.model.forms.get(key), self.model.value(key)
            tree = at_cell(usual[0][0].tree, key)
            due = self.evaluator.tree_value(tree, key, {}) if own is not usual[0][0] else None
            if isinstance(due, (int, float)) and not (isinstance(found, (int, float)) and _near(float(found), [due])):
                text = filled(self.model, key, tree, like)
                relation = "typed" if own is None else otherwise
                self.found.residuals[key] = Residual(key, float(due), found, relation, text)

    def _like(self, column: int, form: Form) -> Key | None:
        return next((key for key in self._column(column) if self.model.forms.get(key) is form), None)

    def _column(self, column: int) -> Iterator[Key]:
        """The cells of the games in a column, or in all players' columns where it is one of these."""
        columns = self.log.lines if column in self.log.lines else (column,)
        yield from ((self.log.sheet, row, one) for row in self.log.games for one in columns)

    def _by_form(self, key: Key, right: Form) -> None:
        own, value = self.model.forms.get(key), self.model.value(key)
        if own is right and key[1] in self.broken:
            self.found.open[self.log.sheet].append(key)
            return
        if own is right:
            self.found.stands.add(key)
            self.found.right.setdefault((key[0], key[2]), set()).add(key)
            return
        tree = at_cell(right.tree, key)
        like = self._like(key[2], right)
        tree = tree if like is None else over(tree, self.logs)  # none is a block's, which reads what stands above
        if self._looks_above(right, key):
            if value not in (None, ""):
                self.found.stands.add(key)
            return
        due = self.evaluator.tree_value(tree, key, {})
        if isinstance(due, bool) or not isinstance(due, (int, float)):
            self._unknown(key)
        elif isinstance(value, (int, float)) and not isinstance(value, bool) and _near(float(value), [float(due)]):
            self.found.stands.add(key)
        elif key[1] in self.broken and own is not None and own in self._forms(key[2]):
            self._unknown(key)
        elif own is not None or value not in (None, "") or is_fed(self.model, tree, key):
            relation = "form" if own is not None else "missing" if value in (None, "") else "typed"
            text = filled(self.model, key, tree, like)
            self.found.residuals[key] = Residual(key, float(due), value, relation, text)

    def _looks_above(self, right: Form, key: Key) -> bool:
        """Whether a formula would go back to rows above the first game, where others start from what is typed."""
        back = [a.row for a in right.areas if a.single and a.sheet is None and not a.fixed & ROW and a.row < 0]
        return any(key[1] + offset < self.log.games[0] for offset in back)

    # lists

    def _lists(self) -> None:
        """Hold every column that shows most names' latest ratings against all of them."""
        model, log = self.model, self.log
        games = set(log.games) | log.furniture
        columns: dict[tuple[str, int], list[tuple[Key, float, str]]] = {}
        for key in model.forms:
            if key[0] == log.sheet and key[1] in games and key[2] in log.computed:
                continue
            number = model.number(key)
            who = self._named(key)
            if number is not None and who is not None and abs(number) >= LEAST_RATING:
                columns.setdefault((key[0], key[2]), []).append((key, number, who))
        shown = {
            at: [key for key, number, who in cells if _near(number, [self.latest[who]])]
            for at, cells in columns.items()
        }
        for at, cells in columns.items():
            right = shown[at]
            if self._shows_ends(cells, len(right)):
                self.found.stands.update(key for key, _, _ in cells)
                continue
            left = ((number, who) for key, number, who in cells if key not in right)
            begun = all(_near(number, [self.starts.get(who, math.nan)]) for number, who in left)
            moved = any(self.latest[who] != self.starts.get(who) for key, _, who in cells if key in right)
            if len(right) <= HALF * len(cells) and not (moved and begun):
                self.found.open[log.sheet] += [key for key, _, _ in cells if self._reads_ratings(key)][:1]
                continue
            self.found.stands.update(right)
            self.found.latest.update(right)
            for key, number, who in cells:
                if key not in self.found.stands and abs(number - self.latest[who]) > 1.0 - CLOSE:
                    tree, due = at_cell(model.forms[right[0]].tree, key), self.latest[who]
                    told = self.evaluator.tree_value(tree, key, {}) == due  # by the formula of the others
                    text = None if told else self._linked(key, who, [due])
                    text = text or filled(model, key, tree, right[0])
                    self.found.residuals[key] = Residual(key, due, number, "list", text)

    def _shows_ends(self, cells: list[tuple[Key, float, str]], latest: int) -> bool:
        """Whether a list shows the highest ratings of all players, or the lowest, and not the latest."""
        return latest < len(cells) and any(
            all(_near(number, [end.get(who, math.nan)]) for _, number, who in cells) for end in self.ends
        )

    def _reads_ratings(self, key: Key) -> bool:
        """Whether a formula looks something up in the changes or the ratings after of the log."""
        columns = set(self.log.after) | {column for column, _, _ in self.log.moves}
        areas = [a for a in self.model.areas(key) if not a.single and (a.sheet or key[0]) == self.log.sheet]
        return any(columns & set(range(a.column, a.right + 1)) for a in areas)

    def _named(self, key: Key) -> str | None:
        """The player of a row, by the nearest text on its left."""
        cells = self.model.book.sheets[key[0]]
        for column in range(key[2] - 1, max(0, key[2] - 12), -1):
            cell = cells.get((key[1], column))
            who = None if cell is None else plain(self.model.value((key[0], key[1], column)))
            if who is not None:
                return who if who in self.latest else None
        return None


def _near(number: float | None, due: Iterable[float]) -> bool:
    return number is not None and any(abs(number - one) <= CLOSE for one in due)


__all__ = ["Residual", "Testimony", "testimony"]
