"""Glicko by sums over a list of games, beside a list of players: no Elo rule puts such sums right."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from openpyxl import Workbook

from elo_sheets.validate import validate
from elo_sheets.verdict.findings import NOTE

PLAYERS = ((1500, 200), (1620, 90), (1410, 250), (1550, 90), (1480, 90), (1700, 120))
GAMES = "25 13 14 46 64 21 41 46 51 64 32 51 31 16 65 14 62 41".split()
FIRST, LAST = 4, 3 + len(GAMES)
COLUMNS = {
    "N": "=VLOOKUP(K{r},$A$4:$C$9,2,FALSE)",
    "O": "=VLOOKUP(K{r},$A$4:$C$9,3,FALSE)",
    "P": "=VLOOKUP(L{r},$A$4:$C$9,2,FALSE)",
    "Q": "=VLOOKUP(L{r},$A$4:$C$9,3,FALSE)",
    "R": "=1/SQRT(1+3*$F$1^2*O{r}^2/PI()^2)",
    "S": "=1/SQRT(1+3*$F$1^2*Q{r}^2/PI()^2)",
    "T": "=1/(1+10^(-S{r}*(N{r}-P{r})/400))",
    "U": "=1/(1+10^(-R{r}*(P{r}-N{r})/400))",
}
TERMS = {"V": "=S{r}*(M{r}-T{r})", "W": "=R{r}*(1-M{r}-U{r})"}


def glicko(path: Path, terms: bool) -> Path:
    """Six players, and what each gained from the games of one period; `terms` stand in columns of the games."""
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    sheet["E1"], sheet["F1"] = "q", "=LN(10)/400"
    heads = zip("ABCDEFGH", ("Player", "r", "RD", "sum g²E(1-E)", "sum g(s-E)", "d²", "new r", "new RD"), strict=True)
    for column, head in (*heads, *zip("KLM", ("White", "Black", "s"), strict=True)):
        sheet[f"{column}3"] = head
    span = {one: f"${one}${FIRST}:${one}${LAST}" for one in "KLMRSTUVW"}
    told = "+".join(
        f"SUMPRODUCT(({span[who]}=A{{r}})*{span[g]}^2*{span[e]}*(1-{span[e]}))" for who, g, e in ("KST", "LRU")
    )
    surprise = (
        f"SUMPRODUCT(({span['K']}=A{{r}})*{span['S']}*({span['M']}-{span['T']}))"
        f"+SUMPRODUCT(({span['L']}=A{{r}})*{span['R']}*(1-{span['M']}-{span['U']}))"
    )
    if terms:
        surprise = f"SUMIF({span['K']},A{{r}},{span['V']})+SUMIF({span['L']},A{{r}},{span['W']})"
    closing = {
        "D": f"={told}",
        "E": f"={surprise}",
        "F": '=IF(D{r}=0,"",1/($F$1^2*D{r}))',
        "G": "=IF(D{r}=0,B{r},B{r}+$F$1/(1/C{r}^2+1/F{r})*E{r})",
        "H": "=IF(D{r}=0,C{r},SQRT(1/(1/C{r}^2+1/F{r})))",
    }
    for row, (rating, deviation) in enumerate(PLAYERS, FIRST):
        sheet[f"A{row}"], sheet[f"B{row}"], sheet[f"C{row}"] = f"Player {row - FIRST + 1}", rating, deviation
        for column, text in closing.items():
            sheet[f"{column}{row}"] = text.format(r=row)
    for row, (white, black) in enumerate(GAMES, FIRST):
        sheet[f"K{row}"], sheet[f"L{row}"] = f"Player {white}", f"Player {black}"
        sheet[f"M{row}"] = (1, 0, 0.5)[row * row % 3]
        for column, text in {**COLUMNS, **(TERMS if terms else {})}.items():
            sheet[f"{column}{row}"] = text.format(r=row)
    book.save(path)
    return path


@pytest.mark.parametrize("terms", [False, True], ids=["sums", "terms"])
def test_glickos_sums_agree_and_are_not_put_right_by_elos(terms: bool, tmp_path: Path) -> None:
    verdict = validate(glicko(tmp_path / "glicko.xlsx", terms))
    assert verdict.status == "agrees", verdict.reason


def periods(path: Path, own: bool) -> Path:
    """A list that two periods of Glicko close, each from a block of its games; `own` reads a player's own deviation."""
    book, dice = Workbook(), random.Random(3)
    closed = book.worksheets[0]
    closed.title, names = "Liste", [f"Player {number}" for number in range(1, 6)]
    closed["B1"], closed["D1"] = "=LN(10)/400", 350
    for row, name in enumerate(names, 3):
        for column, value in enumerate((name, 1400 + 45 * row, 60 + 30 * row), 1):
            closed.cell(row, column, value)
    for period, (rating, deviation) in enumerate((("B", "C"), ("D", "E")), 1):
        block = book.create_sheet(f"Block{period}")
        block.append(["Player", "Opponent", "Points", "r", "r opp", "RD opp", "g", "E", "weight", "gain"])
        pairs = [dice.sample(names, 2) for _ in range(7)]
        for row, (one, other) in zip(range(2, 16, 2), pairs, strict=True):
            score = dice.choice((0, 0.5, 1))
            for at, (a, b, points) in enumerate(((one, other, score), (other, one, 1 - score)), row):
                whose = "A" if own and period == 2 else "B"
                look_ups = (("A", rating), ("B", rating), (whose, deviation))
                own_r, other_r, rd = (
                    f"INDEX(Liste!${column}$3:${column}$7,MATCH({cell}{at},Liste!$A$3:$A$7,0))"
                    for cell, column in look_ups
                )
                block.append([a, b, points, f"={own_r}", f"={other_r}", f"=MIN(Liste!$D$1,{rd})"])
                block[f"G{at}"] = f"=1/SQRT(1+3*Liste!$B$1^2*F{at}^2/PI()^2)"
                block[f"H{at}"] = f"=1/(1+10^(-G{at}*(D{at}-E{at})/400))"
                block[f"I{at}"], block[f"J{at}"] = f"=G{at}^2*H{at}*(1-H{at})", f"=G{at}*(C{at}-H{at})"
        for row in range(3, 8):
            weight, gain = (f"SUMIF(Block{period}!$A$2:$A$15,$A{row},Block{period}!${c}$2:${c}$15)" for c in "IJ")
            precision = f"1/{deviation}{row}^2+$B$1^2*{weight}"
            closed.cell(row, 2 * period + 2, f"={rating}{row}+$B$1/({precision})*{gain}")
            closed.cell(row, 2 * period + 3, f"=SQRT(1/({precision}))")
    book.save(path)
    return path


def test_ratings_that_deviations_of_other_sheets_close_agree(tmp_path: Path) -> None:
    assert validate(periods(tmp_path / "periods.xlsx", False)).status == "agrees"


def test_the_players_own_deviation_in_the_place_of_his_opponents_is_told_with_its_period(tmp_path: Path) -> None:
    verdict = validate(periods(tmp_path / "periods.xlsx", True))
    (told,) = [one for one in verdict.findings if one.severity != NOTE]
    assert (told.code, told.range) == ("ES106", "Block2!F2:F15")
    assert told.fix == "=MIN(Liste!$D$1,INDEX(Liste!$E$3:$E$7,MATCH(B2,Liste!$A$3:$A$7,0)))"
