"""The sheets of a page: tabs, the list of sheets, links, undo, other people, exports and printing."""

from __future__ import annotations

import base64
import json
import zipfile

import pytest
from axe_playwright_python.sync_playwright import Axe
from board import (
    PHONE,
    address,
    all_hold_the_same,
    choose,
    draw,
    line,
    says,
    sees_ink,
    sees_paper,
    sees_people,
    share,
    tool,
)
from conftest import both, both_in_full, in_full, ready, until
from playwright.sync_api import Page

LINE = line(200, 300, 500, 300)


def strokes(page: Page) -> int:
    """Returns the number of strokes on all sheets."""
    return page.evaluate("drawTogether.shapes().length")


def tabs(page: Page) -> list[str]:
    return page.locator("#sheets [role=tab]:visible").all_inner_texts()


def has_tabs(page: Page, *names: str) -> None:
    until(lambda: tabs(page), lambda found: found == list(names))


def shown(page: Page) -> str:
    return page.locator("#sheets [aria-selected=true]").inner_text()


def shows(page: Page, name: str) -> None:
    until(lambda: shown(page), lambda found: found == name)


def add(page: Page) -> None:
    """Adds a sheet and waits until the page shows it."""
    count = max(1, len(tabs(page)))
    page.locator("#add-sheet").click()
    until(lambda: len(tabs(page)), lambda found: found == count + 1)
    until(lambda: page.locator("#sheets [role=tab]").last.get_attribute("aria-selected"), lambda found: found == "true")


def go(page: Page, name: str) -> None:
    page.locator("#sheets").get_by_role("tab", name=name).click()
    shows(page, name)


def edit(page: Page) -> None:
    """Opens the list of sheets for changes."""
    page.locator("#sheets [aria-selected=true]").click()
    page.locator("#sheets-dialog").wait_for()


def close(page: Page) -> None:
    page.keyboard.press("Escape")
    page.locator("#sheets-dialog").wait_for(state="hidden")


def rename(page: Page, old: str, new: str) -> None:
    edit(page)
    page.get_by_label(f"Name of {old}").fill(new)
    page.keyboard.press("Enter")
    close(page)


@both
def test_each_sheet_has_its_own_drawing(browser, open_page):
    page = open_page(browser)
    draw(page, LINE)
    add(page)
    has_tabs(page, "Sheet 1", "Sheet 2")
    sees_paper(page, 300, 300)
    draw(page, line(200, 400, 500, 400))
    draw(page, line(200, 450, 500, 450))
    says(page, "#summary", "2 strokes")
    go(page, "Sheet 1")
    sees_ink(page, 300, 300)
    sees_paper(page, 300, 400)
    says(page, "#summary", "1 stroke")
    # The view of each sheet stays.
    page.keyboard.press("+")
    says(page, "#zoom-level", "125 %")
    go(page, "Sheet 2")
    sees_ink(page, 300, 400)
    says(page, "#zoom-level", "100 %")
    go(page, "Sheet 1")
    says(page, "#zoom-level", "125 %")
    # Only the objects of the shown sheet are selected.
    page.keyboard.press("Control+a")
    page.keyboard.press("Delete")
    until(lambda: strokes(page), lambda count: count == 2)


@both_in_full
def test_sheets_and_their_order_are_the_same_for_everybody(browser, chromium, open_page):
    a = open_page(chromium)
    draw(a, LINE)
    add(a)
    path = share(a)
    # The link leads to the sheet on which it was made.
    assert path.endswith("#page=2")
    b = open_page(browser, path)
    sees_people(a, 2)
    shows(b, "Sheet 2")
    draw(b, LINE)
    sees_ink(a, 300, 300)
    rename(b, "Sheet 2", "Plans")
    has_tabs(a, "Sheet 1", "Plans")
    go(b, "Sheet 1")
    # Ben's face shows his sheet, and the tab has his dot.
    until(lambda: a.locator("#people [data-sheet='1']").count(), lambda count: count == 1)
    until(lambda: a.locator("#sheets [role=tab]").first.locator(".dot").count(), lambda count: count == 1)
    b.mouse.move(400, 300)
    until(lambda: a.locator(".cursor").evaluate_all(
        "(all) => all.every((one) => { const { right, left } = one.getBoundingClientRect(); return right < 0 || left > innerWidth; })"
    ))
    # The message about a place that Ben shows names the sheet.
    b.keyboard.press("j")
    b.locator(".ping .tag").wait_for()
    says(a, "#toasts", "shows a place on Sheet 1.")
    assert a.locator(".ping, .edge-ping").count() == 0
    edit(a)
    a.get_by_label("Move Plans up").click()
    close(a)
    has_tabs(b, "Plans", "Sheet 2")
    all_hold_the_same(a, b)
    # People who join later see the same.
    c = open_page(browser, path.split("#")[0])
    has_tabs(c, "Plans", "Sheet 2")
    shows(c, "Sheet 2")
    all_hold_the_same(a, c)


