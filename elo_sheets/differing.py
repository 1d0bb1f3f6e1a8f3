"""Two books or logs compared by their games and ratings: what changed, and which change moved whom by how much.

Both sides become games tables in the order in which they are rated. `match` aligns them; what is left over is added,
removed or changed. The ratings of both sides are replayed, and the difference is attributed: A is replayed as it is,
then B's settings are applied to it, then B's starting ratings, then the changed games one by one in the order of play,
and the ratings are replayed after each. A part is what one of these steps moved; so the parts of a player sum to his
whole change, and a part holds all that its game does to the games after it, as they stand by then.
"""

from __future__ import annotations

import difflib
import math
from bisect import bisect_left
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Container, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from elo_sheets.errors import EloSheetsError, NotChecked, UnreadableInput, UsageError
from elo_sheets.games import COLUMNS, OTHER, GamesRead, Problem, identity, make_games, players
from elo_sheets.readers._names import skeleton
from elo_sheets.systems import GAME_INPUTS, JointSystem, Rules, System
from elo_sheets.systems import system as find_system

if TYPE_CHECKING:
    import pandas as pd

    from elo_sheets.package import Book, Table
    from elo_sheets.recalculate import Values
    from elo_sheets.validate.read import Manifest, Typed
    from elo_sheets.workbook.book import Book as PlannedBook
    from elo_sheets.workbook.view import View

LOG, LEAGUE, JOURNAL = "log", "league", "journal"
ADDED, REMOVED, CHANGED = "added", "removed", "changed"
SETTINGS, START, SEVERAL, REMAINDER = "settings", "start", "several", "remainder"

RESULTS = {1.0: "1-0", 0.5: "1/2-1/2", 0.0: "0-1"}

# Ratings that differ by less are the same.
TOLERANCE = 1e-9

# The changes are applied one by one as long as that costs no more than so many replays, and so many games replayed;
# beyond that, neighbours are applied together.
MOST_REPLAYS = 400
MOST_WORK = 5_000_000

# The key of a journal's owner: a name that nobody can have.
_OWNER = "\0owner"


# --- what is compared ---------------------------------------------------------------------------------------


class Game(NamedTuple):
    """One rated game of a side; `white` and `black` are keys of players, `details` what else the rule reads of it."""

    number: int
    day: str
    white: str
    black: str
    score: float
    details: tuple[tuple[str, Hashable], ...]
    white_name: str
    black_name: str
    source: str
    source_row: int

    @property
    def meeting(self) -> tuple[str, str, str]:
        """Who met on which day, with colours."""
        return self.day, self.white, self.black

    @property
    def whole(self) -> Hashable:
        """All that is compared."""
        return self.day, self.white, self.black, self.score, self.details

    def __str__(self) -> str:
        names = f"{self.white_name or '(no name)'} – {self.black_name or '(no name)'}"
        return f"{self.day or '(no date)'} {names} {RESULTS[self.score]}"


@dataclass(frozen=True)
class Side:
    """One of the two books or logs.

    `log` holds the rated games in the order in which they are rated, and the rows kept out. `start` gives the players
    whom a league lists their start rating, None where it is the setting's. `player` is a journal's owner.
    """

    name: str
    kind: str
    system: Rules
    settings: Mapping[str, Any]
    log: GamesRead
    start: Mapping[str, float | None] = field(default_factory=dict)
    player: str | None = None

    @cached_property
    def keys(self) -> dict[str, str]:
        """What each player's name is compared by: its `identity`, unless another name shares it."""
        found = {} if self.player is None else {self.player: _OWNER}
        taken: dict[str, str] = {}
        for name in (*players(self.log.games), *self.start):
            key = identity(name)
            alone = taken.setdefault(key, name.lower()) == name.lower()
            found.setdefault(name, key if alone else f"{key}\0{name}")
        return found

    def start_of(self, key: str) -> float | None:
        """Return what a player starts from, None where the rule has no start."""
        states = getattr(self.system, "state", ())
        initial = next((state.initial for state in states if state.name == "rating"), None)
        return None if initial is None else (self.starts.get(key) or {}).get("rating", float(self.settings[initial]))

    @cached_property
    def starts(self) -> dict[str, dict[str, float]]:
        """The start ratings that are not the setting's, by key."""
        return {self.keys[name]: {"rating": value} for name, value in self.start.items() if value is not None}


def shown_names(a: Side, b: Side) -> dict[str, str]:
    """Return each player's key with the one name that he is shown by: B's spelling where B has him."""
    found: dict[str, str] = {}
    taken: set[str] = set()
    for side in (b, a):
        for name, key in side.keys.items():
            if key not in found:
                found[key] = name if name not in taken else f"{name} ({side.name})"
                taken.add(found[key])
    return found


# --- what differs -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Change:
    """One game that is added (no `before`), removed (no `after`), or changed in `fields`.

    The fields are date, white, black, colours, result, order, and columns of the games table that the rule reads.
    """

    before: Game | None
    after: Game | None
    fields: tuple[str, ...] = ()

    @property
    def kind(self) -> str:
        """Which it is."""
        return ADDED if self.before is None else REMOVED if self.after is None else CHANGED

    def __str__(self) -> str:
        if self.before is None or self.after is None:
            return f"{self.kind} {self.before or self.after}"
        what = ", ".join(f"{name} {before} → {after}" if before else name for name, before, after in self.told())
        return f"changed {self.before}: {what}"

    def told(self) -> Iterator[tuple[str, str, str]]:
        """Yield each field with what it was and what it is, both empty where the field's name says all."""
        if self.before is None or self.after is None:
            return
        was, now = _shown(self.before), _shown(self.after)
        for name in self.fields:
            yield (name, was[name], now[name]) if name in was else (name, "", "")


