"""What a workbook of ours says besides its games: the rule and settings that it rates by, and what its players start
from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from elo_sheets.errors import NotChecked, UnreadableInput, UsageError
from elo_sheets.games import GamesRead, Problem, identity
from elo_sheets.readers.sheets import OF_OURS

if TYPE_CHECKING:
    from elo_sheets.engines.sanitised import Values
    from elo_sheets.files.cells import Book
    from elo_sheets.systems import Rules
    from elo_sheets.validate.read import Manifest, Typed
    from elo_sheets.verdict.findings import Finding
    from elo_sheets.workbook.book import Book as PlannedBook

# What stands before the name of a book whose start ratings are meant, and not its last ones.
STARTS = "starts:"
RATED = "rated"


class _WhenAsked(dict[str, Any]):
    """What an engine computes of a book, recalculated once a typed cell proves to be a formula."""

    def __init__(self, book: Book) -> None:
        super().__init__()
        self.book = book

    @cached_property
    def computed(self) -> Values:
        from elo_sheets.engines.recalculate import recalculate

        return recalculate(self.book).values

    def get(self, sheet: str, default: Any = None) -> Any:
        return self.computed.get(sheet, default)


def is_our_book(path: str | Path) -> bool:
    """Return whether a file is a workbook that elo-sheets made; any other file is a log."""
    from elo_sheets.files.package import is_book_with
    from elo_sheets.workbook.book import MANIFEST

    return str(path) != "-" and is_book_with(Path(path), MANIFEST)


def typed_into(
    path: str | Path, given: Sequence[Rules] = ()
) -> tuple[Manifest, Typed, dict[str, Any], PlannedBook, Sequence[Finding]]:
    """Return what a workbook of ours is, what was typed, its settings, its input, and what is amiss with settings.

    `given` are rules that are not built in, of which it takes those that it names. Raises `NotChecked` for a workbook
    that cannot be read back.
    """
    from elo_sheets.files.package import read_book
    from elo_sheets.validate.read import (
        Typed,
        read_inputs,
        read_manifest,
        read_settings,
        with_own_columns,
        with_own_names,
    )
    from elo_sheets.workbook.templates import template

    book = read_book(Path(path))
    try:
        manifest = read_manifest(book, given)
        book = with_own_columns(with_own_names(book, template(manifest.template)))
        typed = Typed(book, _WhenAsked(book))
        settings, findings = read_settings(book, typed, manifest)
        inputs = read_inputs(book, typed, manifest, settings, {})
    except NotChecked as reason:
        raise NotChecked(f"{path}: {reason}") from None
    return manifest, typed, settings, inputs, findings


def starts_of_book(path: str | Path) -> tuple[dict[str, dict[str, float]], bool]:
    """Return what each player of a book starts from, as it is typed, and whether that is after games of an Archive.

    Raises `UsageError` for a file that is no book of ours, or one of a single player.
    """
    from elo_sheets.systems.sides import SidedSystem
    from elo_sheets.workbook.fits import holds_sides, view_of
    from elo_sheets.workbook.sourced import form_of

    if not is_our_book(path):
        raise UsageError(
            f"expected a workbook of elo-sheets behind {STARTS}, got {str(path)!r}; a list goes without it"
        )
    manifest, _, settings, planned, _ = typed_into(path)
    view = view_of(manifest.template)
    if not view.games_table or not view.is_replayed or view.rows_a_game == 1:
        raise UsageError(
            f"{path} has no list of players who start from something: template {manifest.template}; give "
            "--start NAME=RATING"
        )
    if holds_sides(manifest.template):
        from elo_sheets.workbook.sides.pool import SidedPool
        from elo_sheets.workbook.sides.view import shape_of_form

        shape = shape_of_form(form_of(manifest.template, manifest.options))
        assert isinstance(manifest.system, SidedSystem)
        return SidedPool(manifest.system, settings, planned.inputs, shape).typed_starts(), False
    pool = view.read_pool(form_of(manifest.template, manifest.options), manifest.system, settings, planned.inputs)
    return pool.typed_starts(), "Archive" in planned.inputs.tables


@dataclass(frozen=True)
class AsBook:
    """How a book of ours rates: its rule, its settings, its starts as `--start` takes them, and whose journal it is."""

    system: Rules
    settings: Mapping[str, object]
    start: str | None
    player: str | None
    # What a win, a draw and a loss count in the table of a season.
    points: tuple[float, float, float] | None = None
    # The state of each game of a pool whose book is read alone, by the row in which it is typed.
    states: Mapping[int, str] = field(default_factory=dict)

    def rated_of(self, log: GamesRead) -> GamesRead:
        """Return a log with the games that the book rates, in the order of their rows."""
        if not self.states:
            return log
        states = log.games["source_row"].map(self.states).fillna("its row is beyond those that the book rates")
        told = zip(log.games["source"], log.games["source_row"], states, strict=True)
        left = [
            Problem(str(source), int(row), "", "", f"not rated: {state}")
            for source, row, state in told
            if state != RATED
        ]
        games = log.games[states == RATED].sort_values("source_row", kind="stable", ignore_index=True)
        games["game"] = range(1, len(games) + 1)
        return replace(log, games=games, problems=[*log.problems, *left])

    @property
    def asked(self) -> dict[str, Any]:
        """How logs are rated by it, as the arguments of the functions that rate them."""
        return {"system": self.system, "settings": self.settings, "start": self.start}


def but_its_rule(notes: Sequence[str]) -> list[str]:
    """Return remarks without the one that a book's rule and start ratings were not read."""
    return [note for note in notes if OF_OURS not in note]


