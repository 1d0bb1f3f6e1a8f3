"""Logs in, ratings and histories out, without a workbook."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from elo_sheets.errors import UnreadableInput, UsageError
from elo_sheets.games import GamesRead, players
from elo_sheets.history import Replayed
from elo_sheets.systems import Rules
from elo_sheets.systems import system as find_system

if TYPE_CHECKING:
    import pandas as pd

_FORMULA_START = ("=", "+", "-", "@", "\t", "\r")


@dataclass(frozen=True)
class ReplayedLogs:
    """A replay with what it was made from."""

    log: GamesRead
    system: str
    settings: Mapping[str, Any]
    replayed: Replayed
    notes: list[str]
    logs: Sequence[Any] = ()


def replay_logs(
    logs: Sequence[Any],
    *,
    system: str = "elo",
    settings: Mapping[str, object] | None = None,
    player: str | None = None,
    columns: Mapping[str, str] | None = None,
    dates: Literal["dmy", "mdy", "ymd"] | None = None,
    encoding: str | None = None,
    pool: str | None = None,
    start: str | Path | None = None,
    progress: Callable[[int], None] | None = None,
) -> ReplayedLogs:
    """Read logs and replay them: the whole pool, or with `player` that player's journal.

    A journal starts from the player's first published rating in the log unless `settings` give another. `start` names
    a list of what players of a pool start from (see `read_start`).
    """
    from elo_sheets.importing import journal_notes
    from elo_sheets.readers import read_for
    from elo_sheets.replay import initial_rating, replay

    rating_system = find_system(system)
    values = rating_system.settings(settings)
    log = read_for(
        logs, values, columns=columns, dates=dates, encoding=encoding, player=player, pool=pool, progress=progress
    )
    notes = [*log.notes, *unofficial_notes(rating_system, values)]
    if player and log.kept:
        notes += journal_notes(log.games, player, rating_system.name, dict(settings or {}))
        first = initial_rating(log.games, player)
        if first is not None and "initial" not in {key.lower() for key in settings or {}}:
            values["initial"] = first
    begin, left_out = ({}, 0) if start is None else read_start(start, rating_system, players(log.games))
    if left_out:
        notes.append(f"{left_out} players of {start} play no game in the log")
    replayed = replay(log.games, rating_system, values, player=player if log.kept else None, start=begin)
    return ReplayedLogs(log, rating_system.name, values, replayed, notes, logs)


def unofficial_notes(system: Rules, settings: Mapping[str, Any]) -> list[str]:
    """Return a warning that names the settings of a system whose values no source gives."""
    names = system.unofficial(settings)
    return [f"{system.name}: no official source gives {', '.join(names)} (elo-sheets systems {system.name})"] * bool(
        names
    )


def read_start(path: str | Path, system: Rules, names: Sequence[str]) -> tuple[dict[str, dict[str, float]], int]:
    """Return what players start from by a CSV file, and how many of its players are not among `names`.

    The file has the column `player` and one for each state or per-player setting, such as `rating` or `born`; an empty
    cell leaves the default. Raises `UnreadableInput` that names file, row, column and value, `UsageError` for a column
    that the system does not have.
    """
    import csv

    from elo_sheets.games import identity

    known = [state.name for state in getattr(system, "state", ())]
    known += [parameter.name for parameter in system.parameters if parameter.per_player]
    if not known:
        raise UsageError(f"system {system.name} fits the whole log: players start from nothing, leave out --start")
    limits = {state.name: state.initial for state in getattr(system, "state", ())}
    parameters = {parameter.name: parameter for parameter in system.parameters}
    playing = {identity(name): name for name in names}
    found: dict[str, dict[str, float]] = {}
    left_out = 0
    try:
        with Path(path).open(encoding="utf-8-sig", newline="") as stream:
            rows = list(csv.DictReader(stream))
    except (OSError, UnicodeError) as error:
        raise UnreadableInput(f"expected a list of players in CSV, UTF-8: {error}") from error
    for line, row in enumerate(rows, 2):
        cells = {str(key).strip().lower(): str(value or "").strip() for key, value in row.items()}
        strange = set(cells) - {"player", *known}
        if "player" not in cells or strange:
            raise UsageError(
                f"expected the columns player and any of {', '.join(known)} in {path}, got {', '.join(cells)}"
            )
        name = playing.get(identity(cells.pop("player")))
        if name is None:
            left_out += 1
            continue
        if name in found:
            raise UnreadableInput(f"{name!r} stands twice in {path}, again in row {line}: leave one out")
        found[name] = {}
        for key, text in cells.items():
            if text:
                try:
                    found[name][key] = float(parameters[limits.get(key, key)].read(text))
                except UsageError as error:
                    raise UnreadableInput(f"{path}, row {line}, {key}: {error}") from None
    return found, left_out


def write_history(done: ReplayedLogs, target: str, *, raw: bool = False, overwrite: bool = False) -> None:
    """Write the history as .csv, .json or .xlsx by the target's ending; `-` prints CSV.

    In CSV a name that a spreadsheet would take for a formula gets an apostrophe before it, unless `raw`.
    """
    from elo_sheets.save import replacing

    history = done.replayed.history
    if target == "-":
        sys.stdout.write(_csv(history, raw))
        return
    from elo_sheets.importing import check_output

    check_output(target, done.logs, ".csv", ".json", ".xlsx")
    path = Path(target)
    kind = path.suffix.lower()
    if kind == ".xlsx":
        _write_xlsx(done, path, overwrite)
        return
    text = _csv(history, raw) if kind == ".csv" else _json(done)
    with replacing(path, overwrite=overwrite) as beside:
        beside.write_text(text, encoding="utf-8", newline="")


def _csv(history: pd.DataFrame, raw: bool) -> str:
    shown = history.copy()
    if not raw:
        for column in ("player", "opponent"):
            guarded = shown[column].str.startswith(_FORMULA_START)
            shown[column] = shown[column].where(~guarded, "'" + shown[column])
    return str(shown.to_csv(index=False, lineterminator="\n"))


def _json(done: ReplayedLogs) -> str:
    import json

    history = done.replayed.history
    records = history.astype(object).where(history.notna(), None).to_dict("records")
    for record in records:
        if record["date"] is not None:
            record["date"] = record["date"].isoformat()
    document = {"schema": 1, "system": done.system, "settings": dict(done.settings), "history": records}
    return json.dumps(document, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def _write_xlsx(done: ReplayedLogs, path: Path, overwrite: bool) -> None:
    from elo_sheets.periods import sheet_days
    from elo_sheets.workbook.layout import step_style
    from elo_sheets.workbook.plan import CellValue, ColumnPlan, Fill, Plan, SheetPlan, TablePlan
    from elo_sheets.workbook.write import write_book

    history = done.replayed.history
    columns = []
    for name in history.columns:
        values: list[CellValue] = history[name].tolist()
        style = step_style(name)
        if name == "date":
            values, style = list(sheet_days(history[name])), "date"
        elif name in {"player", "opponent", "colour"}:
            style = "name"
        elif name in {"game", "games_played"}:
            style = "integer"
        columns.append(ColumnPlan(name, Fill(values), style=style, width=max(10, len(name) + 3)))
    if history.empty:
        raise UsageError("there is no rated game to write")
    table = TablePlan("Replay", 1, tuple(columns), len(history))
    widths = {i: column.width for i, column in enumerate(columns, 1)}
    sheet = SheetPlan("Replay", tables=(table,), widths=widths, frozen_rows=1)
    write_book(Plan("Rating history", (sheet,), {}), path, overwrite=overwrite)
