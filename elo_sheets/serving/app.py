"""The addresses of the server, and what each does."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import cache
from pathlib import Path
from urllib.parse import quote

from starlette.applications import Starlette
from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from elo_sheets._outside import OF_LOADING
from elo_sheets.files.archive import MAX_FILE
from elo_sheets.page.calculators import calculators_page
from elo_sheets.serving import pages
from elo_sheets.serving.guard import Guard
from elo_sheets.serving.jobs import Desk, Job, Session, refused_by_system
from elo_sheets.serving.work import BOOK
from elo_sheets.shipped import shipped_text
from elo_sheets.systems import SYSTEMS

MOST = MAX_FILE + 2**20  # of one form: a file as large as the command takes, and the rest of the form
MOST_FILES, MOST_FIELDS, LONGEST = 100, 500, 500
SHEET = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
# The calculators are one file with its script in it; what is typed there never comes back to the server.
SCRIPTED = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'"
)


@cache
def offered() -> dict[str, Sequence[str]]:
    """Return what the choices of a log offer, of which alone one may be chosen."""
    from elo_sheets.workbook.build import templates_of_games
    from elo_sheets.workbook.sports.profiles import names

    sized = tuple(f"league-{size}x{size}" for size in (2, 3, 4))
    return {
        "profiles": ("none", *names()),
        "templates": (*templates_of_games(), *sized, "table"),
        "systems": (*SYSTEMS, "elo,glicko2"),
        "starts": ("log", "none"),
        "dates": ("dmy", "mdy", "ymd"),
    }


@cache
def style() -> str:
    """Return the look of the calculators' page, and what the server's own pages have besides."""
    return shipped_text("page/calculators.css") + shipped_text("serving/serving.css")


class Front:
    """The pages over a desk."""

    def __init__(self, desk: Desk, port: int) -> None:
        self.desk, self.cookie = desk, f"elo-sheets-{port}"

    def session(self, request: Request) -> Session:
        """Return the session of the browser that asks."""
        return self.desk.session(request.cookies.get(self.cookie))

    def job(self, request: Request) -> Job:
        """Return the job that is asked for; another session's is none."""
        found = self.session(request).jobs.get(request.path_params["job"])
        if found is None:
            raise HTTPException(404, "there is no such file any more: drop it again")
        return found

    @asynccontextmanager
    async def form(self, request: Request) -> AsyncIterator[tuple[Session, dict[str, str], list[UploadFile]]]:
        """The session of a form, what it says, and its files, which are open meanwhile."""
        session = self.session(request)
        async with request.form(max_files=MOST_FILES, max_fields=MOST_FIELDS) as data:
            if not self.desk.is_token(session, data.get("token", "")):
                raise HTTPException(403, "this form is of another session: load the page anew, and send it again")
            fields = {name: value[:LONGEST] for name, value in data.items() if isinstance(value, str)}
            uploads = [value for _, value in data.multi_items() if isinstance(value, UploadFile) and value.filename]
            yield session, fields, uploads

    async def home(self, request: Request) -> Response:
        """Show where files are dropped."""
        session = self.session(request)
        self.desk.welcome(session)
        page = pages.home(self.desk.token(session), list(session.jobs.values()), MAX_FILE)
        response = HTMLResponse(page)
        response.set_cookie(self.cookie, session.name, httponly=True, samesite="strict")
        return response

    async def drop(self, request: Request) -> Response:
        """Take files, and begin to work on them."""
        async with self.form(request) as (session, _, uploads):
            if not uploads:
                raise HTTPException(400, "no file came with the form: choose one, then send it")
            if self.desk.is_full:
                raise HTTPException(503, "too many files are being worked on: wait for one of them")
            job = self.desk.begin(session, "book" if request.url.path == "/book" else "logs")
            try:
                for upload in uploads[: 1 if job.do == "book" else None]:
                    job.keep(upload.filename or "", upload.file)
            except OSError:
                self.desk.drop(session, job)
                raise
        self.desk.start(job)
        return RedirectResponse(f"/jobs/{job.name}", 303)

    async def look(self, request: Request) -> Response:
        """Show what became of a job so far."""
        job, token = self.job(request), self.desk.token(self.session(request))
        if job.answer is None:
            page = pages.working(job, token)
        else:
            page = pages.verdict(job) if job.do == "book" else pages.read(job, token, offered())
        return HTMLResponse(page)

    async def choose(self, request: Request) -> Response:
        """Take the choices for a log; work on it again where they are others than before."""
        job = self.job(request)
        async with self.form(request) as (_, fields, _):
            pass
        if job.answer is None or job.do != "logs":
            raise HTTPException(409, "it is still being worked on: wait until it is done")
        choices = chosen(fields)
        questions = job.answer.get("questions") or []
        answers = pages.answers_of(questions, fields)
        job.is_wanted = fields.get("do") == "make"
        is_same = choices == job.choices and answers == [one.get("answer", "") for one in questions]
        if not (is_same and job.is_wanted and job.answer.get("book")):
            job.choices = choices
            self.desk.start(job, answers)
        return RedirectResponse(f"/jobs/{job.name}", 303)

    async def stop(self, request: Request) -> Response:
        """End the work on a job."""
        job = self.job(request)
        async with self.form(request):
            job.stop()
        return RedirectResponse("/", 303)

    async def forget(self, request: Request) -> Response:
        """Remove everything that the session dropped."""
        async with self.form(request) as (session, _, _):
            self.desk.forget(session)
        return RedirectResponse("/", 303)

    async def book(self, request: Request) -> Response:
        """Hand out the book that was made."""
        job = self.job(request)
        return _handed(job, (job.answer or {}).get("book") and BOOK, f"{job.stem}.xlsx")

    async def marked(self, request: Request) -> Response:
        """Hand out the marked copy of a book."""
        job = self.job(request)
        name = (job.answer or {}).get("marked")
        return _handed(job, name, f"{job.stem} marked{Path(name or '').suffix}")

    async def refused(self, request: Request, error: Exception) -> Response:
        """Say why something was refused."""
        assert isinstance(error, HTTPException)
        sentence = "there is no such page" if error.detail == "Not Found" else error.detail
        return HTMLResponse(pages.failed("This did not work", sentence), error.status_code)

    async def refused_by_system(self, request: Request, error: Exception) -> Response:
        """Say what the system did not give, and what would help."""
        sentence = refused_by_system(error)
        if not sentence:
            raise error
        return HTMLResponse(pages.failed("This did not work", sentence), 503)


