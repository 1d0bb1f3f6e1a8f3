"""Books that rate a week or a month at a time: lists of ratings, and sums over the games of a period."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from .desk import Desk, Row
from .forms import change, expectation, score, typed
from .sheets import At, Draft, Slip, Table
from .truth import FIDE_TABLE, Game, Q, Rated, by_periods, expected, fide_expected, glicko, whole


def cut(games: list[Game], rng: Random, count: int) -> list[list[Game]]:
    """Cut the games into periods of unequal length, none of them empty."""
    places = sorted(rng.sample(range(2, len(games) - 1), count - 1))
    return [games[a:b] for a, b in zip([0, *places], [*places, len(games)], strict=True)]


@dataclass
class Months:
    """A log in which each game has its month's number, and a list of players with a column for each month.

    `how` is months (sums by SUMIFS), blocks (a month is a stretch of rows), weekly (SUMPRODUCT), or fide.
    """

    desk: Desk
    how: str

    def write(self) -> Draft:
        desk, rng = self.desk, self.desk.rng
        self.periods = cut(desk.games, rng, rng.choice((3, 4)))
        fide = self.how == "fide"
        k = float(desk.k)
        chance = fide_expected if fide else lambda a, b: expected(a, b, desk.scale)
        self.rated, self.lists = by_periods(self.periods, desk.start, k, chance, whole if fide else float)
        top = desk.settings(**({"k": desk.k} if fide else {"k": desk.k, "scale": desk.scale}))
        if fide:
            self._fide_table()
        roles = [*(["date"] if desk.dated else []), "period", "one", "two", *desk.result.roles]
        roles += ["before 1", "before 2", "score 1", *(["gap"] if fide else []), "expected 1", "change 1"]
        self.second, self.wide = rng.random() < 0.5, rng.random() < 0.5
        roles += ["expected 2", "change 2"] if self.second else []
        headers = [desk.header(role) for role in roles]
        headers[roles.index("period")] = desk.words["week" if self.how == "weekly" else "month"]
        self.table = desk.table(desk.sheet, top, desk.left, roles, headers)
        marks = [f"month {number}" for number in range(len(self.periods) + 1)]
        self.roster, self.rows = desk.roster(["player", *marks], desk.left + len(roles) + 2, top)
        for number, mark in enumerate(marks):
            title = number or desk.words["start"]
            desk.draft.put(self.roster.place(mark, self.roster.top), title)
        self._log()
        self._list(marks)
        return desk.draft

    def _fide_table(self) -> None:
        desk, sheet = self.desk, "FIDE"
        self.steps = desk.table(sheet, 1, 1, ["gap", "chance"], ["D", "PD"])
        for number, (first, chance) in enumerate(FIDE_TABLE):
            self.steps.put("gap", 2 + number, first)
            self.steps.put("chance", 2 + number, chance)
        self.area = self.steps.area("gap", "chance", 2, 1 + len(FIDE_TABLE), desk.sheet)

    def _log(self) -> None:
        desk, table = self.desk, self.table
        row, done = table.top, 0
        self.blocks: list[tuple[int, int]] = []
        plans = {plan.number: [] for plan in desk.rows}  # type: ignore[var-annotated]
        waiting: list[Row] = []
        for plan in desk.rows:
            if plan.kind == "game":
                plans[plan.number] = waiting
                waiting = []
            else:
                waiting.append(plan)
        for period, games in enumerate(self.periods):
            if self.how == "blocks":
                row += 1
                table.put(next(iter(table.columns)), row, f"{desk.words['month']} {period + 1}")
            first = row + 1
            for game in games:
                for plan in plans.get(done, []):
                    row += 1
                    self._between(row, plan)
                row += 1
                self._game(row, done, period, game, self.rated[done])
                done += 1
            self.blocks.append((first, row))
        self.bottom = row

    def _between(self, row: int, plan: Row) -> None:
        desk, table = self.desk, self.table
        if plan.kind in ("heading", "subtotal"):
            table.put("one", row, desk.words["week" if plan.kind == "heading" else "total"])
        elif plan.kind in ("bye", "friendly"):
            table.put("one", row, plan.player)
            table.put("two", row, plan.game.two if plan.game else desk.words["bye"])

    def _rating(self, name: str, row: int, period: int) -> tuple[str, dict[str, str]]:
        """Return how a game finds the rating at the start of its period, and wrong ways."""
        desk, table, seen = self.desk, self.table, self.desk.sheet
        first, last = self.roster.top + 1, self.roster.top + len(desk.names)
        names = self.roster.col("player", first, last, "both", seen)

        def listed(month: int) -> str:
            column = self.roster.col(f"month {month}", first, last, "both", seen)
            if self.wide:
                area = self.roster.area("player", f"month {month}", first, last, seen)
                return f"VLOOKUP({name},{area},{month + 2},FALSE)"
            return f"INDEX({column},MATCH({name},{names},0))"

        if self.how in ("blocks", "fide"):
            wrong = {"from_start": listed(0)} if period else {}
            return listed(period), wrong | ({"a_month_early": listed(period - 1)} if period > 1 else {})

        def running(first: int, last: int, when: str) -> str:
            return f"{listed(0)}+{self._total(name, first, last, when, table.sheet)}"

        month = table.a("period", row)
        return running(table.top, row - 1, f'"<"&{month}'), {
            "from_list": listed(0),
            "same_month_too": running(table.top, row - 1, f'"<="&{month}'),
            "a_month_late": running(table.top, row - 1, f'"<"&{month}-1'),
            "late_range": running(min(table.top + 4, row - 1), row - 1, f'"<"&{month}'),
        }

    def _total(self, name: str, first: int, last: int, when: str, seen: str, sign: str = "") -> str:
        """Return the sum of a player's changes in rows of the log; `when` is a criterion of the period, or empty."""

        def col(role: str) -> str:
            return self.table.col(role, first, last, "both" if seen != self.table.sheet else "first", seen)

        one, two, gained = col("one"), col("two"), col("change 1")
        lost = col("change 2") if self.second else gained
        minus = sign or ("+" if self.second else "-")
        if self.how == "weekly" and when:
            compared = when.replace('"', "").replace("&", "")
            test = f"({col('period')}{compared})" if compared[0] in "<>" else f"({col('period')}={compared})"
            return f"SUMPRODUCT({test}*({one}={name}),{gained}){minus}SUMPRODUCT({test}*({two}={name}),{lost})"
        if when:
            test = f"{col('period')},{when}"
            return f"SUMIFS({gained},{one},{name},{test}){minus}SUMIFS({lost},{two},{name},{test})"
        return f"SUMIF({one},{name},{gained}){minus}SUMIF({two},{name},{lost})"

    def _game(self, row: int, number: int, period: int, game: Game, rated: Rated) -> None:
        desk, draft, table = self.desk, self.desk.draft, self.table
        if "date" in table.columns:
            table.put("date", row, desk.day(game), At("date", number))
        table.put("period", row, period + 1, At("period", number))
        table.put("one", row, game.one, At("name 1", number))
        table.put("two", row, game.two, At("name 2", number))
        contents = typed(desk.result.name, game.goals, game.one, game.two, desk.words["draw"])
        for role, content in zip(desk.result.roles, contents, strict=True):
            table.put(role, row, content, At(role, number))
        names = table.a("one", row), table.a("two", row)
        for side, mark in enumerate("12"):
            at = At(f"before {mark}", number)
            right, wrong = self._rating(names[side], row, period)
            other = self._rating(names[1 - side], row, period)[0]
            text = draft.pick(at, right, opponent=other, **wrong)
            table.put(at.role, row, f"={text}", at, rated.before[side])
        cells = tuple(table.a(role, row) for role in desk.result.roles)
        at = At("score 1", number)
        table.put("score 1", row, "=" + score(draft, at, desk.result, desk.result_style, cells, names), at, game.score)
        r, o, s, k = table.a("before 1", row), table.a("before 2", row), table.a("score 1", row), desk.refs["k"]
        at = At("expected 1", number)
        if self.how == "fide":
            self._fide(row, number, rated)
        else:
            text = expectation(draft, at, desk.curve, r, o, desk.refs["scale"])
            table.put("expected 1", row, f"={text}", at, rated.expected[0])
        x, at = table.a("expected 1", row), At("change 1", number)
        table.put("change 1", row, "=" + change(draft, at, desk.change_style, k, s, x), at, rated.change[0])
        if self.second:
            at = At("expected 2", number)
            text = draft.pick(at, f"1-{x}", same=x, half="0.5", minus=f"{x}-1")
            table.put("expected 2", row, f"={text}", at, rated.expected[1])
            y, at = table.a("expected 2", row), At("change 2", number)
            text = change(draft, at, desk.change_style, k, f"(1-{s})", y, x)
            table.put("change 2", row, f"={text}", at, rated.change[1])

    def _fide(self, row: int, number: int, rated: Rated) -> None:
        draft, table = self.desk.draft, self.table
        r, o, gap = table.a("before 1", row), table.a("before 2", row), table.a("gap", row)
        at = At("gap", number)
        right = f"MAX(-400,MIN(400,{r}-{o}))"
        wrong = {"swapped": f"MAX(-400,MIN(400,{o}-{r}))", "absolute": f"MIN(400,ABS({r}-{o}))"}
        text = draft.pick(at, right, one_side=f"MIN(400,{r}-{o})", cap_40=f"MAX(-40,MIN(40,{r}-{o}))", **wrong)
        table.put("gap", row, f"={text}", at, max(-400.0, min(400.0, rated.before[0] - rated.before[1])))
        at = At("expected 1", number)
        found = f"VLOOKUP(ABS({gap}),{self.area},2,TRUE)"
        text = draft.pick(
            at,
            f"IF({gap}>=0,{found},1-{found})",
            turned=f"IF({gap}>=0,1-{found},{found})",
            only_upper=found,
            signed=f"IFERROR(VLOOKUP({gap},{self.area},2,TRUE),0.5)",
            first_column=f"IF({gap}>=0,{found.replace(',2,', ',1,')},1-{found})",
            exact=f"IFERROR({found.replace('TRUE', 'FALSE')},0.5)",
        )
        table.put("expected 1", row, f"={text}", at, rated.expected[0])

    def _list(self, marks: list[str]) -> None:
        desk, roster = self.desk, self.roster
        for number, name in enumerate(desk.names):
            row = self.rows[name]
            roster.put(marks[0], row, desk.start[name], At("start", number))
            for period in range(len(self.periods)):
                at = At(f"month {period + 1}", number)
                old = roster.a(marks[period], row)
                text, wrong = self._sum(roster.a("player", row, "c"), period)
                wrong |= {"minus": f"{old}-({text})", "from_start": f"{roster.a(marks[0], row)}+{text}"}
                wrong = {
                    kind: some if kind in ("minus", "from_start") else f"{old}+{some}" for kind, some in wrong.items()
                }
                if period < 1:
                    del wrong["from_start"]
                text = f"{old}+{text}"
                if self.how == "fide":
                    text, wrong = f"ROUND({text},0)", {kind: f"ROUND({some},0)" for kind, some in wrong.items()}
                text = desk.draft.pick(at, text, **wrong)
                roster.put(at.role, row, f"={text}", at, self.lists[period + 1][name])

    def _sum(self, name: str, period: int) -> tuple[str, dict[str, str]]:
        """Return the sum of a player's changes in a period, and wrong sums."""
        seen, sign = self.roster.sheet, "-" if self.second else "+"
        first, last = self.table.top + 1, self.bottom
        heading = self.roster.a(f"month {period + 1}", self.roster.top, "r")
        if self.how in ("blocks", "fide"):
            (first, last), heading = self.blocks[period], ""
        right = self._total(name, first, last, heading, seen)
        function = right.split("(")[0]
        wrong = {
            "same_sign": self._total(name, first, last, heading, seen, sign),
            "one_side": right.split(("+" if self.second else "-") + function)[0],
            "short": self._total(name, first, max(first, last - 2), heading, seen),
            "late": self._total(name, min(first + 2, last), last, heading, seen),
        }
        if heading:
            wrong["a_month_late"] = self._total(name, first, last, f"{heading}+1", seen)
        return right, wrong


