"""Pictures of the product in each of its states, for people to look at: `Tests/Browser/run screenshots.py`.

Light and dark, on a desk and on a phone, into `out/`. The README's is one of them. No part of the tests that run by themselves.
"""

from __future__ import annotations

import pytest
from board import PHONE, are_drawn, choose, draw, items, people, says, sees_people, share
from conftest import ready, until
from playwright.sync_api import Page
from sketch import at, friends, lake, reply

DESK = {"viewport": {"width": 1280, "height": 800}, "device_scale_factor": 2}

# The other participants, without pages of their own.
JOIN = """async ({ id, people }) => {
  const { GroupSession } = await import('/js/sync/groupSession.js');
  const { GroupSessionMessenger } = await import('/js/sync/groupSessionMessenger.js');
  const { newKey } = await import('/js/sync/key.js');
  globalThis.others = [];
  let z = 0;
  for (const { name, color, messages } of people) {
    const session = new GroupSession({ id, base: new URL('/', location.href), profile: { name, color } });
    const told = new Promise((resolve) => session.addEventListener('statechange', resolve));
    session.join();
    await told;
    others.push({ session, messenger: new GroupSessionMessenger(session, { deliveryMode: 'unreliable' }) });
    for (const message of messages) {
      const key = newKey();
      z += 1;
      const payload = new TextEncoder().encode(JSON.stringify({ id: key, z, ...message }));
      session.send({ type: 'UpsertStrokeMessage', payload, reliable: true, retention: 2, key, existing: false });
    }
  }
}"""
POINT = """(points) => others.forEach(({ messenger }, at) =>
  messenger.send({ point: points[at] }, { type: 'CursorMessage' }))"""


def drag(page: Page, start: tuple[float, float], end: tuple[float, float]) -> None:
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move(*end, steps=6)
    page.mouse.up()


def shoot(page: Page, out, name: str) -> None:
    page.screenshot(path=out / f"{name}.png", animations="disabled")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", ["desk", "phone"])
def test_screenshots(chromium, open_page, proxy, problems, out, tmp_path, size, scheme):
    problems.allow("WebSocket", "ERR_", "PATCH", "network")
    is_phone = size == "phone"
    address = f"http://127.0.0.1:{proxy.port}/"
    page = open_page(chromium, address, color_scheme=scheme, **PHONE if is_phone else DESK)
    page.evaluate("localStorage.setItem('drawtogether:name', 'Ada Lindgren'); localStorage.setItem('drawtogether:color', '#7a5af0')")
    page.reload()
    ready(page)

    def shot(name: str) -> None:
        shoot(page, out, f"product-{name}-{size}-{scheme}")

    shot("empty")
    path = share(page)
    others = friends(is_phone)
    helper = open_page(chromium)
    told = [{"name": one.name, "color": one.color, "messages": [line.message() for line in one.lines]} for one in others]
    helper.evaluate(JOIN, {"id": path[2:], "people": told})
    sees_people(page, 5, seconds=20)
    count = sum(len(one.lines) for one in others)
    until(lambda: page.locator("#summary").text_content(), lambda text: text.startswith(f"{count} "), seconds=20)

    # The photo is moved while it is being uploaded.
    lake((2400, 1600)).save(tmp_path / "lake.jpg", quality=97)
    proxy.bytes_per_second = 60_000
    page.bring_to_front()
    with page.expect_file_chooser() as chooser:
        page.keyboard.press("i")
    chooser.value.set_files(tmp_path / "lake.jpg")
    until(lambda: items(page) and items(page)[0]["isDrawn"])
    photo = items(page)[0]
    corner = (photo["x"] + photo["width"] / 2, photo["y"] + photo["height"] / 2)
    goal = ((300, 650), 132) if is_phone else ((1078, 524), 336)
    # First resized by its corner, then moved.
    drag(page, corner, (corner[0] + goal[1] - photo["width"], corner[1] + (goal[1] - photo["width"]) * 2 / 3))
    photo = items(page)[0]
    drag(page, (photo["x"], photo["y"]), goal[0])
    page.mouse.move(640, 700)
    until(lambda: page.locator(".toast").count() == 0, seconds=30)
    until(lambda: items(page)[0]["offset"] / items(page)[0]["size"] > 0.4, seconds=30)

    def point() -> None:
        helper.evaluate(POINT, [list(one.cursor) for one in others])
        until(lambda: page.locator(".cursor:not([data-idle])").count(), lambda shown: shown == 4)

    point()
    shot("upload")
    proxy.bytes_per_second = None
    are_drawn(page, "lake.jpg")
    page.keyboard.press("Escape")
    page.keyboard.press("p")
    point()
    shot("five")
    page.locator("#share").click()
    page.locator("#share-dialog").wait_for()
    shot("invitation")
    page.keyboard.press("Escape")

    proxy.refuse()
    says(page, "#banner", "Reconnecting", seconds=30)
    words = at(*((50, 660, 0.8) if is_phone else (560, 640, 1)), reply())
    page.keyboard.press("[")
    for one in words:
        draw(page, one.points)
    says(page, "#banner", f"{len(words)} strokes")
    shot("reconnecting")
    proxy.mend()
    page.locator("#banner-action").click()
    until(lambda: len(people(page)) == 5 and page.locator("#banner").is_hidden(), seconds=30)
    choose(page, "end")
    page.locator("#confirm-ok").click()
    says(page, "#ended-bar", "This session has ended.")
    shot("ended")
