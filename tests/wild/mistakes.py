"""Mistakes in five scopes: one cell, a block, from a row on to the end, a whole column, and in what was typed.

Those of the formulas' meaning are offered by the layout while it writes (`Draft.pick`); those of the hand are made
here: numbers typed over formulas, references that slid, anchors that were forgotten, ranges that end a row too early,
results that were not computed anew. Every mistake changes a number of the book; one that does not is drawn anew.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any

from openpyxl.formula.translate import Translator
from openpyxl.utils import get_column_letter as letters

from .layouts import draw
from .sheets import Cell, Draft, Place, Slip, differs

SCOPES = ("one cell", "a block", "from a row on", "a whole column", "the data")
TYPED_ROLES = ("name", "result", "goals", "start", "setting", "listed", "score typed", "date", "rating typed")
Values = Mapping[Place, Any]


@dataclass
class Mistake:
    """A wrong book: which cells are wrong, and what it stores where that is not what its formulas give."""

    scope: str
    role: str
    kind: str
    draft: Draft
    wrong: set[Place]
    stored: dict[Place, Any] = field(default_factory=dict)
    same_rows: bool = True  # cells of the sound book stand where they stood

    @property
    def name(self) -> str:
        return f"{self.scope}, {self.role}: {self.kind}"

    def matters(self, sound: Values, values: Values) -> bool:
        if self.stored or not self.same_rows:
            return True
        return any(
            differs(value, values.get(place)) for place, value in sound.items() if place not in self.wrong
        ) or any(
            differs(
                sound.get(place), values.get(place, self.draft.cell(place).content if _has(self.draft, place) else None)
            )
            for place in self.wrong
            if place in sound
        )


def _has(draft: Draft, place: Place) -> bool:
    return place[1:] in draft.sheets.get(place[0], {})


def changed(sound: Draft, wrong: Draft) -> set[Place]:
    """Return the places in which two books hold different contents."""
    places = {place for place, _ in (*sound.cells(), *wrong.cells())}
    return {
        place
        for place in places
        if (sound.cell(place).content if _has(sound, place) else None)
        != (wrong.cell(place).content if _has(wrong, place) else None)
    }


def stretch(scope: str, count: int, rng: Random) -> range:
    """Return which cells of a column of `count` are wrong."""
    if scope == "one cell":
        where = rng.randrange(min(2, count - 1), count)
        return range(where, where + 1)
    if scope == "a block":
        size = min(rng.randint(3, 6), max(2, count // 3))
        where = rng.randrange(1, max(2, count - size))
        return range(where, where + size)
    return range(rng.randint(count // 4, count // 2 + 1), count) if scope == "from a row on" else range(count)


# --- what is another rule and no mistake ---------------------------------------------------------------------

# a whole book so is a house rule that nobody can call wrong: these are mistakes in a part of a column only
HOUSE_RULES = {
    *(("change", kind) for kind in ("whole", "not_shared", "all_shared")),
    *(("expected", kind) for kind in ("rounded", "mean")),
    *(("margin", kind) for kind in ("one", "sum", "squared")),
    *(("k", kind) for kind in ("turned", "order", "typed")),
    *(("points", "two_points"), ("rank", "rating")),
}
OF_BOTH_SIDES = {
    ("k", "exchanged"),
    ("k", "own_row"),
    ("before", "sum"),
    ("before", "better"),
    ("before", "same_month_too"),
}
WITHOUT_A_CELL = {
    "k": ("k_typed", "k_halved", "k_dropped"),
    "scale": ("scale_typed", "scale_4000"),
}


def another_rule(scope: str, role: str, kind: str, sound: Draft) -> bool:
    """Whether the slip makes a book of another rule, which is no mistake: K 32 all over, say, where no cell says 20."""
    what = role.rstrip("*12 ")
    in_part = scope in ("one cell", "a block")
    if scope == "a whole column":
        if (what, kind) in HOUSE_RULES or (role.endswith("*") and (what, kind) in OF_BOTH_SIDES):
            return True
        if kind == "typed" and what in ("k", "margin"):
            return True
    return not in_part and any(
        kind in kinds and not sound.column(f"setting {setting}")
        for setting, kinds in WITHOUT_A_CELL.items()
        if setting == "k" or scope == "a whole column"
    )


# --- slips that the layout knows ----------------------------------------------------------------------------


def by_meaning(layout: str, seed: int, sound: Draft, scope: str, rng: Random) -> Iterator[Mistake]:
    """Yield the layout's own slips in this scope, in an order that is drawn."""
    offers = sorted((role, kind) for role, kind in sound.offered if role not in ("games", "list"))
    if scope == "a whole column":
        sides = {(role[:-1] + "*", kind) for role, kind in offers if role[-1:] == "1"}
        offers = sorted({*offers, *(each for each in sides if (each[0][:-1] + "2", each[1]) in sound.offered)})
    rng.shuffle(offers)
    met: dict[str, int] = {}
    offers.sort(key=lambda offer: met.update({offer[1]: met.get(offer[1], 0) + 1}) or met[offer[1]])
    for role, kind in offers:
        if another_rule(scope, role, kind, sound):
            continue
        roles = [role] if not role.endswith("*") else [role[:-1] + side for side in "12"]
        indices = sorted(sound.offered[roles[0], kind])
        inhabited = {
            index
            for index in indices
            for place in [sound.column(roles[0]).get(index)]
            if place is None or sound.cell(place).truth is not None
        }
        reach = [index for index in indices if index in inhabited or scope in ("from a row on", "a whole column")]
        if len(reach) < (4 if scope != "a whole column" else 3):
            continue
        cells = frozenset(reach[number] for number in stretch(scope, len(reach), rng))
        draft = draw(layout, seed, Slip(role, kind, cells))
        wrong = changed(sound, draft)
        if wrong:
            yield Mistake(scope, role, kind, draft, wrong)


