"""Every tool, used by one participant and seen by another."""

from __future__ import annotations

from board import (
    Fingers, PHONE, all_hold_the_same, draw, has_ink, line, move, sees_color, sees_ink, sees_paper, sees_people, share, tool,
    touch,
)
from conftest import both_in_full, in_full, ready, until

ALPHA = """([x, y]) => {
  const ratio = canvas.width / canvas.clientWidth;
  return canvas.getContext('2d').getImageData(x * ratio, y * ratio, 1, 1).data[3];
}"""


def alpha(page, x: float, y: float) -> int:
    return page.evaluate(ALPHA, [x, y])


def texts(page) -> list[str]:
    return [one["text"] for one in page.evaluate("drawTogether.shapes()") if one["type"] == "text"]


def test_the_result_of_each_tool_is_visible_to_others(chromium, firefox, open_page, out):
    a = open_page(chromium)
    b = open_page(firefox, share(a))
    sees_people(a, 2)

    # The shape grows on the other page too; its inside is empty.
    a.keyboard.press("r")
    a.mouse.move(100, 120)
    a.mouse.down()
    move(a, line(100, 120, 200, 200))
    sees_ink(b, 150, 120)
    sees_ink(b, 150, 200)
    move(a, line(200, 200, 250, 240))
    a.mouse.up()
    sees_ink(b, 250, 180)
    sees_paper(b, 200, 160)
    b.keyboard.press("o")
    draw(b, line(300, 120, 420, 240))
    sees_ink(a, 360, 120)
    sees_ink(a, 300, 180)
    assert not has_ink(a, 305, 125) and not has_ink(a, 360, 180)
    b.keyboard.press("l")
    b.keyboard.down("Shift")
    draw(b, line(480, 180, 600, 185))
    b.keyboard.up("Shift")
    sees_ink(a, 590, 180)
    a.keyboard.press("a")
    draw(a, line(650, 240, 750, 120))
    sees_ink(b, 700, 180)
    # A tap draws no shape.
    for key in "rola":
        a.keyboard.press(key)
        a.mouse.click(850, 150)

    # The highlighter stays transparent, however often it passes.
    b.keyboard.press("m")
    draw(b, line(100, 330, 300, 330) + line(300, 330, 100, 330) + line(100, 330, 200, 330))
    until(lambda: 60 < alpha(a, 150, 330) < 140)
    assert abs(alpha(a, 150, 330) - alpha(a, 280, 330)) <= 2

    # Text is visible while it is typed, at its place.
    a.keyboard.press("t")
    a.mouse.click(100, 420)
    a.keyboard.type("Milk")
    until(lambda: texts(b), lambda found: found == ["Milk"])
    a.keyboard.press("Enter")
    a.keyboard.insert_text("und Brötchen 🥐")
    until(lambda: texts(b), lambda found: found == ["Milk\nund Brötchen 🥐"])
    a.screenshot(path=out / "typing.png")
    a.keyboard.press("Escape")
    assert a.locator("#writing").is_hidden()

    # The other participant edits it by a double tap, and undo keeps the other's text.
    b.keyboard.press("v")
    b.mouse.dblclick(115, 420)
    b.locator("#writing").wait_for()
    b.keyboard.press("Control+A")
    b.keyboard.type("Honey")
    b.mouse.click(600, 550)
    until(lambda: texts(a), lambda found: found == ["Honey"])
    b.keyboard.press("Control+z")
    until(lambda: texts(a), lambda found: found == ["Milk\nund Brötchen 🥐"])
    shapes = len(a.evaluate("drawTogether.shapes()"))
    assert shapes == 6
    all_hold_the_same(a, b)

    # On an empty place a double tap begins a text; an empty text is removed.
    b.mouse.dblclick(700, 560)
    b.locator("#writing").wait_for()
    b.keyboard.press("Escape")
    b.locator("#writing").wait_for(state="hidden")

    # The eraser removes all of them.
    b.keyboard.press("e")
    draw(b, line(120, 100, 120, 440, 30))
    until(lambda: len(a.evaluate("drawTogether.shapes()")), lambda found: found == shapes - 3)
    sees_paper(a, 150, 330)
    a.keyboard.press("Control+z")
    assert len(a.evaluate("drawTogether.shapes()")) == shapes - 3, "what the other took is not one's own to bring back"
    all_hold_the_same(a, b)


