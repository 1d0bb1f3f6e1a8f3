"""Planted faults are found at the right cell with the right effect; what is right stays unsaid.

The effect that a finding must state is measured without the validator: an engine recalculates the sound and the
faulty book, and the rating that changed most is the effect.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Mapping
from pathlib import Path

import openpyxl
import pytest
from planting import Edit, Place, at, cleared, formula, plant, rounded, stale, typed

from elo_sheets.engines.recalculate import Recalculated, recalculate
from elo_sheets.errors import UnreadableInput, UsageError
from elo_sheets.files.cells import Book
from elo_sheets.files.package import read_book
from elo_sheets.files.references import cell_name, escape_xml
from elo_sheets.ops import absolute
from elo_sheets.readers import read
from elo_sheets.systems import system
from elo_sheets.systems.glicko2 import EULER
from elo_sheets.uses.importing import import_logs
from elo_sheets.validate import Finding, Verdict, _tolerance, validate
from elo_sheets.validate.moved import Moved
from elo_sheets.verdict.findings import RULES
from elo_sheets.verdict.report import as_record, as_text
from elo_sheets.workbook.book import Book as Planned
from elo_sheets.workbook.build import filled_book, plan_book
from elo_sheets.workbook.layout import addressed
from elo_sheets.workbook.write import write_book

SAMPLES = Path(__file__).parent.parent / "samples"
LEAGUE = SAMPLES / "internationals_1900s.csv"
RATING_COLUMNS = ("Rating", "Rating after")


@pytest.fixture(scope="session")
def books(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A league, an Elo journal and a FIDE journal made from real logs."""
    folder = tmp_path_factory.mktemp("books")
    made = {"league": folder / "league.xlsx", "journal": folder / "journal.xlsx", "fide": folder / "fide.xlsx"}
    write_book(plan_book(_small(filled_book("league", system("elo"), {"k": 40}, read([LEAGUE]).games))), made["league"])
    log, player = [SAMPLES / "uzchesscup.pgn"], "Praggnanandhaa R"
    import_logs(log, made["journal"], player=player)
    import_logs(log, made["fide"], player=player, system="fide", settings={"initial_games": 500})
    return made


@pytest.fixture(scope="session")
def sound(books: Mapping[str, Path]) -> dict[str, tuple[Book, Recalculated]]:
    return {name: (book := read_book(path), recalculate(book)) for name, path in books.items()}  # type: ignore[misc]


def _small(book: Planned) -> Planned:
    """The book with fewer spare rows, for speed."""
    rows = {"Players": 30, "Games": 150}
    tables = {
        name: {label: list(values)[: rows[name]] for label, values in columns.items()}
        for name, columns in book.inputs.tables.items()
    }
    return dataclasses.replace(book, inputs=dataclasses.replace(book.inputs, tables=tables, sizes={"Ledger": 300}))


def ratings(book: Book, computed: Recalculated) -> dict[Place, float]:
    """Every rating of the Ledger as an engine computes it, or as it was typed."""
    table = book.tables["Ledger"]
    found: dict[Place, float] = {}
    for label in RATING_COLUMNS:
        column = table.column(label)
        assert column is not None
        for row in range(table.first_data_row, table.last_data_row + 1):
            value = computed.values["Ledger"].get((row, column))
            if value is None and (cell := book.sheets["Ledger"].get((row, column))) is not None:
                value = cell.value
            if isinstance(value, float):
                found[label, str(row)] = value
    return found


def effect(path: Path, sound: tuple[Book, Recalculated]) -> float:
    book = read_book(path)
    before, now = ratings(*sound), ratings(book, recalculate(book))
    return max((now[place] - before[place] for place in before if place in now), key=abs, default=0.0)


def only(verdict: Verdict) -> Finding:
    assert verdict.status == "differs"
    assert verdict.exit_code == 1
    assert len(verdict.findings) == 1, as_text(verdict)
    return verdict.findings[0]


