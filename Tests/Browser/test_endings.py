"""How a session ends for a page, and what becomes of the picture."""

from __future__ import annotations

from board import address, all_hold_the_same, choose, draw, has_ink, line, says, sees_ink, sees_people, share
from conftest import both, until


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
