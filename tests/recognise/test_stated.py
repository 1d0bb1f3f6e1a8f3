"""Numbers typed beside a rule's expectations: wrong ones are named, those of another rule are left alone."""

from __future__ import annotations

import books
import pytest

from elo_sheets.files.package import Value
from elo_sheets.recognise import recognise_book
from elo_sheets.recognise.model import Recognised

GAMES = (
    (1500, 1620, 1.0),
    (1710, 1650, 0.5),
    (1480, 1490, 0.0),
    (1600, 1405, 1.0),
    (1555, 1755, 0.0),
    (1800, 1610, 0.5),
)


def expected(own: float, other: float) -> float:
    """The expected score, by the formula of the rule written out."""
    return 1 / (1 + 10 ** ((other - own) / 400))


def table(header: str, changes: dict[int, float] | None = None, *, k: float = 20, stated_k: float = 20) -> books.Sheets:
    """Six typed games in Spanish; the changes are those of `stated_k` to one digit, but for `changes` by row."""
    cells: dict[str, Value] = dict(zip("ABCDEF", ("Elo", "Rival", "Puntos", "K", "Esperado", header), strict=True))
    sheet: dict[str, Value] = {f"{column}1": text for column, text in cells.items()}
    for row, (own, other, score) in enumerate(GAMES, 2):
        right = round(stated_k * (score - expected(own, other)), 1)
        sheet |= {f"A{row}": own, f"B{row}": other, f"C{row}": score, f"D{row}": k}
        sheet |= {f"E{row}": f"=1/(1+10^((B{row}-A{row})/400))", f"F{row}": (changes or {}).get(row, right)}
    return {"Prueba": sheet}


def judged(sheets: books.Sheets) -> Recognised:
    return recognise_book(books.as_book(sheets))


def test_right_changes_are_not_spoken_of() -> None:
    assert judged(table("Variación")).findings == ()


def test_one_wrong_change_among_right_ones_is_proven_whatever_its_header_says() -> None:
    (finding,) = judged(table("", {4: 9.6})).findings
    assert (finding.code, finding.range, finding.confidence) == ("ES201", "Prueba!F4", "proven")
    assert finding.expected == pytest.approx(20 * (0 - expected(1480, 1490)))
    assert finding.fix == "=D4*(C4-E4)"


def test_changes_by_another_k_are_another_rule() -> None:
    assert judged(table("Variación", stated_k=32)).findings == ()


def test_changes_that_mostly_differ_are_judged_by_a_header_only() -> None:
    """The right whole numbers are 13, −2, −10, 5, −5 and −5: the second and the last stand as they should."""
    wrong = {2: 16.0, 3: -2.0, 4: -4.0, 5: 9.0, 6: -1.0, 7: -5.0}
    named = judged(table("Variación", wrong)).findings
    assert {f.range for f in named} == {"Prueba!F2", "Prueba!F4", "Prueba!F5", "Prueba!F6"}
    assert {f.confidence for f in named} == {"header"}
    assert judged(table("Nota", wrong)).findings == ()
