"""What a file that was dropped on the page is put through: the library's own functions, in a process with limits.

    python -m elo_sheets.serving.work FOLDER

FOLDER holds `asked.json`, what to do and with which choices, and the folder `files`, which is worked in. `answer.json`
is written beside it, and what was made.
"""

from __future__ import annotations

import json
import os
import sys
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from elo_sheets.errors import EloSheetsError, UsageError

if TYPE_CHECKING:
    from elo_sheets.uses.importing import Imported

FILES, ASKED, ANSWER, NAMES = "files", "asked.json", "answer.json", "names.toml"
BOOK, MARKED = "book.xlsx", "marked"
ABOVE = Path("..")
MOST_GAMES, MOST_PROBLEMS = 15, 200


def read_logs(asked: Mapping[str, Any]) -> dict[str, Any]:
    """Read logs into a book, and return what was read and guessed, as JSON holds it."""
    from elo_sheets.uses.importing import import_logs

    choices = asked["choices"]
    how = {name: choices[name] for name in ("dates", "sheet", "pool", "encoding") if choices.get(name)}
    how |= {name: pairs(choices[name]) for name in ("columns",) if choices.get(name)}
    given = {name: choices[name] for name in ("template", "system", "profile", "player", "start") if choices.get(name)}
    given["settings"] = pairs(choices.get("settings", ""))
    logs = list(asked["files"])
    try:
        done = import_logs(logs, ABOVE / BOOK, overwrite=True, names=ABOVE / NAMES, **given, **how)
    except UsageError as error:
        if "--names" not in str(error):
            raise
        done = import_logs(logs, ABOVE / BOOK, overwrite=True, **given, **how)  # games of sides know no names yet
    return read_record(done)


def pairs(text: str) -> dict[str, str]:
    """Return what a field of `name=value`, several divided by commas or lines, says.

    >>> pairs("k=40, initial=1000")
    {'k': '40', 'initial': '1000'}
    """
    found = {}
    for part in text.replace("\n", ",").split(","):
        name, sign, value = map(str.strip, part.partition("="))
        if not name and not sign:
            continue
        if not name or not sign:
            raise UsageError(f"expected name=value, such as k=40, got {part.strip()!r}")
        found[name] = value
    return found


def read_record(done: Imported) -> dict[str, Any]:
    """Return what was read, as the page shows it."""
    games, values, origins = done.log.games, dict(done.settings), dict(done.settings.origins)
    told = _SHOWN if "white" in games else _SIDED
    names = [name for name in told if name in games and games[name].notna().any() and (games[name] != "").any()]
    return {
        **done.log.counts,
        "players": done.players,
        "problems": [[p.source, p.row, p.column, p.value, p.reason] for p in done.log.problems[:MOST_PROBLEMS]],
        "notes": [note for note in done.notes if NAMES not in note],  # the questions themselves are shown
        "headers": names,
        "games": [[_text(value) for value in row] for row in games[names].head(MOST_GAMES).itertuples(index=False)],
        "settings": [[name, str(value), str(origins.get(name, ""))] for name, value in values.items()],
        "questions": open_questions(ABOVE / NAMES),
        "book": BOOK if done.output else None,
        **done.made,
    }


_SHOWN = ("date", "round", "white", "black", "score", "points_white", "points_black", "event")
_SIDED = ("game", "date", "side", "player", "place", "points")


def _text(value: Any) -> str:
    if value is None or value != value:
        return ""
    if hasattr(value, "date"):
        return str(value.date())
    return f"{value:g}" if isinstance(value, float) else str(value)


def open_questions(path: Path) -> list[dict[str, Any]]:
    """Return the questions about names that a file holds, answered or not."""
    if not path.exists():
        return []
    return [dict(one) for one in tomllib.loads(path.read_text("utf-8")).get("question", [])]


def with_answers(questions: Sequence[Mapping[str, Any]], answers: Sequence[str]) -> str:
    """Return questions about names as TOML, with the answers that were chosen."""
    said = []
    for one, answer in zip(questions, answers, strict=True):
        lines = [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in one.items() if key != "answer"]
        said.append("\n".join(["[[question]]", *lines, f"answer = {json.dumps(answer, ensure_ascii=False)}", ""]))
    return "\n".join(said)


def judge_book(asked: Mapping[str, Any]) -> dict[str, Any]:
    """Check a book, and return the verdict as its JSON document, with the marked copy beside it."""
    from elo_sheets.validate import validate
    from elo_sheets.verdict.annotate import KINDS, annotate
    from elo_sheets.verdict.findings import RULES
    from elo_sheets.verdict.report import as_record, as_text
    from elo_sheets.verdict.rules import rule_record

    (name,) = asked["files"]
    verdict = validate(name, timeout=asked["seconds"])
    kind, notes, marked = Path(name).suffix.lower(), [], None
    if verdict.findings and kind in KINDS:
        marked = MARKED + kind
        notes = list(annotate(name, ABOVE / marked, verdict, overwrite=True).notes)
    elif verdict.findings:
        notes = [f"a copy can be marked of .xlsx and .xlsm alone: save {name} as .xlsx and drop that"]
    codes = dict.fromkeys(finding.code for finding in verdict.findings)
    rules = {code: rule_record(RULES[code]) for code in codes}
    return {"verdict": as_record(verdict), "text": as_text(verdict), "rules": rules, "marked": marked, "notes": notes}


WORK = {"logs": read_logs, "book": judge_book}


def answer(asked: Mapping[str, Any]) -> dict[str, Any]:
    """Do what is asked in the working folder; an error of the library is the answer `error`, a sentence."""
    try:
        return WORK[asked["do"]](asked)
    except EloSheetsError as error:
        return {"error": str(error)}
    except MemoryError:
        return {"error": "there is not enough memory for this file: give less at a time"}


def main(arguments: Sequence[str]) -> None:
    """Work in the folder that is named."""
    os.chdir(Path(arguments[0], FILES))
    asked = json.loads((ABOVE / ASKED).read_text("utf-8"))
    (ABOVE / ANSWER).write_text(json.dumps(answer(asked)), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
