"""Logs in, a filled workbook out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from elo_sheets.errors import UnreadableInput, UsageError
from elo_sheets.games import GamesRead, Problem, players
from elo_sheets.systems import system as find_system
from elo_sheets.workbook import MOST_ROWS

if TYPE_CHECKING:
    import pandas as pd

    from elo_sheets.workbook.book import Book
    from elo_sheets.workbook.plan import Plan

# What a book says of rows that hold no game to rate: empty ones, fixtures, points without a game.
NOT_GAMES = ("", "to play", "forfeit", "bye")


@dataclass(frozen=True)
class Imported:
    """What an import did: what was read, how many players, where the book is (None after a dry run), remarks.

    `unrated` are those of the log's problems that the book holds nevertheless, as points without a rated game.
    """

    log: GamesRead
    players: int
    output: str | None
    notes: list[str]
    unrated: list[Problem] = field(default_factory=list)

    @property
    def left_out(self) -> list[Problem]:
        """Those of the log's problems of which nothing is in the book."""
        return [problem for problem in self.log.problems if problem not in self.unrated]


def import_logs(
    logs: Sequence[Any],
    target: str | Path,
    *,
    template: str | None = None,
    player: str | None = None,
    system: str | None = None,
    settings: Mapping[str, object] | None = None,
    columns: Mapping[str, str] | None = None,
    dates: Literal["dmy", "mdy", "ymd"] | None = None,
    encoding: str | None = None,
    pool: str | None = None,
    dialect: str = "portable",
    dry_run: bool = False,
    overwrite: bool = False,
    progress: Callable[[int], None] | None = None,
) -> Imported:
    """Read logs, replay them, and write the filled workbook.

    `system` is the template's first where it is not given; the template compare takes several, `elo,glicko2`,
    of which the settings are the first's. `template` is journal when `player` is given
    and league otherwise. A journal starts from the player's first
    published rating in the log unless `settings` give another. `dialect` is `portable`, or `modern` for lists that are
    dynamic arrays, which need Excel 2021 or Microsoft 365. A dry run does all but write.

    Raises `UnreadableInput` for a log that cannot be read, `UsageError` for contradicting arguments,
    `OutputRefused` when the target exists and `overwrite` is not given.
    """
    from elo_sheets.readers import read
    from elo_sheets.save import refuse_unwritable
    from elo_sheets.workbook.build import check_size, dialect_notes, filled_book, plan_book, view_of
    from elo_sheets.workbook.dialect import options
    from elo_sheets.workbook.templates import check_fits, systems_asked, template_settings
    from elo_sheets.workbook.templates import template as find_template

    name = template or ("journal" if player else "league")
    first, asked = systems_asked(name, system)
    rating_system = find_system(first)
    form = find_template(name)
    check_fits(name, rating_system, template_settings(name, rating_system, settings or {}))
    view = view_of(name)
    if view.rows_a_game == 2 and view.is_replayed and player:
        raise UsageError(f"template {name} rates a whole pool: leave out --player, or take --template journal")
    check_output(target, logs, ".xlsx")
    said = dialect_notes(name, dialect)
    if not dry_run:
        refuse_unwritable(Path(target), overwrite=overwrite)
    how: dict[str, Any] = {"columns": columns, "dates": dates, "encoding": encoding, "pool": pool}
    if view.keeps_fixtures:
        log = _with_fixtures(logs, progress, **how)
    else:
        log = read(logs, player=player, pools_apart=view.rates_pools_apart, progress=progress, **how)
    notes = [*log.notes, *said]
    if log.games.empty:
        return Imported(log, 0, None, notes)
    if log.kept > MOST_ROWS:
        raise UnreadableInput(
            f"{log.kept} games are more than a live workbook can hold ({MOST_ROWS}); replay writes their history"
        )
    if form["view"] == "journal":
        player = player or owner(log.games)
        notes += journal_notes(log.games, player, rating_system.name, dict(settings or {}))
    chosen = asked | options(dialect)
    if view.is_replayed and template_settings(name, rating_system, settings or {})["period"] == "event":
        notes += event_notes(log.games, player)
    book = filled_book(name, rating_system, settings or {}, log.games, player, title="", options=chosen)
    plan = plan_book(book)
    check_size(plan, book)
    notes += [note for note in (*unrated_notes(plan), *leap_notes(book)) if note not in notes]
    if not dry_run:
        from elo_sheets.workbook.write import write_book

        write_book(plan, Path(target), overwrite=overwrite)
    output = None if dry_run else str(target)
    if not view.keeps_unplayed:
        return Imported(log, len(players(log.games)), output, notes)
    unrated = _unrated(log)
    if unrated:
        notes.append(f"byes and forfeits ({len(unrated)}) stand in the book as points, not rated")
    people = sum(name is not None for name in book.inputs.tables["Players"]["Name"])
    return Imported(log, people, output, notes, unrated)


def _unrated(log: GamesRead) -> list[Problem]:
    """Return the problems that tell of points without a game."""
    pairings = {(pairing["source_row"], f"round {pairing['round']}") for pairing in log.games.attrs.get("unplayed", [])}
    return [problem for problem in log.problems if (problem.row, problem.column) in pairings]


