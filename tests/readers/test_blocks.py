"""PGN is read many games at once: as if every game were read by itself, and as python-chess reads headers."""

from __future__ import annotations

import io
import os
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from elo_sheets.errors import EloSheetsError
from elo_sheets.games import GamesRead
from elo_sheets.readers import _spans, pgn, read
from elo_sheets.readers._blocks import Block
from elo_sheets.readers._headers import Headers
from elo_sheets.readers._spans import Known, Spans
from elo_sheets.readers._tables import same_texts

LOGS = int(os.environ.get("ELO_SHEETS_FUZZ", "24"))
TOP = Path(__file__).parents[2]

NAMES = [
    *(f"Player {number}" for number in range(1, 9)),
    "player 3",
    "Zoë",
    "",
    "?",
    "bye",
    " Player 2 ",
    'A \\"B\\" C',
]
RESULTS = ["1-0", "0-1", "1/2-1/2"]
DATES = [*(f"2024.01.{day:02}" for day in range(1, 9)), "2024.??.??", "????.??.??", "2024.02.31", "", "1.2.2024"]
SITES = [*(f"https://lichess.org/abcdefg{letter}" for letter in "hijkl"), "Paris", "https://lichess.org/abcdefgh/white"]
OTHER_SITES = [*SITES, "Chess.com", "https://lichess.org/abcd efg", "", "https://lichess.org/abcdefghijkl"]
TAGS: dict[str, list[str]] = {
    "Event": ["Rated Blitz game", "Rated Bullet game", "Casual Blitz game", "Club", "Unrated match", "?"],
    "Site": OTHER_SITES,
    "Date": DATES,
    "Round": ["-", "1", "3.2", ""],
    "White": NAMES,
    "Black": NAMES,
    "Result": [*RESULTS, *RESULTS, *RESULTS, "*", "?", "", "2-0", "1/2"],
    "UTCDate": DATES,
    "UTCTime": ["18:30:05", "9:15:00", "25:00:00", "18:30", "ab:cd:ef", ""],
    "WhiteElo": ["1500", "1620", "?", "", "1500?", "good"],
    "BlackElo": ["1400", "0", "-", "x"],
    "WhiteRatingDiff": ["+5", "-3", "0", "", "much"],
    "BlackRatingDiff": ["-5", "+3"],
    "WhiteTitle": ["GM", "IM", "", "a title that is long"],
    "Variant": ["Standard", "Crazyhouse", "Chess960", "From Position"],
    "ECO": ["B20", "C65", "?"],
    "Opening": ["Sicilian Defense", "Ruy Lopez: Berlin, with a longer name than the others", "?"],
    "TimeControl": ["180+2", "60+0", "600+0", "-", "1/86400"],
    "Termination": ["Normal", "Time forfeit", "Abandoned", "Rules infraction", "Player 1 won by default", "?"],
    "Annotator": ["somebody", "lichess.org"],
    "Link": ["https://www.chess.com/game/live/123", ""],
    "Rated": ["yes", "no"],
    "StudyName": ["A study"],
    "Title": ["one", "another"],
}
USUAL = [
    "Event",
    "Site",
    "Date",
    "White",
    "Black",
    "Result",
    "UTCDate",
    "UTCTime",
    "WhiteElo",
    "BlackElo",
    "TimeControl",
]
PLIES = "e4 e5 Nf3 Nc6 Bb5+ a6 Ba4 Nf6 O-O Be7 Re1 b5 Bb3 d6 c3 O-O h3 Nb8 d4 Nbd7 exd6 fxe8=Q".split()
COMMENTS = [
    "{ [%clk 0:03:00] }",
    "{a\nb}",
    "{ \n\n }",
    '{\n[White "Nobody"]\n}',
    "{ {",
    "}",
    "(1... c5 2. Nf3)",
    "$4",
    "; x\n",
]
LINES = [
    *("", " ", "%escape", "; comment", "{ open", "}", "1. e4 e5", "1-0", "\ufeff", "\x00", '[Broken "', "[White]"),
    *('[White "A"] [Black "B"]', ' [White "C"]', '[White  "D"]', '[Result "0-1"]', "x" * 70_000, '[Event "a \\" b"]'),
]


