"""Write docs/findings.md: every kind of finding of `validate`, with its example, from the table that `rules` prints."""

from __future__ import annotations

from pathlib import Path

from elo_sheets.verdict.findings import RULES, Rule
from elo_sheets.verdict.rules import EXAMPLE

PAGE = Path(__file__).with_name("findings.md")

HEAD = """\
# The kinds of findings

This page is made by `python docs/make_findings.py` from what `elo-sheets rules CODE` prints.
`elo-sheets validate BOOK.xlsx` names findings by these codes, says where they are and what they cost, and
`--annotate COPY.xlsx` marks them in a copy of the book; `--ignore ES4,volatile` leaves kinds out. Where an example has
two formulas, a test computes both.
"""

GROUPS = {
    "ES1": "Formulas that say something else than the rule",
    "ES2": "Cells that are typed over, missing, or out of step",
    "ES3": "Stored results",
    "ES4": "What was typed",
    "ES5": "The book as a whole",
    "ES9": "What is left",
}


def section(rule: Rule) -> str:
    """What is said of one kind."""
    lines = [f"{name}  {text}" for name in EXAMPLE if (text := getattr(rule, name))]
    block = ["```text", *lines, "```", ""] if lines else []
    meaning = f"{rule.meaning[0].upper()}{rule.meaning[1:]}."
    remedy = f"**What to do.** {rule.remedy}"
    return "\n".join([f"### {rule.code} {rule.name}", "", meaning, "", *block, rule.why, "", remedy, ""])


def page() -> str:
    """The whole page."""
    parts = [HEAD]
    for start, title in GROUPS.items():
        parts.append(f"## {title}\n")
        parts += [section(rule) for code, rule in RULES.items() if code.startswith(start)]
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8", newline="\n")
