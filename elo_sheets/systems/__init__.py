"""The registry of rating systems: ours, those that other packages bring, and a user's own file."""

from __future__ import annotations

import difflib
import importlib.util
import sys
from importlib.metadata import entry_points
from pathlib import Path

from elo_sheets.errors import UsageError
from elo_sheets.systems._system import (
    GAME_INPUTS,
    PERIOD_INPUTS,
    Fit,
    JointSystem,
    Line,
    Parameter,
    PeriodGames,
    Repeat,
    Rules,
    State,
    Step,
    System,
    called,
    lines,
    needs,
    period_parameter,
    trace,
)
from elo_sheets.systems.aga import AGA
from elo_sheets.systems.bayeselo import BAYESELO
from elo_sheets.systems.bradley_terry import BRADLEY_TERRY
from elo_sheets.systems.chessmetrics import CHESSMETRICS
from elo_sheets.systems.dwz import DWZ
from elo_sheets.systems.ecf import ECF, ECF_GRADE
from elo_sheets.systems.egf import EGF
from elo_sheets.systems.elo import ELO
from elo_sheets.systems.fide import FIDE
from elo_sheets.systems.fifa import FIFA
from elo_sheets.systems.glicko import GLICKO
from elo_sheets.systems.glicko2 import GLICKO_2
from elo_sheets.systems.ingo import INGO
from elo_sheets.systems.lichess import LICHESS
from elo_sheets.systems.nba import NBA
from elo_sheets.systems.nfl import NFL
from elo_sheets.systems.tennis import TENNIS
from elo_sheets.systems.trueskill import TRUESKILL
from elo_sheets.systems.uschess import USCHESS
from elo_sheets.systems.whr import WHR
from elo_sheets.systems.world_football import WORLD_FOOTBALL

SYSTEMS: dict[str, Rules] = {
    system.name: system
    for system in (
        *(ELO, FIDE, USCHESS, ECF, ECF_GRADE, DWZ, INGO),
        EGF,
        AGA,
        *(WORLD_FOOTBALL, FIFA, NBA, NFL, TENNIS),
        *(GLICKO, GLICKO_2, LICHESS, TRUESKILL),
        *(BRADLEY_TERRY, BAYESELO, CHESSMETRICS, WHR),
    )
}

# Packages offer systems under this group of entry points: name = "module:SYSTEM".
ENTRY_POINTS = "elo_sheets.systems"

# Algorithms that are asked for by name and are not public.
NOT_PUBLIC = {
    "chess.com": "Chess.com's constants are not published: take glicko, whose family it is, with --set for yours",
    "utr": "the algorithm of UTR is not public: elo with a margin, or a fit such as whr, comes nearest",
}


def system(name: str) -> Rules:
    """Return the system of that name, of an installed package, or of a file: `path.py:NAME`.

    Raises `UsageError` that lists the names and the closest one, or says what is wrong with the file. A file's code is
    run, so name only files that you trust.

    >>> system("glicko2").title
    'Glicko-2'
    """
    path, colon, attribute = name.rpartition(":")
    if colon and path.endswith(".py"):
        return _from_file(Path(path), attribute)
    found = SYSTEMS.get(name.strip().lower())
    if found is not None:
        return found
    if name.strip().lower() in NOT_PUBLIC:
        raise UsageError(NOT_PUBLIC[name.strip().lower()])
    for point in entry_points(group=ENTRY_POINTS):
        if point.name == name.strip():
            return _checked(point.load(), f"entry point {point.name}")
    near = difflib.get_close_matches(name.lower(), SYSTEMS, 1)
    hint = f"; did you mean {near[0]}?" if near else ""
    raise UsageError(f"expected a rating system ({', '.join(SYSTEMS)}, or FILE.py:NAME), got {name!r}{hint}")


def _from_file(path: Path, attribute: str) -> Rules:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if not path.is_file() or spec is None or spec.loader is None:
        raise UsageError(f"expected a Python file with a rating system, got {str(path)!r}")
    module = importlib.util.module_from_spec(spec)
    sys.modules.setdefault(path.stem, module)  # data classes look their module up
    try:
        spec.loader.exec_module(module)
    except UsageError as error:
        raise UsageError(f"{path}: {error}") from None
    except (Exception, SystemExit) as error:
        raise UsageError(f"{path} does not run: {type(error).__name__}: {error}") from error
    if not hasattr(module, attribute):
        names = [key for key, value in vars(module).items() if isinstance(value, Rules)]
        raise UsageError(f"{path} has no {attribute!r}; it defines {', '.join(names) or 'no rating system'}")
    found = _checked(getattr(module, attribute), f"{path}:{attribute}")
    try:
        if isinstance(found, System):
            for line in (*found.lines, *lines(found.forecast)):
                line.trace()
    except UsageError as error:
        raise UsageError(f"{path}: {error}") from None
    return found


def _checked(found: object, where: str) -> Rules:
    if not isinstance(found, Rules):
        raise UsageError(f"expected a System, JointSystem or Fit in {where}, got {type(found).__name__}")
    return found


__all__ = [
    "GAME_INPUTS",
    "PERIOD_INPUTS",
    "SYSTEMS",
    "Fit",
    "JointSystem",
    "Line",
    "Parameter",
    "PeriodGames",
    "Repeat",
    "Rules",
    "State",
    "Step",
    "System",
    "called",
    "lines",
    "needs",
    "period_parameter",
    "system",
    "trace",
]
