"""Participants that draw and record when points arrive, with little CPU time of their own."""

from __future__ import annotations

import asyncio
import bisect
import itertools
import json
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from time import perf_counter

from gateway import Gateway
from http1 import request_bytes
from polling import until
from rawsocket import BINARY, TEXT, frame, upgrade_fields
from room import Room
from wire import APPEND, RELIABLE, Outgoing, entries

STAMP = struct.Struct(">d4xII")
"""The time of sending (seconds), the drawer and the number of the point. The zeros distinguish it from an entry's sender and
client sequence, which may be the same numbers."""
TYPE = "Stroke"
TICK = 0.009


@dataclass(frozen=True)
class Arrival:
    """One entry as received by one drawer."""

    sequence: int
    drawer: int
    number: int
    drawn_at: float
    """The time at which the entry was written to the sender's socket, by `perf_counter`."""
    latency: float
    """The seconds from then until it arrived."""


class Drawer(asyncio.Protocol):
    """A socket that joins, draws, and keeps the received bytes with their times. They are parsed afterwards."""

    def __init__(self, place: int, hello: bytes) -> None:
        self._place, self._hello = place, hello
        self._pieces: list[bytes] = []
        self._times: list[float] = []
        self.is_caught_up = False
        self.is_lost = False
        self.drawn = 0
        self.transport: asyncio.Transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        transport.write(self._hello)

    def connection_lost(self, error: Exception | None) -> None:
        self.is_lost = True

    def data_received(self, data: bytes) -> None:
        self._pieces.append(data)
        self._times.append(perf_counter())
        if not self.is_caught_up:
            self.is_caught_up = b'"caughtUp"' in b"".join(self._pieces)

    def draw(self) -> None:
        """Adds a point to this drawer's stroke."""
        stamp = STAMP.pack(perf_counter(), self._place, self.drawn)
        self.drawn += 1
        point = Outgoing(TYPE, stamp, RELIABLE | APPEND, self._place.to_bytes(16, "big"))
        self.transport.write(frame(BINARY, point.encoded(self.drawn)))

    def has(self, stamps: list[bytes]) -> bool:
        """Returns true if these points have arrived. Searches only the newest bytes."""
        newest = b"".join(self._pieces[-1_000:])
        return all(stamp in newest for stamp in stamps)

    def arrivals(self) -> Iterator[Arrival]:
        """Yields all received points, in their order."""
        data = b"".join(self._pieces)
        ends = list(itertools.accumulate(map(len, self._pieces)))
        offset = data.index(b"\r\n\r\n") + 4
        while offset < len(data):
            opcode, start, end = _frame_at(data, offset)
            if opcode == BINARY:
                at = self._times[bisect.bisect_left(ends, end)]
                for entry in entries(data[start:end]):
                    if entry.type == TYPE:
                        sent, drawer, number = STAMP.unpack(entry.payload)
                        yield Arrival(entry.sequence, drawer, number, sent, at - sent)
            offset = end


def _frame_at(data: bytes, offset: int) -> tuple[int, int, int]:
    """Returns the opcode of the frame at an offset, and the beginning and end of its payload."""
    length, start = data[offset + 1], offset + 2
    if length == 126:
        (length,), start = struct.unpack_from(">H", data, start), start + 2
    elif length == 127:
        (length,), start = struct.unpack_from(">Q", data, start), start + 8
    assert start + length <= len(data), "the last frame is cut short"
    return data[offset] & 0x0F, start, start + length


class Crowd:
    """The drawers of one room."""

    def __init__(self, drawers: list[Drawer]) -> None:
        self.drawers = drawers
        self._turns = itertools.cycle(drawers)

    @classmethod
    async def join(cls, gateway: Gateway, room: Room, count: int) -> Crowd:
        """Connects the drawers. Each of them is caught up."""
        loop = asyncio.get_running_loop()
        head = request_bytes("GET", f"{room.path}/socket", gateway.host, upgrade_fields())
        hello = head + frame(TEXT, json.dumps({"join": {}}).encode())
        drawers = [
            (await loop.create_connection(lambda n=n: Drawer(n, hello), *gateway.http))[1]
            for n in range(count)
        ]
        await until(lambda: all(drawer.is_caught_up for drawer in drawers), "the crowd is caught up")
        return cls(drawers)

    async def draw(self, at_once: int) -> None:
        """Draws one tick: each point comes from the next drawer."""
        for drawer in itertools.islice(self._turns, at_once):
            drawer.draw()
        await asyncio.sleep(TICK)

    async def draw_while(self, task: asyncio.Task[None], at_once: int) -> None:
        """Draws the same number of points in every tick until the task is done."""
        while not task.done():
            await self.draw(at_once)

    async def everything_arrives(self) -> list[Arrival]:
        """Waits for all points. Checks that every drawer got each point once, and all points in one order."""
        last = [
            STAMP.pack(0, n, drawer.drawn - 1)[8:] for n, drawer in enumerate(self.drawers) if drawer.drawn
        ]
        for drawer in self.drawers:
            await until(lambda drawer=drawer: drawer.has(last), "all that was drawn has arrived", 60)
        assert not any(drawer.is_lost for drawer in self.drawers), "nobody was cut"
        seen = [list(drawer.arrivals()) for drawer in self.drawers]
        order = [(a.sequence, a.drawer, a.number) for a in seen[0]]
        assert [sequence for sequence, _, _ in order] == sorted({sequence for sequence, _, _ in order})
        for place, drawer in enumerate(self.drawers):
            assert [(a.sequence, a.drawer, a.number) for a in seen[place]] == order, (
                f"drawer {place} saw another"
            )
            numbers = [number for _, by, number in order if by == place]
            assert numbers == list(range(drawer.drawn)), f"of drawer {place}"
        return [arrival for arrivals in seen for arrival in arrivals]

    def leave(self) -> None:
        for drawer in self.drawers:
            drawer.transport.abort()
