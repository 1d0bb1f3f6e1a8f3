"""Small books of doubles and of games of many, as clubs keep them: cells by name, formulas with a leading "="."""

from __future__ import annotations

import random

from books import Sheets
from openpyxl.utils import get_column_letter

from elo_sheets.files.package import Value

NAMES = [f"Player {number}" for number in range(1, 8)]
SEATS = ["A1", "A2", "B1", "B2"]
FIRST = 4  # row of the first game


def _columns(cells: dict[str, Value], heads: list[str]) -> dict[str, str]:
    """Write a row of headers, and return the letter of each column."""
    letters = {head: get_column_letter(at) for at, head in enumerate(heads, 1)}
    cells.update({f"{letter}{FIRST - 1}": head for head, letter in letters.items()})
    return letters


def _settings(k: int = 24) -> dict[str, Value]:
    return {"A1": "K", "B1": k, "C1": "Start", "D1": 1500}


def padel(seed: int = 1, games: int = 14) -> Sheets:
    """A game a row: "A / B" in a cell, A or B as who won, a side rated as the sum of two, one change for all."""
    rng, cells = random.Random(seed), _settings()
    c = _columns(
        cells, ["Team A", "Team B", "Winner", *SEATS, *(f"R {s}" for s in SEATS), "A", "B", "E", "S", "Change"]
    )
    for row in range(FIRST, FIRST + games):
        names = rng.sample(NAMES, 4)
        cells |= {f"A{row}": f"{names[0]} / {names[1]}", f"B{row}": f"{names[2]} / {names[3]}"}
        cells |= {f"C{row}": rng.choice("AB")}
        for team, (one, two) in (("A", SEATS[:2]), ("B", SEATS[2:])):
            cells[f"{c[one]}{row}"] = f'=TRIM(LEFT({team}{row},FIND("/",{team}{row})-1))'
            cells[f"{c[two]}{row}"] = f'=TRIM(MID({team}{row},FIND("/",{team}{row})+1,50))'
            cells[f"{c[team]}{row}"] = f"={c['R ' + one]}{row}+{c['R ' + two]}{row}"
        for seat in SEATS:
            terms = (
                f"{sign}SUMIF({c[s]}${FIRST - 1}:{c[s]}{row - 1},{c[seat]}{row},P${FIRST - 1}:P{row - 1})"
                for s, sign in zip(SEATS, "++--", strict=True)
            )
            cells[f"{c['R ' + seat]}{row}"] = "=$D$1" + "".join(terms)
        cells[f"{c['E']}{row}"] = f"=1/(1+10^(({c['B']}{row}-{c['A']}{row})/400))"
        cells[f"{c['S']}{row}"] = f'=IF(C{row}="A",1,0)'
        cells[f"P{row}"] = f"=$B$1*({c['S']}{row}-{c['E']}{row})"
    return {"Padel": cells}


def straight(games: int = 14) -> Sheets:
    """The same with the chance worked out from the four ratings, as means, and no rating of a side."""
    cells = padel(2, games)["Padel"]
    rows = range(FIRST, FIRST + games)
    chances = {f"N{row}": f"=1/(1+10^(((J{row}+K{row})/2-(H{row}+I{row})/2)/400))" for row in rows}
    sides = {f"{column}{row}" for column in "LM" for row in (FIRST - 1, *rows)}
    return {"Padel": {name: value for name, value in {**cells, **chances}.items() if name not in sides}}


def own_k(seed: int = 1, games: int = 14) -> Sheets:
    """A game a row, the winners first, and a change for each player with a K of his own, which a list has."""
    rng, cells = random.Random(seed), _settings()
    _columns(
        cells, ["W1", "W2", "L1", "L2", *(f"R {n}" for n in range(1, 5)), "W", "L", "E", *(f"+{n}" for n in "1234")]
    )
    for row, name in enumerate(NAMES, FIRST):
        cells |= {f"S{row}": name, f"T{row}": rng.randrange(16, 40)}
    last = FIRST + len(NAMES) - 1
    for row in range(FIRST, FIRST + games):
        for name, before, change, player in zip("ABCD", "EFGH", "LMNO", rng.sample(NAMES, 4), strict=True):
            cells[f"{name}{row}"] = player
            cells[f"{before}{row}"] = f"=$D$1+SUMIF($A$3:$D{row - 1},{name}{row},$L$3:$O{row - 1})"
            k = f"INDEX($T${FIRST}:$T${last},MATCH({name}{row},$S${FIRST}:$S${last},0))"
            cells[f"{change}{row}"] = f"={k}*(1-K{row})" if name in "AB" else f"=-{k}*(1-K{row})"
        cells |= {f"I{row}": f"=AVERAGE(E{row}:F{row})", f"J{row}": f"=AVERAGE(G{row}:H{row})"}
        cells[f"K{row}"] = f"=1/(1+10^((J{row}-I{row})/400))"
    return {"Doubles": cells}


