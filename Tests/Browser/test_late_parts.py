"""The parts of the page that a session does not need: they arrive after the page has entered the session."""

from __future__ import annotations

import re

from board import draw, has_ink, line, sees_ink, sees_people, share
from conftest import both, both_in_full, can_draw, in_full, ready, until
from playwright.sync_api import Page, Route
from test_pages import has_title, rename
from test_sheets import add, has_tabs, strokes

PARTS = re.compile(r"/deferred(-\w+)?\.js")


def enter(page: Page, first: Page, address: str) -> None:
    """Enters the session of another page while the late parts of this page are held back."""
    page.goto(address, wait_until="commit")
    can_draw(page)
    for one in (first, page):
        sees_people(one, 2)


@both
def test_a_session_is_entered_before_the_other_parts_arrive(browser, open_page, unopened_page):
    first = open_page(browser)
    share(first)
    draw(first, line(200, 200, 400, 200))
    rename(first, "Plans")
    add(first)
    draw(first, line(200, 450, 400, 450))
    second = unopened_page(browser, service_workers="block")
    held: list[Route] = []
    second.route(PARTS, lambda route: held.append(route))
    enter(second, first, first.url.split("#")[0])
    until(lambda: strokes(second), lambda count: count == 2)
    sees_ink(second, 300, 200)
    assert not has_ink(second, 300, 450)
    draw(second, line(200, 300, 400, 300))
    until(lambda: strokes(first), lambda count: count == 3)
    first.keyboard.press("w")
    first.locator(".chip.me .badge[data-kind=hand]").wait_for()
    until(lambda: held)
    assert second.locator("#sheets").count() == 0
    for route in held:
        route.continue_()
    ready(second)
    has_tabs(second, "Sheet 1", "Sheet 2")
    has_title(second, "Plans")
    second.locator(".chip:not(.me) .badge[data-kind=hand]").wait_for()
    second.locator(".chip:not(.me)[data-sheet='2']").wait_for()
    sees_ink(second, 300, 200)
    sees_ink(second, 300, 300)
    second.locator("#together").wait_for()


@in_full
@both
def test_a_link_to_a_sheet_shows_it_before_the_other_parts_arrive(browser, open_page, unopened_page):
    first = open_page(browser)
    share(first)
    draw(first, line(200, 200, 400, 200))
    add(first)
    draw(first, line(200, 450, 400, 450))
    assert first.url.endswith("#page=2")
    second = unopened_page(browser, service_workers="block")
    held: list[Route] = []
    second.route(PARTS, lambda route: held.append(route))
    enter(second, first, first.url)
    sees_ink(second, 300, 450)
    assert not has_ink(second, 300, 200)
    until(lambda: first.locator(".chip:not(.me)").get_attribute("data-sheet"), lambda sheet: sheet is None)
    until(lambda: held)
    for route in held:
        route.continue_()
    ready(second)
    assert second.locator("#sheets [aria-selected=true]").inner_text() == "Sheet 2"
    assert second.url.endswith("#page=2")


@both_in_full
def test_parts_that_could_not_be_loaded_are_requested_again(browser, open_page, unopened_page, problems):
    problems.allow("deferred", "Failed to load resource")
    first = open_page(browser)
    share(first)
    second = unopened_page(browser, service_workers="block")
    failed: list[str] = []

    def fail(route: Route) -> None:
        failed.append(route.request.url)
        route.abort()

    second.route(PARTS, fail)
    enter(second, first, first.url)
    until(lambda: failed)
    draw(second, line(200, 300, 400, 300))
    sees_ink(first, 300, 300)
    second.unroute(PARTS)
    second.evaluate("dispatchEvent(new Event('online'))")
    ready(second)
    second.keyboard.press("n")
    second.mouse.click(500, 400)
    second.keyboard.type("Note")
    second.keyboard.press("Escape")
    until(lambda: strokes(first), lambda count: count == 2)
