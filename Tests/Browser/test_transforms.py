"""Rotation by the handle and by keys, alignment, and snapping with guides."""

from __future__ import annotations

import math

from axe_playwright_python.sync_playwright import Axe
from board import (
    PHONE, Fingers, all_hold_the_same, are_drawn, choose, draw, items, lie_alike, line, move, pick, picture, sees_ink,
    sees_paper, sees_people, select, share, tool, touch,
)
from conftest import both, both_in_full, in_full, until
from photos import photo

TEAL = (18, 165, 165)


def shapes(page) -> list[dict]:
    """Returns the shapes, lowest first."""
    return page.evaluate("drawTogether.shapes()")


def chosen(page) -> list[dict]:
    return [one for one in shapes(page) if one["isSelected"]]


def handle(page) -> tuple[float, float]:
    """Waits for the handle that rotates the selection, and returns its center."""
    page.locator("#chosen .turn").wait_for()
    box = page.locator("#chosen .turn").bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def center(page) -> tuple[float, float]:
    """Returns the center of the selection box."""
    box = page.locator("#chosen").bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def turn(page, degrees: float, steps: int = 8) -> None:
    """Drags the handle around the center of the selection, clockwise."""
    (x, y), (middle_x, middle_y) = handle(page), center(page)
    radius, start = math.hypot(x - middle_x, y - middle_y), math.atan2(y - middle_y, x - middle_x)
    turns = [start + math.radians(degrees) * at / steps for at in range(steps + 1)]
    draw(page, [(middle_x + radius * math.cos(one), middle_y + radius * math.sin(one)) for one in turns])


def rectangle(page, left: float, top: float, right: float, bottom: float) -> None:
    page.keyboard.press("r")
    draw(page, line(left, top, right, bottom))


def size(one: dict) -> tuple[int, int]:
    return round(one["right"] - one["left"]), round(one["bottom"] - one["top"])


@both_in_full
def test_the_handle_rotates_for_everybody(browser, open_page, out):
    a = open_page(browser)
    path = share(a)
    b = open_page(browser, path)
    sees_people(b, 2)
    rectangle(a, 300, 300, 500, 360)
    sees_ink(b, 400, 300)
    a.keyboard.press("v")
    a.mouse.click(400, 300)
    until(lambda: len(chosen(a)) == 1)
    before = size(chosen(a)[0])

    # While it turns, the angle is shown, and the others see the object turn.
    (x, y), (middle_x, middle_y) = handle(a), center(a)
    a.mouse.move(x, y)
    a.mouse.down()
    a.mouse.move(middle_x + 60, y + 10)
    a.keyboard.down("Shift")
    a.mouse.move(middle_x + (middle_y - y), middle_y + 3)
    until(lambda: a.locator("#chosen .turn").get_attribute("data-angle"), lambda told: told == "90°")
    a.screenshot(path=out / "transforms-turning.png")
    sees_ink(b, 400, 231)
    a.mouse.up()
    a.keyboard.up("Shift")
    until(lambda: size(shapes(b)[0]) == before[::-1])
    all_hold_the_same(a, b)
    assert picture(a) == picture(b)

    # Keys turn by 15 degrees, and with Shift by one; each press is one step.
    a.keyboard.press("Control+ArrowRight")
    a.keyboard.press("Control+Shift+ArrowLeft")
    until(lambda: size(shapes(b)[0])[0] > before[1] + 20)
    for _ in range(2):
        a.keyboard.press("Control+z")
    until(lambda: size(shapes(b)[0]) == before[::-1])
    a.keyboard.press("Control+z")
    until(lambda: size(shapes(b)[0]) == before)
    sees_ink(b, 400, 300)
    all_hold_the_same(a, b)


