"""The facts of games, whatever the layout: who is compared with whom, and which cells gain by the result.

A row of formulas is looked at by itself: no majority decides what it means. Rows whose formulas are all of the same
forms are one `Kind`, and a few of them stand for all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import product

from elo_sheets.detective.chances import MOST_TABLE, chances_of, is_odds, shows_odds
from elo_sheets.detective.gains import LEAST_RATING, Gain, Kind, entries, exchanges, is_ranged, rises, row_cone, unread
from elo_sheets.detective.ladders import ladders, through_shares
from elo_sheets.detective.names import in_order, name_column
from elo_sheets.expr import Expr
from elo_sheets.files.package import Value
from elo_sheets.recognise.context import Context
from elo_sheets.recognise.model import Form, Key
from elo_sheets.recognise.parts import Part
from elo_sheets.recognise.roles import Looker, has_power
from elo_sheets.recognise.walks import follow

FAR = 20000.0  # rating points at which every uncapped expectation is 0 or 1
STEP = 64.0  # rating points that move a rating without reaching a cap
LIFT = 1000.0  # rating points beyond every floor and ceiling that holds a rating
LEAST_K = 0.5  # rating points: what moves by less between loss and win is no rating
MOST_BENT = 2.0  # of what moves by less not all that is worked out from an expectation is proportional to it
LEAST_MATE = 0.3  # of a player's rating: a partner's; an advantage is less
TINY = 1e-9  # of a share
LEAST_GAMES = 3  # rows: one or two are a calculator, whose formulas are proven one by one
MOST_KINDS = 120  # kinds of rows that are looked at, the longest first
DEPTH = 3  # formulas between an expectation and the rating that follows from it
SIDES = 2  # of a game
LEAST_PAID = 0.4  # of a change goes to who gains it, and half of it where two share; less follows from later games
MOST_PAID = 4  # games of which is asked whose ratings their changes move: the first have the most games after them
MOST_UNRATED = 8  # games that are looked at for one that is rated
MOST_LATER = 60  # rows in which a player of the first games plays again


class Facts:
    """Finds the games of a book, row by row."""

    def __init__(self, context: Context, looker: Looker | None = None) -> None:
        self.context, self.model, self.evaluator = context, context.model, context.evaluator
        self.looker = looker or Looker(context.evaluator)
        self._comparing: dict[int, bool] = {}  # by the number of a form
        self._gains: dict[tuple[str, int], list[Gain]] = {}  # of rows as they stand
        self._teams: dict[tuple[Key, Key], tuple[Key, ...]] = {}  # by share and rating
        self._paid: dict[tuple[str, int, int, int], int | None] = {}  # by sheet, column of changes and of both ratings
        self.many: set[str] = set()  # sheets with a column of gains for each: which of two is named first is open
        self.ladders = ladders(context.model)
        self.two_sided: set[str] = set()  # sheets in whose rows both players gain
        self.rows: dict[str, set[int]] = {}  # of the games of each sheet
        self._seats: dict[tuple[str, int, int], list[int]] = {}  # by sheet and columns of two ratings: of their names

    @cached_property
    def unread(self) -> dict[Key, float]:
        """The numbers that stand alone beside a label, and that no formula reads: settings that were forgotten."""
        return unread(self.context)

    def kinds(self) -> list[Kind]:
        """The kinds of rows that hold games, the longest first."""
        rows: dict[tuple[str, int], list[tuple[int, int]]] = {}
        powers: set[tuple[str, int]] = set()
        for (sheet, row, column), form in self.model.forms.items():
            rows.setdefault((sheet, row), []).append((column, form.number))
            if self._compares(form, (sheet, row, column)) and self.model.value((sheet, row, column)) not in (None, ""):
                powers.add((sheet, row))  # where nothing is shown the row waits for a game
        kinds: dict[tuple[object, ...], Kind] = {}
        for sheet, row in sorted(powers):
            ladder = self.ladders.get(sheet)
            alike = () if ladder is None else (ladder.alike(self.evaluator, row),)
            signature = (sheet, *alike, *sorted(rows[sheet, row]))
            kinds.setdefault(signature, Kind(sheet, [])).rows.append(row)
        found = sorted(kinds.values(), key=lambda kind: -len(kind.rows))[:MOST_KINDS]
        filled = Counter(  # where a result lacks, nobody can tell what one counts
            (sheet, row) for sheet, cells in self.model.book.sheets.items() for row, column in cells
            if self.model.value((sheet, row, column)) not in (None, "")
        )  # fmt: skip
        for kind in found:
            rows_of_k = self._with_k(kind, [row for sheet, row in powers if sheet == kind.sheet])
            middle = rows_of_k[len(rows_of_k) // 2 : len(rows_of_k) // 2 + 1]
            looked_at = dict.fromkeys((*rows_of_k[-1:], *rows_of_k[:1], *middle))
            for row in sorted(looked_at, key=lambda at: -filled[kind.sheet, at]):
                gains = self.gains(kind.sheet, row)
                if gains:
                    kind.seen[row] = gains
            kind.seen = dict(sorted(kind.seen.items(), key=lambda one: -len(one[1])))  # who lost may lose nothing
        self._without_unrated(found)
        for kind in (kind for kind in found if kind.seen):
            self.rows.setdefault(kind.sheet, set()).update(kind.rows)
            if any(len(gains) > 1 or self._goes_on(gains[0]) for gains in kind.seen.values()):
                self.two_sided.add(kind.sheet)
        games = {sheet: len(rows) for sheet, rows in self.rows.items()}
        columns = {(kind.sheet, g.cell[2]) for kind in found for gains in kind.seen.values() for g in gains}
        self.many = {sheet for sheet in games if sum(one == sheet for one, _ in columns) > 2} - {*self.ladders}
        logs = [kind for kind in found if kind.seen and games[kind.sheet] >= LEAST_GAMES]
        usual = {self.model.forms[gain.cell] for kind in logs for gains in kind.seen.values() for gain in gains}
        few = [kind for kind in found if kind.seen and games[kind.sheet] < LEAST_GAMES]
        few = [kind for kind in few if any(self.model.forms[g.cell] in usual for s in kind.seen.values() for g in s)]
        return logs + few  # a month may have a sheet of its own and one game

    def seats(self, pair: Sequence[Key]) -> list[int]:
        """The columns of the names that stand in the order of two ratings of a game, where no look-up tells them."""
        place = (pair[0][0], pair[0][2], pair[1][2])
        if place not in self._seats and place[0] not in self.ladders:
            self._seats[place] = in_order(self.model, place[0], self.rows.get(place[0], set()), pair)
        return self._seats.get(place, [])

    def _without_unrated(self, kinds: list[Kind]) -> None:
        """Leave out, on sheets that rate, what was seen of games that are not rated: nothing but a chance."""

        def alone(gains: list[Gain]) -> bool:
            return all(gain.cell in {key for key, _, _ in gain.shares} for gain in gains)

        for kind in kinds:
            if kind.seen and all(map(alone, kind.seen.values())):
                others = [row for row in kind.rows if row not in kind.seen][:MOST_UNRATED]
                seen = ({row: gains} for row in others if not alone(gains := self.gains(kind.sheet, row)))
                kind.seen |= next(seen, {})
        rated = {kind.sheet for kind in kinds if not all(map(alone, kind.seen.values()))}
        for kind in kinds:
            if kind.sheet in rated:
                kind.seen = {row: gains for row, gains in kind.seen.items() if not alone(gains)}

    def _with_k(self, kind: Kind, games: Collection[int]) -> list[int]:
        """The rows of a kind without those that a K of 0 keeps from counting, as a friendly's is, typed or looked up.

        What is typed may be a loss for a win of 3: then all rows count where none would be left.
        """
        sheet, first = kind.sheet, kind.rows[0]
        read = {one for column in self._rows[sheet, first] for one in self.model.precedents((sheet, first, column), 1)}
        counting, typed = [*kind.rows], [*kind.rows]
        for one in sorted(one for one in read if one[:2] == (sheet, first)):
            looked_up = one in self.model.forms
            numbers = {row: self.model.number((sheet, row, one[2])) for row in (games if looked_up else kind.rows)}
            if 0.0 in numbers.values() and min((n or 0.0 for n in numbers.values() if n != 0), default=0) > 1:
                counting = [row for row in counting if numbers[row] or not looked_up]
                typed = [row for row in typed if numbers[row] or looked_up]
        return [row for row in counting if row in typed] or counting

    def _compares(self, form: Form, key: Key) -> bool:
        """Whether a formula may hold an expectation, by a power or a table of chances, or points for a lead."""
        found = self._comparing.get(form.number)
        if found is None:
            found = self._comparing[form.number] = (
                has_power(form.tree)
                or any(chances_of(self.model, area) for area in self.model.areas(key) if not area.single)
                or (key[0] not in self._with_powers and any(exchanges(self.looker, [key], {})))
            )
        return found

    @cached_property
    def _with_powers(self) -> set[str]:
        """The sheets on which a formula raises to a power."""
        return {key[0] for key, form in self.model.forms.items() if has_power(form.tree)}

    def gains(self, sheet: str, row: int, formulas: Mapping[Key, Expr] | None = None) -> list[Gain]:
        """What gains by the game of a row; [] where nothing does."""
        if formulas:
            return self._gaining(sheet, row, formulas)
        if (sheet, row) not in self._gains:
            self._gains[sheet, row] = self._gaining(sheet, row, {})
        return self._gains[sheet, row]

    def _gaining(self, sheet: str, row: int, formulas: Mapping[Key, Expr]) -> list[Gain]:
        if sheet in self.ladders:
            return self._on_ladder(sheet, row, formulas)
        shares = list(self._shares(sheet, row, formulas))
        apart = sheet not in self._with_powers and all(part.unit != 1 for part in shares)
        if apart and (exchanged := exchanges(self.looker, self.cells(sheet, row), formulas)):
            return exchanged
        found = self._by_shares(shares, formulas) if shares else []
        lacks = {gain.other for gain in found} - {gain.own for gain in found}
        chances = {part.key for part in shares}  # they may stand there to be seen, and the change work out its own
        read = self._inlined(sheet, row, formulas) if lacks or not found else ()
        inlined = [gain for gain in read if gain.cell not in chances]
        if not found:
            inlined = [after for one in inlined for after in self._after_step(one, formulas)]
            inlined = [self._turned(one) if self._is_paid_to_the_other(one) else one for one in inlined]
            return inlined or (self._alone(shares[0]) if shares and not self._totals(shares) else [])
        for gain in inlined:
            turned = gain.base is None and gain.other in lacks and self._goes_to(gain) in gain.other
            found += [one for one in (self._turned(gain) if turned else gain,) if one.own in lacks]
        return found

    def _on_ladder(self, sheet: str, row: int, formulas: Mapping[Key, Expr]) -> list[Gain]:
        """What gains by a game of a sheet with a column for each player: of two, each is the other's opponent."""
        playing = self.ladders[sheet].playing(self.evaluator, row, formulas) or {}
        bases = [base for base, _ in playing.values()]
        parts = [*self._shares(sheet, row, formulas)] if len(bases) == SIDES else []
        found = []
        for cell, (base, others) in playing.items():
            opponents = tuple(one for one in bases if one != base) if len(bases) == SIDES else others
            if opponents:
                shares = through_shares(self.evaluator, cell, (base, *opponents), parts)
                found.append(Gain(cell, base, (base,), opponents, shares))
        return found

    def _alone(self, part: Part) -> list[Gain]:
        """The chance of a row in which nothing else is worked out than other chances and odds."""
        number, unit = self.model.number(part.key), part.unit
        if (
            number is None
            or part.curve.scale is None
            or is_ranged(self.model, part.key)
            or {part.own[:2], part.other[:2]} != {part.key[:2]}
        ):
            return []
        followers = self.model.readers.get(part.key, ())
        numbers = {key: self.model.number(key) for key in followers}
        chances = [part.key, *(key for key, n in numbers.items() if n is not None and 0 <= n <= unit)]
        if any(
            key[:2] != part.key[:2] or not is_odds(self.model, key, chances) for key in numbers if key not in chances
        ):
            return []
        return [Gain(part.key, None, (part.own,), (part.other,), ((part.key, unit, True),))]

    @cached_property
    def _rows(self) -> dict[tuple[str, int], list[int]]:
        """The columns of the formulas of each row."""
        found: dict[tuple[str, int], list[int]] = {}
        for sheet, row, column in sorted(self.model.forms):
            found.setdefault((sheet, row), []).append(column)
        return found

    def cells(self, sheet: str, row: int) -> Iterator[Key]:
        """The formulas of a row that show a number."""
        for column in self._rows.get((sheet, row), ()):
            if self.model.number((sheet, row, column)) is not None:
                yield sheet, row, column

    def _goes_on(self, gain: Gain) -> bool:
        """Whether something is added to the other side's rating as well, in the row of what a side gains."""
        return any(rises(self.evaluator, one, gain.other[0]) for one in self.cells(*gain.cell[:2]))

    def _shares(self, sheet: str, row: int, formulas: Mapping[Key, Expr]) -> Iterator[Part]:
        """The expectations of a row."""
        for key in self.cells(sheet, row):
            number = self.model.number(key)
            part = self.looker.known(key, formulas) if number is not None and -0.001 <= number <= 100.001 else None
            if part is not None and part.kind == "E":
                yield part

    def _by_shares(self, shares: list[Part], formulas: Mapping[Key, Expr]) -> list[Gain]:
        found: dict[Key, Gain] = {}
        row, totals = shares[0].key[1], self._totals(shares)
        for part in shares:
            pair = {part.own, part.other}
            mates = [(p.key, p.unit, p.own == part.own) for p in shares if {p.own, p.other} == pair]
            for cell in self.readers(part.key, row):
                if cell in found or cell in totals or any(cell == key for key, _, _ in mates):
                    continue
                slope = self._slope(cell, mates, formulas)
                if slope is None or abs(slope) < LEAST_K or shows_odds(self.model, cell):
                    continue
                held = {key: self.model.value(key) for key, _, _ in mates}
                base = self.base(cell, (part.own, part.other), held, formulas)
                mine = base == part.own if base in (part.own, part.other) else slope > 0
                own, other = (part.own, part.other) if mine else (part.other, part.own)
                sided = tuple((key, unit, same == mine) for key, unit, same in mates)
                found[cell] = Gain(cell, base, self._team(part.key, own), self._team(part.key, other), sided)
        gains = [gain for gain in found.values() if not self._is_share(gain, list(found.values()))]
        owners = Counter(gain.own for gain in gains)
        gains = [self._turned(one) if owners[one.own] > 1 and self._is_paid_to_the_other(one) else one for one in gains]
        return self._nearest([gain for gain in gains if not self._readers_of_step(gain, formulas)])

    def _totals(self, shares: list[Part]) -> set[Key]:
        """The cells that follow from several games of one player, whose rounds stand side by side in his row."""
        if len({part.own for part in shares}) > 1 or len({part.other for part in shares}) == 1:
            return set()
        games = Counter(cell for part in shares for cell in self.readers(part.key, part.key[1]))
        return {cell for cell, count in games.items() if count > 1}

    def _team(self, share: Key, rating: Key) -> tuple[Key, ...]:
        """A rating and those of its row that move an expectation as it does: of players who are rated as one side."""
        known = (share, rating)
        if known not in self._teams:
            number, here = self.model.number(rating) or 0.0, self.model.number(share)
            leaves = [
                one for one in (rating, *self.looker.leaves(share, {}, DEPTH))
                if one[:2] == rating[:2] and (one in self.model.forms) == (rating in self.model.forms)
                and (self.model.number(one) or 0.0) > LEAST_MATE * number > 0
            ]  # fmt: skip
            leaves = [
                one for one in leaves if one == rating or not self.evaluator.depends(one, [rating])
            ]  # a lead does
            moves = {one: self.evaluator.number(share, {one: (self.model.number(one) or 0.0) + STEP}) for one in leaves}
            own = moves.get(rating)
            same = [one for one, n in moves.items() if n is not None and own is not None and abs(n - own) < TINY]
            self._teams[known] = tuple(dict.fromkeys((rating, *(same if own != here else ()))))
        return self._teams[known]

    def _after_step(self, gain: Gain, formulas: Mapping[Key, Expr]) -> list[Gain]:
        """A gain, or where it is K times the expectation alone, the changes and new ratings that take it off."""
        found = []
        for cell in self._readers_of_step(gain, formulas):
            base = self.base(cell, (gain.own[0], gain.other[0]), {}, formulas)
            found.append(replace(self._turned(gain), cell=cell, base=base))
        return found[:1] or [gain]

    def _readers_of_step(self, gain: Gain, formulas: Mapping[Key, Expr]) -> list[Key]:
        """The cells of the row that take K times the expectation off a score; none where a cell is no such step.

        A step has 0 for who expects nothing, whatever the result; what is taken off follows from the result besides.
        """
        here, row = self.evaluator.number(gain.cell, {}, formulas), gain.cell[:2]
        readers = [one for one in self.readers(gain.cell, row[1]) if one[:2] == row]
        if gain.base is not None or here is None or not readers:
            return []
        typed = entries(self.context, gain)
        own = {*row_cone(self.context, gain), *gain.own, *gain.other}
        found = []
        for cell in readers:
            ends = [self.evaluator.number(cell, {gain.cell: here + by}, formulas) for by in (0.0, 1.0)]
            if ends[0] is None or ends[1] is None or abs(ends[0] - ends[1]) < LEAST_K:
                continue
            beside = [key for key in self.model.precedents(cell) if key not in own and key[:2] == row]
            at = ([self.evaluator.number(cell, {gain.cell: here, one: by}, formulas) for by in (0.0, 1.0)]
                  for one in beside if one not in readers)  # fmt: skip
            if any(low is not None and high is not None and high - low > LEAST_K for low, high in at):
                found.append(cell)
        won: list[dict[Key, Value]] = [{key: 1.0} for key in typed if key[:2] == row]
        shown = [list(self._ends(gain, one, formulas)) for one in ({}, *won)] if found else []
        nought = ([n is not None and abs(n) < TINY for n in at_one_end] for at_one_end in zip(*shown, strict=True))
        return found if any(map(all, nought)) else []

    def _ends(self, gain: Gain, typed: Mapping[Key, Value], formulas: Mapping[Key, Expr]) -> Iterator[float | None]:
        """What a cell shows where a side expects nothing, and where it expects everything."""
        for share in (0.0, 1.0):
            by = 2 * FAR * (share - 0.5)
            apart: dict[Key, Value] = {key: (self.model.number(key) or 0.0) + by for key in gain.own}
            apart |= {key: (share if own else 1 - share) * unit for key, unit, own in gain.shares}
            yield self.evaluator.number(gain.cell, {**apart, **typed}, formulas)

    def _is_share(self, gain: Gain, gains: list[Gain]) -> bool:
        """Whether a cell is the other side's expectation in disguise: it moves as one, and another gain reads it."""
        ends = [
            self.evaluator.number(gain.cell, {key: (e if own else 1 - e) * unit for key, unit, own in gain.shares})
            for e in (0.0, 1.0)
        ]
        if gain.base is not None or ends[0] is None or ends[1] is None:
            return False
        if not any(abs(abs(ends[0] - ends[1]) - unit) <= TINY * unit for _, unit, _ in gain.shares):
            return False
        return any(one.cell in self.readers(gain.cell, gain.cell[1]) for one in gains)

    def readers(self, key: Key, row: int) -> list[Key]:
        """The formulas of the row (or of another sheet) that follow from a cell, the nearest first."""

        def of_row(one: Key) -> Iterator[Key]:
            for reader in self.model.readers.get(one, ()):
                if (reader[0] != key[0] or reader[1] == row) and self.model.number(reader) is not None:
                    yield reader

        return follow([key], of_row, DEPTH)

    def _slope(self, cell: Key, mates: Iterable[tuple[Key, float, bool]], formulas: Mapping[Key, Expr]) -> float | None:
        """What a cell loses when the expectation of the first side goes from 0 to 1."""
        low, middle, high = (
            self.evaluator.number(cell, {key: (e if own else 1 - e) * unit for key, unit, own in mates}, formulas)
            for e in (0.0, 0.5, 1.0)
        )
        if low is None or middle is None or high is None:
            return None
        bent = abs(low - high) <= MOST_BENT and abs(low + high - 2 * middle) > TINY  # a hit, or an error squared
        return None if bent else low - high

    def base(
        self, cell: Key, pair: tuple[Key, Key], held: Mapping[Key, Value], formulas: Mapping[Key, Expr]
    ) -> Key | None:
        """The rating that a cell goes up with one by one while `held` is held; None where it is a change alone."""
        for one in pair:  # where a floor or a ceiling holds the rating now, it shows farther off
            number = self.model.number(one)
            for lift in (0.0, LIFT, -LIFT) if held and number is not None else ():
                at = (number or 0.0) + lift
                ends = [self.evaluator.number(cell, {**held, one: at + more}, formulas) for more in (0.0, STEP)]
                if ends[0] is not None and ends[1] is not None and abs(ends[1] - ends[0] - STEP) <= 1.0:
                    return one
        here = self.evaluator.number(cell, held, formulas)
        least = max(LEAST_RATING, LEAST_MATE * min(abs(self.model.number(one) or 0.0) for one in pair))
        for one in (*pair, *(leaf for leaf in self.looker.leaves(cell, dict(formulas), DEPTH) if leaf not in pair)):
            number = self.model.number(one)
            if here is None or number is None or one in held or (one not in pair and abs(number) < least):
                continue
            moved = self.evaluator.number(cell, {**held, one: number + STEP}, formulas)
            if moved is not None and abs(moved - here - STEP) <= 1.0:
                return one
        return None

    def _nearest(self, gains: list[Gain]) -> list[Gain]:
        """Of the cells of one side the one nearest the expectation: the change before the new rating before a list."""
        here = {share[0][0][:2] for gain in gains if (share := gain.shares)}
        gains = [gain for gain in gains if gain.cell[:2] in here] or gains
        found: dict[tuple[tuple[Key, ...], int], Gain] = {}
        changes = [gain.cell for gain in gains if gain.base is None]
        following = {reader for cell in changes for reader in self.readers(cell, cell[1])}
        shown = {(gain.own, reader) for gain in gains for reader in self.readers(gain.cell, gain.cell[1])}
        for gain in gains:
            if gain.cell in following or (gain.own, gain.cell) in shown:
                continue
            place = (gain.own, gain.cell[1])
            if place in found and gain.base is None and self._goes_to(gain) in gain.other:
                gain = self._lost(gain) or self._turned(gain)  # a wrong sign makes it look like the other side's
                place = (gain.own, gain.cell[1])
            if place not in found:
                found[place] = gain
        return list(found.values())

    def _goes_to(self, gain: Gain) -> Key | None:
        """Whose rating a change is added to."""
        held: dict[Key, Value] = {gain.cell: self.model.value(gain.cell)}
        pair = (gain.own[0], gain.other[0])
        bases = (self.base(cell, pair, held, {}) for cell in self.readers(gain.cell, gain.cell[1]))
        return next((base for base in bases if base in pair), None)

    def _lost(self, gain: Gain) -> Gain | None:
        """The new rating of the other player, where a change is what he loses and is taken off his rating."""
        change = self.model.number(gain.cell) or 0.0
        for after in self.readers(gain.cell, gain.cell[1]) if gain.base is None else ():
            base = self.base(after, (gain.own[0], gain.other[0]), {gain.cell: change}, {})
            here, moved = self.model.number(after), self.evaluator.number(after, {gain.cell: change + STEP})
            if base in gain.other and here is not None and moved is not None and moved < here:
                return self._turned(replace(gain, cell=after, base=base))
        return None

    def _is_paid_to_the_other(self, gain: Gain) -> bool:
        """Whether later games add a change to the rating of the other player than its formula seems to be of.

        Seen by itself, K·((1 − S) − E) of the one is −K·(S − E) of the other: the sums of later rows tell.
        """
        return gain.base is None and self.payee(gain) == gain.other[0][2]

    def payee(self, gain: Gain) -> int | None:
        """The column of the player's rating to which later games add what a game of two gains; None if unknown."""
        sides = (*gain.own, *gain.other)
        if len(sides) != SIDES or any(side[:2] != gain.cell[:2] for side in sides):
            return None
        place = (gain.cell[0], gain.cell[2], gain.own[0][2], gain.other[0][2])
        if place not in self._paid:
            self._paid[place] = next(self._payees(gain), None)
        return self._paid[place]

    def _payees(self, gain: Gain) -> Iterator[int]:
        """The columns of the ratings to which changes of the first games are added in later ones."""
        sheet, row, column = gain.cell
        sides = {side[2]: name_column(self.model, side, row) for side in (*gain.own, *gain.other)}
        names = {rating: name for rating, name in sides.items() if name is not None}
        rows = self.model.columns.get((sheet, column), [])
        for at, game in enumerate(rows[:MOST_PAID]):
            players = {self.model.value((sheet, game, name)): rating for rating, name in names.items()}
            paid = self.model.number((sheet, game, column))
            if paid is None or len(players) < len(names):
                continue
            paid_out: dict[Key, Value] = {(sheet, game, column): paid + STEP}
            for one in self.readers((sheet, game, column), game):  # the rating after, which later games look up
                paid_out[one] = self.evaluator.number(one, paid_out) if one[:2] == (sheet, game) else None
            moves = {one: number for one, number in paid_out.items() if number is not None}
            for after, (rating, name) in product(rows[at + 1 : at + MOST_LATER], names.items()):
                payee, key = players.get(self.model.value((sheet, after, name))), (sheet, after, rating)
                if payee is not None and (here := self.model.number(key)) is not None:
                    moved = self.evaluator.number(key, moves)
                    if moved is not None and moved - here > LEAST_PAID * STEP:
                        yield payee

    @staticmethod
    def _turned(gain: Gain) -> Gain:
        shares = tuple((key, unit, not own) for key, unit, own in gain.shares)
        return replace(gain, own=gain.other, other=gain.own, shares=shares)

    def _inlined(self, sheet: str, row: int, formulas: Mapping[Key, Expr]) -> Iterator[Gain]:
        """New ratings and changes whose expectation stands in their own formula.

        Seen by itself, K·((1 − S) − E) of the one falls as the score of the other rises, by which S is known.
        """
        trees = {key: formulas[key] if key in formulas else self.model.tree(key) for key in self.cells(sheet, row)}
        powers = (key for key, tree in trees.items() if tree is not None and has_power(tree))
        parts = [part for key in powers if (part := self.looker.update(key, dict(formulas))) and part.kind in "DN"]
        rising = {part.own for part in parts if part.sign > 0}
        for part in parts:
            base = part.base if part.kind == "N" else None
            own, other = part.own, part.other
            falls = part.sign < 0 and (base == other or (base is None and own in rising))
            if falls or (base is None and self._is_of_others(own, other)):
                own, other = other, own
            yield Gain(part.key, base, (own,), (other,))

    def _is_of_others(self, key: Key, own: Key) -> bool:
        """Whether a cell sums up what the other rows have in the column of `own`: the opponents."""
        areas = [area for area in self.model.areas(key) if area.sheet == own[0] and area.column == own[2] == area.right]
        rows = {row for area in areas for row in range(area.row, min(area.bottom, area.row + MOST_TABLE) + 1)}
        return len(rows) > 1 and own[1] not in rows and {own[1] - 1, own[1] + 1} & rows != set()
