"""Logs in, a filled workbook out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple, Unpack

from elo_sheets._late import pd
from elo_sheets.errors import EloSheetsError, OutputRefused, UnreadableInput, UsageError
from elo_sheets.files.package import is_book_with
from elo_sheets.files.save import check_output, refuse_unwritable
from elo_sheets.games import GamesRead, Problem, find_player, identity, make_games, owner, players
from elo_sheets.readers import HowRead, Logs, one_by_one, read
from elo_sheets.readers.fixtures import again, as_spelled, read_fixtures
from elo_sheets.readers.names_map import NamesMap, as_entries, read_names
from elo_sheets.readers.trf import is_trf
from elo_sheets.replaying.periods import LEAP_DAY
from elo_sheets.replaying.settings import PROFILE, Settings, as_of_games, begun, first_alone, settings_notes
from elo_sheets.replaying.starting import Start, starts_by_system
from elo_sheets.systems import Rules
from elo_sheets.team_games import GamesOfSidesError, TeamGamesRead
from elo_sheets.uses.listing import of_list
from elo_sheets.uses.mapped import as_options, sheet_by_name
from elo_sheets.uses.notes import event_notes, game_notes, journal_notes
from elo_sheets.uses.sided import read_sided_logs, says_sides
from elo_sheets.uses.sided_books import import_sided, read_for_book
from elo_sheets.workbook import MOST_ROWS
from elo_sheets.workbook.book import MANIFEST, Book
from elo_sheets.workbook.build import check_size, dialect_notes, filled_book, plan_book
from elo_sheets.workbook.dialect import options
from elo_sheets.workbook.fits import check_fits, first_without_points, view_of
from elo_sheets.workbook.plan import Plan
from elo_sheets.workbook.sports.guessed import Sport, asked_profile, name_in, words_for
from elo_sheets.workbook.templates import settings_asked, systems_asked, template, template_settings
from elo_sheets.workbook.templates import template as find_template
from elo_sheets.workbook.view import View

# So many bytes of a log say whether it is a tournament report.
HEAD = 65536
# What a book says of rows that hold no game to rate: empty ones, fixtures, points without a game.
NOT_GAMES = ("", "to play", "forfeit", "bye")


@dataclass(frozen=True)
class Imported:
    """What an import did: what was read, how many players, where the book is (None after a dry run), remarks.

    `unrated` are those of the log's problems that the book holds nevertheless, as points without a rated game. `made`
    says what the book is made of, given or guessed: `template`, `system`, and `profile`, "" for White and Black.
    """

    log: GamesRead | TeamGamesRead
    players: int
    output: str | None
    notes: list[str]
    settings: Settings
    unrated: list[Problem] = field(default_factory=list)
    made: Mapping[str, str] = field(default_factory=dict)

    def __repr__(self) -> str:
        written = Path(self.output).name if self.output else "nothing written"
        return f"<{written}: {self.log.kept} games, {self.players} players>"

    def to_frame(self) -> pd.DataFrame:
        """Return the games that were read, as `log.games`."""
        return self.log.games

    @property
    def left_out(self) -> list[Problem]:
        """Those of the log's problems of which nothing is in the book."""
        return [problem for problem in self.log.problems if problem not in self.unrated]


def import_logs(
    logs: Logs,
    target: str | Path,
    *,
    template: str | None = None,
    player: str | None = None,
    system: str | Rules | None = None,
    settings: Mapping[str, object] | None = None,
    start: Start = None,
    profile: str | None = None,
    dialect: str = "portable",
    dry_run: bool = False,
    overwrite: bool = False,
    **how: Unpack[HowRead],
) -> Imported:
    """Read logs, replay them, and write the filled workbook.

    `system` is the template's first where it is not given; the template compare takes several, `elo,glicko2`,
    of which the settings are the first's unless they name another, `glicko2.tau`. `template` is journal when `player`
    is given, event for a tournament report whose players have ratings, and league otherwise. `start` says what players
    start from (see `starts`). `dialect` is `portable`, or `modern` for lists that are dynamic arrays, which need Excel
    2021 or Microsoft 365. A dry run does all but write.
    `how` says how the logs are read (see `read`). `profile` names a sport, by whose words the book calls sides and
    results and whose system and settings count where none are given: a name, the path of a TOML file, or `none`;
    unless it is given the words follow from the headers of the log.

    Raises `UnreadableInput` for a log that cannot be read, `UsageError` for contradicting arguments,
    `OutputRefused` when the target exists and `overwrite` is not given.
    """
    logs = one_by_one(logs)
    plain = template is None and player is None and not settings and start is None and profile is None
    is_event = plain and _is_event(logs, system, how)
    name = template or ("journal" if player else "event" if is_event else "league")

    def of_sides(name: str | None, read: Callable[[], TeamGamesRead]) -> Imported:
        who = remembered(how, dry_run)
        log = read()
        names = sheet_by_name(who, log)
        return Imported(
            log, *import_sided(name, logs, target, log, system, settings, start, profile, names, dry_run, overwrite)
        )

    if find_template(name)["view"] == "sides":
        if player is not None:
            raise UsageError("games of teams or of many are rated as a whole pool: leave out --player")
        return of_sides(name, lambda: read_for_book(logs, how))
    try:
        made = _import_plain(
            logs, target, name, player, system, settings, start, profile, dialect, dry_run, overwrite, how
        )
        if is_event:
            made.notes.append(
                "a tournament report whose players have ratings: rated as an event, everybody from the rating in it "
                "(--template league for a league in which all begin alike)"
            )
        return made
    except (GamesOfSidesError, UsageError) as error:
        asked = template is None and player is None
        found = (error if isinstance(error, GamesOfSidesError) else says_sides(logs, how)) if asked else None
        if found is None:
            raise  # a system or setting that no plain book holds may be one of games of sides
        return of_sides(None, lambda: read_sided_logs(found, logs, how))