@dataclass(frozen=True)
class Setting:
    """A setting, or a start rating of the player `name`, that differs."""

    name: str
    before: Any
    after: Any


@dataclass(frozen=True)
class Part:
    """What one cause moved a rating by; `changes` are the changed games that it is, if it is games."""

    cause: str
    text: str
    change: float
    changes: tuple[int, ...] = ()


@dataclass(frozen=True)
class Moved:
    """A player whose rating differs; a rating is None on the side on which he has no rated game.

    The change of such a player is counted from (or back to) his start rating. It is None where the rule has no start.
    """

    name: str
    before: float | None
    after: float | None
    change: float | None
    because: tuple[Part, ...]


@dataclass(frozen=True)
class Differences:
    """How B differs from A; the games are in the order of play, the players most moved first."""

    a: Side
    b: Side
    settings: tuple[Setting, ...]
    start: tuple[Setting, ...]
    unchanged: int
    games: tuple[Change, ...]
    players: tuple[Moved, ...]

    @property
    def same(self) -> bool:
        """Whether nothing differs."""
        return not (self.settings or self.start or self.games or self.players)

    def of(self, kind: str) -> list[Change]:
        """Return the games that were added, removed or changed."""
        return [change for change in self.games if change.kind == kind]


def diff(
    a: str | Path,
    b: str | Path,
    *,
    system: str | None = None,
    settings: Mapping[str, object] | None = None,
    player: str | None = None,
    columns: Mapping[str, str] | None = None,
    dates: Literal["dmy", "mdy", "ymd"] | None = None,
    encoding: str | None = None,
    pool: str | None = None,
    progress: Callable[[int], None] | None = None,
) -> Differences:
    """Return how the games and ratings of `b` differ from those of `a`.

    Each is a log, or a workbook that elo-sheets made and somebody typed into. A log beside a book is rated by the
    book's system, settings and start ratings; two logs by `system` (elo unless given) and `settings`. With `player`, or
    where one of the two is a journal, the journal of that player is compared. `columns`, `dates`, `encoding` and `pool`
    say how to read a log. A book is taken by what was typed; whether its cells show the ratings that follow from it is
    what `validate` says.

    Games match when day, players and colours are the same. What is left is matched when one of these, or the colours,
    alone differs. Cost: a replay for each changed game, at most 400.

    Raises `UnreadableInput` for what cannot be read, `NotChecked` for a workbook that elo-sheets did not make, and
    `UsageError` for options that do not fit.
    """
    if str(a) == str(b) == "-":
        raise UsageError("only one of the two can be the standard input")
    reading = {"columns": columns, "dates": dates, "encoding": encoding, "pool": pool, "progress": progress}
    books = {path: _TypedBook.read(path) for path in (a, b) if is_workbook(path)}
    if books and (system is not None or settings):
        raise UsageError("the system and settings are the book's: leave out --system and --set, or compare two logs")
    if a in books and b in books and any(value for name, value in reading.items() if name != "progress"):
        raise UsageError("two workbooks need no --map, --dates, --encoding or --pool: these say how to read a log")
    first, second = _sides((a, b), books, system, settings, player, reading)
    return compare_sides(first, second)


def compare_sides(a: Side, b: Side) -> Differences:
    """Return how side `b` differs from side `a`; both are pools, or both journals of one player."""
    differing = _differing_settings(a, b)
    starts = _differing_starts(a, b)
    columns = sorted({name for side in (a, b) for name in read_columns(side)})
    before, after = ([*_games(side, columns)] for side in (a, b))
    changes, slots = align(before, after)
    moved = _Attribution(a, b, differing, starts, changes, slots).moved()
    unchanged = sum(slot.change is None for slot in slots)
    return Differences(a, b, differing, tuple(starts.values()), unchanged, changes, moved)


def _differing_settings(a: Side, b: Side) -> tuple[Setting, ...]:
    found = [] if a.system.name == b.system.name else [Setting("system", a.system.name, b.system.name)]
    names = [name for name in a.settings if name in b.settings and a.settings[name] != b.settings[name]]
    return (*found, *(Setting(name, a.settings[name], b.settings[name]) for name in names))


def _differing_starts(a: Side, b: Side) -> dict[str, Setting]:
    """Return, by key, the start ratings that differ of players whom both sides list."""
    was = {a.keys[name]: value for name, value in a.start.items()}
    return {
        b.keys[name]: Setting(name, was[b.keys[name]], value)
        for name, value in b.start.items()
        if b.keys[name] in was and was[b.keys[name]] != value
    }


