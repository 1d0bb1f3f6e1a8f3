"""Ledgers as strangers make them, replayed by their own rule: the last rating is worked out here, game by game."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from books import Sheets, as_book, loud, write

from elo_sheets.files.package import Value
from elo_sheets.recognise.model import Key
from elo_sheets.validate import validate
from elo_sheets.verdict.findings import NOTE, Verdict

ORDER = "ABCDBADCACBDCADBABDCBCADDABC"  # who plays, two or four at a time
NAMES = {"A": "Anna", "B": "Bert", "C": "Cora", "D": "Dave"}


def share(own: float, other: float, scale: float = 400.0) -> float:
    return 1 / (1 + 10 ** ((other - own) / scale))


@dataclass
class Ledger:
    """A book, and what its ratings are in the end."""

    sheets: Sheets
    final: dict[str, float]  # cell -> rating, worked out without a sheet
    facts: dict[str, object] = field(default_factory=dict)


def latest(sheet: str, who: str, columns: str, low: int, start: str, news: str) -> str:
    """The rating of `who` after the last row of `columns` that names him, by the largest row that does."""
    names = f"{sheet}${columns[0]}$1:${columns[-1]}${low}"
    at = f"SUMPRODUCT(MAX(({names}={who})*ROW({names})))"
    found = f"INDEX({sheet}${news[-1]}$1:${news[-1]}${low},{at})"
    for name, new in reversed(list(zip(columns[:-1], news[:-1], strict=True))):
        here = f"INDEX({sheet}${name}$1:${name}${low},{at})={who}"
        found = f"IF({here},INDEX({sheet}${new}$1:${new}${low},{at}),{found})"
    return f"IF(COUNTIF({names},{who})=0,{start},{found})"


def foosball() -> Ledger:
    """Partners in four columns, averages of a team, the score by the share of goals, a list of what they have."""
    cells: dict[str, Value] = {
        name + "1": text
        for name, text in zip(
            "ABCDEFGHIJKLMNOPQR",
            ["Attack 1", "Defence 1", "Attack 2", "Defence 2", "Goals 1", "Goals 2", "R1", "R2", "R3", "R4", "Team 1",
             "Team 2", "E", "S", "N1", "N2", "N3", "N4"], strict=True,
        )
    }  # fmt: skip
    cells |= {"T1": "K", "U1": 40, "T2": "Start", "U2": 1000}
    ratings = dict.fromkeys("ABCD", 1000.0)
    for i in range(14):
        r, low = i + 2, i + 1
        start = i % 3
        four = ("ABCD", "ACBD", "DABC")[start] if i % 2 else ("BDAC", "CADB", "ABDC")[start]
        goals = ((10, 4), (6, 10), (10, 9), (3, 10))[i % 4]
        for column, who in zip("ABCD", four, strict=True):
            cells[f"{column}{r}"] = NAMES[who]
        cells[f"E{r}"], cells[f"F{r}"] = goals
        for column, name in zip("GHIJ", "ABCD", strict=True):
            cells[f"{column}{r}"] = "=" + latest("", f"{name}{r}", "ABCD", low, "$U$2", "OPQR")
        cells[f"K{r}"], cells[f"L{r}"] = f"=AVERAGE(G{r}:H{r})", f"=(I{r}+J{r})/2"
        cells[f"M{r}"] = f"=1/(1+10^((L{r}-K{r})/400))"
        cells[f"N{r}"] = f"=E{r}/(E{r}+F{r})"
        for new, old, sign in (("O", "G", "+"), ("P", "H", "+"), ("Q", "I", "-"), ("R", "J", "-")):
            cells[f"{new}{r}"] = f"={old}{r}{sign}$U$1*(N{r}-M{r})"
        one, two = (ratings[four[0]] + ratings[four[1]]) / 2, (ratings[four[2]] + ratings[four[3]]) / 2
        gain = 40 * (goals[0] / sum(goals) - share(one, two))
        for who, sign in zip(four, (1, 1, -1, -1), strict=True):
            ratings[who] += sign * gain
    table: dict[str, Value] = {"A1": "Name", "B1": "Rating"}
    for j, who in enumerate("ABCD"):
        table[f"A{j + 2}"] = NAMES[who]
        table[f"B{j + 2}"] = "=" + latest("Games!", f"A{j + 2}", "ABCD", 15, "Games!$U$2", "OPQR")
    final = {f"Table!B{j + 2}": ratings[who] for j, who in enumerate("ABCD")}
    return Ledger({"Games": cells, "Table": table}, final, {"scale": 400.0, "k": 40.0, "start": 1000.0})


def schach() -> Ledger:
    """German headers; K by a look-up in a table of ratings, new ratings without decimals, one column a player."""
    cells: dict[str, Value] = {"A1": "Runde", "B1": "Weiß", "C1": "Schwarz", "D1": "Ergebnis", "E1": "Erwartung"}
    cells |= {"F1": "Anna", "G1": "Bert", "H1": "Cora", "I1": "Dave"}
    cells |= {"A2": "Startzahl", "F2": 1480, "G2": 1500, "H2": 1530, "I2": 1610}
    steps = {"A1": "ab", "B1": "K", "A2": 0, "B2": 40, "A3": 1500, "B3": 20, "A4": 1600, "B4": 10}
    ratings = {"A": 1480.0, "B": 1500.0, "C": 1530.0, "D": 1610.0}
    for i in range(14):
        r = i + 3
        one, two = ORDER[2 * i : 2 * i + 2]
        score = (1, 0.5, 0, 1)[i % 4]
        cells |= {f"A{r}": i + 1, f"B{r}": NAMES[one], f"C{r}": NAMES[two], f"D{r}": score}
        old = [f"INDEX($F{r - 1}:$I{r - 1},MATCH({c}{r},$F$1:$I$1,0))" for c in "BC"]
        cells[f"E{r}"] = f"=1/(1+10^(({old[1]}-{old[0]})/400))"
        for column in "FGHI":
            base = f"{column}{r - 1}"
            k = f"VLOOKUP({base},Faktor!$A$2:$B$4,2,TRUE)"
            cells[f"{column}{r}"] = (
                f"=ROUND({base}+IF($B{r}={column}$1,{k}*($D{r}-$E{r}),IF($C{r}={column}$1,{k}*($E{r}-$D{r}),0)),0)"
            )
        e = share(ratings[one], ratings[two])
        now = dict(ratings)
        for who, gain in ((one, score - e), (two, e - score)):
            k = 40 if now[who] < 1500 else 20 if now[who] < 1600 else 10
            ratings[who] = float(int(now[who] + k * gain + 0.5))
    final = {f"Tabelle!{c}16": ratings[who] for c, who in zip("FGHI", "ABCD", strict=True)}
    return Ledger({"Tabelle": cells, "Faktor": dict(steps)}, final, {"scale": 400.0})


def tournoi() -> Ledger:
    """French headers; the expectation in the formula of the new rating, the last rating by LOOKUP, both sides a row."""
    cells: dict[str, Value] = {"A1": "Date", "B1": "Joueur", "C1": "Adversaire", "D1": "Score", "E1": "Elo avant"}
    cells |= {"F1": "Elo adv.", "G1": "Elo après", "J1": "Coefficient", "K1": 24}
    ratings = dict.fromkeys("ABCD", 1200.0)
    for i in range(14):
        pair, score = ORDER[2 * i : 2 * i + 2], (1, 0, 0.5, 1, 0)[i % 5]
        low = 1 + 2 * i
        for side in (0, 1):
            r, mate = 2 + 2 * i + side, 3 + 2 * i - side
            cells |= {f"A{r}": 45000 + i, f"B{r}": NAMES[pair[side]], f"C{r}": NAMES[pair[1 - side]]}
            cells[f"D{r}"] = score if side == 0 else 1 - score
            cells[f"E{r}"] = f"=IFERROR(LOOKUP(2,1/($B$1:$B${low}=B{r}),$G$1:$G${low}),1200)"
            cells[f"F{r}"] = f"=E{mate}"
            cells[f"G{r}"] = f"=E{r}+$K$1*(D{r}-1/(1+10^((F{r}-E{r})/400)))"
        gain = 24 * (score - share(ratings[pair[0]], ratings[pair[1]]))
        ratings[pair[0]] += gain
        ratings[pair[1]] -= gain
    rows = {who: max(r for r in range(2, 30) if cells[f"B{r}"] == NAMES[who]) for who in "ABCD"}
    return Ledger({"Parties": cells}, {f"Parties!G{rows[w]}": ratings[w] for w in "ABCD"}, {"scale": 400.0, "k": 24.0})


def football() -> Ledger:
    """World football: K times a multiplier of the goal difference, a bonus at home that neutral ground takes away."""
    cells: dict[str, Value] = {
        name + "3": text
        for name, text in zip(
            "ABCDEFGHIJKL",
            ["Home", "Away", "GH", "GA", "Neutral", "Rh", "Ra", "We", "W", "G", "Rh new", "Ra new"],
            strict=True,
        )
    }
    cells |= {"A1": "K", "B1": 30, "C1": "Home advantage", "D1": 100}
    ratings = dict.fromkeys("ABCD", 1600.0)
    for i in range(14):
        r, low = i + 4, i + 3
        one, two = ORDER[2 * i : 2 * i + 2]
        home, away = ((2, 0), (1, 1), (0, 4), (3, 2), (0, 1))[i % 5]
        cells |= {
            f"A{r}": NAMES[one],
            f"B{r}": NAMES[two],
            f"C{r}": home,
            f"D{r}": away,
            f"E{r}": (i % 3 == 0 and 1) or 0,
        }
        cells[f"F{r}"] = "=" + latest("", f"A{r}", "AB", low, "1600", "KL")
        cells[f"G{r}"] = "=" + latest("", f"B{r}", "AB", low, "1600", "KL")
        cells[f"H{r}"] = f"=1/(10^(-(F{r}+IF(E{r}=1,0,$D$1)-G{r})/400)+1)"
        cells[f"I{r}"] = f"=IF(C{r}>D{r},1,IF(C{r}=D{r},0.5,0))"
        cells[f"J{r}"] = f"=IF(ABS(C{r}-D{r})<=1,1,IF(ABS(C{r}-D{r})=2,1.5,(11+ABS(C{r}-D{r}))/8))"
        cells[f"K{r}"] = f"=F{r}+$B$1*J{r}*(I{r}-H{r})"
        cells[f"L{r}"] = f"=G{r}-$B$1*J{r}*(I{r}-H{r})"
        gap = abs(home - away)
        factor = 1 if gap <= 1 else 1.5 if gap == 2 else (11 + gap) / 8
        result = 1 if home > away else 0.5 if home == away else 0
        bonus = 0 if i % 3 == 0 else 100
        gain = 30 * factor * (result - share(ratings[one] + bonus, ratings[two]))
        ratings[one] += gain
        ratings[two] -= gain
    final = {}
    for who in "ABCD":
        row = max(r for r in range(4, 18) if NAMES[who] in (cells[f"A{r}"], cells[f"B{r}"]))
        final[f"Matches!{'K' if cells[f'A{row}'] == NAMES[who] else 'L'}{row}"] = ratings[who]
    return Ledger({"Matches": cells}, final, {"scale": 400.0})


def totals() -> Ledger:
    """A pool without look-ups: the rating before is the start plus what SUMIF finds above, on either side."""
    cells: dict[str, Value] = {
        name + "1": text
        for name, text in zip("ABCDEFGHI", ["P1", "P2", "S", "R1", "R2", "E", "d", "N1", "N2"], strict=True)
    }
    cells |= {"K1": "start", "L1": 1500, "K2": "k", "L2": 16}
    ratings = dict.fromkeys("ABCD", 1500.0)
    for i in range(14):
        r, low = i + 2, i + 1
        one, two = ORDER[2 * i : 2 * i + 2]
        score = (1, 1, 0, 0.5)[i % 4]
        cells |= {f"A{r}": NAMES[one], f"B{r}": NAMES[two], f"C{r}": score}
        for column, who in (("D", "A"), ("E", "B")):
            gained, lost = (f"SUMIF(${c}$1:${c}{low},{who}{r},$G$1:$G{low})" for c in "AB")
            cells[f"{column}{r}"] = f"=$L$1+{gained}-{lost}"
        cells[f"F{r}"] = f"=10^(D{r}/400)/(10^(D{r}/400)+10^(E{r}/400))"
        cells[f"G{r}"] = f"=$L$2*(C{r}-F{r})"
        cells[f"H{r}"], cells[f"I{r}"] = f"=D{r}+G{r}", f"=E{r}-G{r}"
        gain = 16 * (score - share(ratings[one], ratings[two]))
        ratings[one] += gain
        ratings[two] -= gain
    table: dict[str, Value] = {"A1": "Player", "B1": "Now"}
    for j, who in enumerate("ABCD"):
        table[f"A{j + 2}"] = NAMES[who]
        sums = [f"SUMIF(Log!${c}$2:${c}$15,A{j + 2},Log!$G$2:$G$15)" for c in "AB"]
        table[f"B{j + 2}"] = f"=Log!$L$1+{sums[0]}-{sums[1]}"
    final = {f"Now!B{j + 2}": ratings[who] for j, who in enumerate("ABCD")}
    return Ledger({"Log": cells, "Now": table}, final, {"scale": 400.0, "k": 16.0, "start": 1500.0})


def mine() -> Ledger:
    """A log of one's own games with everything in one formula, K smaller after ten games."""
    cells: dict[str, Value] = {"A1": "Gegner", "B1": "Zahl", "C1": "Erg", "D1": "Meine Zahl", "D2": 1400}
    rating = 1400.0
    for i in range(16):
        r = i + 3
        other, score = 1350 + 41 * (i * 7 % 9), (1, 0, 0.5, 1)[i % 4]
        cells |= {f"A{r}": f"Gegner {i % 5 + 1}", f"B{r}": other, f"C{r}": score}
        k = "IF(ROW()-2<=10,40,20)"
        cells[f"D{r}"] = f"=D{r - 1}+{k}*(C{r}-1/(1+10^((B{r}-D{r - 1})/400)))"
        rating += (40 if i < 10 else 20) * (score - share(rating, other))
    return Ledger({"Meins": cells}, {"Meins!D18": rating}, {"scale": 400.0})


