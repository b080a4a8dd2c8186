"""Pictures and files in a session: added by one, seen, moved and removed by all."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from board import (
    PHONE, all_hold_the_same, are_drawn, draw, frame_gaps, image, item, items, lacks_color, lie_alike, line, pick,
    places, row, sees_color, sees_ink, sees_items, sees_people, select, share, watch_frames, wave,
)
from conftest import both, both_in_full, in_full, ready, until
from journal import Journal
from photos import ORANGE, PLUM, TEAL, drop, paper, paste, photo
from PIL import Image, ImageChops, ImageStat
from raw import REMOVE

MB = 1024 * 1024


def middles_have_their_colors(page, colors: dict[str, tuple[int, int, int]]) -> None:
    for name, color in colors.items():
        found = item(page, name)
        sees_color(page, found["x"], found["y"], color)


def sees_growing(page, name: str) -> None:
    """Waits until the frame of another participant's upload shows rising percentages."""
    seen: list[int] = []

    def has_grown() -> bool:
        frame = row(page, name).locator(".frame:visible")
        words = frame.inner_text() if frame.count() else ""
        seen.extend(int(word) for word in words.replace("%", " ").split() if word.isdigit())
        return len(set(seen)) > 3

    until(has_grown, seconds=30)
    assert seen == sorted(seen) and seen[-1] < 100, seen


def test_three_browsers_share_two_photos_and_a_document(
    chromium, firefox, proxy, open_page, gateway, tmp_path, out
):
    # The proxy is requested before the pages, so that it closes after them: a page that loses its connection reconnects, and
    # reports errors.
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

    # The uploader sees the files at once, from its own disk; the others see the progress, and then the files.
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

    # One participant moves a photo and enlarges it.
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
    # Positions are rounded to hundredths on the wire.
    assert (moved["x"] - moved["width"] / 2, moved["y"] - moved["height"] / 2) == pytest.approx(
        (corner["x"] - corner["width"] / 2, corner["y"] - corner["height"] / 2), abs=0.011
    )

    # A late joiner gets the photo at its present place.
    late = open_page(firefox, gateway.http + path)
    are_drawn(late, *names)
    lie_alike(a, b, c, late)
    for page in (a, b, c, late):
        middles_have_their_colors(page, colors)
    b.keyboard.press("Escape")
    assert alike(image(a), image(b))
    assert alike(image(c), image(late))
    assert alike(image(a), image(c))
    for name, page in (("chromium", a), ("firefox", c)):
        page.screenshot(path=out / f"shared-{name}.png")

    # One participant removes an item: it disappears everywhere.
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
    """Returns true if the images are equal up to small differences at edges and in scaled pictures, which depend on the
    browser."""
    return max(ImageStat.Stat(ImageChops.difference(one, other)).mean) < 3


@both_in_full
def test_pasted_and_picked_files_are_shared_with_all(browser, open_page, tmp_path):
    pasted = photo(tmp_path, "pasted.png", PLUM, (200, 150))
    picked = [photo(tmp_path, name, color, (400, 300)) for name, color in (("one.jpg", ORANGE), ("two.webp", TEAL))]
    a = open_page(browser)
    path = share(a)
    b = open_page(browser, path)
    sees_people(b, 2)
    paste(a, pasted)
    (found,) = until(lambda: items(a), lambda found: len(found) == 1)
    # In its own size, in the middle.
    assert (found["x"], found["y"], found["width"], found["height"]) == (500, 350, 200, 150)
    for page in (a, b):
        are_drawn(page, found["name"])
        sees_color(page, 500, 350, PLUM)
    pick(a, *picked, paper(tmp_path))
    names = (found["name"], "one.jpg", "two.webp", "minutes.pdf")
    for page in (a, b):
        are_drawn(page, *names)
        middles_have_their_colors(page, {"one.jpg": ORANGE, "two.webp": TEAL})
    lie_alike(a, b)


