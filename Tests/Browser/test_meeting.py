"""Following, pointing, raised hands, reactions, and the request to come here."""

from __future__ import annotations

import json

import pytest
from axe_playwright_python.sync_playwright import Axe
from board import (
    PHONE, Fingers, all_hold_the_same, choose, draw, has_ink, line, move, open_people, people, picture, says, sees_ink, sees_people,
    share, state, tool,
)
from conftest import both, both_in_full, in_full, until

LIVE = "document.getElementById('live').textContent"
# The center and the scale of the view. The dots of the paper show both, because they follow the camera.
PAPER = "[canvas.style.backgroundSize, canvas.style.backgroundPosition].join()"


def pair(open_page, first, second, **options):
    """Opens a session with two people, and returns their pages."""
    a = open_page(first, **options)
    path = share(a)
    b = open_page(second, path)
    sees_people(a, 2)
    sees_people(b, 2)
    return a, b


def face(page):
    return page.locator(".chip:not(.me)")


def follow(page) -> None:
    face(page).click()
    page.locator(".follow-bar").wait_for()


def hears(page, text: str) -> None:
    until(lambda: page.evaluate(LIVE), lambda said: text in said)


def paper(page) -> str:
    return page.evaluate(PAPER)


def together(page, action: str) -> None:
    page.locator("#together").click()
    page.locator("#meeting").get_by_role("button", name=action).click()


@both
def test_a_click_on_a_face_follows_and_own_actions_end_it(browser, open_page):
    a, b = pair(open_page, browser, browser)
    name = people(a)[0]
    follow(b)
    says(b, ".follow-bar", f"Following {name}")
    assert face(b).get_attribute("aria-pressed") == "true"
    hears(a, "follows you")
    a.locator(".chip.me .badge[data-kind=eye]").wait_for()
    face(a).locator(".badge[data-kind=eye]").wait_for()
    # Both windows have the same size, so the views become equal.
    a.mouse.move(500, 350)
    a.mouse.wheel(300, 700)
    until(lambda: paper(a) == paper(b))
    a.keyboard.press("+")
    until(lambda: b.locator("#zoom-level").inner_text(), lambda text: text == "125 %")
    for end in ("Escape", "button", "draw", "wheel", "face"):
        if end == "Escape":
            b.keyboard.press("Escape")
        elif end == "button":
            b.locator(".follow-bar button").click()
        elif end == "draw":
            draw(b, line(300, 300, 400, 300))
        elif end == "wheel":
            b.mouse.move(500, 350)
            b.mouse.wheel(0, 50)
        else:
            face(b).click()
        b.locator(".follow-bar").wait_for(state="hidden")
        a.locator(".chip.me .badge").wait_for(state="detached")
        before = paper(b)
        a.mouse.wheel(0, -120)
        until(lambda: paper(a) != before)
        assert paper(b) == before, end
        follow(b)
        until(lambda: paper(a) == paper(b))


@in_full
@both
def test_a_phone_sees_the_whole_view_of_a_desk(browser, open_page):
    a = open_page(browser)
    path = share(a)
    size = {"viewport": {"width": 390, "height": 844}}
    b = open_page(browser, path, **size)
    sees_people(a, 2)
    draw(a, line(5, 100, 995, 100))
    before = paper(a)
    a.mouse.wheel(0, 3000)
    until(lambda: paper(a) != before)
    draw(a, line(5, 350, 995, 350))
    follow(b)
    # 1000 points are 390 pixels wide, in the middle.
    until(lambda: b.locator("#fit-label").text_content(), lambda text: text == "39 %")
    # The line is less than two pixels wide there, and its exact width depends on the speed at which it was drawn.
    until(lambda: any(has_ink(b, 195, y) for y in range(420, 425)))
    assert not has_ink(b, 195, 600)


