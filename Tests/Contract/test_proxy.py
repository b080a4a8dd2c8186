"""Tests of the proxy itself: uncut connections pass all bytes, and every kind of cut ends a connection."""

from __future__ import annotations

import asyncio
import random

import pytest

from proxy import WAYS, Proxy, make_plan

SENT = bytes(range(256)) * 500


async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while data := await reader.read(65_536):
            writer.write(data)
            await writer.drain()
    except OSError:
        pass
    finally:
        writer.close()


async def through(port: int, data: bytes) -> bytes:
    """Sends through the proxy until the connection breaks, and returns the received bytes."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    back = bytearray()

    async def receive() -> None:
        try:
            while piece := await reader.read(65_536):
                back.extend(piece)
        except OSError:
            pass

    receiving = asyncio.create_task(receive())
    try:
        for first in range(0, len(data), 10_000):
            writer.write(data[first : first + 10_000])
            await writer.drain()
        writer.write_eof()
    except OSError:
        pass
    await receiving
    writer.transport.abort()
    return bytes(back)


async def test_without_cuts_every_byte_passes_in_order() -> None:
    server = await asyncio.start_server(echo, "127.0.0.1", 0)
    async with server, Proxy(server.sockets[0].getsockname(), seed=1, cuts=0) as proxy:
        assert await through(proxy.port, SENT) == SENT


@pytest.mark.parametrize("seed", [1, 2])
async def test_the_proxy_cuts_the_planned_number_of_connections(seed: int) -> None:
    server = await asyncio.start_server(echo, "127.0.0.1", 0)
    async with server, Proxy(server.sockets[0].getsockname(), seed, cuts=40) as proxy:
        results = await asyncio.gather(*[through(proxy.port, SENT) for _ in range(40)])
        assert all(SENT.startswith(result) for result in results)
        assert sum(result != SENT for result in results) > 20
        assert await through(proxy.port, SENT) == SENT
        assert set(proxy.by_way) == set(WAYS) and min(proxy.by_way.values()) > 0


def test_a_seed_determines_all_cuts() -> None:
    first, second = random.Random(7), random.Random(7)
    assert [make_plan(first) for _ in range(100)] == [make_plan(second) for _ in range(100)]
