"""A log whose rating before stands still: a fault in a dated log, none in a table of what might happen."""

from __future__ import annotations

import books

from elo_sheets.recognise import recognise_book


def log(*, dated: bool = True, cumulative: bool = False) -> books.Sheets:
    """Four games of one player, in German; every game starts from B1."""
    sheet: dict[str, object] = {"A1": "Elo", "B1": 1600, "A2": "K", "B2": 20}
    heads = ("Datum", "Gegner", "Elo vorher", "Punkte", "Erwartung", "Änderung", "Elo nachher")
    sheet |= {f"{column}4": text for column, text in zip("ABCDEFG", heads, strict=True)}
    for row, (other, score) in enumerate(((1500, 1), (1720, 0.5), (1590, 0), (1650, 1)), 5):
        sheet |= {
            f"A{row}": 45000 + 7 * row if dated else row - 4,
            f"B{row}": other,
            f"C{row}": "=$B$1",
            f"D{row}": score,
        }
        sheet |= {f"E{row}": f"=1/(1+10^((B{row}-C{row})/400))", f"F{row}": f"=$B$2*(D{row}-E{row})"}
        sheet[f"G{row}"] = f"=G{row - 1}+F{row}" if cumulative and row > 5 else f"=C{row}+F{row}"
    return {"Partien": sheet}  # type: ignore[dict-item]


def test_a_dated_log_should_go_on_from_the_rating_after() -> None:
    """After a win against 1500 the rating is 1600 + 20·(1 − 1/(1 + 10^(−100/400)))."""
    findings = recognise_book(books.as_book(log())).findings
    (finding,) = [f for f in findings if f.code == "ES126"]
    assert (finding.range, finding.fix, finding.found) == ("Partien!C6:C8", "=G5", 1600.0)
    right = 1600 + 20 * (1 - 1 / (1 + 10 ** (-100 / 400)))
    assert isinstance(finding.expected, float)
    assert abs(finding.expected - right) < 1e-9


def test_what_might_happen_and_a_period_rated_as_a_whole_stay_unsaid() -> None:
    for sheets in (log(dated=False), log(cumulative=True)):
        assert [f for f in recognise_book(books.as_book(sheets)).findings if f.code == "ES126"] == []
