"""`elo-sheets.toml`: what every command of a folder is given unless its command line says otherwise.

The file is looked for in the working folder and in those above it; the nearest one counts alone. It holds `system`, the
tables `settings` and `mapping`, `names` and `profile`, as the options --system, --set, --map, --names and --profile do.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from elo_sheets.cli._notes import say_note
from elo_sheets.errors import EloSheetsError, UsageError, refusal

NAME = "elo-sheets.toml"

# Each key, and the parameter of a command that it stands for.
KEYS = {"system": "system", "settings": "settings", "mapping": "columns", "names": "names", "profile": "profile"}

# The verbs that rate games or make books; the others ask for what their options say.
VERBS = frozenset({"new", "import", "update", "replay", "compare", "fit", "predict", "explain", "simulate", "diff"})

# The system of a comparison is what the comparison is about, and a book has its own.
_OWN_SYSTEM = frozenset({"compare", "diff", "update"})


@dataclass(frozen=True)
class Config:
    """What a file says: each key with its value as the command's parameter takes it."""

    path: Path
    values: Mapping[str, Any]


def find_config(folder: Path) -> Config | None:
    """Return what the nearest `elo-sheets.toml` of the folder and those above it says, or None where there is none.

    Raises `UsageError` for a file that cannot be read, for an unknown key, and for a value of another kind.
    """
    for place in (folder, *folder.parents):
        path = place / NAME
        try:
            if path.is_file():
                return _read(path)
        except OSError as error:
            reason, remedy = refusal(error)
            raise UsageError(f"{path} cannot be read: {reason}; {remedy}, or leave it out by --no-config") from None
    return None


def _read(path: Path) -> Config:
    import difflib
    import tomllib

    try:
        found = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except ValueError as error:
        raise UsageError(f"{path} cannot be read as TOML: {error}") from None
    values: dict[str, Any] = {}
    for key, value in found.items():
        if key not in KEYS:
            near = difflib.get_close_matches(key, KEYS, 1)
            hint = f"; did you mean {near[0]}?" if near else ""
            raise UsageError(f"{path}: expected the keys {', '.join(KEYS)}, got {key!r}{hint}")
        values[key] = _value(path, key, value)
    return Config(path, values)


def _value(path: Path, key: str, value: Any) -> Any:
    if key in ("settings", "mapping"):
        if not isinstance(value, dict) or any(isinstance(one, dict | list) for one in value.values()):
            raise UsageError(f"{path}: expected a table [{key}] of names and values, got {value!r}")
        return {name: _text(one) for name, one in value.items()}
    if not isinstance(value, str):
        raise UsageError(f"{path}: expected {key} to be text, got {value!r}")
    if key == "system" and ".py" in value:
        raise UsageError(
            f"{path}: a rule of one's own runs as a program, so it is named on the command line: --system {value}"
        )
    is_file = key == "names" or (key == "profile" and value.endswith(".toml"))
    return str(path.parent / value) if is_file else value


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def configured(command: click.Command) -> None:
    """Let a command take from `elo-sheets.toml` what its command line does not say; `--no-config` leaves it out."""
    inner: Callable[..., Any] | None = command.callback
    if command.name not in VERBS or inner is None:
        return
    command.params.append(
        click.Option(["--no-config"], is_flag=True, help=f"Leave {NAME} out; see elo-sheets --show-config.")
    )

    @functools.wraps(inner)
    def run(*, no_config: bool, **given: Any) -> Any:
        config = None if no_config else find_config(Path.cwd())
        if config is None:
            return inner(**given)
        context = click.get_current_context()
        used = _merge(context, config, given)
        try:
            return inner(**given)
        except EloSheetsError as error:
            if used:
                error.args = (f"{error} ({', '.join(used)} given by {config.path}; --no-config leaves it out)",)
            raise

    command.callback = run


def _merge(context: click.Context, config: Config, given: dict[str, Any]) -> list[str]:
    """Put what the file says where the command line says nothing; return the keys of which something is used."""
    verb = str(context.info_name)
    used, unused = [], []
    asked = context.get_parameter_source("system") is ParameterSource.COMMANDLINE
    another = asked and given["system"] != config.values.get("system")
    for key, value in config.values.items():
        name = KEYS[key]
        if name not in given or (verb in _OWN_SYSTEM and key in ("system", "settings")):
            unused.append(f"{key}: of no use to {verb}")
        elif key == "settings" and another:
            unused.append("settings: those of another system")
        elif isinstance(value, dict):
            given[name] = {**value, **given[name]}
            used.append(key)
        elif context.get_parameter_source(name) is not ParameterSource.COMMANDLINE:
            given[name] = value
            used.append(key)
    said = [*([f"uses its {', '.join(used)}"] if used else []), *unused]
    if said:
        say_note(f"{config.path}: {'; '.join(said)}")
    return used


def show_config(context: click.Context, _option: object, value: bool) -> None:
    """Print which file counts here and what it says."""
    if not value:
        return
    config = find_config(Path.cwd())
    if config is None:
        click.echo(f"no {NAME} in this folder or above it; its keys would be {', '.join(KEYS)}")
    else:
        click.echo(str(config.path))
        for key, held in config.values.items():
            lines = [f"{name} = {one}" for name, one in held.items()] if isinstance(held, dict) else [str(held)]
            click.echo("\n".join(f"  {key}: {line}" for line in lines))
        click.echo(f"for {', '.join(sorted(VERBS))}; options of the command line win")
    context.exit()
