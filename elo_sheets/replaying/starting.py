"""What players start from: as they are given, else as the log publishes it, else as the settings say.

The rule holds for every verb that replays. Players who are named with `start` start from what is given for them. The
others start from their first published rating in the log where the system's federation publishes ratings, where `start`
is "log", and in a journal, whose opponents are rated so too; "none" turns that off. Whoever is left starts from the
settings. A rating that somebody has already makes him no newcomer: a system says in `settled` what he is taken to have
behind him.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeAlias

from elo_sheets._late import np, pd
from elo_sheets.errors import UnreadableInput, UsageError, refusal
from elo_sheets.games import AT_ONCE, find_player, identity, numbered_players, players
from elo_sheets.systems import Rules

NONE, LOG = "none", "log"

# Where a player's start comes from.
GIVEN, PUBLISHED = "given", "published"

# So many names are told of those that a remark is about.
_TOLD = 3

_WORD = re.compile(rf"\s*({NONE}|{LOG})\s*", re.IGNORECASE)


@dataclass(frozen=True)
class Starts:
    """What players start from: states and settings of their own by player, where each came from, and remarks.

    Who is not among them starts as the settings say. `published` says whether those for whom none is given start from
    the ratings that the log publishes.
    """

    states: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    origins: Mapping[str, str] = field(default_factory=dict)
    notes: Sequence[str] = ()
    published: bool = False

    def of(self, games: pd.DataFrame) -> Starts:
        """Return the starts of those who play in a games table."""
        playing = set(players(games))
        return replace(self, states={name: state for name, state in self.states.items() if name in playing})


Start: TypeAlias = "str | Path | float | Mapping[str, Any] | pd.DataFrame | Starts | None"


def starts(
    asked: Start,
    system: Rules,
    games: pd.DataFrame,
    settings: Collection[str] = (),
    *,
    player: str | None = None,
) -> Starts:
    """Return what the players of a games table start from.

    `asked` is None, "none", "log", `NAME=RATING,…`, a CSV file or data frame with the column player and one for each
    state or personal setting, a mapping of players to ratings or to whole states, which are taken as they stand, or in
    a journal its owner's rating. `settings` are the names of those that the user gave, `player` is a journal's owner.

    Raises `UsageError` for a start that cannot be used, `UnreadableInput` for a list that cannot be read.

    >>> from elo_sheets.games import make_games
    >>> from elo_sheets.systems import system
    >>> game = {"white": "Ann", "black": "Bob", "white_rating": 2100, "score": 1, "source": "doc", "source_row": 1}
    >>> starts(None, system("ecf"), make_games([game])).states
    {'Ann': {'rating': 2100.0}}
    >>> starts("Bob=1900", system("elo"), make_games([game])).states
    {'Bob': {'rating': 1900.0}}
    """
    if isinstance(asked, Starts):
        return asked
    word = word_of(asked)
    if not personal(system):
        if asked is not None and word != NONE:
            raise UsageError(f"system {system.name} fits the whole log: players start from nothing, leave out --start")
        return Starts()
    if word == NONE or games.empty:
        return Starts()
    given = given_names(system, settings)
    if player is not None:
        return _of_owner(asked, system, games, given, find_player(games, player))
    told, notes = ({}, []) if asked is None or word else _told(asked, system, games, given)
    return _of_pool(word, system, games, given, told, notes)


def starts_by_system(systems: Sequence[Rules], asked: Start) -> tuple[list[Start], list[str]]:
    """Return what is asked to be the start under each of several systems, and a remark on one for several scales.

    `trueskill:Ann=27,Bob=24`, or a mapping of systems' names to starts, is for that system alone; what stands before
    the first such name, or under "" in the mapping, is for the others.
    """
    names = [system.name for system in systems]
    own: dict[str, Any] = {}
    common = asked
    if isinstance(asked, str):
        begin, *parts = re.split(rf"(?:^|,)\s*({'|'.join(map(re.escape, names))}):", asked, flags=re.IGNORECASE)
        common = begin or None
        for name, text in zip(map(str.lower, parts[::2]), parts[1::2], strict=True):
            own[name] = f"{own[name]},{text}" if name in own else text
    elif isinstance(asked, Mapping) and set(asked) & set(names) and set(asked) <= {"", *names}:
        own, common = {name: start for name, start in asked.items() if name}, asked.get("")
    left = [system for system in systems if system.name not in own and personal(system)]
    scales: dict[Any, str] = {}
    for one in left:
        scales.setdefault(next(p.default for p in one.parameters if p.name == personal(one)["rating"]), one.name)
    notes = []
    if common is not None and word_of(common) != NONE and len(scales) > 1:
        usual = ", ".join(f"{name} {value:g}" for value, name in scales.items())
        *_, last = scales.values()
        notes.append(f"one start for all systems ({usual} by default): --start {last}:… is for that one alone")
    return [own.get(name, common) for name in names], notes


def starts_said(found: Starts, everybody: Sequence[str]) -> str:
    """Return in a line what players start from.

    >>> starts_said(Starts({"Ann": {"rating": 1700.0}}, {"Ann": GIVEN}), ["Ann", "Bob"])
    'Start ratings: 1 of 2 as given; 1 the initial rating of the settings'
    """
    rated = [name for name in everybody if "rating" in found.states.get(name, {})]
    words = {GIVEN: "as given", PUBLISHED: "the first that the log publishes"}
    counts = {word: sum(found.origins.get(name, GIVEN) == origin for name in rated) for origin, word in words.items()}
    counts["the initial rating of the settings"] = len(everybody) - len(rated)
    first, *others = [f"{count}{{}} {word}" for word, count in counts.items() if count] or [""]
    return "Start ratings: " + "; ".join([first.format(f" of {len(everybody)}"), *(one.format("") for one in others)])


def start_said(found: Starts, player: str, rating: float) -> str:
    """Return in a line what one player starts from."""
    known = "rating" in found.states.get(player, {})
    by_the_log = found.origins.get(player) == PUBLISHED
    where = "the initial rating of the settings" if not known else "the first that the log publishes"
    return f"Start rating: {rating:g}, {where if by_the_log or not known else 'as given'}"


def personal(system: Rules) -> dict[str, str]:
    """Return what each player has of his own, states and settings, with the setting that gives its default."""
    states = {state.name: state.initial for state in getattr(system, "state", ())}
    return states | {p.name: p.name for p in system.parameters if p.per_player} if states else {}


def as_settings(system: Rules, state: Mapping[str, float]) -> dict[str, float]:
    """Return what one player starts from as settings of the system, as his journal has them."""
    names = personal(system)
    return {names[name]: value for name, value in state.items() if name in names}


def given_names(system: Rules, settings: Iterable[str]) -> frozenset[str]:
    """Return the parameters that settings name, by name or alias."""
    asked = {name.strip().lower().replace("-", "_") for name in settings}
    return frozenset(p.name for p in system.parameters if asked & {p.name, *p.aliases})


def first_published(games: pd.DataFrame) -> pd.DataFrame:
    """Return the first rating before a game that a games table publishes of each player; 0 and NaN are none.

    One row a player: `rating`, the number `at` of its row, whether it is `late` (he had a game before it), its `pool`,
    `source` and `source_row`.
    """
    if not {"white_rating", "black_rating"} & set(games.columns):
        games = games.iloc[:0]  # many logs have no ratings, and some have millions of games
    numbers, names = numbered_players(games)
    players = numbers.ravel()
    # Players have their numbers in the order in which they first play.
    begins = np.flatnonzero(np.diff(np.maximum.accumulate(players), prepend=-1)) // 2
    ratings = np.full(2 * len(games), np.nan)
    for at, name in enumerate(("white_rating", "black_rating")):
        if name in games:
            ratings[at::2] = games[name].to_numpy("float64")
    told = np.flatnonzero(~np.isnan(ratings) & (ratings != 0))
    first = np.full(len(names), -1)
    first[players[told[::-1]]] = told[::-1]
    found = np.sort(first[first >= 0])
    rows = games.iloc[found // 2]
    table = {
        "rating": ratings[found],
        "at": found // 2,
        "pool": rows["pool"].to_numpy() if "pool" in games else "",
        "source": rows["source"].to_numpy(),
        "source_row": rows["source_row"].to_numpy(),
        "late": found // 2 > begins[players[found]],
    }
    named = [names[player] for player in players[found].tolist()]
    return pd.DataFrame(table, index=pd.Index(named, dtype=games["white"].dtype, name="player"))


def _with_ratings(games: pd.DataFrame) -> set[str]:
    """Return the players of whom a games table publishes a rating before a game."""
    found: set[str] = set()
    for side in ("white", "black"):
        # So many games at a time: the names of all of them take as much again as the column.
        for begin in range(0, len(games) if f"{side}_rating" in games else 0, AT_ONCE):
            ratings = games[f"{side}_rating"].iloc[begin : begin + AT_ONCE]
            names = games[side].iloc[begin : begin + AT_ONCE]
            found.update(names[(ratings.notna() & (ratings != 0)).to_numpy()])
    return set(map(str, found))


# --- a pool and a journal


def _of_pool(
    word: str,
    system: Rules,
    games: pd.DataFrame,
    given: frozenset[str],
    told: Mapping[str, Mapping[str, float]],
    notes: list[str],
) -> Starts:
    published_too = word == LOG or system.publishes_ratings
    if not published_too:
        more = sum(told.get(name, {}).get("rating") is None for name in _with_ratings(games))
        if more:
            notes = [*notes, f"the log holds published ratings of {_players(more)}: --start log starts from them"]
        return Starts(told, dict.fromkeys(told, GIVEN), notes)
    published = first_published(games)
    left = published[[told.get(str(name), {}).get("rating") is None for name in published.index]]
    if word == LOG and published.empty:
        raise UsageError(f"--start log: {NOTHING}")
    states = {str(name): _settled(system, given) | {"rating": _checked(system, row)} for name, row in _rows(left)}
    origins = dict.fromkeys(states, PUBLISHED) | dict.fromkeys(told, GIVEN)
    merged = states | {name: {**states.get(name, {}), **state} for name, state in told.items()}
    if len(left):
        notes = [*notes, _said(system, games, given, left, merged)]
    return Starts(merged, origins, notes, published=True)


NOTHING = (
    "the log publishes no rating before a game; name its columns (--map white_rating=HEADER,black_rating=HEADER), "
    "or leave it out"
)


def _of_owner(asked: Start, system: Rules, games: pd.DataFrame, given: frozenset[str], player: str) -> Starts:
    """Return what the owner of a journal starts from."""
    initial = personal(system)["rating"]
    if initial in given:
        if asked is not None:
            raise UsageError(f"--start and --set {initial}=… both say what the journal starts from: give one of them")
        return Starts()
    word = word_of(asked)
    notes: list[str] = []
    if asked is not None and not word:
        told, notes = _told(asked, system, games, given, player)
        if told:
            return Starts(told, dict.fromkeys(told, GIVEN), notes)
    published = first_published(games)
    if player not in published.index:
        if word == LOG:
            raise UsageError(f"--start log: {NOTHING}")
        return Starts(notes=notes)
    row = published.loc[player]
    rating = _checked(system, row)
    settled = _settled(system, given)
    if row["late"]:
        place = f"in {row['source']}, row {row['source_row']}, after games without one"
    else:
        place = "before the first game"
    notes.append(f"initial rating {rating:g}, as published {place} (--start {player}=RATING for another)")
    notes += [f"{_behind(system, settled)} (--set NAME=VALUE for what was before this log)"] if settled else []
    return Starts({player: settled | {"rating": rating}}, {player: PUBLISHED}, notes, published=True)


def _settled(system: Rules, given: frozenset[str]) -> dict[str, float]:
    """Return the states of a player who has a rating already, those left out that the settings say."""
    names = {initial: name for name, initial in personal(system).items()}
    return {names[name]: value for name, value in system.settled.items() if name not in given}


def _rows(published: pd.DataFrame) -> Iterable[tuple[Any, Any]]:
    return ((name, row) for name, row in zip(published.index, published.to_dict("records"), strict=True))


def _checked(system: Rules, row: Any) -> float:
    """Return a published rating that the system can start from; raises `UsageError` that names its row."""
    try:
        return _read(system, "rating", row["rating"])
    except UsageError as error:
        raise UsageError(
            f"{row['source']}, row {row['source_row']}: no player of system {system.name} can start from the published "
            f"rating: {error}; say --start none, or give --start NAME=RATING"
        ) from None


# --- what is said


def _said(
    system: Rules,
    games: pd.DataFrame,
    given: frozenset[str],
    taken: pd.DataFrame,
    states: Mapping[str, Mapping[str, float]],
) -> str:
    """Return the remark on a pool whose players start from what the log publishes."""
    everybody = players(games)
    others = [name for name in everybody if "rating" not in states.get(name, {})]
    parts = [f"{len(taken)} of {_players(len(everybody))} start from the first published rating in the log"]
    settled = _settled(system, given)
    if settled:
        parts.append(_behind(system, settled))
    late = [str(name) for name in taken.index[taken["late"]]]
    if late:
        parts.append(f"{_listed(late)} had games without one before it")
    if others:
        parts.append(f"{_listed(others)}, who {_has(others)} none, as the settings say")
    elif personal(system)["rating"] in given:
        parts.append(f"nobody starts from {personal(system)['rating']}")
    told = set(settled) | {"rating"}
    rest = [state.initial for state in getattr(system, "state", ()) if state.name not in told]
    if rest:
        parts.append(f"{', '.join(rest)} as the settings say")
    pools = [str(name) for name in dict.fromkeys(taken["pool"]) if name]
    if len(pools) > 1:
        parts.append(f"they are ratings of several pools ({', '.join(sorted(pools))}): --pool rates one of them")
    return "; ".join(parts) + " (--start none turns it off)"


def _behind(system: Rules, settled: Mapping[str, float]) -> str:
    names = personal(system)
    values = ", ".join(f"{names[name]} {value:g}" for name, value in settled.items())
    return f"who has a published rating is no newcomer: {values}"


def _has(names: Sequence[str]) -> str:
    return "has" if len(names) == 1 else "have"


def _players(count: int) -> str:
    return "1 player" if count == 1 else f"{count} players"


def _listed(names: Sequence[str]) -> str:
    """Return names as a remark holds them: the first ones, and how many more there are."""
    shown = [repr(name) for name in names[:_TOLD]]
    more = len(names) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")


# --- what is given


def word_of(asked: Start) -> str:
    """Return the word that asks for no start or for the log's, empty text where it is neither."""
    found = _WORD.fullmatch(asked) if isinstance(asked, str) else None
    return found.group(1).lower() if found else ""


