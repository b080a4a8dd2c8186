"""A release of the page without its gateway: it opens, shows the last picture, and takes up a new version at the next visit. Over
plain http, where the page has no service worker, it takes up a new version, too."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from board import address, all_hold_the_same, are_drawn, draw, has_ink, kept, line, pick, says, sees_ink, sees_items, share
from conftest import both, both_in_full, in_full, open_in, ready, until
from gateway import ROOT, Gateway
from photos import TEAL, photo
from playwright.sync_api import Page
from test_connection import strokes

# The versions of the script and of the markup.
VERSION = "[release_, document.documentElement.dataset.release]"


class Release:
    """A gateway that serves a built release, and can go over to another one."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.build("one")
        self.gateway = Gateway(public=folder / "one")

    def build(self, name: str) -> None:
        """Builds a release whose markup and script have this name in them."""
        source = self.folder / f"{name}-source"
        shutil.copytree(ROOT / "Public", source)
        markup = source / "index.html"
        markup.write_text(markup.read_text().replace('<html lang="en">', f'<html lang="en" data-release="{name}">'))
        script = source / "js/app/app.js"
        script.write_text(f"{script.read_text()}\nglobalThis.release_ = '{name}';\n")
        subprocess.run([ROOT / ".deploy/build-page", source, self.folder / name], check=True)

    def change(self, name: str) -> None:
        self.gateway.halt()
        self.gateway.public = self.folder / name
        self.gateway.start()


@pytest.fixture
def release(tmp_path, problems) -> Iterator[Release]:
    # Browsers report each connection that the gateway does not accept.
    problems.allow("WebSocket", "establish a connection", "was interrupted", "ERR_", "NS_ERROR_", "Failed to load resource")
    running = Release(tmp_path / "release")
    yield running
    assert running.gateway.stop() == 0


def reload(page: Page) -> None:
    """Reloads a page from inside. The driver of Firefox takes a refused connection for the end, although the worker answers."""
    page.evaluate("document.documentElement.dataset.old = ''; setTimeout(() => location.reload())")
    page.locator("html[data-ready]:not([data-old])").wait_for(state="attached")


def cached(page: Page) -> int:
    """Returns the number of versions whose files are complete in the browser."""
    return page.evaluate(
        """async () => {
          const names = await caches.keys();
          const pages = await Promise.all(names.map(async (name) => (await caches.open(name)).match('/')));
          return pages.filter(Boolean).length;
        }"""
    )


def pictures(page: Page) -> int:
    """Returns the number of sessions whose picture is on this device."""
    return page.evaluate(
        """async () => {
          // Opening a database that does not exist would create an empty one.
          if (!(await indexedDB.databases()).some(({ name }) => name === 'drawtogether-snapshots')) return 0;
          const database = await new Promise((resolve) => {
            const opening = indexedDB.open('drawtogether-snapshots');
            opening.onsuccess = () => resolve(opening.result);
          });
          try {
            const counting = database.transaction('sessions').objectStore('sessions').count();
            return await new Promise((resolve) => (counting.onsuccess = () => resolve(counting.result)));
          } catch {
            return 0;
          } finally {
            database.close();
          }
        }"""
    )


@both
def test_a_reload_without_the_gateway_shows_the_picture(browser, chromium, open_page, release, tmp_path):
    gateway = release.gateway
    a = open_page(browser, gateway.https)
    path = share(a)
    b = open_page(chromium, gateway.https + path)
    draw(a, line(100, 150, 300, 150))
    draw(b, line(100, 250, 300, 250))
    pick(b, photo(tmp_path, "sea.jpg", TEAL))
    sees_ink(a, 200, 250)
    are_drawn(a, "sea.jpg")
    until(lambda: (cached(a), pictures(a), kept(a)), lambda found: found == (1, 1, 0), 30)
    gateway.halt()
    draw(a, line(100, 350, 300, 350))
    until(lambda: kept(a), lambda count: count > 0)
    reload(a)
    for y in (150, 250, 350):
        sees_ink(a, 200, y)
    sees_items(a, "sea.jpg")
    says(a, "#banner", "Offline. This is the picture as this device last saw it. 1 stroke is safe on this device.")
    assert address(a).endswith(path)
    draw(a, line(100, 450, 300, 450))
    sees_ink(a, 200, 450)
    gateway.start()
    a.evaluate("document.getElementById('banner-action').click()")
    says(a, "#banner", "Back.", seconds=20)
    for y in (350, 450):
        until(lambda: has_ink(b, 200, y), seconds=30)
    until(lambda: strokes(b), lambda count: count == 4)
    are_drawn(a, "sea.jpg")
    all_hold_the_same(a, b)


