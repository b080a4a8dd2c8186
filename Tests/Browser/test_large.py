"""Thousands of strokes: painted on tiles by a worker, in the right order, and the same for all participants."""

from __future__ import annotations

from board import all_hold_the_same, are_drawn, draw, image, line, picture, sees_color, share
from PIL import ImageChops, ImageStat
from conftest import both, in_full, until
from photos import TEAL, drop, photo

RED, BLUE = (229, 72, 77), (0, 144, 255)

# Sends strokes, and one as broad as a band, through the middle of the page.
CROWD = """async ([first, rgb]) => {
  const { GroupSession } = await import('/js/sync/groupSession.js');
  const { newKey } = await import('/js/sync/key.js');
  const session = globalThis.crowd_ ??= new GroupSession({ id: location.pathname.slice(3), base: new URL('/', location.href) });
  const say = (id, points, width, rgb, z) => {
    const message = { id, color: z % 11, point: points.at(-1), points, width, tool: 'pen', rgb, z };
    const payload = new TextEncoder().encode(JSON.stringify(message));
    session.send({ type: 'UpsertStrokeMessage', payload, reliable: true, retention: 2, key: id, existing: false });
  };
  for (let at = 0; at < 1500; at += 1) {
    const [x, y] = [20 + (at * 37) % 880, 30 + (at % 2) * 460 + (at * 53) % 120];
    say(newKey(), Array.from({ length: 12 }, (_, step) => [x + 6 * step, y + 9 * Math.sin(step)]), 1 + at % 4, undefined, first + at);
  }
  say(newKey(), [[100, 350], [300, 352], [500, 348], [700, 350], [900, 350]].map(([x, y]) => first === 1 ? [x, y - 60] : [x, y + 60]), 60, rgb, first + 1500);
  session.join();
}"""


def is_settled(*pages) -> None:
    for page in pages:
        until(lambda page=page: page.evaluate("drawTogether.isSettled"), seconds=60)


def counts(page, text: str) -> None:
    until(lambda: page.locator("#summary").text_content(), lambda told: told.startswith(text), seconds=60)


def alike(a, b) -> None:
    """Checks that both pages are equal where strokes are; each browser scales pictures in its own way."""
    one, other = (picture(page) and image(page) for page in (a, b))
    assert max(ImageStat.Stat(ImageChops.difference(one, other)).mean) < 0.5
    strip = (0, 0, 200, one.height)
    assert one.crop(strip).tobytes() == other.crop(strip).tobytes()


@in_full
@both
def test_thousands_of_strokes_have_the_same_order_for_everyone(browser, open_page, tmp_path, out):
    a = open_page(browser)
    path = share(a)
    sender = open_page(browser, path)
    sender.evaluate(CROWD, [1, "#e5484d"])
    counts(a, "1,501 ")
    drop(a, (500, 350), photo(tmp_path, "sea.jpg", TEAL, (1000, 800)))
    are_drawn(a, "sea.jpg")
    a.keyboard.press("Escape")
    # By their z order above the picture, and closer than the present drawing.
    sender.evaluate(CROWD, [100_000, "#0090ff"])
    counts(a, "3,002 ")
    b = open_page(browser, path)
    counts(b, "3,002 ")
    are_drawn(b, "sea.jpg")
    for page in (a, b):
        is_settled(page)
        page.screenshot(path=out / "large.png")
        sees_color(page, 150, 290, RED)
        sees_color(page, 500, 410, BLUE)
        sees_color(page, 500, 330, TEAL, slack=60)
        sees_color(page, 500, 300, TEAL, slack=60)
    all_hold_the_same(a, b)
    alike(a, b)

    a.keyboard.press("e")
    a.mouse.click(500, 410)
    for page in (a, b):
        counts(page, "3,001 ")
        sees_color(page, 500, 410, TEAL, slack=60)
        is_settled(page)
    alike(a, b)
    mended = picture(a)
    b.keyboard.press("p")
    draw(b, line(420, 330, 580, 330))
    for page in (a, b):
        counts(page, "3,002 ")
        is_settled(page)
    assert picture(a) != mended
    alike(a, b)