@both_in_full
def test_a_color_applies_to_the_tool_and_to_the_typed_text(browser, open_page):
    page = open_page(browser)
    page.keyboard.press("r")
    page.get_by_role("radio", name="Green").click()
    assert page.locator("[data-tool=rectangle]").get_attribute("aria-pressed") == "true"
    page.keyboard.press("t")
    page.mouse.click(200, 200)
    page.keyboard.type("Mint")
    page.get_by_role("radio", name="Purple").click()
    page.get_by_role("radio", name="Broad").click()
    page.keyboard.type(" tea")
    page.mouse.click(600, 500)
    [text] = page.evaluate("drawTogether.shapes()")
    assert (text["text"], text["rgb"]) == ("Mint tea", "#8e4ec6")
    assert text["bottom"] - text["top"] > 50
    # A tap beside it only ends the text; a tap on it edits it. An empty text is removed.
    assert page.locator("#writing").is_hidden()
    page.mouse.click((text["left"] + text["right"]) / 2, (text["top"] + text["bottom"]) / 2)
    page.locator("#writing").wait_for()
    page.keyboard.press("Control+A")
    page.keyboard.press("Delete")
    page.keyboard.press("Escape")
    assert page.evaluate("drawTogether.shapes()") == []
    page.keyboard.press("Control+z")
    assert texts(page) == ["Mint tea"]


def test_a_phone_has_every_tool_in_thumb_reach(chromium, open_page, out):
    page = open_page(chromium, **{**PHONE, "viewport": {"width": 360, "height": 740}})
    page.locator("#shapes").tap()
    page.locator("#kinds:popover-open").wait_for()
    page.screenshot(path=out / "phone-tools.png")
    for button in page.locator("#tools button:visible").all():
        box = button.bounding_box()
        assert box and box["width"] >= 44 and box["height"] >= 44, button.get_attribute("aria-label")
        assert box["x"] >= 0 and box["x"] + box["width"] <= 360
    page.locator("[data-tool=ellipse]").tap()
    page.locator("#kinds").wait_for(state="hidden")
    assert page.locator("#shapes").get_attribute("aria-pressed") == "true"
    touch(page, line(60, 150, 200, 290))
    sees_ink(page, 130, 150)
    # A second finger cancels the stroke of the first.
    fingers = Fingers(page)
    fingers.down((60, 400))
    fingers.move((160, 480))
    fingers.down((160, 480), (300, 480))
    fingers.up()
    until(lambda: len(page.evaluate("drawTogether.shapes()")), lambda found: found == 1)

    # With an open keyboard the typed line stays visible.
    tool(page, "[data-tool=text]")
    touch(page, [(40, 600)])
    page.keyboard.type("A long line that goes on in the next before it leaves the page")
    box = page.locator("#writing").bounding_box()
    assert box and box["x"] >= 0 and box["x"] + box["width"] <= 360
    assert box["y"] > 60 and box["y"] + box["height"] < 0.5 * 740
    touch(page, [(300, 620)])
    assert page.locator("#writing").is_hidden()
    [text] = texts(page)
    assert text.replace("\n", " ") == "A long line that goes on in the next before it leaves the page"
    assert "\n" in text


@in_full
def test_any_custom_color_can_be_chosen(chromium, open_page):
    a = open_page(chromium)
    b = open_page(chromium, share(a))
    sees_people(a, 2)
    own = a.get_by_role("radio", name="Your own color")
    # The browser's own dialog opens at the second press; its result is simulated here.
    a.evaluate("document.getElementById('own-color').addEventListener('click', (event) => { globalThis.picks = true; event.preventDefault(); })")
    a.keyboard.press("2")
    a.locator("#more-styles").click()
    own.click()
    assert not a.evaluate("globalThis.picks ?? false")
    own.click()
    until(lambda: a.evaluate("globalThis.picks"))
    a.locator("#own-color").evaluate("(input) => { input.value = '#101010'; input.dispatchEvent(new Event('change')); }")
    draw(a, line(100, 300, 300, 300))
    sees_color(b, 200, 300, (16, 16, 16))
    until(lambda: b.evaluate("drawTogether.participants.some(({ color }) => color === '#101010')"))
    a.reload()
    ready(a)
    draw(a, line(100, 400, 300, 400))
    sees_color(b, 200, 400, (16, 16, 16))
