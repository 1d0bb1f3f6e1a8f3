"""Books as people make them for themselves: partners, links by hand, months apart, lists that are read by number.

Each book is asked twice: as it is, nothing may be found; with a planted fault, that fault alone, in its cell, with what
it costs, and with a formula that puts the book right again.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from books import Sheets, as_book

from elo_sheets.engines.recalculate import recalculate
from elo_sheets.files.package import Value, cell_name, column_letters
from elo_sheets.recognise import Recognised, recognise_book

Numbers = dict[str, float]


@dataclass(frozen=True)
class Fault:
    """Cells changed, and what is to be found: `repair` is False where no formula can be proposed."""

    cells: dict[str, Value]
    code: str
    where: str
    says: str = ""
    repair: bool = True


@dataclass(frozen=True)
class Wild:
    """A book, what it is, its new ratings (sheet, columns, and the first row), and faults to plant."""

    make: Callable[[], Sheets]
    layout: str
    facts: dict[str, object]
    ratings: tuple[str, str, int]
    faults: dict[str, Fault] = field(default_factory=dict)


def row(cells: dict[str, Value], number: int, first: str, values: list[Value]) -> None:
    """Write values side by side."""
    start = ord(first) - 64
    for at, value in enumerate(values, start):
        if value is not None:
            cells[f"{column_letters(at)}{number}"] = value


def four(names: list[str], count: int, seed: int) -> list[tuple[list[str], tuple[int, int]]]:
    """Return games of two against two with their goals."""
    dice = random.Random(seed)
    games = []
    for _ in range(count):
        goals = (10, dice.randint(0, 9))
        games.append((dice.sample(names, 4), goals if dice.random() < 0.5 else goals[::-1]))
    return games


# --- partners -----------------------------------------------------------------------------------------------------

KICKERS = ["Ida", "Jan", "Kai", "Lea", "Max", "Nina"]


def kicker() -> Sheets:
    """A column for each player, the averages of the teams right beside them, a root of the goal difference."""
    cells: dict[str, Value] = {"A1": "Kickerliga", "A2": "Startwert", "B2": 1000, "D2": "K", "E2": 24}
    row(cells, 4, "A", ["Nr", "Rot 1", "Rot 2", "Blau 1", "Blau 2", "Tore R", "Tore B"])
    row(cells, 4, "I", [*KICKERS, "Ø Rot", "Ø Blau", "Erwartung", "Faktor", "Änderung"])
    lines = [column_letters(9 + i) for i in range(6)]
    cells |= {f"{line}5": "=$B$2" for line in lines}
    for r, (names, goals) in enumerate(four(KICKERS, 20, 3), 6):
        row(cells, r, "A", [r - 5, *names, *goals])

        def mean(a: str, b: str, r: int = r) -> str:
            places = (f"INDEX($I{r - 1}:$N{r - 1},MATCH(${c}{r},$I$4:$N$4,0))" for c in (a, b))
            return f"=AVERAGE({','.join(places)})"

        cells |= {
            f"O{r}": mean("B", "C"), f"P{r}": mean("D", "E"), f"Q{r}": f"=1/(1+10^((P{r}-O{r})/400))",
            f"R{r}": f"=SQRT(ABS(F{r}-G{r}))", f"S{r}": f"=$E$2*R{r}*(IF(F{r}>G{r},1,IF(F{r}=G{r},0.5,0))-Q{r})",
        }  # fmt: skip
        for line in lines:
            lost = f"IF(OR($D{r}={line}$4,$E{r}={line}$4),-$S{r},0)"
            cells[f"{line}{r}"] = f"={line}{r - 1}+IF(OR($B{r}={line}$4,$C{r}={line}$4),$S{r},{lost})"
    return {"Kicker": cells}


def bordfodbold() -> Sheets:
    """A list, a ledger that reads it by number, a ranking; everybody's rating by HLOOKUP over all rows so far."""
    names = ["Arne", "Bodil", "Carl", "Dagny", "Erik", "Freja"]
    games: dict[str, Value] = {}
    row(games, 1, "A", ["Dato", "Rød 1", "Rød 2", "Blå 1", "Blå 2", "Mål R", "Mål B"])
    for r, (four_names, goals) in enumerate(four(names, 30, 11), 2):
        row(games, r, "A", [44000 + r, *four_names, *goals])
    ledger: dict[str, Value] = {"A1": "K", "B1": 40, "C1": "Start", "D1": 1500}
    row(ledger, 4, "A", ["Kamp", "Dato", "R1", "R2", "B1", "B2", "MR", "MB", "Snit R", "Snit B", "Forv", "S", "Ændr"])
    row(ledger, 4, "O", [*names])
    lines = [column_letters(15 + i) for i in range(6)]
    ledger |= {f"{line}5": "=$D$1" for line in lines}
    for r in range(6, 36):
        ledger[f"A{r}"] = r - 5
        ledger |= {f"{own}{r}": f"=INDEX(Games!{c}:{c},$A{r}+1)" for own, c in zip("BCDEFGH", "ABCDEFG", strict=True)}
        for team, (a, b) in {"I": "CD", "J": "EF"}.items():
            looks = (f"HLOOKUP({c}{r},$O$4:$T{r - 1},ROW()-4,FALSE)" for c in (a, b))
            ledger[f"{team}{r}"] = f"=({'+'.join(looks)})/2"
        ledger |= {
            f"K{r}": f"=1/(1+10^((J{r}-I{r})/400))", f"L{r}": f"=0.5+(G{r}-H{r})/20", f"M{r}": f"=$B$1*(L{r}-K{r})/2",
        }  # fmt: skip
        for line in lines:
            lost = f"IF(COUNTIF($E{r}:$F{r},{line}$4)>0,-$M{r},0)"
            ledger[f"{line}{r}"] = f"={line}{r - 1}+IF(COUNTIF($C{r}:$D{r},{line}$4)>0,$M{r},{lost})"
    ranking: dict[str, Value] = {}
    row(ranking, 1, "A", ["#", "Navn", "Rating"])
    for r, name in enumerate(names, 2):
        row(ranking, r, "A", [f"=RANK(C{r},C$2:C$7)", name, f"=HLOOKUP(B{r},Ledger!$O$4:$T$35,32,FALSE)"])
    return {"Games": games, "Ledger": ledger, "Ranking": ranking}


