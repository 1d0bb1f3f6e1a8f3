"""Closing ratings replayed: each is its opening rating and K times the points less what the opponents' ratings expect.

Which games a closing rating counts is asked of it: a typed score that moves it is one of its results, and an opponent
counts as often as all his chances together move it. Points and opponents must be as many, each game must move both of
its sides, and the number must be the one that follows from them by the curve.
"""

from __future__ import annotations

import dataclasses
import re
from collections import Counter
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby, pairwise

from elo_sheets.detective.listed import Listed, close
from elo_sheets.detective.months import Due, begins, text_of
from elo_sheets.detective.sides import worth_of
from elo_sheets.expr import Call, Expr, replaced, walk
from elo_sheets.files.package import Value, column_letters
from elo_sheets.recognise.behind import cone
from elo_sheets.recognise.context import WARNING, Context, Proposal
from elo_sheets.recognise.departures import departures, filled, spell
from elo_sheets.recognise.model import Area, Form, Key, Model, at_cell, range_text, with_areas
from elo_sheets.recognise.nearmiss import anchored
from elo_sheets.recognise.periods.beside import beside
from elo_sheets.recognise.periods.closed import Closed
from elo_sheets.recognise.periods.counted import (
    DEPTH,
    SCORES,
    name_of,
    names_of,
    of_player,
    score_of,
    slopes_of,
    times_of,
)
from elo_sheets.recognise.periods.performances import Played
from elo_sheets.recognise.periods.sums import FAR
from elo_sheets.recognise.roles import has_power
from elo_sheets.recognise.walks import follow

GOALS = (((3.0, 1.0), 1.0), ((1.0, 3.0), 0.0), ((2.0, 2.0), 0.5))  # what both sides have, and what the first one scores
CLOSE = 1e-6
WHOLE = 0.501  # of a rating that is shown in whole points
MOST_K = 90.0  # points, above all that federations use: 400 points shared out among four games are more
MOST_CELLS = 4000  # typed scores times players, of one table
MOST_AREA = 3000
MOST_HEADINGS = 4  # numbers that stand above the scores of a column: a rating, a round
RANGE = re.compile(r"\b([A-Z]+)(\d+):([A-Z]+)(\d+)\b")


@dataclass
class Replay:
    """What became of the closing ratings: the games that they count, and why they cannot be called right."""

    games: int = 0
    reasons: list[str] = field(default_factory=list)
    proposals: list[Proposal] = field(default_factory=list)
    used: set[Key] = field(default_factory=set)  # scores that a closing rating counts
    k: set[float] = field(default_factory=set)
    own_k: dict[str, dict[Key, float]] = field(default_factory=dict)  # by name and closing rating, in the order of time
    others: list[Closed] = field(default_factory=list)  # tables in which a game is worth more than any K
    played: dict[Key, Played] = field(default_factory=dict)  # of each closing rating, what it counts


def replayed(context: Context, tables: list[Closed], share: Callable[[float], float]) -> Replay:
    """Return what the closing ratings of all tables are, held against a replay of the games that they count.

    `share` is the expected score as a function of the lead.
    """
    found = Replay()
    openings = {cell for table in tables for cell in table.everybody}
    for table in tables:
        held = openings - {table.key(row) for row in table.rows}
        numbers = {cell: number for cell in held if (number := context.model.number(cell)) is not None}
        _table(context, table, share, numbers, found)
    model = context.model
    columns = {(key[0], key[2]) for key in found.used}
    without = {
        who for table in tables for row in table.unrated for who in names_of(model, (table.sheet, row, table.column))
    }
    for sheet, column in sorted(columns):
        rows = [key[1] for key in found.used if (key[0], key[2]) == (sheet, column)]
        forms = {model.forms[key] for key in found.used if key in model.forms}
        for row in model.columns.get((sheet, column), ()):
            key = (sheet, row, column)
            is_result = model.forms.get(key) in forms if forms else key not in model.forms
            is_result = (
                is_result and model.value(key) in (0, 0.5, 1, "0", "1", "½") and not without & names_of(model, key)
            )
            if key not in found.used and is_result and min(rows) - 1 <= row <= max(rows) + 1:
                found.reasons.append(f"no rating counts the result in {range_text([key])}")
                found.proposals += [*_short(context, tables, key)] or [*_of_another_period(context, tables, key)]
    for says, proposals in beside(context, [one for one in tables if one not in found.others], found.played):
        found.reasons.append(says)
        found.proposals += proposals
    found.reasons += _not_closed(context, [table for table in tables if table not in found.others])
    found.proposals += [*_of_another_month(context, tables), *_rising_k(model, found)]
    found.reasons += [f"{one.message} ({range_text(list(one.cells))})" for one in found.proposals]
    return found