def _handed(job: Job, name: str | None, called: str) -> Response:
    if not name or not (job.folder / name).is_file():
        raise HTTPException(404, "there is no such file any more: make it again")
    quoted = quote(called)
    named = f'filename="{called}"' if quoted == called else f"filename*=utf-8''{quoted}"
    headers = {"Content-Disposition": f"attachment; {named}"}
    return Response((job.folder / name).read_bytes(), media_type=SHEET, headers=headers)


def chosen(fields: Mapping[str, str]) -> dict[str, str]:
    """Return the choices of a form; raises `HTTPException` for one that is not offered."""
    lists = {name: offered()[of] for name, _, of, _ in pages.FIELDS}
    found = {name: fields[name].strip() for name in pages.CHOICES if fields.get(name, "").strip()}
    for name, value in found.items():
        if name in lists and value not in lists[name]:
            raise HTTPException(400, f"expected as {name} one of {', '.join(lists[name])}, got {value!r}")
    return found


async def _style(_request: Request) -> Response:
    return Response(style(), media_type="text/css")


async def _calculators(_request: Request) -> Response:
    return HTMLResponse(calculators_page(), headers={"Content-Security-Policy": SCRIPTED})


def app(folder: Path, port: int, timeout: float) -> ASGIApp:
    """Return the server's pages, guarded, over a private folder; what runs is ended with them."""
    desk = Desk(folder, timeout)
    front = Front(desk, port)

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        yield
        await desk.end()

    routes = [
        Route("/", front.home),
        Route("/style.css", _style),
        Route("/calculators", _calculators),
        Route("/logs", front.drop, methods=["POST"]),
        Route("/book", front.drop, methods=["POST"]),
        Route("/forget", front.forget, methods=["POST"]),
        Route("/jobs/{job}", front.look),
        Route("/jobs/{job}", front.choose, methods=["POST"]),
        Route("/jobs/{job}/stop", front.stop, methods=["POST"]),
        Route("/jobs/{job}/book.xlsx", front.book),
        Route("/jobs/{job}/marked", front.marked),
    ]
    handlers = dict.fromkeys((OSError, MemoryError, RuntimeError, *OF_LOADING), front.refused_by_system)
    inner = Starlette(routes=routes, lifespan=lifespan, exception_handlers={HTTPException: front.refused, **handlers})
    return Guard(inner, port, MOST)
