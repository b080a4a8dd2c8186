"""The identity of people: distinct colors, the question for a name, and the author of an object."""

from __future__ import annotations

import json
from itertools import combinations

from axe_playwright_python.sync_playwright import Axe
from board import PHONE, Fingers, draw, line, people, sees_ink, sees_people, share
from conftest import both_in_full, in_full, open_in, until

WISH = "localStorage.setItem('drawtogether:color', '#e5484d')"
NOTE, LABEL = ".name-note", ".author-label"


def are_distinct(colors: list[str]) -> bool:
    return all(distance(one, other) >= 0.15 for one, other in combinations(colors, 2))


def given_color(page) -> str:
    return page.evaluate("drawTogether.me.color")


def own_color(page) -> str:
    """Returns the color of this person's own face."""
    return page.locator(".chip.me").evaluate("(chip) => chip.style.getPropertyValue('--own')")


def oklab(rgb: str) -> tuple[float, ...]:
    channels = [int(rgb[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    long = (0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue) ** (1 / 3)
    middle = (0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue) ** (1 / 3)
    short = (0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue) ** (1 / 3)
    return (
        0.2104542553 * long + 0.7936177850 * middle - 0.0040720468 * short,
        1.9779984951 * long - 2.4285922050 * middle + 0.4505937099 * short,
        0.0259040371 * long + 0.7827717662 * middle - 0.8086757660 * short,
    )


def distance(one: str, other: str) -> float:
    return sum((a - b) ** 2 for a, b in zip(oklab(one), oklab(other), strict=True)) ** 0.5


@in_full
def test_eight_people_with_one_favorite_color_do_not_look_alike(chromium, firefox, open_page, problems, out):
    first = open_page(chromium)
    first.evaluate(WISH)
    first.reload()
    path = share(first)
    pages = [first]
    for index in range(1, 8):
        page = open_page(firefox if index == 4 else chromium)
        page.evaluate(WISH)
        page.goto(f"{page.url.rstrip('/')}/{path}")
        pages.append(page)
    for page in pages:
        sees_people(page, 8, seconds=20)
    present = until(lambda: [given_color(page) for page in pages], are_distinct)
    assert "#e5484d" in present
    until(lambda: [own_color(page) for page in pages], lambda own: own == present)
    # A second tab is the same person, and a reload keeps the color.
    tab = open_in(pages[5].context, pages[5].url, problems)
    sees_people(tab, 9)
    until(lambda: own_color(tab), lambda color: color == present[5])
    assert tab.locator(".chip.me").count() == 1
    pages[3].reload()
    until(lambda: own_color(pages[3]), lambda color: color == present[3])
    first.screenshot(path=out / "identity-eight.png")


@both_in_full
def test_a_person_who_opens_a_link_is_asked_for_a_name_once_and_can_draw_meanwhile(browser, open_page, problems, out):
    a = open_page(browser)
    path = share(a)
    assert a.locator(NOTE).count() == 0
    dark = {"color_scheme": "dark"} if browser.browser_type.name == "chromium" else {}
    b = open_page(browser, path, reduced_motion="reduce", **dark)
    b.locator(NOTE).wait_for()
    me = b.evaluate("drawTogether.me.name")
    assert f"You are {me}" in b.locator(NOTE).inner_text()
    assert b.evaluate("document.activeElement.closest('.name-note')") is None
    draw(b, line(100, 200, 300, 200))
    sees_ink(a, 200, 200)
    b.screenshot(path=out / f"identity-name-{browser.browser_type.name}.png")
    b.locator(NOTE).get_by_role("button", name="Change").click()
    b.locator("#name").fill("Ada")
    b.keyboard.press("Enter")
    until(lambda: "Ada" in people(a))
    assert b.locator(NOTE).count() == 0
    tab = open_in(b.context, b.url, problems)
    sees_people(tab, 3)
    draw(tab, line(100, 300, 300, 300))
    sees_ink(a, 200, 300)
    assert tab.locator(NOTE).count() == 0


@in_full
def test_the_name_can_be_left_as_it_is(chromium, open_page):
    a = open_page(chromium)
    path = share(a)
    b = open_page(chromium, path, **PHONE)
    note = b.locator(NOTE)
    note.wait_for()
    box = note.bounding_box() or {}
    assert box["x"] >= 0 and box["x"] + box["width"] <= PHONE["viewport"]["width"]
    note.get_by_role("button", name="Close").click()
    until(lambda: note.count() == 0)
    b.reload()
    sees_people(b, 2)
    b.locator("html[data-ready]").wait_for()
    assert note.count() == 0


@both_in_full
def test_hovering_over_ink_shows_its_author_and_time(browser, open_page, out):
    a = open_page(browser)
    path = share(a)
    b = open_page(browser, path)
    draw(a, line(100, 200, 400, 200))
    draw(b, line(100, 300, 400, 300))
    for page in (a, b):
        sees_ink(page, 250, 200)
        sees_ink(page, 250, 300)
    name = a.evaluate("drawTogether.me.name")

    def shows(page, *texts: str) -> None:
        until(lambda: page.locator(LABEL).all_inner_texts(), lambda shown: len(shown) == 1 and all(t in shown[0] for t in texts))

    # With the pen, no label appears.
    b.mouse.move(250, 201)
    b.keyboard.press("v")
    b.mouse.move(250, 300)
    shows(b, "You · ", ":")
    b.mouse.move(250, 200)
    shows(b, f"{name} · ", ":")
    b.screenshot(path=out / f"identity-author-{browser.browser_type.name}.png")
    b.mouse.move(600, 500)
    until(lambda: b.locator(LABEL).count() == 0)
    b.keyboard.press("h")
    b.mouse.move(250, 200)
    shows(b, name)
    b.keyboard.press("Escape")
    until(lambda: b.locator(LABEL).count() == 0)

    # A moved object keeps its author, and also names the person who moved it.
    b.keyboard.press("v")
    b.mouse.click(250, 200)
    for _ in range(10):
        b.keyboard.press("Shift+ArrowDown" if _ == 0 else "ArrowRight")
    sees_ink(a, 250, 264)
    a.keyboard.press("v")
    a.mouse.move(250, 264)
    shows(a, "You · ", f"changed by {b.evaluate('drawTogether.me.name')}")
    # The label appears again after a change under the resting pointer.
    a.locator(LABEL).evaluate("(label) => (label.className += ' first')")
    b.keyboard.press("ArrowRight")
    until(lambda: a.locator(f"{LABEL}:not(.first)").count() == 1)
    shows(a, "You · ", "changed by ")
    # A newcomer sees the same, also after the author has left.
    a.context.close()
    late = open_page(browser, path)
    sees_ink(late, 250, 264)
    late.keyboard.press("v")
    late.mouse.move(250, 264)
    shows(late, "changed by ")


@in_full
def test_the_selected_object_shows_its_author_to_the_keyboard(chromium, open_page):
    a = open_page(chromium, reduced_motion="reduce", color_scheme="dark")
    path = share(a)
    b = open_page(chromium, path)
    sees_people(a, 2)
    draw(b, line(100, 200, 400, 200))
    sees_ink(a, 250, 200)
    name = b.evaluate("drawTogether.me.name")
    a.keyboard.press(".")
    until(lambda: a.locator(LABEL).all_inner_texts(), lambda shown: len(shown) == 1 and shown[0].startswith(f"{name} · "))
    until(lambda: a.locator("#live").inner_text(), lambda text: text.startswith(f"{name} · "))
    found = Axe().run(a).response["violations"]
    assert not found, json.dumps([(one["id"], [node["html"] for node in one["nodes"]]) for one in found], indent=1)
    a.keyboard.press("Escape")
    until(lambda: a.locator(LABEL).count() == 0)


@in_full
def test_a_held_finger_shows_the_author(chromium, open_page, out):
    a = open_page(chromium)
    path = share(a)
    draw(a, line(60, 300, 330, 300))
    b = open_page(chromium, path, **PHONE)
    b.locator(NOTE).get_by_role("button", name="Close").click()
    b.keyboard.press("v")
    places = b.evaluate("drawTogether.shapes().map(({ left, top, right, bottom }) => [left, top, right, bottom])")
    until(lambda: b.evaluate("drawTogether.isSettled"))
    assert len(places) == 1
    finger = Fingers(b)
    # The page shows the whole picture, so the line is where the ink is.
    row = next(y for y in range(100, 500) if b.evaluate(
        "([x, y]) => { const c = document.getElementById('canvas'); const r = c.width / c.clientWidth;"
        " return c.getContext('2d').getImageData(x * r, y * r, 1, 1).data[3] > 0; }", [180, y]))
    finger.down((180, row + 1))
    until(lambda: b.locator(LABEL).count() == 1)
    assert a.evaluate("drawTogether.me.name") in b.locator(LABEL).inner_text()
    b.screenshot(path=out / "identity-finger.png")
    finger.up()