def as_it_rates(logs: Sequence[Any], settings: Mapping[str, object] | None, start: object = None) -> AsBook:
    """Return how the one book of ours among logs rates; `settings` that are given count before its own.

    Raises `UsageError` where there is no such book, or several, and for one whose old games are values.
    """
    from elo_sheets.workbook.book import HEADER_ROW
    from elo_sheets.workbook.fits import holds_sides, view_of
    from elo_sheets.workbook.layout import number_or
    from elo_sheets.workbook.sourced import form_of

    if start is not None:
        raise UsageError("--as-book takes the start ratings of the book: leave out --start")
    books = [log for log in logs if isinstance(log, str | Path) and is_our_book(log)]
    if len(books) != 1:
        raise UsageError(f"--as-book takes one workbook of elo-sheets among the logs, got {len(books)}")
    try:
        manifest, _, own, planned, _ = typed_into(books[0])
    except NotChecked as reason:
        raise UnreadableInput(str(reason)) from None
    view = view_of(manifest.template)
    if "Archive" in planned.inputs.tables:
        raise UsageError(
            f"{books[0]} keeps its old games as values, and starts from what they led to: leave out --as-book, and "
            "give --system, --set and --start"
        )
    if not view.games_table or not view.is_replayed:
        raise UsageError(f"{books[0]} rates no games one after the other (template {manifest.template})")
    is_journal = view.rows_a_game == 1
    usual = {p.name: p.default for p in manifest.rules.parameters}
    kept = {
        name: value
        for name, value in own.items()
        if name in usual and (value != usual[name] or (is_journal and name == "initial"))
    }
    said = {**kept, **(settings or {})}
    if is_journal:
        return AsBook(manifest.rules, said, None, manifest.title or None)
    win, draw = (number_or(planned.inputs.cells.get(name), None) for name in ("win_points", "draw_points"))
    points = (win, draw, 0.0) if isinstance(win, float) and isinstance(draw, float) else None
    states: dict[int, str] = {}
    if len(logs) == 1 and not holds_sides(manifest.template):
        form = form_of(manifest.template, manifest.options)
        pool = view.read_pool(form, manifest.system, own, planned.inputs)
        states = {HEADER_ROW + at: game.status for at, game in enumerate(pool.games, 1)}
    return AsBook(manifest.rules, said, f"{STARTS}{books[0]}", None, points, states)


def known_starts(path: str, names: Mapping[str, str]) -> tuple[dict[str, dict[str, float]], str]:
    """Return what the players of a log start from by a book, `names` being theirs by identity, and a remark."""
    told, archived = starts_of_book(path)
    found = {names[identity(name)]: state for name, state in told.items() if identity(name) in names and state}
    behind = ", after the games of its sheet Archive" if archived else ""
    said = f"{len(found)} of {len(names)} players start from what is typed in {path} as their start{behind}; "
    return found, f"{said}the others as the settings say (--start {path} takes its last ratings)"
