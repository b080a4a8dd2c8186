#!/usr/bin/env python3
"""Measures how fast the page shows a session of 100,000 strokes in Chromium, and the latency of a pen's ink.

    Tests/Benchmark/run page [--runs 10] [--strokes 100000] [--prefer 10]

Fills one session with strokes of 20 points. Each run opens it in a fresh browser profile, pans and zooms for five seconds, one
step per frame, and then draws 20 lines with a pen in one of two pages of an empty session. Pictures are timed from the start
of the navigation, frames from the browser's first one. A pen's ink is timed from the browser's event of a point until a frame
has ink in the canvas just before that point, all on one clock; the latency of a screen is not included. At the end it prints
for each figure the number of runs that met its goal.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from crowd import Crowd
from figures import spread
from machine import REPOSITORY, hardware, load, said
from subject import RELIABLE_REPLACE, Subject, fill

sys.path.append(str(REPOSITORY / "Tests" / "Browser"))

from board import Pen, pixels, sees_people  # noqa: E402
from conftest import Problems, executable, open_in  # noqa: E402
from playwright.sync_api import Browser, Page, sync_playwright  # noqa: E402

# A canvas' limits are made for human speed.
RAISED = ["--max-entries-per-second", "1000000", "--max-bytes-per-second", "4G"]
# Both pages are in one browser, and only one of them is in the foreground.
UNTHROTTLED = ["--disable-background-timer-throttling", "--disable-backgrounding-occluded-windows",
               "--disable-renderer-backgrounding"]  # fmt: skip
SECONDS_OF_MOVING = 5
PEN_LINES = 20


@dataclass(frozen=True)
class Figure:
    """A measured figure in milliseconds, and its limit."""

    name: str
    goal: float | None = None


FIRST = Figure("first coarse picture (ink at 20 of 960 places)", 2_000)
ALL = Figure("all of it, as sharp as it gets", 8_000)
LOADING = Figure("longest frame while it loads", 100)
MOVING_MOST = Figure("frames while panning and zooming, 95th percentile", 20)
MOVING_LONGEST = Figure("longest frame while panning and zooming", 100)
OTHER = Figure("pen to the other's pixel, median", 35)
OTHER_MOST = Figure("pen to the other's pixel, 90th percentile")
OWN = Figure("pen to its own pixel, median")
OWN_MOST = Figure("pen to its own pixel, 90th percentile")

# Runs before the page's own scripts: checks each frame, and resolves with the findings.
WATCH = """globalThis.watched = new Promise((resolve) => {
  const found = { frames: [], first: null, all: null };
  const small = new OffscreenCanvas(40, 24).getContext('2d', { willReadFrequently: true });
  const hasInk = () => {
    const canvas = document.getElementById('canvas');
    if (!canvas?.width) return false;
    small.clearRect(0, 0, 40, 24);
    small.drawImage(canvas, 0, 0, 40, 24);
    const { data } = small.getImageData(0, 0, 40, 24);
    let count = 0;
    for (let at = 3; at < data.length; at += 4) count += data[at] > 20;
    return count >= 20;
  };
  const isAll = () => drawTogether.isSettled && document.getElementById('summary').textContent.startsWith('STROKES ');
  requestAnimationFrame(function look(time) {
    found.frames.push(time);
    // Reading pixels costs time, so every other frame.
    if (found.first === null && found.frames.length % 2 === 0 && hasInk()) found.first = performance.now();
    if (found.first !== null && isAll()) found.all = performance.now();
    if (found.all !== null || performance.now() > 120_000) resolve(found);
    else requestAnimationFrame(look);
  });
});"""

# Pans and zooms; resolves with the times of the frames.
MOVE = """async (seconds) => {
  const canvas = document.getElementById('canvas');
  const [zoomIn, zoomOut] = [-12, 12].map((deltaY) => ({ deltaY, ctrlKey: true }));
  const pans = [[8, 5], [-8, -5], [-14, 9], [14, -9]].map(([deltaX, deltaY]) => ({ deltaX, deltaY }));
  const ways = [pans[0], zoomIn, pans[1], pans[2], zoomOut, pans[3]];
  const where = { clientX: canvas.clientWidth / 2, clientY: canvas.clientHeight / 2, bubbles: true, cancelable: true };
  const frames = [];
  const end = performance.now() + 1000 * seconds;
  while (performance.now() < end) {
    frames.push(await new Promise(requestAnimationFrame));
    canvas.dispatchEvent(new WheelEvent('wheel', { ...ways[Math.floor(frames.length / 40) % ways.length], ...where }));
  }
  return frames;
}"""

# The time of the pen's event at this x, and the time when this pixel had ink, on a clock that both pages share; null after 5 s.
SENT = """(x) => void (globalThis.sent = new Promise((resolve) => {
  const listening = new AbortController();
  addEventListener('pointermove', (event) => {
    if (Math.abs(event.clientX - x) > 2) return;
    listening.abort();
    resolve(performance.timeOrigin + event.timeStamp);
  }, { capture: true, signal: listening.signal });
  setTimeout(resolve, 5000, null);
}))"""
SEEN = """([x, y]) => void (globalThis.seen = new Promise((resolve) => {
  const canvas = document.getElementById('canvas');
  const ratio = canvas.width / canvas.clientWidth;
  const context = canvas.getContext('2d');
  const end = performance.now() + 5000;
  (function look() {
    const now = performance.now();
    if (context.getImageData(x * ratio, y * ratio, 1, 1).data[3] > 100) resolve(performance.timeOrigin + now);
    else if (now > end) resolve(null);
    else requestAnimationFrame(look);
  })();
}))"""


class Visit:
    """Pages of a fresh browser profile, which must log no errors."""

    def __init__(self, browser: Browser, gateway: Subject) -> None:
        self.browser = browser
        self.base = f"http://127.0.0.1:{gateway.port}/s/"
        self.problems = Problems()

    def open(self, session: str, script: str = "", width: int = 1_280, height: int = 800) -> Page:
        context = self.browser.new_context(viewport={"width": width, "height": height}, locale="en-US")
        if script:
            context.add_init_script(script)
        return open_in(context, self.base + session, self.problems)

    def end(self) -> None:
        for context in self.browser.contexts:
            context.close()
        if self.problems:
            raise SystemExit("the page complains: " + "; ".join(self.problems))


def show(visit: Visit, session: str, strokes: int) -> dict[Figure, float]:
    page = visit.open(session, WATCH.replace("STROKES", f"{strokes:,}"))
    found = page.evaluate("watched")
    if found["all"] is None:
        raise SystemExit(f"not all is there within 2 minutes; the page says: {page.locator('#summary').text_content()}")
    before = pixels(page)
    moving = gaps(page.evaluate(MOVE, SECONDS_OF_MOVING))
    if pixels(page) == before:
        raise SystemExit("the picture did not move")
    visit.end()
    return {FIRST: found["first"], ALL: found["all"], LOADING: gaps(found["frames"])[-1],
            MOVING_MOST: share(moving, 0.95), MOVING_LONGEST: moving[-1]}  # fmt: skip


def draw(visit: Visit, session: str) -> dict[Figure, float]:
    artist, other = (visit.open(session, width=1_000, height=700) for _ in range(2))
    for page in (artist, other):
        sees_people(page, 2)
    pen = Pen(artist)
    found = [line(artist, other, pen, 80 + 17 * at) for at in range(PEN_LINES)]
    visit.end()
    own, others = (sorted(times) for times in zip(*found, strict=True))
    return {OTHER: statistics.median(others), OTHER_MOST: share(others, 0.9),
            OWN: statistics.median(own), OWN_MOST: share(own, 0.9)}  # fmt: skip


def line(artist: Page, other: Page, pen: Pen, y: float) -> tuple[float, float]:
    """Draws a line at the speed of a pen. Returns the milliseconds from its point at 700 until each page has ink just before
    it."""

    def go(xs: range) -> None:
        for x in xs:
            pen.move(x, y)
            time.sleep(0.008)

    pen.hover(100, y)
    pen.down(100, y)
    go(range(110, 400, 12))
    artist.evaluate(SENT, 700)
    for page in (artist, other):
        page.evaluate(SEEN, [688, y])
    go(range(700, 760, 8))
    sent, own, others = artist.evaluate("sent"), artist.evaluate("seen"), other.evaluate("seen")
    pen.up(760, y)
    if None in (sent, own, others):
        raise SystemExit(f"a pen's point was not seen within 5 s: sent {sent}, own {own}, other's {others}")
    return own - sent, others - sent


def gaps(frames: list[float]) -> list[float]:
    """Returns the times between frames, sorted."""
    return sorted(after - before for before, after in zip(frames, frames[1:], strict=False))


def share(ordered: list[float], of_all: float) -> float:
    return ordered[min(len(ordered) - 1, int(len(ordered) * of_all))]


def measure(gateway: Subject, browser: Browser, count: int, strokes: int) -> list[dict[Figure, float]]:
    crowded = gateway.create_session()
    # With a final entry, like a finished stroke: strokes without one are painted as in progress.
    fill(gateway.port, crowded, strokes, Crowd(strokes).stroke, RELIABLE_REPLACE, ahead=10_000)
    print(f"{strokes:,} strokes; load average {load()}", flush=True)
    runs = []
    for number in range(1, count + 1):
        visit = Visit(browser, gateway)
        runs.append(show(visit, crowded, strokes) | draw(visit, gateway.create_session()))
        print(f"\nrun {number}, load average {load()}")
        for figure, value in runs[-1].items():
            print(f"{figure.name:52}{value:8,.0f} ms", flush=True)
    return runs


def report(runs: list[dict[Figure, float]]) -> None:
    print("\nmedians (least–most), in milliseconds")
    for figure in runs[0]:
        values = [found[figure] for found in runs]
        met = sum(value <= figure.goal for value in values) if figure.goal else 0
        words = f"   at most {figure.goal:,.0f} ms: {met} of {len(runs)} runs met" if figure.goal else ""
        print(f"{figure.name:52}{spread(values, 0):>22}{words}")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("binary", type=Path, help="the gateway; `run page` names it")
    options.add_argument("--runs", type=int, default=10)
    options.add_argument("--strokes", type=int, default=100_000)
    options.add_argument("--prefer", type=int, default=0, metavar="N",
                         help="lower the nice value of gateway and browser by N, as root; it says little where the kernel"
                         " groups processes by their sessions, for a browser has one of its own")  # fmt: skip
    given = options.parse_args()
    try:
        os.nice(-given.prefer)
    except PermissionError:
        options.error(f"--prefer {given.prefer}: only root may lower the nice value")
    with tempfile.TemporaryDirectory() as folder:
        gateway = Subject(given.binary, Path(folder), *RAISED)
        try:
            with sync_playwright() as playwright:
                path = executable("CHROMIUM", "chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
                browser = playwright.chromium.launch(executable_path=path, args=UNTHROTTLED)
                print(f"{hardware()}; Chromium {browser.version}, gateway {said([str(given.binary), '--version'])}")
                runs = measure(gateway, browser, given.runs, given.strokes)
                browser.close()
        finally:
            gateway.end()
    report(runs)


if __name__ == "__main__":
    main()
