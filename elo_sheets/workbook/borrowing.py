"""What the templates have in common that borrow Players, Games and Ledger from the league."""

from __future__ import annotations

from typing import Any, ClassVar

from elo_sheets.workbook.league.view import LeagueView
from elo_sheets.workbook.templates import template


class BorrowingView(LeagueView):
    """The sheets of a template that borrows Players, Games and Ledger from the league."""

    modern_sheets: ClassVar[tuple[str, ...]] = ()

    def labels(self, sheet_name: str) -> list[str]:
        """Return the headers of a sheet's table; behind them those that the league has and this template leaves out.

        The league's formulas name them, though they are not written here.
        """
        found = super().labels(sheet_name)
        if sheet_name not in {"Players", "Games"}:
            return found
        lent = next(sheet for sheet in template("league")["sheet"] if sheet["name"] == sheet_name)
        full = [column["label"] for column in self.present(lent["column"], self.form, self.system)]
        return found + [label for label in full if label not in found]

    def columns(self, sheet_name: str) -> list[dict[str, Any]]:
        """Return the columns of a sheet; the rounds of an iteration stand last in the Ledger, behind what is read."""
        found = super().columns(sheet_name)
        return sorted(found, key=lambda column: is_round(column["role"])) if sheet_name == "Ledger" else found


def is_round(role: str) -> bool:
    """Return whether a column of the Ledger is one of the rounds of an iteration, numbered `step:a_12`."""
    return role.startswith("step:") and role.rpartition("_")[2].isdigit()
