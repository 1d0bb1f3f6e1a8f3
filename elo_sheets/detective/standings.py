"""A table beside the games: what it counts for each player, held against the games themselves.

Which column counts what is told by its numbers: most of won, drawn, lost and the goals must be what the games give, so
that a table of a part of the games (at home, the last ten) is held against nothing.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from elo_sheets.detective.chain import Log
from elo_sheets.detective.explain import Examined
from elo_sheets.detective.facing import facing_rows
from elo_sheets.detective.names import plain
from elo_sheets.detective.sides import Side
from elo_sheets.recognise.context import Context, Proposal
from elo_sheets.recognise.grid import Region, folded, regions, says
from elo_sheets.recognise.model import Key, Model
from elo_sheets.recognise.tables import league_of

SIDES = 2
SCORES = (0.0, 0.5, 1.0)
WORDS = ("won", "drawn", "lost")  # what headings call the counts of results
PLAIN = ("w", "l")  # letters that say the same in every language: a D may be drawn or derrotas, a P played or perdidos
COUNTED = ((1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 1), (1, 0.5, 0), (2, 1, 0), (3, 1, 0))  # what a win, draw, loss are


@dataclass
class Given:
    """What the games give each player: games won, drawn and lost, and the goals or points of both sides."""

    won: Counter[str] = field(default_factory=Counter)
    drawn: Counter[str] = field(default_factory=Counter)
    lost: Counter[str] = field(default_factory=Counter)
    own: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    others: dict[str, float] = field(default_factory=lambda: defaultdict(float))

    def add(self, names: tuple[str, str], goals: tuple[float, float]) -> None:
        for who, own, other in ((names[0], *goals), (names[1], *goals[::-1])):
            self.own[who] += own
            self.others[who] += other
            (self.won if own > other else self.lost if own < other else self.drawn)[who] += 1


def wrong_totals(context: Context, examined: Examined) -> Iterator[Proposal]:
    """Return what tables count otherwise than the games of the book's one log, of goals where it has them."""
    model, logs = context.model, list(examined.logs.values())
    of_goals = [log for log in logs if len(log.counts) == SIDES]
    log = (of_goals or logs)[0] if len(of_goals or logs) == 1 else None
    tables = [region for region in regions(model) if log is not None and _counts_results(model, region)]
    given = None if log is None or not (tables or of_goals) else _given(examined, log)
    if given is None or log is None:
        return
    for region in regions(model) if of_goals else tables:
        teams = _teams(model, region, given)
        if len(teams) > SIDES:
            told = list(_results(model, region, teams, given)) if of_goals else []
            yield from told or _counted(model, region, teams, given, log)
            yield from _goals(model, region, teams, given, log) if of_goals else ()


def _given(examined: Examined, log: Log) -> Given | None:
    """What the games of a log give by their goals, or else by the scores that their ratings follow."""
    assert examined.facts is not None
    model, facing = examined.facts.model, facing_rows(examined.facts.model, log)
    names, counts, found = sorted(log.names), sorted(log.counts), Given()
    for row in log.games:
        if len(counts) == SIDES == len(names):
            who = [plain(model.value((log.sheet, row, column))) for column in names]
            goals = [model.number((log.sheet, row, column)) for column in counts]
            if None not in who and None not in goals:
                found.add((str(who[0]), str(who[1])), (float(goals[0] or 0), float(goals[1] or 0)))
            continue
        gains = examined.facts.gains(log.sheet, row)
        if not gains:
            return None
        for gain in gains[:1]:
            score, sides = Side(examined.facts, gain, {}).score(None), (gain.own[0], gain.other[0])
            columns = [log.before.get(key[2]) if key[:2] == (log.sheet, row) else None for key in sides]
            who = [None if c is None else plain(model.value((log.sheet, row, c))) for c in columns]
            if score is None or round(score, 6) not in SCORES or who[0] is None or (who[1] is None and not facing):
                return None
            found.add((who[0], "" if facing else str(who[1])), (round(score, 6), round(1 - score, 6)))
    return found if log.games else None


def _counts_results(model: Model, region: Region) -> bool:
    return sum(any(says(region.title(model, column), word) for column in region.columns) for word in WORDS) >= SIDES


