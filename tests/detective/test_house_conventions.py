"""What clubs write in their own way and is right, and the slips beside it: letters, weights, losses, cards."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

import pytest
from openpyxl import Workbook
from openpyxl.worksheet.worksheet import Worksheet

from elo_sheets.validate import validate
from elo_sheets.verdict.findings import NOTE, Verdict
from elo_sheets.verdict.report import as_text

SEED = 20261127
PLAYERS = [f"Player {at}" for at in range(1, 7)]
FIRST, LAST = 5, 34
WHITE_WINS = 'IF(D{0}="1-0",1,IF(D{0}="0-1",0,0.5))'

Fill = Callable[[int, Random], Sequence[object]]


def told(book: Workbook, path: Path) -> dict[str, tuple[str, str | None]]:
    """What is told above a note: code and fix by the place; nothing only where the book agrees."""
    verdict = judged(book, path)
    found = {one.range: (one.code, one.fix) for one in verdict.findings if one.severity != NOTE}
    assert found or verdict.status == "agrees", verdict.reason
    return found


def judged(book: Workbook, path: Path) -> Verdict:
    book.save(path)
    return validate(path)


def sheet_of(book: Workbook) -> Worksheet:
    sheet = book.active
    assert isinstance(sheet, Worksheet)
    return sheet


def log(
    results: Sequence[object] = ("1-0", "0-1", "½-½"),
    score: str = WHITE_WINS,
    change: str = "$N$1*({1}-G{0})",
    black: tuple[str, str] = ("-H{0}", "F{0}+I{0}"),
    beside: Sequence[object] = (None,),
) -> Workbook:
    """A log by sums of earlier changes: D holds the result, K another entry; `black` his change and new rating."""
    book, draw = Workbook(), Random(SEED)
    sheet = sheet_of(book)
    sheet.title = "Games"
    sheet["M1"], sheet["N1"] = "K", 24
    for row, who in enumerate(PLAYERS, FIRST):
        sheet[f"P{row}"], sheet[f"Q{row}"] = who, 1400 + 30 * row
    heads = [
        "No.",
        "White",
        "Black",
        "Result",
        "Elo W",
        "Elo B",
        "Expected",
        "+/- W",
        "+/- B",
        "New W",
        "Kind",
        "New B",
    ]
    for column, text in enumerate(heads, 1):
        sheet.cell(FIRST - 1, column, text)
    for r in range(FIRST, LAST + 1):
        one, two = draw.sample(PLAYERS, 2)
        before = [
            f"=VLOOKUP({who}{r},$P$5:$Q$10,2,FALSE)+SUMIF($B$4:$B{r - 1},{who}{r},$H$4:$H{r - 1})"
            f"{'+' if black[1].count('+') else '-'}SUMIF($C$4:$C{r - 1},{who}{r},$I$4:$I{r - 1})"
            for who in "BC"
        ]
        gained = "=" + change.format(r, score.format(r))
        lost, after = ("=" + one.format(r, score.format(r)) for one in black)
        row = [r, one, two, draw.choice(results), *before, f"=1/(1+10^((F{r}-E{r})/400))", gained, lost,
               f"=E{r}+H{r}", draw.choice(beside), after]  # fmt: skip
        for column, value in enumerate(row, 1):
            sheet.cell(r, column, value)
    return book


def test_a_half_may_be_written_as_one_over_two(tmp_path: Path) -> None:
    assert not told(log(("1-0", "0-1", "1/2")), tmp_path / "half.xlsx")


def test_letters_that_no_formula_asks_for_count_as_the_others_do(tmp_path: Path) -> None:
    score = 'IF(D{{0}}="S",1,IF(D{{0}}="{}",0.5,0))'
    assert not told(log("SRN", score.format("R")), tmp_path / "sound.xlsx")
    assert not told(log("SN", score.format("R")), tmp_path / "none drawn.xlsx")
    wrong = told(log("SRN", score.format("U")), tmp_path / "wrong.xlsx")
    assert wrong == {f"Games!H{FIRST}:H{LAST}": ("ES104", None)}


def test_a_friendly_with_a_weight_of_nought_is_no_game_that_counts_wrong(tmp_path: Path) -> None:
    book = log(change="VLOOKUP(K{0},$S$1:$T$3,2,FALSE)*({1}-G{0})", beside=("friendly", "club", "final"))
    for row, (kind, weight) in enumerate((("friendly", 0), ("club", 16), ("final", 32)), 1):
        sheet_of(book)[f"S{row}"], sheet_of(book)[f"T{row}"] = kind, weight
    assert not told(book, tmp_path / "friendly.xlsx")


@pytest.mark.parametrize(("after", "is_right"), [("F{0}-I{0}", True), ("F{0}+I{0}", False)])
def test_the_losers_loss_may_be_a_number_that_is_taken_off(tmp_path: Path, after: str, is_right: bool) -> None:
    loss = "$N$1*({1}-G{0})"
    assert (not told(log(black=(loss, after)), tmp_path / "loss.xlsx")) is is_right


def test_a_win_in_overtime_may_count_less(tmp_path: Path) -> None:
    score = 'IF(D{0}="1-0",IF(K{0}="OT",0.75,1),IF(K{0}="OT",0.25,0))'
    assert not told(log(("1-0", "0-1"), score, beside=("OT", None)), tmp_path / "overtime.xlsx")


def test_a_change_that_counts_twice_on_one_side_is_told_with_the_formula(tmp_path: Path) -> None:
    wrong = told(log(black=("-H{0}", "F{0}+2*I{0}")), tmp_path / "twice.xlsx")
    assert wrong == {f"Games!L{FIRST}:L{LAST}": ("ES115", f"=F{FIRST}+I{FIRST}")}


def test_a_text_on_the_list_is_behind_the_errors_of_the_games(tmp_path: Path) -> None:
    book = log()
    sheet_of(book)["Q7"] = "1610 pts"
    found = told(book, tmp_path / "text.xlsx")
    assert found["Games!Q7"] == ("ES410", None)


def test_an_expectation_that_no_change_reads_is_told(tmp_path: Path) -> None:
    found = told(log(change="$N$1*{1}", black=("$N$1*(1-{1})", "F{0}+I{0}")), tmp_path / "unread.xlsx")
    assert {code for code, _ in found.values()} == {"ES117"}


def test_the_rule_names_k_and_what_it_is_multiplied_by(tmp_path: Path) -> None:
    plain = judged(log(), tmp_path / "plain.xlsx")
    assert (plain.facts["k"], plain.facts["k_from"]) == (24.0, "Games!N1")
    book = log(("1-0", "0-1"), change="$N$1*(1+K{0}/4)*({1}-G{0})", beside=(0, 2, 4))
    verdict = judged(book, tmp_path / "factor.xlsx")
    assert "draw" not in verdict.facts
    assert "K 24; times a factor of 1 to 2, by game; K stands in Games!N1" in as_text(verdict)


def cards(path: Path, k_of_third: int = 0) -> dict[str, tuple[str, str | None]]:
    """Cards of four players below each other, each by the rating and the K of its own heading."""
    book, draw = Workbook(), Random(SEED)
    sheet = sheet_of(book)
    sheet.title = "Cards"
    for card in range(4):
        top = 1 + 12 * card
        sheet[f"A{top}"], sheet[f"D{top}"], sheet[f"F{top}"] = PLAYERS[card], 1600 + 45 * card, 10 * (card + 1)
        sheet[f"C{top}"], sheet[f"E{top}"] = "Rating", "K"
        for column, text in zip("ABCDEF", ("Rd.", "Opponent", "Elo", "Result", "Exp.", "+/-"), strict=True):
            sheet[f"{column}{top + 1}"] = text
        for r in range(top + 2, top + 9):
            if (card, r) == (1, top + 5):
                sheet[f"B{r}"] = "bye"
                continue
            of_k = 1 + 12 * (k_of_third if card == 2 and k_of_third else card)
            row = [r - top - 1, f"Rival {card}{r}", draw.randrange(1400, 1900), draw.choice((0, 0.5, 1)),
                   f"=1/(1+10^((C{r}-D${top})/400))", f"=F${of_k}*(D{r}-E{r})"]  # fmt: skip
            for column, value in enumerate(row, 1):
                sheet.cell(r, column, value)
        sheet[f"A{top + 9}"], sheet[f"F{top + 9}"] = "Sum", f"=SUM(F{top + 2}:F{top + 8})"
        sheet[f"A{top + 10}"], sheet[f"F{top + 10}"] = "New rating", f"=ROUND(D{top}+F{top + 9},0)"
    return told(book, path)


def test_cards_below_each_other_read_each_their_own_heading(tmp_path: Path) -> None:
    assert not cards(tmp_path / "sound.xlsx")
    assert list(cards(tmp_path / "wrong.xlsx", k_of_third=1)) == ["Cards!F27:F33"]


def doubles(path: Path, change: Callable[[Worksheet], None] = lambda sheet: None) -> dict[str, tuple[str, str | None]]:
    """Two against two: the mean of partners stands in one cell, and each has what his side gains."""
    book, draw = Workbook(), Random(SEED)
    sheet = sheet_of(book)
    sheet.title = "Doubles"
    sheet["M1"], sheet["N1"], sheet["O1"] = "K", 32, 1000
    for column, text in enumerate(("No.", "A 1", "A 2", "B 1", "B 2", "H", "G", "Mean A", "Mean B", "Exp.", "+/-"), 1):
        sheet.cell(4, column, text)
    for r in range(FIRST, LAST + 1):

        def own(who: str, r: int = r) -> str:
            sums = (
                f"{sign}SUMIF(${c}$4:${c}{r - 1},{who}{r},$K$4:$K{r - 1})"
                for c, sign in zip("BCDE", "++--", strict=True)
            )
            return "".join(sums)

        goals = draw.sample(range(8), 2)
        means = (f"=$O$1+(0{own(one)}{own(two)})/2" for one, two in ("BC", "DE"))
        row = [r, *draw.sample(PLAYERS, 4), *goals, *means,
               f"=1/(1+10^((I{r}-H{r})/400))", f"=$N$1*(IF(F{r}>G{r},1,0)-J{r})"]  # fmt: skip
        for column, value in enumerate(row, 1):
            sheet.cell(r, column, value)
    change(sheet)
    return told(book, path)


def another_name(sheet: Worksheet) -> None:
    sheet["H20"] = str(sheet["H20"].value).replace("C20", "B20")


def test_the_mean_of_partners_in_one_cell_is_that_of_both(tmp_path: Path) -> None:
    assert not doubles(tmp_path / "sound.xlsx")
    assert list(doubles(tmp_path / "wrong.xlsx", another_name)) == ["Doubles!H20"]


def weekly(path: Path, opens: str = "Week {}") -> dict[str, tuple[str, str | None]]:
    """A sheet a week: a list that sums up points and expectations, and the week's games beside it."""
    book, draw = Workbook(), Random(SEED)
    for week in range(1, 5):
        sheet = sheet_of(book) if week == 1 else book.create_sheet()
        assert isinstance(sheet, Worksheet)
        sheet.title = f"Week {week}"
        heads = [
            "Name",
            "Old",
            "Games",
            "Points",
            "Expected",
            "New",
            None,
            "Home",
            "Away",
            "H",
            "A",
            "R H",
            "R A",
            "E",
            "S",
        ]
        for column, text in enumerate(heads, 1):
            sheet.cell(3, column, text)
        last = 9
        for r, who in enumerate(PLAYERS, 4):
            before = f"=VLOOKUP(A{r},'{opens.format(week - 1)}'!$A$4:$F${last},6,FALSE)"
            points, expected = (
                f"SUMPRODUCT((H$4:H${last}=A{r})*{c}$4:{c}${last})+SUMPRODUCT((I$4:I${last}=A{r})*(1-{c}$4:{c}${last}))"
                for c in "ON"
            )
            row = [who, 1400 + 40 * r if week == 1 else before, f"=COUNTIF(H$4:I${last},A{r})", "=" + points,
                   "=" + expected, f"=B{r}+16*(D{r}-E{r})", None, *draw.sample(PLAYERS, 2),
                   *draw.choice(((3, 0), (3, 1), (3, 2), (0, 3), (1, 3), (2, 3))),
                   *(f"=VLOOKUP({c}{r},$A$4:$B${last},2,FALSE)" for c in "HI"), f"=1/(1+10^((M{r}-L{r})/400))",
                   f"=IF(J{r}>K{r},1,0)"]  # fmt: skip
            for column, value in enumerate(row, 1):
                sheet.cell(r, column, value)
    return told(book, path)