def _not_closed(context: Context, tables: list[Closed]) -> Iterator[str]:
    """The ratings that a period starts from which follow from games of their own, and that no table was held for."""
    model = context.model
    closed = {table.key(row) for table in tables for row in table.rows}
    for table in tables:
        seen = set[Key]()
        edge = [key for key in table.opening.values() if key not in closed]
        while edge:
            seen.update(edge)
            rated = next((key for key in edge if key in model.forms and has_power(model.forms[key].tree)), None)
            if rated is not None:
                games = range_text([rated])
                yield f"{range_text(table.everybody)} follow from the games of {games}, which were not held"
                break
            read = [[*model.precedents(key)] for key in edge if key in model.forms]
            met = dict.fromkeys(one for cells in read if not closed & {*cells} for one in cells)
            edge = [one for one in met if one not in seen]


def _of_another_month(context: Context, tables: list[Closed]) -> Iterator[Proposal]:
    """The opening ratings that are not those at the end of the sheet before, where most sheets go on so."""
    model, said = context.model, dict[str, Listed]()
    for table in tables:
        names = {row: who for row in table.rows if (who := name_of(model, table, row)) is not None}
        begun = {who: table.opening[row] for row, who in names.items()}
        closed = {who: table.key(row) for row, who in names.items()}
        if table.sheet not in said:
            said[table.sheet] = Listed(periods=[list(table.rows)], lists=[begun, closed])
    wrong: dict[str, list[Due]] = {}
    for one in begins(context, said):
        if one[0] in model.forms and not close(model.number(one[0]), one[1]):
            wrong.setdefault(one[0][0], []).append(one)
    for dues in wrong.values():
        cells = tuple(key for key, _, _ in dues)
        texts = [text_of(context, due, said) for due in dues]
        repairs = {key: text for key, text in zip(cells, texts, strict=True) if text is not None}
        repairs = repairs if len(repairs) == len(cells) else {}
        fix = "=" + repairs[cells[0]] if repairs else None
        says = f"the ratings of {cells[0][0]} do not begin with those at the end of {dues[0][2][0]}"
        yield Proposal(
            "ES106", cells, says, repairs, fix=fix, rank=1, expected=dues[0][1], found=model.number(cells[0])
        )


def _rising_k(model: Model, found: Replay) -> Iterator[Proposal]:
    """The typed K of a player that is another one than in the periods beside it, or higher than in the one before.

    A K may fall as a player gains experience; none that is known rises or falls for one period alone.
    """
    changed = {who: list(own.items()) for who, own in found.own_k.items() if len(set(own.values())) > 1}
    for own in changed.values() if 2 * len(changed) <= len(found.own_k) else ():
        for at, ((_, before), (key, k)) in enumerate(pairwise(own), 1):
            after = own[at + 1][1] if at + 1 < len(own) else max(k, before)
            cells = [one for one in model.precedents(key, 2) if one[:2] == key[:2] and one not in model.forms]
            cell = next((one for one in cells if model.number(one) == k), None)
            if cell is not None and (k > before or (k < before == after)):
                says = f"the K of this player is {k:g} here, and {before:g} in the period before"
                yield Proposal(
                    "ES120", (cell,), says, values={cell: before}, severity=WARNING, fix=f"{before:g}", rank=1,
                    expected=before, found=k,
                )  # fmt: skip
                break


