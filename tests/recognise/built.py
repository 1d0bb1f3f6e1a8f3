"""Books as clubs build them, each with its numbers worked out here, without a spreadsheet."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, field
from pathlib import Path

from openpyxl import Workbook
from openpyxl.utils import get_column_letter as letter

PLAYERS = [f"Player {number}" for number in range(1, 7)]
EVENT = ((2210, 1.0), (1984, 0.5), (2077, 0.0), (1893, 1.0), (2150, 0.5), (2305, 0.0), (2011, 1.0))
# the first difference of each interval of FIDE's table B.02, 8.1b, from an expectation of a half on
STARTS = (
    0, 4, 11, 18, 26, 33, 40, 47, 54, 62, 69, 77, 84, 92, 99, 107, 114,
    122, 130, 138, 146, 154, 163, 171, 180, 189, 198, 207, 216, 226, 236, 246, 257, 268,
    279, 291, 303, 316, 329, 345, 358, 375, 392, 412, 433, 457, 485, 518, 560, 620, 736,
)  # fmt: skip


@dataclass
class Built:
    """The cells of a book by sheet, and what some of them show."""

    cells: dict[tuple[str, str], object] = field(default_factory=dict)
    truth: dict[tuple[str, str], float] = field(default_factory=dict)

    def put(self, place: str, content: object, truth: float | None = None) -> None:
        """Set a cell, such as Sheet!A1."""
        sheet, _, cell = place.partition("!")
        self.cells[sheet, cell] = content
        if truth is not None:
            self.truth[sheet, cell] = truth

    def row(self, place: str, contents: tuple[object, ...]) -> None:
        """Set cells from one on to the right."""
        sheet, _, cell = place.partition("!")
        match = re.fullmatch(r"([A-Z]+)(\d+)", cell)
        assert match is not None
        first = sum((ord(one) - 64) * 26**at for at, one in enumerate(reversed(match[1])))
        for at, content in enumerate(contents):
            self.put(f"{sheet}!{letter(first + at)}{match[2]}", content)

    def save(self, path: Path, changes: dict[str, object] | None = None) -> Path:
        """Write the book, with other contents in some cells."""
        book = Workbook()
        book.remove(book.worksheets[0])
        cells = dict(self.cells)
        for place, content in (changes or {}).items():
            sheet, _, cell = place.partition("!")
            assert (sheet, cell) in cells, place
            cells[sheet, cell] = content
        for (sheet, cell), content in cells.items():
            (book[sheet] if sheet in book.sheetnames else book.create_sheet(sheet))[cell] = content
        book.save(path)
        return path

    def changed(self, sheet: str, columns: str, old: str, new: str, rows: range | None = None) -> dict[str, object]:
        """The cells of columns with one text in place of another; {r} is the row, {a} the one above."""
        found: dict[str, object] = {}
        for (at, cell), content in self.cells.items():
            column, row = re.sub(r"\d", "", cell), int(re.sub(r"\D", "", cell))
            if at == sheet and column in columns.split(",") and (rows is None or row in rows):
                a, b = (text.format(r=row, a=row - 1) for text in (old, new))
                if isinstance(content, str) and content.startswith("=") and a in content:
                    found[f"{sheet}!{cell}"] = content.replace(a, b)
        assert found, (sheet, columns, old)
        return found


def expects(own: float, other: float) -> float:
    """The logistic expectation."""
    return 1 / (1 + 10 ** ((other - own) / 400))


def by_table(lead: float) -> float:
    """FIDE's expectation."""
    higher = (50 + sum(start <= abs(lead) for start in STARTS) - 1) / 100
    return higher if lead >= 0 else 1 - higher