@in_full
def test_following_survives_a_reload_and_a_new_page(chromium, open_page):
    a, b = pair(open_page, chromium, chromium)
    draw(a, line(100, 200, 300, 200))
    follow(b)
    a.reload()
    sees_people(a, 2)
    a.mouse.move(500, 350)
    a.mouse.wheel(0, 400)
    until(lambda: paper(a) == paper(b))
    choose(a, "clear")
    a.locator("#confirm-ok").click()
    says(b, "#toasts", "started a new page")
    a.mouse.move(500, 350)
    a.mouse.wheel(500, 0)
    until(lambda: paper(a) == paper(b))
    b.locator(".follow-bar").wait_for()


@in_full
def test_three_people_who_follow_each_other_stay_until_one_moves(chromium, open_page):
    a, b = pair(open_page, chromium, chromium)
    c = open_page(chromium, a.url)
    for page in (a, b, c):
        sees_people(page, 3)
    names = people(a)
    for page, leader in ((a, 1), (b, 2), (c, 0)):
        page.get_by_role("button", name=f"Follow {names[leader]}").click()
        page.locator(".follow-bar").wait_for()
    before = [paper(page) for page in (a, b, c)]
    c.mouse.move(500, 350)
    c.mouse.wheel(0, 300)
    until(lambda: paper(a) == paper(b) == paper(c) != before[2])
    assert c.locator(".follow-bar").is_hidden()


@both_in_full
def test_a_laser_is_seen_by_all_and_leaves_nothing(browser, open_page):
    a, b = pair(open_page, browser, browser)
    draw(a, line(100, 200, 300, 200))
    sees_ink(b, 200, 200)
    all_hold_the_same(a, b)
    before = state(a), picture(a)
    a.keyboard.press("k")
    a.mouse.move(200, 400)
    a.mouse.down()
    move(a, line(200, 400, 600, 450, 30))
    for page in (a, b):
        page.locator(".lasers").wait_for(state="attached")
    # A laser that is held still stays.
    until(lambda: b.evaluate("document.querySelector('.lasers') !== null"))
    a.mouse.up()
    for page in (a, b):
        page.locator(".lasers").wait_for(state="detached")
    assert (state(a), picture(a)) == before
    assert a.locator("#undo").is_enabled()
    a.keyboard.press("Control+z")
    until(lambda: not has_ink(a, 200, 200))
    assert a.locator("#undo").is_disabled()


@in_full
@both
def test_a_place_is_shown_by_key_by_long_press_and_by_command(browser, open_page):
    a, b = pair(open_page, browser, browser)
    name = people(a)[0]
    a.mouse.move(300, 300)
    a.keyboard.press("j")
    for page in (a, b):
        says(page, ".ping .tag", name)
    hears(b, f"{name} shows a place")
    for page in (a, b):
        page.locator(".ping").wait_for(state="detached", timeout=12_000)
    a.keyboard.press("v")
    a.mouse.move(500, 500)
    a.mouse.down()
    says(b, ".ping .tag", name)
    a.mouse.up()
    a.keyboard.press("p")
    b.locator(".ping").wait_for(state="detached", timeout=12_000)
    together(a, "Show a place")
    a.mouse.click(600, 300)
    says(b, ".ping .tag", name)
    assert a.evaluate("drawTogether.shapes().length") == 0


@both_in_full
def test_a_place_outside_of_the_view_has_an_arrow_that_leads_there(browser, open_page):
    a, b = pair(open_page, browser, browser)
    a.mouse.move(500, 350)
    before = paper(a)
    a.mouse.wheel(3000, 0)
    until(lambda: paper(a) != before)
    a.keyboard.press("j")
    arrow = b.locator(".edge-ping")
    arrow.wait_for()
    box = arrow.bounding_box()
    assert box["x"] > 900
    arrow.click()
    until(lambda: paper(a) == paper(b))


@in_full
def test_fingers_show_a_place_by_a_long_press(chromium, open_page):
    a = open_page(chromium, **PHONE)
    path = share(a)
    b = open_page(chromium, path)
    sees_people(a, 2)
    tool(a, "[data-tool=hand]")
    finger = Fingers(a)
    finger.down((200, 400))
    b.locator(".ping .tag").wait_for()
    finger.up()


