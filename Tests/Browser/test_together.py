"""Several browsers with one picture."""

from __future__ import annotations

from board import (
    address, all_hold_the_same, choose, draw, has_ink, line, move, open_people, path_of, people, picture, says,
    sees_ink, sees_paper, sees_people, share, wave,
)
from conftest import both_in_full, in_full, open_in, until


def test_three_browsers_see_each_other_draw_and_a_fourth_joins_late(chromium, firefox, open_page, out):
    a = open_page(chromium)
    draw(a, line(100, 150, 300, 150))
    path = share(a)
    assert f"/{path}" in address(a)
    b, c = open_page(chromium, path), open_page(firefox, path)
    for page in (a, b, c):
        sees_people(page, 3)
        sees_ink(page, 200, 150)

    # While the pen is down, the others see the growing stroke.
    for drawer, y in ((a, 250), (b, 350), (c, 450)):
        drawer.mouse.move(100, y)
        drawer.mouse.down()
        move(drawer, line(100, y, 400, y))
        for other in (a, b, c):
            sees_ink(other, 250, y)
        assert not has_ink(b if drawer is a else a, 550, y)
        move(drawer, line(400, y, 600, y))
        drawer.mouse.up()
        for other in (a, b, c):
            sees_ink(other, 500, y)

    late = open_page(firefox, path)
    sees_people(late, 4)
    all_hold_the_same(a, b, c, late)
    for y in (150, 250, 350, 450):
        sees_ink(late, 200, y)
    assert picture(a) == picture(b)
    assert picture(c) == picture(late)
    for name, page in (("chromium", a), ("firefox", c)):
        page.screenshot(path=out / f"together-{name}.png")


@in_full
def test_concurrent_drawing_gives_equal_pictures(chromium, firefox, open_page):
    a = open_page(chromium)
    path = share(a)
    pages = [a, open_page(chromium, path), open_page(firefox, path)]
    for page in pages:
        sees_people(page, 3)
    for turn in range(4):
        for index, page in enumerate(pages):
            page.mouse.move(60 + 40 * turn, 120 + 150 * index)
            page.mouse.down()
        for step in range(1, 20):
            for index, page in enumerate(pages):
                page.mouse.move(60 + 40 * turn + 30 * step, 120 + 150 * index + 9 * step)
        for page in pages:
            page.mouse.up()
    all_hold_the_same(*pages)
    # The last strokes may still have been in transit then.
    until(lambda: picture(pages[0]) == picture(pages[1]))


def test_undo_and_redo_affect_only_own_changes(chromium, open_page):
    a = open_page(chromium)
    path = share(a)
    b = open_page(chromium, path)
    sees_people(b, 2)
    draw(a, line(100, 200, 300, 200))
    draw(b, line(100, 400, 300, 400))
    sees_ink(a, 200, 400)
    sees_ink(b, 200, 200)
    a.keyboard.press("Control+z")
    for page in (a, b):
        sees_paper(page, 200, 200)
        assert has_ink(page, 200, 400)
    assert a.locator("#undo").is_disabled()
    a.keyboard.press("Control+Shift+Z")
    for page in (a, b):
        sees_ink(page, 200, 200)
    all_hold_the_same(a, b)


@in_full
def test_the_eraser_removes_others_strokes_and_undo_restores_them(chromium, firefox, open_page):
    a = open_page(chromium)
    path = share(a)
    b = open_page(firefox, path)
    sees_people(b, 2)
    draw(a, line(100, 200, 300, 200))
    draw(a, line(100, 300, 300, 300))
    sees_ink(b, 200, 300)
    b.keyboard.press("e")
    draw(b, line(200, 150, 200, 350))
    for page in (a, b):
        sees_paper(page, 150, 200)
        sees_paper(page, 150, 300)
    b.keyboard.press("Control+z")
    for page in (a, b):
        sees_ink(page, 150, 200)
        sees_ink(page, 150, 300)
    all_hold_the_same(a, b)
    assert a.locator("#undo").is_enabled()


@in_full
def test_a_new_page_moves_all_participants_and_keeps_the_old_one(chromium, firefox, open_page):
    a = open_page(chromium)
    draw(a, wave(100, 300, 400, 80))
    old = share(a)
    b = open_page(firefox, old)
    sees_people(a, 2)
    before = all_hold_the_same(a, b)
    choose(b, "clear")
    says(b, "#confirm-title", "all 2 people")
    b.locator("#confirm-ok").click()
    until(lambda: path_of(a) == path_of(b) and path_of(a) not in ("", old))
    for page in (a, b):
        sees_people(page, 2)
        until(lambda page=page: page.locator("#summary").inner_text(), lambda text: text == "Nothing is drawn yet.")
    says(a, "#toasts", "started a new page")
    assert "left" not in a.locator("#toasts").inner_text() + b.locator("#toasts").inner_text()
    # A participant that follows to the new page is not announced as new.
    assert "joined" not in b.locator("#toasts").inner_text()
    draw(a, line(100, 500, 300, 500))
    sees_ink(b, 200, 500)
    all_hold_the_same(a, b)
    again = open_page(chromium, old)
    until(lambda: all_hold_the_same(again), lambda found: found == before)
    href = a.locator("#toasts a").get_attribute("href") or ""
    assert href.endswith(old)


def test_cursors_have_names_and_fade(chromium, open_page):
    a = open_page(chromium)
    path = share(a)
    b = open_page(chromium, path)
    sees_people(a, 2)
    move(b, line(300, 300, 400, 350))
    cursor = a.locator(".cursor")
    until(lambda: cursor.count(), lambda count: count == 1)
    assert cursor.locator(".tag").inner_text() in people(a)
    until(lambda: abs((cursor.locator(".dot").bounding_box() or {"x": 0})["x"] + 5 - 400), lambda distance: distance < 3)
    assert cursor.get_attribute("data-idle") is None
    until(lambda: cursor.get_attribute("data-idle"), lambda idle: idle is not None)


