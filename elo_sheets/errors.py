"""What can go wrong for a user: one base class, each child an exit code of the command.

Messages are lower case and say what was expected, the value with `!r`, where it stood, and what to try.
"""

import errno
import sys


class EloSheetsError(Exception):
    """Base class of every error that elo-sheets raises on purpose."""

    exit_code = 2


class UsageError(EloSheetsError):
    """The call contradicts itself or names something that does not exist."""


class UnreadableInput(EloSheetsError):
    """The input is missing, is not what it claims to be, or needs a decision that only its owner can make."""

    exit_code = 3


class NotChecked(EloSheetsError):
    """No engine could recalculate the workbook, so nothing can be said about it."""

    exit_code = 4


class SystemRefused(EloSheetsError):
    """The system did not give what a check needs, such as space on a disk: whatever was begun is not checked."""

    exit_code = 4


class OutputRefused(EloSheetsError):
    """The output cannot be written without harming something, or would not be sound."""


class FormulaError(EloSheetsError):
    """A formula that cannot be parsed, printed or written portably."""


_ROOM = "free some space on that disk, or choose another folder"
_OTHERS = "close other programs, then try again"
_OPEN = "close the program that has it open, or " if sys.platform == "win32" else ""
_RIGHTS = f"{_OPEN}check the permissions of the file and of its folder"
_REMEDIES = {
    errno.EACCES: _RIGHTS,
    errno.EAGAIN: _OTHERS,
    errno.EBADF: "it is closed: give it a file or a pipe",
    errno.EFBIG: "allow larger files (ulimit -f), or choose another disk",
    errno.EMFILE: "allow more open files (ulimit -n)",
    errno.ENAMETOOLONG: "choose a shorter name",
    errno.ENFILE: _OTHERS,
    errno.ENOENT: "check the path",
    errno.ENOMEM: _OTHERS,
    errno.ENOSPC: _ROOM,
    errno.EPERM: _RIGHTS,
    errno.EROFS: "choose a folder that can be written",
    getattr(errno, "EDQUOT", errno.ENOSPC): _ROOM,
}


def refusal(error: OSError) -> tuple[str, str]:
    """What the system said, in lower case, and what would help."""
    reason = error.strerror or str(error) or type(error).__name__
    number = -1 if error.errno is None else error.errno
    return reason[:1].lower() + reason[1:], _REMEDIES.get(number, "check the disk, then try again")
