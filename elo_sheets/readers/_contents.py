"""What the cells of a column look like: names, days, numbers, results; the evidence for what its heading says."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from itertools import combinations, permutations

from elo_sheets.readers._dates import Order, is_partial, read_clock, read_date
from elo_sheets.readers._headings import BLACK, WHITE, named, words_of
from elo_sheets.readers._results import (
    BYE,
    CROSSES,
    FORFEIT,
    LETTERS,
    NUMBERS,
    UNFINISHED,
    UNKNOWN,
    Outcome,
    outcome,
    tidy,
)
from elo_sheets.readers._said import KNOWN, LOST, WON
from elo_sheets.readers._text import YES_NO, identity, words
from elo_sheets.readers._words import plain, table

MOST = 0.8  # of the cells must be of a kind
VERSUS = frozenset({"v", "vs", "v.", "vs.", "x", ":", "–", "gegen"})  # between two names
NO_GAME = (FORFEIT, UNFINISHED, BYE)
RESULT_SHAPE = re.compile(
    r"\s*(?:\d{1,3}|1/2|½|[01]?[.,]5|\d½)\s*[-–—−:x×]\s*(?:\d{1,3}|1/2|½|[01]?[.,]5|\d½)\s*|½|1/2"
)
COUNTED_DAY = re.compile(r"\d{5}(?:[.,]\d+)?|(?:19|20)\d{6}|1\d{9}|1\d{12}")  # since 1900, as 20240131, since 1970
NOTHING = frozenset({"", "-", "?", "na", "n/a", "nan", "none", "null", "tbd"})
WHITE_WORDS = WHITE | words("w weiß s- home h heim local 1 vs белые")
BLACK_WORDS = BLACK | words("b away a @ at gast visitante auswärts черные чёрные 2")
SETS = frozenset(table("repeated")["sets"])
TO_THE_SECOND = re.compile(r"\d:\d\d:\d\d")
NUMBER_SHAPE = re.compile(r"-?\d+(?:[.,]\d+)?")
SOON = 31  # days: who fills in a form remembers this month's games
SHARED = 0.2  # of the names of one side must be on the other side too


def filled(cells: Sequence[str]) -> list[str]:
    """Return the cells in which something stands."""
    return [text for cell in cells if (text := cell.strip()).casefold() not in NOTHING]


def share(cells: Sequence[str], fits: Callable[[str], object]) -> float:
    """Return how large a part of the cells fits, 0 of none."""
    return sum(map(bool, map(fits, cells))) / len(cells) if cells else 0.0


def are_mostly(cells: Sequence[str], fits: Callable[[str], object]) -> bool:
    """Tell whether the share of the cells that fit is large enough; of others only so many are looked at as tell it."""
    others = 0
    for cell in cells:
        if not fits(cell):
            others += 1
            if (len(cells) - others) / len(cells) < MOST:
                return False
    return bool(cells)


def kind_of(cells: Sequence[str]) -> str:
    """Return what a column holds: number, result, date, name, other, or nothing.

    >>> kind_of(["1-0", "0-1"]), kind_of(["Ann", "Bob"]), kind_of(["2024-01-31", ""])
    ('result', 'name', 'date')
    """
    cells = [cell.strip() for cell in cells if cell.strip()]
    if not cells:
        return "nothing"
    for kind, fits in (("number", is_number), ("result", RESULT_SHAPE.fullmatch), ("date", is_date)):
        if are_mostly(cells, fits):
            return kind
    return "name" if all(any(c.isalpha() for c in cell) for cell in cells) else "other"


def is_number(cell: str) -> bool:
    return len(cell) < 8 and NUMBER_SHAPE.fullmatch(cell) is not None


@lru_cache(maxsize=4096)  # the same cells are asked of by each way of telling a table
def is_date(cell: str) -> bool:
    """Whether a cell is a day, whichever of day and month comes first."""
    orders: tuple[Order, ...] = ("dmy", "mdy")
    for order in orders:
        try:
            return read_date(cell, order) is not None
        except ValueError:
            continue
    return False


def are_points(cells: Sequence[str]) -> bool:
    """Whether a column holds numbers, halves among them, and perhaps words for games that do not count."""
    some = [cell for cell in filled(cells) if outcome(cell).reason not in NO_GAME]
    return are_mostly(some, lambda cell: is_number(cell.replace("½", ".5" if len(cell) > 1 else "0.5")))


def _is_result(cell: str) -> bool:
    found = outcome(cell)
    return found.score is not None or found.reason != UNKNOWN or tidy(cell) in LETTERS or cell.casefold() in YES_NO


def _is_name(cell: str) -> bool:
    return any(c.isalpha() for c in cell)


FITS: dict[str, Callable[[str], object]] = {
    "date": lambda cell: is_date(cell) or is_partial(cell) or COUNTED_DAY.fullmatch(cell),
    "time": read_clock,
    **dict.fromkeys(("status", "remarks"), _is_name),
    "played": lambda cell: cell.casefold() in YES_NO,
    "void": lambda cell: cell.casefold() in YES_NO or not is_number(cell) or COUNTED_DAY.fullmatch(cell),
    "forfeit": lambda cell: cell.casefold() in YES_NO or outcome(cell).reason == FORFEIT,
    "score": lambda cell: _is_result(cell) or _is_name(cell),
    **dict.fromkeys(("white", "black", "winner", "loser", "owner", "opponent"), _is_name),
    **dict.fromkeys(("white_points", "black_points", "white_rating", "black_rating"), is_number),
}


def fits(role: str, cells: Sequence[str]) -> bool:
    """Whether a column can hold what a role needs; an empty one can."""
    some = filled(cells)
    if role == "opponent":  # or a word between two sides
        return not some or not {cell.casefold() for cell in some} <= VERSUS
    return role not in FITS or not some or are_mostly(some, FITS[role])


def is_days(cells: Sequence[str]) -> bool:
    """Whether a column holds days that can be nothing else."""
    some = filled(cells)
    return are_mostly(some, lambda cell: not cell.isdecimal() and is_date(cell))


def _are_days_of(cells: Sequence[str], stamps: Sequence[str]) -> bool:
    """Whether a column holds the days of what was written down, as a form does, at moments to the second soon after."""
    if not is_days(cells) or ":" in "".join(cells) or not all(map(TO_THE_SECOND.search, stamps)) or "" in cells:
        return False
    orders: tuple[Order, ...] = ("dmy", "mdy")
    for order in orders:
        try:
            days = [[read_date(text, order) for text in column] for column in (cells, stamps)]
        except ValueError:
            continue
        gaps = [(stamp.date() - day.date()).days for day, stamp in zip(*days, strict=True) if day and stamp]
        if len(gaps) == len(cells) and gaps and all(0 <= gap <= SOON for gap in gaps):
            return True
    return False


def are_clocks(cells: Sequence[str]) -> bool:
    """Whether a column holds times of day, as games begin at: in steps of five minutes, and mostly after six.

    `3:1` and `25:20` are scores.
    """
    clocks = [found for cell in filled(cells) if (found := re.fullmatch(r"(\d{1,2}):(\d\d)(?::00)?", cell))]
    in_steps = all(int(one[2]) % 5 == 0 and int(one[2]) < 60 and int(one[1]) < 24 for one in clocks)
    late = sum(int(one[1]) > 6 for one in clocks) >= MOST * len(clocks)
    return (
        bool(clocks)
        and len(clocks) == len(filled(cells))
        and in_steps
        and late
        and any(one[2] in ("00", "30") for one in clocks)
    )


def are_sides(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether two columns name the same people, never one twice in a row."""
    if kind_of(one) != "name" or kind_of(other) != "name":
        return False
    here, there = (set(map(identity, filled(cells))) for cells in (one, other))
    apart = all(identity(a) != identity(b) for a, b in zip(one, other, strict=True) if a.strip())
    return apart and len(here & there) >= SHARED * min(len(here), len(there)) and len(here | there) > 2


