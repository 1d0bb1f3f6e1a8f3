"""Calculators: two ratings and a result, or a few independent games, and what the ratings would become.

Every formula is judged alone, by what it does when the ratings, the score and K change (`book`). One that does not do
what its place asks for is repaired (`repairs`), and the repair becomes a proposal (`proposals`). New ratings are
compared with the rule over a grid of inputs (`proof`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from elo_sheets.expr import Expr
from elo_sheets.recognise.behind import cone
from elo_sheets.recognise.calculators.book import MOST_TO_RESCUE, Desk
from elo_sheets.recognise.calculators.proof import Proof
from elo_sheets.recognise.calculators.proposals import Speaker
from elo_sheets.recognise.calculators.repairs import Mender
from elo_sheets.recognise.compare import code_of
from elo_sheets.recognise.context import NOTE, Context, Proposal, RoleCells, Sheetwork
from elo_sheets.recognise.departures import spell_anchored
from elo_sheets.recognise.ledgers.teams import forgotten_partners
from elo_sheets.recognise.model import Key, range_text

MOST_FORMULAS = 160  # a book with more is no calculator
DEEPEST = 20  # formulas behind one cell: more is a chain of games


def recognise(context: Context) -> Sheetwork | None:
    """Return what a book of calculators does and what is wrong with it, or None when it is no such book."""
    model = context.model
    if not 1 <= model.formula_count <= MOST_FORMULAS:
        return None
    if any(len(cone(model, key, DEEPEST)) >= DEEPEST for key in model.forms):
        return None
    desk = Desk(context)
    mender = Mender(desk)
    desk.survey()
    desk.count_one_game()
    if not desk.parts and model.formula_count <= MOST_TO_RESCUE:
        mender.rescue()
    if not desk.is_calculator():
        return None
    if desk.known:
        desk.survey()
    proposals = [*_team_faults(desk), *Speaker(desk).proposals(mender.repair())]
    if not desk.parts:
        return None
    return _work(desk, proposals)


def _team_faults(desk: Desk) -> Iterator[Proposal]:
    """Yield what is wrong with the teams of a game with partners."""
    roles = desk.role_map()
    mended: list[tuple[Key, Expr, str | None]] = [(key, tree, None) for key, tree in desk.uneven.items()]
    mended += [(k, t, "ES114") for k, t in forgotten_partners(desk.model, desk.parts, desk.teams.values()).items()]
    for key, tree, code in mended:
        text, found = spell_anchored(desk.model, key, tree), desk.model.tree(key)
        if found is not None:
            yield Proposal(
                code or code_of(tree, found, roles, key), (key,), repairs={key: text}, fix="=" + text, rank=1
            )


def _work(desk: Desk, proposals: list[Proposal]) -> Sheetwork:
    """Return what was found as the other parts of the recognition take it."""
    proof = Proof(desk)
    roles: dict[str, list[Key]] = {}
    for key, role in sorted(desk.role_map().items()):
        roles.setdefault(role, []).append(key)
    news = {key for key, part in desk.parts.items() if part.kind == "N"}
    changes = {key for key, part in desk.parts.items() if part.kind == "D"}
    ratings = news or changes or set(desk.parts)
    pairs = {frozenset((part.own, part.other)) for part in desk.parts.values()}
    work = Sheetwork("calculator", [RoleCells(role, tuple(keys)) for role, keys in roles.items()])
    work.ratings = ratings
    work.facts = _facts(desk, proof)
    work.proposals = proposals
    work.listed = work.rated = len(pairs) if news else 0
    faults = [one for one in proposals if one.severity != NOTE]
    work.replayed = bool(news) and not faults and proof.values_agree()
    if not work.replayed:
        work.reason = "a calculator: its formulas were probed one by one; " + _open(sorted(news), faults)
    return work


def _open(news: list[Key], faults: list[Proposal]) -> str:
    """Why new ratings were not compared with what the rule gives."""
    if not news:
        return "it has no new rating to compare"
    what = "the rule is not clear before they are mended" if faults else "no rule gives them all"
    return f"the new ratings stand in {range_text(news)}, but {what}"


def _facts(desk: Desk, proof: Proof) -> dict[str, object]:
    parts = list(desk.parts.values())
    shapes = [shape for part in parts if part.kind != "E" and (shape := proof.shape_of(part)) is not None]
    names = [shape.name for shape in shapes] or [part.curve.name for part in parts]
    facts: dict[str, object] = {"curve": Counter(names).most_common(1)[0][0]}
    caps = [shape.cap for shape in shapes if shape.cap is not None]
    if caps:
        facts["cap"] = caps[0]
    if desk.scale is not None and any(part.curve.scale is not None for part in parts):
        facts["scale"] = desk.scale
    ks = Counter(round(part.k, 6) for part in parts if part.kind != "E")
    if ks:
        facts["k"] = ks.most_common(1)[0][0]
    advantages = {abs(part.curve.advantage) for part in parts if abs(part.curve.advantage) > 1e-6}
    if advantages:
        facts["advantage"] = max(advantages)
    if any(part.rounded for part in parts):
        facts["rounding"] = "of the whole formula or of a part"
    return facts


__all__ = ["recognise"]
