"""Write docs/systems/: a page for each rating system and an index, from the code itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from elo_sheets.conformance.published import answers, system_of
from elo_sheets.systems import SYSTEMS
from elo_sheets.uses.describing import describe

FOLDER = Path(__file__).with_name("systems")

PHASES = {
    "opening": "At the start of a period, for each player who plays in it",
    "game": "For each game and side",
    "forecast": "To forecast a game",
    "closing": "At the end of the period, for each player",
    "part": "Parts of the rule that are formulas",
}

KINDS = {
    "steps": "Made of named steps: it replays, prints as formulas, and can be run as a group-by.",
    "joint": "Rates all games of a period together, in code of its own; the parts below are formulas.",
    "fit": "Rates a whole log at once, in code of its own; the parts below are formulas.",
}

INDEX = """\
# The rating systems

These pages are made by `python docs/make_systems.py` from the code. `elo-sheets systems NAME` prints the same,
`elo-sheets conform NAME` reruns the published answers, `elo-sheets explain PLAYER LOG… --system NAME` shows what a rule
did to one rating.

A system of one's own is a Python file with the same named steps, given as `--system path.py:NAME`;
`elo_sheets.testing.check_system` checks it, and a package offers it under the entry point group `elo_sheets.systems`.

The algorithms of Chess.com and of UTR are not public and not imitated: for the first take `glicko`, whose family it is,
with settings of your own; for the second `elo` with a margin, or a fit such as `whr`, comes nearest.

| system | what it is | published answers |
| --- | --- | --- |
"""


def cell(text: object) -> str:
    """Text as a cell of a Markdown table."""
    return str(text).replace("|", "\\|")


def table(headers: list[str], rows: list[list[object]]) -> str:
    """A Markdown table."""
    lines = [headers, ["---"] * len(headers), *rows]
    return "\n".join(f"| {' | '.join(map(cell, line))} |" for line in lines) + "\n"


def page(record: dict[str, Any]) -> str:
    """The page of one system."""
    parts = [f"# {record['title']} (`{record['name']}`)\n", f"{record['about'][0].upper()}{record['about'][1:]}.\n"]
    parts.append(KINDS[record["kind"]] + "\n")
    for phase, heading in PHASES.items():
        steps = [step for step in record["steps"] if step["phase"] == phase]
        if steps:
            parts.append(f"## {heading}\n")
            rows: list[list[object]] = [[s["label"], f"`{s['name']}`", f"`{s['formula']}`"] for s in steps]
            parts.append(table(["column", "step", "formula"], rows))
    if record["sums"]:
        parts.append(f"Summed over the period: {', '.join(f'`{name}`' for name in record['sums'])}.\n")
    if record["state"]:
        state = ", ".join(f"`{s['name']}` (starts from `{s['initial']}`)" for s in record["state"])
        parts.append(f"Each player carries {state}.\n")
    parts.append("## Settings\n")
    rows = [
        [
            f"`{p['name']}`",
            p["default"],
            "; ".join(filter(None, (p["meaning"], p["source"] and f"source: {p['source']}", unofficial(p)))),
        ]
        for p in record["parameters"]
    ]
    parts.append(table(["setting", "default", "meaning"], rows))
    if record["weights"]:
        weights = record["weights"]
        parts.append("## What a match weighs by its competition, where the log gives no weight\n")
        kinds = [[k["weight"], k["kind"], "; ".join(k["competitions"])] for k in weights["kinds"]]
        parts.append(table([weights["symbol"], "kind of match", "competitions"], kinds))
    for heading, key in (("Where it departs from its source", "deviations"), ("Sources", "sources")):
        if record[key]:
            parts.append(f"## {heading}\n")
            parts.append("\n".join(f"- {line}" for line in record[key]) + "\n")
    return "\n".join(parts)


def unofficial(parameter: dict[str, Any]) -> str:
    """The warning of a setting that no source gives."""
    notes = [f"not official: {parameter['unofficial']}"] if parameter["unofficial"] else []
    if parameter["choices"]:
        notes.insert(0, f"one of {', '.join(parameter['choices'])}")
    if parameter["per_player"]:
        notes.insert(0, "may differ from player to player")
    return "; ".join(notes)


def pages() -> dict[str, str]:
    """Every page by its file name."""
    records = [describe(system) for system in SYSTEMS.values()]
    counts = {name: sum(system_of(answer) == name for answer in answers().values()) for name in SYSTEMS}
    rows = [f"| [{r['name']}]({r['name']}.md) | {cell(r['about'])} | {counts[r['name']]} |" for r in records]
    return {"README.md": INDEX + "\n".join(rows) + "\n"} | {f"{r['name']}.md": page(r) for r in records}


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for old in FOLDER.glob("*.md"):
        old.unlink()
    for name, text in pages().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