def change_sheet(own: int = 2104, k: int = 20, new: bool = True) -> Built:
    """One event as a federation's change sheet has it: expectations by the table, changes, their sum."""
    book, table = Built(), "Table!$A$2:$B$52"
    book.row("Table!A1", ("from", "expects"))
    for row, start in enumerate(STARTS, 2):
        book.row(f"Table!A{row}", (start, (48 + row) / 100))
    book.row("Event!A1", ("Rating", own))
    book.row("Event!A2", ("K", k))
    book.row("Event!A4", ("Round", "Opponent", "Rating", "Score", "Expected", "Change"))
    total = 0.0
    for row, (rating, score) in enumerate(EVENT, 5):
        change = k * (score - by_table(own - rating))
        total += change
        book.row(f"Event!A{row}", (row - 4, f"Opponent {row - 4}", rating, score))
        look = f"VLOOKUP(ABS($B$1-C{row}),{table},2,TRUE)"
        book.put(f"Event!E{row}", f"=IF($B$1>=C{row},{look},1-{look})", by_table(own - rating))
        book.put(f"Event!F{row}", f"=$B$2*(D{row}-E{row})", change)
    book.row("Event!A12", ("Total", None, None, "=SUM(D5:D11)", "=SUM(E5:E11)", "=SUM(F5:F11)"))
    book.truth["Event", "F12"] = total
    if new:
        book.put("Event!A13", "New rating")
        book.put("Event!F13", "=ROUND(B1+F12,0)", float(int(own + total + 0.5)))
    return book


def capped_sheet(own: int = 1873, k: int = 40) -> Built:
    """One event with a column of differences held within 400, and K times the sum."""
    book = Built()
    for row, start in enumerate(STARTS, 2):
        book.row(f"Table!A{row}", (start, (48 + row) / 100))
    book.row("Event!A2", ("Ro", own))
    book.row("Event!A3", ("K", k))
    book.row("Event!A5", ("Opponent", "Rc", "D", "W", "PD"))
    points = due = 0.0
    for row, (rating, score) in enumerate(EVENT, 6):
        lead = max(-400, min(400, own - rating))
        points, due = points + score, due + by_table(lead)
        book.row(f"Event!A{row}", (f"Opponent {row - 5}", rating, f"=MAX(-400,MIN(400,$B$2-B{row}))", score))
        look = "LOOKUP({}C{},Table!$A$2:$A$52,Table!$B$2:$B$52)"
        book.put(f"Event!E{row}", f"=IF(C{row}<0,1-{look.format('-', row)},{look.format('', row)})", by_table(lead))
    shown = ("=SUM(D6:D12)", "=SUM(E6:E12)", "=B14-B15", "=B3*B16", "=B2+B17")
    for row, (label, text) in enumerate(zip(("W", "We", "W-We", "Change", "Rn"), shown, strict=True), 14):
        book.row(f"Event!A{row}", (label, text))
    book.truth["Event", "B18"] = own + k * (points - due)
    return book


def rounds_beside(k: int = 20, count: int = 4) -> Built:
    """Rounds side by side, a block of four columns for each."""
    dice, book = random.Random(1), Built()
    ratings = {name: 1500.0 + 40 * at for at, name in enumerate(PLAYERS)}
    book.row("Rounds!A1", ("K", k))
    book.row("Rounds!A3", ("Player", "Start"))
    for row, name in enumerate(PLAYERS, 4):
        book.row(f"Rounds!A{row}", (name, ratings[name]))
    before = "B"
    for turn in range(count):
        circle = [0, *((at + turn) % 5 + 1 for at in range(5))]
        other, score, share, after = (letter(3 + 4 * turn + at) for at in range(4))
        book.put(f"Rounds!{other}2", f"Round {turn + 1}")
        book.row(f"Rounds!{other}3", ("Opponent", "Score", "Expected", "Rating"))
        then = dict(ratings)
        for one, two in ((circle[at], circle[5 - at]) for at in range(3)):
            result = dice.choice((0.0, 0.5, 1.0))
            for own, rival, points in ((one, two, result), (two, one, 1 - result)):
                row, due = own + 4, expects(ratings[PLAYERS[own]], ratings[PLAYERS[rival]])
                then[PLAYERS[own]] = ratings[PLAYERS[own]] + k * (points - due)
                book.row(f"Rounds!{other}{row}", (PLAYERS[rival], points))
                look = f"INDEX({before}$4:{before}$9,MATCH({other}{row},$A$4:$A$9,0))"
                book.put(f"Rounds!{share}{row}", f"=1/(1+10^(({look}-{before}{row})/400))", due)
                text = f"={before}{row}+$B$1*({score}{row}-{share}{row})"
                book.put(f"Rounds!{after}{row}", text, then[PLAYERS[own]])
        ratings, before = then, after
    return book