@in_full
def test_the_picture_of_an_ended_session_stays_until_it_is_removed(chromium, open_page, release):
    a = open_page(chromium, release.gateway.https)
    share(a)
    draw(a, line(100, 150, 300, 150))
    until(lambda: pictures(a), lambda count: count == 1, 30)
    draw(a, line(100, 250, 300, 250))
    a.locator("#more").click()
    a.locator("#end").click()
    a.locator("#confirm-ok").click()
    says(a, "#ended-bar", "This session has ended.")
    reload(a)
    says(a, "#ended-bar", "This session has ended.")
    for y in (150, 250):
        sees_ink(a, 200, y)
    a.locator("#mark").click()
    dialog = a.locator("#pages-dialog")
    dialog.get_by_role("button", name="New page").click()
    a.locator("#confirm-ok").click()
    until(lambda: address(a), lambda found: "/s/" not in found)
    assert pictures(a) == 1
    a.locator("#mark").click()
    dialog.get_by_role("button", name="Remove Untitled from the list").click()
    a.locator("#confirm-ok").click()
    until(lambda: pictures(a), lambda count: count == 0)


@both_in_full
def test_a_new_version_is_used_at_the_next_visit(browser, open_page, release, problems):
    gateway = release.gateway
    a = open_page(browser, gateway.https)
    draw(a, line(100, 150, 300, 150))
    until(lambda: cached(a), lambda count: count == 1, 30)
    release.build("two")
    release.change("two")
    # The open page stays what it is, with all its files.
    a.evaluate("navigator.serviceWorker.ready.then((registration) => registration.update())")
    until(lambda: cached(a), lambda count: count == 2, 30)
    a.evaluate("document.documentElement.dataset.same = 'true'")
    draw(a, line(100, 250, 300, 250))
    sees_ink(a, 200, 250)
    assert a.evaluate(f"[...{VERSION}, document.documentElement.dataset.same]") == ["one", "one", "true"]
    visit = open_in(a.context, gateway.https, problems)
    assert visit.evaluate(VERSION) == ["two", "two"]
    # Without the gateway, too.
    gateway.halt()
    reload(visit)
    assert visit.evaluate(VERSION) == ["two", "two"]
    for page in (a, visit):
        page.close()
    gateway.start()
    last = open_in(a.context, gateway.https, problems)
    sees_ink(last, 200, 250)
    # No page of the first version is open any more.
    until(lambda: cached(last), lambda count: count == 1, 30)


# Over plain http, the page has no worker.
NO_WORKER = {"service_workers": "block"}


@in_full
@both
def test_without_a_worker_a_new_version_is_used_after_one_visit_at_most(browser, open_page, release, problems):
    address = release.gateway.http
    a = open_page(browser, address, **NO_WORKER)
    assert a.evaluate(VERSION) == ["one", "one"]
    release.build("two")
    release.change("two")

    def visit() -> list[str]:
        page = open_in(a.context, address, problems)
        found = page.evaluate(VERSION)
        page.close()
        return found

    # The browser may show its copy, and asks for a newer one meanwhile.
    assert visit() in (["one", "one"], ["two", "two"])
    until(visit, lambda found: found == ["two", "two"])


@in_full
@both
def test_without_a_worker_a_copy_of_the_page_whose_files_are_gone_is_replaced(browser, unopened_page, release, problems):
    # The script is gone, and the reload interrupts other requests.
    problems.allow("404", "module", "MIME type", "NS_BINDING_ABORTED")
    [script] = (release.folder / "one/js/app").glob("app-*.js")
    script.unlink()
    release.change("one")
    page = unopened_page(browser, **NO_WORKER)
    with page.expect_response(f"**/{script.name}") as answer:
        page.goto(release.gateway.http, wait_until="commit")
    assert answer.value.status == 404
    page.locator("noscript").wait_for(state="attached")
    release.build("two")
    release.change("two")
    # Not `load`: the page may reload itself before that.
    page.goto(release.gateway.http, wait_until="commit")
    ready(page)
    assert page.evaluate(VERSION) == ["two", "two"]


@in_full
def test_the_sources_have_no_worker_and_remove_one(chromium, open_page, release):
    a = open_page(chromium, release.gateway.https)
    until(lambda: cached(a), lambda count: count == 1, 30)
    release.gateway.halt()
    release.gateway.public = ROOT / "Public"
    release.gateway.start()
    a.reload()
    ready(a)
    until(lambda: cached(a), lambda count: count == 0, 30)
    assert a.evaluate("navigator.serviceWorker.getRegistrations().then((all) => all.length)") == 0
