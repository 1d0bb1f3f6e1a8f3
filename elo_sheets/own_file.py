"""A user's own Python file: what a system or a reader of one's own is read from."""

from __future__ import annotations

import sys
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import module_from_spec
from pathlib import Path
from types import CodeType, ModuleType

from elo_sheets.errors import UsageError


class _AsItStands(SourceFileLoader):
    """Compiles a file as it stands now: a compiled copy is as old as a second, and would lie beside the user's file."""

    def get_code(self, fullname: str) -> CodeType:
        return self.source_to_code(self.get_data(self.path), self.path)


def run_file(path: Path, holds: str) -> ModuleType:
    """Return the module of a file that the user named; `holds` says what is expected in it, for the messages.

    Raises `UsageError` where there is no such file, and where it does not run.
    """
    if not path.is_file() or path.suffix != ".py":
        raise UsageError(f"expected a Python file with a {holds}, got {str(path)!r}")
    loader = _AsItStands(path.stem, str(path))
    module = module_from_spec(ModuleSpec(path.stem, loader, origin=str(path)))
    module.__file__ = str(path)
    sys.modules.setdefault(path.stem, module)  # data classes look their module up
    try:
        loader.exec_module(module)
    except UsageError as error:
        raise UsageError(f"{path}: {error}") from None
    except (Exception, SystemExit) as error:
        raise UsageError(f"{path} does not run: {type(error).__name__}: {error}") from error
    return module
