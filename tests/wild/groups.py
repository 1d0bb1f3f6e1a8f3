"""Books with a column for each player, with teams of two, and with games of many."""

from __future__ import annotations

from random import Random

from .desk import Desk, Row
from .forms import change, curve, expectation, score, typed
from .sheets import At, Draft, Slip, Table
from .truth import expected, one_by_one


def matrix(rng: Random, slip: Slip | None) -> Draft:
    """A game a row, a column for each player: each row carries all ratings on, and changes two of them."""
    desk = Desk(rng, slip, guards=rng.choice((0, 3)), players=(4, 5), games=(12, 20))
    draft, names = desk.draft, desk.names
    desk.offer_games()
    top = desk.settings(k=desk.k, scale=desk.scale)
    seats = [f"seat {number}" for number in range(len(names))]
    own_ratings = rng.random() < 0.5
    roles = [*(["date"] if desk.dated else []), "one", "two", *desk.result.roles]
    roles += [*(["before 1", "before 2"] if own_ratings else []), "score 1", "expected 1", "change 1", *seats]
    table = desk.table(desk.sheet, top, desk.left, roles, [*(desk.header(r) for r in roles[: -len(seats)]), *names])
    zero = top + 1
    table.put(roles[0], zero, desk.words["start"])
    for seat, name in zip(seats, names, strict=True):
        table.put(seat, zero, desk.start[name], At("start", names.index(name)))
    rated, _ = one_by_one(desk.flow(), desk.start, lambda *_: desk.k, desk.scale)
    heads = f"${table.a(seats[0], top, 'cr')[1:]}:{table.a(seats[-1], top, 'cr')}"
    row, above, done, now = zero, zero, 0, dict(desk.start)
    for plan in [*desk.rows, *[Row("waiting", n) for n in range(desk.guards)]]:
        row += 1
        if plan.kind == "blank":
            continue
        if plan.kind in ("heading", "subtotal"):
            table.put(roles[0], row, desk.words["month" if plan.kind == "heading" else "total"])
            continue
        number = plan.number + (len(desk.games) if plan.kind == "waiting" else 0)
        if plan.kind in ("bye", "friendly", "bonus"):
            table.put("one", row, plan.player)
            table.put("two", row, plan.game.two if plan.game else desk.words["bye"] if plan.kind == "bye" else None)
            if plan.kind == "bonus":
                table.put("change 1", row, plan.points)
                now[plan.player] += plan.points
                done += 1
        else:
            fact = rated[done] if plan.kind == "game" else None
            if plan.kind == "game" and plan.game and fact:
                _typed_game(desk, table, row, plan)
                now[plan.game.one], now[plan.game.two] = fact.after
                done += 1
            truths = (*fact.before, fact.game.score, fact.expected[0], fact.change[0]) if fact else (None,) * 5
            _matrix_game(desk, table, row, (number, above, heads), (seats[0], seats[-1]), truths)
        c, one, two = (table.a(role, row, "c") for role in ("change 1", "one", "two"))
        for seat in seats:
            at = At(seat, number)
            old, head, begin = table.a(seat, above), table.a(seat, top, "r"), table.a(seat, zero, "r")
            gained = f"IF({head}={one},{c},IF({head}={two},-{c},0))"
            right = f"{old}+{gained}"
            if desk.curve % 2:
                right = f"IF({head}={one},{old}+{c},IF({head}={two},{old}-{c},{old}))"
            waiting = plan.kind == "waiting"
            if plan.kind in ("bye", "friendly", "bonus"):
                table.put(seat, row, f"={right}")
                continue
            wrong = {
                "both_gain": right.replace("-" + c, ("+" if desk.curve % 2 else "") + c),
                "from_start": right.replace(old, begin),
                "second_left_out": f"{old}+IF({head}={one},{c},0)",
                "exchanged": f"{old}+IF({head}={two},{c},IF({head}={one},-{c},0))",
            }
            text = draft.pick(at, right, **wrong)
            name = names[seats.index(seat)]
            filled = f'IF({one}="",{old},{text})' if desk.guards else text
            table.put(seat, row, f"={filled}", at, None if waiting else now[name])
        above = row
    return draft


def _typed_game(desk: Desk, table: Table, row: int, plan: Row) -> None:
    game = plan.game
    assert game
    if "date" in table.columns:
        table.put("date", row, desk.day(game), At("date", plan.number))
    table.put("one", row, game.one, At("name 1", plan.number))
    table.put("two", row, game.two, At("name 2", plan.number))
    if plan.number == desk.odd_game:
        desk.draft.extra_wrong |= {table.place("one", row), table.place("two", row)}
    contents = typed(desk.result.name, game.goals, game.one, game.two, desk.words["draw"])
    for role, content in zip(desk.result.roles, contents, strict=True):
        table.put(role, row, content, At(role, plan.number))


