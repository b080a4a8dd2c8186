"""Combinations of features: rotation with connections, styles with the eraser and with copies, locks with photos."""

from __future__ import annotations

import pytest
from board import (
    address, all_hold_the_same, are_drawn, draw, items, lie_alike, line, pick, picture, places, sees_ink, sees_paper, sees_people,
    select, share,
)
from conftest import both, in_full, until
from photos import photo
from test_copies import downloaded, opened
from test_ink import messages, panel, style
from test_keyboard import keyed, names, objects
from test_objects import arrow, has_objects, rectangle, shapes

pytestmark = in_full

RED = (229, 72, 77)


def together(open_page, browser):
    a = open_page(browser)
    b = open_page(browser, share(a))
    for page in (a, b):
        sees_people(page, 2)
    return a, b


@both
def test_an_arrow_turns_with_its_object(browser, open_page):
    a, b = together(open_page, browser)
    rectangle(a, 400, 300, 600, 400)
    arrow(a, 500, 150, 500, 300)
    until(lambda: len(shapes(b)), lambda count: count == 2)
    a.keyboard.press("v")
    a.mouse.click(400, 350)
    for _ in range(6):
        a.keyboard.press("Control+ArrowRight")
    # After the rotation, the upper side is on the right.
    for page in (a, b):
        sees_ink(page, 512, 200)
        sees_paper(page, 500, 200)
    all_hold_the_same(a, b)
    assert picture(a) == picture(b)
    for _ in range(6):
        a.keyboard.press("Control+z")
    for page in (a, b):
        sees_ink(page, 500, 200)
        sees_paper(page, 512, 200)
    all_hold_the_same(a, b)


@both
def test_a_part_of_a_rotated_and_dashed_shape_is_erased(browser, open_page):
    a, b = together(open_page, browser)
    a.keyboard.press("r")
    panel(a)
    style(a, "dash", "Dashed")
    draw(a, line(300, 300, 500, 400))
    a.keyboard.press("v")
    a.mouse.click(300, 350)
    for _ in range(3):
        a.keyboard.press("Control+ArrowRight")
    # The eraser moves across the middle of the former left side.
    a.keyboard.press("x")
    draw(a, line(309, 259, 349, 299))
    until(lambda: [one["type"] for one in shapes(b)], lambda types: types == ["line"])
    for page in (a, b):
        sees_paper(page, 329, 279)
    assert [one["dash"] for one in messages(b)] == ["dashed"]
    all_hold_the_same(a, b)
    assert picture(a) == picture(b)
    a.keyboard.press("Control+z")
    until(lambda: [one["type"] for one in shapes(b)], lambda types: types == ["rectangle"])


@both
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_half_transparent_shape_in_the_copies(browser, open_page, scheme):
    page = open_page(browser, color_scheme=scheme)
    page.keyboard.press("2")
    page.keyboard.press("r")
    panel(page)
    style(page, "fill", "Full")
    style(page, "opacity", "50 %")
    draw(page, line(200, 200, 400, 320))
    for paper, under in (("white", 255), ("none", None)):
        png = opened(downloaded(page, "png", scale="1", paper=paper))
        *color, alpha = png.getpixel((png.width // 2, png.height // 2))
        expected = RED if under is None else [(one + under) / 2 for one in RED]
        assert color == pytest.approx(expected, abs=4)
        assert alpha == pytest.approx(128 if under is None else 255, abs=2)
    # The line and the area are transparent together.
    svg = downloaded(page, "svg", paper="none").decode()
    assert svg.count('<g opacity="0.5">') == 1 and svg.count("opacity") == 1


@both
def test_strokes_of_another_person_keep_their_author_after_an_undo(browser, open_page):
    a, b = together(open_page, browser)
    keyed(a)
    name = b.evaluate("drawTogether.me.name")
    for y in (200, 260):
        draw(b, line(100, y, 500, y))
    until(lambda: len(shapes(a)), lambda count: count == 2)
    a.keyboard.press("e")
    draw(a, line(300, 150, 300, 300))
    until(lambda: shapes(b), lambda found: found == [])
    a.keyboard.press("Control+z")
    until(lambda: len(shapes(b)), lambda count: count == 2)
    late = keyed(open_page(browser, address(a)))
    until(lambda: len(shapes(late)), lambda count: count == 2)
    for page in (a, late):
        objects(page)
        assert names(page)[0].startswith(f"2 strokes, by {name}, ")


@both
def test_a_locked_photo_stays_until_it_is_unlocked(browser, open_page, tmp_path):
    a, b = together(open_page, browser)
    pick(a, photo(tmp_path, "lake.png", (60, 120, 160), (300, 200)))
    for page in (a, b):
        are_drawn(page, "lake.png")
        has_objects(page)
    chosen = select(a, "lake.png")
    x, y = chosen["x"], chosen["y"]
    a.keyboard.press("Shift+L")
    until(lambda: items(b)[0].get("isLocked"))
    before = places(b)
    for key in ("v", "e"):
        b.keyboard.press(key)
        draw(b, line(x, y, x + 60, y + 40))
    b.keyboard.press("Control+a")
    b.keyboard.press("Delete")
    assert places(b) == before and not items(b)[0]["isSelected"]
    b.mouse.click(x, y)
    b.locator("#lock-bar").get_by_role("button", name="Unlock").click()
    until(lambda: items(b)[0]["isSelected"])
    draw(b, line(x, y, x + 60, y + 40))
    until(lambda: items(a)[0]["x"], lambda found: abs(found - x - 60) < 1)
    lie_alike(a, b)
