"""A season with a column of ratings a team: one column that differs, a rule that forgets what stands beside it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from books import Sheets, as_book, loud, write

from elo_sheets.files.package import Value, parse_cell_name
from elo_sheets.recognise.repair import compute
from elo_sheets.validate import validate

TEAMS = ["Town 1", "Town 2", "Town 3", "Town 4"]
STARTS = (1500.0, 1540.0, 1460.0, 1620.0)
PAIRS = [(0, 1), (2, 3), (1, 2), (3, 0), (0, 2), (1, 3), (2, 1), (3, 2), (1, 0), (0, 3), (2, 0), (3, 1), (0, 1), (2, 3)]
GOALS = [(2, 0), (1, 1), (0, 4), (3, 2), (0, 1)]
FIRST, LAST = 5, 4 + len(PAIRS)
EVERY = range(FIRST, LAST + 1)


def season(by_margin: bool = False) -> Sheets:
    heads = ["Home", "Away", "GH", "GA", "Rh", "Ra", "We", "W", "Factor", "Change", *TEAMS]
    cells: dict[str, Value] = {"A1": "K", "B1": 30, "C1": "Home advantage", "D1": 80}
    cells |= {f"{c}3": head for c, head in zip("ABCDEFGHIJKLMN", heads, strict=True)}
    cells |= {f"{c}4": start for c, start in zip("KLMN", STARTS, strict=True)}
    for i, (home, away) in enumerate(PAIRS):
        r = FIRST + i
        cells |= {f"A{r}": TEAMS[home], f"B{r}": TEAMS[away], f"C{r}": GOALS[i % 5][0], f"D{r}": GOALS[i % 5][1]}
        for column, who in (("E", "A"), ("F", "B")):
            cells[f"{column}{r}"] = f"=INDEX($K{r - 1}:$N{r - 1},MATCH({who}{r},$K$3:$N$3,0))"
        cells[f"G{r}"] = f"=1/(1+10^((F{r}-E{r}-$D$1)/400))"
        cells[f"H{r}"] = f"=0.5+(C{r}-D{r})/10" if by_margin else f"=IF(C{r}>D{r},1,IF(C{r}=D{r},0.5,0))"
        cells[f"I{r}"] = f"=IF(ABS(C{r}-D{r})<2,1,IF(ABS(C{r}-D{r})=2,1.5,(11+ABS(C{r}-D{r}))/8))"
        cells[f"J{r}"] = f"=$B$1*I{r}*(H{r}-G{r})"
        for c in "KLMN":
            cells[f"{c}{r}"] = f"={c}{r - 1}+IF({c}$3=$A{r},$J{r},0)-IF({c}$3=$B{r},$J{r},0)"
    return {"Season": cells}


def ratings(edge: float = 80.0, factors: bool = True, visitors: bool = True, power: bool = True) -> list[list[float]]:
    """The ratings of all teams after each game, worked out here."""
    now, rows = list(STARTS), []
    for i, (home, away) in enumerate(PAIRS):
        one, two = GOALS[i % 5]
        margin = abs(one - two)
        factor = 1.0 if margin < 2 or not factors else 1.5 if margin == 2 else (11 + margin) / 8
        result = 1.0 if one > two else 0.5 if one == two else 0.0
        gap = (now[away] - now[home] - edge) / 400
        gain = 30 * factor * (result - 1 / (1 + (10**gap if power else 10 * gap)))
        now[home] += gain
        now[away] -= gain if visitors else gain / factor
        rows.append(list(now))
    return rows


@pytest.mark.parametrize("by_margin", [False, True])
def test_a_sound_season_agrees(by_margin: bool, tmp_path: Path) -> None:
    sheets = season(by_margin)
    verdict = validate(write(sheets, tmp_path / "sound.xlsx"))
    assert loud(verdict) == []
    assert (verdict.status, verdict.games.rated) == ("agrees", len(PAIRS))
    if not by_margin:
        values = compute([as_book(sheets)], "ironcalc", 60)[1][0]["Season"]
        for column, rating in zip("KLMN", ratings()[-1], strict=True):
            assert values[parse_cell_name(f"{column}{LAST}")] == pytest.approx(rating, abs=1e-7)


def swap(column: str, old: str, new: str, rows: range = EVERY) -> Callable[[Sheets], None]:
    """Replace a text in formulas of a column; # stands for the row, ^ for the row above."""

    def spelt(text: str, row: int) -> str:
        return text.replace("#", str(row)).replace("^", str(row - 1))

    def plant(sheets: Sheets) -> None:
        for row in rows:
            text = str(sheets["Season"][f"{column}{row}"])
            assert spelt(old, row) in text
            sheets["Season"][f"{column}{row}"] = text.replace(spelt(old, row), spelt(new, row))

    return plant


def put(**cells: Value) -> Callable[[Sheets], None]:
    return lambda sheets: sheets["Season"].update(cells)