def months(how: str, **options: object) -> Callable[[Random, Slip | None], Draft]:
    def layout(rng: Random, slip: Slip | None) -> Draft:
        between = ("blank", "heading", "subtotal", "bye", "friendly")
        desk = Desk(rng, slip, between=between, **{"games": (16, 26), "guards": 0, **options})  # type: ignore[arg-type]
        desk.k_cell = desk.k_cell or how == "fide"
        return Months(desk, how).write()

    return layout


def month_sheets(rng: Random, slip: Slip | None) -> Draft:
    """A sheet for each month: the list with old and new ratings, below it the month's games."""
    desk = Desk(rng, slip, between=("blank", "bye", "friendly"), games=(14, 22), guards=0, titles=False)
    desk.settings_apart, desk.k_cell, desk.scale_cell = True, True, rng.random() < 0.5
    desk.sheet = f"{desk.words['month']} 1"
    desk.settings_sheet = desk.words["settings"]
    desk.settings(k=desk.k, scale=desk.scale)
    draft = desk.draft
    periods = cut(desk.games, rng, rng.choice((3, 4)))
    rated, lists = by_periods(periods, desk.start, desk.k, lambda a, b: expected(a, b, desk.scale))
    before: Table | None = None
    done, count = 0, len(desk.names)
    linked = rng.random() < 0.5
    top = rng.choice((1, 3))
    for period, games in enumerate(periods):
        sheet = f"{desk.words['month']} {period + 1}"
        names = desk.table(
            sheet,
            top,
            1,
            ["player", "old", "sum", "new"],
            [*(desk.words[w] for w in ("player", "start", "total", "rating"))],
        )
        first, last = top + 1, top + count
        roles = ["one", "two", *desk.result.roles, "before 1", "before 2", "score 1", "expected 1", "change 1"]
        table = desk.table(sheet, last + 2, 1, roles)
        bottom = last + 2 + len(games)
        for offset, game in enumerate(games):
            _month_game(desk, table, names, last + 3 + offset, done, game, rated[done])
            done += 1
        for number, name in enumerate(desk.names):
            row, at = first + number, number + period * count
            names.put("player", row, name, At("listed", at))
            if before is None:
                names.put("old", row, desk.start[name], At("start", number))
            else:
                n = names.a("player", row)
                right = before.a("new", row, "", sheet)
                width = before.area("player", "new", first, last, sheet)
                right = right if linked else f"VLOOKUP({n},{width},4,FALSE)"
                wrong = before.a("old", row, "", sheet) if linked else f"VLOOKUP({n},{width},2,FALSE)"
                slid = before.a("new", max(first, row - 1), "", sheet)
                text = draft.pick(At("old", at), right, older=wrong, row_above=slid)
                names.put("old", row, f"={text}", At("old", at), lists[period][name])
            one, two, gained = (table.col(r, last + 3, bottom, "both") for r in ("one", "two", "change 1"))
            n, old = names.a("player", row), names.a("old", row)
            both = f"SUMIF({one},{n},{gained})-SUMIF({two},{n},{gained})"
            text = draft.pick(
                At("sum", at),
                both,
                same_sign=both.replace("-SUMIF", "+SUMIF"),
                one_side=both.split("-SUMIF")[0],
                short=both.replace(str(bottom), str(bottom - 1)),
            )
            names.put("sum", row, f"={text}", At("sum", at), lists[period + 1][name] - lists[period][name])
            s = names.a("sum", row)
            text = draft.pick(At("new", at), f"{old}+{s}", minus=f"{old}-{s}", unchanged=old, twice=f"{old}+2*{s}")
            names.put("new", row, f"={text}", At("new", at), lists[period + 1][name])
        before = names
    return draft


