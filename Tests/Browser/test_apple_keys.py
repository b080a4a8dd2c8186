"""On a Mac, the Command key has the role of the Control key, in the texts and in the page's behavior."""

from __future__ import annotations

from board import choose, draw, line, says, sees_ink, sees_paper
from conftest import both, both_in_full, in_full, ready, until

PLATFORM = "Object.defineProperty(navigator, 'platform', { get: () => '%s' })"
SELECTED = "drawTogether.shapes().filter(({ isSelected }) => isSelected).length"


def open_on(unopened_page, base, browser, platform: str, **options):
    page = unopened_page(browser, **options)
    page.add_init_script(PLATFORM % platform)
    page.goto(base)
    ready(page)
    return page


@both_in_full
def test_keys_and_texts_on_a_mac(browser, unopened_page, base):
    page = open_on(unopened_page, base, browser, "MacIntel")
    until(lambda: page.locator("#undo").get_attribute("title"), lambda title: title == "Undo (⌘Z)")
    assert page.locator("#redo").get_attribute("title") == "Redo (⇧⌘Z)"
    assert page.locator("#chosen-bar [title^=Duplicate]").get_attribute("title") == "Duplicate (⌘D)"
    draw(page, line(100, 250, 300, 250))
    sees_ink(page, 200, 250)
    # On a Mac, the system uses Control. So Control with a letter neither undoes nor chooses the letter's tool.
    page.keyboard.press("Control+z")
    page.keyboard.press("Control+e")
    sees_ink(page, 200, 250)
    assert page.locator("[data-tool=pen]").get_attribute("aria-pressed") == "true"
    page.keyboard.press("Meta+a")
    assert page.evaluate(SELECTED) == 1
    page.keyboard.press("Meta+z")
    sees_paper(page, 200, 250)
    page.keyboard.press("Meta+Shift+z")
    sees_ink(page, 200, 250)
    choose(page, "keys")
    says(page, "#keys-dialog", "⌘Z")
    told = page.locator("#keys-dialog").inner_text()
    assert "Ctrl" not in told and "⌘A" in told and "⌫" in told and "⌥" in told


@in_full
@both
def test_elsewhere_control_is_the_modifier(browser, unopened_page, base):
    page = open_on(unopened_page, base, browser, "Win32", locale="de-DE")
    assert page.locator("#undo").get_attribute("title") == "Rückgängig machen (Strg+Z)"
    draw(page, line(100, 250, 300, 250))
    page.keyboard.press("Meta+z")
    page.keyboard.press("Meta+e")
    sees_ink(page, 200, 250)
    page.keyboard.press("Control+z")
    sees_paper(page, 200, 250)


@in_full
def test_the_list_of_keys_needs_a_keyboard(chromium, open_page):
    page = open_page(chromium, viewport={"width": 390, "height": 844}, is_mobile=True, has_touch=True)
    page.locator("#more").click()
    page.locator("#language").wait_for()
    page.locator("#keys").wait_for(state="hidden")
    # A pressed key shows that the device has a keyboard.
    page.keyboard.press("ArrowDown")
    page.locator("#keys").wait_for()
