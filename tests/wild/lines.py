"""Logs with two rows a game, one for each side, and ledgers in which each row carries on from the row above."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from .desk import Desk, Row
from .forms import after, change, expectation, score, typed
from .sheets import At, Draft, Slip, Table
from .truth import Game, Rated, expected, one_by_one


@dataclass
class TwoRows:
    """Player, opponent, result, rating, opponent's rating, expected score, change, new rating; two rows a game."""

    desk: Desk
    carry: str  # vlookup and xlookup read from below, as the newest game stands on top; last and maxif from above

    def write(self) -> Draft:
        desk = self.desk
        desk.offer_games()
        self.newest_on_top = self.carry in ("vlookup", "xlookup")
        settings = {"k": desk.k, "scale": desk.scale}
        listed = desk.common is None or desk.rng.random() < 0.5
        if not listed:
            settings["start"] = desk.common or 0
        top = desk.settings(**settings)
        roles = [*(["date"] if desk.dated else []), "one", "two", *desk.result.roles]
        roles += ["before 1", "before 2", "score 1", "expected 1", "change 1", "after 1"]
        headers = [desk.header(role) for role in roles]
        headers[roles.index("one")], headers[roles.index("two")] = desk.words["player"], desk.words["opponent"]
        self.table = desk.table(desk.sheet, top, desk.left, roles, headers)
        self.roster: Table | None = None
        if listed:
            self.roster, self.list_rows = desk.roster(["player", "start", "rating"], desk.left + len(roles) + 1, top)
        self.start = desk.start_of(self.roster, desk.sheet)
        self.rated, self.last = one_by_one(desk.flow(), desk.start, lambda *_: desk.k, desk.scale)
        self._rows()
        if self.roster:
            self._list(self.roster)
        return desk.draft

    def _rows(self) -> None:
        desk, table = self.desk, self.table
        lengths = [2 if plan.kind in ("game", "friendly") else 1 for plan in desk.rows]
        self.first, self.last_row = table.top + 1, table.top + sum(lengths)
        used, done = 0, 0
        for plan, length in zip(desk.rows, lengths, strict=True):
            row = self.last_row - used - length + 1 if self.newest_on_top else self.first + used
            used += length
            if plan.kind == "game" and plan.game:
                rated = self.rated[done]
                done += 1
                for side in (0, 1):
                    self._line(row, row + side, 2 * plan.number + side, plan.game, side, rated)
                    if plan.number == desk.odd_game:
                        desk.draft.extra_wrong |= {table.place("one", row + side), table.place("two", row + side)}
            else:
                done += plan.kind == "bonus"
                self._between(row, plan)

    def _played_before(self, row: int, length: int) -> tuple[int, int]:
        """Return the rows of the games before those that begin in `row`."""
        if self.newest_on_top:
            return row + length, max(self.last_row + 1, row + length)
        return self.table.top, row - 1

    def _line(self, pair: int, row: int, number: int, game: Game, side: int, rated: Rated | None) -> None:
        desk, draft, table = self.desk, self.desk.draft, self.table
        one, two = (game.one, game.two) if side == 0 else (game.two, game.one)
        goals = game.goals if side == 0 else (game.goals[1], game.goals[0])
        if "date" in table.columns:
            table.put("date", row, desk.day(game), At("date", number))
        table.put("one", row, one, At("name 1", number))
        table.put("two", row, two, At("name 2", number))
        for role, content in zip(
            desk.result.roles, typed(desk.result.name, goals, one, two, desk.words["draw"]), strict=True
        ):
            table.put(role, row, content, At(role, number))
        name, other = table.a("one", row), table.a("two", row)
        for role, who, whom, own in (("before 1", name, other, side), ("before 2", other, name, 1 - side)):
            self._before(role, row, pair, number, who, whom, None if rated is None else rated.before[own])
        cells = tuple(table.a(role, row) for role in desk.result.roles)
        text = score(draft, At("score 1", number), desk.result, desk.result_style, cells, (name, other))
        mine = game.score if side == 0 else 1 - game.score
        table.put("score 1", row, f"={text}", At("score 1", number), mine)
        r, o = table.a("before 1", row), table.a("before 2", row)
        text = expectation(draft, At("expected 1", number), desk.curve, r, o, desk.refs["scale"])
        table.put("expected 1", row, f"={text}", At("expected 1", number), rated and rated.expected[side])
        s, e = table.a("score 1", row), table.a("expected 1", row)
        text = change(draft, At("change 1", number), desk.change_style, desk.refs["k"], s, e)
        table.put("change 1", row, f"={text}", At("change 1", number), rated and rated.change[side])
        text = after(draft, At("after 1", number), r, table.a("change 1", row), o)
        table.put("after 1", row, f"={text}", At("after 1", number), rated and rated.after[side])

    def _before(self, role: str, row: int, pair: int, number: int, who: str, whom: str, truth: float | None) -> None:
        first, last = self._played_before(pair, 2)
        latest, array = self.latest()
        at = At(role, number)
        if self.newest_on_top:
            wrong = {"late_range": latest(who, min(first + 4, last), last)}
        else:
            wrong = {
                "short": latest(who, first, max(first, last - 2)),
                "late_range": latest(who, min(first + 8, last), last),
            }
        wrong |= {"from_list": self.start(who), "opponent": latest(whom, first, last)}
        if self.carry == "xlookup_last":
            wrong["oldest"] = latest(who, first, last).replace(",0,-1)", ",0,1)")
        text = self.desk.draft.pick(at, latest(who, first, last), **wrong)
        self.table.put(role, row, f"={text}", at, truth, array)

    def _between(self, row: int, plan: Row) -> None:
        desk, table = self.desk, self.table
        first = next(iter(table.columns))
        if plan.kind == "heading":
            table.put(first if first != "one" else "change 1", row, desk.words["month"] + f" {plan.number + 1}")
        elif plan.kind == "subtotal":
            table.put("two", row, desk.words["total"])
            table.put("expected 1", row, "=SUM(" + table.col("expected 1", row - 2, row - 1, "") + ")")
        elif plan.kind in ("bye", "bonus", "friendly"):
            players = [plan.player, *([plan.game.two] if plan.game else [])]
            for offset, player in enumerate(players):
                line = row + offset
                table.put("one", line, player)
                table.put("two", line, players[1 - offset] if plan.game else desk.words["bye"])
                if plan.kind == "bonus":
                    table.put("two", line, None)
                    table.put("change 1", line, plan.points)
                latest, array = self.latest()
                text = latest(table.a("one", line), *self._played_before(row, len(players)))
                table.put("before 1", line, f"={text}", array=array)
                before, gained = table.a("before 1", line), table.a("change 1", line)
                table.put("after 1", line, f"={before}+{gained}" if plan.kind == "bonus" else f"={before}")

    def latest(self, seen_from: str = "") -> tuple[Callable[[str, int, int], str], bool]:
        table, start = self.table, self.start
        lock = "last" if self.newest_on_top else "first"
        here = seen_from or table.sheet

        def col(role: str, first: int, last: int) -> str:
            return table.col(role, first, last, "both" if seen_from else lock, here)

        def vlookup(name: str, first: int, last: int) -> str:
            left = col("one", first, last).split(":")[0]
            right = col("after 1", first, last).split(":")[1]
            width = table.columns["after 1"] - table.columns["one"] + 1
            return f"IFERROR(VLOOKUP({name},{left}:{right},{width},FALSE),{start(name)})"

        def xlookup(name: str, first: int, last: int) -> str:
            return f"_xlfn.XLOOKUP({name},{col('one', first, last)},{col('after 1', first, last)},{start(name)},0)"

        def xlookup_last(name: str, first: int, last: int) -> str:
            return f"_xlfn.XLOOKUP({name},{col('one', first, last)},{col('after 1', first, last)},{start(name)},0,-1)"

        def lookup(name: str, first: int, last: int) -> str:
            return (
                f"IFERROR(LOOKUP(2,1/({col('one', first, last)}={name}),{col('after 1', first, last)}),{start(name)})"
            )

        def maxif(name: str, first: int, last: int) -> str:
            names = col("one", first, last)
            place = f"MAX(IF({names}={name},ROW({names})))"
            return f"IF({place}=0,{start(name)},INDEX({col('after 1', 1, last)},{place}))"

        return {
            "vlookup": (vlookup, False),
            "xlookup": (xlookup, False),
            "xlookup_last": (xlookup_last, False),
            "lookup": (lookup, False),
            "maxif": (maxif, True),
        }[self.carry]

    def _list(self, roster: Table) -> None:
        first, last = (self.first, self.last_row) if self.newest_on_top else (self.table.top, self.last_row)
        latest, array = self.latest(roster.sheet)
        for number, name in enumerate(self.desk.names):
            row = self.list_rows[name]
            own = roster.a("start", row)
            here, self.start = self.start, lambda _, own=own: own
            cell, at = roster.a("player", row), At("rating", number)
            short = (first + 4, last) if self.newest_on_top else (first, last - 4)
            text = self.desk.draft.pick(at, latest(cell, first, last), start=own, short=latest(cell, *short))
            roster.put("rating", row, f"={text}", at, self.last[name], array)
            self.start = here


