"""The page during restarts of the gateway, and while its disk is full."""

from __future__ import annotations

import hashlib
import json
import random
import re
import signal
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from board import all_hold_the_same, are_drawn, choose, draw, items, kept, line, pick, says, sees_ink, sees_paper, sees_people, share
from conftest import both, both_in_full, in_full, ready, until
from gateway import Gateway
from journal import Journal
from photos import TEAL, drop, photo
from playwright.sync_api import Page, WebSocketRoute
from proxy import Proxy

MB = 1024 * 1024
ways = pytest.mark.parametrize("way", [signal.SIGTERM, signal.SIGKILL], ids=["stopped", "killed"])
both_ways = pytest.mark.parametrize(
    ("browser", "way"),
    [
        pytest.param("chromium", signal.SIGTERM, id="chromium-stopped", marks=in_full),
        pytest.param("chromium", signal.SIGKILL, id="chromium-killed"),
        pytest.param("firefox", signal.SIGTERM, id="firefox-stopped", marks=in_full),
        pytest.param("firefox", signal.SIGKILL, id="firefox-killed", marks=in_full),
    ],
    indirect=["browser"],
)


@pytest.fixture
def own(problems) -> Iterator[Gateway]:
    """Gives a gateway that the test may stop. Browsers report its absence on the console."""
    problems.allow("WebSocket", "establish a connection", "was interrupted", "ERR_", "NS_", "Cross-Origin", "failed: ")
    problems.allow("503 (Service Unavailable)")
    running = Gateway()
    yield running
    running.stop()


# Records in every frame from now on if all of these points are drawn on.
WATCH = """(points) => {
  const canvas = document.getElementById('canvas');
  const ratio = canvas.width / canvas.clientWidth;
  globalThis.missed_ = 0;
  globalThis.watched_ = points;
  (function next() {
    const context = canvas.getContext('2d');
    const isDrawn = ([x, y]) => context.getImageData(x * ratio, y * ratio, 1, 1).data[3] > 200;
    if (!watched_.every(isDrawn)) missed_ += 1;
    requestAnimationFrame(next);
  })();
}"""


def watch(page: Page, *points: tuple[float, float]) -> None:
    page.evaluate(WATCH, points)


def strokes(page: Page) -> int:
    text = page.locator("#summary").text_content() or ""
    return 0 if text.startswith("Nothing") else int(text.split()[0])


@both_ways
def test_a_restart_is_a_short_pause(browser, chromium, open_page, own, way):
    a = open_page(browser, own.http)
    path = share(a)
    b = open_page(chromium, own.http + path)
    sees_people(a, 2)
    for y in (150, 200):
        draw(a, line(100, y, 300, y))
    until(lambda: kept(a) == 0)
    draw(b, line(100, 250, 300, 250))
    numbers = [page.evaluate("drawTogether.me.number") for page in (a, b)]
    draw(a, line(100, 300, 300, 300))
    sees_ink(a, 200, 250)
    a.evaluate("document.getElementById('toasts').replaceChildren()")
    watch(a, (200, 150), (200, 200), (200, 300))
    assert own.halt(way) == (0 if way == signal.SIGTERM else -signal.SIGKILL)
    draw(a, line(100, 350, 300, 350))
    draw(a, line(100, 400, 300, 400))
    a.keyboard.press("Control+z")
    says(a, "#banner", "Reconnecting…")
    own.start()
    for page in (a, b):
        until(lambda page=page: strokes(page), lambda count: count == 5, 20)
        for y in (150, 200, 250, 300, 350):
            sees_ink(page, 200, y)
        assert page.locator("dialog[open]").count() == 0
    assert [page.evaluate("drawTogether.me.number") for page in (a, b)] == numbers
    assert a.evaluate("missed_") == 0
    all_hold_the_same(a, b)
    # An undo after the restart reverts earlier drawing.
    a.evaluate("watched_ = []")
    for _ in range(3):
        a.keyboard.press("Control+z")
    for page in (a, b):
        until(lambda page=page: strokes(page), lambda count: count == 2)
        sees_paper(page, 200, 200)
    all_hold_the_same(a, b)
    until(lambda: kept(a) == 0)
    assert a.locator("#toasts").inner_text() == ""


