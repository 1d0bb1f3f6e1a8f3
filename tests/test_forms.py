"""Books of other forms of a rule: the sheets hold that form, the manifest says which, and validate agrees."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from elo_sheets.errors import UsageError
from elo_sheets.readers import read
from elo_sheets.replaying.settings import forming
from elo_sheets.systems import System, system
from elo_sheets.uses.importing import import_logs
from elo_sheets.validate import validate
from elo_sheets.workbook.build import filled_book, plan_book

SAMPLES = Path(__file__).parents[1] / "samples"
LEAGUE = SAMPLES / "internationals_1900s.csv"
EVENT = SAMPLES / "uzchesscup.pgn"
PLAYER = "Praggnanandhaa R"

POOLS = [
    {"advantage": 65},
    {"curve": "linear"},
    {"curve": "normal"},
    {"k_rule": "ladder", "ladder_from": 1550},
    {"advantage": 65, "gap_rule": "cap400"},
]
JOURNALS = [
    ("elo", {"k_rule": "games", "advantage": 30, "floor": 100}),
    ("elo", {"k_rule": "tennis", "k": 250}),
    ("fide", {"kind": "rapid"}),
    ("fide", {"kind": "blitz"}),
]


@pytest.mark.parametrize("settings", POOLS, ids=str)
def test_a_league_in_another_form_agrees(settings: dict[str, object], tmp_path: Path) -> None:
    path = tmp_path / "league.xlsx"
    import_logs([LEAGUE], path, settings=settings)
    verdict = validate(path)
    assert (verdict.status, verdict.findings) == ("agrees", ())


@pytest.mark.parametrize(("name", "settings"), JOURNALS, ids=str)
def test_a_journal_in_another_form_agrees(name: str, settings: dict[str, object], tmp_path: Path) -> None:
    path = tmp_path / "journal.xlsx"
    import_logs([EVENT], path, system=name, settings=settings, player=PLAYER)
    verdict = validate(path)
    assert (verdict.status, verdict.findings) == ("agrees", ())


@pytest.mark.libreoffice
def test_a_league_with_the_normal_curve_agrees_in_libreoffice(tmp_path: Path) -> None:
    path = tmp_path / "league.xlsx"
    import_logs([LEAGUE], path, settings={"curve": "normal"})
    assert validate(path, engine="libreoffice").status == "agrees"


def test_a_setting_typed_over_keeps_the_form_of_the_sheets() -> None:
    elo = system("elo")
    book = filled_book("league", elo, {"advantage": 65}, read([str(LEAGUE)]).games)
    typed = dataclasses.replace(book, settings={**book.settings, "advantage": 0.0}, form=book.settings)
    shape = [(f.sheet, f.row, f.column, f.formula) for f in plan_book(book).formulas()]
    assert [(f.sheet, f.row, f.column, f.formula) for f in plan_book(typed).formulas()] == shape


def test_the_manifest_names_what_decides_the_form_alone() -> None:
    elo = system("elo")
    assert isinstance(elo, System)
    values = elo.settings({"k": 40, "advantage": 65, "k_rule": "ladder", "second_k": 5})
    assert forming(elo, values) == ["advantage", "k_rule"]


@pytest.mark.parametrize(
    ("template", "name", "settings", "words"),
    [
        ("league", "fide", {"rules": "dated"}, "widest"),
        ("journal", "fide", {"rules": "dated"}, "widest"),
        (
            "league",
            "uschess",
            {},
            "uschess rates many games at once; .*the template event holds uschess, and replay gives the",
        ),
    ],
)
def test_a_form_that_a_template_cannot_hold_is_refused(
    template: str, name: str, settings: dict[str, object], words: str, tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match=words):
        import_logs([EVENT], tmp_path / "b.xlsx", template=template, system=name, settings=settings)
    assert not list(tmp_path.iterdir())