def _told(
    asked: Any, system: Rules, games: pd.DataFrame, given: frozenset[str], player: str | None = None
) -> tuple[dict[str, dict[str, float]], list[str]]:
    """Return the states that are given by player, and remarks; of a journal only the owner's."""
    number = _number(asked)
    if number is not None:
        if player is None:
            raise UsageError(
                f"--start {asked} is for a journal: give NAME=RATING, or --set initial={number:g} for everybody"
            )
        asked = {player: number}
    if isinstance(asked, Mapping):
        states = _of_mapping(asked, system, games, given)
    elif hasattr(asked, "to_dict"):
        return _of_rows(_frame_rows(asked), "the table of starts", system, games, given, player)
    elif isinstance(asked, Path) or Path(asked).is_file() or "=" not in str(asked):
        return _of_rows(_file_rows(Path(asked)), str(asked), system, games, given, player)
    else:
        states = _of_mapping(_pairs(str(asked), games), system, games, given)
    strangers = [name for name in states if player not in (None, name)]
    if strangers:
        raise UsageError(
            f"this is the journal of {player!r}: leave out the start of {_listed(strangers)}, whose ratings are those "
            "of the log"
        )
    return states, []


def _number(asked: Any) -> float | None:
    try:
        return None if isinstance(asked, Path | Mapping) or hasattr(asked, "to_dict") else float(asked)
    except ValueError:
        return None


