"""The measured table: what must be 0 first."""

from __future__ import annotations

from collections.abc import Sequence

from .measure import Outcome
from .mistakes import SCOPES

INTRODUCTION = (
    "Rating workbooks as other people build them, by hands that do not know how `validate` recognises anything:",
    "right, with the numbers of an independent computation, and wrong in one cell, a block, from a row on to the end,",
    "a whole column, or what was typed. Languages, places, names, results, K, spellings and the rows that are no",
    "games (blanks, headings, subtotals, byes, friendlies, bonuses) are drawn anew for each seed. A layout is",
    "recognised where its sound book of the same seed agrees.",
    "`python -m tests.wild --seeds 1-5 --out docs/wild.md` measures such a page.",
)


def _share(part: int, whole: int) -> str:
    return f"{part} of {whole} ({100 * part / whole:.1f} %)" if whole else "–"


def convicted(outcome: Outcome) -> bool:
    return outcome.scope == "sound" and outcome.status not in ("agrees", "unchecked")


def page(outcomes: Sequence[Outcome], title: str = "Books that others made") -> str:
    """Return the measurements as Markdown: the two goals of 0, recall by scope, fixes, layouts, and what fails."""
    sound = [each for each in outcomes if each.scope == "sound"]
    wrong = [each for each in outcomes if each.scope != "sound"]
    known = [each for each in wrong if each.recognised]
    errors = sum(each.fixes for each in wrong)
    lines = [
        f"# {title}",
        "",
        *INTRODUCTION,
        "",
        f"{len(outcomes)} books, {len({each.layout for each in outcomes})} layouts, "
        f"seeds {', '.join(map(str, sorted({each.seed for each in outcomes})))}.",
        "",
        "| | | goal |",
        "| --- | --- | --- |",
        f"| wrong books called `agrees` | {_share(sum(e.status == 'agrees' for e in wrong), len(wrong))} | 0 |",
        f"| sound books convicted | {_share(sum(map(convicted, sound)), len(sound))} | 0 |",
        f"| sound books left `unchecked` | {_share(sum(e.status == 'unchecked' for e in sound), len(sound))} | |",
        f"| crashes, refusals, books too slow | "
        f"{sum(e.status in ('crash', 'refused', 'too slow') for e in outcomes)} | 0 |",
        "| wrong books with a finding in a wrong cell, recognised layouts | "
        f"{_share(sum(e.hit for e in known), len(known))} | 97 % |",
        "| wrong books with a finding in a wrong cell, over all | "
        f"{_share(sum(e.hit for e in wrong), len(wrong))} | 95 % |",
        "| errors whose proposed formula puts the cell right | "
        f"{_share(sum(e.right_fixes for e in wrong), errors)} | all |",
        f"| errors in wrong books that meet no wrong cell | {sum(e.astray for e in wrong)} of "
        f"{sum(e.errors for e in wrong)} | 0 |",
        "",
        "| scope | recognised: found | wrong cells covered | over all: found | called `agrees` |",
        "| --- | --- | --- | --- | --- |",
    ]
    for scope in SCOPES:
        all_of, of_known = ([e for e in some if e.scope == scope] for some in (wrong, known))
        lines.append(
            f"| {scope} | {_share(sum(e.hit for e in of_known), len(of_known))} | "
            f"{_share(sum(e.covered for e in of_known), sum(e.wrong for e in of_known))} | "
            f"{_share(sum(e.hit for e in all_of), len(all_of))} | {sum(e.status == 'agrees' for e in all_of)} |"
        )
    lines += [
        "",
        "| layout | sound: agrees | convicted | wrong: found | called `agrees` | fixes right |",
        "| --- " * 6 + "|",
    ]
    for layout in dict.fromkeys(each.layout for each in outcomes if not each.layout.startswith("spelt")):
        mine = [each for each in sound if each.layout == layout]
        bad = [each for each in wrong if each.layout == layout]
        lines.append(
            f"| {layout} | {sum(e.status == 'agrees' for e in mine)} of {len(mine)} | {sum(map(convicted, mine))} | "
            f"{sum(e.hit for e in bad)} of {len(bad)} | {sum(e.status == 'agrees' for e in bad)} | "
            f"{sum(e.right_fixes for e in bad)} of {sum(e.fixes for e in bad)} |"
        )
    spelt = [each for each in sound if each.layout.startswith("spelt")]
    if spelt:
        agree = sum(each.status == "agrees" for each in spelt)
        lines += ["", f"Spellings of results and curves: {_share(agree, len(spelt))} agree, "]
        lines[-1] += f"{sum(map(convicted, spelt))} are convicted."
    return "\n".join(lines) + "\n"


def failures(outcomes: Sequence[Outcome]) -> str:
    """Return what fails, worst first, one book a line."""
    wrong = [each for each in outcomes if each.scope != "sound"]
    sound = [each for each in outcomes if each.scope == "sound"]
    groups = {
        "Wrong books called `agrees`": [(e, "") for e in wrong if e.status == "agrees"],
        "Sound books convicted": [(e, _first(e)) for e in sound if convicted(e)],
        "Crashes, refusals, too slow": [
            (e, e.reason[:200]) for e in outcomes if e.status in ("crash", "refused", "too slow")
        ],
        "Sound books left `unchecked`": [(e, e.reason[:200]) for e in sound if e.status == "unchecked"],
        "Errors with a wrong fix": [(e, "; ".join(e.bad_fixes)[:300]) for e in wrong if e.bad_fixes],
        "Wrong books without a finding in a wrong cell (recognised, not called `agrees`)": [
            (e, f"{e.status} {e.reason[:80]} {_first(e)}")
            for e in wrong
            if not e.hit and e.recognised and e.status != "agrees"
        ],
        "Wrong books without a finding in a wrong cell (layout not recognised)": [
            (e, f"{e.status} {e.reason[:80]} {_first(e)}")
            for e in wrong
            if not e.hit and not e.recognised and e.status != "agrees"
        ],
    }
    lines = []
    for title, members in groups.items():
        lines += ["", f"## {title}: {len(members)}", ""]
        lines += [f"- {e.layout}, seed {e.seed}, {e.name} – {text}" for e, text in members]
    return "\n".join(lines) + "\n"


def _first(outcome: Outcome) -> str:
    some = [f"{f.code} {f.severity} {f.range}: {f.message[:120]}" for f in outcome.findings if f.severity != "note"]
    return " | ".join(some[:2])
