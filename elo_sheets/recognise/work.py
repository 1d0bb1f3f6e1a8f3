"""The order of work: values, runs, roles, layouts, proposals, judgement."""

from __future__ import annotations

import dataclasses
from collections.abc import Container, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, field

from elo_sheets.detective.explain import Examined, Examiner
from elo_sheets.detective.gains import shown
from elo_sheets.detective.gate import lawful
from elo_sheets.detective.houses import but_declared
from elo_sheets.detective.months import from_earlier, from_earlier_sheets, from_others
from elo_sheets.detective.on_ladders import not_carried
from elo_sheets.detective.overlooked import overlooked
from elo_sheets.detective.partners import seats_alike, uneven_sides
from elo_sheets.detective.pasted import begun_late, pasted
from elo_sheets.detective.residuals import unexplained
from elo_sheets.detective.restored import restored
from elo_sheets.detective.scales import odd_logarithms, odd_scales
from elo_sheets.detective.second_forms import second_forms
from elo_sheets.detective.standings import wrong_totals
from elo_sheets.detective.trial import Case, Outcome, case_of, tried
from elo_sheets.detective.typed import NAMES, typed_faults
from elo_sheets.detective.witness import Testimony, testimony
from elo_sheets.engines.recalculate import Values
from elo_sheets.errors import NotChecked
from elo_sheets.expr import Binary, Expr
from elo_sheets.files.package import Book, CellError
from elo_sheets.recognise.arrays import expanded
from elo_sheets.recognise.cells import find_runs, find_suspects
from elo_sheets.recognise.context import LAST, NOTE, ROLES, Context, Proposal, RoleCells, Sheetwork
from elo_sheets.recognise.departures import departures
from elo_sheets.recognise.direction import turns_of
from elo_sheets.recognise.evaluate import Evaluator
from elo_sheets.recognise.given import from_side, resolve, with_given
from elo_sheets.recognise.judge import judge
from elo_sheets.recognise.layouts import LAYOUTS
from elo_sheets.recognise.ledgers import carried
from elo_sheets.recognise.ledgers.rankings import order_faults
from elo_sheets.recognise.ledgers.stated import stated
from elo_sheets.recognise.ledgers.unmoved import standing
from elo_sheets.recognise.ledgers.whatifs import what_if_faults
from elo_sheets.recognise.model import Area, Key, Model, Recognised, at_cell, range_text
from elo_sheets.recognise.own_forms import where_nothing
from elo_sheets.recognise.periods.crosstables import result_faults
from elo_sheets.recognise.periods.performances import performance_faults
from elo_sheets.recognise.repair import compute
from elo_sheets.recognise.repeated import repeated_faults
from elo_sheets.recognise.roles import has_power
from elo_sheets.recognise.stored import stale, unreadable
from elo_sheets.recognise.transposed import Turn, Upwards, turned
from elo_sheets.recognise.wording import as_typed, boxed, once, one_total
from elo_sheets.verdict.book_faults import book_faults, short_ranges
from elo_sheets.verdict.findings import RULES, Finding, Role

_HOW = {"probe": "proven", "replay": "proven", "shape": "shape", "header": "header", "given": "given"}
RUNNING = ("player-game matrix", "unknown")  # layouts whose ratings run on from game to game
LOWEST, HIGHEST = 100.0, 10000.0  # rating points
MOST_TURNS = 6  # sheets that are looked at from another side, some of them twice
OF_SHAPE = ("ES107", "ES108", "ES201", "ES202")  # said of a cell because it differs from its neighbours


def examine(
    book: Book, engine: str, tolerance: float, timeout: float, given: dict[str, str], allowed: dict[str, float]
) -> Recognised:
    """Return what a book is and what is wrong with it; see `recognise_book`."""
    has_formulas = any(cell.formula is not None for cells in book.sheets.values() for cell in cells.values())
    book = expanded(book)
    resolve(book, given)
    version: str = ""
    values: Values = {}
    failed: str | None = None
    if has_formulas:
        try:
            version, answers = compute([book], engine, timeout)
            values = answers[0]
        except NotChecked as reason:
            failed = str(reason)
    values = _with_stored(book, values)
    model, turns = faced(Model(book, values))
    for turn in turns:
        values, given = turn.values(values), from_side(given, turn)
    upwards = {turn.sheet for turn in turns if isinstance(turn, Upwards)}
    inquiry = Inquiry(engine, timeout, tolerance, given, allowed, upwards)
    first = inquiry.of(model, values)
    mended = restored(first, inquiry.again)
    cases = inquiry.measured(model, values, mended) if mended else tried(first, inquiry.again)
    findings = [case.finding for case in cases]
    findings += [*stale(model, values, first.ratings), *unreadable(model)]
    if not any(one.severity != NOTE for one in findings):
        findings += _stops(first)
    findings += short_ranges(model.book) if turns else []
    ratings = first.ratings
    for turn in reversed(turns):
        findings = list(map(turn.finding, findings))
        ratings = set(map(turn.key, ratings))
    findings += [boxed(f, book) for f in book_faults(book, watched=[(key[0], key[1:]) for key in ratings])]
    findings = list(as_typed(once(findings), book))
    found = _recognised(model, first.works, findings, version, has_formulas, failed)
    return _at_home(found, turns)


