"""Small books as strangers write them: cells by name, formulas with a leading "=".

Each function returns sheets of cells; `as_book` makes a `Book` of them, `write` a file. A test changes cells first.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from pathlib import Path

from elo_sheets.files.package import Book, Cell, Value, cell_name, parse_cell_name
from elo_sheets.verdict.findings import NOTE, Verdict

Sheets = dict[str, dict[str, Value]]


def as_book(sheets: Mapping[str, Mapping[str, Value]]) -> Book:
    """Return the sheets as a book in memory, without stored results."""
    book = Book(Path("stranger.xlsx"))
    for name, cells in sheets.items():
        book.sheets[name] = {
            parse_cell_name(place): _cell(value) for place, value in cells.items() if value is not None
        }
    return book


def loud(verdict: Verdict) -> list[tuple[str, str]]:
    """The findings above notes: code and range."""
    return [(f.code, f.range) for f in verdict.findings if f.severity != NOTE]


def _cell(value: Value) -> Cell:
    if isinstance(value, str) and value.startswith("="):
        return Cell(value[1:], None)
    return Cell(None, float(value) if isinstance(value, int) and not isinstance(value, bool) else value)


def write(sheets: Mapping[str, Mapping[str, Value]], path: Path) -> Path:
    """Write the sheets as a workbook file."""
    import openpyxl

    workbook = openpyxl.Workbook()
    workbook.remove(workbook.active)
    for name, cells in sheets.items():
        sheet = workbook.create_sheet(name)
        for place, value in cells.items():
            sheet[place] = value
    workbook.save(path)
    return path


def changed(sheets: Sheets, **cells: Value) -> Sheets:
    """Return the sheets with cells of the first sheet changed; None clears a cell."""
    first, *rest = sheets
    return {first: {**sheets[first], **cells}, **{name: dict(sheets[name]) for name in rest}}


# --- calculators --------------------------------------------------------------------------------------------------


def english_calculator() -> Sheets:
    """Two players below each other; K and scale in cells."""
    return {
        "Elo calculator": {
            "A1": "Elo rating calculator", "A3": "K-factor", "B3": 32, "A4": "Scale", "B4": 400,
            "B6": "Rating", "C6": "Score", "D6": "Expected", "E6": "Change", "F6": "New rating",
            "A7": "Player A", "B7": 1613, "C7": 1, "D7": "=1/(1+10^((B8-B7)/$B$4))", "E7": "=$B$3*(C7-D7)",
            "F7": "=B7+E7",
            "A8": "Player B", "B8": 1477, "C8": "=1-C7", "D8": "=1/(1+10^((B7-B8)/$B$4))", "E8": "=$B$3*(C8-D8)",
            "F8": "=B8+E8",
        }
    }  # fmt: skip


def german_calculator() -> Sheets:
    """Two players side by side, one formula a line, literals, equal ratings."""
    return {
        "Tabelle1": {
            "B2": "Spieler A", "D2": "Spieler B",
            "A3": "Wertung alt", "B3": 1500, "D3": 1500,
            "A4": "Erwartung", "B4": "=1/(1+10^((D3-B3)/400))", "D4": "=1-B4",
            "A5": "Punkte", "B5": 0.5, "D5": 0.5,
            "A6": "Faktor", "B6": 20, "D6": 20,
            "A7": "Wertung neu", "B7": "=B3+B6*(B5-B4)", "D7": "=D3+D6*(D5-D4)",
        }
    }  # fmt: skip


def q_calculator() -> Sheets:
    """The transformed ratings in cells of their own (Q-form), POWER, no change column."""
    return {
        "Sheet1": {
            "A1": "R1", "B1": 2400, "C1": "R2", "D1": 2000,
            "A2": "Q1", "B2": "=POWER(10,B1/400)", "C2": "Q2", "D2": "=POWER(10,D1/400)",
            "A3": "E1", "B3": "=B2/(B2+D2)", "C3": "E2", "D3": "=D2/(B2+D2)",
            "A4": "S1", "B4": 0, "C4": "S2", "D4": 1,
            "A5": "R1'", "B5": "=B1+32*(B4-B3)", "C5": "R2'", "D5": "=D1+32*(D4-D3)",
        }
    }  # fmt: skip


def outcomes_calculator() -> Sheets:
    """What a win, a draw and a loss would do to each of two players; expectation in per cent."""
    return {
        "What if": {
            "A1": "Your rating", "B1": 1820, "A2": "Opponent", "B2": 1905, "A3": "K", "B3": 24,
            "A4": "Win probability", "B4": "=100/(1+10^((B2-B1)/400))", "C4": "%",
            "A6": "", "B6": "Win", "C6": "Draw", "D6": "Loss",
            "A7": "Change", "B7": "=B3*(1-B4/100)", "C7": "=B3*(0.5-B4/100)", "D7": "=B3*(0-B4/100)",
            "A8": "New", "B8": "=B1+B7", "C8": "=B1+C7", "D8": "=B1+D7",
        }
    }  # fmt: skip


def french_calculator() -> Sheets:
    """One player, the result as text, everything in one formula, natural exponential."""
    return {
        "Feuil1": {
            "A1": "Elo du joueur", "B1": 1550, "A2": "Elo de l'adversaire", "B2": 1725, "A3": "Résultat", "B3": "gain",
            "A4": "K", "B4": 40, "A5": "D", "B5": "=B2-B1", "A6": "Espérance", "B6": "=1/(1+EXP(LN(10)*B5/400))",
            "A7": "Score", "B7": '=IF(B3="gain",1,IF(B3="nul",0.5,0))',
            "A8": "Nouvel Elo", "B8": "=ROUND(B1+B4*(B7-B6),0)",
        }
    }  # fmt: skip


def block_calculator() -> Sheets:
    """Five independent games in a small block, ratings typed beside each."""
    cells: dict[str, Value] = {
        "A1": "Me", "B1": "Opp", "C1": "Result", "D1": "We", "E1": "Diff", "F1": "New", "H1": "K", "I1": 25,
    }  # fmt: skip
    for row, (mine, other, score) in enumerate(
        [(1500, 1430, 1), (1620, 1744, 0.5), (1810, 1800, 0), (1333, 1610, 0), (2015, 1777, 1)], 2
    ):
        cells |= {
            f"A{row}": mine, f"B{row}": other, f"C{row}": score, f"D{row}": f"=1/(1+10^((B{row}-A{row})/400))",
            f"E{row}": f"=$I$1*(C{row}-D{row})", f"F{row}": f"=A{row}+E{row}",
        }  # fmt: skip
    return {"Games": cells}


CALCULATORS: tuple[Callable[[], Sheets], ...] = (
    english_calculator, german_calculator, q_calculator, outcomes_calculator, french_calculator, block_calculator,
)  # fmt: skip

# --- matrices -----------------------------------------------------------------------------------------------------

NAMES = ("Anna", "Ben", "Cleo", "Dan", "Eve", "Finn")


def games(players: int, count: int, seed: int = 7) -> list[tuple[int, int, float]]:
    """Return games as (player, opponent, score), by a seeded choice."""
    dice = random.Random(seed)
    found = []
    for _ in range(count):
        one, other = dice.sample(range(players), 2)
        found.append((one, other, dice.choice([1.0, 1.0, 0.0, 0.0, 0.5])))
    return found


def player_game_matrix(players: int = 5, count: int = 14, *, spanish: bool = False) -> Sheets:
    """One column a player, one row a game: names, score, expectation, then the ratings carried along."""
    header = ["Blancas", "Negras", "Puntos", "Esperado"] if spanish else ["White", "Black", "Score", "Expected"]
    cells: dict[str, Value] = {"A1": "K", "B1": 30, "C1": "Start", "D1": 1200}
    for column, text in enumerate([*header, *NAMES[:players]], 1):
        cells[cell_name(3, column)] = text
    last = cell_name(1, 4 + players)[:-1]
    for column in range(5, 5 + players):
        cells[cell_name(4, column)] = "=$D$1"
    for row, (one, other, score) in enumerate(games(players, count), 5):
        mine = f"INDEX($E{row - 1}:${last}{row - 1},MATCH($A{row},$E$3:${last}$3,0))"
        their = f"INDEX($E{row - 1}:${last}{row - 1},MATCH($B{row},$E$3:${last}$3,0))"
        cells |= {f"A{row}": NAMES[one], f"B{row}": NAMES[other], f"C{row}": score}
        cells[f"D{row}"] = f"=1/(1+10^(({their}-{mine})/400))"
        for column in range(5, 5 + players):
            head, above = cell_name(3, column)[:-1] + "$3", cell_name(row - 1, column)
            cells[cell_name(row, column)] = (
                f"={above}+IF({head}=$A{row},$B$1*($C{row}-$D{row}),IF({head}=$B{row},$B$1*($D{row}-$C{row}),0))"
            )
    return {"Ratings": cells}


def winner_loser_matrix(players: int = 5) -> Sheets:
    """Wins of the row player over the column player; rating, expected wins and new rating beside it."""
    dice = random.Random(3)
    cells: dict[str, Value] = {"A1": "Wins of row over column", "A2": "K", "B2": 16}
    first, last = 5, 4 + players
    ratings, wins = 2 + players, 3 + players  # columns behind the matrix
    r, w, g, e, n = (cell_name(1, column)[:-1] for column in range(ratings, ratings + 5))
    m1, m2 = "B", cell_name(1, 1 + players)[:-1]
    for text, column in zip(("Rating", "Wins", "Games", "Expected", "New"), (r, w, g, e, n), strict=True):
        cells[f"{column}4"] = text
    assert wins
    for at in range(players):
        row, column = first + at, cell_name(1, 2 + at)[:-1]
        cells |= {f"A{row}": NAMES[at], f"{column}4": NAMES[at]}
        for other in range(players):
            if other != at:
                cells[cell_name(row, 2 + other)] = dice.randint(0, 6)
        cells[f"{r}{row}"] = 1500 + 37 * at
        cells[f"{w}{row}"] = f"=SUM({m1}{row}:{m2}{row})"
        cells[f"{g}{row}"] = f"={w}{row}+SUM({column}${first}:{column}${last})"
        cells[f"{e}{row}"] = (
            f"=SUMPRODUCT((TRANSPOSE(${m1}{row}:${m2}{row})+{column}${first}:{column}${last})"
            f"/(1+10^((${r}${first}:${r}${last}-{r}{row})/400)))"
        )
        cells[f"{n}{row}"] = f"={r}{row}+$B$2*({w}{row}-{e}{row})"
    return {"Matrix": cells}


def all_pairs_matrix(players: int = 6) -> Sheets:
    """The expectation of the row player against the column player."""
    cells: dict[str, Value] = {"A1": "Win probability"}
    for at in range(players):
        rating = [1720, 1655, 1590, 1480, 1400, 1385][at]
        column = cell_name(1, 3 + at)[:-1]
        cells |= {f"A{3 + at}": NAMES[at], f"B{3 + at}": rating, f"{column}1": NAMES[at], f"{column}2": rating}
    for row in range(3, 3 + players):
        for column in range(3, 3 + players):
            if row != column:
                other = cell_name(2, column)[:-1] + "$2"
                cells[cell_name(row, column)] = f"=1/(1+10^(({other}-$B{row})/400))"
    return {"Pairs": cells}


def all_pairs_list(players: int = 6) -> Sheets:
    """Every pairing in a row, the ratings looked up in a list, expectation of both."""
    cells: dict[str, Value] = {"A1": "Team", "B1": "Elo", "D1": "Home", "E1": "Away", "F1": "P(home)", "G1": "P(away)"}
    for at in range(players):
        cells |= {f"A{2 + at}": NAMES[at], f"B{2 + at}": 1500 + 41 * at}
    row = 2
    for one in range(players):
        for other in range(players):
            if one != other:
                look = [f"VLOOKUP({side}{row},$A$2:$B${1 + players},2,FALSE)" for side in "DE"]
                cells |= {
                    f"D{row}": NAMES[one], f"E{row}": NAMES[other],
                    f"F{row}": f"=1/(1+10^(({look[1]}-{look[0]})/400))", f"G{row}": f"=1-F{row}",
                }  # fmt: skip
                row += 1
    return {"Predictions": cells}


# --- periods and tournaments --------------------------------------------------------------------------------------


def period_book(players: int = 5, months: int = 2) -> Sheets:
    """A sheet a period: the opening list, the games, the sums, the closing list that opens the next sheet."""
    book: Sheets = {}
    for month in range(months):
        cells: dict[str, Value] = {
            "A1": "Player", "B1": "Old", "C1": "Score", "D1": "Expected", "E1": "New", "G1": "White", "H1": "Black",
            "I1": "Result", "J1": "White Elo", "K1": "Black Elo", "L1": "White E", "N1": "K", "O1": 20,
        }  # fmt: skip
        end = 1 + players
        played = games(players, 11, 20 + month)
        last = 1 + len(played)
        for at in range(players):
            row = 2 + at
            cells |= {
                f"A{row}": NAMES[at], f"B{row}": 1400 + 63 * at if month == 0 else f"='Month {month}'!E{row}",
                f"C{row}": f"=SUMIFS($I$2:$I${last},$G$2:$G${last},A{row})+COUNTIFS($H$2:$H${last},A{row})"
                f"-SUMIFS($I$2:$I${last},$H$2:$H${last},A{row})",
                f"D{row}": f"=SUMIFS($L$2:$L${last},$G$2:$G${last},A{row})+COUNTIFS($H$2:$H${last},A{row})"
                f"-SUMIFS($L$2:$L${last},$H$2:$H${last},A{row})",
                f"E{row}": f"=B{row}+$O$1*(C{row}-D{row})",
            }  # fmt: skip
        for row, (one, other, score) in enumerate(played, 2):
            cells |= {
                f"G{row}": NAMES[one], f"H{row}": NAMES[other], f"I{row}": score,
                f"J{row}": f"=VLOOKUP(G{row},$A$2:$B${end},2,FALSE)",
                f"K{row}": f"=VLOOKUP(H{row},$A$2:$B${end},2,FALSE)",
                f"L{row}": f"=1/(1+10^((K{row}-J{row})/400))",
            }  # fmt: skip
        book[f"Month {month + 1}"] = cells
    return book


FIDE_HIGHER = (
    (0, 0.5), (4, 0.51), (11, 0.52), (18, 0.53), (26, 0.54), (33, 0.55), (40, 0.56), (47, 0.57), (54, 0.58), (62, 0.59),
    (69, 0.6), (77, 0.61), (84, 0.62), (92, 0.63), (99, 0.64), (107, 0.65), (114, 0.66), (122, 0.67), (130, 0.68),
    (138, 0.69), (146, 0.7), (154, 0.71), (163, 0.72), (171, 0.73), (180, 0.74), (189, 0.75), (198, 0.76), (207, 0.77),
    (216, 0.78), (226, 0.79), (236, 0.8), (246, 0.81), (257, 0.82), (268, 0.83), (279, 0.84), (291, 0.85), (303, 0.86),
    (316, 0.87), (329, 0.88), (345, 0.89), (358, 0.9), (375, 0.91), (392, 0.92), (412, 0.93), (433, 0.94), (457, 0.95),
    (485, 0.96), (518, 0.97), (560, 0.98), (620, 0.99), (736, 1.0),
)  # fmt: skip


def tournament_book() -> Sheets:
    """One player's tournament by the FIDE table: opponents, results, dp with the 400-point rule, sum, K, new rating."""
    cells: dict[str, Value] = {
        "A1": "My rating", "B1": 1873, "A2": "K", "B2": 20,
        "A4": "Round", "B4": "Opponent", "C4": "Rating", "D4": "D", "E4": "PD", "F4": "Result", "G4": "W-We",
    }  # fmt: skip
    opponents = [(1640, 1), (2105, 0), (1880, 0.5), (1795, 1), (2301, 0), (1411, 1), (1950, 0.5)]
    for row, (rating, score) in enumerate(opponents, 5):
        cells |= {
            f"A{row}": row - 4, f"B{row}": f"Player {row - 4}", f"C{row}": rating,
            f"D{row}": f"=MAX(-400,MIN(400,$B$1-C{row}))",
            f"E{row}": f"=IF(D{row}>=0,VLOOKUP(ABS(D{row}),Table!$A$2:$B$52,2,TRUE),"
            f"1-VLOOKUP(ABS(D{row}),Table!$A$2:$B$52,2,TRUE))",
            f"F{row}": score, f"G{row}": f"=F{row}-E{row}",
        }  # fmt: skip
    cells |= {
        "A13": "Total", "F13": "=SUM(F5:F11)", "G13": "=SUM(G5:G11)", "A14": "Change", "G14": "=ROUND($B$2*G13,0)",
        "A15": "New rating", "G15": "=B1+G14",
        "A16": "Performance", "G16": "=AVERAGE(C5:C11)+400*(2*F13-COUNT(F5:F11))/COUNT(F5:F11)",
    }  # fmt: skip
    table: dict[str, Value] = {"A1": "From", "B1": "Higher"}
    for row, (start, share) in enumerate(FIDE_HIGHER, 2):
        table |= {f"A{row}": start, f"B{row}": share}
    return {"Tournament": cells, "Table": table}


