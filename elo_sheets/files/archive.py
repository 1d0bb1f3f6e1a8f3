"""The zip of a workbook, taken on no trust: entries, bytes and elements are counted, and no name is extracted.

What is refused is refused with the reason and a remedy. `rewrite_parts` copies an archive with some parts replaced.
"""

from __future__ import annotations

import os
import posixpath
import shutil
import stat
import struct
import xml.etree.ElementTree as ET
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO
from xml.parsers import expat

from elo_sheets.errors import UnreadableInput, refusal

MAX_FILE = 100 * 2**20
MAX_ENTRIES = 5_000
MAX_INFLATED = 512 * 2**20
MAX_SMALL_PART = 64 * 2**20  # a part that is read whole: workbook, relations, tables
MAX_ENTRY_RATIO, MAX_TOTAL_RATIO, RATIO_FREE = 200, 100, 2**20
MAX_ELEMENTS = 12_000_000
MAX_DEPTH = 256

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
RELATION = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE_RELATION = "http://schemas.openxmlformats.org/package/2006/relationships"
STRICT = "http://purl.oclc.org/ooxml"
_OLE = bytes.fromhex("d0cf11e0a1b11ae1")


def refuse(path: Path, reason: str, remedy: str = "") -> UnreadableInput:
    """The error that says why a file cannot be read, and what to do about it."""
    return UnreadableInput(f"cannot read {path.name!r}: {reason}" + (f"; {remedy}" if remedy else ""))


_OTHER_KINDS = (
    ((b"%PDF",), "it is a PDF document", "validate the workbook that it was printed from"),
    ((b"<html", b"<!doctype html"), "it is a web page with the ending of a workbook", "save it as .xlsx"),
    ((b"{\\rtf",), "it is a text document", "save the sheet as .xlsx"),
    ((b"\x1f\x8b", b"7z\xbc\xaf", b"Rar!"), "it is a packed archive", "unpack it first"),
)


def check_file(path: Path) -> bytes:
    """The first bytes of a regular file of tolerable size; `UnreadableInput` for anything else."""
    try:
        status = path.stat()
    except OSError as error:
        raise refuse(path, *refusal(error)) from error
    except ValueError as error:
        raise refuse(path, "not found", "check the path") from error
    if not stat.S_ISREG(status.st_mode):
        raise refuse(path, "it is not a regular file")
    if status.st_size > MAX_FILE:
        raise refuse(path, f"it has {status.st_size:,} bytes, the limit is {MAX_FILE:,}")
    try:
        with path.open("rb") as stream:
            return stream.read(512)
    except OSError as error:
        raise refuse(path, *refusal(error)) from error


def is_old_format(path: Path, head: bytes) -> bool:
    """True of an .xls file; a file in the same container that is protected by a password is refused."""
    if not head.startswith(_OLE):
        return False
    if "EncryptedPackage".encode("utf-16-le") in path.read_bytes():
        raise refuse(path, "it is protected by a password", "save a copy without a password")
    return True


def check_zip(path: Path, head: bytes) -> None:
    """Refuse what is no zip file, saying what it looks like."""
    if head.startswith(b"PK"):
        return
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    for marks, reason, remedy in _OTHER_KINDS:
        if any(start.startswith(mark.lower()) for mark in marks):
            raise refuse(path, f"{reason} (not a zip file)", remedy)
    if head and not set(head) & set(range(9)):
        raise refuse(
            path,
            "it is not an .xlsx workbook (not a zip file); it looks like plain text, perhaps a renamed .csv",
            "open it in a spreadsheet program and save it as .xlsx",
        )
    what = "" if head else ", it is empty"
    raise refuse(path, f"it is not an .xlsx workbook (not a zip file{what})", "save it as .xlsx")


def _data_end(stream: IO[bytes], info: zipfile.ZipInfo) -> int:
    """Where the data of an entry ends, by its local header."""
    stream.seek(info.header_offset)
    header = stream.read(30)
    if len(header) < 30 or not header.startswith(b"PK\x03\x04"):
        raise zipfile.BadZipFile("bad local header")
    name, extra = struct.unpack("<HH", header[26:30])
    return info.header_offset + 30 + int(name) + int(extra) + info.compress_size


