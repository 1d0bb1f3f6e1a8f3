"""The documentation is true: it names all there is, its examples run, its generated parts are up to date."""

from __future__ import annotations

import dataclasses
import doctest
import importlib
import importlib.util
import json
import os
import pkgutil
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from types import ModuleType

import pytest
from click.testing import CliRunner

import elo_sheets
from elo_sheets import errors
from elo_sheets.cli import cli
from elo_sheets.readers import read
from elo_sheets.replaying.replay import replay
from elo_sheets.systems import SYSTEMS
from elo_sheets.systems import elo as elo_rule
from elo_sheets.validate import RULES, Finding, Verdict, Worst
from elo_sheets.verdict.findings import Role
from elo_sheets.verdict.report import as_record
from elo_sheets.workbook.templates import NAMES

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")
COMMANDS = (ROOT / "docs/commands.md").read_text("utf-8")
MAP = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
ARCHITECTURE = MAP + (ROOT / "docs/why.md").read_text("utf-8")  # the map, and its reasons
CLI_PAGE = (ROOT / "docs/cli.md").read_text("utf-8")
PAGES = sorted(
    path.relative_to(ROOT).as_posix() for path in [*ROOT.glob("*.md"), *ROOT.glob("*/*.md"), *ROOT.glob("docs/*/*.md")]
)
RUNS_WHEN_IMPORTED = {"elo_sheets.__main__", "elo_sheets.engines.engine_child"}
MODULES = {module.name for module in pkgutil.walk_packages(elo_sheets.__path__, "elo_sheets.")} - RUNS_WHEN_IMPORTED


def blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def script(path: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(Path(path).stem, ROOT / path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# --- everything is named ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", cli.commands)
def test_every_command_is_documented(name: str) -> None:
    assert f"`elo-sheets {name}" in COMMANDS
    assert re.search(rf"`{name}`", ARCHITECTURE) or name in {"systems", "templates"}
    assert f"\n## {name}\n" in CLI_PAGE


def test_every_command_is_listed_with_a_whole_sentence() -> None:
    said = (
        CliRunner().invoke(cli, ["--help"], terminal_width=80).output.partition("Commands:\n")[2].partition("\n\n")[0]
    )
    assert [line for line in said.splitlines() if not re.fullmatch(r"  [a-z-]+ +[A-Z][^.]*\.", line)] == []


@pytest.mark.parametrize("name", SYSTEMS)
def test_every_system_is_documented(name: str) -> None:
    assert f"`{name}`" in COMMANDS
    module = {"ecf-grade": "ecf"}.get(name, name.replace("-", "_"))
    assert f"systems/{module}.py" in ARCHITECTURE


@pytest.mark.parametrize("name", NAMES)
def test_every_template_is_documented(name: str) -> None:
    assert f"`{name}`" in COMMANDS
    assert f"*{name}*" in ARCHITECTURE or f"{name}'s" in ARCHITECTURE


def test_every_exit_code_is_documented() -> None:
    classes = [value for value in vars(errors).values() if isinstance(value, type)]
    codes = {0, 1} | {error.exit_code for error in classes if issubclass(error, errors.EloSheetsError)}
    assert codes == {int(code) for code in re.findall(r"^\| (\d) \|", COMMANDS, re.MULTILINE)}
    for code in codes:
        assert re.search(rf"\b{code} [a-z]", MAP.partition("## Exit codes")[2])
        assert re.search(rf"^    {code}  [a-z]", cli.epilog or "", re.MULTILINE) or f"\n  {code}  " in (
            cli.epilog or ""
        )


@pytest.mark.parametrize("name", ["ironcalc", "formualizer", "libreoffice"])
def test_every_engine_is_documented(name: str) -> None:
    assert f"`{name}`" in ARCHITECTURE


def test_every_module_stands_in_the_house() -> None:
    house = blocks(MAP, "")[1]
    modules = [path.name for path in (ROOT / "elo_sheets").iterdir() if not path.name.startswith(("_", "py.typed"))]
    assert [name for name in modules if name not in house] == []


def test_every_part_of_the_detective_stands_on_its_page() -> None:
    page = (ROOT / "docs/detective.md").read_text("utf-8")
    rooms = ROOT / "elo_sheets/recognise", ROOT / "elo_sheets/detective"
    assert [path.stem for room in rooms for path in room.glob("[a-z]*.py") if f"`{path.stem}`" not in page] == []


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str) -> None:
    text = (ROOT / page).read_text("utf-8")
    for target in re.findall(r"\]\((?!https?:)([^)#]+)(?:#[^)]*)?\)", text):
        assert ((ROOT / page).parent / target).exists() or target.endswith("calculators.html"), target


def test_the_changelog_has_the_version_and_says_which_numbers_changed() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text("utf-8")
    latest = changelog.split("\n## ")[1]
    assert latest.startswith(elo_sheets.__version__)
    assert re.findall(r"^### (.*)$", latest, re.MULTILINE) == ["Added", "Changed", "Numbers changed", "Fixed"]


def test_every_kind_of_finding_is_documented() -> None:
    section = (ROOT / "docs/json.md").read_text("utf-8")
    listed = re.findall(r"^\| (ES\d+) \| (\S+) \| (.*) \|$", section, re.MULTILINE)
    assert listed == [(rule.code, rule.name, rule.meaning) for rule in RULES.values()]


def keys(value: object) -> set[str]:
    """The keys of a JSON document, wherever they are, but for the settings of a system."""
    if isinstance(value, list):
        return set().union(*map(keys, value))
    if not isinstance(value, dict):
        return set()
    by_name = {"settings", "origins", "found", "before", "after", "sums", "inputs"}
    return (set(value) - set(SYSTEMS)).union(*(keys(inner) for key, inner in value.items() if key not in by_name))


@pytest.mark.parametrize(
    "arguments",
    [
        ("import", "-o", "b.xlsx", "--dry-run"),
        ("replay",),
        ("replay", "--compare", "elo,glicko2", "--set", "period=game", "--burn-in", "0"),
        ("replay", "--fit", "k=10:40", "--burn-in", "0"),
        ("compare", "--system", "elo,glicko2", "--set", "period=game", "--burn-in", "0"),
        ("fit", "k=10:40", "--burn-in", "0"),
        ("predict", "1700", "1500"),
        ("explain", "Player 1"),
        ("explain", "Player 1", "--system", "fide", "--published"),
        ("conform", "glicko2"),
        ("calc", "1600", "1500", "--result", "win"),
        ("event", "1600", "--opponents", "1500,1620", "--results", "1,D"),
        ("event", "1600", "--opponents", "1500,1620", "--results", "1,D", "--system", "dwz"),
        ("event", "1600", "--opponents", "1500,1620", "--results", "1,D", "--system", "uschess"),
        ("goal", "2300", "2320", "--opponents", "2200,2250,2300", "--k", "10"),
        ("goal", "2400", "--norm", "gm", "--games", "9", "--average", "2400"),
        ("rating-odds",),
        ("match", "1600", "1500"),
        ("match", "1600", "1500", "--best-of", "5", "--draws", "none"),
        ("simulate", "--double-round-robin", "--runs", "20", "--seed", "1"),
        ("rules",),
        ("systems",),
        ("systems", "glicko2"),
        ("templates",),
    ],
    ids=lambda a: "-".join(a[:3]),
)
def test_every_key_of_the_json_is_documented(arguments: tuple[str, ...], tmp_path: Path) -> None:
    log = tmp_path / "log.csv"
    log.write_text("date,white,black,result\n2026-01-05,Player 1,Player 2,1-0\n2026-01-06,Player 1,Player 2,later\n")
    inputs = dict.fromkeys(("import", "replay", "compare", "fit", "explain", "simulate"), log)
    logs = [str(inputs[arguments[0]])] if arguments[0] in inputs else []
    document = json.loads(CliRunner().invoke(cli, [*arguments, *logs, "--json"]).stdout)
    section = (ROOT / "docs/json.md").read_text("utf-8")
    assert sorted(key for key in keys(document) if f"`{key}`" not in section) == []
    assert document["schema"] == 1


def test_every_key_of_a_verdict_is_documented() -> None:
    finding = Finding("ES101", "error", "Log!F5", "swapped")
    verdict = Verdict("b.xlsx", "differs", "ironcalc", worst=Worst("Log!F5", 1, 2), roles=(Role("E", "Log!F"),))
    document = as_record(dataclasses.replace(verdict, findings=(finding,)))
    section = (ROOT / "docs/json.md").read_text("utf-8").partition("\n## validate\n")[2].partition("\n## ")[0]
    assert sorted(key for key in keys(document) if f"`{key}`" not in section) == []


# --- what is generated is up to date ------------------------------------------------------------------------


def test_the_pages_of_the_systems_are_those_of_the_code() -> None:
    pages = script("docs/make_systems.py").pages()
    kept = {path.name: path.read_text("utf-8") for path in (ROOT / "docs/systems").glob("*.md")}
    assert pages == kept, "run python docs/make_systems.py"


def test_the_page_of_the_findings_is_that_of_the_rules() -> None:
    kept = (ROOT / "docs/findings.md").read_text("utf-8")
    assert script("docs/make_findings.py").page() == kept, "run python docs/make_findings.py"


def test_the_list_of_the_templates_is_what_they_say() -> None:
    made = script("docs/make_templates.py")
    assert made.page() == made.FILE.read_text("utf-8"), "run python docs/make_templates.py"


def test_the_page_of_the_library_is_that_of_the_docstrings() -> None:
    assert script("docs/make_library.py").page() == (ROOT / "docs/library.md").read_text("utf-8"), (
        "run python docs/make_library.py"
    )


def test_the_help_pages_are_those_of_the_command() -> None:
    assert script("docs/make_cli.py").page() == CLI_PAGE, "run python docs/make_cli.py"


def test_the_samples_are_what_the_commands_make(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "samples", tmp_path / "samples", ignore=shutil.ignore_patterns("*.xlsx", "__pycache__"))
    script("samples/make.py").make(tmp_path)
    made = sorted((tmp_path / "samples").glob("*.xlsx"))
    assert [book.name for book in made] == sorted(book.name for book in (ROOT / "samples").glob("*.xlsx"))
    for book in made:
        new, kept = parts(book), parts(ROOT / "samples" / book.name)
        assert list(new) == list(kept)
        assert [name for name in new if new[name] != kept[name]] == [], f"{book.name}: run python samples/make.py"


def parts(book: Path) -> dict[str, bytes]:
    """The bytes of every part: how they are packed differs between builds of zlib."""
    with zipfile.ZipFile(book) as archive:
        return {info.filename: archive.read(info) for info in archive.infolist()}


def test_the_samples_are_small_and_their_sources_are_named() -> None:
    page = (ROOT / "samples/README.md").read_text("utf-8")
    logs = [path for path in (ROOT / "samples").iterdir() if path.suffix in {".csv", ".pgn"}]
    assert all(f"`{path.name}`" in page for path in logs)
    assert sum(path.stat().st_size for path in (ROOT / "samples").glob("*.*")) < 1_500_000


# --- the samples against somebody else ----------------------------------------------------------------------


def test_expected_score_agrees_with_538() -> None:
    import csv

    with (ROOT / "samples/nfl_1920.csv").open(encoding="utf-8", newline="") as file:
        for game in csv.DictReader(file):
            home = 0 if game["neutral"] == "1" else 65
            difference = float(game["elo1"]) + home - float(game["elo2"])
            # The ratings are printed with three decimals.
            assert elo_rule.expected(difference, 400) == pytest.approx(float(game["elo_prob1"]), abs=2e-6)


def test_scores_agree_with_the_reports_of_the_event() -> None:
    ratings = replay(read([ROOT / "samples/uzchesscup.pgn"]).games, SYSTEMS["elo"], {}).ratings.set_index("player")
    points = ratings["wins"] + ratings["draws"] / 2
    first = {"Praggnanandhaa R": 5.5, "Sindarov, Javokhir": 5.5, "Abdusattorov, Nodirbek": 5.5}
    assert points.nlargest(3).to_dict() == first
    assert points.nlargest(4).iloc[3] < 5.5


# --- examples run -------------------------------------------------------------------------------------------


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    shutil.copytree(ROOT / "samples", tmp_path / "samples", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def shell(line: str, folder: Path) -> None:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "PYTHONUTF8": "1"}
    done = subprocess.run(line, shell=True, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{line}: {done.stderr}"


def test_the_first_two_blocks_of_the_readme_install_and_test() -> None:
    install, test, *_ = blocks(README, "sh")
    assert install.startswith(
        "python3 -m venv .venv && .venv/bin/pip install . && .venv/bin/elo-sheets import samples/"
    )
    assert test == "python3 -m venv .venv && .venv/bin/pip install '.[test]' && .venv/bin/pytest -n auto\n"


def test_the_first_command_of_the_readme_runs(checkout: Path) -> None:
    shell(f"elo-sheets {blocks(README, 'sh')[0].partition('.venv/bin/elo-sheets ')[2]}", checkout)
    assert (checkout / "internationals.xlsx").exists()


def test_the_programs_of_the_library_page_print_what_it_says(checkout: Path) -> None:
    page = (ROOT / "docs/library.md").read_text("utf-8").partition("\n## Logs to books")[0]
    programs, printed = blocks(page, "python"), blocks(page, "text")
    assert len(programs) == len(printed) == 6
    for program, expected in zip(programs, printed, strict=True):
        assert len(program.splitlines()) <= 10
        done = subprocess.run(
            [sys.executable, "-c", program], cwd=checkout, capture_output=True, text=True, check=False
        )
        assert done.stdout == expected, done.stderr


def test_ci_runs_the_commands_of_the_readme() -> None:
    text = (ROOT / ".ci/run").read_text("utf-8")
    assert "grep -m 1 'pytest -n auto$' README.md" in text
    assert "grep -m 1 -o 'elo-sheets import .*' README.md" in text
    assert "ELO_SHEETS_REQUIRE_ENGINES=1" in text


@pytest.mark.parametrize("name", ["elo_sheets", *sorted(MODULES)])
def test_examples_in_docstrings_run(name: str) -> None:
    failed, _ = doctest.testmod(importlib.import_module(name), optionflags=doctest.NORMALIZE_WHITESPACE)
    assert failed == 0
