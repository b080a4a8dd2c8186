"""Many objects and long texts at once: duplicated, pasted, selected, and undone in one step."""

from __future__ import annotations

import json

import pytest
from board import says, share, state
from conftest import both, both_in_full, in_full, rest_in_full, until
from photos import drop

SELECTED = "drawTogether.shapes().filter(({ isSelected }) => isSelected).length"
TOTAL = "drawTogether.shapes().length"
PASTE = """(text) => {
  const data = new DataTransfer();
  data.setData('text/plain', text);
  const event = new ClipboardEvent('paste', { bubbles: true, cancelable: true });
  Object.defineProperty(event, 'clipboardData', { value: data });
  document.activeElement.dispatchEvent(event);
  return event.defaultPrevented;
}"""
TEXTS = "drawTogether.shapes().filter(({ type }) => type === 'text')"


def has(page, total: int, selected: int) -> None:
    until(lambda: (page.evaluate(TOTAL), page.evaluate(SELECTED)), lambda found: found == (total, selected), seconds=30)


def open_strokes(page, tmp_path, count: int) -> None:
    """Opens a saved drawing with this number of strokes."""
    marks = [
        {"id": "X", "color": at % 11, "points": [[x, y], [x + 6, y + 4]], "width": 3, "z": at + 1}
        for at, (x, y) in enumerate((20 + 9 * (at % 100), 80 + 9 * (at // 100)) for at in range(count))
    ]
    path = tmp_path / "many.drawtogether"
    described = [{"type": "UpsertStrokeMessage", "message": mark} for mark in marks]
    path.write_text(json.dumps({"drawTogether": 1, "marks": described, "items": []}))
    drop(page, (500, 300), path)
    until(lambda: page.evaluate(TOTAL), lambda found: found == count, seconds=30)


@pytest.mark.parametrize("count", rest_in_full(1000, 5000))
@pytest.mark.parametrize("is_shared", rest_in_full(True, False))
@both_in_full
def test_copies_of_many_objects_are_selected(browser, open_page, tmp_path, count, is_shared):
    page = open_page(browser)
    if is_shared:
        share(page)
    open_strokes(page, tmp_path, count)
    page.keyboard.press("Control+a")
    has(page, count, count)
    page.keyboard.press("Control+d")
    has(page, 2 * count, count)
    # The copies are selected, and not the originals, so the copies can be removed at once.
    says(page, "#chosen-bar", "")
    page.keyboard.press("Delete")
    has(page, count, 0)
    page.keyboard.press("Control+z")
    until(lambda: page.evaluate(TOTAL), lambda found: found == 2 * count, seconds=30)
    page.keyboard.press("Control+z")
    until(lambda: page.evaluate(TOTAL), lambda found: found == count, seconds=30)


@in_full
@pytest.mark.parametrize("count", [1000, 5000])
def test_many_pasted_objects_are_selected(chromium, open_page, tmp_path, count):
    page = open_page(chromium)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    open_strokes(page, tmp_path, count)
    page.keyboard.press("Control+a")
    has(page, count, count)
    page.keyboard.press("Control+c")
    page.keyboard.press("Control+v")
    has(page, 2 * count, count)
    assert page.locator("#chosen-bar").is_visible()
    page.keyboard.press("Delete")
    has(page, count, 0)


@both_in_full
def test_a_long_pasted_text_becomes_several_texts(browser, open_page):
    page = open_page(browser)
    path = share(page)
    words = " ".join(f"word{at}" for at in range(1200))
    assert page.evaluate(PASTE, words)
    says(page, "#toasts", "it became 3 texts")
    other = open_page(browser, path)
    for one in (page, other):
        until(lambda one=one: len(one.evaluate(TEXTS)), lambda found: found == 3)
        texts = sorted(one.evaluate(TEXTS), key=lambda text: text["left"])
        assert " ".join(" ".join(text["text"].split("\n")) for text in texts) == words
        for left, right in zip(texts, texts[1:], strict=False):
            assert left["right"] <= right["left"] and left["top"] == right["top"]
    assert page.evaluate(SELECTED) == 3
    assert state(page) == state(other)
    # One step of the history.
    page.keyboard.press("Control+z")
    for one in (page, other):
        until(lambda one=one: len(one.evaluate(TEXTS)), lambda found: found == 0)


@in_full
def test_only_the_beginning_of_a_huge_text_is_pasted(chromium, open_page):
    page = open_page(chromium)
    page.evaluate(PASTE, "long " * 100_000)
    says(page, "#toasts", "only its first 100,000 characters are here")
    assert sum(len(text["text"]) + 1 for text in page.evaluate(TEXTS)) == 100_000


@in_full
@both
def test_typing_beyond_the_limit_shows_the_limit(browser, open_page):
    page = open_page(browser)
    page.keyboard.press("t")
    page.mouse.click(200, 200)
    page.keyboard.type("Note: ")
    assert page.evaluate(PASTE, "x" * 5000)
    says(page, "#toasts", "at most 4,000 characters")
    page.keyboard.type("more")
    page.keyboard.press("Escape")
    [text] = page.evaluate(TEXTS)
    # The line was broken at its last space, because it reached the edge of the page.
    assert text["text"] == "Note:\n" + "x" * 3994
    # A long text that is pasted into an empty text box is split as if it were pasted on the page.
    page.keyboard.press("t")
    page.mouse.click(700, 600)
    page.evaluate(PASTE, "y" * 5000)
    until(lambda: len(page.evaluate(TEXTS)), lambda found: found == 3)
