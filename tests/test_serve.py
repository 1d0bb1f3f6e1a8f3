"""The pages of `serve`: what goes in comes out, nobody else gets in, and one bad file ends nothing."""

from __future__ import annotations

import io
import os
import re
import signal
import socket
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from starlette.testclient import TestClient, httpx

from elo_sheets.cli import cli
from elo_sheets.errors import UsageError
from elo_sheets.files.package import read_book
from elo_sheets.serving import jobs
from elo_sheets.serving.app import app
from elo_sheets.serving.guard import Guard
from elo_sheets.serving.jobs import tame
from elo_sheets.serving.markup import el, join
from elo_sheets.serving.server import serve
from elo_sheets.validate import validate

ROOT = Path(__file__).parents[1]
SAMPLES = ROOT / "samples"
PORT = 8321
HOME = f"http://127.0.0.1:{PORT}"
NO_LOG = b"nothing"  # is refused at once
LOG = "date,white,black,result\n2026-01-05,Player 1,Player 2,1-0\n2026-01-06,Player 2,Player 1,1-0\n"


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    with TestClient(app(tmp_path, PORT, 60), base_url=HOME) as found:
        yield found


def token(client: TestClient) -> str:
    found = re.search(r'name="token" value="(\w+)"', client.get("/").text)
    assert found is not None
    return found[1]


def drop(client: TestClient, where: str, *files: tuple[str, bytes], **more: Any) -> Any:
    sent = [("logs" if where == "/logs" else "book", (name, io.BytesIO(text))) for name, text in files]
    return client.post(where, data={"token": token(client)}, files=sent, follow_redirects=False, **more)


def done(client: TestClient, answer: Any) -> tuple[str, str]:
    """The address of a job and its page once the work is done."""
    assert answer.status_code == 303, answer.text
    place = answer.headers["location"]
    end = time.monotonic() + 60
    while 'http-equiv="refresh"' in (page := client.get(place).text):
        assert time.monotonic() < end
        time.sleep(0.1)
    return place, unescape(page)


def choose(client: TestClient, place: str, **choices: str) -> tuple[str, str]:
    data = {"token": token(client), **choices}
    return done(client, client.post(place, data=data, follow_redirects=False))


# --- a log becomes a book -----------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_log_becomes_the_book_of_the_command(client: TestClient, tmp_path: Path) -> None:
    log = SAMPLES / "internationals_1900s.csv"
    place, page = done(client, drop(client, "/logs", (log.name, log.read_bytes())))
    assert "138 read, 138 kept, 0 left out. 23 players." in page
    assert re.search(r"<dt>Profile</dt><dd>teams</dd>", page)
    assert "Download" not in page
    _, page = choose(client, place, do="make", profile="football", settings="k=40")
    assert "The book is ready" in page
    got = client.get(f"{place}/book.xlsx")
    assert got.headers["content-disposition"] == 'attachment; filename="internationals_1900s.xlsx"'
    book = tmp_path / "got.xlsx"
    book.write_bytes(got.content)
    theirs = tmp_path / "command.xlsx"
    asked = ["import", str(log), "-o", str(theirs), "--profile", "football", "--set", "k=40"]
    assert CliRunner().invoke(cli, asked).exit_code == 0
    mine, other = read_book(book).sheets, read_book(theirs).sheets
    cells = {sheet: {at: (cell.formula, cell.value) for at, cell in some.items()} for sheet, some in mine.items()}
    same = {sheet: {at: (cell.formula, cell.value) for at, cell in some.items()} for sheet, some in other.items()}
    assert list(cells) == list(same)
    assert [sheet for sheet in cells if cells[sheet] != same[sheet]] == []


@pytest.mark.slow
def test_what_was_left_out_is_told_and_names_are_settled(client: TestClient, tmp_path: Path) -> None:
    more = ["2026-01-07,Player One,Player 2,1-0", "2026-01-08,Player 1,Player 2,later"]
    log = LOG + "\n".join([*more, "2026-01-09,Playr One,Player 2,0-1"])
    place, page = done(client, drop(client, "/logs", ("club.csv", log.encode())))
    assert re.search(r"<td>club.csv</td><td>5</td><td>result</td><td>later</td>", page)
    assert "Names to settle (1)" in page
    _, page = choose(client, place, do="make", answer0="0")
    assert "The book is ready" in page
    assert "Player One" in page
    book = tmp_path / "got.xlsx"
    book.write_bytes(client.get(f"{place}/book.xlsx").content)
    names = {cell.value for cell in read_book(book).sheets["Players"].values()}
    assert "Player One" in names
    assert "Playr One" not in names