def cross_table(players: int = 5) -> Sheets:
    """A round robin: results in a cross-table, points, expected points and rating change beside it."""
    dice = random.Random(11)
    cells: dict[str, Value] = {"A1": "K", "B1": 15}
    first, last = 4, 3 + players
    m1, m2 = "C", cell_name(1, 2 + players)[:-1]
    points, expected, change, new = (cell_name(1, 3 + players + at)[:-1] for at in range(4))
    cells |= {
        "A3": "Name",
        "B3": "Elo",
        f"{points}3": "Pts",
        f"{expected}3": "We",
        f"{change}3": "+/-",
        f"{new}3": "Elo new",
    }
    results = {(a, b): dice.choice([0, 0.5, 1]) for a in range(players) for b in range(a + 1, players)}
    for at in range(players):
        row = first + at
        cells |= {f"A{row}": NAMES[at], f"B{row}": 2000 - 55 * at, cell_name(3, 3 + at): at + 1}
        for other in range(players):
            if at != other:
                score = results[at, other] if at < other else 1 - results[other, at]
                cells[cell_name(row, 3 + other)] = score
        cells |= {
            f"{points}{row}": f"=SUM({m1}{row}:{m2}{row})",
            f"{expected}{row}": f"=SUMPRODUCT(1/(1+10^(($B${first}:$B${last}-B{row})/400)))-0.5",
            f"{change}{row}": f"=$B$1*({points}{row}-{expected}{row})", f"{new}{row}": f"=B{row}+{change}{row}",
        }  # fmt: skip
    return {"Kreuztabelle": cells}