def read_columns(side: Side) -> set[str]:
    """Return the columns of a games table, beyond date, players and score, that decide a side's ratings."""
    reads: set[str] = {"handicap", "komi"} if isinstance(side.system, JointSystem) else set()
    if isinstance(side.system, System):
        reads = side.system.shaped(side.settings).reads
    period = str(side.settings.get("period", "game"))
    columns = {"white_rating", "black_rating"} if side.player is not None else set()
    columns |= {
        {"points": "white_points", "opponent_points": "black_points"}.get(name, name)
        for name in reads & set(GAME_INPUTS) - {"score", "side", "widest"}
        if side.player is None
    }
    columns |= {"season"} if "seasons" in reads else set()
    columns |= {"event"} if period == "event" or "widest" in reads else set()
    if period.startswith(OTHER):
        name = period.removeprefix(OTHER)
        columns.add(name if name in side.log.games else period)
    return columns - {"date"}


def _games(side: Side, columns: Sequence[str]) -> Iterator[Game]:
    games = side.log.games
    details = [[_detail(name, value) for value in games[name].tolist()] for name in columns if name in games]
    present = [name for name in columns if name in games]
    missing = tuple((name, _detail(name, None)) for name in columns if name not in games)
    days = games["date"].dt.strftime("%Y-%m-%d").where(games["date"].notna(), "").tolist()
    rows = zip(
        days, *(games[name].tolist() for name in ("white", "black", "score", "source", "source_row")), strict=True
    )
    for number, (day, white, black, score, source, row) in enumerate(rows, 1):
        own = tuple((name, values[number - 1]) for name, values in zip(present, details, strict=True))
        keys = side.keys[white], side.keys[black]
        yield Game(number, day, *keys, score, tuple(sorted(own + missing)), white, black, source, row)


def _detail(column: str, value: Any) -> Hashable:
    """Return a value of a column as it is compared: one that is missing is what the rules take it for."""
    import pandas as pd

    if value is None or pd.isna(value):
        return GAME_INPUTS.get(column) if column not in COLUMNS or COLUMNS[column].dtype != "str" else ""
    return value if isinstance(value, str) else float(value)


# --- reading ------------------------------------------------------------------------------------------------


def is_workbook(path: str | Path) -> bool:
    """Return whether a file is a zip archive, which a log never is."""
    if str(path) == "-" or not Path(path).is_file():
        return False
    with Path(path).open("rb") as stream:
        return stream.read(4) in {b"PK\x03\x04", b"PK\x05\x06"}


class _WhenAsked(dict[str, Any]):
    """What an engine computes of a book, recalculated once a typed cell proves to be a formula."""

    def __init__(self, book: Book) -> None:
        super().__init__()
        self.book = book

    @cached_property
    def computed(self) -> Values:
        from elo_sheets.recalculate import recalculate

        return recalculate(self.book).values

    def get(self, sheet: str, default: Any = None) -> Any:
        return self.computed.get(sheet, default)


@dataclass
class _TypedBook:
    """A workbook with its manifest, settings, and what was typed."""

    path: str
    manifest: Manifest
    typed: Typed
    settings: dict[str, Any]
    inputs: PlannedBook
    notes: list[str]

    @classmethod
    def read(cls, path: str | Path) -> _TypedBook:
        from elo_sheets.package import read_book
        from elo_sheets.validate.read import Typed, read_inputs, read_manifest, read_settings, with_own_names
        from elo_sheets.workbook.templates import template

        book = read_book(Path(path))
        try:
            manifest = read_manifest(book)
            book = with_own_names(book, template(manifest.template))
            typed = Typed(book, _WhenAsked(book))
            settings, findings = read_settings(book, typed, manifest)
            inputs = read_inputs(book, typed, manifest, settings)
        except NotChecked as reason:
            raise NotChecked(f"{path}: {reason}") from None
        return cls(str(path), manifest, typed, settings, inputs, [finding.message for finding in findings])

    @cached_property
    def view(self) -> type[View]:
        from elo_sheets.workbook.build import view_of

        return view_of(self.manifest.template)

    @property
    def kind(self) -> str:
        return LEAGUE if self.view.rows_a_game == 2 else JOURNAL

    def side(self, player: str | None) -> Side:
        """Return the book as a side; `player` is the owner of a journal."""
        if not self.view.games_table:
            raise NotChecked(f"{self.path}: template {self.manifest.template} holds no games to compare")
        if not self.view.is_replayed:
            raise NotChecked(f"{self.path}: template {self.manifest.template} is rated as a whole: compare its logs")
        table = self.typed.table(self.view.games_table)
        source = f"{self.path}, {table.sheet}"
        start: dict[str, float | None] = {}
        rows = self._journal_rows(player or "") if self.kind == JOURNAL else self._league_rows(start)
        records, problems = [], []
        for row, (status, record) in enumerate(rows, table.first_data_row):
            if status == "rated":
                records.append({**record, "source": source, "source_row": row})
            elif status:
                problems.append(Problem(source, row, "", "", status))
        problems += [Problem(source, row, "", "", reason) for row, reason in self._out_of_reach(table)]
        games = _in_order_of_rows(make_games(records))
        log = GamesRead(games, problems, self.notes)
        return Side(self.path, self.kind, self.manifest.system, self.settings, log, start, player)

    def _league_rows(self, start: dict[str, float | None]) -> Iterator[tuple[str, dict[str, Any]]]:
        from elo_sheets.workbook.layout import number_or
        from elo_sheets.workbook.pool import EXTRA, FLAGS
        from elo_sheets.workbook.templates import template

        form = template(self.manifest.template)
        cells = self.view.read_pool(form, self.manifest.system, self.settings, self.inputs.inputs)
        starts = cells.inputs.tables["Players"]["Start rating"]
        for name, number, typed in zip(cells.names, cells.ids, starts, strict=True):
            if number:
                value = number_or(typed, None)
                start[name] = None if value is None else float(value)
        for game in cells.games:
            rated = game.status == "rated"
            sides = {"white": cells.names[game.white_number - 1], "black": cells.names[game.black_number - 1]}
            said = {EXTRA[name][0]: bool(v) if name in FLAGS else v for name, v in game.extra.items() if v != ""}
            status = "" if game.status == cells.unplayed else game.status
            yield status, {"date": _day(game.date), **sides, "score": game.score, **said} if rated else {}

    def _journal_rows(self, player: str) -> Iterator[tuple[str, dict[str, Any]]]:
        from elo_sheets.workbook.book import HEADER_ROW
        from elo_sheets.workbook.journal import JournalCells

        cells = JournalCells(self.manifest.system, self.settings, {}, self.inputs.inputs, [], HEADER_ROW)
        for row in cells.rows:
            if row.opponent == player and row.status == "rated":
                yield "a game against oneself", {}
            elif row.status == "rated":
                colour = "black" if row.colour.lower() == "black" else "white"
                yield (
                    row.status,
                    _own_game(player, _day(row.date), row.opponent, colour, row.score, row.opponent_rating),
                )
            else:
                yield row.status, {}

    def _out_of_reach(self, table: Table) -> Iterator[tuple[int, str]]:
        """Yield the rows in which a game stands that no formula of the book reaches."""
        from elo_sheets.workbook.templates import template

        typed = self.view.input_columns(template(self.manifest.template), self.manifest.system)[table.name]
        columns = [table.column(label) for label in typed if label not in {"Date", "Event"}]
        games = self.inputs.inputs.sizes["Ledger"] // self.view.rows_a_game
        reach = min(table.last_data_row, table.first_data_row + games - 1)
        rows = {
            row
            for row, column in self.typed.book.sheets[table.sheet]
            if column in columns and row > reach and self.typed.cell(table.sheet, row, column) not in (None, "")
        }
        for row in sorted(rows):
            yield row, "beyond the Ledger" if row <= table.last_row else f"below the table {table.name}"


