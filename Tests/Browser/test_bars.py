"""The bar of tools and the parts above it: they are within the window and do not overlap, in windows of all widths."""

from __future__ import annotations

import json

import pytest
from axe_playwright_python.sync_playwright import Axe
from board import PHONE, draw, line, says, sees_people, share
from conftest import both, in_full, until
from playwright.sync_api import Page

pytestmark = in_full

# Widths just above and below those at which parts of the bar move into panels, and usual widths.
WIDTHS = [320, 360, 430, 431, 600, 740, 768, 829, 830, 999, 1000, 1050, 1099, 1100, 1400]
# Lists the parts of the bar that extend beyond the bar or the window, or overlap another part.
PROBLEMS = """() => {
  const bar = document.getElementById('tools').getBoundingClientRect();
  const parts = [...document.querySelectorAll('#tools :is(button, label)')].filter((one) => one.checkVisibility())
    .map((one) => [one.id || one.dataset.tool || one.querySelector('input').ariaLabel, one.getBoundingClientRect()]);
  const found = bar.left < 0 || bar.right > innerWidth || bar.bottom > innerHeight ? ['the bar'] : [];
  parts.forEach(([name, { left, top, right, bottom }], index) => {
    if (left < bar.left - 0.5 || right > bar.right + 0.5) found.push(name);
    for (const [other, box] of parts.slice(0, index)) {
      const across = Math.min(right, box.right) - Math.max(left, box.left);
      const down = Math.min(bottom, box.bottom) - Math.max(top, box.top);
      if (across > 0.5 && down > 0.5) found.push(`${name} over ${other}`);
    }
  });
  return found;
}"""


def has_tools(page: Page) -> None:
    """Waits until the parts of the bar that the page loads late are there."""
    page.locator("#colors label").first.wait_for(state="attached")
    page.locator("#note-colors").wait_for(state="attached")


def box(page: Page, selector: str) -> dict[str, float]:
    found = page.locator(selector).bounding_box()
    assert found, selector
    return {**found, "right": found["x"] + found["width"], "bottom": found["y"] + found["height"]}


@both
@pytest.mark.parametrize("locale", ["en-US", "de-DE"])
def test_the_bar_is_within_the_window_and_nothing_overlaps(browser, open_page, locale):
    page = open_page(browser, locale=locale)
    has_tools(page)
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 700})
        assert page.evaluate(PROBLEMS) == [], width
        # Nothing makes the page scroll.
        assert page.evaluate("document.documentElement.scrollWidth") == width


@pytest.mark.parametrize("width", [320, 390, 740, 768, 812, 844, 1024, 1180])
def test_the_bar_is_within_the_screen_of_a_phone_or_a_tablet(chromium, open_page, out, width):
    page = open_page(chromium, **{**PHONE, "viewport": {"width": width, "height": 700}}, reduced_motion="reduce")
    has_tools(page)
    assert page.evaluate(PROBLEMS) == []
    page.screenshot(path=out / f"bars-{width}.png")
    for opener, panel in {"#shapes": "#kinds", "#ink": "#inks", "#more": "#menu"}.items():
        if not page.locator(opener).is_visible():
            continue
        page.locator(opener).tap()
        page.locator(f"{panel}:popover-open").wait_for()
        shown = box(page, panel)
        assert shown["x"] >= 0 and shown["right"] <= width
        # The bar does not scroll sideways, and everything in it can be pressed.
        assert page.locator(panel).evaluate("(one) => one.scrollWidth <= one.clientWidth")
        for part in page.locator(f"{panel} :is(button, label):visible").all():
            found = part.bounding_box()
            assert found and found["width"] >= 44 and found["height"] >= 36, part.evaluate("(one) => one.outerHTML")
        page.keyboard.press("Escape")


# Lists the parts of the header that extend beyond the window, or overlap another part. Faces may overlap a little.
HEADER = """() => {
  const parts = [...document.querySelectorAll('.top :is(#mark, #plain, #together, #share), #people')]
    .filter((one) => one.checkVisibility()).map((one) => [one.id, one.getBoundingClientRect()]);
  const found = parts.filter(([, { left, right }]) => left < 0 || right > innerWidth).map(([name]) => name);
  parts.forEach(([name, { left, right }], index) => {
    for (const [other, box] of parts.slice(0, index)) {
      if (Math.min(right, box.right) - Math.max(left, box.left) > 0.5) found.push(`${name} over ${other}`);
    }
  });
  return found;
}"""


@both
@pytest.mark.parametrize("locale", ["en-US", "de-DE"])
def test_the_header_of_a_session_has_room_in_the_narrowest_windows(browser, open_page, out, locale):
    page = open_page(browser, locale=locale, viewport={"width": 320, "height": 568})
    # There is no room for the button's text, but it is still the button's name.
    page.get_by_role("button", name={"en-US": "Share", "de-DE": "Teilen"}[locale]).wait_for()
    path = share(page)
    for _ in range(3):
        open_page(browser, path)
    sees_people(page, 4)
    page.locator("#together").wait_for()
    for width in (320, 360, 370, 371, 390, 560, 561):
        page.set_viewport_size({"width": width, "height": 568})
        until(lambda: page.evaluate(HEADER), lambda found: found == [])
    page.set_viewport_size({"width": 320, "height": 568})
    page.screenshot(path=out / f"bars-header-{browser.browser_type.name}-{locale}.png")


