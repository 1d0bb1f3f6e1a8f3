"""A pool in which every player has a K of his own, looked up beside the names."""

from __future__ import annotations

from pathlib import Path

import pytest
from books import Sheets, changed, write

from elo_sheets.files.package import Value
from elo_sheets.validate import validate
from elo_sheets.verdict.findings import NOTE, Finding

NAMES, KS, START = ("Anna", "Bert", "Cora", "Dave"), (40, 10, 20, 30), 1400.0
PAIRS = ((0, 1), (2, 3), (0, 2), (1, 3), (0, 3), (1, 2), (1, 0), (3, 2), (2, 0), (3, 1), (3, 0), (2, 1))
SCORES = (1, 0, 0.5, 1, 1, 0, 0.5, 0, 1, 0, 1, 0.5)
HEADS = ("White", "Black", "Score", "Rw", "Rb", "Kw", "Kb", "E", "Dw", "Db")


def pool() -> Sheets:
    """Rows 2 to 13; a rating before is the start and all changes of the name above."""
    cells: dict[str, Value] = {f"{c}1": head for c, head in zip("ABCDEFGHIJ", HEADS, strict=True)}
    players = {f"M{2 + i}": name for i, name in enumerate(NAMES)} | {f"N{2 + i}": k for i, k in enumerate(KS)}
    cells |= {"M1": "Player", "N1": "K", **players}
    for i, (white, black) in enumerate(PAIRS):
        r, above = 2 + i, 1 + i
        cells |= {f"A{r}": NAMES[white], f"B{r}": NAMES[black], f"C{r}": SCORES[i]}
        for before, factor, who in (("D", "F", "A"), ("E", "G", "B")):
            gains = f"SUMIF(A$1:A{above},{who}{r},I$1:I{above})+SUMIF(B$1:B{above},{who}{r},J$1:J{above})"
            cells[f"{before}{r}"] = f"=1400+{gains}"
            cells[f"{factor}{r}"] = f"=VLOOKUP({who}{r},$M$2:$N$5,2,FALSE)"
        cells[f"H{r}"] = f"=1/(1+10^((E{r}-D{r})/400))"
        cells |= {f"I{r}": f"=F{r}*(C{r}-H{r})", f"J{r}": f"=G{r}*((1-C{r})-(1-H{r}))"}
    return {"Pool": cells}


def ratings(wrong: int | None = None) -> list[float]:
    """The ratings after each game; in the game `wrong` Black's change goes by White's K."""
    now, found = [START] * 4, []
    for i, (white, black) in enumerate(PAIRS):
        surplus = SCORES[i] - 1 / (1 + 10 ** ((now[black] - now[white]) / 400))
        now[white] += KS[white] * surplus
        now[black] -= KS[white if i == wrong else black] * surplus
        found += now
    return found


def loud(sheets: Sheets, folder: Path) -> list[Finding]:
    return [f for f in validate(write(sheets, folder / "book.xlsx")).findings if f.severity != NOTE]


def test_a_k_for_each_player_is_quiet(tmp_path: Path) -> None:
    assert loud(pool(), tmp_path) == []


def test_the_other_sides_k_is_another_k(tmp_path: Path) -> None:
    (found,) = loud(changed(pool(), J6="=F6*((1-C6)-(1-H6))"), tmp_path)
    assert (found.code, found.range) == ("ES120", "Pool!J6")
    differences = [a - b for a, b in zip(ratings(wrong=4), ratings(), strict=True)]
    assert found.effect == pytest.approx(max(differences, key=abs), abs=0.01)
