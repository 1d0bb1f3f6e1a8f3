"""Books of one player, one event, one season, and predictions that update nothing."""

from __future__ import annotations

from random import Random

from .desk import Desk
from .forms import RESULTS, after, change, expectation, score, typed
from .sheets import At, Draft, Slip, Table
from .truth import Game, expected, one_by_one


def journal(rng: Random, slip: Slip | None) -> Draft:
    """One player's games against opponents whose ratings are typed; each row carries on from the row above."""
    desk = Desk(rng, slip, guards=rng.choice((0, 4)), results=("points", "letters", "chess", "goals"), players=(5, 7))
    draft = desk.draft
    desk.offer_games()
    own = float(desk.start[desk.names[0]])
    top = desk.settings(k=desk.k, scale=desk.scale, start=own)
    roles = [*(["date"] if desk.dated else []), "two", "before 2", *desk.result.roles, "score 1", "before 1"]
    roles += ["expected 1", "change 1", "after 1"]
    headers = [desk.header(role) for role in roles]
    headers[roles.index("two")] = desk.words["opponent"]
    table = desk.table(desk.sheet, top, desk.left, roles, headers)
    row, above, now = top, 0, own
    waiting = [None] * desk.guards
    for plan in [*desk.rows, *waiting]:
        row += 1
        if plan is not None and plan.kind not in ("game", "bonus"):
            if plan.kind != "blank":
                label = {"heading": "month", "subtotal": "total"}.get(plan.kind, plan.kind)
                table.put(roles[0], row, desk.words[label])
            if plan.kind == "friendly" and plan.game:
                table.put("two", row, plan.game.two)
                table.put("before 2", row, 1500)
            continue
        number = plan.number if plan else len(desk.games) + row
        game = plan.game if plan else None
        r, c = table.a("before 1", row), table.a("change 1", row)
        filled, guarded = table.a("before 2", row), desk.guards > 0
        carried = table.a("after 1", above) if above else desk.refs["start"]
        wrong = {"from_start": desk.refs["start"], "row_older": table.a("after 1", max(top + 1, above - 1))}
        if plan is not None and plan.kind == "bonus":
            table.put("two", row, desk.words["bonus"])
            table.put("before 1", row, f"={carried}")
            table.put("change 1", row, plan.points)
            table.put("after 1", row, f"={r}+{c}")
            now += plan.points
            above = row
            continue
        if game:
            opponent = game.two if game.one == desk.names[0] else game.one
            if "date" in roles:
                table.put("date", row, desk.day(game), At("date", number))
            table.put("two", row, opponent, At("name 2", number))
            rating = desk.start[opponent] + rng.randrange(-60, 61)
            table.put("before 2", row, rating, At("rating typed", number))
            for role, content in zip(desk.result.roles, typed(desk.result.name, game.goals, "", "", ""), strict=True):
                table.put(role, row, content, At(role, number))
            if number == desk.odd_game:
                draft.extra_wrong.add(table.place("two", row))
            e = expected(now, rating, desk.scale)
            gained = desk.k * (game.score - e)
            truths = (game.score, now, e, gained, now + gained)
            now += gained
        else:
            truths = (None,) * 5
        cells = tuple(table.a(role, row) for role in desk.result.roles)
        o, s, x = filled, table.a("score 1", row), table.a("expected 1", row)
        texts = {
            "score 1": score(draft, At("score 1", number), desk.result, desk.result_style, cells, ("", "")),
            "before 1": draft.pick(At("before 1", number), carried, **wrong) if above else carried,
            "expected 1": expectation(draft, At("expected 1", number), desk.curve, r, o, desk.refs["scale"]),
            "change 1": change(draft, At("change 1", number), desk.change_style, desk.refs["k"], s, x),
            "after 1": after(draft, At("after 1", number), r, c, o),
        }
        for (role, text), truth in zip(texts.items(), truths, strict=True):
            table.put(role, row, desk.shown(text, filled, guarded), At(role, number), truth)
        above = row
    return draft


