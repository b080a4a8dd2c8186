"""The end of a session on the page, and the picture afterwards."""

from __future__ import annotations

import base64
import io
import re
from urllib.parse import urlsplit

from board import (
    PHONE,
    address,
    all_hold_the_same,
    are_drawn,
    choose,
    draw,
    items,
    line,
    pick,
    places,
    says,
    sees_ink,
    sees_people,
    share,
)
from conftest import both, both_in_full, in_full, until
from gateway import Gateway
from photos import PLUM, TEAL, drop, photo
from PIL import Image
from playwright.sync_api import Page
from proxy import Proxy

# Returns the page's next image file in base64; not every driver reports downloads.
COPY = """async () => {
  const blob = await new Promise((resolve) => {
    const make = URL.createObjectURL;
    URL.createObjectURL = (blob) => {
      resolve(blob);
      return make.call(URL, blob);
    };
    document.getElementById('copy').click();
    document.getElementById('export-save').click();
  });
  const bytes = new Uint8Array(await blob.arrayBuffer());
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
}"""


def saved(page: Page) -> Image.Image:
    """Returns the saved copy."""
    png = base64.b64decode(page.evaluate(COPY))
    assert png.startswith(b"\x89PNG")
    return Image.open(io.BytesIO(png)).convert("RGB")


def alike(color: tuple[int, ...], other: tuple[int, ...]) -> bool:
    return all(abs(one - two) <= 40 for one, two in zip(color, other, strict=True))


@both_in_full
def test_an_unknown_session_is_explained_and_a_new_one_offered(browser, open_page):
    page = open_page(browser, "s/AAAAAAAAAAAAAAAAAAAAAA")
    says(page, "#ended-dialog", "There is no such session")
    page.locator("#ended-start").click()
    page.locator("#share-dialog").wait_for()
    assert "AAAAAAAAAAAAAAAAAAAAAA" not in address(page)
    assert "/s/" in address(page)


@in_full
def test_a_path_without_a_session_opens_an_empty_page(chromium, open_page):
    page = open_page(chromium)
    page.goto(address(page) + "s/AAAAAAAAAAAAAAAAAAAAAA")
    says(page, "#ended-dialog", "There is no such session")
    page.locator("#ended-stay").click()
    draw(page, line(100, 200, 300, 200))
    sees_ink(page, 200, 200)


@both_in_full
def test_after_the_end_the_picture_can_be_viewed_and_saved(browser, open_page, tmp_path):
    a = open_page(browser)
    path = share(a)
    b = open_page(browser, path)
    sees_people(a, 2)
    draw(a, line(100, 150, 300, 150))
    pick(a, photo(tmp_path, "sea.jpg", TEAL))
    are_drawn(b, "sea.jpg")
    a.keyboard.press("p")
    choose(a, "end")
    says(a, "#confirm-title", "all 2 people")
    a.locator("#confirm-ok").click()
    for page in (a, b):
        says(page, "#ended-bar", "This session has ended.")
        assert page.locator("dialog[open]").count() == 0
        assert page.locator("#share").is_hidden()
        assert page.locator("#tools button:visible").all_inner_texts() == ["Save a copy", "New session"]
        assert urlsplit(address(page)).path == f"/{path}"
        before = places(page), page.locator("#summary").inner_text()
        # Neither the pan tool nor a key changes the picture: the tool moves the view.
        draw(page, line(100, 600, 300, 640))
        for key in ("Control+z", "v", "Delete", "e"):
            page.keyboard.press(key)
        draw(page, line(200, 190, 200, 150))
        drop(page, (400, 400), photo(tmp_path, "sky.jpg", PLUM))
        assert (places(page), page.locator("#summary").inner_text()) == before
        sees_ink(page, 400, 150)
    copy, (photo_of_sea,) = saved(b), items(b)
    right, bottom = (photo_of_sea[at] + photo_of_sea[size] / 2 for at, size in (("x", "width"), ("y", "height")))

    def color_at(x: float, y: float) -> tuple[int, ...]:
        """Returns the color at a point of the plane: two pixels a point, and a margin of 24 points around the
        content."""
        return copy.getpixel((round(copy.width - 2 * (24 + right - x)), round(copy.height - 2 * (24 + bottom - y))))

    assert alike(copy.getpixel((2, 2)), (251, 250, 247))
    assert alike(color_at(photo_of_sea["x"], photo_of_sea["y"]), TEAL)
    assert not alike(color_at(200, 150), (251, 250, 247))
    assert alike(color_at(200, 130), (251, 250, 247))


@in_full
def test_an_ended_picture_can_be_shared_in_a_new_session(chromium, firefox, open_page):
    a = open_page(chromium)
    path = share(a)
    b = open_page(firefox, path)
    sees_people(a, 2)
    draw(a, line(100, 200, 300, 200))
    sees_ink(b, 200, 200)
    choose(a, "save")
    with a.expect_download() as before:
        a.locator("#export-save").click()
    a.locator("#export-dialog").wait_for(state="hidden")
    choose(a, "end")
    a.locator("#confirm-ok").click()
    a.locator("#copy").click()
    with a.expect_download() as after:
        a.locator("#export-save").click()
    for download in (before.value, after.value):
        assert re.fullmatch(r"Draw Together \d{4}-\d\d-\d\d\.png", download.suggested_filename)
        assert download.path().read_bytes().startswith(b"\x89PNG")
    b.locator("#anew").click()
    b.locator("#share-dialog").wait_for()
    again = b.locator("#share-link").input_value()
    b.keyboard.press("Escape")
    assert path not in again
    c = open_page(chromium, again)
    sees_people(c, 2)
    sees_ink(c, 200, 200)
    for page in (b, c):
        page.locator("#tools [data-tool=pen]").wait_for()
        assert page.locator("#ended-bar").is_hidden()
    draw(b, line(100, 400, 300, 400))
    sees_ink(c, 200, 400)
    all_hold_the_same(b, c)


@in_full
@both
def test_a_visitor_after_the_end_gets_an_explanation(browser, open_page):
    a = open_page(browser)
    path = share(a)
    draw(a, line(100, 200, 300, 200))
    choose(a, "end")
    a.locator("#confirm-ok").click()
    says(a, "#ended-bar", "This session has ended.")
    late = open_page(browser, path, **PHONE if browser.browser_type.name == "chromium" else {})
    says(late, "#hint", "This session has ended.")
    until(lambda: late.locator("#live").inner_text(), lambda text: "has ended" in text)
    assert late.locator("dialog[open]").count() == 0
    assert late.locator("#copy").is_hidden()
    late.locator("#anew").click()
    late.locator("#share-dialog").wait_for()
    assert path not in late.locator("#share-link").input_value()


def test_the_picture_is_kept_if_the_gateway_lost_the_session(chromium, open_page, problems):
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
        says(page, "#ended-dialog", "This session no longer exists", seconds=20)
        page.locator("#ended-start").click()
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
