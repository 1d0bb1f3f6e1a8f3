"""What an owner types a little wrong: late games. Every engine gives the right numbers, and Check says so."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
from office import require_office
from workbook_cases import (
    SCORES,
    League,
    Rule,
    Typed,
    journal_ratings,
    league_standings,
    once,
    serial,
    shared_folder,
    type_into,
    without_results,
)

from elo_sheets.engines.office import convert_all
from elo_sheets.engines.recalculate import recalculate_many
from elo_sheets.files.cells import CellError, Value
from elo_sheets.files.package import read_book
from elo_sheets.files.references import column_letters, parse_cell_name
from elo_sheets.files.save import private_folder
from elo_sheets.systems import system
from elo_sheets.validate import validate
from elo_sheets.workbook.book import Book, Inputs
from elo_sheets.workbook.build import blank_book, plan_book
from elo_sheets.workbook.complete import complete
from elo_sheets.workbook.front import ALL_CLEAR
from elo_sheets.workbook.plan import CellValue, ColumnPlan, Fill, Plan, SheetPlan, TablePlan
from elo_sheets.workbook.pools.near_names import ROWS as NEAR_ROWS
from elo_sheets.workbook.pools.near_names import near_table
from elo_sheets.workbook.write import write_book

ROWS = 12
PEOPLE_ROWS = 30
Row = dict[str, Typed]
Cells = Mapping[str, Mapping[tuple[int, int], Value]]

# --- books and what is typed into them ----------------------------------------------------------------------


def table_of(plan: Plan, name: str) -> tuple[str, TablePlan]:
    return next((sheet.name, one) for sheet in plan.sheets for one in sheet.tables if one.name == name)


@dataclasses.dataclass
class Shown:
    """What an engine computes for a typed book."""

    plan: Plan
    cells: Cells

    def column(self, table: str, label: str, count: int) -> list[Value]:
        sheet, one = table_of(self.plan, table)
        at = one.first_column + [column.label for column in one.columns].index(label)
        found = [self.cells[sheet].get((one.first_data_row + i, at)) for i in range(count)]
        return ["" if value is None else value for value in found]

    def named(self, name: str) -> Value:
        sheet, _, cell = self.plan.names[name].replace("$", "").rpartition("!")
        return self.cells[sheet.strip("'")].get(parse_cell_name(cell))

    def ratings(self, people: str = "Players") -> dict[str, Value]:
        """The ratings of PEOPLE."""
        return {
            str(one["Player"]): rating
            for one, rating in zip(PEOPLE, self.column(people, "Rating", len(PEOPLE)), strict=True)
        }

    def check(self, label: str) -> Value:
        """What the line of Check that begins so has found."""
        lines = self.plan.sheet("Check").cells
        (row,) = [one.row for one in lines if one.column == 1 and str(one.value).strip().startswith(label)]
        return self.cells["Check"][row, 2]


@dataclasses.dataclass(frozen=True)
class Case:
    """A book, the rows typed into its tables and the named cells, and what should come of it."""

    book: Callable[[], Book]
    rows: Mapping[str, Sequence[Row]]
    judge: Callable[[Shown], None]
    names: Mapping[str, Typed] = dataclasses.field(default_factory=dict)
    codes: frozenset[str] = frozenset()


def empty(template: str, name: str = "elo", **settings: Any) -> Callable[[], Book]:
    def make() -> Book:
        book = blank_book(template, system(name), settings, ROWS)
        rows = dict.fromkeys(("Players", "Teams"), PEOPLE_ROWS)
        tables = {k: {x: list(v)[: rows.get(k, ROWS)] for x, v in t.items()} for k, t in book.inputs.tables.items()}
        return dataclasses.replace(book, inputs=Inputs(tables, book.inputs.cells, book.inputs.sizes))

    return make


def edits(plan: Plan, case: Case) -> dict[str, dict[str, Typed]]:
    found: dict[str, dict[str, Typed]] = {}
    for name, rows in case.rows.items():
        sheet, table = table_of(plan, name)
        letters = {c.label: column_letters(table.first_column + i) for i, c in enumerate(table.columns)}
        for at, row in enumerate(rows, table.first_data_row):
            found.setdefault(sheet, {}).update({f"{letters[label]}{at}": value for label, value in row.items()})
    for name, value in case.names.items():
        sheet, _, cell = plan.names[name].rpartition("!")
        typed = cell.replace("$E$", "C") if sheet == "Start" else cell  # a setting's name means what is used of it
        found.setdefault(sheet.strip("'"), {})[typed.replace("$", "")] = value
    return found


def near(number: Any) -> Any:
    return pytest.approx(number, rel=0, abs=1e-9)


# --- late games ---------------------------------------------------------------------------------------------


def days(*texts: str) -> list[float]:
    return [serial(f"2024-{text}") for text in texts]


# Row 3 is late; row 4 follows it by the day, and still lies before row 2.
LATE = days("01-05", "02-10", "01-20", "02-03", "02-10", "02-12", "02-11")
BREAKS = [float(any(above > day for above in LATE[:i])) for i, day in enumerate(LATE)]
PEOPLE = [{"Player": f"Player {i}"} for i in range(1, 5)]
PAIRS = [
    ("Player 1", "Player 2", "1-0"),
    ("Player 2", "Player 3", "1/2-1/2"),
    ("Player 1", "Player 3", "0-1"),
    ("Player 4", "Player 2", "0-1"),
]


def games(when: Sequence[Typed]) -> list[Row]:
    pairs = [PAIRS[i % 4] for i in range(len(when))]
    return [{"Date": day, "White": w, "Black": b, "Result": r} for day, (w, b, r) in zip(when, pairs, strict=True)]


def log(when: Sequence[Typed]) -> list[Row]:
    results = ("Win", "Draw", "Loss")
    return [
        {"Date": day, "Opponent": f"Opponent {i}", "Opponent rating": 1400.0 + 50 * i, "Result": results[i % 3]}
        for i, day in enumerate(when)
    ]


def counted_breaks(rows_a_game: int, label: str = "dated before") -> Callable[[Shown], None]:
    def judge(shown: Shown) -> None:
        found = shown.column("Ledger", "Order break", rows_a_game * len(LATE))[::rows_a_game]
        assert found == BREAKS == [0, 0, 1, 1, 0, 0, 1]
        assert shown.check("Games dated before" if rows_a_game == 2 else "Rows dated before") == sum(BREAKS)

    return judge


def month_of(day: Typed) -> str:
    return f"{date(1899, 12, 30) + timedelta(days=float(day or 0)):%Y-%m}"


def by_periods(rows: Sequence[Row], key: Callable[[Typed], str]) -> tuple[dict[str, float], list[bool]]:
    """Ratings and which rows count: a row is left out once a row above it has opened a later period."""
    counts, latest = [], ""
    for row in rows:
        counts.append(key(row["Date"]) >= latest)
        latest = max(latest, key(row["Date"]))
    now = {str(one["Player"]): 1500.0 for one in PEOPLE}
    used = [row for row, good in zip(rows, counts, strict=True) if good]
    for period in sorted({key(row["Date"]) for row in used}):
        before = dict(now)
        for row in used:
            if key(row["Date"]) == period:
                white, black = str(row["White"]), str(row["Black"])
                points = 20 * (SCORES[str(row["Result"])] - Rule().expected(before[white], before[black]))
                now[white] += points
                now[black] -= points
    return now, counts


def judge_periods(rows: Sequence[Row], key: Callable[[Typed], str]) -> Callable[[Shown], None]:
    ratings, counts = by_periods(rows, key)
    assert not all(counts)

    def judge(shown: Shown) -> None:
        assert shown.ratings() == {name: near(rating) for name, rating in ratings.items()}
        found = shown.column("Games", "Status", len(rows))
        above = [month_of(max(float(row["Date"] or 0) for row in rows[: at + 1])) for at in range(len(rows))]
        closed = [f"out of order: a game above is of {month}" for month in above]
        assert found == ["rated" if good else says for good, says in zip(counts, closed, strict=True)]
        assert shown.check("games dated before") == counts.count(False)

    return judge


def judge_monthly_journal(shown: Shown) -> None:
    """Row 3 comes into January after February has begun; rows 4 and 7 come late into February, which is open."""
    found = shown.column("Log", "Status", len(LATE))
    assert found == ["rated"] * 2 + [f"out of order: a game above is of {month_of(LATE[1])}"] + ["rated"] * 4
    rows = [row for row, status in zip(log(LATE), found, strict=True) if status == "rated"]
    listed = [[r["Date"], r["Opponent"], r["Opponent rating"], None, r["Result"]] for r in rows]
    after = [value for value in shown.column("Ledger", "Rating after", len(LATE)) if value != ""]
    assert after == [near(rating) for rating in journal_ratings(listed, Rule(), monthly=True)]


def year_of(day: Typed) -> str:
    return month_of(day)[:4]


YEARS = [serial(day) for day in ("2022-05-01", "2023-03-01", "2023-01-10", "2022-12-31", "2023-12-31")]
# --- settings that are no numbers, no choices, or too large -------------------------------------------------

TYPED_GAMES = games(sorted(LATE))


def judge_settings(used: Mapping[str, Typed], red: int, **rule: Any) -> Callable[[Shown], None]:
    """The ratings of a league are those of a rule, the named settings what the book uses, and so many are red."""
    listed = [[r["Date"], r["White"], r["Black"], r["Result"]] for r in TYPED_GAMES]
    by_hand = league_standings(League([(str(one["Player"]), None) for one in PEOPLE], listed, Rule(**rule)))

    def judge(shown: Shown) -> None:
        assert {name: shown.named(name) for name in used} == used
        assert shown.check("Settings on Start") == red
        says = [str(value) for (_, column), value in shown.cells["Start"].items() if column == 4]
        assert sum(text.startswith("Expected ") for text in says) == red
        table = "Teams" if "Teams" in {one.name for sheet in shown.plan.sheets for one in sheet.tables} else "Players"
        assert shown.ratings(table) == {name: near(one.rating) for name, one in by_hand.items()}

    return judge


def judge_journal_settings(shown: Shown) -> None:
    rows = [[r["Date"], r["Opponent"], r["Opponent rating"], None, r["Result"]] for r in log(sorted(LATE))]
    after = shown.column("Ledger", "Rating after", len(rows))
    assert after == [near(rating) for rating in journal_ratings(rows, Rule(k=40))]
    assert (shown.named("K_factor"), shown.check("Settings on Start")) == (40, 1)


POOL = {"Players": PEOPLE, "Games": TYPED_GAMES}


# --- names with blanks ---------------------------------------------------------------------------------------

BLANKS = [" {} ", "{}\N{NO-BREAK SPACE}", "  {}", "{}"]


def blanked(rows: Sequence[Row], *labels: str) -> list[Row]:
    """The rows with blanks around and in their names, another kind in each row."""
    return [
        {
            key: BLANKS[i % 4].format(str(value).replace(" ", "  " if i % 2 else " ")).upper()
            if key in labels
            else value
            for key, value in row.items()
        }
        for i, row in enumerate(rows)
    ]


def judge_event_names(shown: Shown) -> None:
    assert shown.column("Games", "Status", 3) == ["rated"] * 3
    assert shown.column("Ratings", "Name", 2) == ["Player 1", "Player 2"]
    assert shown.column("Ratings", "n", 2) == [3, 3]


# --- names that are misspelt ---------------------------------------------------------------------------------

WORLD = """England;Scotland;Northern Ireland;Wales;Switzerland;Netherlands;Manchester City;Manchester United;Bosnia
and Herzegovina;Czech Republic;Zoë Ünal;Jean-Luc Dubois;Maria del Carmen Ruiz;Li Wei;Ångström;O'Brien;St. Gallen;Ghana
Stars;Akron Pros;Canton Bulldogs;Dayton Triangles;Rock Island Independents;Chicago Tigers;Chicago Cardinals"""
KNOWN = [name.replace("\n", " ") for name in WORLD.split(";")]


def slips_of(name: str) -> dict[str, str]:
    """One of each ordinary slip, at places that follow from the name alone."""
    at = 1 + sum(map(ord, name)) % (len(name) - 2)
    vowels = [i for i, letter in enumerate(name) if letter in "aeiou"]
    vowel = vowels[len(name) % len(vowels)] if vowels else 0
    other = {"a": "e", "e": "i", "i": "e", "o": "u", "u": "o"}.get(name[vowel], name[vowel])
    return {
        "dropped": name[:at] + name[at + 1 :],
        "doubled": name[:at] + name[at] + name[at:],
        "swapped": name[:at] + name[at + 1] + name[at] + name[at + 2 :],
        "wrong vowel": name[:vowel] + other + name[vowel + 1 :],
        "surname": name.split(" ")[-1],
    }


def unknown_slips() -> list[tuple[str, str]]:
    made = [(slip, name) for name in KNOWN for slip in slips_of(name).values()]
    listed = {name.lower() for name in KNOWN}
    return [(" ".join(slip.split()), name) for slip, name in made if " ".join(slip.split()).lower() not in listed]


def meant(names: list[str], known: Sequence[str] = KNOWN) -> list[str]:
    """What the statuses of games say that White, whom nobody knows, may be called, "" for nothing."""

    def table(name: str, columns: dict[str, list[CellValue]]) -> TablePlan:
        planned = tuple(ColumnPlan(label, Fill(values)) for label, values in columns.items())
        return TablePlan(name, 4, planned, len(next(iter(columns.values()))))

    found: list[str] = []
    for first in range(0, len(names), NEAR_ROWS):
        some = names[first : first + NEAR_ROWS]
        ledger = {
            "Game": [float(i // 2 + 1) for i in range(2 * len(some))],
            "Player": [name for one in some for name in (one, known[0])],
            "Player no.": [0.0, 1.0] * len(some),
            "Status": ["unknown player"] * (2 * len(some)),
        }
        tables = {"Ledger": table("Ledger", ledger), "Players": table("Players", {"Known as": list(known)})}
        sheets = [SheetPlan(name, tables=(one,)) for name, one in tables.items()]
        done = complete(Plan("", (*sheets, SheetPlan("Sparks", tables=(near_table("Players", 1),))), {}))
        says = done.sheet("Sparks").tables[0].columns[-1].fill.values
        told = [str(one).removeprefix("not on Players: ") for one in says[: len(some)]]
        found += ["" if one == "enter the name there" else one.removeprefix("did you mean ")[:-1] for one in told]
    return found


def test_what_is_meant_is_found_for_ordinary_slips_and_nothing_for_strangers() -> None:
    asked = unknown_slips()
    assert len(asked) > 90
    said = meant([slip for slip, _ in asked])
    found = [one == name for one, (_, name) in zip(said, asked, strict=True)]
    assert sum(found) / len(found) > 0.9, [one for one, good in zip(asked, found, strict=True) if not good]
    strangers = ["Brazil", "Peru", "Player 1", "Qatar", "X", "Wolfsburg", "Tokyo Giants"]
    assert meant(strangers) == [""] * len(strangers)
    near = {"Anan": "Anna", "Ana": "", "Amna": "Anna", "Annna": "Anna", "Annika": "", "Gina": "", "Hanna": "Anna"}
    near |= {"Bernnhard": "Bernhard", "Benrhard": "Bernhard", "Berndard": "Bernhard", "Bernadette": ""}
    assert dict(zip(near, meant(list(near), ["Anna", "Bernhard"]), strict=True)) == near


MISSPELT = [
    "Enland",
    "Scotlnad",
    "Ireland",
    "Manchester Untied",
    "brazil",
    "Zoe Ünal",
    "J. Dubois",
    "Swi*zerland",
    " Wlaes",
]
MEANT = [
    "England",
    "Scotland",
    "Northern Ireland",
    "Manchester United",
    "",
    "Zoë Ünal",
    "Jean-Luc Dubois",
    "Switzerland",
    "Wales",
]


def judge_misspelt(people: str, table: str) -> Callable[[Shown], None]:
    def judge(shown: Shown) -> None:
        hints = [f"did you mean {name}?" if name else "enter the name there" for name in MEANT]
        said = [f"not on {people}: {hint}" for hint in hints]
        assert shown.column(table, "Status", len(MEANT) + 1) == [*said, "rated"]
        assert shown.check("names that are not on") == len(MEANT)

    return judge


def misspelt(people: str, key: str, table: str, sides: tuple[str, str]) -> dict[str, Sequence[Row]]:
    pairs = [(name, "Wales") if i % 2 else ("Wales", name) for i, name in enumerate(MISSPELT)]
    rows: list[Row] = [
        {"Date": day, sides[0]: white, sides[1]: black, "Result": "1-0"}
        for day, (white, black) in zip(sorted([*LATE, *LATE]), [*pairs, ("Wales", "England")], strict=False)
    ]
    return {people: [{key: name} for name in KNOWN], table: rows}


EVENT_PEOPLE = [{"Name": "Player 1 ", "Rating": 2000.0}, {"Name": "\N{NO-BREAK SPACE}Player  2", "Rating": 1900.0}]
EVENT_GAMES: list[Row] = [
    {"Round": float(i), "White": white, "Black": "player 2", "Result": "1-0"}
    for i, white in enumerate(("Player 1", " player 1", "PLAYER\N{NO-BREAK SPACE}1 "), 1)
]
BAD_SETTING = frozenset({"ES205"})
EARLY = frozenset({"ES405"})
FIXTURES = [
    {"Date": row["Date"], "Home": row["White"], "Away": row["Black"], "Result": row["Result"]} for row in games(LATE)
]
CASES: dict[str, Case] = {
    "late: journal": Case(empty("journal"), {"Log": log(LATE)}, counted_breaks(1), codes=EARLY),
    "late: journal by months": Case(
        empty("journal", period="month"), {"Log": log(LATE)}, judge_monthly_journal, codes=EARLY
    ),
    "late: league": Case(empty("league"), {"Players": PEOPLE, "Games": games(LATE)}, counted_breaks(2), codes=EARLY),
    "late: compare": Case(empty("compare"), {"Players": PEOPLE, "Games": games(LATE)}, counted_breaks(2), codes=EARLY),
    "late: season": Case(
        empty("season"),
        {"Teams": [{"Team": one["Player"]} for one in PEOPLE], "Fixtures": FIXTURES},
        counted_breaks(2),
        codes=EARLY,
    ),
    "late: ratings-list": Case(
        empty("ratings-list"),
        {"Players": PEOPLE, "Games": games(LATE)},
        judge_periods(games(LATE), month_of),
        codes=EARLY,
    ),
    "late: ratings-list by years": Case(
        empty("ratings-list", period="year"),
        {"Players": PEOPLE, "Games": games(YEARS)},
        judge_periods(games(YEARS), year_of),
        codes=EARLY,
    ),
    "setting: text with a comma": Case(
        empty("league"), POOL, judge_settings({"K_factor": 32.5}, 0, k=32.5), {"K_factor": "32,5"}
    ),
    "setting: text with a point": Case(
        empty("compare"), POOL, judge_settings({"K_factor": 32.5}, 0, k=32.5), {"K_factor": " 32.50 "}
    ),
    "setting: two meanings": Case(
        empty("league", initial=1600),
        POOL,
        judge_settings({"Initial_rating": 1600, "K_factor": 20}, 2, initial=1600),
        {"Initial_rating": "1,500", "K_factor": "3/2"},
        BAD_SETTING,
    ),
    "setting: emptied, too large, unknown": Case(
        empty("league"),
        POOL,
        judge_settings({"Initial_rating": 1500, "K_factor": 20, "Gap_rule": "none"}, 3),
        {"Initial_rating": None, "K_factor": -4.0, "Gap_rule": "cap 400"},
        BAD_SETTING,
    ),
    "setting: a choice in capitals": Case(
        empty("league"),
        POOL,
        judge_settings({"Gap_rule": "CAP400", "Rating_scale": 400}, 1, gap="cap400"),
        {"Gap_rule": " CAP400", "Rating_scale": "four hundred"},
        BAD_SETTING,
    ),
    "setting: season": Case(
        empty("season", k=30),
        {
            "Teams": [{"Team": one["Player"]} for one in PEOPLE],
            "Fixtures": [
                {"Date": r["Date"], "Home": r["White"], "Away": r["Black"], "Result": r["Result"]} for r in TYPED_GAMES
            ],
        },
        judge_settings({"K_factor": 30}, 1, k=30.0),
        {"K_factor": "1e2"},
        BAD_SETTING,
    ),
    "setting: journal": Case(
        empty("journal", k=40), {"Log": log(sorted(LATE))}, judge_journal_settings, {"K_factor": "a lot"}, BAD_SETTING
    ),
}
CASES |= {
    f"blanks: {template}": Case(
        empty(template),
        {"Players": blanked(PEOPLE, "Player"), "Games": blanked(TYPED_GAMES, "White", "Black")},
        judge_settings({}, 0),
    )
    for template in ("league", "compare")
}
CASES |= {
    "blanks: ratings-list": Case(
        empty("ratings-list"),
        {"Players": blanked(PEOPLE, "Player"), "Games": blanked(games(LATE), "White", "Black")},
        judge_periods(games(LATE), month_of),
        codes=EARLY,
    ),
    "blanks: season": Case(
        empty("season"),
        {
            "Teams": [{"Team": one["Player"]} for one in blanked(PEOPLE, "Player")],
            "Fixtures": [
                {"Date": r["Date"], "Home": r["White"], "Away": r["Black"], "Result": r["Result"]}
                for r in blanked(TYPED_GAMES, "White", "Black")
            ],
        },
        judge_settings({}, 0),
    ),
    "blanks: event": Case(empty("event", "fide"), {"Players": EVENT_PEOPLE, "Games": EVENT_GAMES}, judge_event_names),
}
CASES |= {
    "misspelt: league": Case(
        empty("league"),
        misspelt("Players", "Player", "Games", ("White", "Black")),
        judge_misspelt("Players", "Games"),
        codes=frozenset({"ES402"}),
    ),
    "misspelt: ratings-list": Case(
        empty("ratings-list"),
        misspelt("Players", "Player", "Games", ("White", "Black")),
        judge_misspelt("Players", "Games"),
        codes=frozenset({"ES402"}),
    ),
    "misspelt: season": Case(
        empty("season"),
        misspelt("Teams", "Team", "Fixtures", ("Home", "Away")),
        judge_misspelt("Teams", "Fixtures"),
        codes=frozenset({"ES402"}),
    ),
}
ENGINES = ["ironcalc", pytest.param("libreoffice", marks=pytest.mark.libreoffice)]


# --- at work ------------------------------------------------------------------------------------------------


@dataclasses.dataclass
class Desk:
    """The typed books, and what each engine computes for all of them in one run."""

    folder: Path

    def made(self) -> tuple[dict[str, Path], dict[str, Plan]]:
        def make() -> tuple[dict[str, Path], dict[str, Plan]]:
            paths, plans = {}, {}
            for number, (name, case) in enumerate(CASES.items()):
                plans[name] = plan = plan_book(case.book())
                write_book(plan, self.folder / f"blank{number}.xlsx")
                target = self.folder / f"typed{number}.xlsx"
                typed = type_into(self.folder / f"blank{number}.xlsx", target, edits(plan, case))
                paths[name] = without_results(typed, self.folder / f"book{number}.xlsx")
            return paths, plans

        return once(self.folder, "made", make)  # type: ignore[no-any-return]

    def shown(self, name: str, engine: str) -> Shown:
        paths, plans = self.made()

        def compute() -> dict[str, Cells]:
            if engine != "libreoffice":
                done = recalculate_many(list(paths.values()), engine, timeout=300)
                return {one: found.values for one, found in zip(paths, done, strict=True)}
            with private_folder() as folder:
                saved = convert_all(list(paths.values()), "xlsx", self.folder / "saved", folder, 300, 8 * 2**30)
            books = [read_book(path).sheets for path in saved]
            return {
                one: {sheet: {place: cell.value for place, cell in cells.items()} for sheet, cells in sheets.items()}
                for one, sheets in zip(paths, books, strict=True)
            }

        if engine == "libreoffice":
            require_office()
            (self.folder / "saved").mkdir(exist_ok=True)
        return Shown(plans[name], once(self.folder, engine, compute)[name])


@pytest.fixture(scope="session")
def slips(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    return Desk(shared_folder(tmp_path_factory.getbasetemp(), "slips"))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", CASES)
def test_the_numbers_are_right_and_no_cell_is_an_error(name: str, engine: str, slips: Desk) -> None:
    shown = slips.shown(name, engine)
    wrong = [
        (sheet, place, value)
        for sheet, cells in shown.cells.items()
        for place, value in cells.items()
        if isinstance(value, CellError)
    ]
    assert wrong == []
    green = shown.cells["Check"][2, 1] == ALL_CLEAR
    assert green == (not CASES[name].codes)
    CASES[name].judge(shown)


@pytest.mark.parametrize("name", CASES)
def test_the_validation_agrees_and_names_it(name: str, slips: Desk) -> None:
    paths, _ = slips.made()
    verdict = validate(paths[name])
    found = {finding.code for finding in verdict.findings} - {"ES302"}  # no results are stored
    assert found == CASES[name].codes, verdict.findings
