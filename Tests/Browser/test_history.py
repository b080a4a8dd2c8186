"""The time machine: earlier moments of a session, playback, links to a moment, and objects that come back."""

from __future__ import annotations

import json
import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from board import (
    PHONE,
    address,
    all_hold_the_same,
    appear,
    choose,
    draw,
    items,
    line,
    says,
    select,
    sees_ink,
    sees_items,
    sees_paper,
    sees_people,
    share,
)
from conftest import both, both_in_full, in_full, ready, until
from gateway import Gateway
from photos import TEAL, drop, photo
from playwright.sync_api import Page

LINE, LOWER = line(200, 250, 500, 250), line(200, 350, 500, 350)
COUNT = 5000

PAST_INK = """([x, y]) => {
  const canvas = document.querySelector('.past');
  const ratio = canvas.width / canvas.clientWidth;
  return canvas.getContext('2d').getImageData(x * ratio, y * ratio, 1, 1).data[3];
}"""

# Many strokes of another participant, lowest first.
CROWD = """async (count) => {
  const { GroupSession } = await import('/js/sync/groupSession.js');
  const { newKey } = await import('/js/sync/key.js');
  const session = globalThis.crowd_ = new GroupSession({ id: location.pathname.slice(3), base: new URL('/', location.href) });
  for (let at = 0; at < count; at += 1) {
    const [x, y] = [40 + (at * 37) % 880, 80 + (at * 53) % 480];
    const id = newKey();
    const message = { id, color: at % 11, point: [x + 12, y + 6], points: [[x, y], [x + 12, y + 6]], width: 3, tool: 'pen', z: at + 1 };
    const payload = new TextEncoder().encode(JSON.stringify(message));
    session.send({ type: 'UpsertStrokeMessage', payload, reliable: true, retention: 2, key: id, existing: false });
  }
  session.join();
}"""


def strokes(page: Page) -> int:
    return page.evaluate("drawTogether.shapes().length")


def has_strokes(page: Page, count: int, seconds: float = 8) -> None:
    until(lambda: strokes(page), lambda found: found == count, seconds)


def order(page: Page) -> list[list]:
    """Returns the shapes with their depths, lowest first."""
    return page.evaluate("drawTogether.shapes().map(({ id, z }) => [id, z])")


def open_machine(page: Page) -> None:
    """Opens the time machine and waits until the present is shown in it."""
    choose(page, "show-past")
    is_open(page)


def is_open(page: Page) -> None:
    page.locator("#past-slider:enabled").wait_for()
    until(lambda: page.locator("#past-slider").get_attribute("aria-valuetext"))


def close(page: Page) -> None:
    page.locator("#time-machine").get_by_role("button", name="Close").click()
    page.locator("#time-machine").wait_for(state="hidden")


def slide(page: Page, key: str, times: int = 1) -> None:
    """Moves the slider by a key."""
    page.locator("#past-slider").focus()
    for _ in range(times):
        page.keyboard.press(key)


def sequence(page: Page) -> int:
    """Returns the sequence of the shown moment."""
    return int(page.locator("#time-machine").get_attribute("data-sequence"))


def go_back(page: Page, x: float, y: float) -> None:
    """Goes back, change by change, until there is ink at a point."""
    for _ in range(8):
        before = sequence(page)
        page.get_by_role("button", name="Previous change").click()
        until(lambda before=before: sequence(page), lambda now, before=before: now == before - 1)
        page.evaluate("new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))")
        if page.evaluate(PAST_INK, [x, y]) > 200:
            return
    raise AssertionError("no ink there")


def shows_past_ink(page: Page, x: float, y: float, is_there: bool = True, seconds: float = 8) -> None:
    until(lambda: page.evaluate(PAST_INK, [x, y]) > 200, lambda found: found == is_there, seconds)


def wipe(page: Page) -> None:
    """Removes everything, and confirms the removal."""
    page.locator("#canvas").focus()
    page.keyboard.press("Control+a")
    page.keyboard.press("Delete")
    page.locator("#confirm-dialog").wait_for()
    page.locator("#confirm-ok").click()


def two_strokes(opener, browser) -> tuple[Page, Page]:
    """Opens a session in which two people have drawn a stroke each."""
    a = opener(browser)
    b = opener(browser, share(a))
    sees_people(a, 2)
    draw(a, LINE)
    sees_ink(b, 300, 250)
    draw(b, LOWER)
    has_strokes(a, 2)
    return a, b


