"""What a person notices when the gateway goes and comes, and when its disk is full."""

from __future__ import annotations

import json
import re

from board import draw, line, says, sees_ink, share
from conftest import both, ready, until
from playwright.sync_api import Page, WebSocketRoute


def notice(code: str) -> bytes:
    """A system entry, reliable, of the gateway itself."""
    kind, payload = b"notice", json.dumps({"code": code, "detail": f"The gateway says {code}."}).encode()
    rest = bytes([0x81, len(kind)]) + bytes(8 + 4 + 4) + kind + payload
    return len(rest).to_bytes(4) + rest


class Between:
    """Stands in the page's socket: says more than the gateway does, or closes in its name."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.is_closed = False
        self.sockets: list[WebSocketRoute] = []
        page.route_web_socket(re.compile(r"/socket$"), self._take)
        # The browser minds it in pages that are loaded from now on.
        page.reload()
        ready(page)

    def tell(self, code: str) -> None:
        self.sockets[-1].send(notice(code))

    def close(self, number: int, **reason) -> None:
        """This socket; and the next one goes nowhere."""
        self.is_closed = True
        self.sockets.pop().close(code=number, reason=json.dumps(reason))
        until(lambda: self.page.evaluate("1") and self.sockets)

    def mend(self) -> None:
        self.is_closed = False
        self.sockets.pop().close(code=1012, reason="{}")

    def _take(self, socket: WebSocketRoute) -> None:
        if not self.is_closed:
            socket.connect_to_server()
        self.sockets.append(socket)


@both
def test_what_is_not_saved_is_said_as_long_as_it_is_so(browser, open_page):
    a = open_page(browser)
    between = Between(a)
    share(a)
    between.tell("storage-full")
    says(a, "#banner", "Not saved at the moment. Keep this page open.")
    until(lambda: a.locator("#live").inner_text(), lambda text: "Not saved" in text)
    assert a.locator("#toasts .toast").count() == 0
    assert a.locator("#banner-action").is_hidden()
    draw(a, line(100, 200, 300, 200))
    between.tell("session-quota")
    says(a, "#toasts", "The gateway says session-quota.")
    assert a.locator("#banner").is_visible()
    between.tell("saved")
    says(a, "#toasts", "The gateway says saved.")
    until(lambda: a.locator("#banner").is_hidden())


@both
def test_a_cut_while_nothing_is_saved_is_told_first(browser, open_page):
    a = open_page(browser)
    between = Between(a)
    share(a)
    between.tell("storage-full")
    says(a, "#banner", "Not saved")
    between.close(1012, code="unavailable", retryAfterMs=100)
    says(a, "#banner", "Reconnecting… Draw on, nothing is lost.")
    between.close(1013, code="storage-full", detail="No.", retryAfterMs=100)
    says(a, "#banner", "The server cannot save anything now. Trying again…")
    draw(a, line(100, 200, 300, 200))
    says(a, "#banner", "The server cannot save anything now. 1 stroke will be sent.")
    between.mend()
    says(a, "#banner", "Back.")
    # The same epoch: it is as it was.
    says(a, "#banner", "Not saved")
    sees_ink(a, 200, 200)