# --- slips of the hand --------------------------------------------------------------------------------------

_REFERENCE = re.compile(r"(?<![\w!.:'])(\$?)([A-Z]{1,2})(\$?)(\d+)(?![\w(:])")
_SETTING = re.compile(r"(?<![\w!.:'])\$([A-Z]{1,2})\$(\d+)(?![\w(:])")
_RANGE_END = re.compile(r"(:\$?[A-Z]{1,2}\$?)(\d+)")


def slid(cell: Cell, offset: int, rng_pick: int) -> str | None:
    """One relative reference reads the row above."""
    found = [m for m in _REFERENCE.finditer(str(cell.content)) if not m[3] and int(m[4]) > 2]
    if not found:
        return None
    match = found[rng_pick % len(found)]
    return f"{str(cell.content)[: match.start(4)]}{int(match[4]) - 1}{str(cell.content)[match.end(4) :]}"


def unanchored(cell: Cell, offset: int, rng_pick: int) -> str | None:
    """An anchor was forgotten and the formula filled down: the fixed cell moves along."""
    found = list(_SETTING.finditer(str(cell.content)))
    if not found:
        return None
    match = found[rng_pick % len(found)]
    text = str(cell.content)
    return f"{text[: match.start()]}{match[1]}{int(match[2]) + offset}{text[match.end() :]}"


def ends_early(cell: Cell, offset: int, rng_pick: int) -> str | None:
    """Every range ends one row too early."""
    text = str(cell.content)
    short = _RANGE_END.sub(lambda match: f"{match[1]}{max(1, int(match[2]) - 1)}", text)
    return short if short != text else None


def setting_typed(cell: Cell, offset: int, rng_pick: int) -> str | None:
    """The number of another day stands where the formula should read the setting."""
    text = str(cell.content)
    found = list(_SETTING.finditer(text))
    return text.replace(found[rng_pick % len(found)][0], "25") if found else None


HANDS: dict[str, Callable[[Cell, int, int], str | None]] = {
    "slid": slid,
    "unanchored": unanchored,
    "ends early": ends_early,
    "setting typed": setting_typed,
}


def _deviation(value: Any, rng: Random) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if abs(value) < 1.5:
        return round(value + rng.choice((-0.4, -0.25, 0.3, 0.45)), 2)
    return round(value + rng.choice((-1, 1)) * rng.choice((2, 5, 9, 14, 40)) * max(1.0, abs(value) / 1500), 1)


def by_hand(sound: Draft, values: Values, scope: str, rng: Random) -> Iterator[Mistake]:
    roles = sorted(
        {cell.at.role for _, cell in sound.cells() if cell.at and cell.is_formula and cell.truth is not None}
    )
    kinds = [(role, kind) for role in roles for kind in (*HANDS, "typed", "stale", "missing")]
    rng.shuffle(kinds)
    for role, kind in kinds:
        column = sound.column(role)
        indices = sorted(index for index, place in column.items() if sound.cell(place).truth is not None)
        absent = kind == "missing" and scope == "a whole column"
        if len(indices) < 4 or absent or another_rule(scope, role, kind, sound):
            continue
        draft, stored, wrong = sound.copy(), {}, set()
        pick = rng.randrange(9)
        for offset, number in enumerate(stretch(scope, len(indices), rng)):
            place = column[indices[number]]
            cell = draft.cell(place)
            if kind in HANDS:
                text = HANDS[kind](cell, offset + (scope in ("one cell", "a block")), pick)
                if text is not None and text != cell.content:
                    cell.content = text
                    wrong.add(place)
                continue
            number_there = _deviation(values.get(place), rng)
            if number_there is None:
                continue
            wrong.add(place)
            if kind == "stale":
                stored[place] = number_there
            else:
                cell.content, cell.array = (number_there if kind == "typed" else None), False
        if wrong:
            yield Mistake(scope, role, kind, draft, wrong, stored)


