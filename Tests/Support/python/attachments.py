"""The journal of a session (section 4): adds, lists, reads and removes attachments, and inspects the disk."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import hashlib
import random
import re
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from gateway import Gateway
from http1 import HTTPConnection, Response, request_bytes

MEBIBYTE = 1 << 20
MEMBERS = {
    "id", "name", "contentType", "size", "sha256", "metadata", "participant", "state", "offset", "createdAt",
    "url",
}  # fmt: skip
SECURITY = {
    "x-content-type-options": "nosniff",
    "content-security-policy": "sandbox; default-src 'none'",
    "cross-origin-resource-policy": "same-origin",
}
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")


def content(size: int, seed: int = 0) -> bytes:
    """Returns bytes that are unique to the seed and the size."""
    return random.Random(f"{seed}/{size}").randbytes(size)


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def base64_of(data: bytes | str) -> str:
    return base64.b64encode(data.encode() if isinstance(data, str) else data).decode()


def repr_digest(data: bytes) -> str:
    """Returns the value of `Repr-Digest` (RFC 9530)."""
    return f"sha-256=:{base64_of(hashlib.sha256(data).digest())}:"


def pieces(data: bytes, size: int) -> Iterator[bytes]:
    for first in range(0, len(data), size):
        yield data[first : first + size]


def in_chunks(data: bytes, size: int = 50_000) -> bytes:
    """Returns a body in the chunked coding."""
    return b"".join(map(chunk, pieces(data, size))) + b"0\r\n\r\n"


def chunk(data: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(data), data)


def named(fields: dict[str, str | None]) -> dict[str, str]:
    """Returns the fields in arguments: `_` stands for `-`, and None omits a field."""
    return {name.replace("_", "-"): value for name, value in fields.items() if value is not None}


def check_object(attachment: dict[str, Any]) -> dict[str, Any]:
    """Checks the invariants of an attachment object."""
    assert set(attachment) >= MEMBERS, attachment
    assert str(uuid.UUID(attachment["id"])).upper() == attachment["id"]
    assert TIME.fullmatch(attachment["createdAt"]), attachment
    assert urlsplit(attachment["url"]).path.endswith(f"/attachments/{attachment['id']}")
    if attachment["state"] == "ready":
        assert attachment["offset"] == attachment["size"]
        assert re.fullmatch("[0-9a-f]{64}", attachment["sha256"])
    else:
        assert attachment["state"] == "uploading"
        assert attachment["sha256"] is None
        assert attachment["size"] is None or attachment["offset"] <= attachment["size"]
    return attachment


class Journal:
    """The attachments of one session."""

    def __init__(self, gateway: Gateway, session: str) -> None:
        self.gateway, self.session = gateway, session

    @classmethod
    async def open(cls, gateway: Gateway) -> Journal:
        """The journal of a new session."""
        return cls(gateway, await gateway.create_session())

    @property
    def path(self) -> str:
        return f"/api/sessions/{self.session}/attachments"

    def path_of(self, attachment: str) -> str:
        return f"{self.path}/{attachment}"

    def url(self, attachment: str = "") -> str:
        return f"http://{self.gateway.host}{self.path_of(attachment) if attachment else self.path}"

    async def post(self, data: bytes, is_chunked: bool = False, **fields: str | None) -> Response:
        """Adds an attachment in one request, and returns the response, also an error."""
        sent = named({"Content_Type": "application/octet-stream"} | fields)
        if is_chunked:
            sent["Transfer-Encoding"] = "chunked"
        return await self.gateway.request("POST", self.path, sent, in_chunks(data) if is_chunked else data)

    async def add(self, data: bytes, is_chunked: bool = False, **fields: str | None) -> dict[str, Any]:
        """Adds an attachment in one request, and checks the response."""
        return self.added(await self.post(data, is_chunked, **fields), data)

    def added(self, response: Response, data: bytes) -> dict[str, Any]:
        """Checks the response to the upload of a content in one request."""
        assert response.status == 201, (response, response.body)
        attachment = check_object(response.json())
        assert response["location"] == self.path_of(attachment["id"])
        assert (attachment["state"], attachment["size"]) == ("ready", len(data))
        assert attachment["sha256"] == sha256(data)
        return attachment

    async def begin(self, **fields: str | None) -> HTTPConnection:
        """Sends the head of an upload in one request; the caller sends the body."""
        connection = await self.gateway.connect()
        sent = named({"Content_Type": "application/octet-stream"} | fields)
        await connection.send(request_bytes("POST", self.path, self.gateway.host, sent))
        return connection

    async def list(self) -> list[dict[str, Any]]:
        response = await self.gateway.get(self.path)
        assert response.status == 200, (response, response.body)
        assert response["content-type"].split(";")[0] == "application/json"
        listed = response.json()["attachments"]
        assert len({attachment["id"] for attachment in listed}) == len(listed), listed
        return [check_object(attachment) for attachment in listed]

    async def find(self, attachment: str) -> dict[str, Any] | None:
        """Returns the attachment in the list; None if it is not listed."""
        return next((listed for listed in await self.list() if listed["id"] == attachment), None)

    async def read(self, attachment: str, **fields: str) -> Response:
        return await self.gateway.get(self.path_of(attachment), **fields)

    async def head(self, attachment: str, **fields: str) -> Response:
        return await self.gateway.request("HEAD", self.path_of(attachment), named(dict(fields)))

    async def remove(self, attachment: str, **fields: str) -> Response:
        return await self.gateway.request("DELETE", self.path_of(attachment), named(dict(fields)))

    @property
    def folder(self) -> Path:
        return self.gateway.folder / "data" / "sessions" / self.session

    def files(self) -> list[Path]:
        """Returns all files of the journal on disk, unfinished uploads included."""
        folders = (self.folder / "uploads", self.folder / "attachments")
        return [file for folder in folders for file in folder.rglob("*") if file.is_file()]

    def stored(self) -> set[str]:
        """Returns the names of the complete contents."""
        return {file.name for file in self.files() if file.parent.name == "attachments"}

    async def is_empty(self) -> bool:
        """Returns true if the list and the folders on disk are empty."""
        return not await self.list() and not self.files()


async def answer_while_sending(connection: HTTPConnection, piece: bytes, times: int) -> Response:
    """Sends pieces until the gateway stops reading or all are sent, and returns the response."""
    answer = asyncio.create_task(connection.receive())
    for _ in range(times):
        sending = asyncio.create_task(connection.send(piece))
        await asyncio.wait([sending, answer], return_when=asyncio.FIRST_COMPLETED)
        if not sending.done():
            sending.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await sending
            break
        await sending
    return await answer
