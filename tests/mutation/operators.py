"""Fault operators: each plants one fault in a sound workbook and says where it is and what to call it.

The true effect is not told here: an engine computes the sound and the faulty book, and the rating cells differ or do
not (`difference`). A fault that changes no number now is latent; one that changes none even when the inputs are changed
is no fault, and is dropped, unless the form itself is the fault (`form`).
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from elo_sheets.engines.sanitised import Values
from elo_sheets.files.references import cell_name, column_letters, column_number

from .draft import Draft, Spot, first_mark, marks, number_at, plain, retag, spell
from .layouts import Entry, Layout


@dataclass
class Mutant:
    """A faulty workbook and what is true of it."""

    draft: Draft
    cells: frozenset[Spot]  # where a finding may point; empty: the book as a whole
    codes: tuple[str, ...]  # the first is the one expected
    effect: float | None = None  # rating points; None: cannot be told
    latent: bool = False
    values: Values | None = None  # what the engine computes for the faulty book


@dataclass
class Context:
    """A layout with its numbers and the dice."""

    layout: Layout
    values: Values
    rng: random.Random

    def value(self, where: Spot) -> float | None:
        return number_at(self.layout.draft, self.values, where)


Plant = Callable[[Context], Mutant | None]


@dataclass(frozen=True)
class Operator:
    """A kind of fault. `form`: the fault may change no number ever. `note`: any severity counts as found."""

    name: str
    codes: tuple[str, ...]
    plant: Plant
    form: bool = False
    note: bool = False
    measured: bool = True  # False: the effect cannot be told, because what was meant cannot


OPERATORS: dict[str, Operator] = {}


def _add(name: str, codes: str, plant: Plant, *, form: bool = False, note: bool = False, measured: bool = True) -> None:
    OPERATORS[name] = Operator(name, tuple(codes.split()), plant, form, note, measured)


# --- choosing places ----------------------------------------------------------------------------------------

Test = Callable[[Context, Spot, str], bool]


def _plays(context: Context, where: Spot) -> bool:
    """Say whether the column of a matrix belongs to somebody who plays in that row; True elsewhere."""
    layout = context.layout
    run = layout.run_of(where) or ""
    if "matrix" not in layout.traits or not re.fullmatch(r"P[A-Z]", run):
        return True
    game = next((game for game in layout.games if game.row + layout.shift == where[1][0]), None)
    top = min(layout.runs[run])[1][0] - 2
    names = {layout.draft[player] for player in game.players} if game else set()
    column = where[1][1]
    heads = {
        layout.draft[where[0], (row, column)] for row in (1, top) if (row, column) in layout.draft.sheets[where[0]]
    }
    return bool(names & heads)


def _sites(context: Context, need: Iterable[str], test: Test | None, shortest: int, skip: int) -> list[Spot]:
    layout = context.layout
    wanted = set(need)
    found = []
    for run, cells in layout.runs.items():
        if len(cells) < shortest:
            continue
        for where in cells[skip:]:
            text = str(layout.draft[where])
            if wanted <= marks(text) and _plays(context, where) and (test is None or test(context, where, text)):
                found.append(where)
        del run
    return found


def _choose(context: Context, sites: list[Spot]) -> Spot | None:
    """Return a place away from the ends of its run when there is one."""
    if not sites:
        return None
    layout = context.layout
    runs = sorted({layout.run_of(where) or "" for where in sites})
    run = context.rng.choice(runs)
    mine = [where for where in sites if layout.run_of(where) == run]
    middle = [w for w in mine if 0.2 <= (layout.runs[run].index(w) + 1) / (len(layout.runs[run]) + 1) <= 0.7]
    return context.rng.choice(middle or mine)


Rewrite = Callable[[Context, Spot, str], str | None]


def _row(
    name: str,
    codes: str,
    need: str,
    rewrite: Rewrite,
    *,
    shortest: int = 1,
    skip: int = 0,
    test: Test | None = None,
    form: bool = False,
    measured: bool = True,
) -> None:
    """Add an operator that changes one cell."""

    def plant(context: Context) -> Mutant | None:
        sites = _sites(context, need.split(), test, shortest, skip)
        for _ in range(6):
            where = _choose(context, sites)
            if where is None:
                return None
            old = str(context.layout.draft[where])
            new = rewrite(context, where, old)
            if new is not None and plain(new) != plain(old):
                draft = context.layout.draft.copy()
                draft[where] = new
                return Mutant(draft, frozenset({where}), tuple(codes.split()))
            sites.remove(where)
        return None

    _add(name, codes, plant, form=form, measured=measured)


def _column(
    name: str,
    codes: str,
    need: str,
    rewrite: Rewrite,
    *,
    test: Test | None = None,
    skip: int = 0,
    measured: bool = True,
    only: Callable[[Layout, str], bool] | None = None,
    readers: bool = False,
) -> None:
    """Add an operator that changes a whole run.

    `readers`: where every cell is wrong alike, the cells that read them may be named instead. A column of expected
    scores with the ratings swapped is the opponent's expectation, and right in itself.
    """

    def plant(context: Context) -> Mutant | None:
        layout = context.layout
        sites = _sites(context, need.split(), test, 4, skip)
        runs = sorted({layout.run_of(where) or "" for where in sites})
        runs = [run for run in runs if only is None or only(layout, run)]
        if not runs:
            return None
        run = context.rng.choice(runs)
        draft = layout.draft.copy()
        changed = set()
        for where in layout.runs[run]:
            old = str(layout.draft[where])
            new = rewrite(context, where, old) if set(need.split()) <= marks(old) else None
            if new is not None and plain(new) != plain(old):
                draft[where] = new
                changed.add(where)
        if len(changed) < 3:
            return None
        return Mutant(
            draft, frozenset(changed | (_readers(draft, changed) if readers else set())), tuple(codes.split())
        )

    _add(name, codes, plant, measured=measured)


def _readers(draft: Draft, cells: set[Spot]) -> set[Spot]:
    """Return the cells of the same sheet and row whose formulas read one of these."""
    found = set()
    for (sheet, place), text in draft.formulas():
        names = re.findall(r"(?<![A-Z$!:])\$?([A-Z]{1,2})\$?(\d+)(?![\d:(])", plain(text))
        if any((sheet, (int(row), column_number(letters))) in cells and int(row) == place[0] for letters, row in names):
            found.add((sheet, place))
    return found


def _both(name: str, codes: str, need: str, rewrite: Rewrite, *, test: Test | None = None, skip: int = 0) -> None:
    _row(f"{name}, row", codes, need, rewrite, test=test, skip=skip)
    _column(f"{name}, column", codes, need, rewrite, test=test, skip=skip)


# --- rewriting marked parts ---------------------------------------------------------------------------------


def _replace(mark: str, text: str | Callable[[str, Mapping[str, str]], str | None]) -> Rewrite:
    def rewrite(_context: Context, _where: Spot, old: str) -> str | None:
        done = False

        def change(name: str, inner: str, also: Mapping[str, str]) -> str | None:
            nonlocal done
            if name != mark or done:
                return None
            new = text if isinstance(text, str) else text(inner, also)
            done = new is not None
            return new

        new = retag(old, change)
        return new if done else None

    return rewrite


def _other(mark: str, key: str) -> Rewrite:
    return _replace(mark, lambda _inner, also: also.get(key))


def _has(mark: str, key: str) -> Test:
    def test(_context: Context, _where: Spot, text: str) -> bool:
        found = first_mark(text, mark)
        return found is not None and key in found[1]

    return test


def _body(text: str) -> str:
    return text[1:]


def _swap(_context: Context, _where: Spot, old: str) -> str | None:
    own, opp = first_mark(old, "own"), first_mark(old, "opp")
    if own is None or opp is None:
        return None

    def change(name: str, _inner: str, _also: Mapping[str, str]) -> str | None:
        return {"own": opp[0], "opp": own[0]}.get(name)

    return retag(old, change)


def _bare(inner: str, _also: Mapping[str, str]) -> str | None:
    """Take the brackets off, where that changes the meaning."""
    return None if inner.startswith("(-(") or not inner.startswith("(") else inner[1:-1]


def _exponential(inner: str, _also: Mapping[str, str]) -> str | None:
    x = first_mark(inner, "x") or first_mark(inner, "qx")
    return f"EXP({x[0]})" if x else None


def _opponents_expectation(inner: str, also: Mapping[str, str]) -> str:
    return also.get("other") or f"(1-{inner})"


def _score_only(inner: str, _also: Mapping[str, str]) -> str | None:
    score = first_mark(inner, "S")
    return score[0] if score else None


def _unchanged(_context: Context, _where: Spot, old: str) -> str | None:
    base = first_mark(old, "base")
    return f"={base[0]}" if base and marks(old) & {"upd", "D", "loss", "win"} else None


def _gain(_context: Context, _where: Spot, old: str) -> str | None:
    for mark in ("loss", "lose"):
        if f"-⟦{mark}‖" in old:
            return old.replace(f"-⟦{mark}‖", f"+⟦{mark}‖")
    if "minus" in marks(old):
        return _replace("minus", "+")(_context, _where, old)
    return _other("upd", "both")(_context, _where, old)


_row("swapped difference, row", "ES101", "own opp", _swap)
_column("swapped difference, column", "ES101 ES113", "own opp", _swap, readers=True)
_both("missing scale", "ES102", "scale", _replace("scale", ""))


def _scale_cell(_context: Context, _where: Spot, text: str) -> bool:
    found = first_mark(text, "sc")
    return found is not None and not found[0].isdigit()


def _scale_typed(context: Context, where: Spot, text: str) -> bool:
    return not _scale_cell(context, where, text)


_row("wrong scale, row", "ES110", "sc", _replace("sc", "480"), shortest=4, test=_scale_typed)
_row("scale typed for its cell", "ES105 ES110", "sc", _replace("sc", "480"), shortest=4, test=_scale_cell)


def _two_expectations(layout: Layout, run: str) -> bool:
    """Say whether the other side has an expectation of its own, so that the scales can disagree."""
    return sum("sc" in marks(str(layout.draft[cells[0]])) for name, cells in layout.runs.items() if cells) > 1 and (
        "no-order" not in layout.traits
    )


_column("wrong scale, one side", "ES110 ES105", "sc", _replace("sc", "200"), only=_two_expectations)
_both("star for caret", "ES103", "pow", _replace("pow", "*"))
_both("bracket of the difference lost", "ES103", "diff scale", _replace("diff", _bare))
_both("bracket of the denominator lost", "ES103", "den", _replace("den", lambda inner, _: inner[1:-1]))
_both("absolute difference", "ES112", "diff", _replace("diff", lambda inner, _: "ABS" + inner))
_both("EXP without ln 10", "ES111 ES110", "pw", _replace("pw", _exponential))
_column("EXP without ln 10, Q-form", "ES111 ES110", "qpw", _replace("qpw", _exponential))
_row("opponent's expectation, row", "ES113", "E", _replace("E", _opponents_expectation))
# behaves as a column of swapped differences does
_column("opponent's expectation, column", "ES113 ES101", "E", _replace("E", _opponents_expectation))
_both("opponent's Q", "ES113 ES101", "qown", _other("qown", "other"))
_both("complement forgotten", "ES113", "comp", _other("comp", "other"))
_both("opponent's old rating", "ES114", "base", _other("base", "other"), test=_has("base", "other"))
_both("other side's change", "ES115 ES114", "D", _other("D", "other"), test=_has("D", "other"))
_both("both gain", "ES115", "base", _gain)
_both("expectation dropped", "ES117", "se", _replace("se", _score_only))
_both("opponent never updated", "ES126", "base", _unchanged)
_both("sequential leak", "ES116", "opp", _other("opp", "leak"), test=_has("opp", "leak"))
_both("sequential leak, two rows", "ES116", "mate", _other("mate", "new"), test=_has("mate", "new"))
_both("draw counts nothing", "ES104", "draw", _replace("draw", "0"))
_both("draw counts as a win", "ES104", "draw", _replace("draw", "1"))
_both("home edge with the wrong sign", "ES121", "bonus", _replace("bonus", "+"))
_both("table read on the wrong side", "ES113 ES101", "cmp own", _replace("cmp", "<"))


def _table_side(context: Context, where: Spot, old: str) -> str | None:
    return _replace("cmp", "<")(context, where, old) if "VLOOKUP" in old else None


_both("table read on the wrong side", "ES113 ES101", "cmp rng", _table_side)


# --- references ---------------------------------------------------------------------------------------------

_RELATIVE = re.compile(r"(\$?[A-Z]{1,2})([1-9]\d*)")


def _row_above(context: Context, where: Spot, old: str) -> str | None:
    """Let one reference of the formula read the row above, which is another game."""
    candidates = [
        mark
        for mark in ("D", "E", "S", "own", "opp", "K")
        if (found := first_mark(old, mark)) and _RELATIVE.fullmatch(plain(found[0]))
    ]
    if not candidates:
        return None
    mark = context.rng.choice(candidates)
    by = 2 if "two rows" in context.layout.name else 1  # there, the row above is the same game

    def shifted(inner: str, _also: Mapping[str, str]) -> str | None:
        match = _RELATIVE.fullmatch(plain(inner))
        return f"{match[1]}{int(match[2]) - by}" if match else None

    return _replace(mark, shifted)(context, where, old)


_row("row above", "ES106", "", _row_above, shortest=4, skip=2)


def _spare(context: Context, _where: Spot, old: str) -> str | None:
    layout = context.layout
    if layout.spare is None or layout.k_cell is None:
        return None
    sheet, place = layout.spare
    prefix = "" if f"{sheet}!" not in plain(old) else f"{sheet}!"
    home = prefix or ("" if sheet == _where[0] else f"{sheet}!")
    letters, number = column_letters(place[1]), place[0]
    return _replace("K", f"{home}${letters}${number}")(context, _where, old)


_row("wrong setting", "ES106 ES120", "K", _spare, shortest=4)
_column("anchor lost", "ES124", "K", _other("K", "drift"), test=_has("K", "drift"))
_row("look-up misses rows", "ES125", "prev", _other("prev", "short"), test=_has("prev", "short"), skip=10)
_both("first match instead of the last", "ES123", "prev", _other("prev", "first"), test=_has("prev", "first"), skip=4)
_column("one-sided look-up", "ES123", "prev", _other("prev", "sided"), test=_has("prev", "sided"))
_both("opening rating for ever", "ES124 ES123", "prev", _other("prev", "opening"), test=_has("prev", "opening"), skip=4)
_both("fixed row of the matrix", "ES124", "line", _other("line", "fixed"), test=_has("line", "fixed"), skip=3)
_row("list misses the last games", "ES125", "last", _other("last", "short"), test=_has("last", "short"))
_column("list misses the last games, column", "ES125", "last", _other("last", "short"), test=_has("last", "short"))


def _not_rank(_context: Context, _where: Spot, text: str) -> bool:
    return "asc" not in marks(text) and "sort" not in marks(text) and _has("rng", "short")(_context, _where, text)


_row("range misses rows", "ES125", "rng", _other("rng", "short"), test=_not_rank)
_column("result counted for both sides", "ES115", "shared", _other("shared", "both"))
_row("team mate counted twice", "ES106", "partner", _other("partner", "other"))
_column("team mate counted twice, column", "ES106", "partner", _other("partner", "other"))
_row("reads the opponent's name", "ES106 ES114", "name", _other("name", "other"), shortest=4)


def _neighbour(context: Context, where: Spot, old: str) -> str | None:
    """Book the change on the player in the next column."""
    letter = column_letters(where[1][1])
    found = re.search(rf"(?<![A-Z$]){letter}\$(\d)", plain(old))
    if found is None:
        return None
    head = (int(found[1]), where[1][1] + 1)
    step = 1 if head in context.layout.draft.sheets[where[0]] else -1
    following = f"{column_letters(where[1][1] + step)}${found[1]}"
    return _replace("win", lambda inner, _: plain(inner).replace(found[0], following))(context, where, old)


_row("change booked on the wrong player", "ES114 ES106", "win", _neighbour, shortest=4)


def _swapped_list(_context: Context, _where: Spot, old: str) -> str | None:
    swap = str.maketrans({"B": "C", "C": "B"})

    def other(inner: str, _also: Mapping[str, str]) -> str | None:
        sheet, _, cell = inner.rpartition("!")
        return f"{sheet}!{cell.translate(swap)}" if cell[0] in "BC" else None

    return _replace("list", other)(_context, _where, old)


_row("list read from the wrong column", "ES106", "list", _swapped_list, shortest=4, measured=False)


# --- numbers in formulas ------------------------------------------------------------------------------------


def _same_literal(mark: str) -> Rewrite:
    return _replace(mark, lambda _inner, also: also.get("literal") or None)


def _other_literal(mark: str, shift: float) -> Rewrite:
    return _replace(mark, lambda _inner, also: f"{float(also['literal']) + shift:g}" if also.get("literal") else None)


_row("K typed, the same", "ES105", "K", _same_literal("K"), shortest=4, test=_has("K", "literal"))
_row("K typed, another", "ES105 ES120", "K", _other_literal("K", 8), shortest=4, test=_has("K", "literal"))


def _debut(context: Context, where: Spot, text: str) -> bool:
    """Say whether the row is somebody's first, so that the start value is read there."""
    found = first_mark(text, "init")
    value = context.value(where)
    return bool(found and found[1].get("literal")) and value == float(found[1]["literal"] if found else 0)


