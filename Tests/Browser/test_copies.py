"""Copies in each format, and drawings that are opened again."""

from __future__ import annotations

import base64
import io
import json
import re

from axe_playwright_python.sync_playwright import Axe
from board import (
    all_hold_the_same,
    are_drawn,
    choose,
    draw,
    image,
    items,
    line,
    pick,
    says,
    sees_ink,
    sees_items,
    sees_paper,
    sees_people,
    share,
)
from conftest import both, both_in_full, in_full, open_in, until
from photos import TEAL, drop, photo
from PIL import Image, ImageChops, ImageStat

PAPER = (251, 250, 247)


# Playwright does not report downloads in Firefox. This catches the next one: its name, and its content in base64.
CATCH_DOWNLOAD = """() => {
  const [blobs, create, { prototype }] = [new Map(), URL.createObjectURL, HTMLAnchorElement];
  URL.createObjectURL = (blob) => {
    const url = create.call(URL, blob);
    blobs.set(url, blob);
    return url;
  };
  globalThis.caught_ = new Promise((resolve) => {
    prototype.click = function () {
      delete prototype.click;
      URL.createObjectURL = create;
      const reader = new FileReader();
      reader.onload = () => resolve([this.download, reader.result.split(',')[1]]);
      reader.readAsDataURL(blobs.get(this.href));
    };
  });
}"""


def downloaded(page, format: str, **options: str) -> bytes:
    """Returns the saved file for these options of the dialog."""
    page.keyboard.press("Control+s")
    for name, value in {"format": format, **options}.items():
        page.locator(f"#export [name={name}][value='{value}']").check()
    if page.context.browser.browser_type.name == "firefox":
        page.evaluate(CATCH_DOWNLOAD)
        page.locator("#export-save").click()
        name, text = page.evaluate("caught_")
        data = base64.b64decode(text)
    else:
        with page.expect_download() as download:
            page.locator("#export-save").click()
        name, data = download.value.suggested_filename, download.value.path().read_bytes()
    page.locator("#export-dialog").wait_for(state="hidden")
    ending = {"drawing": "drawtogether"}.get(format, format)
    assert re.fullmatch(rf"Draw Together \d{{4}}-\d\d-\d\d\.{ending}", name)
    return data


def opened(data: bytes) -> Image.Image:
    return Image.open(io.BytesIO(data)).convert("RGBA")


def alike(color: tuple[int, ...], other: tuple[int, ...]) -> bool:
    return all(abs(one - two) <= 40 for one, two in zip(color, other, strict=False))


def picture_of(page, tmp_path) -> None:
    """Draws marks of all kinds, below and above a photo."""
    page.keyboard.press("2")
    draw(page, line(100, 120, 500, 120))
    for key, y in (("m", 180), ("a", 240), ("r", 500), ("o", 520)):
        page.keyboard.press(key)
        draw(page, line(120, y, 320, y + 90))
    page.keyboard.press("t")
    page.mouse.click(640, 560)
    page.keyboard.type("grüß <b> & “you”")
    page.keyboard.press("Escape")
    pick(page, photo(tmp_path, "sea.jpg", TEAL))
    sees_items(page, "sea.jpg")
    until(lambda: items(page)[0]["isDrawn"])
    page.keyboard.press("p")
    page.keyboard.press("5")
    draw(page, line(100, 300, 800, 320))


def test_an_exported_picture_has_the_chosen_size_and_paper(chromium, open_page, tmp_path, out):
    page = open_page(chromium, color_scheme="dark", reduced_motion="reduce")
    picture_of(page, tmp_path)
    page.keyboard.press("Control+s")
    says(page, "#export-note", "PNG, ")
    page.screenshot(path=out / "export.png")
    assert not Axe().run(page).response["violations"]
    page.keyboard.press("Escape")
    once = opened(downloaded(page, "png", scale="1", paper="white"))
    twice = opened(downloaded(page, "png", scale="2", paper="page"))
    clear = opened(downloaded(page, "png", scale="3", paper="none"))
    for size, other in zip(once.size, twice.size, strict=True):
        assert abs(other - 2 * size) <= 1
    assert abs(clear.width - 3 * once.width) <= 2
    assert once.getpixel((2, 2)) == (255, 255, 255, 255)
    assert alike(twice.getpixel((2, 2)), (23, 24, 28)) and clear.getpixel((2, 2))[3] == 0
    middle = items(page)[0]
    left = min(100, middle["x"] - middle["width"] / 2)
    for copy, scale in ((once, 1), (twice, 2), (clear, 3)):
        # The stroke over the photo, and the photo.
        x = round((middle["x"] - left + 24 + 10) * scale)
        column = [copy.getpixel((min(x, copy.width - 1), y)) for y in range(copy.height)]
        assert any(alike(color, (79, 95, 232)) for color in column)
        assert any(alike(color, TEAL) for color in column)


