"""The page uses the browser's language, or the chosen one, from its first visible moment."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from board import PHONE, choose, draw, has_ink, line, says, sees_ink, share
from conftest import both, both_in_full, in_full, ready, until

I18N = Path(__file__).parents[2] / "Public/js/i18n"
GERMAN = {"locale": "de-DE"}
# Each language with the dialog's note that its texts were translated by machine.
BY_MACHINE = {
    "ar": "ترجمة آلية",
    "es": "Traducción automática",
    "fr": "Traduction automatique",
    "it": "Traduzione automatica",
    "ja": "機械翻訳",
    "pl": "Tłumaczenie maszynowe",
    "pt": "Tradução automática",
    "uk": "Машинний переклад",
}
# In a release with a hash.
GERMAN_WORDS = re.compile(r"/de(-[A-Z2-7]{8})?\.js$")


def language(page) -> str:
    return page.evaluate("document.documentElement.lang")


def text_in(code: str, key: str) -> str:
    """Returns a text of the first table of a language."""
    return re.search(rf"^  {key}: '(.*)',$", (I18N / f"{code}.js").read_text(), re.MULTILINE)[1]


def labels(page) -> list[str]:
    return [button.get_attribute("aria-label") for button in page.locator("#tools .tool:visible").all()]


@both_in_full
def test_german_browsers_get_german(browser, open_page):
    page = open_page(browser, **GERMAN)
    assert language(page) == "de"
    assert labels(page) == [
        "Auswählen", "Stift", "Radierer", "Textmarker", "Linie", "Pfeil", "Rechteck", "Ellipse",
        "Text", "Zettel", "Seite verschieben", "Laserpointer", "Bilder oder Dateien hinzufügen",
        "Rückgängig machen",
        "Wiederholen", "Mehr",
    ]
    assert page.locator("#undo").get_attribute("title") == "Rückgängig machen (Strg+Z)"
    assert page.get_by_role("radio", name="Lila").get_attribute("title") == "Lila (6)"
    says(page, "#hint", "Zeichne los und lade dann jemanden ein.")
    draw(page, line(100, 300, 500, 350))
    until(lambda: page.locator("#summary").text_content(), lambda text: text == "1 Strich ist gezeichnet.")
    share(page)
    page.keyboard.press("?")
    says(page, "#keys-dialog", "Rückgängig; mit Umschalt wiederholen")


@in_full
@both
def test_other_browsers_get_english(browser, open_page):
    page = open_page(browser, locale="nl-NL")
    assert language(page) == "en"
    assert labels(page)[:3] == ["Select", "Pen", "Eraser"]
    says(page, "#share", "Share")


def visibility(page) -> str:
    return page.evaluate("getComputedStyle(document.body).visibility")


@both_in_full
def test_no_text_is_visible_in_the_wrong_language(browser, unopened_page, base):
    page = unopened_page(browser, **GERMAN)
    held, free = [], []
    page.route(GERMAN_WORDS, lambda route: route.continue_() if free else held.append(route))
    page.goto(base, wait_until="commit")
    page.locator("noscript").wait_for(state="attached")
    until(lambda: held)
    assert (language(page), visibility(page)) == ("de", "hidden")
    assert page.locator("#share").text_content().strip() == "Share"
    free.append(True)
    for route in held:
        route.continue_()
    ready(page)
    assert visibility(page) == "visible"
    says(page, "#share", "Teilen")


@in_full
def test_an_unavailable_language_falls_back_to_english(chromium, unopened_page, base, problems):
    problems.allow("/de.js", "/de-", "ERR_FAILED")
    page = unopened_page(chromium, **GERMAN)
    page.route(GERMAN_WORDS, lambda route: route.abort())
    page.goto(base)
    ready(page)
    assert (language(page), visibility(page)) == ("en", "visible")
    says(page, "#share", "Share")
    draw(page, line(100, 300, 500, 350))
    sees_ink(page, 300, 325)


@in_full
def test_without_scripts_the_text_is_english(chromium, base):
    with chromium.new_context(ignore_https_errors=True, java_script_enabled=False, **GERMAN) as context:
        page = context.new_page()
        page.goto(base)
        page.get_by_role("button", name="Share").wait_for()
        assert "Draw Together needs JavaScript." in page.locator("body").inner_text()


def choose_language(page, value: str) -> None:
    choose(page, "language")
    page.locator(f"#language-dialog button[value={value}]").click()


@both_in_full
def test_the_chosen_language_is_stored(browser, open_page):
    page = open_page(browser)
    # Reloading the page loses nothing.
    with page.expect_navigation():
        choose_language(page, "de")
    ready(page)
    assert language(page) == "de"
    share(page)
    draw(page, line(100, 300, 500, 350))
    choose(page, "language")
    pressed = page.locator("#language-dialog button[aria-pressed=true]")
    assert pressed.inner_text() == "Deutsch"
    with page.expect_navigation():
        page.locator("#language-dialog button[value=system]").click()
    ready(page)
    assert language(page) == "en"
    sees_ink(page, 300, 325)
    until(lambda: page.locator("#summary").text_content(), lambda text: text == "1 stroke is drawn.")


@in_full
@both
def test_the_dialog_says_which_languages_were_translated_by_machine(browser, open_page):
    page = open_page(browser)
    choose(page, "language")
    for code, note in BY_MACHINE.items():
        button = page.locator(f"#language-dialog button[lang={code}]")
        assert button.locator("small").inner_text() == note
    for code in ("en", "de"):
        assert page.locator(f"#language-dialog button[lang={code}] small").count() == 0
    with page.expect_navigation():
        page.locator("#language-dialog button[value=fr]").click()
    ready(page)
    assert language(page) == "fr"
    says(page, "#share", text_in("fr", "share"))


@in_full
def test_changing_the_language_keeps_the_drawing(chromium, open_page):
    page = open_page(chromium)
    draw(page, line(100, 300, 500, 350))
    choose_language(page, "de")
    says(page, "#toasts", "The language changes when you open the page again.")
    assert has_ink(page, 300, 325) and language(page) == "en"
    page.reload()
    ready(page)
    assert language(page) == "de"


BOXES = """(all) => all.map((one) => {
  const { left, right } = one.getBoundingClientRect();
  return [left, right, one.innerText];
})"""


@in_full
@pytest.mark.parametrize(
    ("code", "size", "scheme"),
    [("de", size, scheme) for size in ("desktop", "phone") for scheme in ("light", "dark")]
    + [(code, "phone", "light") for code in BY_MACHINE],
)
def test_texts_fit(chromium, open_page, out, code, size, scheme):
    options = PHONE if size == "phone" else {}
    page = open_page(chromium, reduced_motion="reduce", color_scheme=scheme, locale=code, **options)
    share(page)
    draw(page, line(100, 200, 300, 200))
    width = page.viewport_size["width"]

    def fits(name: str) -> None:
        page.screenshot(path=out / f"{code}-{size}-{scheme}-{name}.png")
        assert page.evaluate("document.documentElement.scrollWidth") == width
        for left, right, text in page.locator("button:visible, .radio:visible, dialog[open] *:visible").evaluate_all(BOXES):
            assert left >= 0 and right <= width, text
        # Text that is cut off within its own box is unreadable too.
        cut = "(all) => all.filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.innerText)"
        assert page.locator("button:visible, h2:visible, #banner:visible").evaluate_all(cut) == []
        found = Axe().run(page).response["violations"]
        assert not found, json.dumps([(one["id"], [node["html"] for node in one["nodes"]]) for one in found], indent=1)

    fits("page")
    page.locator("#more").click()
    fits("menu")
    page.keyboard.press("Escape")
    for name, opens in {"share": "#share", "name": "#people .me"}.items():
        page.locator(opens).click()
        fits(name)
        page.keyboard.press("Escape")
    page.keyboard.press("?")
    fits("keys")
    page.keyboard.press("Escape")
    for name in ("language", "clear", "leave", "end"):
        choose(page, name)
        fits(name)
        page.keyboard.press("Escape")
    choose(page, "end")
    page.locator("#confirm-ok").click()
    says(page, "#ended-bar", text_in(code, "over"))
    fits("over")
    # However many lines it has, it is invisible until it has the focus.
    page.set_viewport_size({"width": 320, "height": 568})
    assert page.locator(".skip").evaluate("(link) => link.getBoundingClientRect().bottom") <= 0
