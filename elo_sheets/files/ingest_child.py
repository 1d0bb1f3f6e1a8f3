"""Reads one workbook inside limits and prints it; started as a script, in a process of its own.

    python ingest_child.py PATH MEMORY SECONDS CELLS HOME

The answer on standard output is lines of JSON, as `elo_sheets.files.ingest` describes.
"""

from __future__ import annotations

import gc
import sys
from pathlib import Path


def _write_nothing() -> None:
    try:
        import resource
    except ImportError:  # Windows has no such limits
        return
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))


def main(arguments: list[str]) -> None:
    gc.disable()  # nothing that is read here is garbage before the end
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    from elo_sheets.engines.engine_child import _limit
    from elo_sheets.files.ingest import answer

    path, memory, seconds, cells, home = arguments
    if home:
        sys.path.append(home)
    _limit(int(memory), int(seconds))
    _write_nothing()
    for line in answer(Path(path), int(cells)):
        sys.stdout.buffer.write(line)
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    main(sys.argv[1:])
