"""Write docs/library.md: every public name with its signature and docstring, from the code itself."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Mapping
from pathlib import Path

import elo_sheets

PAGE = Path(__file__).with_name("library.md")

# The names of each part, beside the command that does the same.
PARTS = {
    "Logs to books (`import`, `new`, `update`, `validate`)": (
        "read",
        "ingest_dask",
        "ingested",
        "Ingested",
        "import_logs",
        "new_book",
        "update_book",
        "next_season",
        "validate_book",
    ),
    "Replay (`replay`)": ("replay", "ratings_as_of", "replay_games", "replay_arrays", "rate_period", "GameArrays"),
    "Systems (`systems`, `conform`)": (
        "SYSTEMS",
        "system",
        "System",
        "JointSystem",
        "Fit",
        "describe_system",
        "conform_answers",
    ),
    "What a rating is made of, and what it is worth (`explain`, `compare`, `fit`, `predict`, `simulate`, `diff`)": (
        "explain",
        "compare",
        "fit",
        "predict",
        "simulate",
        "diff",
        "explain_rating",
        "predict_games",
        "compare_systems",
        "fit_settings",
        "log_loss",
        "brier_score",
        "accuracy",
        "calibration",
    ),
}

HEAD = """\
# The library

This page is made by `python docs/make_library.py` from the docstrings. Everything below is imported from `elo_sheets`;
what a name needs is imported when it is first used. [The command line](cli.md) is the other half: each of its commands
is one call of a function here. Errors are children of `elo_sheets.EloSheetsError`; each carries the `exit_code` of the
command.

Tables are pandas DataFrames; their columns stand in [ARCHITECTURE.md](../ARCHITECTURE.md#tables-are-the-contracts).
"""


PROGRAMS = """\
## Six programs

Run them from the top folder of a checkout. Wherever logs go in, a path, an open file, bytes, a data frame, or a
list of these is taken; a system is its name or the object; what comes back prints short and has `to_frame()`.

The ratings of a data frame:

```python
import pandas as pd
import elo_sheets

rows = [
    ("2026-01-05", "Player 1", "Player 2", "1-0"),
    ("2026-01-12", "Player 2", "Player 3", "1/2-1/2"),
    ("2026-01-19", "Player 3", "Player 1", "0-1"),
]
games = pd.DataFrame(rows, columns=["Date", "White", "Black", "Result"])
print(elo_sheets.replay(games, settings={"k": 32}).to_frame().round(1))
```

```text
     player  rating  games  wins  draws  losses
0  Player 1  1531.2      2     2      0       0
1  Player 2  1484.7      2     0      1       1
2  Player 3  1484.0      2     0      1       1
```

Which system predicts a log best:

```python
import elo_sheets

found = elo_sheets.compare("samples/internationals_1900s.csv", ["elo", "glicko2", "world-football"])
print(found.to_frame().round(4).reset_index())
```

```text
           system  log_loss  brier_score  accuracy
0             elo    0.6273       0.1663    0.6402
1         glicko2    0.6342       0.1678    0.6524
2  world-football    0.6352       0.1703    0.6646
```

The K-factor that predicts best, and the odds of a game with it:

```python
import elo_sheets

log = "samples/internationals_1900s.csv"
best = elo_sheets.fit(log, {"k": (10, 60)}).fitted.found
print({name: round(value, 1) for name, value in best.items()})
print(elo_sheets.predict("England", "Scotland", log, settings=best))
```

```text
{'k': 49.7}
<England v Scotland, elo: win 71.2%, draw 13.0%, loss 15.8%>
```

What a rating is made of:

```python
import elo_sheets

statement = elo_sheets.explain("samples/internationals_1900s.csv", "Wales", settings={"k": 40})
print(statement)
print(statement.to_frame()[["opponent", "score", "expected", "change"]].round(2).head(2).to_dict("list"))
```

```text
<Wales, elo: 30 rating periods>
{'opponent': ['Scotland', 'Northern Ireland'], 'score': [0.0, 1.0], 'expected': [0.5, 0.47], 'change': [-20.0, 21.15]}
```

What is left of a season, played out:

```python
import elo_sheets

games = elo_sheets.read("samples/internationals_1900s.csv").games
four = games[games["event"] == "British Home Championship"]
season = elo_sheets.simulate(four, schedule="round-robin", runs=2000, points=(2, 1, 0))
print(season.to_frame()[["points", "expected_points", "place_1"]].round(2).reset_index())
```

```text
             player  points  expected_points  place_1
0           England     0.0             4.08     0.48
1          Scotland     0.0             3.38     0.29
2             Wales     0.0             2.69     0.16
3  Northern Ireland     0.0             1.85     0.07
```

A workbook, and what it says of itself:

```python
import elo_sheets

made = elo_sheets.import_logs("samples/nfl_1920.csv", "league.xlsx", settings={"k": 24}, overwrite=True)
print(made.players, made.notes[-1:])
print(elo_sheets.validate_book("league.xlsx").status)
```

```text
49 ['the log holds published ratings of 49 players: --start log starts from them']
agrees
```
"""


def entry(name: str) -> str:
    """One name: its signature and docstring."""
    thing = getattr(elo_sheets, name)
    text = inspect.getdoc(thing) or ""
    if isinstance(thing, Mapping):
        return f"### {name}\n\nThe rating systems by name: {', '.join(f'`{key}`' for key in thing)}.\n"
    if inspect.isclass(thing):
        shown = f"class {name}"
        if dataclasses.is_dataclass(thing):
            fields = [field.name for field in dataclasses.fields(thing)]
            shown += f"({', '.join(fields)})"
    else:
        signature = inspect.signature(thing)
        bare = [parameter.replace(annotation=inspect.Parameter.empty) for parameter in signature.parameters.values()]
        shown = f"{name}{signature.replace(parameters=bare, return_annotation=inspect.Signature.empty)}"
    return f"### {name}\n\n```text\n{shown}\n\n{text}\n```\n"


def page() -> str:
    """The whole page."""
    placed = {name for names in PARTS.values() for name in names}
    others = tuple(n for n in elo_sheets.__all__ if n not in placed and n not in {"__version__", "EloSheetsError"})
    parts = [HEAD, PROGRAMS]
    for heading, names in {**PARTS, "Calculators and statistics, and what they return": others}.items():
        parts.append(f"## {heading}\n")
        parts += [entry(name) for name in names]
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
