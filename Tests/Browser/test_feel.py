"""The page's handling: colors, zoom, a pen with fingers, and the browser's suppressed gestures."""

from __future__ import annotations

import json

import pytest
from axe_playwright_python.sync_playwright import Axe
from board import PHONE, choose, draw, line, pen, says, sees_ink, sees_paper, sees_people, share, touch, two_fingers
from conftest import both_in_full, in_full, ready, rest_in_full, until

THEME = """() => [
  document.documentElement.dataset.theme,
  getComputedStyle(document.body).backgroundColor,
  document.querySelector('meta[name="theme-color"]').content,
]"""
LIGHT = ["light", "rgb(251, 250, 247)", "#fbfaf7"]
DARK = ["dark", "rgb(23, 24, 28)", "#17181c"]


def choose_theme(page, name: str) -> None:
    page.locator("#more").click()
    page.get_by_role("radio", name=name, exact=True).click()
    page.keyboard.press("Escape")


@both_in_full
def test_the_color_scheme_is_stored_and_applies_to_all_tabs(browser, open_page, problems):
    problems.allow("/js/app/app", "ERR_FAILED")
    page = open_page(browser)
    other = page.context.new_page()
    other.goto(page.url)
    ready(other)
    assert page.evaluate(THEME) == LIGHT
    choose_theme(page, "Dark")
    assert page.evaluate(THEME) == DARK
    until(lambda: other.evaluate(THEME), lambda seen: seen == DARK)
    # Before any content is shown.
    page.route("**/js/app/app*.js", lambda route: route.abort())
    page.reload()
    assert page.evaluate(THEME) == DARK
    choose_theme(other, "System")
    until(lambda: page.evaluate(THEME), lambda seen: seen == LIGHT)


@in_full
def test_the_color_scheme_follows_the_system(chromium, open_page):
    page = open_page(chromium, color_scheme="dark")
    assert page.evaluate(THEME) == DARK
    page.emulate_media(color_scheme="light")
    until(lambda: page.evaluate(THEME), lambda seen: seen == LIGHT)
    choose_theme(page, "Light")
    page.emulate_media(color_scheme="dark")
    assert page.evaluate(THEME) == LIGHT


def percent(page) -> str:
    return page.locator("#zoom-level").inner_text()


@both_in_full
def test_keys_and_buttons_zoom(browser, open_page):
    page = open_page(browser)
    draw(page, line(100, 300, 300, 300))
    page.locator("#zoom-in").click()
    until(lambda: percent(page), lambda text: text == "125 %")
    page.keyboard.press("-")
    until(lambda: percent(page), lambda text: text == "100 %")
    page.keyboard.press("+")
    page.keyboard.press("+")
    # By its key, whatever character it types with Shift in this layout.
    page.keyboard.press("Shift+Digit0")
    until(lambda: percent(page), lambda text: text == "100 %")
    page.mouse.move(400, 400)
    page.mouse.wheel(0, 3000)
    says(page, "#fit", "Show everything")
    page.keyboard.press("Shift+Digit1")
    sees_ink(page, 200, 300)
    assert page.locator("#fit").is_hidden()


def test_with_a_pen_fingers_pan_unless_set_otherwise(chromium, open_page):
    page = open_page(chromium, **PHONE)
    touch(page, line(100, 200, 300, 200))
    sees_ink(page, 200, 200)
    assert page.locator("#fingers").is_hidden()
    pen(page, line(100, 300, 300, 300))
    sees_ink(page, 200, 300)
    touch(page, line(200, 400, 200, 500))
    says(page, "#toasts", "fingers move the page")
    sees_ink(page, 200, 400)
    sees_paper(page, 200, 200)
    choose(page, "fingers")
    page.keyboard.press("Escape")
    touch(page, line(100, 250, 300, 250))
    sees_ink(page, 200, 250)
    until(lambda: page.locator("#summary").text_content(), lambda text: text == "3 strokes are drawn.")