def _of_mapping(
    asked: Mapping[str, Any], system: Rules, games: pd.DataFrame, given: frozenset[str]
) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    for spelt, value in asked.items():
        name = find_player(games, str(spelt))
        if name in found:
            raise UsageError(f"the start of {name!r} is given twice: leave one out")
        if isinstance(value, Mapping):
            found[name] = dict(value)
            continue
        try:
            found[name] = _settled(system, given) | {"rating": _read(system, "rating", value)}
        except UsageError as error:
            raise UsageError(f"the start of {name!r}: {error}") from None
    return found


def _pairs(text: str, games: pd.DataFrame) -> dict[str, str]:
    """Return the names and ratings of `NAME=RATING,…`; a name may hold commas and equals signs."""
    everybody = {identity(name) for name in players(games)}
    found: dict[str, str] = {}
    open_text = ""
    for piece in text.split(","):
        open_text = f"{open_text},{piece}" if open_text else piece
        name, sign, rating = (part.strip() for part in open_text.rpartition("="))
        if sign and name and (_number(rating) is not None or identity(name) in everybody):
            if name in found:
                raise UsageError(f"the start of {name!r} is given twice: leave one out")
            found[name] = rating
            open_text = ""
    if open_text.strip():
        raise UsageError(f"expected starts such as NAME=1500,NAME=1600, or a CSV file, got {open_text.strip()!r}")
    return found


