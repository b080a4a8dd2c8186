"""Sticky notes, connections that follow their objects, locked objects, and sending objects to the back."""

from __future__ import annotations

import json

import pytest
from axe_playwright_python.sync_playwright import Axe
from board import (
    COLOR, PHONE, all_hold_the_same, draw, has_ink, line, picture, pick, row, sees_color, sees_ink, sees_items, sees_paper,
    sees_people, select, share, tool, touch,
)
from conftest import both, both_in_full, in_full, until
from photos import photo
from test_copies import downloaded, opened

YELLOW, DARK_YELLOW, BLUE = (245, 230, 166), (92, 81, 40), (205, 223, 234)


def shapes(page) -> list[dict]:
    return page.evaluate("drawTogether.shapes()")


def messages(page) -> list[dict]:
    """Returns the messages of all shapes, lowest first."""
    return [one["message"] for one in json.loads(downloaded(page, "drawing"))["marks"]]


def has_objects(page) -> None:
    """Waits until the tools are loaded."""
    page.locator("#note-colors").wait_for(state="attached")


def note(page, x: float, y: float, text: str) -> None:
    has_objects(page)
    page.keyboard.press("n")
    page.mouse.click(x, y)
    page.locator("#writing").wait_for()
    page.keyboard.type(text)
    page.keyboard.press("Escape")


def drag(page, x: float, y: float, to_x: float, to_y: float) -> None:
    draw(page, line(x, y, to_x, to_y))


def rectangle(page, x: float, y: float, to_x: float, to_y: float) -> None:
    page.keyboard.press("r")
    drag(page, x, y, to_x, to_y)


def arrow(page, x: float, y: float, to_x: float, to_y: float) -> None:
    has_objects(page)
    page.keyboard.press("a")
    drag(page, x, y, to_x, to_y)


@both_in_full
def test_a_note_is_written_on_and_everybody_sees_it(browser, open_page):
    a = open_page(browser, color_scheme="light")
    b = open_page(browser, share(a), color_scheme="dark")
    sees_people(b, 2)
    note(a, 400, 300, "Buy milk and bread for the whole weekend at the lake, and do not forget the matches")
    sees_color(a, 310, 390, YELLOW)
    sees_color(b, 310, 390, DARK_YELLOW)
    all_hold_the_same(a, b)
    assert [(one["left"], one["top"]) for one in shapes(b)] == [(299, 199)]
    # The other person edits the note and gives it another color.
    has_objects(b)
    b.keyboard.press("t")
    b.mouse.click(390, 390)
    b.locator("#writing").wait_for()
    b.locator("#note-colors").get_by_role("radio", name="Blue").click()
    b.keyboard.press("Control+a")
    b.keyboard.type("Done")
    b.keyboard.press("Escape")
    sees_color(a, 310, 390, BLUE)
    until(lambda: shapes(a)[0]["text"], lambda text: text == "Done")
    a.keyboard.press("Control+z")
    until(lambda: len(shapes(a)), lambda count: count == 0)


@in_full
@both
def test_the_caret_is_where_the_text_of_the_note_is_painted(browser, open_page):
    page = open_page(browser)
    has_objects(page)
    page.keyboard.press("n")
    page.mouse.click(400, 300)
    area = page.locator("#writing")
    area.wait_for()
    page.keyboard.type("one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen")
    # The browser breaks the lines inside the note as the canvas does: no line is wider than the note.
    height, room = page.evaluate("[writing.scrollHeight, writing.clientHeight]")
    assert height <= room + 2
    box = area.bounding_box()
    assert box["x"] >= 300 and box["x"] + box["width"] <= 400 + 100 and box["y"] >= 200


@in_full
@both
def test_a_note_in_the_copies(browser, open_page):
    page = open_page(browser, color_scheme="light")
    note(page, 400, 300, "Milk")
    png = opened(downloaded(page, "png", scale="1", paper="white"))
    assert all(abs(one - two) <= 3 for one, two in zip(png.getpixel((30, 200)), YELLOW, strict=False))
    svg = downloaded(page, "svg").decode()
    assert 'fill="#f5e6a6"' in svg and "Milk" in svg
    assert messages(page)[0]["note"] == {"width": 200, "height": 200, "fill": "yellow"}


