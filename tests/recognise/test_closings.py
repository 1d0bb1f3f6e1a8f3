"""Weeks that SUMPRODUCT closes and round robins: replayed, and what their closings leave out."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from books import as_book
from openpyxl import Workbook
from openpyxl.utils import get_column_letter

from elo_sheets.recognise.cells import find_runs, find_suspects
from elo_sheets.recognise.model import Model
from elo_sheets.systems._tables import DIFFERENCE_TABLE, PERFORMANCE_TABLE
from elo_sheets.validate import validate
from elo_sheets.verdict.findings import NOTE, Verdict

NAMES = ("Ada", "Bo", "Cy", "Di", "Ed", "Flo")
FIRST, EACH, WEEKS = 4, 7, 3
ROUNDS = 6
LAST = FIRST + EACH * WEEKS - 1


def loud(verdict: Verdict) -> list[tuple[str, str, str | None]]:
    return [(one.code, one.range, one.fix) for one in verdict.findings if one.severity != NOTE]


def weeks(path: Path, short: int | None = None, stale: int | None = None, goals: str = "") -> Path:
    """Results of three weeks, and the standing after each; `short` sums too few, `stale` reads an older list.

    `goals` is the formula of a score that follows from the goals beside it.
    """
    book, dice = Workbook(), random.Random(11)
    games, list_ = book.worksheets[0], book.create_sheet("Standing")
    games.title = "Results"
    for column, text in enumerate(("Home", "Away", "Points", "R1", "R2", "Chance"), 2):
        games.cell(3, column, text)
    list_["A1"], list_["B1"] = "K", 28
    for row, name in enumerate(NAMES, 6):
        list_.cell(row, 1, name)
        list_.cell(row, 2, 1340 + 90 * (row - 6))
    for week in range(WEEKS):
        top = FIRST + EACH * week
        bottom = top + EACH - 1 - (week == short)
        old, new = get_column_letter(2 + week), 3 + week
        read = get_column_letter(1 + week) if week == stale else old
        for row in range(top, top + EACH):
            one, two = dice.sample(NAMES, 2)
            games.append([week + 1, one, two, dice.choice((0, 0.5, 1))])
            if goals:
                games[f"H{row}"], games[f"I{row}"] = dice.randrange(4), dice.randrange(4)
                games[f"D{row}"] = goals.format(r=row)
            for name, column in (("B", "E"), ("C", "F")):
                games[f"{column}{row}"] = (
                    f"=INDEX(Standing!${read}$6:${read}$11,MATCH({name}{row},Standing!$A$6:$A$11,0))"
                )
            games[f"G{row}"] = f"=1/(1+10^((F{row}-E{row})/400))"
        gain = f"(Results!$D${top}:$D${bottom}-Results!$G${top}:$G${bottom})"
        for row in range(6, 12):
            sides = [f"SUMPRODUCT((Results!${c}${top}:${c}${bottom}=$A{row})*{gain})" for c in "BC"]
            list_.cell(row, new, f"={old}{row}+$B$1*({sides[0]}-{sides[1]})")
    book.save(path)
    return path


@pytest.mark.parametrize("goals", ["", "=IF(H{r}>I{r},1,IF(H{r}=I{r},0.5,0))"])
def test_weeks_are_replayed(tmp_path: Path, goals: str) -> None:
    verdict = validate(weeks(tmp_path / "weeks.xlsx", goals=goals))
    assert (verdict.status, loud(verdict), verdict.games.rated) == ("agrees", [], EACH * WEEKS)
    assert (verdict.facts["players"], verdict.facts["k"]) == (len(NAMES), 28)


def test_a_week_that_leaves_out_its_last_game_is_told(tmp_path: Path) -> None:
    ((code, place, fix),) = loud(validate(weeks(tmp_path / "short.xlsx", short=1)))
    assert (code, place) == ("ES125", "Standing!D6:D11")
    assert fix is not None
    assert "Results!$D$11:$D$17-Results!$G$11:$G$17" in fix


def test_a_week_that_is_rated_by_an_older_list_is_told(tmp_path: Path) -> None:
    ((code, place, fix),) = loud(validate(weeks(tmp_path / "stale.xlsx", stale=2)))
    assert (code, place, fix) == (
        "ES106", f"Results!E18:F{LAST}", "=INDEX(Standing!$D$6:$D$11,MATCH(B18,Standing!$A$6:$A$11,0))",
    )  # fmt: skip


def months(path: Path, odd_k: int | None = None) -> Path:
    """Months on sheets of their own, each closed in whole points; `odd_k` is the K of one player in the second."""
    book, dice = Workbook(), random.Random(4)
    for month in range(3):
        sheet = book.worksheets[0] if month == 0 else book.create_sheet()
        sheet.title = f"Month {month + 1}"
        for column, text in enumerate(
            ("Name", "Old", "Points", "Expected", "K", "New", "", "A", "B", "S", "EA", "EB"), 1
        ):
            sheet.cell(3, column, text)
        for row, name in enumerate(dice.sample(NAMES, 6), 4):
            old = f"=VLOOKUP(A{row},'Month {month}'!$A$4:$F$9,6,FALSE)" if month else 1300 + 85 * row
            sheet[f"A{row}"], sheet[f"B{row}"] = name, old
            sheet[f"C{row}"] = f"=SUMIF($H$4:$H$15,A{row},$J$4:$J$15)+SUMIF($I$4:$I$15,A{row},$M$4:$M$15)"
            sheet[f"D{row}"] = f"=SUMIF($H$4:$H$15,A{row},$K$4:$K$15)+SUMIF($I$4:$I$15,A{row},$L$4:$L$15)"
            sheet[f"E{row}"] = odd_k if odd_k and month == 1 and row == 6 else 20
            sheet[f"F{row}"] = f"=ROUND(B{row}+E{row}*(C{row}-D{row}),0)"
        for row in range(4, 16):
            sheet[f"H{row}"], sheet[f"I{row}"] = dice.sample(NAMES, 2)
            sheet[f"J{row}"], sheet[f"M{row}"] = dice.choice((0, 0.5, 1)), f"=1-J{row}"
            own, other = (f"VLOOKUP({one}{row},$A$4:$B$9,2,FALSE)" for one in "HI")
            sheet[f"K{row}"], sheet[f"L{row}"] = f"=1/(1+10^(({other}-{own})/400))", f"=1-K{row}"
    book.save(path)
    return path


def test_months_in_whole_points_are_replayed_and_a_k_of_one_month_is_told(tmp_path: Path) -> None:
    verdict = validate(months(tmp_path / "months.xlsx"))
    assert (verdict.status, loud(verdict), verdict.games.rated, verdict.facts["k"]) == ("agrees", [], 36, 20)
    assert loud(validate(months(tmp_path / "k.xlsx", 40))) == [("ES120", "'Month 2'!E6", "20")]


LIST = "INDEX($C$4:$C$9,{c}{r})"


def report(path: Path, first: str = LIST) -> Path:
    """Everybody's five rounds in one row each, with the performance by FIDE's table and the new rating.

    `first` gives the rating of the opponent of the first round.
    """
    book, dice = Workbook(), random.Random(2)
    sheet, table = book.worksheets[0], book.create_sheet("dp")
    sheet.title = "Report"
    for per_cent in range(50, 101):
        table.append([per_cent / 100, PERFORMANCE_TABLE[per_cent]])
    scores = {}
    for r, own in enumerate(range(6)):
        for c in range(5):
            other = (c + 1 + own) % 6
            scores[own, other] = 1 - scores[other, own] if (other, own) in scores else dice.choice((0, 0.5, 1))
            sheet.cell(4 + r, 4 + 2 * c, other + 1)
            sheet.cell(4 + r, 5 + 2 * c, scores[own, other])
    for row, name in enumerate(NAMES, 4):
        sheet[f"A{row}"], sheet[f"B{row}"], sheet[f"C{row}"] = row - 3, name, 1700 + 63 * row
        for mark, read in zip("DFHJL", "NOPQR", strict=True):
            sheet[f"{read}{row}"] = "=" + (LIST if read > "N" else first).format(c=mark, r=row, last=row + 5)
        sheet[f"S{row}"] = f"=E{row}+G{row}+I{row}+K{row}+M{row}"
        sheet[f"T{row}"], sheet[f"U{row}"] = f"=AVERAGE(N{row}:R{row})", f"=ROUND(S{row}/5,2)"
        low = f"-VLOOKUP(ROUND(1-U{row},2),dp!$A$1:$B$51,2,FALSE)"
        sheet[f"V{row}"] = f"=IF(U{row}>=0.5,VLOOKUP(U{row},dp!$A$1:$B$51,2,FALSE),{low})"
        sheet[f"W{row}"] = f"=ROUND(T{row}+V{row},0)"
        sheet[f"X{row}"] = f"=SUMPRODUCT(1/(1+10^((N{row}:R{row}-C{row})/400)))"
        sheet[f"Y{row}"], sheet[f"Z{row}"] = f"=20*(S{row}-X{row})", f"=ROUND(C{row}+Y{row},0)"
    book.save(path)
    return path


def test_a_report_of_performances_is_replayed_and_a_list_that_slides_is_told(tmp_path: Path) -> None:
    verdict = validate(report(tmp_path / "report.xlsx"))
    assert (verdict.status, loud(verdict), verdict.games.rated) == ("agrees", [], 15)
    told = loud(validate(report(tmp_path / "slides.xlsx", "INDEX(C{r}:C{last},{c}{r})")))
    assert told == [("ES124", "Report!N4:N9", "=INDEX($C$4:$C$9,D4)")]


def everybody(path: Path, text: bool = False, curve: str = "1/(1+10^(-{lead}/400))") -> Path:
    """A round robin: results, expected scores by a curve, their sums and the new ratings."""
    book, dice, size = Workbook(), random.Random(5), len(NAMES)
    sheet = book.worksheets[0]
    sheet["A1"], sheet["B1"] = "K", 16
    for i, name in enumerate(NAMES):
        row = 4 + i
        sheet.cell(3, 3 + i, i + 1)
        sheet.cell(13, 3 + i, f"=$B${row}")
        for column, value in (
            (1, name),
            (2, 1400 + 70 * i),
            (9, f"=SUM(C{row}:H{row})"),
            (10, f"=SUM(C{row + 10}:H{row + 10})"),
        ):
            sheet.cell(row, column, value)
        sheet.cell(row, 11, f"=$B$1*(I{row}-J{row})")
        sheet.cell(row, 12, f"=B{row}+K{row}")
        for j in range(size):
            if i != j:
                column = get_column_letter(3 + j)
                sheet[f"{column}{row + 10}"] = "=" + curve.format(lead=f"($B{row}-{column}$13)")
            if i < j:
                score = dice.choice((0, 0.5, 1))
                sheet.cell(row, 3 + j, score)
                sheet.cell(4 + j, 3 + i, 1 - score)
    if text:
        column = next(c for c in range(3, 9) if sheet.cell(6, c).value == 1)
        sheet.cell(6, column, "1")
    book.save(path)
    return path


@pytest.mark.parametrize("text", [False, True])
def test_a_round_robin_is_replayed_and_a_result_that_is_text_is_told(tmp_path: Path, text: bool) -> None:
    verdict = validate(everybody(tmp_path / "all.xlsx", text))
    if text:
        assert [code for code, _, _ in loud(verdict)] == ["ES410"]
    else:
        assert (verdict.status, loud(verdict), verdict.games.rated) == ("agrees", [], 15)


@pytest.mark.parametrize(("deviation", "status"), [("(200*SQRT(2))", "agrees"), ("200", "unchecked")])
def test_a_round_robin_by_the_normal_curve_is_replayed(tmp_path: Path, deviation: str, status: str) -> None:
    verdict = validate(everybody(tmp_path / "normal.xlsx", curve="NORMSDIST({lead}/" + deviation + ")"))
    assert (verdict.status, loud(verdict)) == (status, [])


def of_one_sum(path: Path, changed: dict[str, str] | None = None) -> Path:
    """A round robin of one sum of chances a player, with a K by the rating, performances and a row of totals."""
    book, dice, size = Workbook(), random.Random(8), len(NAMES)
    sheet = book.worksheets[0]
    for column, head in zip("ABIJKLMN", ("Name", "Elo", "Points", "Exp.", "K", "Change", "New", "Perf."), strict=True):
        sheet[f"{column}3"] = head
    for i, name in enumerate(NAMES):
        row = 4 + i
        sheet[f"A{row}"], sheet[f"B{row}"] = name, 1505 + 90 * i
        for j in range(i + 1, size):
            score = dice.choice((0, 0.5, 1))
            sheet.cell(row, 3 + j, score)
            sheet.cell(4 + j, 3 + i, 1 - score)
        formulas = {
            "I": "=SUM(C{r}:H{r})", "J": "=SUMPRODUCT(1/(1+10^((B$4:B$9-B{r})/400)))-0.5",
            "K": "=IF(B{r}>=1800,10,IF(B{r}>=1600,20,40))", "L": "=K{r}*(I{r}-J{r})", "M": "=B{r}+L{r}",
            "N": "=(SUM(B$4:B$9)-B{r})/5+400*(I{r}-(5-I{r}))/5",
        }  # fmt: skip
        for column, text in formulas.items():
            late = (changed or {}).get(column) if row >= 7 or column == "N" else None
            sheet[f"{column}{row}"] = (late or text).format(r=row)
    sheet["I10"], sheet["J10"] = "=SUM(I4:I9)", "=SUM(J4:J9)"
    book.save(path)
    return path


def test_a_round_robin_of_one_sum_a_player_is_replayed_with_its_performances_and_totals(tmp_path: Path) -> None:
    verdict = validate(of_one_sum(tmp_path / "all.xlsx"))
    assert (verdict.status, loud(verdict), verdict.games.rated) == ("agrees", [], 15)


def test_a_sum_that_slides_and_a_performance_of_too_many_are_told(tmp_path: Path) -> None:
    slides = {"J": "=SUMPRODUCT(1/(1+10^((B{r}:B$9-B{r})/400)))-0.5"}
    found = loud(validate(of_one_sum(tmp_path / "slides.xlsx", slides)))
    assert found == [("ES125", "Sheet!J7:J9", "=SUMPRODUCT(1/(1+10^((B$4:B$9-B7)/400)))-0.5")]
    found = loud(validate(of_one_sum(tmp_path / "perf.xlsx", {"N": "=SUM(B$4:B$9)/5+400*(I{r}-(5-I{r}))/5"})))
    assert found == [("ES108", "Sheet!N4:N9", None)]


def nights(path: Path, older: int | None = None, short: int | None = None, both: int | None = None) -> Path:
    """Club nights, a sheet each, with a total below the list; `older` begins with the ratings of the night before last,
    `short` leaves the last game out of the points, `both` adds White's points to Black, too.
    """
    book, dice = Workbook(), random.Random(7)
    white = "=SUMIF(A$2:A${end},G{row},{c}$2:{c}${end})"
    plain = white + "+SUMIF(B$2:B${end},G{row},{c}$2:{c}${end})"
    sums = white + "+COUNTIF(B$2:B${end},G{row})-SUMIF(B$2:B${end},G{row},{c}$2:{c}${end})"
    titles = [f"Night {night}" for night in range(1, 5)]
    for night, title in enumerate(titles):
        sheet, last = book.create_sheet(title), 9 + night
        sheet.append(
            ["White", "Black", "Points", "Chance", None, None, "Player", "Before", "Scored", "Expected", "After"]
        )
        for row in range(2, last + 1):
            sheet.append([*dice.sample(NAMES, 2), dice.choice((0, 0.5, 1, 1))])
            own, other = (f"VLOOKUP({c}{row},$G$2:$H$7,2,FALSE)" for c in "AB")
            sheet[f"D{row}"] = f"=1/(1+10^(({other}-{own})/400))"
        for row, name in enumerate(dice.sample(NAMES, len(NAMES)), 2):
            start = titles[night - 1 - (night == older)]
            sheet[f"G{row}"] = name
            sheet[f"H{row}"] = f"=VLOOKUP(G{row},'{start}'!$G$2:$K$7,5,FALSE)" if night else 1150 + 75 * row
            points = plain if night == both else sums
            sheet[f"I{row}"] = points.format(c="C", end=last - (night == short), row=row)
            sheet[f"J{row}"] = sums.format(c="D", end=last, row=row)
            sheet[f"K{row}"] = f"=H{row}+24*(I{row}-J{row})"
        for column in "HIJK":
            sheet[f"{column}8"] = f"=SUM({column}2:{column}7)"
    del book["Sheet"]
    book.save(path)
    return path


def test_nights_with_totals_below_their_lists(tmp_path: Path) -> None:
    assert validate(nights(tmp_path / "right.xlsx")).status == "agrees"
    ((code, place, fix),) = loud(validate(nights(tmp_path / "older.xlsx", older=3)))
    assert (code, place, fix) == ("ES106", "'Night 4'!H2:H7", "=VLOOKUP(G2,'Night 3'!$G$2:$K$7,5,FALSE)")
    ((code, place, fix),) = loud(validate(nights(tmp_path / "short.xlsx", short=2)))
    assert (code, place, fix is not None and "C$2:C$11" in fix) == ("ES125", "'Night 3'!I2:I7", True)
    ((code, place, _),) = loud(validate(nights(tmp_path / "both.xlsx", both=1)))
    assert (code, place) == ("ES115", "'Night 2'!I2:I7")


def test_weeks_between_blanks_that_read_a_column_of_their_own_depart_from_nothing() -> None:
    lengths, cells, row = (5, 7, 5, 4, 6), {}, 2
    for week, length in enumerate(lengths):
        for at in range(row, row + length):
            cells[f"C{at}"] = f"=INDEX(List!{'BCDEF'[week]}$2:{'BCDEF'[week]}$9,MATCH(B{at},List!$A$2:$A$9,0))"
        row += length + 1
    model = Model(as_book({"Games": cells}), {})
    assert find_suspects(model, find_runs(model)) == []
    late = Model(as_book({"Games": {**cells, "C12": cells["C12"].replace("C$", "B$")}}), {})
    assert [one.key for one in find_suspects(late, find_runs(late))] == [("Games", 12, 3)]


def period(*, table: bool = False, unrated: bool = False, games: int = 90) -> Workbook:
    """A list of ten players that the games of a whole season close at once; by FIDE's table with halves as texts."""
    book, dice = Workbook(), random.Random(6)
    log, players = book.worksheets[0], book.create_sheet("List")
    log.title, last, rows = "Games", games + 1, range(2, 12)
    if table:
        steps = book.create_sheet("Table")
        for lead, favourite in zip(DIFFERENCE_TABLE.starts, DIFFERENCE_TABLE.values, strict=True):
            steps.append([lead, favourite, round(1 - favourite, 2)])
    players.append(["Name", "K", "Old", "Points", "Expected", "New"])
    a, b, points, e, of_b = (f"Games!${column}$2:${column}${last}" for column in "ABCFG")
    rated = f"Games!$H$2:$H${last}"
    for row in rows:
        won = f"SUMIF({a},A{row},{points})+COUNTIF({b},A{row})-SUMIF({b},A{row},{points})"
        if table:
            halves = "+".join(f'0.5*COUNTIFS({side},A{row},{points},"½")' for side in (a, b))
            won = f"SUMIF({a},A{row},{points})+COUNTIFS({b},A{row},{points},0)+{halves}"
        elif unrated:
            lost = f"COUNTIFS({b},A{row},{rated},1)-SUMIFS({points},{b},A{row},{rated},1)"
            won = f"SUMIFS({points},{a},A{row},{rated},1)+{lost}"
        expected = f"=SUMIF({a},A{row},{e})+SUMIF({b},A{row},{of_b})"
        new = f'=IF(ISNUMBER(C{row}),ROUND(C{row}+B{row}*(D{row}-E{row}),0),"unr.")'
        old = "unr." if unrated and row == 11 else 1400 + 35 * row
        players.append([f"Player {row - 1}", 40 if row > 8 else 20, old, f"={won}", expected, new])
    log.append(["White", "Black", "Result", "R White", "R Black", "E White", "E Black", "Rated"])
    for row in range(2, last + 1):
        one, two = dice.sample(range(1, 11), 2)
        result = dice.choice((1, 0, "½" if table else 0.5))
        ratings = [f"=VLOOKUP({name}{row},List!$A$2:$C$11,3,FALSE)" for name in "AB"]
        lead = f"MIN(400,ABS(D{row}-E{row}))"
        chance = (
            f"VLOOKUP({lead},Table!$A$1:$C$60,IF(D{row}>=E{row},2,3))" if table else f"1/(1+10^((E{row}-D{row})/400))"
        )
        known = f"AND(ISNUMBER(D{row}),ISNUMBER(E{row}))"
        chances = [f'=IF({known},{chance},"")', f'=IF(F{row}="","",1-F{row})', f'=IF(F{row}="",0,1)']
        log.append([f"Player {one}", f"Player {two}", result, *ratings, *chances])
    return book