def _matrix_game(
    desk: Desk,
    table: Table,
    row: int,
    where: tuple[int, int, str],
    seats: tuple[str, str],
    truths: tuple[float | None, ...],
) -> None:
    draft, (number, above, heads) = desk.draft, where
    one, two = table.a("one", row), table.a("two", row)
    first, last = (table.a(seat, above, "c") for seat in seats)
    filled, guarded = one, desk.guards > 0
    found = [f"INDEX({first}:{last},MATCH({name},{heads},0))" for name in (one, two)]
    starts = f"{table.a(seats[0], table.top + 1, 'cr')}:{table.a(seats[1], table.top + 1, 'cr')}"
    older = [f"INDEX({starts},MATCH({name},{heads},0))" for name in (one, two)]
    r, o = found
    if "before 1" in table.columns:
        for side, mark in enumerate("12"):
            at = At(f"before {mark}", number)
            text = draft.pick(at, found[side], opponent=found[1 - side], from_start=older[side])
            table.put(at.role, row, desk.shown(text, filled, guarded), at, truths[side])
        r, o = table.a("before 1", row), table.a("before 2", row)
    cells = tuple(table.a(role, row) for role in desk.result.roles)
    at = At("score 1", number)
    text = score(draft, at, desk.result, desk.result_style, cells, (one, two))
    table.put("score 1", row, desk.shown(text, filled, guarded), at, truths[2])
    at = At("expected 1", number)
    text = expectation(draft, at, desk.curve, r, o, desk.refs["scale"])
    table.put("expected 1", row, desk.shown(text, filled, guarded), at, truths[3])
    at, s, e = At("change 1", number), table.a("score 1", row), table.a("expected 1", row)
    text = change(draft, at, desk.change_style, desk.refs["k"], s, e)
    table.put("change 1", row, desk.shown(text, filled, guarded), at, truths[4])


SEATS = ("a 1", "a 2", "b 1", "b 2")