def ordinary() -> bytes:
    """Return a log as servers write it."""
    chance = random.Random(1)
    games = []
    for number in range(200):
        tags = {tag: TAGS[tag][number % 2] for tag in USUAL}
        tags |= {"White": NAMES[number % 4], "Black": NAMES[4 + number % 3], "Result": RESULTS[number % 3]}
        plies = [
            f"{ply // 2 + 1}. {move}" if ply % 2 == 0 else move for ply, move in enumerate(chance.sample(PLIES, 9))
        ]
        tail = " ".join([*plies, tags["Result"]])
        games.append("".join(f'[{tag} "{text}"]\n' for tag, text in tags.items()) + f"\n{tail}\n\n")
    return "".join(games).encode()


# Real logs of other programs lie beside the repository, where they are.
REAL = {
    "ordinary": ordinary(),
    **{
        path.name: path.read_bytes()
        for path in (TOP / "tests" / "data" / "uzchesscup.pgn", *sorted((TOP.parent / "shared/data/pgn").glob("*.pgn")))
    },
}


def moves(chance: random.Random, result: str) -> str:
    """Return movetext, mostly as programs write it."""
    plies = chance.randrange(0, 40)
    style = chance.choice(["plain", "plain", "glued", "clocks", "odd", "wrapped"])
    parts = []
    for ply in range(plies):
        move = chance.choice(PLIES)
        if ply == plies - 1 and chance.random() < 0.3:
            move += chance.choice(["#", "#", "#!", "!", "?"])
        number = f"{ply // 2 + 1}."
        if style == "glued":
            parts.append(number + move if ply % 2 == 0 else move)
        elif style == "clocks":
            parts += [number if ply % 2 == 0 else f"{number}..", move, "{ [%clk 0:01:02] }"]
        else:
            parts += [number, move] if ply % 2 == 0 else [move]
            if style == "odd" and chance.random() < 0.1:
                parts.append(chance.choice(COMMENTS))
    token = result if chance.random() < 0.9 else chance.choice([*RESULTS, "*", "", "1/2", "1-0 {why}"])
    join = "\n" if style == "wrapped" and chance.random() < 0.3 else " "
    return join.join([*parts, token])


def log(chance: random.Random) -> bytes:
    """Return a log, mostly sound and of one layout."""
    layout = list(USUAL)
    texts = []
    sloppy = chance.choice([0.0, 0.02, 0.2])
    alone = chance.choice([0.0, 0.0, 0.3, 1.0])
    for _ in range(chance.randrange(1, 50)):
        if chance.random() < 0.1:
            layout = (
                [*USUAL, *chance.sample(sorted(TAGS), 3)] if chance.random() < 0.9 else chance.sample(sorted(TAGS), 9)
            )
            layout = list(dict.fromkeys(layout)) if chance.random() < 0.9 else layout
        tags = {tag: TAGS[tag][0] if chance.random() < 0.5 else chance.choice(TAGS[tag][:8]) for tag in layout}
        if chance.random() < sloppy:
            tags |= {tag: chance.choice(TAGS[tag]) for tag in layout}
        tags |= {side: chance.choice(NAMES[: 8 if chance.random() < 0.95 else None]) for side in ("White", "Black")}
        tags["Result"] = chance.choice(RESULTS if chance.random() < 0.95 else TAGS["Result"])
        lines = [f'[{tag} "{tags[tag]}"]' for tag in dict.fromkeys([*layout, "White", "Black", "Result"])]
        lines += [""] if chance.random() < alone else ["", *moves(chance, tags["Result"]).split("\n"), ""]
        if chance.random() < sloppy:
            lines.insert(chance.randrange(len(lines)), chance.choice(LINES))
        if chance.random() < sloppy:
            del lines[chance.randrange(len(lines))]
        if texts and chance.random() < 0.05:
            lines = texts[-1]
        texts.append(lines)
    return finished(chance, "\n".join("\n".join(lines) for lines in texts).encode())


def finished(chance: random.Random, data: bytes) -> bytes:
    """Return a log with the line ends and marks that some have."""
    ends = chance.choice([b"\n", b"\n", b"\n", b"\r\n", b"\r"])
    data = data.replace(b"\n", ends)
    if chance.random() < 0.1:
        data = data.replace("ë".encode(), b"\xeb")
    return b"\xef\xbb\xbf" * (chance.random() < 0.1) + data + b"\n" * chance.randrange(3)


