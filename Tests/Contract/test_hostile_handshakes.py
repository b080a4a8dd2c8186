"""Clients that begin a TLS handshake and then stay silent neither lock out others nor cost much memory."""

from __future__ import annotations

import asyncio
import socket
import time

import pytest

from gateway import Gateway, OverTLS, trusting
from hostile import MEBIBYTE, many, unharmed
from http1 import HTTPConnection
from test_hostile_slowness import hello

pytestmark = pytest.mark.alone

HANDSHAKES = 2_048
ADDRESSES = 11
NEWCOMERS = 100
# The sent part of a hello, and the memory per connection that it may cost. Measured are 1,364, 1,888 and 44,908
# bytes: after a whole hello OpenSSL keeps the state of a handshake, and a reactor has at most 1,024 handshakes.
CASES = {"four bytes": (4, 2_048), "all but a byte of a hello": (-1, 2_560), "a whole hello": (None, 49_152)}


def begin(gateway: Gateway, sent: bytes, held: list[socket.socket]) -> None:
    """Begins handshakes and stops, from several addresses, each with its maximum number of connections."""
    for n in range(HANDSHAKES):
        source = (f"127.0.0.{2 + n % ADDRESSES}", 0)
        held.append(socket.create_connection(gateway.https, source_address=source))
        held[-1].sendall(sent)


@pytest.mark.seconds(300)
@pytest.mark.parametrize("stage", CASES)
async def test_incomplete_handshakes_do_not_lock_out_others(new_gateway, stage: str) -> None:
    end, each = CASES[stage]
    gateway: Gateway = new_gateway(headSeconds=300)
    async with unharmed(gateway, growth=HANDSHAKES * each) as beside:
        with many() as held:
            await asyncio.to_thread(begin, gateway, hello()[:end], held)
            context = trusting()
            for _ in range(NEWCOMERS):
                began = time.monotonic()
                async with asyncio.timeout(20), await HTTPConnection.open(gateway.https, context) as newcomer:
                    await newcomer.send(f"GET /healthz HTTP/1.1\r\nHost: {gateway.host}\r\n\r\n")
                    assert (await newcomer.receive()).status == 200
                assert time.monotonic() - began < 5
            samples = await OverTLS(gateway).metrics()
            assert samples["drawtogether_tls_handshakes_dropped_total"] <= 2 * NEWCOMERS
    print(f"{beside.watch.growth / HANDSHAKES:,.0f} bytes a handshake")
