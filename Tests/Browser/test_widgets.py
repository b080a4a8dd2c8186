"""Popovers and radio buttons of the toolbar: by keyboard, by a press elsewhere, and what they leave on the page."""

from __future__ import annotations

import pytest
from board import PHONE, draw, line, share, touch
from conftest import both, both_in_full, in_full, until

INK = "Black, or white on dark paper"
NARROW = {"viewport": {"width": 600, "height": 700}}
POPOVERS = {"more": "menu", "ink": "inks", "shapes": "kinds"}
AT_REST = "(id) => document.getElementById(id).getAnimations().every(({ playState }) => playState === 'finished')"
FOCUSED = "document.activeElement.id || document.activeElement.ariaLabel"


def checked(page, group: str) -> list[str]:
    return page.locator(f"#{group} :checked").evaluate_all("(all) => all.map((one) => one.ariaLabel)")


def is_focused(page, name: str) -> None:
    until(lambda: page.evaluate(FOCUSED), lambda found: found == name)


@both_in_full
@pytest.mark.parametrize(("button", "panel"), POPOVERS.items())
def test_a_popover_closes_at_escape_and_returns_the_focus(browser, open_page, button, panel):
    page = open_page(browser, **NARROW)
    opener = page.locator(f"#{button}")
    opener.focus()
    page.keyboard.press("Enter")
    page.locator(f"#{panel}").wait_for()
    if panel != "menu":
        page.keyboard.press("Tab")
    until(lambda: page.evaluate("(panel) => document.getElementById(panel).contains(document.activeElement)", panel))
    page.keyboard.press("Escape")
    page.locator(f"#{panel}").wait_for(state="hidden")
    is_focused(page, button)
    # By its button, twice.
    opener.click()
    page.locator(f"#{panel}").wait_for()
    opener.click()
    page.locator(f"#{panel}").wait_for(state="hidden")


@in_full
@both
def test_escape_closes_a_popover_and_keeps_the_selection(browser, open_page):
    page = open_page(browser, **NARROW)
    draw(page, line(100, 200, 300, 200))
    page.keyboard.press("v")
    page.keyboard.press("Control+a")
    page.locator("#ink").click()
    page.locator("#inks").wait_for()
    page.keyboard.press("Escape")
    page.locator("#inks").wait_for(state="hidden")
    assert page.locator("#chosen").is_visible()
    page.keyboard.press("Escape")
    page.locator("#chosen").wait_for(state="hidden")


@both_in_full
def test_one_popover_is_open_and_a_press_elsewhere_closes_it(browser, open_page):
    page = open_page(browser, **NARROW)
    for button, panel in POPOVERS.items():
        page.locator(f"#{button}").click()
        page.locator(f"#{panel}").wait_for()
        assert page.locator(":popover-open").count() == 1
    # At once: it does not lie over the stroke that begins.
    page.mouse.move(100, 300)
    page.mouse.down()
    page.locator("#kinds").wait_for(state="hidden")
    page.mouse.move(300, 300)
    page.mouse.up()
    assert len(page.evaluate("drawTogether.shapes()")) == 1
    page.locator("#more").click()
    page.locator("#menu").wait_for()
    page.locator("[data-tool=eraser]").click()
    page.locator("#menu").wait_for(state="hidden")


@in_full
def test_a_finger_draws_beside_an_open_popover(chromium, open_page):
    page = open_page(chromium, **PHONE)
    page.locator("#ink").tap()
    page.locator("#inks").wait_for()
    page.get_by_role("radio", name="Purple").tap()
    touch(page, line(60, 200, 300, 200))
    page.locator("#inks").wait_for(state="hidden")
    [stroke] = page.evaluate("drawTogether.shapes()")
    assert stroke["rgb"] == "#8e4ec6"


@both_in_full
def test_arrow_keys_choose_within_a_group_and_move_nothing_else(browser, open_page):
    page = open_page(browser)
    draw(page, line(100, 200, 300, 200))
    page.keyboard.press("v")
    page.keyboard.press("Control+a")
    before = page.evaluate("drawTogether.shapes().map(({ left, top }) => [left, top])")
    page.get_by_role("radio", name="Red").click()
    for key, name in {"ArrowRight": "Yellow", "ArrowDown": "Green", "ArrowLeft": "Yellow", "ArrowUp": "Red"}.items():
        page.keyboard.press(key)
        assert checked(page, "colors") == [name]
        is_focused(page, name)
    # From the first to the last, and back.
    for key, name in (("Left", INK), ("Left", "Purple"), ("Right", INK), ("Right", "Red")):
        page.keyboard.press(f"Arrow{key}")
        assert checked(page, "colors") == [name]
    [shape] = page.evaluate("drawTogether.shapes()")
    assert shape["rgb"] == "#e5484d"
    assert page.evaluate("drawTogether.shapes().map(({ left, top }) => [left, top])") == before
    # One stop for the tab key.
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.name") == "widths"
    page.keyboard.press("ArrowLeft")
    assert checked(page, "widths") == ["Fine"]
    # Letters choose tools, though a radio button has the focus.
    page.keyboard.press("r")
    assert page.locator("[data-tool=rectangle]").get_attribute("aria-pressed") == "true"


