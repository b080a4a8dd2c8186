"""The page in Arabic: it is mirrored, and the drawings are not."""

from __future__ import annotations

import json

import pytest
from axe_playwright_python.sync_playwright import Axe
from board import PHONE, all_hold_the_same, choose, draw, has_ink, image, line, picture, says, sees_ink, sees_paper, sees_people, share
from conftest import both, both_in_full, in_full, until
from playwright.sync_api import Page

ARABIC = {"locale": "ar-EG", "reduced_motion": "reduce"}
DESK = {"viewport": {"width": 1280, "height": 800}}

BOXES = """(all) => all.map((one) => {
  const { left, right, top, bottom } = one.getBoundingClientRect();
  return { left, right, top, bottom, html: one.outerHTML.slice(0, 200) };
})"""
CUT = "(all) => all.filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.outerHTML.slice(0, 200))"
FOCUSED = "document.activeElement.textContent"


def left(page: Page, selector: str) -> float:
    return page.locator(selector).first.bounding_box()["x"]


def ink_box(page: Page) -> tuple[int, int, int, int]:
    """Returns the left, upper, right and lower edge of everything on the canvas."""
    until(lambda: page.evaluate("drawTogether.isSettled"))
    dark = image(page).convert("L").point(lambda value: 255 if value < 200 else 0)
    return dark.getbbox()


@both_in_full
def test_arabic_browsers_get_a_mirrored_page(browser, open_page):
    page = open_page(browser, **ARABIC, **DESK)
    assert page.evaluate("[document.documentElement.lang, document.documentElement.dir]") == ["ar", "rtl"]
    says(page, "#share", "مشاركة")
    assert left(page, "#mark") > left(page, "#zoom") > left(page, "#share")
    assert left(page, "[data-tool=select]") > left(page, "[data-tool=pen]") > left(page, "#undo") > left(page, "#more")
    page.locator("#more").click()
    page.locator("#menu").wait_for()
    menu, tools = page.locator("#menu").bounding_box(), page.locator("#tools").bounding_box()
    assert menu["x"] < tools["x"] + tools["width"] / 2
    # The arrow of undo points to the beginning of a line.
    turned = "(icon) => new DOMMatrix(getComputedStyle(icon).transform).a"
    assert page.locator("#undo .icon").evaluate(turned) == -1
    assert page.locator("[data-tool=arrow] .icon").evaluate(turned) == 1


@in_full
@both
def test_a_stroke_is_where_the_pen_was(browser, open_page):
    page = open_page(browser, **ARABIC)
    draw(page, line(100, 300, 400, 350))
    sees_ink(page, 250, 325)
    assert not has_ink(page, 1000 - 250, 325)
    # The others see it as on a page from left to right.
    other = open_page(browser, share(page))
    sees_ink(other, 250, 325)
    draw(other, line(700, 450, 900, 500))
    sees_ink(page, 800, 475)
    all_hold_the_same(page, other)
    assert picture(page) == picture(other)


@in_full
@both
def test_the_selection_and_the_zoom_are_not_mirrored(browser, open_page):
    page = open_page(browser, **ARABIC)
    page.keyboard.press("r")
    draw(page, line(200, 200, 400, 350))
    page.keyboard.press("v")
    page.keyboard.press("Control+a")
    until(lambda: page.locator("#chosen").bounding_box()["x"], lambda x: abs(x - 200) < 8)
    handles = page.locator("#chosen i").evaluate_all(BOXES)
    assert [round(one["left"] / 100) for one in handles] == [2, 4, 2, 4]
    # The lower right handle resizes, and the opposite corner stays.
    before = page.evaluate("drawTogether.shapes()[0].left")
    draw(page, line(401, 351, 500, 425))
    until(lambda: page.evaluate("drawTogether.shapes()[0].right"), lambda right: right > 480)
    assert abs(page.evaluate("drawTogether.shapes()[0].left") - before) < 1
    before = page.evaluate("drawTogether.shapes()[0].left")
    page.keyboard.press("ArrowRight")
    until(lambda: page.evaluate("drawTogether.shapes()[0].left"), lambda at: at > before + 0.5)


