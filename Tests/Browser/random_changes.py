"""The changes that a person in a random meeting makes to selected objects, by keyboard and mouse."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from board import Point
from conftest import until
from playwright.sync_api import Locator, Page
from random_acts import BOTTOM, LEFT, RIGHT, TOP, Person, drag, one_of, place, show_another_sheet

# The maximum number of selected objects that are copied. Without it, a meeting would end with thousands of objects.
MAX_COPIED = 12
SELECTED = "[...drawTogether.shapes(), ...drawTogether.pictures].filter(({ isSelected }) => isSelected).length"
ARROWS = ("ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown")


def changes(person: Person, chance: Random) -> str:
    """Selects the objects in a random box, or all objects of the sheet if the box is empty, and changes them."""
    page = person.page
    page.keyboard.press("v")
    drag(page, place(chance), place(chance))
    if not page.evaluate(SELECTED):
        page.keyboard.press("Control+a")
    count = page.evaluate(SELECTED)
    if count == 0:
        return "nothing there"
    # Another person may remove the objects meanwhile.
    until(lambda: page.locator("#chosen").is_visible() or page.evaluate(SELECTED) == 0)
    change = chance.choice([copy for copy in CHANGES if count <= MAX_COPIED or copy not in COPIES])
    change(page, chance)
    return f"{count} {change.__name__}"


def unlocks(person: Person, chance: Random) -> str:
    page = person.page
    page.keyboard.press("v")
    page.keyboard.press("Shift+L")
    if not page.locator("#lock-bar").is_visible():
        return "nothing there"
    page.keyboard.press("Enter")
    return "all in view"


def moved(page: Page, chance: Random) -> None:
    for _ in range(chance.randint(1, 3)):
        page.keyboard.press(chance.choice(["Shift+", ""]) + chance.choice(ARROWS))


def dragged(page: Page, chance: Random) -> None:
    """Drags the objects by the mouse, or moves them by keys if a bar may cover their center."""
    if grip := reach(page.locator("#chosen")):
        drag(page, grip, place(chance))
    else:
        moved(page, chance)


def resized(page: Page, chance: Random) -> None:
    for _ in range(chance.randint(1, 3)):
        page.keyboard.press(chance.choice(["Control+ArrowUp", "Control+ArrowDown"]))


def rotated(page: Page, chance: Random) -> None:
    """Rotates them by their handle, if it is in reach."""
    if grip := reach(page.locator("#chosen .turn")):
        drag(page, grip, place(chance))
    else:
        page.keyboard.press(chance.choice(["Control+ArrowLeft", "Control+Shift+ArrowRight"]))


def aligned(page: Page, chance: Random) -> None:
    opener = page.get_by_role("button", name="Align and distribute")
    # A single object is not aligned.
    if opener.is_visible():
        # The keys are used because messages may cover the bar.
        opener.press("Enter")
        page.locator("#arrange").wait_for()
        one_of(page.locator("#arrange button:enabled"), chance).press("Enter")


def colored(page: Page, chance: Random) -> None:
    page.keyboard.press(chance.choice("1234567890"))


def locked(page: Page, chance: Random) -> None:
    page.keyboard.press("Shift+L")


def sent_to_the_back(page: Page, chance: Random) -> None:
    page.keyboard.press("PageDown")


def brought_to_the_front(page: Page, chance: Random) -> None:
    page.keyboard.press("PageUp")


def duplicated(page: Page, chance: Random) -> None:
    page.keyboard.press("Control+d")


def copied(page: Page, chance: Random) -> None:
    page.keyboard.press("Control+c")
    if chance.random() < 0.4:
        show_another_sheet(page, chance)
    page.mouse.move(*place(chance))
    page.keyboard.press("Control+v")


def removed(page: Page, chance: Random) -> None:
    page.keyboard.press("Delete")
    # The page asks for confirmation if these are all objects of the sheet, and include the work of others.
    if page.locator("#confirm-ok").is_visible():
        page.locator("#confirm-ok").click()


COPIES = (duplicated, copied)
CHANGES: tuple[Callable[[Page, Random], None], ...] = (
    *COPIES, moved, dragged, dragged, resized, rotated, rotated, aligned, aligned, colored, locked, sent_to_the_back,
    brought_to_the_front, removed,
)  # fmt: skip


def reach(shown: Locator) -> Point | None:
    """Returns the center of an element on the canvas; None if a bar may cover the center."""
    box = shown.bounding_box() if shown.is_visible() else None
    if box is None:
        return None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    return (x, y) if LEFT <= x <= RIGHT and TOP <= y <= BOTTOM else None