SKIPPED: dict[str, Value] = {
    f"Ledger!{own}{r}": f"=INDEX(Games!{c}:{c},$A{r}+2)"
    for r in range(20, 35)
    for own, c in zip("BCDEFGH", "ABCDEFG", strict=True)
}


def team_calculator() -> Sheets:
    """Two against two, once: the mean of the partners, who share the change."""
    cells: dict[str, Value] = {"A1": "2 vs 2"}
    for r, texts in {
        3: ["Team 1", "Elo", None, "Team 2", "Elo"],
        4: ["Defender", 1510, None, "Defender", 1480],
        5: ["Striker", 1622, None, "Striker", 1390],
        6: ["Average", "=AVERAGE(B4:B5)", None, "Average", "=AVERAGE(E4:E5)"],
        7: ["Goals", 10, None, "Goals", 7],
        8: ["Win prob", "=1/(1+10^((E6-B6)/500))", None, "Win prob", "=1-B8"],
        9: ["Result", "=IF(B7>E7,1,0)", None, "Result", "=1-B9"],
        10: ["Change", "=32*(B9-B8)", None, "Change", "=32*(E9-E8)"],
        11: ["New def", "=B4+B10", None, "New def", "=E4+E10"],
        12: ["New str", "=B5+B10", None, "New str", "=E5+E10"],
    }.items():
        row(cells, r, "A", list(texts))
    return {"Sheet1": cells}


# --- two players --------------------------------------------------------------------------------------------------


