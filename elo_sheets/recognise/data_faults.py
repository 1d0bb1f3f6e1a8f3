"""Faults of what was typed: texts for numbers, odd scores, names that are nearly the same, games that repeat."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from elo_sheets.expr import Call, walk
from elo_sheets.files.package import CellError
from elo_sheets.recognise.context import ERROR, WARNING, Context, Proposal
from elo_sheets.recognise.entered import entered_faults
from elo_sheets.recognise.model import Area, Key, Model

# Letters of other scripts that look like Latin ones.
ALIKE = str.maketrans(
    "АВЕКМНОРСТУХаеорсухіјѕԁԛԝΑΒΕΖΗΙΚΜΝΟΡΤΥΧανορυ",
    "ABEKMHOPCTYXaeopcyxijsdqwABEZHIKMNOPTYXavopu",
)
BLANKS = re.compile(r"[\s\u00a0\u2000-\u200b\u202f\u3000\ufeff]+")
FEW = 0.1  # of a column of scores: where more of them lie outside of 0 to 1, it has points, of 2 a win, say
WILD = re.compile(r"[*?~]|^[<>=]")
CRITERIA = {
    "COUNTIF",
    "COUNTIFS",
    "SUMIF",
    "SUMIFS",
    "AVERAGEIF",
    "AVERAGEIFS",
    "MATCH",
    "VLOOKUP",
    "HLOOKUP",
    "XLOOKUP",
}
FIRST_DATE, LAST_DATE = 20000, 80000


@dataclass
class Inputs:
    """Where the typed data of the games stand; each list in the order of the games."""

    names: list[list[Key]] = field(default_factory=list)  # one list a side
    scores: list[list[Key]] = field(default_factory=list)
    ratings: list[list[Key]] = field(default_factory=list)
    numbers: list[list[Key]] = field(default_factory=list)  # goals and the like
    scored: bool = False  # the scores are 0, ½ and 1


def data_faults(context: Context, inputs: Inputs) -> list[Proposal]:
    """Return what is wrong with the typed cells."""
    model = context.model
    found = list(_numbers(model, inputs))
    found += _names(context, inputs)
    found += entered_faults(model, inputs.names, [*inputs.scores, *inputs.numbers])
    return found


def typed(model: Model, key: Key, depth: int = 4) -> Key:
    """The typed cell that a cell shows by plain references."""
    for _ in range(depth):
        tree = model.tree(key)
        if not isinstance(tree, Area) or not tree.single:
            return key
        key = (tree.sheet or key[0], tree.row, tree.column)
    return key


def _text(model: Model, key: Key) -> str | None:
    cell = model.cell(key)
    if cell is None or cell.formula is not None:
        return None
    value = cell.value
    return value if isinstance(value, str) and not isinstance(value, CellError) and value.strip() else None


def typed_number(text: str) -> float | None:
    """The number that a text spells, with blanks or a comma; None for other texts."""
    plain = BLANKS.sub("", text).lstrip("'")
    if re.fullmatch(r"[-+]?\d+([.,]\d+)?", plain):
        return float(plain.replace(",", "."))
    return {"½": 0.5, "1/2": 0.5}.get(plain)


# --- numbers ------------------------------------------------------------------------------------------------


def _numbers(model: Model, inputs: Inputs) -> Iterator[Proposal]:
    for column in (*inputs.scores, *inputs.ratings, *inputs.numbers):
        cells = [key for key in column if (cell := model.cell(key)) is not None and cell.formula is None]
        numbers = [key for key in cells if isinstance(cell_value(model, key), float)]
        if len(numbers) < max(2, len(cells) / 2):
            continue
        of_points = sum(not 0 <= value <= 1 for key in numbers if isinstance(value := cell_value(model, key), float))
        scored = column in inputs.scores and inputs.scored and of_points <= FEW * len(numbers)
        for key in cells:
            value = cell_value(model, key)
            text = _text(model, key)
            number = typed_number(text) if text is not None else None
            if number is not None:
                yield Proposal("ES410", (key,), values={key: number}, rank=0)
            elif isinstance(value, float) and scored:
                yield from _domain(key, value)


def cell_value(model: Model, key: Key) -> object:
    """What is typed in a cell."""
    cell = model.cell(key)
    return (
        None
        if cell is None
        else float(cell.value)
        if isinstance(cell.value, int) and not isinstance(cell.value, bool)
        else cell.value
    )


def _domain(key: Key, value: float) -> Iterator[Proposal]:
    if FIRST_DATE < value < LAST_DATE:
        yield Proposal("ES415", (key,), values={key: 0.5}, rank=0)
    elif not 0 <= value <= 1:
        yield Proposal("ES411", (key,), expected="0 to 1", found=value, values={key: min(1.0, max(0.0, value))}, rank=0)


# --- names --------------------------------------------------------------------------------------------------


def _names(context: Context, inputs: Inputs) -> Iterator[Proposal]:
    model = context.model
    places: dict[str, list[Key]] = {}
    for sheet, content in model.book.sheets.items():
        for place, cell in content.items():
            if cell.formula is None and isinstance(cell.value, str) and not isinstance(cell.value, CellError):
                places.setdefault(cell.value, []).append((sheet, *place))
    players: Counter[str] = Counter()
    for column in inputs.names:
        for key in column:
            name = _text(model, key)
            if name is not None:
                players[name] += 1
    plain: dict[str, list[str]] = {}
    for name in {*places}:
        plain.setdefault(_cleaned(name), []).append(name)
    done: set[str] = set()
    for name in sorted(players, key=lambda n: (players[n], n)):
        twins = [other for other in plain.get(_cleaned(name), []) if other != name and other not in done]
        twins = [
            t for t in twins if len(places[t]) > len(places[name]) or (len(places[t]) == len(places[name]) and t < name)
        ]
        if not twins:
            continue
        twin = max(twins, key=lambda t: len(places[t]))
        code = _difference(name, twin)
        done.add(name)
        cells = tuple(key for column in inputs.names for key in column if _text(model, key) == name)
        for key in cells:
            yield Proposal(
                code, (key,), severity=ERROR if code != "ES414" else WARNING, values={key: twin},
                message=f"{name!r} is nearly the name {twin!r}", rank=0,
            )  # fmt: skip
    yield from _wild(context, players, places)


def _cleaned(name: str) -> str:
    text = BLANKS.sub(" ", name).strip().translate(ALIKE)
    return unicodedata.normalize("NFKC", text).casefold()


def _difference(name: str, twin: str) -> str:
    if BLANKS.sub(" ", name).strip() != name or BLANKS.sub(" ", twin).strip() != twin:
        return "ES412"
    return "ES414" if name.casefold() == twin.casefold() else "ES413"


def _wild(context: Context, players: Counter[str], places: dict[str, list[Key]]) -> Iterator[Proposal]:
    model = context.model
    for name in sorted(players):
        if not WILD.search(name) or not any(c.isalpha() for c in name):
            continue
        key = next(
            (
                k
                for k, form in model.forms.items()
                if any(isinstance(n, Call) and n.function in CRITERIA for n in walk(form.tree))
            ),
            None,
        )
        if key is not None:
            message = f"the name {name!r} is read as a pattern by the criteria of the book's formulas"
            yield Proposal("ES416", (places[name][0],), message, severity=WARNING, effect=0.0, rank=0)