def _stops(found: Worked) -> list[Finding]:
    """Where a replay stopped in a book of which nothing else is wrong: a note, with the numbers that differ there."""
    replays = [one for work in found.works for one in work.replays if one.reason is not None]
    return [
        Finding(
            "ES902", NOTE, range_text([one.at]), f"{RULES['ES902'].meaning}: {one.reason}",
            one.expected, one.found, 0.0, "shape",
        )
        for one in replays if found.reason is not None and one.at is not None
    ]  # fmt: skip


@dataclass
class Worked(Outcome):
    """What an examination came to, with what the layouts made of the sheets."""

    works: list[Sheetwork] = field(default_factory=list)
    ratings: set[Key] = field(default_factory=set)


@dataclass(frozen=True)
class Inquiry:
    """How a book, and every copy of it, is examined."""

    engine: str
    timeout: float
    tolerance: float
    given: dict[str, str]
    allowed: dict[str, float]
    upwards: set[str]

    def again(self, copies: Sequence[Book]) -> list[Worked | None]:
        """Examine copies, with one start of the engine; None for what it cannot compute."""
        try:
            computed = compute(copies, self.engine, self.timeout)[1]
        except NotChecked:
            return [None] * len(copies)
        return [self.of(Model(book, values), values) for book, values in zip(copies, computed, strict=True)]

    def measured(self, model: Model, values: Values, proposals: Sequence[Proposal]) -> list[Case]:
        """The cases of proposals for a book of which no ratings are known."""
        context = Context(model, Evaluator(model), [], [], self.engine, self.timeout, self.tolerance, self.given)
        return judge(context, values, proposals, sorted(_likely_ratings(model)))

    def of(self, model: Model, values: Values) -> Worked:
        """Examine a book as it stands."""
        cells = resolve(model.book, self.given)
        runs = find_runs(model)
        suspects = find_suspects(model, runs)
        context = Context(
            model, Evaluator(model), runs, suspects, self.engine, self.timeout, self.tolerance, self.given
        )
        context.allowed, context.upwards = self.allowed, self.upwards
        works = _sheetworks(context)
        if cells:
            works = works or [Sheetwork("unknown")]
            told = with_given(works, cells, model)
            works[0].roles += told
        proposals, rating, examined = _proposals(context, works)
        if self.allowed and works:
            works[0].facts["allowed"] = ", ".join(sorted(context.houses)) or "nothing of what was declared is needed"
        ratings = {key for work in works for key in work.ratings} or _likely_ratings(model)
        ratings |= rating
        cases = judge(context, values, proposals, sorted(ratings))
        cases += [case_of(finding, model.book) for work in works for finding in work.findings]
        reason = None if works and works[0].replayed else "not replayed"
        sound, broken = (
            {(sheet, row) for sheet, rows in games.items() for row in rows}
            for games in (examined.sound, examined.broken)
        )
        shares = {key for work in works for one in work.roles if one.role == "E" for key in one.cells}
        return Worked(model, one_total(cases), reason, context.evaluator.work, sound, broken, shares, works, ratings)