def by_hand() -> Sheets:
    """Table tennis: every rating before is a link, made by hand, to the last game of the same player."""
    cells: dict[str, Value] = {"A1": "Bordtennis", "M2": "K", "N2": 24, "M3": "Skala", "N3": 400}
    row(cells, 3, "A", ["Nr", None, "A", "B", "Sett A", "Sett B", "R A", "R B", None, "E A", "Ny A", "Endring"])
    dice, last = random.Random(21), dict[str, str]()
    for r in range(4, 34):
        a, b = dice.sample(["Ole", "Kari", "Nils", "Siv"], 2)
        sets = (3, dice.randint(0, 2))
        row(cells, r, "A", [r - 3, None, a, b, *(sets if dice.random() < 0.5 else sets[::-1])])
        cells |= {f"{c}{r}": f"={last[who]}" if who in last else 1500 for c, who in (("G", a), ("H", b))}
        cells |= {
            f"J{r}": f"=1/(1+EXP(-(G{r}-H{r})/$N$3*LN(10)))", f"L{r}": f"=$N$2*(IF(E{r}>F{r},1,0)-J{r})",
            f"K{r}": f"=G{r}+L{r}", f"M{r}": f"=H{r}-L{r}",
        }  # fmt: skip
        last |= {a: f"K{r}", b: f"M{r}"}
    return {"Log": cells}


def by_month() -> Sheets:
    """Two friends; below each month a subtotal and a blank row, over which the ratings go on."""
    cells: dict[str, Value] = {"A1": "Squash Luca e Marco", "A4": "inizio", "F4": 1500, "H4": 1500}
    row(cells, 3, "A", ["Data", "Luca", "Marco", "Vince", None, "Elo L", "Att. L", "Elo M", "Att. M"])
    dice, before, r = random.Random(43), 4, 5
    for month in range(3):
        for _ in range(7):
            a, b = (11, dice.randint(2, 9)) if dice.random() < 0.6 else (dice.randint(2, 9), 11)
            row(cells, r, "A", [45000 + r, a, b, f'=IF(B{r}>C{r},"L","M")'])
            cells |= {
                f"F{r}": f'=F{before}+32*(IF(D{r}="L",1,0)-G{r})', f"G{r}": f"=1/(1+10^((H{before}-F{before})/400))",
                f"H{r}": f'=H{before}+32*(IF(D{r}="M",1,0)-I{r})', f"I{r}": f"=1-G{r}",
            }  # fmt: skip
            before, r = r, r + 1
        row(cells, r, "A", [f"mese {month + 1}", f"=SUM(B{r - 7}:B{r - 1})", f"=SUM(C{r - 7}:C{r - 1})"])
        r += 2
    return {"Partite": cells}


def shogi() -> Sheets:
    """One player's games with signs for results, a label in the same column as the results, the peak above it all."""
    cells: dict[str, Value] = {
        "A1": "レーティング",
        "A2": "初期値",
        "B2": 1200,
        "D2": "K値",
        "E2": 32,
        "G1": "=MAX(G5:G29)",
    }
    row(cells, 4, "A", ["日付", "相手", "相手R", "結果", "自分R前", "期待勝率", "新R"])
    dice = random.Random(44)
    for r in range(5, 30):
        row(cells, r, "A", [45000 + r, f"相手{dice.randint(1, 9)}", dice.randint(1000, 1500), dice.choice("○×△")])
        cells[f"E{r}"] = "=B2" if r == 5 else f"=G{r - 1}"
        cells[f"F{r}"] = f"=1/(1+10^((C{r}-E{r})/400))"
        cells[f"G{r}"] = f'=ROUND(E{r}+$E$2*(IF(D{r}="○",1,IF(D{r}="△",0.5,0))-F{r}),0)'
    return {"シート1": cells}


def fixtures() -> Sheets:
    """A league with games to come, an advantage at home, and the list of the teams beside the games."""
    teams, dice = ["Rovers", "City", "United", "Albion"], random.Random(45)
    cells: dict[str, Value] = {}
    row(
        cells,
        2,
        "A",
        ["Home", "Away", "HG", "AG", "EloH", "EloA", "pH", "S", "Shift", None, None, "Team", "Start", "Now"],
    )
    pairs = [(a, b) for a in teams for b in teams if a != b]
    dice.shuffle(pairs)
    for r, (a, b) in enumerate(pairs * 2, 3):
        goals: list[Value] = [dice.randint(0, 4), dice.randint(0, 4)] if r < 20 else [None, None]
        row(cells, r, "A", [a, b, *goals])
        for own, name in (("E", "A"), ("F", "B")):
            gains = f"SUMIF(A$2:A{r - 1},{name}{r},I$2:I{r - 1})-SUMIF(B$2:B{r - 1},{name}{r},I$2:I{r - 1})"
            cells[f"{own}{r}"] = f"=VLOOKUP({name}{r},$L$3:$M$6,2,0)+{gains}"
        cells[f"G{r}"] = f"=1/(1+10^((F{r}-E{r}-60)/400))"
        cells[f"H{r}"] = f'=IF(C{r}="","",IF(C{r}>D{r},1,IF(C{r}=D{r},0.5,0)))'
        cells[f"I{r}"] = f'=IF(H{r}="",0,30*(H{r}-G{r}))'
    for r, name in enumerate(teams, 3):
        gains = f"SUMIF(A$3:A$26,L{r},I$3:I$26)-SUMIF(B$3:B$26,L{r},I$3:I$26)"
        row(cells, r, "L", [name, 1490 + 10 * (r - 3), f"=M{r}+{gains}"])
    return {"League": cells}