def two_rows(carry: str, **options: object) -> Callable[[Random, Slip | None], Draft]:
    """Return a layout of two rows a game; `options` are the desk's."""

    def layout(rng: Random, slip: Slip | None) -> Draft:
        desk = Desk(rng, slip, **{"games": (10, 18), **options})  # type: ignore[arg-type]
        return TwoRows(desk, carry).write()

    return layout


def duel(rng: Random, slip: Slip | None) -> Draft:
    """Two players and a series of games: each row carries on from the row above, the first from the start ratings."""
    desk = Desk(rng, slip, players=(2, 2), games=(12, 24), guards=0, results=("points", "goals", "letters", "chess"))
    draft = desk.draft
    settings = {"k": desk.k, "scale": desk.scale}
    top = desk.settings(**settings, **{f"start_{n}": desk.start[name] for n, name in enumerate(desk.names)})
    starts = [desk.refs[f"start_{number}"] for number in (0, 1)]
    roles = [*(["no"] if desk.numbered else []), *(["date"] if desk.dated else []), *desk.result.roles, "score 1"]
    roles += ["expected 1", "change 1", "after 1", "after 2"]
    one, two = desk.names
    headers = [desk.header(role) for role in roles]
    headers[-2:] = [f"Elo {one}", f"Elo {two}"]
    table = desk.table(desk.sheet, top, desk.left, roles, headers)
    row, above, now = top, 0, dict(desk.start)
    for plan in desk.rows:
        row += 1
        r, o = (table.a("after 1", above), table.a("after 2", above)) if above else starts
        if plan.kind == "game" and plan.game:
            _duel_row(desk, table, row, above, plan, now, (r, o))
            above = row
        elif plan.kind == "bonus":
            c = table.a("change 1", row)
            table.put("change 1", row, plan.points)
            now[one], now[two] = now[one] + plan.points, now[two] - plan.points
            table.put("after 1", row, f"={r}+{c}")
            table.put("after 2", row, f"={o}-{c}")
            above = row
        elif plan.kind != "blank":
            table.put(roles[0], row, desk.words[plan.kind if plan.kind not in ("heading", "subtotal") else "month"])
    return draft


