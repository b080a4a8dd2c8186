"""The acts of a person in a random meeting, by keyboard and mouse. Each act has its own random generator, so that its choices do
not depend on the acts before it. An act returns a text for the log."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random

from board import Point, items, move, pick
from conftest import ready, until
from photos import ORANGE, PLUM, TEAL, photo
from playwright.sync_api import Browser, Error, Locator, Page
from proxy import Proxy
from test_ink import panel

WINDOW = {"viewport": {"width": 1200, "height": 700}}
# The part of the window that no bar covers. Messages may cover the upper part of it.
LEFT, TOP, RIGHT, BOTTOM = 140, 300, 1060, 560
BELOW_MESSAGES = 430
MAX_SHEETS = 4
WORDS = ("boat", "Lake at nine", "milk, bread", "who has a tent?", "no", "¿Quién?", "матч")
# The number and the name of each sheet, and "true" for the shown one.
SHEETS = """() => [...document.querySelectorAll('#sheets [role=tab]')].map((tab) =>
  [tab.dataset.number, tab.textContent, tab.getAttribute('aria-selected')])"""


@dataclass
class Person:
    """A participant whose connections go through a proxy of their own."""

    name: str
    browser: Browser
    page: Page
    proxy: Proxy
    folder: Path


Act = Callable[[Person, Random], str]


def enters(page: Page) -> None:
    """Waits until the page is in its session and has all tools."""
    ready(page)
    page.locator("#note-colors").wait_for(state="attached")
    until(lambda: page.evaluate("drawTogether.me !== null"), seconds=30)


def rests(page: Page) -> None:
    """Closes open panels, and deselects all objects."""
    for _ in range(2):
        page.keyboard.press("Escape")


def place(chance: Random, top: int = TOP) -> Point:
    return chance.randint(LEFT, RIGHT), chance.randint(top, BOTTOM)


def drag(page: Page, *points: Point) -> str:
    """Moves the mouse through these points with its button down."""
    page.mouse.move(*points[0])
    page.mouse.down()
    for point in points[1:]:
        page.mouse.move(*point, steps=5)
    page.mouse.up()
    return f"{points[0]} to {points[-1]}"


def one_of(found: Locator, chance: Random) -> Locator:
    return found.nth(int(chance.random() * found.count()))


# MARK: Drawing


def strokes(person: Person, chance: Random) -> str:
    keys = [chance.choice("pppm"), chance.choice("1234567890"), chance.choice("[]")]
    for key in keys:
        person.page.keyboard.press(key)
    return f"{keys} {drag(person.page, *(place(chance) for _ in range(chance.randint(2, 5))))}"


def shapes(person: Person, chance: Random) -> str:
    page, tool, style = person.page, chance.choice("rola"), ""
    page.keyboard.press(tool)
    if chance.random() < 0.5:
        style = chance.choice(["fill", "dash", "opacity"] if tool in "ro" else ["dash", "opacity"])
        panel(page)
        one_of(page.locator(f"#{style}").get_by_role("radio"), chance).click()
        page.keyboard.press("Escape")
    return f"{tool} {style} {drag(page, place(chance), place(chance))}"


def writes(person: Person, chance: Random) -> str:
    person.page.keyboard.press("t")
    return types(person.page, chance)


def sticks_a_note(person: Person, chance: Random) -> str:
    person.page.keyboard.press("n")
    one_of(person.page.locator("#note-colors").get_by_role("radio"), chance).click()
    return types(person.page, chance)


def types(page: Page, chance: Random) -> str:
    at, words = place(chance, BELOW_MESSAGES), chance.choice(WORDS)
    page.mouse.click(*at)
    page.locator("#writing").wait_for()
    page.keyboard.type(words)
    page.keyboard.press("Escape")
    return f"{words!r} at {at}"


def connects(person: Person, chance: Random) -> str:
    """Draws two boxes, and a line from the edge of one box to the edge of the other."""
    page = person.page
    left, right = chance.randint(LEFT, 400), chance.randint(600, 900)
    top, other_top = chance.randint(TOP, 450), chance.randint(TOP, 450)
    for x, y in ((left, top), (right, other_top)):
        page.keyboard.press("r")
        drag(page, (x, y), (x + 90, y + 60))
    page.keyboard.press(chance.choice("al"))
    return drag(page, (left + 90, top + 30), (right, other_top + 30))


def erases(person: Person, chance: Random) -> str:
    """Erases whole strokes, or parts of strokes."""
    key = chance.choice("ex")
    person.page.keyboard.press(key)
    return f"{key} {drag(person.page, *(place(chance) for _ in range(3)))}"


def undoes(person: Person, chance: Random) -> str:
    keys = ["Control+z"] * chance.randint(1, 3) + ["Control+Shift+z"] * chance.randint(0, 2)
    for key in keys:
        person.page.keyboard.press(key)
    return f"{keys}"


def adds_a_picture(person: Person, chance: Random) -> str:
    name = f"{chance.randrange(10**6)}.png"
    pick(person.page, photo(person.folder, name, chance.choice([ORANGE, TEAL, PLUM]), (160, 120)))
    until(lambda: name in [one["name"] for one in items(person.page)])
    return name


# MARK: Sheets and views


def sheets(page: Page) -> list[list[str]]:
    return page.evaluate(SHEETS)


def show_another_sheet(page: Page, chance: Random) -> str:
    before = sheets(page)
    others = [number for number, _, is_shown in before if is_shown == "false"]
    if not others:
        return "there is one sheet"
    number = chance.choice(others)
    page.locator(f"#sheets [data-number='{number}']").click()
    until(lambda: sheets(page) != before)
    return number


def goes_to_a_sheet(person: Person, chance: Random) -> str:
    return show_another_sheet(person.page, chance)


def adds_a_sheet(person: Person, chance: Random) -> str:
    before = sheets(person.page)
    if len(before) >= MAX_SHEETS:
        return show_another_sheet(person.page, chance)
    person.page.locator("#add-sheet").click()
    until(lambda: sheets(person.page) != before)
    return "a new one"


def looks_elsewhere(person: Person, chance: Random) -> str:
    page, way = person.page, chance.choice(["wheel", "hand", "+", "-", "f", "Shift+Digit0"])
    if way == "wheel":
        page.mouse.move(*place(chance))
        page.mouse.wheel(chance.randint(-300, 300), chance.randint(-300, 300))
    elif way == "hand":
        page.keyboard.press("h")
        drag(page, place(chance), place(chance))
    else:
        page.keyboard.press(way)
    return way


# MARK: People


def follows(person: Person, chance: Random) -> str:
    faces = person.page.locator(".chip:not(.me):not([data-rest])")
    # The person may leave meanwhile.
    with suppress(Error):
        one_of(faces, chance).click(timeout=2_000)
    return ""


def brings_everybody(person: Person, chance: Random) -> str:
    return in_the_panel(person.page, person.page.get_by_role("button", name="Bring everyone here"))


def in_the_panel(page: Page, button: Locator) -> str:
    """Opens the panel of the meeting, and presses one of its buttons, unless the person is offline."""
    page.locator("#together").click()
    if not button.is_enabled():
        return "offline"
    button.click()
    return "online"


def accepts(person: Person, chance: Random) -> str:
    offer = person.page.get_by_role("button", name="Go there").first
    if not offer.is_visible():
        return "nobody asks"
    # The offer may disappear meanwhile.
    with suppress(Error):
        offer.click(timeout=2_000)
    return "goes there"


def points(person: Person, chance: Random) -> str:
    page, way = person.page, chance.choice(["laser", "place", "hand", "reaction"])
    if way == "laser":
        page.keyboard.press("k")
        drag(page, place(chance), place(chance))
    elif way == "reaction":
        return f"{way} {in_the_panel(page, one_of(page.locator('#meeting .reaction-row button'), chance))}"
    else:
        move(page, [place(chance)])
        page.keyboard.press("j" if way == "place" else "w")
    return way


# MARK: Connections


def loses_the_connection(person: Person, chance: Random) -> str:
    """Loses the connection in the middle of a stroke."""
    mouse, through = person.page.mouse, [place(chance) for _ in range(3)]
    person.page.keyboard.press("p")
    mouse.move(*through[0])
    mouse.down()
    mouse.move(*through[1], steps=5)
    person.proxy.cut()
    mouse.move(*through[2], steps=5)
    mouse.up()
    return f"{through}"


def goes_offline(person: Person, chance: Random) -> str:
    """Draws without a connection, until the meeting restores it."""
    person.proxy.refuse()
    return strokes(person, chance)


def reloads(person: Person, chance: Random) -> str:
    person.proxy.mend()
    person.page.reload()
    enters(person.page)
    return ""