BOOKS: dict[str, Callable[[], Ledger]] = {
    "foosball": foosball, "Schach": schach, "tournoi": tournoi, "football": football, "totals": totals, "mine": mine,
}  # fmt: skip


def key_of(cell: str) -> Key:
    from elo_sheets.files.package import parse_cell_name

    sheet, _, name = cell.partition("!")
    return (sheet, *parse_cell_name(name))


def ask(sheets: Sheets, path: Path) -> Verdict:
    return validate(write(sheets, path))


@pytest.mark.parametrize("name", BOOKS)
def test_the_book_is_what_the_arithmetic_says(name: str) -> None:
    from elo_sheets.recognise.repair import compute

    ledger = BOOKS[name]()
    values = compute([as_book(ledger.sheets)], "ironcalc", 60)[1][0]
    for cell, rating in ledger.final.items():
        sheet, row, column = key_of(cell)
        assert values[sheet][row, column] == pytest.approx(rating, abs=1e-7), cell


@pytest.mark.parametrize("name", BOOKS)
def test_a_sound_ledger_is_replayed_and_agrees(name: str, tmp_path: Path) -> None:
    ledger = BOOKS[name]()
    verdict = ask(ledger.sheets, tmp_path / "sound.xlsx")
    assert loud(verdict) == []
    assert (verdict.status, verdict.reason) == ("agrees", None)
    assert verdict.games.rated >= 14
    for fact, value in ledger.facts.items():
        assert verdict.facts[fact] == pytest.approx(value), fact