@in_full
@both
def test_a_text_in_arabic_grows_to_the_left_and_looks_the_same_for_everybody(browser, open_page, out):
    page = open_page(browser, **ARABIC)
    other = open_page(browser, share(page))
    sees_people(page, 2)
    page.keyboard.press("t")
    page.mouse.click(600, 300)
    page.locator("#writing").wait_for()
    page.keyboard.type("سلام\nhello world")
    until(lambda: page.evaluate("drawTogether.shapes().length"), lambda count: count == 1)
    page.screenshot(path=out / f"rtl-writing-{browser.browser_type.name}.png")
    page.keyboard.press("Escape")
    first, _, last, _ = ink_box(page)
    assert 560 < last < 610 and first < 520
    all_hold_the_same(page, other)
    until(lambda: picture(page) == picture(other))


@in_full
@both
def test_a_text_in_english_grows_to_the_right(browser, open_page):
    page = open_page(browser, **ARABIC)
    page.keyboard.press("t")
    page.mouse.click(300, 300)
    page.locator("#writing").wait_for()
    page.keyboard.type("Milk")
    page.keyboard.press("Escape")
    first, _, last, _ = ink_box(page)
    assert 290 < first < 315 and last > 330


@in_full
@both
def test_the_left_arrow_key_leads_to_the_next_part(browser, open_page):
    page = open_page(browser, **ARABIC, **DESK)
    checked = "[...document.querySelectorAll('#widths input')].findIndex((one) => one.checked)"
    until(lambda: page.locator("#widths input").count(), lambda count: count == 3)
    page.locator("#widths input").first.click()
    page.keyboard.press("ArrowLeft")
    until(lambda: page.evaluate(checked), lambda at: at == 1)
    page.keyboard.press("ArrowLeft")
    until(lambda: page.evaluate(checked), lambda at: at == 2)
    page.keyboard.press("ArrowRight")
    until(lambda: page.evaluate(checked), lambda at: at == 1)
    # Tabs, too.
    page.locator("#add-sheet").click()
    tabs = page.locator("#sheets [role=tab]")
    until(tabs.count, lambda count: count == 2)
    assert left(page, "#sheets [role=tab]") > tabs.last.bounding_box()["x"]
    tabs.first.focus()
    page.keyboard.press("ArrowLeft")
    assert page.evaluate(FOCUSED) == tabs.last.text_content()
    page.keyboard.press("ArrowRight")
    assert page.evaluate(FOCUSED) == tabs.first.text_content()


@in_full
def test_a_tab_is_dragged_to_its_new_place(chromium, open_page):
    page = open_page(chromium, **ARABIC, **DESK)
    draw(page, line(100, 300, 400, 300))
    tabs = page.locator("#sheets [role=tab]")
    for count in (2, 3):
        page.locator("#add-sheet").click()
        until(tabs.count, lambda found, count=count: found == count)
    numbers = "(all) => all.map(({ dataset }) => dataset.number)"
    first, second, third = tabs.evaluate_all(numbers)
    box, goal = tabs.first.bounding_box(), tabs.last.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 20)
    page.mouse.down()
    page.mouse.move(goal["x"] + 4, goal["y"] + 20, steps=8)
    page.mouse.up()
    until(lambda: tabs.evaluate_all(numbers), lambda found: found == [second, third, first])


@in_full
def test_names_keep_their_own_direction(chromium, open_page):
    page = open_page(chromium, **ARABIC)
    path = share(page)
    other = open_page(chromium)
    other.evaluate("localStorage.setItem('drawtogether:name', 'Ada (2)')")
    other.goto(page.url.split("/s/")[0] + "/" + path)
    says(page, "#toasts", "انضم \u2068Ada (2)\u2069")


