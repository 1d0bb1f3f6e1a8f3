"""`python -m benchmarks` makes one page of ratios, and names what it could not measure."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_one_page_has_each_ratio_beside_its_aim(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    command = [sys.executable, "-m", "benchmarks", "--quick", "--only", "startup,simulate", "-o", str(page)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    rows = [line.split("|")[1:-1] for line in page.read_text("utf-8").splitlines() if line.startswith("| `")]
    assert [len(row) for row in rows] == [4, 4, 4, 4]
    assert all(float(row[1]) > 0 for row in rows)
    assert [row[2].strip() for row in rows] == ["", "at most 1.5", "at most 1", "at most 1"]


def test_every_script_is_there() -> None:
    sys.path.insert(0, str(ROOT))
    try:
        from benchmarks import __main__ as runner
    finally:
        sys.path.remove(str(ROOT))
    assert {ratio.script for ratio in runner.RATIOS} == set(runner.SCRIPTS)
    assert all((ROOT / "benchmarks" / f"{script}.py").is_file() for script in runner.SCRIPTS)
    assert {runner.Ratio("", runner.at(), "", least=2).reached(value) for value in (2, 3)} == {"yes"}
    assert runner.Ratio("", runner.at(), "", most=2).reached(3) == "**no**"
