#!/usr/bin/env python3
"""Measures how fast the page loads over a slow line in Chromium and Firefox, and counts the strokes that are lost while it does.

    Tests/Benchmark/run loading [--runs 5] [--browser NAME]… [--public FOLDER] [--beside FOLDER [--beside-gateway FILE]]

Without --public it builds a release of the page. Each run opens the page in a fresh browser profile over a line with 1.6 Mbit/s and
a round trip of 150 ms, draws short strokes with the mouse until one is visible, and waits until the page is complete. Then all
connections are closed, the page is opened again with the same profile, and its service worker starts anew (in Chromium). Times
begin with the navigation. Plain http has a name that is no secure context, as in a home network, so there is no service worker.
The time without the slow line is that of the processor alone, and shows how busy the machine is.

The strokes are drawn from the first paint on, twenty in a row, by a person who opens the link of a session; another person in it
has a fast line. That line has 1.6 Mbit/s and 150 ms, or 0.4 Mbit/s and 400 ms.

--beside measures another page in the same rounds, such as that of an older release, and --beside-gateway serves it with another
gateway. Profiles are in memory, and certificates are trusted by their keys, because a browser that is told to ignore errors
opens its connections late.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import json
import os
import socket
import ssl
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from figures import Marks, median, spread
from machine import REPOSITORY, hardware, load, said
from slowline import SlowLine

sys.path.append(str(REPOSITORY / "Tests" / "Browser"))

from board import draw, has_ink, line, sees_people  # noqa: E402
from conftest import Problems, attend, executable, open_in, ready, until  # noqa: E402
from gateway import Gateway, page  # noqa: E402
from playwright.sync_api import Browser, BrowserContext, Error, Page, Playwright, sync_playwright  # noqa: E402

# A name that is no secure context.
HOST = "draw.test"
STROKES = 20
PATIENCE = 120


@dataclass(frozen=True)
class Line:
    megabits_per_second: float
    round_trip: float

    def __str__(self) -> str:
        return f"{self.megabits_per_second} Mbit/s, {1000 * self.round_trip:.0f} ms"


MOBILE = Line(1.6, 0.15)
SLOW = Line(0.4, 0.4)


@dataclass(frozen=True)
class Figure:
    """A figure in milliseconds, and its limits over http and https."""

    name: str
    limits: dict[str, float] = field(default_factory=dict, hash=False)
    unit: str = "ms"


DRAWABLE = Figure("drawable", {"http": 900, "https": 1_200})
COMPLETE = Figure("complete", {"http": 1_500, "https": 2_000})
SECOND = Figure("second visit", {"http": 500, "https": 700})
DIRECT = Figure("complete without the slow line")
RECEIVED = Figure("received until complete", unit="KB")
RECEIVED_SECOND = Figure("received at the second visit", unit="KB")

# Runs before the page's own scripts. Strokes of the measurement cross the column at 500.
WATCH = """{
  const found = { shown: null, drawable: null, complete: null, downs: [] };
  globalThis.loading_ = found;
  new MutationObserver((changes, observer) => {
    if (!document.documentElement?.hasAttribute('data-ready')) return;
    found.complete = performance.now();
    observer.disconnect();
  }).observe(document, { subtree: true, attributes: true, attributeFilter: ['data-ready'] });
  addEventListener('pointerdown', ({ timeStamp }) => found.downs.push(timeStamp), { capture: true, passive: true });
  const column = new OffscreenCanvas(1, 700).getContext('2d', { willReadFrequently: true });
  const hasInk = (canvas) => {
    if (canvas.width <= 500) return false;
    column.clearRect(0, 0, 1, 700);
    column.drawImage(canvas, 500, 0, 1, 700, 0, 0, 1, 700);
    return column.getImageData(0, 0, 1, 700).data.some((value, at) => at % 4 === 3 && value > 200);
  };
  requestAnimationFrame(function look() {
    const canvases = [...document.querySelectorAll('#canvas, .recorded')];
    if (canvases.length > 0 && performance.getEntriesByName('first-contentful-paint').length > 0) {
      found.shown ??= performance.now();
    }
    if (found.downs.length > 0 && canvases.some(hasInk)) found.drawable = performance.now();
    else requestAnimationFrame(look);
  });
}"""


class Served:
    """A folder of the page and its gateway."""

    def __init__(self, name: str, binary: Path, folder: Path) -> None:
        self.name = name
        self.has_worker = (folder / "service-worker.js").exists()
        os.environ["DRAWTOGETHER_BIN"] = str(binary)
        self.gateway = Gateway("--max-sessions-per-address-per-minute", "1000000", public=folder)

    @contextmanager
    def over(self, scheme: str, line: Line) -> Iterator[tuple[SlowLine, str]]:
        """Makes a line to this gateway, and returns it with the page's address."""
        target = urlsplit(self.gateway.https if scheme == "https" else self.gateway.http)
        slow = SlowLine((target.hostname or "", target.port or 0), line.megabits_per_second, line.round_trip)
        try:
            yield slow, self.address(scheme, slow.port)
        finally:
            slow.close()

    def address(self, scheme: str, port: int | None = None) -> str:
        """Returns the page's address, without a slow line if no port is given."""
        port = port or urlsplit(self.gateway.https if scheme == "https" else self.gateway.http).port
        return f"{scheme}://{'127.0.0.1' if scheme == 'https' else HOST}:{port}/"

    def create_session(self) -> str:
        with urllib.request.urlopen(urllib.request.Request(f"{self.gateway.http}api/sessions", method="POST")) as answer:
            return json.load(answer)["id"]

    @property
    def key(self) -> str:
        """Returns the hash of the certificate's key, by which Chromium trusts it."""
        address = urlsplit(self.gateway.https)
        certificate = ssl.get_server_certificate((address.hostname or "", address.port or 0))
        command = ["openssl", "x509", "-noout", "-pubkey"]
        key = subprocess.run(command, input=certificate, capture_output=True, text=True, check=True).stdout
        der = base64.b64decode("".join(key.splitlines()[1:-1]))
        return base64.b64encode(hashlib.sha256(der).digest()).decode()


