"""Names that could become formulas, links, codes of a terminal or parts of a file: every template, verb and format."""

from __future__ import annotations

import csv
import io
import itertools
import json
import re
import shutil
import signal
import sys
import zipfile
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import openpyxl
import pytest
import xlsxwriter

from elo_sheets import _outside
from elo_sheets.cli import run_command
from elo_sheets.files.package import read_book
from elo_sheets.uses.importing import import_logs
from elo_sheets.uses.updating import update
from elo_sheets.validate import validate

LINK = "http://elo-sheets.invalid/x"
FORMULAS = [
    f'=HYPERLINK("{LINK}","x")',
    f'=WEBSERVICE("{LINK}")',
    "=cmd|'/C calc'!A0",
    '=DDE("cmd","/C calc","x")',
    "=1+1",
    "+1+1",
    "-1+1",
    "@SUM(1)",
    "{=1+1}",
    "＝2+2",
    "＋2+2",
    "－2+2",
    "＠SUM(2)",
    "+cmd",
    "@x",
    "＝1",
    "-2",
]
TEXTS = [
    LINK,
    "mailto:x@elo-sheets.invalid",
    "</t></is></c><c><f>1+1</f></c>",
    "]]>&lt;x>",
    "_x003D_1+1",
    "_x000D_=1+1",
    '"&1+1&"',
    "');--",
    "${1+1}{0}%s",
    "#1+1",
    "Log[Elo]",
]
CODES = ["\x1b[31mred", "a\x1b]8;;http://x\x07b", "\x9b2J", "bell\x07", "nul\x00l", "back\x08", "del\x7f"]
NAMES = [*FORMULAS, *TEXTS]
OWNER = 4  # =1+1
RESULTS = ["1-0", "0-1", "1/2-1/2"]
TEMPLATES = ["journal", "league", "event", "ratings-list", "season", "compare", "league as football"]
OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
NUMBER = re.compile(r"-?[0-9.]+(e-?[0-9]+)?")
BEGINNINGS = ("=", "+", "-", "@", "＝", "＋", "－", "＠", "\t", "\r", "\n")


def tamed(names: Sequence[str]) -> list[str]:
    """Names that do no harm, as long as others: columns, and so pages, are as wide as the names in them."""
    return [f"{chr(65 + i // 26)}{chr(97 + i % 26)}".ljust(len(name), "m") for i, name in enumerate(names)]


TAME = tamed(NAMES)


def write_log(path: Path, names: list[str], *, more: bool = False) -> Path:
    """The first name plays all others, who play each other once; events, pools and rounds are called like players."""
    owner, others = names[OWNER], [name for name in names if name != names[OWNER]]
    pairs = [*((owner, other) for other in others), *itertools.pairwise(others)]
    with path.open("w", encoding="utf-8", newline="") as file:
        log = csv.writer(file)
        log.writerow(["date", "white", "black", "result", "event", "pool", "white_elo", "black_elo"])
        for i, (white, black) in enumerate(pairs):
            log.writerow([f"2026-01-{1 + i // 2:02}", white, black, RESULTS[i % 3], names[7], names[8], 1500, 1600])
        if more:
            log.writerow(["2026-02-20", others[0], others[2], "1-0", names[7], names[8], 1500, 1600])
    return path


def formulas(book: Path) -> dict[tuple[str, int, int], str]:
    sheets = read_book(book).sheets
    return {
        (sheet, *place): cell.formula
        for sheet, cells in sheets.items()
        for place, cell in cells.items()
        if cell.formula is not None
    }


def texts(book: Path) -> Iterator[tuple[str, str, Any]]:
    for sheet in openpyxl.load_workbook(book):
        for row in sheet.iter_rows():
            yield from ((sheet.title, cell.coordinate, cell) for cell in row if isinstance(cell.value, str))


def parts(book: Path) -> dict[str, str]:
    with zipfile.ZipFile(book) as archive:
        return {name: archive.read(name).decode("utf-8", "replace") for name in archive.namelist()}


def assert_harmless(book: Path, tame: Path, names: Collection[str] = NAMES) -> None:
    """The formulas are those of a book with tame names, every name is a text, and nothing leads out of the file."""
    assert formulas(book) == formulas(tame)
    for sheet, place, cell in texts(book):
        if cell.value in names:
            assert (cell.data_type, cell.hyperlink) == ("s", None), (sheet, place)
    stored = parts(book)
    assert stored.keys() == parts(tame).keys()
    assert "hyperlink" not in "".join(text for name, text in stored.items() if name.endswith(".rels"))
    assert "External" not in "".join(text for name, text in stored.items() if name.endswith(".rels"))
    defined = "".join(re.findall(r"<definedName.*?</definedName>", stored["xl/workbook.xml"]))
    assert defined == "".join(re.findall(r"<definedName.*?</definedName>", parts(tame)["xl/workbook.xml"]))


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("injection")
    for kind, names in (("hostile", NAMES), ("tame", TAME)):
        write_log(folder / f"{kind}.csv", names)
        write_log(folder / f"{kind}-more.csv", names, more=True)
    return folder