@in_full
@both
def test_texts_and_pictures_are_rotated_and_stay_so(browser, open_page, tmp_path, out):
    a = open_page(browser)
    path = share(a)
    b = open_page(browser, path)
    sees_people(b, 2)
    pick(a, photo(tmp_path, "lake.png", TEAL, (300, 100)))
    are_drawn(a, "lake.png")
    select(a, "lake.png")
    before = items(a)[0]
    turn(a, 90)
    until(lambda: items(b)[0].get("angle"), lambda angle: angle == 90)
    lie_alike(a, b)
    are_drawn(b, "lake.png")
    # The picture is now higher than wide, and the box is rotated with it.
    sees_ink(b, before["x"], before["y"] - before["width"] / 2 + 12)
    sees_paper(b, before["x"] - before["width"] / 2 + 12, before["y"])

    a.keyboard.press("t")
    a.mouse.click(200, 450)
    a.keyboard.type("Up the wall")
    a.keyboard.press("Escape")
    a.keyboard.press("v")
    a.mouse.click(240, 450)
    until(lambda: len(chosen(a)) == 1)
    turn(a, -90)
    until(lambda: (lambda wide, high: high > wide)(*size(shapes(b)[-1])))
    all_hold_the_same(a, b)
    assert picture(a) == picture(b)

    # The text is written where it is shown, and its beginning stays there.
    bottom = shapes(a)[-1]["bottom"]
    middle = [(shapes(a)[-1][one] + shapes(a)[-1][other]) / 2 for one, other in (("left", "right"), ("top", "bottom"))]
    a.mouse.dblclick(*middle)
    a.locator("#writing").wait_for()
    a.keyboard.type(" and on")
    a.screenshot(path=out / "transforms-writing.png")
    a.keyboard.press("Escape")
    until(lambda: shapes(b)[-1]["text"] == "Up the wall and on")
    assert abs(shapes(a)[-1]["bottom"] - bottom) < 2

    # A page that joins later and a reloaded page show the same.
    c = open_page(browser, path)
    are_drawn(c, "lake.png")
    all_hold_the_same(a, b, c)
    lie_alike(a, b, c)
    assert picture(c) == picture(a)


@both_in_full
def test_a_selection_is_aligned_and_distributed(browser, open_page, out):
    for scheme in ("light", "dark"):
        page = open_page(browser, color_scheme=scheme)
        for left, top, right, bottom in ((200, 250, 260, 290), (330, 340, 430, 380), (620, 480, 640, 580)):
            rectangle(page, left, top, right, bottom)
        page.keyboard.press("Control+a")
        until(lambda: len(chosen(page)) == 3)
        page.get_by_role("button", name="Align and distribute").click()
        page.locator("#arrange").wait_for()
        page.screenshot(path=out / f"transforms-arrange-{scheme}.png")
        assert Axe().run(page).response["violations"] == []
        for button in page.locator("#arrange button").all():
            box = button.bounding_box()
            assert box["width"] >= 44 and box["height"] >= 44
        page.get_by_role("button", name="Distribute horizontally").click()
        until(lambda: [round(one["left"]) for one in shapes(page)], lambda lefts: lefts[1] - lefts[0] > 180)
        first, second, third = shapes(page)
        assert abs((second["left"] - first["right"]) - (third["left"] - second["right"])) < 1
        page.get_by_role("button", name="Align top").click()
        until(lambda: len({round(one["top"]) for one in shapes(page)}) == 1)
        # Two objects cannot be distributed.
        page.keyboard.press("Escape")
        page.keyboard.press("Control+z")
        until(lambda: len({round(one["top"]) for one in shapes(page)}) == 3)
        page.keyboard.press("Escape")
        page.mouse.click(200, 270)
        page.keyboard.down("Shift")
        page.mouse.click(shapes(page)[1]["left"] + 7, shapes(page)[1]["top"] + 20)
        page.keyboard.up("Shift")
        until(lambda: len(chosen(page)) == 2)
        page.get_by_role("button", name="Align and distribute").click()
        assert page.get_by_role("button", name="Distribute vertically").is_disabled()
        page.keyboard.press("Escape")
        page.keyboard.press("Escape")
        page.get_by_role("button", name="Align and distribute").wait_for(state="hidden")