def _month_game(desk: Desk, table: Table, names: Table, row: int, number: int, game: Game, rated: Rated) -> None:
    draft, first, last = desk.draft, names.top + 1, names.top + len(desk.names)
    table.put("one", row, game.one, At("name 1", number))
    table.put("two", row, game.two, At("name 2", number))
    contents = typed(desk.result.name, game.goals, game.one, game.two, desk.words["draw"])
    for role, content in zip(desk.result.roles, contents, strict=True):
        table.put(role, row, content, At(role, number))
    who = table.a("one", row), table.a("two", row)
    listed, old = (names.col(role, first, last, "both") for role in ("player", "old"))
    for side, mark in enumerate("12"):
        at = At(f"before {mark}", number)

        def look(name: str, column: str) -> str:
            return f"INDEX({column},MATCH({name},{listed},0))"

        text = draft.pick(at, look(who[side], old), opponent=look(who[1 - side], old))
        table.put(at.role, row, f"={text}", at, rated.before[side])
    cells = tuple(table.a(role, row) for role in desk.result.roles)
    at = At("score 1", number)
    table.put("score 1", row, "=" + score(draft, at, desk.result, desk.result_style, cells, who), at, game.score)
    at = At("expected 1", number)
    text = expectation(draft, at, desk.curve, table.a("before 1", row), table.a("before 2", row), desk.refs["scale"])
    table.put("expected 1", row, f"={text}", at, rated.expected[0])
    at, s, x = At("change 1", number), table.a("score 1", row), table.a("expected 1", row)
    table.put("change 1", row, "=" + change(draft, at, desk.change_style, desk.refs["k"], s, x), at, rated.change[0])