# --- what was typed -----------------------------------------------------------------------------------------


def _other_letter(name: str) -> str:
    middle = len(name) // 2
    return name[:middle] + name[middle] + name[middle:]


TYPED: dict[str, tuple[tuple[str, ...], Callable[[Any], Any]]] = {
    "blank behind a name": (("name",), lambda value: f"{value} "),
    "a letter too many": (("name",), _other_letter),
    "no result": (("result", "goals"), lambda value: None),
    "number as text": (("result", "goals", "start", "listed k", "rating typed", "period"), lambda value: f"{value} "),
    "setting as text": (("setting",), lambda value: f"{value} "),
    "setting emptied": (("setting",), lambda value: None),
    "ten for one": (("result",), lambda value: 10 if value in (1, 0.5) and not isinstance(value, str) else value),
    "unknown letter": (("result",), lambda value: {"W": "V", "D": "R", "L": "T"}.get(value, value)),
    "wide colon": (("result",), lambda value: value.replace(":", "：") if isinstance(value, str) else value),
    "result with a blank": (("result",), lambda value: f"{value} " if isinstance(value, str) else value),
    "minus goals": (("goals",), lambda value: -value - 1 if isinstance(value, int) else value),
    "start as text": (("start",), lambda value: f"{value} pts"),
    "name on the list": (("listed",), lambda value: f"{value} "),
    "no name": (("name",), lambda value: None),
    "no start rating": (("start",), lambda value: None),
    "comma in a number": (("start", "rating typed", "setting"), lambda value: f"{value:.1f}".replace(".", ",")),
    "result as a date": (
        ("result",),
        lambda value: dt.date(2024, 1, 3) if ":" in str(value) or "-" in str(value) else value,
    ),
}


def by_data(layout: str, seed: int, sound: Draft, rng: Random) -> Iterator[Mistake]:
    typed = [(place, cell) for place, cell in sound.cells() if cell.at and not cell.is_formula]
    offers: list[tuple[str, str]] = [("typed", kind) for kind in (*TYPED, "self-game", "name twice on the list")]
    offers += sorted((role, kind) for role, kind in sound.offered if role in ("games", "list"))
    rng.shuffle(offers)
    for role, kind in offers:
        if role in ("games", "list"):
            draft = draw(layout, seed, Slip(role, kind, frozenset({0})))
            yield Mistake("the data", role, kind, draft, set(draft.extra_wrong), same_rows=role == "list")
            continue
        draft, wrong = sound.copy(), set()
        if kind == "name twice on the list":
            listed = sound.column("listed")
            if len(listed) > 2:
                one, two = rng.sample(sorted(listed), 2)
                draft.cell(listed[two]).content = sound.cell(listed[one]).content
                wrong = {listed[one], listed[two]}
        elif kind == "self-game":
            ones, twos = sound.column("name 1"), sound.column("name 2")
            both = sorted(set(ones) & set(twos))
            if len(both) > 4:
                index = rng.choice(both[2:])
                draft.cell(twos[index]).content = sound.cell(ones[index]).content
                wrong = {ones[index], twos[index]}
        else:
            roles, change = TYPED[kind]
            fitting = [
                (place, cell)
                for place, cell in typed
                if cell.at and cell.at.role.startswith(roles) and change(cell.content) != cell.content
            ]
            if kind in ("number as text", "no result", "ten for one"):
                fitting = [each for each in fitting if kind == "no result" or not isinstance(each[1].content, str)]
            if fitting:
                place, cell = rng.choice(fitting)
                draft.cell(place).content = change(cell.content)
                wrong = {place}
                if kind == "no result" and cell.at and cell.at.role.startswith("goals"):
                    other = "goals 2" if cell.at.role == "goals 1" else "goals 1"
                    also = sound.column(other).get(cell.at.index)
                    if also:
                        draft.cell(also).content = None
                        wrong.add(also)
        if wrong:
            yield Mistake("the data", sorted(wrong)[0][0], kind, draft, wrong)


def all_of(layout: str, seed: int, sound: Draft, values: Values, scope: str) -> Iterator[Mistake]:
    """Yield the mistakes of a scope, of meaning and of the hand in turn."""
    rng = Random(f"{layout} {seed} {scope}")
    if scope == "the data":
        yield from by_data(layout, seed, sound, rng)
        return
    meant, made = by_meaning(layout, seed, sound, scope, rng), by_hand(sound, values, scope, rng)
    while True:
        some = [each for source in (meant, meant, made) for each in [next(source, None)] if each]
        if not some:
            return
        yield from some


def filled_down(text: str, first: Place, place: Place) -> str:
    """Return a formula of `first` as filling it to `place` writes it."""
    origin, target = (f"{letters(each[2])}{each[1]}" for each in (first, place))
    return Translator(text, origin=origin).translate_formula(target) if origin != target else text