@in_full
@both
def test_arrow_keys_go_through_the_menu(browser, open_page):
    page = open_page(browser)
    # The list of objects comes with the parts that are loaded last.
    page.locator("#objects").wait_for(state="attached")
    page.locator("#more").click()
    is_focused(page, "pages")
    for name in ("show-sheets", "open", "objects", "keys", "language", "snap", "System"):
        page.keyboard.press("ArrowDown")
        is_focused(page, name)
    page.keyboard.press("ArrowDown")
    is_focused(page, "Light")
    assert checked(page, "themes") == ["Light"]
    page.keyboard.press("Shift+Tab")
    is_focused(page, "snap")
    for name in ("language", "keys"):
        page.keyboard.press("ArrowUp")
        is_focused(page, name)
    page.keyboard.press("Enter")
    page.locator("#keys-dialog").wait_for()
    page.keyboard.press("Escape")
    is_focused(page, "more")


@in_full
@both
def test_a_press_on_the_chosen_color_applies_it_again(browser, open_page):
    page = open_page(browser)
    for color, y in {"1": 200, "4": 300}.items():
        page.keyboard.press(color)
        draw(page, line(100, y, 300, y))
    page.keyboard.press("e")
    page.get_by_role("radio", name="Green").click()
    assert page.locator("[data-tool=pen]").get_attribute("aria-pressed") == "true"
    page.keyboard.press("v")
    page.keyboard.press("Control+a")
    page.get_by_role("radio", name="Green").click()
    assert {shape["rgb"] for shape in page.evaluate("drawTogether.shapes()")} == {"#30a46c"}


def test_a_screen_reader_learns_which_popover_is_open(chromium, open_page):
    page = open_page(chromium, **NARROW)
    session = page.context.new_cdp_session(page)

    def expanded() -> dict[str, bool]:
        nodes = [node for node in session.send("Accessibility.getFullAXTree")["nodes"] if "name" in node]
        return {
            node["name"]["value"]: one["value"]["value"]
            for node in nodes
            for one in node.get("properties", [])
            if one["name"] == "expanded"
        }

    closed = {"More": False, "More tools": False, "Color and width": False}
    assert expanded() == closed
    page.locator("#ink").click()
    until(expanded, lambda found: found == {**closed, "Color and width": True, "More colors and styles": False})


@in_full
def test_groups_have_names(chromium, open_page):
    page = open_page(chromium)
    for name, count in {"Color": 6, "Width": 3}.items():
        assert page.get_by_role("group", name=name, exact=True).get_by_role("radio").count() == count
    page.locator("#more").click()
    assert page.get_by_role("group", name="Theme", exact=True).get_by_role("radio").count() == 3


@in_full
@both
def test_a_popover_lies_above_the_bar_and_its_parts_are_in_the_bar_where_there_is_room(browser, open_page):
    page = open_page(browser, **NARROW)
    share(page)
    for width in (390, 600, 800, 1000, 1400):
        page.set_viewport_size({"width": width, "height": 700})
        bar = page.locator("#tools").bounding_box()
        for button, panel in POPOVERS.items():
            if not page.locator(f"#{button}").is_visible():
                assert page.locator(f"#{panel}").is_visible()
                continue
            page.locator(f"#{button}").click()
            page.locator(f"#{panel}:popover-open").wait_for()
            until(lambda: page.evaluate(AT_REST, panel))
            box = page.locator(f"#{panel}").bounding_box()
            assert box["y"] + box["height"] == pytest.approx(bar["y"] - 9, abs=0.6)
            assert box["x"] >= 0 and box["x"] + box["width"] <= width
            if panel == "menu":
                assert box["x"] + box["width"] == pytest.approx(bar["x"] + bar["width"] - 1, abs=0.6)
            else:
                assert box["x"] + box["width"] / 2 == pytest.approx(width / 2, abs=0.6)
            page.keyboard.press("Escape")
            page.locator(f"#{panel}:not(:popover-open)").wait_for(state="attached")


@in_full
@both
def test_a_popover_that_is_open_while_the_window_grows_closes_as_before(browser, open_page):
    page = open_page(browser, **NARROW)
    page.locator("#ink").click()
    page.locator("#inks:popover-open").wait_for()
    page.set_viewport_size({"width": 1200, "height": 700})
    page.get_by_role("radio", name="Purple").click()
    page.mouse.click(300, 300)
    page.locator("#inks:not(:popover-open)").wait_for(state="attached")
    assert page.locator("#inks").is_visible()
    assert checked(page, "colors") == ["Purple"]
