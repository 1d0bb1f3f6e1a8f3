"""Draw docs/casts/: what a terminal shows of a few commands, run for real; the lines of a picture appear one by one."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from html import escape
from pathlib import Path

DOCS = Path(__file__).parent
WIDTH, LINE, MARGIN, LETTER = 100, 19, 14, 8.4
MOST = 18  # lines of a command
STYLE = """
text { font: 14px ui-monospace, "DejaVu Sans Mono", monospace; fill: #e9ecf0; white-space: pre; }
.typed { fill: #7fb9f5; }
@media (prefers-reduced-motion: no-preference) { text { opacity: 0; animation: shown .01s forwards; } }
@keyframes shown { to { opacity: 1; } }
"""
CASTS = {
    "import": [
        "elo-sheets import samples/internationals_1900s.csv -o internationals.xlsx --profile football --set k=40",
        "elo-sheets validate internationals.xlsx",
    ],
    "validate": ["elo-sheets validate samples/wrong_guide.xlsx"],
    "explain": ["elo-sheets explain England samples/internationals_1900s.csv --last 1"],
}


def shown(commands: list[str], folder: Path) -> list[tuple[str, bool]]:
    """The lines of a terminal, each with whether it was typed."""
    lines = []
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    for command in commands:
        lines.append((f"$ {command}", True))
        done = subprocess.run(
            command, shell=True, cwd=folder, env={**os.environ, "PATH": path}, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
        )  # fmt: skip
        said = done.stdout.splitlines()
        lines += [(line, False) for line in said[:MOST]]
        lines += [("…", False)] if len(said) > MOST else []
    return [(part, typed) for line, typed in lines for part in folded(line)]


def folded(line: str) -> list[str]:
    """A line as a terminal of this width breaks it."""
    return [line[at : at + WIDTH] for at in range(0, len(line), WIDTH)] or [""]


def cast(lines: list[tuple[str, bool]]) -> str:
    """The picture."""
    width, height = WIDTH * LETTER + 2 * MARGIN, len(lines) * LINE + 2 * MARGIN
    texts, delay = [], 0.3
    for number, (line, typed) in enumerate(lines, 1):
        kind = ' class="typed"' if typed else ""
        at = f'x="{MARGIN}" y="{MARGIN + number * LINE - 5}" style="animation-delay:{delay:.1f}s"'
        texts.append(f"<text {at}{kind}>{escape(line, quote=False)}</text>")
        delay += 1.0 if typed else 0.1
    size = f'viewBox="0 0 {width:.0f} {height}" width="{width:.0f}" height="{height}"'
    ground = '<rect width="100%" height="100%" rx="8" fill="#14171b"/>'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size}><style>{STYLE}</style>{ground}'
    return "\n".join([head, *texts, "</svg>\n"])


def casts() -> dict[str, str]:
    """Every picture by its name."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copytree(DOCS.parent / "samples", folder / "samples")
        return {f"{name}.svg": cast(shown(commands, folder)) for name, commands in CASTS.items()}


if __name__ == "__main__":
    (DOCS / "casts").mkdir(exist_ok=True)
    for name, text in casts().items():
        (DOCS / "casts" / name).write_text(text, encoding="utf-8", newline="\n")
