"""Eight people in two browsers make random changes at the same time. In the end, all of them have the same drawing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from random import Random
from urllib.parse import urlsplit

import pytest
from board import items, kept, picture, places, sees_people, share, state
from conftest import in_full, until
from playwright.sync_api import Browser, Page
from proxy import Proxy
from random_acts import (
    WINDOW, Act, Person, accepts, adds_a_picture, adds_a_sheet, brings_everybody, connects, enters, erases, follows,
    goes_offline, goes_to_a_sheet, looks_elsewhere, loses_the_connection, points, reloads, rests, shapes, sheets,
    sticks_a_note, strokes, undoes, writes,
)  # fmt: skip
from random_changes import changes, unlocks
from test_meeting import paper

SEEDS = [20, 61]
PEOPLE = 8
# The people who join while the others draw.
LATE = 3
# The 200 acts of a meeting. The seed determines their order.
ACTS: dict[Act, int] = {
    strokes: 27, shapes: 16, writes: 10, sticks_a_note: 10, connects: 10, erases: 16, changes: 38, unlocks: 3, undoes: 14,
    adds_a_picture: 6, adds_a_sheet: 3, goes_to_a_sheet: 8, looks_elsewhere: 8, follows: 6, brings_everybody: 2, accepts: 2,
    points: 6, loses_the_connection: 7, goes_offline: 4, reloads: 4,
}  # fmt: skip
# The number of acts for which a person stays offline.
OUTAGE = 8
# The maximum time until all people have the same drawing, even on a busy machine.
PATIENCE = 60
SHAPES = "drawTogether.shapes().map(({ id, type, text, rgb, z }) => [id, type, text, rgb, z])"


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    given = metafunc.config.getoption("--seed")
    metafunc.parametrize("seed", SEEDS if given is None else [given])


class Meeting:
    """The people in a session. People with even numbers use Chromium, the others Firefox."""

    def __init__(self, browsers: tuple[Browser, Browser], open_page, gateway, folder: Path, lines: ExitStack) -> None:
        self.people: list[Person] = []
        self.path = ""
        self.browsers, self.open_page, self.folder, self.lines = browsers, open_page, folder, lines
        address = urlsplit(gateway.http)
        self.target = address.hostname or "127.0.0.1", address.port or 80

    @property
    def pages(self) -> list[Page]:
        return [person.page for person in self.people]

    def arrives(self) -> None:
        """Lets one more person open the link. The first person shares the page."""
        browser = self.browsers[len(self.people) % 2]
        proxy = Proxy(self.target)
        self.lines.callback(proxy.close)
        page = self.open_page(browser, f"http://127.0.0.1:{proxy.port}/{self.path}", **WINDOW)
        name = f"{browser.browser_type.name} {len(self.people) // 2 + 1}"
        print(f"    {name} arrives", flush=True)
        if browser.browser_type.name == "chromium":
            page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        self.path = self.path or share(page)
        enters(page)
        self.people.append(Person(name, browser, page, proxy, self.folder))

    def ends(self) -> None:
        """Brings everybody online, and ends all acts."""
        for person in self.people:
            person.proxy.mend()
            rests(person.page)


@pytest.fixture
def meeting(chromium, firefox, open_page, gateway, problems, tmp_path) -> Iterator[Meeting]:
    # Browsers report lost connections, also of requests, on the console.
    problems.allow("WebSocket", "establish a connection", "was interrupted", "ERR_", "NS_", "Cross-Origin", "failed: ")
    problems.allow("Failed to load resource")
    with ExitStack() as lines:
        yield Meeting((chromium, firefox), open_page, gateway, tmp_path, lines)


@in_full
@pytest.mark.timeout(600)
def test_everybody_has_the_same_drawing_in_the_end(meeting, seed):
    print(f"repeat with --seed {seed}")
    chance = Random(seed)
    acts = [act for act, count in ACTS.items() for _ in range(count)]
    chance.shuffle(acts)
    arrivals = chance.sample(range(10, 150), LATE)
    offline: dict[int, Person] = {}
    for _ in range(PEOPLE - LATE):
        meeting.arrives()
    for number, act in enumerate(acts):
        if number in arrivals:
            meeting.arrives()
        if back := offline.pop(number - OUTAGE, None):
            back.proxy.mend()
        own = Random(f"{seed}/{number}")
        person = own.choice(meeting.people)
        print(f"{number:3} {person.name} {act.__name__}", end=" ", flush=True)
        rests(person.page)
        print(act(person, own), flush=True)
        if act is goes_offline:
            offline[number] = person
    meeting.ends()
    hold_the_same(meeting.pages)
    look_the_same(meeting)


def hold_the_same(pages: list[Page]) -> None:
    for page in pages:
        sees_people(page, PEOPLE, PATIENCE)
        until(lambda page=page: kept(page), lambda count: count == 0, PATIENCE)
    until(lambda: {one["state"] for page in pages for one in items(page)}, lambda states: states <= {"ready"}, PATIENCE)
    until(lambda: {state(page) for page in pages}, lambda found: len(found) == 1 and "" not in found, PATIENCE)
    until(lambda: all(page.evaluate("drawTogether.isSettled") for page in pages), seconds=PATIENCE)
    # The same entries have become the same objects.
    for what in (places, lambda page: sorted(page.evaluate(SHAPES)), lambda page: [one[:2] for one in sheets(page)]):
        until(lambda what=what: {str(what(page)) for page in pages}, lambda found: len(found) == 1, PATIENCE)
    assert len(pages[0].evaluate(SHAPES)) > 20


def look_the_same(meeting: Meeting) -> None:
    """Compares the pixels of each sheet in each browser."""
    for number, _, _ in sheets(meeting.pages[0]):
        for page in meeting.pages:
            show(page, number)
        for browser in meeting.browsers:
            pages = [person.page for person in meeting.people if person.browser is browser]
            until(lambda pages=pages: {(paper(page), picture(page)) for page in pages}, lambda found: len(found) == 1, PATIENCE)


def show(page: Page, number: str) -> None:
    """Shows the whole of a sheet."""

    def is_shown() -> bool:
        return any(one == number and is_it == "true" for one, _, is_it in sheets(page))

    if not is_shown():
        page.locator(f"#sheets [data-number='{number}']").click()
        until(is_shown)
    page.keyboard.press("f")