def made(home: Path, template: str, kind: str) -> Path:
    book = home / f"{template}-{kind}.xlsx"
    if not book.exists():
        names = NAMES if kind == "hostile" else TAME
        player = names[OWNER] if template == "journal" else None
        name, _, sport = template.partition(" as ")
        import_logs([home / f"{kind}.csv"], book, template=name, player=player, profile=sport or None)
    return book


@pytest.mark.parametrize("template", TEMPLATES)
def test_no_name_becomes_a_formula_or_a_link_in_a_book(home: Path, template: str) -> None:
    book = made(home, template, "hostile")
    assert_harmless(book, made(home, template, "tame"))
    assert set(NAMES) <= {cell.value for _, _, cell in texts(book)}


def test_no_word_of_a_sport_becomes_a_formula(home: Path, tmp_path: Path) -> None:
    sport = tmp_path / "sport.toml"
    sport.write_text('title = "=1+1"\nsides = ["=2+2", "+cmd"]\nresults = ["=won", "-2", "=lost"]\ndraws = true\n')
    import_logs([home / "tame.csv"], book := tmp_path / "book.xlsx", profile=str(sport))
    found = [cell for _, _, cell in texts(book) if cell.value in {"=2+2", "+cmd", "=won", "-2", "=lost"}]
    assert {cell.value for cell in found} >= {"=2+2", "+cmd"}
    assert {cell.data_type for cell in found} == {"s"}
    assert validate(book).status == "agrees"


@pytest.mark.parametrize("template", ["journal", "event"])
def test_no_name_becomes_a_formula_when_a_book_is_updated(home: Path, template: str, tmp_path: Path) -> None:
    books = {}
    for kind, names in (("hostile", NAMES), ("tame", TAME)):
        books[kind] = tmp_path / f"{kind}.xlsx"
        shutil.copy(made(home, template, kind), books[kind])
        more = write_log(tmp_path / f"{kind}-more.csv", names, more=True)
        update(books[kind], [more], player=names[OWNER] if template == "journal" else None)
    assert_harmless(books["hostile"], books["tame"])
    assert set(NAMES) <= {cell.value for _, _, cell in texts(books["hostile"])}


# --- a stranger's book, in all that is said of it -----------------------------------------------------------

SHEET = "=1+1 \x9b2J"


@pytest.fixture(scope="module")
def stranger(home: Path) -> Path:
    """A log of two players' games with names such as these in every text, and one wrong formula."""
    book = home / "stranger.xlsx"
    names = [*FORMULAS, *(code.replace("\x00", "") for code in CODES)]
    with xlsxwriter.Workbook(book, {"strings_to_formulas": False, "strings_to_urls": False}) as made:
        log = made.add_worksheet(SHEET)
        for column, header in enumerate(["Player", "Opponent", "Rating", "Opp rating", "Result", "Expected", "New"]):
            log.write_string(0, column, header)
        rating = 1500.0
        for row, name in enumerate(names, 2):
            opponent, score = 1400.0 + 20 * row, (0, 0.5, 1)[row % 3]
            log.write_string(f"A{row}", names[0])
            log.write_string(f"B{row}", name)
            log.write_formula(f"C{row}", "=1500" if row == 2 else f"=G{row - 1}", None, rating)
            log.write_number(f"D{row}", opponent)
            log.write_number(f"E{row}", score)
            wrong = row == 7
            log.write_formula(f"F{row}", f"=1/(1+10^((D{row}-C{row})/{4000 if wrong else 400}))")
            log.write_formula(f"G{row}", f"=C{row}+20*(E{row}-F{row})")
    return book


@pytest.mark.parametrize("more", [[], ["--json"], ["--format", "sarif"], ["--show-roles"]])
def test_what_is_said_of_a_book_holds_no_codes(stranger: Path, more: list[str]) -> None:
    done = run("validate", str(stranger), *more)
    assert done.code == 1
    assert "ES" in done.out
    if {"--json", "sarif"} & set(more):
        assert SHEET in " ".join(_strings(json.loads(done.out)))