_row("start typed, the same", "ES105", "init", _same_literal("init"), shortest=4, test=_debut)
_row("start typed, another", "ES105", "init", _other_literal("init", -300), shortest=4, test=_debut)


def _rated(_context: Context, _where: Spot, text: str) -> bool:
    return bool(marks(text) & {"upd", "D", "loss", "win"}) and "base" in marks(text)


_row("rounded", "ES107", "base", lambda c, w, o: f"=ROUND({_body(o)},0)", shortest=4, test=_rated)


def _floor(context: Context, where: Spot, old: str) -> str | None:
    value = context.value(where)
    return None if value is None else f"=MAX({_body(old)},{round(value + 6)})"


_row("floor in one row", "ES118", "base", _floor, shortest=4, test=_rated)


def _floor_column(context: Context, where: Spot, old: str) -> str | None:
    run = context.layout.runs[context.layout.run_of(where) or ""]
    values = sorted(v for cell in run if (v := context.value(cell)) is not None)
    return f"=MAX({_body(old)},{round(values[len(values) // 3])})" if values else None


def _moves(layout: Layout, run: str) -> bool:
    return "base" in marks(str(layout.draft[layout.runs[run][-1]])) and len(run) < 3


_column("hidden floor", "ES118", "base", _floor_column, test=_rated, only=_moves)