def mutated(chance: random.Random, data: bytes) -> bytes:
    """Return a log with faults: lines doubled, taken out, put in or joined, bytes changed."""
    lines = data.replace(b"\r\n", b"\n").split(b"\n")
    begin = chance.randrange(max(1, len(lines) - 300))
    lines = lines[begin : begin + 300]
    for _ in range(chance.choice([0, 1, 3, 10])):
        at = chance.randrange(len(lines))
        fault = chance.randrange(6)
        if fault == 0:
            lines.insert(at, lines[at])
        elif fault == 1:
            del lines[at : at + chance.randrange(1, 4)]
            lines = lines or [b""]
        elif fault == 2:
            lines.insert(at, chance.choice(LINES).encode())
        elif fault == 3 and at + 1 < len(lines):
            lines[at : at + 2] = [lines[at] + b" " + lines[at + 1]]
        elif lines[at]:
            place = chance.randrange(len(lines[at]))
            put = chance.choice([b"", b'"', b"\\", b"{", b"}", b";", b"[", b"]", b"#", b"\n", b"\r", b"\xff", b"("])
            lines[at] = lines[at][:place] + put + lines[at][place + chance.randrange(2) :]
    return finished(chance, b"\n".join(lines))


def found(data: bytes | Path, **options: Any) -> GamesRead | str:
    try:
        return read([data if isinstance(data, Path) else io.BytesIO(data)], **options)
    except EloSheetsError as error:
        return str(error)


def game_by_game(data: bytes, monkeypatch: pytest.MonkeyPatch, **options: Any) -> GamesRead | str:
    def one_by_one(stream: Any, source: str, *, progress: Any, again: Any, **how: Any) -> Any:
        return pgn.read_records(stream, source, **how)

    with monkeypatch.context() as patched:
        patched.setattr(pgn, "read_pgn", one_by_one)
        return found(data, **options)


def assert_equal(one: GamesRead | str, other: GamesRead | str, data: bytes) -> None:
    if isinstance(one, str) or isinstance(other, str):
        assert one == other, data
        return
    assert list(map(str, one.problems)) == list(map(str, other.problems)), data
    assert one.notes == other.notes, data
    assert list(one.games.attrs.get("titles", {}).items()) == list(other.games.attrs.get("titles", {}).items()), data
    columns = sorted(one.games.columns)
    assert columns == sorted(other.games.columns), data
    pd.testing.assert_frame_equal(one.games[columns], other.games[columns])


