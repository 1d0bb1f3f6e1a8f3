"""What can go wrong for a user: one base class, each child an exit code of the command.

Messages are lower case and say what was expected, the value with `!r`, where it stood, and what to try.
"""


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


class OutputRefused(EloSheetsError):
    """The output cannot be written without harming something, or would not be sound."""


class FormulaError(EloSheetsError):
    """A formula that cannot be parsed, printed or written portably."""
