"""A pool that counts the margin of a win: for both sides of a game, or by mistake for one."""

from __future__ import annotations

from pathlib import Path

import pytest
from books import Sheets, changed, write

from elo_sheets.files.package import Value
from elo_sheets.validate import validate
from elo_sheets.verdict.findings import NOTE

TEAMS = ("Town 1", "Town 2", "Town 3", "Town 4")
PAIRS = ((0, 1), (2, 3), (1, 2), (3, 0), (0, 2), (1, 3), (2, 1), (3, 2), (1, 0), (0, 3), (2, 0), (3, 1), (0, 1), (2, 3))
GOALS = ((2, 0), (1, 1), (0, 4), (3, 2), (0, 1))
FIRST, LAST = 2, 1 + len(PAIRS)
HEADS = ("Home", "Away", "GH", "GA", "Rh", "Ra", "We", "W", "dH", "dA", "New h", "New a")
START, K_HOME, K_AWAY = 1500.0, 30, 20


def factor(row: int) -> str:
    return f"IF(ABS(C{row}-D{row})<2,1,IF(ABS(C{row}-D{row})=2,1.5,(11+ABS(C{row}-D{row}))/8))"


def pool(inlined: bool) -> Sheets:
    """Changes of both sides, each with a K of its own; the factor in a column, or in both formulas."""
    cells: dict[str, Value] = {f"{c}1": head for c, head in zip("ABCDEFGHIJKL", HEADS, strict=True)}
    cells |= {"O1": "K home", "P1": K_HOME, "O2": "K away", "P2": K_AWAY}
    cells |= {} if inlined else {"M1": "Factor"}
    for i, (home, away) in enumerate(PAIRS):
        r, above = FIRST + i, FIRST + i - 1
        cells |= {f"A{r}": TEAMS[home], f"B{r}": TEAMS[away], f"C{r}": GOALS[i % 5][0], f"D{r}": GOALS[i % 5][1]}
        for column, who in (("E", "A"), ("F", "B")):
            gains = f"SUMIF(A$1:A{above},{who}{r},I$1:I{above})+SUMIF(B$1:B{above},{who}{r},J$1:J{above})"
            cells[f"{column}{r}"] = f"=1500+{gains}"
        by = factor(r) if inlined else f"M{r}"
        cells |= {f"G{r}": f"=1/(1+10^((F{r}-E{r})/400))", f"H{r}": f"=IF(C{r}>D{r},1,IF(C{r}=D{r},0.5,0))"}
        cells |= {f"I{r}": f"=$P$1*{by}*(H{r}-G{r})", f"J{r}": f"=-$P$2*{by}*(H{r}-G{r})"}
        cells |= {f"K{r}": f"=E{r}+I{r}", f"L{r}": f"=F{r}+J{r}"}
        cells |= {} if inlined else {f"M{r}": "=" + factor(r)}
    return {"Pool": cells}


def ratings(visitors: bool) -> list[float]:
    """All new ratings, game by game; without `visitors` the factor is for the side at home alone."""
    now, found = dict.fromkeys(range(4), START), []
    for i, (home, away) in enumerate(PAIRS):
        one, two = GOALS[i % 5]
        by = {0: 1.0, 1: 1.0, 2: 1.5}.get(abs(one - two), (11 + abs(one - two)) / 8)
        surplus = (1.0 if one > two else 0.5 if one == two else 0.0) - 1 / (1 + 10 ** ((now[away] - now[home]) / 400))
        now[home] += K_HOME * by * surplus
        now[away] -= K_AWAY * (by if visitors else 1.0) * surplus
        found += [now[home], now[away]]
    return found


@pytest.mark.parametrize("inlined", [False, True])
def test_a_margin_for_both_sides_is_quiet_whatever_their_k(inlined: bool, tmp_path: Path) -> None:
    verdict = validate(write(pool(inlined), tmp_path / "sound.xlsx"))
    assert [f for f in verdict.findings if f.severity != NOTE] == []
    assert verdict.status == "agrees"


@pytest.mark.parametrize("inlined", [False, True])
def test_a_margin_for_one_side_is_named_on_the_other_with_its_effect(inlined: bool, tmp_path: Path) -> None:
    cells = {f"J{r}": f"=-$P$2*(H{r}-G{r})" for r in range(FIRST, LAST + 1)}
    verdict = validate(write(changed(pool(inlined), **cells), tmp_path / "faulty.xlsx"))
    (found,) = [f for f in verdict.findings if f.severity != NOTE]
    assert (found.code, found.range) == ("ES119", f"Pool!J{FIRST}:J{LAST}")
    differences = [a - b for a, b in zip(ratings(visitors=False), ratings(visitors=True), strict=True)]
    assert found.effect == pytest.approx(max(differences, key=abs), abs=0.01)