@pytest.mark.slow
@pytest.mark.parametrize(
    "path", ["samples/uzchesscup.pgn", "tests/data/trf/javafo_example.trf", "tests/data/logs/club.xls"]
)
def test_other_kinds_of_logs_go_in(client: TestClient, path: str) -> None:
    file = ROOT / path
    place, page = done(client, drop(client, "/logs", (file.name, file.read_bytes())))
    assert "kept" in page, page
    _, page = choose(client, place, do="make")
    assert "The book is ready" in page, page


@pytest.mark.slow
def test_games_of_doubles_go_in(client: TestClient) -> None:
    heads = "date,team 1 player 1,team 1 player 2,team 2 player 1,team 2 player 2,score"
    log = f"{heads}\n2026-01-05,A,B,C,D,10-7\n2026-01-06,A,C,B,D,3-10\n"
    _, page = done(client, drop(client, "/logs", ("foosball.csv", log.encode())))
    assert "2 read, 2 kept" in page, page
    assert "league-2x2" in page


@pytest.mark.slow
def test_a_log_that_cannot_be_read_is_a_sentence_and_can_be_tried_otherwise(client: TestClient) -> None:
    place, page = done(client, drop(client, "/logs", ("a.csv", b"when,home,away,ftr\n2026-01-05,A,B,1-0\n")))
    if "could not be read" in page:
        assert "Read it again" in page
    _, page = choose(client, place, do="read", columns="white=home,black=away,score=ftr,date=when")
    assert "1 read, 1 kept" in page, page
    _, page = choose(client, place, do="make", settings="nonsense")
    assert "expected name=value" in page


# --- a book gets its verdict --------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_wrong_book_gets_the_verdict_of_the_command_and_a_marked_copy(client: TestClient, tmp_path: Path) -> None:
    book = SAMPLES / "wrong_guide.xlsx"
    place, page = done(client, drop(client, "/book", (book.name, book.read_bytes())))
    verdict = validate(book)
    assert "The book differs" in page
    assert f"Findings ({len(verdict.findings)})" in page
    for finding in verdict.findings:
        assert finding.range in page
        assert finding.message in page
    got = client.get(f"{place}/marked")
    assert got.headers["content-disposition"].endswith("wrong_guide%20marked.xlsx")
    copy = tmp_path / "marked.xlsx"
    copy.write_bytes(got.content)
    assert "Findings" in read_book(copy).sheets


@pytest.mark.slow
def test_a_sound_book_agrees_and_a_broken_one_harms_nobody(client: TestClient) -> None:
    book = SAMPLES / "internationals_1900s.xlsx"
    bomb = io.BytesIO()
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/workbook.xml", b"0" * 50_000_000)
    answers = [drop(client, "/book", (name, text)) for name, text in
               (("bomb.xlsx", bomb.getvalue()), ("none.xlsx", b"PK"), (book.name, book.read_bytes()))]  # fmt: skip
    pages = [done(client, answer)[1] for answer in answers]
    assert "could not be checked" in pages[0]
    assert "could not be checked" in pages[1]
    assert "The book agrees" in pages[2]


@pytest.mark.slow
def test_work_that_takes_too_long_or_ends_early_is_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with TestClient(app(tmp_path, PORT, 0.01), base_url=HOME) as client:
        _, page = done(client, drop(client, "/logs", ("a.csv", LOG.encode())))
        assert "stopped after 0.01 seconds" in page
    monkeypatch.setattr(jobs, "memory_limit", lambda wanted: str(2**26))
    with TestClient(app(tmp_path, PORT, 60), base_url=HOME) as client:
        _, page = done(client, drop(client, "/logs", ("a.csv", LOG.encode())))
        assert "ended early" in page or "not enough memory" in page, page


# --- who may ask --------------------------------------------------------------------------------------------


def test_another_name_of_this_machine_is_refused(client: TestClient) -> None:
    for host in ("elsewhere.example", f"elsewhere.example:{PORT}", "127.0.0.1:1", "0.0.0.0:8321", f"[::1]:{PORT}", ""):
        answer = client.get("/", headers={"Host": host})
        assert answer.status_code == 421, host
        assert repr(host) in answer.text
    assert client.get("/", headers={"Host": f"localhost:{PORT}"}).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [{"Origin": "http://elsewhere.example"}, {"Origin": "null"}, {"Origin": "http://127.0.0.1:1"},
     {"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"}],
    ids=str,
)  # fmt: skip
def test_a_form_of_another_page_is_refused(client: TestClient, headers: dict[str, str]) -> None:
    answer = drop(client, "/logs", ("a.csv", LOG.encode()), headers=headers)
    assert answer.status_code == 403
    assert "another page" in answer.text