def glicko_1(rng: Random, slip: Slip | None) -> Draft:
    """Glicko by Glickman's paper: two rows a game, and a list of rating and RD for each period."""
    desk = Desk(rng, slip, between=("blank", "heading"), games=(9, 14), guards=0, players=(4, 4), scale=400)
    draft = desk.draft
    periods = cut(desk.games, rng, 3)
    c = float(rng.choice((15, 30, 63)))
    start = {name: (float(desk.start[name]), float(rng.choice((350, 200, 120, 60)))) for name in desk.names}
    lines, lists = glicko(periods, start, c)
    desk.k_cell = True
    top = desk.settings(c=c, q=0.0)
    q_place = next(place for place, cell in draft.cells() if cell.at and cell.at.role == "setting q")
    draft.put(q_place, "=LN(10)/400", None, Q)
    q, grown = desk.refs["q"], desk.refs["c"]
    lookups = ["before 1", "rd 1", "before 2", "rd 2"]
    roles = ["period", "one", "two", *desk.result.roles, *lookups, "g", "expected 1", "score 1", "v", "delta"]
    labels = {
        "rd 1": "RD",
        "rd 2": "RD 2",
        "g": "g(RD)",
        "v": "g²E(1-E)",
        "delta": "g(s-E)",
        "period": desk.words["month"],
    }
    table = desk.table(desk.sheet, top, desk.left, roles, [labels.get(role, desk.header(role)) for role in roles])
    columns = ["period", "player", "r", "rd", "v", "d", "r'", "rd'"]
    titles = [desk.words["month"], desk.words["player"], "r", "RD", "1/d²", "Σg(s-E)", "r'", "RD'"]
    sheet = desk.words["list"] if desk.list_apart else desk.sheet
    listed = desk.table(
        sheet, 1 if desk.list_apart else top, 1 if desk.list_apart else desk.left + len(roles) + 1, columns, titles
    )
    count = len(desk.names)
    row, number, game_number = top, 0, 0
    spans: list[tuple[int, int]] = []
    for period, games in enumerate(periods):
        if period and rng.random() < 0.5:
            row += 1
        spans.append((row + 1, row + 2 * len(games)))
        for game in games:
            for side in (0, 1):
                row += 1
                place = _Line(row, number, period, side)
                _glicko_line(desk, table, listed, place, game, lines[game_number][side], count)
                number += 1
            game_number += 1
    for period, rows in enumerate(spans):
        for index, name in enumerate(desk.names):
            facts = lists[period][name]
            _glicko_player(desk, table, listed, (period, index, rows), name, start[name], facts, q, grown)
    return draft


