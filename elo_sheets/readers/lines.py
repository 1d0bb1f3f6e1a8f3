"""Games as people write them down, a line each: `Ben - Anna 1-0`, `05.03.24 Ben 3:1 Anna`, `Ben def. Anna 6-4 6-3`.

A line names two sides with the result between or behind them, or with a verb that says who won. A number, a day or a
messenger's stamp may stand in front; a line such as `Round 2 (19 January 2024)` tells of those below it. Text is read
so where most of its lines are games and no header names columns; what else stands there is left out and named. Among
the talk of a chat or an e-mail those lines are games whose sides both write there or play others, or that say who beat
whom with a score. A table
whose columns are parted by blanks alone, below a header that is known, is read as one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from itertools import takewhile
from typing import NamedTuple

from elo_sheets.errors import UnreadableInput
from elo_sheets.readers._above import above, day_in
from elo_sheets.readers._contents import MOST, is_date
from elo_sheets.readers._encodings import guessed
from elo_sheets.readers._layout import DELIMITERS, PREAMBLE, SAMPLE, Remembered, Row, Table, header_of, listed
from elo_sheets.readers._registry import How, OpenLog
from elo_sheets.readers._results import BEHIND, BYE, DASH, Outcome, outcome
from elo_sheets.readers._said import FREE, said
from elo_sheets.readers._text import decode, identity
from elo_sheets.readers._verbs import PARTED, SCORE, says_who, tail, told, with_scores
from elo_sheets.readers._words import plain
from elo_sheets.readers._years import WEEKDAYS, is_yearless, with_years
from elo_sheets.readers.crosstable import is_crosstable

LARGEST = 16 << 20
LONGEST_LINE, MOST_WORDS = 200, 5  # of a line, and of a name
MIDDLE = re.compile(rf"(.*?[^\W\d_].*?)\s+({SCORE})\s+(?![{DASH}])(.*[^\W\d_].*)")
NUMBERED = re.compile(r"^\s*(?:[-*•]\s+|(?:board|brett|table|tisch)?\s*#?\d{1,4}\s*[.):]\s+)", re.I)
STAMP = re.compile(
    r"\[?(\d{1,4}[./-]\d{1,2}[./-]\d{1,4}),? \d{1,2}:\d{2}(?::\d{2})?(?: ?[ap]\.?m\.?)?\]?(?: -)? ([^:]{1,40}): ", re.I
)
STAMP_ALONE = re.compile(
    r"(?P<who>[^:]{1,40}?)\s+[—–-]\s+(?P<when>\d{1,4}[./-]\d{1,2}[./-]\d{1,4},? \d{1,2}:\d{2}(?: ?[ap]\.?m\.?)?)", re.I
)
MAIL = re.compile(r"[^\W\d_][\w-]{1,20}:\s+\S")  # as From: and Date: at the top of a message
O_CLOCK = re.compile(r"(?:uhr|h|hrs|hours|o'?clock|heures?|[ap]\.?m\.?)\b", re.I)
SHORT = re.compile(r"[^\W\d_]{1,3}\.|[^\W\d_]{1,2}")  # behind a result: f., no name
REMARK = re.compile(rf"(.*{SCORE}.*?)\s*\(([^()\d]*)\)\.?")
# A day without a year: 28.10., Sa 07.09., and with a month's name, which may be somebody's, 13 Jan: and Jan 13:
NO_YEAR = re.compile(
    r"(?:(?P<weekday>[^\W\d_]{2,10})[.,]?\s+)?(?:(?P<day>\d{1,2}[./]\d{1,2}\.?)(?:[,:]\s*|\s+)|"
    r"(?P<named>\d{1,2}\.?\s[^\W\d_]{3,9}\.?|[^\W\d_]{3,9}\.?\s\d{1,2}(?:st|nd|rd|th)?)[,:]\s*)(?=[^\W_])"
)
CLOCK = re.compile(r"^\d{1,2}:\d{2}\s+(?:uhr\s+|h\s+)?(?=[^\W\d_]|\d{1,2}\.\s)", re.I)
NO_GAME = "expected a game on a line, such as Player 1 - Player 2 1-0"
SUM = "the sum of the games below it"
# The number of a board before a name: T1, Br. 2, S-3.
LABEL = re.compile(r"(?P<stem>[^\W\d_]{1,6}\.?\s?-?)\d{1,2}[.:)]?\s+(?P<name>[^\W\d_].*)")
NUMBERED_NAME = re.compile(r"(.*[^\W\d_].*?)\s+(\d{3,4})")
DOUBTED = (
    "its sides neither write here nor play others; where it is a game say who won, as in Player 1 beat Player 2 3-1"
)
SIDES = ("Player 1", "Player 2", "Result")
DELIMITED = re.compile(rf"[{''.join(map(re.escape, DELIMITERS[1:]))}]|{DELIMITERS[0]}(?!\s)")  # but not Nguyen, Bao


class Told(NamedTuple):
    """What a line tells of a game; the day is empty where it has none of its own."""

    day: str
    first: str
    second: str
    result: str


def game_of(text: str) -> Told | None:
    """Return the game that a line tells of, None for another line.

    >>> tuple(game_of("3. 05.03.24 Ben - Anna ½-½")), tuple(game_of("Ben lost to Anna 1-3"))
    (('05.03.24', 'Ben', 'Anna', '½-½'), ('', 'Ben', 'Anna', '1-3'))
    """
    if len(text) > LONGEST_LINE:
        return None
    text = _tidy(text)
    stamp = STAMP.match(text)
    day, text = (stamp[1], text[stamp.end() :]) if stamp else ("", text)
    for _ in range(2):  # a number before a day, or behind it
        text = NUMBERED.sub("", text, count=1)
        own, text = _leading_day(text)
        day = own or day
    text = text.removesuffix(f"({remark})") if (remark := _remark(text)) else text
    found = _sides(CLOCK.sub("", text.strip(), count=1))
    return None if found is None else Told(day, *found)


def _remark(text: str) -> str:
    """Return the remark in brackets behind a result that leaves it as it is, nothing without one."""
    remark = match[2] if (match := REMARK.fullmatch(text.strip())) else ""
    return "" if said(remark) else remark


def _sides(text: str) -> tuple[str, str, str] | None:
    text = with_scores(text)
    if (by_verb := told(text)) and (sides := _checked(*by_verb)):
        return sides
    if (match := MIDDLE.fullmatch(text)) and not is_date(f"{match[2].split()[-1]} {match[3]}"):  # Race 1 - 3 April 2024
        if (both := PARTED.fullmatch(match[1])) and (said(match[3]) or SHORT.fullmatch(match[3])):  # Ann - Ben 1:0 w/o
            return _checked(both[1], both[2], f"{match[2]} {match[3]}")
        return _checked(match[1], match[3], match[2]) if not re.search(SCORE, match[3]) else None
    if match := PARTED.fullmatch(text):
        second, score = tail(match[2])
        return _checked(match[1], second, score) if score else None
    return None


def _checked(first: str, second: str, result: str) -> tuple[str, str, str] | None:
    """Return two names and a result, None where one is no name."""
    names = [name.strip(" ,;:-–—") for name in (first, second)]
    sound = all(any(map(str.isalpha, name)) and not re.search(rf"{SCORE}|>", name) for name in names)
    sound = sound and all(len(name.split()) <= MOST_WORDS for name in names) and not O_CLOCK.match(names[1])
    return (*names, result) if sound else None  # type: ignore[return-value]


def _leading_day(text: str) -> tuple[str, str]:
    """Return the day with which a line begins, nothing without one, and what follows it."""
    words = list(re.finditer(r"\S+", text))
    for size in range(min(5, len(words)), 0, -1):
        day = text[: words[size - 1].end()].strip("()[],:; ")
        if day[:1].isalnum() and any(sign.isdigit() for sign in day) and is_date(day):
            return day, text[words[size - 1].end() :].strip(" ,:;-–—")
    match = NO_YEAR.match(text)
    day = (match["day"] or match["named"]) if match else ""
    if match and is_yearless(day) and plain(match["weekday"] or "mo") in WEEKDAYS:
        return day, text[match.end() :].strip(" ,:;-–—")
    return "", text


def is_lines(log: OpenLog, how: How) -> bool:
    """Tell by the first bytes of a log whether its lines are games, or a table whose columns blanks part."""
    if how.columns and not isinstance(how.columns, Remembered):
        return False
    head = log.ascii_head(how.encoding)
    try:
        text = head.decode("utf-8")
    except UnicodeDecodeError:
        text = head.decode(guessed(head), "replace")
    lines = [line for line in _stamped(text.splitlines()[:SAMPLE]) if line.strip()]
    return are_games(lines) or _by_blanks(lines, how) is not None


def are_games(lines: Iterable[str]) -> bool:
    """Tell whether most lines are games, and none is cut into cells."""
    lines = [part for line in lines for part in _parts(line)]
    if not lines or any(sum(sign in line for line in lines) > len(lines) / 2 for sign in DELIMITERS[1:]):
        return False
    if sum(re.search(r",(?!\s)", line) is not None for line in lines) > len(lines) / 2:
        return False
    games = [game_of(line) is not None for line in lines]
    if _is_talk(lines):
        return sum(map(_sure(lines), lines)) > 1
    others = [
        line for line, is_game in zip(lines, games, strict=True) if not (is_game or above(line, True) or _is_bye(line))
    ]
    return sum(games) > 1 and sum(games) > len(others)


def _stamped(lines: Sequence[str]) -> list[str]:
    """Return lines, of a chat whose stamps have lines of their own, `Ann — 03/02/2026 12:41`, each behind its stamp."""
    stamps = [STAMP_ALONE.fullmatch(line.strip()) for line in lines]
    if 3 * sum(map(bool, stamps)) < sum(1 for line in lines if line.strip()):
        return list(lines)
    found, before = [], ""
    for line, stamp in zip(lines, stamps, strict=True):
        before = f"[{stamp['when']}] {stamp['who']}: " if stamp else before
        found.append("" if stamp else before + line if line.strip() else line)
    return found


def _is_talk(lines: Sequence[str]) -> bool:
    """Tell whether lines are those of a chat, or begin as an e-mail does."""
    return len(_head(lines)) > 0 or 2 * sum(STAMP.match(_tidy(line)) is not None for line in lines) > len(lines)


def _head(lines: Sequence[str]) -> list[str]:
    """Return the lines that stand above the text of an e-mail."""
    head = list(takewhile(MAIL.match, lines))
    return head if len(head) > 2 and any("@" in line for line in head) else []


def _tidy(text: str) -> str:
    """Return a line without the marks of the direction of writing, which messengers put there."""
    return " ".join(text.translate({0x200E: None, 0x200F: None, 0xFEFF: None}).split())


def _sure(lines: Sequence[str]) -> Callable[[str], bool]:
    """Return what tells of a line of talk whether it is a game, by who writes and who plays whom in all lines."""
    writers = {match[2] for line in lines if (match := STAMP.match(_tidy(line)))}
    met: dict[str, set[str]] = {}
    for game in filter(None, map(game_of, lines)):
        one, other = identity(game.first), identity(game.second)
        met.setdefault(one, set()).add(other)
        met.setdefault(other, set()).add(one)
    known = {name for name, others in met.items() if len(others) > 1}
    known |= {identity(name) for writer in writers for name in (writer, writer.split()[0])}

    def sure(line: str) -> bool:
        if (game := game_of(line)) is None:
            return False
        sure = any(map(str.isdigit, game.result)) and says_who(line)
        return sure or {identity(game.first), identity(game.second)} <= known

    return sure


def _is_bye(line: str) -> bool:
    return said(line) == FREE


def tables(log: OpenLog, how: How) -> Iterator[Table]:
    """Yield the games of a text as a table."""
    data = log.stream.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise UnreadableInput(f"expected at most {LARGEST >> 20} MiB of games on lines ({log.name}); split the file")
    text, notes = decode(data, how.encoding, log.name)
    lines = _stamped(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"))
    filled = [line for line in lines[:SAMPLE] if line.strip()]
    if (starts := _by_blanks(filled, how)) is None:
        rows, remarks = of_lines([(at, line) for at, line in enumerate(lines, 1) if line.strip()])
        yield Table(log.name, rows, [*notes, *remarks], depth=1)
        return
    cut = (Row(at, _cells(line, starts)) for at, line in enumerate(lines, 1) if re.search(r"[^\W_]", line))
    yield Table(log.name, list(cut), notes)


def said_of(text: str) -> str:
    """Return the remark on how a text was read as a game."""
    game = game_of(text)
    assert game is not None
    return f"texts such as {text.strip()!r} were read as games: {game.first!r} and {game.second!r}, {game.result!r}"


def of_lines(lines: Sequence[tuple[int, str]]) -> tuple[list[Row], list[str]]:
    """Return the games of lines, which come with their numbers, as rows below a header; and remarks.

    A line that is none is at fault, but for titles above the first game. One that tells a day beside other things takes
    the day from the games below it.
    """
    texts = [line for _, line in lines]
    sure = _sure(texts) if _is_talk(texts) else lambda line: True
    titles = len(_head(texts))
    day = next((told.day for line in texts[:titles] if (told := above(line)) and told.day), "")
    notes = [f"the day on which the message was sent, {day}, counts for its games"] if day else []
    rows: list[Row] = []
    remarks: list[str] = []
    example, round_, is_headed = "", "", False
    headed: set[str] = set()  # days that stand above games
    for at, line in ((at, part) for at, whole in lines[titles:] for part in _parts(whole)):
        if (game := game_of(line)) is not None and sure(line):
            example = example or line
            remarks += [one for one in [_remark(line)] if not set(re.findall(r"[^\W_]+", one.casefold())) <= BEHIND]
            before = rows[-1].cells[0] if rows and rows[-1].line == at and not rows[-1].fault else day
            rows.append(Row(at, [game.day or before, *game[1:], round_]))
            headed |= set() if game.day else {before}
        elif game is None and (told := above(line, yearless=True)) is not None:
            is_headed = True
            day, round_ = told.day or ("" if told.round else day), told.round or round_
        elif not rows and not is_headed and game is None:
            titles += 1
        else:
            day = "" if day_in(line) else day
            rows.append(Row(at, [line.strip()], BYE if _is_bye(line) else DOUBTED if game else NO_GAME))
    notes += [said_of(example)] if example else []
    if titles:
        notes.append(
            f"{titles} line{'s' if titles > 1 else ''} before the games {'were' if titles > 1 else 'was'} skipped"
        )
    if remarks:
        notes.append(
            f"remarks in brackets behind results were left out, as {listed(remarks[:3])}: take out of the log what "
            "does not count"
        )
    for mend in (_without_words, _without_labels, _without_marks, _without_sums, _rated, _understood):
        rows, said = mend(rows)
        notes += said
    rows, said = _dated(rows, texts[:titles], headed)
    headers = ("Date", *SIDES, "Round")
    used = [at for at in range(5) if at in (1, 2, 3) or any(row.cells[at] for row in rows if not row.fault)]
    body = [row if row.fault else row._replace(cells=[row.cells[one] for one in used]) for row in rows]
    return [Row(0, [headers[one] for one in used]), *body], notes + said


def _parts(line: str) -> list[str]:
    """Return the games of a line that tells several, parted by semicolons; the line alone where it does not."""
    parts = [part for part in line.split(";") if part.strip()]
    return parts if len(parts) > 1 and all(map(game_of, parts)) else [line]


def _names(rows: Iterable[Row]) -> list[str]:
    return [name for row in rows if not row.fault for name in row.cells[1:3]]


def _renamed(rows: Sequence[Row], names: Mapping[str, str]) -> list[Row]:
    return [
        row
        if row.fault
        else row._replace(cells=[row.cells[0], *(names.get(one, one) for one in row.cells[1:3]), *row.cells[3:]])
        for row in rows
    ]


def _without_words(rows: list[Row]) -> tuple[list[Row], list[str]]:
    """Return games without words that stand before most of them, as in `Hall A: Ann - Bob 1-0`.

    What stands so before few, as in `Final score: Club A - Club B 4-2`, is at fault.
    """
    firsts = [row.cells[1] for row in rows if not row.fault]
    names = {name: name.partition(": ")[2].strip() for name in firsts if ": " in name}
    if not names:
        return rows, []
    if 2 * sum(name in names for name in firsts) > len(firsts):
        return _renamed(rows, names), [f"words before the games were left out, as in {listed(sorted(names)[:1])}"]
    return [row._replace(fault=NO_GAME) if not row.fault and row.cells[1] in names else row for row in rows], []


def _rated(rows: list[Row]) -> tuple[list[Row], list[str]]:
    """Return games with the numbers in brackets that stand behind all names alike, which are ratings."""
    names = _names(rows)
    numbered = {name: match for name in names if (match := NUMBERED_NAME.fullmatch(name))}
    if not names or sum(name in numbered for name in names) < MOST * len(names):
        return rows, []
    return _renamed(rows, {name: f"{match[1]} ({match[2]})" for name, match in numbered.items()}), []


def _understood(rows: list[Row]) -> tuple[list[Row], list[str]]:
    """Return games of which those are at fault that have words beside a name that stands without them, `Luis por`."""
    names = Counter(_names(rows))
    strange: dict[str, str] = {}
    for name in names:
        words = name.split()
        bases = (" ".join(words[:size]) for size in range(1, len(words)) if all(map(str.islower, words[size:])))
        base = next((one for one in bases if names[one] > 1 and one[0].isupper()), None)
        if base is not None:
            strange[name] = f"{name!r} is {base!r} with words that are not understood; {NO_GAME}"
    if not strange:
        return rows, []

    def faults(row: Row) -> list[str]:
        return [] if row.fault else [strange[name] for name in row.cells[1:3] if name in strange]

    return [row._replace(fault=found[0]) if (found := faults(row)) else row for row in rows], []


def _without_labels(rows: list[Row]) -> tuple[list[Row], list[str]]:
    """Return games without the numbers of boards, as in `T1 Anna 1-0 Ben`, of whom some play on another board, too."""
    firsts = {row.cells[1] for row in rows if not row.fault}
    labelled = {name: match for name in firsts if (match := LABEL.fullmatch(name))}
    stems = {match["stem"].casefold() for match in labelled.values()}
    others = {row.cells[2] for row in rows if not row.fault} | (firsts - labelled.keys())
    told = Counter(identity(match["name"]) for match in labelled.values()) + Counter(set(map(identity, others)))
    again = any(told[identity(match["name"])] > 1 for match in labelled.values())
    count = sum(row.cells[1] in labelled for row in rows if not row.fault)
    if len(stems) != 1 or any(map(LABEL.fullmatch, others)) or not again or 2 * count <= len(_names(rows)) // 2:
        return rows, []
    names = {name: match["name"] for name, match in labelled.items()}
    return _renamed(rows, names), [
        f"numbers of boards were left out of the names, as in {listed(sorted(labelled)[:1])}"
    ]


def _without_marks(rows: list[Row]) -> tuple[list[Row], list[str]]:
    """Return games without signs at the ends of names, such as ✅ and a full stop, that also stand without them."""
    known = set(map(identity, _names(rows)))
    bare = {name: re.sub(r"^[^\w('\"]+|[^\w)'\"]+$", "", name) for name in _names(rows)}
    marked = {name: one for name, one in bare.items() if one != name and identity(one) in known}
    if not marked:
        return rows, []
    return _renamed(rows, marked), [
        f"signs beside names that also stand without them were left out: {listed(sorted(marked)[:3])}"
    ]


def _without_sums(rows: list[Row]) -> tuple[list[Row], list[str]]:
    """Return games of which those are at fault that say what the games of two teams come to which follow at once."""
    blocks: list[list[Row]] = []
    for row in rows:
        if blocks and row.line - blocks[-1][-1].line == 1:
            blocks[-1].append(row)
        elif not row.fault:
            blocks.append([row])
    for block in blocks:
        whole, *parts = (outcome(row.cells[3]) for row in block if not row.fault)
        sums = _sum(one.points for one in parts), _sum(map(_scores, parts))
        is_whole = not any(row.fault for row in block)  # a game that was not played counts for a team all the same
        if len(parts) < 2 or whole.points is None or (is_whole and whole.points not in sums):
            return rows, []
    heads = [block[0] for block in blocks]
    games = [row for block in blocks for row in block[1:]]
    if set(_names(heads)) & set(_names(games)) or not any(not any(row.fault for row in block) for block in blocks):
        return rows, []
    found = [row._replace(fault=SUM) if any(row is head for head in heads) else row for row in rows]
    return found, [f"{len(heads)} lines say what the games below them come to, and are none"]


def _scores(one: Outcome) -> tuple[float, float] | None:
    return None if one.score is None else (one.score, 1 - one.score)


def _sum(parts: Iterable[tuple[float, float] | None]) -> tuple[float, ...] | None:
    found = list(parts)
    return None if None in found else tuple(map(sum, zip(*filter(None, found), strict=True)))


def _dated(rows: list[Row], titles: Sequence[str], headed: Set[str]) -> tuple[list[Row], list[str]]:
    """Return games with the years that titles tell of days without one; those of headings need none."""
    above_them = [Row(0, [title]) for title in titles]
    found, notes = with_years([*above_them, Row(0, ["Date"]), *rows], len(above_them), 0)
    rows = [*found[len(above_them) + 1 :]]
    left = sorted(filter(is_yearless, headed & {row.cells[0] for row in rows if not row.fault}))
    if left:
        rows = [
            row._replace(cells=["", *row.cells[1:]]) if not row.fault and row.cells[0] in left else row for row in rows
        ]
        notes = [
            *notes,
            f"days above the games that have no year were left out, as {left[0]!r}: write the year, or Season 2024/25 "
            "into a line above the games",
        ]
    return rows, notes


def _by_blanks(lines: Sequence[str], how: How) -> list[int] | None:
    """Return where the columns of a table begin whose cells blanks part, None for another text."""
    rule = next((line for line in lines[:PREAMBLE] if re.fullmatch(r"\s*[-=]{2,}(?:\s+[-=]{2,})+\s*", line)), None)
    parts = {line: len(re.split(r"\s{2,}", line.strip())) for line in lines}
    wide = [line for line in lines if parts[line] > 2]
    while len(wide) > 1 and 2 * parts[wide[0]] < parts[wide[1]]:  # a title with its place and day
        wide = wide[1:]
    body = lines[lines.index(wide[0]) :] if wide else []  # below the titles
    if len(body) < 2 or (rule is None and any(map(DELIMITED.search, body[:PREAMBLE]))):
        return None
    if rule is None and len(wide) < MOST * sum(above(line, True) is None for line in body):
        return None
    starts = [
        match.start() for match in re.finditer(r"(?:(?<=\s\s)|^)\S" if rule is None else r"[-=]+", rule or wide[0])
    ]
    number = re.match(r"\s*(?:#|no\.?|nr\.?|pl\.?|rk\.?|pos\.?)\s(?=\S)", wide[0], re.I) if rule is None else None
    if number is not None and all(line[: number.end()].strip(" .").isdecimal() for line in wide[1:]):
        starts = [0, number.end(), *starts[1:]]  # one blank stands between the number and the name
    if any(line[at - 1 : at].strip() for line in wide for at in starts[1:]):
        starts = _between_blanks(wide)  # numbers may stand before the beginning of their heading
    cells = [Row(at, _cells(line, starts)) for at, line in enumerate(lines, 1) if re.search(r"[^\W_]", line)]
    return starts if is_crosstable(cells) or header_of(cells, how.columns, PREAMBLE) is not None else None


def _between_blanks(lines: Sequence[str]) -> list[int]:
    """Return where columns begin that blanks part in all lines; the first line has a heading for each."""
    filled = [any(line[at : at + 1].strip() for line in lines) for at in range(max(map(len, lines)))]
    starts = [at for at, is_filled in enumerate(filled) if is_filled and not (at and filled[at - 1])]
    return [at for at, cell in zip(starts, _cells(lines[0], starts), strict=True) if cell]


def _cells(line: str, starts: Sequence[int]) -> list[str]:
    """Return the cells of a line whose columns begin at places; a heading that goes over several is one."""
    if any(line[at - 1 : at].strip() for at in starts[1:]) and len(re.split(r"\s{2,}", line.strip())) < 2:
        return [line.strip()]
    return [line[begin:end].strip() for begin, end in zip(starts, [*starts[1:], None], strict=True)]
