"""Content that outlives a page: drawn alone, or waiting to be sent, over reloads, killed tabs and other tabs."""

from __future__ import annotations

import contextlib

from board import (
    all_hold_the_same,
    are_drawn,
    choose,
    draw,
    items,
    kept,
    line,
    pick,
    says,
    select,
    sees_ink,
    sees_items,
    sees_paper,
    sees_people,
    share,
)
from conftest import both, in_full, open_in, ready, until
from photos import TEAL, photo
from playwright.sync_api import Error, Page
from test_connection import plain, strokes  # noqa: F401


def kill(page: Page) -> None:
    """Kills a page, like the system when memory is low."""
    with contextlib.suppress(Error):
        page.goto("chrome://crash")


@both
def test_a_local_drawing_survives_a_reload_and_is_shared(
    browser, chromium, open_page, base, problems, tmp_path
):
    a = open_page(browser)
    draw(a, line(100, 150, 300, 150))
    draw(a, line(100, 250, 300, 250))
    a.keyboard.press("Control+z")
    pick(a, photo(tmp_path, "sea.jpg", TEAL))
    sees_items(a, "sea.jpg")
    select(a, "sea.jpg")
    a.keyboard.press("ArrowRight")
    a.keyboard.press("Escape")
    a.keyboard.press("p")
    place = items(a)[0]["x"]
    a.reload()
    ready(a)
    sees_ink(a, 200, 150)
    sees_paper(a, 200, 250)
    until(lambda: [(one["x"], one["isDrawn"]) for one in items(a)], lambda found: found == [(place, True)])
    draw(a, line(100, 350, 300, 350))
    # Another tab has its own empty page, which it keeps.
    other = open_in(a.context, base, problems)
    draw(other, line(500, 150, 700, 150))
    other.reload()
    ready(other)
    sees_ink(other, 600, 150)
    assert (strokes(other), items(other)) == (1, [])
    # A new tab continues with the content of a closed one.
    a.close()
    a = open_in(other.context, base, problems)
    until(lambda: strokes(a), lambda count: count == 2)
    sees_items(a, "sea.jpg")
    path = share(a)
    late = open_page(chromium, path)
    until(lambda: strokes(late), lambda count: count == 2)
    are_drawn(late, "sea.jpg")
    all_hold_the_same(a, late)
    # Now the session has it.
    until(lambda: (kept(other, "pages"), kept(other, "marks"), kept(other, "files")), lambda counts: counts == (1, 1, 0))
    choose(other, "clear")
    other.locator("#confirm-ok").click()
    sees_paper(other, 600, 150)
    other.reload()
    ready(other)
    draw(other, line(500, 250, 700, 250))
    sees_ink(other, 600, 250)
    until(lambda: strokes(other), lambda count: count == 1)
    sees_paper(other, 600, 150)
    # The old board is still on this device.
    assert (kept(other, "pages"), kept(other, "marks")) == (2, 2)


def test_a_tab_killed_after_a_stroke_has_stored_it(
    chromium, open_page, base, plain, proxy, gateway, problems
):
    a = open_page(chromium)
    draw(a, line(100, 150, 300, 150))
    kill(a)
    a = open_in(a.context, base, problems)
    sees_ink(a, 200, 150)
    # Offline in a session: another tab with the session's link continues for both killed tabs.
    b = open_page(chromium, plain)
    path = share(b)
    other = open_in(b.context, plain + path, problems)
    c = open_page(chromium, gateway.http + path)
    sees_people(c, 3)
    proxy.refuse()
    for y in range(100, 600, 25):
        draw(b, line(100, y, 300, y))
    for y in range(200, 600, 80):
        draw(other, line(500, y, 700, y))
    kill(b)
    kill(other)
    proxy.mend()
    b = open_in(b.context, plain + path, problems)
    until(lambda: strokes(c), lambda count: count == 25)
    all_hold_the_same(b, c)
    until(lambda: kept(b) == 0)
    b.reload()
    ready(b)
    sees_people(c, 2)
    all_hold_the_same(b, c)
    assert strokes(c) == 25



@in_full
@both
def test_the_page_warns_if_the_browser_cannot_store(browser, open_page, plain, proxy, gateway):
    a = open_page(browser, plain)
    a.add_init_script("Object.defineProperty(globalThis, 'indexedDB', { get() { throw new DOMException('No.', 'SecurityError') } })")
    a.reload()
    ready(a)
    assert a.locator("#toasts").inner_text() == ""
    draw(a, line(100, 150, 300, 150))
    says(a, "#toasts", "This browser stores nothing.")
    draw(a, line(100, 250, 300, 250))
    path = share(a)
    b = open_page(browser, gateway.http + path)
    sees_ink(b, 200, 250)
    proxy.refuse()
    draw(a, line(100, 350, 300, 350))
    says(a, "#banner", "Reconnecting… 1 stroke will be sent. Keep this page open.")
    assert a.locator("#toasts .toast").filter(has_text="This browser stores nothing.").count() <= 1
    proxy.mend()
    sees_ink(b, 200, 350)
    all_hold_the_same(a, b)