@in_full
def test_picked_files_are_placed_on_free_space(chromium, open_page, tmp_path, out):
    a = open_page(chromium)
    for at, (name, color) in enumerate((("one.jpg", ORANGE), ("two.jpg", TEAL), ("three.jpg", PLUM))):
        pick(a, photo(tmp_path, name, color, (280, 220)))
        until(lambda at=at: len([one for one in items(a) if one["isDrawn"]]) == at + 1)
    a.screenshot(path=out / "side-by-side.png")
    found = items(a)
    for one in found:
        left, top = one["x"] - one["width"] / 2, one["y"] - one["height"] / 2
        assert left >= 0 and top >= 60 and left + one["width"] <= 1000 and top + one["height"] <= 620, one
        for other in found:
            apart = max(abs(one["x"] - other["x"]) - one["width"], abs(one["y"] - other["y"]) - one["height"])
            assert one is other or apart >= 0, (one, other)
    # A dropped item is placed where it was dropped.
    drop(a, (found[0]["x"] + 30, found[0]["y"] + 20), photo(tmp_path, "dropped.jpg", ORANGE, (90, 60)))
    until(lambda: len(items(a)) == 4)
    assert (item(a, "dropped.jpg")["x"], item(a, "dropped.jpg")["y"]) == (found[0]["x"] + 30, found[0]["y"] + 20)


@in_full
@both
def test_items_added_alone_are_shared_with_the_session(browser, open_page, tmp_path):
    a = open_page(browser)
    drop(a, (300, 250), photo(tmp_path, "sketch.jpg", PLUM, (300, 200)))
    until(lambda: [one["isDrawn"] for one in items(a)], lambda drawn: drawn == [True])
    # An item that was added alone is selected, so that it can be moved.
    assert [one["isSelected"] for one in items(a)] == [True]
    a.keyboard.press("p")
    draw(a, line(200, 250, 400, 250))
    sees_ink(a, 300, 250)
    path = share(a)
    b = open_page(browser, path)
    for page in (a, b):
        are_drawn(page, "sketch.jpg")
        sees_color(page, 300, 200, PLUM)
    lie_alike(a, b)
    all_hold_the_same(a, b)
    # The line is above the picture on both pages.
    assert alike(image(a), image(b))


def test_a_move_can_be_undone_and_redone(chromium, open_page, tmp_path):
    a = open_page(chromium)
    path = share(a)
    b = open_page(chromium, path)
    pick(a, photo(tmp_path, "map.jpg", TEAL, (300, 200)))
    are_drawn(b, "map.jpg")
    before = places(b)
    select(a, "map.jpg")
    draw(a, line(500, 350, 300, 250))
    after = until(lambda: places(b), lambda found: found[0][2:4] == (300, 250))
    for keys, wanted in (("Control+z", before), ("Control+Shift+Z", after), ("Control+z", before)):
        a.keyboard.press(keys)
        for page in (a, b):
            until(lambda page=page: places(page), lambda found, wanted=wanted: found == wanted)
    all_hold_the_same(a, b)


@in_full
def test_removing_a_key_removes_only_the_entries_of_clients(chromium, open_page, gateway, tmp_path):
    a = open_page(chromium)
    path = share(a)
    b = open_page(chromium, path)
    pick(a, photo(tmp_path, "stays.jpg", ORANGE, (300, 200)))
    are_drawn(b, "stays.jpg")
    added = places(b)
    select(a, "stays.jpg")
    draw(a, line(500, 350, 300, 250))
    until(lambda: places(b) != added)
    key = item(b, "stays.jpg")["id"]
    assert b.evaluate(REMOVE, [path[2:], key.replace("-", "")]) == "heard"
    # Its place was set by a client and is lost; the picture itself is still there, at its default place.
    for page in (a, b):
        until(lambda page=page: places(page), lambda found: found == added)
        are_drawn(page, "stays.jpg")
        sees_color(page, 500, 350, ORANGE)
    assert [one["id"] for one in Journal(gateway.http, path[2:]).list()] == [key]
    b.reload()
    ready(b)
    are_drawn(b, "stays.jpg")
    lie_alike(a, b)
    all_hold_the_same(a, b)


