"""Writing a file so that a crash, a full disk or a refusal leaves the old file whole.

The new file is written beside the target, checked, forced to the disk and then moved over the target in one
step.
"""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from elo_sheets.errors import OutputRefused


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


def _mode(target: Path) -> int:
    """The permissions of the old file, or those that a new file gets."""
    try:
        return stat.S_IMODE(target.stat().st_mode)
    except OSError:
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


@contextmanager
def replacing(
    target: str | os.PathLike[str], *, overwrite: bool, verify: Callable[[Path], object] | None = None
) -> Iterator[Path]:
    """The path of an empty new file beside `target`; when the block ends well, it takes the target's place.

    `verify` is called with the finished new file and may raise.  On any exception the new file is removed and
    the target is as it was.  A link is followed, and the permissions of the old file are kept.

    Raises `OutputRefused` when the target exists without `overwrite`, its folder is missing, it is a folder,
    or a spreadsheet program has it open.
    """
    given = Path(target)
    refuse_unwritable(given, overwrite=overwrite)
    real = given.resolve()
    if real != given.absolute():
        refuse_unwritable(real, overwrite=overwrite)
    try:
        descriptor, name = tempfile.mkstemp(prefix=f".{real.stem[:100]}-", suffix=real.suffix, dir=real.parent)
    except OSError as error:
        raise OutputRefused(
            f"cannot write into {str(real.parent)!r}: {error.strerror}; choose another folder"
        ) from error
    os.close(descriptor)
    new = Path(name)
    try:
        yield new
        new.chmod(_mode(real))
        if verify is not None:
            verify(new)
        _force_to_disk(new, os.O_RDWR)
        _move(new, real, given, overwrite)
    except BaseException:
        new.unlink(missing_ok=True)
        raise
    _force_folder(real.parent)


def _move(new: Path, real: Path, given: Path, overwrite: bool) -> None:
    # Meanwhile somebody may have created or opened it.
    refuse_unwritable(real, overwrite=overwrite)
    try:
        new.replace(real)
    except PermissionError as error:
        raise OutputRefused(
            f"cannot replace {str(given)!r}: {error.strerror}; is it open in a spreadsheet program?"
        ) from error