def _table(
    context: Context, table: Closed, share: Callable[[float], float], start_list: Mapping[Key, float], found: Replay
) -> None:
    """Hold one column of closing ratings, all ratings that a period starts from being held as they stand."""
    model = context.model
    keys = [table.key(row) for row in table.rows]
    scores = _scores(context, keys)
    if not scores:
        found.reasons.append(f"{range_text(keys)} follow no scores")
        return
    if (told := mistold(context, scores)) is not None:
        found.reasons.append(told)
        return
    counted: dict[Key, dict[int, float]] = {}
    times: dict[int, dict[int, int]] = {}
    for row in table.rows:
        key, own = table.key(row), table.opening[row]
        shown, start = model.number(key), model.number(own)
        asked = of_player(context, table, row, scores, start_list)
        if len(asked) * len(keys) > MOST_CELLS:
            found.reasons.append(f"{range_text(keys)} follow no scores")
            return
        slopes = slopes_of(context.wide, key, asked, start_list)
        sizes = {abs(by) for by in slopes.values()}
        for score, by in slopes.items():
            counted.setdefault(score, {})[row] = by
        if shown is None or start is None or len(sizes) > 1:
            found.reasons.append(f"the results of {range_text([key])} do not all count alike")
            return
        k = sizes.pop() if sizes else 0.0
        if k > MOST_K:
            found.others.append(table)
            return
        found.k |= {k} if k else set()
        if k and (who := name_of(model, table, row)) is not None:
            found.own_k.setdefault(who, {})[key] = k
        each = k * (share(FAR) - share(-FAR))  # which is less than K within limits
        times[row] = times_of(context, table, row, each, of=list(slopes))
        if slopes and not times[row] and (proposal := _stale(context, table, row, list(slopes), k)) is not None:
            found.proposals.append(proposal)
            return
        if sum(times[row].values()) != len(slopes):
            games, others = len(slopes), sum(times[row].values())
            found.reasons.append(f"{range_text([key])} counts {games} results, and the ratings of {others} opponents")
            found.proposals += [*_as_text(context, key), *_departed(context, table, row, k, games)] or [
                *(*_as_in_others(context, table, (row, k, games), found), *_ends_apart(context, table))
            ]
            return
        results = [(score_of(model, one) or 0.0, by > 0) for one, by in slopes.items()]
        points = sum(score if own else 1 - score for score, own in results)
        opponents = {table.opening[other]: n for other, n in times[row].items()}
        found.played[key] = Played(own, list(slopes), opponents, table.everybody, points)
        expects = sum(n * share(start - start_list[table.opening[other]]) for other, n in times[row].items())
        due = start + k * (points - expects)
        if abs(due - shown) > (WHOLE if abs(shown - round(shown)) < CLOSE else CLOSE * max(1.0, k)):
            found.reasons.append(f"{range_text([key])} shows {shown:.6g}, and its games give {due:.6g}")
            return
    off = [row for row in times for other, n in times[row].items() if times.get(other, {}).get(row) != n]
    if off:
        found.reasons.append(f"{range_text([table.key(off[0])])} counts an opponent who does not count him as often")
        return
    if not counted:
        found.reasons.append(f"{range_text(keys)} count no result")
        return
    sides = {tuple(sorted(by > 0 for by in each.values())) for each in counted.values()}
    if sides not in ({(True,)}, {(False, True)}):
        found.reasons.append(
            f"a result in {range_text(list(counted))} moves more or fewer than the two sides of a game"
        )
        if all(by == (True, True) for by in sides) and (summed := _points(context, table, list(counted))):
            says = "the result of one side is added to the points of both, where the other has what it lacks of a whole"
            found.proposals.append(Proposal("ES115", summed, says, rank=1))
        return
    played = sum(sum(each.values()) for each in times.values()) / 2
    if sides == {(True,)} and abs(sum(score_of(model, one) or 0.0 for one in counted) - played) > CLOSE:
        found.reasons.append(f"the points of {range_text(list(counted))} are not one for each game")
    found.games += round(played)
    found.used.update(counted)


def _scores(context: Context, keys: list[Key]) -> list[Key]:
    """The numbers that may be scores, in the ranges and cells that closing ratings follow from.

    A score that is worked out from goals or a word beside it stands for them; one that is worked out from a typed score
    that counts itself, as what the other side has, is none of its own.
    """
    model = context.model
    read = [key for key in _entries(context, keys) if score_of(model, key) is not None]
    mixed = {key for column in {key[::2] for key in read} for key in _beside_others(model, column)}
    read = [key for key in read if key not in mixed]
    other = {form for key, form in model.forms.items() if (model.number(key) or 0.0) not in SCORES}  # sums of scores
    other |= {form for key in read if (form := model.forms.get(key)) is not None and _sums_up(form)}
    worked: dict[Key, list[Key]] = {}
    for key in (one for one in read if one in model.forms and model.forms[one] not in other):
        read_there = in_its_row(model, key)
        computed = [one for one in (key, *read_there) if one in model.forms]
        if len(computed) <= len(read_there) and not any(has_power(model.forms[one].tree) for one in computed):
            worked[key] = read_there
    typed = {key for key in _entries(context, keys, worked) if key not in model.forms and key in set(read)}
    return [key for key in read if key in typed or (key in worked and not typed & set(worked[key]))]


