"""The harness itself: its layouts and rewrites are sound, and there are enough of each.

`python -m tests.mutation` runs all of it and holds the verdicts to their bars; its figures are in docs/mutation.md.
Here every layout is asked about a few faults and rewrites, each time others.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from .draft import compute, number_at, write
from .layouts import LAYOUTS, build
from .operators import OPERATORS
from .rewrites import REWRITES
from .run import Task, perform, rewritten


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


@pytest.mark.parametrize("name", LAYOUTS)
def test_faults_are_found_where_they_are_and_sound_books_are_left_alone(name: str) -> None:
    at, count = list(LAYOUTS).index(name), len(LAYOUTS)
    faults, rewrites = list(OPERATORS)[at::count], list(REWRITES)[at % 12 :: 12]
    for outcome in perform(Task(name, 1, tuple(faults), tuple(rewrites), True, True)):
        if outcome.kind == "faulty":
            assert outcome.both, outcome
        else:
            assert not outcome.caught, outcome


@pytest.mark.parametrize("name", [name for name in LAYOUTS if build(name, 1).facing])
def test_a_book_laid_out_another_way_has_the_same_numbers(name: str) -> None:
    layout = build(name, 1)
    assert layout.facing is not None
    drafts = [layout.draft, *(d for _, d in rewritten(layout, REWRITES) if layout.facing.fits(d))]
    for draft, values, there in zip(
        drafts, compute(drafts), compute([layout.facing.draft(d) for d in drafts]), strict=True
    ):
        assert layout.facing.values(draft, values) == there


def test_there_are_enough_of_each() -> None:
    assert len(LAYOUTS) >= 14
    assert len(OPERATORS) >= 45
    assert sum(rewrite.same for rewrite in REWRITES.values()) >= 22


@pytest.mark.libreoffice
def test_libreoffice_finds_the_ratings_that_the_embedded_engine_finds(tmp_path: Path) -> None:
    """The layouts are computed by one engine and an idiom is respelt for it; another reads the files as they are."""
    from elo_sheets.engines.recalculate import recalculate_many

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