def in_sets() -> Sheets:
    """Two rows a game of two sets won, of which some are 2-0 and most are 2-1."""
    return two_rows(4, 24, sets=True)


def two_rows(seed: int = 1, games: int = 10, sets: bool = False) -> Sheets:
    """Two rows a game, a side in each: both names, goals or sets, both ratings, the side's mean."""
    rng, cells = random.Random(seed), _settings()
    _columns(cells, ["Game", "One", "Two", "Goals", "R1", "R2", "Team", "E", "S", "Change"])
    for game in range(games):
        names, goals, top = rng.sample(NAMES, 4), [10, rng.randint(0, 9)], FIRST + 2 * game
        goals = [2, int(game % 12 > 0)] if sets else goals
        rng.shuffle(goals)
        for row, other, side in ((top, top + 1, 0), (top + 1, top, 1)):
            cells |= {f"A{row}": game + 1, f"B{row}": names[2 * side], f"C{row}": names[2 * side + 1]}
            cells[f"D{row}"] = goals[side]
            for rating, name in (("E", "B"), ("F", "C")):
                sums = (f"+SUMIF({n}$3:{n}{top - 1},{name}{row},J$3:J{top - 1})" for n in "BC")
                cells[f"{rating}{row}"] = "=$D$1" + "".join(sums)
            cells |= {f"G{row}": f"=AVERAGE(E{row}:F{row})", f"H{row}": f"=1/(1+10^((G{other}-G{row})/400))"}
            cells |= {f"I{row}": f"=IF(D{row}>D{other},1,IF(D{row}=D{other},0.5,0))"}
            cells |= {f"J{row}": f"=$B$1*(I{row}-H{row})"}
    return {"Foosball": cells}


def strongest(seed: int = 1, games: int = 12) -> Sheets:
    """A game a row, four names and a change for each: one side rated as its strongest, the other as the mean."""
    rng, cells = random.Random(seed), _settings()
    heads = [*SEATS, "Goals A", "Goals B", *(f"R {seat}" for seat in SEATS), "A", "B", "E", *(f"+ {s}" for s in SEATS)]
    _columns(cells, heads)
    for row in range(FIRST, FIRST + games):
        goals = rng.sample([10, rng.randint(0, 9)], 2)
        cells |= {f"{letter}{row}": name for letter, name in zip("ABCD", rng.sample(NAMES, 4), strict=True)}
        cells |= {f"E{row}": goals[0], f"F{row}": goals[1]}
        for rating, name in zip("GHIJ", "ABCD", strict=True):
            cells[f"{rating}{row}"] = f"=$D$1+SUMIF($A$3:$D{row - 1},{name}{row},$N$3:$Q{row - 1})"
        cells |= {f"K{row}": f"=AVERAGE(G{row}:H{row})", f"L{row}": f"=MAX(I{row}:J{row})"}
        cells[f"M{row}"] = f"=1/(1+10^((L{row}-K{row})/400))"
        cells |= {f"N{row}": f"=$B$1*(IF(E{row}>F{row},1,0)-M{row})", f"O{row}": f"=N{row}"}
        cells |= {f"P{row}": f"=-N{row}", f"Q{row}": f"=-N{row}"}
    return {"Foosball": cells}


