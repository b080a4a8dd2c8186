"""During an attack, new participants can join and get the whole state."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading
from collections.abc import Iterator
from time import monotonic

from gateway import Gateway
from hostile import plain_socket, share
from http1 import request_bytes
from rawsocket import PONG, TEXT, RawSocket, frame, upgrade_fields
from room import Room, append

PATIENCE = 3.0
"""The seconds in which a new participant gets a response, and the whole state."""
PICTURE = 60
"""The number of entries of the largest size in the state: about fifteen megabytes."""


@contextlib.contextmanager
def flood(gateway: Gateway, session: str, people: int) -> Iterator[None]:
    """Lets members send pongs at full speed, which no limit restricts."""
    opening = request_bytes("GET", f"/api/sessions/{session}/socket", gateway.host, upgrade_fields())
    pongs = frame(PONG) * 10_000
    is_over = threading.Event()

    def pour(connected: socket.socket) -> None:
        with contextlib.suppress(OSError):
            connected.sendall(opening + frame(TEXT, b'{"join": {}}'))
            while not is_over.is_set():
                connected.sendall(pongs)

    sockets = [plain_socket(gateway) for _ in range(people)]
    threads = [threading.Thread(target=pour, args=[connected], daemon=True) for connected in sockets]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        is_over.set()
        for connected in sockets:
            connected.close()
        for thread in threads:
            thread.join()


async def is_taken_in(gateway: Gateway, session: str) -> float:
    """Returns the seconds until a new participant has a response, has joined and has the whole state."""
    began = monotonic()
    async with asyncio.timeout(PATIENCE * share() * 4):
        async with await RawSocket.open(gateway, session) as peer:
            await peer.send(frame(TEXT, b'{"join": {}}'))
            while True:
                received = await peer.receive()
                if received.opcode == TEXT and b'"caughtUp"' in received.payload:
                    return monotonic() - began


async def test_a_newcomer_gets_the_whole_state_during_a_flood(gateway_with) -> None:
    gateway: Gateway = gateway_with("--reactors", "1", entriesPerSecond=100_000, bytesPerSecond=1 << 30)
    async with Room(gateway) as drawn, Room(gateway) as flooded:
        ada = await drawn.join("Ada")
        for n in range(PICTURE):
            ada.send(append(n, "x" * 250_000))
        await ada.committed()
        with flood(gateway, flooded.id, 4):
            times = [await is_taken_in(gateway, drawn.id) for _ in range(3)]
            times += await asyncio.gather(*[is_taken_in(gateway, drawn.id) for _ in range(8)])
        assert max(times) <= PATIENCE * share(), times


async def test_a_newcomer_is_answered_during_a_flood_with_slow_heads(gateway_with) -> None:
    gateway: Gateway = gateway_with("--reactors", "1", headSeconds=20)
    dribbling = [plain_socket(gateway, b"GET / HTTP/1.1\r\nHost: x\r\nX: ") for _ in range(100)]
    try:
        async with Room(gateway) as room, Room(gateway) as flooded:
            with flood(gateway, flooded.id, 4):
                times = []
                for _ in range(10):
                    for connected in dribbling:
                        connected.sendall(b"x")
                    times.append(await is_taken_in(gateway, room.id))
                assert max(times) <= PATIENCE * share(), times
    finally:
        for connected in dribbling:
            connected.close()


async def test_a_flood_does_not_lengthen_the_loops_turns(gateway_with) -> None:
    gateway: Gateway = gateway_with("--reactors", "1")
    async with Room(gateway) as room, Room(gateway) as flooded:
        with flood(gateway, flooded.id, 1):
            first = [await is_taken_in(gateway, room.id) for _ in range(40)]
            while len(first) < 400:
                first.append(await is_taken_in(gateway, room.id))
        begin, end = sorted(first[:40])[20], sorted(first[-40:])[20]
        assert end <= 4 * begin + 0.05, (begin, end)
