"""Faults of what was typed: texts for numbers, odd scores, names that are nearly the same, games that repeat."""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from elo_sheets.expr import Call, walk
from elo_sheets.files.package import CellError
from elo_sheets.recognise.context import ERROR, WARNING, Context, Proposal
from elo_sheets.recognise.model import Area, Key, Model

# Letters of other scripts that look like Latin ones.
ALIKE = str.maketrans(
    "АВЕКМНОРСТУХаеорсухіјѕԁԛԝΑΒΕΖΗΙΚΜΝΟΡΤΥΧανορυ",
    "ABEKMHOPCTYXaeopcyxijsdqwABEZHIKMNOPTYXavopu",
)
BLANKS = re.compile(r"[\s\u00a0\u2000-\u200b\u202f\u3000\ufeff]+")
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
CALENDARS = 1462
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
    found += _self_play(model, inputs)
    dates = _dates(model, inputs)
    found += _order(model, dates)
    found += _repeats(model, inputs, dates)
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
        for key in cells:
            value = cell_value(model, key)
            text = _text(model, key)
            number = typed_number(text) if text is not None else None
            if number is not None:
                yield Proposal("ES410", (key,), values={key: number}, rank=0)
            elif isinstance(value, float) and column in inputs.scores and inputs.scored:
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


def _self_play(model: Model, inputs: Inputs) -> Iterator[Proposal]:
    if len(inputs.names) < 2:
        return
    for pair in zip(*inputs.names, strict=False):
        texts = [BLANKS.sub(" ", t).strip().casefold() for key in pair if (t := _text(model, key)) is not None]
        if len(texts) < len(pair):
            continue
        twice = [key for key, text in zip(pair, texts, strict=True) if texts.count(text) > 1]
        if twice:
            found = _text(model, twice[0])
            yield Proposal("ES403", tuple(twice), effect=0.0, confidence="proven", found=found, rank=0)


# --- dates --------------------------------------------------------------------------------------------------


def _dates(model: Model, inputs: Inputs) -> list[Key]:
    """The column of dates beside the games: typed numbers of the size of days, nearly all in order."""
    games = inputs.names[0] if inputs.names else inputs.scores[0] if inputs.scores else []
    rows = [key[1] for key in games]
    if len(rows) < 4:
        return []
    sheet = games[0][0]
    columns = {column for (row, column) in model.book.sheets[sheet] if row == rows[0]}
    for column in sorted(columns):
        keys = [(sheet, row, column) for row in rows]
        values = [cell_value(model, key) for key in keys]
        days = [v for v in values if isinstance(v, float) and FIRST_DATE < v < LAST_DATE]
        if (
            len(days) >= 0.8 * len(rows)
            and keys[0] not in games
            and column not in {k[2] for c in inputs.scores for k in c}
        ):
            rising = sum(a <= b for a, b in itertools.pairwise(days))
            if rising >= 0.8 * (len(days) - 1):
                return keys
    return []


def _order(model: Model, dates: Sequence[Key]) -> Iterator[Proposal]:
    days = [(key, v) for key in dates if isinstance(v := cell_value(model, key), float)]
    jump: list[Key] = []
    for (before, a), (key, b) in itertools.pairwise(days):
        if jump and abs(b - a) > CALENDARS - 60 and b > a:
            yield _shifted(jump)
            jump = []
        elif jump:
            jump.append(key)
        elif a - b > CALENDARS - 60:
            jump = [key]
        elif b < a:
            earlier = key if len(days) < 3 or b < days[0][1] or _stands_out(days, key) else before
            yield Proposal(
                "ES405", (earlier,), severity=WARNING, effect=0.0, confidence="proven", found=b, expected=a, rank=1
            )
    if jump:
        yield _shifted(jump)


def _stands_out(days: list[tuple[Key, float]], key: Key) -> bool:
    at = next(i for i, (k, _) in enumerate(days) if k == key)
    return at + 1 >= len(days) or days[at + 1][1] >= days[at - 1][1]


def _shifted(cells: list[Key]) -> Proposal:
    return Proposal("ES418", tuple(cells), severity=WARNING, effect=0.0, confidence="shape", rank=1)


def _repeats(model: Model, inputs: Inputs, dates: list[Key]) -> Iterator[Proposal]:
    if not dates or not inputs.names or not (told := [*inputs.scores, *inputs.numbers]):
        return
    seen: dict[tuple[object, ...], tuple[Key, ...]] = {}
    for at, date in enumerate(dates):
        names = [_text(model, column[at]) for column in inputs.names if at < len(column)]
        results = [cell_value(model, column[at]) for column in told if at < len(column)]
        is_played = any(result not in (None, "") for result in results)
        if None in names or cell_value(model, date) is None or not is_played:
            continue
        game = (cell_value(model, date), tuple(names), tuple(results))
        cells = tuple(column[at] for column in inputs.names)
        if game in seen and seen[game] != cells:  # a row of a list that a ledger reads twice is one game
            yield Proposal("ES406", cells, severity=WARNING, effect=0.0, confidence="proven", rank=1)
        seen.setdefault(game, cells)
