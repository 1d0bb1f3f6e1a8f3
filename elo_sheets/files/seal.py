"""The seal of a book that we wrote, which says that no program has saved it or changed a part of it since.

It stands in the file's properties, as their status, and is a digest of all parts and of the release that wrote them.
Whoever saves the book writes other parts, and the seal holds no more.
"""

from __future__ import annotations

import hashlib
import io
import os
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path

from elo_sheets._version import __version__
from elo_sheets.files.archive import check_file, damage_reported

# The part that holds the seal, and what stands there while the seal is computed.
HOME = "docProps/core.xml"
OPEN = "0" * 32
_BEGIN = b"<cp:contentStatus>"
_MOST = 2**16  # bytes of that part

Part = tuple[str, int, int]  # name, CRC and size


def _seal(parts: Iterable[Part]) -> str:
    return hashlib.sha256(repr((__version__, sorted(parts))).encode()).hexdigest()[: len(OPEN)]


def seal(files: Iterable[tuple[str | io.StringIO, str]]) -> None:
    """Put the seal into a package that is about to be packed: its parts, each with its file or text and its name."""
    given = {name: file for file, name in files}
    parts = [(name, *_measured(file)) for name, file in given.items()]
    core = b"".join(_pieces(given[HOME])).replace(_BEGIN + OPEN.encode(), _BEGIN + _seal(parts).encode())
    home = given[HOME]
    if isinstance(home, io.StringIO):
        home.seek(0)
        home.write(core.decode())  # as long as what stood there
    else:
        Path(home).write_bytes(core)


def _measured(file: str | io.StringIO) -> tuple[int, int]:
    crc = size = 0
    for piece in _pieces(file):
        crc, size = zlib.crc32(piece, crc), size + len(piece)
    return crc, size


def _pieces(file: str | io.StringIO) -> Iterator[bytes]:
    if isinstance(file, io.StringIO):
        yield file.getvalue().encode()
        return
    with Path(file).open("rb") as stream:
        while piece := stream.read(2**20):
            yield piece


def is_sealed(path: str | os.PathLike[str]) -> bool:
    """Return whether a workbook stands as this release wrote it; False for what is no workbook.

    Raises `UnreadableInput` when the system refuses the file: ours would be taken for a book that somebody has saved.
    """
    path = Path(path)
    check_file(path)
    with damage_reported(path):
        whole = io.BytesIO(path.read_bytes())  # zipfile takes errors of the system for damage
    try:
        with zipfile.ZipFile(whole) as archive:
            parts = {info.filename: (info.filename, info.CRC, info.file_size) for info in archive.infolist()}
            if HOME not in parts or parts[HOME][2] > _MOST or len(parts) != len(archive.infolist()):
                return False
            core = archive.read(HOME)
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError):
        return False
    begin = core.find(_BEGIN) + len(_BEGIN)
    found, bare = core[begin : begin + len(OPEN)], core[:begin] + OPEN.encode() + core[begin + len(OPEN) :]
    parts[HOME] = HOME, zlib.crc32(bare), len(bare)
    return _BEGIN in core and found == _seal(parts.values()).encode()
