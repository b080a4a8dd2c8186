"""A WebSocket that sends any frame, valid or invalid, and returns the received frames."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import struct
from dataclasses import dataclass

from gateway import Gateway
from http1 import HTTPConnection, Response, request_bytes

CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG = 0, 1, 2, 8, 9, 10
GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"


@dataclass
class Frame:
    opcode: int
    payload: bytes
    is_final: bool = True
    reserved: int = 0

    @property
    def close(self) -> tuple[int, dict[str, object]]:
        """Returns the code and reason of a close frame."""
        assert self.opcode == CLOSE, self
        reason = self.payload[2:]
        return struct.unpack(">H", self.payload[:2])[0], json.loads(reason) if reason else {}


def frame(
    opcode: int, payload: bytes = b"", *, fin: bool = True, masked: bool = True, reserved: int = 0
) -> bytes:
    """Returns the bytes of a client's frame; `reserved` has RSV1–3 at their position in the first byte."""
    first = opcode | (0x80 if fin else 0) | reserved
    mask_bit = 0x80 if masked else 0
    if len(payload) < 126:
        head = struct.pack(">BB", first, mask_bit | len(payload))
    elif len(payload) < 1 << 16:
        head = struct.pack(">BBH", first, mask_bit | 126, len(payload))
    else:
        head = struct.pack(">BBQ", first, mask_bit | 127, len(payload))
    if not masked:
        return head + payload
    key = os.urandom(4)
    pad = key * (len(payload) // 4 + 1)
    hidden = int.from_bytes(payload, "big") ^ int.from_bytes(pad[: len(payload)], "big")
    return head + key + hidden.to_bytes(len(payload), "big")


def upgrade_fields(**changes: str | None) -> dict[str, str]:
    """Returns the fields of a valid upgrade, some changed or (None) omitted; `_` stands for `-`."""
    fields: dict[str, str | None] = {
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
        "Sec-WebSocket-Protocol": "drawtogether.v1",
    }
    fields |= {name.replace("_", "-"): value for name, value in changes.items()}
    return {name: value for name, value in fields.items() if value is not None}


def accept_value(key: str) -> str:
    """Returns the value of Sec-WebSocket-Accept (RFC 6455 §4.2.2)."""
    return base64.b64encode(hashlib.sha1(key.encode() + GUID).digest()).decode()


class RawSocket:
    """One upgraded connection."""

    def __init__(self, connection: HTTPConnection, response: Response) -> None:
        self.connection, self.response = connection, response

    @classmethod
    async def open(cls, gateway: Gateway, session: str, tls: bool = False, **fields: str | None) -> RawSocket:
        """Upgrades a connection and checks the response."""
        connection = await gateway.connect(tls)
        response = await cls.ask(connection, gateway, session, **fields)
        assert response.status == 101, response
        sent = upgrade_fields(**fields)
        assert response["sec-websocket-accept"] == accept_value(sent["Sec-WebSocket-Key"])
        assert response["upgrade"].lower() == "websocket"
        assert "upgrade" in response["connection"].lower()
        return cls(connection, response)

    @staticmethod
    async def ask(
        connection: HTTPConnection, gateway: Gateway, session: str, **fields: str | None
    ) -> Response:
        target = f"/api/sessions/{session}/socket"
        await connection.send(request_bytes("GET", target, gateway.host, upgrade_fields(**fields)))
        return await connection.receive()

    async def __aenter__(self) -> RawSocket:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.connection.abort()

    async def send(self, *frames: bytes) -> None:
        await self.connection.send(b"".join(frames))

    async def receive(self) -> Frame:
        reader = self.connection.reader
        first, second = await reader.readexactly(2)
        assert not second & 0x80, "the gateway masked a frame"
        length = second & 0x7F
        if length == 126:
            (length,) = struct.unpack(">H", await reader.readexactly(2))
        elif length == 127:
            (length,) = struct.unpack(">Q", await reader.readexactly(8))
        return Frame(first & 0x0F, await reader.readexactly(length), bool(first & 0x80), first & 0x70)

    async def receive_until(self, opcode: int) -> Frame:
        while (received := await self.receive()).opcode != opcode:
            assert received.opcode != CLOSE, f"the gateway closed the socket: {received.close}"
        return received

    async def join(self) -> None:
        """Joins, and reads until it is caught up."""
        await self.send(frame(TEXT, b'{"join": {}}'))
        while b'"caughtUp"' not in (await self.receive_until(TEXT)).payload:
            pass

    async def close_of(self) -> tuple[int, dict[str, object]]:
        """Reads until the gateway closes, and returns code and reason. The connection must then end."""
        code, reason = (await self.receive_until(CLOSE)).close
        await self.send(frame(CLOSE, struct.pack(">H", code)))
        await self.connection.ends()
        return code, reason
