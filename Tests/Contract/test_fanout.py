"""The cost of a fan-out by the gateway's own counters."""

from __future__ import annotations

import asyncio
import json
import struct

import pytest

from gateway import Gateway
from http1 import request_bytes
from polling import until
from rawsocket import BINARY, PONG, TEXT, accept_value, frame, upgrade_fields
from room import Room, note, numbered

SOCKETS = 1_000
ENTRIES = 16
ROUNDS = 5
MARK = b"fan-out"


class Receiver(asyncio.Protocol):
    """A socket that joins, answers pings and counts marked entries, and parses nothing else."""

    def __init__(self, hello: bytes) -> None:
        self._hello, self._buffer, self._is_open = hello, bytearray(), False
        self.is_caught_up = False
        self.marked = 0
        self.transport: asyncio.Transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        transport.write(self._hello)

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        if not self._is_open:
            end = self._buffer.find(b"\r\n\r\n")
            if end < 0:
                return
            assert accept_value(upgrade_fields()["Sec-WebSocket-Key"]).encode() in self._buffer[:end]
            del self._buffer[: end + 4]
            self._is_open = True
        while (taken := self._take_frame()) > 0:
            del self._buffer[:taken]

    def _take_frame(self) -> int:
        buffer = self._buffer
        if len(buffer) < 2:
            return 0
        offset, length = 2, buffer[1]
        if length == 126 and len(buffer) >= 4:
            offset, (length,) = 4, struct.unpack_from(">H", buffer, 2)
        elif length == 127 and len(buffer) >= 10:
            offset, (length,) = 10, struct.unpack_from(">Q", buffer, 2)
        elif length >= 126:
            return 0
        if len(buffer) < offset + length:
            return 0
        payload = bytes(buffer[offset : offset + length])
        opcode = buffer[0] & 0x0F
        if opcode == BINARY:
            self.marked += payload.count(MARK)
        elif opcode == TEXT and payload.startswith(b'{"caughtUp"'):
            self.is_caught_up = True
        elif opcode == 9:
            self.transport.write(frame(PONG, payload))
        return offset + length


async def crowd(gateway: Gateway, room: Room, count: int) -> list[Receiver]:
    """Connects this number of sockets, joined and caught up."""
    loop = asyncio.get_running_loop()
    head = request_bytes("GET", f"{room.path}/socket", gateway.host, upgrade_fields())
    hello = head + frame(TEXT, json.dumps({"join": {}}).encode())
    receivers: list[Receiver] = []
    for first in range(0, count, 100):
        batch = [
            (await loop.create_connection(lambda: Receiver(hello), *gateway.http))[1]
            for _ in range(first, min(first + 100, count))
        ]
        receivers += batch
        await until(
            lambda batch=batch: all(r.is_caught_up for r in batch), "the crowd is caught up", timeout=60
        )
    return receivers


@pytest.mark.seconds(120)
@pytest.mark.parametrize("frames", [1, ENTRIES], ids=["one frame", "sixteen frames"])
async def test_entries_of_one_segment_need_at_most_one_send_per_socket(gateway_with, frames: int) -> None:
    """The best of a few rounds counts: a ping or the response to /metrics may need its own send."""
    gateway: Gateway = gateway_with("--reactors", "1", participantsPerSession=SOCKETS + 1)
    async with Room(gateway) as room:
        receivers = await crowd(gateway, room, SOCKETS)
        late = await room.join("Late")
        assert len(late.retained.people) == SOCKETS + 1, "the state at N tells of everybody, however many"
        await late.say(leave={})
        await late.closed()
        sender, costs, next_ = receivers[0], [], 1
        for round_ in range(1, ROUNDS + 1):
            before = await gateway.metric("drawtogether_send_calls_total")
            entries = [note(MARK) for _ in range(ENTRIES)]
            per_frame = ENTRIES // frames
            segment = b"".join(
                frame(BINARY, numbered(*entries[n : n + per_frame], first=next_ + n))
                for n in range(0, ENTRIES, per_frame)
            )
            sender.transport.write(segment)
            next_ += ENTRIES
            await until(
                lambda round_=round_: all(r.marked == round_ * ENTRIES for r in receivers), "everyone has all"
            )
            costs.append(await gateway.metric("drawtogether_send_calls_total") - before)
        for receiver in receivers:
            receiver.transport.abort()
        print(f"send calls for {ENTRIES} entries to {SOCKETS} sockets, round by round: {costs}")
        answers = 2  # the answer to /metrics, and the sender's `committed`
        assert min(costs) <= SOCKETS + answers, costs