def whole(column: str) -> str:
    return f"Season!{column}{FIRST}:{column}{LAST}"


def one_sided(sheets: Sheets) -> None:
    """The factor counts for the side at home only: what it gains by a clear result, the visitors do not lose."""
    swap("J", "*I#", "")(sheets)
    for column in "KLMN":
        swap(column, f"+IF({column}$3=$A#,$J#,0)", f"+IF({column}$3=$A#,$I#*$J#,0)")(sheets)


CARRY = "+IF(L$3=$A#,$J#,0)-IF(L$3=$B#,$J#,0)"
FAULTS: list[tuple[Callable[[Sheets], None], str, str]] = [
    (swap("G", "-$D$1", "+$D$1"), "ES121", whole("G")),
    (swap("G", "-$D$1", ""), "ES121", "Season!D1"),
    (swap("J", "*I#", ""), "ES108", whole("J")),
    (swap("J", "$B$1", "24"), "ES120", "Season!B1"),
    (swap("L", ",0)-IF", ",0)+IF"), "ES115", whole("L")),
    (swap("L", CARRY, ""), "ES126", whole("L")),
    (swap("L", "=L^" + CARRY, "=MAX(L^" + CARRY + ",1533)"), "ES118", whole("L")),
    (one_sided, "ES119", f"Season!K{FIRST}:N{LAST}"),
    (swap("J", "(H#-G#)", "H#"), "ES117", whole("J")),
    (swap("J", "(H#-G#)", "(H#-(1-G#))"), "ES113", whole("J")),
    (swap("G", "F#-E#", "E#-F#"), "ES101", whole("G")),
    (swap("E", "$K^:$N^", "$K$4:$N$4", range(12, 13)), "ES124", "Season!E12"),
    (put(C9="0"), "ES410", "Season!C9"),
]


@pytest.mark.parametrize(("plant", "code", "cell"), FAULTS, ids=[f"{c}-{w}" for _, c, w in FAULTS])
def test_a_planted_fault_is_found(plant: Callable[[Sheets], None], code: str, cell: str, tmp_path: Path) -> None:
    sheets = season()
    plant(sheets)
    verdict = validate(write(sheets, tmp_path / "faulty.xlsx"))
    assert verdict.status == "differs"
    assert (code, cell) in loud(verdict)


@pytest.mark.parametrize(
    ("plant", "code", "wrong"),
    [
        (swap("G", "-$D$1", "+$D$1"), "ES121", ratings(edge=-80.0)),
        (swap("J", "*I#", ""), "ES108", ratings(factors=False)),
        (one_sided, "ES119", ratings(visitors=False)),
    ],
)
def test_the_effect_is_the_largest_change_of_a_rating(
    plant: Callable[[Sheets], None], code: str, wrong: list[list[float]], tmp_path: Path
) -> None:
    sheets = season()
    plant(sheets)
    differences = [a - b for bad, good in zip(wrong, ratings(), strict=True) for a, b in zip(bad, good, strict=True)]
    finding = next(f for f in validate(write(sheets, tmp_path / "faulty.xlsx")).findings if f.code == code)
    assert abs(finding.effect) == pytest.approx(max(map(abs, differences)), abs=0.01)


def test_a_power_that_became_a_product_is_put_right_as_a_power(tmp_path: Path) -> None:
    sheets = season()
    put(D1=75, **{f"G{r}": f"=1/(1+10*((F{r}-E{r}-$D$1)/400))" for r in EVERY})(sheets)
    found = next(f for f in validate(write(sheets, tmp_path / "faulty.xlsx")).findings if f.code == "ES103")
    assert (found.range, found.fix) == (whole("G"), f"=1/(1+10^((F{FIRST}-E{FIRST}-$D$1)/400))")
    pairs = zip(ratings(edge=75.0, power=False), ratings(edge=75.0), strict=True)
    differences = [a - b for bad, good in pairs for a, b in zip(bad, good, strict=True)]
    assert abs(found.effect) == pytest.approx(max(map(abs, differences)), abs=0.01)


@pytest.mark.parametrize("draw", ["0", "1"])
def test_a_score_by_goals_that_gives_a_draw_too_much_or_little_is_found(draw: str, tmp_path: Path) -> None:
    sheets = season(by_margin=True)
    swap("H", "=0.5+", f"={draw}+")(sheets)
    assert ("ES104", whole("H")) in loud(validate(write(sheets, tmp_path / "draws.xlsx")))


def test_the_sides_may_be_headed_in_no_language_that_is_known(tmp_path: Path) -> None:
    sheets = season()
    swap("G", "-$D$1", "+$D$1")(sheets)
    sheets["Season"] |= {"A3": "X", "B3": "Y"}
    finding = next(f for f in validate(write(sheets, tmp_path / "faulty.xlsx")).findings if f.code == "ES121")
    assert finding.severity == "error"  # the label of the advantage says so: the side that is named first is at home
