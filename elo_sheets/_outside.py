"""What the system does to a command: errors, signals, closed and broken streams, names that are terminal codes.

Each becomes one sentence with what would help, and an exit code. Only the standard library is imported here, and
what loads little of it, so that a command can say that the rest could not be loaded.
"""

from __future__ import annotations

import errno
import io
import os
import re
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, TextIO, cast

from elo_sheets.errors import EloSheetsError, OutputRefused, refusal

# Codes that a terminal obeys or that turn the order of letters, without the tabulator and the line's end.
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
_QUIET = ("SIGTERM", "SIGHUP")
_UNREAD = (errno.EPIPE, errno.EINVAL) if sys.platform == "win32" else (errno.EPIPE,)


class Stopped(BaseException):
    """The process was asked to end, by the signal `number`."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


# --- signals ------------------------------------------------------------------------------------------------

_undisturbed = 0
_waiting: BaseException | None = None


def _stop(number: int, _frame: object) -> None:
    """End the run by an exception, so that what it made is removed; what comes while that is done is ignored."""
    global _waiting
    ignore_signals()
    stop = KeyboardInterrupt() if number == signal.SIGINT else Stopped(number)
    if _undisturbed:
        _waiting = stop
        return
    raise stop


@contextmanager
def undisturbed() -> Iterator[None]:
    """Signals wait until the end of this block."""
    global _undisturbed, _waiting
    _undisturbed += 1
    try:
        yield
    finally:
        _undisturbed -= 1
    if _waiting is not None and not _undisturbed:
        stop, _waiting = _waiting, None
        raise stop


def _signals() -> Iterator[int]:
    return (getattr(signal, name) for name in ("SIGINT", *_QUIET) if hasattr(signal, name))


def _catch_signals() -> None:
    for number in _signals():
        if signal.getsignal(number) != signal.SIG_IGN:  # as nohup leaves it
            signal.signal(number, _stop)


def ignore_signals() -> None:
    """From now on nothing interrupts: the run ends anyway."""
    for number in _signals():
        signal.signal(number, signal.SIG_IGN)


# --- streams ------------------------------------------------------------------------------------------------


def visible(text: str) -> str:
    """A text whose control characters are written out.

    >>> visible("Player 1\\x1b[2J")
    'Player 1\\\\u001b[2J'
    """
    return _CONTROLS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


class _Printed(io.TextIOWrapper):
    """A standard stream: control characters are shown, a pipe that nobody reads any more takes everything."""

    guarded = True
    under: io.TextIOWrapper  # which closes the buffer of both when nobody holds it
    lost: OutputRefused | None = None  # why what was printed did not arrive

    def write(self, text: str) -> int:
        clear_progress()
        with self._met():
            super().write(visible(text) if self.guarded else text)
        return len(text)

    def flush(self) -> None:
        with self._met():
            super().flush()
        if self.lost is not None:  # once more, as click tries streams out and hears no error
            raise self.lost

    @contextmanager
    def _met(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            _point_nowhere(self.fileno())
            if self.fileno() != 2 and error.errno not in _UNREAD:  # that messages are lost can be told nobody
                reason, remedy = refusal(error)
                self.lost = OutputRefused(f"cannot write to the standard output: {reason}; {remedy}")


def _point_nowhere(descriptor: int) -> None:
    """What is still to be printed goes nowhere, so that the end of the process does not fail by it once more."""
    with suppress(OSError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, descriptor)
        os.close(nowhere)


@contextmanager
def unguarded(out: TextIO | None = None) -> Iterator[None]:
    """What is printed to the stream, the standard output unless given, is printed as it is meanwhile."""
    out = out or sys.stdout
    if isinstance(out, _Printed):
        out.guarded = False
    try:
        yield
    finally:
        if isinstance(out, _Printed):
            out.guarded = True


_COLOURS = {"red": "\x1b[31m", "green": "\x1b[32m", "yellow": "\x1b[33m"}


def has_colour(stream: TextIO) -> bool:
    """Whether what is printed to a stream may have colours: a terminal's that knows them, unless `NO_COLOR` is set."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return stream.isatty() and (sys.platform != "win32" or "WT_SESSION" in os.environ)


def say_coloured(stream: TextIO, word: str, colour: str, rest: str) -> None:
    """Print a word in a colour, where the stream has colours, and the rest without."""
    if has_colour(stream):
        with unguarded(stream):
            stream.write(f"{_COLOURS[colour]}{word}\x1b[0m")
        stream.write(rest)
    else:
        stream.write(word + rest)
    stream.flush()


_progress = 0  # the width of the line that shows it


def show_progress(text: str) -> None:
    """Show how far a command is on the terminal of its messages; the next thing printed takes its place."""
    global _progress
    clear_progress()
    _progress = len(text)
    _to_terminal(text)


