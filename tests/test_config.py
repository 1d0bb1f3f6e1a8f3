"""The file `elo-sheets.toml`, `--quiet`, notes that are counted, colours and completion."""

from __future__ import annotations

import errno
import sys
from pathlib import Path

import pytest

from elo_sheets import _outside
from elo_sheets.cli import run_command
from elo_sheets.cli._config import find_config
from elo_sheets.cli._notes import grouped_notes, grouped_problems
from elo_sheets.errors import UsageError
from elo_sheets.files.package import read_book
from elo_sheets.games import Problem

pytestmark = pytest.mark.fast

LOG = "Home,Away,result\nAnand,Carlsen,1-0\nCarlsen,Aronian,1-0\nAronian,Anand,?!\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder below one with a config file, which is the working folder."""
    (tmp_path / "elo-sheets.toml").write_text(
        'system = "elo"\n[settings]\nk = 40\n[mapping]\nwhite = "Home"\nblack = "Away"\n'
    )
    below = tmp_path / "2026"
    below.mkdir()
    (below / "log.csv").write_text(LOG)
    monkeypatch.chdir(below)
    return below


def ratings(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[str, str]:
    assert run_command(["replay", "log.csv", *arguments]) == 0
    return capsys.readouterr()


def test_a_file_above_gives_what_the_command_line_does_not(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, err = ratings(capsys)
    assert "Anand" in out
    assert "1520.0" in out  # K 40, half of it won
    assert "uses its system, settings, mapping" in err


def test_the_command_line_wins_setting_by_setting(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = ratings(capsys, "--set", "k=20")
    assert "1510.0" in out


def test_a_file_names_the_sport(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "elo-sheets.toml").write_text('profile = "football"\n')
    assert run_command(["import", "log.csv", "-o", "book.xlsx"]) == 0
    assert "uses its profile" in capsys.readouterr().err
    assert "Home" in {cell.value for cell in read_book(folder / "book.xlsx").sheets["Games"].values()}
    (folder / "elo-sheets.toml").write_text('profile = "mine.toml"\n')
    found = find_config(folder)
    assert found is not None
    assert found.values == {"profile": str(folder / "mine.toml")}


def test_settings_of_another_system_are_left_out_by_name(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, err = ratings(capsys, "--system", "glicko2", "--set", "period=game")
    assert "settings: those of another system" in err


def test_quiet_counts_what_was_left_out_and_says_no_note(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, err = ratings(capsys, "--quiet")
    assert "Anand" in out
    assert err == "left out: 1 row was left out; without --quiet each is named\n"


def test_an_error_says_that_the_file_gave_it(folder: Path) -> None:
    (folder / "other.csv").write_text(LOG.replace("Home", "White"))
    with pytest.raises(Exception, match=r"given by .*elo-sheets\.toml; --no-config leaves it out"):
        run_command(["replay", "other.csv"])
    assert run_command(["replay", "other.csv", "--no-config", "--map", "black=Away"]) == 0


def test_show_config_prints_the_file_that_counts(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(["--show-config"]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith(str(folder.parent / "elo-sheets.toml"))
    assert "settings: k = 40" in printed


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('sytem = "elo"', "did you mean system"),
        ("settings = 3", r"expected a table \[settings\]"),
        ("system = 3", "expected system to be text"),
        ('system = "mine.py:MINE"', "runs as a program"),
        ("system =", "cannot be read as TOML"),
    ],
)
def test_a_file_that_says_something_else_is_refused(text: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "elo-sheets.toml").write_text(text)
    with pytest.raises(UsageError, match=said):
        find_config(tmp_path)


def test_a_file_that_the_system_does_not_give_is_named_with_what_helps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "elo-sheets.toml").write_text("")

    def denied(*_: object, **__: object) -> str:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(Path, "read_text", denied)
    with pytest.raises(
        UsageError, match=r"elo-sheets.toml cannot be read: permission denied; .*, or leave it out by --no-config"
    ):
        find_config(tmp_path)


def test_notes_of_one_kind_are_one_line_and_two_stay_two() -> None:
    kind = [f"2 players are called {name!r}: told apart by starting rank" for name in "ABCDE"]
    assert grouped_notes([*kind, "another"]) == [f"{kind[0]} (and 4 more such notes: 'B', 'C', 'D', …)", "another"]
    assert grouped_notes(kind[:2]) == kind[:2]


def test_rows_left_out_for_one_reason_are_named_and_counted() -> None:
    absent = [Problem("table.html", row, "round 1", "-0", "absent: no game was played") for row in range(2, 10)]
    said = grouped_problems([*absent, Problem("table.html", 12, "", "", "a line of totals")])
    assert [rows for _, rows in said] == [1, 1, 1, 5, 1]
    assert said[3][0] == "5 more such rows of table.html: 5, 6, 7, …; --json lists all"
    assert [rows for _, rows in grouped_problems(absent[:5])] == [1] * 5


class _Terminal:
    def isatty(self) -> bool:
        return True


def test_no_color_is_honoured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert _outside.has_colour(_Terminal())  # type: ignore[arg-type]
    monkeypatch.setenv("NO_COLOR", "1")
    assert not _outside.has_colour(_Terminal())  # type: ignore[arg-type]


def test_names_are_completed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("_ELO_SHEETS_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", "elo-sheets imp")
    monkeypatch.setenv("COMP_CWORD", "1")
    assert run_command([]) == 0
    assert capsys.readouterr().out == "plain,import\n"
