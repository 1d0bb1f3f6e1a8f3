"""Compressed logs: gzip, bzip2 and xz as Python reads them, zstd from Python 3.14 on or by the package zstandard."""

from __future__ import annotations

import bz2
import gzip
import importlib
import io
import lzma
import zlib
from collections.abc import Callable
from typing import Any, BinaryIO, cast

HEAD = 1 << 16
ZSTD = b"\x28\xb5\x2f\xfd"


class DamagedError(Exception):
    """What zstd cannot unpack."""


DAMAGED = (gzip.BadGzipFile, lzma.LZMAError, zlib.error, EOFError, DamagedError)


class Rejoined(io.RawIOBase):
    """A stream whose first bytes were already taken."""

    def __init__(self, head: bytes, rest: BinaryIO) -> None:
        super().__init__()
        self._head, self._rest = head, rest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if not self._head and isinstance(self._rest, io.BufferedIOBase):
            return self._rest.readinto(buffer)
        data = self._head[: len(buffer)] if self._head else self._rest.read(len(buffer))
        self._head = self._head[len(data) :] if self._head else b""
        buffer[: len(data)] = data
        return len(data)


class _Frames(io.RawIOBase):
    """A stream of zstd frames, unpacked."""

    def __init__(self, packed: BinaryIO, decompressor: Callable[[], Any], error: type[Exception]) -> None:
        super().__init__()
        self._packed, self._decompressor, self._error = packed, decompressor, error
        self._frame: Any = None
        self._left = b""
        self._data = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._data:
            piece = self._left or self._packed.read(HEAD)
            self._left = b""
            if not piece:
                if self._frame is not None:
                    raise EOFError("the file ends before its content does")
                return 0
            self._frame = self._frame or self._decompressor()
            try:
                self._data = memoryview(self._frame.decompress(piece))
            except self._error as error:
                raise DamagedError(str(error)) from error
            if self._frame.eof:
                self._left = self._frame.unused_data
                self._frame = None
        size = min(len(buffer), len(self._data))
        buffer[:size] = self._data[:size]
        self._data = self._data[size:]
        return size


def _zstd(stream: BinaryIO) -> BinaryIO | None:
    """Return what a zstd file holds, None where nothing can unpack it."""
    frame: Callable[[], Any]
    try:
        zstd: Any = importlib.import_module("compression.zstd")
        frame = zstd.ZstdDecompressor
    except ImportError:
        try:
            zstd = importlib.import_module("zstandard")
        except ImportError:
            return None
        frame = zstd.ZstdDecompressor(max_window_size=1 << 31).decompressobj
    return cast(BinaryIO, io.BufferedReader(_Frames(stream, frame, zstd.ZstdError), HEAD))


COMPRESSIONS: tuple[tuple[bytes, Callable[[BinaryIO], Any]], ...] = (
    (b"\x1f\x8b", lambda stream: gzip.GzipFile(fileobj=stream)),
    (b"BZh", bz2.BZ2File),
    (b"\xfd7zXZ\x00", lzma.LZMAFile),
    (ZSTD, _zstd),
)


def unpacked(stream: BinaryIO) -> tuple[bytes, BinaryIO]:
    """Return the first bytes of a log and the whole of it, unpacked where it is compressed and can be."""
    head = stream.read(HEAD)
    whole = cast(BinaryIO, io.BufferedReader(Rejoined(head, stream), HEAD))
    for magic, unpack in COMPRESSIONS:
        if head.startswith(magic) and (plain := unpack(whole)) is not None:
            return unpacked(cast(BinaryIO, plain))
    return head, whole