def ladder(k: int = 24, games: int = 14, change: bool = False) -> Built:
    """A column of ratings for each player, with the expectation of each game in a cell beside them."""
    dice, book, names, lines = random.Random(2), Built(), PLAYERS[:5], "HIJKL"
    ratings = dict.fromkeys(names, 1500.0)
    book.row("Log!A1", ("K", k))
    book.row("Log!A3", ("White", "Black", "Result", "RW", "RB", "E", "Change" if change else None, *names))
    book.row("Log!H4", (1500.0,) * 5)
    for row in range(5, 5 + games):
        white, black = dice.sample(names, 2)
        result = dice.choice((0.0, 0.5, 1.0))
        due = expects(ratings[white], ratings[black])
        book.row(f"Log!A{row}", (white, black, result))
        for column, who in (("D", white), ("E", black)):
            name = "A" if column == "D" else "B"
            text = f"=INDEX($H{row - 1}:$L{row - 1},MATCH({name}{row},$H$3:$L$3,0))"
            book.put(f"Log!{column}{row}", text, ratings[who])
        book.put(f"Log!F{row}", f"=1/(1+10^((E{row}-D{row})/400))", due)
        moved = k * (result - due)
        ratings = {**ratings, white: ratings[white] + moved, black: ratings[black] - moved}
        if change:
            book.put(f"Log!G{row}", f"=$B$1*(C{row}-F{row})", moved)
        for line, name in zip(lines, names, strict=True):
            up = f"{line}{row - 1}"
            if change:
                text = f"={up}+IF({line}$3=$A{row},$G{row},IF({line}$3=$B{row},-$G{row},0))"
            else:
                lost = f"{up}+$B$1*((1-$C{row})-(1-$F{row}))"
                text = f"=IF({line}$3=$A{row},{up}+$B$1*($C{row}-$F{row}),IF({line}$3=$B{row},{lost},{up}))"
            book.put(f"Log!{line}{row}", text, ratings[name])
    return book