def _is_event(logs: Sequence[Any], system: str | Rules | None, how: HowRead) -> bool:
    """Return whether the one log is a tournament report most of whose players have a rating, and the system fits."""
    fits = system is None or system in template("event")["rules"]
    if len(logs) != 1 or not isinstance(logs[0], (str, Path)) or str(logs[0]) == "-" or not fits:
        return False
    try:
        with Path(logs[0]).open("rb") as file:
            if not is_trf(file.read(HEAD)):
                return False
        plain: Any = {name: value for name, value in how.items() if name not in ("names", "progress")}
        people = read(logs, **plain).games.attrs.get("entrants", [])
    except (OSError, EloSheetsError):  # which reading it says, too
        return False
    return bool(people) and 2 * sum(one["rating"] is not None for one in people) >= len(people)


def _import_plain(
    logs: list[Any],
    target: str | Path,
    name: str,
    player: str | None,
    system: str | Rules | None,
    settings: Mapping[str, object] | None,
    start: Start,
    profile: str | None,
    dialect: str,
    dry_run: bool,
    overwrite: bool,
    how: HowRead,
) -> Imported:
    sport = asked_profile(name, profile, system)
    rated = _rated(name, sport, sport.system, settings or {}, start)
    view = view_of(name)
    check_output(target, logs, ".xlsx")
    said = dialect_notes(name, dialect)
    if not dry_run:
        _refuse_book_of_ours(Path(target), overwrite)
        refuse_unwritable(Path(target), overwrite=overwrite)
    who = remembered(how, dry_run)
    log = read_logs(view, logs, player=player, **how)
    if view.rows_a_game == 2 and view.is_replayed and player is not None:
        refuse_a_part(log.games, player, f"template {name} rates a whole pool", "take --template journal")
    if sport.system is None and not settings and rated.reads_points and log.kept and "white_points" not in log.games:
        otherwise = first_without_points(name)
        if otherwise is not None:
            needing, rated = rated.system.name, _rated(name, sport, otherwise, {}, start)
            said.append(f"no game has goals or points: rated by {otherwise}, not by {needing}, which needs them")
    rating_system, further = rated.system, rated.further
    values, dated = as_of_games(rating_system, rated.values, log.games)
    notes = [*log.notes, *said, *dated, *settings_notes(rating_system, values)]
    notes += first_alone(rating_system, further, settings or {})
    if log.games.empty:
        return Imported(log, 0, None, notes, values)
    if log.kept > MOST_ROWS:
        raise UnreadableInput(
            f"{log.kept} games are more than a live workbook can hold ({MOST_ROWS}); replay writes their history"
        )
    whose = None
    if find_template(name)["view"] == "journal":
        player = whose = find_player(log.games, player or owner(log.games))
    start = of_list(start, log.games, notes)
    found = view.starts(start, rating_system, log.games, values.typed, whose)
    if whose is not None:
        notes += journal_notes(log.games, whose, rating_system.name, values.typed, found)
        values = begun(rating_system, values, found, whose)
    else:
        notes += found.notes
    words = words_for(name, sport, log, notes)
    chosen = rated.options | options(dialect) | sheet_by_name(who, log) | words
    made = {"template": name, "system": rating_system.name, "profile": name_in(words)}
    notes += game_notes(rating_system, values, log.games)
    if view.is_replayed and values["period"] == "event":
        notes += event_notes(log.games, player)
    book = filled_book(name, rating_system, values, log.games, player, options=chosen, start=found, further=further)
    plan = plan_book(book)
    check_size(plan, book)
    notes += [note for note in (*unrated_notes(plan), *leap_notes(book)) if note not in notes]
    if not dry_run:
        from elo_sheets.workbook.write import write_book

        write_book(plan, Path(target), overwrite=overwrite)
    output = None if dry_run else str(target)
    if not view.keeps_unplayed:
        return Imported(log, len(players(log.games)), output, notes, values, made=made)
    unrated = _unrated(log)
    if unrated:
        notes.append(f"byes and forfeits ({len(unrated)}) stand in the book as points, not rated")
    people = sum(name is not None for name in book.inputs.tables["Players"]["Name"])
    return Imported(log, people, output, notes, values, unrated, made)


