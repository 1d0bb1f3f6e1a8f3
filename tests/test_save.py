from __future__ import annotations

import errno
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from elo_sheets.errors import OutputRefused
from elo_sheets.files import save
from elo_sheets.files.save import filling, private_folder, replacing, sweep

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
from elo_sheets.files.save import private_folder, replacing, sweep
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


# --- what a killed run left ---------------------------------------------------------------------------------

RUN = "elo-sheets-run-0123456789abcdef"
LONG_AGO = 1_000_000_000


def left_over(folder: Path, name: str) -> Path:
    path = folder / name
    path.write_text("half")
    os.utime(path, (LONG_AGO, LONG_AGO))
    return path


@posix
def test_the_next_save_removes_what_a_killed_one_left(target: Path) -> None:
    left_over(target.parent, f".club.{RUN}.xlsx")
    left_over(target.parent, f".other.{RUN}")
    with replacing(target, overwrite=True) as new:
        new.write_text("new")
    assert names(target.parent) == ["club.xlsx"]


@posix
@pytest.mark.parametrize(
    "name", ["club.elo-sheets-run-1.xlsx", ".club-0a1b2c3d.xlsx", f"{RUN}x", f".club.{RUN}.xlsx.bak", "elo-sheets-x"]
)
def test_what_is_not_certainly_ours_stays(target: Path, name: str) -> None:
    left_over(target.parent, name)
    sweep(target.parent)
    assert names(target.parent) == sorted([name, "club.xlsx"])


@posix
def test_what_is_young_stays(target: Path) -> None:
    (target.parent / f".club.{RUN}.xlsx").write_text("")
    sweep(target.parent)
    assert len(names(target.parent)) == 2


@posix
def test_what_a_living_run_writes_stays(target: Path) -> None:
    with replacing(target, overwrite=True) as new:
        new.write_text("half")
        os.utime(new, (LONG_AGO, LONG_AGO))
        code = "import sys; from pathlib import Path; from elo_sheets.files.save import sweep; sweep(Path(sys.argv[1]))"
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        subprocess.run([sys.executable, "-c", code, str(target.parent)], env=environment, check=True)
        assert new.exists()
    assert target.read_text() == "half"


@posix
def test_a_file_of_another_user_stays(target: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give files away")
    os.chown(left_over(target.parent, f".club.{RUN}.xlsx"), 65534, 65534)
    sweep(target.parent)
    assert len(names(target.parent)) == 2


@posix
def test_the_folder_of_a_killed_check_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    for name, content in ((RUN, [".owner", "book1.xlsx"]), ("elo-sheets-run-fedcba9876543210", [])):
        (tmp_path / name).mkdir()
        for file in content:
            left_over(tmp_path / name, file)
        os.utime(tmp_path / name, (LONG_AGO, LONG_AGO))
    stranger = tmp_path / "elo-sheets-run-00112233aabbccdd"
    stranger.mkdir()
    left_over(stranger, "without an owner.txt")
    os.utime(stranger, (LONG_AGO, LONG_AGO))
    with private_folder() as folder:
        assert names(tmp_path) == sorted([stranger.name, folder.name])
        os.utime(folder, (LONG_AGO, LONG_AGO))
        with private_folder():
            assert folder.exists()
    assert names(tmp_path) == [stranger.name]


@pytest.mark.parametrize(("free", "said"), [(0, "(TMPDIR)"), (2**30, "No space left on device")])
def test_a_full_folder_for_temporary_files_is_named(free: int, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(save.shutil, "disk_usage", lambda _: SimpleNamespace(free=free))
    with pytest.raises(OSError, match=re.escape(said)) as refused, save.private_folder() as folder:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    assert refused.value.errno == errno.ENOSPC
    assert not folder.exists()


def test_a_folder_that_cannot_be_read_again_is_refused_and_not_taken_for_empty(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_folder: object) -> object:
        raise PermissionError(13, "Permission denied")

    def fill() -> None:
        with filling(tmp_path / "books") as new:
            (new / "one.xlsx").write_text("new")
            monkeypatch.setattr(os, "scandir", refuse)

    with pytest.raises(OutputRefused, match="permission denied; check"):
        fill()
    assert not (tmp_path / "books").exists()