# --- planted faults -----------------------------------------------------------------------------------------


def put(sheet: str, **cells: Value) -> Callable[[Sheets], None]:
    return lambda sheets: sheets[sheet].update(cells)


def swap(sheet: str, column: str, rows: range, old: str, new: str) -> Callable[[Sheets], None]:
    """Replace a text in formulas of a column; # stands for the row."""

    def plant(sheets: Sheets) -> None:
        for row in rows:
            text = str(sheets[sheet][f"{column}{row}"])
            assert old.replace("#", str(row)) in text
            sheets[sheet][f"{column}{row}"] = text.replace(old.replace("#", str(row)), new.replace("#", str(row)))

    return plant


def first_match(sheets: Sheets) -> None:
    for r in range(2, 30):
        low = r - 1 - r % 2
        found = f"INDEX($G$1:$G${low},MATCH(B{r},$B$1:$B${low},0))"
        sheets["Parties"][f"E{r}"] = f"=IFERROR({found},1200)"


FAULTS: list[tuple[str, Callable[[Sheets], None], str, str]] = [
    ("foosball", swap("Games", "O", range(9, 10), "G#+", "H#+"), "ES114", "Games!O9"),
    ("foosball", swap("Games", "M", range(9, 10), "(L#-K#)", "(K#-L#)"), "ES101", "Games!M9"),
    ("foosball", swap("Games", "M", range(2, 16), "(L#-K#)", "(K#-L#)"), "ES101", "Games!M2:M15"),
    ("foosball", swap("Games", "Q", range(2, 16), "I#-", "I#+"), "ES115", "Games!Q2:Q15"),
    ("foosball", swap("Games", "P", range(9, 10), "$U$1", "40"), "ES105", "Games!P9"),
    ("foosball", swap("Games", "G", range(12, 13), "$11", "$7"), "ES125", "Games!G12"),
    ("foosball", put("Games", A9="Anna "), "ES412", "Games!A9"),
    ("Schach", put("Tabelle", G10=1533), "ES201", "Tabelle!G10"),
    ("Schach", put("Tabelle", D12=45659), "ES415", "Tabelle!D12"),
    ("Schach", swap("Tabelle", "G", range(3, 17), "$E#-$D#", "$D#-$E#"), "ES115", "Tabelle!G3:G16"),
    ("tournoi", put("Parties", F9="=G8"), "ES116", "Parties!F9"),
    ("tournoi", put("Parties", D9=2), "ES411", "Parties!D9"),
    ("tournoi", first_match, "ES123", "Parties!E6:E29"),
    ("football", swap("Matches", "I", range(4, 18), "0.5", "0"), "ES104", "Matches!I4:I17"),
    ("football", swap("Matches", "K", range(9, 10), "*J#", ""), "ES108", "Matches!K9"),
    ("football", put("Matches", J9=1), "ES201", "Matches!J9"),
    ("totals", swap("Log", "D", range(12, 13), "G11", "G8"), "ES125", "Log!D12"),
    ("totals", swap("Log", "F", range(2, 16), "=10^(D#/400)", "=10^(E#/400)"), "ES101", "Log!F2:F15"),
    ("mine", put("Meins", D12=1444), "ES201", "Meins!D12"),
    ("mine", swap("Meins", "D", range(9, 10), "=D8+", "=D7+"), "ES106", "Meins!D9"),
]