def _bad_name(name: str) -> bool:
    return "\\" in name or "\0" in name or ":" in name.split("/")[0] or ".." in name.split("/")


def _census(path: Path, archive: zipfile.ZipFile) -> None:
    """Refuse archives that are built to harm.  Declared sizes are enough: zipfile never yields more than
    declared.
    """
    entries = archive.infolist()
    if len(entries) > MAX_ENTRIES:
        raise refuse(path, f"it has {len(entries):,} parts, the limit is {MAX_ENTRIES:,}")
    seen: set[str] = set()
    for info in entries:
        folded = info.filename.casefold()
        if folded in seen:
            raise refuse(path, f"the part {info.filename!r} occurs twice")
        seen.add(folded)
        if _bad_name(info.filename):
            raise refuse(path, f"it has a part with the unsafe name {info.filename!r}")
        if info.flag_bits & 0x41:
            raise refuse(path, f"the part {info.filename!r} is encrypted", "save a copy without a password")
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise refuse(path, f"the part {info.filename!r} uses an unknown compression")
        if info.file_size > max(RATIO_FREE, MAX_ENTRY_RATIO * info.compress_size):
            raise refuse(path, f"the part {info.filename!r} inflates more than {MAX_ENTRY_RATIO} times")
    total, packed = sum(info.file_size for info in entries), sum(info.compress_size for info in entries)
    if total > MAX_INFLATED:
        raise refuse(path, f"it inflates to {total:,} bytes, the limit is {MAX_INFLATED:,}")
    if total > max(8 * RATIO_FREE, MAX_TOTAL_RATIO * packed):
        raise refuse(path, f"it inflates more than {MAX_TOTAL_RATIO} times")
    with path.open("rb") as stream:
        end = 0
        for info in sorted(entries, key=lambda entry: entry.header_offset):
            if info.header_offset < end:
                raise refuse(path, f"the part {info.filename!r} overlaps another one")
            end = _data_end(stream, info)
        if end > archive.start_dir:
            raise refuse(path, "its last part overlaps the directory")


