"""Logs with a column for each player: sound ones agree, and what is wrong in them is told in its cells."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from openpyxl import Workbook

from elo_sheets.validate import validate
from elo_sheets.verdict.findings import NOTE, Verdict

PLAYERS = ("Player 1", "Player 2", "Player 3", "Player 4", "Player 5")
COLUMNS = "EFGHI"
HEAD, START, TOP = 3, 4, 5
GAMES = ((0, 1, 1), (2, 3, 0.5), (4, 0, 0), (1, 2, 1), (3, 4, 1), (0, 2, 0), (1, 4, 0.5), (3, 0, 1), (2, 4, 1),
         (4, 1, 0), (0, 3, 0.5), (2, 1, 1), (4, 3, 0), (1, 0, 1))  # fmt: skip
LAST = TOP + len(GAMES) - 1
EXPECTED = "1/(1+10^((SUMIF($E$3:${w}$3,{other}{r},$E{a}:${w}{a})-{c}{a})/400))"
RULE = (
    "={c}{a}+IF({c}$3=$B{r},$B$1*($D{r}-" + EXPECTED.replace("{other}", "$C") + "),"
    "IF({c}$3=$C{r},$B$1*(1-$D{r}-" + EXPECTED.replace("{other}", "$B") + "),0))"
)
RACE = (
    "={c}{a}+IF({p}{r}=\"\",0,$B$1/(COUNT($K{r}:$O{r})-1)*(SUMPRODUCT(($K{r}:$O{r}<>\"\")*($K{r}:$O{r}{than}{p}{r}))"
    "-SUMPRODUCT(($K{r}:$O{r}<>\"\")/(1+10^(($E{a}:$I{a}-{c}{a})/400)))+0.5))"
)  # fmt: skip
PLACES = ((1, 2, 3, None, None), (2, None, 1, 3, 4), (None, 1, 2, None, 3), (4, 3, 2, 1, 5), (1, None, None, 2, 3),
          (3, 1, None, 2, None), (None, 2, 1, 3, 4), (2, 3, 1, None, 4))  # fmt: skip


def ladder(path: Path, wrong: Mapping[str, str]) -> Verdict:
    """Judge the games of five players, with other formulas in some cells."""
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    sheet["A1"], sheet["B1"] = "K", 24
    for column, text in zip("ABCD", ("Evening", "At home", "Guest", "Points"), strict=True):
        sheet[f"{column}{HEAD}"] = text
    for at, (column, name) in enumerate(zip(COLUMNS, PLAYERS, strict=True)):
        sheet[f"{column}{HEAD}"], sheet[f"L{HEAD + at}"], sheet[f"M{HEAD + at}"] = name, name, 1400 + 30 * at
        sheet[f"{column}{START}"] = f"=VLOOKUP({column}$3,$L$3:$M$7,2,FALSE)"
        sheet[f"{column}{LAST + 2}"] = f"={column}{LAST}"
        sheet[f"{column}{LAST + 3}"] = f"=RANK({column}{LAST + 2},$E${LAST + 2}:$I${LAST + 2})"
    for row, (one, two, points) in enumerate(GAMES, TOP):
        for column, value in zip("ABCD", (row // 3, PLAYERS[one], PLAYERS[two], points), strict=True):
            sheet[f"{column}{row}"] = value
        for column in COLUMNS:
            sheet[f"{column}{row}"] = RULE.format(c=column, r=row, a=row - 1, w="I")
    for key, text in wrong.items():
        sheet[key] = text
    book.save(path)
    return validate(path)


def races(path: Path, than: str) -> Verdict:
    """Judge races of three to five players, whose places stand in a column for each."""
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    sheet["A1"], sheet["B1"] = "K", 24
    for column, place, name in zip(COLUMNS, "KLMNO", PLAYERS, strict=True):
        sheet[f"{column}{HEAD}"], sheet[f"{place}{HEAD}"], sheet[f"{column}{START}"] = name, name, 1500
        for row, places in enumerate(PLACES, TOP):
            sheet[f"A{row}"], sheet[f"{place}{row}"] = row - START, places["KLMNO".index(place)]
            sheet[f"{column}{row}"] = RACE.format(c=column, p=place, r=row, a=row - 1, than=than)
    book.save(path)
    return validate(path)


def cells(rows: range, text: str, **more: str) -> dict[str, str]:
    return {f"{c}{row}": text.format(c=c, r=row, a=row - 1, **{"w": "I", **more}) for row in rows for c in COLUMNS}


WRONG = {
    "a row that builds on the one before the last": (
        cells(range(11, 12), RULE.replace("{a}", "9")),
        "ES106", "E11:I11",
    ),
    "another formula from a row on": (
        cells(range(12, LAST + 1), RULE.replace("(1-$D{r}-", "($D{r}-")), "ES127", f"E12:I{LAST}"
    ),
    "ranges without the last player": (cells(range(TOP, LAST + 1), RULE, w="H"), "ES125", f"E{TOP}:I{LAST}"),
    "places among fewer": (
        {f"{c}{LAST + 3}": f"=RANK({c}{LAST + 2},{c}{LAST + 2}:I{LAST + 2})" for c in COLUMNS},
        "ES213", f"F{LAST + 3}:I{LAST + 3}",
    ),
    "a start by the name beside": ({f"G{START}": "=VLOOKUP(F$3,$L$3:$M$7,2,FALSE)"}, "ES106", f"G{START}"),
    "the guest's points are the host's": (
        cells(range(TOP, LAST + 1), RULE.replace("(1-$D{r}-", "($D{r}-")), "ES127", f"E{TOP}:I{LAST}"
    ),
}  # fmt: skip


def test_a_sound_ladder_agrees(tmp_path: Path) -> None:
    verdict = ladder(tmp_path / "ladder.xlsx", {})
    assert (verdict.status, verdict.reason) == ("agrees", None)


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_in_a_ladder_is_told_in_its_cells(tmp_path: Path, name: str) -> None:
    wrong, code, where = WRONG[name]
    verdict = ladder(tmp_path / "ladder.xlsx", wrong)
    said = [one for one in verdict.findings if one.severity != NOTE]
    assert [(one.code, one.range.partition("!")[2], one.fix is not None) for one in said] == [(code, where, True)]


@pytest.mark.parametrize(("than", "status"), [(">", "agrees"), ("<", "differs")])
def test_the_first_place_of_a_race_gains_most(tmp_path: Path, than: str, status: str) -> None:
    assert races(tmp_path / "races.xlsx", than).status == status


def by_hand(path: Path, wrong: Mapping[str, str]) -> Verdict:
    """Judge games in which only the two who play have a cell, with references to the last rating of each."""
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    sheet["A1"], sheet["B1"] = "K", 24
    for column, name in zip(COLUMNS, PLAYERS, strict=True):
        sheet[f"{column}{HEAD}"], sheet[f"{column}{START}"] = name, 1500
    last = dict.fromkeys(COLUMNS, START)
    for row, (one, two, points) in enumerate(GAMES, TOP):
        for column, value in zip("ABCD", (row // 3, PLAYERS[one], PLAYERS[two], points), strict=True):
            sheet[f"{column}{row}"] = value
        own, other = (f"{COLUMNS[at]}{last[COLUMNS[at]]}" for at in (one, two))
        for at, a, b, score in ((one, own, other, f"$D{row}"), (two, other, own, f"(1-$D{row})")):
            sheet[f"{COLUMNS[at]}{row}"] = f"={a}+$B$1*({score}-1/(1+10^(({b}-{a})/400)))"
            last[COLUMNS[at]] = row
    for key, text in wrong.items():
        sheet[key] = text
    book.save(path)
    return validate(path)


def test_games_written_by_hand_follow_both_latest_ratings(tmp_path: Path) -> None:
    verdict = by_hand(tmp_path / "sound.xlsx", {})
    assert (verdict.status, verdict.findings) == ("agrees", ())
    verdict = by_hand(tmp_path / "late.xlsx", {"G16": "=G13+$B$1*($D16-1/(1+10^((F11-G13)/400)))"})
    assert [(one.code, one.range, one.fix) for one in verdict.findings] == [
        ("ES106", "Sheet!G16", "=G13+$B$1*($D16-1/(1+10^((F14-G13)/400)))")
    ]