def test_a_form_without_the_token_of_its_session_is_refused(client: TestClient, tmp_path: Path) -> None:
    mine = token(client)
    file = [("logs", ("a.csv", io.BytesIO(LOG.encode())))]
    for given in ("", "x", "é"):
        assert client.post("/logs", data={"token": given}, files=file).status_code == 403
    client.cookies.clear()
    assert client.post("/logs", data={"token": mine}, files=file).status_code == 403
    assert list(tmp_path.iterdir()) == []


def test_another_session_sees_nothing(client: TestClient) -> None:
    place, _ = done(client, drop(client, "/logs", ("a.csv", NO_LOG)))
    assert client.get(place).status_code == 200
    client.cookies.clear()
    for path in (place, f"{place}/book.xlsx", f"{place}/marked"):
        assert client.get(path).status_code == 404


def test_nothing_but_the_pages_is_served(client: TestClient) -> None:
    for path in (
        "/jobs",
        "/jobs/",
        "/jobs/x",
        "/jobs/../../etc/passwd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/files",
        "/static",
    ):
        answer = client.get(path)
        assert answer.status_code == 404, path
    for method in ("PUT", "DELETE", "PATCH", "OPTIONS"):
        assert client.request(method, "/").status_code == 405


def test_every_answer_says_what_a_browser_may_do(client: TestClient) -> None:
    refused = client.get("/", headers={"Host": "elsewhere.example"})
    for answer in (client.get("/"), client.get("/style.css"), client.get("/nothing"), refused):
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "script-src" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["cache-control"] == "no-store"
    assert "'unsafe-inline'" not in client.get("/").headers["content-security-policy"]
    cookie = client.get("/").headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie


def test_the_calculators_are_one_of_the_pages(client: TestClient) -> None:
    answer = client.get("/calculators")
    assert "Rating calculators" in answer.text
    assert "connect-src" not in answer.headers["content-security-policy"]
    assert "default-src 'none'" in answer.headers["content-security-policy"]


def test_more_than_is_taken_is_refused_whether_it_says_so_or_not(tmp_path: Path) -> None:
    small = app(tmp_path, PORT, 60)
    assert isinstance(small, Guard)
    small.most = 3000
    with TestClient(small, base_url=HOME) as client:
        assert drop(client, "/logs", ("a.csv", b"x" * 4000)).status_code == 413
        body = (b"x" * 1000 for _ in range(5))
        kind = {"Content-Type": "multipart/form-data; boundary=x"}
        assert client.post("/logs", content=body, headers=kind).status_code == 413
        assert client.post("/logs", content=b"", headers={"Content-Length": "-1"}).status_code in (400, 413)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("given", "kept"),
    [("../../evil.csv", "evil.csv"), ("..\\..\\evil.csv", "evil.csv"), ("/etc/passwd", "passwd"), ("..", "file"),
     ("", "file"), ("-o.csv", "o.csv"), ("*.csv", "_.csv"), ("a\0b\n.csv", "a_b_.csv"),
     ("x" * 300 + ".csv", "x" * 96 + ".csv"),
     (".hidden", "hidden"), ("Zürich (2).csv", "Zürich (2).csv"), ("my.py:READER", "my.py_READER")],
)  # fmt: skip
def test_the_name_of_a_file_leads_nowhere(given: str, kept: str) -> None:
    assert tame(given) == kept


def test_files_of_one_name_and_of_our_own_names_stay_apart(client: TestClient, tmp_path: Path) -> None:
    done(client, drop(client, "/logs", ("../asked.json", NO_LOG), ("x/asked.json", NO_LOG)))
    (folder,) = tmp_path.iterdir()
    assert sorted(path.name for path in (folder / "files").iterdir()) == ["2 asked.json", "asked.json"]


def test_what_a_file_says_is_no_markup(client: TestClient) -> None:
    bad = "<script>alert(1)</script>"
    log = f'date,white,black,result\n2026-01-05,"{bad}",Player 2,1-0\n2026-01-06,Player 1,Player 2,"{bad}"\n'
    answer = drop(client, "/logs", (f"{bad}.csv", log.encode()))
    place, _ = done(client, answer)
    page = client.get(place).text
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    answer = client.post(place, data={"token": token(client), "system": bad}, follow_redirects=False)
    assert answer.status_code == 400
    assert "<script" not in answer.text


