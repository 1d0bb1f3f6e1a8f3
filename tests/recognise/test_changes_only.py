"""Ledgers that hold changes and no new ratings: a rating before is the opening with the player's earlier changes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from books import Sheets, as_book, loud, write

from elo_sheets.errors import NotChecked
from elo_sheets.files.package import Value, parse_cell_name
from elo_sheets.recognise.ledgers import whatifs
from elo_sheets.recognise.repair import compute
from elo_sheets.validate import validate

NAMES = {"A": "Anna", "B": "Bert", "C": "Cora", "D": "Dave"}
ORDER = "ABCDACBDADBCBADCCABDCBDA"  # two at a time; everybody changes sides
SCORES = (1, 0.5, 0, 1, 0)
STARTS = {"A": 1480.0, "B": 1520.0, "C": 1610.0, "D": 1390.0}
LAST = 1 + len(ORDER) // 2


def share(own: float, other: float) -> float:
    return 1 / (1 + 10 ** ((other - own) / 400))


def ratings(games: int = len(ORDER) // 2) -> dict[str, float]:
    """What everybody has after so many games, K being 24."""
    now = dict(STARTS)
    for i in range(games):
        one, two = ORDER[2 * i : 2 * i + 2]
        gain = 24 * (SCORES[i % 5] - share(now[one], now[two]))
        now[one] += gain
        now[two] -= gain
    return now


def changes(inlined: bool = False, one_column: bool = False) -> Sheets:
    players: dict[str, Value] = {"A1": "Name", "B1": "Start", "C1": "Now"}
    games: dict[str, Value] = {
        name + "1": text
        for name, text in zip("ABCDEFGH", ["White", "Black", "Result", "Rw", "Rb", "Exp", "dw", "db"], strict=True)
    }
    games |= {"K1": "K", "L1": 24}
    sign, black = ("-", "G") if one_column else ("+", "H")
    for i in range(len(ORDER) // 2):
        r, low = i + 2, i + 1
        one, two = ORDER[2 * i : 2 * i + 2]
        games |= {f"A{r}": NAMES[one], f"B{r}": NAMES[two], f"C{r}": SCORES[i % 5]}
        for column, who in (("D", "A"), ("E", "B")):
            games[f"{column}{r}"] = (
                f"=VLOOKUP({who}{r},Players!$A$2:$B$5,2,FALSE)+SUMIF($A$1:$A{low},{who}{r},$G$1:$G{low})"
                f"{sign}SUMIF($B$1:$B{low},{who}{r},${black}$1:${black}{low})"
            )
        expected = f"1/(1+10^((E{r}-D{r})/400))"
        if not inlined:
            games[f"F{r}"] = "=" + expected
        games[f"G{r}"] = f"=$L$1*(C{r}-{expected if inlined else f'F{r}'})"
        if not one_column:
            games[f"H{r}"] = f"=-G{r}"
    for j, who in enumerate("ABCD"):
        r = j + 2
        players |= {f"A{r}": NAMES[who], f"B{r}": STARTS[who]}
        players[f"C{r}"] = (
            f"=B{r}+SUMIF(Games!$A$2:$A${LAST},A{r},Games!$G$2:$G${LAST})"
            f"{sign}SUMIF(Games!$B$2:$B${LAST},A{r},Games!${black}$2:${black}${LAST})"
        )
    return {"Players": players, "Games": games}


BOOKS: dict[str, Callable[[], Sheets]] = {
    "two columns": changes,
    "expectation in the change": lambda: changes(inlined=True),
    "one column": lambda: changes(one_column=True),
}


@pytest.mark.parametrize("name", BOOKS)
def test_a_sound_book_is_replayed(name: str, tmp_path: Path) -> None:
    sheets = BOOKS[name]()
    values = compute([as_book(sheets)], "ironcalc", 60)[1][0]
    for j, (_, rating) in enumerate(sorted(ratings().items())):
        assert values["Players"][parse_cell_name(f"C{j + 2}")] == pytest.approx(rating, abs=1e-7)
    verdict = validate(write(sheets, tmp_path / "sound.xlsx"))
    assert loud(verdict) == []
    assert (verdict.status, verdict.reason) == ("agrees", None)
    assert verdict.games.rated == len(ORDER) // 2
    assert verdict.facts["k"] == pytest.approx(24)


def swap(column: str, rows: range, old: str, new: str) -> Callable[[Sheets], None]:
    def plant(sheets: Sheets) -> None:
        for row in rows:
            text = str(sheets["Games"][f"{column}{row}"])
            assert old.replace("#", str(row)) in text
            sheets["Games"][f"{column}{row}"] = text.replace(old.replace("#", str(row)), new.replace("#", str(row)))

    return plant


def one_sided(sheets: Sheets) -> None:
    text = str(sheets["Games"]["D9"])
    sheets["Games"]["D9"] = text[: text.index("+SUMIF($B")]


def put(**cells: Value) -> Callable[[Sheets], None]:
    return lambda sheets: sheets["Games"].update(cells)


EVERY = range(2, LAST + 1)
FAULTS: list[tuple[Callable[[Sheets], None], str, str]] = [
    (put(G6=3.5), "ES201", "Games!G6"),
    (swap("D", range(9, 10), "$A$1:$A8", "$A$1:$A4"), "ES125", "Games!D9"),
    (swap("F", range(7, 8), "(E#-D#)", "(D#-E#)"), "ES101", "Games!F7"),
    (swap("F", EVERY, "(E#-D#)", "(D#-E#)"), "ES101", f"Games!F2:F{LAST}"),
    (swap("H", EVERY, "-G#", "G#"), "ES115", f"Games!H2:H{LAST}"),
    (one_sided, "ES123", "Games!D9"),
    (put(B8="Anna "), "ES412", "Games!B8"),
]


def test_it_is_said_when_other_inputs_could_not_be_tried(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def too_slow(*_: object) -> None:
        raise NotChecked("the engine took too long")

    monkeypatch.setattr(whatifs, "compute", too_slow)
    verdict = validate(write(changes(), tmp_path / "sound.xlsx"))
    assert verdict.status == "agrees"
    assert verdict.facts["what_if"] == "not asked: the engine took too long"


@pytest.mark.parametrize(("plant", "code", "cell"), FAULTS, ids=[f"{c}-{w}" for _, c, w in FAULTS])
def test_a_planted_fault_is_found(plant: Callable[[Sheets], None], code: str, cell: str, tmp_path: Path) -> None:
    sheets = changes()
    plant(sheets)
    verdict = validate(write(sheets, tmp_path / "faulty.xlsx"))
    assert verdict.status == "differs"
    assert (code, cell) in loud(verdict)


def test_the_effect_of_a_typed_change_reaches_the_list(tmp_path: Path) -> None:
    sheets = changes()
    before, after = ratings(4), ratings(5)  # the fifth game stands in row 6
    sheets["Games"]["G6"] = round(after[ORDER[8]] - before[ORDER[8]], 2) + 5
    finding = next(f for f in validate(write(sheets, tmp_path / "typed.xlsx")).findings if f.code == "ES201")
    assert finding.expected == pytest.approx(after[ORDER[8]] - before[ORDER[8]], abs=1e-6)
    assert abs(finding.effect) == pytest.approx(5, abs=0.5)
