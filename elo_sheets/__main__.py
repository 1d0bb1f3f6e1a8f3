"""`python -m elo_sheets`, and the command `elo-sheets`."""

from __future__ import annotations

import sys
from contextlib import suppress

# Where files are limited in size, Python would keep compiled modules that are cut off and break each later run.
with suppress(ImportError):  # Windows knows no such limit
    import resource

    if resource.getrlimit(resource.RLIMIT_FSIZE)[0] != resource.RLIM_INFINITY:
        sys.dont_write_bytecode = True

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
