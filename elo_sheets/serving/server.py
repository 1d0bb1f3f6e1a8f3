"""The server itself: a port of this machine alone, a private folder, and an end at which both go."""

from __future__ import annotations

import os
import signal
import socket
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING

from elo_sheets.errors import UsageError, refusal
from elo_sheets.files.save import private_folder

if TYPE_CHECKING:
    import uvicorn

HOST = "127.0.0.1"


def serve(port: int, timeout: float, told: Callable[[str], None]) -> None:
    """Serve the pages until the process is interrupted; `told` hears of their address once they can be opened.

    Raises `UsageError` where the extra `web` is not installed, and for a port that is taken or not allowed.
    """
    try:
        import python_multipart  # noqa: F401 - what takes the files out of a form
        import uvicorn

        from elo_sheets.serving.app import app
    except ImportError as error:
        raise UsageError(
            f"serve needs the extra web ({error.name} is not installed): pip install 'elo-sheets[web]', or from a "
            "checkout pip install '.[web]'"
        ) from None
    with _listening(port) as listener, private_folder() as folder:
        port = listener.getsockname()[1]
        before, tempfile.tempdir = tempfile.tempdir, str(folder)  # where a form's files stand until they are kept
        config = uvicorn.Config(
            app(folder, port, timeout),
            log_config=None,
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=1,
            lifespan="on",
            ws="none",
        )
        server = uvicorn.Server(config)
        told(f"http://{HOST}:{port}/")
        try:
            with _ended_by_hang_up(server):
                server.run(sockets=[listener])
        except KeyboardInterrupt:
            return
        finally:
            tempfile.tempdir = before


@contextmanager
def _ended_by_hang_up(server: uvicorn.Server) -> Iterator[None]:
    """A closed terminal ends the server as Ctrl-C does: what a signal raises in its loop could be lost there."""
    number = getattr(signal, "SIGHUP", None)
    if number is None or signal.getsignal(number) == signal.SIG_IGN:  # as nohup leaves it
        yield
        return
    met: list[int] = []

    def end(signal_number: int, frame: FrameType | None) -> None:
        met.append(signal_number)
        server.handle_exit(signal_number, frame)

    before = signal.signal(number, end)
    try:
        yield
    finally:
        signal.signal(number, before)
    if met:
        signal.raise_signal(number)


def _listening(port: int) -> socket.socket:
    """Return a socket that listens on a port of this machine, for this machine."""
    listener = socket.socket()
    if os.name == "posix":  # a port that has just been left may be taken again; elsewhere this would share it
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((HOST, port))
        listener.listen()
    except OSError as error:
        listener.close()
        reason, _ = refusal(error)
        another = port + 1 if port < 65535 else 8000
        raise UsageError(f"port {port} cannot be used: {reason}; give another one, such as --port {another}") from None
    return listener