def log(friendlies: tuple[int, ...] | None = None, step: str = "", seed: int = 4, games: int = 16) -> Built:
    """A log of sums of changes: with a K of 0 for friendlies, or with K times the expectation as a column (`step`)."""
    dice, book, names, last = random.Random(seed), Built(), PLAYERS[:5], 2 + games
    ratings = {name: 1500.0 + 20 * at for at, name in enumerate(names)}
    book.row("Players!A1", ("Name", "Start", "Rating"))
    for row, name in enumerate(names, 2):
        book.row(f"Players!A{row}", (name, ratings[name]))
    if friendlies is None:
        book.row("Games!A1", ("K", 32))
    book.row("Games!A2", ("Home", "Away", "Score", "K", "Rh", "Ra", "E", "KE", "dH", "New H", "New A"))
    for row in range(3, last + 1):
        home, away = dice.sample(names, 2)
        score = dice.choice((0.0, 0.5, 1.0))
        k, cell = (32, "$B$1") if friendlies is None else (0 if row - 3 in friendlies else 32, f"D{row}")
        book.row(f"Games!A{row}", (home, away, score, *(() if friendlies is None else (k,))))
        for column, name, who in (("E", "A", home), ("F", "B", away)):
            sums = "+".join(
                f"SUMIF(${c}$2:${c}{row - 1},{name}{row},$I$2:$I{row - 1})*{by}" for c, by in (("A", 1), ("B", -1))
            )
            text = f"=VLOOKUP({name}{row},Players!$A$2:$B$6,2,FALSE)+{sums}"
            book.put(f"Games!{column}{row}", text, ratings[who])
        due = expects(ratings[home], ratings[away])
        power = f"/(1+10^((F{row}-E{row})/400))"
        if step == "one":
            book.put(f"Games!H{row}", f"={cell}{power}", k * due)
        else:
            book.put(f"Games!G{row}", f"=1{power}", due)
        if step == "two":
            book.put(f"Games!H{row}", f"={cell}*G{row}", k * due)
        change = f"={cell}*C{row}-H{row}" if step else f"={cell}*(C{row}-G{row})"
        moved = k * (score - due)
        book.put(f"Games!I{row}", change, moved)
        ratings = {**ratings, home: ratings[home] + moved, away: ratings[away] - moved}
        book.put(f"Games!J{row}", f"=E{row}+I{row}", ratings[home])
        book.put(f"Games!K{row}", f"=F{row}-I{row}", ratings[away])
    for row, name in enumerate(names, 2):
        sums = "+".join(
            f"SUMIF(Games!${c}$3:${c}${last},A{row},Games!$I$3:$I${last})*{by}" for c, by in (("A", 1), ("B", -1))
        )
        book.put(f"Players!C{row}", f"=B{row}+{sums}", ratings[name])
    return book


def by_hand(k: int = 32, games: int = 14) -> Built:
    """A log in which each rating before is a reference to the cell where the player was rated last."""
    dice, book, names = random.Random(6), Built(), PLAYERS[:5]
    ratings = {name: 1500.0 + 25 * at for at, name in enumerate(names)}
    where = {name: f"$N${row}" for row, name in enumerate(names, 2)}
    book.row("Log!J1", ("K", k))
    book.row("Log!M1", ("Player", "Start", "Now"))
    for row, name in enumerate(names, 2):
        book.row(f"Log!M{row}", (name, ratings[name]))
    book.row("Log!A1", ("A", "B", "Result", "Ra", "Rb", "Ea", "New A", "New B"))
    for row in range(2, 2 + games):
        one, two = dice.sample(names, 2)
        score = dice.choice((0.0, 0.5, 1.0))
        book.row(f"Log!A{row}", (one, two, score))
        book.put(f"Log!D{row}", f"={where[one]}", ratings[one])
        book.put(f"Log!E{row}", f"={where[two]}", ratings[two])
        due = expects(ratings[one], ratings[two])
        book.put(f"Log!F{row}", f"=1/(1+10^((E{row}-D{row})/400))", due)
        moved = k * (score - due)
        ratings = {**ratings, one: ratings[one] + moved, two: ratings[two] - moved}
        book.put(f"Log!G{row}", f"=D{row}+$K$1*(C{row}-F{row})", ratings[one])
        book.put(f"Log!H{row}", f"=E{row}+$K$1*(F{row}-C{row})", ratings[two])
        where |= {one: f"G{row}", two: f"H{row}"}
    for row, name in enumerate(names, 2):
        book.put(f"Log!O{row}", f"={where[name]}", ratings[name])
    return book


SOUND = {
    "a change sheet": change_sheet,
    "a change sheet without a new rating": lambda: change_sheet(new=False),
    "differences within 400": capped_sheet,
    "rounds side by side": rounds_beside,
    "a ladder with a cell of expectations": ladder,
    "a ladder with a cell of changes": lambda: ladder(change=True),
    "friendlies by a K of nought": lambda: log((3, 8, 9)),
    "friendlies first and last": lambda: log((0, 15), seed=9),
    "K times the expectation in one cell": lambda: log(step="one"),
    "K times the expectation beside it": lambda: log(step="two"),
    "references by hand": by_hand,
}
