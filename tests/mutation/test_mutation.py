"""A slice of the harness: a few layouts with a sample of the operators and rewrites, held to the same bars.

`python -m tests.mutation` runs the whole; its figures are in docs/mutation.md.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from .draft import compute, number_at, write
from .layouts import LAYOUTS, build
from .operators import OPERATORS
from .rewrites import REWRITES
from .run import Tally, _line, perform, rewritten, tasks

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = ("calculator", "single log", "K per player", "player-game matrix", "monthly periods", "league table")


@cache
def tally() -> Tally:
    """One seed; every sixth operator and rewrite, other ones for each layout."""
    work = []
    for i, layout in enumerate(SAMPLE):
        operators = list(OPERATORS)[i % 6 :: 6]
        rewrites = list(REWRITES)[i % 6 :: 6]
        work += tasks([layout], operators, rewrites, 1, 1, False)
    return Tally([outcome for task in work for outcome in perform(task)])


def test_planted_faults_are_found_with_cell_and_code() -> None:
    misplaced = [_line(o) for o in tally().outcomes if o.kind == "faulty" and not o.both]
    assert len(misplaced) <= 0.05 * tally().total.books, "\n".join(misplaced)
    missed = [_line(o) for o in tally().outcomes if o.kind == "faulty" and not o.caught]
    assert len(missed) <= 0.011 * tally().total.books, "\n".join(missed)


def test_effects_are_what_the_engine_computes() -> None:
    off = [f"{_line(o)} effect {o.effect} told {o.told}" for o in tally().outcomes if o.effect_right is False]
    assert off == []


def test_sound_books_stay_silent() -> None:
    assert [_line(outcome) for outcome in tally().alarms] == []


@pytest.mark.parametrize("name", LAYOUTS)
def test_rewrites_keep_every_rating(name: str) -> None:
    """The controls are sound themselves: an engine finds the same ratings in the rewritten book."""
    layout = build(name, 1)
    kept = [(rewrite, draft) for rewrite, draft in rewritten(layout, REWRITES) if REWRITES[rewrite].same]
    before, *after = compute([layout.draft, *(draft for _, draft in kept)])
    shown = (number_at(layout.draft, before, cell) for cell in layout.ratings)
    ratings = {round(value, 6) for value in shown if value is not None}
    assert len(ratings) > 0 or not layout.rated
    for (rewrite, draft), values in zip(kept, after, strict=True):
        numbers = {
            round(value, 6)
            for sheet, cells in draft.sheets.items()
            for place in cells
            if (value := number_at(draft, values, (sheet, place))) is not None
        }
        assert ratings <= numbers, rewrite


def test_there_are_enough_of_each() -> None:
    assert len(LAYOUTS) >= 14
    assert len(OPERATORS) >= 45
    assert sum(rewrite.same for rewrite in REWRITES.values()) >= 22


@pytest.mark.libreoffice
def test_libreoffice_finds_the_ratings_that_the_embedded_engine_finds(tmp_path: Path) -> None:
    """The layouts are computed by one engine and an idiom is respelt for it; another reads the files as they are."""
    from elo_sheets.recalculate import recalculate_many

    layouts = [build(name, 1) for name in LAYOUTS if "XLOOKUP" not in name and name != "values only"]
    computed = compute([layout.draft for layout in layouts])
    paths = [
        write(layout.draft, values, tmp_path / f"{i}.xlsx")
        for i, (layout, values) in enumerate(zip(layouts, computed, strict=True))
    ]
    for layout, values, office in zip(layouts, computed, recalculate_many(paths, "libreoffice"), strict=True):
        for cell in layout.ratings:
            assert number_at(layout.draft, office.values, cell) == pytest.approx(
                number_at(layout.draft, values, cell), abs=1e-6
            ), layout.name


def test_the_page_of_figures_knows_every_operator_and_layout() -> None:
    page = (ROOT / "docs/mutation.md").read_text("utf-8")
    rated = [name for name in LAYOUTS if build(name, 1).rated]
    assert [name for name in (*OPERATORS, *rated) if f"\n| {name} | " not in page] == []