def doubles(rng: Random, slip: Slip | None) -> Draft:
    """Two against two: a team is the mean of its players, each of whom gets the team's change."""
    between = ("blank", "heading", "subtotal", "bye")
    desk = Desk(rng, slip, between=between, players=(6, 7), guards=0, results=("goals", "score", "letters", "points"))
    draft = desk.draft
    desk.offer_list()
    top = desk.settings(k=desk.k, scale=desk.scale)
    means = ["before 1", "before 2"]
    shown_seats = [f"r {seat}" for seat in SEATS]
    roles = [*(["date"] if desk.dated else []), *SEATS, *desk.result.roles, *shown_seats, *means]
    roles += ["score 1", "expected 1", "change 1"]
    labels = {
        "a 1": "A1",
        "a 2": "A2",
        "b 1": "B1",
        "b 2": "B2",
        **{f"r {seat}": f"Elo {seat.upper()}" for seat in SEATS},
    }
    table = desk.table(desk.sheet, top, desk.left, roles, [labels.get(role, desk.header(role)) for role in roles])
    roster, rows = desk.roster(["player", "start", "rating"], desk.left + len(roles) + 1, top)
    start = desk.start_of(roster, desk.sheet)
    now, row = {name: float(rating) for name, rating in desk.start.items()}, top

    def total(name: str, first: int, last: int, lock: str = "first", seen: str | None = None) -> str:
        gained = table.col("change 1", first, last, lock, seen)
        parts = [f"SUMIF({table.col(seat, first, last, lock, seen)},{name},{gained})" for seat in SEATS]
        return f"{parts[0]}+{parts[1]}-{parts[2]}-{parts[3]}"

    for plan in desk.rows:
        row += 1
        if plan.kind != "game" or not plan.game:
            if plan.kind in ("heading", "subtotal"):
                table.put(roles[0], row, desk.words["month" if plan.kind == "heading" else "total"])
            elif plan.kind == "bye":
                table.put("a 1", row, plan.player)
                table.put("b 1", row, desk.words["bye"])
            continue
        game, number = plan.game, plan.number
        players = rng.sample(desk.names, 4)
        if "date" in roles:
            table.put("date", row, desk.day(game), At("date", number))
        for seat, player in zip(SEATS, players, strict=True):
            table.put(seat, row, player, At(f"name {seat}", number))
            at, name = At(f"r {seat}", number), table.a(seat, row)
            both = total(name, top, row - 1)
            text = draft.pick(
                at,
                f"{start(name)}+{both}",
                from_list=start(name),
                one_team=f"{start(name)}+{both.split('-SUMIF')[0]}",
                same_sign=f"{start(name)}+{both.replace('-SUMIF', '+SUMIF')}",
                short=f"{start(name)}+{total(name, top, max(top, row - 2))}",
            )
            table.put(at.role, row, f"={text}", at, now[player])
        for role, content in zip(desk.result.roles, typed(desk.result.name, game.goals, "", "", ""), strict=True):
            table.put(role, row, content, At(role, number))
        a1, a2, b1, b2 = (table.a(f"r {seat}", row) for seat in SEATS)
        teams = [(now[players[0]] + now[players[1]]) / 2, (now[players[2]] + now[players[3]]) / 2]
        for role, (p, q), truth in zip(means, ((a1, a2), (b1, b2)), teams, strict=True):
            at = At(role, number)
            right = f"({p}+{q})/2" if desk.curve % 2 else f"AVERAGE({p},{q})"
            text = draft.pick(at, right, sum=f"{p}+{q}", first=p, better=f"MAX({p},{q})", other=f"({a1}+{b1})/2")
            table.put(role, row, f"={text}", at, truth)
        cells = tuple(table.a(role, row) for role in desk.result.roles)
        at = At("score 1", number)
        table.put(
            "score 1", row, "=" + score(draft, at, desk.result, desk.result_style, cells, ("", "")), at, game.score
        )
        at, e = At("expected 1", number), expected(teams[0], teams[1], desk.scale)
        text = expectation(
            draft, at, desk.curve, table.a("before 1", row), table.a("before 2", row), desk.refs["scale"]
        )
        table.put("expected 1", row, f"={text}", at, e)
        at, s, x = At("change 1", number), table.a("score 1", row), table.a("expected 1", row)
        gained = desk.k * (game.score - e)
        table.put("change 1", row, "=" + change(draft, at, desk.change_style, desk.refs["k"], s, x), at, gained)
        for player in players[:2]:
            now[player] += gained
        for player in players[2:]:
            now[player] -= gained
    for number, name in enumerate(desk.names):
        at, own, who = At("rating", number), roster.a("start", rows[name]), roster.a("player", rows[name])
        both = total(who, top, row, "both", roster.sheet)
        short = total(who, top, row - 2, "both", roster.sheet)
        text = draft.pick(
            at, f"{own}+{both}", start=own, short=f"{own}+{short}", one_team=f"{own}+{both.split('-SUMIF')[0]}"
        )
        roster.put("rating", rows[name], f"={text}", at, now[name])
    return draft


def free_for_all(rng: Random, slip: Slip | None) -> Draft:
    """Games of three to five: each player against each other one, divided by their number; places are typed."""
    desk = Desk(rng, slip, between=(), players=(5, 7), guards=0, games=(8, 9), curve=rng.choice((0, 1, 3, 4, 5)))
    draft = desk.draft
    desk.offer_list()
    top = desk.settings(k=desk.k, scale=desk.scale)
    roles = [*(["date"] if desk.dated else []), "no", "one", "place", "before 1", "score 1", "expected 1", "change 1"]
    roles += ["after 1"]
    headers = [desk.header(role) for role in roles]
    headers[roles.index("one")], headers[roles.index("place")] = desk.words["player"], desk.words["rank"]
    table = desk.table(desk.sheet, top, desk.left, roles, headers)
    roster, rows = desk.roster(["player", "start", "rating"], desk.left + len(roles) + 1, top)
    start = desk.start_of(roster, desk.sheet)
    now, row, number = {name: float(rating) for name, rating in desk.start.items()}, top, 0
    for match in range(rng.randint(4, 6)):
        players = rng.sample(desk.names, rng.randint(3, min(5, len(desk.names))))
        places = list(range(1, len(players) + 1))
        if rng.random() < 0.3:
            places[2] = places[1]
        rng.shuffle(places)
        if match and rng.random() < 0.4:
            row += 1
            if rng.random() < 0.5:
                table.put(roles[0], row, f"{desk.words['week']} {match + 1}")
        first, last = row + 1, row + len(players)
        gains = {}
        for player, place in zip(players, places, strict=True):
            row += 1
            others = [(now[p], q) for p, q in zip(players, places, strict=True) if p != player]
            points = sum(1.0 if place < q else 0.5 if place == q else 0.0 for _, q in others)
            chance = sum(expected(now[player], r, desk.scale) for r, _ in others)
            gains[player] = desk.k * (points - chance) / len(others)
            if "date" in roles:
                table.put("date", row, desk.first_day, At("date", number))
            table.put("no", row, match + 1)
            table.put("one", row, player, At("name 1", number))
            table.put("place", row, place, At("result", number))
            truths = (now[player], points, chance, gains[player], now[player] + gains[player])
            _free_row(desk, table, row, (number, first, last), start, truths)
            number += 1
        for player, gained in gains.items():
            now[player] += gained
    for index, name in enumerate(desk.names):
        at, own, who = At("rating", index), roster.a("start", rows[name]), roster.a("player", rows[name])

        def total(first: int, last: int, who: str = who) -> str:
            names, gained = (table.col(role, first, last, "both", roster.sheet) for role in ("one", "change 1"))
            return f"SUMIF({names},{who},{gained})"

        text = draft.pick(
            at,
            f"{own}+{total(top, row)}",
            start=own,
            short=f"{own}+{total(top, row - 2)}",
            minus=f"{own}-{total(top, row)}",
        )
        roster.put("rating", rows[name], f"={text}", at, now[name])
    return draft