@dataclass
class _Line:
    row: int
    number: int
    period: int
    side: int


def _glicko_line(desk: Desk, table: Table, listed: Table, line: _Line, game: Game, fact: object, count: int) -> None:
    draft, row, number = desk.draft, line.row, line.number
    me, you = (game.one, game.two) if line.side == 0 else (game.two, game.one)
    goals = game.goals if line.side == 0 else game.goals[::-1]
    table.put("period", row, line.period + 1, At("period", number))
    table.put("one", row, me, At("name 1", number))
    table.put("two", row, you, At("name 2", number))
    for role, content in zip(
        desk.result.roles, typed(desk.result.name, goals, me, you, desk.words["draw"]), strict=True
    ):
        table.put(role, row, content, At(role, number))
    first = listed.top + 1 + line.period * count
    names = listed.col("player", first, first + count - 1, "both", table.sheet)
    cell = {role: table.a(role, row) for role in table.columns}
    values = {"before 1": fact.own[0], "rd 1": fact.own[1], "before 2": fact.other[0], "rd 2": fact.other[1]}  # type: ignore[attr-defined]
    for role, truth in values.items():
        mine, column = cell["one" if role.endswith("1") else "two"], "r" if role.startswith("before") else "rd"
        other = cell["two" if role.endswith("1") else "one"]
        area = listed.col(column, first, first + count - 1, "both", table.sheet)
        at = At(role, number)
        text = draft.pick(
            at, f"INDEX({area},MATCH({mine},{names},0))", opponent=f"INDEX({area},MATCH({other},{names},0))"
        )
        table.put(role, row, f"={text}", at, truth)
    q, r, o, rd = desk.refs["q"], cell["before 1"], cell["before 2"], cell["rd 2"]
    g, e, s = cell["g"], cell["expected 1"], cell["score 1"]
    names_here = cell["one"], cell["two"]
    cells = tuple(cell[role] for role in desk.result.roles)
    forms: dict[str, tuple[str, float, dict[str, str]]] = {
        "g": (
            f"1/SQRT(1+3*{q}^2*{rd}^2/PI()^2)",
            fact.g,  # type: ignore[attr-defined]
            {
                "own_rd": f"1/SQRT(1+3*{q}^2*{cell['rd 1']}^2/PI()^2)",
                "no_square": f"1/SQRT(1+3*{q}^2*{rd}/PI()^2)",
                "no_root": f"1/(1+3*{q}^2*{rd}^2/PI()^2)",
                "no_three": f"1/SQRT(1+{q}^2*{rd}^2/PI()^2)",
                "one": "1",
            },
        ),
        "expected 1": (
            f"1/(1+10^(-{g}*({r}-{o})/400))",
            fact.expected,  # type: ignore[attr-defined]
            {
                "swapped": f"1/(1+10^(-{g}*({o}-{r})/400))",
                "no_g": f"1/(1+10^(-({r}-{o})/400))",
                "scale_40": f"1/(1+10^(-{g}*({r}-{o})/40))",
                "even": "0.5",
            },
        ),
        "v": (
            f"{g}^2*{e}*(1-{e})",
            fact.g**2 * fact.expected * (1 - fact.expected),  # type: ignore[attr-defined]
            {"no_square": f"{g}*{e}*(1-{e})", "no_rest": f"{g}^2*{e}", "plus": f"{g}^2*{e}*(1+{e})"},
        ),
        "delta": (
            f"{g}*({s}-{e})",
            fact.g * (fact.score - fact.expected),  # type: ignore[attr-defined]
            {
                "reversed": f"{g}*({e}-{s})",
                "no_g": f"({s}-{e})",
                "minus_half": f"{g}*({s}-{e}-0.5)",
                "plus": f"{g}*({s}+{e})",
            },
        ),
    }
    at = At("score 1", number)
    text = score(draft, at, desk.result, desk.result_style, cells, names_here)
    table.put("score 1", row, f"={text}", at, fact.score)  # type: ignore[attr-defined]
    for role, (right, truth, wrong) in forms.items():
        at = At(role, number)
        table.put(role, row, "=" + draft.pick(at, right, **wrong), at, truth)