def _counted(model: Model, region: Region, teams: Mapping[int, str], given: Given, log: Log) -> Iterator[Proposal]:
    """A column that is called by a result and counts otherwise than the games give, where another counts them all.

    A letter may mean one result or another, unless it is the only one that no other column counts rightly.
    """
    due = {"won": given.won, "drawn": given.drawn, "lost": given.lost}
    counts = [
        {who: win * given.won[who] + draw * given.drawn[who] + loss * given.lost[who] for who in teams.values()}
        for win, draw, loss in COUNTED
    ]
    exact = {c for c in region.columns if any(not _departing(model, region, c, teams, one) for one in counts)}
    called = {c: [word for word in WORDS if says(region.title(model, c), word)] for c in region.columns}
    right = {word for c in exact for word in called[c] if not _departing(model, region, c, teams, due[word])}
    wrong: dict[int, str] = {}
    for column in region.columns:
        title = folded(region.title(model, column))
        left = [word for word in called[column] if word not in right]
        reads = {area.sheet for row in teams for area in model.areas((region.sheet, row, column))}
        plainly = len(title) > 1 or title in PLAIN or (column not in exact and len(right) == len(WORDS) - 1)
        if left and log.sheet in reads and plainly:
            wrong[column] = min(left, key=lambda word: len(_departing(model, region, column, teams, due[word])))
    roots = {column: word for column, word in wrong.items() if not _follows(model, region, column, teams, wrong)}
    if len(roots) == 1 and any(any(due[word].values()) for word in right):
        ((column, word),) = roots.items()
        yield _said(model, _departing(model, region, column, teams, due[word]), teams, due[word], f"{word} games")


def _teams(model: Model, region: Region, given: Given) -> dict[int, str]:
    """Who stands in each row of a table, by the first column of names that has most players."""
    players = given.own.keys()
    for column in region.columns:
        found = {key[1]: who for key in region.keys(column) if (who := plain(model.value(key))) in players}
        if len(set(found.values())) == len(found) > len(players) / 2:
            return {row: str(who) for row, who in found.items()}
    return {}


def _departing(
    model: Model, region: Region, column: int, teams: Mapping[int, str], due: Mapping[str, float]
) -> list[Key]:
    """The cells of a column that show another number than what is due."""
    keys = {(region.sheet, row, column): who for row, who in teams.items()}
    return [key for key, who in keys.items() if model.number(key) != due[who]]


def _follows(model: Model, region: Region, column: int, teams: Mapping[int, str], wrong: Collection[int]) -> bool:
    """Whether a column is worked out from others of its row that are wrong, as games lost are from games won."""
    keys = [(region.sheet, row, column) for row in teams]
    return all(any((*key[:2], other) in model.precedents(key) for other in wrong if other != column) for key in keys)


def _results(model: Model, region: Region, teams: Mapping[int, str], given: Given) -> Iterator[Proposal]:
    league = league_of(model, region)
    if league is None or league.drawn is None:
        return
    counted = {"won": (league.won, given.won), "drawn": (league.drawn, given.drawn), "lost": (league.lost, given.lost)}
    wrong = {word: _departing(model, region, column, teams, due) for word, (column, due) in counted.items()}
    off = {counted[word][0] for word, cells in wrong.items() if cells}
    roots = [word for word in wrong if wrong[word] and not _follows(model, region, counted[word][0], teams, off)]
    if len(roots) == 1 and len(off) < len(wrong):
        (word,) = roots
        yield _said(model, wrong[word], teams, counted[word][1], f"{word} games")


def _goals(model: Model, region: Region, teams: Mapping[int, str], given: Given, log: Log) -> Iterator[Proposal]:
    """Goals of one kind that a table has twice, and the other kind not at all."""
    columns = [column for column in region.columns if _sums_goals(model, region, column, teams, log)]
    for due, other, at, word in ((given.own, given.others, 1, "conceded"), (given.others, given.own, 0, "scored")):
        alike = [column for column in columns if not _departing(model, region, column, teams, due)]
        told = any(not _departing(model, region, column, teams, other) for column in columns)
        if len(alike) == SIDES and not told:
            yield _said(model, _departing(model, region, alike[at], teams, other), teams, other, f"{word} goals")


def _sums_goals(model: Model, region: Region, column: int, teams: Mapping[int, str], log: Log) -> bool:
    """Whether every cell of a column sums both columns of goals."""
    for row in teams:
        areas = [area for area in model.areas((region.sheet, row, column)) if not area.single]
        read = {area.column for area in areas if area.sheet == log.sheet and area.column == area.right}
        if not log.counts <= read:
            return False
    return True


def _said(model: Model, cells: list[Key], teams: Mapping[int, str], due: Mapping[str, float], what: str) -> Proposal:
    first = cells[0]
    expected, found = float(due[teams[first[1]]]), model.number(first)
    says = f"the games give other numbers of {what}"
    return Proposal(
        "ES214", tuple(cells), says, expected=expected, found=found, effect=0.0, confidence="proven", rank=1
    )


__all__ = ["wrong_totals"]
