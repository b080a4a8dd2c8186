"""The fonts of texts: a text has the same letters and the same width in every browser and on every device, also in copies."""

from __future__ import annotations

import base64
import io
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from board import PHONE, draw, image, line, pick, pixels, sees_ink, share, tool
from conftest import both, both_in_full, executable, in_full, ready, until
from PIL import Image, ImageChops
from playwright.sync_api import Browser, Page, Playwright, Route
from test_copies import downloaded

WORDS = "Meeting at nine o’clock, room 204: Größe, łódź, Привіт → ✓"
# The texts of `board_with`: their fonts, from top to bottom.
FONTS = ("", "hand", "sans")
PITCH = 150
# The height of a strip of a picture, in pixels: larger than the gaps within a line, and smaller than the gaps between lines.
STRIP = 24
COLOR = "#4f5fe8"
# Gives all system fonts the widths of a typewriter.
OTHER_FONTS = """<?xml version="1.0"?>
<fontconfig>
  <dir>/usr/share/fonts</dir>
  <cachedir>{cache}</cachedir>
  <match target="pattern">
    <edit name="family" mode="assign" binding="strong"><string>Liberation Mono</string></edit>
  </match>
</fontconfig>
"""
LOADED = """['Hand', 'Sans'].every((name) => [...document.fonts].some(({ family, status }) =>
  family.replaceAll('"', '') === `DrawTogether ${name}` && status === 'loaded'))"""
# Draws an SVG in a page of its own, and returns it as a PNG.
DRAW_SVG = """async (text) => {
  const image = new Image();
  image.src = `data:image/svg+xml;base64,${text}`;
  await image.decode();
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [image.naturalWidth, image.naturalHeight];
  canvas.getContext('2d').drawImage(image, 0, 0);
  return canvas.toDataURL().split(',')[1];
}"""


def has_fonts(page: Page) -> None:
    until(lambda: page.evaluate(LOADED))


def texts(page: Page) -> list[dict]:
    return [one for one in page.evaluate("drawTogether.shapes()") if one["type"] == "text"]


def widths(page: Page) -> list[float]:
    """Returns the widths of the texts in the order of `FONTS`, without the room for letters beyond their boxes."""
    rooms = {"": 0.1, "hand": 0.4, "sans": 0.1}
    found = sorted(texts(page), key=lambda text: text["top"])
    return [one["right"] - one["left"] - 2 * (26 * rooms[font] + 1) for one, font in zip(found, FONTS, strict=True)]


