"""Ratings before a game: does each read the same player's latest new rating?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from elo_sheets.expr import walk
from elo_sheets.files.package import CellError
from elo_sheets.recognise.cells import Run
from elo_sheets.recognise.context import Context, Proposal
from elo_sheets.recognise.ledgers.changes_only import latest_text
from elo_sheets.recognise.ledgers.groups import Group
from elo_sheets.recognise.ledgers.links import Linked, linked_columns, texts_of
from elo_sheets.recognise.ledgers.plans import Plan
from elo_sheets.recognise.ledgers.replaying import look_ups
from elo_sheets.recognise.model import Area, Key, Model, area_text
from elo_sheets.recognise.roles import Roles, Seen, update_of
from elo_sheets.recognise.seasons import carried_over


@dataclass
class Side:
    """One side of the games of a ledger, by column: who, the rating before, the new rating; None when not there."""

    name: int | None
    before: int
    after: int
    run: Run
    score: Key | None = None
    sign: int = 1


@dataclass
class Played:
    """A ledger replayed by its own cells: the latest new rating of everybody, and which cells read another one."""

    sides: list[Side]
    rows: list[int]
    latest: dict[str, Key] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    opening: dict[str, float] = field(default_factory=dict)
    wrong: dict[Key, Key | None] = field(default_factory=dict)  # rating before -> what it should read
    right: dict[Key, Key | None] = field(default_factory=dict)
    history: dict[str, list[Key]] = field(default_factory=dict)


def sides_of(context: Context, roles: Roles, group: Group) -> list[Side]:
    """The sides of a ledger; none when a rating before is not found by the player's name."""
    found = []
    for seen in group.after:
        part = update_of(roles, seen.key)
        base = part.base if part is not None else None
        if base is None:
            base = _base_by_shape(group, seen)
        if base is None or base[0] != group.sheet or base[1] != group.row:
            continue
        at = roles.at(base)
        if at is None:
            continue
        score = part.score if part is not None else None
        found.append(Side(_name_column(context, base), base[2], seen.key[2], at.run, score, part.sign if part else 1))
    return found


def _base_by_shape(group: Group, seen: Seen) -> Key | None:
    for node in walk(seen.tree):
        if isinstance(node, Area) and node.single and (node.sheet, node.row, node.column) in group.ratings:
            return (node.sheet or group.sheet, node.row, node.column)
    return None


def _name_column(context: Context, base: Key) -> int | None:
    tree = context.model.tree(base)
    if tree is None:
        return None
    columns = Counter(
        node.column
        for node in walk(tree)
        if isinstance(node, Area)
        and node.single
        and node.sheet == base[0]
        and node.row == base[1]
        and _text(context, (base[0], node.row, node.column))
    )
    return columns.most_common(1)[0][0] if columns else None


def _text(context: Context, key: Key) -> str | None:
    value = context.model.value(key)
    return value if isinstance(value, str) and not isinstance(value, CellError) and value.strip() else None


def play(context: Context, group: Group, sides: list[Side]) -> Played | None:
    """Follow every player's ratings through the rows of a ledger."""
    if len(sides) < max(1, len(group.after)) or any(side.name is None for side in sides):
        return None  # what one side alone shows is not everybody's latest
    run = group.expectations[0].run
    first = min(run.first, *(side.run.first for side in sides))
    last = max(run.last, *(side.run.last for side in sides))
    played = Played(sides, [])
    for row in range(first, last + 1):
        new: list[tuple[str, Key]] = []
        for side in sides:
            assert side.name is not None
            name = _text(context, (group.sheet, row, side.name))
            if name is None:
                continue
            who = name.casefold()
            played.names.setdefault(who, name)
            before, after = (group.sheet, row, side.before), (group.sheet, row, side.after)
            _compare(context, played, who, before)
            new.append((who, after))
        if new:
            played.rows.append(row)
        if len({who for who, _ in new}) < len(new):  # somebody against himself: which side counts is open
            for who, _ in new:
                played.latest.pop(who, None)
            continue
        for who, after in new:
            if context.model.cell(after) is not None:
                played.latest[who] = after
                played.history.setdefault(who, []).append(after)
    return played


def _compare(context: Context, played: Played, who: str, before: Key) -> None:
    found = context.model.number(before)
    source = played.latest.get(who)
    if source is None:
        if found is not None:
            played.opening.setdefault(who, found)
        return
    expected = context.model.number(source)
    if expected is None or found is None:
        return
    if abs(expected - found) > 1e-6:
        played.wrong[before] = source
    else:
        played.right[before] = source


def before_faults(context: Context, group: Group, played: Played) -> list[Proposal]:
    """Return a proposal for each column of ratings before that reads other than the latest."""
    found, number = [], context.model.number
    carried = carried_over((key, number(s) or 0.0, number(key)) for key, s in played.wrong.items() if s is not None)
    for side in played.sides:
        mine = {key: s for key, s in played.wrong.items() if key[2] == side.before and key not in carried}
        fitting = {key: s for key, s in mine.items() if side.run.fits(context.model, key)}
        if not fitting or _explained(context, next(iter(sorted(fitting)))):
            continue
        code = _kind(context, played, side, fitting)
        every = {k: s for k, s in (*played.right.items(), *mine.items()) if k[2] == side.before}
        repairs = {
            key: area_text(Area(s[0], s[1], s[2], s[1], s[2], 15, True), key[0])
            for key, s in sorted(every.items())
            if s is not None
        }
        cells = tuple(k for k in side.run.cells() if side.run.fits(context.model, k))
        worst = next(iter(sorted(fitting)))
        order = (worst, *(k for k in cells if k != worst))
        repairs = {worst: repairs[worst], **repairs}
        found.append(Proposal(code, order, repairs=repairs, fix=None, rank=2))
    return found


