"""Layouts that clubs use and that are no fault: lists of rated members, byes, sums of partners, legs, seasons, rounds.

Each sound book stays unaccused, and with one mistake that cell is told.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from books import Sheets, write

from elo_sheets.validate import validate
from elo_sheets.verdict.findings import NOTE

PLAYERS = ("Ada", "Ben", "Cleo", "Dora", "Emil")
Book = Callable[[bool], Sheets]


def pairs(count: int) -> Iterator[tuple[int, str, str]]:
    """Games of changing players: a number, the first and the second."""
    for at in range(count):
        one = at % len(PLAYERS)
        yield at, PLAYERS[one], PLAYERS[(one + 1 + at // len(PLAYERS) % 3) % len(PLAYERS)]


def earlier(row: int, name: str, first: str = "1500") -> str:
    """What a player starts from and the changes of the rows above, in columns G and H, of the names in A and B."""
    above = f"$1:{{}}{row - 1}"
    sums = [f"SUMIF({n}{above.format(n)},{name}{row},{c}{above.format(c)})" for n, c in (("A", "G"), ("B", "H"))]
    return f"{first}+{sums[0]}+{sums[1]}"


def log(count: int = 25) -> dict[str, object]:
    """A log by sums of earlier changes: names, score, ratings, expected score, changes of both; K in K1."""
    cells: dict[str, object] = {"J1": "K", "K1": 24}
    for column, head in zip("ABCDEFGH", ("One", "Two", "Score", "R1", "R2", "Exp", "Ch1", "Ch2"), strict=True):
        cells[f"{column}1"] = head
    for at, one, two in pairs(count):
        r = at + 2
        cells |= {f"A{r}": one, f"B{r}": two, f"C{r}": (1, 0, 0.5, 1)[at % 4]}
        cells |= {f"D{r}": "=" + earlier(r, "A"), f"E{r}": "=" + earlier(r, "B")}
        cells |= {f"F{r}": f"=1/(1+10^((E{r}-D{r})/400))", f"G{r}": f"=$K$1*(C{r}-F{r})", f"H{r}": f"=-G{r}"}
    return cells


def points_of_both(wrong: bool) -> Sheets:
    """The points of both are typed; a mistake: the second's change goes by the first's expected score."""
    cells = log()
    cells |= {"L1": "Score 2"}
    for r in range(2, 27):
        cells[f"I{r}"] = 1 - cells[f"C{r}"]  # type: ignore[operator]
        cells[f"H{r}"] = f"=$K$1*(I{r}-{f'F{r}' if wrong and r > 14 else f'(1-F{r})'})"
    return {"Games": cells}  # type: ignore[dict-item]


def members(wrong: bool) -> Sheets:
    """Two guests stand on no list of members, and start from 1400; a mistake: a member's name has a letter too many."""
    cells = log()
    for at, name in enumerate(PLAYERS[:3]):
        cells |= {f"M{at + 2}": name, f"N{at + 2}": 1500 + 40 * at}
    for r in range(2, 27):
        for name, to in (("A", "D"), ("B", "E")):
            cells[f"{to}{r}"] = "=" + earlier(r, name, f"IFERROR(VLOOKUP({name}{r},$M$2:$N$4,2,FALSE),1400)")
    if wrong:
        cells["A12"] = "Adaa"
    return {"Games": cells}  # type: ignore[dict-item]


def legs(wrong: bool) -> Sheets:
    """Legs of both decide by ">"; a mistake: in three rows K slides down the settings."""
    cells = log()
    cells |= {"J2": "Best of", "K2": 5, "I1": "Legs 2"}
    for r in range(2, 27):
        won = cells[f"C{r}"] != 0
        cells |= {f"C{r}": 3 if won else r % 3, f"I{r}": r % 3 if won else 3}
        k = "K$2" if wrong and r in (11, 12) else "$K$1"
        cells[f"G{r}"] = f"={k}*(IF(C{r}>I{r},1,0)-F{r})"
    return {"Games": cells}  # type: ignore[dict-item]


