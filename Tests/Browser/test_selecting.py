"""What lies on the page is chosen, and moved, made larger, doubled, taken away and brought to the front, for all to see."""

from __future__ import annotations

from board import all_hold_the_same, draw, line, move, sees_ink, sees_paper, sees_people, share
from conftest import until


def marks(page) -> list[dict]:
    """What is drawn, lowest first."""
    return page.evaluate("drawTogether.marks()")


def chosen(page) -> list[dict]:
    return [one for one in marks(page) if one["isSelected"]]


def lies_at(page, at: int, left: float, top: float) -> None:
    """Where its box is, about."""
    until(lambda: marks(page)[at], lambda one: abs(one["left"] - left) < 12 and abs(one["top"] - top) < 12)


def test_what_one_arranges_the_others_see(chromium, firefox, open_page, out):
    a = open_page(chromium)
    path = share(a)
    b = open_page(firefox, path)
    sees_people(b, 2)
    draw(a, line(200, 200, 400, 200))
    draw(a, line(200, 300, 400, 300))
    sees_ink(b, 300, 300)

    # A tap chooses; while it is dragged, and afterwards, the other sees where it is.
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

    # A box chooses several, which a corner makes larger.
    draw(b, line(150, 150, 450, 350))
    assert len(chosen(b)) == 2
    b.screenshot(path=out / "selecting-two.png")
    right, bottom = (max(one[side] for one in marks(b)) for side in ("right", "bottom"))
    draw(b, line(right, bottom, right + 200, bottom + 100))
    until(lambda: marks(a)[1]["right"] > right + 100)
    lies_at(a, 0, 195, 195)
    all_hold_the_same(a, b)