def _beside_others(model: Model, column: tuple[str, int]) -> Iterator[Key]:
    """The cells of a column that stand between other numbers than scores, as 1 does among weeks and counts."""
    rows = model.columns[column]
    for _, run in groupby(enumerate(rows), key=lambda one: one[1] - one[0]):  # without a gap
        cells = [(column[0], row, column[1]) for _, row in run]
        scores = sum(score_of(model, key) is not None for key in cells)
        others = sum(model.number(key) not in (None, *SCORES) for key in cells)
        if max(scores, MOST_HEADINGS) < others:
            yield from cells


def _sums_up(form: Form) -> bool:
    """Whether a formula sums up or counts what stands in a range, as points do where nobody has more than one game."""
    calls = (node for node in walk(form.tree) if isinstance(node, Call) and node.function.startswith(("SUM", "COUNT")))
    return any(isinstance(node, Area) and node.row < node.bottom for call in calls for node in walk(call))


def in_its_row(model: Model, key: Key) -> list[Key]:
    """The cells of its row that a cell follows from."""
    return follow([key], lambda at: (one for one in model.precedents(at) if one[:2] == key[:2]))


def mistold(context: Context, scores: Sequence[Key]) -> str | None:
    """Which of the scores that follow from results says another thing than its result; None where all are right."""
    model, evaluator = context.model, context.wide
    entries = {key: sorted(one for one in in_its_row(model, key) if one not in model.forms)
               for key in scores if key in model.forms}  # fmt: skip
    counts = [[model.number(one) for one in told] for told in entries.values()]
    drawn = any(None not in both and len({*both}) == 1 for both in counts)
    for key, told in entries.items():
        if len(told) == len(GOALS[0][0]) and all(model.number(one) is not None for one in told):
            possible = [(goals, worth) for goals, worth in GOALS if drawn or worth != SCORES[1]]  # legs are never even
            pairs = [(dict[Key, Value](zip(told, goals, strict=True)), worth) for goals, worth in possible]
        elif len(told) == 1 and model.number(told[0]) in SCORES:
            pairs = [({told[0]: score}, score) for score in SCORES]
        else:
            worth = worth_of(model.value(told[0])) if len(told) == 1 else None
            pairs = [({}, worth)] if worth is not None else []
        if not pairs or any(evaluator.number(key, typed) != worth for typed, worth in pairs):
            return f"{range_text([key])} does not say what its result is worth"
    return None


def _entries(context: Context, keys: list[Key], but: Container[Key] = ()) -> list[Key]:
    """The cells that closing ratings read, in the ranges behind them too, but for what some cells read."""
    model, found = context.model, dict[Key, None]()
    for area, here in {(area, one[0]) for key in keys for one in cone(model, key, DEPTH) if one not in but
                       for area in model.areas(one) if area.size <= MOST_AREA}:  # fmt: skip
        for row in range(area.row, area.bottom + 1):
            for column in range(area.column, area.right + 1):
                at = (area.sheet or here, row, column)
                if model.value(at) not in (None, ""):
                    found[at] = None
    return sorted(found)


def _as_text(context: Context, key: Key) -> Iterator[Proposal]:
    """The scores that are text among the cells that a closing rating follows from: sums leave them out."""
    model = context.model
    for at in _entries(context, [key]):
        text = model.value(at)
        number = float(text.strip()) if isinstance(text, str) and text.strip() in ("0", "0.5", "1") else None
        if number is not None:
            says = f"the result in {range_text([at])} is text, which a sum leaves out"
            yield Proposal("ES410", (at,), says, values={at: number}, fix=f"{number:g}", rank=1)


def _departed(context: Context, table: Closed, row: int, k: float, games: int) -> list[Proposal]:
    """What departs from its column behind a closing rating that counts as it should without that."""
    behind = {*cone(context.model, table.key(row), DEPTH)}
    trees = {one.key: tree for one in context.suspects if one.key in behind and one.kind != "text"
             and (tree := one.run.expected(one.key)) is not None}  # fmt: skip
    if not trees or sum(times_of(context, table, row, k, trees).values()) != games:
        return []
    return [one for one in departures(context, {}) if trees.keys() >= {*one.cells}]