def _read(system: Rules, name: str, value: object) -> float:
    """Return a state or personal setting as a number within its limits; raises `UsageError` that names it."""
    parameter = next(p for p in system.parameters if p.name == personal(system)[name])
    return float(replace(parameter, name=name).read(value))


Row = tuple[str, Mapping[str, str]]  # where it stands, and its cells by header


def _frame_rows(frame: pd.DataFrame) -> list[Row]:
    cells = frame.astype(object).where(frame.notna(), "")
    return [(f"row {at}", _plain(row)) for at, row in enumerate(cells.to_dict("records"), 1)]


def _file_rows(path: Path) -> list[Row]:
    """Return the rows of a list in CSV; raises `UnreadableInput` that names the file."""
    import csv

    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise UnreadableInput(
            f"there is no file {str(path)!r}: expected --start log, none, NAME=RATING,… or a CSV list with the columns "
            "player and rating"
        ) from None
    except UnicodeError:
        raise UnreadableInput(f"expected text in UTF-8 in {path}: save the list as CSV (UTF-8)") from None
    except OSError as error:
        reason, remedy = refusal(error)
        raise UnreadableInput(f"expected a CSV list of players, got {str(path)!r}: {reason}; {remedy}") from None
    header = text.partition("\n")[0]
    rows = csv.DictReader(text.splitlines(keepends=True), delimiter=max(",;\t", key=header.count))
    return [(f"row {rows.line_num}", _plain(row)) for row in rows]


