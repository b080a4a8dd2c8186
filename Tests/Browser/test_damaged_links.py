"""Links that were damaged when people passed them on, and addresses without a page."""

from __future__ import annotations

import json

import pytest
from axe_playwright_python.sync_playwright import Axe
from board import PHONE, draw, line, path_of, says, sees_ink, sees_paper, sees_people, share
from conftest import both, both_in_full, in_full, ready, until

TITLE = "This link is damaged"


def is_accessible(page) -> None:
    found = Axe().run(page).response["violations"]
    assert not found, json.dumps([(one["id"], [node["html"] for node in one["nodes"]]) for one in found], indent=1)


@in_full
@both
def test_a_link_with_extra_characters_opens_the_session(browser, open_page):
    a = open_page(browser)
    draw(a, line(100, 250, 300, 250))
    path = share(a)
    identifier = path.removeprefix("s/")
    names = (f"{identifier}.", f"{identifier},", f"{identifier})", f"{identifier}%20", f"%3C{identifier}%3E", f"{identifier}/")
    for others, name in enumerate(names, 1):
        b = open_page(browser, f"s/{name}")
        sees_people(a, 1 + others)
        sees_ink(b, 200, 250)
        # The address is corrected, so that it can be copied.
        assert path_of(b) == path
        assert b.locator("dialog[open]").count() == 0


@both_in_full
def test_a_link_without_a_session_is_reported_before_anyone_draws(browser, open_page):
    a = open_page(browser)
    path = share(a)
    for damaged in (path[:-1], path[:-5], f"{path}A", "s/x"):
        page = open_page(browser, damaged)
        says(page, "#damaged-dialog", TITLE)
        # Nothing can be drawn behind the dialog, and the attempt does not close the dialog.
        draw(page, line(100, 100, 300, 100))
        says(page, "#damaged-dialog", TITLE)
        sees_paper(page, 200, 100)
        page.get_by_role("button", name="Draw alone").click()
        until(lambda page=page: path_of(page), lambda shown: shown == "")
        draw(page, line(100, 400, 300, 400))
        sees_ink(page, 200, 400)
        assert len(page.evaluate("drawTogether.participants")) == 0
        page.context.close()
    assert len(a.evaluate("drawTogether.participants")) == 1


@in_full
@both
def test_escape_also_opens_a_new_page(browser, open_page):
    page = open_page(browser, "s/damaged")
    says(page, "#damaged-dialog", TITLE)
    page.keyboard.press("Escape")
    until(lambda: path_of(page), lambda shown: shown == "")
    page.reload()
    ready(page)
    assert page.locator("dialog[open]").count() == 0


@in_full
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", ["desktop", "phone"])
def test_the_message_is_accessible(chromium, open_page, out, scheme, size):
    options = PHONE if size == "phone" else {}
    page = open_page(chromium, "s/damaged", reduced_motion="reduce", color_scheme=scheme, **options)
    says(page, "#damaged-dialog", TITLE)
    assert page.evaluate("document.activeElement.textContent") == "Draw alone"
    page.screenshot(path=out / f"damaged-link-{size}-{scheme}.png")
    is_accessible(page)


@both_in_full
def test_a_wrong_address_has_a_page_that_leads_to_the_canvas(browser, unopened_page, base, problems, out):
    problems.allow("404")
    # Firefox in Playwright has no dark scheme.
    for scheme in ("light", "dark") if browser.browser_type.name == "chromium" else ("light",):
        for size, options in {"desktop": {}, "phone": PHONE if scheme == "dark" else {}}.items():
            page = unopened_page(browser, color_scheme=scheme, **options)
            answer = page.goto(f"{base}nothing")
            assert answer and answer.status == 404
            assert page.locator("h1").inner_text() == "There is nothing at this address"
            # The policy lets the style sheet inside the page take effect.
            paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
            assert paper == ("rgb(251, 250, 247)" if scheme == "light" else "rgb(23, 24, 28)")
            page.screenshot(path=out / f"wrong-address-{browser.browser_type.name}-{size}-{scheme}.png")
            is_accessible(page)
            page.locator("a").click()
            ready(page)
            assert path_of(page) == ""
    german = unopened_page(browser, locale="de-DE")
    german.goto(f"{base}nothing")
    assert german.evaluate("document.documentElement.lang") == "de"
    assert german.locator("h1").inner_text() == "Unter dieser Adresse ist nichts"