@in_full
def test_the_browser_does_not_zoom_go_back_or_open_menus_by_itself(chromium, open_page):
    page = open_page(chromium, **PHONE)
    before = page.evaluate("[history.length, visualViewport.scale]")
    # From the edge of the screen, and twice on a toolbar.
    touch(page, line(1, 400, 300, 400))
    sees_ink(page, 150, 400)
    for _ in range(2):
        touch(page, [(195, 20)])
    two_fingers(page, ((100, 30), (200, 30)), ((40, 30), (300, 30)))
    assert page.evaluate("[history.length, visualViewport.scale]") == before
    assert page.evaluate("""['canvas', 'tools', 'people'].map((id) =>
      document.getElementById(id).dispatchEvent(new MouseEvent('contextmenu', { bubbles: true, cancelable: true })))""") == [False] * 3
    # Two fingers on a touchpad, over a toolbar.
    desk = open_page(chromium)
    box = desk.locator("#tools").bounding_box()
    desk.mouse.move(box["x"] + 5, box["y"] + 5)
    desk.keyboard.down("Control")
    desk.mouse.wheel(0, -300)
    desk.keyboard.up("Control")
    assert desk.evaluate("[devicePixelRatio, visualViewport.scale]") == [1, 1]


def test_tools_and_paper_are_visible_before_any_script(chromium, open_page, problems, out):
    problems.allow("js", "ERR_FAILED")
    page = open_page(chromium, color_scheme="dark")
    page.route("**/*.js", lambda route: route.abort())
    page.route("**/css/over*.css", lambda route: None)
    page.reload(wait_until="commit")
    for name in ("Share", "Pen", "Eraser", "Undo", "More"):
        page.get_by_role("button", name=name, exact=True).wait_for()
    assert page.evaluate(THEME) == DARK
    # A release has the first script and the style sheet inside its markup.
    blocking = """performance.getEntriesByType('resource').filter((one) => one.renderBlockingStatus === 'blocking')
      .map(({ name }) => name)"""
    assert page.evaluate(blocking) == []
    page.screenshot(path=out / "first-paint.png")


# Desktop and phone, light and dark; each dialog is checked in one of them.
LOOKS = {
    "desk-light": ({}, True),
    "desk-dark": ({"color_scheme": "dark"}, False),
    "phone-light": (PHONE, False),
    "phone-dark": ({"color_scheme": "dark", **PHONE}, True),
}


@pytest.mark.parametrize("look", rest_in_full(*LOOKS))
def test_axe_finds_no_problem(chromium, open_page, look):
    options, is_all = LOOKS[look]
    # An element that is fading in has no contrast yet.
    page = open_page(chromium, reduced_motion="reduce", **options)
    path = share(page)
    draw(page, line(100, 200, 300, 200))

    def looks(state: str) -> None:
        found = Axe().run(page).response["violations"]
        told = [(one["id"], [(node["html"], node["failureSummary"]) for node in one["nodes"]]) for one in found]
        assert not found, f"{state}: {json.dumps(told, indent=1)}"

    looks("the page")
    page.locator("#more").click()
    looks("the menu")
    page.keyboard.press("Escape")
    if not is_all:
        return
    other = open_page(chromium, path)
    sees_people(page, 2)
    other.evaluate("Object.defineProperty(document, 'hidden', { value: true }); document.dispatchEvent(new Event('visibilitychange'))")
    page.locator(".chip[data-away]").wait_for()
    for name in ("#shapes:visible", "#ink:visible", "#share", ".chip.me", ".chip[data-away]"):
        for opener in page.locator(name).all():
            opener.click()
            looks(name)
            page.keyboard.press("Escape")
    for name in ("clear", "save", "keys", "language", "leave"):
        choose(page, name)
        page.locator("dialog[open]").wait_for()
        looks(name)
        page.keyboard.press("Escape")
    page.keyboard.press("v")
    page.keyboard.press("Control+a")
    looks("what is chosen")
    choose(page, "end")
    page.locator("#confirm-ok").click()
    says(page, "#ended-bar", "This session has ended.")
    looks("the end")


@in_full
def test_selected_tools_are_visible_in_forced_colors_and_high_contrast(chromium, open_page, out):
    page = open_page(chromium)
    page.emulate_media(forced_colors="active")
    outlines = """(all) => all.map((one) => [one.getAttribute('aria-pressed'), getComputedStyle(one).outlineStyle])"""
    seen = page.locator("#tools [data-tool]:visible").evaluate_all(outlines)
    assert {style for pressed, style in seen if pressed == "true"} == {"solid"}
    assert {style for pressed, style in seen if pressed == "false"} == {"none"}
    page.screenshot(path=out / "forced-colors.png")
    page.emulate_media(forced_colors="none", contrast="more")
    edge = "getComputedStyle(document.getElementById('tools')).borderTopColor"
    until(lambda: page.evaluate(edge), lambda color: color == "rgb(29, 29, 32)")