def _proposals(context: Context, works: list[Sheetwork]) -> tuple[list[Proposal], set[Key], Examined]:
    """What is wrong as far as anybody can tell, the cells of it that are ratings outside of games, and the games."""
    roles = _role_map(works)
    proposals = [p for work in works for p in work.proposals]
    excused = {key for work in works for key in work.excused}
    departing = [p for p in departures(context, roles) if not set(p.cells) <= excused]
    departing += repeated_faults(context, roles, {key for p in (*proposals, *departing) for key in p.cells})
    judged = {f.range.rpartition("!")[0].strip("'") for work in works for f in work.findings}
    examined = Examiner(context, [*proposals, *departing]).examine()
    departing = list(_notes_outside(context, {key[0] for key in roles} | examined.logs.keys(), departing, judged))
    proposals += [p for p in departing if not _majority_is_wrong(context, examined, p)]
    proposals += examined.proposals
    forms = (*second_forms(context, examined), *(not_carried(examined.facts) if examined.facts else ()))
    proposals += [p for p in forms if not _has_told(proposals, p)]
    of_logs = (uneven_sides, seats_alike, pasted, begun_late)
    uneven = (p for log in examined.logs.values() for told in of_logs for p in told(context, log))
    proposals += [p for p in uneven if not _has_told(proposals, p)]
    odd = (*odd_scales(context, works), *odd_logarithms(context))
    proposals += [p for p in odd if not _has_told(proposals, p)]
    rating = [*standing(context), *performance_faults(context)]
    proposals += [*stated(context), *rating, *result_faults(context)]
    proposals += order_faults(context, {key for work in works for key in work.ratings})
    proposals += [*from_others(context), *from_earlier(context), *from_earlier_sheets(context)]
    proposals = list(but_declared(proposals, context.houses, examined.houses))
    if not works and any(log.lines or log.exchanged for log in examined.logs.values()):
        lined = any(log.lines for log in examined.logs.values())
        works.append(Sheetwork("player-game matrix" if lined else "log"))
    said = testimony(context, examined)
    proposals = list(lawful(context, examined.logs, proposals, said))
    sheets = _rated(context.model, {key[0] for key in roles} | examined.logs.keys())
    reads = {(key[0], area.sheet) for key, form in context.model.forms.items() for area in form.areas if area.sheet}
    sheets |= {one for pair in reads if sheets & {*pair} for one in pair}  # what they read, and what reads them
    proposals += [p for p in overlooked(context.model, sheets) if not _has_told(proposals, p)]
    typed = [*typed_faults(context, examined), *wrong_totals(context, examined)]
    games = {(sheet, row) for sheet, log in examined.logs.items() for row in log.games}
    if any(p.code in NAMES and p.cells[0][:2] not in games for p in typed):  # the list is at fault, and no game
        proposals = [p for p in proposals if p.code not in NAMES]
    proposals += [p for p in typed if not _has_told(proposals, p)]
    proposals += unexplained(context, examined.logs, said, proposals)
    if not any(p.severity != NOTE for p in proposals):
        hidden, unasked = what_if_faults(context, [one for work in works for one in work.replays])
        proposals += hidden
        if unasked is not None:
            works[0].facts["what_if"] = f"not asked: {unasked}"
    proposals = where_nothing(context, proposals)
    mended = {key for one in proposals if one.repairs for key in one.cells}
    proposals = [
        one for one in _of_owners(works, proposals) if one.rank < LAST or one.repairs or not mended & {*one.cells}
    ]
    if not context.given:  # roles that a person gave are asked for by the replay alone
        _settle(works, examined, said)
    return proposals, {key for p in rating for key in p.cells}, examined


def _of_owners(works: Iterable[Sheetwork], proposals: list[Proposal]) -> list[Proposal]:
    """Return the proposals, of which those on cells that a layout judges alone are its own."""
    owned = {key for work in works if work.replayed or work.proposals for key in work.owned}
    own = [one for work in works if work.owned for one in work.proposals]
    if not owned:
        return proposals
    told = owned | {key for one in own for key in one.cells}
    return [*own, *(one for one in proposals if not told & set(one.cells))]


def _settle(works: list[Sheetwork], examined: Examined, said: Testimony) -> None:
    """Let a book count as replayed where the witness has held every game of every log against a number."""
    logs = {
        sheet for sheet, log in examined.logs.items()
        if log.before or log.typed_ratings or log.carried or log.lines or sheet in said.events
    }  # fmt: skip
    stopped = {one.sheet for work in works for one in work.replays if one.reason is not None}
    known = all(said.knows(sheet) and not examined.broken.get(sheet) for sheet in logs)
    if not works or not logs or works[0].replayed or not stopped <= logs or not known or said.residuals:
        return
    games = sum(said.games[sheet] for sheet in logs)
    works[0].replayed, works[0].reason, works[0].listed, works[0].rated = True, None, games, games
    if works[0].layout == "unknown":  # what its parts look like was held against nothing
        works[0].facts.pop("k", None)
        works[0].layout = "tournament" if said.events else "unknown"


