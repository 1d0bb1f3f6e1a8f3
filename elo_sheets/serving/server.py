"""The server itself: a port of this machine alone, a private folder, and an end at which both go."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from types import FrameType
from typing import TYPE_CHECKING

from elo_sheets.errors import UsageError, refusal
from elo_sheets.files.save import private_folder
from elo_sheets.serving.jobs import refused_by_system

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
        if error.name not in ("python_multipart", "starlette", "uvicorn"):
            raise  # a part of what is installed could not be loaded
        raise UsageError(
            f"serve needs the extra web ({error.name} is not installed): pip install 'elo-sheets[web]', or from a "
            "checkout pip install '.[web]'"
        ) from None
    with _listening(port) as listener, private_folder() as folder, _said_of_pages():
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
        server.capture_signals = nullcontext  # type: ignore[assignment, method-assign]
        told(f"http://{HOST}:{port}/")
        try:
            with asyncio.Runner() as runner, _ended_by_signals(server):
                runner.run(server.serve(sockets=[listener]))
        except KeyboardInterrupt:
            return
        finally:
            tempfile.tempdir = before


@contextmanager
def _ended_by_signals(server: uvicorn.Server) -> Iterator[None]:
    """Signals let the server end what it does; only then are they met: what they raise in its loop could be lost."""
    numbers = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK") if hasattr(signal, name)]
    before = {n: found for n in numbers if (found := signal.getsignal(n)) != signal.SIG_IGN}  # as nohup leaves it
    met: list[int] = []

    def end(number: int, frame: FrameType | None) -> None:
        met.append(number)
        server.handle_exit(number, frame)

    for number in before:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    if met:
        signal.raise_signal(met[0])


class _Said(logging.Handler):
    """What the system refused is a sentence, a fault of ours a traceback; the server's notes to itself are dropped."""

    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[1] if record.exc_info else None
        if sentence := refused_by_system(error):
            sys.stderr.write(f"elo-sheets: {sentence}\n")
        elif error is not None and logging.lastResort is not None:
            logging.lastResort.emit(record)


@contextmanager
def _said_of_pages() -> Iterator[None]:
    said, loggers = _Said(logging.WARNING), [logging.getLogger(name) for name in ("asyncio", "uvicorn.error")]
    for logger in loggers:
        logger.addHandler(said)
    try:
        yield
    finally:
        for logger in loggers:
            logger.removeHandler(said)


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
