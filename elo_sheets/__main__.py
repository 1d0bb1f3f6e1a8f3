"""`python -m elo_sheets`, and the command `elo-sheets`."""

from __future__ import annotations

import sys

from elo_sheets._outside import run

CHECKS = ("validate", "conform")


def _command() -> int:
    from elo_sheets.cli import run_command

    return run_command(sys.argv[1:])


def main() -> None:
    """Run the command that the arguments name, and leave with its exit code."""
    sys.exit(run(_command, failed=4 if sys.argv[1:2] and sys.argv[1] in CHECKS else 3))


if __name__ == "__main__":
    main()