DRAW_SVG = """async (text) => {
  const url = URL.createObjectURL(new Blob([text], { type: 'image/svg+xml' }));
  const image = new Image();
  image.src = url;
  await image.decode();
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [image.naturalWidth, image.naturalHeight];
  canvas.getContext('2d').drawImage(image, 0, 0);
  return canvas.toDataURL().split(',')[1];
}"""


@in_full
def test_an_exported_svg_equals_the_picture(chromium, open_page, tmp_path):
    page = open_page(chromium)
    picture_of(page, tmp_path)
    text = downloaded(page, "svg", paper="white").decode()
    assert text.startswith('<svg xmlns="http://www.w3.org/2000/svg"')
    drawn = opened(base64.b64decode(page.evaluate(DRAW_SVG, text))).convert("RGB")
    raster = opened(downloaded(page, "png", scale="1", paper="white")).convert("RGB").resize(drawn.size)
    assert sum(ImageStat.Stat(ImageChops.difference(drawn, raster)).mean) < 3
    assert min(drawn.getextrema()[0]) < 120


@both_in_full
def test_a_drawing_file_can_be_opened_by_another_person(browser, open_page, tmp_path, chromium):
    first = open_page(chromium)
    picture_of(first, tmp_path)
    saved = tmp_path / "our.drawtogether"
    saved.write_bytes(downloaded(first, "drawing"))
    page = open_page(browser)
    choose_file(page, saved)
    sees_items(page, "sea.jpg")
    until(lambda: items(page)[0]["isDrawn"])
    until(lambda: page.locator("#summary").text_content(), lambda text: text.startswith("7 "))

    def difference() -> float:
        return sum(ImageStat.Stat(ImageChops.difference(image(page), image(first).resize(image(page).size))).mean)

    # A dragged item is painted with the next frame.
    until(difference, lambda sum_: sum_ < 3)
    # One undo removes all of it.
    page.keyboard.press("Control+z")
    until(lambda: page.locator("#summary").text_content(), lambda text: text == "Nothing is drawn yet.")
    page.keyboard.press("Control+Shift+Z")
    sees_items(page, "sea.jpg")
    sees_ink(page, 300, 120)
    # When shared, it is visible to all, above the existing content.
    path = share(page)
    other = open_page(chromium, path)
    sees_people(other, 2)
    are_drawn(other, "sea.jpg")
    drop(page, (500, 500), saved)
    until(lambda: other.locator("#summary").text_content(), lambda text: text.startswith("14 ") and "2 pictures" in text)
    all_hold_the_same(page, other)


def choose_file(page, path) -> None:
    with page.expect_file_chooser() as chooser:
        choose(page, "open")
    chooser.value.set_files(path)


@in_full
def test_invalid_drawing_files_are_refused_with_the_reason(chromium, open_page, tmp_path):
    page = open_page(chromium)
    mark = {"id": "X", "color": 0, "points": [[100, 100], [200, 200]], "width": 6}
    good = {"type": "UpsertStrokeMessage", "message": mark}
    cases = {
        "not json": "This is not a drawing",
        json.dumps({"marks": []}): "This is not a drawing",
        json.dumps({"drawTogether": 2, "marks": [], "items": []}): "newer version",
        json.dumps({"drawTogether": 1, "marks": [good] * 200_001, "items": []}): "There are 200,001 strokes in this drawing. At most 200,000",
        json.dumps({"drawTogether": 1, "marks": [good, {"type": "x"}, 7], "items": [{"name": "a"}]}): "without 3 damaged objects",
    }
    for at, (text, reason) in enumerate(cases.items()):
        path = tmp_path / f"{at}.drawtogether"
        path.write_text(text)
        drop(page, (500, 300), path)
        says(page, "#toasts", reason)
    # The intact content of the last file is there.
    until(lambda: page.locator("#summary").text_content(), lambda text: text == "1 stroke is drawn.")