def is_match(one: Sequence[str], other: Sequence[str], results: Sequence[str]) -> bool:
    """Whether columns hold the boards of two teams: everybody once, with a result of two numbers in most rows."""
    boards = [row for row in zip(one, other, results, strict=True) if row[0].strip() and row[1].strip()]
    names = [identity(name) for row in boards for name in row[:2]]
    told = [row[2].strip() for row in boards if outcome(row[2]).reason not in (*NO_GAME, CROSSES)]
    apart = len(set(names)) == len(names) and len(boards) > 2 and kind_of(one) == kind_of(other) == "name"
    return apart and are_mostly(told, lambda cell: outcome(cell).score is not None and not is_number(cell))


def names_winner(cells: Sequence[str], one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether a column names one of the two sides of its row, or a draw."""
    keys = [tuple(map(identity, some)) for some in zip(cells, one, other, strict=True)]
    told = [(won, white, black) for won, white, black in keys if won]
    by_name = [won in (white, black) for won, white, black in told]
    return any(by_name) and all(
        known or outcome(won).score == 0.5 for known, (won, _, _) in zip(by_name, told, strict=True)
    )


def in_words(text: str, white: str, black: str) -> Outcome | None:
    """Return the outcome of a result that begins with a side's name and a word for what it did: `Ann won by 3`."""
    bare = " ".join(text.casefold().split())
    for name, score in ((white, 1.0), (black, 0.0)):
        if bare.startswith(f"{name.casefold()} "):
            verb = plain(bare[len(name) :].split()[0])
            if verb == "by":
                return Outcome(score)
            return Outcome({WON: score, LOST: 1 - score}[KNOWN[verb]]) if KNOWN.get(verb) in (WON, LOST) else None
    return None


def tells_winner(cells: Sequence[str], one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether a column says in words which side of its row won, as in `Ann won on time` and `Bob resigned`."""
    told = [(cell.strip(), *two) for cell, *two in zip(cells, one, other, strict=True) if cell.strip()]
    by_name = sum((found := in_words(*some)) is not None and found.score is not None for some in told)
    others = sum(in_words(*some) is None and outcome(some[0]).reason != UNKNOWN for some in told)
    return by_name > 1 and by_name + others >= MOST * len(told)


# Roles that only the cells tell


def told_by_cells(
    roles: Mapping[str, int], headers: Sequence[str], rows: Sequence[Sequence[str]]
) -> tuple[dict[str, int], list[str]]:
    """Return roles with those of columns whose headers say nothing and whose cells can be nothing else; and remarks.

    Sides are told by the names that both columns have in common, a winner by naming one of the two in each row. A role
    for which two columns would do is left open.
    """
    found = dict(roles)
    columns = [[row[at] if at < len(row) else "" for row in rows] for at in range(len(headers))]
    free = [at for at in range(len(headers)) if at not in found.values()]
    others = {at for at in free if named(headers[at]) not in ("", "score")}  # their headings say something else
    remarks: list[str] = []
    if "time" in found and "date" not in found and is_days(columns[found["time"]]):
        found["date"] = found.pop("time")
    if not {"opponent", "loser", "white", "black"} & found.keys():
        _take_sides(found, headers, columns, free, remarks)
    _take_unnamed(found, headers, columns, remarks)
    pairs = (("white", "black"), ("owner", "opponent"), ("winner", "loser"))
    pair = next((pair for pair in pairs if {*pair} <= found.keys()), ())
    if pair and "score" in found and set(words_of(headers[found["score"]])) <= SETS:  # Leg 1, 2 beside HG and AG
        beside = "white_points" in found or len(_twins(found, pair, headers, columns, free)) == 1
        free += [found.pop("score")] if beside else []
    is_open = bool(pair) and not ({"score", "winner", "white_points"} - {*pair}) & found.keys()
    twins = _twins(found, pair, headers, columns, free) if is_open else []
    is_open &= pair == pairs[0]
    if len(twins) > 1:  # Punkte W, Punkte S before Wertung W, Wertung S
        twins = [pair for pair in twins if "score" in map(named, words_of(headers[pair[0]]))] or twins
    remarks += _take_points(found, headers, columns, twins)
    if is_open and "white_points" not in found:
        told = [at for at in free if tells_winner(columns[at], columns[found["white"]], columns[found["black"]])]
        results = told if len(told) == 1 else [at for at in free if at not in others and _is_of_results(columns[at])]
        results = [at for at in results if at not in {one for two in twins for one in two}]
        various = [at for at in results if len(set(filled(columns[at]))) > 1]
        small = [at for at in free if share(filled(columns[at]), lambda cell: is_number(cell) and len(cell) < 3) == 1]
        both = len(small) > 1 and set(small) & set(various or results)  # one may be the points of the other side
        _take(found, "score", small if both else various or results, headers, remarks)
    if not {"white", "black", "opponent", "winner", "loser"} & found.keys() or not rows:
        return dict(roles), []
    if "opponent" in found and "owner" not in found:
        names = [at for at in free if are_sides(columns[at], columns[found["opponent"]])]
        _take(found, "owner", names if len(names) == 1 else [], headers, remarks)
    if "date" not in found:
        _take(found, "date", [at for at in free if is_days(columns[at])], headers, remarks)
    elif len(asked := [at for at in free if _are_days_of(columns[at], columns[found["date"]])]) == 1:
        remarks.append(
            f"the games were played on the days in {headers[asked[0]].strip()!r}, and written down at the times in "
            f"{headers[found['date']].strip()!r}; --map date=… says otherwise"
        )
        found["date"] = asked[0]
    if "opponent" in found and "colour" not in found:
        _take(found, "colour", [at for at in free if _is_of_colours(columns[at])], headers, remarks)
    if "opponent" in found and not {"score", "winner", "white_points"} & found.keys():
        left = [at for at in free if at not in {*found.values(), *others} and _is_of_results(columns[at])]
        _take(found, "score", left, headers, remarks)
    return found, remarks


def _take_sides(
    found: dict[str, int],
    headers: Sequence[str],
    columns: Sequence[Sequence[str]],
    free: Sequence[int],
    remarks: list[str],
) -> None:
    names = [at for at in free if kind_of(columns[at]) == "name"]
    pairs = [(one, other) for one, other in combinations(names, 2) if are_sides(columns[one], columns[other])]
    told = [(pair, at) for pair in pairs for at in names if at not in pair]
    won = [(pair, at) for pair, at in told if names_winner(columns[at], *(columns[side] for side in pair))]
    if len(won) == 1:
        pairs = [won[0][0]]
        found["winner"] = won[0][1]
    if not pairs and "score" in found:  # under the names of the teams
        pairs = [two for two in combinations(names, 2) if is_match(*(columns[at] for at in (*two, found["score"])))]
    if len(pairs) != 1:
        return
    found["white"], found["black"] = pairs[0]
    one, other = (headers[at].strip() for at in pairs[0])
    if not are_sides(*(columns[at] for at in pairs[0])):
        remarks.append(
            f"the columns {one!r} and {other!r} were read as the boards of two teams, the first at home or White"
        )
        return
    remarks.append(
        f"the columns {one!r} and {other!r} were read as the two sides, the first at home or White, because the same "
        "names stand in both; --map white=… and --map black=… say otherwise"
    )


def _take_unnamed(
    found: dict[str, int], headers: Sequence[str], columns: Sequence[Sequence[str]], remarks: list[str]
) -> None:
    """Give roles to columns without a heading that say why a game does not count, or hold points beside the sides."""
    free = [at for at, header in enumerate(headers) if not header.strip() and at not in found.values()]
    told = [at for at in free if (some := filled(columns[at])) and all(outcome(one).reason in NO_GAME for one in some)]
    if len(told) == 1 and "status" not in found:
        found["status"] = told[0]
        remarks.append(
            f"the column without a heading, with {filled(columns[told[0]])[0]!r}, was read as what became of the games"
        )
    pairs = [(at - 1, at + 1) for at in free if set(filled(columns[at])) == {":"}]  # 4 | : | 2
    if not pairs and {"winner", "loser"} <= found.keys():
        pairs = [(found["winner"] + 1, found["loser"] + 1)]
    if (
        not pairs and {"white", "black"} <= found.keys() and not {"score", "winner"} & found.keys()
    ):  # Home | 3 | 1 | Away
        between = [at for at in free if found["white"] < at < found["black"] and filled(columns[at])]
        pairs = [(between[0], between[1])] if len(between) == 2 else []
    taken = {at for role, at in found.items() if role != "score"}
    pairs = [pair for pair in pairs if pair[1] in free and all(at in range(len(headers)) for at in pair)]
    pairs = [pair for pair in pairs if all(are_points(columns[at]) for at in pair)]
    if len(pairs) == 1 and pairs[0][0] not in taken and "white_points" not in found:
        if found.get("score") == pairs[0][0]:
            del found["score"]
        found["white_points"], found["black_points"] = pairs[0]
        remarks.append("the numbers in the columns without a heading were read as the points of the two sides")


TOLD = {
    "date": "the days of the games",
    "score": "the results",
    "colour": "the sides that the player had",
    "owner": "the players whose games these are",
}


def _take(found: dict[str, int], role: str, columns: Sequence[int], headers: Sequence[str], remarks: list[str]) -> None:
    """Give a role to the one column that would do; several are only named."""
    told = TOLD[role]
    named = " and ".join(repr(headers[at].strip()) for at in columns)
    if len(columns) == 1:
        found[role] = columns[0]
        remarks.append(f"the column {named} was read as {told}, by what it holds; --map {role}=… names another")
    elif columns:
        remarks.append(f"the columns {named} may each hold {told}: say which with --map {role}=…")


def _take_points(
    found: dict[str, int], headers: Sequence[str], columns: Sequence[Sequence[str]], pairs: Sequence[tuple[int, int]]
) -> list[str]:
    """Give points to the one pair of columns that may hold them, and return the remark on it."""
    if len(pairs) != 1:
        return []
    found["white_points"], found["black_points"] = pairs[0]
    one, other = (headers[at].strip() for at in pairs[0])
    return [
        f"the columns {one!r} and {other!r} were read as the points of the two sides, by their headings; --map "
        "white_points=… and --map black_points=… name others"
    ]


def _twins(
    found: Mapping[str, int],
    pair: Sequence[str],
    headers: Sequence[str],
    columns: Sequence[Sequence[str]],
    free: Sequence[int],
) -> list[tuple[int, int]]:
    """Return the pairs of columns of numbers whose headings are the same but for the letters of the two sides.

    So are `GM` and `GV` beside Mandante and Visitante, `H` and `A` beside Home and Away, two that are called Goals, and
    two that are called as the sides are.
    """
    sides = sorted(found[side] for side in pair)
    called = [headers[found[side]].strip().casefold() for side in pair]
    first, second = (name[:1] for name in called)
    numbers = {at: name for at in free if are_points(columns[at]) and (name := headers[at].strip().casefold())}

    def without(text: str, letter: str) -> set[str]:
        return {part.strip() for part in (text.removesuffix(letter), text.removeprefix(letter)) if part != text}

    pairs = []
    for one, other in permutations(numbers, 2):
        same = numbers[one] == numbers[other] and (one < other) == (found[pair[0]] == sides[0])
        apart = first != second and without(numbers[one], first) & without(numbers[other], second)
        pairs += [(one, other)] if same or apart or [numbers[one], numbers[other]] == called else []
    return pairs


def _is_of_results(cells: Sequence[str]) -> bool:
    some = filled(cells)
    kind = kind_of(some)
    if all(map(is_number, some)) and not all(text in NUMBERS for text in some):
        return False  # the points of one side, as likely as not
    if are_clocks(some):
        return False
    return kind == "result" or (kind != "date" and len(set(some)) > 1 and are_mostly(some, _is_result))


def _is_of_colours(cells: Sequence[str]) -> bool:
    some = {cell.casefold() for cell in filled(cells)}
    known = [{word for word in words_ if not word.isdecimal()} for words_ in (WHITE_WORDS, BLACK_WORDS)]
    return some <= known[0] | known[1] and all(some & side for side in known)
