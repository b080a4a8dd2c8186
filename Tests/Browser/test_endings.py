"""How a session ends for a page, and what becomes of the picture."""

from __future__ import annotations

from urllib.parse import urlsplit

from board import address, all_hold_the_same, choose, draw, has_ink, line, says, sees_ink, sees_people, share
from conftest import both, until
from gateway import Gateway
from proxy import Proxy


@both
def test_an_unknown_session_is_explained_and_a_new_one_offered(browser, open_page):
    page = open_page(browser, "s/AAAAAAAAAAAAAAAAAAAAAA")
    says(page, "#over-dialog", "There is no such session")
    page.locator("#over-start").click()
    page.locator("#share-dialog").wait_for()
    assert "AAAAAAAAAAAAAAAAAAAAAA" not in address(page)
    assert "/s/" in address(page)


def test_a_path_that_names_no_session_can_draw(chromium, open_page):
    page = open_page(chromium)
    page.goto(address(page) + "s/AAAAAAAAAAAAAAAAAAAAAA")
    says(page, "#over-dialog", "There is no such session")
    page.locator("#over-stay").click()
    draw(page, line(100, 200, 300, 200))
    sees_ink(page, 200, 200)


def test_ended_for_everyone_keeps_the_picture_and_starts_anew_with_it(chromium, firefox, open_page):
    a = open_page(chromium)
    path = share(a)
    b = open_page(firefox, path)
    sees_people(a, 2)
    draw(a, line(100, 200, 300, 200))
    sees_ink(b, 200, 200)
    choose(a, "end")
    says(a, "#confirm-title", "all 2 people")
    a.locator("#confirm-ok").click()
    for page in (a, b):
        says(page, "#over-dialog", "This session has ended")
        assert has_ink(page, 200, 200)
    a.locator("#over-stay").click()
    assert "/s/" not in address(a)
    b.locator("#over-start").click()
    b.locator("#share-dialog").wait_for()
    again = b.locator("#share-link").input_value()
    assert path not in again
    c = open_page(chromium, again)
    sees_people(c, 2)
    sees_ink(c, 200, 200)
    all_hold_the_same(b, c)
    late = open_page(chromium, path)
    says(late, "#over-dialog", "This session has ended")
    until(lambda: "/s/" not in address(late))


def test_a_gateway_that_comes_back_without_the_session_costs_no_picture(chromium, open_page, problems):
    problems.allow("WebSocket", "ERR_")
    first, second = Gateway(), Gateway()
    between = Proxy((urlsplit(first.http).hostname, urlsplit(first.http).port))
    try:
        page = open_page(chromium, f"http://127.0.0.1:{between.port}/")
        path = share(page)
        draw(page, line(100, 200, 300, 200))
        between.target = (urlsplit(second.http).hostname, urlsplit(second.http).port)
        assert first.stop() == 0
        draw(page, line(100, 300, 300, 300))
        says(page, "#over-dialog", "This session is gone", seconds=20)
        page.locator("#over-start").click()
        page.locator("#share-dialog").wait_for()
        again = page.locator("#share-link").input_value()
        assert path not in again
        other = open_page(chromium, again)
        for y in (200, 300):
            sees_ink(other, 200, y)
        all_hold_the_same(page, other)
    finally:
        between.close()
        second.stop()
