"""Games of sides and a system in, history out: doubles, teams, and tables of many, rated one by one.

The rule is a system's form for games of sides (`systems/sides.py`), the games are the table of `team_games`. Each game
is rated from the states before it. For a player the game is one line against the other side, or, at a table of many, a
line against each of the others, added up with the weights that `opponents` gives.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from typing import Any, NamedTuple

from elo_sheets._late import pd
from elo_sheets.errors import UnreadableInput, UsageError
from elo_sheets.ops import StepTable
from elo_sheets.replaying.history import Replayed
from elo_sheets.replaying.replay import sorted_ratings
from elo_sheets.replaying.settings import Settings, called, resolve
from elo_sheets.replaying.starting import personal
from elo_sheets.systems import Line, Rules, lines
from elo_sheets.systems.sides import OWN_WEIGHT, SIZE, SidedSystem, check_sides, of_sides
from elo_sheets.team_games import check_team_games, shape_of, team_players

KEYS = {
    "game": "int64",
    "date": "datetime64[ns]",
    "player": "str",
    "side": "int64",
    "partners": "str",
    "opponents": "str",
    "place": "float64",
}
# Between the names of one side, and between sides, where a history lists them.
AND, VERSUS = " / ", " | "


def resolve_sides(rules: Rules, given: Mapping[str, Any] | None = None) -> tuple[SidedSystem, Settings]:
    """Return the form of a rule for games of sides, and its settings.

    Raises `UsageError` for a rule without one, and for a rating period: games of sides are rated one by one.
    """
    system = of_sides(rules)
    if isinstance(given, Settings) and set(given) == {p.name for p in system.parameters}:
        return system, given
    asked = {called(system, name) or name: value for name, value in (given or {}).items()}
    values = resolve(system, asked)
    if values["period"] != "game":
        raise UsageError("games of teams and of many are rated one by one: leave out --set period=…")
    return system, values


def replay_sides(
    games: pd.DataFrame,
    rules: Rules,
    settings: Mapping[str, Any] | None = None,
    *,
    start: Mapping[str, Mapping[str, float]] | None = None,
    history: bool = True,
) -> Replayed:
    """Return the history and the final ratings of games of sides under a system.

    `games` is a table of `team_games`, `rules` a system that has a form for them (`sides.of_sides`), `start` the states
    that players have before. The history has a row for each player of each game: what `KEYS` names, the score, the
    states before, the numbers of the side, the steps and the states after; where a game has more than two sides, a
    step's number is the weighted sum over the opponents. The ratings are those of `Replayed`, a win being a first place
    alone and a draw a shared one.

    Raises `UsageError` for a rule or setting that cannot rate them, `UnreadableInput` where a game lacks its points.

    >>> from elo_sheets.systems import system
    >>> from elo_sheets.team_games import make_team_games
    >>> sides = ((1, "Ann", 1), (1, "Bob", 1), (2, "Cid", 2), (2, "Dot", 2))
    >>> games = make_team_games({"game": 1, "side": s, "player": p, "place": at} for s, p, at in sides)
    >>> replay_sides(games, system("elo")).ratings["rating"].tolist()
    [1510.0, 1510.0, 1490.0, 1490.0]
    """
    system, values = resolve_sides(rules, settings)
    games = check_team_games(games)
    rule = SidedRule(system, values, shape_of(games)[0])
    states = {name: rule.start_of((start or {}).get(name, {}), name) for name in team_players(games)}
    unknown = sorted(set(start or {}) - set(states))
    if unknown:
        raise UsageError(f"the start state names {unknown[0]!r}, who plays no game")
    counts = {name: [0, 0, 0, 0] for name in states}
    records: list[dict[str, Any]] = []
    for number, rows, rated in rated_games(rule, games, states):
        first = min(row["place"] for row in rows)
        shared = len({row["side"] for row in rows if row["place"] == first}) > 1
        for row, found in zip(rows, rated, strict=True):
            count = counts[row["player"]]
            count[0] += 1
            count[(2 if shared else 1) if row["place"] == first else 3] += 1
            if history:
                told = {key: row[key] for key in ("date", "player", "side", "place")}
                records.append({"game": number, **told, **company(rows, row), **found.row, "games_played": count[0]})
    columns = {**KEYS, **dict.fromkeys(rule.columns, "float64"), "games_played": "int64"}
    table = pd.DataFrame(records, columns=list(columns)).astype(columns)
    final = pd.DataFrame({"player": list(states), "rating": [state["rating"] for state in states.values()]})
    for at, name in enumerate(("games", "wins", "draws", "losses")):
        final[name] = [count[at] for count in counts.values()]
    for name in rule.states:
        if name != "rating":
            final[name if name not in final else f"{name}_after"] = [state[name] for state in states.values()]
    return Replayed(table, sorted_ratings(final, system))


class RatedRow(NamedTuple):
    """What a rule makes of one player in one game: the columns, and those of each game against another side.

    `against` holds the other side, the weight of that game and its columns; the side None is the mean of the others.
    """

    row: dict[str, float]
    against: Sequence[tuple[Any, float, Mapping[str, float]]] = ()


def rated_games(
    rule: SidedRule, games: pd.DataFrame, states: dict[str, dict[str, float]]
) -> Iterator[tuple[int, list[dict[str, Any]], list[RatedRow]]]:
    """Yield each game, its rows and what the rule makes of them; `states` are brought up to date on the way."""
    for number, rows in _each(games):
        rated = rule.rate([{**row, "states": states[row["player"]]} for row in rows])
        for row, found in zip(rows, rated, strict=True):
            states[row["player"]] = {name: found.row[f"{name}_after"] for name in rule.states}
        yield number, rows, rated


def _each(games: pd.DataFrame) -> list[tuple[int, list[dict[str, Any]]]]:
    found: dict[int, list[dict[str, Any]]] = {}
    for row in games.to_dict("records"):
        found.setdefault(int(row["game"]), []).append({str(key): value for key, value in row.items()})
    return list(found.items())


def company(rows: Sequence[Mapping[str, Any]], own: Mapping[str, Any]) -> dict[str, str]:
    """Return the partners and the opponents of a player in a game, as a history lists them."""
    sides: dict[int, list[str]] = {}
    for row in rows:
        if row["player"] != own["player"]:
            sides.setdefault(row["side"], []).append(row["player"])
    partners = AND.join(sides.pop(own["side"], []))
    return {"partners": partners, "opponents": VERSUS.join(map(AND.join, sides.values()))}


def opponents(side: Any, places: Mapping[Any, float], many: str) -> list[tuple[Any, float, float]]:
    """Return whom a side plays: the other side, the weight of that game, and the score.

    Two sides play one game. At a table of many `pairwise` weighs each game as one of n - 1; with `winner` only those
    with a first place count, shared among as many as have it.

    >>> opponents("A", {"A": 1, "B": 2, "C": 2}, "pairwise")
    [('B', 0.5, 1.0), ('C', 0.5, 1.0)]
    >>> opponents("B", {"A": 1, "B": 2, "C": 2}, "winner")
    [('A', 1.0, 0.0)]
    """
    others = [one for one in places if one != side]
    best = min(places.values())
    winners = sum(place == best for place in places.values())
    found = []
    for other in others:
        score = 1.0 if places[side] < places[other] else (0.5 if places[side] == places[other] else 0.0)
        if len(others) == 1:
            return [(other, 1.0, score)]
        if many != "winner":
            found.append((other, 1 / len(others), score))
        elif best in (places[side], places[other]):
            found.append((other, 1 / winners, score))
    return found


class SidedRule:
    """A rule in its form for games of sides with its settings, ready to rate games of at most `most` sides."""

    def __init__(self, system: SidedSystem, values: Mapping[str, Any], most: int) -> None:
        shaped = system.shaped(values)
        assert isinstance(shaped, SidedSystem)
        self.system, self.values = shaped, values
        check_sides(shaped, most)
        self.states = [state.name for state in shaped.state]
        self.texts = {name: value for name, value in values.items() if isinstance(value, str)}
        self.numbers = {
            name: float(value)
            for name, value in values.items()
            if not isinstance(value, str) and name in {p.name for p in shaped.live}
        }
        self.initial = {name: float(values[parameter]) for name, parameter in personal(shaped).items()}
        self.settled: dict[str, float] = {}
        self.opening = self._lines(lines(shaped.opening))
        self.side = self._lines(lines(shaped.side))
        self.game = self._lines(lines((*shaped.game, *shaped.forecast)))
        self.closing = self._lines(lines(shaped.closing))
        self.sums = [f"period_{name}" for name in shaped.sums]
        self._made: dict[tuple[str, int], tuple[tuple[str, ...], Callable[..., tuple[float, ...]]]] = {}
        every = (self.opening, self.side, self.game, self.closing)
        self.reads = {name for part in every for line in part for name in line.reads}
        inner = [line.name for line in self.closing if not line.name[-1].isdigit()]
        own = [*self.initial, *(line.name for line in self.opening)]
        sums = [SIZE, *(member.name for member in shaped.members), *(line.name for line in self.side)]
        other = [f"opponent_{name}" for name in sums if f"opponent_{name}" in self.reads]
        self.moved = {"score", "opponent_points", *(f"opponent_{name}" for name in sums)}
        for line in self.game:
            if self.moved & set(line.reads):
                self.moved.add(line.name)
        game = ["score", *self.settled, *(line.name for line in self.game)]
        self.columns = list(dict.fromkeys([OWN_WEIGHT, *own, *sums, *other, *game, *self.sums, *inner]))

    def _lines(self, found: Any) -> list[Line]:
        """Return lines without those that the settings alone decide, which become numbers."""
        kept = []
        known = self.numbers
        for line in found:
            if line.reads and all(name in known or name in self.texts for name in line.reads):
                given = ({**self.texts, **known}[name] for name in line.reads)
                known[line.name] = self.settled[line.name] = float(line.step(*given))
            else:
                kept.append(line)
        return kept

    def start_of(self, given: Mapping[str, float], player: str) -> dict[str, float]:
        """Return what a player starts from; raises `UsageError` for a state that the rule does not have."""
        for name in given:
            if name not in self.initial:
                raise UsageError(
                    f"the start state of {player!r} gives {name!r}; a player has {', '.join(self.initial)}"
                )
        return {**self.initial, **{name: float(value) for name, value in given.items()}}

    def rate(self, rows: Sequence[Mapping[str, Any]]) -> list[RatedRow]:
        """Return what becomes of each row of one game; a row has `side`, `place`, `points`, `weight` and `states`."""
        players = [self._opened(row) for row in rows]
        sides: dict[Any, list[dict[str, float]]] = {}
        for row, player in zip(rows, players, strict=True):
            sides.setdefault(row["side"], []).append(player)
        told = {side: self._side(members) for side, members in sides.items()}
        places = {row["side"]: row["place"] for row in rows}
        points = {row["side"]: row["points"] for row in rows}
        if {"points", "opponent_points"} & self.reads and any(p != p for p in points.values()):
            at = rows[0]
            raise UnreadableInput(
                f"system {self.system.base.name} needs the points of every side "
                f"({at.get('source', 'game')}, row {at.get('source_row', '')})"
            )
        if len(sides) > 2 and self.system.rate is not None:
            return self._jointly(rows, players, told, places)
        found = []
        for row, player in zip(rows, players, strict=True):
            side = row["side"]
            games: list[tuple[Any, float, Mapping[str, float]]] = []
            for other, share, score in self._games(side, told, places):
                against = {f"opponent_{name}": value for name, value in other[1].items()}
                point = {"points": points[side], "opponent_points": points.get(other[0], float("nan"))}
                home = {"side": 1.0 if side == min(places) else -1.0, "neutral": 0.0, "elapsed": 1.0}
                values = self._run(self.game, {**player, **told[side], **against, **point, **home, "score": score})
                games.append((other[0], share, {**against, **point, **home, **values, "score": score}))
            found.append(RatedRow(self._closed({**player, **told[side], **added(games, self.moved)}), games))
        return found

    def _games(
        self, side: Any, told: Mapping[Any, Mapping[str, float]], places: Mapping[Any, float]
    ) -> list[tuple[tuple[Any, Mapping[str, float]], float, float]]:
        many = self.system.many
        games = self._opponents(side, places)
        if many != "mean" or len(games) == 1:
            return [((other, told[other]), share, score) for other, share, score in games]
        others = [told[other] for other, _, _ in games]
        mean = {name: sum(one[name] for one in others) / len(others) for name in others[0]}
        return [((None, mean), 1.0, sum(share * score for _, share, score in games))]

    def _opened(self, row: Mapping[str, Any]) -> dict[str, float]:
        player = {**row["states"], OWN_WEIGHT: float(row.get("weight", 1.0)), "elapsed": 1.0}
        return {**player, **self._run(self.opening, player)}

    def _side(self, members: Sequence[Mapping[str, float]]) -> dict[str, float]:
        found = {SIZE: float(len(members))}
        for name, kind, of, _ in self.system.members:
            values = [member[of] for member in members]
            found[name] = self._most(values) if kind == "max" else sum(values)
        return {**found, **self._run(self.side, found)}

    def _most(self, values: Sequence[float]) -> float:
        return max(values)

    def _opponents(self, side: Any, places: Mapping[Any, float]) -> list[tuple[Any, float, float]]:
        return opponents(side, places, self.system.many)

    def _closed(self, row: dict[str, float]) -> dict[str, float]:
        row |= self.settled | {f"period_{name}": row[name] for name in self.system.sums} | {"period_games": 1.0}
        row |= self._close(row)
        if not all(abs(row[f"{name}_after"]) < float("inf") for name in self.states):
            raise UsageError(f"ratings of system {self.system.base.name} grow too far apart to be compared")
        return row

    def _close(self, row: Mapping[str, float]) -> dict[str, float]:
        return self._run(self.closing, row)

    def _jointly(
        self,
        rows: Sequence[Mapping[str, Any]],
        players: Sequence[dict[str, float]],
        told: Mapping[Any, dict[str, float]],
        places: Mapping[Any, float],
    ) -> list[RatedRow]:
        """Rate a game of more than two sides by the rule's own code: its steps have no numbers then."""
        assert self.system.rate is not None
        order = list(told)
        at = {side: [i for i, row in enumerate(rows) if row["side"] == side] for side in order}
        before = [[(players[i]["rating"], players[i]["sigma"]) for i in at[side]] for side in order]
        weights = [[players[i][OWN_WEIGHT] for i in at[side]] for side in order]
        rated = self.system.rate(before, [places[side] for side in order], weights, self.values)
        found = [RatedRow({})] * len(rows)
        for side, after in zip(order, rated, strict=True):
            score = sum(share * score for _, share, score in opponents(side, places, "pairwise"))
            for i, (mu, sigma) in zip(at[side], after, strict=True):
                after_it = {"score": score, "rating_after": mu, "sigma_after": sigma}
                found[i] = RatedRow({**players[i], **told[side], **after_it})
        return found

    def _run(self, columns: Sequence[Line], given: Mapping[str, float]) -> dict[str, float]:
        """Return the lines' values over the given numbers and the settings."""
        from elo_sheets.replaying.loop import row_function

        if not columns:
            return {}
        key = (columns[0].name, len(given))
        if key not in self._made:
            names = (*given, *(name for name in self.numbers if name not in given))
            tables = [table for table in self.system.tables if isinstance(table, StepTable)]
            self._made[key] = names, row_function(columns, names, self.texts, tables, False)
        names, run = self._made[key]
        numbers = {**self.numbers, **given}
        try:
            values = run(*[numbers[name] for name in names])
        except (OverflowError, ValueError, ZeroDivisionError) as error:
            name = self.system.base.name
            raise UsageError(f"system {name} cannot go on with these settings and ratings: {error}") from None
        return dict(zip([line.name for line in columns], values, strict=True))


def added(games: Sequence[tuple[Any, float, Mapping[str, float]]], moved: Set[str]) -> dict[str, float]:
    """Return the weighted sums of the columns of several games.

    What no game moves, such as K, is itself, and what is told of the opponents is their mean.
    """
    found = dict(games[0][2])
    if len(games) == 1 and games[0][1] == 1:
        return found
    every = sum(share for _, share, _ in games)
    for name in found:
        if name in moved:
            total = sum(share * values[name] for _, share, values in games)
            found[name] = total / every if name.startswith("opponent_") else total
    return found