def test_a_fresh_book_agrees(books: Mapping[str, Path]) -> None:
    for path in books.values():
        verdict = validate(path)
        assert (verdict.status, verdict.exit_code, verdict.findings) == ("agrees", 0, ())
        assert verdict.worst is None
        assert verdict.games.listed == verdict.games.rated > 0
        assert verdict.cells_checked > 1000


DIFFERENCE = "Ledger[[#This Row],[Rating]]-N124"
SWAPPED = "N124-Ledger[[#This Row],[Rating]]"

# kind of book, column, row of the Ledger, what is done, code that must come back
FAULTS: list[tuple[str, str, int, Edit, str]] = [
    ("league", "Difference", 119, formula(DIFFERENCE, SWAPPED), "ES101"),
    ("league", "Expected", 121, formula("(-Ledger", "(Ledger"), "ES101"),
    ("league", "Expected", 124, formula("/Rating_scale", ""), "ES102"),
    ("league", "Expected", 125, formula("^", "*"), "ES103"),
    ("league", "K", 127, formula("K_factor", "32"), "ES105"),
    ("league", "Change", 129, formula("[Expected]", "[Rating]"), "ES106"),
    ("league", "Change", 131, rounded(0), "ES107"),
    ("league", "Change", 134, formula("-Ledger[[#This Row],[Expected]]", ""), "ES108"),
    ("league", "Change", 135, typed(33.25), "ES201"),
    ("league", "Rating after", 137, typed(1777.5), "ES201"),
    ("league", "Change", 139, cleared(), "ES202"),
    ("journal", "Expected", 4, formula("(-Ledger", "(Ledger"), "ES101"),
    ("journal", "Expected", 5, formula("/Rating_scale", ""), "ES102"),
    ("journal", "K", 6, formula("K_factor", "40"), "ES105"),
    ("journal", "Rating after", 3, typed(2700.0), "ES201"),
    ("fide", "Favourite expects", 4, typed(0.75), "ES201"),
    ("fide", "K", 9, formula("700", "7"), "ES108"),
]


@pytest.mark.parametrize(("kind", "label", "row", "edit", "code"), FAULTS)
def test_a_planted_fault_is_found_at_its_cell_with_its_effect(
    kind: str,
    label: str,
    row: int,
    edit: Edit,
    code: str,
    books: Mapping[str, Path],
    sound: Mapping[str, tuple[Book, Recalculated]],
    tmp_path: Path,
) -> None:
    sheet, name = at(sound[kind][0], "Ledger", label, row)
    path = plant(books[kind], tmp_path / "faulty.xlsx", {(sheet, name): edit})
    finding = only(validate(path))
    assert (finding.code, finding.severity, finding.range) == (code, "error", f"{sheet}!{name}")
    measured = effect(path, sound[kind])
    assert abs(measured) > 0.01
    assert finding.effect == pytest.approx(measured, abs=1e-6)
    assert finding.confidence == "proven"
    assert finding.fix is not None
    assert finding.fix.startswith("=")


@pytest.mark.parametrize(
    ("table", "label", "row", "edit", "code"),
    [
        ("Ledger", "At", 119, typed(3.0), "ES201"),
        ("Ledger", "At", 121, formula(",1)&lt;0", ",1)&lt;9"), "ES108"),
        ("Ledger", "Date", 123, formula("$A$5:", "$A$6:"), "ES106"),
        ("Ledger", "Tally", 125, typed(1.0), "ES201"),
        ("Games", "White after", 103, formula("$T$105:", "$T$107:"), "ES106"),
        ("Games", "Black after", 104, formula("]]-50", "]]-51"), "ES108"),
        ("Games", "Status", 105, typed(1.0), "ES201"),
        ("Ledger", "Rating", 211, formula("&lt;=198", "&lt;=298"), "ES108"),
        ("Carry", "Rating after through 99", 1, typed(1777.0), "ES201"),
        ("Carry", "Last row", 1, formula("MAX(Carry", "MIN(Carry"), "ES108"),
    ],
)
def test_a_fault_in_what_is_read_by_windows_or_carried_is_found_at_its_cell(
    table: str,
    label: str,
    row: int,
    edit: Edit,
    code: str,
    books: Mapping[str, Path],
    sound: Mapping[str, tuple[Book, Recalculated]],
    tmp_path: Path,
) -> None:
    sheet, name = at(sound["league"][0], table, label, row)
    path = plant(books["league"], tmp_path / "faulty.xlsx", {(sheet, name): edit})
    finding = only(validate(path))
    assert (finding.code, finding.range) == (code, f"{sheet}!{name}")


