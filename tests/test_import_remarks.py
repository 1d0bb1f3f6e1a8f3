"""What `import` says of a log that a template can hold only in part, or not at all."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from elo_sheets.errors import UnreadableInput
from elo_sheets.uses.importing import import_logs
from elo_sheets.validate import validate

POOLS = b"""date,white,black,result,white_rating,black_rating,pool
2024-05-01,Ann,Bob,1-0,1500,1600,blitz
2024-05-02,Cid,Ann,1-0,1700,1500,rapid
"""
UNDATED = b"white,black,result\nAnn,Bob,1-0\nBob,Cid,0-1\n"


def notes(log: bytes, **how: object) -> list[str]:
    return import_logs([io.BytesIO(log)], "book.xlsx", dry_run=True, **how).notes  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("template", "player", "said"),
    [
        ("journal", "Ann", "each has a rating of its own"),
        ("league", None, "rated together unless --pool is given"),
        ("ratings-list", None, "rated together unless --pool is given"),
    ],
)
def test_the_remark_on_pools_says_what_the_template_does(template: str, player: str | None, said: str) -> None:
    assert f"2 pools in this log: blitz 1, rapid 1; {said}" in notes(POOLS, template=template, player=player)


@pytest.mark.parametrize(
    ("template", "settings", "remedy"),
    [
        ("ratings-list", {}, "take --template league"),
        ("ratings-list", {"period": "year"}, "take --template league"),
        ("league", {"period": "month"}, "say --set period=game"),
        ("journal", {"period": "month"}, "say --set period=game"),
    ],
)
def test_a_log_without_dates_is_refused_where_the_calendar_rates(
    template: str, settings: dict[str, object], remedy: str, tmp_path: Path
) -> None:
    player = "Bob" if template == "journal" else None
    with pytest.raises(UnreadableInput, match=f"no game in the log has a date.*{remedy}") as refused:
        import_logs([io.BytesIO(UNDATED)], tmp_path / "b.xlsx", template=template, player=player, settings=settings)
    assert refused.value.exit_code == 3
    assert not (tmp_path / "b.xlsx").exists()


def test_a_log_without_dates_is_rated_game_by_game() -> None:
    assert not any("not rated" in note for note in notes(UNDATED, template="league"))


def test_games_without_a_date_among_dated_ones_are_counted() -> None:
    log = b"date,white,black,result\n2024-05-01,Ann,Bob,1-0\n,Bob,Cid,0-1\n"
    assert "1 of 2 games have no date: listed, but not rated" in notes(log, template="ratings-list")


@pytest.mark.parametrize("template", ["season", "league", "ratings-list", "compare"])
def test_games_without_the_goals_that_a_rule_needs_are_counted(template: str) -> None:
    log = b"date,home,away,result\n2024-05-01,Team 1,Team 2,1-0\n2024-05-02,Team 2,Team 1,0-1\n"
    assert "2 of 2 games have no points: listed, but not rated" in notes(
        log, template=template, system="world-football"
    )


def test_a_season_of_games_without_goals_is_rated_by_elo_and_says_so(tmp_path: Path) -> None:
    log = io.BytesIO(b"date,home,away,result\n2024-05-01,Team 1,Team 2,1-0\n2024-05-02,Team 2,Team 1,0-1\n")
    done = import_logs([log], tmp_path / "b.xlsx", template="season")
    assert done.made["system"] == "elo"
    assert "no game has goals or points: rated by elo, not by world-football, which needs them" in done.notes
    assert validate(tmp_path / "b.xlsx").status == "agrees"


def test_games_of_an_event_against_the_unrated_are_counted() -> None:
    log = b"white,black,result,white_rating,black_rating\nAnn,Bob,1-0,1500,1600\nBob,Cid,0-1,1600,\n"
    assert "1 of 2 games have the status 'unrated opponent': listed, but not rated" in notes(log, template="event")


def test_the_days_that_excel_shows_otherwise_are_counted() -> None:
    log = b"date,white,black,result\n1900-02-03,Ann,Bob,1-0\n1900-03-01,Bob,Ann,0-1\n"
    said = [note for note in notes(log, template="league") if "Excel" in note]
    assert said == ["days before 1 March 1900 (1): Excel shows them one day later than other programs"]
