"""Invitations: a link to copy, to send, or to scan."""

from __future__ import annotations

import io

import zxingcpp
from board import PHONE, address, path_of, says, share
from conftest import both_in_full, in_full, until
from PIL import Image


def scanned(page) -> list[str]:
    """Returns the links that a camera reads from the dialog."""
    picture = Image.open(io.BytesIO(page.locator("#share-dialog").screenshot())).convert("L")
    return [code.text for code in zxingcpp.read_barcodes(picture, formats=zxingcpp.BarcodeFormat.QRCode)]


@both_in_full
def test_the_code_leads_to_the_page(browser, open_page, out):
    dark = {"color_scheme": "dark"} if browser.browser_type.name == "chromium" else {}
    for name, options in {"light": {}, "dark": dark, "phone": PHONE | dark if dark else {}}.items():
        page = open_page(browser, reduced_motion="reduce", **options)
        share(page)
        link = f"https://192.0.2.7:8443/{path_of(page)}"
        page.route("**/api/sessions/*", lambda route, *, link=link: route.fulfill(json={"networkLinks": [link]}))
        page.locator("#share").click()
        says(page, "#share-scan", "scan this")
        page.screenshot(path=out / f"invitation-{browser.browser_type.name}-{name}.png")
        assert scanned(page) == [link]
        if not dark:
            break


@in_full
def test_links_of_any_length_can_be_scanned(chromium, open_page):
    page = open_page(chromium, reduced_motion="reduce", device_scale_factor=2)
    show = "(link) => void import('/js/ui/shareDialog.js').then(({ showLink }) => showLink(link))"
    text = "https://draw.example/" + "aB3-ü_/4" * 25
    for length in range(21, 190, 14):
        link = text[:length]
        page.evaluate(show, link)
        until(lambda: page.locator("#share-link").input_value(), lambda value: value == link)
        assert scanned(page) == [link]
        page.keyboard.press("Escape")
    # A link that is too long for a code can only be copied.
    page.evaluate(show, text * 2)
    until(lambda: page.locator("#share-link").input_value(), lambda value: value == text * 2)
    assert page.locator("#share-scan").is_hidden()


@in_full
def test_a_phone_shares_the_link_by_its_own_dialog(chromium, open_page):
    page = open_page(chromium, **PHONE)
    page.evaluate("navigator.share = async (what) => { globalThis.sent_ = what; }")
    share(page)
    page.locator("#share").click()
    page.locator("#share-send").click()
    assert page.evaluate("sent_.url") == address(page)
    page.keyboard.press("Escape")
    page.evaluate("navigator.share = undefined")
    page.locator("#share").click()
    assert page.locator("#share-send").is_hidden()