@pytest.mark.parametrize("kind", ["league", "journal"])
def test_a_row_that_a_program_filled_looks_in_whole_columns_and_agrees(
    kind: str, books: Mapping[str, Path], sound: Mapping[str, tuple[Book, Recalculated]], tmp_path: Path
) -> None:
    """Excel fills the formulas of a table's columns into a row that is put in; older books have them everywhere."""
    name = "Games" if kind == "league" else "Log"
    table = sound[kind][0].tables[name]
    row = 60 if kind == "league" else 5
    filled = {at(sound[kind][0], name, label, row): text for label, text in table.column_formulas.items()}

    def fill(text: str) -> Edit:
        return lambda _text, value: f"<f>{escape_xml(text)}</f><v>{value}</v>"

    edits = {place: fill(text) for place, text in filled.items()}
    assert sum("Ledger[" in text for text in filled.values()) > 4
    verdict = validate(plant(books[kind], tmp_path / "filled.xlsx", edits))
    assert (verdict.status, verdict.findings) == ("agrees", ())


def test_a_draw_worth_nothing_is_found(
    books: Mapping[str, Path], sound: Mapping[str, tuple[Book, Recalculated]], tmp_path: Path
) -> None:
    book = sound["league"][0]
    table, column = book.tables["Ledger"], book.tables["Ledger"].column("Score")
    assert column is not None
    row = next(r for r in range(40, 140) if book.sheets["Ledger"][r, column].value == 0.5)
    place = ("Ledger", cell_name(row, column))
    path = plant(books["league"], tmp_path / "draw.xlsx", {place: formula("0.5", "0")})
    finding = only(validate(path))
    assert (finding.code, finding.range) == ("ES104", f"Ledger!{place[1]}")
    assert finding.effect == pytest.approx(effect(path, sound["league"]), abs=1e-6)
    assert table.first_data_row <= row


def test_a_row_that_was_not_filled_down_is_one_finding_and_one_game_that_is_not_rated(
    books: Mapping[str, Path], sound: Mapping[str, tuple[Book, Recalculated]], tmp_path: Path
) -> None:
    table = sound["league"][0].tables["Ledger"]
    row = table.first_row + 49
    computed = range(4, table.last_col + 1)
    edits = {("Ledger", cell_name(one, column)): cleared() for one in (row, row + 1) for column in computed}
    path = plant(books["league"], tmp_path / "row.xlsx", edits)
    verdict = validate(path)
    finding = only(verdict)
    first, last = cell_name(row, 4), cell_name(row + 1, table.last_col)
    assert (finding.code, finding.range) == ("ES202", f"Ledger!{first}:{last}")
    assert verdict.games.never_rated == 1
    assert finding.effect == pytest.approx(effect(path, sound["league"]), abs=1e-6)


def test_a_whole_faulty_column_is_one_finding(
    books: Mapping[str, Path], sound: Mapping[str, tuple[Book, Recalculated]], tmp_path: Path
) -> None:
    book = sound["league"][0]
    places = [at(book, "Ledger", "Expected", row) for row in range(1, book.tables["Ledger"].last_row - 3)]
    path = plant(books["league"], tmp_path / "column.xlsx", dict.fromkeys(places, formula("(-Ledger", "(Ledger")))
    finding = only(validate(path))
    assert (finding.code, finding.range) == ("ES101", f"Ledger!{places[0][1]}:{places[-1][1]}")
    assert finding.effect == pytest.approx(effect(path, sound["league"]), abs=1e-6)


