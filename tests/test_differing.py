"""Two books or logs compared by games and ratings.

Expected ratings are Elo's arithmetic written out below, or the changes that public calculators print for 1600 v 1500 at
K 20: +7.2 for a win, -2.8 for a draw, -12.8 for a loss.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import openpyxl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from workbook_cases import serial, type_into

import elo_sheets.engines.recalculate
import elo_sheets.uses.differing
from elo_sheets.errors import UnreadableInput, UsageError
from elo_sheets.uses.differing import diff
from elo_sheets.uses.differing.changes import Change, Differences, Moved
from elo_sheets.uses.differing.matching import align
from elo_sheets.uses.differing.sides import Game
from elo_sheets.uses.importing import import_logs
from elo_sheets.workbook import new_book

SAMPLES = Path(__file__).parents[1] / "samples"

Row = tuple[str, str, str, str]
WRITE = Callable[[str, Iterable[Row]], Path]

SCORES = {"1-0": 1.0, "1/2-1/2": 0.5, "0-1": 0.0}
LOG: list[Row] = [
    ("2024-01-05", "Ann", "Bob", "1-0"),
    ("2024-01-06", "Cid", "Ann", "1/2-1/2"),
    ("2024-01-07", "Bob", "Cid", "0-1"),
    ("2024-01-08", "Ann", "Cid", "1-0"),
    ("2024-01-09", "Bob", "Dan", "1-0"),
]


def elo(
    rows: Iterable[Row], k: float = 20, start: float = 1500, starts: dict[str, float] | None = None
) -> dict[str, float]:
    """Elo, game by game: R + K (S - E), E = 1 / (1 + 10 ^ ((R' - R) / 400))."""
    ratings: dict[str, float] = {}
    for _, white, black, result in rows:
        mine, other = (ratings.get(name, (starts or {}).get(name, start)) for name in (white, black))
        expected = 1 / (1 + 10 ** ((other - mine) / 400))
        ratings[white] = mine + k * (SCORES[result] - expected)
        ratings[black] = other - k * (SCORES[result] - expected)
    return ratings


@pytest.fixture
def write(tmp_path: Path) -> WRITE:
    def write(name: str, rows: Iterable[Row], header: str = "date,white,black,result") -> Path:
        path = tmp_path / f"{name}.csv"
        path.write_text("\n".join([header, *(",".join(row) for row in rows), ""]), encoding="utf-8")
        return path

    return write


@pytest.fixture
def between(write: WRITE) -> Callable[..., Differences]:
    def between(a: Iterable[Row], b: Iterable[Row], **how: object) -> Differences:
        return diff(write("a", a), write("b", b), **{"keep_duplicates": True, **how})  # type: ignore[arg-type]

    return between


Between = Callable[..., Differences]


def replaced(rows: Sequence[Row], at: int, *row: str) -> list[Row]:
    return [*rows[:at], (row[0], row[1], row[2], row[3]), *rows[at + 1 :]]


def only(found: Differences) -> Change:
    assert len(found.games) == 1, found.games
    return found.games[0]


def moved(found: Differences, name: str) -> Moved:
    return next(one for one in found.players if one.name == name)


def parts(one: Moved) -> list[tuple[str, float]]:
    return [(part.cause, part.change) for part in one.because]


# --- which games differ -------------------------------------------------------------------------------------


def test_a_log_is_the_same_as_itself(between: Between) -> None:
    found = between(LOG, LOG)
    assert (found.same, found.unchanged, found.games, found.players) == (True, 5, (), ())


def test_the_order_of_rows_of_different_days_does_not_matter(between: Between) -> None:
    assert between(LOG, LOG[::-1]).same


def test_names_that_differ_in_case_and_blanks_are_one_player(between: Between) -> None:
    found = between(LOG, [(day, white.upper(), f" {black.upper()}", result) for day, white, black, result in LOG])
    assert found.same


def test_a_game_more_is_added(between: Between) -> None:
    change = only(between(LOG, [*LOG, ("2024-01-10", "Ann", "Bob", "1-0")]))
    assert (change.kind, str(change.after)) == ("added", "2024-01-10 Ann – Bob 1-0")


def test_a_game_less_is_removed(between: Between) -> None:
    change = only(between(LOG, LOG[:-1]))
    assert (change.kind, str(change.before)) == ("removed", "2024-01-09 Bob – Dan 1-0")


@pytest.mark.parametrize(
    ("row", "fields"),
    [
        (("2024-01-07", "Bob", "Cid", "1-0"), ("result",)),
        (("2024-01-07", "Bob", "Sid", "0-1"), ("black",)),
        (("2024-01-07", "Rob", "Cid", "0-1"), ("white",)),
        (("2024-03-17", "Bob", "Cid", "0-1"), ("date",)),
        (("", "Bob", "Cid", "0-1"), ("date",)),
        (("2024-01-07", "Cid", "Bob", "1-0"), ("colours",)),
        (("2024-01-07", "Cid", "Bob", "0-1"), ("colours", "result")),
    ],
)
def test_a_game_that_agrees_in_all_else_is_one_changed_game(
    between: Between, row: Row, fields: tuple[str, ...]
) -> None:
    change = only(between(LOG, replaced(LOG, 2, *row)))
    assert (change.kind, change.fields) == ("changed", fields)


def test_a_game_that_differs_in_two_ways_is_removed_and_another_added(between: Between) -> None:
    found = between(LOG, replaced(LOG, 2, "2024-02-20", "Bob", "Cid", "1-0"))
    assert sorted(change.kind for change in found.games) == ["added", "removed"]


def test_two_games_of_one_day_in_another_order_are_one_changed_game(between: Between) -> None:
    day = [
        ("2024-01-05", "Ann", "Bob", "1-0"),
        ("2024-01-05", "Bob", "Cid", "1-0"),
        ("2024-01-05", "Cid", "Ann", "1-0"),
    ]
    change = only(between(day, [day[0], day[2], day[1]]))
    assert (change.kind, change.fields) == ("changed", ("order",))


@pytest.mark.parametrize(("before", "after", "kinds"), [(3, 3, []), (2, 3, ["added"]), (3, 1, ["removed", "removed"])])
def test_equal_games_are_matched_by_count(between: Between, before: int, after: int, kinds: list[str]) -> None:
    game = ("2024-01-05", "Ann", "Bob", "1-0")
    found = between([game] * before, [game] * after)
    assert [change.kind for change in found.games] == kinds
    assert found.unchanged == min(before, after)


def test_one_result_among_several_games_of_one_pair_on_one_day_is_one_changed_game(between: Between) -> None:
    a = [("2024-01-05", "Ann", "Bob", result) for result in ("1-0", "0-1", "1-0", "1/2-1/2")]
    b = [("2024-01-05", "Ann", "Bob", result) for result in ("1-0", "1-0", "1-0", "1/2-1/2")]
    change = only(between(a, b))
    assert change.fields == ("result",)
    assert change.before is not None
    assert change.before.number == 2


def test_the_first_of_several_games_of_one_pair_removed_leaves_the_others_unchanged(between: Between) -> None:
    results = ("0-1", "1-0", "1/2-1/2", "1-0")
    a = [("2024-01-05", "Ann", "Bob", result) for result in results]
    change = only(between(a, a[1:]))
    assert change.before is not None
    assert (change.kind, change.before.number) == ("removed", 1)


def test_the_nearest_name_is_taken_for_the_corrected_one(between: Between) -> None:
    a = [("2024-01-05", "Ann", "Jonh", "1-0"), ("2024-01-05", "Ann", "Mary", "1-0")]
    b = [("2024-01-05", "Ann", "John", "1-0"), ("2024-01-05", "Ann", "Marie", "1-0")]
    assert {(c.before.black_name, c.after.black_name) for c in between(a, b).games if c.before and c.after} == {
        ("Jonh", "John"),
        ("Mary", "Marie"),
    }


def test_two_seasons_of_one_league_are_not_one_season_with_other_dates(between: Between) -> None:
    last = [("2023-10-14", "Ann", "Bob", "1-0"), ("2023-11-18", "Bob", "Ann", "1-0")]
    this = [("2024-12-09", "Ann", "Bob", "1-0"), ("2025-01-27", "Bob", "Ann", "1-0")]
    assert sorted(change.kind for change in between(last, this).games) == ["added", "added", "removed", "removed"]


# --- the alignment, whatever the games are ------------------------------------------------------------------

PLAYERS = "abcd"
GAMES = st.lists(
    st.tuples(
        st.sampled_from(["2024-01-05", "2024-01-06", ""]),
        st.permutations(PLAYERS).map(lambda names: names[:2]),
        st.sampled_from([1.0, 0.5, 0.0]),
    ),
    max_size=12,
)


def made(rows: list[tuple[str, list[str], float]]) -> list[Game]:
    return [
        Game(i, day, white, black, score, (), white, black, "log", i)
        for i, (day, (white, black), score) in enumerate(rows, 1)
    ]


@given(GAMES, GAMES)
def test_the_slots_hold_every_game_of_both_sides_once_and_in_order(
    one: list[tuple[str, list[str], float]], other: list[tuple[str, list[str], float]]
) -> None:
    a, b = made(one), made(other)
    changes, slots = align(a, b)
    assert [slot.a for slot in slots if slot.a is not None] == list(range(len(a)))
    assert [slot.b for slot in slots if slot.b is not None] == list(range(len(b)))
    for slot in slots:
        if slot.change is None:
            assert slot.a is not None
            assert slot.b is not None
            assert a[slot.a].whole == b[slot.b].whole
    kinds = [change.kind for change in changes]
    same = sum(slot.change is None for slot in slots)
    assert same + kinds.count("changed") + kinds.count("removed") == len(a)
    assert same + kinds.count("changed") + kinds.count("added") == len(b)


@given(GAMES)
def test_games_against_themselves_have_no_changes(rows: list[tuple[str, list[str], float]]) -> None:
    assert align(made(rows), made(rows))[0] == ()


@given(GAMES, st.data())
def test_one_game_taken_out_is_one_change(rows: list[tuple[str, list[str], float]], data: st.DataObject) -> None:
    gone = data.draw(st.integers(0, max(0, len(rows) - 1)))
    changes, _ = align(made(rows), made(rows[:gone] + rows[gone + 1 :]))
    assert [change.kind for change in changes] == ["removed"] * bool(rows)


# --- who moved, and why -------------------------------------------------------------------------------------


def test_a_changed_result_moves_its_players_and_those_whom_they_meet_later(between: Between) -> None:
    other = replaced(LOG, 0, "2024-01-05", "Ann", "Bob", "0-1")
    before, after = elo(LOG), elo(other)
    found = between(LOG, other)
    assert {one.name for one in found.players} == {"Ann", "Bob", "Cid", "Dan"}
    for one in found.players:
        assert (one.before, one.after) == pytest.approx((before[one.name], after[one.name]), abs=1e-9)
        assert parts(one) == [("changed", pytest.approx(after[one.name] - before[one.name], abs=1e-9))]


def test_the_first_of_two_changes_is_applied_first_and_the_parts_sum_to_the_change(between: Between) -> None:
    first = replaced(LOG, 0, "2024-01-05", "Ann", "Bob", "0-1")
    both = [*first, ("2024-01-10", "Ann", "Dan", "1-0")]
    before, half, after = elo(LOG), elo(first), elo(both)
    ann = moved(between(LOG, both), "Ann")
    assert parts(ann) == [
        ("changed", pytest.approx(half["Ann"] - before["Ann"], abs=1e-9)),
        ("added", pytest.approx(after["Ann"] - half["Ann"], abs=1e-9)),
    ]
    assert sum(change for _, change in parts(ann)) == pytest.approx(after["Ann"] - before["Ann"], abs=1e-9)


def test_a_game_that_reaches_nobody_else_moves_nobody_else(between: Between) -> None:
    found = between(LOG, [*LOG, ("2024-01-10", "Eve", "Fay", "1-0")])
    # Equal ratings, K 20: ten points each.
    assert [(one.name, one.before, one.after) for one in found.players] == [("Eve", None, 1510), ("Fay", None, 1490)]


def test_a_newcomer_is_counted_from_his_start_rating_and_a_leaver_back_to_it(between: Between) -> None:
    found = between([*LOG, ("2024-01-10", "Gil", "Hal", "1-0")], [*LOG, ("2024-01-10", "Eve", "Fay", "1/2-1/2")])
    changes = {one.name: (one.before, one.after, one.change) for one in found.players}
    assert changes == {
        "Gil": (1510, None, -10),
        "Hal": (1490, None, 10),
        "Eve": (None, 1500, 0),
        "Fay": (None, 1500, 0),
    }


def test_another_order_of_dependent_games_moves_their_players(between: Between) -> None:
    day = [("2024-01-05", "Ann", "Bob", "1-0"), ("2024-01-05", "Bob", "Cid", "1-0")]
    before, after = elo(day), elo(day[::-1])
    found = between(day, day[::-1])
    assert {one.name: one.change for one in found.players} == pytest.approx(
        {name: after[name] - before[name] for name in after}, abs=1e-9
    )
    assert {part.cause for one in found.players for part in one.because} == {"changed"}


@settings(max_examples=40, deadline=None)
@given(GAMES, GAMES)
def test_the_parts_of_a_player_sum_to_his_change(
    one: list[tuple[str, list[str], float]], other: list[tuple[str, list[str], float]]
) -> None:
    sides = [made_side(rows) for rows in (one, other)]
    names = {1.0: "1-0", 0.5: "1/2-1/2", 0.0: "0-1"}
    before, after = (elo([(d, p[0], p[1], names[s]) for d, p, s in rows]) for rows in (one, other))
    found = elo_sheets.uses.differing.compare_sides(*sides)
    for player in found.players:
        assert player.before == pytest.approx(before.get(player.name), abs=1e-9)
        assert player.after == pytest.approx(after.get(player.name), abs=1e-9)
        change = after.get(player.name, 1500) - before.get(player.name, 1500)
        assert player.change == pytest.approx(change, abs=1e-9)
        assert sum(part.change for part in player.because) == pytest.approx(change, abs=1e-8)
        assert "remainder" not in {part.cause for part in player.because}
    still = {name for name in before if name in after} - {player.name for player in found.players}
    assert all(before[name] == pytest.approx(after[name], abs=1e-8) for name in still)


def made_side(rows: list[tuple[str, list[str], float]]) -> elo_sheets.uses.differing.sides.Side:
    from elo_sheets.games import GamesRead, make_games
    from elo_sheets.systems import system

    records = [
        {"date": day or None, "white": white, "black": black, "score": score, "source": "log", "source_row": i}
        for i, (day, (white, black), score) in enumerate(rows, 1)
    ]
    games = make_games(records).sort_values("source_row", kind="stable").reset_index(drop=True)
    rules = system("elo")
    return elo_sheets.uses.differing.sides.Side("log", "log", rules, rules.settings(), GamesRead(games))


def test_too_many_changes_to_replay_each_are_applied_together(
    between: Between, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(elo_sheets.uses.differing.attribution, "MOST_REPLAYS", 2)
    other = [(day, white, black, {"1-0": "0-1", "0-1": "1-0"}.get(result, result)) for day, white, black, result in LOG]
    found = between(LOG, other)
    ann = moved(found, "Ann")
    assert [part.cause for part in ann.because] == ["several", "several"]
    assert ann.because[0].text == "2 differences together, 2024-01-05 to 2024-01-07"
    assert sum(part.change for part in ann.because) == pytest.approx(elo(other)["Ann"] - elo(LOG)["Ann"], abs=1e-9)


@pytest.mark.parametrize("system", ["glicko2", "fide", "uschess", "dwz", "bradley-terry"])
def test_every_kind_of_system_is_compared_and_its_parts_sum(between: Between, system: str) -> None:
    rows = [*LOG, ("2024-01-10", "Dan", "Ann", "1-0"), ("2024-01-11", "Bob", "Ann", "1-0")]
    other = [*replaced(rows, 1, "2024-01-06", "Cid", "Ann", "1-0"), ("2024-01-12", "Dan", "Ann", "1-0")]
    found = between(rows, other, system=system, settings={} if system == "bradley-terry" else {"period": "month"})
    assert [change.kind for change in found.games] == ["changed", "added"]
    assert found.players
    for one in found.players:
        assert one.before is not None
        assert one.after is not None
        assert one.change == one.after - one.before
        assert sum(part.change for part in one.because) == pytest.approx(one.change, abs=1e-8)


def test_games_that_cannot_be_rated_half_way_are_applied_together(between: Between) -> None:
    # Bradley and Terry's rule has ratings only where everybody is connected by wins: one game alone breaks that.
    ring = [
        ("2024-01-05", "Ann", "Bob", "1-0"),
        ("2024-01-06", "Bob", "Cid", "1-0"),
        ("2024-01-07", "Cid", "Ann", "1-0"),
    ]
    turned = [(day, white, black, "0-1") for day, white, black, _ in ring]
    found = between(ring, [*turned, ("2024-01-08", "Ann", "Bob", "1-0")], system="bradley-terry")
    assert len(found.games) == 4
    for one in found.players:
        assert {part.cause for part in one.because} <= {"several", "added"}
        assert sum(part.change for part in one.because) == pytest.approx(one.change, abs=1e-8)


# --- what the rule reads ------------------------------------------------------------------------------------


def goals(write: WRITE, name: str, home: int) -> Path:
    path = write(name, [])
    path.write_text(f"date,home,away,home_score,away_score\n2024-01-05,Ann,Bob,{home},0\n", encoding="utf-8")
    return path


def test_goals_are_compared_where_the_rule_reads_them(write: WRITE) -> None:
    a, b = goals(write, "a", 1), goals(write, "b", 3)
    assert diff(a, b).same
    found = diff(a, b, settings={"margin_rule": "eloratings"})
    assert only(found).fields == ("white_points",)
    # eloratings.net: half of the change more for two goals, three quarters for three.
    assert {one.name: one.change for one in found.players} == pytest.approx({"Ann": 7.5, "Bob": -7.5})


# --- books --------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def league(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("league")
    log = folder / "log.csv"
    log.write_text("\n".join(["date,white,black,result", *(",".join(row) for row in LOG), ""]), encoding="utf-8")
    import_logs([log], folder / "league.xlsx")
    return folder / "league.xlsx"


def retyped(league: Path, folder: Path, **cells: dict[str, str | float | None]) -> Path:
    return type_into(league, folder / "retyped.xlsx", cells)


def test_a_book_is_the_same_as_the_log_that_it_was_made_from(league: Path, write: WRITE) -> None:
    found = diff(league, write("log", LOG))
    assert (found.a.kind, found.b.kind, found.same, found.unchanged) == ("league", "log", True, 5)


def test_a_result_typed_over_is_a_changed_game(league: Path, tmp_path: Path) -> None:
    found = diff(league, retyped(league, tmp_path, Games={"E5": "0-1"}))
    change = only(found)
    assert change.fields == ("result",)
    assert change.after is not None
    assert change.after.source_row == 5
    after = elo(replaced(LOG, 0, "2024-01-05", "Ann", "Bob", "0-1"))
    assert {one.name: one.after for one in found.players} == pytest.approx(after, abs=1e-9)


def test_another_setting_of_a_book_is_reported_first_and_moves_its_part(league: Path, tmp_path: Path) -> None:
    import_logs([_log(tmp_path, LOG)], tmp_path / "k40.xlsx", settings={"k": 40})
    found = diff(league, tmp_path / "k40.xlsx")
    assert [(one.name, one.before, one.after) for one in found.settings] == [("k", 20, 40)]
    assert found.games == ()
    before, after = elo(LOG), elo(LOG, k=40)
    assert {one.name: one.change for one in found.players} == pytest.approx(
        {name: after[name] - before[name] for name in after if after[name] != before[name]}, abs=1e-9
    )
    assert {part.cause for one in found.players for part in one.because} == {"settings"}


def _log(folder: Path, rows: Iterable[Row]) -> Path:
    path = folder / "made.csv"
    path.write_text("\n".join(["date,white,black,result", *(",".join(row) for row in rows), ""]), encoding="utf-8")
    return path


def test_a_start_rating_that_differs_is_a_cause_of_its_own(league: Path, tmp_path: Path) -> None:
    found = diff(league, retyped(league, tmp_path, Players={"C5": 1700.0}))
    assert [(one.name, one.before, one.after) for one in found.start] == [("Ann", None, 1700)]
    before, after = elo(LOG), elo(LOG, starts={"Ann": 1700})
    ann = moved(found, "Ann")
    assert parts(ann) == [("start", pytest.approx(after["Ann"] - before["Ann"], abs=1e-9))]


def test_a_log_beside_a_league_takes_its_settings_and_start_ratings(league: Path, tmp_path: Path, write: WRITE) -> None:
    book = retyped(league, tmp_path, Players={"C5": 1700.0})
    found = diff(write("log", LOG[:-1]), book)
    assert only(found).kind == "added"
    assert found.start == ()
    before, after = (elo(rows, starts={"Ann": 1700}) for rows in (LOG[:-1], LOG))
    bob = moved(found, "Bob")
    assert (bob.before, bob.after) == pytest.approx((before["Bob"], after["Bob"]), abs=1e-9)


def test_a_blank_behind_a_name_of_the_book_makes_no_other_player(league: Path, tmp_path: Path, write: WRITE) -> None:
    games = {"C5": "Ann ", "D6": "Ann ", "C8": "Ann "}
    book = retyped(league, tmp_path, Players={"B5": "Ann ", "C5": 1700.0}, Games=games)
    assert diff(book, write("log", LOG)).same


def test_a_book_is_rated_in_the_order_of_its_rows(league: Path, tmp_path: Path) -> None:
    found = diff(league, retyped(league, tmp_path, Games={"B5": serial("2024-02-01")}))
    assert only(found).fields == ("date",)
    assert found.players == ()


def test_no_engine_runs_while_no_typed_cell_is_a_formula(league: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(elo_sheets.engines.recalculate, "recalculate", None)
    assert diff(league, league).same


def test_a_typed_formula_counts_by_its_result(league: Path, tmp_path: Path) -> None:
    from planting import plant

    book = plant(league, tmp_path / "formula.xlsx", {("Players", "C5"): lambda *_: "<f>1600+100</f><v>3</v>"})
    assert [(one.name, one.after) for one in diff(league, book).start] == [("Ann", 1700)]


def test_rows_that_a_book_does_not_rate_are_told(league: Path, tmp_path: Path) -> None:
    below = f"C{openpyxl.load_workbook(league)['Games'].tables['Games'].ref.split(':')[1].lstrip('ABCDEFGHIJKLMNOPQ')}"
    row = int(below[1:]) + 1
    book = retyped(league, tmp_path, Games={"E5": "later", f"C{row}": "Ann", f"D{row}": "Bob", f"E{row}": "1-0"})
    found = diff(league, book)
    assert [(problem.row, problem.reason) for problem in found.b.log.problems] == [
        (5, "no result: write 1-0"),
        (row, "below the table Games"),
    ]
    assert only(found).kind == "removed"


def test_a_workbook_of_a_stranger_is_read_as_a_log(tmp_path: Path, write: WRITE) -> None:
    book = openpyxl.Workbook()
    book.save(tmp_path / "book.xlsx")
    with pytest.raises(UnreadableInput, match=r"book\.xlsx has no cells"):
        diff(tmp_path / "book.xlsx", write("log", LOG))


def test_an_empty_book_has_no_games(tmp_path: Path, league: Path) -> None:
    new_book("league", tmp_path / "empty.xlsx")
    found = diff(tmp_path / "empty.xlsx", league)
    assert [change.kind for change in found.games] == ["added"] * 5
    assert {one.name: one.after for one in found.players} == pytest.approx(elo(LOG), abs=1e-9)


# --- journals -----------------------------------------------------------------------------------------------

PGN = """[White "Me"]
[Black "Bob"]
[Date "2024.01.05"]
[Result "{result}"]
[WhiteElo "1600"]
[BlackElo "1500"]

*

"""


@pytest.fixture
def pgn(tmp_path: Path) -> Callable[[str, str], Path]:
    def pgn(name: str, result: str) -> Path:
        path = tmp_path / f"{name}.pgn"
        path.write_text(PGN.format(result=result).replace("*", result), encoding="utf-8")
        return path

    return pgn


Pgn = Callable[[str, str], Path]


@pytest.mark.parametrize(("result", "change"), [("1/2-1/2", -2.8), ("0-1", -12.8)])
def test_a_journal_moves_by_the_published_changes(pgn: Pgn, result: str, change: float) -> None:
    found = diff(pgn("a", "1-0"), pgn("b", result), player="Me")
    assert only(found).fields == ("result",)
    me = moved(found, "Me")
    assert me.before == pytest.approx(1607.2, abs=0.05)
    assert me.after == pytest.approx(1600 + change, abs=0.05)
    assert parts(me) == [("changed", pytest.approx(change - 7.2, abs=0.1))]


def test_a_journal_is_the_same_as_the_log_of_its_owner(tmp_path: Path) -> None:
    log = SAMPLES / "uzchesscup.pgn"
    import_logs([log], tmp_path / "mine.xlsx", player="Praggnanandhaa R")
    found = diff(tmp_path / "mine.xlsx", log)
    assert (found.a.kind, found.b.player, found.same, found.unchanged) == ("journal", "Praggnanandhaa R", True, 9)


def test_a_published_rating_of_an_opponent_that_differs_is_a_changed_game(tmp_path: Path, pgn: Pgn) -> None:
    import_logs([pgn("a", "1-0")], tmp_path / "mine.xlsx", player="Me")
    book = type_into(tmp_path / "mine.xlsx", tmp_path / "other.xlsx", {"Log": {"D5": 1600.0}})
    found = diff(tmp_path / "mine.xlsx", book)
    assert only(found).fields == ("black_rating",)
    # Equal ratings at K 20: a win is ten points.
    assert moved(found, "Me").after == pytest.approx(1610)


def test_the_journals_of_two_players_are_refused(tmp_path: Path, pgn: Pgn) -> None:
    import_logs([pgn("a", "1-0")], tmp_path / "me.xlsx", player="Me")
    import_logs([pgn("a", "1-0")], tmp_path / "bob.xlsx", player="Bob")
    with pytest.raises(UsageError, match="journals of Me and Bob"):
        diff(tmp_path / "me.xlsx", tmp_path / "bob.xlsx")


def test_a_league_and_a_journal_are_refused(tmp_path: Path, pgn: Pgn, league: Path) -> None:
    import_logs([pgn("a", "1-0")], tmp_path / "me.xlsx", player="Me")
    with pytest.raises(UsageError, match="no ratings to compare"):
        diff(tmp_path / "me.xlsx", league)


# --- what does not fit --------------------------------------------------------------------------------------


def test_a_log_without_a_usable_game_is_unreadable(write: WRITE) -> None:
    with pytest.raises(UnreadableInput, match=r"no game of .*b\.csv can be used: 1 rows are left out, such as"):
        diff(write("a", LOG), write("b", [("2024-01-05", "Ann", "Bob", "later")]))


def test_settings_beside_a_book_are_refused(league: Path, write: WRITE) -> None:
    with pytest.raises(UsageError, match="leave out --system and --set"):
        diff(league, write("log", LOG), settings={"k": 40})


def test_reading_options_for_two_books_are_refused(league: Path) -> None:
    with pytest.raises(UsageError, match="two workbooks need no --map"):
        diff(league, league, pool="blitz")
