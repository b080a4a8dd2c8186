"""My pages: Back and Forward, titles, the list of pages, and the undo history over reloads."""

from __future__ import annotations

import json

import pytest
from axe_playwright_python.sync_playwright import Axe
from board import (
    PHONE,
    all_hold_the_same,
    choose,
    draw,
    kept,
    line,
    path_of,
    says,
    sees_ink,
    sees_paper,
    sees_people,
    share,
)
from conftest import both, both_in_full, in_full, open_in, ready, until
from playwright.sync_api import Locator, Page
from test_connection import plain, strokes  # noqa: F401


def new_page(page: Page) -> None:
    choose(page, "clear")
    page.locator("#confirm-ok").click()


def go(page: Page, steps: int) -> None:
    """Goes back or forward in the browser's history, and waits until the page of that entry is loaded."""
    page.evaluate("(steps) => { document.documentElement.dataset.old = ''; setTimeout(() => history.go(steps)); }", steps)
    page.locator("html[data-ready]:not([data-old])").wait_for(state="attached")


def again(page: Page) -> None:
    page.reload()
    ready(page)


def open_list(page: Page) -> Locator:
    page.locator("#mark").click()
    dialog = page.locator("#pages-dialog")
    dialog.wait_for()
    return dialog


def rename(page: Page, title: str) -> None:
    dialog = open_list(page)
    dialog.get_by_label("Title of this page").fill(title)
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")
    dialog.wait_for(state="hidden")


def rows(page: Page) -> list[str]:
    """Returns the titles in the open list."""
    return page.locator("#pages-list b").all_inner_texts()


def has_title(page: Page, title: str) -> None:
    until(lambda: page.locator("#page-title").text_content(), lambda text: text == title)


# Back and Forward.


@both_in_full
def test_back_and_forward_go_between_pages_without_a_session(browser, open_page):
    page = open_page(browser)
    draw(page, line(100, 150, 300, 150))
    new_page(page)
    sees_paper(page, 200, 150)
    draw(page, line(100, 250, 300, 250))
    new_page(page)
    draw(page, line(100, 350, 300, 350))
    for steps, y in ((-1, 250), (-1, 150), (1, 250), (1, 350), (-2, 150)):
        go(page, steps)
        sees_ink(page, 200, y)
        assert strokes(page) == 1, y
    draw(page, line(100, 450, 300, 450))
    again(page)
    until(lambda: strokes(page), lambda count: count == 2)
    go(page, 1)
    sees_ink(page, 200, 250)
    assert strokes(page) == 1


@in_full
@both
def test_back_after_a_new_page_shows_the_old_session_to_everybody(browser, chromium, open_page):
    a = open_page(chromium)
    old = share(a)
    b = open_page(browser, old)
    sees_people(a, 2)
    draw(a, line(100, 150, 300, 150))
    sees_ink(b, 200, 150)
    new_page(b)
    for page in (a, b):
        until(lambda page=page: path_of(page) not in ("", old))
        sees_people(page, 2)
    new = path_of(b)
    draw(b, line(100, 250, 300, 250))
    sees_ink(a, 200, 250)
    # This stroke is drawn just before the page is left.
    draw(b, line(100, 350, 300, 350))
    go(b, -1)
    assert path_of(b) == old
    sees_ink(b, 200, 150)
    draw(b, line(100, 450, 300, 450))
    sees_ink(a, 200, 350)
    assert strokes(a) == 2
    go(a, -1)
    until(lambda: strokes(a), lambda count: count == 2)
    all_hold_the_same(a, b)
    for page in (a, b):
        go(page, 1)
        assert path_of(page) == new
    sees_people(a, 2)
    for page in (a, b):
        until(lambda page=page: strokes(page), lambda count: count == 2)
    all_hold_the_same(a, b)


@in_full
@both
def test_sharing_and_leaving_make_no_entry(browser, open_page):
    page = open_page(browser)
    before = page.evaluate("history.length")
    draw(page, line(100, 150, 300, 150))
    share(page)
    choose(page, "leave")
    page.locator("#confirm-ok").click()
    until(lambda: path_of(page) == "")
    assert page.evaluate("history.length") == before
    again(page)
    until(lambda: strokes(page), lambda count: count == 1)


