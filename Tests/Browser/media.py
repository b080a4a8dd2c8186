"""Emulates the preferred color scheme and reduced motion. Playwright emulates neither in Firefox, so a script answers the page's
media queries there. The media queries of style sheets are not emulated, because the browser itself answers them."""

from __future__ import annotations

import json

from playwright.sync_api import BrowserContext, Page

NAMES = {"color_scheme": "color-scheme", "reduced_motion": "reduced-motion"}
ANSWER = """(preferences) => {
  const lists = [];
  const matchMediaOfBrowser = matchMedia.bind(globalThis);
  globalThis.matchMedia = (query) => {
    const [, name, value] = /^\\(prefers-([a-z-]+): ([a-z-]+)\\)$/.exec(query) ?? [];
    if (!(name in preferences)) return matchMediaOfBrowser(query);
    const list = new EventTarget();
    Object.defineProperty(list, 'matches', { get: () => preferences[name] === value });
    lists.push(list);
    return list;
  };
  globalThis.prefer_ = (changes) => {
    Object.assign(preferences, changes);
    for (const list of lists) list.dispatchEvent(new Event('change'));
  };
}"""


def prepare(context: BrowserContext, options: dict) -> None:
    """Emulates the preferences in the options of a context for all its pages."""
    if is_emulated(context) and (preferences := named(options)):
        context.add_init_script(f"({ANSWER})({json.dumps(preferences)})")


def emulate(page: Page, **preferences: str) -> None:
    """Changes emulated preferences of an open page."""
    if is_emulated(page.context):
        page.evaluate("(changes) => prefer_(changes)", named(preferences))
    else:
        page.emulate_media(**preferences)


def is_emulated(context: BrowserContext) -> bool:
    return context.browser is not None and context.browser.browser_type.name == "firefox"


def named(options: dict) -> dict[str, str]:
    """Returns the preferences among some options by their names in media queries."""
    return {name: options[option] for option, name in NAMES.items() if option in options}
