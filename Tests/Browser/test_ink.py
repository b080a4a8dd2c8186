"""Ink that adapts to the paper, the styles of lines, and the eraser for parts of strokes."""

from __future__ import annotations

import json

import pytest
from axe_playwright_python.sync_playwright import Axe
from board import (
    COLOR, PHONE, all_hold_the_same, draw, has_ink, line, picture, sees_color, sees_ink, sees_paper, sees_people, share, tool, touch,
)
from conftest import both, both_in_full, in_full, until
from media import emulate
from test_copies import choose_file, downloaded, opened

DARK, LIGHT = (29, 29, 32), (241, 241, 243)
INK = "Black, or white on dark paper"


def messages(page) -> list[dict]:
    """Returns the messages of all shapes, lowest first."""
    return [one["message"] for one in json.loads(downloaded(page, "drawing"))["marks"]]


def styles(page) -> list[tuple]:
    return [tuple(one.get(name) for name in ("fill", "dash", "opacity")) for one in messages(page)]


def alpha(page, x: float, y: float) -> int:
    return page.evaluate(COLOR, [x, y])[3]


def panel(page) -> None:
    """Opens the panel of further styles."""
    if not page.locator("#more-styles").is_visible():
        page.locator("#ink").click()
    page.locator("#more-styles").click()
    page.locator("#styles").wait_for()


def style(page, group: str, name: str) -> None:
    page.locator(f"#{group}").get_by_role("radio", name=name, exact=True).click()


@both_in_full
def test_ink_is_dark_on_light_paper_and_light_on_dark_paper(browser, open_page):
    a = open_page(browser, color_scheme="light")
    a.get_by_role("radio", name=INK).click()
    draw(a, line(100, 200, 500, 200))
    a.keyboard.press("t")
    a.mouse.click(100, 300)
    a.keyboard.type("Ink")
    a.keyboard.press("Escape")
    b = open_page(browser, share(a), color_scheme="dark")
    sees_color(a, 300, 200, DARK)
    sees_color(b, 300, 200, LIGHT)
    emulate(a, color_scheme="dark")
    sees_color(a, 300, 200, LIGHT)
    all_hold_the_same(a, b)
    assert {shape["rgb"] for shape in b.evaluate("drawTogether.shapes()")} == {"#7f8187"}
    # In a copy on white or no paper, the ink is dark; on the page's paper, it is as on the page.
    for paper, color in (("white", "#1d1d20"), ("none", "#1d1d20"), ("page", "#f1f1f3")):
        assert downloaded(b, "svg", paper=paper).decode().count(f'fill="{color}"') == 2
    copy = opened(downloaded(b, "png", scale="1", paper="white"))
    assert copy.convert("L").getextrema()[0] < 60