@in_full
def test_strokes_drawn_offline_before_back_reach_their_session(chromium, open_page, plain, proxy, gateway):  # noqa: F811
    a = open_page(chromium, plain)
    old = share(a)
    b = open_page(chromium, gateway.http + old)
    sees_people(a, 2)
    draw(a, line(100, 150, 300, 150))
    sees_ink(b, 200, 150)
    new_page(a)
    until(lambda: path_of(b) not in ("", old))
    sees_people(b, 2)
    proxy.is_holding = True
    draw(a, line(100, 250, 300, 250))
    until(lambda: kept(a))
    proxy.cut()
    proxy.is_holding = False
    go(a, -1)
    sees_ink(a, 200, 150)
    # During a catch-up, the summary is updated a moment after the picture.
    until(lambda: strokes(a), lambda count: count == 1)
    go(a, 1)
    until(lambda: strokes(a), lambda count: count == 1)
    sees_ink(b, 200, 250)
    assert strokes(b) == 1
    all_hold_the_same(a, b)


# Undo.


@both_in_full
def test_undo_and_redo_continue_after_a_reload(browser, open_page):
    page = open_page(browser)
    for y in (150, 250, 350):
        draw(page, line(100, y, 300, y))
    page.keyboard.press("Control+z")
    again(page)
    until(lambda: strokes(page), lambda count: count == 2)
    page.locator("#redo:enabled").click()
    sees_ink(page, 200, 350)
    share(page)
    again(page)
    page.locator("#undo:enabled").wait_for()
    for y in (350, 250, 150):
        page.keyboard.press("Control+z")
        sees_paper(page, 200, y)
    assert page.locator("#undo").is_disabled()


@in_full
@both
def test_after_a_reload_undo_reports_objects_that_another_person_removed(browser, chromium, open_page):
    a = open_page(browser)
    path = share(a)
    b = open_page(chromium, path)
    sees_people(a, 2)
    draw(a, line(100, 150, 300, 150))
    draw(a, line(100, 250, 300, 250))
    sees_ink(b, 200, 250)
    b.keyboard.press("e")
    again(a)
    a.locator("#undo:enabled").wait_for()
    draw(b, line(200, 230, 200, 270))
    sees_paper(a, 200, 250)
    a.keyboard.press("Control+z")
    says(a, "#toasts", "Someone else removed it.")
    a.keyboard.press("Control+z")
    sees_paper(a, 200, 150)
    all_hold_the_same(a, b)


@in_full
def test_each_page_has_its_own_undo_history(chromium, open_page):
    page = open_page(chromium)
    draw(page, line(100, 150, 300, 150))
    new_page(page)
    assert page.locator("#undo").is_disabled()
    draw(page, line(100, 250, 300, 250))
    draw(page, line(100, 350, 300, 350))
    go(page, -1)
    page.locator("#undo:enabled").click()
    sees_paper(page, 200, 150)
    assert page.locator("#undo").is_disabled()
    go(page, 1)
    page.locator("#undo:enabled").click()
    sees_paper(page, 200, 350)
    sees_ink(page, 200, 250)


# Titles.


@both_in_full
def test_a_title_is_the_same_for_everybody(browser, chromium, open_page):
    a = open_page(browser)
    rename(a, "  Plans for\tMay ")
    has_title(a, "Plans for May")
    draw(a, line(100, 150, 300, 150))
    path = share(a)
    b = open_page(chromium, path)
    has_title(b, "Plans for May")
    rename(b, "Plans for June")
    has_title(a, "Plans for June")
    until(lambda: a.locator("#live").inner_text(), lambda text: "named this page Plans for June" in text)
    until(a.title, lambda text: text == "Plans for June · Draw Together")
    again(a)
    has_title(a, "Plans for June")
    all_hold_the_same(a, b)
    choose(b, "save")
    with b.expect_download() as download:
        b.locator("#export-save").click()
    assert download.value.suggested_filename.startswith("Plans for June ")
    rename(a, "")
    for page in (a, b):
        has_title(page, "Draw Together")
    all_hold_the_same(a, b)
    assert b.title() == "Draw Together"


@in_full
def test_a_title_given_offline_is_sent_later(chromium, open_page, plain, proxy, gateway):  # noqa: F811
    a = open_page(chromium, plain)
    path = share(a)
    b = open_page(chromium, gateway.http + path)
    sees_people(a, 2)
    draw(a, line(100, 150, 300, 150))
    until(lambda: kept(a) == 0)
    proxy.refuse()
    rename(a, "Plans")
    has_title(a, "Plans")
    until(lambda: kept(a))
    proxy.mend()
    again(a)
    has_title(a, "Plans")
    has_title(b, "Plans")
    all_hold_the_same(a, b)


@in_full
@both
def test_a_new_page_has_no_title_and_the_old_one_keeps_its(browser, open_page):
    page = open_page(browser)
    draw(page, line(100, 150, 300, 150))
    rename(page, "First")
    new_page(page)
    has_title(page, "Draw Together")
    draw(page, line(100, 250, 300, 250))
    share(page)
    rename(page, "Second")
    go(page, -1)
    has_title(page, "First")
    go(page, 1)
    has_title(page, "Second")


