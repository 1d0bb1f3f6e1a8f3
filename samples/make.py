"""Run the commands of samples/README.md: they make the sample workbooks anew."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def commands() -> list[list[str]]:
    """The arguments of every elo-sheets command in samples/README.md."""
    blocks = re.findall(r"```sh\n(.*?)```", (ROOT / "samples/README.md").read_text("utf-8"), re.DOTALL)
    lines = [shlex.split(line) for block in blocks for line in block.splitlines()]
    return [words[1:] for words in lines if words[:1] == ["elo-sheets"]]


def make(root: Path = ROOT) -> None:
    """Make the workbooks below `root`, which holds a folder `samples` with the logs."""
    for arguments in commands():
        subprocess.run([sys.executable, "-m", "elo_sheets", *arguments], cwd=root, check=True)


if __name__ == "__main__":
    make()