def event_notes(games: pd.DataFrame, player: str | None = None) -> list[str]:
    """Return the remarks on a log of which a book, whose events are runs of rows, rates another set of events."""
    from elo_sheets.periods import EVENT_GAP_DAYS, cut_events

    if player:
        games = games[(games["white"] == player) | (games["black"] == player)]

    def where(at: int) -> tuple[str, str]:
        return games["event"].iloc[at], f"{games['source'].iloc[at]}, row {games['source_row'].iloc[at]}"

    notes = []
    back, paused = cut_events(games)
    if back is not None:
        name, row = where(back)
        notes.append(
            f"event {name!r} comes back after another one in {row}: the book rates each run of rows with one event by "
            "itself, replay an event's games together; keep them together in the log for the same ratings"
        )
    if paused is not None:
        name, row = where(paused)
        notes.append(
            f"event {name!r} goes on after more than {EVENT_GAP_DAYS} days in {row}: the book rates its rows together, "
            "replay as two events; give the second one another name for the same ratings"
        )
    return notes


def _with_fixtures(logs: Sequence[Any], progress: Callable[[int], None] | None, **how: Any) -> GamesRead:
    """Return what logs hold with the games without a result, marked in the column `to_play`, among the others by day.

    Where a game has no day they stand behind those that are played.
    """
    import pandas as pd

    from elo_sheets.games import make_games
    from elo_sheets.readers import read
    from elo_sheets.readers.fixtures import read_fixtures
    from elo_sheets.simulation import again, as_spelled

    given = [again(log) for log in logs]
    left = read_fixtures([rewind() for rewind in given], **how)
    try:
        log = read([rewind() for rewind in given], progress=progress, **how)
    except UnreadableInput:
        if not left.kept:  # a list of fixtures has no column of results
            raise
        log = GamesRead(make_games([]), left.problems, left.notes)
    if not left.kept:
        return log
    rows = set(zip(left.games["source"], left.games["source_row"], strict=True))
    problems = [problem for problem in log.problems if (problem.source, problem.row) not in rows]
    played = log.games.assign(to_play=False)
    fixtures = as_spelled(left.games, log.games).assign(to_play=True)
    games = fixtures if played.empty else pd.concat([played, fixtures], ignore_index=True)
    if games["date"].notna().all():
        games = games.sort_values("date", kind="stable", ignore_index=True)
    texts = [str(column) for column in games if pd.api.types.is_string_dtype(games[column].dtype)]
    games = games.assign(**{column: games[column].fillna("") for column in texts})
    note = f"{left.kept} games without a result are fixtures to play"
    return GamesRead(games, problems, [*log.notes, note])


def check_output(target: str | Path, logs: Sequence[Any], *endings: str) -> None:
    """Raise `UsageError` when the output has another ending, or is one of the logs that are read."""
    path = Path(target)
    if path.suffix.lower() not in endings:
        raise UsageError(f"expected an output ending in {_listed(endings)}, got {str(target)!r}")
    for log in logs:
        if isinstance(log, (str, Path)) and path.exists() and Path(log).exists() and path.samefile(log):
            raise UsageError(f"the output {str(target)!r} is a log that is being read: choose another name")


def _listed(words: Sequence[str]) -> str:
    return " or ".join(filter(None, (", ".join(words[:-1]), words[-1])))


def owner(games: pd.DataFrame) -> str:
    """Return the one player who plays in every game; raises `UsageError` when there is no such player."""
    first = games.iloc[0]
    everywhere = [
        name for name in (first["white"], first["black"]) if ((games["white"] == name) | (games["black"] == name)).all()
    ]
    if len(everywhere) != 1:
        raise UsageError("a journal is one player's: give --player NAME")
    return str(everywhere[0])


def unrated_notes(plan: Plan) -> list[str]:
    """Return the remarks on games that stand in a book without being rated, by what the book says of them."""
    # The table that is typed into comes first, and its statuses are one a game.
    columns = (column for sheet in plan.sheets for table in sheet.tables for column in table.columns)
    statuses = next((column.fill.values for column in columns if column.role == "status"), [])
    counts = Counter(str(status) for status in statuses if status not in NOT_GAMES)
    games = sum(counts.values())
    return [
        f"{count} of {games} games have {status if status.startswith('no ') else f'the status {status!r}'}: "
        "listed, but not rated"
        for status, count in counts.items()
        if status != "rated"
    ]


def leap_notes(book: Book) -> list[str]:
    """Return the remark on days that programs number differently: Excel believes that 1900 was a leap year."""
    from elo_sheets.periods import LEAP_DAY

    days = (day for table in book.inputs.tables.values() for day in table.get("Date", ()))
    early = sum(isinstance(day, float) and 0 < day < LEAP_DAY for day in days)
    return [f"days before 1 March 1900 ({early}): Excel shows them one day later than other programs"] if early else []


def journal_notes(games: pd.DataFrame, player: str, system: str, settings: Mapping[str, object]) -> list[str]:
    """Return the remarks that the owner of a journal should read."""
    from elo_sheets.replay import initial_rating, journal_games

    mine = journal_games(games, player)
    notes = []
    if len(mine) < len(games):
        notes.append(f"{len(games) - len(mine)} games of other players are not in the journal")
    missing = int(mine["opponent_rating"].isna().sum())
    if missing:
        notes.append(f"{missing} of {len(mine)} games have no opponent rating: listed, but not rated")
    first = initial_rating(games, player)
    if first is not None and "initial" not in {key.lower() for key in settings}:
        notes.append(f"initial rating {first:g}, as published before the first game (--set initial=… for another)")
    if system == "fide" and not {"initial_games", "games"} & {key.lower() for key in settings}:
        notes.append("K is 40 for the first 30 games: say --set initial_games=… for games before this log")
    return notes
