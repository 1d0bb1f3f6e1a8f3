"""What is said of a calculator: each repair as a proposal with its code, and inputs that no game can have."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

from elo_sheets.expr import Binary, Call, Expr, Number, Unary, walk
from elo_sheets.recognise.calculators.book import Desk
from elo_sheets.recognise.calculators.repairs import Choice
from elo_sheets.recognise.compare import code_of
from elo_sheets.recognise.context import NOTE, Proposal
from elo_sheets.recognise.departures import spell, spell_anchored
from elo_sheets.recognise.model import Area, Key
from elo_sheets.recognise.nearmiss import places
from elo_sheets.recognise.parts import POINTS, Part, is_text_number

_K_LABEL = re.compile(
    r"(k|k[- ]?(factor|faktor|facteur|fattore|fator|value|wert|valor|coefficient)"
    r"|(factor|faktor|facteur|fattore|fator|coeficiente|coefficient|koeffizient)[- ]?k)\s*[:=]?",
    re.I,
)


class Speaker:
    """Says what was found on a desk."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk

    def proposals(self, accepted: list[tuple[Choice, dict[Key, Part]]]) -> list[Proposal]:
        """Return the repairs as proposals, and what is said of results and inputs beside them."""
        repairs = [self.proposal(choice, was) for choice, was in accepted]
        return repairs + self._outcomes() + self._inputs() + self._unread_k()

    def proposal(self, choice: Choice, was: Mapping[Key, Part]) -> Proposal:
        """Return a repair as a proposal; `was` is what the cells did before it."""
        cells = tuple(sorted(choice.formulas))
        repairs, codes = {}, []
        for cell in cells:
            tree = choice.formulas[cell]
            present = self.desk.model.tree(cell)
            codes.append("ES201" if present is None else self._code(choice, tree, present, cell, was))
            repairs[cell] = spell_anchored(self.desk.model, cell, tree)
        return Proposal(codes[0], cells, repairs=repairs, fix="=" + repairs[cells[0]], rank=1)

    def _code(self, choice: Choice, expected: Expr, found: Expr, cell: Key, was: Mapping[Key, Part]) -> str:
        roles = self.desk.role_map()
        code = code_of(expected, found, roles, cell)
        if choice.code in ("ES117", "ES119", "ES118", "ES112", "ES111", "ES102", "ES104") or code == "ES108":
            code = choice.code if choice.code else code
        if cell in was:
            fault = self.desk.fault_of(was[cell], was)
            if fault == "scale" and code in ("ES105", "ES106", "ES108", "ES120"):
                code = "ES110"
            if fault in ("base", "scale") and code in ("ES108", "ES110") and self.desk.natural(was[cell]):
                code = "ES111"
            if fault == "side" and code in ("ES106", "ES108", "ES114", "ES124"):
                return "ES113"
            if fault == "score" and code in ("ES106", "ES108", "ES113"):
                return "ES115"
            if fault == "limit":
                code = "ES118"
            if fault == "rounded":
                code = "ES107"
        if roles.get(cell) == "S" and code in ("ES113", "ES106", "ES108", "ES124"):
            code = "ES115"
        if any(isinstance(n, Area) and (n.sheet, n.row, n.column) == cell and n.single for n in walk(found)):
            return "ES215"
        if code == "ES108" and _misses_brackets(expected, found):
            code = "ES103"
        return self._by_meaning(expected, found, code, roles)

    def _by_meaning(self, expected: Expr, found: Expr, code: str, roles: Mapping[Key, str]) -> str:
        """A reference of the wrong side is named by what it is read for."""
        if code not in ("ES106", "ES114", "ES113", "ES120", "ES108"):
            return code
        swapped = _references_changed(expected, found)
        kinds = {(roles.get(a, ""), roles.get(b, "")) for a, b in swapped}
        if len(kinds) != 1 or not swapped:
            if kinds and all(x == y and x in "ESD" for x, y in kinds):
                return "ES115"
            return code
        was, now = kinds.pop()
        if was == now == "E":
            return "ES113"
        if was == now == "D":
            return "ES115"
        if was in "BO" and now in "BO" and was:
            return "ES114"
        if was == now == "K":
            return "ES120"
        if now == "R":
            return "ES116"
        return code

    def _inputs(self) -> list[Proposal]:
        """Ratings and scores that are texts, and scores that no game can have."""
        ratings = {key for part in self.desk.parts.values() for key in (part.own, part.other)}
        scores = {part.score for part in self.desk.parts.values() if part.score is not None and part.values == POINTS}
        scores -= ratings
        found = []
        for key in sorted(ratings | scores):
            value = self.desk.model.value(key)
            if key not in self.desk.model.forms and is_text_number(value):
                number = float(str(value).strip().replace(",", "."))
                found.append(Proposal("ES410", (key,), values={key: number}, fix=f"{number:g}", rank=1))
        for key in sorted(scores):
            number_ = self.desk.model.number(key)
            if (
                key not in self.desk.model.forms
                and number_ is not None
                and not 0 <= number_ <= 1
                and not self.desk.counted
            ):
                message = f"the score is {number_:g}, where 0 to 1 is meant"
                found.append(Proposal("ES411", (key,), message, found=number_, effect=0.0, confidence="proven", rank=1))
        return found

    def _unread_k(self) -> list[Proposal]:
        """Cells called K that no formula reads, where the formulas take another K."""
        used = {round(part.k, 6) for part in self.desk.parts.values() if part.kind != "E"}
        found = []
        for sheet, cells in self.desk.model.book.sheets.items():
            for (row, column), cell in cells.items():
                label = cells.get((row, column - 1))
                if cell.formula is not None or label is None or not isinstance(label.value, str):
                    continue
                value = self.desk.model.number((sheet, row, column))
                if value is None or not 1 <= value <= 200 or not _K_LABEL.fullmatch(label.value.strip()):
                    continue
                unread = not self.desk.context.evaluator.readers.is_read((sheet, row, column))
                if unread and used and round(value, 6) not in used:
                    message = f"no formula reads this K of {value:g}: the changes take {min(used):g}"
                    note = Proposal("ES105", ((sheet, row, column),), message, severity=NOTE, effect=0.0, rank=8)
                    found.append(note)
        return found

    def _outcomes(self) -> list[Proposal]:
        """Win, draw and loss side by side of which two are the same result."""
        lines: dict[tuple[str, bool, int, Key, str], list[Part]] = {}
        for part in self.desk.parts.values():
            if part.literal is not None and part.kind != "E":
                lines.setdefault((part.key[0], True, part.key[1], part.own, part.kind), []).append(part)
                lines.setdefault((part.key[0], False, part.key[2], part.own, part.kind), []).append(part)
        found = []
        for parts in lines.values():
            shown = [part.literal for part in sorted(parts, key=lambda p: p.key)]
            for right in ([1.0, 0.5, 0.0], [0.0, 0.5, 1.0]):
                wrong = [i for i, (a, b) in enumerate(zip(shown, right, strict=False)) if a != b]
                if len(shown) == 3 and len(wrong) == 1:
                    found += self._outcome(sorted(parts, key=lambda p: p.key)[wrong[0]], right[wrong[0]])
        return found

    def _outcome(self, part: Part, right: float) -> list[Proposal]:
        present = self.desk.model.tree(part.key)
        for rebuilt in (
            (r for node, r in places(present) if node == Number(part.literal or 0.0)) if present is not None else ()
        ):
            tree = rebuilt(Number(right))
            repaired = self.desk.analyse(part.key, {**self.desk.formulas, part.key: tree})
            if repaired is not None and repaired.literal == right:
                text = spell(tree, part.key[0])
                code = "ES104" if right == 0.5 else "ES108"
                return [Proposal(code, (part.key,), repairs={part.key: text}, fix="=" + text, rank=1)]
        return []


def _misses_brackets(expected: Expr, found: Expr) -> bool:
    """Whether two formulas have the same numbers, references and operators in another order of working."""

    def bag(tree: Expr) -> Counter[str]:
        return Counter(
            node.operator if isinstance(node, (Binary, Unary)) else repr(node)
            for node in walk(tree)
            if not isinstance(node, Call)
        )

    return bag(expected) == bag(found)


def _references_changed(expected: Expr, found: Expr) -> list[tuple[Key, Key]]:
    """The references that differ between two formulas of the same shape."""
    one, other = walk(expected), walk(found)
    if len(one) != len(other):
        return []
    pairs = []
    for a, b in zip(one, other, strict=True):
        if isinstance(a, Area) and isinstance(b, Area) and a != b:
            pairs.append(((a.sheet or "", a.row, a.column), (b.sheet or "", b.row, b.column)))
    return pairs