@pytest.mark.parametrize("kind", [{}, {"table": True}, {"unrated": True}], ids=["logistic", "table", "unrated"])
def test_a_period_of_many_games_is_replayed(kind: dict[str, bool], tmp_path: Path) -> None:
    book = period(**kind)
    book.save(tmp_path / "sound.xlsx")
    verdict = validate(tmp_path / "sound.xlsx")
    assert (verdict.status, loud(verdict)) == ("agrees", []), verdict.reason
    log = book["Games"]
    log["F40"] = str(log["F40"].value).replace("(E40-D40)", "(D40-E40)").replace("D40>=E40", "E40>=D40")
    book.save(tmp_path / "wrong.xlsx")
    assert "Games!F40" in [where for _, where, _ in loud(validate(tmp_path / "wrong.xlsx"))]


def weekly(path: Path, odd: str = "") -> Path:
    """Standings after each week in one formula a player: his opponents' ratings of the week before are looked up in it.

    The week of `odd` is another one in its column.
    """
    book, dice = Workbook(), random.Random(5)
    games, list_ = book.worksheets[0], book.create_sheet("Standing")
    games.title = "Results"
    games.append(["Week", "Home", "Away", "Legs 1", "Legs 2", "Score"])
    for number in range(EACH * ROUNDS):
        row, (one, two) = number + 2, dice.sample(NAMES, 2)
        legs = (3, dice.randrange(3)) if number % 2 else (dice.randrange(3), 3)
        games.append([number // EACH + 1, one, two, *legs, f"=--(D{row}>E{row})"])
    list_.append(["Name", *range(ROUNDS + 1)])
    last = EACH * ROUNDS + 1
    of = {column: f"Results!${column}$2:${column}${last}" for column in "ABCF"}
    for at, name in enumerate(NAMES):
        row = at + 2
        list_.append([name, 1300 + 50 * at])
        for week in range(ROUNDS):
            old, new = get_column_letter(2 + week), get_column_letter(3 + week)
            called = f"{old}$1" if new == odd else f"{new}$1"
            sides = [
                f"SUMPRODUCT(({of['A']}={called})*({of[own]}=$A{row})*({score}-1/(1+10^((SUMIF($A$2:$A$7,{of[other]},"
                f"{old}$2:{old}$7)-{old}{row})/400))))"
                for own, other, score in (("B", "C", of["F"]), ("C", "B", f"1-{of['F']}"))
            ]
            list_[f"{new}{row}"] = f"={old}{row}+32*({'+'.join(sides)})"
    book.save(path)
    return path


def test_a_standing_of_one_formula_a_player_is_replayed_and_another_week_is_told(tmp_path: Path) -> None:
    assert validate(weekly(tmp_path / "weekly.xlsx")).status == "agrees"
    found = loud(validate(weekly(tmp_path / "odd.xlsx", "D")))
    assert {place for _, place, _ in found} & {"Standing!D2:D7", "Standing!D2"}


def round_robin(path: Path, k: str = "M{row}") -> Path:
    """A round robin whose lower half mirrors the upper one, with performances, a K of each player and new ratings."""
    book, dice = Workbook(), random.Random(6)
    sheet = book.worksheets[0]
    heads = ("Points", "Games", "Mean", "Performance", "K", "Expected", "Change", "New")
    sheet.append(["Player", "Rating", *range(1, 7), *heads])
    for row in range(2, 8):
        results = [None if at == row - 2 else dice.choice((0, 0.5, 1)) if at > row - 2
                   else f"=1-{get_column_letter(row + 1)}{at + 2}" for at in range(6)]  # fmt: skip
        expects = f"=SUMPRODUCT(1/(1+10^(($B$2:$B$7-B{row})/400)))-0.5"
        told = [f"=SUM(C{row}:H{row})", f"=COUNT(C{row}:H{row})", f"=(SUM($B$2:$B$7)-B{row})/J{row}",
                f"=ROUND(K{row}+800*I{row}/J{row}-400,0)", 10 * (1 + row % 3), expects,
                f"={k.format(row=row)}*(I{row}-N{row})", f"=B{row}+O{row}"]  # fmt: skip
        sheet.append([f"Player {row - 1}", 1900 - 30 * row, *results, *told])
    book.save(path)
    return path


def test_a_performance_beside_results_that_mirror_others_is_no_fault(tmp_path: Path) -> None:
    verdict = validate(round_robin(tmp_path / "table.xlsx"))
    assert (verdict.status, loud(verdict)) == ("agrees", [])


def test_the_k_of_the_first_player_for_everybody_is_told(tmp_path: Path) -> None:
    ((code, place, fix),) = loud(validate(round_robin(tmp_path / "table.xlsx", "M$2*COUNT($B$30:$B$31,1)")))
    assert (code, place, fix) == ("ES120", "Sheet!O2:O7", "=M3*COUNT($B$30:$B$31,1)*(I3-N3)")