@in_full
def test_a_chip_shows_who_is_drawing(chromium, open_page):
    a = open_page(chromium)
    b = open_page(chromium, share(a))
    sees_people(a, 2)
    # Observed in the page, because the mark is short.
    a.evaluate("""() => {
      globalThis.marks_ = [];
      const note = ([{ target }]) => marks_.push(target.hasAttribute('data-drawing'));
      new MutationObserver(note).observe(document.getElementById('people'), { subtree: true, attributeFilter: ['data-drawing'] });
    }""")
    draw(b, line(100, 200, 400, 200))
    until(lambda: a.evaluate("marks_"), lambda marks: marks == [True, False])
    draw(b, line(100, 300, 400, 300))
    until(lambda: a.evaluate("marks_"), lambda marks: marks == [True, False] * 2)


@both_in_full
def test_a_name_is_changed_by_its_chip_and_stored(browser, open_page):
    a = open_page(browser)
    path = share(a)
    b = open_page(browser, path)
    sees_people(b, 2)
    b.locator(".chip.me").click()
    b.locator("#name").fill("Ada <b>Lovelace</b>")
    b.keyboard.press("Enter")
    until(lambda: "Ada <b>Lovelace</b>" in people(a))
    open_people(a)
    says(a, "#people-list", "Ada <b>Lovelace</b>")
    b.reload()
    until(lambda: b.evaluate("localStorage.getItem('drawtogether:name')"), lambda name: name == "Ada <b>Lovelace</b>")


def test_leaving_keeps_the_picture_and_others_continue(chromium, open_page):
    a = open_page(chromium)
    path = share(a)
    b = open_page(chromium, path)
    sees_people(a, 2)
    draw(a, line(100, 200, 300, 200))
    sees_ink(b, 200, 200)
    choose(b, "leave")
    b.locator("#confirm-ok").click()
    sees_people(a, 1)
    assert "/s/" not in address(b)
    assert has_ink(b, 200, 200)
    draw(b, line(100, 400, 300, 400))
    draw(a, line(100, 300, 300, 300))
    assert not has_ink(b, 200, 300)
    assert not has_ink(a, 200, 400)


HIDE = """(isHidden) => {
  Object.defineProperty(document, 'hidden', { value: isHidden, configurable: true });
  document.dispatchEvent(new Event('visibilitychange'));
}"""


def test_a_hidden_page_is_shown_as_away_and_tabs_are_one_person(chromium, open_page, problems):
    a = open_page(chromium)
    path = share(a)
    b = open_page(chromium, path)
    sees_people(a, 2)
    b.evaluate(HIDE, True)
    chip = a.locator(".chip:not(.me)")
    until(lambda: chip.get_attribute("data-away"), lambda away: away is not None)
    second = open_in(b.context, b.url, problems)
    sees_people(a, 3)
    # One of the two tabs is visible.
    until(lambda: chip.get_attribute("data-away"), lambda away: away is None)
    assert chip.count() == 1
    second.evaluate(HIDE, True)
    until(lambda: chip.get_attribute("data-away"), lambda away: away is not None)
    name = people(b)[1]
    assert chip.get_attribute("aria-label") == f"Follow {name}, away"
    open_people(a)
    until(lambda: a.locator("#people-list .who").nth(1).inner_text().split("\n"), lambda row: row == [name, "away · 2 tabs"])
    open_people(b)
    until(lambda: b.locator("#people-list .who").first.inner_text(), lambda row: row.endswith("you · 2 tabs"))
    assert b.locator("#toasts").inner_text() == ""
    b.keyboard.press("Escape")
    # A late joiner gets the state soon.
    late = open_page(chromium, path)
    until(lambda: late.locator(".chip[data-away]").count(), lambda count: count == 1)
    late.locator("#more").click()
    says(late, "#end", "End for all 3 people…")
    second.evaluate(HIDE, False)
    draw(second, line(100, 200, 300, 200))
    for page in (a, late):
        until(lambda page=page: page.locator(".chip[data-away]").count(), lambda count: count == 0)
    # The name belongs to the browser: set in one tab, it applies in the other too.
    second.locator(".chip.me").click()
    second.locator("#name").fill("Grace Hopper")
    second.keyboard.press("Enter")
    until(lambda: sorted(people(a)).count("Grace Hopper"), lambda count: count == 2)
    a.keyboard.press("Escape")
    assert a.locator(".chip:not(.me)").count() == 2


@in_full
def test_changes_far_from_the_pointer_show_their_authors_name(chromium, open_page):
    a = open_page(chromium)
    path = share(a)
    b = open_page(chromium, path)
    sees_people(b, 2)
    name = people(a)[1]
    draw(b, line(100, 200, 300, 200))
    sees_ink(a, 200, 200)
    # Near a pointer its name is enough; far from it, or for a key press, a label shows the name.
    assert a.locator(".change-label").count() == 0
    move(b, line(300, 200, 700, 600))
    b.keyboard.press("Control+z")
    a.locator(".change-label", has_text=f"{name} removed this").wait_for()
    b.keyboard.press("Control+Shift+z")
    until(lambda: a.locator(".change-label").all_inner_texts(), lambda texts: texts == [name])
    until(lambda: a.locator(".change-label").count() == 0)
    assert b.locator(".change-label").count() == 0
