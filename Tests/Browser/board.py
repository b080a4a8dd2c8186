"""A user's actions on the page, and its visible state."""

from __future__ import annotations

import base64
import io
import math
from pathlib import Path

from PIL import Image
from playwright.sync_api import Locator, Page

from conftest import until

Point = tuple[float, float]
PHONE = {"viewport": {"width": 390, "height": 844}, "device_scale_factor": 3, "is_mobile": True, "has_touch": True}


def move(page: Page, points: list[Point]) -> None:
    for x, y in points:
        page.mouse.move(x, y)


def draw(page: Page, points: list[Point]) -> None:
    page.mouse.move(*points[0])
    page.mouse.down()
    move(page, points[1:])
    page.mouse.up()


def line(x: float, y: float, to_x: float, to_y: float, steps: int = 12) -> list[Point]:
    return [(x + (to_x - x) * at / steps, y + (to_y - y) * at / steps) for at in range(steps + 1)]


def wave(x: float, y: float, width: float, height: float, steps: int = 40) -> list[Point]:
    return [(x + width * at / steps, y + height * math.sin(at / steps * 3 * math.pi)) for at in range(steps + 1)]


class Pen:
    """A pen with pressure, whose events the page trusts. Only Chromium can create them, as those of fingers."""

    def __init__(self, page: Page) -> None:
        self.session = page.context.new_cdp_session(page)

    def event(self, kind: str, x: float, y: float, pressure: float, **more: object) -> None:
        event = {"type": kind, "x": x, "y": y, "force": pressure, "pointerType": "pen", **more}
        self.session.send("Input.dispatchMouseEvent", event)

    def hover(self, x: float, y: float) -> None:
        self.event("mouseMoved", x, y, 0, button="none", buttons=0)

    def down(self, x: float, y: float, pressure: float = 0.5) -> None:
        self.event("mousePressed", x, y, pressure, button="left", buttons=1, clickCount=1)

    def move(self, x: float, y: float, pressure: float = 0.5) -> None:
        self.event("mouseMoved", x, y, pressure, button="left", buttons=1)

    def up(self, x: float, y: float) -> None:
        self.event("mouseReleased", x, y, 0, button="left", buttons=0, clickCount=1)


class Fingers:
    """Fingers on the screen, identified by their index; the page trusts their events. Chromium only."""

    def __init__(self, page: Page) -> None:
        self.session = page.context.new_cdp_session(page)

    def event(self, kind: str, points: tuple[Point, ...]) -> None:
        touches = [{"x": x, "y": y, "id": index} for index, (x, y) in enumerate(points)]
        self.session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": touches})

    def down(self, *points: Point) -> None:
        """Touches with all these fingers: the earlier ones and at least one more."""
        self.event("touchStart", points)

    def move(self, *points: Point) -> None:
        self.event("touchMove", points)

    def up(self) -> None:
        """Lifts all fingers."""
        self.event("touchEnd", ())

    def cancel(self) -> None:
        """The system takes over the touch, as for a gesture of its own."""
        self.event("touchCancel", ())


def pen(page: Page, points: list[Point], pressures: float | list[float] = 0.5) -> None:
    """Draws with a pen, with one pressure or a pressure for each point. Chromium only."""
    forces = pressures if isinstance(pressures, list) else [pressures] * len(points)
    tip = Pen(page)
    tip.down(*points[0], forces[0])
    for (x, y), force in zip(points[1:], forces[1:], strict=True):
        tip.move(x, y, force)
    tip.up(*points[-1])


def touch(page: Page, points: list[Point]) -> None:
    """Moves one finger along these points; a single point is a tap. Chromium only."""
    finger = Fingers(page)
    finger.down(points[0])
    for point in points[1:]:
        finger.move(point)
    finger.up()


