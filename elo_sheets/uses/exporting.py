"""Logs in, ratings and histories out, without a workbook."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any, Unpack

from elo_sheets._late import pd
from elo_sheets._memory import give_back
from elo_sheets._outside import unguarded
from elo_sheets.errors import UsageError
from elo_sheets.games import DESCRIBING, GamesRead
from elo_sheets.readers import HowRead, Logs, one_by_one
from elo_sheets.replaying.history import Replayed
from elo_sheets.replaying.periods import sheet_days
from elo_sheets.replaying.replay import replay
from elo_sheets.replaying.settings import FITTED, Settings
from elo_sheets.replaying.sided import replay_sides
from elo_sheets.replaying.starting import Start
from elo_sheets.systems import Rules, system
from elo_sheets.systems import system as find_system
from elo_sheets.team_games import GamesOfSidesError, TeamGamesRead
from elo_sheets.uses.loading import load
from elo_sheets.uses.of_book import as_it_rates, but_its_rule
from elo_sheets.uses.sided import OfSides, asked_of_sides

_FORMULA_START = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


@dataclass(frozen=True)
class ReplayedLogs:
    """A replay with what it was made from; `settings` are those used, `fitted` those of them that the log gave."""

    log: GamesRead | TeamGamesRead
    system: str
    settings: Settings
    replayed: Replayed
    notes: list[str]
    logs: Sequence[Any] = ()
    fitted: Sequence[str] = ()
    rules: Rules | None = None

    def __repr__(self) -> str:
        return (
            f"<{self.system} of {self.log.kept} games: {len(self.ratings)} players, {self.log.rejected} rows left out>"
        )

    @property
    def ratings(self) -> pd.DataFrame:
        """One row a player: the final rating and what else the system carries."""
        return self.replayed.ratings

    @property
    def history(self) -> pd.DataFrame:
        """One row a player and game, with every step of the rule."""
        return self.replayed.history

    def to_frame(self) -> pd.DataFrame:
        """Return the final ratings."""
        return self.ratings


def replay_logs(
    logs: Logs,
    *,
    system: str | Rules = "elo",
    settings: Mapping[str, object] | None = None,
    player: str | None = None,
    start: Start = None,
    history: bool = True,
    as_book: bool = False,
    **how: Unpack[HowRead],
) -> ReplayedLogs:
    """Read logs and replay them: the whole pool, or with `player` that player's journal.

    `start` says what players start from (see `starts`), `how` how the logs are read (see `read`). With `as_book` one of
    the logs is a workbook of elo-sheets, and system, settings, starts and player are its own; `settings` count before.
    Without `history` that of a pool stays empty, and its log's games say nothing: both would cost memory.
    """
    logs = one_by_one(logs)
    own = as_it_rates(logs, settings, start) if as_book else None
    if own is not None:
        how["keep_duplicates"] = how.get("keep_duplicates", False) or len(logs) == 1  # a book rates each of its rows
        system, settings, start, player = own.system, own.settings, own.start, player or own.player
    elif not history and player is None:
        how["without"] = (*how.get("without", ()), *DESCRIBING)
    rules = find_system(system)
    try:
        if (sides := asked_of_sides(logs, rules, settings, how)) is not None:
            raise sides
        found = load(logs, rules, settings, start=start, journal_of=player, player=player, book=own, **how)
    except GamesOfSidesError as error:
        done = _replay_sided(OfSides(error, logs, rules, settings, start, how), player)
        return done if own is None else replace(done, notes=but_its_rule(done.notes))
    games = [found.log.games]
    if not history and found.owner is None:
        found = replace(found, log=found.log.without_columns())
    replayed = replay(games.pop(), rules, found.settings, player=found.owner, start=found.start, history=history)
    give_back(found.log.kept)
    fitted, notes = replayed.fitted, found.notes if own is None else but_its_rule(found.notes)
    if fitted:
        said = ", ".join(f"{name} {value:.4g}" for name, value in fitted.items())
        notes.append(f"fitted with the ratings, whatever was given: {said}")
    return ReplayedLogs(
        found.log, rules.name, found.settings.now(FITTED, fitted), replayed, notes, logs, tuple(fitted), rules
    )


def _replay_sided(asked: OfSides, player: str | None) -> ReplayedLogs:
    """Rate logs of doubles, teams or tables of many."""
    if player is not None:
        raise UsageError("games of teams or of many are rated as a whole pool: leave out --player")
    log, system, values, found, notes = asked.load()
    replayed = replay_sides(log.games, system, values, start=found.states)
    return ReplayedLogs(log, asked.rules.name, values, replayed, notes, asked.logs, (), system)


def ratings_as_of(
    logs: Logs,
    day: str | date,
    *,
    system: str | Rules = "elo",
    settings: Mapping[str, object] | None = None,
    start: Start = None,
    **how: Unpack[HowRead],
) -> pd.DataFrame:
    """Return the ratings after the games up to a day, that day included: one row a player, best rating first.

    The columns are those of `Replayed.ratings`; who had not played by then is not among them. What a system lets grow
    between games stands as after the last one.

    >>> log = b"date,white,black,result\\n2026-01-05,Ann,Bob,1-0\\n2026-02-05,Ann,Bob,1-0\\n"
    >>> ratings_as_of(log, "2026-01-31", settings={"k": 20})["rating"].tolist()
    [1510.0, 1490.0]
    """
    how["until"] = day
    return replay_logs(logs, system=system, settings=settings, start=start, history=False, **how).ratings


def write_history(done: ReplayedLogs, target: str, *, raw: bool = False, overwrite: bool = False) -> None:
    """Write the history as .csv, .json, .parquet (extra `data`) or .xlsx by the target's ending; `-` prints CSV.

    CSV and .xlsx name a rating period that is a month by it, `2026-01`; elsewhere it is a number. In CSV a name that a
    spreadsheet would take for a formula gets an apostrophe before it, and what is printed has its control characters
    written out, unless `raw`.
    """
    from elo_sheets.files.save import check_output, replacing

    history = done.replayed.history
    shown = _in_months(history) if done.settings.get("period") == "month" else history
    if target == "-":
        with unguarded() if raw else nullcontext():
            sys.stdout.write(_csv(shown, raw))
            sys.stdout.flush()
        return
    check_output(target, done.logs, ".csv", ".json", ".parquet", ".xlsx")
    path = Path(target)
    kind = path.suffix.lower()
    if kind == ".xlsx":
        _write_xlsx(done, shown, path, overwrite)
        return
    if kind == ".parquet":
        _write_parquet(history, path, overwrite)
        return
    text = _csv(shown, raw) if kind == ".csv" else _json(done)
    with replacing(path, overwrite=overwrite) as beside:
        beside.write_text(text, encoding="utf-8", newline="")


def _in_months(history: pd.DataFrame) -> pd.DataFrame:
    """Return a history whose periods, months that are counted through, are written as `2026-01`."""
    named = [f"{number // 12:04}-{number % 12 + 1:02}" for number in history["period"]]
    return history.assign(period=named)


def _csv(history: pd.DataFrame, raw: bool) -> str:
    shown = history.copy()
    if not raw:
        for column in {"player", "opponent", "partners", "opponents"} & set(shown):
            guarded = shown[column].str.startswith(_FORMULA_START)
            shown[column] = shown[column].where(~guarded, "'" + shown[column])
    return str(shown.to_csv(index=False, lineterminator="\n"))


def _write_parquet(history: pd.DataFrame, path: Path, overwrite: bool) -> None:
    from importlib.util import find_spec

    from elo_sheets.files.save import replacing

    if find_spec("pyarrow") is None:
        raise UsageError("Parquet needs pyarrow: pip install 'elo-sheets[data]', or write .csv")
    with replacing(path, overwrite=overwrite) as beside, beside.open("wb") as stream:
        history.to_parquet(stream, engine="pyarrow", index=False)


def _json(done: ReplayedLogs) -> str:
    import json

    history = done.replayed.history
    records = history.astype(object).where(history.notna(), None).to_dict("records")
    for record in records:
        if record["date"] is not None:
            record["date"] = record["date"].isoformat()
    document = {"schema": 1, "system": done.system, "settings": dict(done.settings), "history": records}
    return json.dumps(document, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def _write_xlsx(done: ReplayedLogs, history: pd.DataFrame, path: Path, overwrite: bool) -> None:
    from elo_sheets.workbook.facts import step_style
    from elo_sheets.workbook.plan import CellValue, ColumnPlan, Fill, Plan, SheetPlan, TablePlan
    from elo_sheets.workbook.write import write_book

    rules = done.rules or system(done.system)
    if history.empty:
        raise UsageError("there is no rated game to write")
    columns = []
    for name in history.columns:
        values: list[CellValue] = history[name].tolist()
        style = step_style(rules, name)
        if name == "date":
            values, style = list(sheet_days(history[name])), "date"
        elif name in {"player", "opponent", "colour", "partners", "opponents"} or isinstance(values[0], str):
            style = "name"
        elif name in {"game", "games_played"}:
            style = "integer"
        columns.append(ColumnPlan(name, Fill(values), style=style, width=max(10, len(name) + 3)))
    table = TablePlan("Replay", 1, tuple(columns), len(history))
    widths = {i: column.width for i, column in enumerate(columns, 1)}
    sheet = SheetPlan("Replay", tables=(table,), widths=widths, frozen_rows=1)
    write_book(Plan("Rating history", (sheet,), {}), path, overwrite=overwrite)
