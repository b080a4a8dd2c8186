"""Items are selected, moved, enlarged, duplicated, deleted and brought to the front, visible to all."""

from __future__ import annotations

from board import PHONE, all_hold_the_same, draw, line, move, sees_ink, sees_paper, sees_people, share, touch, wave
from conftest import until


def shapes(page) -> list[dict]:
    """Returns the shapes, lowest first."""
    return page.evaluate("drawTogether.shapes()")


def chosen(page) -> list[dict]:
    return [one for one in shapes(page) if one["isSelected"]]


def bar(page, name: str):
    return page.locator("#chosen-bar").get_by_role("button", name=name)


def lies_at(page, at: int, left: float, top: float) -> None:
    """Waits until the box of a shape is about there."""
    until(lambda: shapes(page)[at], lambda one: abs(one["left"] - left) < 12 and abs(one["top"] - top) < 12)


def test_changes_of_a_selection_are_visible_to_others(chromium, firefox, open_page, out):
    a = open_page(chromium)
    path = share(a)
    b = open_page(firefox, path)
    sees_people(b, 2)
    draw(a, line(200, 200, 400, 200))
    draw(a, line(200, 300, 400, 300))
    sees_ink(b, 300, 300)

    # A tap selects; during the drag and afterwards, the other participant sees the new place.
    b.keyboard.press("v")
    b.mouse.click(300, 202)
    until(lambda: len(chosen(b)) == 1)
    b.screenshot(path=out / "selecting-one.png")
    b.mouse.move(300, 200)
    b.mouse.down()
    move(b, line(300, 200, 300, 400))
    sees_ink(a, 300, 400)
    sees_paper(a, 300, 200)
    b.mouse.up()
    lies_at(a, 0, 195, 395)
    lies_at(b, 0, 195, 395)
    all_hold_the_same(a, b)
    b.keyboard.press("Control+z")
    sees_ink(a, 300, 200)
    lies_at(b, 0, 195, 195)

    # A selection box selects several items, which a corner enlarges.
    draw(b, line(150, 150, 450, 350))
    assert len(chosen(b)) == 2
    right, bottom = (max(one[side] for one in shapes(b)) for side in ("right", "bottom"))
    draw(b, line(right, bottom, right + 200, bottom + 100))
    until(lambda: shapes(a)[1]["right"] > right + 100)
    lies_at(a, 0, 195, 195)
    b.keyboard.press("Control+z")
    lies_at(a, 1, 195, 295)

    # Duplicated by the toolbar: the copies are selected, and a chosen color applies to them.
    bar(b, "Duplicate").click()
    until(lambda: len(shapes(a)), lambda count: count == 4)
    assert [one["isSelected"] for one in shapes(b)] == [False, False, True, True]
    b.keyboard.press("4")
    until(lambda: {one["rgb"] for one in shapes(a)[2:]}, lambda found: found == {"#30a46c"})

    # To the front by a key, and deleted by another one; undo reverts only this participant's changes.
    b.keyboard.press("Escape")
    until(lambda: not bar(b, "Duplicate").is_visible())
    first = shapes(b)[0]["id"]
    b.mouse.click(250, 202)
    b.keyboard.press("PageUp")
    until(lambda: shapes(a)[3]["id"] == first)
    b.keyboard.press("Control+a")
    until(lambda: len(chosen(b)) == 4)
    b.keyboard.press("Delete")
    # Two of them are the other person's, and no more objects are on the page.
    b.locator("#confirm-ok").click()
    until(lambda: shapes(a) == [])
    sees_paper(b, 300, 200)
    b.keyboard.press("Control+z")
    until(lambda: len(shapes(a)), lambda count: count == 4)
    b.keyboard.press("Control+z")
    until(lambda: shapes(a)[0]["id"] == first)
    all_hold_the_same(a, b)
    until(lambda: b.locator("#live").inner_text(), lambda told: told == "4 objects removed.")

    # Items erased by the other participant are no longer selected.
    b.keyboard.press("Control+a")
    a.keyboard.press("e")
    draw(a, line(210, 180, 210, 330))
    until(lambda: shapes(b) == [])
    until(lambda: not bar(b, "Duplicate").is_visible())


def test_a_finger_selects_and_a_text_can_be_continued(chromium, open_page, out):
    for scheme in ("light", "dark"):
        page = open_page(chromium, color_scheme=scheme, **PHONE)
        touch(page, wave(60, 300, 220, 60))
        touch(page, line(60, 460, 300, 500))
        page.locator("button[data-tool=select]").tap()
        page.touchscreen.tap(60, 301)
        until(lambda: len(chosen(page)) == 1)
        page.screenshot(path=out / f"selecting-phone-{scheme}.png")
        before = chosen(page)[0]
        touch(page, line(170, 300, 190, 240))
        until(lambda: abs(chosen(page)[0]["top"] - before["top"] + 60) < 3)
        # The corner is as large as a finger.
        corner = chosen(page)[0]
        touch(page, line(corner["left"] - 15, corner["top"] - 15, corner["left"] + 60, corner["top"] + 30))
        until(lambda: chosen(page)[0]["left"] > corner["left"] + 20)
        assert abs(chosen(page)[0]["right"] - corner["right"]) < 3
        bar(page, "Duplicate").tap()
        until(lambda: len(shapes(page)) == 3)
        touch(page, line(20, 150, 360, 600))
        until(lambda: len(chosen(page)) == 3)
        page.screenshot(path=out / f"selecting-phone-box-{scheme}.png")
        bar(page, "Bring to front").tap()
        bar(page, "Remove").tap()
        until(lambda: shapes(page) == [])
        until(lambda: all(box.is_hidden() for box in page.locator("#chosen-bar button").all()))
    page.keyboard.press("t")
    page.touchscreen.tap(100, 300)
    page.keyboard.type("Hello")
    page.keyboard.press("Escape")
    page.keyboard.press("v")
    page.touchscreen.tap(120, 300)
    page.touchscreen.tap(120, 300)
    page.keyboard.type(", you")
    page.keyboard.press("Escape")
    until(lambda: page.evaluate("drawTogether.shapes().map(({ text }) => text)"), lambda found: found == ["Hello, you"])