def _notes_outside(
    context: Context, rated: set[str], proposals: Iterable[Proposal], judged: Container[str]
) -> Iterator[Proposal]:
    """Proposals, of which those on sheets that compare no ratings are notes, one for each code and sheet.

    `judged` are the sheets of which a total is wrong already: what departs there is the cause of it.
    """
    rated = _rated(context.model, rated)
    apart: dict[tuple[str, str], list[Proposal]] = {}
    for one in proposals:
        if one.cells[0][0] not in rated and _is_of_its_own(context, one):
            continue
        if one.cells[0][0] in rated or one.cells[0][0] in judged or one.code not in OF_SHAPE:
            yield one
        else:
            apart.setdefault((one.code, one.cells[0][0]), []).append(one)
    for same in apart.values():
        cells = tuple(key for one in same for key in one.cells)
        yield dataclasses.replace(same[0], cells=cells, repairs={}, fix=None, severity=NOTE, effect=0.0)


def _rated(model: Model, sheets: Set[str]) -> set[str]:
    """The sheets that compare ratings, those with the lists that games read, and those from which the lists start."""
    rated = {*sheets, *(key[0] for key, form in model.forms.items() if has_power(form.tree))}
    lists = {key[0] for key, form in model.forms.items() if any(area.sheet in rated for area in form.areas)}
    rated |= {area.sheet for key, form in model.forms.items() if key[0] in rated for area in form.areas
              if area.sheet in lists}  # fmt: skip
    rated |= {start[0] for key in model.forms if key[0] in rated | lists and (model.number(key) or 0.0) >= LOWEST
              and (start := shown(model.tree(key), key[0])) is not None}  # fmt: skip
    return rated


def _is_of_its_own(context: Context, proposal: Proposal) -> bool:
    """Whether a departing cell is of another kind than its neighbours: a total under them, a name beside numbers."""
    model, key = context.model, proposal.cells[0]
    above = (area.sheet == key[0] and area.row < area.bottom < key[1] for area in model.areas(key))
    if key[:2] in context.subtotals or any(above):
        return True
    form = model.form_of(proposal.repairs[key], key) if key in proposal.repairs else None
    due = None if form is None else context.evaluator.tree_value(at_cell(form.tree, key), key, {})
    return bool(model.value(key)) and isinstance(model.value(key), str) and isinstance(due, (int, float))


def _has_told(proposals: Iterable[Proposal], proposal: Proposal) -> bool:
    """Whether another proposal names a cell of the same column in the same rows."""
    own = set(proposal.cells)
    return any(one.severity != NOTE and own & set(one.cells) for one in proposals)


def _majority_is_wrong(context: Context, examined: Examined, proposal: Proposal) -> bool:
    """Whether a cell departs from formulas that are no rating rule, and is in a game in which all holds itself."""
    key = proposal.cells[0]
    suspect = next((one for one in context.suspects if one.key == key), None)
    if suspect is None or key[1] not in examined.sound.get(key[0], ()):
        return False
    usual = next((cell for cell in suspect.run.cells() if suspect.run.fits(context.model, cell)), None)
    return usual is not None and usual[1] in examined.broken.get(usual[0], ())


def faced(model: Model) -> tuple[Model, list[Turn]]:
    """Return the book with every sheet so that its games run down, the newest last, and the turns that it took."""
    turns: list[Turn] = []
    while len(turns) < MOST_TURNS and (more := turns_of(model)):
        for turn in more:
            model = Model(turned(model.book, turn), turn.values(model.computed))
        turns += more
    return model, turns


def _at_home(found: Recognised, turns: list[Turn]) -> Recognised:
    """What was recognised, by the names that the cells have in the book as it stands; the findings have them."""
    for turn in reversed(turns):
        facts = {name: turn.message(fact) if isinstance(fact, str) else fact for name, fact in found.facts.items()}
        reason = None if found.reason is None else turn.message(found.reason)
        found = dataclasses.replace(found, roles=tuple(map(turn.role, found.roles)), facts=facts, reason=reason)
    return found


def _with_stored(book: Book, values: Values) -> Values:
    """The computed values, the stored one where the engine does not know a function."""
    found: Values = {}
    for sheet, cells in values.items():
        own = book.sheets.get(sheet, {})
        found[sheet] = {
            place: own[place].value
            if isinstance(value, CellError) and value == "#NAME?" and place in own and own[place].value is not None
            else value
            for place, value in cells.items()
        }
    return found


