"""docs/importing.md: every file that it shows is read as the command below it says."""

from __future__ import annotations

import csv
import json
import re
import shlex
from pathlib import Path

import openpyxl
import pytest
from click.testing import CliRunner

from elo_sheets.cli import cli

PAGE = (Path(__file__).parents[1] / "docs" / "importing.md").read_text("utf-8")
EXAMPLES = re.findall(r"^```(\w+)\n((?:(?!```).)*)^```\n+```sh\nelo-sheets (.*?)\n```", PAGE, re.M | re.S)
OWN = re.search(r"^```python\n(.*?)^```", PAGE, re.M | re.S)


def test_the_guide_shows_every_kind() -> None:
    shown = {kind for kind, _, _ in EXAMPLES}
    assert shown >= {"csv", "pgn", "xlsx", "json", "html", "trf", "list", "txt"}


@pytest.mark.parametrize(("kind", "content", "command"), EXAMPLES, ids=[kind for kind, *_ in EXAMPLES])
def test_an_example_of_the_guide_is_read(
    kind: str, content: str, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert OWN is not None
    Path("reader.py").write_text(OWN[1], encoding="utf-8")
    if kind == "xlsx":
        made = openpyxl.Workbook()
        made.active.title = "Games"
        for row in csv.reader(content.splitlines()):
            made.active.append(row)
        made.save("log.xlsx")
    else:
        Path("list.txt" if kind == "list" else f"log.{kind}").write_text(content, encoding="utf-8")
    if kind == "toml":
        Path("names.toml").write_text(content, encoding="utf-8")
    if kind in ("list", "toml"):
        (log,) = (content for other, content, _ in EXAMPLES if other == "csv")
        Path("log.csv").write_text(log, encoding="utf-8")
    done = CliRunner().invoke(cli, [*shlex.split(command), "--json"])
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert found["kept"] >= 1
    assert found["read"] == found["kept"] + found["rejected"]
    assert all("Player" in row["player"] for row in found["ratings"])
