"""Plain http from another machine: without a secure context the page lacks many browser features, and still works."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from board import (
    address,
    all_hold_the_same,
    are_drawn,
    choose,
    draw,
    item,
    lie_alike,
    line,
    says,
    sees_color,
    sees_ink,
    sees_people,
    share,
)
from conftest import both_in_full, until
from gateway import Gateway
from photos import TEAL, drop, photo
from tunnel import Tunnel


def address_in_the_network() -> str:
    """Returns this machine's address in the network: that of its own outgoing connections. Nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        asking.connect(("192.0.2.1", 9))
        return asking.getsockname()[0]


@pytest.fixture(scope="module")
def base() -> Iterator[str]:
    running = Gateway("--http", "0.0.0.0:0")
    yield f"http://{address_in_the_network()}:{urlsplit(running.http).port}/"
    assert running.stop() == 0


@pytest.fixture
def tunnel() -> Iterator[Tunnel]:
    between = Tunnel()
    yield between
    between.close()


@both_in_full
def test_drawing_sharing_and_reconnecting_work_without_a_secure_context(
    browser, open_page, base, tunnel, problems, tmp_path
):
    a = open_page(browser, proxy=tunnel.option)
    assert not a.evaluate("isSecureContext"), base
    a.get_by_role("button", name="Not encrypted").click()
    says(a, "#toasts", "an https:// address, open the page there")
    draw(a, line(100, 250, 300, 250))
    path = share(a)
    a.locator("#share").click()
    assert a.locator("#share-link").input_value() == address(a)
    a.locator("#share-copy").click()
    until(lambda: a.locator("#share-copy").inner_text() == "Copied" or "selected" in a.locator("#share-note").inner_text())
    a.keyboard.press("Escape")

    b = open_page(browser, path)
    for page in (a, b):
        sees_people(page, 2)
        sees_ink(page, 200, 250)
    drop(b, (600, 300), photo(tmp_path, "beach.jpg", TEAL))
    for page in (a, b):
        are_drawn(page, "beach.jpg")
        place = item(page, "beach.jpg")
        sees_color(page, place["x"], place["y"], TEAL)
    b.keyboard.press("p")
    choose(b, "save")
    b.keyboard.press("Escape")

    # Browsers report a lost socket on the console.
    problems.allow("WebSocket", "establish a connection", "was interrupted", "ERR_", "NS_ERROR_NET")
    tunnel.refuse()
    draw(a, line(100, 350, 300, 350))
    says(a, "#banner", "Reconnecting", seconds=20)
    tunnel.mend()
    a.evaluate("document.getElementById('banner-action').click()")
    for page in (a, b):
        sees_people(page, 2, seconds=30)
        sees_ink(page, 200, 350)
    lie_alike(a, b)
    all_hold_the_same(a, b)