@in_full
@both
def test_the_slider_shows_earlier_moments_while_the_session_goes_on(browser, open_page, problems):
    # The page aborts requests that it no longer needs.
    problems.allow("/history")
    a, b = two_strokes(open_page, browser)
    wipe(a)
    has_strokes(b, 0)
    open_machine(b)
    shows_past_ink(b, 300, 250, False)
    slide(b, "Home")
    until(lambda: b.locator("#past-slider").input_value(), lambda value: value == "0")
    slide(b, "End")
    until(lambda: b.locator("#past-slider").input_value(), lambda value: value == "1000")
    shows_past_ink(b, 300, 250, False)
    go_back(b, 300, 250)
    go_back(b, 300, 350)
    shows_past_ink(b, 300, 350)
    assert re.search(r"\d:\d\d:\d\d", b.locator("#past-slider").get_attribute("aria-valuetext"))
    # The present picture is still empty, and shows new strokes of others.
    sees_paper(b, 300, 250)
    a.keyboard.press("p")
    draw(a, line(200, 450, 500, 450))
    has_strokes(b, 1)
    shows_past_ink(b, 300, 450, False)
    close(b)
    sees_ink(b, 300, 450)
    sees_paper(b, 300, 250)
    all_hold_the_same(a, b)


@both_in_full
def test_another_person_brings_an_erased_page_back_and_one_undo_reverts_it(browser, open_page, problems):
    problems.allow("/history")
    a, b = two_strokes(open_page, browser)
    before = order(b)
    wipe(a)
    has_strokes(b, 0)
    open_machine(b)
    go_back(b, 300, 250)
    go_back(b, 300, 350)
    b.get_by_role("button", name="Bring this moment back").click()
    b.locator("#time-machine").wait_for(state="hidden")
    says(b, "#toasts", "2 objects are back")
    has_strokes(a, 2)
    assert order(a) == before
    sees_ink(a, 300, 250)
    all_hold_the_same(a, b)
    # Objects that are on the page are not brought back again.
    open_machine(b)
    b.get_by_role("button", name="Bring this moment back").click()
    says(b, ".past-bar .note", "All of this is already on the page.")
    close(b)
    b.keyboard.press("Control+z")
    has_strokes(a, 0)
    assert b.locator("#undo").is_disabled() is False
    b.keyboard.press("Control+Shift+z")
    has_strokes(a, 2)


@in_full
@both
def test_a_selected_object_is_brought_back_alone_beside_its_later_version(browser, open_page, problems):
    problems.allow("/history")
    a, b = two_strokes(open_page, browser)
    b.keyboard.press("v")
    b.mouse.click(300, 250)
    b.locator("#chosen").wait_for()
    draw(b, line(300, 250, 300, 500))
    sees_ink(a, 300, 500)
    b.keyboard.press("Escape")
    open_machine(a)
    go_back(a, 300, 250)
    # A tap selects an object, and another tap deselects it.
    a.mouse.click(300, 250)
    a.get_by_role("button", name="Bring this back").wait_for()
    a.mouse.click(300, 250)
    a.get_by_role("button", name="Bring this moment back").wait_for()
    # A box selects, and Escape deselects.
    draw(a, line(150, 200, 550, 300))
    a.get_by_role("button", name="Bring this back").wait_for()
    a.keyboard.press("Escape")
    a.get_by_role("button", name="Bring this moment back").wait_for()
    # Keys step through the objects.
    a.locator(".past").focus()
    a.keyboard.press(".")
    says(a, ".past-bar .note", "1 of 2")
    a.get_by_role("button", name="Bring this back").click()
    says(a, "#toasts", "both are on the page")
    has_strokes(b, 3)
    for y in (250, 350, 500):
        sees_ink(b, 300, y)
    all_hold_the_same(a, b)
    # The returned object is selected, so that it can be moved aside.
    a.locator("#chosen").wait_for()