def test_markup_is_escaped_by_construction() -> None:
    assert join("<b>", el("i", "a", ["&", None], title='"')) == '&lt;b&gt;<i title="&quot;">a&amp;</i>'


@pytest.mark.parametrize(
    ("name", "value"), [("system", "rule.py:MY"), ("template", "my.toml"), ("profile", "/etc/x.toml")]
)
def test_what_runs_or_reads_a_file_of_this_machine_is_not_chosen_from_the_page(
    client: TestClient, name: str, value: str
) -> None:
    place, _ = done(client, drop(client, "/logs", ("a.csv", NO_LOG)))
    answer = client.post(place, data={"token": token(client), name: value}, follow_redirects=False)
    assert answer.status_code == 400


def test_a_form_without_a_file_is_a_sentence(client: TestClient) -> None:
    answer = client.post("/logs", data={"token": token(client)})
    assert answer.status_code == 400
    assert "choose one" in answer.text


# --- what is dropped goes -----------------------------------------------------------------------------------


def test_files_go_when_they_are_forgotten_and_when_nobody_looks(
    client: TestClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place, _ = done(client, drop(client, "/logs", ("a.csv", NO_LOG)))
    assert len(list(tmp_path.iterdir())) == 1
    client.post("/forget", data={"token": token(client)})
    assert list(tmp_path.iterdir()) == []
    assert client.get(place).status_code == 404
    drop(client, "/logs", ("a.csv", LOG.encode()))
    monkeypatch.setattr(jobs, "IDLE", -1)
    client.get("/nothing")
    client.get("/")
    assert list(tmp_path.iterdir()) == []


def test_the_oldest_goes_where_there_are_too_many(
    client: TestClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "MOST_JOBS", 2)
    monkeypatch.setattr(jobs, "MOST_WAITING", 3)
    places = [drop(client, "/book", (f"{n}.xlsx", b"PK")).headers["location"] for n in range(3)]
    assert len(list(tmp_path.iterdir())) == 2
    assert client.get(places[0]).status_code == 404
    monkeypatch.setattr(jobs, "MOST_WAITING", 0)
    assert drop(client, "/book", ("x.xlsx", b"PK")).status_code == 503


def test_work_can_be_stopped(client: TestClient) -> None:
    place = drop(client, "/logs", ("a.csv", LOG.encode())).headers["location"]
    client.post(f"{place}/stop", data={"token": token(client)})
    assert "stopped" in client.get(place).text


# --- the server itself --------------------------------------------------------------------------------------


def test_a_port_that_is_taken_is_a_sentence() -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        done = CliRunner().invoke(cli, ["serve", "--port", str(port)])
        assert isinstance(done.exception, UsageError)
        assert f"port {port} cannot be used" in str(done.exception)
        assert "--port" in str(done.exception)


def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    with pytest.raises(UsageError, match=r"pip install 'elo-sheets\[web\]'"):
        serve(0, 60, print)


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="Ctrl-C is sent as a signal")
@pytest.mark.parametrize(("number", "code"), [("SIGINT", 0), ("SIGTERM", 143), ("SIGHUP", 129)])
def test_a_signal_ends_it_quietly_and_removes_what_was_dropped(tmp_path: Path, number: str, code: int) -> None:
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    # Whoever runs the tests may have had the signals (1, 2, 15) ignored, as nohup does.
    begin = "import runpy, signal; [signal.signal(n, signal.SIG_DFL) for n in (1, 2, 15)]"
    command = [sys.executable, "-c", f"{begin}; runpy.run_module('elo_sheets', run_name='__main__')", "serve"]
    with subprocess.Popen(
        [*command, "--port", "0"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stderr is not None
            found = re.search(r"http://127\.0\.0\.1:(\d+)/", process.stdout.readline())
            assert found is not None
            with httpx.Client(base_url=found[0], trust_env=False) as client:
                secret = re.search(r'name="token" value="(\w+)"', client.get("/").text)
                assert secret is not None
                book = {"book": ("b.xlsx", (SAMPLES / "nfl_1920.xlsx").read_bytes())}
                assert client.post("/book", data={"token": secret[1]}, files=book).status_code == 303
            assert len(list(tmp_path.iterdir())) == 1
            process.send_signal(getattr(signal, number))
            assert process.wait(20) == code
            assert process.stderr.read() == ""
        finally:
            process.kill()
    assert list(tmp_path.iterdir()) == []
