"""Headings of many languages, matched by their parts: the sides, the result and the day of each are found."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pandas as pd
import pytest

from elo_sheets.readers import read

LINES = [
    line
    for line in Path(__file__).with_name("headings.txt").read_text(encoding="utf-8").splitlines()
    if line and not line.startswith("#")
]
SIDES = ("Arsenal", "Chelsea", "Everton", "Fulham", "Burnley", "Watford", "Liverpool", "Swansea")
GROUNDS = ("Highbury", "Stamford Bridge", "Goodison Park", "Craven Cottage", "Turf Moor", "Vicarage Road", "Anfield")
GOALS = ((2, 1), (0, 0), (1, 3), (4, 0), (0, 2), (2, 2), (5, 1))


def log_of(line: str) -> tuple[bytes, list[tuple[str, str, float, date | None]]]:
    """Return a log under these headings, and of each of its games the sides, White's score and the day."""
    delimiter, columns = line[2], [cell.rsplit(":", 1) for cell in line[4:].split(line[2])]
    kinds = [kind for _, kind in columns]
    rows, games = [], []
    for at, goals in enumerate(GOALS):
        if "V" in kinds or "N" in kinds:
            goals = tuple(sorted(goals, reverse=at % 2 == 0 or "V" in kinds)) if goals[0] != goals[1] else (3, 2)
        one, other = SIDES[at], SIDES[(at * 3 + 1) % len(SIDES)]
        day = date(2023, 9, 3 + 3 * at)
        score = (goals[0] > goals[1]) + (goals[0] == goals[1]) / 2
        said = {"d": f"{day}", "t": f"{13 + at}:30", "W": one, "V": one, "O": one, "B": other, "L": other, "P": other}
        said |= {"r": f"{goals[0]}-{goals[1]}", "w": f"{goals[0]}", "b": f"{goals[1]}", "u": f"{1 + at // 2}"}
        said |= {"N": one if score == 1 else other, "c": "HA"[at % 2], "s": "2023", "e": "Premier League"}
        said |= {"z": f"{1500 + 7 * at}", "Z": f"{1600 - 9 * at}", "n": f"{40 - 3 * at}", "x": "AB"[at % 2]}
        said |= {"m": f"Referee {at}", "y": GROUNDS[at], "h": "0-0", "i": f"{9000 + 17 * at}"}
        if "O" in kinds:
            said["r"] = {1.0: "Yes", 0.0: "No", 0.5: "No"}[score] if "?" in line else "WDL"[round(2 - 2 * score)]
            score = float(said["r"] == "Yes") if "?" in line else score
        if "P" in kinds and "O" not in kinds:
            one = "Millwall"
        if "P" in kinds and "c" in kinds and said["c"] == "A":
            one, other, score = other, one, 1 - score
        rows.append(delimiter.join(said[kind] for kind in kinds))
        games.append((one, other, score, day if "d" in kinds else None))
    header = delimiter.join(name for name, _ in columns)
    return "\n".join([header, *rows]).encode(), games


def found_in(line: str) -> list[tuple[str, str, float, date | None]]:
    """Return the games that are read in such a log."""
    log, _ = log_of(line)
    alone = ":P" in line and ":O" not in line
    games = read([log], player="Millwall" if alone else None).games
    return [
        (white, black, score, None if pd.isna(day) else day.date())
        for white, black, score, day in zip(games["white"], games["black"], games["score"], games["date"], strict=True)
    ]


@pytest.mark.parametrize("line", LINES)
def test_the_sides_the_result_and_the_day_are_found_under_headings_of_many_languages(line: str) -> None:
    assert sorted(found_in(line), key=repr) == sorted(log_of(line)[1], key=repr)