def _day(serial: float) -> Any:
    import pandas as pd

    return pd.Timestamp("1899-12-30") + pd.Timedelta(days=serial) if serial > 0 else None


def _own_game(player: str, day: Any, opponent: str, colour: str, score: Any, rating: Any) -> dict[str, Any]:
    """Return the record of a journal's game; the score is the owner's, the rating the opponent's."""
    if colour == "white":
        return {"date": day, "white": player, "black": opponent, "score": score, "black_rating": rating}
    return {"date": day, "white": opponent, "black": player, "score": 1 - score, "white_rating": rating}


def _in_order_of_rows(games: pd.DataFrame) -> pd.DataFrame:
    """Return games in the order of their rows, as a book rates them."""
    games = games.sort_values("source_row", kind="stable").reset_index(drop=True)
    return games.assign(game=range(1, len(games) + 1))


def _sides(
    paths: tuple[str | Path, str | Path],
    books: Mapping[str | Path, _TypedBook],
    system: str | None,
    settings: Mapping[str, object] | None,
    player: str | None,
    reading: Mapping[str, Any],
) -> tuple[Side, Side]:
    kinds = {book.kind for book in books.values()}
    if kinds == {LEAGUE, JOURNAL}:
        raise UsageError("a league rates a pool and a journal one player: they have no ratings to compare")
    if LEAGUE in kinds and player is not None:
        raise UsageError("--player is for journals and logs: a league rates its whole pool")
    if JOURNAL in kinds:
        player = _owner_of([book.manifest.title for book in books.values()], player, beside_log=len(books) < 2)
    found = {path: book.side(player) for path, book in books.items()}
    beside = next(iter(found.values()), None)
    if beside is None:
        rules = find_system(system or "elo")
        beside = Side("", LOG, rules, rules.settings(settings), GamesRead(make_games([])), player=player)
    given = beside.settings if books else settings or {}
    first, second = (found.get(path) or _log_side(path, beside, given, reading) for path in paths)
    return first, second


def _owner_of(titles: Sequence[str], player: str | None, beside_log: bool) -> str:
    """Return whose journal is compared."""
    names = {identity(title): title for title in titles if title}
    if player is not None:
        return player
    if len(names) > 1:
        whose = " and ".join(names.values())
        raise UsageError(f"these are journals of {whose}: if that is one player, say so with --player NAME")
    if not names and beside_log:
        raise UsageError("the journal does not say whose it is: give --player NAME")
    return next(iter(names.values()), "(owner)")


