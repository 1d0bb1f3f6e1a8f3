"""Runs one embedded engine inside limits and off the network; a script, so that nothing else of the package loads.

    python engine_child.py ENGINE REQUEST ANSWER MEMORY SECONDS
    python engine_child.py exec MEMORY SECONDS PROGRAM ARGUMENT…

REQUEST and ANSWER are marshal files.  The request is a list of (path of a workbook, [(sheet name, index of
the sheet, [row, column, row, column, …]), …]); the answer is (version, [one list of values per sheet, per
workbook]), or (version, reason) when a workbook cannot be computed.  An error value travels as a tuple of one
text.
"""

from __future__ import annotations

import contextlib
import marshal
import os
import sys
from collections.abc import Callable
from typing import Any

Request = list[tuple[str, list[tuple[str, int, list[int]]]]]
Answer = list[list[list[Any]]]


def _without_network() -> bool:
    """Give this process and its children a network in which there is nothing; False where the system has no such."""
    if sys.platform != "linux":
        return False
    try:
        import ctypes
    except ImportError:  # a Python that was built without it
        return False
    network, users = 0x40000000, 0x10000000
    user, group = os.getuid(), os.getgid()
    unshare = ctypes.CDLL(None).unshare
    if unshare(network) == 0:  # which root alone may
        return True
    if unshare(users | network) != 0:
        return False
    for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
        with contextlib.suppress(OSError), open(f"/proc/self/{name}", "w") as stream:  # noqa: PTH123
            stream.write(text)
    return True


def _limit(memory: int, seconds: int) -> None:
    _without_network()
    try:
        import resource
    except ImportError:  # Windows has no such limits; the parent's clock still holds
        return
    for kind, amount in (
        (resource.RLIMIT_AS, memory),
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_CORE, 0),
    ):
        hard = resource.getrlimit(kind)[1]
        amount = amount if hard == resource.RLIM_INFINITY else min(amount, hard)
        try:
            resource.setrlimit(kind, (amount, hard))
        except (ValueError, OSError):  # macOS refuses some of them
            continue


def _ironcalc(request: Request) -> tuple[str, Answer]:
    import ironcalc

    def read(path: str, sheets: list[tuple[str, int, list[int]]]) -> list[list[Any]]:
        model = ironcalc.load_from_xlsx(path, "en", "UTC", "en")
        model.evaluate()
        get, kind, error = model.get_cell_value, model.get_cell_type, ironcalc.CellType.ErrorValue
        answers = []
        for _, index, flat in sheets:
            values = []
            for row, column in zip(flat[::2], flat[1::2], strict=True):
                value: Any = get(index, row, column)
                if type(value) is str and value[:1] == "#" and kind(index, row, column) == error:
                    value = (value,)
                values.append(value)
            answers.append(values)
        return answers

    return str(ironcalc.__version__), [read(path, sheets) for path, sheets in request]


_KINDS = {
    "Div": "#DIV/0!",
    "Ref": "#REF!",
    "Name": "#NAME?",
    "Value": "#VALUE!",
    "Num": "#NUM!",
    "Null": "#NULL!",
    "Na": "#N/A",
    "Spill": "#SPILL!",
    "Calc": "#CALC!",
    "NImpl": "#N/IMPL!",
    "Circ": "#CIRC!",
    "Error": "#ERROR!",
    "Cancelled": "#CANCELLED!",
}


def _formualizer(request: Request) -> tuple[str, Answer]:
    from importlib.metadata import version

    import formualizer

    def plain(value: Any) -> Any:
        if type(value) is dict:
            kind = str(value.get("kind", "Error"))
            return (_KINDS.get(kind, f"#{kind.upper()}!"),)
        return float(value) if type(value) is int else value

    def read(path: str, sheets: list[tuple[str, int, list[int]]]) -> list[list[Any]]:
        book = formualizer.load_workbook(path)
        book.set_temporal_egress("serial")
        book.evaluate_all()
        return [
            [plain(book.get_value(name, row, column)) for row, column in zip(flat[::2], flat[1::2], strict=True)]
            for name, _, flat in sheets
        ]

    return version("formualizer"), [read(path, sheets) for path, sheets in request]


_ENGINES: dict[str, Callable[[Request], tuple[str, Answer]]] = {
    "ironcalc": _ironcalc,
    "formualizer": _formualizer,
}


def main(arguments: list[str]) -> None:
    if arguments[0] == "exec":
        memory, seconds, *command = arguments[1:]
        _limit(int(memory), int(seconds))
        os.execvp(command[0], command)
    engine, request_file, answer_file, memory, seconds = arguments
    _limit(int(memory), int(seconds))
    with open(request_file, "rb") as stream:  # noqa: PTH123 - pathlib would double the start-up time
        request = marshal.load(stream)
    answer: object
    try:
        answer = _ENGINES[engine](request)
    except Exception as error:  # noqa: BLE001 - engines raise what they like; the parent reports it as not checked
        answer = ("", f"{type(error).__name__}: {error}"[:500])
    with open(answer_file, "wb") as stream:  # noqa: PTH123
        marshal.dump(answer, stream)


if __name__ == "__main__":
    main(sys.argv[1:])
