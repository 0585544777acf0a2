"""The viewer's addresses. Nothing is written, and no address is a path on the disk."""

import base64
import dataclasses
import functools
import hashlib
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import plotly
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from experiments.report.films.media import Media
from experiments.report.load import load_run, load_sub_tasks
from experiments.report.page import SCRIPT, STYLE, render
from experiments.view import pages, runs
from experiments.view.runs import Found

HERE = Path(__file__).parent
PLOTLY = Path(plotly.__file__).parent / "package_data" / "plotly.min.js"
MAX_COMPARED = 8
# Files of a run that a page shows, below its folder.
SHOWN = re.compile(
    r"videos/(iteration\d+/)?\w+\.(mp4|gif)|(tasks/\w+/)?iterations/\d+/frames/\w+\.png", re.ASCII
)
SHA = base64.b64encode(hashlib.sha256(SCRIPT.read_bytes()).digest()).decode()
POLICY = (
    f"default-src 'self'; script-src 'self' 'sha256-{SHA}'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; media-src 'self' data:; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY, "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer", "Cache-Control": "no-store",
}  # fmt: skip
DAMAGED = (OSError, RuntimeError, ValueError, KeyError, TypeError, AttributeError, IndexError)


def make_app(root: Path) -> Starlette:
    """The viewer of the runs below a folder."""
    root = root.resolve()
    handlers: dict[str, Callable[[Path, Request], Response]] = {
        "/": overview, "/live.json": states, "/compare": compared, "/run/{key}/": one_run,
        "/run/{key}/live.json": live, "/run/{key}/report.html": report,
        "/run/{key}/tasks/{task}/report.html": report, "/run/{key}/{path:path}": file,
        "/style.css": style,
    }  # fmt: skip
    routes = [
        Route("/view.js", lambda request: _file(HERE / "view.js")),
        Route("/plotly.js", lambda request: _file(PLOTLY, {"Cache-Control": "max-age=86400"})),
        *(Route(path, functools.partial(_answer, root, handler), methods=["GET"])
          for path, handler in handlers.items()),
    ]  # fmt: skip
    hosts = Middleware(TrustedHostMiddleware, allowed_hosts=["127.0.0.1", "localhost"])
    return Starlette(routes=routes, middleware=[hosts])


def _answer(root: Path, handler: Callable[[Path, Request], Response], request: Request) -> Response:
    """An answer with the headers of all; what a damaged run folder does is told in one line."""
    try:
        answer = handler(root, request)
    except HTTPException as error:
        answer = HTMLResponse(pages.page(error.detail, ""), error.status_code)
    except DAMAGED as error:
        words = f"This run cannot be read: {type(error).__name__}: {error}"
        answer = HTMLResponse(pages.page("Not readable", pages.html.note("", words, "bad")), 500)
    for name, value in HEADERS.items():
        answer.headers.setdefault(name, value)
    return answer


def _file(path: Path, headers: dict[str, str] | None = None) -> FileResponse:
    return FileResponse(path, headers={**HEADERS, **(headers or {})})


def _run(root: Path, key: str) -> Found:
    run = runs.find(root).get(key)
    if run is None:
        raise HTTPException(404, "There is no such run here")
    return run


def _summaries(root: Path) -> tuple[list[dict[str, Any]], dict[str, str]]:
    """Of all runs, and by name why others cannot be read."""
    found, damaged = [], {}
    for run in runs.find(root).values():
        try:
            found.append(runs.summary(run))
        except DAMAGED as error:
            damaged[run.name] = f"cannot be read: {type(error).__name__}: {error}"
    return found, damaged


def overview(root: Path, request: Request) -> Response:
    return HTMLResponse(pages.overview(root.name, *_summaries(root)))


def states(root: Path, request: Request) -> Response:
    """State of every run, for the list, which has told what is damaged."""
    return JSONResponse({s["key"]: pages.state(s) for s in _summaries(root)[0]})


def one_run(root: Path, request: Request) -> Response:
    return HTMLResponse(pages.of_run(_run(root, request.path_params["key"])))


def live(root: Path, request: Request) -> Response:
    """Rows of metrics from number `start` on, and what a page tells besides."""
    start = request.query_params.get("start", "0")
    if not re.fullmatch(r"[0-9]{1,9}", start):
        raise HTTPException(400, "start must be a number")
    now: dict[str, Any] = runs.live(_run(root, request.path_params["key"]), int(start))
    shown = {
        "state": pages.state(now, phase=False),
        "told": pages.told(now),
        "evals": pages.evaluations(now),
    }
    return JSONResponse({**now, "html": shown})


def report(root: Path, request: Request) -> Response:
    """The report, of what is there now; its videos and pictures are fetched one by one."""
    run = load_run(_run(root, request.path_params["key"]).folder)
    if task := request.path_params.get("task"):
        named = [sub for sub in load_sub_tasks(run) if sub.folder.name == task]
        if not named:
            raise HTTPException(404, "There is no such sub-task")
        run = named[0]
    return HTMLResponse(render(dataclasses.replace(run, media=Media(run.folder))))


def compared(root: Path, request: Request) -> Response:
    keys = list(dict.fromkeys(request.query_params.getlist("run")))
    if not 1 < len(keys) <= MAX_COMPARED:
        raise HTTPException(400, f"Choose 2 to {MAX_COMPARED} runs")
    return HTMLResponse(pages.compared([_run(root, key) for key in keys]))


def file(root: Path, request: Request) -> Response:
    """A video or picture of a run; any other file, and what a link leads to, is not there."""
    folder = _run(root, request.path_params["key"]).folder
    name = request.path_params["path"]
    path = folder / name
    if not SHOWN.fullmatch(name) or not path.is_file() or path.resolve() != folder.resolve() / name:
        raise HTTPException(404, "There is no such file")
    return _file(path)


def style(root: Path, request: Request) -> Response:
    return Response(STYLE.read_text() + (HERE / "view.css").read_text(), media_type="text/css")
