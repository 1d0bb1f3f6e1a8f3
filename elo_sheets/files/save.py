"""Writing a file so that a crash, a full disk or a refusal leaves the old file whole, and no other file behind.

The new file is written beside the target, checked, forced to the disk and then moved over the target in one
step. Its name, and that of a private folder, says that it is ours, and a lock on it that its owner lives; what a
killed run left is removed by the next.
"""

from __future__ import annotations

import errno
import os
import re
import secrets
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from elo_sheets.errors import OutputRefused, UsageError, refusal

if sys.platform != "win32":
    import fcntl

_MARK = "elo-sheets-run-"
_OURS = re.compile(rf"(\..*\.)?{_MARK}[0-9a-f]{{16}}(\.\w+)?")
_OWNER = ".owner"  # the file in a private folder that its owner locks
_FRESH = 60.0  # seconds: younger files may not be locked yet
_TRIES = 3
_LITTLE = 2**20  # bytes on a disk that is full


def _lock_of(target: Path) -> Path | None:
    """The lock file that Excel (`~$name`, long names lose their first letters) or LibreOffice leaves while it
    is open.
    """
    names = [f"~${target.name}", f"~${target.name[2:]}", f".~lock.{target.name}#"]
    return next((lock for name in names if (lock := target.with_name(name)).exists()), None)


def refuse_unwritable(target: Path, *, overwrite: bool) -> None:
    """Raise `OutputRefused` when `target` cannot or should not be written; to be asked before a long
    computation.
    """
    with _writing(target):
        _refuse_unwritable(target, overwrite)


def _refuse_unwritable(target: Path, overwrite: bool) -> None:
    if not target.parent.is_dir():
        raise OutputRefused(f"the folder {str(target.parent)!r} does not exist; create it or choose another output")
    if target.is_dir():
        raise OutputRefused(f"{str(target)!r} is a folder; give the name of a file")
    if not os.path.lexists(target):
        return
    if not overwrite:
        raise OutputRefused(f"{str(target)!r} exists; give --force to replace it")
    if target.exists() and not target.is_file():
        raise OutputRefused(f"{str(target)!r} is not a regular file; choose another output")
    lock = _lock_of(target)
    if lock is not None:
        raise OutputRefused(
            f"{str(target)!r} is open in a spreadsheet program (there is {lock.name!r}); close it, "
            "or remove that file when no program runs"
        )


@contextmanager
def _writing(target: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        reason, remedy = refusal(error)
        raise OutputRefused(f"cannot write {str(target)!r}: {reason}; {remedy}") from error


def _mode(target: Path) -> int:
    """The permissions of the old file, or those that a new file gets."""
    try:
        return stat.S_IMODE(target.stat().st_mode)
    except FileNotFoundError:
        mask = os.umask(0o077)
        os.umask(mask)
        return 0o666 & ~mask


def _force_to_disk(path: Path, flags: int = os.O_RDONLY) -> None:
    descriptor = os.open(path, flags)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _force_folder(folder: Path) -> None:
    # Windows cannot open a folder, and some network file systems cannot force one: the move itself is done by
    # then.
    with suppress(OSError):
        _force_to_disk(folder)


# --- what is ours for a while -------------------------------------------------------------------------------


def _temporary() -> Path:
    """Where temporary folders go. `tempfile` tries the place out by a file of its own, which a kill would leave."""
    if sys.platform == "win32":
        return Path(tempfile.gettempdir())
    return Path(os.environ.get("TMPDIR") or "/tmp")


def _new_name() -> str:
    return f"{_MARK}{secrets.token_hex(8)}"


def _lock(descriptor: int) -> bool:
    """Lock an open file for this process; False when another has it, or nobody can."""
    if sys.platform == "win32":
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


@contextmanager
def _owned(path: Path) -> Iterator[None]:
    """A new file that is locked meanwhile, where the system has locks."""
    descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600)
    try:
        if not _lock(descriptor) and sys.platform == "win32":  # where an open file cannot be moved
            os.close(descriptor)
            descriptor = -1
        yield
    finally:
        if descriptor >= 0:
            with suppress(OSError):
                os.close(descriptor)


def remove(path: Path) -> None:
    """Remove a file or folder of ours, also when a signal comes meanwhile."""
    try:
        _try_to_remove(path)
    except BaseException:
        _try_to_remove(path)
        raise


def _try_to_remove(path: Path) -> None:
    # A passing error of the system is met by trying again.
    for _ in range(_TRIES):
        with suppress(OSError):
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink()
            return
        if not os.path.lexists(path):
            return


def _is_left_over(entry: os.DirEntry[str], now: float) -> bool:
    """Whether a run that lives no more made this: its name, its owner, its age, and that nobody has it locked."""
    if not _OURS.fullmatch(entry.name) or entry.is_symlink():
        return False
    status = entry.stat(follow_symlinks=False)
    if status.st_uid != os.geteuid() or now - status.st_mtime < _FRESH:
        return False
    lock = Path(entry.path, _OWNER) if entry.is_dir() else Path(entry.path)
    try:
        descriptor = os.open(lock, os.O_RDONLY)
    except FileNotFoundError:
        return next(Path(entry.path).iterdir(), None) is None  # killed before it could lock anything
    try:
        return _lock(descriptor)
    finally:
        os.close(descriptor)