@in_full
@both
def test_undo_goes_to_the_sheet_of_the_change(browser, open_page):
    page = open_page(browser)
    draw(page, LINE)
    add(page)
    draw(page, LINE)
    go(page, "Sheet 1")
    page.keyboard.press("Control+z")
    shows(page, "Sheet 2")
    sees_paper(page, 300, 300)
    page.keyboard.press("Control+Shift+z")
    sees_ink(page, 300, 300)
    for _ in range(3):
        page.keyboard.press("Control+z")
    until(lambda: tabs(page), lambda found: found == [])
    assert strokes(page) == 0
    for _ in range(3):
        page.keyboard.press("Control+Shift+z")
    has_tabs(page, "Sheet 1", "Sheet 2")
    assert strokes(page) == 2


@both_in_full
def test_a_removed_sheet_with_the_work_of_others_comes_back(browser, chromium, open_page):
    a = open_page(chromium)
    path = share(a)
    b = open_page(browser, path)
    sees_people(a, 2)
    add(a)
    has_tabs(b, "Sheet 1", "Sheet 2")
    go(b, "Sheet 2")
    draw(b, LINE)
    sees_ink(a, 300, 300)
    edit(a)
    a.get_by_role("button", name="Remove Sheet 2").click()
    says(a, "#confirm-text", "Others have drawn on this sheet")
    a.locator("#confirm-ok").click()
    close(a)
    # Ben was there, and can bring it back.
    says(b, "#toasts", "removed Sheet 2")
    until(lambda: tabs(b), lambda found: found == [])
    sees_paper(b, 300, 300)
    choose(b, "show-sheets")
    b.locator("#edit-sheets").click()
    b.get_by_role("button", name="Bring back Sheet 2").click()
    close(b)
    for page in (a, b):
        has_tabs(page, "Sheet 1", "Sheet 2")
    shows(b, "Sheet 2")
    sees_ink(b, 300, 300)
    all_hold_the_same(a, b)


def remove(page: Page, name: str) -> None:
    """Removes a sheet that others see, or on which they have drawn."""
    edit(page)
    page.get_by_role("button", name=f"Remove {name}").click()
    page.locator("#confirm-ok").click()
    close(page)


@in_full
@both
def test_followers_stay_with_their_person_over_sheets(browser, chromium, open_page):
    a = open_page(chromium)
    b = open_page(browser, share(a))
    sees_people(a, 2)
    b.locator(".chip:not(.me)").click()
    b.locator(".follow-bar").wait_for()
    add(a)
    shows(b, "Sheet 2")
    add(a)
    shows(b, "Sheet 3")
    go(a, "Sheet 1")
    shows(b, "Sheet 1")
    # The question before the removal names the people who see the sheet.
    go(a, "Sheet 3")
    shows(b, "Sheet 3")
    until(lambda: a.locator("#sheets [role=tab]").last.locator(".dot").count(), lambda count: count == 1)
    edit(a)
    a.get_by_role("button", name="Remove Sheet 3").click()
    says(a, "#confirm-text", "is on this sheet.")
    a.locator("#confirm-ok").click()
    close(a)
    has_tabs(b, "Sheet 1", "Sheet 2")
    shows(b, "Sheet 2")
    go(a, "Sheet 1")
    shows(b, "Sheet 1")
    assert b.locator(".follow-bar").is_visible()


@in_full
@both
def test_undo_on_a_removed_sheet_is_explained(browser, chromium, open_page):
    a = open_page(browser)
    add(a)
    add(a)
    draw(a, LINE)
    b = open_page(chromium, share(a))
    sees_people(a, 2)
    shows(b, "Sheet 3")
    remove(b, "Sheet 3")
    has_tabs(a, "Sheet 1", "Sheet 2")
    a.keyboard.press("Control+z")
    says(a, "#toasts", ", which is removed. You can bring it back from the list of sheets.")
    until(lambda: strokes(a), lambda count: count == 0)
    shows(a, "Sheet 2")


