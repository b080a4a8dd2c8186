"""A raw HTTP/1.1 client that sends the given bytes unchanged and returns the received ones."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import ssl
import struct
import zlib
from dataclasses import dataclass, field
from typing import Any

TIMEOUT = 20.0


@dataclass
class Response:
    """A response: status, fields as a list of pairs, and the body without its transfer coding."""

    status: int
    fields: list[tuple[str, str]]
    body: bytes = b""
    version: str = "HTTP/1.1"
    reason: str = field(default="", repr=False)

    def all(self, name: str) -> list[str]:
        return [value for key, value in self.fields if key == name.lower()]

    def __getitem__(self, name: str) -> str:
        values = self.all(name)
        assert len(values) == 1, f"{name}: {values} in {self.fields}"
        return values[0]

    def get(self, name: str) -> str | None:
        return self[name] if self.all(name) else None

    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def text(self) -> str:
        return self.body.decode()

    def unzipped(self) -> bytes:
        assert self["content-encoding"] == "gzip"
        return zlib.decompress(self.body, wbits=31)

    def problem(self, status: int, code: str | None = None) -> dict[str, Any]:
        """Checks that this is an error as in RFC 9457 and section 1, and returns its members."""
        assert self.status == status, (self.status, self.body)
        assert self["content-type"].split(";")[0] == "application/problem+json"
        problem = self.json()
        assert problem["status"] == status
        assert problem["title"] and isinstance(problem["title"], str)
        assert len(problem["detail"]) > 10, problem
        assert isinstance(problem["code"], str) and problem["code"], problem
        assert problem["type"] in ("about:blank", f"urn:drawtogether:error:{problem['code']}")
        if code is not None:
            assert problem["code"] == code, problem
        if status in (429, 503):
            assert int(self["retry-after"]) >= 0
        return problem


class HTTPConnection:
    """One TCP or TLS connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    @classmethod
    async def open(cls, address: tuple[str, int], tls: ssl.SSLContext | None = None) -> HTTPConnection:
        name = "localhost" if tls else None
        reader, writer = await asyncio.open_connection(*address, ssl=tls, server_hostname=name, limit=1 << 22)
        return cls(reader, writer)

    async def __aenter__(self) -> HTTPConnection:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.abort()

    def abort(self) -> None:
        self.writer.transport.abort()

    def reset(self) -> None:
        """Ends the connection with a TCP reset, unless it has ended already."""
        raw = self.writer.get_extra_info("socket")
        if raw is not None:
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.abort()

    async def send(self, data: bytes | str) -> None:
        self.writer.write(data.encode("latin-1") if isinstance(data, str) else data)
        # The gateway may answer and close before it has read everything; only the response counts.
        with contextlib.suppress(ConnectionError):
            await self.writer.drain()

    async def receive(self, head: bool = False, skips_informational: bool = True) -> Response:
        """Reads one response; with `head` it belongs to a HEAD request and has no body."""
        async with asyncio.timeout(TIMEOUT):
            while True:
                response = await self._receive_head()
                if response.status >= 200 or response.status == 101 or not skips_informational:
                    break
            if head or response.status < 200 or response.status in (204, 304):
                return response
            if response.get("transfer-encoding") == "chunked":
                response.body = await self._receive_chunks()
            elif (length := response.get("content-length")) is not None:
                response.body = await self.reader.readexactly(int(length))
            else:
                response.body = await self.reader.read()
            return response

    async def receive_informational(self) -> Response:
        """Reads the first response, a 100 or another one in its place."""
        return await self.receive(skips_informational=False)

    async def ends(self) -> bytes:
        """Waits for the gateway to close, and returns the bytes received before."""
        async with asyncio.timeout(TIMEOUT):
            try:
                return await self.reader.read()
            except ConnectionResetError:
                return b""

    async def _receive_head(self) -> Response:
        block = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        start, *lines = block[:-4].split("\r\n")
        version, status, reason = (start + " ").split(" ", 2)
        assert version == "HTTP/1.1", start
        fields = []
        for line in lines:
            name, _, value = line.partition(":")
            assert name and name == name.strip() and "\n" not in line, line
            fields.append((name.lower(), value.strip()))
        return Response(int(status), fields, version=version, reason=reason.strip())

    async def _receive_chunks(self) -> bytes:
        body = bytearray()
        while size := int((await self.reader.readuntil(b"\r\n")).split(b";")[0], 16):
            body += await self.reader.readexactly(size)
            assert await self.reader.readexactly(2) == b"\r\n"
        while await self.reader.readuntil(b"\r\n") != b"\r\n":
            pass
        return bytes(body)


def request_bytes(
    method: str, target: str, host: str, fields: dict[str, str] | None = None, body: bytes | None = None
) -> bytes:
    """Returns a well-formed request; `fields` may replace Host."""
    sent = {"Host": host} | (fields or {})
    if body is not None and "Transfer-Encoding" not in sent:
        sent.setdefault("Content-Length", str(len(body)))
    head = "".join(f"{name}: {value}\r\n" for name, value in sent.items())
    return f"{method} {target} HTTP/1.1\r\n{head}\r\n".encode("latin-1") + (body or b"")
