"""Write docs/library.md: every public name with its signature and docstring, from the code itself."""

from __future__ import annotations

import dataclasses
import inspect
from pathlib import Path

import elo_sheets

PAGE = Path(__file__).with_name("library.md")

# The names of each part, beside the command that does the same.
PARTS = {
    "Logs to books (`import`, `new`, `validate`)": ("read", "import_logs", "new_book", "validate_book"),
    "Replay (`replay`)": ("replay_games", "replay_arrays", "rate_period", "GameArrays"),
    "Systems (`systems`, `conform`)": (
        "SYSTEMS",
        "system",
        "System",
        "JointSystem",
        "Fit",
        "describe_system",
        "conform_answers",
    ),
    "What a rating is made of, and what it is worth (`explain`, `replay --compare`, `replay --fit`)": (
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


def entry(name: str) -> str:
    """One name: its signature and docstring."""
    thing = getattr(elo_sheets, name)
    text = inspect.getdoc(thing) or ""
    if isinstance(thing, dict):
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
    parts = [HEAD]
    for heading, names in {**PARTS, "Calculators and statistics, and what they return": others}.items():
        parts.append(f"## {heading}\n")
        parts += [entry(name) for name in names]
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
