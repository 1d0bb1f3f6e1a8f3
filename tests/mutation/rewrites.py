"""Rewrites that change no rating, and habits that are no fault: a verdict must stay silent about every one.

Each takes a layout and its numbers and returns a draft, or None where it does not apply. `same` says that an engine
must find the same ratings afterwards; the others change the rule for the whole book, which is its owner's right.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta

from elo_sheets.files.references import Place, cell_name, column_letters, column_number

from .draft import (
    Draft,
    Spot,
    first_mark,
    for_engine,
    insert_columns,
    insert_rows,
    marks,
    move_references,
    plain,
    rename_sheet,
    retag,
    spell,
)
from .layouts import Layout
from .operators import Context, _ledger_rows, _swap

Rewrite = Callable[[Context], Draft | None]


@dataclass(frozen=True)
class Equivalent:
    """A rewrite by name."""

    name: str
    rewrite: Rewrite
    same: bool = True


REWRITES: dict[str, Equivalent] = {}


def _add(name: str, *, same: bool = True) -> Callable[[Rewrite], Rewrite]:
    def add(rewrite: Rewrite) -> Rewrite:
        REWRITES[name] = Equivalent(name, rewrite, same)
        return rewrite

    return add


def _each(context: Context, change: Callable[[Spot, str], str | None]) -> Draft | None:
    """Return the draft with every formula changed that `change` has a new text for; None when there is none."""
    draft = context.layout.draft.copy()
    done = False
    for where, text in context.layout.draft.formulas():
        new = change(where, text)
        if new is not None and plain(new) != plain(text):
            draft[where] = new
            done = True
    return draft if done else None


def _parts(context: Context, mark: str, change: Callable[[str, Mapping[str, str]], str | None]) -> Draft | None:
    return _each(
        context, lambda _w, text: retag(text, lambda name, inner, also: change(inner, also) if name == mark else None)
    )


@_add("K times (E - S), negated")
def _negated(context: Context) -> Draft | None:
    def change(name: str, inner: str, _also: Mapping[str, str]) -> str | None:
        if name == "K":
            return f"(-{inner})"
        s, e = first_mark(inner, "S"), first_mark(inner, "Epart") or first_mark(inner, "E")
        return f"({e[0]}-{s[0]})" if name == "se" and s and e else None

    def formula(_where: Spot, text: str) -> str | None:
        return retag(text, change) if {"K", "se", "S", "E"} <= marks(text) and "loss" not in marks(text) else None

    return _each(context, formula)


@_add("one minus the other side")
def _one_minus(context: Context) -> Draft | None:
    def formula(where: Spot, text: str) -> str | None:
        if (
            not text.startswith("=1/⟦den")
            or "bonus" in marks(text)
            or text.count("⟦den") > 1
            or "opp" not in marks(text)
        ):
            return None
        swapped = _swap(context, where, text)
        return f"=1-{swapped[1:]}" if swapped and len(plain(text)) < 70 else None

    return _each(context, formula)


def _power(inner: str, _also: Mapping[str, str]) -> str | None:
    x = first_mark(inner, "x") or first_mark(inner, "qx")
    return f"POWER(10,{x[0]})" if x else None


def _exp(inner: str, _also: Mapping[str, str]) -> str | None:
    x = first_mark(inner, "x") or first_mark(inner, "qx")
    return f"EXP(LN(10)*({x[0]}))" if x else None


def _caret(inner: str, _also: Mapping[str, str]) -> str | None:
    x = first_mark(inner, "x") or first_mark(inner, "qx")
    return f"10^({x[0]})" if x else None


def _curve(change: Callable[[str, Mapping[str, str]], str | None]) -> Rewrite:
    def rewrite(context: Context) -> Draft | None:
        return _each(
            context,
            lambda _w, text: retag(text, lambda n, inner, also: change(inner, also) if n in ("pw", "qpw") else None),
        )

    return rewrite


_add("POWER")(_curve(_power))
_add("EXP(LN(10) x)")(_curve(_exp))
_add("caret")(_curve(_caret))


@_add("difference times minus one")
def _minus_one(context: Context) -> Draft | None:
    def change(name: str, inner: str, _also: Mapping[str, str]) -> str | None:
        own, opp = first_mark(inner, "own"), first_mark(inner, "opp")
        return f"(-1*({own[0]}-{opp[0]}))" if name == "diff" and own and opp and "⟦bonus" not in inner else None

    return _each(context, lambda _w, text: retag(text, change))


@_add("scale as a factor")
def _factor(context: Context) -> Draft | None:
    def change(inner: str, _also: Mapping[str, str]) -> str | None:
        scale = first_mark(inner, "sc")
        return f"*(1/{scale[0]})" if scale else None

    return _parts(context, "scale", change)


@_add("named K")
def _named_k(context: Context) -> Draft | None:
    layout = context.layout
    if layout.k_cell is None:
        return None
    draft = _parts(context, "K", lambda inner, _a: "K_factor" if "$" in inner else None)
    if draft is not None:
        sheet, place = layout.k_cell
        draft.names["K_factor"] = f"{_quoted(sheet)}!${column_letters(place[1])}${place[0]}"
    return draft


def _quoted(sheet: str) -> str:
    return f"'{sheet}'" if re.search(r"\W", sheet) else sheet


@_add("look-up respelt")
def _respelt(context: Context) -> Draft | None:
    def indexed(match: re.Match[str]) -> str:
        name, sheet, first, top, last, low = match.groups()
        del last
        result = column_letters(column_number(first) + 1)
        return f"INDEX({sheet}${result}${top}:${result}${low},MATCH({name},{sheet}${first}${top}:${first}${low},0))"

    exact = re.compile(r"VLOOKUP\(([A-Z]+\d+),((?:\w+!)?)\$([A-Z])\$(\d+):\$([A-Z])\$(\d+),2,FALSE\)")
    return _each(context, lambda _w, text: exact.sub(indexed, for_engine(plain(text))))


@_add("helper column")
def _helper(context: Context) -> Draft | None:
    """Move the surplus S − E into a column of its own at the right."""
    layout = context.layout
    draft = layout.draft.copy()
    free = {sheet: draft.used(sheet)[1] + 2 for sheet in draft.sheets}
    done = False
    for (sheet, place), text in layout.draft.formulas():
        surplus = first_mark(text, "se")
        run = layout.run_of((sheet, place))
        if surplus is None or run is None or "[[" in text:
            continue
        runs = [name for name, cells in layout.runs.items() if "se" in marks(str(layout.draft[cells[0]]))]
        column = free[sheet] + runs.index(run)
        draft[sheet, (place[0], column)] = f"={plain(surplus[0])}"
        target = cell_name(place[0], column)
        draft[sheet, place] = retag(text, lambda name, _i, _a, target=target: target if name == "se" else None)  # type: ignore[misc]
        done = True
    return draft if done else None


@_add("empty column inserted")
def _column_inserted(context: Context) -> Draft | None:
    layout = context.layout
    if layout.draft.tables or not layout.ledger:
        return None
    at = context.rng.randrange(2, 8)
    return insert_columns(layout.draft, layout.ledger, at)


@_add("sheet moved right")
def _moved_right(context: Context) -> Draft | None:
    layout = context.layout
    return insert_columns(layout.draft, layout.ledger, 1, 2) if layout.ledger else None


@_add("title rows on top")
def _title(context: Context) -> Draft | None:
    layout = context.layout
    if not layout.ledger or any("LOOKUP" in t or "ROW(" in t or "MATCH" in t for _, t in layout.draft.formulas()):
        return None
    draft = insert_rows(layout.draft, layout.ledger, 1, 2)
    draft[layout.ledger, (1, 1)] = "Our ratings"
    return draft


@_add("columns in another order")
def _reordered(context: Context) -> Draft | None:
    layout = context.layout
    if "log" not in layout.kind and "q-form" not in layout.traits:
        return None
    used = layout.draft.used(layout.ledger)[1]
    order = list(range(1, used + 1))
    context.rng.shuffle(order)

    def move(sheet: str, row: int, column: int) -> Place:
        return (row, order[column - 1]) if sheet == layout.ledger and column <= used else (row, column)

    draft = layout.draft.copy()
    for sheet, cells in layout.draft.sheets.items():
        draft.sheets[sheet] = {
            move(sheet, *place): move_references(c, sheet, move) if isinstance(c, str) and c.startswith("=") else c
            for place, c in cells.items()
        }
    draft.formats = {(s, move(s, *place)): text for (s, place), text in layout.draft.formats.items()}
    return draft


@_add("sheets renamed")
def _renamed(context: Context) -> Draft | None:
    draft = context.layout.draft
    for i, sheet in enumerate(list(draft.sheets)):
        draft = rename_sheet(draft, sheet, f"Blatt {i + 1}")
    return draft


@_add("sheets in another order")
def _sheet_order(context: Context) -> Draft | None:
    draft = context.layout.draft.copy()
    if len(draft.sheets) < 2:
        return None
    draft.sheets = dict(reversed(draft.sheets.items()))
    return draft


@_add("no decimals shown")
def _no_decimals(context: Context) -> Draft | None:
    draft = context.layout.draft.copy()
    for where in context.layout.ratings:
        draft.formats[where] = "0"
    return draft if context.layout.ratings else None


@_add("K from a table")
def _k_table(context: Context) -> Draft | None:
    layout = context.layout
    found = [text for _, text in layout.draft.formulas() if "K" in marks(text)]
    mark = first_mark(found[0], "K") if found else None
    k = layout.facts.get("k")
    if mark is None or k is None:
        return None
    draft = _parts(context, "K", lambda _i, _a: "INDEX('K table'!$B$2:$B$4,MATCH(1,'K table'!$A$2:$A$4,1))")
    if draft is not None:
        rows: dict[Place, float | str] = {(1, 1): "class", (1, 2): "K"}
        for i in range(3):
            rows[2 + i, 1], rows[2 + i, 2] = i + 1, k
        draft.sheets["K table"] = dict(rows)
    return draft


@_add("column of notes")
def _notes(context: Context) -> Draft | None:
    layout = context.layout
    if not layout.ledger:
        return None
    draft = layout.draft.copy()
    column = draft.used(layout.ledger)[1] + 2
    for i, game in enumerate(layout.games):
        if i % 3 == 0:
            draft[layout.ledger, (game.row, column)] = ("good game", "blitz", "K*(S-E), see above", "revenge!")[
                i // 3 % 4
            ]
    return draft


@_add("hidden sheet of helpers")
def _hidden(context: Context) -> Draft | None:
    draft = context.layout.draft.copy()
    draft.sheets["tmp"] = {(1, 1): "scratch", (2, 1): 17.0, (3, 1): "=A2*2"}
    draft.hidden_sheets.add("tmp")
    return draft


@_add("blanks in formulas")
def _blanks(context: Context) -> Draft | None:
    def formula(_where: Spot, text: str) -> str | None:
        shown = plain(text)
        return shown if '"' in shown else re.sub(r"(?<=[\w)\]])([+*/])(?=[\w($])", r" \1 ", shown)

    return _each(context, formula)


@_add("line breaks in formulas")
def _breaks(context: Context) -> Draft | None:
    return _each(context, lambda _w, text: plain(text).replace("/(1+", "/\n(1+").replace("IF(", "IF(\n "))


def _guard_cell(layout: Layout, row: int) -> str | None:
    game = next((game for game in layout.games if game.row == row), None)
    cells = (*game.scores, *game.players) if game else ()
    return next((cell_name(*place) for sheet, place in cells if sheet == layout.ledger), None)


@_add("guard for empty rows")
def _guard(context: Context) -> Draft | None:
    layout = context.layout

    def formula(where: Spot, text: str) -> str | None:
        cell = _guard_cell(layout, where[1][0])
        run = layout.run_of(where)
        if cell is None or run is None or where[0] != layout.ledger or len(layout.runs[run]) < 5:
            return None
        return f'=IF({cell}="","",{text[1:]})'

    return _each(context, formula) if "no-order" not in layout.traits else None


def _filled_down(context: Context, guard: str | None) -> Draft | None:
    """Copy the formulas of the last game into rows that wait for games."""
    layout = context.layout
    rows = _ledger_rows(layout)
    if not rows or layout.draft.tables or "two rows" in layout.name:
        return None
    draft = layout.draft.copy()
    last = rows[-1]
    cell = _guard_cell(layout, last)
    if guard and cell is None:
        return None
    for (sheet, (row, column)), text in layout.draft.formulas():
        if sheet != layout.ledger or row != last:
            continue
        for step in range(1, 7):

            def move(name: str, r: int, c: int, step: int = step) -> Place:
                return (r + step, c) if r > 3 or name == layout.ledger else (r, c)

            shown = plain(text)
            moved = _relative(shown, step)
            del move
            if guard:
                moved = f'=IF({_relative("=" + str(cell), step)[1:]}="","",{moved[1:]})'
            draft[sheet, (row + step, column)] = moved
    return draft


def _relative(formula: str, step: int) -> str:
    """Return the formula as copied down."""
    from elo_sheets.files.references import shift_formula

    return "=" + shift_formula(formula[1:], step, 0)


@_add("rows filled down with a guard")
def _prefilled(context: Context) -> Draft | None:
    return _filled_down(context, "guard") if "list" not in context.layout.traits else None


@_add("rows filled down, errors after the last game")
def _prefilled_errors(context: Context) -> Draft | None:
    layout = context.layout
    return _filled_down(context, None) if "matrix" in layout.traits else None


@_add("totals row")
def _totals(context: Context) -> Draft | None:
    layout = context.layout
    cells = [game.scores[0] for game in layout.games if game.scores and game.scores[0][0] == layout.ledger]
    if len(cells) < 5 or layout.draft.tables or layout.kind in ("tournament", "calculator"):
        return None
    if any(re.search(r"\$[A-Z]+\$?1:", plain(text)) and "[[" in text for _, text in layout.draft.formulas()):
        return None
    draft = layout.draft.copy()
    row, column = draft.used(layout.ledger)[0] + 2, cells[0][1][1]
    letter = column_letters(column)
    draft[layout.ledger, (row, column)] = f"=SUM({letter}{cells[0][1][0]}:{letter}{cells[-1][1][0]})"
    draft[layout.ledger, (row, 1 if column > 1 else 2)] = "Total"
    return draft


@_add("score in percent")
def _percent(context: Context) -> Draft | None:
    layout = context.layout
    scores = {score for game in layout.games for score in game.scores}
    if not scores or "goals" in layout.traits or "period" in layout.traits or layout.draft.tables:
        return None
    names = {cell_name(*place) for _, place in scores}
    if any(game.scores[0][0] != layout.ledger for game in layout.games) or "two rows" in layout.name:
        return None
    draft = layout.draft.copy()
    for where in scores:
        value = draft[where]
        assert isinstance(value, int | float)
        draft[where] = value * 100
    pattern = re.compile(r"(?<![A-Z$!:])(" + "|".join(sorted(names, key=len, reverse=True)) + r")(?![\d:(])")
    for where, text in layout.draft.formulas():
        if where[0] == layout.ledger:
            draft[where] = pattern.sub(r"(\1/100)", text)
    return draft


@_add("dates as text")
def _iso(context: Context) -> Draft | None:
    draft = context.layout.draft.copy()
    dated = [game.date for game in context.layout.games if game.date is not None]
    for where in dated:
        value = draft[where]
        assert isinstance(value, int | float)
        draft[where] = (date(1899, 12, 30) + timedelta(days=int(value))).isoformat()
        draft.formats.pop(where, None)
    return draft if dated else None


@_add("mixed anchors")
def _mixed(context: Context) -> Draft | None:
    return _each(
        context,
        lambda _w, text: re.sub(r"\$([A-Z]+)\$(\d+)(?![\d:])(?<!:)", r"\1$\2", text) if ":" not in text else None,
    )


@_add("plus zero")
def _zero(context: Context) -> Draft | None:
    layout = context.layout
    return _each(
        context, lambda where, text: f"{text}+0" if where in layout.ratings and where[0] == layout.ledger else None
    )


@_add("frozen prefix, right")
def _frozen(context: Context) -> Draft | None:
    layout = context.layout
    rows = _ledger_rows(layout)
    if not rows:
        return None
    draft = layout.draft.copy()
    cut = rows[len(rows) // 3] + (1 if "two rows" in layout.name and len(rows) // 3 % 2 == 0 else 0)
    for where, _ in layout.draft.formulas():
        value = context.values[where[0]].get(where[1])
        if where[0] == layout.ledger and rows[0] <= where[1][0] <= cut and isinstance(value, float | str):
            draft[where] = value
    return draft


@_add("half written as 1/2")
def _half(context: Context) -> Draft | None:
    return _parts(context, "draw", lambda _i, _a: "(1/2)")


@_add("round brackets too many")
def _brackets(context: Context) -> Draft | None:
    layout = context.layout
    return _each(context, lambda where, text: f"=({text[1:]})" if layout.run_of(where) else None)


@_add("another K", same=False)
def _another_k(context: Context) -> Draft | None:
    layout = context.layout
    k = random.Random(layout.seed).choice((7.5, 50, 120))
    if layout.k_cell is None:
        return None
    draft = layout.draft.copy()
    draft[layout.k_cell] = k
    return draft


@_add("another scale", same=False)
def _another_scale(context: Context) -> Draft | None:
    if "sc" not in {m for _, text in context.layout.draft.formulas() for m in marks(text)}:
        return None
    scale = context.rng.choice(("250", "1000"))
    done = _parts(context, "sc", lambda inner, _a: scale if inner.isdigit() else None)
    return done if done and "winner" not in context.layout.name else None


@_add("everything rounded", same=False)
def _rounded(context: Context) -> Draft | None:
    layout = context.layout

    def formula(where: Spot, text: str) -> str | None:
        return f"=ROUND({text[1:]},0)" if where in layout.ratings and where[0] == layout.ledger else None

    return _each(context, formula) if "odds" not in layout.traits else None


@_add("cap of 400 for all", same=False)
def _capped(context: Context) -> Draft | None:
    if "winner" in context.layout.name:
        return None
    return _parts(context, "diff", lambda inner, _a: f"MAX(-400,MIN(400,{inner}))" if inner.startswith("(") else None)


@_add("everybody's start moved", same=False)
def _start(context: Context) -> Draft | None:
    layout = context.layout
    if layout.spare is None or not layout.facts.get("start"):
        return None
    draft = layout.draft.copy()
    value = draft[layout.spare]
    assert isinstance(value, int | float)
    draft[layout.spare] = value - 700
    return draft


@_add("no stored results")
def _unsaved(context: Context) -> Draft | None:
    """Written by a program that does not calculate; the runner writes no results."""
    draft = context.layout.draft.copy()
    draft.stored = {where: None for where, _ in draft.formulas()}
    return draft if draft.stored else None


@_add("ranges longer than needed")
def _longer(context: Context) -> Draft | None:
    layout = context.layout

    def grown(match: re.Match[str]) -> str:
        return f"{match[1]}{int(match[2]) + 20}"

    def formula(_where: Spot, text: str) -> str | None:
        if "COUNTIF(" not in text or "LOOKUP" in text or "SUMPRODUCT" in text or "!" not in text:
            return None
        return re.sub(r"(!\$[A-Z]\$2:\$[A-Z]\$)(\d+)", grown, plain(text))

    return _each(context, formula) if layout.ledger else None


__all__ = ["REWRITES", "Equivalent", "spell"]
