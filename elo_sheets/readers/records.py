"""JSON: the games of Lichess and Chess.com as their programs' interfaces give them, and records of any other kind.

Sources: *Export games of a user*, lichess.org/api (a game a line), and *Monthly archives* of Chess.com's published
data, chess.com/news/view/published-data-api (`games`, a list). Records of another kind are the longest list of objects
in the document, or an object a line; what an object holds in another is named by its path, `players.white.name`, and
`--map` says which is which. A record's row is the line it stands on, or else its number in the list.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from elo_sheets.errors import UnreadableInput
from elo_sheets.readers._contents import SETS, kind_of
from elo_sheets.readers._headings import named, role_of, words_of
from elo_sheets.readers._known import Known, are_ids, meant, people_of
from elo_sheets.readers._layout import Row, Table, complete, guess
from elo_sheets.readers._registry import How, OpenLog
from elo_sheets.readers._sides import is_sided
from elo_sheets.readers._tags import ratings_before
from elo_sheets.readers._text import Record, decode

LARGEST = 64 << 20  # of short records, a gigabyte of memory
BY_NAME = ("winner", "loser")
SETS_CALLED = SETS | {"score", "scores", "points", "result", "results"}
DEEPEST, WIDEST, LONGEST, SHOWN = 12, 1_000, 10_000, 50
BEGINS = re.compile(rb'\s*(?:\[\s*)?\{\s*(?:"|\})|\s*\[\s*\]\s*$')
EPOCH = re.compile(r"\d{10}(?:\.\d+)?|\d{13}")

HEADERS = (
    "date white black score white_rating black_rating white_rating_after black_rating_after pool event time_control "
    "eco opening termination rated link"
).split()
# States of a game on Lichess in which it has no winner and is no draw; one that never began counts for nobody.
OPEN = frozenset({"created", "started", "aborted", "unknownFinish"})
# What Chess.com calls a draw; its other words say how the game was lost.
DRAWS = frozenset({"agreed", "repetition", "stalemate", "insufficient", "50move", "timevsinsufficient"})


def is_json(log: OpenLog) -> bool:
    """Tell by its first bytes whether a log is JSON."""
    return BEGINS.match(log.ascii_head()) is not None


def tables(log: OpenLog, how: How) -> Iterator[Table]:
    """Yield the records of a log as one table; raises `UnreadableInput` for what is no JSON or holds no records."""
    data = log.stream.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise UnreadableInput(
            f"expected at most {LARGEST >> 20} MiB of JSON ({log.name}): split the file, by months for instance, or "
            "give the games as CSV or PGN, of which any size is read"
        )
    text, notes = decode(data, how.encoding, log.name)
    del data
    records, faults = _records(text, log.name)
    del text
    kept = [record for _, record in records]
    if kept and all(map(_is_lichess, kept)):
        rows = [Row(line, _cells(_lichess(record))) for line, record in records]
    elif kept and all(map(_is_chess_com, kept)):
        games = [_chess_com(record) for record in kept]
        notes.append(ratings_before(games, how.player))
        rows = [Row(line, _cells(game)) for (line, _), game in zip(records, games, strict=True)]
    else:
        yield _any_table(_inner(records), faults, notes, log.name)
        return
    body = sorted([*rows, *faults], key=lambda row: row.line)
    yield Table(log.name, [Row(0, list(HEADERS)), *body], notes)


# Text into records


def _records(text: str, source: str) -> tuple[list[tuple[int, dict[str, Any]]], list[Row]]:
    """Return the records with their lines or numbers, and the lines that are none."""
    try:
        document = json.loads(text)
    except RecursionError:
        raise UnreadableInput(f"expected JSON of a few levels, got too many ({source})") from None
    except ValueError as error:
        found, faults = _by_lines(text)
        if not found:
            raise UnreadableInput(f"expected JSON, got what is none: {error} ({source})") from None
        return found, faults
    if isinstance(document, dict) and ("id" in document or "players" in document) and not _lists(document):
        return [(1, document)], []
    named_lists = _lists(document)
    lists = [some for _, some in named_lists]
    people = {at: names for at, one in enumerate(lists) if (names := people_of(map(_only, one)))}
    records = max((one for at, one in enumerate(lists) if at not in people or len(lists) == 1), key=len, default=[])
    if not records and document not in ([], {}) and isinstance(document, dict):
        records = [document]
    known: dict[str, dict[str, str]] = {}
    for at, names in people.items():
        known.setdefault(named_lists[at][0], {}).update(names)
    for key, value in document.items() if isinstance(document, dict) else ():
        if isinstance(value, dict) and all(isinstance(one, dict) for one in value.values()):
            known.setdefault(key, {}).update(people_of({**one, "id": at} for at, one in value.items()))
    known = {key: names for key, names in known.items() if names}
    found = [
        (at, _with_names(record, known) if known else record)
        for at, record in enumerate(records, 1)
        if isinstance(record, dict)
    ]
    faults = [
        Row(at, [_shown(record)], 'expected an object such as {"white": …}, got another value')
        for at, record in enumerate(records, 1)
        if not isinstance(record, dict)
    ]
    return found, faults


def _with_names(record: dict[str, Any], known: Known) -> dict[str, Any]:
    """Return a record with the names of the players whose ids it has: `player1_id`, `winnerId`, `playerIds`."""
    found: dict[str, Any] = {}
    bare = are_ids({key: [_word(value)] for key, value in record.items() if not isinstance(value, dict | list)}, known)
    for key, value in record.items():
        if isinstance(value, dict):
            found[key] = _with_names(value, known)
            continue
        some = value if isinstance(value, list) else [value]
        word, names = meant(key, known, bare)
        if names and some and all(str(one) in names for one in some):
            found[word] = [names[str(one)] for one in some] if some is value else names[str(value)]
        elif some is value:
            found[key] = [_with_names(one, known) if isinstance(one, dict) else one for one in value]
        else:
            found[key] = value
    return found


def _by_lines(text: str) -> tuple[list[tuple[int, dict[str, Any]]], list[Row]]:
    found, faults = [], []
    for at, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            record = None
        if isinstance(record, dict):
            found.append((at, record))
        else:
            faults.append(Row(at, [line[:80]], "expected an object of JSON on a line of its own"))
    return found, faults


def _lists(document: Any, name: str = "", depth: int = 0) -> list[tuple[str, list[Any]]]:
    """Return the lists of a document that hold objects, each with its name."""
    if isinstance(document, list):
        return [(name, document)] if any(isinstance(one, dict) for one in document) else []
    if not isinstance(document, dict) or depth > DEEPEST:
        return []
    return [found for key, value in document.items() for found in _lists(value, key, depth + 1)]


def _only(record: Any) -> Mapping[str, Any]:
    """Return a record of a list, or what it holds where that is all of it: `{"participant": {"id": …}}`."""
    one = record if isinstance(record, dict) else {}
    inner = next(iter(one.values()), None)
    return inner if len(one) == 1 and isinstance(inner, dict) else one


def _shown(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)[:80]


# Records into rows


def _cells(record: Mapping[str, Any]) -> list[str]:
    return ["" if record.get(name) is None else _word(record[name]) for name in HEADERS]


def _word(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.15g}"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _moment(seconds: Any) -> str | None:
    try:
        return f"{datetime.fromtimestamp(float(seconds), UTC):%Y-%m-%d %H:%M:%S}"
    except (TypeError, ValueError, OverflowError, OSError):
        return None


def _is_lichess(record: Mapping[str, Any]) -> bool:
    players = record.get("players")
    return isinstance(players, dict) and {"id", "status"} <= record.keys() and {"white", "black"} <= players.keys()


def _lichess(record: Mapping[str, Any]) -> Record:
    status, winner = record["status"], record.get("winner")
    result = {"white": "1-0", "black": "0-1"}.get(winner or "", "*" if status in OPEN else "1/2-1/2")
    opening = _of(record, "opening")
    clock = _of(record, "clock")
    control = f"{clock['initial']}+{clock['increment']}" if {"initial", "increment"} <= clock.keys() else None
    created = record.get("createdAt")
    found: Record = {
        "date": _moment(created / 1000) if isinstance(created, int | float) else created,
        "score": "forfeit" if status == "noStart" else result,
        "pool": record.get("perf") or record.get("speed"),
        "event": record.get("tournament") or record.get("swiss"),
        "time_control": control,
        "eco": opening.get("eco"),
        "opening": opening.get("name"),
        "termination": status,
        "rated": record.get("rated"),
        "link": f"https://lichess.org/{record['id']}",
    }
    for side in ("white", "black"):
        player = _of(_of(record, "players"), side)
        name = _of(player, "user").get("name")
        found[side] = f"lichess AI level {player['aiLevel']}" if name is None and "aiLevel" in player else name
        found[f"{side}_rating"] = player.get("rating")
    return found


def _is_chess_com(record: Mapping[str, Any]) -> bool:
    sides = [record.get(side) for side in ("white", "black")]
    return all(isinstance(side, dict) and {"username", "result"} <= side.keys() for side in sides)


def _chess_com(record: Mapping[str, Any]) -> Record:
    results = [record[side]["result"] for side in ("white", "black")]
    if "win" in results:
        score, ended = ("1-0", "0-1")[results[0] != "win"], results[results[0] == "win"]
    else:
        score, ended = ("1/2-1/2" if all(result in DRAWS for result in results) else "*"), results[0]
    end = record.get("end_time")
    rules = record.get("rules")
    opening = record.get("eco")
    found: Record = {
        "date": _moment(end),
        "score": score,
        "pool": record.get("time_class") if rules in (None, "chess") else rules,
        "event": _last_part(record.get("tournament") or record.get("match")),
        "time_control": record.get("time_control"),
        "opening": _last_part(opening),
        "termination": ended,
        "rated": record.get("rated"),
        "link": record.get("url"),
        "_ended": end,
    }
    for side in ("white", "black"):
        found[side] = str(record[side]["username"])
        if isinstance(record[side].get("rating"), int | float):
            found[f"{side}_rating_after"] = float(record[side]["rating"])
    return found


def _last_part(address: Any) -> str | None:
    return address.rstrip("/").rpartition("/")[2].replace("-", " ") if isinstance(address, str) else None


def _of(record: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = record.get(name)
    return value if isinstance(value, dict) else {}


def _any_table(
    records: Sequence[tuple[int, dict[str, Any]]], faults: Sequence[Row], notes: Sequence[str], source: str
) -> Table:
    """Return records of any kind as a table whose headers are the paths of their values."""
    places: dict[str, int] = {}
    flat = [(line, _named_by_id(dict(_flat(record)))) for line, record in records]
    for _, values in flat:
        for path in values:
            places.setdefault(path, len(places))
        if len(places) > WIDEST:
            raise UnreadableInput(f"expected records of one kind, got more than {WIDEST:,} names of values ({source})")
    if not places:
        raise UnreadableInput(f"expected records of games, got JSON without any ({source})")
    columns = {path: [values[path] for _, values in flat if path in values] for path in places}
    moments = {path for path, texts in columns.items() if all(map(EPOCH.fullmatch, texts))}
    for _, values in flat:
        values |= {path: _epochs([values[path]]).get(values[path], "") for path in moments & values.keys()}
    rows = [Row(line, [values.get(path, "") for path in places]) for line, values in flat]
    body = sorted([*rows, *faults], key=lambda row: row.line)
    return Table(source, [Row(0, list(places)), *body], notes, day=_epochs)


def _named_by_id(values: dict[str, str]) -> dict[str, str]:
    """Return a record whose winner has the name of the side whose id it had: `p1.id` and `p1.name`, `winnerId`."""
    names = {
        values[path]: values[f"{path[:-2]}name"]
        for path in values
        if f"{path[:-2]}name" in values and path[-3:] == ".id"
    }
    found: dict[str, str] = {}
    for path, text in values.items():
        word, some = (path, {}) if "." in path else meant(path, {"": names})
        if text in some:
            found[word] = some[text]
        else:
            found[path] = names.get(text, text) if "." not in path and named(path) in BY_NAME else text
    return found


def _inner(records: Sequence[tuple[int, dict[str, Any]]]) -> Sequence[tuple[int, dict[str, Any]]]:
    """Return the games that stand in a list within each record, as the pairings of a round do; else the records.

    So do the players of each game, numbered by the records, where a list of three or more has their places: two are the
    sides of one game, whose values have paths of their own. What the record says beside the list is said of each of its
    games; they are numbered through.
    """
    keys = {key for _, record in records for key, value in record.items() if _lists(value) and not _sets(value)}
    for key in keys if len(keys) == 1 else ():
        if any(len(record.get(key) or ()) > 2 for _, record in records) and (seats := _seats(records, key)):
            return seats
    for key in sorted(keys):
        games = [
            {**{name: value for name, value in record.items() if name not in keys}, **game}
            for _, record in records
            for game in record.get(key) or ()
            if isinstance(game, dict)
        ]
        headers = list(dict.fromkeys(path for game in games for path, _ in _flat(game)))
        below = [[dict(_flat(game)).get(path, "") for path in headers] for game in games[:SHOWN]]
        roles = guess(headers, below)
        sides = [[row[at] for row in below] for role, at in roles.items() if role in ("white", "black")]
        if complete(roles) and not any(kind_of(cells) == "number" for cells in sides):
            return list(enumerate(games, 1))
    return records


def _seats(records: Sequence[tuple[int, dict[str, Any]]], key: str) -> list[tuple[int, dict[str, Any]]]:
    """Return who sits where at each table, by the list `key` of its record; nothing where no places are told."""
    seats = [
        (line, {name: value for name, value in record.items() if name != key} | seat | {"game": line})
        for line, record in records
        for seat in record.get(key) or ()
        if isinstance(seat, dict)
    ]
    shown = [(line, dict(_flat(seat))) for line, seat in seats[:SHOWN]]
    headers = list(dict.fromkeys(path for _, seat in shown for path in seat))
    below = [Row(line, [seat.get(path, "") for path in headers]) for line, seat in shown]
    return seats if is_sided([Row(0, headers), *below], {}) else []


def _flat(record: Mapping[str, Any], before: str = "", depth: int = 0) -> Iterator[tuple[str, str]]:
    """Yield the values of a record as texts by their paths."""
    for key, value in record.items():
        path = f"{before}{key}"
        if isinstance(value, dict) and depth < DEEPEST:
            yield from _flat(value, f"{path}.", depth + 1)
        elif isinstance(value, list) and (scores := _sets(value) or _pairs(path, value)):
            yield path, scores
        elif isinstance(value, list) and value and isinstance(value[0], dict) and depth < DEEPEST:
            for at, one in enumerate(value[:2], 1):  # two sides, or what only the first of many says
                if isinstance(one, dict):
                    yield from _flat(one, f"{path}.{at}.", depth + 1)
        elif isinstance(value, list) and len(value) == 2 and depth < DEEPEST:  # two sides, or two players of each
            for at, one in enumerate(value, 1):
                yield f"{path}.{at}", (" / ".join(map(_word, one)) if isinstance(one, list) else _word(one))[:LONGEST]
        elif value is not None:
            yield path, _word(value)[:LONGEST]


def _sets(value: list[Any]) -> str:
    """Return the points of sets that a list holds, as in `[{"home": 11, "away": 5}, …]`, nothing for another list.

    A set may say more of itself, such as its number or a tie-break, where its sides are named.
    """
    if not value or not all(isinstance(one, dict) for one in value):
        return ""
    keys = [key for key in value[0] if all(_is_count(one.get(key)) for one in value)]
    sides = [role_of(key) or role_of(f"{key} score") or "" for key in keys]
    for first, second in (("white", "black"), ("white_points", "black_points")):
        if first in sides and second in sides:
            keys = [keys[sides.index(first)], keys[sides.index(second)]]
            break
    else:
        keys = keys if all(one.keys() == {*keys} for one in value) else []
    return " ".join("-".join(str(one[key]) for key in keys) for one in value) if len(keys) == 2 else ""


def _pairs(path: str, value: list[Any]) -> str:
    """Return the points of sets in a list of pairs, `[[6, 4], [3, 6]]`, that is called so; nothing for another list."""
    pairs = [one for one in value if isinstance(one, list) and len(one) == 2 and all(map(_is_count, one))]
    told = bool({*words_of(path)} & SETS_CALLED) and len(pairs) == len(value)
    return " ".join("-".join(map(str, one)) for one in pairs) if told else ""


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _epochs(texts: Sequence[str]) -> dict[str, str]:
    """Return the moments that seconds or milliseconds since 1970 stand for."""
    found = {text: _moment(float(text) / (1000 if len(text) == 13 else 1)) for text in texts if EPOCH.fullmatch(text)}
    return {text: moment for text, moment in found.items() if moment is not None}
