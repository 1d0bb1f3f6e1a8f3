"""Compiled replay loops kept between runs, in the user's folder for caches.

The source of a loop is written as a module there, and numba keeps the machine code beside it, by processor and version.
A folder that cannot be written, or that others may write into, is not used: the loop is compiled anew in each process.
Files are put in place whole, so that processes which run at the same time do each other no harm.
"""

from __future__ import annotations

import contextlib
import hashlib
import inspect
import os
import stat
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

# How many loops are kept; the ones made longest ago go first.
MOST = 100


def kept_source(source: str, beside: Iterable[object]) -> Path | None:
    """Return the file of a loop's source, None where it cannot be kept; `beside` is what else it is compiled from."""
    folder = _folder()
    if folder is None:
        return None
    told = [source, sys.version, *map(_text_of, beside)]
    name = hashlib.sha256("\0".join(told).encode()).hexdigest()[:32]
    path = folder / f"loop_{name}.py"
    try:
        if not path.exists() or path.read_text(encoding="utf-8") != source:
            _write(path, source)
            _prune(folder)
    except OSError:
        return None
    return path


def _text_of(thing: object) -> str:
    if not inspect.isfunction(thing):
        return repr(thing)
    try:
        return inspect.getsource(thing)
    except OSError:
        return repr(thing.__code__.co_code)


def _folder() -> Path | None:
    """Return the folder, made where it is missing, None where it is not the user's own."""
    try:
        folder = _caches() / "elo-sheets" / "replay"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = folder.stat()
    except (OSError, RuntimeError):
        return None
    if hasattr(os, "getuid") and (found.st_uid != os.getuid() or found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)):
        return None
    return folder if os.access(folder, os.W_OK) else None


def _caches() -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")


def _write(path: Path, source: str) -> None:
    handle, name = tempfile.mkstemp(dir=path.parent, suffix=".tmp")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            stream.write(source)
        Path(name).replace(path)
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise


def _prune(folder: Path) -> None:
    """Remove the loops that are too many, with the machine code beside them."""
    loops = sorted(folder.glob("loop_*.py"), key=lambda path: path.stat().st_mtime)
    for path in loops[:-MOST]:
        for one in (path, *(folder / "__pycache__").glob(f"{path.stem}.*")):
            with contextlib.suppress(OSError):
                one.unlink()
