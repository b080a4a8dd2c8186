"""Low windows: phones in landscape orientation, and zoomed pages. People can reach all parts of every panel (WCAG 1.4.10)."""

from __future__ import annotations

import io

import pytest
import zxingcpp
from board import draw, line, says, share
from conftest import both, both_in_full, in_full, rest_in_full, until
from PIL import Image

# A phone, two small phones, and a laptop at 200 % and at 400 %.
SIZES = [(844, 390), (667, 375), (568, 320), (640, 400), (320, 200)]

BOX = """(one) => {
  const { left, top, right, bottom } = one.getBoundingClientRect();
  return { left, top, right, bottom };
}"""
# Returns true if the center of a part, which was scrolled into view, is not covered or cut off.
ON_TOP = """(one) => {
  const { left, top, width, height } = one.getBoundingClientRect();
  const found = document.elementFromPoint(left + width / 2, top + height / 2);
  return found !== null && (one.contains(found) || found.contains(one));
}"""


def is_inside(page, box: dict[str, float]) -> bool:
    size = page.viewport_size
    return box["left"] >= 0 and box["top"] >= 0 and box["right"] <= size["width"] and box["bottom"] <= size["height"]


def can_be_reached(page, panel: str) -> None:
    """Checks that a panel is inside the window, and that each of its parts can be scrolled into view."""
    shown = page.locator(panel)
    shown.wait_for()
    assert is_inside(page, shown.evaluate(BOX)), (panel, shown.evaluate(BOX))
    for part in page.locator(f"{panel} :is(button, input, select, legend:not(.hidden-text)):visible").all():
        part.scroll_into_view_if_needed()
        assert part.evaluate(ON_TOP), (panel, part.evaluate("(one) => one.outerHTML"))
    assert shown.evaluate("(one) => one.scrollWidth <= one.clientWidth"), panel


@both_in_full
@pytest.mark.parametrize("width,height", rest_in_full(*SIZES))
def test_every_panel_can_be_reached(browser, open_page, out, width, height):
    page = open_page(browser, viewport={"width": width, "height": height}, reduced_motion="reduce")
    draw(page, line(40, height / 2, 120, height / 2))
    share(page)
    page.locator("#more").click()
    page.screenshot(path=out / f"low-menu-{browser.browser_type.name}-{width}.png")
    can_be_reached(page, "#menu")
    # By keys, too: the browser scrolls to the part with the focus.
    names = page.locator("#menu > button:visible:enabled").evaluate_all("(all) => all.map(({ id }) => id)")
    for _ in range(len(names) + 1):
        page.keyboard.press("ArrowUp")
        assert page.evaluate(f"({ON_TOP})(document.activeElement)"), page.evaluate("document.activeElement.id")
    page.keyboard.press("Escape")
    for opener, panel in {"#shapes": "#kinds", "#ink": "#inks"}.items():
        if page.locator(opener).is_visible():
            page.locator(opener).click()
            can_be_reached(page, panel)
            page.keyboard.press("Escape")
    for name, dialog in {"save": "#export-dialog", "keys": "#keys-dialog", "language": "#language-dialog", "end": "#confirm-dialog"}.items():
        page.locator("#more").click()
        page.locator(f"#{name}").click()
        can_be_reached(page, dialog)
        page.keyboard.press("Escape")
    page.locator("#share").click()
    can_be_reached(page, "#share-dialog")


@in_full
@both
@pytest.mark.parametrize("width,height", SIZES[:4])
def test_the_whole_code_of_an_invitation_is_visible(browser, open_page, out, width, height):
    page = open_page(browser, viewport={"width": width, "height": height}, device_scale_factor=2, reduced_motion="reduce")
    path = share(page)
    link = f"https://192.0.2.7:8443/{path}"
    page.route("**/api/sessions/*", lambda route: route.fulfill(json={"networkLinks": [link]}))
    page.locator("#share").click()
    until(lambda: page.locator("#share-link").input_value(), lambda value: value == link)
    assert is_inside(page, page.locator("#share-code").evaluate(BOX))
    picture = page.screenshot(path=out / f"low-share-{browser.browser_type.name}-{width}.png")
    codes = zxingcpp.read_barcodes(Image.open(io.BytesIO(picture)).convert("L"), formats=zxingcpp.BarcodeFormat.QRCode)
    assert [code.text for code in codes] == [link]


def test_messages_leave_the_tools_free(chromium, open_page):
    page = open_page(chromium, viewport={"width": 568, "height": 320})
    show = """(count) => void import('/js/ui/dialogs.js').then(({ toast }) => {
      for (let at = 0; at < count; at += 1) toast(`Message ${at}`, { stays: true });
    })"""
    page.evaluate(show, 6)
    says(page, "#toasts", "Message 5")
    tools = page.locator("#tools").evaluate(BOX)
    assert page.locator("#toasts").evaluate(BOX)["bottom"] <= tools["top"]
    last = page.locator("#toasts .toast").last
    last.scroll_into_view_if_needed()
    assert last.evaluate(ON_TOP)
