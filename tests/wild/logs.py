"""Logs with one game a row, by the way in which a rating finds the player's latest one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from .desk import Desk, Row
from .forms import after, change, expectation, score, typed
from .sheets import At, Draft, Slip, Table
from .truth import Game, Rated, one_by_one, whole

Latest = Callable[[str, int, int], str]  # name, first row, last row → formula
PAIR = ("1", "2")
MARGINS = {
    "LN(ABS({a}-{b})+1)": lambda g, lead: __import__("math").log(abs(g.goals[0] - g.goals[1]) + 1),
    "IF(ABS({a}-{b})<=1,1,IF(ABS({a}-{b})=2,1.5,1.75))": lambda g, lead: {0: 1.0, 1: 1.0, 2: 1.5}.get(
        abs(g.goals[0] - g.goals[1]), 1.75
    ),
    "(1+ABS({a}-{b})/10)": lambda g, lead: 1 + abs(g.goals[0] - g.goals[1]) / 10,
}


@dataclass
class Log:
    desk: Desk
    carry: str
    k_rule: str = "one"  # or games: by the number of games so far; or player: each his own, on the list
    rounding: bool = False
    edge: float = 0.0
    margin: str = ""
    winners: bool = False
    season: bool = False

    def write(self) -> Draft:
        desk = self.desk
        desk.offer_games()
        settings = {"k": desk.k, "scale": desk.scale} if self.k_rule == "one" else {"scale": desk.scale}
        if self.edge:
            settings["edge"] = self.edge
        listed = desk.common is None or self.k_rule == "player" or desk.rng.random() < 0.5
        if not listed:
            settings["start"] = desk.common or 0
        top = desk.settings(**settings)
        self.inline = desk.rng.random() < 0.35  # the score stands in the change
        self.own_second = desk.rng.random() < 0.5  # the second side has formulas of its own
        roles = [*(["no"] if desk.numbered else []), *(["date"] if desk.dated else []), "one", "two"]
        if not self.winners:
            roles += desk.result.roles
        roles += ["before 1", "before 2"]
        if not self.inline and not self.winners:
            roles += ["score 1", *(["score 2"] if self.own_second else [])]
        roles += ["expected 1", *(["expected 2"] if self.own_second else [])]
        roles += ["k 1", "k 2"] if self.k_rule != "one" else []
        roles += ["margin"] if self.margin else []
        roles += ["change 1", "change 2", "after 1", "after 2"]
        words = {"one": "Winner", "two": "Loser"} if self.winners else {}
        headers = [words.get(role, desk.header(role)) for role in roles]
        self.table = desk.table(desk.sheet, top, desk.left, roles, headers)
        self.roster: Table | None = None
        if listed or self.carry == "list":
            columns = ["player", "start", *(["k"] if self.k_rule == "player" else []), "rating", "games", "rank"]
            self.roster, self.list_rows = desk.roster(columns, desk.left + len(roles) + 2, top)
        self.own_k = {name: desk.rng.choice((10, 20, 40)) for name in desk.names}
        self.start = desk.start_of(self.roster, desk.sheet)
        self.limit, self.high, self.low = desk.rng.choice((3, 4, 5)), 40, 20
        self.rated, self.last = one_by_one(
            desk.flow(),
            desk.start,
            self._k,
            desk.scale,
            self.edge,
            MARGINS[self.margin] if self.margin else None,
            whole if self.rounding else float,
        )
        self._rows()
        if self.roster:
            self._list(self.roster)
        return desk.draft

    def _k(self, player: str, played: int) -> float:
        if self.k_rule == "games":
            return self.high if played < self.limit else self.low
        return self.own_k[player] if self.k_rule == "player" else self.desk.k

    # --- rows ---

    def _rows(self) -> None:
        desk, table = self.desk, self.table
        row, done = table.top, 0
        self.game_rows: list[int] = []
        for plan in desk.rows:
            row += 1
            if plan.kind == "game" and plan.game:
                rated = self.rated[done]
                done += 1
                self._inputs(row, plan.game, plan.number)
                self._game(row, plan.number, rated)
                if plan.number == desk.odd_game:
                    desk.draft.extra_wrong |= {table.place("one", row), table.place("two", row)}
                self.game_rows.append(row)
            else:
                done += plan.kind == "bonus"
                self._between(row, plan)
        self.bottom = row
        for waiting in range(desk.guards):
            self._game(row + 1 + waiting, len(desk.games) + waiting, None)
            self.bottom += 1

    def _inputs(self, row: int, game: Game, number: int) -> None:
        desk, table = self.desk, self.table
        one, two = (game.two, game.one) if self.winners and game.score == 0 else (game.one, game.two)
        if "no" in table.columns:
            table.put("no", row, number + 1)
        if "date" in table.columns:
            table.put("date", row, desk.day(game), At("date", number))
        table.put("one", row, one, At("name 1", number))
        table.put("two", row, two, At("name 2", number))
        if not self.winners:
            for role, content in zip(
                desk.result.roles, typed(desk.result.name, game.goals, one, two, desk.words["draw"]), strict=True
            ):
                table.put(role, row, content, At(role, number))

    def _between(self, row: int, plan: Row) -> None:
        """A row that is no game: for ratings that are looked up by name it hands the rating through."""
        desk, table = self.desk, self.table
        first = next(iter(table.columns))
        if plan.kind == "heading":
            table.put(first, row, desk.words["month"] + f" {plan.number + 1}")
        elif plan.kind == "subtotal":
            table.put(first, row, desk.words["total"])
            table.put("change 1", row, "=COUNT(" + table.col("change 1", table.top + 1, row - 1, "") + ")")
        elif plan.kind in ("bye", "friendly", "bonus"):
            table.put("one", row, plan.player)
            through = self.carry != "sums" or plan.kind == "bonus"
            sides = PAIR[:1]
            if plan.kind == "friendly" and plan.game:
                table.put("two", row, plan.game.two)
                if not self.winners:
                    goals = typed(desk.result.name, plan.game.goals, plan.player, plan.game.two, desk.words["draw"])
                    for role, content in zip(desk.result.roles, goals, strict=True):
                        table.put(role, row, content)
                sides = PAIR
            elif plan.kind == "bye":
                table.put("two", row, desk.words["bye"])
            else:
                table.put("change 1", row, plan.points)
            if through:
                for side in sides:
                    text, array, _ = self._before_text(row, side)
                    table.put(f"before {side}", row, f"={text}", array=array)
                    before, gained = table.a(f"before {side}", row), table.a(f"change {side}", row)
                    table.put(f"after {side}", row, f"={before}+{gained}" if plan.kind == "bonus" else f"={before}")

    def _game(self, row: int, number: int, rated: Rated | None) -> None:
        desk, draft, table = self.desk, self.desk.draft, self.table
        filled = table.a("one", row)
        guarded = bool(desk.guards)

        def cell(role: str, text: str, truth: float | None, array: bool = False) -> None:
            table.put(role, row, desk.shown(text, filled, guarded), At(role, number), truth, array)

        def value(name: str, side: int) -> float | None:
            if rated is None:
                return None
            turned = self.winners and rated.game.score == 0
            return getattr(rated, name)[side ^ turned]

        for side, mark in enumerate(PAIR):
            text, array, wrong = self._before_text(row, mark)
            text = draft.pick(At(f"before {mark}", number), text, **wrong)
            cell(f"before {mark}", text, value("before", side), array)
        r1, r2 = table.a("before 1", row), table.a("before 2", row)
        scale = desk.refs["scale"]
        points = self._scores(row, number, rated, cell)
        edge = f"+{desk.refs['edge']}" if self.edge else ""
        e1 = expectation(draft, At("expected 1", number), desk.curve, r1, r2, scale, edge)
        cell("expected 1", e1, value("expected", 0))
        exp1 = table.a("expected 1", row)
        exp2 = f"(1-{exp1})"
        if self.own_second:
            if edge or desk.curve % 2:
                text = draft.pick(
                    At("expected 2", number), f"1-{exp1}", same=exp1, even="0.5", minus=f"{exp1}-1", half=f"0.5-{exp1}"
                )
            else:
                text = expectation(draft, At("expected 2", number), desk.curve, r2, r1, scale)
            cell("expected 2", text, value("expected", 1))
            exp2 = table.a("expected 2", row)
        k1 = k2 = desk.refs.get("k", "")
        if self.k_rule != "one":
            for side, mark in enumerate(PAIR):
                cell(f"k {mark}", self._k_text(row, mark, number), value("k", side))
            k1, k2 = table.a("k 1", row), table.a("k 2", row)
        factor = ""
        if self.margin:
            a, b = (table.a(role, row) for role in desk.result.roles)
            right = self.margin.format(a=a, b=b)
            wrong = {"one": "1", "sum": right.replace(f"{a}-{b}", f"{a}+{b}"), "squared": f"({right})^2"}
            cell("margin", draft.pick(At("margin", number), right, **wrong), rated and rated.extra["margin"])
            factor = "*" + table.a("margin", row)
        up = change(draft, At("change 1", number), desk.change_style, k1, points[0], exp1, exp2, factor)
        cell("change 1", f"ROUND({up},0)" if self.rounding else up, value("change", 0))
        c1, c2 = table.a("change 1", row), table.a("change 2", row)
        if not self.own_second and self.k_rule == "one":
            down = draft.pick(
                At("change 2", number), f"-{c1}", both_gain=c1, half=f"-{c1}/2", none="0", twice=f"-2*{c1}"
            )
        else:
            down = change(draft, At("change 2", number), desk.change_style, k2, points[1], exp2, exp1, factor)
            down = f"ROUND({down},0)" if self.rounding else down
        cell("change 2", down, value("change", 1))
        cell("after 1", after(draft, At("after 1", number), r1, c1, r2, c2), value("after", 0))
        cell("after 2", after(draft, At("after 2", number), r2, c2, r1, c1), value("after", 1))

    def _scores(self, row: int, number: int, rated: Rated | None, cell: Callable[..., None]) -> tuple[str, str]:
        """Write the scores, if they have columns; return how a formula reads them."""
        desk, draft, table = self.desk, self.desk.draft, self.table
        if self.winners:
            return (
                draft.pick(At("score 1", number), "1", win_2="2", half="0.5"),
                draft.pick(At("score 2", number), "0", gains="1", minus="-1", half="0.5"),
            )
        cells = tuple(table.a(role, row) for role in desk.result.roles)
        names = table.a("one", row), table.a("two", row)
        one = score(draft, At("score 1", number), desk.result, desk.result_style, cells, names)
        if self.inline:
            return f"({one})", f"(1-({one}))"
        truth = rated.game.score if rated else None
        cell("score 1", one, truth)
        s1 = table.a("score 1", row)
        if not self.own_second:
            return s1, f"(1-{s1})"
        two = draft.pick(At("score 2", number), f"1-{s1}", same=s1, minus=f"-{s1}", none="0", half=f"0.5-{s1}/2")
        cell("score 2", two, None if truth is None else 1 - truth)
        return s1, table.a("score 2", row)

    def _k_text(self, row: int, side: str, number: int) -> str:
        desk, table = self.desk, self.table
        name = table.a("one" if side == "1" else "two", row)
        at = At(f"k {side}", number)
        if self.k_rule == "player" and self.roster:
            last = self.roster.top + len(desk.names)
            names = self.roster.col("player", self.roster.top + 1, last, "both", desk.sheet)
            ks = self.roster.col("k", self.roster.top + 1, last, "both", desk.sheet)
            other = table.a("two" if side == "1" else "one", row)
            right = f"INDEX({ks},MATCH({name},{names},0))"
            return desk.draft.pick(at, right, typed="32", opponent=f"INDEX({ks},MATCH({other},{names},0))")

        def count(first: int, last: int) -> str:
            one, two = table.col("one", first, last), table.col("two", first, last)
            return f"COUNTIF({one},{name})+COUNTIF({two},{name})"

        def form(counted: str, high: float, low: float) -> str:
            return f"IF({counted}<{self.limit},{high},{low})"

        right = count(table.top, row - 1)
        return desk.draft.pick(
            at,
            form(right, self.high, self.low),
            exchanged=form(right, self.low, self.high),
            one_side=form(f"COUNTIF({table.col('one', table.top, row - 1)},{name})", self.high, self.low),
            own_row=form(count(table.top, row), self.high, self.low),
            late=form(count(min(table.top + 5, row - 1), row - 1), self.high, self.low),
            typed="20",
        )

    # --- the latest rating ---

    def _before_text(self, row: int, side: str) -> tuple[str, bool, dict[str, str]]:
        """Return the right formula, whether it is an array formula, and wrong ones."""
        table = self.table
        name, other = table.a("one", row), table.a("two", row)
        if side == "2":
            name, other = other, name
        first, last = table.top, row - 1
        latest, array = self.latest()
        start = self.start(name)
        wrong = {
            "from_list": start,
            "short": latest(name, first, max(first, last - 1)),
            "opponent": latest(other, first, last),
            "late_range": latest(name, min(first + 5, last), last),
        }
        if self.carry == "sums":
            wrong["one_side"] = (
                f"{start}+SUMIF({table.col('one', first, last)},{name},{table.col('change 1', first, last)})"
            )
        return latest(name, first, last), array, wrong

    def latest(self, seen_from: str = "", lock: str = "first") -> tuple[Latest, bool]:
        """Return how the latest rating of a name is found in the rows of a stretch, and whether in an array formula."""
        table, start = self.table, self.start
        here = seen_from or table.sheet

        def col(role: str, first: int, last: int) -> str:
            return table.col(role, first, last, lock, here)

        def sums(name: str, first: int, last: int) -> str:
            parts = [start(name)]
            for names, changes in (("one", "change 1"), ("two", "change 2")):
                parts.append(self._sum(col(names, first, last), name, col(changes, first, last)))
            return "+".join(parts)

        def both(name: str, first: int, last: int, place: Callable[[str], str], base: int) -> str:
            ones, twos = place(col("one", first, last)), place(col("two", first, last))
            after1, after2 = col("after 1", base or first, last), col("after 2", base or first, last)
            return f"IF({ones}+{twos}=0,{start(name)},IF({ones}>{twos},INDEX({after1},{ones}),INDEX({after2},{twos})))"

        def maxif(name: str, first: int, last: int) -> str:
            return both(name, first, last, lambda names: f"MAX(IF({names}={name},ROW({names})))", 1)

        def index_match(name: str, first: int, last: int) -> str:
            return both(name, first, last, lambda names: f"IFERROR(MATCH(2,1/({names}={name})),0)", 0)

        def sumproduct(name: str, first: int, last: int) -> str:
            return both(name, first, last, lambda names: f"SUMPRODUCT(MAX(({names}={name})*ROW({names})))", 1)

        def let(name: str, first: int, last: int) -> str:
            ones, twos = col("one", first, last), col("two", first, last)
            return (
                f"_xlfn.LET(_xlpm.n,{name},_xlpm.a,IFERROR(_xlfn.XMATCH(_xlpm.n,{ones},0,-1),0),"
                f"_xlpm.b,IFERROR(_xlfn.XMATCH(_xlpm.n,{twos},0,-1),0),IF(_xlpm.a+_xlpm.b=0,{start('_xlpm.n')},"
                f"IF(_xlpm.a>_xlpm.b,INDEX({col('after 1', first, last)},_xlpm.a),"
                f"INDEX({col('after 2', first, last)},_xlpm.b))))"
            )

        forms: dict[str, tuple[Latest, bool]] = {
            "sums": (sums, False),
            "maxif": (maxif, True),
            "index_match": (index_match, True),
            "sumproduct": (sumproduct, False),
            "let": (let, False),
        }
        return forms[self.carry]

    def _sum(self, names: str, name: str, changes: str) -> str:
        if self.desk.curve % 3 == 0:
            return f"SUMIF({names},{name},{changes})"
        if self.desk.curve % 3 == 1:
            return f"SUMIFS({changes},{names},{name})"
        return f"SUMIF({names},{name},{changes})"

    def _list(self, roster: Table) -> None:
        desk, table = self.desk, self.table
        first, last = roster.top + 1, roster.top + len(desk.names)
        latest, array = self.latest(roster.sheet, "both")
        here = self.start
        order = sorted(self.last.values(), reverse=True)
        played = {name: sum(name in (game.one, game.two) for game in desk.games) for name in desk.names}
        for number, name in enumerate(desk.names):
            row = self.list_rows[name]
            if self.k_rule == "player":
                roster.put("k", row, self.own_k[name], At("listed k", number))
            cell = roster.a("player", row)
            own = roster.a("start", row)
            self.start = lambda _, own=own: own
            text = desk.draft.pick(
                At("rating", number),
                latest(cell, table.top, self.bottom),
                short=latest(cell, table.top, self.game_rows[-3]),
                late_range=latest(cell, self.game_rows[3], self.bottom),
                start=roster.a("start", row),
            )
            roster.put("rating", row, f"={text}", At("rating", number), self.last[name], array)
            one = table.col("one", table.top, self.bottom, "both", roster.sheet)
            two = table.col("two", table.top, self.bottom, "both", roster.sheet)
            if not any(plan.kind in ("bye", "friendly", "bonus") for plan in desk.rows):
                roster.put(
                    "games", row, f"=COUNTIF({one},{cell})+COUNTIF({two},{cell})", At("games", number), played[name]
                )
            ratings = roster.col("rating", first, last, "both")
            roster.put(
                "rank",
                row,
                f"=RANK({roster.a('rating', row)},{ratings})",
                At("rank", number),
                1 + order.index(self.last[name]) if not self.rounding else None,
            )
        self.start = here


def log_by(carry: str, **options: object) -> Callable[[Random, Slip | None], Draft]:
    """Return a layout: a log whose ratings are found in one way; `options` of the desk begin with `desk_`."""

    def layout(rng: Random, slip: Slip | None) -> Draft:
        drawn = {name[5:]: value for name, value in options.items() if name.startswith("desk_")}
        fixed = {name: value for name, value in options.items() if not name.startswith("desk_")}
        desk = Desk(rng, slip, **drawn)  # type: ignore[arg-type]
        if "edge" in fixed:
            fixed["edge"] = float(rng.choice((35, 50, 60, 65, 100)))
        if "margin" in fixed:
            fixed["margin"] = rng.choice(sorted(MARGINS))
        return Log(desk, carry, **fixed).write()  # type: ignore[arg-type]

    return layout