# The list.


@both_in_full
def test_the_list_opens_pages_of_every_kind(browser, chromium, open_page):
    page = open_page(browser)
    draw(page, line(100, 150, 300, 150))
    rename(page, "Alone")
    new_page(page)
    draw(page, line(100, 250, 300, 250))
    rename(page, "Shared")
    path = share(page)
    guest = open_page(chromium, path)
    sees_people(page, 2)
    new_page(page)
    until(lambda: path_of(page) not in ("", path))
    draw(page, line(100, 350, 300, 350))
    rename(page, "Over")
    over = path_of(page)
    until(lambda: kept(page) == 0)
    choose(page, "end")
    page.locator("#confirm-ok").click()
    says(page, "#ended-bar", "This session has ended.")
    dialog = open_list(page)
    until(lambda: rows(page), lambda found: found == ["Over", "Shared", "Alone"])
    notes = dialog.locator("small").all_inner_texts()
    assert "this page" in notes[0] and "ended" in notes[0]
    name = guest.evaluate("localStorage.getItem('drawtogether:name')")
    assert f"with {name}" in notes[1] and "only on this device" in notes[2]
    # Each thumbnail is a picture.
    until(lambda: dialog.locator("img").evaluate_all("(all) => all.map((one) => one.naturalWidth)"), lambda widths: widths == [240] * 3)

    dialog.get_by_text("Alone").click()
    sees_ink(page, 200, 150)
    # The address changes after the page is shown.
    until(lambda: path_of(page) + page.evaluate("location.search"), lambda found: found == "")
    has_title(page, "Alone")
    assert strokes(page) == 1
    open_list(page).get_by_text("Shared").click()
    sees_ink(page, 200, 250)
    assert path_of(page) == path
    open_list(page).get_by_text("Over").click()
    says(page, "#ended-bar", "This session has ended.")
    sees_ink(page, 200, 350)
    assert path_of(page) == over
    assert page.locator("#copy").is_visible()
    go(page, -1)
    assert path_of(page) == path


@in_full
@both
def test_a_page_is_removed_with_all_that_this_device_has_of_it(browser, open_page):
    page = open_page(browser)
    for title in ("First", "Second", "Third"):
        draw(page, line(100, 150, 300, 150))
        rename(page, title)
        new_page(page)
    draw(page, line(100, 250, 300, 250))
    dialog = open_list(page)
    until(lambda: rows(page), lambda found: found == ["Untitled", "Third", "Second", "First"])
    assert kept(page, "marks") == 4
    dialog.get_by_role("button", name="Remove Second from the list").click()
    says(page, "#confirm-text", "It cannot be brought back.")
    page.locator("#confirm-ok").click()
    until(lambda: rows(page), lambda found: found == ["Untitled", "Third", "First"])
    assert kept(page, "marks") == 3
    # The focus stays in the list.
    assert page.evaluate("document.activeElement.textContent").startswith("First")
    page.keyboard.press("Delete")
    page.locator("#confirm-dialog[open]").wait_for()
    page.keyboard.press("Escape")
    dialog.get_by_role("button", name="Remove all…").click()
    says(page, "#confirm-title", "Remove 2 pages?")
    page.locator("#confirm-ok").click()
    until(lambda: rows(page), lambda found: found == ["Untitled"])
    assert kept(page, "marks") == 1
    page.keyboard.press("Escape")
    again(page)
    sees_ink(page, 200, 250)


@in_full
def test_the_list_is_used_with_the_keyboard_alone(chromium, open_page):
    page = open_page(chromium)
    for at in range(9):
        draw(page, line(100, 100 + 20 * at, 300, 100 + 20 * at))
        rename(page, f"Page {at}")
        if at < 8:
            new_page(page)
    page.locator("#mark").focus()
    page.keyboard.press("Enter")
    dialog = page.locator("#pages-dialog")
    dialog.wait_for()
    assert page.evaluate("document.activeElement.id") == "pages-title"
    dialog.get_by_role("searchbox").focus()
    page.keyboard.type("page 3")
    until(lambda: rows(page), lambda found: found == ["Page 3"])
    says(page, "#pages-dialog .note", "1 page found.")
    page.keyboard.press("Control+a")
    page.keyboard.press("Delete")
    until(lambda: len(rows(page)), lambda count: count == 9)
    page.keyboard.press("Tab")
    for _ in range(3):
        page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.textContent").startswith("Page 5")
    page.keyboard.press("Enter")
    has_title(page, "Page 5")
    sees_ink(page, 200, 200)


