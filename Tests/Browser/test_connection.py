"""Cuts, reloads and duplicated tabs: nothing is lost or duplicated."""

from __future__ import annotations

import random

import pytest
from board import address, all_hold_the_same, draw, has_ink, kept, line, picture, says, sees_ink, sees_people, share
from conftest import attend, both, both_in_full, in_full, ready, rest_in_full, until

STROKES = "document.getElementById('summary').textContent"


def strokes(page) -> int:
    text = page.evaluate(STROKES)
    return 0 if text.startswith("Nothing") else int(text.split()[0])


@pytest.fixture
def plain(proxy, problems):
    """Returns the address behind the proxy. Browsers report a lost socket on the console."""
    problems.allow("WebSocket", "establish a connection", "was interrupted", "ERR_", "NS_ERROR_NET", "Cross-Origin-Opener")
    return f"http://127.0.0.1:{proxy.port}/"


@both
def test_strokes_drawn_offline_are_sent_on_reconnect(browser, open_page, plain, proxy, gateway):
    a = open_page(browser, plain)
    path = share(a)
    b = open_page(browser, gateway.http + path)
    sees_people(a, 2)
    draw(a, line(100, 150, 300, 150))
    sees_ink(b, 200, 150)
    # The other sees the stroke before its author learns that it is stored.
    until(lambda: kept(a), lambda count: count == 0)
    proxy.refuse()
    draw(a, line(100, 250, 300, 250))
    draw(a, line(100, 350, 300, 350))
    draw(b, line(100, 450, 300, 450))
    says(a, "#banner", "Reconnecting… 2 strokes are safe on this device.")
    a.keyboard.press("Control+z")
    a.keyboard.press("Control+Shift+Z")
    sees_ink(a, 200, 350)
    assert not has_ink(b, 200, 250)
    proxy.mend()
    # It may have reconnected by itself by now.
    a.evaluate("document.getElementById('banner-action').click()")
    says(a, "#banner", "Back. 2 strokes sent.", seconds=20)
    for page in (a, b):
        for y in (150, 250, 350, 450):
            sees_ink(page, 200, y)
        assert strokes(page) == 4
    all_hold_the_same(a, b)
    until(lambda: a.locator("#banner").is_hidden())


@in_full
def test_repeated_cuts_within_strokes_lose_nothing(chromium, open_page, plain, proxy, gateway):
    chance = random.Random(7)
    a = open_page(chromium, plain)
    path = share(a)
    b = open_page(chromium, gateway.http + path)
    sees_people(a, 2)
    for turn in range(12):
        a.mouse.move(60, 90 + 45 * turn)
        a.mouse.down()
        for step in range(1, 25):
            a.mouse.move(60 + 30 * step, 90 + 45 * turn)
            if chance.random() < 0.12:
                proxy.cut()
        a.mouse.up()
    until(lambda: strokes(b), lambda count: count == 12, 30)
    until(lambda: a.evaluate("drawTogether.stateHash()") == b.evaluate("drawTogether.stateHash()"), seconds=30)
    sees_people(a, 2)
    for turn in range(12):
        sees_ink(b, 700, 90 + 45 * turn)


@in_full
def test_a_silently_dead_connection_is_detected(chromium, open_page, plain, proxy, gateway):
    a = open_page(chromium, plain)
    path = share(a)
    b = open_page(chromium, gateway.http + path)
    sees_people(a, 2)
    proxy.is_holding = True
    draw(a, line(100, 250, 300, 250))
    says(a, "#banner", "1 stroke is safe on this device", seconds=30)
    proxy.mend()
    proxy.cut()
    sees_ink(b, 200, 250)
    all_hold_the_same(a, b)