@both_in_full
def test_a_link_leads_to_a_moment(browser, open_page, problems):
    problems.allow("/history", "clipboard")
    a, b = two_strokes(open_page, browser)
    wipe(a)
    has_strokes(b, 0)
    open_machine(a)
    go_back(a, 300, 350)
    a.get_by_role("button", name="Copy link to this moment").click()
    until(lambda: a.locator(".past-bar .note").inner_text())
    link = a.locator("#time-machine input[type=text]").input_value()
    assert re.search(r"/s/[\w-]{22}#at=\d+$", link)
    c = open_page(browser, link)
    is_open(c)
    shows_past_ink(c, 300, 350)
    # The same link again, while it is open; then another moment.
    c.evaluate("location.hash = '#at=0'")
    shows_past_ink(c, 300, 350, False)
    c.evaluate("location.hash = '#at=2100-01-01T00:00Z'")
    until(lambda: c.locator("#past-slider").input_value(), lambda value: value == "1000")
    close(c)
    until(lambda: "at=" in address(c), lambda found: not found)
    c.evaluate("location.hash = '#at=yesterday'")
    says(c, "#toasts", "does not name a moment")
    assert "at=" not in address(c)
    c.reload()
    ready(c)
    sees_people(c, 3)
    assert c.locator("#time-machine").count() == 0


@in_full
@both
def test_the_history_is_played(browser, open_page, problems):
    problems.allow("/history")
    a = open_page(browser)
    share(a)
    for y in range(200, 500, 50):
        draw(a, line(200, y, 500, y))
    has_strokes(a, 6)
    open_machine(a)
    a.get_by_label("Speed").select_option("1")
    # At the end, it starts again.
    a.get_by_role("button", name="Play").click()
    a.get_by_role("button", name="Pause").wait_for()
    shows_past_ink(a, 300, 450, False)
    a.locator("#past-slider").focus()
    a.keyboard.press(" ")
    a.get_by_role("button", name="Play").wait_for()
    a.get_by_label("Speed").select_option("100")
    a.get_by_role("button", name="Play").click()
    until(lambda: a.locator("#past-slider").input_value(), lambda value: value == "1000", seconds=30)
    a.get_by_role("button", name="Play").wait_for()
    shows_past_ink(a, 300, 450)


@in_full
@both
def test_with_reduced_motion_the_playback_jumps(browser, open_page, problems):
    problems.allow("/history")
    a = open_page(browser, reduced_motion="reduce")
    share(a)
    draw(a, LINE)
    draw(a, LOWER)
    has_strokes(a, 2)
    open_machine(a)
    a.get_by_label("Speed").select_option("100")
    a.get_by_role("button", name="Play").click()
    until(lambda: a.locator("#past-slider").input_value(), lambda value: value == "1000")
    shows_past_ink(a, 300, 350)


@in_full
@both
def test_removing_everything_asks_if_it_includes_the_work_of_others(browser, open_page):
    a = open_page(browser)
    draw(a, LINE)
    a.keyboard.press("Control+a")
    a.keyboard.press("Delete")
    has_strokes(a, 0)
    b = open_page(browser, share(a))
    sees_people(a, 2)
    a.keyboard.press("p")
    draw(a, LINE)
    has_strokes(b, 1)
    # This person's own work is removed at once.
    a.locator("#canvas").focus()
    a.keyboard.press("Control+a")
    a.keyboard.press("Delete")
    has_strokes(b, 0)
    a.keyboard.press("p")
    draw(a, LINE)
    draw(a, LOWER)
    has_strokes(b, 2)
    b.keyboard.press("Control+a")
    b.keyboard.press("Delete")
    says(b, "#confirm-dialog", "Remove everything for everyone?")
    says(b, "#confirm-dialog", "Anyone can bring it back with the time machine.")
    b.keyboard.press("Escape")
    b.locator("#confirm-dialog").wait_for(state="hidden")
    assert strokes(a) == 2
    # A part is removed without a question.
    b.keyboard.press("Escape")
    b.keyboard.press("v")
    b.mouse.click(300, 250)
    b.locator("#chosen").wait_for()
    b.keyboard.press("Delete")
    has_strokes(a, 1)
    draw(a, LINE)
    has_strokes(b, 2)
    wipe(b)
    has_strokes(a, 0)


@in_full
@both
def test_removed_pictures_have_an_empty_frame(browser, open_page, problems, tmp_path):
    problems.allow("/history", "/attachments/", "404")
    a = open_page(browser)
    path = share(a)
    other = open_page(browser, path)
    drop(a, (400, 300), photo(tmp_path, "sea.jpg", TEAL))
    appear(other, "sea.jpg")
    select(a, "sea.jpg")
    a.keyboard.press("Delete")
    sees_items(other)
    # The browsers of the participants who saw the picture may still have it in their caches.
    b = open_page(browser, path)
    open_machine(b)
    # The frame of a picture.
    go_back(b, 400, 300)
    until(lambda: b.get_by_role("button", name="Bring this moment back").is_enabled())
    b.get_by_role("button", name="Bring this moment back").click()
    says(b, ".past-bar .note", "cannot come back", seconds=15)
    assert items(b) == []