def two_rules() -> Sheets:
    """Two calculators side by side: one with a K that goes by the rating, one of another game with another curve."""
    cells: dict[str, Value] = {}
    for r, texts in enumerate(
        [
            ["Chess", None, None, None, "Pool"],
            ["Rating", 1500, None, None, "Fargo", 612],
            ["Opponent", 1620, None, None, "Opponent", 580],
            ["Expected", "=1/(1+10^((B3-B2)/400))", None, None, "P(game)", "=1/(1+2^((F3-F2)/100))"],
            ["Score", 0.5, None, None, "Race", 7],
            ["K", "=LOOKUP(B2,{0,2100,2400},{32,24,16})", None, None, "P(match)", "=1-BINOMDIST(6,13,F4,TRUE)"],
            ["New", "=B2+B6*(B5-B4)"],
        ],
        1,
    ):
        row(cells, r, "A", list(texts))
    return {"Calc": cells}


BOOKS = {
    "kicker": Wild(
        kicker, "player-game matrix", {"scale": 400.0, "curve": "logistic", "start": 1000.0}, ("Kicker", "IJKLMN", 5),
        {
            "swap": Fault({"Q8": "=1/(1+10^((O8-P8)/400))"}, "ES101", "Kicker!Q8"),
            "both gain": Fault(
                {"K13": "=K12+IF(OR($B13=K$4,$C13=K$4),$S13,IF(OR($D13=K$4,$E13=K$4),$S13,0))"}, "ES115", "Kicker!K13"
            ),
        },
    ),
    "bordfodbold": Wild(
        bordfodbold, "player-game matrix", {"scale": 400.0, "k": 20.0, "start": 1500.0}, ("Ledger", "OPQRST", 5),
        {
            "skipped": Fault(SKIPPED, "ES211", "Ledger!B20:H34", "1 row(s) further down"),
            "scale": Fault({"Ledger!K9": "=1/(1+10^((J9-I9)/40))"}, "ES110", "Ledger!K9"),
        },
    ),
    "team calculator": Wild(
        team_calculator, "calculator", {"scale": 500.0, "k": 32.0}, ("Sheet1", "BE", 11),
        {
            "partner left out": Fault({"E6": "=AVERAGE(E4:E4)"}, "ES125", "Sheet1!E6"),
            "sum for mean": Fault({"B6": "=SUM(B4:B5)"}, "ES108", "Sheet1!B6"),
            "partner twice": Fault({"E12": "=E4+E10"}, "ES114", "Sheet1!E12"),
        },
    ),
    "by hand": Wild(
        by_hand, "pool", {"scale": 400.0, "k": 24.0, "start": 1500.0}, ("Log", "KM", 4),
        {
            "old game": Fault({"G20": "=K4"}, "ES123", "Log!G20"),
            "typed": Fault({"G12": 1500}, "ES201", "Log!G12"),
            "both gain": Fault({"M10": "=H10+L10"}, "ES115", "Log!M10"),
        },
    ),
    "by month": Wild(
        by_month, "pool", {"scale": 400.0, "k": 32.0, "start": 1500.0}, ("Partite", "FH", 5),
        {
            "typed": Fault({"F10": 1533}, "ES201", "Partite!F10"),
            "opponent's": Fault({"H9": '=H8+32*(IF(D9="M",1,0)-G9)'}, "ES113", "Partite!H9"),
        },
    ),
    "shogi": Wild(
        shogi, "log", {"scale": 400.0, "k": 32.0, "start": 1200.0, "draw": 0.5}, ("シート1", "G", 5),
        {"anchor": Fault({"E12": "=G$10"}, "ES106", "シート1!E12")},
    ),
    "fixtures": Wild(
        fixtures, "pool", {"scale": 400.0, "k": 30.0, "advantage": 60.0, "draw": 0.5}, ("League", "EFN", 3),
        {
            "list": Fault(
                {"N4": "=M4+SUMIF(A$3:A$12,L4,I$3:I$12)-SUMIF(B$3:B$26,L4,I$3:I$26)"}, "ES125", "League!N4"
            ),
            "advantage": Fault({"G9": "=1/(1+10^((F9-E9+60)/400))"}, "ES121", "League!G9"),
            "parentheses": Fault({"G9": "=1/1+10^((F9-E9-60)/400)"}, "ES103", "League!G9", "parentheses"),
            "misspelt": Fault({"B10": "Unitde"}, "ES402", "League!B10", "'United' does", repair=False),
        },
    ),
    "two rules": Wild(two_rules, "calculator", {"scale": 400.0, "k": 32.0}, ("Calc", "B", 7)),
}  # fmt: skip
FAULTS = [(book, fault) for book, wild in BOOKS.items() for fault in wild.faults]