@both_in_full
def test_sheets_survive_a_reload_with_and_without_a_session(browser, open_page):
    page = open_page(browser)
    draw(page, LINE)
    add(page)
    rename(page, "Sheet 2", "Plans")
    draw(page, line(200, 400, 500, 400))
    assert address(page).endswith("#page=2")
    for _ in range(2):
        page.reload()
        ready(page)
        has_tabs(page, "Sheet 1", "Plans")
        shows(page, "Plans")
        sees_ink(page, 300, 400)
        if "/s/" not in address(page):
            share(page)
    choose(page, "leave")
    page.locator("#confirm-ok").click()
    until(lambda: "/s/" not in address(page))
    page.reload()
    ready(page)
    has_tabs(page, "Sheet 1", "Plans")
    assert strokes(page) == 2


@in_full
@both
def test_a_link_to_a_missing_sheet_shows_the_first_one(browser, open_page):
    page = open_page(browser)
    draw(page, LINE)
    path = share(page)
    other = open_page(browser, f"{path}#page=17")
    says(other, "#toasts", "no longer exists")
    sees_ink(other, 300, 300)
    assert "#page" not in address(other)


@in_full
@both
def test_keys_choose_sheets(browser, open_page):
    page = open_page(browser)
    add(page)
    add(page)
    shows(page, "Sheet 3")
    page.locator("#canvas").focus()
    for key, name in (("PageUp", "Sheet 2"), ("PageUp", "Sheet 1"), ("PageUp", "Sheet 1"), ("PageDown", "Sheet 2")):
        page.keyboard.press(f"Shift+{key}")
        shows(page, name)
    # Within the tabs, the arrow keys move the focus.
    page.locator("#sheets [aria-selected=true]").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    shows(page, "Sheet 3")
    assert page.evaluate("document.activeElement.innerText") == "Sheet 3"
    page.keyboard.press("Home")
    page.keyboard.press("F2")
    page.locator("#sheets-dialog").wait_for()
    page.keyboard.type("First")
    close(page)
    has_tabs(page, "First", "Sheet 2", "Sheet 3")


@in_full
@both
def test_a_tab_is_dragged_to_another_place(browser, open_page):
    page = open_page(browser)
    add(page)
    add(page)
    rename(page, "Sheet 3", "Plans")
    tab = page.locator("#sheets").get_by_role("tab", name="Plans")
    first = page.locator("#sheets [role=tab]").first
    box, to = tab.bounding_box(), first.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 20)
    page.mouse.down()
    page.mouse.move(to["x"] + 4, to["y"] + 20, steps=8)
    page.mouse.up()
    has_tabs(page, "Plans", "Sheet 2", "Sheet 3")
    shows(page, "Plans")
    assert page.locator("#sheets-dialog").is_hidden()
    page.keyboard.press("Control+z")
    has_tabs(page, "Sheet 1", "Sheet 2", "Plans")


@in_full
@both
def test_a_pressed_tab_is_chosen_although_the_tabs_change(browser, chromium, open_page):
    a = open_page(browser)
    add(a)
    b = open_page(chromium, share(a))
    sees_people(a, 2)
    box = a.locator("#sheets [role=tab]").first.bounding_box()
    a.mouse.move(box["x"] + box["width"] / 2, box["y"] + 20)
    a.mouse.down()
    rename(b, "Sheet 2", "Plans")
    all_hold_the_same(a, b)
    a.mouse.up()
    shows(a, "Sheet 1")
    has_tabs(a, "Sheet 1", "Plans")


@in_full
@both
def test_objects_are_copied_to_another_sheet(browser, open_page):
    page = open_page(browser)
    draw(page, LINE)
    page.keyboard.press("Control+a")
    page.keyboard.press("Control+c")
    add(page)
    page.mouse.move(400, 350)
    page.keyboard.press("Control+v")
    until(lambda: strokes(page), lambda count: count == 2)
    sees_ink(page, 400, 350)
    go(page, "Sheet 1")
    says(page, "#summary", "1 stroke")


