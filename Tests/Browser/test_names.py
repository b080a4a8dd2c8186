"""Names of people, in any script, in faces and lists; and red buttons for actions that cannot be undone."""

from __future__ import annotations

from board import choose, draw, line, open_people, says, sees_people, share
from conftest import both, both_in_full, in_full, until

# True if each word of the element is in one line.
WHOLE_WORDS = """(one) => {
  const [text] = one.childNodes;
  return [...text.data.matchAll(/\\S+/g)].every(({ index, 0: word }) => {
    const range = document.createRange();
    range.setStart(text, index);
    range.setEnd(text, index + word.length);
    return range.getClientRects().length === 1;
  });
}"""


def called(page, name: str) -> None:
    page.locator("#people .me").click()
    page.locator("#name").fill(name)
    page.keyboard.press("Enter")


@both_in_full
def test_names_are_shown_as_a_whole_and_states_do_not_break(browser, open_page, out):
    a = open_page(browser, viewport={"width": 360, "height": 640})
    path = share(a)
    called(a, "Mallory <b>")
    until(lambda: a.locator("#people .me").inner_text(), lambda text: text == "M")
    b = open_page(browser, path)
    called(b, "Bartholomäusvonundzuhohenlohewaldenburgschillingsfürstundweiter")
    sees_people(a, 2)
    until(lambda: a.locator("#people .chip").first.inner_text(), lambda text: text == "B")
    draw(b, line(60, 250, 250, 250))
    open_people(a)
    says(a, "#people-list", "drawing now")
    a.screenshot(path=out / f"long-name-{browser.browser_type.name}.png")
    for state in a.locator("#people-list small").all():
        assert state.evaluate(WHOLE_WORDS), state.inner_text()
    assert a.locator("#people-dialog").evaluate("(one) => one.scrollWidth <= one.clientWidth")


@in_full
@both
def test_the_button_that_ends_for_all_is_red(browser, open_page):
    page = open_page(browser)
    draw(page, line(100, 250, 300, 250))
    color = "getComputedStyle(document.getElementById('confirm-ok')).backgroundColor"
    red, accent = "rgb(192, 48, 58)", "rgb(68, 83, 214)"
    choose(page, "clear")
    page.locator("#confirm-ok").wait_for()
    # The drawing stays on this device.
    assert page.evaluate(color) == accent
    page.keyboard.press("Escape")
    share(page)
    for name, expected in {"clear": accent, "leave": accent, "end": red}.items():
        choose(page, name)
        page.locator("#confirm-ok").wait_for()
        page.mouse.move(0, 0)
        assert page.evaluate(color) == expected, name
        page.keyboard.press("Escape")