@in_full
@both
def test_the_sheets_are_those_of_the_moment(browser, open_page, problems):
    problems.allow("/history")
    a = open_page(browser)
    b = open_page(browser, share(a))
    sees_people(a, 2)
    draw(a, LINE)
    a.locator("#add-sheet").click()
    until(lambda: a.locator("#sheets [role=tab]").count(), lambda count: count == 2)
    draw(a, LOWER)
    has_strokes(b, 2)
    a.keyboard.press("Control+a")
    a.keyboard.press("Delete")
    has_strokes(b, 1)
    open_machine(b)
    # The tabs of the page behind it have the same label.
    choice = b.locator("#time-machine").get_by_label("Sheets")
    choice.select_option("2")
    b.get_by_role("button", name="Previous change").click()
    b.locator("#time-machine").get_by_role("button", name="Show everything").click()
    b.get_by_role("button", name="Bring this moment back").click()
    has_strokes(a, 2)
    open_machine(b)
    slide(b, "Home")
    choice.wait_for(state="hidden")


@in_full
@both
def test_damaged_and_missing_histories_are_reported(browser, open_page, problems):
    problems.allow("/history", "404", "503")
    a, b = two_strokes(open_page, browser)
    overview = re.compile(r"/history$")
    pieces = re.compile(r"/history\?")
    answers = [
        ({"status": 200, "body": '{"through":'}, "damaged"),
        ({"status": 200, "body": '{"through":9,"states":{},"chunks":7}'}, "damaged"),
        ({"status": 404, "body": '{"code":"not-found"}'}, "keeps no history"),
        (
            {"status": 200, "body": '{"through":0,"stored":0,"states":[],"chunks":[],"buckets":[],"participants":[]}'},
            "no history yet",
        ),
    ]
    for answer, text in answers:
        # Playwright would give the request to a second positional parameter.
        b.route(overview, lambda route, *, answer=answer: route.fulfill(content_type="application/json", **answer))
        choose(b, "show-past")
        says(b, ".past-bar .note", text)
        assert b.locator("#past-slider").is_hidden()
        close(b)
        b.unroute(overview)
    b.route(pieces, lambda route: route.fulfill(status=200, body=b"\xff\x00\x01\x02", content_type="application/octet-stream"))
    choose(b, "show-past")
    says(b, ".past-bar .note", "damaged")
    b.unroute(pieces)
    # Another moment can be read.
    b.get_by_role("button", name="Previous change").click()
    slide(b, "End")
    shows_past_ink(b, 300, 350)
    close(b)
    draw(b, line(200, 450, 500, 450))
    has_strokes(a, 3)


@in_full
def test_without_a_history_there_is_no_time_machine(chromium, unopened_page, problems):
    problems.allow("/history", "404")
    running = Gateway("--history", "off")
    try:
        a = unopened_page(chromium)
        a.goto(running.http)
        ready(a)
        a.locator("#more").click()
        a.locator("#pages").wait_for()
        assert a.locator("#show-past").is_hidden()
        a.keyboard.press("Escape")
        path = share(a)
        draw(a, LINE)
        draw(a, LOWER)
        a.locator("#more").click()
        a.locator("#pages").wait_for()
        assert a.locator("#show-past").is_hidden()
        b = unopened_page(chromium)
        b.goto(f"{running.http}{path}#at=3")
        ready(b)
        says(b, ".past-bar .note", "keeps no history")
        close(b)
        sees_ink(b, 300, 250)
        b.keyboard.press("Control+a")
        b.keyboard.press("Delete")
        says(b, "#confirm-dialog", "This includes the work of others.")
        assert "time machine" not in b.locator("#confirm-dialog").inner_text()
    finally:
        running.stop()