def sweep(folder: Path) -> None:
    """Remove from a folder what killed runs of this user left there; nothing on Windows."""
    if sys.platform == "win32":
        return
    now = time.time()
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            with suppress(OSError):
                if _is_left_over(entry, now):
                    remove(Path(entry.path))


@contextmanager
def private_folder() -> Iterator[Path]:
    """A new folder that only this user can read, removed afterwards."""
    home = _temporary()
    sweep(home)
    folder = home / _new_name()
    try:
        try:
            folder.mkdir(0o700)
        except OSError as error:
            reason = f"no temporary folder can be made in {str(home)!r} (TMPDIR): {refusal(error)[0]}"
            raise OSError(error.errno, reason) from error
        with _owned(folder / _OWNER):
            try:
                yield folder
            except OSError as error:
                if error.errno != errno.ENOSPC or shutil.disk_usage(home).free > _LITTLE:
                    raise
                raise OSError(error.errno, f"no space is left for temporary files in {str(home)!r} (TMPDIR)") from error
    finally:
        remove(folder)


@contextmanager
def replacing(
    target: str | os.PathLike[str], *, overwrite: bool, verify: Callable[[Path], object] | None = None
) -> Iterator[Path]:
    """The path of an empty new file beside `target`; when the block ends well, it takes the target's place.

    `verify` is called with the finished new file and may raise.  On any exception the new file is removed and
    the target is as it was.  A link is followed, and the permissions of the old file are kept.

    Raises `OutputRefused` when the target exists without `overwrite`, its folder is missing, it is a folder,
    a spreadsheet program has it open, or the system refuses anything.
    """
    given = Path(target)
    with _writing(given):
        _refuse_unwritable(given, overwrite)
        real = given.resolve()
        if real != given.absolute():
            _refuse_unwritable(real, overwrite)
        sweep(real.parent)
        new = real.with_name(f".{real.stem[:100]}.{_new_name()}{real.suffix}")
        try:
            with _owned(new):
                yield new
                if verify is not None:
                    verify(new)
                _force_to_disk(new, os.O_RDWR)
                new.chmod(_mode(real))
                _refuse_unwritable(real, overwrite)  # meanwhile somebody may have created or opened it
                new.replace(real)
        except BaseException:
            remove(new)
            raise
        _force_folder(real.parent)


@contextmanager
def filling(folder: Path) -> Iterator[Path]:
    """The path of an empty new folder; when the block ends well, its files are moved into `folder`, over old ones.

    On any exception there is no new file in `folder`. Raises `OutputRefused` where a spreadsheet program has a file
    open that would be replaced, or the system refuses anything.
    """
    new = folder.with_name(f".{folder.name}.{_new_name()}")
    try:
        with _writing(folder):
            folder.parent.mkdir(parents=True, exist_ok=True)
            sweep(folder.parent)
            new.mkdir()
            with _owned(new / _OWNER):
                yield new
                _move({path: folder / path.relative_to(new) for path in _files_below(new)}, folder)
    except OutputRefused as error:
        raise OutputRefused(str(error).replace(str(new), str(folder))) from error
    finally:
        remove(new)


def _files_below(folder: Path) -> list[Path]:
    """Return the files in a folder and those below, without the lock; `rglob` leaves out what it may not read."""

    def refuse(error: OSError) -> None:
        raise error

    found = [Path(home, name) for home, _, names in os.walk(folder, onerror=refuse) for name in names]
    return sorted(path for path in found if path.name != _OWNER)


def _move(targets: Mapping[Path, Path], folder: Path) -> None:
    """Move files to their places in a folder; those that were not there before are removed where that fails."""
    for path, target in targets.items():
        if target.exists():
            _refuse_unwritable(target, overwrite=True)
        _force_to_disk(path, os.O_RDWR)
    there = folder.exists()
    fresh: list[Path] = []
    try:
        for path, target in targets.items():
            target.parent.mkdir(parents=True, exist_ok=True)
            fresh += [] if target.exists() else [target]
            path.replace(target)
    except BaseException:
        for target in fresh if there else [folder]:
            remove(target)
        raise


def check_output(target: str | Path, logs: Sequence[Any], *endings: str) -> None:
    """Raise `UsageError` when the output has another ending, or is one of the logs that are read."""
    path = Path(target)
    if path.suffix.lower() not in endings:
        raise UsageError(f"expected an output ending in {_listed(endings)}, got {str(target)!r}")
    for log in logs:
        if isinstance(log, (str, Path)) and path.exists() and Path(log).exists() and path.samefile(log):
            raise UsageError(f"the output {str(target)!r} is a log that is being read: choose another name")


def _listed(words: Sequence[str]) -> str:
    return " or ".join(filter(None, (", ".join(words[:-1]), words[-1])))
