"""Clients that read very slowly, and the gateway's memory meanwhile."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator
from pathlib import Path

from gateway import Gateway, has_sanitizer
from http1 import HTTPConnection


SANITIZER_TIMES = 8
"""The factor on memory and time for a gateway with a sanitizer."""
SANITIZER_BYTES = 512 << 20
"""The memory that the address sanitizer retains after it was freed, and its overhead."""


def most(growth: int) -> int:
    """Returns the allowed growth of memory, adjusted for sanitizers."""
    return growth * SANITIZER_TIMES + SANITIZER_BYTES if has_sanitizer() else growth


def resident_bytes(gateway: Gateway) -> int:
    """Returns the gateway's resident memory."""
    status = Path(f"/proc/{gateway.process.pid}/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0]) << 10


def descriptors(gateway: Gateway) -> int:
    """Returns the number of the gateway's open descriptors."""
    return len(list(Path(f"/proc/{gateway.process.pid}/fd").iterdir()))


async def slow_connection(gateway: Gateway) -> HTTPConnection:
    """Opens a connection that buffers a few KiB, and no more until the test reads."""
    connected = socket.socket()
    connected.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
    connected.setblocking(False)
    await asyncio.get_running_loop().sock_connect(connected, gateway.http)
    reader, writer = await asyncio.open_connection(sock=connected, limit=8_192)
    return HTTPConnection(reader, writer)


@contextlib.asynccontextmanager
async def most_growth(gateway: Gateway) -> AsyncIterator[list[int]]:
    """Observes the resident memory; the list's only element is the maximal growth since the beginning."""
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