def predictions(rng: Random, slip: Slip | None) -> Draft:
    """A list of ratings, and fixtures with both sides' chances; nothing is updated."""
    between = ("blank", "heading", "subtotal", "bye")
    desk = Desk(rng, slip, between=between, list_apart=rng.random() < 0.6, common=None, k_cell=False)
    draft = desk.draft
    edge = float(rng.choice((40, 50, 65, 80)))
    top = desk.settings(scale=desk.scale, edge=edge)
    odds = rng.random() < 0.5
    roles = [*(["date"] if desk.dated else []), "one", "two", "before 1", "before 2", "expected 1", "expected 2"]
    roles += ["odds 1", "odds 2"] if odds else []
    table = desk.table(desk.sheet, top, desk.left, roles)
    roster, _ = desk.roster(["player", "start"], desk.left + len(roles) + 1, top)
    start = desk.start_of(roster, desk.sheet)
    row = top
    for plan in desk.rows:
        row += 1
        if plan.kind != "game" or not plan.game:
            if plan.kind != "blank":
                table.put(roles[0], row, desk.words["week" if plan.kind == "heading" else "total"])
            continue
        game, number = plan.game, plan.number
        if "date" in roles:
            table.put("date", row, desk.day(game), At("date", number))
        table.put("one", row, game.one, At("name 1", number))
        table.put("two", row, game.two, At("name 2", number))
        names = table.a("one", row), table.a("two", row)
        for side, mark in enumerate("12"):
            at = At(f"before {mark}", number)
            text = draft.pick(at, start(names[side]), opponent=start(names[1 - side]), typed="1500")
            table.put(at.role, row, f"={text}", at, desk.start[(game.one, game.two)[side]])
        r, o = table.a("before 1", row), table.a("before 2", row)
        at = At("expected 1", number)
        e = expected(desk.start[game.one] + edge, desk.start[game.two], desk.scale)
        text = expectation(draft, at, desk.curve, r, o, desk.refs["scale"], f"+{desk.refs['edge']}")
        table.put("expected 1", row, f"={text}", at, e)
        x, at = table.a("expected 1", row), At("expected 2", number)
        own = expectation(draft, at, 0, o, r, desk.refs["scale"])
        text = draft.pick(at, f"1-{x}", same=x, no_edge=own, minus=f"{x}-1", beyond=f"1.1-{x}", half=f"0.5-{x}/2")
        table.put("expected 2", row, f"={text}", at, 1 - e)
        for mark, chance in zip("12", (e, 1 - e), strict=True) if odds else ():
            at, own = At(f"odds {mark}", number), table.a(f"expected {mark}", row)
            other = table.a(f"expected {'2' if mark == '1' else '1'}", row)
            table.put(at.role, row, "=" + draft.pick(at, f"1/{own}", opponent=f"1/{other}"), at, 1 / chance)
    return draft


def tournament(rng: Random, slip: Slip | None) -> Draft:
    """One player's event: opponents, scores, expected scores, sums, the new rating and the performance."""
    desk = Desk(rng, slip, between=(), games=(9, 13), players=(7, 7), guards=0, results=("points", "chess", "letters"))
    draft, count = desk.draft, len(desk.games)
    own = float(desk.start[desk.names[0]])
    top = desk.settings(k=desk.k, scale=desk.scale, start=own)
    roles = ["no", "two", "before 2", *desk.result.roles, "score 1", "expected 1"]
    headers = [desk.header(role) for role in roles]
    headers[1] = desk.words["opponent"]
    table = desk.table(desk.sheet, top, desk.left, roles, headers)
    row, scores, chances, ratings = top, [], [], []
    off = rng.randrange(3, count) if rng.random() < 0.5 else None
    for number, game in enumerate(desk.games):
        row += 1
        if number == off:
            table.put("no", row, number + 1)
            table.put("two", row, desk.words["bye"])
            row += 1
        rating = own + rng.randrange(-260, 261)
        table.put("no", row, number + 1)
        table.put("two", row, rng.choice(desk.names[1:]), At("name 2", number))
        table.put("before 2", row, rating, At("rating typed", number))
        for role, content in zip(desk.result.roles, typed(desk.result.name, game.goals, "", "", ""), strict=True):
            table.put(role, row, content, At(role, number))
        cells = tuple(table.a(role, row) for role in desk.result.roles)
        at = At("score 1", number)
        table.put(
            "score 1", row, "=" + score(draft, at, desk.result, desk.result_style, cells, ("", "")), at, game.score
        )
        e = expected(own, rating, desk.scale)
        at = At("expected 1", number)
        text = expectation(draft, at, desk.curve, desk.refs["start"], table.a("before 2", row), desk.refs["scale"])
        table.put("expected 1", row, f"={text}", at, e)
        scores, chances, ratings = [*scores, game.score], [*chances, e], [*ratings, rating]
    _summary(desk, table, row, (scores, chances, ratings), own)
    return draft


