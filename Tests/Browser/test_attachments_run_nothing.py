"""No uploaded content runs, in whatever way a page of the same origin refers to it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from conftest import both, both_in_full, in_full, until
from hostile import BY_FRAME, BY_NAME, CSS, FILES, FRAMES, HTML, PICTURE_TYPES, SCRIPT, SVG
from journal import Journal
from playwright.sync_api import BrowserContext, Error, Page, Request, Route

BARE = """<!doctype html><title>bare</title><body><script>
var ran = [];
var channel = new BroadcastChannel('hostile');
channel.onmessage = ({ data }) => ran.push(data);
</script>"""
# The traces of a script that ran; the page's own settings are expected.
LEFT = """[
  ...Object.keys(localStorage).filter((name) => !name.startsWith('drawtogether:')),
  ...document.cookie.split('; '),
  ...(globalThis.ran ?? []),
  globalThis.reached,
  getComputedStyle(document.documentElement).getPropertyValue('--ran'),
]"""
# The effect of the same files if the gateway served them with the types that they claim.
HONEST = {
    "html": ("text/html", HTML),
    "svg": ("image/svg+xml", SVG),
    "js": ("text/javascript", SCRIPT),
    "css": ("text/css", CSS),
}


def honest(path: str) -> tuple[str, str]:
    """Returns the type and the text at a path."""
    name = path.rsplit("/", 1)[1]
    if name == "bare":
        return "text/html", BARE
    kind, text = HONEST.get(name.rsplit(".", 1)[-1], ("text/plain", ""))
    return kind, text.replace("NAME", name)


class Watch:
    """A page of the gateway's origin, without the page's own policy: only the headers of attachments protect it.
    It records every script that runs in the origin. `/honest/NAME.TYPE` are the test's own files, which do run."""

    def __init__(self, context: BrowserContext, origin: str) -> None:
        self.context = context
        self.origin = origin
        self.asked: list[str] = []
        context.on("request", self._hear)
        self.page = self.open()

    def open(self) -> Page:
        page = self.context.new_page()
        page.goto(f"{self.origin}bare")
        return page

    def ran(self) -> set[str]:
        """Returns the names of the files that ran, in any way."""
        told = [one.split("=")[0] for one in self.page.evaluate(LEFT) if one]
        return {*told, *(name.split("ran=")[1].removesuffix("-imported") for name in self.asked)}

    def _hear(self, request: Request) -> None:
        if "ran=" in request.url:
            self.asked.append(request.url)


class Careless(BaseHTTPRequestHandler):
    """Serves the same files with the types that they claim."""

    def do_GET(self) -> None:
        kind, text = honest(self.path)
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_: object) -> None:
        pass


def watch_over(context: BrowserContext, origin: str) -> Watch:
    """Adds the two kinds of files to an origin."""

    def serve(route: Route) -> None:
        kind, text = honest(route.request.url)
        route.fulfill(content_type=kind, body=text)

    context.route("**/bare", serve)
    context.route("**/honest/*", serve)
    return Watch(context, origin)


@pytest.fixture
def journal(gateway) -> Journal:
    return Journal(gateway.http)


@pytest.fixture
def uploaded(journal: Journal) -> list[tuple[dict, str]]:
    """Uploads all files, each with the claimed type."""
    return [(journal.add(name, kind, text.replace("NAME", name).encode()), kind) for name, kind, text in FILES]


@pytest.fixture
def watch(browser, gateway):
    with browser.new_context() as context:
        yield watch_over(context, gateway.http)


@both_in_full
def test_no_upload_runs_in_a_page_of_the_origin(browser, watch, journal, uploaded):
    for attachment, _ in uploaded:
        found = watch.page.evaluate(BY_NAME, journal.path(attachment))
        assert set(found.values()) == {"refused"}, (attachment["name"], found)
        watch.page.evaluate(BY_FRAME, [journal.path(attachment), FRAMES])
    # Requested last, and runs: all earlier files would have run before.
    watch.page.evaluate(BY_FRAME, ["/honest/last.html", FRAMES])
    until(lambda: "last.html" in watch.ran())
    assert watch.ran() == {"last.html"}


@pytest.fixture
def careless(browser) -> Iterator[Watch]:
    """The same observation, with a careless server."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Careless) as server, browser.new_context() as context:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield Watch(context, f"http://127.0.0.1:{server.server_port}/")
        server.shutdown()


@in_full
@both
def test_the_observation_detects_running_files(browser, careless):
    page, ran = careless.page, careless.ran
    for way in ("script", "module", "import", "worker", "module worker"):
        assert page.evaluate(BY_NAME, f"/honest/{way}.js")[way] == "loaded"
        until(lambda way=way: f"{way}.js" in {name.replace("%20", " ") for name in ran()})
    assert page.evaluate(BY_NAME, "/honest/any.css")["stylesheet"] == "loaded"
    assert "any.css" in ran()
    for kind in ("html", "svg"):
        for name, attribute in FRAMES[:3]:
            page.evaluate(BY_FRAME, [f"/honest/{name}.{kind}", [[name, attribute]]])
            until(lambda seen=f"{name}.{kind}": seen in ran())
    page.goto(f"{careless.origin}honest/top.html")
    until(lambda: "top.html" in ran())


@in_full
@both
def test_no_upload_runs_when_opened_directly(browser, watch, journal, uploaded):
    page = watch.open()
    for attachment, kind in uploaded:
        address = watch.origin.rstrip("/") + journal.path(attachment)
        if kind in PICTURE_TYPES:
            answer = page.goto(address)
            assert answer.headers["content-type"] == kind
            assert page.locator("script, rect").count() == 0
        else:
            was_at = page.url
            with page.expect_download() as saved, pytest.raises(Error):
                page.goto(address)
            assert saved.value.suggested_filename == attachment["name"]
            assert page.url == was_at
    page.goto(f"{watch.origin}honest/last.html")
    until(lambda: "last.html" in watch.ran())
    assert watch.ran() == {"last.html"}


@both_in_full
def test_no_upload_runs_in_the_drawing_page(browser, open_page, journal, uploaded, problems, gateway):
    """The page's own policy allows scripts of its origin only."""
    problems.allow("")
    page = open_page(browser, gateway.http)
    watch = watch_over(page.context, gateway.http)
    for attachment, _ in uploaded:
        found = page.evaluate(BY_NAME, journal.path(attachment))
        assert set(found.values()) == {"refused"}, (attachment["name"], found)
        page.evaluate(BY_FRAME, [journal.path(attachment), FRAMES])
    found = page.evaluate(BY_NAME, "/honest/last.js")
    assert [found[way] for way in ("script", "module", "import")] == ["loaded"] * 3
    until(lambda: "last.js" in watch.ran())
    assert watch.ran() == {"last.js"}
