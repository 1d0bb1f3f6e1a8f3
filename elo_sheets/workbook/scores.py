"""A score that is typed as a result, such as 3-1 or "21-15, 18-21, 21-19", taken apart in columns of the Ledger."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from elo_sheets.workbook.sports.profiles import CANONICAL, NO_DRAWS, TIDIED, WIDE, Words

WRITTEN = "Written"


def labels(number: int) -> tuple[str, str]:
    """Return the headers of a set's two columns: what is typed of it, and who won it."""
    return f"Set {number}", f"Set {number} won"


def score_columns(words: Words) -> Iterator[dict[str, Any]]:
    """Yield the columns of the Ledger that a sport's scores need, as a template says them."""
    if not words.scores:
        return
    about = "The result as typed, with one sign between two numbers and commas between sets."
    yield {"label": WRITTEN, "role": "written", "style": "text", "width": 16, "about": about}
    for k in range(1, words.scores + 1):
        part, won = labels(k)
        what = "The score" if words.scores == 1 else f"Set {k} of the score, or the sets won where it is the only one"
        yield {"label": part, "role": f"set:{k}", "style": "text", "width": 9, "about": f"{what}, as typed."}
        about = f"1 where {words.sides[0]} has more, -1 where {words.sides[1]} has; empty where it is no score."
        yield {"label": won, "role": f"won:{k}", "style": "number", "width": 10, "about": about}


def tidied_cell(cell: str) -> str:
    """Return the formula of what `tidied` gives for a cell."""
    found = f"TRIM({cell})"
    for old, new in TIDIED:
        found = f'SUBSTITUTE({found},"{old}","{new}")'
    return found


def part_formulas(words: Words) -> dict[str, str]:
    """Return the formulas of the columns behind the written score, by role."""
    found = {}
    for k in range(1, words.scores + 1):
        part, _ = labels(k)
        text = f'SUBSTITUTE([{WRITTEN}],",",REPT(" ",{WIDE}))'
        taken = f"TRIM(MID({text},{WIDE * (k - 1) + 1},{WIDE}))" if words.scores > 1 else f"[{WRITTEN}]"
        found[f"set:{k}"] = f'LEFT({taken},FIND("(",{taken}&"(")-1)'
        own = f'LEFT([{part}],FIND("-",[{part}])-1)'
        other = f'MID([{part}],FIND("-",[{part}])+1,{WIDE})'
        tests = ",".join(f'LEN({one})<4,VALUE({one})>=0,TEXT(VALUE({one}),"0")={one}' for one in (own, other))
        found[f"won:{k}"] = f'IF([{part}]="","",IFERROR(IF(AND({tests}),SIGN(VALUE({own})-VALUE({other})),""),""))'
    return found


def scored(words: Words, results: Sequence[str] = CANONICAL) -> str:
    """Return the formula of what a score says, one of `results`, with `{}` for what is done with another text."""
    if not words.scores:
        return "{}"
    won = ",".join(f"[{labels(k)[1]}]" for k in range(1, words.scores + 1))
    sets = f'LEN([{WRITTEN}])-LEN(SUBSTITUTE([{WRITTEN}],",",""))+1'
    first, draw, other = results
    said = f'IF(SUM({won})>0,"{first}",IF(SUM({won})<0,"{other}","{draw if words.draws else NO_DRAWS}"))'
    return f"IF(COUNT({won})={sets},{said},{{}})"
