"""No file calls anybody: a listener on this machine hears nothing, whatever the book that is read links to."""

from __future__ import annotations

import base64
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from click.testing import CliRunner
from hostile import RELATIONS, SHEETS, write_zip, xlsx_parts
from starlette.testclient import TestClient
from test_serve import HOME, PORT, done, drop

from elo_sheets.cli import cli
from elo_sheets.engines import office as _office
from elo_sheets.engines.office import convert
from elo_sheets.engines.processes import CHILD, run_limited
from elo_sheets.engines.recalculate import recalculate_many
from elo_sheets.errors import EloSheetsError
from elo_sheets.files.ingest import read_any
from elo_sheets.readers import read
from elo_sheets.serving.app import app
from elo_sheets.uses.importing import import_logs
from elo_sheets.validate import validate

OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PICTURE = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII="
)
BOOKS = ("xlsx", "xlsm", "ods", "fods", "xls")
OTHERS = ("html", "csv")
LINKED = set(BOOKS)  # what LibreOffice follows when nobody keeps it from it


class _Answers(BaseHTTPRequestHandler):
    def _answer(self) -> None:
        self.server.heard.append(f"{self.command} {self.path}")  # type: ignore[attr-defined]
        self.send_response(200)
        self.send_header("Content-Type", "image/png")
        self.send_header("Content-Length", str(len(PICTURE)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(PICTURE)

    do_GET = do_HEAD = do_OPTIONS = do_PROPFIND = _answer  # noqa: N815

    def log_message(self, *_: object) -> None:
        pass


class Listener(ThreadingHTTPServer):
    heard: list[str]

    def url(self, name: str) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/{name}.png"

    def paths(self) -> set[str]:
        return {line.rpartition("/")[2].removesuffix(".png") for line in self.heard}


@pytest.fixture(scope="module")
def listener() -> Iterator[Listener]:
    with Listener(("127.0.0.1", 0), _Answers) as server:
        server.heard = []
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


# --- files that link a picture ------------------------------------------------------------------------------

NAMESPACES = " ".join(
    f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{uri}:1.0"'
    for name, uri in (
        ("office", "office"),
        ("table", "table"),
        ("text", "text"),
        ("draw", "drawing"),
        ("svg", "svg-compatible"),
    )
)


def _open_document(root: str, url: str, more: str = "") -> str:
    return (
        f'<?xml version="1.0" encoding="UTF-8"?><office:{root} {NAMESPACES} xmlns:xlink="http://www.w3.org/1999/xlink" '
        f'xmlns:of="urn:oasis:names:tc:opendocument:xmlns:of:1.2" office:version="1.2"{more}><office:body>'
        '<office:spreadsheet><table:table table:name="Log"><table:shapes><draw:frame svg:width="2cm" svg:height="2cm" '
        f'svg:x="1cm" svg:y="1cm"><draw:image xlink:href="{url}" xlink:type="simple" xlink:show="embed" '
        'xlink:actuate="onLoad"/></draw:frame></table:shapes><table:table-row><table:table-cell '
        'table:formula="of:=1+1" office:value-type="float" office:value="2"/></table:table-row></table:table>'
        f"</office:spreadsheet></office:body></office:{root}>"
    )


def _excel(url: str) -> dict[str, str]:
    drawing = "http://schemas.openxmlformats.org/drawingml/2006"
    parts = xlsx_parts(
        '<row r="1"><c r="A1"><f>1+1</f><v>2</v></c></row>', after=f'<drawing xmlns:r="{OFFICE}" r:id="rId1"/>'
    )
    relation = f'<Relationship Id="rId1" Type="{OFFICE}/{{}}" Target="{{}}"{{}}/>'
    parts["xl/worksheets/_rels/sheet1.xml.rels"] = RELATIONS.format(
        relation.format("drawing", "../drawings/drawing1.xml", "")
    )
    parts["xl/drawings/_rels/drawing1.xml.rels"] = RELATIONS.format(
        relation.format("image", url, ' TargetMode="External"')
    )
    corner = (
        "<xdr:{0}><xdr:col>{1}</xdr:col><xdr:colOff>0</xdr:colOff><xdr:row>{1}</xdr:row><xdr:rowOff>0</xdr:rowOff>"
        "</xdr:{0}>"
    )
    parts["xl/drawings/drawing1.xml"] = (
        f'<xdr:wsDr xmlns:xdr="{drawing}/spreadsheetDrawing" xmlns:a="{drawing}/main"><xdr:twoCellAnchor>'
        f'{corner.format("from", 2)}{corner.format("to", 5)}<xdr:pic><xdr:nvPicPr><xdr:cNvPr id="2" name="p"/>'
        f'<xdr:cNvPicPr/></xdr:nvPicPr><xdr:blipFill><a:blip xmlns:r="{OFFICE}" r:link="rId1"/><a:stretch><a:fillRect/>'
        '</a:stretch></xdr:blipFill><xdr:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="99999" cy="99999"/></a:xfrm>'
        '<a:prstGeom prst="rect"><a:avLst/></a:prstGeom></xdr:spPr></xdr:pic><xdr:clientData/></xdr:twoCellAnchor>'
        "</xdr:wsDr>"
    )
    kind = "application/vnd.openxmlformats-officedocument"
    parts["[Content_Types].xml"] = (
        '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" '
        'ContentType="application/xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{kind}.spreadsheetml.sheet.main+xml"/>'
        f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{kind}.spreadsheetml.worksheet+xml"/>'
        f'<Override PartName="/xl/drawings/drawing1.xml" ContentType="{kind}.drawing+xml"/></Types>'
    )
    return parts


def office(folder: Path, to: str, *paths: Path) -> None:
    """LibreOffice as it comes, which nobody keeps off the network."""
    command = ["soffice", f"-env:UserInstallation={(folder / 'profile').as_uri()}", "--headless", "--convert-to", to]
    subprocess.run([*command, "--outdir", str(folder), *map(str, paths)], capture_output=True, timeout=180, check=True)


@pytest.fixture(scope="module")
def files(listener: Listener, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("linked")
    paths = {kind: folder / f"{kind}.{kind}" for kind in (*BOOKS, *OTHERS)}
    for kind in ("xlsx", "xlsm"):
        write_zip(paths[kind], _excel(listener.url(kind)))
    manifest = (
        '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"><manifest:file-entry '
        f'manifest:full-path="/" manifest:media-type="{SHEETS}"/><manifest:file-entry manifest:full-path="content.xml" '
        'manifest:media-type="text/xml"/></manifest:manifest>'
    )
    content = _open_document("document-content", listener.url("ods"))
    write_zip(paths["ods"], {"mimetype": SHEETS, "content.xml": content, "META-INF/manifest.xml": manifest})
    paths["fods"].write_text(_open_document("document", listener.url("fods"), f' office:mimetype="{SHEETS}"'))
    paths["html"].write_text(f'<html><body><img src="{listener.url("html")}"><table><tr><td>1</td></tr></table></html>')
    paths["csv"].write_text(f'date,white,black,result\n2026-01-05,"=WEBSERVICE(""{listener.url("csv")}"")",B,1-0\n')
    source = folder / "xls.fods"
    source.write_text(_open_document("document", listener.url("xls"), f' office:mimetype="{SHEETS}"'))
    office(folder, "xls:MS Excel 97", source)
    listener.heard.clear()
    return paths


@pytest.mark.libreoffice
def test_the_listener_hears_what_an_unprotected_program_fetches(
    files: dict[str, Path], listener: Listener, tmp_path: Path
) -> None:
    listener.heard.clear()
    office(tmp_path, "csv", *files.values())
    assert listener.paths() == LINKED


@pytest.mark.libreoffice
def test_no_book_calls_the_network(files: dict[str, Path], listener: Listener) -> None:
    listener.heard.clear()
    books = [read_any(files[kind]) for kind in BOOKS]
    recalculate_many(books, "libreoffice")
    for kind in BOOKS:
        assert validate(files[kind]).cells_checked >= 0
    assert listener.heard == []


@pytest.mark.libreoffice
def test_no_conversion_calls_the_network(files: dict[str, Path], listener: Listener, tmp_path: Path) -> None:
    listener.heard.clear()
    convert(files["fods"], "xlsx", tmp_path)
    assert listener.heard == []


@pytest.mark.libreoffice
@pytest.mark.parametrize("kind", ["xls", "fods", "ods"])
def test_the_profile_alone_keeps_libreoffice_off_the_network(
    kind: str, files: dict[str, Path], listener: Listener, tmp_path: Path
) -> None:
    listener.heard.clear()
    _office._write_profile(tmp_path / "profile")
    office(tmp_path, "xlsx", files[kind])
    assert (tmp_path / f"{kind}.xlsx").exists()
    assert listener.heard == []


@pytest.mark.libreoffice  # which makes the .xls
@pytest.mark.parametrize("kind", [*BOOKS, *OTHERS])
def test_no_log_calls_the_network(kind: str, files: dict[str, Path], listener: Listener) -> None:
    listener.heard.clear()
    try:
        read([files[kind]])
    except EloSheetsError:
        assert kind != "csv"
    assert listener.heard == []


READING = {
    "validate": ["validate", "FILE", "--annotate", "copy.xlsx", "--force"],
    "validate --engine": ["validate", "FILE", "--engine", "libreoffice"],
    "update": ["update", "FILE", "league.csv"],
    "update with": ["update", "book.xlsx", "FILE", "--dry-run"],
    "diff": ["diff", "FILE", "league.csv"],
    "import": ["import", "FILE", "-o", "new.xlsx", "--force"],
    "replay": ["replay", "FILE"],
    "start": ["replay", "league.csv", "--start", "FILE"],
    "compare": ["compare", "FILE", "--system", "elo,glicko", "--burn-in", "0"],
    "fit": ["fit", "FILE", "k=10:40", "--burn-in", "0"],
    "predict": ["predict", "A", "B", "--log", "FILE"],
    "explain": ["explain", "A", "FILE"],
    "simulate": ["simulate", "league.csv", "--remaining", "FILE", "--runs", "1"],
    "event": ["event", "1500", "FILE", "--player", "A"],
    "report": ["report", "FILE", "-o", "report.html", "--force"],
    "report in print": ["report", "FILE", "-o", "report.pdf", "--force"],
}


# The program is given a copy that is written anew, whatever the kind of the book: a package and a plain file will do.
# `test_no_book_calls_the_network` has it compute the books of every kind in one start.
BY_LIBREOFFICE = ("validate --engine", "report in print")


@pytest.fixture(scope="module")
def club(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a log and a book of it."""
    folder = tmp_path_factory.mktemp("club")
    (folder / "league.csv").write_text("date,white,black,result\n2026-01-04,A,B,1-0\n2026-02-04,B,A,\n")
    import_logs([folder / "league.csv"], folder / "book.xlsx", template="journal", player="A")
    return folder


def test_every_command_that_reads_a_file_is_listened_to() -> None:
    takes_no_file = set("calc conform goal match new page profiles rating-odds rules serve systems templates".split())
    assert {arguments[0] for arguments in READING.values()} | takes_no_file == set(cli.commands)


@pytest.mark.libreoffice
@pytest.mark.parametrize("kind", [*BOOKS, *OTHERS])
def test_no_command_calls_the_network(
    kind: str, files: dict[str, Path], club: Path, listener: Listener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(club)
    listener.heard.clear()
    ends = {}
    for name, arguments in READING.items():
        if name in BY_LIBREOFFICE and kind not in ("xlsx", "fods"):
            continue
        done = CliRunner().invoke(cli, [str(files[kind]) if word == "FILE" else word for word in arguments])
        assert done.exception is None or isinstance(done.exception, SystemExit | EloSheetsError)
        ends[name] = done.exit_code
        assert listener.heard == [], name
    assert kind not in BOOKS or ends["validate"] in (0, 1, 4), ends


@pytest.mark.libreoffice
@pytest.mark.parametrize("kind", [*BOOKS, *OTHERS])
def test_nothing_that_is_dropped_on_the_page_calls_the_network(
    kind: str, files: dict[str, Path], listener: Listener, tmp_path: Path
) -> None:
    listener.heard.clear()
    with TestClient(app(tmp_path, PORT, 60), base_url=HOME) as client:
        for where in ("/logs", "/book"):
            done(client, drop(client, where, (files[kind].name, files[kind].read_bytes())))
            assert listener.heard == [], where


@pytest.mark.skipif(sys.platform != "linux", reason="needs network namespaces")
def test_what_runs_inside_the_limits_has_a_network_of_its_own(tmp_path: Path) -> None:
    program = "import os; print(os.readlink('/proc/self/ns/net'), file=open('network', 'w'))"
    run_limited(
        [sys.executable, "-P", str(CHILD), "exec", str(2**30), "60", sys.executable, "-c", program], tmp_path, 60, "it"
    )
    assert (tmp_path / "network").read_text().strip() != str(Path("/proc/self/ns/net").readlink())
