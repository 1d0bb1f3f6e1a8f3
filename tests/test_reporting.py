"""A tournament report out: it reads back as the same event, and its columns stand where the format has them."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from elo_sheets.cli import cli
from elo_sheets.errors import OutputRefused, UsageError
from elo_sheets.readers import read
from elo_sheets.uses.importing import import_logs
from elo_sheets.uses.reporting import event_of_book, report_text, write_report

EXAMPLE = Path(__file__).parent / "data" / "trf" / "javafo_example.trf"
CROSS = b"""No.,Title,Name,Rtg,FED,FideID,1.Rd,2.Rd
1,GM,Player 1,2400,ENG,404853,2w1,3b-
2,,Player 2,2300,ENG,,1b0,bye
3,,Player 3,,NGR,,-0,1w+
"""


def test_a_real_report_is_written_as_it_was_read() -> None:
    old = read([EXAMPLE])
    new = read([report_text(old).encode()])
    columns = ["white", "black", "score", "round", "white_rating", "black_rating"]
    assert sorted(map(str, new.games[columns].values.tolist())) == sorted(map(str, old.games[columns].values.tolist()))
    assert new.games.attrs["entrants"] == old.games.attrs["entrants"]
    key = lambda one: (one["round"], one["white"])  # noqa: E731
    plain = [{k: v for k, v in one.items() if k != "source_row"} for one in old.games.attrs["unplayed"]]
    again = [{k: v for k, v in one.items() if k != "source_row"} for one in new.games.attrs["unplayed"]]
    assert sorted(again, key=key) == sorted(plain, key=key)


def test_the_columns_are_those_of_the_format() -> None:
    lines = report_text(read([CROSS])).splitlines()
    first = next(line for line in lines if line.startswith("001"))
    # 1-based, as the format counts them
    told = {
        name: first[a - 1 : b].strip()
        for name, a, b in (
            ("rank", 5, 8),
            ("title", 11, 13),
            ("name", 15, 47),
            ("rating", 49, 52),
            ("federation", 54, 56),
            ("number", 58, 68),
            ("points", 81, 84),
            ("place", 86, 89),
            ("round 1", 92, 99),
            ("round 2", 102, 109),
        )
    }
    assert told == {
        "rank": "1",
        "title": "GM",
        "name": "Player 1",
        "rating": "2400",
        "federation": "ENG",
        "number": "404853",
        "points": "1.0",
        "place": "1",
        "round 1": "2 w 1",
        "round 2": "3 b -",
    }
    assert "062 3" in lines
    second = [line for line in lines if line.startswith("001")][1]
    assert second[101:109] == "0000 - U"


def test_event_writes_the_report_and_refuses_what_has_no_rounds(tmp_path: Path) -> None:
    log, target = tmp_path / "cross.csv", tmp_path / "report.trf"
    log.write_bytes(CROSS)
    asked = ["event", "2400", str(log), "--player", "Player 1", "--system", "fide", "-o", str(target)]
    done = CliRunner().invoke(cli, asked)
    assert done.exit_code == 0, done.output
    assert read([target]).games["white"].tolist() == ["Player 1"]
    assert isinstance(CliRunner().invoke(cli, asked).exception, OutputRefused)  # it is there already
    with pytest.raises(UsageError, match="column round"):
        write_report(read([b"white,black,result\nAnn,Bob,1-0\n"]), tmp_path / "other.trf")
    twice = b"round,white,black,result\n1,Ann,Bob,1-0\n1,Ann,Cid,1-0\n"
    with pytest.raises(UsageError, match="two games in round 1"):
        write_report(read([twice]), tmp_path / "other.trf")


def test_a_statement_leads_back_to_the_row_and_page_of_each_game(tmp_path: Path) -> None:
    log = tmp_path / "log.csv"
    log.write_text("white,black,result,link\nAnn,Bob,1-0,https://example.org/7\nAnn,Cid,1-0,18\n", encoding="utf-8")
    done = CliRunner().invoke(cli, ["explain", "Ann", str(log)])
    assert f"{log}, row 2, https://example.org/7\n" in done.stdout
    assert f"{log}, row 3\n" in done.stdout


def test_what_a_report_says_of_its_event_is_written_again() -> None:
    lines = ["012 Club open", "022 Town", "032 ENG", "042 2026/01/05", "052 2026/01/06", "062 2", "072 1"]
    lines += ["092 Individual: Swiss-System", "102 Arbiter, Chief", "122 90 min", f"132{'':88}26/01/05"]
    lines += [f"001    1 w GM {'Player 1':<33} 2400 ENG {'404853':>11} 1990/02/03  1.5    1     2 w 1  0000 - H"]
    lines += [f"001    2 m    {'Player 2':<33} {'':4} {'':3} {'':>11} {'':10}  0.0    2     1 b 0"]
    assert report_text(read(["\r\n".join(lines).encode()])).split("\r\n") == [*lines, ""]


def test_a_book_of_an_event_is_written_as_its_report(tmp_path: Path) -> None:
    lines = ["012 Club open", "022 Town", "042 2026/01/05", "052 2026/01/06", "062 3", "072 2", "102 Arbiter, Chief"]
    lines += ["122 90 min"]
    lines += [f"001    1   GM {'Player,One':<33} 2400 ENG {'':>11} 1990/00/00  2.0    1     2 w 1     3 b +"]
    lines += [f"001    2      {'Player,Two':<33} 2300     {'':>11} {'':10}  1.5    2     1 b 0  0000 - F     3 w ="]
    lines += [f"001    3      {'Player,Three':<33} {'':4}     {'':>11} {'':10}  0.5    3               1 w -     2 b ="]
    report, book, target = tmp_path / "open.trf", tmp_path / "open.xlsx", tmp_path / "again.trf"
    report.write_text("\r\n".join([*lines, ""]), encoding="utf-8", newline="")
    import_logs(report, book, template="event", system="fide")
    done = CliRunner().invoke(cli, ["event", str(book), "-o", str(target)])
    assert (done.exit_code, done.output) == (0, f"wrote {target}\n")
    assert target.read_text(encoding="utf-8").splitlines() == lines
    import_logs(report, league := tmp_path / "league.xlsx", template="league")
    with pytest.raises(UsageError, match="template league"):
        event_of_book(league)


def test_a_draw_without_a_game_is_none_when_it_is_read_again() -> None:
    short = CROSS.replace(b"3b-", b"3b\xc2\xbd").replace(b"1w+", b"1w\xc2\xbd")
    report = report_text(read([short])).replace("3 b =", "3 b D").replace("1 w =", "1 w D").encode()
    old = read([report])
    assert (old.kept, len(old.games.attrs["unplayed"])) == (1, 2)
    assert report_text(old).encode() == report


def for_another_program(text: str, rounds: int) -> str:
    """A report as py4swiss takes it: the number of rounds told, no days of rounds, Z for a round that is left empty."""
    lines = [line for line in text.splitlines() if line[:3] != "132"]
    for at, line in enumerate(lines):
        if line.startswith("001"):
            entries = [line[start : start + 8].ljust(8) for start in range(91, 91 + 10 * rounds, 10)]
            lines[at] = line[:89] + "".join(f"  {entry if entry.strip() else '0000 - Z'}" for entry in entries)
    return "\r\n".join([*(line for line in lines if line[:3] != "XXR"), f"XXR {rounds}", ""])


@pytest.mark.parametrize(("log", "rounds"), [(EXAMPLE, 5), (CROSS, 2)], ids=["open", "crosstable"])
def test_another_program_reads_the_reports(log: Path | bytes, rounds: int, tmp_path: Path) -> None:
    """It proves that opponents, colours, results and points agree with each other."""
    parser = pytest.importorskip("py4swiss.trf.trf_parser").TrfParser
    text, path = report_text(read([log])), tmp_path / "report.trf"
    path.write_text(for_another_program(text, rounds), encoding="utf-8", newline="")
    found = parser.parse(path)
    found.validate_contents()
    lines = [line for line in text.splitlines() if line.startswith("001")]
    assert [(one.starting_number, one.name, one.points_times_ten) for one in found.player_sections] == [
        (int(line[4:8]), line[14:47].strip(), round(10 * float(line[80:84]))) for line in lines
    ]


def line(rank: int, rating: int, points: str, place: int, *rounds: str) -> str:
    front = f"001 {rank:>4} m    {f'Player {rank}':<33} {rating:>4} ENG {404853:>11} 1980/00/00 {points:>4} {place:>4}"
    return front + "".join(f"  {one:<8}" for one in rounds).rstrip()


PLAYERS = [
    line(1, 1900, "1.5", 2, "   2 w 1", "   3 b =", "   7 w"),
    line(2, 1800, "1.0", 4, "   1 b 0", "   7 w 1", "0000 - Z"),
    line(3, 1700, "1.5", 1, "   7 b 1", "   1 w ="),
    line(7, 1600, "0.5", 3, "   3 w 0", "   2 b 0", "   1 b"),
]
OTHERS = ["112 Player 9", "XXR 5", "013 Two of a club                    1    7", "### a remark"]
REPORT = "\n".join(["012 Club championship", "042 2026/01/05", *OTHERS[:2], *PLAYERS, *OTHERS[2:], ""])


def test_what_a_report_says_besides_games_is_written_again_and_no_day_is_made_up() -> None:
    log = read([REPORT.encode()])
    written = report_text(log).splitlines()
    assert not [line for line in written if line.startswith("132")]
    assert {*PLAYERS, *OTHERS} <= {*written}
    note = next(note for note in log.notes if note.startswith("the points that the report states"))
    assert "Player 7 0.5 for 0 (row 8)" in note
    assert "the report goes to round 3, of 5; the others are still to come" in log.notes


def test_a_report_without_pairings_says_why_it_has_no_game() -> None:
    log = read(["\n".join(one[:89] for one in PLAYERS).encode()])
    assert log.kept == 0
    assert "the report lists 4 players and no pairing of any round: it has no game yet" in log.notes


def test_a_whole_event_is_written_without_a_rating_or_a_player(tmp_path: Path) -> None:
    log, target = tmp_path / "cross.csv", tmp_path / "report.trf"
    log.write_bytes(CROSS)
    done = CliRunner().invoke(cli, ["event", str(log), "-o", str(target)])
    assert (done.exit_code, done.stdout) == (0, f"wrote {target}\n")
    assert read([target]).kept == 1
    several = CliRunner().invoke(cli, ["event", "1500", str(EXAMPLE)])
    assert "say whose they are with --player NAME" in str(several.exception)
