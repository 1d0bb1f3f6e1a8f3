"""LibreOffice as an engine, and as what prints or saves a workbook in another format."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from elo_sheets.engines.processes import CHILD, checking, memory_limit, processor_seconds, run_limited
from elo_sheets.engines.sanitised import Job, Values, own_value
from elo_sheets.errors import NotChecked, UnreadableInput, UsageError
from elo_sheets.files.cells import Cell
from elo_sheets.files.package import read_book
from elo_sheets.files.save import private_folder

_MEMORY = 8 * 2**30  # bytes: LibreOffice maps far more than it touches
TIMEOUT = 120.0  # seconds
REMEDY = "install LibreOffice (for example: apt install libreoffice-calc), or use the engine ironcalc"

PLACES = (
    "/Applications/LibreOffice.app/Contents/MacOS/soffice",
    r"C:\Program Files\LibreOffice\program\soffice.com",
)
FILTERS = {"xlsx": "xlsx:Calc MS Excel 2007 XML", "pdf": "pdf:calc_pdf_Export", "csv": "csv"}
_PROFILE = {
    # 0 means always: without it the cached values of the file would be reported as LibreOffice's own.
    "org.openoffice.Office.Calc/Formula/Load": {"OOXMLRecalcMode": "0", "ODFRecalcMode": "0"},
    "org.openoffice.Office.Common/Security/Scripting": {
        "BlockUntrustedRefererLinks": "true",
        "DisableActiveContent": "true",
        "DisableMacrosExecution": "true",
        "MacroSecurityLevel": "3",
    },
    # Where the system has no private network, what a document links is looked for where nobody listens.
    "org.openoffice.Inet/Settings": {
        "ooInetProxyType": "2",
        "ooInetNoProxy": "",
        **{f"ooInet{kind}ProxyName": "127.0.0.1" for kind in ("HTTP", "HTTPS", "FTP")},
        **{f"ooInet{kind}ProxyPort": "9" for kind in ("HTTP", "HTTPS", "FTP")},
    },
    "org.openoffice.Setup/L10N": {"ooSetupSystemLocale": "en-US", "ooLocale": "en-US"},
}


def soffice() -> str | None:
    found = shutil.which("soffice") or shutil.which("libreoffice")
    return found or next((place for place in PLACES if Path(place).exists()), None)


def _write_profile(profile: Path) -> None:
    items = "".join(
        f'<item oor:path="/{path}"><prop oor:name="{name}" oor:op="fuse"><value>{value}</value></prop></item>'
        for path, settings in _PROFILE.items()
        for name, value in settings.items()
    )
    (profile / "user").mkdir(parents=True)
    (profile / "user" / "registrymodifications.xcu").write_text(
        '<?xml version="1.0" encoding="UTF-8"?>\n<oor:items xmlns:oor="http://openoffice.org/2001/registry" '
        'xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">'
        f"{items}</oor:items>\n",
        "utf-8",
    )


def convert_all(paths: Sequence[Path], to: str, outdir: Path, folder: Path, timeout: float, memory: int) -> list[Path]:
    """One LibreOffice run over many files, whose names must differ; the new files, all of them fresh."""
    program = soffice()
    if program is None:
        raise NotChecked(f"libreoffice is not installed; {REMEDY}")
    if to not in FILTERS:
        raise UsageError(f"expected one of {', '.join(FILTERS)}, got {to!r}")
    targets = [outdir / f"{path.stem}.{to}" for path in paths]
    for target in targets:
        target.unlink(missing_ok=True)
    profile = folder / "profile"
    _write_profile(profile)
    command = [
        program,
        f"-env:UserInstallation={profile.as_uri()}",
        "--headless",
        "--norestore",
        "--nolockcheck",
        "--convert-to",
        FILTERS[to],
        "--outdir",
        str(outdir),
        *map(str, paths),
    ]
    limited = [sys.executable, "-P", str(CHILD), "exec", memory_limit(memory), processor_seconds(timeout), *command]
    # Windows has neither these limits nor an exec that keeps the process.
    run_limited(limited if os.name == "posix" else command, folder, timeout, "libreoffice")
    for path, target in zip(paths, targets, strict=True):
        if not target.exists():
            raise NotChecked(f"libreoffice could not load {path.name!r}; try another engine")
    return targets


def convert(path: str | os.PathLike[str], to: str, outdir: str | os.PathLike[str], *, timeout: float = TIMEOUT) -> Path:
    """A workbook as LibreOffice prints or saves it, freshly calculated: `to` is 'pdf', 'xlsx' or 'csv'.

    The new file is put in `outdir` under the same stem.  Raises `NotChecked` when LibreOffice is missing or
    fails.
    """
    source, target = Path(path).resolve(), Path(outdir).resolve()
    if source.parent == target and source.suffix == f".{to}":
        raise UsageError(f"expected another folder than that of {source.name!r}, got {str(outdir)!r}")
    with checking(), private_folder() as folder:
        return convert_all([source], to, target, folder, timeout, _MEMORY)[0]


def run_office(jobs: Sequence[Job], folder: Path, timeout: float, memory: int) -> tuple[str, list[Values]]:
    out = folder / "out"
    out.mkdir()
    files = convert_all([job.copy for job in jobs], "xlsx", out, folder, timeout, max(memory, _MEMORY))
    values: list[Values] = []
    for job, file in zip(jobs, files, strict=True):
        try:
            sheets = read_book(file).sheets
        except UnreadableInput as error:
            raise NotChecked(f"libreoffice wrote a file that cannot be read back: {error}") from error
        blank = Cell(None, None)
        values.append(
            {
                sheet: {place: own_value(sheets.get(sheet, {}).get(place, blank).value) for place in places}
                for sheet, places in job.wanted.items()
            }
        )
    return _written_by(files[0]) if files else "", values


def _written_by(file: Path) -> str:
    """The version that LibreOffice noted in a file it saved; asking the program would take another start."""
    try:
        with zipfile.ZipFile(file) as archive:
            noted = re.search(rb"LibreOffice/([0-9.]+)", archive.read("docProps/app.xml"))
    except (zipfile.BadZipFile, KeyError):
        return ""
    return noted[1].decode() if noted else ""


@lru_cache(maxsize=1)
def office_version() -> str:
    program = soffice()
    if program is None:
        return ""
    try:
        with private_folder() as folder:
            command = [program, f"-env:UserInstallation={folder.as_uri()}", "--version"]
            said = subprocess.run(command, capture_output=True, timeout=30, check=False, text=True).stdout
    except (OSError, subprocess.TimeoutExpired):
        return ""
    words = said.split()
    return words[1] if len(words) > 1 else ""