def seasons(wrong: bool) -> Sheets:
    """A side at home; each season starts half the way back to 1500. A mistake: home counts twice in the later one."""
    cells: dict[str, object] = {"L1": "Home", "M1": 60, "L2": "K", "M2": 20, "L3": "Keep", "M3": 0.5}
    heads = ("Season", "Home", "Away", "Score", "R home", "R away", "With home", "Exp", "New home", "New away")
    cells |= {f"{column}1": head for column, head in zip("ABCDEFGHIJ", heads, strict=True)}
    for at, one, two in pairs(30):
        r, season = at + 2, 1 + at // 15
        cells |= {f"A{r}": season, f"B{r}": one, f"C{r}": two, f"D{r}": (1, 0, 0.5, 1)[at % 4]}
        for name, before, row in (("B", "E", "O"), ("C", "F", "P")):  # the player's latest row, and the rating there
            place = f"{row}{r}"
            cells[place] = f"=SUMPRODUCT(MAX((B$1:C{r - 1}={name}{r})*ROW(B$1:C{r - 1})))"
            latest = f"IF(INDEX(B:B,{place})={name}{r},INDEX(I:I,{place}),INDEX(J:J,{place}))"
            keep = f"IF(INDEX(A:A,{place})=A{r},1,$M$3)"
            cells[f"{before}{r}"] = f"=IF({place}=0,1500,1500+{keep}*({latest}-1500))"
        cells[f"G{r}"] = f"=E{r}+$M$1"
        cells[f"H{r}"] = f"=1/(1+10^((F{r}-G{r}{'-$M$1' if wrong and season > 1 else ''})/400))"
        cells |= {f"I{r}": f"=E{r}+$M$2*(D{r}-H{r})", f"J{r}": f"=F{r}-$M$2*(D{r}-H{r})"}
    return {"Games": cells}  # type: ignore[dict-item]


def rounds(wrong: bool) -> Sheets:
    """Players down, three rounds across, their expected scores summed. A mistake: one opponent is of another round."""
    cells: dict[str, object] = {"Q1": "K", "R1": 20, "A2": "No", "B2": "Name", "C2": "Elo"}
    opponents = ((2, 1, 4, 3, 6, 5), (3, 6, 1, 5, 4, 2), (4, 5, 6, 1, 2, 3))
    for at in range(6):
        r = at + 3
        cells |= {f"A{r}": at + 1, f"B{r}": f"Player {at + 1}", f"C{r}": 2050 - 77 * at}
        for number, (opp, points, rated, expected) in enumerate(("DEFG", "HIJK", "LMNO")):
            other = opponents[number][at]
            low, high = sorted((at + 1, other))
            won = (low + high + number) % 3 / 2
            cells |= {f"{opp}{r}": other, f"{points}{r}": won if at + 1 == low else 1 - won}
            of = "D" if wrong and r == 6 and number == 2 else opp
            cells[f"{rated}{r}"] = f"=VLOOKUP({of}{r},$A$3:$C$8,3,FALSE)"
            cells[f"{expected}{r}"] = f"=1/(1+10^(({rated}{r}-$C{r})/400))"
        cells[f"S{r}"], cells[f"T{r}"] = f"=E{r}+I{r}+M{r}", f"=G{r}+K{r}+O{r}"
        cells[f"U{r}"] = f"=C{r}+$R$1*(S{r}-T{r})"
    return {"Open": cells}  # type: ignore[dict-item]


def partners(wrong: bool) -> Sheets:
    """Two against two, rated by sums that are halved before they are divided. A mistake: a change was not filled in."""
    cells: dict[str, object] = {"L1": "K", "M1": 32}
    heads = ("A1", "A2", "B1", "B2", "Won", "Sum A", "Sum B", "Exp", "Each A", "Each B")
    cells |= {f"{column}1": head for column, head in zip("ABCDEFGHIJ", heads, strict=True)}

    def rating(name: str, row: int) -> str:
        own = "+".join(
            f"SUMIF({n}$1:{n}{row - 1},{name}{row},{c}$1:{c}{row - 1})" for n, c in zip("ABCD", "IIJJ", strict=True)
        )
        return f"(1500+{own})"

    for at in range(30):
        r = at + 2
        names = [PLAYERS[(at * 2 + by * (1 + at % 2)) % 5] for by in (0, 1, 2, 3)]
        cells |= {f"{column}{r}": name for column, name in zip("ABCD", names, strict=True)}
        cells |= {f"E{r}": (1, 0, 1)[at % 3], f"F{r}": f"={rating('A', r)}+{rating('B', r)}"}
        cells |= {f"G{r}": f"={rating('C', r)}+{rating('D', r)}", f"H{r}": f"=1/(1+10^((G{r}-F{r})/2/400))"}
        cells |= {f"I{r}": None if wrong and r == 15 else f"=$M$1/2*(E{r}-H{r})", f"J{r}": f"=-I{r}"}
    return {"Padel": cells}  # type: ignore[dict-item]


