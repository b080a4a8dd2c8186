"""Pictures and files in a session: added by one, seen, moved and removed by all."""

from __future__ import annotations

from board import (
    all_hold_the_same, are_drawn, draw, image, item, items, lacks_color, lie_alike, line, move, pick, picture, row,
    sees_color, sees_ink, sees_items, sees_people, select, share,
)
from conftest import both, ready, until
from journal import Journal
from photos import ORANGE, PLUM, TEAL, drop, paper, paste, photo
from PIL import Image, ImageChops, ImageStat

MB = 1024 * 1024


def middles_have_their_colors(page, colors: dict[str, tuple[int, int, int]]) -> None:
    for name, color in colors.items():
        found = item(page, name)
        sees_color(page, found["x"], found["y"], color)


def sees_growing(page, name: str) -> None:
    """The frame of what somebody else uploads says more and more percent."""
    seen: list[int] = []

    def has_grown() -> bool:
        frame = row(page, name).locator(".frame:visible")
        words = frame.inner_text() if frame.count() else ""
        seen.extend(int(word) for word in words.replace("%", " ").split() if word.isdigit())
        return len(set(seen)) > 3

    until(has_grown, seconds=30)
    assert seen == sorted(seen) and seen[-1] < 100, seen


def test_three_browsers_share_two_photos_and_a_paper(chromium, firefox, open_page, proxy, gateway, tmp_path, out):
    small, paper_ = photo(tmp_path, "beach.jpg", ORANGE), paper(tmp_path)
    large = photo(tmp_path, "wall.png", TEAL, (2800, 2600))
    assert large.stat().st_size > 20 * MB
    colors = {"beach.jpg": ORANGE, "wall.png": TEAL}
    names = ("beach.jpg", "wall.png", "minutes.pdf")

    a = open_page(chromium, f"http://127.0.0.1:{proxy.port}/")
    path = share(a)
    b, c = open_page(chromium, gateway.http + path), open_page(firefox, gateway.http + path)
    sees_people(a, 3)
    proxy.bytes_per_second = 2 * MB
    drop(a, (500, 320), small, large, paper_)

    # Who dropped them sees them at once, from the files themselves; the others see how far they are, and then the same.
    until(lambda: [one["isDrawn"] for one in items(a)], lambda drawn: drawn == [True] * 3)
    assert item(a, "wall.png")["state"] in ("waiting", "uploading")
    middles_have_their_colors(a, colors)
    a.screenshot(path=out / "uploading.png")
    for page in (b, c):
        sees_items(page, *names)
    sees_growing(b, "wall.png")
    b.screenshot(path=out / "arriving.png")
    proxy.bytes_per_second = None
    for page in (a, b, c):
        are_drawn(page, *names)
        middles_have_their_colors(page, colors)
    lie_alike(a, b, c)
    all_hold_the_same(a, b, c)

    # One moves a photo and makes it larger.
    before = select(b, "beach.jpg")
    x, y = before["x"], before["y"]
    draw(b, line(x, y, x - 40, y + 120))
    until(lambda: abs(item(c, "beach.jpg")["y"] - y - 120) < 0.1)
    corner = item(b, "beach.jpg")
    right, bottom = corner["x"] + corner["width"] / 2, corner["y"] + corner["height"] / 2
    draw(b, line(right, bottom, right + 60, bottom + 40))
    until(lambda: item(c, "beach.jpg")["width"] > corner["width"] + 40)
    lie_alike(a, b, c)
    moved = item(c, "beach.jpg")
    assert abs(moved["width"] / moved["height"] - 1.5) < 0.01
    assert (moved["x"] - moved["width"] / 2, moved["y"] - moved["height"] / 2) == (
        corner["x"] - corner["width"] / 2,
        corner["y"] - corner["height"] / 2,
    )

    # One comes late: the photo, and where it lies by now.
    late = open_page(firefox, gateway.http + path)
    are_drawn(late, *names)
    lie_alike(a, b, c, late)
    for page in (a, b, c, late):
        middles_have_their_colors(page, colors)
    b.keyboard.press("Escape")
    assert picture(a) == picture(b)
    assert picture(c) == picture(late)
    assert alike(image(a), image(c))
    for name, page in (("chromium", a), ("firefox", c)):
        page.screenshot(path=out / f"shared-{name}.png")

    # One removes one: it is gone everywhere, and stays so.
    gone = select(c, "wall.png")
    c.keyboard.press("Delete")
    for page in (a, b, c, late):
        sees_items(page, "beach.jpg", "minutes.pdf")
        lacks_color(page, gone["x"], gone["y"])
    for page in (a, c):
        page.reload()
        ready(page)
        are_drawn(page, "beach.jpg", "minutes.pdf")
    lie_alike(a, b, c, late)
    all_hold_the_same(a, b, c, late)
    assert sorted(one["name"] for one in Journal(gateway.http, path[2:]).list()) == ["beach.jpg", "minutes.pdf"]


def alike(one: Image.Image, other: Image.Image) -> bool:
    """Edges and scaled pictures differ by shades from browser to browser."""
    return max(ImageStat.Stat(ImageChops.difference(one, other)).mean) < 3
