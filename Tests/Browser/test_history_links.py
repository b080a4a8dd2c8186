"""Links to moments that are followed while the time machine is busy."""

from __future__ import annotations

import re

from board import choose
from conftest import both, in_full, until
from test_history import two_strokes

FOLLOWED = """new Promise((followed) => {
  addEventListener('hashchange', () => followed(true), { once: true });
  location.hash = '#at=1';
})"""


@in_full
@both
def test_a_link_that_is_opened_while_the_history_loads_takes_effect(browser, open_page, problems):
    problems.allow("/history")
    _, b = two_strokes(open_page, browser)
    held = []
    b.route(re.compile(r"/history$"), lambda route: held.append(route))
    choose(b, "show-past")
    until(lambda: b.locator("#time-machine:visible").count() and len(held))
    assert b.evaluate(FOLLOWED)
    held[0].continue_()
    until(lambda: b.locator("#time-machine").get_attribute("data-sequence"), lambda found: found == "1")
