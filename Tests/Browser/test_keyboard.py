"""The page by keys alone: shapes, texts, strokes and the eraser on the canvas, and the list of objects."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from board import PHONE, all_hold_the_same, choose, draw, has_ink, line, says, sees_ink, sees_paper, sees_people, share
from conftest import both, both_in_full, in_full, rest_in_full, until
from playwright.sync_api import Locator, Page
from test_page import MANY_STROKES

SHAPES = "drawTogether.shapes()"
LIVE = "document.getElementById('live').textContent"
FOCUSED = "document.activeElement.id || document.activeElement.className"


def keyed(page: Page) -> Page:
    """Waits until the page can be used by keys: these parts are loaded last."""
    page.locator("canvas[role=application]").wait_for()
    return page


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def shapes(page: Page) -> list[dict]:
    """Returns the shapes, lowest first."""
    return page.evaluate(SHAPES)


def hears(page: Page, text: str) -> None:
    until(lambda: page.evaluate(LIVE), lambda said: text in said)


def tool_is(page: Page, tool: str) -> bool:
    return page.locator(f"[data-tool={tool}]").get_attribute("aria-pressed") == "true"


def middle(shape: dict) -> tuple[float, float]:
    return (shape["left"] + shape["right"]) / 2, (shape["top"] + shape["bottom"]) / 2


def overlap(one: dict, other: dict) -> bool:
    return (
        one["left"] < other["right"] and other["left"] < one["right"]
        and one["top"] < other["bottom"] and other["top"] < one["bottom"]
    )


def objects(page: Page) -> Locator:
    """Opens the list of objects."""
    page.keyboard.press("u")
    dialog = page.locator("#objects-dialog")
    dialog.wait_for()
    return dialog


def names(page: Page) -> list[str]:
    return page.locator("#objects-list .object").all_inner_texts()


# The canvas.


@both_in_full
@pytest.mark.parametrize(("key", "tool"), rest_in_full(("r", "rectangle"), ("o", "ellipse"), ("l", "line"), ("a", "arrow")))
def test_enter_places_a_shape_that_keys_move_and_resize(browser, open_page, key, tool):
    page = keyed(open_page(browser))
    press(page, key, "Enter")
    [shape] = shapes(page)
    assert shape["type"] == tool and shape["isSelected"] and tool_is(page, "select")
    x, y = middle(shape)
    assert abs(x - 500) < 20 and abs(y - 350) < 20
    hears(page, "middle")
    press(page, "ArrowRight", "Shift+ArrowDown")
    [moved] = shapes(page)
    assert moved["left"] - shape["left"] == pytest.approx(8) and moved["top"] - shape["top"] == pytest.approx(64)
    press(page, "Control+ArrowUp")
    until(lambda: shapes(page)[0]["right"] - shapes(page)[0]["left"], lambda width: width > moved["right"] - moved["left"] + 10)
    press(page, "Control+z", "Control+z", "Control+z", "Control+z")
    until(lambda: shapes(page) == [])


@in_full
@both
def test_repeated_shapes_lie_beside_each_other(browser, open_page):
    page = keyed(open_page(browser))
    for count in range(1, 7):
        press(page, "r", "Enter")
        assert len(shapes(page)) == count
    found = shapes(page)
    assert not any(overlap(one, other) for at, one in enumerate(found) for other in found[:at])
    assert all(one["left"] > 0 and one["top"] > 0 and one["right"] < 1000 and one["bottom"] < 700 for one in found)
    # A key that is held down places only one shape.
    page.keyboard.press("r")
    page.keyboard.down("Enter")
    page.keyboard.down("Enter")
    page.keyboard.up("Enter")
    assert len(shapes(page)) == 7


@in_full
@both
def test_the_space_key_places_a_shape_and_still_moves_the_page_with_the_mouse(browser, open_page):
    page = keyed(open_page(browser))
    draw(page, line(100, 200, 300, 200))
    press(page, "r")
    page.mouse.move(500, 400)
    page.keyboard.down("Space")
    page.mouse.down()
    page.mouse.move(500, 500)
    page.mouse.up()
    page.keyboard.up("Space")
    sees_ink(page, 200, 300)
    assert len(shapes(page)) == 1
    press(page, "Space")
    assert [one["type"] for one in shapes(page)] == ["pen", "rectangle"]


@in_full
@both
def test_enter_begins_a_text_which_is_selected_afterwards(browser, open_page):
    a = keyed(open_page(browser))
    b = open_page(browser, share(a))
    sees_people(a, 2)
    a.locator("#canvas").focus()
    press(a, "t", "Enter")
    a.locator("#writing").wait_for()
    a.keyboard.type("Milk")
    until(lambda: [one["text"] for one in shapes(b)], lambda texts: texts == ["Milk"])
    press(a, "Escape")
    a.locator("#writing").wait_for(state="hidden")
    until(lambda: [one["isSelected"] for one in shapes(a)], lambda selected: selected == [True])
    assert a.evaluate(FOCUSED) == "canvas"
    before = shapes(a)[0]
    press(a, "Shift+ArrowRight")
    assert shapes(a)[0]["left"] - before["left"] == pytest.approx(64)
    # Enter continues the selected text; a new text does not begin inside it.
    press(a, "Enter")
    a.locator("#writing").wait_for()
    a.keyboard.type(" and eggs")
    press(a, "Escape", "t", "Enter")
    a.locator("#writing").wait_for()
    a.keyboard.type("Bread")
    press(a, "Escape")
    until(lambda: [one["text"] for one in shapes(b)], lambda texts: texts == ["Milk and eggs", "Bread"])
    # An empty text leaves no trace.
    press(a, "t", "Enter", "Escape")
    a.locator("#writing").wait_for(state="hidden")
    assert len(shapes(a)) == 2
    all_hold_the_same(a, b)


@both_in_full
def test_a_cross_draws_and_erases(browser, open_page, out):
    a = keyed(open_page(browser))
    b = open_page(browser, share(a))
    sees_people(a, 2)
    a.locator("#canvas").focus()
    press(a, "p", "Enter")
    a.locator(".cross").wait_for()
    hears(a, "Cross: middle.")
    assert shapes(a) == []
    # The others see the cross as a pointer.
    b.locator(".cursor .tag").wait_for()
    press(a, "Enter", "Shift+ArrowRight", "Shift+ArrowRight", "ArrowDown", "Control+ArrowDown")
    a.screenshot(path=out / "keyboard-cross.png")
    sees_ink(b, 560, 338)
    press(a, "Enter")
    hears(a, "Ended.")
    [stroke] = shapes(a)
    assert stroke["right"] - stroke["left"] == pytest.approx(100 + 14) and stroke["bottom"] - stroke["top"] == pytest.approx(11 + 14)
    # Without a press, the cross only moves. Escape cancels a stroke, and then hides the cross.
    press(a, "ArrowLeft", "Space", "Shift+ArrowUp", "Escape")
    hears(a, "Cancelled.")
    assert len(shapes(a)) == 1
    press(a, "Escape")
    a.locator(".cross").wait_for(state="hidden")
    press(a, "e", "Enter", "Shift+ArrowUp", "Enter")
    until(lambda: a.evaluate(LIVE), lambda said: said == "Begun.")
    assert len(shapes(a)) == 1
    press(a, "Shift+ArrowDown", "Enter")
    hears(a, "1 object removed.")
    until(lambda: shapes(b) == [])
    press(a, "Control+z")
    sees_ink(b, 560, 338)
    all_hold_the_same(a, b)


@in_full
@both
def test_a_shape_is_drawn_out_with_the_cross(browser, open_page):
    page = keyed(open_page(browser))
    press(page, "a", "Shift+ArrowLeft", "Enter", "Shift+ArrowLeft", "Shift+ArrowUp", "Enter")
    [arrow] = shapes(page)
    assert arrow["type"] == "arrow" and arrow["isSelected"] and tool_is(page, "select")
    assert arrow["right"] - arrow["left"] == pytest.approx(50 + 14)
    page.locator(".cross").wait_for(state="hidden")
    # Another key ends a stroke, so that undo removes all of it; so does the mouse.
    press(page, "p", "Enter", "Enter", "Shift+ArrowUp", "Control+z")
    assert len(shapes(page)) == 1
    press(page, "Enter", "Shift+ArrowUp")
    draw(page, line(100, 200, 300, 200))
    assert len(shapes(page)) == 3
    page.locator(".cross").wait_for(state="hidden")


@in_full
@both
def test_the_view_follows_the_cross_and_the_selection(browser, open_page):
    page = keyed(open_page(browser))
    press(page, "p", "Enter", "Enter", *["Shift+ArrowRight"] * 20, "Enter")
    [stroke] = shapes(page)
    assert stroke["right"] > 1400
    box = page.locator(".cross").bounding_box()
    assert box and 900 < box["x"] < 1000
    # With the hand, or with the selection tool and no selection, arrow keys move the page.
    press(page, "h", *["Shift+ArrowLeft"] * 10)
    sees_ink(page, 600, 338)
    press(page, "v", *["Shift+ArrowRight"] * 2)
    sees_ink(page, 500, 338)
    press(page, "Control+a", *["Shift+ArrowDown"] * 10)
    frame = page.locator("#chosen").bounding_box()
    assert frame and frame["y"] < 700


@in_full
@both
def test_keys_on_buttons_and_in_an_ended_session_place_nothing(browser, open_page):
    page = keyed(open_page(browser))
    page.locator("[data-tool=rectangle]").focus()
    press(page, "Enter")
    assert tool_is(page, "rectangle") and shapes(page) == []
    press(page, "ArrowRight")
    assert page.locator(".cross").is_hidden()
    page.locator("#canvas").focus()
    press(page, "Enter")
    assert len(shapes(page)) == 1
    share(page)
    choose(page, "end")
    page.locator("#confirm-ok").click()
    says(page, "#ended-bar", "This session has ended.")
    page.locator("#canvas").focus()
    press(page, "r", "Enter", "Space")
    assert len(shapes(page)) == 1
    # The list still shows the objects.
    dialog = objects(page)
    assert len(names(page)) == 1
    assert dialog.get_by_role("button", name="Remove").count() == 0
    press(page, "Enter")
    hears(page, "Shown: Rectangle")


@in_full
def test_the_tool_and_its_keys_are_announced(chromium, open_page):
    page = keyed(open_page(chromium))
    described = "document.getElementById(canvas.getAttribute('aria-describedby').split(' ')[1]).textContent"
    press(page, "o")
    hears(page, "Ellipse. Enter places it")
    assert "Enter places it" in page.evaluate(described)
    press(page, "r")
    hears(page, "Rectangle.")
    press(page, "p")
    hears(page, "Pen. Arrow keys move a cross.")


# The list of objects.


@both_in_full
def test_the_list_names_objects_selects_and_removes_them(browser, open_page, out):
    page = keyed(open_page(browser))
    page.get_by_role("radio", name="Red").click()
    page.locator("#canvas").focus()
    for x in (100, 130, 160):
        draw(page, line(x, 120, x + 20, 140))
    press(page, "4", "o", "Enter", "Escape", "t", "Enter")
    page.keyboard.type("Milk\nand eggs")
    press(page, "Escape")
    until(lambda: len(shapes(page)) == 5)
    press(page, "Escape")
    objects(page)
    found = names(page)
    assert found[2] == "3 strokes, red, top left"
    assert found[1].startswith("Ellipse, ") and found[0].startswith("Text “Milk and eggs”, ")
    page.screenshot(path=out / "keyboard-list.png")
    # The first one has the focus; Enter selects.
    press(page, "End", "Enter")
    page.locator("#objects-dialog").wait_for(state="hidden")
    assert [one["isSelected"] for one in shapes(page)] == [True, True, True, False, False]
    assert page.evaluate(FOCUSED) == "canvas"
    hears(page, "Selected: 3 strokes, red, top left")
    press(page, "ArrowDown")
    # Delete removes, and the focus goes to the next row.
    objects(page)
    until(lambda: page.evaluate("document.activeElement.getAttribute('aria-current')"), lambda current: current == "true")
    press(page, "Home", "ArrowDown", "Delete")
    until(lambda: [one["type"] for one in shapes(page)], lambda types: types == ["pen", "pen", "pen", "text"])
    says(page, "#objects-dialog .note", "2 entries")
    assert page.evaluate("document.activeElement.innerText").startswith("3 strokes")
    press(page, "Escape")
    press(page, "Control+z")
    assert len(shapes(page)) == 4 + 1


@in_full
@both
def test_the_list_follows_the_others_and_keeps_the_focus(browser, open_page):
    a = keyed(open_page(browser))
    b = open_page(browser, share(a))
    sees_people(a, 2)
    draw(b, line(100, 200, 300, 200))
    until(lambda: len(shapes(a)) == 1)
    objects(a)
    name = b.evaluate("drawTogether.me.name")
    assert f", by {name}, " in names(a)[0]
    a.evaluate("globalThis.row_ = document.activeElement; row_.addEventListener('blur', () => (globalThis.blurred_ = true))")
    b.keyboard.press("r")
    draw(b, line(500, 300, 700, 400))
    until(lambda: len(names(a)), lambda count: count == 2)
    assert a.evaluate("document.activeElement === row_ && !globalThis.blurred_")
    # What the others remove disappears, and the focus stays in the list.
    b.keyboard.press("e")
    draw(b, line(200, 150, 200, 250))
    until(lambda: len(names(a)), lambda count: count == 1)
    until(lambda: a.evaluate("document.activeElement.innerText"), lambda name: name.startswith("Rectangle"))


@in_full
def test_a_list_of_thousands_of_objects_is_bounded_and_can_be_searched(chromium, open_page):
    a = keyed(open_page(chromium))
    path = share(a)
    sender = open_page(chromium, path)
    sender.evaluate(MANY_STROKES)
    until(lambda: a.locator("#summary").text_content(), lambda text: text.startswith("3,000 "), seconds=60)
    a.locator("#canvas").focus()
    press(a, "r", "Enter", "Escape")
    dialog = objects(a)
    until(lambda: len(names(a)), lambda count: count == 40)
    a.locator("#more-objects").click()
    until(lambda: len(names(a)), lambda count: count == 80)
    dialog.get_by_role("searchbox").fill("rectangle")
    until(lambda: names(a), lambda found: len(found) == 1 and found[0].startswith("Rectangle"))
    press(a, "ArrowDown", "Enter")
    until(lambda: [one["type"] for one in shapes(a) if one["isSelected"]], lambda types: types == ["rectangle"])


@in_full
@both
def test_an_object_outside_of_the_view_is_shown(browser, open_page):
    page = keyed(open_page(browser))
    press(page, "r", "Enter", "Escape", "h", *["Shift+ArrowRight"] * 30)
    objects(page)
    assert names(page)[0].endswith("outside the view, to the left")
    press(page, "Enter")
    frame = page.locator("#chosen").bounding_box()
    assert frame and 0 < frame["x"] < 900
    # The object that the step to the next one selects is shown, too.
    press(page, "Escape", "h", *["Shift+ArrowRight"] * 30, ".")
    until(lambda: page.locator("#chosen").bounding_box(), lambda box: box is not None and 0 < box["x"] < 900)
    hears(page, "1 of 1")


@in_full
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("screen", ["desktop", "phone"])
def test_the_list_and_the_cross_are_accessible(chromium, open_page, scheme, screen, out):
    page = keyed(open_page(chromium, color_scheme=scheme, **(PHONE if screen == "phone" else {})))
    assert not Axe().run(page).response["violations"]
    press(page, "r", "Enter", "Escape", "t", "Enter")
    page.keyboard.type("A text that is so long that its name needs more than one line of a phone, and more")
    press(page, "Escape", "Escape", "e", "Enter")
    page.locator(".cross").wait_for()
    page.screenshot(path=out / f"keyboard-{screen}-{scheme}.png")
    assert not Axe().run(page).response["violations"]
    press(page, "Escape")
    page.locator("#more").click()
    page.locator("#objects").click()
    page.locator("#objects-dialog").wait_for()
    until(lambda: page.evaluate("document.getAnimations().every(({ playState }) => playState === 'finished')"))
    page.screenshot(path=out / f"keyboard-list-{screen}-{scheme}.png")
    assert not Axe().run(page).response["violations"]
    width = page.viewport_size["width"]
    for button in page.locator("#objects-dialog button:visible").all():
        box = button.bounding_box()
        assert box and box["width"] >= 44 and box["height"] >= 44 and box["x"] >= 0 and box["x"] + box["width"] <= width
    # The buttons that remove are below each other, at the end of the rows.
    places = [button.bounding_box()["x"] for button in page.locator("#objects-list .small").all()]
    assert len(places) == 2 and len(set(places)) == 1
    page.keyboard.press("Escape")
    until(lambda: page.evaluate(FOCUSED), lambda found: found == "more")


@in_full
def test_a_cross_without_motion_and_in_forced_colors_is_visible(chromium, open_page):
    page = keyed(open_page(chromium, forced_colors="active", reduced_motion="reduce"))
    press(page, "p", "Enter")
    page.locator(".cross").wait_for()
    assert page.evaluate("getComputedStyle(document.querySelector('.cross'), '::before').borderTopWidth") == "1px"


@in_full
@both
def test_nothing_is_placed_while_a_dialog_or_a_panel_is_open(browser, open_page):
    page = keyed(open_page(browser))
    press(page, "r", "?")
    page.locator("#keys-dialog").wait_for()
    says(page, "#keys-list", "List of objects")
    press(page, "ArrowDown", "Escape")
    page.locator("#keys-dialog").wait_for(state="hidden")
    sees_paper(page, 500, 338)
    assert shapes(page) == [] and page.locator(".cross").is_hidden()
    assert not has_ink(page, 500, 300)
