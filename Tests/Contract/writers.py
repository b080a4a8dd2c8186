"""Participants that draw without a pause, also over failures of the gateway, and check which entries it kept."""

from __future__ import annotations

import asyncio
from itertools import count

import websockets

from client import Client
from lasting import LastingGateway
from room import append, key, replace

AWAY = (OSError, EOFError, TimeoutError, ConnectionError, websockets.WebSocketException)
MOST_KEPT = 60
"""A writer waits while it has this number of uncommitted entries."""
CHURN = 30_000


class Writer:
    """Counts upwards under its own key, and replaces large values under others, so that logs are compacted."""

    def __init__(self, gateway: LastingGateway, session: str, place: int, name: str) -> None:
        self.client = Client(gateway.socket_url(session), open_timeout=5, close_timeout=1)
        self.place, self.name = place, name
        self.counted = 0
        self.joins = 0
        self._may_draw = asyncio.Event()
        self._tasks = [asyncio.create_task(self._stay()), asyncio.create_task(self._draw())]

    @property
    def key(self) -> bytes:
        return key(1_000 + self.place)

    @property
    def kept(self) -> list[int]:
        """Returns the numbers that may not be committed."""
        return [int(entry.payload) for entry in self.client.outbox.entries if entry.key == self.key]

    @property
    def committed(self) -> int:
        """Returns the number below which all are committed."""
        return min(self.kept, default=self.counted)

    @property
    def seen(self) -> list[int]:
        """Returns the numbers under its key."""
        return [int(entry.payload) for entry in self.client.retained.keys.get(self.key, [])]

    def draw(self, is_on: bool = True) -> None:
        (self._may_draw.set if is_on else self._may_draw.clear)()

    async def end(self) -> None:
        for task in self._tasks:
            task.cancel()
        ended = await asyncio.gather(*self._tasks, return_exceptions=True)
        await self.client.cut()
        faults = [e for e in ended if e is not None and not isinstance(e, asyncio.CancelledError)]
        assert not faults and self.client.failure is None, (self.name, faults, self.client.failure)

    async def _stay(self) -> None:
        """Joins whenever it is disconnected."""
        while True:
            try:
                await self.client.join(name=self.name)
                self.joins += 1
                await self.client.wait_for(
                    lambda: self.client.close or self.client.must_resume, "a cut", timeout=600
                )
            except AWAY:
                await asyncio.sleep(0.005)

    async def _draw(self) -> None:
        for turn in count():
            await self._may_draw.wait()
            if len(self.client.outbox) < MOST_KEPT:
                numbers = range(self.counted, self.counted + 4)
                self.counted += 4
                self.client.send(*[append(1_000 + self.place, str(number)) for number in numbers])
                if turn % 4 == 0:
                    self.client.send(replace(100 * self.place + turn % 3, f"{turn}/" + "x" * CHURN))
            await asyncio.sleep(0.002)