class Visit:
    """Pages of a fresh profile."""

    def __init__(self, browser: Browser) -> None:
        # Firefox has no other way to trust a certificate.
        trusts = browser.browser_type.name == "firefox"
        self.browser = browser
        self.problems = Problems()
        self.problems.allow("Cross-Origin-Opener-Policy", "preload")
        self.options = {"viewport": {"width": 1_000, "height": 700}, "locale": "en-US", "ignore_https_errors": trusts}

    def context(self) -> BrowserContext:
        context = self.browser.new_context(**self.options)
        context.add_init_script(WATCH)
        return context

    def start(self, context: BrowserContext, address: str) -> Page:
        """Opens the page, and returns as soon as its first bytes are there."""
        opened = context.new_page()
        attend(opened, self.problems)
        opened.goto(address, wait_until="commit")
        return opened

    def end(self) -> None:
        for context in self.browser.contexts:
            context.close()
        for problem in self.problems.unexpected:
            print(f"the page complains: {problem}")


# MARK: Times


def load_twice(browser: Browser, served: Served, scheme: str) -> dict[Figure, float]:
    visit = Visit(browser)
    fast = visit.start(visit.context(), served.address(scheme))
    ready(fast)
    direct = fast.evaluate("loading_.complete")
    visit.end()
    with served.over(scheme, MOBILE) as (slow, address):
        context = visit.context()
        opened = visit.start(context, address)
        draw_until_visible(opened)
        ready(opened)
        received = slow.down.carried
        found = opened.evaluate("loading_")
        if served.has_worker and scheme == "https":
            opened.evaluate("navigator.serviceWorker.ready.then(() => null)")
        opened.wait_for_load_state("networkidle")
        if browser.browser_type.name == "chromium":
            devtools = context.new_cdp_session(opened)
            devtools.send("ServiceWorker.enable")
            devtools.send("ServiceWorker.stopAllWorkers")
        opened.close()
        slow.cut()
        before = slow.down.carried
        again = visit.start(context, address)
        ready(again)
        received_again = slow.down.carried - before
        second = again.evaluate("loading_.complete")
        visit.end()
    return {DRAWABLE: found["drawable"], COMPLETE: found["complete"], SECOND: second, DIRECT: direct,
            RECEIVED: received / 1_000, RECEIVED_SECOND: received_again / 1_000}  # fmt: skip