@both_in_full
def test_a_moved_object_snaps_to_other_objects(browser, open_page, out):
    page = open_page(browser)
    rectangle(page, 200, 250, 300, 310)
    rectangle(page, 500, 450, 560, 500)
    page.keyboard.press("v")

    def left() -> float:
        return shapes(page)[1]["left"] - shapes(page)[0]["left"]

    def drag_to(x: float, *keys: str) -> None:
        start = shapes(page)[1]["left"] + 7
        page.mouse.move(start, 480)
        page.mouse.down()
        move(page, line(start, 480, x - 20, 480))
        for key in keys:
            page.keyboard.down(key)
        page.mouse.move(x, 480)

    drag_to(204)
    until(lambda: left() == 0)
    until(lambda: page.locator(".guides path").get_attribute("d"), bool)
    page.screenshot(path=out / "transforms-guides.png")
    page.mouse.up()
    until(lambda: page.locator(".guides path").get_attribute("d"), lambda path: path == "")
    drag_to(400)
    page.mouse.up()
    drag_to(204, "Alt")
    until(lambda: left() == 4)
    assert page.locator(".guides path").get_attribute("d") == ""
    page.mouse.up()
    page.keyboard.up("Alt")

    # The setting in the menu is for devices without the key that turns snapping off. The setting survives a reload.
    choose(page, "snap")
    assert page.locator("#snap").get_attribute("aria-pressed") == "false"
    page.keyboard.press("Escape")
    page.reload()
    page.locator("html[data-ready]").wait_for()
    until(lambda: len(shapes(page)) == 2)
    page.keyboard.press("v")
    page.locator("#snap").wait_for(state="attached")
    drag_to(198)
    until(lambda: left() == -2)
    page.mouse.up()
    choose(page, "snap")
    page.keyboard.press("Escape")

    # A new shape snaps with both corners.
    rectangle(page, 303, 600, 400, 640)
    until(lambda: len(shapes(page)) == 3)
    assert round(shapes(page)[2]["left"] - shapes(page)[0]["right"]) == -14


@in_full
def test_a_finger_turns_by_the_handle(chromium, open_page, out):
    for scheme in ("light", "dark"):
        page = open_page(chromium, color_scheme=scheme, **PHONE)
        tool(page, "button[data-tool=rectangle]")
        touch(page, line(100, 300, 280, 360))
        page.locator("button[data-tool=select]").tap()
        page.touchscreen.tap(190, 300)
        until(lambda: len(chosen(page)) == 1)
        before = size(chosen(page)[0])
        x, y = handle(page)
        page.screenshot(path=out / f"transforms-phone-{scheme}.png")
        middle_x, middle_y = center(page)
        # The finger presses the edge of the handle's touch area, which is as large as a finger.
        finger = Fingers(page)
        finger.down((x + 17, y - 8))
        for degrees in (20, 50, 80, 90):
            radius, start = math.hypot(x + 17 - middle_x, y - 8 - middle_y), math.atan2(y - 8 - middle_y, x + 17 - middle_x)
            angle = start + math.radians(degrees)
            finger.move((middle_x + radius * math.cos(angle), middle_y + radius * math.sin(angle)))
        finger.up()
        until(lambda: size(chosen(page)[0]) == before[::-1])
        # Two objects on a phone: the panel is within the window.
        tool(page, "button[data-tool=rectangle]")
        touch(page, line(120, 500, 220, 560))
        page.locator("button[data-tool=select]").tap()
        touch(page, line(20, 150, 360, 620))
        until(lambda: len(chosen(page)) == 2)
        page.get_by_role("button", name="Align and distribute").tap()
        box = page.locator("#arrange").bounding_box()
        assert box["x"] >= 0 and box["x"] + box["width"] <= 390 and box["y"] >= 0
        page.screenshot(path=out / f"transforms-phone-arrange-{scheme}.png")
        page.get_by_role("button", name="Align left").tap()
        until(lambda: len({round(one["left"]) for one in shapes(page)}) == 1)