@in_full
def test_a_page_that_is_open_in_another_tab_is_neither_opened_nor_removed(chromium, open_page, base, problems):
    page = open_page(chromium)
    draw(page, line(100, 150, 300, 150))
    rename(page, "Mine")
    other = open_in(page.context, base, problems)
    draw(other, line(100, 250, 300, 250))
    dialog = open_list(other)
    dialog.get_by_text("Mine").click()
    says(other, "#pages-dialog .note", "This page is open in another tab.")
    dialog.get_by_role("button", name="Remove Mine from the list").click()
    other.locator("#confirm-ok").click()
    says(other, "#pages-dialog .note", "This page is open in another tab.")
    dialog.get_by_role("button", name="Remove all…").click()
    other.locator("#confirm-ok").click()
    says(other, "#pages-dialog .note", "Pages that are open in other tabs stay.")
    assert "Mine" in rows(other)
    locks = len(held_locks(other))
    page.close()
    until(lambda: len(held_locks(other)), lambda count: count < locks)
    dialog.get_by_text("Mine").click()
    has_title(other, "Mine")
    sees_ink(other, 200, 150)


def test_a_page_that_another_one_replaced_is_opened_in_another_tab(chromium, open_page, base, problems):
    page = open_page(chromium)
    draw(page, line(100, 150, 300, 150))
    rename(page, "Mine")
    new_page(page)
    sees_paper(page, 200, 150)
    other = open_in(page.context, base, problems)
    open_list(other).get_by_text("Mine").click()
    has_title(other, "Mine")
    sees_ink(other, 200, 150)


def held_locks(page: Page) -> list[str]:
    """Returns the locks that the tabs of the browser hold. Those of a closed tab are released a moment later."""
    return page.evaluate("async () => (await navigator.locks.query()).held.map(({ name }) => name)")


@in_full
def test_a_closed_tab_is_in_the_list_of_another_one(chromium, open_page, base, problems):
    page = open_page(chromium)
    share(page)
    draw(page, line(100, 150, 300, 150))
    rename(page, "Closed")
    until(lambda: kept(page) == 0)
    other = open_in(page.context, base, problems)
    page.close(run_before_unload=True)
    open_list(other).get_by_text("Closed").click()
    sees_ink(other, 200, 150)


@in_full
def test_a_hostile_title_is_only_a_text(chromium, open_page):
    a = open_page(chromium)
    path = share(a)
    b = open_page(chromium, path)
    sees_people(a, 2)
    # The field takes the first 80 characters. One character is removed, because it would change the direction of the text.
    hostile = "<img src=x onerror=alert(1)>\u202e" + "W" * 100
    rename(b, hostile)
    has_title(a, "<img src=x onerror=alert(1)>" + "W" * 51)
    open_list(a)
    assert rows(a)[0].startswith("<img src=x")
    assert a.evaluate("document.documentElement.scrollWidth") == 1000
    assert a.locator("#share").is_visible()


LOOKS = {
    "desk-light": {},
    "desk-dark": {"color_scheme": "dark"},
    "phone-light": PHONE,
    "phone-dark": {"color_scheme": "dark", **PHONE},
}


@in_full
@pytest.mark.parametrize("look", LOOKS)
def test_the_list_fits_and_axe_finds_no_problem(chromium, open_page, out, look):
    page = open_page(chromium, reduced_motion="reduce", **LOOKS[look])
    for at in range(9):
        draw(page, line(50, 200, 300, 200 + 40 * at))
        rename(page, f"Page {at} with a long title that does not fit into one line of a phone")
        new_page(page)
    draw(page, line(50, 300, 300, 200))
    share(page)
    rename(page, "Plans for the garden in May")
    page.screenshot(path=out / f"title-{look}.png")
    width = page.viewport_size["width"]

    def looks(state: str) -> None:
        page.screenshot(path=out / f"pages-{look}-{state}.png")
        found = Axe().run(page).response["violations"]
        told = [(one["id"], [(node["html"], node["failureSummary"]) for node in one["nodes"]]) for one in found]
        assert not found, f"{state}: {json.dumps(told, indent=1)}"
        assert page.evaluate("document.documentElement.scrollWidth") == width
        for box in page.locator("dialog[open] button:visible, dialog[open] a:visible").evaluate_all(
            "(all) => all.map((one) => one.getBoundingClientRect().toJSON())"
        ):
            assert box["left"] >= 0 and box["right"] <= width and box["height"] >= 44, box

    looks("page")
    dialog = open_list(page)
    until(lambda: len(rows(page)), lambda count: count == 10)
    looks("list")
    dialog.get_by_role("searchbox").fill("nothing like this")
    looks("none")
    dialog.get_by_role("searchbox").fill("")
    dialog.get_by_role("button", name="Remove all…").click()
    looks("question")