def _explained(context: Context, first: Key) -> bool:
    """Whether a cell of the column, or one that the first wrong one reads, departs from its run: that is the cause."""
    read = set(context.model.precedents(first, 1))
    above = [s for s in context.suspects if s.key[0] == first[0] and s.key[1] <= first[1] and s.kind != "missing"]
    return any(s.key[2] == first[2] or s.key in read for s in above)


def _kind(context: Context, played: Played, side: Side, wrong: dict[Key, Key | None]) -> str:
    model = context.model
    key = next(iter(sorted(wrong)))
    columns = {side.after for side in played.sides}
    tree = model.tree(key)
    reads = any(
        isinstance(node, Area) and any(node.column <= c <= node.right for c in columns) and node.row != key[1]
        for node in (walk(tree) if tree is not None else [])
    )
    if not reads:
        return "ES124"
    areas = [node for node in walk(tree) if isinstance(node, Area)] if tree is not None else []
    if any(not any(node.column <= c <= node.right for node in areas) for c in columns):
        return "ES123"  # it looks on one side only
    older = 0
    for before in wrong:
        name = _text(context, (before[0], before[1], side.name or 0))
        history = played.history.get((name or "").casefold(), [])
        past = [k for k in history if k[1] < before[1]]
        value = model.number(before)
        if value is None or not past:
            continue
        first = model.number(past[0])
        if first is not None and abs(first - value) < 1e-6 and len(past) > 1:
            continue
        same = [k for k in past if k[2] == side.after]
        if same and (n := model.number(same[-1])) is not None and abs(n - value) < 1e-6:
            continue
        if not same and len(played.sides) > 1:
            continue
        older += 1
    short = all(area.bottom < key[1] - 2 for area in areas if not area.single and area.sheet == key[0])
    return "ES125" if short and older > len(wrong) / 2 else "ES123"


def look_up_faults(context: Context, plan: Plan) -> list[Proposal]:
    """Return a proposal for each column of a replayed sheet that looks other ratings up than the latest."""
    model = context.model
    played = look_ups(model, context.evaluator, plan)
    found = []
    gains = {run.line for phase in plan.phases for one in phase.after for run, _ in one.gains}
    after = sorted({one.run.line for phase in plan.phases for one in phase.after} | gains)
    for column in sorted({key[2] for key in played.wrong}):
        wrong = {
            key: at
            for key, at in played.wrong.items()
            if key[2] == column and not context.evaluator.moves_along(key, at)
        }
        if not wrong:
            continue  # the latest rating, and what a rule adds: a decay of who stayed away
        every = {k: s for k, s in sorted({**played.right, **played.wrong}.items()) if k[2] == column}
        first = next(iter(sorted(wrong)))
        if _explained(context, first):
            continue
        if len(wrong) < 2 or played.reason is not None or model.cell(first) is None:
            continue
        tree = model.tree(first)
        areas = [n for n in walk(tree) if isinstance(n, Area) and not n.single] if tree is not None else []
        areas = [area for area in areas if area.sheet == plan.sheet]
        if _reads_unplanned(context, areas, first[1] - 1, after):
            continue  # the other side's new ratings are no part of the plan: it takes older ones for the latest
        reads = any(n.column <= c <= n.right and n.row < first[1] for n in areas for c in after)
        short = reads and all(n.bottom < first[1] - len(plan.phases) for n in areas)
        code = "ES125" if short else "ES123" if reads else "ES124"
        order = (first, *(k for k in every if k != first))
        repairs = {k: latest_text(plan, every[k], k[0]) for k in order}
        found.append(Proposal(code, order, repairs=repairs, rank=3))
    return found


def _reads_unplanned(context: Context, areas: list[Area], row: int, after: list[int]) -> bool:
    """Whether ranges hold formulas that follow in their own row from a new rating that is planned."""
    cells = {(area.sheet or "", row, column) for area in areas for column in range(area.column, area.right + 1)}
    others = [key for key in cells if key in context.model.forms and key[2] not in after]
    return any(context.evaluator.depends(key, [(*key[:2], column) for column in after], 2) for key in others)


def link_faults(context: Context, plan: Plan) -> Iterator[Proposal]:
    """Yield a proposal for each cell of a linked column that shows another rating than its player's latest."""
    model = context.model
    linked = linked_columns(model, plan.sheet)
    if not linked:
        return
    for key, source in sorted(look_ups(model, context.evaluator, plan).wrong.items()):
        if key[2] not in linked or _reads_later(model, key, linked, source):
            continue
        text = area_text(Area(*source, *source[1:], 15, True), key[0])
        yield Proposal(_link_code(model, key, linked), (key,), repairs={key: text}, fix="=" + text, rank=1)


def _reads_later(model: Model, key: Key, linked: dict[int, Linked], source: Key) -> bool:
    """Whether a cell reads a game of its player that is later than what passes for his latest rating."""
    tree = model.tree(key)
    if not isinstance(tree, Area) or not tree.single or not source[1] < tree.row < key[1]:
        return False
    return texts_of(model, key[0], key[1]).get(linked[key[2]].name) in texts_of(model, key[0], tree.row).values()


def _link_code(model: Model, key: Key, linked: dict[int, Linked]) -> str:
    """A number for a link, an older game of the player, or another player's rating."""
    tree = model.tree(key)
    if tree is None:
        return "ES201"
    if not isinstance(tree, Area) or not tree.single or tree.column not in linked[key[2]].targets:
        return "ES106"
    name = texts_of(model, key[0], key[1]).get(linked[key[2]].name)
    return "ES123" if name in texts_of(model, key[0], tree.row).values() else "ES106"
