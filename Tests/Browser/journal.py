"""A session's attachments by HTTP alone, without a browser."""

from __future__ import annotations

import base64
import json
import urllib.request


class Journal:
    """`base` is the gateway's plain address. Creates a session unless one is given."""

    def __init__(self, base: str, session: str = "") -> None:
        self.base = base
        self.session = session or json.loads(self._ask("POST", f"{base}api/sessions"))["id"]
        self.url = f"{base}api/sessions/{self.session}/attachments"

    def add(self, name: str, content_type: str, content: bytes) -> dict:
        """Adds an attachment as a resumable upload in one request, which may claim any type."""
        metadata = f"filename {encoded(name)},filetype {encoded(content_type)}"
        headers = {
            "Tus-Resumable": "1.0.0",
            "Upload-Length": str(len(content)),
            "Upload-Metadata": metadata,
            "Content-Type": "application/offset+octet-stream",
        }
        known = {attachment["id"] for attachment in self.list()}
        self._ask("POST", self.url, content, headers)
        (added,) = (attachment for attachment in self.list() if attachment["id"] not in known)
        return added

    def list(self) -> list[dict]:
        return json.loads(self._ask("GET", self.url))["attachments"]

    def read(self, attachment: dict) -> bytes:
        return self._ask("GET", f"{self.url}/{attachment['id']}")

    def path(self, attachment: dict) -> str:
        """Returns the path by which a page of the gateway's origin refers to it."""
        return f"/api/sessions/{self.session}/attachments/{attachment['id']}"

    def _ask(
        self, method: str, url: str, body: bytes | None = None, headers: dict[str, str] | None = None
    ) -> bytes:
        request = urllib.request.Request(url, body, headers or {}, method=method)
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.read()


def encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()