def held_at_once(chance: random.Random, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the log be read in small pieces, so that they end anywhere."""
    monkeypatch.setattr(pgn, "SIZE", chance.choice([61, 700, 3000, 1 << 24]))
    monkeypatch.setattr(pgn, "MOST", chance.choice([100, 5000, 1 << 26]))


@pytest.mark.parametrize("seed", range(LOGS))
def test_games_read_together_are_those_read_one_by_one(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(seed)
    data = b'[Event "First"]\n\n*\n\n' + log(chance)
    options = {"keep_duplicates": True} if chance.random() < 0.2 else {}
    held_at_once(chance, monkeypatch)
    assert_equal(found(data, **options), game_by_game(data, monkeypatch, **options), data)


@pytest.mark.parametrize("seed", range(LOGS))
def test_broken_logs_are_read_together_as_one_by_one(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(seed)
    data = mutated(chance, chance.choice(list(REAL.values())))
    held_at_once(chance, monkeypatch)
    options = {"encoding": chance.choice(["cp1252", "utf-8", "utf-16-le"])} if chance.random() < 0.1 else {}
    if options.get("encoding") == "utf-16-le":
        data = data.decode("latin-1").encode("utf-16-le")
    assert_equal(found(data, **options), game_by_game(data, monkeypatch, **options), data)


@pytest.mark.parametrize("seed", range(LOGS // 6))
def test_a_file_tells_the_moves_of_its_games_again(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a file the moves are not kept, but looked up for the games that may be told twice."""
    data = b'[Event "First"]\n\n*\n\n' + log(random.Random(seed))
    paths = [tmp_path / "one.pgn", tmp_path / "two.pgn"]
    for path in paths:
        path.write_bytes(data)
    held_at_once(random.Random(seed), monkeypatch)

    class Named(io.BytesIO):
        def __init__(self, path: Path) -> None:
            super().__init__(data)
            self.name = str(path)

    def all_of(logs: list[Any]) -> GamesRead | str:
        try:
            return read(logs)
        except EloSheetsError as error:
            return str(error)

    assert_equal(all_of(paths), all_of(list(map(Named, paths))), data)


@pytest.mark.parametrize("name", REAL)
def test_real_logs_are_read_together_as_one_by_one(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert_equal(found(REAL[name]), game_by_game(REAL[name], monkeypatch), REAL[name])


@pytest.mark.parametrize("moves", [r"\g<0>", ""])
def test_ordinary_games_are_read_together(moves: str) -> None:
    """The differential tests would pass, too, if every game were read by itself."""
    block = Block(re.sub(rb"\n1\. .*\n", moves.encode(), ordinary()), True)
    assert block.plain.sum() == len(block) == 200
    assert not Headers(bytes.decode, frozenset()).read(block).odd.any()


def test_a_game_read_by_itself_leaves_both_sides_with_the_same_texts() -> None:
    """Else what is asked of all games afterwards is asked of each row."""
    odd = b'[Event "A \\"B\\" C"]\n[White "Player 9"]\n[Black "player 3"]\n[Result "1-0"]\n\n1. e4 1-0\n'
    table = pgn.read_pgn(io.BytesIO(ordinary() + odd), "log").table
    assert table is not None
    assert len(table) == 201
    assert same_texts(table["white"], table["black"])
    assert table["event"].iloc[-1] == 'A "B" C'
    assert table["white_rating"].isna().tolist() == [False] * 200 + [True]


@pytest.mark.parametrize("put", ["[White]", '[Annotator2 "x"] [Result "0-1"]', '[FEN "\xff"]'])
@pytest.mark.parametrize("at", ["\n\n1. ", "\n\n[Event"])
def test_what_a_tag_may_hide_is_seen(put: str, at: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A line may begin like a tag and be none, or hold a second tag behind one that nobody reads."""
    data = ordinary().replace(at.encode(), f"\n{put}{at}".encode("latin-1"), 3)
    assert_equal(found(data), game_by_game(data, monkeypatch), data)


@pytest.mark.parametrize("largest", [12, 13, 19])
def test_equal_pieces_have_one_number_in_every_text(largest: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Short and long ones, with and without NULs, a few many times and so many others that room must be made."""
    monkeypatch.setattr(_spans, "LARGEST", largest)
    chance = random.Random(3)
    few = [b"", b"\0", b"\0\0", b"a", b"a\0", *(bytes([97 + size % 2]) * size for size in range(2, 40))]
    new: list[bytes] = []
    known, numbers = Known(), {b"": 0}
    for _ in range(30):
        pieces = [chance.choice(few) if chance.random() < 0.6 else chance.randbytes(3) for _ in range(400)]
        ends = np.cumsum(list(map(len, pieces)))
        starts = ends - np.array(list(map(len, pieces)))
        found = known.of(Spans(b"".join(pieces)), starts, ends, new.extend)
        assert found.tolist() == [numbers.setdefault(piece, len(numbers)) for piece in pieces]
    assert new == list(numbers)[1:]
    assert len(new) > 4096


def headers(data: bytes) -> Iterator[dict[str, str]]:
    chess_pgn = pytest.importorskip("chess.pgn")
    stream = io.TextIOWrapper(io.BytesIO(data), encoding="utf-8", errors="replace")
    while (one := chess_pgn.read_headers(stream)) is not None:
        yield dict(one)


@pytest.mark.parametrize(
    "name", [name for name in REAL if not name.endswith("uzchesscup.pgn")]
)  # tags alone, without moves
def test_python_chess_finds_the_same_games(name: str) -> None:
    """Where it is installed: it stands under the GPL, so this package does not ask for it."""
    data = REAL[name]
    theirs = [one for one in headers(data) if one.get("White", "?") != "?"]
    reading = pgn.read_pgn(io.BytesIO(data), "log")
    table = reading.table
    assert table is not None
    lines = dict(zip(table["source_row"].tolist(), range(len(table)), strict=True)) if len(table) else {}
    ours = [(str(table["white"].iloc[at]), str(table["black"].iloc[at])) for at in lines.values()]
    assert len(ours) <= len(theirs)
    rest = iter((" ".join(one["White"].split()), " ".join(one["Black"].split())) for one in theirs)
    assert all(game in rest for game in ours)