@in_full
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", ["desk", "phone"])
def test_everything_fits(chromium, open_page, out, scheme, size):
    page = open_page(chromium, color_scheme=scheme, **ARABIC, **(PHONE if size == "phone" else DESK))
    other = open_page(chromium, share(page))
    sees_people(page, 2)
    draw(page, line(100, 200, 300, 200))
    until(lambda: page.locator(".toast").count(), lambda count: count == 0, seconds=20)
    window = page.viewport_size

    def fits(name: str, panel: str = "") -> None:
        page.screenshot(path=out / f"rtl-{name}-{size}-{scheme}.png")
        assert page.evaluate("document.documentElement.scrollWidth") == window["width"]
        for one in page.locator("button:visible, .radio:visible, dialog[open] *:visible").evaluate_all(BOXES):
            assert one["left"] >= 0 and one["right"] <= window["width"], one
        if panel:
            page.locator(panel).wait_for()
            [box] = page.locator(panel).evaluate_all(BOXES)
            assert box["left"] >= 0 and box["right"] <= window["width"], box
            assert box["top"] >= 0 and box["bottom"] <= window["height"], box
        assert page.locator("button:visible, h2:visible, #banner:visible").evaluate_all(CUT) == []
        found = Axe().run(page).response["violations"]
        assert not found, json.dumps([(one["id"], [node["html"] for node in one["nodes"]]) for one in found], indent=1)

    def opens(name: str, panel: str) -> None:
        fits(name, panel)
        page.keyboard.press("Escape")
        page.locator(panel).wait_for(state="hidden")

    fits("page")
    page.locator("#more").click()
    opens("menu", "#menu")
    page.locator("#together").click()
    opens("meeting", "#meeting")
    page.locator("#together").click()
    page.locator("#meeting > button").last.click()
    opens("people", "#people-dialog")
    if page.locator("#ink").is_visible():
        page.locator("#ink").click()
        fits("inks", "#inks")
    page.locator("#more-styles").click()
    opens("styles", "#styles")
    if page.locator("#inks:popover-open").count():
        page.keyboard.press("Escape")
    page.locator("#share").click()
    opens("share", "#share-dialog")
    page.locator("#people .me").click()
    opens("name", "#name-dialog")
    for name, dialog in {"pages": "#pages-dialog", "save": "#export-dialog", "keys": "#keys-dialog", "language": "#language-dialog",
                         "objects": "#objects-dialog", "leave": "#confirm-dialog", "end": "#confirm-dialog"}.items():
        choose(page, name)
        opens(name, dialog)
    # The selection and its bar.
    page.keyboard.press("v")
    page.keyboard.press("Control+a")
    page.locator("#chosen-bar").wait_for()
    fits("selection", "#chosen-bar")
    page.keyboard.press("Escape")
    # Following another person.
    page.locator("#people .chip:not(.me)").first.click()
    page.locator(".follow-bar").wait_for()
    fits("following", ".follow-bar")
    page.keyboard.press("Escape")
    other.close()
    choose(page, "end")
    page.locator("#confirm-ok").click()
    says(page, "#ended-bar", "انتهت هذه الجلسة.")
    fits("ended")


@in_full
@pytest.mark.parametrize("language", ["pl", "uk", "ja"])
def test_the_texts_of_other_languages_fit_on_a_phone(chromium, open_page, out, language):
    page = open_page(chromium, locale=language, reduced_motion="reduce", **PHONE)
    share(page)
    draw(page, line(100, 200, 300, 200))
    sees_ink(page, 200, 200)
    sees_paper(page, 200, 260)
    for name in ("menu", "keys", "save", "end"):
        if name == "menu":
            page.locator("#more").click()
        else:
            choose(page, name)
        page.screenshot(path=out / f"language-{language}-{name}.png")
        assert page.evaluate("document.documentElement.scrollWidth") == page.viewport_size["width"]
        for one in page.locator("button:visible, dialog[open] *:visible").evaluate_all(BOXES):
            assert one["left"] >= 0 and one["right"] <= page.viewport_size["width"], one
        assert page.locator("button:visible, h2:visible").evaluate_all(CUT) == []
        page.keyboard.press("Escape")


# Returns the edges of what is written in an element, or of one of its characters.
WRITTEN = """(one, [from, to]) => {
  const range = document.createRange();
  range.selectNodeContents(one);
  if (to > 0) {
    range.setStart(one.firstChild, from);
    range.setEnd(one.firstChild, to);
  }
  const { left, right, height } = range.getBoundingClientRect();
  return { left, right, height };
}"""


@in_full
@both
def test_the_notes_of_a_page_and_the_times_are_read_from_right_to_left(browser, open_page, problems):
    # The page aborts requests that it no longer needs.
    problems.allow("/history")
    page = open_page(browser, **ARABIC, **DESK)
    share(page)
    draw(page, line(100, 300, 400, 300))
    choose(page, "pages")
    row = page.locator("#pages-list li")
    until(row.locator("small").inner_text)
    name, notes = [row.locator(part).evaluate(WRITTEN, [0, 0]) for part in ("b", "small")]
    assert abs(name["right"] - notes["right"]) < 1
    assert notes["height"] < 2 * row.locator("small").evaluate("(one) => parseFloat(getComputedStyle(one).fontSize)")
    page.keyboard.press("Escape")
    choose(page, "show-past")
    page.locator("#past-slider:enabled").wait_for()
    ends = page.locator(".past-ends span")
    until(ends.all_text_contents, all)
    for end in ends.all():
        length = len(end.text_content())
        hour, half = end.evaluate(WRITTEN, [0, 1]), end.evaluate(WRITTEN, [length - 1, length])
        assert half["right"] <= hour["left"]
