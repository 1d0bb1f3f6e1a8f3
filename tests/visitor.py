"""A visitor of `serve`: opens the page, drops a log, takes the book and ends the server."""

from __future__ import annotations

import http.client
import os
import re
import signal
import time
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

PATIENCE = 30.0  # seconds for one step
BOUNDARY = "of-the-form"
NAMED = re.compile(r"http://127\.0\.0\.1:(\d+)/")


class _Refused(Exception):
    """The server answered with a page that is none of those that were asked for."""


def has_ended(pid: int) -> bool:
    return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def _comes(pid: int, ready: Callable[[], object], patience: float = PATIENCE) -> bool:
    """Wait for what `ready` tells of, at most until the server has ended; whether it came."""
    end = time.monotonic() + patience
    while not (came := ready()) and time.monotonic() < end and not has_ended(pid):
        time.sleep(0.02)
    return bool(came)


def visit(pid: int, printed: Path, log: bytes) -> str:
    """What a visitor saw of the server that runs as `pid` and prints its address into a file, and of its end."""
    seen = ["nothing"]
    if _comes(pid, lambda: NAMED.search(printed.read_text("utf-8"))):
        port = int(NAMED.findall(printed.read_text("utf-8"))[0])
        seen = [_made(port, log)]
        _comes(pid, lambda: seen == ["a book"], 1.0)  # a server that could not go on may not have ended yet
        if seen != ["a book"] and not has_ended(pid):  # one fault is not two: the next visitor gets a book
            seen += [_made(port, log)]
    if not has_ended(pid):
        os.kill(pid, signal.SIGINT)
    if not _comes(pid, lambda: has_ended(pid)) and not has_ended(pid):
        os.kill(pid, signal.SIGKILL)
        seen += ["a server that does not end"]
    return ", then ".join(seen)


def _made(port: int, log: bytes) -> str:
    """What came of one visit: a book, a sentence, a lost connection."""
    try:
        return _dropped(port, log)
    except _Refused as page:
        return str(page)
    except (OSError, http.client.HTTPException):
        return "a lost connection"


def _dropped(port: int, log: bytes) -> str:
    home, headers = _ask(port, "GET", "/")
    token = re.findall(r'name="token" value="(\w+)"', home)
    cookie = headers["set-cookie"].partition(";")[0]
    fields = {"token": token[0].encode(), 'logs"; filename="league.csv': log}
    parts = [
        f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n'.encode() + value + b"\r\n"
        for name, value in fields.items()
    ]
    kind = {"Cookie": cookie, "Content-Type": f"multipart/form-data; boundary={BOUNDARY}"}
    _, headers = _ask(port, "POST", "/logs", b"".join([*parts, f"--{BOUNDARY}--\r\n".encode()]), kind)
    job, end = headers["location"], time.monotonic() + PATIENCE
    while 'http-equiv="refresh"' in (page := _ask(port, "GET", job, more=kind)[0]) and time.monotonic() < end:
        time.sleep(0.1)
    if "What was read" not in page:
        raise _Refused(_sentence(page))
    book, _ = _ask(port, "GET", f"{quote(job)}/book.xlsx", more=kind)
    return "a book" if book.startswith("PK") else "half a book"


def _ask(
    port: int, method: str, path: str, body: bytes | None = None, more: dict[str, str] | None = None
) -> tuple[str, http.client.HTTPMessage]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE / 3)
    try:
        connection.request(method, path, body, more or {})
        answer = connection.getresponse()
        text = answer.read().decode("utf-8", "replace")
    finally:
        connection.close()
    if answer.status >= 400:
        raise _Refused(_sentence(text))
    return text, answer.msg


def _sentence(page: str) -> str:
    """Whether a page says in a sentence with a remedy why something did not work."""
    said = re.search(r'class="error"[^>]*>([^<]+)<|^elo-sheets: (.+)$', page, re.M)
    told = (said[1] or said[2]) if said else ""
    return "a sentence" if re.search("[;:]", told) else f"no sentence with a remedy but {told or page[:200]!r}"