def _glicko_player(
    desk: Desk,
    table: Table,
    listed: Table,
    where: tuple[int, int, tuple[int, int]],
    name: str,
    start: tuple[float, float],
    facts: tuple[float, float, float, float],
    q: str,
    grown: str,
) -> None:
    draft, (period, index, (first, bottom)) = desk.draft, where
    count = len(desk.names)
    row = listed.top + 1 + period * count + index
    at_list = listed.sheet
    if desk.settings_sheet != at_list and "!" not in q:
        q, grown = f"{desk.settings_sheet}!{q}", f"{desk.settings_sheet}!{grown}"
    number = period * count + index
    listed.put("period", row, period + 1)
    listed.put("player", row, name, At("listed", number))
    a = {role: listed.a(role, row) for role in listed.columns}
    older = {role: listed.a(role, row - count) for role in listed.columns}
    r, rd, new_r, new_rd = facts
    old_rd = str(start[1]) if not period else older["rd'"]
    if not period:
        listed.put("r", row, start[0], At("start", index))
    else:
        text = draft.pick(At("r", number), older["r'"], not_new=older["r"])
        listed.put("r", row, f"={text}", At("r", number), r)
    text = draft.pick(
        At("rd", number),
        f"MIN(350,SQRT({old_rd}^2+{grown}^2))",
        no_root=f"MIN(350,{old_rd}^2+{grown}^2)",
        no_square=f"MIN(350,SQRT({old_rd}^2+{grown}))",
        not_grown=f"MIN(350,{old_rd})",
        no_limit=f"MAX(350,SQRT({old_rd}^2+{grown}^2))",
    )
    listed.put("rd", row, f"={text}", At("rd", number), rd)
    names = table.col("one", first, bottom, "both", at_list)
    for role, source in (("v", "v"), ("d", "delta")):
        area = table.col(source, first, bottom, "both", at_list)
        right = f"SUMIF({names},{a['player']},{area})"
        short = right.replace(f"${bottom}", f"${bottom - 2}")
        factor = f"{q}^2*" if role == "v" else ""
        wrong = {
            "short": f"{factor}{short}",
            "mean": f"{factor}{right.replace('SUMIF', 'AVERAGEIF')}",
            "minus": f"-{factor}{right}",
        }
        if factor:
            wrong |= {"q_once": f"{q}*{right}"}
        listed.put(
            role,
            row,
            "=" + draft.pick(At(f"sum {role}", number), f"{factor}{right}", **wrong),
            At(f"sum {role}", number),
            None,
        )
    weight = f"(1/{a['rd']}^2+{a['v']})"
    text = draft.pick(
        At("r'", number),
        f"{a['r']}+{q}/{weight}*{a['d']}",
        minus=f"{a['r']}-{q}/{weight}*{a['d']}",
        no_q=f"{a['r']}+1/{weight}*{a['d']}",
        no_v=f"{a['r']}+{q}*{a['rd']}^2*{a['d']}",
        rd_once=f"{a['r']}+{q}/(1/{a['rd']}+{a['v']})*{a['d']}",
    )
    listed.put("r'", row, f"={text}", At("r'", number), new_r)
    text = draft.pick(
        At("rd'", number),
        f"SQRT(1/{weight})",
        no_root=f"1/{weight}",
        unchanged=a["rd"],
        no_v=f"SQRT({a['rd']}^2)",
        turned=f"SQRT(1/(1/{a['rd']}^2-{a['v']}))",
    )
    listed.put("rd'", row, f"={text}", At("rd'", number), new_rd)