def draw_until_visible(opened: Page) -> None:
    end = time.monotonic() + PATIENCE
    number = 0
    while opened.evaluate("loading_.drawable") is None:
        if time.monotonic() > end:
            raise SystemExit(f"no stroke is visible after {PATIENCE} s")
        try:
            draw(opened, stroke(number % STROKES))
        except Error:
            # Firefox' driver cannot move a mouse over a document that has no size yet.
            continue
        number += 1


def stroke(number: int) -> list[tuple[float, float]]:
    y = row(number)
    return line(460, y, 540, y, 1)


def row(number: int) -> int:
    return 110 + 22 * number


# MARK: Strokes


@dataclass(frozen=True)
class Strokes:
    """The strokes that were drawn before the page was complete, and those of all twenty that did not reach the other person."""

    early: int
    lost: int


def draw_while_loading(browser: Browser, served: Served, speed: Line) -> Strokes:
    visit = Visit(browser)
    path = f"s/{served.create_session()}"
    other = open_in(visit.context(), served.gateway.https + path, visit.problems)
    with served.over("https", speed) as (_, address):
        artist = visit.start(visit.context(), address + path)
        until(lambda: artist.evaluate("loading_.shown"), seconds=PATIENCE)
        for number in range(STROKES):
            draw(artist, stroke(number))
        artist.locator("html[data-ready]").wait_for(state="attached", timeout=1_000 * PATIENCE)
        for person in (artist, other):
            sees_people(person, 2, PATIENCE)
        # Entries arrive in their order, so all earlier ones are there with this one.
        draw(artist, stroke(STROKES))
        until(lambda: has_ink(other, 500, row(STROKES)), seconds=PATIENCE)
        arrived = sum(has_ink(other, 500, row(number)) for number in range(STROKES))
        summary = other.locator("#summary").text_content() or ""
        if summary.split()[0] != str(arrived + 1):
            visit.problems.append(f"{arrived + 1} strokes are visible, but: {summary}")
        found = artist.evaluate("loading_")
        visit.end()
    return Strokes(sum(down < found["complete"] for down in found["downs"][:STROKES]), STROKES - arrived)


# MARK: Runs