def _cap(inner: str, _also: Mapping[str, str]) -> str:
    return f"MAX(-50,MIN(50,{inner}))"


_row("cap in one row", "ES118", "diff", _replace("diff", _cap), shortest=4)


def _player_term(context: Context, where: Spot, old: str) -> str | None:
    layout = context.layout
    game = next((g for g in layout.games if g.row == where[1][0] and g.sheet == where[0]), None)
    if game is None or not game.players or "pool" not in layout.traits | {"pool" if "matrix" in layout.traits else ""}:
        return None
    name = _favourite(layout)
    cell = cell_name(*game.players[0][1])
    return _replace("K", lambda inner, _: f'{inner}*IF({cell}="{name}",1.25,1)')(context, where, old)


def _favourite(layout: Layout) -> str:
    """Return the name that stands first in most games."""
    firsts = [str(layout.draft[game.players[0]]) for game in layout.games if game.players]
    return max(sorted(set(firsts)), key=firsts.count)


def _of_favourite(context: Context, where: Spot, _text: str) -> bool:
    layout = context.layout
    game = next((g for g in layout.games if g.row == where[1][0] and g.sheet == where[0]), None)
    return game is not None and bool(game.players) and layout.draft[game.players[0]] == _favourite(layout)


_row("player-specific term, row", "ES119", "K", _player_term, shortest=4, test=_of_favourite)
_column("player-specific term, column", "ES119", "K", _player_term)