@both_in_full
def test_people_who_watch_are_brought_here_and_others_are_asked(browser, open_page):
    a, b = pair(open_page, browser, browser)
    name = people(a)[0]
    a.mouse.move(500, 350)
    a.mouse.wheel(2000, 500)
    before = paper(b)
    b.mouse.move(400, 400)
    together(a, "Bring everyone here")
    says(a, "#toasts", "You asked 1 person to come here")
    says(b, "#toasts", f"{name} wants to show you something")
    hears(b, name)
    assert paper(b) == before
    b.get_by_role("button", name="Go there").click()
    until(lambda: paper(a) == paper(b))
    # From now on, no input for a while.
    b.evaluate("""() => {
      const now = performance.now.bind(performance);
      performance.now = () => now() + 60_000;
    }""")
    a.mouse.wheel(-700, 0)
    together(a, "Bring everyone here")
    says(b, "#toasts", f"{name} brought you here")
    until(lambda: paper(a) == paper(b))
    b.get_by_role("button", name="Back", exact=True).click()
    until(lambda: paper(a) != paper(b))
    # This is the third request within a few seconds, which is too many.
    together(a, "Bring everyone here")
    says(a, "#toasts", "Wait a moment")


@both_in_full
def test_raised_hands_are_shown_in_order_and_to_newcomers(browser, open_page):
    a, b = pair(open_page, browser, browser)
    names = people(a)
    b.keyboard.press("w")
    says(a, "#toasts", f"{names[1]} raises a hand")
    face(a).locator(".badge[data-kind=hand]").wait_for()
    b.locator(".chip.me .badge[data-kind=hand]").wait_for()
    together(a, "Raise your hand")
    face(b).locator(".badge[data-kind=hand]").wait_for()
    late = open_page(browser, a.url)
    until(lambda: late.locator(".chip:not(.me) .badge[data-kind=hand]").count(), lambda count: count == 2)
    labels = late.locator(".chip:not(.me)").evaluate_all("(all) => all.map((one) => one.getAttribute('aria-label'))")
    assert labels == [f"Follow {names[1]}, hand raised, number 1", f"Follow {names[0]}, hand raised, number 2"]
    b.keyboard.press("w")
    until(lambda: late.locator(".chip:not(.me) .badge").count(), lambda count: count == 1)
    together(a, "Raise your hand")
    for page in (a, b, late):
        until(lambda page=page: page.locator(".badge").count(), lambda count: count == 0)


@both_in_full
def test_reactions_rise_and_are_gone(browser, open_page):
    a, b = pair(open_page, browser, browser)
    name = people(a)[0]
    a.locator("#together").click()
    for _ in range(20):
        a.get_by_role("button", name="Thumbs up").click()
    for page in (a, b):
        says(page, ".reaction", name)
        assert page.locator(".reaction").count() <= 5
    for page in (a, b):
        until(lambda page=page: page.locator(".reaction").count(), lambda count: count == 0)


# Joins by the wire protocol, and sends unreliable messages as fast as possible. Returns when the socket has taken all of them.
FLOOD = """async ([session, messages]) => {
  const socket = new WebSocket(`/api/sessions/${session}/socket`, 'drawtogether.v1');
  const encoder = new TextEncoder();
  const entryOf = ([name, payload]) => {
    const [type, text] = [encoder.encode(name), encoder.encode(JSON.stringify(payload))];
    const bytes = new Uint8Array(10 + type.length + text.length);
    new DataView(bytes.buffer).setUint32(0, bytes.length - 4);
    bytes[5] = type.length;
    bytes.set(type, 10);
    bytes.set(text, 10 + type.length);
    return bytes;
  };
  await new Promise((done) => {
    socket.onopen = () => socket.send(JSON.stringify({ join: { name: 'Flood' } }));
    socket.onmessage = ({ data }) => {
      if (typeof data !== 'string' || !JSON.parse(data).caughtUp) return;
      for (const message of messages) socket.send(entryOf(message));
      done();
    };
  });
  globalThis.flooding = socket;
}"""