def _summary(desk: Desk, table: Table, row: int, sums: tuple[list[float], ...], own: float) -> None:
    draft, first = desk.draft, table.top + 1
    scores, chances, ratings = sums
    points, expects, count = sum(scores), sum(chances), len(scores)
    mean = sum(ratings) / count
    total = row + desk.rng.choice((1, 2))
    table.put("no", total, desk.words["total"])
    s, e, o = (table.a(role, total) for role in ("score 1", "expected 1", "before 2"))

    def piece(role: str, last: int) -> str:
        return table.col(role, first, last, "")

    for role, function, truth in (
        ("score 1", "SUM", points),
        ("expected 1", "SUM", expects),
        ("before 2", "AVERAGE", mean),
    ):
        at = At(f"total {role}", 0)
        right = f"{function}({piece(role, row)})"
        text = draft.pick(
            at, right, short=f"{function}({piece(role, row - 1)})", late=right.replace(str(first), str(first + 1), 1)
        )
        table.put(role, total, f"={text}", at, truth)
    k, start = desk.refs["k"], desk.refs["start"]
    label, value = "two", "before 2"
    games = f"COUNT({piece('expected 1', row)})"
    lines = {
        "change 1": (change(draft, At("change 1", 0), desk.change_style, k, s, e), desk.k * (points - expects)),
        "after 1": (
            after(draft, At("after 1", 0), start, table.a(value, total + 2)),
            own + desk.k * (points - expects),
        ),
        "performance": (
            draft.pick(
                At("performance", 0),
                f"{o}+400*(2*{s}-{games})/{games}",
                reversed=f"{o}-400*(2*{s}-{games})/{games}",
                no_losses=f"{o}+400*{s}/{games}",
                not_mean=f"{start}+400*(2*{s}-{games})/{games}",
            ),
            mean + 400 * (2 * points - count) / count,
        ),
    }
    for offset, (role, (text, truth)) in enumerate(lines.items()):
        table.put(label, total + 2 + offset, desk.header(role) if role != "performance" else "Performance")
        table.put(value, total + 2 + offset, f"={text}", At(role, 0), truth)


def season(rng: Random, slip: Slip | None) -> Draft:
    """Fixtures, some of them still to be played, with ratings by earlier changes, and the league's table."""
    desk = Desk(rng, slip, between=("blank", "heading"), guards=0, results=("goals",), common=None, k_cell=True)
    draft, ahead = desk.draft, rng.randint(2, 5)
    desk.offer_games()
    edge = float(rng.choice((0, 50, 70)))
    top = desk.settings(k=desk.k, scale=desk.scale, edge=edge)
    roles = ["no", *(["date"] if desk.dated else []), "one", "goals 1", "goals 2", "two", "before 1", "before 2"]
    roles += ["expected 1", "change 1"]
    table = desk.table(desk.sheet, top, desk.left, roles)
    listed = ["rank", "player", "start", "games", "won", "drawn", "lost", "for", "against", "points", "rating"]
    roster, rows = desk.roster(listed, desk.left + len(roles) + 1, top)
    start = desk.start_of(roster, desk.sheet)
    rated, last = one_by_one(desk.games, desk.start, lambda *_: desk.k, desk.scale, edge)
    bottom = top + len(desk.rows) + ahead
    row = top
    future = [Game(*rng.sample(desk.names, 2), (0, 0), 400) for _ in range(ahead)]
    for plan in [*desk.rows, *future]:
        row += 1
        game = plan if isinstance(plan, Game) else plan.game
        if game is None:
            if plan.kind == "heading":  # type: ignore[union-attr]
                table.put("no", row, f"{desk.words['week']} {plan.number + 1}")  # type: ignore[union-attr]
            continue
        played = not isinstance(plan, Game)
        number = plan.number if not isinstance(plan, Game) else len(desk.games) + future.index(plan)
        fact = rated[number] if played else None
        table.put("no", row, number + 1)
        if "date" in roles:
            table.put("date", row, desk.day(game), At("date", number))
        table.put("one", row, game.one, At("name 1", number))
        table.put("two", row, game.two, At("name 2", number))
        if played and number == desk.odd_game:
            draft.extra_wrong |= {table.place("one", row), table.place("two", row)}
        for mark, goals in zip("12", game.goals, strict=True) if played else ():
            table.put(f"goals {mark}", row, goals, At(f"goals {mark}", number))
        _fixture(desk, table, row, number, start, fact, edge)
    _league(desk, table, roster, rows, bottom, last)
    return draft


def _sum_changes(
    table: Table, name: str, first: int, last: int, lock: str = "first", seen_from: str | None = None
) -> str:
    changes = table.col("change 1", first, last, lock, seen_from)
    one, two = (table.col(role, first, last, lock, seen_from) for role in ("one", "two"))
    return f"SUMIF({one},{name},{changes})-SUMIF({two},{name},{changes})"