def _inverted(_context: Context, _where: Spot, old: str) -> str | None:
    return None if "VLOOKUP" in old else _replace("cmp", ">")(_context, _where, old)


_column("K rule inverted", "ES120", "cmp", _inverted)
_row("K rule inverted, row", "ES120 ES103", "cmp", _inverted, shortest=4)
_both("other side's K", "ES120", "K", _other("K", "other"), test=_has("K", "other"))


def _stale_k(context: Context, where: Spot, old: str) -> str | None:
    return _replace("K", "40")(context, where, old) if "k-rule" in context.layout.traits else None


_column("stale K", "ES120 ES105", "K", _stale_k)


def _past_forty(context: Context, where: Spot, text: str) -> bool:
    found = first_mark(text, "K")
    match = _RELATIVE.fullmatch(found[0]) if found else None
    return match is not None and context.value((where[0], (int(match[2]), column_number(match[1])))) == 20


_row("stale K, row", "ES105 ES120", "K", _stale_k, shortest=4, test=_past_forty)
_row(
    "error masked",
    "ES122",
    "",
    lambda c, w, o: f"=IFERROR({_body(o)},1500)",
    shortest=4,
    form=True,
    test=lambda c, w, o: "IFERROR" not in o and bool(marks(o) & {"upd", "prev", "base"}),
)
_row(
    "volatile",
    "ES506",
    "",
    lambda c, w, o: f"{o}+0*TODAY()",
    shortest=1,
    form=True,
    test=lambda c, w, o: bool(marks(o) & {"upd", "base", "diff"}),
)


# --- formulas gone ------------------------------------------------------------------------------------------


def _numeric_sites(context: Context) -> list[Spot]:
    return [
        where
        for run, cells in context.layout.runs.items()
        if len(cells) >= 5 and not run.startswith("LIST")
        for where in cells[1:-1]
        if context.value(where) is not None and _plays(context, where)
    ]


def _typed(shift: float) -> Plant:
    def plant(context: Context) -> Mutant | None:
        where = _choose(context, _numeric_sites(context))
        value = None if where is None else context.value(where)
        if where is None or value is None:
            return None
        draft = context.layout.draft.copy()
        step = shift if abs(value) > 2 else shift / 20
        draft[where] = round(value + step, 1) if shift and abs(value) > 2 else value + step
        return Mutant(draft, frozenset({where}), ("ES201",))

    return plant


_add("value typed over a formula", "ES201", _typed(6.7))
_add("frozen value, right today", "ES201", _typed(0.0))


def _blanked(context: Context) -> Mutant | None:
    where = _choose(context, _numeric_sites(context))
    if where is None:
        return None
    draft = context.layout.draft.copy()
    del draft.sheets[where[0]][where[1]]
    return Mutant(draft, frozenset({where}), ("ES202",))


_add("formula deleted", "ES202", _blanked)


