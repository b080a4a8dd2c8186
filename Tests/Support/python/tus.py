"""A tus 1.0.0 client that sends single requests, valid or invalid."""

from __future__ import annotations

import json
from typing import Any

from attachments import Journal, base64_of, in_chunks, named
from gateway import Gateway
from http1 import HTTPConnection, Response, request_bytes

PIECE = "application/offset+octet-stream"
EXTENSIONS = {
    "creation", "creation-with-upload", "creation-defer-length", "checksum", "termination", "expiration",
}  # fmt: skip


def upload_metadata(**values: Any) -> str:
    """Returns the value of Upload-Metadata; values that are not text are encoded as JSON."""
    texts = {key: value if isinstance(value, str) else json.dumps(value) for key, value in values.items()}
    return ",".join(f"{key} {base64_of(text)}" for key, text in texts.items())


class Upload:
    """One resumable upload, identified by its `Location`."""

    def __init__(self, gateway: Gateway, path: str) -> None:
        self.gateway, self.path = gateway, path

    @property
    def id(self) -> str:
        return self.path.rsplit("/", 1)[1]

    @staticmethod
    async def creation(
        journal: Journal, length: int | None = None, data: bytes | None = None, **fields: str | None
    ) -> Response:
        """Requests an upload; the length `None` defers it, and `data` is sent in the same request."""
        known = {"Upload_Defer_Length": "1"} if length is None else {"Upload_Length": str(length)}
        if data is not None:
            known["Content_Type"] = PIECE
        sent = named({"Tus_Resumable": "1.0.0"} | known | fields)
        return await journal.gateway.request("POST", journal.path, sent, data or b"")

    @classmethod
    async def create(
        cls, journal: Journal, length: int | None = None, data: bytes | None = None, **fields: str | None
    ) -> Upload:
        """Creates an upload and checks the response."""
        response = await cls.creation(journal, length, data, **fields)
        assert response.status == 201, (response, response.body)
        assert response["tus-resumable"] == "1.0.0"
        upload = cls(journal.gateway, response["location"])
        assert upload.path == journal.path_of(upload.id)
        return upload

    async def ask(
        self, method: str, body: bytes | None = None, *, is_chunked: bool = False, **fields: str | None
    ) -> Response:
        sent = named({"Tus_Resumable": "1.0.0"} | fields)
        if is_chunked and body is not None:
            sent["Transfer-Encoding"] = "chunked"
            body = in_chunks(body)
        return await self.gateway.request(method, self.path, sent, body)

    async def head(self, **fields: str | None) -> Response:
        return await self.ask("HEAD", **fields)

    async def offset(self) -> int:
        """Returns the number of received bytes."""
        response = await self.head()
        assert response.status in (200, 204), response
        assert response["cache-control"] == "no-store"
        assert response["tus-resumable"] == "1.0.0"
        return int(response["upload-offset"])

    async def has(self, offset: int) -> bool:
        return await self.offset() == offset

    async def patch(
        self, data: bytes, offset: int | None, *, is_chunked: bool = False, **fields: str | None
    ) -> Response:
        """Sends a piece, and returns the response, also an error."""
        at = None if offset is None else str(offset)
        known = {"Content_Type": PIECE, "Upload_Offset": at}
        return await self.ask("PATCH", data, is_chunked=is_chunked, **(known | fields))

    async def send(self, data: bytes, offset: int = 0, **fields: Any) -> Response:
        """Sends a piece that must be accepted."""
        response = await self.patch(data, offset, **fields)
        assert response.status == 204, (response, response.body)
        assert response["tus-resumable"] == "1.0.0"
        assert int(response["upload-offset"]) == offset + len(data)
        return response

    async def begin(self, offset: int, length: int, **fields: str | None) -> HTTPConnection:
        """Sends the head of a PATCH with that Content-Length; the caller sends the body."""
        connection = await self.gateway.connect()
        known = {
            "Tus_Resumable": "1.0.0", "Content_Type": PIECE, "Upload_Offset": str(offset),
            "Content_Length": str(length),
        }  # fmt: skip
        sent = named(known | fields)
        await connection.send(request_bytes("PATCH", self.path, self.gateway.host, sent))
        return connection

    async def terminate(self) -> Response:
        return await self.ask("DELETE")
