"""A TCP proxy that cuts connections in several ways, chosen by a seed."""

from __future__ import annotations

import asyncio
import random
import socket
import struct
from dataclasses import dataclass

WAYS = ("reset", "finish", "half-close", "stall", "ghost")
"""reset: RST to both · finish: FIN to both · half-close: FIN in one direction, while the other continues for a
while · stall: no bytes for a while, then RST · ghost: RST to the client, and nothing to the gateway for a while."""
PIECE = 16_384


@dataclass
class Plan:
    """The way and the time of the cut of one connection."""

    way: str
    is_upstream: bool
    bytes: int
    seconds: float
    piece: int
    linger: float


def make_plan(chance: random.Random) -> Plan:
    """Chooses a cut: a quarter during the handshake or the join, the others in the stream or after a time."""
    magnitude = chance.uniform(0, 3.2) if chance.random() < 0.25 else chance.uniform(3, 4.7)
    return Plan(
        way=chance.choice(WAYS),
        is_upstream=chance.random() < 0.5,
        bytes=int(10**magnitude) if chance.random() < 0.8 else 0,
        seconds=chance.uniform(0.05, 0.4),
        piece=chance.choice((1, 7, 100, 1_460, PIECE, PIECE, PIECE)),
        linger=chance.uniform(0.0, 0.15),
    )


class Proxy:
    """Listens on its own port and cuts `cuts` connections. Later connections pass unchanged."""

    def __init__(self, target: tuple[str, int], seed: int, cuts: int) -> None:
        self.target, self._chance = target, random.Random(seed)
        self.cuts_left = cuts
        self.done = 0
        self.by_way = dict.fromkeys(WAYS, 0)
        self.port = 0
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Proxy:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            upstream = await asyncio.open_connection(*self.target)
            plan = None
            if self.cuts_left > 0:
                self.cuts_left -= 1
                plan = make_plan(self._chance)
            await _Passage((reader, writer), upstream, plan).run()
            if plan is not None:
                self.done += 1
                self.by_way[plan.way] += 1
        except (OSError, asyncio.CancelledError):
            writer.transport.abort()
        finally:
            self._tasks.discard(task)


Stream = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class _Passage:
    """One connection through the proxy."""

    def __init__(self, client: Stream, gateway: Stream, plan: Plan | None) -> None:
        self._client, self._gateway, self._plan = client, gateway, plan
        self._stalled = False

    async def run(self) -> None:
        up = asyncio.create_task(self._pump(self._client[0], self._gateway[1], is_upstream=True))
        down = asyncio.create_task(self._pump(self._gateway[0], self._client[1], is_upstream=False))
        pumps = {up, down}
        try:
            if self._plan is None:
                await asyncio.wait(pumps)
                return
            await asyncio.wait(pumps, timeout=self._plan.seconds, return_when=asyncio.FIRST_COMPLETED)
            await self._cut(self._plan, up if self._plan.is_upstream else down)
        finally:
            for pump in pumps:
                pump.cancel()
            await asyncio.gather(*pumps, return_exceptions=True)
            _reset(self._client[1])
            _reset(self._gateway[1])

    async def _pump(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, is_upstream: bool
    ) -> None:
        """Forwards bytes in one direction, until the end of the stream or the planned cut."""
        plan = self._plan
        left = plan.bytes if plan and plan.bytes and plan.is_upstream == is_upstream else None
        try:
            while data := await reader.read(plan.piece if plan else PIECE):
                if self._stalled:
                    await asyncio.Event().wait()
                if left is not None and len(data) >= left:
                    writer.write(data[:left])
                    await writer.drain()
                    return
                left = left and left - len(data)
                writer.write(data)
                await writer.drain()
            if plan is None:
                writer.write_eof() if writer.can_write_eof() else writer.close()
        except OSError:
            pass

    async def _cut(self, plan: Plan, chosen: asyncio.Task[None]) -> None:
        client, gateway = self._client[1], self._gateway[1]
        if plan.way == "finish":
            client.close()
            gateway.close()
            await asyncio.sleep(0)
        elif plan.way == "half-close":
            chosen.cancel()
            half = gateway if plan.is_upstream else client
            if half.can_write_eof() and not half.is_closing():
                half.write_eof()
            await asyncio.sleep(plan.linger)
        elif plan.way == "stall":
            self._stalled = True
            await asyncio.sleep(plan.linger)
        elif plan.way == "ghost":
            self._stalled = True
            _reset(client)
            await asyncio.sleep(plan.linger * 4)


def _reset(writer: asyncio.StreamWriter) -> None:
    """Closes with RST, so that both sides lose the bytes in transit."""
    end = writer.get_extra_info("socket")
    if end is not None and end.fileno() >= 0:
        end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()