def _plain(row: Mapping[Any, Any]) -> dict[str, str]:
    return {str(key).strip().lower(): str(value or "").strip() for key, value in row.items()}


def _of_rows(
    rows: Sequence[Row], source: str, system: Rules, games: pd.DataFrame, given: frozenset[str], player: str | None
) -> tuple[dict[str, dict[str, float]], list[str]]:
    """Return the states of a list, and a remark on those of its players who have no game.

    An empty cell leaves the default.
    """
    known = personal(system)
    playing = {identity(name): name for name in players(games)}
    found: dict[str, dict[str, float]] = {}
    absent: list[str] = []
    for place, cells in rows:
        if "player" not in cells or set(cells) - {"player", *known}:
            raise UsageError(
                f"expected the columns player and any of {', '.join(known)} in {source}, got {', '.join(cells)}"
            )
        name = playing.get(identity(cells["player"]))
        if name is None:
            absent.append(cells["player"])
            continue
        if name in found:
            raise UnreadableInput(f"{name!r} stands twice in {source}, again in {place}: leave one out")
        found[name] = {}
        for key, text in cells.items():
            try:
                if text and key != "player":
                    found[name][key] = _read(system, key, text)
            except UsageError as error:
                raise UnreadableInput(f"{source}, {place}, {key}: {error}") from None
        if "rating" in found[name]:
            found[name] = _settled(system, given) | found[name]
    if player is not None:
        if player not in found:
            raise UsageError(f"{source} has no row of {player!r}, whose journal this is")
        return {player: found[player]}, []
    notes = []
    if absent:
        play = "plays" if len(absent) == 1 else "play"
        notes.append(f"{_players(len(absent))} of {source} {play} no game in the log: {_near(absent, playing)}")
    return {name: state for name, state in found.items() if state}, notes


def _near(absent: Sequence[str], playing: Mapping[str, str]) -> str:
    """Return names that have no game, each with one that is near."""
    shown = []
    for name in absent[:_TOLD]:
        close = difflib.get_close_matches(identity(name), playing, 1, 0.8)
        shown.append(repr(name) + (f" (did you mean {playing[close[0]]!r}?)" if close else ""))
    more = len(absent) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")
