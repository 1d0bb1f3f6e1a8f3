"""Lists of ratings as starts: FIDE's forms, national CSVs, workbooks and starting ranks; by id first, by name then."""

from __future__ import annotations

from pathlib import Path

import pytest

import elo_sheets
from elo_sheets.errors import UnreadableInput, UsageError

HERE = Path(__file__).parents[1] / "data"
SHARED = Path(__file__).parents[3] / "shared/data"  # extra: skipped where it is not there
LOG = b"date,white,black,result\n2026-01-05,Player 1,Player 2,1-0\n2026-01-06,Player 3,Player 4,1-0\n"

# Made after FIDE's published forms: 2001-2012 (one rating), since 2012 (three), and XML.
OLD = """\
ID number Name                              TitlFed  Mar11 GamesBorn  Flag
 4100001  One, Player                       g   RUS  2686    9  1990
 4100002  Two, Player                           IND  2101    0  1991  i
25087835  , Nobody                              IND
"""
NEW = (
    "ID Number      Name                                                         Fed Sex Tit  WTit OTit           FOA "
    "SRtng SGm SK RRtng RGm Rk BRtng BGm BK B-day Flag\n"
    "4100001        One, Player                                                  RUS M   GM                           "
    "2686  9   10 2600  0   10 2500  0   10 1990  \n"
)
XML = """<?xml version="1.0"?>
<playerslist>
<player><fideid>4100001</fideid><name>One, Player</name><country>RUS</country><sex>M</sex><title>GM</title>
<rating>2686</rating><games>0</games><rapid_rating>2600</rapid_rating><birthday>1990</birthday></player>
</playerslist>
"""
NATIONAL = 'ECF_code,full_name,nation,original_rating\n100001A,"One, Player",ENG,2686\n'


def starts_of(log: bytes, path: Path) -> dict[str, float]:
    done = elo_sheets.replay([log], settings={"k": "0"}, start=str(path))
    return {row.player: row.rating for row in done.ratings.itertuples() if row.rating != 1500}


@pytest.mark.parametrize("text", [OLD, NEW, XML, NATIONAL], ids=["2001", "2012", "xml", "national"])
def test_a_federation_s_list_is_found_by_name_in_any_order_of_its_words(text: str, tmp_path: Path) -> None:
    path = tmp_path / "list.txt"
    path.write_text(text, encoding="utf-8")
    log = b"white,black,result\nPlayer One,Somebody Else,1-0\n"
    assert starts_of(log, path) == {"Player One": 2686}
    notes = elo_sheets.replay([log], start=str(path)).notes
    assert any("'Player One' was taken for 'One, Player'" in note for note in notes)


def test_ids_go_before_names_and_two_of_one_name_are_named_and_left(tmp_path: Path) -> None:
    def line(rank: int, name: str, number: str, entry: str) -> str:
        head = f"001 {rank:>4} m    {name:<33} {'':>4} {'':3} {number:>11} {'':10} {'0.0':>4} {rank:>4}"
        return f"{head}  {entry}"

    report = "\n".join(
        ["012 Open", line(1, "Player One", "4100002", "   2 w 1"), line(2, "Player Two", "", "   1 b 0")]
    )
    path = tmp_path / "list.txt"
    more = [f" 410000{at}  Two, Player                           ENG  1900    {at}  1991\n" for at in (3, 4)]
    path.write_text(OLD + "".join(more), encoding="utf-8")
    done = elo_sheets.replay([report.encode()], settings={"k": "0"}, start=str(path))
    assert {row.player: row.rating for row in done.ratings.itertuples()} == {"Player One": 2101, "Player Two": 1500}
    assert any("'Player Two' fits several rows" in note and "row 5" in note and "row 6" in note for note in done.notes)


@pytest.mark.parametrize("ending", ["xls", "ods"])
def test_last_year_s_workbook_is_a_list(ending: str) -> None:
    expected = {"Player 1": 1710, "Player 2": 1655.5, "Player 3": 1600}
    assert starts_of(LOG, HERE / "logs" / f"club.{ending}") == expected


def test_members_without_a_game_are_named_by_a_list_of_ones_own_alone(tmp_path: Path) -> None:
    club = tmp_path / "club.csv"
    log = b"white,black,result\nPlayer 1,Player 2,1-0\nPlayer 3,Player 1,1-0\n"
    for members, named in ((4, True), (40, False)):
        club.write_text(
            "Name,Rating\n" + "".join(f"Player {at},{1500 + at}\n" for at in range(1, members + 1)), "utf-8"
        )
        notes = elo_sheets.replay([log], start=str(club)).notes
        assert (
            any("1 of" in note and "no game in the log and are left out ('Player 4')" in note for note in notes)
            == named
        )


def test_a_starting_rank_page_is_a_list(tmp_path: Path) -> None:
    path = tmp_path / "rank.html"
    rows = "<tr><th>No.</th><th>Name</th><th>FideID</th><th>Rtg</th></tr><tr><td>1<td>Player 1<td>7<td>1990</tr>"
    path.write_text(f"<html><h2>Open</h2><table>{rows}</table></html>", encoding="utf-8")
    assert starts_of(LOG, path) == {"Player 1": 1990}


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("just words\n", UnreadableInput),
        ("<?xml version='1.0'?><!DOCTYPE a [<!ENTITY b 'c'>]><a/>", UnreadableInput),
        ("<?xml version='1.0'?><list><player>", UnreadableInput),
        (OLD, UsageError),  # nobody of it plays
    ],
)
def test_what_is_no_list_or_has_nobody_is_refused(text: str, error: type[Exception], tmp_path: Path) -> None:
    path = tmp_path / "list.txt"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(error, match="list"):
        elo_sheets.replay([LOG], start=str(path))


@pytest.mark.skipif(not SHARED.is_dir(), reason="real lists are not part of the project")
def test_fide_s_list_of_2011_and_a_real_starting_rank() -> None:
    log = b"white,black,result\nDmitry Andreikin,Somebody Else,1-0\n"
    assert starts_of(log, SHARED / "fide" / "fide_list_mar2011_10k.txt") == {"Dmitry Andreikin": 2686}
    log = b"white,black,result\nLuke J Mcshane,Michael Adams,1-0\n"
    found = starts_of(log, SHARED / "crosstables" / "british2026_champ_startingrank.html")
    assert found == {"Luke J Mcshane": 2597, "Michael Adams": 2595}
