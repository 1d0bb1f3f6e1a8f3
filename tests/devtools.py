"""Chromium without a window, driven by its own protocol over a pipe: what a person does with a page."""

from __future__ import annotations

import base64
import fcntl
import json
import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from elo_sheets.page.browser import find_browser

WAIT = 60.0
LEFT = "Inspected target navigated or closed"  # what the browser answers where the page goes while it is asked


class PageLeft(Exception):
    """The page was left before it could answer."""


class Tab:
    """A page that is open."""

    def __init__(self, read: int, write: int) -> None:
        self._in, self._out = os.fdopen(read, "rb"), os.fdopen(write, "wb")
        self._number, self._session, self._held = 0, "", b""
        self.requests: list[str] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "DOM", "Network"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **given: Any) -> dict[str, Any]:
        """Call the browser, and return its answer."""
        self._number += 1
        asked: dict[str, Any] = {"id": self._number, "method": method, "params": given}
        if self._session and not method.startswith(("Target.", "Browser.")):
            asked["sessionId"] = self._session
        self._out.write(json.dumps(asked).encode() + b"\0")
        self._out.flush()
        while (told := self._next()).get("id") != self._number:
            pass
        if told.get("error", {}).get("message") == LEFT:
            raise PageLeft(method)
        assert "error" not in told, (method, told["error"])
        result: dict[str, Any] = told["result"]
        return result

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._held:
            more = os.read(self._in.fileno(), 2**16)
            assert more, "the browser has ended"
            self._held += more
        text, _, self._held = self._held.partition(b"\0")
        told: dict[str, Any] = json.loads(text)
        if told.get("method") == "Network.requestWillBeSent":
            self.requests.append(told["params"]["request"]["url"])
        return told

    def run(self, script: str) -> Any:
        """What an expression of the page gives, once nothing is being loaded; the page may be on its way to another."""
        done = self.call("Runtime.evaluate", expression=script, returnByValue=True, userGesture=True)
        assert "exceptionDetails" not in done, done
        return done["result"].get("value")

    def until(self, script: str) -> Any:
        """Wait until an expression of the page is true; while it is asked the page may be left for the next one."""
        end = time.monotonic() + WAIT
        while True:
            with suppress(PageLeft):
                if found := self.run(script):
                    return found
                assert time.monotonic() < end, (script, self.run("document.body.innerText"))
            time.sleep(0.1)

    def open(self, address: str) -> None:
        """Go to a page, and wait until it is there."""
        self.call("Page.navigate", url=address)
        self.until("document.readyState==='complete' && location.href!=='about:blank'")

    def drop(self, field: str, *paths: Path) -> None:
        """Give files to a field, as a drop on it does."""
        root = self.call("DOM.getDocument")["root"]["nodeId"]
        node = self.call("DOM.querySelector", nodeId=root, selector=field)["nodeId"]
        self.call("DOM.setFileInputFiles", nodeId=node, files=[str(path) for path in paths])

    def press(self, text: str) -> None:
        """Press the button or follow the link that says this."""
        self.run(f"[...document.querySelectorAll('button,a')].find(e=>e.textContent==={json.dumps(text)}).click()")

    def look(self, width: int, height: int = 900, dark: bool = False) -> None:
        """Show the page on a screen of this width, in light or dark colours."""
        self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 500
        )
        features = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.call("Emulation.setEmulatedMedia", features=features)

    def picture(self, path: Path) -> None:
        """Keep what the page looks like."""
        shot = self.call("Page.captureScreenshot", captureBeyondViewport=True)
        path.write_bytes(base64.b64decode(shot["data"]))

    def close(self) -> None:
        """Close the pipe."""
        self._in.close()
        self._out.close()


@contextmanager
def browser(folder: Path) -> Iterator[Tab]:
    """A tab of a new browser, whose profile and downloads stand in the folder, and which reaches this machine alone."""
    theirs, write = os.pipe()
    read, ours = os.pipe()
    spare = [fcntl.fcntl(fd, fcntl.F_DUPFD, 20) for fd in (theirs, ours)]

    def numbered() -> None:
        for fd, number in zip(spare, (3, 4), strict=True):
            os.dup2(fd, number)

    root = ["--no-sandbox"] if os.geteuid() == 0 else []
    command = [
        *(str(find_browser()), "--headless", "--disable-gpu", "--no-first-run", "--remote-debugging-pipe", *root),
        *(f"--user-data-dir={folder / 'profile'}", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"),
    ]
    with subprocess.Popen(
        command, preexec_fn=numbered, pass_fds=(3, 4), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        for fd in (theirs, ours, *spare):
            os.close(fd)
        tab = Tab(read, write)
        try:
            tab.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(folder))
            yield tab
        finally:
            tab.close()
            process.terminate()
            process.wait(20)
