"""What a log says that is refused for its columns, followed word by word, has it read."""

from __future__ import annotations

import io
import re
import shlex

import pytest

from elo_sheets.errors import UnreadableInput
from elo_sheets.readers import Row, read
from elo_sheets.readers._layout import Layout
from elo_sheets.readers._remedies import how_to_name
from elo_sheets.uses.exporting import replay_logs

LOGS = {
    "the points": ("date,home,away,one,two\n2026-01-05,A,B,3,11\n2026-01-06,B,C,11,2\n2026-01-07,C,A,0,11\n", 3),
    "a row for each player": (
        "Datum,Spieler,Einsatz,Gewinn\n05.01.26,Aal,10,+5\n05.01.26,Barsch,10,-5\n12.01.26,Aal,10,-10\n12.01.26,Dorsch,10,+10\n",
        2,
    ),
    "doubles": ("p,q,r,s,m,n\nA,B,C,D,10,7\nA,C,B,D,4,10\nD,A,B,C,10,9\n", 3),
}


@pytest.mark.parametrize("log", LOGS)
def test_the_columns_that_a_refusal_names_are_there_and_have_the_log_read(log: str) -> None:
    text, kept = LOGS[log]
    with pytest.raises(UnreadableInput) as refused:
        replay_logs(io.BytesIO(text.encode()))
    told = shlex.split(re.search(r"(--map .*)", str(refused.value))[1])  # type: ignore[index]
    columns = dict(one.split("=", 1) for one in told if "=" in one)
    assert set(columns.values()) <= set(re.split("[;,]", text.split("\n")[0]))
    done = replay_logs(io.BytesIO(text.encode()), columns=columns)
    assert done.log.kept == kept


def test_lines_that_are_no_columns_are_not_answered_by_naming_columns() -> None:
    with pytest.raises(UnreadableInput, match="into columns of their own"):
        replay_logs(io.BytesIO(b"Ann took Bob to pieces\nCid and Ann were level\n"))


def test_a_remedy_that_reads_nothing_is_not_told() -> None:
    log = b"Who,Whom,Then\nAnn,Bob,rained off at nine\nBob,Ann,went home early\nAnn,Cid,lights failed\n"
    with pytest.raises(UnreadableInput) as refused:
        read([io.BytesIO(log)])
    assert "--map " not in str(refused.value).replace("--map names", "")
    assert "write a row for each game" in str(refused.value)


def test_the_encoding_is_told_where_headers_may_be_misread() -> None:
    log = "Gracz;Wynik w słowach\nŁucja;źle\nŻaneta;dość dobrze\n".encode("cp1250")
    with pytest.raises(UnreadableInput, match="read as Windows-1250: give --encoding"):
        read([io.BytesIO(log)])


def test_a_heading_with_a_comma_is_named_by_its_number() -> None:
    rows = [Row(2, ["Ann", "Bob", "won 3"]), Row(3, ["Cid", "Ann", "lost 2"])]
    assert "--map white=Who --map black=Whom --map score=3" in how_to_name(Layout({}, ["Who", "Whom", "2,5:0,5"]), rows)
    heads = ["Reds", "Blues", "Set 1", "Set 2", "Sets"]
    sets = [Row(2, ["Ann", "Bob", "11:5", "11:7", "2:0"]), Row(3, ["Cid", "Ann", "11:9", "11:7", "2:0"])]
    assert how_to_name(Layout({}, heads), sets).endswith("--map score=Sets")
