"""The pages of the server: what to drop, what was read and guessed, the book, the verdict. They need no script."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from elo_sheets.serving.jobs import Job
from elo_sheets.serving.markup import Markup, el, join, table
from elo_sheets.serving.work import MOST_GAMES, MOST_PROBLEMS
from elo_sheets.verdict.findings import shown

TITLE = "elo-sheets"
MOST_FINDINGS = 100
LOGS = ".csv,.tsv,.txt,.pgn,.trf,.trfx,.json,.ndjson,.html,.htm,.xlsx,.xlsm,.xls,.ods,.zip,.gz,.bz2,.xz,.zst"
BOOKS = ".xlsx,.xlsm,.ods,.xls"
FIELDS = (
    ("profile", "Sport whose words the book uses", "profiles", "the guessed one, or White and Black"),
    (
        "template",
        "Kind of book",
        "templates",
        "journal where a player is named, event for a report with ratings, else league",
    ),
    ("system", "Rating system", "systems", "the first of the kind of book"),
    ("start", "What players start from", "starts", "as the system does"),
    ("dates", "Order in dates", "dates", "as the log shows"),
)
_TYPED = (
    ("player", "Player whose journal this is", "for a journal"),
    ("settings", "Settings", "such as k=40, initial=1000"),
    ("columns", "Which header holds which column", "such as white=Home, score=FTR"),
    ("sheet", "Sheet of a workbook", "by name or number"),
    ("pool", "Only games of this pool", "such as blitz"),
)
CHOICES = tuple(name for name, *_ in (*FIELDS, *_TYPED))


def document(title: str, *content: object, refresh: bool = False) -> str:
    """Return a whole page."""
    head = el(
        "head",
        el("meta", charset="utf-8"),
        el("meta", name="viewport", content="width=device-width, initial-scale=1"),
        el("meta", name="color-scheme", content="light dark"),
        el("meta", http_equiv="refresh", content="1") if refresh else None,
        el("title", title if title == TITLE else f"{title} – {TITLE}"),
        el("link", rel="icon", href="data:,"),
        el("link", rel="stylesheet", href="/style.css"),
    )
    links = [("/", "Drop a file"), ("/calculators", "Calculators")]
    body = el(
        "body",
        el("a", "To the content", class_="skip", href="#main"),
        el(
            "header",
            el("p", TITLE, class_="name"),
            el("nav", el("ul", [el("li", el("a", text, href=to)) for to, text in links]), aria_label="Pages"),
        ),
        el("main", el("h1", title), *content, id="main", tabindex="-1"),
        el("footer", el("p", "Everything happens on this machine: nothing is sent anywhere.")),
    )
    return "<!doctype html>\n" + el("html", head, body, lang="en")


def form(action: str, token: str, *content: object, **attributes: Any) -> Markup:
    """Return a form of this session."""
    hidden = el("input", type="hidden", name="token", value=token)
    return el("form", hidden, *content, action=action, method="post", **attributes)


def home(token: str, jobs: Sequence[Job], most: int) -> str:
    """Return the page on which files are dropped."""
    return document(
        "Drop a file",
        el(
            "div",
            _drop(
                "/logs",
                token,
                "A log becomes a book",
                "Games in any form: a table (CSV, Excel, LibreOffice), PGN, a tournament report, a saved page. "
                "What was read is shown first, with what was guessed.",
                ("logs", LOGS, True, "Logs of games"),
                "Read the games",
            ),
            _drop(
                "/book",
                token,
                "A book gets its verdict",
                "Any rating workbook, made by elo-sheets or not. It is recalculated, its games are replayed, and "
                "what is wrong is said and marked in a copy.",
                ("book", BOOKS, False, "Workbook"),
                "Check the book",
            ),
            class_="drops",
        ),
        el("p", f"Up to {most // 2**20} MiB at a time. Drag files onto a field, or choose them.", class_="note"),
        _listed(token, jobs),
    )


def _drop(action: str, token: str, title: str, about: str, file: tuple[str, str, bool, str], button: str) -> Markup:
    name, kinds, several, label = file
    return el(
        "section",
        el("h2", title, id=f"{name}-title"),
        el("p", about),
        form(
            action,
            token,
            el("label", label, for_=name),
            el("input", type="file", id=name, name=name, accept=kinds, multiple=several, required=True, class_="drop"),
            el("button", button, type="submit"),
            enctype="multipart/form-data",
        ),
        aria_labelledby=f"{name}-title",
    )


def _listed(token: str, jobs: Sequence[Job]) -> Markup | None:
    if not jobs:
        return None
    return el(
        "section",
        el("h2", "What you dropped"),
        el("ul", [el("li", el("a", ", ".join(job.files), href=f"/jobs/{job.name}")) for job in reversed(jobs)]),
        form("/forget", token, el("button", "Remove all of it now", type="submit", class_="quiet")),
        el("p", "It goes by itself when the server ends, and an hour after you last looked.", class_="note"),
    )


def working(job: Job, token: str) -> str:
    """Return the page that is shown while a job is worked on; it asks anew every second."""
    what = "Reading the games" if job.do == "logs" else "Checking the book"
    seconds = int(time.monotonic() - job.begun)
    return document(
        f"{what} …",
        el("p", ", ".join(job.files)),
        el("p", f"{seconds} s so far. This page goes on by itself.", role="status"),
        form(f"/jobs/{job.name}/stop", token, el("button", "Stop", type="submit", class_="quiet")),
        refresh=True,
    )


def failed(title: str, sentence: str, *more: object) -> str:
    """Return the page that says what was refused."""
    return document(title, el("p", sentence, class_="error", role="alert"), *more, el("p", el("a", "Back", href="/")))


# A log


def read(job: Job, token: str, offered: dict[str, Sequence[str]]) -> str:
    """Return what was read of logs: the counts, the rows left out, what was guessed, and what may be changed."""
    answer = job.answer or {}
    choose = _choices(job, token, offered)
    if "error" in answer:
        return document("The games could not be read", el("p", answer["error"], class_="error", role="alert"), choose)
    if job.is_wanted and answer["book"]:
        return _made(job, answer, choose)
    title = "What was read" if answer["book"] else "No game could be used"
    return document(title, _counts(answer), _guess(answer), choose, _details(answer))


def _made(job: Job, answer: dict[str, Any], choose: Markup) -> str:
    link = el("a", f"Download {job.stem}.xlsx", href=f"/jobs/{job.name}/book.xlsx", class_="button", download=True)
    return document(
        "The book is ready",
        el("p", link),
        _counts(answer),
        _guess(answer),
        el("details", el("summary", "Change something and make it again"), choose),
        _details(answer),
    )


def _counts(answer: dict[str, Any]) -> Markup:
    players = f" {answer['players']} players." if answer["players"] else ""
    counts = f"{answer['read']} read, {answer['kept']} kept, {answer['rejected']} left out."
    return el("p", counts + players, class_="big", role="status")


def _guess(answer: dict[str, Any]) -> Markup | None:
    if not answer.get("system"):
        return None
    words = answer["profile"] or "none: White and Black"
    rows = [("Kind of book", answer["template"]), ("Rating system", answer["system"]), ("Profile", words)]
    return el("dl", [(el("dt", name), el("dd", value)) for name, value in rows])


def _details(answer: dict[str, Any]) -> Markup:
    problems, notes = answer["problems"], answer["notes"]
    more = answer["rejected"] - len(problems)
    return join(
        table(
            f"Rows left out, the first {MOST_PROBLEMS} of {answer['rejected']}" if more > 0 else "Rows left out",
            ["file", "row", "column", "value", "why"],
            problems,
        )
        if problems
        else None,
        [
            el("h2", "Remarks"),
            el("ul", [el("li", note) for note in notes]),
            el("p", "What begins with -- is an option of the command; here it is a field above.", class_="note"),
        ]
        if notes
        else None,
        table(f"The first games, of {answer['kept']}" if answer["kept"] > MOST_GAMES else "The games",
              answer["headers"], answer["games"])
        if answer["games"]
        else None,
        el(
            "details",
            el("summary", "Settings of the rating system"),
            table("Settings", ["setting", "value", "from"], answer["settings"]),
        )
        if answer["settings"]
        else None,
    )  # fmt: skip


def _choices(job: Job, token: str, offered: dict[str, Sequence[str]]) -> Markup:
    questions = (job.answer or {}).get("questions") or []
    fields = [_select(job, name, label, offered[of], unless) for name, label, of, unless in FIELDS]
    typed = [_input(job, name, label, hint) for name, label, hint in _TYPED]
    able = "error" in (job.answer or {}) or bool((job.answer or {}).get("book"))
    return form(
        f"/jobs/{job.name}",
        token,
        _names(questions),
        el("fieldset", el("legend", "What may be changed"), el("div", fields, typed, class_="fields")),
        el("button", "Make the book", type="submit", name="do", value="make") if able else None,
        el("button", "Read it again", type="submit", name="do", value="read", class_="quiet"),
    )


def _select(job: Job, name: str, label: str, values: Sequence[str], unless: str) -> Markup:
    chosen = job.choices.get(name, "")
    options = [el("option", text, value=value, selected=value == chosen)
               for value, text in [("", "– not chosen –"), *((one, one) for one in values)]]  # fmt: skip
    box = el("select", options, id=name, name=name, aria_describedby=f"{name}-hint")
    hint = el("small", f"if not chosen: {unless}", id=f"{name}-hint")
    return el("div", el("label", label, for_=name), box, hint, class_="field")


def _input(job: Job, name: str, label: str, hint: str) -> Markup:
    box = el(
        "input", id=name, name=name, value=job.choices.get(name, ""), maxlength="500", aria_describedby=f"{name}-hint"
    )
    return el("div", el("label", label, for_=name), box, el("small", hint, id=f"{name}-hint"), class_="field")


def _names(questions: Sequence[dict[str, Any]]) -> Markup | None:
    if not questions:
        return None
    return el(
        "fieldset",
        el("legend", f"Names to settle ({len(questions)})"),
        el("p", "These may be one person. Until it is said, each name is a player of its own.", class_="note"),
        [_question(number, one) for number, one in enumerate(questions)],
    )


def _question(number: int, one: dict[str, Any]) -> Markup:
    first, *others = one["names"]
    options = [("", "not settled"), *((name, f"one person: {name}") for name in (first, *others)),
               ("different", "different people")]  # fmt: skip
    chosen = [el("option", text, value=str(at - 1), selected=value == one.get("answer", ""))
              for at, (value, text) in enumerate(options)]  # fmt: skip
    name = f"answer{number}"
    return el(
        "div",
        el("label", " / ".join(one["names"]), for_=name),
        el("select", chosen, id=name, name=name, aria_describedby=f"{name}-hint"),
        el("small", one.get("evidence", ""), id=f"{name}-hint"),
        class_="field",
    )


def answers_of(questions: Sequence[dict[str, Any]], given: dict[str, str]) -> list[str]:
    """Return the answers to questions about names, chosen by their place in the list; what is none is no answer."""
    found = []
    for number, one in enumerate(questions):
        options = ["", *one["names"], "different"]
        place = given.get(f"answer{number}", "-1")
        at = int(place) + 1 if place.lstrip("-").isdecimal() else 0
        found.append(options[at] if 0 <= at < len(options) else "")
    return found


# A book

_WORDS = {
    "agrees": "The book agrees",
    "differs": "The book differs",
    "unchecked": "The book could not be checked",
}


def verdict(job: Job) -> str:
    """Return the verdict on a book, with what each kind of finding means."""
    answer = job.answer or {}
    if "error" in answer:
        return failed("The book could not be checked", answer["error"])
    said, findings = answer["verdict"], answer["verdict"]["findings"]
    games = said["games"]
    told = [
        said["reason"],
        f"{said['cells_checked']} formula cells compared, recalculated by {said['engine']['name']} "
        f"{said['engine']['version']}. {games['listed']} games listed, {games['rated']} rated.",
        f"Layout: {said['layout']}" + (f", system {said['system']}" if said["system"] else "")
        if said["layout"]
        else None,
    ]
    link = answer["marked"] and el(
        "a", "Download the marked copy", href=f"/jobs/{job.name}/marked", class_="button", download=True
    )
    first = findings[:MOST_FINDINGS]
    return document(
        _WORDS[said["status"]],
        el("p", ", ".join(job.files), class_="big"),
        [el("p", text) for text in told if text],
        el("p", link) if link else None,
        [el("p", note, class_="note") for note in answer["notes"]],
        el("h2", f"Findings ({len(findings)})") if findings else None,
        [_finding(one, answer["rules"][one["code"]]) for one in first],
        el("p", f"… and {len(findings) - len(first)} more in the text below.") if len(findings) > len(first) else None,
        el(
            "details", el("summary", "As the command says it"), el("pre", answer["text"], class_="scroll", tabindex="0")
        ),
    )


def _finding(one: dict[str, Any], rule: dict[str, Any]) -> Markup:
    facts = [
        ("should be", one["fix"]),
        ("found", shown(one["found"])),
        ("expected", shown(one["expected"])),
        ("effect", f"{one['effect']:+.4g} rating points" if one["effect"] else None),
        ("how sure", one["confidence"]),
    ]
    return el(
        "article",
        el("h3", one["range"] or "The whole book", " ", el("span", one["severity"], class_=f"tag {one['severity']}")),
        el("p", one["message"]),
        el("dl", [(el("dt", name), el("dd", value)) for name, value in facts if value not in (None, "nothing")]),
        el(
            "details",
            el("summary", f"{one['code']} {one['name']}: what it means, what to do"),
            [el("p", rule[part]) for part in ("meaning", "why", "remedy")],
        ),
    )