def test_two_faults_have_each_their_own_effect(
    books: Mapping[str, Path], sound: Mapping[str, tuple[Book, Recalculated]], tmp_path: Path
) -> None:
    book = sound["league"][0]
    edits = {
        at(book, "Ledger", "K", 79): formula("K_factor", "100"),
        at(book, "Ledger", "Expected", 180): formula("/Rating_scale", ""),
    }
    path = plant(books["league"], tmp_path / "both.xlsx", edits)
    found = {finding.code: finding.effect for finding in validate(path).findings}
    for (place, edit), code in zip(edits.items(), ("ES105", "ES102"), strict=True):
        alone = plant(books["league"], tmp_path / f"{code}.xlsx", {place: edit})
        assert found[code] == pytest.approx(effect(alone, sound["league"]), abs=1e-6)


def test_a_literal_that_gives_the_same_number_is_a_warning(
    books: Mapping[str, Path], sound: Mapping[str, tuple[Book, Recalculated]], tmp_path: Path
) -> None:
    place = at(sound["league"][0], "Ledger", "K", 59)
    finding = only(validate(plant(books["league"], tmp_path / "k.xlsx", {place: formula("K_factor", "40")})))
    assert (finding.code, finding.severity, finding.effect) == ("ES105", "warning", 0.0)
    assert finding.confidence == "shape"


def test_a_frozen_value_that_is_right_today_is_a_warning(
    books: Mapping[str, Path], sound: Mapping[str, tuple[Book, Recalculated]], tmp_path: Path
) -> None:
    place = at(sound["league"][0], "Ledger", "Change", 59)
    frozen = plant(books["league"], tmp_path / "f.xlsx", {place: lambda _formula, value: f"<v>{value}</v>"})
    finding = only(validate(frozen))
    assert (finding.code, finding.severity, finding.effect) == ("ES201", "warning", 0.0)


def test_a_stale_result_is_told_from_a_wrong_formula(
    books: Mapping[str, Path], sound: Mapping[str, tuple[Book, Recalculated]], tmp_path: Path
) -> None:
    book, computed = sound["league"]
    sheet, name = at(book, "Ledger", "Rating after", 159)
    right = computed.values[sheet][book.tables["Ledger"].first_row + 159, book.tables["Ledger"].column("Rating after")]  # type: ignore[index]
    verdict = validate(plant(books["league"], tmp_path / "s.xlsx", {(sheet, name): stale(1234.5)}))
    finding = only(verdict)
    assert (finding.code, finding.range, finding.found) == ("ES301", f"{sheet}!{name}", 1234.5)
    assert finding.expected == right
    assert finding.effect == pytest.approx(1234.5 - float(right), abs=1e-9)  # type: ignore[arg-type]
    assert verdict.worst is None


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (DIFFERENCE, "$N123-N124"),
        ("MAX(", " max( "),
        ("Ledger[[#This Row],[Gap cap]]", "ledger[[#This Row],[gap cap]]"),
        ("MIN(", "+MIN("),
    ],
)
def test_another_spelling_of_the_same_formula_is_not_a_finding(
    old: str, new: str, books: Mapping[str, Path], sound: Mapping[str, tuple[Book, Recalculated]], tmp_path: Path
) -> None:
    book = sound["league"][0]
    assert at(book, "Ledger", "Rating", 119)[1] == "N123"
    place = at(book, "Ledger", "Difference", 119)
    assert validate(plant(books["league"], tmp_path / "same.xlsx", {place: formula(old, new)})).status == "agrees"