@in_full
@both
def test_all_sheets_are_saved_and_opened_again(browser, open_page, tmp_path):
    page = open_page(browser)
    draw(page, LINE)
    add(page)
    rename(page, "Sheet 2", "Plans")
    draw(page, line(200, 400, 500, 400))
    choose(page, "save")
    page.get_by_label("All sheets").check()
    says(page, "#export-note", "2 sheets")
    with page.expect_download() as loading:
        page.locator("#export-save").click()
    with zipfile.ZipFile(loading.value.path()) as archive:
        assert archive.testzip() is None
        assert archive.namelist() == ["1 Sheet 1.png", "2 Plans.png"]
        assert all(archive.read(name).startswith(b"\x89PNG") for name in archive.namelist())
    choose(page, "save")
    page.get_by_label("All sheets").check()
    page.locator("#export [name=format][value=drawing]").check()
    with page.expect_download() as loading:
        page.locator("#export-save").click()
    file = tmp_path / "both.drawtogether"
    loading.value.save_as(file)
    assert [one.get("name") for one in json.loads(file.read_text())["sheets"]] == [None, "Plans"]
    other = open_page(browser)
    with other.expect_file_chooser() as choosing:
        choose(other, "open")
    choosing.value.set_files(file)
    has_tabs(other, "Sheet 1", "Plans")
    until(lambda: strokes(other), lambda count: count == 2)
    go(other, "Plans")
    says(other, "#summary", "1 stroke")


@in_full
def test_each_sheet_is_printed_on_a_sheet_of_paper(chromium, open_page):
    page = open_page(chromium)
    draw(page, LINE)
    add(page)
    draw(page, line(300, 150, 300, 500))
    page.evaluate("() => void (print = () => { globalThis.printed_ = document.querySelectorAll('#sheet img').length; })")
    choose(page, "save")
    page.get_by_label("All sheets").check()
    page.locator("#export-print").click()
    assert until(lambda: page.evaluate("globalThis.printed_ ?? 0")) == 2
    pdf = page.context.new_cdp_session(page).send("Page.printToPDF", {"printBackground": False, "preferCSSPageSize": True})
    data = base64.b64decode(pdf["data"])
    assert data.count(b"/Type /Page\n") == 2


LOOKS = {
    "desktop-light": {},
    "desktop-dark": {"color_scheme": "dark"},
    "phone-light": PHONE,
    "phone-dark": {"color_scheme": "dark", **PHONE},
}


@in_full
@pytest.mark.parametrize("look", LOOKS)
def test_the_sheets_fit_and_axe_finds_no_problem(chromium, open_page, out, look):
    a = open_page(chromium)
    add(a)
    rename(a, "Sheet 2", "A plan with a long name that goes on")
    add(a)
    path = share(a).split("#")[0]
    page = open_page(chromium, path, **LOOKS[look])
    sees_people(a, 2)
    until(lambda: page.locator("#people [data-sheet]").count(), lambda count: count == 1)

    def check(name: str) -> None:
        page.screenshot(path=out / f"sheets-{name}-{look}.png")
        found = Axe().run(page).response["violations"]
        assert found == [], json.dumps(found, indent=1)[:3000]

    check("tabs")
    if look.startswith("phone"):
        says(page, "#sheet-count", "1 / 3")
        page.locator("#sheet-count").click()
    else:
        choose(page, "show-sheets")
    dialog = page.locator("#sheets-dialog")
    dialog.wait_for()
    check("list")
    if look.startswith("phone"):
        assert dialog.bounding_box()["width"] == page.viewport_size["width"]
    # A press anywhere in a row chooses its sheet.
    widths = "(all) => all.map((one) => [one.offsetWidth, one.parentElement.clientWidth])"
    rows = dialog.locator(".sheet-row").evaluate_all(widths)
    assert len(rows) == 3 and all(width >= room - 8 for width, room in rows)
    page.locator("#edit-sheets").click()
    check("edit")
    for button in dialog.locator("button:visible").all():
        box = button.bounding_box()
        assert box["height"] >= 44 and box["x"] >= 0 and box["x"] + box["width"] <= page.viewport_size["width"]
    page.locator("#edit-sheets").click()
    dialog.get_by_role("button", name="A plan with").click()
    dialog.wait_for(state="hidden")
    if look.startswith("phone"):
        says(page, "#sheet-count", "2 / 3")
        draw(page, line(100, 400, 250, 400))
        sees_ink(page, 180, 400)


@in_full
@both
def test_other_tools_work_on_a_far_sheet(browser, open_page):
    page = open_page(browser)
    add(page)
    tool(page, "[data-tool=rectangle]")
    draw(page, line(200, 200, 400, 350))
    page.keyboard.press("v")
    page.mouse.click(200, 280)
    page.locator("#chosen").wait_for()
    draw(page, line(200, 280, 260, 330))
    until(lambda: page.evaluate("drawTogether.shapes()[0].left"), lambda left: 100_250 < left < 100_270)
    page.keyboard.press("e")
    draw(page, line(240, 330, 290, 330))
    until(lambda: strokes(page), lambda count: count == 0)
