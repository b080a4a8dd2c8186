"""PDF files: some of their pages become pictures, and nothing in them runs."""

from __future__ import annotations

import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest
from axe_playwright_python.sync_playwright import Axe
from board import PHONE, all_hold_the_same, appear, are_drawn, image, item, items, lie_alike, pick, sees_color, sees_items, share
from conftest import both, both_in_full, in_full, until
from gateway import Gateway, build_page
from pdfs import damaged, document, hostile, library, protected
from photos import ORANGE, PLUM, TEAL


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A gateway whose page has the library."""
    folder = tmp_path_factory.mktemp("page") / "Public"
    build_page(folder, library=str(library()))
    running = Gateway(public=folder)
    yield running
    assert running.stop() == 0


@pytest.fixture
def base(server) -> str:
    return server.https


def dialog(page):
    return page.locator("#pdf-dialog")


def opens(page, path):
    """Adds a PDF, and waits for its pages."""
    pick(page, path)
    dialog(page).get_by_role("checkbox", name="Page 1", exact=True).wait_for()
    return dialog(page)


@both_in_full
def test_chosen_pages_become_pictures_for_everybody(browser, open_page, tmp_path, out):
    a = open_page(browser)
    path = share(a)
    b = open_page(browser, path)
    shown = opens(a, document(tmp_path / "minutes.pdf", [ORANGE, TEAL, PLUM]))
    assert shown.get_by_role("heading").inner_text() == "minutes.pdf"
    add = shown.get_by_role("button", name="Add")
    assert add.is_disabled()
    for number in (1, 3):
        shown.get_by_role("checkbox", name=f"Page {number}").check()
    until(lambda: shown.locator("canvas").count(), lambda count: count == 3)
    assert "2 pages selected" in shown.locator(".note").inner_text()
    a.screenshot(path=out / f"pdf-{browser.browser_type.name}.png")
    add.click()
    names = ("minutes p. 1", "minutes p. 3")
    for page in (a, b):
        are_drawn(page, *names)
        for name, color in zip(names, (ORANGE, PLUM)):
            found = item(page, name)
            assert abs(found["width"] / found["height"] - 2 / 3) < 0.01
            sees_color(page, found["x"], found["y"], color)
    one, other = items(a)
    assert abs(one["x"] - other["x"]) >= one["width"] and one["y"] == other["y"]
    # The text is in a font that the file does not contain.
    dark = image(a).convert("L").crop([int(edge) for edge in bounds(one)]).point(lambda value: 255 if value < 40 else 0)
    assert dark.getbbox()
    lie_alike(a, b)
    all_hold_the_same(a, b)
    # One undo removes both.
    a.keyboard.press("Control+z")
    for page in (a, b):
        sees_items(page)


def bounds(one: dict) -> tuple[float, float, float, float]:
    left, top = one["x"] - one["width"] / 2, one["y"] - one["height"] / 2
    return left, top, left + one["width"], top + one["height"]


@in_full
@both
def test_a_pdf_with_one_page_is_added_at_once_and_as_a_file_too(browser, open_page, tmp_path):
    a = open_page(browser)
    shown = opens(a, document(tmp_path / "map.pdf", [TEAL]))
    assert shown.get_by_role("checkbox", name="Page 1").is_checked()
    shown.get_by_role("checkbox", name="as a file").check()
    shown.get_by_role("button", name="Add").click()
    appear(a, "map p. 1", "map.pdf")
    assert [item(a, name)["isPicture"] for name in ("map p. 1", "map.pdf")] == [True, False]


@in_full
@both
def test_a_cancelled_pdf_adds_nothing(browser, open_page, tmp_path):
    a = open_page(browser)
    for close in (lambda: a.keyboard.press("Escape"), lambda: dialog(a).get_by_role("button", name="Cancel").click()):
        opens(a, document(tmp_path / "map.pdf", [TEAL, PLUM]))
        close()
        until(lambda: dialog(a).count(), lambda count: count == 0)
    assert items(a) == []


@in_full
@both
def test_a_protected_pdf_asks_for_its_password(browser, open_page, tmp_path, out):
    a = open_page(browser)
    pick(a, protected(tmp_path / "secret.pdf", PLUM, "open"))
    field = dialog(a).get_by_label("Password")
    field.wait_for()
    for password, says in (("wrong", "not the password"), ("open", "1 page selected")):
        field.fill(password)
        a.keyboard.press("Enter")
        until(lambda says=says: says in dialog(a).locator(".note").inner_text())
    a.screenshot(path=out / f"pdf-password-{browser.browser_type.name}.png")
    dialog(a).get_by_role("button", name="Add").click()
    appear(a, "secret p. 1")
    found = item(a, "secret p. 1")
    sees_color(a, found["x"], found["y"], PLUM)


@in_full
@both
def test_a_damaged_pdf_is_a_file(browser, open_page, tmp_path):
    a = open_page(browser)
    pick(a, damaged(tmp_path / "broken.pdf"))
    appear(a, "broken.pdf")
    assert not item(a, "broken.pdf")["isPicture"]
    a.locator(".toast", has_text="cannot be shown").wait_for()
    assert dialog(a).count() == 0


@in_full
@both
def test_a_thousand_pages_are_painted_only_where_they_are_seen(browser, open_page, tmp_path):
    a = open_page(browser)
    shown = opens(a, document(tmp_path / "long.pdf", [ORANGE] * 999 + [TEAL]))
    until(lambda: shown.locator("canvas").count() > 3)
    assert shown.locator("canvas").count() < 100
    shown.get_by_role("checkbox", name="Page 1", exact=True).focus()
    a.keyboard.press("End")
    last = shown.get_by_role("listitem").last
    last.locator("canvas").wait_for()
    assert shown.locator("canvas").count() < 100
    # Too many at a time.
    shown.get_by_role("button", name="Select all").click()
    assert shown.get_by_role("button", name="Add").is_disabled()
    until(lambda: "At most 100" in shown.locator(".note").inner_text())
    shown.get_by_role("button", name="Select none").click()
    last.get_by_role("checkbox").check()
    shown.get_by_role("button", name="Add").click()
    appear(a, "long p. 1000")
    found = item(a, "long p. 1000")
    sees_color(a, found["x"], found["y"], TEAL)


@in_full
def test_pages_are_chosen_by_the_keyboard(chromium, open_page, tmp_path):
    a = open_page(chromium)
    shown = opens(a, document(tmp_path / "ten.pdf", [ORANGE] * 10))
    for key in ("ArrowRight", "Space", "ArrowRight", "ArrowLeft", "ArrowDown", "Space", "Home", "ArrowLeft", "Space"):
        a.keyboard.press(key)
    columns = shown.locator(".pdf-pages").evaluate("(list) => getComputedStyle(list).gridTemplateColumns.split(' ').length")
    names = [one.get_attribute("aria-label") for one in shown.locator(".pdf-pages :checked").all()]
    assert names == ["Page 1", "Page 2", f"Page {2 + columns}"]
    # The Tab key stops only once in the list.
    a.keyboard.press("Tab")
    assert a.evaluate("document.activeElement.closest('.check') !== null")


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


OPENED = """async (address) => {
  const task = pdfjsLib.getDocument({ url: address, worker: new pdfjsLib.PDFWorker({ port: new Worker('build/pdf.worker.js') }) });
  const page = await (await task.promise).getPage(1);
  const viewport = page.getViewport({ scale: 1 });
  const canvas = document.createElement('canvas');
  await page.render({ canvasContext: canvas.getContext('2d'), viewport }).promise.catch(() => {});
  return document.title;
}"""


BLOCKED = """() => {
  globalThis.blocked_ = [];
  addEventListener('securitypolicyviolation', ({ blockedURI }) => blocked_.push(blockedURI));
}"""


@pytest.fixture
def exploit(tmp_path):
    """A PDF that changes the title of a careless page."""
    font = library() / "web/standard_fonts/LiberationSans-Regular.ttf"
    return hostile(tmp_path / "exploit.pdf", font, "document.title = 'ran'")


@in_full
def test_a_page_without_precautions_runs_the_script_in_the_pdf(chromium, unopened_page, exploit, problems):
    """Shows that the next test would fail without the precautions."""
    problems.allow("")
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(library()))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        page = unopened_page(chromium)
        page.route("**/careless.html", lambda route: route.fulfill(content_type="text/html", body="<script src=build/pdf.js></script>"))
        page.route("**/exploit.pdf", lambda route: route.fulfill(path=exploit))
        page.goto(f"http://127.0.0.1:{server.server_port}/careless.html")
        assert page.evaluate(OPENED, "exploit.pdf") == "ran"
        server.shutdown()


@both_in_full
def test_nothing_in_a_pdf_runs(browser, open_page, exploit, problems):
    # The browser refuses the font, so the library paints its letters as paths.
    problems.allow("OTS parsing error", 'font-family: "g_')
    a = open_page(browser)
    a.evaluate(BLOCKED)
    shown = opens(a, exploit)
    shown.locator("canvas").wait_for()
    shown.get_by_role("button", name="Add").click()
    appear(a, "exploit p. 1")
    assert a.title() != "ran"
    # The library does not try to run the script, so the policy of the page has nothing to block.
    assert a.evaluate("blocked_") == []


@in_full
def test_axe_finds_no_problem_with_the_dialog(chromium, open_page, tmp_path, out):
    for look, options in (("light", {}), ("dark", {"color_scheme": "dark"}), ("phone", PHONE)):
        page = open_page(chromium, reduced_motion="reduce", **options)
        shown = opens(page, document(tmp_path / "minutes of the meeting.pdf", [ORANGE, TEAL, PLUM] * 4))
        shown.get_by_role("checkbox", name="Page 2", exact=True).check()
        until(lambda shown=shown: shown.locator("canvas").count() > 5)
        page.screenshot(path=out / f"pdf-{look}.png")
        found = Axe().run(page).response["violations"]
        assert not found, [(one["id"], [node["html"] for node in one["nodes"]]) for one in found]
