"""One page by itself: by mouse, finger, pen and keyboard; on a phone, in dark mode, accessible."""

from __future__ import annotations

import base64
import hashlib
import re
import urllib.request

from PIL import ImageChops
from board import PHONE, address, draw, has_ink, image, line, pen, picture, says, sees_ink, sees_paper, share, touch
from board import two_fingers, wave
from conftest import both, both_in_full, in_full, until


@both
def test_drawing_works_without_a_session(browser, open_page):
    page = open_page(browser)
    says(page, "#hint", "Draw. Then invite someone.")
    draw(page, line(100, 300, 500, 350))
    sees_ink(page, 300, 325)
    until(lambda: page.locator("#hint").get_attribute("data-gone"), lambda gone: gone is not None)
    assert page.evaluate("performance.getEntriesByType('resource').every(({ name }) => name.startsWith(location.origin))")


def test_no_socket_is_opened_before_sharing(chromium, open_page):
    sockets = []
    page = open_page(chromium)
    page.on("websocket", lambda socket: sockets.append(socket.url))
    draw(page, line(100, 200, 300, 200))
    page.evaluate("1")
    assert sockets == []
    path = share(page)
    assert len(sockets) == 1 and sockets[0].endswith(f"/api/sessions/{path[2:]}/socket")


@both_in_full
def test_the_link_can_be_copied(browser, open_page):
    page = open_page(browser)
    page.locator("#share").click()
    page.locator("#share-dialog").wait_for()
    assert page.locator("#share-link").input_value() == address(page)
    page.locator("#share-copy").click()
    says(page, "#share-copy", "Copied")


@in_full
def test_the_link_can_be_copied_outside_of_secure_contexts(chromium, open_page, gateway, problems):
    problems.allow("Cross-Origin-Opener-Policy")
    page = open_page(chromium, gateway.http.replace("127.0.0.1", "draw.test").replace("localhost", "draw.test"))
    assert not page.evaluate("isSecureContext")
    page.locator("#share").click()
    page.locator("#share-dialog").wait_for()
    page.locator("#share-copy").click()
    until(lambda: page.locator("#share-copy").inner_text() == "Copied" or "selected" in page.locator("#share-note").inner_text())
    page.keyboard.press("Escape")
    until(lambda: page.evaluate("drawTogether.participants.length"), lambda count: count == 1)
    assert page.evaluate("drawTogether.stateHash()").startswith("fnv1a64:")
    draw(page, line(100, 300, 500, 350))
    sees_ink(page, 300, 325)
    page.get_by_role("button", name="Not encrypted").click()
    says(page, "#toasts", "an https:// address, open the page there")


def test_a_pen_draws_thicker_where_it_is_pressed(chromium, open_page):
    page = open_page(chromium)
    page.keyboard.press("]")
    for y, pressure in ((200, 0.1), (400, 1.0)):
        pen(page, line(100, y, 400, y, 30), pressure)
        sees_ink(page, 250, y)
    assert has_ink(page, 250, 408) and not has_ink(page, 250, 208)


def test_one_finger_draws_and_two_pan(chromium, open_page):
    page = open_page(chromium, **PHONE)
    touch(page, line(100, 300, 290, 300, 19))
    sees_ink(page, 200, 300)

    # The first of two fingers has hardly moved: it leaves no stroke.
    two_fingers(page, ((150, 500), (250, 500)), ((150, 600), (250, 600)))
    sees_ink(page, 200, 400)
    sees_paper(page, 200, 300)
    until(lambda: page.locator("#summary").text_content(), lambda text: text == "1 stroke is drawn.")


@both_in_full
def test_keys_choose_tools_colors_and_widths(browser, open_page):
    page = open_page(browser)
    page.keyboard.press("e")
    assert page.locator("[data-tool=eraser]").get_attribute("aria-pressed") == "true"
    page.keyboard.press("5")
    assert page.locator("[data-tool=pen]").get_attribute("aria-pressed") == "true"
    assert page.get_by_role("radio", name="Indigo").is_checked()
    page.keyboard.press("[")
    assert page.get_by_role("radio", name="Fine").is_checked()
    page.keyboard.press("?")
    page.locator("#keys-dialog").wait_for()
    page.keyboard.press("e")
    page.keyboard.press("Escape")
    assert page.locator("[data-tool=pen]").get_attribute("aria-pressed") == "true"


def test_every_control_is_reachable_by_tab(chromium, open_page):
    page = open_page(chromium)
    draw(page, line(100, 200, 300, 200))
    reached = set()
    for _ in range(30):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("document.activeElement.id || document.activeElement.dataset.tool || document.activeElement.ariaLabel"))
    assert {"share", "undo", "more", "pen", "eraser", "canvas"} <= reached


def test_a_phone_has_large_targets_and_no_scrolling(chromium, open_page, out):
    page = open_page(chromium, **PHONE)
    page.locator("#ink").click()
    page.locator("#more-styles").click()
    page.screenshot(path=out / "phone.png")
    buttons = page.locator("#tools button:visible, #tools input[type=radio]:visible, .top button:visible").all()
    assert len(buttons) > 20
    for button in buttons:
        box = button.bounding_box()
        assert box and box["width"] >= 44 and box["height"] >= 44, button.get_attribute("aria-label")
        assert box["x"] >= 0 and box["x"] + box["width"] <= 390
    assert page.evaluate("document.documentElement.scrollWidth") == 390