@pytest.mark.parametrize(("name", "plant", "code", "cell"), FAULTS, ids=[f"{n}-{c}-{w}" for n, _, c, w in FAULTS])
def test_a_planted_fault_is_found_in_its_cell(
    name: str, plant: Callable[[Sheets], None], code: str, cell: str, tmp_path: Path
) -> None:
    sheets = {sheet: dict(cells) for sheet, cells in BOOKS[name]().sheets.items()}
    plant(sheets)
    verdict = ask(sheets, tmp_path / "faulty.xlsx")
    assert verdict.status == "differs"
    assert (code, cell) in loud(verdict)


def test_the_effect_of_a_typed_rating_is_the_difference_that_it_makes(tmp_path: Path) -> None:
    ledger = mine()
    rating, right = 1400.0, 0.0
    for i in range(10):  # rows 3 to 12
        rating += 40 * ((1, 0, 0.5, 1)[i % 4] - share(rating, 1350 + 41 * (i * 7 % 9)))
        right = rating
    ledger.sheets["Meins"]["D12"] = 1444
    finding = next(f for f in ask(ledger.sheets, tmp_path / "typed.xlsx").findings if f.code == "ES201")
    assert finding.expected == pytest.approx(right, abs=1e-6)
    assert finding.effect == pytest.approx(1444 - right, abs=0.01)


