"""Real workbooks that are no part of the repository, and what a careful reader found in them.

They lie in the folder `sheets` of the shared data (see its SOURCES.md). A truth is a place
that must be told as an error or a warning; an error or warning anywhere else is a false alarm, except at the places in
which something is true that nobody has to tell.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import dataclass
from pathlib import Path

from .measure import Said, judged
from .sheets import Place


@dataclass(frozen=True)
class Truth:
    file: str
    must: tuple[str, ...] = ()
    may: tuple[str, ...] = ()


REAL = (
    Truth("board_game_first.xlsx", ("Sheet1!E2:E8",)),
    Truth("board_game_corrected.xlsx"),
    Truth("football_prediction.xlsx", ("'🔮 Predictions 2025-26'!H2:H301",)),
    Truth("weekly_polls.xlsx", ("Week8!AB50", "Week7!T50", "Week6!V50")),
    Truth("expected_goals_cup.xlsx", (), ("Sheet4!J3:K60", "'Sheet4 (2)'!J3:K30", "Sheet1!J2:K34")),
    Truth("fantasy_power_rankings.xlsx", ("POINTS!J29",)),
    Truth("rowing_results.xlsx", (), ("Sheet2!A2:I26",)),
    Truth("tournament_cards.ods"),
    Truth("hero_ratings.xlsx"),
    Truth("power_function.xlsx"),
)


def _places(area: str) -> set[Place]:
    return Said("", "", area, "", None).places


def answers(folder: Path, files: Container[str] = ()) -> Iterator[tuple[str, str, list[str], list[Said]]]:
    """Yield file, status, the truths that are not told, and the false alarms; of all files unless some are named."""
    for truth in REAL:
        path = folder / truth.file
        if not path.exists() or (files and truth.file not in files):
            continue
        status, _, said = judged(path, 900)
        loud = [finding for finding in said if finding.severity in ("error", "warning")]
        seen: set[Place] = set().union(*(finding.places for finding in loud)) if loud else set()
        allowed: set[Place] = set().union(*map(_places, (*truth.must, *truth.may)), set())
        missed = [area for area in truth.must if not _places(area) & seen]
        yield truth.file, status, missed, [finding for finding in loud if not finding.places & allowed]


def held(folder: Path) -> str:
    """Return the answers as Markdown."""
    lines = ["", "| real workbook | verdict | truths missed | false alarms |", "| --- | --- | --- | --- |"]
    for file, status, missed, false in answers(folder):
        some = "; ".join(f"{finding.code} {finding.severity} {finding.range}" for finding in false[:4])
        lines.append(f"| {file} | {status} | {', '.join(missed) or '–'} | {len(false)} {some} |")
    return "\n".join(lines) + "\n"
