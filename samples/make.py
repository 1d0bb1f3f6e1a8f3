"""Run the commands of samples/README.md, which make the sample workbooks anew, and rebuild the wrong guide."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from datetime import datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

# Own rating, opponent's, result, K and the change that the guide prints for it.
TEST_ROWS = (
    (1500, 1500, 1, 16, 16),
    (1500, 1500, 0.5, 16, 0),
    (1800, 1600, 1, 16, 10),
    (1600, 1800, 1, 16, 22),
    (2000, 1200, 0, 16, -2),
    (1400, 1500, 0.5, 40, 10),
)
LOG_HEADERS = (
    "Date",
    "Opponent",
    "Opponent Rating",
    "Your Rating (Before)",
    "Game Result",
    "Expected Score",
    "Rating Change",
    "Your Rating (After)",
    "K-Factor Used",
)
LOG = ((45300, "Opponent 1", 1550, 1), (45307, "Opponent 2", 1480, 0.5), (45314, "Opponent 3", 1620, 0))


def commands() -> list[list[str]]:
    """The arguments of every elo-sheets command in samples/README.md."""
    blocks = re.findall(r"```sh\n(.*?)```", (ROOT / "samples/README.md").read_text("utf-8"), re.DOTALL)
    lines = [shlex.split(line) for block in blocks for line in block.splitlines()]
    return [words[1:] for words in lines if words[:1] == ["elo-sheets"]]


def wrong_guide(path: Path) -> None:
    """Write the workbook that a reader of a much-read guide ends up with, its faults included."""
    import xlsxwriter

    with xlsxwriter.Workbook(str(path)) as book:
        book.set_properties({"created": datetime(2000, 1, 1)})
        day = book.add_format({"num_format": "yyyy-mm-dd"})
        log = book.add_worksheet("Rating")
        log.write_row("A2", ["Current rating", 1500])
        log.write_row("A3", ["K-factor", 16])
        log.write_row("A4", LOG_HEADERS)
        for row, (date, name, opponent, result) in enumerate(LOG, 5):
            before, k = 1500.0, 32
            expected = 1 / (1 + 10 ** ((opponent - before) / 400))
            log.write_number(f"A{row}", date, day)
            log.write_row(f"B{row}", [name, opponent])
            log.write_formula(f"D{row}", "=$B$2", None, before)
            log.write_number(f"E{row}", result)
            log.write_formula(f"F{row}", f"=1/(1+10^((C{row}-D{row})/400))", None, expected)
            log.write_formula(f"G{row}", f"=I{row}*(E{row}-F{row})", None, k * (result - expected))
            log.write_formula(f"H{row}", f"=H{row}+G{row}", None, 0)
            log.write_formula(f"I{row}", f"=IF(D{row}<2100,32,IF(D{row}<2400,24,16))", None, k)
        test = book.add_worksheet("Test")
        test.write_row(
            "A1", ["Your Rating", "Opponent Rating", "Result", "K-Factor", "Expected Score", "Rating Change"]
        )
        for row, (own, opponent, result, k, printed) in enumerate(TEST_ROWS, 2):
            test.write_row(f"A{row}", [own, opponent, result, k])
            test.write_formula(
                f"E{row}", f"=1/(1+10^((B{row}-A{row})/400))", None, 1 / (1 + 10 ** ((opponent - own) / 400))
            )
            test.write_number(f"F{row}", printed)


def make(root: Path = ROOT) -> None:
    """Make the workbooks below `root`, which holds a folder `samples` with the logs."""
    for arguments in commands():
        subprocess.run([sys.executable, "-m", "elo_sheets", *arguments], cwd=root, check=True)
    wrong_guide(root / "samples/wrong_guide.xlsx")


if __name__ == "__main__":
    make()
