"""The gateway, one Chromium, one Firefox, and pages whose errors fail the test."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Error, Page, Playwright, sync_playwright

sys.path.insert(0, str(Path(__file__).parent))

import media  # noqa: E402
from gateway import Gateway  # noqa: E402
from proxy import Proxy  # noqa: E402

OUT = Path(__file__).parent / "out"
# Problems caused by the tests: Playwright's screenshots in Firefox, which the policy reports by this hash, reading pixels, and
# contexts without service workers.
OF_OUR_OWN_MAKING = (
    "sha256-YjaKGiklmzC6wjXA513HAMmzus8VE61XCOT+SmwNZWA=",
    "willReadFrequently",
    "Service Worker registration blocked",
)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--seed", type=int, default=None, help="repeat the random meeting with this seed")


def pytest_itemcollected(item: pytest.Function) -> None:
    """Marks the tests that start Firefox, so that they can run in parallel with the others."""
    parameters = item.callspec.params.values() if hasattr(item, "callspec") else ()
    if "firefox" in [*item.fixturenames, *parameters]:
        item.add_marker("firefox")


@pytest.fixture(scope="session")
def out() -> Path:
    OUT.mkdir(exist_ok=True)
    return OUT


@pytest.fixture(scope="session")
def gateway() -> Iterator[Gateway]:
    running = Gateway()
    yield running
    assert running.stop() == 0


@pytest.fixture(scope="session")
def base(gateway: Gateway) -> str:
    """Returns the address over TLS: a secure context under any name."""
    return gateway.https


@pytest.fixture
def proxy(gateway: Gateway) -> Iterator[Proxy]:
    """A proxy between the browser and the plain port."""
    address = urlsplit(gateway.http)
    between = Proxy((address.hostname or "127.0.0.1", address.port or 80))
    yield between
    between.close()


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    with sync_playwright() as running:
        yield running


def executable(variable: str, *names: str) -> str:
    """Returns the browser named by the environment, else the first installed one of these."""
    found = os.environ.get(variable) or next(filter(None, map(shutil.which, names)), None)
    if not found:
        pytest.fail(f"none of {', '.join(names)} is installed, and {variable} names none")
    return found


@pytest.fixture(scope="session")
def chromium(playwright: Playwright) -> Iterator[Browser]:
    # The headless shell is the same engine without Chrome's own windows, which cost more than the page.
    path = executable("CHROMIUM", "chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
    arguments = [
        # A name other than localhost, for pages outside secure contexts.
        "--host-resolver-rules=MAP draw.test 127.0.0.1",
        # Service workers do not inherit this from the options of a context.
        "--ignore-certificate-errors",
    ]
    browser = playwright.chromium.launch(executable_path=path, args=arguments)
    print(f"\nchromium {browser.version}", file=sys.__stderr__)
    yield browser
    browser.close()


@pytest.fixture(scope="session")
def firefox(playwright: Playwright) -> Iterator[Browser]:
    path = executable("FIREFOX", "firefox-esr", "firefox")
    browser = playwright.firefox.launch(executable_path=path, channel="moz-firefox")
    print(f"\nfirefox {browser.version}", file=sys.__stderr__)
    yield browser
    browser.close()


@pytest.fixture
def browser(request: pytest.FixtureRequest) -> Browser:
    """The browser of the parameter, for tests marked with `both`."""
    return request.getfixturevalue(request.param)


both = pytest.mark.parametrize("browser", ["chromium", "firefox"], indirect=True)

# Marks tests that only `.ci/run all` runs. Without `all`, `.ci/run` runs one or two tests for each feature, which fail if it is
# broken.
in_full = pytest.mark.long
# Marks tests of behavior that does not depend on the engine: they run in Firefox only with `.ci/run all`.
both_in_full = pytest.mark.parametrize(
    "browser", ["chromium", pytest.param("firefox", marks=in_full)], indirect=True
)


def rest_in_full(first: object, *rest: object) -> list:
    """Returns the values of a parameter. Without `all`, `.ci/run` uses only the first value."""
    return [first, *(pytest.param(*(one if isinstance(one, tuple) else [one]), marks=in_full) for one in rest)]


class Problems(list[str]):
    """Errors reported by pages. A test that expects an error declares it by `allow`."""

    allowed: tuple[str, ...] = ()

    def allow(self, *texts: str) -> None:
        self.allowed += texts

    def hear(self, text: str) -> None:
        if not any(part in text for part in OF_OUR_OWN_MAKING):
            self.append(text)

    @property
    def unexpected(self) -> list[str]:
        return [text for text in self if not any(part in text for part in self.allowed)]


@pytest.fixture
def problems() -> Problems:
    return Problems()


Opener = Callable[..., Page]


@pytest.fixture
def unopened_page(problems: Problems) -> Iterator[Callable[..., Page]]:
    """unopened_page(browser, **options of the context): an empty page in its own context. Nothing is in its cache yet. A console
    message, an exception or a failed load of any page fails the test at the end."""
    with ExitStack() as stack:

        def opener(browser: Browser, **options) -> Page:
            # The page uses the browser's language.
            options = {"viewport": {"width": 1000, "height": 700}, "locale": "en-US", **options}
            context = browser.new_context(ignore_https_errors=True, **options)
            stack.callback(context.close)
            media.prepare(context, options)
            page = context.new_page()
            attend(page, problems)
            return page

        yield opener
    assert not problems.unexpected, "\n".join(problems.unexpected)


@pytest.fixture
def open_page(base: str, unopened_page: Callable[..., Page]) -> Opener:
    """open_page(browser, path or address, **options of the context): a page that has loaded; see `unopened_page`."""

    def opener(browser: Browser, address: str = "", **options) -> Page:
        page = unopened_page(browser, **options)
        page.goto(address if "://" in address else base + address)
        ready(page)
        return page

    return opener


def open_in(context: BrowserContext, address: str, problems: Problems) -> Page:
    page = context.new_page()
    attend(page, problems)
    page.goto(address)
    ready(page)
    return page


def attend(page: Page, problems: Problems) -> None:
    def console(message) -> None:
        if message.type in ("error", "warning"):
            problems.hear(f"console.{message.type}: {message.text}")

    def failed(request) -> None:
        # A page cancels its other probes when one is answered.
        if not request.url.endswith("/healthz"):
            problems.hear(f"failed: {request.url} {request.failure}")

    page.on("console", console)
    page.on("pageerror", lambda error: problems.hear(f"uncaught: {error}"))
    page.on("requestfailed", failed)


def can_draw(page: Page) -> None:
    """Waits until a person can draw on the page. Other parts of the page may not be loaded yet."""
    page.locator("html[data-ready]").wait_for(state="attached")


def ready(page: Page) -> None:
    """Waits until all parts of the page are loaded."""
    page.locator("html[data-complete]").wait_for(state="attached")


def until(get: Callable[[], object], is_right: Callable[[object], bool] = bool, seconds: float = 8):
    """Polls from here, because a page with a strict policy evaluates no strings by itself."""
    end = time.monotonic() + seconds
    while True:
        try:
            if is_right(value := get()):
                return value
        except Error as error:
            # The page is navigating, and the next attempt asks the new document.
            if "Execution context was destroyed" not in error.message:
                raise
            value = error.message
        assert time.monotonic() < end, f"still {value!r} after {seconds} s"
        time.sleep(0.005)
