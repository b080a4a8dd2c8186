"""SVG files and animations as pictures, and the previews that others see during an upload."""

from __future__ import annotations

from board import COLOR, all_hold_the_same, appear, are_drawn, image, item, items, pick, row, sees_color, sees_items, share
from conftest import both, both_in_full, in_full, ready, until
from hostile import SCRIPT
from journal import Journal
from photos import ORANGE, PLUM, TEAL, photo
from PIL import Image

NS = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'


def svg(path, content: str, attributes: str = 'width="300" height="200"'):
    path.write_text(f'<?xml version="1.0"?>\n<svg {NS} {attributes}>{content}</svg>')
    return path


def rgb(color) -> str:
    return f"rgb({', '.join(map(str, color))})"


@both_in_full
def test_an_svg_is_a_picture_for_everybody(browser, open_page, tmp_path, out):
    a = open_page(browser)
    path = share(a)
    b = open_page(browser, path)
    # The style sheet inside it applies, too.
    style = f"<style>.b {{ fill: {rgb(TEAL)} }}</style>"
    content = f'{style}<rect width="300" height="200" fill="{rgb(ORANGE)}"/><rect class="b" x="150" width="150" height="200"/>'
    pick(a, svg(tmp_path / "sketch.svg", content))
    for page in (a, b):
        are_drawn(page, "sketch.svg")
        found = item(page, "sketch.svg")
        assert (found["isPicture"], found["width"], found["height"]) == (True, 300, 200)
        sees_color(page, found["x"] - 70, found["y"], ORANGE)
        sees_color(page, found["x"] + 70, found["y"], TEAL)
    all_hold_the_same(a, b)
    b.screenshot(path=out / f"svg-{browser.browser_type.name}.png")


@in_full
@both
def test_an_svg_is_sharp_at_every_zoom(browser, open_page, tmp_path):
    a = open_page(browser)
    lines = "".join(f'<rect x="{at}" width="0.5" height="20"/>' for at in range(20))
    pick(a, svg(tmp_path / "lines.svg", lines, 'width="20" height="20"'))
    appear(a, "lines.svg")
    a.keyboard.press("Escape")
    for _ in range(12):
        a.keyboard.press("+")
    # Black and white lines are side by side, and only a few pixels between them are gray.
    def is_sharp() -> bool:
        middle = image(a).convert("RGBA").crop((470, 345, 530, 355))
        on_white = Image.alpha_composite(Image.new("RGBA", middle.size, "white"), middle).convert("L")
        values = list(on_white.getdata())
        return min(values) < 20 and max(values) > 235 and sum(40 < value < 215 for value in values) < len(values) / 3

    until(is_sharp)


@in_full
@both
def test_an_svg_without_a_size_and_one_with_a_huge_one_are_pictures(browser, open_page, tmp_path):
    a = open_page(browser)
    shape = f'<rect width="100%" height="100%" fill="{rgb(PLUM)}"/>'
    pick(
        a,
        svg(tmp_path / "none.svg", shape, ""),
        svg(tmp_path / "box.svg", shape, 'viewBox="0 0 400 100"'),
        svg(tmp_path / "part.svg", shape, 'width="100%" height="100%" viewBox="0 0 100 100" style="width: 100%; height: 100%"'),
        svg(tmp_path / "huge.svg", shape, 'width="4000000" height="1000000"'),
    )
    names = ("none.svg", "box.svg", "part.svg", "huge.svg")
    appear(a, *names)
    for name, ratio in zip(names, (2, 4, 1, 4)):
        found = item(a, name)
        assert found["isPicture"] and abs(found["width"] / found["height"] - ratio) < 0.01, found
        sees_color(a, found["x"], found["y"], PLUM)


@both_in_full
def test_nothing_in_an_svg_runs_or_is_loaded(browser, open_page, tmp_path, gateway):
    a = open_page(browser)
    asked = []
    a.context.on("request", lambda request: asked.append(request.url))
    script = SCRIPT.replace("NAME", "svg")
    content = (
        f'<script>//<![CDATA[\n{script}\n//]]></script><rect width="300" height="200" fill="{rgb(TEAL)}" onload="0"/>'
        f'<image href="/?ran=image" width="9" height="9"/><use xlink:href="/?ran=use#a"/>'
        f'<style>@font-face {{ font-family: f; src: url("/?ran=font"); }} text {{ font-family: f; }}</style><text y="99">A</text>'
        '<animate attributeName="href" values="javascript:1" />'
    )
    pick(a, svg(tmp_path / "hostile.svg", content))
    appear(a, "hostile.svg")
    found = item(a, "hostile.svg")
    sees_color(a, found["x"], found["y"], TEAL)
    assert not [url for url in asked if "ran=" in url]
    assert a.evaluate("[globalThis.reached, localStorage.getItem('svg')].filter(Boolean)") == []