def test_a_ledger_that_cannot_be_replayed_is_unchecked_with_the_cell_looked_at(tmp_path: Path) -> None:
    sheets = totals().sheets
    for r in range(2, 6):
        sheets["Now"][f"B{r}"] = str(sheets["Now"][f"B{r}"]).rsplit("-", 1)[0]
    verdict = ask(sheets, tmp_path / "short.xlsx")
    assert verdict.status == "unchecked"
    assert verdict.reason == "Now!B2 shows another rating than the last game gave"


def sided() -> Sheets:
    """White looks among the whites and black among the blacks: right as long as nobody changes sides."""
    cells: dict[str, Value] = {
        c + "1": t for c, t in zip("ABCDEFGH", ["W", "B", "S", "Rw", "Rb", "E", "Nw", "Nb"], strict=True)
    }
    for i in range(14):
        r, low = i + 2, i + 1
        cells |= {f"A{r}": ("Anna", "Bert")[i % 2], f"B{r}": ("Cora", "Dave")[i // 2 % 2], f"C{r}": (1, 0, 0.5)[i % 3]}
        cells[f"D{r}"] = f"=IFERROR(LOOKUP(2,1/($A$1:$A{low}=A{r}),$G$1:$G{low}),1500)"
        cells[f"E{r}"] = f"=IFERROR(LOOKUP(2,1/($B$1:$B{low}=B{r}),$H$1:$H{low}),1500)"
        cells[f"F{r}"] = f"=1/(1+10^((E{r}-D{r})/400))"
        cells[f"G{r}"], cells[f"H{r}"] = f"=D{r}+32*(C{r}-F{r})", f"=E{r}-32*(C{r}-F{r})"
    return {"Games": cells}


def test_a_fault_that_the_games_of_today_hide_is_found_by_asking_what_if(tmp_path: Path) -> None:
    verdict = ask(sided(), tmp_path / "sided.xlsx")
    assert verdict.status == "differs"
    finding = next(f for f in verdict.findings if f.severity != NOTE)
    assert (finding.code, finding.severity, finding.confidence) == ("ES123", "warning", "proven")
    assert finding.range.startswith("Games!D") or finding.range.startswith("Games!E")
    assert "right today, but wrong when another player plays a game" in finding.message
    assert finding.effect == 0.0