def refuse_a_part(games: pd.DataFrame, player: str, why: str, instead: str) -> None:
    """Raise `UsageError` where a player is named, as the owner of a list of opponents is, who is not in all games."""
    own, sides = identity(player), games[["white", "black"]]
    if not (sides.map(identity) == own).any(axis=1).all():
        raise UsageError(
            f"{why}, and not all games of the log are those of {player!r}: leave out --player, or {instead}"
        )


class _Rated(NamedTuple):
    """By what a book rates: its system and those of a comparison beside it, the settings, and the book's options."""

    system: Rules
    further: list[Rules]
    values: Settings
    options: dict[str, str]
    reads_points: bool


def _rated(name: str, sport: Sport, system: str | Rules | None, settings: Mapping[str, object], start: Start) -> _Rated:
    (first, *further), options = systems_asked(name, system)
    own, more = settings_asked(name, (first, *further), settings)
    values = template_settings(name, first, own).but(PROFILE, sport.settings)
    _refuse_starts_of_one((first, *further), start)
    return _Rated(first, further, values, options | more, "points" in check_fits(name, first, values).reads)


def remembered(how: HowRead, dry_run: bool) -> dict[str, str]:
    """Return what a book remembers of names and of the columns that are told, as its options hold it.

    In a dry run no question is written into their file.
    """
    names = how.get("names")
    columns = as_options(how)
    if names is None:
        return columns
    known = names if isinstance(names, NamesMap) else read_names(names)
    how["names"] = replace(known, dry=dry_run or known.dry)
    return {**as_entries(known), **columns}


def _refuse_book_of_ours(target: Path, overwrite: bool) -> None:
    """Raise `OutputRefused` for a workbook that elo-sheets made, which can take the games of further logs."""
    if not overwrite and is_book_with(target, MANIFEST):
        raise OutputRefused(
            f"{str(target)!r} is a workbook of elo-sheets: elo-sheets update adds the games that it does not hold; "
            "give --force to replace it by a new one"
        )


def _refuse_starts_of_one(systems: Sequence[Rules], start: Start) -> None:
    """Raise `UsageError` for a start of one system alone: all systems of a book begin with its sheet Players."""
    named = isinstance(start, (str, Mapping)) and any(one != start for one in starts_by_system(systems, start)[0])
    if len(systems) > 1 and named:
        raise UsageError(
            "every system of the template compare starts from the ratings on the sheet Players: leave out "
            "--start SYSTEM:…, or take elo-sheets compare"
        )


def read_logs(view: type[View], logs: Logs, *, player: str | None = None, **how: Unpack[HowRead]) -> GamesRead:
    """Read logs as the books of a view hold them: with fixtures or without, each pool apart or not."""
    if view.keeps_fixtures:
        return _with_fixtures(logs, **how)
    return read(logs, player=player, pools_apart=view.rates_pools_apart, **how)


def _unrated(log: GamesRead) -> list[Problem]:
    """Return the problems that tell of points without a game."""
    pairings = {(pairing["source_row"], f"round {pairing['round']}") for pairing in log.games.attrs.get("unplayed", [])}
    return [problem for problem in log.problems if (problem.row, problem.column) in pairings]


def _with_fixtures(logs: Logs, **how: Unpack[HowRead]) -> GamesRead:
    """Return what logs hold with the games without a result, marked in the column `to_play`, among the others by day.

    Where a game has no day they stand behind those that are played.
    """
    given = [again(log) for log in one_by_one(logs)]
    left = read_fixtures([rewind() for rewind in given], **how)
    try:
        log = read([rewind() for rewind in given], **how)
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
    few = left.kept == 1
    note = "1 game without a result is a fixture" if few else f"{left.kept} games without a result are fixtures"
    return GamesRead(games, problems, [*log.notes, f"{note} to play"])


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
    days = (day for table in book.inputs.tables.values() for day in table.get("Date", ()))
    early = sum(isinstance(day, float) and 0 < day < LEAP_DAY for day in days)
    return [f"days before 1 March 1900 ({early}): Excel shows them one day later than other programs"] if early else []