def flood(count: int) -> list[tuple[str, object]]:
    """Returns messages of all kinds, and some invalid messages."""
    made = []
    for at in range(count):
        made += [
            ("PingMessage", {"point": [at, at]}),
            ("ReactionMessage", {"emoji": "👍"}),
            ("GatherMessage", {"view": [at, 0, at + 1000, 700]}),
            ("LaserMessage", {"points": [[one * at, at] for one in range(24)]}),
            ("HandMessage", {"raised": at} if at % 2 else {}),
            ("ViewMessage", {"view": [0, 0, at + 1, at + 1], "of": 0}),
            ("FollowMessage", [None]),
        ]
    return made


def test_a_flood_from_one_participant_stays_bounded(chromium, open_page):
    a = open_page(chromium)
    path = share(a)
    flooder = open_page(chromium)
    flooder.evaluate(FLOOD, [path.removeprefix("s/"), flood(200)])
    says(a, ".reaction", "Flood")
    assert a.locator(".reaction").count() <= 5
    assert a.locator(".ping, .edge-ping").count() <= 1
    assert a.locator("[data-offer]").count() <= 1
    assert a.locator(".toast").count() <= 8
    draw(a, line(100, 300, 300, 300))
    sees_ink(a, 200, 300)


@in_full
def test_the_list_offers_the_same_actions_as_the_faces(chromium, open_page):
    a = open_page(chromium, **PHONE)
    path = share(a)
    others = [open_page(chromium, path) for _ in range(3)]
    sees_people(a, 4)
    names = people(a)
    assert face(a).count() == 2
    others[2].keyboard.press("w")
    # The person with the raised hand comes first if there is room for one face only.
    until(lambda: face(a).first.get_attribute("aria-label"), lambda label: label == f"Follow {names[3]}, hand raised, number 1")
    a.locator(".chip[data-rest]").click()
    a.get_by_role("button", name=f"Follow {names[2]}").click()
    says(a, ".follow-bar", f"Following {names[2]}")
    a.locator(".follow-bar button").tap()
    open_people(a)
    rows = a.locator("#people-list li").all()
    assert [names[3] in rows[1].inner_text(), rows[1].locator(".raised").count()] == [True, 1]


@in_full
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", ["desk", "phone"])
def test_axe_finds_no_problem(chromium, open_page, size, scheme, out):
    options = {"reduced_motion": "reduce", "color_scheme": scheme, **(PHONE if size == "phone" else {})}
    a = open_page(chromium, **options)
    path = share(a)
    b, c = open_page(chromium, path), open_page(chromium, path)
    sees_people(a, 3)

    def looks(name: str) -> None:
        a.screenshot(path=out / f"meeting-{name}-{size}-{scheme}.png")
        found = Axe().run(a).response["violations"]
        told = [(one["id"], [(node["html"], node["failureSummary"]) for node in one["nodes"]]) for one in found]
        assert not found, f"{name}: {json.dumps(told, indent=1)}"

    b.keyboard.press("w")
    face(a).locator(".badge").first.wait_for()
    a.locator("#together").click()
    looks("panel")
    a.keyboard.press("Escape")
    open_people(a)
    looks("list")
    a.keyboard.press("Escape")
    together(b, "Bring everyone here")
    a.locator("[data-offer]").wait_for()
    c.mouse.move(200, 500)
    c.keyboard.press("j")
    b.mouse.move(500, 350)
    b.mouse.wheel(3000, 0)
    b.keyboard.press("j")
    together(c, "Thumbs up")
    c.keyboard.press("k")
    c.mouse.move(300, 300)
    c.mouse.down()
    move(c, line(300, 300, 500, 420, 20))
    a.locator(".edge-ping").first.wait_for()
    looks("pointing")
    c.mouse.up()
    face(a).first.click()
    a.locator(".follow-bar").wait_for()
    looks("following")
