"""What a journal counts on its sheet Check."""

from __future__ import annotations

from elo_sheets.workbook.journal.chain import Rule
from elo_sheets.workbook.view import Figure


def checks(rule: Rule, needs_date: bool) -> dict[str, Figure]:
    """Return the lines of the sheet Check that not every journal has: each formula should come to zero."""
    found: dict[str, Figure] = {}
    if rule.period == "game":
        found["total"] = _total_change(rule), "points"
    if needs_date:
        found["no_date"] = 'COUNTIF(Ledger[Status],"no date")', "count"
    if rule.period in {"month", "year"}:
        found["out_of_order"] = 'COUNTIF(Ledger[Status],"out of order")', "count"
    return found


def _total_change(rule: Rule) -> str:
    """Return the formula of the difference between two ways to the change of all pools, game by game."""
    label = rule.label
    other = f"SUM(Ledger[{label('rating_after')}])-SUM(Ledger[{label('rating')}])"
    if rule.is_plain:
        k, expected = label("k_used"), label("expected")
        other = f"(SUMPRODUCT(Ledger[{k}],Ledger[Score])-SUMPRODUCT(Ledger[{k}],Ledger[{expected}]))"
        return f"ROUND(SUM(Pools[Change])-{other},6)"
    return f"ROUND(SUM(Pools[Change])-({other}),6)"