def board_with(folder: Path, dots: int = 0) -> Path:
    """Returns the file of a drawing: a text in each font, and many dots to the right of the texts."""
    marks = []
    for at, font in enumerate(FONTS):
        message = {"text": WORDS, "point": [0, PITCH * at], "size": 26, "rgb": COLOR, "color": 7, "z": at + 1}
        marks.append({"type": "UpsertTextMessage", "message": message | ({"font": font} if font else {})})
    for at in range(dots):
        place = [700 + at % 40, 5 * (at // 40)]
        marks.append({"type": "UpsertStrokeMessage", "message": {"point": place, "color": 0, "width": 2, "z": 10 + at}})
    path = folder / f"board-{dots}.drawtogether"
    path.write_text(json.dumps({"drawTogether": 1, "marks": marks, "items": []}))
    return path


def settled(page: Page, count: int) -> None:
    until(lambda: len(page.evaluate("drawTogether.shapes()")), lambda found: found == count, seconds=30)
    until(lambda: page.evaluate("drawTogether.isSettled"), seconds=60)


def opened_board(page: Page, folder: Path, dots: int = 0) -> None:
    has_fonts(page)
    pick(page, board_with(folder, dots))
    settled(page, len(FONTS) + dots)
    page.keyboard.press("Escape")


def lines_of(picture: Image.Image) -> list[tuple[int, int]]:
    """Returns the left and right ends of the ink of each text, from top to bottom."""
    red, _, blue = picture.convert("RGB").split()
    # The texts are blue; nothing else has so much more blue than red.
    ink = ImageChops.subtract(blue, red).point(lambda value: 255 * (value > 60))
    ends: list[tuple[int, int]] = []
    # The picture is read in strips, because dots and accents are separate from their letters.
    for top in range(0, picture.height, STRIP):
        box = ink.crop((0, top, picture.width, top + STRIP)).getbbox()
        if not box:
            ends.append((0, 0))
        elif ends and ends[-1] != (0, 0):
            ends[-1] = (min(ends[-1][0], box[0]), max(ends[-1][1], box[2]))
        else:
            ends.append((box[0], box[2]))
    return [one for one in ends if one != (0, 0)]


@contextmanager
def with_other_fonts(launch: Callable[[dict], Browser], folder: Path) -> Iterator[Browser]:
    """Starts a browser on a device with other system fonts."""
    config = folder / "fonts.conf"
    config.write_text(OTHER_FONTS.format(cache=folder / "font-cache"))
    browser = launch({**os.environ, "FONTCONFIG_FILE": str(config)})
    try:
        yield browser
    finally:
        browser.close()


def start_chromium(playwright: Playwright) -> Callable[[dict], Browser]:
    path = executable("CHROMIUM", "chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
    arguments = ["--ignore-certificate-errors"]
    return lambda env: playwright.chromium.launch(executable_path=path, args=arguments, env=env)


def start_firefox(playwright: Playwright) -> Callable[[dict], Browser]:
    path = executable("FIREFOX", "firefox-esr", "firefox")
    return lambda env: playwright.firefox.launch(executable_path=path, channel="moz-firefox", env=env)


def test_a_text_has_the_same_width_in_both_engines(chromium, firefox, open_page, tmp_path):
    found = []
    for browser in (chromium, firefox):
        page = open_page(browser)
        opened_board(page, tmp_path)
        found.append(widths(page))
    for font, one, other in zip(FONTS, *found, strict=True):
        if font:
            assert abs(one - other) < 0.5, (font, one, other)


@in_full
@pytest.mark.parametrize("start", [start_chromium, pytest.param(start_firefox, marks=pytest.mark.firefox)])
def test_a_text_has_the_same_width_on_a_device_with_other_fonts(start, playwright, open_page, tmp_path, request, out):
    name = "chromium" if start is start_chromium else "firefox"
    usual = open_page(request.getfixturevalue(name))
    opened_board(usual, tmp_path)
    with with_other_fonts(start(playwright), tmp_path) as browser:
        other = open_page(browser)
        opened_board(other, tmp_path)
        other.screenshot(path=out / f"fonts-other-{name}.png")
        usual.screenshot(path=out / f"fonts-usual-{name}.png")
        [device, *shipped], [other_device, *other_shipped] = widths(usual), widths(other)
        assert abs(other_device / device - 1) > 0.1, "the device has no other fonts"
        # In Firefox, the hinting of the device may make a difference of less than a pixel.
        assert other_shipped == pytest.approx(shipped, abs=0.05 if name == "chromium" else 0.5)


@in_full
@both
def test_the_tiles_of_a_large_drawing_show_the_same_letters(browser, open_page, tmp_path, out):
    small = open_page(browser)
    opened_board(small, tmp_path)
    large = open_page(browser)
    opened_board(large, tmp_path, dots=2000)
    found = []
    for page, name in ((small, "small"), (large, "large")):
        page.screenshot(path=out / f"fonts-{name}.png")
        ends = lines_of(image(page))
        assert len(ends) == len(FONTS)
        found.append([right - left for left, right in ends])
    # The large drawing is shown in another view.
    [first, *_], [other_first, *_] = found
    for font, one, other in zip(FONTS, *found, strict=True):
        assert one / first == pytest.approx(other / other_first, rel=0.02), font


@in_full
def test_copies_have_the_letters_of_the_page_on_every_device(chromium, playwright, open_page, tmp_path):
    page = open_page(chromium)
    opened_board(page, tmp_path)
    expected = widths(page)
    raster = Image.open(io.BytesIO(downloaded(page, "png", scale="1", paper="white"))).convert("RGBA")
    svg = downloaded(page, "svg", paper="white")
    assert svg.count(b"@font-face") == 2 and b'font-family="system-ui' in svg
    copies = [raster]
    with with_other_fonts(start_chromium(playwright), tmp_path) as browser:
        # The copy is opened without the page, because it contains its fonts.
        elsewhere = browser.new_page()
        drawn = elsewhere.evaluate(DRAW_SVG, base64.b64encode(svg).decode())
        copies.append(Image.open(io.BytesIO(base64.b64decode(drawn))).convert("RGBA"))
    for copy in copies:
        for (left, right), font, width in zip(lines_of(copy), FONTS, expected, strict=True):
            if font:
                assert abs(right - left - width) < 0.4 * 26, font


@in_full
@both
def test_texts_are_measured_again_when_their_fonts_arrive_late(browser, open_page, unopened_page, base, tmp_path):
    usual = open_page(browser)
    has_fonts(usual)
    page = unopened_page(browser, service_workers="block")
    held: list[Route] = []
    page.route("**/fonts/*.woff2", lambda route: held.append(route))
    page.goto(base)
    ready(page)
    for one in (usual, page):
        # Each person starts with a different color.
        one.keyboard.press("2")
        one.keyboard.press("t")
        one.mouse.click(150, 200)
        one.keyboard.type("Milk and honey")
    # Reading from the page lets the routes be handled.
    until(lambda: texts(page) and len(held) == 2)
    [expected], [early] = texts(usual), texts(page)
    assert early["right"] != expected["right"]
    box = page.locator("#writing").bounding_box()
    for route in held:
        route.continue_()
    has_fonts(page)
    until(lambda: texts(page)[0]["right"], lambda right: abs(right - expected["right"]) < 0.01)
    assert page.locator("#writing").bounding_box() != box
    assert page.locator("#writing").bounding_box() == usual.locator("#writing").bounding_box()
    for one in (usual, page):
        one.keyboard.press("Escape")
        until(lambda one=one: one.evaluate("drawTogether.isSettled"))
    assert pixels(usual) == pixels(page)


@in_full
def test_fonts_that_could_not_be_loaded_are_requested_again(chromium, unopened_page, base, problems):
    problems.allow("fonts/", "Failed to load resource")
    page = unopened_page(chromium, service_workers="block")
    page.route("**/fonts/*.woff2", lambda route: route.abort())
    page.goto(base)
    ready(page)
    draw(page, line(100, 200, 300, 200))
    sees_ink(page, 200, 200)
    until(lambda: any("fonts/" in one for one in problems))
    page.unroute("**/fonts/*.woff2")
    has_fonts(page)


@both_in_full
def test_new_texts_are_handwritten_and_another_font_can_be_chosen(browser, open_page, out):
    page = open_page(browser)
    other = open_page(browser, share(page))
    has_fonts(page)
    has_fonts(other)
    fonts = page.get_by_role("group", name="Font")
    assert fonts.is_hidden()
    page.keyboard.press("t")
    fonts.wait_for()
    assert page.get_by_role("radio", name="Handwriting").is_checked()
    page.mouse.click(200, 200)
    page.keyboard.type("Milk and honey")
    page.screenshot(path=out / f"fonts-choice-{browser.browser_type.name}.png")
    [hand] = texts(page)
    page.get_by_role("radio", name="Print").click()
    # The focus stays in the text.
    page.keyboard.type("!")
    page.keyboard.press("Backspace")
    [sans] = texts(page)
    assert sans["right"] - sans["left"] != hand["right"] - hand["left"]
    page.keyboard.press("Escape")
    until(lambda: [one["right"] for one in texts(other)], lambda found: found == [texts(page)[0]["right"]])
    assert not Axe().run(page).response["violations"]
    # The choice also applies to later texts, even after a reload.
    page.reload()
    ready(page)
    has_fonts(page)
    page.keyboard.press("t")
    fonts.wait_for()
    assert page.get_by_role("radio", name="Print").is_checked()
    # A selected text gets the chosen font, and an undo restores its earlier one.
    page.keyboard.press("v")
    assert fonts.is_hidden()
    page.keyboard.press("Control+a")
    fonts.wait_for()
    page.get_by_role("radio", name="Handwriting").click()
    until(lambda: texts(page)[0]["right"], lambda right: abs(right - hand["right"]) < 0.01)
    page.keyboard.press("Control+z")
    until(lambda: texts(page)[0]["right"], lambda right: abs(right - sans["right"]) < 0.01)


@in_full
def test_the_fonts_are_offered_on_a_phone(chromium, open_page, out):
    page = open_page(chromium, **{**PHONE, "viewport": {"width": 360, "height": 740}}, color_scheme="dark")
    has_fonts(page)
    tool(page, "[data-tool=text]")
    page.locator("#ink").tap()
    page.locator("#inks:popover-open").wait_for()
    page.screenshot(path=out / "fonts-phone.png")
    for name in ("Handwriting", "Print"):
        box = page.get_by_role("radio", name=name).bounding_box()
        assert box and box["width"] >= 44 and box["height"] >= 44
        assert box["x"] >= 0 and box["x"] + box["width"] <= 360
    assert not Axe().run(page).response["violations"]