def test_only_the_selection_is_copied_and_text_is_pasted(chromium, open_page, out):
    page = open_page(chromium, reduced_motion="reduce")
    draw(page, line(100, 120, 800, 120))
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.evaluate("navigator.clipboard.writeText('Buy milk,\\nand two eggs')")
    page.keyboard.press("Control+v")
    until(lambda: page.locator("#summary").text_content(), lambda text: text.startswith("2 ") or "text" in text)
    # It is selected, so that it can be placed.
    page.keyboard.press("Control+s")
    page.get_by_label("Only the selection").check()
    page.screenshot(path=out / "export-chosen.png")
    assert not Axe().run(page).response["violations"]
    with page.expect_download() as download:
        page.locator("#export-save").click()
    copy = opened(download.value.path().read_bytes())
    assert copy.width < 700 and not any(alike(copy.getpixel((x, 30)), (229, 72, 77)) for x in range(copy.width))
    page.keyboard.press("Control+z")
    until(lambda: page.locator("#summary").text_content(), lambda text: text == "1 stroke is drawn.")


@in_full
@both
def test_a_selection_is_pasted_on_another_page(browser, open_page, tmp_path, problems):
    page = open_page(browser, reduced_motion="reduce")
    draw(page, line(100, 120, 300, 120))
    draw(page, line(100, 160, 300, 160))
    page.keyboard.press("Control+a")
    page.keyboard.press("Control+x")
    sees_paper(page, 200, 120)
    other = open_in(page.context, page.url.split("/s/")[0], problems)
    draw(other, line(100, 600, 120, 600))
    other.mouse.move(500, 400)
    other.keyboard.press("Control+v")
    # Around the pointer, and selected.
    sees_ink(other, 420, 380)
    sees_ink(other, 580, 420)
    other.keyboard.press("Delete")
    sees_paper(other, 420, 380)
    # Only in Chromium the test can grant the permission for late access.
    if browser.browser_type.name != "chromium":
        return
    other.context.grant_permissions(["clipboard-read", "clipboard-write"])
    drop(other, (700, 400), photo(tmp_path, "sea.png", TEAL, (200, 150)))
    sees_items(other, "sea.png")
    for key in ("a", "c"):
        other.keyboard.press(f"Control+{key}")
    clipboard = "navigator.clipboard.readText()"
    until(lambda: other.evaluate(clipboard), lambda text: "sea.png" in text)
    other.keyboard.press("Control+v")
    sees_items(other, "sea.png", "sea.png")


@in_full
def test_the_picture_is_copied_and_printed(chromium, open_page, tmp_path):
    page = open_page(chromium)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    picture_of(page, tmp_path)
    choose(page, "save")
    page.locator("#export-copy").click()
    says(page, "#toasts", "on the clipboard")
    pasted = page.evaluate("""async () => {
      const [item] = await navigator.clipboard.read();
      const bytes = new Uint8Array(await (await item.getType('image/png')).arrayBuffer());
      return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
    }""")
    assert opened(base64.b64decode(pasted)).size == opened(downloaded(page, "png")).size
    # By the dialog: the picture is ready before the browser's own dialog opens.
    page.evaluate("() => void (print = () => { globalThis.printed_ = document.querySelector('#sheet img').naturalWidth; })")
    choose(page, "save")
    page.locator("#export-print").click()
    assert until(lambda: page.evaluate("globalThis.printed_ ?? 0")) > 600
    # By the browser's menu.
    printer = page.context.new_cdp_session(page)
    page.evaluate("() => void dispatchEvent(new Event('afterprint'))")
    pdf = base64.b64decode(printer.send("Page.printToPDF", {"printBackground": False})["data"])
    assert pdf.count(b"/Type /Page\n") == 1
    pictures = re.findall(rb"/Subtype /Image\n.*?/Width (\d+)", pdf, re.S)
    assert max(map(int, pictures)) >= 600
    assert page.locator("#tools").is_visible() and page.evaluate("document.querySelector('#sheet').childElementCount") == 0


@in_full
@both
def test_copying_is_not_offered_without_a_clipboard(browser, open_page, gateway):
    page = open_page(browser, gateway.http)
    draw(page, line(100, 200, 300, 200))
    page.evaluate("Object.defineProperty(globalThis, 'ClipboardItem', { value: undefined })")
    page.keyboard.press("Control+s")
    page.locator("#export-save").wait_for()
    for control in page.locator("#export button:visible, #export .segments label:visible").all():
        assert control.bounding_box()["height"] >= 38