def _as_in_others(context: Context, table: Closed, wrong: tuple[int, float, int], found: Replay) -> Iterator[Proposal]:
    """The cells of a column whose formula is another one from a row on, with that of a row that counts as it should;
    the whole column where its range moves along from there.
    """
    model, (row, k, games) = context.model, wrong
    sound = [one for one in table.rows if table.key(one) in found.played]
    for cell in cone(model, table.key(row), DEPTH) if sound else ():
        like = (cell[0], sound[0], cell[2])
        own, usual = model.forms.get(cell), model.forms.get(like)
        if own is usual and own is not None and cell[:2] == (table.sheet, row):
            trees = {key: _ranged_as(own, key, like) for one in table.rows
                     if model.forms.get(key := (cell[0], one, cell[2])) is own}  # fmt: skip
            if sum(times_of(context, table, row, k, {cell: trees[cell]}).values()) == games:
                texts = {key: RANGE.sub(r"$\1$\2:$\3$\4", spell(tree, key[0])) for key, tree in trees.items()}
                says = f"the range moves along with the rows, and should stay where it is in row {sound[0]}"
                yield Proposal("ES124", tuple(texts), says, texts, fix="=" + next(iter(texts.values())), rank=1)
                return
        if own is usual or own is None or usual is None or cell[:2] != (table.sheet, row):
            continue
        if sum(times_of(context, table, row, k, {cell: at_cell(usual.tree, cell)}).values()) == games:
            rows = [one for one in table.rows if model.forms.get((cell[0], one, cell[2])) is own]
            keys = [(cell[0], one, cell[2]) for one in rows]
            repairs = {key: filled(model, key, at_cell(usual.tree, key), like) for key in keys}
            says = f"{len(keys)} players from row {rows[0]} on have another formula than those above"
            yield Proposal("ES129", tuple(keys), says, repairs, fix="=" + repairs[keys[0]], rank=1)
            return


def _ranged_as(form: Form, key: Key, like: Key) -> Expr:
    """A cell's formula with its ranges as another cell of the form has them."""
    return at_cell(with_areas(form.tree, lambda one: one if one.single else one.at(like[1], like[2])), key)


def _ends_apart(context: Context, table: Closed) -> Iterator[Proposal]:
    """The columns of a table whose ranges end above those that another of its columns reads in the same place."""
    model, ends = context.model, dict[int, dict[tuple[str, int, int], int]]()
    for key in cone(model, table.key(table.rows[0]), DEPTH):
        for area in model.areas(key) if key[:2] == (table.sheet, table.rows[0]) else ():
            if not area.single and area.row < area.bottom:
                ends.setdefault(key[2], {})[area.sheet or key[0], area.row, area.column] = area.bottom
    for column, own in sorted(ends.items()):
        later = {own[at]: end for other in ends.values() for at, end in other.items() if end > own.get(at, end)}
        repairs: dict[Key, str] = {}
        for key in ((table.sheet, row, column) for row in table.rows) if later else ():
            cell = model.cell(key)
            text = "" if cell is None or cell.formula is None else cell.formula
            repairs[key] = re.sub(r"(:\$?[A-Z]+\$?)(\d+)\b", partial(_later, later), text)
        if repairs:
            says = (
                "the ranges end above those that stand beside them: games are counted there that are not counted here"
            )
            yield Proposal("ES125", tuple(repairs), says, repairs, fix="=" + next(iter(repairs.values())), rank=1)


def _later(ends: Mapping[int, int], match: re.Match[str]) -> str:
    return f"{match[1]}{ends.get(int(match[2]), match[2])}"


def _points(context: Context, table: Closed, scores: list[Key]) -> tuple[Key, ...]:
    """The column of a table that counts the results and follows no rating."""
    model = context.model
    for column in sorted({key[2] for key in model.precedents(table.key(table.rows[0]), 1)}):
        keys = [(table.sheet, row, column) for row in table.rows]
        is_beside = all(key in model.forms for key in keys) and column not in (table.expected, table.change)
        is_no_chance = is_beside and not context.wide.depends(keys[0], table.everybody, DEPTH)
        if is_no_chance and any(context.wide.depends(key, scores, DEPTH) for key in keys):
            return tuple(keys)
    return ()