def test_a_book_with_names_for_the_cells_of_a_row_holds_the_same_formulas(
    books: Mapping[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As it was written before, all of whose cells are told apart by their texts alone, none by its meaning.

    The Ledger has no names for its own row, and a long one none for Carry; there were times of both and of one.
    """
    plan, paths = plan_book(_small(filled_book("league", system("elo"), {"k": 40}, read([LEAGUE]).games))), []
    for older in (lambda fill, *_: fill, lambda fill, table, *_: addressed(fill, table)):
        monkeypatch.setattr("elo_sheets.workbook.write.as_stored", older)
        paths.append(tmp_path / f"{len(paths)}.xlsx")
        write_book(plan, paths[-1])
    monkeypatch.undo()
    monkeypatch.setattr("elo_sheets.workbook.layout.LONG", 0)
    paths.append(tmp_path / "today.xlsx")
    write_book(plan, paths[-1])
    texts = [" ".join(str(cell.formula) for cell in read_book(path).sheets["Ledger"].values()) for path in paths]
    found = [("[#This Row]" in text, "Carry[" in text) for text in texts]
    assert found == [(True, True), (False, True), (False, False)]
    monkeypatch.setattr("elo_sheets.validate.judge.canonical", lambda *_: pytest.fail("a formula was taken apart"))
    assert {validate(path).status for path in paths} == {"agrees"}


def test_a_changed_official_table_is_found(
    books: Mapping[str, Path], sound: Mapping[str, tuple[Book, Recalculated]], tmp_path: Path
) -> None:
    place = at(sound["fide"][0], "FideTable", "Higher", 3)
    found = validate(plant(books["fide"], tmp_path / "t.xlsx", {place: typed(0.6)})).findings
    assert ("ES203", f"{place[0]}!{place[1]}") in {(finding.code, finding.range) for finding in found}


def test_a_name_that_points_elsewhere_is_found(books: Mapping[str, Path], tmp_path: Path) -> None:
    import zipfile

    from elo_sheets.files.archive import rewrite_parts

    with zipfile.ZipFile(books["league"]) as archive:
        text = archive.read("xl/workbook.xml").decode()
    home, away = (read_book(books["league"]).names[name] for name in ("K_factor", "Rating_scale"))
    assert text.count(f">{home}<") == 1
    path = tmp_path / "named.xlsx"
    rewrite_parts(books["league"], path, {"xl/workbook.xml": text.replace(f">{home}<", f">{away}<").encode()})
    finding = next(finding for finding in validate(path).findings if finding.code == "ES204")
    assert finding.range == home.replace("$E$", "C")
    assert abs(finding.effect) > 10


def edited(source: Path, target: Path, change: Callable[[openpyxl.Workbook], object]) -> Path:
    """Change a book as a script with openpyxl would: every stored result is lost."""
    book = openpyxl.load_workbook(source)
    change(book)
    book.save(target)
    return target


def test_renamed_columns_are_still_known(books: Mapping[str, Path], tmp_path: Path) -> None:
    """A spreadsheet program that renames a header writes the new name into every formula."""

    def rename(book: openpyxl.Workbook) -> None:
        for number, (table, old) in enumerate(RENAMED):
            word = f"My 'own' word {number}"
            spelt = re.compile(rf"(\b{table}\[(?:\[#This Row\],)?\[?){old}\]")
            change_formulas(book, lambda text, spelt=spelt, word=word: spelt.sub(rf"\1{doubled(word)}]", text))
            sheet = next(sheet for sheet in book if table in sheet.tables)
            (column,) = (column for column in sheet.tables[table].tableColumns if column.name == old)
            (header,) = (cell for cell in sheet[4] if cell.value == old)
            column.name = header.value = word

    verdict = validate(edited(books["league"], tmp_path / "renamed.xlsx", rename))
    assert [finding.code for finding in verdict.findings] == ["ES302"], as_text(verdict)
    assert verdict.status == "agrees"


RENAMED = [("Games", "Result"), ("Games", "White"), ("Ledger", "Rating"), ("Players", "Id")]


def doubled(word: str) -> str:
    return word.replace("'", "''")


def change_formulas(book: openpyxl.Workbook, change: Callable[[str], str]) -> None:
    for sheet in book:
        for row in sheet.iter_rows():
            for cell in row:
                if isinstance(cell.value, str) and cell.value.startswith("="):
                    cell.value = change(cell.value)


def test_renamed_sheets_are_still_known(books: Mapping[str, Path], tmp_path: Path) -> None:
    names = ["Games", "Ledger", "Check", "Standings", "Start"]

    def rename(book: openpyxl.Workbook) -> None:
        for name in names:
            book[name].title = f"My{name}"
        of_any = re.compile(rf"\b({'|'.join(names)})!")
        change_formulas(book, lambda text: of_any.sub(r"My\1!", text))
        for defined in book.defined_names.values():
            defined.attr_text = of_any.sub(r"My\1!", defined.attr_text)

    verdict = validate(edited(books["league"], tmp_path / "renamed.xlsx", rename))
    assert [finding.code for finding in verdict.findings] == ["ES302"], as_text(verdict)
    assert verdict.status == "agrees"


def test_a_missing_sheet_is_one_finding(books: Mapping[str, Path], tmp_path: Path) -> None:
    for name in ("Check", "Curves", "Standings"):

        def remove(book: openpyxl.Workbook, name: str = name) -> None:
            del book[name]

        verdict = validate(edited(books["league"], tmp_path / "less.xlsx", remove))
        assert [f.code for f in verdict.findings if f.severity != "note"] == ["ES502"], as_text(verdict)


def test_what_the_sheet_does_not_understand_is_a_warning_at_its_cell(books: Mapping[str, Path], tmp_path: Path) -> None:
    odd = {"E20": "2-0", "E30": 7, "B40": "last Monday"}

    def type_it(book: openpyxl.Workbook) -> None:
        for cell, value in odd.items():
            book["Games"][cell] = value

    verdict = validate(edited(books["league"], tmp_path / "odd.xlsx", type_it))
    found = {(f.code, f.range, f.severity) for f in verdict.findings}
    assert found >= {("ES408", f"Games!{cell}", "warning") for cell in odd}
    assert verdict.status == "differs"


def test_an_empty_setting_is_a_warning(books: Mapping[str, Path], tmp_path: Path) -> None:
    home = read_book(books["league"]).names["K_factor"].replace("$E$", "C").split("!")[1]

    def empty(book: openpyxl.Workbook) -> None:
        book["Start"][home] = None

    found = {(f.code, f.range) for f in validate(edited(books["league"], tmp_path / "k.xlsx", empty)).findings}
    assert ("ES205", f"Start!{home}") in found


def test_columns_that_changed_places_leave_the_book_unchecked(books: Mapping[str, Path], tmp_path: Path) -> None:
    import zipfile

    from elo_sheets.files.archive import rewrite_parts

    with zipfile.ZipFile(books["league"]) as archive:
        parts = {n: archive.read(n).decode() for n in archive.namelist() if n.startswith("xl/tables/")}
    part, text = next((n, t) for n, t in parts.items() if 'displayName="Games"' in t)
    moved = text.replace('name="White"', 'name="Swap"').replace('name="Black"', 'name="White"')
    path = tmp_path / "moved.xlsx"
    rewrite_parts(books["league"], path, {part: moved.replace('name="Swap"', 'name="Black"').encode()})
    verdict = validate(path)
    assert (verdict.status, verdict.exit_code) == ("unchecked", 4)
    assert "layout of the table Games" in str(verdict.reason)


def test_a_book_without_any_rating_is_not_checked(tmp_path: Path) -> None:
    import xlsxwriter

    path = tmp_path / "other.xlsx"
    with xlsxwriter.Workbook(path) as book:
        book.add_worksheet("Elo").write_formula(0, 0, "=1+1", None, 2)
    verdict = validate(path)
    assert (verdict.status, verdict.exit_code) == ("unchecked", 4)
    assert verdict.reason


def test_a_rule_that_stops_when_it_is_done_is_held_less_close() -> None:
    rules = system("glicko2")
    stops = dataclasses.replace(EULER, done=lambda f: absolute(f) < 1e-6)
    closing = tuple(stops if step is EULER else step for step in rules.closing)
    assert _tolerance(rules) == 1e-9
    assert _tolerance(dataclasses.replace(rules, closing=closing)) == 1e-6


def test_an_engine_that_is_missing_leaves_the_book_unchecked(
    books: Mapping[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    from elo_sheets.engines.recalculate import ENGINES

    gone = dataclasses.replace(ENGINES["libreoffice"], available=lambda: False)
    monkeypatch.setitem(ENGINES, "libreoffice", gone)
    verdict = validate(books["journal"], engine="libreoffice")
    assert (verdict.status, verdict.exit_code) == ("unchecked", 4)


def test_an_unknown_engine_and_a_file_that_is_no_workbook_are_errors(books: Mapping[str, Path]) -> None:
    with pytest.raises(UsageError, match="ironcalc"):
        validate(books["journal"], engine="abacus")
    with pytest.raises(UnreadableInput):
        validate(Path(__file__))


@pytest.mark.libreoffice
def test_libreoffice_comes_to_the_same_verdict(
    books: Mapping[str, Path], sound: Mapping[str, tuple[Book, Recalculated]], tmp_path: Path
) -> None:
    place = at(sound["league"][0], "Ledger", "K", 127)
    path = plant(books["league"], tmp_path / "k.xlsx", {place: formula("K_factor", "32")})
    finding = only(validate(path, engine="libreoffice"))
    assert (finding.code, finding.range) == ("ES105", f"{place[0]}!{place[1]}")
    assert finding.effect == pytest.approx(effect(path, sound["league"]), abs=1e-6)


@pytest.mark.libreoffice
def test_a_book_that_libreoffice_saved_still_agrees(books: Mapping[str, Path], tmp_path: Path) -> None:
    from elo_sheets.engines.office import convert

    for name in ("league", "fide"):
        saved = convert(books[name], "xlsx", tmp_path)
        assert validate(saved).status == "agrees", as_text(validate(saved))


def test_the_json_document_has_the_keys_of_its_schema(
    books: Mapping[str, Path], sound: Mapping[str, tuple[Book, Recalculated]], tmp_path: Path
) -> None:
    place = at(sound["league"][0], "Ledger", "K", 127)
    record = as_record(validate(plant(books["league"], tmp_path / "k.xlsx", {place: formula("K_factor", "32")})))
    assert list(record) == [
        "schema",
        "file",
        "status",
        "reason",
        "layout",
        "system",
        "engine",
        "tolerance",
        "cells_checked",
        "games",
        "worst",
        "facts",
        "roles",
        "findings",
        "left_out",
    ]
    assert record["games"] == {"listed": 138, "rated": 138, "never_rated": 0}
    assert set(record["worst"]) == {"cell", "expected", "found"}
    assert set(record["findings"][0]) == {
        "code",
        "name",
        "severity",
        "range",
        "message",
        "expected",
        "found",
        "effect",
        "reaches",
        "confidence",
        "fix",
    }
    assert record["findings"][0]["code"] in RULES


@pytest.mark.parametrize(
    ("text", "own", "before"),
    [
        ("C5+D5", "Its sheet", "C5+D5"),
        ("'IT''S MINE'!C5+C5", "Its sheet", "'IT''S MINE'!B4+C5"),
        ("C5+'Its sheet'!C5+Games[Date]", "it's mine", "B4+'Its sheet'!C5+Games[Date]"),
        ("'It''s mine'!C5", "", "'It''s mine'!B4"),
    ],
)
def test_what_was_put_into_a_sheet_moves_what_is_read_of_it_and_nothing_else(text: str, own: str, before: str) -> None:
    assert Moved("It's mine", columns=(2,), rows=(1,)).formula(text, own) == before