def _free_row(
    desk: Desk, table: Table, row: int, where: tuple[int, int, int], start: object, truths: tuple[float, ...]
) -> None:
    draft, (number, first, last) = desk.draft, where
    begin = start(table.a("one", row))  # type: ignore[operator]

    def before(top: int, end: int) -> str:
        names, gained = table.col("one", top, end), table.col("change 1", top, end)
        return f"{begin}+SUMIF({names},{table.a('one', row)},{gained})"

    field = table.col("place", first, last, "both")
    shorter = table.col("place", first, last - 1, "both")
    ratings = table.col("before 1", first, last, "both")
    r, place, scale, k = table.a("before 1", row), table.a("place", row), desk.refs["scale"], desk.refs["k"]
    others = f"(COUNT({ratings})-1)" if desk.curve % 2 else str(last - first)
    s, e, c = table.a("score 1", row), table.a("expected 1", row), table.a("change 1", row)
    better = f'COUNTIF({field},">"&{place})'
    shape = curve(desk.curve, r, ratings, scale)
    pairs = f"SUMPRODUCT({shape})-0.5"
    forms: dict[str, tuple[str, dict[str, str]]] = {
        "before 1": (
            before(table.top, first - 1),
            {
                "from_list": begin,
                "late_range": before(min(table.top + 4, first - 1), first - 1),
                "minus": before(table.top, first - 1).replace("+SUMIF", "-SUMIF"),
            },
        ),
        "score 1": (
            f"{better}+(COUNTIF({field},{place})-1)/2",
            {
                "no_ties": better,
                "reversed": f'COUNTIF({field},"<"&{place})+(COUNTIF({field},{place})-1)/2',
                "itself": f"{better}+COUNTIF({field},{place})/2",
                "place": place,
                "short": f'COUNTIF({shorter},">"&{place})+(COUNTIF({field},{place})-1)/2',
            },
        ),
        "expected 1": (
            pairs,
            {
                "itself": f"SUMPRODUCT({shape})",
                "swapped": f"SUMPRODUCT({curve(0, ratings, r, scale)})-0.5",
                "scale_40": f"SUMPRODUCT({curve(0, r, ratings, '40')})-0.5",
                "no_ln_10": f"SUMPRODUCT(1/(1+EXP(({ratings}-{r})/{scale})))-0.5",
                "short": f"SUMPRODUCT({curve(0, r, table.col('before 1', first, last - 1, 'both'), scale)})-0.5",
                "mean": f"{others}*({curve(0, r, f'AVERAGE({ratings})', scale)})",
            },
        ),
        "change 1": (
            f"{k}*({s}-{e})/{others}",
            {
                "not_shared": f"{k}*({s}-{e})",
                "all_shared": f"{k}*({s}-{e})/({others}+1)",
                "plus": f"{k}*({s}+{e})/{others}",
                "reversed": f"{k}*({e}-{s})/{others}",
                "k_typed": f"50*({s}-{e})/{others}",
                "no_expectation": f"{k}*{s}/{others}",
                "minus_half": f"{k}*({s}-{e}-0.5)/{others}",
            },
        ),
        "after 1": (f"{r}+{c}", {"minus": f"{r}-{c}", "twice": f"{r}+2*{c}", "unchanged": r}),
    }
    for (role, (right, wrong)), truth in zip(forms.items(), truths, strict=True):
        at = At(role, number)
        table.put(role, row, "=" + draft.pick(at, right, **wrong), at, truth)