def _stale(context: Context, table: Closed, row: int, scores: list[Key], k: float) -> Proposal | None:
    """The games of a period whose ratings are read from another list than the one that it starts from."""
    model, opening = context.model, table.opening[row]
    games = {score[:2] for score in scores}
    sheet, rows = scores[0][0], {one[1] for one in _scores(context, [table.key(one) for one in table.rows])}
    rows = {one for one in rows if any(at[1] == one for at in games)} | _counted_rows(context, table)
    trees: dict[Key, Expr] = {}
    texts: dict[Key, str] = {}  # the formulas as they stand, but for the column
    for key in model.forms:
        tree = model.tree(key) if key[0] == sheet and key[1] in rows else None
        if tree is None:
            continue
        for node in walk(tree):
            if not isinstance(node, Area) or node.single or node.column != node.right or node.sheet != opening[0]:
                continue
            column = [model.number((opening[0], one, node.column)) for one in table.rows]
            if node.column != opening[2] and node.row <= table.rows[0] <= node.bottom and None not in column:
                trees[key] = replaced(tree, node, dataclasses.replace(node, column=opening[2], right=opening[2]))
                here, due = column_letters(node.column), column_letters(opening[2])
                cell = model.cell(key)
                texts[key] = re.sub(rf"\b{here}(?=\$?\d)", due, "" if cell is None else cell.formula or "")
    if sum(times_of(context, table, row, k, trees).values()) != len(scores):
        return None
    repairs = {key: anchored(spell(tree, key[0]), texts[key]) for key, tree in sorted(trees.items())}
    says = f"the period that starts from {range_text(table.everybody)} is rated by the ratings of another one"
    return Proposal("ES106", tuple(repairs), says, repairs, fix="=" + next(iter(repairs.values())), rank=1)


def _counted_rows(context: Context, table: Closed) -> set[int]:
    """The rows of the ranges that the closing ratings of a period sum up."""
    areas = (area for row in table.rows[:1] for area in context.model.areas(table.key(row)) if not area.single)
    return {row for area in areas if area.sheet not in (None, table.sheet) for row in range(area.row, area.bottom + 1)}


def _of_another_period(context: Context, tables: list[Closed], score: Key) -> Iterator[Proposal]:
    """The closing ratings with another formula than those of the other periods, by which they count a result."""
    model = context.model
    forms = {table.key(row): model.forms.get(table.key(row)) for table in tables for row in table.rows}
    usual, count = Counter(forms.values()).most_common(1)[0]
    like = next(key for key, form in forms.items() if form is usual)
    for table in tables if usual is not None and 2 * count > len(forms) else ():
        odd = [key for key in map(table.key, table.rows) if forms[key] is not usual]
        trees = {key: at_cell(usual.tree, key) for key in odd} if usual is not None else {}
        ends = ({context.wide.number(key, {score: one}, trees, depth=DEPTH) for one in (0.0, 1.0)} for key in odd)
        if odd and any(len(both) > 1 for both in ends):
            repairs = {key: filled(model, key, tree, like) for key, tree in trees.items()}
            says = f"the formula is another one than in the other periods, by which {range_text([score])} is counted"
            yield Proposal("ES129", tuple(repairs), says, repairs, fix="=" + repairs[odd[0]], rank=1)
            return


def _short(context: Context, tables: list[Closed], score: Key) -> Iterator[Proposal]:
    """The closing ratings whose ranges end in the row above a result that no rating counts, with those one longer."""
    model = context.model
    for table in tables:
        repairs: dict[Key, str] = {}
        for key in map(table.key, table.rows):
            tree = changed = model.tree(key)
            for node in () if tree is None else walk(tree):
                if isinstance(node, Area) and not node.single and node.bottom == score[1] - 1 and changed is not None:
                    changed = replaced(changed, node, dataclasses.replace(node, bottom=score[1]))
            if changed is not None and changed != tree:
                cell = model.cell(key)
                like = "" if cell is None else re.sub(rf"\b{score[1] - 1}\b", str(score[1]), cell.formula or "")
                repairs[key] = anchored(spell(changed, key[0]), like)
        if repairs:
            says = f"the result in {range_text([score])} is counted by no rating: the ranges end in the row above it"
            yield Proposal("ES125", tuple(repairs), says, repairs, fix="=" + next(iter(repairs.values())), rank=1)
            return


__all__ = ["Replay", "in_its_row", "mistold", "replayed"]