def _log_side(path: str | Path, beside: Side, given: Mapping[str, Any], reading: Mapping[str, Any]) -> Side:
    """Return a log as a side that is rated as the one beside it, whose player makes it that player's journal.

    A journal starts from the first published rating unless the settings `given` say otherwise.
    """
    from elo_sheets.exporting import unofficial_notes
    from elo_sheets.importing import journal_notes
    from elo_sheets.readers import expand, read_for
    from elo_sheets.replay import initial_rating, journal_games

    settings = dict(beside.settings)
    log = read_for(expand([str(path)]), settings, player=beside.player, **reading)
    if log.kept == 0:
        reason = f", such as {log.problems[0]}" if log.problems else ""
        raise UnreadableInput(f"no game of {path} can be used: {log.rejected} rows are left out{reason}")
    notes = [*log.notes, *unofficial_notes(beside.system, settings)]
    if beside.player is None:
        spelt = {identity(name): name for name in players(log.games)}
        start = {spelt.get(beside.keys[name], name): value for name, value in beside.start.items()}
        return Side(str(path), LOG, beside.system, settings, GamesRead(log.games, log.problems, notes), start)
    notes += journal_notes(log.games, beside.player, beside.system.name, given)
    first = initial_rating(log.games, beside.player)
    if first is not None and "initial" not in {name.lower() for name in given}:
        settings["initial"] = first
    mine = journal_games(log.games, beside.player)
    mine = mine[mine["opponent_rating"].notna()]
    records = [
        _own_game(beside.player, row["date"], row["opponent"], row["colour"], row["score"], row["opponent_rating"])
        | {"event": row["event"] or None, "source": row["source"], "source_row": row["source_row"]}
        for row in mine.to_dict("records")
    ]
    games = make_games(records).assign(game=range(1, len(records) + 1))
    return Side(str(path), LOG, beside.system, settings, GamesRead(games, log.problems, notes), player=beside.player)


# --- matching -----------------------------------------------------------------------------------------------


# How many equal games, or games that may be one corrected, are looked at around the place where one is expected.
_NEAR = 30
# How unlikely a correction may be between logs that have little in common; 0 is sure, 1 is absurd.
_LIKELY = 0.5

Pair = tuple[int, int]


class Slot(NamedTuple):
    """A place in the order of play of both sides: the positions of its games, and the change that it belongs to."""

    change: int | None
    a: int | None
    b: int | None


def align(a: Sequence[Game], b: Sequence[Game]) -> tuple[tuple[Change, ...], list[Slot]]:
    """Return the changes that make the games `a` the games `b`, in the order of play, and the common order of both.

    A side's games are those of the slots that hold one of its games, in their order. A game that moved has two slots,
    and its change stands where it is now.
    """
    pairs = match(a, b)
    places = [*_places(len(a), len(b), pairs, _in_place(a, b, pairs))]
    changes: list[Change] = []
    number: dict[tuple[int | None, int | None], int] = {}
    for i, j, on_a, on_b in places:
        if not on_b and j is not None:
            continue  # where a game stood before it moved
        moved = on_b and not on_a and i is not None
        change = _change(None if i is None else a[i], None if j is None else b[j], moved)
        if change is not None:
            number[i, j] = len(changes)
            changes.append(change)
    slots = [Slot(number.get((i, j)), i if on_a else None, j if on_b else None) for i, j, on_a, on_b in places]
    return tuple(changes), slots


def _change(before: Game | None, after: Game | None, moved: bool) -> Change | None:
    if before is None or after is None:
        return Change(before, after)
    fields = []
    if before.day != after.day:
        fields.append("date")
    mirrored = (before.white, before.black) == (after.black, after.white)
    if mirrored:
        fields.append("colours")
    else:
        fields += [name for name in ("white", "black") if getattr(before, name) != getattr(after, name)]
    if before.score != (1 - after.score if mirrored else after.score):
        fields.append("result")
    now = dict(after.details)
    for name, value in before.details:
        if value != now[_mirror(name) if mirrored else name]:
            fields.append(name)
    if moved and before.day == after.day:
        fields.append("order")
    return Change(before, after, tuple(fields)) if fields else None


def _mirror(column: str) -> str:
    """Return the column that holds of Black what this one holds of White, and the other way round."""
    for one, other in (("white_", "black_"), ("black_", "white_")):
        if column.startswith(one):
            return other + column.removeprefix(one)
    return column


def match(a: Sequence[Game], b: Sequence[Game]) -> dict[int, int]:
    """Return which game of `b` each game of `a` is, by position, where there is one."""
    pairs = dict(_common([game.whole for game in a], [game.whole for game in b]))
    _match_by(lambda game: game.whole, a, b, pairs)
    _match_by(lambda game: game.meeting, a, b, pairs)
    _straighten(a, b, pairs)
    _match_by(lambda game: (game.day, *sorted((game.white, game.black))), a, b, pairs)
    versions = 2 * len(pairs) >= min(len(a), len(b))
    _match_corrected(a, b, pairs, 1.0 if versions else _LIKELY)
    return pairs


def _left(count: int, taken: Container[int]) -> list[int]:
    return [i for i in range(count) if i not in taken]


def _match_by(key: Callable[[Game], Hashable], a: Sequence[Game], b: Sequence[Game], pairs: dict[int, int]) -> None:
    """Pair the games that are left and have the same key, in their order, as many as both sides have."""
    waiting: dict[Hashable, deque[int]] = defaultdict(deque)
    for j in _left(len(b), set(pairs.values())):
        waiting[key(b[j])].append(j)
    for i in _left(len(a), pairs):
        if waiting.get(key(a[i])):
            pairs[i] = waiting[key(a[i])].popleft()