@in_full
@both
def test_damaged_and_hostile_svgs_are_files(browser, open_page, tmp_path, gateway):
    a = open_page(browser)
    path = share(a)
    b = open_page(browser, path)
    uses = [f'<use href="#a{at + 1}"/>' * 10 for at in range(30)]
    chain = "".join(f'<g id="a{at}">{use}</g>' for at, use in enumerate(uses))
    (tmp_path / "damaged.svg").write_text(f"<svg {NS}><g></svg>")
    pick(a, svg(tmp_path / "bomb.svg", f'{chain}<use href="#a0"/>'), tmp_path / "damaged.svg")
    # A client may claim any type.
    Journal(gateway.http, path[2:]).add("claimed.svg", "image/svg+xml", (tmp_path / "bomb.svg").read_bytes())
    for page in (a, b):
        are_drawn(page, "bomb.svg", "claimed.svg", "damaged.svg")
        assert [one["isPicture"] for one in items(page)] == [False] * 3


def frames(path, *colors):
    pictures = [Image.new("RGB", (200, 150), color) for color in colors]
    pictures[0].save(path, save_all=True, append_images=pictures[1:], duration=80, loop=0)
    return path


def sees_colors(page, name, *colors) -> None:
    """Waits until the center of an item has shown each of these colors."""
    found = item(page, name)
    for color in colors:
        sees_color(page, found["x"], found["y"], color)


def can_animate(page) -> bool:
    return page.evaluate("'ImageDecoder' in globalThis")


@both_in_full
def test_an_animated_gif_moves_until_it_is_paused(browser, open_page, tmp_path):
    a = open_page(browser)
    pick(a, frames(tmp_path / "party.gif", ORANGE, TEAL, PLUM))
    appear(a, "party.gif")
    if not can_animate(a):
        sees_colors(a, "party.gif", ORANGE)
        return
    # The second round shows that the animation repeats.
    sees_colors(a, "party.gif", TEAL, PLUM, ORANGE, TEAL)
    row(a, "party.gif").get_by_role("button", name="Pause the animation").click()
    row(a, "party.gif").get_by_role("button", name="Play the animation").wait_for()
    before = until(lambda: middle(a, "party.gif"), lambda color: color == middle(a, "party.gif"))
    # Another animation keeps moving.
    pick(a, frames(tmp_path / "other.gif", TEAL, PLUM))
    appear(a, "party.gif", "other.gif")
    sees_colors(a, "other.gif", PLUM, TEAL, PLUM, TEAL)
    assert middle(a, "party.gif") == before
    row(a, "party.gif").get_by_role("button", name="Picture party.gif").evaluate("(grip) => grip.click()")
    row(a, "party.gif").get_by_role("button", name="Play the animation").click()
    sees_colors(a, "party.gif", ORANGE, TEAL, PLUM)
    # Others see it move, too.
    b = open_page(browser, share(a))
    are_drawn(b, "party.gif", "other.gif")
    sees_colors(b, "party.gif", TEAL, PLUM, ORANGE)


def middle(page, name) -> list[int]:
    found = item(page, name)
    return page.evaluate(COLOR, [found["x"], found["y"]])


# Counts the decoders of animations that the page opens: one for each round.
COUNT = """
globalThis.opened = 0;
if (globalThis.ImageDecoder) {
  globalThis.ImageDecoder = class extends ImageDecoder {
    constructor(options) {
      super(options);
      if (options.preferAnimation) opened += 1;
    }
  };
}
"""


@in_full
@both
def test_an_animated_gif_is_still_under_reduced_motion(browser, unopened_page, base, tmp_path):
    for motion, opened in (("reduce", False), ("no-preference", True)):
        page = unopened_page(browser, reduced_motion=motion)
        page.add_init_script(COUNT)
        page.goto(base)
        ready(page)
        pick(page, frames(tmp_path / "party.gif", ORANGE, TEAL))
        appear(page, "party.gif")
        if opened and can_animate(page):
            sees_colors(page, "party.gif", TEAL, ORANGE)
            assert page.evaluate("opened") > 0
            continue
        sees_colors(page, "party.gif", ORANGE)
        page.keyboard.press("+")
        until(lambda page=page: page.evaluate("drawTogether.isSettled"))
        assert page.evaluate("opened") == 0
        assert row(page, "party.gif").get_by_role("button", name="animation").count() == 0


@both_in_full
def test_others_see_a_preview_during_the_upload(browser, open_page, proxy, gateway, problems, tmp_path, out):
    # The proxy may close before the pages.
    problems.allow("WebSocket", "ERR_", "NS_ERROR")
    a = open_page(browser, f"http://127.0.0.1:{proxy.port}/")
    path = share(a)
    b = open_page(browser, gateway.http + path)
    proxy.bytes_per_second = 100_000
    pick(a, photo(tmp_path, "wall.png", TEAL, (1400, 1000)))
    sees_items(b, "wall.png")
    found = item(b, "wall.png")
    sees_color(b, found["x"], found["y"] - found["height"] / 4, TEAL)
    assert item(b, "wall.png")["state"] == "uploading" and not item(b, "wall.png")["isDrawn"]
    b.screenshot(path=out / f"preview-{browser.browser_type.name}.png")
    (listed,) = Journal(gateway.http, path[2:]).list()
    assert 100 < len(listed["metadata"]["preview"]) <= 1024
    proxy.bytes_per_second = None
    for page in (a, b):
        are_drawn(page, "wall.png")