@in_full
def test_repeated_kills_lose_and_duplicate_nothing(chromium, open_page, own):
    chance = random.Random(11)
    a = open_page(chromium, own.http)
    path = share(a)
    b = open_page(chromium, own.http + path)
    sees_people(a, 2)
    drawn = 0
    for turn in range(4):
        for page, x in ((a, 60), (b, 460)):
            for _ in range(chance.randrange(1, 4)):
                y = 80 + 20 * drawn
                draw(page, line(x, y, x + 300, y, 30))
                drawn += 1
                if chance.random() < 0.3:
                    until(lambda page=page: kept(page) == 0, seconds=20)
        own.halt(signal.SIGKILL if turn % 3 else signal.SIGTERM)
        own.start()
    for page in (a, b):
        until(lambda page=page: strokes(page), lambda count: count == drawn, 30)
    until(lambda: a.evaluate("drawTogether.stateHash()") == b.evaluate("drawTogether.stateHash()"), seconds=20)
    sees_people(a, 2)
    late = open_page(chromium, own.http + path)
    all_hold_the_same(a, b, late)
    until(lambda: strokes(late), lambda count: count == drawn)


@in_full
@both_ways
def test_an_upload_continues_over_a_restart(browser, open_page, own, way, problems, tmp_path):
    # A browser repeats an interrupted request by itself. If the gateway is back by then, it has part of that piece.
    problems.allow("409 (Conflict)")
    path = tmp_path / "holiday.bin"
    path.write_bytes(random.Random(5).randbytes(16 * MB))
    address = urlsplit(own.http)
    slow = Proxy((address.hostname, address.port))
    try:
        a = open_page(browser, f"http://127.0.0.1:{slow.port}/")
        session = share(a)[2:]
        journal = Journal(own.http, session)
        slow.bytes_per_second = 4 * MB
        pick(a, path)
        until(journal.list, lambda found: found and found[0]["offset"] > 4 * MB, 30)
        own.halt(way)
        own.start()
        slow.bytes_per_second = None
        (whole,) = until(journal.list, lambda found: found and found[0]["state"] == "ready", 60)
        assert whole["sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()
        # The upload did not start again.
        assert slow.sent < 16 * MB + 6 * MB
        until(lambda: [one["state"] for one in items(a)], lambda found: found == ["ready"])
    finally:
        slow.close()


@both_in_full
def test_a_new_picture_survives_a_crash(browser, open_page, own, tmp_path):
    a = open_page(browser, own.http)
    path = share(a)
    journal = Journal(own.http, path[2:])
    names = ["one.jpg", "two.jpg", "three.jpg"]
    for at, name in enumerate(names):
        drop(a, (200 + 300 * at, 300), photo(tmp_path, name, TEAL, (240, 160)))
        # As soon as it is ready, and possibly before that is on disk.
        until(lambda at=at: [one["state"] for one in items(a)], lambda found, at=at: found == ["ready"] * (at + 1))
        own.halt(signal.SIGKILL)
        own.start()
        until(lambda at=at: len(journal.list()) == at + 1, seconds=20)
        are_drawn(a, *names[: at + 1])
    assert sorted(one["name"] for one in journal.list()) == sorted(names)
    for one in journal.list():
        assert hashlib.sha256(journal.read(one)).hexdigest() == one["sha256"]
    assert a.locator("#toasts").inner_text() == ""


@in_full
@pytest.mark.parametrize(
    ("locale", "words"),
    [("en-US", "The attachment was damaged on the gateway"), ("de-DE", "Die Datei ist auf dem Server beschädigt.")],
)
def test_a_picture_damaged_on_the_disk_is_shown_as_damaged(
    chromium, open_page, own, problems, tmp_path, out, locale, words
):
    problems.allow("500 (Internal Server Error)")
    a = open_page(chromium, own.http)
    path = share(a)
    drop(a, (500, 300), photo(tmp_path, "one.jpg", TEAL, (240, 160)))
    until(lambda: [one["state"] for one in items(a)], lambda found: found == ["ready"])
    a.close()
    own.halt()
    (file,) = Path(own.data.name).glob("sessions/*/attachments/*")
    stored = bytearray(file.read_bytes())
    stored[len(stored) // 2] ^= 1
    file.write_bytes(stored)
    own.start()
    b = open_page(chromium, own.http + path, locale=locale)
    says(b, ".item[data-state='missing'] .words", words)
    b.screenshot(path=out / f"damaged-{locale}.png")
    # A second attempt would find the same damage.
    assert b.locator(".item button:visible").all_inner_texts() == [""]


@in_full
@ways
def test_an_ended_session_stays_ended_and_its_pictures_can_be_read(chromium, open_page, own, way, tmp_path):
    a = open_page(chromium, own.http)
    path = share(a)
    pick(a, photo(tmp_path, "sea.jpg", TEAL))
    are_drawn(a, "sea.jpg")
    journal = Journal(own.http, path[2:])
    (picture,) = journal.list()
    choose(a, "end")
    a.locator("#confirm-ok").click()
    says(a, "#ended-bar", "This session has ended.")
    own.halt(way)
    own.start()
    assert hashlib.sha256(journal.read(picture)).hexdigest() == picture["sha256"]
    late = open_page(chromium, own.http + path)
    says(late, "#hint", "This session has ended.")


def notice(code: str) -> bytes:
    """Returns a reliable system entry of the gateway."""
    kind, payload = b"notice", json.dumps({"code": code, "detail": f"The gateway says {code}."}).encode()
    rest = bytes([0x81, len(kind)]) + bytes(8 + 4 + 4) + kind + payload
    return len(rest).to_bytes(4) + rest


class Between:
    """Intercepts the page's socket: adds messages, or closes it like the gateway."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.is_closed = False
        self.sockets: list[WebSocketRoute] = []
        page.route_web_socket(re.compile(r"/socket$"), self._take)
        # The browser applies it to pages that are loaded from now on.
        page.reload()
        ready(page)

    def tell(self, code: str) -> None:
        self.sockets[-1].send(notice(code))

    def close(self, number: int, **reason) -> None:
        """Closes this socket; the next one is not connected."""
        self.is_closed = True
        self.sockets.pop().close(code=number, reason=json.dumps(reason))
        until(lambda: self.page.evaluate("1") and self.sockets)

    def mend(self) -> None:
        self.is_closed = False
        self.sockets.pop().close(code=1012, reason="{}")

    def _take(self, socket: WebSocketRoute) -> None:
        if not self.is_closed:
            socket.connect_to_server()
        self.sockets.append(socket)


@both_in_full
def test_the_page_warns_while_entries_are_not_saved(browser, open_page):
    a = open_page(browser)
    between = Between(a)
    share(a)
    between.tell("storage-full")
    says(a, "#banner", "Not saved at the moment. Keep this page open.")
    until(lambda: a.locator("#live").inner_text(), lambda text: "Not saved" in text)
    assert a.locator("#toasts .toast").count() == 0
    assert a.locator("#banner-action").is_hidden()
    draw(a, line(100, 200, 300, 200))
    between.tell("session-quota")
    says(a, "#toasts", "The gateway says session-quota.")
    assert a.locator("#banner").is_visible()
    between.tell("saved")
    says(a, "#toasts", "The gateway says saved.")
    until(lambda: a.locator("#banner").is_hidden())


@in_full
def test_a_slow_disk_is_not_called_a_full_one(chromium, open_page):
    a = open_page(chromium)
    between = Between(a)
    share(a)
    for limit, text in ((16_777_216, "The server is slow to save"), (1_099_511_627_776, "The server has no space")):
        refusal = {"code": "storage-full", "detail": "No.", "clientSequence": 0, "limit": limit, "actual": limit + 1}
        between.sockets[-1].send(json.dumps({"error": refusal}))
        says(a, "#toasts", text)


@in_full
@both
def test_a_lost_connection_is_shown_before_unsaved_entries(browser, open_page):
    a = open_page(browser)
    between = Between(a)
    share(a)
    between.tell("storage-full")
    says(a, "#banner", "Not saved")
    between.close(1012, code="unavailable", retryAfterMs=100)
    # The message that nothing is lost would be wrong now.
    says(a, "#banner", "Reconnecting… Keep this page open.")
    between.close(1013, code="storage-full", detail="No.", retryAfterMs=100)
    says(a, "#banner", "The server cannot save anything now. Trying again…")
    draw(a, line(100, 200, 300, 200))
    says(a, "#banner", "The server cannot save anything now. 1 stroke is safe on this device.")
    between.mend()
    says(a, "#banner", "Back.")
    # The same epoch: the warning is shown again.
    says(a, "#banner", "Not saved")
    sees_ink(a, 200, 200)