def _straighten(a: Sequence[Game], b: Sequence[Game], pairs: dict[int, int]) -> None:
    """Pair games of the same two players on one day in their order, where that is no less like the sides."""
    groups: dict[Hashable, tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
    for side, games in enumerate((a, b)):
        for i, game in enumerate(games):
            groups[game.meeting][side].append(i)
    for mine, theirs in groups.values():
        if len(mine) == len(theirs) > 1:
            found = [(i, pairs[i]) for i in mine if i in pairs]
            straight = list(zip(mine, theirs, strict=True))
            if _unlike(a, b, straight) <= _unlike(a, b, found):
                pairs.update(straight)


def _unlike(a: Sequence[Game], b: Sequence[Game], pairs: Sequence[Pair]) -> int:
    """Return how many of the pairs differ, and how many are out of order."""
    return sum(a[i].whole != b[j].whole for i, j in pairs) + len(pairs) - len(_rising(pairs))


def _match_corrected(a: Sequence[Game], b: Sequence[Game], pairs: dict[int, int], worst: float) -> None:
    """Pair the games that are left and differ in the date or one name alone, the likeliest corrections first."""
    taken = set(pairs.values())
    found = sorted(_corrections(a, b, _left(len(a), pairs), _left(len(b), taken)))
    for unlikely, _, i, j in found:
        if unlikely <= worst and i not in pairs and j not in taken:
            pairs[i] = j
            taken.add(j)


_ALL_BUT: dict[str, Callable[[Game], Hashable]] = {
    "date": lambda game: (game.white, game.black, game.score, game.details),
    "white": lambda game: (game.day, game.black, game.score, game.details),
    "black": lambda game: (game.day, game.white, game.score, game.details),
}


def _corrections(
    a: Sequence[Game], b: Sequence[Game], left_a: Sequence[int], left_b: Sequence[int]
) -> Iterator[tuple[float, int, int, int]]:
    """Yield pairs that may be one game corrected: how unlikely that is, how far apart they stand, their positions."""
    for what, rest in _ALL_BUT.items():
        groups: dict[Hashable, list[tuple[int, int]]] = defaultdict(list)
        for j in left_b:
            groups[rest(b[j])].append((_ordinal(b[j].day), j))
        for group in groups.values():
            group.sort()
        for i in left_a:
            group = groups.get(rest(a[i]), [])
            near = bisect_left(group, (_ordinal(a[i].day), i))
            for _, j in group[max(0, near - _NEAR) : near + _NEAR]:
                if what == "date":
                    unlikely = _unlikely_days(a[i].day, b[j].day)
                else:
                    unlikely = _unlikely_names(getattr(a[i], f"{what}_name"), getattr(b[j], f"{what}_name"))
                yield unlikely, abs(i - j), i, j


def _ordinal(day: str) -> int:
    return date.fromisoformat(day).toordinal() if day else 0


def _unlikely_days(one: str, other: str) -> float:
    """Return how unlikely it is that one day was typed for the other; a day that was missing is the likeliest."""
    if not one or not other:
        return 0.1
    apart = abs(_ordinal(one) - _ordinal(other))
    first, second = one.split("-"), other.split("-")
    one_slip = sum(x != y for x, y in zip(first, second, strict=True)) == 1
    swapped = (first[0], first[2], first[1]) == tuple(second)
    if apart <= 31 or one_slip or swapped:
        return 0.2 + min(apart, 31) / 200
    return min(1.0, 0.6 + apart / 100_000)


def _unlikely_names(one: str, other: str) -> float:
    """Return how unlikely it is that one name was typed for the other."""
    return 1 - difflib.SequenceMatcher(None, skeleton(one), skeleton(other), autojunk=False).ratio()


def _common(a: Sequence[Hashable], b: Sequence[Hashable]) -> Iterator[Pair]:
    """Yield the positions of a longest common subsequence.

    Of a value that stands on both sides very often, only the occurrences near the place where it is expected count.
    """
    low, high_a, high_b = 0, len(a), len(b)
    while low < min(high_a, high_b) and a[low] == b[low]:
        yield low, low
        low += 1
    tail = []
    while low < min(high_a, high_b) and a[high_a - 1] == b[high_b - 1]:
        high_a, high_b = high_a - 1, high_b - 1
        tail.append((high_a, high_b))
    places: dict[Hashable, list[int]] = defaultdict(list)
    for j in range(low, high_b):
        places[b[j]].append(j)
    seen: Counter[Hashable] = Counter()
    candidates = []
    for i in range(low, high_a):
        at = seen[a[i]]
        seen[a[i]] += 1
        near = places.get(a[i], [])[max(0, at - _NEAR) : at + _NEAR]
        candidates += [(i, j) for j in reversed(near)]
    yield from _rising(candidates)
    yield from reversed(tail)


def _rising(pairs: Sequence[Pair]) -> list[Pair]:
    """Return a longest run of pairs in which both positions rise.

    The pairs are sorted by the first position, those with the same first by falling second.
    """
    lasts: list[int] = []
    ends: list[int] = []
    before: list[int] = []
    for at, (_, j) in enumerate(pairs):
        length = bisect_left(lasts, j)
        before.append(ends[length - 1] if length else -1)
        lasts[length : length + 1] = [j]
        ends[length : length + 1] = [at]
    found = []
    at = ends[-1] if ends else -1
    while at >= 0:
        found.append(pairs[at])
        at = before[at]
    return found[::-1]


def _in_place(a: Sequence[Game], b: Sequence[Game], pairs: Mapping[int, int]) -> list[Pair]:
    """Return the pairs that keep the order of play: equal games first, then as many others as fit between them."""
    ordered = sorted(pairs.items())
    anchors = _rising([(i, j) for i, j in ordered if a[i].whole == b[j].whole])
    firsts, seconds = [i for i, _ in anchors], [j for _, j in anchors]
    fixed = set(anchors)
    fitting = [(i, j) for i, j in ordered if (i, j) in fixed or bisect_left(firsts, i) == bisect_left(seconds, j)]
    return _rising(fitting)


def _places(
    count_a: int, count_b: int, pairs: Mapping[int, int], in_place: Sequence[Pair]
) -> Iterator[tuple[int | None, int | None, bool, bool]]:
    """Yield the places of a common order: the pair of positions, and whether each of them stands here."""
    partner = {j: i for i, j in pairs.items()}
    next_a = next_b = 0
    for i, j in [*in_place, (count_a, count_b)]:
        yield from ((k, pairs.get(k), True, False) for k in range(next_a, i))
        yield from ((partner.get(k), k, False, True) for k in range(next_b, j))
        if i < count_a:
            yield i, j, True, True
        next_a, next_b = i + 1, j + 1


# --- attribution --------------------------------------------------------------------------------------------

_Step = tuple[str, Any]


class _Attribution:
    """Replays A with ever more of B's differences, and keeps what each of them moved."""

    def __init__(
        self,
        a: Side,
        b: Side,
        settings: Sequence[Setting],
        start: Mapping[str, Setting],
        changes: Sequence[Change],
        slots: Sequence[Slot],
    ) -> None:
        self.a, self.b = a, b
        self.settings, self.start, self.changes, self.slots = settings, start, changes, slots
        self.names = shown_names(a, b)
        self.games, self.filled = _both_tables(a, b, self.names)
        self.offset = len(a.log.games)

    def moved(self) -> tuple[Moved, ...]:
        """Return the players whose ratings differ, most moved first."""
        before = self._rated(self.a, [*range(self.offset)], self.a.starts)
        after = self._rated(self.b, [*range(self.offset, len(self.games))], self.b.starts)
        everybody = list(dict.fromkeys([*before, *after]))
        base = {key: (self.b if key in after else self.a).start_of(key) for key in everybody}
        now = {key: before.get(key, base[key]) for key in everybody}
        parts: dict[str, list[Part]] = defaultdict(list)
        for steps, ratings in self._replays():
            cause, text, which = self._cause(steps)
            for key in everybody:
                was, rating = now[key], ratings.get(key, base[key])
                if rating is not None:
                    now[key] = rating
                    if was is not None and abs(rating - was) >= TOLERANCE:
                        parts[key].append(Part(cause, text, rating - was, which))
        found = [_moved(self.names[key], before.get(key), after.get(key), base[key], parts[key]) for key in everybody]
        differing = [one for one in found if one is not None]
        return tuple(sorted(differing, key=lambda one: (-abs(one.change or 0.0), one.name)))

    def _replays(self) -> Iterator[tuple[list[_Step], dict[str, float]]]:
        """Yield steps from A to B and the ratings after each.

        Games of one side may be impossible to rate under the settings of the other: then the next step comes too.
        """
        done: set[_Step] = set()
        waiting: list[_Step] = []
        for steps in self._steps():
            waiting += steps
            try:
                ratings = self._mixed(done | set(waiting))
            except EloSheetsError:
                continue
            done |= set(waiting)
            yield waiting, ratings
            waiting = []

    def _steps(self) -> Iterator[list[_Step]]:
        """Yield what is applied together: one difference, unless there are too many to replay after each."""
        if self.settings:
            yield [(SETTINGS, None)]
        most = max(1, min(MOST_REPLAYS, MOST_WORK // max(1, len(self.games))))
        for kind, every in ((START, [*self.start]), (CHANGED, [*range(len(self.changes))])):
            together = max(1, -(-len(every) // most))
            for first in range(0, len(every), together):
                yield [(kind, what) for what in every[first : first + together]]

    def _mixed(self, done: Container[_Step]) -> dict[str, float]:
        """Return the ratings of A's games and settings with the steps that are done."""
        rows: list[int] = []
        for slot in self.slots:
            if slot.change is not None and (CHANGED, slot.change) in done:
                rows += [] if slot.b is None else [self.offset + slot.b]
            else:
                rows += [] if slot.a is None else [slot.a]
        start = {**self.a.starts, **self.b.starts}
        for key in self.start:
            own = (self.b if (START, key) in done else self.a).starts
            start = {**start, key: own[key]} if key in own else {name: start[name] for name in start if name != key}
        return self._rated(self.b if (SETTINGS, None) in done else self.a, rows, start)

    def _rated(self, side: Side, rows: list[int], start: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
        """Return the final ratings, by key, of rows of both tables under a side's settings.

        A column that none of the rows fills is left out, as it is of a log that does not have it.
        """
        from elo_sheets.replay import replay

        if not rows:
            return {}
        columns = [name for name in self.games if name not in self.filled or self.filled[name][rows].any()]
        games = self.games[columns].iloc[rows].assign(game=range(1, len(rows) + 1)).reset_index(drop=True)
        playing = set(players(games))
        given = {self.names[key]: state for key, state in start.items() if self.names[key] in playing}
        owner = None if side.player is None else self.names[_OWNER]
        ratings = replay(games, side.system, side.settings, player=owner, start=given, history=False).ratings
        return {self.keys[name]: rating for name, rating in zip(ratings["player"], ratings["rating"], strict=True)}

    @cached_property
    def keys(self) -> dict[str, str]:
        """The key of each shown name."""
        return {name: key for key, name in self.names.items()}

    def _cause(self, steps: Sequence[_Step]) -> tuple[str, str, tuple[int, ...]]:
        """Return what is said of a part: its cause, in words, and the changed games that it is."""
        which = tuple(what for kind, what in steps if kind == CHANGED)
        if len(steps) > 1:
            days = sorted(filter(None, (_now(self.changes[i]).day for i in which)))
            between = f", {days[0]} to {days[-1]}" if days else ""
            return SEVERAL, f"{len(steps)} differences together{between}", which
        kind, what = steps[0]
        if kind == SETTINGS:
            return SETTINGS, "settings: " + ", ".join(map(_setting_text, self.settings)), ()
        if kind == START:
            return START, "start rating: " + _setting_text(self.start[what]), ()
        return self.changes[what].kind, str(self.changes[what]), which


def _both_tables(a: Side, b: Side, names: Mapping[str, str]) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Return the games of A and then B, and for each column that may be missing where it holds something."""
    import pandas as pd

    required = [name for name, column in COLUMNS.items() if column.required]
    wanted = [*required, *sorted({name for side in (a, b) for name in read_columns(side)})]
    tables = []
    for side in (a, b):
        table = side.log.games[[name for name in wanted if name in side.log.games]]
        spelt = {name: names[key] for name, key in side.keys.items()}
        tables.append(table.assign(white=table["white"].map(spelt), black=table["black"].map(spelt)))
    games = pd.concat([table for table in tables if len(table)] or tables, ignore_index=True)
    filled = {}
    for name in games.columns:
        if name in required:
            continue
        filled[str(name)] = games[name].notna().to_numpy()
        dtype: Any = COLUMNS[name].dtype if name in COLUMNS else "str"
        games[name] = games[name].astype(object).where(filled[str(name)], "") if dtype == "str" else games[name]
        games[name] = games[name].astype(dtype)
    return games, filled


def _moved(
    name: str, before: float | None, after: float | None, start: float | None, parts: Sequence[Part]
) -> Moved | None:
    """Return how a player moved, or None when he did not."""
    was, now = (start if rating is None else rating for rating in (before, after))
    if was is None or now is None:
        return Moved(name, before, after, None, ())
    change = now - was
    if before is not None and after is not None and abs(change) < TOLERANCE:
        return None
    rest = change - math.fsum(part.change for part in parts)
    remainder = [Part(REMAINDER, "not attributed to a single difference", rest)] if abs(rest) >= TOLERANCE else []
    return Moved(name, before, after, change, (*parts, *remainder))


# --- in words and as JSON -----------------------------------------------------------------------------------


def _now(change: Change) -> Game:
    game = change.after or change.before
    assert game is not None
    return game


def _shown(game: Game) -> dict[str, str]:
    """Return the compared fields of a game as a person reads them."""
    fields = {
        "date": game.day or "none",
        "white": game.white_name or "none",
        "black": game.black_name or "none",
        "result": RESULTS[game.score],
    }
    return fields | {name: "none" if value in (None, "") else _number(value) for name, value in game.details}


def _number(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _setting_text(setting: Setting) -> str:
    was, now = ("none" if value is None else _number(value) for value in (setting.before, setting.after))
    return f"{setting.name} {was} → {now}"


def record(found: Differences) -> dict[str, Any]:
    """Return the differences as their JSON output holds them (schema 1)."""
    places = {change: i for kind in (ADDED, REMOVED, CHANGED) for i, change in enumerate(found.of(kind))}
    return {
        "schema": 1,
        "same": found.same,
        "a": _side_record(found.a),
        "b": _side_record(found.b),
        "settings": [vars(setting) for setting in found.settings],
        "start": [vars(setting) for setting in found.start],
        "games": {
            "unchanged": found.unchanged,
            "added": [_game_record(_now(change)) for change in found.of(ADDED)],
            "removed": [_game_record(_now(change)) for change in found.of(REMOVED)],
            "changed": [
                {"fields": list(c.fields), "before": _game_record(c.before), "after": _game_record(c.after)}
                for c in found.of(CHANGED)
                if c.before is not None and c.after is not None
            ],
        },
        "players": [
            {
                "name": one.name,
                "before": one.before,
                "after": one.after,
                "change": one.change,
                "because": [
                    {
                        "cause": part.cause,
                        "text": part.text,
                        "change": part.change,
                        "games": [{"list": found.games[i].kind, "index": places[found.games[i]]} for i in part.changes],
                    }
                    for part in one.because
                ],
            }
            for one in found.players
        ],
    }


def _side_record(side: Side) -> dict[str, Any]:
    return {
        "file": side.name,
        "kind": side.kind,
        "player": side.player,
        "system": side.system.name,
        "settings": dict(side.settings),
        "read": side.log.read,
        "kept": side.log.kept,
        "rejected": side.log.rejected,
        "problems": [vars(problem) for problem in side.log.problems],
        "notes": side.log.notes,
    }


def _game_record(game: Game) -> dict[str, Any]:
    return {
        "game": game.number,
        "date": game.day or None,
        "white": game.white_name,
        "black": game.black_name,
        "result": RESULTS[game.score],
        **dict(game.details),
        "source": game.source,
        "row": game.source_row,
    }
