"""What a log states and its games do not follow: results, a K, an edge that counts twice, a K by the wrong player."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from openpyxl import Workbook, load_workbook

from elo_sheets.validate import validate
from elo_sheets.verdict.findings import NOTE

FIRST, GAMES = 6, 18
LAST = FIRST + GAMES - 1
PLAYERS = [f"Player {number}" for number in range(1, 6)]
COLUMNS = {
    "D": "=VLOOKUP(A{r},Players!$A$2:$B$6,2,FALSE)+SUMIF($A$5:$A{p},A{r},$J$5:$J{p})+SUMIF($B$5:$B{p},A{r},$K$5:$K{p})",
    "E": "=VLOOKUP(B{r},Players!$A$2:$B$6,2,FALSE)+SUMIF($A$5:$A{p},B{r},$J$5:$J{p})+SUMIF($B$5:$B{p},B{r},$K$5:$K{p})",
    "F": "=C{r}",
    "G": "=1/(1+10^((E{r}-D{r}-$B$3)/$B$2))",
    "H": "=1-G{r}",
    "J": "=$B$1*(F{r}-G{r})",
    "K": "=$B$1*((1-F{r})-H{r})",
    "L": "=D{r}+J{r}",
    "M": "=E{r}+K{r}",
}
COUNTED = "=IF(COUNTIF($A$5:$A{p},%s{r})+COUNTIF($B$5:$B{p},%s{r})<4,40,20)"
BY_GAMES = {
    "N": COUNTED % ("A", "A"),
    "O": COUNTED % ("B", "B"),
    "J": "=N{r}*(F{r}-G{r})",
    "K": "=O{r}*((1-F{r})-H{r})",
}
BY_RATING = BY_GAMES | {"N": "=IF(D{r}>=1540,20,IF(D{r}>=1500,30,40))", "O": "=IF(E{r}>=1540,20,IF(E{r}>=1500,30,40))"}
DIFFERENCE = {"I": "=F{r}-G{r}", "J": "=$B$1*I{r}"}


def log(path: Path, changed: dict[str, str], results: tuple[float, ...] = (1, 0, 0.5)) -> Path:
    """A log whose ratings are sums of earlier changes, with some of its columns `changed`."""
    book, dice = Workbook(), random.Random(1)
    sheet, players = book.worksheets[0], book.create_sheet("Players")
    sheet.title = "Games"
    players.append(["Player", "Start"])
    for at, name in enumerate(PLAYERS):
        players.append([name, 1500 + 20 * at])
    for row in (("K", 20), ("Scale", 400), ("Home bonus", 60)):
        sheet.append(row)
    columns = COLUMNS | changed
    for column in "ABC", columns:
        for one in column:
            sheet[f"{one}5"] = f"Column {one}"
    for row in range(FIRST, LAST + 1):
        for column, value in zip("ABC", (*dice.sample(PLAYERS, 2), dice.choice(results)), strict=True):
            sheet[f"{column}{row}"] = value
        for column, text in columns.items():
            sheet[f"{column}{row}"] = text.format(r=row, p=row - 1)
    book.save(path)
    return path


SOUND = {
    "plain": ({}, (1, 0, 0.5)),
    "with a column of what is above the expectation": (DIFFERENCE, (1, 0, 0.5)),
    "of which every game was won at home": (DIFFERENCE, (1,)),
    "with a K by the number of games": (BY_GAMES, (1, 0, 0.5)),
    "with a K by the player's rating": (BY_RATING, (1, 0, 0.5)),
    "with chances in hundredths": ({"G": "=ROUND(1/(1+10^((E{r}-D{r}-$B$3)/$B$2)),2)"}, (1, 0, 0.5)),
    "with the bonus in halves": ({"G": "=1/(1+10^((E{r}-$B$3/2-D{r}-$B$3/2)/$B$2))"}, (1, 0)),
}


@pytest.mark.parametrize(("changed", "results"), SOUND.values(), ids=SOUND)
def test_a_sound_log_agrees(tmp_path: Path, changed: dict[str, str], results: tuple[float, ...]) -> None:
    verdict = validate(log(tmp_path / "sound.xlsx", changed, results))
    assert (verdict.status, [one for one in verdict.findings if one.severity != NOTE]) == ("agrees", [])


MIRRORED = "=-J{r}"
WRONG = {
    "the result is not read": (
        {"J": "=$B$1*(1-G{r})", "K": MIRRORED}, "ES127", "J", "=$B$1*(F6-G6)", "the result in Games!C"
    ),
    "a K of 32 beside a cell of 20": (
        {"J": "=32*(F{r}-G{r})", "K": MIRRORED}, "ES105", "J", "=$B$1*(F6-G6)", "nothing reads the K of 20"
    ),
    "a K by the opponent's rating": (
        {**BY_RATING, "N": BY_RATING["O"]}, "ES120", "N", "=IF(D6>=1540,20,IF(D6>=1500,30,40))", "the opponent's rating"
    ),
    "the other side gets half": ({"K": "=-J{r}/2"}, "ES120", "K", "=-J6", "0.5 times"),
    "the bonus counts twice": (
        {"G": "=1/(1+10^((E{r}-D{r}-$B$3-$B$3)/$B$2))"}, "ES108", "G", "=1/(1+10^((E6-D6-$B$3)/$B$2))", "count 2 times"
    ),
    "chances in tenths": (
        {"G": "=ROUND(1/(1+10^((E{r}-D{r}-$B$3)/$B$2)),1)"}, "ES107", "G", "=1/(1+10^((E6-D6-$B$3)/$B$2))", "is rounded"
    ),
    "home bonus for the visitors": (
        {"G": "=1/(1+10^((E{r}-D{r}+$B$3)/$B$2))"}, "ES121", "G", "=1/(1+10^((E6-D6-$B$3)/$B$2))", ""
    ),
    "tenths before K": ({"J": "=$B$1*ROUND(F{r}-G{r},1)", "K": MIRRORED}, "ES107", "J", None, "is rounded"),
    "the opponent's new rating": (
        {"H": "", "K": "=$B$1*((1-F{r})-1/(1+10^((L{r}-E{r}+$B$3)/$B$2)))"},
        "ES106", "K", "=$B$1*(1-F6-1/(1+10^((D6-E6+$B$3)/$B$2)))", "",
    ),
    "every game level": ({"G": "=0.5"}, "ES101", "G", None, "0.5, whatever the ratings"),
    "both ratings of one player": (
        {"E": COLUMNS["D"]}, "ES114", "E",
        "=VLOOKUP(B6,Players!$A$2:$B$6,2,FALSE)+SUMIF($A$5:$A5,B6,$J$5:$J5)+SUMIF($B$5:$B5,B6,$K$5:$K5)", "same name",
    ),
    "a change of five points at most": (
        {"J": "=MIN(5,$B$1*(F{r}-G{r}))", "K": MIRRORED}, "ES118", "J", "=$B$1*(F6-G6)", "a cap"
    ),
    "a K by games of both players": (
        BY_GAMES | {"N": COUNTED % ("A", "B")}, "ES120", "N", None, "on this side of a game"
    ),
    "a K by all games of the log": (
        BY_GAMES | {one: BY_GAMES[one].replace("{p}", f"${LAST}") for one in "NO"},
        "ES120", "", None, "if the games below were not played",
    ),
    "a K by the opponent's games": (
        BY_GAMES | {"N": COUNTED % ("B", "B"), "O": COUNTED % ("A", "A")}, "ES120", "", None, "on this side of a game"
    ),
}  # fmt: skip


@pytest.mark.parametrize(("changed", "code", "column", "fix", "says"), WRONG.values(), ids=WRONG)
def test_what_stands_in_a_book_and_the_games_do_not_follow_is_told(
    tmp_path: Path, changed: dict[str, str], code: str, column: str, fix: str | None, says: str
) -> None:
    verdict = validate(log(tmp_path / "wrong.xlsx", changed))
    assert verdict.status == "differs"
    told = [one for one in verdict.findings if one.severity != NOTE and one.code.startswith(code)]
    assert any(f"Games!{column}" in one.range and says in one.message for one in told), verdict.findings
    if fix is not None:
        assert fix in [one.fix for one in told]


@pytest.mark.parametrize(
    ("last", "told"), [(4, []), (3, [("ES125", "Games!N6:O23", "=VLOOKUP(D6,Players!$D$2:$E$4,2)")])]
)
def test_a_table_that_is_read_without_its_last_line_is_told(
    tmp_path: Path, last: int, told: list[tuple[str, str, str]]
) -> None:
    by_table = {
        "N": f"=VLOOKUP(D{{r}},Players!$D$2:$E${last},2)",
        "O": f"=VLOOKUP(E{{r}},Players!$D$2:$E${last},2)",
    }
    path = log(tmp_path / "table.xlsx", BY_GAMES | by_table)
    book = load_workbook(path)
    for row, line in enumerate(((0, 40), (1500, 30), (1540, 20)), 2):
        book["Players"][f"D{row}"], book["Players"][f"E{row}"] = line
    book.save(path)
    found = validate(path)
    assert [(one.code, one.range, one.fix) for one in found.findings if one.severity != NOTE] == told
    assert found.status == ("differs" if told else "agrees")


def test_a_start_that_lacks_in_a_list_of_settings_is_told(tmp_path: Path) -> None:
    path, book = tmp_path / "wrong.xlsx", Workbook()
    sheet = book.worksheets[0]
    for row in (("K", 20), ("Start 1", 1500), ("Start 2",), (), ("Score", "Expected", "Change", "One", "Two")):
        sheet.append(row)
    one, two = "$B$2", "$B$3"
    for row in range(6, 12):
        sheet.append(
            (row % 2, f"=1/(1+10^(({two}-{one})/400))", f"=$B$1*(A{row}-B{row})", f"={one}+C{row}", f"={two}-C{row}")
        )
        one, two = f"D{row}", f"E{row}"
    book.save(path)
    assert [(one.code, one.range) for one in validate(path).findings if one.severity != NOTE] == [("ES205", "Sheet!B3")]


def test_new_ratings_that_only_show_the_old_ones_are_told(tmp_path: Path) -> None:
    verdict = validate(log(tmp_path / "wrong.xlsx", {"L": "=D{r}", "M": "=E{r}"}))
    assert [(one.code, one.range, one.fix) for one in verdict.findings if one.severity != NOTE] == [
        ("ES126", f"Games!L{FIRST}:M{LAST}", "=D6+J6")
    ]