def _fixture(desk: Desk, table: Table, row: int, number: int, start: object, fact: object, edge: float) -> None:
    draft = desk.draft
    names = table.a("one", row), table.a("two", row)
    for side, mark in enumerate("12"):
        at, name = At(f"before {mark}", number), names[side]
        begin = start(name)  # type: ignore[operator]
        both = _sum_changes(table, name, table.top, row - 1)
        text = draft.pick(
            at,
            f"{begin}+{both}",
            from_list=begin,
            one_side=f"{begin}+{both.split('-SUMIF')[0]}",
            same_sign=f"{begin}+{both.replace('-SUMIF', '+SUMIF')}",
            short=f"{begin}+{_sum_changes(table, name, table.top, max(table.top, row - 2))}",
        )
        table.put(at.role, row, f"={text}", at, fact and fact.before[side])  # type: ignore[attr-defined]
    r, o = table.a("before 1", row), table.a("before 2", row)
    at = At("expected 1", number)
    text = expectation(draft, at, desk.curve, r, o, desk.refs["scale"], f"+{desk.refs['edge']}" if edge else "")
    table.put("expected 1", row, f"={text}", at, fact and fact.expected[0])  # type: ignore[attr-defined]
    a, b = table.a("goals 1", row), table.a("goals 2", row)
    points = score(draft, At("score 1", number), RESULTS["goals"], desk.result_style, (a, b), names)
    at = At("change 1", number)
    text = change(draft, at, desk.change_style, desk.refs["k"], f"({points})", table.a("expected 1", row))
    table.put("change 1", row, f'=IF({a}="","",{text})', at, fact and fact.change[0])  # type: ignore[attr-defined]


def _league(desk: Desk, table: Table, roster: Table, rows: dict[str, int], bottom: int, last: dict[str, float]) -> None:
    draft, seen = desk.draft, roster.sheet

    def col(role: str) -> str:
        return table.col(role, table.top + 1, bottom, "both", seen)

    g1, g2, one, two = col("goals 1"), col("goals 2"), col("one"), col("two")
    facts: dict[str, dict[str, float]] = {}
    for name in desk.names:
        mine = [(g.goals if g.one == name else g.goals[::-1]) for g in desk.games if name in (g.one, g.two)]
        won, drawn = sum(a > b for a, b in mine), sum(a == b for a, b in mine)
        facts[name] = {
            "games": len(mine),
            "won": won,
            "drawn": drawn,
            "lost": len(mine) - won - drawn,
            "for": sum(a for a, _ in mine),
            "against": sum(b for _, b in mine),
            "points": 3 * won + drawn,
        }
    for number, name in enumerate(desk.names):
        row = rows[name]
        n, a = roster.a("player", row), lambda role, row=row: roster.a(role, row)
        win = f'SUMPRODUCT(({one}={n})*({g1}<>"")*({g1}>{g2}))+SUMPRODUCT(({two}={n})*({g1}<>"")*({g2}>{g1}))'
        level = f'SUMPRODUCT((({one}={n})+({two}={n}))*({g1}<>"")*({g1}={g2}))'
        forms = {
            "games": (
                f'COUNTIFS({one},{n},{g1},"<>")+COUNTIFS({two},{n},{g1},"<>")',
                {"home_only": f'COUNTIFS({one},{n},{g1},"<>")'},
            ),
            "won": (win, {"home_only": win.split("+SUMPRODUCT")[0]}),
            "drawn": (level, {"unplayed": level.replace(f'*({g1}<>"")', "")}),
            "lost": (f"{a('games')}-{a('won')}-{a('drawn')}", {"draws_lost": f"{a('games')}-{a('won')}"}),
            "for": (
                f"SUMIF({one},{n},{g1})+SUMIF({two},{n},{g2})",
                {"exchanged": f"SUMIF({one},{n},{g2})+SUMIF({two},{n},{g2})"},
            ),
            "against": (
                f"SUMIF({one},{n},{g2})+SUMIF({two},{n},{g1})",
                {"for": f"SUMIF({one},{n},{g1})+SUMIF({two},{n},{g2})"},
            ),
            "points": (
                f"3*{a('won')}+{a('drawn')}",
                {"two_points": f"2*{a('won')}+{a('drawn')}", "lost": f"3*{a('won')}+{a('lost')}"},
            ),
        }
        for role, (right, wrong) in forms.items():
            at = At(role, number)
            roster.put(role, row, "=" + draft.pick(at, right, **wrong), at, facts[name][role])
        at = At("rating", number)
        own, both = a("start"), _sum_changes(table, n, table.top, bottom, "both", seen)
        text = draft.pick(at, f"{own}+{both}", start=own, same_sign=f"{own}+{both.replace('-SUMIF', '+SUMIF')}")
        roster.put("rating", row, f"={text}", at, last[name])
        first, end = roster.top + 1, roster.top + len(desk.names)
        at = At("rank", number)
        points, goals = roster.col("points", first, end, "both"), roster.col("rating", first, end, "both")
        text = draft.pick(
            at,
            f"RANK({a('points')},{points})",
            ascending=f"RANK({a('points')},{points},1)",
            rating=f"RANK({a('rating')},{goals})",
        )
        better = sum(other["points"] > facts[name]["points"] for other in facts.values())
        roster.put("rank", row, f"={text}", at, 1 + better)
