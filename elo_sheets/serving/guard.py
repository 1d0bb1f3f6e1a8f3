"""What stands before every page: who may ask, from where, and how much; and what a browser may do with the answer."""

from __future__ import annotations

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

POLICY = (
    "default-src 'none'; style-src 'self'; img-src data:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class Guard:
    """Lets through what this machine's browser asks of this server by its own name, up to `most` bytes.

    A page elsewhere that points a name of its own at this machine is told by the name, and one that sends a form by
    where it comes from.
    """

    def __init__(self, app: ASGIApp, port: int, most: int) -> None:
        self.app, self.most = app, most
        self.hosts = [f"{name}:{port}" for name in ("127.0.0.1", "localhost")]
        self.hosts += ["127.0.0.1", "localhost"] if port == 80 else []

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            return
        sender = _with_headers(send)
        refused = self._refusal(scope["method"], Headers(scope=scope))
        if refused is None:
            await self.app(scope, self._counted(receive), sender)
            return
        code, sentence = refused
        await PlainTextResponse(f"elo-sheets: {sentence}\n", code)(scope, receive, sender)

    @property
    def _too_much(self) -> tuple[int, str]:
        return 413, f"more than {self.most // 2**20} MiB were sent: drop fewer or smaller files"

    def _refusal(self, method: str, headers: Headers) -> tuple[int, str] | None:
        host = headers.get("host", "")
        if host not in self.hosts:
            return 421, f"this server answers as {self.hosts[0]} only, and was asked as {host!r}: open that address"
        if method not in ("GET", "HEAD", "POST"):
            return 405, f"{method} is not taken here"
        if method != "POST":
            return None
        origin, site = headers.get("origin"), headers.get("sec-fetch-site", "same-origin")
        if site not in ("same-origin", "none") or (origin is not None and origin != f"http://{host}"):
            return 403, "this form was sent by another page: open this one and send it from there"
        size = headers.get("content-length", "0")
        return self._too_much if not size.isdecimal() or int(size) > self.most else None

    def _counted(self, receive: Receive) -> Receive:
        got = 0

        async def counted() -> Message:
            nonlocal got
            message = await receive()
            got += len(message.get("body", b""))
            if got > self.most:
                raise HTTPException(*self._too_much)
            return message

        return counted


def _with_headers(send: Send) -> Send:
    async def sender(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
        await send(message)

    return sender