# --- no Elo, no formulas ------------------------------------------------------------------------------------------


def league_table() -> Sheets:
    """A football table: played, won, drawn, lost, goals, points, sorted by points."""
    cells: dict[str, Value] = {}
    for column, text in enumerate(["Pos", "Team", "P", "W", "D", "L", "GF", "GA", "GD", "Pts"], 1):
        cells[cell_name(1, column)] = text
    rows = [
        (9, 3, 2, 30, 14),
        (8, 2, 4, 25, 17),
        (6, 5, 3, 21, 18),
        (5, 4, 5, 20, 20),
        (3, 3, 8, 14, 27),
        (1, 3, 10, 9, 23),
    ]
    for row, (won, drawn, lost, scored, let_in) in enumerate(rows, 2):
        cells |= {
            f"A{row}": row - 1, f"B{row}": NAMES[row - 2], f"C{row}": f"=D{row}+E{row}+F{row}", f"D{row}": won,
            f"E{row}": drawn, f"F{row}": lost, f"G{row}": scored, f"H{row}": let_in, f"I{row}": f"=G{row}-H{row}",
            f"J{row}": f"=3*D{row}+E{row}",
        }  # fmt: skip
    return {"Liga": cells}


def values_only(count: int = 40, *, k: float = 24, scale: float = 400, digits: int = 2) -> Sheets:
    """A log of games with the ratings before and after as plain values."""
    ratings = dict.fromkeys(NAMES, 1500.0)
    cells: dict[str, Value] = {}
    for column, text in enumerate(["#", "White", "Black", "Score", "Rw", "Rb", "Rw new", "Rb new"], 1):
        cells[cell_name(1, column)] = text
    for row, (one, other, score) in enumerate(games(len(NAMES), count, 5), 2):
        a, b = NAMES[one], NAMES[other]
        expected = 1 / (1 + 10 ** ((ratings[b] - ratings[a]) / scale))
        before = ratings[a], ratings[b]
        change = k * (score - expected)
        ratings[a], ratings[b] = round(before[0] + change, digits), round(before[1] - change, digits)
        line = [row - 1, a, b, score, *before, ratings[a], ratings[b]]
        cells |= {cell_name(row, column): value for column, value in enumerate(line, 1)}
    return {"Log": cells}