def winners(wrong: bool) -> Sheets:
    """The winner's name counts, and the frames stand beside it. A mistake: the name of who lost by the frames."""
    cells = log()
    cells |= {"L1": "Frames 1", "M1": "Frames 2"}
    for r in range(2, 27):
        won = cells[f"C{r}"] != 0
        if wrong and r == 9:
            cells[f"C{r}"] = cells[f"{'B' if won else 'A'}{r}"]
        else:
            cells[f"C{r}"] = cells[f"{'A' if won else 'B'}{r}"]
        cells |= {f"L{r}": 4 if won else r % 4, f"M{r}": r % 4 if won else 4}
        cells[f"G{r}"] = f"=$K$1*(IF(C{r}=A{r},1,0)-F{r})"
    return {"Games": cells}  # type: ignore[dict-item]


def own_k(wrong: bool) -> Sheets:
    """Juniors have a K of their own, looked up by name. A mistake: the second player's is the first's."""
    cells = log()
    for at, name in enumerate(PLAYERS):
        cells |= {f"M{at + 2}": name, f"N{at + 2}": 40 if at % 2 else 20}
    for r in range(2, 27):
        cells |= {f"I{r}": f"=VLOOKUP(A{r},$M$2:$N$6,2,FALSE)"}
        cells |= {f"J{r}": f"=INDEX($N$2:$N$6,MATCH({'A' if wrong else 'B'}{r},$M$2:$M$6,0))"}
        cells |= {f"G{r}": f"=I{r}*(C{r}-F{r})", f"H{r}": f"=J{r}*(F{r}-C{r})"}
    return {"Games": {**cells, "J1": "K2", "K1": None}}  # type: ignore[dict-item]


