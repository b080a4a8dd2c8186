"""Uploads: over cuts and a reload, paused, cancelled, refused."""

from __future__ import annotations

import hashlib
import random
import time
from pathlib import Path

import pytest
from board import all_hold_the_same, items, pick, row, says, sees_items, sees_people, share
from conftest import both, both_in_full, in_full, ready, until
from journal import Journal

MB = 1024 * 1024


def file_of(folder: Path, name: str, size: int) -> Path:
    path = folder / name
    path.write_bytes(random.Random(size).randbytes(size))
    return path


@pytest.fixture
def plain(proxy, problems):
    """Returns the address behind the proxy. Browsers report a lost connection on the console, and also a conflict: a
    browser repeats the interrupted piece by itself, a part of which has arrived by then."""
    problems.allow("WebSocket", "establish a connection", "was interrupted", "ERR_", "NS_", "Cross-Origin", "failed: ")
    problems.allow("409 (Conflict)")
    return f"http://127.0.0.1:{proxy.port}/"


@pytest.fixture
def slow(proxy):
    """A connection slow enough to act in the middle of an upload."""
    proxy.bytes_per_second = 4 * MB
    return proxy


def interrupt(proxy) -> None:
    """Cuts the connection until attempts have failed and no others follow at once. The browser repeats an interrupted request
    by itself; if that succeeded, it would send a piece of the file with the old offset for nothing."""
    before = proxy.refusals
    proxy.refuse()
    until(lambda: proxy.refusals > before and time.monotonic() > proxy.refused_at + 0.2, seconds=20)
    proxy.mend()


