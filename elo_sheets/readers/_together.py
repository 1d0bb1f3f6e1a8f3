"""What the games of all logs say together: which were told twice, how players are spelled, which pools there are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from elo_sheets._late import NDArray, np, pd
from elo_sheets.games import Problem
from elo_sheets.readers._again import Again, Identities, Moves
from elo_sheets.readers._names import usual_case
from elo_sheets.readers._shootouts import told_to_games
from elo_sheets.readers._tables import SIDES, categories, numbered_anew, same_texts
from elo_sheets.readers._tags import VARIANT_NAMES
from elo_sheets.readers._text import Reading, did_you_mean
from elo_sheets.readers._twice import Twice, find_twice

if TYPE_CHECKING:
    Mask = NDArray[np.bool_]


def _table(whole: Reading) -> pd.DataFrame:
    assert whole.table is not None
    return whole.table


def names_of(table: pd.DataFrame | None) -> list[str]:
    """Return the players in the order in which the log names them, White before Black."""
    if table is None or table.empty:
        return []
    if not same_texts(*(table[side] for side in SIDES)):
        both = pd.concat([table[side].astype(object) for side in SIDES], axis=1).to_numpy().ravel()
        return [str(name) for name in pd.unique(both)]
    codes = np.column_stack([table[side].cat.codes.to_numpy() for side in SIDES]).ravel()
    named: list[str] = table[SIDES[0]].cat.categories[pd.unique(codes)].tolist()
    return named


def once(
    whole: Reading, players: Identities, sizes: Sequence[int], keep: bool, moves: Sequence[Moves | None] = ()
) -> None:
    """Keep out the rows that tell of a game that another row tells of; `sizes` are the numbers of each log's games.

    `moves` tell each log's last moves of games where the table has numbers for them. With `keep` the rows all stay, and
    only what contradicts itself is remarked on.
    """
    table = _table(whole)
    if table.empty:
        return
    logs = np.repeat(np.arange(len(sizes)), sizes)
    again = Again(table, players, logs, moves)
    found = Twice() if keep else find_twice(again.told(), dict(enumerate(sizes)), again.others())
    opposed = again.contradictions(found.reasons)
    out = np.zeros(len(table), dtype=bool)
    out[list(found.reasons)] = True
    _sift(whole, out, lambda at: ("", "", found.reasons[at]))
    whole.notes += [*found.notes, opposed] if opposed else found.notes


def one_side(whole: Reading) -> None:
    """Keep out the rows that tell of a game from the other player's side."""
    from elo_sheets.readers._mirrored import other_sides

    table = _table(whole)
    found = {} if table.empty else other_sides(table, whole.by_player)
    if not found:
        return
    out = np.zeros(len(table), dtype=bool)
    out[list(found)] = True
    _sift(whole, out, lambda at: ("", "", f"the game of row {found[at]}, told from the other side: counted once"))
    few = len(found) == 1
    told = "1 row tells of a game" if few else f"{len(found)} rows tell of games"
    whole.notes.append(
        f"{told} from the other player's side, {'which is' if few else 'each of which is'} counted once; "
        "--keep-duplicates counts every row"
    )


def no_shootouts(whole: Reading, sizes: Sequence[int]) -> Sequence[int]:
    """Keep out the rows of lists of shoot-outs, tell their games who won; return how many games each log has then."""
    found = told_to_games(whole) if whole.winners else {}
    if not found:
        return sizes
    out = np.isin(_table(whole).index, list(found))
    _sift(whole, out, lambda at: ("", "", found[at]))
    left: list[int] = np.bincount(np.repeat(np.arange(len(sizes)), sizes)[~out], minlength=len(sizes)).tolist()
    return left


def one_spelling(whole: Reading, players: Identities) -> None:
    """Let players whose names differ in case alone be one, under the usual spelling, and say so."""
    table = _table(whole)
    if table.empty or players.are_apart:
        return
    counts: Counter[str] = Counter()
    for side in SIDES:
        counts.update(_counted(table[side]))
    usual, notes = usual_case({name: counts[name] for name in names_of(table)})
    for side in SIDES:
        to = {name: usual.get(name, name) for name in table[side].cat.categories}
        table[side] = categories(table[side].map(to).astype(object))
    whole.notes += notes


# What before the name of a pool leaves its games out, and keeps all others.
ALL_BUT = "not:"


def one_pool(whole: Reading, pool: str | None, apart: bool = False) -> None:
    """Keep the games of one pool or of several (`blitz,rapid`), or leave them out (`not:crazyhouse`).

    Without a pool remark on those that there are, and how they will be rated.
    """
    table = _table(whole)
    if pool is None and "pool" not in table:
        return
    found = table["pool"].astype(object) if "pool" in table else pd.Series([None] * len(table), dtype=object)
    found = found.where(found.notna(), "")
    pools = _counted(found)
    named = sorted((name for name in pools if name), key=str.casefold)
    counted = ", ".join(f"{name} {pools[name]}" for name in named)
    if pools[""] and named:
        counted += f", none {pools['']}"
    if pool is None:
        if len(pools) > 1:
            rated = "each has a rating of its own" if apart else "rated together unless --pool is given"
            several = f"{len(named)} pools" if len(named) > 1 else "1 pool"
            whole.notes.append(f"{several} in this log: {counted}; {rated}")
        whole.notes += _variants_said({name: pools[name] for name in named}, len(table), apart)
        return
    without = pool.strip().casefold().startswith(ALL_BUT)
    wanted = {name.strip() for name in pool.strip().casefold().removeprefix(ALL_BUT).split(",")}
    for missing in sorted(wanted - {*map(str.casefold, named)}):
        whole.notes.append(
            f"no game of the pool {missing!r}; there are {counted or 'no pools'}{did_you_mean(missing, named)}"
        )
    others = [name for name in pools if (name.casefold() in wanted) == without]
    _sift(whole, found.isin(others).to_numpy(), lambda at: ("pool", found[at], f"not of the pool {pool!r}"))


def _variants_said(pools: dict[str, int], games: int, apart: bool) -> list[str]:
    """Return the remark on games of another chess than the ordinary one, which no rule of ratings tells apart."""
    found = {name: count for name, count in pools.items() if name in VARIANT_NAMES}
    count = sum(found.values())
    if not found or apart:
        return []
    counted = ", ".join(f"{name} {number}" for name, number in found.items())
    some = f"all {games} games are" if count == games else f"{count} of {games} games {'is' if count == 1 else 'are'}"
    end = "" if count == games else f", and rated with the others (--pool {ALL_BUT}{','.join(found)} leaves them out)"
    return [f"{some} no ordinary chess ({counted}){end}"]


def _counted(texts: pd.Series[Any]) -> Counter[str]:
    return Counter({str(text): count for text, count in texts.value_counts().items()})


def _sift(whole: Reading, out: Mask, reason: Callable[[int], tuple[str, str, str]]) -> None:
    """Keep rows out: `reason` gives column, value and reason of each."""
    if not out.any():
        return
    table = _table(whole)
    places = table.loc[out, ["source", "source_row"]].itertuples(index=False, name=None)
    for at, (source, row) in zip(np.flatnonzero(out).tolist(), places, strict=True):
        whole.problems.append(Problem(source, row, *reason(at)))
    whole.table = numbered_anew(table.take(np.flatnonzero(~out)))