def _ledger_cells(layout: Layout, row: int) -> list[Spot]:
    return [w for cells in layout.runs.values() for w in cells if w[0] == layout.ledger and w[1][0] == row]


def _ledger_rows(layout: Layout) -> list[int]:
    rows = sorted({w[1][0] for cells in layout.runs.values() if len(cells) > 3 for w in cells if w[0] == layout.ledger})
    return rows if len(rows) >= 8 and "no-order" not in layout.traits and layout.kind != "tournament" else []


def _frozen_wrong(context: Context) -> Mutant | None:
    layout = context.layout
    rows = _ledger_rows(layout)
    if not rows:
        return None
    cut = rows[len(rows) // 2]
    draft = layout.draft.copy()
    frozen = []
    for where, _ in layout.draft.formulas():
        value = context.values[where[0]].get(where[1])
        if where[0] == layout.ledger and rows[0] - 1 <= where[1][0] <= cut and isinstance(value, float | str):
            draft[where] = value
            frozen.append(where)
    rated = [w for w in frozen if w in layout.ratings and rows[2] <= w[1][0] < cut and _plays(context, w)]
    if not rated:
        return None
    where = context.rng.choice(rated)
    value = context.value(where)
    draft[where] = (value or 0.0) + 9.0
    return Mutant(draft, frozenset({where}), ("ES201",))


_add("frozen prefix with a wrong value", "ES201", _frozen_wrong)


def _not_filled(context: Context) -> Mutant | None:
    layout = context.layout
    rows = _ledger_rows(layout)
    if not rows:
        return None
    draft = layout.draft.copy()
    gone = _ledger_cells(layout, rows[-1])
    if "two rows" in layout.name:
        gone += _ledger_cells(layout, rows[-2])
    for sheet, place in gone:
        del draft.sheets[sheet][place]
    last = layout.games[-1]
    more = {*last.players, *last.scores, *last.ratings}
    return Mutant(draft, frozenset({*gone, *more}), ("ES202", "ES211", "ES401"))


_add("last game without formulas", "ES202 ES211 ES401", _not_filled)


# --- list and ledger out of step ----------------------------------------------------------------------------


def _list_rows(layout: Layout) -> list[int]:
    return [where[1][0] for where in next((c for r, c in layout.runs.items() if r.startswith("LIST")), [])]


def _shift_list(draft: Draft, layout: Layout, rows: Iterable[int], by: int, runs: Sequence[str] | None = None) -> None:
    for run, cells in layout.runs.items():
        if run.startswith("LIST") and (runs is None or run in runs):
            for where in cells:
                if where[1][0] in rows:
                    old = str(draft[where])
                    draft[where] = re.sub(r"(![A-Z]+)(\d+)", lambda m: f"{m[1]}{int(m[2]) + by}", old)


def _offset(context: Context) -> Mutant | None:
    layout = context.layout
    rows = _list_rows(layout)
    if not rows:
        return None
    at = len(rows) // 3 + context.rng.randrange(len(rows) // 3)
    draft = layout.draft.copy()
    _shift_list(draft, layout, rows[at:], -1)
    cells = {w for run, c in layout.runs.items() if run.startswith("LIST") for w in c if w[1][0] in rows[at:]}
    return Mutant(draft, frozenset(cells), ("ES210",))


def _offset_scores(context: Context) -> Mutant | None:
    layout = context.layout
    rows = _list_rows(layout)
    if not rows:
        return None
    at = len(rows) // 3 + context.rng.randrange(len(rows) // 3)
    run = sorted(run for run in layout.runs if run.startswith("LIST"))[-1]
    draft = layout.draft.copy()
    _shift_list(draft, layout, rows[at:], -1, [run])
    return Mutant(draft, frozenset(w for w in layout.runs[run] if w[1][0] in rows[at:]), ("ES210",))


def _dropped(context: Context) -> Mutant | None:
    layout = context.layout
    rows = _list_rows(layout)
    if not rows:
        return None
    at = len(rows) // 3 + context.rng.randrange(len(rows) // 3)
    draft = layout.draft.copy()
    _shift_list(draft, layout, rows[at:-1], 1)
    for sheet, place in _ledger_cells(layout, rows[-1]):
        del draft.sheets[sheet][place]
    game = layout.games[at]
    cells = {w for run, c in layout.runs.items() if run.startswith("LIST") for w in c if w[1][0] in rows[at:]}
    listed = {*game.players, *game.scores, (game.sheet, (game.row, 1))}
    return Mutant(draft, frozenset(cells | listed), ("ES211", "ES210"))


def _twice(context: Context) -> Mutant | None:
    """Rate one game in place of the next, which is never rated: the list was changed under a reference."""
    layout = context.layout
    rows = _list_rows(layout)
    if not rows:
        return None
    at = len(rows) // 3 + context.rng.randrange(len(rows) // 3)
    draft = layout.draft.copy()
    _shift_list(draft, layout, [rows[at]], -1)
    cells = {
        w for run, c in layout.runs.items() if run.startswith("LIST") for w in c if w[1][0] in rows[at - 1 : at + 1]
    }
    first, second = layout.games[at - 1], layout.games[at]
    listed = {cell for game in (first, second) for cell in (*game.players, *game.scores, (game.sheet, (game.row, 1)))}
    return Mutant(draft, frozenset(cells | listed), ("ES212", "ES211"))


_add("list and ledger out of step", "ES210", _offset)
_add("scores out of step with the list", "ES210", _offset_scores)
_add("game dropped", "ES211 ES210", _dropped)
_add("game rated twice", "ES212 ES211", _twice)


# --- data ---------------------------------------------------------------------------------------------------


def _entry(context: Context, test: Callable[[Entry], bool]) -> Entry | None:
    games = [game for game in context.layout.games if test(game)]
    inner = games[len(games) // 4 : -1] or games
    return context.rng.choice(inner) if inner else None


def _edit_cell(context: Context, where: Spot, content: float | str, codes: str, more: Iterable[Spot] = ()) -> Mutant:
    draft = context.layout.draft.copy()
    draft[where] = content
    return Mutant(draft, frozenset({where, *more}), tuple(codes.split()))


def _typed_scores(game: Entry) -> bool:
    return bool(game.scores)


def _scored(layout: Layout) -> bool:
    return "goals" not in layout.traits


def _text_score(context: Context) -> Mutant | None:
    game = _entry(context, _typed_scores)
    if game is None:
        return None
    where = game.scores[0]
    value = context.layout.draft[where]
    return _edit_cell(context, where, f"{value:g}" if isinstance(value, int | float) else str(value), "ES410")


def _text_rating(context: Context) -> Mutant | None:
    game = _entry(context, lambda g: bool(g.ratings))
    if game is None:
        return None
    return _edit_cell(context, game.ratings[0], f"{context.layout.draft[game.ratings[0]]:g}", "ES410")


def _domain(context: Context) -> Mutant | None:
    game = _entry(context, _typed_scores) if _scored(context.layout) else None
    return None if game is None else _edit_cell(context, game.scores[0], context.rng.choice((2, 10, -1)), "ES411")


def _half_date(context: Context) -> Mutant | None:
    layout = context.layout
    game = _entry(context, lambda g: bool(g.scores) and layout.draft[g.scores[0]] == 0.5) if _scored(layout) else None
    if game is None:
        return None
    mutant = _edit_cell(context, game.scores[0], 45659, "ES415")
    mutant.draft.formats[game.scores[0]] = "d-mmm"
    return mutant


_add("text for a score", "ES410", _text_score, form=True)
_add("text for a rating", "ES410", _text_rating, form=True)
_add("score out of domain", "ES411", _domain, measured=False)
_add("half a point became a date", "ES415", _half_date)


def _named(layout: Layout) -> bool:
    return bool(layout.traits & {"pool", "matrix", "period"}) and any(game.players for game in layout.games)


def _misspelt(change: Callable[[str], str], codes: str) -> Plant:
    def plant(context: Context) -> Mutant | None:
        layout = context.layout
        if not _named(layout):
            return None
        game = _entry(context, lambda g: bool(g.players))
        if game is None:
            return None
        where = context.rng.choice(game.players)
        name = str(layout.draft[where])
        return None if change(name) == name else _edit_cell(context, where, change(name), codes)

    return plant


_ALIKE = {"a": "а", "o": "о", "e": "е", "i": "і", "A": "А", "B": "В", "P": "Р", "T": "Т"}


def _alike(name: str) -> str:
    letter = next((letter for letter in name if letter in _ALIKE), "")
    return name.replace(letter, _ALIKE[letter], 1) if letter else name


_add("trailing blank", "ES412", _misspelt(lambda name: name + " ", "ES412"))
_add("no-break space", "ES412", _misspelt(lambda name: name + "\u00a0", "ES412"))
_add("look-alike letter", "ES413", _misspelt(_alike, "ES413"))
_add("case twin", "ES414", _misspelt(lambda name: name.upper(), "ES414"), form=True)


def _self_play(context: Context) -> Mutant | None:
    layout = context.layout
    game = _entry(context, lambda g: len(g.players) >= 2) if _named(layout) or layout.kind == "calculator" else None
    if game is None or layout.kind == "calculator":
        return None
    one, two = game.players[0], game.players[1]
    return _edit_cell(context, two, str(layout.draft[one]), "ES403", [one])


def _duplicate(context: Context) -> Mutant | None:
    layout = context.layout
    if not layout.games or layout.games[0].date is None or not _named(layout):
        return None
    at = context.rng.randrange(2, len(layout.games) - 2)
    draft = layout.draft.copy()
    first, second = layout.games[at], layout.games[at + 1]
    cells = set()
    for game in (first, second):
        cells |= {(game.sheet, (game.row, column)) for column in range(1, 8)}
    columns = [place[1][1] for place in (*second.players, *second.scores)] + [second.date[1][1] if second.date else 1]
    if "goals" in layout.traits:
        columns.append(second.scores[0][1][1] + 1)
    for column in columns:
        draft[second.sheet, (second.row, column)] = layout.draft.sheets[first.sheet][first.row, column]
    return Mutant(draft, frozenset(cells), ("ES406",))


def _out_of_order(context: Context) -> Mutant | None:
    game = _entry(context, lambda g: g.date is not None)
    if game is None or game.date is None:
        return None
    before = context.layout.draft[game.date]
    assert isinstance(before, int | float)
    games = context.layout.games
    near = games[games.index(game) - 1].date
    return _edit_cell(context, game.date, before - 40, "ES405", [near] if near else [])


def _shifted_dates(context: Context) -> Mutant | None:
    layout = context.layout
    if not layout.games or layout.games[0].date is None:
        return None
    at = len(layout.games) // 2
    draft = layout.draft.copy()
    cells = set()
    for game in layout.games[at : at + 4]:
        if game.date is not None:
            value = layout.draft[game.date]
            assert isinstance(value, int | float)
            draft[game.date] = value - 1462
            cells.add(game.date)
    return Mutant(draft, frozenset(cells), ("ES418", "ES405"))


def _wildcard(context: Context) -> Mutant | None:
    """Rename somebody everywhere to a name that a criterion function reads as a pattern."""
    layout = context.layout
    if "countif" not in layout.traits:
        return None
    name = _favourite(layout)
    new = context.rng.choice((name[:2] + "*", name[:-1] + "?"))
    draft = layout.draft.copy()
    cells = set()
    for sheet, own in layout.draft.sheets.items():
        for place, content in own.items():
            if content == name:
                draft[sheet, place] = new
                cells.add((sheet, place))
    cells |= {
        where for where, text in layout.draft.formulas() if "COUNTIF" in text or "SUMIF" in text or "MATCH" in text
    }
    return Mutant(draft, frozenset(cells), ("ES416",))


_add("self-play", "ES403", _self_play, measured=False, form=True)
_add("duplicate game", "ES406", _duplicate, form=True, note=True, measured=False)
_add("dates out of order", "ES405", _out_of_order, form=True, note=True)
_add("dates of the other calendar", "ES418 ES405", _shifted_dates, form=True, note=True)
_add("wildcard in a name", "ES416", _wildcard, form=True, measured=False)


# --- rankings -----------------------------------------------------------------------------------------------

_column("ranking upside down", "ES213", "asc", _replace("asc", ",1"))
_column("sorted upside down", "ES213", "sort", _replace("sort", "SMALL"))
_row("rank over too few", "ES213 ES125", "asc rng", _other("rng", "short"), form=True)
_row("sorted over too few", "ES213 ES125", "sort rng", _other("rng", "short"), form=True)


def _leader_fixed(context: Context) -> Mutant | None:
    """Let the list read the row of the player's last game until today."""
    layout = context.layout
    leads = layout.runs.get("LEAD", [])
    if not leads:
        return None
    where = context.rng.choice(leads)
    value = context.value(where)
    last = [
        cell
        for cell in layout.ratings
        if cell[0] == layout.ledger and value is not None and abs((context.value(cell) or 0) - value) < 1e-9
    ]
    if not last:
        return None
    draft = layout.draft.copy()
    draft[where] = "=" + spell(max(last, key=lambda cell: cell[1][0]))
    return Mutant(draft, frozenset({where}), ("ES124",))


_add("list reads a fixed row", "ES124", _leader_fixed, form=True)


def _games_sum(context: Context) -> Mutant | None:
    run = context.layout.runs.get("GAMES")
    if not run:
        return None
    where = context.rng.choice(run)
    draft = context.layout.draft.copy()
    draft[where] = f"=C{where[1][0]}+C{where[1][0]}"
    return Mutant(draft, frozenset({where}), ("ES214", "ES106"))


_add("totals wrong", "ES214 ES106", _games_sum)


# --- the book -----------------------------------------------------------------------------------------------


def _stale_everywhere(context: Context) -> Mutant | None:
    layout = context.layout
    if not layout.ratings or "odds" in layout.traits:
        return None
    draft = layout.draft.copy()
    draft.manual = True
    for where in layout.ratings[len(layout.ratings) // 2 :]:
        value = context.value(where)
        if value is not None and str(layout.draft[where]).startswith("="):
            draft.stored[where] = value + 11.5
    return Mutant(draft, frozenset(), ("ES501", "ES301"))


def _stale_one(context: Context) -> Mutant | None:
    layout = context.layout
    sites = [w for w in layout.ratings if str(layout.draft[w]).startswith("=")]
    if not sites or "odds" in layout.traits:
        return None
    where = context.rng.choice(sites)
    draft = layout.draft.copy()
    draft.stored[where] = (context.value(where) or 0.0) + 25
    return Mutant(draft, frozenset({where}), ("ES301",))


def _flag(name: str) -> Plant:
    def plant(context: Context) -> Mutant | None:
        if not context.layout.ratings:
            return None
        draft = context.layout.draft.copy()
        setattr(draft, name, name == "iterate")
        codes = {"iterate": "ES504", "full_precision": "ES503"}
        return Mutant(draft, frozenset(), (codes[name],))

    return plant


def _circular(context: Context) -> Mutant | None:
    """Let a new rating add to itself, as guides do that update a rating in its own cell."""
    where = _choose(context, _sites(context, ["base"], _rated, 1, 0))
    if where is None:
        return None
    draft = context.layout.draft.copy()
    own = cell_name(*where[1])
    draft[where] = retag(str(draft[where]), lambda name, _i, _a: own if name == "base" else None)
    return Mutant(draft, frozenset({where}), ("ES215", "ES504"))


def _external(context: Context) -> Mutant | None:
    where = _choose(context, _sites(context, ["K"], None, 1, 0))
    if where is None:
        return None
    draft = context.layout.draft.copy()
    draft[where] = _replace("K", "[1]Config!$B$1")(context, where, str(draft[where])) or ""
    draft.external = "other.xlsx"
    return Mutant(draft, frozenset({where}), ("ES505",))


def _hidden_game(context: Context) -> Mutant | None:
    layout = context.layout
    if len(layout.games) < 8 or "no-order" in layout.traits:
        return None
    game = context.rng.choice(layout.games[2:-2])
    draft = layout.draft.copy()
    draft.hidden_rows.add((game.sheet, game.row))
    used = draft.used(game.sheet)[1]
    return Mutant(draft, frozenset((game.sheet, (game.row, c)) for c in range(1, used + 1)), ("ES507",))


_add("manual calculation, stale", "ES501 ES301", _stale_everywhere, form=True, measured=False)
_add("stale result", "ES301", _stale_one, form=True, measured=False)
_add("iterative calculation", "ES504", _flag("iterate"), form=True, note=True)
_add("precision as displayed", "ES503", _flag("full_precision"), form=True)
_add("circular", "ES215 ES504", _circular, form=True, measured=False)
_add("external reference", "ES505", _external, form=True, measured=False)
_add("game in a hidden row", "ES507", _hidden_game, form=True)


def _repointed(context: Context) -> Mutant | None:
    """Read K through a name, and let the name point at the start value."""
    layout = context.layout
    sites = _sites(context, ["K"], None, 4, 0)
    if layout.spare is None or layout.k_cell is None or not sites or "q-form" in layout.traits:
        return None
    draft = layout.draft.copy()
    for where in sites:
        draft[where] = _replace("K", "K_factor")(context, where, str(draft[where])) or draft[where] or ""
    sheet, place = layout.spare
    draft.names["K_factor"] = f"{sheet}!${column_letters(place[1])}${place[0]}"
    return Mutant(draft, frozenset(), ("ES204", "ES106"))  # a name has no cell


def _points(every: bool) -> Plant:
    def plant(context: Context) -> Mutant | None:
        """Count a draw as a whole point in the table of points."""
        run = context.layout.runs.get("POINTS", [])
        chosen = run if every else run[1:2]
        draft = context.layout.draft.copy()
        for where in chosen:
            found = re.match(r"=SUMIF\(([^,]+),([^,]+),([^,)]+)\)$", plain(str(draft[where])))
            if found is None:
                return None
            who, name, score = found.groups()
            draft[where] = f"=COUNTIFS({who},{name},{score},1)+COUNTIFS({who},{name},{score},0.5)"
        return Mutant(draft, frozenset(chosen), ("ES104", "ES214")) if chosen else None

    return plant


def _forfeit(context: Context) -> Mutant | None:
    """Say beside a rated win that it was a forfeit."""
    layout = context.layout
    won = [g for g in layout.games if g.scores and layout.draft[g.scores[0]] == 1 and g.sheet == layout.ledger]
    if layout.kind not in ("log", "tournament") or not won:
        return None
    game = context.rng.choice(won)
    draft = layout.draft.copy()
    column = draft.used(game.sheet)[1] + 1
    draft[game.sheet, (game.row, column)] = context.rng.choice(("forfeit", "won by forfeit"))
    return Mutant(draft, frozenset((game.sheet, (game.row, c)) for c in range(1, column + 1)), ("ES417",))


_add("name points at another setting", "ES204 ES106", _repointed)
_add("draw a whole point in the table, row", "ES104 ES214", _points(False), form=True)
_add("draw a whole point in the table, column", "ES104 ES214", _points(True), form=True)
_add("forfeit rated", "ES417", _forfeit, form=True, note=True, measured=False)


def _short_validation(context: Context) -> Mutant | None:
    """Offer a list of scores for the first half of the rows only."""
    layout = context.layout
    cells = [score for game in layout.games for score in game.scores]
    if len(cells) < 8 or not _scored(layout) or len({cell[1][1] for cell in cells}) > 1:
        return None
    draft = layout.draft.copy()
    half = cells[: len(cells) // 2]
    draft.validations.append((half[0][0], f"{cell_name(*half[0][1])}:{cell_name(*half[-1][1])}", [1, 0.5, 0]))
    return Mutant(draft, frozenset(cells), ("ES510",))


def _short_chart(context: Context) -> Mutant | None:
    layout = context.layout
    run = next(
        (c for r, c in layout.runs.items() if len(c) >= 10 and c[0] in layout.ratings and c[0][0] == layout.ledger),
        None,
    )
    if run is None or "no-order" in layout.traits:
        return None
    draft = layout.draft.copy()
    column = column_letters(run[0][1][1])
    quoted = f"'{layout.ledger}'"
    draft.charts.append((layout.ledger, f"{quoted}!${column}${run[0][1][0]}:${column}${run[-4][1][0]}"))
    cells = {(layout.ledger, (row, run[0][1][1])) for row in range(run[0][1][0], run[-1][1][0] + 1)}
    return Mutant(draft, frozenset(cells), ("ES512",))


def _unprotected(context: Context) -> Mutant | None:
    """Leave one formula cell unlocked on a protected sheet."""
    sites = _sites(context, ["base"], _rated, 4, 0)
    where = _choose(context, sites)
    if where is None:
        return None
    draft = context.layout.draft.copy()
    draft.protected.add(where[0])
    draft.unlocked.add(where)
    return Mutant(draft, frozenset({where}), ("ES511",))


_add("validation too short", "ES510", _short_validation, form=True, note=True)
_add("chart too short", "ES512", _short_chart, form=True, note=True)
_add("formula cell unlocked", "ES511", _unprotected, form=True, note=True)


# --- the true effect ----------------------------------------------------------------------------------------


def perturbed(layout: Layout, draft: Draft) -> Draft:
    """Return the draft with other inputs: scores turned round, ratings, K and start moved."""
    new = draft.copy()
    turn = {1: 0.0, 0: 0.5, 0.5: 1.0}
    words = {"W": "L", "L": "D", "D": "W", "Sieg": "Niederlage", "Niederlage": "Remis", "Remis": "Sieg"}
    for i, game in enumerate(layout.games):
        for where in game.ratings:
            value = new[where]
            if isinstance(value, int | float) and value == layout.draft[where]:
                new[where] = value + 31 * (i % 5) - 40
        for where in game.scores:
            value = new[where]
            if isinstance(value, int | float) and value == layout.draft[where]:
                new[where] = turn.get(value, value) if "goals" not in layout.traits else value + i % 3
    for sheet, cells in layout.draft.sheets.items():
        for place, content in cells.items():
            if isinstance(content, str) and content in words and new.sheets[sheet].get(place) == content:
                new[sheet, place] = words[content]
    for setting in (layout.k_cell, layout.spare):
        if setting is not None:
            value = new[setting]
            assert isinstance(value, int | float)
            new[setting] = value + 7
    return new


def difference(ratings: Sequence[Spot], clean: tuple[Draft, Values], faulty: tuple[Draft, Values]) -> float | None:
    """Return the largest change of any rating cell, signed; None when one is no number any more."""
    worst = 0.0
    for where in ratings:
        before, after = number_at(*clean, where), number_at(*faulty, where)
        if before is None:
            continue
        if after is None:
            return None
        if abs(after - before) > abs(worst):
            worst = after - before
    return worst if abs(worst) > 1e-9 else 0.0


__all__ = ["OPERATORS", "Context", "Mutant", "Operator", "difference", "field", "perturbed"]