@both_in_full
def test_an_arrow_follows_the_shape_on_which_it_was_dropped(browser, open_page):
    a = open_page(browser)
    b = open_page(browser, share(a))
    sees_people(b, 2)
    rectangle(a, 500, 300, 600, 400)
    arrow(a, 200, 350, 500, 350)
    until(lambda: len(shapes(b)), lambda count: count == 2)
    has_objects(b)
    b.keyboard.press("v")
    b.mouse.move(550, 300)
    b.mouse.down()
    b.mouse.move(550, 250)
    b.mouse.move(550, 150)
    # The arrow follows even while the other person is still dragging the shape.
    until(lambda: min(one["top"] for one in shapes(a)), lambda top: top < 200)
    until(lambda: has_ink(a, 350, 275))
    b.mouse.up()
    for page in (a, b):
        sees_ink(page, 350, 275)
        sees_paper(page, 350, 350)
    all_hold_the_same(a, b)
    b.keyboard.press("Control+z")
    for page in (a, b):
        sees_ink(page, 350, 350)
        sees_paper(page, 350, 275)
    assert picture(a) == picture(b)


@in_full
def test_the_shape_under_the_end_of_an_arrow_is_highlighted(chromium, open_page):
    page = open_page(chromium)
    rectangle(page, 500, 300, 600, 400)
    has_objects(page)
    page.keyboard.press("a")
    page.mouse.move(200, 350)
    page.mouse.down()
    page.mouse.move(300, 350)
    assert page.locator(".end-highlight:visible").count() == 0
    page.mouse.move(550, 350)
    box = page.locator(".end-highlight:visible").bounding_box()
    assert abs(box["x"] - 496) <= 2 and abs(box["width"] - 108) <= 3
    page.mouse.up()
    page.locator(".end-highlight:visible").wait_for(state="hidden")


@in_full
@both
def test_an_arrow_follows_a_photo(browser, open_page, tmp_path):
    path = photo(tmp_path, "lake.png", (60, 120, 160), (300, 200))
    page = open_page(browser)
    pick(page, path)
    sees_items(page, "lake.png")
    has_objects(page)
    item = select(page, "lake.png")
    page.keyboard.press("Escape")
    arrow(page, 60, 120, item["x"], item["y"])
    page.keyboard.press("v")
    page.mouse.click(item["x"], item["y"])
    page.keyboard.press("Shift+ArrowDown")
    page.keyboard.press("Shift+ArrowDown")
    until(lambda: shapes(page)[0]["bottom"], lambda bottom: bottom > item["y"] + 100)
    assert shapes(page)[0]["left"] < 80


@both_in_full
def test_a_locked_background_stays_until_it_is_unlocked(browser, open_page):
    a = open_page(browser)
    b = open_page(browser, share(a))
    sees_people(b, 2)
    note(a, 400, 300, "Title")
    a.keyboard.press("v")
    a.mouse.click(330, 380)
    a.get_by_role("button", name="Lock as background").click()
    until(lambda: a.locator("#toasts").inner_text(), lambda text: "Locked" in text)
    assert not any(one["isSelected"] for one in shapes(a))
    # Nobody can erase or move the background, but objects on it can be erased and moved.
    has_objects(b)
    until(lambda: len(shapes(b)), lambda count: count == 1)
    b.keyboard.press("p")
    drag(b, 320, 350, 480, 350)
    b.keyboard.press("e")
    drag(b, 320, 330, 480, 370)
    until(lambda: len(shapes(b)), lambda count: count == 1)
    b.keyboard.press("v")
    drag(b, 330, 380, 500, 500)
    assert [(one["left"], one["top"]) for one in shapes(b)] == [(299, 199)]
    # A tap shows how to unlock it.
    b.mouse.click(330, 380)
    b.locator("#lock-bar").get_by_role("button", name="Unlock").click()
    until(lambda: shapes(b)[0]["isSelected"])
    b.keyboard.press("Delete")
    until(lambda: len(shapes(a)), lambda count: count == 0)


@in_full
def test_locking_by_keys(chromium, open_page):
    page = open_page(chromium)
    has_objects(page)
    rectangle(page, 200, 200, 400, 300)
    page.keyboard.press("v")
    page.mouse.click(200, 250)
    page.keyboard.press("Shift+L")
    until(lambda: not shapes(page)[0]["isSelected"])
    page.keyboard.press("Control+a")
    page.keyboard.press("Delete")
    assert len(shapes(page)) == 1
    page.keyboard.press("Shift+L")
    until(lambda: page.evaluate("document.activeElement.textContent"), lambda text: text == "Unlock")
    page.keyboard.press("Escape")
    page.locator("#lock-bar").wait_for(state="hidden")
    page.keyboard.press("Shift+L")
    page.keyboard.press("Enter")
    until(lambda: shapes(page)[0]["isSelected"])
    page.keyboard.press("Control+z")
    page.keyboard.press("Control+z")
    page.keyboard.press("Control+a")
    until(lambda: shapes(page)[0]["isSelected"])