def numbered(wrong: bool) -> Sheets:
    """Players have several games a day, each with a number. A mistake: one stands a second time."""
    cells = log()
    cells |= {"L1": "Match", "M1": "Day"}
    for r in range(2, 27):
        cells |= {f"L{r}": 700 + r, f"M{r}": 45000 + r // 6}
    for column in "ABCLM" if wrong else "":
        cells[f"{column}20"] = cells[f"{column}19"]
    return {"Games": cells}  # type: ignore[dict-item]


def newcomers(wrong: bool) -> Sheets:
    """Halves of a year on a sheet each; who is new starts from a setting. A mistake: one start is typed."""
    sheets: dict[str, dict[str, object]] = {"Setup": {"A1": "Start", "B1": 1300, "A2": "K", "B2": 25}}
    names = ("Ada", "Ben", "Cleo", "Dora", "Emil", "Fay")
    for number, count in enumerate((4, 6)):
        cells: dict[str, object] = {
            f"{c}1": head for c, head in zip("ABCDEFG", ("One", "Two", "Score", "R1", "R2", "Exp", "Ch"), strict=True)
        }
        cells |= {"J1": "Player", "K1": "First", "L1": "Last"}
        for at, name in enumerate(names[:count]):
            r = at + 2
            before = f"=VLOOKUP(J{r},'Half 1'!$J$2:$L$5,3,FALSE)" if number and at < 4 else "=Setup!$B$1"
            cells |= {f"J{r}": name, f"K{r}": 1100 if wrong and at == 5 else before}
            cells[f"L{r}"] = f"=K{r}+SUMIF(A$2:A$21,J{r},G$2:G$21)-SUMIF(B$2:B$21,J{r},G$2:G$21)"
        for at in range(20):
            r = at + 2
            cells |= {
                f"A{r}": names[at % count],
                f"B{r}": names[(at + 1 + at // count % 2) % count],
                f"C{r}": at * 3 % 4 % 2,
            }
            for column, name in (("D", "A"), ("E", "B")):
                sums = "-".join(f"SUMIF({n}$1:{n}{r - 1},{name}{r},G$1:G{r - 1})" for n in "AB")
                cells[f"{column}{r}"] = f"=VLOOKUP({name}{r},$J$2:$K$7,2,FALSE)+{sums}"
            cells |= {f"F{r}": f"=1/(1+10^((E{r}-D{r})/400))", f"G{r}": f"=Setup!$B$2*(C{r}-F{r})"}
        sheets[f"Half {number + 1}"] = cells
    return sheets  # type: ignore[return-value]


def byes(wrong: bool) -> Sheets:
    """Byes stand among the games, are not rated and change nothing. A mistake: one of them is rated as a game."""
    cells = log()
    cells["L1"] = "Remark"
    for r in range(2, 27):
        if r % 8 == 0:
            cells |= {f"B{r}": "bye", f"C{r}": 1, f"L{r}": "bye"}
            rated = wrong and r == 16
            cells |= {f"F{r}": cells[f"F{r}"] if rated else '=""', f"G{r}": cells[f"G{r}"] if rated else 0}
    return {"Games": cells}  # type: ignore[dict-item]


def divisions(wrong: bool) -> Sheets:
    """Two divisions side by side, of which one ends earlier. A mistake: a change is taken from another row."""
    cells: dict[str, object] = {"T1": "K", "T2": 24}
    for columns, count in (("ABCDEFGH", 20), ("JKLMNOPQ", 25)):
        one, two, won, r1, r2, e, n1, n2 = columns
        heads = ("One", "Two", "Legs 1", "R1", "R2", "Exp", "New 1", "New 2")
        cells |= {f"{column}1": head for column, head in zip(columns, heads, strict=True)}
        for at, first, second in pairs(count):
            r = at + 2
            cells |= {f"{one}{r}": first, f"{two}{r}": second, f"{won}{r}": (1, 0, 1, 1)[at % 4]}
            for name, column in ((one, r1), (two, r2)):
                last = [
                    f"IFERROR(LOOKUP(2,1/(${c}$1:{c}{r - 1}={name}{r}),ROW(${c}$1:{c}{r - 1})),0)" for c in (one, two)
                ]
                here = f"(ROW(${one}$1:{one}{r - 1})>{last[1]})"
                above = f"LOOKUP(2,1/(${one}$1:{one}{r - 1}={name}{r})/{here},${n1}$1:{n1}{r - 1})"
                other = f"LOOKUP(2,1/(${two}$1:{two}{r - 1}={name}{r}),${n2}$1:{n2}{r - 1})"
                cells[f"{column}{r}"] = f"=IFERROR({above},IFERROR({other},1500))"
            cells[f"{e}{r}"] = f"=1/(1+10^(({r2}{r}-{r1}{r})/400))"
            off = r - 1 if wrong and (one, r) == ("J", 12) else r
            cells[f"{n1}{r}"] = f"={r1}{r}+$T$2*({won}{r}-{e}{off})"
            cells[f"{n2}{r}"] = f"={r2}{r}-$T$2*({won}{r}-{e}{r})"
    return {"Games": cells}  # type: ignore[dict-item]


def differences(wrong: bool) -> Sheets:
    """A row for each side of a game, with the difference of the ratings in a column. A mistake: one is cut at 40."""
    lists: dict[str, object] = {"A1": "Player", "B1": "Rating"}
    lists |= {f"{c}{at + 2}": v for at, name in enumerate(PLAYERS) for c, v in (("A", name), ("B", 1300 + 90 * at))}
    cells: dict[str, object] = dict(
        zip(
            [f"{c}1" for c in "ABCDEFGH"],
            ("Player", "Opponent", "Score", "R", "R opp", "Diff", "Exp", "Change"),
            strict=True,
        )
    )
    for at, first, second in pairs(20):
        for side, (own, other) in enumerate(((first, second), (second, first))):
            r, score = 2 * at + 2 + side, (1, 0, 0.5, 1)[at % 4]
            cells |= {f"A{r}": own, f"B{r}": other, f"C{r}": 1 - score if side else score}
            cells |= {f"{c}{r}": f"=VLOOKUP({n}{r},List!$A$2:$B$6,2,FALSE)" for n, c in (("A", "D"), ("B", "E"))}
            cells[f"F{r}"] = f"=MAX(-400,MIN({40 if wrong and r == 15 else 400},D{r}-E{r}))"
            cells |= {f"G{r}": f"=1/(1+10^(-F{r}/400))", f"H{r}": f"=32*(C{r}-G{r})"}
    return {"List": lists, "Games": cells}  # type: ignore[dict-item]


@pytest.mark.parametrize(
    ("book", "cell"),
    [
        (points_of_both, "H15"),
        (members, "A12"),
        (legs, "G11"),
        (seasons, "H17"),
        (rounds, "N6"),
        (partners, "I15"),
        (winners, "C9"),
        (own_k, "J2"),
        (numbered, "L20"),
        (newcomers, "K7"),
        (byes, "16"),
        (divisions, "P12"),
        (differences, "F15"),
    ],
)
def test_a_layout_of_its_own_is_no_fault_and_a_mistake_in_it_is_told(book: Book, cell: str, tmp_path: Path) -> None:
    sound = validate(write(book(False), tmp_path / "sound.xlsx"))
    assert [one.range for one in sound.findings if one.severity != NOTE] == []
    wrong = validate(write(book(True), tmp_path / "wrong.xlsx"))
    loud = [one.range for one in wrong.findings if one.severity != NOTE]
    assert loud
    assert all(cell in one for one in loud)
    assert wrong.status == "differs"
