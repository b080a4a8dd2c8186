"""Peers that hardly read, and what the gateway's memory is while they are there."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator
from pathlib import Path

from gateway import Gateway, has_sanitizer
from http1 import HTTPConnection


SANITIZER_TIMES = 8
"""How many times as much memory and time a gateway may take that a sanitizer was built into."""
SANITIZER_BYTES = 512 << 20
"""What the address sanitizer keeps of what was freed, and beside it."""


def most(growth: int) -> int:
    """How far the memory may grow where this is the bound."""
    return growth * SANITIZER_TIMES + SANITIZER_BYTES if has_sanitizer() else growth


def resident_bytes(gateway: Gateway) -> int:
    """The gateway's resident memory."""
    status = Path(f"/proc/{gateway.process.pid}/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0]) << 10


def descriptors(gateway: Gateway) -> int:
    """How many descriptors the gateway holds open."""
    return len(list(Path(f"/proc/{gateway.process.pid}/fd").iterdir()))


async def slow_connection(gateway: Gateway) -> HTTPConnection:
    """A connection that takes a few KiB and then nothing until somebody reads from it."""
    connected = socket.socket()
    connected.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
    connected.setblocking(False)
    await asyncio.get_running_loop().sock_connect(connected, gateway.http)
    reader, writer = await asyncio.open_connection(sock=connected, limit=8_192)
    return HTTPConnection(reader, writer)


@contextlib.asynccontextmanager
async def most_growth(gateway: Gateway) -> AsyncIterator[list[int]]:
    """Watches the resident memory; the list's one number is how far it grew at most since the beginning."""
    before = resident_bytes(gateway)
    grown = [0]

    async def watch() -> None:
        while True:
            grown[0] = max(grown[0], resident_bytes(gateway) - before)
            await asyncio.sleep(0.009)

    watching = asyncio.create_task(watch())
    try:
        yield grown
    finally:
        watching.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await watching