def _duel_row(
    desk: Desk, table: Table, row: int, above: int, plan: Row, now: dict[str, float], before: tuple[str, str]
) -> None:
    draft, game, number = desk.draft, plan.game, plan.number
    assert game
    one, two = desk.names
    r, o = before
    goals = game.goals if game.one == one else (game.goals[1], game.goals[0])
    turned = Game(one, two, goals, game.day)
    if "no" in table.columns:
        table.put("no", row, number + 1)
    if "date" in table.columns:
        table.put("date", row, desk.day(game), At("date", number))
    for role, content in zip(desk.result.roles, typed(desk.result.name, goals, one, two, ""), strict=True):
        table.put(role, row, content, At(role, number))
    cells = tuple(table.a(role, row) for role in desk.result.roles)
    text = score(draft, At("score 1", number), desk.result, desk.result_style, cells, ("", ""))
    table.put("score 1", row, f"={text}", At("score 1", number), turned.score)
    e = expected(now[one], now[two], desk.scale)
    text = expectation(draft, At("expected 1", number), desk.curve, r, o, desk.refs["scale"])
    table.put("expected 1", row, f"={text}", At("expected 1", number), e)
    gained = desk.k * (turned.score - e)
    s, x, c = (table.a(role, row) for role in ("score 1", "expected 1", "change 1"))
    text = change(draft, At("change 1", number), desk.change_style, desk.refs["k"], s, x)
    table.put("change 1", row, f"={text}", At("change 1", number), gained)
    now[one], now[two] = now[one] + gained, now[two] - gained
    wrong = {"minus": f"{r}-{c}", "other_before": f"{o}+{c}"}
    if above > table.top + 1:
        older = above - 1
        start = desk.refs["start_0"]
        wrong |= {"from_start": f"{start}+{c}", "row_older": f"{table.a('after 1', older)}+{c}"}
    text = draft.pick(At("after 1", number), f"{r}+{c}", **wrong)
    table.put("after 1", row, f"={text}", At("after 1", number), now[one])
    wrong = {"both_gain": f"{o}+{c}", "half": f"{o}-{c}/2", "other_before": f"{r}-{c}"}
    text = draft.pick(At("after 2", number), f"{o}-{c}", **wrong)
    table.put("after 2", row, f"={text}", At("after 2", number), now[two])