@in_full
def test_drawing_continues_during_the_maximum_of_uploads(chromium, proxy, open_page, gateway, tmp_path):
    path = tmp_path / "archive.bin"
    with path.open("wb") as file:
        file.truncate(100 * MB)
    a = open_page(chromium, f"http://127.0.0.1:{proxy.port}/")
    shared = share(a)
    b = open_page(chromium, gateway.http + shared)
    sees_people(a, 2)
    # 50 s for all uploads: drawing has priority however busy the machine is.
    proxy.bytes_per_second = 2 * MB
    pick(a, path)
    until(lambda: item(a, "archive.bin")["offset"] > MB if items(a) else False, seconds=20)
    a.keyboard.press("p")
    watch_frames(a)
    draw(a, wave(60, 560, 800, 40))
    sees_ink(b, 60 + 800 * 3 / 40, 560 + 40 * 0.6494)
    gaps = frame_gaps(a)
    assert item(b, "archive.bin")["state"] == "uploading"
    print("ms from frame to frame: middle", gaps[len(gaps) // 2], "95 of 100", gaps[len(gaps) * 95 // 100], "most", gaps[-1])
    proxy.bytes_per_second = None
    for page in (a, b):
        are_drawn(page, "archive.bin", seconds=60)
        assert item(page, "archive.bin")["size"] == 100 * MB


def test_items_can_be_handled_by_keyboard(chromium, open_page, tmp_path):
    a = open_page(chromium)
    # Registered before the key press, because listening takes a moment.
    choosers = []
    a.on("filechooser", lambda chooser: choosers.append(chooser))
    path = share(a)
    b = open_page(chromium, path)
    a.keyboard.press("i")
    until(lambda: a.evaluate("1") and choosers)
    choosers[0].set_files(photo(tmp_path, "keys.jpg", PLUM, (300, 200)))
    are_drawn(b, "keys.jpg")
    for _ in range(40):
        a.keyboard.press("Tab")
        if a.evaluate("document.activeElement.matches('.grip')"):
            break
    a.keyboard.press("Enter")
    until(lambda: item(a, "keys.jpg")["isSelected"])
    before = item(b, "keys.jpg")
    a.keyboard.press("ArrowRight")
    a.keyboard.press("Shift+ArrowDown")
    until(lambda: item(b, "keys.jpg"), lambda found: (found["x"], found["y"]) == (before["x"] + 8, before["y"] + 64))
    a.keyboard.press("Control+ArrowUp")
    until(lambda: item(b, "keys.jpg")["width"], lambda width: abs(width - 330) < 0.1)
    lie_alike(a, b)
    a.keyboard.press("Delete")
    for page in (a, b):
        sees_items(page)


@in_full
@both
def test_a_file_is_saved_under_its_name(browser, open_page, tmp_path):
    path = tmp_path / "Über uns & ‘mehr’, 2. Teil.html"
    path.write_text("<!doctype html><script>document.title = 'ran'</script>")
    a = open_page(browser)
    shared = share(a)
    b = open_page(browser, shared)
    pick(a, path)
    are_drawn(b, path.name)
    with b.expect_download() as saved:
        row(b, path.name).get_by_role("link", name=f"Download {path.name}").click()
    assert saved.value.suggested_filename == path.name
    saved.value.save_as(tmp_path / "saved")
    assert (tmp_path / "saved").read_bytes() == path.read_bytes()


@in_full
def test_axe_finds_no_problem_with_pictures(chromium, open_page, proxy, problems, tmp_path, out):
    # The proxy may close before the pages.
    problems.allow("WebSocket", "ERR_")
    chosen, under_way = photo(tmp_path, "chosen.jpg", TEAL, (280, 180)), photo(tmp_path, "under way.png", PLUM, (600, 400))
    for look, options in (("light", {}), ("dark", {"color_scheme": "dark"}), ("phone", PHONE)):
        proxy.bytes_per_second = None
        page = open_page(chromium, f"http://127.0.0.1:{proxy.port}/", reduced_motion="reduce", **options)
        share(page)
        pick(page, chosen, paper(tmp_path))
        are_drawn(page, "chosen.jpg", "minutes.pdf")
        proxy.bytes_per_second = MB / 16
        pick(page, under_way)
        until(lambda page=page: item(page, "under way.png")["state"] if len(items(page)) == 3 else "", lambda state: state == "uploading")
        row(page, "chosen.jpg").get_by_role("button", name="Picture chosen.jpg").evaluate("(grip) => grip.click()")
        until(lambda page=page: item(page, "chosen.jpg")["isSelected"])
        page.screenshot(path=out / f"pictures-{look}.png")
        found = Axe().run(page).response["violations"]
        assert not found, [(one["id"], [node["html"] for node in one["nodes"]]) for one in found]
        row(page, "under way.png").get_by_role("button", name="Cancel").click()
        sees_items(page, "chosen.jpg", "minutes.pdf")
