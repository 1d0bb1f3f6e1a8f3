"""The direction of the imports, read from the sources: arrows point from the command down to the vocabulary."""

from __future__ import annotations

import ast
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

import elo_sheets
from elo_sheets.systems import SYSTEMS, System

PACKAGE = Path(elo_sheets.__file__).parent
OWN_CODE = {
    "aga": "aga",
    "bayeselo": "bayeselo",
    "bradley_terry": "bradley-terry",
    "chessmetrics": "chessmetrics",
    "uschess": "uschess",
    "whr": "whr",
}
HEAVY = ("pandas", "numpy", "openpyxl", "xlsxwriter", "ironcalc", "formualizer")
# What `_late` imports when it is used, by the name there; the other names there are for types.
LATE = {"np": "numpy", "pd": "pandas"}


class Import(NamedTuple):
    """One imported module or name, and whether importing the file imports it."""

    target: str
    line: int
    at_module_level: bool


def module_name(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def is_for_types_only(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)


@cache
def parsed(source: str) -> ast.Module:
    return ast.parse(source)


@cache
def sources() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def imports_in(node: ast.AST, package: str, level: bool = True, for_types: bool = False) -> Iterator[Import]:
    """Every import below a node, those for type checkers left out unless they are asked for."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr):
            continue  # no import stands there, and most of a tree does
        if not for_types and is_for_types_only(child):
            assert isinstance(child, ast.If)
            for other in child.orelse:
                yield from imports_in(ast.Module([other], []), package, level)
        elif isinstance(child, ast.Import):
            yield from (Import(alias.name, child.lineno, level) for alias in child.names)
        elif isinstance(child, ast.ImportFrom):
            base = child.module or ""
            if base == "elo_sheets._late":
                names = (LATE.get(alias.name) for alias in child.names)
                yield from (Import(name, child.lineno, False) for name in names if name)
                continue
            if child.level:
                home = package.split(".")[: len(package.split(".")) - child.level + 1]
                base = ".".join([*home, base]).rstrip(".")
            # `from elo_sheets.workbook import write` imports the module of that name, so the name counts too.
            yield from (Import(f"{base}.{alias.name}", child.lineno, level) for alias in child.names)
        else:
            in_function = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)
            yield from imports_in(child, package, level and not in_function, for_types)


def read_imports(path: Path) -> list[Import]:
    name = module_name(path)
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    return list(imports_in(parsed(path.read_text(encoding="utf-8")), package))


@cache
def imports() -> dict[str, list[Import]]:
    return {module_name(path): read_imports(path) for path in sources()}


def within(name: str, *homes: str) -> bool:
    return any(name == home or name.startswith(home + ".") for home in homes)


def own(*names: str) -> tuple[str, ...]:
    return tuple(f"elo_sheets.{name}" for name in names)


def breaches(importers: list[str], *forbidden: str) -> list[str]:
    return [
        f"{name}:{found.line} imports {found.target}"
        for name in importers
        for found in imports()[name]
        if within(found.target, *forbidden)
    ]


def strangers(importers: list[str], *allowed: str) -> list[str]:
    """Imports of our own modules beyond the allowed ones."""
    return [
        f"{name}:{found.line} imports {found.target}"
        for name in importers
        for found in imports()[name]
        if within(found.target, "elo_sheets") and not within(found.target, *allowed)
    ]


def modules(*homes: str) -> list[str]:
    """The modules at or below the given ones; none is a mistake in this test or a house torn down."""
    found = [name for name in imports() if within(name, *own(*homes))]
    assert found, homes
    return found


def all_but(*homes: str) -> list[str]:
    return [name for name in imports() if not within(name, *own(*homes))]


# --- the reading of imports itself --------------------------------------------------------------------------

SOURCE = """
from elo_sheets._late import Array, np
import a
from b.c import d
from . import e
from .f import g
from ..h import i
if TYPE_CHECKING:
    import j
else:
    import k
try:
    import l
except ImportError:
    pass
def function():
    import m
class Class:
    import n
    def method(self):
        from o import p
"""


def test_imports_are_read_wherever_they_stand() -> None:
    found = imports_in(ast.parse(SOURCE), "elo_sheets.readers")
    assert [(x.target, x.at_module_level) for x in found] == [
        ("numpy", False),
        ("a", True),
        ("b.c.d", True),
        ("elo_sheets.readers.e", True),
        ("elo_sheets.readers.f.g", True),
        ("elo_sheets.h.i", True),
        ("k", True),
        ("l", True),
        ("m", False),
        ("n", True),
        ("o.p", False),
    ]


# --- the layers ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("module", "below"),
    [
        ("errors", ()),
        ("own_file", ("errors",)),
        ("shipped", ()),
        ("_values", ()),
        ("expr", ("errors", "_values")),
        ("ops", ("errors", "expr")),
        ("formula", ("errors", "expr")),
        ("odds.performance", ("errors", "ops", "systems")),
        ("odds.match", ("errors", "expr", "ops", "systems")),
        ("odds.statistics", ("errors", "expr", "ops", "systems")),
        ("odds.forecast", ("errors", "expr", "ops", "systems", "odds.match", "odds.statistics")),
        ("replaying.source", ("errors", "expr", "ops")),
        ("replaying.kept", ()),
        ("replaying.loop", ("errors", "expr", "ops", "systems", "replaying.source", "replaying.kept")),
        ("uses.describing", ("errors", "expr", "formula", "systems", "replaying.settings")),
        ("replaying.settings", ("errors", "expr", "systems", "replaying.starting", "games")),
        ("replaying.grouped", ("errors", "systems", "replaying.settings")),
        ("_memory", ()),
        ("games", ("errors", "_memory")),
        ("replaying.history", ("errors", "systems")),
    ],
)
def test_the_lower_layers_import_only_what_lies_below_them(module: str, below: tuple[str, ...]) -> None:
    assert strangers(modules(module), *own(module, *below)) == []


def test_systems_import_only_the_vocabulary_the_errors_and_each_other() -> None:
    # `_system` traces the steps, and for that alone knows expressions; the rules do not.
    shape = "elo_sheets.systems._system"
    rules = [name for name in modules("systems") if name != shape]
    assert strangers(rules, *own("systems", "ops", "errors", "own_file", "shipped")) == []
    assert strangers([shape], *own("systems", "ops", "errors", "expr")) == []


def test_rules_use_the_vocabulary_and_no_other_arithmetic() -> None:
    # Systems with code of their own beside their steps; numpy is imported where that code runs.
    own_code = {f"elo_sheets.systems.{name}" for name in ("_pool", *OWN_CODE)}
    rules = [name for name in modules("systems") if name not in own_code]
    assert breaches(rules, "math", "cmath", "statistics", "decimal", "fractions", *HEAVY) == []


@pytest.mark.parametrize("name", sorted(OWN_CODE))
def test_a_system_with_code_of_its_own_is_no_system_of_steps(name: str) -> None:
    assert not isinstance(SYSTEMS[OWN_CODE[name]], System)


def test_the_replay_knows_no_workbook_no_reader_and_no_verdict() -> None:
    assert breaches(modules("replaying"), *own("workbook", "readers", "validate", "recognise", "engines", "uses")) == []


def test_readers_know_no_system_no_replay_and_no_workbook() -> None:
    above = own("systems", "replaying", "workbook", "validate", "verdict", "uses", "ops", "expr", "formula")
    assert breaches(modules("readers"), *above) == []


def test_the_engines_know_no_rule() -> None:
    assert (
        breaches(
            modules("engines", "files"),
            *own("systems", "replaying", "workbook", "readers"),
        )
        == []
    )


def test_the_verdict_never_imports_the_writer() -> None:
    assert breaches(modules("validate"), "xlsxwriter", "elo_sheets.workbook.write") == []


def test_only_one_module_imports_xlsxwriter() -> None:
    assert breaches(all_but("workbook.write"), "xlsxwriter") == []


def test_only_the_command_imports_click() -> None:
    assert breaches(all_but("cli"), "click") == []


def test_nothing_but_the_entry_imports_the_command() -> None:
    assert breaches(all_but("cli", "__main__"), "elo_sheets.cli") == []


def test_heavy_modules_are_imported_where_they_are_used() -> None:
    heavy = [
        f"{name}:{found.line} imports {found.target}"
        for name in all_but("workbook.write")
        for found in imports()[name]
        if found.at_module_level and within(found.target, *HEAVY)
    ]
    assert heavy == []


@pytest.mark.parametrize("module", ["elo_sheets", "elo_sheets.cli", "elo_sheets.systems", "elo_sheets.readers"])
def test_importing_loads_no_heavy_module(module: str) -> None:
    code = f"import sys, {module}; print([name for name in {HEAVY} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert (done.stdout.strip(), done.stderr) == ("[]", "")


@pytest.mark.parametrize("command", ["systems", "profiles", "profiles tennis", "templates"])
def test_what_is_listed_imports_no_rule(command: str) -> None:
    code = (
        f"import sys; from elo_sheets.cli import run_command; assert run_command({command.split()}) == 0\n"
        "rooms = 'elo_sheets.systems', 'elo_sheets.workbook', 'elo_sheets.readers', 'importlib.resources'\n"
        "print([name for name in sys.modules if name.startswith(rooms)])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert (done.stdout.splitlines()[-1], done.stderr) == ("[]", "")


def test_reading_a_book_imports_nothing_of_the_network() -> None:
    code = "import sys, elo_sheets.readers, elo_sheets.validate as v; print({'ssl', 'email'} & {*sys.modules})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert (done.stdout.strip(), done.stderr) == ("set()", "")


def test_recognition_stands_between_the_engines_and_the_verdict() -> None:
    above = own("workbook", "replaying", "readers", "cli", "uses", "validate")
    assert breaches(modules("recognise"), *above) == []
    lower = "engines", "errors", "expr", "files", "formula", "ops", "systems"
    allowed = own("recognise", "detective", *lower, "verdict")
    assert strangers(modules("recognise"), *allowed) == []
    assert breaches(modules("detective"), *above) == []
    assert strangers(modules("detective"), *allowed) == []


def all_imports(path: Path) -> set[str]:
    """The modules of ours that a file imports anywhere, in functions and for types only included."""
    name = module_name(path)
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    targets = {found.target for found in imports_in(parsed(path.read_text(encoding="utf-8")), package, for_types=True)}
    known = imports().keys()
    return {target if target in known else target.rpartition(".")[0] for target in targets} & known - {name}


def circles(arrows: dict[str, set[str]]) -> list[str]:
    """What is left when whatever imports nothing that is left is taken away, again and again."""
    left = dict(arrows)
    while done := [name for name, targets in left.items() if not targets & left.keys()]:
        for name in done:
            del left[name]
    while done := [name for name in left if not any(name in targets for targets in left.values())]:
        for name in done:
            del left[name]
    return sorted(left)


def test_a_circle_is_found() -> None:
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"b", "d"}, "d": set()}) == ["b", "c"]
    assert circles({"a": {"b"}, "b": {"c"}, "c": set()}) == []


def test_no_two_modules_import_each_other_by_any_way_not_even_for_types() -> None:
    # A package that gathers its parts for its users imports them lazily; its parts import each other, not the package.
    assert circles({module_name(path): all_imports(path) for path in sources()}) == []


# --- what fits into a head ----------------------------------------------------------------------------------

LONGEST_FUNCTION, LONGEST_FILE = 80, 700  # lines
LONGEST_OF_ROOM = {"recognise": 500, "detective": 500}


def too_long(name: str, source: str) -> list[str]:
    """The file and those of its functions that have more lines than they may."""
    found = [
        f"{name}: {node.name} has {lines} lines"
        for node in ast.walk(parsed(source))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (lines := (node.end_lineno or 0) - node.lineno + 1) > LONGEST_FUNCTION
    ]
    lines = source.count("\n")
    longest = LONGEST_OF_ROOM.get((*name.split("."), "")[1], LONGEST_FILE)
    return found + ([f"{name} has {lines} lines"] if lines > longest else [])


def test_a_function_and_a_file_that_are_too_long_are_found() -> None:
    body = "    pass\n" * 80
    assert too_long("a", f"def short():\n{body[9:]}") == []
    assert too_long("a", f"class C:\n async def long():\n{body}") == ["a: long has 81 lines"]
    assert too_long("a", "pass\n" * 701) == ["a has 701 lines"]
    assert too_long("elo_sheets.recognise.b", "pass\n" * 501) == ["elo_sheets.recognise.b has 501 lines"]


def test_no_function_has_more_than_80_lines_and_no_file_more_than_its_room_allows() -> None:
    assert not [long for path in sources() for long in too_long(module_name(path), path.read_text(encoding="utf-8"))]


def test_what_is_chosen_to_run_with_other_versions_is_there() -> None:
    here = Path(__file__).parent
    for file, names in tomllib.loads((here / "ends.toml").read_text("utf-8")).items():
        tree = ast.parse((here / file).read_text("utf-8"))
        assert set(names) <= {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}, file