def test_the_marked_copy_of_a_book_has_no_formula_more(stranger: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.xlsx"
    assert run("validate", str(stranger), "--annotate", str(copy)).code == 1
    assert formulas(copy) == formulas(stranger)
    before = {name for name, text in parts(stranger).items() if "TargetMode" in text or "hyperlink" in text}
    after = {name for name, text in parts(copy).items() if "TargetMode" in text}
    assert after <= before


# --- every verb that prints names ---------------------------------------------------------------------------

PRINTED = [*NAMES, *CODES]
VERBS = {
    "replay": ["replay", "LOG"],
    "replay --json": ["replay", "LOG", "--json"],
    "replay -o -": ["replay", "LOG", "-o", "-"],
    "compare": ["compare", "LOG", "--system", "elo,glicko2", "--burn-in", "0"],
    "compare --json": ["compare", "LOG", "--system", "elo,glicko2", "--burn-in", "0", "--json"],
    "fit": ["fit", "LOG", "k=10:40", "--burn-in", "0"],
    "predict": ["predict", "ONE", "TWO", "--log", "LOG"],
    "predict --json": ["predict", "ONE", "TWO", "--log", "LOG", "--json"],
    "predict, unknown": ["predict", "ONE", "=nobody\x1b[2J", "--log", "LOG"],
    "explain": ["explain", "ONE", "LOG"],
    "explain --json": ["explain", "ONE", "LOG", "--json"],
    "diff": ["diff", "LOG", "OTHER"],
    "diff --json": ["diff", "LOG", "OTHER", "--json"],
    "simulate": ["simulate", "LOG", "--round-robin", "--runs", "20"],
    "simulate --json": ["simulate", "LOG", "--round-robin", "--runs", "20", "--json"],
    "event": ["event", "1500", "LOG", "--player", "ONE"],
    "event --json": ["event", "1500", "LOG", "--player", "ONE", "--json"],
    "import --dry-run": ["import", "LOG", "-o", "book.xlsx", "--dry-run"],
    "import, two spellings": ["import", "TWICE", "-o", "book.xlsx", "--dry-run"],
    "import --json": ["import", "TWICE", "-o", "book.xlsx", "--dry-run", "--json"],
}


class Said(NamedTuple):
    """How a command ended, and what it printed."""

    code: int
    out: str
    err: str


def run(*arguments: str) -> Said:
    """Run a command as `elo-sheets` runs it; nothing that a terminal obeys may be in what it prints."""
    signals = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    streams, hook = (sys.stdout, sys.stderr), sys.unraisablehook
    buffers = io.BytesIO(), io.BytesIO()
    try:
        sys.stdout, sys.stderr = (io.TextIOWrapper(buffer, encoding="utf-8") for buffer in buffers)
        code = _outside.run(lambda: run_command([*arguments]), 3)
        sys.stdout.flush(), sys.stderr.flush()
        out, err = (buffer.getvalue().decode("utf-8") for buffer in buffers)
    finally:
        (sys.stdout, sys.stderr), sys.unraisablehook = streams, hook
        for number, handler in signals.items():
            signal.signal(number, handler)
    assert not OBEYED.search(out + err)
    return Said(code, out, err)


@pytest.mark.parametrize("verb", VERBS)
def test_no_verb_prints_what_a_terminal_obeys(home: Path, verb: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(home)
    log = write_log(home / "printed.csv", PRINTED)
    text = log.read_text("utf-8")
    (home / "other.csv").write_text(text.replace("1-0", "0-1", 3), "utf-8")
    (home / "twice.csv").write_text(text + text.replace("\x1b[31mred", "\x1b[31mRED"), "utf-8")
    words = {"LOG": "printed.csv", "OTHER": "other.csv", "TWICE": "twice.csv", "ONE": PRINTED[OWNER], "TWO": CODES[0]}
    done = run(*(words.get(word, word) for word in VERBS[verb]))
    assert "Traceback" not in done.err
    assert done.code in ((0, 1) if "unknown" not in verb else (2, 3))
    assert done.out or done.err
    if "json" in verb:
        said = json.dumps(json.loads(done.out), ensure_ascii=False)
        assert any(name.strip("=") in said for name in NAMES)


@pytest.mark.parametrize("ending", ["csv", "json", "xlsx"])
def test_a_history_holds_the_names_as_texts(home: Path, ending: str, tmp_path: Path) -> None:
    target = tmp_path / f"history.{ending}"
    assert run("replay", str(home / "hostile.csv"), "-o", str(target)).code == 0
    if ending == "xlsx":
        assert formulas(target) == {}
        assert set(NAMES) <= {cell.value for _, _, cell in texts(target)}
        assert "hyperlink" not in "".join(parts(target).values())
        return
    text = target.read_text("utf-8")
    if ending == "json":
        assert set(NAMES) <= set(_strings(json.loads(text)))
        return
    fields = [field for row in csv.reader(io.StringIO(text)) for field in row]
    assert {name.removeprefix("'") for name in fields} >= {name.removeprefix("'") for name in NAMES}
    assert [field for field in fields if field.startswith(BEGINNINGS) and not NUMBER.fullmatch(field)] == []


def _strings(data: Any) -> Iterator[str]:
    if isinstance(data, str):
        yield data
    elif isinstance(data, (list, dict)):
        for part in data.values() if isinstance(data, dict) else data:
            yield from _strings(part)