@in_full
def test_a_large_drawing_changes_its_ink_with_the_paper(chromium, open_page, tmp_path):
    page = open_page(chromium, color_scheme="light")
    mark = {"color": 0, "width": 4, "rgb": "#7f8187", "tool": "pen"}
    lines = [[[100 + at % 40 * 20, 100 + at // 40 * 10], [110 + at % 40 * 20, 100 + at // 40 * 10]] for at in range(1600)]
    marks = [{"type": "UpsertStrokeMessage", "message": {**mark, "points": points, "point": points[1]}} for points in lines]
    # A filled box below all others: its area must be on the tiles, too.
    box = {**mark, "points": [[20, 60], [980, 60], [980, 90], [20, 90], [20, 60]], "tool": "rectangle", "fill": "solid"}
    marks.insert(0, {"type": "UpsertStrokeMessage", "message": {**box, "point": [20, 60]}})
    drawing = tmp_path / "large.drawtogether"
    drawing.write_text(json.dumps({"drawTogether": 1, "marks": marks, "items": []}))
    choose_file(page, drawing)
    until(lambda: page.evaluate("drawTogether.shapes().length"), lambda count: count == 1601, seconds=30)
    page.keyboard.press("Escape")
    shapes = page.evaluate("drawTogether.shapes()")
    box, small = (next(one for one in shapes if one["type"] == type) for type in ("rectangle", "pen"))
    for scheme, color in (("light", DARK), ("dark", LIGHT), ("light", DARK)):
        page.emulate_media(color_scheme=scheme)
        until(lambda: page.evaluate("drawTogether.isSettled"), seconds=60)
        for one in (box, small):
            sees_color(page, (one["left"] + one["right"]) / 2, (one["top"] + one["bottom"]) / 2, color)


@both
def test_shapes_get_fills_dashes_and_opacity_and_the_others_see_them(browser, open_page):
    a = open_page(browser)
    b = open_page(browser, share(a))
    sees_people(a, 2)
    a.keyboard.press("2")
    a.keyboard.press("r")
    panel(a)
    style(a, "fill", "Tint")
    style(a, "dash", "Dotted")
    draw(a, line(200, 200, 400, 320))
    until(lambda: alpha(b, 300, 260), lambda found: found == 51)
    # A selected shape gets another style, and undo brings the earlier one back.
    a.keyboard.press("v")
    a.mouse.click(300, 260)
    panel(a)
    style(a, "fill", "Full")
    style(a, "opacity", "50 %")
    until(lambda: alpha(b, 300, 260), lambda found: 126 <= found <= 129)
    assert alpha(a, 300, 260) == alpha(b, 300, 260)
    # The line is no darker where it overlaps the area.
    assert alpha(a, 300, 201) == alpha(a, 300, 260)
    a.keyboard.press("Escape")
    for _ in range(2):
        a.keyboard.press("Control+z")
    until(lambda: alpha(b, 300, 260), lambda found: found == 51)
    all_hold_the_same(a, b)
    assert styles(b) == [("tint", "dotted", None)]
    # A pen draws dashes and does not fill; a loop that it drew can be filled. Undo did not change the choice of the opacity.
    a.keyboard.press("p")
    panel(a)
    style(a, "opacity", "100 %")
    draw(a, [(500, 200), (600, 200), (600, 300), (500, 300), (500, 204)])
    assert alpha(a, 550, 250) == 0
    a.keyboard.press("v")
    a.mouse.click(500, 250)
    panel(a)
    style(a, "fill", "None")
    style(a, "fill", "Tint")
    until(lambda: alpha(b, 550, 250), lambda found: found == 51)


@both_in_full
def test_the_eraser_removes_parts_and_undo_brings_them_back(browser, open_page):
    a = open_page(browser)
    b = open_page(browser, share(a))
    sees_people(a, 2)
    draw(a, line(100, 200, 700, 200))
    draw(a, line(100, 260, 700, 260))
    sees_ink(b, 400, 200)
    a.keyboard.press("x")
    assert a.locator("[data-tool=eraser]").get_attribute("aria-pressed") == "true"
    assert a.get_by_role("radio", name="Parts").is_checked()
    a.mouse.move(400, 150)
    a.mouse.down()
    a.mouse.move(400, 300, steps=8)
    # The part disappears here at once, and for the others at the end of the movement.
    sees_paper(a, 400, 200)
    assert has_ink(b, 400, 200)
    a.mouse.up()
    for y in (200, 260):
        sees_paper(b, 400, y)
        sees_ink(b, 380, y)
        sees_ink(b, 420, y)
    all_hold_the_same(a, b)
    assert len(a.evaluate("drawTogether.shapes()")) == 4
    assert picture(a) == picture(b)
    # Ben moves a remaining part, and Ada's undo still brings back both strokes.
    b.keyboard.press("v")
    b.mouse.click(600, 260)
    b.keyboard.press("ArrowDown")
    until(lambda: max(one["bottom"] for one in a.evaluate("drawTogether.shapes()")), lambda found: found > 270)
    a.keyboard.press("Control+z")
    until(lambda: len(b.evaluate("drawTogether.shapes()")), lambda count: count == 2)
    sees_ink(b, 400, 200)
    a.keyboard.press("Control+Shift+z")
    until(lambda: len(b.evaluate("drawTogether.shapes()")), lambda count: count == 4)
    all_hold_the_same(a, b)
    # The choice is kept.
    a.reload()
    a.keyboard.press("e")
    assert a.get_by_role("radio", name="Parts").is_checked()


@in_full
@both
def test_two_people_erase_parts_of_one_stroke_at_the_same_time(browser, open_page):
    a = open_page(browser)
    b = open_page(browser, share(a))
    sees_people(a, 2)
    draw(a, line(100, 200, 900, 200, steps=60))
    sees_ink(b, 500, 200)
    for page, x in ((a, 300), (b, 700)):
        page.keyboard.press("x")
        page.mouse.move(x, 150)
        page.mouse.down()
        page.mouse.move(x, 250, steps=5)
        sees_paper(page, x, 200)
    a.mouse.up()
    sees_paper(b, 300, 200)
    b.mouse.up()
    for page in (a, b):
        sees_paper(page, 300, 200)
        sees_paper(page, 700, 200)
        sees_ink(page, 500, 200)
    all_hold_the_same(a, b)
    assert len(a.evaluate("drawTogether.shapes()")) == 3


@in_full
def test_on_a_phone_the_choices_are_in_reach(chromium, open_page, out):
    page = open_page(chromium, **PHONE)
    panel(page)
    page.screenshot(path=out / "ink-phone-panel.png")
    inks, styles = (page.locator(f"#{id}").bounding_box() for id in ("inks", "styles"))
    assert styles["y"] + styles["height"] <= inks["y"]
    assert styles["y"] >= 0
    style(page, "more-colors", "Dark gray")
    touch(page, line(100, 200, 300, 200))
    page.locator("#styles").wait_for(state="hidden")
    assert page.evaluate("drawTogether.shapes()[0].rgb") == "#66686f"
    tool(page, "[data-tool=eraser]")
    page.get_by_role("radio", name="Parts").tap()
    page.screenshot(path=out / "ink-phone-eraser.png")
    touch(page, line(200, 150, 200, 250))
    assert len(page.evaluate("drawTogether.shapes()")) == 2


@in_full
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("screen", ["desktop", "phone", "landscape"])
def test_the_choices_are_accessible(chromium, open_page, scheme, screen, out):
    phone = {**PHONE, "viewport": {"width": 844, "height": 390}} if screen == "landscape" else PHONE
    page = open_page(chromium, color_scheme=scheme, **({} if screen == "desktop" else phone))
    page.keyboard.press("r")
    panel(page)
    until(lambda: page.evaluate("document.getAnimations().every(({ playState }) => playState === 'finished')"))
    page.screenshot(path=out / f"ink-{screen}-{scheme}.png")
    assert not Axe().run(page).response["violations"]
    box = page.locator("#styles").bounding_box()
    size = page.viewport_size
    assert box["y"] >= 0 and box["x"] >= 0 and box["x"] + box["width"] <= size["width"]
    page.keyboard.press("Escape")
    page.keyboard.press("e")
    page.locator("#eraser-modes").wait_for()
    page.screenshot(path=out / f"ink-eraser-{screen}-{scheme}.png")
    assert not Axe().run(page).response["violations"]


@in_full
@both
def test_the_bar_shows_the_choice(browser, open_page):
    page = open_page(browser)
    page.keyboard.press("2")
    assert page.locator("#more-styles[data-chosen]").count() == 0
    page.keyboard.press("7")
    page.locator("#more-styles[data-chosen]").wait_for()
    assert page.evaluate("getComputedStyle(document.querySelector('#more-styles .paint')).fill") == "rgb(242, 118, 46)"
    # The panel shows only the styles that the tool has.
    page.locator("#more-styles").click()
    assert not page.locator("#fill").is_visible()
    page.keyboard.press("r")
    assert page.locator("#fill").is_visible()
    page.keyboard.press("m")
    assert not page.locator("#dash").is_visible()