@both
def test_the_choices_of_a_tool_are_above_the_bar_of_following(browser, open_page, out):
    a = open_page(browser, reduced_motion="reduce")
    path = share(a)
    for options in ({}, {"viewport": {"width": 320, "height": 568}}):
        b = open_page(browser, path, reduced_motion="reduce", **options)
        sees_people(b, 2)
        has_tools(b)
        for key, choices in {"e": "#eraser-modes", "n": "#note-colors"}.items():
            b.keyboard.press(key)
            b.locator(choices).wait_for()
            alone = box(b, choices)
            assert alone["x"] >= 0 and alone["right"] <= b.viewport_size["width"]
            assert alone["bottom"] <= box(b, "#tools")["y"]
            b.locator(".chip:not(.me)").click()
            b.locator(".follow-bar").wait_for()
            assert box(b, choices)["bottom"] <= box(b, ".follow-bar")["y"]
            assert box(b, ".follow-bar")["bottom"] <= box(b, "#tools")["y"]
            found = Axe().run(b).response["violations"]
            assert not found, json.dumps([(one["id"], [node["html"] for node in one["nodes"]]) for one in found], indent=1)
            b.locator(".follow-bar button").click()
            b.locator(".follow-bar").wait_for(state="hidden")
        b.context.close()
        # The next person sees one other face.
        sees_people(a, 1, seconds=30)


@both
def test_a_long_press_on_a_locked_object_shows_the_place_and_a_tap_the_lock(browser, open_page):
    page = open_page(browser)
    share(page)
    has_tools(page)
    page.keyboard.press("n")
    page.mouse.click(400, 300)
    page.locator("#writing").wait_for()
    page.keyboard.type("Plan")
    page.keyboard.press("Escape")
    page.keyboard.press("v")
    page.mouse.click(330, 380)
    page.keyboard.press("Shift+L")
    says(page, "#toasts", "Locked")
    page.mouse.move(340, 370)
    page.mouse.down()
    page.locator(".ping .tag").wait_for()
    page.mouse.up()
    assert page.locator("#lock-bar").is_hidden()
    page.mouse.click(470, 230)
    page.locator("#lock-bar").wait_for()


@both
def test_the_styles_of_lines_leave_an_edited_text_as_it_is(browser, open_page):
    page = open_page(browser)
    has_tools(page)
    page.keyboard.press("2")
    page.keyboard.press("t")
    page.mouse.click(200, 200)
    page.keyboard.type("Milk")
    page.keyboard.press("Escape")
    page.keyboard.press("7")
    page.keyboard.press("v")
    page.mouse.dblclick(215, 200)
    page.locator("#writing").wait_for()
    before = page.evaluate("drawTogether.shapes()[0].rgb")
    page.locator("#more-styles").click()
    page.locator("#dash").get_by_role("radio", name="Dotted").click()
    page.keyboard.type("!")
    until(lambda: page.evaluate("drawTogether.shapes()[0].text"), lambda text: text == "Milk!")
    assert page.evaluate("drawTogether.shapes()[0].rgb") == before


@both
def test_a_stroke_is_erased_in_parts_by_one_person_while_another_removes_it(browser, open_page):
    a = open_page(browser)
    b = open_page(browser, share(a))
    sees_people(b, 2)
    draw(a, line(100, 200, 700, 200))
    until(lambda: len(b.evaluate("drawTogether.shapes()")), lambda count: count == 1)
    b.keyboard.press("x")
    b.mouse.move(400, 150)
    b.mouse.down()
    b.mouse.move(400, 250, steps=5)
    until(lambda: len(b.evaluate("drawTogether.shapes()")), lambda count: count == 2)
    a.keyboard.press("Control+z")
    # The removed stroke disappears even before the pointer is lifted.
    until(lambda: b.evaluate("drawTogether.shapes()"), lambda shapes: shapes == [])
    b.mouse.up()
    for page in (a, b):
        until(lambda page=page: page.evaluate("drawTogether.shapes()"), lambda shapes: shapes == [])


def test_the_button_that_shows_everything_is_accessible(chromium, open_page):
    page = open_page(chromium, reduced_motion="reduce", **PHONE)
    draw(page, line(100, 200, 300, 200))
    page.keyboard.press("+")
    page.locator("#fit").wait_for()
    found = Axe().run(page).response["violations"]
    assert not found, json.dumps([(one["id"], [node["html"] for node in one["nodes"]]) for one in found], indent=1)
    page.locator("#fit").tap()
    page.locator("#fit").wait_for(state="hidden")
