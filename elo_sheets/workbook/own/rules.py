"""Rules that are not built in: how a book names one, and how it knows the rule again.

The manifest keeps a fingerprint of each part of the rule, so that a changed step can be named.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from elo_sheets.errors import NotChecked, UsageError
from elo_sheets.formula import to_formula
from elo_sheets.systems import Rules, System, is_built_in, lines
from elo_sheets.systems import system as find_system
from elo_sheets.workbook.book import Book
from elo_sheets.workbook.plan import SheetPlan

RULE = "rule "


def parts(system: System) -> dict[str, str]:
    """Return a short digest of each part of a rule in one form: its steps as formulas, states, sums and tables."""
    every = (*system.lines, *lines(system.forecast))
    found: dict[str, Any] = {f"step {line.name}": to_formula(line.trace()) for line in every}
    found |= {f"state {state.name}": state.initial for state in system.state}
    found |= {f"table {table.name}": repr(table) for table in system.tables}
    found["order of steps"] = [line.name for line in every]
    found |= {"sums": system.sums, "order of ratings": system.lower_is_better}
    return {name: _digest(value) for name, value in found.items()}


def fingerprint(digests: Mapping[str, str]) -> str:
    """Return one text for the whole rule."""
    return _digest(sorted(digests.items()))


def _digest(value: object) -> str:
    return hashlib.sha256(repr(value).encode()).hexdigest()[:8]


@dataclass(frozen=True)
class OwnRule:
    """What a book keeps of a rule of somebody's own."""

    name: str
    origin: str
    parts: Mapping[str, str]

    @classmethod
    def of(cls, rules: Rules, shaped: System) -> OwnRule:
        """Return what a book keeps of a rule, which is `shaped` in the form of the book."""
        return cls(rules.name, rules.origin, parts(shaped))

    @property
    def entry(self) -> tuple[str, str]:
        """The line of the manifest."""
        return f"{RULE}{self.name}", json.dumps({"from": self.origin, "parts": dict(self.parts)})

    @classmethod
    def read(cls, entries: Mapping[str, Any], name: str) -> OwnRule | None:
        """Return what a manifest says of a system's rule, None for a built-in one.

        Raises `NotChecked` for a line that was changed by hand.
        """
        line = entries.get(f"{RULE}{name}")
        if line is None:
            return None
        try:
            told = json.loads(str(line))
            return cls(name, str(told["from"]), {str(key): str(value) for key, value in told["parts"].items()})
        except (ValueError, TypeError, KeyError, AttributeError):
            raise NotChecked(f"the manifest says nothing readable of the rule {name}") from None

    @property
    def said(self) -> str:
        """What Start says."""
        mark = f"fingerprint {fingerprint(self.parts)}"
        if not self.origin:  # a package offers it under its name
            return f"Rated by a rule of its own: {self.name}, {mark}."
        return (
            f"Rated by a rule of its own: {self.name} ({self.origin}), {mark}; elo-sheets validate asks for the file: "
            f"--system {self.origin}."
        )

    def found(self, given: Sequence[Rules]) -> Rules:
        """Return the rule among those given, or that a package offers; raises `NotChecked` when it is not there."""
        named = next((one for one in given if one.name == self.name), None) or self._offered()
        if named is None:
            file = f" from {self.origin}" if self.origin else ""
            others = f", not {', '.join(one.full_name for one in given)}" if given else ""
            raise NotChecked(
                f"the book is rated by a rule of its own, {self.name}{file}{others}: "
                f"give its file with --system {self.origin or 'FILE.py:NAME'}"
            )
        return named

    def _offered(self) -> Rules | None:
        try:
            found = find_system(self.name)
        except UsageError:
            return None
        return None if is_built_in(found) else found

    def check(self, rules: Rules, shaped: System) -> None:
        """Raise `NotChecked` that names what has changed when a rule is not the one that the book was made with."""
        now = parts(shaped)
        if now == self.parts:
            return
        names = [name for name in (*self.parts, *now) if self.parts.get(name) != now.get(name)]
        raise NotChecked(
            f"the rule {rules.full_name} has changed since the book was made: {', '.join(dict.fromkeys(names))} "
            f"(fingerprint {fingerprint(now)}, the book's is {fingerprint(self.parts)}); give the file as it was, or "
            "make the book anew"
        )


def refuse_one_name(systems: Sequence[Rules]) -> None:
    """Raise `UsageError` for two different systems of one name, which name their columns."""
    for at, one in enumerate(systems):
        if any(one.name == other.name and one != other for other in systems[:at]):
            raise UsageError(
                f"two systems are called {one.name}: give the one of {one.origin or 'your own'} a name of its own"
            )


def refuse_clashes(sheets: Sequence[SheetPlan], book: Book, system: System) -> None:
    """Raise `UsageError` for two columns of one header in a table: a rule's label is the template's or another's."""
    for table in (table for sheet in sheets for table in sheet.tables):
        seen: set[str] = set()
        for label in (column.label for column in table.columns):
            if label.lower() in seen:
                names = [name for name in _names(system) if system.label(name).lower() == label.lower()]
                raise UsageError(
                    f"template {book.template} would have two columns called {label} in the table {table.name}: give "
                    f"{' or '.join(names) or 'one'} of system {book.system.full_name} another label, such as "
                    f"labels={{{names[-1] if names else 'name'!r}: 'Own {label.lower()}'}}"
                )
            seen.add(label.lower())


def _names(system: System) -> list[str]:
    """Return the names of the states, steps and sums that may be columns."""
    states, steps = [state.name for state in system.state], [line.name for line in system.lines]
    return list(dict.fromkeys([*states, *steps, *(f"period_{name}" for name in system.sums), "period_games"]))
