"""Cross-tables, tournaments, lists of a month, matrices of chances and league tables as strangers make them.

Every number that a formula shows is an engine's: the books are written without results. What is typed beside, and the
effect of a fault, is worked out here by arithmetic.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from books import FIDE_HIGHER, NAMES, Sheets, write

from elo_sheets.files.package import Value, cell_name
from elo_sheets.validate import validate
from elo_sheets.verdict.findings import NOTE, UNCHECKED, Verdict

Fault = dict[str, Value]  # cells as "Sheet!A1" and what is put there


def crosstable() -> Sheets:
    """German: results in a Kreuztabelle, expectations on a sheet of their own, new number by 800/(E+n)."""
    results = ("-1½011", "0-1½01", "½0-110", "1½0-½1", "010½-½", "0010½-")
    points = {"1": 1.0, "0": 0.0, "½": 0.5}
    cells: dict[str, Value] = {"A1": "Vereinsmeisterschaft", "A2": "Entwicklungskoeffizient", "D2": 15}
    heads = ["Nr.", "Teilnehmer", "DWZ neu", *map(str, range(1, 7)), "Punkte", "We", "DWZ alt", "Differenz", "Leistung"]
    for column, text in enumerate(heads, 1):
        cells[cell_name(4, column)] = text
    chances: dict[str, Value] = {"A1": "Gewinnerwartung"}
    for at, (line, rating) in enumerate(zip(results, (2011, 1876, 1790, 1702, 1655, 1498), strict=True)):
        row, n = 5 + at, 5
        cells |= {f"A{row}": at + 1, f"B{row}": NAMES[at], f"L{row}": rating}
        for other, result in enumerate(line):
            if result in points:
                cells[cell_name(row, 4 + other)] = points[result]
        cells |= {
            f"J{row}": f"=SUM(D{row}:I{row})",
            f"K{row}": f"=SUM(Erwartung!C{3 + at}:H{3 + at})",
            f"M{row}": f"=800/($D$2+COUNT(D{row}:I{row}))*(J{row}-K{row})",
            f"C{row}": f"=L{row}+M{row}",
            f"N{row}": f"=(SUM($L$5:$L$10)-L{row})/{n}+400*(2*J{row}-{n})/{n}",
        }
        chances |= {f"A{3 + at}": f"=Kreuztabelle!B{row}", f"B{3 + at}": f"=Kreuztabelle!L{row}"}
        chances |= {cell_name(2, 3 + at): f"=Kreuztabelle!L{row}", cell_name(1, 3 + at): f"=Kreuztabelle!B{row}"}
        for other in range(6):
            if other != at:
                column = "CDEFGH"[other]
                chances[f"{column}{3 + at}"] = f"=1/(1+10^(({column}$2-$B{3 + at})/400))"
    return {"Kreuztabelle": cells, "Erwartung": chances}


def tournament() -> Sheets:
    """Russian: the performance as Ra + dp, the change as K times a rounded surplus, columns the other way round."""
    cells: dict[str, Value] = {"E1": "Рейтинг", "F1": 2154, "E2": "Коэффициент", "F2": 20}
    for column, text in zip(
        "BCDEFG", ["Очки − ожидание", "Ожидание", "Очки", "Рейтинг", "Соперник", "Тур"], strict=True
    ):
        cells[f"{column}4"] = text
    rounds = [(2230, 0.5), (1987, 1), (2304, 0), (2101, 1), (2188, 0.5), (2045, 1), (2420, 0), (2160, 0.5), (2099, 1)]
    table = "ПоФИДЕ!$A$2:$B$52"
    for row, (rating, score) in enumerate(rounds, 5):
        look = f"VLOOKUP(ABS($F$1-E{row}),{table},2,TRUE)"
        cells |= {
            f"G{row}": row - 4, f"F{row}": f"Соперник {row - 4}", f"E{row}": rating, f"D{row}": score,
            f"C{row}": f"=IF($F$1>=E{row},{look},1-{look})", f"B{row}": f"=D{row}-C{row}",
        }  # fmt: skip
    cells |= {
        "A15": "Итого", "B15": "=SUM(B5:B13)", "C15": "=SUM(C5:C13)", "D15": "=SUM(D5:D13)",
        "A16": "Изменение", "D16": "=ROUND(F2*B15,1)", "A17": "Новый рейтинг", "D17": "=ROUND(F1+D16,0)",
        "A19": "Средний рейтинг", "D19": "=ROUND(AVERAGE(E5:E13),0)", "A20": "Процент", "D20": "=ROUND(100*D15/9,0)",
        "A21": "dp", "D21": "=VLOOKUP(D20,dp!$A$2:$B$102,2,FALSE)", "A22": "Перформанс", "D22": "=D19+D21",
    }  # fmt: skip
    higher: dict[str, Value] = {"A1": "D", "B1": "PD"}
    for row, (start, share) in enumerate(FIDE_HIGHER, 2):
        higher |= {f"A{row}": start, f"B{row}": share}
    performance: dict[str, Value] = {"A1": "%", "B1": "dp"}
    for per_cent in range(101):
        performance |= {f"A{2 + per_cent}": per_cent, f"B{2 + per_cent}": dp(per_cent)}
    return {"Турнир": cells, "ПоФИДЕ": higher, "dp": performance}


def dp(per_cent: int) -> int:
    """The published difference for a score in per cent (FIDE B.02, 8.1.1)."""
    above = (0, 7, 14, 21, 29, 36, 43, 50, 57, 65, 72, 80, 87, 95, 102, 110, 117, 125, 133, 141, 149, 158, 166, 175,
             184, 193, 202, 211, 220, 230, 240, 251, 262, 273, 284, 296, 309, 322, 336, 351, 366, 383, 401, 422, 444,
             470, 501, 538, 589, 677, 800)  # fmt: skip
    return above[per_cent - 50] if per_cent >= 50 else -above[50 - per_cent]


PAIRS = ((0, 1), (2, 3), (4, 5), (1, 2), (3, 4), (5, 0), (0, 2), (1, 3), (2, 4), (3, 5), (4, 0), (5, 1), (0, 3), (1, 4))


def month() -> Sheets:
    """Hungarian: the list of a month, everything summed by SUMPRODUCT over the sheet of games."""
    games: dict[str, Value] = {"A1": "Nap", "B1": "Eredmény", "C1": "Világos", "D1": "Sötét", "E1": "Várható (világos)"}
    last = 1 + len(PAIRS)
    for row, (one, other) in enumerate(PAIRS, 2):
        old = [f"INDEX(Lista!$C$4:$C$9,MATCH({column}{row},Lista!$B$4:$B$9,0))" for column in "CD"]
        games |= {
            f"A{row}": 45300 + row, f"B{row}": (1, 0, 0.5, 1, 1, 0)[row % 6], f"C{row}": NAMES[one],
            f"D{row}": NAMES[other], f"E{row}": f"=1/(1+POWER(10,({old[1]}-{old[0]})/400))",
        }  # fmt: skip
    cells: dict[str, Value] = {"B1": "Havi lista", "H1": "K-tényező", "I1": 25}
    for column, text in zip("BCDEFGH", ["Játékos", "Régi", "Parti", "Pont", "Várt", "Változás", "Új"], strict=True):
        cells[f"{column}3"] = text
    white, black = (f"(Partik!${c}$2:${c}${last}=$B{{0}})" for c in "CD")
    result, share = (f"Partik!${c}$2:${c}${last}" for c in "BE")
    for row in range(4, 10):
        w, b = white.format(row), black.format(row)
        cells |= {
            f"B{row}": NAMES[row - 4], f"C{row}": 1810 - 63 * (row - 4),
            f"D{row}": f"=SUMPRODUCT({w}+{b})", f"E{row}": f"=SUMPRODUCT({w}*{result}+{b}*(1-{result}))",
            f"F{row}": f"=SUMPRODUCT({w}*{share}+{b}*(1-{share}))", f"G{row}": f"=$I$1*(E{row}-F{row})",
            f"H{row}": f"=C{row}+G{row}",
        }  # fmt: skip
    return {"Lista": cells, "Partik": games}


def chances() -> Sheets:
    """Spanish: chances in per cent at home, guests down the side, an advantage in a cell, an average below."""
    cells: dict[str, Value] = {"A1": "Ventaja de campo", "B1": 65, "A3": "Visitante \\ Local"}
    for at in range(7):
        column, rating = cell_name(1, 3 + at)[:-1], (1740, 1702, 1655, 1611, 1590, 1533, 1475)[at]
        cells |= {f"{column}3": f"Club {at + 1}", f"{column}4": rating, f"A{5 + at}": f"Club {at + 1}"}
        cells[f"B{5 + at}"] = rating
        for row in range(5, 12):
            if row != 5 + at:
                cells[f"{column}{row}"] = f"=100/(1+EXP(-LN(10)*({column}$4+$B$1-$B{row})/400))"
        cells[f"{column}12"] = f"=AVERAGE({column}5:{column}11)"
    cells["A12"] = "Media"
    return {"Pronósticos": cells}


def league() -> Sheets:
    """French: a championship with three points for a win, nothing of Elo."""
    cells: dict[str, Value] = {"A1": "Championnat", "K1": "Victoire", "L1": 3, "K2": "Nul", "L2": 1}
    heads = ["Rang", "Équipe", "Pts", "J", "G", "N", "P", "BP", "BC", "Diff"]
    for column, text in enumerate(heads, 1):
        cells[cell_name(4, column)] = text
    rows = [(8, 3, 1, 27, 9), (7, 4, 1, 24, 12), (6, 2, 4, 19, 17), (4, 4, 4, 15, 15), (3, 3, 6, 12, 20),
            (2, 4, 6, 11, 19), (1, 4, 7, 10, 26)]  # fmt: skip
    for row, (won, drawn, lost, scored, let_in) in enumerate(rows, 5):
        cells |= {
            f"A{row}": f"=RANK(C{row},$C$5:$C$11)", f"B{row}": f"Équipe {row - 4}",
            f"C{row}": f"=E{row}*$L$1+F{row}*$L$2", f"D{row}": f"=SUM(E{row}:G{row})", f"E{row}": won,
            f"F{row}": drawn, f"G{row}": lost, f"H{row}": scored,
            f"I{row}": let_in, f"J{row}": f"=H{row}-I{row}",
        }  # fmt: skip
    return {"Classement": cells}


def values() -> Sheets:
    """Spanish: a cross-table as a web page gave it, numbers only."""
    results = ("-1½01", "0-110", "½0-1½", "100-1", "01½0-")
    points = {"1": 1.0, "0": 0.0, "½": 0.5}
    cells: dict[str, Value] = {}
    for column, text in enumerate(["Nº", "Jugador", "Elo", "1", "2", "3", "4", "5", "Puntos"], 1):
        cells[cell_name(1, column)] = text
    for at, line in enumerate(results):
        row = 2 + at
        cells |= {f"A{row}": at + 1, f"B{row}": NAMES[at], f"C{row}": 2105 - 77 * at}
        cells |= {cell_name(row, 4 + i): points[r] for i, r in enumerate(line) if r in points}
        cells[f"I{row}"] = sum(points.get(r, 0.0) for r in line)
    return {"Torneo": cells}


def pool() -> Sheets:
    """Russian: a column a player, the newest game lowest, the change in a cell of its own, one formula for all."""
    cells: dict[str, Value] = {"A1": "K", "B1": 24}
    for column, text in zip("ABCDE", ["Дата", "Победитель", "Проигравший", "Ожидание", "Сдвиг"], strict=True):
        cells[f"{column}3"] = text
    for at, column in enumerate("GHIJ"):
        cells |= {f"{column}3": ("Анна", "Борис", "Вера", "Глеб")[at], f"{column}4": 1300 + 40 * at}
    order = ((0, 1), (2, 3), (1, 2), (3, 0), (0, 2), (1, 3), (2, 0), (3, 1), (1, 0), (3, 2), (2, 1), (0, 3))
    for row, (won, lost) in enumerate(order, 5):
        rating = [f"HLOOKUP({column}{row},$G$3:$J{row - 1},ROW()-3,FALSE)" for column in "BC"]
        cells |= {
            f"A{row}": 45400 + row, f"B{row}": cells[f"{'GHIJ'[won]}3"], f"C{row}": cells[f"{'GHIJ'[lost]}3"],
            f"D{row}": f"=1/(1+10^(({rating[1]}-{rating[0]})/400))", f"E{row}": f"=$B$1*(1-D{row})",
        }  # fmt: skip
        for column in "GHIJ":
            cells[f"{column}{row}"] = (
                f"={column}{row - 1}+IF($B{row}={column}$3,$E{row},IF($C{row}={column}$3,-$E{row},0))"
            )
    return {"Пул": cells}


BOOKS: dict[str, Callable[[], Sheets]] = {
    "crosstable": crosstable, "tournament": tournament, "month": month, "chances": chances, "league": league,
    "values": values, "pool": pool,
}  # fmt: skip


def with_fault(sheets: Sheets, fault: Fault) -> Sheets:
    changed = {name: dict(cells) for name, cells in sheets.items()}
    for place, value in fault.items():
        sheet, _, cell = place.partition("!")
        changed[sheet][cell] = value
    return changed


def loud(verdict: Verdict) -> list[tuple[str, str]]:
    return [(f.code, f.range.replace("'", "")) for f in verdict.findings if f.severity != NOTE]


@pytest.mark.parametrize("name", BOOKS)
def test_a_sound_book_is_quiet(name: str, tmp_path: Path) -> None:
    verdict = validate(write(BOOKS[name](), tmp_path / "book.xlsx"))
    assert loud(verdict) == []
    assert verdict.status != UNCHECKED or verdict.reason


def filled(cells: str, formula: str) -> Fault:
    """The same formula in several cells of a column, "#" for the row, or of a rectangle, "@" for the column too."""
    sheet, _, names = cells.partition("!")
    return {
        f"{sheet}!{name}": formula.replace("#", name.lstrip("ABCDEFGHIJKLMN")).replace("@", name.rstrip("0123456789"))
        for name in names.split()
    }


ALL_BUT_THE_DIAGONAL = " ".join(f"{'CDEFGHI'[i]}{5 + j}" for i in range(7) for j in range(7) if i != j)
OLD = [f"INDEX(Lista!$C$4:$C$9,MATCH({c}#,Lista!$B$4:$B$9,0))" for c in "CD"]
LOOK = "VLOOKUP(ABS($F$1-E9),ПоФИДЕ!$A$2:$B$52,2,TRUE)"
WON = [f"(Partik!${c}$2:${c}$15=$B#)*Partik!$B$2:$B$15" for c in "CD"]
SHORT = "=SUMPRODUCT((Partik!$C$2:$C$12=$B7)*Partik!$B$2:$B$12+(Partik!$D$2:$D$12=$B7)*(1-Partik!$B$2:$B$12))"

FAULTS: list[tuple[str, Fault, str, str]] = [
    ("crosstable", filled("Kreuztabelle!M5 M6 M7 M8 M9 M10", "=800/($D$2+COUNT(D#:I#))*(K#-J#)"),
     "ES101", "Kreuztabelle!M5:M10"),
    ("crosstable", {"Erwartung!G5": "=1/(1+10^(($B5-G$2)/400))"}, "ES101", "Erwartung!G5"),
    ("crosstable", {"Kreuztabelle!K8": "=SUM(Erwartung!C6:G6)"}, "ES125", "Kreuztabelle!K8"),
    ("crosstable", {"Kreuztabelle!C7": "=L7"}, "ES126", "Kreuztabelle!C7"),
    ("crosstable", {"Kreuztabelle!G5": 1}, "ES411", "Kreuztabelle!G5"),
    ("tournament", {"Турнир!B15": "=SUM(B5:B12)"}, "ES125", "Турнир!B15"),
    ("tournament", {"Турнир!C9": f"=IF($F$1<E9,{LOOK},1-{LOOK})"}, "ES113", "Турнир!C9"),
    ("tournament", {"Турнир!D16": "=ROUND(F2*D15,1)"}, "ES117", "Турнир!D16"),
    ("tournament", {"Турнир!D17": "=ROUND(F1,0)"}, "ES126", "Турнир!D17"),
    ("tournament", {"Турнир!D22": "=D19-D21"}, "ES103", "Турнир!D22"),
    ("crosstable", filled("Kreuztabelle!N5 N6 N7 N8 N9 N10", "=(SUM($L$5:$L$10)-L#)/5+400*(5-2*J#)/5"),
     "ES103", "Kreuztabelle!N5:N10"),
    ("tournament", {"dp!B60": 43}, "ES203", "dp!B60"),
    ("month", filled("Lista!G4 G5 G6 G7 G8 G9", "=$I$1*E#"), "ES117", "Lista!G4:G9"),
    ("month", filled("Partik!" + " ".join(f"E{r}" for r in range(2, 16)), f"=1/(1+POWER(10,({OLD[0]}-{OLD[1]})/400))"),
     "ES101", "Partik!E2:E15"),
    ("month", {"Lista!E7": SHORT}, "ES125", "Lista!E7"),
    ("month", filled("Lista!E4 E5 E6 E7 E8 E9", f"=SUMPRODUCT({WON[0]}+{WON[1]})"), "ES115", "Lista!E4:E9"),
    ("month", {"Partik!C5": "Ben "}, "ES412", "Partik!C5"),
    ("month", {"Lista!H8": "=C8+G7"}, "ES106", "Lista!H8"),
    ("chances", {"Pronósticos!E7": 55.5}, "ES201", "Pronósticos!E7"),
    ("chances", {"Pronósticos!F6": "=100/(1+EXP(-LN(10)*(F$4-$B$1-$B6)/400))"}, "ES121", "Pronósticos!F6"),
    ("chances", filled("Pronósticos!" + ALL_BUT_THE_DIAGONAL, "=100/(1+EXP(-(@$4+$B$1-$B#)/400))"),
     "ES111", "Pronósticos!C5:I11"),
    ("chances", {"Pronósticos!G8": None}, "ES202", "Pronósticos!G8"),
    ("league", {"Classement!C7": 18}, "ES201", "Classement!C7"),
    ("league", {"Classement!D9": "=SUM(E9:F9)"}, "ES125", "Classement!D9"),
    ("league", {"Classement!J6": "=I6-H6"}, "ES214", "Classement!J6"),
    ("league", filled("Classement!" + " ".join(f"A{r}" for r in range(5, 12)), "=RANK(C#,$C$5:$C$11,1)"),
     "ES213", "Classement!A5:A11"),
    ("values", {"Torneo!I3": 3.5}, "ES214", "Torneo!I3"),
    ("values", {"Torneo!E4": 1}, "ES411", "Torneo!E4"),
    ("pool", {"Пул!G12": 1399}, "ES201", "Пул!G12"),
    ("pool", {f"Пул!I{r}": f"=I{r - 1}" for r in range(5, 17)}, "ES126", "Пул!I5:I16"),
    ("pool", filled("Пул!" + " ".join(f"E{r}" for r in range(5, 17)), "=$B$1"), "ES117", "Пул!E5:E16"),
    ("pool", {f"Пул!D{r}": f"=1/(1+10^((HLOOKUP(B{r},$G$3:$J{r - 1},ROW()-3,FALSE)-"
              f"HLOOKUP(C{r},$G$3:$J{r - 1},ROW()-3,FALSE))/400))" for r in range(5, 17)}, "ES101", "Пул!D5:D16"),
    ("pool", {"Пул!D11": "=1/(1+10^((HLOOKUP(B11,$G$3:$J10,ROW()-3,FALSE)-HLOOKUP(C11,$G$3:$J10,ROW()-3,FALSE))/400))"},
     "ES101", "Пул!D11"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "fault", "code", "place"), FAULTS, ids=lambda value: value if isinstance(value, str) else ""
)
def test_a_planted_fault_is_found_in_its_cell(name: str, fault: Fault, code: str, place: str, tmp_path: Path) -> None:
    found = loud(validate(write(with_fault(BOOKS[name](), fault), tmp_path / "book.xlsx")))
    assert (code, place) in found
    assert {range_.rpartition("!")[0] for _, range_ in found} == {place.rpartition("!")[0]}


@pytest.mark.parametrize(
    ("cell", "formula", "code", "fix"),
    [
        ("C8", "=E8*$L$1+F8*$L$2+1", "ES214", "=E8*$L$1+F8*$L$2"),
        ("J6", "=I6-H6", "ES214", "=H6-I6"),
        ("C7", "=E7*$L$1-F7*$L$2", "ES214", "=E7*$L$1+F7*$L$2"),
        ("J6", "=H6-I7", "ES106", "=H6-I6"),
        ("D9", "=SUM(E9:F9)", "ES125", "=SUM(E9:G9)"),
        ("C7", 18, "ES201", "=E7*$L$1+F7*$L$2"),
    ],
)
def test_a_wrong_total_of_a_league_is_told_once(cell: str, formula: Value, code: str, fix: str, tmp_path: Path) -> None:
    verdict = validate(write(with_fault(league(), {f"Classement!{cell}": formula}), tmp_path / "book.xlsx"))
    found = [(f.code, f.severity, f.range, f.fix) for f in verdict.findings]
    assert found == [(code, "error", f"Classement!{cell}", fix)]


def test_the_effect_is_what_the_arithmetic_says(tmp_path: Path) -> None:
    fault: Fault = {"Kreuztabelle!K8": "=SUM(Erwartung!C6:G6)"}
    verdict = validate(write(with_fault(crosstable(), fault), tmp_path / "book.xlsx"))
    forgotten = 1 / (1 + 10 ** ((1498 - 1702) / 400))
    assert [f.effect for f in verdict.findings] == [pytest.approx(800 / (15 + 5) * forgotten, abs=1e-9)]


def test_a_performance_of_the_wrong_sign_costs_twice_the_difference(tmp_path: Path) -> None:
    verdict = validate(write(with_fault(tournament(), {"Турнир!D22": "=D19-D21"}), tmp_path / "book.xlsx"))
    found = next(f for f in verdict.findings if f.code == "ES103")
    average = round((2230 + 1987 + 2304 + 2101 + 2188 + 2045 + 2420 + 2160 + 2099) / 9)
    assert (found.expected, found.found, found.effect) == (average + dp(61), average - dp(61), -2 * dp(61))  # 5½ of 9
    assert found.fix == "=D19+D21"


def test_points_that_both_players_get_cost_k_times_what_the_second_should_not_have(tmp_path: Path) -> None:
    fault = filled("Lista!E4 E5 E6 E7 E8 E9", f"=SUMPRODUCT({WON[0]}+{WON[1]})")
    verdict = validate(write(with_fault(month(), fault), tmp_path / "book.xlsx"))
    found = next(f for f in verdict.findings if f.code == "ES115")
    excess = [0.0] * 6
    for row, (_, other) in enumerate(PAIRS, 2):
        result = (1, 0, 0.5, 1, 1, 0)[row % 6]
        excess[other] += result - (1 - result)
    assert found.effect == pytest.approx(25 * max(excess, key=abs), abs=1e-6)


@pytest.mark.parametrize(
    ("chance", "advantage"),
    [
        ("1/(1+10^(($B#-(@$4+$B$1))/400))", 65.0),  # the column's own rating with the bonus
        ("1/(1+10^((@$4-($B#+$B$1))/400))", 65.0),  # the row's own rating with the bonus
        ("1/(1+10^((@$4+$B$1-$B#)/400))", -65.0),  # the row's chance as a guest
        ("1-1/(1+10^((@$4+$B$1-$B#)/400))", 65.0),
    ],
)
def test_an_advantage_is_that_of_the_side_whose_chance_is_shown(chance: str, advantage: float, tmp_path: Path) -> None:
    sheets = with_fault(chances(), filled("Pronósticos!" + ALL_BUT_THE_DIAGONAL, "=" + chance))
    assert validate(write(sheets, tmp_path / "book.xlsx")).facts["advantage"] == advantage


def test_scale_advantage_and_points_are_facts(tmp_path: Path) -> None:
    facts = {
        name: validate(write(BOOKS[name](), tmp_path / f"{name}.xlsx")).facts for name in ("month", "chances", "league")
    }
    assert (facts["month"]["scale"], facts["chances"]["scale"]) == (400.0, 400.0)
    assert facts["chances"]["advantage"] == 65.0
    assert facts["league"]["points"] == "3 for a win, 1 for a draw"