def planted(sheets: Sheets, cells: dict[str, Value]) -> Sheets:
    """Return the sheets with cells changed; a cell without a sheet is one of the first."""
    found = {name: dict(content) for name, content in sheets.items()}
    for place, value in cells.items():
        sheet, _, cell = place.rpartition("!")
        found[sheet or next(iter(found))][cell] = value
    return found


def numbers(sheets: Sheets, ratings: tuple[str, str, int]) -> Numbers:
    """Return the ratings as an engine computes them."""
    sheet, columns, first = ratings
    book = as_book(sheets)
    typed = {place: cell.value for place, cell in book.sheets[sheet].items() if cell.formula is None}
    values = typed | dict(recalculate(book, "ironcalc", timeout=60).values[sheet])
    letters = {(r, c): cell_name(r, c) for r, c in values}
    return {
        letters[place]: value
        for place, value in values.items()
        if isinstance(value, float) and letters[place].rstrip("0123456789") in columns and place[0] >= first
    }


def loud(found: Recognised) -> list[Any]:
    """Return the findings that are more than notes."""
    return [one for one in found.findings if one.severity != "note"]


@pytest.mark.parametrize("name", BOOKS)
def test_a_sound_book_is_recognised_and_nothing_is_found(name: str) -> None:
    wild = BOOKS[name]
    found = recognise_book(as_book(wild.make()))
    assert [(one.code, one.range, one.message) for one in loud(found)] == []
    assert (found.layout, found.reason) == (wild.layout, None)
    assert {fact: found.facts.get(fact) for fact in wild.facts} == wild.facts


@pytest.mark.parametrize(("name", "fault"), FAULTS, ids=[f"{book}-{fault}" for book, fault in FAULTS])
def test_a_planted_fault_is_found_alone_with_its_effect_and_its_repair(name: str, fault: str) -> None:
    wild = BOOKS[name]
    case, sound = wild.faults[fault], wild.make()
    faulty = planted(sound, case.cells)
    found = loud(recognise_book(as_book(faulty)))
    assert [(one.code, one.range) for one in found] == [(case.code, case.where)]
    assert case.says in found[0].message
    if not case.repair:
        assert found[0].fix is None
        return
    before, after = numbers(sound, wild.ratings), numbers(faulty, wild.ratings)
    changes = [after[cell] - before[cell] for cell in before if cell in after]
    assert found[0].effect == pytest.approx(max(changes, key=abs), abs=0.01)
    if len(case.cells) == 1:
        assert numbers(planted(sound, {next(iter(case.cells)): found[0].fix}), wild.ratings) == pytest.approx(before)
    else:
        assert found[0].fix == sound["Ledger"]["B20"]