def measured_speed(served: Served, line: Line) -> str:
    """Returns the real rate and round trip of a line, which other work on the machine may change."""
    with served.over("http", line) as (slow, _), socket.create_connection(("127.0.0.1", slow.port)) as client:
        begun = time.monotonic()
        client.sendall(b"GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
        size = len(client.recv(65_536))
        first = last = time.monotonic()
        while more := client.recv(65_536):
            size += len(more)
            last = time.monotonic()
    return f"{(size - 1_460) * 8 / (last - first) / 1e6:.2f} Mbit/s, {1000 * (first - begun) / 2:.0f} ms"


def launch(playwright: Playwright, name: str, pages: list[Served]) -> Browser:
    if name == "firefox":
        path = executable("FIREFOX", "firefox-esr", "firefox")
        names = {"network.dns.localDomains": HOST}
        return playwright.firefox.launch(executable_path=path, channel="moz-firefox", firefox_user_prefs=names)
    path = executable("CHROMIUM", "chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
    keys = ",".join(served.key for served in pages)
    arguments = [f"--host-resolver-rules=MAP {HOST} 127.0.0.1", f"--ignore-certificate-errors-spki-list={keys}"]
    return playwright.chromium.launch(executable_path=path, args=arguments)


class Report:
    def __init__(self) -> None:
        self.marks = Marks()

    def add_times(self, name: str, served: Served, scheme: str, runs: list[dict[Figure, float]], is_judged: bool) -> None:
        for figure in runs[0]:
            values = [found[figure] for found in runs]
            limit = figure.limits.get(scheme)
            mark = self.marks.judge(median(values), limit, f"{limit:,.0f} ms") if is_judged and limit else ""
            self.add(name, served, scheme, figure.name, f"{spread(values, 0)} {figure.unit}", mark)

    def add_strokes(self, name: str, served: Served, speed: Line, runs: list[Strokes], is_judged: bool) -> None:
        lost = [found.lost for found in runs]
        early = ", ".join(str(found.early) for found in runs)
        mark = self.marks.judge(max(lost), 0, "0 in each run") if is_judged else ""
        figure = f"{', '.join(map(str, lost))} of {STROKES} lost; {early} drawn before it was complete"
        self.add(name, served, str(speed), "strokes", figure, mark)

    @staticmethod
    def add(*cells: str | Served) -> None:
        print("| " + " | ".join(cell.name if isinstance(cell, Served) else cell for cell in cells) + " |")


def measure(browser: Browser, name: str, pages: list[Served], count: int, stroke_count: int) -> tuple[dict, dict]:
    times: dict[tuple[Served, str], list[dict[Figure, float]]] = {}
    strokes: dict[tuple[Served, Line], list[Strokes]] = {}
    for number in range(1, max(count, stroke_count) + 1):
        print(f"\n{name}, run {number}, load average {load()}", flush=True)
        # In turns, so that none is always the first.
        for served in pages if number % 2 else pages[::-1]:
            for scheme in ("http", "https") if number <= count else ():
                found = load_twice(browser, served, scheme)
                times.setdefault((served, scheme), []).append(found)
                words = ", ".join(f"{figure.name} {value:,.0f} {figure.unit}" for figure, value in found.items())
                print(f"{served.name} {scheme}: {words}", flush=True)
            for speed in (SLOW, MOBILE) if number <= stroke_count else ():
                drawn = draw_while_loading(browser, served, speed)
                strokes.setdefault((served, speed), []).append(drawn)
                print(f"{served.name} {speed}: {drawn.lost} of {STROKES} strokes lost, {drawn.early} early", flush=True)
    return times, strokes


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("binary", type=Path, help="the gateway; `run loading` names it")
    options.add_argument("--runs", type=int, default=5)
    options.add_argument("--stroke-runs", type=int, default=3, help="runs with strokes, on each line")
    options.add_argument("--browser", action="append", choices=["chromium", "firefox"])
    options.add_argument("--public", type=Path, help="the page; else a release is built")
    options.add_argument("--beside", type=Path, help="another page")
    options.add_argument("--beside-gateway", type=Path)
    given = options.parse_args()
    pages = [Served("page", given.binary, given.public or page())]
    if given.beside:
        pages.append(Served("beside", given.beside_gateway or given.binary, given.beside))
    results = {}
    try:
        print(f"{hardware()}; gateway {said([str(given.binary), '--version'])}")
        for speed in (MOBILE, SLOW):
            print(f"line of {speed}: measured {measured_speed(pages[0], speed)}")
        with sync_playwright() as playwright:
            # One after the other: an idle browser costs time, too.
            for name in given.browser or ["chromium", "firefox"]:
                browser = launch(playwright, name, pages)
                title = f"{name.capitalize()} {browser.version}"
                results[title] = measure(browser, title, pages, given.runs, given.stroke_runs)
                browser.close()
    finally:
        for served in pages:
            served.gateway.stop()
    print("\nmedians (least–most)\n")
    report = Report()
    report.add("browser", "page", "line", "figure", "value", "mark")
    report.add(*["---"] * 6)
    for title, (times, strokes) in results.items():
        for (served, scheme), runs in times.items():
            report.add_times(title, served, scheme, runs, served is pages[0])
        for (served, speed), drawn in strokes.items():
            report.add_strokes(title, served, speed, drawn, served is pages[0])
    print(f"\nMarks: {report.marks.passed} passed, {report.marks.failed} failed.")


if __name__ == "__main__":
    main()