def _sheetworks(context: Context) -> list[Sheetwork]:
    found = []
    for layout in LAYOUTS:
        work = layout.recognise(context)
        if work is not None and work.owned:
            return [work]
        if work is not None:
            found.append(work)
    matrix = next((work for work in found if work.layout == "player-game matrix"), None)
    if matrix is not None and not any(work.replays for work in found):
        matrix.proposals += carried.rule_faults(context)
    found.sort(key=_rank)
    return _with_replays(found)


def _rank(work: Sheetwork) -> tuple[int, int]:
    """What the book is called after: calculators, then ledgers that were replayed, then the rest."""
    first = {"calculator": 0, "unknown": 2}.get(work.layout, 1)
    return first, 0 if work.replayed else 1


def _with_replays(works: list[Sheetwork]) -> list[Sheetwork]:
    """Let a layout of running ratings have what the replay of its sheets gave."""
    running = next((work for work in works if work.replays), None)
    main = works[0] if works else None
    for work in works if running is not None and running.replayed else ():
        if work is not running and work is not main:
            work.roles, work.facts = [], {}
    if main is None or running is None or main is running or main.replayed or main.layout not in RUNNING:
        return works
    main.listed, main.rated = running.listed or main.listed, running.rated
    main.replayed, main.reason = running.replayed, None if running.replayed else running.reason
    main.facts.update(running.facts)
    return works


def _role_map(works: Iterable[Sheetwork]) -> dict[Key, str]:
    roles: dict[Key, str] = {}
    for work in works:
        for one in work.roles:
            for key in one.cells:
                roles.setdefault(key, one.role)
    return roles


def _likely_ratings(model: Model) -> set[Key]:
    """Without roles: the formula cells whose numbers have the size of ratings, or that go on from such in a column."""
    found = set()
    ratings: set[tuple[str, int]] = set()  # columns that begin with a rating: a fault may carry them anywhere
    for key in sorted(model.forms, key=lambda k: (k[0], k[2], k[1])):
        number, tree, column = model.number(key), model.tree(key), (key[0], key[2])
        power = tree is not None and has_power(tree) and not any(isinstance(n, Area) for n in _summands(tree))
        if number is None or power:
            continue
        if abs(number) >= LOWEST and (abs(number) < HIGHEST or column in ratings):
            found.add(key)
            ratings.add(column)
    return found


def _summands(tree: Expr) -> list[Expr]:
    """What a formula adds up: a new rating adds its own rating, a power of a rating is none."""
    if isinstance(tree, Binary) and tree.operator in "+-":
        return [*_summands(tree.left), *_summands(tree.right)]
    return [tree]


def _recognised(
    model: Model, works: list[Sheetwork], findings: list[Finding], version: str, has_formulas: bool, failed: str | None
) -> Recognised:
    layout = works[0].layout if works and has_formulas else "unknown" if has_formulas else "values-only"
    facts: dict[str, object] = {}
    for work in reversed(works):
        facts.update(work.facts)
    roles = tuple(
        Role(f"{one.role} {ROLES.get(one.role, '')}".strip(), range_text(list(one.cells)), one.by, _HOW[one.by])
        for work in works
        for one in work.roles
        if one.cells
    ) + tuple(role for work in works for role in work.named_roles)
    replayed = bool(works and works[0].replayed)
    reason = failed if failed is not None or replayed else _reason(model, works, has_formulas)
    return Recognised(
        layout,
        roles,
        facts,
        tuple(findings),
        reason,
        *((works[0].listed, works[0].rated) if works else (0, 0)),
        model.formula_count,
        version,
    )


def _reason(model: Model, works: list[Sheetwork], has_formulas: bool) -> str:
    sheets = ", ".join(f"{sheet} ({len(cells)} cells)" for sheet, cells in model.book.sheets.items() if cells)
    looked = f"; looked at {sheets}" if sheets else ""
    if not has_formulas:
        return f"the book holds values and no formulas: there is nothing to recalculate{looked}"
    if works and works[0].reason:
        return works[0].reason if "!" in works[0].reason else f"{works[0].reason}{looked}"
    if works and works[0].layout == "unknown":
        return f"there are ratings, but not the games that move them{looked}"
    if works:
        return f"looks like a {works[0].layout}, but its games could not be replayed{looked}"
    if not any(has_power(form.tree) for form in set(model.forms.values())):
        return f"no formula here expects a result of two ratings: nothing to replay{looked}"
    return f"no layout that is known here{looked}"


__all__ = ["NotChecked", "Proposal", "RoleCells", "Values", "examine"]