class Package:
    """The parts of one checked archive; names are matched in any case, as Excel does.

    `main` is the namespace of its sheets; the trees of a strict package are given in the names of the other form.
    """

    def __init__(self, path: Path, archive: zipfile.ZipFile) -> None:
        _census(path, archive)
        self.path = path
        self.archive = archive
        self.main = MAIN
        self.names = {info.filename.lstrip("/").casefold(): info for info in archive.infolist()}

    def has(self, part: str) -> bool:
        return part.casefold() in self.names

    def stream(self, part: str) -> IO[bytes]:
        info = self.names.get(part.casefold())
        if info is None:
            raise refuse(self.path, f"the part {part!r} is missing", "open and save it in a spreadsheet program")
        return self.archive.open(info)

    def tree(self, part: str, elements: int = MAX_ELEMENTS // 20) -> ET.Element:
        info = self.names.get(part.casefold())
        if info is not None and info.file_size > MAX_SMALL_PART:
            raise refuse(self.path, f"the part {part!r} is larger than {MAX_SMALL_PART:,} bytes")
        target = (_Guarded if self.main == MAIN else _Translated)(self.path, part, elements)
        parser = ET.XMLParser(encoding="utf-8", target=target)
        with self.stream(part) as stream:
            while chunk := stream.read(2**20):
                parser.feed(chunk)
        root: ET.Element = parser.close()
        return root

    def _relationships(self, part: str) -> Iterator[ET.Element]:
        folder, name = posixpath.split(part)
        rels = posixpath.join(folder, "_rels", name + ".rels")
        return self.tree(rels).iter(f"{{{PACKAGE_RELATION}}}Relationship") if self.has(rels) else iter(())

    def relations(self, part: str) -> dict[str, tuple[str, str]]:
        """Relation id -> (its type, target part), external ones left out."""
        folder = posixpath.dirname(part)
        found = {}
        for rel in self._relationships(part):
            if rel.get("TargetMode") != "External":
                target = rel.get("Target", "").replace("\\", "/")
                full = posixpath.normpath(posixpath.join("/", folder, target)).lstrip("/")
                found[rel.get("Id", "")] = (rel.get("Type", ""), full)
        return found

    def outside(self, part: str) -> dict[str, str]:
        """Relation id -> target, for the relations that lead out of the package."""
        return {
            rel.get("Id", ""): rel.get("Target", "")
            for rel in self._relationships(part)
            if rel.get("TargetMode") == "External"
        }


class _Guarded(ET.TreeBuilder):
    """A tree builder that refuses document types, depth and sheer numbers."""

    def __init__(self, path: Path, part: str, elements: int) -> None:
        super().__init__()
        self.path, self.part, self.depth, self.count, self.elements = path, part, 0, 0, elements

    def doctype(self, *_: object) -> None:
        raise refuse(self.path, f"the part {self.part!r} has a document type declaration")

    def start(self, tag: str, attrs: dict[str, str], /) -> ET.Element:
        self.depth += 1
        self.count += 1
        if self.depth > MAX_DEPTH or self.count > self.elements:
            raise refuse(self.path, f"the part {self.part!r} has too many elements")
        return super().start(tag, attrs)

    def end(self, tag: str, /) -> ET.Element:
        self.depth -= 1
        return super().end(tag)


_LOOSE = {
    f"{STRICT}/spreadsheetml/main": MAIN,
    f"{STRICT}/officeDocument/relationships": RELATION,
}


def _loose(name: str) -> str:
    uri, brace, word = name[1:].partition("}")
    return f"{{{_LOOSE[uri]}}}{word}" if brace and uri in _LOOSE else name


class _Translated(_Guarded):
    """Reads the names of 'Strict Open XML' as those that everybody else writes."""

    def start(self, tag: str, attrs: dict[str, str], /) -> ET.Element:
        return super().start(_loose(tag), {_loose(name): value for name, value in attrs.items()})

    def end(self, tag: str, /) -> ET.Element:
        return super().end(_loose(tag))


@contextmanager
def damage_reported(path: Path) -> Iterator[None]:
    """Turns what a broken zip or broken XML raises into `UnreadableInput`."""
    try:
        yield
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, struct.error) as error:
        raise refuse(path, f"it is damaged ({error})", "open and save it in a spreadsheet program") from error
    except OSError as error:
        raise refuse(path, *refusal(error)) from error
    except (expat.ExpatError, ET.ParseError, UnicodeError) as error:
        raise refuse(path, f"its XML is damaged ({error})", "open and save it in a spreadsheet program") from error


def _entry(info: zipfile.ZipInfo) -> zipfile.ZipInfo:
    copy = zipfile.ZipInfo(info.filename, info.date_time)
    copy.compress_type = info.compress_type
    copy.external_attr = info.external_attr
    copy.create_system = info.create_system
    return copy


def rewrite_parts(
    source: str | os.PathLike[str], target: str | os.PathLike[str], changes: Mapping[str, bytes | None]
) -> None:
    """Copy a zip with some parts replaced or, given None, left out.

    All others keep their bytes, order and times.  Parts of `changes` that are new are added at the end.

    Raises `UnreadableInput` when the source is no zip that can be read.
    """
    with damage_reported(Path(source)):
        before = zipfile.ZipFile(source)
    with before as old, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as new:
        for info in old.infolist():
            if info.filename not in changes:
                with old.open(info) as stream, new.open(_entry(info), "w") as copy:
                    shutil.copyfileobj(stream, copy, 2**20)
                continue
            data = changes[info.filename]
            if data is not None:
                new.writestr(_entry(info), data)
        present = set(old.namelist())
        for name, data in changes.items():
            if name not in present and data is not None:
                added = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
                added.compress_type = zipfile.ZIP_DEFLATED
                new.writestr(added, data)