def strengths(seed: int = 1, games: int = 6) -> Sheets:
    """Games of three to five in rows below each other: the winner takes all, expected by the share of his strength."""
    rng, cells, row = random.Random(seed), _settings(), FIRST - 1
    _columns(cells, ["Game", "Player", "Place", "Before", "Expected", "Score", "Change"])
    for game in range(games):
        names = rng.sample(NAMES, rng.randint(3, 5))
        top, end = row + 1, row + len(names)
        for place, name in rng.sample(list(enumerate(names, 1)), len(names)):
            row += 1
            cells |= {f"A{row}": game + 1, f"B{row}": name, f"C{row}": place}
            cells[f"D{row}"] = f"=$D$1+SUMIF(B$3:B{top - 1},B{row},G$3:G{top - 1})"
            cells[f"E{row}"] = f"=10^(D{row}/400)/SUMPRODUCT(10^(D${top}:D${end}/400))"
            cells[f"F{row}"] = f"=IF(C{row}=1,1,0)"
            cells[f"G{row}"] = f"=$B$1*(F{row}-E{row})"
    return {"Evening": cells}


def foosball(seed: int = 1, games: int = 12) -> Sheets:
    """A game a row, each player expected by the mean of the opponents: four expectations, changes and new ratings."""
    rng, cells = random.Random(seed), _settings()
    c = _columns(cells, [*SEATS, "Goals A", "Goals B", *(f"{kind} {seat}" for kind in "RECN" for seat in SEATS)])
    for row in range(FIRST, FIRST + games):
        cells |= {f"{letter}{row}": name for letter, name in zip("ABCD", rng.sample(NAMES, 4), strict=True)}
        cells |= dict(zip((f"E{row}", f"F{row}"), rng.sample([10, rng.randint(0, 9)], 2), strict=True))
        for name, seat in zip("ABCD", SEATS, strict=True):
            before, share, change = (f"{c[f'{kind} {seat}']}{row}" for kind in "REC")
            one, two = (f"{c[f'R {other}']}{row}" for other in SEATS if other[0] != seat[0])
            own, other = ("E", "F") if seat[0] == "A" else ("F", "E")
            cells[before] = f"=$D$1+SUMIF($A$3:$D{row - 1},{name}{row},${c['C A1']}$3:${c['C B2']}{row - 1})"
            cells[share] = f"=1/(1+10^((({one}+{two})/2-{before})/400))"
            cells[change] = f"=$B$1*(IF({own}{row}>{other}{row},1,0)-{share})"
            cells[f"{c[f'N {seat}']}{row}"] = f"={before}+{change}"
    return {"Foosball": cells}


def in_a_row(seed: int = 1, games: int = 10, size: int = 4) -> Sheets:
    """A game a row: the players in the order of their places, each against each, divided by the number of opponents."""
    rng, cells, seats = random.Random(seed), _settings(), range(size)
    c = _columns(cells, [*(f"{kind}{seat}" for kind in ("Place ", "Elo ", "E", "+") for seat in seats)])
    for row in range(FIRST, FIRST + games):
        names = rng.sample(NAMES, size)
        for seat in seats:
            before, share, name = (f"{c[f'{kind}{seat}']}{row}" for kind in ("Elo ", "E", "Place "))
            others = (f"1/(1+10^(({c[f'Elo {other}']}{row}-{before})/400))" for other in seats if other != seat)
            cells[name] = names[seat]
            cells[before] = f"=$D$1+SUMIF($A$3:$D{row - 1},{name},$M$3:$P{row - 1})"
            cells[share] = "=" + "+".join(others)
            cells[f"{c[f'+{seat}']}{row}"] = f"=$B$1*({size - 1 - seat}-{share})/{size - 1}"
    return {"Evening": cells}


def winner_takes(seed: int = 1, games: int = 10) -> Sheets:
    """A game a row: the winner first, and each of the others pays what a game lost against him costs."""
    rng, cells = random.Random(seed), _settings()
    _columns(cells, ["Winner", "Loser 1", "Loser 2", "Elo", "Elo 1", "Elo 2", "Gain", "Loss 1", "Loss 2"])
    for row in range(FIRST, FIRST + games):
        for name, before, player in zip("ABC", "DEF", rng.sample(NAMES, 3), strict=True):
            cells |= {f"{name}{row}": player}
            cells[f"{before}{row}"] = f"=$D$1+SUMIF($A$3:$C{row - 1},{name}{row},$G$3:$I{row - 1})"
        cells |= {f"{loss}{row}": f"=-$B$1/(1+10^((D{row}-{own}{row})/400))" for loss, own in (("H", "E"), ("I", "F"))}
        cells[f"G{row}"] = f"=-SUM(H{row}:I{row})"
    return {"Night": cells}
