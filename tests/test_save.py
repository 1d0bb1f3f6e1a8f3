from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from elo_sheets.errors import OutputRefused
from elo_sheets.save import replacing

posix = pytest.mark.skipif(os.name != "posix", reason="needs POSIX permissions, links or signals")


@pytest.fixture
def target(tmp_path: Path) -> Path:
    path = tmp_path / "club.xlsx"
    path.write_text("old")
    return path


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_new_file_appears_only_at_the_end(tmp_path: Path) -> None:
    path = tmp_path / "club.xlsx"
    with replacing(path, overwrite=False) as new:
        new.write_text("new")
        assert not path.exists()
        assert (new.parent, new.suffix, new.name[0]) == (tmp_path, ".xlsx", ".")
    assert path.read_text() == "new"
    assert names(tmp_path) == ["club.xlsx"]


def test_an_old_file_is_replaced(target: Path) -> None:
    with replacing(target, overwrite=True) as new:
        new.write_text("new")
        assert target.read_text() == "old"
    assert target.read_text() == "new"
    assert names(target.parent) == ["club.xlsx"]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, MemoryError])
def test_a_failure_leaves_the_old_file(target: Path, error: type[BaseException]) -> None:
    def fail() -> None:
        with replacing(target, overwrite=True) as new:
            new.write_text("half")
            raise error

    with pytest.raises(error):
        fail()
    assert target.read_text() == "old"
    assert names(target.parent) == ["club.xlsx"]


def test_what_does_not_verify_is_not_saved(target: Path) -> None:
    def verify(path: Path) -> None:
        assert path.read_text() == "new"
        raise OutputRefused("not sound")

    def save() -> None:
        with replacing(target, overwrite=True, verify=verify) as new:
            new.write_text("new")

    with pytest.raises(OutputRefused, match="not sound"):
        save()
    assert target.read_text() == "old"
    assert names(target.parent) == ["club.xlsx"]


def refusal(path: Path, *, overwrite: bool = True) -> str:
    with pytest.raises(OutputRefused) as caught, replacing(path, overwrite=overwrite):
        pytest.fail("the block must not run")
    return str(caught.value)


def test_an_old_file_is_kept_without_force(target: Path) -> None:
    assert refusal(target, overwrite=False).endswith("club.xlsx' exists; give --force to replace it")
    assert target.read_text() == "old"


def test_a_missing_folder_is_refused(tmp_path: Path) -> None:
    assert "does not exist; create it" in refusal(tmp_path / "none" / "club.xlsx")


def test_a_folder_is_refused(tmp_path: Path) -> None:
    assert "is a folder" in refusal(tmp_path)


@pytest.mark.parametrize("lock", ["~$club.xlsx", "~$ub.xlsx", ".~lock.club.xlsx#"])
def test_a_file_open_in_a_spreadsheet_program_is_refused(target: Path, lock: str) -> None:
    target.with_name(lock).write_text("")
    assert f"(there is '{lock}'); close it" in refusal(target)


def test_a_file_that_appears_meanwhile_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "club.xlsx"

    def save() -> None:
        with replacing(path, overwrite=False) as new:
            new.write_text("new")
            path.write_text("somebody else's")

    with pytest.raises(OutputRefused, match="exists"):
        save()
    assert path.read_text() == "somebody else's"
    assert names(tmp_path) == ["club.xlsx"]


@posix
def test_a_link_is_followed(target: Path) -> None:
    link = target.with_name("link.xlsx")
    link.symlink_to(target)
    with replacing(link, overwrite=True) as new:
        new.write_text("new")
    assert link.is_symlink()
    assert target.read_text() == "new"


@posix
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664])
def test_permissions_are_kept(target: Path, mode: int) -> None:
    target.chmod(mode)
    with replacing(target, overwrite=True) as new:
        new.write_text("new")
    assert target.stat().st_mode & 0o777 == mode


@posix
def test_a_new_file_gets_ordinary_permissions(tmp_path: Path) -> None:
    (tmp_path / "ordinary").touch()
    with replacing(tmp_path / "club.xlsx", overwrite=False) as new:
        new.write_text("new")
    assert (tmp_path / "club.xlsx").stat().st_mode == (tmp_path / "ordinary").stat().st_mode


WRITER = """
import sys, time
from elo_sheets.save import replacing
with replacing(sys.argv[1], overwrite=True) as new:
    with new.open("w") as stream:
        stream.write("half")
        stream.flush()
        print("writing", flush=True)
        time.sleep(60)
"""


@posix
def test_a_killed_writer_leaves_the_old_file(target: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, str(target)], stdout=subprocess.PIPE, env=environment
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"writing\n"
        time.sleep(0.05)
        process.send_signal(signal.SIGKILL)
    assert target.read_text() == "old"
    with replacing(target, overwrite=True) as new:
        new.write_text("new")
    assert target.read_text() == "new"
