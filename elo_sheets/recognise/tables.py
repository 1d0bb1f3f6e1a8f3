"""League tables without any Elo, known by their arithmetic: games = won + drawn + lost, points = 3 × won + drawn."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass

from elo_sheets.recognise.context import Context, Sheetwork
from elo_sheets.recognise.grid import Region, regions, says
from elo_sheets.recognise.model import Key, Model, range_text
from elo_sheets.recognise.periods.crosstables import cross_table
from elo_sheets.recognise.values_only import values_only
from elo_sheets.verdict.findings import WARNING, Finding, Role, shown

MOST_COLUMNS, MOST_TEAMS = 18, 80  # of a league table: the largest leagues have fewer of both
HOLDS = 0.7  # the share of rows that must follow a relation before the others are at fault
POINT_RULES = ((3.0, 1.0), (2.0, 1.0), (1.0, 0.5), (4.0, 2.0))

Column = dict[int, float]  # row -> number


@dataclass(frozen=True)
class League:
    """The columns of a league table; `rule` are the points of a win and of a draw."""

    region: Region
    won: int
    drawn: int | None
    lost: int
    played: int | None
    points: int | None
    rule: tuple[float, float]
    rank: int | None
    difference: tuple[int, int, int] | None  # goals for, against, their difference


def recognise(context: Context) -> Sheetwork | None:
    """Return what a book of league tables or a book of values says, or None when it is neither."""
    model = context.model
    leagues = [league for region in regions(model) if (league := league_of(model, region)) is not None]
    if not leagues:
        return values_only(model) if not model.formula_count else None
    work = Sheetwork("league-table")
    work.findings = [finding for league in leagues for finding in _judge(model, league)]
    first = leagues[0]
    work.named_roles = [role for league in leagues for role in _roles(league)]
    work.facts = {"elo": "none", "teams": sum(len(_rows(model, league)) for league in leagues)}
    if first.points is not None:
        work.facts["points"] = f"{first.rule[0]:g} for a win, {first.rule[1]:g} for a draw"
    work.reason = "a league table: points and places, no Elo rating to replay"
    return work


def _roles(league: League) -> Iterator[Role]:
    named = (("WON", league.won), ("DRAWN", league.drawn), ("LOST", league.lost), ("PLAYED", league.played))
    for role, column in (*named, ("POINTS", league.points), ("RANK", league.rank)):
        if column is not None:
            keys = league.region.keys(column)
            yield Role(role, range_text([keys[0], keys[-1]]), "its sums hold")


def _numbers(model: Model, region: Region) -> dict[int, Column]:
    """The columns that hold numbers in most of the rows that hold any."""
    found: dict[int, Column] = {}
    for column in region.columns:
        values = {key[1]: number for key in region.keys(column) if (number := model.number(key)) is not None}
        if len(values) >= 3:
            found[column] = values
    return found


def league_of(model: Model, region: Region) -> League | None:
    """Return the columns of a league table, None where a region is none."""
    columns = _numbers(model, region)
    if (crossed := cross_table(model, region)) is not None:
        columns = {c: v for c, v in columns.items() if not crossed.left <= c < crossed.left + crossed.size}
    if not 3 <= len(columns) <= MOST_COLUMNS or len(region.rows) > MOST_TEAMS:
        return None
    whole = {c: v for c, v in columns.items() if all(x == int(x) and 0 <= x < 1000 for x in v.values())}
    best: tuple[int, League] | None = None
    for candidate in _candidates(columns, whole, region):
        weight = sum(
            says(region.title(model, column), role)
            for role, column in (("won", candidate.won), ("drawn", candidate.drawn), ("lost", candidate.lost),
                                 ("played", candidate.played), ("points", candidate.points))
            if column is not None
        )  # fmt: skip
        weight += 2 * (candidate.played is not None) + 2 * (candidate.points is not None)
        if best is None or weight > best[0]:
            best = weight, candidate
    if best is None or best[0] < 5:
        return None
    return _with_rest(model, best[1], columns)


def _candidates(columns: dict[int, Column], whole: dict[int, Column], region: Region) -> Iterator[League]:
    for won, drawn, lost in itertools.permutations(whole, 3):
        if not any(whole[won].values()) or not any(whole[lost].values()):
            continue
        rules = [
            (points, rule)
            for points in columns
            if points not in (won, drawn, lost)
            for rule in POINT_RULES
            if _share(
                columns[points],
                {r: rule[0] * w + rule[1] * whole[drawn].get(r, math.nan) for r, w in whole[won].items()},
            )
        ]
        sums = {r: w + whole[drawn].get(r, math.nan) + whole[lost].get(r, math.nan) for r, w in whole[won].items()}
        played = [c for c in whole if c not in (won, drawn, lost) and _share(whole[c], sums)]
        for points, rule in rules:
            for games in (*played, None):
                if games != points:
                    yield League(region, won, drawn, lost, games, points, rule, None, None)
        if not rules:
            for games in played:
                yield League(region, won, drawn, lost, games, None, (3.0, 1.0), None, None)


def _share(column: Column, expected: Column) -> bool:
    """Whether a column follows from others in most of at least three rows, and not because all is nought."""
    rows = [row for row in column if row in expected and not math.isnan(expected[row])]
    right = [row for row in rows if abs(column[row] - expected[row]) < 1e-6]
    parts = {round(expected[row], 6) for row in rows} | {column[row] for row in rows}
    return len(rows) >= 3 and len(right) >= HOLDS * len(rows) and parts != {0.0}


def _with_rest(model: Model, league: League, columns: dict[int, Column]) -> League:
    used = {league.won, league.drawn, league.lost, league.played, league.points}
    rest = [column for column in columns if column not in used]
    goals = [
        (scored, let_in, column)
        for scored, let_in, column in itertools.permutations(rest, 3)
        if scored < let_in
        and _share(columns[column], {r: x - columns[let_in].get(r, math.nan) for r, x in columns[scored].items()})
    ]
    # Goals are counted, their difference is worked out and may be negative.
    goals.sort(key=lambda three: (_worked_out(model, league.region, three[2]), min(columns[three[2]].values()) < 0))
    rank = next((c for c in rest if sorted(columns[c].values()) == list(range(1, len(columns[c]) + 1))), None)
    if rank is None:
        rank = next(
            (c for c in rest if says(league.region.title(model, c), "rank") and min(columns[c].values()) == 1), None
        )
    return League(
        league.region, league.won, league.drawn, league.lost, league.played, league.points, league.rule, rank,
        goals[-1] if goals else None,
    )  # fmt: skip


def _worked_out(model: Model, region: Region, column: int) -> bool:
    keys = region.keys(column)
    return 2 * sum(key in model.forms for key in keys) > len(keys)


def _rows(model: Model, league: League) -> list[int]:
    region = league.region
    return [row for row in region.rows if model.number((region.sheet, row, league.won)) is not None]


def _judge(model: Model, league: League) -> Iterator[Finding]:
    sheet = league.region.sheet

    def number(row: int, column: int | None) -> float:
        value = None if column is None else model.number((sheet, row, column))
        return math.nan if value is None else value

    for row in _rows(model, league):
        won, lost = number(row, league.won), number(row, league.lost)
        drawn = number(row, league.drawn) if league.drawn is not None else 0.0
        points = None if _counts_else(model, league, row) else league.points
        expected = (
            (league.played, won + drawn + lost, "won + drawn + lost"),
            (points, league.rule[0] * won + league.rule[1] * drawn, "the points of the results"),
        )
        for column, right, what in expected:
            if column is not None and abs(number(row, column) - right) > 1e-6:
                yield _total(model, (sheet, row, column), right, what)
        if league.difference is not None:
            scored, let_in, column = league.difference
            right = number(row, scored) - number(row, let_in)
            if abs(number(row, column) - right) > 1e-6:
                yield _total(model, (sheet, row, column), right, "goals for − goals against")
    yield from _ranking(model, league)


def _counts_else(model: Model, league: League, row: int) -> bool:
    """Whether a column that looks like the points is computed from something else than the results, as goals are."""
    key = (league.region.sheet, row, league.points or 0)
    results = {league.won, league.drawn, league.lost}
    return key in model.forms and not any(one[1] == row and one[2] in results for one in model.precedents(key))


def _total(model: Model, key: Key, right: float, what: str) -> Finding:
    found = model.number(key)
    message = f"{shown(found)} stands where {what} gives {shown(right)}"
    return Finding("ES214", WARNING, range_text([key]), message, right, found, 0.0, "proven")


def _ranking(model: Model, league: League) -> Iterator[Finding]:
    if league.rank is None or league.points is None:
        return
    sheet, rows = league.region.sheet, _rows(model, league)
    ranked = {area.column for row in rows[:1] for area in model.areas((sheet, row, league.rank))}
    counted = {league.rank, league.won, league.drawn, league.lost, league.played, *(league.difference or ())}
    others = [column for column in league.region.columns if column not in counted]
    if league.points not in ranked if ranked else any(_in_order(model, league, column) for column in others):
        return  # by the ratings, say
    points = {row: model.number((sheet, row, league.points)) for row in rows}
    places = {row: model.number((sheet, row, league.rank)) for row in rows}
    pairs = [(p, places[row], row) for row, p in points.items() if p is not None and places[row] is not None]
    ordered = sorted(pairs, key=lambda item: item[1] or 0.0)
    above = [(one, other) for one, other in itertools.pairwise(ordered) if one[0] < other[0]]
    if above and len(pairs) >= 4 and len(above) <= max(1, len(pairs) // 4):
        upper, lower = above[0]
        keys = [(sheet, upper[2], league.rank), (sheet, lower[2], league.rank)]
        message = f"place {shown(upper[1])} has {shown(upper[0])} points, place {shown(lower[1])} has {shown(lower[0])}"
        yield Finding("ES213", WARNING, range_text([keys[0]]), message, lower[0], upper[0], 0.0, "proven")
    elif len(pairs) >= 4 and len({p for p, _, _ in pairs}) > 2 and len(above) == len(ordered) - 1:
        keys = [(sheet, row, league.rank) for row in rows]
        message = "the places count from the fewest points upwards"
        yield Finding("ES213", WARNING, range_text([keys[0], keys[-1]]), message, None, None, 0.0, "proven")


def _in_order(model: Model, league: League, column: int) -> bool:
    """Whether the places are in the order of a column's numbers, the highest first."""
    cells = [(model.number((league.region.sheet, row, league.rank or 0)), row) for row in _rows(model, league)]
    ordered = [row for _, row in sorted((place, row) for place, row in cells if place is not None)]
    numbers = [model.number((league.region.sheet, row, column)) for row in ordered]
    falling = all(a is not None and b is not None and a >= b for a, b in itertools.pairwise(numbers))
    return falling and len(set(numbers)) > 2