def two_fingers(page: Page, start: tuple[Point, Point], end: tuple[Point, Point], steps: int = 10) -> None:
    """Moves two fingers, one a moment before the other, from their start to their end: they drag, pinch and turn. Chromium
    only."""
    fingers = Fingers(page)
    fingers.down(start[0])
    fingers.down(*start)
    for pair in zip(line(*start[0], *end[0], steps)[1:], line(*start[1], *end[1], steps)[1:], strict=True):
        fingers.move(*pair)
    fingers.up()


INK = """([x, y]) => {
  const canvas = document.getElementById('canvas');
  const ratio = canvas.width / canvas.clientWidth;
  return canvas.getContext('2d').getImageData(x * ratio, y * ratio, 1, 1).data[3];
}"""


def has_ink(page: Page, x: float, y: float) -> bool:
    return page.evaluate(INK, [x, y]) > 200


def sees_ink(page: Page, x: float, y: float) -> None:
    until(lambda: has_ink(page, x, y))


def sees_paper(page: Page, x: float, y: float) -> None:
    until(lambda: not has_ink(page, x, y))


def address(page: Page) -> str:
    """Returns the address in the address bar; not every driver reports changes that the page makes to it."""
    return page.evaluate("location.href")


def path_of(page: Page) -> str:
    return page.evaluate("location.pathname.slice(1)")


PIXELS = """async () => {
  const { width, height } = canvas;
  const { data } = canvas.getContext('2d').getImageData(0, 0, width, height);
  return [...new Uint8Array(await crypto.subtle.digest('SHA-256', data))];
}"""


def pixels(page: Page) -> str:
    """Returns a digest of the pixels; a digest of a PNG would differ between equal images."""
    return bytes(page.evaluate(PIXELS)).hex()


def image(page: Page) -> Image.Image:
    """Returns the canvas on white paper, without repainting it."""
    png = base64.b64decode(page.evaluate("canvas.toDataURL()").split(",")[1])
    drawn = Image.open(io.BytesIO(png)).convert("RGBA")
    paper = Image.new("RGBA", drawn.size, "white")
    return Image.alpha_composite(paper, drawn).convert("RGB")


def picture(page: Page) -> str:
    """Repaints everything and returns a digest of the pixels."""
    page.evaluate("drawTogether.redraw()")
    return pixels(page)


def state(page: Page) -> str:
    return page.evaluate("drawTogether.stateHash()")


def all_hold_the_same(*pages: Page) -> str:
    def states() -> set[str]:
        return {state(page) for page in pages}

    return until(states, lambda found: len(found) == 1 and "" not in found).pop()


def people(page: Page) -> list[str]:
    return page.evaluate("drawTogether.participants.map(({ name }) => name)")


def sees_people(page: Page, count: int, seconds: float = 8) -> None:
    until(lambda: len(people(page)), lambda found: found == count, seconds)


def share(page: Page) -> str:
    """Creates the session and returns its path."""
    page.locator("#share").click()
    page.locator("#share-dialog").wait_for()
    link = page.locator("#share-link").input_value()
    page.keyboard.press("Escape")
    sees_people(page, 1)
    return link[link.index("/s/") + 1 :]


def open_people(page: Page) -> None:
    page.locator("#together").click()
    page.get_by_role("button", name="Who is here…").click()
    page.locator("#people-dialog").wait_for()


def choose(page: Page, menu_item: str) -> None:
    page.locator("#more").click()
    page.locator(f"#{menu_item}").click()


def says(page: Page, selector: str, text: str, seconds: float = 8) -> None:
    """Waits until a visible element has the text; a hidden element may have it earlier."""
    until(lambda: page.locator(f"{selector}:visible").all_inner_texts(), lambda found: any(text in one for one in found), seconds)


KEPT = """async (name) => {
  globalThis.kept_ ??= new Promise((resolve, reject) => {
    const opening = indexedDB.open('drawtogether');
    opening.onsuccess = () => resolve(opening.result);
    opening.onerror = () => reject(opening.error);
  });
  const counting = (await kept_).transaction(name).objectStore(name).count();
  return new Promise((resolve) => (counting.onsuccess = () => resolve(counting.result)));
}"""


