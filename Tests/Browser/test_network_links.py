"""Invitations from a page at localhost: it offers the addresses at which other devices reach the gateway."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from board import PHONE, draw, line, says, sees_ink, sees_people, share
from conftest import both, both_in_full, in_full, until
from gateway import Gateway


def address_in_the_network() -> str:
    """Returns the address of this machine's outgoing connections. Sends nothing."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        asking.connect(("192.0.2.1", 9))
        return asking.getsockname()[0]


@pytest.fixture(scope="module")
def everywhere() -> Iterator[Gateway]:
    """A gateway that listens on all addresses of this machine."""
    running = Gateway("--http", "0.0.0.0:0", "--https", "0.0.0.0:0")
    yield running
    assert running.stop() == 0


@both_in_full
def test_the_offered_link_opens_the_session(browser, open_page, everywhere):
    a = open_page(browser, f"http://localhost:{urlsplit(everywhere.http).port}/")
    draw(a, line(100, 250, 300, 250))
    path = share(a)
    a.locator("#share").click()
    expected = f"https://{address_in_the_network()}:{urlsplit(everywhere.https).port}/{path}"
    until(lambda: a.locator("#share-link").input_value(), lambda value: value.startswith("https://") and "localhost" not in value)
    choices = a.locator("#share-address option").evaluate_all("(all) => all.map(({ value }) => value)")
    assert expected in choices and choices[-1] == f"http://localhost:{urlsplit(everywhere.http).port}/{path}"
    says(a, "#share-note", "may warn at first")
    a.locator("#share-address").select_option(expected)
    assert a.locator("#share-link").input_value() == expected
    assert a.locator("#share-scan").is_visible()
    # The link at localhost has no code, because no other device can open it.
    a.locator("#share-address").select_option(choices[-1])
    says(a, "#share-note", "Only this device can open this link")
    assert a.locator("#share-scan").is_hidden()
    a.keyboard.press("Escape")
    b = open_page(browser, expected)
    sees_people(a, 2)
    sees_ink(b, 200, 250)
    # On another device, there is one address: that in the address bar.
    b.locator("#share").click()
    assert b.locator("#share-link").input_value() == expected
    assert b.locator("#share-address").is_hidden() and b.locator("#share-scan").is_visible()


@in_full
@both
def test_without_another_address_there_is_no_useless_code(browser, open_page):
    page = open_page(browser)
    share(page)
    page.locator("#share").click()
    says(page, "#share-note", "Only this device can open this link")
    assert page.locator("#share-scan").is_hidden() and page.locator("#share-address").is_hidden()


@in_full
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", ["desktop", "phone"])
def test_the_choice_is_accessible(chromium, open_page, out, scheme, size):
    options = PHONE if size == "phone" else {}
    page = open_page(chromium, reduced_motion="reduce", color_scheme=scheme, **options)
    path = share(page)
    links = [f"https://192.0.2.7:8443/{path}", f"https://[2001:db8::7]:8443/{path}"]
    page.route("**/api/sessions/*", lambda route: route.fulfill(json={"networkLinks": links}))
    page.locator("#share").click()
    page.locator("#share-address").wait_for()
    assert page.locator("#share-address option").all_inner_texts()[:2] == ["192.0.2.7:8443", "[2001:db8::7]:8443"]
    page.screenshot(path=out / f"network-links-{size}-{scheme}.png")
    found = Axe().run(page).response["violations"]
    assert not found, json.dumps([(one["id"], [node["html"] for node in one["nodes"]]) for one in found], indent=1)
