"""Requirements on every deployment, with any proxy: at the address in DRAWTOGETHER_URL, else with a local gateway."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from board import all_hold_the_same, are_drawn, draw, item, lie_alike, line, says, sees_color, sees_ink, sees_people, share
from conftest import both, in_full
from photos import TEAL, drop, photo
from tunnel import Tunnel


@pytest.fixture(scope="session")
def base(request: pytest.FixtureRequest) -> str:
    if named := os.environ.get("DRAWTOGETHER_URL"):
        return named.rstrip("/") + "/"
    return request.getfixturevalue("gateway").https


@pytest.fixture
def tunnel() -> Iterator[Tunnel]:
    between = Tunnel()
    yield between
    between.close()


@in_full
@both
def test_two_participants_draw_share_a_picture_and_survive_a_cut(
    browser, chromium, open_page, base, tunnel, problems, tmp_path
):
    print(f"against {base}")
    # Browsers report a lost socket on the console.
    problems.allow("WebSocket", "establish a connection", "was interrupted", "ERR_", "NS_ERROR_NET")
    a = open_page(chromium, proxy=tunnel.option)
    draw(a, line(100, 150, 300, 150))
    path = share(a)
    b = open_page(browser, path)
    for page in (a, b):
        sees_people(page, 2)
        sees_ink(page, 200, 150)
    draw(b, line(100, 250, 300, 250))
    sees_ink(a, 200, 250)

    drop(b, (600, 300), photo(tmp_path, "beach.jpg", TEAL))
    for page in (a, b):
        are_drawn(page, "beach.jpg")
        place = item(page, "beach.jpg")
        sees_color(page, place["x"], place["y"], TEAL)

    # A dropped picture is selected.
    b.keyboard.press("p")
    tunnel.refuse()
    draw(a, line(100, 350, 300, 350))
    draw(b, line(100, 450, 300, 450))
    says(a, "#banner", "Reconnecting… 1 stroke is safe on this device.", seconds=20)
    tunnel.mend()
    # It may have reconnected by itself by now.
    a.evaluate("document.getElementById('banner-action').click()")
    says(a, "#banner", "Back. 1 stroke sent.", seconds=30)
    for page in (a, b):
        sees_people(page, 2)
        for y in (150, 250, 350, 450):
            sees_ink(page, 200, y)
    lie_alike(a, b)
    all_hold_the_same(a, b)