def test_weekly_lists_sum_up_the_games_beside_them(tmp_path: Path) -> None:
    assert not weekly(tmp_path / "sound.xlsx")


@pytest.mark.parametrize(("race", "is_right"), [(6, True), (5, False)])
def test_team_mates_who_never_change_seats_go_on_from_the_race_before(
    tmp_path: Path, race: int, is_right: bool
) -> None:
    book, draw = Workbook(), Random(SEED)
    sheet = sheet_of(book)
    for at in range(1, 9):
        for team in range(4):
            r = 6 * at + team
            above = r - 6 if at != race or is_right else r - 12
            before = [1500, 1500] if at == 1 else [f"=I{above}", f"=J{above}"]
            places = draw.sample(range(1, 9), 2)
            row = [f"Team {team + 1}", f"Driver {2 * team + 1}", f"Driver {2 * team + 2}", *places, *before,
                   f"=1/(1+10^((G{r}-F{r})/400))", f"=F{r}+24*(IF(D{r}<E{r},1,0)-H{r})",
                   f"=G{r}-24*(IF(D{r}<E{r},1,0)-H{r})"]  # fmt: skip
            for column, value in enumerate(row, 1):
                sheet.cell(r, column, value)
        heads = ("Team", "Driver 1", "Driver 2", "Pos 1", "Pos 2", "Elo 1", "Elo 2", "Exp", "New 1", "New 2")
        sheet.cell(6 * at - 2, 1, f"Race {at}")
        for column, text in enumerate(heads, 1):
            sheet.cell(6 * at - 1, column, text)
    assert (not told(book, tmp_path / "mates.xlsx")) is is_right
