"""Glicko by sums over a list of games, beside a list of players: no Elo rule puts such sums right."""

from __future__ import annotations

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
def test_glickos_sums_are_not_put_right_by_elos(terms: bool, tmp_path: Path) -> None:
    verdict = validate(glicko(tmp_path / "glicko.xlsx", terms))
    assert [one for one in verdict.findings if one.severity != NOTE] == []
    assert verdict.status == "unchecked"