def kept(page: Page, what: str = "entries") -> int:
    """Returns the number of stored items: what waits to be sent is stored until it is on the gateway's disk."""
    return page.evaluate(KEPT, what)


def tool(page: Page, selector: str) -> None:
    """Chooses a tool by its button, which may be in a menu on a phone."""
    if not page.locator(selector).is_visible():
        page.locator("#shapes").click()
    page.locator(selector).click()


def pick(page: Page, *paths: Path) -> None:
    """Adds files by the toolbar's button and the browser's file dialog."""
    if page.context.browser.browser_type.name == "firefox":
        # Playwright leaves Firefox's file dialog open, so the page could open it only once.
        page.locator("#files").set_input_files(paths)
        return
    with page.expect_file_chooser() as chooser:
        tool(page, "#add")
    chooser.value.set_files(paths)


def items(page: Page) -> list[dict]:
    """Returns the pictures and files on the page, lowest first."""
    return page.evaluate("drawTogether.pictures")


def sees_items(page: Page, *names: str, seconds: float = 8) -> None:
    until(lambda: sorted(item["name"] for item in items(page)), lambda found: found == sorted(names), seconds)


def item(page: Page, name: str) -> dict:
    return next(one for one in items(page) if one["name"] == name)


def are_drawn(page: Page, *names: str, seconds: float = 30) -> None:
    """Waits until these items are ready for all, and every picture is on the canvas."""

    def found() -> list[tuple[str, str, bool]]:
        return sorted((one["name"], one["state"], one["isDrawn"]) for one in items(page))

    until(found, lambda now: now == sorted((name, "ready", True) for name in names), seconds)


def appear(page: Page, *names: str, seconds: float = 30) -> None:
    """Waits until these items are on the canvas, in a session or without one."""

    def found() -> list[tuple[str, bool]]:
        return sorted((one["name"], one["isDrawn"]) for one in items(page))

    until(found, lambda now: now == sorted((name, True) for name in names), seconds)


def places(page: Page) -> list[tuple]:
    return sorted(tuple(one[name] for name in ("id", "name", "x", "y", "width", "height", "z")) for one in items(page))


def lie_alike(*pages: Page) -> None:
    """Waits until all pages have the same pictures and files at the same places."""
    until(lambda: {str(places(page)) for page in pages}, lambda found: len(found) == 1)


COLOR = """([x, y]) => {
  const canvas = document.getElementById('canvas');
  const ratio = canvas.width / canvas.clientWidth;
  return [...canvas.getContext('2d').getImageData(x * ratio, y * ratio, 1, 1).data];
}"""


def sees_color(
    page: Page, x: float, y: float, color: tuple[int, int, int], slack: int = 40, seconds: float = 8
) -> None:
    def is_alike(found: list[int]) -> bool:
        return found[3] == 255 and all(abs(one - other) <= slack for one, other in zip(found, color, strict=False))

    until(lambda: page.evaluate(COLOR, [x, y]), is_alike, seconds)


def lacks_color(page: Page, x: float, y: float) -> None:
    until(lambda: page.evaluate(COLOR, [x, y])[3] == 0)


def select(page: Page, name: str) -> dict:
    """Selects an item with the tool; the origin of the plane is that of the canvas."""
    page.keyboard.press("v")
    chosen = item(page, name)
    page.mouse.click(chosen["x"], chosen["y"])
    until(lambda: item(page, name)["isSelected"])
    return item(page, name)


def row(page: Page, name: str) -> Locator:
    """Returns the list row of an item, with its state and buttons."""
    return page.locator("#items > li").filter(has=page.get_by_role("button", name=name, exact=False))


def watch_frames(page: Page) -> None:
    page.evaluate("globalThis.frames_ = []; (function next(t) { frames_.push(t); requestAnimationFrame(next); })(performance.now())")


def frame_gaps(page: Page) -> list[float]:
    """Returns the milliseconds between frames since the observation began, sorted."""
    times = page.evaluate("frames_")
    return sorted(after - before for before, after in zip(times[1:], times[2:], strict=False))
