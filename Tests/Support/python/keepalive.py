"""Two sockets over a minute: one is silent, one answers pings."""

from __future__ import annotations

import asyncio
import threading
from dataclasses import dataclass, field

from gateway import Gateway
from rawsocket import BINARY, CLOSE, PING, RawSocket
from room import Room

MOST_SECONDS = 70.0


@dataclass
class Observed:
    """The observed times, in seconds after the join."""

    pings: list[float] = field(default_factory=list)
    heartbeats: list[float] = field(default_factory=list)
    close: int = 0
    reason: object = ""
    closed_after: float = 0.0
    answering_is_open: bool = False


class KeepaliveObservation:
    """Observes the sockets on its own thread while other tests run, because it takes a minute."""

    def __init__(self, gateway: Gateway) -> None:
        self._observed = Observed()
        self._failure: BaseException | None = None
        self._thread = threading.Thread(target=self._run, args=(gateway,), daemon=True)
        self._thread.start()

    def result(self) -> Observed:
        """Waits until the silent socket was closed."""
        self._thread.join(MOST_SECONDS + 10)
        assert not self._thread.is_alive(), f"still waiting: {self._observed}"
        if self._failure is not None:
            raise self._failure
        return self._observed

    def _run(self, gateway: Gateway) -> None:
        try:
            asyncio.run(self._watch(gateway))
        except BaseException as error:
            self._failure = error

    async def _watch(self, gateway: Gateway) -> None:
        clock = asyncio.get_running_loop().time
        async with Room(gateway) as room, Room(gateway) as other:
            answering = await other.join("Ada")
            async with await RawSocket.open(gateway, room.id) as silent:
                await silent.join()
                began = clock()
                try:
                    async with asyncio.timeout(MOST_SECONDS):
                        while (received := await silent.receive()).opcode != CLOSE:
                            if received.opcode == PING:
                                self._observed.pings.append(clock() - began)
                            elif received.opcode == BINARY and not received.payload:
                                self._observed.heartbeats.append(clock() - began)
                        self._observed.close, reason = received.close
                        self._observed.reason = reason.get("code")
                        self._observed.closed_after = clock() - began
                except TimeoutError:
                    pass
            self._observed.answering_is_open = answering.close is None
