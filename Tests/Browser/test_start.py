"""Strokes that are drawn while the page is loading: they are painted at once, and are strokes like all others afterwards."""

from __future__ import annotations

import re

import pytest
from board import PHONE, Fingers, draw, has_ink, line, move, pen, sees_ink, sees_people, share, touch
from conftest import both, both_in_full, can_draw, in_full, ready, until
from playwright.sync_api import Page, Route

# The scripts ahead of the canvas, which a release has inside its markup; all others are modules.
FIRST = re.compile(r"/(early|strokeRecorder)[^/]*\.js$")

# What a page needs to enter a session.
SESSION_PARTS = re.compile(r"/session(-\w+)?\.js")

RECORDED = """([x, y]) => {
  const canvas = document.querySelector('.recorded');
  const ratio = canvas ? canvas.width / canvas.clientWidth : 1;
  return canvas ? canvas.getContext('2d').getImageData(x * ratio, y * ratio, 1, 1).data[3] : -1;
}"""

# In each frame, before the page paints: the ink of the frame that is visible now.
WATCH = """([x, y]) => {
  globalThis.inks_ = [];
  const ink = (canvas) => {
    if (!canvas) return false;
    const ratio = canvas.width / canvas.clientWidth;
    return canvas.getContext('2d').getImageData(x * ratio, y * ratio, 1, 1).data[3] > 200;
  };
  (function next() {
    inks_.push([ink(document.querySelector('.recorded')), ink(document.getElementById('canvas'))]);
    requestAnimationFrame(next);
  })();
}"""


class SlowLoad:
    """A load of the page whose modules do not arrive until `finish`."""

    def __init__(self, page: Page, address: str = "") -> None:
        self.page = page
        self.held: list[Route] | None = []
        page.route("**/*.js", self.hold)
        # Not `reload`: in Firefox it waits for the held scripts.
        page.goto(address or page.url, wait_until="commit")
        page.locator("noscript").wait_for(state="attached")
        until(lambda: self.held)

    def hold(self, route: Route) -> None:
        if self.held is None or FIRST.search(route.request.url):
            route.continue_()
        else:
            self.held.append(route)

    def finish(self) -> None:
        assert self.held is not None and self.page.locator("html[data-ready]").count() == 0
        held, self.held = self.held, None
        for route in held:
            route.continue_()
        ready(self.page)


def is_recorded(page: Page, x: float, y: float) -> bool:
    return page.evaluate(RECORDED, [x, y]) > 200


def counts(page: Page, text: str) -> None:
    until(lambda: page.locator("#summary").text_content(), lambda found: found == text)


@both
def test_strokes_drawn_while_the_page_loads_are_kept(browser, open_page):
    page = open_page(browser, service_workers="block")
    load = SlowLoad(page)
    draw(page, line(100, 200, 300, 200))
    draw(page, line(100, 300, 300, 300))
    assert is_recorded(page, 200, 200) and is_recorded(page, 200, 300)
    load.finish()
    sees_ink(page, 200, 200)
    sees_ink(page, 200, 300)
    counts(page, "2 strokes are drawn.")
    until(lambda: page.locator(".recorded").count() == 0)
    page.keyboard.press("Control+z")
    counts(page, "1 stroke is drawn.")
    draw(page, line(100, 400, 300, 400))
    counts(page, "2 strokes are drawn.")
    page.unroute("**/*.js")
    page.reload()
    counts(page, "2 strokes are drawn.")


@both_in_full
def test_strokes_drawn_while_a_session_loads_reach_the_others(browser, open_page):
    first = open_page(browser)
    path = share(first)
    draw(first, line(100, 100, 300, 100))
    second = open_page(browser, service_workers="block")
    load = SlowLoad(second, first.url.split("/s/")[0].rstrip("/") + "/" + path)
    draw(second, line(100, 250, 300, 250))
    load.finish()
    for page in (first, second):
        sees_people(page, 2)
        sees_ink(page, 200, 250)
        sees_ink(page, 200, 100)
        counts(page, "2 strokes are drawn.")


@both_in_full
def test_a_page_whose_parts_for_a_session_cannot_be_loaded_is_drawn_on_and_enters_it_later(
    browser, open_page, problems
):
    problems.allow("/session-", "/session.js", "Failed to load resource")
    first = open_page(browser)
    path = share(first)
    second = open_page(browser, service_workers="block")
    second.route(SESSION_PARTS, lambda route: route.abort())
    second.goto(first.url.split("/s/")[0].rstrip("/") + "/" + path)
    can_draw(second)
    until(lambda: second.locator(".recorded").count() == 0)
    second.locator(".toast", has_text="could not be loaded").wait_for()
    draw(second, line(100, 250, 300, 250))
    until(lambda: has_ink(second, 200, 250))
    second.unroute(SESSION_PARTS)
    second.evaluate("dispatchEvent(new Event('online'))")
    for page in (first, second):
        sees_people(page, 2)
        sees_ink(page, 200, 250)
        counts(page, "1 stroke is drawn.")


@in_full
@both
def test_a_stroke_goes_on_when_the_page_is_loaded(browser, open_page):
    page = open_page(browser, service_workers="block")
    load = SlowLoad(page)
    page.mouse.move(100, 200)
    page.mouse.down()
    move(page, line(100, 200, 300, 200))
    load.finish()
    move(page, line(300, 200, 300, 400))
    page.mouse.up()
    sees_ink(page, 200, 200)
    sees_ink(page, 300, 300)
    counts(page, "1 stroke is drawn.")


@in_full
@both
@pytest.mark.parametrize("scale", [1, 2])
def test_a_stroke_is_visible_in_every_frame_and_never_twice(browser, open_page, scale):
    page = open_page(browser, service_workers="block", device_scale_factor=scale)
    load = SlowLoad(page)
    draw(page, line(100, 200, 300, 200))
    page.evaluate(WATCH, [200, 200])
    load.finish()
    until(lambda: page.evaluate("inks_.at(-1)"), lambda ink: ink == [False, True])
    inks = page.evaluate("inks_")
    assert {tuple(ink) for ink in inks} == {(True, False), (False, True)}, inks


def test_pens_and_fingers_draw_while_the_page_loads(chromium, open_page):
    page = open_page(chromium, service_workers="block", **PHONE)
    load = SlowLoad(page)
    touch(page, line(100, 200, 300, 200))
    pen(page, line(100, 300, 300, 300), 0.8)
    assert is_recorded(page, 200, 200) and is_recorded(page, 200, 300)
    load.finish()
    sees_ink(page, 200, 200)
    sees_ink(page, 200, 300)
    counts(page, "2 strokes are drawn.")


@in_full
def test_two_fingers_make_no_stroke_while_the_page_loads(chromium, open_page):
    page = open_page(chromium, service_workers="block", **PHONE)
    load = SlowLoad(page)
    fingers = Fingers(page)
    fingers.down((100, 300))
    fingers.down((100, 300), (300, 300))
    fingers.move((120, 300), (280, 300))
    fingers.up()
    touch(page, line(100, 500, 300, 500))
    assert not is_recorded(page, 100, 300)
    load.finish()
    sees_ink(page, 200, 500)
    counts(page, "1 stroke is drawn.")


@in_full
def test_the_page_works_without_the_recorder(chromium, open_page, problems):
    problems.allow("strokeRecorder", "ERR_FAILED")
    page = open_page(chromium, service_workers="block")
    page.route("**/strokeRecorder*.js", lambda route: route.abort())
    page.reload()
    ready(page)
    draw(page, line(100, 200, 300, 200))
    until(lambda: has_ink(page, 200, 200))
