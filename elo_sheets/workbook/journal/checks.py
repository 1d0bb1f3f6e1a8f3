"""What a journal counts on its sheet Check."""

from __future__ import annotations

from collections.abc import Mapping

from elo_sheets.workbook.journal.chain import Rule
from elo_sheets.workbook.spellings import NOT_PLAYED
from elo_sheets.workbook.view import Figure


def checks(rule: Rule, needs_date: bool) -> Mapping[str, Figure]:
    """Return the lines of the sheet Check: each formula should come to zero."""

    def counted(text: str) -> str:
        return f'COUNTIF(Ledger[Status],"{text}")'

    points, count = "INDEX(Exact[Points],1)", "INDEX(Pools[Games],Pool_number)"
    expects = "INDEX(Exact[Expects],ROWS(Exact[Expects]))"
    scores = "".join(f"-COUNTIF(Ledger[Score],{score})" for score in ("1", "0.5", "0"))
    found = {
        "not_rated": f'SUMPRODUCT(1*(Log[Status]<>""))-{counted(f"{NOT_PLAYED}*")}-COUNT(Ledger[Score])',
        "no_rating": counted("no opponent rating"),
        "no_result": counted("no result*"),
        "unknown_pool": counted("unknown pool"),
        "beyond": 'COUNTIF(Log[Status],"beyond the Ledger")',
        "order": "SUM(Ledger[Order break])",
        "duplicates": "SUM(Ledger[Duplicate])",
        "twins": 'SUMPRODUCT((Pools[Pool]<>"")*(Pools[Id]=0))',
        "pool_games": "COUNT(Ledger[Score])-SUM(Pools[Games])",
        "results": f"COUNT(Ledger[Score]){scores}",
        "exact": f"IF(OR({points}=0,{points}={count}),0,ROUND({points}-{expects},6))",
    }
    if rule.period == "game":
        found["total"] = _total_change(rule)
    if needs_date:
        found["no_date"] = counted("no date")
    if rule.period in {"month", "year"}:
        found["out_of_order"] = counted("out of order")
    units = {"exact": "number", "total": "points"}
    return {role: (formula, units.get(role, "count")) for role, formula in found.items()}


def _total_change(rule: Rule) -> str:
    """Return the formula of the difference between two ways to the change of all pools, game by game."""
    label = rule.label
    other = f"SUM(Ledger[{label('rating_after')}])-SUM(Ledger[{label('rating')}])"
    if rule.is_plain:
        k, expected = label("k_used"), label("expected")
        other = f"(SUMPRODUCT(Ledger[{k}],Ledger[Score])-SUMPRODUCT(Ledger[{k}],Ledger[{expected}]))"
        return f"ROUND(SUM(Pools[Change])-{other},6)"
    return f"ROUND(SUM(Pools[Change])-({other}),6)"