@both_in_full
@pytest.mark.parametrize("outage", rest_in_full(0, 60))
def test_a_page_that_only_watches_detects_a_dead_connection(browser, open_page, plain, proxy, gateway, outage):
    """The line swallows everything. The page says so within 40 s by its clock. It is back within 5 s after the line works again. The
    outage lasts for `outage` seconds after the page has detected it."""
    a = open_page(browser, gateway.http)
    path = share(a)
    watcher = open_page(browser, plain)
    watcher.clock.install()
    watcher.goto(plain + path)
    ready(watcher)
    sees_people(a, 2)
    draw(a, line(100, 150, 300, 150))
    sees_ink(watcher, 200, 150)
    proxy.is_holding = True
    draw(a, line(100, 250, 300, 250))
    # The banner appears 1.5 s after the loss. Each later step causes a probe.
    for seconds in (37, 3, *[4] * (outage // 4)):
        watcher.clock.fast_forward(1000 * seconds)
    says(watcher, "#banner", "Reconnecting…")
    assert not has_ink(watcher, 200, 250)
    proxy.mend()
    # 5 s, and some more on a busy machine.
    until(lambda: has_ink(watcher, 200, 250), seconds=8)
    all_hold_the_same(a, watcher)


@in_full
def test_after_twenty_cuts_three_browsers_have_one_picture(chromium, firefox, open_page, plain, proxy):
    chance = random.Random(20)
    a = open_page(chromium, plain)
    path = share(a)
    pages = [a, open_page(chromium, plain + path), open_page(firefox, plain + path)]
    for page in pages:
        sees_people(page, 3)
    cuts = 0
    for turn in range(60):
        page = pages[turn % 3]
        x, y = 60 + 80 * chance.randrange(10), 90 + 40 * chance.randrange(12)
        deed = chance.choice(["draw", "draw", "draw", "erase", "undo", "redo", "move", "move"])
        if deed in ("undo", "redo"):
            page.keyboard.press("Control+z" if deed == "undo" else "Control+Shift+Z")
        else:
            page.keyboard.press({"draw": "p", "erase": "e", "move": "v"}[deed])
            page.mouse.move(x, y)
            page.mouse.down()
            page.mouse.move(x + 40, y)
            if turn % 3 == 0:
                cuts += proxy.cut() > 0
            page.mouse.move(x + 70, y + 20)
            page.mouse.up()
            if deed == "move":
                page.keyboard.press("Escape")
        if turn % 3 and cuts < 20 and chance.random() < 0.5:
            cuts += proxy.cut() > 0
    while cuts < 20:
        cuts += proxy.cut() > 0
        draw(pages[cuts % 3], line(60, 80 + 30 * cuts, 760, 85 + 30 * cuts, 3))
    for page in pages:
        until(lambda page=page: kept(page), lambda count: count == 0, 30)
        sees_people(page, 3, seconds=20)
    all_hold_the_same(*pages)
    counts = {strokes(page) for page in pages}
    assert len(counts) == 1 and counts.pop() > 5
    assert picture(pages[0]) == picture(pages[1])


def test_a_page_reconnects_at_once_after_an_hour_of_sleep(chromium, open_page, plain, proxy, gateway):
    """The lid was closed: no timer ran, and the browser was not informed that its connection is dead, whether it had data to
    send or not."""
    a = open_page(chromium, gateway.http)
    path = share(a)
    sleeper = open_page(chromium, plain)
    sleeper.clock.install()
    sleeper.goto(plain + path)
    ready(sleeper)
    sees_people(sleeper, 2)
    number = sleeper.evaluate("drawTogether.me.number")
    devtools = sleeper.context.new_cdp_session(sleeper)
    for count, has_drawn in ((1, False), (3, True)):
        assert proxy.abandon() > 0
        if has_drawn:
            draw(sleeper, line(100, 350, 300, 350))
        devtools.send("Page.setWebLifecycleState", {"state": "frozen"})
        draw(a, line(100, 150 + 100 * count, 300, 150 + 100 * count))
        devtools.send("Page.setWebLifecycleState", {"state": "active"})
        sleeper.clock.fast_forward("01:00:00")
        for page in (a, sleeper):
            until(lambda page=page, count=count: strokes(page), lambda found, count=count: found == count, 4)
        all_hold_the_same(a, sleeper)
        assert sleeper.evaluate("drawTogether.me.number") == number


@both_in_full
def test_a_reload_keeps_the_participant(browser, open_page):
    a = open_page(browser)
    path = share(a)
    b = open_page(browser, path)
    sees_people(a, 2)
    draw(b, line(100, 200, 300, 200))
    sees_ink(a, 200, 200)
    number = b.evaluate("drawTogether.participants.length && drawTogether.me.number")
    b.reload()
    ready(b)
    sees_people(b, 2)
    assert b.evaluate("drawTogether.me.number") == number
    sees_ink(b, 200, 200)
    all_hold_the_same(a, b)
    assert len(a.evaluate("drawTogether.participants")) == 2


def test_a_reload_sends_pending_entries(chromium, open_page, plain, proxy, gateway):
    a = open_page(chromium, plain)
    path = share(a)
    b = open_page(chromium, gateway.http + path)
    sees_people(a, 2)
    proxy.refuse()
    draw(a, line(100, 250, 300, 250))
    until(lambda: kept(a))
    proxy.mend()
    a.reload()
    ready(a)
    sees_ink(b, 200, 250)
    sees_ink(a, 200, 250)
    assert strokes(b) == 1
    all_hold_the_same(a, b)


@pytest.mark.parametrize("host", ["127.0.0.1", "draw.test"], ids=["with locks", "without a secure context"])
def test_a_duplicated_tab_is_a_new_participant_and_duplicates_nothing(
    chromium, open_page, proxy, problems, plain, gateway, host
):
    a = open_page(chromium, plain.replace("127.0.0.1", host))
    assert a.evaluate("isSecureContext") == (host == "127.0.0.1")
    path = share(a)
    b = open_page(chromium, gateway.http.replace("127.0.0.1", host) + path)
    sees_people(a, 2)
    rows = range(110, 510, 20)
    # Until the page detects the cut, it sends the growing stroke in parts, and keeps each part: it may have arrived.
    proxy.is_holding = True
    draw(a, line(100, rows[0], 300, rows[0], 2))
    proxy.refuse()
    says(a, "#banner", "Reconnecting… 1 stroke is safe on this device.")
    parts = kept(a)
    assert parts > 1
    # Later strokes are kept as one entry each.
    for y in rows[1:]:
        draw(a, line(100, y, 300, y, 2))
    until(lambda: kept(a), lambda count: count == parts + 19)
    says(a, "#banner", "Reconnecting… 20 strokes are safe on this device.")
    # A tab opened by script gets a copy of the session storage, as a duplicated one does. The page itself must load.
    proxy.mend()
    with a.expect_popup() as opened:
        a.evaluate("address => void window.open(address)", address(a))
    copy = opened.value
    attend(copy, problems)
    ready(copy)
    # The first tab reconnects at once, unless it has already.
    a.evaluate("document.getElementById('banner-action').click()")
    sees_people(copy, 3)
    for page in (a, b, copy):
        sees_people(page, 3)
        until(lambda page=page: strokes(page), lambda count: count == 20)
        sees_ink(page, 200, rows[0])
        sees_ink(page, 200, rows[-1])
    assert copy.evaluate("drawTogether.me.number") != a.evaluate("drawTogether.me.number")
    draw(copy, line(400, 300, 600, 300))
    draw(a, line(400, 400, 600, 400))
    for page in (a, b, copy):
        until(lambda page=page: strokes(page), lambda count: count == 22)
    all_hold_the_same(a, b, copy)


@in_full
def test_a_tab_resumed_elsewhere_joins_as_a_new_participant(chromium, open_page, plain, gateway, problems):
    """The gateway's own rule, if the tabs cannot be distinguished otherwise."""
    a = open_page(chromium, plain)
    path = share(a)
    draw(a, line(100, 250, 300, 250))
    saved = a.evaluate(f"sessionStorage.getItem('drawtogether:{path[2:]}')")
    thief = open_page(chromium, gateway.http)
    thief.evaluate("([name, value]) => sessionStorage.setItem(name, value)", [f"drawtogether:{path[2:]}", saved])
    number = a.evaluate("drawTogether.me.number")
    thief.goto(gateway.http + path)
    ready(thief)
    for page in (a, thief):
        sees_people(page, 2)
    assert thief.evaluate("drawTogether.me.number") == number
    assert a.evaluate("drawTogether.me.number") != number
    draw(a, line(100, 400, 300, 400))
    sees_ink(thief, 200, 400)
    all_hold_the_same(a, thief)
    assert strokes(thief) == 2