@in_full
@both
def test_an_erased_page_with_thousands_of_objects_comes_back_complete_and_in_order(browser, unopened_page, problems, out):
    problems.allow("/history")
    running = Gateway()
    try:
        a, b = (unopened_page(browser, viewport={"width": 1000, "height": 700}) for _ in range(2))
        a.goto(running.http)
        ready(a)
        path = share(a)
        b.goto(running.http + path)
        ready(b)
        sees_people(a, 2)
        a.evaluate(CROWD, COUNT)
        for page in (a, b):
            has_strokes(page, COUNT, seconds=60)
        before = order(a)
        moment = until(lambda: recorded(a), lambda found: found["strokes"] == COUNT)["through"]
        wipe(a)
        for page in (a, b):
            has_strokes(page, 0, seconds=60)
        # A person who joins later brings the page back.
        c = unopened_page(browser)
        c.goto(running.http + path)
        ready(c)
        sees_people(a, 4)
        open_machine(c)
        c.evaluate(f"location.hash = '#at={moment}'")
        until(lambda: sequence(c), lambda shown: shown == moment, seconds=20)
        shows_past_ink(c, 46, 83, seconds=20)
        c.screenshot(path=out / "history-thousands.png")
        c.get_by_role("button", name="Bring this moment back").click()
        c.locator("#time-machine").wait_for(state="hidden")
        for page in (c, a, b):
            has_strokes(page, COUNT, seconds=30)
            assert order(page) == before
        all_hold_the_same(a, b, c)
        c.keyboard.press("Control+z")
        for page in (c, a, b):
            has_strokes(page, 0, seconds=30)
    finally:
        running.stop()


def recorded(page: Page) -> dict:
    """Returns the last sequence of the history, and the number of strokes in the history. No stroke may have been changed."""
    script = """async () => {
      const answer = await fetch(`/api/sessions/${location.pathname.slice(3)}/history`);
      const { through, buckets } = await answer.json();
      let strokes = 0;
      for (const bucket of buckets) {
        const senders = bucket[5];
        for (let at = 0; at < senders.length; at += 2) if (senders[at] > 0) strokes += senders[at + 1];
      }
      return { through, strokes };
    }"""
    return page.evaluate(script)


LOOKS = {
    "desktop-light": {},
    "desktop-dark": {"color_scheme": "dark"},
    "phone-light": PHONE,
    "phone-dark": {"color_scheme": "dark", **PHONE},
    "phone-landscape": {**PHONE, "viewport": {"width": 844, "height": 390}},
}


@in_full
@pytest.mark.parametrize("look", LOOKS)
def test_the_time_machine_fits_and_axe_finds_no_problem(chromium, open_page, problems, out, look):
    problems.allow("/history", "404")
    a, b = two_strokes(open_page, chromium)
    page = open_page(chromium, address(a), **LOOKS[look])
    sees_people(a, 3)

    def check(name: str) -> None:
        # Colors have less contrast while they fade in.
        until(lambda: page.evaluate("document.getAnimations().every(({ playState }) => playState !== 'running')"))
        page.screenshot(path=out / f"history-{name}-{look}.png")
        found = Axe().run(page).response["violations"]
        assert found == [], json.dumps(found, indent=1)[:3000]

    def fits() -> None:
        for control in page.locator("#time-machine :is(button, select, input):visible").all():
            box = control.bounding_box()
            # While a dialog slides in, its heights have rounding errors.
            assert round(box["height"], 2) >= 44 and round(box["width"], 2) >= 44, box
            assert box["x"] >= 0 and box["x"] + box["width"] <= page.viewport_size["width"], box
            assert box["y"] >= 0 and box["y"] + box["height"] <= page.viewport_size["height"], box

    open_machine(page)
    fits()
    check("present")
    page.get_by_role("button", name="Previous change").click()
    page.locator(".past").focus()
    page.keyboard.press(".")
    page.get_by_role("button", name="Bring this back").wait_for()
    fits()
    check("chosen")
    # At the lowest speed, so that the playback of this short history does not end meanwhile.
    page.get_by_label("Speed").select_option("1")
    page.get_by_role("button", name="Play").click()
    page.get_by_role("button", name="Pause").wait_for()
    check("playing")
    close(page)
    page.route(re.compile(r"/history$"), lambda route: route.fulfill(status=404, body='{"code":"not-found"}'))
    choose(page, "show-past")
    says(page, ".past-bar .note", "keeps no history")
    check("none")
    close(page)
    page.locator("#canvas").focus()
    page.keyboard.press("Control+a")
    page.keyboard.press("Delete")
    says(page, "#confirm-dialog", "Remove everything")
    check("question")
