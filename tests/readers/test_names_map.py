"""One person, one name: near names are asked with evidence, never merged without an answer and never dropped."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from elo_sheets.errors import UnreadableInput
from elo_sheets.readers import read

LOG = """date,white,black,result
2026-01-05,Braun Eva,Player 1,1-0
2026-01-05,Eva Brown,Player 2,1-0
2026-01-12,Eva Braun,Player 1,0-1
2026-01-12,Éva Braun,Player 3,0-1
2026-01-19,Player 1,Player 2,1-0
""".encode()


def asked(path: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = tomllib.loads(path.read_text("utf-8"))["question"]
    return found


def players(path: Path) -> set[str]:
    games = read([LOG], names=path).games
    assert len(games) == 5
    return {*games["white"], *games["black"]} - {"Player 1", "Player 2", "Player 3"}


def test_near_names_are_questions_with_evidence_and_stay_apart(tmp_path: Path) -> None:
    path = tmp_path / "names.toml"
    assert players(path) == {"Braun Eva", "Eva Brown", "Eva Braun", "Éva Braun"}
    found = {frozenset(one["names"]): one["evidence"] for one in asked(path)}
    assert "never on the same day; 1 opponents in common" in found[frozenset({"Braun Eva", "Eva Braun"})]
    assert "both played on 1 days, the first 2026-01-12" in found[frozenset({"Eva Braun", "Éva Braun"})]
    assert not any("Player" in name for pair in found for name in pair)
    assert all(not one["answer"] for one in asked(path))


def test_an_answer_is_taken_the_next_time_and_nothing_is_asked_twice(tmp_path: Path) -> None:
    path = tmp_path / "names.toml"
    players(path)
    text = "# my own remark\n" + path.read_text("utf-8")
    pairs = [frozenset(one["names"]) for one in asked(path)]
    answers = ["Eva Braun" if pair == {"Braun Eva", "Eva Braun"} else "different" for pair in pairs]
    for answer in answers:
        text = text.replace('answer = ""', f'answer = "{answer}"', 1)
    path.write_text(text, encoding="utf-8")
    assert players(path) == {"Eva Braun", "Eva Brown", "Éva Braun"}
    assert path.read_text("utf-8") == text  # to the byte


def test_a_player_has_spellings_and_ids(tmp_path: Path) -> None:
    path = tmp_path / "names.toml"
    path.write_text(
        '[[player]]\nname = "Eva Braun"\nspellings = ["braun eva", "Éva Braun", "Eva Brown"]\nids = [7]\n', "utf-8"
    )
    assert players(path) == {"Eva Braun"}
    rank = "No.,Name,ID,1.Rd\n1,E. B.,7,2w1\n2,Player 1,8,1b0\n"
    assert read([rank.encode()], names=path).games["white"].tolist() == ["Eva Braun"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[[player]\n", "TOML"),
        ('[[player]]\nspellings = ["a"]\n', "name"),
        ('[[person]]\nname = "a"\n', "person"),
        ('[[player]]\nname = "A"\nspellings = ["C"]\n[[player]]\nname = "B"\nspellings = ["c"]\n', "both 'A' and 'B'"),
        ('[[question]]\nnames = ["A", "B"]\nanswer = "Z"\n', "'Z'"),
    ],
)
def test_a_file_of_names_that_contradicts_itself_is_refused(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "names.toml"
    path.write_text(text, "utf-8")
    with pytest.raises(UnreadableInput, match=message):
        read([LOG], names=path)
    assert path.read_text("utf-8") == text


def test_a_spelling_in_another_case_is_said_until_it_is_answered(tmp_path: Path) -> None:
    path, log = tmp_path / "names.toml", b"white,black,result\nAnna,Player 1,1-0\nANNA,Player 2,1-0\n"
    first = read([log], names=path)
    assert (first.games["white"].tolist(), len(asked(path))) == (["Anna", "Anna"], 1)
    assert [note for note in first.notes if "'ANNA' (1) as 'Anna' (1)" in note]
    read([log], names=path)
    assert len(asked(path)) == 1
    open_ = path.read_text("utf-8")
    path.write_text(open_.replace('answer = ""', 'answer = "ANNA"'), "utf-8")
    answered = read([log], names=path)
    assert answered.games["white"].tolist() == ["ANNA", "ANNA"]
    assert not [note for note in answered.notes if "as spreadsheets take them" in note]
    path.write_text(open_.replace('answer = ""', 'answer = "different"'), "utf-8")
    with pytest.raises(UnreadableInput, match="give one of them another name in the log"):
        read([log], names=path)