@in_full
def test_the_row_of_a_locked_photo_offers_to_unlock_it(chromium, open_page, tmp_path):
    page = open_page(chromium)
    pick(page, photo(tmp_path, "lake.png", (60, 120, 160), (300, 200)))
    sees_items(page, "lake.png")
    has_objects(page)
    select(page, "lake.png")
    page.keyboard.press("Shift+L")
    until(lambda: not page.evaluate("drawTogether.pictures[0].isSelected"))
    row(page, "lake.png").locator(".grip").focus()
    page.keyboard.press("Enter")
    until(lambda: page.evaluate("document.activeElement.textContent"), lambda text: text == "Unlock")
    page.keyboard.press("Enter")
    until(lambda: page.evaluate("drawTogether.pictures[0].isSelected"))


@in_full
@both
def test_a_photo_goes_behind_the_ink(browser, open_page, tmp_path):
    path = photo(tmp_path, "lake.png", (60, 120, 160), (300, 200))
    page = open_page(browser)
    draw(page, line(200, 300, 900, 300))
    pick(page, path)
    sees_items(page, "lake.png")
    has_objects(page)
    item = select(page, "lake.png")
    z = shapes(page)[0]["z"]
    assert item["z"] > z
    page.keyboard.press("PageDown")
    until(lambda: page.evaluate("drawTogether.pictures[0].z"), lambda found: found < z or found == 0)
    page.keyboard.press("Control+z")
    until(lambda: page.evaluate("drawTogether.pictures[0].z"), lambda found: found == item["z"])


@in_full
def test_on_a_phone_notes_and_locks_are_in_reach(chromium, open_page, out):
    page = open_page(chromium, **PHONE)
    has_objects(page)
    tool(page, "[data-tool=note]")
    page.locator("#note-colors").wait_for()
    page.locator("#note-colors").get_by_role("radio", name="Rose").check()
    touch(page, [(195, 300)])
    page.locator("#writing").wait_for()
    page.keyboard.type("Lunch")
    page.screenshot(path=out / "objects-note-phone.png")
    touch(page, [(195, 600)])
    tool(page, "[data-tool=select]")
    touch(page, [(120, 380)])
    bar = page.locator("#chosen-bar")
    bar.wait_for()
    box = bar.bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= 390
    page.screenshot(path=out / "objects-bar-phone.png")
    bar.get_by_role("button", name="Lock as background").tap()
    touch(page, [(120, 380)])
    page.locator("#lock-bar").wait_for()
    page.screenshot(path=out / "objects-locked-phone.png")
    page.locator("#lock-bar").get_by_role("button", name="Unlock").tap()
    until(lambda: shapes(page)[0]["isSelected"])


@in_full
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("screen", ["desktop", "phone"])
def test_the_new_parts_are_accessible(chromium, open_page, scheme, screen, out):
    # A message that is fading in has no contrast yet.
    page = open_page(chromium, color_scheme=scheme, reduced_motion="reduce", **(PHONE if screen == "phone" else {}))
    has_objects(page)
    tool(page, "[data-tool=note]")
    page.locator("#note-colors").wait_for()
    page.mouse.click(195, 300)
    page.keyboard.type("Lunch at one, then a walk around the lake")
    page.screenshot(path=out / f"objects-note-{screen}-{scheme}.png")
    assert not Axe().run(page).response["violations"]
    page.keyboard.press("Escape")
    page.keyboard.press("v")
    page.mouse.click(120, 380)
    page.locator("#chosen-bar").wait_for()
    page.screenshot(path=out / f"objects-bar-{screen}-{scheme}.png")
    assert not Axe().run(page).response["violations"]
    page.keyboard.press("Shift+L")
    page.keyboard.press("Shift+L")
    page.locator("#lock-bar").wait_for()
    page.screenshot(path=out / f"objects-locked-{screen}-{scheme}.png")
    assert not Axe().run(page).response["violations"]


@in_full
def test_a_large_drawing_has_notes_on_its_tiles(chromium, open_page, tmp_path):
    page = open_page(chromium, color_scheme="light")
    note(page, 400, 300, "Milk")
    marks = [{"type": "UpsertStrokeMessage", "message": {"id": "X", "color": 0, "width": 3, "point": [1, 1], "points": [
        [600 + at % 60 * 8, 100 + at // 60 * 8], [604 + at % 60 * 8, 104 + at // 60 * 8]]}} for at in range(1800)]
    path = tmp_path / "many.drawtogether"
    path.write_text(json.dumps({"drawTogether": 1, "marks": marks, "items": []}))
    page.locator("#files").set_input_files(path)
    until(lambda: len(shapes(page)), lambda count: count == 1801)
    until(lambda: page.evaluate("drawTogether.isSettled"))
    sees_color(page, 310, 390, YELLOW, slack=6)
    assert page.evaluate(COLOR, [310, 390])[3] == 255