def test_partners_gain_what_the_rule_gives() -> None:
    """The effect of a swapped difference, by arithmetic alone: the ratings of six players, replayed twice."""

    def replayed(swapped: int) -> list[dict[str, float]]:
        ratings, history = dict.fromkeys(KICKERS, 1000.0), []
        for r, (names, goals) in enumerate(four(KICKERS, 20, 3), 6):
            red, blue = (sum(ratings[n] for n in team) / 2 for team in (names[:2], names[2:]))
            gap = red - blue if r != swapped else blue - red
            share = 1 / (1 + 10 ** (-gap / 400))
            change = 24 * abs(goals[0] - goals[1]) ** 0.5 * ((goals[0] > goals[1]) - share)
            ratings = {n: x + change * ((n in names[:2]) - (n in names[2:])) for n, x in ratings.items()}
            history.append(ratings)
        return history

    right, wrong = replayed(0), replayed(8)
    changes = [b[name] - a[name] for a, b in zip(right, wrong, strict=True) for name in KICKERS]
    faulty = planted(kicker(), BOOKS["kicker"].faults["swap"].cells)
    (found,) = loud(recognise_book(as_book(faulty)))
    assert found.effect == pytest.approx(max(changes, key=abs), abs=0.01)


def test_an_entry_that_no_formula_understands_is_named() -> None:
    cells: dict[str, Value] = {"A1": "Squash"}
    row(cells, 2, "A", ["P1", "P2", "Score", "S1", "S2", "Elo 1", "Elo 2", "E", "Points"])
    dice = random.Random(15)
    for r in range(3, 25):
        a, b = dice.sample(["Rob", "Sam", "Tia"], 2)
        row(cells, r, "A", [a, b, f"{dice.randint(8, 11)}-{dice.randint(2, 7)}"])
        cells[f"D{r}"] = f'=VALUE(LEFT(C{r},FIND("-",C{r})-1))'
        cells[f"E{r}"] = f'=VALUE(MID(C{r},FIND("-",C{r})+1,5))'
        for own, name in (("F", "A"), ("G", "B")):
            gains = f"SUMIF(A$2:A{r - 1},{name}{r},I$2:I{r - 1})-SUMIF(B$2:B{r - 1},{name}{r},I$2:I{r - 1})"
            cells[f"{own}{r}"] = f"=1000+{gains}"
        cells[f"H{r}"] = f"=1/(1+10^((G{r}-F{r})/400))"
        cells[f"I{r}"] = f"=30*(D{r}/(D{r}+E{r})-H{r})"
    sound = recognise_book(as_book({"Squash": cells}))
    assert (sound.reason, loud(sound)) == (None, [])
    found = loud(recognise_book(as_book({"Squash": {**cells, "C11": "10:4"}})))
    assert [(one.code, one.range) for one in found] == [("ES408", "Squash!C11")]
    assert "'10:4'" in found[0].message


def test_a_book_that_rates_nobody_is_said_to() -> None:
    cells: dict[str, Value] = {"A1": "Expense", "B1": "January", "C1": "February", "D1": "Sum"}
    for row in range(2, 9):
        cells |= {f"A{row}": f"Item {row}", f"B{row}": 10 * row, f"C{row}": 7 * row, f"D{row}": f"=B{row}+C{row}"}
    found = recognise_book(as_book({"Budget": cells}))
    assert not found.findings
    assert str(found.reason).startswith("no formula here expects a result of two ratings")


def test_games_that_were_typed_and_end_in_errors_are_no_agreement() -> None:
    """K drifts from its cell over a blank one into the header: from there on listed games are not rated."""
    cells: dict[str, Value] = {"A1": "K", "B1": 16, "A3": "Game", "B3": "Score", "C3": "Ann", "D3": "Ben"}
    cells |= {"E3": "Expected", "C4": 1570, "D4": 1740}
    for row in range(5, 17):
        above = row - 1
        cells |= {f"A{row}": row - 4, f"B{row}": (0, 0.5, 1, 0.5)[row % 4]}
        cells[f"E{row}"] = f"=1/(1+10^((D{above}-C{above})/400))"
        cells[f"C{row}"] = f"=C{above}+$B$1*(B{row}-E{row})"
        cells[f"D{row}"] = f"=D{above}-B{row - 4}*(B{row}-E{row})"
    found = recognise_book(as_book({"Duel": cells}))
    assert found.reason is not None
    assert "a game is listed and not rated" in found.reason
    assert [(f.code, f.range) for f in found.findings if f.severity == "error"] == [("ES124", "Duel!D5:D16")]