@in_full
def test_on_a_dense_screen_the_canvas_has_all_its_pixels(chromium, open_page):
    page = open_page(chromium, device_scale_factor=2)
    assert page.evaluate("[canvas.width, canvas.height]") == [2000, 1400]
    draw(page, line(100, 200, 300, 200))
    sees_ink(page, 200, 200)
    before = picture(page)
    page.set_viewport_size({"width": 800, "height": 600})
    until(lambda: page.evaluate("[canvas.width, canvas.height]"), lambda size: size == [1600, 1200])
    sees_ink(page, 200, 200)
    page.set_viewport_size({"width": 1000, "height": 700})
    until(lambda: page.evaluate("canvas.width"), lambda width: width == 2000)
    assert picture(page) == before


@in_full
def test_a_repainted_area_equals_a_full_repaint(chromium, open_page):
    page = open_page(chromium)
    for at in range(6):
        page.keyboard.press(str(at + 1))
        draw(page, wave(80 + 20 * at, 300 + 10 * at, 500, 90))
    for _ in range(3):
        page.keyboard.press("Control+z")
    page.keyboard.press("e")
    draw(page, line(560, 150, 640, 290))
    page.keyboard.press("Control+z")
    page.keyboard.press("Control+Shift+Z")
    frames = page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert frames is not None
    mended = image(page)
    page.evaluate("drawTogether.redraw()")
    # Repainted edges may differ by a shade.
    shades = ImageChops.difference(mended, image(page)).convert("L").histogram()
    assert sum(shades[100:]) == 0
    assert sum(shades[16:]) < 300


@in_full
def test_dark_and_light_differ(chromium, open_page, out):
    colors = set()
    for scheme in ("light", "dark"):
        page = open_page(chromium, color_scheme=scheme)
        colors.add(page.evaluate("getComputedStyle(document.body).backgroundColor"))
        draw(page, wave(100, 300, 400, 80))
        page.screenshot(path=out / f"{scheme}.png")
    assert len(colors) == 2


@in_full
def test_thousands_of_strokes_do_not_slow_down_frames(chromium, open_page):
    """Many finished strokes are on a layer: a frame costs as much as the growing stroke. The limits are wide, because other
    work shares the machine."""
    a = open_page(chromium)
    path = share(a)
    sender = open_page(chromium, path)
    sender.evaluate(MANY_STROKES)
    until(lambda: a.locator("#summary").text_content(), lambda text: text.startswith("3,000 "), seconds=60)
    a.mouse.move(100, 100)
    a.mouse.down()
    a.evaluate("globalThis.frames_ = []; (function next(t) { frames_.push(t); if (frames_.length < 90) requestAnimationFrame(next); })(performance.now())")
    for step in range(120):
        a.mouse.move(100 + 5 * step, 100 + 3 * step)
    a.mouse.up()
    times = until(lambda: a.evaluate("frames_"), lambda frames: len(frames) == 90, seconds=30)
    gaps = sorted(after - before for before, after in zip(times[1:], times[2:]))
    assert gaps[len(gaps) // 2] < 40, gaps


MANY_STROKES = """async () => {
  const { GroupSession } = await import('/js/sync/groupSession.js');
  const { newKey } = await import('/js/sync/key.js');
  const session = new GroupSession({ id: location.pathname.slice(3), base: new URL('/', location.href) });
  for (let at = 0; at < 3000; at += 1) {
    const id = newKey();
    const [x, y] = [(at * 37) % 900, 80 + (at * 53) % 550];
    const points = Array.from({ length: 12 }, (_, step) => [x + 6 * step, y + 12 * Math.sin(step)]);
    const message = { id, color: at % 11, point: points[11], points, width: 4, tool: 'pen', z: at + 1 };
    const payload = new TextEncoder().encode(JSON.stringify(message));
    session.send({ type: 'UpsertStrokeMessage', payload, reliable: true, retention: 2, key: id, existing: false });
  }
  session.join();
}"""


def test_the_page_has_a_strict_policy(gateway):
    with urllib.request.urlopen(gateway.http) as answer:
        [policy] = answer.headers.get_all("Content-Security-Policy")
        assert "default-src 'none'" in policy and "unsafe" not in policy
        assert answer.headers["Referrer-Policy"] == "no-referrer"
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        html = answer.read().decode()
    # A release has parts inside its markup, and the policy has exactly their hashes.
    for tag in ("script", "style"):
        parts = re.findall(f"<{tag}>(.*?)</{tag}>", html, re.DOTALL)
        hashes = [base64.b64encode(hashlib.sha256(part.encode()).digest()).decode() for part in parts]
        [sources] = re.findall(f"{tag}-src ([^;]*)", policy)
        assert sources.split() == ["'self'", *(f"'sha256-{one}'" for one in hashes)]
        html = re.sub(f"<{tag}>.*?</{tag}>", "", html, flags=re.DOTALL)
    assert " style=" not in html and "<style" not in html and "<script>" not in html and "onclick" not in html