@both_in_full
def test_an_upload_continues_over_ten_cuts_and_a_reload(browser, open_page, plain, slow, gateway, tmp_path):
    path = file_of(tmp_path, "holiday.bin", 24 * MB)
    a = open_page(browser, plain)
    shared = share(a)
    journal = Journal(gateway.http, shared[2:])
    b = open_page(browser, gateway.http + shared)
    pick(a, path)
    for cut in range(1, 11):
        least = cut * 24 * MB // 12
        until(lambda least=least: journal.list(), lambda found, least=least: found and found[0]["offset"] >= least, 60)
        if cut == 5:
            arrived, sent = journal.list()[0]["offset"], slow.sent
            a.reload()
            ready(a)
        interrupt(slow)
    slow.bytes_per_second = None
    (whole,) = until(journal.list, lambda found: found[0]["state"] == "ready", 60)
    assert whole["sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()
    assert (whole["name"], whole["size"]) == ("holiday.bin", 24 * MB)
    # Besides the rest of the file, only the page's own requests and messages, and the bytes in transit during the cut.
    assert slow.sent - sent < 24 * MB - arrived + 2 * MB
    assert slow.sent < 24 * MB + 4 * MB
    for page in (a, b):
        sees_items(page, "holiday.bin")
        until(lambda page=page: items(page)[0]["state"] == "ready")
    all_hold_the_same(a, b)


@in_full
@both
def test_a_paused_upload_stays_paused_over_a_reload(browser, open_page, plain, slow, gateway, tmp_path):
    path = file_of(tmp_path, "slides.bin", 8 * MB)
    a = open_page(browser, plain)
    shared = share(a)
    journal = Journal(gateway.http, shared[2:])
    slow.bytes_per_second = MB
    pick(a, path)
    until(journal.list, lambda found: found and found[0]["offset"] > MB)
    row(a, "slides.bin").get_by_role("button", name="Pause").click()
    until(lambda: items(a)[0]["state"] == "paused")
    row(a, "slides.bin").get_by_text("paused").wait_for()
    # Bytes in transit still arrive.
    counts = [slow.sent]
    until(lambda: counts.append(slow.sent) or counts[-8:], lambda last: len(last) == 8 and len(set(last)) == 1)
    a.reload()
    ready(a)
    until(lambda: [item["state"] for item in items(a)] == ["paused"])
    slow.bytes_per_second = None
    arrived, sent = journal.list()[0]["offset"], slow.sent
    assert 0 < arrived < 8 * MB
    row(a, "slides.bin").get_by_role("button", name="Resume").click()
    (whole,) = until(journal.list, lambda found: found[0]["state"] == "ready", 30)
    assert whole["sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()
    assert slow.sent - sent < 8 * MB - arrived + MB
    until(lambda: items(a)[0]["state"] == "ready")


@in_full
def test_the_text_matches_the_progress_bar(chromium, open_page, plain, slow, tmp_path):
    """Many bytes are sent at once into the buffers of browser and connection, and then none for a long time."""
    a = open_page(chromium, plain)
    share(a)
    slow.bytes_per_second = MB / 64
    pick(a, file_of(tmp_path, "words.bin", MB))
    bar, words = row(a, "words.bin").get_by_role("progressbar"), row(a, "words.bin").locator(".words")
    until(lambda: bar.count() and float(bar.get_attribute("value") or 0) > 0.2)

    def apart() -> float:
        """Returns the difference in MB, the unit of the file's size."""
        return float(bar.get_attribute("value") or 0) - float(words.inner_text().split()[0])

    # In tenths, rounded down.
    until(apart, lambda difference: abs(difference) <= 0.11, seconds=1)


@both_in_full
def test_a_cancelled_upload_is_removed_for_everyone(
    browser, open_page, problems, plain, slow, gateway, tmp_path
):
    # If it is reloaded before it has recorded the confirmation, the page removes the item again, which is gone already.
    problems.allow("404")
    a = open_page(browser, plain)
    shared = share(a)
    b = open_page(browser, gateway.http + shared)
    sees_people(a, 2)
    slow.bytes_per_second = MB / 8
    pick(a, file_of(tmp_path, "wrong.bin", 8 * MB))
    sees_items(b, "wrong.bin")
    until(lambda: items(b)[0]["offset"] > 0)
    row(a, "wrong.bin").get_by_role("button", name="Cancel").click()
    slow.bytes_per_second = None
    for page in (a, b):
        sees_items(page)
    until(Journal(gateway.http, shared[2:]).list, lambda found: found == [])
    a.reload()
    ready(a)
    sees_people(a, 2)
    sees_items(a)


@in_full
@both
def test_a_too_large_file_is_refused_without_a_request(browser, open_page, plain, proxy, tmp_path):
    path = tmp_path / "film.mkv"
    with path.open("wb") as file:
        file.truncate(131 * MB)
    a = open_page(browser, plain)
    share(a)
    sent = proxy.sent
    pick(a, path)
    says(a, "#toasts", "This file is 131 MB. The limit here is 100 MB.")
    says(a, "#toasts", "film.mkv")
    sees_items(a)
    assert proxy.sent - sent < MB
    a.locator("#toasts").get_by_role("button", name="Close").click()
    until(lambda: a.locator("#toasts .toast").count() == 0)


@in_full
def test_an_upload_with_a_dead_connection_is_shown_as_paused(
    chromium, open_page, plain, slow, gateway, tmp_path
):
    slow.bytes_per_second = MB
    a = open_page(chromium, plain)
    shared = share(a)
    b = open_page(chromium, gateway.http + shared)
    sees_people(a, 2)
    pick(a, file_of(tmp_path, "tunnel.bin", 6 * MB))
    sees_items(b, "tunnel.bin")
    until(lambda: items(b)[0]["offset"] > MB)
    slow.is_holding = True
    until(lambda: items(b)[0]["state"], lambda state: state == "stalled", 20)
    row(b, "tunnel.bin").get_by_text("paused").wait_for()
    slow.mend()
    slow.bytes_per_second = None
    slow.cut()
    for page in (a, b):
        until(lambda page=page: items(page)[0]["state"], lambda state: state == "ready", 30)
    assert row(b, "tunnel.bin").get_by_text("paused").count() == 0