def clear_progress() -> None:
    """Take away what shows how far a command is."""
    global _progress
    width, _progress = _progress, 0
    if width:
        _to_terminal(f"\r{' ' * width}\r")


def _to_terminal(text: str) -> None:
    with suppress(OSError):
        os.write(2, text.encode("utf-8", "replace"))


def _open_streams() -> None:
    """Give the closed standard streams a place that refuses, so that no file of ours takes their numbers."""
    for number, name, flags in ((0, "stdin", os.O_WRONLY), (1, "stdout", os.O_RDONLY), (2, "stderr", os.O_WRONLY)):
        if getattr(sys, name) is None:
            with suppress(OSError):
                if os.open(os.devnull, flags) == number:
                    mode = "r" if number == 0 else "w"
                    setattr(sys, name, open(number, mode, encoding="utf-8", closefd=False))  # noqa: SIM115
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if isinstance(stream, io.TextIOWrapper):
            setattr(sys, name, _guarded(stream))


def _guarded(stream: io.TextIOWrapper) -> TextIO:
    how: dict[str, Any] = {
        "encoding": stream.encoding,
        "errors": stream.errors,
        "line_buffering": stream.line_buffering,
        "write_through": stream.write_through,
    }
    printed = _Printed(stream.buffer, **how)
    printed.under = stream
    return cast(TextIO, printed)


# --- the run ------------------------------------------------------------------------------------------------


def _say(text: str) -> None:
    say_coloured(sys.stderr, "elo-sheets:", "red", f" {text}\n")


def _root(error: BaseException) -> BaseException:
    """The first of the errors that led to this one."""
    while (before := error.__cause__ or error.__context__) is not None:
        error = before
    return error


# What Python raises where a module, an encoding or a part of a package cannot be loaded, and for other reasons too.
OF_LOADING = (ImportError, LookupError, EOFError, AttributeError)


def _is_of_loading(error: Exception) -> bool:
    """Whether Python could not load a module, an encoding, or of a package more than its empty folder."""
    if isinstance(error, ImportError) or type(error) is LookupError or _cut_off(error):
        return True
    if isinstance(error, AttributeError) and hasattr(error.obj, "__path__"):
        return getattr(error.obj, "__file__", None) is None
    at = error.__traceback__
    while at is not None:  # what a package of others raises while it is loaded, for want of a part of its own
        name = str(at.tb_frame.f_globals.get("__name__"))
        if at.tb_frame.f_code.co_name == "<module>" and name.partition(".")[0] not in ("__main__", "elo_sheets"):
            return True
        at = at.tb_next
    return False


def _cut_off(error: Exception) -> str:
    """The path of a compiled module that ends too early, as a full disk leaves it; "" where the error is another."""
    found, at = "", error.__traceback__ if type(error) is EOFError else None
    while at is not None:
        found = str(at.tb_frame.f_locals.get("bytecode_path") or found)
        at = at.tb_next
    return found


def not_loaded(error: Exception) -> str:
    """Return what could not be loaded and what would help, for an error that says so; "" for any other."""
    if not _is_of_loading(error):
        return ""
    said = str(_root(error)).strip().partition("\n")[0]
    if path := _cut_off(error):
        with suppress(OSError):
            os.remove(path)  # noqa: PTH107 - pathlib may be what cannot be loaded
        return f"a compiled part of the program was cut off and has been removed ({path}); try again"
    return f"a part of the program could not be loaded ({said}); try again, or install elo-sheets anew"


def _refused(error: OSError) -> str:
    reason, remedy = refusal(error)
    place = f" ({error.filename})" if error.filename else ""
    return f"the system refused what the command needs{place}: {reason}; {remedy}"


def run(command: Callable[[], int], failed: int) -> int:
    """Run a command; its exit code, or `failed` when the system refused what it needed.

    What elo-sheets raises is said by its own exit code. An interrupt gives 130, a signal to end 128 and its number.
    """
    sys.unraisablehook = lambda _: None  # what fails while things are cleared away has been said
    try:
        _catch_signals()
        return _run(command, failed)
    except KeyboardInterrupt:
        _say("interrupted")
        return 130
    except Stopped as stop:
        return 128 + stop.number
    finally:
        ignore_signals()
        clear_progress()
        if isinstance(sys.stdout, _Printed):
            sys.stdout.lost = None  # it has been said


def _run(command: Callable[[], int], failed: int) -> int:
    try:
        with undisturbed():
            _open_streams()
        code = command()
        sys.stdout.flush()
    except EloSheetsError as error:
        _say(str(error))
        return error.exit_code
    except MemoryError:
        _say("there is not enough memory; close other programs, or give less at a time")
        return failed
    except OSError as error:
        _say(_refused(error))
        return failed
    except Exception as error:
        if not (sentence := not_loaded(error)):
            raise
        _say(sentence)
        return failed
    return code
